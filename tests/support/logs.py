"""Logs of evaluations in the layouts of inspect and lm-eval, made here."""

from __future__ import annotations

import json
import random
import struct
import zlib

import pyarrow as pa

STORED, DEFLATE, ZSTD = 0, 8, 93


def packed(data, method):
    if method == STORED:
        return data
    if method == DEFLATE:
        return zlib.compress(data)[2:-4]
    return pa.Codec("zstd").compress(data, asbytes=True)


def zip_of(members, method=ZSTD, size=None, crc=None):
    """A zip of (name, bytes) in this order, names as often as they are there.

    ``size`` and ``crc`` are those that it claims.
    """
    out, central = bytearray(), bytearray()
    for name, data in members:
        raw, encoded = packed(data, method), name.encode()
        fields = struct.pack(
            "<HHHHHIIIHH", 45, 0x800, method, 0, 0x21, zlib.crc32(data) if crc is None else crc,
            len(raw), len(data) if size is None else size, len(encoded), 0,
        )  # fmt: skip
        central += struct.pack("<IH", 0x02014B50, 45) + fields
        central += struct.pack("<HHHII", 0, 0, 0, 0, len(out)) + encoded
        out += struct.pack("<I", 0x04034B50) + fields + encoded + raw
    ends = struct.pack(
        "<IHHHHIIH", 0x06054B50, 0, 0, len(members), len(members), len(central), len(out), 0
    )
    return bytes(out + central + ends)


def sample(id, epoch=1, scores=None, error=None, limit=None, input=None, target="x", **metadata):
    """A sample of inspect; ``scores`` are values by scorer."""
    return {
        "id": id,
        "epoch": epoch,
        "input": f"{id}?" if input is None else input,
        "target": target,
        "metadata": metadata,
        "scores": {name: {"value": value, "history": []} for name, value in (scores or {}).items()},
        "error": error,
        "limit": limit,
        "messages": [{"role": "user", "content": f"{id}?"}],
    }


def header(status="success", n=None, **run):
    run = {"model": "mock/m", "task": "t", "task_version": 0, "dataset": {"samples": n}} | run
    return {"version": 2, "status": status, "eval": run, "plan": {}, "results": {}}


def summary_of(each):
    """A sample as summaries.json has it: thinned."""
    kept = {k: v for k, v in each.items() if k != "messages"}
    metadata = {}
    for key, value in each["metadata"].items():
        if isinstance(value, str):
            text = " ".join(value.split())
            metadata[key] = text if len(text) <= 1024 else text[:1021] + "..."
        elif len(json.dumps(value)) > 1024:
            metadata[key] = "Key removed from summary (> 1k)"
        else:
            metadata[key] = value
    text = each["input"]
    if isinstance(text, str) and len(text) > 5120:
        text = text[:5120] + "...\n(content truncated)"
    error = None if each["error"] is None else "boom"
    limit = None if each["limit"] is None else each["limit"]["type"]
    return kept | {"metadata": metadata, "input": text, "error": error, "limit": limit}


def members_of(samples, head=None, summaries=True):
    head = header(n=len(samples)) if head is None else head
    members = [("_journal/start.json", json.dumps({"version": 2, "eval": head["eval"]}).encode())]
    for each in samples:
        name = f"samples/{each['id']}_epoch_{each['epoch']}.json"
        members.append((name, json.dumps(each).encode()))
    if summaries:
        listed = [summary_of(each) for each in samples]
        members.append(("summaries.json", json.dumps(listed).encode()))
    members.append(("header.json", json.dumps(head).encode()))
    return members


def eval_log(path, samples, head=None, method=ZSTD, summaries=True):
    path.write_bytes(zip_of(members_of(samples, head, summaries), method))
    return path


def json_log(path, samples, head=None, indent=None):
    head = header(n=len(samples)) if head is None else head
    path.write_text(json.dumps(head | {"samples": samples, "reductions": []}, indent=indent))
    return path


def random_samples(seed, n=30, epochs=2, p=0.6):
    """Samples of several scorers: grades, numbers, dicts, lists; some errors, gaps and limits."""
    chance = random.Random(seed)
    made = []
    for k in range(n):
        level = chance.betavariate(2 * p, 2 * (1 - p))
        for epoch in range(1, epochs + 1):
            grade = chance.choices("CPIN", [level, 0.1, 1 - level, 0.05])[0]
            scores = {
                "match": grade,
                "f1x": chance.random(),
                "dicty": {"a": chance.randrange(3), "b": chance.random() < level},
                "listy": [chance.random(), 1],
                "words": chance.choice(["yes", "No", "TRUE", "0.5"]),
                "gappy": float("nan") if chance.random() < 0.2 else chance.random(),
            }
            if chance.random() < 0.1:
                scores.pop("f1x")
            error = {"message": "boom"} if chance.random() < 0.05 else None
            made.append(
                sample(
                    f"q-{k}" if k % 3 else k,
                    epoch,
                    {} if error else scores,
                    error,
                    {"type": "token", "limit": 2.0} if chance.random() < 0.1 else None,
                    doc=f"d{k // 4}",
                    deep={"x": [k % 5]},
                )
            )
    chance.shuffle(made)
    return made


def lm_rows(seed, n=20, filters=("strict", "flex"), p=0.6):
    """Rows of samples of lm-eval: all of one filter, then all of the next."""
    chance = random.Random(seed)
    return [
        {
            "doc_id": k,
            "doc": {"qid": k, "subject": f"s{k // 5}"},
            "target": "no",
            "resps": [["yes"]],
            "filtered_resps": ["yes"],
            "filter": name,
            "metrics": ["exact_match", "f1list"],
            "doc_hash": f"hash{k}",
            "prompt_hash": "p",
            "exact_match": float(chance.random() < p),
            "f1list": [float(chance.randrange(4)), float(chance.randrange(1, 5))],
        }
        for name in filters
        for k in range(n)
    ]


def lm_samples(folder, rows, task="gsm", date="2026-01-02T03-04-05.678", lower=None):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"samples_{task}_{date}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    if lower is not None:
        results = {"higher_is_better": {task: dict.fromkeys(lower, False)}}
        (folder / f"results_{date}.json").write_text(json.dumps(results))
    return path

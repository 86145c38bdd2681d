"""Logs of lm-eval and inspect-ai, drawn here, against `json` on their rows: equal, then timed."""

from __future__ import annotations

import json
import zipfile

import numpy as np
import pytest

import fastcausal as fc

from .test_start import PEAK, python

CORPUS = "drawn logs"
N = 20_000  # samples of a log
TEXT = "Rain fell for three weeks, so the river rose and the lower town was flooded. " * 6


def lm_eval(path, right):
    """Write samples of lm-eval, 1.6 kB each."""
    with path.open("w", encoding="utf-8") as file:
        for k, hit in enumerate(right.tolist()):
            doc = {"question": f"{k} {TEXT}", "subject": f"s{k % 57}", "answer": k % 4}
            row = {
                "doc_id": k, "doc": doc, "target": "A", "arguments": [[f"{k} {TEXT}", "A"]],
                "resps": [[TEXT[: k % 400]]], "filtered_resps": ["A"], "filter": "none",
                "metrics": ["acc"], "doc_hash": f"{k:064}", "prompt_hash": f"{k:064}",
                "target_hash": f"{k:064}", "acc": float(hit),
            }  # fmt: skip
            file.write(json.dumps(row) + "\n")


def inspect(path, right):
    """Write a log of inspect-ai: a member of a zip for each sample, of 2.5 kB."""
    head = {"model": "m", "task": "t", "task_version": 0, "dataset": {"samples": len(right)}}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as log:
        for k, hit in enumerate(right.tolist()):
            said = [{"role": role, "content": f"{k} {TEXT}"} for role in ("user", "assistant")]
            row = {
                "id": k, "epoch": 1, "input": f"{k} {TEXT}", "target": "A",
                "messages": said, "output": {"choices": [{"message": said[1]}]},
                "scores": {"match": {"value": "CI"[not hit], "answer": "A"}}, "metadata": {},
            }  # fmt: skip
            log.writestr(f"samples/{k}_epoch_1.json", json.dumps(row))
        header = {"version": 2, "status": "success", "eval": head, "plan": {}, "results": {}}
        log.writestr("header.json", json.dumps(header))


def lm_eval_mean(path):
    with path.open(encoding="utf-8") as lines:
        return np.mean([json.loads(line)["acc"] for line in lines])


def inspect_mean(path):
    with zipfile.ZipFile(path) as log:
        names = [name for name in log.namelist() if name.startswith("samples/")]
        grades = [json.loads(log.read(name))["scores"]["match"]["value"] for name in names]
    return np.mean([grade == "C" for grade in grades])


LOGS = {
    "lm-eval": (lm_eval, "samples_t_{}.jsonl", "json.loads of each row", lm_eval_mean),
    "inspect-ai": (inspect, "{}.eval", "zipfile and json.loads", inspect_mean),
}


def peak(path):
    """Measure the peak memory of a process that reads a log, in MB."""
    read = "import sys; import fastcausal as fc; fc.statistics(sys.argv[1])"
    return int(python(read + PEAK, str(path))) / 1e6


@pytest.mark.parametrize("kind", LOGS)
def test_logs(race, note, kind, tmp_path):
    write, name, other, mean = LOGS[kind]
    right = np.random.default_rng(0).random((2, N)) < [[0.6], [0.62]]
    paths = [tmp_path / name.format(f"2026-01-02T03-04-0{k}.678") for k in range(2)]
    for path, each in zip(paths, right, strict=True):
        write(path, each)

    def compared():
        return fc.compare(*paths)

    [score] = compared().scores
    assert compared()[score].a == pytest.approx(mean(paths[0]), abs=1e-12)
    assert compared()[score].b == pytest.approx(mean(paths[1]), abs=1e-12)
    megabytes = paths[0].stat().st_size / 1e6
    race(f"compare two of {kind}, {megabytes:.0f} MB each", 2 * N, compared, rounds=3, reading={
        f"{other}, both": lambda: [*map(mean, paths)],
    })  # fmt: skip
    all_ = peak(paths[0])
    write(paths[0], right[0, :100])
    note(
        f"{kind}: a process that reads {megabytes:.0f} MB peaks at {all_:.0f} MB, "
        f"one that reads 100 samples at {peak(paths[0]):.0f} MB"
    )

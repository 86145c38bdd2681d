"""``--per-example`` of three commands, ``aggregate`` and ``merge``."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest

import fastcausal as fc
from fastcausal import sample
from tests.support.cli import cli

GOLD, (CAREFUL, HASTY, *_) = sample.GOLD, sample.SYSTEMS.values()


def printed(*arguments):
    return json.loads(cli(*arguments, "--json")[0])


@pytest.mark.parametrize(
    ("suffix", "protocol", "unparsed"),
    [
        ("parquet", "recess", "empty"),
        pytest.param("parquet", "cnc-2023", "skip", marks=pytest.mark.slow),
        pytest.param("arrow", "recess", "skip", marks=pytest.mark.slow),
        ("arrow", "cnc-2023", "empty"),
    ],
)
def test_aggregate_is_score(tmp_path, suffix, protocol, unparsed):
    options = ("--protocol", protocol, "--unparsed", unparsed)
    path = tmp_path / f"counts.{suffix}"
    for systems in ([CAREFUL], [*sample.SYSTEMS.values()]):
        for by in ((), ("--by", "doc_id")):
            scored = printed("score", GOLD, *systems, *options, *by, "--per-example", path)
            assert printed("aggregate", path, *by) == scored
            text, _ = cli("score", GOLD, *systems, *options, *by)
            assert cli("aggregate", path, *by)[0] == text
    out, _ = cli("aggregate", path, "--format", "csv", "--counts")
    assert out == cli("score", GOLD, *systems, *options, "--format", "csv", "--counts")[0]


def test_systems_in_files_of_their_own(tmp_path):
    files = []
    for system in (CAREFUL, HASTY):
        files.append(tmp_path / f"{system.stem}.parquet")
        cli("score", GOLD, system, "--per-example", files[-1])
    assert printed("aggregate", *files) == printed("score", GOLD, CAREFUL, HASTY)
    cli("merge", files[0], "--out", tmp_path / "other.parquet", "--system", "other")
    systems = printed("aggregate", *files, tmp_path / "other.parquet")["systems"]
    assert list(systems) == ["careful", "hasty", "other"]
    assert systems["other"] == systems["careful"]


def shards(tmp_path, systems):
    gold = fc.read(GOLD)
    preds = {path.stem: fc.read(path, like=gold) for path in systems}
    for k, start in enumerate(range(0, 61, 13)):
        paths = [tmp_path / f"gold-{k}.parquet"]
        fc.write(fc.Relations(gold.table.slice(start, 13)), paths[0])
        for name, pred in preds.items():
            paths.append(tmp_path / str(k) / f"{name}.parquet")
            paths[-1].parent.mkdir(exist_ok=True)
            fc.write(fc.Relations(pred.table.slice(start, 13)), paths[-1])
        yield paths


def test_merge_shards(tmp_path):
    for systems in ([CAREFUL], [CAREFUL, HASTY]):
        parts = []
        for paths in shards(tmp_path, systems):
            parts.append(tmp_path / f"part-{len(parts)}.parquet")
            cli("score", *paths, "--per-example", parts[-1])
        out = tmp_path / "out.arrow"
        message, _ = cli("merge", *reversed(parts), "--out", out)
        assert message == f"{out}: 61 examples, 5 parts\n"
        assert printed("merge", *parts, "--out", out)["n_examples"] == 61
        assert printed("aggregate", out) == printed("score", GOLD, *systems)
        assert printed("aggregate", *parts) == printed("score", GOLD, *systems)


def test_classify_and_qa(tmp_path):
    gold, pred, path = (tmp_path / name for name in ("gold.csv", "pred.jsonl", "counts.parquet"))
    gold.write_text("id,label,genre\na,1,x\nb,0,y\nc,1,x\n")
    labels = {"a": 1, "b": 1, "c": None}
    pred.write_text("".join(json.dumps({"id": k, "label": v}) + "\n" for k, v in labels.items()))
    scored = printed("classify", gold, pred, "--unparsed", "skip", "--per-example", path)
    assert printed("aggregate", path) == scored
    table = pq.read_table(path)
    assert table.column_names == ["id", "genre", "gold", "pred"]
    assert table["pred"].to_pylist() == [1, 1, None]
    assert list(printed("aggregate", path, "--by", "genre")["subsets"]) == ["genre=x", "genre=y"]
    assert "genre=y" in cli("aggregate", path, "--by", "genre")[0]

    cli("merge", path, "--out", tmp_path / "two.parquet", "--system", "two")
    assert list(printed("aggregate", path, tmp_path / "two.parquet")["systems"]) == ["pred", "two"]
    out, _ = cli("aggregate", path, tmp_path / "two.parquet")
    assert [line.split()[0] for line in out.splitlines()[-4:-2]] == ["pred", "two"]

    questions = [{"id": "q", "question": "Why?", "answers": {"text": ["heavy rain"]}}]
    gold.write_text(json.dumps(questions))
    pred.write_text('{"q": "rain"}')
    assert printed("qa", gold, pred, "--per-example", path) == printed("aggregate", path)
    assert "why" in cli("aggregate", path)[0]


def test_refusals(tmp_path):
    path, other, table = (tmp_path / n for n in ("a.parquet", "b.parquet", "c.csv"))
    cli("score", GOLD, CAREFUL, "--per-example", path)
    cli("score", GOLD, CAREFUL, "--per-example", table)
    cli("score", GOLD, HASTY, "--protocol", "cnc-2023", "--per-example", other)
    part = tmp_path / "part.parquet"
    fc.Statistics.read(path).take(np.arange(5)).write(part)
    gold = tmp_path / "gold.parquet"
    replace(fc.Statistics.read(path), system="of other gold", gold=1).write(gold)
    for arguments, message in (
        (("aggregate", table), 'no column "value"'),
        (("aggregate", GOLD), 'no column "value"'),
        (("aggregate", path, path), "is given twice"),
        (("aggregate", path, other), "careful has the signature recess|"),
        (("aggregate", path, gold), "careful and of other gold were scored against different gold"),
        (("aggregate", path, "--by", "genre"), 'gold has no column "genre"'),
        (("merge", path, "--out", path), "is read, expected another file to write to"),
        (("merge", path, "--out", tmp_path / "x.csv"), "a CSV file has no metadata"),
        (("merge", path, "--out", tmp_path / "x.jsonl"), "a JSON lines file has no metadata"),
        (("merge", path, other, "--out", tmp_path / "x.parquet"), "expected one signature"),
        (
            ("merge", path, part, "--out", tmp_path / "x.parquet"),
            'part.parquet"): id "sample_harbour_1" occurs twice',
        ),
        (("aggregate", path, "--counts", "--json"), "--counts is for tables"),
    ):
        out, err = cli(*arguments, expect=2)
        assert message in out + err
    assert not list(tmp_path.glob("x.*"))


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_metadata_tell_counts_whatever_the_columns(suffix, tmp_path):
    """FinCausal's counts have a column of numbers with the name that relations have elsewhere."""
    counts = []
    for name in ("careful", "hasty"):
        counts.append(tmp_path / f"{name}.{suffix}")
        cli("score", sample.SECTIONS, sample.SECTIONED[name], "--protocol",
            "fincausal-2020", "--per-example", counts[-1])  # fmt: skip
    assert "official" in cli("aggregate", counts[0])[0]
    for line in (
        ["compare", *counts],
        ["leaderboard", *counts],
        ["gate", "--baseline", counts[0], "--candidate", counts[1], "--min-delta", "0"],
    ):
        out, _ = cli(*line, "--n-resamples", "20", expect=None)
        assert "official_f1" in out
    relations = tmp_path / f"relations.{suffix}"  # with metadata of their own
    cli("convert", sample.GOLD, relations)
    assert "expected counts" in cli("aggregate", relations, expect=2)[1]

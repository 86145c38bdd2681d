"""Files of answers with verdicts: every shape, several raters, faults, and the command."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from fastcausal.files.files import Source
from fastcausal.tasks.answers import formula
from fastcausal.tasks.answers.join import read_extractions
from tests.support.cli import cli

GOLD = "[Cause] rain [Relation] cause [Effect] floods"
PRED = "[Cause] the rain [Relation] enable [Effect] floods | mud"
TEXTS = {"a": {"input": "Rain, floods.", "gold": GOLD, "output": PRED}}
VERDICTS = [True, False, None]


def shapes():
    """The same three items with the same verdicts, in every shape."""
    ids = [str(k) for k in range(3)]
    listed = {"input": "Rain.", "gold": GOLD, "output": PRED}
    judged = {"passage": "Rain.", "annotation": GOLD, "output": PRED}
    data = {"text": "Rain.", "reference": GOLD, "model": PRED}
    words = {True: "valid", False: "invalid", None: None}
    return {
        "list": [{"id": i, **listed, "valid": v} for i, v in zip(ids, VERDICTS, strict=True)],
        "judged": [
            {"id": i, **judged, "gold": v and int(v)} | ({"gold": 0} if v is False else {})
            for i, v in zip(ids, VERDICTS, strict=True)
        ],
        "items": {"username": "ann", "items": [
            {"id": i, "data": data, "answer": words[v]} for i, v in zip(ids, VERDICTS, strict=True)
        ]},
        "answers": [
            {"id": i, **listed, "answers": [{"name": "ann", "answer": words[v]}]}
            for i, v in zip(ids, VERDICTS, strict=True)
        ],
        "valid": [
            {"id": i, "data": data, "valid": [{"name": "ann", "valid": v}]}
            for i, v in zip(ids, VERDICTS, strict=True)
        ],
    }  # fmt: skip


def as_csv(rows):
    file = io.StringIO()
    writer = csv.DictWriter(file, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


@pytest.mark.parametrize("shape", shapes())
def test_every_shape_says_the_same(shape, tmp_path):
    content = shapes()[shape]
    path = tmp_path / "ann.json"
    path.write_text(json.dumps(content, indent=1))
    sources = [content, path]
    if isinstance(content, list):
        sources += [pa.Table.from_pylist(content), pl.DataFrame(content)]
        lines = tmp_path / "lines" / "ann.jsonl"
        lines.parent.mkdir()
        lines.write_text("".join(json.dumps(row) + "\n" for row in content))
        pq.write_table(pa.Table.from_pylist(content), tmp_path / "ann.parquet")
        sources += [lines, tmp_path / "ann.parquet"]
    if shape in ("list", "judged"):
        (tmp_path / "ann.csv").write_text(as_csv(content))
        sources.append(tmp_path / "ann.csv")
    for source in sources:
        items = read_extractions(source)
        assert items.verdicts.tolist() == [[1], [0], [-1]]
        assert items.texts["source"].to_pylist() == ["Rain."] * 3
        assert items.texts["reference"].to_pylist() == [GOLD] * 3
        assert items.texts["answer"].to_pylist() == [PRED] * 3
        assert items.raters == (("answers",) if hasattr(source, "columns") or
                                (source is content and shape in ("list", "judged"))
                                else ("ann",)) or shape in ("answers", "valid")  # fmt: skip


def test_raters_are_joined_by_id():
    ann, ben = (json.loads(path.read_text()) for path in sample.RATERS.values())
    report = fc.answers([*sample.RATERS.values()])
    verdicts = {"n_raters": 2, "n_judged": 15, "n_missing": 1, "valid": 5 / 8}
    assert dict(report.verdicts) == verdicts
    assert report.judgments.column_names == ["item", "rater", "label", "reason"]
    assert report.judgments.num_rows == 15
    ben["items"].reverse()
    for order in ([ann, ben], [ben, ann]):
        again = fc.answers(order)
        assert again.to_dict() == report.to_dict()
        assert again.judgments.equals(report.judgments)
        assert again.per_item.equals(report.per_item)
        assert again.statistics.table().equals(report.statistics.table())


def test_samples_and_scores_of_a_judge():
    """The majority of samples, a tie is invalid; 4 and 5 of 5 are valid."""
    samples = [["yes", "no", "yes"], ["yes", "no"], [None, "Supported"], []]
    rows = [{"gold": GOLD, "output": PRED, "answers": given} for given in samples]
    assert read_extractions(rows).verdicts.tolist() == [[1], [0], [1], [-1]]
    scores = [{"gold": GOLD, "output": PRED, "valid": score} for score in (1, 3, 4, 5)]
    assert read_extractions(scores).verdicts.tolist() == [[0], [0], [1], [1]]
    gaps = [{"gold": GOLD, "output": PRED, "valid": text} for text in ("1.0", "", "0.0")]
    assert read_extractions(gaps).verdicts.tolist() == [[1], [-1], [0]]
    twice = [{"username": "x", "items": [{"id": 1, **TEXTS["a"], "answer": v}]} for v in (1, "no")]
    report = fc.answers(twice)
    assert report.verdicts["valid"] == 0.0
    assert report.warnings == ('rater "x" is in 2 files: the majority of the verdicts counts',)


def test_order_and_other_columns():
    rows = [
        {"id": k, **TEXTS["a"], "tag": f"t{k % 2}", "pred": k / 4, "f1": 3, "system": "s"}
        for k in (10, 9, 2)
    ]
    report = fc.answers(rows, by="tag")
    items = report.per_item
    assert items["item"].to_pylist() == ["2", "9", "10"]
    assert items.column_names == [
        "system", "item", "f1", "cause_f1", "effect_f1", "exact_match", "contained", "triage",
        "missing", "tag", "pred",
    ]  # fmt: skip
    assert items["pred"].to_pylist() == [0.5, 2.25, 2.5]
    assert items["f1"].to_pylist() == [(1 + 2 / 3) / 2] * 3
    assert items["missing"].to_pylist() == ["mud"] * 3
    assert list(report.by) == ["t0", "t1"]
    assert report.by["t1"]["joint"].n == 1
    shuffled = fc.answers(rows[::-1], by="tag")
    assert shuffled.to_dict() == report.to_dict()
    assert shuffled.per_item.equals(items)


def test_systems_of_one_file():
    """Units have one column of ids; with one system alone it holds the items' own ids."""
    rows = [{"id": k, **TEXTS["a"], "system": s, "valid": s == "t"} for k in (2, 1) for s in "ts"]
    report = fc.answers(rows, by="system")
    assert list(report.by) == ["s", "t"]
    assert report.by["s"]["joint"].n == 2
    assert report.judgments.select(["system", "item", "label"]).to_pylist() == [
        {"system": s, "item": i, "label": int(s == "t")} for s in "st" for i in "12"
    ]
    assert report.statistics.units.column_names == ["id"]
    assert fc.answers(rows[::2]).statistics.units["id"].to_pylist() == ["1", "2"]


def test_statistics_go_everywhere(tmp_path):
    """Intervals, comparisons, leaderboards, merging and files, of the words of answers."""
    rows = [
        {"id": k, "input": "x", "gold": GOLD, "output": GOLD if k % 3 else PRED, "valid": k % 2}
        for k in range(30)
    ]
    worse = [row | {"output": PRED, "valid": 0} for row in rows]
    paths = []
    for name, answers in (("good", rows), ("bad", worse)):
        source, path = tmp_path / f"{name}.json", tmp_path / f"{name}.parquet"
        source.write_text(json.dumps(answers))
        cli("answers", source, "--per-example", path)
        paths.append(path)
    report = fc.answers(tmp_path / "good.json")
    read = fc.Statistics.read(paths[0])
    assert read.report().to_dict() == report.to_dict()
    halves = [fc.answers(part) for part in (rows[:11], rows[11:])]
    assert halves[0].statistics.merge(halves[1].statistics).report().to_dict() == report.to_dict()
    interval = report.statistics.interval("effect_f1", n_resamples=200)
    assert interval.low < report["effect"].f1 < interval.high
    bounded = report.with_intervals(n_resamples=100).to_dict()
    assert bounded["intervals"]["scores"]["verdicts"]["valid"][0] < 0.5
    scores = ["effect_precision", "joint_exact_match", "verdicts_valid", "relation_accuracy"]
    compared = fc.compare(*paths, score=scores, n_resamples=100)
    assert {"effect_precision", "verdicts_valid"} <= set(json.dumps(compared.to_dict()).split('"'))
    out, _ = cli("leaderboard", *paths, "--score", "overall_f1", "--n-resamples", "100", "--json")
    assert "good" in out
    drawn = report.statistics.scores(np.eye(30, dtype=np.int64)[:2])
    assert drawn["joint_f1"].tolist() == [(1 + 2 / 3) / 2, 1.0]


def item(**values):
    return {"id": 1, "input": "x", "gold": GOLD, "output": PRED} | values


def tool(*items, **values):
    return {"username": "ann", "items": [*items]} | values


DATA = {"text": "x", "reference": GOLD, "model": PRED}
FAULTS = {
    "unknown word": ([item(valid="maybe")], 'row 0: verdict "maybe", expected one of valid, yes'),
    "unknown word of a tool": (tool({"id": 1, "data": DATA, "answer": "ok"}), 'verdict "ok"'),
    "unknown word in a list": ([item(answers=[{"name": "x", "answer": "?"}])], 'verdict "?"'),
    "score beyond 5": ([item(valid=4), item(id=2, valid=6)], "score 6, expected 1 to 5"),
    "reference not read": ([item(gold="floods")], 'the reference cannot be read'),
    "no answer": ([item(), {"id": 2, "gold": GOLD}], 'row 1: "output" is missing, expected text'),
    "no column of answers": ([{"gold": GOLD}], 'no column "output" or "model": found gold'),
    "answer is a number": ([item(output=3)], '"output" is a number, expected text'),
    "one answer is a list": ([item(), item(id=2, output=["x"])], '"output" is a list, expected'),
    "answer is null": ([item(output=None)], '"output" is missing, expected text'),
    "id twice": ([item(), item()], 'row 1: id "1" occurs twice, first in'),
    "no id": ([item(), item(id=None)], 'row 1: no "id", expected one in every row'),
    "gold is text and verdict": ([item(), item(id=2, gold=1)], '"gold" is a number, expected text'),
    "gold is verdict and text": (
        [item(gold=1, annotation=GOLD), item(id=2, annotation=GOLD)], 'verdict "[Cause]',
    ),
    "two verdicts": ([item(valid=1, answer="no")], "verdicts in valid and in answer"),
    "empty list": ([], "has no rows"),
    "no items": (tool(), "has no items"),
    "items are text": ({"items": "x"}, '"items" is a string, expected a list'),
    "data is a list": (tool({"id": 1, "data": []}), '"data" is a list, expected an object'),
    "user is a number": (tool({"id": 1, "data": DATA}, username=3), '"username" is a number'),
    "rows are texts": (["x"], "row 0 is a string, expected an object"),
    "verdict without a word": ([item(answers=[{"name": "x"}])], 'a verdict has no "answer"'),
    "rater is a number": ([item(answers=[{"name": 3, "answer": 1}])], '"name" is a number'),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_end_in_one_message(fault, tmp_path):
    content, message = FAULTS[fault]
    path, target = tmp_path / "file.json", tmp_path / "items.csv"
    path.write_text(json.dumps(content))
    out, err = cli("answers", path, "--per-item", target, "--json", expect=2)
    assert message in json.loads(out)["error"]
    assert "file.json" in out
    assert not err
    assert not target.exists()
    _, err = cli("answers", path, expect=2)
    assert err.count("error: ") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [("{", "file.json:1: invalid JSON"), ("[1", "invalid JSON"), ("no", "invalid JSON"),
     ('{"items": 1,\n "items": 2}', 'has the key "items" 2 times'), (" ", "is empty"),
     ('{"items": [\n{"id": 1\n', "file.json:3: invalid JSON")],
)  # fmt: skip
def test_no_json(text, message, tmp_path):
    (tmp_path / "file.json").write_text(text)
    _, err = cli("answers", tmp_path / "file.json", expect=2)
    assert message in err


def test_files_that_do_not_fit(tmp_path):
    ann = tool({"id": 1, "data": DATA, "answer": "valid"})
    other = tool({"id": 1, "data": DATA | {"model": GOLD}, "answer": "valid"}, username="ben")
    with pytest.raises(fc.InputError, match='id "1": other files have another answer'):
        fc.answers([ann, other])
    with pytest.raises(fc.InputError, match=r'"gold" is text in .* and the verdict in'):
        fc.answers([[item()], [item(gold=1, annotation=GOLD)]])
    with pytest.raises(fc.InputError, match='no column "id", but there is one in'):
        fc.answers([ann, [{"gold": GOLD, "output": PRED}]])
    path = tmp_path / "x.json"
    path.write_text(json.dumps([item()]))
    _, err = cli("answers", path, path, expect=2)
    assert "x.json is given twice" in err
    _, err = cli("answers", path, "--by", "tag", expect=2)
    assert 'no column "tag"' in err
    _, err = cli("answers", path, "--per-item", path, expect=2)
    assert "is read, expected another file" in err
    for option, value in (("--protocol", "squad"), ("--unparsed", "drop")):
        assert "Invalid value" in cli("answers", path, option, value, expect=2)[1]
    with pytest.raises(ValueError, match='protocol is "squad", expected one of guide, fcr'):
        fc.answers(path, "squad")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 6) | st.sampled_from([GOLD, "valid", "1", "\ud800"])
    | st.floats(), lambda v: st.lists(v, max_size=3), max_leaves=4,
)  # fmt: skip
keys = st.sampled_from(
    ["id", "input", "gold", "output", "annotation", "valid", "answers", "answer", "text",
     "reference", "model", "data", "tag", "system", "name", "username"]
)  # fmt: skip
objects = st.dictionaries(keys, json_values | st.dictionaries(keys, json_values, max_size=3))
documents = st.lists(objects, max_size=3) | st.lists(objects, max_size=3).map(
    lambda items: {"items": items}
)


@given(documents)
def test_any_json_is_read_or_refused(document):
    """Any JSON is scored or refused with InputError, never with another error."""
    try:
        report = fc.answers(Source("x.json", json.dumps(document).encode()), unparsed="empty")
    except fc.InputError:
        return
    assert report.n_items == report.per_item.num_rows
    assert json.loads(report.to_json())["n_items"] == report.n_items


@given(st.binary(max_size=200).filter(lambda data: data and not data.isspace()))
def test_any_bytes_are_read_or_refused(data):
    for name in ("x.json", "x.csv"):
        with pytest.raises(fc.InputError):
            fc.answers(Source(name, data))


def test_tables_are_written_whole(tmp_path):
    names = ("items.csv", "labels.csv")
    paths = [tmp_path / name for name in names]
    out, _ = cli("answers", *sample.RATERS.values(), "--per-item", paths[0], "--judgments",
                 paths[1], "--json")  # fmt: skip
    report = fc.answers([*sample.RATERS.values()])
    assert json.loads(out) == report.to_dict()
    rows = list(csv.DictReader(paths[0].read_text().splitlines()))
    assert [row["item"] for row in rows] == [f"s{k}" for k in range(1, 9)]
    assert float(rows[0]["f1"]) == report.per_item["f1"][0].as_py()
    labels = list(csv.DictReader(paths[1].read_text().splitlines()))
    assert labels[0] == {"item": "s1", "rater": "ann", "label": "1", "reason": ""}


def test_texts_by_their_libraries():
    if pytest.importorskip("rouge_score") and pytest.importorskip("sacrebleu"):
        rows = [item(), item(id=2, output=GOLD)]
        report = fc.answers(rows, text_metrics=True)
        assert report["text"].n == 2
        assert report.signature.endswith("|text:rouge-l,bleu")
        assert report.per_item["bleu"].to_pylist()[1] == pytest.approx(1.0)
        assert report.per_item["rouge_l"].to_pylist() == [pytest.approx(10 / 14), 1.0]


def test_texts_without_their_libraries(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "rouge_score.rouge_scorer", None)
    with pytest.raises(fc.InputError, match="text metrics need rouge-score and sacrebleu"):
        fc.answers([item()], text_metrics=True)


def test_sums_do_not_depend_on_blocks(monkeypatch):
    whole = fc.answers([*sample.RATERS.values()]).to_dict()
    monkeypatch.setattr(formula, "BLOCK", 3)
    assert fc.answers([*sample.RATERS.values()]).to_dict() == whole

"""Unparsed predictions: their number, the bounds of the scores, and the reasons."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.report.report import plain
from tests.support.profiles import trials
from tests.support.strategies import sides
from tests.support.tables import table_of

PROTOCOLS = ["recess", "cnc-2023", "cnc-2022", fc.Protocol("exact_spans", "exact_spans")]
POLICIES = ("empty", "skip")
TEXT = "Heavy rain causes floods"


def with_unread(pred, lost):
    """Return predictions with some relations null, and some whole answers null."""
    rows = pred.to_examples()
    for row, (whole, places) in zip(rows, lost, strict=True):
        relations = [None if k in places else r for k, r in enumerate(row["relations"])]
        row["relations"] = [None] if whole else relations
        if whole:
            row["unparsed"] = [{"relation": None, "reason": "a refusal", "text": "No"}]
    return fc.Relations.from_examples(rows)


@st.composite
def cases(draw):
    gold, pred = draw(sides(most_examples=6))
    lost = [(draw(st.integers(0, 3)) == 0, draw(st.sets(st.integers(0, 7)))) for _ in gold]
    names = {"id": [f"e{k}" for k in range(len(gold))], "text": ["a b c d e f g h"] * len(gold)}
    gold, pred = (table_of(side, **names) for side in (gold, pred))
    return gold, with_unread(pred, lost)


def overall(report):
    return {n: v for n, v in report["overall"].items() if isinstance(v, float)}


def same(found, expected):
    assert json.dumps(plain(found)) == json.dumps(plain(expected))


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=str)
@given(both=cases(), cut=st.integers(0, 6))
@trials(60)
def test_bounds_are_those_of_scoring_twice(protocol, both, cut):
    gold, pred = both
    empty, skipped = (fc.score(gold, pred, protocol, unparsed=policy) for policy in POLICIES)
    assert (empty.bounds is None) == (empty.n_unparsed == 0)
    expected = {"if_empty": overall(empty), "if_skipped": overall(skipped)}
    for report in (empty, skipped):
        assert report.n_unparsed == report.n_unparsed_answers + report.n_unparsed_relations
        assert report.n_unparsed == report.unparsed.num_rows
        assert report.n_unparsed_answers == report.unparsed["relation"].null_count
        if empty.n_unparsed:
            same(report.bounds, expected)
            assert {"unparsed_answers_rate", "n_unparsed_relations"} <= report.to_flat().keys()
            assert "unparsed: overall if empty" in str(report)
    same(empty.unparsed, skipped.unparsed)
    for name in ("unparsed_answers_rate", "unparsed_relations_rate"):
        same(getattr(empty, name), getattr(skipped, name))
    if protocol == "cnc-2022":
        return
    for policy, whole in zip(POLICIES, (empty, skipped), strict=True):
        parts = (
            fc.ExtractionScorer(protocol, unparsed=policy),
            fc.ExtractionScorer(protocol, unparsed=policy),
        )
        for scorer, rows in zip(parts, ((0, cut), (cut, len(gold) - cut)), strict=True):
            if rows[1] > 0 and rows[0] < len(gold):
                batch = [fc.Relations(side.table.slice(*rows)) for side in both]
                scorer.update(gold=batch[0], pred=batch[1])
        parts[0].merge(parts[1])
        # Hints need the examples, which a scorer does not keep.
        same(parts[0].compute().to_dict() | {"hints": []}, whole.to_dict() | {"hints": []})
        same(parts[0].compute().unparsed, whole.unparsed)


def answers(folder):
    """Answers of span texts: a null one, an invented span, and two that can be read."""
    relations = [None, [{"cause": "snow"}], [{"cause": "Heavy rain"}], []]
    rows = [{"id": f"n{k}", "text": TEXT, "relations": r} for k, r in enumerate(relations)]
    gold = [row | {"relations": [{"cause": "Heavy rain", "effect": "floods"}]} for row in rows]
    for name, lines in (("gold", gold), ("pred", rows)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return folder / "gold.jsonl", folder / "pred.jsonl"


def test_in_every_result(tmp_path):
    gold, pred = answers(tmp_path)
    report = fc.score(gold, pred, unparsed="empty")
    facts = report.to_dict()
    assert [facts[n] for n in ("n_unparsed", "n_unparsed_answers", "n_unparsed_relations")] == [
        2,
        1,
        1,
    ]
    assert (facts["unparsed_answers_rate"], facts["unparsed_relations_rate"]) == (0.25, 0.5)
    assert report.unparsed.to_pylist() == [
        {"id": "n0", "relation": None, "reason": "it is null", "text": None},
        {"id": "n1", "relation": 1, "reason": '"snow" is not in the text', "text": "snow"},
    ]
    flat = report.to_flat("val/")
    assert flat["val/overall_f1_if_empty"] == report["overall"].f1
    assert flat["val/overall_recall_if_skipped"] == 0.25
    assert report.warnings[0].endswith("(66.7%), 1 of them for whole answers")


def test_where_all_could_be_read():
    gold = fc.Relations.from_examples([{"length": 4, "relations": [{"cause": (0, 2)}]}])
    report = fc.score(gold, gold)
    assert (report.bounds, report.n_unparsed_answers, report.unparsed.num_rows) == (None, 0, 0)
    assert report.unparsed_relations_rate == 0.0
    assert math.isnan(fc.ExtractionScorer().compute().unparsed_answers_rate)


def test_examples_left_out_that_could_not_be_scored():
    """Examples of another length than gold can be left out, but have no score as empty ones."""
    gold = fc.Relations.from_examples([{"length": 4, "relations": [{"cause": (0, 2)}]}])
    pred = fc.Relations.from_examples([{"length": 5, "relations": [None]}])
    report = fc.score(gold, pred, unparsed="skip")
    assert report.bounds["if_empty"] is None
    assert "if empty unknown" in str(report)


def test_reasons_of_a_stream_name_examples_by_their_place():
    gold = fc.Relations.from_examples([{"length": 4, "relations": []}] * 2)
    pred = fc.Relations.from_examples(
        [{"length": 4, "relations": []}, {"length": 4, "relations": [None]}]
    )
    for policy in POLICIES:
        scorer = fc.ExtractionScorer(unparsed=policy)
        for _ in range(2):
            scorer.update(gold=gold, pred=pred)
        assert scorer.compute().unparsed["id"].to_pylist() == ["1", "3"]


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_in_files_of_counts(tmp_path, suffix):
    gold, pred = answers(tmp_path)
    for policy in POLICIES:
        path = tmp_path / f"{policy}{suffix}"
        whole = fc.score(gold, pred, unparsed=policy, per_example=path)
        read = fc.Statistics.read(path).report()
        assert read.to_dict() == whole.to_dict()
        with pytest.raises(fc.InputError, match="has no unparsed"):
            read.unparsed  # noqa: B018
    old = fc.Statistics.read(path)
    assert "n_unparsed_answers" in old.units.column_names


def test_no_order_of_answers_changes_the_report():
    gold = [{"id": i, "text": "Rain brings floods", "relations": []} for i in "abc"]
    answers = ['```json\n{"relations": []}\n```', 'Sure: {"relations": []}.', "None at all."]
    rows = [{"id": i, "output": answer} for i, answer in zip("abc", answers, strict=True)]
    reports = [
        fc.score(fc.read(gold, "spans"), listed, answers="output", unparsed="empty").to_dict()
        for listed in (rows, rows[::-1])
    ]
    assert reports[0] == reports[1]

"""Types of relations in what people look at: matches, confusion, errors, pages, disagreements."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.tasks.extraction.confusion import WITHOUT_TYPE
from fastcausal.tasks.extraction.page import columns_of
from tests.support.cli import cli
from tests.support.markup import Reader, data_of
from tests.support.profiles import trials
from tests.tasks.extraction.test_types import GOLD, PRED, TEXT, sides, tables


def pairs_in(report):
    """Return the types of paired relations, from the table of matches."""
    rows = report.matches.to_pylist()
    paired = [row for row in rows if None not in (row["gold_relation"], row["pred_relation"])]
    return Counter((row["gold_type"], row["pred_type"]) for row in paired)


@trials(60)
@given(drawn=sides, types=st.sampled_from(["ignore", "require"]))
def test_the_confusion_is_that_of_matches_whatever_their_types(drawn, types):
    gold, pred = tables(drawn)
    report = fc.score(gold, pred, types=types)
    if gold.types is None and pred.types is None:
        assert "types" not in report.facts
        assert "gold_type" not in report.matches.column_names
        return
    pairs = pairs_in(fc.score(gold, pred))
    found = report.facts.get("types")
    if not all(any(pair[side] for pair in pairs) for side in (0, 1)):
        assert found is None
        return
    assert found["labels"] == sorted(
        {name for pair in pairs if any(pair) for name in pair}, key=lambda name: name or "~"
    )
    for gold_type, row in zip(found["labels"], found["confusion"], strict=True):
        for pred_type, n in zip(found["labels"], row, strict=True):
            none = gold_type is pred_type is None
            assert n == (None if none else pairs[gold_type, pred_type])
    assert json.loads(report.to_json())["types"] == found
    if types == "require":
        assert all(a == b for a, b in pairs_in(report))


@trials(60)
@given(drawn=sides, types=st.sampled_from(["ignore", "require"]))
def test_pages_and_errors_hold_the_types(drawn, types):
    gold, pred = tables(drawn)
    report = fc.score(gold, pred, types=types)
    columns = columns_of({"one": report}, 99)
    names = columns.get("types_of_relations", [])
    assert names == sorted({r["type"] for a, b in drawn for r in (*a, *b) if "type" in r})
    [system] = columns["systems"]
    for side, shown in enumerate((columns["gold"], system["pred"])):
        given_types = [r.get("type") for each in drawn for r in each[side]]
        codes = shown.get("types", [-1] * len(given_types))
        assert [names[k] if k >= 0 else None for k in codes] == given_types
    cells = columns["cells"]
    counted = Counter()
    for place in system["examples"]:
        row = columns["count_rows"][place][len(columns["columns"]) :]
        counted.update({name: n for name, n in zip(cells, row, strict=True) if "type " in name})
    if names:
        expected = Counter()
        for (a, b), n in pairs_in(fc.score(gold, pred)).items():
            expected[f"type {a or WITHOUT_TYPE}>{b or WITHOUT_TYPE}"] = n
        assert +counted == expected
    for wrong in report.errors(top=None).to_dict()["examples"]:
        for side, relations in enumerate((wrong["gold"], wrong["pred"])):
            marked = drawn[int(wrong["id"])][side]
            assert [r.get("type") for r in relations] == [r.get("type") for r in marked]
            assert all(("type" in r) == bool(names) for r in relations)


def test_many_types_have_no_confusion(tmp_path):
    gold = [
        {"text": TEXT, "relations": [{"cause": [(0, 1)], "type": f"type {k}"}]} for k in range(201)
    ]
    report = fc.score(gold, gold)
    assert len(report.types["labels"]) == 201
    assert report.types["confusion"] is None
    assert str(report)
    report.to_html(tmp_path / "page.html")
    assert "Confusion of types" not in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_matches_in_parts(monkeypatch):
    whole = fc.score(GOLD[::-1], PRED[::-1]).matches
    monkeypatch.setattr("fastcausal.tasks.extraction.tables.PART", 1)
    assert fc.score(GOLD[::-1], PRED[::-1]).matches.equals(whole)
    assert whole["pred_type"].to_pylist() == [None, "Prevents", "Prevents"]


def test_types_on_the_command_line(tmp_path):
    for name, side in (("gold", GOLD), ("pred", PRED), ("other", PRED)):
        fc.write(fc.Relations.from_examples(side), tmp_path / f"{name}.jsonl")
    gold, pred, other = (tmp_path / f"{name}.jsonl" for name in ("gold", "pred", "other"))
    printed, _ = cli("score", gold, pred)
    table = printed.partition("types of paired relations: rows gold, columns predicted\n")[2]
    assert [line.split() for line in table.splitlines()[1:5:1] if line[:1].isalpha()] == [
        ["gold", "Enables", "Prevents"], ["Enables", "0", "1"], ["Prevents", "0", "1"],
    ]  # fmt: skip
    shown, _ = cli("errors", gold, pred, "--types", "require", "--top", 1)
    assert "gold 1 (Enables)" in shown
    assert "pred 1 (Prevents)" in shown
    for preds in ([pred], [pred, other]):
        cli("report", gold, *preds, "--out", tmp_path / "page.html", "--method", "jackknife")
        page = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert "Confusion of types" in page
        rows = [row for row in Reader(page).rows if row[0] == "Enables"]
        assert rows == [["Enables", "0", "1"]] * len(preds)
        assert "cell=type%20Enables%3EPrevents" in page


@pytest.mark.parametrize("types", ["ignore", "require"])
def test_disagreements_have_types(types):
    found = fc.agree({"ann": GOLD, "ben": PRED}, types=types)
    rows = found.disagreements.to_pylist()
    shown = [(row["kind"], row["a_type"], row["b_type"]) for row in rows]
    columns = data_of(found.disagreements_page())
    assert columns["types_of_relations"] == ["Enables", "Prevents"]
    if types == "ignore":
        assert shown == [("type", "Enables", "Prevents")]
        assert columns["words"]["type"] == "other type"
        assert columns["gold"]["types"] == [0, 1]
        assert columns["systems"][0]["pred"]["types"] == [1, 1]
        kinds = dict(zip(columns["columns"], columns["count_rows"][0], strict=True))
        assert {name for name, n in kinds.items() if n and name.endswith("_type")} == {
            "cause_type", "effect_type",
        }  # fmt: skip
    else:
        assert sorted(shown) == [("only ann", "Enables", None), ("only ben", None, "Prevents")]
    untyped = [e | {"relations": [{**r, "type": None} for r in e["relations"]]} for e in PRED]
    half = fc.agree({"ann": GOLD, "ben": untyped})
    assert half.disagreements.num_rows == 0

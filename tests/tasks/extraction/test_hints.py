"""Hints: one mend of the predictions that would raise a low F1."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from tests.support.cli import cli
from tests.support.profiles import trials

EXCHANGED = "with cause and effect of the predictions exchanged it would be"
TEXT = "Heavy rain fell , so roads closed ."


def example(k, cause=(0, 3), effect=(5, 7), **more):
    return {"id": f"x{k}", "text": TEXT, "relations": [{"cause": cause, "effect": effect}], **more}


def test_an_exchange_of_roles_is_named_with_its_f1(tmp_path):
    gold = [example(k) for k in range(10)]
    pred = [example(k, (5, 7), (0, 3)) for k in range(9)] + [example(9)]
    report = fc.score(gold, pred)
    assert report["overall"].f1 == 2 / 11
    assert report.hints == (f"overall F1 is 0.1818; {EXCHANGED} 0.9474",)
    assert report.to_dict()["hints"] == [*report.hints]
    paths = []
    for name, rows in (("gold", gold), ("pred", pred)):
        paths.append(tmp_path / f"{name}.jsonl")
        fc.write(fc.Relations.from_examples(rows), paths[-1])
    assert cli("score", *paths)[1] == f"hint: {report.hints[0]}\n"
    out, err = cli("score", *paths, "--json")
    assert (json.loads(out)["hints"], err) == ([*report.hints], "")
    _, err = cli("score", *paths, paths[0])
    assert f"hint: pred: {report.hints[0]}\n" in err


@given(n=st.integers(1, 12), wrong=st.integers(0, 12))
@trials(20)
def test_the_f1_of_an_exchange_is_that_of_exchanged_predictions(n, wrong):
    """A hint comes exactly if the exchange gains more than 0.2."""
    gold = [example(k) for k in range(n)]
    pred = [example(k, (5, 7), (0, 3)) if k < wrong else example(k) for k in range(n)]
    other = [example(k) if k < wrong else example(k, (5, 7), (0, 3)) for k in range(n)]
    report, exchanged = fc.score(gold, pred), fc.score(gold, other)
    before, after = report["overall"].f1, exchanged["overall"].f1
    lines = (f"overall F1 is {before:.4f}; {EXCHANGED} {after:.4f}",)
    assert report.hints == (lines if after > before + 0.2 else ())


@pytest.mark.parametrize(
    ("roles", "named"),
    [(("signal", "effect", "cause"), "cause and effect"), (("by", "to", "if"), "by and to")],
)
def test_an_exchange_of_other_roles(roles, named):
    """The first two stand for cause and effect where these are not."""
    a, b = named.split(" and ")
    third = next(role for role in roles if role not in (a, b))
    gold, pred = (
        fc.Relations.from_examples(
            [{"text": TEXT, "relations": [{first: (0, 3), second: (5, 7), third: (4, 5)}]}], roles
        )
        for first, second in ((a, b), (b, a))
    )
    report = fc.score(gold, pred)
    said = f"with {named} of the predictions exchanged it would be 1.0000"
    assert report.hints == (f"overall F1 is {report['overall'].f1:.4f}; {said}",)


def test_punctuation_at_the_end_of_spans():
    gold = [example(k) for k in range(4)]
    pred = [example(k, (0, 4), (5, 8)) for k in range(4)]
    assert fc.score(gold, pred).hints == (
        "overall F1 is 0.0000; without punctuation at the end of spans on both sides it would be "
        "1.0000",
    )


def test_ids_that_are_not_in_the_order_of_the_rows():
    places = [(k, k + 1) for k in range(6)]
    gold = [
        {"id": str(k), "length": 9, "relations": [{"cause": place}]}
        for k, place in enumerate(places)
    ]
    pred = [row | {"id": str((k + 1) % 6)} for k, row in enumerate(gold)]
    assert fc.score(gold, pred).hints == (
        "overall F1 is 0.0000; with both sides joined by position instead of by id it would be "
        "1.0000",
    )


def test_no_hint_for_a_good_score_or_without_examples():
    gold = [example(k) for k in range(10)]
    assert fc.score(gold, gold).hints == ()
    pred = [example(k, (5, 7), (0, 3)) for k in range(10)]
    report = fc.score(gold, pred)
    assert report.hints
    assert report.without_details().hints == report.hints
    scorer = fc.ExtractionScorer()
    sides = map(fc.Relations.from_examples, (gold, pred))
    scorer.update(**dict(zip(("gold", "pred"), sides, strict=True)))
    assert scorer.compute().hints == ()


@pytest.mark.parametrize("linked", [False, True])
def test_a_file_against_itself_is_a_warning(tmp_path, linked):
    gold = tmp_path / "gold.jsonl"
    fc.write(fc.Relations.from_examples([example(0)]), gold)
    pred = gold
    if linked:
        pred = tmp_path / "pred.jsonl"
        pred.symlink_to(gold)
    assert fc.score(gold, pred).warnings == (f"gold is the file of predictions: {pred}",)
    assert cli("score", gold, pred)[1] == (f"warning: gold is the file of predictions: {pred}\n")
    copied = tmp_path / "copy.jsonl"
    copied.write_bytes(gold.read_bytes())
    assert fc.score(gold, copied).warnings == ()

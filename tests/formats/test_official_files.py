"""Files that the official programs score, and files of ours that they read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.formats.cnc import tagged, truth
from tests.support.format_cases import CNC, TRUTH, needs_cnc, save, tables

OFFICIAL = ("cnc-2023", "cnc-2022")
GOOD = "<ARG0>Heavy rain</ARG0> <SIG0>caused</SIG0> <ARG1>floods</ARG1> ."
GOLD_CELL = "['<ARG0>Heavy rain</ARG0> <SIG0>caused</SIG0> <ARG1>floods</ARG1> .']"


def groups_of(path):
    """The rows that the official programs score together: pandas' groups of the three keys."""
    pandas = pytest.importorskip("pandas")
    rows = pandas.read_csv(path)
    found = rows.groupby(["corpus", "doc_id", "sent_id"]).groups.values()
    return sorted(sorted(map(int, rows.index[group])) for group in found)


@given(tables(unread=False), st.sampled_from([None, "", "NA", "null", "x", "3"]), st.data())
def test_every_row_that_is_written_has_a_key_of_its_own(tmp_path_factory, table, value, data):
    names = data.draw(st.lists(st.sampled_from(truth.SENTENCE), unique=True))
    if value is not None and set(names) < set(truth.SENTENCE):
        for name in names:
            table = fc.Relations(table.table.append_column(name, [[value] * len(table)]))
    path = tmp_path_factory.mktemp("truth") / "truth.csv"
    fc.write(table, path)
    if {"doc_id", "sent_id"} <= set(names) and value is not None:
        return  # by the table itself they are one sentence
    assert groups_of(path) == [[k] for k in range(len(table))]


def test_what_a_table_lacks_is_not_there_afterwards(tmp_path):
    examples = [{"id": "a", "text": "b c", "relations": [{"cause": (0, 1)}]}]
    for names in ((), ("sent_id",), ("doc_id",), ("doc_id", "sent_id")):
        table = fc.Relations.from_examples([examples[0] | dict.fromkeys(names, "7")])
        assert fc.write(table, tmp_path / "truth.csv") == []
        again = fc.read(tmp_path / "truth.csv").table
        assert {*again.column_names} - {"tagged", "eg_id", "num_rs"} == {*table.table.column_names}


@needs_cnc
def test_the_sample_of_the_corpus_keeps_its_groups(tmp_path):
    source = CNC / "dev_subtask2_grouped.csv"
    fc.write(fc.read(source), tmp_path / "truth.csv")
    assert groups_of(tmp_path / "truth.csv") == groups_of(source)


def perfect(folder, text, cell=GOLD_CELL, prediction=GOOD):
    """The scores of a perfect submission under both programs, and the warnings."""
    rows = TRUTH.splitlines()
    row = f'c,d1,0,0,a,"{text}","{cell}",1'
    gold = save(
        folder,
        "gold.csv",
        "\n".join([rows[0], row, row.replace("d1", "d2").replace(",a,", ",c,"), rows[2]]),
    )
    lines = [{"index": k, "prediction": p} for k, p in enumerate([[prediction], [prediction], []])]
    pred = save(folder, "pred.jsonl", "\n".join(map(json.dumps, lines)))
    for protocol in OFFICIAL:
        report = fc.score(gold, pred, protocol)
        yield report["overall"].f1, [w for w in report.warnings if tagged.UNLIKE_TEXT in w]
        try:
            sides = fc.read(gold), fc.read(pred, like=fc.read(gold))
        except fc.InputError:
            continue  # which the strict reading refuses
        assert fc.score(*sides, protocol)["overall"].f1 == report["overall"].f1


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("Heavy rain caused floods . ", GOLD_CELL),
        (" Heavy rain caused floods .", GOLD_CELL),
        ("", GOLD_CELL),
        ("NA", GOLD_CELL),
        ("Heavy rain caused floods .", GOLD_CELL.replace("Heavy rain", " Heavy rain ")),
        ("Heavy rain caused floods .", GOLD_CELL.replace("caused", "  caused")),
    ],
)
def test_texts_of_another_length_are_scored_officially(tmp_path, text, cell):
    prediction = cell[2:-2]
    for f1, warnings in perfect(tmp_path, text, cell, prediction):
        assert f1 == 1.0
        assert warnings == [f"gold: {tagged.UNLIKE_TEXT}: 2"]


def test_texts_of_the_right_length_give_no_warning(tmp_path):
    assert [*perfect(tmp_path, "Heavy rain caused floods .")] == [(1.0, [])] * 2


def test_predictions_are_held_against_the_sentences(tmp_path):
    with pytest.raises(fc.InputError, match=r"prediction 1 has 6 tokens, expected 5"):
        [*perfect(tmp_path, "Heavy rain caused floods . ", prediction=GOOD + " ")]


ODD = [None, "text", [None], 3, {"a": 1}, ["x", None]]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("protocol", OFFICIAL)
def test_what_the_programs_do_not_look_at(tmp_path, odd, protocol):
    gold = save(tmp_path, "gold.csv", TRUTH)
    for where, lines in (
        ("not causal", [[GOOD], odd]),
        ("surplus", [[GOOD, odd], []]),
    ):
        text = "\n".join(json.dumps({"index": k, "prediction": p}) for k, p in enumerate(lines))
        pred = save(tmp_path, "pred.jsonl", text)
        plain = text.replace(json.dumps(lines[1]), "[]") if where == "not causal" else text
        if where == "surplus":
            plain = text.replace(", " + json.dumps(odd) + "]", "]")
        expected = fc.score(gold, save(tmp_path, "plain.jsonl", plain), protocol)
        found = fc.score(gold, pred, protocol)
        assert found.scores == expected.scores
        if odd != "text" or where == "not causal":
            assert [w for w in found.warnings if "not text, where the official" in w], where
        if odd != "text" or where == "not causal":
            with pytest.raises(fc.InputError, match=r'"prediction" '):
                fc.score(gold, pred)


@pytest.mark.parametrize("odd", [None, "text", [None], [None, GOOD]])
@pytest.mark.parametrize("protocol", OFFICIAL)
def test_what_they_look_at_is_text(tmp_path, odd, protocol):
    text = json.dumps({"index": 0, "prediction": odd}) + '\n{"index": 1, "prediction": []}\n'
    with pytest.raises(fc.InputError, match=r'pred.jsonl:1: "prediction" '):
        fc.score(save(tmp_path, "gold.csv", TRUTH), save(tmp_path, "pred.jsonl", text), protocol)

"""Labels of the same data are the same in every kind of file, in frames and in dicts."""

from __future__ import annotations

import csv
import json
from collections import Counter

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.errors import InputError
from fastcausal.files.records import read_records
from tests.support.cli import cli

NUMBERS = {  # the forms of a label in text
    0: ("0", "0.0", " 0", "0 ", "False", "false", "FALSE"),
    1: ("1", "1.0", "1.00", " 1", "True", "true", "TRUE"),
}
WORDS = {word: (word, f" {word}", f"{word} ") for word in ("yes", "Yes", "no", "NO")}


def write_cells(path, rows, delimiter):
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows([("id", "label"), *rows])
    return path


def write_lines(path, rows):
    path.write_text("".join(json.dumps({"id": i, "label": v}) + "\n" for i, v in rows))
    return path


def kinds(folder, written, typed):
    """Yield the same labels in all kinds of sources: as text, and as values of their type."""
    ids = [f"x{k}" for k in range(len(written))]
    yield write_cells(folder / "a.csv", zip(ids, written, strict=True), ",")
    yield write_cells(folder / "a.tsv", zip(ids, written, strict=True), "\t")
    for name, values in (("text", written), ("typed", typed)):
        columns = {"id": ids, "label": values}
        yield write_lines(folder / f"{name}.jsonl", [*zip(ids, values, strict=True)])
        pq.write_table(pa.table(columns), folder / f"{name}.parquet")
        yield folder / f"{name}.parquet"
        yield columns
        yield [{"id": i, "label": v} for i, v in zip(ids, values, strict=True)]
        frame = pd.DataFrame(columns)
        yield frame
        frame.to_csv(folder / f"{name}.csv", index=False)
        yield folder / f"{name}.csv"
    yield pd.DataFrame({"id": ids, "label": pd.Series(typed, dtype=object)})


def sides(forms):
    """Draw gold and predicted labels, each with a form of its text; None is missing."""
    labels = st.sampled_from([*forms])
    pair = st.tuples(labels, st.one_of(labels, labels, labels, st.none()))
    return st.lists(pair, min_size=1, max_size=6).flatmap(
        lambda pairs: st.tuples(
            st.just(pairs),
            *(
                st.tuples(
                    *(st.just(None) if v is None else st.sampled_from(forms[v]) for v in side)
                )
                for side in zip(*pairs, strict=True)
            ),
        )
    )


def outcome(gold, pred):
    try:
        return fc.classify(gold, pred, unparsed="skip").to_dict()
    except InputError as error:
        return str(error).partition("; ")[0]


@pytest.mark.parametrize("forms", [NUMBERS, WORDS], ids=["numbers", "words"])
def test_every_kind_of_source_gives_the_same_report(forms, tmp_path_factory):
    folder = tmp_path_factory.mktemp("labels")

    @given(sides(forms))
    def holds(drawn):
        pairs, gold, pred = drawn
        counted = [(g, p) for g, p in pairs if p is not None]
        wanted = outcome([g for g, _ in pairs], [p for _, p in pairs])
        common = {g for g, _ in counted} & {p for _, p in counted}
        assert isinstance(wanted, dict) == bool(common or not counted)
        if isinstance(wanted, dict) and counted:
            right = sum(g == p for g, p in counted)
            assert wanted["scores"]["overall"]["accuracy"] == right / len(counted)
            lacking = Counter(p for _, p in counted if p not in {g for g, _ in counted})
            warned = [text for text in wanted["warnings"] if text.startswith("gold lacks")]
            assert sorted(int(text.rpartition(" ")[2]) for text in warned) == sorted(
                lacking.values()
            )
        truth = pd.DataFrame({"id": [f"x{k}" for k in range(len(gold))], "label": gold})
        for source in kinds(folder, [*pred], [p for _, p in pairs]):
            assert outcome(truth, source) == wanted, source

    holds()


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        ([0, 1, 1], ["0.0", "1.0", "1"]),
        ([0, 1, 1], ["False", " 1", "True"]),
        (["False", "True", "True"], [False, True, True]),
        (["false", "unsure", "true"], ["False", "unsure", "TRUE"]),
        (["2.0", "a", "b"], ["2", "a ", " b"]),
    ],
)
def test_forms_of_one_label(gold, pred):
    assert fc.classify(gold, pred)["overall"].accuracy == 1.0
    assert fc.classify(pred, gold).labels == fc.classify(gold, gold).labels


def test_labels_that_gold_lacks(tmp_path):
    gold, pred = tmp_path / "gold.csv", tmp_path / "pred.csv"
    gold.write_text("id,label\na,1\nb,0\nc,0\n")
    pred.write_text("id,label\na,causal\nb,not\nc,not\n")
    _, err = cli("classify", str(gold), str(pred), expect=2)
    both = 'gold has "0" (2), "1" (1), pred has "causal" (1), "not" (2)'
    assert f"no label of pred occurs in gold: {both}" in " ".join(err.split())
    assert "--map causal=...,not=..." in err
    assert "--labels 0,1,causal,not" in err
    out, _ = cli("classify", str(gold), str(pred), "--map", "causal=1,not=0", "--json")
    found = json.loads(out)
    assert found["scores"]["overall"]["accuracy"] == 1.0
    assert found["signature"].endswith("|map:causal=1,not=0")
    _, err = cli("classify", str(gold), str(pred), "--map", "causal=1,no=0", expect=2)
    assert 'neither gold nor pred has the label "no" of map' in err
    pred.write_text("id,label\na,1\nb,0\nc,maybe\n")
    out, err = cli("classify", str(gold), str(pred), "--json")
    found = json.loads(out)
    assert found["warnings"] == ['gold lacks the label "maybe" of pred, examples: 1']
    assert found["positive"] == "1"
    assert found["scores"]["positive"]["recall"] == 1.0


@pytest.mark.parametrize("map", ["yes", "yes=1=2", "", "yes=1,yes=0", "=1", {}])
def test_maps_that_cannot_be_read(map):
    with pytest.raises(ValueError, match="map is"):
        fc.classify([1], ["yes"], map=map)


def test_ratings_are_read_alike(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ratings")

    @given(sides(NUMBERS))
    def holds(drawn):
        pairs, _, written = drawn
        wanted = [None if v is None else float(v) for _, v in pairs]
        for source in kinds(folder, [*written], [v for _, v in pairs]):
            found = read_records(source).labels("label").to_pylist()
            assert [None if v != v else v for v in found] == wanted, source

    holds()

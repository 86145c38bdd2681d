"""Ids that are the same are joined, and ids that are not are named."""

from __future__ import annotations

import csv
import json
import tempfile
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.errors import InputError
from tests.support.cli import cli

TEXT = "Rain fell so roads closed"
RELATIONS = [{"cause": "Rain fell", "effect": "roads closed"}]
FORMS = ("{}", "0{}", "00{}", "{}.0", " {}", "{} ")


def rows_of(task, ids):
    own = {
        "score": {"text": TEXT, "relations": RELATIONS},
        "classify": {"label": 1},
    }[task]
    return [{"id": id} | own for id in ids]


def joined(task, gold, pred):
    """Return the main score of gold against pred."""
    if task == "score":
        return fc.score(gold, pred)["overall"].f1
    return fc.classify(gold, pred)["overall"].accuracy


TASKS = ("score", "classify")


def sources(folder, task, ids):
    rows = rows_of(task, ids)
    path = folder / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    yield path
    yield rows
    if task == "classify":
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        yield columns
        yield pd.DataFrame(columns)
        pq.write_table(pa.table(columns), folder / "a.parquet")
        yield folder / "a.parquet"
        for name, delimiter in (("a.csv", ","), ("a.tsv", "\t")):
            with (folder / name).open("w", newline="") as file:
                cells = [[*columns], *zip(*columns.values(), strict=True)]
                csv.writer(file, delimiter=delimiter).writerows(cells)
            yield folder / name


@pytest.mark.parametrize("task", TASKS)
@given(
    numbers=st.lists(st.integers(1, 40), min_size=1, max_size=4, unique=True),
    data=st.data(),
)
def test_other_forms_of_ids_are_named_and_joined_on_request(task, numbers, data):
    ids = [str(k) for k in numbers]
    others = [data.draw(st.sampled_from(FORMS[1:])).format(k) for k in ids]
    with tempfile.TemporaryDirectory() as name:
        gold = rows_of(task, ids)
        for source in sources(Path(name), task, others):
            with pytest.raises(InputError) as caught:
                joined(task, gold, source)
            assert (
                f'"id" is "{others[0]}", and gold has no id of this file: its first is '
                f'"{ids[0]}"; as numbers, all would join; id_numbers() would join them'
            ) in str(caught.value)
            with fc.id_numbers():
                assert joined(task, gold, source) == 1.0
        with pytest.raises(InputError):
            joined(task, gold, rows_of(task, others))


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("ids", [("A1", "B2"), ("x1", "x2"), ("1", "1.5")])
def test_letter_case_and_words_are_no_numbers(task, ids):
    gold = rows_of(task, ("a1", "b2"))
    with pytest.raises(InputError) as caught:
        joined(task, gold, rows_of(task, ids))
    assert f'"id" is "{ids[0]}", and gold has no id of this file: its first is "a1"' in str(
        caught.value
    )
    assert "as numbers" not in str(caught.value)
    with fc.id_numbers(), pytest.raises(InputError, match="gold has no id of this file"):
        joined(task, gold, rows_of(task, ids))


@pytest.mark.parametrize("task", TASKS)
def test_two_ids_of_one_number_are_refused(task):
    gold, pred = rows_of(task, ("1", "01")), rows_of(task, ("1", "02"))
    with fc.id_numbers(), pytest.raises(InputError, match="occurs twice"):
        joined(task, gold, pred)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("key", ["eg_id", "uid", "exampleId", "key"])
def test_unknown_ids_are_not_joined_by_position(task, key):
    gold, pred = rows_of(task, ("1", "2")), rows_of(task, ("2", "1"))
    if task == "score":
        spans = {"length": 5, "relations": [{"cause": [0, 2], "effect": [3, 5]}]}
        gold, pred = ([row | spans for row in rows] for rows in (gold, pred))
    pred = [{key: row["id"]} | row for row in pred]
    for row in pred:
        del row["id"]
    with pytest.raises(InputError, match=f'no "id" as gold has, and "{key}" is unknown'):
        joined(task, gold, pred)
    for row in pred:
        del row[key]
    assert joined(task, gold, pred) == 1.0
    gold, pred = ([row | {"doc_id": "a"} for row in rows] for rows in (gold, pred))
    assert joined(task, gold, pred) == 1.0


def test_commands(tmp_path):
    gold, pred = tmp_path / "gold.csv", tmp_path / "pred.csv"
    gold.write_text("id,label\n1,1\n2,0\n3,0\n")
    pred.write_text("id,label\n1.0,1\n2.0,0\n3.0,1\n")
    _, err = cli("classify", str(gold), str(pred), expect=2)
    assert "as numbers, all would join; --id-numbers would join them" in " ".join(err.split())
    for before, after in (((), ("--id-numbers",)), (("--id-numbers",), ())):
        out, _ = cli(*before, "classify", str(gold), str(pred), "--json", *after)
        assert json.loads(out)["n_examples"] == 3
    _, err = cli("agree", str(gold), str(pred), "--labels", "label", expect=2)
    assert '"unit" is "1.0", and gold has no unit of this file: its first is "1"' in err
    out, _ = cli("agree", str(gold), str(pred), "--labels", "label", "--json", "--id-numbers")
    assert json.loads(out)["n_paired_units"] == 3


def test_whole_numbers_of_columns_have_one_name(tmp_path):
    rows = {"id": ["a", "b", "c"], "label": [1, 0, 1], "year": [2020, None, 2021]}
    frame = pd.DataFrame(rows)
    frame.to_csv(tmp_path / "gold.csv", index=False)
    assert "2020.0" in (tmp_path / "gold.csv").read_text()
    pq.write_table(pa.table(rows), tmp_path / "gold.parquet")
    lines = "".join(json.dumps(row) + "\n" for row in pa.table(rows).to_pylist())
    (tmp_path / "gold.jsonl").write_text(lines)
    files = [tmp_path / f"gold.{kind}" for kind in ("csv", "parquet", "jsonl")]
    for gold in (rows, frame, *files):
        report = fc.classify(gold, [1, 1, 1], by="year")
        assert sorted(report.subsets) == ["year=2020", "year=2021", "year=null"]


def test_sentences_of_event_pairs_have_one_name(tmp_path):
    rows = {
        "doc_id": ["d", "d"], "a": ["e1", "e3"], "b": ["e2", "e4"], "label": ["CAUSE", "CAUSE"],
        "sentence_a": [1, 1], "sentence_b": [1.0, None],
    }  # fmt: skip
    pd.DataFrame(rows).to_csv(tmp_path / "pairs.csv", index=False)
    frame = pd.DataFrame(rows)
    wanted = fc.eci(frame, frame).to_dict()["scores"]
    assert fc.eci(tmp_path / "pairs.csv", tmp_path / "pairs.csv").to_dict()["scores"] == wanted
    assert fc.eci(rows, rows).to_dict()["scores"] == wanted

"""One table of gold and predictions, and one JSON object whose keys are ids."""

from __future__ import annotations

import csv
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fastcausal as fc
from fastcausal.files.records import read_records
from tests.support.cli import cli

ROWS = [
    {"id": "a", "text": "Rain brings floods .", "genre": "news",
     "gold": [{"cause": "Rain", "effect": "floods"}],
     "out": [{"cause": "Rain", "effect": "floods"}], "relations": []},
    {"id": "b", "text": "Snow closed roads .", "genre": "web",
     "gold": [{"cause": "Snow", "effect": "roads"}], "out": [], "relations": []},
]  # fmt: skip
COLUMNS = {"gold_column": "gold", "pred_column": "out"}


def lay(folder, rows):
    """Yield the rows in memory, and as files of each kind."""
    yield rows
    yield pa.Table.from_pylist(rows)
    path = folder / "t.jsonl"
    path.write_text("\n".join(["", *map(json.dumps, rows)]))
    yield path
    pq.write_table(pa.Table.from_pylist(rows), folder / "t.parquet")
    yield folder / "t.parquet"
    with (folder / "t.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(rows[0])
        for row in rows:
            writer.writerow(json.dumps(v) if isinstance(v, list) else v for v in row.values())
    yield folder / "t.csv"


def test_relations_of_both_sides_in_one_table(tmp_path):
    def side(column):
        return [{**{k: row[k] for k in ("id", "text", "genre")}, "relations": row[column]}
                for row in ROWS]  # fmt: skip

    expected = fc.score(side("gold"), side("out"), by="genre")
    assert expected["overall"].f1 == 2 / 3
    for table in lay(tmp_path, ROWS):
        report = fc.score(table, table, by="genre", **COLUMNS)
        assert (report.scores, report.subsets) == (expected.scores, expected.subsets)
        assert report.warnings == expected.warnings
    for name in ("t.jsonl", "t.parquet", "t.csv"):
        path = tmp_path / name
        out, err = cli(
            "score", path, path, "--gold-column", "gold", "--pred-column", "out", "--json"
        )
        assert json.loads(out)["scores"] == expected.to_dict()["scores"]
        assert not err
    raw = [{**row, "out": json.dumps({"relations": row["out"]})} for row in ROWS]
    found = fc.score(raw, raw, gold_column="gold", answers="out")
    assert found.scores == expected.scores


def test_faults_in_one_table_have_their_lines(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text("\n\n" + json.dumps(ROWS[0] | {"gold": [{"cause": "Hail", "effect": "Rain"}]}))
    for columns, message in (
        (COLUMNS, r't.jsonl:3: example a: relation 1: "Hail" is not in the text'),
        ({"gold_column": "genre"}, r"t.jsonl:3: a text that is no JSON, expected relations; ans"),
        (
            {"gold_column": "x"},
            r't.jsonl: no column "x": found id, text, genre, gold, out, relations',
        ),
    ):
        with pytest.raises(fc.InputError, match=message):
            fc.score(path, path, **columns)
    with pytest.raises(ValueError, match="gold_column is 'x', expected none with the protocol"):
        fc.score(path, path, "unicausal-span", gold_column="x")


def test_labels_and_answers_of_both_sides_in_one_table(tmp_path):
    labels = [{"id": k, "label": 9, "y": k % 2, "p": 0} for k in range(4)]
    for table in lay(tmp_path, labels):
        report = fc.classify(table, table, gold_column="y", pred_column="p")
        assert report["overall"].accuracy == 0.5
    answers = [
        {"id": 1, "question": "Why?", "gold": "the rain", "p": "Rain"},
        {"id": 2, "question": "What?", "gold": "snow", "p": "hail"},
    ]
    for table in lay(tmp_path, answers):
        report = fc.qa(table, table, gold_column="gold", pred_column="p")
        assert (report["overall"].exact_match, report["why"].exact_match) == (0.5, 1.0)
    several = [{**answers[1], "gold": ["snow", "hail"]}]
    assert fc.qa(several, several, gold_column="gold", pred_column="p")["overall"].f1 == 1.0
    path = tmp_path / "of_fincausal.csv"
    path.write_text("ID;Text;Question;Gold;P\n1;x;Why?;rain;Rain \n2;y;Why?;snow;hail\n")
    options = ("--gold-column", "Gold", "--pred-column", "P", "--json")
    out, _ = cli("qa", path, path, "--protocol", "fincausal-2025", *options)
    assert json.loads(out)["scores"]["overall"]["exact_match"] == 0.5


@pytest.mark.parametrize("indent", [None, 1])
def test_one_object_whose_keys_are_ids(tmp_path, indent):
    path, other = tmp_path / "a.json", tmp_path / "b.json"

    def write(target, rows):
        target.write_text(json.dumps({row["id"]: {k: v for k, v in row.items() if k != "id"}
                                      for row in rows}, indent=indent))  # fmt: skip

    rows = [{"id": row["id"], "text": row["text"], "relations": row["gold"]} for row in ROWS]
    write(path, rows)
    found = fc.read(path)
    assert found.to_examples() == fc.read(rows).to_examples()
    for format in (None, "spans"):
        assert fc.score(path, path, format=format)["overall"].f1 == 1.0
    assert fc.agree({"amy": path, "ben": path})["cause"].em == 1.0
    offsets = [{"id": e["id"], "length": e["length"], "relations": [
        [{"role": role, "start": a, "stop": b} for role, [(a, b)] in relation.items()]
        for relation in e["relations"]]} for e in found.to_examples()]  # fmt: skip
    write(other, offsets)
    assert fc.score(path, other)["overall"].f1 == 1.0
    write(other, [{"id": k, "label": k % 2} for k in range(3)])
    assert fc.classify(other, other)["overall"].accuracy == 1.0
    write(other, [{"id": k, "question": "Why?", "answers": {"text": ["x"]}} for k in "ab"])
    asked, keyed = fc.qa(other, {"a": "x", "b": "y"}), tmp_path / "answers.json"
    write(keyed, [{"id": k, "prediction_text": v} for k, v in ("ax", "by")])
    assert fc.qa(other, keyed)["overall"] == asked["overall"]
    write(other, [{**rows[0]}, {**rows[1], "id": "c"}])
    keyed = json.loads(other.read_text())
    keyed["c"]["id"] = "d"
    other.write_text(json.dumps(keyed, indent=indent))
    line = 1 + other.read_text()[: other.read_text().index('"c"')].count("\n")
    with pytest.raises(fc.InputError, match=rf'b\.json:{line}: "id" is "d", its key "c"'):
        fc.read(other)
    other.write_text(json.dumps({"a": {"text": "x"}, "b": {"relations": []}}, indent=indent))
    if indent is None:  # nothing in common: one row of objects
        assert read_records(other).objects() == [json.loads(other.read_text())]

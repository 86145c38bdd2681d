"""Tables with a column of annotators: split before they are read, in whatever form they come."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import fastcausal as fc
from fastcausal.files.files import Source
from fastcausal.files.parts import parts_of

TEXT = 'Heavy "rain"\nfell , so roads closed .'
ROWS = [
    {"annotator": "amy", "id": "a", "text": TEXT, "cause": 'Heavy "rain"\nfell',
     "effect": "roads closed", "signal": "so"},
    {"annotator": "ben", "id": "a", "text": TEXT, "cause": "fell", "effect": "roads", "signal": ""},
    {"annotator": "amy", "id": "b", "text": "Rain fell .", "cause": "", "effect": "", "signal": ""},
    {"annotator": "ben", "id": "b", "text": "Rain fell .", "cause": "", "effect": "", "signal": ""},
    {"annotator": "amy", "id": "a", "text": TEXT, "cause": "fell", "effect": "closed",
     "signal": ""},
]  # fmt: skip
FORMS = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "parquet": lambda frame, path: frame.to_parquet(path, index=False),
}


@pytest.mark.parametrize("form", FORMS)
def test_one_table_is_as_tables_apart(tmp_path, form):
    frame = pd.DataFrame(ROWS)
    path = tmp_path / f"all.{form}"
    FORMS[form](frame, path)
    apart = {}
    for name, rows in frame.groupby("annotator"):
        FORMS[form](rows.drop(columns="annotator"), tmp_path / f"{name}.{form}")
        apart[name] = fc.read(tmp_path / f"{name}.{form}")
    expected = fc.agree(apart).to_dict()
    assert expected["n_examples"] == 1
    for source in (path, frame):
        assert fc.agree(source).to_dict() == expected
        for name, relations in fc.read_annotators(source).items():
            assert relations.table["relations"].equals(apart[name].table["relations"])
            assert "annotator" not in relations.table.column_names


def test_lines_are_those_of_the_file(tmp_path):
    path = tmp_path / "all.csv"
    pd.DataFrame(ROWS).to_csv(path, index=False)
    broken = path.read_text().replace("ben,b,Rain fell .,", "ben,b,Snow fell .,Rain")
    path.write_text(broken)
    relations = fc.read_annotators(path)["ben"]
    assert relations.reading.unread
    assert all(":8: " in reason for reason in relations.reading.unread)
    path.write_text(broken.replace("ben,b", ",b"))
    with pytest.raises(fc.InputError, match=r'all\.csv:8: no "annotator"'):
        fc.agree(path)
    lines = [json.dumps(row) for row in ROWS]
    (tmp_path / "all.jsonl").write_text("\n".join([*lines[:2], "{}", *lines[2:]]))
    with pytest.raises(fc.InputError, match=r'all\.jsonl:3: no "annotator"'):
        fc.agree(tmp_path / "all.jsonl")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("annotator,id,text,cause,effect\n", "has no rows"),
        ("annotator,id,text,cause,effect\namy,1,a b,a,b\n", 'all examples are of "amy"'),
        ("annotator,id,text,cause\namy,1,a b,a\n", "cannot be told|no column|expected"),
        ("annotator,id,text,cause,effect\namy,1,a b,a,b\nben,1,a b\n", ":3: 3 columns, expected 5"),
        ("annotator,id,text,cause,effect\namy,1,a b,a,b\nben,1,\"a b", "invalid CSV"),
        ("annotator,id,text,cause,effect\namy,1,a b,a,b\nben,1,\xff,a,b", "is not UTF-8"),
    ],
)  # fmt: skip
def test_tables_that_cannot_be_split(tmp_path, data, message):
    (tmp_path / "all.csv").write_bytes(data.encode("latin-1"))
    with pytest.raises(fc.InputError, match=message):
        fc.agree(tmp_path / "all.csv")


def test_a_column_of_another_name_splits_nothing():
    assert not parts_of(Source("a.csv", b"id,annotators\n1,amy\n"), "annotator")
    assert not parts_of(Source("a.jsonl", b'{"id": "annotator"}\n'), "annotator")

"""The canonical table in files."""

from __future__ import annotations

import datetime
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal import formats
from fastcausal.errors import InputError
from fastcausal.formats import jsonl
from fastcausal.formats.cnc import tagged
from fastcausal.marking import Marking
from fastcausal.relations import Relations
from tests.support.format_cases import LINES, content, save, tables

from .test_format_cnc import fails


@given(tables(min_size=0), st.sampled_from(["a.parquet", "a.arrow", "a.arrows"]))
def test_binary_round_trips(tmp_path_factory, table, name):
    folder = tmp_path_factory.mktemp("table")
    table = table.with_reading(tags="cnc-2023", unread=("x",), notes={"y": 2})
    assert formats.write(table, folder / name) == []
    again = formats.read(folder / name)
    assert again.reading == table.reading
    assert again.table.equals(table.table)


@given(tables())
def test_json_round_trip(tmp_path_factory, table):
    folder = tmp_path_factory.mktemp("table")
    assert formats.write(table, folder / "a.jsonl") == []
    again = formats.read(folder / "a.jsonl")
    columns = ("id", "text") if table.ids is not None else ("text",)
    assert content(again, *columns) == content(table, *columns)


def test_lines(tmp_path):
    read = formats.read(save(tmp_path, "a.jsonl", LINES))
    assert read.ids.to_pylist() == ["a", "b"]
    assert read.table["length"].to_pylist() == [4, None]
    assert [e["relations"] for e in read.to_examples()] == [[{"cause": [(0, 2)]}, None], []]
    assert read.reading.unread[0].endswith("a.jsonl:1: relation 2: it is null")


def test_other_columns_are_kept(tmp_path):
    lines = (
        '{"id": 1, "length": 2, "relations": []}\n'
        '{"id": 2, "length": 2, "relations": null, "story": "s", "weights": [1.5]}\n'
    )
    read = formats.read(save(tmp_path, "a.jsonl", lines))
    assert read.ids.to_pylist() == ["1", "2"]
    assert read.table["story"].to_pylist() == [None, "s"]
    assert read.table["weights"].to_pylist() == [None, [1.5]]
    assert read.to_examples()[1]["relations"] == [None]


def test_other_roles(tmp_path):
    table = Relations.from_examples([{"length": 1, "relations": [{"x": (0, 1)}]}], roles=("x", "y"))
    lost = formats.write(table, tmp_path / "a.jsonl")
    assert lost == ["JSON lines do not hold the list of roles: x, y"]
    fails('FILE:1: unknown role "x", expected one of cause, effect, signal', tmp_path / "a.jsonl")
    again = jsonl.read(tmp_path / "a.jsonl", Marking(roles=("x", "y")))
    assert again.to_examples() == table.to_examples()


def test_what_json_lines_do_not_hold(tmp_path):
    read = tagged.read([["<ARG0>a</ARG0>", "<ARG0>"]])
    read = Relations(read.table.append_column("day", pa.array([datetime.date(2024, 1, 2)])))
    assert formats.write(read, tmp_path / "a.jsonl") == [
        "values of type date are written as text",
        "JSON lines do not hold how tags were read (strict)",
        "JSON lines do not hold the messages and notes of the reading",
    ]
    assert json.loads((tmp_path / "a.jsonl").read_text()) == {
        "length": 1,
        "relations": [[{"role": "cause", "start": 0, "stop": 1}], None],
        "unparsed": [{"relation": 2, "reason": "<ARG0> is never closed", "text": "<ARG0>"}],
        "day": "2024-01-02",
    }
    assert formats.write(read, tmp_path / "a.parquet") == []
    assert "tagged" not in formats.read(tmp_path / "a.parquet").table.column_names


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"length": 3}, 'no "relations"'),
        ({"relations": {}}, '"relations" is an object, expected a list of relations'),
        ({"relations": [3]}, "a relation is a number, expected a list of spans"),
        ({"relations": [[3]]}, "a span is a number, expected an object"),
        ({"length": -1, "relations": []}, '"length" is -1, expected a number of tokens'),
        ({"length": True, "relations": []}, '"length" is true, expected a number of tokens'),
        ({"length": 2**31, "relations": []}, '"length" is 2147483648, expected a number of tokens'),
        ({"id": [1], "relations": []}, '"id" is a list, expected a string'),
    ],
)
def test_lines_that_are_refused(tmp_path, row, message):
    path = save(tmp_path, "a.jsonl", json.dumps(row))
    fails(f"FILE:1: {message}", path, format="jsonl")


@pytest.mark.parametrize("role", ["x", None, [], 1])
def test_roles_that_are_refused(tmp_path, role):
    span = {"role": role, "start": 0, "stop": 1}
    path = save(tmp_path, "a.jsonl", LINES + json.dumps({"id": "c", "relations": [[span]]}))
    shown = json.dumps(role)
    fails(f"FILE:3: unknown role {shown}, expected one of cause, effect, signal", path)


@pytest.mark.parametrize(
    ("start", "stop"), [(2, 1), (1, 1), (-2, 1), (0, 2**31), (0, "1"), (0, None), (0.0, 1)]
)
def test_spans_that_are_refused(tmp_path, start, stop):
    span = {"role": "cause", "start": start, "stop": stop}
    path = save(tmp_path, "a.jsonl", LINES + json.dumps({"id": "c", "relations": [[span]]}))
    shown = f"({json.dumps(start)}, {json.dumps(stop)})"
    fails(f"FILE:3: span {shown}, expected token numbers, start < stop", path)


def test_lines_with_other_faults(tmp_path):
    span = '{"id": "a", "length": 2, "relations": [[{"role": "cause", "start": 1, "stop": 3}]]}\n'
    fails(
        "FILE: example a: span (1, 3) ends after the last token, the example has 2 tokens",
        save(tmp_path, "a.jsonl", span),
    )
    fails(
        'FILE:3: id "a" occurs twice, first in FILE:1',
        save(tmp_path, "b.jsonl", LINES + span.replace("3}", "2}")),
    )
    fails(
        'FILE:3: no "id", other examples have one',
        save(tmp_path, "c.jsonl", LINES + '{"relations": []}'),
    )
    mixed = '{"length": 1, "relations": [], "x": 1}\n{"relations": [], "x": "y"}'
    with pytest.raises(InputError, match=r'column "x" cannot be stored'):
        formats.read(save(tmp_path, "d.jsonl", mixed))


def test_damaged_files(tmp_path):
    table = Relations.from_examples([{"id": "a", "length": 2, "relations": [{"cause": (0, 1)}]}])
    for name, format in [("a.parquet", "parquet"), ("a.arrow", "arrow"), ("a.arrows", "arrow")]:
        formats.write(table, tmp_path / name)
        whole = (tmp_path / name).read_bytes()
        save(tmp_path, name, whole[: len(whole) // 2])
        with pytest.raises(InputError, match=f"{name}: cannot be read as {format}: "):
            formats.read(tmp_path / name)
        with pytest.raises(InputError, match=f"text: cannot be read as {format}: "):
            formats.read(save(tmp_path, "text", "index,text\n"), format)
    pq.write_table(pa.table({"x": [1]}), tmp_path / "b.parquet")
    with pytest.raises(InputError, match=r'b.parquet: no column "relations": found x; a row per '):
        formats.read(tmp_path / "b.parquet")


def test_a_column_that_parquet_does_not_have(tmp_path):
    table = Relations.from_examples([{"relations": [], "x": {}}])
    with pytest.raises(InputError, match=r"cannot be written as parquet: "):
        formats.write(table, tmp_path / "a.parquet")
    assert list(tmp_path.iterdir()) == []

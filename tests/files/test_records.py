"""Rows of flat tables: the same from every kind of file, and faults with their place."""

from __future__ import annotations

import csv
import gc
import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.errors import InputError
from fastcausal.files import records as reader
from fastcausal.files.files import Source
from fastcausal.files.records import Records, read_records

ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1),
            "count": st.integers(-(2**40), 2**40),
            "score": st.none() | st.floats(-1e9, 1e9),
        }
    ),
    min_size=1,
)


def as_csv(rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, ["name", "count", "score"])
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def as_lines(rows):
    return "\n".join(map(json.dumps, rows)).encode()


def as_binary(rows, write):
    sink = pa.BufferOutputStream()
    schema = pa.schema({"name": pa.string(), "count": pa.int64(), "score": pa.float64()})
    write(pa.Table.from_pylist(rows, schema), sink)
    return sink.getvalue().to_pybytes()


def as_arrow(table, sink):
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


@given(ROWS)
def test_every_kind_of_file_gives_the_same_rows(rows):
    files = {
        "x.csv": as_csv(rows),
        "x.jsonl": as_lines(rows),
        "x.json": json.dumps(rows).encode(),
        "x.parquet": as_binary(rows, pq.write_table),
        "x.arrow": as_binary(rows, as_arrow),
    }
    sources = [Source(name, data) for name, data in files.items()]
    for source in [*sources, rows, pa.Table.from_pylist(rows)]:
        records = read_records(source)
        assert records.texts("name").to_pylist() == [row["name"] for row in rows]
        assert records.integers("count").tolist() == [row["count"] for row in rows]
        wanted = [np.nan if row["score"] is None else row["score"] for row in rows]
        np.testing.assert_array_equal(records.numbers("score"), wanted)


@pytest.mark.parametrize(
    ("name", "data", "ask", "message"),
    [
        ("a.csv", b"x,y\n1,2\n\n3,z\n", ("numbers", "y"), 'a.csv:4: "y" is "z", expected a number'),
        ("a.csv", b"x\n1.5\n", ("integers", "x"), 'a.csv:2: "x" is "1.5", expected an integer'),
        ("a.csv", b'x,y\n"",1\n', ("integers", "x"), 'a.csv:2: "x" is missing, expected an int'),
        ("a.csv", b"x\n1\n", ("numbers", "y"), 'a.csv:1: no column "y": found x'),
        ("a.csv", b"x,x\n1,2\n", None, 'a.csv:1: column "x" occurs 2 times'),
        ("a.csv", b"x\n", None, "a.csv has no rows"),
        ("a.csv", b"x\n\xff\n", None, "a.csv:2: byte 0xff is not UTF-8"),
        ("a.jsonl", b'{"x":1}\n{"x":"b"}', ("numbers", "x"), 'a.jsonl:2: "x" is '),
        ("a.jsonl", b'{"x":"b"}', ("numbers", "x"), 'a.jsonl:1: "x" is "b", expected a number'),
        ("a.jsonl", b'{"x":true}', ("numbers", "x"), 'a.jsonl:1: "x" is true, expected a number'),
        ("a.jsonl", b'{"x":1}\n{"x":1.5}', ("integers", "x"), 'a.jsonl:2: "x" is 1.5, expected an'),
        ("a.jsonl", b'{"x":1}\n[1]', None, "a.jsonl:2: a list, expected an object"),
        ("a.jsonl", b'{"x":4}\n{"x":"4"}', ("numbers", "x"), 'a.jsonl:2: "x" is "4", expected a n'),
        ("a.jsonl", b'{"x":"a"}\n{"x":true}', ("texts", "x"), 'a.jsonl:2: "x" is true, expected t'),
        ("a.jsonl", b'{"x":[1]}', ("texts", "x"), 'a.jsonl:1: "x" is a list, expected text'),
        ("a.jsonl", b'{"x":1', None, "a.jsonl:1:"),
        ("a.json", b'[{"x":1},2]', None, "a.json: row 1 is a number, expected an object"),
        ("a.json", b"[1", None, "a.json:1"),
        ("a.parquet", b"PAR1 and no more", None, "a.parquet"),
    ],
)
def test_faults_have_their_place(name, data, ask, message):
    def read():
        records = read_records(Source(name, data))
        return ask and getattr(records, ask[0])(ask[1])

    with pytest.raises(InputError) as error:
        read()
    assert message in str(error.value)


def test_values_of_several_kinds_are_text_where_they_may():
    rows = [{"x": 85, "cut": "so \ud83d"}, {"x": "85"}, {}]
    records = read_records(rows)
    assert records.answers("x").to_pylist() == ["85", "85", None]
    assert records.texts("x").to_pylist() == ["85", "85", None]
    assert records.texts("cut").to_pylist() == ["so \\ud83d", None, None]
    not_a_number = read_records([*rows, {"x": float("nan")}])
    assert not_a_number.answers("x").to_pylist() == ["85", "85", None, None]


def test_whole_numbers_of_frames_are_integers():
    records = read_records({"x": pa.array([3.0, -1.0, 2.0**53]), "y": pa.array([3.0, None, 0])})
    assert records.integers("x").tolist() == [3, -1, 2**53]
    assert records.texts("y").to_pylist() == ["3", None, "0"]
    for odd in (1.5, np.nan, np.inf, 2.0**54):
        records = read_records({"x": pa.array([1.0, odd])})
        for read, expected in ((records.integers, "an integer"), (records.texts, "text")):
            with pytest.raises(InputError, match=rf'row 1: "x" is .*, expected {expected}'):
                read("x")


def test_frames_with_columns_of_several_kinds():
    pandas = pytest.importorskip("pandas")
    records = read_records(pandas.DataFrame({"x": [90, "30", None], "y": [1, 2, 3]}))
    assert records.answers("x").to_pylist() == ["90", "30", None]
    assert records.integers("y").tolist() == [1, 2, 3]


VALUES = st.one_of(
    st.integers(-(2**70), 2**70) | st.integers(-9, 9),
    st.floats() | st.sampled_from([0.0, -0.0, 1.5, 2.0**53]),
    st.text(max_size=3) | st.sampled_from(["\ud800", "\udc00x", "2024-01-01", "1", "\0"]),
    st.none() | st.booleans(),
    st.sampled_from([[], [1], {}, {"a": 1}, ["a"], [None], ["", None], ["\ud800"]]),
)
TEXTS = st.lists(st.text(max_size=3), max_size=2)
FIELDS = {"text": TEXTS, "start": st.lists(st.integers(-9, 2**64), max_size=2)}
OBJECTS = st.fixed_dictionaries(FIELDS) | st.fixed_dictionaries({}, optional=FIELDS | {"x": VALUES})
ODD_LINES = ["", " ", "\t", '{"a": 1, "a": 2}', '{"a": -0}', '{"a": 1e400}', '{"a": 1e2}', "{}"]
ODD_LINES += ["[1]", '{"a": 9007199254740993}', '{"a": 1}{"b": 2}', '{"b": "\\u0000"}', '{"a"', "1"]
ODD_LINES += ['{"\\u0061": 3}', '{"a": 01}', '{"a": Infinity}', '{"a": 1,}', '{"a": 1}\r']


@st.composite
def json_lines(draw):
    """Objects whose fields mostly are of one kind each, between odd lines."""
    one_kind = {
        "a": draw(st.sampled_from([st.integers(-99, 99), st.floats(-9, 9), TEXTS, OBJECTS, VALUES]))
    }
    one_kind |= {"b": draw(st.sampled_from([st.text(max_size=3), st.booleans(), VALUES]))}
    row = st.fixed_dictionaries({}, optional=one_kind) | st.fixed_dictionaries(one_kind)
    line = row.map(lambda fields: json.dumps(fields, ensure_ascii=draw(st.booleans())))
    lines = draw(st.lists(line, min_size=1, max_size=5))
    for odd in draw(st.lists(st.sampled_from(ODD_LINES), max_size=1)):
        lines.insert(draw(st.integers(0, len(lines))), odd)
    return "\n".join(lines).encode(errors="surrogatepass")


def outcome(data):
    try:
        rows = read_records(Source("x.jsonl", data))
    except InputError as error:
        return str(error)
    columns = [
        [repr(in_order(value)) for value in column.to_pylist()] for column in rows.table.columns
    ]
    kinds = [(field.name, kind_of(field.type)) for field in rows.table.schema]
    mixed = [name for name in rows.names if rows.is_mixed(name)]
    has_nested = any(map(pa.types.is_nested, rows.table.schema.types))
    objects = [repr(in_order(row)) for row in rows.objects()] if has_nested else []
    return kinds, columns, list(rows.lines), mixed, objects


def kind_of(array_type):
    """Return a type as text; the order of its fields depends on the version of pyarrow."""
    if not pa.types.is_struct(array_type):
        return str(array_type)
    return sorted((field.name, kind_of(field.type)) for field in array_type)


def in_order(value):
    return sorted((k, in_order(v)) for k, v in value.items()) if isinstance(value, dict) else value


@given(json_lines())
@example(b'{"a": [null]}')
@example(b'{"a": ["x"]}\n{"a": [["x"]]}')
@example(b'{"a": ["x"]}\n{}')
@example(b'{"a": {"text": ["x"]}}\n{"a": {"text": null}}')
@example(b'{"a": {"text": ["x"], "start": [1]}}\n{"a": {"text": []}}')
@example(b'{"a": {"text": "x", "start": [1]}}\n{"a": {"start": [2, null], "text": ""}}')
@example(b'{"a": {"text": "x"}}\n{"a": {"text": "y", "text": "z"}}')
@example(b'{"a": {"x": 1}}\n{"a": {}}')
def test_json_lines_of_one_kind_are_read_as_all_others(data):
    quick = outcome(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "plain_objects", lambda file: None)
        assert quick == outcome(data)


def test_json_lines_of_one_kind_make_no_objects(monkeypatch):
    monkeypatch.delattr(Source, "objects")
    rows = read_records(Source("x.jsonl", b'{"a": 1, "b": "x"}\n\n{"b": "y"}\n'))
    assert rows.table.to_pydict() == {"a": [1, None], "b": ["x", "y"]}
    assert rows.locate(1) == "x.jsonl:3"
    rows = read_records(Source("x.jsonl", b'\n{"a": null}\n{"a": null}\n{"a": 0.5}\n'))
    assert rows.table.to_pydict() == {"a": [None, None, 0.5]}
    rows = read_records(Source("x.jsonl", b'{"b": ["x"]}\n{"b": []}\n'))
    assert rows.table.to_pydict() == {"b": [["x"], []]}
    rows = read_records(
        Source("x.jsonl", b'{"b": {"a": ["x"], "n": [1]}}\n{"b": {"n": [], "a": []}}')
    )
    assert rows.objects() == [{"b": {"a": ["x"], "n": [1]}}, {"b": {"a": [], "n": []}}]


@pytest.mark.parametrize(
    ("source", "wanted", "whole"),
    [
        ([{"x": 1}, {}, {"x": 2}], [1.0, None, 2.0], [1, None, 2]),
        ([{"x": True}, {"x": False}], [1.0, 0.0], ["true", "false"]),
        ([{"x": "a"}, {"x": "01"}], ["a", "01"], ["a", "01"]),
        ({"x": pa.array(["a", "b"]).dictionary_encode()}, ["a", "b"], ["a", "b"]),
        ([{"x": 1}, {"x": 2.5}], [1.0, 2.5], 'row 1: "x" is 2.5, expected an integer or a string'),
        ([{"x": 1}, {"x": "b"}], 'row 1: "x" is "b", expected a number as in rows: row 0', None),
        ([{"x": 1}, {"x": " 1.0"}], [1.0, 1.0], ["1", "1"]),
        ([{"x": True}, {"x": 2}], [1.0, 2.0], ["true", "2"]),
        ([{"x": float("nan")}, {"x": 2.0}], None, [None, 2]),
        ([{"x": 2**53}], 'row 0: "x" is 9007199254740992, expected integers below 2^53', [2**53]),
        ([{"x": 2**70}, {"x": []}], "below 2^53\nrows: row 1: \"x\" is a list, expected a number",
         "below 2^63\nrows: row 1: \"x\" is a list, expected an integer"),
        ([{"x": None}], [None], [None]),
        (Source("x.csv", b"x,y\n01,\n,\n NA,\n"), [1.0, None, None], ["01", None, None]),
        (Source("x.csv", b"x,y\n01,\n,\nNA,\n"), [1.0, None, None], ["01", None, None]),
        (Source("x.csv", b"x,y\nNA,\n,\n"), ["NA", None], ["NA", None]),
        ([{"x": "yes "}, {"x": "1.0"}], ["yes", "1"], ["yes", "1"]),
        (Source("x.csv", b"x,y\ntrue,\nFalse,\n"), [1.0, 0.0], ["true", "false"]),
        (Source("x.csv", b"x\n1\n9007199254740993\n"), 'x.csv:3: "x" is 9007199254740993, exp',
         ["1", "9007199254740993"]),
    ],
)  # fmt: skip
def test_labels_are_all_numbers_or_all_text(source, wanted, whole):
    records = read_records(source)
    for expected, is_whole in ((wanted, False), (whole, True)):
        if isinstance(expected, list):
            assert records.labels("x", is_whole).to_pylist() == expected
        elif expected is not None:
            with pytest.raises(InputError) as error:
                records.labels("x", is_whole)
            assert expected in str(error.value)


def test_labels_of_no_value_have_a_type():
    records = read_records([{"x": None}])
    assert records.labels("x").type == pa.float64()
    assert records.labels("x", whole=True).type == pa.int64()


def test_keys_are_texts_without_gaps():
    records = read_records([{"a": 1.0, "b": "x", "c": 10**25}, {"a": 2.0, "c": "y"}])
    assert records.keys("id", "a").to_pylist() == ["1", "2"]
    assert records.keys("c", "a").to_pylist() == [str(10**25), "y"]
    for names, message in (
        (("b",), 'rows: row 1: no "b", expected one in every row'),
        (("id", "index"), 'rows: no column "id" or "index": found a, b, c'),
    ):
        with pytest.raises(InputError) as error:
            records.keys(*names)
        assert str(error.value) == message
    with pytest.raises(InputError, match='row 0: "x" is true, expected an integer or a string'):
        read_records([{"x": True}]).keys("x")
    assert (records.find("id", "b"), records.find("id"), records.has("a")) == ("b", None, True)
    assert records.drop("b", None, "none").column_names == ["a", "c"]


def test_what_stands_between_cells():
    rows = [{"id": "1", "text": "a, b"}, {"id": "2", "text": None}]
    for name, data, delimiter in (
        ("x.csv", b'id,text\n1,"a, b"\n2,\n', None),
        ("x.csv", b"id;text\n1;a, b\n2;\n", None),
        ("x.tsv", b"id\ttext\n1\ta, b\n2\t\n", None),
        ("x", b"id|text\n1|a, b\n2|\n", "|"),
    ):
        records = read_records(Source(name, data), delimiter=delimiter)
        assert records.table.to_pylist() == rows
        assert records.cells["text"].to_pylist() == ["a, b", ""]
        assert records.locate(1) == f"{name}:3"


def test_commas_come_before_semicolons():
    assert read_records(Source("x.csv", b"a;b,c\n1,2\n")).names == ["a;b", "c"]


def test_a_list_or_column_of_values_is_one_column():
    array = pa.array([1, None, 2])
    for values in ([1, None, 2], (1, None, 2), array, pa.chunked_array([array[:1], array[1:]])):
        assert read_records(values, column="x").labels("x").to_pylist() == [1.0, None, 2.0]
    assert read_records(np.array([1.5, np.nan]), column="x").column("x").to_pylist() == [1.5, None]
    assert read_records(["a", 2], column="x").answers("x").to_pylist() == ["a", "2"]
    for table in ([{"x": 1, "y": 2}], {"x": [1], "y": [2]}, pa.table({"x": [1], "y": [2]})):
        assert read_records(table, column="x").names == ["x", "y"]
    with pytest.raises(InputError, match="rows is a number, expected a table or a list"):
        read_records(7, column="x")
    with pytest.raises(InputError, match=r'rows: column "x" cannot be read: .* not JSON'):
        read_records([object()], column="x").column("x")


def test_rows_may_have_places_of_their_own():
    records = Records("x.json", [{"id": 1}, {"id": None}], places=["x.json: a[0]", "x.json: b[7]"])
    with pytest.raises(InputError, match=r'^x\.json: b\[7\]: no "id"'):
        records.keys("id")


def test_the_collector_comes_back():
    for is_on in (True, False):
        (gc.enable if is_on else gc.disable)()
        try:
            with pytest.raises(InputError):
                read_records(Source("x.json", b"[1"))
            assert gc.isenabled() == is_on
        finally:
            gc.enable()


def test_one_object_over_several_lines_is_named(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"id": "a", "relations": [1]}, indent=1))
    message = "one JSON object over several lines, expected an object on each line, or a list"
    for read in (read_records, fc.read):
        with pytest.raises(InputError, match=message):
            read(path)
    path.write_text('{"id": 1}\n{"id":\n')
    with pytest.raises(InputError, match=r"a\.json:2: invalid JSON"):
        read_records(path)

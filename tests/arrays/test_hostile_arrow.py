"""Arrow data made elsewhere: broken memory, odd layouts and odd metadata are refused."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.arrays.arrow import strings_at
from fastcausal.arrays.reading import METADATA_KEY
from fastcausal.arrays.validation import validate
from fastcausal.relations import RELATIONS, SPAN
from tests.support import hostile_arrow
from tests.support.hostile_arrow import COLUMNS, FAULTS, WAYS, Stream, table

LISTS = [[[{"role": 0, "start": 0, "stop": 1}]]] * 3
GOOD = {"id": pa.array(list("abc")), "length": pa.array([5] * 3, pa.int32())}


def test_broken_offsets_are_refused_on_every_way_in():
    # In a process of its own: offsets that slip through read or write anywhere.
    done = subprocess.run(
        [sys.executable, hostile_arrow.__file__], capture_output=True, text=True, check=False
    )
    lines = done.stdout.splitlines()
    assert [line for line in lines if not line.endswith(" InputError")] == []
    assert done.returncode == 0, lines[-1:]
    assert len(lines) == len(WAYS) * len(COLUMNS) * len(FAULTS)


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("rows", [None, 4, 1])
def test_sound_data_are_taken_whole_and_in_batches(column, rows):
    sound = table(column)
    expected = fc.Relations(sound).table.to_pylist()
    assert fc.read(sound.to_reader(rows)).table.to_pylist() == expected
    assert fc.read(iter(sound.to_batches(rows))).table.to_pylist() == expected
    assert fc.Relations(Stream(sound.to_reader(rows))).table.to_pylist() == expected


@given(
    st.lists(st.none() | st.lists(st.none() | st.lists(st.none() | st.text(max_size=3)))),
    st.integers(0, 9),
    st.integers(0, 9),
)
def test_slices_of_sound_lists_are_sound(values, start, length):
    for kind in (pa.list_, pa.large_list):
        sliced = pa.array(values, kind(kind(pa.string()))).slice(start, length)
        validate(pa.table({"x": sliced, "s": pa.StructArray.from_arrays([sliced], ["x"])}))


@given(
    st.lists(st.text("ab\u00e9\u6f22", max_size=3) | st.binary(max_size=2), max_size=5),
    st.lists(st.integers(0, 9), max_size=4),
    st.integers(0, 2),
)
def test_texts_are_sound_as_arrow_says(pieces, cuts, start):
    """Texts are refused exactly if Arrow refuses them: broken, or cut within a letter."""
    data = b"".join(p.encode() if isinstance(p, str) else p for p in pieces)
    places = np.array([0, *(min(cut, len(data)) for cut in cuts), len(data)], np.int32)
    for each in (places, np.sort(places)):
        texts = strings_at(data, each.tobytes()).slice(start)
        try:
            texts.validate(full=True)
        except pa.ArrowInvalid:
            with pytest.raises(pa.ArrowInvalid):
                validate(pa.table({"x": texts}))
        else:
            validate(pa.table({"x": texts}))


def test_only_the_values_of_a_slice_are_looked_at():
    # Checking a slice does not go through the whole array that it is cut from.
    bad = pa.Array.from_buffers(pa.string(), 2, pa.array([b"a", b"\xff"]).buffers())
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 2], pa.int32()), bad)
    validate(pa.table({"x": lists.slice(0, 1)}))
    with pytest.raises(pa.ArrowInvalid, match='column "x": Invalid UTF8'):
        validate(pa.table({"x": lists.slice(1)}))


def test_a_reader_that_fails_midway():
    def batches():
        yield table("id").to_batches()[0]
        raise pa.ArrowInvalid("torn")

    reader = pa.RecordBatchReader.from_batches(table("id").schema, batches())
    with pytest.raises(fc.InputError, match=r"the Arrow data cannot be read: .*torn"):
        fc.read(reader)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"relations": pa.array([[("a", 1)]] * 3, pa.map_("str", "int8"))}, "is map<"),
        ({"id": pa.array(list("abc")).dictionary_encode()}, None),
        ({"note": pa.array(list("abc")).dictionary_encode()}, None),
        ({"relations": pa.array(LISTS, pa.list_(pa.list_(SPAN, 1), 1))}, None),
        ({"relations": pa.array([[[[0, 0, 1]]]] * 3)}, '"relations" is list<'),
        ({"length": pa.array([5.5] * 3)}, '"length" is double'),
        ({"id": pa.array([b"\xff", b"b", b"c"])}, "Invalid UTF8"),
        ({"id": pa.array([b"\xff"] * 3).cast(pa.string(), safe=False)}, 'column "id": Invalid'),
    ],
)  # fmt: skip
def test_odd_layouts(columns, message):
    data = pa.table({**GOOD, "relations": pa.array(LISTS, RELATIONS), **columns})
    for take in (fc.Relations, fc.read, lambda t: fc.read(t.to_reader())):
        if message is None:
            assert take(data).n_relations == 3
        else:
            with pytest.raises(fc.InputError, match=message):
                take(data)


def newer_layouts():
    if not hasattr(pa, "list_view"):
        pytest.skip("pyarrow knows no views")
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([3], pa.int32()), pa.array([5], pa.int32()))
    return [
        {"relations": pa.array(LISTS, pa.list_view(pa.list_view(SPAN)))},
        {"relations": pa.array(LISTS, pa.list_(pa.list_view(SPAN)))},
        {"id": pa.array(list("abc"), pa.string_view())},
        {"length": runs},
        {"note": runs},
        {"note": pa.array([["a"]] * 3, pa.list_view(pa.string()))},
    ]


def test_newer_layouts_are_read_right_or_refused():
    for columns in newer_layouts():
        data = pa.table({**GOOD, "relations": pa.array(LISTS, RELATIONS), **columns})
        assert first_of(data) in ([{"cause": [(0, 1)]}], "refused"), columns


def test_run_end_encoded_columns_are_plain_columns():
    """Ids, strata and labels stored as runs give the figures of plain columns."""
    plain = {
        "unit": list("aabbcc"),
        "rater": list("xyxyxy"),
        "label": list("ppqqpq"),
        "genre": ["news"] * 4 + ["blog"] * 2,
    }
    runs = pa.table({name: pc.run_end_encode(pa.array(values)) for name, values in plain.items()})
    assert fc.label_agreement(runs, by="genre") == fc.label_agreement(plain, by="genre")
    labels = {"id": list("abc"), "label": ["p", "p", "q"]}
    runs = pa.table({name: pc.run_end_encode(pa.array(values)) for name, values in labels.items()})
    assert fc.classify(runs, labels, positive="p") == fc.classify(labels, labels, positive="p")


def first_of(data):
    try:
        return fc.read(data).to_examples()[0]["relations"]
    except fc.InputError:
        return "refused"


def test_a_column_twice():
    ids, length = GOOD.values()
    columns = [ids, ids, length, pa.array(LISTS, RELATIONS)]
    data = pa.Table.from_arrays(columns, ["id", "id", "length", "relations"])
    with pytest.raises(fc.InputError, match='column "id" occurs 2 times, expected once'):
        fc.Relations(data)


FIELDS = b'"roles":["cause","effect","signal"],"unread":[]'


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 100_000, b"{", b"[]", b"3", b"null", b"\xff\xfe", b'{"roles":3,"unread":[]}',
        b'{"roles":"abc","unread":[]}', b'{"roles":["overall"],"unread":[]}', b'{"roles":["a"]}',
        b"{" + FIELDS + b',"more":1}', b"{" + FIELDS + b',"tags":7}',
        b"{" + FIELDS + b',"notes":[1]}', b"{" + FIELDS + b',"notes":{"x":"y"}}',
        b"{" + FIELDS + b',"notes":{"x":1e999}}', b"{" + FIELDS + b',"notes":{"x":true}}',
        b"{" + FIELDS + b',"notes":{"\\ud800":1}}', b"{" + FIELDS + b',"predicted":"x"}',
        b"{" + FIELDS + b',"notes":{"x":' + b"9" * 5000 + b"}}",
    ],
    ids=range(19),
)  # fmt: skip
def test_odd_metadata(tmp_path, text):
    data = pa.table({**GOOD, "relations": pa.array(LISTS, RELATIONS)})
    data = data.replace_schema_metadata({METADATA_KEY: text})
    with pytest.raises(fc.InputError, match=r"metadata|roles are"):
        fc.Relations(data)
    path = tmp_path / "x.arrow"
    with pa.ipc.new_file(path, data.schema) as writer:
        writer.write_table(data)
    with pytest.raises(fc.InputError, match=r"x.arrow: (metadata|roles are)"):
        fc.score(path, path)


@pytest.mark.parametrize(
    "example",
    [{"id": "\ud800"}, {"genre": "\ud800"}, {"\ud800": 1}, {"text": "\udc00 b c"}],
)
def test_half_a_surrogate_pair_in_examples(example):
    examples = [{"relations": [{"cause": (0, 1)}], "length": 3} | example]
    with pytest.raises(fc.InputError, match=r"examples cannot be read: .* surrogates"):
        fc.Relations.from_examples(examples)

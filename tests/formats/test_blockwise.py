"""Files written from streams against the same files written from relations in memory."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import weakref

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.errors import InputError, OutputError
from fastcausal.files import writing
from fastcausal.formats import table
from fastcausal.formats.reading import batches, opening
from fastcausal.formats.reading.batches import Stream
from fastcausal.formats.reading.opening import opened
from fastcausal.formats.reading.streams import stream_alone
from fastcausal.formats.writing import write_stream
from fastcausal.relations import Reading, Relations
from tests.formats.test_written_bytes import WRITERS, examples, table_of
from tests.support.cli import cli, command
from tests.support.profiles import trials

BLOCKWISE = [name for name in WRITERS if name != "tags.bio"]
ROW = {"text": "a b", "length": 2, "relations": [[(0, 0, 1)]], "note": ""}


def rows(*ids):
    return [{"id": id, **ROW} for id in ids]


def changed(table, **changes):
    """The table with other columns, or without those that are None."""
    columns = {name: table.table[name] for name in table.table.column_names} | changes
    return Relations(pa.table({n: c for n, c in columns.items() if c is not None}), table.reading)


@pytest.mark.parametrize("name", BLOCKWISE)
@given(
    made=examples(),
    n=st.integers(1, 3),
    size=st.integers(1, 3),
    has_ids=st.booleans(),
    notes=st.sampled_from([{}, {"ambiguous span": 2}]),
)
@trials(100)
def test_the_same_file(tmp_path_factory, name, made, n, size, has_ids, notes):
    """The written file is the same for any sizes of batches, row groups and blocks."""
    folder, format = tmp_path_factory.getbasetemp(), WRITERS[name][0]
    table = table_of(made).with_reading(roles=("cause", "effect", "signal"), notes=notes)
    if not has_ids:
        table = changed(table, id=None)
    whole, parts, source = folder / f"whole-{name}", folder / f"parts-{name}", folder / "a.parquet"
    pq.write_table(table.table, source, row_group_size=size)
    lost = fc.write(table, whole, format)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "ROWS", n)
        patch.setattr(batches, "WHOLE", 1)
        patch.setattr(writing, "ROWS", 2)
        done = write_stream(stream_alone(opened(source)), parts, format)
    assert done == (table.reading, len(table), table.n_relations, table.n_unread, lost)
    assert parts.read_bytes() == whole.read_bytes()


FAULTS = {
    "an id twice": (rows("a", "b", "a"), 'id "a" occurs twice'),
    "a text is missing": (
        [*rows("a", "b"), {**ROW, "id": "c", "text": None, "length": None}],
        "example c has no text, which this format needs",
    ),
    "a span is too long": (
        [*rows("a", "b"), {**ROW, "id": "c", "length": None, "relations": [[(0, 0, 9)]]}],
        "example c: a span stops at 9, its text has 2 tokens",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_late_fault_leaves_the_file_and_has_its_own_message(tmp_path, monkeypatch, fault):
    monkeypatch.setattr(batches, "ROWS", 1)
    monkeypatch.setattr(batches, "WHOLE", 1)
    made, message = FAULTS[fault]
    source, target = tmp_path / "a.parquet", tmp_path / "gold.csv"
    tables = [table_of([row]).table for row in made]
    pq.write_table(pa.concat_tables(tables), source)
    target.write_text("before")
    assert write_stream(stream_alone(opened(source)), target) is None
    out, err = cli("convert", source, target, expect=2)
    assert not out
    assert message in err
    assert target.read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.parquet", "gold.csv"]


def test_columns_that_change_are_read_at_once(tmp_path, monkeypatch):
    """A folder of files with different columns is read as a whole, not streamed."""
    monkeypatch.setattr(batches, "ROWS", 1)
    folder = tmp_path / "parts"
    folder.mkdir()
    first = table_of(rows("a"))
    fc.write(first, folder / "1.parquet")
    fc.write(changed(table_of(rows("b")), year=pa.array([1999])), folder / "2.parquet")
    assert write_stream(stream_alone(folder), tmp_path / "a.jsonl") is None
    cli("convert", folder, tmp_path / "a.jsonl")
    fc.write(fc.read(folder), tmp_path / "whole.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    fc.write(first, folder / "2.parquet")
    (folder / "1.parquet").unlink()
    assert write_stream(stream_alone(folder), tmp_path / "a.jsonl") is not None


def test_what_is_not_streamed(tmp_path):
    """Nothing is streamed into pipes, from small files of text, or into formats that need all
    examples."""
    source = tmp_path / "a.parquet"
    fc.write(table_of(rows("a", "b")), source)
    read, write = os.pipe()
    with os.fdopen(read, "rb") as pipe:
        assert write_stream(stream_alone(opened(source)), f"/dev/fd/{write}", "jsonl") is None
        os.close(write)
        assert pipe.read() == b""
    for target in ("a.bio", "b.arrow", "a.unknown"):
        assert write_stream(stream_alone(opened(source)), tmp_path / target) is None
    fc.write(fc.read(source), tmp_path / "a.jsonl")
    for other in (tmp_path / "a.jsonl", tmp_path / "none.parquet"):
        assert stream_alone(opened(other)) is None
    out, _ = command("convert", source, "/dev/stdout", "--to", "jsonl")
    assert out == (tmp_path / "a.jsonl").read_text()
    command("convert", "/dev/stdin", tmp_path / "b.jsonl", input=out)
    assert fc.read(tmp_path / "b.jsonl").to_examples() == fc.read(source).to_examples()


def test_a_file_that_cannot_be_written(tmp_path):
    source = tmp_path / "a.parquet"
    fc.write(table_of(rows("a")), source)
    with pytest.raises(OutputError):
        write_stream(stream_alone(opened(source)), tmp_path / "none" / "a.csv")


def test_few_batches_are_in_memory(tmp_path):
    """Only the batch being written, the next one, and a few on the way are in memory."""
    alive, most = weakref.WeakSet(), 0

    def read_batches(_):
        nonlocal most
        for k in range(12):
            made = table_of(rows(f"a{k}"))
            alive.add(made)
            gc.collect()
            most = max(most, len(alive))
            yield made.reading if not k else None, made.table

    def relations(table, reading):
        made = part(table, reading)
        alive.add(made)
        return made

    part = Relations.part
    gc.freeze()  # later collections skip the objects of other tests
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "ROWS", 1)
        patch.setattr(Relations, "part", relations)
        done = write_stream(Stream("", read_batches), tmp_path / "a.jsonl")
    assert done is not None
    assert done.n_examples == 12
    assert most <= 5


def test_a_fault_of_a_reading(tmp_path):
    """Files of one stream with different roles: an error, and no file."""

    def read_batches(_):
        yield Reading(), table_of(rows("a")).table
        yield Reading(("a", "b", "c")), table_of(rows("b")).table

    assert write_stream(Stream("x", read_batches), tmp_path / "a.jsonl") is None
    with pytest.raises(InputError, match=r"^x: roles"):
        Stream("x", read_batches).whole()
    assert not [*tmp_path.iterdir()]


def test_pandas_stays_where_it_is(tmp_path):
    """Pandas, slow to import, is not imported to write CSV."""
    fc.write(table_of(rows("a", "b", "c")), tmp_path / "a.parquet")
    code = (
        "import sys\n"
        "from fastcausal.formats.reading import batches\n"
        "from fastcausal.formats.reading.opening import opened\n"
        "from fastcausal.formats.reading.streams import stream_alone\n"
        "from fastcausal.formats.writing import write_stream\n"
        "batches.ROWS = batches.WHOLE = 1\n"
        "assert write_stream(stream_alone(opened('a.parquet')), 'a.csv').n_examples == 3\n"
        "sys.exit('pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, cwd=tmp_path).returncode == 0


TEXT_FILES = {"table.jsonl": None, "truth.csv": None, "submission.jsonl": "cnc"}
VALUES = (None, 1, 1.5, "b", "", True, ["b"], [], {"c": 1})


@pytest.mark.parametrize("target", ["a.parquet", "a.jsonl"])
@pytest.mark.parametrize("name", TEXT_FILES)
@given(data=st.data(), n=st.integers(1, 3), row_group=st.integers(1, 3))
@trials(100)
def test_text_files(tmp_path_factory, name, target, data, n, row_group):
    """A stream of text writes what all examples at once would be, or leaves it to them."""
    folder = tmp_path_factory.getbasetemp()
    source, parts, whole = folder / name, folder / f"parts-{target}", folder / f"whole-{target}"
    fc.write(table_of(data.draw(examples())), source, TEXT_FILES[name])
    lines = [line + b"\n" for line in source.read_bytes().split(b"\n") if line]
    if name.endswith(".jsonl"):
        lines = _changed_lines(data, lines)
    again = data.draw(st.sampled_from([[], [], lines[-1:]]))
    source.write_bytes(b"".join(lines + again))
    parts.unlink(missing_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opening, "SMALL", 0)
        patch.setattr(batches, "ROWS", n)
        patch.setattr(table, "BATCH", row_group)
        try:
            examples_of = stream_alone(opened(source))
        except InputError:
            return
        done = None if examples_of is None else write_stream(examples_of, parts)
    if done is None:
        assert not parts.exists()
        return
    read = fc.read(source)
    lost = fc.write(read, whole)
    assert done == (read.reading, len(read), read.n_relations, read.n_unread, lost)
    if target == "a.jsonl":
        assert parts.read_bytes() == whole.read_bytes()
    else:
        one, other = pq.read_table(parts), pq.read_table(whole)
        assert one.equals(other)
        assert one.schema.equals(other.schema, check_metadata=True)


def _changed_lines(data, lines):
    """Lines with a further value each, of one type or of several, and perhaps without a key."""
    kinds = data.draw(st.sampled_from([VALUES[1:2], VALUES[3:5], VALUES[:3], VALUES]))
    lost = data.draw(st.sampled_from(["", "", "", "id", "index", "length", "text"]))
    made = []
    for line in lines:
        row = json.loads(line) | {"more": data.draw(st.sampled_from(kinds))}
        if data.draw(st.booleans()):
            row.pop(lost, None)
        made.append(json.dumps(row).encode() + b"\n")
    return made


def test_a_late_fault_of_a_text_file(tmp_path, monkeypatch):
    """The fault of a late line has the message of the whole file, and the target stays."""
    monkeypatch.setattr(opening, "SMALL", 0)
    monkeypatch.setattr(batches, "ROWS", 1)
    source, target = tmp_path / "a.jsonl", tmp_path / "a.parquet"
    fc.write(table_of(rows("a", "b", "c")), source)
    lines = source.read_text().splitlines()
    lines[1] = lines[1].replace('"stop": 1', '"stop": -1')
    lines[2] = "{"
    source.write_text("\n".join(lines))
    target.write_text("before")
    assert write_stream(stream_alone(opened(source)), target) is None
    out, err = cli("convert", source, target, expect=2)
    with pytest.raises(InputError) as whole:
        fc.read(source)
    assert not out
    assert f"{source}:2" in err
    assert f"{source}:3" in err
    assert all(line in err for line in str(whole.value).splitlines())
    assert target.read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "a.parquet"]


def test_metadata_of_a_table(tmp_path, monkeypatch):
    """A Parquet file keeps metadata of others, and a column of types without any type is left."""
    monkeypatch.setattr(batches, "WHOLE", 1)
    source, parts, whole = (tmp_path / f"{name}.parquet" for name in ("a", "parts", "whole"))
    made = table_of(rows("a", "b")).table
    made = made.replace_schema_metadata({**made.schema.metadata, b"k": b"v"})
    pq.write_table(made, source)
    assert write_stream(stream_alone(opened(source)), parts) is not None
    fc.write(fc.read(source), whole)
    assert pq.read_schema(parts).equals(pq.read_schema(whole), check_metadata=True)
    assert pq.read_schema(parts).metadata[b"k"] == b"v"
    pq.write_table(
        made.append_column("types", pa.array([[None]] * 2, pa.list_(pa.string()))), source
    )
    assert write_stream(stream_alone(opened(source)), parts) is None

"""Files made wrong: bytes, words, values of JSON, cells, columns, and how they are packed."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import random
import re
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.support.zips import packed

# Strings that readers look for, in wrong places.
TOKENS = [
    b"", b"\n", b"\r\n", b"\r", b"\t", b" ", b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80",
    b"\xff", "\u2028\u0085\x0c".encode(), "😀é".encode(), b'"', b"'", b"\\", b'""', b",", b";",
    b":", b"::::", b"{", b"}", b"[", b"]", b"{}", b"[]", b"null", b"true", b"NaN", b"-Infinity",
    b"1e999", b"-1", b"0", b"01", b"2147483647", b"2147483648", b"9223372036854775808", b"9" * 40,
    b"1.5", b'"\\ud800"', b"<ARG0>", b"</ARG0>", b"<ARG1>", b"</ARG1>", b"<SIG0>", b"</SIG9>",
    b"<ARG0></ARG0>", b"B-C", b"I-E", b"O", b"S-S", b"# id = ", b'"id": ', b'"relations": ',
    b'"length": ', b'"start": ', b'"role": "cause"', b'{"role": "x"}', b"T1\tCause 0 1;2 3\tx\n",
    b"R1\tCauses Arg1:T1 Arg2:T2\n", b"E1\t", b"#1\t", b"{x}", b"{:>9}", b"%s", b"%ID", b"@100",
    b"\x1b]0;owned\x07", b"[" * 300, b'{"a":' * 300, b"(" * 100, b"unit,rater,label\n", b"label",
    b"None", b"NA", b"nan", b"['x']", b"[1]", b"```", b"<think>", b"</think>",
]  # fmt: skip
MARK = b"\xef\xbb\xbf"
LONGEST = 40_000  # bytes of a mutated file

VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 3, 1.5, -0.0, 1e308, float("nan"), float("inf"), 2**31 - 1, 2**31,
    2**53 + 1, 2**63 - 1, 2**63, 10**40, "", " ", "0", "1", "x", "A", "null", "\ud800", "\udc00x",
    "\0", "\n", "\x1b[31m", "{}", "😀", "x" * 999, "Rain", [], {}, [None], [[]], [{}], {"x": None},
    {"": 0}, [0, 1], ["x"], [[[]]], {"relations": []}, {"id": []}, [True], {"\ud800": 1},
)  # fmt: skip
CELLS = ("", " ", "0", "1", "-1", "01", "1.5", "1e999", "nan", "inf", "None", "null", "true", "x",
         "[]", "['x']", "{}", "2147483648", "9" * 30, "\0", "😀", '"', "a\nb", "a,b", "'", "\ufeff",
         "\x1b[31m", "A", "id", "label", "C" * 999)  # fmt: skip
TYPES = (
    pa.null(), pa.bool_(), pa.int8(), pa.uint64(), pa.int32(), pa.float16(), pa.float32(),
    pa.float64(), pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.date32(),
    pa.timestamp("us", "Europe/Paris"), pa.timestamp("ns"), pa.duration("s"), pa.time64("us"),
    pa.decimal128(20, 2), pa.dictionary(pa.int8(), pa.string()), pa.list_(pa.string()),
    pa.list_(pa.int32()), pa.large_list(pa.int64()), pa.list_(pa.int64(), 2), pa.binary(3),
    pa.struct([("a", pa.int32())]), pa.struct([]), pa.map_(pa.string(), pa.int32()),
    pa.list_(pa.list_(pa.struct([("role", pa.int8()), ("start", pa.int32())]))), pa.string_view(),
)  # fmt: skip


def rough(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """Bytes anywhere: most of it is no longer of its format."""
    start = rng.randrange(len(data) + 1)
    stop = min(len(data), start + rng.choice((0, 1, 1, 2, 5, 20, 200)))
    piece = rng.choice((data, other))
    at = rng.randrange(len(piece) + 1)
    new = rng.choice((
        rng.choice(TOKENS), rng.choice(TOKENS) * rng.choice((2, 20)), bytes([rng.randrange(256)]),
        data[start:stop] * 2, piece[at : at + rng.randrange(80)], b"",
    ))  # fmt: skip
    end = rng.randrange(stop, len(data) + 1) if rng.random() < 0.05 else len(data)
    return data[:start] + new + data[stop:end]


def gentle(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """A word or a line in the place of another: most of it can still be read."""
    if rng.random() < 0.3:
        lines = data.splitlines(keepends=True) or [b""]
        new = rng.choice((*lines, rng.choice(TOKENS) + b"\n", b""))
        lines[rng.randrange(len(lines))] = new
        return b"".join(lines)
    words = list(re.finditer(rb"[\w.-]+", data))
    if not words:
        return data
    word, same = rng.choice(words), rng.choice(words)[0]
    new = rng.choice((same, same, b"0", b"3", rng.choice(TOKENS)))
    return data[: word.start()] + new + data[word.end() :]


def mutated(data: bytes, other: bytes, rng: random.Random, suffix: str = "") -> bytes:
    """Some changes; one half of the runs has gentle ones alone, and a few keep nothing."""
    if rng.random() < 0.03:
        return rng.choice(TOKENS) * rng.choice((1, 1, 50))
    if suffix in STRUCTURES and rng.random() < (0.7 if data.isascii() else 0.9):
        with suppress(ValueError, RecursionError, LookupError, TypeError, OSError, csv.Error,
                      pa.ArrowException, NotImplementedError):  # fmt: skip
            return STRUCTURES[suffix](data, rng)
    changes = (gentle, gentle, rough) if rng.random() < 0.5 else (gentle,)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        data = rng.choice(changes)(data, other, rng)
    return (MARK * rng.choice((1, 2)) if rng.random() < 0.02 else b"") + data[:LONGEST]


def json_values(data: bytes, rng: random.Random) -> bytes:
    """A value, key or item of JSON, or of one line of it, changed, left out or twice."""
    try:
        whole, lines = json.loads(data), []
        at = 0
    except ValueError:
        lines = data.splitlines(keepends=True)
        at = rng.randrange(len(lines))
        whole = json.loads(lines[at])
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        whole = _changed(whole, rng)
    text = json.dumps(whole, ensure_ascii=rng.random() < 0.7).encode(errors="surrogatepass")
    return b"".join((*lines[:at], text + b"\n", *lines[at + 1 :]))


def _changed(whole: Any, rng: random.Random) -> Any:
    """Return a value with one of those below it changed, most often one near the top."""
    root = [whole]
    nodes: list[tuple[Any, Any]] = []
    queue: list[tuple[Any, Any]] = [(root, 0)]
    while queue and len(nodes) < 2000:
        parent, key = queue.pop(0)
        nodes.append((parent, key))
        value = parent[key]
        keys = range(len(value)) if isinstance(value, list) else value
        queue += [(value, k) for k in keys] if isinstance(value, list | dict) else []
    parent, key = rng.choice(nodes[: 1 + int(len(nodes) ** rng.random())])
    how = rng.randrange(6)
    if how == 0 and parent is not root:
        del parent[key]
    elif how == 1 and isinstance(parent, dict):
        parent[rng.choice(("id", "", "x", "\ud800", "relations", key + "x"))] = parent.pop(key)
    elif how == 1 and parent is not root:
        parent.insert(key, parent[key])
    elif how == 2:
        other, k = rng.choice(nodes)
        parent[key] = json.loads(json.dumps(other[k]))
    elif how == 3:
        parent[key] = rng.choice(([parent[key]], {"x": parent[key]}, str(parent[key])[:999]))
    else:
        parent[key] = deepcopy(rng.choice(VALUES))  # the next run draws them as they are
    return root[0]


def csv_cells(data: bytes, rng: random.Random) -> bytes:
    """A cell, row or column of CSV changed, left out, twice, or in another place."""
    rows = list(csv.reader(io.StringIO(data.decode(errors="replace"), newline="")))
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        row = rng.choice(rows)
        column, other = rng.randrange(len(row)), rng.randrange(len(row))
        how = rng.randrange(10)
        if how == 0:
            rows.insert(rng.randrange(len(rows) + 1), rng.choice((list(row), [], [""])))
        elif how == 1 and len(rows) > 1:
            rows.remove(row)
        elif how in (2, 3, 4):
            for each in rows:
                if len(each) > max(column, other):
                    _moved(each, column, other, how)
        elif how == 5:
            row[column] = rng.choice(rng.choice(rows) or [""])
        elif how == 6:
            rows[0][min(column, len(rows[0]) - 1)] = rng.choice(CELLS)
        else:
            row[column] = rng.choice(CELLS)
    text = io.StringIO(newline="")
    end, comma = rng.choice(("\n", "\n", "\r\n", "\r")), rng.choice(",,,;\t")
    csv.writer(text, lineterminator=end, delimiter=comma).writerows(rows)
    return text.getvalue().encode(errors="surrogatepass")


def _moved(row: list[str], column: int, other: int, how: int) -> None:
    if how == 2:
        row[column], row[other] = row[other], row[column]
    elif how == 3:
        row.insert(other, row[column])
    else:
        del row[column]


def columns(data: bytes, rng: random.Random) -> bytes:
    """Columns of a table in a file of Arrow's or Parquet's, changed and written as they were."""
    source = pa.BufferReader(data)
    if is_parquet := data.startswith(b"PAR1"):
        table = pq.read_table(source)
    else:
        is_file = data.startswith(b"ARROW1")
        opened = pa.ipc.open_file(source) if is_file else pa.ipc.open_stream(source)
        table = opened.read_all()
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        with suppress(pa.ArrowException, NotImplementedError, OverflowError):
            table = _other_table(table, rng)
    sink = pa.BufferOutputStream()
    if is_parquet:
        pq.write_table(table, sink)
    else:
        new = pa.ipc.new_file if is_file else pa.ipc.new_stream
        with new(sink, table.schema) as file:
            file.write_table(table)
    return sink.getvalue().to_pybytes()


def _other_table(table: pa.Table, rng: random.Random) -> pa.Table:
    """A table with one thing changed: rows, columns, their names, types or values, or metadata."""
    at = rng.randrange(table.num_columns)
    name, column = table.column_names[at], table.column(at)
    how = rng.randrange(5 if pa.types.is_map(column.type) else 10)  # pyarrow aborts at null maps
    if how == 0:
        rows = rng.choices(range(len(table)), k=rng.choice((0, 1, len(table), 40)))
        return table.take(pa.array(rows, pa.int64()))
    if how == 1:
        return table.remove_column(at)
    if how == 2:
        return table.append_column(rng.choice((name, "x", "id", "relations", "\0")), column)
    if how == 3:
        names = list(table.column_names)
        names[at] = rng.choice((*names, "", "x", name.upper()))
        return table.rename_columns(names)
    if how == 4:
        return table.replace_schema_metadata(_other_metadata(table.schema.metadata or {}, rng))
    if how in (5, 6):
        kind = rng.choice(TYPES)
        try:
            new = column.cast(kind, safe=False)
        except (pa.ArrowException, NotImplementedError):
            new = pa.nulls(len(table), kind)
        return table.set_column(at, name, new)
    if how == 7:
        empty = [rng.random() < 0.3 for _ in range(len(table))]
        values = [None if e else v for e, v in zip(empty, column.to_pylist(), strict=True)]
        return table.set_column(at, name, pa.array(values, column.type))
    values = [column.to_pylist()]
    for _ in range(rng.choice((1, 1, 3))):
        values = [_changed(values[0], rng)]
    kind = rng.choice((column.type, column.type, None))
    try:
        new = pa.array(values[0], kind)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        new = pa.array(values[0])
    if len(new) != len(table):
        return pa.table({name: new})
    return table.set_column(at, name, new)


def _other_metadata(metadata: dict[bytes, bytes], rng: random.Random) -> dict[bytes, bytes]:
    if not metadata or rng.random() < 0.1:
        return {}
    found = dict(metadata)
    key = rng.choice(list(found))
    if rng.random() < 0.5:
        with suppress(ValueError):
            found[key] = json_values(found[key], rng).rstrip()
            return found
    value = rng.choice((rough, gentle))(found[key], b"", rng)
    return found | {key: rng.choice((value, value, b""))}


STRUCTURES = {
    ".json": json_values, ".jsonl": json_values, ".csv": csv_cells, ".parquet": columns,
    ".arrow": columns, ".arrows": columns,
}  # fmt: skip


def laid(path: Path, rng: random.Random) -> Path:
    """A file packed, cut, under another suffix, in a folder or a zip of several: its path now."""
    data, how = path.read_bytes(), rng.randrange(8)
    if how < 3:
        pack, suffix = (
            (lambda d: gzip.compress(d, mtime=0), ".gz"), (bz2.compress, ".bz2"),
            (lambda d: packed({path.name: d}), ".zip"),
        )[how]  # fmt: skip
        data = pack(data)
        if rng.random() < 0.4:
            data = rough(data, b"", rng)
        return _written(path, path.name + suffix, data)
    if how == 3:
        files = {f"{name}/{path.name}": data for name in ("amy", "ben", rng.choice("x_."))}
        return _written(path, f"{path.stem}.zip", packed(files))
    if how == 4:
        suffixes = (*STRUCTURES, ".txt", ".ann", ".conll", ".tsv", ".xmi", ".toml", ".gz", "")
        return _written(path, path.stem + rng.choice(suffixes), data)
    folder = path.parent / "folder"
    folder.mkdir()
    if how > 5:
        path.rename(folder / path.name)
    if how == 7:
        other = data if rng.random() < 0.5 else gentle(data, b"", rng)
        (folder / f"2{path.name}").write_bytes(other)
    return folder


def _written(path: Path, name: str, data: bytes) -> Path:
    path.unlink()
    path.with_name(name).write_bytes(data)
    return path.with_name(name)

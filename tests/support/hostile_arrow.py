"""Arrow data whose memory is broken, given to every way in; run as a program, as it may crash."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

import fastcausal as fc
from fastcausal.relations import RELATIONS

N = 9
SPAN = {"role": 0, "start": 0, "stop": 1}
COLUMNS: dict[str, Callable[[], pa.Array]] = {
    "id": lambda: pa.array([f"{k}" * (k + 1) for k in range(N)]),
    "relations": lambda: pa.array([[[SPAN]] * (k + 1) for k in range(N)], RELATIONS),
    "spans": lambda: pa.array([[[SPAN] * (k + 1)] for k in range(N)], RELATIONS),
    "strings": lambda: pa.array(["x" * (k + 1) for k in range(N)]),
    "lists": lambda: pa.array([["x"] * (k + 1) for k in range(N)]),
    "structs": lambda: pa.array([{"s": "x" * (k + 1)} for k in range(N)]),
    "maps": lambda: pa.array([[("x", 1)] * (k + 1) for k in range(N)], pa.map_("str", "int8")),
}
FAULTS = {
    "negative": lambda starts: [-starts[-1], *starts[1:]],
    "falling": lambda starts: [*starts[:3], starts[5], starts[3], *starts[5:]],
    "far": lambda starts: [*starts[:3], 2**30, *starts[4:]],
    "beyond": lambda starts: [*starts[:-1], 2**31 - 1],
}
STARTS = [k * (k + 1) // 2 for k in range(N + 1)]  # of every column above


class Stream:
    """An object whose only method gives an Arrow stream."""

    def __init__(self, reader: Any) -> None:
        self.reader = reader

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.reader.__arrow_c_stream__(requested_schema)


def table(column: str) -> pa.Table:
    """Sound examples with this column."""
    found = {"id": COLUMNS["id"](), "relations": COLUMNS["relations"]()}
    found["relations" if column == "spans" else column] = COLUMNS[column]()
    if column != "id":
        found["id"] = pa.array(list("abcdefghi"))
    if column != "relations":
        found.setdefault("relations", COLUMNS["relations"]())
    if column not in ("relations", "spans"):
        found["relations"] = pa.array([[]] * N, RELATIONS)
    return pa.table({**found, "length": pa.array([99] * N, pa.int32())})


def broken(column: str, fault: str) -> pa.RecordBatchReader:
    """The same with the offsets of that column broken."""
    sink = pa.BufferOutputStream()
    sound = table(column)
    with pa.ipc.new_stream(sink, sound.schema) as writer:
        writer.write_table(sound)
    data = sink.getvalue().to_pybytes()
    before = np.array(STARTS, np.int32).tobytes()
    assert data.count(before) == 1, column
    data = data.replace(before, np.array(FAULTS[fault](STARTS), np.int32).tobytes())
    return pa.ipc.open_stream(data)


def iterator(reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
    yield from reader


WAYS: dict[str, Callable[[pa.RecordBatchReader], Any]] = {
    "Relations(table)": lambda reader: fc.Relations(reader.read_all()),
    "Relations(stream)": lambda reader: fc.Relations(Stream(reader)),
    "read(table)": lambda reader: fc.read(reader.read_all()),
    "read(reader)": fc.read,
    "read(stream)": lambda reader: fc.read(Stream(reader)),
    "read(iterator)": lambda reader: fc.read(iterator(reader)),
    "score(reader)": lambda reader: fc.score(reader, fc.read(table("id"))),
    "score(table)": lambda reader: fc.score(fc.read(table("id")), reader.read_all()),
    "score(iterator)": lambda reader: fc.score(iterator(reader), iterator(table("id").to_reader())),
    "agree(table)": lambda reader: fc.agree([reader.read_all(), table("id")]),
}


def outcome(way: str, column: str, fault: str) -> str:
    """Read a broken column; return "InputError", or another exception, or "none"."""
    try:
        WAYS[way](broken(column, fault)).table.to_pylist()
    except fc.InputError:
        return "InputError"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:80]}"
    return "none"


if __name__ == "__main__":
    wanted = sys.argv[1:] or WAYS
    for way in wanted:
        for column in COLUMNS:
            for fault in FAULTS:
                sys.stdout.write(f"{way} {column} {fault} ")
                sys.stdout.flush()  # after a crash the last trial is known
                sys.stdout.write(f"{outcome(way, column, fault)}\n")

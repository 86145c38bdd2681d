"""Submissions that no judge may score or break on: each a function of the folder to write to."""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import stat
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import fastcausal as fc
from fastcausal import sample

SPAN = {"role": "cause", "start": 0, "stop": 1}
EFFECT = {"role": "effect", "start": 1, "stop": 2}
_TABLE = fc.read(sample.GOLD).table.select(["id", "length"])
ROWS: list[dict[str, object]] = [
    {**row, "relations": [[SPAN, EFFECT]]} for row in _TABLE.to_pylist()
]
LARGE = 300 << 20

Written = bytes | Callable[[Path], None]


def lines(rows: list[object]) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


GOOD = lines([*ROWS])


def changed(**values: object) -> bytes:
    """Good predictions with other values in their first row."""
    return lines([{**ROWS[0], **values}, *ROWS[1:]])


def zipped(*files: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return packed.getvalue()


def large_in_zip(byte: bytes) -> bytes:
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("predictions.jsonl", "w") as file,
    ):
        for _ in range(LARGE >> 20):
            file.write(byte * (1 << 20))
    return packed.getvalue()


def entry(name: str, mode: int = 0, flags: int = 0) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(name)
    made.external_attr = mode << 16
    made.flag_bits = flags
    return made


def patched(at: bytes, offset: int, value: bytes) -> bytes:
    """A zip of good predictions, with other bytes after a mark."""
    data = bytearray(zipped(("p.jsonl", GOOD)))
    place = data.index(at) + offset
    data[place : place + len(value)] = value
    return bytes(data)


def made(data: Callable[[], bytes]) -> Callable[[Path], None]:
    """Return a function that makes bytes only when it writes them: they take long to make."""

    def write(path: Path) -> None:
        path.write_bytes(data())

    return write


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(LARGE)


def folder(*files: tuple[str, bytes]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.mkdir()
        for name, data in files:
            (path / name).write_bytes(data)

    return write


def link_to_gold(path: Path) -> None:
    path.mkdir()
    (path / "predictions.csv").symlink_to(sample.GOLD)


def pipe(path: Path) -> None:
    path.mkdir()
    os.mkfifo(path / "predictions.jsonl")


def parquet(table: pa.Table) -> bytes:
    packed = io.BytesIO()
    pq.write_table(table, packed)
    return packed.getvalue()


HOSTILE: dict[str, tuple[str, Written]] = {
    "zip bomb": ("a.zip", made(lambda: large_in_zip(b"\0"))),
    "300 MB line in a zip": ("a.zip", made(lambda: large_in_zip(b"x"))),
    "300 MB line": ("a.jsonl", sparse),
    "line of 30 MB": ("a.jsonl", made(lambda: b'{"id": "' + b"x" * (30 << 20))),
    "zip in a zip": ("a.zip", zipped(("b.zip", zipped(("p.jsonl", GOOD))))),
    "gzip in a zip": ("a.zip", zipped(("p.jsonl.gz", gzip.compress(GOOD)))),
    "gzip": ("a.jsonl.gz", gzip.compress(GOOD)),
    "gzip bomb": ("a.jsonl.gz", made(lambda: gzip.compress(b"\0" * (64 << 20), 9))),
    "zips in a zip": ("a.zip", zipped(*((f"{k}.zip", zipped(("p", GOOD))) for k in range(9)))),
    "path that leaves": ("a.zip", zipped(("../../p.jsonl", GOOD))),
    "absolute path": ("a.zip", zipped((entry("/etc/p.jsonl"), GOOD))),
    "path with backslashes": ("a.zip", zipped((entry("..\\p.jsonl"), GOOD))),
    "link in a zip": ("a.zip", zipped((entry("p.jsonl", stat.S_IFLNK | 0o777), b"/etc/passwd"))),
    "encrypted": ("a.zip", patched(b"PK\1\2", 8, struct.pack("<H", 1))),
    "cut zip": ("a.zip", zipped(("p.jsonl", GOOD))[:-200]),
    "other CRC": ("a.zip", patched(b"PK\1\2", 16, b"\1\2\3\4")),
    "lying size": ("a.zip", patched(b"PK\1\2", 24, struct.pack("<I", 10))),
    "many files": ("a.zip", made(lambda: zipped(*((f"{k}.jsonl", b"") for k in range(2000))))),
    "empty zip": ("a.zip", zipped()),
    "rubbish of a Mac": ("a.zip", zipped(("__MACOSX/._p.jsonl", GOOD), (".DS_Store", b"x"))),
    "two files": ("a.zip", zipped(("a.jsonl", GOOD), ("b.jsonl", GOOD))),
    "link to gold": ("a", link_to_gold),
    "pipe": ("a", pipe),
    "empty folder": ("a", folder()),
    "folder of two": ("a", folder(("a.jsonl", GOOD), ("b\nc.jsonl", GOOD))),
    "hidden file": ("a", folder((".p.jsonl", GOOD))),
    "missing": ("a.jsonl", lambda path: None),
    "empty": ("a.jsonl", b""),
    "white space": ("a.jsonl", b" \n\n\t\n"),
    "latin-1": ("a.jsonl", b'{"id": "caf\xe9"}\n' + GOOD),
    "utf-16 without a mark": ("a.jsonl", GOOD.decode().encode("utf-16-le")),
    "NUL bytes": ("a.jsonl", b"\0" * 1000),
    "random bytes": ("a.csv", bytes(range(256)) * 50),
    "pickle": ("a.pkl", pickle.dumps({"predictions": [1, 2, 3]})),
    "deep nesting": ("a.jsonl", b"[" * 100_000),
    "no JSON": ("a.jsonl", b"I am sorry, as a model I cannot\n"),
    "scalars": ("a.json", b"[1, 2, 3]"),
    "not a number": ("a.jsonl", lines(ROWS[1:]) + b'{"id": NaN, "relations": [NaN]}\n'),
    "rows missing": ("a.jsonl", lines(ROWS[5:])),
    "rows twice": ("a.jsonl", lines([*ROWS, *ROWS])),
    "unknown ids": ("a.jsonl", lines([*ROWS, {**ROWS[0], "id": "\x1b[2J\u202e"}])),
    "half a surrogate": ("a.jsonl", changed(id="\ud800")),
    "unknown role": ("a.jsonl", changed(relations=[[{**SPAN, "role": "Arg0"}]])),
    "huge span": ("a.jsonl", changed(relations=[[{**SPAN, "stop": 10**30}]])),
    "span outside": ("a.jsonl", changed(relations=[[{**SPAN, "stop": 10**6}]])),
    "negative span": ("a.jsonl", changed(relations=[[{**SPAN, "start": -5}]])),
    "other length": ("a.jsonl", changed(length=4000)),
    "cut Parquet": ("a.parquet", parquet(pa.table({"id": ["a"]}))[:-20]),
    "other Parquet": ("a.parquet", parquet(pa.table({"x": [1.5]}))),
    "Arrow in name": ("a.arrow", b"ARROW1\0\0" + b"\xff" * 500),
    "open quote": ("a.csv", b'index,causal_text_w_pairs\n1,"open\n'),
    "header alone": ("a.csv", b"index,causal_text_w_pairs\n"),
    "labels": ("a.csv", b"index,prediction\n0,1\n1,0\n"),
}  # fmt: skip


def write_hostile(name: str, place: Path) -> Path:
    """Write a submission; return its path."""
    file, written = HOSTILE[name]
    path = place / file
    if isinstance(written, bytes):
        path.write_bytes(written)
    else:
        written(path)
    return path

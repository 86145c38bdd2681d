"""The C interface, csrc/include/fastcausal.h, as a library that ctypes calls."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, Structure, byref, c_char, c_char_p, c_double, c_int32, c_int64, c_void_p
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import fastcausal as fc
from fastcausal.engine.device.sources import csrc
from tests.support import emulated

SOURCE = csrc() / "capi" / "fastcausal.cpp"
INCLUDE = f"-I{csrc() / 'include'}"
FOLDER = TemporaryDirectory()


class Error(Structure):
    _fields_ = (("code", c_int32), ("text", c_char * 252))


class RowsOfSide(Structure):
    _fields_ = (
        ("relation_offsets", c_void_p),
        ("row_offsets", c_void_p),
        ("spans", c_void_p),
        ("n_relations", c_int64),
        ("n_rows", c_int64),
        ("tagged", c_int64),
    )


class Results(Structure):
    _fields_ = tuple(
        (name, c_void_p) for name in ("counts", "per_example", "partner", "scores", "n_as_given")
    )


@cache
def library() -> ctypes.CDLL:
    target = Path(FOLDER.name, "libfastcausal.so")
    done = emulated.compiled(SOURCE, INCLUDE, "-fPIC", "-shared", "-o", target)
    assert not done.returncode, done.stderr
    loaded = ctypes.CDLL(str(target))
    for name in ("version", "protocol_line"):
        getattr(loaded, f"fastcausal_{name}").restype = c_char_p
    for name in ("count_names", "score_names"):
        getattr(loaded, f"fastcausal_{name}").restype = POINTER(c_char_p)
    return loaded


def call(name: str, *arguments: Any) -> None:
    """Call a function that returns a code; ValueError with its text."""
    error = Error()
    code = getattr(library(), f"fastcausal_{name}")(*arguments, byref(error))
    assert code == error.code
    if code:
        raise ValueError(code, error.text.decode())


class Protocol:
    """A protocol of the library, from its line."""

    def __init__(self, line: str, roles: str | None = None) -> None:
        self.handle = c_void_p()
        call("protocol_new", line.encode(), roles and roles.encode(), byref(self.handle))
        self.line = library().fastcausal_protocol_line(self.handle).decode()
        self.count_names, self.score_names = map(self._names, ("count", "score"))

    def _names(self, of: str) -> list[str]:
        n = c_int64()
        names = getattr(library(), f"fastcausal_{of}_names")(self.handle, byref(n))
        return [name.decode() for name in names[: n.value]]

    def __del__(self) -> None:
        library().fastcausal_protocol_free(self.handle)

    def score(self, gold: fc.Rows, pred: fc.Rows, n_threads: int = 1) -> dict[str, Any]:
        n = len(gold.lengths)
        results = {
            "counts": np.empty(len(self.count_names), np.int64),
            "per_example": np.empty((n, len(self.count_names)), np.int64),
            "partner": np.empty(gold.n_relations, np.int64),
            "scores": np.empty(len(self.score_names)),
            "n_as_given": np.empty(1, np.int64),
        }
        lengths = np.ascontiguousarray(gold.lengths)
        call(
            "score", self.handle, c_int64(n), c_void_p(lengths.ctypes.data), byref(side(gold)),
            byref(side(pred)), c_int64(n_threads),
            byref(Results(*(array.ctypes.data for array in results.values()))),
        )  # fmt: skip
        return results

    def scores(self, counts: Any) -> dict[str, float]:
        counts, scores = np.ascontiguousarray(counts), np.empty(len(self.score_names))
        pointers = (c_void_p(array.ctypes.data) for array in (counts, scores))
        call("score_counts", self.handle, *pointers)
        return dict(zip(self.score_names, scores.tolist(), strict=True))


def side(rows: fc.Rows) -> RowsOfSide:
    arrays = (rows.relation_offsets, rows.row_offsets, rows.values)
    return RowsOfSide(
        *(array.ctypes.data for array in arrays),
        rows.n_relations, len(rows.values), rows.tags is not None and rows.tags != "strict",
    )  # fmt: skip


def read_tags(reading: str, sentences: list[str], room: int | None = None) -> fc.Rows:
    texts = [sentence.encode() for sentence in sentences]
    text, n = b"".join(texts), len(texts)
    offsets = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    if room is None:
        room = text.count(b"<")
    n_tokens, row_offsets = np.empty(n, np.int32), np.empty(n + 1, np.int64)
    spans = np.empty((room, 3), np.int32)
    pointers = [c_void_p(array.ctypes.data) for array in (offsets, n_tokens, row_offsets, spans)]
    call("read_tags", reading.encode(), text, pointers[0], c_int64(n), *pointers[1:], c_int64(room))
    return fc.Rows(spans[: row_offsets[n]], row_offsets, np.arange(n + 1), n_tokens, reading)

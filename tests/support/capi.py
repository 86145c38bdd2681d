"""The C interface, csrc/include/fastcausal.h, as a library that ctypes calls."""

from __future__ import annotations

import ctypes
import fcntl
import shutil
import subprocess
from ctypes import POINTER, Structure, byref, c_char, c_char_p, c_int32, c_int64, c_void_p
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import fastcausal as fc
from fastcausal.engine.device.sources import csrc
from fastcausal.formats.cnc.markup import OFFICIAL
from fastcausal.relations import ROLES
from fastcausal.tasks.extraction.cnc2022 import scores_2022
from fastcausal.tasks.extraction.counting import counting_of, formula_of
from fastcausal.tasks.relations.official import apply_tagging
from tests.support.data import ROOT

SOURCE = csrc() / "capi" / "fastcausal.cpp"
WARNINGS = "-Wall -Wextra -Wshadow -Wconversion -Werror"
RESULTS = ("counts", "per_example", "partner", "scores", "n_as_given")


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
    _fields_ = tuple((name, c_void_p) for name in RESULTS)


@cache
def installed() -> Path:
    """The folder that `make capi` fills, once for all processes that test it."""
    missing = [tool for tool in ("make", "c++", "ar") if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"no {missing[0]}")
    folder = ROOT / "build" / "tested-capi"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        command = ["make", "-s", "capi", f"CAPI={folder}", f"CXXFLAGS={WARNINGS}"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@cache
def library() -> ctypes.CDLL:
    loaded = ctypes.CDLL(str(installed() / "lib" / "libfastcausal.so"))
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


def expected(protocol: fc.Protocol, gold: fc.Rows, pred: fc.Rows) -> dict[str, Any]:
    """Return the Python library's results for rows without tags, by the names of the C API."""
    n_as_given = 0
    if protocol.tags in OFFICIAL:
        gold, n_gold = apply_tagging(gold, protocol.tags)
        pred, n_pred = apply_tagging(pred, protocol.tags)
        n_as_given = n_gold + n_pred
    counting = counting_of(protocol, ROLES, "cpu", None)
    partner, per_example = counting.runner(counting.plan, gold, pred)
    counts = per_example.sum(axis=0)
    groups = ("overall", *ROLES)
    if protocol.average == "cnc-2022":
        examples = pa.table({"id": [str(k) for k in range(gold.n_examples)]})
        by_group = scores_2022(counting.plan, gold, pred, examples, ROLES, "cpu")[0]
        figures = [by_group[group] for group in groups]
    else:
        formula = formula_of(protocol, ROLES)
        in_groups = (formula.counts_of(counts, group) for group in formula.groups)
        figures = [formula.scores_of_group(each) for each in in_groups]
    scores = np.array([value for of in figures for value in of.values()], np.float64)
    as_given = np.array([n_as_given])
    return dict(zip(RESULTS, (counts, per_example, partner, scores, as_given), strict=True))


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
        n, n_counts = len(gold.lengths), len(self.count_names)
        shapes = (n_counts, (n, n_counts), gold.n_relations, len(self.score_names), 1)
        results = {
            name: np.empty(shape, np.float64 if name == "scores" else np.int64)
            for name, shape in zip(RESULTS, shapes, strict=True)
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

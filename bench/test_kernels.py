"""A kernel written in Python and compiled by numba, against the same kernel in C++."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from types import SimpleNamespace

import numpy as np
import pytest

import fastcausal as fc
from fastcausal.engine import jit
from fastcausal.engine.device.sources import csrc
from fastcausal.engine.run import run
from fastcausal.relations import ROLES

from . import corpus

CORPUS = "CNC, good system"
SOURCE = """
#include "fastcausal/exact_spans.h"
#include "fastcausal/sinks.h"
using namespace fastcausal;
static void counted(const Row* gold, int64_t n_gold, const Row* pred, int64_t n_pred,
                    int64_t length, const int64_t* params, int64_t* counts) {
  CountSink sink{counts};
  exact_spans({gold, n_gold}, {pred, n_pred}, length, params, sink);
}
extern "C" const Kernel exact_spans_pointer = counted;
"""
COMPILER = shutil.which("c++")


@fc.kernel(fields=["tp", "fp", "fn"], additive=True, never_costs=True)
def same_spans(gold, pred, length, params, counts):
    """Merge two lists in (start, stop, role) order, as exact_spans.h does."""
    i = j = 0
    while i < len(gold) or j < len(pred):
        if i == len(gold):
            order = 1
        elif j == len(pred):
            order = -1
        else:
            order = gold[i, 1] - pred[j, 1]
            if order == 0:
                order = gold[i, 2] - pred[j, 2]
            if order == 0:
                order = gold[i, 0] - pred[j, 0]
        if order == 0:
            counts[3 * gold[i, 0]] += 1
        elif order > 0:
            counts[3 * pred[j, 0] + 1] += 1
        else:
            counts[3 * gold[i, 0] + 2] += 1
        i += order <= 0
        j += order >= 0


ordinal = fc.kernel(fields=["tp", "fp", "fn"], additive=True, never_costs=True, ordinal=True)(
    same_spans.function
)


@fc.kernel(fields=["tp", "fp", "fn"], additive=True, never_costs=True)
def through_pointer(gold, pred, length, params, counts):
    """Stand for exact_spans.h compiled as a library, which no driver can inline."""


@pytest.fixture
def pointer(tmp_path, monkeypatch):
    """The C++ kernel as a function of a library, if there is a compiler."""
    if COMPILER is None:
        return {}
    source, library = tmp_path / "kernel.cpp", tmp_path / "kernel.so"
    source.write_text(SOURCE)
    flags = ("-std=c++17", "-O3", "-shared", "-fPIC", "-ffp-contract=off", f"-I{csrc()}")
    subprocess.run([COMPILER, *flags, str(source), "-o", str(library)], check=True)
    address = ctypes.c_void_p.in_dll(ctypes.CDLL(str(library)), "exact_spans_pointer").value
    entry = SimpleNamespace(address=address)
    function = jit.Compiled(function=None, entry=entry, faults=np.zeros(2, np.int64))
    monkeypatch.setitem(vars(through_pointer), "compiled", function)
    return {"the same C++ through a pointer": through_pointer}


def test_same_spans(race, sentences, pointer):
    kernels = {"same_spans": same_spans, "exact_spans, C++, built in": "exact_spans", **pointer}
    groups = np.zeros(sentences[0].n_examples, np.int64)

    def counted(kernel):
        plan = fc.Protocol("test", kernel).plan(ROLES)
        return lambda: run(plan, *sentences, groups, 1, num_threads=1)

    calls = {name: counted(kernel) for name, kernel in kernels.items()}
    ours = calls.pop("same_spans")
    for other in calls.values():
        assert (other().partner == ours().partner).all()
        assert (other().counts == ours().counts).all()
    race(
        "kernel in Python, by numba: rows to counts",
        sentences[0].n_examples,
        ours,
        calls,
        rounds=15,
        n_bytes=corpus.n_bytes(*sentences),
    )


def test_ordinal(race, sentences):
    """The kernel is called once a pattern, without numba."""
    mine, built_in = (
        fc.Protocol("test", kernel).plan(ROLES) for kernel in (ordinal, "exact_spans")
    )

    def counted(plan):
        return run(plan, *sentences, None, 1, num_threads=1, partners=False).counts

    assert (counted(mine) == counted(built_in)).all()
    race(
        "ordinal kernel in plain Python: rows to counts",
        sentences[0].n_examples,
        lambda: counted(mine),
        {"exact_spans, C++, built in": lambda: counted(built_in)},
        rounds=15,
        n_bytes=corpus.n_bytes(*sentences),
    )

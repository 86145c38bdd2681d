"""Calls in many threads, which take turns at every chance, give the results of one thread."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import fastcausal as fc
from fastcausal import sample

PACKAGE = Path(fc.__file__).parent
THREADS, ROUNDS = 8, 4


def test_native_modules_declare_that_they_run_without_the_gil():
    sources = sorted(PACKAGE.rglob("*.pyx"))
    line = "# cython: freethreading_compatible=True"
    heads = {path: path.read_text(encoding="utf-8").splitlines()[:2] for path in sources}
    assert heads
    assert [path.name for path, head in heads.items() if line not in head] == []


@pytest.fixture
def eager_switches() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def calls():
    """Calls of all native modules that share one input."""
    gold = fc.read(sample.GOLD)
    sides = {name: fc.read(sample.SYSTEMS[name], like=gold) for name in ("careful", "hasty")}
    for protocol in ("recess", "cnc-2023"):
        for side in sides.values():
            yield lambda side=side, protocol=protocol: fc.score(gold, side, protocol).to_dict()
    report = fc.score(gold, sides["careful"])
    yield lambda: report.statistics.intervals(method="bca", n_resamples=200, seed=3).to_dict()
    yield lambda: fc.agree({"a": gold, "b": sides["careful"]}).to_dict()
    yield lambda: fc.read(sample.GOLD).table.to_pylist()
    yield lambda: fc.describe(gold).to_dict()
    yield lambda: fc.answers(sample.JUDGED).to_dict()


def test_threads_share_their_input(eager_switches):
    work = [*calls()]
    expected = [call() for call in work]
    with ThreadPoolExecutor(THREADS) as pool:
        for _ in range(ROUNDS):
            found = [*pool.map(lambda call: call(), work)]
            assert found == expected

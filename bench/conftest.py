"""The race of fastcausal against what it is compared with, and the table of all races."""

from __future__ import annotations

import gc
import os
import platform
import statistics
import time
import timeit
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from fastcausal.rows import Rows

from . import corpus

Call = Callable[[], Any]
WARM_UP = 0.005  # seconds of calls before one is timed: as warm as in a loop
UNLIKE = 1.5  # times that ratios of CPU time and of wall time differ at most


class Clocks(NamedTuple):
    """Seconds of a call: by the wall, of CPU in all it starts, and in the calling thread."""

    wall: float
    process: float
    thread: float

    @classmethod
    def now(cls) -> Clocks:
        times = os.times()
        process = time.process_time() + times.children_user + times.children_system
        return cls(time.perf_counter(), process, time.thread_time())

    @classmethod
    def of(cls, call: Call) -> Clocks:
        before = cls.now()
        call()
        return cls(*(b - a for a, b in zip(before, cls.now(), strict=True)))

    @classmethod
    def median(cls, times: list[Clocks]) -> Clocks:
        return cls(*map(statistics.median, zip(*times, strict=True)))

    @property
    def seconds(self) -> float:
        """CPU time where the calling thread does all, which a busy machine stretches least."""
        alone = self.process - self.thread < 0.1 * self.process and self.thread > 0.1 * self.wall
        return self.thread if alone else self.wall


@dataclass(frozen=True)
class Outcome:
    """One race: medians of ours and of each other, over the same rounds."""

    what: str
    n: int  # examples in one call
    ours: Clocks
    others: dict[str, Clocks]
    n_bytes: int  # of the arrays that a call reads, 0 where it is not about them
    n_relations: int  # of both sides, 0 likewise

    def ratio(self, name: str) -> float:
        """How many times longer the other takes."""
        return self.others[name].seconds / self.ours.seconds

    def agrees(self, name: str) -> bool:
        """Whether wall time says much the same."""
        by_wall = self.others[name].wall / self.ours.wall
        return 1 / UNLIKE < self.ratio(name) / by_wall < UNLIKE


OUTCOMES = pytest.StashKey[list[Outcome]]()
NOTES = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--sentences",
        type=int,
        default=100_000,
        help="sentences of the large corpus (default: 100000)",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[OUTCOMES] = []
    config.stash[NOTES] = []
    if not config.getoption("benchmark_compare", None):
        config.option.benchmark_quiet = True  # the table below says the same, and the ratios


@pytest.fixture(scope="session")
def sentences(request: pytest.FixtureRequest) -> tuple[Rows, Rows]:
    """Gold and predictions of ``--sentences`` sentences."""
    return corpus.sentences(request.config.getoption("--sentences"))


@pytest.fixture
def note(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Add a line below the table."""
    return request.config.stash[NOTES].append


@pytest.fixture
def race(benchmark: Any, request: pytest.FixtureRequest) -> Callable[..., Outcome | None]:
    def run(
        what: str,
        n: int,
        ours: Call,
        others: Mapping[str, Call] | None = None,
        rounds: int = 5,
        n_bytes: int = 0,
        n_relations: int = 0,
    ) -> Outcome | None:
        """Time a call and its rivals, in turn in each round; None where nothing is timed."""
        others = others or {}
        times: dict[str, list[Clocks]] = {name: [] for name in others}
        own: list[Clocks] = []

        def warm(call: Call, last: list[Clocks]) -> None:
            start = time.perf_counter()
            while not (last and last[-1].wall > WARM_UP) and time.perf_counter() < start + WARM_UP:
                call()

        def before() -> None:
            for name, call in others.items():
                warm(call, times[name])
                times[name].append(Clocks.of(call))
            warm(ours, own[:0])

        gc.collect()
        gc.freeze()  # the corpus is no garbage for either side to look through
        benchmark.pedantic(lambda: own.append(Clocks.of(ours)), setup=before, rounds=rounds)
        gc.unfreeze()
        if not benchmark.enabled:
            return None
        medians = {name: Clocks.median(found) for name, found in times.items()}
        outcome = Outcome(what, n, Clocks.median(own), medians, n_bytes, n_relations)
        seconds = {name: clocks.seconds for name, clocks in medians.items()}
        benchmark.extra_info |= {"examples": n, "seconds": seconds}
        benchmark.extra_info["ratio"] = {name: outcome.ratio(name) for name in medians}
        request.config.stash[OUTCOMES].append(outcome)
        return outcome

    return run


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    outcomes = config.stash[OUTCOMES]
    if not outcomes:
        return
    write = terminalreporter.write_line
    terminalreporter.section("medians of interleaved rounds")
    write(f"{os.cpu_count()} cores of {platform.machine()}, Python {platform.python_version()}")
    bandwidth = read_bandwidth() if any(o.n_bytes for o in outcomes) else 0.0
    head = f"{'':48}{'examples':>10}{'time':>10}{'cores':>7}{'examples/s':>12}{'relations/s':>13}"
    head += f"{'of read':>9}"
    write(f"{head}  {'against':36}{'time':>10}")
    for o in outcomes:
        ours = o.ours.seconds
        rate = f"{o.n / ours:,.0f}" if o.n else ""
        related = f"{o.n_relations / ours:,.0f}" if o.n_relations else ""
        share = f"{o.n_bytes / ours / bandwidth:.2%}" if o.n_bytes else ""
        cores = f"{o.ours.process / o.ours.wall:.1f}"
        line = f"{o.what:48}{o.n or '':>10}{_short(ours):>10}{cores:>7}{rate:>12}{related:>13}"
        line += f"{share:>9}"
        for name, clocks in o.others.items():
            ratio = o.ratio(name)
            times = f"{ratio:,.0f}×" if ratio >= 100 else f"{ratio:.2g}×"
            times = times if o.agrees(name) else ""
            write(f"{line}  {name:36}{_short(clocks.seconds):>10}{times:>8}")
            line = " " * len(line)
        if not o.others:
            write(line)
    if bandwidth:
        write(f"of read: bytes of rows per second, of the {bandwidth / 1e9:.1f} GB/s that one core")
        write("reads from memory (numpy's sum of 512 MiB)")
    for line in config.stash[NOTES]:
        write(line)


def read_bandwidth() -> float:
    """Bytes per second that one core reads from memory."""
    array = np.ones(1 << 26, np.int64)
    return array.nbytes / min(timeit.repeat(array.sum, number=1, repeat=5))


def _short(seconds: float) -> str:
    unit, scale = ("s", 1.0) if seconds >= 1 else ("ms", 1e-3) if seconds >= 1e-3 else ("µs", 1e-6)
    return f"{seconds / scale:.3g} {unit}"

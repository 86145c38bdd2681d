"""The race of fastcausal against what it is compared with, and the table of all races."""

from __future__ import annotations

import gc
import os
import platform
import resource
import statistics
import time
import timeit
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from fastcausal.rows import Rows

from . import corpus

Call = Callable[[], Any]
WARM_UP = 0.005  # seconds of calls before one is timed: as warm as in a loop
MOST_APART = 1.25  # ratios by the clock and by CPU time: beyond, none is printed


@dataclass(frozen=True)
class Outcome:
    """One race: median seconds of ours and of each other, over the same rounds."""

    what: str
    n: int  # examples in one call
    ours: float
    others: dict[str, float]
    n_bytes: int  # of the arrays that a call reads, 0 where it is not about them
    cpu: dict[str, float]  # median seconds of processors, "" for ours

    def ratio(self, name: str) -> float:
        return self.others[name] / self.ours

    def agrees(self, name: str) -> bool:
        """Tell if CPU time gives about the same ratio: a call that had to wait has no wall time."""
        by_cpu = self.cpu[name] / max(self.cpu[""], 1e-9)
        return max(by_cpu / self.ratio(name), self.ratio(name) / max(by_cpu, 1e-9)) < MOST_APART


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
    ) -> Outcome | None:
        """Time a call and its rivals, in turn in each round; None where nothing is timed."""
        others = others or {}
        times: dict[str, list[float]] = {name: [] for name in others}
        cpu: dict[str, list[float]] = {name: [] for name in ("", *others)}

        def before() -> None:
            for name, call in others.items():
                warm(call)
                start, start_cpu = time.perf_counter(), cpu_time()
                call()
                times[name].append(time.perf_counter() - start)
                cpu[name].append(cpu_time() - start_cpu)
            warm(ours)

        def warm(call: Call) -> None:
            if warmed.get(call, 0) > WARM_UP:
                return  # a call that long is as warm as it gets
            start = time.perf_counter()
            while (taken := time.perf_counter() - start) < WARM_UP:
                call()
                last = time.perf_counter() - start - taken
                warmed[call] = min(last, warmed.get(call, last))

        def timed() -> None:
            start_cpu = cpu_time()
            ours()
            cpu[""].append(cpu_time() - start_cpu)

        warmed: dict[Call, float] = {}  # least seconds of a call of each

        gc.collect()
        gc.freeze()  # the corpus is no garbage for either side to look through
        benchmark.pedantic(timed, setup=before, rounds=rounds)
        gc.unfreeze()
        if not benchmark.enabled:
            return None
        medians = {name: statistics.median(found) for name, found in times.items()}
        of_cpu = {name: statistics.median(seconds) for name, seconds in cpu.items()}
        outcome = Outcome(what, n, benchmark.stats.stats.median, medians, n_bytes, of_cpu)
        benchmark.extra_info |= {"examples": n, "seconds": medians}
        benchmark.extra_info["ratio"] = {
            name: outcome.ratio(name) for name in medians if outcome.agrees(name)
        }
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
    head = f"{'':48}{'examples':>10}{'time':>10}{'examples/s':>12}{'of read':>9}"
    write(f"{head}  {'against':36}{'time':>10}")
    for o in outcomes:
        rate = f"{o.n / o.ours:,.0f}" if o.n else ""
        share = f"{o.n_bytes / o.ours / bandwidth:.2%}" if o.n_bytes else ""
        line = f"{o.what:48}{o.n or '':>10}{_short(o.ours):>10}{rate:>12}{share:>9}"
        for name, seconds in o.others.items():
            ratio = o.ratio(name)
            times = f"{ratio:,.0f}×" if ratio >= 100 else f"{ratio:.2g}×"
            times = times if o.agrees(name) else "waited"
            write(f"{line}  {name:36}{_short(seconds):>10}{times:>8}")
            line = " " * len(line)
        if not o.others:
            write(line)
    if bandwidth:
        write(f"of read: bytes of rows per second, of the {bandwidth / 1e9:.1f} GB/s that one core")
        write("reads from memory (numpy's sum of 512 MiB)")
    for line in config.stash[NOTES]:
        write(line)


def cpu_time() -> float:
    """Seconds of processors that this process and those it started have taken."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def read_bandwidth() -> float:
    """Bytes per second that one core reads from memory."""
    array = np.ones(1 << 26, np.int64)
    return array.nbytes / min(timeit.repeat(array.sum, number=1, repeat=5))


def _short(seconds: float) -> str:
    unit, scale = ("s", 1.0) if seconds >= 1 else ("ms", 1e-3) if seconds >= 1e-3 else ("µs", 1e-6)
    return f"{seconds / scale:.3g} {unit}"

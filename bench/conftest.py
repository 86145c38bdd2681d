"""Races of fastcausal against its rivals, and the table of all races."""

from __future__ import annotations

import ctypes
import gc
import os
import platform
import statistics
import time
import timeit
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import log
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest

from fastcausal.rows import Rows

from . import corpus, page

Call = Callable[[], Any]
SPENT = 5.0  # seconds of a race, after which no round begins; there are two at least
WARM_UP = 0.005  # seconds of calls before a timed call, which then is as warm as in a loop
SLOW = 0.2  # seconds of a call that need no warm call before each
SIZES = (12_500, 50_000, 200_000)  # numbers of examples to measure growth with
ROUNDS = 3
UNLIKE = 1.5  # the ratios by CPU time and by wall time may differ by this factor


class Clocks(NamedTuple):
    """Seconds of a call: wall time, CPU time with all threads and children, of its own thread."""

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
    def alone(self) -> bool:
        """True if the calling thread does all the work."""
        return self.process - self.thread < 0.1 * self.process and self.thread > 0.01 * self.wall

    @property
    def seconds(self) -> float:
        """Thread time, which load changes least, if the calling thread does all; else wall time."""
        return self.thread if self.alone else self.wall


@dataclass(frozen=True)
class Outcome:
    """One race: median times of our call and of each rival, over the same rounds."""

    part: str  # the part of bench
    what: str
    corpus: str
    n: int  # examples in one call
    ours: Clocks
    others: dict[str, Clocks]
    reading: dict[str, Clocks]  # calls that only read the input
    n_bytes: int  # bytes of the arrays that a call reads; 0 if they are not of interest
    n_relations: int  # relations of both sides; 0 if they are not of interest
    growth: tuple[str, ...] = ()  # exponents of cost, and memory, if that is the question

    def ratio(self, name: str) -> float:
        """Return how many times longer the rival takes."""
        return self.others[name].seconds / self.ours.seconds

    def share(self, name: str) -> float:
        """Return how many times longer our call takes than only reading the input."""
        return self.ours.seconds / self.reading[name].seconds

    def agrees(self, name: str) -> bool:
        """Return True if both sides use only their thread, or wall time gives a similar ratio."""
        other = (self.others | self.reading)[name]
        if self.ours.alone and other.alone:
            return True
        by_wall = other.wall / self.ours.wall
        return 1 / UNLIKE < other.seconds / self.ours.seconds / by_wall < UNLIKE


def exponents(seconds: list[float]) -> str:
    """Return the exponents of cost, from n to 4n and from 4n to 16n, given the seconds of each.

    >>> exponents([1, 4, 32])
    '1.00, 1.50'
    """
    return ", ".join(f"{log(after / before, 4):.2f}" for before, after in pairwise(seconds))


OUTCOMES = pytest.StashKey[list[Outcome]]()
NOTES = pytest.StashKey[dict[str, list[str]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--sentences",
        type=int,
        default=100_000,
        help="sentences of the large corpus (default: 100000)",
    )
    parser.addoption("--page", type=Path, help="page whose tables are written anew")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[OUTCOMES] = []
    config.stash[NOTES] = {}
    if not config.getoption("benchmark_compare", None):
        config.option.benchmark_quiet = True  # our own table has these times, and the ratios


@pytest.fixture(scope="session")
def sentences(request: pytest.FixtureRequest) -> tuple[Rows, Rows]:
    """Gold and predictions of ``--sentences`` sentences, by the good system unless one is named."""
    noise = corpus.NOISES[getattr(request, "param", "good")]
    return corpus.sentences(request.config.getoption("--sentences"), noise=noise)


@pytest.fixture
def note(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """A function that adds a line below the table."""
    return request.config.stash[NOTES].setdefault(part_of(request), []).append


def part_of(request: pytest.FixtureRequest) -> str:
    """Return the part of bench that a test belongs to."""
    return request.path.stem.removeprefix("test_")


def named(of: str) -> str:
    """Return the name of a corpus, with the sentences that are there in place of CNC."""
    return of.replace("CNC", corpus.source_name())


def corpus_of(request: pytest.FixtureRequest) -> str:
    """Return the corpus of a test: its module's CORPUS, and the system among its parameters."""
    of_module = named(getattr(request.module, "CORPUS", ""))
    called = getattr(request.node, "callspec", None)
    systems = (
        [value for value in called.params.values() if value in (*corpus.NOISES,)] if called else []
    )
    return ", ".join([of_module, *(f"{system} system" for system in systems)])


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
        reading: Mapping[str, Call] | None = None,
        corpus: str = "",
    ) -> Outcome | None:
        """Time a call and its rivals, in turn in each round; return None if timing is disabled.

        ``reading`` has calls that only read the input; ``corpus`` replaces the module's corpus.
        """
        others, reading = others or {}, reading or {}
        rivals = {**others, **reading}
        times: dict[str, list[Clocks]] = {name: [] for name in rivals}
        own: list[Clocks] = []

        def warm(call: Call, last: list[Clocks]) -> None:
            start = time.perf_counter()
            while not (last and last[-1].wall > WARM_UP) and time.perf_counter() < start + WARM_UP:
                call()

        def before() -> None:
            for name, call in rivals.items():
                warm(call, times[name])
                times[name].append(Clocks.of(call))
            warm(ours, [] if not own or own[-1].wall < SLOW else own)

        def timed() -> None:
            own.append(Clocks.of(ours))

        gc.collect()
        gc.freeze()  # so that the collector does not look through the corpus during a call
        start = time.perf_counter()
        before()
        timed()
        left = SPENT / (time.perf_counter() - start) - 1
        benchmark.pedantic(timed, setup=before, rounds=max(1, min(rounds - 1, int(left))))
        gc.unfreeze()
        if not benchmark.enabled:
            return None
        medians = {name: Clocks.median(found) for name, found in times.items()}
        outcome = Outcome(
            part_of(request), what, named(corpus) or corpus_of(request), n, Clocks.median(own),
            {name: medians[name] for name in others}, {name: medians[name] for name in reading},
            n_bytes, n_relations,
        )  # fmt: skip
        seconds = {name: clocks.seconds for name, clocks in medians.items()}
        benchmark.extra_info |= {"examples": n, "seconds": seconds}
        benchmark.extra_info["ratio"] = {name: outcome.ratio(name) for name in others}
        request.config.stash[OUTCOMES].append(outcome)
        return outcome

    return run


@pytest.fixture
def grown(race, benchmark, request) -> Callable[..., None]:
    def run(what, call, reading=None, sizes=SIZES):
        """Measure how a call grows with its size, and its memory; race it with the largest size."""
        least = []
        gc.collect()
        gc.freeze()  # so that the collector does not look through the input during a call
        for n in sizes:
            memory = memory_of(partial(call, n))  # which also warms the call up
            clocks = [Clocks.of(partial(call, n)) for _ in range(ROUNDS)]
            least.append(min(each.process for each in clocks))
        gc.unfreeze()
        if reading:
            race(what, n, partial(call, n), rounds=ROUNDS, reading=reading)
        else:
            benchmark.pedantic(int, rounds=1)  # --benchmark-only wants a benchmark of each test
        if benchmark.enabled:
            own = Clocks.median(clocks)
            of, growth = corpus_of(request), (exponents(least), memory)
            outcome = Outcome(part_of(request), what, of, n, own, {}, {}, 0, 0, growth)
            request.config.stash[OUTCOMES].append(outcome)

    return run


def memory_of(call: Call) -> str:
    """Return how much more memory a call takes at its peak, where the system can say it."""
    status, reset = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    if not reset.exists():
        call()
        return ""
    gc.collect()
    pa.default_memory_pool().release_unused()
    ctypes.CDLL(None).malloc_trim(0)  # or the call would take what others have left
    reset.write_text("5")  # the peak begins anew
    before, after = (_peak(status), (call(), _peak(status))[1])
    return f"{(after - before) / 1024:.0f} MB"


def _peak(status: Path) -> int:
    [line] = (line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1])


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    outcomes = config.stash[OUTCOMES]
    if not outcomes and not config.stash[NOTES]:
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
        line = (
            f"{o.what:48}{o.n or '':>10}{page.duration(ours):>10}{cores:>7}{rate:>12}{related:>13}"
        )
        line += f"{share:>9}"
        line += f"  {' exponents, '.join(o.growth)}"
        for name, clocks in (o.others | o.reading).items():
            times = (
                f"{page.figure(o.ratio(name))}×" if name in o.others else page.figure(o.share(name))
            )
            times = times if o.agrees(name) else ""
            write(f"{line}  {name:36}{page.duration(clocks.seconds):>10}{times:>8}")
            line = " " * len(line)
        if not o.others and not o.reading:
            write(line)
    if bandwidth:
        write(f"of read: bytes of rows per second, of the {bandwidth / 1e9:.1f} GB/s that one core")
        write("reads from memory (numpy's sum of 512 MiB)")
    for line in (line for lines in config.stash[NOTES].values() for line in lines):
        write(line)
    if config.getoption("--page"):
        size = config.getoption("--sentences")
        page.write(config.getoption("--page"), outcomes, config.stash[NOTES], size)


def read_bandwidth() -> float:
    """Measure how many bytes per second one core reads from memory."""
    array = np.ones(1 << 26, np.int64)
    return array.nbytes / min(timeit.repeat(array.sum, number=1, repeat=5))

"""Looks at one test set: a file with a line for each, whose levels add up to the level of all."""

from __future__ import annotations

import fcntl
import json
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from types import NoneType
from typing import Any, NamedTuple

from fastcausal.arrays.digests import digest_of_texts
from fastcausal.counts.seals import SEAL, Written, require_seal, sealed
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import InputError, OutputError, invalid_json
from fastcausal.files.files import Source
from fastcausal.files.values import JSON, require
from fastcausal.options import Verdict

SHAPE = {
    "k": int, "gold": str, "score": str, "D": (int, float), "baseline": str, "candidate": str,
    "alpha": float, "window": (int, NoneType), "verdict": str, SEAL: str,
}  # fmt: skip
EQUAL = 1e-9  # relative difference of levels that are the same


class Question(NamedTuple):
    """What a look asks: the same question has the same answer, and spends nothing."""

    # Digests of gold and of the counts of both systems
    gold: str
    score: str  # Flat name
    D: float  # The least difference that passes
    baseline: str
    candidate: str

    @classmethod
    def ask(cls, baseline: Statistics, candidate: Statistics, score: str, least: float) -> Question:
        """Make the question of a difference of two systems with the same units."""
        gold, ids = candidate.gold, candidate.ids()
        if gold is None:  # tables of values have ids alone
            if ids is None:
                raise InputError("neither gold nor ids are known, expected a test set to look at")
            gold = digest_of_texts(None, ids)
        sides = (
            Written.seal(side.formula, side.table(), ()).digest for side in (baseline, candidate)
        )
        known, before, after = (f"{digest:032x}" for digest in (gold, *sides))
        return cls(known, score, float(least), before, after)


@dataclass(frozen=True)
class Spending:
    """How the level of all looks is divided among them."""

    alpha: float  # Of all looks together
    window: int | None = None  # Number of looks with equal levels; None for any number

    def level_of(self, k: int) -> float:
        """Return the level of look k, from 1 on.

        >>> Spending(0.05).level_of(1), Spending(0.05, 10).level_of(1)
        (0.025, 0.005)
        """
        return self.alpha / (k * (k + 1) if self.window is None else self.window)

    def is_of(self, line: dict[str, Any]) -> bool:
        """Return True if this rule gives the level of a line."""
        level = self.level_of(line["k"])
        return line["window"] == self.window and math.isclose(level, line["alpha"], rel_tol=EQUAL)


@dataclass(frozen=True)
class Look:
    """A look at a test set, with the verdict of a former one at the same."""

    question: Question
    k: int  # Among the looks at this gold and score, from 1 on
    alpha: float  # Level of each one-sided bound
    window: int | None
    verdict: Verdict | None = None  # None if nobody looked at this before

    def line(self) -> str:
        """Return the line in print.

        >>> Look(Question("", "", 0.0, "", ""), 12, 0.05 / 156, None).line()
        'look 12 of this test set: level 0.03%'
        """
        percent = 100 * self.alpha
        places = max(2, -math.floor(math.log10(percent)))
        level = f"{percent:.{places}f}".rstrip("0").rstrip(".")
        again = "" if self.verdict is None else ", judged before"
        return f"look {self.k} of this test set: level {level}%{again}"


class Looks:
    """The looks in a file, locked for one process."""

    def __init__(self, name: str, handle: int, rule: Spending) -> None:
        self._name, self._handle, self._rule = name, handle, rule
        self._lines = [*self._read()]

    @property
    def window(self) -> int | None:
        """Number of looks with equal levels; None for any number."""
        return self._rule.window

    def take(self, question: Question) -> Look:
        """Return the look that answers a question: a former one, or the next."""
        window = self._rule.window
        for line in self._lines:
            if question == tuple(line[name] for name in Question._fields):
                return Look(question, line["k"], line["alpha"], window, line["verdict"])
        k = 1 + sum(_series(line) == (question.gold, question.score) for line in self._lines)
        if window is not None and k > window:
            raise InputError(
                f"{self._name}: the window of {window} looks at this test set is spent, expected "
                "new examples"
            )
        return Look(question, k, self._rule.level_of(k), window)

    def add(self, look: Look, verdict: Verdict) -> None:
        """Add the line of a look, and its verdict."""
        line = {
            "k": look.k, **look.question._asdict(), "alpha": look.alpha, "window": look.window,
            "verdict": verdict,
        }  # fmt: skip
        data = json.dumps(sealed(line)).encode() + b"\n"
        size = os.fstat(self._handle).st_size
        if size and os.pread(self._handle, 1, size - 1) != b"\n":
            data = b"\n" + data
        try:
            while data:
                data = data[os.write(self._handle, data) :]
            os.fsync(self._handle)
        except BaseException:  # no space is left: no half of a line stays
            os.ftruncate(self._handle, size)
            raise

    def _read(self) -> Iterator[dict[str, Any]]:
        """Yield the lines; InputError for one that was changed, lost, or has another rule."""
        source = Source(self._name, os.pread(self._handle, os.fstat(self._handle).st_size, 0))
        last: dict[tuple[str, str], int] = {}
        for number, text in source.filled_lines():
            place = f"{self._name}:{number}"
            try:
                line = JSON.decode(text)
                require(line, SHAPE)
            except InputError as error:
                raise InputError(
                    f"{place}: not a look, as gate --looks writes it: {error}"
                ) from error
            except (ValueError, RecursionError) as error:
                raise InputError(invalid_json(self._name, error, number)) from error
            require_seal(line, place, "the line")
            expected = last.get(_series(line), 0) + 1
            if line["k"] != expected:
                raise InputError(
                    f"{place}: look {line['k']}, expected look {expected}: lines are lost"
                )
            if not self._rule.is_of(line):
                raise InputError(
                    f"{place}: look {line['k']} has the level {line['alpha']:g} and "
                    f"{_describe_window(line['window'])}, expected "
                    f"{self._rule.level_of(line['k']):g} and {_describe_window(self.window)}: "
                    "one file has one confidence and one window"
                )
            last[_series(line)] = expected
            yield line


def _describe_window(window: int | None) -> str:
    return "no window" if window is None else f"a window of {window}"


def _series(line: dict[str, Any]) -> tuple[str, str]:
    return line["gold"], line["score"]


@contextmanager
def open_looks(path: str | os.PathLike[str], rule: Spending) -> Iterator[Looks]:
    """Open a file of looks; another process waits until it is closed."""
    # The lock is held while a candidate is judged, so that no two looks have one number. A file
    # that stays empty is removed, so one that waited for it opens the path again.
    handle = _lock(path)
    try:
        yield Looks(os.fspath(path), handle, rule)
    finally:
        if not os.fstat(handle).st_size:
            Path(path).unlink()
        os.close(handle)


def _lock(path: str | os.PathLike[str]) -> int:
    """Return the handle of a locked file, which is made if it is missing."""
    while True:
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise OutputError(f"{path}: {error.strerror}") from error
        try:
            if not S_ISREG(os.fstat(handle).st_mode):
                raise OutputError(f"{path}: not a file that keeps looks")
            fcntl.flock(handle, fcntl.LOCK_EX)
            with suppress(FileNotFoundError):
                if os.path.samestat(Path(path).stat(), os.fstat(handle)):
                    return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)

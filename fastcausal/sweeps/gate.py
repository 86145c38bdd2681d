"""A verdict on a candidate against a baseline: pass, fail, or inconclusive."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fastcausal.options import Method, Pairing, Verdict
from fastcausal.report.escapes import line_text
from fastcausal.report.grid import Grid, number_text
from fastcausal.report.groups import Scores
from fastcausal.report.report import Report
from fastcausal.significance.corrections import level_text
from fastcausal.significance.draws import METHODS, Draws
from fastcausal.significance.paired import Difference, detectable
from fastcausal.significance.units import units_text
from fastcausal.sweeps.compare import with_scores
from fastcausal.sweeps.contrast import Contrast
from fastcausal.sweeps.systems import pair_of
from fastcausal.tasks.values.reading import ValueReading

FEWEST = 10  # fewest units for a pass or fail
SHOWN = ("baseline", "candidate", "delta", "low", "high", "min_delta", "mde")


@dataclass(eq=False, repr=False)
class Gate(Report):
    """A verdict on a candidate, with the numbers behind it.

    Attributes
    ----------
    verdict : {"pass", "fail", "inconclusive"}
    score : str
        Flat name.
    baseline, candidate, delta : float
        The score of each, and candidate minus baseline.
    low, high : float
        One-sided confidence bounds of ``delta``: each holds with ``confidence``.
    min_delta : float
        The least difference that passes.
    confidence : float
    n_units, n_differ : int
        Number of units, and of units with different counts.
    mde : float
        The minimum detectable effect at a power of 80%.
    systems : mapping of str to str
        The names of ``baseline`` and ``candidate``.
    signature : str
    unit : str
        Noun of single units, or the column of the clusters.
    method : {"bca", "percentile", "jackknife"}
    n_resamples, seed : int
    warnings : tuple of str
    lower_is_better : bool
        The gain is baseline minus candidate.
    pairing : {"id", "none"}
    answers : mapping, optional
        As in `Comparison`.
    """

    verdict: Verdict
    score: str
    baseline: float
    candidate: float
    delta: float
    low: float
    high: float
    min_delta: float
    confidence: float
    n_units: int
    n_differ: int | None
    mde: float
    systems: Mapping[str, str]
    signature: str
    unit: str
    method: Method
    n_resamples: int
    seed: int
    warnings: tuple[str, ...] = ()
    lower_is_better: bool = False
    pairing: Pairing = "id"
    answers: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        baseline, candidate = self.systems.values()
        percent, taken = f"{100 * self.confidence:g}%", METHODS[self.method]
        bounds = f"one-sided {percent} confidence bounds of delta ({taken})"
        units = units_text(self.n_units, self.unit)
        differ = f"{self.n_differ} of {units} differ"
        if self.n_differ is None:
            differ = f"unpaired, {units} in all"
        besides: tuple[str, ...] = ("lower_is_better",) if self.lower_is_better else ()
        if self.answers is not None or self.pairing == "none":
            besides += ("pairing", "answers")
        super().__init__(
            f"{self.verdict}: {candidate} against {baseline}",
            self.signature,
            {self.score: Scores({name: getattr(self, name) for name in SHOWN})},
            warnings=self.warnings,
            legend=(self.reason, f"low, high: {bounds}; {differ}"),
            keys=(
                "verdict", "score", *SHOWN[:5], "min_delta", "confidence", "n_units", "n_differ",
                "mde", "systems", "signature", "unit", "method", "n_resamples", "seed", "warnings",
                *besides,
            ),
            logged=(),
        )  # fmt: skip

    @property
    def passed(self) -> bool:
        """Return True for a pass."""
        return self.verdict == "pass"

    @cached_property
    def reason(self) -> str:
        """Sentence with the reason of the verdict."""
        if self.n_units < FEWEST:
            units = units_text(self.n_units, self.unit)
            return f"{units} are too few for a verdict, expected at least {FEWEST}"
        delta, low, high, least = (
            number_text(value, sign="+")
            for value in (
                self.delta,
                self.low,
                self.high,
                0.0 - self.min_delta if self.lower_is_better else self.min_delta,
            )
        )
        at_level = f"{units_text(0, self.unit)} differ"
        if self.n_differ != 0:
            at_level = f"significant at {level_text(self.confidence)} (one-sided)"
        change = f"{self.score} changes by {delta} [{low}, {high}]"
        passing, failing = ("at most", "above") if self.lower_is_better else ("at least", "below")
        if self.verdict != "inconclusive":
            return f"{change}, {passing if self.passed else failing} {least}: {at_level}"
        change += f": neither {passing} {least} nor {failing} is {at_level}"
        if math.isnan(self.mde):
            return change
        return f"{change}; minimum detectable effect (80% power): {number_text(self.mde)}"

    def to_table(self, counts: bool = False) -> Grid:
        """Return the numbers as one row."""
        grid = Grid(self.title, SHOWN, signed=("delta", "low", "high", "min_delta"))
        grid.add(self.score, *self.scores[self.score].values())
        return grid

    def to_junit(self) -> str:
        """Write a JUnit suite of one test case for servers of continuous integration.

        Any verdict but a pass is a failure, with the reason as its message and all numbers as text.
        """
        from xml.etree import ElementTree

        failed = str(int(not self.passed))
        suite = ElementTree.Element(
            "testsuite", name="fastcausal gate", tests="1", failures=failed, errors="0", skipped="0"
        )
        name = line_text(f"{self.score}: {self.title.partition(': ')[2]}")
        case = ElementTree.SubElement(suite, "testcase", classname="fastcausal.gate", name=name)
        if not self.passed:
            failure = ElementTree.SubElement(
                case, "failure", type=self.verdict, message=line_text(self.reason)
            )
            failure.text = line_text(self.to_json())
        text: str = ElementTree.tostring(suite, "unicode")
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def gate(
    baseline: Any,
    candidate: Any,
    *,
    min_delta: float,
    score: str | None = None,
    lower_is_better: bool = False,
    unpaired: bool = False,
    reading: ValueReading | None = None,
    cluster: str | None = None,
    method: Method = "jackknife",
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    seed: int = 0,
) -> Gate:
    """Judge a candidate: pass, fail, or inconclusive.

    It passes if the lower confidence bound of the difference is at least ``min_delta``, and fails
    if the upper bound is below. Fewer than 10 units are inconclusive. If no unit differs, both
    bounds are 0.

    Parameters
    ----------
    baseline, candidate : Statistics, Report or path
        As in `compare`.
    min_delta : float
        Below 0, the largest allowed loss; above 0, the smallest required gain.
    score : str, optional
        Flat name; by default as in `compare`.
    lower_is_better : bool
        Less is better: the gain is baseline minus candidate. Results of lm-eval beside its samples
        say so by themselves.
    unpaired : bool
    reading : ValueReading, optional
        As in `compare`.
    cluster : str, optional
        A column of gold; examples with the same value are drawn together.
    method : {"bca", "percentile", "jackknife"}
    confidence : float
        Confidence of each of the two one-sided bounds, above 0.5.
    n_resamples, seed : int

    Returns
    -------
    Gate

    Raises
    ------
    InputError
        As `compare` does.
    ValueError
        ``min_delta`` is not finite, or another argument out of its range.

    Examples
    --------
    >>> import fastcausal as fc
    >>> from fastcausal import sample
    >>> careful = fc.score(sample.GOLD, sample.SYSTEMS["careful"])
    >>> fc.gate(careful, careful, min_delta=0.0).verdict
    'pass'
    """
    if not math.isfinite(min_delta):
        raise ValueError(f"min_delta is {min_delta}, expected a finite number")
    if not 0.5 < confidence < 1:
        raise ValueError(
            f"confidence is {confidence}, expected more than 0.5 and below 1 for one-sided bounds"
        )
    names, systems = pair_of(
        baseline, candidate, ("baseline", "candidate"), with_scores(reading, score, cluster),
        not unpaired,
    )  # fmt: skip
    before, after = systems.systems.values()
    [score] = systems.scores(score)
    draws = Draws(method, 2 * confidence - 1, n_resamples, seed, cluster)
    contrast = Contrast(before, after, not unpaired, draws)
    counted = contrast.counted()
    change = contrast.change(score, counted.n_differ)
    if counted.n_differ == 0 and change.delta == 0:
        change = change._replace(low=0.0, high=0.0)
    lower_is_better = lower_is_better or systems.is_lower(score)
    gain = _turned(change) if lower_is_better else change
    return Gate(
        verdict=verdict_of(gain, counted.n_units, min_delta),
        score=score,
        baseline=change.a,
        candidate=change.b,
        delta=change.delta,
        low=change.low,
        high=change.high,
        min_delta=float(min_delta),
        confidence=confidence,
        n_units=counted.n_units,
        n_differ=counted.n_differ,
        mde=detectable(change.se, confidence),
        systems=dict(zip(("baseline", "candidate"), names, strict=True)),
        signature=before.signature,
        unit=counted.unit,
        method=method,
        n_resamples=n_resamples,
        seed=seed,
        warnings=systems.warnings + counted.warnings,
        lower_is_better=lower_is_better,
        pairing="none" if unpaired else "id",
        answers=systems.answers,
    )


def _turned(change: Difference) -> Difference:
    """Return the gain of B where less is better."""
    return change._replace(delta=-change.delta, low=-change.high, high=-change.low)


def verdict_of(change: Difference, n_units: int, min_delta: float) -> Verdict:
    """Judge by the confidence bounds, which are undefined or wide if the data do not suffice."""
    if n_units < FEWEST:
        return "inconclusive"
    if change.low >= min_delta:
        return "pass"
    return "fail" if change.high < min_delta else "inconclusive"

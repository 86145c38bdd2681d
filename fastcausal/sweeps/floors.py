"""Floors of the gate: the least values that scores of a candidate may have."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from fastcausal.counts.statistics import Statistics
from fastcausal.options import Verdict
from fastcausal.report.grid import Grid
from fastcausal.report.numbers import Bounded, number_text
from fastcausal.significance.betting import Wealth, bet_on_score
from fastcausal.significance.corrections import level_text
from fastcausal.significance.draws import Draws
from fastcausal.significance.intervals import intervals_of

MIN_UNITS = 10  # fewest units for a pass or fail
MIN_WORTH = 5.0  # least worth of units for a pass or fail
SHOWN = ("value", "low", "high", "least")


@dataclass(frozen=True)
class Floor:
    """A score of a candidate, and the least value that passes."""

    score: str  # Flat name
    # The score and its one-sided confidence bounds
    value: float
    low: float
    high: float
    least: float
    verdict: Verdict  # {"pass", "fail", "inconclusive"}
    point: bool  # True if the value decides, not its bounds
    worth: float  # How many equal units tell as much about the score
    bet: Wealth | None = field(default=None, repr=False)  # For bounds that hold at all looks

    def numbers(self) -> dict[str, float]:
        """Return the numbers by name."""
        return {name: getattr(self, name) for name in SHOWN}

    def reason(self, confidence: float) -> str:
        """Return the sentence with the reason of the verdict."""
        bounds = Bounded(self.value, self.low, self.high)
        value, least = number_text(bounds), number_text(self.least)
        at_level = f"significant at {level_text(confidence)} (one-sided)"
        at_level += "" if self.bet is None else " at all looks together"
        if self.verdict == "inconclusive":
            return f"{self.score} is {value}: neither at least {least} nor below is {at_level}"
        side = "at least" if self.verdict == "pass" else "below"
        return f"{self.score} is {value}, {side} {least}" + ("" if self.point else f": {at_level}")


def floors_of(
    candidate: Statistics,
    least: Mapping[str, float],  # by flat name
    point: bool,  # the value decides, not its bounds
    n_units: int,
    draws: Draws,  # their intervals have the one-sided bounds as ends
    anytime: bool = False,  # bounds hold at all looks
    largest: float | None = None,  # see `bet_on_score`
) -> tuple[Floor, ...]:
    """Compare scores of a candidate with their least values."""
    values = candidate.scores()
    floors = []
    for score, floor in least.items():
        if not math.isfinite(floor):
            raise ValueError(f"the floor of {score} is {floor}, expected a finite number")
        units = candidate.drawn(draws.cluster, score)
        value, worth, bet = float(values[score][0]), units.worth(score), None
        if anytime:
            bet = bet_on_score(units, value, floor, (1 - draws.confidence) / 2, largest)
            low, high = bet.low, bet.high
        else:
            low, high, _ = intervals_of(units, draws)[score]
        verdict: Verdict = "inconclusive"
        if point:
            verdict = verdict_of(value, value, floor)
        elif anytime or are_enough(n_units, worth):
            verdict = verdict_of(low, high, floor)
        floors.append(Floor(score, value, low, high, floor, verdict, point, worth, bet))
    return tuple(floors)


def are_enough(n_units: int, worth: float) -> bool:
    """Return True if there are enough units for a pass or fail."""
    return n_units >= MIN_UNITS and worth >= MIN_WORTH


def verdict_of(low: float, high: float, least: float) -> Verdict:
    """Judge by confidence bounds, which are undefined or wide if the data do not suffice."""
    if low >= least:
        return "pass"
    return "fail" if high < least else "inconclusive"


def gain_of(low: float, high: float, lower_is_better: bool) -> tuple[float, float]:
    """Return the bounds of the gain: the difference, negated if lower is better."""
    return (-high, -low) if lower_is_better else (low, high)


def joint_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict of several conditions: the worst one decides.

    >>> joint_verdict(["pass", "inconclusive"]), joint_verdict(["pass", "inconclusive", "fail"])
    ('inconclusive', 'fail')
    """
    every = {*verdicts}
    return next((v for v in ("fail", "inconclusive", "unchanged") if v in every), "pass")


def floors_table(title: str, floors: Iterable[Floor], shares: Collection[str]) -> Grid:
    """Make a row for each floor; ``shares`` are scores."""
    grid = Grid(title, [*SHOWN, "verdict"], shares=SHOWN, share_rows=shares)
    for floor in floors:
        grid.add(floor.score, *floor.numbers().values(), floor.verdict)
    return grid

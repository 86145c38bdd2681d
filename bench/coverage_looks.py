"""Wrong verdicts over many looks: at one test set, and while units come in.

Sections A and B of `coverage`: histories in which the candidate is exactly as good as it must not
be, and how many of them have some false pass.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import fastcausal as fc
from fastcausal.significance.draws import Draws
from fastcausal.sweeps.contrast import Contrast
from fastcausal.sweeps.looks import Spending

from .coverage_laws import F1, SKILL, Counts, Rng, found, plain_sizes, rivals, scored, valued
from .coverage_rates import Asked, Cell, Outcomes

ANY: Asked = (0, 100)
RARELY: Asked = (0, 5)
N_LOOKS = 100
LEVEL = 0.05
FIRST, STEP = 10, 10  # units at the first look of a stream, and from look to look


def equals(rng: Rng, n: int, n_systems: int) -> Iterator[Counts]:
    """Draw counts of equally good systems on the same sentences."""
    gold, ease = rng.integers(1, 6, n), rng.uniform(-0.3, 0.3, n)
    own = SKILL + ease * min(SKILL, 1 - SKILL)
    for _ in range(n_systems):
        tp = rng.binomial(gold, own)
        yield np.stack([tp, rng.poisson(gold * (1 - own)), gold - tp], axis=1)


def equals_in_accuracy(rng: Rng, n: int, n_systems: int, skill: float) -> Iterator[Counts]:
    """Draw right and wrong answers of equally good systems to the same questions."""
    own = rng.beta(3 * skill, 3 * (1 - skill), n)
    for _ in range(n_systems):
        yield rng.binomial(1, own)


def passes(before: fc.Statistics, after: fc.Statistics, alpha: float) -> bool:
    """Return True if the bound of a gain by Student's t is above 0, as a look at this level."""
    contrast = Contrast(before, after, True, Draws(confidence=1 - 2 * alpha))
    return contrast.change(before.formula.main, 0, exchanged=False).low >= 0


def look_often(
    draw: Callable[[Rng, int, int], Iterator[Counts]], make: Callable[[Counts], Any], n: int,
    rng: Rng,
) -> Outcomes:  # fmt: skip
    """Judge a hundred candidates on one test set against one baseline: does any pass?"""
    baseline, *candidates = map(make, draw(rng, n, N_LOOKS + 1))
    levels = {"spending": Spending(LEVEL).level_of, "window": Spending(LEVEL, N_LOOKS).level_of}
    passed = {"without": False, **dict.fromkeys(levels, False)}
    for k, candidate in enumerate(candidates, 1):
        if passes(baseline, candidate, LEVEL):  # else none passes at a smaller level
            passed["without"] = True
            for rule, level_of in levels.items():
                passed[rule] |= passes(baseline, candidate, level_of(k))
    return passed


def right(values: Counts) -> fc.Statistics:
    return valued(right=values.astype(float))


def looks() -> Iterator[Cell]:
    """Yield cells of a hundred looks at one test set."""
    asked = {"without": ANY, "spending": RARELY, "window": RARELY}
    for n in (50, 300):
        yield Cell(f"{n} sentences, F1", partial(look_often, equals, scored, n), asked, 0.1)
        for skill in (0.6, 0.9):
            draw = partial(equals_in_accuracy, skill=skill)
            name = f"{n} questions, right in {skill:g}"
            yield Cell(name, partial(look_often, draw, right, n), asked, 0.1)


def look_on(
    draw: Callable[[Rng, int], tuple[Counts, Counts]], make: Callable[[Counts], Any], n: int,
    rng: Rng,
) -> Outcomes:  # fmt: skip
    """Judge a gain whenever ten more units are there: does it ever pass?"""
    sides = [make(side) for side in draw(rng, n)]
    passed = {"fixed": False, "anytime": False}
    for k in range(FIRST, n + 1, STEP):
        before, after = (side.take(np.arange(k)) for side in sides)
        passed["fixed"] = passed["fixed"] or passes(before, after, LEVEL)
        if not passed["anytime"]:
            contrast = Contrast(before, after, True, Draws(confidence=1 - 2 * LEVEL))
            _, bet = contrast.change_at_any_time(before.formula.main)
            passed["anytime"] = bet.log_e >= -math.log(LEVEL)
    return passed


def answers(rng: Rng, n: int, skill: float, gain: float) -> tuple[Counts, Counts]:
    """Draw right and wrong answers of two systems; the second is right more often by ``gain``."""
    own = rng.beta(3 * skill, 3 * (1 - skill), n)
    return rng.binomial(1, own), rng.binomial(1, own + gain * (1 - own) / (1 - skill))


def reach_floor(n: int, skill: float, rng: Rng) -> Outcomes:
    """Judge F1 against its true value whenever ten more documents are there."""
    sizes = plain_sizes(rng, n)
    documents = scored(found(rng, sizes, skill, 6))
    largest = 8 * int(sizes.max())  # 2tp + fp + fn is less
    passed = {"fixed": False, "anytime": False}
    for k in range(FIRST, n + 1, STEP):
        seen = documents.take(np.arange(k))
        for rule in passed:
            settings = {"anytime": True, "largest": largest} if rule == "anytime" else {}
            passed[rule] = passed[rule] or fc.gate(
                None, seen, floors={F1: skill}, **settings
            ).verdict == "pass"  # fmt: skip
    return passed


def streams() -> Iterator[Cell]:
    """Yield cells of verdicts at any time: on equal systems, on better ones, and on floors."""
    asked = {"fixed": ANY, "anytime": RARELY}
    for skill in (0.6, 0.9):
        for n in (340, 1000):
            judge = partial(look_on, partial(answers, skill=skill, gain=0.0), right, n)
            yield Cell(f"{n} questions, right in {skill:g}, equal", judge, asked, 0.2)
    for n in (340, 1000):
        judge = partial(look_on, partial(rivals, gain=0.0), scored, n)
        yield Cell(f"{n} sentences, F1, equal", judge, asked, 0.2)
    better = {"fixed": ANY, "anytime": ANY}
    judge = partial(look_on, partial(answers, skill=0.6, gain=0.1), right, 340)
    yield Cell("340 questions, better by .1", judge, better, 0.2)
    judge = partial(look_on, partial(rivals, gain=0.1), scored, 340)
    yield Cell("340 sentences, F1, better by .1", judge, better, 0.2)
    yield Cell("400 documents, F1 at its floor", partial(reach_floor, 400, 0.7), asked, 0.2)

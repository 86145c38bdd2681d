"""False alarms of tests and bounds on equal systems, and verdicts of the gate on differences.

``python -m bench.false_alarms`` prints the tables of docs/inference.md, in some five minutes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from fastcausal.arrays.distinct import distinct
from fastcausal.options import Method, Verdict
from fastcausal.significance.draws import Draws
from fastcausal.significance.paired import difference, minus, n_differing, randomisation
from fastcausal.significance.sampling import bootstrap_weights
from fastcausal.significance.sums import sums_of
from fastcausal.significance.units import Units
from fastcausal.sweeps.gate import verdict_of
from fastcausal.tasks.relations.formula import RelationFormula

F1 = RelationFormula("exact_spans", ("tp", "fp", "fn"), (), ("cause",), None).only("overall_f1")
N_RESAMPLES = 500
TRIALS = 1000
LEVEL = 0.05
SENTENCES = 17  # sentences of a document
DIFFERENCES = (-0.04, -0.02, -0.01, 0.0, 0.02, 0.04)
MIN_DELTA = -0.01


def outcomes(
    rng: np.random.Generator, spans: np.ndarray, ease: np.ndarray, shift: float = 0.0
) -> np.ndarray:
    """Draw the numbers of spans that a system finds, invents and misses: int64[n_sentences, 3]."""
    chance = 1 / (1 + np.exp(-(1.2 + shift + ease)))
    hits = rng.binomial(spans, chance)
    return np.stack([hits, rng.binomial(spans, (1 - chance) / 1.2), spans - hits], axis=1)


def pair(rng: np.random.Generator, n: int, shift: float = 0.0) -> np.ndarray:
    """Draw two systems on the same sentences, equally good without a shift: int64[n, 6]."""
    spans, ease = rng.integers(1, 7, n), rng.normal(0, 1, n)
    return np.hstack([outcomes(rng, spans, ease), outcomes(rng, spans, ease, shift)])


def pair_in_documents(rng: np.random.Generator, n_documents: int) -> np.ndarray:
    """Draw two equally good systems; documents differ in difficulty for each of them."""
    n = n_documents * SENTENCES
    spans, ease = rng.integers(1, 7, n), rng.normal(0, 1, n)
    own = np.repeat(rng.normal(0, 0.7, (2, n_documents)), SENTENCES, axis=1)
    return np.hstack([outcomes(rng, spans, ease + of_system) for of_system in own])


def units_of(rows: np.ndarray) -> Units:
    terms, row_of = distinct(rows)
    return Units(F1, terms, np.bincount(row_of), "example")


def by_document(rows: np.ndarray) -> np.ndarray:
    return rows.reshape(-1, SENTENCES, 6).sum(axis=1)


def by_randomisation(units: Units, seed: int) -> float:
    return randomisation(units, n_differing(units), N_RESAMPLES, seed)[0]


def by_bootstrap(units: Units, seed: int) -> float:
    """Return p of sacreBLEU's paired bootstrap, which drops signs before it centres differences."""
    value = minus(F1).value
    observed = abs(value(sums_of(units.terms, units.times[None]))[0])
    drawn = np.concatenate([*bootstrap_weights(units.times, N_RESAMPLES, seed)])
    sizes = np.abs(value(sums_of(units.terms, drawn)))
    return (1 + np.count_nonzero(sizes - sizes.mean() > observed)) / (1 + N_RESAMPLES)


TESTS: dict[str, Callable[[Units, int], float]] = {
    "p of `compare`": by_randomisation,
    "sacreBLEU's bootstrap": by_bootstrap,
}


def false_alarms() -> None:
    """Print the share of pairs of equal systems that each test calls different."""
    rng = np.random.default_rng(0)
    cases: dict[str, Callable[[], np.ndarray]] = {
        f"{n} sentences": lambda n=n: pair(rng, n) for n in (30, 100, 340)
    }
    for n in (20, 50):
        cases[f"{n} documents, by sentence"] = lambda n=n: pair_in_documents(rng, n)
        cases[f"{n} documents, by document"] = lambda n=n: by_document(pair_in_documents(rng, n))
    print("| equal systems |", " | ".join(TESTS), "|\n| :-- |", "--: | " * len(TESTS))
    for name, draw in cases.items():
        all_units = [units_of(draw()) for _ in range(TRIALS)]
        shares = [
            np.mean([test(units, seed) <= LEVEL for seed, units in enumerate(all_units)])
            for test in TESTS.values()
        ]
        print(f"| {name} |", " | ".join(f"{share:.1%}" for share in shares), "|", flush=True)


def shifts_of(differences: Sequence[float]) -> list[float]:
    """Return the shifts of a system's skill that raise its F1 by these differences."""
    shifts = np.linspace(-0.5, 0.5, 11)
    value = minus(F1).value
    large = [pair(np.random.default_rng(1), 300_000, shift).sum(axis=0) for shift in shifts]
    gained = value(np.array(large))
    return np.interp(differences, gained - np.interp(0, shifts, gained), shifts).tolist()


def verdicts() -> None:
    """Print how often the gate passes and fails, by the true difference."""
    rng = np.random.default_rng(2)
    print("| units |", " | ".join(f"{d:+.2f}" for d in DIFFERENCES), "|")
    print("| --: |", " --: |" * len(DIFFERENCES))
    shifts = shifts_of(DIFFERENCES)
    for n in (30, 100, 340, 1000):
        cells = []
        for shift in shifts:
            counts = Counter(verdict(units_of(pair(rng, n, shift))) for _ in range(TRIALS // 4))
            shares = (100 * counts[name] / (TRIALS // 4) for name in ("pass", "fail"))
            cells.append(" / ".join(f"{share:.0f}" for share in shares))
        print(f"| {n} |", " | ".join(cells), "|", flush=True)


def verdict(units: Units, method: Method = "jackknife", min_delta: float = MIN_DELTA) -> Verdict:
    change = difference(units, n_differing(units), Draws(method, 0.9, N_RESAMPLES))
    return verdict_of(change, units.n_units, min_delta)


def bounds() -> None:
    """Print how often bounds of equal systems hold 0, contradict p, and let the gate pass at 0."""
    methods: tuple[Method, ...] = ("jackknife", "bca")
    rng = np.random.default_rng(4)
    draws: dict[str, Callable[[], np.ndarray]] = {
        f"{n} sentences": partial(pair, rng, n) for n in (10, 40)
    }
    for n in (5, 6, 8, 10, 12, 20, 40):
        draws[f"{n} documents"] = lambda n=n: by_document(pair_in_documents(rng, n))
    heads = [f"{head}, {m}" for head in ("hold 0", "contradict p", "gate passes") for m in methods]
    print("| equal systems |", " | ".join(heads), "|\n| :-- |", "--: | " * len(heads))
    for name, draw in draws.items():
        counts = np.zeros((3, len(methods)))
        for _ in range(TRIALS):
            units = units_of(draw())
            for k, method in enumerate(methods):
                change = difference(units, n_differing(units), Draws(method, 0.95, N_RESAMPLES))
                holds = not (change.low > 0 or change.high < 0)
                passes = verdict(units, method, 0.0) == "pass"
                counts[:, k] += holds, holds != (change.p > LEVEL), passes
        cells = " | ".join(f"{share:.1f}" for share in (counts / (0.01 * TRIALS)).ravel())
        print(f"| {name} | {cells} |", flush=True)


if __name__ == "__main__":
    false_alarms()
    print()
    bounds()
    print()
    verdicts()

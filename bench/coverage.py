"""How often intervals hold the truth, and tests and gates are wrong: ``python -m bench.coverage``.

Each rate stands with its Monte Carlo error; an exclamation mark says that it is not what is asked
for, with two errors of grace. ``--sections 1 4`` prints some tables, ``--samples 100`` is quick.
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

import fastcausal as fc
from fastcausal.options import Method

from .coverage_estimates import estimates
from .coverage_laws import (
    F1,
    MIDDLING,
    OUTCOMES,
    Counts,
    Rng,
    broken,
    cautious_and_greedy,
    f1,
    found,
    lognormal_sizes,
    mostly_empty_sizes,
    pareto_sizes,
    plain_sizes,
    right_by_seed,
    right_in_documents,
    rivals,
    rivals_by_sentence,
    rivals_in_documents,
    scored,
    sentences,
    valued,
)
from .coverage_looks import looks, streams
from .coverage_people import agreement, wrong_tests
from .coverage_rates import Asked, Cell, Outcomes, print_table

ANY: Asked = (0, 100)
METHODS: tuple[Method, ...] = ("jackknife", "bca", "percentile")
N_RESAMPLES = 400
D = -0.01


def hold(interval: tuple[float, float], truth: float) -> bool:
    return interval[0] <= truth <= interval[1]


def by_methods(draw: Callable[[Rng], Counts], truth: float, rng: Rng) -> Outcomes:
    """Say whether the interval of F1 by each method holds."""
    statistics = scored(draw(rng))
    return {
        method: hold(statistics.interval(F1, method=method, n_resamples=N_RESAMPLES)[:2], truth)
        for method in METHODS
    }


def methods() -> Iterator[Cell]:
    """Yield cells of plain sentences and documents, by each method."""
    asked: dict[str, Asked] = {"jackknife": (94, 99), "bca": ANY, "percentile": ANY}
    truth = f1(MIDDLING @ OUTCOMES)
    for n in (10, 50, 340):
        judge = partial(by_methods, partial(sentences, n=n), truth)
        yield Cell(f"{n} sentences, F1 {truth:.2f}", judge, asked)
    for n in (2, 3, 5, 10, 20, 50):
        judge = partial(by_methods, partial(of_documents, plain_sizes, n, 0.7), 0.7)
        yield Cell(f"{n} documents of 5 to 20 sentences, F1 0.70", judge, asked)


def of_documents(sizes: Callable[[Rng, int], Counts], n: int, skill: float, rng: Rng) -> Counts:
    """Draw counts of documents of these sizes; skills near 1 vary less."""
    return found(rng, sizes(rng, n), skill, 6)


def alarm(n: int, rng: Rng) -> Outcomes:
    """Say which tests call two equally good systems unlike."""
    a, b, documents = rivals_by_sentence(rng, n)
    sides = scored(a, documents), scored(b, documents)
    by_document, by_sentence = (
        fc.compare(*sides, cluster=cluster, n_resamples=N_RESAMPLES)[F1].p
        for cluster in ("doc_id", "none")
    )
    return {
        "by document": by_document <= 0.05, "by sentence": by_sentence <= 0.05,
        "sacreBLEU's bootstrap, by document": bootstrap_p(a, b, documents, rng) <= 0.05,
    }  # fmt: skip


def bootstrap_p(a: Counts, b: Counts, documents: Counts, rng: Rng) -> float:
    """Return p of sacreBLEU's paired bootstrap, which drops signs before it centres differences."""
    units = np.zeros((documents.max() + 1, 6))
    np.add.at(units, documents, np.hstack([a, b]))
    n = len(units)
    sums = rng.multinomial(n, np.full(n, 1 / n), N_RESAMPLES) @ units
    sizes = np.abs([f1(row[3:]) - f1(row[:3]) for row in sums])
    observed = abs(f1(b.sum(axis=0)) - f1(a.sum(axis=0)))
    return float((1 + np.count_nonzero(sizes - sizes.mean() > observed)) / (1 + N_RESAMPLES))


def alarms() -> Iterator[Cell]:
    for n in (10, 20, 50):
        asked: dict[str, Asked] = {
            "by document": (0, 6.5), "by sentence": ANY, "sacreBLEU's bootstrap, by document": ANY
        }  # fmt: skip
        yield Cell(f"{n} documents", partial(alarm, n), asked)


def judged(n: int, gain: float, rng: Rng) -> Outcomes:
    verdict = fc.gate(*map(scored, rivals(rng, n, gain)), min_delta=D, n_resamples=N_RESAMPLES)
    return {"passes": verdict.verdict == "pass", "fails": verdict.verdict == "fail"}


def verdicts() -> Iterator[Cell]:
    """Yield cells of a gate by the true difference; at the difference asked for both are errors."""
    for n in (30, 100, 340):
        for gain in (-0.04, D, 0.0, 0.04, 0.08):
            asked: dict[str, Asked] = {
                "passes": (0, 6) if gain <= D else ANY, "fails": (0, 6) if gain >= D else ANY
            }  # fmt: skip
            yield Cell(
                f"{n} sentences, a difference of {gain:+.2f}", partial(judged, n, gain), asked
            )


def passed_when_broken(n: int, rng: Rng) -> Outcomes:
    """Judge a candidate that breaks 3 of 100 units; its texts differ from the baseline's."""
    sides = broken(rng, n, 0.03)
    systems = [valued(right=side, length=rng.integers(1, 50, n).astype(float)) for side in sides]
    found = fc.gate(*systems, score="right", min_delta=D, n_resamples=N_RESAMPLES)
    return {"passes": found.verdict == "pass", "inconclusive": found.verdict == "inconclusive"}


def nothing_seen() -> Iterator[Cell]:
    for n in (10, 30, 60, 100):
        asked: dict[str, Asked] = {"passes": (0, 6), "inconclusive": ANY}
        yield Cell(f"{n} units", partial(passed_when_broken, n), asked)


def difference(draw: Callable[[Rng], tuple[Counts, Counts]], truth: float, rng: Rng) -> Outcomes:
    """Say what p and bounds of a difference, and a gate at the true difference, say."""
    a, b = map(scored, draw(rng))
    change = fc.compare(a, b, n_resamples=N_RESAMPLES)[F1]
    known = not math.isnan(change.low)
    verdict = fc.gate(a, b, min_delta=truth, n_resamples=N_RESAMPLES).verdict
    return {
        "p at most .05": change.p <= 0.05,
        "holds": hold((change.low, change.high), truth) if known else None,
        "agrees with p": (hold((change.low, change.high), 0) == (change.p > 0.05))
        if known
        else None,
        "gate passes": verdict == "pass",
    }


def equal_f1() -> Iterator[Cell]:
    """Yield cells of cautious and greedy systems, of systems of one law, and of a gain."""
    agrees: Asked = (100, 100)
    equal: dict[str, Asked] = {
        "p at most .05": (0, 6.5), "holds": (93.5, 97.5), "agrees with p": agrees,
        "gate passes": (0, 6),
    }  # fmt: skip
    better = {**equal, "p at most .05": ANY}
    sizes = (8, 12, 20, 50, 100, 340)
    for n in sizes:
        judge = partial(difference, partial(cautious_and_greedy, n=n), 0.0)
        yield Cell(f"{n} sentences, cautious and greedy", judge, equal)
    for n in (5, *sizes):
        judge = partial(difference, partial(rivals, n=n, gain=0.0), 0.0)
        yield Cell(f"{n} sentences, one law", judge, {**equal, "holds": (93.5, 100)})
    for n in sizes:
        judge = partial(difference, partial(rivals, n=n, gain=0.1), 0.1)
        yield Cell(f"{n} sentences, better by .1", judge, {**better, "holds": (93.5, 100)})


def held(draw: Callable[[Rng], Counts], truth: float, rng: Rng) -> Outcomes:
    """Say whether the interval of F1 holds, and on which side it does not."""
    low, high, _ = scored(draw(rng)).interval(F1)
    if math.isnan(low):
        return {"holds": None, "truth is lower": None, "truth is higher": None, "null": True}
    return {
        "holds": hold((low, high), truth), "truth is lower": truth < low,
        "truth is higher": truth > high, "null": False,
    }  # fmt: skip


def unequal_documents() -> Iterator[Cell]:
    for name, sizes in (
        ("lognormal", lognormal_sizes),
        ("Pareto", pareto_sizes),
        ("mostly empty", mostly_empty_sizes),
    ):
        for skill in (0.5, 0.7, 0.9, 0.97):
            least: Asked = (94, 98.5) if skill <= 0.9 else (91.5, 100)
            asked: dict[str, Asked] = {
                "holds": least, "truth is lower": ANY, "truth is higher": ANY, "null": ANY
            }  # fmt: skip
            for n in (8, 20, 50, 100):
                judge = partial(held, partial(of_documents, sizes, n, skill), skill)
                yield Cell(f"{n} {name} documents, F1 {skill:g}", judge, asked)


def of_rivals(
    sizes: Callable[[Rng, int], Counts], n: int, gain: float, rng: Rng
) -> tuple[Counts, Counts]:
    """Draw two systems on documents of these sizes."""
    return rivals_in_documents(rng, sizes(rng, n), gain)


def unequal_rivals() -> Iterator[Cell]:
    """Yield cells of differences on unequal documents: of one law, and of a gain."""
    for name, sizes in (("lognormal", lognormal_sizes), ("Pareto", pareto_sizes)):
        for n in (8, 20, 50, 100):
            for gain, text in ((0.0, "one law"), (0.1, "better by .1")):
                judge = partial(difference, partial(of_rivals, sizes, n, gain), gain)
                asked: dict[str, Asked] = {
                    "p at most .05": ANY if gain else (0, 6.5), "holds": (93.5, 100),
                    "agrees with p": (100, 100), "gate passes": (0, 6),
                }  # fmt: skip
                yield Cell(f"{n} {name} documents, {text}", judge, asked)


def share_held(n: int, skill: float, rng: Rng) -> Outcomes:
    low, high, _ = valued(right=rng.binomial(1, skill, n).astype(float)).interval("right")
    return {"holds": hold((low, high), skill)}


def share_in_documents(n: int, skill: float, rng: Rng) -> Outcomes:
    right, documents = right_in_documents(rng, n, skill)
    names = [str(k) for k in documents]
    statistics = valued(right=right.astype(float), doc_id=names)
    low, high, _ = statistics.interval("right", cluster="doc_id")
    return {"holds": hold((low, high), skill)}


def shares() -> Iterator[Cell]:
    for skill in (0.5, 0.9, 0.97):
        for n in (10, 30, 100):
            judge = partial(share_held, n, skill)
            yield Cell(f"{n} units, right in {skill:g}", judge, {"holds": (95, 100)})
        for n in (8, 30):
            judge = partial(share_in_documents, n, skill)
            least: Asked = (94, 98.5) if skill <= 0.9 else (91.5, 100)
            yield Cell(f"{n} documents, right in {skill:g}", judge, {"holds": least})


def mean_held(n: int, n_seeds: int, apart: float, rng: Rng) -> Outcomes:
    """Say which intervals of a mean over seeds hold the mean over all seeds and units."""
    answers = right_by_seed(rng, n, n_seeds, apart).astype(float)
    runs = {f"model_s{k}": valued(right=right) for k, right in enumerate(answers)}
    found = fc.seeds(runs, "{model}_s{seed}", "right")["model"]
    return {
        name: hold((found[f"{name}_low"], found[f"{name}_high"]), 0.6)
        for name in ("both", "seeds", "units")
    }


def seeds() -> Iterator[Cell]:
    for n_seeds in (3, 5, 10):
        for n in (30, 200):
            for apart in (0.02, 0.15):
                judge = partial(mean_held, n, n_seeds, apart)
                law = f"{n_seeds} seeds apart by up to {apart:g}, {n} units"
                yield Cell(law, judge, {"both": (92, 98.5), "seeds": ANY, "units": ANY})


# By number of the section: its tables, each with what is counted and its cells.
Table = tuple[str, Callable[[], Iterator[Cell]]]
SECTIONS: dict[str, tuple[Table, ...]] = {
    "0": (
        ("95% intervals of F1 hold the truth, percent", methods),
        ("p at most .05 for equally good systems, percent", alarms),
    ),
    "1": (
        ("gate at D = -.01 if the candidate breaks 3% of the units, percent", nothing_seen),
        ("gate at D = -.01, percent", verdicts),
    ),
    "2": (("95% intervals of a share from people's labels, percent", estimates),),
    "3": (("tests of metrics and judges whose rows share errors, percent", wrong_tests),),
    "4": (("difference of F1 of two systems, percent", equal_f1),),
    "5": (
        ("95% intervals of F1 of unequal documents, percent", unequal_documents),
        ("difference of F1 on unequal documents, percent", unequal_rivals),
    ),
    "6": (("95% intervals of agreement hold the truth, percent", agreement),),
    "8": (("95% intervals of accuracy, percent", shares),),
    "9": (("95% intervals of a mean over seeds, for new seeds and units, percent", seeds),),
    "A": (("a hundred looks at one test set, some false pass, percent", looks),),
    "B": (("looks while units come in, some pass, percent", streams),),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, default=2000, help="samples of each cell")
    parser.add_argument("--sections", nargs="+", choices=SECTIONS, default=[*SECTIONS])
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    options = parser.parse_args()
    missed = []
    for section in options.sections:
        for title, cells in SECTIONS[section]:
            missed += print_table(title, [*cells()], options.samples, options.jobs)
    print("\n".join(["Not as asked for:", *missed]) if missed else "All rates are as asked for.")


if __name__ == "__main__":
    main()

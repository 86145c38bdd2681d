"""False alarms and power of comparisons of two runs: ours, unpaired z, answers taken as examples.

    python -m bench.desk
    python -m bench.desk --pairs 1000

Prints the table of docs/desk.md: the share of p at most .05, in percent. Runs are drawn from laws
of known accuracy. `fastcausal.compare` gets some pairs of each cell: its p is that of the exchanges
here, within their chance.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator

import numpy as np
from scipy.special import ndtr

import fastcausal as fc

LEVEL, ACCURACY, GAIN = 0.05, 0.7, 0.04
FLIPS = 999
ASKED = 5  # pairs of each cell that `compare` tests, too


def unpaired_z(a, b):
    """Return p of the difference of two means by the normal law, as lm-eval's comparator does."""
    errors = [side.var(axis=1, ddof=1) / side.shape[1] for side in (a, b)]
    return 2 * ndtr(-np.abs(b.mean(axis=1) - a.mean(axis=1)) / np.sqrt(sum(errors)))


def exchanged(a, b, random):
    """Return p by randomisation for each pair; all pairs share the drawn exchanges."""
    d = (b - a).astype(np.float32)
    signs = random.choice(np.float32([-1, 1]), (a.shape[1], FLIPS))
    observed = np.abs(d.sum(axis=1))[:, None] - 1e-4
    hits = sum((np.abs(d @ part) >= observed).sum(axis=1) for part in np.array_split(signs, 9, 1))
    return (1 + hits) / (1 + FLIPS)


def check(a, b, p):
    """Check p of the first pairs of a cell against `compare`."""
    for k in range(ASKED):
        sides = [
            fc.statistics([{"id": i, "value": float(v)} for i, v in enumerate(side[k])])
            for side in (a, b)
        ]
        asked = fc.compare(*sides, n_resamples=2000)["value"].p
        assert abs(asked - p[k]) < 5 * math.sqrt(0.25 / FLIPS) + 0.01, (asked, p[k])


def share(p):
    """Return the share of p at most the level, in percent."""
    return f"{100 * np.mean(p <= LEVEL + 1e-12):.1f}"


def correlated(random, pairs, n, rho, gain):
    """Draw right and wrong answers of two runs whose correlation is about rho."""
    u = random.random((pairs, n))
    v = np.where(random.random((pairs, n)) < rho, u, random.random((pairs, n)))
    return (u < ACCURACY).astype(float), (v < ACCURACY + gain).astype(float)


def cells(pairs: int, random) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table."""
    for rho in (0, 0.5, 0.8):
        for n in (100, 500):
            found = []
            for gain in (0, GAIN):
                a, b = correlated(random, pairs, n, rho, gain)
                p = exchanged(a, b, random)
                check(a, b, p)
                found.append((share(p), share(unpaired_z(a, b))))
            (alarm, other), (power, others) = found
            yield (
                f"{n} examples, correlation {rho}",
                f"{alarm} / {power}",
                f"{other} / {others}",
                "",
            )
    yield from grouped(pairs, random)


def grouped(pairs: int, random) -> Iterator[tuple[str, ...]]:
    """Yield the rows with several answers to an example, and with examples that share documents."""
    n, answers = 100, 4
    levels = random.beta(0.5, 0.5, (2, pairs, n, 1))
    a, b = (random.random((2, pairs, n, answers)) < levels).astype(float)
    means = a.mean(axis=2), b.mean(axis=2)
    p = exchanged(*means, random)
    check(*means, p)
    flat = [side.reshape(pairs, -1) for side in (a, b)]
    yield ("100 examples of 4 answers, equal systems", share(p), share(unpaired_z(*flat)),
           share(exchanged(*flat, random)))  # fmt: skip
    documents, items = 50, 10
    levels = random.beta(6, 3, (2, pairs, documents, 1))
    a, b = (random.random((2, pairs, documents, items)) < levels).astype(float)
    means = a.mean(axis=2), b.mean(axis=2)
    p = exchanged(*means, random)
    check(*means, p)
    flat = [side.reshape(pairs, -1) for side in (a, b)]
    yield ("50 documents of 10 items, equal systems", share(p), share(unpaired_z(*flat)),
           share(exchanged(*flat, random)))  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print("| | ours | unpaired z | answers or items as examples |")
    print("|---|---|---|---|")
    for row in cells(options.pairs, np.random.default_rng(options.seed)):
        print("|", " | ".join(row), "|", flush=True)


if __name__ == "__main__":
    main()

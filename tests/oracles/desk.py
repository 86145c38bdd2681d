"""Values of examples and their comparison in fractions, from plain rows (id, epoch, value).

After shared/reference/desk.md, sections 1, 5 and 6; shares nothing with the package.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

GRADES = {"C": Fraction(1), "P": Fraction(1, 2), "I": Fraction(0), "N": Fraction(0)}


def number(value):
    """Return the value of a score as a fraction; None if it is missing or NaN."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, str):
        if value in GRADES:
            return GRADES[value]
        low = value.lower()
        if low in ("yes", "true"):
            return Fraction(1)
        if low in ("no", "false"):
            return Fraction(0)
    return Fraction(value)


def by_id(rows):
    """The values of the answers of each example, those without a score left out."""
    groups = {}
    for id, value in rows:
        groups.setdefault(str(id), [])
        if (n := number(value)) is not None:
            groups[str(id)].append(n)
    return groups


def value(answers, rule="mean"):
    """The value of an example, by listing all choices of answers."""
    if rule == "mean":
        return sum(answers) / len(answers)
    if rule in ("max", "min"):
        return {"max": max, "min": min}[rule](answers)
    k = int(rule[5:])
    choices = [*combinations(answers, k)]
    how = any if rule[4] == "@" else all
    return Fraction(sum(how(a >= 1 for a in choice) for choice in choices), len(choices))


def values(rows, rule="mean"):
    return {id: value(a, rule) for id, a in by_id(rows).items() if a}


def mean(numbers):
    numbers = [*numbers]
    return Fraction(sum(numbers)) / len(numbers)


def squared_error(numbers):
    """Return the jackknife's variance of a mean: the variance of the sample over n."""
    numbers = [*numbers]
    n = len(numbers)
    return sum((x - mean(numbers)) ** 2 for x in numbers) / (n - 1) / n


def squared_error_of_clusters(numbers, clusters):
    """The jackknife's variance of a mean over clusters, a ratio of sums: all but one of them."""
    names = sorted(set(clusters))
    total, count = Fraction(sum(numbers)), len(numbers)
    means = []
    for name in names:
        inside = [x for x, c in zip(numbers, clusters, strict=True) if c == name]
        means.append((total - sum(inside)) / (count - len(inside)))
    center = mean(means)
    n = len(names)
    return sum((m - center) ** 2 for m in means) * Fraction(n - 1, n)


def inspect_clustered(numbers, clusters):
    """The squared clustered standard error that inspect prints."""
    names, center, n = sorted(set(clusters)), mean(numbers), len(numbers)
    sums = [
        sum(x - center for x, c in zip(numbers, clusters, strict=True) if c == name)
        for name in names
    ]
    return Fraction(len(names), len(names) - 1) * sum(s * s for s in sums) / n / n


def exchange(differences):
    """The exact p of the test that exchanges both sides of each example."""
    moved = [d for d in differences if d]
    observed = abs(sum(moved))
    hits = sum(
        abs(sum(d if way >> k & 1 else -d for k, d in enumerate(moved))) >= observed
        for way in range(2 ** len(moved))
    )
    return Fraction(hits, 2 ** len(moved))


def mcnemar(b, c):
    """McNemar's exact p of b against c examples that one system alone has right."""
    if b == c:
        return Fraction(1)
    tail = sum(math.comb(b + c, k) for k in range(min(b, c) + 1))
    return min(Fraction(1), Fraction(2 * tail, 2 ** (b + c)))


def welch(a, b):
    """The squared standard error of a difference of means, and its degrees of freedom."""
    s, t = squared_error(a), squared_error(b)
    return s + t, (s + t) ** 2 / (s * s / (len(a) - 1) + t * t / (len(b) - 1))

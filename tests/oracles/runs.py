"""Runs in plain dictionaries: systems and answers of one table, apart from the package."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations


def systems_in(rows, column):
    """The rows of each system, in order of first appearance."""
    systems = {}
    for row in rows:
        rest = {name: value for name, value in row.items() if name != column}
        systems.setdefault(row[column], []).append(rest)
    return systems


def answers_in(rows, id="id"):
    """The rows of each item, in their order."""
    items = {}
    for row in rows:
        items.setdefault(row[id], []).append(row)
    return items


def value_over(values, over):
    """One value of the answers to an item."""
    if over == "mean":
        return sum(map(Fraction, values)) / len(values)
    if over == "first":
        return Fraction(values[0])
    if over in ("max", "best"):
        return Fraction(max(values))
    if over == "min":
        return Fraction(min(values))
    k, any_or_all = int(over[5:]), any if over[4] == "@" else all
    draws = [*combinations(values, k)]
    return Fraction(sum(any_or_all(v >= 1 for v in draw) for draw in draws), len(draws))


def mean_over(rows, over):
    """The mean of the values of all items of one system."""
    values = [
        value_over([row["value"] for row in given], over) for given in answers_in(rows).values()
    ]
    return float(sum(values) / len(values))

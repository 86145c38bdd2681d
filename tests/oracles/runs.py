"""Runs in plain dictionaries: systems, answers and items of tables, apart from the package.

After shared/reference/runs.md. Runs item by item are ``{run: [(id, value or None), ...]}``.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb


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


def answers_of(rows):
    """The values of the answers of each item, None for one that crashed."""
    answers = {}
    for id, value in rows:
        answers.setdefault(id, []).append(None if value is None else Fraction(value))
    return answers


def cell(answers, missing):
    """n, value, right and crashed of the answers of an item in a run."""
    values = [value for value in answers if value is not None]
    crashed = len(answers) - len(values)
    if missing == "zero":
        values += [Fraction(0)] * crashed
    value = sum(values) / len(values) if values else None
    right = sum(value >= 1 for value in values)
    return {"value": value, "n": len(values), "right": right, "crashed": crashed}


def is_flaky(cell):
    return 0 < cell["right"] < cell["n"]


def change(before, after):
    if before["value"] is None or after["value"] is None:
        return "unknown"
    delta = float(after["value"]) - float(before["value"])
    return "up" if delta > 0 else "down" if delta < 0 else "same"


def items(runs, missing="skip"):
    """Each item with its cell in each run, the change, and the runs in which it is flaky."""
    held = {name: answers_of(rows) for name, rows in runs.items()}
    found = {}
    for id in {id for answers in held.values() for id in answers}:
        values = {name: cell(answers.get(id, []), missing) for name, answers in held.items()}
        found[id] = {"values": values, "flaky": {n: is_flaky(v) for n, v in values.items()}}
        if len(runs) == 2:
            found[id]["change"] = change(*values.values())
    return found


def counts(found):
    """The numbers of items: all, up, down, flaky and crashed in any run."""
    each = found.values()
    made = {
        "n_items": len(found),
        "n_flaky": sum(any(item["flaky"].values()) for item in each),
        "n_crashed": sum(any(v["crashed"] for v in item["values"].values()) for item in each),
    }
    if all("change" in item for item in each):
        for way in ("up", "down"):
            made[f"n_{way}"] = sum(item["change"] == way for item in each)
    return made


def fisher(before, after):
    """The chance of so few right answers after, given how many are right in both together."""
    right, n = before["right"] + after["right"], before["n"] + after["n"]
    ways = [comb(right, k) * comb(n - right, after["n"] - k) for k in range(after["right"] + 1)]
    return Fraction(sum(ways), comb(n, after["n"]))


def down_by_chance_of(tests, level):
    """The ids that Holm's steps reject at a level; p ascending, ids as they come."""
    rejected = []
    for k, (id, p) in enumerate(sorted(tests.items(), key=lambda test: test[1])):
        if p * (len(tests) - k) > level:
            break
        rejected.append(id)
    return rejected


def regressions(before, after, missing="skip", level=Fraction(1, 20), allow_flaky=False):
    """The ids that were right in every answer and are in none; flaky ones that fall by more."""
    found = items({"before": before, "after": after}, missing)
    down, tests = set(), {}
    for id, item in found.items():
        a, b = item["values"].values()
        if any(item["flaky"].values()):
            if a["n"] and b["n"]:
                tests[id] = fisher(a, b)
        elif a["n"] and a["right"] == a["n"] and b["right"] == 0 and (b["n"] or missing == "zero"):
            down.add(id)
    return down | (set() if allow_flaky else set(down_by_chance_of(tests, level)))


def majority_of(answers):
    """The relations that more than half of the answers make, in order of appearance."""
    made = [relation for answer in answers for relation in answer]
    different = [r for k, r in enumerate(made) if r not in made[:k]]
    return [r for r in different if 2 * sum(r in answer for answer in answers) > len(answers)]


def label_of(answers):
    """The most frequent label, the first of equal ones."""
    return max(answers, key=lambda label: (answers.count(label), -answers.index(label)))


def f1_of(tp, n_pred, n_gold):
    """F1 of counts; None for 0/0."""
    return 2 * tp / (n_pred + n_gold) if n_pred + n_gold else None


def best_of(answers, gold):
    """The answer with the highest F1 of its own, 1 for 0/0; the first of equal ones."""
    own = []
    for answer in answers:
        f1 = f1_of(len([r for r in answer if r in gold]), len(answer), len(gold))
        own.append(1 if f1 is None else f1)
    return answers[own.index(max(own))], own

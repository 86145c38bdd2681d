"""Shares of the reasons of invalid verdicts, counted one by one, in fractions.

Source: the guide for raters of extracted causes and effects (unsure is invalid; a side is wrong, by
meaning lost or added, another event, or words that the source lacks). Alpha is Krippendorff's for
nominal labels, of pairs within items. Shares nothing with the package.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations

SIDES = ["cause", "effect", "both"]
KINDS = ["meaning lost", "meaning added", "another event", "words not in the source"]


def parts_of(reason):
    """Side and kind of a reason, each None if it is not given."""
    said = (reason or "").split(": ")
    return [next((name for name in names if name in said), None) for names in (SIDES, KINDS)]


def shares(values, names):
    counted = Counter(value for value in values if value is not None)
    n = sum(counted.values())
    return {name: (counted[name], Fraction(counted[name], n) if n else None) for name in names}


def counted(cells):
    """Counts of verdicts ``(answer, reason)``."""
    reasons = [parts_of(reason) for answer, reason in cells if answer == "invalid"]
    return {
        "n_unsure": sum(answer == "unsure" for answer, _ in cells),
        "n_given": sum(reason != [None, None] for reason in reasons),
        "sides": shares([side for side, _ in reasons], SIDES),
        "kinds": shares([kind for _, kind in reasons], KINDS),
        "by_side": {
            name: shares([kind for side, kind in reasons if side == name], KINDS) for name in SIDES
        },
    }


def n_invalid(cells, unsure):
    words = ["invalid", "unsure"] if unsure == "invalid" else ["invalid"]
    return sum(answer in words for answer, _ in cells)


def alpha(items):
    """Krippendorff's alpha of lists of labels."""
    items = [labels for labels in items if len(labels) > 1]
    n = sum(map(len, items))
    observed = sum(
        Fraction(sum(a != b for a, b in permutations(labels, 2)), len(labels) - 1)
        for labels in items
    )
    of_label = Counter(label for labels in items for label in labels)
    expected = sum(of_label[a] * of_label[b] for a, b in permutations(of_label, 2))
    return 1 - (n - 1) * observed / expected if expected else None


def is_differing(cells, unsure):
    """Return True if two or more raters all answer invalid, and name two sides or two kinds."""
    answers = [answer for answer, _ in cells if answer is not None]
    if unsure == "missing":
        answers = [answer for answer in answers if answer != "unsure"]
    if "valid" in answers or len(answers) < 2:
        return False
    sides, kinds = zip(*(parts_of(reason) for _, reason in cells), strict=True)
    return any(len({*named} - {None}) > 1 for named in (sides, kinds))

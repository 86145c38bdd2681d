"""Causal frames and chains, pair by pair in plain Python.

Source: Romanou et al. (2023), CRAB, sections 2 and 5.2, figure 2 and tables 3, 4, 6 and 7; the
rule `collapse` is the one whose counts come near table 6. Shares nothing with the package.

A pair is (topic, a, b, class, answer): a class is a letter A to D; an answer is a letter, "" (names
no class) or None (left out).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations


def figure(high, medium, low, none):
    if high == 0 and medium == 0 and low == 0:
        return "N"
    if medium > 0:
        return "M"
    if low == 0:
        return "SD" if high == 1 else "SC"
    if high > 0 and none == 0:
        return "D" if high == 1 else "C"
    return "U"


def mixed(high, medium, low, none):
    kind = figure(high, medium, low, none)
    return "M" if kind == "U" else kind


def collapse(high, medium, low, none):
    strong = high + medium
    if strong == 0:
        return "N"
    if low > 0 and none > 0:
        return "M"
    if low == 0:
        return "SD" if strong == 1 else "SC"
    return "D" if strong == 1 else "C"


RULES = {"figure": figure, "mixed": mixed, "collapse": collapse}


def marks(answered, undefined=None, labels="ABCD"):
    """Return size, macro-F1 and exact match of (gold, answer) pairs; None if no answer counts."""
    counted = [(gold, answer) for gold, answer in answered if answer is not None]
    if not counted:
        return 0, None, None
    f1s = []
    for label in labels:
        hits = sum(gold == answer == label for gold, answer in counted)
        either = sum((gold == label) + (answer == label) for gold, answer in counted)
        if either:
            f1s.append(Fraction(2 * hits, either))
        elif undefined is not None:
            f1s.append(Fraction(undefined))
    exact = int(all(gold == answer for gold, answer in counted))
    return len(counted), sum(f1s) / len(f1s), exact


def frames(pairs, rule):
    """Frames by (topic, effect): the type, and the pairs."""
    members = {}
    for pair in pairs:
        members.setdefault((pair[0], pair[2]), []).append(pair)
    kinds = {}
    for key, group in sorted(members.items()):
        letters = [letter for *_, letter, _ in group]
        kinds[key] = rule(*(letters.count(letter) for letter in "ABCD")), group
    return kinds


def chains(pairs, high="A", mediation="BC", confounding="C", collider="D"):
    """Chains by (topic, x, y, z): the type, and the pairs that are there."""
    by_key = {pair[:3]: pair for pair in pairs}
    events = {}
    for topic, a, b, *_ in pairs:
        events.setdefault(topic, set()).update((a, b))
    kinds = {}
    for topic in sorted(events):
        for x, y, z in combinations(sorted(events[topic]), 3):
            edges = [by_key.get((topic, *edge)) for edge in ((x, y), (y, z), (x, z))]
            letters = [edge[3] if edge else "-" for edge in edges]
            xy, yz, xz = letters
            kind = None
            if xy in high and yz in high and xz in mediation:
                kind = "mediation"
            elif xy in high and xz in high and yz in confounding:
                kind = "confounding"
            elif xz in high and yz in high and xy in collider:
                kind = "collider"
            if kind:
                kinds[topic, x, y, z] = kind, [edge for edge in edges if edge]
    return kinds

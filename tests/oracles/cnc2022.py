"""The scorer of the Causal News Corpus of 2022, from the tags of relations on.

Sentences with one gold relation are pooled; each other one takes the order of relations with the
highest F1, and its scores join the running result as means weighted by gold spans. Written from
the description of the program; seqeval counts, as it does there.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from seqeval.metrics.sequence_labeling import get_entities

ROLES = ("cause", "effect", "signal")
TRACKS = (("cause", "effect"), ("signal",))
Tagged = tuple[list[str], list[str]]  # a relation: tags of arguments, tags of signals


class StopError(Exception):
    """The program ends without a number."""


def _pool(pairs):
    """Label scores of pairs of relations, the way seqeval and NumPy number them."""
    if not pairs:
        raise StopError("nothing was added")
    found = {}
    for track, roles in enumerate(TRACKS):
        entities = [set(), set()]
        for number, pair in enumerate(pairs):
            for side, relation in zip(entities, pair, strict=True):
                side |= {(number, *e) for e in get_entities(relation[track])}
        for role in roles:
            gold, pred = ({e for e in side if e[1] == role} for side in entities)
            if not gold and not pred:
                if role != "signal":
                    raise StopError(f"KeyError {role}")
                found[role] = (0.0, 0.0, 0.0, 0)
                continue
            tp = np.float64(len(gold & pred))
            p, r = (tp / len(side) if side else np.float64(0) for side in (pred, gold))
            f = 2 * p * r / (p + r) if p + r else np.float64(0)
            found[role] = (p, r, f, np.int64(len(gold)))
    return found


def _mean(scores):
    weight = sum(s[3] for s in scores)
    means = []
    for k in range(3):
        total = 0.0
        for s in scores:
            total = total + s[k] * s[3]
        means.append(total / (weight if len(scores) == 2 else np.int64(weight)))
    return tuple(means)


def program(examples):
    """The scores of gold and predicted relations of each example, or StopError."""
    result = _pool([(gold[0], pred[0]) for gold, pred in examples if len(gold) == 1])
    overall = _mean([result[role] for role in ROLES])
    for gold, pred in examples:
        if len(gold) < 2:
            continue
        best, chosen = -1.0, None
        for order in permutations(gold):
            found = _pool(list(zip(order, pred, strict=True)))
            f1 = _mean([found[role] for role in ROLES])[2]
            if f1 > best:
                best, chosen = f1, found
        if chosen is None:
            raise StopError("no order has a number")
        for role in ROLES:
            both = result[role], chosen[role]
            try:
                result[role] = (*_mean(both), both[0][3] + both[1][3])
            except ZeroDivisionError:
                raise StopError("ZeroDivisionError") from None
        overall = _mean([result[role] for role in ROLES])
    return {"overall": overall} | result

"""InfoP, InfoR and InfoF1 of judged claims, in fractions.

Source: the definitions of MiRAGE (supported claims over claims, 2PR / (P + R)), with its three
aggregates. Shares nothing with the package.
"""

from __future__ import annotations

import json
from fractions import Fraction


def share(judgments, nulls):
    """Supported claims over judged ones; 0 without claims, None without judged ones."""
    if nulls == "false":
        judgments = [bool(judgment) for judgment in judgments]
    judged = [judgment for judgment in judgments if judgment is not None]
    if not judged:
        return None if judgments else Fraction(0)
    return Fraction(sum(judged), len(judged))


def harmonic(precision, recall):
    if precision is None or recall is None:
        return None
    return 2 * precision * recall / (precision + recall) if precision + recall else Fraction(0)


def mean(values):
    defined = [value for value in values if value is not None]
    return sum(defined, Fraction(0)) / len(defined) if defined else None


def of_topic(sides, nulls):
    precision, recall = (share(side, nulls) for side in sides)
    return precision, recall, harmonic(precision, recall)


def of_rater(topics, nulls):
    """The three aggregates of one rater; topics: the judgments of (prediction, reference)."""
    values = [of_topic(sides, nulls) for sides in topics.values()]
    topic = [mean(column) for column in zip(*values, strict=True)]
    pooled = [[judgment for sides in topics.values() for judgment in sides[k]] for k in (0, 1)]
    return {
        "topic": topic,
        "claim": of_topic(pooled, nulls),
        "means": (harmonic(*topic[:2]),),
    }


def of_raters(each):
    """Return means over raters; ``each`` holds a result of a function above for every rater."""
    return {
        group: [mean(c) for c in zip(*(e[group] for e in each), strict=True)] for group in each[0]
    }


def majority(raters, nulls):
    """The judgments of most raters; a tie is not supported."""
    joined = {}
    for topic in raters[0]:
        sides = []
        for k in (0, 1):
            votes = zip(*(topics[topic][k] for topics in raters), strict=True)
            sides.append([vote(claim, nulls) for claim in votes])
        joined[topic] = tuple(sides)
    return joined


def vote(judgments, nulls):
    said = [j for j in judgments if j is not None]
    if nulls == "false":
        said = [bool(judgment) for judgment in judgments]
    return 2 * sum(said) > len(said) if said else None


def judgments_of(path):
    """The judgments of a file of claims by topic, whatever its shape."""
    topics = json.loads(path.read_text(), object_pairs_hook=list)
    read = {}
    for topic, entries in topics:
        claims = dict(entries)["claims"]
        nested = claims and isinstance(claims[0][0], str)  # pairs of a sentence and its claims
        records = [r for _, group in claims for r in group] if nested else claims
        read[topic] = [dict(record)["judgment"] for record in records]
    return read

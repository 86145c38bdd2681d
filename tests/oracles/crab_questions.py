"""Graded causality, raters and events by the definitions, in loops over plain lists.

Romanou et al. (2023), CRAB, section 5.2 and Table 2 (questions), Table 9 (raters), Table 10
(events). Macro-F1 is scikit-learn's, alpha the package krippendorff's, an assignment SciPy's.
"""

from __future__ import annotations

import re
import statistics
import string
from collections import Counter

import numpy as np

LETTERS = "ABCD"


def right_letters(question):
    if question.get("answer"):
        return sorted(question["answer"])
    scores = {question[f"{i}_choice"]: question[f"{i}_score"] for i in range(4)}
    return [max(scores, key=scores.get)]


def gold_letter(question, chosen):
    return chosen if chosen in right_letters(question) else right_letters(question)[0]


def near_letters(question):
    return {
        question[f"{i}_choice"]
        for i in range(4)
        if question[f"{i}_article_id"] == question["article_id_effect"]
    }


def graded(questions, chosen, policy="skip"):
    """Return scores of letters; None is an unparsed one, which policy empty counts as a miss."""
    from sklearn.metrics import accuracy_score, f1_score

    counted = [
        (q, c) for q, c in zip(questions, chosen, strict=True) if c is not None or policy == "empty"
    ]
    gold = [gold_letter(q, c) for q, c in counted]
    pred = [c or "none" for _, c in counted]
    present = sorted({*gold, *pred} & {*LETTERS})
    return {
        "accuracy": accuracy_score(gold, pred),
        "macro_f1": f1_score(gold, pred, labels=present, average="macro", zero_division=0),
    }


def same_document(questions, chosen):
    def block(pairs, with_chance):
        near = [c in near_letters(q) for q, c in pairs]
        said = {"n": len(pairs), "n_same_document": sum(near)}
        said["share"] = sum(near) / len(near) if near else None
        if with_chance:
            shares = []
            for q, _ in pairs:
                wrong = {*LETTERS} - {*right_letters(q)}
                shares.append(len(wrong & near_letters(q)) / len(wrong))
            said["chance"] = sum(shares) / len(shares) if shares else None
        return said

    read = [(q, c) for q, c in zip(questions, chosen, strict=True) if c is not None]
    cross = [(q, c) for q, c in read if gold_letter(q, c) not in near_letters(q)]
    return {
        "wrong": block([(q, c) for q, c in read if c not in right_letters(q)], True),
        "cross_document_wrong": block(
            [(q, c) for q, c in cross if c not in right_letters(q)], True
        ),
        "cross_document": block(cross, False),
    }


def class_number(score, border):
    """1 No to 4 High."""
    if border == "down":
        return 1 + (score > 20) + (score > 50) + (score > 80)
    return 1 + (score >= 20) + (score >= 50) + (score > 80 if border == "text" else score >= 80)


def agreement(ratings, border="up", ties="first", outside="keep"):
    """Ratings are (unit, rater, score)."""
    import krippendorff

    units = sorted({u for u, _, _ in ratings})
    numbers = {u: [class_number(s, border) for v, _, s in ratings if v == u] for u in units}
    majority, n_tied = {}, 0
    for u, given in numbers.items():
        counts = Counter(given)
        winners = sorted(n for n in counts if counts[n] == max(counts.values()))
        n_tied += len(winners) > 1
        majority[u] = None if ties == "none" and len(winners) > 1 else winners[0]
    subsets = []
    for classes in ((1, 2), (2, 3), (3, 4), (1, 4), (1, 2, 3, 4)):
        members = [u for u in units if majority[u] in classes or len(classes) == 4]
        kept = [[n for n in numbers[u] if outside == "keep" or n in classes] for u in members]
        width = max(map(len, kept), default=0)
        table = np.array([row + [np.nan] * (width - len(row)) for row in kept]).reshape(
            len(kept), width
        )
        paired = table[(~np.isnan(table)).sum(axis=1) > 1]
        alpha = None
        if len({*paired[~np.isnan(paired)]}) > 1:
            alpha = krippendorff.alpha(paired.T, level_of_measurement="interval")
        subsets.append({"classes": [*classes], "n_pairs": len(members), "alpha": alpha})
    return majority, n_tied, subsets


def experts(ratings, width, least=None, share=None):
    units = sorted({u for u, _, _ in ratings})
    near = {}
    for u in units:
        scores = [s for v, _, s in ratings if v == u]
        mean = statistics.fmean(scores)
        if min(abs(mean - border) for border in (20, 50, 80)) <= width:
            near[u] = statistics.variance(scores) if len(scores) > 1 else None
    known = sorted((v for v in near.values() if v is not None), reverse=True)
    if share is not None:
        k = round(share * len(units))
        least = (known[: k or 1] or [0])[-1] if k else float("inf")
    if least is None:
        return {*near}
    return {u for u, v in near.items() if v is not None and v >= least}


def bag(text):
    kept = "".join(c for c in text.lower() if c not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", kept).split()


def token_f1(a, b):
    shared = sum((Counter(bag(a)) & Counter(bag(b))).values())
    return 2 * shared / (len(bag(a)) + len(bag(b))) if shared else 0.0


def n_matched(gold, pred, allowed):
    """Return the largest number of pairs, by SciPy's assignment of a table of zeros and ones."""
    from scipy.optimize import linear_sum_assignment

    if not gold or not pred:
        return 0
    table = np.array([[int(allowed(a, b)) for b in pred] for a in gold])
    return int(table[linear_sum_assignment(table, maximize=True)].sum())

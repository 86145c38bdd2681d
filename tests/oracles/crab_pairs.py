"""Scores of judged pairs, pair by pair in plain Python.

Source: Romanou et al. (2023), CRAB, sections 3 and 5.2, tables 1, 2 and 8, figure 8; Gorodkin
(2004) for the correlation of classes; Spearman (1904) with mean ranks. Shares nothing with the
package.
"""

from __future__ import annotations

import math

LETTERS = ["A", "B", "C", "D"]
THREE = ["high", "medium_or_low", "none"]


def letter(score, border):
    """The class of a score: borders 20, 50, 80 by the rule."""
    if border == "down":
        return "A" if score > 80 else "B" if score > 50 else "C" if score > 20 else "D"
    highest = score > 80 if border == "text" else score >= 80
    return "A" if highest else "B" if score >= 50 else "C" if score >= 20 else "D"


def gold_label(pair, task, border, threshold, gold_from):
    score = pair.get("score")
    if task == "binary":
        if score == threshold:
            return "yes" if border == "up" or (border == "text" and threshold != 80) else "no"
        return "yes" if score > threshold else "no"
    given = pair.get("class") if gold_from == "class" else None
    found = letter(score, border) if given is None else given
    return one_of_three(found) if task == "three" else found


def one_of_three(letter):
    return "high" if letter == "A" else "none" if letter == "D" else "medium_or_low"


def pairwise(pairs, answers, task, border, threshold, gold_from, undefined, policies):
    """Scores of pairs.

    ``answers`` has for each pair (state, value): state "read", "missing", "unreadable",
    "out_of_range" or "unmatched"; value a number, a letter, yes or no. ``policies`` has "empty" or
    "skip" for "unparsed" and "unmatched".
    """
    labels = {"binary": ["no", "yes"], "three": THREE}.get(task, LETTERS)
    unread = {"missing": 0, "unreadable": 0, "out_of_range": 0, "unmatched": 0}
    judged, numbers = [], []
    for pair, (state, value) in zip(pairs, answers, strict=True):
        wanted = gold_label(pair, task, border, threshold, gold_from)
        if state == "read":
            judged.append((wanted, letter(value, border) if task == "score" else value))
            if task == "score" and pair.get("score") is not None:
                numbers.append((pair["score"], value))
            continue
        unread[state] += 1
        if policies["unmatched" if state == "unmatched" else "unparsed"] == "empty":
            judged.append((wanted, None))
    zero = math.nan if undefined is None else undefined
    classes = [one_class(judged, label, zero) for label in labels]
    scores = {
        "overall": {
            "accuracy": over(sum(g == p for g, p in judged), len(judged), zero),
            "mcc": correlation(judged, [*labels, None]),
        },
        "macro": {name: mean(classes, name, zero) for name in ("precision", "recall", "f1")},
        "weighted": {
            name: mean(classes, name, zero, "support") for name in ("precision", "recall", "f1")
        },
    }
    if task == "score":
        distances = [abs(x - y) for x, y in numbers]
        scores["score"] = {
            "mae": over(sum(distances), len(distances), math.nan),
            "spearman": ranks_correlation(numbers),
            "bias": over(sum(y - x for x, y in numbers), len(numbers), math.nan),
        }
    if task != "binary":
        scores["overall"]["direction"] = direction(judged, labels)
        for row in classes:
            of_label = [both for both in judged if both[0] == row["label"]]
            row["direction"] = direction(of_label, labels)
    if task == "binary":
        scores["positive"] = {k: v for k, v in classes[1].items() if k != "label"}
    n_read = len(pairs) - sum(unread.values())
    return {
        "n_pairs": len(pairs),
        "labels": labels,
        "scores": scores,
        "classes": classes,
        "confusion": [[judged.count((g, p)) for p in labels] for g in labels],
        "unanswered": [judged.count((g, None)) for g in labels],
        "coverage": {"n_read": n_read, "share": n_read / len(pairs), "unread": unread},
    }


def direction(judged, labels):
    """Answers with a label, the last 0, each before it one more, minus gold."""
    number = {label: k for k, label in enumerate(labels[::-1])}
    away = [number[p] - number[g] for g, p in judged if p is not None]
    return {
        "too_strong": over(sum(step > 0 for step in away), len(away), math.nan),
        "too_weak": over(sum(step < 0 for step in away), len(away), math.nan),
        "mean_difference": over(sum(away), len(away), math.nan),
    }


def over(top, bottom, zero):
    return top / bottom if bottom else zero


def one_class(judged, label, zero):
    tp = sum(g == p == label for g, p in judged)
    fp = sum(p == label != g for g, p in judged)
    fn = sum(g == label != p for g, p in judged)
    return {
        "label": label,
        "precision": over(tp, tp + fp, zero),
        "recall": over(tp, tp + fn, zero),
        "f1": over(2 * tp, 2 * tp + fp + fn, zero),
        "support": tp + fn,
        "tp": tp,
        "fp": fp,
        "fn": fn,
    }


def mean(classes, name, zero, weight=None):
    """Over the classes whose score is defined; of weights 0 alone, the plain mean."""
    defined = [c for c in classes if not math.isnan(c[name])]
    weights = [c[weight] if weight else 1 for c in defined]
    if not any(weights):
        weights = [1] * len(defined)
    return over(sum(c[name] * w for c, w in zip(defined, weights, strict=True)), sum(weights), zero)


def correlation(judged, labels):
    """Pearson's correlation of the indicators of all labels, one after the other."""
    n = len(judged)
    sums = [0.0, 0.0, 0.0]
    for label in labels:
        x = [g == label for g, _ in judged]
        y = [p == label for _, p in judged]
        both = sum(a and b for a, b in zip(x, y, strict=True))
        sums[0] += n * both - sum(x) * sum(y)
        sums[1] += n * sum(x) - sum(x) ** 2
        sums[2] += n * sum(y) - sum(y) ** 2
    return over(sums[0], math.sqrt(sums[1] * sums[2]), math.nan)


def ranks_correlation(numbers):
    ranks = []
    for side in zip(*numbers, strict=True):
        ranks.append([sum(o < v for o in side) + (sum(o == v for o in side) + 1) / 2 for v in side])
    if not ranks:
        return math.nan
    centre = (len(numbers) + 1) / 2
    x, y = ([r - centre for r in side] for side in ranks)
    top = sum(a * b for a, b in zip(x, y, strict=True))
    return over(top, math.sqrt(sum(a * a for a in x) * sum(b * b for b in y)), math.nan)

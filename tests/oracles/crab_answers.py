"""Answers of models read by regular expressions, and yes and no against one threshold at a time.

Written from the rules of docs/crab.md alone; the macro-F1 equals scikit-learn's `f1_score` without
labels: the mean over the classes that occur.
"""

from __future__ import annotations

import math
import re
from typing import Any

WORD = r"A-Za-z0-9_\u00c0-\u1fff"
TAG = re.compile(r"<answer>((?:(?!<answer>).)*?)</answer>", re.I | re.S | re.A)
NUMBER = re.compile(
    r"([+-]?([0-9]+(\.[0-9]+)?|\.[0-9]+)([eE][+-]?[0-9]+)?)\s*(%|/\s*100)?\s*\.?", re.S
)
LETTER = re.compile(r"\[([A-Da-d])\]|\(([A-Da-d])\)|([A-Da-d])[.:)]|([A-Da-d])\Z")
FREE = rf"(?:(?<![{WORD}.])|(?<=\A[A-Da-d]\.))"
NAMED = re.compile(rf"(?=\[([A-Da-d])\]|\(([A-Da-d])\)|{FREE}([A-Da-d])[.:)](?:\s|\Z))")
FIRST = re.compile(rf"([^{WORD}]*)([{WORD}]+)(.*)", re.S)
OTHER = re.compile(rf"(?:\s|[\"'*`)\]\u2018-\u201f])*(?:/|[oO][rR](?![{WORD}]))")


def lowered(text: str) -> str:
    """Lower case of ASCII alone."""
    return "".join(c.lower() if c.isascii() else c for c in text)


def answer_of(text: str, task: str) -> tuple[float, str]:
    """The value of a text, NaN of none, and the reason."""
    if text.strip() == "":
        return math.nan, "missing"
    closed = TAG.findall(text)
    if not closed and "<answer>" in lowered(text):
        return math.nan, "unreadable"
    said = (closed[-1] if closed else text).strip()
    value = {"score": score, "binary": yes_no, "three": one_of_three}.get(task, letter)(said)
    if value is None:
        return math.nan, "unreadable"
    if task == "score" and not 0 <= value <= 100:
        return math.nan, "out_of_range"
    return value, "read"


def score(said: str) -> float | None:
    number = NUMBER.fullmatch(said)
    return float(number[1]) if number else None


def letter(said: str) -> float | None:
    choice = LETTER.match(said)
    if choice is None:
        return None
    mine = "".join(filter(None, choice.groups())).upper()
    for named in NAMED.finditer(said):
        if named.start() >= choice.end() and "".join(filter(None, named.groups())).upper() != mine:
            return None
    return float("ABCD".index(mine))


def one_of_three(said: str) -> float | None:
    return None if (value := letter(said)) == 3 else value


def yes_no(said: str) -> float | None:
    parts = FIRST.match(said)
    if parts is None:
        return None
    before, word, after = parts.groups()
    value = {"yes": 1.0, "true": 1.0, "1": 1.0, "no": 0.0, "false": 0.0, "0": 0.0}.get(
        lowered(word)
    )
    is_part = word in "01" and (before[-1:] in (*"+-.,",) or re.match(r"[.,][0-9]", after))
    return None if value is None or is_part or OTHER.match(after) else value


def f1(tp: int, fp: int, fn: int) -> float | None:
    return 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else None


def threshold_row(
    gold: list[float], pred: list[bool | None], threshold: float, *, equal: bool, undefined: Any
) -> dict[str, Any]:
    """Return counts and scores of yes and no at a threshold; None is an answer without yes or no.

    ``equal``: a gold score equal to the threshold is yes.
    """
    truth = [s > threshold or (equal and s == threshold) for s in gold]
    pairs = list(zip(truth, pred, strict=True))
    tp = pairs.count((True, True))
    fp = pairs.count((False, True))
    fn = sum(truth) - tp
    tn = pairs.count((False, False))
    wrong_no = sum(g and p is False for g, p in pairs)
    yes = f1(tp, fp, fn)
    no = f1(tn, wrong_no, len(truth) - sum(truth) - tn)
    means = [undefined if f is None else f for f in (yes, no)]
    means = [f for f in means if f is not None]
    return {
        "threshold": threshold,
        "n_positive": sum(truth),
        "accuracy": (tp + tn) / len(pairs) if pairs else undefined,
        "macro_f1": sum(means) / len(means) if means else None,
        "f1_yes": undefined if yes is None else yes,
        "f1_no": undefined if no is None else no,
        "tp": tp,
        "fp": fp,
        "fn": fn,
    }

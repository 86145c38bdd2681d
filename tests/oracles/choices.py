"""Answers to questions with options, in plain Python: read letter by letter, counted row by row.

Written from the rules of docs/choices.md alone.
"""

from __future__ import annotations

from typing import Any

from tests.oracles import crab_answers

LABELLED = {"Answer: yes": "yes", "**No**": "no"}
REFUSALS = ("i'm sorry ", "neither ", "none ", "as a")
BREAKS = set('?!*;@#$%&[](){}<>"`«»“”\u2018’„\u2012–—―')


def first_word(answer: Any, options: Any) -> str | None:
    """Of texts whose labels and bold words are those of the test."""
    value, state = crab_answers.answer_of(str("" if answer is None else answer), "binary")
    if state == "read":
        return "yes" if value else "no"
    said = {word for mark, word in LABELLED.items() if mark in str(answer)}
    return said.pop() if len(said) == 1 else None


def cladder(answer: Any, options: Any) -> str | None:
    text = str("" if answer is None else answer).strip().lower()
    return "yes" if text[:3] == "yes" else "no" if text[:2] == "no" else None


def cladder_gpt(answer: Any, options: Any) -> str | None:
    text = str(answer).lower().strip()
    while text[:1] == '"':
        text = text[1:]
    if any(text[: len(refusal)] == refusal for refusal in REFUSALS):
        return None
    return "yes" if text[:3] == "yes" else "no" if text[:2] == "no" else None


def corr2cause(answer: Any, options: Any) -> str | None:
    """Of texts whose first words end in blanks, full stops, commas or colons, or at the end."""
    if answer is None:
        return None
    text = str(answer).strip().lower()
    if text == "must be true":
        return "yes"
    words = text.split()
    for phrase in (words[:1], words[:2]):
        said = " ".join(phrase)
        for end in ("", ".", ",", "!", '".', "?", '"', ":"):
            if end and said.endswith(end):
                said = said[: -len(end)]
                break
        if said in ("yes", "true", "entailment", "necessarily true"):
            return "yes"
    return "no"


def corr2cause_gpt(answer: Any, options: Any) -> str | None:
    if answer is None:
        return None
    text = str(answer).strip().lower()
    while text[:1] in (" ", '"', ".", ":") and text:
        text = text[1:]
    while text[-1:] in (" ", '"', ".", ":") and text:
        text = text[:-1]
    opening = "that there is "
    return corr2cause(text[len(opening) :] if text[: len(opening)] == opening else text, options)


def letter(answer: Any, options: Any) -> str | None:
    value, state = crab_answers.answer_of(str("" if answer is None else answer), "mcq")
    return options.get("ABCD"[int(value)]) if state == "read" else None


def same(answer: Any, options: Any) -> str | None:
    """Options are texts, or numbers under which they stand."""
    for form, option in options.items():
        if isinstance(form, str) == isinstance(answer, str) and form == answer:
            return option
    return None


READINGS = {
    "first-word": first_word,
    "cladder": cladder,
    "cladder-gpt": cladder_gpt,
    "corr2cause": corr2cause,
    "corr2cause-gpt": corr2cause_gpt,
    "letter": letter,
    "same": same,
}


def scored(
    gold: dict[str, Any], pred: dict[str, Any], forms: Any, reading: str, policies: tuple[str, str]
) -> dict[str, Any]:
    """Counts and accuracies of answers by id; an unreadable one under "error" is a ValueError."""
    unparsed, unmatched = policies
    n = right = read = n_unparsed = n_missing = 0
    counted: dict[str, int] = {}
    for id, written in gold.items():
        option = forms[written]
        if id not in pred:
            n_missing += 1
            state, chosen = unmatched, None
        else:
            chosen = READINGS[reading](pred[id], forms)
            n_unparsed += chosen is None
            state = unparsed if chosen is None else ""
        if state == "error":
            raise ValueError(id)
        if state == "skip":
            continue
        n += 1
        counted[option] = counted.get(option, 0) + 1
        read += chosen is not None
        right += chosen == option
    return {
        "n": n,
        "n_unparsed": n_unparsed,
        "n_missing": n_missing,
        "accuracy": right / n if n else None,
        "of_read": right / read if read else None,
        "majority": max(counted.values()) / n if n else None,
    }


def rarer(gold: list[str], pred: list[str]) -> tuple[float, float, float, float]:
    """F1, precision, recall of the class with the least of gold, and accuracy, in per cent."""
    classes = sorted({*gold, *pred})
    least = min(classes, key=lambda c: (gold.count(c), c))
    hits = sum(g == p == least for g, p in zip(gold, pred, strict=True))
    p = hits / pred.count(least) if pred.count(least) else 0.0
    r = hits / gold.count(least) if gold.count(least) else 0.0
    f1 = 2 * p * r / (p + r) if p + r else 0.0
    right = sum(g == p for g, p in zip(gold, pred, strict=True))
    return tuple(round(100 * each, 2) for each in (f1, p, r, right / len(gold)))

"""Readings: named rules from a model's answer to an option.

Another rule is a function here, its record in `READINGS` and its name in `options.AnswerReading`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, get_args

from fastcausal.options import AnswerKind, AnswerReading, check
from fastcausal.tasks.classification.choices.reader import READ, read_text

Forms = Mapping[Any, str]
"""The options, each under every value by which gold may name it."""

YES, NO = "yes", "no"

# Of the program of CLadder; the longest prefix counts, and all but the last two refuse to answer.
_PREFIXES: Mapping[str, str | None] = {
    "i'm sorry ": None,
    "neither ": None,
    "none ": None,
    "as a": None,
    "yes": YES,
    "no": NO,
}

# Of the program of Corr2Cause: the end of a word as NLTK cuts text into words and sentences.
_ALONE = r"\s?!*;@#$%&\[\](){}<>\"`«»“”\u2018’„\u2012–—―"
_END = (
    rf"(?=$|[{_ALONE}]|--|\.\.|''|[,:](?!\d)|\.(?:[\])}}>\"'»”’]*(?:\s|$)|[)\";}}\]*:@'({{\[!?])"
    rf"|(?:n't|'(?:s|m|d|ll|re|ve)?)(?:[{_ALONE}.,:]|$))"
)
_CAN_BE_DEDUCED = re.compile(
    rf"must be true\Z|(?:necessarily\s+true|yes|true|entailment){_END}", re.IGNORECASE
)


def first_word(answer: Any, forms: Forms) -> str | None:
    """Read the first word of the answer: yes, no, true, false, 1 or 0.

    >>> said = ("**Yes**, it does.", "Answer: no", "Nope", "yes/no", True, None)
    >>> [first_word(answer, {}) for answer in said]
    ['yes', 'no', None, None, 'yes', None]
    """
    if isinstance(answer, int | float):
        return YES if answer == 1 else NO if answer == 0 else None
    value, reason = read_text(answer or "", "binary")
    return None if reason != READ else YES if value else NO


def cladder(answer: Any, forms: Forms) -> str | None:
    """Read the start as yes or no, as ``eval_llms`` of CLadder does.

    >>> [cladder(answer, {}) for answer in (" Yes.", "not sure", "yesterday", '"Yes"')]
    ['yes', 'no', 'yes', None]
    """
    text = "" if answer is None else str(answer).strip().lower()
    return next((word for word in (YES, NO) if text.startswith(word)), None)


def cladder_gpt(answer: Any, forms: Forms) -> str | None:
    """Read the start, without quotes and refusals, as ``run_gpt`` of CLadder does.

    >>> [cladder_gpt(answer, {}) for answer in ('"Yes"', "None of them", "none", "Neither", None)]
    ['yes', None, 'no', None, 'no']
    """
    # The program writes null as the text "None", which starts with no.
    text = str(answer).lower().strip().strip('"')
    return next((option for prefix, option in _PREFIXES.items() if text.startswith(prefix)), None)


def corr2cause(answer: Any, forms: Forms) -> str | None:
    """Read a few phrases at the start as yes, and all other text as no.

    >>> answers = ("yes, because", 'necessarily true".', "must be true.", "I think yes", "")
    >>> [corr2cause(answer, {}) for answer in answers]
    ['yes', 'yes', 'no', 'no', 'no']
    """
    # As Corr2Cause's program does
    if answer is None:
        return None
    return YES if _CAN_BE_DEDUCED.match(str(answer).strip()) else NO


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def letter(answer: Any, forms: Forms) -> str | None:
    """Read the only letter that the answer names, in either case.

    >>> options = {"A": "A", "B": "B"}
    >>> [letter(answer, options) for answer in ("(B) It rained.", "Answer: A", "A/B", "Both", "C")]
    ['B', 'A', None, None, None]
    """
    letters = {form.upper(): option for form, option in forms.items() if str(form).isalpha()}
    last = max(("D", *(each for each in letters if each in LETTERS)))
    if not isinstance(answer, str):
        return None
    value, reason = read_text(answer, "letter", last)
    return letters.get(LETTERS[int(value)]) if reason == READ else None


def same(answer: Any, forms: Forms) -> str | None:
    """Read a value that stands for an option in gold: equal numbers, identical text.

    >>> [same(answer, {0: "0", 1: "1"}) for answer in (1, 1.0, True, "1", 2)]
    ['1', '1', '1', None, None]
    """
    return forms.get(answer) if isinstance(answer, str | int | float) else None


def corr2cause_gpt(answer: Any, forms: Forms) -> str | None:
    """Read as `corr2cause`, without signs and "that there is" at the start.

    >>> answers = ('"Yes"', "must be true.", "That there is necessarily true", "I think yes", None)
    >>> [corr2cause_gpt(answer, {}) for answer in answers]
    ['yes', 'yes', 'yes', 'no', None]
    """
    if answer is None:
        return None
    text = str(answer).strip().strip(' ".:').lower()
    return corr2cause(text.removeprefix("that there is "), forms)


class ReadingRule(NamedTuple):
    """A reading."""

    # Takes an answer, a value of JSON, and the forms of options; returns an option or None
    read: Callable[[Any, Forms], str | None]
    kinds: tuple[AnswerKind, ...]  # The kinds of answers that it reads


READINGS: dict[AnswerReading, ReadingRule] = {
    "first-word": ReadingRule(first_word, ("binary",)),
    "cladder": ReadingRule(cladder, ("binary",)),
    "cladder-gpt": ReadingRule(cladder_gpt, ("binary",)),
    "corr2cause": ReadingRule(corr2cause, ("binary",)),
    "corr2cause-gpt": ReadingRule(corr2cause_gpt, ("binary",)),
    "letter": ReadingRule(letter, ("letter",)),
    "same": ReadingRule(same, get_args(AnswerKind)),
}


def readings_of(kind: AnswerKind) -> tuple[AnswerReading, ...]:
    """Return the names of the readings of a kind of answers.

    >>> readings_of("letter"), readings_of("choice")
    (('letter', 'same'), ('same',))
    """
    # The first is the default.
    return tuple(name for name, rule in READINGS.items() if kind in rule.kinds)


def checked(kind: AnswerKind, reading: AnswerReading | None) -> AnswerReading:
    """Return the reading of a kind of answers, by default its first."""
    check("answers", kind, AnswerKind)
    known = readings_of(kind)
    if reading is None:
        return known[0]
    check("read", reading, AnswerReading)
    if reading not in known:
        raise ValueError(
            f'read is "{reading}", expected one of {", ".join(known)} for answers "{kind}"'
        )
    return reading

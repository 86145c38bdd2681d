"""Words for a verdict, by people and judges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from fastcausal.errors import InputError
from fastcausal.files.values import shown

VALID = ("valid", "yes", "true", "supported", "1")
VALID_SCORE = 4  # of 1 to 5
INVALID = ("invalid", "no", "false", "unsupported", "not supported", "0")


def verdict_of(
    value: Any,
    where: Callable[[], str],  # starts the message of an error
) -> bool | None:
    """Parse a verdict written as a word, a boolean, 0 or 1; null and blank text give None.

    >>> [verdict_of(value, str) for value in (" Not supported", 1, None)]
    [False, True, None]
    """
    if value is None:
        return None
    word = str(int(value) if isinstance(value, bool | float) and value in (0, 1) else value)
    word = " ".join(word.lower().split())
    word = {"1.0": "1", "0.0": "0"}.get(word, word)  # whole numbers, as in a CSV column with gaps
    if word in VALID + INVALID:
        return word in VALID
    if not word:
        return None
    expected = ", ".join((*VALID, *INVALID))
    raise InputError(f"{where()}: verdict {shown(value)}, expected one of {expected}")


def verdicts_of(
    values: Sequence[Any],
    where: Callable[[int], str],  # names the place of a value, for messages
) -> list[bool | None]:
    """Parse the verdicts of one rater, words or scores from 1 to 5.

    >>> verdicts_of([1, "no", None], str), verdicts_of([1, "4", 5.0, None], str)
    ([True, False, None], [False, True, True, None])
    """
    # The rater gave scores if a number is above 1; then 4 and 5 are valid.
    scores = [_score(value) for value in values]
    if not any(score is not None and score > 1 for score in scores):
        return [verdict_of(value, partial(where, k)) for k, value in enumerate(values)]
    for k, score in enumerate(scores):
        if score is not None and not 1 <= score <= 5:
            raise InputError(f"{where(k)}: score {shown(values[k])}, expected 1 to 5")
    return [
        verdict_of(value, partial(where, k)) if score is None else score >= VALID_SCORE
        for k, (value, score) in enumerate(zip(values, scores, strict=True))
    ]


def _score(value: Any) -> float | None:
    """Return a number, also from text; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except ValueError:
        return None

"""The reader of an answer as a letter, yes or no, or a score.

::

    text ── native (csrc/tasks/crab_answers.hpp) ──▶ value, reason
      └── else words.py, the answer in everyday words ──┘

`fastcausal.tasks.crab.parse` has the rules.
"""

from __future__ import annotations

from fastcausal.tasks.classification.choices import _answers
from fastcausal.tasks.classification.choices.words import find_value

READ, MISSING, UNREADABLE, OUT_OF_RANGE = range(4)
KINDS: dict[str, int] = {"score": 0, "letter": 1, "binary": 2}  # as numbered in csrc


def read_text(text: str, kind: str, last: str = "D") -> tuple[float, int]:
    """Return the value of an answer and the reason, `READ` or another.

    Letters count from 0 for A to the last one; 1 is yes, 0 is no. The value is NaN if unread.

    Examples
    --------
    >>> read_text("<Answer>B</Answer>", "letter"), read_text("E.", "letter", "E")
    ((1.0, 0), (4.0, 0))
    >>> read_text("yes or no", "binary")
    (nan, 2)
    """
    encoded = text.encode(errors="surrogatepass")
    value, reason = _answers.read_answer(encoded, KINDS[kind], ord(last.lower()))
    return read_words(text, kind, last) if reason == UNREADABLE else (value, reason)


def read_words(text: str, kind: str, last: str = "D") -> tuple[float, int]:
    """Read an answer in everyday words, which native code cannot read."""
    value = find_value(text, kind, last)
    if value is None:
        return float("nan"), UNREADABLE
    return (value, READ) if kind != "score" or value <= 100 else (float("nan"), OUT_OF_RANGE)

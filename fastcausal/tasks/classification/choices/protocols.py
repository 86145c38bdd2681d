"""Protocols of questions with options: settings of the data sets' published programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastcausal._version import __version__
from fastcausal.options import AnswerKind, AnswerPolicy, AnswerReading, ChoiceProtocol, check
from fastcausal.tasks.classification import CHOICES
from fastcausal.tasks.classification.choices.readings import checked
from fastcausal.tasks.classification.choices.words import pattern_of


@dataclass(frozen=True)
class Choosing:
    """Settings of reading and counting answers.

    >>> choosing("cladder").unparsed, choosing("cladder", unparsed="wrong").unparsed
    ('error', 'wrong')
    """

    name: str  # The name of a published protocol; empty without one
    answers: AnswerKind  # {"binary", "letter", "choice"}
    read: AnswerReading
    # {"wrong", "skip", "error"}: Policies for an answer that names no option, and for a
    # question without an answer
    unparsed: AnswerPolicy = "wrong"
    unmatched: AnswerPolicy = "wrong"
    surplus: str = "ignore"  # {"ignore", "error"}: The policy for an answer to no question
    undefined: float | None = None  # The value of 0/0
    rarer: bool = False  # True adds precision, recall and F1 of the class that is rarer in gold
    by: tuple[str, ...] = ()  # Columns that become subsets if gold has them
    # A regular expression with one group; the text in the group is the answer
    pattern: str | None = None

    def __post_init__(self) -> None:
        checked(self.answers, self.read)
        check("unparsed", self.unparsed, AnswerPolicy)
        check("unmatched", self.unmatched, AnswerPolicy)
        if self.pattern is not None:
            pattern_of(self.pattern)
        if self.undefined not in (None, 0.0, 1.0):
            raise ValueError(f"undefined is {self.undefined}, expected None, 0.0 or 1.0")

    @property
    def signature(self) -> str:
        """Signature line: all settings that the scores depend on."""
        zero = "undefined" if self.undefined is None else f"{self.undefined:g}"
        name = f"{self.name}|" if self.name else ""
        pattern = "" if self.pattern is None else f"|pattern:{self.pattern}"
        return (
            f"fastcausal|{__version__}|choices|{name}answers:{self.answers}|read:{self.read}|"
            f"unparsed:{self.unparsed}|unmatched:{self.unmatched}|surplus:{self.surplus}|"
            f"0/0:{zero}{pattern}"
        )


def choosing(protocol: ChoiceProtocol | None = None, **given: Any) -> Choosing:
    """Return the settings of a protocol, or of a kind of answers, with those given not None.

    ValueError: a protocol or value is unknown, or neither a protocol nor a kind is given.
    """
    settings = {name: value for name, value in given.items() if value is not None}
    if protocol is not None:
        check("protocol", protocol, CHOICES.protocols)
        return Choosing(protocol, **{**CHOICES.protocols[protocol].settings, **settings})
    if "answers" not in settings:
        raise ValueError("answers is None, expected one of binary, letter, choice")
    read = checked(settings["answers"], settings.get("read"))
    return Choosing("", **(settings | {"read": read}))

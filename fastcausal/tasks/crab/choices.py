"""Options for reading and scoring pairs and answers, shared by the functions of CRAB."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fastcausal._version import __version__
from fastcausal.options import AnswerTask, Border, GoldFrom, Policy, check, check_policies
from fastcausal.tasks.classification.choices.words import pattern_of


@dataclass(frozen=True)
class Choices:
    """Options for reading and scoring judged pairs and answers.

    >>> Choices("binary", unparsed="skip").policies
    '0/0:undefined|unparsed:skip|unmatched:error'
    """

    task: AnswerTask
    column: str = "prediction"
    border: Border = "up"  # As in `class_of`, for scores and thresholds
    gold_from: GoldFrom = "class"  # As in `JudgedPairs.classes`
    undefined: float | None = None  # Value of 0/0; with None, means are over classes that occur
    # For unreadable answers, and for pairs without an answer: "empty" counts an answer without a
    # class, "skip" leaves the pair out
    unparsed: Policy = "error"
    unmatched: Policy = "error"
    pattern: str | None = None  # As in `parse_column`

    def __post_init__(self) -> None:
        check("task", self.task, AnswerTask)
        check("border", self.border, Border)
        check("gold_from", self.gold_from, GoldFrom)
        check_policies(self.unparsed, self.unmatched)
        if self.pattern is not None:
            pattern_of(self.pattern)
        if self.undefined not in (None, 0.0, 1.0):
            raise ValueError(f"undefined is {self.undefined}, expected None, 0.0 or 1.0")

    @property
    def policies(self) -> str:
        """End of a signature: the value of 0/0, the policies and the pattern."""
        zero = "undefined" if self.undefined is None else f"{self.undefined:g}"
        pattern = "" if self.pattern is None else f"|pattern:{self.pattern}"
        return f"0/0:{zero}|unparsed:{self.unparsed}|unmatched:{self.unmatched}{pattern}"

    def signature(self, kind: str, own: Mapping[str, str]) -> str:
        """Return the signature line of a kind of evaluation with its ``own`` settings."""
        named = "".join(f"{name}:{value}|" for name, value in own.items())
        return f"fastcausal|{__version__}|{kind}|{named}{self.policies}"

    @property
    def pair_settings(self) -> dict[str, str]:
        """Settings in a signature that decide how pairs become labels."""
        return {"task": self.task, "gold": self.gold_from, "border": self.border}

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

    Parameters
    ----------
    task : {"score", "multiclass", "three", "binary", "mcq"}
        The kind of answer: a score from 0 to 100, which becomes a class; a class; high, medium or
        low, or none; yes or no; or one of four causes.
    column : str
        The column of the answers.
    border : {"up", "text", "down"}
        The class of the scores 20, 50 and 80, and whether a gold score equal to a threshold is
        yes: see `fastcausal.tasks.crab.files.class_of` and `fastcausal.tasks.crab.files.reaches`.
    gold_from : {"class", "score"}
        ``"class"`` takes gold's class, or the class of its score if the class is missing;
        ``"score"`` always takes the class of the score.
    undefined : {None, 0.0, 1.0}
        The value of 0/0. None leaves it undefined, so that means are over the classes that occur.
    unparsed, unmatched : {"error", "empty", "skip"}
        The policies for unreadable answers, and for pairs without an answer: raise InputError,
        count the answer as one without a class, or leave the pair out.
    pattern : str, optional
        See `fastcausal.tasks.crab.parse.parse_column`.

    Raises
    ------
    ValueError
        A task, rule or policy is unknown, or the pattern has not exactly one group.

    Examples
    --------
    >>> Choices("binary", unparsed="skip").policies
    '0/0:undefined|unparsed:skip|unmatched:error'
    """

    task: AnswerTask
    column: str = "prediction"
    border: Border = "up"
    gold_from: GoldFrom = "class"
    undefined: float | None = None
    unparsed: Policy = "error"
    unmatched: Policy = "error"
    pattern: str | None = None

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

"""Filters of a model's events: texts that are too short, and quotations, are no events.

Romanou et al. (2023), CRAB, section 3: events of fewer than three tokens are dropped, and verbs of
saying with a quotation. The paper does not list the verbs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from numbers import Integral

_VERBS = """
    add adds added admit admits admitted announce announces announced argue argues argued
    ask asks asked assert asserts asserted claim claims claimed comment comments commented
    confirm confirms confirmed declare declares declared deny denies denied explain explains
    explained insist insists insisted note notes noted quote quotes quoted remark remarks remarked
    repeat repeats repeated reply replies replied report reports reported respond responds responded
    say says said saying speak speaks spoke state states stated stress stresses stressed
    tell tells told tweet tweets tweeted warn warns warned write writes wrote
"""
SAYING = frozenset(_VERBS.split())
_QUOTATION = re.compile(
    r'"[^"]+"|“[^”]+”|„[^“”]+[“”]|«[^»]+»|‘[^’]+’|(?<!\w)\'[^\']+\'(?!\w)'  # noqa: RUF001
)
_WORD = re.compile(r"[a-z]+")


@dataclass(frozen=True)
class Filters:
    """Conditions under which a listed event is dropped."""

    min_tokens: int = 0  # The least number of tokens, separated by blanks; 0 keeps all events
    # Drop events with a quotation and, outside of it, one of the verbs in `SAYING`
    no_quotes: bool = False

    def __post_init__(self) -> None:
        tokens: object = self.min_tokens
        if not isinstance(tokens, Integral) or int(tokens) < 0:
            raise ValueError(f"min_tokens is {tokens}, expected an integer from 0")

    @property
    def signature(self) -> str:
        """End of a signature; empty without filters."""
        tokens = f"|min_tokens:{self.min_tokens}" if self.min_tokens else ""
        return tokens + "|no_quotes" * self.no_quotes

    def reason(self, event: str) -> str:
        """Return the reason to drop an event, "short" or "quoted"; empty text if it is kept.

        >>> filters = Filters(min_tokens=3, no_quotes=True)
        >>> filters.reason("Dam broke"), filters.reason('The mayor said: "We are safe"')
        ('short', 'quoted')
        >>> filters.reason('The "old" dam broke'), filters.reason("The mayor said no word")
        ('', '')
        """
        if len(event.split()) < self.min_tokens:
            return "short"
        return "quoted" if self.no_quotes and is_quotation(event) else ""

    def keep_events(self, documents: list[list[str]]) -> tuple[list[list[str]], dict[str, int]]:
        """Return the kept events of documents, and the number of dropped ones by reason."""
        dropped = {"short": 0, "quoted": 0}
        kept = []
        for events in documents:
            reasons = [self.reason(event) for event in events]
            for reason in filter(None, reasons):
                dropped[reason] += 1
            kept.append([event for event, r in zip(events, reasons, strict=True) if not r])
        return kept, dropped


def is_quotation(event: str) -> bool:
    """Return True for an event with a quotation and, outside of it, a verb of saying."""
    outside, n_quotations = _QUOTATION.subn(" ", event)
    return n_quotations > 0 and not SAYING.isdisjoint(_WORD.findall(outside.lower()))

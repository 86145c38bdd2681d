"""Settings for marked texts: the links that are relations, and texts to leave out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from fastcausal.errors import InputError, Problems, Remedy, summary
from fastcausal.files.values import shown
from fastcausal.options import LabelPolicy, check

MISPLACED = "text left out, its spans do not fit it"
_REMEDY = Remedy("unplaced", ("skip",), "leaves such texts out")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_RELATION = ("caus", "effect", "signal")  # beginnings of words for causal relations
_NO_RELATION = re.compile(r"not?|non|never|none|neither|without|(?:non|un|a)caus.*")


class UnplacedError(InputError):
    """A span does not fit its text: its offsets are outside, or point at other words."""

    def __init__(self, message: str) -> None:
        super().__init__(message, _REMEDY)


class Faults(Problems):
    """The faults of one file; an `UnplacedError` if every fault is a misplaced span."""

    def __init__(self) -> None:
        super().__init__()
        self._n_unplaced = 0

    def note(self, where: str, error: InputError) -> None:
        """Add one fault with its place."""
        self._n_unplaced += isinstance(error, UnplacedError)
        self.add(f"{where}: {error.problem}")

    def raise_if_any(self) -> None:
        """Raise the collected faults, if any."""
        if self.count and self.count == self._n_unplaced:
            raise UnplacedError(summary(self.count, self.first))
        super().raise_if_any()


@dataclass(frozen=True)
class Marking:
    """Settings for reading marked texts."""

    # {"error", "skip"}: The policy for a text with spans that do not fit it: raise, or leave
    # it out and count it
    unplaced: LabelPolicy = "error"
    # The types of links that are relations, in any case. By default all types without a word
    # such as "not".
    links: Sequence[str] | None = None

    def __post_init__(self) -> None:
        check("unplaced", self.unplaced, LabelPolicy)
        if isinstance(self.links, str) or (self.links is not None and not self.links):
            raise ValueError(f"links is {self.links!r}, expected a list of types")

    def judge_link(self, type: str | None) -> tuple[bool, str]:
        """Return True if links of a type are relations, and the note to count, "" for none."""
        return _judge_link(type, None if self.links is None else tuple(self.links))


@lru_cache(maxsize=256)
def _judge_link(type: str | None, links: tuple[str, ...] | None) -> tuple[bool, str]:
    name = (type or "").strip()
    called = f"link of type {shown(name)}" if name else "link without a type"
    if links is not None:
        chosen = name.lower() in {each.strip().lower() for each in links}
        return chosen, "" if chosen else f"{called} left out"
    words = [word.lower() for word in _WORD.findall(name)]
    if any(map(_NO_RELATION.fullmatch, words)):
        return False, f"{called} left out"
    understood = not name or any(word.startswith(_RELATION) for word in words)
    return True, "" if understood else f"{called} taken as a relation"


MARKING = Marking()
TAKES = ("unplaced", "links")  # for every format of marked texts

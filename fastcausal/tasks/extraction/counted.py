"""Scores that are computed from counts when somebody looks at them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fastcausal.engine.counts import Counts
from fastcausal.engine.kernel import Int64, Kernel
from fastcausal.report import Scores
from fastcausal.scores import scores_of


class CountedScores(Mapping[str, Scores]):
    """The scores of ``overall`` and of every role, each computed when first asked for.

    A training loop asks for one or two of them. Can be pickled; equal where all scores are.

    Parameters
    ----------
    kernel : Kernel
    roles : tuple of str
    values : int64[n_fields]
        As in `Counts`.
    undefined : float or None
        What 0/0 is; None: NaN.
    """

    def __init__(
        self, kernel: Kernel, roles: tuple[str, ...], values: Int64, undefined: float | None
    ) -> None:
        self.kernel = kernel
        self.roles = roles
        self._counts = values
        self.undefined = undefined
        self._made: dict[str, Scores] = {}

    def __getitem__(self, group: str) -> Scores:
        made = self._made.get(group)
        if made is None:
            if group not in self:
                raise KeyError(group)
            counts = Counts(self.kernel, self.roles, self._counts).of(group)
            scores: dict[str, Any] = {**scores_of(self.kernel.name, counts, self.undefined)}
            # Where a score and its count have one name (em, osb, to), the score stands.
            made = self._made[group] = Scores(scores | counts | scores)
        return made

    def __contains__(self, group: object) -> bool:
        return group == "overall" or group in self.roles

    def __iter__(self) -> Iterator[str]:
        return iter(("overall", *self.roles))

    def __len__(self) -> int:
        return 1 + len(self.roles)

    def __repr__(self) -> str:
        return repr(dict(self))

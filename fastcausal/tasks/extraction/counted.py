"""Scores computed lazily from counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fastcausal.formulas import Int64, RelationFormula
from fastcausal.report import Scores


class CountedScores(Mapping[str, Scores]):
    """The scores of ``overall`` and of every role, each computed when first asked for.

    A training loop asks for one or two of them. Can be pickled; equal where all scores are.

    Parameters
    ----------
    formula : RelationFormula
    sums : int64[n_counts]
        In the order of its fields.
    """

    def __init__(self, formula: RelationFormula, sums: Int64) -> None:
        self.formula = formula
        self._sums = sums
        self._made: dict[str, Scores] = {}

    def __getitem__(self, group: str) -> Scores:
        made = self._made.get(group)
        if made is None:
            if group not in self:
                raise KeyError(group)
            made = self._made[group] = Scores(self.formula.figures(self._sums, group))
        return made

    def __contains__(self, group: object) -> bool:
        return group == "overall" or group in self.formula.roles

    def __iter__(self) -> Iterator[str]:
        return iter(("overall", *self.formula.roles))

    def __len__(self) -> int:
        return 1 + len(self.formula.roles)

    def __repr__(self) -> str:
        return repr(dict(self))

"""Scores of every group, computed from sums at their first use."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping

from fastcausal.report.groups import Scores
from fastcausal.significance.sums import Int64
from fastcausal.tasks.relations.formula import GroupedFormula


class CountedGroups(Mapping[str, Scores]):
    """The scores of every group of a formula, computed at their first use."""

    # A training loop reads one or two groups. Can be pickled; equal if all scores are.

    def __init__(
        self,
        formula: GroupedFormula,
        counts: Int64,  # [n_counts], or of parts [2, n_counts], in the order of its fields
    ) -> None:
        self.formula = formula
        self._counts = counts
        self._made: dict[str, Scores] = {}

    @property
    def _sums(self) -> Int64:
        return self._counts if self._counts.ndim == 1 else self._counts[0] + self._counts[1]

    def __getitem__(self, group: str) -> Scores:
        made = self._made.get(group)
        if made is None:
            if group not in self.formula.groups:
                raise KeyError(group)
            [figures] = self.formula.figures(self._sums, [group])
            made = self._made[group] = Scores(figures)
        return made

    def items(self) -> ItemsView[str, Scores]:
        """Return all groups with their scores, computed together at the first call."""
        groups = [*self]
        if [*self._made] != groups:
            figures = self.formula.figures(self._sums, groups)
            self._made = Scores.make_groups(groups, figures)
        return self._made.items()

    def __contains__(self, group: object) -> bool:
        return group in self.formula.groups

    def __iter__(self) -> Iterator[str]:
        return iter(self.formula.groups)

    def __len__(self) -> int:
        return len(self.formula.groups)

    def __repr__(self) -> str:
        return repr(dict(self))

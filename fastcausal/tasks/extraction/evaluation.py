"""Evaluations: a tally, and all other inputs of its report."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import pyarrow as pa

from fastcausal.errors import Warnings, warning_lines
from fastcausal.files.targets import notes_on_one_file
from fastcausal.options import Backend
from fastcausal.recipe import Recipe, Signature
from fastcausal.relations import NO_RELATION, ROLES, Relations
from fastcausal.report.groups import Groups, Scores
from fastcausal.rows import Rows
from fastcausal.significance.sums import Int64
from fastcausal.tasks.extraction.counting import Counting, counting_of, formula_of
from fastcausal.tasks.extraction.sides import aligned_sides
from fastcausal.tasks.extraction.tally import OF_WHOLE, Tally, as_given
from fastcausal.tasks.relations.align import Aligned
from fastcausal.tasks.relations.formula import MULTI, RelationFormula
from fastcausal.tasks.relations.groups import CountedGroups

if TYPE_CHECKING:
    from fastcausal.counts.statistics import Statistics
    from fastcausal.tasks.extraction.tables import Details

NO_GOLD = f"gold has {NO_RELATION}"
Bounds = dict[str, dict[str, float] | None]


class Evaluation(ABC):
    """A tally, and all other inputs of its report.

    Attributes
    ----------
    tally : Tally
    protocol : str
        Name of the protocol.
    signature : str
    reasons : tuple of pyarrow.Table, optional
        Reasons of unparsed predictions; None if unknown.
    adds : bool
        True if scores are functions of summed counts, so that statistics exist.
    """

    tally: Tally
    adds: bool = True

    @property
    @abstractmethod
    def protocol(self) -> str:
        """Name of the protocol."""

    @property
    @abstractmethod
    def signature(self) -> str:
        """Signature line: all settings that the scores depend on."""

    @property
    @abstractmethod
    def formula(self) -> RelationFormula:
        """Formula from counts to scores."""

    @property
    def reasons(self) -> tuple[pa.Table, ...] | None:
        """Reasons of unparsed predictions; None if unknown."""
        return None

    @abstractmethod
    def statistics(self) -> Statistics:
        """Return counts per example if the sources are available, else the sums."""

    def details(self) -> Details | None:
        """Return the sources of the tables; None if unknown."""
        return None

    @property
    def in_memory(self) -> bool:
        """True if the tables need no source outside memory."""
        return False

    def without_sides(self) -> Evaluation:
        """Return the evaluation without sources."""
        return self

    def sums(self) -> Int64:
        """Return int64[2, n_counts]: of examples with at most one gold relation, and of others."""
        return self.tally.sums(self.formula)

    def scores(self) -> Groups:
        """Return the scores by group."""
        formula = self.formula
        return CountedGroups(formula, self.tally.sums(formula))

    def sums_of_subsets(self) -> Mapping[str, Int64]:
        """Return int64[n_counts] of each value of the columns."""
        return {}

    def subsets(self) -> dict[str, Groups]:
        """Return the scores of subsets of the examples, by subset and group."""
        parts = {MULTI: self.sums()[1], **self.sums_of_subsets()}
        return {name: CountedGroups(self.formula, counts) for name, counts in parts.items()}

    def bounds(self) -> Bounds | None:
        """Return the overall scores under both policies on unparsed predictions."""
        sums, unread = self.sums(), self.tally.unread
        total = sums[0] + sums[1]
        if self.tally.totals.n_left_out:
            if_empty = None if unread is None else self._overall(total + unread)
            return bounds_of(if_empty, self._overall(total))
        assert unread is not None
        return bounds_of(self._overall(total), self._overall(total - unread))

    def _overall(self, sums: Int64) -> Scores:
        return CountedGroups(self.formula, sums)["overall"]

    def warnings(self) -> tuple[str, ...]:
        """Return the warnings of the report."""
        totals, signature = self.tally.totals, self.signature
        settings = signature.settings if isinstance(signature, Signature) else {}
        given = as_given(totals.n_as_given, self.protocol)
        seen = {texts: n for texts, n in self.tally.warnings.items() if texts not in given}
        lost: list[str] = []
        if totals.n_unparsed:
            policy = settings.get("unparsed", "unknown")
            lost = totals.unparsed.warnings(policy, totals.n_pred_relations)
        stops = self.stops() if settings.get("ties") == "first" else []
        no_gold = totals.n_examples and not totals.n_gold_relations
        return (
            *warning_lines(seen),
            *lost,
            *warning_lines(given),
            *stops,
            *([NO_GOLD] if no_gold else []),
        )

    def stops(self) -> list[str]:
        """List the reasons for which the official program would stop without a score."""
        sums = self.sums()
        several: list[int] = sums[1].tolist()
        stops = self._absent(sums.sum(axis=0).tolist(), "")
        if not any(several):
            return [*stops, "no example has several relations, the official program stops"]
        return stops + self._absent(several, " in examples with several relations")

    def _absent(self, counts: list[int], subset: str) -> list[str]:
        n = len(self.formula.role_fields)
        return [
            f"no {role} on either side{subset}, the official program stops"
            for k, role in enumerate(self.formula.roles)
            if not any(counts[n * k : n * (k + 1)])
        ]


class _Scored(NamedTuple):
    recipe: Recipe
    tally: Tally
    sides: tuple[Any, Any] | Aligned | None = None
    num_threads: int | None = None
    columns: tuple[str, ...] = ()
    backend: Backend = "cpu"
    system: str | None = None
    counted: Statistics | None = None


class CountedEvaluation(_Scored, Evaluation):
    """An evaluation that was counted in this process.

    Attributes
    ----------
    recipe : Recipe
    tally : Tally
    sides : tuple of sources, or Aligned, optional
        Gold and predictions, to be read again for tables; or the aligned examples, if a source
        can be read only once.
    columns : tuple of str
        Columns of gold whose values are subsets.
    backend, num_threads
        As in `fastcausal.score`.
    system : str, optional
        Name of the predictions.
    counted : Statistics, optional
        Counts per example, if the caller asked for them before scoring.
    """

    @property
    def protocol(self) -> str:
        """Name of the protocol."""
        return self.recipe.protocol.name

    @property
    def signature(self) -> Signature:
        """Signature line: all settings that the scores depend on."""
        return self.recipe.signature(self.tally.totals.n_as_given > 0, self.tally.found)

    @property
    def roles(self) -> tuple[str, ...]:
        """Role names; `ROLES` before the first example."""
        return self.tally.roles or ROLES

    @property
    def formula(self) -> RelationFormula:
        """Formula from counts to scores."""
        return formula_of(self.recipe.protocol, self.tally.roles or ROLES)

    @property
    def counting(self) -> Counting:
        """Settings by which examples are paired and counted."""
        return counting_of(self.recipe.protocol, self.roles, self.backend, self.num_threads)

    @property
    def reasons(self) -> tuple[pa.Table, ...] | None:
        """Reasons of unparsed predictions."""
        return self.tally.reasons

    def sums_of_subsets(self) -> dict[str, Int64]:
        """Return int64[n_counts] of each value of the columns, values ascending."""
        return self.tally.subsets(self.columns)

    def details(self) -> Details | None:
        """Return the sources of the tables; None if they are no longer available."""
        from fastcausal.tasks.extraction.tables import Details

        sides = self.sides
        if sides is None:
            return None
        again: Aligned | partial[Aligned]
        if isinstance(sides, Aligned):
            again = sides
        else:
            again = partial(aligned_sides, self.recipe, *sides, columns=self.columns)
        return Details(self.counting, again, self.sums(), self.columns)

    def warnings(self) -> tuple[str, ...]:
        """Return the warnings of the report, and one if gold is the file of predictions."""
        if self.sides is None or isinstance(self.sides, Aligned):
            return super().warnings()
        return *super().warnings(), *notes_on_one_file(*self.sides)

    @property
    def in_memory(self) -> bool:
        """True if the tables need no source outside memory."""
        sides = () if self.sides is None or isinstance(self.sides, Aligned) else self.sides
        return all(isinstance(side, Relations | Rows | list | tuple) for side in sides)

    def without_sides(self) -> Self:
        """Return the evaluation without sources."""
        return self._replace(sides=None, counted=None)

    def about(self) -> Statistics:
        """Make statistics without rows, complete otherwise."""
        from fastcausal.counts.statistics import Statistics  # 4 ms that scores alone do without

        totals, formula = self.tally.totals, self.formula
        return Statistics.of_units(
            formula,
            self.signature,
            np.zeros((0, len(formula.fields)), np.int64),
            facts={"protocol": self.protocol, "roles": list(formula.roles)},
            system=self.system,
            warnings=self.seen(),
            totals=totals.of_names(OF_WHOLE),
        )

    def seen(self) -> Warnings:
        """Return the warnings of the tally, and one on relations used as they are."""
        totals = self.tally.totals
        return self.tally.warnings | as_given(totals.n_as_given, self.protocol)

    def statistics(self) -> Statistics:
        """Return counts per example if the sources are available, else the sums."""
        from dataclasses import replace

        from fastcausal.tasks.extraction.tables import statistics_of

        if self.counted is not None:
            return self.counted
        details = self.details()
        if details is not None:
            return statistics_of(details.counting, details.examples(), self.about())
        # Of examples with at most one gold relation, and of the others.
        rows = np.column_stack([self.sums(), [0, 1]])
        totals = self.tally.totals._asdict()
        return replace(self.about(), rows=rows, times=np.ones(2, np.int64), totals=totals)


def bounds_of(if_empty: Scores | None, if_skipped: Scores | None) -> Bounds:
    """Return the overall scores under both policies on unparsed predictions.

    ``if_empty`` counts an unparsed prediction as no relation, ``if_skipped`` leaves its example
    out. None if such examples cannot be scored.
    """
    return {"if_empty": _floats(if_empty), "if_skipped": _floats(if_skipped)}


def _floats(scores: Scores | None) -> dict[str, float] | None:
    if scores is None:
        return None
    return {name: value for name, value in scores.items() if isinstance(value, float)}

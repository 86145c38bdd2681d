"""Evaluations: a tally, and all other inputs of its report."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import pyarrow as pa

from fastcausal.errors import InputError, warning_lines
from fastcausal.files.targets import notes_on_one_file
from fastcausal.options import Backend
from fastcausal.recipe import Recipe, Signature
from fastcausal.relations import NO_RELATION, ROLES, Relations
from fastcausal.report.groups import Groups, Scores
from fastcausal.report.report import Report
from fastcausal.significance.sums import Int64
from fastcausal.tasks.extraction.counting import Counting, counting_of, formula_of
from fastcausal.tasks.extraction.sides import align_sides, are_in_memory
from fastcausal.tasks.extraction.tally import (
    METADATA_TOTALS,
    TYPE,
    Tally,
    cast_totals,
    warn_as_given,
)
from fastcausal.tasks.relations.align import Aligned
from fastcausal.tasks.relations.formula import MULTI, GroupedFormula, RelationFormula
from fastcausal.tasks.relations.groups import CountedGroups
from fastcausal.tasks.relations.types import warn_of_types
from fastcausal.tasks.relations.whole import WholeFormula

if TYPE_CHECKING:
    from fastcausal.counts.statistics import Statistics

MAX_TYPES = 200  # of a confusion: it has a cell for any two
NO_GOLD = f"gold has {NO_RELATION}"
Bounds = dict[str, dict[str, float] | None]


class Averages(NamedTuple):
    """Results of a protocol whose scores are no functions of summed counts."""

    scores: Groups
    stops: list[str]  # Reasons for which the official program stops or gives NaN
    bounds: Bounds | None  # Result of `bounds_of`; None without unparsed predictions


class Evaluation(NamedTuple):
    """A tally, and all other inputs of its report; makes statistics and tables on request."""

    recipe: Recipe | None  # None for statistics that were made before
    tally: Tally
    # Gold and predictions, to be read again for tables; or the aligned examples, if a source
    # can be read only once
    sides: tuple[Any, Any] | Aligned | None = None
    num_threads: int | None = None
    columns: tuple[str, ...] = ()  # Columns of gold whose values are subsets
    backend: Backend = "cpu"
    system: str | None = None  # Name of the predictions
    # Counts per example that were made while scoring, with narrow totals, or before
    counted: Statistics | None = None
    parts: Mapping[str, Int64] | None = None  # int64[n_counts] by subset; None: as in the tally
    averages: Averages | None = None

    @property
    def protocol(self) -> str:
        """Name of the protocol."""
        if self.recipe is None:
            return str(self._stored.facts.get("protocol"))
        return self.recipe.protocol.name

    @property
    def signature(self) -> str:
        """Signature line: all settings that the scores depend on."""
        if self.recipe is None:
            return self._stored.signature
        return self.recipe.signature(self.tally.totals.n_as_given > 0, self.tally.found)

    @property
    def formula(self) -> GroupedFormula:
        """Formula from counts to scores; `ROLES` are its roles before the first example."""
        if self.recipe is None:
            assert isinstance(self._stored.formula, GroupedFormula)
            return self._stored.formula
        totals = self.tally.totals
        typed = totals.n_gold_types + totals.n_pred_types > 0
        return formula_of(self.recipe.protocol, self.tally.roles or ROLES, typed)

    @property
    def counting(self) -> Counting:
        """Settings by which examples are paired and counted."""
        assert self.recipe is not None
        roles = self.tally.roles or ROLES
        recipe, how = self.recipe, (self.backend, self.num_threads)
        return counting_of(recipe.protocol, roles, *how, recipe.marking.types)

    @property
    def strata(self) -> tuple[str, ...]:
        """Columns of examples whose values are subsets; types of relations are not."""
        has_types = self.tally.by_type is not None
        return tuple(name for name in self.columns if name != TYPE or not has_types)

    @property
    def reasons(self) -> tuple[pa.Table, ...] | None:
        """Reasons of unparsed predictions; None if unknown."""
        return None if self.recipe is None else self.tally.reasons

    @property
    def adds(self) -> bool:
        """True if scores are functions of summed counts, so that statistics exist."""
        return self.averages is None

    @property
    def _stored(self) -> Statistics:
        assert self.counted is not None
        return self.counted

    def sums(self) -> Int64:
        """Return int64[2, n_counts]: of examples with at most one gold relation, and of others."""
        return self.tally.sums(self.formula)

    def scores(self) -> Groups:
        """Return the scores by group."""
        if self.averages is not None:
            return self.averages.scores
        formula = self.formula
        return CountedGroups(formula, self.tally.sums(formula))

    def subsets(self) -> dict[str, Groups]:
        """Return the scores of subsets of the examples, by subset and group."""
        if not self.adds:
            return {}
        parts = self.parts
        if parts is None:
            by_type = self.tally.by_type
            parts = self.tally.subsets(self.strata)
            parts |= {
                f"{TYPE}={name}": counts[:-2] for name, counts in sorted((by_type or {}).items())
            }
        subsets: dict[str, Groups] = {
            name: CountedGroups(self.formula, counts)
            for name, counts in {MULTI: self.sums()[1], **parts}.items()
        }
        if self.tally.by_type is not None and isinstance(self.formula, WholeFormula):
            # Relations of one type are matched by the first criterion alone.
            first = self.formula.groups[0]
            for name in self.tally.by_type:
                subsets[f"{TYPE}={name}"] = {first: subsets[f"{TYPE}={name}"][first]}
        return subsets

    def types(self) -> dict[str, Any]:
        """Return the mean F1 of the types of gold, and the scores of all relations with a type."""
        by_type = self.tally.by_type
        if by_type is None:
            return {}
        groups = [self._overall(counts[:-2]) for counts in by_type.values() if counts[-2]]
        total = sum(by_type.values(), np.zeros(len(self.formula.fields) + 1, np.int64))
        micro = dict(self._overall(total[:-2]))
        names = [name for name, value in micro.items() if isinstance(value, float)]
        return {
            **{
                f"macro_{name}": float(np.mean([group[name] for group in groups] or [math.nan]))
                for name in names
                if name.endswith("f1")
            },
            "micro": micro,
            **self._by_type(by_type),
        }

    def _by_type(self, by_type: Mapping[str, Int64]) -> dict[str, Any]:
        """Return the scores of whole relations of each type; nothing of other protocols."""
        if not isinstance(self.formula, WholeFormula):
            return {}
        of_types = {n: dict(self._overall(counts[:-2])) for n, counts in sorted(by_type.items())}
        return {"by": {TYPE: of_types}}

    def confusion(self) -> dict[str, Any]:
        """Return the confusion of types of paired relations, rows gold; nothing without types."""
        pairs = self.tally.confusion
        if not all(any(pair[side] for pair in pairs) for side in (0, 1)):
            return {}
        names = sorted({name for pair in pairs for name in pair}, key=lambda name: (not name, name))
        labels = [name or None for name in names]
        if len(labels) > MAX_TYPES:
            return {"types": {"labels": labels, "confusion": None}}
        # Pairs of two relations without a type are unknown: parts without any type are not paired.
        matrix = [[pairs[gold, pred] if gold or pred else None for pred in names] for gold in names]
        return {"types": {"labels": labels, "confusion": matrix}}

    def bounds(self) -> Bounds | None:
        """Return the overall scores under both policies on unparsed predictions."""
        if self.averages is not None:
            return self.averages.bounds
        sums, unread = self.sums(), self.tally.unread
        total = sums[0] + sums[1]
        if self.tally.totals.n_left_out:
            if_empty = None if unread is None else self._overall(total + unread)
            return bounds_of(if_empty, self._overall(total))
        assert unread is not None
        return bounds_of(self._overall(total), self._overall(total - unread))

    def _overall(self, sums: Int64) -> Scores:
        return CountedGroups(self.formula, sums)[self.formula.groups[0]]

    def warnings(self) -> tuple[str, ...]:
        """Return the warnings of the report, one of them if gold is the file of predictions."""
        totals, signature = self.tally.totals, self.signature
        settings = signature.settings if isinstance(signature, Signature) else {}
        given = warn_as_given(totals.n_as_given, self.protocol)
        seen = {texts: n for texts, n in self.tally.warnings.items() if texts not in given}
        lost: list[str] = []
        if totals.n_unparsed:
            policy = settings.get("unparsed", "unknown")
            lost = totals.unparsed.warnings(policy, totals.n_pred_relations)
        n = totals.n_types_differ if totals.has_types and "ties" in settings else 0
        of_types = [warn_of_types(n, totals.n_typed_pairs)] if n else []
        stops = self.stops() if settings.get("ties") == "first" else []
        no_gold = totals.n_examples and not totals.n_gold_relations
        sources = None if isinstance(self.sides, Aligned) else self.sides
        return (
            *warning_lines(seen),
            *lost,
            *warning_lines(given),
            *of_types,
            *stops,
            *([NO_GOLD] if no_gold else []),
            *(notes_on_one_file(*sources) if sources else ()),
        )

    def stops(self) -> list[str]:
        """List the reasons for which the official program would stop without a score."""
        if self.averages is not None:
            return self.averages.stops
        sums = self.sums()
        several: list[int] = sums[1].tolist()
        stops = self._absent(sums.sum(axis=0).tolist(), "")
        if not any(several):
            return [*stops, "no example has several relations, the official program stops"]
        return stops + self._absent(several, " in examples with several relations")

    def _absent(self, counts: list[int], subset: str) -> list[str]:
        assert isinstance(self.formula, RelationFormula)
        n = len(self.formula.role_fields)
        return [
            f"no {role} on either side{subset}, the official program stops"
            for k, role in enumerate(self.formula.roles)
            if not any(counts[n * k : n * (k + 1)])
        ]

    @property
    def is_in_memory(self) -> bool:
        """True if the tables need no source outside memory."""
        sides = () if self.sides is None or isinstance(self.sides, Aligned) else self.sides
        return are_in_memory(*sides)

    def drop_sides(self) -> Self:
        """Return the evaluation without sources."""
        return self if self.recipe is None else self._replace(sides=None, counted=None)

    def examples(self) -> Aligned:
        """Return the aligned examples; InputError if the sources have changed."""
        assert self.sides is not None
        assert self.recipe is not None
        if isinstance(self.sides, Aligned):
            return self.sides
        aligned = align_sides(self.recipe, *self.sides, columns=self.columns)
        if all(isinstance(side, Relations) for side in self.sides):  # which cannot change
            return aligned
        counting = self.counting
        counts = counting.run(aligned, n_groups=1, partners=False).counts
        if aligned.roles != counting.roles or (counts[0] != self.sums().sum(axis=0)).any():
            raise InputError("gold or predictions have changed since they were scored")
        return aligned

    def table(self, name: str) -> pa.Table:
        """Make the table ``per_example`` or ``matches``."""
        from fastcausal.tasks.extraction.tables import MAKERS

        return MAKERS[name](self.counting, self.examples())

    def statistics(self) -> Statistics:
        """Return counts per example if they are kept or the sources available, else the sums."""
        from dataclasses import replace

        if not self.adds:
            raise InputError("a report of scores that do not add has no statistics")
        if self.counted is not None:
            return replace(self.counted, units=cast_totals(self.counted.units))
        if self.sides is not None:
            return self.count_examples(self.examples())
        # Of examples with at most one gold relation, and of the others.
        rows = np.column_stack([self.sums(), [0, 1]])
        totals = self.tally.totals._asdict()
        return replace(self.template(), rows=rows, times=np.ones(2, np.int64), totals=totals)

    def count_examples(self, aligned: Aligned) -> Statistics:
        """Count each of some aligned examples."""
        from fastcausal.tasks.extraction.tables import statistics_of

        return statistics_of(self.counting, aligned, self.template())

    def template(self) -> Statistics:
        """Make statistics without rows, complete otherwise."""
        from fastcausal.counts.statistics import Statistics  # 4 ms that scores alone do without

        totals, formula = self.tally.totals, self.formula
        return Statistics.of_units(
            formula,
            self.signature,
            np.zeros((0, len(formula.fields)), np.int64),
            facts={"protocol": self.protocol, "roles": list(formula.roles)},
            system=self.system,
            warnings=self.tally.warnings | warn_as_given(totals.n_as_given, self.protocol),
            totals=totals.select(METADATA_TOTALS),
        )


def find_evaluation(report: Report) -> Evaluation | None:
    """Return the evaluation of a report if its tables can be made; None for counts alone."""
    evaluation: Evaluation | None = getattr(report, "_evaluation", None)
    return None if evaluation is None or evaluation.sides is None else evaluation


def require_evaluation(report: Report, what: str) -> Evaluation:
    """Return the evaluation of a report; InputError if it has only counts."""
    evaluation = find_evaluation(report)
    if evaluation is None:
        raise InputError(f"{report.title}: a report of counts alone has no {what}")
    return evaluation


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

"""Statistics: a row of counts for each unit of an evaluation; they add, weights make scores.

Every total, subset, interval, test and rank is `Statistics.scores` with certain weights.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastcausal.arrays.digests import added_digests
from fastcausal.arrays.distinct import distinct
from fastcausal.arrays.strata import (
    By,
    columns_by,
    find_cluster,
    name_cluster,
    sorted_strata,
    sum_by,
)
from fastcausal.counts import files as count_files
from fastcausal.counts.columns import table_of
from fastcausal.counts.files import About
from fastcausal.counts.formula import Formula
from fastcausal.counts.intervals import Intervals, compute_intervals
from fastcausal.counts.seals import Written
from fastcausal.counts.signatures import joint_signature
from fastcausal.counts.task import resolve, task_of
from fastcausal.counts.units import units_of_rows
from fastcausal.errors import InputError, Warnings, add_warnings
from fastcausal.options import AUTO, Method
from fastcausal.report.groups import Groups, Scores
from fastcausal.report.numbers import Scale
from fastcausal.significance.draws import Draws
from fastcausal.significance.intervals import Interval, intervals_of
from fastcausal.significance.sums import CountRows, Float64, Int64, narrowed
from fastcausal.significance.units import Units

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class Statistics:
    """Counts of the units of one evaluation: examples, questions, pairs of labels.

    Attributes
    ----------
    formula : Formula
        Formula from weighted rows to scores.
    signature : str
        Signature line: all settings that the scores depend on.
    rows : int64[n_rows, n_fields]
        Counts in the order of ``formula.fields``; float64 if the measure of a unit is a mean.
    times : int64[n_rows]
        Number of units with each row.
    units : pyarrow.Table, optional
        A row per unit: id, strata, clusters; None if only sums are kept.
    row_of : integers[n_units], optional
        The row of each unit, in the narrowest type; None if ``units`` is None, or unit k has row k.
    facts : mapping of str
        Further metadata of a file, such as the protocol; plain values, equal in all parts.
    system : str, optional
        Name of the scored system.
    gold : int, optional
        Digest of gold, which adds over parts; None if unknown.
    warnings : mapping
        Messages with their counts, which add over parts.
    left_out : pyarrow.Table, optional
        Examples left out by a policy, in a file's form: without counts, or without a label.
    totals : mapping of str to int
        Sums over all units that no column of `units` holds; they add over parts.

    Examples
    --------
    >>> import fastcausal as fc
    >>> gold = fc.Relations.from_examples([{"length": 4, "relations": [{"cause": (0, 2)}]}] * 2)
    >>> pred = fc.Relations.from_examples(
    ...     [{"length": 4, "relations": [{"cause": (0, 2)}]}, {"length": 4, "relations": []}])
    >>> statistics = fc.score(gold, pred).statistics
    >>> statistics.scores([[1, 1], [2, 0], [0, 2]])["overall_recall"]
    array([0.5, 1. , 0. ])
    """

    formula: Formula
    signature: str
    rows: CountRows
    times: Int64
    units: pa.Table | None = None
    row_of: npt.NDArray[np.signedinteger] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    system: str | None = None
    gold: int | None = None
    warnings: Warnings = field(default_factory=dict)
    left_out: pa.Table | None = None
    totals: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of_units(
        cls,
        formula: Formula,
        signature: str,
        rows: CountRows,
        units: pa.Table | None = None,
        facts: Mapping[str, Any] | None = None,
        **besides: Any,
    ) -> Statistics:
        """Make statistics with a row per unit; without ``units``, rows are sums."""
        ones = np.ones(len(rows), np.int64)
        return cls(formula, signature, rows, ones, units, facts=facts or {}, **besides)

    @property
    def n_units(self) -> int:
        """Number of units; number of sums if only sums are kept."""
        return int(self.times.sum())

    @property
    def scales(self) -> dict[str, Scale]:
        """Scales of scores by name within a group, such as ``f1``."""
        return self.formula.scales(self.rows)

    def scale(self, name: str) -> Scale:
        """Return the scale of a score by flat name, such as ``overall_f1``."""
        return self.formula.scale_of(name, self.rows)

    def scores(self, weights: Any = None) -> dict[str, Float64]:
        """Compute every score under each row of weights.

        Parameters
        ----------
        weights : int[n_draws, n_units], optional
            Frequency of each unit in a draw; None: one draw of each unit once. If only sums are
            kept, the frequency of each row: int[n_draws, n_rows].

        Returns
        -------
        dict of str to float64[n_draws]
            By flat name, such as ``overall_f1`` or ``multi_relation_cause_recall``; equal bit for
            bit to scoring the drawn units again; NaN if undefined.

        Raises
        ------
        ValueError
            Weights have another shape or type, or are negative.
        """
        if weights is None:
            return self.formula.scores(self.rows, self.times[None])
        weights = np.asarray(weights)
        n = len(self.clusters(None))
        if weights.ndim != 2 or weights.shape[1] != n or weights.dtype.kind not in "iu":
            raise ValueError(
                f"weights are {weights.dtype} of the shape {weights.shape}, "
                f"expected integers of the shape (n_draws, {n})"
            )
        if weights.min(initial=0) < 0:
            raise ValueError("weights are negative, expected how often each unit is in a draw")
        weights = weights.astype(np.int64, copy=False)
        if self.row_of is not None:
            weights = sum_by(weights, self.row_of, len(self.rows))
        return self.formula.scores(self.rows, weights)

    def __add__(self, other: Statistics) -> Statistics:
        """Join the units of two parts of one evaluation; equal rows are stored once.

        Raises
        ------
        InputError
            The parts have different protocols or policies.
        ValueError
            They count different things.
        """
        return sum_of((self, other))

    def merge(self, *parts: Statistics) -> Statistics:
        """Join the units of any number of other parts of one evaluation.

        Raises
        ------
        ValueError
            They count different things.
        InputError
            They have different protocols or policies, an id repeats, or only some have ids.
        """
        from fastcausal.files.keys import require_unique

        every = (self, *parts)
        merged = sum_of(every)
        for tables in ([part.units for part in every], [part.left_out for part in every]):
            if len({"id" in t.column_names for t in tables if t is not None and len(t)}) > 1:
                raise InputError("a part has ids and another one has none")
        if (ids := merged.ids()) is not None:
            require_unique(ids)
        return merged

    def ids_beyond_gold(self) -> list[str]:
        """Return the ids of units that gold does not name."""
        if not self.formula.in_gold or self.units is None:
            return []
        ids: list[str] = self.units["id"].take(np.flatnonzero(~self.are_in_gold)).to_pylist()
        return ids

    def ids(self) -> pa.ChunkedArray | None:
        """Return the ids of all examples, left-out ones last; None without ids."""
        import pyarrow as pa

        tables = [t for t in (self.units, self.left_out) if t is not None and len(t)]
        if not all("id" in table.column_names for table in tables) or not tables:
            return None
        return pa.chunked_array([chunk for t in tables for chunk in t["id"].chunks], pa.string())

    def compressed(self) -> Statistics:
        """Store equal rows once, in ascending order, with their frequency."""
        return sum_of((self,))

    def without_units(self) -> Statistics:
        """Drop the units; keep rows and their frequency."""
        return replace(self, units=None, row_of=None).compressed()

    def by(self, column: str) -> dict[str, Statistics]:
        """Split by the values of a column of ``units``, in ascending order of their text.

        Raises
        ------
        InputError
            There are no units, the column is missing, or its values have no text.
        """
        names, codes = self.strata(column)
        return {name: self.take(np.flatnonzero(codes == k)) for k, name in enumerate(names)}

    def parts(self, by: By) -> dict[str, Statistics]:
        """Split by each of the columns, into subsets of a report such as ``genre=news``."""
        return {
            f"{column}={name}": part
            for column in columns_by(by)
            for name, part in self.by(column).items()
        }

    def strata(self, column: str) -> tuple[list[str], Int64]:
        """Return the values of a column as ascending text, and the index of each unit's value.

        A unit that gold does not name has none: -1.
        """
        if self.are_in_gold.all():
            return sorted_strata(self._table(), column)
        named = np.flatnonzero(self.are_in_gold)
        names, of_named = sorted_strata(self._table().take(named), column)
        codes = np.full(len(self.are_in_gold), -1)
        codes[named] = of_named
        return names, codes

    @cached_property
    def are_in_gold(self) -> npt.NDArray[np.bool_]:
        """Mask of the units that gold names: bool[n_units]."""
        name = self.formula.in_gold
        if not name:
            return np.ones(len(self._table()), bool)
        named = self.rows[:, self.formula.fields.index(name)] > 0
        of_units: npt.NDArray[np.bool_] = named[self._row_of]
        return of_units

    def with_units(self, ids: Iterable[str]) -> Statistics:
        """Add units that count nothing, for ids that are missing."""
        import pyarrow as pa

        table = self._table()
        known = set(table["id"].to_pylist())
        if not (missing := [id for id in ids if id not in known]):
            return self
        zeros = np.zeros((len(missing), len(self.formula.fields)), self.rows.dtype)
        rows = np.concatenate([self.rows_of_units(), zeros])
        units = _concatenated(table, pa.table({"id": pa.array(missing, pa.string())}))
        times = np.ones(len(rows), np.int64)
        return replace(self, rows=rows, times=times, units=units, row_of=None)

    def resolve_cluster(self, cluster: str | None) -> str | None:
        """Return the column of clusters: the named one, or for "auto" the one that is found."""
        return self._found_cluster if cluster == AUTO else name_cluster(cluster)

    @cached_property
    def _found_cluster(self) -> str | None:
        if self.units is None:
            return None
        named = self.are_in_gold
        units = self.units if named.all() else _take(self.units, np.flatnonzero(named))
        return find_cluster(units)

    def clusters(self, column: str | None) -> Int64:
        """Return the cluster of each unit: `strata` of a column, or the unit itself.

        Raises
        ------
        InputError
            As `by`; or a unit has no cluster.
        """
        if column is None:
            return np.arange(len(self.rows) if self.row_of is None else len(self.row_of))
        names, codes = self.strata(column)
        beyond = np.flatnonzero(codes < 0)
        if n_nulls := _take(self._table()[column], np.flatnonzero(codes >= 0)).null_count:
            raise InputError(
                f'column "{column}" has {n_nulls} nulls, expected a cluster everywhere'
            )
        codes[beyond] = len(names) + np.arange(len(beyond))  # each is one of its own
        return codes

    def take(self, units: Int64) -> Statistics:
        """Keep the units of these numbers."""
        rows = self.rows[self._row_of[units]]
        table = _take(self._table(), units)
        return Statistics.of_units(self.formula, self.signature, rows, table, self.facts)

    def report(self, by: By = None) -> Any:
        """Make the `Report` of scoring, without tables of single relations.

        Parameters
        ----------
        by : str or sequence of str, optional
            Columns of `units`; each value becomes a subset.

        Raises
        ------
        InputError
            Only sums are kept, the column is missing, or the counts have no report.
        """
        self._table()
        present = task_of(self.formula.job).present
        if not present:
            raise InputError(f"no report for statistics of {self.formula.job}")
        return resolve(present)(self, by)

    def subsets(self, by: By) -> dict[str, CountRows]:
        """Return the rows of units in each subset of a report, such as ``genre=news``."""
        subsets: dict[str, CountRows] = {}
        for column in columns_by(by):
            names, codes = self.strata(column)
            order = np.argsort(codes, kind="stable")
            order = order[np.count_nonzero(codes < 0) :]
            ends = np.cumsum(np.bincount(codes[order], minlength=len(names)))
            parts = np.split(self.rows[self._row_of[order]], ends[:-1])
            subsets |= {f"{column}={n}": part for n, part in zip(names, parts, strict=False)}
        return subsets

    def groups(self, by: By = None) -> tuple[dict[str, Scores], dict[str, Groups]]:
        """Return the groups of scores of all units, and of each subset of a report."""
        whole = self.formula.groups_from(self.rows, self.times)
        return whole, {
            name: self.formula.groups_from(rows, np.ones(len(rows), np.int64))
            for name, rows in self.subsets(by).items()
        }

    def table(self) -> pa.Table:
        """Return the rows of a file: columns of `units`, then counts; left-out units last.

        Raises
        ------
        InputError
            A column of `units` has the name of a count.
        """
        if self.units is None:
            return table_of(self.formula, self.rows, times=self.times)
        table = table_of(self.formula, self.rows_of_units(), self.units)
        return _concatenated(table, self.left_out)

    def about(self, written: Written | None) -> About:
        """Return the file metadata for the written rows (None: any rows)."""
        return count_files.about_of(self, written)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a Parquet (``.parquet``) or Arrow IPC (``.arrow``) file.

        A row per unit, in order: the columns of `units`, then the fields. For sums alone, a row
        per sum and the column ``times``. The metadata ``fastcausal`` is one JSON object, see
        docs/statistics.md.

        Raises
        ------
        InputError
            A column of `units` has the name of a field, or the file cannot be written.
        """
        table = self.table()
        count_files.write(path, [table], self.about(Written.seal(self.formula, table)))

    @classmethod
    def read(
        cls, path: str | os.PathLike[str], like: str | os.PathLike[str] | None = None
    ) -> Statistics:
        """Read a file of `write`, or of ``--per-example``.

        Parameters
        ----------
        path : path
        like : path, optional
            A file of the same protocol and policies. It replaces metadata that another program has
            dropped.

        Raises
        ------
        InputError
            The file is damaged, has other content or several systems, or its metadata contradict
            ``like``.
        """
        systems = count_files.read(path, None if like is None else count_files.about_like(like))
        return cls(**count_files.take_one(path, systems))

    def intervals(
        self,
        *,
        cluster: str | None = "auto",
        method: Method = "jackknife",
        confidence: float = 0.95,
        n_resamples: int = 10_000,
        seed: int = 0,
        by: By = None,
    ) -> Intervals:
        """Compute an interval of every score.

        Parameters
        ----------
        cluster : str, optional
            A column of `units`: units with the same value are drawn together. By default the first
            column of doc_id, doc, document, document_id, article, topic and cluster whose values
            repeat; None draws single units.
        method : {"bca", "percentile", "jackknife"}
            See `fastcausal.significance.intervals.intervals_of`.
        confidence : float
            Share of samples with an interval that covers the true score.
        n_resamples, seed : int
            Resamples, which the jackknife does not use. Resample k depends on the rows, the seed
            and k alone: the order of units does not change a bit.
        by : str or sequence of str, optional
            Columns of `units`: each value is a subset, with its own units.

        Raises
        ------
        InputError
            Statistics of sums alone, an unknown column, or nulls in it.
        ValueError
            An unknown method, or a number out of its range.

        Examples
        --------
        >>> import fastcausal as fc
        >>> from fastcausal import sample
        >>> report = fc.score(sample.GOLD, sample.SYSTEMS["careful"])
        >>> intervals = report.statistics.intervals()  # of documents, since doc_id repeats
        >>> intervals.n_units, intervals.scores["overall"]["f1"].low < report["overall"].f1
        (12, True)
        """
        cluster = self.resolve_cluster(cluster)
        draws = Draws(method, confidence, n_resamples, seed, cluster)
        parts = {n: (p.formula, p.drawn(cluster)) for n, p in self.parts(by).items()}
        return compute_intervals((self.formula, self.drawn(cluster)), parts, draws, self.units)

    def interval(
        self,
        score: str,
        *,
        cluster: str | None = "auto",
        method: Method = "jackknife",
        confidence: float = 0.95,
        n_resamples: int = 10_000,
        seed: int = 0,
    ) -> Interval:
        """Compute the interval of a score by flat name, as `intervals` does.

        Raises
        ------
        InputError, ValueError
            As `intervals`; an unknown score is a ValueError.
        """
        units = self.drawn(cluster, score)
        return intervals_of(units, Draws(method, confidence, n_resamples, seed, cluster))[score]

    def drawn(self, cluster: str | None = None, score: str | None = None) -> Units:
        """Return the units that intervals and tests draw.

        Parameters
        ----------
        cluster : str, optional
            A column of `units`: the sums of its values are drawn. "auto" as in `intervals`.
        score : str, optional
            Flat name of the score to compute; None: all. The draws never depend on it.

        Raises
        ------
        InputError
            Statistics of sums alone, an unknown cluster column, or nulls in it.
        ValueError
            An unknown score.
        """
        if self.units is None:
            raise InputError("statistics of sums alone have no units to draw")
        cluster = self.resolve_cluster(cluster)
        codes = None if cluster is None else self.clusters(cluster)
        whole = self.without_units() if codes is None else self.compressed()
        rows = whole.rows, whole.times, whole._row_of
        return units_of_rows(self.formula, *rows, codes, cluster, score)

    def different_rows(self) -> tuple[Int64, CountRows]:
        """Return the row of each unit among the different rows, and these, ascending.

        Raises
        ------
        InputError
            Statistics of sums alone.
        """
        self._table()
        whole = self.compressed()
        return whole._row_of.astype(np.int64), whole.rows

    def rows_of_units(self) -> CountRows:
        """Return the row of each unit: int64[n_units, n_fields]."""
        return self.rows if self.row_of is None else self.rows[self.row_of]

    def _table(self) -> pa.Table:
        if self.units is None:
            raise InputError("statistics of sums alone have no units to tell apart")
        return self.units

    @property
    def _row_of(self) -> npt.NDArray[np.signedinteger]:
        return np.arange(len(self.rows)) if self.row_of is None else self.row_of


def sum_of(parts: Sequence[Statistics]) -> Statistics:
    """Join the units of parts of one evaluation; equal rows are stored once, ascending."""
    first, signature = parts[0], reduce(joint_signature, (part.signature for part in parts))
    formula = reduce(lambda a, b: a.union(b), (part.formula for part in parts[1:]), first.formula)
    converted = [part.formula.convert(part.rows, formula) for part in parts]
    rows = np.concatenate(converted) if len(parts) > 1 else converted[0]  # may be large
    rows, place = distinct(rows.astype(np.result_type(np.int64, rows), copy=False))
    times = np.bincount(place, np.concatenate([part.times for part in parts]), len(rows))
    places = np.split(narrowed(place), np.cumsum([len(part.rows) for part in parts[:-1]]))
    units, row_of = None, None
    if all(part.units is not None for part in parts):
        units = _concatenated(*(part.units for part in parts))
        row_of = np.concatenate([p[part._row_of] for p, part in zip(places, parts, strict=True)])
    facts, warnings, totals = first.facts, dict(first.warnings), dict(first.totals)
    for part in parts[1:]:
        facts = {k: v for k, v in facts.items() if k in part.facts and part.facts[k] == v}
        add_warnings(warnings, part.warnings)
        totals |= {name: totals.get(name, 0) + n for name, n in part.totals.items()}
    return Statistics(
        formula,
        signature,
        rows,
        times.astype(np.int64),
        units,
        row_of,
        facts,
        first.system if all(part.system == first.system for part in parts) else None,
        added_digests(*(part.gold for part in parts)),
        warnings,
        _concatenated(*(part.left_out for part in parts)),
        totals,
    )


def _take(values: Any, places: Int64) -> Any:
    """Return the values, or the rows of a table, at these places."""
    from fastcausal.arrays import compute as pc
    from fastcausal.arrays.arrow import numbers  # places of NumPy would import pandas

    return pc.take(values, numbers(np.asarray(places, np.int64)))


def _concatenated(*tables: pa.Table | None) -> Any:
    import pyarrow as pa

    present = [table for table in tables if table is not None]
    try:
        return pa.concat_tables(present, promote_options="permissive") if present else None
    except pa.ArrowException as error:
        raise InputError(f"parts have columns of other types: {error}") from error

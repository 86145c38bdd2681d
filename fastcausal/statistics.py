"""Statistics: a row of counts for each unit of an evaluation; they add, weights make scores.

Every total, subset, interval, test and rank is `Statistics.scores` under some weights.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fastcausal.arrays.distinct import distinct
from fastcausal.errors import InputError
from fastcausal.formulas import Formula, Int64, Rows, formula_of
from fastcausal.scores import Float64
from fastcausal.significance.result import Inferred

if TYPE_CHECKING:
    import pyarrow as pa

VERSION = 1
KEY = b"fastcausal"  # of the metadata of a file
TIMES = "times"  # the column of a file without units
OWN = ("statistics", "job", "signature", "fields", "formula", "sums")  # in the metadata


@dataclass(frozen=True, eq=False)
class Statistics(Inferred):
    """Counts of the units of one evaluation: examples, questions, pairs of labels.

    Attributes
    ----------
    formula : Formula
        The way from weighted rows to scores.
    signature : str
        Everything that the scores depend on, in one line.
    rows : int64[n_rows, n_fields]
        Counts in the order of ``formula.fields``; float64 where the measure of a unit is a mean.
    times : int64[n_rows]
        How many units have each row.
    units : pyarrow.Table, optional
        A row per unit: id, strata, clusters; None where sums alone are kept.
    row_of : int64[n_units], optional
        The row of each unit; None where ``units`` is None, or unit k has row k.
    facts : mapping of str
        What a file says besides, such as the protocol; plain values.

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
    rows: Rows
    times: Int64
    units: pa.Table | None = None
    row_of: Int64 | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of_units(
        cls,
        formula: Formula,
        signature: str,
        rows: Rows,
        units: pa.Table | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> Statistics:
        """Keep a row per unit; without ``units``, rows are sums."""
        ones = np.ones(len(rows), np.int64)
        return cls(formula, signature, rows, ones, units, facts=facts or {})

    @property
    def n_units(self) -> int:
        """Number of units; of sums alone, of sums."""
        return int(self.times.sum())

    def scores(self, weights: Any = None) -> dict[str, Float64]:
        """Compute every score under each row of weights.

        Parameters
        ----------
        weights : int[n_draws, n_units], optional
            How often each unit is in a draw; None: each unit once, one draw. Where sums alone are
            kept, how often each row is in a draw: int[n_draws, n_rows].

        Returns
        -------
        dict of str to float64[n_draws]
            By flat name, such as ``overall_f1`` or ``multi_relation_cause_recall``: what scoring
            the drawn units anew gives, bit for bit; NaN where undefined.

        Raises
        ------
        ValueError
            Weights of another shape or type, or negative ones.
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
        """Join the units of two parts of one evaluation; equal rows are kept once.

        Raises
        ------
        ValueError
            They follow another protocol or policy, or count other things.
        """
        if self.signature != other.signature:
            raise ValueError(f"statistics of {self.signature} and of {other.signature} do not add")
        formula = self.formula.union(other.formula)
        parts = [part.formula.convert(part.rows, formula) for part in (self, other)]
        units, row_of = None, None
        if self.units is not None and other.units is not None:
            import pyarrow as pa

            units = pa.concat_tables([self.units, other.units], promote_options="default")
            row_of = np.concatenate([self._row_of, other._row_of + len(self.rows)])
        common = {k: v for k, v in self.facts.items() if k in other.facts and other.facts[k] == v}
        return Statistics(
            formula,
            self.signature,
            np.concatenate(parts),
            np.concatenate([self.times, other.times]),
            units,
            row_of,
            common,
        ).compressed()

    def compressed(self) -> Statistics:
        """Keep equal rows once, in ascending order, with how often they occur."""
        rows, row_of = distinct(self.rows)
        times = np.bincount(row_of, self.times, len(rows)).astype(np.int64)
        of_units = None if self.units is None else row_of[self._row_of]
        return replace(self, rows=rows, times=times, row_of=of_units)

    def without_units(self) -> Statistics:
        """Forget which unit has which row."""
        return replace(self.compressed(), units=None, row_of=None)

    def by(self, column: str) -> dict[str, Statistics]:
        """Split by the values of a column of ``units``, in ascending order of their text.

        Raises
        ------
        InputError
            There are no units, no such column, or its values have no text.
        """
        names, codes = self.strata(column)
        return {name: self.take(np.flatnonzero(codes == k)) for k, name in enumerate(names)}

    def strata(self, column: str) -> tuple[list[str], Int64]:
        """Return the values of a column as ascending text, and which of them each unit has."""
        names, codes = strata_of(self._table(), column)
        ordered = sorted(set(names))  # null and a text that says so are one
        place = {name: k for k, name in enumerate(ordered)}
        return ordered, np.array([place[name] for name in names], np.int64)[codes]

    def clusters(self, column: str | None) -> Int64:
        """Return the cluster of each unit: `strata` of a column, or without one itself.

        Raises
        ------
        InputError
            As `by`, or a unit has no cluster.
        """
        if column is None:
            return np.arange(len(self.rows) if self.row_of is None else len(self.row_of))
        codes = self.strata(column)[1]
        if n_nulls := self._table()[column].null_count:
            raise InputError(
                f'column "{column}" has {n_nulls} nulls, expected a cluster everywhere'
            )
        return codes

    def take(self, units: Int64) -> Statistics:
        """Keep some units, by number."""
        rows = self.rows[self._row_of[units]]
        table = self._table().take(units)
        return Statistics.of_units(self.formula, self.signature, rows, table, self.facts)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a Parquet (``.parquet``) or Arrow IPC (``.arrow``) file.

        A row per unit in their order: the columns of `units`, then the fields. Of sums alone, a row
        per sum and the column ``times``. The metadata ``fastcausal`` is one JSON object:
        ``statistics`` (the version), ``job``, ``signature``, ``fields``, ``formula``, ``facts``.

        Raises
        ------
        InputError
            A column of `units` has the name of a field, or the file cannot be written.
        """
        import pyarrow as pa

        from fastcausal.formats.table import appending

        if os.fspath(path).lower().endswith(".csv"):
            raise InputError(f"{path}: a CSV file has no metadata, expected .parquet or .arrow")
        table = pa.table({TIMES: self.times}) if self.units is None else self.units
        if clash := sorted({*table.column_names} & {*self.formula.fields}):
            raise InputError(f'{path}: column "{clash[0]}" of the units has the name of a count')
        rows = self.rows if self.units is None else self.rows[self._row_of]
        columns = dict(zip(table.column_names, table.columns, strict=True))
        columns |= dict(zip(self.formula.fields, np.ascontiguousarray(rows.T), strict=True))
        about = {
            "statistics": VERSION,
            "job": self.formula.job,
            "signature": self.signature,
            "fields": self.formula.fields,
            "formula": self.formula.to_dict(),
            "sums": self.units is None,
            **self.facts,
        }
        metadata = {KEY: json.dumps(about, ensure_ascii=False)}
        with appending(path) as write:
            write(pa.table(columns, metadata=metadata))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Statistics:
        """Read a file of `write`.

        Raises
        ------
        InputError
            The file is damaged, or holds something else.
        """
        from fastcausal.arrays.arrow import joined, values_of
        from fastcausal.formats.io.files import Source
        from fastcausal.formats.table import load

        source = Source.open(path)
        table = load(source)
        try:
            about = json.loads((table.schema.metadata or {})[KEY])
            formula, signature = formula_of(about["formula"]), str(about["signature"])
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{source.name}: not a file of statistics") from error
        if about.get("statistics") != VERSION:
            version = about.get("statistics")
            raise InputError(f"{source.name}: statistics {version!r}, expected version {VERSION}")
        if missing := [name for name in formula.fields if name not in table.column_names]:
            raise InputError(f'{source.name}: no column "{missing[0]}" of counts')
        columns = [values_of(joined(table[name])) for name in formula.fields]
        rows = np.stack(columns, axis=1).astype(formula.dtype, copy=False)
        facts = {k: v for k, v in about.items() if k not in OWN}
        rest = table.drop_columns(list(formula.fields)).replace_schema_metadata(None)
        if about["sums"]:
            times = values_of(joined(rest[TIMES])).astype(np.int64)
            return cls(formula, signature, rows, times, facts=facts)
        units = rest if rest.column_names else rest.schema.empty_table()
        return cls.of_units(formula, signature, rows, units, facts)

    def _table(self) -> pa.Table:
        if self.units is None:
            raise InputError("statistics of sums alone have no units to tell apart")
        return self.units

    @property
    def _row_of(self) -> Int64:
        return np.arange(len(self.rows)) if self.row_of is None else self.row_of


def added(a: Int64, b: Int64) -> Int64:
    """Add counts of 0 and above.

    Raises
    ------
    InputError
        A sum is 2^56 or more: over all roles it might leave 64 bits.

    Examples
    --------
    >>> added(np.array([1, 2]), np.array([3, 4]))
    array([4, 6])
    """
    total: Int64 = a + b
    if (total >> 56).any():
        raise InputError(f"counts add up to {total.max()}, expected less than 2^56")
    return total


def sum_by(weights: Int64, group: Int64, n_groups: int) -> Int64:
    """Add up the columns of each group: int64[n_draws, n_groups].

    Examples
    --------
    >>> sum_by(np.array([[1, 2, 3]]), np.array([1, 0, 1]), 2)
    array([[2, 4]])
    """
    sums = np.zeros((len(weights), n_groups), np.int64)
    order = np.argsort(group, kind="stable")
    present, first = np.unique(group[order], return_index=True)
    if len(first):
        sums[:, present] = np.add.reduceat(weights[:, order], first, axis=1)
    return sums


def strata_of(examples: pa.Table, by: str) -> tuple[list[str], Int64]:
    """Return the names of the strata that a column makes, and the stratum of each example.

    Raises
    ------
    InputError
        There is no such column, or its values have no text.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    from fastcausal.arrays import arrow

    if by not in examples.column_names:
        known = ", ".join(examples.column_names) or "none"
        raise InputError(f'gold has no column "{by}" to score by, it has {known}')
    try:
        values = arrow.joined(pc.cast(examples[by], pa.string()))
    except pa.ArrowNotImplementedError as error:
        kind = examples[by].type
        raise InputError(
            f'column "{by}" is {kind}, expected text or numbers to score by'
        ) from error
    encoded = values.dictionary_encode(null_encoding="encode")
    names = ["null" if name is None else name for name in encoded.dictionary.to_pylist()]
    return names, arrow.values_of(encoded.indices).astype(np.int64)

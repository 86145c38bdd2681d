"""Scoring of the runs of a sweep: counts by a task, and sums of counts."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from fastcausal.arrays.arrow import drop_columns, numbers, strings
from fastcausal.arrays.digests import digest_of_relations, digest_of_texts
from fastcausal.arrays.strata import find_cluster, strata_of
from fastcausal.counts.statistics import Statistics
from fastcausal.counts.task import Task, declared, resolve
from fastcausal.formats import read_marked
from fastcausal.formats.cnc.rereading import GOLD_READING
from fastcausal.formats.ranked import Ranked
from fastcausal.formats.traits import add_traits
from fastcausal.marking import FIELDS, MARKING, Marking
from fastcausal.recipe import Reads, Recipe
from fastcausal.relations import Relations
from fastcausal.rows import Rows
from fastcausal.sweeps.answers import vote_labels, vote_relations
from fastcausal.sweeps.runs import Run, digest_of_files, digest_of_lines
from fastcausal.sweeps.scores import scores_of_runs, sums_of
from fastcausal.tasks.extraction.score import score
from fastcausal.tasks.extraction.sides import align_sides

RELATIONS = "score"  # the task of a sweep by default
# Arguments that change no count.
OF_REPORTS = (
    "by", "fold", "per_example", "per_document", "backend", "num_threads", "progress",
    "gold_column", "pred_column",
)  # fmt: skip


class Scoring(Protocol):
    """Gold, read once, and all settings by which runs are counted; threads share it."""

    def about(self) -> dict[str, Any]:
        """Return the settings shared by all runs of a sweep, as plain values."""

    def statistics(self, pred: Any) -> Statistics:
        """Count predictions, as the task's function does."""

    def vote(self, answers: Ranked) -> Any:
        """Make one prediction of several answers to an item."""

    def digest(self, file: str) -> int | None:
        """Return a digest of predictions as they are read, in any order of rows."""

    def count(self, run: Run) -> Statistics:
        """Count a run; keep only the requested columns of gold."""

    def sums_of(self, statistics: Statistics) -> Any:
        """Sum the counts of a run by subset."""

    def table_of(self, sums: Mapping[str, Any]) -> pa.Table:
        """Return a row per run, subset and group."""


def _list_reads(reads: Reads) -> dict[str, Any]:
    """Return the reading of predictions; ``id`` is left out if unset, as in older folders."""
    return {name: v for name, v in reads._asdict().items() if name != "id" or v is not None}


def _list_marking(marking: Marking) -> dict[str, Any]:
    """Return the settings of reading that are given, as plain values."""
    return {name: _plain_setting(value) for name, value in marking.given().items()}


def _plain_setting(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain_setting(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_setting(each) for each in value]
    return getattr(value, "__qualname__", value)  # a function that cuts words


@dataclass(frozen=True)
class RelationScoring:
    """Scoring by `fastcausal.score`."""

    recipe: Recipe
    by: tuple[str, ...]
    gold: Relations
    columns: tuple[str, ...]

    @classmethod
    def read(
        cls, recipe: Recipe, gold: Any, by: tuple[str, ...], columns: tuple[str, ...]
    ) -> RelationScoring:
        """Read gold; raise InputError if that fails, ValueError for a protocol without counts."""
        if recipe.protocol.average != "counts":
            raise ValueError(f"{recipe.protocol.name} does not add up over examples, use score")
        side = read_marked(gold, tags=GOLD_READING[recipe.protocol.tags], **recipe.of_gold)
        side = add_traits(side, columns)
        return cls(recipe, by, side, _with_cluster(columns, side.table))

    def about(self) -> dict[str, Any]:
        """Return the settings shared by all runs of a sweep, as plain values."""
        recipe = self.recipe
        aligned = align_sides(Recipe(recipe.protocol), self.gold, self.gold)  # is read already
        return {
            "protocol": recipe.protocol.name,
            "unparsed": recipe.unparsed,
            "unmatched": recipe.unmatched,
            **({} if recipe.join is None else {"join": recipe.join}),
            "signature": recipe.signature(),
            "gold": f"{aligned.digest():032x}",
            **({} if recipe.reads == Reads() else {"reads": _list_reads(recipe.reads)}),
            **({} if recipe.marking == MARKING else {"marking": _list_marking(recipe.marking)}),
            **_about_columns(self.by, self.columns, self.gold.table),
        }

    def statistics(self, pred: Any) -> Statistics:
        """Count predictions, as `fastcausal.score` does."""
        return score(self.gold, pred, self.recipe, statistics=self.columns).statistics

    def vote(self, answers: Ranked) -> Relations:
        """Return the relations that more than half of the answers to an item make."""
        ranks = [Run("", each).read(self.gold, self.recipe) for each in answers.sources]
        for pred in ranks:
            if pred.n_unread and self.recipe.unparsed == "error":
                score(self.gold, pred, self.recipe.of_relations())  # raises
        return vote_relations(ranks, answers.ids)

    def digest(self, file: str) -> int | None:
        """Return a digest of predictions as they are read, in any order of rows."""
        if file == "-":  # was read
            return None
        pred = Run(file, Path(file)).read(self.gold, self.recipe)
        return digest_of_relations(Rows.of(pred).arrays(), pred.roles, pred.ids)

    def count(self, run: Run) -> Statistics:
        """Count a run; keep only the requested columns of gold."""
        done = self.recipe.of_relations()  # `Run.read` returns relations
        report = score(self.gold, run.read(self.gold, self.recipe), done, num_threads=1)
        return _drop_columns(report.statistics, self.gold.table, self.columns, run.name)

    def sums_of(self, statistics: Statistics) -> Any:
        """Sum the counts of a run by subset."""
        return sums_of(statistics, self.by)

    def table_of(self, sums: Mapping[str, Any]) -> pa.Table:
        """Return a row per run, subset and group."""
        return scores_of_runs(sums)


@dataclass(frozen=True)
class TaskScoring:
    """Scoring by the public function of any task that reads gold once."""

    name: str  # Name of the function
    function: Callable[..., Any]  # ``(gold, pred, **options) -> Report``
    options: Mapping[str, Any]
    by: tuple[str, ...]
    columns: tuple[str, ...]
    gold: Any  # Gold as an argument of the function
    # Statistics of predictions that repeat gold; source of digest, signature and columns
    right: Statistics

    @classmethod
    def read(
        cls,
        task: str,
        gold: Any,
        options: Mapping[str, Any],
        by: tuple[str, ...],
        columns: tuple[str, ...],
    ) -> TaskScoring:
        """Read gold for a task."""
        sweepable = sweepable_tasks()
        if task not in sweepable:
            known = ", ".join((RELATIONS, *sweepable))
            raise ValueError(f'no sweep over the task "{task}", expected one of {known}')
        function = resolve(sweepable[task].score)
        check_options(task, function, options)
        taken = inspect.signature(function).parameters
        options = {**options, **({"by": columns} if columns and "by" in taken else {})}
        gold_read, right = resolve(sweepable[task].read)(gold, **options)
        counted = function(gold_read, right, **options).statistics
        columns = _with_cluster(columns, counted.units)
        return cls(task, function, options, by, columns, gold_read, counted)

    def about(self) -> dict[str, Any]:
        """Return the settings shared by all runs of a sweep, as plain values."""
        units, gold = self.right.units, self.right.gold
        assert units is not None
        assert gold is not None
        options = {k: _plain(k, value) for k, value in self.options.items() if k != "by"}
        return {
            "task": self.name,
            "options": options,
            "signature": self.right.signature,
            "gold": f"{gold:032x}",
            **_about_columns(self.by, self.columns, units),
        }

    def statistics(self, pred: Any) -> Statistics:
        """Count predictions, as the function of the task does."""
        counted: Statistics = self.function(self.gold, pred, **self.options).statistics
        return counted

    def vote(self, answers: Ranked) -> Any:
        """Return the most frequent label of each item."""
        if self.name != "classify" or {"answers", "protocol"} & {*self.options}:
            raise ValueError("over majority is for relations and labels")
        return vote_labels(answers)

    def digest(self, file: str) -> int | None:
        """Return a digest of the lines of predictions, in any order."""
        return digest_of_lines(file)

    def count(self, run: Run) -> Statistics:
        """Count a run; keep only the requested columns of gold."""
        counted = self.statistics(run.source)
        return _drop_columns(counted, self.right.units, self.columns, run.name)

    def sums_of(self, statistics: Statistics) -> pa.Table:
        """Return the rows of the report of a run."""
        return statistics.report(self.by).to_arrow()

    def table_of(self, sums: Mapping[str, pa.Table]) -> pa.Table:
        """Return a row per run, subset and group."""
        if not sums:
            return scores_of_runs({})
        tables = [
            table.add_column(0, "run", pa.array([run] * len(table), pa.string()))
            for run, table in sums.items()
        ]
        return pa.concat_tables(tables, promote_options="permissive").combine_chunks()


def scoring_of(
    recipe: Recipe,
    gold: Any,
    task: str = RELATIONS,
    options: Mapping[str, Any] | None = None,
    by: tuple[str, ...] = (),
    columns: tuple[str, ...] = (),
) -> Scoring:
    """Read gold for a task."""
    if task == RELATIONS:
        if options:
            raise ValueError("options are for other tasks, score has arguments of its own")
        return RelationScoring.read(recipe, gold, by, columns)
    if recipe != Recipe():
        raise ValueError(
            "protocol, unparsed, unmatched, format, tags, answers and occurrence are for "
            f"relations, {task} has options"
        )
    return TaskScoring.read(task, gold, options or {}, by, columns)


def sweepable_tasks() -> dict[str, Task]:
    """Return the tasks that score runs against gold read once, by the names of their functions.

    >>> list(sweepable_tasks())
    ['fincausal', 'classify', 'eci', 'qa']
    """
    return {task.score.partition(":")[2]: task for task in declared() if task.read}


def check_options(task: str, function: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Raise ValueError for an option of a task that its function does not take."""
    taken = [*inspect.signature(function).parameters.values()][2:]
    parameters = [each.name for each in taken if each.kind is not each.VAR_KEYWORD]
    names = [name for name in parameters if name not in OF_REPORTS]
    if len(parameters) < len(taken):  # the settings of reading relations
        names += FIELDS
    for name in options:
        if name not in names:
            raise ValueError(f'{task} has no option "{name}", expected {", ".join(names)}')


def _with_cluster(columns: tuple[str, ...], units: pa.Table | None) -> tuple[str, ...]:
    """Add the column of gold that clusters are made of by default."""
    found = None if units is None else find_cluster(units)
    return columns if found is None else tuple(dict.fromkeys((*columns, found)))


def _about_columns(by: tuple[str, ...], columns: Sequence[str], units: pa.Table) -> dict[str, Any]:
    """Name the columns of a sweep, with digests of their values in gold."""
    return {
        "by": by[0] if len(by) == 1 else [*by] or None,
        "columns": {name: _digest_of_column(units, name) for name in columns},
    }


def _digest_of_column(units: pa.Table, name: str) -> str:
    """Return a digest of the values of a column, independent of the order of examples."""
    names, codes = strata_of(units, name)
    ids = units["id"] if "id" in units.column_names else None
    return f"{digest_of_texts(ids, strings(names).take(numbers(codes))):032x}"


def _drop_columns(counted: Statistics, gold: Any, columns: Sequence[str], name: str) -> Statistics:
    """Return the statistics of a run of this name, without other columns of gold."""
    dropped = {*gold.column_names} - {"id", *columns}
    units, left_out = (
        None if table is None else drop_columns(table, dropped)
        for table in (counted.units, counted.left_out)
    )
    return replace(counted, units=units, left_out=left_out, system=name)


def _plain(name: str, value: Any) -> Any:
    """Return an option for the file of a sweep; for a path, the digest of its content."""
    if isinstance(value, str | os.PathLike) and Path(value).exists():
        return digest_of_files(Path(value))
    if isinstance(value, list | tuple):
        return [_plain(name, each) for each in value]
    if value is None or isinstance(value, str | int | float):
        return value
    raise ValueError(
        f"{name} of a sweep is {type(value).__name__}, expected a path or plain values"
    )

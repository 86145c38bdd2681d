"""Scoring of many runs against one gold, into a folder from which a killed sweep continues."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, Unpack

import pyarrow as pa

from fastcausal.arrays.strata import By, columns_by, source_of
from fastcausal.errors import InputError, OutputError, counted
from fastcausal.files.targets import keep_apart
from fastcausal.marking import OF_SCORES
from fastcausal.options import (
    Join,
    MarkingSettings,
    Occurrence,
    Policy,
    ProtocolName,
    ReadFormat,
    TagReading,
)
from fastcausal.protocols import RECESS, Protocol
from fastcausal.recipe import Reads, Recipe
from fastcausal.report.grid import Grid
from fastcausal.report.printed import Printed
from fastcausal.report.report import plain
from fastcausal.sweeps.folder import ABOUT, Folder
from fastcausal.sweeps.runs import DataSet, FileParts, Files, Run, holds_relations
from fastcausal.sweeps.scoring import RELATIONS, Scoring, scoring_of
from fastcausal.tasks.extraction.batches import Progress
from fastcausal.tasks.values.reading import choose_name

T = TypeVar("T")
R = TypeVar("R")
MAX_JOBS = 4  # beyond, threads wait for each other


@dataclass(frozen=True)
class SweepResult(Printed):
    """Numbers of scored, kept and failed runs of a sweep, with their scores.

    Attributes
    ----------
    n_runs : int
        Runs of this call, in its shard.
    scored, kept : int
        Runs scored now, and runs with scores from an earlier call.
    failed : tuple of mapping
        Runs that could not be scored: ``run`` and ``error``.
    out : str
        The folder.
    """

    n_runs: int
    scored: int
    kept: int
    failed: tuple[Mapping[str, str], ...]
    out: str
    _scores: pa.Table = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        values: dict[str, Any] = plain(self)
        return values

    def to_arrow(self) -> pa.Table:
        """Return the table of ``scores.parquet``: a row per run, subset and group."""
        return self._scores

    @property
    def title(self) -> str:
        """Line with the numbers of runs."""
        done = f"{self.scored} scored, {self.kept} kept, {len(self.failed)} failed"
        return f"{self.out}: {counted(self.n_runs, 'run')}, {done}"

    def to_table(self, counts: bool = False) -> Grid:
        """Return a table of the overall scores of each run, or of the scores of all groups."""
        rows = [row for row in self._scores.to_pylist() if row["subset"] == "all"]
        has_overall = any(row["group"] == "overall" for row in rows)
        names = [f.name for f in self._scores.schema if pa.types.is_floating(f.type)]
        grid = Grid(self.title, names)
        for row in rows:
            if not has_overall:
                grid.add(f"{row['run']} {row['group']}", *(row[name] for name in names))
            elif row["group"] == "overall":
                grid.add(row["run"], *(row[name] for name in names))
        return grid

    def _notes(self) -> list[str]:
        return [f"failed: {each['run']}: {each['error']}" for each in self.failed]


def sweep(
    gold: Any,
    runs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    protocol: ProtocolName | Protocol | Recipe = RECESS,
    *,
    task: str = RELATIONS,
    options: Mapping[str, Any] | None = None,
    by: By = None,
    unparsed: Policy = "error",
    unmatched: Policy = "error",
    format: ReadFormat | None = None,
    tags: TagReading | None = None,
    answers: str | None = None,
    occurrence: Occurrence = "gap",
    id: str | None = None,
    join: Join | None = None,
    run_column: str | None = None,
    system: str | None = None,
    columns: Sequence[str] = (),
    shard: tuple[int, int] | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    **marking: Unpack[MarkingSettings],
) -> SweepResult:
    """Score every run against gold, and store the counts of each example in a folder.

    A repeated call scores only runs that are missing, failed or changed.

    Parameters
    ----------
    gold : anything that the task takes
        Read once.
    runs : path or sequence of path
        A file is a run; in a folder, every file and every subfolder of parts is a run.
    out : path
        The folder: new, empty, or from the same sweep.
    task : {"score", "classify", "eci", "qa"}
        The function that scores a run.
    options : mapping of str, optional
        Arguments of the function of another task than relations, such as ``{"candidates": path}``.
    by : str or sequence of str, optional
        Columns of gold; each of their values is scored. They are among the ``columns``.
    protocol, unparsed, unmatched, format, tags, answers, occurrence, id, join
        For relations only, as in `fastcausal.score`.
    run_column, system : str, optional
        The column with the run of each example, if one data set has all runs.
    columns : sequence of str
        Columns of gold to store with the counts beside the id, such as the document.
    shard : (int, int), optional
        Score only every n-th run: ``(k, n)`` with k from 0 or from 1; ``(n, n)`` is ``(0, n)``.
    jobs : int, optional
        Number of threads; by default the number of cores, at most 4.
    progress : callable, optional
        Called with the number of finished runs and the number of all runs.
    **marking
        Settings of reading relations: see `fastcausal.marking.Marking`.

    Returns
    -------
    SweepResult

    Raises
    ------
    InputError
        Gold or the list of runs cannot be read, two runs have the same name, or the folder has
        other content; then nothing is written. Or the folder cannot be written to.
    ValueError
        A protocol, policy, task or option is unknown, or a number is invalid.

    Examples
    --------
    >>> import tempfile, fastcausal as fc
    >>> from fastcausal import sample
    >>> out = tempfile.mkdtemp()
    >>> result = fc.sweep(sample.GOLD, [*sample.SYSTEMS.values()], out, unparsed="empty")
    >>> result.scored, result.kept, len(result.failed)
    (3, 0, 0)
    >>> result.to_arrow()["run"].unique().to_pylist()
    ['careful', 'chatty', 'hasty']
    >>> systems = [*sample.PAIRS.values()]
    >>> pairs = fc.sweep(sample.PAIRS_GOLD, systems, tempfile.mkdtemp(), task="eci")
    >>> pairs.to_arrow()["group"].unique().to_pylist()
    ['exists', 'direction', 'typed']
    """
    jobs = choose_jobs(jobs)
    prepared = prepare(
        gold, runs, out, protocol, task, options, by, run_column, system, columns, shard,
        unparsed=unparsed, unmatched=unmatched, format=format, tags=tags, answers=answers,
        occurrence=occurrence, id=id, join=join, **marking,
    )  # fmt: skip
    return prepared.run(lambda job, runs: _map_in_order(job.score, runs, jobs), progress)


def prepare(
    gold: Any,
    runs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    protocol: ProtocolName | Protocol | Recipe,
    task: str,
    options: Mapping[str, Any] | None,
    by: By,
    run_column: str | None,
    system: str | None,
    columns: Sequence[str],
    shard: tuple[int, int] | None,
    **reading: Any,  # of `Recipe.make`
) -> PreparedSweep:
    """Read gold and list the runs of a `sweep`; write nothing."""
    recipe = Recipe.make(protocol, **reading)
    part, n_shards = shard_of(shard)
    paths = [runs] if isinstance(runs, str | os.PathLike) else list(runs)
    options = options or {}
    strata = columns_by(by)
    asked = tuple(dict.fromkeys((*columns, *map(source_of, strata))))
    run_column = choose_name("run_column", run_column, "system", system)
    scoring = scoring_of(recipe, gold, task, options, strata, asked)
    job = Job(scoring, Folder(out, scoring.about()))
    source = _source(paths, run_column, recipe, task)
    _keep_apart(out, [gold, *paths, *options.values()])
    return PreparedSweep(job, source, source.names[part::n_shards], os.fspath(out))


class PreparedSweep(NamedTuple):
    """A sweep before its first run is scored."""

    job: Job
    source: Files | DataSet | FileParts
    wanted: Sequence[str]
    out: str

    def run(
        self,
        score_all: Callable[[Job, Iterator[Run]], Generator[Outcome]],
        progress: Progress | None,
    ) -> SweepResult:
        """Score the runs in the order of ``score_all``, then write the scores of all."""
        job, folder = self.job, self.job.folder
        outcomes = []
        with folder.locked():
            with closing(score_all(job, self.source.runs(self.wanted))) as done:
                for outcome in done:
                    outcomes.append(outcome)
                    if progress is not None:
                        progress(len(outcomes), len(self.wanted))
            outcomes.sort(key=attrgetter("run"))
            sums = {outcome.run: outcome.sums for outcome in outcomes if outcome.sums is not None}
            folder.write_scores(self.source.names, sums, job.scoring)
        return _result(outcomes, self.out, job.scoring.table_of(sums))


class Outcome(NamedTuple):
    """The end of one run: ``scored``, ``kept`` or ``failed``, with its sums or its error."""

    run: str
    end: str
    sums: Any = None
    error: str = ""


class Job(NamedTuple):
    """The input of scoring a run, in any thread or process."""

    scoring: Scoring
    folder: Folder

    def score(self, run: Run) -> Outcome:
        """Score a run unless it is stored already, and store the result."""
        try:
            pred = run.digest()  # before reading: the next call sees later changes
            kept = self.folder.load_run(run.name, pred)
            statistics = self.scoring.count(run) if kept is None else kept
        except OutputError:
            raise
        except InputError as error:
            self.folder.set_aside(run.name, error.problem)  # no remedy: other runs go on
            return Outcome(run.name, "failed", error=error.problem)
        if kept is None:
            self.folder.keep(run.name, pred, statistics)
        sums = self.scoring.sums_of(statistics)
        return Outcome(run.name, "scored" if kept is None else "kept", sums)


def shard_of(shard: tuple[int, int] | None) -> tuple[int, int]:
    """Return the number of a shard, from 0, and the number of shards.

    >>> shard_of(None), shard_of((0, 3)), shard_of((3, 3))
    ((0, 1), (0, 3), (0, 3))
    """
    number, n_shards = shard or (0, 1)
    if not 0 <= number <= n_shards or not n_shards:
        raise ValueError(f"shard is {number}/{n_shards}, expected 0 to {n_shards} of at least 1")
    return number % n_shards, n_shards


def choose_jobs(jobs: int | None) -> int:
    """Return the number of threads; raise ValueError below 1."""
    if jobs is None:
        return min(os.cpu_count() or 1, MAX_JOBS)
    if jobs < 1:
        raise ValueError(f"jobs is {jobs}, expected at least 1")
    return jobs


def _source(
    paths: Sequence[str | os.PathLike[str]], column: str | None, recipe: Recipe, task: str
) -> Files | DataSet | FileParts:
    if column is None:
        return Files(paths)
    if len(paths) != 1:
        raise InputError(f"{len(paths)} data sets, expected one whose column names the runs")
    [path], tags = paths, recipe.protocol.tags
    changes = [n for n in recipe.marking.changed if n not in (*OF_SCORES, "roles")]
    is_plain = task == RELATIONS and recipe.reads == Reads() and not changes
    if is_plain and holds_relations(path, tags):
        return DataSet(path, column, tags)
    return FileParts(path, column)


def _keep_apart(out: str | os.PathLike[str], sources: Sequence[Any]) -> None:
    """Refuse a folder inside a source, or around one."""
    paths = [Path(source) for source in sources if isinstance(source, str | os.PathLike)]
    keep_apart([Path(out, ABOUT)], filter(Path.is_dir, paths))
    place = os.path.realpath(out)
    for folder in dict.fromkeys(path.parent for path in paths):
        if Path(os.path.realpath(folder)).is_relative_to(place):
            raise InputError(f"{folder} is read, but the sweep writes to {out}")


def _map_in_order(function: Callable[[T], R], items: Iterable[T], jobs: int) -> Generator[R]:
    """Apply a function to items in threads, a few items ahead of the caller."""
    if jobs == 1:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(jobs) as pool:
        coming: deque[Future[R]] = deque()
        try:
            for item in items:
                coming.append(pool.submit(function, item))
                if len(coming) > jobs:
                    yield coming.popleft().result()
            while coming:
                yield coming.popleft().result()
        finally:
            for each in coming:
                each.cancel()


def _result(outcomes: Sequence[Outcome], out: str, scores: pa.Table) -> SweepResult:
    ends = [outcome.end for outcome in outcomes]
    failed = tuple({"run": o.run, "error": o.error} for o in outcomes if o.end == "failed")
    return SweepResult(len(outcomes), ends.count("scored"), ends.count("kept"), failed, out, scores)

"""Sweeps on a Ray cluster: `fastcausal.sweep`, with runs scored by tasks of Ray's workers."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, chdir, contextmanager, nullcontext
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from fastcausal.arrays.strata import By
from fastcausal.errors import InputError, OutputError
from fastcausal.options import Occurrence, Policy, ProtocolName, ReadFormat, TagReading
from fastcausal.protocols import RECESS, Protocol
from fastcausal.recipe import Recipe
from fastcausal.sweeps.runs import Run
from fastcausal.sweeps.scoring import RELATIONS
from fastcausal.sweeps.sweep import Job, Outcome, SweepResult, prepare
from fastcausal.tasks.extraction.batches import Progress

N_RETRIES = 3  # of a run whose worker dies


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
    run_column: str | None = None,
    columns: Sequence[str] = (),
    shard: tuple[int, int] | None = None,
    progress: Progress | None = None,
) -> SweepResult:
    """Score every run against gold on a Ray cluster, into the folder that `fastcausal.sweep` makes.

    The caller's connection to Ray is used; without one, ``ray.init()`` connects to a cluster, or
    starts one on this machine, until the sweep ends. Gold is read once, by the caller, and shared.
    A run whose worker dies is scored again, and set aside after three more deaths.

    Parameters
    ----------
    gold, runs, out, protocol, task, options, by, unparsed, unmatched, format, tags, answers,
    occurrence, id
        As of `fastcausal.sweep`. Workers open the runs and write to the folder, so both lie on a
        file system that all nodes share, at the same paths.
    run_column, columns, shard, progress
        As of `fastcausal.sweep`. Only the caller reads the data set with a ``run_column``.

    Returns
    -------
    SweepResult
        A run that was stored by a worker which died before reporting it counts as kept.

    Raises
    ------
    InputError
        As of `fastcausal.sweep`; Ray is not installed; or a node of the cluster does not see the
        folder or a run. In these cases nothing is written.
    ValueError
        An unknown protocol, policy, task or option, or invalid numbers.

    Examples
    --------
    >>> import tempfile, fastcausal.ray
    >>> from fastcausal import sample
    >>> fastcausal.ray.sweep(
    ...     sample.GOLD, sample.SYSTEMS["careful"], tempfile.mkdtemp()
    ... ).scored  # doctest: +SKIP
    1
    """
    ray = _ray()
    recipe = Recipe.of(protocol, unparsed, unmatched, format, tags, answers, occurrence, id)
    prepared = prepare(recipe, by, gold, runs, out, run_column, columns, shard, task, options or {})
    with _connected(ray):
        _require_shared(ray, Path(out), prepared.source.paths(prepared.wanted))
        return prepared.run(lambda job, runs: _scored_by_tasks(ray, job, runs), progress)


def _ray() -> Any:
    try:
        import ray
    except ModuleNotFoundError as error:
        raise InputError(
            f'a sweep on Ray needs {error.name}: pip install "fastcausal[ray]"'
        ) from error
    return ray


@contextmanager
def _connected(ray: Any) -> Iterator[None]:
    """Use an existing connection to a cluster, or open one and close it at the end."""
    if ray.is_initialized():
        yield
        return
    ray.init()
    try:
        yield
    finally:
        ray.shutdown()


def _require_shared(ray: Any, out: Path, runs: Iterable[Path]) -> None:
    """Raise InputError if a node that runs tasks does not see the folder or the runs."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    nodes = [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]
    places = [NodeAffinitySchedulingStrategy(node["NodeID"], soft=False) for node in nodes]
    task = ray.remote(num_cpus=0)(_first_missing)
    folder = next(path for path in (out, *out.absolute().parents) if path.is_dir())
    try:
        with NamedTemporaryFile(prefix=".shared-", dir=folder) as token:
            args = [token.name, *map(str, runs)], Path.cwd()
            answers = [task.options(scheduling_strategy=place).remote(*args) for place in places]
            for node, missing in zip(nodes, ray.get(answers), strict=True):
                if missing is not None:
                    raise InputError(
                        f"{out if missing == token.name else missing}: node "
                        f"{node['NodeManagerAddress']} of the Ray cluster does not see it, "
                        "expected a path on a file system that all nodes share"
                    )
    except OSError as error:
        raise OutputError(f"{out}: {error.strerror or error}") from error


def _first_missing(paths: Sequence[str], cwd: Path) -> str | None:
    with _working_in(cwd):
        return next((path for path in paths if not Path(path).exists()), None)


def _working_in(cwd: Path) -> AbstractContextManager[None]:
    """Resolve relative paths from the caller's folder, if the node has it."""
    return chdir(cwd) if cwd.is_dir() else nullcontext()


def _scored_by_tasks(ray: Any, job: Job, runs: Iterable[Run]) -> Generator[Outcome]:
    """Yield the outcomes of runs as they finish; keep two tasks per core running or waiting."""
    shared, cwd = ray.put(job), Path.cwd()
    task = ray.remote(num_cpus=1, max_retries=N_RETRIES)(_score)
    waiting: dict[Any, str] = {}

    def first_done() -> Outcome:
        (ref,), _ = ray.wait([*waiting])
        return _outcome(ray, job, waiting.pop(ref), ref)

    try:
        for run in runs:
            waiting[task.remote(shared, run, cwd)] = run.name
            if len(waiting) >= 2 * ray.cluster_resources().get("CPU", 1):
                yield first_done()
        while waiting:
            yield first_done()
    finally:
        for ref in waiting:
            ray.cancel(ref)
        if waiting:
            ray.wait([*waiting], num_returns=len(waiting))


def _score(job: Job, run: Run, cwd: Path) -> Outcome:
    with _working_in(cwd):
        return job.score(run)


def _outcome(ray: Any, job: Job, run: str, ref: Any) -> Outcome:
    """Return the outcome of a task; set a run aside if every worker on it has died."""
    deaths = ray.exceptions
    try:
        outcome: Outcome = ray.get(ref)
    except deaths.RayTaskError as error:
        raise error.cause from error
    except (deaths.WorkerCrashedError, deaths.NodeDiedError, deaths.OutOfMemoryError) as error:
        problem = f"its worker died each time ({type(error).__name__})"
        job.folder.set_aside(run, problem)
        return Outcome(run, "failed", error=problem)
    return outcome

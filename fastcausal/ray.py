"""Sweeps on a Ray cluster: `fastcausal.sweep`, with runs scored by tasks of Ray's workers."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, chdir, contextmanager, nullcontext
from inspect import signature
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, ParamSpec

from fastcausal.errors import InputError, OutputError
from fastcausal.protocols import RECESS
from fastcausal.sweeps import sweep as sweeps
from fastcausal.sweeps.runs import Run
from fastcausal.sweeps.sweep import Job, Outcome, SweepResult, prepare

P = ParamSpec("P")
N_RETRIES = 3  # of a run whose worker dies


def _take_options(
    function: Callable[P, SweepResult], *but: str
) -> Callable[[Callable[..., SweepResult]], Callable[P, SweepResult]]:
    """Give a function the parameters of another one but some, for callers, checkers and pages."""

    def take(own: Callable[..., SweepResult]) -> Callable[P, SweepResult]:
        whole = signature(function)
        kept = [each for name, each in whole.parameters.items() if name not in but]
        own.__signature__ = whole.replace(parameters=kept)  # type: ignore[attr-defined]
        return own

    return take


@_take_options(sweeps.sweep, "jobs")
def sweep(gold: Any, runs: Any, out: Any, protocol: Any = RECESS, **options: Any) -> SweepResult:
    """Score every run against gold on a Ray cluster, into the folder that `fastcausal.sweep` makes.

    The caller's connection to Ray is used; without one, ``ray.init()`` connects to a cluster, or
    starts one on this machine, until the sweep ends. Gold is read once, by the caller, and shared.
    A run whose worker dies is scored again, and set aside after three more deaths.

    Parameters
    ----------
    gold, runs, out, protocol, **options
        As of `fastcausal.sweep`, without ``jobs``. Workers open the runs and write to the folder,
        so both lie on a file system that all nodes share, at the same paths. Only the caller reads
        the data set with a ``run_column``.

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
    bound = signature(sweep).bind(gold, runs, out, protocol, **options)
    bound.apply_defaults()
    progress = bound.arguments.pop("progress")
    bound.arguments |= bound.arguments.pop("marking")
    ray = _ray()
    prepared = prepare(**bound.arguments)
    with _connect(ray):
        _require_shared(ray, Path(prepared.out), prepared.source.paths(prepared.wanted))
        return prepared.run(lambda job, runs: _score_by_tasks(ray, job, runs), progress)


def _ray() -> Any:
    try:
        import ray
    except ModuleNotFoundError as error:
        raise InputError(
            f'a sweep on Ray needs {error.name}: pip install "fastcausal[ray]"'
        ) from error
    return ray


@contextmanager
def _connect(ray: Any) -> Iterator[None]:
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
    task = ray.remote(num_cpus=0)(_find_missing)
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


def _find_missing(paths: Sequence[str], cwd: Path) -> str | None:
    with _work_in(cwd):
        return next((path for path in paths if not Path(path).exists()), None)


def _work_in(cwd: Path) -> AbstractContextManager[None]:
    """Resolve relative paths from the caller's folder, if the node has it."""
    return chdir(cwd) if cwd.is_dir() else nullcontext()


def _score_by_tasks(ray: Any, job: Job, runs: Iterable[Run]) -> Generator[Outcome]:
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
    with _work_in(cwd):
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

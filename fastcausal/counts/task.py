"""The record by which a task declares itself, and the registry of all tasks.

Records name functions and classes by entry points, so that the registry imports none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fastcausal.counts.formula import Formula


@dataclass(frozen=True)
class Task:
    """An evaluation. Entry points have the form ``package.module:name``."""

    job: str  # Name in files of statistics
    # Entry point of the subclass of `Formula`; empty for a task without statistics
    formula: str = ""
    present: str = ""  # Entry point of the function ``(statistics, by) -> Report``; empty for none
    # Entry point of the public function. A generic command calls it as ``(gold, pred,
    # by=...)``.
    score: str = ""
    # Entry point of the function ``(gold, **options) -> (gold, pred)`` for a sweep: reads
    # gold once, as `score` takes it, and makes predictions that repeat it; empty for no
    # sweeps
    read: str = ""
    # Entry point of the function ``(gold, **options) -> (gold, pred)`` for shared tasks: gold
    # without its answers, as `score` takes it, and the least predictions, either relations or
    # a list of rows; None if such gold has no part without answers. Empty for no such
    # function.
    public: str = ""
    # Entry point of the function ``(source, reading) -> statistics by system`` for results of
    # other programs, which are neither counts nor predictions; empty for none
    load: str = ""
    # Entry point of the function that lists such sources in a folder
    list_logs: str = ""
    command: str = ""  # Entry point of the command, or the name of a generic one
    page: str = ""  # Name of the page in docs


def resolve(entry: str) -> Any:
    """Import the object of an entry point.

    Examples
    --------
    >>> resolve("fastcausal.counts.task:Task") is Task
    True
    """
    module, _, name = entry.partition(":")
    return getattr(import_module(module), name)


def declared() -> tuple[Task, ...]:
    """Return the records of all tasks."""
    tasks: tuple[Task, ...] = resolve("fastcausal.tasks.declared:ALL")
    return tasks


def task_of(job: str) -> Task:
    """Return the record of a job; KeyError for an unknown one."""
    return {task.job: task for task in declared()}[job]


def formula_of(values: Mapping[str, Any]) -> Formula:
    """Return the formula of the values of `Formula.to_dict`."""
    kind = resolve(task_of(values["job"]).formula)
    formula: Formula = kind(**{k: _frozen(value) for k, value in values.items() if k != "job"})
    return formula


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value

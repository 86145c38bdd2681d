"""Tasks: the record by which an evaluation declares itself, and the registry of all records.

A record names what it stands for, as entry points do, because most of it is heavy: the registry
costs nothing until one of the names is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fastcausal.counts.formula import Formula

REGISTRY = "fastcausal.tasks.declared"


@dataclass(frozen=True)
class Task:
    """An evaluation, as its folder in `fastcausal.tasks` declares it.

    Functions and classes are named ``"module:name"``.

    Attributes
    ----------
    score : str
        The public function.
    command : str
        The command, such as ``"crab frames"``.
    page : str
        The page in docs/.
    job : str, optional
        Name of its counts in files; None: it makes no statistics.
    formula : str, optional
        The class that computes scores from these counts.
    present : str, optional
        ``present(statistics, by) -> Report``; None: statistics have no report of their own.

    Examples
    --------
    >>> task_of("crab-frames").command, task_of("crab-frames").formula_class().__name__
    ('crab frames', 'FrameFormula')
    """

    score: str
    command: str
    page: str
    job: str | None = None
    formula: str | None = None
    present: str | None = None

    def formula_class(self) -> type[Formula]:
        """Return the class of its formula."""
        assert self.formula is not None
        kind: type[Formula] = named(self.formula)
        return kind


def named(reference: str) -> Any:
    """Return what ``"module:name"`` names, importing its module."""
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name)


def tasks() -> tuple[Task, ...]:
    """Return the records of all evaluations."""
    declared: tuple[Task, ...] = import_module(REGISTRY).ALL
    return declared


def task_of(job: str) -> Task:
    """Return the task whose counts have this name in files.

    Raises
    ------
    KeyError
        No task counts such.
    """
    return {task.job: task for task in tasks() if task.job is not None}[job]


def formula_of(values: Mapping[str, Any]) -> Formula:
    """Return the formula that `Formula.to_dict` described.

    Raises
    ------
    ValueError, TypeError, KeyError
        It describes none.
    """
    kind = task_of(values["job"]).formula_class()
    return kind(**{k: _frozen(value) for k, value in values.items() if k != "job"})


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value

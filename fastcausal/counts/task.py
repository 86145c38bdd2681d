"""The record by which a task declares itself, and the registry of all tasks.

Records name functions and classes by entry points, so that the registry imports none of them.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from fastcausal.counts.command import CommandRecord
from fastcausal.options import check

if TYPE_CHECKING:
    from fastcausal.counts.formula import Formula


@dataclass(frozen=True)
class TaskProtocol:
    """A published way to count, with entry points in the place of those of `Task`."""

    under: str  # Name of the public function that takes the protocol
    # Entry point of the function ``(gold, pred, **settings) -> Report``; empty: `under` counts
    score: str = ""
    read: str = ""
    public: str = ""
    alone: tuple[str, ...] = ()  # Settings that no other protocol of `under` has
    settings: Mapping[str, Any] = field(default_factory=dict)  # Values that the protocol sets

    def count(self, gold: Any, pred: Any, given: Mapping[str, Any], refusal: str) -> Any:
        """Score by settings that are not None; refuse with ValueError those that it lacks.

        The refusal may contain ``{name}``, ``{value}`` and ``{owner}``, the protocol that has it.
        """
        score = resolve(self.score)
        taken = inspect.signature(score).parameters
        given = {name: value for name, value in given.items() if value is not None}
        for name, value in given.items():
            if name not in taken:
                owner = owners_under(self.under).get(name, "")
                raise ValueError(refusal.format(name=name, value=value, owner=owner))
        return score(gold, pred, **given)


@dataclass(frozen=True)
class Task:
    """An evaluation. Entry points have the form ``package.module:name``."""

    job: str  # Name in files of statistics
    # Entry point of the subclass of `Formula`; empty for a task without statistics
    formula: str = ""
    # Entry points of other subclasses, by the value of ``kernel``
    formulas: Mapping[str, str] = field(default_factory=dict, hash=False)
    present: str = ""  # Entry point of the function ``(statistics, by) -> Report``; empty for none
    score: str = ""  # Entry point of the public function
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
    protocols: Mapping[str, TaskProtocol] = field(default_factory=dict, hash=False)
    # Record or entry point of the command, or the name of a command of gold and systems;
    # empty for a task under a protocol of another command
    command: str | CommandRecord = ""
    page: str = ""  # Name of the page in docs


def resolve(entry: str) -> Any:
    """Import the object of an entry point."""
    module, _, name = entry.partition(":")
    return getattr(import_module(module), name)


def declared() -> tuple[Task, ...]:
    """Return the records of all tasks."""
    tasks: tuple[Task, ...] = resolve("fastcausal.tasks.declared:ALL")
    return tasks


def task_of(job: str) -> Task:
    """Return the record of a job; KeyError for an unknown one."""
    return {task.job: task for task in declared()}[job]


def protocols_under(function: str) -> dict[str, TaskProtocol]:
    """Return the protocols that a public function takes, by name."""
    return {
        name: protocol
        for task in declared()
        for name, protocol in task.protocols.items()
        if protocol.under == function
    }


def owners_under(function: str) -> dict[str, str]:
    """Return the settings of a public function that belong to a single protocol, and that one."""
    protocols = protocols_under(function).items()
    return {name: owner for owner, protocol in protocols for name in protocol.alone}


def find_protocol(function: str, name: str) -> TaskProtocol:
    """Return a protocol that a public function takes; ValueError for an unknown one."""
    protocols = protocols_under(function)
    check("protocol", name, protocols)
    return protocols[name]


def formula_of(values: Mapping[str, Any]) -> Formula:
    """Return the formula of the values of `Formula.to_dict`."""
    task = task_of(values["job"])
    kind = resolve(task.formulas.get(str(values.get("kernel")), task.formula))
    formula: Formula = kind(**{k: _frozen(value) for k, value in values.items() if k != "job"})
    return formula


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value

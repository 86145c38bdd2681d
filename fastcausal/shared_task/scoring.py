"""The public function of a task, called with the options of a shared task."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args, get_type_hints

from fastcausal.counts.task import Task, declared, resolve
from fastcausal.errors import InputError
from fastcausal.formats import read
from fastcausal.formats.cnc.rereading import GOLD_READING
from fastcausal.recipe import Reads, Recipe
from fastcausal.report.report import Report
from fastcausal.shared_task.record import SharedTask
from fastcausal.sweeps.scoring import RELATIONS, check_options, sweepable_tasks
from fastcausal.tasks.extraction.otherwise import OTHERWISE


def tasks() -> dict[str, Task]:
    """Return the tasks that score predictions against gold, by the names of their functions.

    Examples
    --------
    >>> "score" in tasks(), "classify" in tasks()
    (True, True)
    """
    relations = next(task for task in declared() if task.score.endswith(f":{RELATIONS}"))
    return {RELATIONS: relations, **sweepable_tasks()}


def task_of(protocol: str | None, task: str | None) -> str:
    """Return the name of a task; without a name, the task that has the protocol.

    Raises
    ------
    InputError
        No task has the protocol, or several have it.

    Examples
    --------
    >>> task_of("cnc-2023", None), task_of("fincausal-2020", None), task_of(None, "qa")
    ('score', 'fincausal', 'qa')
    """
    known = {name: protocols_of(name) for name in tasks()}
    for counted, entry in OTHERWISE.items():
        if (name := entry.rpartition(":")[2]) in known:
            known[name] = (counted,)
    if task is not None:
        if task not in known:
            raise InputError(f'task is "{task}", expected one of {", ".join(known)}')
        return task
    if protocol is None:
        return RELATIONS
    found = [name for name, protocols in known.items() if protocol in protocols]
    if len(found) == 1:
        return found[0]
    names = ", ".join(name for protocols in known.values() for name in protocols)
    raise InputError(f'protocol is "{protocol}", expected one of {names}')


def protocols_of(task: str) -> tuple[str, ...]:
    """Return the names of the protocols that the function of a task counts itself.

    Examples
    --------
    >>> protocols_of("score"), protocols_of("qa")
    (('recess', 'cnc-2023', 'cnc-2022'), ('squad-1.1', 'fincausal-2025'))
    """
    hints = get_type_hints(resolve(tasks()[task].score))
    return tuple(name for name in _texts(hints.get("protocol")) if name not in OTHERWISE)


def _texts(hint: Any) -> Iterator[str]:
    """Yield the texts that a type allows."""
    for each in get_args(hint):
        if isinstance(each, str):
            yield each
        else:
            yield from _texts(each)


def score_of(task: str, gold: Any, pred: Any, options: Mapping[str, Any]) -> Report:
    """Score predictions by the public function of a task."""
    report: Report = resolve(tasks()[task].score)(gold, pred, **options)
    return report


def report_of_gold(task: str, gold: Any, options: Mapping[str, Any]) -> Report:
    """Score predictions that repeat gold; ValueError for an option that the task lacks."""
    known = tasks()[task]
    check_options(task, resolve(known.score), options)
    if task != RELATIONS:
        held, right = resolve(known.read)(gold, **options)
        return score_of(task, held, right, options)
    names = inspect.signature(Recipe.of).parameters
    recipe = Recipe.of(**{"protocol": "recess", **{n: v for n, v in options.items() if n in names}})
    side = read(gold, tags=GOLD_READING[recipe.protocol.tags])
    return score_of(task, side, side, {"protocol": replace(recipe, reads=Reads())})


def options_in(task: SharedTask, folder: Path) -> dict[str, Any]:
    """Return the options of a shared task, with the paths of their files."""
    return {
        name: str(folder / value) if name in task.files else value
        for name, value in task.options.items()
    }

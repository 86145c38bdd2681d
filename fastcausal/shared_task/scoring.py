"""The public function of a task, called with the options of a shared task."""

from __future__ import annotations

import inspect
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from fastcausal.counts.task import Task, declared, protocols_under, resolve
from fastcausal.errors import InputError
from fastcausal.files.values import require, shown
from fastcausal.formats import read_marked
from fastcausal.formats.cnc.rereading import GOLD_READING
from fastcausal.marking import FIELDS
from fastcausal.options import MarkingSettings, Policy
from fastcausal.recipe import Recipe
from fastcausal.report.report import Report
from fastcausal.sweeps.scoring import RELATIONS, check_options, sweepable_tasks
from fastcausal.tasks.classification.choices.protocols import Choosing

POLICIES = ("unparsed", "unmatched")  # for unread and for missing predictions


def tasks() -> dict[str, Task]:
    """Return the tasks that score predictions against gold, by the names of their functions."""
    relations = next(task for task in declared() if task.score.endswith(f":{RELATIONS}"))
    return {RELATIONS: relations, **sweepable_tasks()}


def task_of(protocol: str | None, task: str | None) -> str:
    """Return the name of a task; without a name, the task that has the protocol."""
    known = {name: protocols_of(name) for name in tasks()}
    if task is not None:
        if task not in known:
            raise InputError(f'task is "{task}", expected one of {", ".join(known)}')
        return task
    if protocol is None:
        return RELATIONS
    matches = [name for name, protocols in known.items() if protocol in protocols]
    if len(matches) == 1:
        return matches[0]
    names = ", ".join(name for protocols in known.values() for name in protocols)
    raise InputError(f'protocol is "{protocol}", expected one of {names}')


def protocols_of(task: str) -> tuple[str, ...]:
    """Return the names of the protocols that the function of a task counts itself.

    >>> protocols_of("score"), protocols_of("qa")
    (('recess', 'cnc-2023', 'cnc-2022', 'relations', 'depths'), ('squad-1.1', 'fincausal-2025'))
    """
    own = tasks()[task].protocols
    return (*own,) if task == RELATIONS else (*dict.fromkeys((*own, *protocols_under(task))),)


def policies_of(task: str, options: Mapping[str, Any]) -> dict[str, str]:
    """Return the policies of `POLICIES` that a task has, those of its protocol included.

    >>> policies_of("classify", {"protocol": "cladder-gpt"}), policies_of("eci", {})
    ({'unparsed': 'wrong', 'unmatched': 'skip'}, {})
    """
    taken = inspect.signature(resolve(tasks()[task].score)).parameters
    published = protocols_under(task).get(options.get("protocol", ""))
    settings = {} if published is None else published.settings
    own = Choosing if "answers" in {**options, **settings} else None
    return {
        name: options.get(name)
        or taken[name].default
        or settings.get(name, getattr(own, name, "error"))
        for name in POLICIES
        if name in taken
    }


def complete(task: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a judge: examples that a protocol leaves out count as wrong.

    >>> complete("classify", {"protocol": "corr2cause"})
    {'protocol': 'corr2cause', 'unmatched': 'wrong'}
    """
    policies = policies_of(task, options).items()
    skipped = [name for name, policy in policies if policy == "skip" and name not in options]
    return {**options, **dict.fromkeys(skipped, "wrong")}


def check_settings(
    task: str,
    options: Mapping[str, Any],  # as JSON has them
    files: Collection[str],  # options whose values are names of files of the task
) -> None:
    """Raise ValueError for a setting that the judge of a task cannot obey or must not."""
    if task not in tasks():
        raise InputError(f'"task" is {shown(task)}, expected one of {", ".join(tasks())}')
    function = resolve(tasks()[task].score)
    check_options(task, function, options)
    hints = get_type_hints(MarkingSettings) | get_type_hints(function)
    for name, value in options.items():
        require(value, _types(hints[name]), "options", name)
        for item in value if isinstance(value, list) else ():
            require(item, _types(hints[name], items=True), "options", name)
        if name not in files and _takes_files(hints[name]) and leads_away(str(value)):
            raise InputError(f"option {name} is {shown(value)}, expected a file beside the record")
    for name in files:
        if not isinstance(options.get(name), str) or not _takes_files(hints[name]):
            raise InputError(f'"files" has {shown(name)}, expected options with names of files')
    for name, policy in policies_of(task, options).items():
        if policy == "skip":
            raise InputError(
                f"option {name} is skip: a submission could leave out its wrong predictions, "
                "expected error, or wrong or empty as the task has it"
            )


def leads_away(name: str) -> bool:
    """Return True for a path or a URL: the name of a file in a folder has no separator.

    >>> [leads_away(name) for name in ("gold.csv", "../gold.csv", "http://host", "")]
    [False, True, True, True]
    """
    return name in ("", ".", "..") or not {*"/\\:\0"}.isdisjoint(name)


def _types(hint: Any, *, items: bool = False) -> tuple[type, ...]:
    """Return the types of JSON that a type allows, or those of its lists' items."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return tuple(dict.fromkeys(t for each in inner for t in _types(each, items=items)))
    if origin in (Sequence, Iterable):
        return _types(inner[0]) if items else (list,)
    if items:
        return ()
    if origin is get_origin(Policy):
        return tuple(dict.fromkeys(type(each) for each in inner))
    if hint is Any or origin is os.PathLike:
        return (str, NoneType)
    return (float, int) if hint is float else (hint,) if hint in (str, bool, int, NoneType) else ()


def _takes_files(hint: Any) -> bool:
    """Return True for an argument that may be a path."""
    return hint is Any or any(get_origin(each) is os.PathLike for each in get_args(hint))


def score_of(task: str, gold: Any, pred: Any, options: Mapping[str, Any]) -> Report:
    """Score predictions by the public function of a task."""
    report: Report = resolve(tasks()[task].score)(gold, pred, **options)
    return report


def report_of_gold(task: str, gold: Any, options: Mapping[str, Any]) -> Report:
    """Score predictions that repeat gold; ValueError for an option that the task lacks."""
    known = tasks()[task]
    check_options(task, resolve(known.score), options)
    if task != RELATIONS:
        gold_read, right = resolve(known.read)(gold, **options)
        return score_of(task, gold_read, right, options)
    names = {*inspect.signature(Recipe.make).parameters, *FIELDS}
    recipe = Recipe.make(
        **{"protocol": "recess", **{n: v for n, v in options.items() if n in names}}
    )
    side = read_marked(gold, tags=GOLD_READING[recipe.protocol.tags], **recipe.of_gold)
    return score_of(task, side, side, {"protocol": recipe.of_relations()})

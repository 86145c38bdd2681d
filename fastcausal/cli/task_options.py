"""The options ``--task`` and ``--set NAME=VALUE``: a task, and arguments of its function."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import click

from fastcausal.cli.parameters import Option
from fastcausal.counts.task import protocols_under, resolve

TaskOption = Annotated[
    str,
    Option(
        "--task",
        help="Score by this command: classify, eci, fincausal, qa, or relations by score.",
        names=lambda: ("score", *resolve("fastcausal.sweeps.scoring:sweepable_tasks")()),
    ),
]
SetOption = Annotated[
    list[str] | None,
    Option(
        "--set",
        metavar="NAME=VALUE",
        help="Set an option of another task, such as candidates=listed; once for each value.",
    ),
]


def task_under(protocol: str, task: str) -> tuple[str, str]:
    """Return the task that counts a protocol, and the protocol for relations.

    If another task counts the protocol, the protocol for relations is the default.
    """
    from fastcausal.sweeps.scoring import sweepable_tasks

    published = protocols_under("score").get(protocol)
    name = "" if published is None else published.score.partition(":")[2]
    return (name, "recess") if task == "score" and name in sweepable_tasks() else (task, protocol)


def task_options(task: str, settings: list[str]) -> dict[str, Any]:
    """Read ``NAME=VALUE`` as values of the types that the function of a task takes."""
    from fastcausal.sweeps.scoring import sweepable_tasks

    given: dict[str, list[str]] = {}
    for setting in settings:
        name, is_set, value = setting.partition("=")
        if not is_set:
            raise click.BadParameter(f'"{setting}", expected NAME=VALUE', param_hint="--set")
        given.setdefault(name, []).append(value)
    tasks = sweepable_tasks()
    hints = get_type_hints(resolve(tasks[task].score)) if given and task in tasks else {}
    return {name: _values(name, texts, hints.get(name, str)) for name, texts in given.items()}


def _values(name: str, texts: list[str], hint: Any) -> Any:
    """Return the value of an option: of texts, or of one text."""
    kinds = [hint] if get_origin(hint) not in (Union, UnionType) else [*get_args(hint)]
    items = [get_args(kind) for kind in kinds if get_origin(kind) in (Iterable, Sequence)]
    if items:
        [inner] = items[0]
        return [_values(name, [text], inner) for text in texts]
    if len(texts) > 1:
        raise click.BadParameter(f"{name} is set {len(texts)} times", param_hint="--set")
    [text] = texts
    if bool in kinds:
        if text not in ("true", "false"):
            raise click.BadParameter(
                f'{name} is "{text}", expected true or false', param_hint="--set"
            )
        return text == "true"
    if NoneType in kinds and text == "null":
        return None
    for number in (int, float):
        if number in kinds:
            with suppress(ValueError):
                return number(text)
    if float in kinds:
        raise click.BadParameter(f'{name} is "{text}", expected a number', param_hint="--set")
    return text

"""The options ``--task`` and ``--set NAME=VALUE``: a task, and arguments of its function."""

from __future__ import annotations

from typing import Annotated, Any

import click

from fastcausal.cli.described import ValueKind, describe
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
    taken = describe(tasks[task].score).parameters if given and task in tasks else {}
    kinds = {name: taken[name].kind if name in taken else ValueKind((str,)) for name in given}
    return {name: kinds[name].parse(texts, name, "--set") for name, texts in given.items()}

"""The loop of every program here: a case a line in, an answer a line out."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

Case = dict[str, Any]
Values = dict[str, Any]
Task = Callable[[Case], Values]
ROLES = ("cause", "effect", "signal")


class UnknownError(Exception):
    """A rule that the program does not have."""


class RefusedError(Exception):
    """Input that the program refuses."""


def answer_lines(tasks: Mapping[str, Task], partial: bool = False) -> None:
    """Answer the cases on standard input; a task that is not among these is unknown.

    Parameters
    ----------
    tasks : mapping of str to function
        Function of each task, from a case to values by name.
    partial : bool
        The values may be some of those that are expected.
    """
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line), tasks, partial)), flush=True)


def answer(case: Case, tasks: Mapping[str, Task], partial: bool = False) -> Values:
    """Answer one case."""
    said: Values = {"id": case["id"]}
    try:
        if case["task"] not in tasks:
            raise UnknownError(f"no task {case['task']}")
        said["values"] = {name: plain(v) for name, v in tasks[case["task"]](case).items()}
        if partial:
            said["partial"] = True
    except UnknownError as error:
        said["unknown"] = str(error)
    except RefusedError as error:
        said["refused"] = str(error)
    return said


def plain(value: Any) -> Any:
    """Return a value as JSON has it: undefined is null, a fraction is a text."""
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "item"):  # a number of NumPy
        value = value.item()
    return None if value != value else value


def flat(scores: Mapping[str, Any], before: str = "") -> Values:
    """Return nested scores by dotted names."""
    values: Values = {}
    for name, value in scores.items():
        if isinstance(value, Mapping):
            values |= flat(value, f"{before}{name}.")
        else:
            values[before + name] = value
    return values


def ratio(top: Any, bottom: Any, undefined: Any = None) -> Any:
    """Return a fraction, or the value of 0/0."""
    return Fraction(top) / Fraction(bottom) if bottom else undefined


def mean(values: Iterable[Any]) -> Any:
    """Return the mean of the values that are not None, None of none."""
    known = [value for value in values if value is not None]
    return sum(known, Fraction(0)) / len(known) if known else None


# ----------------------------------------------------------------- forms of relations and spans


def spans_of(relation: Mapping[str, Any] | None) -> list[tuple[int, int, int]]:
    """Return the spans of a relation as (role, start, stop), in order of start, stop and role."""
    spans = [
        (ROLES.index(role), start, stop)
        for role, of_role in (relation or {}).items()
        for start, stop in of_role
    ]
    return sorted(spans, key=lambda span: (*span[1:], span[0]))


def tags_of(relation: Mapping[str, Any] | None, length: int, roles: Iterable[str]) -> list[str]:
    """Return a relation as IOB2 tags of some roles; spans that overlap are unknown."""
    tags = ["O"] * length
    wanted = [ROLES.index(role) for role in roles]
    spans = [span for span in spans_of(relation) if span[0] in wanted]
    if any(a[2] > b[1] for a, b in pairwise(spans)):
        raise UnknownError("tags hold no spans that overlap")
    for role, start, stop in spans:
        tags[start:stop] = [f"B-{ROLES[role]}", *[f"I-{ROLES[role]}"] * (stop - start - 1)]
    return tags


def tagged_text(relation: Mapping[str, Any] | None, length: int) -> str | None:
    """Return a sentence w0 w1 ... with the tags of a relation; None if tags cannot hold it."""
    opened: list[str] = [""] * length
    closed: list[str] = [""] * length
    last = [0, 0]  # ends of the last cause and of the last effect
    n_signals = 0
    for role, start, stop in sorted(spans_of(relation)):
        name = f"SIG{n_signals}"
        if role < 2:
            if start < last[role]:
                return None
            name, last[role] = f"ARG{role}", stop
        n_signals += role == 2
        opened[start] += f"<{name}>"
        closed[stop - 1] = f"</{name}>{closed[stop - 1]}"
    return " ".join(f"{opened[k]}w{k}{closed[k]}" for k in range(length))

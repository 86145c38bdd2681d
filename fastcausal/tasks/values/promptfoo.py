"""Results of promptfoo: a row for each test, provider, prompt and repeat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastcausal.errors import InputError, Problems
from fastcausal.files.files import Source
from fastcausal.files.values import follow_path, shown
from fastcausal.tasks.values.answers import ValueAnswers
from fastcausal.tasks.values.exports import ExportedAnswer, answers_of, number_repeats
from fastcausal.tasks.values.logs import require, require_objects
from fastcausal.tasks.values.reading import ValueReading

MAIN = "success"
PLACE = ("testIdx", "promptIdx")
CRASHED = 2  # a ``failureReason``: the provider failed, and no assertion was tried


def holds(first: Mapping[str, Any]) -> bool:
    """Return True for the document of an evaluation, and for a row of its JSON lines."""
    rows = follow_path(first, "results.results")
    return isinstance(rows, list) or {"promptIdx", "testIdx", "vars"} <= first.keys()


def read(file: Source, first: Mapping[str, Any], reading: ValueReading) -> list[ValueAnswers]:
    """Return the answers of each provider and prompt."""
    rows = _rows(file, first)
    places = [_place(row) for row in rows]
    names = _name_systems([row for _, row in rows])
    order = sorted(range(len(rows)), key=places.__getitem__)
    # A repeat is another test with the same case: cases are numbered by their first test.
    numbers = number_repeats((names[k], _case(rows[k][1])) for k in order)
    answers = [
        _answer(*rows[k], names[k], item, repeat)
        for k, (item, repeat) in zip(order, numbers, strict=True)
    ]
    return answers_of(file.name, {"format": "promptfoo"}, answers, reading, MAIN)


def _rows(file: Source, first: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the rows with their places."""
    listed = follow_path(first, "results.results")
    if isinstance(listed, list):
        rows = require_objects(listed, f"{file.name}: results.results")
    else:
        problems = Problems()
        rows = [(f"{file.name}:{line}", row) for line, row in file.objects(problems)]
        problems.raise_if_any()
    if not rows:
        raise InputError(f"{file.name}: an evaluation of promptfoo without results")
    return rows


def _place(row: tuple[str, Mapping[str, Any]]) -> list[int]:
    """Return the test of a row and its prompt, which is a column of the results."""
    where, held = row
    for key in PLACE:
        if not isinstance(held.get(key), int):
            raise InputError(f'{where}: "{key}" is {shown(held.get(key))}, expected an integer')
    return [held[key] for key in PLACE]


def _case(row: Mapping[str, Any]) -> Any:
    """Return what makes a test case: variables and assertions."""
    case = row.get("testCase")
    held = case if isinstance(case, Mapping) else {}
    return [held.get("vars", row.get("vars")), held.get("description"), held.get("assert")]


def _name_systems(rows: list[Mapping[str, Any]]) -> list[str]:
    """Name the provider of each row, with the number of its prompt if it has several."""
    providers = [_name_provider(row.get("provider")) for row in rows]
    pairs = {(p, row["promptIdx"]) for p, row in zip(providers, rows, strict=True)}
    prompts: dict[str, list[int]] = {}
    for provider, prompt in sorted(pairs):
        prompts.setdefault(provider, []).append(prompt)
    return [
        provider
        if len(own := prompts[provider]) == 1
        else f"{provider} prompt {own.index(row['promptIdx']) + 1}"
        for provider, row in zip(providers, rows, strict=True)
    ]


def _name_provider(provider: Any) -> str:
    if isinstance(provider, Mapping):
        provider = provider.get("label") or provider.get("id")
    return str(provider or "provider")


def _answer(
    where: str, row: Mapping[str, Any], system: str, item: int, repeat: int
) -> ExportedAnswer:
    graded = row.get("gradingResult")
    reason = row.get("failureReason")
    crashed = reason == CRASHED or (reason is None and graded is None and bool(row.get("error")))
    scores: dict[str, Any] = {}
    if not crashed:
        named = require(row.get("namedScores") or {}, f"{where}: namedScores")
        scores = {MAIN: row.get("success"), "score": row.get("score"), **named}
    return ExportedAnswer(
        where, item, scores, row, row.get("vars"), repeat, system, crashed,
        _texts(row), _case(row),
    )  # fmt: skip


def _texts(row: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    output = follow_path(row, "response.output")
    return follow_path(row, "prompt.raw"), None, row.get("error") if output is None else output

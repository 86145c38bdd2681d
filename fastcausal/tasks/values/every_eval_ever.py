"""Records of Every Eval Ever: aggregate JSON, and JSON lines of instances."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastcausal.errors import InputError, Problems
from fastcausal.files.files import Source
from fastcausal.files.values import follow_path
from fastcausal.tasks.values.answers import ValueAnswers
from fastcausal.tasks.values.exports import ExportedAnswer, answers_of
from fastcausal.tasks.values.logs import require, require_objects
from fastcausal.tasks.values.reading import ValueReading

FORMAT = "every-eval-ever"
SAMPLES = "_samples.jsonl"
SCORE = "score"


def holds(first: Mapping[str, Any]) -> bool:
    """Return True for an aggregate record, and for a line of instances."""
    has = first.keys()
    return {"evaluation_id", "model_info", "evaluation_results"} <= has or (
        {"evaluation_id", "model_id", "sample_id", "evaluation"} <= has
    )


def read(file: Source, first: Mapping[str, Any], reading: ValueReading) -> list[ValueAnswers]:
    """Return the answers of each model; an aggregate record has a value for each evaluation."""
    if "evaluation_results" in first:
        return _read_results(file, first, reading)
    problems = Problems()
    rows = [(f"{file.name}:{line}", row) for line, row in file.objects(problems)]
    problems.raise_if_any()
    tasks, by_metric = _list_tasks([row for _, row in rows])
    answers = [_instance(where, row, by_metric, len(tasks) > 1) for where, row in rows]
    lower = {_metric(result) if by_metric else SCORE for result in _read_beside(file)}
    about = {"format": FORMAT, "task": "+".join(tasks)}
    return answers_of(file.name, about, answers, reading, lower=lower)


def _list_tasks(rows: list[Mapping[str, Any]]) -> tuple[list[str], bool]:
    """Return the names of evaluations, and True if one of them has several metrics."""
    # Several evaluations of one metric make one score, of each evaluation and instance.
    tasks: dict[str, set[str]] = {}
    for row in rows:
        tasks.setdefault(str(row.get("evaluation_name")), set()).add(_metric(row))
    return sorted(tasks), any(len(metrics) > 1 for metrics in tasks.values())


def _metric(row: Mapping[str, Any]) -> str:
    return str(row.get("evaluation_result_id") or row.get("evaluation_name"))


def _instance(where: str, row: Mapping[str, Any], by_metric: bool, by_task: bool) -> ExportedAnswer:
    task, id = row.get("evaluation_name"), row.get("sample_id")
    score = _metric(row) if by_metric else SCORE
    return ExportedAnswer(
        where,
        f"{task}/{id}" if by_task else id,
        {score: follow_path(row, "evaluation.score")},
        row,
        row.get("metadata"),
        follow_path(row, "metadata.epoch"),
        _name(row.get("model_id")),
        bool(row.get("error")),
        (
            follow_path(row, "input.raw"),
            follow_path(row, "input.reference"),
            follow_path(row, "output.raw"),
        ),
        row.get("sample_hash") or row.get("input"),
    )


def _read_results(
    file: Source, first: Mapping[str, Any], reading: ValueReading
) -> list[ValueAnswers]:
    """Return a value for each evaluation, or for each of its metrics."""
    results = _results_in(first, file.name)
    if not results:
        raise InputError(f"{file.name}: no evaluation_results")
    _, by_metric = _list_tasks(results)
    lower = {_metric(result) if by_metric else SCORE for result in results if _is_lower(result)}
    if lower == {SCORE} and not all(map(_is_lower, results)):
        raise InputError(
            f"{file.name}: lower is better in some evaluations, higher in others: no mean of them"
        )
    system = _name(follow_path(first, "model_info.id"))
    answers = (
        ExportedAnswer(
            f"{file.name}: evaluation_results[{k}]",
            result.get("evaluation_name") if by_metric else _metric(result),
            {_metric(result) if by_metric else SCORE: follow_path(result, "score_details.score")},
            result,
            system=system,
        )
        for k, result in enumerate(results)
    )
    return answers_of(file.name, {"format": FORMAT}, answers, reading, lower=lower)


def _results_in(record: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    listed = require_objects(record.get("evaluation_results"), f"{name}: evaluation_results")
    return [result for _, result in listed]


def _is_lower(result: Mapping[str, Any]) -> bool:
    return follow_path(result, "metric_config.lower_is_better") is True


def _read_beside(file: Source) -> list[Mapping[str, Any]]:
    """Return the results of the record beside a file of instances in which lower is better."""
    if not file.name.endswith(SAMPLES):
        return []
    path = Path(file.name.removesuffix(SAMPLES) + ".json")
    if not path.is_file():
        return []
    try:
        record = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: a record that cannot be read: {error}") from error
    results = _results_in(require(record, str(path)), str(path))
    return [result for result in results if _is_lower(result)]


def _name(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None

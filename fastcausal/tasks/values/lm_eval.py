"""Samples of EleutherAI's lm-evaluation-harness: a row for each document and filter."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fastcausal.arrays.arrow import strings
from fastcausal.errors import InputError, Problems
from fastcausal.files.files import Source
from fastcausal.files.values import follow_path, pause_gc, shown, write_cell
from fastcausal.formats.logs.replies import is_sample, reply_of
from fastcausal.significance.sums import Float64
from fastcausal.tasks.values.answers import Text, ValueAnswers, flags_of, is_flags
from fastcausal.tasks.values.logs import (
    chosen,
    digest_of,
    find_labels,
    require_objects,
    score_number,
    text_id,
    write_text,
)
from fastcausal.tasks.values.reading import ValueReading

OWN = {
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
    "doc_hash", "prompt_hash", "target_hash",
}  # fmt: skip
SAMPLES = "samples_*.jsonl"
NO_FILTER = "none"
PLACEHOLDER = "bypass"
_OF_LABELS = re.compile(r"(?:.*_)?(?:mcc|f1)")  # of a corpus: a document has two labels
_FLAGS = "{0} is lists of booleans, numerator and denominator by themselves: --score {0},{1}"
_NAME = re.compile(r"samples_(?P<task>.+?)_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl")
Row = tuple[str, Mapping[str, Any]]


def holds(first: Mapping[str, Any]) -> bool:
    """Return True for results with the samples of each task, as `simple_evaluate` returns them."""
    listed = first.get("samples")
    lists = [*listed.values()] if isinstance(listed, Mapping) else []
    return any(isinstance(rows, list) and rows and is_sample(rows[0]) for rows in lists)


def holds_results(first: Mapping[str, Any]) -> bool:
    """Return True for results without samples."""
    return {"results", "configs", "versions"} <= first.keys() and not holds(first)


def refuse_results(
    file: Source, first: Mapping[str, Any], reading: ValueReading
) -> list[ValueAnswers]:
    """Raise InputError: results are means, and hold no samples."""
    raise InputError(
        f"{file.name}: results of lm-eval without samples, expected {SAMPLES} of --log_samples"
    )


@pause_gc()
def read_files(files: Sequence[Source], reading: ValueReading) -> ValueAnswers:
    """Return the answers in the samples of one run: a file of one task, or files of a group."""
    rows: list[Row] = []
    tasks = {file.name: task_of(file.name) for file in files}
    for file in files:
        problems = Problems()
        held = [(f"{file.name}:{line}", row) for line, row in file.objects(problems)]
        problems.raise_if_any()
        rows += _rows_of_task(held, tasks[file.name] if len(files) > 1 else None)
    name = files[0].name if len(files) == 1 else str(Path(files[0].name).parent)
    better = [_directions(_results(file), tasks[file.name]) for file in files]
    return _answers(name, [*tasks.values()], rows, better, _system(files), reading)


def read_results(
    file: Source, first: Mapping[str, Any], reading: ValueReading
) -> list[ValueAnswers]:
    """Return the answers in results with samples."""
    rows: list[Row] = []
    tasks = first["samples"]
    for task, listed in tasks.items():
        held = require_objects(listed, f"{file.name}: samples.{task}")
        rows += _rows_of_task(held, task if len(tasks) > 1 else None)
    better = [_directions(first, task) for task in tasks]
    system = first.get("model_name")
    system = system if isinstance(system, str) else None
    return [_answers(file.name, [*tasks], rows, better, system, reading)]


def _rows_of_task(rows: Sequence[Row], task: str | None) -> Iterator[Row]:
    """Yield the rows of a task with their ids, and with names of filters where they lack them."""
    # Before 0.4.6 rows of several filters were told by their order alone: 1, 2 and so on.
    seen: Counter[str] = Counter()
    ids = [text_id(row.get("doc_id"), where) for where, row in rows]
    unnamed = not any("filter" in row for _, row in rows) and len({*ids}) < len(ids)
    for (where, row), id in zip(rows, ids, strict=True):
        seen[id] += 1
        named = {"filter": str(seen[id])} if unnamed else {}
        yield where, {**row, **named, "": id if task is None else f"{task}/{id}", "task": task}


def task_of(name: str) -> str:
    """Return the task in the name of a file of samples.

    >>> task_of("out/gpt2/samples_arc_easy_2026-01-02T03-04-05.678.jsonl")
    'arc_easy'
    """
    match = _NAME.fullmatch(Path(name).name)
    return match["task"] if match else Path(name).stem


def _answers(
    name: str,
    tasks: Sequence[str],
    rows: list[Row],
    better: Sequence[Mapping[str, Any]],  # of each task: whether higher is better, by metric
    system: str | None,
    reading: ValueReading,
) -> ValueAnswers:
    reading.refuse(name, "a file of samples", "scorer", "id", "epoch")
    selected = _chosen(name, rows, reading)
    filters = [filter for _, filter in selected.values()]
    places: dict[str, int] = {}
    kept: list[Row] = []
    for where, row in rows:
        if row.get("filter", NO_FILTER) in filters and row[""] not in places:
            places[row[""]] = len(kept)
            kept.append((where, row))
    scores = {score: _values(rows, places, *parts) for score, parts in selected.items()}
    prompts = digest_of(sorted(str(row.get("prompt_hash")) for _, row in kept))
    about = {"format": "lm-eval", "prompts": prompts, "task": "+".join(sorted(tasks))}
    return ValueAnswers(
        name,
        strings([row[""] for _, row in kept]),
        _paired(name, scores, reading),
        lambda k: kept[k][0],
        contents=strings([_content(row) for _, row in kept]),
        columns={
            key: strings([write_cell(_place(row, key)) for _, row in kept])
            for key in reading.kept_columns
        }
        | find_labels([row.get("doc") for _, row in kept], reading),
        about=about,
        lower=tuple(
            score
            for score in scores
            if any(each.get(score.rpartition(",")[0]) is False for each in better)
        ),
        system=system,
        texts=partial(_texts, [row for _, row in kept]),
    )


def _texts(rows: list[Mapping[str, Any]], examples: Container[str]) -> Iterator[Text]:
    """Yield the texts of documents: a prompt, and a reply or the options with their scores."""
    for row in rows:
        if row[""] in examples:
            given = row.get("arguments")
            given = [*given.values()] if isinstance(given, Mapping) else given
            requests = [
                [*each.values()] if isinstance(each, Mapping) else each
                for each in (given if isinstance(given, list) else [])
            ]
            prompts = [each[0] for each in requests if isinstance(each, list) and each]
            prompt = prompts[0] if prompts else row.get("doc")
            texts = map(write_text, (prompt, row.get("target"), _reply(row, requests)))
            yield Text(row[""], None, *texts)


def _reply(row: Mapping[str, Any], requests: Sequence[Any]) -> Any:
    """Return the reply to one request; of several, each option with its scores."""
    options = [each[-1] for each in requests if isinstance(each, list) and len(each) > 1]
    replies = row.get("filtered_resps") or row.get("resps")
    if len(options) < 2 or not isinstance(replies, list) or len(replies) != len(options):
        return reply_of(row, Counter())
    pairs = zip(options, replies, strict=True)
    return [f"{write_text(option)}: {write_text(reply)}" for option, reply in pairs]


def _system(files: Sequence[Source]) -> str | None:
    """Return the folder's name as the run's name, if the samples have the harness's file names."""
    path = Path(files[0].name)
    return path.parent.name or None if _NAME.fullmatch(path.name) else None


def _content(row: Mapping[str, Any]) -> str:
    digest = row.get("doc_hash")
    return digest if isinstance(digest, str) else digest_of(row.get("doc"), row.get("target"))


def _place(row: Mapping[str, Any], key: str) -> Any:
    """Return a key of the document, or a column of the row: ``subject``, ``doc.subject``."""
    value = follow_path(row.get("doc"), key.removeprefix("doc."))
    return follow_path(row, key) if value is None else value


def _chosen(name: str, rows: list[Row], reading: ValueReading) -> dict[str, tuple[str, str]]:
    """Return the path and the filter of each requested score."""
    known: dict[str, tuple[str, str]] = {}
    filters: dict[str, None] = {}
    for _, row in rows:
        filter = str(row.get("filter", NO_FILTER))
        filters[filter] = None
        metrics = row.get("metrics")
        columns = metrics if isinstance(metrics, list) else [k for k in row if k not in OWN]
        for metric in columns:
            if metric not in ("", "task"):
                known.setdefault(f"{metric},{filter}", (str(metric), filter))

    def is_asked(score: str) -> bool:
        metric, filter = known[score]
        return reading.metric in (None, metric) and reading.filter in (None, filter)

    if reading.is_ratio or reading.value is not None:
        paths = (
            [reading.value]
            if reading.value
            else [reading.numerator or "", reading.denominator or ""]
        )
        filter = _filter(name, filters, reading)
        return {f"{path},{filter}": (path, filter) for path in paths}
    return {score: known[score] for score in chosen(name, known, reading, is_asked)}


def _filter(name: str, filters: Mapping[str, None], reading: ValueReading) -> str:
    wanted = reading.filter or (reading.scores[0].rpartition(",")[2] if reading.scores else None)
    if wanted is None and len(filters) == 1:
        return next(iter(filters))
    if wanted not in filters:
        raise InputError(
            f"{name}: {len(filters)} filters, name one with --filter: {', '.join(filters)}"
        )
    assert wanted is not None
    return wanted


def _values(
    rows: list[Row], places: Mapping[str, int], path: str, filter: str
) -> tuple[Float64, Float64 | None]:
    """Return a score of each document, NaN if missing, and denominators for lists of booleans."""
    metric = re.sub(r"\.\d+$", "", path)
    cells: list[Any] = [None] * len(places)
    seen_at = [""] * len(places)
    for where, row in rows:
        if row.get("filter", NO_FILTER) == filter:
            k = places[row[""]]
            if seen_at[k]:
                raise InputError(f'{where}: id "{row[""]}" occurs twice with filter {filter}')
            seen_at[k], cells[k] = where, follow_path(row, path)
            if problem := _no_number(
                metric, filter, follow_path(row, metric), is_part=metric != path
            ):
                raise InputError(f"{where}: {problem}")
    if (flags := flags_of(cells)) is not None:
        return flags
    numbers = [
        score_number(cell, where, id, path)
        for cell, where, id in zip(cells, seen_at, places, strict=True)
    ]
    return np.array(numbers, np.float64), None


def _no_number(metric: str, filter: str, value: Any, is_part: bool) -> str | None:
    """Tell why a metric, or a part of it, is no number of a document; None for other metrics."""
    if metric == PLACEHOLDER:
        return (
            f"{metric} is the placeholder {shown(value)} of --predict_only, no score: "
            "fastcausal score GOLD FILE scores the replies"
        )
    if isinstance(value, list) and len(value) == 2 and _OF_LABELS.fullmatch(metric):
        return (
            f"{metric} is {shown(value)}, the labels of gold and prediction: write them as label "
            "of two files for fastcausal classify GOLD PRED"
        )
    return _FLAGS.format(metric, filter) if is_part and is_flags(value) else None


def _paired(
    name: str, scores: Mapping[str, tuple[Float64, Float64 | None]], reading: ValueReading
) -> Mapping[str, tuple[Float64, Float64 | None]]:
    if not reading.is_ratio:
        return scores
    (top, (a, of_a)), (_, (b, of_b)) = scores.items()
    if of_a is not None or of_b is not None:
        metric, _, filter = top.rpartition(",")
        raise InputError(f"{name}: {_FLAGS.format(metric, filter)}")
    return {reading.scores[0] if reading.scores else _ratio_name(reading, top): (a, b)}


def _ratio_name(reading: ValueReading, top: str) -> str:
    return f"{reading.numerator}/{reading.denominator},{top.rpartition(',')[2]}"


def _directions(results: Any, task: str) -> Mapping[str, Any]:
    """Return whether higher is better in results, by metric of a task."""
    better = follow_path(results, "higher_is_better")
    own = better.get(task) if isinstance(better, Mapping) else None
    return own if isinstance(own, Mapping) else {}


def _results(file: Source) -> Any:
    match = _NAME.fullmatch(Path(file.name).name)
    if match is None:
        return None
    path = Path(file.name).with_name(f"results_{match['date']}.json")
    if not path.is_file():
        return None
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: results that cannot be read: {error}") from error

"""Runs of HELM: statistics of each instance, trial and perturbation."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fastcausal.errors import InputError, Problems
from fastcausal.files.files import Source
from fastcausal.files.values import follow_path
from fastcausal.tasks.values.answers import ValueAnswers
from fastcausal.tasks.values.exports import ExportedAnswer, answers_of
from fastcausal.tasks.values.logs import require, require_objects
from fastcausal.tasks.values.reading import ValueReading

STATS, SPEC = "per_instance_stats.json", "run_spec.json"


def holds(first: Mapping[str, Any]) -> bool:
    """Return True for a row of ``per_instance_stats.json`` or ``display_predictions.json``."""
    return {"instance_id", "train_trial_index", "stats"} <= first.keys()


def read(file: Source, first: Mapping[str, Any], reading: ValueReading) -> list[ValueAnswers]:
    """Return the answers of a run, whose model and scenario stand in the file beside it."""
    spec = _read_spec(file)
    about = {"format": "helm"}
    if isinstance(name := spec.get("name"), str):
        about["task"] = name.partition(":model=")[0].partition(",model=")[0]
    model = follow_path(spec, "adapter_spec.model")
    system = model if isinstance(model, str) else None
    return answers_of(file.name, about, _list_answers(file, system), reading)


def _list_answers(file: Source, system: str | None) -> Iterator[ExportedAnswer]:
    problems = Problems()
    rows = [(f"{file.name}:{line}", row) for line, row in file.objects(problems)]
    problems.raise_if_any()
    stats = [[*_list_stats(row.get("stats"), where)] for where, row in rows]
    # Splits are never pooled: HELM's own means are of one.
    several = len({split for each in stats for _, split, _ in each}) > 1
    for (where, row), each in zip(rows, stats, strict=True):
        perturbation = row.get("perturbation")
        kind = perturbation.get("name") if isinstance(perturbation, Mapping) else None
        id = row.get("instance_id")
        # An instance and its perturbed copies share an id, which becomes their cluster.
        yield ExportedAnswer(
            where, id if kind is None else f"{id} {kind}",
            {f"{name},{split}" if several else name: value for name, split, value in each},
            row, {"perturbation": kind or "none"}, row.get("train_trial_index"), system,
            texts=(None, None, row.get("predicted_text")),
        )  # fmt: skip


def _list_stats(stats: Any, where: str) -> Iterator[tuple[str, str, Any]]:
    """Yield names, splits and values; a statistic of no values is missing."""
    if isinstance(stats, Mapping):
        yield from ((name, "", value) for name, value in stats.items())
        return
    for place, stat in require_objects(stats, f"{where}: stats"):
        name = follow_path(stat, "name.name")
        if not isinstance(name, str):
            raise InputError(f"{place}: a statistic without a name")
        yield name, str(follow_path(stat, "name.split") or ""), stat.get("mean")


def _read_spec(file: Source) -> Mapping[str, Any]:
    path = Path(file.name).with_name(SPEC)
    if not path.is_file():
        return {}
    try:
        spec = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: a specification that cannot be read: {error}") from error
    return require(spec, str(path))

"""Test runs of DeepEval: a test case with the data of its metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastcausal.errors import InputError
from fastcausal.files.files import Source
from fastcausal.files.values import follow_path
from fastcausal.tasks.values.answers import ValueAnswers
from fastcausal.tasks.values.exports import ExportedAnswer, answers_of, number_repeats
from fastcausal.tasks.values.logs import require_objects
from fastcausal.tasks.values.reading import ValueReading

CASES = ("testCases", "conversationalTestCases")
LATEST = "testRunData"
MAIN = "success"
_ITEM = ("name", "input", "expectedOutput", "scenario", "expectedOutcome")


def holds(first: Mapping[str, Any]) -> bool:
    """Return True for a test run, as in results or in the folder ``.deepeval``."""
    run = first.get(LATEST, first)
    return isinstance(run, Mapping) and CASES[0] in run and "metricsScores" in run


def read(file: Source, first: Mapping[str, Any], reading: ValueReading) -> list[ValueAnswers]:
    """Return the answers of a run."""
    first = first.get(LATEST, first)
    cases = [
        case
        for key in CASES
        for case in require_objects(first.get(key) or [], f"{file.name}: {key}")
    ]
    system = follow_path(first, "hyperparameters.model") or first.get("identifier")
    name = system if isinstance(system, str) else None
    numbers = number_repeats((None, [case.get(key) for key in _ITEM]) for _, case in cases)
    names = {item: case.get("name") for (item, _), (_, case) in zip(numbers, cases, strict=True)}
    # Names are ids where each is of one item.
    if None in names.values() or len(set(map(str, names.values()))) < len(names):
        names = {item: item for item in names}
    answers = [
        ExportedAnswer(
            where, names[item], _scores(where, case), case, case.get("metadata"), repeat, name,
            texts=(case.get("input"), case.get("expectedOutput"), case.get("actualOutput")),
            content=[case.get(key) for key in _ITEM],
        )
        for (item, repeat), (where, case) in zip(numbers, cases, strict=True)
    ]  # fmt: skip
    return answers_of(file.name, {"format": "deepeval"}, answers, reading, MAIN)


def _scores(where: str, case: Mapping[str, Any]) -> dict[str, Any]:
    scores = {MAIN: case.get("success")}
    for _, data in require_objects(case.get("metricsData") or [], f"{where}: metricsData"):
        name = str(data.get("name"))
        if name in scores:
            raise InputError(f'{where}: metric "{name}" occurs twice, expected names to differ')
        scores[name] = data.get("score")
    return scores

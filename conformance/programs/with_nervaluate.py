"""Answers of nervaluate: the schemes strict, exact, partial and type."""

from __future__ import annotations

from typing import Any

from answering import ROLES, Case, UnknownError, Values, answer_lines, spans_of
from nervaluate import Evaluator

FIELDS = ("correct", "incorrect", "partial", "missed", "spurious")
SHORT = ("cor", "inc", "par", "mis", "spu")
NAMES = ("precision", "recall", "f1")


def score(case: Case) -> Values:
    settings = case["protocol"]
    if not isinstance(settings, dict) or settings.get("kernel") != "partial_spans":
        raise UnknownError("no counts of other kernels")
    documents: dict[str, list[Any]] = {"gold": [], "pred": []}
    for example in case["examples"]:
        for side, found in documents.items():
            if len(example[side]) > 1:
                raise UnknownError("one list of spans a sentence")
            spans = spans_of(example[side][0]) if example[side] else []
            found.append(
                [{"label": ROLES[r], "start": start, "end": stop - 1} for r, start, stop in spans]
            )
    evaluator = Evaluator(documents["gold"], documents["pred"], tags=[*ROLES], loader="dict")
    values: Values = {}
    for scheme, result in evaluator.evaluate()["overall"].items():
        before = f"overall.{'type' if scheme == 'ent_type' else scheme}_"
        values |= {before + s: getattr(result, f) for s, f in zip(SHORT, FIELDS, strict=True)}
        values |= {before + name: getattr(result, name) for name in NAMES}
    return values


if __name__ == "__main__":
    answer_lines({"score": score}, partial=True)

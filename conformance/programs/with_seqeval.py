"""Answers of seqeval in its strict mode, by IOB2."""

from __future__ import annotations

import warnings
from typing import Any

from answering import ROLES, Case, UnknownError, Values, answer_lines, flat, tags_of
from seqeval.metrics.v1 import precision_recall_fscore_support as strict_scores
from seqeval.scheme import IOB2

NAMES = ("precision", "recall", "f1")
TRACKS = (ROLES[:2], ROLES[2:])


def score(case: Case) -> Values:
    settings = case["protocol"]
    name = settings["name"] if isinstance(settings, dict) else settings
    if name not in ("exact", "recess"):
        raise UnknownError(f"no protocol {name}")
    sequences: dict[str, list[Any]] = {"gold": [], "pred": []}
    for example in case["examples"]:
        for side, found in sequences.items():
            relations = example.get(side)
            if relations is None or None in relations or len(relations) > 1:
                raise UnknownError("one sequence of tags a sentence")
            relation = relations[0] if relations else {}
            found += [tags_of(relation, example["length"], track) for track in TRACKS]
    gold, pred = sequences.values()
    overall = strict_scores(gold, pred, average="micro", scheme=IOB2)
    values = flat(dict(zip(NAMES, overall, strict=False)), "overall.")
    for role in ROLES:
        only = [[keep(tags, role) for tags in side] for side in (gold, pred)]
        if any(tag != "O" for side in only for tags in side for tag in tags):
            of_role = strict_scores(*only, average="micro", scheme=IOB2)
            values |= flat(dict(zip(NAMES, of_role, strict=False)), f"{role}.")
    return values


def keep(tags: list[str], role: str) -> list[str]:
    return [tag if tag.endswith(role) else "O" for tag in tags]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    answer_lines({"score": score}, partial=True)

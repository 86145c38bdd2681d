"""Answers of the C interface, csrc/include/fastcausal.h, called by ctypes as tests call it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from answering import ROLES, Case, RefusedError, UnknownError, Values, answer_lines, spans_of
from with_fastcausal import protocol_of

import fastcausal as fc
from tests.support import capi


def rows_of(examples: list[dict[str, Any]], side: str) -> fc.Rows:
    """Return one side as flat arrays."""
    sides = [example.get(side) for example in examples]
    if any(relations is None or None in relations for relations in sides):
        raise UnknownError("policies are the caller's")
    spans = [spans_of(relation) for relations in sides for relation in relations or ()]
    return fc.Rows(
        np.array([span for of in spans for span in of], np.int32).reshape(-1, 3),
        np.cumsum([0, *map(len, spans)], dtype=np.int64),
        np.cumsum([0, *(len(relations or ()) for relations in sides)], dtype=np.int64),
        np.array([example["length"] for example in examples], np.int32),
    )


def line_of(case: Case) -> str:
    """Return a protocol as the library takes it."""
    return str(protocol_of(case))


def sides_of(case: Case) -> dict[str, tuple[fc.Rows, fc.Rows]]:
    """Return gold and predictions of all examples and of those with several gold relations."""
    several = [example for example in case["examples"] if len(example.get("gold") or ()) > 1]
    parts = {"": case["examples"], "multi_relation.": several}
    if case["protocol"] == "cnc-2022":  # a running mean has no subset
        del parts["multi_relation."]
    return {name: (rows_of(part, "gold"), rows_of(part, "pred")) for name, part in parts.items()}


def score(case: Case) -> Values:
    if case["protocol"] in ("relations", "depths"):
        raise UnknownError(f"no protocol {case['protocol']}")
    protocol = capi.Protocol(line_of(case))
    values: Values = {}
    for subset, sides in sides_of(case).items():
        found = protocol.score(*sides)
        for names, numbers in (
            (protocol.count_names, found["counts"]), (protocol.score_names, found["scores"]),
        ):  # fmt: skip
            for name, number in zip(names, numbers.tolist(), strict=True):
                values[subset + name.replace("_", ".", 1)] = number
        if not subset:
            partners = [None if p < 0 else p for p in found["partner"].tolist()]
            values["partners"] = in_examples(partners, *sides)
    return values | added_up(values)


def in_examples(partners: list[int | None], gold: fc.Rows, pred: fc.Rows) -> list[list[Any]]:
    """Return partners by their places in each example."""
    offsets, first = gold.relation_offsets.tolist(), pred.relation_offsets.tolist()
    return [
        [None if p is None else p - first[e] for p in partners[offsets[e] : offsets[e + 1]]]
        for e in range(len(offsets) - 1)
    ]


def added_up(values: Values) -> Values:
    """Return the overall counts that are the sums of the roles'."""
    sums: Values = {}
    for name, value in values.items():
        before, _, field = name.rpartition(".")
        subset, _, role = before.rpartition(".")
        if role in ROLES and isinstance(value, int):
            total = f"{subset}.overall.{field}" if subset else f"overall.{field}"
            if total not in values:
                sums[total] = sums.get(total, 0) + value
    return sums


def reading_of(case: Case) -> str:
    reading: str = case["protocol"]
    if reading == "aligned":
        raise UnknownError("no aligned reading")
    return reading


def tags(case: Case) -> Values:
    rows = capi.read_tags(reading_of(case), [case["tagged"]])
    if rows.lengths[0] < 0:
        raise RefusedError("unreadable")
    spans = sorted((start, stop, role) for role, start, stop in rows.relation(0).tolist())
    reads = [[ROLES[role], start, stop] for start, stop, role in spans]
    return {"length": int(rows.lengths[0]), "reads": reads}


if __name__ == "__main__":
    answer_lines({"score": score, "tags": tags})

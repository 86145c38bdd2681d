"""The worked examples of shared/reference/eci.md, section 4, and EventStoryLine as tables."""

from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.support.data import DATA

ESC = DATA / "eventstoryline"
Row = dict[str, Any]


def rows(*lines: tuple[Any, ...], names: str = "doc_id a b label") -> list[Row]:
    return [dict(zip(names.split(), line, strict=True)) for line in lines]


def event(id: str, *mentions: str) -> dict[str, Any]:
    listed = [{"id": m, "trigger_word": m, "sent_id": 0, "offset": [0, 1]} for m in mentions]
    return {"id": id, "type": "Event", "mention": listed}


MAVEN_GOLD = [
    {
        "id": "d1",
        "events": [event("E1", "m1", "m2"), event("E2", "m3"), event("E3", "m4")],
        "causal_relations": {"CAUSE": [["E1", "E2"]], "PRECONDITION": [["E3", "E2"]]},
    },
    {
        "id": "d2",
        "events": [event("F1", "n1"), event("F2", "n2")],
        "causal_relations": {"CAUSE": [["F1", "F2"]], "PRECONDITION": []},
    },
]
MAVEN_PRED = [
    {
        "id": "d1",
        "causal_relations": {
            "CAUSE": [["m1", "m3"], ["m1", "m3"], ["m3", "m2"], ["m4", "zz"]],
            "PRECONDITION": [["m2", "m3"], ["m4", "m3"]],
        },
    }
]
TWO_TYPES = [
    {
        "id": "d",
        "events": [event("A", "a1", "a2"), event("B", "b1")],
        "causal_relations": {"CAUSE": [["A", "B"]], "PRECONDITION": []},
    }
]
TWO_TYPES_PREDICTED = [
    ({"CAUSE": [["a1", "b1"], ["a2", "b1"]], "PRECONDITION": [["a1", "b1"]]}, (0.5, 0.5, 0.5)),
    ({"PRECONDITION": [["a1", "b1"]], "CAUSE": [["a1", "b1"], ["a2", "b1"]]}, (1.0, 1.0, 1.0)),
    ({"NONE": [["a1", "b1"]], "CAUSE": [["a2", "b1"]]}, (1.0, 0.5, 2 / 3)),
    ({"CAUSE": [["b1", "a1"], ["b1", "a2"]]}, (0.0, 0.0, 0.0)),
]
STORY_GOLD = rows(
    ("doc1", "3", "8", "PRECONDITION"),
    ("doc1", "8", "12_13", "FALLING_ACTION"),
    ("doc1", "3", "20", "PRECONDITION"),
    ("doc2", "5", "9", "PRECONDITION"),
)
STORY_PRED = rows(
    ("doc1", "3", "8", "PRECONDITION"),
    ("doc1", "3", "8", "PRECONDITION"),
    ("doc1", "8", "12_13", "PRECONDITION"),
    ("doc1", "12_13", "20", "PRECONDITION"),
)


def three_classes(classes: list[int]) -> list[Row]:
    """Pairs of classes none, cause and effect: 1 to 5 within a sentence, 6 to 8 across."""
    labels = ("", "CauseEffect", "EffectCause")
    return [
        {
            "doc_id": "d",
            "a": f"a{k}",
            "b": f"b{k}",
            "label": labels[c],
            "sentence_a": k,
            "sentence_b": k + (k >= 5),
        }
        for k, c in enumerate(classes)
    ]


THREE_GOLD = three_classes([1, 1, 2, 0, 0, 1, 0, 2])
THREE_PRED = three_classes([1, 2, 2, 1, 0, 0, 0, 1])

DEVELOPMENT = ("37", "41")
EXCLUDED = ("REPORTING", "CAUSATIVE", "ASPECTUAL", "PERCEPTION")


def _read(name: str) -> list[Row]:
    with (ESC / name).open(newline="", encoding="utf-8") as file:
        found = [row for row in csv.DictReader(file) if row["topic"] not in DEVELOPMENT]
    return [{"doc_id": row.pop("doc"), **row} for row in found]


def esc_gold() -> list[Row]:
    """The pairs of the 20 topics."""
    return _read("causal_pairs_v0.9.csv")


def esc_events() -> list[Row]:
    """The candidates of the last row of reference/eci.md, section 2, as events."""
    return [row for row in _read("events_v0.9.csv") if not row["class"].endswith(EXCLUDED)]


def esc_system() -> list[Row]:
    """The predictions of the system of example 4.5."""
    documents: dict[str, list[Row]] = {}
    for row in esc_events():
        documents.setdefault(row["doc_id"], []).append(row)
    made = []
    for doc, of in documents.items():
        ordered = sorted(of, key=_place)
        for k, (a, b) in enumerate(pairwise(ordered)):
            label = ("PRECONDITION", "FALLING_ACTION")[k % 2]
            made += rows((doc, a["event"], b["event"], label))
    return made


def _place(row: Row) -> tuple[int, int, list[str]]:
    tokens = row["event"].split("_")
    return int(tokens[0]), len(tokens), tokens


def write_csv(path: Path, table: list[Row]) -> Path:
    """Write rows, with all columns that any of them has."""
    names = list(dict.fromkeys(name for row in table for name in row))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(table)
    return path

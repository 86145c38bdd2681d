"""Random examples of strategies.py as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import fastcausal as fc
from tests.support.strategies import LENGTH, ROLES, Example, Relation


def by_role(relation: Relation) -> dict[str, list[tuple[int, int]]]:
    return {
        name: [(start, stop) for role, start, stop in relation if ROLES[role] == name]
        for name in ROLES
    }


def table_of(examples: Sequence[Example], **columns: Sequence[Any]) -> fc.Relations:
    """Return a table of examples, one a row, with ``columns`` such as ``id=["a", "b"]``."""
    return fc.Relations.from_examples(
        {"length": LENGTH, "relations": [by_role(relation) for relation in example]}
        | {name: values[k] for name, values in columns.items()}
        for k, example in enumerate(examples)
    )

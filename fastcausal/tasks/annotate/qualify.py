"""A test of raters: their labels of items whose verdict is known."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from fastcausal.errors import InputError
from fastcausal.files.files import Source
from fastcausal.options import UnsurePolicy
from fastcausal.tasks.answers.join import Extractions, read_extractions

Item = tuple[str | None, str]


class TestedRater(NamedTuple):
    """The result of a rater."""

    n_right: int  # Labels equal to the known ones; a missing label is wrong
    share: float  # Share of right labels in all items
    passed: bool


def systems_of(items: Extractions) -> list[str | None]:
    """Return the system of each item; None if unknown."""
    if "system" not in items.columns.column_names:
        return [None] * len(items)
    systems: list[str | None] = items.columns["system"].to_pylist()
    return systems


def expected_labels(
    test: str | os.PathLike[str] | Source, unsure: UnsurePolicy = "invalid"
) -> dict[Item, int]:
    """Read the known labels of a test, by system and item.

    >>> expected_labels(Source("t.json", b'[{"gold": "a", "output": "b", "valid": "no"}]'))
    {(None, '0'): 0}
    """
    file = Source.open(test)
    items = read_extractions(file, unsure=unsure)
    if len(items.raters) != 1:
        n_raters = len(items.raters)
        raise InputError(f"{file.name} has verdicts of {n_raters} raters, expected one in a test")
    labels = items.verdicts[:, 0].tolist()
    if -1 in labels:
        where = items.locate(labels.index(-1))
        raise InputError(f"{where}: no verdict, expected one for each item of a test")
    keys = zip(systems_of(items), items.ids.to_pylist(), strict=True)
    return dict(zip(keys, labels, strict=True))


def result_of(
    expected: Mapping[Item, int], labels: Mapping[Item, float | None], rater: str, qualify: float
) -> TestedRater:
    """Compare the labels of a rater with the known ones.

    >>> known = {(None, "a"): 1, (None, "b"): 0}
    >>> result_of(known, {(None, "a"): 1, (None, "b"): None}, "ann", 0.8)
    TestedRater(n_right=1, share=0.5, passed=False)
    """
    if unlike := expected.keys() ^ labels.keys():
        item = min(name for _, name in unlike)
        raise InputError(f'rater "{rater}" has other items than the test: "{item}"')
    n_right = sum(labels[item] == label for item, label in expected.items())
    share = n_right / len(expected)
    return TestedRater(n_right, share, share >= qualify)

"""The C interface gives the counts, partners, scores and readings of the Python library."""

from __future__ import annotations

import numpy as np
import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal._version import __version__
from fastcausal.tasks.extraction import cnc2022
from tests.support import capi

pytestmark = pytest.mark.slow  # a library is built
PROTOCOLS = ("recess", "cnc-2023", "cnc-2022")


def flat(scores: dict) -> dict[str, float]:
    return {f"{group}_{name}": value for group, of in scores.items() for name, value in of.items()}


def test_version():
    assert capi.library().fastcausal_version().decode() == __version__


def in_order(rows: fc.Rows, order: list[int]) -> fc.Rows:
    """The same examples in another order."""
    lists = [
        rows.relation(r).tolist() for e in order
        for r in range(rows.relation_offsets[e], rows.relation_offsets[e + 1])
    ]  # fmt: skip
    values = np.array([span for spans in lists for span in spans], np.int32).reshape(-1, 3)
    return fc.Rows(
        values,
        np.cumsum([0, *map(len, lists)], dtype=np.int64),
        np.cumsum([0, *np.diff(rows.relation_offsets)[order]], dtype=np.int64),
        rows.lengths[order],
        rows.tags,
    )


def corpus_order(gold: fc.Relations) -> list[int]:
    """The order in which cnc-2022 merges examples."""
    return cnc2022._in_corpus_order(gold.table, np.arange(len(gold)))


@pytest.mark.parametrize("system", sample.SYSTEMS)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_scores_are_those_of_the_report(protocol, system):
    path = sample.SYSTEMS[system]
    report = fc.score(sample.GOLD, path, protocol, unparsed="empty").to_dict()
    tags = fc.PROTOCOLS[protocol].tags
    gold = fc.read(sample.GOLD, tags=tags)
    pred = fc.read(path)
    found = capi.Protocol(protocol)
    order = corpus_order(gold)
    results = found.score(*(in_order(fc.Rows.of(side), order) for side in (gold, pred)))
    scores = dict(zip(found.score_names, results["scores"].tolist(), strict=True))
    expected = flat(report["scores"])
    assert {name: expected[name] for name in scores} == scores

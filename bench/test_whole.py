"""Whole relations and depths from rows in memory, on one core, against recess; all schemes of a
table in one call, against one call after another."""

from __future__ import annotations

import pytest

import fastcausal as fc
from fastcausal.sweeps.schemes import SCHEMES

from . import corpus, ours

CORPUS = "CNC"
PROTOCOLS = {scheme.protocol for scheme in SCHEMES.values()}


@pytest.mark.parametrize("protocol", ["relations", "depths"])
@pytest.mark.parametrize("sentences", corpus.NOISES, indirect=True)
def test_against_recess(race, sentences, protocol):
    race(
        f"{protocol}: rows to scores",
        sentences[0].n_examples,
        lambda: ours.report(protocol, *sentences, num_threads=1).scores,
        {"recess": lambda: ours.report("recess", *sentences, num_threads=1).scores},
        n_bytes=corpus.n_bytes(*sentences),
        n_relations=sum(side.n_relations for side in sentences),
    )


def test_schemes_against_their_parts(race, sentences):
    gold, pred = (corpus.table_of(side) for side in sentences)

    def count_each():
        return {name: fc.score(gold, pred, ours.BY_NAME[name]).scores for name in PROTOCOLS}

    found, parts = fc.schemes(gold, {"good": pred}), count_each()
    for name, rows in found.schemes.items():
        scheme = SCHEMES[name]
        assert rows["good"]["f1"] == parts[scheme.protocol][scheme.group][f"{scheme.prefix}f1"]
    race(
        "schemes: a table to all scores",
        len(gold),
        lambda: fc.schemes(gold, {"good": pred}),
        {"a call for each protocol and kernel": count_each},
    )

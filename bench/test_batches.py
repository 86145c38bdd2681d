"""The cost of one call with a validation batch of 32 sentences, in each form of a training loop."""

from __future__ import annotations

import pytest

import fastcausal as fc

from . import corpus, official, ours

CORPUS = "32 sentences of CNC, good system"

N = 32
ROUNDS = 100


@pytest.mark.parametrize(
    "call", ["rows to counts", "rows to report", "Relations to report", "update", "dicts to report"]
)
def test_batch(race, call):
    batch = corpus.sentences(N, seed=1)
    tables = [corpus.table_of(side) for side in batch]
    dicts = [table.to_examples() for table in tables]
    spans = [official.spans_of(side) for side in batch]
    scorer = fc.ExtractionScorer("cnc-2023")
    calls = {
        "rows to counts": lambda: ours.counts("cnc-2023", *batch),
        "rows to report": lambda: ours.report("cnc-2023", *batch),
        "Relations to report": lambda: fc.score(*tables, "cnc-2023"),
        "update": lambda: scorer.update(gold=tables[0], pred=tables[1]),
        "dicts to report": lambda: fc.score(*dicts, "cnc-2023"),
    }
    expected = official.score(*spans, tags=False)["all"]
    if call.endswith("report"):
        report = calls[call]()
        assert {group: dict(scores) for group, scores in report.scores.items()} == expected
    title = "update with Relations" if call == "update" else call
    race(
        f"batch, cnc-2023: {title}",
        N,
        calls[call],
        {
            "official, from spans": lambda: official.score(*spans, tags=False),
            "each pair once, from spans": lambda: official.score(*spans, tags=False, cached=True),
        },
        ROUNDS,
    )

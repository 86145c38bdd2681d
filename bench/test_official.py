"""cnc-2023 against the official algorithm in plain Python: equal scores and counts, then time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fastcausal import ExtractionScorer
from fastcausal.tasks.relations import official as tagged

from . import corpus, official, ours

CORPUS = "CNC, good system"
AT_LEAST = 1_000  # required times the speed of the official algorithm


@pytest.mark.parametrize("which", ["dev", "resampled"])
def test_cnc_2023(race, which):
    if which == "dev":
        title, (gold, pred) = agreed_case()
    else:  # marked as already read from tags, so that ours counts the same spans as the rivals
        title = which
        gold, pred = (replace(side, tags="cnc-2023") for side in corpus.sentences(10_000))
    tags = official.tags_of(gold), official.tags_of(pred)
    spans = official.spans_of(gold), official.spans_of(pred)
    others = {
        "official, from tags": lambda: official.score(*tags),
        "official, from spans": lambda: official.score(*spans, tags=False),
        "each pair once, from spans": lambda: official.score(*spans, tags=False, cached=True),
        "backend reference": lambda: plain(
            ours.report("cnc-2023", gold, pred, backend="reference")
        ),
    }

    def native():
        return ours.report("cnc-2023", gold, pred, num_threads=1)

    for scored in others.values():
        assert scored() == plain(native())
    outcome = race(
        f"cnc-2023, {title}: rows to report",
        gold.n_examples,
        native,
        others,
        n_bytes=corpus.n_bytes(gold, pred),
        n_relations=gold.n_relations + pred.n_relations,
    )
    if outcome and which == "resampled":
        assert outcome.ratio("official, from tags") >= AT_LEAST


def agreed_case():
    """The timed case, after all cases have given equal scores."""
    found = {}
    for name, (gold, pred) in corpus.cases().items():
        scorer = ExtractionScorer("cnc-2023", unparsed="empty")
        aligned = scorer.align(gold, pred)
        scorer.add(aligned)
        spans = official.spans_of(aligned.gold), official.spans_of(aligned.pred)
        scored = official.score(*spans, tags=False, cached=True)
        assert scored == plain(scorer.compute()), name
        found[name] = aligned.gold, aligned.pred
    return ("dev", found["13_mix"]) if "13_mix" in found else next(iter(found.items()))


def plain(report):
    groups = {"all": report.scores, **report.subsets}
    return {s: {g: dict(scores) for g, scores in by.items()} for s, by in groups.items()}


def test_untagged(race):
    """Rows without tags are read, while they are counted, as if they had been written as tags."""
    gold, pred = corpus.sentences(10_000)
    as_tagged = [tagged.apply_tagging(side, "cnc-2023")[0] for side in (gold, pred)]

    def native():
        return ours.report("cnc-2023", gold, pred, num_threads=1)

    def after():
        return ours.report("cnc-2023", *as_tagged, num_threads=1)

    assert plain(native()) == plain(after())
    spans = [official.spans_of(side) for side in as_tagged]
    assert plain(native()) == official.score(*spans, tags=False, cached=True)
    race("cnc-2023: rows without tags to report", gold.n_examples, native, {"read before": after})

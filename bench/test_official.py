"""cnc-2023 against the official algorithm in plain Python: equal scores and counts, then time."""

from __future__ import annotations

import pytest

from fastcausal import ExtractionScorer

from . import corpus, official, ours

AT_LEAST = 300  # times the speed of the official algorithm, on enough sentences to tell


@pytest.mark.parametrize("which", ["dev", "resampled"])
def test_cnc_2023(race, which):
    title, (gold, pred) = which, corpus.sentences(10_000)
    if which == "dev":
        title, (gold, pred) = agreed_case()
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
    )
    if outcome and which == "resampled":
        assert outcome.ratio("official, from tags") >= AT_LEAST


def agreed_case():
    """The case that is timed, after all of them have given equal scores."""
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

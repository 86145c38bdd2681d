"""Span counts, against seqeval and nervaluate: equal counts, then time.

Both have one sequence of spans a sentence. So sentences have one relation on each side, and its
spans do not overlap.
"""

from __future__ import annotations

import nervaluate
import pytest
from seqeval import metrics
from seqeval.metrics import sequence_labeling
from seqeval.metrics import v1 as strict
from seqeval.scheme import IOB2

import fastcausal as fc
from fastcausal.compat import seqeval as compat
from fastcausal.formats import bio
from fastcausal.relations import ROLES

from . import corpus, ours

CORPUS = "2,000 sentences of one relation, good system"

N = 2_000
SCHEMES = {"strict": "strict", "exact": "exact", "partial": "partial", "ent_type": "type"}
FIELDS = {
    "correct": "cor",
    "incorrect": "inc",
    "partial": "par",
    "missed": "mis",
    "spurious": "spu",
}


@pytest.fixture(scope="module")
def pair():
    return corpus.single_relations(N)


@pytest.fixture(scope="module")
def tags(pair):
    """One list of tags for each sentence, on both sides."""
    sides = [bio.tag_lists(corpus.table_of(side))[0] for side in pair]
    return [[tags for [tags] in side] for side in sides]


@pytest.mark.parametrize("source", ["rows", "tag lists"])
def test_exact_spans(race, pair, tags, source):
    gold, pred = tags
    others = {
        "seqeval strict IOB2, from tags": lambda: strict.precision_recall_fscore_support(
            gold, pred, average=None, scheme=IOB2
        ),
        "seqeval default, from tags": lambda: sequence_labeling.precision_recall_fscore_support(
            gold, pred, average=None
        ),
    }

    def native():
        if source == "rows":
            return ours.report("exact_spans", *pair, num_threads=1)
        sides = [fc.read([[tags] for tags in side]) for side in (gold, pred)]
        return fc.score(*sides, ours.BY_NAME["exact_spans"], num_threads=1)

    report = native()
    for scored in others.values():
        for role, precision, recall, f1, support in zip(ROLES, *scored(), strict=True):
            found = report[role]
            assert (found.precision, found.recall, found.f1) == (precision, recall, f1)
            assert found.tp + found.fn == support
    if source == "tag lists":
        both = sequence_labeling.get_entities
        others["seqeval get_entities alone"] = lambda: (both(gold), both(pred))
    race(f"exact_spans: {source} to report", N, native, others)


@pytest.mark.parametrize("name", ["f1_score", "classification_report"])
@pytest.mark.parametrize("options", [{}, {"mode": "strict", "scheme": IOB2}], ids=["", "strict"])
def test_drop_in(race, tags, name, options):
    def call(module):
        return lambda: getattr(module, name)(*tags, zero_division=0, **options)

    ours, theirs = call(compat), call(metrics)
    assert ours() == theirs()
    mode = options.get("mode", "default")
    race(f"compat.seqeval {name}, {mode}", N, ours, {"seqeval": theirs})


def test_partial_spans(race, pair):
    spans = [entities(corpus.table_of(side)) for side in pair]

    def native():
        return ours.report("partial_spans", *pair, num_threads=1)

    def evaluated():
        return nervaluate.Evaluator(*spans, tags=list(ROLES), loader="dict").evaluate()

    report, expected = native(), evaluated()
    for group, found in report.scores.items():
        theirs = expected["overall"] if group == "overall" else expected["entities"][group]
        for scheme, name in SCHEMES.items():
            for field, short in FIELDS.items():
                assert getattr(theirs[scheme], field) == found[f"{name}_{short}"]
    race(
        "partial_spans: rows to report", N, native, {"nervaluate Evaluator, from spans": evaluated}
    )


def entities(relations):
    """Return spans in the form of nervaluate, with inclusive ends."""
    return [
        [
            {"label": role, "start": start, "end": stop - 1}
            for role, spans in relation.items()
            for start, stop in spans
        ]
        for example in relations.to_examples()
        for relation in example["relations"]
    ]

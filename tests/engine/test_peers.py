"""Counts equal the counts of other packages that users compare with."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nervaluate import Evaluator
from seqeval.metrics.v1 import precision_recall_fscore_support
from seqeval.scheme import IOB2, Entities
from sklearn.metrics import confusion_matrix

from fastcausal.engine.reference.kernels import KERNELS
from fastcausal.engine.run import count_pairs
from tests.support.profiles import trials
from tests.support.strategies import (
    LENGTH,
    ROLES,
    TRACKS,
    Counts,
    Relation,
    Span,
    counts_of_pair,
    plan_of,
    relations,
    rows_of,
    spans,
    tagged_relations,
)


def summed(kernel: str, pairs: list[tuple[Relation, Relation]], length: int = LENGTH) -> Counts:
    """Counts over many pairs of relations, each of its own example."""
    gold, pred = (rows_of([[pair[side]] for pair in pairs], length) for side in (0, 1))
    index = np.arange(len(pairs))
    counts = count_pairs(plan_of(kernel), gold, pred, index, index)
    return Counts(kernel, counts.sum(axis=0))


def iob2(relation: Relation, track: tuple[int, ...]) -> list[str]:
    tags = ["O"] * LENGTH
    for role, start, stop in relation:
        if role in track:
            tags[start:stop] = [f"B-{ROLES[role]}"] + [f"I-{ROLES[role]}"] * (stop - start - 1)
    return tags


@trials(100)
@given(st.lists(st.tuples(tagged_relations(), tagged_relations()), min_size=1, max_size=20))
def test_exact_spans_equal_seqeval(pairs):
    counts = summed("exact_spans", pairs)
    gold, pred = (
        [iob2(pair[side], track) for pair in pairs for track in TRACKS] for side in (0, 1)
    )
    gold_entities, pred_entities = Entities(gold, IOB2), Entities(pred, IOB2)
    names = sorted(gold_entities.unique_tags | pred_entities.unique_tags)
    for name in ROLES:
        c, g, p = counts.of(name), gold_entities.filter(name), pred_entities.filter(name)
        assert (c["tp"], c["fp"], c["fn"]) == (len(g & p), len(p - g), len(g - p))
    if not names:
        return
    for average, groups in ((None, names), ("micro", ["overall"])):
        found = precision_recall_fscore_support(
            gold, pred, scheme=IOB2, average=average, zero_division=0
        )
        for name, precision, recall, _, support in zip(
            groups, *map(np.atleast_1d, found), strict=True
        ):
            c = counts.of(name)
            assert precision == c["tp"] / max(1, c["tp"] + c["fp"])
            assert recall == c["tp"] / max(1, c["tp"] + c["fn"])
            assert support == c["tp"] + c["fn"]


def entity(span: Span) -> dict[str, object]:
    return {"label": ROLES[span[0]], "start": span[1], "end": span[2] - 1}


def assert_nervaluate(pairs: list[tuple[Relation, Relation]], length: int = LENGTH) -> None:
    counts = summed("partial_spans", pairs, length)
    documents = [
        [[entity(s) for s in sorted(pair[side], key=lambda s: (*s[1:], s[0]))] for pair in pairs]
        for side in (0, 1)
    ]
    found = Evaluator(*documents, tags=list(ROLES), loader="dict").evaluate()
    for group in (*ROLES, "overall"):
        results = found["overall"] if group == "overall" else found["entities"].get(group, {})
        expected = dict.fromkeys(KERNELS["partial_spans"].fields, 0)
        for name, r in results.items():
            scheme = "type" if name == "ent_type" else name
            fields = zip(
                ("cor", "inc", "par", "mis", "spu"),
                (r.correct, r.incorrect, r.partial, r.missed, r.spurious),
                strict=True,
            )
            expected |= {f"{scheme}_{field}": n for field, n in fields}
        assert counts.of(group) == expected


@trials(200)
@given(st.lists(st.tuples(relations(), relations()), min_size=1, max_size=8))
def test_partial_spans_equal_nervaluate(pairs):
    assert_nervaluate(pairs)


@trials(200)
@given(st.integers(1, 60), st.sampled_from([-1, 0, 1]), st.lists(spans(70), max_size=3))
def test_partial_spans_at_one_percent_of_gold(shared, more, others):
    """An overlap below 1% of the gold span counts as none, as in nervaluate."""
    gold = [(0, 40, 40 + 100 * shared + more)]
    pred = [(0, 0, 40 + shared), *((role, 6000 + a, 6000 + b) for role, a, b in others)]
    assert_nervaluate([(gold, pred), (pred, gold)], 10_000)


@trials(150)
@given(relations(), relations())
def test_span_overlap_equals_token_counts_and_alpha(gold, pred):
    counts = counts_of_pair("span_overlap", gold, pred)
    for role, name in enumerate(ROLES):
        c = counts.of(name)
        masks = np.zeros((2, LENGTH), bool)
        for mask, side in zip(masks, (gold, pred), strict=True):
            for r, start, stop in side:
                mask[start:stop] |= r == role
        (_, fp), (fn, tp) = confusion_matrix(*masks, labels=[False, True])
        assert (c["tp"], c["fp"], c["fn"]) == (tp, fp, fn)
        n0 = c["n"] - c["n1"]
        if n0 and c["n1"]:  # else alpha is undefined
            alpha = 1 - (c["n"] - 1) * c["o01"] / (n0 * c["n1"])
            expected = krippendorff.alpha(masks.astype(int), level_of_measurement="nominal")
            assert alpha == pytest.approx(expected, abs=1e-12)

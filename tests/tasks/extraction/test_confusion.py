"""The confusion of roles equals counts made by hand, in plain loops over the report's matches."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from fastcausal.tasks.extraction import confusion
from fastcausal.tasks.extraction.confusion import confusion_of_roles
from tests.support.profiles import trials
from tests.support.strategies import ROLES, relations, sides
from tests.support.tables import table_of

NONE = len(ROLES)
PROTOCOLS = (
    fc.Protocol("all"),
    fc.Protocol("some", surplus="truncate", non_causal="ignore", ties="first"),
    fc.Protocol("any", kernel="span_overlap"),
)


def of_report(report):
    details = report._evaluation
    return confusion_of_roles(details.counting, details.examples())


def in_order(relation):
    return sorted(relation, key=lambda span: (span[1], span[2], span[0]))


def shared(a, b):
    return len({*range(a[1], a[2])} & {*range(b[1], b[2])})


def answer(span, candidates):
    """The candidates' best answer to a span of gold."""
    meeting = [c for c in candidates if shared(span, c)]
    if not meeting:
        return NONE
    return min(meeting, key=lambda c: (-shared(span, c), c[2] - c[1], c[0] != span[0]))[0]


def by_hand(gold, pred, matches):
    """Count over the pairs that the report lists."""
    counts = Counter()
    for row in matches.to_pylist():
        g, p = ([] if row[f"{side}_relation"] is None
                else in_order(examples[row["example"]][row[f"{side}_relation"]])
                for side, examples in (("gold", gold), ("pred", pred)))  # fmt: skip
        counts.update((span[0], answer(span, p)) for span in g)
        counts.update((NONE, span[0]) for span in p if not any(shared(span, s) for s in g))
    return [[counts[i, j] for j in range(NONE + 1)] for i in range(NONE + 1)]


@trials(200)
@given(sides(), st.sampled_from(PROTOCOLS), st.integers(1, 20))
def test_counts_are_those_by_hand(both, protocol, at_once):
    gold, pred = both
    report = fc.score(table_of(gold), table_of(pred), protocol)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(confusion, "AT_ONCE", at_once)
        counts = of_report(report)
    assert counts.tolist() == by_hand(gold, pred, report.matches)
    assert counts.tolist() == of_report(report).tolist()


@given(st.lists(st.lists(relations(), max_size=3), min_size=1, max_size=3))
def test_a_perfect_prediction_confuses_nothing(examples):
    counts = of_report(fc.score(table_of(examples), table_of(examples)))
    spans = Counter(span[0] for example in examples for relation in example for span in relation)
    np.testing.assert_array_equal(counts, np.diag([spans[k] for k in range(NONE + 1)]))


def test_rows_add_up_to_the_spans_of_gold():
    for path in sample.SYSTEMS.values():
        report = fc.score(sample.GOLD, path, unparsed="empty")
        roles = report._evaluation.examples().gold.values[:, 0]
        sums = of_report(report).sum(axis=1)[:-1]
        np.testing.assert_array_equal(sums, np.bincount(roles, minlength=NONE))

"""The straight way to a report gives what `ExtractionScorer` gives, of rows and of relations."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from fastcausal.protocols import protocol_named
from fastcausal.relations import ROLES
from fastcausal.tasks.extraction import score as scoring
from fastcausal.tasks.extraction.straight import straight
from tests.support.statistics import of_the_same
from tests.support.strategies import rows_of, sides


def general_report(gold, pred, protocol):
    """Return the report of a scorer that adds the one batch."""
    scorer = fc.ExtractionScorer(protocol)
    aligned = scorer.align(gold, pred)
    scorer.add(aligned)
    return scorer.report(aligned)


def assert_as_the_scorer(gold, pred, protocol, num_threads=None):
    general = general_report(gold, pred, protocol)
    found = straight(gold, pred, protocol_named(protocol), num_threads)
    assert found is not None
    for group in ("overall", *ROLES):  # before all else: the rest is made when it is asked for
        assert found[group] == general[group]
    assert found == general
    assert found.to_dict() == general.to_dict()
    assert str(found) == str(general)
    of_the_same(found.statistics, general.statistics)
    assert found.matches == general.matches
    assert found.per_example == general.per_example
    # Errors may be the first thing that is asked for.
    errors = straight(gold, pred, protocol_named(protocol), num_threads).errors()
    assert str(errors) == str(general.errors())


@pytest.mark.parametrize("of", [fc.Rows.of, lambda relations: relations], ids=["rows", "relations"])
def test_the_sample(of):
    gold = fc.read(sample.GOLD)
    for system in sample.SYSTEMS.values():
        pred = fc.read(system, like=gold)
        assert_as_the_scorer(of(gold), of(pred), "recess")


@pytest.mark.parametrize("protocol", ["recess", "cnc-2023"])
@given(both=sides(), threads=st.sampled_from([None, 1, 2]))
@example(both=([[[(0, 0, 2), (0, 1, 3)]]], [[[(1, 0, 1)]]]), threads=None)  # tags cannot hold it
def test_drawn_rows(protocol, both, threads):
    assert_as_the_scorer(*map(rows_of, both), protocol, threads)


def test_scores_go_straight_where_nothing_has_to_be_looked_at(monkeypatch):
    """Else the comparisons above are of a way that nobody takes."""
    gold = fc.read(sample.GOLD)
    pred = fc.read(sample.SYSTEMS["careful"], like=gold)
    rows = fc.Rows.of(gold), fc.Rows.of(pred)
    reports = []
    monkeypatch.setattr(scoring, "straight", lambda *a: reports.append(straight(*a)) or reports[-1])
    assert fc.score(gold, pred) is reports[-1]
    assert fc.score(*rows) is reports[-1]
    n_asked = len(reports)
    for option in (
        {"by": "corpus"},
        {"unparsed": "skip"},
        {"unmatched": "empty"},
        {"backend": "reference"},
        {"tags": "aligned"},
    ):
        fc.score(gold, pred, **option)
    assert len(reports) == n_asked


def test_all_else_is_left_to_the_scorer():
    gold = fc.read(sample.GOLD)
    pred = fc.read(sample.SYSTEMS["careful"], like=gold)
    no_ids = [{"length": 3, "relations": [{"cause": (0, 1)}]}] * 2
    plain, shorter = fc.Relations.from_examples(no_ids), fc.Relations.from_examples(no_ids[:1])
    named, crossed = (
        fc.Relations.from_examples([{"id": name, **no_ids[0]} for name in names])
        for names in ("ab", "ba")
    )
    unread = fc.Relations.from_examples([{"length": 3, "relations": [None]}] * 2)
    recess = protocol_named("recess")
    assert straight(plain, plain, recess) is not None
    for both in (
        (plain, shorter),
        (named, crossed),
        (plain, unread),
        (unread, plain),
        (gold, fc.Relations(pred.table.slice(0, 2))),
        (gold, fc.Relations(pred.table.take([*range(len(gold))][::-1]))),
        (gold, fc.Rows.of(gold)),
        (fc.Rows.of(plain), fc.Rows.of(shorter)),
        (gold.with_reading(predicted=True), pred),
        (sample.GOLD, sample.GOLD),
    ):
        assert straight(*both, recess) is None
    for protocol in ("cnc-2023", "cnc-2022"):
        assert straight(gold, pred, protocol_named(protocol)) is None
    assert straight(fc.Rows.of(gold), fc.Rows.of(pred), protocol_named("cnc-2022")) is None


def test_without_details():
    gold = fc.read(sample.GOLD)
    report = fc.score(gold, fc.read(sample.SYSTEMS["careful"], like=gold)).without_details()
    with pytest.raises(fc.InputError, match="counts alone"):
        report.errors()

"""`Tally`: counting arrays as they are gives the same, and every total gets everywhere."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from fastcausal.protocols import protocol_named
from fastcausal.recipe import Recipe
from fastcausal.relations import ROLES
from fastcausal.tasks.extraction import score as scoring
from fastcausal.tasks.extraction.counting import counting_of, tally_arrays
from fastcausal.tasks.extraction.evaluation import Evaluation
from fastcausal.tasks.extraction.report import ExtractionReport
from fastcausal.tasks.extraction.sides import align_sides
from fastcausal.tasks.extraction.tally import (
    COLUMN_TOTALS,
    INTERNAL_TOTALS,
    ROW_TOTALS,
    Tally,
    Totals,
)
from tests.support.statistics import of_the_same
from tests.support.strategies import rows_of, sides


def general(gold, pred, protocol):
    """Return the tally of sides that are aligned first, and their report."""
    recipe = Recipe(protocol)
    aligned = align_sides(recipe, gold, pred)
    tally = counting_of(protocol, aligned.roles, "cpu", None).tally(aligned)
    return tally, ExtractionReport(Evaluation(recipe, tally, aligned))


def assert_alike(one, other):
    assert {name: counts.tolist() for name, counts in one.counts.items()} == {
        name: counts.tolist() for name, counts in other.counts.items()
    }
    assert one._replace(counts={}) == other._replace(counts={})


def assert_as_aligned(gold, pred, protocol, num_threads=None):
    protocol = protocol_named(protocol)
    fast = tally_arrays(protocol, gold, pred, num_threads)
    tally, expected = general(gold, pred, protocol)
    assert fast is not None
    assert_alike(fast, tally)
    report = ExtractionReport(Evaluation(Recipe(protocol), fast, (gold, pred), num_threads))
    assert report == expected
    assert str(report) == str(expected)
    of_the_same(report.statistics, expected.statistics)
    assert report.matches == expected.matches
    assert report.per_example == expected.per_example
    assert str(report.errors()) == str(expected.errors())


@pytest.mark.parametrize("of", [fc.Rows.of, lambda relations: relations], ids=["rows", "relations"])
def test_the_sample(of):
    gold = fc.read(sample.GOLD)
    for system in sample.SYSTEMS.values():
        pred = fc.read(system, like=gold)
        assert_as_aligned(of(gold), of(pred), "recess")


@pytest.mark.parametrize("protocol", ["recess", "cnc-2023"])
@given(both=sides(), threads=st.sampled_from([None, 1, 2]))
@example(both=([[[(0, 0, 2), (0, 1, 3)]]], [[[(1, 0, 1)]]]), threads=None)  # tags cannot hold it
def test_drawn_rows(protocol, both, threads):
    assert_as_aligned(*map(rows_of, both), protocol, threads)


def test_scores_count_arrays_where_they_can(monkeypatch):
    """Scoring uses the tally of arrays that the tests above compare."""
    gold = fc.read(sample.GOLD)
    pred = fc.read(sample.SYSTEMS["careful"], like=gold)
    tallies = []

    def spied(*arguments):
        tallies.append(tally_arrays(*arguments))
        return tallies[-1]

    monkeypatch.setattr(scoring, "tally_arrays", spied)
    for both in ((gold, pred), (fc.Rows.of(gold), fc.Rows.of(pred))):
        assert fc.score(*both)._evaluation.tally is tallies[-1]
    assert fc.score(gold, pred, unparsed="skip")._evaluation.tally is tallies[-1]
    n_tried = len(tallies)
    for option in ({"by": "corpus"}, {"backend": "reference"}, {"protocol": "cnc-2022"}):
        fc.score(gold, pred, **option)
    assert len(tallies) == n_tried
    for option in ({"tags": "aligned"}, {"protocol": "cnc-2023"}):
        fc.score(gold, pred, **option)
        assert tallies[-1] is None


def test_what_has_to_be_aligned():
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
    assert tally_arrays(recess, plain, plain) is not None
    assert tally_arrays(recess, plain, plain, None, ("claim",)) is None
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
        assert tally_arrays(recess, *both) is None
    assert tally_arrays(protocol_named("cnc-2023"), gold, pred) is None


def test_without_details():
    gold = fc.read(sample.GOLD)
    report = fc.score(gold, fc.read(sample.SYSTEMS["careful"], like=gold)).without_details()
    with pytest.raises(fc.InputError, match="counts alone"):
        report.errors()


ONE = Tally(
    Totals(*range(1, 1 + len(Totals._fields))), {(): np.ones((2, 9), np.int64)}, ROLES,
    warnings={("lines: ", ""): (2,)},
)  # fmt: skip


@pytest.mark.parametrize("name", Totals._fields)
def test_a_total_adds(name):
    assert getattr((ONE + ONE).totals, name) == 2 * getattr(ONE.totals, name)
    assert ONE + Tally() == Tally() + ONE
    scorer, other = fc.ExtractionScorer(), fc.ExtractionScorer()
    scorer.tally, other.tally = ONE, pickle.loads(pickle.dumps(ONE))
    scorer.merge(other)
    assert scorer.tally.totals == ONE.totals + ONE.totals
    scorer.reset()
    assert scorer.tally == Tally()


def scored(tmp_path, unparsed):
    """Score a system with unparsed answers; return the report and the statistics of its file."""
    counts = tmp_path / f"{unparsed}.parquet"
    report = fc.score(sample.GOLD, sample.SYSTEMS["chatty"], unparsed=unparsed, per_example=counts)
    return report, fc.Statistics.read(counts)


@pytest.mark.parametrize("name", Totals._fields)
def test_a_total_reaches_report_and_file(tmp_path, name):
    """Each total is in report and file by its name, unless reports show it otherwise."""
    for unparsed in ("empty", "skip"):
        report, statistics = scored(tmp_path, unparsed)
        tally = report._evaluation.tally
        expected = getattr(tally.totals, name)
        assert (name in INTERNAL_TOTALS) == (name not in report.facts)
        assert name in INTERNAL_TOTALS or report.facts[name] == expected
        assert name not in COLUMN_TOTALS or name in statistics.table().column_names
        places = {name in COLUMN_TOTALS, name in ROW_TOTALS, name in statistics.totals}
        assert places == {True, False} or not expected
        again = statistics.report()
        assert getattr(again._evaluation.tally.totals, name) == expected
        assert again.to_json() == report.to_json()


def test_totals_of_files_add(tmp_path):
    """Merged files add their totals of relations used as they are, which no row counts."""
    overlapping = fc.Relations.from_examples(
        [{"id": "a", "length": 6, "relations": [{"cause": [(0, 3), (1, 2)], "effect": [(2, 5)]}]}]
    )
    other = fc.Relations(overlapping.table.set_column(0, "id", [["b"]]), overlapping.reading)
    parts = [fc.score(side, side, "cnc-2023").statistics for side in (overlapping, other)]
    merged = parts[0].merge(parts[1])
    merged.write(tmp_path / "merged.parquet")
    read = fc.Statistics.read(tmp_path / "merged.parquet")
    assert read.totals == merged.totals == {"n_as_given": 4}
    assert read.report()._evaluation.tally.totals.n_as_given == 4
    without = replace(read, totals={})
    assert sorted(without.report().warnings) == sorted(read.report().warnings)

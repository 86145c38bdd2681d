"""Powered estimates and differences: the published vector, a plain version, and simulated laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from bench.coverage_estimates import draw_documents, draw_pairs, draw_rows, estimated
from fastcausal.tasks.meta.estimates import JudgedSample
from tests.oracles.powered import powered
from tests.support.profiles import trials

VALUES = st.floats(0, 5).map(lambda x: round(x, 3))
LABELS, METRIC = [1, 0, 1, 1, 1], [1, 0, 1, 0, 1]
UNJUDGED = [1, 1, 0, 1, 0, 1, 1, 0, 1, 1]
VECTOR = (0.251482, 1.0, 0.268908)


def sample_of(judged, metric, unjudged, range, clusters=None):
    people = np.array([*judged, *[math.nan] * len(unjudged)], float)
    units = np.arange(len(people)) if clusters is None else np.array(clusters)
    unit = "item" if clusters is None else "doc"
    return JudgedSample(people, np.array([*metric, *unjudged], float), units, range, unit)


def tables_of(labels, metric, unjudged, **more):
    rows = [{"m": m, "ann": y} for y, m in zip(labels, metric, strict=True)]
    rows += [{"m": m, "ann": None} for m in unjudged]
    return [row | {name: values[k] for name, values in more.items()} for k, row in enumerate(rows)]


def test_vector():
    estimate = fc.meta(tables_of(LABELS, METRIC, UNJUDGED), raters=["ann"]).metrics["m"].estimates
    found = estimate["all"]
    assert (found.powered_low, found.powered_high, found.weight) == pytest.approx(VECTOR, abs=1e-6)
    assert found.powered_mean == pytest.approx(0.8 + found.weight * 0.1)
    assert found.unit == "item"


@given(st.lists(st.tuples(VALUES, VALUES, st.integers(0, 4)), min_size=1, max_size=12),
       st.lists(st.tuples(VALUES, st.integers(2, 6)), min_size=1, max_size=12),
       st.booleans())  # fmt: skip
def test_estimates_are_those_of_plain_python(pairs, others, by_cluster):
    judged, metric, clusters = (list(column) for column in zip(*pairs, strict=True))
    unjudged, other_clusters = (list(column) for column in zip(*others, strict=True))
    units = [clusters, other_clusters] if by_cluster else [None, None]
    mean, low, high, weight = powered(judged, metric, unjudged, 0.0, 5.0, *units)
    codes = [*clusters, *other_clusters] if by_cluster else None
    found = sample_of(judged, metric, unjudged, (0.0, 5.0), codes).powered()
    assert (found.mean, found.weight) == pytest.approx((mean, weight), abs=1e-9)
    if low is None:
        assert math.isnan(found.low)
    else:
        assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
        assert found.low < found.high
        assert found.low <= found.mean <= found.high


@given(st.lists(st.tuples(*[st.booleans()] * 2, st.integers(0, 3)), min_size=3, max_size=20),
       st.randoms(use_true_random=False))  # fmt: skip
def test_order_of_rows_moves_no_bit(rows, chance):
    table = [{"item": f"i{k:02}", "doc": doc, "m": int(m), "ann": int(y) if k % 3 else None}
             for k, (y, m, doc) in enumerate(rows)]  # fmt: skip
    shuffled = chance.sample(table, len(table))
    a, b = (fc.meta(t, raters=["ann"], metrics=["m"], cluster="doc", n_resamples=2)
            for t in (table, shuffled))  # fmt: skip
    assert repr(a.metrics["m"].estimates) == repr(b.metrics["m"].estimates)


def test_people_alone_are_a_share_or_a_mean():
    """Of 29 of 30 by Clopper and Pearson; of clusters, and of means, by Student's t."""
    table = tables_of([1] * 29 + [0], [1] * 30, [1] * 9, doc=[k // 3 for k in range(39)])
    alone = fc.meta(table, raters=["ann"], metrics=["m"]).metrics["m"].estimates["all"]
    assert (alone.low, alone.high) == pytest.approx((0.827831, 0.999157), abs=1e-6)
    by_doc = fc.meta(table, raters=["ann"], metrics=["m"], cluster="doc").metrics["m"].estimates
    rows = [{"id": str(k), "doc": row["doc"], "value": row["ann"]}
            for k, row in enumerate(table[:30])]  # fmt: skip
    values = fc.statistics(rows).intervals(cluster="doc").scores["overall"]["value"]
    found = by_doc["all"]
    assert ((found.low, found.high), found.unit) == (pytest.approx(values[:2]), "doc")


def test_bounds_need_two_judged_rows_and_two_labels():
    single = sample_of([1.0], [0.5], [0.5, 0.7], (0.0, 1.0)).estimate()
    assert (single.mean, single.n, single.n_unjudged) == (1.0, 1, 2)
    assert math.isnan(single.low)
    assert math.isnan(single.powered_high)
    assert math.isnan(sample_of([], [], [0.5], (0.0, 1.0)).estimate().mean)
    report = fc.meta(tables_of([3, 3, 3], [1, 2, 3], [2, 2]), raters=["ann"], level="ordinal")
    assert math.isnan(report.metrics["m"].estimates["all"].powered_low)
    reason = report.undefined["metrics.m.estimates.all.powered_low"]
    assert reason == "labels do not vary"
    assert any(line.startswith("constant: the human value is 3") for line in report.warnings)


def test_estimates_stay_in_their_range_and_have_width():
    found = sample_of([0, 1, 1, 1], [0, 0.5, 0.5, 0.5], [0.9] * 98 + [0.8], (0.0, 1.0)).estimate()
    assert (found.powered_mean, found.powered_high) == (1, 1)
    assert found.powered_low < 1
    same = sample_of([1] * 30, [1] * 30, [1] * 99, (0.0, 1.0)).estimate()
    assert (same.powered_mean, same.high, same.powered_high) == (1, 1, 1)
    assert max(same.low, same.powered_low) < 0.95


@pytest.mark.parametrize(("scale", "near"), [(2.0**40, 1e-12), (2.0**-900, 0.2)])
def test_the_scale_of_labels_only_scales(scale, near):
    """The weight of very small scores underflows to 0, no bound does."""
    labels, metric = [1, 4, 2, 5, 3], [2, 4, 1, 5, 3]
    one, other = (
        sample_of([y * s for y in labels], [m * s for m in metric], [s, 3 * s, 2 * s],
                  (s, 5 * s)).powered() for s in (1.0, scale)
    )  # fmt: skip
    assert (other.low, other.high, other.mean) == pytest.approx(
        (one.low * scale, one.high * scale, one.mean * scale), rel=near)  # fmt: skip
    assert other.low < other.high


def test_differences_are_of_shared_items():
    """B minus A over items with scores of both; p and bounds agree."""
    rng = np.random.default_rng(3)
    rows = []
    for k in range(60):
        easy = rng.random()
        for name, skill in (("a", 0.3), ("b", 0.8), ("c", 0.5)):
            if (name, k % 10) != ("c", 0):
                truth = int(easy < skill)
                label = truth if k % 5 < 2 else None
                rows.append({"item": f"i{k:02}", "system": name, "ann": label,
                             "m": truth ^ int(rng.random() < 0.1), "doc": k // 5})  # fmt: skip
    for cluster in (None, "doc"):
        report = fc.meta(rows, raters=["ann"], metrics=["m"], cluster=cluster, n_resamples=5)
        found = report.metrics["m"].differences
        assert [*found] == ["b - a", "c - a", "c - b"]
        by_key = {(row["item"], row["system"]): row for row in rows}
        for name, each in found.items():
            b, a = name.split(" - ")
            items = [i for i in dict.fromkeys(r["item"] for r in rows)
                     if (i, a) in by_key and (i, b) in by_key]  # fmt: skip
            pairs = [(by_key[i, a], by_key[i, b]) for i in items]
            given_ = [(x, y) for x, y in pairs if x["ann"] is not None]
            others = [(x, y) for x, y in pairs if x["ann"] is None]
            mean, low, high, weight = powered(
                [y["ann"] - x["ann"] for x, y in given_], [y["m"] - x["m"] for x, y in given_],
                [y["m"] - x["m"] for x, y in others], -1.0, 1.0,
                *([[x["doc"] for x, _ in side] for side in (given_, others)] if cluster else ()),
            )  # fmt: skip
            assert (each.powered_mean, each.powered_low, each.powered_high, each.weight) == (
                pytest.approx((mean, low, high, weight), abs=1e-9))  # fmt: skip
            assert (each.n, each.n_unjudged) == (len(given_), len(others))
            assert (each.p <= 0.05) == (not low <= 0 <= high)
            assert each.p_adjusted >= each.p
        assert found["b - a"].p < 0.05
        assert "b - a" in str(report)


def test_many_systems_have_no_differences():
    rows = [{"item": i, "system": f"s{s}", "m": s % 2, "ann": s % 2 if i < 3 else None}
            for i in range(5) for s in range(21)]  # fmt: skip
    report = fc.meta(rows, raters=["ann"], metrics=["m"], n_resamples=2)
    assert report.metrics["m"].differences is None
    assert report.undefined["metrics.m.differences"] == "there are 21 systems"


@pytest.mark.slow
@trials(3)
@given(seed=st.integers(0, 99))
def test_intervals_hold_the_truth(seed):
    """In 300 samples of hard laws, at least 90% of the intervals hold, and none has no width."""
    for draw, n, share in ((draw_rows, 20, 0.97), (draw_documents, 10, 0.9), (draw_pairs, 10, 0.9)):
        rng = np.random.default_rng(seed)
        found = [estimated(draw, n, share, 0.95, rng) for _ in range(300)]
        for name in ("alone holds", "powered holds"):
            assert sum(sample[name] for sample in found) > 270, (draw, name)
        assert not any(sample["width zero"] for sample in found)

"""Every undefined number has a reason; scores outside the labels' range, rescaled or not."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from tests.support.profiles import trials
from tests.tasks.meta.test_judges import judged as words
from tests.tasks.meta.test_judges import tables as tables_of_words
from tests.tasks.meta.test_meta import human_of, scores_of, tables

OPTIONAL = ("intervals", "classes", "by")  # null unless asked for, or of another kind of labels


def missing(value, place=()):
    """Places of null in the JSON of a report."""
    if value is None and place[-1] not in OPTIONAL:
        yield place
    if isinstance(value, list):
        value = dict(enumerate(value))
    if isinstance(value, dict):
        for name, item in value.items():
            yield from missing(item, (*place, str(name)))


def require_reasons(report):
    places = set()
    for place in missing(json.loads(report.to_json())):
        if place[-2:-1] and place[-1] in "01" and "intervals" in place:
            place = place[:-1]  # one reason for both bounds
        places.add(".".join(place))
    assert places == set(report.undefined)
    assert all(report.undefined.values())


class TestReasons:
    @trials(60)
    @given(rows=tables(n_raters=2, labels=st.integers(0, 1) | st.none()), by=st.booleans())
    def test_of_all_binary_numbers(self, rows, by):
        rows = [row for row in rows if any(x is not None for x in row[4])]
        if rows:
            require_reasons(self.report(rows, by))

    @trials(60)
    @given(rows=tables(n_raters=2, labels=st.integers(1, 3) | st.none()), by=st.booleans())
    def test_of_all_numbers_of_a_scale(self, rows, by):
        if any(x is not None for row in rows for x in row[4]):
            require_reasons(self.report(rows, by))

    def report(self, rows, by):
        scores = [row | {"kind": row["item"] > "v"} for row in scores_of(rows)]
        return fc.meta(scores, human_of(rows), intervals=True, n_resamples=5,
                       metrics=["a", "b"], by="kind" if by else None)  # fmt: skip

    @trials(60)
    @given(rows=words(most=8, n_raters=2, least=1))
    def test_of_all_numbers_of_judges(self, rows):
        require_reasons(
            fc.meta(*tables_of_words(rows), metrics=["one", "two"], intervals=True, n_resamples=5)
        )

    @pytest.mark.parametrize(
        ("scores", "labels", "place", "reason"),
        [
            ([1, 1, 1], [0, 1, 0], "pooled.kendall", "scores do not vary"),
            ([1, 2, 3], [1, 1, 1], "pooled.pearson", "labels do not vary"),
            ([1, 2, 3], [1, 2, 3], "pooled.auc", "labels are not 0 and 1"),
            ([0, 1, 1], [1, 1, 1], "pooled.auc", "the majority does not vary"),
            ([1, 2, 3], [1, 2, 3], "by_item.kendall", "no item has two rows"),
            ([1, 2, 3], [1, 2, 3], "systems.kendall", "there is one system"),
            ([1, 2, 3], [1, 2, 3], "threshold", "labels are not 0 and 1"),
            ([1, 2, 3], [1, 2, 3], "estimates", "every row is judged"),
            ([1, 2, 3], [1, 2, 3], "alt_test.winning_rate", "there is one rater"),
            ([0, 2, 9], [1, 2, 3], "pooled.bias",
             "scores go from 0 to 9, labels from 1 to 3; rescale maps them"),
            ([0, 2, 9], [1, 2, 3], "alt_test",
             "scores go from 0 to 9, labels from 1 to 3; rescale maps them"),
        ],
    )  # fmt: skip
    def test_by_hand(self, scores, labels, place, reason):
        table = [{"m": m, "ann": label} for m, label in zip(scores, labels, strict=True)]
        report = fc.meta(table, raters=["ann"])
        assert report.undefined[f"metrics.m.{place}"] == reason
        shown = [line for line in report.legend if reason in line]
        assert len(shown) == (place not in ("threshold", "estimates") or reason in str(shown))

    def test_a_line_for_each_reason(self):
        table = [{"m": k, "n": 3 - k, "ann": k % 3} for k in range(6)]
        report = fc.meta(table, raters=["ann"])
        [auc] = [line for line in report.legend if "0 and 1" in line]
        assert auc == "undefined: pooled.auc of m, n: labels are not 0 and 1"
        assert auc in str(report)


class TestRescale:
    def test_scores_outside_the_range_are_mapped_only_on_request(self):
        rows = [(f"i{k}", m, label) for k, (m, label) in enumerate(
            zip([0, 0.25, 0.5, 1.0] * 10, [1, 2, 3, 5] * 10, strict=True))]  # fmt: skip
        table = [{"item": i, "f1": m, "judge": label, "ann": label, "ben": label}
                 for i, m, label in rows]  # fmt: skip
        plain, mapped = (
            fc.meta(table, raters=["ann", "ben"], rescale=r, n_resamples=5) for r in (False, True)
        )
        assert math.isnan(plain.metrics["f1"].pooled["bias"])
        assert plain.metrics["f1"].alt_test is None
        assert "rescale" not in plain.signature
        # 1 + 4 × score: 1, 2, 3, 5
        assert mapped.metrics["f1"].pooled["bias"] == mapped.metrics["f1"].pooled["mae"] == 0.0
        assert mapped.metrics["f1"].alt_test.advantage == 1.0
        assert "|rescale:f1|" in mapped.signature
        assert repr(mapped.metrics["judge"]) == repr(plain.metrics["judge"])
        for level in ("pooled", "by_item", "systems"):
            for name in ("kendall", "pearson"):
                a, b = (getattr(r.metrics["f1"], level)[name] for r in (plain, mapped))
                assert a == pytest.approx(b, nan_ok=True)

    @given(scores=st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=9, unique=True))
    def test_least_and_largest_score_are_least_and_largest_label(self, scores):
        labels = [0.1, *[0.3] * (len(scores) - 2), 0.7]
        table = [{"m": m, "ann": x} for m, x in zip(sorted(scores), labels, strict=True)]
        bias = fc.meta(table, raters=["ann"], rescale=True).metrics["m"].pooled["bias"]
        low, high = min(scores), max(scores)
        if low >= 0.1 and high <= 0.7:
            return
        mapped = [0.1 + 0.6 * (m / 2 - low / 2) / (high / 2 - low / 2) for m in sorted(scores)]
        expected = sum(m - x for m, x in zip(mapped, labels, strict=True)) / len(labels)
        assert bias == pytest.approx(expected, abs=1e-9)

    def test_a_constant_metric_stays(self):
        table = [{"m": 9, "ann": x} for x in (1, 2, 3)]
        report = fc.meta(table, raters=["ann"], rescale=True)
        assert "scores go from 9 to 9" in report.undefined["metrics.m.pooled.bias"]

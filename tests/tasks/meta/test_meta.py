"""Metrics against people: plain loops, other packages, hand-worked cases, and bad tables."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

import fastcausal as fc
from fastcausal.tasks.meta.correlations import CORRELATIONS, Ordered, correlations
from fastcausal.tasks.meta.levels import RatedScores, average_items, pooled, systems
from fastcausal.tasks.meta.swaps import SCORES
from tests.oracles import meta as oracle
from tests.support.cli import cli
from tests.support.profiles import trials

ROOT = Path(__file__).parents[3]
NAN = math.nan
FEW = st.integers(0, 4).map(float)
BINARY = st.integers(0, 1)
VOTES = {"s": ["101", "111", "110"], "t": ["111", "010", "111"], "u": ["000", "100", "101"]}
FLOATS = st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 3))


def close(a, b, tolerance=1e-12):
    if a is None or math.isnan(a):
        return b is None or math.isnan(b)
    return math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)


@st.composite
def sides(draw, least=0):
    n = draw(st.integers(least, 30))
    values = draw(st.sampled_from([FEW, FLOATS]))
    return tuple(np.array(draw(st.lists(v, min_size=n, max_size=n))) for v in (values, FEW))


@st.composite
def tables(draw, n_raters=2, labels=BINARY, most_rows=24):
    """Rows (system, item, score, other score, labels of raters), some pairs left out."""
    keys = [(s, i) for s in "abcd"[: draw(st.integers(1, 4))] for i in "tuvwxy"]
    keys = draw(st.lists(st.sampled_from(keys), min_size=2, max_size=most_rows, unique=True))
    return [
        (*key, draw(FEW) / 4, draw(FEW) / 4, [draw(labels) for _ in range(n_raters)])
        for key in keys
    ]


def exact_pearson(x, y):
    x, y = ([*map(Fraction, side.tolist())] for side in (x, y))
    x, y = ([value - sum(side) / len(side) for value in side] for side in (x, y))
    products, *squares = (
        sum(a * b for a, b in zip(*p, strict=True)) for p in ((x, y), (x, x), (y, y))
    )
    if not all(squares):
        return NAN
    return math.copysign(math.sqrt(products**2 / squares[0] / squares[1]), products)


def scores_of(rows):
    return [{"system": s, "item": i, "a": a, "b": b} for s, i, a, b, _ in rows]


def human_of(rows):
    return [
        {"system": s, "item": i, "rater": f"r{k}", "label": label}
        for s, i, *_, labels in rows
        for k, label in enumerate(labels)
        if label is not None
    ]


def plain_rows(rows, metric=0):
    return sorted((s, i, (a, b)[metric], math.fsum(v) / len(v)) for s, i, a, b, v in rows)


def dictionary(report):
    return json.loads(report.to_json())


class TestCorrelations:
    @given(values=sides())
    def test_plain_loops(self, values):
        found = correlations(*values)
        for name, score in oracle.SCORES.items():
            assert close(found[name], score(*(side.tolist() for side in values)), 1e-9)

    @given(values=sides(least=2))
    def test_scipy_and_sklearn(self, values):
        assume(all(len(set(side.tolist())) > 1 for side in values))
        found = correlations(*values)
        assert close(found["kendall"], stats.kendalltau(*values).statistic)
        assert close(found["spearman"], stats.spearmanr(*values).statistic)
        assert close(found["pearson"], stats.pearsonr(*values).statistic, 1e-9)
        binary = (values[1] > np.median(values[1])).astype(float)
        if 0 < binary.sum() < len(binary):
            assert close(correlations(values[0], binary)["auc"], roc_auc_score(binary, values[0]))

    @given(
        values=sides(),
        offset=st.sampled_from([0.0, 1e9, 1e15, -4e15]),
        power=st.integers(-900, 900),
    )
    @example(values=(np.array([1.0, 2, 4]), np.array([1.0, 3, 2])), offset=1e15, power=0)
    def test_pearson_keeps_its_digits_far_from_0(self, values, offset, power):
        """Pearson equals exact fractions, even if values are far from 0 or their squares vanish."""
        x, y = np.round(values[0]) + offset, np.ldexp(values[1], power)
        assert close(correlations(x, y)["pearson"], exact_pearson(x, y), 1e-14)

    def test_many_labels(self):
        rng = np.random.default_rng(0)
        x, y = rng.integers(0, 400, (2, 3000)).astype(float)
        assert close(correlations(x, y)["kendall"], stats.kendalltau(x, y).statistic)
        assert close(correlations(x * 1e200, y * 1e-200)["pearson"], stats.pearsonr(x, y).statistic)

    @given(values=sides(), seed=st.integers(0, 99))
    def test_weights_repeat_rows_and_order_moves_no_bit(self, values, seed):
        rng = np.random.default_rng(seed)
        weights = rng.integers(0, 3, (2, len(values[0])))
        drawn = Ordered.sort(*values).correlate(weights)
        order = rng.permutation(len(values[0]))
        again = Ordered.sort(*(side[order] for side in values)).correlate(weights[:, order])
        for name in drawn:
            assert np.array_equal(drawn[name], again[name], equal_nan=True)
            for k, row in enumerate(weights):
                repeated = correlations(*(np.repeat(side, row) for side in values))
                assert close(drawn[name][k, 0], repeated[name], 1e-9)

    @given(parts=st.lists(sides(), max_size=4))
    def test_segments(self, parts):
        offsets = np.cumsum([0, *(len(part[0]) for part in parts)])
        x, y = (np.concatenate([[], *(part[k] for part in parts)]) for k in (0, 1))
        together = Ordered.sort(x, y, offsets).correlate()
        for k, part in enumerate(parts):
            alone = correlations(*part)
            assert all(close(together[name][0, k], alone[name], 1e-9) for name in alone)


class TestLevels:
    @given(rows=tables())
    def test_plain_loops(self, rows):
        report = fc.meta(scores_of(rows), human_of(rows), n_resamples=5)
        for metric, name in enumerate("ab"):
            plain, found = plain_rows(rows, metric), report.metrics[name]
            for level, score_of in oracle.LEVELS.items():
                scores = getattr(found, level)
                for score in CORRELATIONS:
                    assert close(scores[score], score_of(plain, score), 1e-9), (level, score)
            best, threshold = oracle.calibrated(plain)
            assert close(found.by_item["calibrated_accuracy"], best)
            assert close(found.by_item["tie_threshold"], threshold)
            soft = oracle.soft_pairwise_accuracy(plain)
            assert close(found.systems["soft_pairwise_accuracy"], soft)
            sizes = [len(x) for x, _ in oracle.grouped(plain, 1).values() if len(x) > 1]
            assert (found.pooled["n"], found.by_item["n"]) == (len(rows), len(sizes))
            away = [score - label for *_, score, label in plain]
            labels = [label for *_, labels in rows for label in labels]
            if all(min(labels) <= score <= max(labels) for *_, score, _ in plain):
                assert close(found.pooled["bias"], math.fsum(away) / len(away))
                assert close(found.pooled["mae"], math.fsum(map(abs, away)) / len(away))
            else:
                assert math.isnan(found.pooled["bias"])
        voted = [(row[2], sum(row[4])) for row in rows if sum(row[4]) != 1]
        if len({total for _, total in voted}) == 2:
            x, y = zip(*voted, strict=True)
            auc = roc_auc_score([total == 2 for total in y], x)
            assert close(report.metrics["a"].pooled["auc"], auc)

    @given(tables(n_raters=3, labels=st.integers(0, 1) | st.none()))
    @example([
        (system, str(k), 0.3, place / 10, [*map(int, votes)])
        for place, (system, rows) in enumerate(VOTES.items())
        for k, votes in enumerate(rows)
    ])  # fmt: skip
    def test_equal_means_of_systems_are_ties(self, rows):
        """Against fractions: votes are whole numbers, scores decimal ones; neither has a rest."""
        rows = [(*row[:4], [v for v in row[4] if v is not None]) for row in rows]
        rows = [row for row in rows if row[4]]
        assume(rows)
        table = [(s, i, round(4 * a) / 10, round(4 * b) / 10, votes) for s, i, a, b, votes in rows]
        report = fc.meta(scores_of(table), human_of(table), n_resamples=10)
        for metric, of_row in (("a", 2), ("b", 3)):
            means = []
            for system in sorted({row[0] for row in table}):
                mine = [row for row in table if row[0] == system]
                tenths = [Fraction(round(10 * row[of_row]), 10) for row in mine]
                people = [Fraction(sum(row[4]), len(row[4])) for row in mine]
                means.append([sum(values) / len(mine) for values in (tenths, people)])
            found = report.metrics[metric].systems
            for name in ("kendall", "pairwise_accuracy", "spearman"):
                assert close(found[name], oracle.SCORES[name](*zip(*means, strict=True)))

    @trials(25)
    @given(
        rows=tables(most_rows=7),
        compare=st.sampled_from([(k, v) for k, scores in SCORES.items() for v in scores]),
    )
    def test_swaps_against_all_of_them(self, rows, compare):
        level, score = compare
        assume(score != "auc")  # of other rows
        report = fc.meta(scores_of(rows), human_of(rows), compare=f"{level}.{score}")
        [test] = report.tests
        sides = plain_rows(rows, 0), plain_rows(rows, 1)
        if any(len({row[2] for row in side}) < 2 for side in sides):
            return
        values = [oracle.of_level(side, level, score) for side in sides]
        observed = values[0] - values[1]
        if math.isnan(observed):
            assert math.isnan(test.p)
            return
        delta, p = oracle.swap_test(*sides, level, score)
        assert close(test.delta, delta, 1e-9)
        assert close(test.p, p)
        assert (test.a, test.b, test.p_adjusted, test.unit) == ("a", "b", test.p, "item")

    @pytest.mark.parametrize("labels", [["yes", "no"], [1, 2, 3, 4, 5]])
    def test_clusters_are_tested_as_items_of_more_rows(self, labels):
        """A topic of items of one system is tested as an item of as many systems."""
        rng = np.random.default_rng(0)
        topics = rng.integers(0, 9, 60).tolist()
        a, b, *people = (rng.choice(labels, (5, 60))).tolist()
        reports = []
        for names, options in (("item", "topic"), {"cluster": "topic"}), (("system", "item"), {}):
            keys = [dict(zip(names, map(str, pair), strict=True)) for pair in enumerate(topics)]
            scores = [key | {"a": a[k], "b": b[k]} for k, key in enumerate(keys)]
            human = [
                {n: v for n, v in key.items() if n != "topic"} | {"rater": r, "label": said[k]}
                for k, key in enumerate(keys)
                for r, said in enumerate(people)
            ]
            reports.append(dictionary(fc.meta(scores, human, n_resamples=9, **options)))
        by_topic, by_item = reports
        assert by_topic["tests"] == [by_item["tests"][0] | {"unit": "topic"}]
        for name in "ab":
            found, other = (report["metrics"][name]["alt_test"] for report in reports)
            assert (found.pop("unit"), other.pop("unit")) == ("topic", "item")
            assert found == other

    @trials(25)
    @given(rows=tables(n_raters=3, labels=st.integers(1, 5)))
    def test_ceiling(self, rows):
        report = fc.meta(scores_of(rows), human_of(rows), level="ordinal", n_resamples=5)
        assert report.human is not None
        for level, score_of in oracle.LEVELS.items():
            for score in CORRELATIONS:
                values = []
                for k in range(3):
                    rest = [(s, i, v[k], (sum(v) - v[k]) / 2) for s, i, _, _, v in rows]
                    values.append(score_of(sorted(rest), score))
                expected = oracle.mean_defined(values)
                assert close(report.human["ceiling"][level][score], expected, 1e-9)
        votes = [[*row[4]] for row in rows]
        alpha = fc.krippendorff_alpha(votes, "ordinal")
        assert close(report.human["agreement"]["alpha"], alpha)

    @trials(25)
    @given(rows=tables(n_raters=3), seed=st.integers(0, 99))
    def test_order_moves_no_bit(self, rows, seed):
        rng = np.random.default_rng(seed)
        options = {"intervals": True, "n_resamples": 20, "level": "nominal"}
        report = fc.meta(scores_of(rows), human_of(rows), **options)
        scores, human = scores_of(rows), human_of(rows)
        rng.shuffle(scores)
        rng.shuffle(human)
        assert fc.meta(scores, human, **options).to_json() == report.to_json()
        names = {"r0": "r2", "r2": "r0", "r1": "r1"}
        renamed = [row | {"rater": names[row["rater"]]} for row in human]
        again = dictionary(fc.meta(scores, renamed, **options))
        assert again["metrics"] == dictionary(report)["metrics"]

    @given(rows=tables(), seed=st.integers(0, 9))
    def test_drawn_items_are_repeated_items(self, rows, seed):
        """Scores under weights equal the scores of a table that repeats each drawn item."""
        plain = sorted(plain_rows(rows), key=lambda row: (row[1], row[0]))
        items, system = (np.unique([r[k] for r in plain], return_inverse=True)[1] for k in (1, 0))
        x, y = (np.array([row[k] for row in plain]) for k in (2, 3))
        times = np.random.default_rng(seed).integers(0, 3, (1, items.max() + 1))
        assume(times.any())
        weights = times[:, items]
        drawn = [
            (row[0], f"{row[1]}{copy}", *row[2:])
            for row, w in zip(plain, weights[0], strict=True)
            for copy in range(w)
        ]
        values = RatedScores(items, system, x, y)
        for level, compute in {
            "pooled": pooled,
            "by_item": average_items,
            "systems": systems,
        }.items():
            for name in CORRELATIONS:
                expected = oracle.LEVELS[level](drawn, name) if drawn else NAN
                assert close(compute(values, weights)[name][0], expected, 1e-9), (level, name)


HAND = [
    {"system": "x", "item": "1", "f": 0.9}, {"system": "y", "item": "1", "f": 0.4},
    {"system": "x", "item": "2", "f": 0.8}, {"system": "y", "item": "2", "f": 0.7},
    {"system": "x", "item": "3", "f": 0.2}, {"system": "y", "item": "3", "f": 0.6},
]  # fmt: skip
SAID = [
    {"system": s, "item": i, "label": label}
    for (s, i), label in zip(
        [("x", "1"), ("y", "1"), ("x", "2"), ("y", "2")], (1, 0, 1, 1), strict=True
    )
]


class TestByHand:
    def test_unjudged_rows(self):
        report = dictionary(fc.meta(HAND, SAID))
        assert report["human"] is None
        assert (report["n_items"], report["n_systems"], report["n_unjudged"]) == (4, 2, 2)
        metric = report["metrics"]["f"]
        assert metric["pooled"]["auc"] == 1.0
        assert metric["pooled"]["kendall"] == pytest.approx(3 / math.sqrt(18))
        assert metric["by_item"]["n"] == 2
        assert metric["by_item"]["n_undefined"] == 1  # both labels of item 2 are 1
        assert metric["by_item"]["calibrated_accuracy"] == 1.0
        assert metric["by_item"]["tie_threshold"] == pytest.approx(0.1)
        assert metric["threshold"]["value"] == 0.7
        assert metric["alt_test"]["n_raters"] == 0
        assert metric["estimates"]["x"]["mean"] == 1.0
        assert metric["estimates"]["x"]["n_unjudged"] == 1
        assert metric["intervals"] is None
        assert (report["by"], report["tests"]) == ({}, [])

    def test_warnings(self):
        scores = [
            {"item": f"i{k}", "good": k % 2, "flat": 1, "bad": -(k % 2), "kind": "ab"[k < 4]}
            for k in range(24)
        ]
        said = [k % 2 if k > 3 else 0 for k in range(24)]
        human = [
            {"item": f"i{k}", "rater": r, "label": None if (r, k) == ("c", 3) else said[k]}
            for k in range(24)
            for r in "abc"
        ]
        report = fc.meta(scores, human, by="kind")
        assert set(report.by) == {"a", "b"}
        assert [warning.partition(":")[0] for warning in report.warnings] == [
            "identical", "identical", "identical", "unjudged", "inverted", "constant", "systems",
            "labels do not vary within kind=b (4 rows)",
        ]  # fmt: skip
        assert 'rater "c" gave null to all 1 rows of 1 items ("i3")' in report.warnings[3]

    def test_an_item_left_out_in_every_system_is_named_once(self):
        scores = [{"system": s, "item": i, "f": k} for k, s in enumerate("xy") for i in "12"]
        said = [{"item": "1", "rater": "a"}, {"item": "2", "rater": "a", "label": 1}]
        human = [row | {"system": system} for row in said for system in "xy"]
        [unjudged] = [w for w in fc.meta(scores, human).warnings if w.startswith("unjudged")]
        assert unjudged == 'unjudged: rater "a" gave null to all 2 rows of 1 items ("1")'

    def test_unmatched(self):
        scores = [*HAND[:3], HAND[3] | {"f": None}]
        with pytest.raises(fc.InputError, match=r'row 3: .*: "f" is missing.*unmatched="skip"'):
            fc.meta(scores, SAID)
        with pytest.raises(fc.InputError, match=r'row 3: .*item "\w+".*: label without score'):
            fc.meta(HAND[:3], SAID)
        report = fc.meta(scores, SAID, unmatched="skip")
        assert (report.n_items, report.metrics["f"].pooled["n"]) == (3, 3)
        assert fc.meta(HAND[:3], SAID, unmatched="skip").n_items == 3

    def test_the_same_from_every_kind_of_file(self, tmp_path):
        fc_scores, fc_human = pa.Table.from_pylist(HAND), pa.Table.from_pylist(SAID)
        expected = fc.meta(HAND, SAID).to_json()
        assert fc.meta(fc_scores, fc_human).to_json() == expected
        for kind in ("csv", "jsonl", "json", "parquet"):
            for name, rows in (("scores", HAND), ("human", SAID)):
                write(tmp_path / f"{name}.{kind}", rows)
            paths = (tmp_path / f"{name}.{kind}" for name in ("scores", "human"))
            assert fc.meta(*paths).to_json() == expected, kind

    def test_soft_accuracy_does_not_depend_on_the_order_of_systems(self):
        rng = np.random.default_rng(0)
        scores, labels = rng.integers(0, 3, (2, 60)).tolist()
        names = [*"pqr"]
        values = []
        for order in (names, names[::-1]):
            keys = [{"system": order[k % 3], "item": f"i{k // 3}"} for k in range(60)]
            table = [key | {"m": score} for key, score in zip(keys, scores, strict=True)]
            human = [key | {"label": label} for key, label in zip(keys, labels, strict=True)]
            metric = fc.meta(table, human, n_resamples=100).metrics["m"]
            values.append(metric.systems["soft_pairwise_accuracy"])
        assert values[0] == pytest.approx(values[1], abs=1e-12)


def write(path, rows):
    import pyarrow.csv
    import pyarrow.parquet

    table = pa.Table.from_pylist(rows)
    if path.suffix == ".csv":
        pyarrow.csv.write_csv(table, path)
    elif path.suffix == ".parquet":
        pyarrow.parquet.write_table(table, path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        path.write_text(json.dumps(rows))


BAD = {
    "a score twice": ([*HAND, HAND[0]], SAID, {}, r"occurs twice, first in .*scores.*: row 0"),
    "a label twice": (HAND, [*SAID, SAID[0]], {}, r"occurs twice, first in .*human.*: row 0"),
    "a label without score": (HAND[:2], SAID, {}, "label without score"),
    "a score that is missing": ([*HAND[:5], HAND[5] | {"f": None}], SAID, {}, '"f" is missing'),
    "no item": ([{"f": 1}], SAID, {}, 'no column "item"'),
    "no item in human": (HAND, [{"label": 1}], {}, 'no column "item"'),
    "no label": (HAND, [{"item": "1"}], {}, 'no column "label"'),
    "no such metric": (HAND, SAID, {"metrics": ["g"]}, 'no column "g"'),
    "no such column of by": (HAND, SAID, {"by": "g"}, 'no column "g"'),
    "no such cluster": (HAND, SAID, {"cluster": "g"}, 'no column "g"'),
    "no rows": ([], SAID, {}, "has no rows"),
    "no metric": ([{"item": "1", "system": "x"}], SAID, {}, "no column of numbers"),
    "words as labels of scores": (
        HAND,
        [SAID[0] | {"label": "good"}],
        {},
        "no column with labels of people",
    ),
    "an infinite score": ([HAND[0] | {"f": math.inf}], SAID, {}, '"f" is infinite'),
    "a score too large": ([HAND[0] | {"f": -1e308}], SAID, {}, '"f" is -1e\\+308, expected'),
    "no labels at all": (HAND, [SAID[0] | {"label": None}], {}, "has a label"),
    "systems on one side": (HAND, [{"item": "1", "label": 1}], {}, 'no column "system"'),
    "an item that is missing": (
        [*HAND, HAND[0] | {"item": None}],
        SAID,
        {},
        'no "item", expected one in every row',
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_tables(case, tmp_path):
    scores, human, options, message = BAD[case]
    with pytest.raises(fc.InputError, match=message) as error:
        fc.meta(scores, human, **options)
    assert "\n" not in str(error.value)
    if case == "an infinite score":
        return
    for name, rows in (("scores", scores), ("human", human)):
        (tmp_path / f"{name}.json").write_text(json.dumps(rows))
    flags = [
        f"--{'metric' if name == 'metrics' else name}{'' if value is True else f'={value[0]}'}"
        for name, value in options.items()
    ]
    out, _ = cli(
        "meta", tmp_path / "scores.json", tmp_path / "human.json", *flags, "--json", expect=2
    )
    assert re.search(message, json.loads(out)["error"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"compare": "pooled"}, 'compare is "pooled", expected one of pooled.pearson'),
        ({"level": "odd"}, 'level is "odd"'),
        ({"unmatched": "empty"}, 'unmatched is "empty"'),
        ({"folds": 1}, "folds is 1, expected 2 to 1000"),
        ({"folds": 1_000_000}, "folds is 1000000, expected 2 to 1000"),
        ({"epsilon": -1}, "epsilon is -1"),
        ({"epsilon": 1.01}, "epsilon is 1.01, expected 0 to 1"),
        ({"n_resamples": 0}, "n_resamples is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"metrics": []}, "metrics is empty"),
        ({"metrics": ["f", "f"]}, '"f" is given twice'),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(ValueError, match=message):
        fc.meta(HAND, SAID, **options)


def many(n_metrics, **more):
    rng = np.random.default_rng(0)
    names = [f"m{k:03}" for k in range(n_metrics)]
    scores = {"item": [*range(40)]} | {n: rng.random(40) for n in names} | more
    return pa.table(scores), pa.table({"item": [*range(40)], "label": rng.integers(0, 2, 40)})


def test_many_metrics_are_tested_when_it_is_asked_for():
    """The pairs of 50 metrics are 1,225; without a question that no one asked they cost nothing."""
    few = fc.meta(*many(20), n_resamples=2)
    assert (len(few.tests), "compare:pooled.kendall|" in few.signature) == (190, True)
    most = fc.meta(*many(21), n_resamples=2)
    assert (most.tests, "compare:none|" in most.signature) == ([], True)
    assert "tests: 21 metrics are 210 pairs, and of more than 20 metrics" in "".join(most.warnings)
    asked = fc.meta(*many(21), n_resamples=2, compare="pooled.pearson")
    assert len(asked.tests) == 210
    assert not any(warning.startswith("tests:") for warning in asked.warnings)


INTERRUPTED = """
import math, os, signal
import fastcausal as fc
from fastcausal.tasks.meta import swaps
from tests.tasks.meta.test_meta import many

begun, test = [], swaps._test

def waiting(*arguments):
    begun.append(arguments[-1])
    if len(begun) == 1:
        os.kill(os.getpid(), signal.SIGINT)
    assert arguments[-1].wait(60)
    assert math.isnan(test(*arguments)[1])
    return 0.0, 1.0

swaps._test = waiting
try:
    fc.meta(*many(20), n_resamples=10)
except KeyboardInterrupt:
    print(0 < len(begun) < 190, {stopped.is_set() for stopped in begun})
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="processes cannot be sent SIGINT")
def test_ctrl_c_ends_tests_of_pairs():
    """Ctrl-C stops the tests that run, and the waiting ones never begin."""
    command = [sys.executable, "-c", INTERRUPTED]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "True {True}\n"


def test_folds_beyond_the_items_are_empty():
    reports = [fc.meta(*many(1), folds=folds, n_resamples=2) for folds in (40, 41, 1000)]
    fits = [report.metrics["m000"].threshold for report in reports]
    assert fits[0] == fits[1] == fits[2]


def test_tables_fit_a_terminal(tmp_path):
    for name, rows in (("scores", HAND), ("human", SAID)):
        write(tmp_path / f"{name}.csv", rows)
    paths = tmp_path / "scores.csv", tmp_path / "human.csv"
    out, warned = cli("meta", *paths, "--intervals", "--resamples", "50")
    assert "warning: systems: 2, fewer than 5" in warned
    text = str(fc.meta(*paths))
    assert max(map(len, text.split("fastcausal|")[0].splitlines())) <= 80
    out, _ = cli("meta", *paths, "--json")
    assert json.loads(out) == dictionary(fc.meta(*paths))
    flat = fc.meta(*paths).to_flat("dev/")
    assert flat["dev/f_pooled_auc"] == 1.0
    assert fc.meta(*paths).to_arrow().num_rows == 3

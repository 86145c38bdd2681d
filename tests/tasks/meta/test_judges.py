"""Judges who give words as labels: plain loops, scikit-learn, hand-worked cases and bad tables."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import (
    cohen_kappa_score,
    f1_score,
    matthews_corrcoef,
    precision_recall_fscore_support,
)

import fastcausal as fc
from fastcausal import sample
from fastcausal.tasks.meta.judges import JudgeFormula, rows_of
from tests.oracles import judges as oracle
from tests.support.cli import cli
from tests.support.profiles import trials

NAN = math.nan
LABELS = sample.FOLDER / "crab_labels.csv"
RATERS = ["r4", "r5", "r8"]
WORD = st.sampled_from(["A", "B", "C", "no link"])


def near(a, b):
    return math.isclose(a, b, abs_tol=1e-12) or (math.isnan(a) and math.isnan(b))


@st.composite
def judged(draw, most=16, n_raters=3, least=2):
    """Rows (item, system, labels of two judges, labels of people); a person skips some."""
    keys = st.tuples(st.sampled_from("tuvwxyz"), st.sampled_from("abc"))
    keys = draw(st.lists(keys, min_size=least, max_size=most, unique=True))
    people = st.lists(WORD | st.none(), min_size=n_raters, max_size=n_raters)
    rows = [(*key, draw(WORD), draw(WORD | st.just("D")), draw(people)) for key in sorted(keys)]
    assume(any(any(row[4]) for row in rows))
    return rows


def tables(rows):
    scores = [{"item": i, "system": s, "one": a, "two": b} for i, s, a, b, _ in rows]
    human = [
        {"item": i, "system": s, "rater": f"r{k}", "label": label}
        for i, s, *_, people in rows
        for k, label in enumerate(people)
        if label is not None
    ]
    return scores, human


def of_judge(rows, judge):
    """Rows of the oracle: a judge's label, and people's."""
    return [(row[2 + judge], row[4]) for row in rows if any(row[4])]


def meta(rows, **options):
    options = {"n_resamples": 5, "metrics": ["one", "two"]} | options
    return fc.meta(*tables(rows), **options)


class TestScores:
    @given(rows=judged())
    def test_plain_loops(self, rows):
        report = meta(rows)
        words = {label for *_, people in rows for label in people}
        words |= {label for row in rows for label in row[2:4]}
        assert report.classes == tuple(sorted(words - {None}))
        assert "|level:nominal|" in report.signature
        for judge, name in enumerate(("one", "two")):
            mine, found = of_judge(rows, judge), report.metrics[name].scores
            for score, compute in oracle.SCORES.items():
                assert near(found["overall"][score], float(compute(mine))), score
            each = {label: oracle.of_class(mine, label) for label in report.classes}
            for label, values in each.items():
                for score, value in zip(("precision", "recall", "f1"), values, strict=True):
                    assert near(found[f"class_{label}"][score], float(value)), (label, score)
            f1 = [float(v[2]) for v in each.values() if not math.isnan(v[2])]
            assert near(found["macro"]["f1"], sum(f1) / len(f1) if f1 else NAN)
            pairs = oracle.voted(mine)
            assert found["overall"]["n"] == len(pairs)
            matrix = [[pairs.count((a, b)) for b in report.classes] for a in report.classes]
            assert report.metrics[name].confusion.tolist() == matrix

    @given(rows=judged(n_raters=1))
    def test_scikit_learn(self, rows):
        rows = [row for row in rows if row[4] != [None]]
        gold, judge = [row[4][0] for row in rows], [row[2] for row in rows]
        assume(len({*gold, *judge}) > 1)
        scores = meta(rows, metrics=["one"]).metrics["one"].scores
        assert near(scores["overall"]["kappa"], cohen_kappa_score(gold, judge))
        assert near(scores["macro"]["f1"], f1_score(gold, judge, average="macro"))
        assert near(scores["weighted"]["f1"], f1_score(gold, judge, average="weighted"))
        if len(set(gold)) > 1 and len(set(judge)) > 1:  # else 0 there, undefined here
            assert near(scores["overall"]["mcc"], matthews_corrcoef(gold, judge))
        words = sorted({*gold, *judge})
        columns = precision_recall_fscore_support(gold, judge, labels=words, zero_division=np.nan)
        for word, *values in zip(words, *columns, strict=True):
            found = scores[f"class_{word}"]
            for name, value in zip(("precision", "recall", "f1", "n"), values, strict=True):
                assert near(found[name], float(value))

    @given(rows=judged())
    def test_people(self, rows):
        human = meta(rows).human
        assume(human is not None)
        n_raters = len({k for *_, people in rows for k, x in enumerate(people) if x is not None})
        assume(n_raters == 3)
        of_raters = [oracle.rest_of([(None, row[4]) for row in rows], k) for k in range(3)]
        for score, compute in oracle.SCORES.items():
            values = [float(compute(mine)) for mine in of_raters if mine]
            values = [value for value in values if not math.isnan(value)]
            expected = sum(values) / len(values) if values else NAN
            assert near(human["ceiling"]["overall"][score], expected), score
        winners = [oracle.majority(row[4]) for row in rows if any(row[4])]
        assert human["n_tied"] == winners.count(None)
        assert {k: n for k, n in human["majority"].items() if n} == {
            k: winners.count(k) for k in set(winners) - {None}
        }
        votes = [row[4] for row in rows]
        assert near(human["agreement"]["alpha"], fc.krippendorff_alpha(votes, "nominal"))

    @given(rows=judged(), seed=st.integers(0, 99))
    def test_order_and_names_move_no_bit(self, rows, seed):
        rng = np.random.default_rng(seed)
        options = {"intervals": True, "n_resamples": 20}
        plain = meta(rows, **options).to_json()
        tables_ = [[t[k] for k in rng.permutation(len(t))] for t in tables(rows)]
        assert fc.meta(*tables_, metrics=["two", "one"], **options).to_json() == plain
        with_x = [(i, s, f"x{a}", f"x{b}", [x and f"x{x}" for x in p]) for i, s, a, b, p in rows]
        named, other = (meta(r).metrics["one"].scores["overall"] for r in (rows, with_x))
        assert all(near(named[score], other[score]) for score in named)


class TestAltTest:
    @trials(40)
    @given(seed=st.integers(0, 2**31), n=st.integers(25, 60), gaps=st.sampled_from([0, 0.3]),
           epsilon=st.sampled_from([0.0, 0.1, 0.3]), n_words=st.integers(2, 7))  # fmt: skip
    def test_algorithm_of_the_paper(self, seed, n, gaps, epsilon, n_words):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, n_words, n)
        noisy = [
            np.where(rng.random(n) < 0.35, rng.integers(0, n_words, n), truth) for _ in range(4)
        ]
        words = np.array(["alpha", "beta", "gamma", "delta", "eta", "zeta", "mu"])
        judge, *people = (words[labels].tolist() for labels in noisy)
        people = [[x if rng.random() >= gaps else None for x in labels] for labels in people]
        rows = [
            (f"i{k:03}", "s", label, label, list(said))
            for k, (label, *said) in enumerate(zip(judge, *people, strict=True))
        ]
        test = meta(rows, epsilon=epsilon, metrics=["one"]).metrics["one"].alt_test
        expected = oracle.alt_test(of_judge(rows, 0), epsilon)
        assert (test.winning_rate, test.advantage, test.n_raters) == pytest.approx(
            expected, nan_ok=True
        )

    def test_one_of_three_raters_is_replaced(self):
        """The judge, always with ann and ben, replaces cat; numbers are worked out by hand."""
        rows = [
            (f"i{k:02}", "s", "AB"[k % 2], "A", ["AB"[k % 2], "AB"[k % 2], "CAB"[k % 4 % 3]])
            for k in range(40)
        ]
        test = meta(rows, metrics=["one"], epsilon=0.0).metrics["one"].alt_test
        # With ann left out, the judge equals ann: no difference below 0. Against cat it wins.
        assert (test.winning_rate, test.n_raters) == (pytest.approx(1 / 3), 3)
        assert test.advantage == 1.0

    def test_words_have_no_distance(self):
        """C is as unlike A as B is, though further in the alphabet."""
        rows = [(f"i{k:02}", "s", "C", "C", ["A", "B"]) for k in range(40)]
        assert meta(rows, metrics=["one"]).metrics["one"].alt_test.advantage == 1.0


class TestExchanges:
    @trials(25)
    @given(rows=judged(), score=st.sampled_from(["accuracy", "kappa", "agreement"]))
    def test_all_exchanges_of_items(self, rows, score):
        [test] = meta(rows, compare=f"overall.{score}").tests
        kept = [row for row in rows if any(row[4])]
        sides = []
        for judge in (0, 1):
            by_item = {}
            for row in kept:
                by_item.setdefault(row[0], []).append((row[2 + judge], row[4]))
            sides.append(by_item)
        observed, p = oracle.exchange_p(*sides, oracle.SCORES[score])
        assert near(test.delta, observed)
        assert near(test.p, NAN if math.isnan(observed) else p)
        assert (test.a, test.b, test.level, test.score) == ("one", "two", "overall", score)

    def test_a_score_alone_is_that_of_all(self):
        rng = np.random.default_rng(4)
        rows = rows_of(rng.integers(0, 3, 30).astype(float), rng.integers(0, 3, (3, 30)) + 0.0)
        formula, weights = (
            JudgeFormula(("A", "B", "C"), True, None, None),
            rng.integers(0, 3, (5, 30)),
        )
        for name, values in formula.scores(rows, weights).items():
            assert np.array_equal(formula.only(name).scores(rows, weights)[name], values), name

    def test_holm_and_the_score_of_a_class(self):
        report = fc.meta(LABELS, raters=RATERS, metrics=["careful", "letters", "r4"],
                         compare="class_A.f1", n_resamples=200, unmatched="skip")  # fmt: skip
        assert [(test.a, test.b) for test in report.tests] == [
            ("careful", "letters"), ("careful", "r4"), ("letters", "r4"),
        ]  # fmt: skip
        least, *_, most = sorted(report.tests, key=lambda test: test.p)
        assert least.p_adjusted == min(1, 3 * least.p)
        assert least.p < most.p <= most.p_adjusted
        with pytest.raises(
            ValueError, match=r'compare is "pooled.kendall", expected one of overall'
        ):
            fc.meta(LABELS, raters=RATERS, compare="pooled.kendall")


class TestIntervals:
    @pytest.mark.parametrize("method", ["jackknife", "percentile"])
    def test_bounds_hold_the_score_and_a_sure_share_has_width(self, method):
        options = {"intervals": True, "method": method, "n_resamples": 300}
        report, again = (fc.meta(LABELS, raters=RATERS, seed=k, **options) for k in range(2))
        bounds, other = (
            r.metrics["letters"].intervals["overall"]["kappa"] for r in (report, again)
        )
        assert (bounds == other) == (method == "jackknife")
        for judge in report.metrics.values():
            for group, bounds in judge.intervals.items():
                for name, (low, high) in bounds.items():
                    assert low <= judge.scores[group][name] <= high
        rows = [(f"i{k}", "s", "A", "B", ["A", "A", "A"]) for k in range(30)]
        judge = meta(rows, intervals=True, n_resamples=100).metrics["one"]
        low, high = judge.intervals["overall"]["accuracy"]
        assert (round(low, 4), high) == (0.8843, 1.0)  # Clopper and Pearson, 30 of 30

    def test_items_are_drawn_with_all_their_rows(self):
        """Ten copies of each row in one item tell no more than one."""
        once = [(f"i{k}", "s", "AB"[k % 3 == 0], "A", ["AB"[k % 2]]) for k in range(24)]
        often = [(i, f"s{c}", a, b, p) for i, _, a, b, p in once for c in range(10)]
        bounds = [
            meta(rows, intervals=True, n_resamples=200).metrics["one"].intervals["overall"]
            for rows in (once, often)
        ]
        assert bounds[0]["kappa"] == pytest.approx(bounds[1]["kappa"])

    @pytest.mark.slow
    def test_bounds_cover(self):
        rng = np.random.default_rng(3)
        hits = 0
        for _ in range(300):
            truth = rng.integers(0, 3, 120)
            judge = np.where(rng.random(120) < 0.3, rng.integers(0, 3, 120), truth)
            table = [{"judge": "ABC"[j], "ann": "ABC"[t]}
                     for j, t in zip(judge, truth, strict=True)]  # fmt: skip
            metric = fc.meta(table, raters=["ann"], intervals=True, n_resamples=300)
            low, high = metric.metrics["judge"].intervals["overall"]["accuracy"]
            hits += low <= 0.8 <= high
        assert 0.9 * 300 <= hits <= 0.99 * 300


class TestLevels:
    def test_numbers_as_classes(self):
        rng = np.random.default_rng(1)
        numbers = [
            (f"i{k}", "s", *rng.integers(1, 5, 2).tolist(), rng.integers(1, 5, 3).tolist())
            for k in range(40)
        ]
        words = [
            (i, s, "_abcd"[a], "_abcd"[b], ["_abcd"[x] for x in p]) for i, s, a, b, p in numbers
        ]
        as_classes, as_words = meta(numbers, level="nominal"), meta(words)
        assert as_classes.classes == ("1", "2", "3", "4")
        for name in ("one", "two"):
            a, b = (report.metrics[name] for report in (as_classes, as_words))
            assert a.scores["overall"] == b.scores["overall"]
            assert (a.alt_test, a.confusion.tolist()) == (b.alt_test, b.confusion.tolist())

    @pytest.mark.parametrize(
        ("labels", "level", "is_classes"),
        [
            ([0, 1, 1, 0], "nominal", False),
            ([1, 3, 5, 2], "ordinal", False),
            ([0.5, 1, 2, 3], "interval", False),
            (["good", "bad", "good", "good"], "nominal", True),
            ([True, False, True, True], "nominal", False),
        ],
    )
    def test_the_level_is_that_of_the_labels(self, labels, level, is_classes):
        scores = [{"item": k, "m": labels[k - 1]} for k in range(4)]
        human = [{"item": k, "label": label} for k, label in enumerate(labels)]
        report = fc.meta(scores, human, n_resamples=2)
        assert f"|level:{level}|" in report.signature
        assert (report.classes is not None) == is_classes

    def test_level_decides_alpha(self):
        votes = [[1, 2, 3], [4, 4, 5], [2, 2, 5], [1, 1, 1]]
        rows = [(f"i{k}", "s", 1, 2, said) for k, said in enumerate(votes)]
        for level in (None, "ordinal", "interval", "nominal"):
            found = meta(rows, level=level).human["agreement"]["alpha"]
            assert near(found, fc.krippendorff_alpha(votes, level or "ordinal"))


class TestWideTable:
    def test_the_same_as_two_tables(self):
        import pyarrow.csv

        table = pyarrow.csv.read_csv(LABELS).to_pylist()
        scores = [{k: row[k] for k in ("item", "topic", "careful", "letters")} for row in table]
        human = [{"item": row["item"], "rater": r, "label": row[r] or None}
                 for row in table for r in RATERS]  # fmt: skip
        wide, long = fc.meta(LABELS, raters=RATERS), fc.meta(scores, human)
        assert wide.metrics["letters"].scores == long.metrics["letters"].scores
        assert wide.human["agreement"] == long.human["agreement"]
        assert [repr(test) for test in wide.tests] == [repr(test) for test in long.tests]
        assert "|label:r4+r5+r8|" in wide.signature

    def test_rows_are_items_without_that_column(self):
        table = [{"judge": j, "ann": a} for j, a in zip("ABAB", "ABBB", strict=True)]
        report = fc.meta(table, raters=["ann"])
        assert report.metrics["judge"].scores["overall"]["accuracy"] == 0.75
        numbers = fc.meta([{"m": 1.5, "ann": 0}, {"m": 2.5, "ann": 1}], raters=["ann"])
        assert numbers.metrics["m"].pooled["auc"] == 1.0

    def test_rows_without_labels_are_unjudged(self):
        table = [
            {"judge": "AB"[k % 3 == 0], "ann": "AB"[k % 3 == 0] if k < 6 else None}
            for k in range(10)
        ]
        report = fc.meta(table, raters=["ann"])
        assert (report.n_items, report.n_unjudged) == (6, 4)
        share = report.metrics["judge"].estimates["A"]["all"]
        assert (share.mean, share.n, share.n_unjudged) == (2 / 3, 6, 4)

    def test_command(self, tmp_path):
        flags = [flag for rater in RATERS for flag in ("--human", rater)]
        out, _ = cli("meta", LABELS, *flags, "--json")
        assert json.loads(out) == json.loads(fc.meta(LABELS, raters=RATERS).to_json())
        out, _ = cli("meta", LABELS, *flags, "--format", "markdown")
        assert "| careful | 0.5577 | 0.4067 |" in out
        out, _ = cli("meta", LABELS, *flags)
        assert max(map(len, out.split("fastcausal|")[0].splitlines())) <= 80


BAD = {
    "numbers among words": (
        [{"j": "A", "ann": "A"}, {"j": "A", "ann": "2"}], {}, r'row 0: "label" is "A", expected a',
    ),
    "no judge": ([{"j": 1.5, "ann": "A"}], {}, r'no column with labels of people \("A"\)'),
    "words of a level": ([{"j": "A", "ann": "A"}], {"level": "ratio"}, "for the level ratio"),
    "no such rater": ([{"j": "A", "ann": "A"}], {"raters": ["ben"]}, 'no column "ben"'),
    "no label": ([{"j": "A", "ann": None}], {}, "no label in ann"),
    "words and numbers": (
        [{"j": "A", "ann": "A", "ben": 3}], {"raters": ["ann", "ben"]}, "numbers and words",
    ),
    "one column of both": (
        [{"j": "A", "ann": "A"}, {"j": "A", "ann": 2}], {}, "expected a string as in",
    ),
    "an item twice": ([{"item": 1, "j": "A", "ann": "A"}] * 2, {}, "occurs twice"),
    "a judge without label": (
        [{"j": None, "ann": "A"}, {"j": "A", "ann": "A"}], {}, '"j" is missing',
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_tables(case):
    table, options, message = BAD[case]
    with pytest.raises(fc.InputError, match=message) as error:
        fc.meta(table, **{"raters": ["ann"]} | options)
    assert "\n" not in str(error.value)


def test_judges_are_columns_with_mostly_labels_of_people():
    table = [{"ann": "AB"[k % 2], "most": "A A B x"[2 * (k % 4)], "few": "A x y z"[2 * (k % 4)],
              "number": k} for k in range(8)]  # fmt: skip
    assert [*fc.meta(table, raters=["ann"]).metrics] == ["most"]


def test_thousands_of_texts_are_no_classes():
    table = [{"j": f"text {k}", "ann": f"text {k}"} for k in range(2001)]
    with pytest.raises(fc.InputError, match="2001 different labels, expected at most 2000"):
        fc.meta(table, raters=["ann"])


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ([LABELS], {}, "human is missing"),
        ([LABELS, LABELS], {"raters": ["r4"]}, "raters are columns of one wide table"),
        ([LABELS], {"raters": []}, "raters is empty"),
        ([LABELS], {"raters": ["r4", "r4"]}, '"r4" is given twice'),
        ([LABELS], {"raters": RATERS, "rescale": True}, "rescale is for numbers"),
        ([LABELS], {"raters": RATERS, "compare": "overall.f1"}, 'compare is "overall.f1"'),
    ],
)
def test_bad_arguments(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        fc.meta(*arguments, **options)


def test_bad_commands():
    for flags in ([], [LABELS, "--human", "r4"], ["--human", "r4", "--label", "r5"]):
        _, err = cli("meta", LABELS, *flags, expect=2)
        assert "HUMAN" in err
    out, _ = cli("meta", LABELS, "--human", "r4", "--metric", "careful", "--rescale", "--json",
                 expect=2)  # fmt: skip
    assert "rescale is for numbers" in json.loads(out)["error"]


def test_warnings():
    rows = [(f"i{k}", "s", "E", "BA"[k % 2], ["AB"[k % 2]]) for k in range(10)]
    warnings = meta(rows).warnings
    assert [warning.partition(":")[0] for warning in warnings] == [
        "constant", "unknown", "inverted",
    ]  # fmt: skip
    assert 'judge "one" gives "E" on all 10 rows' in warnings[0]
    assert 'gives "E" on 10 rows, people never' in warnings[1]
    assert 'judge "two" has a kappa of -1.0000' in warnings[2]


def test_by():
    report = fc.meta(LABELS, raters=RATERS, by="topic")
    for topic in ("4", "11"):
        rows = [line.split(",") for line in LABELS.read_text().splitlines()[1:]]
        mine = [(r[3], [x or None for x in r[4:]]) for r in rows if r[1] == topic]
        found = report.by[topic]["letters"].scores["overall"]
        assert near(found["kappa"], float(oracle.kappa(mine)))
    assert (
        report.subsets["4"]["letters_overall"].n == report.by["4"]["letters"].scores["overall"]["n"]
    )

"""Scores of statistics under weights equal scoring the drawn units anew, bit for bit."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import fields
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from fastcausal.counts.statistics import Statistics
from fastcausal.counts.task import declared, formula_of, resolve
from fastcausal.significance.sums import sums_of
from tests.support.annotated import agreed, noisy
from tests.support.profiles import trials
from tests.support.statistics import alike, of_draw, of_the_same, same

KERNELS = ("fair_spans", "exact_spans", "span_overlap", "partial_spans")
SPAN = st.tuples(st.integers(0, 5), st.integers(1, 3)).map(lambda s: (s[0], s[0] + s[1]))
RELATION = st.dictionaries(st.sampled_from(["cause", "effect", "signal"]), SPAN, min_size=1)
EXAMPLE = st.lists(RELATION, max_size=3)
EXAMPLES = st.lists(st.tuples(EXAMPLE, EXAMPLE), min_size=1, max_size=6)


def relations_of(side: list[list[dict]], ids: bool = False) -> fc.Relations:
    examples = [{"length": 9, "relations": relations} for relations in side]
    if ids:
        examples = [{"id": f"e{k}", **e, "doc": f"d{k % 2}"} for k, e in enumerate(examples)]
    return fc.Relations.from_examples(examples)


def scored(examples: list, protocol: fc.Protocol | str, ids: bool = False) -> fc.Report:
    gold, pred = ([pair[side] for pair in examples] for side in (0, 1))
    return fc.score(relations_of(gold, ids), relations_of(pred, ids), protocol)


def flat(report: fc.Report) -> dict[str, float]:
    scores = report.to_flat(counts=False).items()
    return {name: v for name, v in scores if not name.startswith("unparsed_")}


def alone(statistics: Statistics, weights: np.ndarray) -> dict[str, float]:
    """Each score by its own formula, from sums of the terms that it needs."""
    rows, scores = statistics.rows, {}
    for name in statistics.scores():
        score = statistics.formula.only(name)
        scores |= score.scores_of(sums_of(score.terms(rows), weights[None]))
    return {name: float(value[0]) for name, value in scores.items()}


@trials(40)
@given(EXAMPLES, st.sampled_from(KERNELS), st.sampled_from([None, 0.0, 1.0]), st.data())
def test_relations_drawn_anew(examples, kernel, undefined, data):
    protocol = fc.Protocol("own", kernel, undefined=undefined)
    statistics = scored(examples, protocol).statistics
    n = len(examples)
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    drawn = [examples[k] for k in np.repeat(np.arange(n), weights)]
    again = fc.ExtractionScorer(protocol).compute() if not drawn else scored(drawn, protocol)
    for form in (statistics, statistics.compressed()):
        assert same(of_draw(form, weights), flat(again))
        assert same(of_draw(form), flat(scored(examples, protocol)))
    assert same(of_draw(statistics.without_units()), of_draw(statistics))
    assert same(alone(statistics, weights), of_draw(statistics, weights))


@trials(30)
@given(EXAMPLES, st.sampled_from(KERNELS))
def test_a_scorer_holds_the_same_sums(examples, kernel):
    protocol = fc.Protocol("own", kernel)
    scorer = fc.ExtractionScorer(protocol)
    for pair in examples:
        scorer.update(gold=relations_of([pair[0]]), pred=relations_of([pair[1]]))
    assert scorer.statistics.units is None
    assert same(of_draw(scorer.statistics), flat(scored(examples, protocol)))
    assert same(of_draw(scorer.compute().statistics), flat(scorer.compute()))


@trials(30)
@given(EXAMPLES, st.integers(0, 6), st.integers(0, 6))
def test_parts_add_to_the_whole(examples, i, j):
    whole = scored(examples, "recess", ids=True).statistics
    order = np.arange(len(examples))
    parts = [whole.take(order[slice(*ends)]) for ends in ((0, i), (i, i + j), (i + j, None))]
    a, b, c = parts
    left, right = (a + b) + c, a + (b + c)
    alike(left, right)
    alike(left, whole)
    sums = [part.without_units() for part in parts]
    alike((sums[0] + sums[1]) + sums[2], whole.without_units())
    by_doc = whole.by("doc")
    assert list(by_doc) == sorted({f"d{k % 2}" for k in range(len(examples))})
    for k, statistics in enumerate(by_doc.values()):
        assert same(of_draw(statistics), flat(scored(examples[k::2], "recess")))


LABELS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1, max_size=9)


@trials(60)
@given(LABELS, st.sampled_from([None, 0.0, 1.0]), st.booleans(), st.data())
def test_labels_drawn_anew(pairs, undefined, given_labels, data):
    options = {"positive": "a", "undefined": undefined}
    if given_labels or undefined is not None:  # else classes are those that occur
        options["labels"] = ["a", "b", "c"]
    pairs = [("a", "a"), *pairs]  # one label of both sides, else refused
    report = fc.classify(*zip(*pairs, strict=True), **options)
    n = len(pairs)
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    again = fc.ClassificationScorer(**options)
    if weights.any():
        gold, pred = zip(*(pairs[k] for k in np.repeat(np.arange(n), weights)), strict=True)
        again.update(gold=gold, pred=pred)
    expected = flat(again.compute())
    for form in (report.statistics, report.statistics.compressed()):
        found = of_draw(form, weights)
        assert same({name: found[name] for name in expected}, expected)
        assert all(math.isnan(found[name]) for name in found.keys() - expected.keys())
        assert same(of_draw(form), flat(report))
    assert same(alone(report.statistics, weights), of_draw(report.statistics, weights))
    scorer = fc.ClassificationScorer(**options)
    for gold, pred in pairs:
        scorer.update(gold=[gold], pred=[pred])
    alike(scorer.statistics, report.statistics.without_units())
    alike(scorer.compute().statistics, scorer.statistics)


@trials(60)
@given(st.tuples(LABELS, LABELS, LABELS))
def test_parts_with_other_labels_add(parts):
    parts = [[("a", "a"), *part] for part in parts]  # one label of both, else refused
    a, b, c = (fc.classify(*zip(*part, strict=True), positive="a").statistics for part in parts)
    whole = fc.classify(*zip(*chain.from_iterable(parts), strict=True), positive="a").statistics
    alike((a + b) + c, a + (b + c))
    alike((a + b) + c, whole)


WORD = st.sampled_from(["rain", "the rain", "heavy rain fell", "flood", ""])
QUESTION = st.tuples(st.sampled_from(["Why?", "Because of what?", "When?"]), WORD, WORD)


@trials(60)
@given(st.lists(QUESTION, min_size=1, max_size=7), st.data())
def test_answers_drawn_anew(questions, data):
    def report(chosen):
        gold = [
            {"id": f"q{k}", "question": question, "answers": {"text": [answer]}}
            for k, (question, answer, _) in enumerate(chosen)
        ]
        return fc.qa(gold, {f"q{k}": pred for k, (_, _, pred) in enumerate(chosen)})

    whole = report(questions)
    n = len(questions)
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    drawn = [questions[k] for k in np.repeat(np.arange(n), weights)]
    for form in (whole.statistics, whole.statistics.compressed()):
        assert same(of_draw(form), flat(whole))
        if drawn:
            assert same(of_draw(form, weights), flat(report(drawn)))
    half = n // 2
    one, other = (whole.statistics.take(k) for k in np.split(np.arange(n), [half]))
    alike(one + other, whole.statistics)
    assert whole.statistics.units["id"].to_pylist() == [f"q{k}" for k in range(n)]


def reports():
    yield fc.classify(["a", "b", "c", "a"], ["a", "c", "c", "b"], positive="a")
    gold = [{"id": "q", "question": "Why?", "answers": {"text": ["heavy rain"]}}]
    yield fc.qa(gold, {"q": "rain"})


@pytest.mark.parametrize("report", [*reports()], ids=lambda report: type(report).__name__)
@pytest.mark.parametrize("units", [True, False])
def test_a_file_of_other_tasks(tmp_path, report, units):
    statistics = report.statistics if units else report.statistics.without_units()
    statistics.write(tmp_path / "counts.parquet")
    alike(fc.Statistics.read(tmp_path / "counts.parquet"), statistics)
    alike(pickle.loads(pickle.dumps(report)).statistics, report.statistics)


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
@pytest.mark.parametrize("units", [True, False])
def test_a_file_gives_the_same(tmp_path, suffix, units):
    statistics = fc.score(sample.GOLD, sample.SYSTEMS["hasty"], unparsed="empty").statistics
    if not units:
        statistics = statistics.without_units()
    path = tmp_path / f"counts{suffix}"
    statistics.write(path)
    again = fc.Statistics.read(path)
    of_the_same(again, statistics)
    assert again.system == "hasty"
    assert again.facts == {"protocol": "recess", "roles": ["cause", "effect", "signal"]}
    again.write(tmp_path / f"again{suffix}")
    assert (tmp_path / f"again{suffix}").read_bytes() == path.read_bytes()


def test_what_the_file_holds(tmp_path):
    report = fc.score(sample.GOLD, sample.SYSTEMS["hasty"], unparsed="empty")
    report.statistics.write(tmp_path / "counts.parquet")
    table = pq.read_table(tmp_path / "counts.parquet")
    about = json.loads(table.schema.metadata[b"fastcausal"])
    named = ("statistics", "job", "signature", "protocol", "roles", "system", "n_rows")
    assert {name: about[name] for name in named} == {
        "statistics": 2,
        "job": "extraction",
        "signature": report.signature,
        "protocol": "recess",
        "roles": ["cause", "effect", "signal"],
        "system": "hasty",
        "n_rows": 61,
    }
    per_example = report.per_example.drop_columns(["objective"])
    kept = per_example.column_names
    assert table.select(kept).equals(per_example)
    at = kept.index("n_pred_relations") + 1
    assert table.column_names == [
        *kept[:at],
        "n_unparsed",
        "n_unparsed_answers",
        *kept[at:],
        "multi_relation",
    ]
    assert about["fields"] == table.column_names[at + 2 :]
    assert all(str(table[name].type) == "int64" for name in table.column_names[at - 2 :])


def test_formulas_are_plain_values():
    for kind in (resolve(task.formula) for task in declared() if task.formula):
        names = [field.name for field in fields(kind)]
        values = {name: None if name == "undefined" else ["a"] for name in names}
        values |= {"kernel": "k", "given": True, "positive": 1}
        formula = formula_of({"job": kind.job} | {k: values[k] for k in names})
        assert type(formula) is kind
        assert formula_of(json.loads(json.dumps(formula.to_dict()))) == formula
        assert hash(formula) == hash(pickle.loads(pickle.dumps(formula)))


def test_statistics_travel():
    report = fc.score(sample.GOLD, sample.SYSTEMS["hasty"], unparsed="empty")
    alike(pickle.loads(pickle.dumps(report)).statistics, report.statistics)
    alike(pickle.loads(pickle.dumps(report.statistics)), report.statistics)


EXAMPLE_PAIR = [([{"cause": (0, 2)}], [{"cause": (0, 3)}])] * 2


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 1], r"weights are int64 of the shape \(2,\), expected integers of the shape"),
        ([[1, 1, 1]], r"of the shape \(1, 3\), expected integers of the shape \(n_draws, 2\)"),
        ([[0.5, 1]], "weights are float64"),
        ([[1, -1]], "weights are negative"),
    ],
)
def test_bad_weights(weights, message):
    with pytest.raises(ValueError, match=message):
        scored(EXAMPLE_PAIR, "recess").statistics.scores(weights)


def test_what_does_not_add():
    one = scored(EXAMPLE_PAIR, "recess").statistics
    with pytest.raises(
        ValueError, match=r"a part has the signature recess\|.*, another one has own\|"
    ):
        one + scored(EXAMPLE_PAIR, fc.Protocol("own", "exact_spans")).statistics
    with pytest.raises(ValueError, match="count other things do not add"):
        one + fc.Statistics(
            formula_of({**one.formula.to_dict(), "roles": ["a"]}),
            one.signature,
            one.rows,
            one.times,
        )
    with pytest.raises(fc.InputError, match="sums alone have no units"):
        one.without_units().by("doc")
    with pytest.raises(fc.InputError, match='gold has no column "doc"'):
        one.by("doc")


def test_bad_files(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(fc.InputError, match="not a file of statistics"):
        fc.Statistics.read(path)
    path.write_bytes(b"PAR1 damaged")
    with pytest.raises(fc.InputError, match="cannot be read as parquet"):
        fc.Statistics.read(path)
    statistics = scored(EXAMPLE_PAIR, "recess").statistics
    with pytest.raises(fc.InputError, match=r"expected \.parquet or \.arrow"):
        statistics.write(tmp_path / "x.csv")
    clash = Statistics.of_units(
        statistics.formula, "", statistics.rows, pa.table({"cause_tp": ["a", "b"]})
    )
    with pytest.raises(fc.InputError, match='"cause_tp" of gold has the name of a column'):
        clash.write(path)
    statistics.write(path)
    table = pq.read_table(path)
    pq.write_table(table.drop_columns(["cause_tp"]), path)
    with pytest.raises(fc.InputError, match='no column "cause_tp" of counts'):
        fc.Statistics.read(path)


@trials(25)
@given(st.integers(0, 99), st.sampled_from(["recess", "recess-code"]), st.data())
def test_annotated_examples_drawn_anew(seed, protocol, data):
    annotated = noisy(6, seed)
    del annotated["ann"]["004"]  # an example of one pair alone
    whole = agreed(annotated, protocol)
    names = whole.statistics.units["id"].to_pylist()
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=6, max_size=6)))
    times = dict(zip(names, weights.tolist(), strict=True))
    drawn = {
        annotator: {
            f"{name} {k}": example for name, example in examples.items() for k in range(times[name])
        }
        for annotator, examples in annotated.items()
    }
    for form in (whole.statistics, whole.statistics.compressed()):
        assert same(of_draw(form), named(whole))
        if all(drawn.values()):
            assert same(of_draw(form, weights), named(agreed(drawn, protocol)))
    one, other = (whole.statistics.take(np.arange(6)[ends]) for ends in (slice(2), slice(2, None)))
    alike(one + other, whole.statistics)
    alike(pickle.loads(pickle.dumps(whole)).statistics, whole.statistics)


def named(agreement: fc.Agreement) -> dict[str, float]:
    return {f"{g}_{k}": v for g, scores in agreement.scores.items() for k, v in scores.items()}


def test_statistics_of_agreement_in_a_file(tmp_path):
    annotators = {name: str(path) for name, path in sample.ANNOTATORS.items()}
    statistics = fc.agree(annotators).statistics
    statistics.write(tmp_path / "counts.arrow")
    again = fc.Statistics.read(tmp_path / "counts.arrow")
    alike(again, statistics)
    with pytest.raises(fc.InputError, match="no report for statistics of agreement"):
        again.report()


def test_2022_has_none():
    report = fc.score(sample.GOLD, sample.SYSTEMS["careful"], "cnc-2022", unparsed="empty")
    with pytest.raises(fc.InputError, match="scores that do not add has no statistics"):
        report.statistics  # noqa: B018


def test_an_unknown_score_is_refused():
    formula = scored([([], [])], "recess").statistics.formula
    with pytest.raises(
        ValueError, match='unknown score "overall_em", expected one of overall_prec'
    ):
        formula.only("overall_em")
    for name, near in (("f1", "overall_f1"), ("cause", "cause_f1"), ("overal_f1", "overall_f1")):
        with pytest.raises(ValueError, match=rf"; did you mean {near}\?$"):
            formula.only(name)

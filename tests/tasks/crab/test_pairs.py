"""Scores of answers on pairs equal plain Python's, in any order of rows and any form of file."""

from __future__ import annotations

import json
import math
import random

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather

import fastcausal as fc
from fastcausal.tasks.crab.files import class_of, read_pairs
from tests.oracles import crab_pairs

KEY = ("topic_id", "event_order_a", "event_order_b")
SAID = {
    "score": st.integers(0, 100) | st.sampled_from([0, 20, 50, 80, 100]) | st.floats(0, 100),
    "multiclass": st.sampled_from("ABCD"),
    "three": st.sampled_from(crab_pairs.THREE),
    "binary": st.sampled_from(["no", "yes"]),
}
UNREAD = {"missing": ["", None, " "], "unreadable": ["?", "<Answer>A"], "out_of_range": ["101"]}
LENIENT = st.sampled_from(["empty", "skip"])


@st.composite
def judged(draw):
    """A task, its pairs, and an answer of any state for each pair."""
    task = draw(st.sampled_from(sorted(SAID)))
    keys = st.tuples(st.sampled_from([2, 10, 300]), st.integers(-2, 9), st.integers(-2, 9))
    keys = keys.filter(lambda key: key[1] < key[2])
    needs_score = task == "binary" or draw(st.booleans())
    pairs = []
    for key in draw(st.lists(keys, min_size=1, max_size=12, unique=True)):
        pair = dict(zip(KEY, key, strict=True))
        pair["score"] = draw(SAID["score"])
        pair["class"] = draw(st.none() | st.sampled_from("ABCD"))
        if not needs_score and draw(st.booleans()):
            pair |= {"score": None, "class": pair["class"] or "D"}
        pair |= {"article_id_a": 1, "article_id_b": draw(st.integers(1, 2))}
        pair["period"] = draw(st.sampled_from(["early", "late"]))
        pairs.append(pair)
    states = ["read"] * 3 + ["missing", "unreadable", "unmatched"]
    states += ["out_of_range"] * (task == "score")
    answers = [(draw(st.sampled_from(states)), draw(SAID[task])) for _ in pairs]
    return task, pairs, answers, "score" if needs_score else "class"


def said(state, value, k):
    """The text of an answer."""
    value = dict(zip(crab_pairs.THREE, "ABC", strict=True)).get(value, value)
    texts = UNREAD.get(state, [str(value)])
    return texts[k % len(texts)]


def rows_of(pairs, answers):
    return [
        {name: pair[name] for name in KEY} | {"prediction": said(state, value, k)}
        for k, (pair, (state, value)) in enumerate(zip(pairs, answers, strict=True))
        if state != "unmatched"
    ]


def alike(ours, theirs):
    """Check that counts are equal, scores equal to 1e-12, and undefined scores null."""
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        for name, value in theirs.items():
            alike(ours[name], value)
    elif isinstance(theirs, list):
        assert len(ours) == len(theirs)
        for pair in zip(ours, theirs, strict=True):
            alike(*pair)
    elif isinstance(theirs, float) and math.isnan(theirs):
        assert ours is None
    elif isinstance(theirs, float):
        assert ours == pytest.approx(theirs, abs=1e-12)
    else:
        assert ours == theirs


@given(
    judged(),
    st.sampled_from(["up", "text", "down"]),
    st.sampled_from([50, 80, 20, 33.5]),
    st.sampled_from([None, 0.0, 1.0]),
    st.fixed_dictionaries(
        dict.fromkeys(("unparsed", "unmatched"), st.sampled_from(["empty", "skip"]))
    ),
    st.randoms(use_true_random=False),
)
def test_every_option_and_policy(case, border, threshold, undefined, policies, shuffled):
    task, pairs, answers, gold_from = case
    options = {"border": border, "threshold": threshold, "gold_from": gold_from}
    rows = rows_of(pairs, answers) or [dict.fromkeys((*KEY, "prediction"), 0)]
    report = fc.crab.pairwise(
        pairs, rows, task, **options, undefined=undefined, **policies, by=["period", "topic_id"]
    )
    got = report.to_dict()
    rules = (task, border, threshold, gold_from, undefined, policies)
    subsets = {"in_document": lambda p: p["article_id_b"] == 1}
    subsets["cross_document"] = lambda p: p["article_id_b"] != 1
    for column in ("period", "topic_id"):
        for value in {pair[column] for pair in pairs}:
            subsets[f"{column}={value}"] = lambda p, c=column, v=value: p[c] == v
    parts = {"": got} | got.pop("subsets")
    for name, part in parts.items():
        kept = [k for k, pair in enumerate(pairs) if not name or subsets[name](pair)]
        expected = crab_pairs.pairwise([pairs[k] for k in kept], [answers[k] for k in kept], *rules)
        part = {k: v for k, v in part.items() if k not in ("signature", "warnings")}
        alike(part, {"task": task} | expected)
    assert {*parts} - {""} == {n for n, inside in subsets.items() if any(map(inside, pairs))}
    # No order of pairs and answers changes a bit; nor does a file of statistics.
    again = fc.crab.pairwise(
        shuffled.sample(pairs, len(pairs)), shuffled.sample(rows, len(rows)), task, **options,
        undefined=undefined, **policies, by=["period", "topic_id"],
    )  # fmt: skip
    assert again.to_json() == report.to_json()
    assert again.per_pair.equals(report.per_pair)
    assert report.statistics.report(by=["period", "topic_id"]).to_json() == report.to_json()


def test_a_file_of_statistics_holds_all(tmp_path):
    pairs, answers = random_case(60, unread=9)
    for task in SAID:
        report = fc.crab.pairwise(pairs, answers[task], task, unparsed="skip", by="topic_id")
        report.statistics.write(tmp_path / "pairs.parquet")
        read = fc.Statistics.read(tmp_path / "pairs.parquet")
        assert read.report(by="topic_id").to_json() == report.to_json()
        assert read.table().equals(report.per_pair)
    parts = [report.statistics.take(report.statistics.clusters(None)[k::2]) for k in (0, 1)]
    assert (parts[0] + parts[1]).report()["macro"].f1 == report["macro"].f1


def random_case(n, unread=0, seed=0):
    """Draw n pairs with scores, and answers to each task; the first `unread` are unreadable."""
    rng = random.Random(seed)
    keys = [(t, a, b) for t in range(1, 9) for a in range(8) for b in range(a + 1, 9)][:n]
    pairs = [
        dict(zip(KEY, key, strict=True)) | {"score": rng.randint(0, 100), "topic": key[0]}
        for key in rng.sample(keys, n)
    ]
    near = [min(100, max(0, pair["score"] + rng.randint(-30, 30))) for pair in pairs]
    answers = {
        "score": [str(value) for value in near],
        "multiclass": ["DDCCCBBBAAA"[value // 10] for value in near],
        "three": ["CCBBBBBBAAA"[value // 10] for value in near],
        "binary": ["yes" if value >= 50 else "no" for value in near],
    }
    for texts in answers.values():
        texts[:unread] = ["?"] * unread
    return pairs, answers


# ------------------------------------------------------------------------------------- resampled


@pytest.mark.parametrize(
    "score",
    ["macro_f1", "overall_mcc", "score_mae", "score_spearman", "score_bias",
     "direction_too_weak", "direction_B_mean_difference"],
)  # fmt: skip
def test_scores_under_weights(score):
    """A draw scores as its pairs written out would."""
    pairs, answers = random_case(40, unread=4)
    statistics = fc.crab.pairwise(pairs, answers["score"], unparsed="empty").statistics
    weights = np.random.default_rng(0).multinomial(40, [1 / 40] * 40, size=5)
    drawn = statistics.scores(weights)[score]
    for k, times in enumerate(weights):
        drawn_again = statistics.take(np.repeat(np.arange(40), times)).scores()[score]
        assert drawn[k] == drawn_again[0]
    one = statistics.interval(score, n_resamples=200, cluster="topic_id")
    group, name = score.split("_", 1)
    if name.startswith("B_"):
        group, name = f"{group}_B", name.removeprefix("B_")
    assert one == statistics.intervals(n_resamples=200, cluster="topic_id").scores[group][name]


def test_intervals_of_differences():
    """The jackknife of a mean difference is Student's interval, as computed by hand."""
    gold = [{"topic_id": 1, "event_order_a": 0, "event_order_b": k + 1, "score": 50}
            for k in range(4)]  # fmt: skip
    report = fc.crab.pairwise(gold, [50, 50, 51, 52]).with_intervals(method="jackknife")
    half = 3.182446305284263 * (11 / 12 / 4) ** 0.5
    bias = report["score"].bias
    assert (bias, bias.low, bias.high) == pytest.approx((0.75, 0.75 - half, 0.75 + half))
    report = fc.crab.pairwise(gold, [40, 50, 90, 90]).with_intervals(method="jackknife")
    step = report["direction"].mean_difference
    half = 3.182446305284263 * (11 / 12 / 4) ** 0.5
    assert (step, step.low, step.high) == pytest.approx((0.25, 0.25 - half, 0.25 + half))
    assert report["direction"].too_strong.high < 1
    assert report.to_dict()["classes"][1]["direction"]["mean_difference"] == 0.25


def test_large_sums_of_ranks_are_exact():
    from fastcausal.counts.arithmetic import spearman

    x, y = np.array([1.0, 2, 3]), np.array([1.0, 3, 2])
    few, many = np.array([[1, 2, 3]]), np.array([[10**7, 2 * 10**7, 3 * 10**7]])
    assert spearman(x, y, many)[0] == pytest.approx(spearman(x, y, few)[0], abs=1e-6)
    assert spearman(x, y, many)[0] == spearman(x, y, np.repeat(many, 2, axis=0))[1]


# -------------------------------------------------------------------------------------- the paper


def test_table_8():
    """Counts of table 8's supports, precisions and recalls: macro-F1 is 45.6, as in table 2."""
    confusion = [
        [438, 284, 0, 0],
        [259, 257, 169, 0],
        [69, 199, 433, 267],
        [0, 0, 185, 139],
    ]
    named = [(g, p) for g in range(4) for p in range(4) for _ in range(confusion[g][p])]
    pairs = [
        {"topic_id": 1, "event_order_a": 0, "event_order_b": k + 1, "class": "ABCD"[g]}
        for k, (g, _) in enumerate(named)
    ]
    report = fc.crab.pairwise(pairs, ["ABCD"[p] for _, p in named], "multiclass")
    rows = {label: dict(scores) for label, scores in report.classes.items()}
    assert [round(100 * row["precision"]) for row in rows.values()] == [57, 35, 55, 34]
    assert [round(100 * row["recall"]) for row in rows.values()] == [61, 38, 45, 43]
    assert [round(100 * row["f1"]) for row in rows.values()] == [59, 36, 49, 38]
    assert [row["support"] for row in rows.values()] == [722, 685, 968, 324]
    assert round(100 * report["macro"].f1, 1) == 45.6


def test_released_borders():
    """Released rows: 19 is D, 20 is C; figure 8 and the text of section 5.2 differ elsewhere."""
    scores = np.array([0.0, 19, 20, 49, 50, 79, 80, 81, 100])
    for border in ("up", "text", "down"):
        letters = [crab_pairs.letter(score, border) for score in scores]
        assert ["ABCD"[code] for code in class_of(scores, border)] == letters


# --------------------------------------------------------------------------------- files and joins


@pytest.mark.parametrize("form", ["jsonl", "json", "csv", "parquet", "arrow", "pandas", "polars"])
def test_every_form_of_file(tmp_path, form):
    pairs, answers = random_case(30)
    for pair in pairs[:5]:
        pair["class"] = "B"
    rows = [
        {k: p[k] for k in KEY} | {"said": a} for p, a in zip(pairs, answers["score"], strict=True)
    ]
    expected = result(pairs, rows)
    sources = [written(tmp_path / f"{name}.{form}", table, form)
               for name, table in (("gold", pairs), ("pred", rows))]  # fmt: skip
    assert result(*sources) == expected
    numbers = [{**row, "said": float(row["said"])} for row in rows]
    assert result(sources[0], numbers) == expected


def result(gold, pred):
    """All but the warnings, which name the files."""
    report = fc.crab.pairwise(gold, pred, column="said", by="topic")
    assert len(report.warnings) == 1
    return {name: value for name, value in report.to_dict().items() if name != "warnings"}


def written(path, rows, form):
    frame = pd.DataFrame(rows)
    if form == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif form == "json":
        path.write_text(json.dumps(rows))
    elif form == "csv":
        frame.to_csv(path, index=False)
    elif form in ("parquet", "arrow"):
        table = pa.Table.from_pylist(rows, pa.Table.from_pandas(frame).schema)
        writer = pq.write_table if form == "parquet" else feather.write_feather
        writer(table, str(path))
    else:
        return frame if form == "pandas" else pl.DataFrame(rows)
    return path


def test_classes_in_a_dictionary_of_parquet(tmp_path):
    classes = ["B", None, "D", "A"]
    key = {"topic_id": [1] * 4, "event_order_a": [0] * 4, "event_order_b": [1, 2, 3, 4]}
    table = pa.table({**key, "score": [50, 10, 10, 90], "class": classes})
    pq.write_table(table, tmp_path / "gold.parquet")
    assert read_pairs(tmp_path / "gold.parquet").given.tolist() == [1, -1, 3, 0]


def test_answers_in_a_dictionary_of_parquet(tmp_path):
    """Answers follow the order of gold, and are reported by pair; a null is missing."""
    key = {"topic_id": [1] * 3, "event_order_a": [0] * 3, "event_order_b": [3, 1, 2]}
    gold = pa.table({**key, "class": ["A", "B", "D"]})
    pred = pa.table({**key, "prediction": ["A", "[B]", None]})
    paths = [tmp_path / "gold.parquet", tmp_path / "pred.parquet"]
    for path, table in zip(paths, (gold, pred), strict=True):
        pq.write_table(table, path)
    report = fc.crab.pairwise(*paths, "multiclass", unparsed="empty")
    assert report.per_pair.select(["id", "answer", "gold", "pred"]).to_pylist() == [
        {"id": "1/0/1", "answer": "read", "gold": "B", "pred": "B"},
        {"id": "1/0/2", "answer": "missing", "gold": "D", "pred": "unanswered"},
        {"id": "1/0/3", "answer": "read", "gold": "A", "pred": "A"},
    ]


def test_every_way_to_join():
    """Answers join by key, by index from 0 or in order, as texts, numbers or arrays."""
    pairs, answers = random_case(30)
    texts = answers["score"]
    expected = fc.crab.pairwise(pairs, texts).to_json()
    indexed = [{"index": k, "prediction": text} for k, text in enumerate(texts)][::-1]
    numbers = np.array([int(text) for text in texts])
    for pred in (
        indexed,
        [{"prediction": t} for t in texts],
        numbers,
        pa.array(numbers),
        pd.Series(texts),
    ):
        assert fc.crab.pairwise(pairs, pred).to_json() == expected


def test_topics_that_are_text():
    rows = [
        {"topic_id": topic, "event_order_a": 1, "event_order_b": 2, "class": "A"}
        for topic in ("10", "b", "9")
    ]
    assert read_pairs(rows).topics.to_pylist() == ["10", "9", "b"]
    assert read_pairs(rows[::2]).topics.to_pylist() == [9, 10]
    answers = [{**row, "topic_id": row["topic_id"], "prediction": "A"} for row in rows]
    assert fc.crab.pairwise(rows, answers, "multiclass")["overall"].accuracy == 1


def test_disagreements_and_rows_of_no_pair_are_warned_of():
    pairs = [dict(zip(KEY, (1, 0, b), strict=True)) | {"score": 90, "class": c}
             for b, c in ((1, "A"), (2, "B"))]  # fmt: skip
    rows = [{**pair, "prediction": 85} for pair in pairs]
    rows.append({**pairs[0], "event_order_b": 7, "prediction": 1})
    with pytest.raises(
        fc.InputError, match=r'^pred: row 2: 0 pairs .* nothing in gold \("1/0/7"\)'
    ):
        fc.crab.pairwise(pairs, rows)
    report = fc.crab.pairwise(pairs, rows, unmatched="skip")
    assert report.warnings == (
        "gold: 1 of the pairs have another class than their score has by border=up",
        "unmatched=skip: 0 pairs of gold have no answer, "
        '1 answers of pred are of nothing in gold ("1/0/7")',
    )
    assert report["overall"].accuracy == 0.5
    by_score = fc.crab.pairwise(pairs, rows, gold_from="score", unmatched="skip")
    assert by_score["overall"].accuracy == 1
    for shape in (fc.crab.frames, fc.crab.chains):
        assert shape(pairs, gold_from="score").warnings == report.warnings[:1]


def test_columns_of_gold_that_have_names_of_ours():
    pairs, answers = random_case(20, unread=2)
    named = [{**pair, "id": "x", "answer": 7, "in_document": "no"} for pair in pairs]
    plain, other = (
        fc.crab.pairwise(rows, answers["score"], unparsed="skip") for rows in (pairs, named)
    )
    assert other.to_json() == plain.to_json()
    assert other.per_pair.select(plain.per_pair.column_names).equals(plain.per_pair)
    with pytest.raises(fc.InputError, match='column "pred" of gold has the name of a column'):
        _ = fc.crab.pairwise([{**p, "pred": 1} for p in pairs[5:]], answers["score"][5:]).per_pair


def test_answers_of_several_kinds_in_a_frame():
    pairs = [dict(zip(KEY, (1, 0, b), strict=True)) | {"score": 90} for b in (1, 2, 3)]
    said = [85, "<Answer>90%</Answer>", None]
    expected = fc.crab.pairwise(pairs, said, unparsed="skip").to_json()
    for pred in (pd.Series(said), pd.DataFrame({"prediction": said})):
        assert fc.crab.pairwise(pairs, pred, unparsed="skip").to_json() == expected

"""`fastcausal.score` and its report, against numbers worked out by hand."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from fastcausal.engine.reference.kernels import KERNELS
from fastcausal.protocols import RECESS
from fastcausal.tasks.extraction import tables
from tests.support.profiles import trials
from tests.support.strategies import sides
from tests.support.tables import table_of

# Overall: TP 1 (cause), BE 1 (effect cut short), FN 1 (signal); then LE 1 (cause taken for an
# effect) and FN 1 (effect); then FP 1, predicted in an example without relations.
GOLD = [
    {"id": "a", "length": 9, "kind": "news",
     "relations": [{"cause": (0, 3), "effect": (5, 9), "signal": (4, 5)}]},
    {"id": "b", "length": 6, "kind": None, "relations": [{"cause": (0, 2), "effect": (3, 6)}]},
    {"id": "c", "length": 4, "kind": "news", "relations": []},
]  # fmt: skip
PRED = [
    {"id": "a", "length": 9, "relations": [{"cause": (0, 3), "effect": (5, 8)}]},
    {"id": "b", "length": 6, "relations": [{"effect": (0, 2)}]},
    {"id": "c", "length": 4, "relations": [{"cause": (0, 2)}]},
]
OVERALL = {"tp": 1, "fp": 1, "fn": 2, "le": 1, "be": 1, "lbe": 0}
P, R = 1 / (1 + 1 + 1), 1 / (1 + 2 + 1)  # half of LE + BE is 1


def table(rows, **changes):
    return fc.Relations.from_examples([row | changes for row in rows])


def without_ids(rows):
    return [{name: value for name, value in row.items() if name != "id"} for row in rows]


def counts(scores, names=tuple(OVERALL)):
    return {name: scores[name] for name in names}


def overall(gold, pred, *args, **kwargs):
    return counts(fc.score(gold, pred, *args, **kwargs)["overall"])


@pytest.fixture(scope="module")
def report():
    return fc.score(table(GOLD), table(PRED), by="kind")


# ------------------------------------------------------------------------------- names and numbers


def test_the_names_that_others_rely_on():
    gold = fc.read(sample.GOLD)
    pred = fc.read(sample.SYSTEMS["careful"], like=gold)
    report = fc.score(gold, pred, protocol="cnc-2023", backend="cpu", num_threads=None)
    assert 0 < report["overall"].f1 < 1
    assert isinstance(report["cause"].tp, int)
    assert 0 < report.subsets["multi_relation"]["signal"].recall < 1
    assert isinstance(report.per_example, pa.Table)
    assert isinstance(report.matches, pa.Table)
    assert report.signature.startswith(f"fastcausal|{fc.__version__}|cnc-2023|")
    assert report.to_dict()["scores"]["overall"]["f1"] == report["overall"].f1
    assert report.to_flat("val/")["val/overall_f1"] == report["overall"].f1
    scorer, other = fc.ExtractionScorer(protocol="recess"), fc.ExtractionScorer(protocol="recess")
    scorer.update(gold=gold, pred=pred)
    other.update(gold=gold, pred=pred)
    scorer.merge(other)
    assert scorer.compute()["cause"].tp == 2 * fc.score(gold, pred)["cause"].tp
    assert set(fc.__all__) <= set(dir(fc))
    assert all(getattr(fc, name) is not None for name in fc.__all__)


def test_numbers_by_hand(report):
    assert counts(report["overall"]) == OVERALL
    assert (report["overall"].precision, report["overall"].recall) == (P, R)
    assert report["overall"].f1 == 2 * (P * R) / (P + R)
    assert counts(report["cause"]) == {"tp": 1, "fp": 1, "fn": 0, "le": 1, "be": 0, "lbe": 0}
    assert counts(report["effect"]) == {"tp": 0, "fp": 0, "fn": 1, "le": 0, "be": 1, "lbe": 0}
    assert counts(report["signal"]) == {"tp": 0, "fp": 0, "fn": 1, "le": 0, "be": 0, "lbe": 0}
    assert (report["effect"].bes, report["effect"].bel, report["effect"].beo) == (1, 0, 0)
    assert (report.n_examples, report.n_gold_relations, report.n_pred_relations) == (3, 2, 3)
    assert report["effect"].f1 == report["effect"].recall == 0.0
    assert math.isnan(report["signal"].precision)
    assert report["signal"].f1 == 0.0


def test_what_the_official_protocol_leaves_out():
    assert overall(table(GOLD), table(PRED), "cnc-2023") == OVERALL | {"fp": 0}
    gold = table(GOLD[:1])
    pred = table(PRED[:1], relations=[{"signal": (7, 8)}, GOLD[0]["relations"][0]])
    missed = overall(gold, pred, "cnc-2023")
    assert missed == {"tp": 0, "fp": 1, "fn": 3, "le": 0, "be": 0, "lbe": 0}
    assert overall(gold, pred) == {"tp": 3, "fp": 1, "fn": 0, "le": 0, "be": 0, "lbe": 0}


@pytest.mark.parametrize("kernel", ["exact_spans", "span_overlap", "partial_spans"])
def test_other_kernels(kernel):
    found = fc.score(table(GOLD[:2]), table(PRED[:2]), fc.Protocol("mine", kernel=kernel))
    expected = {
        # (0, 3) is right; (5, 8) and the wrongly labelled (0, 2) are not
        "exact_spans": {"tp": 1, "fp": 2, "fn": 4, "precision": 1 / 3, "recall": 1 / 5},
        # a: 3 + 3 tokens shared, 1 + 1 missed; b: 2 marked in vain, 2 + 3 missed
        "span_overlap": {"tp": 6, "fp": 2, "fn": 7, "token_recall": 6 / 13, "em": 0.0},
        # bounds alone: (0, 3) and (0, 2) right, (5, 8) in part, two missed
        "partial_spans": {"partial_cor": 2, "partial_par": 1, "partial_mis": 2, "partial_spu": 0,
                          "partial_precision": 2.5 / 3, "partial_recall": 2.5 / 5},
    }[kernel]  # fmt: skip
    assert counts(found["overall"], expected) == expected


def test_shares_of_pairs():
    """Shares count pairs: one of two has the same cause, one lacks signals on both sides."""
    found = fc.score(table(GOLD[:2]), table(PRED[:2]), fc.Protocol("mine", kernel="span_overlap"))
    assert [found["cause"][name] for name in ("em", "osb", "to")] == [1 / 2] * 3
    assert [found["effect"][name] for name in ("em", "osb", "to")] == [0.0, 1 / 2, 1 / 2]
    assert [found["signal"][name] for name in ("em", "osb", "to")] == [1 / 2] * 3


@pytest.mark.parametrize("n_relations", [0, 1, 2])
def test_cnc_2022_of_examples_that_are_all_alike(n_relations):
    gold = table(GOLD[:1], relations=GOLD[0]["relations"] * n_relations)
    found = fc.score(gold, gold, "cnc-2022")["overall"]
    assert found.number == 2 * n_relations  # a relation counts once, and its signal
    assert found.f1 == (1.0 if n_relations else 0.0)


# ------------------------------------------------------------------------------------------ joins


def test_joins(report):
    gold, pred, by_order = table(GOLD), table(PRED), report.to_json()
    for order in ((2, 1, 0), (1, 2, 0)):
        assert fc.score(gold, table([PRED[k] for k in order]), by="kind").to_json() == by_order
    assert overall(gold, table(without_ids(PRED))) == OVERALL
    assert overall(table(without_ids(GOLD)), pred) == OVERALL
    numbered = [row | {"id": k} for k, row in enumerate(GOLD)]  # ids are text, whatever they were
    named = [row | {"id": str(k)} for k, row in enumerate(PRED)]
    assert overall(table(numbered), table(named[::-1])) == OVERALL


def test_unmatched():
    gold, pred = table(GOLD[:2]), table(PRED[:0:-1])  # a, b and c, b
    with pytest.raises(fc.InputError, match="no prediction"):
        fc.score(gold, pred)
    le = {"tp": 0, "fp": 0, "fn": 1, "le": 1, "be": 0, "lbe": 0}
    assert overall(gold, pred, unmatched="skip") == le
    assert overall(gold, pred, unmatched="empty") == le | {"fn": 1 + 3, "fp": 1}
    assert overall(gold, pred, "cnc-2023", unmatched="empty") == le | {"fn": 1 + 3}
    assert fc.score(gold, pred, unmatched="empty").n_examples == 3


def test_examples_without_relations_need_no_length():
    """An example without tagged sentences has no known length, and is scored all the same."""
    sentences = [["<ARG0>Rain</ARG0> falls"], []]
    assert overall(sentences, sentences) == dict.fromkeys(OVERALL, 0) | {"tp": 1}
    assert fc.score(sentences, sentences).n_examples == 2


def test_unparsed():
    gold, pred = table(GOLD), table([PRED[0], PRED[1] | {"relations": [None]}, PRED[2]])
    with pytest.raises(fc.InputError, match="could not be read"):
        fc.score(gold, pred)
    rest = {"tp": 1, "fp": 1, "fn": 1, "le": 0, "be": 1, "lbe": 0}
    assert overall(gold, pred, unparsed="skip") == rest
    assert overall(gold, pred, unparsed="empty") == rest | {"fn": 3}
    skipped = fc.score(gold, pred, unparsed="skip")
    assert (skipped.n_examples, skipped.n_gold_relations) == (2, 1)
    assert skipped.per_example["id"].to_pylist() == ["a", "c"]
    assert skipped.warnings == (
        "unparsed=skip: 1 of 3 predicted relations could not be read (33.3%), examples left out: 1",
    )
    assert skipped.n_unparsed == skipped.to_dict()["n_unparsed"] == 1
    assert skipped.to_flat("val/")["val/n_unparsed"] == 1
    for text in (str(skipped), skipped._repr_html_()):
        assert f"warning: {skipped.warnings[0]}" in text
    assert "gold relations, 2 predicted, 1 unparsed" in str(skipped)
    assert "unparsed:skip" in skipped.signature


# ---------------------------------------------------------------------------------------- subsets


def test_subsets_by_column(report):
    assert list(report.subsets) == ["multi_relation", "kind=news", "kind=null"]
    for name, rows in (("kind=news", (0, 2)), ("kind=null", (1,))):
        part = fc.score(table([GOLD[k] for k in rows]), table([PRED[k] for k in rows]))
        assert report.subsets[name].keys() == part.scores.keys()
        for group, scores in part.scores.items():
            assert repr(report.subsets[name][group]) == repr(scores)
    ten = [{"length": 1, "year": year, "relations": []} for year in (10, 9, 10)]
    assert set(fc.score(ten, ten, by="year").subsets) == {"multi_relation", "year=9", "year=10"}


def test_several_relations_are_a_subset():
    gold = table([GOLD[0], GOLD[1] | {"relations": GOLD[1]["relations"] * 2}])
    subset = fc.score(gold, gold).subsets["multi_relation"]
    assert counts(subset["overall"]) == {"tp": 4, "fp": 0, "fn": 0, "le": 0, "be": 0, "lbe": 0}


def test_columns_that_cannot_be_scored_by():
    gold = table(GOLD, place={"x": 1})
    message = 'gold has no column "year", it has id, kind, place'
    with pytest.raises(fc.InputError, match=f"^{message}$"):
        fc.score(gold, gold, by="year")
    with pytest.raises(fc.InputError, match="place"):
        fc.score(gold, gold, by="place")
    with pytest.raises(ValueError, match="cnc-2022"):
        fc.score(gold, gold, "cnc-2022", by="kind")


# ---------------------------------------------------------------------------- per_example, matches


SHAPES = [
    replace(RECESS, name="test", ties=ties, surplus=surplus, non_causal=non_causal)
    for ties in ("content", "first")
    for surplus in ("charge", "truncate")
    for non_causal in ("charge", "ignore")
]


@trials(150)
@given(both=sides(), shape=st.sampled_from(SHAPES), kernel=st.sampled_from(sorted(KERNELS)))
def test_details_add_up_to_the_totals(both, shape, kernel):
    gold, pred = (table_of(side, id=[*map(str, range(len(side)))]) for side in both)
    report = fc.score(gold, pred, replace(shape, name="test", kernel=kernel))
    plan = replace(shape, name="test", kernel=kernel).plan(gold.roles)
    examples, matches = report.per_example.to_pylist(), report.matches.to_pylist()
    names = plan.kernel.columns(gold.roles)
    for name in names:
        group, _, field = name.partition("_")
        in_all, in_pairs = (sum(row[name] for row in rows) for rows in (examples, matches))
        assert in_all == in_pairs
        assert in_all == report[group][field] or isinstance(report[group][field], float)
    assert report.n_gold_relations == sum(e["n_gold_relations"] for e in examples)
    assert report.n_pred_relations == sum(e["n_pred_relations"] for e in examples)
    for example, *relations in zip(examples, *both, strict=True):
        mine = [m for m in matches if m["id"] == example["id"]]
        assert all(example[name] == sum(m[name] for m in mine) for name in names)
        gold_used = [m["gold_relation"] for m in mine if m["gold_relation"] is not None]
        pred_used = [m["pred_relation"] for m in mine if m["pred_relation"] is not None]
        n_gold, n_pred = map(len, relations)
        marking = [sum(map(bool, side)) for side in relations]
        assert marking == [example["n_gold_relations"], example["n_pred_relations"]]
        assert gold_used == list(range(n_gold))
        counted = n_pred
        if shape.surplus == "truncate" and n_gold:
            counted = min(n_gold, n_pred)
        if shape.non_causal == "ignore" and not n_gold:
            counted = 0
        assert sorted(pred_used) == list(range(counted))


def test_per_example(report):
    rows = report.per_example.to_pylist()
    assert [row["id"] for row in rows] == ["a", "b", "c"]
    assert [row["kind"] for row in rows] == ["news", None, "news"]
    assert [row["n_pred_relations"] for row in rows] == [1, 1, 1]
    assert [row["objective"] for row in rows] == [2 / 4, 0.0, 0.0]  # 2tp / (2tp + errors)
    assert rows[0]["cause_tp"] == rows[0]["effect_bes"] == rows[0]["signal_fn"] == 1
    assert "length" not in rows[0]
    nothing = table(GOLD[2:])
    assert fc.score(nothing, nothing).per_example["objective"].to_pylist() == [None]


def test_matches():
    gold = table(GOLD[:1], relations=[{"cause": (0, 3)}, {"effect": (4, 6)}, {"cause": (7, 9)}])
    pred = table(PRED[:1], relations=[{"signal": (6, 7)}, {"effect": (4, 6)}, {"cause": (0, 2)}])
    rows = fc.score(gold, pred).matches.to_pylist()
    pairs = [(row["id"], row["gold_relation"], row["pred_relation"]) for row in rows]
    assert pairs == [("a", 0, 2), ("a", 1, 1), ("a", 2, None), ("a", None, 0)]
    assert [row["cause_be"] for row in rows] == [1, 0, 0, 0]
    assert [row["signal_fp"] for row in rows] == [0, 0, 0, 1]
    bare = fc.score(table(without_ids(GOLD)), table(without_ids(PRED))).matches
    assert bare["example"].to_pylist() == [0, 1, 2]


@pytest.mark.parametrize("part", [1, 7, 61])
@pytest.mark.parametrize("ids", [True, False])
def test_matches_of_any_part(monkeypatch, part, ids):
    gold, pred = fc.read(sample.GOLD), fc.read(sample.SYSTEMS["careful"], like=fc.read(sample.GOLD))
    if not ids:
        gold, pred = (fc.Relations(s.table.drop_columns(["id"]), s.reading) for s in (gold, pred))
    whole = fc.score(gold, pred).matches
    monkeypatch.setattr(tables, "PART", part)
    assert fc.score(gold, pred).matches.equals(whole)
    none = fc.Relations(gold.table.slice(0, 0), gold.reading)
    assert fc.score(none, none).matches.schema.names == whole.schema.names


# ------------------------------------------------------------------------------------------ output


def test_plain_values(report):
    found = report.to_dict()
    assert list(found) == ["signature", "protocol", "n_examples", "n_gold_relations",
                           "n_pred_relations", "n_unparsed", "n_unparsed_answers",
                           "n_unparsed_relations", "unparsed_answers_rate",
                           "unparsed_relations_rate",
                           "bounds", "scores", "subsets", "warnings", "hints"]  # fmt: skip
    assert list(found["scores"]) == ["overall", "cause", "effect", "signal"]
    assert list(found["scores"]["overall"])[:9] == ["precision", "recall", "f1", *OVERALL]
    assert found["scores"]["signal"]["precision"] is None
    assert found["subsets"]["kind=null"]["cause"]["le"] == 1
    assert json.loads(report.to_json()) == found
    assert "\n" not in report.to_json()


def test_flat(report):
    flat = report.to_flat("val/")
    assert flat["val/overall_recall"] == R
    assert flat["val/kind=null_cause_le"] == 1
    assert flat["val/multi_relation_overall_tp"] == 0
    assert math.isnan(flat["val/signal_precision"])
    assert len(flat) == 4 * 4 * len(report["overall"]) + 5
    assert report.to_flat().keys() == {name.removeprefix("val/") for name in flat}


def test_arrow(report):
    rows = report.to_arrow().to_pylist()
    assert [(row["subset"], row["group"]) for row in rows[:5]] == [
        ("all", "overall"), ("all", "cause"), ("all", "effect"), ("all", "signal"),
        ("multi_relation", "overall"),
    ]  # fmt: skip
    assert rows[0]["f1"] == report["overall"].f1
    assert rows[3]["precision"] is None
    nothing = table(GOLD[2:])
    schema = report.to_arrow().schema
    assert fc.score(nothing, nothing).to_arrow().schema == schema  # types do not depend on numbers


def test_printed(report):
    lines = str(report).splitlines()
    assert lines[0].startswith("recess: 3 sentences, ")
    assert lines[-1] == report.signature
    words = lines[3].split()
    assert words[:4] == ["overall", f"{P:.4f}", f"{R:.4f}", f"{2 * P * R / (P + R):.4f}"]
    assert words[4:] == ["1", "1", "2", "1", "1", "0"]
    with_counts = str(report.to_table(counts=True)).splitlines()[3].split()
    assert with_counts == [*words, "1", "0", "0"]
    assert "undefined" in lines[6]
    assert all(line == line.rstrip() for line in lines)
    html = report._repr_html_()
    assert html.count("<tr>") == 1 + 4 * 4 + 3
    assert "warning" not in html
    assert f"<td>{P:.4f}</td>" in html
    assert report.signature in html


def test_printed_names_are_no_markup():
    odd = "[/b] [red]x :cat: <i>"
    gold = table(GOLD, kind=odd)
    report = fc.score(gold, gold, by="kind")
    assert f"kind={odd}" in str(report)
    assert "kind=[/b] [red]x :cat: &lt;i&gt;" in report._repr_html_()
    assert f"kind={odd}" in report.to_dict()["subsets"]


def test_undefined():
    nothing = table(GOLD[2:])
    report = fc.score(nothing, nothing)
    for scores in report.scores.values():
        assert all(math.isnan(scores[name]) for name in ("precision", "recall", "f1"))
    undefined = dict.fromkeys(("precision", "recall", "f1"))
    plain = report.to_dict()["scores"]["overall"]
    assert plain == dict.fromkeys(report["overall"], 0) | undefined
    for empty in (report, fc.ExtractionScorer().compute()):
        assert "undefined" in str(empty)
        assert "null" in empty.to_json()
    official = fc.score(nothing, nothing, "cnc-2023")["overall"]
    assert (official.precision, official.recall, official.f1) == (0.0, 0.0, 0.0)


def test_scores_are_a_mapping_that_does_not_change(report):
    scores = report["overall"]
    assert dict(scores) == {name: getattr(scores, name) for name in scores}
    message = '^no score "accuracy", expected one of precision, recall, f1, tp,'
    with pytest.raises(AttributeError, match=message):
        scores.accuracy  # noqa: B018
    with pytest.raises(AttributeError, match="scores do not change"):
        scores.f1 = 1.0


def test_pickles(report):
    scores = report["overall"]
    assert dict(pickle.loads(pickle.dumps(scores))) == dict(scores)
    copied = pickle.loads(pickle.dumps(report))
    assert copied.to_json() == report.to_json()


# ----------------------------------------------------------------------------------- refused input


def test_details_that_are_not_there():
    gold = table(GOLD)
    scorer = fc.ExtractionScorer()
    scorer.update(gold=gold, pred=gold)
    for report in (scorer.compute(), fc.score(gold, gold, "cnc-2022")):
        with pytest.raises(fc.InputError, match=r": a report of counts alone has no matches$"):
            report.matches  # noqa: B018

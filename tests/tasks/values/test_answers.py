"""From answers to values: rules, gaps and clusters, against fractions."""

from __future__ import annotations

import json
import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.errors import InputError
from tests.oracles import desk
from tests.support.profiles import trials

RULES = ("mean", "pass@1", "pass@2", "pass^2", "max", "min")


def rows_of(seed, n=40, epochs=4, kinds=(0, 1)):
    chance = random.Random(seed)
    return [
        {"id": f"q{k}", "epoch": e, "value": chance.choice(kinds), "doc": f"d{k // 5}"}
        for k in range(n)
        for e in range(1, epochs + 1)
    ]


def pairs(rows):
    return [(row["id"], row["value"]) for row in rows]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kinds", [(0, 1), (0.1, 0.2, 1.3, -0.7)])
def test_rules(rule, kinds):
    rows = rows_of(3, kinds=kinds)
    statistics = fc.statistics(rows, over=rule)
    expected = desk.values(pairs(rows), rule)
    assert statistics.n_units == len(expected)
    of_units = dict(zip(statistics.ids().to_pylist(), statistics.rows_of_units(), strict=True))
    for id, value in expected.items():
        assert of_units[id].tolist() == [float(value), 1.0]
    mean = float(desk.mean(expected.values()))
    assert statistics.scores()["value"][0] == pytest.approx(mean, abs=1e-15)


def test_table_of_the_reference():
    rows = [{"id": c, "epoch": k, "value": int(k < c)} for c in range(5) for k in range(4)]
    at_least = fc.statistics(rows, over="pass@2").rows_of_units()[:, 0]
    whole = fc.statistics(rows, over="pass^2").rows_of_units()[:, 0]
    assert at_least.tolist() == [0, 1 / 2, 5 / 6, 1, 1]
    assert whole.tolist() == [0, 0, 1 / 6, 1 / 2, 1]


@pytest.mark.parametrize("epochs", [3, 4, 5, 7])
def test_equal_answers_are_as_one(epochs):
    once = rows_of(5, epochs=1, kinds=(0.1, 0.7, 1 / 3))
    often = [row | {"epoch": k} for row in once for k in range(epochs)]
    one, many = fc.statistics(once), fc.statistics(often)
    assert one.rows_of_units().tobytes() == many.rows_of_units().tobytes()
    other = fc.statistics(rows_of(6, epochs=1, kinds=(0.1, 0.7, 1 / 3)))
    both = [fc.compare(s, other, cluster="doc", n_resamples=200)["value"] for s in (one, many)]
    assert both[0] == both[1]


def test_a_ratio_of_sums_weighs_examples_alike():
    rows = [
        {"id": "a", "epoch": k, "numerator": n, "denominator": d}
        for k, (n, d) in enumerate([(1, 2), (2, 3), (0, 1)])
    ] + [{"id": "b", "epoch": 0, "numerator": 3, "denominator": 4}]
    statistics = fc.statistics(rows)
    expected = (Fraction(3, 3) + 3) / (Fraction(6, 3) + 4)
    assert statistics.scores() == {"numerator/denominator": float(expected)}
    assert "of:ratio" in statistics.signature


def test_each_score_has_its_own_denominator():
    rows = [{"id": k, "a": a, "b": b} for k, (a, b) in enumerate([(1, 1), (0, None), (1, 0)])]
    statistics = fc.statistics(rows, ["a", "b"], missing="skip")
    assert {n: v[0] for n, v in statistics.scores().items()} == {"a": 2 / 3, "b": 0.5}


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([{"id": 1, "value": 1}, {"id": "1", "value": 0}], {}, 'id "1" occurs 2 times.*sample='),
        ([{"id": 1, "epoch": 1, "value": 1}] * 2, {}, 'id "1", epoch 1 occurs twice'),
        ([{"id": "x", "value": math.inf}], {}, 'id "x": value is inf'),
        ([{"id": "x", "value": "maybe"}], {}, 'row 0: "value" is "maybe", expected a number'),
        ([{"id": "x", "value": [1, 2]}], {}, "value.0 names a part"),
        ([{"id": "x", "value": None}, {"id": "y", "value": 1}], {}, r'1 of 2 .*\("x"\).*missing='),
        ([{"id": "x", "value": 1}], {"over": "pass@2"}, 'id "x" has 1 answers'),
        ([{"id": "x", "score": 1}], {}, 'no column "value"'),
        ([{"name": "x", "value": 1}], {}, 'no column "id"'),
        ([{"id": None, "value": 1}, {"id": "x", "value": 1}], {}, "row 0: no .id., expected one"),
        ([{"id": "x", "numerator": 1, "denominator": -1}], {}, "denominator .* is -1"),
        ([{"id": "x", "numerator": 1, "denominator": 0}], {}, "all denominators .* are 0"),
        ([{"id": "x", "value": 1}], {"cluster": "doc"}, 'no column "doc"'),
        (
            [{"id": i, "epoch": e, "value": 1} for i, e in ((1, 1), (1, 2), (2, 1))],
            {"over": "max"},
            "has 1 answers with value, another has 2",
        ),
    ],
)
def test_faults(rows, options, message):
    with pytest.raises(InputError, match=message):
        fc.statistics(rows, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"over": "median"},
        {"over": "pass@0"},
        {"missing": "drop"},
        {"numerator": "a"},
        {"numerator": "a", "denominator": "b", "value": "c"},
        {"numerator": "a", "denominator": "b", "missing": "zero"},
    ],
)
def test_arguments(options):
    with pytest.raises(ValueError, match=r"expected|go together|for means|takes over"):
        fc.statistics([{"id": 1, "value": 1}], **options)


def test_missing():
    rows = [{"id": k, "value": v} for k, v in enumerate([1, None, 0, 1])]
    skipped, zero = (fc.statistics(rows, missing=policy) for policy in ("skip", "zero"))
    assert skipped.scores()["value"] == [2 / 3]
    assert skipped.left_out["id"].to_pylist() == ["1"]
    assert zero.scores()["value"] == [0.5]
    assert zero.n_units == 4


CELLS = st.sampled_from([0, 1, None])


@trials(60)
@given(st.lists(st.lists(CELLS, min_size=1, max_size=4), min_size=1, max_size=6))
@pytest.mark.parametrize("rule", ["mean", "pass@1", "pass^1"])
def test_policies_act_on_answers(rule, examples):
    """An answer without a score counts by `missing`, also if its example has other answers."""
    rows = [
        {"id": str(k), "epoch": e, "value": value}
        for k, values in enumerate(examples)
        for e, value in enumerate(values)
    ]
    gaps = sum(row["value"] is None for row in rows)
    if gaps:
        with pytest.raises(InputError, match=f"{gaps} of {len(rows)} answers without value"):
            fc.statistics(rows, over=rule)
    zeros = [(row["id"], row["value"] or 0) for row in rows]
    policies = {"zero": zeros, "skip": pairs(rows)} | ({} if gaps else {"error": zeros})
    for policy, wanted in policies.items():
        expected = desk.values(wanted, rule)
        if not expected:
            with pytest.raises(InputError, match="no example has a score"):
                fc.statistics(rows, over=rule, missing=policy)
            continue
        made = fc.statistics(rows, over=rule, missing=policy)
        ids = made.units["id"].to_pylist()
        found = dict(zip(ids, made.rows_of_units().tolist(), strict=True))
        assert found == {id: [float(value), 1.0] for id, value in expected.items()}
        assert sum(made.units["n_unscored"].to_pylist()) <= gaps


def test_lists_of_booleans_are_ratios():
    """Instructions followed, of all: a list is numerator and denominator."""
    rows = [{"id": k, "value": [True, k % 2 == 0], "n": 2} for k in range(6)] + [{"id": 6}]
    made = fc.statistics(rows[:6])
    assert made.scores() == {"value": [9 / 12]}
    assert "of:ratio" in made.signature
    assert fc.statistics(rows, missing="skip").scores() == {"value": [9 / 12]}
    with pytest.raises(InputError, match="1 of 7 answers without value"):
        fc.statistics(rows)
    with pytest.raises(InputError, match="value/n is of lists of booleans, each of which is num"):
        fc.statistics(rows[:6], numerator="value", denominator="n")
    with pytest.raises(InputError, match="value, n are means and ratios: name one kind alone"):
        fc.statistics(rows[:6], ["value", "n"])
    with pytest.raises(InputError, match='"value" is a list, expected a number'):
        fc.statistics([*rows[:6], {"id": 7, "value": 0.5}])


def test_files_of_statistics(tmp_path):
    rows = rows_of(7, kinds=(0.25, 0.5, None))
    made = fc.statistics(rows, missing="skip", cluster="doc")
    made.write(tmp_path / "x.parquet")
    read = fc.statistics(str(tmp_path / "x.parquet"))
    assert read.signature == made.signature
    assert read.facts == made.facts
    assert np.array_equal(read.rows_of_units(), made.rows_of_units())
    one, two = (fc.compare(s, made, cluster="doc").to_dict() for s in (made, read))
    assert one == two


def test_sources_of_a_table(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = rows_of(8)
    expected = fc.statistics(rows).table()
    (tmp_path / "x.jsonl").write_text("\ufeff" + "\r\n".join(map(json.dumps, rows)))
    lines = ["id,epoch,value,doc", *(",".join(map(str, row.values())) for row in rows)]
    (tmp_path / "x.csv").write_text("\n".join(lines))
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "x.parquet")
    for source in (*map(str, sorted(tmp_path.iterdir())), pa.Table.from_pylist(rows)):
        table = fc.statistics(source).table()
        assert table.to_pylist() == expected.to_pylist(), source


def test_other_columns_travel():
    statistics = fc.statistics(rows_of(9))
    assert [*statistics.by("doc")] == sorted(f"d{k}" for k in range(8))

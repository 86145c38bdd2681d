"""Items to label next: how many of each stratum, and chance."""

from __future__ import annotations

import json
import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import InputError, sample
from fastcausal.tasks.meta.sample import allotted
from tests.support.cli import cli


def table_of(n, *labelled):
    return [{"item": f"i{k}", "topic": f"t{k % 3}", "judge": k % 2,
             "ann": k % 2 if k in labelled else None} for k in range(n)]  # fmt: skip


@given(st.lists(st.integers(0, 30), min_size=1, max_size=8), st.data())
def test_quotas_are_proportional(sizes, data):
    n = data.draw(st.integers(0, sum(sizes)))
    quotas = allotted(sizes, n)
    assert sum(quotas) == n
    for quota, size in zip(quotas, sizes, strict=True):
        assert math.floor(n * size / max(sum(sizes), 1)) <= quota <= size
        assert quota <= math.ceil(n * size / max(sum(sizes), 1))


@given(st.integers(0, 9), st.randoms(use_true_random=False))
def test_unlabelled_items_are_drawn_by_seed_in_any_order(seed, chance):
    table = table_of(40, 0, 3, 6, 9, 10)
    a, b = (fc.sample_labels(rows, raters=["ann"], metrics=["judge"], n=9, by="topic", seed=seed)
            for rows in (table, chance.sample(table, len(table))))  # fmt: skip
    assert a.items == b.items
    assert len({*a.items}) == 9
    assert not {*a.items} & {"i0", "i3", "i6", "i9", "i10"}
    # 10, 12 and 13 items are left
    assert Counter(f"t{int(item[1:]) % 3}" for item in a.items) == {"t0": 3, "t1": 3, "t2": 3}
    assert (a["t0"]["items"], a["t0"].unlabelled, a["t0"].drawn) == (14, 10, 3)
    assert a.tables["items"].column_names == ["item", "topic"]


def test_each_item_is_drawn_as_often():
    times = Counter(item for seed in range(600)
                    for item in fc.sample_labels(table_of(12), n=3, seed=seed).items)  # fmt: skip
    assert all(abs(n - 150) < 5 * math.sqrt(150 * 0.75) for n in times.values())
    assert len(times) == 12


def test_delta_asks_for_what_the_plan_lacks():
    found = fc.sample_labels(sample.SCORES, sample.JUDGMENTS, delta=0.14, metrics=["judge"])
    plan = fc.plan_labels(sample.SCORES, sample.JUDGMENTS, delta=0.14, metrics=["judge"])
    lacking = [each.n_powered - each.rows for each in plan.scores.values()]
    assert found.n == max(n for n in lacking if n == n) == len(found.items)
    assert found.warnings == plan.warnings


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"n": 50}, "50 items are asked for, 40 are without labels"),
        ({"n": 3, "by": "judge"}, 'item "i0" has two values of judge'),
        ({"n": 3, "by": "none"}, 'no column "none"'),
    ],
)
def test_what_cannot_be_drawn(asked, message):
    rows = table_of(40)
    systems = [row | {"system": s, "judge": k} for k, s in enumerate("ab") for row in rows]
    with pytest.raises(InputError, match=message):
        fc.sample_labels(systems, **asked)


def test_enough_or_too_few_labels():
    table = table_of(40, *range(35))
    for delta, message in ((0.5, "are enough"), (0.001, "score more rows")):
        with pytest.raises(InputError, match=message):
            fc.sample_labels(table, raters=["ann"], metrics=["judge"], delta=delta)
    for asked in ({}, {"n": 3, "delta": 0.1}):
        with pytest.raises(ValueError, match="not both"):
            fc.sample_labels(table, **asked)


def test_command(tmp_path):
    out, _ = cli("meta", "sample", sample.SCORES, "--n", 4, "--by", "topic", "--seed", 2,
                 "--out", tmp_path / "next.csv", "--json")  # fmt: skip
    found = fc.sample_labels(sample.SCORES, n=4, by="topic", seed=2)
    assert json.loads(out) == json.loads(found.to_json())
    lines = (tmp_path / "next.csv").read_text().splitlines()
    assert [line.split(",")[0].strip('"') for line in lines[1:]] == [*found.items]
    _, err = cli("meta", "sample", sample.SCORES, expect=2)
    assert "expected --n N or --delta DISTANCE" in err

"""A judge at two times: shares by hand, changes by `compare`, and anchors that do not match."""

from __future__ import annotations

import json

import numpy as np
import pytest

import fastcausal as fc
from fastcausal import InputError, sample
from tests.support.cli import cli

EARLIER = [{"item": k, "judge": k % 2, "doc": k // 4} for k in range(40)]
LATER = [{"item": k, "judge": int(k % 2 or k < 8), "doc": k // 4} for k in reversed(range(40))]
PEOPLE = [{"item": k, "label": k % 2} for k in range(30)]


def words(rows, key):
    return [row | {key: ["no", "yes"][row[key]]} for row in rows]


def test_by_hand():
    drift = fc.measure_drift(EARLIER, LATER, PEOPLE, metrics=["judge"])
    assert [*drift.scores] == ["judge", "judge_mean", "judge_accuracy"]
    share, mean, right = drift.scores.values()
    assert (share.n, share.changed) == (40, 0.1)
    assert share.changed_low < 0.1 < share.changed_high
    assert (mean.earlier, mean.later, mean.change) == pytest.approx((0.5, 0.6, 0.1))
    assert (right.earlier, right.later) == pytest.approx((1.0, 26 / 30))
    assert right.change == pytest.approx(-4 / 30)
    assert right.low < right.change < right.high


@pytest.mark.parametrize("cluster", [None, "doc"])
def test_changes_are_those_of_compare(cluster):
    drift = fc.measure_drift(EARLIER, LATER, metrics=["judge"], cluster=cluster)
    rows = [[{"id": str(row["item"]), "value": row["judge"], "doc": row["doc"]} for row in side]
            for side in (EARLIER, LATER)]  # fmt: skip
    found = fc.compare(*rows, cluster=cluster)["value"]
    change = drift["judge_mean"]
    assert (change.change, change.low, change.high, change.p) == pytest.approx(
        (found.delta, found.low, found.high, found.p))  # fmt: skip
    assert drift.unit == (cluster or "item")


def test_words_and_scales():
    drift = fc.measure_drift(words(EARLIER, "judge"), words(LATER, "judge"), words(PEOPLE, "label"))
    assert [*drift.scores] == ["judge", "judge_accuracy"]
    assert drift["judge_accuracy"].later == pytest.approx(26 / 30)
    alone = fc.measure_drift(words(EARLIER, "judge"), words(LATER, "judge"), metrics=["judge"])
    assert [*alone.scores] == ["judge"]
    assert alone["judge"].changed == 0.1
    assert len(alone.to_tables()) == 1
    fine = [row | {"judge": row["judge"] * 0.8} for row in LATER]
    error = fc.measure_drift(EARLIER, fine, PEOPLE, metrics=["judge"])["judge_error"]
    expected = np.mean([abs((k % 2 or k < 8) * 0.8 - k % 2) for k in range(30)])
    assert (error.earlier, error.later) == pytest.approx((0.0, expected))


def test_rows_of_an_item_are_one_unit():
    sides = [[{**row, "system": s} for row in side for s in "ab"] for side in (EARLIER, LATER)]
    drift = fc.measure_drift(*sides, metrics=["judge"])
    single = fc.measure_drift(EARLIER, LATER, metrics=["judge"])
    assert drift["judge"].n == 80
    assert drift["judge_mean"].p == single["judge_mean"].p
    assert drift["judge_mean"].low == pytest.approx(single["judge_mean"].low)


def test_other_anchors_are_refused():
    with pytest.raises(InputError, match=r'item "38", .* at the later time alone'):
        fc.measure_drift(EARLIER[:38], LATER, metrics=["judge"])
    with pytest.raises(InputError, match="without score"):
        fc.measure_drift(EARLIER, LATER[2:], metrics=["judge"])
    with pytest.raises(ValueError, match="metrics is missing"):
        fc.measure_drift(EARLIER, LATER)


def test_command(tmp_path):
    path = tmp_path / "now.csv"
    path.write_text(sample.SCORES.read_text().replace(",1,", ",0,", 9))
    arguments = [sample.SCORES, path, sample.JUDGMENTS, "--metric", "judge", "--cluster", "topic"]
    out, _ = cli("meta", "drift", *arguments, "--json")
    drift = fc.measure_drift(sample.SCORES, path, sample.JUDGMENTS, metrics=["judge"],
                             cluster="topic")  # fmt: skip
    assert json.loads(out) == json.loads(drift.to_json())
    _, err = cli("meta", "drift", sample.SCORES, path, expect=2)
    assert "expected --metric COLUMN, or HUMAN" in err

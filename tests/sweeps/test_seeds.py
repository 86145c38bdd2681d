"""Means over seeds, hyperparameters beside systems, and the first of many."""

from __future__ import annotations

import json
import math

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import fastcausal as fc
from fastcausal.errors import InputError
from fastcausal.report.report import plain
from fastcausal.significance.crossed import cross
from tests.oracles.resampling import jackknife
from tests.support.cli import cli
from tests.sweeps.test_leaderboard import system

NAMES = ("base_s1", "base_s2", "base_s3", "large_s1", "large_s2", "tiny_s1")
RUNS = {name: system(k, 0.5 + 0.1 * (name[0] == "l"), n=40) for k, name in enumerate(NAMES)}
PATTERN = "{model}_s{seed}"
TABLE = [{"system": name, "model": name[:-3], "lr": 10.0**-k} for k, name in enumerate(NAMES)]


def f1_of(name):
    return float(RUNS[name].scores()["overall_f1"][0])


def test_means_and_deviations_are_those_of_numpy():
    report = fc.seeds(RUNS, PATTERN)
    assert set(report.scores) == {"base", "large", "tiny"}
    means = [group.mean for group in report.scores.values()]
    assert means == sorted(means, reverse=True)
    for model, group in report.scores.items():
        values = np.array([f1_of(name) for name in NAMES if name.startswith(model)])
        assert group.n == len(values)
        assert group.mean == pytest.approx(values.mean(), abs=1e-15)
        if len(values) > 1:
            assert group.std == pytest.approx(values.std(ddof=1), abs=1e-15)
            expected = stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))
            expected = np.clip(expected, 0, 1)
            assert [group.seeds_low, group.seeds_high] == pytest.approx(expected, abs=1e-9)
    assert math.isnan(report["tiny"].std)
    assert math.isnan(report["tiny"].seeds_low)
    assert report.warnings == ("1 of 3 groups have one system: no deviation over seeds",)


@pytest.mark.parametrize("cluster", [None, "doc"])
def test_the_interval_over_units_leaves_one_out_of_all_seeds(cluster):
    """An oracle with plain loops: units are rows of all seeds side by side."""
    names = [name for name in NAMES if name.startswith("base")]
    rows = [RUNS[name].rows_of_units()[:, :3] for name in names]
    units = np.stack(rows, axis=1)  # unit, seed, count
    if cluster:
        docs = RUNS[names[0]].units["doc"].to_pylist()
        units = np.stack([units[[d == doc for d in docs]].sum(axis=0) for doc in sorted({*docs})])

    def mean_f1(drawn):
        tp, fp, fn = np.sum(drawn, axis=0).T
        return float(np.mean(2 * tp / (2 * tp + fp + fn)))

    group = fc.seeds(RUNS, PATTERN, cluster=cluster)["base"]
    sizes = [float((each @ [2, 1, 1]).sum()) for each in units]
    expected = jackknife([*units], mean_f1, 0.95, sizes)
    assert (group.units_low, group.units_high) == pytest.approx(expected, abs=1e-12)


def crossed(values):
    """Bounds for new seeds and new units by the mean squares of a table of seeds and units."""
    n_seeds, n = values.shape
    units = values.mean(axis=0).var(ddof=1) / n
    seeds = values.mean(axis=1).var(ddof=1) / n_seeds
    rest = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    own = max(seeds - (rest**2).sum() / ((n_seeds - 1) * (n - 1)) / (n_seeds * n), 0)
    variance = max(units + own, seeds)
    freedom = max(1, variance**2 / (own**2 / (n_seeds - 1) + units**2 / (n - 1)))
    return stats.t.interval(0.95, freedom, values.mean(), math.sqrt(variance))


def means_of(rows):
    sides = ([{"id": k, "value": float(v)} for k, v in enumerate(row)] for row in rows)
    runs = {f"m_s{k}": fc.statistics(side) for k, side in enumerate(sides)}
    return fc.seeds(runs, PATTERN)["m"]


def test_bounds_for_new_seeds_and_new_units():
    rows = np.array([[0.1, 0.5, 0.9, 0.3], [0.2, 0.6, 0.7, 0.4], [0, 0.5, 1, 0.2]])
    group = means_of(rows)
    assert (group.both_low, group.both_high) == pytest.approx((-0.074183, 0.974183), abs=1e-6)
    assert means_of(1e8 * rows).both_low == pytest.approx(1e8 * group.both_low)
    rng = np.random.default_rng(2)
    for spread in (0.0, 0.1, 1.0):  # between seeds
        rows = rng.normal(0, 1, (1, 9)) + rng.normal(0, spread, (4, 1)) + rng.normal(0, 1, (4, 9))
        group = means_of(rows)
        assert (group.both_low, group.both_high) == pytest.approx(crossed(rows), abs=1e-9)
    for flat in (rows[:1], np.ones((3, 5))):  # one seed; nothing varies
        assert math.isnan(means_of(flat).both_low)


@pytest.mark.parametrize("cluster", [None, "doc"])
def test_bounds_of_f1_for_new_seeds_are_by_pseudo_values(cluster):
    names = [name for name in NAMES if name.startswith("base")]
    rows = np.stack([RUNS[name].rows_of_units()[:, :3] for name in names])
    if cluster:
        docs = np.array(RUNS[names[0]].units["doc"].to_pylist())
        rows = np.stack([rows[:, docs == doc].sum(axis=1) for doc in np.unique(docs)], axis=1)
    whole = rows.sum(axis=1, keepdims=True)

    def f1(counts):
        tp, fp, fn = np.moveaxis(counts, -1, 0)
        return 2 * tp / (2 * tp + fp + fn)

    n = rows.shape[1]
    pseudo = n * f1(whole) - (n - 1) * f1(whole - rows)
    low, high = crossed(pseudo - pseudo.mean(axis=1, keepdims=True) + f1(whole))
    group = fc.seeds(RUNS, PATTERN, cluster=cluster)["base"]
    assert (group.both_low, group.both_high) == pytest.approx((low, high), abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "n_seeds", "of_seeds"), [(20, 3, 0.3), (100, 5, 0.1), (340, 3, 0)])
def test_bounds_for_new_seeds_and_new_units_hold_the_mean(n, n_seeds, of_seeds):
    rng, trials, held = np.random.default_rng(n), 3000, np.zeros(2)
    for _ in range(trials):
        rows = rng.normal(0, 1, (1, n)) + rng.normal(0, 0.5, (n_seeds, n))
        rows += rng.normal(0, of_seeds, (n_seeds, 1))
        left_out = (rows.sum(axis=1, keepdims=True) - rows).T / (n - 1)
        low, high = cross(rows.mean(axis=1), left_out, np.ones(n, int), 0.95)
        means = rows.mean(axis=0)
        narrow = stats.t.interval(0.95, n - 1, means.mean(), stats.sem(means))
        held += low <= 0 <= high, narrow[0] <= 0 <= narrow[1]
    assert 0.92 <= held[0] / trials <= 0.975
    assert held[1] <= held[0]


@pytest.mark.parametrize("method", ["bca", "percentile", "jackknife"])
def test_one_seed_has_the_interval_of_its_system(method):
    group = fc.seeds(RUNS, PATTERN, method=method, n_resamples=300)["tiny"]
    low, high, _ = RUNS["tiny_s1"].interval("overall_f1", method=method, n_resamples=300)
    assert (group.units_low, group.units_high) == pytest.approx((low, high), abs=0.02)
    if method == "jackknife":
        assert (group.units_low, group.units_high) == pytest.approx((low, high), abs=1e-12)


def test_the_order_of_systems_and_examples_changes_no_bit():
    turned = {
        name: RUNS[name].take(np.random.default_rng(3).permutation(40)) for name in reversed(NAMES)
    }
    options = {"method": "bca", "n_resamples": 200}
    assert fc.seeds(turned, PATTERN, **options) == fc.seeds(RUNS, PATTERN, **options)


def test_groups_by_column_by_mapping_and_by_pattern_agree():
    by_pattern = fc.seeds(RUNS, PATTERN).to_dict()
    assert fc.seeds(RUNS, "model", table=TABLE).to_dict() == by_pattern
    mapping = {name: name[:-3] for name in NAMES}
    assert fc.seeds(RUNS, mapping).to_dict() == by_pattern
    assert by_pattern["systems"]["large"] == ["large_s1", "large_s2"]


def test_several_scores_and_the_first_groups():
    report = fc.seeds(RUNS, PATTERN, ["overall_recall", "overall_f1"], top=2)
    assert report.scores.keys() == report.subsets["overall_f1"].keys()
    assert len(report.scores) == 2
    assert report.title == "overall_recall of 3 groups of 6 systems on 20 clusters (doc)"
    whole = fc.seeds(RUNS, PATTERN, "overall_f1")
    for name, group in report.subsets["overall_f1"].items():
        assert plain(group) == plain(whole[name])


def test_hyperparameters_and_further_scores_stand_beside_systems(tmp_path):
    quick = {"n_resamples": 200}
    scores = ["overall_f1", "overall_recall"]
    board = fc.leaderboard(RUNS, scores, table=TABLE, **quick)
    bare = fc.leaderboard(RUNS, **quick)
    for row, before in zip(board.systems, bare.systems, strict=True):
        assert {name: row[name] for name in before} == before
        assert row["lr"] == TABLE[NAMES.index(row["system"])]["lr"]
        low, high, _ = RUNS[row["system"]].interval("overall_recall")
        assert (row["overall_recall_low"], row["overall_recall_high"]) == (low, high)
    assert "overall_recall" in str(board)
    assert board.to_arrow().column_names[:3] == ["system", "model", "lr"]
    board.to_html(tmp_path / "board.html")
    page = (tmp_path / "board.html").read_text()
    for name in ("lr", "0.001", "overall_recall"):
        assert f">{name}<" in page


def test_the_first_systems_keep_their_ranks():
    quick = {"n_resamples": 200, "baseline": "tiny_s1"}
    board, top = fc.leaderboard(RUNS, **quick), fc.leaderboard(RUNS, top=2, **quick)
    assert plain(top.systems) == plain(board.systems[:2])
    assert (top.n_systems, top.winner) == (6, board.winner)
    assert top.title.endswith(": the first 2")
    assert top.legend == board.legend  # of all tests


@pytest.mark.parametrize(
    ("group", "options", "kind", "message"),
    [
        ("{model}", {}, ValueError, "expected {seed} and other fields"),
        ("{seed}_{seed}", {}, ValueError, "expected {seed} and other fields"),
        ("base_s{seed}", {}, InputError, 'system "large_s1" does not fit "base_s{seed}"'),
        ("model", {}, ValueError, "or a table with that column"),
        ("size", {"table": TABLE}, InputError, 'no column "size" beside systems: found model, lr'),
        ("model", {"table": TABLE[:4]}, InputError, '2 systems without a row ("large_s2", "tiny'),
        ("model", {"table": TABLE + TABLE[:1]}, InputError, 'system "base_s1" occurs twice'),
        ("model", {"table": [{"a": 1}]}, InputError, 'no column "system" or "run"'),
        ({"base_s1": "a"}, {}, InputError, 'system "base_s2" has no group'),
        (PATTERN, {"top": 0}, ValueError, "top is 0, expected at least 1"),
    ],
)
def test_bad_input(group, options, kind, message):
    with pytest.raises(kind) as error:
        fc.seeds(RUNS, group, **options)
    assert message in str(error.value)


def test_own_columns_are_not_replaced():
    with pytest.raises(InputError, match='column "rank" is one of the leaderboard'):
        fc.leaderboard(RUNS, table=[row | {"rank": 1} for row in TABLE])


def test_command(tmp_path):
    for name, statistics in RUNS.items():
        statistics.write(tmp_path / f"{name}.parquet")
    files = sorted(tmp_path.glob("*.parquet"))
    table = tmp_path / "runs.csv"
    table.write_text("run,model\n" + "".join(f"{n},{n[:-3]}\n" for n in NAMES))
    by_column = cli("leaderboard", *files, "--join", table, "--group", "model", "--json")[0]
    assert cli("leaderboard", *files, "--group", PATTERN, "--json")[0] == by_column
    assert json.loads(by_column)["scores"] == fc.seeds(RUNS, PATTERN).to_dict()["scores"]
    beside = cli("leaderboard", *files, "--join", table, "--top", 1, "--n-resamples", 99)[0]
    assert "overall_f1 of 6 systems on 20 clusters (doc), worth 16.4: the first 1" in beside
    assert pa.Table.from_pylist(json.loads(
        cli("leaderboard", *files, "--join", table, "--n-resamples", 99, "--json")[0]
    )["systems"])["model"].to_pylist()[0] == "large"  # fmt: skip
    refused = cli("leaderboard", *files, "--group", PATTERN, "--baseline", "x", expect=2)[1]
    assert "--baseline is for single systems" in refused

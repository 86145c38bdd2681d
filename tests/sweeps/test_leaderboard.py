"""The leaderboard: its numbers equal other ways', no order changes a bit, bad input is refused."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.counts.statistics import Statistics
from fastcausal.significance.corrections import adjusted
from fastcausal.tasks.relations.formula import RelationFormula
from fastcausal.tasks.values.reading import ValueReading
from tests.support.cli import cli

FORMULA = RelationFormula("exact_spans", ("tp", "fp", "fn"), (), ("cause",), None)
QUICK = {"n_resamples": 200}
REPORTS = {
    name: fc.score(sample.GOLD, path, unparsed="empty") for name, path in sample.SYSTEMS.items()
}


def system(seed, ease=0.8, n=60):
    """Return statistics of a system with n examples, each with an id and a document."""
    rng = np.random.default_rng([7, seed])
    spans = np.random.default_rng(0).integers(0, 4, n)  # of gold
    hits = rng.binomial(spans, ease)
    rows = np.stack([hits, rng.binomial(1, 0.1, n), spans - hits, spans > 2], axis=1)
    units = {"id": [f"s{k}" for k in range(n)], "doc": [f"d{k % 20}" for k in range(n)]}
    units |= dict.fromkeys(FORMULA.totals, np.zeros(n, np.int64))
    return Statistics.of_units(FORMULA, "signature", rows, pa.table(units))


SYSTEMS = {f"run {k}": system(k, 0.6 + 0.05 * k) for k in range(6)}


def test_of_the_sample():
    board = fc.leaderboard(REPORTS, **QUICK)
    assert list(board.scores) == ["careful", "chatty", "hasty"]
    assert board["careful"].value == REPORTS["careful"]["overall"].f1
    assert (board.n_units, board.unit, board.n_systems) == (12, "doc_id", 3)
    assert board.winner["system"] == "careful"
    assert list(board.to_dict()["systems"][0]) == [
        "system", "value", "low", "high", "worth", "rank", "rank_low", "rank_high", "best",
    ]  # fmt: skip
    assert board.to_arrow().to_pylist() == board.to_dict()["systems"]
    assert "chatty" in board._repr_html_()


@pytest.mark.parametrize("cluster", [None, "doc"])
@pytest.mark.parametrize("method", ["bca", "percentile", "jackknife"])
def test_intervals_and_differences_are_those_of_fewer_systems(cluster, method):
    options = QUICK | {"cluster": cluster, "method": method}
    board = fc.leaderboard(SYSTEMS, baseline="run 2", **options)
    for name, values in board.scores.items():
        assert (values.low, values.high) == SYSTEMS[name].interval("overall_f1", **options)[:2]
        if name != "run 2":
            change = fc.compare(SYSTEMS["run 2"], SYSTEMS[name], **options)["overall_f1"]
            expected = [change[k] for k in ("delta", "low", "high", "p")]
            assert [values[k] for k in ("delta", "delta_low", "delta_high", "p")] == expected
    p = [values.p for values in board.scores.values()]
    found = [values.p_adjusted for values in board.scores.values()]
    np.testing.assert_array_equal(found, adjusted(p, "holm"))
    assert board.to_dict()["systems"][[*board.scores].index("run 2")]["p"] is None


def test_ranks_hold_what_is_drawn():
    board = fc.leaderboard(SYSTEMS, cluster=None, **QUICK)
    for values in board.scores.values():
        assert 1 <= values.rank_low <= values.rank <= values.rank_high <= 6
        assert values.best == (values.rank_low == 1)
    assert board["run 5"].best
    assert not board["run 0"].best
    assert [values.rank for values in board.scores.values()] == sorted(
        values.rank for values in board.scores.values()
    )


@pytest.mark.parametrize("cluster", [None, "doc"])
def test_no_order_changes_a_bit(cluster):
    options = QUICK | {"cluster": cluster, "baseline": "run 1"}
    whole = fc.leaderboard(SYSTEMS, **options).to_json()
    rng = np.random.default_rng(1)
    shuffled = {
        name: SYSTEMS[name].take(rng.permutation(60)) for name in rng.permutation([*SYSTEMS])
    }
    assert fc.leaderboard(shuffled, **options).to_json() == whole
    compressed = {name: statistics.compressed() for name, statistics in SYSTEMS.items()}
    assert fc.leaderboard(compressed, **options).to_json() == whole


def test_equal_systems_tie():
    board = fc.leaderboard({name: system(0) for name in "bca"}, **QUICK)
    assert list(board.scores) == ["a", "b", "c"]
    assert {tuple(v[k] for k in ("rank", "rank_low", "rank_high")) for v in board.scores.values()} \
        == {(1, 1, 3)}  # fmt: skip


def test_one_system():
    board = fc.leaderboard(system(0), **QUICK)
    [values] = board.scores.values()
    assert (values.rank, values.rank_low, values.rank_high, values.best) == (1, 1, 1, True)
    assert board.winner["expected"] == pytest.approx(values.value, abs=0.05)


def test_an_undefined_score_has_no_rank():
    silent = Statistics.of_units(
        FORMULA, "signature", system(0).rows * [0, 0, 1, 1], system(0).units
    )
    board = fc.leaderboard(SYSTEMS | {"a silent one": silent}, "overall_precision", **QUICK)
    *_, last = board.to_dict()["systems"]
    assert last["system"] == "a silent one"
    assert [last[k] for k in ("value", "low", "rank", "rank_low", "rank_high")] == [None] * 5
    assert not last["best"]
    assert max(v.rank_high for v in board.scores.values() if v.rank_high == v.rank_high) <= 6


def test_no_examples():
    empty = SYSTEMS["run 0"].take(np.zeros(0, np.int64))
    for method in ("bca", "jackknife"):
        board = fc.leaderboard({"a": empty, "b": empty}, baseline="a", method=method, **QUICK)
        shown = board.to_dict()
        assert shown["winner"] == {"system": "a", "value": None, "expected": None}
        for row in shown["systems"]:
            assert [row[name] for name in ("rank", "low", "delta", "p")] == [None] * 4


def test_scores_of_labels():
    """A leaderboard joins systems that predict different labels."""
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, 50)
    wrong = {"a": 2, "b": 3}
    reports = {
        name: fc.classify(gold, np.where(rng.random(50) < 0.7, gold, k))
        for name, k in wrong.items()
    }
    units = pa.table({"id": range(50)})
    systems = {name: replace(report.statistics, units=units) for name, report in reports.items()}
    board = fc.leaderboard(systems, "overall_accuracy", **QUICK)
    for name, report in reports.items():
        assert board[name].value == report["overall"].accuracy


def test_too_few_resamples_for_holm():
    board = fc.leaderboard(SYSTEMS, baseline="run 0", n_resamples=98)
    assert "5 tests need at least 99 resamples" in " ".join(board.warnings)
    board = fc.leaderboard(SYSTEMS, baseline="run 0", n_resamples=99)
    assert "resamples" not in " ".join(board.warnings)


def test_a_sweep_stands_for_its_runs(tmp_path):
    (tmp_path / "broken.jsonl").write_text("{}")
    runs = [*sample.SYSTEMS.values(), tmp_path / "broken.jsonl"]
    fc.sweep(sample.GOLD, runs, tmp_path / "swept", unparsed="empty")
    board = fc.leaderboard(tmp_path / "swept", baseline="hasty", **QUICK).to_dict()
    assert "1 runs that could not be scored" in board["warnings"][0]
    of_reports = fc.leaderboard(REPORTS, baseline="hasty", **QUICK).to_dict()
    assert board["systems"] == of_reports["systems"]
    assert board["winner"] == of_reports["winner"]


@pytest.fixture
def files(tmp_path):
    """The folder of a sweep with three runs, and the file of a fourth."""
    (tmp_path / "sweep" / "runs").mkdir(parents=True)
    for name in ("run 1", "run 2", "run 3"):
        SYSTEMS[name].write(tmp_path / "sweep" / "runs" / f"{name}.parquet")
    SYSTEMS["run 4"].write(tmp_path / "run 4.parquet")
    return tmp_path / "sweep", tmp_path / "run 4.parquet"


def test_the_command(files):
    options = (
        "--n-resamples",
        200,
        "--baseline",
        "run 3",
        "--correction",
        "bh",
        "--cluster",
        "doc",
    )
    shown = json.loads(cli("leaderboard", *files, "--json", *options)[0])
    systems = {name: SYSTEMS[name] for name in ("run 1", "run 2", "run 3", "run 4")}
    board = fc.leaderboard(
        systems, baseline="run 3", correction="bh", cluster="doc", n_resamples=200
    )
    assert shown == board.to_dict()
    lines = cli("leaderboard", *files, "--format", "csv", *options)[0].splitlines()
    table = [*csv.DictReader(lines)]
    assert [row["system"] for row in table] == list(board.scores)
    for format, sign in (("markdown", "| :--"), ("latex", r"\toprule")):
        assert sign in cli("leaderboard", *files, "--format", format, *options)[0]
    assert "corrected for selection bias" in cli("leaderboard", *files, *options)[0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["{sweep}", "{sweep}"], 'two systems have the name "run 1"'),
        (["{sweep}/.."], "no runs/*.parquet, expected the folder of a sweep"),
        (["{sweep}", "--score", "overall_em"], 'unknown score "overall_em", expected one of'),
        (["{sweep}", "--baseline", "run 9"], 'baseline is "run 9", expected one of run 1, run 2'),
        (["{sweep}", "--correction", "bh"], "--correction is of p-values against a system"),
        (["{sweep}", "--cluster", "topic"], 'no column "topic"'),
        (["{sweep}", "--n-resamples", "0"], " is 0, expected at least 1"),
        (["{sweep}", "--confidence", "1"], "confidence is 1.0, expected"),
    ],
)
def test_bad_input(files, arguments, said):
    sweep, _ = files
    given = [argument.format(sweep=sweep) for argument in arguments]
    assert said in cli("leaderboard", *given, expect=2)[1]


def test_progress_counts_systems(files):
    """First those that are read, then those with intervals: runs of a folder one by one."""
    sweep, _ = files
    told = []
    reading = ValueReading(progress=lambda done, total: told.append((done, total)))
    n = len(fc.leaderboard(str(sweep), reading=reading, n_resamples=99).scores)
    assert told == [(k, n) for k in range(1, n + 1)] * 2
    assert n > 1

"""Every declared score of every task ranks, wins and passes in its own direction, or not at all."""

from __future__ import annotations

import json
import re

import numpy as np
import pyarrow as pa
import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.counts.statistics import Statistics
from tests.counts.test_scales import FORMULAE
from tests.support.cli import cli

N = 40
FEW = {"n_resamples": 20}
QUICK = ("--n-resamples", "20")
ADDING = [kind for kind, formula in FORMULAE.items() if formula.adds or kind == "scored"]


def drawn(formula, rng, share):
    """Statistics of random rows; a share of their counts is above the least value."""
    rows = np.empty((N, len(formula.fields)), formula.dtype)
    for k, field in enumerate(formula.fields):
        least, most = formula.limits(field)
        least = max(least, 0)
        rows[:, k] = least + (rng.random(N) < share) * min(most - least, 1)
    units = pa.table({"id": [str(k) for k in range(N)]})
    return Statistics.of_units(formula, "drawn", rows, units)


@pytest.fixture(params=ADDING)
def systems(request):
    formula, rng = FORMULAE[request.param], np.random.default_rng(7)
    return {name: drawn(formula, rng, share) for name, share in (("a", 0.3), ("b", 0.8))}


def test_every_score_is_better_in_its_way(systems):
    a, b = systems.values()
    names = [name for name in a.scores() if name != "score_spearman"]
    marks = fc.compare(a, b, names, **FEW).to_table().emphasis
    for name in names:
        shown = {s for (_, row, s), mark in marks.items() if row == name and mark == "best"}
        assert shown == best_of(systems, name), name


def test_every_direction_ranks_and_judges(systems):
    """One score stands for all of its direction: tables take the direction alone."""
    a, b = systems.values()
    group, first = {"a": "x", "b": "y"}, {}
    for name in a.scores():
        if best_of(systems, name) or not a.scale(name).sign:
            first.setdefault(a.scale(name).sign, name)
    for sign, name in first.items():
        if not sign:
            check = pytest.raises(ValueError, match=f"{name} has no better direction")
            with check:
                fc.leaderboard(systems, name, **FEW)
            with check:
                fc.seeds(systems, group, name, **FEW)
            with check:
                fc.gate(a, b, score=name, min_delta=0.0, **FEW)
            with check:
                fc.gate(None, b, floors={name: 0.0}, **FEW)
            continue
        best = min(best_of(systems, name))
        assert fc.leaderboard(systems, name, **FEW)[best].rank == 1
        assert next(iter(fc.seeds(systems, group, name, **FEW).scores)) == group[best]
        before, after = (float(each.scores()[name][0]) for each in systems.values())
        judged = fc.gate(a, b, score=name, min_delta=0.0, **FEW)
        assert judged.verdict != ("pass" if sign * (after - before) < 0 else "fail")
        assert judged.lower_is_better == (sign < 0)


def best_of(systems, name):
    """The systems with the best value; none for a score without direction, or undefined."""
    sign = next(iter(systems.values())).scale(name).sign
    values = {system: float(each.scores()[name][0]) for system, each in systems.items()}
    if not sign or any(value != value for value in values.values()):
        return set()
    best = max(values.values(), key=lambda value: sign * value)
    return {system for system, value in values.items() if value == best}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Counts of a good system, and of one that says the opposite."""
    where = tmp_path_factory.mktemp("directions")
    rows = [json.loads(line) for line in sample.CRAB_SCORES["careful"].read_text().splitlines()]
    for name in ("good", "bad"):
        answers = where / f"{name}.jsonl"
        answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
        cli("crab", "pairwise", sample.CRAB_GOLD, answers, "--per-pair", where / f"{name}.parquet")
        for row in rows:
            [*_, score] = re.findall(r"\d+", row["prediction"])
            row["prediction"] = f"<Answer>{100 - int(score)}</Answer>"
    return where


def test_a_distance_that_rises_fails(folder):
    good, bad = folder / "good.parquet", folder / "bad.parquet"
    gate = ["gate", "--score", "score_mae", "--min-delta", "-0.1"]
    junit = folder / "junit.xml"
    out, _ = cli(*gate, "--baseline", good, "--candidate", bad, "--junit", junit, expect=1)
    assert "score_mae changes by +48.4915 [+41.0551, +55.9279], above +0.1000" in out
    assert "lower is better: score_mae" in out
    assert 'type="fail"' in junit.read_text()
    assert "at most +0.1000" in cli(*gate, "--baseline", bad, "--candidate", good)[0]
    latex = ["leaderboard", bad, good, "--score", "score_mae", "--format", "latex"]
    rows = [line for line in cli(*latex)[0].splitlines() if r"\textbf" in line]
    assert [row.split(" & ")[:2] for row in rows] == [["good", r"\textbf{8.5763}"]]
    first = json.loads(cli("leaderboard", bad, good, "--score", "score_mae", "--json")[0])
    assert first["winner"]["system"] == "good"
    assert [*fc.leaderboard([bad, good], "score_mae", top=1).scores] == ["good"]


def test_tables_of_systems_emphasize_the_smallest_distance(folder):
    """Shares of answers that were read have no better direction, and no bold."""
    systems = [folder / "bad.jsonl", folder / "good.jsonl"]
    out, _ = cli("crab", "pairwise", sample.CRAB_GOLD, *systems, "--format", "markdown")
    bad, good, *_ = [
        row.split(" | ") for row in out.splitlines() if row[:6] in ("| bad ", "| good")
    ]
    assert [cell.startswith("**") for cell in good[2:]] == [False, *[True] * 5]
    assert not any(cell.startswith("**") for cell in bad)


@pytest.mark.parametrize("name", ["score_bias", "direction_mean_difference"])
def test_a_score_without_direction_ranks_and_judges_nothing(name, folder):
    good, bad = folder / "good.parquet", folder / "bad.parquet"
    for line in (
        ["leaderboard", good, bad, "--score", name],
        ["gate", "--baseline", good, "--candidate", bad, "--score", name, "--min-delta", "0"],
        ["gate", "--candidate", bad, "--min", f"{name}=-5"],
    ):
        assert f"{name} has no better direction" in cli(*line, *QUICK, expect=2)[1]
    compared = ["compare", good, bad, "--score", name, "--score", "score_mae", *QUICK]
    out, _ = cli(*compared)
    assert f"lower is better: score_mae\nneither is better: {name}\n" in out
    better = json.loads(cli(*compared, "--json")[0])["better"]
    assert better == {name: "none", "score_mae": "lower"}


def test_no_caller_turns_a_declared_direction_around(folder):
    good, bad = folder / "good.parquet", folder / "bad.parquet"
    for line in (
        ["compare", good, bad],
        ["leaderboard", good, bad],
        ["gate", "--baseline", good, "--candidate", bad, "--min-delta", "0"],
    ):
        _, err = cli(*line, "--lower-is-better", "--score", "overall_accuracy", expect=2)
        assert "overall_accuracy: higher is better" in err
        cli(*line, "--lower-is-better", "--score", "score_mae", *QUICK, expect=None)

"""Runs of any evaluation on the same items: compare, rank and judge logs and tables."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace

import numpy as np
import pytest

import fastcausal as fc
from fastcausal.errors import InputError
from tests.oracles import desk
from tests.support.cli import cli
from tests.support.logs import eval_log, header, json_log, lm_rows, lm_samples, random_samples


def runs(seed, n=60, kinds=(0, 1), epochs=1, clusters=5):
    chance = random.Random(seed)
    return [
        [
            {"id": k, "epoch": e, "value": chance.choice(kinds), "doc": f"d{k // clusters}"}
            for k in range(n)
            for e in range(epochs)
        ]
        for _ in range(2)
    ]


def differences(a, b):
    left, right = (desk.values((r["id"], r["value"]) for r in side) for side in (a, b))
    return [right[id] - left[id] for id in left]


@pytest.mark.parametrize("kinds", [(0, 1), (0.1, 0.25, 0.9)])
@pytest.mark.parametrize("epochs", [1, 3])
def test_differences(kinds, epochs):
    a, b = runs(1, kinds=kinds, epochs=epochs)
    moved = differences(a, b)
    score = fc.compare(fc.statistics(a), fc.statistics(b), cluster=None)["value"]
    assert score.delta == pytest.approx(float(desk.mean(moved)), abs=1e-15)
    assert score.se == pytest.approx(math.sqrt(desk.squared_error(moved)), rel=1e-12)


def test_differences_of_clusters():
    a, b = runs(2)
    docs = [row["doc"] for row in a]
    score = fc.compare(fc.statistics(a), fc.statistics(b), cluster="doc")["value"]
    error = math.sqrt(desk.squared_error_of_clusters(differences(a, b), docs))
    assert score.se == pytest.approx(error, rel=1e-12)
    # equal clusters: as inspect has it
    theirs = math.sqrt(desk.inspect_clustered(differences(a, b), docs))
    assert score.se == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize(
    ("n", "only_b", "only_a"), [(40, 7, 5), (40, 6, 0), (30, 3, 3), (50, 12, 1)]
)
def test_p_is_that_of_mcnemar(n, only_b, only_a):
    a = [{"id": k, "value": int(only_b <= k < only_b + only_a or k > 20)} for k in range(n)]
    b = [{"id": k, "value": int(k < only_b or k > 20)} for k in range(n)]
    score = fc.compare(fc.statistics(a), fc.statistics(b))["value"]
    assert score.p_exact
    expected = desk.mcnemar(only_b, only_a)
    assert score.p == float(expected)
    if n == 40 and only_a == 5:
        assert score.p == 793 / 1024
    assert desk.exchange(differences(a, b)) == expected


def test_worked_example():
    """Of 100 examples A has 60 right and B 70, B alone 12 and A alone 2: p is 0.0129."""
    a = [{"id": k, "value": int(k < 60)} for k in range(100)]
    b = [{"id": k, "value": int(2 <= k < 72)} for k in range(100)]
    paired = fc.compare(fc.statistics(a), fc.statistics(b))["value"]
    apart = fc.compare(fc.statistics(a), fc.statistics(b), unpaired=True)["value"]
    assert round(paired.p, 4) == 0.0129
    assert (round(paired.se, 4), round(paired.mde, 3)) == (0.0362, 0.11)
    assert (round(apart.delta / apart.se, 2), round(apart.mde, 3)) == (1.48, 0.19)


def test_unpaired():
    a, _ = runs(3, 50)
    b = [row | {"id": f"other {row['id']}"} for row in runs(4, 70)[0]]
    with pytest.raises(InputError, match=r"no common ids: A has 50.*unpaired"):
        fc.compare(fc.statistics(a), fc.statistics(b))
    comparison = fc.compare(fc.statistics(a), fc.statistics(b), unpaired=True, cluster=None)
    assert "unpaired: 70 examples and 50" in comparison.title
    found = comparison.to_dict()
    assert (found["pairing"], found["n_a"], found["n_b"]) == ("none", 50, 70)
    square, freedom = desk.welch(*([r["value"] for r in side] for side in (a, b)))
    assert comparison["value"].se == pytest.approx(math.sqrt(square), rel=1e-12)
    scipy = pytest.importorskip("scipy.stats")
    theirs = scipy.ttest_ind(
        [r["value"] for r in b], [r["value"] for r in a], equal_var=False
    ).pvalue
    assert comparison["value"].p == pytest.approx(theirs, rel=1e-9)
    assert freedom > 0


def test_unpaired_takes_no_draws():
    a, b = map(fc.statistics, runs(3, 20))
    with pytest.raises(ValueError, match="method is bca, expected jackknife"):
        fc.compare(a, b, unpaired=True, method="bca")


@pytest.mark.parametrize(("value", "bounds"), [(1, (0.6915, 1.0)), (0, (0.0, 0.3085))])
def test_bounds_of_perfect_samples(value, bounds):
    """Bounds of 10 of 10 are Clopper and Pearson's."""
    made = fc.statistics([{"id": k, "value": value} for k in range(10)])
    low, high, _ = made.interval("value")
    assert (round(low, 4), round(high, 4)) == bounds


def test_a_against_itself_and_turned():
    a, b = (fc.statistics(side) for side in runs(5, kinds=(0.1, 0.5, 0.7)))
    same = fc.compare(a, a, cluster=None)["value"]
    assert (same.delta, same.p) == (0, 1)
    assert same.low == -same.high == pytest.approx(0.025 ** (1 / len(a.units)) - 1)
    there, back = fc.compare(a, b)["value"], fc.compare(b, a)["value"]
    assert there.delta == -back.delta
    assert there.p == back.p
    assert (there.low, there.high) == (-back.high, -back.low)


@pytest.mark.parametrize("policy", ["skip", "zero"])
def test_missing_examples(policy):
    a, b = runs(6, 40)
    a, b = a[:-3], [row | ({"value": None} if row["id"] == 5 else {}) for row in b[2:]]
    sides = [fc.statistics(side, missing=policy) for side in (a, b)]
    comparison = fc.compare(*sides, cluster=None)
    values = [desk.values((r["id"], r["value"]) for r in side) for side in (a, b)]
    both, either = values[0].keys() & values[1].keys(), {str(r["id"]) for r in (*a, *b)}
    ids = both if policy == "skip" else either
    assert comparison.n_units == len(ids)
    for name, side in zip("ab", values, strict=True):
        mean = float(desk.mean(side.get(id, 0) for id in ids))
        assert comparison["value"][name] == pytest.approx(mean, abs=1e-15)
    assert comparison.answers["a"] == {
        "examples": 37, "answers": 37, "errors": 0, "limits": 0, "unscored": 0,
        "missing": 3,
    }  # fmt: skip
    assert comparison.answers["b"]["unscored"] == 1


def test_ids_of_one_side():
    a, b = runs(7, 10)
    sides = [fc.statistics(a[2:]), fc.statistics(b[:-1])]
    with pytest.raises(
        InputError, match=r'A alone has 1 ids \("9"\); B alone has 2 ids \("0", "1"\)'
    ):
        fc.compare(*sides)


def test_other_clusters():
    a, b = runs(8, 10)
    b[4] = b[4] | {"doc": "elsewhere"}
    sides = [fc.statistics(side) for side in (a, b)]
    with pytest.raises(InputError, match='other values of doc for 1 of 10 ids, first for "4"'):
        fc.compare(*sides, cluster="doc")
    found = fc.compare(*sides)
    assert found.unit == "example"
    assert found.warnings == ("systems have other values of doc: no cluster by default",)
    assert fc.compare(*sides, cluster=None).warnings == ()


def test_halves_count_as_halves():
    """Integers of one side do not weigh twice beside halves of the other; halves are bet on."""
    tops = [1.0, 4.0, 2.0, 3.0, 1.0, 5.0, 2.0, 4.0, 3.0]
    bottoms = [2.0, 6.0, 2.0, 9.0, 4.0, 5.0, 3.0, 8.0, 3.0], [t + 2.5 for t in tops]
    sides = [
        fc.statistics([{"id": k, "numerator": t, "denominator": d}
                       for k, (t, d) in enumerate(zip(tops, side, strict=True))])
        for side in bottoms
    ]  # fmt: skip
    joint = np.sum(bottoms, axis=0)
    [score] = fc.compare(*sides).scores.values()
    assert score.worth == pytest.approx(joint.sum() ** 2 / (joint**2).sum(), rel=1e-12)
    a, b = (fc.statistics([{"id": k, "value": (k % n) / 2} for k in range(60)]) for n in (2, 3))
    assert fc.gate(a, b, min_delta=-0.5, anytime=True).anytime == "betting"


def test_other_rules():
    a, b = runs(9, epochs=2)
    with pytest.raises(InputError, match="answers:mean and answers:pass@2"):
        fc.compare(fc.statistics(a), fc.statistics(b, over="pass@2"))


def test_other_numbers_of_answers():
    a, b = runs(10, epochs=2)
    fewer = [row for row in b if row["epoch"] == 0]
    comparison = fc.compare(fc.statistics(a), fc.statistics(fewer))
    assert comparison.warnings == ("answers to an example: 2 in A, 1 in B",)
    many = fc.statistics(runs(10, epochs=9)[0])
    assert "more than 4 times" in fc.compare(many, fc.statistics(fewer)).warnings[0]
    with pytest.raises(InputError, match="max of other numbers of answers"):
        fc.compare(fc.statistics(a, over="max"), fc.statistics(fewer, over="max"))


def test_sources_of_other_formats(tmp_path):
    rows = lm_rows(3, filters=("none",))
    samples = lm_samples(tmp_path / "gpt2", rows)
    table = [{"id": r["doc_id"], "exact_match,none": r["exact_match"]} for r in rows]
    sides = [fc.statistics(s, "exact_match,none") for s in (samples, table)]
    comparison = fc.compare(*sides)
    assert comparison.signature.endswith("source:lm-eval+table")
    assert comparison["exact_match,none"].delta == 0


def test_lower_is_better():
    a, b = (fc.statistics(side, system=name) for side, name in zip(
        ([{"id": k, "value": 0.1 + k % 3} for k in range(40)],
         [{"id": k, "value": 0.3 + k % 4} for k in range(40)]), "ab", strict=True))  # fmt: skip
    up, down = (fc.leaderboard([a, b], lower_is_better=low, n_resamples=500)
                for low in (False, True))  # fmt: skip
    assert up["b"].rank == down["a"].rank == 1
    assert down.winner["system"] == "a"
    assert down.winner["value"] == a.scores()["value"][0]
    negative = [replace(s, rows=s.rows * [-1, 1]) for s in (a, b)]
    turned = fc.leaderboard(negative, n_resamples=500)
    assert down.winner["expected"] == pytest.approx(-turned.winner["expected"], abs=0.05)
    assert [s.rank_low for s in down.scores.values()] == [
        s.rank_low for s in turned.scores.values()
    ]
    verdicts = [fc.gate(a, b, min_delta=0, lower_is_better=low).verdict for low in (False, True)]
    assert verdicts == ["pass", "fail"]
    assert fc.gate(b, a, min_delta=0, lower_is_better=True).verdict == "pass"


def test_names_of_systems(tmp_path):
    made = random_samples(1)
    for name, model in (("x", "mock/a"), ("y", "mock/b"), ("z", "mock/b")):
        eval_log(tmp_path / f"{name}.eval", made, header(n=30, model=model))
    files = {name: tmp_path / f"{name}.eval" for name in "xyz"}
    options = {"missing": "skip"}
    found = [
        json.loads(cli("compare", files[a], files[b], "--score", "match", "--missing", "skip",
                       "--json")[0])["systems"]
        for a, b in ("xy", "yz")
    ]  # fmt: skip
    assert found == [{"a": "mock/a", "b": "mock/b"}, {"a": "y", "b": "z"}]
    assert options


def test_a_folder_of_logs(tmp_path):
    for k, name in enumerate("xyz"):
        samples = [s for s in random_samples(k) if not s["error"]]
        write = json_log if name == "z" else eval_log
        suffix = ".json" if name == "z" else ".eval"
        write(tmp_path / f"{name}{suffix}", samples, header(n=30, model=f"mock/{name}"))
    out = cli("leaderboard", tmp_path, "--score", "match", "--missing", "skip", "--json")[0]
    board = json.loads(out)
    assert {s["system"] for s in board["systems"]} == {"mock/x", "mock/y", "mock/z"}
    assert board["answers"]["mock/x"]["examples"] > 0


def test_a_count_file_stands_for_a_log(tmp_path):
    paths = [eval_log(tmp_path / f"{k}.eval", random_samples(k), header(model=f"m{k}"))
             for k in range(2)]  # fmt: skip
    options = ["--score", "match", "--missing", "skip"]
    for k, path in enumerate(paths):
        cli("aggregate", path, *options, "--cluster", "doc", "--out", tmp_path / f"{k}.parquet")
    logs, files = (
        cli("compare", *sides, *options, "--cluster", "doc", "--json")[0]
        for sides in (paths, [tmp_path / f"{k}.parquet" for k in range(2)])
    )
    assert logs == files
    cli("aggregate", *paths, *options, "--out", tmp_path / "both.parquet")
    board = json.loads(cli("leaderboard", tmp_path / "both.parquet", "--json")[0])
    assert [s["system"] for s in board["systems"]] == ["m0", "m1"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.eval", "b.eval"], "6 scores|7 scores|8 scores"),
        (["a.eval", "b.eval", "--score", "gappy"], "17 of 60 answers without gappy"),
        (["nothing.eval", "a.eval"], "nothing.eval: No such file"),
        (["text.txt", "a.eval"], 'no column "id"'),
        (["a.eval", "b.eval", "--score", "match", "--missing", "skip", "--cluster", "no"],
         'no metadata "no"'),
        (["a.eval", "b.eval", "--over", "worst"], "over is"),
        (["a.eval", "b.eval", "--score", "match", "--missing", "skip", "--over", "pass@9"],
         "expected at least 9 for pass@9"),
        (["a.eval", "b.eval", "--numerator", "x"], "go together"),
    ],
)  # fmt: skip
def test_errors_are_one_line(tmp_path, arguments, message):
    import re

    for k, name in enumerate("ab"):
        eval_log(tmp_path / f"{name}.eval", random_samples(k), header(model=name))
    (tmp_path / "text.txt").write_text("It rained\nand the river rose\n")
    given = [tmp_path / a if "." in a else a for a in arguments]
    err = cli("compare", *given, expect=2)[1]
    assert re.search(message, err)
    assert err.count("\n") == 1


def test_answers_of_a_comparison(tmp_path):
    paths = [eval_log(tmp_path / f"{k}.eval", random_samples(k), header(model=f"m{k}"))
             for k in range(2)]  # fmt: skip
    out = cli("compare", *paths, "--score", "match", "--missing", "skip", "--json")[0]
    found = json.loads(out)
    assert found["pairing"] == "id"
    assert found["answers"]["rule"] == "mean"
    assert {*found["answers"]["a"]} == {
        "examples", "answers", "errors", "limits", "unscored", "missing",
    }  # fmt: skip
    assert any("with errors" in warning for warning in found["warnings"])

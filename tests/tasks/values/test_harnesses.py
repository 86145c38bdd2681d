"""Logs that the harnesses write, and the means and standard errors that they print.

``FASTCAUSAL_HARNESSES`` names a Python that has inspect-ai, lm-eval, DeepEval and mlflow: they need
not stand beside this package.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

import fastcausal as fc
from fastcausal.files.zips import Archive
from fastcausal.significance.intervals import spreads_of
from fastcausal.training import Reward
from tests.support.installed import installed_in

pytestmark = pytest.mark.slow
SCRIPTS = Path(__file__).parents[2] / "support" / "harnesses"
PYTHON = os.environ.get("FASTCAUSAL_HARNESSES") or sys.executable


def run(module, script, folder, **environment):
    found = subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True, text=True)
    if found.returncode:
        pytest.skip(f"{module} is not installed: {found.stderr.strip().splitlines()[-1]}")
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "hub")} | environment
    done = subprocess.run(
        [PYTHON, str(SCRIPTS / script), str(folder)],
        capture_output=True, text=True, cwd=folder, env=os.environ | offline, timeout=600,
    )  # fmt: skip
    assert not done.returncode, done.stderr[-2000:]


@pytest.fixture(scope="module")
def inspect(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inspect")
    run("inspect_ai", "inspect_run.py", folder)
    return folder


def error_of(statistics, score, cluster=None):
    units = statistics.drawn(cluster, score)
    return spreads_of(units.score_without_each(), units.times)[score].error


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("scorer", ["right", "overlap"])
def test_inspect(inspect, seed, scorer):
    [log] = (inspect / f"{seed}-json").glob("*.json")
    [packed] = (inspect / f"{seed}-eval").glob("*.eval")
    scores = json.loads(log.read_text())["results"]["scores"]
    [metrics] = [each["metrics"] for each in scores if each["name"] == scorer]
    for path in (log, packed):
        statistics = fc.statistics(path, scorer, cluster="doc")
        printed = {name: each["value"] for name, each in metrics.items() if not each.get("params")}
        mean = printed.get("mean", printed.get("accuracy"))
        assert statistics.scores()[scorer][0] == pytest.approx(mean, abs=1e-12)
        assert error_of(statistics, scorer) == pytest.approx(printed["stderr"], rel=1e-9)
        [clustered] = [each["value"] for each in metrics.values() if each.get("params")]
        assert error_of(statistics, scorer, "doc") == pytest.approx(clustered, rel=1e-9)
    comparison = fc.compare(
        fc.statistics(log, scorer, cluster="doc"), fc.statistics(packed, scorer, cluster="doc")
    )
    assert comparison[scorer].delta == 0


def test_inspect_of_unequal_clusters_is_near(inspect):
    """The jackknife leaves out clusters, inspect is linear: they are near, not equal."""
    from tests.oracles import desk

    values, clusters = [0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 1], list("aaaaabbbccde")
    rows = [
        {"id": k, "value": v, "doc": c}
        for k, (v, c) in enumerate(zip(values, clusters, strict=True))
    ]
    ours = error_of(fc.statistics(rows), "value", "doc")
    theirs = float(desk.inspect_clustered(values, clusters)) ** 0.5
    assert ours == pytest.approx(theirs, rel=0.3)
    assert ours != pytest.approx(theirs, rel=1e-6)


def test_lm_eval(tmp_path):
    run("lm_eval", "lm_eval_run.py", tmp_path)
    [samples] = (tmp_path / "out").rglob("samples_*.jsonl")
    [results] = (tmp_path / "out").rglob("results_*.json")
    printed = json.loads(results.read_text())["results"]["ours"]
    for name in ("acc,none", "acc_norm,none"):
        statistics = fc.statistics(samples, name)
        assert statistics.n_units == 40
        assert statistics.scores()[name][0] == pytest.approx(printed[name], abs=1e-12)
        printed_error = printed[name.replace(",", "_stderr,")]
        if printed_error != "N/A":
            assert error_of(statistics, name) == pytest.approx(printed_error, rel=1e-9)


def test_deepeval(tmp_path):
    run("deepeval", "deepeval_run.py", tmp_path)
    [path] = tmp_path.glob("test_run_*.json")
    [printed] = json.loads(path.read_text())["metricsScores"]
    made = fc.statistics(path, "Overlap", missing="skip")
    assert made.scores()["Overlap"][0] == pytest.approx(sum(printed["scores"]) / 5, abs=1e-12)
    assert (made.system, len(made.left_out)) == ("careful", printed["errors"])
    held = json.loads(path.read_text())
    assert fc.statistics(path).scores()["success"][0] == held["testPassed"] / 6


def test_mlflow(tmp_path):
    run("mlflow", "mlflow_run.py", tmp_path)
    for name in ("eval_results_table.json", "traces.json", "traces.csv"):
        made = fc.statistics(tmp_path / name, "same")
        assert made.scores()["same"][0] == pytest.approx(2 / 3, abs=1e-12), name
    ids = made.units["id"].to_pylist()  # of the inputs, which another run has too
    assert all("seven" in id or "four" in id or "one" in id for id in ids)


def test_the_scorer_of_inspect_is_found_by_its_entry_point(tmp_path):
    """The scorer's values add up to the corpus F1, and compare two of its logs."""
    path = installed_in(tmp_path / "site")
    run("inspect_ai", "inspect_scorer.py", tmp_path, PYTHONPATH=path)
    parts = {"numerator": "relations.right", "denominator": "relations.all"}
    for name in ("good", "bad"):
        with (tmp_path / f"{name}.eval").open("rb") as file:
            archive = Archive(name, file=file, is_log=True)
            header = json.loads(archive.read("header.json"))
            paths = [each for each in archive.names if each.startswith("samples/")]
            samples = [json.loads(archive.read(each)) for each in paths]
        gold = [{"id": str(each["id"]), **each["metadata"]} for each in samples]
        answers = [
            {"id": str(each["id"]), "output": each["scores"]["relations"]["answer"]}
            for each in samples
        ]
        expected = fc.score(gold, answers, answers="output", unparsed="empty")["overall"].f1
        [scorer] = header["results"]["scores"]
        own = [Reward().score(each["output"], row) for each, row in zip(answers, gold, strict=True)]
        values = [each["scores"]["relations"]["value"]["f1"] for each in samples]
        assert values == own
        assert scorer["metrics"]["mean_of_samples"]["value"] == pytest.approx(sum(own) / 3)
        mean = fc.statistics(tmp_path / f"{name}.eval", "relations.f1").scores()["relations.f1"]
        assert mean == pytest.approx([sum(own) / 3])
        assert sum(own) / 3 != pytest.approx(expected) or name == "bad"  # a mean is not F1
        assert scorer["metrics"]["corpus_f1"]["value"] == pytest.approx(expected, abs=1e-12)
        statistics = fc.statistics(tmp_path / f"{name}.eval", **parts)
        assert statistics.scores()["relations.right/relations.all"] == pytest.approx([expected])
    assert expected == 0
    explained = {each["id"]: each["scores"]["relations"].get("explanation") for each in samples}
    assert explained == {0: None, 1: None, 2: "the answer cannot be read"}
    assert 'no "text" in its metadata' in (tmp_path / "error.txt").read_text()
    assert "cnc-2022 does not add up over batches" in (tmp_path / "protocol.txt").read_text()
    whole = json.loads((tmp_path / "whole.json").read_text())
    assert whole["metrics"] == {"corpus_f1": 0.5, "mean_of_samples": pytest.approx(1 / 3)}
    assert whole["values"][2] == {"right": 0, "all": 2, "f1": 0.0}


def test_inspect_stops_when_the_verdict_is_sure(tmp_path):
    """A gain, a floor of two epochs, a budget; a baseline without a sample is refused."""
    run("inspect_ai", "inspect_stopping.py", tmp_path, PYTHONPATH=os.pathsep.join(sys.path))
    told = json.loads((tmp_path / "told.json").read_text())
    assert {told[name]["status"] for name in ("gain", "floor", "budget")} == {"success"}
    gain, floor, budget = (told[name] for name in ("gain", "floor", "budget"))
    assert (gain["verdict"], gain["n"] + gain["stopped"]) == ("pass", 60)
    assert gain["log_e"] >= math.log(20)
    assert gain["n"] < 25
    assert (floor["verdict"], floor["n_units"], floor["n"]) == ("pass", 9, 69)
    assert (budget["verdict"], budget["n_units"], budget["stopped"]) == ("inconclusive", 7, 53)
    assert budget["stop"] == "the budget of 7 samples is spent"
    assert "significant at 5% (one-sided) at all looks together" in gain["stop"]
    assert 'the baseline has no sample "60", expected all samples' in told["unknown"]

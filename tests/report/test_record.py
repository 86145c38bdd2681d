"""Reports as records of Every Eval Ever: what they hold, read again, and their own validator."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from uuid import UUID

import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.report.record import record_of, write_records
from tests.support import exports
from tests.support.cli import cli

PYTHON = os.environ.get("FASTCAUSAL_HARNESSES") or sys.executable


def values_of(seed, system="org/m"):
    rows = exports.drawn(seed, 1, 20, 2, 0)
    return fc.statistics(
        [{"id": k, "epoch": r, "value": v} for _, k, r, v in rows], system=system
    ).report()


def test_a_record_of_values():
    report = values_of(1)
    record = record_of(report.with_intervals(confidence=0.9), "org/m", "17")
    [result] = record["evaluation_results"]
    details = result["score_details"]
    [interval] = report.statistics.intervals(confidence=0.9).flat().values()
    assert details["score"] == report.statistics.scores()["value"][0]
    assert details["uncertainty"]["confidence_interval"] == {
        "lower": interval.low, "upper": interval.high, "confidence_level": 0.9,
        "method": "jackknife",
    }  # fmt: skip
    values = report.statistics.rows_of_units()[:, 0]
    error = (values.var(ddof=1) / len(values)) ** 0.5  # of a mean, by its formula
    assert details["uncertainty"]["standard_error"] == {
        "value": pytest.approx(error, rel=1e-12), "method": "jackknife",
    }  # fmt: skip
    assert details["uncertainty"]["num_samples"] == 20
    assert result["metric_config"] == {
        "metric_id": "value", "metric_name": "value", "lower_is_better": False,
        "score_type": "continuous", "min_score": 0, "max_score": 1,
    }  # fmt: skip
    assert record["model_info"]["developer"] == "org"
    assert record["evaluation_id"] == "values/org_m/17"
    assert "uncertainty" not in record_of(report, "m", "17")["evaluation_results"][0]


def test_a_record_of_relations_is_read_again(tmp_path):
    """Every score of the report, and none of its counts; undefined ones are named."""
    report = fc.score(sample.GOLD, sample.SYSTEMS["careful"])
    flat = {
        f"{prefix}{group}_{name}": value
        for prefix, groups in [
            ("", report.scores),
            *((f"{n}_", g) for n, g in report.subsets.items()),
        ]
        for group, scores in groups.items()
        for name, value in scores.items()
        if isinstance(value, float)
    }
    assert len(flat) > 20
    path = tmp_path / "careful.json"
    notes = write_records(path, {"careful": report})
    written = {
        each["metric_config"]["metric_id"]: each["score_details"]["score"]
        for each in json.loads(path.read_bytes())["evaluation_results"]
    }
    assert written == {name: value for name, value in flat.items() if value == value}
    lost = [name for name, value in flat.items() if value != value]
    assert notes == ((f"careful: left out, being undefined: {', '.join(lost)}",) if lost else ())
    again = fc.statistics(path, "overall_f1")
    assert again.scores()["overall_f1"][0] == report["overall"].f1
    assert again.system == "careful"


def test_systems_go_into_a_folder(tmp_path, monkeypatch):
    """Each at the place that the store asks for, the same for the same record, and read again."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1790000000")  # a record of another second is another
    reports = {name: values_of(k, name) for k, name in enumerate(("org/m", 'a:"x"/..', "m"))}
    with pytest.raises(fc.InputError, match="a record is of one model, got 3 systems"):
        write_records(tmp_path / "x.json", reports)
    assert not [*tmp_path.iterdir()]
    for _ in range(2):
        assert write_records(tmp_path, reports) == ()
    places = {path.relative_to(tmp_path).parts[:4]: path for path in tmp_path.rglob("*.json")}
    assert len([*tmp_path.rglob("*.json")]) == 3
    assert {*places} == {
        ("data", "values", "org", "m"), ("data", "values", "a__x_", "unknown"),
        ("data", "values", "unknown", "m"),
    }  # fmt: skip
    path = places["data", "values", "org", "m"]
    assert UUID(path.stem).version == 4
    again = fc.statistics(path).scores()["score"][0]
    assert again == reports["org/m"].statistics.scores()["value"][0]


@pytest.mark.slow  # a program of its own, with every_eval_ever
def test_records_pass_their_own_validator(tmp_path):
    found = subprocess.run([PYTHON, "-c", "import every_eval_ever"], capture_output=True)
    if found.returncode:
        pytest.skip("every_eval_ever is not installed")
    made = [
        values_of(1).statistics, values_of(2).statistics,
        fc.score(sample.GOLD, sample.SYSTEMS["careful"]).statistics,
        fc.score(sample.GOLD, sample.SYSTEMS["hasty"], unparsed="skip").statistics,
    ]  # fmt: skip
    plain = [replace(each, system=f"org/m{k}").report() for k, each in enumerate(made)]
    first, second, *others = plain
    bounded = [first.with_intervals(method="bca", n_resamples=50), *others]
    reports = [*bounded, second]
    write_records(tmp_path, {str(k): report for k, report in enumerate(reports)})
    done = subprocess.run(
        [PYTHON, "-m", "every_eval_ever", "validate", "--format", "json",
         *map(str, sorted(tmp_path.rglob("*.json")))],
        capture_output=True, text=True, cwd=tmp_path, timeout=120,
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert [each["valid"] for each in found] == [True] * 4, done.stdout[-2000:]
    assert not any(each["errors"] or each["warnings"] for each in found)


def test_the_command_writes_records(tmp_path):
    source, target = tmp_path / "a.jsonl", tmp_path / "a.json"
    source.write_text(exports.every_eval_ever(exports.drawn(3, 1, 9, 2, 0)))
    out, _ = cli("aggregate", source, "--intervals", "--json", "--out", target)
    [result] = json.loads(target.read_bytes())["evaluation_results"]
    printed = json.loads(out)
    assert result["score_details"]["score"] == printed["scores"]["overall"]["score"]
    bounds = result["score_details"]["uncertainty"]["confidence_interval"]
    assert [bounds["lower"], bounds["upper"]] == printed["intervals"]["scores"]["overall"]["score"]
    again, _ = cli("aggregate", target, "--json")
    assert json.loads(again)["scores"]["overall"]["score"] == printed["scores"]["overall"]["score"]

"""A report as a record of Every Eval Ever, schema 0.3.0: one model, a result for each score."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from fastcausal._version import __version__
from fastcausal.errors import InputError
from fastcausal.files.files import replacing
from fastcausal.report.numbers import Bounded, Scale
from fastcausal.report.report import Report

if TYPE_CHECKING:
    from fastcausal.significance.intervals import Resampled, Spread

SCHEMA = "0.3.0"
SUFFIX = ".json"
UNKNOWN = "unknown"


def write_record(
    path: str | os.PathLike[str], reports: Mapping[str, Report], cluster: str | None = "auto"
) -> tuple[str, ...]:
    """Write the record of one system; return a note on scores that it cannot hold."""
    if len(reports) != 1:
        names = ", ".join(reports)[:200]
        raise InputError(f"{path}: a record is of one model, got {len(reports)} systems: {names}")
    [(name, report)] = reports.items()
    made = os.environ.get("SOURCE_DATE_EPOCH") or str(int(time.time()))
    record = record_of(report, report.statistics.system or name or UNKNOWN, made, cluster)
    text = json.dumps(record, ensure_ascii=False, allow_nan=False, indent=2)
    with replacing(path) as file:
        file.write(text.encode() + b"\n")
    lost = [name for name, value, _ in _scores(report) if not math.isfinite(value)]
    return (f"{path}: left out, being undefined: {', '.join(lost)}",) if lost else ()


def record_of(
    report: Report,
    system: str,
    made: str,  # seconds since 1970
    cluster: str | None = "auto",  # of the intervals that the report has
) -> dict[str, Any]:
    """Return the record of a report, with uncertainty if the report has intervals."""
    facts = report.statistics.facts.get("source") or {}
    source = facts.get("format")
    is_ours = source in (None, "table")
    task = str(facts.get("task") or report.signature.split("|")[2])
    spreads = None if report._intervals is None else _spreads(report, cluster)
    results = [
        _result(task, name, value, scale, report, spreads)
        for name, value, scale in _scores(report)
        if math.isfinite(value)
    ]
    developer = {"developer": system.partition("/")[0]} if "/" in system else {}
    unknown = {"deployment_type": UNKNOWN, "model_availability": UNKNOWN}
    return {
        "schema_version": SCHEMA,
        "evaluation_id": "/".join(part.replace("/", "_") for part in (task, system, made)),
        "retrieved_timestamp": made,
        "source_metadata": {
            "source_name": "fastcausal",
            "source_type": "evaluation_run",
            "source_organization_name": UNKNOWN,
            "evaluator_relationship": "other",
        },
        "eval_library": {
            "name": "fastcausal" if is_ours else source,
            "version": __version__ if is_ours else UNKNOWN,
            "additional_details": {"fastcausal": report.signature},
        },
        "model_info": {"name": system, "id": system, **developer, "additional_details": unknown},
        "evaluation_results": results,
    }


def _scores(report: Report) -> Iterator[tuple[str, float, Scale]]:
    """Yield the name, the value and the scale of each score; counts have no scale."""
    statistics = report.statistics
    for of, group, scores in report._flat_groups():
        for name, value in scores.items():
            flat = statistics.formula.flat_name(group, name) if of == group else f"{of}_{name}"
            scale = report.scale(group, name)
            if scale is not None and isinstance(value, float):
                yield flat, value, statistics.scale(flat) if of == group else scale


def _spreads(report: Report, cluster: str | None) -> Mapping[str, Spread]:
    from fastcausal.significance.intervals import spreads_of

    statistics = report.statistics
    units: Resampled = statistics.drawn(cluster)
    units = units.grouped()
    return spreads_of(units.score_without_each(), units.times) if units.times.sum() > 1 else {}


def _result(
    task: str,
    name: str,
    value: float,
    scale: Scale,
    report: Report,
    spreads: Mapping[str, Spread] | None,
) -> dict[str, Any]:
    low, high = scale.range or ("-Infinity", "Infinity")
    details: dict[str, Any] = {"score": float(value)}
    if spreads is not None:
        details["uncertainty"] = _uncertainty(name, value, report, spreads)
    return {
        "evaluation_result_id": name,
        "evaluation_name": task,
        "source_data": {"dataset_name": task, "source_type": "other"},
        "metric_config": {
            "metric_id": name,
            "metric_name": name,
            "lower_is_better": scale.better == "lower",
            "score_type": "continuous",
            "min_score": low,
            "max_score": high,
        },
        "score_details": details,
    }


def _uncertainty(
    name: str, value: float, report: Report, spreads: Mapping[str, Spread]
) -> dict[str, Any]:
    made = report._intervals or {}
    found: dict[str, Any] = {"num_samples": made["n_units"]}
    error = spreads[name].error if name in spreads else math.nan
    if math.isfinite(error):
        found["standard_error"] = {"value": error, "method": "jackknife"}
    if isinstance(value, Bounded) and math.isfinite(value.low) and math.isfinite(value.high):
        found["confidence_interval"] = {
            "lower": value.low,
            "upper": value.high,
            "confidence_level": made["confidence"],
            "method": made["method"],
        }
    if made["n_resamples"] is not None:
        found["num_bootstrap_samples"] = made["n_resamples"]
    return found

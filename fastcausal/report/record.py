"""A report as a record of Every Eval Ever, schema 0.3.0: one model, a result for each score."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from fastcausal._version import __version__
from fastcausal.errors import InputError
from fastcausal.files.files import replacing_together
from fastcausal.report.numbers import Bounded, Scale
from fastcausal.report.report import Report

if TYPE_CHECKING:
    from fastcausal.significance.intervals import Resampled, Spread

SCHEMA = "0.3.0"
SUFFIX = ".json"
UNKNOWN = "unknown"
_PORTABLE = re.compile(r'[<>:"/\\\\|?*\x00-\x1f]')  # what a name of a folder has not everywhere


def is_for_records(path: Path) -> bool:
    """Return True for a path that ends in .json, and for a folder."""
    return path.suffix.lower() == SUFFIX or path.is_dir()


def write_records(
    path: Path, reports: Mapping[str, Report], cluster: str | None = "auto"
) -> tuple[str, ...]:
    """Write a record of each system; return notes on scores that the records cannot hold."""
    # One system makes a file. In a folder each has the place that the store of records asks for.
    made = os.environ.get("SOURCE_DATE_EPOCH") or str(int(time.time()))
    records = {
        name: record_of(report, report.statistics.system or name or UNKNOWN, made, cluster)
        for name, report in reports.items()
    }
    is_folder = path.is_dir()
    if len(records) != 1 and not is_folder:
        names = ", ".join(records)[:200]
        raise InputError(
            f"{path}: a record is of one model, got {len(records)} systems ({names}), expected "
            "the name of a folder"
        )
    targets = [_place(path, record) if is_folder else path for record in records.values()]
    for target in targets if is_folder else []:
        target.parent.mkdir(parents=True, exist_ok=True)
    with replacing_together(*targets) as files:
        for file, record in zip(files, records.values(), strict=True):
            text = json.dumps(record, ensure_ascii=False, allow_nan=False, indent=2)
            file.write(text.encode() + b"\n")
    return tuple(_list_undefined(reports))


def _place(folder: Path, record: Mapping[str, Any]) -> Path:
    """Return ``data/COLLECTION/DEVELOPER/MODEL/UUID.json``, the same for the same record."""
    model = record["model_info"]["id"]
    developer, _, name = model.rpartition("/")
    task = (
        record["evaluation_results"][0]["evaluation_name"] if record["evaluation_results"] else ""
    )
    parts = [_PORTABLE.sub("_", part).strip(" .") or UNKNOWN for part in (task, developer, name)]
    digest = hashlib.sha256(json.dumps(record, sort_keys=True).encode()).digest()
    own = UUID(bytes=digest[:16], version=4)
    return folder.joinpath("data", *parts, f"{own}{SUFFIX}")


def _list_undefined(reports: Mapping[str, Report]) -> Iterator[str]:
    for name, report in reports.items():
        lost = [score for score, value, _ in _scores(report) if not math.isfinite(value)]
        if lost:
            yield f"{name or 'record'}: left out, being undefined: {', '.join(lost)}"


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

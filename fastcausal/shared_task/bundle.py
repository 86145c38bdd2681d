"""The bundle of a shared task, in the form of Codabench."""

from __future__ import annotations

import json
import math
import shutil
import struct
import sys
import zlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from fastcausal._version import __version__
from fastcausal.arrays.digests import digest_text
from fastcausal.errors import InputError, OutputError
from fastcausal.files.packed import stem_of
from fastcausal.protocols import RECESS
from fastcausal.report.report import RATES, Report
from fastcausal.shared_task import packages, program
from fastcausal.shared_task.check import check
from fastcausal.shared_task.kit import BASELINE, write_kit
from fastcausal.shared_task.pages import NAMES, page
from fastcausal.shared_task.record import DEFAULT, Limits, SharedTask
from fastcausal.shared_task.scoring import check_settings, complete, report_of_gold
from fastcausal.shared_task.zipped import files_below, write_zip
from fastcausal.sweeps.scoring import RELATIONS

BUNDLE = "bundle.zip"
COMMAND = "python3 /app/program/score.py /app/input /app/output"
YAML = """\
version: 2
title: {title}
description: {description}
image: logo.png
terms: pages/terms.md
docker_image: {image}
registration_auto_approve: False
enable_detailed_results: False
pages:
  - title: Overview
    file: pages/overview.md
  - title: Evaluation
    file: pages/evaluation.md
  - title: Data
    file: pages/data.md
phases:
  - index: 0
    name: Test
    description: {description}
    start: {start}
    starting_kit: starting_kit
    accepts_only_result_submissions: True
    execution_time_limit: {seconds}
    max_submissions_per_day: 5
    tasks:
      - 0
tasks:
  - index: 0
    name: {title}
    description: {description}
    scoring_program: scoring_program
    reference_data: reference_data
solutions:
  - index: 0
    path: starting_kit/{baseline}
    tasks:
      - 0
leaderboards:
  - title: Results
    key: main
    submission_rule: "Add"
    columns:
{columns}"""
COLUMN = """\
      - title: {name}
        key: {name}
        index: {index}
        sorting: {sorting}
        precision: 4
"""


class Made(NamedTuple):
    """A bundle, and its judgment of the baseline; None without a baseline."""

    task: SharedTask
    baseline: program.Judged | None


def init(
    target: Path,
    gold: Path,
    task: str,  # name of the task's public function
    options: Mapping[str, Any],  # its arguments; an existing file is copied into the bundle
    *,
    title: str | None = None,  # by default the name of the folder
    # Flat names, the ranking score first; by default the scores of the first group
    scores: Sequence[str] = (),
    lower_is_better: bool = False,  # needed for a first score that does not declare it
    limits: Limits = DEFAULT,
    packed: Path | None = None,  # a folder of wheels; by default what is installed is packed
) -> Made:
    """Write the bundle of a shared task to a new folder, complete or not at all."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InputError(f"{target} exists, expected a new folder")
    if not gold.is_file():
        raise InputError(f"{gold}: not a file, expected one of gold")
    if task == RELATIONS:
        options = {"protocol": RECESS.name, **options}
    options = complete(task, options)
    report = report_of_gold(task, str(gold), options)
    columns = _columns(report, scores)
    names = {name: f"{name}{_suffix(Path(v))}" for name, v in options.items() if _is_file(v)}
    record = SharedTask(
        title=title or target.absolute().name,
        task=task,
        options={**options, **names},
        files=tuple(names),
        gold=f"gold{_suffix(gold)}",
        sha256=sha256(gold.read_bytes()).hexdigest(),
        answers=True,
        digest=_digest(report),
        signature=report.signature,
        scores=columns,
        lower_is_better=_is_lower(report, columns[0], lower_is_better),
        version=__version__,
        limits=limits,
    )
    check_settings(task, record.options, record.files)
    files = {record.options[name]: Path(options[name]) for name in record.files}
    return Made(record, _placed(target, {record.gold: gold, **files}, record, packed))


def _placed(
    target: Path, files: Mapping[str, Path], task: SharedTask, packed: Path | None
) -> program.Judged | None:
    """Write all files beside the target, then move them there; return the baseline's judgment."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as place:
            box = Path(place, "box")
            reference = box / "reference_data"
            reference.mkdir(parents=True)
            for name, path in files.items():
                shutil.copy(path, reference / name)
            task.write(reference)
            baseline = _write_all(box, task, packed)
            if target.exists():
                target.rmdir()
            box.rename(target)
    except OSError as error:
        raise OutputError(f"{target}: {error.strerror or error}") from error
    return baseline


def _write_all(box: Path, task: SharedTask, packed: Path | None) -> program.Judged | None:
    """Write all files except reference data; return the baseline's judgment."""
    scoring = box / "scoring_program"
    scoring.mkdir()
    shutil.copy(program.__file__, scoring / "score.py")
    (scoring / "metadata.yaml").write_text(f"command: {COMMAND}\n", encoding="utf-8")
    kit = box / "starting_kit"
    baseline = None
    if write_kit(kit, box / "reference_data", task):
        baseline = check(kit / BASELINE, box / "reference_data")
        if baseline.refusal:
            raise InputError(f"the baseline is refused: {baseline.refusal}")
    _write_pages(box, task)
    (box / "logo.png").write_bytes(_logo())
    text = _yaml(task)
    if baseline is None:
        text = text[: text.index("solutions:")] + text[text.index("leaderboards:") :]
    (box / "competition.yaml").write_text(text, encoding="utf-8")
    held = box.with_name(program.PACKAGES)  # only in the bundle: it is nearly all of its size
    packages.pack(held, packed)
    inside = f"{scoring.name}/{held.name}"
    write_zip(box / BUNDLE, [*files_below(box), (inside, held)])
    return baseline


def _write_pages(box: Path, task: SharedTask) -> None:
    (box / "pages").mkdir()
    values = {
        "title": task.title,
        "score": task.scores[0],
        "scores": ", ".join(f"`{name}`" for name in task.scores),
        "signature": task.signature,
        "command": task.task,
        "size": str(task.limits.size),
    }
    for name in NAMES:
        (box / "pages" / f"{name}.md").write_text(page(name, **values), encoding="utf-8")


def _yaml(task: SharedTask) -> str:
    """Return the description of a competition; texts are written as JSON, which is valid YAML."""
    columns = [
        COLUMN.format(
            name=json.dumps(name),
            index=k,
            sorting="asc" if name in RATES or (k == 0 and task.lower_is_better) else "desc",
        )
        for k, name in enumerate(task.scores)
    ]
    version = sys.version_info
    return YAML.format(
        title=json.dumps(task.title),
        description=json.dumps(f"Scored by fastcausal {task.version}, {task.protocol}."),
        image=f"python:{version.major}.{version.minor}-slim",
        start=f"{datetime.now(UTC):%Y-%m-%d} 00:00:00",
        seconds=task.limits.seconds + 120,  # to unpack packages
        baseline=BASELINE,
        columns="".join(columns),
    )


def _columns(report: Report, asked: Sequence[str]) -> tuple[str, ...]:
    """Return the scores of the board: the requested ones, or the first group's with F1 first."""
    flat = report.to_flat(counts=False)
    for name in asked:
        if name not in flat:
            raise InputError(f'no score "{name}", expected some of {", ".join(flat)}')
    if asked:
        return tuple(dict.fromkeys(asked))
    group, values = next(iter(report.scores.items()))
    names = [f"{group}_{name}" for name, value in values.items() if isinstance(value, float)]
    return tuple(sorted(names, key=lambda name: name != f"{group}_f1"))


def _is_lower(report: Report, score: str, asked: bool) -> bool:
    """Return True if lower is better for a score, by its declaration or else as asked."""
    scale = report.flat_scales().get(score)
    if scale is None:
        return asked
    if not scale.sign or (asked and scale.sign > 0):
        has = "higher is better" if scale.sign else "it has no better direction"
        raise ValueError(f"a board ranks by its first score: {score}: {has}")
    return scale.sign < 0


def _digest(report: Report) -> str | None:
    """Return the digest of gold; None if scores do not add."""
    try:
        return digest_text(report.statistics.gold)
    except InputError:
        return None


def _is_file(value: Any) -> bool:
    return isinstance(value, str) and Path(value).is_file()


def _suffix(path: Path) -> str:
    """Return the suffixes of a file, including a suffix of compression."""
    return path.name.removeprefix(stem_of(path))


@cache
def _logo(side: int = 256) -> bytes:
    """Return a PNG of an arrow, from a cause to an effect."""
    rows = bytearray()
    for y in range(side):
        rows.append(0)  # no filter
        for x in range(side):
            dx, dy = x - side / 2, abs(y - side / 2)
            ends = [math.hypot(dx + end * side / 3.2, dy) < side / 9 for end in (1, -1)]
            is_arrow = abs(dx) < side / 6 and dy < side / 40
            is_tip = 0 < dx - side / 12 < side / 8 and dy < side / 8 - (dx - side / 12)
            rows += bytes((36, 84, 140) if any(ends) or is_arrow or is_tip else (255, 255, 255))
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(bytes(rows), 9)),
        (b"IEND", b""),
    ]
    chunks = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)

"""The judge of one submission: its scores, or the reason for refusing it."""

from __future__ import annotations

import json
import math
import os
import sys
import warnings
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fastcausal.arrays.digests import digest_text
from fastcausal.errors import InputError
from fastcausal.report.escapes import printable
from fastcausal.report.report import Report
from fastcausal.shared_task.program import COUNTS, JUDGMENT, REFUSED
from fastcausal.shared_task.record import FILE, SharedTask
from fastcausal.shared_task.scoring import policies_of, score_of
from fastcausal.shared_task.submission import open_submission

NO_MEMORY = "not enough memory for this submission"
FAULT = 70  # for an error of fastcausal itself


def judge(folder: Path, submission: Path, out: Path) -> None:
    """Score a submission; write the judgment, and the counts of units if scores add."""
    # The current folder becomes a new one with only the predictions.
    folder, out = folder.resolve(), out.resolve()
    task = SharedTask.read(folder)
    if task.answers and sha256((folder / task.gold).read_bytes()).hexdigest() != task.sha256:
        raise InputError(f"{task.gold}: another SHA-256 than in {FILE}, expected the gold of it")
    predictions = open_submission(submission.resolve(), task.limits.size)
    here = Path.cwd()
    with TemporaryDirectory() as place:
        os.chdir(place)
        try:
            Path(predictions.safe_name).write_bytes(predictions.data)
            options = task.options_in(folder)
            report = score_of(task.task, str(folder / task.gold), predictions.safe_name, options)
            judgment = judgment_of(report, task)
            if task.answers:
                judgment["adds"] = _counts_written(report, task, out / COUNTS)
        except ValueError as error:
            text = error.problem if isinstance(error, InputError) else str(error)
            names = {
                predictions.safe_name: predictions.name,
                str(folder / task.gold): "gold",
                f"{folder}/": "",
            }
            for name, shown in names.items():
                text = text.replace(name, shown)
            raise InputError(text) from error
        finally:
            os.chdir(here)
    (out / JUDGMENT).write_text(json.dumps(judgment))


def judgment_of(report: Report, task: SharedTask) -> dict[str, Any]:
    """Return the scores and counts of a report; without answers, only counts of predictions."""
    counts = {
        name: value
        for name, value in report.facts.items()
        if name.startswith("n") and type(value) is int and (task.answers or "gold" not in name)
    }
    warnings = [text for text in report.warnings if text not in task.silenced]
    policies = policies_of(task.task, task.options)
    judgment: dict[str, Any] = {"counts": counts, "warnings": warnings, "policies": policies}
    if not task.answers:
        return judgment
    flat = report.to_flat(counts=False)
    missing = [name for name in task.scores if name not in flat]
    if missing:
        raise InputError(f"no score {missing[0]}, expected one of {', '.join(flat)}")
    undefined = [name for name in task.scores if math.isnan(flat[name])]
    if task.lower_is_better and task.scores[0] in undefined:
        raise InputError(f"{task.scores[0]} is undefined, expected a number to rank by")
    warnings += [f"{name} is undefined; the board has 0" for name in undefined]
    return judgment | {
        "signature": report.signature,
        "scores": {name: 0.0 if name in undefined else flat[name] for name in task.scores},
        "undefined": undefined,
    }


def _counts_written(report: Report, task: SharedTask, target: Path) -> bool:
    """Write the counts of units; return False if scores do not add."""
    try:
        statistics = report.statistics
    except InputError:
        return False
    if digest_text(statistics.gold) != task.digest:
        raise InputError(f"gold: another digest than in {FILE}, expected the gold of task init")
    statistics.write(target)
    return True


def main(arguments: Sequence[str]) -> int:
    """Judge ``FOLDER SUBMISSION OUT``; return the exit status, after a message to stderr."""
    warnings.simplefilter("ignore")
    try:
        judge(*map(Path, arguments))
    except MemoryError:
        return _refused(NO_MEMORY)
    except RecursionError:
        return _refused("too deeply nested")
    except ValueError as error:
        return _refused(str(error))
    except Exception as error:
        if "start new thread" in str(error):  # no memory for its stack
            return _refused(NO_MEMORY)
        _refused(f"unexpected {type(error).__name__}: {error}")
        return FAULT
    return 0


def _refused(message: str) -> int:
    sys.stderr.write(f"{printable(message)}\n")
    return REFUSED

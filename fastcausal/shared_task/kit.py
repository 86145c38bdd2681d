"""The starting kit: gold without its answers, and a baseline."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fastcausal.counts.task import resolve
from fastcausal.files.packed import suffix_of
from fastcausal.formats.writing import write
from fastcausal.relations import Relations
from fastcausal.report.page import write_page
from fastcausal.shared_task.pages import page
from fastcausal.shared_task.program import lines
from fastcausal.shared_task.record import SharedTask
from fastcausal.shared_task.scoring import policies_of, score_of, tasks
from fastcausal.shared_task.zipped import write_zip
from fastcausal.sweeps.scoring import RELATIONS
from fastcausal.tasks.extraction.scorer_page.core import has_core
from fastcausal.tasks.extraction.scorer_page.page import Check, protocols_of_page, scorer_page

BASELINE = "baseline.zip"
OPEN = "examples"  # gold without answers
TABLES = (".csv", ".tsv")
CHECKED = """\
Check a submission before you send it. The organisers' machine says the same.{page}
On the command line, for every format of predictions:

    pip install fastcausal=={version}
    fastcausal task check {baseline}
"""
PAGE = "check.html"
BY_PAGE = f"""
Open `{PAGE}` in a browser, on any machine and without a network, and drop submissions, JSON
lines or tables on it.
"""
UNCHECKED = "There is no data without answers to check a submission against.\n"


def write_kit(folder: Path, reference: Path, task: SharedTask) -> bool:
    """Write a starting kit; return False if gold has no part without answers."""
    folder.mkdir()
    options = task.options_in(reference)
    entry = tasks()[task.task].public
    parts = resolve(entry)(str(reference / task.gold), **options) if entry else None
    text = UNCHECKED
    if parts is not None:
        opened = _write_open(folder, reference, task, parts)
        shown = BY_PAGE if _write_page(folder, opened) else ""
        text = CHECKED.format(version=task.version, baseline=BASELINE, page=shown)
    readme = page("kit", title=task.title, signature=task.signature, check=text)
    (folder / "README.md").write_text(readme, encoding="utf-8")
    return parts is not None


def _write_open(
    folder: Path, reference: Path, task: SharedTask, parts: tuple[Any, Any]
) -> SharedTask:
    """Write gold without answers with its record, and the baseline; return the record."""
    for name in task.files:
        shutil.copy(reference / task.options[name], folder)
    suffix = suffix_of(task.gold)
    gold = _written(folder / OPEN, parts[0], suffix)
    baseline = _written(folder / "predictions", parts[1], suffix)
    with_answers, without = (
        score_of(task.task, str(path), str(baseline), task.options_in(path.parent)).warnings
        for path in (reference / task.gold, gold)
    )
    quiet = tuple(text for text in without if text not in with_answers)
    opened = replace(task, gold=gold.name, answers=False, silenced=quiet)
    opened.write(folder)
    write_zip(folder / BASELINE, [(baseline.name, baseline)])
    baseline.unlink()
    return opened


def _write_page(folder: Path, task: SharedTask) -> bool:
    """Write the page that checks submissions; return False for a task that it cannot count."""
    # Without official averages, whose warnings the page does not give.
    protocols = [name for name, each in protocols_of_page().items() if each.average == "counts"]
    policies = policies_of(task.task, task.options)
    known = {"protocol", *policies}
    if task.task != RELATIONS or task.protocol not in protocols or not known >= {*task.options}:
        return False
    if policies["unmatched"] != "error" or not has_core():
        return False
    rules = lines({"counts": {}, "warnings": [], "policies": policies})
    place = [*protocols_of_page()].index(task.protocol)
    made = Check(place, policies["unparsed"], task.limits.size, task.silenced, rules)
    write_page(folder / PAGE, scorer_page(folder / task.gold, made))
    return True


def _written(stem: Path, rows: Relations | Sequence[dict[str, Any]], suffix: str) -> Path:
    """Write relations, or rows in a format that keeps as much of their types as gold's."""
    if isinstance(rows, Relations):
        write(rows, target := stem.with_suffix(".jsonl"))
        return target
    is_flat = not any(isinstance(value, list | dict) for row in rows for value in row.values())
    if suffix not in TABLES or not is_flat:
        text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        target = stem.with_suffix(".jsonl")
    else:
        buffer = io.StringIO()
        names = list(dict.fromkeys(name for row in rows for name in row))
        writer = csv.DictWriter(buffer, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        text, target = buffer.getvalue(), stem.with_suffix(".csv")
    target.write_bytes(text.encode(errors="surrogatepass"))
    return target

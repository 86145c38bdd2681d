"""Write docs/conformance.md: what each program says of each rule.

``python conformance/page.py`` runs every program; all packages of the group ``test`` are needed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import run

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "conformance.md"
HEAD = HERE / "page.md"
DIFFERENCES = HERE / "differences.json"
PROGRAMS = {  # the programs of the columns, and their arguments
    "CPU": ["with_fastcausal.py", "cpu"],
    "reference": ["with_fastcausal.py", "reference"],
    "played device": ["with_played_device.py"],
    "C interface": ["with_c_interface.py"],
    "definitions": ["with_definitions.py"],
    "CNC 2023": ["with_published.py", "cnc-2023"],
    "CNC 2022": ["with_published.py", "cnc-2022"],
    "FairEval": ["with_published.py", "faireval"],
    "seqeval": ["with_seqeval.py"],
    "nervaluate": ["with_nervaluate.py"],
    "scikit-learn": ["with_scikit_learn.py"],
    "krippendorff": ["with_krippendorff.py"],
    "EventStoryLine": ["with_published.py", "eventstoryline"],
    "MAVEN-ERE": ["with_published.py", "maven-ere"],
}
OURS = ("CPU", "reference", "played device", "C interface", "definitions")
AREAS = {  # title of the cases of each file
    "relations": "Relations",
    "tags": "Readings of tags",
    "agreement": "Agreement of annotators",
    "labels": "Raters of labels",
    "classification": "Labels and choices",
    "questions": "Questions",
    "answers": "Causes and effects as text",
    "claims": "Claims",
    "event-pairs": "Pairs of events",
    "crab": "CRAB",
    "fincausal": "FinCausal",
    "unicausal": "UniCausal",
}


def results_of(program: list[str], cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Run a program of this folder."""
    command = [sys.executable, str(HERE / "programs" / program[0]), *program[1:]]
    found: list[dict[str, Any]] = run.report(cases, run.ask(cases, command, 300))["cases"]
    return found


def results(cases: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Run all programs, some at a time."""
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda program: results_of(program, cases), PROGRAMS.values())
        return dict(zip(PROGRAMS, found, strict=True))


def reasons() -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = json.loads(DIFFERENCES.read_text(encoding="utf-8"))
    return found


def mark(states: list[str], numbers: list[int]) -> str:
    """Return the mark of a rule: numbers of reasons, a tick, or nothing."""
    if numbers:
        return ", ".join(map(str, sorted({*numbers})))
    if "failed" in states:
        return "✗"
    return "✓" if "passed" in states else ""


def page(cases: list[dict[str, Any]], said: Mapping[str, list[dict[str, Any]]]) -> str:
    """Return the page of results of programs by name."""
    numbered: dict[tuple[str, str], int] = {}
    listed: list[str] = []
    for program, entries in reasons().items():
        for entry in entries:
            listed.append(f"{len(listed) + 1}. **{program}.** {entry['reason']}")
            numbered |= {(program, id): len(listed) for id in entry["cases"]}
    rules = list(dict.fromkeys(case["rule"] for case in cases))
    parts = [HEAD.read_text(encoding="utf-8").format(n_cases=len(cases), n_rules=len(rules))]
    for area, title in AREAS.items():
        of_area = [rule for rule in rules if rule.startswith(f"{area}/")]
        rows: dict[str, list[str]] = {}
        for program, of_program in said.items():
            column = []
            for rule in of_area:
                found = [result for result in of_program if result["rule"] == rule]
                failed = [r["id"] for r in found if r["state"] == "failed"]
                known = [numbered[program, id] for id in failed if (program, id) in numbered]
                states = [r["state"] for r in found if (program, r["id"]) not in numbered]
                column.append(mark(states, known))
            if any(column):
                rows[program] = column
        parts.append(table(title, of_area, rows))
    parts.append("## Reasons\n\n" + "\n".join(listed) + "\n")
    return "\n".join(parts)


def table(title: str, rules: list[str], columns: Mapping[str, list[str]]) -> str:
    lines = ["| rule | " + " | ".join(columns) + " |", "|---|" + "---|" * len(columns)]
    for k, rule in enumerate(rules):
        marks = " | ".join(column[k] for column in columns.values())
        lines.append(f"| {rule.partition('/')[2]} | {marks} |")
    return f"## {title}\n\n" + "\n".join(lines) + "\n"


if __name__ == "__main__":
    CASES = run.load([run.CASES])
    PAGE.write_text(page(CASES, results(CASES)), encoding="utf-8")

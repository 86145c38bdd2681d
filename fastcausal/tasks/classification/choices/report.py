"""Report of answers to questions with options: parsed, unparsed and missing, by every reading."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from fastcausal.arrays.strata import By
from fastcausal.counts.labels import Label
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import warning_lines
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups, Scores, means_over
from fastcausal.report.report import Report, Tables
from fastcausal.significance.sums import CountRows, Int64, sums_of
from fastcausal.tasks.classification.choices.formula import MAJORITY, READ, ChoiceFormula, group_of
from fastcausal.tasks.classification.report import (
    ClassificationReport,
    classes_grid,
    confusion_of,
    confusion_tables,
    groups_of,
    list_classes,
    per_example_table,
)

ANSWER = "answer"  # the column of units with the text of the answer
MAX_SHOWN = 5  # unparsed answers, and missing answers
COUNTS = ("n", "n_read", "n_unparsed", "n_missing")
KEYS = (
    "signature", *COUNTS, "n_questions", "unread", "labels", "scores", "classes", "confusion",
    "subsets", "means", "warnings",
)  # fmt: skip


ChoiceReport = ClassificationReport
"""Scores of one model's answers to questions with options.

``report["overall"].accuracy``, ``report["read"].accuracy`` of the answers that name an option,
``report["majority"].accuracy`` of a constant answer, ``report["as_cladder"].accuracy`` of
another reading; ``report.subsets["rung=1"]["overall"].accuracy``.

Attributes
----------
n : int
    Questions that count.
n_questions, n_read, n_unparsed, n_missing : int
    All questions; questions whose answer names an option, names none, or is missing.
unread : mapping
    First examples: ``unparsed`` answers with their text, ``missing`` answers.
means : mapping
    Means of the scores over the values of each column of the subsets.
"""


def _summarize(report: Report, subset: str) -> Scores:
    """Return the accuracies and counts, of all questions or of a subset."""
    groups = report.subsets[subset] if subset else report.scores
    overall = groups["overall"]
    rest = {name: groups[name]["accuracy"] for name in groups if "n" in groups[name]}
    counts = {name: overall[name] for name in COUNTS}
    return Scores({"accuracy": rest.pop("overall"), **rest, **counts})


def present(statistics: Statistics, by: By = None) -> ChoiceReport:
    """Make the report of statistics; values of the columns ``by`` become subsets."""
    formula = statistics.formula
    assert isinstance(formula, ChoiceFormula)
    scores, classes = _scores(formula, statistics.rows, statistics.times)
    subsets = {
        name: _scores(formula, rows, np.ones(len(rows), np.int64))[0]
        for name, rows in statistics.subsets(by).items()
    }
    counts = {name: int(scores["overall"][name]) for name in COUNTS}
    k = len(formula.labels)
    # Answers have codes beyond the options if they name none or are missing.
    confusion = confusion_of(statistics.rows, statistics.times, len(formula.answers))[:k, :k]
    return ChoiceReport(
        f"answers to {counts['n']} questions",
        statistics.signature,
        scores,
        facts={
            **counts,
            "n_questions": int(statistics.times.sum()),
            "n_examples": counts["n"],
            "unread": _unread(formula, statistics),
            "labels": formula.labels,
            "classes": classes,
            "positive": formula.positive,
            "undefined": formula.undefined,
            "confusion": confusion,
            "means": means_over(subsets),
        },
        subsets=subsets,
        class_scores=classes,
        scales={name: formula.scale(name, "accuracy") for name in scores if "n" in scores[name]},
        warnings=(*warning_lines(statistics.warnings), *_shares(formula, counts)),
        tables=Tables(
            **confusion_tables(formula.labels, confusion, classes),
            per_example=partial(per_example_table, statistics),
        ),
        statistics=statistics,
        keys=KEYS,
        values={"classes": list_classes},
        logged=(),
        grids=_grids,
        summary=_summarize,
    )


def _scores(
    formula: ChoiceFormula, rows: CountRows, times: Int64
) -> tuple[Groups, dict[Label, Scores]]:
    """Compute all groups of scores, with the number of answers behind each accuracy."""
    terms = sums_of(formula.terms(rows), times[None])[0]
    groups, classes = groups_of(formula, terms)
    k, m = len(formula.labels), len(formula.readings)
    n = int(terms[2 * k : 3 * k].sum())
    sizes = {"overall": n, READ: int(terms[k : 2 * k].sum()), MAJORITY: n}
    sizes |= dict(zip(map(group_of, formula.readings), terms[3 * k + m :].tolist(), strict=True))
    n_unread = [int(times[rows[:, 1] == k + place].sum()) for place in (0, 1)]
    besides = dict(zip(COUNTS[1:], (sizes[READ], *n_unread), strict=True))
    counted = {name: Scores({**groups[name], "n": size}) for name, size in sizes.items()}
    counted["overall"] = Scores({**counted["overall"], **besides})
    return {**counted, **{name: s for name, s in groups.items() if name not in sizes}}, classes


def _unread(formula: ChoiceFormula, statistics: Statistics) -> dict[str, Any]:
    """Return the first answers that name no option, and the first missing ones."""
    units = statistics.units
    if units is None or ANSWER not in units.column_names:
        return {"unparsed": [], "missing": []}
    answers = statistics.rows_of_units()[:, 1]
    k = len(formula.labels)
    unparsed, missing = (np.flatnonzero(answers == k + place)[:MAX_SHOWN] for place in (0, 1))

    def name(row: int) -> str:
        return str(units["id"][row]) if "id" in units.column_names else str(row)

    return {
        "unparsed": [
            {"id": name(row), "answer": units[ANSWER][row].as_py()} for row in unparsed.tolist()
        ],
        "missing": [name(row) for row in missing.tolist()],
    }


def _shares(formula: ChoiceFormula, counts: Mapping[str, int]) -> list[str]:
    """Return warnings about answers that the policies count as wrong, or leave out."""
    n = counts["n_read"] + counts["n_unparsed"] + counts["n_missing"]
    state = {"wrong": "count as wrong", "skip": "are left out", "error": ""}
    each = (
        ("n_unparsed", f"unparsed={formula.unparsed}", "answers name no option", formula.unparsed),
        ("n_missing", f"unmatched={formula.unmatched}", "answers are missing", formula.unmatched),
    )
    return [
        f"{policy}: {counts[name]} of {n} {what} ({counts[name] / n:.1%}) and {state[how]}"
        for name, policy, what, how in each
        if counts[name]
    ]


def _grids(report: ChoiceReport, counts: bool) -> list[Grid]:
    """Return a table of accuracies with subsets and their means, and one of options."""
    table = Grid(report.title, ["accuracy", "n"])
    for name, group in report.scores.items():
        if "n" in group:
            table.add(name, group["accuracy"], group["n"])
    for subset, groups in report.subsets.items():
        table.part(subset)
        for name in ("overall", READ, MAJORITY):
            table.add(name, groups[name]["accuracy"], groups[name]["n"])
    for column, groups in report.means.items():
        table.part(f"mean over {column}")
        table.add("overall", groups["overall"]["accuracy"], "")
    table.part("answers")
    for name in COUNTS[1:]:
        table.add(name.removeprefix("n_"), "", report.facts[name])
    for each in report.facts["unread"]["unparsed"]:
        table.add(f"{each['id']}: {each['answer']!r:.60}", "", "")
    for id in report.facts["unread"]["missing"]:
        table.add(f"{id}: no answer", "", "")
    options = classes_grid(report, {}, counts)
    options.title = "options"
    return [table, options]

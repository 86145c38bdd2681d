"""Sections on top of the page of one system: scores, errors, confusion of roles, subsets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from fastcausal.arrays.digests import digest_text
from fastcausal.engine.kernel import Kernel
from fastcausal.engine.reference.kernels import KERNELS
from fastcausal.errors import InputError
from fastcausal.report.charts import Matrix, bars_of, matrices, stacks_of
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups
from fastcausal.report.page import Section
from fastcausal.report.pictures import missing_pictures, pictures_of
from fastcausal.report.report import Report, scores_table
from fastcausal.tasks.extraction.confusion import confusion_of_roles
from fastcausal.tasks.extraction.errors import error_fields
from fastcausal.tasks.extraction.tables import details_of

NO_ROLE = "none"
UNPARSED = (
    "n_unparsed_answers",
    "unparsed_answers_rate",
    "n_unparsed_relations",
    "unparsed_relations_rate",
)
MOST_MATRICES = 6
CONFUSION = "Confusion of roles"
CONFUSION_LINE = (
    "Each gold span counts once: by the role of the span of the paired prediction that shares most "
    "of its tokens. The last row: predicted spans that meet no span of the paired gold relation."
)


def sections_of(report: Report) -> list[Section]:
    """Make the sections that stand above the examples of one system.

    Scores of all examples, with intervals where `with_intervals` has made them; what could not be
    read; counts of errors; confusion of roles; scores of parts of the examples. What the report
    does not know has no section; pictures need the extra ``plots``.
    """
    sections = [
        _scores(report),
        *unparsed_section({"overall": report}),
        *_errors(report),
        *confusion_section({"": report}),
    ]
    return [*sections, *_subsets(report)]


def _scores(report: Report) -> Section:
    grid = scores_table(report.title, {"": report.scores})
    pictures = pictures_of(bars_of("Scores by role", shown_scores(report.scores)))
    lines = [*report._notes(), *gold_lines([report]), *missing_pictures()]
    return Section("Scores", [grid], pictures, lines)


def gold_lines(reports: Iterable[Report]) -> list[str]:
    """Return the digests of gold that reports know, each once."""
    digests = dict.fromkeys(map(_digest_of_gold, reports))
    return [f"gold: {digest}" for digest in digests if digest is not None]


def _digest_of_gold(report: Report) -> str | None:
    try:
        return digest_text(report.statistics.gold)
    except InputError:  # scores that do not add
        return None


def shown_scores(scores: Groups) -> dict[str, dict[str, float]]:
    """Return the scores of every group without its counts."""
    return {
        group: {name: value for name, value in values.items() if isinstance(value, float)}
        for group, values in scores.items()
    }


def main_score(report: Report) -> str:
    """Return the name of the score that stands for a group: F1, the last; "" without scores."""
    return ["", *shown_scores(report.scores)["overall"]][-1]


def unparsed_section(reports: Mapping[str, Report]) -> list[Section]:
    """Count what could not be read of every system, with the bounds of the scores of all roles."""
    lost = {name: report for name, report in reports.items() if report.facts["n_unparsed"]}
    if not lost:
        return []
    grids = [Grid("", UNPARSED)]
    for name, report in lost.items():
        grids[0].add(name, *(report.facts[column] for column in UNPARSED))
    bounds = {(kind, name): values for name, each in lost.items()
              for kind, values in (each.facts["bounds"] or {}).items() if values}  # fmt: skip
    if bounds:
        columns = [*next(iter(bounds.values()))]
        parts: dict[str, dict[str, list[float]]] = {kind: {} for kind, _ in bounds}
        for (kind, name), values in bounds.items():
            parts[kind][name] = [*values.values()]
        grids.append(Grid("scores of all roles", columns, parts=parts))
    return [Section("Unparsed predictions", grids)]


def errors_by_group(report: Report) -> dict[str, dict[str, int]]:
    """Return the counts of errors overall and by role; empty where the kernel names none."""
    kernel = _kernel_of(report)
    fields = () if kernel is None else error_fields(kernel)
    counts = {group: {f: int(values[f]) for f in fields} for group, values in report.scores.items()}
    return counts if fields else {}


def _kernel_of(report: Report) -> Kernel | None:
    """Return the kernel of a report, None where only its name is known, and that of a user."""
    details = details_of(report)
    if details is not None:
        return details.counting.plan.kernel
    try:
        return KERNELS.get(getattr(report.statistics.formula, "kernel", ""))
    except InputError:
        return None


def _errors(report: Report) -> list[Section]:
    counts = errors_by_group(report)
    if not counts:
        return []
    grid = Grid("", [*counts["overall"]], parts={"": {g: [*c.values()] for g, c in counts.items()}})
    of_roles = {group: each for group, each in counts.items() if group != "overall"}
    return [Section("Errors", [grid], pictures_of(stacks_of("Errors by role", of_roles)))]


def confusion_section(reports: Mapping[str, Report]) -> list[Section]:
    """Show the confusion of roles of every system that has its examples; the name "" is none."""
    shown = []
    for name, report in reports.items():
        details = details_of(report)
        if details is not None:
            counting = details.counting
            names = (*counting.roles, NO_ROLE)
            counts = confusion_of_roles(counting, details.examples())
            shown.append(Matrix(name, counts, names, names))
    if not shown:
        return []
    drawings = {
        f"{CONFUSION}{' of ' if matrix.name else ''}{matrix.name}": partial(
            matrices, shown=[matrix], answer="predicted"
        )
        for matrix in shown[:MOST_MATRICES]
    }
    grids = [_matrix_grid(matrix) for matrix in shown]
    return [Section(CONFUSION, grids, pictures_of(drawings), [CONFUSION_LINE])]


def _matrix_grid(matrix: Matrix) -> Grid:
    grid = Grid(matrix.name, [*map(str, matrix.columns)], "gold")
    for name, row in zip(map(str, matrix.rows), matrix.counts.tolist(), strict=True):
        grid.add(name, *row)
    return grid


def _subsets(report: Report) -> list[Section]:
    if not report.subsets:
        return []
    name = main_score(report)
    scores = {subset: groups["overall"] for subset, groups in report.subsets.items()}
    rows = {subset: {"": values[name]} for subset, values in scores.items() if name}
    pictures = pictures_of(bars_of(f"{name} by subset", rows))
    return [Section("Subsets", [scores_table("", report.subsets)], pictures)]

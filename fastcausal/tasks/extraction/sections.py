"""Parts of the page of one system: cards, scores, errors, confusion of roles, subsets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from fastcausal._version import __version__
from fastcausal.arrays.digests import digest_text
from fastcausal.engine.kernel import Kernel
from fastcausal.engine.reference.kernels import KERNELS
from fastcausal.errors import InputError
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups
from fastcausal.report.page import ABOUT, ERRORS, Card, Drawn, Section
from fastcausal.report.report import Report, scores_table
from fastcausal.tasks.extraction.confusion import confusion_grid, confusion_of_roles
from fastcausal.tasks.extraction.evaluation import Evaluation, find_evaluation
from fastcausal.tasks.extraction.kinds import WORDS, error_fields
from fastcausal.tasks.extraction.page import MAX_CELLS, MAX_LETTERS, NO_ROLE, OF_TYPES
from fastcausal.tasks.relations.formula import RelationFormula

UNPARSED = {
    "n_unparsed_answers": "answers",
    "unparsed_answers_rate": "share of answers",
    "n_unparsed_relations": "relations",
    "unparsed_relations_rate": "share of relations",
}
MAX_ANSWERS = 500
MAX_CARDS = 6  # shown; the best systems
CONFUSION = "Confusion of roles"
CONFUSION_LINE = (
    "Each gold span counts once: by the role of the span of the paired prediction that shares most "
    "of its tokens. The last row: predicted spans that meet no span of the paired gold relation."
)
TYPES = "Confusion of types"
TYPES_LINE = (
    "Each pair of relations with a type on either side counts once. Relations are paired whatever "
    "their types."
)
LEGEND = (
    "Marks: right has no error; partly right has errors and hits; wrong has no hit; not read is an "
    "answer that could not be read."
)


def sections_of(report: Report) -> list[Section]:
    """Make the sections beside the examples of one system.

    Sections show scores of all examples, with intervals after `with_intervals`; unparsed
    predictions; counts of errors; confusion of roles; scores of subsets. A part that the report
    lacks has no section.
    """
    table, *others = _make_grids(report, report.title, {"": report.scores})
    return [
        Section("Scores", [drawn_scores(table), *others]),
        *_subsets(report),
        *_errors(report),
        *confusion_section({"": report}),
        *types_section({"": report}),
        *unparsed_section({"overall": report}),
        about_section([report]),
    ]


def _make_grids(report: Report, title: str, parts: Mapping[str, Groups]) -> list[Grid]:
    """Make the table of the scores of parts, and the other tables of a report."""
    evaluation: Evaluation | None = getattr(report, "_evaluation", None)
    if evaluation is None:
        return [scores_table(title, parts)]
    return evaluation.formula.make_grids(title, parts)


def drawn_scores(table: Grid) -> Drawn:
    """Draw a bar for every score."""
    columns = table.header[1:]
    cells = [cells for _, rows in table.parts for _, cells in rows]
    shares = [
        n for k, n in enumerate(columns) if all(isinstance(row[k], float | str) for row in cells)
    ]
    return Drawn(table, shares=shares)


def cards_of(
    reports: Mapping[str, Report], standings: Mapping[str, str] | None = None
) -> list[Card]:
    """Make a card for each system: main score, other scores, main score by role, unparsed rates."""
    cards = []
    first = sorted(
        reports,
        key=lambda name: -main_values(reports[name]).get(main_score(reports[name]), 0.0),
    )
    kept = reports if len(reports) <= MAX_CARDS else first[:MAX_CARDS]
    for name in kept:
        report = reports[name]
        (_, values), *others = shown_scores(report.scores).items()
        main = main_score(report)
        if not main:
            continue
        interval = report._intervals or {}
        level = f"{100 * interval.get('confidence', 0.95):g}% confidence interval"
        rest = {n: value for n, value in values.items() if n != main}
        groups = {g: of_group[main] for g, of_group in others if main in of_group}
        lost = report.facts["n_unparsed"]
        note = f"not read: {_shares_lost(report)}" if lost else ""
        cards.append(Card(name, main.upper() if main == "f1" else main.replace("_", " "),
                          values[main], level, rest, groups,
                          (standings or {}).get(name, ""), note))  # fmt: skip
    return cards


def _shares_lost(report: Report) -> str:
    answers, relations = (
        report.facts[f"unparsed_{name}_rate"] for name in ("answers", "relations")
    )
    return f"{100 * answers:.1f}% of answers, {100 * relations:.1f}% of relations"


def about_section(reports: Iterable[Report]) -> Section:
    """Make the section with legends, signatures, digests of gold and the version."""
    reports = [*reports]
    lines = dict.fromkeys(
        [
            *(line for line in reports[0].legend if all(line in each.legend for each in reports)),
            LEGEND,
            *(report.signature for report in reports),
            *gold_lines(reports),
            f"fastcausal {__version__}",
        ]
    )
    return Section("", lines=[*lines], tab=ABOUT)


def gold_lines(reports: Iterable[Report]) -> list[str]:
    """Return the distinct digests of gold in the reports."""
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


def main_values(report: Report) -> dict[str, float]:
    """Return the scores of the first group, the one to look at by default."""
    return next(iter(shown_scores(report.scores).values()))


def main_score(report: Report) -> str:
    """Return the name of the last score of a group, usually F1; "" without scores."""
    return ["", *main_values(report)][-1]


def unparsed_section(reports: Mapping[str, Report]) -> list[Section]:
    """Count the unparsed predictions of every system, with the bounds of overall scores."""
    lost = {name: report for name, report in reports.items() if report.facts["n_unparsed"]}
    if not lost:
        return []
    counts = Grid("not read", [*UNPARSED])
    for name, report in lost.items():
        counts.add(name, *(report.facts[column] for column in UNPARSED))
    tables: list[Grid | Drawn] = [Drawn(counts, words=UNPARSED)]
    bounds = {(kind, name): values for name, each in lost.items()
              for kind, values in (each.facts["bounds"] or {}).items() if values}  # fmt: skip
    if bounds:
        columns = [*next(iter(bounds.values()))]
        parts: dict[str, dict[str, list[float]]] = {kind: {} for kind, _ in bounds}
        for (kind, name), values in bounds.items():
            parts[kind][name] = [*values.values()]
        tables.append(Grid("scores of all roles", columns, parts=parts))
    answers = [_list_skipped_answers(name, report) for name, report in lost.items()]
    return [Section("Unparsed predictions", [*tables, *filter(None, answers)], tab=ERRORS)]


def _list_skipped_answers(name: str, report: Report) -> Grid | None:
    """List the unparsed answers of skipped examples, which the table of examples lacks."""
    details = find_evaluation(report)
    if details is None or details.examples().n_unread is not None:
        return None
    grid = Grid(f"answers of {name}" if name != "overall" else "answers", ["reason", "answer"],
                "example", text=True)  # fmt: skip
    rows = report.tables["unparsed"].to_pylist()
    for row in rows[:MAX_ANSWERS]:
        grid.add(row["id"], row["reason"], (row["text"] or "")[:MAX_LETTERS])
    if len(rows) > MAX_ANSWERS:
        grid.title += f", the first {MAX_ANSWERS} of {len(rows)}"
    return grid


def errors_by_group(report: Report) -> dict[str, dict[str, int]]:
    """Return the counts of errors overall and by role; empty if the kernel names no errors."""
    evaluation: Evaluation | None = getattr(report, "_evaluation", None)
    if evaluation is not None and not isinstance(evaluation.formula, RelationFormula):
        return evaluation.formula.count_errors(report.scores)
    kernel = _kernel_of(report)
    fields = () if kernel is None else error_fields(kernel)
    counts = {group: {f: int(values[f]) for f in fields} for group, values in report.scores.items()}
    return counts if fields else {}


def _kernel_of(report: Report) -> Kernel | None:
    """Return the kernel of a report; None for a user's kernel of which only the name is known."""
    details = find_evaluation(report)
    if details is not None:
        kernel: Kernel = details.counting.plan.kernel
        return kernel
    try:
        return KERNELS.get(getattr(report.statistics.formula, "kernel", ""))
    except InputError:
        return None


def _errors(report: Report) -> list[Section]:
    counts = errors_by_group(report)
    if not counts:
        return []
    kinds = [*next(iter(counts.values()))]
    grid = Grid("", kinds, "role", parts={"": {g: [*c.values()] for g, c in counts.items()}})
    links = error_links({"": ""}, counts) if find_evaluation(report) else {}
    return [Section("Errors", [Drawn(grid, stacked=kinds, links=links, words=WORDS)], tab=ERRORS)]


def error_links(systems: Mapping[str, str], groups: Mapping[str, Any]) -> dict[Any, str]:
    """Return links to the examples with errors, by part (system or group), row and column."""
    return {
        ("" if system == "" else group, system or group, kind): f"#{address}type={kind}"
        + (f"&role={quote(group)}" if group != "overall" else "")
        for system, address in systems.items()
        for group, counts in groups.items()
        for kind in counts
    }


def confusion_section(reports: Mapping[str, Report]) -> list[Section]:
    """Show the confusion of roles of every system that has its examples; "" is no name."""
    shown = []
    for k, (name, report) in enumerate(reports.items()):
        details = find_evaluation(report)
        if details is not None:
            counting = details.counting
            counts = confusion_of_roles(counting, details.examples())
            names = (*counting.roles, NO_ROLE)
            parts = {"": dict(zip(names, counts.tolist(), strict=True))}
            address = f"system={k}&" if len(reports) > 1 else ""
            shown.append(_draw_matrix(Grid(name, names, "gold", parts=parts), address))
    return [Section(CONFUSION, shown, [CONFUSION_LINE], ERRORS)] if shown else []


def types_section(reports: Mapping[str, Report]) -> list[Section]:
    """Show the confusion of types of every system with types on both sides; "" is no name."""
    shown = []
    for k, (name, report) in enumerate(reports.items()):
        types = report.facts.get("types")
        if types and types["confusion"]:
            address = f"system={k}&" if len(reports) > 1 else ""
            shown.append(_draw_matrix(confusion_grid(types, name), address, OF_TYPES))
    return [Section(TYPES, shown, [TYPES_LINE], ERRORS)] if shown else []


def _draw_matrix(grid: Grid, address: str, of: str = "") -> Drawn:
    """Draw a matrix; its cells link to their examples."""
    names = grid.header[1:]
    links = {("", gold, pred): f"#{address}cell={quote(f'{of}{gold}>{pred}')}"
             for gold in names for pred in names}  # fmt: skip
    return Drawn(grid, heat=True, links=links if len(names) ** 2 <= MAX_CELLS else {})


def _subsets(report: Report) -> list[Section]:
    if not report.subsets:
        return []
    return [Section("Subsets", [drawn_scores(_make_grids(report, "", report.subsets)[0])])]

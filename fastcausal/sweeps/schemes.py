"""Systems under every scheme of counting relations: who wins, and whether the rule decides it."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Unpack

import pyarrow as pa

from fastcausal.errors import InputError
from fastcausal.files.packed import stem_of
from fastcausal.formats import read_marked, refuse_untaken
from fastcausal.formats.reading.sources import RelationSource
from fastcausal.marking import OF_SCORES
from fastcausal.options import MarkingSettings, Policy
from fastcausal.protocols import PROTOCOLS, Protocol
from fastcausal.recipe import Recipe
from fastcausal.relations import Relations
from fastcausal.report.grid import BEST, Grid
from fastcausal.report.groups import Scores
from fastcausal.report.report import Report
from fastcausal.sweeps.compare import compare
from fastcausal.tasks.extraction.score import score

FIGURES = ("precision", "recall", "f1")


class Scheme(NamedTuple):
    """A way to count: a protocol, and the place of precision, recall and F1 in its report."""

    protocol: str  # Built in, or the kernel of pairs of relations
    group: str = "overall"
    prefix: str = ""  # of the names of scores in the group

    def name(self, figure: str) -> str:
        """Return the flat name of a figure."""
        return f"{self.group}_{self.prefix}{figure}"


SCHEMES: Mapping[str, Scheme] = {
    "recess": Scheme("recess"),
    "cnc-2023": Scheme("cnc-2023"),
    "exact_spans": Scheme("exact_spans"),
    "partial_spans": Scheme("partial_spans", prefix="partial_"),
    "span_overlap": Scheme("span_overlap", prefix="token_"),
    **{
        f"relations.{group}": Scheme("relations", group)
        for group in ("exact", "signal", "strict", "undirected", "boundary", "overlap", "iou")
    },
    "causal": Scheme("depths", "causal"),
}


def schemes(
    gold: RelationSource,
    pred: Mapping[str, RelationSource] | RelationSource | Sequence[RelationSource],
    *,
    schemes: str | Sequence[str] | None = None,
    undefined: float | None = None,
    unparsed: Policy = "error",
    unmatched: Policy = "error",
    intervals: bool = False,
    p: bool = False,
    **marking: Unpack[MarkingSettings],
) -> Report:
    """Rank systems under every scheme of counting relations, and tell whether the winner changes.

    Parameters
    ----------
    gold : anything that `fastcausal.read` takes
        Gold annotations in any format; - for stdin.
    pred : mapping of names to such sources, or sources
        Predictions in any format. A file without a name is named by its stem.
    schemes : str or sequence of str, optional
        Count by these schemes alone; may be given several times. All are recess, cnc-2023, three
        kernels of spans, seven rules of whole relations, and causal, which takes examples with a
        relation. ``relations.strict`` is left out without types of relations.
    undefined : float, optional
        Set 0/0 to this value; null: no number.
    unparsed : {"error", "empty", "skip"}
        Stop at unparsed predictions, score them as empty, or skip their examples.
    unmatched : {"error", "empty", "skip"}
        Stop at ids that one side lacks, score them as empty, or skip them.
    intervals : bool
        Add a 95% confidence interval to the F1 of each winner.
    p : bool
        Add the p-value of the first system against the second under each scheme.
    **marking
        Settings of reading relations, see `fastcausal.marking.Marking`.

    Returns
    -------
    Report
        ``schemes`` has precision, recall, f1 and rank of each system by scheme; equal F1 share the
        better rank, and an undefined F1 ranks last. ``winners`` names the best systems of each
        scheme, ``changes`` is true if they are not the same ones under all schemes, and
        ``signatures`` has the settings of each scheme.

    Raises
    ------
    InputError
        A source cannot be read, or two systems have one name.
    ValueError
        A scheme or policy is unknown, or ``p`` of fewer than two systems.

    Examples
    --------
    >>> import fastcausal as fc
    >>> from fastcausal import sample
    >>> systems = {name: sample.SYSTEMS[name] for name in ("careful", "hasty")}
    >>> report = fc.schemes(sample.GOLD, systems, schemes=["recess", "exact_spans"])
    >>> report.winners, report.changes
    ({'recess': ['careful'], 'exact_spans': ['careful']}, False)
    >>> round(report.schemes["recess"]["careful"].f1, 4)
    0.8189
    """
    chosen = _choose(schemes)
    systems = name_systems(pred)
    if p and len(systems) < 2:
        raise ValueError(f"p is for two systems or more, found {len(systems)}")
    recipe = Recipe.make("recess", unparsed, unmatched, **marking)
    gold = read_marked(gold, **recipe.of_gold)
    sides = {name: _read_pred(source, gold, recipe) for name, source in systems.items()}
    protocols = {
        scheme.protocol: _protocol(scheme.protocol, undefined) for scheme in chosen.values()
    }
    reports = {
        name: {
            key: score(gold, side, Recipe.make(protocol, unparsed, unmatched, **_of_scores(recipe)))
            for key, protocol in protocols.items()
        }
        for name, side in sides.items()
    }
    if "relations.strict" in chosen and not _have_types(reports.values()):
        del chosen["relations.strict"]
        if not chosen:
            raise InputError("relations.strict is for types of relations, some system has none")
    by_scheme = {
        name: _rank({system: each[scheme.protocol] for system, each in reports.items()}, scheme)
        for name, scheme in chosen.items()
    }
    winners = {name: _find_best(rows) for name, rows in by_scheme.items()}
    if intervals:
        for name, best in winners.items():
            for system in best:
                by_scheme[name][system] = _bound(
                    by_scheme[name][system], reports[system], chosen[name]
                )
    changes = len({tuple(best) for best in winners.values()}) > 1
    facts: dict[str, Any] = {"schemes": by_scheme, "winners": winners, "changes": changes}
    if p:
        first, second = [*systems][:2]
        facts["p"] = {
            name: {"first": first, "second": second, "p": _compare(reports, first, second, scheme)}
            for name, scheme in chosen.items()
        }
    first_report = next(iter(reports.values()))
    facts["signatures"] = {
        name: first_report[scheme.protocol].signature for name, scheme in chosen.items()
    }
    warnings = dict.fromkeys(
        f"{system}: {warning}" if len(reports) > 1 else warning
        for system, each in reports.items()
        for report in each.values()
        for warning in report.warnings
    )
    return Report(
        f"F1 of {len(systems)} systems by {len(chosen)} schemes",
        facts["signatures"][next(iter(chosen))],
        {},
        subsets=by_scheme,
        facts=facts,
        warnings=tuple(warnings),
        keys=("schemes", "winners", "changes", *(["p"] if p else []), "signatures", "warnings"),
        legend=_tell(winners),
        logged=(),
        grids=_grids,
        arrow=_tabulate,
    )


def _choose(asked: str | Sequence[str] | None) -> dict[str, Scheme]:
    """Return the requested schemes by name."""
    names = [*SCHEMES] if asked is None else [asked] if isinstance(asked, str) else [*asked]
    for name in names:
        if name not in SCHEMES:
            raise ValueError(f'unknown scheme "{name}", expected one of {", ".join(SCHEMES)}')
    if not names:
        raise ValueError("no scheme is asked for, expected one or more")
    return {name: SCHEMES[name] for name in names}


def name_systems(pred: Any) -> dict[str, Any]:
    """Return sources by name: their own, else the stem of the file."""
    if isinstance(pred, Mapping):
        return dict(pred)
    is_one = not isinstance(pred, list | tuple) or bool(pred and isinstance(pred[0], Mapping))
    named: dict[str, Any] = {}
    for number, source in enumerate([pred] if is_one else pred, 1):
        is_file = isinstance(source, str | os.PathLike)
        name = stem_of(source) if is_file else f"system_{number}"
        if name in named:
            raise InputError(f'two systems have the name "{name}", expected a mapping with names')
        named[name] = source
    if not named:
        raise InputError("no systems, expected one or more")
    return named


def _read_pred(source: Any, gold: Relations, recipe: Recipe) -> Relations:
    pred = read_marked(source, like=gold, **recipe.of_pred)
    refuse_untaken((gold, pred), recipe.marking)
    return pred


def _have_types(reports: Iterable[Mapping[str, Report]]) -> bool:
    """Return True if the relations of every system are scored with types."""
    return all("strict" in each["relations"].scores for each in reports)


def _protocol(name: str, undefined: float | None) -> Protocol:
    """Return a built-in protocol, or that of a kernel."""
    if name not in PROTOCOLS:
        return Protocol(name, kernel=name, undefined=undefined)
    protocol = PROTOCOLS[name]
    if undefined is None or protocol.undefined == undefined:
        return protocol
    return replace(protocol, name=f"{name} with 0/0", undefined=undefined)


def _of_scores(recipe: Recipe) -> dict[str, Any]:
    """Return the settings of scores, and the roles; both sides are read already."""
    marking = recipe.marking
    return {n: getattr(marking, n) for n in marking.changed if n in (*OF_SCORES, "roles")}


def _rank(reports: Mapping[str, Report], scheme: Scheme) -> dict[str, Scores]:
    """Return the figures of each system with its rank; equal F1 share the better rank."""
    figures = {
        system: {n: report[scheme.group][f"{scheme.prefix}{n}"] for n in FIGURES}
        for system, report in reports.items()
    }
    values = [-1.0 if math.isnan(each["f1"]) else each["f1"] for each in figures.values()]
    return {
        system: Scores({**each, "rank": 1 + sum(_is_greater(other, value) for other in values)})
        for (system, each), value in zip(figures.items(), values, strict=True)
    }


def _is_greater(a: float, b: float) -> bool:
    """Return True if a score is greater by more than the last bits of a harmonic mean."""
    return a > b and not math.isclose(a, b, rel_tol=2e-15)  # unlike ratios differ by more


def _find_best(rows: Mapping[str, Scores]) -> list[str]:
    """Return the systems of the greatest F1; none if no F1 is defined."""
    return [system for system, each in rows.items() if each["rank"] == 1 and each["f1"] >= 0]


def _bound(figures: Scores, reports: Mapping[str, Report], scheme: Scheme) -> Scores:
    """Add the confidence interval of F1."""
    name = scheme.name("f1")
    found = reports[scheme.protocol].statistics.intervals().flat()[name]
    return Scores({**figures, "f1_low": found.low, "f1_high": found.high})


def _compare(
    reports: Mapping[str, Mapping[str, Report]], first: str, second: str, scheme: Scheme
) -> float:
    name = scheme.name("f1")
    a, b = (reports[system][scheme.protocol].statistics for system in (first, second))
    value: float = compare(a, b, name)[name].p
    return value


def _tell(winners: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return the line that names the winners."""
    schemes_of: dict[tuple[str, ...], list[str]] = {}
    for name, best in winners.items():
        schemes_of.setdefault(tuple(best), []).append(name)
    called = [(" and ".join(best) or "no system", names) for best, names in schemes_of.items()]
    if len(called) == 1:
        return (f"under every scheme the winner is {called[0][0]}",)
    told = "; ".join(f"{best} by {', '.join(names)}" for best, names in called)
    return (f"the winner changes with the scheme: {told}",)


def _grids(report: Any, _: bool) -> list[Grid]:
    """Make a table with a row for each system and a column for each scheme, ranks below F1."""
    by_scheme: Mapping[str, Mapping[str, Scores]] = report.schemes
    systems = [*next(iter(by_scheme.values()))]
    grid = Grid(report.title, [*by_scheme], shares=[*by_scheme])
    for part, figure in (("", "f1"), ("rank", "rank")):
        if part:
            grid.part(part)
        for system in systems:
            grid.add(system, *(rows[system][figure] for rows in by_scheme.values()))
    for name, best in report.winners.items():
        for system in best:
            grid.emphasis["", system, name] = BEST
    grids = [grid]
    bounds = ("f1", "f1_low", "f1_high")
    if any("f1_low" in figures for rows in by_scheme.values() for figures in rows.values()):
        parts = {
            name: {
                s: [figures[n] for n in bounds]
                for s, figures in rows.items()
                if bounds[1] in figures
            }
            for name, rows in by_scheme.items()
        }
        grids.append(Grid("F1 of the winners, 95% confidence interval", bounds, parts=parts))
    if "p" in report.facts:
        rows = {name: [each["p"]] for name, each in report.p.items()}
        each = next(iter(report.p.values()))
        title = f"p-value of {each['first']} against {each['second']}, F1"
        grids.append(Grid(title, ["p"], parts={"": rows}))
    return grids


def _tabulate(report: Any) -> pa.Table:
    """Return a row for each system and scheme."""
    rows: Iterable[dict[str, Any]] = (
        {"system": system, "scheme": scheme, **{n: figures[n] for n in (*FIGURES, "rank")}}
        for scheme, systems in report.schemes.items()
        for system, figures in systems.items()
    )
    fields = [("system", pa.string()), ("scheme", pa.string())]
    fields += [(name, pa.float64()) for name in FIGURES]
    return pa.Table.from_pylist(
        [{n: None if v != v else v for n, v in row.items()} for row in rows],
        pa.schema([*fields, ("rank", pa.int64())]),
    )

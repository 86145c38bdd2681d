"""``fastcausal aggregate FILE...``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import click

from fastcausal.cli.console import doing, short_names
from fastcausal.cli.merge import joined
from fastcausal.cli.options import (
    DRAWS,
    ByOption,
    DrawOptions,
    FormatOption,
    IntervalsOption,
    JsonOption,
    format_of,
    refuse,
    refuse_inference,
)
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.systems import print_reports, with_intervals

if TYPE_CHECKING:
    from fastcausal.counts.statistics import Statistics


def aggregate(
    ctx: click.Context,
    files: Annotated[
        list[str],
        Argument(
            help="Files of --per-example: systems on the same examples, or parts of one system."
        ),
    ],
    by: ByOption = None,
    counts: Annotated[
        bool, Option("--counts", help="Add all counts to the table; JSON always has them.")
    ] = False,
    json: JsonOption = False,
    format: FormatOption = "text",
    intervals: IntervalsOption = False,
    draws: DrawOptions = DRAWS,
) -> None:
    """Print the scores of files of counts, as scoring does.

    Examples
    --------
    fastcausal aggregate careful.parquet hasty.parquet
    fastcausal aggregate careful.parquet --intervals
    """
    chosen = format_of(ctx, json, format)
    refuse_inference(ctx, intervals, draws)
    if chosen == "json":
        refuse(ctx, ("counts",), "is for tables, JSON has all counts anyway")
    with doing("reading counts"):
        systems = systems_of(files)
        reports = {name: statistics.report(by) for name, statistics in systems.items()}
    if intervals:
        reports = with_intervals(reports, draws, by)
    print_reports(reports, chosen, by, counts)


def systems_of(files: list[str]) -> dict[str, Statistics]:
    """Read systems by name: parts of one name are joined, and all systems if disjoint.

    Raises
    ------
    InputError
        Systems share some examples but not all, or differ in signature or gold.
    """
    from fastcausal.counts.signatures import joint_signature
    from fastcausal.counts.statistics import read_systems
    from fastcausal.errors import InputError
    from fastcausal.sweeps.systems import require_one_gold

    parts: dict[str, dict[str, Statistics]] = {}
    for file in short_names(files).values():
        for name, statistics in read_systems(file).items():
            parts.setdefault(name, {})[file] = statistics
    systems = {name: joined(of_name) for name, of_name in parts.items()}
    (name, first), *rest = systems.items()
    for other_name, other in rest:
        joint_signature(first.signature, other.signature, (name, other_name))
    if all(_same_examples(first, other) for _, other in rest):
        for other_name, other in rest:
            require_one_gold((name, first), (other_name, other))
        return systems
    if not _disjoint([*systems.values()]):
        raise InputError(
            f"{', '.join(systems)}: neither the same examples nor different ones, "
            "expected systems on the same examples, or parts of one system"
        )
    return {"": joined(systems)}


def _same_examples(a: Statistics, b: Statistics) -> bool:
    """Return True if two statistics have the same examples, by ids, else by gold."""
    a_ids, b_ids = a.ids(), b.ids()
    if a_ids is None or b_ids is None:
        return a.gold == b.gold and a.n_units == b.n_units
    if a.formula.in_gold:
        return _in_gold(a) == _in_gold(b)
    return len(a_ids) == len(b_ids) and set(a_ids.to_pylist()) == set(b_ids.to_pylist())


def _in_gold(statistics: Statistics) -> set[str]:
    assert statistics.units is not None
    return {*statistics.units["id"].to_pylist()} - {*statistics.ids_beyond_gold()}


def _disjoint(systems: list[Statistics]) -> bool:
    """Return True if no two statistics share an example, as far as ids show."""
    ids = [chunk for s in systems if (own := s.ids()) is not None for chunk in own.to_pylist()]
    return len(set(ids)) == len(ids)

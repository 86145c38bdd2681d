"""``fastcausal aggregate FILE...``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from fastcausal.cli.console import doing, short_names, warn
from fastcausal.cli.merge import joined
from fastcausal.cli.options import (
    DRAWS,
    VALUES,
    ByOption,
    DrawOptions,
    IntervalsOption,
    ScoresOption,
    ValueOptions,
    refuse,
    refuse_inference,
)
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.systems import add_intervals, print_reports, write_units
from fastcausal.cli.tables import TABLES, TableOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastcausal.counts.statistics import Statistics
    from fastcausal.sweeps.compare import Comparison
    from fastcausal.tasks.values.reading import ValueReading


def aggregate(
    ctx: click.Context,
    files: Annotated[
        list[str],
        Argument(
            help="Files of --per-example: systems on the same examples, or parts of one system."
        ),
    ],
    by: ByOption = None,
    compare: Annotated[
        str | None,
        Option(help="Compare two values A,B of the column of --by: B minus A, with a p-value."),
    ] = None,
    counts: Annotated[
        bool, Option("--counts", help="Add all counts to the table; JSON always has them.")
    ] = False,
    tables: TableOptions = TABLES,
    intervals: IntervalsOption = False,
    score: ScoresOption = None,
    values: ValueOptions = VALUES,
    draws: DrawOptions = DRAWS,
    out: Annotated[
        Path | None,
        Option(
            help="Write counts to this .parquet or .arrow file; or records of Every Eval Ever, "
            "to a .json file or into a folder."
        ),
    ] = None,
) -> None:
    """Print the scores of files of counts, logs and tables, as scoring does.

    Examples
    --------
    fastcausal aggregate careful.parquet hasty.parquet
    fastcausal aggregate careful.parquet --intervals
    fastcausal aggregate careful.parquet --by doc_id --compare harbour,clinic
    fastcausal aggregate a.eval --cluster doc --out a.parquet
    """
    from fastcausal.arrays.strata import source_of
    from fastcausal.counts.files import require_metadata
    from fastcausal.files.targets import keep_apart
    from fastcausal.report.record import is_for_records, write_records

    if intervals or compare is not None or out is None:
        refuse_inference(ctx, intervals or compare is not None, draws)
    else:  # the column of clusters is kept in the file
        refuse(ctx, DrawOptions._fields[1:], "is for intervals: add --intervals")
    if tables.format == "json":
        refuse(ctx, ("counts",), "is for tables, JSON has all counts anyway")
    if out is not None:
        keep_apart([out], files)
        require_metadata(out)
    with doing("reading counts", "samples") as progress:
        columns = [*map(source_of, by or ())]
        reading = values.reading(progress, columns, draws.cluster)
        reading = replace(reading, scores=tuple(score or ()))
        systems = load_systems(files, reading, of_counts=compare is not None)
        reports = {name: statistics.report(by) for name, statistics in systems.items()}
    comparisons = {}
    if compare is not None:
        with doing("comparing subsets"):
            comparisons = {
                name: compare_subsets(statistics, by or (), compare, score, draws)
                for name, statistics in systems.items()
            }
    if intervals:
        reports = add_intervals(reports, draws, by)
    if out is not None and is_for_records(out):
        warn(write_records(out, reports, draws.cluster))
    else:
        write_units(out, reports)
    print_reports(reports, tables, by, counts, comparisons=comparisons)


def compare_subsets(
    statistics: Statistics,
    by: Sequence[str],
    pair: str,
    scores: Sequence[str] | None,
    draws: DrawOptions,
) -> Comparison:
    """Compare the units of two values of a column: the second minus the first."""
    import fastcausal as fc
    from fastcausal.errors import InputError

    names = pair.split(",")
    if len(by) != 1 or len(names) != 2:
        raise click.UsageError(f"--compare {pair} with {len(by)} columns, expected A,B of one --by")
    parts = statistics.by(by[0])
    if missing := [name for name in names if name not in parts]:
        found = ", ".join(parts)
        raise InputError(f'column "{by[0]}" has no value "{missing[0]}": found {found[:200]}')
    a, b = (replace(parts[name], system=f"{by[0]}={name}") for name in names)
    return fc.compare(a, b, scores, unpaired=True, **draws._asdict())


def load_systems(files: list[str], reading: ValueReading, of_counts: bool) -> dict[str, Statistics]:
    """Read systems by name; join files with the same name, and all systems if they are disjoint."""
    # ``of_counts`` allows scores in ``reading`` for files of counts, which have all.
    from fastcausal.counts.signatures import joint_signature
    from fastcausal.errors import InputError
    from fastcausal.sweeps.align import require_one_gold
    from fastcausal.sweeps.systems import load_all

    parts: dict[str, dict[str, Statistics]] = {}
    for file in short_names(files).values():
        for name, statistics in load_all(file, reading).items():
            if reading.scores and not of_counts and not statistics.formula.holds_values:
                raise InputError(f"{file}: a file of counts, --score is for logs and tables")
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
        return _list_gold_ids(a) == _list_gold_ids(b)
    return len(a_ids) == len(b_ids) and set(a_ids.to_pylist()) == set(b_ids.to_pylist())


def _list_gold_ids(statistics: Statistics) -> set[str]:
    assert statistics.units is not None
    return {*statistics.units["id"].to_pylist()} - {*statistics.ids_beyond_gold()}


def _disjoint(systems: list[Statistics]) -> bool:
    """Return True if no two statistics share an id."""
    ids = [chunk for s in systems if (own := s.ids()) is not None for chunk in own.to_pylist()]
    return len(set(ids)) == len(ids)

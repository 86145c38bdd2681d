"""``fastcausal eci GOLD PRED``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, NamedTuple

import click

from fastcausal.cli.options import (
    DRAWS,
    ZERO,
    ByOption,
    DrawOptions,
    HtmlOption,
    IntervalsOption,
    refuse,
    refuse_inference,
)
from fastcausal.cli.parameters import Option
from fastcausal.cli.systems import print_reports
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.cli.task import GoldArgument, SystemsArgument, written
from fastcausal.options import OutsidePairs, PairProtocolName, PairRelation, ZeroByZero


class LabelOptions(NamedTuple):
    """Options of labels of pairs."""

    forward: Annotated[
        list[str] | None,
        Option(metavar="LABEL", help='Take this label for "a causes b", a type of its own.'),
    ] = None
    backward: Annotated[
        list[str] | None,
        Option(metavar="LABEL", help='Take this label for "b causes a", a type of its own.'),
    ] = None
    none: Annotated[
        list[str] | None, Option(metavar="LABEL", help="Take this label for no relation.")
    ] = None
    unknown: Annotated[
        list[str] | None,
        Option(metavar="LABEL", help="Take this label for a relation of unknown direction."),
    ] = None

    def declared(self) -> dict[str, Any]:
        """Return the declared labels as arguments of a function."""
        return {name: labels or () for name, labels in self._asdict().items()}


LABELS = LabelOptions()
RelationOption = Annotated[
    PairRelation, Option("--relation", help="Score this relation of MAVEN-ERE.")
]


def eci(
    ctx: click.Context,
    gold: GoldArgument,
    pred: SystemsArgument,
    protocol: Annotated[
        PairProtocolName, Option(help="Compare sets of pairs, or as a published program does.")
    ] = "pairs",
    relation: RelationOption = "causal",
    candidates: Annotated[
        str | None,
        Option(help="Expect these pairs, or pairs of these events; listed: the rows of gold."),
    ] = None,
    outside: Annotated[
        OutsidePairs,
        Option(help="Charge predictions that are no candidates, ignore them, or stop."),
    ] = "charge",
    by: ByOption = None,
    fold: Annotated[
        str | None, Option(metavar="COLUMN", help="Average over the values of this column.")
    ] = None,
    labels: LabelOptions = LABELS,
    undefined: Annotated[
        ZeroByZero,
        Option(help="Set scores of 0/0 to this value; maven-ere has 0 unless this is 1."),
    ] = "null",
    lenient: Annotated[
        bool,
        Option("--lenient", help="Ignore predictions of events in MAVEN-ERE, as its program does."),
    ] = False,
    per_document: Annotated[
        Path | None,
        Option(help="Write the counts of each document to this .parquet or .arrow file."),
    ] = None,
    html: HtmlOption = None,
    intervals: IntervalsOption = False,
    draws: DrawOptions = DRAWS,
    tables: TableOptions = TABLES,
) -> None:
    """Score causal pairs of events.

    Examples
    --------
    fastcausal eci pairs_gold.csv pairs_careful.csv
    fastcausal eci pairs_gold.csv pairs_careful.csv --candidates pairs_events.csv --by topic
    fastcausal eci pairs_gold.csv pairs_careful.csv --intervals --cluster topic
    """
    refuse_inference(ctx, intervals, draws)
    if candidates is None:
        refuse(ctx, ("outside",), "is for candidates: add --candidates")
    from fastcausal.tasks.eci.count import LISTED
    from fastcausal.tasks.eci.count import eci as score
    from fastcausal.tasks.eci.report import PairReport

    def make(file: str) -> PairReport:
        return score(
            gold,
            file,
            protocol=protocol,
            candidates=candidates,
            outside=outside,
            by=by,
            fold=fold,
            undefined=ZERO[undefined],
            relation=relation,
            lenient=lenient,
            **labels.declared(),
        )

    sources = [gold, *pred, *([candidates] if candidates not in (None, LISTED) else [])]
    reports = written(
        pred,
        make,
        [str(source) for source in sources],
        units=per_document,
        html=html,
        draws=draws if intervals else None,
        by=by,
    )
    print_reports(reports, tables, by)

"""``fastcausal compare A B``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import click

from fastcausal.cli.console import doing
from fastcausal.cli.gold import (
    GOLD_OPTIONS,
    GoldOptions,
    leads_with_gold,
    names_its_systems,
    refuse_without_gold,
)
from fastcausal.cli.options import (
    DRAWS,
    MARKS,
    VALUES,
    AnytimeOption,
    CorrectionOption,
    DrawOptions,
    HtmlOption,
    JoinOption,
    LowerOption,
    Marks,
    PickOption,
    ScoresOption,
    UnpairedOption,
    ValueOptions,
    import_numpy,
)
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.tables import TABLES, TableOptions


def compare(
    ctx: click.Context,
    files: Annotated[
        list[str],
        Argument(
            metavar="[GOLD] A B",
            help="Gold and predictions of two systems; or counts of both, as score --per-example "
            "writes them; or logs or tables of evaluations. With --system, one file of both.",
        ),
    ],
    score: ScoresOption = None,
    lower_is_better: LowerOption = False,
    pick: PickOption = None,
    scored: GoldOptions = GOLD_OPTIONS,
    marks: Marks = MARKS,
    join: JoinOption = None,
    values: ValueOptions = VALUES,
    unpaired: UnpairedOption = False,
    correction: CorrectionOption = "none",
    draws: DrawOptions = DRAWS,
    anytime: AnytimeOption = False,
    tables: TableOptions = TABLES,
    html: HtmlOption = None,
    items: Annotated[
        Path | None,
        Option(
            help="Write each item in both systems, as fastcausal items has them, to this .json, "
            ".jsonl, .csv, .parquet, .arrow or .html file."
        ),
    ] = None,
) -> None:
    """Compare two systems on the same examples: B minus A, with confidence interval and p-value.

    Examples
    --------
    fastcausal compare gold.csv careful.jsonl hasty.jsonl
    fastcausal compare careful.parquet hasty.parquet
    fastcausal compare careful.parquet hasty.parquet --score cause_f1 --format latex
    fastcausal compare a.eval b.eval --score match --cluster doc
    fastcausal compare values_a.csv values_b.csv --items items.csv
    fastcausal compare runs.csv --system model --pick old,new --score match
    """
    import_numpy()
    is_split = bool(values.system or values.systems or pick)
    is_split = is_split or names_its_systems(files, values, score)
    if len(files) not in (2, 3) and not is_split:
        more = "; fastcausal leaderboard takes more than two systems" if len(files) > 3 else ""
        raise click.UsageError(f"{len(files)} files, expected A B, or GOLD A B{more}", ctx)
    import fastcausal as fc
    from fastcausal.files.targets import keep_apart
    from fastcausal.sweeps.systems import pick as choose_pair
    from fastcausal.sweeps.systems import request_scores

    keep_apart([html, items], files)
    names = pick.split(",") if pick else None
    has_gold = leads_with_gold(files, values, score) if is_split else len(files) == 3
    sides: list[Any] = [*files]
    if has_gold:
        counted = scored.scored(
            ctx, files[0], files[1:], values, draws.cluster, marks, join, score=score,
            has_texts=True, by_answer=items is not None,
        )  # fmt: skip
        sides, names, values = choose_pair(counted, names), None, VALUES
    else:
        refuse_without_gold(ctx, "join")
    table = None
    with doing(f"comparing {' and '.join(files[-2:])}", "samples") as progress:
        if items is not None:
            from fastcausal.sweeps.item_table import load_sides, read_runs

            reading = request_scores(values.reading(progress), score, draws.cluster)
            first = score[0] if score else None
            runs = read_runs(sides, reading, first)
            pair = dict(choose_pair({name: (name, run) for name, run in runs.items()}, names))
            table = fc.items(
                pair,
                score=first,
                cluster=draws.cluster,
                confidence=draws.confidence,
                reading=replace(reading, over="mean"),
            )
            sides = load_sides(pair, reading)
            names = None
        left, right = sides if has_gold or table or not is_split else [sides, None]
        comparison = fc.compare(
            left,
            right,
            score,
            lower_is_better=lower_is_better,
            unpaired=unpaired,
            correction=correction,
            reading=replace(values.reading(progress), with_texts=html is not None),
            anytime=anytime,
            pick=names,
            **draws._asdict(),
        )
    if html is not None:
        comparison.to_html(html)
    if items is not None and table is not None:
        table.write(items)
    tables.show(comparison)

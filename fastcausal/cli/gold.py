"""GOLD and predictions for commands that take counts: scored in memory, like `score` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from fastcausal.cli.console import doing
from fastcausal.cli.options import (
    VALUES,
    KernelOption,
    Marks,
    OccurrenceOption,
    PolicyOptions,
    PredFormatOption,
    ProtocolOption,
    ProtocolOptions,
    ReadOptions,
    TagsOption,
    UnmatchedOption,
    UnparsedOption,
    ValueOptions,
    make_recipe,
    refuse,
)
from fastcausal.cli.systems import has_several, prefix_errors, split_files
from fastcausal.cli.task_options import SetOption, TaskOption, task_options, task_under

if TYPE_CHECKING:
    from fastcausal.counts.statistics import Statistics
    from fastcausal.options import Join
    from fastcausal.sweeps.items import Items
    from fastcausal.tasks.values.reading import ValueReading

OF_VALUES = (
    "scorer", "metric", "filter", "value", "numerator", "denominator", "systems", "missing",
)  # fmt: skip


class GoldOptions(NamedTuple):
    """Options for scoring predictions against GOLD."""

    task: TaskOption = "score"
    set: SetOption = None
    protocol: ProtocolOption = "recess"
    kernel: KernelOption = None
    unparsed: UnparsedOption = "error"
    unmatched: UnmatchedOption = "error"
    source_format: PredFormatOption = None
    occurrence: OccurrenceOption = "gap"
    tags: TagsOption = None

    def scored(
        self,
        ctx: click.Context,
        gold: str,
        files: Sequence[str],
        values: ValueOptions,
        cluster: str | None,
        marks: Marks,
        join: Join | None = None,
        *,
        digested: bool = False,  # with a fact to tell equal predictions from equal counts
        has_texts: bool = False,  # with a fact that reads the texts of gold and predictions
        score: Sequence[str] | str | None = None,
        by_answer: bool = False,  # with ``--over mean``, a row for each answer, not for each item
    ) -> dict[str, Statistics]:
        """Score the systems in files of predictions, by name; read files of counts among them."""
        from fastcausal.arrays.strata import columns_by, name_cluster
        from fastcausal.counts.item_sums import sum_items
        from fastcausal.sweeps.answers import has_samples, reduce_answers, sign
        from fastcausal.sweeps.scoring import scoring_of
        from fastcausal.tasks.values.reading import choose_name

        refuse(ctx, OF_VALUES, f"is for logs and tables, not for predictions against {gold}")
        task, protocol = task_under(self.protocol, self.task)
        recipe = make_recipe(
            ProtocolOptions(protocol, self.kernel).chosen(),
            PolicyOptions(self.unparsed, self.unmatched, join),
            ReadOptions(self.source_format, values.answers, self.occurrence, self.tags, values.id),
            marks,
        )
        options = task_options(task, self.set or [])
        columns = columns_by(name_cluster(cluster))
        with doing(f"reading {gold}"):
            scoring = scoring_of(recipe, gold, task, options, columns=columns)
        chosen = score if isinstance(score, str | None) else next(iter(score), None)
        sample = choose_name("epoch", values.epoch, "sample", values.sample)
        systems = split_files(files, values.system, sample, values.id)
        found = {}
        for name, answers in systems.items():
            [first, *further] = answers.sources
            with doing(f"scoring {name}"), prefix_errors(name if len(systems) > 1 else None, first):
                counted = _counts_in(first) if isinstance(first, str) else None
                if counted is None:
                    counted = reduce_answers(
                        answers, scoring.statistics, values.over, chosen, scoring.vote
                    )
                    if digested and not further and isinstance(first, str):
                        from fastcausal.sweeps.gate import PREDICTIONS

                        facts = {**counted.facts, PREDICTIONS: partial(scoring.digest, first)}
                        counted = replace(counted, facts=facts)
                    if has_texts and not further:
                        from fastcausal.tasks.values.answers import TEXTS
                        from fastcausal.tasks.values.tables import texts_beside

                        facts = {**counted.facts, TEXTS: partial(texts_beside, gold, first)}
                        counted = replace(counted, facts=facts)
            found[name] = replace(counted, system=name)
        if has_several(systems, values.over):
            found = {name: sign(each, values.over) for name, each in found.items()}
        if by_answer or values.over != "mean" or not any(map(has_samples, found.values())):
            return found
        return sum_items(found)


GOLD_OPTIONS = GoldOptions()


def _counts_in(file: str) -> Statistics | None:
    """Read a file of counts; None for other files."""
    from fastcausal.counts.statistics import Statistics
    from fastcausal.counts.systems import is_counts

    return Statistics.read(file) if is_counts(file) else None


def refuse_without_gold(ctx: click.Context, *further: str) -> None:
    """Refuse options of predictions if the files have counts."""
    names = (*GoldOptions._fields, *Marks._fields, *further)
    refuse(ctx, names, "is for predictions against gold: name GOLD first")


def leads_with_gold(
    files: Sequence[str], values: ValueOptions, score: Sequence[str] | str | None
) -> bool:
    """Return True if the first of several files is gold for the others."""
    from fastcausal.sweeps.systems import request_scores

    reading = values._replace(answers=None).reading(None)
    return len(files) > 1 and is_gold(files[0], request_scores(reading, score))


def names_its_systems(
    files: Sequence[str], values: ValueOptions, score: Sequence[str] | str | None
) -> bool:
    """Return True for one file that is no gold, whose own systems are meant."""
    from fastcausal.sweeps.systems import request_scores

    reading = values._replace(answers=None).reading(None)
    is_one = len(files) == 1 and files[0] != "-"
    return is_one and not is_gold(files[0], request_scores(reading, score))


def is_gold(path: str, reading: ValueReading) -> bool:
    """Return True for gold; False for counts, logs, tables of values, folders of sweeps or logs."""
    from fastcausal.counts.systems import is_counts
    from fastcausal.files.packed import local

    if path == "-" or is_counts(path):
        return False  # can be read only once, or has counts
    if Path(local(path)).is_dir():
        from fastcausal.sweeps.folder import counts_of_runs
        from fastcausal.sweeps.systems import list_logs

        return not counts_of_runs(path) and not list_logs(path)
    from fastcausal.tasks.values.files import holds_values

    return not holds_values(path, reading)


def gold_options(
    ctx: click.Context,
    task: str,
    settings: list[str] | None,
    scoring: ProtocolOptions,
    policies: PolicyOptions,
    reads: ReadOptions,
    is_of_runs: bool,
) -> GoldOptions:
    """Gather the options for predictions against gold; refuse them for logs, tables and counts."""
    if is_of_runs:
        names = (
            *GoldOptions._fields, *Marks._fields, *PolicyOptions._fields,
            *(name for name in ReadOptions._fields if name != "id"),
        )  # fmt: skip
        refuse(ctx, names, "is for predictions against gold: name GOLD first")
    return GoldOptions(
        task, settings, scoring.protocol, scoring.kernel, policies.unparsed, policies.unmatched,
        reads.source_format, reads.occurrence, reads.tags,
    )  # fmt: skip


def items_of(
    ctx: click.Context,
    files: Sequence[str],
    scored: GoldOptions,
    values: ValueOptions,
    score: str | None,
    cluster: str | None,
    marks: Marks,
    join: Join | None = None,
    **shown: Any,  # arguments of `fastcausal.items`
) -> Items:
    """Show the items of runs: of logs, tables and counts, or of predictions against gold."""
    import fastcausal as fc

    sources: Any = [*files]
    if leads_with_gold(files, values, [score] if score else None):
        counted = scored.scored(
            ctx, files[0], files[1:], values, cluster, marks, join, has_texts=True, score=score,
            by_answer=True,
        )  # fmt: skip
        sources, values = [counted], VALUES._replace(missing=values.missing)
    else:
        refuse_without_gold(ctx, "join")
    with doing(f"reading {', '.join(files)}", "samples") as progress:
        reading = values.reading(progress)
        return fc.items(*sources, score=score, cluster=cluster, reading=reading, **shown)

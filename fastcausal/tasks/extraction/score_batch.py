"""Score a batch of rows that hold both sides, as distributed engines pass them on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pyarrow as pa

from fastcausal.arrays.arrow import ArrowStreamExportable, drop_columns, strings
from fastcausal.arrays.reading import METADATA_KEY, Reading
from fastcausal.arrays.span_arrays import RELATIONS
from fastcausal.arrays.unparsed import UNPARSED
from fastcausal.counts.columns import require_free
from fastcausal.counts.files import (
    BATCH_WARNINGS,
    GOLD_DIGEST,
    IN_ROWS,
    metadata_of,
)
from fastcausal.counts.statistics import Statistics
from fastcausal.engine.run import check_backend
from fastcausal.errors import InputError
from fastcausal.formats.cnc.rereading import read_with_tags
from fastcausal.options import Backend, Policy, ProtocolName
from fastcausal.protocols import RECESS, Protocol
from fastcausal.recipe import Recipe
from fastcausal.relations import Relations, cast, import_table
from fastcausal.tasks.extraction.evaluation import Evaluation
from fastcausal.tasks.extraction.sides import align_sides
from fastcausal.tasks.extraction.tally import Tally, warn_as_given
from fastcausal.tasks.relations.align import digests
from fastcausal.tasks.relations.official import names_rows


def score_batch(
    batch: ArrowStreamExportable | pa.RecordBatch,
    protocol: ProtocolName | Protocol | Recipe = RECESS,
    *,
    gold: str = "relations",
    pred: str = "predicted",
    unparsed: Policy = "error",
    backend: Backend = "cpu",
) -> pa.Table:
    """Count every example of a batch of Arrow data that has both sides in columns.

    It serves as a stage of Ray Data, Spark, Dask or Daft, see docs/machines.md. Engines may join,
    cut and mix the tables and lose their metadata: each row holds everything that adds up, and
    all tables have the same columns. ``fastcausal merge`` makes one count file of all tables. It
    works in one thread.

    Parameters
    ----------
    batch : pyarrow.Table or RecordBatch, or any object with ``__arrow_c_stream__``
        Columns ``id``, ``length`` and others, which are carried along, as in `Relations`;
        optionally ``unparsed``, the reasons of unparsed predictions.
    protocol, unparsed, backend
        As in `score`; ``protocol`` must have scores that are functions of summed counts.
    gold, pred : str
        Columns of the type of `Relations`; integer and list widths may differ. A null in ``pred``
        is an unparsed prediction. Role names come from the metadata of the schema; by default
        cause, effect and signal.

    Returns
    -------
    pyarrow.Table
        The rows that ``score(..., per_example=FILE)`` writes. The columns ``gold_digest`` (16
        bytes) and ``batch_warnings`` (JSON, in the first row of a batch) replace metadata that
        adds up.

    Raises
    ------
    InputError
        A column is missing or of another type, gold has nulls, the roles of both sides differ, or
        an error of `score`.
    ValueError
        The protocol, policy or backend is unknown, or both sides are one column.

    Examples
    --------
    >>> import fastcausal as fc
    >>> from fastcausal import sample
    >>> gold = fc.read(sample.GOLD)
    >>> pred = fc.read(sample.SYSTEMS["careful"], like=gold)
    >>> batch = gold.table.append_column("predicted", pred.table["relations"])
    >>> counts = fc.score_batch(batch)
    >>> sum(counts["cause_tp"].to_pylist()) == fc.score(gold, pred)["cause"].tp
    True
    """
    recipe = Recipe.make(protocol, unparsed)
    check_backend(backend, 1)
    if recipe.protocol.average != "counts":
        raise ValueError(f"{recipe.protocol.name} does not add up over batches, use score")
    if gold == pred:
        raise ValueError(f'gold and pred are both "{gold}", expected two columns')
    sides = _sides(import_table(batch), gold, pred)
    golds, preds = read_with_tags(*sides, recipe.protocol.tags)
    named = golds.table.append_column(GOLD_DIGEST, digests(golds, recipe.protocol))
    aligned = align_sides(recipe, Relations.part(named, golds.reading), preds)
    tally = Tally(roles=aligned.roles, found=aligned.found)
    evaluation = Evaluation(recipe, tally, num_threads=1, backend=backend)
    # All batches have one signature: relations used as they are go into rows, like warnings.
    counts = evaluation.count_examples(aligned)
    warnings = {t: n for t, n in aligned.counted.items() if not names_rows(t[0])}
    warnings |= warn_as_given(aligned.n_as_given, recipe.protocol.name)
    return _move_to_rows(replace(counts, warnings=warnings), aligned.n_as_given)


def _move_to_rows(statistics: Statistics, n_as_given: int) -> pa.Table:
    """Return the rows of `Statistics` with everything that adds up in columns.

    Other programs may lose the metadata. Each row has its digest of gold. The first row has the
    warnings and the number of relations used as they are.
    """
    table = statistics.table()
    warnings = []
    if statistics.warnings:
        warnings = [json.dumps([[*statistics.warnings.items()], n_as_given])]
    first = strings(warnings[: len(table)])
    lines = pa.concat_arrays([first, pa.nulls(len(table) - len(first), pa.string())])
    kept = table.drop_columns([GOLD_DIGEST])
    table = kept.append_column(GOLD_DIGEST, table[GOLD_DIGEST])
    table = table.append_column(BATCH_WARNINGS, lines)
    about = replace(statistics, gold=None, warnings={}).about(None)
    return table.replace_schema_metadata(metadata_of(about))


def _sides(table: pa.Table, gold: str, pred: str) -> tuple[Relations, Relations]:
    """Return gold with all other columns, and predictions with ``id``, ``length``, ``unparsed``."""
    for side, name in (("gold", gold), ("pred", pred)):
        if table.column_names.count(name) != 1:
            columns = ", ".join(table.column_names) or "no columns"
            raise InputError(f'{side}: expected one column "{name}": found {columns}')
    require_free(table.column_names, IN_ROWS)
    reading = replace(Reading.read(table.schema), notes={}, unread=(), predicted=False)
    of_pred = _reading_of(table.schema.field(pred), reading.roles)
    golds, preds = (cast(table[name], RELATIONS, name) for name in (gold, pred))
    rest = drop_columns(table, (gold, pred))
    joins = rest.select([n for n in ("id", "length", UNPARSED) if n in rest.column_names])
    first = _make("gold", Relations.trusted, rest.append_column("relations", golds), reading)
    if first.n_unread:
        lost = first.unparsed["id"][0]
        raise InputError(
            f'column "{gold}": example {lost} has a null relation, expected none in gold'
        )
    return first, _make("pred", Relations.part, joins.append_column("relations", preds), of_pred)


def _make(side: str, make: Callable[..., Relations], *given: Any) -> Relations:
    """Make the relations of a side; errors name the side."""
    try:
        return make(*given)
    except InputError as error:
        raise InputError(f"{side}: {error}") from error


def _reading_of(field: pa.Field, roles: tuple[str, ...]) -> Reading:
    """Return the `Reading` in a field's metadata, or a plain one; InputError if roles differ."""
    known = (field.metadata or {}).get(METADATA_KEY)
    reading = Reading(roles) if known is None else Reading.parse(known)
    if reading.roles != roles:
        raise InputError(
            f"pred has the roles {', '.join(reading.roles)}, expected {', '.join(roles)} as in gold"
        )
    return replace(reading, notes={}, unread=())

"""Score extracted relations against gold in one call, batch by batch if possible."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from fastcausal.arrays.arrow import drop_columns
from fastcausal.arrays.digests import added_digests
from fastcausal.arrays.strata import By, columns_by, require_columns, source_of
from fastcausal.arrays.unparsed import UNPARSED
from fastcausal.counts.files import metadata_of, system_of
from fastcausal.counts.seals import Written
from fastcausal.counts.task import owners_under, protocols_under
from fastcausal.files.binary import appending
from fastcausal.files.packed import readable_again
from fastcausal.files.targets import keep_apart
from fastcausal.formats import opened
from fastcausal.formats.columns import take_relations
from fastcausal.formats.reading.sources import RelationSource
from fastcausal.formats.traits import NEAR
from fastcausal.marking import FIELDS, refuse_unknown
from fastcausal.options import (
    CLUSTERS,
    Backend,
    Join,
    MarkingSettings,
    Occurrence,
    Policy,
    ProtocolName,
    ReadFormat,
    ScoreSettings,
    ScoreTags,
    SpanProtocol,
)
from fastcausal.protocols import PROTOCOLS, RECESS, Protocol
from fastcausal.recipe import Recipe
from fastcausal.rows import Rows
from fastcausal.significance.sums import narrowed
from fastcausal.tasks.extraction.batches import InStep, Progress, pair_batches
from fastcausal.tasks.extraction.counting import tally_arrays
from fastcausal.tasks.extraction.evaluation import Evaluation
from fastcausal.tasks.extraction.hints import hints_of
from fastcausal.tasks.extraction.report import ExtractionReport
from fastcausal.tasks.extraction.scorer import ExtractionScorer
from fastcausal.tasks.extraction.sides import are_rereadable, are_streamed
from fastcausal.tasks.extraction.tally import COLUMN_TOTALS, TYPE, cast_totals
from fastcausal.tasks.relations.align import NO_COLUMNS, Aligned
from fastcausal.tasks.relations.official import KEY
from fastcausal.tasks.relations.unread import UnreadRelationsError

if TYPE_CHECKING:
    import pyarrow as pa

    from fastcausal.counts.statistics import Statistics

MANY = 16  # batches whose equal rows are stored once


def score(
    gold: RelationSource | Rows,
    pred: RelationSource | Rows,
    protocol: ProtocolName | SpanProtocol | Protocol | Recipe = RECESS,
    *,
    by: By = None,
    unparsed: Policy = "error",
    unmatched: Policy = "error",
    backend: Backend = "cpu",
    num_threads: int | None = None,
    statistics: By = None,
    per_example: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    format: ReadFormat | None = None,
    tags: ScoreTags | None = None,
    answers: str | None = None,
    occurrence: Occurrence = "gap",
    id: str | None = None,
    join: Join | None = None,
    gold_column: str | None = None,
    pred_column: str | None = None,
    **settings: Unpack[ScoreSettings],
) -> ExtractionReport:
    """Score predicted relations against gold relations.

    Parquet and Arrow IPC files, directories of Parquet files, large files of JSON lines and
    iterators are scored batch by batch while both sides have the same examples in the same order,
    so they may be larger than memory. Other sources are read whole; the scores are the same.

    Parameters
    ----------
    gold, pred : Relations, or anything `fastcausal.read` takes, or `Rows`
        Joined by ``id`` if both sides have one, else by position; see ``join``.
    protocol : {"recess", "cnc-2023", "cnc-2022", "relations", "depths"}, {"unicausal-span"}, \
Protocol or Recipe
        ``"recess"`` by default; see `fastcausal.PROTOCOLS`. A `fastcausal.recipe.Recipe` also has
        the policies and the reading of predictions. ``"unicausal-span"`` and ``"fincausal-2020"``
        give other reports: see `fastcausal.tasks.unicausal.count.spans` and
        `fastcausal.tasks.fincausal.count.fincausal`.
    by : str or sequence of str, optional
        Columns of gold, or of predictions if gold lacks the column; each value becomes a subset.
        ``explicit``, ``near`` and ``flow`` are made of gold's relations where both lack them.
    unparsed : {"error", "empty", "skip"}
        Policy for unparsed predictions: an error, no relation, or the example is left out.
        `Report.n_unparsed` counts them; a warning has their share.
    unmatched : {"error", "empty", "skip"}
        Policy for an id that one side lacks: an error, an example without relations on that side,
        or the example is left out.
    backend : {"cpu", "cuda", "reference"}
        Native code, an NVIDIA GPU, or plain Python; the same numbers.
    num_threads : int, optional
        None: all cores if there is enough work. The scores never depend on it.
    statistics : str or sequence of str, optional
        Columns that `Report.statistics` keep beside ids, ``by`` and the columns that clusters are
        made of by default, such as ``doc_id``. Counts per example are then kept while scoring, and
        no file is read again for intervals and tests. None: all columns, counted on request.
    per_example : path, optional
        A ``.parquet``, ``.arrow`` or ``.csv`` file for `Report.per_example`, also written batch by
        batch; it appears complete or not at all.
    progress : callable, optional
        Called after every batch with the number of examples scored and the number of all, None if
        unknown.
    format, answers, occurrence, id
        Options of reading predictions, as in `fastcausal.read`.
    join : {"id", "text", "position"}, optional
        Join examples by id, by text, or by position; by default by id if both sides have one. Texts
        are equal up to white space; examples of equal texts join in order, with a warning.
    gold_column, pred_column : str, optional
        Take relations of GOLD, and those of PRED, from this column; one table may be both.
    tags : {"strict", "aligned", "cnc-2023", "cnc-2022", "unicausal"}, optional
        Reading of tagged sentences, if the protocol's own is ``"strict"``; ``"unicausal"`` is for
        ``"unicausal-span"``.
    **settings
        Settings of reading relations, see `fastcausal.marking.Marking`; ``types="require"`` pairs
        relations of one type alone. With ``"relations"``: ``arguments``, the two roles that have
        to be right, and ``iou``, the least share of common tokens. With ``"fincausal-2020"``:
        ``words`` and ``lenient`` of `fastcausal.tasks.fincausal.count.fincausal`.

    Returns
    -------
    Report
        It holds no examples: ``per_example``, ``matches`` and, without ``statistics``,
        `Report.statistics` are made on request; files are read again for them.

    Raises
    ------
    InputError
        The two sides do not fit together, a file cannot be read or written, ``per_example``
        is one of the files read, or backend ``cuda`` has no GPU.
    ValueError
        A protocol, policy or backend is unknown or excluded by other arguments; ``statistics`` of
        scores that do not add.

    Examples
    --------
    >>> import fastcausal as fc
    >>> gold = fc.Relations.from_examples(
    ...     [{"text": "Rain fell , so roads closed .",
    ...       "relations": [{"cause": (0, 2), "effect": (4, 6), "signal": (3, 4)}]}])
    >>> pred = fc.Relations.from_examples(
    ...     [{"text": "Rain fell , so roads closed .",
    ...       "relations": [{"cause": (0, 2), "effect": (4, 7)}]}])
    >>> report = fc.score(gold, pred)
    >>> report["overall"].precision, report["cause"].tp, report["effect"].be, report["signal"].fn
    (0.6666666666666666, 1, 1, 1)
    """
    lenient = settings.pop("lenient", False)
    own: Any = {
        "arguments": settings.pop("arguments", None),
        "iou": settings.pop("iou", None),
        "match": settings.pop("match", None),
    }
    marking: MarkingSettings = settings
    refuse_unknown(marking)
    if isinstance(protocol, str) and protocol not in PROTOCOLS:
        published = protocols_under("score").get(protocol)
        if published is not None and published.score:
            given = {
                "format": format,
                "answers": answers,
                "id": id,
                "num_threads": num_threads,
                "by": by,
                "per_example": per_example,
                "tags": tags,
                "lenient": lenient or None,
                **own,
                **dict.fromkeys(FIELDS),
                **marking,
                "backend": None if backend == "cpu" else backend,
                "occurrence": None if occurrence == "gap" else occurrence,
                "unparsed": None if unparsed == "error" else unparsed,
                "unmatched": None if unmatched == "error" else unmatched,
                "join": join,
                "gold_column": gold_column,
                "pred_column": pred_column,
            }
            refusal = f"{{name}} is {{value!r}}, expected none with the protocol {protocol}"
            report: ExtractionReport = published.count(gold, pred, given, refusal)
            return report
    if lenient:
        owner = owners_under("score")["lenient"]
        raise ValueError(f"lenient is {lenient!r}, expected none but with {owner}")
    given_sides = gold, pred
    if gold_column is not None:
        gold = take_relations(gold, gold_column, pred_column)
    if pred_column is not None:
        pred = take_relations(pred, pred_column, gold_column)
    reads: Any = unparsed, unmatched, format, tags, answers, occurrence, id, join
    recipe = Recipe.make(protocol, *reads, **own, **marking)  # type: ignore[arg-type]
    adds = recipe.protocol.average == "counts"
    is_tally = adds and by is None and statistics is None and per_example is None
    if is_tally and backend == "cpu" and not recipe.marking.changed and recipe.join is None:
        tally = tally_arrays(recipe.protocol, gold, pred, num_threads)
        if tally is not None:
            return ExtractionReport(Evaluation(recipe, tally, (gold, pred), num_threads))
    scorer = ExtractionScorer(recipe, by=by, backend=backend, num_threads=num_threads)
    if per_example is not None:
        keep_apart([per_example], [*given_sides])
    if not adds:
        if statistics is not None:
            raise ValueError(f"statistics of {recipe.protocol.name}, whose scores do not add")
        from fastcausal.tasks.extraction.cnc2022 import report_2022

        return report_2022(scorer, gold, pred, per_example)
    kept = None if statistics is None else (*scorer.columns, *columns_by(statistics))
    return _score_batches(scorer, gold, pred, kept, per_example, progress)


def _score_batches(
    scorer: ExtractionScorer,
    gold: Any,
    pred: Any,
    kept: tuple[str, ...] | None,
    per_example: str | os.PathLike[str] | None,
    progress: Progress | None,
) -> ExtractionReport:
    """Score two sides, batch by batch if they are streamed and in step."""
    system = system_of(pred)
    streamed = are_streamed(gold, pred)
    if streamed:
        gold, pred = readable_again(gold), readable_again(pred)
    sides = (gold, pred) if are_rereadable(gold, pred) else None

    def report_of(batches: Iterable[tuple[Any, Any]]) -> ExtractionReport:
        scorer.reset()
        keeper = _Keeper(scorer, system, kept, per_example)
        only, names = _add_all(scorer, batches, keeper)
        if scorer.tally.by_type == {}:
            require_columns(names, (TYPE,))
        evaluation = scorer.evaluation(sides or only, system, keeper.statistics())
        report = ExtractionReport(evaluation)
        if only is not None and not evaluation.is_in_memory:
            report.hints = hints_of(evaluation.counting, evaluation.formula, only)
        return report

    if not (streamed and scorer.recipe.can_stream):
        return report_of([(gold, pred)])
    gold, pred = opened(gold), opened(pred, scorer.recipe.reads.format)
    columns = _needed(scorer, kept) if per_example is None else None
    batches = pair_batches(gold, pred, columns, scorer.protocol.tags, progress)
    if batches is None:
        return report_of([(gold, pred)])
    return batches.used_by(lambda: report_of(batches), lambda: report_of([(gold, pred)]))


def _add_all(
    scorer: ExtractionScorer, batches: Iterable[tuple[Any, Any]], keeper: _Keeper
) -> tuple[Aligned | None, list[str]]:
    """Count batches and keep their rows; return the aligned batch of a single one, and columns.

    After unparsed relations that the recipe refuses, the rest is only searched for more of them.
    """
    n_batches, n_unread, only = 0, 0, None
    names: list[str] = []
    with keeper.file as write:
        for gold, pred in batches:
            try:
                aligned = scorer.align(gold, pred)
            except UnreadRelationsError as error:
                if not (isinstance(batches, InStep) and batches.is_read_again):
                    raise
                n_unread += error.count
            if n_unread:
                continue
            scorer.add(aligned)
            keeper.add(aligned, write)
            n_batches += 1
            only = aligned if n_batches == 1 else None
            if scorer.tally.by_type == {}:  # columns may have to be made
                names = aligned.examples.column_names
            del gold, pred, aligned  # frees their memory for the next batch
        if n_unread:
            assert isinstance(batches, InStep)
            raise batches.unread(n_unread)
    return only, names


class _Keeper:
    """Counts per example of the batches of a scorer: kept for some columns, written to a file."""

    def __init__(
        self,
        scorer: ExtractionScorer,
        system: str | None,
        columns: tuple[str, ...] | None,  # None keeps nothing
        target: str | os.PathLike[str] | None,
    ) -> None:
        self.scorer = scorer
        self.system = system
        self.columns = columns
        self.file = nullcontext() if target is None else appending(target, self.metadata)
        self.parts: list[Statistics] = []
        self.n_added = 0
        self.written = Written()
        self.gold: int | None = 0

    def add(self, aligned: Aligned, write: Callable[[pa.Table], None] | None) -> None:
        """Keep and write the rows of a batch already added to the scorer."""
        from fastcausal.counts.statistics import sum_of

        if self.columns is None and write is None:
            return
        if self.columns is not None:
            known = *aligned.examples.column_names, *COLUMN_TOTALS
            require_columns((*known, TYPE) if aligned.types else known, self.columns)
        batch = self.scorer.evaluation().count_examples(aligned)
        if self.columns is not None:
            kept = {"id", *CLUSTERS, *map(source_of, self.columns)}
            others = {*aligned.examples.column_names} - kept
            units, left_out = (
                None if table is None else drop_columns(table, others)
                for table in (batch.units, batch.left_out)
            )
            units = cast_totals(units, narrow=True)
            part = replace(batch, units=units, left_out=left_out).compressed()
            self.parts.append(replace(part, rows=narrowed(part.rows)))
            self.n_added += 1
            if self.n_added % MANY == 0:  # batches share most of their rows
                joint = sum_of(self.parts[-MANY:])
                assert joint.units is not None
                units, rows = joint.units.combine_chunks(), narrowed(joint.rows)
                self.parts[-MANY:] = [replace(joint, units=units, rows=rows)]
        if write is not None:
            table = batch.table()
            self.written = self.written.and_those(Written.seal(batch.formula, table))
            self.gold = added_digests(self.gold, batch.gold)
            write(table)

    def statistics(self) -> Statistics | None:
        """Return the statistics of all batches; None if nothing is kept."""
        if self.columns is None:
            return None
        from fastcausal.counts.statistics import sum_of

        whole = self.scorer.evaluation(system=self.system).template()
        return replace(
            sum_of(self.parts),
            signature=whole.signature,
            system=self.system,
            warnings=whole.warnings,
            totals=whole.totals,
        )

    def metadata(self) -> dict[bytes, bytes]:
        """Return the metadata of the file."""
        whole = self.scorer.evaluation(system=self.system).template()
        return metadata_of(replace(whole, gold=self.gold, units=NO_COLUMNS).about(self.written))


def _needed(scorer: ExtractionScorer, kept: tuple[str, ...] | None) -> set[str | None]:
    """Return the columns that scores depend on, and the columns to keep."""
    strata = (*scorer.columns, *(kept or ()))
    read: set[str | None] = {"id", "length", "relations", "types", "tagged"}
    read |= {*map(source_of, strata)}
    if kept is not None:
        read |= {*CLUSTERS}
    if scorer.recipe.unparsed != "error":
        read.add(UNPARSED)
    if NEAR in strata:  # commas are looked for
        read |= {"text", "tokens"}
    return read if scorer.protocol.tags == "strict" else read | {"text", *KEY}

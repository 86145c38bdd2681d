"""Score extracted relations against gold in one call, batch by batch where that is possible."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from copy import copy
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from fastcausal.arrays.digests import added_digests
from fastcausal.arrays.strata import By
from fastcausal.arrays.unparsed import UNPARSED
from fastcausal.counts.files import metadata_of
from fastcausal.counts.seals import Written
from fastcausal.errors import InputError, warning_lines
from fastcausal.files.binary import appending
from fastcausal.files.files import Source
from fastcausal.files.packed import readable_again
from fastcausal.files.targets import keep_apart
from fastcausal.formats import opened
from fastcausal.formats.reading.format import Opened
from fastcausal.formats.reading.sources import RelationSource
from fastcausal.options import Backend, Occurrence, Policy, ProtocolName, ReadFormat, TagReading
from fastcausal.protocols import RECESS, Protocol, protocol_named
from fastcausal.relations import Relations
from fastcausal.report.groups import Scores
from fastcausal.rows import Rows
from fastcausal.tasks.extraction.batches import Progress, in_step, is_streamed
from fastcausal.tasks.extraction.report import (
    Bounds,
    ExtractionReport,
    as_given,
    bounds_of,
    report_of,
)
from fastcausal.tasks.extraction.scorer import ExtractionScorer, marked_relations
from fastcausal.tasks.extraction.straight import straight
from fastcausal.tasks.extraction.tables import statistics_of
from fastcausal.tasks.relations.align import NO_COLUMNS, Aligned
from fastcausal.tasks.relations.official import KEY
from fastcausal.tasks.relations.unread import named_reasons

if TYPE_CHECKING:
    import pyarrow as pa

_NOWHERE = nullcontext()
_NAMED = ("error", "error", "cpu", "gap")  # options left as they are
# Sources that can be looked at again: a report holds these, and nothing made of them.
_LASTING = (Rows, Relations, Opened, Source, str, os.PathLike, list, tuple)


def score(
    gold: RelationSource | Rows,
    pred: RelationSource | Rows,
    protocol: ProtocolName | Protocol = RECESS,
    *,
    by: By = None,
    unparsed: Policy = "error",
    unmatched: Policy = "error",
    backend: Backend = "cpu",
    num_threads: int | None = None,
    per_example: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    format: ReadFormat | None = None,
    tags: TagReading | None = None,
    answers: str | None = None,
    occurrence: Occurrence = "gap",
) -> ExtractionReport:
    """Score predicted relations against gold relations.

    Parquet and Arrow IPC files, directories of Parquet files, large files of JSON lines and
    iterators are scored batch by batch as long as both sides hold the same examples in the same
    order, so that they may be larger than memory. All else is read whole; the numbers are the same.

    Parameters
    ----------
    gold, pred : Relations, or anything `fastcausal.read` takes, or `Rows`
        Joined by ``id`` where both sides have one, else by position.
    protocol : {"recess", "cnc-2023", "cnc-2022"} or Protocol
        ``"recess"`` by default; see `fastcausal.PROTOCOLS`.
    by : str or sequence of str, optional
        Columns of gold; the values of each become subsets.
    unparsed : {"error", "empty", "skip"}
        What a predicted relation that could not be read is: an error, no relation, or a reason to
        leave the example out. `Report.n_unparsed` counts them, a warning has their share.
    unmatched : {"error", "empty", "skip"}
        What an id that only one side has is: an error, an example without relations on the other
        side, or left out.
    backend : {"cpu", "cuda", "reference"}
        Native code, an NVIDIA GPU, or plain Python; the same numbers.
    num_threads : int, optional
        None uses the cores where there is enough work. The numbers never depend on it.
    per_example : path, optional
        A ``.parquet``, ``.arrow`` or ``.csv`` file to write `Report.per_example` to, batch by batch
        as well; it appears complete or not at all.
    progress : callable, optional
        Called after every batch with the number of examples scored and the number of all of them,
        None where it is not known.
    format, answers, occurrence
        How predictions are read, see `fastcausal.read`.
    tags : {"strict", "aligned", "cnc-2023", "cnc-2022"}, optional
        How tagged sentences are read instead of the way of the protocol, which is to be strict.

    Returns
    -------
    Report
        It holds no examples: ``per_example``, ``matches`` and `Report.statistics` are made when
        asked for, of the same sources, which files are read again for.

    Raises
    ------
    InputError
        The two sides do not fit together, something cannot be read or written, ``per_example``
        is one of the files read, or backend ``cuda`` has no GPU.
    ValueError
        An unknown protocol, policy or backend, or one that the other arguments exclude.

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
    as_told = format is None and tags is None and answers is None
    unset = by is None and per_example is None and progress is None
    if unset and as_told and (unparsed, unmatched, backend, occurrence) == _NAMED:
        report = straight(gold, pred, protocol_named(protocol), num_threads)
        if report is not None:
            return report
    scorer = ExtractionScorer(
        protocol,
        by=by,
        unparsed=unparsed,
        unmatched=unmatched,
        backend=backend,
        num_threads=num_threads,
        format=format,
        tags=tags,
        answers=answers,
        occurrence=occurrence,
    )
    if per_example is not None:
        keep_apart([per_example], [gold, pred])
    scorer.pred_path = pred if isinstance(pred, str | os.PathLike) else None
    streamed = is_streamed(gold) or is_streamed(pred)
    if streamed:
        gold, pred = readable_again(gold), readable_again(pred)
    if scorer.protocol.average == "cnc-2022":
        if scorer.columns:
            parts = ", ".join(scorer.columns)
            raise ValueError(
                f"cnc-2022 does not add up over parts of the examples: no scores by {parts}"
            )
        if per_example is not None:
            raise ValueError("cnc-2022: a report of counts alone has no per_example")
        aligned = scorer.align(gold, pred)
        scorer.roles = aligned.roles
        bounds = _bounds_2022(scorer, aligned, gold, pred) if aligned.unparsed.relations else None
        return _report_2022(scorer, aligned, bounds)
    if not streamed:
        return _scored(scorer, ((gold, pred),), per_example, _again(scorer, gold, pred))
    again = _again(scorer, gold, pred)
    gold, pred = opened(gold), opened(pred, scorer.reads.format)
    columns = _needed(scorer) if per_example is None else None
    batches = in_step(gold, pred, columns, scorer.protocol.tags, progress)
    if batches is None:
        return _scored(scorer, ((gold, pred),), per_example, again)

    def whole() -> ExtractionReport:
        scorer.reset()
        return _scored(scorer, ((gold, pred),), per_example, again)

    return batches.used_by(lambda: _scored(scorer, batches, per_example, again), whole)


def _again(scorer: ExtractionScorer, *sides: Any) -> Callable[[], Aligned] | None:
    """Return what aligns the sources again; None where a source may be gone by then."""
    return partial(scorer.align, *sides) if all(isinstance(s, _LASTING) for s in sides) else None


def _scored(
    scorer: ExtractionScorer,
    batches: Iterable[tuple[Any, Any]],
    per_example: str | os.PathLike[str] | None,
    again: Callable[[], Aligned] | None = None,
) -> ExtractionReport:
    """Score batches; tables of the report align the sources ``again``, or keep the only batch."""
    n_batches = 0
    with _NOWHERE if per_example is None else _CountFile(scorer).appending(per_example) as write:
        for gold, pred in batches:
            n_batches += 1
            aligned = scorer.align(gold, pred)
            scorer.add(aligned)
            if write is not None:
                write(aligned)
    return scorer.report(again or (aligned if n_batches == 1 else None))


class _CountFile:
    """The batches written to a file of counts, and all that it says of them in the end."""

    def __init__(self, scorer: ExtractionScorer) -> None:
        self.scorer = scorer
        self.written = Written()
        self.gold: int | None = 0

    @contextmanager
    def appending(self, target: str | os.PathLike[str]) -> Iterator[Callable[[Aligned], None]]:
        """Write the rows of batches that the scorer has added."""
        with appending(target, self.metadata) as write:
            yield lambda aligned: write(self.table(aligned))

    def table(self, aligned: Aligned) -> pa.Table:
        """Return the rows of a batch that the scorer has added."""
        batch = statistics_of(self.scorer.counting(), aligned, self.scorer.totals().about())
        table = batch.table()
        self.written = self.written.and_those(Written.of(batch.formula, table))
        self.gold = added_digests(self.gold, batch.gold)
        return table

    def metadata(self) -> dict[bytes, bytes]:
        """Return the metadata of all batches."""
        whole = replace(self.scorer.totals().about(), gold=self.gold, units=NO_COLUMNS)
        return metadata_of(whole.about(self.written))


def _needed(scorer: ExtractionScorer) -> set[str | None]:
    """The columns that scores depend on."""
    read: set[str | None] = {"id", "length", "relations", "tagged", UNPARSED, *scorer.columns}
    return read if scorer.protocol.tags == "strict" else read | {"text", *KEY}


def _scores_2022(
    scorer: ExtractionScorer, aligned: Aligned
) -> tuple[dict[str, Scores], tuple[str, ...]]:
    from fastcausal.tasks.extraction.cnc2022 import scores_2022

    scores, fate = scores_2022(
        scorer.plan(), aligned.gold, aligned.pred, aligned.examples, scorer._roles, scorer.backend
    )
    return {group: Scores(values) for group, values in scores.items()}, tuple(fate)


def _bounds_2022(scorer: ExtractionScorer, aligned: Aligned, gold: Any, pred: Any) -> Bounds:
    """Score under the other policy as well: these scores do not add up over examples."""
    here = _scores_2022(scorer, aligned)[0]["overall"]
    other = copy(scorer)
    other.unparsed = "skip" if scorer.unparsed == "empty" else "empty"
    try:
        there = _scores_2022(other, other.align(gold, pred))[0]["overall"]
    except InputError:  # examples that are left out may be invalid
        there = None
    return bounds_of(*((here, there) if scorer.unparsed == "empty" else (there, here)))


def _report_2022(
    scorer: ExtractionScorer, aligned: Aligned, bounds: Bounds | None
) -> ExtractionReport:
    scorer.n_as_given, scorer.located = aligned.n_as_given, aligned.located
    n_pred_relations = marked_relations(aligned.pred)
    lost = aligned.unparsed
    scores, fate = _scores_2022(scorer, aligned)
    return report_of(
        protocol=scorer.protocol.name,
        signature=scorer.signature,
        n_examples=aligned.gold.n_examples,
        n_gold_relations=marked_relations(aligned.gold),
        n_pred_relations=n_pred_relations,
        scores=scores,
        warnings=(
            *aligned.warnings,
            *(lost.warnings(scorer.unparsed, n_pred_relations) if lost.relations else ()),
            *warning_lines(as_given(aligned.n_as_given, scorer.protocol.name)),
            *fate,
        ),
        unparsed=lost,
        bounds=bounds,
        reasons=() if aligned.reasons is None else (named_reasons(aligned.reasons, 0),),
    )

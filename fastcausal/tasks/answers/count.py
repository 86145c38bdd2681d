"""Scores of extracted causes and effects with references and raters' verdicts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.arrays.arrow import joined, numbers
from fastcausal.arrays.digests import added_digests, digest_of_texts
from fastcausal.counts.files import system_of
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import InputError, Problems, Remedy, summary
from fastcausal.files.values import shown
from fastcausal.options import AnswerProtocol, Policy, UnsurePolicy, check
from fastcausal.report.groups import Scores
from fastcausal.significance.sums import Int64
from fastcausal.tasks.answers.formula import FIELDS, ExtractionFormula
from fastcausal.tasks.answers.join import Extractions, read_extractions
from fastcausal.tasks.answers.overlap import RELATIONS, WordCounts, count_words
from fastcausal.tasks.answers.report import AnswersReport, report_of, verdicts_of
from fastcausal.tasks.answers.shares import differing_of, shares_of
from fastcausal.tasks.answers.tables import judgments_of, make_item_table
from fastcausal.tasks.answers.texts import text_scores
from fastcausal.tasks.verdicts import VALID_SCORE

Booleans = npt.NDArray[np.bool_]
UNREAD_RELATION = "cause"  # the relation of unreadable texts in the published program
MAX_RELATIONS = 64  # with more relations, answers have free text


def answers(
    source: Any,
    protocol: AnswerProtocol = "guide",
    *,
    unparsed: Policy = "error",
    unsure: UnsurePolicy = "invalid",
    by: str | None = None,
    text_metrics: bool = False,
) -> AnswersReport:
    """Score extracted causes and effects against references, and count the verdicts of raters.

    Parameters
    ----------
    source : path, table, list of mappings, mapping with ``items``, or list of several of these
        Answers with reference and verdicts; - for stdin. JSON, JSON lines, CSV, Parquet, Arrow or
        data, a source of `fastcausal.tasks.answers.join.read_extractions`; several are raters of
        the same items.
    protocol : {"guide", "fcr"}
        Read and score as the guide of raters, or as the published program. ``"guide"`` reads
        ``[Cause] a | b [Relation] r [Effect] c`` in any order, or each part on a line of its own;
        ``"fcr"`` follows the published program in every detail.
    unparsed : {"error", "empty", "skip"}
        Stop at unparsed answers, score them as no spans (empty), or skip them. References must be
        readable, except in ``"fcr"`` with ``"empty"``.
    unsure : {"invalid", "missing"}
        Take unsure verdicts as invalid, as the guide does, or as missing.
    by : str, optional
        Add the scores of each value of this column.
    text_metrics : bool
        Add ROUGE-L and BLEU of whole answers.

    Returns
    -------
    AnswersReport
        ``report["overall"].f1``, ``report["cause"].precision``, ``report["joint"].exact_match``;
        ``report.triage``, ``report.verdicts`` and ``report.reasons``; tables ``report.per_item``,
        ``report.judgments`` and ``report.differing``. Texts of a large Parquet file are read batch
        by batch, and again for ``per_item``.

    Raises
    ------
    InputError
        A file or an answer cannot be read, the column is missing, or the libraries of
        ``text_metrics`` are not installed. ``per_item``: a large file has changed.
    ValueError
        A protocol or policy is unknown.

    References
    ----------
    Rajpurkar et al. (2016), SQuAD: 100,000+ Questions for Machine Comprehension of Text, section
    6.1, for words and F1.

    Examples
    --------
    >>> report = answers([
    ...     {"id": "a", "input": "Heavy rain, floods.", "gold": "[Cause] rain [Effect] floods",
    ...      "output": "[Cause] heavy rain [Effect] floods", "valid": True},
    ... ])
    >>> report["cause"].precision, report["effect"].exact_match, report.verdicts["valid"]
    (0.5, 1.0, 1.0)
    """
    check("protocol", protocol, AnswerProtocol)
    check("unparsed", unparsed, Policy)
    check("unsure", unsure, UnsurePolicy)
    items = read_extractions(source, unsure=unsure)
    if by is not None and by not in items.columns.column_names:
        known = ", ".join(items.columns.column_names) or "none"
        raise InputError(f'{items.names[0]}: no column "{by}": found {known}')
    digests = list[int]()
    counts = count_words(_digested(items, digests), len(items), protocol, len(FIELDS))
    counts = counts.order_by_item(items.texts)
    scored = _scored(items, counts, protocol, unparsed)
    signature = (
        f"fastcausal|{__version__}|judged|{protocol}|unparsed:{unparsed}|unsure:{unsure}"
        f"|samples:majority|ties:invalid|scores:valid from {VALID_SCORE}"
    )
    statistics = replace(
        _statistics(items, counts, scored, protocol, signature, added_digests(*digests)),
        warnings=_unread_warning(counts, unparsed) | {(text,): () for text in items.warnings},
        system=_system_of(source),
    )
    texts = text_scores(items, scored) if text_metrics else {}
    return report_of(
        _add_column(statistics, items, scored, by),
        by,
        more=_text_group(texts),
        verdicts=verdicts_of(*_verdicts(items)),
        reasons=shares_of(items),
        tables={
            "per_item": partial(make_item_table, items, statistics, scored, texts),
            "judgments": partial(judgments_of, items),
            "differing": partial(differing_of, items),
        },
        kept=statistics,
    )


def _digested(items: Extractions, digests: list[int]) -> Iterator[pa.RecordBatch]:
    """Yield batches of texts; append the digest of each batch's references to ``digests``."""
    order, start = items.texts.row_items(), 0
    keys = items.keys if order is None else items.keys.take(numbers(order))
    for batch in items.texts.batches():
        digests.append(digest_of_texts(keys.slice(start, len(batch)), batch["reference"]))
        start += len(batch)
        yield batch


def _add_column(
    statistics: Statistics, items: Extractions, scored: Booleans, by: str | None
) -> Statistics:
    """Add the column ``by`` to the units, even if its name is reserved in files of statistics."""
    units = statistics.units
    if by is None or units is None or by in units.column_names:
        return statistics
    column = joined(items.columns[by]).filter(numbers(scored))
    return replace(statistics, units=units.append_column(by, column))


def _text_group(texts: Mapping[str, npt.NDArray[np.float64]]) -> dict[str, Scores]:
    """Return the means of text scores as a group, if requested."""
    if not texts:
        return {}
    sizes = {"n": len(next(iter(texts.values())))}
    means = {name: math.fsum(v) / len(v) if len(v) else math.nan for name, v in texts.items()}
    return {"text": Scores(means | sizes)}


def _system_of(source: Any) -> str | None:
    several = isinstance(source, list | tuple)
    return None if several and len(source) != 1 else system_of(source[0] if several else source)


def _scored(
    items: Extractions, counts: WordCounts, protocol: AnswerProtocol, unparsed: Policy
) -> Booleans:
    """Return a mask of scored items; raise InputError for unreadable texts if not allowed."""
    reference, answer = counts.read.T
    if not (protocol == "fcr" and unparsed == "empty"):
        _require_read(items, reference, "reference", None)
    if unparsed == "error":
        remedy = Remedy("unparsed", ("empty", "skip"), "would score the rest")
        _require_read(items, answer, "answer", remedy)
    return answer if unparsed == "skip" else np.ones(len(items), bool)


def _require_read(items: Extractions, read: Booleans, name: str, remedy: Remedy | None) -> None:
    unread = np.flatnonzero(~read)
    if not len(unread):
        return
    some = unread[: Problems.shown]
    first = [
        f"{items.locate(k)}: the {name} cannot be read, expected [Cause] and [Effect]: "
        f"got {shown(text)}"
        for k, text in zip(some.tolist(), items.texts.select(name, some), strict=True)
    ]
    raise InputError(summary(len(unread), first), remedy)


def _statistics(
    items: Extractions,
    counts: WordCounts,
    scored: Booleans,
    protocol: AnswerProtocol,
    signature: str,
    gold: int | None,
) -> Statistics:
    """Return statistics with a row per scored item, and its columns for strata and clusters."""
    classes, codes = _relations(counts, protocol)
    formula = ExtractionFormula(protocol, classes)
    unread = (~counts.read).any(axis=1)
    counts.fields[RELATIONS.start :] = [*codes, *_verdicts(items), unread]
    rows = counts.fields.T
    others = {*formula.fields, "id", "system", "times"}
    units = {c: items.columns[c] for c in items.columns.column_names if c not in others}
    table = pa.table({"id": items.keys, **units})
    skipped = {} if scored.all() else {"left_out": table.filter(numbers(~scored))}
    return Statistics.of_units(
        formula,
        signature,
        rows[scored] if skipped else rows,
        table.filter(numbers(scored)) if skipped else table,
        gold=gold,
        **skipped,
    )


def _unread_warning(counts: WordCounts, unparsed: Policy) -> dict[tuple[str, ...], tuple[int, ...]]:
    n_unread = int((~counts.read).any(axis=1).sum())
    text = (f"unparsed={unparsed}: ", " answers cannot be read")
    return {text: (n_unread,)} if n_unread else {}


def _relations(counts: WordCounts, protocol: AnswerProtocol) -> tuple[tuple[str, ...], Int64]:
    """Return the classes of relations, and 1 + the index of each text's class, 0 for none.

    Classes are the relations of both sides; for the guide only of references if answers have more
    than `MAX_RELATIONS`.
    """
    of_texts = counts.fields[RELATIONS]
    names = (*counts.relations, UNREAD_RELATION if protocol == "fcr" else None)  # -1 is the last
    used = (np.flatnonzero(np.bincount(side + 1)) - 1 for side in of_texts)
    classes, predicted = ({names[k] for k in own.tolist()} for own in used)
    if protocol == "fcr" or len(predicted - {None}) <= MAX_RELATIONS:
        classes |= predicted
    ascending = tuple(sorted(name for name in classes if name is not None))
    code_of: dict[str | None, int] = {name: code for code, name in enumerate(ascending, 1)}
    return ascending, np.array([code_of.get(name, 0) for name in names])[of_texts]


def _verdicts(items: Extractions) -> tuple[Int64, Int64, Int64]:
    """Return for each item the numbers of raters: asked, with a verdict, with the verdict valid."""
    asked = np.full(len(items), len(items.raters))
    return asked, (items.verdicts >= 0).sum(axis=1), (items.verdicts == 1).sum(axis=1)

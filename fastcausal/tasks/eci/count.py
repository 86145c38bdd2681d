"""Causal pairs of events against gold, by every published rule."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from fastcausal._version import __version__
from fastcausal.arrays import arrow
from fastcausal.arrays.digests import digest_of_numbers
from fastcausal.arrays.strata import By, columns_by, source_of
from fastcausal.counts.files import system_of
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import InputError, Warnings, add_warnings
from fastcausal.files.targets import keep_apart
from fastcausal.options import OutsidePairs, PairProtocolName, PairRelation, check
from fastcausal.significance.sums import Int64
from fastcausal.tasks.eci import against
from fastcausal.tasks.eci.by_document import DIGEST, N_OUTSIDE, Counted, count, places
from fastcausal.tasks.eci.columns import columns_of_documents
from fastcausal.tasks.eci.corpora.documents import Corpus
from fastcausal.tasks.eci.files import GOLD, PRED, EventPairs, open_table, pairs_of, read_candidates
from fastcausal.tasks.eci.formula import PairFormula
from fastcausal.tasks.eci.labels import LabelScheme, labels_of, untyped
from fastcausal.tasks.eci.protocols import MAVEN_ERE, OVERALL, PairProtocol, pair_protocol
from fastcausal.tasks.eci.report import PairReport, present

LISTED = "listed"


class Sources(NamedTuple):
    """Both sides and candidates, read."""

    gold: EventPairs
    pred: EventPairs
    candidates: EventPairs | None
    ignored: dict[str, int]  # Predicted pairs of each document that were left out
    warnings: Warnings


def eci(
    gold: Any,
    pred: Any,
    *,
    protocol: PairProtocolName = "pairs",
    candidates: Any = None,
    outside: OutsidePairs = "charge",
    by: By = None,
    fold: str | None = None,
    forward: Iterable[str] | str = (),
    backward: Iterable[str] | str = (),
    none: Iterable[str] | str = (),
    unknown: Iterable[str] | str = (),
    undefined: float | None = None,
    relation: PairRelation = "causal",
    lenient: bool = False,
    per_document: str | os.PathLike[str] | None = None,
) -> PairReport:
    """Score causal pairs of events.

    Parameters
    ----------
    gold : path, table, list of mappings
        Gold; - for stdin. A table with the columns ``doc_id``, ``a``, ``b``, ``label``, perhaps
        ``sentence_a`` and ``sentence_b``; or a published corpus, see
        `fastcausal.tasks.eci.corpora`.
    pred : path, table, list of mappings
        Predictions of a system. Such a table too, or the output of a published program.
    protocol : {"pairs", "maven-ere", "eventstoryline", "ilif-direction"}
        Compare sets of pairs, or as a published program does. ``"pairs"`` compares sets.
    candidates : path, table, list of mappings or "listed", optional
        Expect these pairs, or pairs of these events; listed: the rows of gold. Pairs are rows with
        ``doc_id``, ``a`` and ``b``; events, rows with ``doc_id`` and ``event``, stand for all pairs
        within a document.
    outside : {"charge", "ignore", "error"}
        Charge predictions that are no candidates, ignore them, or stop.
    by : str or sequence of str, optional
        Also score each value of these columns of gold.
    fold : str, optional
        Average over the values of this column.
    forward : sequence of str
        Take this label for "a causes b", a type of its own.
    backward : sequence of str
        Take this label for "b causes a", a type of its own.
    none : sequence of str
        Take this label for no relation.
    unknown : sequence of str
        Take this label for a relation of unknown direction.
    undefined : float, optional
        Set scores of 0/0 to this value; maven-ere has 0 unless this is 1. None: undefined, but 0
        under ``"maven-ere"``, as in its program.
    relation : {"causal", "temporal", "subevent"}
        Score this relation of MAVEN-ERE.
    lenient : bool
        Ignore predictions of events in MAVEN-ERE, as its program does. They name events instead of
        mentions.
    per_document : path, optional
        A ``.parquet`` or ``.arrow`` file for the counts of every document.

    Returns
    -------
    PairReport
        Groups ``exists`` (pairs), ``direction`` (cause and effect) and ``typed`` (with the type),
        overall and within (``intra``) and across (``inter``) sentences.

    Raises
    ------
    InputError
        A source cannot be read, has an unknown label, or pairs an event with itself.
    ValueError
        A policy is unknown.

    Examples
    --------
    >>> gold = [{"doc_id": "d", "a": "rain", "b": "flood", "label": "CAUSE"}]
    >>> pred = [{"doc_id": "d", "a": "flood", "b": "rain", "label": "CAUSE"}]
    >>> report = eci(gold, pred)
    >>> report["exists"].f1, report["direction"].f1
    (1.0, 0.0)
    """
    check("outside", outside, OutsidePairs)
    check("relation", relation, PairRelation)
    rules = pair_protocol(protocol)
    is_listed = isinstance(candidates, str) and candidates == LISTED
    keep_apart([per_document], [gold, pred, None if is_listed else candidates])
    labels = labels_of(forward, backward, none, unknown, relation, rules.ordered)
    if rules is MAVEN_ERE and candidates is not None:
        raise ValueError("candidates is not for maven-ere, whose gold lists its mentions")
    sources = read_sources(
        gold, pred, LISTED if is_listed else candidates, rules, labels, relation, lenient
    )
    counted = count(*sources[:3], rules, outside)
    gold_source, pred_source = (side.drop_rows() for side in sources[:2])
    sources = sources._replace(gold=gold_source, pred=pred_source)
    statistics = statistics_of(
        sources,
        counted,
        rules,
        _signature(rules, sources.candidates, is_listed, outside, undefined, labels, relation),
        rules.zero if undefined is None else float(undefined),
        outside,
        required=(*map(source_of, columns_by(by)), *([fold] if fold else [])),
        system=system_of(pred),
    )
    if per_document is not None:
        statistics.write(per_document)
    return present(statistics, by, fold)


def read_sources(
    gold: Any,
    pred: Any,
    candidates: Any,
    protocol: PairProtocol,
    labels: LabelScheme,
    relation: PairRelation = "causal",
    lenient: bool = False,
) -> Sources:
    """Read both sides by a protocol, and the candidates."""
    sides = open_table(gold, relation, GOLD), open_table(pred, relation, PRED)
    ignored: dict[str, int] = {}
    warnings: Warnings = {}
    are_maven = [isinstance(side, Corpus) and side.is_maven for side in sides]
    needs = protocol.name if protocol.last_type else "lenient" if lenient else ""
    if needs and not all(are_maven):
        other = sides[are_maven.index(False)]
        raise InputError(f"{other.name}: expected JSON lines of MAVEN-ERE for {needs}")
    if all(are_maven):
        sides, ignored, warnings = _maven(*sides, protocol, lenient)  # type: ignore[arg-type]
    for name, side in zip((GOLD, PRED), sides, strict=True):
        add_warnings(warnings, side.warn_of_self_pairs(name) if isinstance(side, Corpus) else {})
    codes = labels.encode(*sides)
    add_warnings(warnings, untyped(*codes))
    of_gold, of_pred = map(pairs_of, sides, codes)
    third = candidates
    if candidates is not None:
        third = of_gold if isinstance(candidates, str) and candidates == LISTED else None
        third = read_candidates(candidates) if third is None else third
    return Sources(of_gold, of_pred, third, ignored, warnings)


def _maven(
    gold: Corpus, pred: Corpus, protocol: PairProtocol, lenient: bool
) -> tuple[tuple[Corpus, Corpus], dict[str, int], Warnings]:
    """Leave out predictions of mentions that gold lacks; keep last types if the protocol does."""
    pred, ignored, warnings = against.known_mentions(gold, pred, lenient)
    if protocol.last_type:
        add_warnings(warnings, against.collisions(gold, pred))
        gold, pred = against.keep_last_types(gold), against.keep_last_types(pred)
    return (gold, pred), ignored, warnings


def _signature(
    protocol: PairProtocol,
    candidates: EventPairs | None,
    is_listed: bool,
    outside: OutsidePairs,
    undefined: float | None,
    labels: LabelScheme,
    relation: PairRelation,
) -> str:
    """Return the signature line, with choices that differ among papers, such as candidates."""
    kind = "all"
    if candidates is not None:
        kind = LISTED if is_listed else "events" if candidates.b is None else "pairs"
    zero = protocol.zero if undefined is None else undefined
    parts = {
        "protocol": protocol.name,
        "relation": relation,
        "candidates": kind if candidates is None else f"{kind},outside={outside}",
        "hits": ",".join(protocol.groups),
        "pairs": "all,intra,inter" if protocol.by_sentences else "all",
        "documents": "gold" if protocol.gold_documents else "all",
        "undefined": "null" if zero is None else f"{zero:g}",
    }
    line = "|".join(f"{name}:{value}" for name, value in parts.items())
    return f"fastcausal|{__version__}|eci|{line}{labels.text}"


def statistics_of(
    sources: Sources,
    counted: Counted,
    protocol: PairProtocol,
    signature: str,
    undefined: float | None,
    outside: OutsidePairs = "charge",
    required: Sequence[str] = (),
    system: str | None = None,
) -> Statistics:
    """Make a row of counts for every document that the protocol counts."""
    strata = counted.strata if protocol.by_sentences else counted.strata[:1]
    has_candidates = sources.candidates is not None
    formula = PairFormula(protocol.groups, strata, protocol.counts, has_candidates, undefined)
    looked_at = counted.in_gold | (not protocol.gold_documents)
    kept = np.flatnonzero(looked_at)
    columns = [*_columns(counted, protocol, formula), *_totals(sources, counted, outside)]
    ids = counted.documents.take(arrow.numbers(kept))
    units = columns_of_documents(sources.gold, ids, required)
    warnings = dict(sources.warnings)
    tp, wrong = (counted.columns[at] for at in places(protocol.groups[0], OVERALL)[:2])
    strange = int((tp + wrong)[~counted.in_gold].astype(bool).sum())
    if strange:
        effect = "cost nothing" if protocol.gold_documents else "are charged"
        texts = (f"predictions {effect} in documents that gold does not name: ", "")
        add_warnings(warnings, {texts: (strange,)})
    if counted.strangers:
        add_warnings(warnings, {(counted.strangers,): ()})
    in_gold = np.flatnonzero(counted.in_gold)
    named = counted.documents.take(arrow.numbers(in_gold))
    digest = digest_of_numbers(named, [counted.columns[DIGEST][in_gold]], len(named))
    return Statistics.of_units(
        formula,
        signature,
        np.column_stack(columns)[kept],
        units,
        {"protocol": protocol.name},
        system=system,
        gold=digest,
        warnings=warnings,
    )


def _columns(counted: Counted, protocol: PairProtocol, formula: PairFormula) -> list[Int64]:
    columns: list[Int64] = []
    for group in protocol.groups:
        for stratum in formula.strata:
            tp, fp, fn = counted.errors(group, stratum, protocol)
            columns += [tp, fp, fn] if "fp" in protocol.counts else [tp, tp + fp, tp + fn]
    if formula.candidates:
        for stratum in formula.strata:
            columns += counted.every(stratum)
    return columns


def _totals(sources: Sources, counted: Counted, outside: OutsidePairs) -> list[Int64]:
    """Return the numbers of documents, outside predictions, candidates, ignored predictions."""
    n = len(counted.documents)
    left_out = np.zeros(n, np.int64)
    if sources.ignored:
        places = {id: k for k, id in enumerate(counted.documents.to_pylist())}
        for id, ignored in sources.ignored.items():
            left_out[places[id]] = ignored
    beyond = counted.columns[N_OUTSIDE]
    candidates = np.zeros(n, np.int64)
    if sources.candidates is not None:
        candidates = counted.every("overall")[1]
    left_out += beyond if outside == "ignore" else 0
    return [counted.in_gold.astype(np.int64), beyond, candidates, left_out]

"""Effects of the quirks of one protocol of pairs on F1, on the way to another, step by step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.counts.arithmetic import ratio
from fastcausal.options import PairProtocolName, PairRelation
from fastcausal.report.groups import Scores
from fastcausal.report.report import Report
from fastcausal.report.steps import present_steps, walk
from fastcausal.tasks.eci.by_document import count
from fastcausal.tasks.eci.count import read_sources
from fastcausal.tasks.eci.files import GOLD, PRED, open_table
from fastcausal.tasks.eci.labels import labels_of
from fastcausal.tasks.eci.protocols import (
    DIRECTION,
    OVERALL,
    QUIRKS,
    PairProtocol,
    pair_protocol,
)

QUESTION = "the direction alone is scored, or with the type"


COLUMNS = {"documents": "n_documents", "F1": "f1", "change": "change", "alone": "change_alone"}


@dataclass(frozen=True)
class _Rules:
    """A set of rules, and the group that is scored."""

    protocol: PairProtocol
    group: str


def explain_pairs(
    gold: Any,
    pred: Any,
    start: PairProtocolName,
    end: PairProtocolName = "pairs",
    *,
    forward: Iterable[str] | str = (),
    backward: Iterable[str] | str = (),
    none: Iterable[str] | str = (),
    unknown: Iterable[str] | str = (),
    relation: PairRelation = "causal",
) -> Report:
    """Attribute the difference between two protocols to their quirks."""
    # gold, pred, forward, backward, none, unknown, relation: as in `eci`; both protocols must be
    # able to read the sources.
    # start, end: F1 is the score of types, or of directions if both protocols score directions.
    first, last = pair_protocol(start), pair_protocol(end)
    if first == last:
        raise ValueError(f"both protocols are {start}, expected two")
    null = first.ordered or last.ordered
    labels = labels_of(forward, backward, none, unknown, relation, null)
    tables = open_table(gold, relation, GOLD), open_table(pred, relation, PRED)

    def measure(rules: _Rules) -> dict[str, tuple[int, ...]]:
        sources = read_sources(*tables, None, rules.protocol, labels, relation)
        counted = count(*sources[:3], rules.protocol, groups=[rules.group])
        kept = counted.in_gold | (not rules.protocol.gold_documents)
        rows = np.column_stack(counted.errors(rules.group, OVERALL, rules.protocol))[kept].tolist()
        ids = counted.documents.filter(pa.array(kept)).to_pylist()
        return dict(zip(ids, map(tuple, rows), strict=True))

    begin = _Rules(first, _group(first, last))
    quirks, at_start, at_end = walk(
        _changes(first, last), begin, _change, measure, _f1, _list_changed, "document"
    )
    is_shared = {*first.groups} & {*last.groups}
    group = begin.group if is_shared else last.groups[-1]
    return present_steps(
        f"from {start} to {end}: F1 of {group}, {len(at_end)} documents",
        f"fastcausal|{__version__}|eci-explain|{start}:to:{end}|relation:{relation}{labels.text}",
        {start: _scores(at_start), end: _scores(at_end)},
        quirks,
        COLUMNS,
        keys=("signature", "warnings", "scores", "quirks"),
    )


def _list_changed(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Return the ids of documents whose counts differ."""
    return [id for id in {**before, **after} if before.get(id) != after.get(id)]


def _group(first: PairProtocol, last: PairProtocol) -> str:
    both = [group for group in first.groups if group in last.groups]
    return both[-1] if both and DIRECTION not in both else DIRECTION if both else first.groups[-1]


def _changes(first: PairProtocol, last: PairProtocol) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield each rule that differs, with its meaning and its value in the last protocol."""
    for field, meaning in QUIRKS.items():
        if getattr(first, field) != getattr(last, field):
            yield field, meaning, {field: getattr(last, field)}
    if not {*first.groups} & {*last.groups}:
        yield "groups", QUESTION, {"group": last.groups[-1]}


def _change(rules: _Rules, change: dict[str, Any]) -> _Rules:
    if "group" in change:
        return replace(rules, **change)
    return replace(rules, protocol=replace(rules.protocol, **change))


def _f1(rows: dict[str, tuple[int, ...]]) -> float:
    return float(_scores(rows).f1)


def _scores(rows: dict[str, tuple[int, ...]]) -> Scores:
    tp, fp, fn = (sum(column) for column in zip(*rows.values(), strict=True))
    nan = float("nan")
    return Scores(
        {
            "precision": ratio(tp, tp + fp, nan),
            "recall": ratio(tp, tp + fn, nan),
            "f1": ratio(2 * tp, 2 * tp + fp + fn, nan),
            "tp": tp,
            "fp": fp,
            "fn": fn,
        }
    )

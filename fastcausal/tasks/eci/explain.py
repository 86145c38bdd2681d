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
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Scores
from fastcausal.report.report import Report, Tables, plain
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


@dataclass(frozen=True)
class PairQuirk:
    """One step from a protocol to another."""

    # The field of `PairProtocol` that changes, or ``groups``: the question that is scored
    field: str
    meaning: str  # The rule that only one of the protocols has
    n_documents: int  # Documents whose counts this step changes
    documents: tuple[str, ...]  # The first ten of them
    f1: float  # F1 after this and all earlier steps
    change: float  # Change of F1 by this step, after the earlier ones
    change_alone: float  # Change of the first protocol's F1 by this step alone


class PairExplanation(Report):
    """Scores under two protocols of pairs, and the steps between them in ``quirks``."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values: both scores by protocol, and the steps."""
        scores = {name: plain(scores) for name, scores in self.scores.items()}
        head = {"signature": self.signature, "warnings": [*self.warnings], "scores": scores}
        return head | {"quirks": plain(self.facts["quirks"])}

    def to_table(self, counts: bool = False) -> Grid:
        """Return a row per step."""
        (start, first), (end, last) = self.scores.items()
        signed, shares = ["change", "alone"], ["F1", "change", "alone"]
        columns, corner = ["documents", *shares], f"quirk of {start}"
        grid = Grid(self.title, columns, corner, signed=signed, shares=shares)
        grid.add(f"({start})", "", first.f1)
        for quirk in self.facts["quirks"]:
            numbers = (quirk.n_documents, quirk.f1, quirk.change, quirk.change_alone)
            grid.add(quirk.meaning, *numbers)
        grid.add(f"({end})", "", last.f1)
        return grid


@dataclass(frozen=True)
class _Step:
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
) -> PairExplanation:
    """Attribute the difference between two protocols to their quirks.

    Parameters
    ----------
    gold, pred, forward, backward, none, unknown, relation
        As in `eci`; both protocols must be able to read the sources.
    start, end : {"pairs", "maven-ere", "eventstoryline", "ilif-direction"}
        F1 is the score of types, or of directions if both protocols score directions.

    Raises
    ------
    InputError
        As `eci`.
    ValueError
        A protocol is unknown, or both are the same.

    Examples
    --------
    >>> gold = [{"doc_id": "d", "a": "rain", "b": "flood", "label": "CAUSE"},
    ...         {"doc_id": "d", "a": "flood", "b": "loss", "label": "CAUSE"}]
    >>> pred = [{"doc_id": "d", "a": "rain", "b": "flood", "label": "CAUSE"},
    ...         {"doc_id": "d", "a": "loss", "b": "flood", "label": "CAUSE"}]
    >>> for quirk in explain_pairs(gold, pred, "ilif-direction").facts["quirks"]:
    ...     print(quirk.field, quirk.n_documents, f"{quirk.change:+.3f}")
    free_turns 1 -0.167
    """
    first, last = pair_protocol(start), pair_protocol(end)
    if first == last:
        raise ValueError(f"both protocols are {start}, expected two")
    null = first.ordered or last.ordered
    labels = labels_of(forward, backward, none, unknown, relation, null)
    tables = open_table(gold, relation, GOLD), open_table(pred, relation, PRED)

    def measure(step: _Step) -> dict[str, tuple[int, ...]]:
        sources = read_sources(*tables, None, step.protocol, labels, relation)
        counted = count(*sources[:3], step.protocol, groups=[step.group])
        kept = counted.in_gold | (not step.protocol.gold_documents)
        rows = np.column_stack(counted.errors(step.group, OVERALL, step.protocol))[kept].tolist()
        ids = counted.documents.filter(pa.array(kept)).to_pylist()
        return dict(zip(ids, map(tuple, rows), strict=True))

    begin = current = _Step(first, _group(first, last))
    before = at_start = measure(begin)
    quirks = []
    for field, meaning, change in _changes(first, last):
        current = _changed(current, change)
        after, alone = measure(current), measure(_changed(begin, change))
        documents = [id for id in {**before, **after} if before.get(id) != after.get(id)]
        quirks.append(
            PairQuirk(
                field,
                meaning,
                len(documents),
                tuple(documents[:10]),
                _f1(after),
                _f1(after) - _f1(before),
                _f1(alone) - _f1(at_start),
            )
        )
        before = after
    title = f"from {start} to {end}: F1 of {current.group}, {len(before)} documents"
    return PairExplanation(
        title,
        f"fastcausal|{__version__}|eci-explain|{start}:to:{end}|relation:{relation}{labels.text}",
        {start: _scores(at_start), end: _scores(before)},
        facts={"quirks": tuple(quirks)},
        tables=Tables(quirks=lambda: pa.Table.from_pylist(plain(tuple(quirks)))),
    )


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


def _changed(step: _Step, change: dict[str, Any]) -> _Step:
    if "group" in change:
        return replace(step, **change)
    return replace(step, protocol=replace(step.protocol, **change))


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

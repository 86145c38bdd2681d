"""Counts of pairs by documents: gold and predicted pairs, and perhaps candidates, to Statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.arrays.distinct import Int32, number_texts
from fastcausal.errors import InputError, Remedy
from fastcausal.files.keys import hashes_of
from fastcausal.files.values import shown
from fastcausal.options import OutsidePairs
from fastcausal.significance.sums import Int64
from fastcausal.tasks.eci import _native
from fastcausal.tasks.eci.files import EventPairs
from fastcausal.tasks.eci.protocols import EXISTS, GROUPS, STRATA, PairProtocol

COUNTS = ("tp", "wrong", "missed", "invented")  # as in csrc/tasks/eci.hpp
EVERY = len(GROUPS) * len(STRATA) * len(COUNTS)
N_OUTSIDE = EVERY + 3 * len(STRATA)
DIGEST = N_OUTSIDE + 1
ALLOWED = Remedy("outside", ("charge", "ignore"), "would charge such pairs, or leave them out")


class Counted(NamedTuple):
    """Counts of every document of any source."""

    documents: pa.Array  # Ids, ascending: string[n]
    in_gold: npt.NDArray[np.bool_]  # bool[n]: True if gold names the document
    strata: tuple[str, ...]  # Only ``overall`` if no mention has a sentence
    columns: dict[int, Int64]  # int64[n, m]: Counts in the order of the native row; see `places`
    strangers: str  # A warning if no predicted event occurs in gold or among candidates, else ""

    def errors(self, group: str, stratum: str, protocol: PairProtocol) -> list[Int64]:
        """Return hits, false positives and misses of a group: int64[n] each."""
        of_misses = EXISTS if protocol.untyped_misses else group
        wrong = "invented" if protocol.free_turns else "wrong"
        names = ((group, "tp"), (group, wrong), (of_misses, "missed"))
        return [self.columns[places(g, stratum)[COUNTS.index(name)]] for g, name in names]

    def every(self, stratum: str) -> list[Int64]:
        """Return hits, candidates and gold pairs if every candidate is called causal."""
        at = EVERY + 3 * STRATA.index(stratum)
        return [self.columns[k] for k in range(at, at + 3)]


def places(group: str, stratum: str) -> range:
    """Return the places of the counts of a group in the native row."""
    start = (GROUPS.index(group) * len(STRATA) + STRATA.index(stratum)) * len(COUNTS)
    return range(start, start + len(COUNTS))


def count(
    gold: EventPairs,
    pred: EventPairs,
    candidates: EventPairs | None,  # Pairs, or events
    protocol: PairProtocol,
    outside: OutsidePairs = "charge",  # The policy for predictions that are not candidates
    groups: Sequence[str] = (),  # By default the protocol's groups
) -> Counted:
    """Count the pairs of every document."""
    sides = [gold, pred, *([] if candidates is None or candidates is gold else [candidates])]
    names, documents = _documents(sides)
    maps, mentions = number_texts([side.mentions for side in sides])
    sentences, values = _sentences(sides)
    known = [s for ends in sentences for s in ends if s is not None]
    strata = STRATA if any((s != -1).any() for s in known) else STRATA[:1]
    native = [
        (codes, *(_mapped(of, end) for end in (side.a, side.b)), side.label, *ends)
        for side, of, codes, ends in zip(sides, maps, documents, sentences, strict=True)
    ]
    third = None if candidates is None else native[0] if candidates is gold else native[2]
    counted = {*(groups or protocol.groups), *([EXISTS] if protocol.untyped_misses else [])}
    wanted = sorted(at for group in counted for s in strata for at in places(group, s))
    wanted += range(N_OUTSIDE if candidates is None else EVERY, DIGEST + 1)
    out = np.zeros((len(names), len(wanted)), np.int64)
    rules = (protocol.ordered, protocol.repeats, protocol.ordered, outside == "ignore")
    columns = np.array(wanted, np.int64)
    conflict, first = _native.count(
        native[0], native[1], third, hashes_of(mentions), rules, columns, out
    )
    if conflict[0] >= 0:
        _refuse_sentence(conflict, [candidates, gold, pred], values)
    if first >= 0 and outside == "error":
        _refuse_outside(pred, int(first))
    in_gold = np.zeros(len(names), bool)
    in_gold[documents[0]] = True
    in_gold[arrow.values_of(pc.index_in(gold.named, names))] = True
    strangers = _strangers(maps, mentions)
    return Counted(names, in_gold, strata, dict(zip(wanted, out.T, strict=True)), strangers)


def _strangers(maps: Sequence[Int32], mentions: pa.Array) -> str:
    """Warn of predicted events if none of them occurs on another side."""
    gold, pred, *candidates = maps
    known = np.zeros(len(mentions), bool)
    for numbers in (gold, *candidates):
        known[numbers] = True
    if not len(pred) or not len(gold) or known[pred].any():
        return ""
    first = (min(mentions.take(arrow.numbers(side)).to_pylist()) for side in (pred, gold))
    one, other = map(shown, first)
    return f"no predicted event occurs in gold: {one} is predicted, gold has {other}"


def _documents(sides: Sequence[EventPairs]) -> tuple[pa.Array, list[Int32]]:
    """Number the documents of all sides anew, ascending; a dictionary may have more."""
    columns = [*(side.documents for side in sides), sides[0].named]
    maps, names = number_texts(columns)
    codes = [_mapped(of, side.doc) for of, side in zip(maps, sides, strict=False)]
    used = np.zeros(len(names), bool)
    for some in (*codes, maps[-1]):
        used[some] = True
    order = arrow.values_of(pc.array_sort_indices(names)).astype(np.int64)
    order = order[used[order]]
    if len(order) < len(names) or (order[1:] < order[:-1]).any():
        rank = np.empty(len(names), np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        codes = [rank[some] for some in codes]
    return names.take(arrow.numbers(order)), codes


def _mapped(of: Int32, numbers: Any) -> Any:
    """Return numbers in the common numbering of all sides; numbers of the first side stay."""
    if numbers is None or (of == np.arange(len(of), dtype=np.int32)).all():
        return numbers
    return of[numbers]


def _sentences(sides: Sequence[EventPairs]) -> tuple[list[list[Int32 | None]], Any]:
    """Number the sentences of all sides, -1 if unknown; return the numbers and their texts.

    The texts are None if the sentences are numbers already.
    """
    columns = [column for side in sides for column in side.sentences]
    known = [column for column in columns if column is not None]
    values = None
    if all(pa.types.is_integer(column.type) and _is_small(column) for column in known):
        codes = [arrow.values_of(column.cast(pa.int32()), -1) for column in known]
    else:
        texts = [column.cast(pa.string()) for column in known]
        codes, values = number_texts(texts)
        for code, text in zip(codes, texts, strict=True):
            code[~arrow.is_valid(text)] = -1
    given = iter(codes)
    ends = [None if column is None else next(given) for column in columns]
    return [ends[k : k + 2] for k in range(0, len(ends), 2)], values


def _is_small(column: pa.Array) -> bool:
    ends = pc.min_max(column).as_py()
    return ends["min"] is None or (ends["min"] >= 0 and ends["max"] < 2**31)


def _refuse_sentence(
    conflict: tuple[int, ...], sides: Sequence[EventPairs | None], values: Any
) -> None:
    source, row, end, earlier = conflict
    side = sides[source]
    assert side is not None
    document, *mentions = side.ids(row)
    sentence = side.sentences[end]
    assert sentence is not None
    known = earlier if values is None else values[earlier].as_py()
    raise InputError(
        f'{side.locate(row)}: mention "{mentions[end]}" of document "{document}" '
        f"is in sentence {sentence[row].as_py()}, expected {known} as in an earlier row"
    )


def _refuse_outside(pred: EventPairs, row: int) -> None:
    document, a, b = pred.ids(row)
    message = f'the pair "{a}", "{b}" of document "{document}" is no candidate'
    raise InputError(f"{pred.locate(row)}: {message}", ALLOWED)

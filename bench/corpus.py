"""Seeded corpora of any size: real gold relations drawn with replacement, and predictions with
errors for them.

::

    source ── draw ──▶ gold ── perturbed ──▶ pred      all of them `Rows`
                        └──────── table_of ────▶ Relations, a canonical Arrow table
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import fastcausal as fc
from fastcausal import sample
from fastcausal.relations import SPAN
from fastcausal.rows import Int32, Int64, Rows

CNC = Path(__file__).parents[2] / "shared" / "data" / "cnc"
TRAIN = CNC / "train_subtask2_grouped.csv"
SIGNAL = 2


@dataclass(frozen=True)
class Noise:
    """Probabilities of errors in a prediction.

    Attributes
    ----------
    shift : start or stop of a span moves by up to three tokens
    swap : cause and effect of a relation change places
    drop_signal, drop : the signals of a relation, or the whole relation, are missing
    add : a sentence has a relation too many
    permute : the relations of a sentence come in random order
    split : a span of three tokens or more lacks a token inside, so its role has two spans
    """

    shift: float = 0.3
    swap: float = 0.05
    drop_signal: float = 0.2
    drop: float = 0.1
    add: float = 0.1
    permute: float = 0.3
    split: float = 0.0


GOOD = Noise()
# Spans at random around gold. In 7% of its sentences a role has several spans; of GOOD's, in 1%.
BAD = Noise(shift=0.95, swap=0.3, drop_signal=0.5, drop=0.3, add=0.6, permute=1.0, split=0.073)
NOISES = {"good": GOOD, "bad": BAD}


def sentences(n: int, seed: int = 0, noise: Noise = GOOD) -> tuple[Rows, Rows]:
    """Draw gold and predicted relations of n sentences.

    Examples
    --------
    >>> gold, pred = sentences(1000)
    >>> gold.n_examples, pred.n_examples, gold.n_relations == sentences(1000)[0].n_relations
    (1000, 1000, True)
    """
    rng = np.random.default_rng(seed)
    gold = drawn(source(), rng.integers(source().n_examples, size=n))
    return gold, perturbed(gold, rng, noise)


def single_relations(n: int, seed: int = 0) -> tuple[Rows, Rows]:
    """Draw sentences with one relation on both sides, whose spans fit into one sequence of tags.

    Examples
    --------
    >>> gold, pred = single_relations(100)
    >>> gold.n_examples, gold.n_relations, pred.n_relations
    (100, 100, 100)
    """
    for enough in (8, 64, 512):
        sides = sentences(enough * n, seed)
        fitting = np.ones(enough * n, bool)
        for side in sides:
            fitting &= np.diff(side.relation_offsets) == 1
            fitting &= ~_overlaps(side, np.ones(len(side.values), bool))
        if fitting.sum() >= n:
            break
    chosen = np.flatnonzero(fitting)[:n]
    gold, pred = (drawn(side, chosen) for side in sides)
    return gold, pred


def documents(n_documents: int, n_relations: int, length: int, seed: int = 0) -> tuple[Rows, Rows]:
    """Draw documents with as many gold as predicted relations, at random places.

    The shorter a document, the more relations share tokens.

    Examples
    --------
    >>> gold, pred = documents(2, 50, length=400)
    >>> gold.n_examples, gold.n_relations, pred.n_relations
    (2, 100, 100)
    """
    rng = np.random.default_rng(seed)
    real = source()
    fitting = np.flatnonzero(real.lengths[real.example_of_relation()] <= length)
    chosen = rng.choice(fitting, n_documents * n_relations)
    row, row_offsets = _lists(real.row_offsets, chosen)
    room = length - real.lengths[real.example_of_relation()[chosen]]
    values = real.values[row]
    values[:, 1:] += np.repeat(rng.integers(0, room + 1), np.diff(row_offsets))[:, None]
    relation_offsets = n_relations * np.arange(n_documents + 1)
    gold = Rows(values, row_offsets, relation_offsets, np.full(n_documents, length, values.dtype))
    return gold, perturbed(gold, rng, Noise(drop=0, add=0, permute=1))


def wide(n_sentences: int, n_spans: int, seed: int = 0) -> tuple[Rows, Rows]:
    """Draw sentences with one gold relation of ``n_spans`` spans, of all roles in turn.

    Examples
    --------
    >>> gold, pred = wide(10, 30)
    >>> gold.n_relations, len(gold.values)
    (10, 300)
    """
    rng = np.random.default_rng(seed)
    k = np.arange(n_sentences * n_spans)
    start = 6 * (k % n_spans) + rng.integers(0, 3, len(k))
    values = np.stack([k % n_spans % 3, start, start + rng.integers(1, 4, len(k))], axis=1)
    each = np.arange(n_sentences + 1)
    lengths = np.full(n_sentences, 6 * n_spans, np.int32)
    gold = Rows(values.astype(np.int32), n_spans * each, each, lengths)
    return gold, perturbed(gold, rng, Noise())


def source_name() -> str:
    """Return the name of the sentences to draw from: CNC, or the embedded sample in its place."""
    return "CNC" if TRAIN.exists() else "embedded sample"


@cache
def source() -> Rows:
    """Return real sentences to draw from: the task's training set if present, else the sample.

    Sentences in which spans of one track overlap are left out, since no sequence of tags can hold
    them.
    """
    rows = Rows.of(fc.read(TRAIN if TRAIN.exists() else sample.GOLD))
    signal = rows.values[:, 0] == SIGNAL
    return drawn(rows, np.flatnonzero(~(_overlaps(rows, signal) | _overlaps(rows, ~signal))))


def case_files() -> dict[str, tuple[Path, Path]]:
    """Return gold and a submission by name: the task's development set with errors put in, or, if
    it is missing, the systems of the sample."""
    listed = CNC / "cases" / "manifest.json"
    if not listed.exists():
        return {name: (sample.GOLD, path) for name, path in sample.SYSTEMS.items()}
    folder = listed.parent
    return {
        case["name"]: (folder / case["truth"], folder / f"{case['name']}.submission.jsonl")
        for case in json.loads(listed.read_text())
    }


def cases() -> dict[str, tuple[fc.Relations, fc.Relations]]:
    """Read `case_files` as the official program does."""
    found = {}
    for name, (gold_file, pred_file) in case_files().items():
        gold = fc.read(gold_file, tags="cnc-2023")
        found[name] = gold, fc.read(pred_file, like=gold, tags="cnc-2023")
    return found


def n_bytes(*sides: Rows) -> int:
    """Return the number of bytes that scoring these sides reads."""
    return sum(array.nbytes for side in sides for array in (*side.arrays(), side.lengths))


def drawn(rows: Rows, examples: Int64) -> Rows:
    """Return the examples with these numbers, in this order; numbers may repeat."""
    relation, relation_offsets = _lists(rows.relation_offsets, examples)
    row, row_offsets = _lists(rows.row_offsets, relation)
    return Rows(rows.values[row], row_offsets, relation_offsets, rows.lengths[examples])


def perturbed(gold: Rows, rng: np.random.Generator, noise: Noise) -> Rows:
    """Make predictions with errors; spans of a track still never overlap within a relation."""
    return _with_other_relations(_with_other_spans(gold, rng, noise), rng, noise)


def table_of(rows: Rows, ids: bool = True) -> fc.Relations:
    """Return rows as a canonical table, with ids "0", "1", ... or without ids."""
    types = [field.type for field in SPAN]
    columns = [pa.array(rows.values[:, k], t) for k, t in enumerate(types)]
    spans = pa.StructArray.from_arrays(columns, fields=list(SPAN))
    inner = pa.ListArray.from_arrays(pa.array(rows.row_offsets, pa.int32()), spans)
    outer = pa.ListArray.from_arrays(pa.array(rows.relation_offsets, pa.int32()), inner)
    names = {"id": pc.cast(pa.array(np.arange(rows.n_examples)), pa.string())} if ids else {}
    return fc.Relations(pa.table({**names, "length": rows.lengths, "relations": outer}))


def _overlaps(rows: Rows, chosen: np.ndarray) -> np.ndarray:
    """Return a mask of examples with overlapping chosen spans in a relation: bool[n_examples]."""
    relation = np.repeat(np.arange(rows.n_relations), np.diff(rows.row_offsets))[chosen]
    start, stop = rows.values[chosen, 1:].T
    meets = (relation[1:] == relation[:-1]) & (start[1:] < stop[:-1])
    found = np.zeros(rows.n_examples, bool)
    found[rows.example_of_relation()[relation[1:][meets]]] = True
    return found


def _lists(offsets: Int64, index: Int64) -> tuple[Int64, Int64]:
    """Return the indices of the items in these lists, list by list, and their new offsets."""
    widths = np.diff(offsets)[index]
    new = _offsets(widths)
    return np.repeat(offsets[index] - new[:-1], widths) + np.arange(new[-1]), new


def _offsets(widths: Int64) -> Int64:
    return np.concatenate([[0], np.cumsum(widths)])


def _with_other_spans(rows: Rows, rng: np.random.Generator, noise: Noise) -> Rows:
    n = rows.n_relations
    relation = np.repeat(np.arange(n), np.diff(rows.row_offsets))
    values = rows.values.copy()
    role = values[:, 0]
    argument = role != SIGNAL
    swapped = argument & (rng.random(n) < noise.swap)[relation]
    role[swapped] = 1 - role[swapped]
    # In a relation either only starts or only stops move, so that spans do not come to overlap.
    starts_move = rng.random(n) < 0.5
    length = rows.lengths[rows.example_of_relation()]
    for of_track in (argument, ~argument):
        k = np.flatnonzero(of_track)
        by = rng.integers(-3, 4, len(k)) * (rng.random(len(k)) < noise.shift)
        values[k, 1:] = _shifted(values[k, 1:], relation[k], length, starts_move, by)
    kept = argument | (rng.random(n) >= noise.drop_signal)[relation]
    values, relation = values[kept], relation[kept]
    if noise.split:
        values, relation = _split(values, relation, rng, noise.split)
    order = np.lexsort((values[:, 0], values[:, 2], values[:, 1], relation))
    row_offsets = _offsets(np.bincount(relation, minlength=n))
    return Rows(values[order], row_offsets, rows.relation_offsets, rows.lengths)


def _split(
    values: Int32, relation: Int64, rng: np.random.Generator, share: float
) -> tuple[Int32, Int64]:
    """Cut a token out of a share of the spans; append the second piece of each at the end."""
    start, stop = values[:, 1:].T
    k = np.flatnonzero((stop - start >= 3) & (rng.random(len(values)) < share))
    cut = rng.integers(start[k] + 1, stop[k] - 1)
    pieces = values[k]
    pieces[:, 1] = cut + 1
    values[k, 2] = cut
    return np.concatenate([values, pieces]), np.concatenate([relation, relation[k]])


def _shifted(
    bounds: Int32, relation: Int64, length: Int32, starts_move: np.ndarray, by: Int64
) -> Int32:
    """Move one bound of each span, but not past its other bound, nor into the next span."""
    start, stop = bounds.T
    first = np.ones(len(relation), bool)
    first[1:] = relation[1:] != relation[:-1]
    last = np.roll(first, -1)
    floor = np.where(first, 0, np.roll(stop, 1))
    ceiling = np.where(last, length[relation], np.roll(start, -1))
    which = starts_move[relation]
    new_start = np.where(which, np.clip(start + by, floor, stop - 1), start)
    new_stop = np.where(which, stop, np.clip(stop + by, start + 1, ceiling))
    return np.stack([new_start, new_stop], axis=1)


def _with_other_relations(rows: Rows, rng: np.random.Generator, noise: Noise) -> Rows:
    """Drop, add and permute relations."""
    kept = np.flatnonzero(rng.random(rows.n_relations) >= noise.drop)
    surplus = np.flatnonzero((rng.random(rows.n_examples) < noise.add) & (rows.lengths >= 2))
    added = _invented(rows.lengths[surplus], rng)
    values = np.concatenate([rows.values, added.reshape(-1, 3)])
    row_offsets = _offsets(np.concatenate([np.diff(rows.row_offsets), np.full(len(added), 2)]))
    candidates = np.concatenate([kept, rows.n_relations + np.arange(len(added))])
    example = np.concatenate([rows.example_of_relation()[kept], surplus])
    permuted = (rng.random(rows.n_examples) < noise.permute)[example]
    rank = np.where(permuted, rng.random(len(example)), np.arange(len(example)))
    row, row_offsets = _lists(row_offsets, candidates[np.lexsort((rank, example))])
    relation_offsets = _offsets(np.bincount(example, minlength=rows.n_examples))
    return Rows(values[row], row_offsets, relation_offsets, rows.lengths)


def _invented(length: Int32, rng: np.random.Generator) -> Int32:
    """Make a relation for each sentence, int32[n, 2, 3]: a cause in its first half, an effect."""
    half = length // 2
    values = np.zeros((len(length), 2, 3), np.int32)
    for role, (low, high) in enumerate(((np.zeros_like(half), half), (half, length))):
        values[:, role, 0] = role
        values[:, role, 1] = rng.integers(low, high)
        values[:, role, 2] = rng.integers(values[:, role, 1] + 1, high + 1)
    return values

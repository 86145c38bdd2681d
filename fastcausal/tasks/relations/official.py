"""Rules of the official programs for a truth file and predictions, besides counting.

Their files have only tagged sentences, so spans from elsewhere are read as if written with tags.
Too few predictions are filled up with the text; and the columns of the truth file decide which
relations are paired with each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from fastcausal.arrays import _spans, arrow
from fastcausal.arrays import compute as pc
from fastcausal.errors import InputError, Warnings
from fastcausal.files.words import MISSING
from fastcausal.formats.cnc.markup import OFFICIAL
from fastcausal.relations import ROLES
from fastcausal.rows import Rows

if TYPE_CHECKING:
    from fastcausal.engine.kernel import Int64
    from fastcausal.formats.reading.builder import RoleSpan


KEY = ("corpus", "doc_id", "sent_id")
SHOWN = 10  # rows named in a warning


def tags_exist(roles: Sequence[str]) -> bool:
    """Return True if tags can name these roles: only cause, effect and signal."""
    return tuple(roles) == ROLES[: len(roles)]


def apply_tagging(
    # With the roles of `tags_exist`, and lengths for examples with relations. Not changed.
    rows: Rows,
    tags: str,  # `fastcausal.formats.cnc.markup.as_tagged` describes its effect on a relation
    n_roles: int = 0,  # Number of roles, to check the rows as well; 0 for valid rows
) -> tuple[Rows, int]:
    """Read spans as if they had been written with tags."""
    # Also returns the number of relations that tags cannot hold, as two causes or effects overlap.
    # They stay unchanged.
    read = _spans.read_as_tagged(*rows.arrays(), rows.lengths, n_roles, tags == "cnc-2022")
    if read is None:
        raise InputError("rows break a rule")
    values, row_offsets, n_as_given = read
    tagged = Rows(values, row_offsets, rows.relation_offsets, rows.lengths, tags)
    return tagged, n_as_given


def are_untagged(gold: Rows, pred: Rows, roles: Sequence[str], tags: str) -> bool:
    """Return True if both sides have equal lengths and must be read as if written with tags."""
    untagged = gold.tags is None and pred.tags is None
    return untagged and tags in OFFICIAL and tags_exist(roles) and gold.has_lengths_of(pred)


def both_as_tagged(
    gold: Rows, pred: Rows, roles: Sequence[str], tags: str
) -> tuple[Rows, Rows, int] | None:
    """Apply `apply_tagging` to a user's arrays, and check them.

    None if that is impossible or fails; a check of both sides then reports the reason.
    """
    if not are_untagged(gold, pred, roles, tags):
        return None
    try:
        gold, n_gold = apply_tagging(gold, tags, len(roles))
        pred, n_pred = apply_tagging(pred, tags, len(roles))
    except InputError:
        return None
    return gold, pred, n_gold + n_pred


def padded(gold: Rows, pred: Rows, examples: pa.Table, tags: str) -> tuple[Rows, Warnings]:
    """Fill predictions up to the number of gold relations with texts that hold tags.

    The official programs fill up with the column ``text`` and read it like any prediction. A text
    without tags is a relation without spans, which counting does not need.
    """
    if "text" not in examples.column_names or examples["text"].type != pa.string():
        return pred, {}
    texts = examples["text"]
    n_missing = np.diff(gold.relation_offsets) - np.diff(pred.relation_offsets)
    short = np.flatnonzero(n_missing > 0)
    tagged = _holds_mark(arrow.joined(texts))[short]
    from fastcausal.formats.cnc.markup import parse

    n_read = 0
    for e in short[tagged][::-1].tolist():
        n_tokens, spans = parse(texts[e].as_py(), tags)
        if spans and n_tokens == gold.lengths[e]:
            pred = _appended(pred, e, spans, int(n_missing[e]))  # earlier places stay valid
            n_read += 1
    filled = " examples with too few predictions are filled up with a text that holds tags itself"
    return pred, {("", filled): (n_read,)} if n_read else {}


def _holds_mark(texts: pa.Array) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return a mask of texts that may contain a tag: bool[n]."""
    data, places = arrow.texts_of(texts)
    text = np.frombuffer(data, np.uint8)[places[0] : places[-1]]
    marks = np.flatnonzero(text == ord("<")) + places[0]
    marked: np.ndarray[tuple[int], np.dtype[np.bool_]] = np.diff(np.searchsorted(marks, places)) > 0
    return marked & arrow.is_valid(texts)


def _appended(rows: Rows, example: int, spans: list[RoleSpan], times: int) -> Rows:
    """Append the same relation to an example, ``times`` times."""
    relation = int(rows.relation_offsets[example + 1])
    row, n_new = int(rows.row_offsets[relation]), len(spans) * times
    spans = sorted(spans, key=lambda span: (*span[1:], span[0]))
    new = row + len(spans) * np.arange(times)
    relation_offsets = rows.relation_offsets.copy()
    relation_offsets[example + 1 :] += times
    return replace(
        rows,
        values=np.insert(rows.values, row, np.array(spans * times, np.int32), axis=0),
        row_offsets=np.concatenate(
            [rows.row_offsets[:relation], new, rows.row_offsets[relation:] + n_new]
        ),
        relation_offsets=relation_offsets,
    )


def key_warnings(examples: pa.Table, gold: Rows) -> Warnings:
    """Warn of keys in a truth file that the official programs treat differently.

    The key is (corpus, doc_id, sent_id). They pair relations of all rows with the same key with
    predictions of any of these rows. A row with an incomplete key gets no pairing.
    """
    if not set(KEY) <= set(examples.column_names):
        return {}
    n_gold = np.diff(gold.relation_offsets)
    rows = np.flatnonzero(n_gold > 0)  # the programs drop the others first
    columns = [arrow.joined(pc.cast(examples[name], pa.string())) for name in KEY]
    columns = [pc.take(column, arrow.numbers(rows)) for column in columns]
    none = arrow.strings(MISSING)  # pa.array would import pandas
    missing = np.zeros(len(rows), bool)
    key = np.zeros(len(rows), np.int64)
    for column in columns:
        missing |= ~arrow.is_valid(column) | arrow.is_valid(pc.index_in(column, none))
        encoded = pc.dictionary_encode(column)
        key = key * len(encoded.dictionary) + arrow.values_of(encoded.indices)
        _, key = np.unique(key, return_inverse=True)
    pooled = ~missing & (np.bincount(key[~missing], minlength=len(rows))[key] > 1)
    unpaired = rows[missing & (n_gold[rows] > 1)]
    warnings: Warnings = {}
    if pooled.any():
        shared = (
            "share corpus, doc_id and sent_id with another row: "
            "the official program pools their relations, here each row is by itself"
        )
        warnings[(f"{_rows(rows[pooled])} {shared}",)] = ()
    if len(unpaired):
        lost = (
            "have a corpus, doc_id or sent_id that pandas takes for missing: "
            "the official program searches no pairing for them"
        )
        warnings[(f"{_rows(unpaired)} {lost}",)] = ()
    return warnings


def names_rows(warning: str) -> bool:
    """Return True if a warning names rows of its file.

    >>> names_rows("rows 1, 2 share a key"), names_rows("gold: empty lines: ")
    (True, False)
    """
    # Parts have other rows.
    return warning.startswith("rows ")


def _rows(places: Int64) -> str:
    """Name rows by number; the first below the header is 1."""
    named = ", ".join(str(place + 1) for place in places[:SHOWN])
    return f"rows {named}" + (f" and {len(places) - SHOWN} more" if len(places) > SHOWN else "")

"""Customs of the official programs with a truth file and its predictions, besides counting.

Their files hold tagged sentences alone, so spans from elsewhere are read as if they had been
written with tags; predictions that are too few are filled up with the text; and the columns of the
truth file decide which relations are paired with each other.
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
SHOWN = 10  # rows that a warning names


def tags_exist(roles: Sequence[str]) -> bool:
    """Tell whether tags can name these roles: cause, effect and signal, as far as there are any."""
    return tuple(roles) == ROLES[: len(roles)]


def as_tagged(rows: Rows, tags: str, n_roles: int = 0) -> tuple[Rows, int]:
    """Read spans as if they had been written with tags.

    Parameters
    ----------
    rows : Rows
        With the roles of `tags_exist`, and lengths where there are relations. It stays as it is.
    tags : {"cnc-2023", "cnc-2022"}
        The reading; `fastcausal.formats.cnc.markup.as_tagged` says what it does to a relation.
    n_roles : int
        Roles of rows to be checked on the way; 0 for rows that are right already.

    Returns
    -------
    rows : Rows
    n_as_given : int
        Relations that tags cannot hold, as two of their causes or effects overlap. They stay.

    Raises
    ------
    InputError
        Rows that are checked break a rule; `Rows.check` says which.

    Examples
    --------
    >>> one = np.array([[0, 1, 2], [2, 3, 4]], np.int32)
    >>> rows = Rows(one, np.array([0, 2]), np.array([0, 1]), np.array([6], np.int32))
    >>> as_tagged(rows, "cnc-2023")[0].values
    array([[0, 1, 6],
           [2, 3, 4]], dtype=int32)
    """
    read = _spans.read_as_tagged(*rows.arrays(), rows.lengths, n_roles, tags == "cnc-2022")
    if read is None:
        raise InputError("rows break a rule")
    values, row_offsets, n_as_given = read
    tagged = Rows(values, row_offsets, rows.relation_offsets, rows.lengths, tags)
    return tagged, n_as_given


def are_untagged(gold: Rows, pred: Rows, roles: Sequence[str], tags: str) -> bool:
    """Tell whether both sides, of the same lengths, are to be read as if written with tags."""
    untagged = gold.tags is None and pred.tags is None
    return untagged and tags in OFFICIAL and tags_exist(roles) and gold.has_lengths_of(pred)


def both_as_tagged(
    gold: Rows, pred: Rows, roles: Sequence[str], tags: str
) -> tuple[Rows, Rows, int] | None:
    """Read arrays that a user made by `as_tagged`, and check them on the way.

    None where that cannot be or fails: a check of both says why.
    """
    if not are_untagged(gold, pred, roles, tags):
        return None
    try:
        gold, n_gold = as_tagged(gold, tags, len(roles))
        pred, n_pred = as_tagged(pred, tags, len(roles))
    except InputError:
        return None
    return gold, pred, n_gold + n_pred


def padded(gold: Rows, pred: Rows, examples: pa.Table, tags: str) -> tuple[Rows, Warnings]:
    """Fill predictions up to the number of gold relations with texts that hold tags.

    The official programs fill up with the column ``text``, and read it as they read any prediction.
    A text without tags is a relation without spans, which counting does not need.

    Returns
    -------
    pred : Rows
    warnings : dict
        That there are such texts.
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
            pred = _appended(pred, e, spans, int(n_missing[e]))  # places before it stay
            n_read += 1
    filled = " examples with too few predictions are filled up with a text that holds tags itself"
    return pred, {("", filled): (n_read,)} if n_read else {}


def _holds_mark(texts: pa.Array) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Tell which texts may hold a tag: bool[n]."""
    data, places = arrow.texts_of(texts)
    text = np.frombuffer(data, np.uint8)[places[0] : places[-1]]
    marks = np.flatnonzero(text == ord("<")) + places[0]
    marked: np.ndarray[tuple[int], np.dtype[np.bool_]] = np.diff(np.searchsorted(marks, places)) > 0
    return marked & arrow.is_valid(texts)


def _appended(rows: Rows, example: int, spans: list[RoleSpan], times: int) -> Rows:
    """Return the same relation at the end of an example, so many times."""
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
    """Warn of keys of a truth file with which the official programs do otherwise.

    Relations of all rows with one (corpus, doc_id, sent_id) are paired with predictions of any of
    these rows; for a row of which one of the three is missing no pairing is searched.
    """
    if not set(KEY) <= set(examples.column_names):
        return {}
    n_gold = np.diff(gold.relation_offsets)
    rows = np.flatnonzero(n_gold > 0)  # the others are dropped first
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
    """Tell if a warning names rows of its file, which rows of parts are not.

    Examples
    --------
    >>> names_rows("rows 1, 2 share a key"), names_rows("gold: empty lines: ")
    (True, False)
    """
    return warning.startswith("rows ")


def _rows(places: Int64) -> str:
    """Name rows by number, the first below the header being 1."""
    named = ", ".join(str(place + 1) for place in places[:SHOWN])
    return f"rows {named}" + (f" and {len(places) - SHOWN} more" if len(places) > SHOWN else "")

"""Texts of joined rows: an example has the same text in both sources.

::

    Match, texts of gold, texts of pred ── same_texts ──▶ Match without rows of two texts
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.errors import InputError, Remedy, Warnings, counted
from fastcausal.files.columns import is_text
from fastcausal.files.keys import ALLOWED, Int64, Keys, Match, Where, encode, hashes_of
from fastcausal.files.records import Records
from fastcausal.files.values import shown
from fastcausal.options import Policy

AGAIN = "  "  # between a text that occurs again and the number of its occurrence
LEAD = 30  # characters before the first difference of two texts in a message


class RowTexts(NamedTuple):
    """Texts of the rows of a source."""

    column: Keys | None  # None, or a column of another type: the source has no texts
    where: Where  # Returns the place of a row


def texts_in(records: Records, *names: str) -> RowTexts:
    """Return the first of these columns of a flat table as texts of its rows."""
    name = records.find(*names)
    return RowTexts(None if name is None else records.column(name), records.locate)


def keys_of_texts(column: Keys | None) -> pa.Array | None:
    """Return a key for each text, null for null; None for a column of another type.

    >>> keys_of_texts(pa.array(["a  b", " a b ", "c"])).to_pylist()
    ['a b', 'a b  (2)', 'c']
    """
    # White space is one blank, or nothing at both ends. A text that occurs again has the number of
    # its occurrence after two blanks, which no text has.
    column = _decode_texts(column)
    if column is None:
        return None
    words = pc.utf8_split_whitespace(arrow.joined(column).cast(pa.string()))
    texts = arrow.joined(pc.utf8_trim_whitespace(pc.binary_join(words, " ")))
    codes, distinct = encode(texts)
    if len(distinct) == len(texts):
        return texts
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], codes)
    times = np.empty_like(order)
    times[order] = np.arange(len(order))
    times -= starts
    ends = arrow.strings([f"{AGAIN}({n + 1})" if n else "" for n in times.tolist()])
    return pc.binary_join_element_wise(texts, ends, "")


def same_texts(
    both: Match,
    gold: RowTexts,
    pred: RowTexts,
    unmatched: Policy,  # A row with two texts is an error, loses its row of pred, or is left out
    remedy: Remedy = ALLOWED,
) -> Match:
    """Compare the texts of joined rows; a row with another text is no prediction of its example.

    >>> rows = np.arange(2)
    >>> both = Match(pa.array(["a", "b"]), rows, rows, {})
    >>> texts = [pa.array(["Rain fell", "x"]), pa.array(["Rain  fell ", "y"])]
    >>> gold, pred = (RowTexts(column, "row {}".format) for column in texts)
    >>> same_texts(both, gold, pred, "empty").pred
    array([ 0, -1])
    """
    # White space does not count, and a blank text is none.
    rows = find_differing(both, gold.column, pred.column)
    if not len(rows):
        return both
    if unmatched == "error":
        a, b = int(both.gold[rows[0]]), int(both.pred[rows[0]])
        [got], [expected] = _plain(pred.column, [b]), _plain(gold.column, [a])
        got, expected = _differing(got, expected)
        place = f"{pred.where(b)}: another text than in {gold.where(a)}"
        more = f", and so have {counted(len(rows) - 1, 'more example')}" if len(rows) > 1 else ""
        raise InputError(f"{place}: {got}, expected {expected}{more}", remedy)
    warnings: Warnings = {(f"unmatched={unmatched}: ", " examples have another text"): (len(rows),)}
    warnings = both.warnings | warnings
    if unmatched == "empty":
        kept = both.pred.copy()
        kept[rows] = -1
        return both._replace(pred=kept, warnings=warnings)
    stay = np.ones(len(both.gold), bool)
    stay[rows] = False
    keys = both.keys.filter(arrow.numbers(stay))
    return Match(keys, both.gold[stay], both.pred[stay], warnings)


def find_differing(both: Match, gold: Keys | None, pred: Keys | None) -> Int64:
    """Return the joined rows whose texts differ by more than white space: int64[n].

    >>> rows = np.arange(3)
    >>> texts = pa.array(["a b", "a", "b"]), pa.array(["a  b", None, "c"])
    >>> find_differing(Match(texts[0], rows, rows, {}), *texts)
    array([2])
    """
    ours, theirs = _decode_texts(gold), _decode_texts(pred)
    none = np.zeros(0, np.int64)
    if ours is None or theirs is None:
        return none
    if both.gold is both.pred and ours.type == theirs.type and ours.equals(theirs):
        return none
    rows = np.flatnonzero((both.gold >= 0) & (both.pred >= 0))
    a, b = both.gold[rows], both.pred[rows]
    if ours.type == theirs.type == pa.string():
        differ = hashes_of(ours)[a] != hashes_of(theirs)[b]
    else:
        unequal = pc.not_equal(ours.take(arrow.numbers(a)), theirs.take(arrow.numbers(b)))
        differ = arrow.values_of(arrow.joined(pc.fill_null(unequal, False)).cast(pa.uint8())) > 0
    rows, a, b = rows[differ], a[differ], b[differ]
    if not len(rows):
        return none
    pairs = zip(_plain(ours, a), _plain(theirs, b), strict=True)
    letters = [("".join(x.split()), "".join(y.split())) for x, y in pairs]
    differing: Int64 = rows[[bool(x and y) and x != y for x, y in letters]]
    return differing


def _plain(column: Any, rows: Any) -> list[str]:
    """Return texts in rows as Python strings; null is blank, half a surrogate pair is replaced."""
    texts = column.take(pa.array(rows, pa.int64()))
    if pa.types.is_dictionary(texts.type):
        texts = texts.cast(texts.type.value_type)
    values = texts.cast(pa.large_binary()).to_pylist()
    return [(value or b"").decode(errors="replace") for value in values]


def _decode_texts(column: Keys | None) -> Keys | None:
    """Return a column of plain text, dictionaries decoded; None for another type."""
    if column is None:
        return None
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column if is_text(column.type) else None


def _differing(got: str, expected: str) -> tuple[str, str]:
    """Format two texts for a message, from a little before their first difference.

    >>> _differing("Snow fell", "Rain fell")
    ('"Snow fell"', '"Rain fell"')
    >>> _differing("word " * 20 + "a", "word " * 20 + "b")[0]
    '"... word word word word word a"'
    """
    got, expected = " ".join(got.split()), " ".join(expected.split())
    differ = (k for k, (a, b) in enumerate(zip(got, expected, strict=False)) if a != b)
    start = next(differ, min(len(got), len(expected))) - LEAD
    if start <= 0:
        return shown(got), shown(expected)
    start = got.find(" ", start) if " " in got[start : start + LEAD] else start
    return shown(f"...{got[start:]}"), shown(f"...{expected[start:]}")

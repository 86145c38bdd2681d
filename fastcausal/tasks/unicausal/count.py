"""Entities in predicted tags of words against gold's marks, counted like UniCausal's program."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.arrays.digests import digest_of_texts
from fastcausal.arrays.strata import By
from fastcausal.counts.files import system_of
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import InputError, Problems, Remedy, Warnings, add_warnings
from fastcausal.files.keys import EXAMPLES, match
from fastcausal.files.records import Records
from fastcausal.files.targets import keep_apart
from fastcausal.files.texts import RowTexts, same_texts
from fastcausal.files.values import shown
from fastcausal.formats.cnc.truth import lists_in, strings_in
from fastcausal.formats.reading.builder import UnreadError
from fastcausal.options import Policy, UnicausalTags, check, check_policies
from fastcausal.report.report import Report
from fastcausal.significance.sums import Int64
from fastcausal.tasks.unicausal.examples import BY, SPAN, CorpusExamples, examples_of
from fastcausal.tasks.unicausal.files import TAGS, keys_of, tables, texts_of_rows
from fastcausal.tasks.unicausal.formula import ROLES, EntityFormula
from fastcausal.tasks.unicausal.report import present
from fastcausal.tasks.unicausal.tags import TagCodes, coded, entities, marked

Booleans = npt.NDArray[np.bool_]


def spans(
    gold: Any,
    pred: Any,
    *,
    tags: UnicausalTags | None = None,
    unparsed: Policy = "error",
    unmatched: Policy = "error",
    by: By = BY,
    per_example: str | os.PathLike[str] | None = None,
) -> Report:
    """Score predicted tags of the causal pairs in UniCausal's files; each relation is an example.

    Parameters
    ----------
    gold : path, folder, or list of these or of mappings
        Grouped and ungrouped files, see `fastcausal.tasks.unicausal.examples.examples_of`.
    pred : path, folder, or list of these or of mappings
        Tables with ``index`` (or ``id``) and a list of tags in ``prediction`` (or ``pred``,
        ``tags``), one for each word between single blanks.
    tags : {"strict", "unicausal"}
        The reading of gold's marks as tags, see `fastcausal.tasks.unicausal.tags.marked`.
    unparsed, unmatched : {"error", "empty", "skip"}
        Policies for invalid tags or a wrong number of tags, and for an example that one side lacks:
        an error, O for every word, or left out.
    by : str or sequence of str
        Columns of gold; each of their values becomes a subset.
    per_example : path, optional
        A file of counts.

    Raises
    ------
    InputError
        A source cannot be read or joined, or the policy ``"error"`` applies.
    ValueError
        A policy or reading is unknown.

    Examples
    --------
    >>> row = {"corpus": "altlex", "doc_id": "d", "sent_id": 0, "eg_id": 0, "index": "a",
    ...        "text": "Rain closed roads", "seq_label": 1, "pair_label": 1,
    ...        "text_w_pairs": "<ARG0>Rain</ARG0> closed <ARG1>roads</ARG1>"}
    >>> report = spans([row], [{"index": "a", "prediction": ["B-C", "O", "O"]}])
    >>> report["overall"].f1, report["overall"].accuracy
    (0.6666666666666666, 0.6666666666666666)
    """
    check_policies(unparsed, unmatched)
    reading: UnicausalTags = tags or "strict"
    check("tags", reading, UnicausalTags)
    keep_apart([per_example], [gold, pred])
    examples = examples_of(tables(gold, "gold"), SPAN)
    wanted, offsets = _read_gold(examples, reading)
    warnings = dict(examples.warnings)
    said, kept = _read_predicted(pred, examples, offsets, (unparsed, unmatched), warnings)
    units = examples.columns.add_column(0, "id", examples.ids)
    statistics = Statistics.of_units(
        EntityFormula(),
        f"fastcausal|{__version__}|{SPAN}|tags:{reading}|unparsed:{unparsed}|unmatched:{unmatched}",
        _counts(wanted, said, offsets)[kept],
        units.filter(arrow.numbers(kept)),
        system=system_of(pred),
        gold=_digest(examples, wanted, offsets),
        warnings=warnings,
    )
    if per_example is not None:
        statistics.write(per_example)
    return present(statistics, by)


def _read_gold(examples: CorpusExamples, reading: UnicausalTags) -> tuple[TagCodes, Int64]:
    """Return the tags of gold, and the offsets of the examples in them."""
    try:
        return marked(examples.texts, reading)
    except UnreadError:
        problems = Problems()
        for k in range(len(examples.texts)):
            try:
                marked(examples.texts[k : k + 1], reading)
            except UnreadError as error:
                problems.add(f"{examples.locate(k)}: {error}")
        problems.raise_if_any()
        raise


def _digest(examples: CorpusExamples, tags: TagCodes, offsets: Int64) -> int:
    digits = (tags + ord("0")).astype(np.uint8).tobytes()
    texts = arrow.strings_at(digits, offsets.astype(np.int32).tobytes())
    return digest_of_texts(examples.ids, texts)


class _Lists(NamedTuple):
    """Predicted tags, concatenated, and the number of tags of each row; -1 if unreadable."""

    codes: TagCodes
    offsets: Int64
    is_list: Booleans


def _read_predicted(
    pred: Any,
    examples: CorpusExamples,
    offsets: Int64,
    policies: tuple[Policy, Policy],
    warnings: Warnings,
) -> tuple[TagCodes, Booleans]:
    """Return the predicted tags of the words of gold, and a mask of the examples that count."""
    unparsed, unmatched = policies
    found = tables(pred, "pred")
    keys, name = keys_of(found), ", ".join(records.name for records in found)
    both = match(examples.ids, keys, "empty" if unmatched == "skip" else unmatched, EXAMPLES)
    if (texts := texts_of_rows(found)) is not None:
        given = RowTexts(texts, lambda row: f'{name}: example "{keys[row]}"')
        policy: Policy = "empty" if unmatched == "skip" else unmatched
        both = same_texts(both, RowTexts(examples.plain(), examples.locate), given, policy)
    heads = {(f"unmatched={unmatched}: ", *texts[1:]): n for texts, n in both.warnings.items()}
    add_warnings(warnings, heads)
    lists = [_lists(records) for records in found]
    codes = np.concatenate([each.codes for each in lists])
    sizes = np.concatenate([np.diff(each.offsets) for each in lists])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    readable = np.concatenate([each.is_list for each in lists])
    readable[np.searchsorted(starts, np.flatnonzero(codes < 0), "right") - 1] = False
    rows, wanted = both.pred, np.diff(offsets)
    fits = (rows >= 0) & readable[rows] & (sizes[rows] == wanted) if len(sizes) else rows >= 0
    unread = (rows >= 0) & ~fits
    if unread.any():
        if unparsed == "error":
            k = int(unread.argmax())
            raise _unread(found, int(rows[k]), keys, int(wanted[k]))
        texts = f"unparsed={unparsed}: ", " predictions are no tags, one for each word"
        warnings[texts] = (int(unread.sum()),)
    said = codes
    if len(rows) != len(sizes) or not (fits & (rows == np.arange(len(rows)))).all():
        taken = pc.take(arrow.lists(sizes, arrow.numbers(codes)), arrow.numbers(rows[fits]))
        said = np.zeros(int(offsets[-1]), np.int8)
        said[np.repeat(fits, wanted)] = arrow.values_of(taken.flatten())
    left_out = (unread & (unparsed == "skip")) | ((rows < 0) & (unmatched == "skip"))
    return said, ~left_out


def _lists(records: Records) -> _Lists:
    """Return the tags in a table: lists, or lists written as text."""
    column = records.column(records.require(*TAGS))
    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
        column = _parsed(records, column)
    is_list = arrow.is_valid(column)
    values = arrow.joined(column.flatten())
    if not pa.types.is_string(values.type):
        values = pa.nulls(len(values), pa.string())
    sizes = arrow.values_of(pc.list_value_length(column)).astype(np.int64)
    return _Lists(coded(values), arrow.offsets(sizes), is_list)


def _parsed(records: Records, column: pa.Array) -> pa.Array:
    """Parse lists written as text; null for other texts."""
    texts = pc.cast(column, pa.string())
    if texts.null_count:
        texts = pc.fill_null(texts, "")
    try:
        return lists_in(texts)
    except InputError:
        return pa.array([*map(_list_or_none, texts.to_pylist())], pa.list_(pa.string()))


def _list_or_none(text: str) -> list[str] | None:
    try:
        return strings_in(text)
    except InputError:
        return None


def _unread(found: Sequence[Records], row: int, keys: pa.Array, wanted: int) -> InputError:
    """Return the error for a prediction that is not a list of tags, one for each word."""
    id = keys[row]
    for records in found:
        if row < len(records):
            break
        row -= len(records)
    value = records.values(records.require(*TAGS))[row]
    got = f"{len(value)} tags" if isinstance(value, list) else shown(value)
    expected = f"expected {wanted} of O, B-C, I-C, B-E and I-E, one for each word"
    remedy = Remedy("unparsed", ("empty", "skip"), "would allow it")
    return InputError(f'{records.locate(row)}: example "{id}" has {got}, {expected}', remedy)


def _counts(gold: TagCodes, pred: TagCodes, offsets: Int64) -> Int64:
    """Return the counts of `EntityFormula` for each example: int64[n, 8]."""
    of_gold, of_pred = (entities(side, offsets) for side in (gold, pred))
    keys = [(starts * (offsets[-1] + 1) + stops) * len(ROLES) + roles
            for starts, stops, roles in (of_gold, of_pred)]  # fmt: skip
    place = np.searchsorted(keys[0], keys[1])  # ascending, as starts are
    hits = np.append(keys[0], -1)[place] == keys[1]
    hit_starts, _, hit_roles = (column[hits] for column in of_pred)
    groups = ((hit_starts, hit_roles), of_pred[::2], of_gold[::2])
    by_role = [_count_by_example(starts, roles, offsets) for starts, roles in groups]
    columns = [counts[:, role] for role in range(len(ROLES)) for counts in by_role]
    unequal = np.searchsorted(np.flatnonzero(gold != pred), offsets)
    sizes = np.diff(offsets)
    return np.stack([*columns, sizes - np.diff(unequal), sizes], axis=1).astype(np.int64)


def _count_by_example(starts: Int64, roles: Int64, offsets: Int64) -> Int64:
    """Count entities by example and role: int64[n, 2]."""
    n = len(offsets) - 1
    example = np.searchsorted(offsets, starts, "right") - 1
    counts = np.bincount(example * len(ROLES) + roles, minlength=n * len(ROLES))
    return counts.reshape(n, len(ROLES))

"""Alignment of gold and predictions: the same examples, in the same order.

Unreadable relations, and examples without counterpart, are treated by stated policies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import _spans, arrow
from fastcausal.arrays.digests import digest_of_relations, digests_of_relations
from fastcausal.arrays.kept import Kept, Key
from fastcausal.arrays.strata import source_of
from fastcausal.engine.plan import TooLargeError
from fastcausal.errors import (
    InputError,
    Problems,
    Warnings,
    add_warnings,
    warning_lines,
)
from fastcausal.files.keys import Match, match, refuse_unknown_ids, unknown_ids
from fastcausal.files.texts import RowTexts, same_texts
from fastcausal.formats.cnc.markup import OFFICIAL
from fastcausal.formats.cnc.rereading import GOLD_READING
from fastcausal.formats.traits import add_traits
from fastcausal.options import Join, Policy, TagReading
from fastcausal.protocols import Protocol
from fastcausal.relations import ROLES, Relations
from fastcausal.rows import ROWS, Rows, check_both, rows_of_examples
from fastcausal.tasks.relations import official
from fastcausal.tasks.relations.join import give_ids, offer_texts, text_of
from fastcausal.tasks.relations.types import Types, types_of
from fastcausal.tasks.relations.unread import (
    ALL_READ,
    Unparsed,
    described,
    settle_unread,
    unread_message,
)

SIDES = ("gold", "pred")
NO_COLUMNS = pa.table({})
Int64 = npt.NDArray[np.int64]
DIGESTS: Key[dict[TagReading, int]] = Key("digests")  # of `Relations.kept`, by reading of tags
TAGGED: Key[dict[TagReading, tuple[Rows, int]]] = Key("tagged")


class Aligned(NamedTuple):
    """Both sides, example by example."""

    # The lengths are equal on both sides, and known for examples with relations
    gold: Rows
    pred: Rows
    roles: tuple[str, ...]  # The role names of both sides
    columns: pa.Table | Callable[[], pa.Table]  # See `examples`
    counted: Warnings  # Messages of `warnings` with their counts
    # Relations with spans used as given, although the protocol reads tags differently
    n_as_given: int = 0
    unparsed: Unparsed = ALL_READ  # Unreadable relations of pred
    # int64[n_examples], optional: Unreadable relations by example, and 1 for a whole
    # unreadable answer; None if all were readable
    n_unread: Int64 | None = None
    n_answers: Int64 | None = None
    # Reasons of unreadable relations, a row each: (example, id, relation, reason, text)
    reasons: pa.Table | None = None
    # Examples left out for unreadable relations: their columns, the numbers of relations of
    # both sides, and of unreadable relations
    left_out: pa.Table | None = None
    # The left-out examples with unreadable relations removed; None if they cannot be scored
    aside: Aligned | None = None
    # Settings of the signature that come from the data of either side: rules by which spans
    # were located, forms of answers
    found: frozenset[tuple[str, str]] = frozenset()
    # Computes the digest of gold before the join; None: the digest of `gold` and its ids
    whole_gold: Callable[[], int] | None = None
    # int64[n_examples], optional: Place of each example in gold before the join, -1 if gold
    # lacks it; None: in order
    places: Int64 | None = None
    # int64[n_examples], optional: Place of each example in pred before the join, likewise
    pred_places: Int64 | None = None
    unchecked: bool = False  # True for a user's rows, which the first count has to check
    types: Types | None = None  # Of the relations of both sides; None if neither side has any

    @property
    def examples(self) -> pa.Table:
        """Columns of gold that name and describe the examples (id, text, strata)."""
        return self.columns() if callable(self.columns) else self.columns

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the scores."""
        return warning_lines(self.counted)

    def digest(self) -> int:
        """Compute the digest of gold, before the join and the policies."""
        if self.whole_gold is not None:
            return self.whole_gold()
        return digest_of_relations(self.gold.arrays(), self.roles, self._ids)

    @property
    def _ids(self) -> pa.ChunkedArray | None:
        return self.examples["id"] if "id" in self.examples.column_names else None

    def name(self, example: int) -> str:
        """Name an example for messages: its id, else its position."""
        return str(example) if self._ids is None else str(self._ids[example])


def align(
    gold: Relations,
    pred: Relations,
    protocol: Protocol,
    unparsed: Policy = "error",
    unmatched: Policy = "error",
    names: tuple[str, str] = SIDES,
    columns: tuple[str, ...] = (),
    join: Join | None = None,
) -> Aligned:
    """Align predictions with the examples of gold; ``names`` are the two sides in messages.

    Examples have the columns of gold, and the ``columns`` that only predictions have. Tags are not
    read again here, see `fastcausal.formats.cnc.rereading.with_tags`.
    """
    if gold.reading.roles != pred.reading.roles:
        raise InputError(
            f"{names[1]} has the roles {', '.join(pred.roles)}, "
            f"expected {', '.join(gold.roles)} as in {names[0]}"
        )
    warnings: Warnings = {}
    if gold.n_unread:
        raise InputError(unread_message(gold.reading, names[0], gold.n_unread))
    digest = partial(_digest, gold, protocol)
    if join is not None:
        gold, pred = give_ids(gold, pred, join, names, warnings)
    try:
        joined = _join(gold, pred, unmatched, warnings, names, protocol)
    except InputError as error:
        raise offer_texts(error, gold, pred) from None
    gold, pred, places, pred_places = joined
    gold = _add_columns(gold, pred, columns)
    settled = None
    if pred.n_unread:
        settled = settle_unread(gold, pred, protocol, unparsed)
        gold, pred = settled.gold, settled.pred
        if settled.kept is not None:
            kept = np.flatnonzero(settled.kept)
            places = kept if places is None else places[kept]
            pred_places = kept if pred_places is None else pred_places[kept]
    for side, relations in zip(names, (gold, pred), strict=True):
        for note, n in relations.reading.notes.items():
            warnings[f"{side}: {note}: ", ""] = (n,)
    found = frozenset(pair for side in (gold, pred) for pair in side.reading.content_settings())
    aligned = _same_examples(gold, pred, protocol, warnings, names)
    aligned = aligned._replace(
        found=found, whole_gold=digest, places=places, pred_places=pred_places
    )
    if settled is None:
        return aligned
    return aligned._replace(
        unparsed=settled.unparsed,
        n_unread=settled.n_unread,
        n_answers=settled.n_answers,
        reasons=settled.reasons,
        left_out=settled.left_out,
        aside=None if settled.aside is None else _aside(settled.aside, protocol, names),
    )


def _aside(
    sides: tuple[Relations, Relations], protocol: Protocol, names: tuple[str, str]
) -> Aligned | None:
    """Align the left-out examples, if possible."""
    try:
        return _same_examples(*sides, protocol, {}, names)
    except InputError:  # scores do not depend on them
        return None


def _same_examples(
    gold: Relations,
    pred: Relations,
    protocol: Protocol,
    warnings: Warnings,
    names: tuple[str, str],
) -> Aligned:
    """Align tables of the same examples in the same order; unreadable relations have no spans."""
    rows = _same_lengths(Rows.of(gold), Rows.of(pred), protocol, names, gold.name)
    kept, columns = (gold.kept, pred.kept), partial(described, gold)
    aligned = _aligned(rows, gold.roles, columns, protocol, warnings, names, kept)
    aligned = aligned._replace(types=types_of(gold, pred))
    if protocol.tags not in OFFICIAL or protocol.surplus != "truncate":
        return aligned
    add_warnings(warnings, official.key_warnings(gold.table, aligned.gold))
    filled, changed = official.padded(aligned.gold, aligned.pred, gold.table, protocol.tags)
    add_warnings(warnings, changed)
    if filled is aligned.pred:
        return aligned
    types = aligned.types and aligned.types.fill(aligned.pred, filled)
    return aligned._replace(pred=filled, types=types)


def align_rows(gold: Rows, pred: Rows, roles: tuple[str, ...], protocol: Protocol) -> Aligned:
    """Align a user's arrays: the same examples in the same order.

    If only counting reads the spans, counting also checks them (see `Aligned.unchecked`).
    """
    if gold.n_examples != pred.n_examples:
        raise InputError(f"pred has {pred.n_examples} examples, expected {gold.n_examples}")
    unchecked = protocol.average == "counts" and are_alike(gold, pred, protocol)
    if not unchecked:
        if tagged := official.both_as_tagged(gold, pred, roles, protocol.tags):
            gold, pred, n_as_given = tagged
            return Aligned(gold, pred, roles, NO_COLUMNS, {}, n_as_given)
        check_both(gold, pred, len(roles))
        gold, pred = _same_lengths(gold, pred, protocol, SIDES, str)
    aligned = _aligned((gold, pred), roles, NO_COLUMNS, protocol, {})
    return aligned._replace(unchecked=unchecked)


def are_alike(gold: Rows, pred: Rows, protocol: Protocol) -> bool:
    """Return True if two sides can be counted directly: equal lengths, tags read as required."""
    as_wanted = (gold.tags or "strict") == protocol.tags == (pred.tags or "strict")
    return as_wanted and gold.has_lengths_of(pred)


def align_examples(gold: list[Any], pred: list[Any], protocol: Protocol) -> Aligned | None:
    """Align example dicts without tables; return None for unusual examples."""
    golds, preds = rows_of_examples(gold), rows_of_examples(pred)
    if golds is None or preds is None or golds[1] != preds[1]:
        return None
    ids = golds[1]
    n = golds[0].n_examples
    if n != preds[0].n_examples or (ids is not None and len(set(ids)) != n):
        return None
    if [e.get("text") for e in gold] != [e.get("text") for e in pred]:
        return None
    name_of = str if ids is None else ids.__getitem__
    rows = _same_lengths(golds[0], preds[0], protocol, SIDES, name_of)
    return _aligned(rows, ROLES, partial(_described_examples, gold), protocol, {})


def _described_examples(examples: list[Any]) -> pa.Table:
    return described(Relations.from_examples(examples))


def _aligned(
    sides: tuple[Rows, Rows],
    roles: tuple[str, ...],
    columns: pa.Table | Callable[[], pa.Table],
    protocol: Protocol,
    warnings: Warnings,
    names: tuple[str, str] = SIDES,
    kept: tuple[Kept | None, Kept | None] = (None, None),
) -> Aligned:
    """Return both sides with equal lengths and the protocol's tag reading."""
    gold, n_gold = _gold_as_read(sides[0], names[0], roles, protocol, warnings, kept[0])
    tags, name = protocol.tags, protocol.name
    pred, n_pred = _apply_tags(sides[1], tags, names[1], roles, name, warnings, kept[1])
    return Aligned(gold, pred, roles, columns, warnings, n_gold + n_pred)


def _gold_as_read(
    rows: Rows,
    side: str,
    roles: tuple[str, ...],
    protocol: Protocol,
    warnings: Warnings,
    kept: Kept | None,
) -> tuple[Rows, int]:
    tags = protocol.tags if rows.tags == protocol.tags else GOLD_READING[protocol.tags]
    return _apply_tags(rows, tags, side, roles, protocol.name, warnings, kept)


def describe_tags(read: str, tags: TagReading, side: str, protocol: str) -> str:
    """Describe tags that were read otherwise than the protocol reads them."""
    difference = f"the tags of {side} were read as {read}, but {protocol} reads them as {tags}"
    as_written = read == "strict" and tags in OFFICIAL
    return difference + (": its spans are read as if written with tags anew" if as_written else "")


def _is_as_read(rows: Rows, tags: str) -> bool:
    return (rows.tags or "strict") == tags


def _apply_tags(
    rows: Rows,
    tags: TagReading,
    side: str,
    roles: tuple[str, ...],
    protocol: str,
    warnings: Warnings,
    kept: Kept | None,
) -> tuple[Rows, int]:
    """Apply the protocol's tag reading to the spans; return how many are unchanged.

    The result for rows of `Relations` is cached there.
    """
    if _is_as_read(rows, tags):
        return rows, 0
    if rows.tags is not None:
        warnings[(describe_tags(rows.tags, tags, side, protocol),)] = ()
    if tags not in OFFICIAL or rows.tags not in (None, "strict"):
        return rows, _spans.count_filled(rows.row_offsets)
    if not official.tags_exist(roles):
        warnings[(f"{side} has roles that no tags exist for: {', '.join(roles)}",)] = ()
        return rows, _spans.count_filled(rows.row_offsets)
    if kept is None or kept.get(ROWS) is not rows:
        return official.apply_tagging(rows, tags)
    tagged = kept.setdefault(TAGGED, {})
    if tags not in tagged:
        tagged[tags] = official.apply_tagging(rows, tags)
    return tagged[tags]


def _join(
    gold: Relations,
    pred: Relations,
    unmatched: Policy,
    warnings: Warnings,
    names: tuple[str, str],
    protocol: Protocol,
) -> tuple[Relations, Relations, Int64 | None, Int64 | None]:
    """Join by id if both sides have ids, else by position; places are those of `Aligned`."""
    a, b = gold.ids, pred.ids
    if a is not None and b is None:
        refuse_unknown_ids(pred.table, gold.table.column_names, names[1])
    if (a is None or b is None) and len(gold) != len(pred):
        raise InputError(
            f"{names[1]} has {len(pred)} examples, expected {len(gold)} as in {names[0]} "
            "(without ids on both sides, examples are joined by position)"
        )
    if a is None or b is None or a.equals(b):
        if protocol.tags == "aligned" or have_same_texts(gold, pred):
            return gold, pred, None, None
        rows = np.arange(len(gold))
        names_of = [ids for ids in (a, b) if ids is not None] or [pa.nulls(len(gold), pa.string())]
        joined = Match(arrow.joined(names_of[0]), rows, rows, {})
    else:
        joined = match(a, b, unmatched, extra=True)
    both = joined
    if protocol.tags != "aligned":  # that reading is for rewritten texts
        known = RowTexts(text_of(gold), partial(gold.place, side=names[0]))
        given = RowTexts(text_of(pred), partial(pred.where, side=names[1]))
        both = same_texts(joined, known, given, unmatched)
    if both.gold is both.pred:
        return gold, pred, None, None
    warnings |= both.warnings
    return (
        gold.arranged(both.gold, both.keys),
        pred.arranged(both.pred, both.keys),
        both.gold,
        both.pred,
    )


def has_unknown_ids(gold: Relations, pred: Relations) -> bool:
    """Return True if pred lacks the ids that gold has, but a column looks like ids."""
    if gold.ids is None or pred.ids is not None:
        return False
    return unknown_ids(pred.table, gold.table.column_names) is not None


def have_same_texts(gold: Relations, pred: Relations) -> bool:
    """Return True if no text differs in a single letter; False requires `align`."""
    ours, theirs = text_of(gold), text_of(pred)
    return ours is None or theirs is None or ours.equals(theirs)


def _add_columns(gold: Relations, pred: Relations, columns: tuple[str, ...]) -> Relations:
    """Add the columns that only predictions have, then those that gold's relations give."""
    own = {*gold.table.column_names}
    wanted = dict.fromkeys((*columns, *map(source_of, columns)))
    added = [name for name in wanted if name not in own and name in pred.table.column_names]
    if not added:
        return add_traits(gold, wanted)
    table = gold.table
    for name in added:
        table = table.append_column(pred.table.schema.field(name), pred.table[name])
    return add_traits(Relations.trusted(table, gold.reading), wanted)


def _digest(gold: Relations, protocol: Protocol) -> int:
    """Return the digest of gold under the protocol's tag reading; cached."""
    digests = gold.kept.setdefault(DIGESTS, {})
    if protocol.tags not in digests:
        digests[protocol.tags] = digest_of_relations(*_digested(gold, protocol))
    return digests[protocol.tags]


def digests(gold: Relations, protocol: Protocol) -> pa.Array:
    """Return the digest of every example of gold under the protocol's tag reading."""
    return digests_of_relations(*_digested(gold, protocol))


def _digested(gold: Relations, protocol: Protocol) -> tuple[Any, Any, Any]:
    rows, _ = _gold_as_read(Rows.of(gold), SIDES[0], gold.roles, protocol, {}, gold.kept)
    return rows.arrays(), gold.roles, gold.ids


def _same_lengths(
    gold: Rows,
    pred: Rows,
    protocol: Protocol,
    names: tuple[str, str],
    name_of: Callable[[int], str],
) -> tuple[Rows, Rows]:
    """Give both sides gold's token counts, checked against pred's counts and spans."""
    if _spans.same_lengths(gold.lengths, pred.lengths):
        return gold, pred  # the spans of each side fit its own lengths
    lengths = np.where(gold.lengths < 0, pred.lengths, gold.lengths)
    problems = Problems()
    unknown = lengths < 0
    if unknown.any():
        offsets = (side.row_offsets[side.relation_offsets] for side in (gold, pred))
        unknown &= sum(np.diff(each) for each in offsets) > 0
        lengths = np.where(unknown, lengths, np.maximum(lengths, 0))
    differ = (pred.lengths >= 0) & (pred.lengths != lengths)
    last = np.empty(len(lengths), np.int32)
    _spans.last_stops(*pred.arrays(), last)
    beyond = ~unknown & ~differ & (last > lengths)
    if protocol.non_causal == "ignore":
        scored = np.diff(gold.relation_offsets) > 0
        differ &= scored
        beyond &= scored
    for e in np.flatnonzero(unknown | differ | beyond):
        name = name_of(int(e))
        if unknown[e]:
            problems.add(f'example {name} has no length: give "length", "tokens" or "text"')
        elif differ[e]:
            problems.add(
                f"example {name}: {names[1]} has {pred.lengths[e]} tokens, "
                f"expected {lengths[e]} as in {names[0]}"
            )
        else:
            problems.add(
                f"example {name}: a span of {names[1]} ends at {last[e]}, "
                f"after the last of {lengths[e]} tokens"
            )
    problems.raise_if_any()
    return replace(gold, lengths=lengths), replace(pred, lengths=lengths)


def too_large(aligned: Aligned, error: TooLargeError) -> InputError:
    """Name the example that the engine cannot assign."""
    name = aligned.name(error.example)
    return InputError(
        f"example {name} is too large: expected at most 2^22 pairs of relations and 2^32 of spans, "
        "2^26 of them in one pair or in few relations, and the numerator times the denominator of "
        "the objective below 2^59"
    )

"""Tables with stored tagged sentences, read again with other tags."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fastcausal.arrays.arrow import flattened
from fastcausal.arrays.reading import LETTERS
from fastcausal.arrays.unparsed import UNPARSED
from fastcausal.errors import InputError
from fastcausal.formats.cnc.copies import texts_like
from fastcausal.formats.cnc.tagged import HELD, UNLIKE_TEXT, Sentences, token_counts
from fastcausal.formats.examples import column_of_tagged
from fastcausal.formats.reading.builder import places_in
from fastcausal.options import TagReading
from fastcausal.relations import Relations

# Reading of gold for each reading of predictions: only predictions are aligned.
GOLD_READING: Mapping[TagReading, TagReading] = {
    "strict": "strict",
    "aligned": "strict",
    "cnc-2023": "cnc-2023",
    "cnc-2022": "cnc-2022",
}


def reread(
    relations: Relations,  # With the column ``tagged: list<string>`` of readers of tagged sentences
    tags: str,
    # The gold side of predictions, with the same reading: lengths come from it.
    like: Relations | None = None,
) -> Relations:
    """Interpret the tagged sentences of a table anew."""
    # New lengths are counted in ``text`` if present; or, for gold under an official reading, in the
    # sentences.
    if relations.reading.tags == tags and (like is None or not was_read_alone(relations)):
        return relations
    table = relations.table
    kept = column_of_tagged(relations.table)
    if kept is None or kept.null_count or any(flattened(c)[0].null_count for c in kept.chunks):
        raise InputError(
            f"the tags cannot be read as {tags}: the table keeps no tagged sentences "
            '(column "tagged", a list of strings)'
        )
    counts = token_counts(relations, tags)
    rows = None
    if like is not None:
        rows = places_in(like, relations.ids, len(relations), "pred")
        counts = np.where(rows < 0, counts, token_counts(like, tags, rows))
    own = like is None
    if rows is None:
        like, rows = relations, np.arange(len(relations))
    texts = texts_like(like, rows)
    by_letters = LETTERS in (relations.reading.words, None if like is None else like.reading.words)
    anew = Sentences(kept, counts, tags, texts, own=own, by_letters=by_letters)
    columns = {
        n: table[n] for n in table.column_names if n not in ("relations", "length", UNPARSED)
    }
    notes = {note: n for note, n in relations.reading.notes.items() if note != UNLIKE_TEXT}
    if own and "text" in columns:
        notes[UNLIKE_TEXT] = anew.unlike_text
    return anew.table(
        "tagged sentences",
        columns,
        lambda k: f"example {relations.name(k)}",
        notes=notes,
    )


def read_aligned(relations: Relations, like: Relations | None) -> Relations:
    """Return relations with aligned tags, read again if necessary."""
    if relations.reading.tags is None:
        raise InputError('tags "aligned" is for tagged sentences, the source has none')
    return reread(relations, "aligned", like)


def read_with_tags(
    gold: Relations, pred: Relations, tags: TagReading
) -> tuple[Relations, Relations]:
    """Read both sides with one reading of tags, if they store their tagged sentences.

    If ids join the sides, lengths of pred come from gold, and its sentences are compared with the
    texts of gold. Only pred is aligned.
    """
    if tags != "aligned" and needs_other_tags(gold, tags):
        gold = reread(gold, tags)
    joinable = len(gold) == len(pred) or (gold.ids is not None and pred.ids is not None)
    if needs_other_tags(pred, tags) or (joinable and was_read_alone(pred)):
        pred = reread(pred, tags, gold if joinable else None)
    return gold, pred


def was_read_alone(relations: Relations) -> bool:
    """Return True if a table stores tagged sentences that were not compared with texts."""
    names = relations.table.column_names
    is_held = "tagged" not in names or "text" in names or HELD in relations.kept
    return relations.reading.tags is not None and not is_held


def needs_other_tags(relations: Relations, tags: str) -> bool:
    """Return True if a table was read with other tags and can be read with these."""
    as_wanted = relations.reading.tags in (None, tags)
    return not as_wanted and "tagged" in relations.table.column_names

"""Gold and predictions of any source, read and aligned by a recipe."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from fastcausal.arrays.reading import roles_setting
from fastcausal.errors import InputError
from fastcausal.files.files import Source
from fastcausal.formats import read_marked, refuse_untaken
from fastcausal.formats.cnc.rereading import GOLD_READING, read_with_tags
from fastcausal.formats.reading.format import Opened
from fastcausal.formats.reading.sources import RelationSource
from fastcausal.marking import MARKING
from fastcausal.recipe import Reads, Recipe
from fastcausal.relations import ROLES, Relations
from fastcausal.rows import Rows
from fastcausal.tasks.relations.align import Aligned, align, align_examples, align_rows
from fastcausal.tasks.relations.join import gold_for_reading

Roles = tuple[str, ...] | None
IN_MEMORY = (Relations, Rows, list, tuple)
STREAMED = (str, os.PathLike, pa.RecordBatchReader, Iterator)  # may be larger than memory
REREADABLE = (*IN_MEMORY, Opened, Source, str, os.PathLike)


def are_in_memory(*sides: Any) -> bool:
    """Return True if no side has to be read from elsewhere."""
    return all(isinstance(side, IN_MEMORY) for side in sides)


def are_rereadable(*sides: Any) -> bool:
    """Return True if both sides can be read again: a report then holds them and no examples."""
    return all(isinstance(side, REREADABLE) for side in sides)


def are_streamed(*sides: Any) -> bool:
    """Return True if a side is read in batches."""
    return any(isinstance(side, STREAMED) and not isinstance(side, IN_MEMORY) for side in sides)


def align_sides(
    recipe: Recipe,
    gold: RelationSource | Rows,
    pred: RelationSource | Rows,
    roles: Roles = None,
    columns: tuple[str, ...] = (),
) -> Aligned:
    """Read both sides and bring them to the same examples."""
    protocol = recipe.protocol
    if isinstance(gold, Rows) and isinstance(pred, Rows):
        roles = roles or recipe.marking.roles
        aligned = align_rows(gold, pred, roles, protocol)
        return aligned._replace(found=frozenset(roles_setting(roles)))
    if isinstance(gold, Rows) or isinstance(pred, Rows):
        raise InputError("one side is Rows, expected both: they have no ids to be joined by")
    if not columns and recipe.join is None and _are_plain_examples(recipe, roles, gold, pred):
        plain = align_examples(gold, pred, protocol)  # type: ignore[arg-type]
        if plain is not None:
            return plain
    gold = read_marked(gold, tags=GOLD_READING[protocol.tags], **recipe.of_gold)
    like = gold_for_reading(gold, recipe.join)
    pred = read_marked(pred, like=like, tags=protocol.tags, **recipe.of_pred)
    refuse_untaken((gold, pred), recipe.marking)
    if roles not in (None, gold.roles):
        raise InputError(f"roles are {', '.join(gold.roles)}, expected {', '.join(roles)}")
    if gold.reading.predicted:
        raise InputError("gold is a submission file, expected gold annotations")
    gold, pred = read_with_tags(gold, pred, protocol.tags)
    policies = recipe.unparsed, recipe.unmatched
    return align(gold, pred, protocol, *policies, columns=columns, join=recipe.join)


def _are_plain_examples(recipe: Recipe, roles: Roles, *sides: Any) -> bool:
    """Return True if both sides are lists whose first items have "relations"."""
    if (
        recipe.protocol.tags == "aligned"
        or roles not in (None, ROLES)
        or recipe.reads not in (Reads(), Reads("examples"))
        or recipe.marking is not MARKING
    ):
        return False
    return all(isinstance(side, list) and side and "relations" in side[0] for side in sides)

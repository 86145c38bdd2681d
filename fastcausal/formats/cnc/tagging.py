"""Tagged sentences of relations, the inverse of reading them."""

from __future__ import annotations

from operator import itemgetter

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import flattened, is_valid, lists, offsets
from fastcausal.errors import Problems
from fastcausal.files.writing import Strings
from fastcausal.formats import _writing
from fastcausal.formats.examples import Block
from fastcausal.relations import ROLES, Relations

Int64 = npt.NDArray[np.int64]
_LISTS = pa.list_(pa.large_string())


def require_texts(block: Block) -> None:
    """Raise InputError for a missing text of relations without stored sentences, or a wrong one."""
    needed = np.diff(block.relation_places) > 0
    block.require_texts(needed if block.tagged is None else needed & ~is_valid(block.tagged))


def tagged_lists(block: Block, lost: Problems) -> tuple[Strings, Int64]:
    """Return tagged sentences, and the first one of each example.

    >>> from fastcausal.formats.examples import blocks
    >>> relations = Relations.from_examples(
    ...     [{"text": "Rain causes floods", "relations": [{"cause": (0, 1), "effect": (1, 3)}]}]
    ... )
    >>> bytes(tagged_lists(next(blocks(relations)), Problems())[0].data)
    b'<ARG0>Rain</ARG0> <ARG1>causes floods</ARG1>'
    """
    # Stored sentences come from the table. The others are made from texts and spans for the strict
    # reading, one for each readable relation. Tags cannot hold causes that overlap an earlier
    # cause, effects that overlap an earlier effect, and spans of other roles; ``lost`` gets a
    # message on each relation that loses some.
    kept = block.tagged
    if kept is not None and not kept.null_count:
        items, places = flattened(kept)
        return Strings.take(items), places
    skipped = None if kept is None else is_valid(kept).astype(np.int8)
    counts = np.empty(len(block), np.int64)
    left_out = np.zeros(block.n_relations, np.int32)
    holds = np.empty(len(block), np.int8)
    made = _writing.write_tagged(
        Strings.take(block.texts),
        block.spans,
        block.first,
        len(block),
        skipped,
        _numbers(block.relations),
        block.by_letters,
        counts,
        left_out,
        holds,
    )
    messages = [
        (k, f"{block.name(k)}: tags within its text will be read")
        for k in np.flatnonzero(holds).tolist()
    ]
    messages += block.losses(left_out, "spans overlap others or have no tag", skipped)
    for _, message in sorted(messages, key=itemgetter(0)):
        lost.add(message)
    if kept is None:
        return Strings.wrap(*made), offsets(counts)
    data, starts = map(pa.py_buffer, made)
    texts = pa.Array.from_buffers(pa.large_string(), int(counts.sum()), [None, starts, data])
    both = pc.if_else(pc.is_valid(kept), kept.cast(_LISTS), lists(counts, texts))
    items, places = flattened(both)
    return Strings.take(items), places


def _numbers(relations: Relations) -> npt.NDArray[np.int8]:
    """Return the number of each role's tags; a role without tags gets the number after all."""
    names = [ROLES.index(role) if role in ROLES else len(ROLES) for role in relations.roles]
    return np.array(names, np.int8)

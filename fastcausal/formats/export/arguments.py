"""Cause and Effect of every relation as characters of its sentence."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from fastcausal.arrays.unparsed import UNPARSED
from fastcausal.errors import Problems
from fastcausal.formats._tokens import token_bounds
from fastcausal.formats.examples import examples
from fastcausal.formats.reading.builder import messages, not_held
from fastcausal.relations import Relations

ARGUMENTS = ("cause", "effect")
HELD = ("id", "length", "relations", "tagged", "text", UNPARSED)


class Arguments(NamedTuple):
    """The arguments of one relation."""

    example: int  # The row of its example
    text: str  # The sentence
    # Characters of the sentence
    cause: slice
    effect: slice


def arguments(
    relations: Relations,
    held: Collection[str] = HELD,  # Columns that the caller writes
) -> tuple[list[Arguments], list[str]]:
    """Return the relations with one Cause and one Effect.

    >>> found, lost = arguments(Relations.from_examples([
    ...     {"text": "Rain brings floods", "relations": [{"cause": (0, 1), "effect": (2, 3)}]}]))
    >>> found[0].text[found[0].effect], lost
    ('floods', [])
    """
    # A role of several spans has no contiguous text in the sentence, so such a relation is lost.
    # Returns messages about everything else, too.
    pairs: list[Arguments] = []
    unfit = Problems()
    n_bare = n_others = 0
    for k, example in enumerate(examples(relations)):
        if not example.relations:
            n_bare += 1
            continue
        text = example.require_text()
        starts, stops = token_bounds(text)
        for where, spans, _ in example.readable(unfit):
            marked: dict[str, list[slice]] = {role: [] for role in relations.roles + ARGUMENTS}
            for role, start, stop in spans:
                marked[relations.roles[role]].append(slice(starts[start], stops[stop - 1]))
            counts = [len(marked[name]) for name in ARGUMENTS]
            n_others += len(spans) - sum(counts)
            if counts == [1, 1]:
                pairs.append(Arguments(k, text, *(marked[name][0] for name in ARGUMENTS)))
                continue
            had = f"{counts[0]} cause spans and {counts[1]} effect spans"
            unfit.add(f"{where} has {had}, expected one of each, and is left out")
    counted = [
        (n_bare, f"{n_bare} examples without relations are left out"),
        (n_others, f"{n_others} spans of other roles than cause and effect are left out"),
    ]
    missing = not_held(relations.table, held, "{} are left out")
    return pairs, [*missing, *(text for count, text in counted if count), *messages(unfit)]

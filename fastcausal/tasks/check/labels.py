"""Labels of sentences, causal or not, held against the relations of the sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import pyarrow as pa

from fastcausal.errors import InputError, counted
from fastcausal.files.texts import keys_of_texts
from fastcausal.formats.examples import examples, text_column
from fastcausal.relations import Relations
from fastcausal.tasks.check.findings import Finding
from fastcausal.tasks.classification.files import Labels


class Annotated(NamedTuple):
    """The relations of a file or document, and the annotator of each example."""

    owners: list[str]
    file: str
    relations: Relations


def check_labels(
    labels: Labels, sides: Sequence[Annotated], notes: Counter[str]
) -> Iterator[Finding]:
    """Yield a finding for each example that contradicts its label; count what has no partner."""
    keys, keys_of_sides = _join(labels, sides)
    known: dict[str | None, int] = dict(zip(keys, labels.require_causal().to_pylist(), strict=True))
    used: set[str | None] = set()
    for side, names in zip(sides, keys_of_sides, strict=True):
        rows = zip(side.owners, names, examples(side.relations), strict=True)
        for owner, key, example in rows:
            n = sum(spans is None or len(spans) > 0 for spans in example.relations)
            label = known.get(key)
            used.add(key)
            if label is None:
                notes[f"examples without a label in {labels.name}"] += 1
            elif label and not n:
                message = "its label is 1 (causal), and it has no relation"
                yield Finding(owner, side.file, example.id, "causal without relation", message)
            elif n and not label:
                message = f"its label is 0 (not causal), and it has {counted(n, 'relation')}"
                yield Finding(owner, side.file, example.id, "relation in non-causal", message)
    notes[f"labels in {labels.name} without an example"] += len(known.keys() - used)


def _join(labels: Labels, sides: Sequence[Annotated]) -> tuple[list[str], list[list[str | None]]]:
    """Return the keys of labels and of each side's examples: ids if one is shared, or texts."""
    ids = [] if labels.ids is None else labels.ids.cast(pa.string()).to_pylist()
    named: list[list[str | None]] = [
        [example.id for example in examples(side.relations)] for side in sides
    ]
    if not {*ids}.isdisjoint(chain.from_iterable(named)):
        return ids, named
    texts = keys_of_texts(labels.texts)
    if texts is not None and not texts.null_count:
        told = [keys_of_texts(text_column(side.relations.table)) for side in sides]
        given: list[list[str | None]] = [[] if each is None else each.to_pylist() for each in told]
        if not {*texts.to_pylist()}.isdisjoint(chain.from_iterable(given)):
            return texts.to_pylist(), given
    first = next((f', whose first id is "{each[0]}"' for each in named if each), "")
    raise InputError(f"{labels.name} has no id and no text of the annotations{first}")

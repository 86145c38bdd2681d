"""Relations marked differently by two annotators, side by side for adjudication."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from fastcausal.arrays.arrow import strings
from fastcausal.arrays.reading import arguments_of
from fastcausal.engine.kernel import Int32, Int64
from fastcausal.rows import Rows
from fastcausal.tasks.agreement.tables import numbers_of
from fastcausal.tasks.relations.align import Aligned
from fastcausal.tasks.relations.sentences import Sentence, sentences_of
from fastcausal.tasks.relations.types import Types

TYPE = "type"  # kind of a disagreement, and name of a column


@dataclass(frozen=True)
class Paired:
    """The relations of two annotators in pairs."""

    # The annotators
    a: str
    b: str
    aligned: Aligned  # Their relations; the relations of ``a`` are gold
    example: Int64  # int64[n_pairs]: The example of each pair
    # Each annotator's relation, by index among relations with at least one span; -1 for none
    relations: tuple[Int64, Int64]

    @cached_property
    def types(self) -> Types | None:
        """The types of the relations of `relations`; None without types."""
        types = self.aligned.types
        return types and types.drop_unmarked(self.aligned.gold, self.aligned.pred)

    def types_at(self, pair: int) -> tuple[str | None, str | None]:
        """Return the types of the two relations of a pair, None for none."""
        if self.types is None:
            return None, None
        at = [int(index[pair]) for index in self.relations]
        codes = zip((self.types.gold, self.types.pred), at, strict=True)
        a, b = (self.types.name(int(own[k])) if k >= 0 else None for own, k in codes)
        return a, b

    def differing(self) -> Iterator[Disagreement]:
        """Yield the pairs with different marks or types, in the order of examples.

        Types differ if both annotators have any.
        """
        sides = self.aligned.gold, self.aligned.pred
        marked = [rows.marked() for rows in sides]
        numbers = [
            numbers_of(rows, index, self.example) + 1
            for rows, index in zip(sides, self.relations, strict=True)
        ]
        sentences = sentences_of(self.aligned.examples, self.aligned.gold.lengths)
        typed = self.types is not None and self.types.are_on_both
        for k, example in enumerate(self.example.tolist()):
            a, b = (
                _relation(rows, int(index[k]))
                for rows, index in zip(marked, self.relations, strict=True)
            )
            types = self.types_at(k)
            other_types = typed and types[0] != types[1]
            if a is None or b is None or other_types or not np.array_equal(a, b):
                of_a, of_b = (int(each[k]) or None for each in numbers)
                yield Disagreement(
                    self, k, example, sentences[example], (of_a, of_b), (a, b), types
                )


class Disagreement(NamedTuple):
    """Two relations with different marks, or one without a partner."""

    paired: Paired
    pair: int  # Its place among all pairs
    example: int
    sentence: Sentence | None
    numbers: tuple[int | None, int | None]  # Numbers of the relations in their example, from 1
    # Role, start and stop of each relation's spans; None for a missing relation
    rows: tuple[Int32 | None, Int32 | None]
    types: tuple[str | None, str | None]  # None for a relation without a type

    @property
    def name(self) -> str:
        """Name of the example."""
        return self.paired.aligned.name(self.example)

    @property
    def kind(self) -> str:
        """Kind of the disagreement."""
        # "only NAME": one annotator has no relation; "swapped": cause and effect (or the first two
        # roles) are exchanged; "signal" (or another further role): it alone differs; "bounds": in
        # each role, spans are equal or share words; "spans": in some role, they do not; "type": the
        # spans are the same.
        a, b = self.rows
        if a is None or b is None:
            return f"only {self.paired.b if a is None else self.paired.a}"
        if np.array_equal(a, b):
            return TYPE
        roles: tuple[str, ...] = self.paired.aligned.roles
        sides = [[_words(rows, role) for role in range(len(roles))] for rows in (a, b)]
        main, other = ([each[role] for role in arguments_of(roles)] for each in sides)
        if main == other[::-1] != other:
            return "swapped"
        differing = [role for role, words in enumerate(sides[0]) if words != sides[1][role]]
        if main == other and len(differing) == 1:
            return roles[differing[0]]
        alike = (x == y or x & y for x, y in zip(*sides, strict=True))
        return "bounds" if all(alike) else "spans"


def _words(rows: Int32, role: int) -> set[int]:
    return {word for of, start, stop in rows.tolist() if of == role for word in range(start, stop)}


def _relation(rows: Rows, index: int) -> Int32 | None:
    return None if index < 0 else rows.relation(index)


def table_of(pairs: Iterable[Paired], roles: Sequence[str]) -> pa.Table:
    """Return a row per difference: annotators, example, kind, and the words of both relations."""
    columns: dict[str, list[Any]] = {name: [] for name in ("a", "b", "id", "kind", "text")}
    columns |= {f"{side}_relation": [] for side in "ab"}
    columns |= {f"{side}_{role}": [] for role in roles for side in "ab"}
    pairs = [*pairs]
    typed = any(paired.types for paired in pairs) and TYPE not in roles
    columns |= {f"{side}_{TYPE}": [] for side in "ab" if typed}
    for paired in pairs:
        for difference in paired.differing():
            sentence = difference.sentence
            row = {"a": paired.a, "b": paired.b, "id": difference.name, "kind": difference.kind}
            columns["text"].append(sentence and sentence.text)
            for name, value in row.items():
                columns[name].append(value)
            for side, number, rows in zip("ab", difference.numbers, difference.rows, strict=True):
                columns[f"{side}_relation"].append(number)
                words: list[str | None] = [None] * len(roles)
                if sentence is not None and rows is not None:
                    words = sentence.roles(rows, len(roles))
                for role, each in zip(roles, words, strict=True):
                    columns[f"{side}_{role}"].append(each)
            for side, of_type in zip("ab" if typed else "", difference.types, strict=False):
                columns[f"{side}_{TYPE}"].append(of_type)
    return pa.table(
        {
            name: _integers(values) if name.endswith("_relation") else strings(values)
            for name, values in columns.items()
        }
    )


def _integers(values: Sequence[int | None]) -> pa.Array:
    given = np.array([value or 0 for value in values], np.int64)
    return pa.array(given, mask=given == 0)

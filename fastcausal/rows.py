"""Relations as flat integer arrays, the input of kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastcausal.arrays import _spans, arrow
from fastcausal.arrays._objects import example_rows
from fastcausal.arrays.kept import Key
from fastcausal.arrays.reading import ROLES
from fastcausal.arrays.span_arrays import span_lists
from fastcausal.arrays.unparsed import UNPARSED
from fastcausal.errors import InputError

if TYPE_CHECKING:
    from fastcausal.relations import Relations

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


ROWS: Key[Rows] = Key("rows")  # of `Relations.kept`
FAULTS = {
    "role": "has an unknown role",
    "empty": "is empty or starts before the first token",
    "outside": "ends after the last token",
    "order": "does not follow the row before it: sort by (start, stop, role) within a relation",
}


@dataclass(frozen=True)
class Rows:
    """Relations of one side as flat arrays: example → relation → row, with two levels of offsets.

    The input of kernels. `fastcausal.score` takes two `Rows` instead of tables; their examples
    must be in the same order. Nothing is copied.

    Parameters
    ----------
    values : int32[n_rows, 3]
        (role, start, stop) in tokens, stop exclusive, sorted by (start, stop, role) within a
        relation. Roles are numbers: 0 cause, 1 effect, 2 signal.
    row_offsets : int64[n_relations + 1]
        Rows of relation r: ``values[row_offsets[r]:row_offsets[r + 1]]``.
    relation_offsets : int64[n_examples + 1]
        Relations of example e, likewise.
    lengths : int32[n_examples]
        Tokens of each example, -1 if unknown.
    tags : str, optional
        The tag reading, as in `Relations.reading`; None if there were no tags to read.

    Examples
    --------
    >>> import numpy as np
    >>> from fastcausal import Rows, score
    >>> gold = Rows(
    ...     np.array([[0, 0, 2], [1, 3, 5]], np.int32), np.array([0, 2]), np.array([0, 1]),
    ...     np.array([6], np.int32))
    >>> score(gold, gold)["overall"].f1
    1.0
    """

    values: Int32
    row_offsets: Int64
    relation_offsets: Int64
    lengths: Int32
    tags: str | None = None

    @classmethod
    def of(cls, relations: Relations) -> Rows:
        """Take the arrays of a table; an unreadable relation has no rows.

        The table keeps the read-only arrays.

        Examples
        --------
        >>> from fastcausal import Relations, Rows
        >>> gold = Relations.from_examples([{"relations": [{"cause": (0, 2)}], "length": 5}])
        >>> rows = Rows.of(gold)
        >>> rows.values, rows.relation_offsets
        (array([[0, 0, 2]], dtype=int32), array([0, 1]))
        """
        rows = relations.kept.get(ROWS)
        if rows is None:
            flat, tags = relations.arrays, relations.reading.tags
            offsets = flat.row_offsets, flat.relation_offsets
            rows = cls(relations.values, *offsets, flat.lengths, tags)
            relations.kept[ROWS] = rows
        return rows

    def to_relations(self, like: Relations | None = None) -> Relations:
        """Convert these rows to the canonical table.

        Parameters
        ----------
        like : Relations, optional
            The same examples; ids, texts, lengths and all other columns come from it.

        Raises
        ------
        InputError
            The number of examples differs, and all errors of `Relations`.

        Examples
        --------
        >>> from fastcausal import Relations, Rows
        >>> gold = Relations.from_examples(
        ...     [{"id": "a", "relations": [{"cause": (0, 2)}], "length": 5}])
        >>> Rows.of(gold).to_relations().to_examples()
        [{'relations': [{'cause': [(0, 2)]}], 'length': 5}]
        >>> Rows.of(gold).to_relations(gold).to_examples() == gold.to_examples()
        True
        """
        import pyarrow as pa

        from fastcausal.relations import Reading, Relations

        counts = np.diff(self.relation_offsets)
        lists = span_lists(self.values.T, np.diff(self.row_offsets), counts)
        if like is None:
            lengths = arrow.numbers(self.lengths, self.lengths >= 0)
            table = pa.table({"relations": lists, "length": lengths})
            return Relations.trusted(table, Reading(tags=self.tags))
        if len(like) != self.n_examples:
            raise InputError(f"rows of {self.n_examples} examples, expected {len(like)}")
        of_relations = ("tagged", UNPARSED, *(["types"] if like.types is not None else []))
        table = arrow.drop_columns(like.table, of_relations)
        at = table.column_names.index("relations")
        reading = Reading(roles=like.roles, tags=self.tags)
        return Relations.trusted(table.set_column(at, "relations", lists), reading)

    @property
    def n_examples(self) -> int:
        """Number of examples."""
        return len(self.lengths)

    @property
    def n_relations(self) -> int:
        """Number of relations in all examples."""
        return len(self.row_offsets) - 1

    def has_lengths_of(self, other: Rows) -> bool:
        """Return True if examples have the same known lengths on both sides."""
        try:
            return _spans.same_lengths(self.lengths, other.lengths)
        except (TypeError, ValueError, BufferError):  # invalid arrays, which `check` reports
            return False

    def n_marked(self) -> Int64:
        """Count the relations with at least one span in each example: int64[n_examples]."""
        marked = np.concatenate([[0], np.cumsum(np.diff(self.row_offsets) > 0)])
        return np.diff(marked[self.relation_offsets])

    def check(self, name: str, n_roles: int) -> None:
        """Refuse arrays that break the rules above; messages call them ``name``.

        Raises
        ------
        InputError
            An array has another type or shape, offsets fall or point outside, or a row is invalid.
        """
        try:
            fault, example, row = _spans.check_rows(*self.arrays(), self.lengths, n_roles)
        except (TypeError, ValueError, BufferError) as error:
            raise InputError(f"{name}: {error}") from error
        if not fault:
            return
        if row < 0:
            raise InputError(f"{name}: {fault} fall, or lead outside the array they index")
        where = f"{name}: example {example}: row {row} {self.values[row].tolist()}"
        raise InputError(f"{where} {FAULTS[fault]}")

    def arrays(self) -> tuple[Int32, Int64, Int64]:
        """Return the arrays of one side for the native driver."""
        return self.values, self.row_offsets, self.relation_offsets

    def relation(self, index: int) -> Int32:
        """Return the rows of one relation; none for index -1."""
        if index < 0:
            return self.values[:0]
        return self.values[self.row_offsets[index] : self.row_offsets[index + 1]]

    def part(self, start: int, stop: int) -> Rows:
        """Return examples [start, stop), without copying their rows."""
        relations = self.relation_offsets[start : stop + 1]
        rows = self.row_offsets[relations[0] : relations[-1] + 1]
        return replace(
            self,
            values=self.values[rows[0] : rows[-1]],
            row_offsets=rows - rows[0],
            relation_offsets=relations - relations[0],
            lengths=self.lengths[start:stop],
        )

    def marked(self) -> Rows:
        """Drop relations without rows."""
        if _spans.count_filled(self.row_offsets) == self.n_relations:
            return self
        widths = np.diff(self.row_offsets)
        kept = np.concatenate([[0], np.cumsum(widths > 0)])
        row_offsets = np.concatenate([[0], np.cumsum(widths[widths > 0])])
        return replace(self, row_offsets=row_offsets, relation_offsets=kept[self.relation_offsets])

    def merged(self) -> Rows:
        """Merge all relations of each example into one."""
        offsets = self.row_offsets[self.relation_offsets]
        values = self.values.copy()
        _spans.sort(values, offsets)
        each = np.arange(self.n_examples + 1)
        return replace(self, values=values, row_offsets=offsets, relation_offsets=each)

    def example_of_relation(self) -> Int64:
        """Return the example of each relation: int64[n_relations]."""
        return np.repeat(np.arange(self.n_examples), np.diff(self.relation_offsets))


def check_both(gold: Rows, pred: Rows, n_roles: int) -> None:
    """Refuse invalid arrays on either side, as `Rows.check` does."""
    gold.check("gold", n_roles)
    pred.check("pred", n_roles)


def rows_of_examples(
    examples: Any, roles: Sequence[str] = ROLES
) -> tuple[Rows, list[str] | None] | None:
    """Return rows and ids of example dicts, as `Relations.from_examples` takes them."""
    # The ids are None if no example has an id. The result is None if an example is unusual or
    # invalid: `Relations.from_examples` then reads the examples or reports the error. Keys other
    # than ``id``, ``relations``, ``length``, ``tokens`` and ``text`` are ignored.
    parts = example_rows(examples, {role: k for k, role in enumerate(roles)}, True)
    return None if parts is None else (Rows(*parts[:4]), parts[4])

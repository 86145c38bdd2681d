"""Relations as the flat integer arrays that kernels read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fastcausal import arrays

if TYPE_CHECKING:
    from fastcausal.relations import Relations

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Rows:
    """One side: example → relation → row, with two levels of offsets.

    Attributes
    ----------
    values : int32[n_rows, 3]
        (role, start, stop) in tokens, sorted by (start, stop, role) within a relation.
    row_offsets : int64[n_relations + 1]
        Rows of relation r: ``values[row_offsets[r]:row_offsets[r + 1]]``.
    relation_offsets : int64[n_examples + 1]
        Relations of example e, likewise.
    lengths : int32[n_examples]
        Tokens of each example, -1 where unknown.

    Examples
    --------
    >>> from fastcausal.relations import Relations
    >>> rows = Rows.of(Relations.from_examples([{"relations": [{"cause": (0, 2)}], "length": 5}]))
    >>> rows.values, rows.relation_offsets
    (array([[0, 0, 2]], dtype=int32), array([0, 1]))
    """

    values: Int32
    row_offsets: Int64
    relation_offsets: Int64
    lengths: Int32

    @classmethod
    def of(cls, relations: Relations) -> Rows:
        """Flatten a table; a relation that could not be read has no rows."""
        column = arrays.joined(relations.table["relations"])
        inner = column.flatten()
        spans = inner.flatten()
        values = np.empty((len(spans), 3), np.int32)
        for k in range(3):
            values[:, k] = arrays.values_of(spans.field(k))
        row_offsets = arrays.offsets_of(inner)
        lengths = arrays.values_of(arrays.joined(relations.table["length"]), -1)
        return cls(_sorted(values, row_offsets), row_offsets, arrays.offsets_of(column), lengths)

    @property
    def n_examples(self) -> int:
        """Number of examples."""
        return len(self.lengths)

    @property
    def n_relations(self) -> int:
        """Number of relations in all examples."""
        return len(self.row_offsets) - 1

    def arrays(self) -> tuple[Int32, Int64, Int64]:
        """What the native driver takes."""
        return self.values, self.row_offsets, self.relation_offsets

    def relation(self, index: int) -> Int32:
        """Rows of one relation; index -1 is no relation."""
        if index < 0:
            return self.values[:0]
        return self.values[self.row_offsets[index] : self.row_offsets[index + 1]]

    def marked(self) -> Rows:
        """The same without relations that have no rows."""
        widths = np.diff(self.row_offsets)
        kept = np.concatenate([[0], np.cumsum(widths > 0)])
        row_offsets = np.concatenate([[0], np.cumsum(widths[widths > 0])])
        return Rows(self.values, row_offsets, kept[self.relation_offsets], self.lengths)

    def merged(self) -> Rows:
        """The same with all relations of an example as one."""
        offsets = self.row_offsets[self.relation_offsets]
        values = _sorted(self.values, offsets)
        return Rows(values, offsets, np.arange(self.n_examples + 1), self.lengths)

    def example_of_relation(self) -> Int64:
        """The example of each relation: int64[n_relations]."""
        return np.repeat(np.arange(self.n_examples), np.diff(self.relation_offsets))


def _sorted(values: Int32, row_offsets: Int64) -> Int32:
    """Rows in (start, stop, role) order within each relation; most sources are so already."""
    role, start, stop = (values[:, k].astype(np.int64) for k in range(3))
    key: Any = (start << 32) | stop
    ordered = (key[1:] > key[:-1]) | ((key[1:] == key[:-1]) & (role[1:] >= role[:-1]))
    ordered[row_offsets[1:-1][(row_offsets[1:-1] > 0) & (row_offsets[1:-1] < len(key))] - 1] = True
    if ordered.all():
        return values
    relation = np.repeat(np.arange(len(row_offsets) - 1), np.diff(row_offsets))
    return values[np.lexsort((role, key, relation))]

"""Questions and answers in rows, as columns of Arrow, made of tables or of Python's texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import flattened, joined, numbers, offsets, strings_at
from fastcausal.files.cells import column_of, columns_of
from fastcausal.files.records import Records
from fastcausal.files.texts import RowTexts

Int64 = npt.NDArray[np.int64]
Columns: TypeAlias = "dict[str, pa.Array | pa.ChunkedArray]"

PLAIN = (str, int, float)  # a tuple, since a union would be made at each check
TEXT = (pa.string(), pa.large_string())
# Types that stay the same if values become Python objects and then a column again.
UNCHANGED = (pa.string(), pa.int64(), pa.float64(), pa.bool_())


@dataclass(frozen=True, eq=False)
class QuestionTexts:
    """Questions with their gold answers, in rows."""

    ids: pa.Array  # string[n]
    # large_string[n]: The questions. Half of a surrogate pair is stored as three bytes, also
    # in ``answers``.
    texts: pa.Array
    answers: pa.Array  # large_string[n_answers]: Gold answers, question by question
    # int64[n + 1]: The index of the first answer of each question, then the number of all
    # answers
    lists: Int64
    # Other values of each record; empty if there are none
    besides: pa.Table | Sequence[Mapping[str, Any]]
    asked: RowTexts | None = None  # The questions again, with the places of their rows

    def columns(self, rows: Int64) -> Columns:
        """Return the other texts and numbers of some questions, by ascending rows, as columns."""
        if not isinstance(self.besides, pa.Table):
            return columns_of([self.besides[row] for row in rows.tolist()] if self.besides else [])
        found: list[tuple[int, str, Any]] = []
        for name in self.besides.column_names:
            column = self.besides[name]
            if len(rows) < len(self.ids):
                column = column.take(numbers(rows))
            if column.type not in UNCHANGED:
                values = [v if isinstance(v, PLAIN) else None for v in column.to_pylist()]
                column = column_of(values)[0]
            if column.null_count < len(column):
                found.append((pc.index(pc.is_valid(column), True).as_py(), name, column))
        # By the first row with a value, since columns of objects come in this order.
        return {name: column for _, name, column in sorted(found, key=lambda each: each[0])}


@dataclass(frozen=True, eq=False)
class AnswerTexts:
    """Predicted answers in rows: ids string[n], and texts large_string[n] as in `QuestionTexts`.

    ``asked`` are the questions, if the source has them.
    """

    ids: pa.Array
    texts: pa.Array
    asked: RowTexts | None = None


def plain_texts(texts: pa.Array) -> list[str]:
    """Convert texts of `QuestionTexts` or `AnswerTexts` to Python strings."""
    encoded = texts.cast(pa.large_binary()).to_pylist()
    return [text.decode(errors="surrogatepass") for text in encoded]


def stored_texts(records: Records, name: str) -> pa.Array | None:
    """Return a column of texts without nulls from an Arrow table; None for anything else."""
    column = records.chunks(name) if name in records.names else None
    if column is None or column.type not in TEXT or column.null_count:
        return None
    return joined(column.cast(pa.large_string()))


def stored_answers(records: Records) -> tuple[pa.Array, Int64] | None:
    """Return all gold answers from an Arrow table and the first of each question; else None."""
    column = records.chunks("answers") if "answers" in records.names else None
    parts = []
    for chunk in [] if column is None else column.chunks:
        if (part := _parts(chunk)) is None:
            return None
        parts.append(part)
    if not parts:
        return None
    texts = pa.chunked_array([texts for texts, _ in parts])
    return joined(texts), offsets(np.concatenate([np.diff(places) for _, places in parts]))


def _parts(answers: pa.Array) -> tuple[pa.Array, Int64] | None:
    """Return the texts in a column of answers and the first of each row; None for another form."""
    places = None
    if pa.types.is_list(answers.type) and not answers.null_count:
        answers, places = flattened(answers)
    if not pa.types.is_struct(answers.type) or answers.null_count:
        return None
    if (at := answers.type.get_field_index("text")) < 0:
        return None
    texts = answers.field(at)
    if places is None and pa.types.is_list(texts.type) and not texts.null_count:
        texts, places = flattened(texts)
    elif places is None:  # one answer a question, as in published questions
        places = np.arange(len(texts) + 1)
    if texts.type not in TEXT or texts.null_count or not np.diff(places).all():
        return None
    return texts.cast(pa.large_string()), places


def texts_array(values: list[Any]) -> pa.Array | None:
    """Convert Python strings to large_string[n]; None if a value is not a string."""
    if {*map(type, values)} - {str} and not all(isinstance(value, str) for value in values):
        return None
    try:
        return pa.array(values, pa.large_string())
    except UnicodeEncodeError:
        encoded = [value.encode(errors="surrogatepass") for value in values]
        return strings_at(b"".join(encoded), offsets(map(len, encoded)).tobytes(), large=True)

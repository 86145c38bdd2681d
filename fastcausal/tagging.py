"""Label ids of a tagger, ``[batch, tokens]``, to rows that can be scored."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from fastcausal.engine._labels import label_rows
from fastcausal.engine.rows import Rows
from fastcausal.errors import InputError
from fastcausal.formats.bio import LABELS
from fastcausal.relations import ROLES

# What a label says of its token, as in csrc/fastcausal/label_spans.h.
MARKS = {"B": 1, "I": 0, "E": 2, "S": 3}
ROLE, OUTSIDE = 4, -4
_LABEL = re.compile(r"(?:([BIES])-)?(.+)", re.DOTALL)
LAST_WORD = np.iinfo(np.int32).max
IDS = ("int8", "int16", "int32", "int64")


@dataclass(frozen=True)
class TagScheme:
    """The labels of a tagger: what each of its label ids says of a token.

    Parameters
    ----------
    labels : sequence of str
        The name of each label id: ``O``, or ``B-``, ``I-``, ``E-`` or ``S-`` and Cause, Effect,
        Signal (also C, E, S; ARG0, ARG1, SIG; in any case): BIO, IOBES, or IO, in which ``I-`` may
        be missing.
    ignore_index : int
        The label id of tokens that are not there.

    Raises
    ------
    InputError
        A name is no such label.

    Examples
    --------
    >>> scheme = TagScheme(["O", "B-Cause", "I-Cause", "B-Effect", "I-Effect"])
    >>> rows = scheme.rows(np.array([[-100, 1, 2, -100, 2, 0, 3, -100]]))
    >>> rows.values, rows.lengths
    (array([[0, 0, 3],
           [1, 4, 5]], dtype=int32), array([5], dtype=int32))

    Notes
    -----
    What begins and ends a span follows conlleval, and with it seqeval's default: an ``I-`` or
    ``E-`` of another role than the token before it, or after none, begins a span. The spans are
    those of ``seqeval.metrics.sequence_labeling.get_entities``.
    """

    labels: Sequence[str]
    ignore_index: int = -100
    _marks: npt.NDArray[np.int32] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        labels = tuple(self.labels)
        if 0 <= self.ignore_index < len(labels):
            name = labels[self.ignore_index]
            raise InputError(f'ignore_index is {self.ignore_index}, which is the label "{name}"')
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "_marks", np.array(list(map(_mark, labels)), np.int32))

    def rows(self, ids: Any, where: Any = None, word_ids: Any = None) -> Rows:
        """The spans of some sequences, all spans of a sequence as one relation.

        Parameters
        ----------
        ids : int8, int16, int32 or int64[batch, tokens]
            Label ids: a NumPy array or anything that it takes without a copy.
        where : bool[batch, tokens], optional
            Tokens that are there. For predictions ``gold_ids != ignore_index``: a token that gold
            ignores is not there on either side.
        word_ids : int[batch, tokens], optional
            The word that each token is part of, -1 for none. A word has the label of its first
            token, and spans count words.

        Returns
        -------
        Rows
            An example per sequence, one relation in each that marks anything. Spans count the
            tokens that are there, as if there were no others, and ``lengths`` is their number; with
            ``word_ids`` spans are in these numbers, and ``lengths`` is the last one plus 1.

        Raises
        ------
        InputError
            A label id has no label, the arrays have other shapes or types, or words are not in
            order.
        """
        found = self._rows(ids, where, word_ids)
        if found is None:
            ids = _matrix("ids", ids, IDS, None)
            if where is not None:
                where = _matrix("where", where, ("bool",), ids.shape)
            if word_ids is not None:
                word_ids = _words(word_ids, ids.shape)
            found = self._rows(ids, where, word_ids)
            assert found is not None
        return found

    def _rows(self, ids: Any, where: Any, word_ids: Any) -> Rows | None:
        try:
            found = label_rows(ids, where, word_ids, self._marks, self.ignore_index)
        except IndexError as error:
            raise self._refused(error.args, ids, word_ids) from None
        return None if found is None else Rows(*found)

    def _refused(self, place: tuple[int, ...], ids: Any, words: Any) -> InputError:
        example, token = place
        where = f"example {example}, token {token}"
        label = np.asarray(ids)[example, token]
        if 0 <= label < len(self.labels) or label == self.ignore_index:
            line = np.asarray(words)[example]
            before = line[:token].max()
            return InputError(f"{where}: word {line[token]} after word {before}, expected in order")
        return InputError(
            f"{where}: label id {label}, expected 0 to {len(self.labels) - 1}, "
            f"or {self.ignore_index} where there is no token"
        )


def _mark(label: str) -> int:
    """What a label says of its token, as a number for native code."""
    if label == "O":
        return OUTSIDE
    match = _LABEL.fullmatch(str(label))
    role = LABELS.get(match[2].lower()) if match else None
    if match is None or role is None:
        raise InputError(
            f"unknown label {label!r}, "
            f"expected O, or B-, I-, E- or S- and one of {', '.join(ROLES)}"
        )
    return role * ROLE + MARKS[match[1] or "I"]


def _matrix(name: str, value: Any, kinds: Sequence[str], shape: tuple[int, ...] | None) -> Any:
    """The array [batch, tokens] that a value is, in the form native code takes."""
    try:
        array = np.asarray(value)
    except ValueError as error:  # lists of several lengths
        raise InputError(f"{name} cannot be read: {error}") from error
    if array.dtype.name not in kinds:
        raise InputError(f"{name}: found {array.dtype}, expected {', '.join(kinds)}")
    if array.ndim != 2:
        raise InputError(f"{name}: found the shape {array.shape}, expected [batch, tokens]")
    if shape not in (None, array.shape):
        raise InputError(f"{name}: found the shape {array.shape}, expected {shape} as of ids")
    return np.ascontiguousarray(array, array.dtype.newbyteorder("="))


def _words(word_ids: Any, shape: tuple[int, ...]) -> Any:
    words = _matrix("word_ids", word_ids, IDS, shape)
    if words.size and not -1 <= words.min() <= words.max() < LAST_WORD:
        raise InputError(f"word_ids: found {words.min()} to {words.max()}, expected -1 or a number")
    return words.astype(np.int32)

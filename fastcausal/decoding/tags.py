"""Labels of a tagger: logits to label ids, and label ids to rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import index
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from fastcausal.arrays.tensors import (
    INTEGERS,
    is_on_device,
    matrix,
    misplaced_word,
    overwritten,
    view_on_host,
    word_numbers,
)
from fastcausal.decoding._native import label_ids, label_rows
from fastcausal.decoding.faults import Fault
from fastcausal.decoding.label_paths import NO_ENDS, OUTSIDE, ROLE, Steps, steps_of
from fastcausal.errors import InputError
from fastcausal.formats.schemes import EXPECTED, MARKS, role_of_label
from fastcausal.marking import Marking
from fastcausal.relations import ROLES
from fastcausal.rows import Rows

_LABEL = re.compile(rf"(?:([{''.join(MARKS)}])-)?(.+)", re.DOTALL)
Labels: TypeAlias = Sequence[str] | Mapping[str, int] | Mapping[int, str] | Mapping[str, str]
"""Names of labels in the order of their ids, or ``id2label`` or ``label2id``."""
LOGITS = "efd"  # NumPy's letters for float16, float32 and float64; names would take µs
INT32 = -(2**31), 2**31 - 1


@dataclass(frozen=True)
class TagScheme:
    """The labels of a tagger, in the order of their ids.

    Parameters
    ----------
    labels : sequence of str, or mapping
        The name of each label id: ``O``, or ``B-``, ``I-``, ``E-``, ``S-``, ``L-`` or ``U-`` and
        Cause, Effect, Signal (also C, E, S; ARG0, ARG1, SIG; in any case): BIO, IOBES, BILOU, or
        IO, in which ``I-`` may be missing. Or ``id2label`` or ``label2id`` of a model's
        configuration, in any order; ids may be strings of digits.
    ignore_index : int
        The label id of absent tokens.
    all_roles : sequence of str
        The roles that labels may name, from 1 to 30; a scorer then has these roles.

    Attributes
    ----------
    marks : int32[n_labels]
        Role and position of each label id: 4 times the number of the role in ``all_roles``, plus 1
        if it begins a span and 2 if it ends one; -4 for ``O``.

    Raises
    ------
    InputError
        A label name is not recognised, an id occurs twice, or an id from 0 on is missing.
    ValueError
        ``ignore_index`` is the id of a label.

    Examples
    --------
    >>> TagScheme({"B-Cause": 1, "I-Cause": 2, "O": 0}).labels
    ('O', 'B-Cause', 'I-Cause')
    >>> scheme = TagScheme(["O", "B-Cause", "I-Cause", "B-Effect", "I-Effect"])
    >>> rows = scheme.rows(np.array([[-100, 1, 2, -100, 2, 0, 3, -100]]))
    >>> rows.values, rows.lengths
    (array([[0, 0, 3],
           [1, 4, 5]], dtype=int32), array([5], dtype=int32))

    Notes
    -----
    Spans begin and end as in conlleval and in seqeval's default mode
    (``seqeval.metrics.sequence_labeling.get_entities``): an ``I-``, ``E-`` or ``L-`` begins a span
    if it continues none of its role.
    """

    labels: Sequence[str]
    ignore_index: int = -100
    all_roles: Sequence[str] = ROLES
    marks: npt.NDArray[np.int32] = field(init=False, repr=False, compare=False)

    if TYPE_CHECKING:  # accepts mappings too; ``labels`` then has the names in order

        def __init__(
            self,
            labels: Labels,
            ignore_index: int = -100,
            all_roles: Sequence[str] = ROLES,
        ) -> None: ...

    def __post_init__(self) -> None:
        labels = (
            _order_labels(self.labels) if isinstance(self.labels, Mapping) else tuple(self.labels)
        )
        if 0 <= self.ignore_index < len(labels):
            name = labels[self.ignore_index]
            raise ValueError(f'ignore_index is {self.ignore_index}, which is the label "{name}"')
        marking = Marking.make(roles=self.all_roles)
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "all_roles", marking.roles)
        marks = [_mark(label, marking) for label in labels]
        object.__setattr__(self, "marks", np.array(marks, np.int32))

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles of the labels, in the order of ``all_roles``."""
        numbers = sorted({mark >> 2 for mark in self.marks.tolist() if mark >= 0})
        return tuple(self.all_roles[role] for role in numbers)

    def decode(self, logits: Any, where: Any = None, *, valid: bool = False) -> Any:
        """Decode logits into label ids.

        Parameters
        ----------
        logits : float16, float32 or float64[batch, tokens, labels]
            An array of NumPy or torch, or any array-like; copied only if the numbers have 16 bits,
            as in bfloat16. On a GPU, of CuPy, torch or another library with DLPack.
        where : bool[batch, tokens], optional
            True for present tokens. Absent tokens are skipped, as if the sequence lacked them.
        valid : bool
            Take the best well formed sequence of labels, not each token's best label.

        Returns
        -------
        int32[batch, tokens]
            Label ids; ``ignore_index`` for absent tokens. Logits on a GPU give a CuPy array without
            waiting for the GPU. There a token with a logit NaN or +inf gets -1 (-2 if that is
            ``ignore_index``), and with ``valid`` so do the later tokens; scoring refuses such ids.

        Raises
        ------
        InputError
            An array has another type or shape; a logit of a present token in host memory is NaN or
            +inf; or with ``valid`` no label is well formed by itself, for instance if all are B-,
            I- or E-.

        Examples
        --------
        >>> scheme = TagScheme(["O", "B-Cause", "I-Cause"])
        >>> logits = np.array([[[0.0, 1.0, 1.0], [3.0, 0.0, 2.0], [0.0, 0.0, 4.0]]])
        >>> scheme.decode(logits)
        array([[1, 0, 2]], dtype=int32)
        >>> scheme.decode(logits, valid=True)
        array([[1, 2, 2]], dtype=int32)

        Notes
        -----
        Each token's best label is the one with the greatest logit, the first in a tie.

        The best sequence is the one with the greatest sum of logits (Viterbi). A softmax would
        subtract one number from all logits of a token, and so change no choice. Sums are float64,
        from the first token to the last, capped at the largest finite number. Ties go to the first
        label, from the last token back: among best sequences, the first last label; before it,
        the first label of the best sequences that lead to it. -inf marks an impossible label; a
        sequence with one is taken only if there is no other.

        A sequence is well formed if each I-X or E-X continues B-X or I-X, and, in schemes with E-X
        (IOBES), each B-X or I-X is continued. For roles without B-X and S-X (IO) an I-X or E-X may
        also begin a span. L-X and U-X of BILOU are as E-X and S-X.
        """
        if is_on_device(logits):
            return self._decode_there(logits, where, valid)
        array = self._logits(view_on_host("logits", logits))
        if where is not None:
            where = matrix("where", where, ("bool",), array.shape[:2])
        steps, ends = (self._steps.of, self._steps.ends) if valid else (None, NO_ENDS)
        ids = label_ids(array, where, steps, *ends, self.ignore_index)
        if ids is None:  # swapped bytes or irregular strides
            array = array.astype(array.dtype.newbyteorder("="), "C")
            ids = label_ids(array, where, steps, *ends, self.ignore_index)
        if not isinstance(ids, Fault):
            return ids
        example, token = ids.example, ids.token
        logits_of_token = array[example, token]
        wrong = np.flatnonzero(~(logits_of_token < np.inf))
        if not len(wrong):
            raise InputError(overwritten(f"example {example}, token {token}"))
        label = int(wrong[0])
        raise InputError(
            f"example {example}, token {token}: logit {logits_of_token[label]} of label "
            f"{self.labels[label]}, expected a finite number or -inf"
        )

    def _decode_there(self, logits: Any, where: Any, valid: bool) -> Any:
        """Decode on the device of the logits."""
        from fastcausal.decoding import device
        from fastcausal.engine.device import cuda

        array = self._logits(cuda.shared("logits", logits))
        if where is not None:
            where = cuda.matrix("where", where, ("bool",), array.shape[:2])
        steps, ends = (self._steps.of, self._steps.ends) if valid else (None, NO_ENDS)
        return device.label_ids(cuda.machine(), array, where, steps, *ends, self.ignore_index)

    def _logits(self, array: Any) -> Any:
        """Return logits as float32 or float64[batch, tokens, labels], of NumPy or CuPy."""
        if array.dtype.char not in LOGITS:
            expected = ", ".join(np.dtype(char).name for char in LOGITS)
            raise InputError(f"logits: found {array.dtype}, expected {expected}")
        if not self.labels:
            raise InputError("the scheme has no labels to choose from")
        if array.ndim != 3 or array.shape[2] != len(self.labels):
            raise InputError(
                f"logits: found the shape {array.shape}, "
                f"expected [batch, tokens, {len(self.labels)}]"
            )
        if not INT32[0] <= self.ignore_index <= INT32[1]:
            raise ValueError(f"ignore_index is {self.ignore_index}, expected an int32")
        return array.astype(np.float32) if array.dtype.char == "e" else array

    @cached_property
    def _steps(self) -> Steps:
        steps = steps_of(self.marks)
        if not steps.always_lead_on:
            raise InputError(
                f"no label of {', '.join(self.labels)} is a well formed sequence alone, "
                "expected O, or another one that needs none before and after it"
            )
        return steps

    def rows(self, ids: Any, where: Any = None, word_ids: Any = None) -> Rows:
        """Return the spans of sequences; all spans of a sequence form one relation.

        Parameters
        ----------
        ids : int8, int16, int32 or int64[batch, tokens]
            Label ids: an array of NumPy or torch, or any array-like.
        where : bool[batch, tokens], optional
            True for present tokens. For predictions pass ``gold_ids != ignore_index``: a token that
            gold ignores is absent on both sides.
        word_ids : int[batch, tokens], optional
            The word of each token, -1 for none. A word has the label of its first token, and spans
            count words.

        Returns
        -------
        Rows
            An example per sequence, with one relation if any token is marked. Spans and ``lengths``
            count only present tokens; with ``word_ids`` they count words, and ``lengths`` is the
            last word number plus 1.

        Raises
        ------
        InputError
            A label id has no label, the arrays have other shapes or types, or words are out of
            order.
        """
        rows = self._rows(ids, where, word_ids)
        if rows is None:
            ids = matrix("ids", ids, INTEGERS)
            if where is not None:
                where = matrix("where", where, ("bool",), ids.shape)
            if word_ids is not None:
                word_ids = word_numbers(word_ids, ids.shape)
            rows = self._rows(ids, where, word_ids)
            assert rows is not None
        return rows

    def _rows(self, ids: Any, where: Any, word_ids: Any) -> Rows | None:
        arrays = label_rows(ids, where, word_ids, self.marks, self.ignore_index)
        if isinstance(arrays, Fault):
            raise self._refused(arrays, ids, word_ids)
        return None if arrays is None else Rows(*arrays)

    def _refused(self, fault: Fault, ids: Any, words: Any) -> InputError:
        example, token = fault.example, fault.token
        where = f"example {example}, token {token}"
        label = view_on_host("ids", ids)[example, token]
        if 0 <= label < len(self.labels) or label == self.ignore_index:
            if words is None:
                return InputError(overwritten(where))
            return InputError(misplaced_word(view_on_host("word_ids", words), example, token))
        return InputError(
            f"{where}: label id {label}, "
            f"expected 0 to {len(self.labels) - 1}, or {self.ignore_index} where there is no token"
        )


def _order_labels(labels: Mapping[Any, Any]) -> tuple[str, ...]:
    """Return the names in the order of their ids from id2label or label2id."""
    is_by_id = all(isinstance(name, str) for name in labels.values())
    names: dict[int, str] = {}
    for key, value in labels.items():
        name, number = (value, key) if is_by_id else (key, value)
        try:
            number = int(number) if isinstance(number, str) else index(number)
        except (TypeError, ValueError):
            raise InputError(f"label {name!r}: the id is {number!r}, expected a number") from None
        if number in names:
            raise InputError(f"label id {number} is both {names[number]!r} and {name!r}")
        names[number] = name
    missing = next((k for k in range(len(names)) if k not in names), None)
    if missing is not None:
        raise InputError(
            f"label id {missing} is missing, "
            f"found {', '.join(map(str, sorted(names)))}, expected 0 to {len(names) - 1}"
        )
    return tuple(names[k] for k in range(len(names)))


def _mark(label: str, marking: Marking) -> int:
    """Return the role and position of a label as a number for native code."""
    if label == "O":
        return OUTSIDE
    match = _LABEL.fullmatch(str(label))
    role = role_of_label(match[2], marking) if match else None
    if match is None or role is None:
        known = ", ".join(marking.roles)
        raise InputError(f"unknown label {label!r}, expected {EXPECTED} one of {known}")
    return role * ROLE + MARKS[match[1] or "I"]

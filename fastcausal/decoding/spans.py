"""Logits of span boundaries to relations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from fastcausal.arrays.tensors import (
    INTEGERS,
    LAST_WORD,
    is_on_device,
    matrix,
    misplaced_word,
    overwritten,
    view_on_host,
    word_numbers,
)
from fastcausal.decoding._native import MOST_FAULTS, WORD, select_spans
from fastcausal.decoding.faults import Fault
from fastcausal.errors import InputError
from fastcausal.options import DecodingMethod, check
from fastcausal.rows import Rows

# Methods in the order of csrc/fastcausal/span_selection.h.
METHODS = get_args(DecodingMethod)
COLUMNS = ("A start", "A end", "B start", "B end", "signal start", "signal end")
MAX_CHOICES = 32  # of top_k and n_best, which have fixed memory
ANY_LENGTH = 2**31 - 1  # positions are 32-bit


class Decoded(NamedTuple):
    """The chosen relations of a decoder, with scores.

    Attributes
    ----------
    rows : Rows
        The relations of each example, best first. Spans are in words if ``word_ids`` were given,
        else in tokens; ``lengths`` are -1, as logits do not contain the length of a text.
    scores : float64[n_relations]
        Sum of the log-probabilities of the boundaries of both arguments.
    """

    rows: Rows
    scores: npt.NDArray[np.float64]

    def get(self) -> Decoded:
        """Return the relations in host memory: this object."""
        return self


class DecodedOnDevice(Decoded):
    """The chosen relations of a decoder on a GPU; the arrays are valid once the GPU has finished.

    ``rows`` and ``scores`` are CuPy arrays with room for ``n_best`` relations of each example.
    Those after ``rows.relation_offsets[-1]`` belong to no example and have no rows. `get` waits.
    """

    _wrong: Any  # int64[n_examples], see `device.select_spans`
    _read: tuple[Any, Any]  # columns, words

    @classmethod
    def assemble(
        cls, rows: Rows, scores: Any, wrong: Any, columns: Any, words: Any
    ) -> DecodedOnDevice:
        """Make the result of `device.select_spans` from its arrays and inputs."""
        decoded = cls(rows, scores)
        decoded._wrong, decoded._read = wrong, (columns, words)
        return decoded

    def get(self) -> Decoded:
        """Wait for the GPU, and return the relations in host memory.

        Raises
        ------
        InputError
            A logit is NaN or +inf at a token that may be chosen, or words are out of order.
            Before `get`, such an example has no relations.
        """
        from fastcausal.engine.device import cuda

        numpy = cuda.machine().numpy
        wrong = numpy(self._wrong)
        example = int((wrong >= 0).argmax()) if len(wrong) else 0
        if len(wrong) and wrong[example] >= 0:
            columns, words = self._read
            token, column = divmod(int(wrong[example]), MOST_FAULTS)
            there = words if words is None else numpy(words)
            raise _refused(Fault(example, token, column), list(map(numpy, columns)), there)
        rows = cuda.copy_to_host(self.rows)
        n = int(rows.relation_offsets[-1])
        offsets = rows.row_offsets[: n + 1]
        rows = Rows(rows.values[: offsets[-1]], offsets, rows.relation_offsets, rows.lengths)
        return Decoded(rows, numpy(self.scores)[:n])


@dataclass(frozen=True)
class SpanDecoder:
    """A decoder of span boundary logits into relations of two arguments and a signal.

    Parameters
    ----------
    method : {"bss", "constrained", "argmax", "constrained-logits"}
        ``bss``, the beam-search span selector: take the ``top_k`` most probable splits of a
        sequence into one argument that ends at i and one that starts at a later j; for each take
        the ``top_k`` best starts up to i and ends from j on; return the ``n_best`` of all.
        ``constrained``: the most probable split, with B before A in a tie, and the best start and
        end within it. ``constrained-logits``: the split with the greatest sum of its two logits,
        with A before B in a tie. ``argmax``: the best position of each boundary, independently;
        arguments may overlap, and an argument that ends before its start is dropped.
    roles : sequence of int
        Role numbers of the arguments A and B and of the signal: cause, effect and signal by
        default. All methods but ``argmax`` keep A and B apart.
    top_k : int
        Width of the beam of ``bss``, 1 to 32.
    n_best : int
        Most relations per example for ``bss``, 1 to 32.
    min_score : float, optional
        Relations with a lower score are dropped.
    max_signal_length : int, optional
        Most tokens of a signal, from its first to its last sub-word; None for any number.

    Raises
    ------
    ValueError
        A value is outside its range.

    Examples
    --------
    >>> logits = np.full((1, 6, 4), -9.0)
    >>> logits[0, [1, 2, 4, 4], [0, 1, 2, 3]] = 0.0
    >>> decoded = SpanDecoder(n_best=1).decode(logits)
    >>> decoded.rows.values
    array([[0, 1, 3],
           [1, 4, 5]], dtype=int32)
    >>> decoded.scores.round(4)
    array([-0.0015])

    Notes
    -----
    From RECESS (Tan et al. 2023), Eq. 2 and appendix B, after Chen et al. (2022). Log-probabilities
    are over the positions that may be chosen. The signal is the best start, and the best end from
    there on within ``max_signal_length``. In a tie ``bss`` takes the first: splits with A before
    B, then those with B before A, each by i and j; then by rank of split, start and end.
    Selections of the same words count once, and both arguments never share a word. Results have
    the same bits on every machine.
    """

    method: DecodingMethod = "bss"
    roles: Sequence[int] = (0, 1, 2)
    top_k: int = 5
    n_best: int = 2
    min_score: float | None = None
    max_signal_length: int | None = 5

    def __post_init__(self) -> None:
        check("method", self.method, DecodingMethod)
        for name in ("top_k", "n_best"):
            if not 1 <= index(getattr(self, name)) <= MAX_CHOICES:
                raise ValueError(f"{name} is {getattr(self, name)}, expected 1 to {MAX_CHOICES}")
        roles = tuple(map(index, self.roles))
        if len(roles) not in (2, 3) or len(set(roles)) < len(roles) or min(roles) < 0:
            raise ValueError(f"roles are {roles}, expected two or three different numbers")
        object.__setattr__(self, "roles", roles)
        if self.min_score is not None and np.isnan(self.min_score):
            raise ValueError("min_score is nan, expected a number")
        if self.max_signal_length is not None and index(self.max_signal_length) < 1:
            raise ValueError(f"max_signal_length is {self.max_signal_length}, expected 1 or more")

    def decode(
        self, logits: Any, mask: Any = None, word_ids: Any = None, has_signal: Any = None
    ) -> Decoded:
        """Decode a batch.

        Parameters
        ----------
        logits : float16, float32 or float64[batch, tokens, 4 or 6]
            Start and end of A, start and end of B, and with six columns start and end of the
            signal; or a list of 4 or 6 arrays [batch, tokens]. Of NumPy, torch, or another library
            with DLPack. -inf marks an impossible position. All arrays must be on one device.
        mask : bool or int[batch, tokens], optional
            True for present tokens: the ``attention_mask`` of a tokenizer.
        word_ids : int[batch, tokens], optional
            The word of each token, -1 for none. Spans are then in words: from the word of the start
            to the word of the end. Tokens without a word are never chosen. Without ``word_ids`` the
            first and the last present token are special tokens, never chosen.
        has_signal : bool[batch], optional
            True for examples with a signal, by a classifier. Others get no signal.

        Returns
        -------
        Decoded
            For logits on a GPU `DecodedOnDevice`, without waiting for the GPU.

        Raises
        ------
        InputError
            A logit is NaN or +inf at a token that may be chosen, arrays have other shapes or types,
            or words are out of order. For arrays on a GPU, `DecodedOnDevice.get` raises it; there
            every number below 0 marks a token without a word.
        """
        first = logits[0] if isinstance(logits, list | tuple) and logits else logits
        if is_on_device(first):
            return self._decode_there(logits, mask, word_ids, has_signal)
        columns = self._columns(logits, view_on_host)
        shape = columns[0].shape
        there = None if mask is None else matrix("mask", mask, ("bool", *INTEGERS), shape) != 0
        words = None if word_ids is None else word_numbers(word_ids, shape)
        gate = None
        if has_signal is not None:
            gate = np.ascontiguousarray(_gate(view_on_host("has_signal", has_signal), shape[0]))
        selected = select_spans(columns, there, words, gate, self._three_roles(), self._settings())
        if isinstance(selected, Fault):
            raise _refused(selected, columns, words)
        rows, scores = selected
        return Decoded(Rows(*rows), scores)

    def _decode_there(
        self, logits: Any, mask: Any, word_ids: Any, has_signal: Any
    ) -> DecodedOnDevice:
        """Decode on the device of the logits."""
        from fastcausal.decoding import device
        from fastcausal.engine.device import cuda

        columns = self._columns(logits, cuda.shared)
        shape = columns[0].shape
        there = words = gate = None
        if mask is not None:
            there = cuda.matrix("mask", mask, ("bool", *INTEGERS), shape) != 0
        if word_ids is not None:
            words = cuda.matrix("word_ids", word_ids, INTEGERS, shape)
            words = words.clip(-1, LAST_WORD - 1).astype(np.int32)
        if has_signal is not None:
            gate = cuda.array("has_signal", has_signal, "bool")
            _gate(gate, shape[0])
        arrays = device.select_spans(
            cuda.machine(), columns, there, words, gate, self._three_roles(), self._settings()
        )
        return DecodedOnDevice.assemble(*arrays, columns, words)

    def _columns(self, logits: Any, take: Callable[[str, Any], Any]) -> list[Any]:
        """Return arrays [batch, tokens], all float32 or all float64, strides in whole items."""
        if isinstance(logits, list | tuple):
            arrays = [take("logits", column) for column in logits]
        else:
            whole = take("logits", logits)
            if whole.ndim != 3:
                raise InputError(
                    f"logits: found the shape {whole.shape}, expected [batch, tokens, 4 or 6]"
                )
            arrays = [whole[..., c] for c in range(whole.shape[2])]
        _check_columns(arrays)
        if len(arrays) > 4 and len(self.roles) < 3:
            raise InputError(f"logits of a signal, but roles are {self.roles}, expected three")
        wide = np.result_type(np.float32, *(array.dtype for array in arrays))
        return [_whole_steps(array.astype(wide, copy=False)) for array in arrays]

    def _three_roles(self) -> tuple[int, ...]:
        return (*self.roles, 0)[:3]

    def _settings(self) -> tuple[int, int, int, int, float]:
        beam = (self.top_k, self.n_best) if self.method == "bss" else (1, 1)
        min_score = -np.inf if self.min_score is None else float(self.min_score)
        max_signal = ANY_LENGTH if self.max_signal_length is None else self.max_signal_length
        return METHODS.index(self.method), *beam, min(max_signal, ANY_LENGTH), min_score


def _check_columns(arrays: Sequence[Any]) -> None:
    if len(arrays) not in (4, 6):
        raise InputError(f"logits: found {len(arrays)} columns, expected 4 or 6")
    shapes, kinds = ({getattr(a, name) for a in arrays} for name in ("shape", "dtype"))
    if len(shapes) > 1 or arrays[0].ndim != 2:
        listed = ", ".join(map(str, sorted(shapes)))
        raise InputError(f"logits: found the shapes {listed}, expected [batch, tokens] of each")
    if any(kind.kind != "f" or kind.itemsize > 8 for kind in kinds):
        listed = ", ".join(sorted(map(str, kinds)))
        raise InputError(f"logits: found {listed}, expected float16, float32 or float64")


def _whole_steps(array: Any) -> Any:
    steps_fit = not any(step % array.itemsize for step in array.strides)
    is_aligned = getattr(array.flags, "aligned", True)  # device arrays always are
    return array if steps_fit and is_aligned else array.copy()


def _gate(gate: Any, n: int) -> Any:
    if gate.dtype != bool or gate.shape != (n,):
        raise InputError(f"has_signal: found {gate.dtype}{list(gate.shape)}, expected bool[{n}]")
    return gate


def _refused(fault: Fault, columns: Any, words: Any) -> InputError:
    """Return the error for a fault of native code in host arrays."""
    example, token, column = fault
    if column == WORD:
        return InputError(misplaced_word(words, example, token))
    where = f"example {example}, token {token}"
    value = columns[column][example, token]
    if value < np.inf:
        return InputError(overwritten(where))
    return InputError(
        f"{where}: the logit of {COLUMNS[column]} is {value}, expected a finite number or -inf"
    )

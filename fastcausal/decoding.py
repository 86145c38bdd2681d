"""Logits of span boundaries to relations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fastcausal.engine._decoding import select_spans
from fastcausal.engine.rows import Rows
from fastcausal.errors import InputError
from fastcausal.tensors import INTEGERS, matrix, on_host, word_numbers

# Numbers of the methods as in csrc/fastcausal/span_selection.h.
METHODS = {"bss": 0, "constrained": 1, "argmax": 2}
COLUMNS = ("A start", "A end", "B start", "B end", "signal start", "signal end")
MOST = 32  # of top_k and n_best, which have fixed memory
WORD = 7  # the "column" of a word that is out of order


class Decoded(NamedTuple):
    """What a decoder found.

    Attributes
    ----------
    rows : Rows
        The relations, of each example the best first. Spans are in words where ``word_ids`` were
        given, else in tokens; ``lengths`` are -1, as logits do not tell how long a text is.
    scores : float64[n_relations]
        Sum of the log-probabilities of the boundaries of both arguments.
    """

    rows: Rows
    scores: npt.NDArray[np.float64]


@dataclass(frozen=True)
class SpanDecoder:
    """How logits of span boundaries become relations of two arguments and a signal.

    Parameters
    ----------
    method : {"bss", "constrained", "argmax"}
        ``bss``, the beam-search span selector: of all splits of a sequence into one argument that
        ends at i and the other that starts at a later j, the ``top_k`` most probable; for each of
        them the ``top_k`` best starts up to i and ends from j on; of all these the ``n_best``.
        ``constrained``: the best split by the sum of its two logits, the best start and end within
        it. ``argmax``: the best position of each boundary by itself; arguments may overlap, and one
        whose end comes before its start is left out.
    roles : sequence of int
        The numbers of the roles: of the two arguments A and B, which ``bss`` and ``constrained``
        keep apart, and of the signal. Cause, effect and signal unless given.
    top_k : int
        Width of the beam of ``bss``, 1 to 32.
    n_best : int
        Relations of an example that ``bss`` gives at most, 1 to 32.
    min_score : float, optional
        Relations with a lower score are left out.

    Raises
    ------
    InputError
        A value is not one of these.

    Examples
    --------
    >>> logits = np.full((1, 6, 4), -9.0)
    >>> logits[0, [1, 2, 4, 4], [0, 1, 2, 3]] = 0.0
    >>> found = SpanDecoder(n_best=1).decode(logits)
    >>> found.rows.values
    array([[0, 1, 3],
           [1, 4, 5]], dtype=int32)
    >>> found.scores.round(4)
    array([-0.0015])

    Notes
    -----
    From RECESS (Tan et al. 2023), Eq. 2 and appendix B, after Chen et al. (2022). Log-probabilities
    are over the positions that may be chosen. Of equal scores the first is taken: splits with A
    before B, then those with B before A, each by i and j; then by rank of split, start and end.
    Selections that mark the same words count as one, and both arguments never share a word.
    Results have the same bits on every machine.
    """

    method: str = "bss"
    roles: Sequence[int] = (0, 1, 2)
    top_k: int = 5
    n_best: int = 2
    min_score: float | None = None

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            known = ", ".join(METHODS)
            raise InputError(f'unknown method "{self.method}", expected one of {known}')
        for name in ("top_k", "n_best"):
            if not 1 <= index(getattr(self, name)) <= MOST:
                raise InputError(f"{name} is {getattr(self, name)}, expected 1 to {MOST}")
        roles = tuple(map(index, self.roles))
        if len(roles) not in (2, 3) or len(set(roles)) < len(roles) or min(roles) < 0:
            raise InputError(f"roles are {roles}, expected two or three different numbers")
        object.__setattr__(self, "roles", roles)
        if self.min_score is not None and np.isnan(self.min_score):
            raise InputError("min_score is nan, expected a number")

    def decode(
        self, logits: Any, mask: Any = None, word_ids: Any = None, has_signal: Any = None
    ) -> Decoded:
        """Decode a batch.

        Parameters
        ----------
        logits : float16, float32 or float64[batch, tokens, 4 or 6]
            Start and end of A, start and end of B, and with six start and end of the signal; or a
            list of so many arrays [batch, tokens]. Of NumPy, torch, or another library with DLPack.
            -inf is a position that cannot be.
        mask : bool or int[batch, tokens], optional
            Tokens that are there: the ``attention_mask`` of a tokenizer.
        word_ids : int[batch, tokens], optional
            The word that each token is part of, -1 for none. Spans are then in words: from the word
            of the start to the word of the end. Tokens without a word are never chosen. Without
            ``word_ids`` the first and the last token that are there are taken for special tokens,
            which are never chosen.
        has_signal : bool[batch], optional
            Whether the example has a signal, as a classifier says. One that has not gets none.

        Returns
        -------
        Decoded

        Raises
        ------
        InputError
            A logit is NaN or +inf at a token that may be chosen, arrays have other shapes or types,
            or words are not in order.
        """
        columns = _columns(logits)
        if len(columns) > 4 and len(self.roles) < 3:
            raise InputError(f"logits of a signal, but roles are {self.roles}, expected three")
        shape = columns[0].shape
        there = None if mask is None else matrix("mask", mask, ("bool", *INTEGERS), shape) != 0
        words = None if word_ids is None else word_numbers(word_ids, shape)
        gate = None if has_signal is None else _gate(has_signal, shape[0])
        try:
            rows, scores = select_spans(
                columns, there, words, gate, (*self.roles, 0)[:3], self._settings()
            )
        except IndexError as error:
            raise self._refused(error.args, columns, words) from None
        return Decoded(Rows(*rows), scores)

    def _settings(self) -> tuple[int, int, int, float]:
        beam = (self.top_k, self.n_best) if self.method == "bss" else (1, 1)
        min_score = -np.inf if self.min_score is None else float(self.min_score)
        return METHODS[self.method], *beam, min_score

    def _refused(self, place: tuple[int, int, int], columns: Any, words: Any) -> InputError:
        example, token, column = place
        where = f"example {example}, token {token}"
        if column == WORD:
            line = words[example]
            before = line[:token].max()
            return InputError(f"{where}: word {line[token]} after word {before}, expected in order")
        value = columns[column][example, token]
        return InputError(
            f"{where}: the logit of {COLUMNS[column]} is {value}, expected a finite number or -inf"
        )


def _columns(logits: Any) -> list[npt.NDArray[Any]]:
    """Arrays [batch, tokens] of one type, float32 or float64, whose items lie whole items apart."""
    if isinstance(logits, list | tuple):
        arrays = [on_host("logits", column) for column in logits]
    else:
        whole = on_host("logits", logits)
        if whole.ndim != 3:
            raise InputError(
                f"logits: found the shape {whole.shape}, expected [batch, tokens, 4 or 6]"
            )
        arrays = [whole[..., c] for c in range(whole.shape[2])]
    if len(arrays) not in (4, 6):
        raise InputError(f"logits: found {len(arrays)} columns, expected 4 or 6")
    shapes, kinds = ({getattr(a, name) for a in arrays} for name in ("shape", "dtype"))
    if len(shapes) > 1 or arrays[0].ndim != 2:
        found = ", ".join(map(str, sorted(shapes)))
        raise InputError(f"logits: found the shapes {found}, expected [batch, tokens] of each")
    if any(kind.kind != "f" or kind.itemsize > 8 for kind in kinds):
        found = ", ".join(sorted(map(str, kinds)))
        raise InputError(f"logits: found {found}, expected float16, float32 or float64")
    wide = np.result_type(np.float32, *kinds)
    return [_whole_steps(array.astype(wide, copy=False)) for array in arrays]


def _whole_steps(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    steps_fit = not any(step % array.itemsize for step in array.strides)
    return array if steps_fit and array.flags.aligned else array.copy()


def _gate(has_signal: Any, n: int) -> npt.NDArray[np.bool_]:
    gate = on_host("has_signal", has_signal)
    if gate.dtype != bool or gate.shape != (n,):
        raise InputError(f"has_signal: found {gate.dtype}{list(gate.shape)}, expected bool[{n}]")
    return np.ascontiguousarray(gate)

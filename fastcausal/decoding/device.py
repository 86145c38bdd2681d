"""Decoders on a device: logits to label ids or relations, all in device memory.

Nothing here waits for the device, so invalid logits are marked, not refused. Arrays have room for
the largest possible result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from fastcausal.engine.device.machine import Array, Machine
from fastcausal.engine.kernel import Int32
from fastcausal.rows import Rows

COLUMNS = 6
SELECTION = 32  # bytes of struct Selection of csrc/fastcausal/span_selection.h
SCRATCH = COLUMNS + 2  # doubles for each token, as in scratch_of there


def _record(*members: str | tuple[str, int]) -> np.dtype[np.void]:
    """Declare a launch record: addresses and numbers, 8 bytes each; a pair has several."""
    pairs = [(member, 1) if isinstance(member, str) else member for member in members]
    kinds = {"min_score": np.float64}
    return np.dtype([(name, kinds.get(name, np.uint64), (n,)) for name, n in pairs])


# The launch records, structs of csrc/device/decoding.cu.
_SETTINGS = (
    "method", "top_k", "n_best", "max_signal", "n_columns", ("roles", 3), "min_score"
)  # fmt: skip
LABELS_TASK = _record(
    "values", "itemsize", "n_sequences", "n_tokens", "n_labels", ("strides", 3), "where", "steps",
    "start", "n_ends", "ignored", "ids", "last",
)  # fmt: skip
SELECTIONS_TASK = _record(
    ("columns", COLUMNS), ("example_steps", COLUMNS), ("token_steps", COLUMNS), "itemsize",
    "n_examples", "n_tokens", "there", "words", "has_signal", *_SETTINGS, "scratch", "found",
    "n_relations", "n_rows", "wrong",
)  # fmt: skip
ROWS_TASK = _record(
    *_SETTINGS, "found", "relation_offsets", "example_rows", "n_examples", "values", "row_offsets",
    "lengths", "scores",
)  # fmt: skip


def label_ids(
    machine: Machine, logits: Array, where: Array | None, steps: Int32 | None, start: int,
    n_ends: int, ignored: int,
) -> Array:  # fmt: skip
    """Decode as `_native.label_ids` does, on arrays of the machine."""
    # A token with a logit NaN or +inf gets -1, or -2 if -1 marks absent tokens; with steps, so does
    # every later token of its sequence.
    n, n_tokens, n_labels = logits.shape
    ids = machine.array((n, n_tokens), np.int32)
    last = None if steps is None else machine.array((n, n_tokens, n_ends), np.int32)
    task = _task(
        machine, LABELS_TASK, values=logits, itemsize=logits.itemsize, n_sequences=n,
        n_tokens=n_tokens, n_labels=n_labels, strides=_scale_strides(logits), where=where,
        steps=0 if steps is None else machine.address(machine.constant(steps)), start=start,
        n_ends=n_ends, ignored=ignored, ids=ids, last=last,
    )  # fmt: skip
    machine.current().launch("decode_labels", task, n * n_tokens if steps is None else n)
    return ids


def select_spans(
    machine: Machine, columns: Sequence[Array], there: Array | None, words: Array | None,
    has_signal: Array | None, roles: Sequence[int], settings: tuple[int, int, int, int, float],
) -> tuple[Rows, Array, Array]:  # fmt: skip
    """Select as `_native.select_spans` does, on arrays of the machine."""
    # Returns rows, Rows: with room for the largest possible number of relations; those after
    # ``relation_offsets[-1]`` belong to no example and have no rows; scores, float64[n_relations]:
    # 0 after ``relation_offsets[-1]``; wrong, int64[n_examples]: -1, or 8 * token + column for a
    # logit NaN or +inf, or column 7 for a word out of order; such an example has no relations.
    n, n_tokens = columns[0].shape
    most = n * settings[2]  # n_best relations of each example, of three spans
    selected = machine.array(most * SELECTION, np.uint8)
    scratch = machine.array((n, SCRATCH * n_tokens), np.float64)
    sizes, wrong = machine.array((2, n), np.int64), machine.array(n, np.int64)
    chosen: dict[str, Any] = dict(
        zip(("method", "top_k", "n_best", "max_signal", "min_score"), settings, strict=True)
    )
    chosen |= {"n_columns": len(columns), "roles": list(roles)}
    steps = list(map(_scale_strides, columns))
    task = _task(
        machine, SELECTIONS_TASK, **chosen, columns=[machine.address(c) for c in columns],
        example_steps=[of_example for of_example, _ in steps],
        token_steps=[of_token for _, of_token in steps], itemsize=columns[0].itemsize,
        n_examples=n, n_tokens=n_tokens, there=there, words=words, has_signal=has_signal,
        scratch=scratch, found=selected, n_relations=sizes[0], n_rows=sizes[1], wrong=wrong,
    )  # fmt: skip
    machine.current().launch("decode_selections", task, n)
    rows = Rows(
        machine.array((3 * most, 3), np.int32),
        machine.array(most + 1, np.int64),
        machine.offsets(sizes[0]),
        machine.array(n, np.int32),
    )
    example_rows, scores = machine.offsets(sizes[1]), machine.array(most, np.float64)
    task = _task(
        machine, ROWS_TASK, **chosen, found=selected, relation_offsets=rows.relation_offsets,
        example_rows=example_rows, n_examples=n, values=rows.values,
        row_offsets=rows.row_offsets, lengths=rows.lengths, scores=scores,
    )  # fmt: skip
    machine.current().launch("decode_rows", task, n + 1)
    return rows, scores, wrong


def _task(machine: Machine, record: np.dtype[np.void], **members: Any) -> npt.NDArray[np.void]:
    """Fill a launch record from numbers, lists and arrays; None and missing items are 0."""
    task = np.zeros((), record)
    for name, member in members.items():
        values = member if isinstance(member, list) else [member]
        for k, value in enumerate(values):
            if isinstance(value, int):
                task[name][k] = value % 2**64
            elif isinstance(value, float):
                task[name][k] = value
            elif value is not None:
                task[name][k] = machine.address(value)
    return task


def _scale_strides(array: Array) -> list[int]:
    """Return the strides of an array in items."""
    return [stride // array.itemsize for stride in array.strides]

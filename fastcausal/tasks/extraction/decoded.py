"""Label ids and logits of a model as rows for a scorer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fastcausal.arrays.tensors import INTEGERS, check_matrix, view_on_host
from fastcausal.decoding.spans import SpanDecoder
from fastcausal.decoding.tags import TagScheme
from fastcausal.engine.plan import Plan
from fastcausal.errors import InputError
from fastcausal.formats import read
from fastcausal.options import Backend, DeviceBackend, TagReading, check
from fastcausal.relations import Relations
from fastcausal.rows import Rows
from fastcausal.tasks.relations.official import apply_tagging

if TYPE_CHECKING:
    from fastcausal.engine.device.labels import LabelCounts

Sides = tuple[Relations, Relations] | tuple[Rows, Rows]


class Decoding:
    """Decoder of the batches of a scorer."""

    # Label ids on a device are counted there.

    def __init__(
        self,
        decoder: TagScheme | SpanDecoder,
        plan: Plan | None,  # None for a protocol without a kernel, which the host counts
        tags: TagReading,  # The protocol's reading of tags
        backend: Backend,  # "cpu" or "cuda"
    ) -> None:
        check("backend", backend, DeviceBackend)
        self.decoder = decoder
        self.on_device: LabelCounts | None = None
        if backend == "cuda" and isinstance(decoder, TagScheme) and plan is not None:
            self.on_device = _counts_on_device(decoder, plan, tags)

    def sides(self, gold: Any, pred: Any, **options: Any) -> Sides | None:
        """Decode a batch; return None if the device counts it."""
        if isinstance(self.decoder, SpanDecoder):
            rows = self.decoder.decode(pred, **options).get().rows
            if isinstance(gold, Rows):
                return gold, rows
            gold = read(gold)
            return gold, rows.to_relations(like=gold)
        if options:
            raise TypeError(f"{', '.join(options)}: only the logits of a SpanDecoder have that")
        if self.on_device is None:
            gold, pred = view_on_host("gold", gold), view_on_host("pred", pred)
            if gold.dtype.kind != "i" or gold.ndim != 2:  # faster than `check_matrix`
                check_matrix("gold", gold, INTEGERS, None)
        if getattr(pred, "ndim", 2) == 3:
            pred = _best_labels(self.decoder, gold, pred)
        if self.on_device is not None:
            self.on_device.add(gold, pred)
            return None
        if pred.dtype.kind != "i" or pred.shape != gold.shape:
            check_matrix("pred", pred, INTEGERS, gold.shape)
        return label_rows(self.decoder, gold, pred)

    def reset(self) -> None:
        """Forget the counts of the device."""
        if self.on_device is not None:
            self.on_device.reset()


def _best_labels(scheme: TagScheme, gold_ids: Any, logits: Any) -> Any:
    if logits.shape[:2] != gold_ids.shape:
        expected = (*gold_ids.shape, len(scheme.labels))
        raise InputError(f"pred: found the shape {logits.shape}, expected {expected}")
    return scheme.decode(logits, gold_ids != scheme.ignore_index)


def label_rows(scheme: TagScheme, gold_ids: Any, pred_ids: Any) -> tuple[Rows, Rows]:
    """Decode label ids: one relation per sequence, without the tokens that gold ignores."""
    gold = scheme.rows(gold_ids)
    pred = scheme.rows(pred_ids, gold_ids != scheme.ignore_index)
    shorter = np.flatnonzero(gold.lengths != pred.lengths)
    if len(shorter):
        raise InputError(
            f"example {shorter[0]}: the prediction ignores a token that gold has, "
            f"expected a label id from 0 to {len(scheme.labels) - 1}"
        )
    return gold, pred


def _counts_on_device(scheme: TagScheme, plan: Plan, tags: TagReading) -> LabelCounts:
    from fastcausal.engine.device import cuda
    from fastcausal.engine.device.labels import LabelCounts

    def read_ids(gold_ids: Any, pred_ids: Any) -> tuple[Rows, Rows]:
        gold, pred = label_rows(scheme, gold_ids, pred_ids)
        if tags == "strict":
            return gold, pred
        return apply_tagging(gold, tags)[0], apply_tagging(pred, tags)[0]

    return LabelCounts(
        cuda.machine(), plan, scheme.marks, scheme.ignore_index, read_ids, run_on=tags != "strict"
    )

"""Score the label ids of a tagger, batch by batch, where they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from fastcausal.arrays.tensors import INTEGERS, check_matrix, on_host
from fastcausal.decoding.tags import TagScheme
from fastcausal.errors import InputError
from fastcausal.options import DeviceBackend, ProtocolName, check
from fastcausal.protocols import RECESS, Protocol, batch_protocol
from fastcausal.report import Report
from fastcausal.rows import Rows
from fastcausal.tasks.extraction.scorer import ExtractionScorer
from fastcausal.tasks.official import as_tagged


class TagScorer:
    """Score predicted against gold label ids: `update` with every batch, then `compute`.

    All spans of a sequence are one relation. Tokens that gold ignores are not there on either side.

    Parameters
    ----------
    scheme : TagScheme
        What each label id says.
    protocol : {"recess", "cnc-2023", "cnc-2022"} or Protocol
        As in `fastcausal.score`.
    backend : {"cpu", "cuda"}
        ``cuda`` takes arrays on the device (of CuPy, of torch, or anything with DLPack or
        ``__cuda_array_interface__``) and adds up counts there: an update does not wait for the
        device, `compute` does. The same numbers.
    num_threads : int, optional
        For ``cpu``; the numbers never depend on it.

    Raises
    ------
    InputError
        Backend ``cuda`` without CuPy or a GPU.

    Examples
    --------
    >>> import fastcausal as fc
    >>> scheme = fc.TagScheme(["O", "B-Cause", "I-Cause", "B-Effect", "I-Effect"])
    >>> scorer = fc.TagScorer(scheme)
    >>> scorer.update(np.array([[1, 2, 0, 3, -100]]), np.array([[1, 2, 0, 3, 4]]))
    >>> scorer.compute()["cause"].tp
    1
    """

    def __init__(
        self,
        scheme: TagScheme,
        protocol: ProtocolName | Protocol = RECESS,
        *,
        backend: DeviceBackend = "cpu",
        num_threads: int | None = None,
    ) -> None:
        check("backend", backend, DeviceBackend)
        self.scheme = scheme
        self.scorer: ExtractionScorer = ExtractionScorer(
            batch_protocol(protocol), backend=backend, num_threads=num_threads
        )
        self._on_device = self._counts_on_device() if backend == "cuda" else None

    def update(self, gold_ids: Any, pred: Any) -> None:
        """Add a batch.

        Parameters
        ----------
        gold_ids : int8, int16, int32 or int64[batch, tokens]
            An array of NumPy or torch, or anything that NumPy takes; for ``cuda`` on the device.
        pred : the same, or floats[batch, tokens, labels]
            Label ids, or logits of which the best label counts.

        Raises
        ------
        InputError
            The arrays have other types or shapes, a logit is NaN or +inf, a label id has no label,
            or a prediction ignores a token of gold. From ``cuda`` what is wrong with a label or a
            logit is told by `compute`.
        """
        if self._on_device is None:
            gold_ids, pred = on_host("gold", gold_ids), on_host("pred", pred)
            if gold_ids.dtype.kind != "i" or gold_ids.ndim != 2:  # sooner told than by names
                check_matrix("gold", gold_ids, INTEGERS, None)
        if getattr(pred, "ndim", 2) == 3:
            if pred.shape[:2] != gold_ids.shape:
                expected = (*gold_ids.shape, len(self.scheme.labels))
                raise InputError(f"pred: found the shape {pred.shape}, expected {expected}")
            pred = self.scheme.decode(pred, gold_ids != self.scheme.ignore_index)
        if self._on_device is not None:
            self._on_device.add(gold_ids, pred)
            return
        if pred.dtype.kind != "i" or pred.shape != gold_ids.shape:
            check_matrix("pred", pred, INTEGERS, gold_ids.shape)
        self.scorer.update(*self._rows(gold_ids, pred))

    def compute(self) -> Report:
        """The scores of all batches so far."""
        self.settle()
        return self.scorer.compute()

    def merge(self, other: TagScorer) -> None:
        """Add what another scorer has counted; errors as of `ExtractionScorer.merge`."""
        self.settle()
        other.settle()
        self.scorer.merge(other.scorer)

    def reset(self) -> None:
        """Forget every batch."""
        self.scorer.reset()
        if self._on_device is not None:
            self._on_device.reset()

    def _rows(self, gold_ids: Any, pred_ids: Any) -> tuple[Rows, Rows]:
        gold = self.scheme.rows(gold_ids)
        pred = self.scheme.rows(pred_ids, gold_ids != self.scheme.ignore_index)
        shorter = np.flatnonzero(gold.lengths != pred.lengths)
        if len(shorter):
            raise InputError(
                f"example {shorter[0]}: the prediction ignores a token that gold has, "
                f"expected a label id from 0 to {len(self.scheme.labels) - 1}"
            )
        return gold, pred

    def _counts_on_device(self) -> Any:
        from fastcausal.engine.device import cuda
        from fastcausal.engine.device.labels import LabelCounts

        scheme, tags = self.scheme, self.scorer.protocol.tags

        def read(gold_ids: Any, pred_ids: Any) -> tuple[Rows, Rows]:
            gold, pred = self._rows(gold_ids, pred_ids)
            if tags == "strict":
                return gold, pred
            return as_tagged(gold, tags)[0], as_tagged(pred, tags)[0]

        return LabelCounts(
            cuda.machine(),
            self.scorer.plan(),
            scheme.marks,
            scheme.ignore_index,
            read,
            run_on=tags != "strict",
        )

    def settle(self) -> None:
        """Wait for the device, and move what it has counted into ``scorer``."""
        if self._on_device is None:
            return
        values, n_examples, n_gold, n_pred = self._on_device.take()
        scorer = self.scorer
        counts = np.stack([values, np.zeros_like(values)])  # none has several relations
        scorer.counts[""] = scorer._added("", counts)
        scorer.n_examples += n_examples
        scorer.n_gold_relations += n_gold
        scorer.n_pred_relations += n_pred

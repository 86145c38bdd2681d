"""Functions for ``compute_metrics`` of the Trainer of transformers."""

from __future__ import annotations

from typing import Any

from fastcausal.arrays.tensors import INTEGERS, is_on_device, matrix, view_on_host
from fastcausal.decoding.tags import Labels, TagScheme
from fastcausal.errors import InputError
from fastcausal.options import ProtocolName
from fastcausal.protocols import RECESS, Protocol
from fastcausal.tasks.extraction.tag_scorer import TagScorer
from fastcausal.training.flat import flat_scores
from fastcausal.training.settings import decoder_of, recipe_of, take_settings


def compute_metrics(
    scheme: TagScheme | Labels,
    protocol: ProtocolName | Protocol = RECESS,
    *,
    valid: bool = False,
    num_threads: int | None = None,
    **settings: Any,
) -> TrainerMetrics:
    """Make a function for the Trainer that scores a tagger, on the whole set or batch by batch.

    All spans of a sequence are one relation. Tokens with the label ``scheme.ignore_index`` are
    absent on both sides.

    Parameters
    ----------
    scheme : TagScheme, or labels
        The labels, as in `TagScheme`.
    protocol : {"recess", "cnc-2023", "relations", "depths"} or Protocol
        As in `fastcausal.score`; means of examples, as of cnc-2022, are no function of sums.
    valid : bool
        As in `TagScheme.decode`: take the best well formed sequence of labels, not each token's
        best label.
    num_threads : int, optional
        Results never depend on it.
    **settings : Any
        Settings of `fastcausal.score`: ``roles``, ``tracks``, and of whole relations ``arguments``,
        ``iou``, ``match``. Label ids have no types, so ``types`` decides nothing.

    Returns
    -------
    TrainerMetrics
        For ``Trainer(compute_metrics=...)``. It can be pickled and copied.

    Raises
    ------
    ValueError
        The protocol is unknown, or does not add up over batches; the scheme has other roles.

    Examples
    --------
    >>> import numpy as np
    >>> scheme = TagScheme(["O", "B-Cause", "I-Cause", "B-Effect", "I-Effect"])
    >>> metrics = compute_metrics(scheme)
    >>> gold = np.array([[-100, 1, 2, 0, 3, -100]])
    >>> scores = metrics((np.eye(5)[[[0, 1, 2, 0, 0, 0]]], gold))
    >>> scores["overall_recall"], scores["cause_f1"], "signal_f1" in scores
    (0.5, 1.0, False)
    """
    chosen, options = take_settings(settings), settings
    if options:
        raise TypeError(f"unexpected keyword argument '{next(iter(options))}'")
    decoder = decoder_of(scheme, chosen.get("roles"))
    if not isinstance(decoder, TagScheme):
        raise ValueError(f"scheme is {scheme!r}, expected a TagScheme or labels")
    recipe = recipe_of(decoder, protocol, chosen)
    return TrainerMetrics(TagScorer(decoder, recipe, num_threads=num_threads), valid)


class TrainerMetrics:
    """The result of `compute_metrics`: takes a tagger's output and labels, returns scores."""

    def __init__(self, scorer: TagScorer, valid: bool) -> None:
        self.scorer = scorer
        self.valid = valid

    def __call__(
        self,
        # logits [batch, tokens, labels] or label ids [batch, tokens]; and label ids [batch, tokens]
        eval_pred: Any,
        # None: the whole set; False: more batches follow; True: the last one
        compute_result: bool | None = None,
    ) -> dict[str, float]:
        """Score the whole set, or add a batch."""
        # Arrays are of NumPy or torch, on any device. A tuple stands for its first item, a list is
        # one of batches (of eval_do_concat_batches=False). Scores are of roles with labels; 0/0 is
        # NaN or the value of the protocol. There are none if more batches follow. An error drops
        # all batches so far.
        if compute_result is None:
            self.scorer.reset()
        try:
            self._add(*tuple(eval_pred)[:2])
        except InputError:
            self.scorer.reset()
            raise
        if compute_result is False:
            return {}
        scores = flat_scores(self.scorer.compute(), self.scorer.scheme)
        self.scorer.reset()
        return scores

    def _add(self, predictions: Any, label_ids: Any) -> None:
        if isinstance(predictions, list) and isinstance(label_ids, list):
            if len(predictions) != len(label_ids):
                raise InputError(
                    f"predictions of {len(predictions)} batches, label_ids of {len(label_ids)}"
                )
            for batch in zip(predictions, label_ids, strict=True):
                self._add(*batch)
            return
        gold = matrix("label_ids", _first(label_ids), INTEGERS)
        self.scorer.update(
            gold=gold, pred=self._label_ids(view_on_host("predictions", _first(predictions)), gold)
        )

    def _label_ids(self, predictions: Any, gold: Any) -> Any:
        scheme = self.scorer.scheme
        if predictions.ndim not in (2, 3) or predictions.shape[:2] != gold.shape:
            batch, tokens = gold.shape
            raise InputError(
                f"predictions: found the shape {predictions.shape}, expected logits "
                f"[{batch}, {tokens}, {len(scheme.labels)}] or label ids [{batch}, {tokens}]"
            )
        if predictions.ndim == 3:
            return scheme.decode(predictions, gold != scheme.ignore_index, valid=self.valid)
        if self.valid:
            raise InputError("predictions are label ids, expected logits: valid chooses among them")
        return matrix("predictions", predictions, INTEGERS)


def _first(value: Any) -> Any:
    """Return the first item of a tuple, in host memory: batches may be on the model's device."""
    if isinstance(value, tuple):
        value = value[0] if value else None
    return value.cpu() if is_on_device(value) and hasattr(value, "cpu") else value

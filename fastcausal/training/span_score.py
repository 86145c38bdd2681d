"""Scores of extracted relations as a metric of torchmetrics."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import numpy as np
import torch
from torchmetrics import Metric

from fastcausal.decoding import SpanDecoder
from fastcausal.engine.rows import Rows
from fastcausal.errors import InputError
from fastcausal.extraction import ExtractionScorer
from fastcausal.formats import read
from fastcausal.protocols import RECESS, Protocol
from fastcausal.relations import ROLES, Relations
from fastcausal.report import Report
from fastcausal.tag_scorer import TagScorer
from fastcausal.tagging import TagScheme
from fastcausal.tensors import on_device
from fastcausal.training.flat import flat_scores

TOTALS = ("n_examples", "n_gold_relations", "n_pred_relations")
OTHER = "states of a metric with another protocol or decoder, which do not count the same"


class SpanScore(Metric):
    """Score predicted relations against gold relations, batch by batch.

    Arguments come in torchmetrics' order, predictions first. States are integer counts that add, so
    any split into batches, epochs' parts and processes gives the numbers of `fastcausal.score`, bit
    for bit.

    Parameters
    ----------
    decoder : TagScheme or SpanDecoder, optional
        What label ids or logits say; None: batches are relations.
    protocol : str or Protocol
        As in `fastcausal.score`.
    only : str, optional
        The name of the one score that `compute` gives, such as ``"overall_f1"``: what
        ``self.log("f1", metric)`` of Lightning, or a collection that is logged, can take.
    num_threads : int, optional
        As in `fastcausal.score`.
    **options : Any
        What `torchmetrics.Metric` takes.

    Raises
    ------
    InputError
        The protocol does not add up over batches, or has no score ``only``.

    Examples
    --------
    >>> import fastcausal as fc
    >>> import torch
    >>> metric = SpanScore(fc.TagScheme(["O", "B-Cause", "I-Cause", "B-Effect", "I-Effect"]))
    >>> gold = torch.tensor([[1, 2, 0, 3, 4, -100]])
    >>> metric.update(torch.tensor([[1, 2, 0, 3, 0, 0]]), gold)
    >>> metric.compute()["cause_f1"], metric.report()["effect"].be
    (tensor(1., dtype=torch.float64), 1)
    """

    full_state_update = False
    higher_is_better = True
    is_differentiable = False
    plot_lower_bound = 0.0
    plot_upper_bound = 1.0
    counts: torch.Tensor
    totals: torch.Tensor
    identity: torch.Tensor

    def __init__(
        self,
        decoder: TagScheme | SpanDecoder | None = None,
        protocol: str | Protocol = RECESS,
        *,
        only: str | None = None,
        num_threads: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.decoder = decoder
        self.only = only
        self.scorer = ExtractionScorer(protocol, num_threads=num_threads)
        if self.scorer.protocol.average != "counts":
            raise InputError(f"{self.scorer.protocol.name} does not add up over batches")
        self.scorer.roles = ROLES
        self._taggers: dict[str, TagScorer] = {}
        plan = self.scorer.plan()
        # Counts of examples with at most one gold relation, and of the others.
        self._add("counts", torch.zeros((2, plan.n_fields), dtype=torch.int64), "sum")
        self._add("totals", torch.zeros(len(TOTALS), dtype=torch.int64), "sum")
        # What is counted: metrics of which this differs neither share states nor add them.
        counted = (self.scorer.protocol.signature, plan.kernel.fields, decoder)
        digest = sha256(repr(counted).encode()).digest()
        self._add("identity", torch.tensor([*digest[:8]]), _same)
        if only is not None and only not in (names := flat_scores(self.report())):
            raise InputError(f'there is no score "{only}", expected one of {", ".join(names)}')

    def _add(self, name: str, default: torch.Tensor, reduction: Any) -> None:
        self.add_state(name, default, dist_reduce_fx=reduction, persistent=True)

    def update(self, preds: Any, target: Any, **options: Any) -> None:
        """Add a batch.

        Parameters
        ----------
        preds : tensor, or relations
            With a `TagScheme`: label ids ``[batch, tokens]`` or logits ``[batch, tokens, labels]``,
            of which the best label counts. With a `SpanDecoder`: its logits; if they are on a GPU,
            it is waited for. Or relations: `Relations`, `Rows`, a list of examples.
        target : tensor, or relations
            With a `TagScheme`, label ids ``[batch, tokens]``, ``ignore_index`` where a token is not
            there on either side. Else relations.
        **options : Any
            What a `SpanDecoder` takes besides: ``mask``, ``word_ids``, ``has_signal``.

        Raises
        ------
        InputError
            Tensors have other types or shapes or are on several devices, and all that decoding and
            `ExtractionScorer.update` raise. On a GPU a label id without a label is an error of
            `compute`.
        """
        relations = isinstance(preds, Relations | Rows | list)
        if options and (relations or not isinstance(self.decoder, SpanDecoder)):
            raise InputError(f"{', '.join(options)}: only the logits of a SpanDecoder have that")
        if not relations:
            if isinstance(self.decoder, TagScheme):
                self._update_tags(self.decoder, preds, target)
                return
            if self.decoder is None:
                kind = type(preds).__name__
                raise InputError(
                    f"preds: found a {kind}, which a metric without decoder cannot read"
                )
            preds = self.decoder.decode(preds, **options).get().rows
            if not isinstance(target, Rows):
                target = read(target)
                preds = preds.to_relations(like=target)
        self.scorer.update(target, preds)
        self._take(self.scorer)

    def _update_tags(self, scheme: TagScheme, preds: Any, target: Any) -> None:
        there = on_device(preds)
        if there != on_device(target):
            places = ("host memory", "a GPU") if on_device(target) else ("a GPU", "host memory")
            raise InputError(f"preds is in {places[0]}, target in {places[1]}, expected one device")
        backend = "cuda" if there else "cpu"
        if backend not in self._taggers:
            scorer = self.scorer
            self._taggers[backend] = TagScorer(
                scheme, scorer.protocol, backend=backend, num_threads=scorer.num_threads
            )
        tagger = self._taggers[backend]
        tagger.update(target, preds)
        if not there:  # a GPU may not have come so far
            self._take(tagger.scorer)

    def _settle(self) -> None:
        """Move what a GPU has counted into the states."""
        if "cuda" in self._taggers:
            tagger = self._taggers["cuda"]
            tagger.settle()
            self._take(tagger.scorer)

    def _take(self, scorer: ExtractionScorer) -> None:
        """Move what a scorer has counted into the states."""
        for counts in scorer.counts.values():
            self.counts.add_(torch.from_numpy(counts).to(self.counts.device))
        totals = np.array([getattr(scorer, name) for name in TOTALS])
        self.totals.add_(torch.from_numpy(totals).to(self.totals.device))
        scorer.reset()
        scorer.roles = ROLES

    def compute(self) -> Any:
        """The scores of all batches, of all processes.

        Returns
        -------
        dict of str to float64 tensor, or one such tensor
            ``overall_f1``, ``cause_precision`` and so on, NaN where a score is 0/0 and the protocol
            leaves that undefined, as after no batch; or the one score ``only``.
        """
        scores = flat_scores(self.report())
        if self.only is not None:
            return torch.tensor(scores[self.only], dtype=torch.float64, device=self.device)
        values = torch.tensor([*scores.values()], dtype=torch.float64, device=self.device)
        return dict(zip(scores, values.unbind(), strict=True))

    def report(self) -> Report:
        """All scores and counts of what the states of this process hold.

        Raises
        ------
        InputError
            They were loaded from a metric that counts something else.
        """
        self._settle()
        if not torch.equal(self.identity, self._defaults["identity"].to(self.identity.device)):
            raise InputError(OTHER)
        scorer = self.scorer
        scorer.counts = {"": self.counts.cpu().numpy()}
        for name, total in zip(TOTALS, self.totals.tolist(), strict=True):
            setattr(scorer, name, total)
        report = scorer.compute()
        scorer.reset()
        scorer.roles = ROLES
        return report

    def plot(self, val: Any = None, ax: Any = None) -> Any:
        """Plot values of `compute`, the current ones if not given, as torchmetrics does."""
        return self._plot(val, ax)

    def reset(self) -> None:
        """Forget every batch."""
        super().reset()
        for tagger in self._taggers.values():
            tagger.reset()

    def set_dtype(self, dst_type: Any) -> SpanScore:
        """Counts stay integers."""
        return self

    # Where torchmetrics looks at the states: what a GPU has counted has to be in them.

    @property
    def metric_state(self) -> dict[str, Any]:
        """The states by name."""
        self._settle()
        return dict(super().metric_state)

    def state_dict(self, *arguments: Any, **options: Any) -> Any:
        """The states by name, with the prefix of a module."""
        self._settle()
        return super().state_dict(*arguments, **options)

    def _copy_state_dict(self) -> Any:
        self._settle()
        return super()._copy_state_dict()

    def __getstate__(self) -> dict[str, Any]:
        self._settle()
        return {**super().__getstate__(), "_taggers": {}}


def _same(identities: torch.Tensor) -> torch.Tensor:
    """What several processes or metrics have to agree on."""
    if not (identities == identities[0]).all():
        raise InputError(OTHER)
    return identities[0]

"""Scores of extracted relations as a metric of torchmetrics."""

from __future__ import annotations

import math
from hashlib import sha256
from typing import Any

import numpy as np
import torch
from torchmetrics import Metric

from fastcausal.arrays.reading import roles_setting
from fastcausal.arrays.tensors import is_on_device
from fastcausal.counts.statistics import Statistics
from fastcausal.decoding.spans import Decoded, DecodedOnDevice, SpanDecoder
from fastcausal.decoding.tags import Labels, TagScheme
from fastcausal.errors import InputError, unknown
from fastcausal.formats import read
from fastcausal.options import DeviceBackend, ProtocolName
from fastcausal.protocols import RECESS, ArgumentProtocol, Protocol
from fastcausal.relations import Relations
from fastcausal.report.report import Report
from fastcausal.rows import Rows, rows_of_examples
from fastcausal.tasks.extraction.counting import counting_of
from fastcausal.tasks.extraction.evaluation import Evaluation
from fastcausal.tasks.extraction.report import ExtractionReport
from fastcausal.tasks.extraction.scorer import ExtractionScorer
from fastcausal.tasks.extraction.tag_scorer import TagScorer
from fastcausal.tasks.extraction.tally import Stratum, Tally, Totals
from fastcausal.training.flat import flat_scores
from fastcausal.training.settings import decoder_of, recipe_of, take_settings

MAX_WAITING = 64  # batches that a GPU decodes before they are fetched
OTHER = "states of a metric with another protocol or decoder, which do not count the same"


class _Counted:
    """Lazily synchronised metric state: reading it waits for the GPU."""

    # Setting it, for instance from a checkpoint, drops all earlier counts.

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, metric: Any, owner: type) -> Any:
        if metric is None:
            return self
        metric._settle()
        return metric.__dict__[self.name]

    def __set__(self, metric: Any, state: torch.Tensor) -> None:
        metric._drop_waiting()
        metric._computed = None  # torchmetrics keeps the cache when states are merged or loaded
        metric.__dict__[self.name] = state


class SpanScore(Metric):
    """Score predicted relations against gold relations, batch by batch.

    Arguments come in torchmetrics' order, predictions first. States are additive integer counts:
    any split into batches, parts of epochs and processes gives the numbers of `fastcausal.score`,
    bit for bit.

    Parameters
    ----------
    decoder : TagScheme, SpanDecoder, or labels, optional
        Decodes label ids or logits. Labels as in `TagScheme`: names in order, ``id2label`` or
        ``label2id``. None: batches are relations.
    protocol : {"recess", "cnc-2023", "relations", "depths"} or Protocol
        As in `fastcausal.score`; means of examples, as of cnc-2022, are no function of sums.
    only : str, optional
        The only score that `compute` returns, such as ``"overall_f1"``: a single value for
        ``self.log("f1", metric)`` of Lightning, or for a logged collection.
    num_threads : int, optional
        As in `fastcausal.score`.
    **options : Any
        Settings of `fastcausal.score`: ``roles``, ``tracks``, ``types``, and of whole relations
        ``arguments``, ``iou``, ``match``; and arguments of `torchmetrics.Metric`.

    Raises
    ------
    InputError
        A label is not recognised.
    ValueError
        The protocol does not add up over batches, the score ``only`` is unknown, ``decoder`` has
        another type or other roles, or an option needs examples: ``by``, ``per_example``.

    Examples
    --------
    >>> import torch
    >>> metric = SpanScore(["O", "B-Cause", "I-Cause", "B-Effect", "I-Effect"])
    >>> metric
    SpanScore(O B-Cause I-Cause B-Effect I-Effect, protocol="recess")
    >>> gold = torch.tensor([[1, 2, 0, 3, 4, -100]])
    >>> metric.update(torch.tensor([[1, 2, 0, 3, 0, 0]]), gold)
    >>> metric.compute()["cause_f1"], metric.report()["effect"].be
    (tensor(1., dtype=torch.float64), 1)

    Notes
    -----
    What is no sum is in no state: the report has no confusion of types and no warnings of the data,
    and its signature no rule by which texts were found.
    """

    full_state_update = False
    higher_is_better = True
    is_differentiable = False
    plot_lower_bound: float = 0.0
    plot_upper_bound: float = 1.0
    counts: _Counted = _Counted()
    totals: _Counted = _Counted()
    identity: torch.Tensor
    _waiting = False  # True if the GPU has batches that are not in the states

    def __init__(
        self,
        decoder: TagScheme | SpanDecoder | Labels | None = None,
        protocol: ProtocolName | Protocol = RECESS,
        *,
        only: str | None = None,
        num_threads: int | None = None,
        **options: Any,
    ) -> None:
        settings = take_settings(options)
        super().__init__(**options)
        self.decoder: TagScheme | SpanDecoder | None = decoder_of(decoder, settings.get("roles"))
        self.only = only
        recipe = recipe_of(self.decoder, protocol, settings)
        self.scorer: ExtractionScorer = ExtractionScorer(recipe, num_threads=num_threads)
        roles = recipe.marking.roles
        self._empty = Tally(roles=roles, found=frozenset(roles_setting(roles)))
        self._restart(self.scorer)
        self._taggers: dict[str, TagScorer] = {}
        # Batches on a GPU: number of the batch, decoded result, gold.
        self._decoded: list[tuple[int, DecodedOnDevice, Relations | Rows]] = []
        counting = counting_of(self.scorer.protocol, roles, "cpu", None, recipe.marking.types)
        # Settings of the counts: metrics with other settings neither share nor add states. It is
        # the first state: collections of older releases compare only the first.
        types = recipe.marking.types
        counted = (recipe.protocol.signature, counting.columns, roles, types, self.decoder)
        digest = sha256(repr(counted).encode()).digest()
        self._add("identity", torch.tensor([*digest[:8]]), _same)
        # Counts of examples with at most one gold relation, and of the others.
        self._add("counts", torch.zeros((2, len(counting.columns)), dtype=torch.int64), "sum")
        self._add("totals", torch.zeros(len(Totals._fields), dtype=torch.int64), "sum")
        typed = self._report_of(Totals(n_gold_types=1))  # also has scores that types alone have
        if only is not None and only not in (names := flat_scores(typed, self.decoder)):
            raise ValueError(unknown("score", only, [*names]))

    def _add(self, name: str, default: torch.Tensor, reduction: Any) -> None:
        self.add_state(name, default, dist_reduce_fx=reduction, persistent=True)

    def update(
        self,
        preds: Any,
        target: Any,
        *,
        mask: Any = None,
        word_ids: Any = None,
        has_signal: Any = None,
    ) -> None:
        """Add a batch, predictions first, as torchmetrics has it; scorers take keywords instead.

        Parameters
        ----------
        preds : tensor, or relations
            With a `TagScheme`: label ids ``[batch, tokens]`` or logits ``[batch, tokens, labels]``,
            decoded by each token's best label. With a `SpanDecoder`: its logits. Or relations:
            `Relations`, `Rows`, a list of examples.
        target : tensor, or relations
            With a `TagScheme`, label ids ``[batch, tokens]``, ``ignore_index`` for a token that is
            absent on both sides. Else relations.
        mask, word_ids, has_signal : optional
            Further arguments of `SpanDecoder.decode`.

        Raises
        ------
        InputError
            Tensors have other types or shapes or are on several devices, and all that decoding and
            `ExtractionScorer.update` raise. For invalid numbers on a GPU, `compute` raises it and
            names the batch.
        """
        options = {"mask": mask, "word_ids": word_ids, "has_signal": has_signal}
        are_relations = isinstance(preds, Relations | Rows | list)
        if not are_relations and isinstance(self.decoder, SpanDecoder):
            self._update_boundaries(self.decoder.decode(preds, **options), target)
            return
        given = ", ".join(name for name, option in options.items() if option is not None)
        if given:
            raise ValueError(f"{given}: only the logits of a SpanDecoder have that")
        if are_relations:
            self.scorer.update(gold=target, pred=preds)
            self._take(self.scorer)
        else:
            self._update_tags(preds, target)

    def _update_boundaries(self, decoded: Decoded, target: Any) -> None:
        if isinstance(target, list) and (rows := rows_of_examples(target)) is not None:
            target = rows[0]
        elif not isinstance(target, Rows):
            target = read(target)
        if isinstance(decoded, DecodedOnDevice):
            self._decoded.append((self.update_count - 1, decoded, target))
            self._waiting = True
            if len(self._decoded) == MAX_WAITING:
                self._settle()
        else:
            self._score(decoded, target)
            self._take(self.scorer)

    def _score(self, decoded: Decoded, target: Relations | Rows) -> None:
        rows = decoded.get().rows
        self.scorer.update(
            gold=target, pred=rows if isinstance(target, Rows) else rows.to_relations(like=target)
        )

    def _update_tags(self, preds: Any, target: Any) -> None:
        if not isinstance(self.decoder, TagScheme):
            kind = type(preds).__name__
            raise InputError(f"preds: found a {kind}, which a metric without decoder cannot read")
        there = is_on_device(preds)
        if there != is_on_device(target):
            places = ("host memory", "a GPU") if is_on_device(target) else ("a GPU", "host memory")
            raise InputError(f"preds is in {places[0]}, target in {places[1]}, expected one device")
        if there and isinstance(self.scorer.protocol, ArgumentProtocol):  # has no kernel
            preds, target, there = preds.cpu(), target.cpu(), False
        backend: DeviceBackend = "cuda" if there else "cpu"
        if backend not in self._taggers:
            scorer = self.scorer
            self._taggers[backend] = TagScorer(
                self.decoder, scorer.recipe, backend=backend, num_threads=scorer.num_threads
            )
        tagger = self._taggers[backend]
        tagger.update(gold=target, pred=preds)
        if there:
            self._waiting = True
        else:
            self._take(tagger)

    def _settle(self) -> None:
        """Move decoded batches of the GPU into the states; after an error they stay waiting."""
        if not self._waiting:
            return
        tagger = self._taggers.get("cuda")
        if tagger:
            tagger.settle()
        for number, decoded, target in self._decoded:
            try:
                self._score(decoded, target)
            except InputError as error:
                self._restart(self.scorer)
                raise InputError(f"batch {number}: {error}") from None
        self._decoded.clear()
        self._waiting = False
        self._take(self.scorer)
        if tagger:
            self._take(tagger)

    def _drop_waiting(self) -> None:
        """Drop the waiting batches of the GPU."""
        if self._waiting:
            for tagger in self._taggers.values():
                tagger.reset()
            self._decoded.clear()
            self._waiting = False

    def _take(self, scorer: ExtractionScorer) -> None:
        """Move the counts of a scorer into the states."""
        tally = scorer.tally
        totals = np.array(tally.totals)
        for name, more in (("counts", tally.counts.get(())), ("totals", totals)):
            if more is not None:
                state = self.__dict__[name]
                # Not in place: states may be shared in a collection, or made in inference mode.
                self.__dict__[name] = state + torch.from_numpy(more).to(state.device)
        self._restart(scorer)

    def _restart(self, scorer: ExtractionScorer) -> None:
        scorer.reset()
        scorer.tally = self._empty

    def compute(self) -> Any:
        """Return the scores of all batches, of all processes.

        Returns
        -------
        dict of str to float64 tensor, or one such tensor
            ``overall_f1``, ``cause_precision`` and so on; NaN for 0/0 that the protocol leaves
            undefined, as after no batch; or the one score ``only``. Roles without a label are left
            out.
        """
        scores = self._flat()
        device = "cpu" if self.device.type == "mps" else self.device  # mps lacks float64
        if self.only is not None:
            value = scores.get(self.only, math.nan)  # NaN without types, if it is of types
            return torch.tensor(value, dtype=torch.float64, device=device)
        values = torch.tensor([*scores.values()], dtype=torch.float64, device=device)
        return dict(zip(scores, values.unbind(), strict=True))

    def report(self) -> Report:
        """Return all scores and counts from the states of this process.

        Raises
        ------
        InputError
            The states come from a metric with other counts.
        """
        if not torch.equal(self.identity, self._defaults["identity"].to(self.identity.device)):
            raise InputError(OTHER)
        return self._report_of(Totals(*self.totals.tolist()))

    def _report_of(self, totals: Totals) -> Report:
        counts: dict[Stratum, Any] = {(): self.counts.cpu().numpy()}
        tally = self._empty._replace(totals=totals, counts=counts)
        return ExtractionReport(Evaluation(self.scorer.recipe, tally))

    def _flat(self) -> dict[str, float]:
        return flat_scores(self.report(), self.decoder)

    @property
    def statistics(self) -> Statistics:
        """Sums in the states of this process, without units."""
        return self.report().statistics

    def plot(self, val: Any = None, ax: Any = None) -> Any:
        """Plot values of `compute`, the current ones if not given, as torchmetrics does."""
        return self._plot(val, ax)

    def reset(self) -> None:
        """Drop every batch."""
        self._drop_waiting()
        super().reset()

    def set_dtype(self, dst_type: Any) -> SpanScore:
        """Do nothing: counts stay integers."""
        return self

    def _apply(self, *arguments: Any) -> SpanScore:
        """Move the states without reading them: Lightning does so at every step."""
        waiting, self._waiting = self._waiting, False
        super()._apply(*arguments)
        self._waiting = waiting
        return self

    def __repr__(self) -> str:
        decoder = self.decoder
        read = " ".join(decoder.labels) if isinstance(decoder, TagScheme) else decoder
        parts = [] if read is None else [str(read)]
        parts.append(f'protocol="{self.scorer.protocol.name}"')
        if self.only is not None:
            parts.append(f'only="{self.only}"')
        return f"SpanScore({', '.join(parts)})"

    def __hash__(self) -> int:
        # Independent of the states: a model hashes its parts whenever parameters are listed.
        return object.__hash__(self)

    def __getstate__(self) -> dict[str, Any]:
        self._settle()
        return {**super().__getstate__(), "_taggers": {}}


def _same(identities: torch.Tensor) -> torch.Tensor:
    """Return the settings on which processes and metrics must agree."""
    if not (identities == identities[0]).all():
        raise InputError(OTHER)
    return identities[0]

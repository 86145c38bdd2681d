"""Score extracted relations against gold batch by batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Never, Unpack

import numpy as np
import numpy.typing as npt

from fastcausal.arrays.reading import roles_setting
from fastcausal.arrays.strata import By, columns_by
from fastcausal.counts.signatures import joint_signature
from fastcausal.engine.run import check_backend
from fastcausal.errors import InputError
from fastcausal.formats.reading.sources import RelationSource
from fastcausal.options import (
    Backend,
    MarkingSettings,
    Occurrence,
    Policy,
    ProtocolName,
    ReadFormat,
    TagReading,
)
from fastcausal.protocols import RECESS, ArgumentProtocol, Protocol, batch_protocol
from fastcausal.recipe import Recipe
from fastcausal.relations import Relations
from fastcausal.rows import Rows
from fastcausal.tasks.extraction.counting import counting_of, tally_arrays
from fastcausal.tasks.extraction.evaluation import Evaluation
from fastcausal.tasks.extraction.report import ExtractionReport
from fastcausal.tasks.extraction.sides import align_sides
from fastcausal.tasks.extraction.tally import Tally, Totals
from fastcausal.tasks.relations.align import Aligned

if TYPE_CHECKING:
    from fastcausal.counts.statistics import Statistics
    from fastcausal.decoding.spans import SpanDecoder
    from fastcausal.decoding.tags import TagScheme
    from fastcausal.tasks.extraction.decoded import Decoding


class ExtractionScorer:
    """`score` batch by batch: `update`, `merge` with scorers of other shards, `compute`.

    Counts are integers, so any split into batches and any order of merging gives the same numbers.
    Parameters are as in `score`, and ``decoder``. Scorers can be pickled.

    Parameters
    ----------
    protocol : {"recess", "cnc-2023", "cnc-2022", "relations", "depths"}, Protocol or Recipe
        As in `score`.
    decoder : TagScheme or SpanDecoder, optional
        Decodes label ids or logits. With a `TagScheme` all spans of a sequence are one relation,
        and tokens that gold ignores are dropped from both sides. Backend ``cuda`` then takes label
        ids on the device (CuPy, torch, or any array with DLPack or ``__cuda_array_interface__``)
        and adds up counts there: an update does not wait for the device, `compute` does.

    Attributes
    ----------
    recipe : Recipe
    tally : Tally
        The counts so far: the only value that changes.

    Examples
    --------
    >>> import fastcausal as fc
    >>> batch = fc.Relations.from_examples([{"length": 4, "relations": [{"cause": (0, 2)}]}])
    >>> scorer, other = fc.ExtractionScorer(), fc.ExtractionScorer()
    >>> scorer.update(gold=batch, pred=batch)
    >>> other.update(gold=batch, pred=batch)
    >>> scorer.merge(other)
    >>> scorer.compute()["cause"].tp
    2
    """

    def __init__(
        self,
        protocol: ProtocolName | Protocol | Recipe = RECESS,
        *,
        decoder: TagScheme | SpanDecoder | None = None,
        by: By = None,
        unparsed: Policy = "error",
        unmatched: Policy = "error",
        backend: Backend = "cpu",
        num_threads: int | None = None,
        format: ReadFormat | None = None,
        tags: TagReading | None = None,
        answers: str | None = None,
        occurrence: Occurrence = "gap",
        id: str | None = None,
        **marking: Unpack[MarkingSettings],
    ) -> None:
        self.recipe: Recipe = Recipe.make(
            protocol, unparsed, unmatched, format, tags, answers, occurrence, id, **marking
        )
        self.columns: tuple[str, ...] = columns_by(by)
        self.backend = backend
        self.num_threads = num_threads
        check_backend(backend, num_threads)
        self._decoding: Decoding | None = None
        self._roles = getattr(decoder, "all_roles", self.recipe.marking.roles)
        self.reset()
        if decoder is not None:
            from fastcausal.tasks.extraction.decoded import Decoding

            batch_protocol(self.protocol)
            if self.protocol.tags == "aligned":
                raise ValueError('tags is "aligned", but label ids and logits have no tags')
            if self.columns:
                raise ValueError(
                    f'by is "{", ".join(self.columns)}", but label ids and logits have no columns'
                )
            has_plan = not isinstance(self.protocol, ArgumentProtocol)
            plan = self.protocol.plan(self._roles) if has_plan else None
            self._decoding = Decoding(decoder, plan, self.protocol.tags, backend)

    @property
    def protocol(self) -> Protocol:
        """The protocol of the recipe."""
        return self.recipe.protocol

    def reset(self) -> None:
        """Forget every batch."""
        self.tally: Tally = Tally()
        if own := roles_setting(self._roles):
            self.tally = Tally(roles=self._roles, found=frozenset(own))
        if self._decoding is not None:
            self._decoding.reset()

    @property
    def signature(self) -> str:
        """Signature line: all settings that the scores depend on."""
        return self.evaluation().signature

    def update(
        self,
        *positions: Never,
        gold: RelationSource | Rows | npt.ArrayLike,
        pred: RelationSource | Rows | npt.ArrayLike,
        **masks: Any,
    ) -> None:
        """Add a batch by keywords; arguments and errors as in `score`.

        Parameters
        ----------
        *positions
            None: torchmetrics takes predictions first, so positions are refused.
        gold : relations, or int8, int16, int32 or int64[batch, tokens]
            With a `TagScheme` label ids of NumPy or torch, or any array-like.
        pred : the same, or floats
            With a `TagScheme` also logits [batch, tokens, labels], decoded to the best labels.
            With a `SpanDecoder` its logits.
        **masks
            Further arguments of `SpanDecoder.decode`: mask, word_ids, has_signal.

        Raises
        ------
        TypeError
            A side has no keyword.
        InputError
            An array has another type or shape, a logit is NaN or +inf, a label id has no label, or
            a prediction ignores a token of gold. With backend ``cuda``, `compute` reports invalid
            labels and logits.
        """
        if positions:
            raise TypeError("update() takes gold= and pred= by keyword alone")
        if self.protocol.average != "counts":
            raise ValueError(f"{self.protocol.name} does not add up over batches, use score")
        sides: Any = gold, pred
        if self._decoding is not None and not isinstance(pred, Relations | Rows):
            sides = self._decoding.sides(gold, pred, **masks)
            if sides is None:
                return
        elif masks:
            raise TypeError(f"{', '.join(masks)}: only the logits of a SpanDecoder have that")
        tally = None
        if self.backend == "cpu" and not self.columns and self.recipe.join is None:
            roles = self.tally.roles
            tally = tally_arrays(self.protocol, sides[0], sides[1], self.num_threads, roles)
        if tally is None:
            self.add(self.align(*sides))
        else:
            self.tally += tally

    def align(self, gold: RelationSource | Rows, pred: RelationSource | Rows) -> Aligned:
        """Read both sides and bring them to the same examples."""
        return align_sides(self.recipe, gold, pred, self.tally.roles, self.columns)

    def add(self, aligned: Aligned) -> None:
        """Count aligned examples."""
        how = self.backend, self.num_threads, self.recipe.marking.types
        counting = counting_of(self.protocol, aligned.roles, *how)
        self.tally += counting.tally(aligned, self.columns, self.tally.n_given)

    def settle(self) -> None:
        """Wait for the device, and add its counts to the tally."""
        if self._decoding is None or self._decoding.on_device is None:
            return
        values, *n_marked = self._decoding.on_device.take()
        counts = np.stack([values, np.zeros_like(values)])  # none has several relations
        self.tally += Tally(Totals(*n_marked), {(): counts})

    def merge(self, other: ExtractionScorer) -> None:
        """Add the counts of another scorer.

        Raises
        ------
        ValueError
            The other scorer has another protocol, policy, ``by`` or other roles.
        InputError
            A sum would reach 2^56.
        """
        roles = self.tally.roles, other.tally.roles
        if None not in roles and roles[0] != roles[1]:
            raise ValueError(f"cannot merge roles {roles[1]} into {roles[0]}")
        mine, theirs = (each.recipe.signature(found=each.tally.found) for each in (self, other))
        try:
            joint_signature(mine, theirs)
        except InputError:
            raise ValueError(f"cannot merge {theirs} into {mine}") from None
        if self.columns != other.columns:
            a, b = (", ".join(each.columns) or "no column" for each in (self, other))
            raise ValueError(f"cannot merge scores by {b} into scores by {a}")
        self.settle()
        other.settle()
        self.tally += other.tally

    def compute(self) -> ExtractionReport:
        """Return the report of all batches so far; without batches every score is 0/0."""
        self.settle()
        return ExtractionReport(self.evaluation())

    @property
    def statistics(self) -> Statistics:
        """Sums of all batches so far, without units: two rows of counts."""
        self.settle()
        return self.evaluation().statistics()

    def evaluation(
        self, sides: Any = None, system: str | None = None, counted: Statistics | None = None
    ) -> Evaluation:
        """Return the evaluation of the tally; arguments as of `Evaluation`."""
        how = self.num_threads, self.columns, self.backend
        return Evaluation(self.recipe, self.tally, sides, *how, system, counted)

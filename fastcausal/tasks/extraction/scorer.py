"""Score extracted relations against gold batch by batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.arrays import _spans
from fastcausal.arrays.strata import By, columns_by, joint_strata
from fastcausal.counts.signatures import joint_signature
from fastcausal.engine.plan import Plan
from fastcausal.engine.run import check_backend
from fastcausal.errors import InputError, Warnings, add_warnings
from fastcausal.formats import implied, read
from fastcausal.formats.cnc.rereading import GOLD_READING, with_tags
from fastcausal.formats.reading.sources import RelationSource
from fastcausal.options import (
    Backend,
    Occurrence,
    Policy,
    ProtocolName,
    ReadFormat,
    TagReading,
    check_policies,
)
from fastcausal.protocols import RECESS, Protocol, batch_protocol, protocol_named
from fastcausal.relations import ROLES, Relations
from fastcausal.rows import Rows
from fastcausal.significance.sums import Int64
from fastcausal.tasks.extraction.report import ExtractionReport, Totals
from fastcausal.tasks.extraction.tables import Counting, Details
from fastcausal.tasks.relations.align import (
    Aligned,
    align,
    align_examples,
    align_rows,
)
from fastcausal.tasks.relations.formula import RelationFormula
from fastcausal.tasks.relations.unread import ALL_READ, Unparsed, named_reasons

if TYPE_CHECKING:
    from fastcausal.counts.statistics import Statistics
    from fastcausal.decoding.spans import SpanDecoder
    from fastcausal.decoding.tags import TagScheme
    from fastcausal.tasks.extraction.decoded import Decoding


class Reads(NamedTuple):
    """How predictions are read, as `fastcausal.read` takes it."""

    format: ReadFormat | None = None
    answers: str | None = None
    occurrence: Occurrence = "gap"


class ExtractionScorer:
    """`score` batch by batch: `update`, `merge` with scorers of other shards, `compute`.

    Counts are integers, so any split into batches and any order of merging gives the same numbers.
    Parameters are those of `score`, and ``decoder``. Scorers can be pickled.

    Parameters
    ----------
    decoder : TagScheme or SpanDecoder, optional
        Reads label ids or logits. Of a `TagScheme` all spans of a sequence are one relation, and
        tokens that gold ignores are not there on either side. Backend ``cuda`` then takes label ids
        on the device (of CuPy, of torch, or anything with DLPack or ``__cuda_array_interface__``)
        and adds up counts there: an update does not wait for the device, `compute` does.

    Examples
    --------
    >>> import fastcausal as fc
    >>> batch = fc.Relations.from_examples([{"length": 4, "relations": [{"cause": (0, 2)}]}])
    >>> scorer, other = fc.ExtractionScorer(), fc.ExtractionScorer()
    >>> scorer.update(batch, batch)
    >>> other.update(batch, batch)
    >>> scorer.merge(other)
    >>> scorer.compute()["cause"].tp
    2
    """

    def __init__(
        self,
        protocol: ProtocolName | Protocol = RECESS,
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
    ) -> None:
        named = protocol_named if decoder is None else batch_protocol
        self.protocol: Protocol = _with_tags(named(protocol), tags)
        self.reads: Reads = Reads(format or implied(answers), answers, occurrence)
        self.columns: tuple[str, ...] = columns_by(by)
        self.unparsed = unparsed
        self.unmatched = unmatched
        self.backend = backend
        self.num_threads = num_threads
        check_policies(unparsed, unmatched)
        check_backend(backend, num_threads)
        self.pred_path: Any = None  # by which statistics name the system
        self._decoding: Decoding | None = None
        self._counting: Counting | None = None
        self.reset()
        if decoder is not None:
            from fastcausal.tasks.extraction.decoded import Decoding

            if self.protocol.tags == "aligned":
                raise ValueError('tags is "aligned", but label ids and logits have no tags')
            if self.columns:
                raise ValueError(
                    f'by is "{", ".join(self.columns)}", but label ids and logits have no columns'
                )
            self._decoding = Decoding(decoder, self.plan(), self.protocol.tags, backend)

    def reset(self) -> None:
        """Forget every batch."""
        self.roles: tuple[str, ...] | None = None
        self.n_examples: int = 0
        self.n_gold_relations: int = 0
        self.n_pred_relations: int = 0
        # By the values of the columns: counts of examples with at most one gold relation, and of
        # the others.
        self.counts: dict[tuple[str, ...], Int64] = {}
        self.n_as_given: int = 0  # relations whose spans are not read as the protocol reads tags
        self.located: frozenset[str] = frozenset()  # by which rules texts of spans were located
        self.warnings: Warnings = {}
        self.unparsed_relations: Unparsed = ALL_READ
        self.reasons: list[pa.Table] = []  # why, see `Relations.unparsed`
        # Counts of examples with something unread, that as no relation; None: cannot be had.
        self.unread_counts: Int64 | None = np.zeros((), np.int64)
        if self._decoding is not None:
            self._decoding.reset()

    @property
    def signature(self) -> str:
        """One line that says everything the scores depend on."""
        protocol = self.protocol
        return self._recipe(protocol.signature_as_given if self.n_as_given else protocol.signature)

    def _recipe(self, protocol: str) -> str:
        policies = f"unparsed:{self.unparsed}|unmatched:{self.unmatched}"
        spans = f"|spans:{'+'.join(sorted(self.located))}" if self.located else ""
        return f"fastcausal|{__version__}|{protocol}|{policies}{spans}"

    def update(
        self,
        gold: RelationSource | Rows | npt.ArrayLike,
        pred: RelationSource | Rows | npt.ArrayLike,
        **masks: Any,
    ) -> None:
        """Add a batch; arguments and errors as in `score`.

        Parameters
        ----------
        gold : relations, or int8, int16, int32 or int64[batch, tokens]
            With a `TagScheme` label ids of NumPy or torch, or anything that NumPy takes.
        pred : the same, or floats
            With a `TagScheme` also logits [batch, tokens, labels], of which the best label counts.
            With a `SpanDecoder` its logits.
        **masks
            What `SpanDecoder.decode` takes besides: mask, word_ids, has_signal.

        Raises
        ------
        InputError
            Arrays have other types or shapes, a logit is NaN or +inf, a label id has no label, or a
            prediction ignores a token of gold. With backend ``cuda``, `compute` tells what is wrong
            with a label or a logit.
        """
        if self.protocol.average != "counts":
            raise ValueError(f"{self.protocol.name} does not add up over batches, use score")
        sides: Any = gold, pred
        if self._decoding is not None and not isinstance(pred, Relations | Rows):
            sides = self._decoding.sides(gold, pred, **masks)
            if sides is None:
                return
        elif masks:
            raise TypeError(f"{', '.join(masks)}: only the logits of a SpanDecoder have that")
        self.add(self.align(*sides))

    def settle(self) -> None:
        """Wait for the device, and take over what it has counted."""
        if self._decoding is None or self._decoding.on_device is None:
            return
        values, n_examples, n_gold, n_pred = self._decoding.on_device.take()
        counts = np.stack([values, np.zeros_like(values)])  # none has several relations
        self.counts[()] = self._added((), counts)
        self.n_examples += n_examples
        self.n_gold_relations += n_gold
        self.n_pred_relations += n_pred

    def align(self, gold: RelationSource | Rows, pred: RelationSource | Rows) -> Aligned:
        """Read both sides and bring them to the same examples."""
        if isinstance(gold, Rows) and isinstance(pred, Rows):
            return align_rows(gold, pred, self._roles, self.protocol)
        if isinstance(gold, Rows) or isinstance(pred, Rows):
            raise InputError("one side is Rows, expected both: they have no ids to be joined by")
        if self._takes_plain_examples(gold, pred):
            plain = align_examples(gold, pred, self.protocol)  # type: ignore[arg-type]
            if plain is not None:
                return plain
        gold = read(gold, tags=GOLD_READING[self.protocol.tags])
        pred = read(pred, like=gold, tags=self.protocol.tags, **self.reads._asdict())
        if self.roles not in (None, gold.roles):
            raise InputError(f"roles are {', '.join(gold.roles)}, expected {', '.join(self.roles)}")
        if gold.reading.predicted:
            raise InputError("gold is a submission file, expected gold annotations")
        gold, pred = with_tags(gold, pred, self.protocol.tags)
        return align(gold, pred, self.protocol, self.unparsed, self.unmatched)

    def _takes_plain_examples(self, *sides: Any) -> bool:
        """Tell if both sides are lists, the first of each perhaps an example of token offsets."""
        if (
            self.protocol.tags == "aligned"
            or self.columns
            or self.roles not in (None, ROLES)
            or self.reads not in (Reads(), Reads("examples"))
        ):
            return False
        return all(isinstance(side, list) and side and "relations" in side[0] for side in sides)

    def add(self, aligned: Aligned) -> None:
        """Count aligned examples."""
        strata: list[tuple[str, ...]] = [()]
        stratum = None
        if self.columns:
            strata, stratum = joint_strata(aligned.examples, self.columns)
        self.roles = aligned.roles
        if aligned.reasons is not None:
            start = self.n_examples + self.unparsed_relations.examples
            self.reasons.append(named_reasons(aligned.reasons, start))
            counts = self.counting().of_unread(aligned)
            self.unread_counts = _added_if_known(self.unread_counts, counts)
        result = self.counting().run(aligned, stratum, len(strata), apart=True, partners=False)
        for k, name in enumerate(strata):
            self.counts[name] = self._added(name, result.counts[2 * k : 2 * k + 2])
        self.n_examples += len(aligned.gold.lengths)
        self.n_gold_relations += marked_relations(aligned.gold)
        self.n_pred_relations += marked_relations(aligned.pred)
        self.n_as_given += aligned.n_as_given
        self.located |= aligned.located
        if aligned.counted:
            add_warnings(self.warnings, aligned.counted)
        if aligned.unparsed is not ALL_READ:
            self.unparsed_relations += aligned.unparsed

    def counting(self) -> Counting:
        """Return how examples with the roles seen are paired and counted."""
        if self._counting is None or self._counting.roles != self._roles:
            plan = self.protocol.plan(self._roles)
            self._counting = Counting(plan, self._roles, self.backend, self.num_threads)
        return self._counting

    def plan(self) -> Plan:
        """Return the protocol made ready for the roles seen."""
        return self.counting().plan

    def formula(self) -> RelationFormula:
        """The way from counts of the roles seen to scores."""
        return formula_of(self.protocol, self._roles)

    @property
    def statistics(self) -> Statistics:
        """The sums of all batches so far, without units: two rows of counts."""
        self.settle()
        return _statistics(self.totals(), None)

    def _total(self) -> Int64:
        if not self.columns and self.counts:
            return self.counts[()]
        nothing = np.zeros((2, self.plan().n_fields), np.int64)
        return reduce(added, self.counts.values(), nothing)

    @property
    def _roles(self) -> tuple[str, ...]:
        return ROLES if self.roles is None else self.roles

    def _added(self, stratum: tuple[str, ...], counts: Int64) -> Int64:
        before = self.counts.get(stratum)
        return counts if before is None else added(before, counts)

    def merge(self, other: ExtractionScorer) -> None:
        """Add what another scorer has counted.

        Raises
        ------
        ValueError
            The other scorer follows another protocol or policy, or has other roles; or counts
            would reach 2^56.
        """
        mine, theirs = (each._recipe(each.protocol.signature) for each in (self, other))
        try:
            joint_signature(mine, theirs)
        except InputError:
            raise ValueError(f"cannot merge {theirs} into {mine}") from None
        if self.columns != other.columns:
            a, b = (", ".join(each.columns) or "no column" for each in (self, other))
            raise ValueError(f"cannot merge scores by {b} into scores by {a}")
        if None not in (self.roles, other.roles) and self.roles != other.roles:
            raise ValueError(f"cannot merge roles {other.roles} into {self.roles}")
        self.settle()
        other.settle()
        merged = {name: self._added(name, counts) for name, counts in other.counts.items()}
        self.roles = self.roles or other.roles
        self.counts |= merged
        self.n_examples += other.n_examples
        self.n_gold_relations += other.n_gold_relations
        self.n_pred_relations += other.n_pred_relations
        self.n_as_given += other.n_as_given
        self.located |= other.located
        add_warnings(self.warnings, other.warnings)
        self.unparsed_relations += other.unparsed_relations
        self.reasons += other.reasons
        self.unread_counts = _added_if_known(self.unread_counts, other.unread_counts)

    def compute(self) -> ExtractionReport:
        """The scores of all batches so far; of none, every score is 0/0."""
        self.settle()
        return self.report()

    def report(self, whole: Aligned | Callable[[], Aligned] | None = None) -> ExtractionReport:
        """Return what `compute` does, with tables of all examples where ``whole`` has them."""
        totals = self.totals()
        details = None
        if whole is not None:
            details = Details(self.counting(), whole, totals.counts, self.columns)
        return totals.report(details, partial(_statistics, totals, details))

    def _subsets(self) -> dict[str, Int64]:
        """Return the counts of the values of each column, ascending."""
        subsets: dict[str, Int64] = {}
        for k, column in enumerate(self.columns):
            for values in sorted(self.counts, key=lambda values: values[k]):
                name = f"{column}={values[k]}"
                counts = self.counts[values].sum(axis=0)
                subsets[name] = added(subsets[name], counts) if name in subsets else counts
        return subsets

    def totals(self) -> Totals:
        """The sums of all batches so far, and all that is said of them."""
        return Totals(
            self.protocol.name,
            self.signature,
            self.formula(),
            self._total(),
            self._subsets(),
            self.n_examples,
            self.n_gold_relations,
            self.n_pred_relations,
            self.unparsed_relations,
            dict(self.warnings),
            self.n_as_given,
            self.pred_path,
            self.unread_counts,
            tuple(self.reasons),
        )


def formula_of(protocol: Protocol, roles: tuple[str, ...]) -> RelationFormula:
    """Return the way from counts of roles to the scores of a protocol; made once."""
    made: RelationFormula | None = protocol.kept.get(("formula", roles))
    if made is None:
        kernel = protocol.pair_kernel
        fields = kernel.fields, kernel.overall
        made = RelationFormula(kernel.name, *fields, roles, protocol.undefined)
        protocol.kept["formula", roles] = made
    return made


def _with_tags(protocol: Protocol, tags: TagReading | None) -> Protocol:
    """Return the protocol with another reading of tags; ValueError where it says its own."""
    if tags is None or tags == protocol.tags:
        return protocol
    if protocol.tags != "strict":
        raise ValueError(f"tags is {tags}, but {protocol.name} reads them as {protocol.tags}")
    return replace(protocol, tags=tags)


def _statistics(totals: Totals, details: Details | None) -> Statistics:
    """Statistics of the examples where there are details of them, else of the sums alone."""
    about = totals.about()
    if details is not None:
        return details.statistics(about)
    # Of examples with at most one gold relation, and of the others.
    rows = np.column_stack([totals.counts, [0, 1]])
    return replace(about, rows=rows, times=np.ones(2, np.int64))


def added(a: Int64, b: Int64) -> Int64:
    """Add counts of 0 and above.

    Raises
    ------
    InputError
        A sum is 2^56 or more: over all roles it might leave 64 bits.

    Examples
    --------
    >>> added(np.array([1, 2]), np.array([3, 4]))
    array([4, 6])
    """
    total: Int64 = a + b
    if (total >> 56).any():
        raise InputError(f"counts add up to {total.max()}, expected less than 2^56")
    return total


def _added_if_known(a: Int64 | None, b: Int64 | None) -> Int64 | None:
    return None if a is None or b is None else added(a, b)


def marked_relations(rows: Rows) -> int:
    """Relations that mark at least one span."""
    return _spans.count_filled(rows.row_offsets)

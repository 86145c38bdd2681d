"""Counts of both sides of an evaluation: the step from relations to a `Tally`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from fastcausal.arrays.kept import Key
from fastcausal.arrays.strata import joint_strata
from fastcausal.counts.arithmetic import ratio
from fastcausal.engine import cpu
from fastcausal.engine.kernel import Int64
from fastcausal.engine.plan import CountGroups, Result, TooLargeError
from fastcausal.engine.reference.whole import WholeRules
from fastcausal.engine.run import check_backend, chosen_pairs, count_pairs, run
from fastcausal.errors import InputError
from fastcausal.formats.cnc.markup import OFFICIAL
from fastcausal.formats.cnc.rereading import was_read_alone
from fastcausal.options import Backend, TypePolicy
from fastcausal.protocols import (
    RECESS,
    ArgumentProtocol,
    DepthsProtocol,
    Protocol,
    WholeProtocol,
)
from fastcausal.relations import ROLES, Relations
from fastcausal.rows import Rows
from fastcausal.tasks.extraction.kinds import error_fields, hit_fields
from fastcausal.tasks.extraction.tally import (
    NO_PAIRS,
    NOTHING,
    TYPE,
    Stratum,
    Tally,
    Totals,
    totals_of,
)
from fastcausal.tasks.relations import depths, whole
from fastcausal.tasks.relations.align import (
    Aligned,
    are_alike,
    has_unknown_ids,
    have_same_texts,
    too_large,
)
from fastcausal.tasks.relations.formula import GroupedFormula, RelationFormula
from fastcausal.tasks.relations.official import are_untagged
from fastcausal.tasks.relations.types import Types, count_by_type, pairs_of, run_by_type
from fastcausal.tasks.relations.unread import name_reasons

# Of `Protocol.derived`
FORMULAS: Key[dict[tuple[tuple[str, ...], bool], GroupedFormula]] = Key("formulas")
ALL = CountGroups(None, 1, apart=True)
COUNT = np.dtype(np.int64)


class Counting(NamedTuple):
    """Settings by which aligned examples are paired and counted: plan, roles, backend, threads."""

    plan: Any  # `Plan`, or the rules of a protocol without a kernel
    roles: tuple[str, ...]
    backend: Backend
    num_threads: int | None
    types: TypePolicy = "ignore"

    @property
    def counted(self) -> tuple[str, ...]:
        """Names of what has errors: the roles."""
        return self.roles

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of counts of a role."""
        fields: tuple[str, ...] = self.plan.kernel.fields
        return fields

    @property
    def error_kinds(self) -> tuple[str, ...]:
        """Kinds of counts that are errors; none if the kernel says of none."""
        return error_fields(self.plan.kernel)

    @property
    def hit_kinds(self) -> tuple[str, ...]:
        """Kinds of counts that are hits."""
        return hit_fields(self.plan.kernel)

    @property
    def detailed_columns(self) -> tuple[str, ...]:
        """Names of `detail`."""
        return self.columns

    def detail(self, counts: Int64) -> Int64:
        """Return rows of counts with a column for each kind of what has errors."""
        return counts

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the counts."""
        return tuple(self.plan.kernel.columns(self.roles))

    @property
    def runner(self) -> Callable[..., Result]:
        """The function that counts rows by the plan."""
        return run

    def weigh(self, counts: Int64) -> Any:
        """Return the objective of rows of counts."""
        numerator, denominator = (counts @ self.plan.weights[:2].T).T
        with np.errstate(invalid="ignore", divide="ignore"):
            return numerator if self.plan.linear else numerator / denominator

    def list_pairs(self, gold: Rows, pred: Rows, partner: Int64) -> tuple[Int64, Int64, Int64]:
        """List the counted pairs, as `fastcausal.engine.run.chosen_pairs`."""
        return chosen_pairs(self.plan, gold, pred, partner)

    def count_pairs(
        self, gold: Rows, pred: Rows, of_gold: Int64, of_pred: Int64, types: Types | None
    ) -> Int64:
        """Count given pairs, as `fastcausal.engine.run.count_pairs`."""
        return count_pairs(self.plan, gold, pred, of_gold, of_pred, self.backend)

    def run(
        self,
        aligned: Aligned,
        groups: Int64 | None = None,
        n_groups: int | None = None,
        *,
        apart: bool = False,
        partners: bool = True,
    ) -> Result:
        """Run the engine, as `fastcausal.engine.run.run`; InputError names a too large example."""
        types = aligned.types if self.types == "require" else None
        try:
            if types is not None:
                return run_by_type(
                    self.plan,
                    aligned.gold,
                    aligned.pred,
                    types,
                    groups,
                    n_groups,
                    self.backend,
                    self.num_threads,
                    apart=apart,
                    partners=partners,
                )
            return run(
                self.plan,
                aligned.gold,
                aligned.pred,
                groups,
                n_groups,
                self.backend,
                self.num_threads,
                apart=apart,
                partners=partners,
                check=aligned.unchecked,
            )
        except TooLargeError as error:
            raise too_large(aligned, error) from None

    def tally(self, aligned: Aligned, columns: tuple[str, ...] = (), n_before: int = 0) -> Tally:
        """Count aligned examples by values of columns; they follow ``n_before`` examples."""
        strata: list[Stratum] = [()]
        stratum = None
        types, by_type = aligned.types, None
        if TYPE in columns and (types or TYPE not in aligned.examples.column_names):
            columns = tuple(column for column in columns if column != TYPE)
            by_type = {} if types is None else self.count_by_type(aligned, types)
        if columns:
            strata, stratum = joint_strata(aligned.examples, columns)
        unread: Int64 | None = NOTHING
        reasons: tuple[pa.Table, ...] = ()
        if aligned.reasons is not None:
            unread = self.count_unread(aligned)
            reasons = (name_reasons(aligned.reasons, n_before),)
        compares = self.types == "ignore" and types is not None
        made = self.run(aligned, stratum, len(strata), apart=True, partners=compares)
        counts, totals = made.counts, totals_of(aligned)
        if compares and types is not None:
            pairs = pairs_of(aligned.gold, aligned.pred, made.partner)
            totals = totals._replace(
                n_gold_types=int(np.count_nonzero(types.gold)),
                n_pred_types=int(np.count_nonzero(types.pred)),
                n_typed_pairs=types.count_typed(*pairs),
                n_types_differ=int(types.differ(*pairs).sum()),
            )
        confusion = NO_PAIRS
        if types is not None:
            confusion = types.confusion(*self.pair_all_types(aligned, made.partner))
        return Tally(
            totals,
            {name: counts[2 * k : 2 * k + 2] for k, name in enumerate(strata)},
            aligned.roles,
            aligned.found,
            aligned.counted,
            unread,
            reasons,
            by_type,
            confusion,
        )

    def pair_all_types(self, aligned: Aligned, partner: Int64 | None = None) -> tuple[Int64, Int64]:
        """Return relations with spans that are paired whatever their types."""
        # Where types are required, no pair of ``partner`` has two.
        if partner is None or self.types == "require":
            partner = self._replace(types="ignore").run(aligned, n_groups=1).partner
        return pairs_of(aligned.gold, aligned.pred, partner)

    def count_by_type(self, aligned: Aligned, types: Types) -> dict[str, Int64]:
        """Count the relations of each type alone, as `fastcausal.tasks.relations.types`."""
        how = self.backend, self.num_threads
        try:
            return count_by_type(self.plan, aligned.gold, aligned.pred, types, *how, self.runner)
        except TooLargeError as error:
            raise too_large(aligned, error) from None

    def count_unread(self, aligned: Aligned) -> Int64 | None:
        """Count the examples with unparsed predictions, each of which counts as no relation.

        Return int64[n_counts], or None if these examples cannot be scored.
        """
        sides = aligned.aside if aligned.n_unread is None else aligned
        if sides is None:
            return None
        is_unread = np.ones(sides.gold.n_examples, bool)
        if sides.n_unread is not None:
            is_unread = sides.n_unread > 0
        try:
            counts: Int64 = self.run(sides, is_unread.astype(np.int64), 2, partners=False).counts[1]
        except InputError:  # a skipped example may be too large to count
            return None
        return counts


EXACT = "exact"


class RuleCounting(Counting):
    """Settings by which a protocol without a kernel counts: its rules are the plan."""

    __slots__ = ()

    @property
    def looks_at_types(self) -> bool:
        """True if types have a part in the counts."""
        return True

    def list_pairs(self, gold: Rows, pred: Rows, partner: Int64) -> tuple[Int64, Int64, Int64]:
        """List the counted pairs: no prediction is dropped."""
        return chosen_pairs(RECESS.plan(self.roles), gold, pred, partner)

    def run(
        self,
        aligned: Aligned,
        groups: Int64 | None = None,
        n_groups: int | None = None,
        *,
        apart: bool = False,
        partners: bool = True,
    ) -> Result:
        """Count by the rules; InputError names a too large example."""
        gold, pred, how = aligned.gold, aligned.pred, (self.backend, self.num_threads)
        types = aligned.types if self.looks_at_types else None
        try:
            return self.runner(self.plan, gold, pred, groups, n_groups, *how, apart=apart,
                               partners=partners, check=aligned.unchecked, types=types)  # fmt: skip
        except TooLargeError as error:
            raise too_large(aligned, error) from None


class WholeCounting(RuleCounting):
    """Settings by which whole relations are counted; no kernel has a part in it."""

    __slots__ = ()

    counted = (EXACT,)
    kinds = ("tp", "fp", "fn")
    error_kinds = ("fp", "fn")
    hit_kinds = ("tp",)
    columns = whole.FIELDS
    runner = staticmethod(whole.run)
    detailed_columns = (*whole.FIELDS, f"{EXACT}_fp", f"{EXACT}_fn")

    def detail(self, counts: Int64) -> Int64:
        """Add the relations of predictions and of gold without an equal one."""
        n_gold, n_pred, n_equal = counts.T[:3]
        return np.column_stack([counts, n_pred - n_equal, n_gold - n_equal])

    def weigh(self, counts: Int64) -> Any:
        """Return F1 of equal relations for rows of counts."""
        named = dict(zip(whole.FIELDS, counts.T, strict=True))
        return ratio(2 * named["exact_tp"], named["predicted"] + named["gold"], np.nan)

    def count_pairs(
        self, gold: Rows, pred: Rows, of_gold: Int64, of_pred: Int64, types: Types | None
    ) -> Int64:
        """Count given pairs, -1 for no relation."""
        return whole.count_pairs(self.plan, gold, pred, of_gold, of_pred, self.backend)


class DepthsCounting(RuleCounting):
    """Settings by which relations are followed to where they are lost."""

    __slots__ = ()

    counted = depths.SIDES
    runner = staticmethod(depths.run)

    @property
    def looks_at_types(self) -> bool:
        """True if relations of different types do not link."""
        return self.types == "require"

    @property
    def arguments(self) -> tuple[str, str]:
        """Names of the two arguments."""
        first, second = (self.roles[k] for k in self.plan.arguments)
        return first, second

    @property
    def kinds(self) -> tuple[str, ...]:
        """Lines of the account."""
        return depths.lines_of(self.arguments)

    @property
    def error_kinds(self) -> tuple[str, ...]:
        """Lines of lost relations."""
        return self.kinds[1:-1]

    hit_kinds = ("right",)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the counts."""
        return depths.DepthsFormula(self.roles, self.arguments, None).count_fields

    @property
    def detailed_columns(self) -> tuple[str, ...]:
        """The counts, and right relations of both sides."""
        names = (name.removeprefix("account_") for name in self.columns)
        return (*names, *(f"{side}_right" for side in self.counted))

    def detail(self, counts: Int64) -> Int64:
        """Add the right relations of both sides."""
        right = counts[:, self.columns.index("right")]
        return np.column_stack([counts, right, right])

    def weigh(self, counts: Int64) -> Any:
        """Return F1 of links for rows of counts."""
        formula = depths.DepthsFormula(self.roles, self.arguments, None)
        return formula.scores_of_group(formula.counts_of(counts.T, "links"))["f1"]

    def count_pairs(
        self, gold: Rows, pred: Rows, of_gold: Int64, of_pred: Int64, types: Types | None
    ) -> Int64:
        """Count the line of each relation of given pairs; spans and examples have no part in it."""
        types = types if self.looks_at_types else None
        lines = depths.lines_of_relations(self.plan, gold, pred, types, self.backend)
        return depths.count_lines(self.plan, lines, of_gold, of_pred)

    def run(self, aligned: Aligned, *groups: Any, partners: bool = True, **how: Any) -> Result:
        """Count examples, spans, and relations by what became of them.

        Lost relations have the partners of whole relations with common tokens.
        """
        made = super().run(aligned, *groups, partners=partners, **how)
        if partners:
            n_roles, arguments, *_ = self.plan
            rules = WholeRules(n_roles, arguments, 1, 1)
            near = whole.run(rules, aligned.gold, aligned.pred, None, 1, self.backend).partner
            free = (made.partner < 0) & ~np.isin(near, made.partner)
            made.partner[free] = near[free]
        return made


def tally_arrays(
    protocol: Protocol,
    gold: Any,
    pred: Any,
    num_threads: int | None = None,
    roles: tuple[str, ...] | None = None,
) -> Tally | None:
    """Count two sides in memory without aligning them; None if they have to be aligned.

    A fast path for batches of training loops; it equals `Counting.tally` of the aligned sides.
    Both sides are `Rows`, or `Relations` of the same examples without types, read as the protocol
    requires.
    ``roles`` are the roles of earlier batches.
    """
    check = isinstance(gold, Rows) and isinstance(pred, Rows)
    if check:
        roles = roles or ROLES
    elif isinstance(gold, Relations) and isinstance(pred, Relations):
        if protocol.tags in OFFICIAL or not _are_plain(gold, pred):
            return None
        if gold.types is not None or pred.types is not None:
            return None
        if roles not in (None, gold.roles):
            return None
        gold, pred, roles = Rows.of(gold), Rows.of(pred), gold.roles
    else:
        return None
    tags = None
    if not are_alike(gold, pred, protocol):
        if not (check and are_untagged(gold, pred, roles, protocol.tags)):
            return None
        tags = protocol.tags
    if num_threads is not None:
        check_backend("cpu", num_threads)
    if isinstance(protocol, ArgumentProtocol):
        if tags is not None:
            return None
        counting = counting_of(protocol, roles, "cpu", num_threads)
        try:
            counts = counting.runner(counting.plan, gold, pred, None, 1, "cpu", num_threads,
                                     apart=True, partners=False, check=check).counts  # fmt: skip
        except TooLargeError:
            return None
        return Tally(Totals.add_up(gold, pred), {(): counts}, roles)
    plan = protocol.plan(roles)
    counts = np.zeros((2, plan.n_fields), COUNT)
    try:
        n_as_given = cpu.run(plan, gold, pred, ALL, None, counts, num_threads, check, tags)
    except TooLargeError:
        return None
    return Tally(Totals.add_up(gold, pred, n_as_given), {(): counts}, roles)


def _are_plain(gold: Relations, pred: Relations) -> bool:
    """Return True if two tables have the same examples, no unparsed relations and no notes."""
    if gold.n_unread or pred.n_unread or gold.roles != pred.roles or was_read_alone(pred):
        return False
    a, b = gold.reading, pred.reading
    if a.predicted or a.notes or b.notes or a.content_settings() or b.content_settings():
        return False
    if gold.ids is not None and pred.ids is not None:
        is_same = bool(gold.ids.equals(pred.ids))
    else:
        is_same = len(gold) == len(pred) and not has_unknown_ids(gold, pred)
    return is_same and have_same_texts(gold, pred)


def counting_of(
    protocol: Protocol,
    roles: tuple[str, ...],
    backend: Backend,
    num_threads: int | None,
    types: TypePolicy = "ignore",
) -> Counting:
    """Return the `Counting` of a protocol for examples with these roles."""
    if isinstance(protocol, WholeProtocol):  # its ``strict`` looks at types by itself
        return WholeCounting(whole.rules_of(protocol, roles), roles, backend, num_threads)
    if isinstance(protocol, DepthsProtocol):
        return DepthsCounting(depths.rules_of(protocol, roles), roles, backend, num_threads, types)
    return Counting(protocol.plan(roles), roles, backend, num_threads, types)


def formula_of(
    protocol: Protocol,
    roles: tuple[str, ...],
    typed: bool = False,  # True if a relation of either side has a type
) -> GroupedFormula:
    """Return the formula from counts to the scores of a protocol; made once."""
    formulas = protocol.derived.get(FORMULAS) or protocol.derived.setdefault(FORMULAS, {})
    made = formulas.get((roles, typed))
    if made is None:
        if isinstance(protocol, WholeProtocol):
            made = whole.WholeFormula(roles, protocol.undefined, typed)
        elif isinstance(protocol, DepthsProtocol):
            made = depths.formula_of(protocol, roles)
        else:
            kernel = protocol.pair_kernel
            fields = kernel.fields, kernel.overall
            made = RelationFormula(kernel.name, *fields, roles, protocol.undefined)
        formulas[roles, typed] = made
    return made

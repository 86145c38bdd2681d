"""Agreement of two annotators: their relations aligned, paired, measured and summed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fastcausal.engine.plan import Plan, TooLargeError
from fastcausal.engine.run import chosen_pairs, run
from fastcausal.formats.cnc.rereading import read_with_tags
from fastcausal.options import MeanOver, TypePolicy
from fastcausal.protocols import Protocol
from fastcausal.relations import Relations
from fastcausal.rows import Rows
from fastcausal.tasks.agreement.count import scores_of
from fastcausal.tasks.agreement.depths import (
    F1,
    DepthSums,
    add_classes,
    count_depths,
    groups_of,
    name_groups,
    nest,
)
from fastcausal.tasks.agreement.disagreements import Paired
from fastcausal.tasks.agreement.files import (
    columns_of_either,
    n_common,
    n_missing,
)
from fastcausal.tasks.agreement.formula import RatioFormula
from fastcausal.tasks.agreement.measures import TOTAL, MeasureSums, PairList, published_pairs
from fastcausal.tasks.agreement.report import PairAgreement
from fastcausal.tasks.agreement.verdicts import count_verdicts, judge, score_verdicts
from fastcausal.tasks.relations.align import Aligned, align, too_large
from fastcausal.tasks.relations.types import Types, run_by_type, warn_of_types

Sides = Mapping[str, Relations]
"""Relations by annotator."""


def compare(
    a: str,
    b: str,
    sides: Sides,
    whole: Sides,
    protocol: Protocol,
    average: MeanOver,
    types: TypePolicy,
    warnings: dict[str, None],
) -> PairAgreement:
    """Measure the agreement of two annotators; ``whole`` is ``sides`` with unreadable relations."""
    aligned = _aligned(a, b, sides, protocol)
    first, second = aligned.gold.marked(), aligned.pred.marked()
    roles = sides[a].roles
    plan = protocol.plan(roles)
    of_relations = aligned.types and aligned.types.drop_unmarked(aligned.gold, aligned.pred)
    required = of_relations if types == "require" else None
    pairs = chosen = _chosen(aligned, plan, first, second, required)
    published = protocol.name == "recess-code"
    if published:
        pairs = published_pairs(first, second, chosen)
        if required is not None:
            kept = (pairs[1] < 0) | (pairs[2] < 0) | ~required.differ(pairs[1], pairs[2])
            pairs = pairs[0][kept], pairs[1][kept], pairs[2][kept]
    by_example = average == "example"
    sums = MeasureSums(aligned.examples, first, second, pairs, plan, published, by_example)
    names = ("alpha_unitized" if published else "alpha", "em", "osb", "to")
    formula = RatioFormula(((a, b),), (*roles, TOTAL), names)
    depth = _count_depths(aligned, first, second, of_relations, required)
    of_depths = RatioFormula(((a, b),), groups_of(roles), (F1,))
    groups = scores_of(of_depths, depth.totals)
    verdict = score_verdicts(count_verdicts(np.stack([judge(first), judge(second)], 1), (a, b)))
    n_counted, n_unmarked = len(sums.counted()), sums.n_unmarked()
    pair = PairAgreement(
        a=a,
        b=b,
        n_examples=n_counted,
        n_unmarked=n_unmarked,
        n_missing=n_missing(whole[a], whole[b]),
        scores=scores_of(formula, sums.totals),
        types_differ=_count_differing(chosen, of_relations) if required is None else None,
        verdict=add_classes(verdict, groups),
        **nest(name_groups(groups)),
        sums=sums,
        depths=depth,
        paired=Paired(a, b, aligned, chosen[0], (chosen[1], chosen[2])),
    )
    n_lost = first.n_examples - n_unmarked - n_counted
    _warn(pair, sides, whole, aligned, n_lost, warnings)
    return pair


def _aligned(a: str, b: str, sides: Sides, protocol: Protocol) -> Aligned:
    tables = read_with_tags(sides[a], sides[b], protocol.tags)
    aligned = align(*tables, protocol, unmatched="skip", names=(a, b))
    return aligned._replace(columns=columns_of_either(aligned.examples, sides[b]))


def _count_depths(
    aligned: Aligned, first: Rows, second: Rows, types: Types | None, required: Types | None
) -> DepthSums:
    try:
        return count_depths(aligned.examples, first, second, aligned.roles, types, required)
    except TooLargeError as error:
        raise too_large(aligned, error) from None


def _chosen(
    aligned: Aligned, plan: Plan, first: Rows, second: Rows, types: Types | None
) -> PairList:
    """Return the example and the two relations of each pair, paired best; -1 if unmatched."""
    try:
        if types is None:
            partner = run(plan, first, second, n_groups=1).partner
        else:
            partner = run_by_type(plan, first, second, types, n_groups=1).partner
    except TooLargeError as error:
        raise too_large(aligned, error) from None
    return chosen_pairs(plan, first, second, partner)


def _count_differing(chosen: PairList, types: Types | None) -> tuple[int, int] | None:
    """Count the pairs of different types, and those with a type; None unless both have types."""
    if types is None or not types.are_on_both:
        return None
    both = (chosen[1] >= 0) & (chosen[2] >= 0)
    pairs = chosen[1][both], chosen[2][both]
    return int(types.differ(*pairs).sum()), types.count_typed(*pairs)


def _warn(
    pair: PairAgreement,
    sides: Sides,
    whole: Sides,
    aligned: Aligned,
    n_lost: int,
    warnings: dict[str, None],
) -> None:
    """Add the warnings about two annotators."""
    a, b = pair.a, pair.b
    texts = []
    if n_lost:
        texts.append(f"the published pruning leaves nothing of {n_lost} examples")
    if not pair.n_examples:
        n = n_common(whole[a], whole[b])
        texts.append(f"nothing to compare in {n} common examples, all is undefined")
    if pair.types_differ is not None and pair.types_differ[0]:
        texts.append(warn_of_types(*pair.types_differ))
    texts += [warning for warning in aligned.warnings if not warning.startswith("unmatched")]
    warnings.update(dict.fromkeys(f"{a} / {b}: {text}" for text in texts))

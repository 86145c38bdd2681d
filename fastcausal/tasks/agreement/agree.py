"""Agreement between annotators of causal relations (RECESS, section 3.5 and appendix A.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.engine.kernel import Objective
from fastcausal.engine.plan import TooLargeError
from fastcausal.engine.run import chosen_pairs, count_pairs, run
from fastcausal.errors import some_of
from fastcausal.formats.cnc.tagged import with_tags
from fastcausal.formats.io.sources import RelationSources
from fastcausal.formulas import Int64, RatioFormula, flat, mean_of_pairs
from fastcausal.groups import Scores
from fastcausal.options import AgreementProtocol, MeanOver, Policy, check
from fastcausal.protocols import RECESS, Protocol
from fastcausal.relations import Relations
from fastcausal.report import Report, Tables, plain, scores_table
from fastcausal.significance.intervals import bootstrap
from fastcausal.statistics import Statistics, strata_of
from fastcausal.tables import Grid
from fastcausal.tasks.agreement.annotators import (
    columns_of_either,
    n_common,
    n_missing,
    named,
    other_texts,
    read_annotators,
    readable,
    require_common,
)
from fastcausal.tasks.agreement.measures import (
    TOTAL,
    Floats,
    Sums,
    measures,
    per_example,
    published_pairs,
    unitized,
)
from fastcausal.tasks.agreement.tables import example_table, match_table, named_rows
from fastcausal.tasks.agreement.units import statistics_of
from fastcausal.tasks.align import align, too_large

PROTOCOLS: dict[AgreementProtocol, Protocol] = {
    "recess": replace(RECESS, kernel="span_overlap"),
    "recess-code": replace(
        RECESS,
        name="recess-code",
        kernel="span_overlap",
        ties="first",
        objective=Objective({name: 1 for m in ("em", "osb", "to") for name in (m, f"overall_{m}")}),
    ),
}


@dataclass(frozen=True)
class PairAgreement:
    """How two annotators agree.

    Attributes
    ----------
    a, b : str
        The annotators.
    n_examples : int
        Examples that both annotated and at least one marked a relation in.
    n_unmarked, n_missing : int
        Examples left out: neither marked a relation; only one of the two annotated it.
    scores : mapping of str to Scores
        The measures of every role and of the total; NaN where undefined.
    """

    a: str
    b: str
    n_examples: int
    n_unmarked: int
    n_missing: int
    scores: Mapping[str, Scores]
    sums: Sums = field(repr=False, compare=False)
    matches: pa.Table = field(repr=False, compare=False)


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Report):
    """Agreement between annotators: each pair, and the mean over the pairs.

    Attributes
    ----------
    protocol, signature : str
    annotators : tuple of str
    n_examples : int
        Examples that count for at least one pair.
    scores : mapping of str to Scores
        By role and ``total``: the mean over the pairs of annotators where defined.
    pairs : tuple of PairAgreement
    subsets : mapping of str to mapping
        ``scores`` of the strata of a column.
    warnings : tuple of str
    """

    protocol: str
    signature: str
    annotators: tuple[str, ...]
    n_examples: int
    scores: Mapping[str, Scores]
    pairs: tuple[PairAgreement, ...]
    subsets: Mapping[str, Mapping[str, Scores]]
    warnings: tuple[str, ...]

    # Alpha over the masks of all annotators at once, for three and more.
    alpha_all: Mapping[str, Scores] = field(default_factory=dict)

    _keys = (
        "signature", "protocol", "annotators", "n_examples", "scores", "pairs", "alpha_all",
        "subsets", "warnings",
    )  # fmt: skip

    @cached_property
    def statistics(self) -> Statistics:
        """Sums of every example of any pair of annotators, in ascending order."""
        return statistics_of(self._formula(), self.signature, [pair.sums for pair in self.pairs])

    def _formula(self) -> RatioFormula:
        return RatioFormula(
            annotators=tuple((pair.a, pair.b) for pair in self.pairs),
            roles=tuple(self.scores),
            measures=tuple(next(iter(self.scores.values()))),
        )

    def intervals(
        self,
        cluster: str | None = None,
        *,
        n_resamples: int = 1000,
        confidence: float = 0.95,
        seed: int = 0,
    ) -> dict[str, dict[str, tuple[float, float]]]:
        """Bootstrap percentile intervals of `scores`.

        Parameters
        ----------
        cluster : str, optional
            A column: its values are drawn, with all their examples; None draws examples.
        n_resamples : int
        confidence : float
        seed : int
            The same seed gives the same intervals.

        Returns
        -------
        dict of dict of (float, float)
            Lower and upper bound by group and measure; NaN where a measure is undefined.
        """
        statistics = self.statistics
        formula = self._formula()

        def scores(weights: Int64) -> dict[str, Floats]:
            # Bounds are estimates: sums that are rounded at every step do, and cost far less.
            sums = weights.astype(np.float64)[:, None] @ statistics.rows
            return flat(formula.groups_of(sums[:, 0]))

        found = bootstrap(
            scores,
            statistics.clusters(cluster),
            n_resamples=n_resamples,
            confidence=confidence,
            seed=seed,
        )
        return {
            group: {name: found[f"{group}_{name}"][:2] for name in scores}
            for group, scores in self.scores.items()
        }

    @cached_property
    def title(self) -> str:
        """What was compared."""
        n = len(self.annotators)
        return f"agreement, {self.protocol}: {self.n_examples} examples, {n} annotators"

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """What `to_dict` holds besides the scores."""
        names = ("protocol", "annotators", "n_examples", "pairs", "alpha_all")
        return {name: getattr(self, name) for name in names}

    @cached_property
    def tables(self) -> Mapping[str, pa.Table]:
        """``per_example``, ``matches``, ``pairs`` of annotators and ``intervals``."""
        return Tables(
            per_example=self._per_example_table,
            matches=self._matches_table,
            pairs=self._pairs_table,
            intervals=self._intervals_table,
        )

    def _per_example_table(self) -> pa.Table:
        """A row per pair of annotators and example: the columns of the example, the measures."""
        return pa.concat_tables(
            [example_table(p.a, p.b, p.sums, p.scores) for p in self.pairs],
            promote_options="default",
        )

    def _matches_table(self) -> pa.Table:
        """A row per pair of annotators and pair of relations (null: unmatched), with its counts."""
        return pa.concat_tables([named_rows(pair.a, pair.b, pair.matches) for pair in self.pairs])

    def _pairs_table(self) -> pa.Table:
        """A row per pair of annotators and group, with its measures."""
        return pa.Table.from_pylist(
            [
                {"a": pair.a, "b": pair.b, "n_examples": pair.n_examples, "group": group, **scores}
                for pair in self.pairs
                for group, scores in plain(pair.scores).items()
            ]
        )

    def _intervals_table(self) -> pa.Table:
        """A row per group and measure with the bounds that `intervals` gives by default."""
        rows = [
            dict(zip(("group", "measure", "low", "high"), (group, name, *bounds), strict=True))
            for group, measures in self.intervals().items()
            for name, bounds in measures.items()
        ]
        return pa.Table.from_pylist(plain(rows))

    def to_table(self, counts: bool = False) -> Grid:
        """A table for the terminal: the mean over the pairs of annotators, then every pair."""
        parts = {"": self.scores, **self.subsets}
        if len(self.pairs) > 1:
            parts |= {f"{p.a} / {p.b} ({p.n_examples} examples)": p.scores for p in self.pairs}
        if self.alpha_all:
            parts["all annotators at once"] = self.alpha_all
        return scores_table(self.title, parts, counts)


def agreement(
    annotations: RelationSources,
    protocol: AgreementProtocol = "recess",
    *,
    average: MeanOver | None = None,
    by: str | None = None,
    unparsed: Policy = "error",
) -> Agreement:
    """Agreement of two or more annotators on causal relations.

    Relations of two annotators are paired for the greatest sum of EM, OSB and TO over the roles.
    EM: the same span. OSB: one boundary in common. TO: one token in common. Alpha: binary
    Krippendorff's alpha over the two token masks of a role.

    Parameters
    ----------
    annotations : mapping, sequence, or one table
        Annotator to anything `fastcausal.read` takes; or a list of such sources, or one. In these
        the column ``annotator`` names the annotators, which the files of brat and WebAnno have:
        paths of directories or of single files, as many as there are. A source without it is an
        annotator, named by its file name.
    protocol : {"recess", "recess-code"}
        As the paper defines it, or as its published program computes it: unitised alpha
        (``alpha_unitized``), all pairs of relations where both annotators have as many, and its
        pruning elsewhere.
    average : {"example", "relation"}, optional
        EM, OSB and TO are means over the pairs of an example and then over examples (default of
        ``recess``), or over all pairs (of ``recess-code``). Alpha is weighted by marked words.
    by : str, optional
        A column whose values become subsets.
    unparsed : {"error", "empty", "skip"}
        What a relation that could not be read is.

    Returns
    -------
    Agreement

    Raises
    ------
    InputError
        Fewer than two annotators, none with an example in common, roles or token counts that
        differ, and all that reading raises.
    ValueError
        An unknown protocol or average.

    Examples
    --------
    >>> import fastcausal as fc
    >>> def one(start, stop):
    ...     return fc.Relations.from_examples(
    ...         [{"length": 10, "relations": [{"cause": (start, stop), "effect": (6, 9)}]}])
    >>> found = fc.agreement({"ann": one(0, 4), "ben": one(0, 2)})
    >>> found["cause"].em, found["cause"].osb, found["effect"].alpha
    (0.0, 1.0, 1.0)
    """
    check("protocol", protocol, AgreementProtocol)
    if average is None:
        average = "relation" if protocol == "recess-code" else "example"
    check("average", average, MeanOver)
    check("unparsed", unparsed, Policy)
    chosen = PROTOCOLS[protocol]
    sides = read_annotators(annotations, tags=chosen.tags)
    warnings: dict[str, None] = {}
    if unparsed == "skip":
        sides = named(sides)
    whole = sides
    sides = {
        name: readable(relations, name, unparsed, warnings) for name, relations in sides.items()
    }
    pairs = [
        _pair(a, b, sides, whole, chosen, average, warnings) for a, b in combinations(sides, 2)
    ]
    require_common(whole)
    roles = next(iter(sides.values())).roles
    subsets = {}
    if by is not None:
        strata = [strata_of(pair.sums.examples, by) for pair in pairs]
        for name in sorted({name for names, _ in strata for name in names}):
            values = [
                pair.sums.values(codes == names.index(name))
                for pair, (names, codes) in zip(pairs, strata, strict=True)
                if name in names
            ]
            subsets[f"{by}={name}"] = _groups(mean_of_pairs(np.stack(values)), roles, chosen)
    everyone = {}
    if len(sides) > 2 and protocol == "recess":
        from fastcausal.tasks.agreement.masks import alpha_of_masks

        everyone = alpha_of_masks(sides)
    return Agreement(
        protocol=protocol,
        signature=f"fastcausal|{__version__}|agreement|{chosen}|average:{average}|"
        f"unparsed:{unparsed}",
        annotators=tuple(sides),
        n_examples=_n_examples(pairs),
        scores=_groups(mean_of_pairs(np.stack([_values(pair) for pair in pairs])), roles, chosen),
        pairs=tuple(pairs),
        subsets=subsets,
        warnings=tuple(warnings),
        alpha_all=everyone,
    )


def _pair(
    a: str,
    b: str,
    sides: Mapping[str, Relations],
    whole: Mapping[str, Relations],
    protocol: Protocol,
    average: MeanOver,
    warnings: dict[str, None],
) -> PairAgreement:
    tables = with_tags(sides[a], sides[b], protocol.tags)
    aligned = align(*tables, protocol, unmatched="skip", names=(a, b))
    aligned = replace(aligned, columns=columns_of_either(aligned.examples, sides[b]))
    first, second = aligned.gold.marked(), aligned.pred.marked()
    roles = sides[a].roles
    plan = protocol.plan(roles)
    try:
        partner = run(plan, first, second).partner
    except TooLargeError as error:
        raise too_large(aligned, error) from None
    example, of_a, of_b = chosen_pairs(plan, first, second, partner)
    n_a, n_b = np.diff(first.relation_offsets), np.diff(second.relation_offsets)
    if protocol.name == "recess-code":
        example, of_a, of_b = published_pairs(first, second, example, of_a, of_b)
        left = np.bincount(example, minlength=len(n_a)) > 0
        if lost := int(np.count_nonzero((n_a + n_b > 0) & ~left)):
            warnings[f"{a} / {b}: the published pruning leaves nothing of {lost} examples"] = None
    counts = count_pairs(plan, first, second, of_a, of_b)
    top, bottom = measures(counts, len(roles))
    if protocol.name == "recess-code":
        top[:, :, 0], bottom[:, :, 0] = unitized(first, second, example, of_a, of_b, len(roles))
    sums = per_example(aligned.examples, top, bottom, example, average)
    marked = int(np.count_nonzero(sums.bottom[:, -1, 1]))
    if not marked:
        n = n_common(whole[a], whole[b])
        warnings[f"{a} / {b}: nothing to compare in {n} common examples, all is undefined"] = None
    if differ := other_texts(sides[a], sides[b]):
        warnings[f"{a} / {b}: {len(differ)} examples have another text{some_of(differ)}"] = None
    for warning in aligned.warnings:
        if not warning.startswith("unmatched"):
            warnings[f"{a} / {b}: {warning}"] = None
    return PairAgreement(
        a=a,
        b=b,
        n_examples=marked,
        n_unmarked=int(np.count_nonzero(n_a + n_b == 0)),
        n_missing=n_missing(whole[a], whole[b]),
        scores=_groups(sums.values(), roles, protocol),
        sums=sums,
        matches=match_table(
            aligned, plan.kernel.columns(roles), counts, example, {"a": of_a, "b": of_b}
        ),
    )


def _values(pair: PairAgreement) -> Floats:
    return np.array([list(of_group.values()) for of_group in pair.scores.values()])


def _groups(values: Floats, roles: Sequence[str], protocol: Protocol) -> dict[str, Scores]:
    alpha = "alpha_unitized" if protocol.name == "recess-code" else "alpha"
    return {
        group: Scores(dict(zip((alpha, "em", "osb", "to"), of_group, strict=True)))
        for group, of_group in zip((*roles, TOTAL), values.tolist(), strict=True)
    }


def _n_examples(pairs: Sequence[PairAgreement]) -> int:
    """Examples that count for some pair: by id, or by position where there are no ids."""
    counted: set[Any] = set()
    for pair in pairs:
        rows = np.flatnonzero(pair.sums.bottom[:, -1, 1])
        examples = pair.sums.examples
        ids = examples["id"].take(rows).to_pylist() if "id" in examples.column_names else rows
        counted.update(ids)
    return len(counted)

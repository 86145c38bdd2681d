"""Report of agreement: pairs of annotators, their mean, tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import pyarrow as pa

from fastcausal.counts.statistics import Statistics
from fastcausal.errors import counted, name_few, notify
from fastcausal.options import AUTO, Method
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Scores
from fastcausal.report.numbers import SHARE
from fastcausal.report.report import Report, Tables, plain, scores_table
from fastcausal.significance.draws import Draws
from fastcausal.significance.intervals import UNSURE, Interval, unsure
from fastcausal.tasks.agreement import disagreements
from fastcausal.tasks.agreement.depths import (
    AGAINST,
    CHANGE,
    CLASSES,
    DIFFERENCE,
    F1,
    LINKS,
    SAME_TYPE,
    SPANS,
    TYPES,
    DepthSums,
    add_classes,
    leave_each_out,
    name_groups,
    nest,
    score_rest,
)
from fastcausal.tasks.agreement.disagreements import Paired
from fastcausal.tasks.agreement.measures import TOTAL, MeasureSums
from fastcausal.tasks.agreement.tables import example_table, match_table
from fastcausal.tasks.agreement.verdicts import VERDICT, score_verdicts

KEYS = (
    "signature", "protocol", "annotators", "n_examples", "scores", "pairs", "alpha_all", "verdict",
    "spans", "links", "against_rest?", "replacement?", "subsets", "warnings",
)  # fmt: skip


@dataclass(frozen=True)
class PairAgreement:
    """Agreement of two annotators."""

    # The annotators
    a: str
    b: str
    # Number of counted examples: both annotated them, at least one marked a relation, and,
    # under ``recess-code``, the pruning left a pair
    n_examples: int
    # Numbers of examples left out: without any relation; annotated by only one of the two
    n_unmarked: int
    n_missing: int
    scores: Mapping[str, Scores]  # Measures of every role and of the total; NaN if undefined
    verdict: Scores  # Agreement on which of the common examples are causal, marked or not
    spans: Mapping[str, Scores]  # F1 of the different spans of each role, and of all
    links: Scores  # F1 of the links of spans that both have; share of equal types
    sums: MeasureSums = field(repr=False, compare=False)
    depths: DepthSums = field(repr=False, compare=False)
    paired: Paired = field(repr=False, compare=False)
    # Pairs of relations of different types, and those of which one has a type; None unless both
    # annotators have types, which decide nothing
    types_differ: tuple[int, int] | None = field(default=None, repr=False)

    @property
    def matches(self) -> pa.Table:
        """Table of the compared pairs of relations with their counts."""
        return match_table(self.a, self.b, self.paired.aligned, self.sums)


class Agreement(Report):
    """Agreement between annotators: each pair, and the mean over the pairs.

    Attributes
    ----------
    protocol : str
    signature : str
        Signature line: all settings that the scores depend on.
    annotators : tuple of str
    n_examples : int
        Number of examples counted for at least one pair.
    scores : mapping of str to Scores
        By role and ``total``: the mean of each measure over the pairs that define it.
    pairs : tuple of PairAgreement
    subsets : mapping of str to mapping
        ``scores`` by value of a column.
    warnings : tuple of str
    alpha_all : mapping of str to Scores
        Alpha over the masks of all annotators at once, for three and more.
    verdict : Scores
        Agreement on which examples are causal: ``percent_agreement`` and ``alpha`` over the
        ``n_examples`` of two or more annotators, marked or not; agreement on each class,
        ``causal`` and ``not_causal``. `subsets` have it as a group.
    spans : mapping of str to Scores
        F1 of one annotator's spans against another's, by role and ``overall``.
    links : Scores
        F1 of links between spans that both have; ``same_type``, the share of equal types among
        equal links, if two annotators have types.
    replacement : mapping
        The alternative annotator test of ``replace``: by ``spans`` and ``relations`` the
        ``winning_rate``, the ``advantage`` and ``n_annotators``.
    against_rest : mapping of str to mapping
        By annotator, for three and more: verdicts, spans and links with the others, among the
        others, and the difference with its 95% interval.
    disagreements : pyarrow.Table
        Differing relations: annotators, example, relations (from 1), and words.
    statistics : Statistics
        The sums of each example and pair of annotators; examples are in ascending order.
    """

    annotators: tuple[str, ...]
    pairs: tuple[PairAgreement, ...]
    alpha_all: Mapping[str, Scores]
    verdict: Scores
    spans: Mapping[str, Scores]
    links: Scores
    replacement: Mapping[str, Any]

    @cached_property
    def against_rest(self) -> dict[str, dict[str, Scores]]:
        """Agreement of each annotator with the others, and of these among themselves."""
        rest = leave_each_out(self.facts["depths"]())
        return {} if rest is None else score_rest(rest)

    def intervals(
        self,
        cluster: str | None = "auto",
        *,
        method: Method = "jackknife",
        n_resamples: int = 1000,
        confidence: float = 0.95,
        seed: int = 0,
    ) -> dict[str, dict[str, tuple[float, float]]]:
        """Estimate confidence intervals of `scores` and of each depth.

        A measure that is undefined in more than 5% of resamples gives a warning.

        Parameters
        ----------
        cluster : str, optional
            A column; examples with the same value are left out or drawn together. None takes single
            examples, "auto" the first of doc_id, doc, document, document_id, article, topic and
            cluster that is a column and repeats.
        method : {"bca", "percentile", "jackknife"}
            See `fastcausal.significance.intervals.intervals_of`.
        n_resamples, seed : int
            Resamples, which the jackknife does not use. Equal seeds give equal intervals, for any
            order of examples.
        confidence : float

        Returns
        -------
        dict of dict of (float, float)
            Lower and upper bound by group and measure; NaN if a measure is undefined or constant,
            and for fewer than two examples or clusters.
        """
        return _intervals(
            self.statistics, self.facts["verdicts"], self.facts["depths"](),
            Draws(method, confidence, n_resamples, seed, cluster),
        )  # fmt: skip

    def disagreements_page(self) -> str:
        """Write the differing relations as a self-contained page."""
        from fastcausal.report.page import Section
        from fastcausal.tasks.agreement.page import page_of

        pairs = [pair.paired for pair in self.pairs]
        scores = Section("", self.to_tables(), self.legend)
        named = name_few(self.annotators, "annotator")
        title = f"{named}, {self.protocol}, {counted(self.n_examples, 'example')}"
        return page_of(pairs, list_roles(self.scores), title, self.signature, [scores])


def present_pairs(
    protocol: str,
    signature: str,
    annotators: tuple[str, ...],
    n_examples: int,
    scores: Mapping[str, Scores],
    pairs: tuple[PairAgreement, ...],
    statistics: Callable[[], Statistics],
    verdicts: Statistics,
    depths: Callable[[], Statistics],
    groups: Mapping[str, Scores],  # of all depths
    *,
    alpha_all: Mapping[str, Scores],
    replacement: Mapping[str, Any],
    **fields: Any,
) -> Agreement:
    """Make the report of pairs of annotators."""
    differing = [pair.types_differ[0] for pair in pairs if pair.types_differ is not None]
    of_types = {"n_types_differ": sum(differing)} if differing else {}
    return Agreement(
        f"agreement, {protocol}: {n_examples} examples, {len(annotators)} annotators",
        signature,
        scores,
        facts={
            "protocol": protocol,
            "annotators": annotators,
            "n_examples": n_examples,
            "pairs": pairs,
            "alpha_all": alpha_all,
            "verdict": add_classes(score_verdicts(verdicts), groups),
            "verdicts": verdicts,
            "depths": depths,
            **nest(name_groups(groups)),
            "replacement": replacement,
            **of_types,
        },
        tables=Tables(
            per_example=partial(_example_table, pairs),
            matches=partial(_match_table, pairs),
            disagreements=partial(_difference_table, pairs, list_roles(scores)),
            pairs=partial(_pair_table, pairs),
            intervals=partial(_interval_table, statistics, verdicts, depths),
        ),
        statistics=statistics,
        keys=(*KEYS, *of_types),
        grids=_grids,
        scales=dict.fromkeys(("percent_agreement", *CLASSES, F1, SAME_TYPE), SHARE)
        | dict.fromkeys(AGAINST, CHANGE),
        **fields,
    )


def list_roles(scores: Mapping[str, Scores]) -> list[str]:
    """Return the roles among the groups of scores."""
    return [name for name in scores if name != TOTAL]


def _grids(report: Agreement, counts: bool) -> list[Grid]:
    """Make a table of the mean over the pairs of annotators, then of every pair."""
    parts = {"": report.scores} | {
        name: {group: groups[group] for group in report.scores}
        for name, groups in report.subsets.items()
    }
    if len(report.pairs) > 1:
        parts |= {f"{p.a} / {p.b} ({p.n_examples} examples)": p.scores for p in report.pairs}
    if report.alpha_all:
        parts["all annotators at once"] = report.alpha_all
    grids = [scores_table(report.title, parts, counts), _verdict_grid(report), _depths_grid(report)]
    if report.against_rest:
        grids.append(_rest_grid(report.against_rest))
    if replacement := report.facts["replacement"]:
        grids.append(_replacement_grid(replacement))
    return grids


def _verdict_grid(report: Agreement) -> Grid:
    """Make a row of the agreement on verdicts: of all annotators, each subset, each pair."""
    rows = {"all annotators" if len(report.pairs) > 1 else VERDICT: report.verdict}
    rows |= {name: groups[VERDICT] for name, groups in report.subsets.items()}
    if len(report.pairs) > 1:
        rows |= {f"{pair.a} / {pair.b}": pair.verdict for pair in report.pairs}
    return scores_table("is it causal? over all examples, marked or not", {"": rows})


def _depths_grid(report: Agreement) -> Grid:
    """Make a row of the agreement on spans and links: of all, each subset, each pair."""
    rows = {"all annotators" if len(report.pairs) > 1 else "both": (report.spans, report.links)}
    rows |= {n: tuple(nest(groups).values()) for n, groups in report.subsets.items()}
    if len(report.pairs) > 1:
        rows |= {f"{pair.a} / {pair.b}": (pair.spans, pair.links) for pair in report.pairs}
    is_typed = any(SAME_TYPE in links for _, links in rows.values())
    columns = ["spans", *list_roles(report.scores), LINKS, *([SAME_TYPE] if is_typed else [])]
    grid = Grid("spans, and links of spans that both have, F1", columns, shares=columns)
    for name, (spans, links) in rows.items():
        grid.add(name, *(of.f1 for of in spans.values()), *links.values())
    return grid


def _rest_grid(against_rest: Mapping[str, Mapping[str, Scores]]) -> Grid:
    """Make a part per depth, a row per annotator."""
    columns = ("with the rest", "among the rest", "difference", "low", "high")
    grid = Grid("each annotator against the rest: an interval (95%) below 0 differs", columns,
                signed=columns[2:], shares=columns)  # fmt: skip
    for depth in AGAINST:
        grid.part(depth)
        for name, depths in against_rest.items():
            grid.add(name, *depths[depth].values())
    return grid


def _replacement_grid(found: Mapping[str, Any]) -> Grid:
    """Make a row per depth: winning rate, and mean advantage."""
    from fastcausal.significance.units import units_text

    title = f"may {found['annotator']} replace an annotator? yes from a winning rate of 0.5"
    units = units_text(found["n_units"], found["unit"])
    columns = ("winning rate", "advantage", "annotators")
    grid = Grid(f"{title} ({units}, epsilon {found['epsilon']})", columns, shares=columns[:2])
    for depth in ("spans", "relations"):
        grid.add(depth, *found[depth].values())
    return grid


def _example_table(pairs: Sequence[PairAgreement]) -> pa.Table:
    """Make a row per pair of annotators and example: the columns of the example, measures."""
    return pa.concat_tables(
        [example_table(p.a, p.b, p.sums, p.scores) for p in pairs], promote_options="default"
    )


def _match_table(pairs: Sequence[PairAgreement]) -> pa.Table:
    """Make a row of counts per pair of relations of two annotators; null if unmatched."""
    return pa.concat_tables([pair.matches for pair in pairs], promote_options="default")


def _difference_table(pairs: Sequence[PairAgreement], roles: Sequence[str]) -> pa.Table:
    """Make a row per pair of differing relations, with the words of both annotators."""
    return disagreements.table_of([pair.paired for pair in pairs], roles)


def _pair_table(pairs: Sequence[PairAgreement]) -> pa.Table:
    """Make a row per pair of annotators and group, with its measures."""
    return pa.Table.from_pylist(
        [
            {"a": pair.a, "b": pair.b, "n_examples": pair.n_examples, "group": group, **scores}
            for pair in pairs
            for group, scores in plain(pair.scores).items()
        ]
    )


def _interval_table(
    statistics: Callable[[], Statistics], verdicts: Statistics, depths: Callable[[], Statistics]
) -> pa.Table:
    """Make a row per group and measure with the default bounds of `Agreement.intervals`."""
    found = _intervals(statistics(), verdicts, depths(), Draws(cluster=AUTO))
    rows = [
        dict(zip(("group", "measure", "low", "high"), (group, name, *bounds), strict=True))
        for group, measures in found.items()
        for name, bounds in measures.items()
    ]
    return pa.Table.from_pylist(plain(rows))


def _intervals(
    statistics: Statistics, verdicts: Statistics, depths: Statistics, draws: Draws
) -> dict[str, dict[str, tuple[float, float]]]:
    column = statistics.resolve_cluster(draws.cluster)

    def bounds_of(counts: Statistics) -> dict[str, dict[str, Interval]]:
        return counts.intervals(**draws.arguments() | {"cluster": column}).scores

    judged = bounds_of(replace(verdicts, units=statistics.units))["overall"]
    drawn = bounds_of(depths)
    classes = {name: drawn[name][F1] for name in CLASSES}
    found = bounds_of(statistics) | {VERDICT: judged | classes}
    found |= {name: bounds for name, bounds in drawn.items() if name.startswith(SPANS)}
    found[LINKS] = drawn[LINKS]
    if SAME_TYPE in name_groups(depths.groups()[0])[LINKS]:
        found[LINKS] |= {SAME_TYPE: drawn[TYPES][F1]}
    rest = leave_each_out(depths)
    for name, bounds in ({} if rest is None else bounds_of(rest)).items():
        found[f"rest_{name}"] = {depth: bounds[f"{depth}_{DIFFERENCE}"] for depth in AGAINST}
    each = {f"{group}.{name}": i for group, of in found.items() for name, i in of.items()}
    if undefined := unsure(each, draws.n_resamples):
        notify(f"{', '.join(undefined)}: {UNSURE}")
    return {
        group: {name: (interval.low, interval.high) for name, interval in of_group.items()}
        for group, of_group in found.items()
    }

"""Agreement between annotators of causal relations (RECESS, section 3.5 and appendix A.3)."""

from __future__ import annotations

import dataclasses
from functools import partial
from itertools import combinations
from typing import Unpack

import numpy as np

from fastcausal._version import __version__
from fastcausal.arrays.examples import TYPE
from fastcausal.arrays.strata import By, columns_by
from fastcausal.counts.statistics import Statistics
from fastcausal.engine.kernel import Objective
from fastcausal.formats.reading.sources import RelationSources
from fastcausal.marking import Marking, tracks_of
from fastcausal.options import (
    AgreementProtocol,
    Join,
    LabelPolicy,
    MarkingSettings,
    MeanOver,
    Policy,
    check,
)
from fastcausal.protocols import RECESS, Protocol, line_of
from fastcausal.relations import ROLES
from fastcausal.report.groups import Scores
from fastcausal.significance.sums import Float64, sums_of
from fastcausal.tasks.agreement.count import AllExamples, n_counted, scores_of, statistics_of
from fastcausal.tasks.agreement.depths import F1, add_classes, groups_of, name_groups
from fastcausal.tasks.agreement.files import (
    check_texts,
    number_examples,
    read_annotators,
    readable,
    require_common,
)
from fastcausal.tasks.agreement.formula import RatioFormula
from fastcausal.tasks.agreement.measures import TOTAL
from fastcausal.tasks.agreement.pairs import compare
from fastcausal.tasks.agreement.report import Agreement, present_pairs
from fastcausal.tasks.agreement.verdicts import VERDICT, count_verdicts, judge_all, score_verdicts
from fastcausal.tasks.relations.join import join_annotators
from fastcausal.tasks.relations.types import split_by_type

PROTOCOLS: dict[AgreementProtocol, Protocol] = {
    "recess": dataclasses.replace(RECESS, name="agreement", kernel="span_overlap"),
    "recess-code": dataclasses.replace(
        RECESS,
        name="recess-code",
        kernel="span_overlap",
        ties="first",
        objective=Objective({name: 1 for m in ("em", "osb", "to") for name in (m, f"overall_{m}")}),
    ),
}


def agree(
    annotations: RelationSources,
    protocol: AgreementProtocol = "recess",
    *,
    average: MeanOver | None = None,
    by: By = None,
    unparsed: Policy = "error",
    unmatched: LabelPolicy = "error",
    join: Join | None = None,
    replace: str | None = None,
    **marking: Unpack[MarkingSettings],
) -> Agreement:
    """Measure the agreement of two or more annotators on causal relations.

    Relations of two annotators are paired so that the sum of EM, OSB and TO over the roles is
    largest. EM: the same span. OSB: at least one boundary in common. TO: at least one token in
    common. Alpha: binary Krippendorff's alpha over the two token masks of a role. The verdict
    compares over all examples, marked or not, whether an annotator marked anything there.

    Parameters
    ----------
    annotations : mapping, sequence, or one table
        A mapping from annotators to sources of `fastcausal.read`; or one or several sources, whose
        column ``annotator`` names the annotators (files of brat and WebAnno have it). Directories
        and single files are sources. A source without the column is one annotator, named by its
        file.
    protocol : {"recess", "recess-code"}
        ``"recess"`` follows the paper, ``"recess-code"`` its published program: unitised alpha
        (``alpha_unitized``), all pairs of relations if both annotators have equally many, and the
        program's pruning of pairs otherwise.
    average : {"example", "relation"}, optional
        ``"example"``: EM, OSB and TO are means over the pairs of an example, then over examples
        (default of ``recess``). ``"relation"``: they are means over all pairs (default of
        ``recess-code``). Alpha is always weighted by marked words.
    by : str, optional
        A column; each of its values is a subset.
    unparsed : {"error", "empty", "skip"}
        The policy for unreadable relations: raise InputError, drop them, or drop their examples.
    unmatched : {"error", "skip"}
        The policy for an example with another text than an earlier annotator has: raise InputError,
        or leave it out. An example that one annotator lacks is always left out.
    join : {"id", "text", "position"}, optional
        Join examples by id, by text, or by position, as in `fastcausal.score`.
    replace : str, optional
        Test if this annotator, such as a model, may stand in for each of the others: the
        alternative annotator test on spans and relations, by ``doc_id`` if there is one.
    **marking
        Settings of reading relations, see `fastcausal.marking.Marking`.

    Returns
    -------
    Agreement

    Raises
    ------
    InputError
        Fewer than two annotators, no two of them with a common example, different roles or token
        counts, and all errors of reading.
    ValueError
        The protocol or the average is unknown.

    Examples
    --------
    >>> import fastcausal as fc
    >>> def marked(start, stop):
    ...     return fc.Relations.from_examples(
    ...         [{"length": 10, "relations": [{"cause": (start, stop), "effect": (6, 9)}]}])
    >>> report = fc.agree({"ann": marked(0, 4), "ben": marked(0, 2)})
    >>> report["cause"].em, report["cause"].osb, report["effect"].alpha
    (0.0, 1.0, 1.0)
    """
    check("protocol", protocol, AgreementProtocol)
    if average is None:
        average = "relation" if protocol == "recess-code" else "example"
    check("average", average, MeanOver)
    check("unparsed", unparsed, Policy)
    check("unmatched", unmatched, LabelPolicy)
    chosen = PROTOCOLS[protocol]
    marks = Marking.make(**marking)
    types = marks.types
    sides = read_annotators(annotations, tags=chosen.tags, **marking)
    warnings: dict[str, None] = {}
    if join is not None:
        check("join", join, Join)
        sides = join_annotators(sides, join, warnings)
    if "skip" in (unparsed, unmatched):
        sides = number_examples(sides)
    sides = check_texts(sides, unmatched, warnings)
    whole = sides
    sides = {
        name: readable(relations, name, unparsed, warnings) for name, relations in sides.items()
    }
    roles = next(iter(sides.values())).roles
    chosen = dataclasses.replace(chosen, tracks=tracks_of(roles, marks.tracks or chosen.tracks))
    pairs = [
        compare(a, b, sides, whole, chosen, average, types, warnings)
        for a, b in combinations(sides, 2)
    ]
    require_common(whole)
    # Pairs are in the order of names, so that the order of annotators does not change the draws.
    ordered = sorted(pairs, key=lambda pair: sorted((pair.a, pair.b)))
    formula = RatioFormula(
        annotators=tuple((min(pair.a, pair.b), max(pair.a, pair.b)) for pair in ordered),
        roles=tuple(pairs[0].scores),
        measures=tuple(pairs[0].scores[TOTAL]),
    )
    signature = "|".join([
        "fastcausal", __version__, "agreement", protocol, line_of(chosen.settings),
        f"average:{average}", *(["types:require"] if types == "require" else []),
        f"unparsed:{unparsed}",
        *(["unmatched:skip"] if unmatched == "skip" else []),
        *([f"roles:{'+'.join(roles)}"] if roles != ROLES else []),
        *(f"words:{words}" for words in sorted(
            {side.reading.words for side in sides.values()} - {None}, key=str)),
    ])  # fmt: skip
    examples = AllExamples.collect(sides)
    sums = [pair.sums for pair in ordered]
    places = [examples.places_of(pair.a, pair.paired.aligned.places) for pair in ordered]
    statistics = partial(statistics_of, formula, signature, examples, sums, places)
    # A row of verdicts for each unit of the statistics: an example of one annotator alone has none.
    verdicts = count_verdicts(judge_all(sides, examples)[examples.shared(places)], tuple(sides))
    of_depths = RatioFormula(formula.annotators, groups_of(roles), (F1,))
    depth_sums = [pair.depths for pair in ordered]
    depths = partial(statistics_of, of_depths, signature, examples, depth_sums, places)

    def score(sums: Float64, reached: Float64, judged: Statistics) -> dict[str, Scores]:
        groups = scores_of(of_depths, reached)
        verdict = add_classes(score_verdicts(judged), groups)
        return scores_of(formula, sums) | {VERDICT: verdict} | name_groups(groups)

    subsets = {}
    of_types = split_by_type(sides) if TYPE in columns_by(by) else {}
    columns = [column for column in columns_by(by) if column != TYPE or not of_types]
    if columns:
        parts = (whole_counts := statistics()).parts(columns)
        judged = dataclasses.replace(verdicts, units=whole_counts.units).parts(columns)
        depth_parts = depths().parts(columns)
        for name, part in parts.items():
            both = [sums_of(p.rows, p.times[None]) for p in (part, depth_parts[name])]
            subsets[name] = score(both[0], both[1], judged[name])
    for name, alone in of_types.items():
        compared = [compare(pair.a, pair.b, alone, alone, chosen, average, types, {})
                    for pair in ordered]  # fmt: skip
        of_alone = judge_all(alone, examples)[examples.shared(places)]
        subsets[f"{TYPE}={name}"] = score(
            np.stack([pair.sums.totals for pair in compared]),
            np.stack([pair.depths.totals for pair in compared]),
            count_verdicts(of_alone, tuple(sides)),
        )
    everyone = {}
    if len(sides) > 2 and protocol == "recess":
        from fastcausal.tasks.agreement.masks import alpha_of_masks

        everyone = alpha_of_masks(sides, examples)
    replacement = {}
    if replace is not None:
        from fastcausal.tasks.agreement.replacement import judge_replacement

        replacement = judge_replacement(depths(), replace, tuple(sides), warnings)
    return present_pairs(
        protocol,
        signature,
        tuple(sides),
        n_counted(examples, sums, places),
        scores_of(formula, np.stack([pair.totals for pair in sums])),
        tuple(pairs),
        statistics,
        verdicts,
        depths,
        scores_of(of_depths, np.stack([pair.totals for pair in depth_sums])),
        alpha_all=everyone,
        subsets=subsets,
        replacement=replacement,
        warnings=tuple(warnings),
    )

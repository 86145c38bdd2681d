"""InfoP, InfoR and InfoF1 of systems from judged claims."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.arrays.arrow import strings
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import InputError, Remedy, format_some
from fastcausal.options import LabelPolicy, NullPolicy, RaterPolicy, check
from fastcausal.report.groups import Scores
from fastcausal.significance.sums import Int64
from fastcausal.tasks.claims.formula import SIDES, ClaimFormula
from fastcausal.tasks.claims.reading import NOT_ASKED, NULL, Claims, read_claims
from fastcausal.tasks.claims.report import ClaimsReport, present, present_systems
from fastcausal.tasks.labels.ratings import Ratings
from fastcausal.tasks.labels.report import brief, label_agreement
from fastcausal.tasks.labels.suspicion import identical_warnings


def claims(
    source: Any,
    *,
    name: str | None = None,
    nulls: NullPolicy = "error",
    raters: RaterPolicy = "mean",
    unmatched: LabelPolicy = "error",
) -> ClaimsReport:
    """Score articles by the claims that raters find supported.

    In each topic, precision is the share of the prediction's claims supported by the reference,
    recall the share of the reference's claims supported by the prediction, and F1 their harmonic
    mean. Precision or recall is 0 without claims, and undefined without judged claims.

    Parameters
    ----------
    source : path, table, or list of them
        Files of judged claims, or tables; - for stdin. Files are ``{topic: {prediction|reference:
        article, "claims": ...}}``, tables have a row per judgment; docs/claims.md describes both.
    name : str, optional
        Read names of files, without suffix, by this pattern: {side}_{system}_{rater}. By default
        ``{side}_{system}.{rater}``, the names of files from a page for raters, or two files: one of
        predictions and one of references.
    nulls : {"error", "false", "skip"}
        Stop at claims without judgment, count them as not supported, or skip.
    raters : {"mean", "majority"}
        Average the scores of raters, or score the judgments of their majority. With a tie a claim
        is not supported.
    unmatched : {"error", "skip"}
        Stop at topics of one side alone, or skip them.

    Returns
    -------
    ClaimsReport
        By system the scores ``topic`` (means over topics), ``claim`` (of summed claims) and
        ``means`` (F1 of the mean precision and recall), and the agreement of raters.

    Raises
    ------
    InputError
        A source cannot be read, raters of a system have different claims, or a policy stops.
    ValueError
        A policy is unknown, or a pattern has no known field.

    Examples
    --------
    >>> rows = [{"topic": "flood", "side": side, "claim": claim, "judgment": judgment}
    ...         for side, claim, judgment in [("prediction", "It rained.", True),
    ...             ("prediction", "A dam broke.", False), ("reference", "It rained.", True)]]
    >>> report = claims(rows)
    >>> report.systems["system"]["topic"].precision, report.systems["system"]["topic"].f1
    (0.5, 0.6666666666666666)
    """
    for argument, value, choices in (
        ("nulls", nulls, NullPolicy),
        ("raters", raters, RaterPolicy),
        ("unmatched", unmatched, LabelPolicy),
    ):
        check(argument, value, choices)
    judged, warnings = _matched(read_claims(source, name), unmatched)
    if nulls == "error":
        _require_judged(judged)
    policies = f"nulls:{nulls}|raters:{raters}|unmatched:{unmatched}"
    signature = f"fastcausal|{__version__}|claims|{policies}|no-claims:0|unjudged:undefined"
    systems = {
        system: present(_statistics(system, judged, nulls, raters, signature))
        for system in dict.fromkeys(article.system for article in judged.articles)
    }
    warnings += [*_unjudged(judged), *_identical(judged)]
    return present_systems(
        signature, systems, _agreement(judged), tuple(warnings), partial(judgments_of, judged)
    )


def _matched(judged: Claims, unmatched: LabelPolicy) -> tuple[Claims, list[str]]:
    """Keep topics that both sides have; refuse others, or warn of them."""
    sides: dict[tuple[str, str], set[str]] = {}
    for article in judged.articles:
        sides.setdefault(article[:2], set()).add(article.side)
    single = [(topic, side) for topic, (side, *more) in sides.items() if not more]
    if not single:
        return judged, []
    (system, topic), side = single[0]
    names = format_some([topic for (_, topic), _ in single])
    counts = f"{len(single)} of {len(sides)} topics have one side alone{names}"
    first = f'topic "{topic}" of system "{system}" has a {side} alone'
    if unmatched == "error":
        raise InputError(f"{counts}: {first}", Remedy("unmatched", ("skip",), "leaves them out"))
    if len(single) == len(sides):
        raise InputError(f"no topic has both sides: {first}")
    kept = {article for article, present in sides.items() if len(present) == 2}
    return judged.select(lambda article: article[:2] in kept), [f"unmatched=skip: {counts}"]


def _require_judged(judged: Claims) -> None:
    nulls = np.argwhere(judged.judgments == NULL)
    if not len(nulls):
        return
    claim, rater = nulls[0].tolist()
    where = f"claim {judged.number[claim]} of the {judged.articles[judged.article[claim]]}"
    raise InputError(
        f'{len(nulls)} judgments are null: first rater "{judged.raters[rater]}", {where}',
        Remedy("nulls", ("false", "skip"), "would count them as not supported, or not at all"),
    )


def _statistics(
    system: str, judged: Claims, nulls: NullPolicy, raters: RaterPolicy, signature: str
) -> Statistics:
    """Count the supported and judged claims of each topic of a system."""
    mine = judged.select(lambda article: article.system == system)
    names = mine.raters_of[system]
    judgments = mine.judgments[:, [mine.raters.index(name) for name in names]]
    n_nulls = _counts(mine, (judgments == NULL).sum(axis=1)).sum(axis=1)
    if nulls == "false":
        judgments = np.where(judgments == NULL, 0, judgments)
    voices = [*judgments.T, *([_majority(judgments)] if raters == "majority" else [])]
    topics = dict.fromkeys(article.topic for article in mine.articles)
    return Statistics.of_units(
        ClaimFormula(tuple(names), raters == "majority"),
        signature,
        np.column_stack(
            [_counts(mine, None), n_nulls, *(_count_claims(mine, each) for each in voices)]
        ),
        pa.table({"id": strings(list(topics))}),
        system=system,
    )


def _count_claims(mine: Claims, judgments: npt.NDArray[np.int8]) -> Int64:
    """Count supported and judged claims of each topic and side: int64[n_topics, 4]."""
    counts = np.dstack([_counts(mine, judgments == 1), _counts(mine, judgments != NULL)])
    return counts.reshape(-1, 2 * len(SIDES))


def _counts(mine: Claims, weights: Any) -> Int64:
    """Sum over the claims of each topic of a system and side: int64[n_topics, 2]."""
    # articles are sorted by topic and by SIDES, and each topic has both
    sums = np.bincount(mine.article, weights, len(mine.articles))
    return sums.astype(np.int64).reshape(-1, len(SIDES))


def _majority(judgments: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """Return the majority's judgment of each claim; a tie is not supported, no votes are null."""
    said, supported = (judgments != NULL).sum(axis=1), (judgments == 1).sum(axis=1)
    return np.where(said == 0, NULL, 2 * supported > said).astype(np.int8)


def judgments_of(judged: Claims) -> pa.Table:
    """Return a row per judgment: ``system, item, rater, label``; an item is TOPIC/SIDE/NUMBER."""
    claim, rater = np.nonzero(judged.judgments != NOT_ASKED)
    labels = judged.judgments[claim, rater].astype(np.int64)
    articles = [judged.articles[k] for k in judged.article[claim].tolist()]
    numbers = judged.number[claim].tolist()
    return pa.table(
        {
            "system": strings([article.system for article in articles]),
            "item": strings(
                [f"{a.topic}/{a.side}/{k}" for a, k in zip(articles, numbers, strict=True)]
            ),
            "rater": strings([judged.raters[k] for k in rater.tolist()]),
            "label": pa.array(labels, mask=labels == NULL),
        }
    )


def _agreement(judged: Claims) -> dict[str, Scores]:
    """Compute the agreement of raters on all claims, and on the claims of each side."""
    parts = {"overall": judged} | {side: _select_side(judged, side) for side in SIDES}
    return {name: brief(label_agreement(_long(part))) for name, part in parts.items()}


def _select_side(judged: Claims, side: str) -> Claims:
    return judged.select(lambda article: article.side == side)


def _long(judged: Claims) -> pa.Table:
    """Return a row per judgment: unit, rater, label."""
    claim, rater = np.nonzero(judged.judgments != NOT_ASKED)
    labels = judged.judgments[claim, rater]
    return pa.table(
        {"unit": claim, "rater": rater, "label": pa.array(labels, pa.int8(), labels == NULL)}
    )


def _identical(judged: Claims) -> list[str]:
    """Warn of raters whose files look like copies: for all systems, one system, or one side."""
    systems = dict.fromkeys(article.system for article in judged.articles)
    paths = [(), *((s,) for s in systems), *((s, side) for s in systems for side in SIDES)]
    return identical_warnings({path: _ratings(judged, path) for path in paths})


def _ratings(judged: Claims, path: tuple[str, ...]) -> Ratings:
    """Return the judgments of a system, or of one of its sides, as ratings of claims."""
    part = judged.select(lambda article: (article.system, article.side)[: len(path)] == path)
    values = np.where(part.judgments < 0, np.nan, part.judgments)
    n_claims, n_raters = values.shape
    offsets = np.arange(n_claims + 1) * n_raters
    names = strings(part.raters)
    return Ratings(values.ravel(), offsets, None, n_raters, rater_names=names)


def _unjudged(judged: Claims) -> list[str]:
    """Warn of articles in which a rater judged no claim."""
    n_articles = len(judged.articles)
    sizes = np.bincount(judged.article, minlength=n_articles)
    warnings = []
    for rater, said in zip(judged.raters, judged.judgments.T, strict=True):
        nulls = np.bincount(judged.article, said == NULL, n_articles)
        for k in np.flatnonzero((nulls == sizes) & (sizes > 0)).tolist():
            where = f"all {sizes[k]} claims of the {judged.articles[k]}"
            warnings.append(f'unjudged: rater "{rater}" gave null to {where}')
    return warnings

"""All measures of the agreement between raters on a label."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from fastcausal.arrays.strata import By
from fastcausal.options import Level
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups, Scores
from fastcausal.report.numbers import MEAN_SHARE
from fastcausal.report.report import Report, Tables, scores_table
from fastcausal.tasks.labels import disagreements
from fastcausal.tasks.labels.coefficients import COEFFICIENTS, coefficients
from fastcausal.tasks.labels.count import signature_of, statistics_of
from fastcausal.tasks.labels.formula import SCALES
from fastcausal.tasks.labels.ratings import Ratings, label_name
from fastcausal.tasks.labels.reading import read_ratings, read_subsets
from fastcausal.tasks.labels.votes import Votes

BRIEF = (
    "n_units", "n_raters", "n_ratings", "n_paired_units", "percent_agreement", "cohen_kappa",
    "fleiss_kappa", "alpha", "gwet_ac1",
)  # fmt: skip
FIGURES = (
    "level", "n_units", "n_raters", "n_ratings", "n_missing", "n_paired_units", *COEFFICIENTS,
    "n_tied", "n_unrated",
)  # fmt: skip
CLASS = "class_"  # before a label, in names of groups


LabelAgreement = Report
"""Agreement between raters on a label.

Attributes
----------
level : str
    Level of measurement of ``alpha``.
n_units, n_raters, n_ratings : int
    Sizes of the table.
n_missing : int
    Units × raters without a rating.
n_paired_units : int
    Units with two ratings or more.
percent_agreement, fleiss_kappa, alpha, gwet_ac1 : float
    Results of the functions of these names (alpha: `krippendorff_alpha`); NaN if undefined.
cohen_kappa, cohen_kappa_linear, cohen_kappa_quadratic : float
    Results of `mean_pairwise_kappa`; weighted kappas are NaN at the level nominal.
majority : mapping of str to int
    For each label, the number of units in which it has the most ratings.
n_tied, n_unrated : int
    Numbers of units without a majority, because of a tie or without ratings.
by_class : mapping of str to Scores
    For each label, over the ``n_units`` units of two or more ratings in which it has the
    majority: ``mean_share``, the mean share of raters that gave it; ``percent_agreement``;
    and ``unanimous``, the share of units in which all raters agree.
subsets : mapping of str to mapping
    By value of a column, the coefficients (``overall``) and ``by_class`` (``class_LABEL``).
disagreements : pyarrow.Table
    The units with more than one label: ``unit``, and a column per rater.
disagreements_page : callable
    Writes these units as a self-contained page.
"""


def agreement_grid(title: str, columns: Mapping[str, Mapping[str, Any]]) -> Grid:
    """Make a table of agreements side by side: a row per figure, with shares among them."""
    shares = [name.replace("_", " ") for name, scale in SCALES.items() if scale.kind == "share"]
    grid = Grid(title, [*columns], shares=[*columns], share_rows=shares)
    for name in next(iter(columns.values())):
        grid.add(name.replace("_", " "), *(figures[name] for figures in columns.values()))
    return grid


def _grids(report: Report, counts: bool) -> list[Grid]:
    """Make a row per figure, then tables of subsets, and of classes overall and in each subset."""
    grid = agreement_grid(report.title, {"": {name: report.facts[name] for name in FIGURES}})
    grid.part("majority")
    for label, n in report.facts["majority"].items():
        grid.add(label, n)
    grids = [grid]
    if report.subsets:
        is_nominal = report.facts["level"] == "nominal"
        unknown = ("cohen_kappa_linear", "cohen_kappa_quadratic") * is_nominal
        rows = {
            subset: Scores({k: v for k, v in groups["overall"].items() if k not in unknown})
            for subset, groups in report.subsets.items()
        }
        grids.append(scores_table("by subset", {"": rows}, counts))
    parts = {
        subset: {name.removeprefix(CLASS): s for name, s in groups.items() if name != "overall"}
        for subset, groups in report.subsets.items()
    }
    parts = {"": dict(report.facts["by_class"])} | parts
    if parts := {name: part for name, part in parts.items() if part}:
        grids.append(scores_table("by class: units in which it has the majority", parts, counts))
    return grids


def label_agreement(
    table: Any,
    label: str = "label",
    unit: str = "unit",
    rater: str = "rater",
    level: Level = "nominal",
    by: By = None,
) -> LabelAgreement:
    """Compute all measures of agreement on one column of a long table.

    Parameters
    ----------
    table : pyarrow.Table, data frame, or mapping of columns
        A row per rating. Rows without a label are missing ratings.
    label, unit, rater : str
        The columns.
    level : {"nominal", "ordinal", "interval", "ratio"}
        Level of measurement of ``alpha``.
    by : str or sequence of str, optional
        Columns of the table, with one value a unit; each value is a subset.

    Raises
    ------
    InputError
        As in `krippendorff_alpha`; or a unit has two values in a column of ``by``.

    Examples
    --------
    >>> ratings = label_agreement({
    ...     "unit": [1, 1, 2, 2, 3, 3, 4],
    ...     "rater": ["ann", "bob", "ann", "bob", "ann", "bob", "ann"],
    ...     "label": ["yes", "yes", "no", "no", "no", "yes", "yes"]})
    >>> ratings.alpha, ratings.cohen_kappa, ratings.majority, ratings.n_tied, ratings.n_missing
    (0.4444444444444444, 0.4, {'no': 1, 'yes': 2}, 1, 1)
    """
    ratings = read_ratings(table, unit, rater, label)
    subsets = read_subsets(table, unit, rater, label, by)
    votes = Votes.count(ratings)
    n_ratings = int(votes.n_ratings.sum())
    winners, wins = np.unique(votes.winner[votes.n_winners == 1], return_counts=True)
    names = [label_name(winner, votes.names) for winner in winners.tolist()]
    facts = {
        "level": level,
        "n_units": ratings.n_units,
        "n_raters": ratings.n_raters,
        "n_ratings": n_ratings,
        "n_missing": ratings.n_units * ratings.n_raters - n_ratings,
        "n_paired_units": int(np.count_nonzero(votes.n_ratings > 1)),
        **(figures := _coefficients(ratings, level)),
        "majority": dict(zip(names, wins.tolist(), strict=True)),
        "n_tied": int(np.count_nonzero(votes.n_winners > 1)),
        "n_unrated": int(np.count_nonzero(votes.n_winners == 0)),
        "by_class": (classes := votes.score_by_class()),
    }
    sizes = f"{ratings.n_units} units, {ratings.n_raters} raters, {n_ratings} ratings"
    title, signature = f"agreement on labels: {sizes}", signature_of(level)
    page = partial(disagreements.page, ratings, title, signature)
    return LabelAgreement(
        title,
        signature,
        {"overall": Scores({name: figures[name] for name in COEFFICIENTS})},
        facts=facts | {"ratings": ratings, "disagreements_page": page},
        subsets={name: _groups(part, level) for name, part in subsets.items()},
        class_scores=classes,
        tables=Tables(disagreements=partial(disagreements.table_of, ratings)),
        statistics=partial(statistics_of, ratings, level, COEFFICIENTS),
        keys=("signature", *facts, "subsets?"),
        scales={"mean_share": MEAN_SHARE, "unanimous": MEAN_SHARE},
        grids=_grids,
    )


def _coefficients(ratings: Ratings, level: Level) -> dict[str, float]:
    return {name: float(v[0]) for name, v in coefficients(ratings, level).items()}


def _groups(ratings: Ratings, level: Level) -> Groups:
    """Return the number of units and the coefficients of a subset, then agreement by class."""
    overall = Scores({"n_units": ratings.n_units, **_coefficients(ratings, level)})
    classes = Votes.count(ratings).score_by_class()
    return {"overall": overall} | {f"{CLASS}{label}": s for label, s in classes.items()}


def brief(agreement: LabelAgreement) -> Scores:
    """Return the sizes and coefficients for reports of judged answers and claims."""
    return Scores({name: agreement.facts[name] for name in BRIEF if name in agreement.facts})

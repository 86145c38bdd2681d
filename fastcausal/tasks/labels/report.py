"""All measures of the agreement between raters on a label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal.options import Level
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Scores
from fastcausal.report.report import Report
from fastcausal.tasks.labels import disagreements
from fastcausal.tasks.labels.coefficients import COEFFICIENTS, coefficients
from fastcausal.tasks.labels.count import signature_of, statistics_of
from fastcausal.tasks.labels.ratings import Ratings, label_name
from fastcausal.tasks.labels.reading import read_ratings
from fastcausal.tasks.labels.votes import Votes

BRIEF = (
    "n_units", "n_raters", "n_ratings", "n_paired_units", "percent_agreement", "cohen_kappa",
    "fleiss_kappa", "alpha", "gwet_ac1",
)  # fmt: skip


@dataclass(eq=False, repr=False)
class LabelAgreement(Report):
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
    """

    level: Level
    n_units: int
    n_raters: int
    n_ratings: int
    n_missing: int
    n_paired_units: int
    percent_agreement: float
    cohen_kappa: float
    cohen_kappa_linear: float
    cohen_kappa_quadratic: float
    fleiss_kappa: float
    alpha: float
    gwet_ac1: float
    majority: Mapping[str, int]
    n_tied: int
    n_unrated: int
    ratings: Ratings = field(repr=False)

    def __post_init__(self) -> None:
        facts = {field.name: getattr(self, field.name) for field in fields(self) if field.repr}
        of = f"{self.n_units} units, {self.n_raters} raters, {self.n_ratings} ratings"
        super().__init__(
            f"agreement on labels: {of}",
            signature_of(self.level),
            {"overall": Scores({name: facts[name] for name in COEFFICIENTS})},
            facts=facts,
            statistics=partial(statistics_of, self.ratings, self.level, COEFFICIENTS),
            keys=("signature", *facts),
        )

    @property
    def disagreements(self) -> pa.Table:
        """Table of the units with more than one label: ``unit``, and a column per rater."""
        return disagreements.table_of(self.ratings)

    def disagreements_page(self) -> str:
        """Write the units with more than one label as a self-contained page."""
        return disagreements.page(self.ratings, self.title, self.signature)

    def to_table(self, counts: bool = False) -> Grid:
        """Make a table for the terminal: a row per figure, then numbers of units by majority."""
        grid = Grid(self.title, [""], shares=("",), share_rows=("percent agreement",))
        for name, value in self.facts.items():
            if name != "majority":
                grid.add(name.replace("_", " "), value)
        grid.part("majority")
        for label, n in self.majority.items():
            grid.add(label, n)
        return grid


def label_agreement(
    table: Any,
    label: str = "label",
    unit: str = "unit",
    rater: str = "rater",
    level: Level = "nominal",
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

    Raises
    ------
    InputError
        As in `krippendorff_alpha`.

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
    values = {name: float(v[0]) for name, v in coefficients(ratings, level).items()}
    votes = Votes.of(ratings)
    n_ratings = np.bincount(ratings.units_of()[~np.isnan(ratings.values)], minlength=1)
    winners, wins = np.unique(votes.winner[votes.n_winners == 1], return_counts=True)
    names = [label_name(winner, votes.names) for winner in winners.tolist()]
    return LabelAgreement(
        level=level,
        n_units=ratings.n_units,
        n_raters=ratings.n_raters,
        n_ratings=int(n_ratings.sum()),
        n_missing=ratings.n_units * ratings.n_raters - int(n_ratings.sum()),
        n_paired_units=int(np.count_nonzero(n_ratings > 1)),
        **values,
        majority=dict(zip(names, wins.tolist(), strict=True)),
        n_tied=int(np.count_nonzero(votes.n_winners > 1)),
        n_unrated=int(np.count_nonzero(votes.n_winners == 0)),
        ratings=ratings,
    )


def brief(agreement: LabelAgreement) -> Scores:
    """Return the sizes and coefficients for reports of judged answers and claims."""
    return Scores({name: agreement.facts[name] for name in BRIEF if name in agreement.facts})

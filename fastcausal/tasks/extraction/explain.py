"""What each quirk of the official scorer does to a score: from cnc-2023 to recess, step by step."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from fastcausal.formats import read
from fastcausal.formats.io.sources import RelationSource
from fastcausal.protocols import CNC_2023, RECESS
from fastcausal.report import Report
from fastcausal.tasks.extraction.scorer import score

QUIRKS = {
    "tags": "a one-word argument never closes; nested and adjacent tags are misread",
    "surplus": "predictions beyond the number of gold relations are dropped, in file order",
    "non_causal": "predictions for sentences without a relation cost nothing",
    "ties": "of equally good pairings the first in file order is taken",
}


@dataclass(frozen=True)
class Quirk:
    """One step from cnc-2023 to recess.

    Attributes
    ----------
    field : str
        The field of `Protocol` that changes.
    meaning : str
        What the official scorer does.
    n_examples : int
        Examples whose counts this step changes.
    examples : tuple of str
        The first ten of them.
    f1 : float
        Overall F1 after this and all earlier steps.
    change : float
        What this step adds to F1 after the earlier ones.
    change_alone : float
        What it adds to the F1 of cnc-2023 by itself.
    """

    field: str
    meaning: str
    n_examples: int
    examples: tuple[str, ...]
    f1: float
    change: float
    change_alone: float


@dataclass(frozen=True)
class Explanation:
    """The scores under both protocols and the steps between them."""

    official: Report
    recess: Report
    quirks: tuple[Quirk, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "cnc-2023": self.official.to_dict(),
            "recess": self.recess.to_dict(),
            "quirks": [asdict(quirk) | {"examples": list(quirk.examples)} for quirk in self.quirks],
        }


def explain(gold: RelationSource, pred: RelationSource) -> Explanation:
    """How much of a cnc-2023 score is owed to each of its quirks.

    Parameters
    ----------
    gold, pred : Relations read from tagged sentences, or anything `fastcausal.read` takes
        Predictions that cannot be read correctly count as no relation here.

    Returns
    -------
    Explanation

    Raises
    ------
    InputError
        As `fastcausal.score`.

    Examples
    --------
    >>> import fastcausal as fc
    >>> gold = fc.read([["<ARG0>Rain</ARG0> floods <ARG1>roads</ARG1>"], []])
    >>> pred = fc.read([["<ARG0>Rain</ARG0> floods roads"], ["<ARG0>It</ARG0> is so"]], like=gold)
    >>> for quirk in fc.explain(gold, pred).quirks:
    ...     print(quirk.field, quirk.n_examples, f"{quirk.change:+.3f}")
    tags 1 +0.667
    surplus 0 +0.000
    non_causal 1 -0.167
    ties 0 +0.000
    """
    gold = read(gold)
    pred = read(pred, like=gold)
    official = current = score(gold, pred, CNC_2023, unparsed="empty")
    protocol, quirks = CNC_2023, []
    for field, meaning in QUIRKS.items():
        step = {field: getattr(RECESS, field)}
        protocol = replace(protocol, **step)
        after = score(gold, pred, protocol, unparsed="empty")
        alone = score(gold, pred, replace(CNC_2023, **step), unparsed="empty")
        changed = _changed(current, after)
        f1 = float(after["overall"].f1)
        quirks.append(
            Quirk(
                field=field,
                meaning=meaning,
                n_examples=len(changed),
                examples=tuple(changed[:10]),
                f1=f1,
                change=f1 - float(current["overall"].f1),
                change_alone=float(alone["overall"].f1) - float(official["overall"].f1),
            )
        )
        current = after
    return Explanation(official, score(gold, pred, RECESS, unparsed="empty"), tuple(quirks))


def _changed(before: Report, after: Report) -> list[str]:
    """Names of the examples whose counts differ."""
    names = [c for c in before.per_example.column_names if c.startswith(tuple(before.scores))]
    tables = [report.per_example for report in (before, after)]
    a, b = (np.stack([t[name].to_numpy() for name in names]) for t in tables)
    at = np.flatnonzero((a != b).any(axis=0))
    ids = tables[0]["id"].to_pylist() if "id" in tables[0].column_names else range(a.shape[1])
    return [str(ids[k]) for k in at]

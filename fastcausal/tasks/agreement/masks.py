"""Alpha over the token masks of any number of annotators at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fastcausal.engine.run import count_pairs
from fastcausal.errors import InputError
from fastcausal.files.keys import places_of
from fastcausal.protocols import RECESS
from fastcausal.relations import Relations
from fastcausal.report.groups import Scores
from fastcausal.rows import Rows
from fastcausal.tasks.agreement.count import scores_of
from fastcausal.tasks.agreement.formula import RatioFormula
from fastcausal.tasks.agreement.measures import TOTAL, Int64, MeasureSums, weighed_alpha

MASKS = replace(RECESS, name="masks", kernel="span_overlap")


def alpha_of_masks(annotators: Mapping[str, Relations]) -> dict[str, Scores]:
    """Compute binary alpha per role and total, over all annotators of each example at once.

    The mask of a role has all tokens that any relation of the annotator marks with it, so relations
    need no pairing. A token marked by c of m annotators disagrees in c (m - c) / (m - 1) of its m
    units. Examples are averaged by marked units, as for two annotators; those with fewer than two
    annotators drop out.

    Returns
    -------
    dict of str to Scores
        ``alpha``, NaN if undefined.
    """
    first = next(iter(annotators.values()))
    names, places = _examples(annotators)
    sides = {name: Rows.of(relations).merged() for name, relations in annotators.items()}
    lengths = np.full(len(names), -1, np.int64)
    m = np.zeros(len(names), np.int64)
    for name, rows in sides.items():
        lengths[places[name]] = np.maximum(lengths[places[name]], rows.lengths)
        m[places[name]] += 1
    # A token marked by c of m annotators disagrees in c (m - c) of their pairs.
    plan = MASKS.plan(first.roles)
    columns = plan.kernel.columns(first.roles)
    n1, o01 = np.zeros((2, len(names), len(first.roles)))
    for a, b in combinations(sides, 2):
        at = np.full(len(names), -1)
        at[places[b]] = np.arange(len(places[b]))
        of_a = np.flatnonzero(at[places[a]] >= 0)
        both = places[a][of_a]
        counts = count_pairs(plan, sides[a], sides[b], of_a, at[both])
        for k, role in enumerate(first.roles):
            n1[both, k] += counts[:, columns.index(f"{role}_n1")]
            o01[both, k] += counts[:, columns.index(f"{role}_o01")]
    pairs_each = np.maximum(m - 1, 1)[:, None]
    n1, o01 = n1 / pairs_each, o01 / pairs_each
    top, bottom = np.zeros((2, len(names), len(first.roles) + 1, 1))
    top[:, :-1, 0], bottom[:, :-1, 0] = weighed_alpha((m * lengths)[:, None], n1, o01)
    for side in (top, bottom):
        side[:, -1] = side[:, :-1].sum(axis=1)
    formula = RatioFormula((("all", "all"),), (*first.roles, TOTAL), ("alpha",))
    return scores_of(formula, MeasureSums(pa.table({}), top, bottom).totals())


def _examples(annotators: Mapping[str, Relations]) -> tuple[pa.Array, dict[str, Int64]]:
    """Return all examples, and the place of every annotator's examples among them."""
    ids = [relations.ids for relations in annotators.values()]
    chunks = [chunk for column in ids if column is not None for chunk in column.chunks]
    if any(column is None for column in ids):
        sizes = {len(r) for r in annotators.values()}
        if len(sizes) > 1:
            raise InputError(f"annotators have {sorted(sizes)} examples, expected as many each")
        return pa.array(range(sizes.pop())), {k: np.arange(len(r)) for k, r in annotators.items()}
    names = pc.unique(pa.chunked_array(chunks, pa.string()))
    return names, {k: places_of(r.ids, names) for k, r in annotators.items()}

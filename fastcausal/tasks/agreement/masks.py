"""Alpha over the token masks of any number of annotators at once."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fastcausal.relations import Relations
from fastcausal.report.groups import Scores
from fastcausal.rows import Rows
from fastcausal.significance.sums import rounded_sums
from fastcausal.tasks.agreement import _native
from fastcausal.tasks.agreement.count import AllExamples, scores_of
from fastcausal.tasks.agreement.formula import RatioFormula
from fastcausal.tasks.agreement.measures import TOTAL


def alpha_of_masks(annotators: Mapping[str, Relations], examples: AllExamples) -> dict[str, Scores]:
    """Compute binary alpha per role and total, over all annotators of each example at once."""
    # The mask of a role has all tokens that any relation of the annotator marks with this role, so
    # relations need no pairs. A token marked by c of m annotators counts m units, with a
    # disagreement of c (m - c) / (m - 1). Examples are weighted by marked units, as for two
    # annotators; examples with fewer than two annotators drop out. Alpha is NaN if undefined.
    roles = next(iter(annotators.values())).roles
    sides = [(Rows.of(side), examples.rows_of(name)) for name, side in annotators.items()]
    sums = np.zeros((2, len(roles) + 1, len(_native.EXPONENTS)), np.int64)
    _native.sum_masks(sides, len(examples), len(roles), sums)
    formula = RatioFormula((("all", "all"),), (*roles, TOTAL), ("alpha",))
    return scores_of(formula, rounded_sums(sums, _native.EXPONENTS))

"""Answers of the package krippendorff: alpha of raters."""

from __future__ import annotations

import krippendorff
import numpy as np
from answering import Case, UnknownError, Values, answer_lines


def labels(case: Case) -> Values:
    if not case["levels"]:
        raise UnknownError("alpha alone")
    table = np.array(case["ratings"], float).T  # null is NaN
    if len({*table[~np.isnan(table)]}) < 2:
        raise UnknownError("no alpha of one label")
    return {
        f"alpha.{level}": krippendorff.alpha(table, level_of_measurement=level)
        for level in case["levels"]
    }


if __name__ == "__main__":
    answer_lines({"labels": labels}, partial=True)

"""Agreement on labels as a terminal shows it, and ratings that no coefficient takes."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fastcausal.errors import InputError
from fastcausal.report.numbers import number_text
from fastcausal.tasks.labels.files import read_rating_files
from fastcausal.tasks.labels.kappas import cohen_kappa
from fastcausal.tasks.labels.report import label_agreement


def test_the_terminal_shows_every_figure():
    units, raters = [1, 1, 2, 2, 3, 3, 4, 4], [*"abababab"]
    said = ["x", "x", "y", "y", "x", "z", "x", "x"]
    found = label_agreement({"unit": units, "rater": raters, "label": said})
    title, *lines = str(found.to_table()).splitlines()
    assert title == found.title
    shown = [line.rsplit(maxsplit=1) for line in lines if line.strip("─ ")]
    at = shown.index(["majority"])
    shown_below = ("majority", "by_class", "ratings", "disagreements_page")
    figures = {name: value for name, value in found.facts.items() if name not in shown_below}
    assert shown[:at] == [
        [name.replace("_", " "), number_text(value)] for name, value in figures.items()
    ]
    assert dict(shown[at + 1 :]) == {name: str(n) for name, n in found.majority.items()}
    assert found.majority["x"] == 2


@pytest.mark.parametrize("shape", [(2, 2), (4, 1), ()])
def test_kappa_is_of_one_rating_a_unit(shape):
    both = np.zeros(shape)
    with pytest.raises(InputError, match="expected one rating a unit"):
        cohen_kappa(both, both)
    assert np.isnan(cohen_kappa(np.zeros(4), np.zeros(4)))


@pytest.mark.parametrize(
    ("value", "refused"), [(2**53 + 1, True), (-(2**53) - 1, True), (2**53 - 1, False)]
)
def test_integers_that_floats_do_not_hold(value, refused, tmp_path):
    path = tmp_path / "x.jsonl"
    rows = [{"unit": 1, "rater": r, "label": said} for r, said in (("a", 1.5), ("b", value))]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    if not refused:
        read_rating_files([path], "label")
        return
    with pytest.raises(InputError, match=f'"label" is {value}'):
        read_rating_files([path], "label")

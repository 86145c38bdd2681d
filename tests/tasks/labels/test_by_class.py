"""Agreement by class and in subsets, against loops over pairs of raters; masks and weights."""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

import fastcausal as fc
from tests.support.cli import cli

MARKED = [  # unit, raters' labels, signal
    ("1", ["causal", "causal", "causal"], "explicit"),
    ("2", ["causal", "causal", "none"], "implicit"),
    ("3", ["none", "none", "causal"], "explicit"),
    ("4", ["none", "none", "none"], ""),
    ("5", ["causal"], "implicit"),
    ("6", ["causal", "none"], "explicit"),
]


def by_class(units: list[list[str]]) -> dict[str, dict[str, float]]:
    """Count agreement of units by their majority in plain loops, in fractions."""
    won: dict[str, list[list[str]]] = {}
    for labels in units:
        (label, votes), *rest = [*Counter(labels).most_common(), ("", 0)]
        if len(labels) > 1 and (not rest or rest[0][1] < votes):
            won.setdefault(label, []).append(labels)
    found = {}
    for label in sorted(won):
        n = len(won[label])
        shares = [Fraction(labels.count(label), len(labels)) for labels in won[label]]
        pairs = [[a == b for a, b in combinations(labels, 2)] for labels in won[label]]
        found[label] = {
            "n_units": n,
            "mean_share": float(sum(shares) / n),
            "percent_agreement": float(sum(Fraction(sum(p), len(p)) for p in pairs) / n),
            "unanimous": sum(len(set(labels)) == 1 for labels in won[label]) / n,
        }
    return found


def long_table(units: list[list[str]], columns: dict[str, list[str]]) -> dict[str, list[str]]:
    rows = [(k, r, label) for k, labels in enumerate(units) for r, label in enumerate(labels)]
    table = {"unit": [f"u{k}" for k, *_ in rows], "rater": [f"r{r}" for _, r, _ in rows]}
    table["label"] = [label for *_, label in rows]
    return table | {name: [values[k] for k, *_ in rows] for name, values in columns.items()}


units_of_labels = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=5), max_size=9)


@given(units=units_of_labels, more=st.data())
def test_loops_over_pairs(units, more):
    """Classes of all units, and of the units of each genre, equal those of plain loops."""
    genres = [more.draw(st.sampled_from(["news", "blog"])) for _ in units]
    table = long_table(units, {"genre": genres})
    found = fc.label_agreement(table, by="genre")
    assert close(found.to_dict()["by_class"], by_class(units))
    for genre in set(genres):
        part = [labels for labels, of in zip(units, genres, strict=True) if of == genre]
        alone = fc.label_agreement(long_table(part, {}))
        groups = found.subsets[f"genre={genre}"]
        classes = {k.removeprefix("class_"): dict(v) for k, v in groups.items() if k != "overall"}
        assert close(classes, by_class(part))
        for name, value in groups["overall"].items():
            assert same(value, alone.facts[name]), name


def close(found, expected):
    return found.keys() == expected.keys() and all(
        found[label] == pytest.approx(expected[label], abs=1e-15) for label in found
    )


def same(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))


def test_the_command(tmp_path):
    """Figures of section 6.1 of RECESS: agreement by class, unanimous units by kind of signal."""
    path = tmp_path / "ratings.csv"
    with path.open("w", newline="") as file:
        rows = [("unit", "rater", "label", "signal")]
        rows += [(u, r, label, s) for u, labels, s in MARKED for r, label in enumerate(labels)]
        csv.writer(file).writerows(rows)
    found = json.loads(cli("agree", str(path), "--labels", "label", "--by", "signal", "--json")[0])
    assert found["by_class"] == by_class([labels for _, labels, _ in MARKED])
    assert [*found["subsets"]] == ["signal=explicit", "signal=implicit", "signal=null"]
    assert found["subsets"]["signal=implicit"]["class_causal"]["unanimous"] == 0
    text, _ = cli("agree", str(path), "--labels", "label", "--by", "signal", "--percent")
    assert "unanimous" in text
    assert "83.33" in text


def test_one_value_a_unit(tmp_path):
    table = long_table([["a", "b"]], {}) | {"genre": ["news", "blog"]}
    with pytest.raises(fc.InputError, match='unit "u0" has two values in column "genre"'):
        fc.label_agreement(table, by="genre")


@given(
    pairs=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=12),
    lone=st.lists(st.integers(0, 6), max_size=4),
    weights=st.sampled_from(["linear", "quadratic"]),
)
def test_labels_of_dropped_units_leave_the_scale(pairs, lone, weights):
    """A label that only one rater gave, to a unit without another rating, moves no kappa."""
    rows = [[*pair] for pair in pairs] + [[label, None] for label in lone]
    a, b = zip(*pairs, strict=True)
    found = fc.cohen_kappa(*zip(*rows, strict=True), weights)
    assert same(found, fc.cohen_kappa(a, b, weights))
    if not math.isnan(found):
        assert found == pytest.approx(cohen_kappa_score(a, b, weights=weights), abs=1e-12)
    assert same(fc.mean_pairwise_kappa(rows, weights), found)
    table = {
        "unit": [k for k in range(len(rows)) for _ in "ab"],
        "rater": [*"ab"] * len(rows),
        "label": [label for row in rows for label in row],
    }
    whole = fc.label_agreement(table, level="interval")
    assert same(whole.facts[f"cohen_kappa_{weights}"], found)


@pytest.mark.parametrize(
    "measure",
    [fc.krippendorff_alpha, fc.fleiss_kappa, fc.gwet_ac1, fc.percent_agreement,
     fc.mean_pairwise_kappa, lambda data: fc.majority_vote(data, "first").tolist(),
     lambda data: fc.alpha_interval(data, n_resamples=20).to_dict()],
)  # fmt: skip
def test_masks_and_byte_orders(measure):
    """A list of masked arrays is read as one masked array, and as missing ratings."""
    values = np.array([[1, 1], [2, 2], [1, 2], [3, 3], [2, 3], [1, 1]])
    masked = np.ma.array(values, mask=[[0, 0], [0, 1], [0, 0], [0, 0], [1, 0], [0, 0]])
    missing = measure(masked.astype(float).filled(np.nan))
    assert measure(masked) == measure([*masked]) == missing
    assert measure(values) != missing
    texts = [[" 1", "1.0"], ["2 ", "2"], ["1", "2"], ["3", "3"], ["2", "3"], ["1", "1 "]]
    plain = [[text.strip().removesuffix(".0") for text in row] for row in texts]
    assert measure(texts) == measure(plain)
    assert measure([[*row, " "] for row in texts]) == measure([[*row, None] for row in plain])
    assert measure(values.astype(">i4")) == measure(values.astype(">f8")) == measure(values)

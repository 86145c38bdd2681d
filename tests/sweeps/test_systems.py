"""Units of two systems are joined by id; what cannot be compared is refused by name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import fastcausal as fc
from fastcausal.formulas import ConfusionFormula, MeanFormula
from fastcausal.statistics import Statistics
from fastcausal.sweeps.systems import aligned, pair_of

FORMULA = MeanFormula(("f1",), ())


def statistics(ids, values, signature="fc|p|x:1", formula=FORMULA, **facts):
    units = pa.table({"id": ids} if ids is not None else {"text": ["x"] * len(values)})
    return Statistics.of_units(formula, signature, np.array(values, formula.dtype), units, facts)


A = statistics(["x", "y", "z"], [[0.0], [0.5], [1.0]])


def test_joined_by_id():
    other = statistics(["z", "x", "y"], [[0.1], [0.2], [0.3]])
    joined = aligned({"A": A, "B": other})
    assert joined["B"].rows.ravel().tolist() == [0.2, 0.3, 0.1]
    assert joined["B"].units["id"].to_pylist() == ["x", "y", "z"]
    assert joined["A"].rows is A.rows


def test_numbers_and_texts_are_one_id():
    other = statistics(["2", "1"], [[0.1], [0.2]])
    assert aligned({"A": statistics([1, 2], [[0.0], [0.0]]), "B": other})["B"].rows[0] == 0.2


def test_compressed_statistics_are_joined():
    twice = statistics(["z", "x", "y"], [[0.1], [0.2], [0.1]]).compressed()
    rows = aligned({"A": A, "B": twice})["B"].rows
    assert rows.ravel().tolist() == [0.2, 0.1, 0.1]


def test_by_position_where_gold_is_one():
    without = [statistics(None, [[v], [0.5]], gold="ab") for v in (0.1, 0.2)]
    assert aligned(dict(zip("AB", without, strict=True)))["B"].rows[0] == 0.2


def test_labels_are_numbered_alike():
    sides = [
        statistics(
            ["x", "y"], [[0, 1], [1, 1]], formula=ConfusionFormula(labels, False, None, None)
        )
        for labels in (("a", "c"), ("b", "c"))
    ]
    joined = aligned(dict(zip("AB", sides, strict=True)))
    assert joined["A"].formula.labels == ("a", "b", "c")
    assert joined["A"].rows.tolist() == [[0, 2], [2, 2]]
    assert joined["B"].rows.tolist() == [[1, 2], [2, 2]]


def test_names_of_files_and_of_systems(tmp_path):
    A.write(tmp_path / "large.parquet")
    names, _, _ = pair_of(tmp_path / "large.parquet", replace(A, facts={"system": "s"}), ("A", "B"))
    assert names == ("large", "s")
    assert pair_of(A, A, ("A", "B"))[0] == ("A", "B")


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (statistics(["x", "y"], [[0.0], [0.0]]), r'B: 1 ids are missing \("z"\)'),
        (statistics([*"wxyz"], [[0.0]] * 4), r'A: 1 ids are missing \("w"\)'),
        (statistics([*"xyy"], [[0.0]] * 3), 'B: id "y" occurs twice'),
        (statistics(["x", "y", None], [[0.0]] * 3), "B: an id is null"),
        (statistics(None, [[0.0]] * 3), "B has no ids, A has ids to join by"),
        (A.without_units(), "B: sums alone have no units"),
        (replace(A, signature="fc|q|x:1"), r"A has the signature p, B has q,"),
        (replace(A, formula=MeanFormula(("em",), ())), "A and B: statistics that count other"),
    ],
)
def test_refusals(other, message):
    with pytest.raises(fc.InputError, match=message):
        aligned({"A": A, "B": other})


def test_other_gold():
    sides = {name: replace(A, facts={"gold": name}) for name in ("A", "B")}
    with pytest.raises(fc.InputError, match="A and B were scored against different gold"):
        aligned(sides)


def test_fewer_examples_without_ids():
    sides = {name: statistics(None, [[0.0]] * n, gold="ab") for name, n in (("A", 2), ("B", 3))}
    with pytest.raises(fc.InputError, match="A has 2 units, B has 3"):
        aligned(sides)

"""Units of two systems are joined by id; a message names systems that cannot be compared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import fastcausal as fc
from fastcausal.counts.statistics import Statistics
from fastcausal.recipe import Signature
from fastcausal.sweeps.align import align
from fastcausal.sweeps.systems import load_pair, load_systems
from fastcausal.tasks.classification.formula import LabelFormula
from fastcausal.tasks.qa.formula import QuestionFormula

FORMULA = QuestionFormula(("f1",), ())


def statistics(ids, values, signature="fc|p|x:1", formula=FORMULA, gold=None):
    units = pa.table({"id": ids} if ids is not None else {"text": ["x"] * len(values)})
    return Statistics.of_units(
        formula, signature, np.array(values, formula.dtype), units, gold=gold
    )


def rows_of(statistics):
    """The row of each unit."""
    return statistics.rows[statistics.row_of].tolist()


A = statistics(["x", "y", "z"], [[0.0], [0.5], [1.0]])


def test_joined_by_id():
    other = statistics(["z", "x", "y"], [[0.1], [0.2], [0.3]])
    joined = align({"A": A, "B": other}.items())
    assert rows_of(joined["B"]) == [[0.2], [0.3], [0.1]]
    assert joined["B"].units["id"].to_pylist() == ["x", "y", "z"]
    assert rows_of(joined["A"]) == A.rows.tolist()


def test_numbers_and_texts_are_one_id():
    other = statistics(["2", "1"], [[0.1], [0.2]])
    joined = align({"A": statistics([1, 2], [[0.0], [0.0]]), "B": other}.items())
    assert rows_of(joined["B"]) == [[0.2], [0.1]]


def test_compressed_statistics_are_joined():
    twice = statistics(["z", "x", "y"], [[0.1], [0.2], [0.1]]).compressed()
    joined = align({"A": A, "B": twice}.items())
    assert rows_of(joined["B"]) == [[0.2], [0.1], [0.1]]


def test_by_position_where_gold_is_one():
    without = [statistics(None, [[v], [0.5]], gold=7) for v in (0.1, 0.2)]
    assert rows_of(align(zip("AB", without, strict=True))["B"]) == [[0.2], [0.5]]


def test_labels_are_numbered_alike():
    sides = [
        statistics(["x", "y"], [[0, 1], [1, 1]], formula=LabelFormula(labels, False, None, None))
        for labels in (("a", "c"), ("b", "c"))
    ]
    joined = align(zip("AB", sides, strict=True))
    assert joined["A"].formula.labels == ("a", "b", "c")
    assert rows_of(joined["A"]) == [[0, 2], [2, 2]]
    assert rows_of(joined["B"]) == [[1, 2], [2, 2]]


def test_names_of_files_and_of_systems(tmp_path):
    A.write(tmp_path / "large.parquet")
    names, _ = load_pair(tmp_path / "large.parquet", replace(A, system="s"), ("A", "B"))
    assert names == ("large", "s")
    assert load_pair(A, A, ("A", "B"))[0] == ("A", "B")
    twice = replace(A, system="s")
    assert load_pair(tmp_path / "large.parquet", A, ("A", "B"))[0] == ("large", "B")
    assert load_pair(twice, twice, ("A", "B"))[0] == ("A", "B")


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
        (replace(A, formula=QuestionFormula(("em",), ())), "A and B: statistics that count other"),
    ],
)
def test_refusals(other, message):
    with pytest.raises(fc.InputError, match=message):
        align({"A": A, "B": other}.items())


def test_tags_as_given_on_one_side():
    sides = {
        name: replace(A, signature=Signature({"protocol": "p", "tags": tags, "x": "1"}))
        for name, tags in (("A", "strict"), ("B", "as-given"), ("C", "strict"))
    }
    joined = align(sides.items())
    assert {side.signature for side in joined.values()} == {"p|tags:as-given|x:1"}


def test_other_gold():
    sides = {name: replace(A, gold=k) for k, name in enumerate(("A", "B"))}
    with pytest.raises(fc.InputError, match="A and B were scored against different gold"):
        align(sides.items())


def test_fewer_examples_without_ids():
    sides = {name: statistics(None, [[0.0]] * n, gold=7) for name, n in (("A", 2), ("B", 3))}
    with pytest.raises(fc.InputError, match="A has 2 units, B has 3"):
        align(sides.items())


def test_files_name_systems_of_one_name(tmp_path):
    """Predictions often have one name in folders of their own."""
    files = [tmp_path / name / "counts.parquet" for name in ("a", "b")]
    for k, name in enumerate(("one", "two")):
        files += [tmp_path / f"{name}.parquet"]
        replace(A, system="pred", gold=1).write(files[-1])
        files[k].parent.mkdir()
        replace(A, system="pred", gold=1).write(files[k])
    assert [*load_systems(files[2:]).systems] == ["one", "two"]
    assert [*load_systems(files[2:3]).systems] == ["pred"]
    assert [*load_systems([*files[2:], replace(A, system="pred")]).systems] == [
        "one",
        "two",
        "system 3",
    ]
    with pytest.raises(fc.InputError, match='two systems have the name "counts", expected a name'):
        load_systems(files)

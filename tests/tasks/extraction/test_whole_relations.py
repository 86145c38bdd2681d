"""Protocol "relations" from end to end: reports, files of counts, options."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from fastcausal.engine.reference.whole import CRITERIA
from fastcausal.tasks.relations.whole import FIELDS
from tests.support.profiles import trials

GOLD, CAREFUL, HASTY = sample.GOLD, sample.SYSTEMS["careful"], sample.SYSTEMS["hasty"]
WORKED = (
    [{"cause": (0, 2), "effect": (4, 6)}, {"cause": (0, 2), "effect": (8, 9)}],
    [
        {"cause": (0, 2), "effect": (4, 6)},
        {"cause": (8, 9), "effect": (0, 2)},
        {"cause": (0, 1), "effect": (7, 9)},
    ],
)


def relations(*examples: list[dict[str, Any]]) -> fc.Relations:
    rows = [{"id": f"e{k}", "length": 9, "relations": each} for k, each in enumerate(examples)]
    return fc.Relations.from_examples(rows)


def scored(gold: Any, pred: Any, **settings: Any) -> dict[str, Any]:
    report = fc.score(relations(*gold), relations(*pred), "relations", **settings)
    return json.loads(json.dumps(report.to_dict()))


def test_the_worked_example() -> None:
    scores = scored(*([side] for side in WORKED))["scores"]
    assert {name: group["tp"] for name, group in scores.items()} == {
        "exact": 1, "signal": 1, "undirected": 2, "boundary": 2, "overlap": 2, "iou": 2,
    }  # fmt: skip
    exact = {"precision": 1 / 3, "recall": 1 / 2, "f1": 2 / 5, "tp": 1, "predicted": 3, "gold": 2}
    assert scores["exact"] == pytest.approx(exact)
    assert scored(*([side] for side in WORKED), iou=0.6)["scores"]["iou"]["tp"] == 1


def test_the_sample() -> None:
    report = fc.score(GOLD, CAREFUL, "relations")
    exact = report["exact"]
    assert (exact.tp, exact.predicted - exact.tp, exact.gold - exact.tp) == (37, 28, 35)
    assert round(exact.f1, 4) == 0.5401
    assert report.signature.split("|")[2:-2] == [
        "relations", "kernel:relations", "arguments:cause+effect", "iou:0.5", "types:ignore",
        "tags:strict", "0/0:undefined",
    ]  # fmt: skip
    for backend in ("reference", "cpu"):
        other = fc.score(GOLD, CAREFUL, "relations", backend=backend, num_threads=2)
        assert other.to_dict() == report.to_dict()


def test_types_show_the_group_strict() -> None:
    typed = [{"cause": (0, 2), "effect": (4, 6), "type": "a"}]
    other = [{"cause": (0, 2), "effect": (4, 6), "type": "b"}]
    plain = [{"cause": (0, 2), "effect": (4, 6)}]
    assert "strict" not in scored([plain], [plain])["scores"]
    for gold, pred, n in ((typed, typed, 1), (typed, other, 0), (typed, plain, 0)):
        for settings in ({}, {"types": "require"}, {"backend": "reference"}):
            scores = scored([gold], [pred], **settings)["scores"]
            assert (scores["strict"]["tp"], scores["exact"]["tp"]) == (n, 1)
    # parts of which one has no types add up
    parts = [fc.score(relations(g), relations(g), "relations") for g in (plain, typed)]
    assert fc.Statistics.__add__(*(part.statistics for part in parts)).formula.typed


def test_relations_of_one_type_are_matched_alone() -> None:
    spans = {"cause": (0, 2), "effect": (4, 6)}, {"cause": (0, 2), "effect": (8, 9)}
    gold = [[spans[0] | {"type": "x"}, spans[1] | {"type": "y"}], [spans[0]]]
    pred = [[spans[0] | {"type": "x"}, spans[1] | {"type": "z"}], [spans[0] | {"type": "x"}]]
    for backend in ("cpu", "reference"):
        found = scored(gold, pred, by="type", backend=backend)
        x, y, z = (found["by"]["type"][name] for name in "xyz")
        assert x == {
            "precision": 0.5, "recall": 1.0, "f1": 2 / 3, "tp": 1, "predicted": 2, "gold": 1
        }  # fmt: skip
        assert [y["recall"], z["precision"], y["precision"], z["recall"]] == [0.0, 0.0, None, None]
        assert found["macro_f1"] == pytest.approx(1 / 3)  # z is no type of gold
        assert found["micro"] == {
            "precision": 1 / 3, "recall": 0.5, "f1": 0.4, "tp": 1, "predicted": 3, "gold": 2
        }  # fmt: skip
        assert found["subsets"]["type=x"] == {"exact": x}


def test_files_of_counts(tmp_path: Any) -> None:
    paths = [tmp_path / f"{name}.parquet" for name in ("careful", "hasty")]
    for system, path in zip((CAREFUL, HASTY), paths, strict=True):
        whole = fc.score(GOLD, system, "relations", per_example=path, by="corpus")
        read = fc.Statistics.read(path)
        assert {*FIELDS} <= {*read.table().column_names}
        report = read.report("corpus")
        assert report.scores == whole.scores
        assert report.subsets == whole.subsets
    compared = fc.compare(*paths)
    assert [*compared.scores] == ["exact_f1"]
    assert fc.leaderboard(paths).score == "exact_f1"


def test_batches_and_merged_scorers_add_up() -> None:
    sides = [fc.read(path).to_examples() for path in (GOLD, CAREFUL)]
    scorers = [fc.ExtractionScorer("relations") for _ in range(2)]
    for k, scorer in enumerate(scorers):
        part = [slice(0, 30), slice(30, None)][k]
        scorer.update(gold=sides[0][part], pred=sides[1][part])
    scorers[0].merge(scorers[1])
    assert scorers[0].compute().scores == fc.score(GOLD, CAREFUL, "relations").scores


SPANS = st.tuples(st.integers(0, 6), st.integers(1, 3)).map(lambda s: (s[0], s[0] + s[1]))
RELATION = st.dictionaries(st.sampled_from(["cause", "effect", "signal"]), SPANS, min_size=1)
EXAMPLES = st.lists(st.lists(RELATION, max_size=3), min_size=1, max_size=4)


@given(EXAMPLES, EXAMPLES, st.sampled_from([0.3, 0.5, 1]), st.data())
@trials(300)
def test_reports_of_all_ways_agree(gold: Any, pred: Any, iou: float, data: st.DataObject) -> None:
    n = min(len(gold), len(pred))
    sides = [relations(*side[:n]) for side in (gold, pred)]
    one = fc.score(*sides, "relations", iou=iou)
    plain = fc.score(*sides, "relations", iou=iou, backend="reference")
    rows = fc.score(*(fc.Rows.of(side) for side in sides), "relations", iou=iou)
    assert one.scores == plain.scores == rows.scores
    swapped = fc.score(*sides[::-1], "relations", iou=iou)
    for name in (n for n in CRITERIA if n != "strict"):
        assert (one[name].tp, one[name].gold) == (swapped[name].tp, swapped[name].predicted)
    counts = one.statistics.rows
    assert np.array_equal(counts.sum(axis=0)[:2], [one["exact"].gold, one["exact"].predicted])
    # a pair of one gold and one predicted relation counts as the pairs say
    matches = one.matches.to_pylist()
    assert sum(row["exact_tp"] for row in matches) == one["exact"].tp
    assert sum(row["overlap_tp"] for row in matches) <= one["overlap"].tp


def test_roles_of_ones_own() -> None:
    gold = fc.Relations.from_examples(
        [{"length": 9, "relations": [{"a": (0, 1), "b": (2, 3), "c": (4, 5)}]}],
        roles=("a", "b", "c"),
    )
    pred = fc.Relations.from_examples(
        [{"length": 9, "relations": [{"a": (0, 2), "b": (2, 3), "c": (4, 5)}]}],
        roles=("a", "b", "c"),
    )
    first = fc.score(gold, pred, "relations")
    assert first["exact"].tp == 0
    assert "arguments:a+b|" in first.signature
    last = fc.score(gold, pred, "relations", arguments=("b", "c"))
    assert (last["exact"].tp, last["signal"].tp) == (1, 0)
    assert "arguments:b+c|" in last.signature


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"iou": 0}, "iou is 0, expected a number above 0 and at most 1"),
        ({"iou": 1.01}, "expected a number above 0"),
        ({"iou": "half"}, "expected a number above 0"),
        ({"iou": "0.1234567891"}, "expected at most 9 decimals"),
        ({"arguments": "cause"}, "expected two different roles"),
        ({"arguments": "cause,cause"}, "expected two different roles"),
        ({"arguments": "cause,x"}, 'arguments name the role "x"'),
    ],
)
def test_refused_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, fc.InputError), match=message):
        fc.score(GOLD, CAREFUL, "relations", **settings)


def test_settings_of_one_protocol() -> None:
    with pytest.raises(ValueError, match="iou is for relations, not for recess"):
        fc.score(GOLD, CAREFUL, iou=0.5)
    with pytest.raises(ValueError, match="ties is for kernels, expected none with mine"):
        type(fc.PROTOCOLS["relations"])("mine", ties="first")

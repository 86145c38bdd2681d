"""Every official number, bit for bit: the frozen cases that stand beside a checkout in shared/."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastcausal as fc
from tests.support.data import CNC

CASES = CNC / "cases"
BACKENDS = ("cpu", pytest.param("reference", marks=pytest.mark.slow))
GROUPS = {"overall": "", "cause": "Cause", "effect": "Effect", "signal": "Signal"}
COUNTS = ("TP", "FP", "FN", "LE", "BE", "LBE")

pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="no shared/data/cnc")


def _names(pattern: str) -> list[str]:
    return sorted(path.name.partition(".")[0] for path in CASES.glob(pattern))


@cache
def sides(case: str, tags: str) -> tuple[fc.Relations, fc.Relations]:
    manifest = {entry["name"]: entry for entry in json.loads((CASES / "manifest.json").read_text())}
    gold = fc.read(CASES / manifest[case]["truth"], tags=tags)
    return gold, fc.read(CASES / f"{case}.submission.jsonl", like=gold, tags=tags)


def expected(case: str, suffix: str) -> Any:
    return json.loads((CASES / f"{case}.{suffix}.json").read_text())


def official_scores(report: fc.Report) -> dict[str, float]:
    """The numbers of a report under their official names."""
    subsets = {"": report.scores, "MultiEgs_": report.subsets["multi_relation"]}
    return {
        f"{prefix}{label}{'_' if label else ''}{score.capitalize()}": groups[group][score]
        for prefix, groups in subsets.items()
        for group, label in GROUPS.items()
        for score in ("precision", "recall", "f1")
    }


def official_counts(report: fc.Report) -> dict[tuple[str, str, str], float]:
    subsets = {"all": report.scores, "multi": report.subsets["multi_relation"]}
    return {
        (subset, label or "Overall", count): groups[group][count.lower()]
        for subset, groups in subsets.items()
        for group, label in GROUPS.items()
        for count in COUNTS
    }


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("case", _names("*.expected.json"))
def test_cnc_2023(case, backend):
    gold, pred = sides(case, "cnc-2023")
    report = fc.score(gold, pred, protocol="cnc-2023", backend=backend)
    official = expected(case, "expected")
    assert official_scores(report) == official["scores"]
    assert official_counts(report) == {
        (subset, label, count): counts[count]
        for subset, labels in official["counts"].items()
        for label, counts in labels.items()
        for count in COUNTS
    }
    n_relations = [counted(side) for side in (gold, pred)]
    assert chosen_pairs(report, *n_relations) == {
        g: p for sentence in official["best_pairs"] for g, p in sentence["gold_pred"]
    }
    unknown = "pred: sentence with unknown mark-up: 25"  # <arg0>, which the program passes over
    assert report.warnings == ((unknown,) if case == "14_malformed" else ())


def counted(side: fc.Relations) -> dict[str, int]:
    """The relations of each example by id, also those that mark nothing."""
    n_relations = np.diff(side.arrays.relation_offsets).tolist()
    return dict(zip(side.ids.to_pylist(), n_relations, strict=True))


def chosen_pairs(
    report: fc.Report, n_gold: dict[str, int], n_pred: dict[str, int]
) -> dict[int, int]:
    """Gold relation to predicted relation in sentences with several, numbered as officially.

    There relations are numbered through the file, and predictions up to the number of gold
    relations, untagged sentences standing in for those that lack. A gold relation without a
    partner has one of those, which are all alike: it is given the first that is free.
    """
    first, start = {}, 0
    for name, n in n_gold.items():
        first[name], start = start, start + n
    free = {name: iter(range(n_pred[name], n)) for name, n in n_gold.items()}
    pairs = {}
    for row in report.matches.to_pylist():
        name, gold, pred = row["id"], row["gold_relation"], row["pred_relation"]
        assert gold is not None, "under cnc-2023 every prediction that counts has a partner"
        if n_gold[name] > 1:
            pred = next(free[name]) if pred is None else pred
            pairs[first[name] + gold] = first[name] + pred
        else:
            assert pred == (0 if n_pred[name] else None)
    return pairs


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("case", _names("*.expected-2022.json"))
def test_cnc_2022(case, backend):
    gold, pred = sides(case, "cnc-2022")
    report = fc.score(gold, pred, protocol="cnc-2022", backend=backend)
    official = expected(case, "expected-2022")
    for group in GROUPS:
        scores = official[group.capitalize()]
        for name in ("precision", "recall", "f1"):
            assert report[group][name] == scores[name]
        if group != "overall":
            assert report[group].number == scores["number"]
    unknown = "pred: sentence with unknown mark-up: 25"  # <arg0>, which the program passes over
    assert report.warnings == ((unknown,) if case == "14_malformed" else ())


# ------------------------------------------------------- the same relations without their tags


def strict_sides(case: str) -> tuple[fc.Relations, fc.Relations]:
    """Return both sides with tags read strictly; skip the test if some cannot be read so."""
    gold, pred = sides(case, "strict")
    if pred.n_unread:
        pytest.skip("predictions that only the official reading takes")
    return gold, pred


def dicts(relations: fc.Relations) -> list[dict[str, Any]]:
    kept = ("id", "length", "relations")
    return [{name: e[name] for name in kept} for e in relations.to_examples()]


def characters(relations: fc.Relations) -> list[dict[str, Any]]:
    """Spans by their characters, in the sentence."""
    found = []
    for e in relations.to_examples():
        at = [match.span() for match in re.finditer(r"\S+", e["text"])]
        spans = [
            {
                role: [[at[start][0], at[stop - 1][1]] for start, stop in places]
                for role, places in relation.items()
            }
            for relation in e["relations"]
        ]
        found.append({"id": e["id"], "text": e["text"], "relations": spans})
    return found


def written(relations: fc.Relations, path: Path) -> Path:
    fc.write(relations, path)
    return path


def slow_but(name: str, names: Iterable[str]) -> list[Any]:
    """Return parameters for all names; a quick run uses `name` alone."""
    return [pytest.param(n, marks=() if n == name else pytest.mark.slow) for n in names]


FORMS: dict[str, Callable[[fc.Relations, Path], Any]] = {
    "dicts": lambda side, path: dicts(side),
    "spans": lambda side, path: fc.read(characters(side), format="spans"),
    "bio": lambda side, path: written(side, path.with_suffix(".bio")),
    "jsonl": lambda side, path: written(side, path.with_suffix(".jsonl")),
    "parquet": lambda side, path: written(side, path.with_suffix(".parquet")),
    "rows": lambda side, path: fc.Rows.of(side),
}


@pytest.mark.parametrize("year", ["2023", "2022"])
@pytest.mark.parametrize("form", slow_but("rows", FORMS))
@pytest.mark.parametrize("case", _names("*.expected.json"))
def test_without_tags(case, form, year, tmp_path):
    """Relations without tags score exactly the official number, and gold 1.0 against itself."""
    gold, pred = (
        FORMS[form](side, tmp_path / side_name)
        for side, side_name in zip(strict_sides(case), ("gold", "pred"), strict=True)
    )
    protocol = f"cnc-{year}"
    assert fc.score(gold, gold, protocol)["overall"].f1 == 1.0
    report = fc.score(gold, pred, protocol)
    assert "|tags:as-given|" not in report.signature
    mixed = (
        [report] if form == "rows" else [report, fc.score(sides(case, "strict")[0], pred, protocol)]
    )
    for found in mixed:
        if year == "2023":
            assert official_scores(found) == expected(case, "expected")["scores"]
        else:
            same = fc.score(*sides(case, protocol), protocol)
            assert found.scores == same.scores


@pytest.mark.parametrize("backend", BACKENDS)
def test_published_sample(backend):
    folder = CNC / "sample"
    gold = fc.read(folder / "truth.csv")
    pred = fc.read(folder / "submission.json", like=gold)
    report = fc.score(gold, pred, protocol="cnc-2023", backend=backend)
    official, prefix = {}, ""
    for line in (folder / "scores.txt").read_text().splitlines():
        name, _, value = line.partition(":")
        if line.startswith("###"):
            prefix = "MultiEgs_" if "Multiple" in line else ""
        elif value:
            official[prefix + name] = float(value)
    assert official_scores(report) == official
    assert len(official) == 24


@pytest.mark.parametrize("protocol", fc.PROTOCOLS)
def test_gold_against_itself_is_perfect(protocol):
    """Gold scores 1.0 against itself, even if the official reading misreads it: on both sides."""
    for file in ("dev_subtask2_grouped.csv", "train_subtask2_grouped.csv"):
        gold = fc.read(CNC / file)
        scores = next(iter(fc.score(gold, gold, protocol=protocol).scores.values()))
        assert (scores.precision, scores.recall, scores.f1) == (1.0, 1.0, 1.0)

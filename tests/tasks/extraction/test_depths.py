"""Protocol "depths" from files to reports: the worked example, JSON, waterfalls, comparison."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.errors import InputError
from tests.support.cli import cli

LENGTH = 10


def side(*relations: tuple[int, int, int, int] | dict[str, Any]) -> dict[str, Any]:
    """One example; a relation is the bounds of its cause and effect."""
    spans = [
        {"cause": [r[:2]], "effect": [r[2:]]} if isinstance(r, tuple) else r for r in relations
    ]
    return {"length": LENGTH, "relations": spans}


GOLD = [side((0, 2, 4, 6), (4, 6, 8, 9), (1, 2, 7, 8))]
PRED = [side((4, 6, 0, 2), (4, 6, 8, 9), (0, 2, 8, 9))]


def test_the_worked_example() -> None:
    report = fc.score(GOLD, PRED, "depths")
    found = report.to_dict()
    nothing = {"not_causal": 0, "both": 0, "cause": 0, "effect": 0, "mistyped": 0, "turned": 0,
               "unlinked": 0, "partial": 0, "relations": 3, "right": 1}  # fmt: skip
    assert found["account"] == {
        "gold": nothing | {"turned": 1, "both": 1},
        "predicted": nothing | {"turned": 1, "unlinked": 1},
    }
    links = found["scores"]["links"]
    assert links == {
        "precision": pytest.approx(1 / 3), "recall": 0.5, "f1": 0.4, "right": 1,
        "linkable_gold": 2, "linkable_predicted": 3,
    }  # fmt: skip
    assert found["steps"] == {"seen": 1.0, "found": pytest.approx(2 / 3), "linked": 0.5}
    assert [*found["scores"]] == ["causal", "spans", "links"]
    assert [*found["scores"]["spans"]] == ["overall", "cause", "effect", "signal"]
    cause = found["scores"]["spans"]["cause"]
    assert (cause["tp"], cause["predicted"], cause["gold"]) == (2, 2, 3)
    causal = found["scores"]["causal"]
    assert (causal["tp"], causal["fp"], causal["fn"], causal["tn"]) == (1, 0, 0, 0)
    assert report.signature.startswith("fastcausal|")
    assert "|depths|kernel:depths|arguments:cause+effect|match:exact|types:ignore|" in (
        report.signature
    )
    assert report["links"].f1 == 0.4
    assert report.statistics.formula.main == "links_f1"


@pytest.mark.parametrize("match", ["exact", "overlap", "iou:0.5", "iou:1"])
@pytest.mark.parametrize("system", [*sample.SYSTEMS])
def test_recall_is_the_product_of_its_steps(match: str, system: str) -> None:
    report = fc.score(sample.GOLD, sample.SYSTEMS[system], "depths", match=match, unparsed="empty")
    account, steps = report.account, report.steps
    for lines in account.values():
        *lost, partial = [*lines.values()][1:]
        assert lines["relations"] == sum(lost)
        assert partial == lines["partial"]
    gold = account["gold"]
    product = 1.0
    for share in steps.values():
        product *= share
    assert product == pytest.approx(gold["right"] / gold["relations"])
    relations = fc.score(sample.GOLD, sample.SYSTEMS[system], "relations", unparsed="empty")
    assert (match not in ("exact", "iou:1")) or gold["right"] == relations["exact"].tp


def test_types_tell_a_relation_of_another_type() -> None:
    gold = [side((0, 2, 4, 6), (6, 7, 8, 9)) | {"types": ["Cause", "Enable"]}]
    pred = [side((0, 2, 4, 6), (6, 7, 8, 9)) | {"types": ["Cause", "Prevent"]}]
    assert fc.score(gold, pred, "depths").account["gold"]["right"] == 2
    found = fc.score(gold, pred, "depths", types="require")
    assert found.account["gold"] == found.account["predicted"]
    assert (found.account["gold"]["right"], found.account["gold"]["mistyped"]) == (1, 1)
    assert found["links"].recall == 0.5
    assert "of another type" in str(found)
    assert "of another type" not in str(fc.score(gold, pred, "depths"))


def test_roles_of_ones_own_name_the_lines() -> None:
    relation = {"buyer": [(0, 1)], "seller": [(2, 3)], "price": [(4, 5)]}
    gold, pred = [side(relation)], [side(relation | {"seller": [(2, 4)]})]
    roles = "buyer,seller,price"
    report = fc.score(gold, pred, "depths", roles=roles)
    assert report.account["gold"]["seller"] == 1
    assert "seller not found" in str(report)
    report = fc.score(gold, pred, "depths", roles=roles, arguments="buyer,price")
    assert report.account["gold"]["right"] == 1
    with pytest.raises(InputError, match="arguments"):
        fc.score(gold, pred, "depths", roles=roles, arguments="buyer,goods")


@pytest.mark.parametrize("match", ["iou", "iou:", "iou:0", "iou:1.5", "iou:x", "some", "iou:1e-10"])
def test_an_unknown_match_is_refused(match: str) -> None:
    with pytest.raises(ValueError, match="match is"):
        fc.score(GOLD, PRED, "depths", match=match)
    paths = str(sample.GOLD), str(sample.SYSTEMS["careful"])
    cli("score", *paths, "--protocol", "depths", "--match", match, expect=2)


def test_a_comparison_says_at_which_depth_b_gains() -> None:
    hasty, careful = (
        fc.score(sample.GOLD, sample.SYSTEMS[name], "depths") for name in ("hasty", "careful")
    )
    comparison = fc.compare(hasty, careful)
    assert [*comparison.scores] == ["links_f1", "steps_seen", "steps_found", "steps_linked"]
    found = comparison["steps_found"]
    assert found.delta == pytest.approx(careful.steps["found"] - hasty.steps["found"])
    assert found.low > 0
    [said] = [line for line in comparison.legend if line.startswith("B gains")]
    assert f"found (+{found.delta:.4f})" in said
    assert "seen (+0.0278, uncertain)" in said


def test_statistics_by_columns_and_parts_are_those_of_all(tmp_path: Any) -> None:
    report = fc.score(
        sample.GOLD, sample.SYSTEMS["careful"], "depths", by="corpus", statistics="corpus"
    )
    path = tmp_path / "counts.parquet"
    report.statistics.write(path)
    again = fc.Statistics.read(path)
    printed = json.loads(again.report(by="corpus").to_json())
    assert printed["scores"] == json.loads(report.to_json())["scores"]
    assert printed["account"] == report.account
    assert printed["steps"] == pytest.approx(report.steps)
    assert {*printed["subsets"]} == {*report.subsets}
    part = next(iter(printed["subsets"].values()))
    assert [*part] == ["causal", "spans", "links", "account", "steps"]
    interval = report.statistics.interval("steps_found")
    assert interval.low < report.steps["found"] < interval.high


def test_an_empty_example_counts_as_not_causal_alone() -> None:
    one, two = (fc.score(GOLD + more, PRED + more, "depths") for more in ([], [side()]))
    assert two.account == one.account
    assert two["causal"].tn == one["causal"].tn + 1
    assert Fraction(two["causal"].accuracy) == 1


def test_lost_relations_are_found_again_in_errors_matches_and_on_pages(tmp_path: Any) -> None:
    report = fc.score(sample.GOLD, sample.SYSTEMS["careful"], "depths")
    for side_of, lines in report.account.items():
        for line in ("not_causal", "both", "cause", "effect", "turned", "unlinked"):
            wrong = report.errors(top=None, types=[line], roles=[side_of])
            assert sum(example.errors for example in wrong.examples) == lines[line]
            assert sum(report.matches[f"account_{side_of}_{line}"].to_pylist()) == lines[line]
    assert sum(report.matches["right"].to_pylist()) == report.account["gold"]["right"]
    report.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "turned round" in page
    assert "linked wrongly" in page
    lost = report.account["gold"]["effect"] / report.account["gold"]["relations"]
    assert f'<rect class="k1" x="{100 * 39 / 72:.4g}%" width="{100 * lost:.4g}%"' in page


def test_types_in_matches_follow_the_policy() -> None:
    gold, pred = ([side((0, 2, 4, 6)) | {"types": [name]}] for name in ("Cause", "Prevent"))
    rows = fc.score(gold, pred, "depths", types="require").matches.to_pylist()
    assert sum(row["account_gold_mistyped"] for row in rows) == 1
    [row] = fc.score(gold, pred, "depths").matches.to_pylist()
    assert row["right"] == 1

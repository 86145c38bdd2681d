"""Systems under every scheme of counting: figures, ranks, winners, intervals and tests."""

from __future__ import annotations

import json
import math

import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.errors import InputError
from fastcausal.sweeps.schemes import SCHEMES
from tests.support.cli import cli

TWO = {name: sample.SYSTEMS[name] for name in ("careful", "hasty")}
# The same figures by the protocols themselves, under the names of their reports.
APART = {
    "recess": ("recess", "overall", ""),
    "cnc-2023": ("cnc-2023", "overall", ""),
    "exact_spans": (fc.Protocol("x", kernel="exact_spans"), "overall", ""),
    "partial_spans": (fc.Protocol("x", kernel="partial_spans"), "overall", "partial_"),
    "span_overlap": (fc.Protocol("x", kernel="span_overlap"), "overall", "token_"),
    "relations.exact": ("relations", "exact", ""),
    "relations.overlap": ("relations", "overlap", ""),
    "causal": ("depths", "causal", ""),
}


def test_figures_are_those_of_the_protocols():
    report = fc.schemes(sample.GOLD, TWO)
    assert [*report.schemes] == [name for name in SCHEMES if name != "relations.strict"]
    for name, (protocol, group, prefix) in APART.items():
        for system, path in TWO.items():
            alone = fc.score(sample.GOLD, path, protocol)[group]
            found = report.schemes[name][system]
            assert [found[n] for n in ("precision", "recall", "f1")] == [
                alone[f"{prefix}{n}"] for n in ("precision", "recall", "f1")
            ]
    assert report.winners == {name: ["careful"] for name in report.schemes}
    assert report.changes is False
    rows = report.to_arrow().to_pylist()
    assert len(rows) == 2 * len(report.schemes)
    assert {*rows[0]} == {"system", "scheme", "precision", "recall", "f1", "rank"}


def relation(type=None, **spans):
    return {**spans, **({"type": type} if type else {})}


GOLD = [{"id": "a", "length": 9, "relations": [relation("x", cause=(0, 2), effect=(4, 6))]}]
# One of them has the spans, the other one touches all of them and is exact about the type alone.
EXACT = [{**GOLD[0], "relations": [relation("y", cause=(0, 2), effect=(4, 6))] * 2}]
NEAR = [{**GOLD[0], "relations": [relation("x", cause=(0, 3), effect=(4, 7))]}]


def test_the_winner_may_change_with_the_scheme():
    report = fc.schemes(GOLD, {"exact": EXACT, "near": NEAR})
    assert report.changes is True
    assert report.winners["relations.exact"] == ["exact"]
    assert report.winners["relations.overlap"] == ["near"]
    assert report.winners["relations.strict"] == ["exact", "near"]  # F1 of both is 0
    assert report.legend[0].startswith("the winner changes with the scheme: ")


def test_ranks():
    again = {"a": NEAR, "b": EXACT, "c": NEAR}
    rows = fc.schemes(GOLD, again, schemes="relations.overlap").schemes["relations.overlap"]
    assert [rows[name].rank for name in again] == [1, 3, 1]
    nothing = [{**GOLD[0], "relations": []}]
    report = fc.schemes(nothing, {"a": nothing, "b": NEAR}, schemes=["relations.exact"])
    rows = report.schemes["relations.exact"]
    assert math.isnan(rows["a"].f1)
    assert (rows["a"].rank, rows["b"].rank, report.winners["relations.exact"]) == (2, 1, ["b"])
    empty = fc.schemes(nothing, {"a": nothing, "b": nothing}, schemes="relations.exact")
    assert empty.winners == {"relations.exact": []}
    assert [each.rank for each in empty.schemes["relations.exact"].values()] == [1, 1]
    assert fc.schemes(nothing, {"a": nothing}, undefined=1.0).schemes["recess"]["a"].f1 == 1


def test_equal_ratios_share_a_rank_whatever_the_counts():
    """2/6 and 4/12, of which harmonic means are unlike floats."""
    spans = [(0, 1), (1, 2)]
    gold = [{"length": 20, "relations": [{"cause": s, "effect": (2, 3)} for s in spans]}]

    def system(n_right: int, n: int) -> list[dict]:
        wrong = [{"cause": (k, k + 1), "effect": (k, k + 1)} for k in range(3, 3 + n - n_right)]
        return [{"length": 20, "relations": gold[0]["relations"][:n_right] + wrong}]

    report = fc.schemes(gold, {"a": system(1, 4), "b": system(2, 10)})
    for name in ("relations.exact", "relations.overlap"):
        assert report.schemes[name]["a"].f1 == report.schemes[name]["b"].f1 == 1 / 3
    assert report.winners["relations.exact"] == report.winners["exact_spans"] == ["a", "b"]
    assert report.schemes["exact_spans"]["a"].f1 != report.schemes["exact_spans"]["b"].f1
    fewer = fc.schemes(gold, {"a": system(1, 4), "b": system(2, 11)})
    assert fewer.winners["relations.exact"] == ["a"]


def test_intervals_and_p_are_those_of_compare():
    names = ["recess", "relations.exact"]
    report = fc.schemes(sample.GOLD, TWO, schemes=names, intervals=True, p=True)
    a, b = (fc.score(sample.GOLD, path) for path in TWO.values())
    assert report.p["recess"]["p"] == fc.compare(a, b)["overall_f1"].p
    assert (report.p["recess"]["first"], report.p["recess"]["second"]) == ("careful", "hasty")
    low = a.statistics.intervals().flat()["overall_f1"].low
    assert report.schemes["recess"]["careful"].f1_low == low
    assert "f1_low" not in report.schemes["recess"]["hasty"]


def test_from_the_command_line(tmp_path):
    files = sample.GOLD, *TWO.values()
    out, _ = cli("schemes", *files, "--json")
    found = json.loads(out)
    assert {"schemes", "winners", "changes"} <= found.keys()
    assert found["schemes"]["relations.exact"]["careful"]["f1"] == pytest.approx(0.5401, abs=5e-5)
    out, _ = cli("schemes", *files)
    assert "under every scheme the winner is careful" in out
    out, _ = cli("schemes", *files, "--scheme", "recess", "--format", "latex")
    assert r"\textbf{0.8189}" in out
    cli("schemes", *files, "--html", tmp_path / "schemes.html")
    assert "relations.iou" in (tmp_path / "schemes.html").read_text()


@pytest.mark.parametrize(
    ("pred", "settings", "message"),
    [
        (TWO, {"schemes": "rouge"}, 'unknown scheme "rouge", expected one of recess, '),
        (TWO, {"schemes": []}, "no scheme is asked for"),
        ({"a": NEAR}, {"p": True}, "p is for two systems or more, found 1"),
        ([], {}, "no systems"),
        ([sample.SYSTEMS["careful"]] * 2, {}, 'two systems have the name "careful"'),
    ],
)
def test_what_is_refused(pred, settings, message):
    with pytest.raises(ValueError, match=message):
        fc.schemes(sample.GOLD, pred, **settings)


def test_types_of_one_system_alone_are_no_scheme():
    """Relations with types count as such only if every system is scored with types."""
    gold = fc.read([{"length": 9, "relations": [relation(cause=(0, 1), effect=(2, 3))]}])
    typed, plain = (
        fc.read([{"length": 9, "relations": [relation(type, cause=(0, 1), effect=(2, 3))]}])
        for type in ("Enables", None)
    )
    found = fc.schemes(gold, {"typed": typed, "plain": plain}, p=True)
    assert found.winners["relations.exact"] == ["typed", "plain"]
    assert "relations.strict" not in found.schemes
    with pytest.raises(InputError, match="some system has none"):
        fc.schemes(gold, plain, schemes="relations.strict")

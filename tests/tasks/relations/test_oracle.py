"""Protocols "relations" and "depths" end to end, against sets and all matchings (oracles.whole)."""

from __future__ import annotations

import random
from collections import Counter
from itertools import repeat
from typing import Any

import pytest

import fastcausal as fc
from fastcausal.options import Backend
from tests.oracles import whole as oracle
from tests.support import played_cupy

Examples = list[list[dict[str, Any]]]
LENGTH = 9
CAUSAL = ("cause", "effect", "signal")
OWN = ("agent", "what", "where", "when")
ROLES = (CAUSAL, OWN)
ARGUMENTS = {
    CAUSAL: (None, ("effect", "cause"), ("cause", "signal")),
    OWN: (None, ("where", "agent"), ("what", "when")),
}
IOUS = (0.5, 0.333333333, 0.6, 0.75, 1, 0.000000001)
MATCHES = ("exact", "overlap", "iou:0.5", "iou:0.6", "iou:1")
BACKENDS: tuple[Backend, ...] = ("cpu", "reference", "cuda")


def draw_relation(rng: random.Random, roles: Any, typed: bool) -> dict[str, Any]:
    """Spans may touch, overlap and repeat, and roles may be missing."""
    relation: dict[str, Any] = {}
    for role in roles:
        spans = []
        for _ in range(rng.choice((0, 0, 1, 1, 1, 2, 3)) if rng.random() < 0.5 else 1):
            start = rng.randrange(rng.choice((2, 3, LENGTH - 1)))
            spans.append((start, min(LENGTH, start + rng.choice((1, 1, 2, 3)))))
        if spans:
            relation[role] = spans
    if typed and rng.random() < 0.8:
        relation["type"] = rng.choice("xyz")
    return relation


def draw_example(rng: random.Random, roles: Any, typed: bool) -> tuple[Any, Any]:
    """Both sides: predictions copy, turn or bend what gold has, and repeat it."""
    pool = [draw_relation(rng, roles, typed) for _ in range(rng.choice((1, 2, 3, 6)))]
    sides = []
    for _ in range(2):
        side = []
        for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 4, 5, 6))):
            relation = dict(rng.choice(pool))
            kind = rng.random()
            if kind < 0.15:
                relation = draw_relation(rng, roles, typed)
            elif kind < 0.3:
                a, b = rng.sample(roles, 2)
                spans = relation.pop(a, None), relation.pop(b, None)
                relation |= {r: s for r, s in zip((b, a), spans, strict=True) if s}
            elif kind < 0.5:
                relation |= draw_relation(
                    rng, roles[:1] if rng.random() < 0.5 else roles[1:2], typed
                )
            elif kind < 0.55:
                relation = {}
            side.append(relation)
        sides.append(side)
    return sides[0], sides[1]


def draw(seed: int, n: int, roles: Any, typed: bool) -> tuple[Examples, Examples]:
    rng = random.Random(seed)
    both = [draw_example(rng, roles, typed) for _ in range(n)]
    return [gold for gold, _ in both], [pred for _, pred in both]


def table(side: Examples, roles: Any, names: Any = None) -> fc.Relations:
    rows = [
        {"id": f"e{k}", "length": LENGTH, "relations": relations}
        for k, relations in zip(names or range(len(side)), side, strict=True)
    ]
    return fc.Relations.from_examples(rows, roles=roles)


def rows_of(report: Any, names: Any) -> list[dict[str, int]]:
    """Counts of each example."""
    return report.statistics.table().select([*names]).to_pylist()


def assert_alike(report: Any, expected: list[dict[str, int]], sides: Any, what: Any) -> None:
    found = rows_of(report, expected[0])
    for k, (row, wanted) in enumerate(zip(found, expected, strict=True)):
        assert row == wanted, (what, *(side[k] for side in sides))


def assert_close(found: Any, expected: Any) -> None:
    """Counts, names and what is undefined are equal, ratios but for their last bits."""
    if isinstance(expected, dict):
        assert {*found} == {*expected}
        for name, value in expected.items():
            assert_close(found[name], value)
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-14, abs=1e-15)
    else:
        assert found == expected


def check_corpus(seed: int, n: int, roles: Any, typed: bool, backends: Any, every: bool) -> None:
    """Compare all counts; settings follow from the seed, or are all in turn."""
    sides = draw(seed, n, roles, typed)
    gold, pred = (table(side, roles) for side in sides)
    arguments = ARGUMENTS[roles][seed // 4 % 3]
    named = arguments or roles[:2]
    ious = IOUS[:4] if every else [IOUS[seed % len(IOUS)]]
    for iou in ious:
        expected = [oracle.count_relations(*e, roles, named, iou) for e in zip(*sides, strict=True)]
        for types, backend in [("require", "cpu"), *zip(repeat("ignore"), backends)]:
            report = fc.score(
                gold, pred, "relations", arguments=arguments, iou=iou, types=types, backend=backend
            )
            assert_alike(report, expected, sides, (roles, arguments, iou, types, backend))
        sums: Counter[str] = Counter()
        for row in expected:
            sums.update(row)
        for group, figures in report.to_dict()["scores"].items():
            n = (sums[f"{group}_tp"], sums["predicted"], sums["gold"])
            assert_close(figures, oracle.scores(*n))
        assert ("strict" in report.to_dict()["scores"]) == any(
            r.get("type") for side in sides for e in side for r in e
        )
    if typed:
        check_types(sides, roles, named, backends)
    for match in MATCHES if every else [MATCHES[seed % len(MATCHES)]]:
        for types in ("ignore", "require"):
            settings = named, match, types == "require"
            expected = [oracle.count_depths(*e, roles, *settings) for e in zip(*sides, strict=True)]
            sums = Counter()
            for row in expected:
                sums.update(row)
            for backend in backends:
                report = fc.score(
                    gold, pred, "depths", arguments=arguments, match=match, types=types,
                    backend=backend,
                )  # fmt: skip
                assert_alike(report, expected, sides, (roles, *settings, backend))
            wanted = oracle.depths_report(sums, roles, named)
            found = report.to_dict()
            assert_close({name: found[name] for name in wanted}, wanted)


def check_types(sides: Any, roles: Any, arguments: Any, backends: Any) -> None:
    gold, pred = (table(side, roles) for side in sides)
    counts = oracle.count_types(*sides, roles, arguments)
    expected = {
        name: oracle.scores(*(c[n] for n in ("tp", "predicted", "gold")))
        for name, c in counts.items()
    }
    of_gold = [e["f1"] for e in expected.values() if e["gold"]]
    for backend in backends:
        report = fc.score(gold, pred, "relations", arguments=arguments, by="type", backend=backend)
        found = report.to_dict()
        assert_close(found["by"]["type"], expected)
        assert_close(found["macro_f1"], sum(of_gold) / len(of_gold))
        sums = sum(counts.values(), Counter())
        micro = oracle.scores(*(sums[n] for n in ("tp", "predicted", "gold")))
        assert_close(found["micro"], micro)


@pytest.fixture
def device() -> Any:
    """The played device, for both protocols as they stand on it."""
    with played_cupy.instead():
        yield


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("typed", [True, False])
@pytest.mark.parametrize("roles", ROLES)
def test_few_examples(roles: Any, typed: bool) -> None:
    check_corpus(1 + typed, 75, roles, typed, BACKENDS, every=False)


@pytest.mark.slow
@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("seed", range(10, 50))
def test_many_examples(seed: int) -> None:
    check_corpus(seed, 500, ROLES[seed % 2], seed // 2 % 2 == 0, BACKENDS, every=False)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_all_settings(seed: int) -> None:
    for turn in range(3):  # of arguments
        check_corpus(4 * turn + seed, 80, ROLES[seed % 2], seed < 2, BACKENDS[:1], every=True)


def relation(*bounds: int, **more: Any) -> dict[str, Any]:
    return {"cause": [bounds[:2]], "effect": [bounds[2:]], **more}


def test_the_oracle_has_the_worked_examples() -> None:
    gold = [relation(0, 2, 4, 6), relation(0, 2, 8, 9)]
    pred = [relation(0, 2, 4, 6), relation(8, 9, 0, 2), relation(0, 1, 7, 9)]
    settings = CAUSAL, CAUSAL[:2]
    counts = oracle.count_relations(gold, pred, *settings, 0.5)
    assert counts == {
        "gold": 2, "predicted": 3, "exact_tp": 1, "signal_tp": 1, "strict_tp": 1,
        "undirected_tp": 2, "boundary_tp": 2, "overlap_tp": 2, "iou_tp": 2,
    }  # fmt: skip
    assert oracle.count_relations(gold, pred, *settings, 0.6)["iou_tp"] == 1
    gold = [relation(0, 2, 4, 6), relation(4, 6, 8, 9), relation(1, 2, 7, 8)]
    pred = [relation(4, 6, 0, 2), relation(4, 6, 8, 9), relation(0, 2, 8, 9)]
    counts = oracle.count_depths(gold, pred, *settings, "exact")
    assert {name: n for name, n in counts.items() if n and "spans" not in name} == {
        "causal_tp": 1, "right": 1, "account_gold_turned": 1, "account_gold_both": 1,
        "account_predicted_turned": 1, "account_predicted_unlinked": 1,
    }  # fmt: skip
    found = oracle.depths_report(Counter(counts), *settings)
    assert found["scores"]["links"] == {
        "precision": 1 / 3, "recall": 1 / 2, "f1": 2 / 5,
        "right": 1, "linkable_gold": 2, "linkable_predicted": 3,
    }  # fmt: skip
    assert found["steps"] == {"seen": 1, "found": 2 / 3, "linked": 1 / 2}
    assert_alike(
        fc.score(table([gold], CAUSAL), table([pred], CAUSAL), "depths"), [counts], None, "worked"
    )
    # a surplus copy of a right relation
    counts = oracle.count_depths(gold[:1], gold[:1] * 2, *settings, "exact")
    assert (counts["right"], counts["account_predicted_unlinked"]) == (1, 1)


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("backend", BACKENDS)
def test_the_least_of_several_largest_matchings(backend: Backend) -> None:
    """The first of gold meets both predictions, each of which meets one gold relation more."""
    gold = [relation(5, 7, 2, 6), relation(6, 8, 2, 3), relation(6, 8, 5, 7)]
    pred = [relation(6, 8, 5, 8), relation(6, 8, 2, 4)]
    counts = oracle.count_depths(gold, pred, CAUSAL, CAUSAL[:2], "overlap")
    # By another largest matching the third were lost, which is turned, too.
    assert (counts["account_gold_unlinked"], counts["account_gold_turned"]) == (1, 0)
    sides = table([gold], CAUSAL), table([pred], CAUSAL)
    report = fc.score(*sides, "depths", match="overlap", backend=backend)
    assert_alike(report, [counts], ([gold], [pred]), backend)


PROTOCOLS: tuple[tuple[Any, dict[str, Any]], ...] = (
    ("relations", {"iou": 0.6}),
    ("depths", {}),
    ("depths", {"match": "overlap", "types": "require"}),
)


def counted(gold: Examples, pred: Examples, names: Any = None, **more: Any) -> list[Any]:
    """Counts of examples by name, by each protocol."""
    sides = [table(side, CAUSAL, names) for side in (gold, pred)]
    return [
        {
            row.pop("id"): row
            for row in fc.score(*sides, p, **s, **more).statistics.table().to_pylist()
        }
        for p, s in PROTOCOLS
    ]


def marked(counts: dict[str, int]) -> dict[str, int]:
    """Counts by the protocol: not how many relations were given, which empty ones are, too."""
    return {f: n for f, n in counts.items() if not f.startswith("n_") and f != "multi_relation"}


def filled(counts: dict[str, int]) -> set[str]:
    return {field for field, n in marked(counts).items() if n}


def test_no_order_moves_a_count() -> None:
    rng = random.Random(5)
    gold, pred = draw(5, 120, CAUSAL, typed=True)
    before = counted(gold, pred, num_threads=1)
    for threads in (1, 2, 5):
        order = rng.sample(range(len(gold)), len(gold))
        mixed = [[rng.sample(side[k], len(side[k])) for k in order] for side in (gold, pred)]
        assert counted(*mixed, names=order, num_threads=threads) == before


def test_sides_exchanged() -> None:
    gold, pred = draw(6, 120, CAUSAL, typed=True)
    before, after = counted(gold, pred), counted(pred, gold)
    words = {"gold": "predicted", "predicted": "gold", "fp": "fn", "fn": "fp"}
    split = ("mistyped", "turned", "unlinked")  # the least matching is in the order of gold
    for one, other in zip(before, after, strict=True):
        for name, counts in one.items():
            for field, n in marked(counts).items():
                if not field.endswith(split):
                    exchanged = "_".join(words.get(part, part) for part in field.split("_"))
                    assert other[name][exchanged] == n, (name, field)
    for protocol, settings in PROTOCOLS:
        sides = [table(side, CAUSAL) for side in (gold, pred)]
        one, other = (fc.score(*s, protocol, **settings) for s in (sides, sides[::-1]))
        for group in (g for g in one.scores if "precision" in one[g]):
            assert (one[group].precision, one[group].recall, one[group].f1) == (
                other[group].recall, other[group].precision, other[group].f1
            )  # fmt: skip


def test_what_is_empty_counts_what_it_may() -> None:
    gold, pred = draw(7, 60, CAUSAL, typed=False)
    before = counted(gold, pred)
    more = [[[*e, {}] if k % 2 else [{}, *e] for k, e in enumerate(side)] for side in (gold, pred)]
    for one, other in zip(before, counted(*more), strict=True):
        for name, counts in one.items():
            assert marked(other[name]) == marked(counts)
    # an example without a span: no relation anywhere, and not causal
    for one, other in zip(before, counted([*gold, [], [{}]], [*pred, [{}], []]), strict=True):
        for name in ("e60", "e61"):
            assert filled(other.pop(name)) in (set(), {"causal_tn"})
        assert other == one
    # a signal alone counts on its side, and holds with nothing
    alone = [{"signal": [(0, 1)]}]
    relations, depths, _ = counted([alone], [alone])
    assert filled(relations["e0"]) == {"gold", "predicted"}
    assert filled(depths["e0"]) == {
        "causal_tp", "account_gold_partial", "account_predicted_partial",
        "spans_signal_tp", "spans_signal_predicted", "spans_signal_gold",
    }  # fmt: skip


def test_the_account_adds_up() -> None:
    gold, pred = draw(8, 200, CAUSAL, typed=True)
    wholes = [
        sum(bool(r.get("cause") and r.get("effect")) for e in side for r in e)
        for side in (gold, pred)
    ]
    for match in MATCHES:
        for types in ("ignore", "require"):
            report = fc.score(
                *(table(side, CAUSAL) for side in (gold, pred)), "depths", match=match, types=types
            )
            account, links = report.account, report["links"]
            for lines, n in zip(account.values(), wholes, strict=True):
                assert lines["relations"] == n
                rest = [v for k, v in lines.items() if k not in ("relations", "partial")]
                assert sum(rest) == n
                assert types == "require" or lines["mistyped"] == 0
            product = report.steps["seen"] * report.steps["found"] * report.steps["linked"]
            assert product == pytest.approx(links.right / wholes[0])


def test_spans_are_those_of_seqeval_and_nervaluate() -> None:
    """Spans in one piece, none inside another of its role: a sequence of tags for each role."""
    seqeval = pytest.importorskip("seqeval.metrics")
    scheme = pytest.importorskip("seqeval.scheme")
    nervaluate = pytest.importorskip("nervaluate")
    rng = random.Random(9)
    sides: list[Examples] = [[], []]
    tags: list[list[list[str]]] = [[], []]
    for _ in range(150):
        for k in range(2):
            spans = {}
            for role in CAUSAL[:2]:
                cuts = sorted(rng.sample(range(LENGTH + 1), rng.choice((2, 4))))
                spans[role] = [*zip(cuts[::2], cuts[1::2], strict=True)]
                line = ["O"] * LENGTH
                for start, stop in spans[role]:
                    line[start:stop] = [f"B-{role}"] + [f"I-{role}"] * (stop - start - 1)
                tags[k].append(line)
            # all causes with all effects, each twice: different spans count once
            pairs = [(c, e) for c in spans["cause"] for e in spans["effect"]]
            sides[k].append([relation(*c, *e) for c, e in pairs * 2])
    found = fc.score(*(table(side, CAUSAL) for side in sides), "depths").to_dict()["scores"][
        "spans"
    ]
    theirs = seqeval.classification_report(
        *tags, output_dict=True, mode="strict", scheme=scheme.IOB2
    )
    judged = nervaluate.Evaluator(*tags, tags=[*CAUSAL[:2]], loader="list").evaluate()
    for role, named in (("cause", "cause"), ("effect", "effect"), ("overall", "micro avg")):
        figures = theirs[named]
        for ours, name in (("precision", "precision"), ("recall", "recall"), ("f1", "f1-score")):
            assert found[role][ours] == pytest.approx(figures[name])
        assert found[role]["gold"] == figures["support"]
        result = (judged["overall"] if role == "overall" else judged["entities"][role])["strict"]
        assert (result.correct, result.possible, result.actual) == (
            found[role]["tp"], found[role]["gold"], found[role]["predicted"]
        )  # fmt: skip

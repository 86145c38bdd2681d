"""Agreement under ``recess`` equals tables worked by hand and a slow textbook version; no order and
no name changes it."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from itertools import combinations

import krippendorff
import numpy as np
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.tasks.relations.scores import binary_alpha
from tests.oracles.agreement import (
    GROUPS,
    MEASURES,
    alpha,
    krippendorffs_alpha,
    mask,
    mean_where_defined,
    textbook,
)
from tests.support.annotated import (
    NAMES,
    agreed,
    annotations,
    apart,
    near,
    noisy,
    relations_of,
    values_of,
)
from tests.support.profiles import trials
from tests.support.strategies import ROLES, relations, sides


@trials(250)
@given(annotated=annotations(), average=st.sampled_from(["example", "relation"]))
def test_against_the_textbook(annotated, average):
    found = agreed(annotated, average=average)
    expected = [
        textbook(annotated[a], annotated[b], average) for a, b in combinations(annotated, 2)
    ]
    for pair, of_pair in zip(found.pairs, expected, strict=True):
        assert values_of(pair.scores) == near(of_pair)
    assert values_of(found.scores) == near(mean_where_defined(expected))


@given(a=relations(), b=relations(), role=st.integers(0, 2))
def test_alpha_of_two_masks(a, b, role):
    both = mask(a, role), mask(b, role)
    assert alpha(*both) == near(krippendorffs_alpha(both))


OVERLAP = fc.Protocol("overlap", kernel="span_overlap")
MARKED, NEAR = {"cause": (0, 3), "effect": (5, 8)}, {"cause": (0, 2), "effect": (4, 8)}


@pytest.mark.parametrize("empty", [0, 1, 50])
@pytest.mark.parametrize("of_gold", [True, False])
def test_empty_relations_are_no_units_of_alpha(empty, of_gold):
    """Alpha ignores relations without spans, beside others and in an example of their own."""
    both = [[MARKED], [NEAR]]
    both[not of_gold].extend([{}] * empty)
    gold, pred = (
        fc.Relations.from_examples(
            [{"length": 10, "relations": side}, {"length": 10, "relations": [{}] * (empty > 1)}]
        )
        for side in both
    )
    report = fc.score(gold, pred, OVERLAP)
    agreement = fc.agree({"gold": gold, "pred": pred})
    for role, value in (("cause", 0.7467), ("effect", 0.7912)):
        assert report[role].alpha == agreement[role].alpha == pytest.approx(value, abs=1e-4)


@pytest.mark.parametrize("torn", [0, 1, 50])
def test_unparsed_relations_are_no_units_of_alpha(torn, tmp_path):
    gold = fc.Relations.from_examples(
        [{"id": "a", "text": "Rain fell , so roads closed .", "relations": [{"cause": (0, 2)}]}]
    )
    written = ["<ARG0>Rain</ARG0> fell , so roads closed .", *["<ARG0>Rain fell , so"] * torn]
    path = tmp_path / "pred.jsonl"
    path.write_text(json.dumps({"id": "a", "prediction": written}))
    assert fc.score(gold, path, OVERLAP, unparsed="empty")["cause"].alpha == near(1 - 13 / 33)


@trials(100)
@given(both=sides(of=relations().map(apart)))
def test_shares_equal_those_of_the_kernel(both):
    """Empty relations, which agreement leaves out beforehand, decide no pairing either."""
    annotated = {
        name: {f"{k:03}": example for k, example in enumerate(side)}
        for name, side in zip(NAMES[:2], both, strict=True)
    }
    report = fc.score(*map(relations_of, annotated.values()), OVERLAP)
    found = agreed(annotated, average="relation")
    for role in ROLES:
        for share in ("em", "osb", "to"):
            assert found[role][share] == near(report[role][share])


@trials(200)
@given(annotated=annotations(least=3, most=4))
def test_alpha_of_all_masks_at_once(annotated):
    tops, bottoms = Counter(), Counter()
    for name in {i for examples in annotated.values() for i in examples}:
        sides = [examples[name] for examples in annotated.values() if name in examples]
        for role, group in enumerate(ROLES):
            masks = [mask([span for r in side for span in r], role) for side in sides]
            if (value := krippendorffs_alpha(masks)) == value:
                for where in (group, "total"):
                    tops[where] += value * np.sum(masks)
                    bottoms[where] += np.sum(masks)
    found = agreed(annotated).alpha_all
    assert values_of(found) == near(
        {f"{g} alpha": tops[g] / bottoms[g] if bottoms[g] else math.nan for g in GROUPS}
    )


# ---------------------------------------------------------------------------------- worked by hand


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([(2, 5)], [(2, 5)], (1, 1, 1, 1)),
        ([(2, 5)], [(2, 4)], (1 - 23 * 1 / (19 * 5), 0, 1, 1)),
        ([(2, 5)], [(3, 5)], (1 - 23 * 1 / (19 * 5), 0, 1, 1)),
        ([(2, 5)], [(3, 6)], (1 - 23 * 2 / (18 * 6), 0, 0, 1)),
        ([(2, 5)], [(5, 8)], (1 - 23 * 6 / (18 * 6), 0, 0, 0)),
        ([(2, 5)], [], (1 - 23 * 3 / (21 * 3), 0, 0, 0)),
        ([], [], (math.nan, 1, 1, 1)),
        ([(0, 12)], [(0, 12)], (math.nan, 1, 1, 1)),  # nothing is unmarked
        ([(0, 12)], [(0, 11)], (1 - 23 * 1 / (1 * 23), 0, 1, 1)),
        # Of two spans: the set for EM, any bound for OSB, the masks for TO and alpha.
        ([(0, 1), (3, 4)], [(0, 1), (3, 4)], (1, 1, 1, 1)),
        ([(0, 1), (3, 4)], [(3, 4)], (1 - 23 * 1 / (21 * 3), 0, 1, 1)),
        ([(0, 1), (3, 6)], [(4, 5)], (1 - 23 * 3 / (19 * 5), 0, 0, 1)),
        ([(0, 2), (2, 4)], [(0, 4)], (1, 0, 1, 1)),
        ([(0, 3), (2, 4)], [(0, 4)], (1, 0, 1, 1)),
    ],
)
def test_one_role(a, b, expected):
    effect = [(1, 8, 10)]
    for of_role in (a, b), (b, a):
        sides = [[[*effect, *((2, *span) for span in spans)]] for spans in of_role]
        found = agreed({"ann": {"p": sides[0]}, "ben": {"p": sides[1]}})
        assert dict(found["signal"]) == near(dict(zip(MEASURES, expected, strict=True)))
        assert (found["total"].em, found["total"].osb, found["total"].to) == expected[1:]
        assert dict(found["effect"]) == dict.fromkeys(MEASURES, 1.0)
        assert dict(found["cause"]) == near(dict(zip(MEASURES, (math.nan, 1, 1, 1), strict=True)))


def test_figure_4():
    """One sentence and three annotators: one effect; causes that end alike, two of them the same;
    three signals."""
    effect = (1, 10, 14)
    annotated = {
        "ann": {"p": [[(0, 0, 6), effect, (2, 6, 7)]]},
        "ben": {"p": [[(0, 0, 6), effect, (2, 8, 9)]]},
        "cid": {"p": [[(0, 4, 6), effect, (2, 14, 16)]]},
    }
    found = fc.agree({a: relations_of(e, length=16) for a, e in annotated.items()})
    assert dict(found["effect"]) == dict.fromkeys(MEASURES, 1.0)
    # 31 * 4 / (24 * 8): of 32 words 8 are marked, 4 by one annotator alone.
    cause = (1 + 2 * (1 - 31 * 4 / (24 * 8))) / 3
    assert dict(found["cause"]) == near({"alpha": cause, "em": 1 / 3, "osb": 1, "to": 1})
    signal = (-1 / 30 - 2 / 29 - 2 / 29) / 3
    assert dict(found["signal"]) == near({"alpha": signal, "em": 0, "osb": 0, "to": 0})
    pairs = [(12 + 8 - 2 / 30) / 22] + 2 * [((1 - 31 * 4 / 192) * 8 + 8 - 3 * 2 / 29) / 19]
    assert dict(found["total"]) == near({"alpha": sum(pairs) / 3, "em": 0, "osb": 0, "to": 0})
    # All at once: 48 words, four of them marked by two of three annotators, or by one of three.
    at_once = {"cause": 1 - 47 * 4 / (34 * 14), "effect": 1.0, "signal": 1 - 47 * 4 / (44 * 4)}
    of_total = (at_once["cause"] * 14 + 12 + at_once["signal"] * 4) / 30
    expected = {f"{g} alpha": v for g, v in {**at_once, "total": of_total}.items()}
    assert values_of(found.alpha_all) == near(expected)


# ann marks p with two relations and ben with three, q alike, r not at all; ben has not seen s.
SEVERAL = {
    "ann": {
        "p": [[(0, 0, 2), (1, 3, 5)], [(0, 6, 8), (1, 8, 10), (2, 5, 6)]],
        "q": [[(0, 0, 1), (1, 1, 2)]],
        "r": [],
        "s": [[(0, 0, 1)]],
    },
    "ben": {
        "p": [[(0, 6, 8), (1, 8, 10)], [(0, 2, 3), (1, 5, 6)], [(0, 0, 2), (1, 3, 4)]],
        "q": [[(0, 0, 1), (1, 1, 2)]],
        "r": [],
    },
}


def test_several_relations():
    """In p the first of ann and the third of ben differ in one bound of the effect; the second of
    ann and the first of ben in a signal; the second of ben has no partner."""
    sides = {a: relations_of(e, length=10) for a, e in SEVERAL.items()}
    found = fc.agree(sides)
    # Alpha of p: 1 - 19 * 1 / (17 * 3) for 3 marked words of 20; 0 if one annotator marked none.
    effect = (1 - 19 * 1 / (17 * 3)) * 3 + 1 * 4 + 0 * 1
    expected = {
        "cause": ((8 + 0 * 1 + 2) / (9 + 2), (2 / 3 + 1) / 2, (2 / 3 + 1) / 2, (2 / 3 + 1) / 2),
        "effect": ((effect + 2) / (8 + 2), (1 / 3 + 1) / 2, (2 / 3 + 1) / 2, (2 / 3 + 1) / 2),
        "signal": (0, (1 / 3 + 1) / 2, (1 / 3 + 1) / 2, (1 / 3 + 1) / 2),
        "total": (
            (8 + effect + 4) / (9 + 8 + 1 + 4),
            (0 + 1) / 2,
            (1 / 3 + 1) / 2,
            (1 / 3 + 1) / 2,
        ),
    }
    for group, values in expected.items():
        assert dict(found[group]) == near(dict(zip(MEASURES, values, strict=True)))
    pair = found.pairs[0]
    assert (pair.n_examples, pair.n_unmarked, pair.n_missing, found.n_examples) == (2, 1, 1, 2)
    by_relation = fc.agree(sides, average="relation")
    assert (by_relation["cause"].em, by_relation["effect"].em) == (3 / 4, 2 / 4)
    assert (by_relation["total"].em, by_relation["total"].to) == (1 / 4, 2 / 4)
    for group in GROUPS:
        assert by_relation[group].alpha == found[group].alpha
    order = [(m["id"], m["a_relation"], m["b_relation"]) for m in found.matches.to_pylist()]
    assert order == [("p", 0, 2), ("p", 1, 0), ("p", None, 1), ("q", 0, 0)]


def test_marked_words_weigh_alpha():
    """Alpha weighs ten agreeing words against two that do not agree."""
    annotated = {
        "ann": {"p": [[(0, 0, 5)]], "q": [[(0, 0, 1)]]},
        "ben": {"p": [[(0, 0, 5)]], "q": [[(0, 1, 2)]]},
    }
    for average in ("example", "relation"):
        found = agreed(annotated, average=average)["cause"]
        assert found.alpha == pytest.approx((1 * 10 + (1 - 23 * 2 / (22 * 2)) * 2) / 12)
        assert found.em == 0.5


def test_a_shared_word_is_one_word():
    """However many spans hold it: both matches are worth 4 and share 3 words, so content decides,
    and the causes, of the lower role, go together."""
    annotated = {
        "ann": {"p": [[(2, 1, 4), (0, 6, 11)]]},
        "ben": {"p": [[(2, 0, 3), (2, 2, 5)], [(0, 7, 10)]]},
    }
    found = agreed(annotated).matches.to_pylist()
    assert [(row["a_relation"], row["b_relation"]) for row in found] == [(0, 1), (None, 0)]


def test_pairs_of_annotators_weigh_the_same():
    """Pairs weigh the same, however many examples they share; pairs without any are left out."""
    whole, half = [[(0, 0, 2)]], [[(0, 0, 1)]]
    annotated = {
        "ann": {"p": whole, "q": whole, "r": whole},
        "ben": {"p": half, "q": half, "r": half},
        "cid": {"r": whole},
        "dot": {"s": whole},
    }
    found = agreed(annotated)
    em = {f"{pair.a} {pair.b}": pair.scores["cause"].em for pair in found.pairs}
    expected = {"ann ben": 0.0, "ann cid": 1.0, "ben cid": 0.0}
    undefined = {"ann dot": math.nan, "ben dot": math.nan, "cid dot": math.nan}
    assert em == near(expected | undefined)
    assert found["cause"].em == pytest.approx(1 / 3)
    assert found.n_examples == 3
    assert [pair.n_missing for pair in found.pairs] == [0, 2, 4, 2, 4, 2]


# -------------------------------------------------------------------------------------- invariance


RECIPES = [("recess", "example"), ("recess", "relation"), ("recess-code", "relation")]


def plain(found, names: Mapping[str, str]) -> dict:
    """All that should depend on no order, the annotators under the names they had before."""
    values = found.to_dict()
    values["warnings"] = len(values["warnings"])  # they name annotators too
    values["annotators"] = sorted(names[a] for a in values["annotators"])
    for pair in values["pairs"]:
        pair["a"], pair["b"] = sorted((names[pair["a"]], names[pair["b"]]))
    values["pairs"].sort(key=lambda pair: (pair["a"], pair["b"]))
    against = values.pop("against_rest", {})
    return values | {"against_rest": {names[a]: found for a, found in against.items()}}


def shuffled(annotated, order, relations_too: bool = True):
    """The same in another order of annotators, examples and relations: ``order(list)`` of each."""
    inner = order if relations_too else list
    return {
        a: {i: [inner(r) for r in inner(annotated[a][i])] for i in order(list(annotated[a]))}
        for a in order(list(annotated))
    }


@trials(150)
@given(annotated=annotations(), recipe=st.sampled_from(RECIPES), rng=st.randoms())
def test_no_order_and_no_name_changes_a_bit(annotated, recipe, rng):
    """The published program decides some ties by the order of relations, but by no other."""
    protocol, average = recipe
    kinds = dict.fromkeys("pq", "x") | dict.fromkeys("rs", "y")

    def any_order(x):
        return rng.sample(x, len(x))

    def run(sides):
        tables = {a: relations_of(e, kind=kinds) for a, e in sides.items()}
        return fc.agree(tables, protocol, average=average, by="kind")

    other = shuffled(annotated, any_order, relations_too=protocol == "recess")
    names = dict(zip(any_order(NAMES), other, strict=False))
    renamed = {name: other[a] for name, a in names.items()}
    assert plain(run(renamed), names) == plain(run(annotated), {a: a for a in annotated})


@pytest.mark.parametrize("average", ["example", "relation"])
def test_no_order_changes_a_bit_of_many(average):
    annotated = noisy(400)
    names = {a: a for a in annotated}
    expected = plain(agreed(annotated, average=average), names)
    rng = np.random.default_rng(1)
    for _ in range(3):
        other = shuffled(annotated, lambda x: [x[k] for k in rng.permutation(len(x))])
        assert plain(agreed(other, average=average), names) == expected


@given(annotated=annotations(), protocol=st.sampled_from(["recess", "recess-code"]))
def test_identical_annotators(annotated, protocol):
    first = next(iter(annotated.values()))
    # The program keeps all pairs of several relations, and most of these do not agree.
    first = {i: e if protocol == "recess" else [r for r in e if r][:1] for i, e in first.items()}
    found = agreed(dict.fromkeys(NAMES[:3], first), protocol)
    for groups in (found.scores, found.alpha_all, *(pair.scores for pair in found.pairs)):
        assert {v for v in values_of(groups).values() if v == v} <= {1.0}
    marked = any(r for e in first.values() for r in e)
    assert math.isnan(found["total"].em) == (not marked)


# ------------------------------------------------------------------------- subsets and the details


def groups_of(found) -> dict:
    """All groups of a report, as a subset has them."""
    spans = {f"spans_{role}": scores for role, scores in found.spans.items()}
    return {**found.scores, "verdict": found.verdict, **spans, "links": found.links}


@given(annotated=annotations(), kinds=st.lists(st.sampled_from("xy"), min_size=4, max_size=4))
def test_a_subset_is_the_agreement_on_its_examples(annotated, kinds):
    kind = dict(zip("pqrs", kinds, strict=True))
    sides = {a: relations_of(e, kind=kind) for a, e in annotated.items()}
    found = fc.agree(sides, by="kind")
    for name, scores in found.subsets.items():
        chosen = {
            a: fc.Relations(r.table.filter(pc.equal(r.table["kind"], name.removeprefix("kind="))))
            for a, r in sides.items()
        }
        alone = fc.agree(chosen)
        assert values_of(scores) == near(values_of(groups_of(alone)))
    common = {i for a, b in combinations(annotated.values(), 2) for i in a if i in b}
    assert list(found.subsets) == sorted({f"kind={kind[i]}" for i in common})


def verdict_of(sides: list[Mapping[str, list]]) -> dict[str, float]:
    """The mean share of equal pairs of verdicts, and alpha by another package."""
    verdicts = {
        i: [int(any(side[i])) for side in sides if i in side] for side in sides for i in side
    }
    shared = {i: found for i, found in verdicts.items() if len(found) > 1}
    shares = [np.mean([a == b for a, b in combinations(found, 2)]) for found in shared.values()]
    table = [[int(any(side[i])) if i in side else math.nan for i in shared] for side in sides]
    varies = len({v for found in shared.values() for v in found}) > 1
    return {
        "n_examples": len(shared),
        "percent_agreement": float(np.mean(shares)) if shares else math.nan,
        "alpha": krippendorff.alpha(np.array(table), level_of_measurement="nominal")
        if varies
        else math.nan,
    }


@given(annotated=annotations())
def test_verdicts_of_marked_and_unmarked_examples(annotated):
    found = agreed(annotated)
    assert coefficients(found.verdict) == near(verdict_of([*annotated.values()]))
    for pair in found.pairs:
        expected = verdict_of([annotated[pair.a], annotated[pair.b]])
        assert coefficients(pair.verdict) == near(expected)


def coefficients(verdict) -> dict[str, float]:
    return {name: verdict[name] for name in ("n_examples", "percent_agreement", "alpha")}


@pytest.mark.parametrize(
    ("roles", "tracks", "line"),
    [
        (("cause", "effect", "signal"), None, "tracks:cause+effect,signal|0/0:"),
        (("cause", "effect", "degree"), None, "tracks:cause+effect,degree|0/0:"),
        (("reason", "claim"), "reason+claim", "tracks:reason+claim|0/0:"),
    ],
)
def test_the_signature_says_roles_and_tracks(roles, tracks, line):
    relation = dict.fromkeys(roles, (0, 1))
    side = fc.Relations.from_examples([{"length": 2, "relations": [relation]}], roles)
    settings = {"tracks": tracks, "roles": roles} if tracks else {}
    signature = fc.agree({"ann": side, "ben": side}, **settings).signature
    assert line in signature
    assert signature.endswith("roles:" + "+".join(roles)) == ("signal" not in roles)


def test_a_verdict_by_hand():
    """A lone span is causal, a relation without spans is not, a missing example is no verdict."""
    lone, empty, whole = [{"signal": (0, 1)}], [{}], [{"cause": (0, 1), "effect": (2, 3)}]
    sides = {"ann": [whole, [], lone, []], "ben": [whole, empty, [], []], "cid": [lone, whole]}
    tables = {
        name: fc.Relations.from_examples(
            {"id": str(k), "length": 4, "relations": each} for k, each in enumerate(marked)
        )
        for name, marked in sides.items()
    }
    found = fc.agree(tables)
    # Units yyy, nny, yn, nn: shares of equal pairs 1, 1/3, 0, 1.
    assert found.verdict.n_examples == 4
    assert found.verdict.percent_agreement == pytest.approx((1 + 1 / 3 + 0 + 1) / 4)
    # Of 10 ratings, 5 yes and 5 no. Pairs that differ: 2 · 2 / 2 + 2 = 4, by chance 2 · 5 · 5 / 9.
    assert found.verdict.alpha == pytest.approx(1 - 4 / (50 / 9))
    assert [pair.verdict.percent_agreement for pair in found.pairs] == [0.75, 0.5, 0.5]
    assert "is it causal?" in str(found)
    assert "all annotators" in found.to_markdown()
    assert found.to_dict()["verdict"]["n_examples"] == 4
    low, high = found.intervals(n_resamples=99)["verdict"]["percent_agreement"]
    assert low < found.verdict.percent_agreement < high


@given(annotated=annotations())
def test_details_make_the_scores(annotated):
    found = agreed(annotated)
    examples, matches = found.per_example, found.matches
    for pair in found.pairs:
        of_pair = pc.and_(pc.equal(examples["a"], pair.a), pc.equal(examples["b"], pair.b))
        rows = examples.filter(of_pair)
        of_pair = pc.and_(pc.equal(matches["a"], pair.a), pc.equal(matches["b"], pair.b))
        match = matches.filter(of_pair)
        assert len(rows) == pair.n_examples == pc.count_distinct(match["id"]).as_py()
        for group, scores in pair.scores.items():
            for name in MEASURES[1:]:
                mean = pc.mean(rows[f"{group}_{name}"]).as_py()
                assert scores[name] == near(math.nan if mean is None else mean)
        for role in ROLES:
            n, n1, o01 = (match[f"{role}_{c}"].to_numpy() for c in ("n", "n1", "o01"))
            values = binary_alpha(n, n1, o01, np.nan)
            n1 = np.where(np.isnan(values), 0, n1)
            mean = np.nansum(values * n1) / n1.sum() if n1.any() else math.nan
            assert pair.scores[role].alpha == near(mean)


def test_details_by_example():
    sides = {
        a: relations_of(e, length=10, doc=dict.fromkeys("pqrs", "d")) for a, e in SEVERAL.items()
    }
    table = fc.agree(sides).per_example
    values = [f"{group}_{name}" for group in GROUPS for name in MEASURES]
    assert table.column_names == ["a", "b", "id", "doc", *values]
    first, second = table.to_pylist()
    assert (first["id"], first["doc"], second["id"]) == ("p", "d", "q")
    assert first["cause_em"] == pytest.approx(2 / 3)
    assert first["cause_alpha"] == pytest.approx(8 / 9)
    assert second["signal_alpha"] is None
    assert second["signal_em"] == 1.0


def test_matches_number_the_relations_of_the_table():
    """A relation keeps its number if an empty relation comes before it."""
    annotated = {"ann": {"p": [[], [(0, 0, 2)]]}, "ben": {"p": [[(0, 0, 2)]]}}
    found = agreed(annotated).matches.to_pylist()
    assert [(row["a_relation"], row["b_relation"]) for row in found] == [(1, 0)]


def test_only_some_annotators_have_ids():
    """Examples are counted once, and matches have the ids of the first annotator or positions."""
    plain = [{"length": 4, "relations": [{"cause": (0, 2), "effect": (2, 4)}]}] * 3
    named = [{**example, "id": f"s{k}"} for k, example in enumerate(plain)]
    read = fc.Relations.from_examples
    found = fc.agree({"ann": read(named), "ben": read(plain), "cy": read(named)})
    assert (found.n_examples, found["total"].em) == (3, 1.0)
    matches = found.matches.select(["a", "b", "id", "example"]).to_pylist()
    assert len(matches) == 9
    for row in matches:
        has_id = row["a"] != "ben"  # examples are those of the first annotator
        assert (row["id"] is None, row["example"] is None) == (not has_id, has_id)


def test_undefined_is_nan_and_null():
    found = agreed({"ann": {"p": [[(0, 0, 2)]]}, "ben": {"p": [[(0, 0, 2)]]}})
    assert math.isnan(found["signal"].alpha)
    assert found["signal"].em == 1.0
    assert found.to_dict()["scores"]["signal"] == {"alpha": None, "em": 1.0, "osb": 1.0, "to": 1.0}
    nothing = agreed({"ann": {"p": []}, "ben": {"p": []}})
    assert all(math.isnan(value) for value in values_of(nothing.scores).values())
    assert (nothing.n_examples, nothing.pairs[0].n_unmarked) == (0, 1)

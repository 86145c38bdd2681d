"""Intervals of agreement: jackknife, and percentiles of resamples."""

from __future__ import annotations

import math

import pytest

import fastcausal as fc
from fastcausal.errors import InputNotice
from tests.support.annotated import NAMES, agreed, noisy, relations_of


def widths(intervals) -> dict[str, float]:
    return {
        f"{group} {name}": high - low
        for group, found in intervals.items()
        for name, (low, high) in found.items()
    }


@pytest.mark.parametrize("method", ["jackknife", "percentile"])
def test_intervals_hold_the_value_and_repeat(method):
    found = agreed(noisy(150))
    intervals = found.intervals(method=method, n_resamples=400, seed=7)
    spans = {f"spans_{role}": scores for role, scores in found.spans.items()}
    rest = {
        f"rest_{name}": {depth: scores["difference"] for depth, scores in depths.items()}
        for name, depths in found.against_rest.items()
    }
    measures = {name: found.verdict[name] for name in intervals["verdict"]}
    groups = {**found.scores, "verdict": measures, **spans, "links": found.links, **rest}
    assert list(intervals) == list(groups)
    for group, scores in groups.items():
        for name, value in scores.items():
            low, high = intervals[group][name]
            assert low < value < high
    assert intervals == found.intervals(method=method, n_resamples=400, seed=7)
    other = found.intervals(method=method, n_resamples=400, seed=8)
    assert (intervals == other) == (method == "jackknife")
    narrow = widths(found.intervals(method=method, n_resamples=400, confidence=0.5))
    assert all(width < widths(intervals)[key] for key, width in narrow.items())


def test_interval_of_a_share():
    """240 of 400 sentences agree: the share has a standard error of (0.6 · 0.4 / 400) ** 0.5."""
    whole, half = [[(0, 0, 2)]], [[(0, 0, 1)]]
    annotated = {
        "ann": {f"{k}": whole for k in range(400)},
        "ben": {f"{k}": whole if k % 5 < 3 else half for k in range(400)},
    }
    found = agreed(annotated)
    assert found["cause"].em == 0.6
    for method in ("jackknife", "percentile"):
        intervals = found.intervals(method=method, n_resamples=4000)["cause"]
        expected = [0.6 - 1.96 * 0.0245, 0.6 + 1.96 * 0.0245]
        assert [*intervals["em"]] == pytest.approx(expected, abs=0.006)
        assert intervals["osb"] == pytest.approx((0.025 ** (1 / 400), 1))


def test_copies_add_nothing_to_a_cluster():
    """Five copies of 40 sentences: drawn one by one they look like 200."""
    true = noisy(40)
    copies = {
        a: {f"{k} {i}": e for i, e in examples.items() for k in range(5)}
        for a, examples in true.items()
    }
    docs = {name: name.split()[1] for examples in copies.values() for name in examples}
    found = fc.agree({a: relations_of(e, doc=docs) for a, e in copies.items()})
    of_examples, of_docs = (widths(found.intervals(c)) for c in (None, "doc"))
    undefined = {k for k, width in of_docs.items() if math.isnan(width)}
    assert undefined <= {"verdict not_causal", *(f"rest_{name} links" for name in NAMES)}
    for key, width in of_docs.items():
        assert math.isnan(width) or width > 1.5 * of_examples[key]
    # Of one cluster nothing is left without it.
    one = fc.agree({a: relations_of(e, doc=dict.fromkeys(e, "d")) for a, e in true.items()})
    assert all(map(math.isnan, widths(one.intervals("doc")).values()))


def test_documents_are_the_units_by_default():
    docs = {f"{k:03}": f"d{k % 9}" for k in range(60)}
    sides = {name: relations_of(examples, doc=docs) for name, examples in noisy(60).items()}
    found = fc.agree(sides)
    assert repr(found.intervals()) == repr(found.intervals("doc")) != repr(found.intervals(None))
    [low, high] = found.intervals()["rest_ann"]["spans"]
    assert (low, high) == tuple(
        found.against_rest["ann"]["spans"][name] for name in ("low", "high")
    )


def test_measures_that_resamples_lack_are_named():
    found = agreed(noisy(60))
    with pytest.warns(InputNotice, match=r"rest_ann.links, rest_cid.links: undefined in more"):
        found.intervals(method="percentile", n_resamples=100)
    found.intervals()  # the jackknife draws nothing


@pytest.mark.filterwarnings("ignore::fastcausal.errors.InputNotice")
@pytest.mark.parametrize("method", ["jackknife", "percentile"])
@pytest.mark.parametrize("cluster", [None, "doc"])
def test_intervals_depend_on_no_order(cluster, method):
    """The order of annotators, and of examples in their files, changes no bit of intervals."""
    docs = {f"{k:03}": f"d{k % 9}" for k in range(60)}
    sides = {name: relations_of(examples, doc=docs) for name, examples in noisy(60).items()}
    draws = {"method": method, "n_resamples": 100}
    intervals = fc.agree(sides).intervals(cluster, **draws)
    back = {a: dict(reversed(examples.items())) for a, examples in reversed(noisy(60).items())}
    sides = {name: relations_of(examples, doc=docs) for name, examples in back.items()}
    assert fc.agree(sides).intervals(cluster, **draws) == intervals


@pytest.mark.parametrize(
    "relations", [[[(0, 0, 2)]], []], ids=["signals undefined", "nothing to compare"]
)
def test_intervals_of_undefined_measures(relations):
    found = agreed({a: {"p": relations, "q": relations} for a in ("ann", "ben")})
    found = widths(found.intervals())
    verdicts = {"verdict percent_agreement", f"verdict {'' if relations else 'not_'}causal"}
    undefined = {"verdict not_causal", "spans_effect f1", "spans_signal f1", "links f1"}
    shares = {n for n in found if relations and not n.endswith(" alpha")} - undefined | verdicts
    known = {name for name, width in found.items() if not math.isnan(width)}
    assert known == shares
    assert all(found[name] == pytest.approx(1 - 0.025**0.5) for name in known)

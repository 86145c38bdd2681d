"""Agreement of raters: by hand, and against loops with the package krippendorff."""

from __future__ import annotations

import json
import pickle
import statistics
from collections import Counter

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from tests.oracles import crab_questions as oracle
from tests.support.cli import cli
from tests.support.profiles import trials

SCORES = st.sampled_from([0, 10, 19, 20, 35.5, 50, 60, 80, 81, 100])


@st.composite
def ratings(draw):
    """Units, raters and scores; not each rater rated each unit."""
    rows = [
        (unit, rater, draw(SCORES))
        for unit in range(draw(st.integers(1, 8)))
        for rater in range(4)
        if draw(st.integers(0, 3))
    ]
    return rows or [(0, 0, 50)]


def table_of(rows):
    return [{"unit": u, "rater": f"r{r}", "score": s} for u, r, s in rows]


near = lambda value: value if value is None else pytest.approx(value, rel=0, abs=1e-12)  # noqa: E731


@trials(80)
@given(
    ratings(), st.sampled_from(["up", "text", "down"]), st.sampled_from(["first", "none"]),
    st.sampled_from(["keep", "drop"]), st.randoms(),
)  # fmt: skip
def test_agreement_equals_the_definition(rows, border, ties, outside, random):
    options = {"border": border, "ties": ties, "outside": outside}
    report = fc.crab.agree(table_of(rows), **options)
    majority, n_tied, subsets = oracle.agreement(rows, **options)
    said = report.to_dict()
    assert said["n_tied"] == n_tied
    sizes = Counter(u for u, *_ in rows).values()
    spread = {"mean": len(rows) / len(sizes), "min": min(sizes), "max": max(sizes)}
    assert said["ratings_per_pair"] == spread
    assert (said["n_pairs"], said["n_ratings"]) == (len(majority), len(rows))
    assert said["subsets"] == [s | {"alpha": near(s["alpha"])} for s in subsets]
    letters = [n and "DCBA"[n - 1] for n in majority.values()]
    assert report.pairs["majority"].to_pylist() == letters
    assert said["classes"]["majority"] == {c: letters.count(c) for c in "ABCD"}
    for row, unit in zip(report.pairs.to_pylist(), majority, strict=True):
        scores = [s for u, _, s in rows if u == unit]
        assert row["mean"] == statistics.fmean(scores)
        assert row["class"] == "DCBA"[oracle.class_number(row["mean"], border) - 1]
        several = len(scores) > 1
        assert row["variance"] == (statistics.variance(scores) if several else None)

    mixed = random.sample(rows, len(rows))
    again = fc.crab.agree(table_of(mixed), **options)
    assert again.to_json() == report.to_json()
    assert again.pairs.equals(report.pairs)


@trials(60)
@given(
    ratings(), st.sampled_from([0, 5, 12.5, 100]), st.sampled_from([None, 0, 100, 700]),
    st.sampled_from([None, 0, 0.2, 0.5, 1]),
)  # fmt: skip
def test_experts_equal_the_definition(rows, width, least, share):
    least = None if share is not None else least
    report = fc.crab.agree(
        table_of(rows), border_width=width, min_variance=least, expert_share=share
    )
    chosen = oracle.experts(rows, width, least, share)
    assert {row["unit"] for row in report.pairs.to_pylist() if row["expert"]} == chosen
    assert report.experts == {"n": len(chosen), "share": len(chosen) / report.n_pairs}


def test_alpha_of_class_subsets_by_hand():
    """Krippendorff's alpha of intervals, with its sums written out.

    Classes 1 1 2 of p, 2 2 1 of q, 4 4 4 of r. Of {1, 2} (p, q): observed (2 + 2) / 2 over 6
    ratings, 2/3 in all; expected, of 9 pairs 1 and 2 in 15, 18 / 30 = 3/5: alpha -1/9. Of all:
    observed 4/9; squares 3·1 + 3·4 + 3·16 = 63 and sum 21 give 2 (9·63 - 441) / 72 = 7/2.
    """
    scores = {"p": (5, 10, 30), "q": (40, 45, 0), "r": (90, 95, 80)}
    rows = [{"unit": u, "rater": k, "score": s} for u in scores for k, s in enumerate(scores[u])]
    report = fc.crab.agree(rows)
    alphas = {tuple(s["classes"]): s["alpha"] for s in report.class_subsets}
    assert alphas[1, 2] == near(1 - (4 / 6) / (18 / 30))
    assert alphas[1, 2, 3, 4] == near(1 - (4 / 9) / (7 / 2))
    assert report.pairs["class"].to_pylist() == ["D", "C", "A"]
    assert report.to_flat()["classes_1_2_n_pairs"] == 2


def test_every_way_to_show_a_report():
    rows = [{"unit": u, "rater": r, "score": 30 * r + u} for u in range(4) for r in range(3)]
    report = fc.crab.agree(rows, border_width=10)
    assert report.to_arrow()["group"].to_pylist()[-1] == "classes_1_2_3_4"
    assert pickle.loads(pickle.dumps(report)) == report
    assert "| classes 1 2 |" in report.to_markdown()
    assert "classes 1 2" in report.to_csv()
    assert "classes 1 2" in report.to_latex()
    assert "classes 1 2" in report._repr_html_()
    assert json.loads(report.to_json()) == report.to_dict()
    assert report["classes_3_4"].n_pairs == report.class_subsets[2]["n_pairs"]


def test_rules_decide_what_they_say():
    """Rules decide ties of two classes, ratings outside of {1, 2}, and scores on a border."""
    scores = {"p": (10, 90), "q": (10, 30, 90, 15), "r": (20, 20)}
    rows = [{"unit": u, "rater": k, "score": s} for u in scores for k, s in enumerate(scores[u])]
    first, none = (fc.crab.agree(rows, ties=ties).pairs["majority"] for ties in ("first", "none"))
    assert first.to_pylist() == ["D", "D", "C"]
    assert none.to_pylist() == [None, "D", "C"]
    assert fc.crab.agree(rows, border="down").pairs["majority"].to_pylist() == ["D", "D", "D"]
    kept, dropped = (
        fc.crab.agree(rows, outside=o).class_subsets[0]["alpha"] for o in ("keep", "drop")
    )
    assert kept < dropped
    assert fc.crab.agree(rows).n_tied == 1


def test_the_command_writes_what_python_gives(tmp_path):
    cli("demo", "--copy-to", tmp_path)
    source, target = tmp_path / "crab_ratings.jsonl", tmp_path / "pairs.parquet"
    options = ("--border", "down", "--ties", "none", "--outside", "drop")
    expert = ("--border-width", "5", "--expert-share", "0.25")
    out, _ = cli("crab", "agree", source, *options, *expert, "--pairs", target, "--json")
    report = fc.crab.agree(
        source, border="down", ties="none", outside="drop", border_width=5, expert_share=0.25
    )
    assert json.loads(out) == report.to_dict()
    assert pq.read_table(target).equals(report.pairs)
    assert report.pairs.column_names[:3] == ["topic_id", "event_order_a", "event_order_b"]
    assert "to experts" in cli("crab", "agree", source, *options, *expert)[0]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"unit": "a", "rater": "x", "score": 9}, 'r.jsonl:2: rater "x" of this pair occurs twice'),
        ({"unit": "b", "rater": "x", "score": 101}, 'r.jsonl:2: "score" is 101, expected a number'),
        ({"unit": "b", "rater": "x", "score": "9"}, 'r.jsonl:2: "score" is "9", expected a number'),
        ({"unit": "b", "rater": "x"}, 'r.jsonl:2: no "score"'),
        ({"unit": "b", "score": 9}, 'r.jsonl:2: no "rater"'),
        ({"rater": "x", "score": 9}, 'r.jsonl:2: no "unit"'),
    ],
)
def test_bad_ratings(row, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [{"unit": "a", "rater": "x", "score": 5}, row]
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    _, err = cli("crab", "agree", "r.jsonl", "--pairs", "p.csv", expect=2)
    assert message in err
    assert len(err.strip().splitlines()) == 1
    assert message in json.loads(cli("crab", "agree", "r.jsonl", "--json", expect=2)[0])["error"]
    assert not (tmp_path / "p.csv").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ties": "last"}, "ties is"),
        ({"outside": "no"}, "outside is"),
        ({"border": "mid"}, "border is"),
        ({"min_variance": 3}, "min_variance is for pairs near a border"),
        ({"border_width": -1}, "border_width is -1, expected a number from 0 to 100"),
        ({"border_width": 5, "expert_share": 2}, "expert_share is 2, expected a number from 0"),
        ({"border_width": 5, "expert_share": 0.5, "min_variance": 1}, "expected one of them"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(ValueError, match=message):
        fc.crab.agree([{"unit": 1, "rater": 1, "score": 5}], **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--expert-share", "0.5"), "--expert-share is for pairs near a border: add --border"),
        (("--border-width", "5", "--min-variance", "1", "--expert-share", "0"), "another rule"),
        (("--border-width", "500"), "border-width"),
    ],
)
def test_bad_options(options, message, tmp_path):
    (tmp_path / "r.jsonl").write_text('{"unit": 1, "rater": 1, "score": 5}\n')
    assert message in cli("crab", "agree", tmp_path / "r.jsonl", *options, expect=2)[1]

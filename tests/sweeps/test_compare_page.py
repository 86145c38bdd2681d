"""The page of a comparison: roles and other parts, and the items that tell two systems apart."""

from __future__ import annotations

import pickle

import pytest

import fastcausal as fc
from fastcausal import sample
from tests.report.page.test_page import IDS, ready, status
from tests.support.cli import cli
from tests.support.markup import Reader, check_cells, data_of

FEW = {"n_resamples": 100}
FOLDER = sample.GOLD.parent
LOGS = tuple(str(FOLDER / f"run_{name}.eval") for name in "ab")


def page_of(comparison, path):
    comparison.to_html(path / "page.html")
    return (path / "page.html").read_text()


@pytest.fixture(scope="module", params=["recess", "depths"])
def sides(request):
    paths = (sample.SYSTEMS[name] for name in ("careful", "chatty"))
    return [fc.score(sample.GOLD, path, request.param, unparsed="empty") for path in paths]


@pytest.mark.parametrize("anytime", [False, True])
def test_parts_have_the_numbers_of_their_own_comparison(sides, tmp_path, anytime):
    comparison = fc.compare(*sides, anytime=anytime, **FEW)
    scores, parts = Reader(page_of(comparison, tmp_path)).tables
    assert [name for name, *_ in scores[1:]] == [*comparison.scores]
    (_, *head), *rows = parts
    assert head == ["a: careful", "b: chatty", "b minus a"]
    names = [name for name, *_ in rows]
    steps = ["steps_seen", "steps_found", "steps_linked"]
    if sides[0].statistics.formula.main == "links_f1":
        assert [*comparison.scores] == ["links_f1", *steps]
        assert names[:3] == ["causal_f1", "spans_overall_f1", "spans_cause_f1"]
        assert "multi_relation_steps_seen" in names
    else:
        assert names[:4] == ["cause_f1", "effect_f1", "signal_f1", "multi_relation_overall_f1"]
    alone = fc.compare(*sides, names, anytime=anytime, **FEW)
    told = alone.to_dict()["scores"]
    for (name, a, b, delta), (of, row) in zip(rows, told.items(), strict=True):
        assert name == of
        check_cells([["", "a", "b"], ["", a, b]], {"": {"a": row["a"], "b": row["b"]}})
        bounds = {"": {"": (row["low"], row["high"])}}
        check_cells([["", ""], ["", delta]], {"": {"": row["delta"]}}, bounds)


def test_items_are_those_whose_values_differ(sides, tmp_path, opened):
    comparison = fc.compare(*sides, **FEW)
    columns = data_of(page_of(comparison, tmp_path))
    [score, *_] = comparison.scores
    own = [side.statistics.formula.own_scores(side.statistics.rows, score) for side in sides]
    values = [each[side.statistics.row_of] if side.statistics.row_of is not None else each
              for each, side in zip(own, sides, strict=True)]  # fmt: skip
    ids = sides[0].statistics.units["id"].to_pylist()
    differ = {id: (a, b) for id, a, b in zip(ids, *values, strict=True) if a != b}
    shown = zip(*(run["value"] for run in columns["runs"]), strict=True)
    assert dict(zip(columns["ids"], shown, strict=True)) == differ
    assert 0 < len(differ) < len(ids)
    assert (columns["lower"], {*columns["changes"]}) == (False, {"up", "down"})
    page = ready(opened(tmp_path / "page.html"))
    assert f"{len(differ)} of {len(differ)} items" in status(page)
    falls = [differ[id][1] - differ[id][0] for id in page.evaluate(IDS)]
    assert falls == sorted(falls)
    assert page.locator("h2").all_inner_texts()[-1] == "Items that tell them apart"
    assert page.locator("table").first.is_visible()
    again = pickle.loads(pickle.dumps(comparison))
    assert page_of(again, tmp_path) == page_of(comparison, tmp_path)


def test_lower_values_may_be_better(tmp_path):
    runs = [[{"id": k, "value": k % n} for k in range(12)] for n in (2, 3)]
    page = page_of(fc.compare(*runs, lower_is_better=True, **FEW), tmp_path)
    assert data_of(page)["lower"]
    assert "Roles" not in page  # values have one group


def test_texts_stand_beside_items(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pairs = {"logs": LOGS, "predictions": (sample.GOLD, *[*sample.SYSTEMS.values()][:2])}
    for name, files in pairs.items():
        plain, _ = cli("compare", *files, "--n-resamples", 100)
        assert cli("compare", *files, "--n-resamples", 100, "--html", f"{name}.html")[0] == plain
        columns = data_of((tmp_path / f"{name}.html").read_text())
        assert all(columns["texts"])
        for run in columns["runs"]:
            assert any(answer for of in run["answers"] if of for _, answer in of)


def test_without_items_a_page_says_why(sides, tmp_path):
    """Unpaired examples are no items, and units without ids cannot be named."""
    assert 'id="packed"' not in page_of(fc.compare(*sides, unpaired=True, **FEW), tmp_path)
    nameless = [fc.classify([1, 0, 1, 1], answers) for answers in ([1, 0, 1, 0], [1, 1, 0, 0])]
    page = page_of(fc.compare(*nameless, "macro_f1", **FEW), tmp_path)
    assert "no items: A: no ids to join by" in page
    assert 'id="packed"' not in page

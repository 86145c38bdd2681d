"""The page of a leaderboard in a browser: groups, the picture of scores, links, a narrow screen."""

from __future__ import annotations

import re
from math import log10

import pytest

import fastcausal as fc

NAMES = ("<b>a</b>", "b", "c 10", "c 9", "d", "e")
COST = ("3", "1e1", "200", "", "7.5", "60")
MODEL = ("x", "y", "x", "", "y", "x")
REPORTS = ("pages/a b.html", "https://example.org/?q=1&r", "", "c.html", "", "")
RUNS = {
    name: [{"id": k, "value": (k * 7 + of) % 11 < 2 + of, "steps": k % (of + 2)} for k in range(40)]
    for of, name in enumerate(NAMES)
}
ROWS = "tbody tr > :first-child"
READ = """() => { const of = (e, name) => Number(e.getAttribute(name));
  const svg = document.querySelector('#scatter > svg');
  const ticks = [...svg.querySelectorAll(':scope > text')].map(e =>
    [e.textContent.replace('K', 'e3'), of(e, 'x'), of(e, 'y')]);
  const points = [...svg.querySelectorAll('g')].map(g => {
    const [path, line, name] = ['path', 'line', '.name'].map(each => g.querySelector(each));
    const [x, y] = path.getAttribute('transform').match(/[\\d.]+/g).map(Number);
    return { name: name.textContent, x, y, low: of(line, 'y1'), high: of(line, 'y2'),
      kind: g.getAttribute('class') }; });
  return { ticks, points, caption: document.querySelector('#scatter figcaption').innerText }; }"""


def joined(**columns):
    values = {"system": NAMES, "model": MODEL, "cost": COST, "report": REPORTS} | columns
    return [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)]


@pytest.fixture(scope="module")
def board():
    return fc.leaderboard(RUNS, ["value", "steps"], table=joined(), n_resamples=50)


@pytest.fixture
def page(board, tmp_path, opened):
    board.to_html(tmp_path / "board.html")
    return opened(tmp_path / "board.html")


def test_rows_are_grouped_and_sorted_within_groups(page, board):
    first = page.locator(ROWS)
    plain = first.all_inner_texts()
    assert [re.sub(" (best|tied)$", "", text) for text in plain] == [*board.scores]
    page.get_by_label("Group by").select_option("model")
    told = first.all_inner_texts()
    heads = [text for text in told if text not in plain]
    assert heads == ["model unknown: 1 system", "model x: 3 systems", "model y: 2 systems"]
    model = dict(zip(NAMES, MODEL, strict=True))
    ranked = [name for of in ("", "x", "y") for name in board.scores if model[name] == of]
    names = [re.sub(" (best|tied)$", "", text) for text in told if text in plain]
    assert names == ranked
    page.get_by_role("button", name="cost").click()
    costs = page.locator("tbody td:nth-child(3)").all_inner_texts()
    assert costs == ["", "200", "60", "3", "1e1", "7.5"]
    page.get_by_label("Group by").select_option("")
    costs = page.locator("tbody td:nth-child(3)").all_inner_texts()
    assert costs == ["200", "60", "1e1", "7.5", "3", ""]
    page.get_by_role("button", name="cost").click()
    page.get_by_role("button", name="cost").click()
    assert first.all_inner_texts() == plain


def test_points_stand_at_their_numbers(page, board):
    """A linear axis divides as the numbers do, a logarithmic one as their logarithms."""
    against = page.get_by_label("Plot the score against")
    assert against.locator("option").all_inner_texts() == ["cost", "steps"]  # model has words
    page.get_by_label("Group by").select_option("model")
    for column, is_log in (("cost", True), ("steps", False)):
        against.select_option(column)
        shown = page.evaluate(READ)
        given = {n: float(c) for n, c in zip(NAMES, COST, strict=True) if c}
        if column == "steps":
            given = {name: round(row["steps"], 4) for name, row in board.scores.items()}
        assert {point["name"] for point in shown["points"]} == {*given}
        assert f"{len(given)} of 6 systems" in shown["caption"]
        assert ("(logarithmic)" in shown["caption"]) == is_log
        bottom = max(y for text, _, y in shown["ticks"] if text != column)
        across = [(float(t), x) for t, x, y in shown["ticks"] if y == bottom]
        up = [(float(t), y - 4) for t, _, y in shown["ticks"] if y < bottom]
        for point in shown["points"]:
            row = board.scores[point["name"]]
            check_place(point["x"], given[point["name"]], across, is_log)
            for at, number in (("y", row.value), ("low", row.low), ("high", row.high)):
                check_place(point[at], number, up, is_log=False)
        kinds = {point["name"]: point["kind"] for point in shown["points"]}
        assert kinds["<b>a</b>"] == kinds["c 10"] == kinds["e"] != kinds["b"] == kinds["d"]


def check_place(at, number, ticks, is_log):
    """Hold a place to the line through the first and the last tick."""
    of = log10 if is_log else float
    (low, start), (high, stop) = ticks[0], ticks[-1]
    assert low <= number + 1e-4
    assert number <= high + 1e-4
    share = (of(number) - of(low)) / (of(high) - of(low))
    assert at == pytest.approx(start + share * (stop - start), abs=0.3)


def test_a_row_links_to_the_report_of_its_run(page, board):
    links = page.locator(f"{ROWS} a")
    found = {link.inner_text(): link.get_attribute("href") for link in links.all()}
    assert found == {n: link for n, link in zip(NAMES, REPORTS, strict=True) if link}
    assert "report" not in page.locator("thead").inner_text()
    assert board.to_dict()["systems"][0]["report"] in REPORTS


def test_other_addresses_are_texts(tmp_path, opened):
    told = ("javascript:alert(1)", " java\nscript:x", "data:text/html,x", "", "", "")
    fc.leaderboard(RUNS, "value", table=joined(report=told), n_resamples=50).to_html(
        tmp_path / "a.html"
    )
    page = opened(tmp_path / "a.html")
    assert page.locator(f"{ROWS} a").count() == 0
    assert told[0] in page.locator("tbody").inner_text()


def test_names_stay_on_a_narrow_screen(board, tmp_path, opened):
    board.to_html(tmp_path / "board.html")
    page = opened(tmp_path / "board.html", viewport={"width": 360, "height": 800})
    places = (
        "[...document.querySelectorAll('tr > :first-child')].map(e => e.getBoundingClientRect().x)"
    )
    before = page.evaluate(places)
    page.evaluate("document.querySelector('div.wide').scrollLeft = 200")
    assert page.evaluate(places) == pytest.approx(before, abs=1.5)
    assert not page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    svg = page.locator("#scatter > svg").bounding_box()
    assert svg["x"] + svg["width"] <= 360
    page.evaluate("document.querySelector('#scatter line').id = 'old'")
    page.set_viewport_size({"width": 800, "height": 800})  # the picture is drawn again
    page.wait_for_selector("#old", state="detached")
    rights = "[...document.querySelectorAll('#scatter line')].map(e => e.x2.baseVal.value)"
    assert max(page.evaluate(rights)) > 500


def test_without_columns_beside_it_a_board_has_no_picture(tmp_path, opened):
    fc.leaderboard(RUNS, "value", n_resamples=50).to_html(tmp_path / "a.html")
    assert "scatter" not in (tmp_path / "a.html").read_text()
    table = joined(cost=("a",) * 6)
    fc.leaderboard(RUNS, "value", table=table, n_resamples=50).to_html(tmp_path / "b.html")
    page = opened(tmp_path / "b.html")
    assert not page.get_by_label("Plot the score against").is_visible()
    assert page.get_by_label("Group by").is_visible()
    assert not page.locator("#scatter").is_visible()

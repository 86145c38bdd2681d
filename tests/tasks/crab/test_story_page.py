"""The page of graphs draws and counts exactly the edges of the pairs, in a real browser."""

from __future__ import annotations

import json
import re

import networkx as nx
import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.errors import OutputError
from tests.support.browser import least_contrast
from tests.support.cli import cli

GOLD = [json.loads(line) for line in sample.CRAB_GOLD.read_text().splitlines()]
HOSTILE = [
    "</script><script>document.title='hit'</script>",
    "<img src=x onerror=document.title='hit'> <!--",
    "שלום \u202e right to left",
    "word " * 400,
    "x" * 900,
    " ",
]
SLIDE = """value => { const slider = document.forms.choices.elements.threshold;
  slider.value = value; slider.dispatchEvent(new Event('input', { bubbles: true })); }"""


@pytest.fixture
def shown(opened, tmp_path):
    def show(gold=sample.CRAB_GOLD, fragment="", options=None, **context):
        path = tmp_path / "graph.html"
        fc.crab.describe(gold, **options or {}).to_html(path)
        page = opened(path, fragment, **context)
        page.wait_for_selector("html[data-ready]", state="attached")
        return page

    return show


def status(page):
    return page.get_by_role("status").last.inner_text()


def expected(rows, letters="ABCD"):
    """The line of numbers of one story's edges, by networkx."""
    edges = nx.DiGraph(
        (row["event_order_a"], row["event_order_b"]) for row in rows if row["class"] in letters
    )
    paths = sum(len([*nx.all_simple_paths(edges, a, b)]) for a in edges for b in edges if a != b)
    n = [
        (edges.number_of_edges(), "edge"),
        (sum(not d for _, d in edges.in_degree()), "source"),
        (sum(not d for _, d in edges.out_degree()), "sink"),
        (paths, "path"),
        (nx.dag_longest_path_length(edges) if edges else 0, "edge"),
    ]
    _, sources, sinks, paths, longest = (f"{k} {word}{'s' * (k != 1)}" for k, word in n)
    return f"{n[0][0]} of 30 pairs are edges: {sources}, {sinks}, {paths}, the longest of {longest}"


@pytest.mark.parametrize("border", ["up", "text", "down"])
def test_slider_and_classes_count_as_networkx_does(shown, border):
    page = shown(options={"border": border})
    first = [row for row in GOLD if row["topic_id"] == 4]
    assert len(first) == 30
    scores = {row["score"] for row in first}
    for threshold in sorted({0, 20, 50, 80, 100, *[*scores][::4]}):
        page.evaluate(SLIDE, threshold)
        equal = border == "up" or (border == "text" and threshold != 80)
        edges = [r for r in first if r["score"] > threshold or (equal and r["score"] == threshold)]
        assert status(page) == expected(edges)
        assert page.locator("#arcs .arc").count() == len(edges)
        assert page.locator("output").inner_text() == str(threshold)
    page.evaluate(SLIDE, 0)
    page.get_by_label("A high").uncheck()
    assert status(page) == expected([r for r in first if border != "down" or r["score"]], "BCD")
    drawn = page.evaluate("[...document.querySelectorAll('.arc')].map(e => e.classList[1])")
    assert set(drawn) == {"B", "C", "D"} & set(drawn)


def test_arcs_join_their_events_and_go_along_when_the_window_changes(shown):
    page = shown(viewport={"width": 1000, "height": 900})
    read = """() => [...document.querySelectorAll('.arc')].map(e => { const box = e.getBBox();
      return [box.y, box.y + box.height].map(Math.round); })"""
    middles = """() => [...document.querySelectorAll('#events button')].map(e => {
      const box = e.getBoundingClientRect(), top = document.getElementById('graph')
        .getBoundingClientRect().top; return Math.round(box.top + box.height / 2 - top); })"""
    story = [row for row in GOLD if row["topic_id"] == 4 and row["score"] >= 50]
    orders = sorted({r[f"event_order_{s}"] for r in GOLD if r["topic_id"] == 4 for s in "ab"})
    for width in (1000, 360):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(100)
        y = dict(zip(orders, page.evaluate(middles), strict=True))
        ends = [(y[row["event_order_a"]], y[row["event_order_b"]]) for row in story]
        found = sorted(map(tuple, page.evaluate(read)))
        for (top, bottom), wanted in zip(found, sorted(ends), strict=True):
            assert abs(top - wanted[0]) <= 1
            assert abs(bottom - wanted[1]) <= 1
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_keyboard_alone(shown):
    page = shown()
    page.locator("select").focus()
    page.keyboard.press("Tab")
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    assert page.locator("output").inner_text() == "80"
    page.locator("#events button").first.focus()
    for key in (
        "ArrowDown",
        "j",
        "j",
        "j",
        "k",
        "End",
        "Home",
        "ArrowDown",
        "ArrowDown",
        "ArrowDown",
    ):
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    pressed = page.locator("#events [aria-pressed=true]")
    assert pressed.inner_text().startswith("4 The spillway gate")
    place = {"cause": "event_order_a", "effect": "event_order_b"}
    other = {"cause": "event_order_b", "effect": "event_order_a"}
    tags = sorted(
        (row[place[word]], f"{word}, A high, {row['score']}")
        for word in place
        for row in GOLD
        if row["topic_id"] == 4 and row["score"] >= 80 and row[other[word]] == 4
    )
    found = page.evaluate("""() => [...document.querySelectorAll('.strength')].map(e =>
      [Number(e.parentNode.querySelector('.order').textContent), e.textContent])""")
    assert [*map(tuple, found)] == tags
    assert {word for _, text in tags for word in place if word in text} == {*place}
    page.keyboard.press("Escape")
    assert page.locator("[aria-pressed=true], .strength, .off").count() == 0


def test_the_address_keeps_what_is_chosen(shown):
    page = shown()
    page.locator("select").select_option(label="11")
    page.evaluate(SLIDE, 62)
    page.get_by_label("D no").uncheck()
    page.locator("#events button").nth(2).click()
    said, fragment = status(page), page.url.partition("#")[2]
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    assert status(page) == said
    assert page.locator("[aria-pressed=true] .order").inner_text() == "3"
    assert re.fullmatch(r"story=11&threshold=62&classes=ABC&event=3", fragment)
    page.evaluate("location.hash = '#section-1'")
    assert status(page) == said


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_are_text_at_360_px(shown, scheme):
    names = ['a"b', *HOSTILE]
    gold = [
        {"topic_id": f"<b>{name[:20]}", "event_order_a": 1, "event_order_b": b, "score": 70.5,
         "event_a": name, "event_b": HOSTILE[b % len(HOSTILE)]}
        for name in names for b in (2, 3)
    ]  # fmt: skip
    page = shown(gold, viewport={"width": 360, "height": 740}, color_scheme=scheme)
    for k in range(page.locator("option").count()):
        page.locator("select").select_option(index=k)
        page.locator("#events button").first.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert "effect, B medium, 70.5" in page.locator("#events").inner_text()
    assert page.title() == "14 pairs of 7 stories"
    assert "<b>" in page.locator("option").first.inner_text()
    assert least_contrast(page) >= 4.5


def test_pairs_without_scores_are_drawn_by_class(shown):
    gold = [{k: v for k, v in row.items() if k not in ("score", "event_a")} for row in GOLD]
    page = shown(gold)
    assert page.get_by_role("slider").is_disabled()
    page.get_by_label("C low").uncheck()
    page.get_by_label("D no").uncheck()
    rows = [row for row in GOLD if row["topic_id"] == 4]
    assert status(page) == expected(rows, "AB")
    assert page.locator("#events button").first.inner_text().startswith("1 event 1")


def test_a_large_story_draws_the_strongest_arcs(shown):
    gold = {"topic_id": [1] * 4950, "event_order_a": [], "event_order_b": [], "score": []}
    for a in range(100):
        for b in range(a + 1, 100):
            gold["event_order_a"].append(a)
            gold["event_order_b"].append(b)
            gold["score"].append(100 - (b - a))
    page = shown(gold, options={"threshold": 0})
    assert page.locator(".arc").count() == 3000
    numbers = fc.crab.describe(gold, threshold=0).graph
    assert status(page) == (
        f"4950 of 4950 pairs are edges: 1 source, 1 sink, {numbers['paths']['n']} paths, "
        "the longest of 99 edges; the strongest 3000 are drawn"
    )


def test_without_scripts_the_page_says_so_and_has_its_tables(shown, opened, tmp_path):
    shown()
    page = opened(tmp_path / "graph.html", java_script_enabled=False)
    assert "needs JavaScript" in page.locator("#status").inner_text()
    assert page.locator("table").count() == 10
    assert page.locator("svg.stack").count() > 10
    assert not page.locator("#graph").is_visible()


def test_command(tmp_path):
    cli("crab", "describe", sample.CRAB_GOLD, "--html", tmp_path / "a.html")
    cli("crab", "describe", sample.CRAB_GOLD, "--html", tmp_path / "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    two = (sample.CRAB_GOLD, sample.CRAB_GOLD)
    _, said = cli("crab", "describe", *two, "--html", tmp_path / "c.html", expect=2)
    assert "--html is for one file of judged pairs" in said
    copy = tmp_path / "gold.jsonl"
    copy.write_bytes(sample.CRAB_GOLD.read_bytes())
    _, said = cli("crab", "describe", copy, "--html", copy, expect=2)
    assert "is read, expected another file" in said
    with pytest.raises(OutputError):
        fc.crab.describe(copy).to_html(tmp_path / "no" / "x.html")
    assert not (tmp_path / "c.html").exists()

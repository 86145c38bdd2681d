"""The page shows the report's content, in a real browser."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from urllib.parse import urlencode

import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.report.grid import Grid
from fastcausal.report.numbers import Bounded, number_text
from fastcausal.report.page import Card, Drawn, Page, Section, write_page
from fastcausal.report.page.page import examples_part
from fastcausal.tasks.extraction.confusion import confusion_of_examples
from fastcausal.tasks.extraction.evaluation import find_evaluation
from fastcausal.tasks.extraction.page import columns_of
from tests.support.browser import least_contrast
from tests.support.cli import cli

NAMES = [*sample.SYSTEMS]
ERRORS = ("fp", "fn", "le", "be", "lbe")
ROLES = ("cause", "effect", "signal")
WORDS = {
    "right": "tp",
    "spurious": "fp",
    "missed": "fn",
    "label error": "le",
    "boundary error": "be",
    "label and boundary error": "lbe",
    "too small": "bes",
    "too large": "bel",
    "partly beside": "beo",
}
ALL_AT_ONCE = {"width": 1100, "height": 60_000}  # a window that needs all rows of the sample
READ = """() => [...document.querySelectorAll('.item')].map(item => ({
  id: item.querySelector('.c-id').textContent,
  systems: [...item.querySelectorAll('li')].map(e => e.textContent),
  raw: [...item.querySelectorAll('.raw')].map(e => [...e.children].map(c => c.textContent)),
  pairs: [...item.querySelectorAll('dl')].map(dl => [...dl.children].map(e => ({
    kind: e.localName + ' ' + e.className, text: e.textContent,
    marks: [...e.querySelectorAll('mark')].filter(m => !m.classList.contains('missed'))
      .map(m => [m.dataset.role.split(/,| /)[0], m.textContent]),
    kinds: [...e.querySelectorAll('mark')].map(m => m.classList[1] ?? 'gold') }))) }))"""
IDS = "[...document.querySelectorAll('.item .c-id')].map(e => e.textContent)"
TOO_WIDE = """() => document.documentElement.scrollWidth <= innerWidth ? []
  : [...document.querySelectorAll('body *')]
    .filter(e => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth)
    .map(e => `${e.localName}.${e.className} ${e.getBoundingClientRect().right}`)"""
TALLEST = 8_000_000  # px, of a list


@pytest.fixture(scope="module")
def reports():
    """Reports of three systems; one has answers that cannot be read."""
    options = {"by": ["corpus", "doc_id"], "unparsed": "empty"}
    made = {name: fc.score(sample.GOLD, path, **options) for name, path in sample.SYSTEMS.items()}
    lines = sample.SYSTEMS["hasty"].read_text().splitlines()
    answers = [row["prediction"] for row in map(json.loads, lines)]
    answers[3] = ["<ARG0>Rain"]
    gold = fc.read(sample.GOLD)
    pred = fc.read(answers, like=gold)
    made["hasty"] = fc.score(gold, pred, **options)
    return made


@pytest.fixture(scope="module")
def html(tmp_path_factory, reports):
    path = tmp_path_factory.mktemp("page") / "page.html"
    write_page(path, Page("sample", [], examples_part(columns_of(reports, 100))))
    return path


@pytest.fixture(scope="module")
def command_page(tmp_path_factory):
    """The page of the command, of one system."""
    path = tmp_path_factory.mktemp("command") / "page.html"
    options = ("--by", "doc_id", "--cluster", "doc_id", "--n-resamples", 100)
    cli("report", sample.GOLD, sample.SYSTEMS["chatty"], "--out", path, *options)
    return path


@pytest.fixture(scope="module")
def large(tmp_path_factory, reports):
    """A page whose list is taller than browsers draw."""
    columns = columns_of({"chatty": reports["chatty"]}, 100)
    times = 1_000

    def repeated(column):
        return {key: values * times for key, values in column.items()}

    [system] = columns["systems"]
    many = {
        **columns,
        "ids": [f"{name}/{k}" for k in range(times) for name in columns["ids"]],
        "texts": columns["texts"] * times,
        "strata": [],
        "gold": repeated(columns["gold"]),
        "systems": [
            {
                "name": "chatty",
                **{side: repeated(system[side]) for side in ("pred", "pairs")},
                **{side: system[side] * times for side in ("unparsed", "examples", "unread")},
            }
        ],
    }
    path = tmp_path_factory.mktemp("large") / "page.html"
    write_page(path, Page("large", [], examples_part(many)))
    return path, many["ids"]


def ready(page):
    page.wait_for_selector("html[data-ready]", state="attached")
    return page


def settle(page):
    """Wait until the page has answered the last scrolling."""
    page.evaluate("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")


def status(page):
    return page.get_by_role("status").inner_text()


def test_scores_are_those_of_json(opened, command_page):
    page = ready(opened(command_page, "#scores"))
    arguments = ("--by", "doc_id", "--json")
    scores = json.loads(cli("score", sample.GOLD, sample.SYSTEMS["chatty"], *arguments)[0])
    rows = (
        page.locator("table")
        .first.locator("tr")
        .evaluate_all("rows => rows.map(row => [...row.cells].map(cell => cell.textContent))")
    )
    header, *shown = [row for row in rows if len(row) > 1]
    assert [row[0] for row in shown] == [*scores["scores"]]
    for name, *cells in shown:
        for column, cell in zip(header[1:], cells, strict=True):
            assert cell.partition(" [")[0] == number_text(scores["scores"][name][column])
    large = page.locator(".card .large b").inner_text()
    assert large == f"{scores['scores']['overall']['f1']:.3f}"
    page.get_by_role("tab", name="About").click()
    assert scores["signature"] in page.locator("main").inner_text()


def counted(reports, wanted):
    """Errors of each system by example, of the wanted types and roles."""
    types = wanted.get("type", ERRORS)
    roles = wanted.get("role", ROLES)
    names = [f"{role}_{kind}" for role in roles for kind in types]
    return [
        [sum(row[name] for name in names) for row in report.per_example.to_pylist()]
        for report in reports.values()
    ]


def marks_of(reports):
    """The mark of each system by example."""
    marks = []
    for s, (report, errors) in enumerate(zip(reports.values(), counted(reports, {}), strict=True)):
        rows = report.per_example.to_pylist()
        hits = [sum(row[f"{role}_tp"] for role in ROLES) for row in rows]
        marks.append(
            [
                "unread" if (s, k) == (1, 3)
                else "right" if not errors[k]
                else "partly" if hits[k]
                else "wrong"
                for k in range(len(rows))
            ]
        )  # fmt: skip
    return marks


def expected(reports, wanted):
    """Ids that the counts of the reports give."""
    errors, marks = counted(reports, wanted), marks_of(reports)
    table = next(iter(reports.values())).per_example
    ids = table["id"].to_pylist()
    chosen = [wanted["system"]] if "system" in wanted else range(len(NAMES))
    texts = dict(zip(fc.read(sample.GOLD).table["id"].to_pylist(),
                     fc.read(sample.GOLD).table["text"].to_pylist(), strict=True))  # fmt: skip
    documents = sorted({*table["doc_id"].to_pylist()})
    own = [sum(errors[s][k] for s in chosen) for k in range(len(ids))]
    kept = [*range(len(ids))]
    if "show" in wanted:
        kept = [k for k in kept if any(marks[s][k] in wanted["show"] for s in chosen)]
    if {"type", "role"} & {*wanted}:
        kept = [k for k in kept if own[k]]
    if "stratum1" in wanted:
        document = documents[wanted["stratum1"]]
        kept = [k for k in kept if table["doc_id"][k].as_py() == document]
    if "better" in wanted:
        better, than = errors[wanted["better"]], errors[wanted["than"]]
        kept = [k for k in kept if better[k] < than[k]]
        differences = [b - a for a, b in zip(better, than, strict=True)]
    else:
        differences = [max(each) - min(each) for each in zip(*errors, strict=True)]
    if "q" in wanted:
        words = wanted["q"].lower()
        kept = [k for k in kept if words in texts[ids[k]].lower() or words in ids[k].lower()]
    order = {"": own, "difference": differences}.get(wanted.get("order", ""))
    if order:
        kept.sort(key=lambda k: -order[k])
    return [ids[k] for k in kept]


WANTED = [
    *({"type": [kind], "order": "gold"} for kind in ERRORS),
    {"role": ["signal"]},
    {"type": ["be", "fn"], "role": ["effect", "cause"]},
    {"type": ["fn"], "show": ["partly"], "system": 0},
    {"show": ["wrong", "partly"], "system": 1},
    {"show": ["right"], "order": "gold"},
    {"show": ["wrong"]},
    {"show": ["unread"]},
    {"show": ["unread"], "system": 0},
    {"stratum1": 3, "order": "difference"},
    {"better": 1, "than": 0},
    {"better": 2, "than": 1, "role": ["cause"], "order": "difference"},
    {},
    {"order": "gold"},
    {"order": "difference"},
    {"q": "RAIN"},
    {"q": "sample_OR"},
    {"q": ". ", "show": ["wrong"]},
]


def fragment_of(wanted):
    return urlencode(wanted, doseq=True)


def test_filters_and_orders_give_the_examples_of_the_count_file(opened, html, reports):
    page = ready(opened(html, viewport=ALL_AT_ONCE))
    sizes = set()
    for wanted in WANTED:
        page.evaluate("fragment => { location.hash = fragment }", fragment_of(wanted))
        ids = expected(reports, wanted)
        sizes.add(len(ids))
        page.get_by_text(f"{len(ids)} of 61 examples", exact=True).wait_for()
        settle(page)
        assert page.evaluate(IDS) == ids, wanted
    assert len(sizes) > 8


def test_cells_of_the_confusion_open_their_examples(opened, reports, tmp_path):
    """A cell opens its examples, whose counts add up to the cell."""
    path = tmp_path / "page.html"
    report = reports["hasty"]
    report.to_html(path)
    details = find_evaluation(report)
    counts = confusion_of_examples(details.counting, details.examples())
    page = ready(opened(path, "#errors", viewport=ALL_AT_ONCE))
    ids = report.per_example["id"].to_pylist()
    sides = (*ROLES, "none")
    table = page.locator("table", has=page.locator(".heat"))
    for row, column in ((0, 1), (1, 0), (2, 3), (3, 2), (0, 0)):
        cell = table.locator("tbody tr").nth(row).locator("td").nth(column)
        assert cell.inner_text() == str(counts[:, row, column].sum())
        page.get_by_role("tab", name="Errors").click()
        cell.get_by_role("link").click()
        settle(page)
        assert {*page.evaluate(IDS)} == {ids[k] for k in counts[:, row, column].nonzero()[0]}
        said = page.locator(".groups > .chip").inner_text()
        assert said == f"gold {sides[row]}, predicted {sides[column]}"
    page.get_by_role("tab", name="Errors").click()
    page.locator("table a[href='#type=be&role=effect']").click()
    n = sum(row["effect_be"] > 0 for row in report.per_example.to_pylist())
    page.get_by_text(f"{n} of 61 examples", exact=True).wait_for()
    page.go_back()
    assert page.get_by_role("tab", name="Errors").get_attribute("aria-selected") == "true"


def test_controls_and_the_address_say_the_same(opened, html, reports):
    page = ready(opened(html))
    page.locator(".chip", has_text="boundary error").first.click()
    page.locator(".chip", has_text="cause").click()
    page.keyboard.press("/")
    page.get_by_label("Search text and ids").fill("The")
    wanted = {"type": ["be"], "role": ["cause"], "q": "the"}
    n = len(expected(reports, wanted))
    page.get_by_text(f"{n} of 61 examples", exact=True).wait_for()
    address = page.url
    assert address.endswith("#q=The&role=cause&type=be")
    other = ready(opened(html, address[address.index("#") :]))
    assert status(other) == f"{n} of 61 examples"
    other.get_by_role("button", name="Show all").click()
    other.get_by_text("61 of 61 examples", exact=True).wait_for()
    other.locator("summary", has_text="Columns").click()
    other.get_by_label("doc_id").last.check()
    other.get_by_label("careful").last.uncheck()
    other.locator("#heads [role=columnheader]", has_text="careful").wait_for(state="detached")
    heads = other.locator("#heads [role=columnheader]").all_inner_texts()
    assert heads == ["id", "text", "doc_id", "errors by role", "hasty", "chatty"]
    third = ready(opened(html, other.evaluate("location.hash")))
    assert third.locator("#heads [role=columnheader]").all_inner_texts() == heads


def test_chips_count_the_examples_that_they_show(opened, html, reports):
    page = ready(opened(html, "#system=1"))
    own = marks_of(reports)[1]
    for name, mark in (("right", "right"), ("partly right", "partly"), ("not read", "unread")):
        chip = page.locator("#shows .chip", has=page.get_by_text(name, exact=True).last)
        assert int(chip.locator("b").inner_text()) == own.count(mark)


def words_of(spans, role):
    """Return words of a role, sorted: lines of overlapping spans do not follow the text."""
    return sorted(words for name, words in spans if name == role)


def parsed(said):
    """Return the counts that words state, by column."""
    counts = {}
    for part in said.split("; "):
        if part in ("no partner", "no spans"):
            continue
        role, _, words = part.partition(": ")
        for word in words.split(", "):
            name, _, times = word.partition(" ×")
            counts[f"{role}_{WORDS[name]}"] = int(times or 1)
    return counts


def lines_of(pair):
    """Return (name, marks of all its lines, words of its counts) of each relation."""
    relations = []
    for line in pair:
        if line["kind"].startswith("dt"):
            relations.append((line["text"], [], []))
        elif "text" in line["kind"]:
            relations[-1][1].extend(line["marks"])
        else:
            relations[-1][2].append(line["text"])
    return relations


@pytest.mark.parametrize("system", range(3))
def test_marks_and_pairs_are_those_of_the_report(opened, html, reports, system):
    page = ready(opened(html, f"#system={system}&order=gold&open=1", viewport=ALL_AT_ONCE))
    report = reports[NAMES[system]]
    texts = iter(fc.read(sample.GOLD).table["text"].to_pylist())
    pairs = {}
    for row in report.matches.to_pylist():
        pairs.setdefault(row["id"], []).append(row)
    names = [name for name in report.matches.column_names if name.startswith(ROLES)]
    for shown in page.evaluate(READ):
        text = next(texts)
        expected = pairs.pop(shown["id"], [])
        found = []
        for pair in shown["pairs"]:
            assert all(line["text"] == text for line in pair if line["kind"] == "dd text")
            relations = lines_of(pair)
            gold = relations.pop(0) if relations[0][0].startswith("gold") else None
            [pred] = relations
            found.append((gold, pred))
        assert len(found) == len(expected)
        for gold, (name, marks, said) in found:
            number = name.removeprefix(NAMES[system]).strip()
            ends = (int(gold[0][5:]) - 1 if gold else None, int(number) - 1 if number else None)
            row = next(r for r in expected if (r["gold_relation"], r["pred_relation"]) == ends)
            for side, spans in (("pred", marks), ("gold", gold[1] if gold else [])):
                for role in ROLES:
                    words = row[f"{side}_{role}"]
                    assert words_of(spans, role) == sorted(words.split(" ... ") if words else [])
            assert parsed(*said) == {n: row[n] for n in names if row[n]}
    assert (pairs, [*texts]) == ({}, [])


ROWS = """() => [...document.querySelectorAll('.item')].map(item => {
  const marks = e => [...e.querySelectorAll('mark')].map(({classList, textContent}) =>
    [classList[1] ? classList[0] : 'gold', classList[classList.length - 1], textContent]);
  const legend = item.querySelector('.legend');
  return { legend: legend ? [...legend.children].map(e => e.className || e.localName) : [],
    sides: [...item.querySelectorAll('.side')].map(e => [e.firstChild.textContent, marks(e),
      e.lastChild.getBoundingClientRect().left]),
    parts: [...item.querySelectorAll('dl')].map(dl => [dl.className, [...dl.children].map(e => [
      e.localName, e.textContent, marks(e)])]) }; })"""


def test_a_row_shows_gold_and_predictions_as_it_unfolds_to_them(opened, html):
    """The lines of a folded row have spans of its parts, and all of a single relation."""
    page = ready(opened(html, "#order=gold&open=1", viewport=ALL_AT_ONCE))
    whole = 0
    for row in page.evaluate(ROWS):
        drawn = {}
        for _, children in row["parts"]:
            for kind, text, marks in children:
                if kind == "dt":
                    name = text.rstrip("0123456789 ")
                drawn.setdefault(name, []).extend(map(tuple, marks))
        kinds = {mark[0] for marks in drawn.values() for mark in marks} - {"gold"}
        alone = {"alone"} if any("alone" in of for of, _ in row["parts"]) else set()
        assert {*row["legend"]} == kinds | alone
        if not row["sides"]:
            assert not any(drawn.values())
            continue
        assert [name for name, *_ in row["sides"]] == ["gold", *NAMES]
        assert len({left for *_, left in row["sides"]}) == 1
        for name, marks, _ in row["sides"]:
            shown = {*map(tuple, marks)}
            for kind, role, words in shown:  # the last one may be cut
                assert any(
                    words == of[2][: len(words)] for of in drawn[name] if of[:2] == (kind, role)
                )
            assert bool(shown) == bool(drawn.get(name))
            whole += len(row["parts"]) == 1 and shown == {*drawn.get(name, ())}
    assert whole > 60


def test_what_cannot_be_read_is_said(opened, html):
    page = ready(opened(html, "#show=unread&open=1", viewport=ALL_AT_ONCE))
    [example] = page.evaluate(READ)
    assert example["systems"][1].endswith("; 1 prediction could not be read")
    [[said, raw]] = example["raw"]
    assert said == "not read hasty 1 could not be read: <ARG0> is never closed"
    assert raw == "<ARG0>Rain"


KINDS = [
    ([(0, 0, 4)], [(0, 0, 4)], ["right"]),
    ([(0, 0, 4)], [(0, 2, 9)], ["bounds"]),
    ([(0, 0, 4)], [(1, 0, 4)], ["role"]),
    ([(0, 0, 4)], [(1, 2, 9)], ["role"]),
    ([(0, 0, 4)], [(0, 5, 9)], ["missed", "spurious"]),
    ([(0, 0, 4), (1, 5, 9)], [(0, 0, 9)], ["bounds", "missed"]),
    ([(0, 0, 4), (0, 5, 9)], [(0, 5, 9), (0, 3, 7)], ["bounds", "right"]),
    ([], [(0, 0, 4)], ["spurious"]),
]


def test_spans_are_drawn_by_how_they_meet_gold(opened, html):
    page = ready(opened(html))
    for gold, pred, kinds in KINDS:
        drawn = page.evaluate("([gold, pred]) => compared(gold, pred)", [gold, pred])
        assert [span[3] for span in drawn] == kinds


def test_a_long_list_scrolls_to_its_ends_and_through(opened, large):
    path, ids = large
    page = ready(opened(path, "#order=gold"))
    n = len(ids)
    assert status(page) == f"{n} of {n} examples"
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    settle(page)
    assert page.evaluate(IDS)[-1] == ids[-1]
    assert page.evaluate("document.documentElement.scrollHeight") < 2 * TALLEST
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight / 3)")
    settle(page)
    seen = []
    for _ in range(25):  # up and down again, no row is skipped or shown twice
        shown = page.evaluate(IDS)
        place = ids.index(shown[0])
        assert shown == ids[place : place + len(shown)]
        assert len(shown) < 80
        seen.append(place)
        page.mouse.wheel(0, -700 if len(seen) < 12 else 700)
        settle(page)
    assert n / 4 < min(seen) < seen[0] < n / 2
    assert max(abs(a - b) for a, b in pairwise(seen)) < 40
    page.evaluate("scrollTo(0, 0)")
    settle(page)
    assert page.evaluate(IDS)[0] == ids[0]


def test_keys_and_links_open_an_example(opened, large):
    path, ids = large
    page = ready(opened(path, f"#order=gold&id={ids[30_000].replace('/', '%2F')}"))
    focused = "document.activeElement.matches('.c-id *') && document.activeElement.textContent"
    top = """document.activeElement.closest('.item').getBoundingClientRect().top
      - document.getElementById('heads').getBoundingClientRect().bottom"""
    for key, k in ((None, 30_000), ("j", 30_001), ("j", 30_002), ("k", 30_001)):
        if key:
            page.keyboard.press(key)
        settle(page)
        assert page.evaluate(focused) == ids[k]
        assert abs(page.evaluate(top)) < 2
    assert page.locator(".unfolded").count() == 1
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    settle(page)
    assert page.locator("[aria-expanded=true]").all_inner_texts() == [ids[30_000], ids[30_002]]
    page.get_by_role("link", name="link to this example").last.click()
    settle(page)
    assert page.evaluate(focused) == ids[30_002]
    assert page.url.endswith(ids[30_002].replace("/", "%2F"))
    page.locator("summary", has_text="Keys").click()
    page.get_by_label("use these keys").uncheck()
    page.get_by_label("use these keys").blur()
    page.wait_for_timeout(200)  # longer than the page waits after a choice
    assert page.url.endswith(ids[30_002].replace("/", "%2F"))
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.localName") == "body"
    page.evaluate("location.hash = 'id=nothing'")
    page.get_by_text("the example of the address is not here").wait_for()


def test_the_list_grows_with_an_unfolded_row(opened, html):
    page = ready(opened(html, viewport=ALL_AT_ONCE))
    heights = "['#list', '#list > div'].map(e => document.querySelector(e).offsetHeight)"
    folded, _ = page.evaluate(heights)
    page.locator("#list .row").first.click()
    settle(page)
    box, rows = page.evaluate(heights)
    assert abs(box - rows) <= 2
    assert box > folded + 50
    page.locator("#list .row").first.click()
    settle(page)
    assert abs(page.evaluate(heights)[0] - folded) <= 2


HOSTILE = [
    "</script><script>document.title='hit'</script>",
    "<img src=x onerror=document.title='hit'> <!--",
    "line\u2028separated\u2029twice &amp; \x1b[31m",
    "שלום \u202e right to left",
    "👩‍👩‍👧 emoji 🚒 \\ud800",
    "word " * 10_000,
    "",
    "x" * 2_000,
    "{{ title }} $title __proto__",
    "half \ud800 of a letter",
]


def hostile_columns():
    """A relation on each side of each text: its last letters, and all of it."""
    n = len(HOSTILE)
    last = [number for text in HOSTILE for number in (0, max(len(text) - 2, 0), len(text))]
    whole = [number for text in HOSTILE for number in (1, 0, len(text))]
    roles = HOSTILE[:2]
    columns = [f"{role}_{kind}" for role in roles for kind in ("tp", "fn")]
    sides = [{"relations": [1] * n, "spans": [1] * n, "values": each} for each in (last, whole)]
    pairs = {"n": [1] * n, "gold": [0] * n, "pred": [0] * n, "counts": [0] * n}
    return {
        "roles": roles,
        "columns": columns,
        "types": ["fn"],
        "words": {"fn": HOSTILE[1]},
        "errors": {"fn": [1, 3]},
        "hits": {"tp": [0, 2]},
        "cells": [],
        "n_examples": n,
        "n_left_out": 0,
        "ids": HOSTILE,
        "texts": HOSTILE,
        "strata": [{"name": HOSTILE[0], "values": [HOSTILE[1], None], "codes": [0, 1] * (n // 2)}],
        "gold": sides[0],
        "systems": [
            {
                "name": name,
                "pred": sides[1],
                "unparsed": [1] * n,
                "unread": [[k, None, text, text] for k, text in enumerate(HOSTILE)],
                "pairs": pairs,
                "examples": [0] * n,
            }
            for name in HOSTILE[:4]
        ],
        "count_rows": [[1, 1, 1, 1]],
    }


def test_texts_are_text_at_any_width(opened, tmp_path):
    grid = Grid(HOSTILE[0], [HOSTILE[1]])
    grid.add(HOSTILE[1], HOSTILE[3])
    sections = [Section(text, [grid], [text]) for text in HOSTILE[:5]]
    cards = [Card(text, text, 0.5, groups={text: 0.5}, standing=text) for text in HOSTILE[:5]]
    part = examples_part(hostile_columns())
    facts, warnings = [(HOSTILE[0], HOSTILE[1])], HOSTILE[:5]
    page = Page(HOSTILE[0], sections, part, cards, facts, warnings)
    write_page(tmp_path / "page.html", page)
    fragment = "#order=gold&open=1"
    page = ready(opened(tmp_path / "page.html", fragment, viewport={"width": 360, "height": 740}))
    assert page.title() == HOSTILE[0]
    for text in HOSTILE:
        page.keyboard.press("j")
        settle(page)
        example = page.locator(".item:focus-within")
        assert example.locator(".c-id").inner_text() in (text.strip(), "(no id)", page.evaluate(
            "t => t.toWellFormed()", text).strip()) or text != text.strip()  # fmt: skip
        shown = example.locator("dd.text").evaluate_all("all => all.map(e => e.textContent)")
        assert {*shown} == {text}
        raw = example.locator("pre").evaluate_all("all => all.map(e => e.textContent)")
        assert raw == [text] * 4
        assert page.evaluate(TOO_WIDE) == []
    page.get_by_label("Search text and ids").fill("Emoji 🚒")
    page.get_by_text("1 of 10 examples", exact=True).wait_for()
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_thirty_roles_have_a_colour_each(opened, tmp_path, scheme):
    roles = ["cause", "cause_of", *(f"role {k}" for k in range(28))]
    text = " ".join(f"w{k}" for k in range(90))
    gold, pred = (
        fc.Relations.from_examples(
            [{"text": text, "relations": [{r: (3 * k, 3 * k + n) for k, r in enumerate(roles)}]}],
            roles,
        )
        for n in (1, 2)
    )
    fc.score(gold, pred).to_html(tmp_path / "page.html")
    page = ready(opened(tmp_path / "page.html", "#open=1", color_scheme=scheme))
    grounds = (
        page.locator("dd.text")
        .first.locator("mark")
        .evaluate_all("all => all.map(e => getComputedStyle(e).backgroundColor)")
    )
    assert len({*grounds}) == len(roles) == len(grounds)
    assert least_contrast(page) >= 4.5
    said = page.locator("dd.note").first.inner_text()
    assert "cause: boundary error, too large; cause_of: boundary error, too large; role 0:" in said


NAMED = {"link", "button", "searchbox", "combobox", "checkbox", "table", "row", "tab", "tabpanel",
         "image", "heading", "navigation", "search", "columnheader"}  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_names_and_contrast(opened, command_page, scheme):
    page = ready(opened(command_page, "#open=1", color_scheme=scheme))
    page.keyboard.press("j")
    for tab in page.get_by_role("tab").all():
        tab.click()
        assert least_contrast(page) >= 4.5, tab.inner_text()
    page.get_by_role("tab").first.click()
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    roles = {}
    for node in tree:
        if not node["ignored"]:
            name = node.get("name", {}).get("value", "")
            roles.setdefault(node["role"]["value"], []).append(name)
    assert {*roles} >= NAMED
    assert [role for role in NAMED & {*roles} - {"row"} if "" in roles[role]] == []
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len({*ids})


def test_browsers_that_cannot_show_examples_say_so(opened, command_page):
    without = "delete window.DecompressionStream"
    for page in (
        opened(command_page, java_script_enabled=False),
        opened(command_page, "", without),
    ):
        assert "Examples need JavaScript and a browser of May 2023 or later." in status(page)
        page.get_by_text("Scores", exact=True).first.click()
        assert page.locator("table").first.is_visible()
        assert not page.locator("form").is_visible()


def test_paper_has_the_examples_from_here_on(opened, large):
    path, ids = large
    page = ready(opened(path, f"#order=gold&id={ids[500].replace('/', '%2F')}"))
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.evaluate(IDS) == ids[500:600]
    assert "100 of them on paper" in page.locator("main").inner_text()
    assert not page.locator("form").is_visible()
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    shown = page.evaluate(IDS)
    assert ids[500] in shown
    assert len(shown) < 80


def test_a_page_without_tabs_has_none(tmp_path, opened):
    write_page(tmp_path / "a.html", Page("a", [Section("", lines=["b"])]))
    text = (tmp_path / "a.html").read_text()
    assert not re.search("<(h2|nav)[^>]*></", text)
    page = opened(tmp_path / "a.html")
    assert page.locator("nav").count() == 0
    assert page.get_by_text("b", exact=True).is_visible()


def test_tables_sort_and_search(opened, tmp_path):
    grid = Grid("ants", ["legs", "weight"])
    for k in range(13):
        grid.add(f"ant {k}", k % 5, Bounded(k / 7 % 1, 0.0, 1.0) if k % 2 else None)
    grid.part("wasps")
    grid.add("wasp 2", 1, 3.0)
    grid.add("wasp 1", 2, 2.0)
    write_page(tmp_path / "a.html", Page("a", [Section("", [Drawn(grid, shares=["weight"])])]))
    page = opened(tmp_path / "a.html")
    first = page.locator("tbody tr:visible > :first-child")
    original = first.all_inner_texts()
    page.get_by_role("button", name="legs").click()
    down = page.locator("tbody td:nth-child(2)").all_inner_texts()
    assert [int(n) for n in down] == [*sorted((k % 5 for k in range(13)), reverse=True), 2, 1]
    assert first.all_inner_texts()[13:] == ["wasps", "wasp 1", "wasp 2"]
    page.get_by_role("button", name="weight").click()
    page.get_by_role("button", name="weight").click()
    up = page.locator("tbody td:nth-child(3)").all_inner_texts()
    numbers = [float(text.split()[0]) for text in up[:6]]
    assert numbers == sorted(numbers)
    assert {*up[6:13]} == {"undefined"}
    assert page.locator("[aria-sort=ascending]").inner_text().startswith("weight")
    page.get_by_role("button", name="weight").click()
    assert first.all_inner_texts() == original
    page.get_by_label("Search this table").fill("ANT 1")
    assert first.all_inner_texts() == ["ant 1", "ant 10", "ant 11", "ant 12", "wasps"]

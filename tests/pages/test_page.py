"""The page of a report in a real browser says what its columns and the tables of the report say."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product

import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.pages.page import Page, Section, write_page
from fastcausal.tables import Grid
from fastcausal.tasks.extraction.page import columns_of
from tests.support.browsing import HOSTILE, least_contrast
from tests.support.cli import cli
from tests.tasks.extraction.test_page_columns import relations_of

SYSTEMS = ("careful", "hasty")
ROLES = ("cause", "effect", "signal")
TYPES = ("le", "be", "lbe", "fn", "fp")
IN_LIST = """() => [...document.querySelectorAll('#list article')].map(a =>
  [Number(a.ariaPosInSet), a.querySelector('h3').textContent, Number(a.ariaSetSize)])"""
NEXT_FRAME = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
AT_THE_END = """n => { scrollTo(0, document.documentElement.scrollHeight);
  return [...document.querySelectorAll('#list article')].at(-1).ariaPosInSet == n; }"""
OPENED = """id => { const e = document.activeElement;
  return e.matches('article') && e.querySelector('h3').textContent === id; }"""
# Of each relation shown: what stands before it, and its lines of text and [role, words].
MARKED = """a => [...a.querySelectorAll('dt')].map(dt => { const lines = [];
  for (let e = dt.nextElementSibling; e?.matches('dd'); e = e.nextElementSibling)
    if (e.matches('.text')) lines.push([e.textContent,
      [...e.querySelectorAll('mark')].map(m => [m.dataset.role, m.textContent])]);
  return [dt.textContent, lines]; })"""


@pytest.fixture(scope="session")
def reports():
    return {
        name: fc.score(sample.GOLD, sample.SYSTEMS[name], unparsed="empty", by="doc_id")
        for name in SYSTEMS
    }


@pytest.fixture(scope="session")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "page.html"
    systems = [sample.SYSTEMS[name] for name in SYSTEMS]
    options = ["--by", "doc_id", "--cluster", "doc_id", "--n-resamples", "200"]
    cli("report", sample.GOLD, *systems, "--out", path, "--unparsed", "empty", *options)
    return path


def until(page, expression, arg=None):
    """Wait; the policy of the page forbids playwright's own way, which evaluates texts in it."""
    for _ in range(1000):
        if page.evaluate(expression, arg):
            return
        page.wait_for_timeout(20)
    pytest.fail(expression)


def ready(page):
    until(page, "document.documentElement.dataset.ready")
    return page


def listed(page):
    """The names of all examples in the list, top to bottom."""
    names, total = {}, None
    page.evaluate("document.getElementById('list').scrollIntoView()")
    while total is None or len(names) < total:
        shown = page.evaluate(IN_LIST)
        names |= {place: name for place, name, _ in shown}
        total = shown[0][2] if shown else 0
        page.evaluate("scrollBy(0, 600)")
        page.evaluate(NEXT_FRAME)
    return [names[k] for k in sorted(names)]


def choose(page, **wanted):
    """Set the controls, others to their first value, and wait until the list follows."""
    page.evaluate("history.replaceState(null, '', '#waiting')")
    page.evaluate(
        """wanted => { const form = document.getElementById('filters'); form.reset();
        for (const [name, value] of Object.entries(wanted)) form.elements[name].value = value;
        form.elements.q.dispatchEvent(new Event('input', {bubbles: true})); }""",
        wanted,
    )
    until(page, "location.hash !== '#waiting'")


def chosen(reports, wanted):
    """What the controls mean, from the tables of the reports."""
    rows = [report.per_example.to_pylist() for report in reports.values()]
    types = [wanted["type"]] if "type" in wanted else TYPES
    roles = [wanted["role"]] if "role" in wanted else ROLES
    errors = [
        [sum(row[f"{role}_{kind}"] for kind, role in product(types, roles)) for row in system]
        for system in rows
    ]
    asked = [int(wanted["system"])] if "system" in wanted else [0, 1]
    show = wanted.get("show", "wrong" if {"type", "role"} & {*wanted} else "")
    kept = []
    strata = sorted({row["doc_id"] for row in rows[0]})
    for k, row in enumerate(rows[0]):
        own = [errors[s][k] for s in asked]
        if (show == "wrong" and not any(own)) or (show == "right" and any(own)):
            continue
        if "stratum0" in wanted and row["doc_id"] != strata[int(wanted["stratum0"])]:
            continue
        if "better" in wanted:
            better, than = int(wanted["better"]), int(wanted["than"])
            if errors[better][k] >= errors[than][k]:
                continue
        if wanted.get("q", "").lower() not in row["text"].lower() + "\n" + row["id"]:
            continue
        kept.append(k)
    if wanted.get("order") == "errors":
        kept.sort(key=lambda k: -sum(errors[s][k] for s in asked))
    elif wanted.get("order") == "difference":
        kept.sort(key=lambda k: -abs(errors[0][k] - errors[1][k]))
    return [rows[0][k]["id"] for k in kept]


CHOICES = [
    {},
    *({"type": kind} for kind in TYPES),
    *({"role": role, "system": "1"} for role in ROLES),
    {"show": "right", "system": "0"},
    {"show": "wrong", "order": "errors"},
    {"better": "0", "than": "1"},
    {"better": "1", "than": "0", "order": "difference"},
    {"order": "difference", "type": "be", "role": "cause"},
    {"stratum0": "3", "order": "errors", "system": "1"},
    {"q": "RAIN"},
    {"q": "[a-z"},
]


def test_filters_and_orders_give_what_the_counts_give(opened, path, reports):
    page = ready(opened(path))
    for wanted in CHOICES:
        choose(page, **wanted)
        expected = chosen(reports, wanted)
        n = page.get_by_role("status").inner_text()
        assert n == f"{len(expected)} of 61 examples", wanted
        assert listed(page) == expected, wanted


def test_scores_are_those_of_the_json(opened, path):
    page = ready(opened(path))
    lines = page.evaluate("[...document.querySelectorAll('tr')].map(r => r.innerText)")
    cells = {(*line.split(),) for line in lines}
    for name in SYSTEMS:
        options = ["--unparsed", "empty", "--json"]
        scores = json.loads(cli("score", sample.GOLD, sample.SYSTEMS[name], *options)[0])["scores"]
        values = [f"{scores['overall'][s]:.4f}" for s in ("precision", "recall", "f1")]
        assert any(row[0] == name and {*values} <= {*row} for row in cells), name


def marks_of(columns):
    """Of each example and relation that is shown: who marks it, its number, (role, words)."""
    sides = {"gold": columns["gold"]} | {s["name"]: s["pred"] for s in columns["systems"]}
    return [
        Counter(
            (f"{name} {n + 1}", tuple(sorted(spans)))
            for name, relations in zip(sides, example, strict=True)
            for n, spans in enumerate(relations)
        )
        for example in zip(*(relations_of(columns, side) for side in sides.values()), strict=True)
    ]


def check_marks(page, columns):
    """Every relation is shown with its spans marked; each line of it is the whole text."""
    expected = dict(zip(columns["ids"], marks_of(columns), strict=True))
    texts = dict(zip(columns["ids"], columns["texts"], strict=True))
    for name in columns["ids"]:
        choose(page)
        page.evaluate("id => { location.hash = '#id=' + encodeURIComponent(id); }", name)
        page.wait_for_function(
            "id => document.activeElement.querySelector('h3')?.innerText", arg=name
        )
        article = page.evaluate_handle("document.activeElement")
        shown = Counter()
        for who, lines in article.evaluate(MARKED):
            assert all(text == texts[name] for text, _ in lines)
            if lines:
                spans = [tuple(mark) for _, marks in lines for mark in marks]
                shown[who, tuple(sorted(spans))] += 1
        assert shown == expected[name]


def test_marked_words_are_the_spans(opened, path, reports):
    check_marks(ready(opened(path)), columns_of(reports, 61))


def hostile_examples(n):
    """Texts that a page may take for its own, with relations whose spans overlap."""
    gold, pred = [], []
    for k, words in enumerate(HOSTILE[:n]):
        text = f"Rain floods 👩‍🚒 {words} roads"
        name = f"{k} {words[:40]}"
        relations = [
            {"cause": (0, 1), "effect": (1, 3), "signal": (0, 2)},
            {"cause": [(0, 1), (2, 3)], "effect": (0, 3)},
        ]
        gold.append({"id": name, "text": text, "kind": f"</b>{k % 2}", "relations": relations})
        pred.append({"id": name, "text": text, "relations": relations[::-1][: k % 3]})
    gold.append({"id": "none", "text": "", "kind": "empty", "relations": []})
    pred.append({"id": "none", "text": "", "relations": []})
    return map(fc.Relations.from_examples, (gold, pred))


def test_texts_are_text(opened, tmp_path):
    gold, pred = hostile_examples(len(HOSTILE))
    name = "<img src=x onerror=document.title='hit'>"
    reports = {name: fc.score(gold, pred, by="kind")}
    columns = columns_of(reports, 100)
    grid = Grid(name, [name], parts={name: {name: [1]}})
    write_page(tmp_path / "page.html", Page(name, [Section(name, [grid], lines=[name])], columns))
    page = ready(opened(tmp_path / "page.html", viewport={"width": 360, "height": 740}))
    check_marks(page, columns)
    assert page.locator("img, #list script").count() == 0
    assert page.title() == name
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def many(n):
    """A page of many examples of unequal length, with columns as `columns_of` makes them."""
    gold = fc.Relations.from_examples(
        {"id": f"e{k}", "text": "word " * (k % 90 + 2), "relations": [{"cause": (0, 1 + k % 2)}]}
        for k in range(n)
    )
    pred = fc.Relations.from_examples(
        {"id": f"e{k}", "length": k % 90 + 2, "relations": [{"cause": (0, 1)}]} for k in range(n)
    )
    return Page("many", [], columns_of({"one": fc.score(gold, pred)}, n))


def test_a_long_list_holds_few_rows_and_reaches_its_end(opened, tmp_path):
    n = 20_000
    write_page(tmp_path / "page.html", many(n))
    page = ready(opened(tmp_path / "page.html"))
    until(page, AT_THE_END, n)
    page.evaluate(NEXT_FRAME)
    shown = page.evaluate(IN_LIST)
    assert shown[-1] == [n, f"e{n - 1}", n]
    assert len(shown) < 60
    page.evaluate("scrollTo(0, document.body.scrollHeight / 2)")
    page.evaluate(NEXT_FRAME)
    middle = page.evaluate(IN_LIST)
    assert n // 4 < middle[0][0] < 3 * n // 4
    assert len(middle) < 60
    choose(page, show="right")
    assert page.get_by_role("status").inner_text() == f"{n // 2} of {n} examples"


def test_addresses_and_keys(opened, path):
    page = ready(opened(path, "#id=sample_harbour_4"))
    heading = "document.activeElement.querySelector('h3')?.innerText"
    assert page.evaluate(heading) == "sample_harbour_4"
    page.keyboard.press("j")
    following = page.evaluate(heading)
    assert following not in (None, "sample_harbour_4")
    page.keyboard.press("k")
    assert page.evaluate(heading) == "sample_harbour_4"
    page.keyboard.press("/")
    page.keyboard.type("rain")
    until(page, "location.hash.includes('q=rain')")
    again = ready(opened(path, "#q=rain&order=errors"))
    assert again.get_by_role("searchbox").input_value() == "rain"
    assert again.get_by_role("status").inner_text() == page.get_by_role("status").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_names_and_contrast(opened, path, scheme):
    page = ready(opened(path, color_scheme=scheme))
    assert least_contrast(page) >= 4.5
    assert page.get_by_role("searchbox", name="Search text and ids").count() == 1
    for name in ("System", "Error", "Role", "Show", "Order", "doc_id"):
        assert page.get_by_role("combobox", name=name, exact=True).count() == 1, name
    assert page.get_by_role("feed", name="Examples").count() == 1
    assert page.get_by_role("article", name="sample_harbour_1", exact=True).count() == 1
    names = page.evaluate("[...document.querySelectorAll('main svg')].map(s => s.ariaLabel)")
    assert len(names) > 2
    assert all(names)


def test_without_scripts_scores_are_there(opened, path):
    page = opened(path, java_script_enabled=False)
    assert "Examples need JavaScript" in page.get_by_role("status").inner_text()
    assert page.get_by_role("cell", name="0.8189").count() + page.get_by_text("0.8189").count()

"""The page of items shows each run's values and texts, in a real browser."""

from __future__ import annotations

import random
from itertools import chain
from types import SimpleNamespace
from urllib.parse import urlencode

import numpy as np
import pyarrow as pa
import pytest

from fastcausal.report.page import write_page
from fastcausal.sweeps.items_page import MAX_ANSWERS, MAX_LETTERS, choose, page_of, read_texts
from fastcausal.tasks.values.answers import Text, ValueAnswers
from tests.report.page.test_page import ALL_AT_ONCE, HOSTILE, IDS, TOO_WIDE, ready, settle, status
from tests.support.browser import least_contrast

OUTCOMES = {
    "wrong": lambda own: own["n"] and not own["right"] and own["value"] <= 0,
    "partly": lambda own: own["n"] and not own["right"] and own["value"] > 0,
    "flaky": lambda own: 0 < own["right"] < own["n"],
    "right": lambda own: own["n"] and own["right"] == own["n"],
    "crashed": lambda own: own["crashed"],
    "missing": lambda own: not own["n"] and not own["crashed"],
}


def run_of(name, given):
    """Answers (id, epoch, value or None, input, answer) of a run."""
    ids, epochs, values, inputs, answers = zip(*given, strict=True)

    def texts(asked):
        for id, epoch, input, answer in zip(ids, epochs, inputs, answers, strict=True):
            if id in asked:
                yield Text(id, epoch, input, "target of " + id, answer)

    scores = {"match": (np.array([np.nan if v is None else v for v in values], float), None)}
    return ValueAnswers(name, pa.array([*map(str, ids)]), scores, str,
                        pa.array(epochs, pa.int64()), texts=texts)  # fmt: skip


def items_of(runs):
    """Items of runs, item by item, as the contract counts them."""
    ids = dict.fromkeys(row[0] for given in runs.values() for row in given)
    items = []
    for id in ids:
        item = {"id": id, "cluster": f"d{len(items) // 4}", "values": {}}
        for name, given in runs.items():
            values = [row[2] for row in given if row[0] == id]
            kept = [value for value in values if value is not None]
            mean = sum(kept) / len(kept) if kept else None
            item["values"][name] = {
                "value": mean, "n": len(kept), "right": sum(v >= 1 for v in kept),
                "crashed": len(values) - len(kept), "low": 0.1, "high": 0.9,
            }  # fmt: skip
        values = [own["value"] for own in item["values"].values()]
        if len(values) == 2:
            a, b = values
            item["change"] = "unknown" if None in values else (
                "up" if b > a else "down" if b < a else "same")  # fmt: skip
        items.append(item)
    return items


def report_of(items, answers):
    return SimpleNamespace(
        tables={"items": pa.Table.from_pylist(items)}, facts={"answers": answers},
        title="two runs", warnings=(), legend=("a legend",), signature="a signature",
    )  # fmt: skip


def drawn(seed, names):
    chance = random.Random(seed)
    runs = {}
    for name in names:
        runs[name] = [
            (f"q{k}", epoch,
             None if chance.random() < 0.1 else level or float(chance.random() < p),
             f"Why {k}?", f"{name} says {k}.{epoch}")
            for k in range(40) if chance.random() < 0.95
            for p, level in [chance.choice([(0, None), (0.5, None), (1, None), (0, 0.25)])]
            for epoch in (1, 2, 3)
        ]  # fmt: skip
    return runs


def written(path, runs, **options):
    items = items_of(runs)
    answers = {name: run_of(name, given) for name, given in runs.items()}
    write_page(path, page_of(report_of(items, answers), **options))
    return items


@pytest.mark.parametrize("names", [["a"], ["a", "b"], ["a", "b", "c"]])
def test_filters_and_orders_give_the_items(opened, tmp_path, names):
    items = written(tmp_path / "page.html", drawn(len(names), names))
    page = ready(opened(tmp_path / "page.html", "#order=gold", viewport=ALL_AT_ONCE))

    def shown(wanted, expected):
        fragment = urlencode({"order": "gold"} | wanted, doseq=True)
        page.evaluate("fragment => { location.hash = fragment }", fragment)
        settle(page)
        assert page.evaluate(IDS) == [item["id"] for item in expected], wanted
        assert status(page) == f"{len(expected)} of {len(items)} items"

    shown({}, items)
    for name, holds in OUTCOMES.items():
        of = [[k for k, i in enumerate(items) if holds(i["values"][run])] for run in names]
        shown({"show": [name]}, [items[k] for k in sorted({*chain(*of)})])
        shown({"show": [name], "system": 0}, [items[k] for k in of[0]])
    if len(names) == 2:
        for change in ("up", "down", "same", "unknown"):
            shown({"type": [change]}, [i for i in items if i["change"] == change])
        both = [i for i in items if i["change"] in ("up", "down")
                and any(OUTCOMES["flaky"](own) for own in i["values"].values())]  # fmt: skip
        assert both
        shown({"type": ["up", "down"], "show": ["flaky"]}, both)

        def fall(item):
            a, b = (item["values"][name]["value"] for name in names)
            return (2.0, 0) if None in (a, b) else (b - a, 0)

        shown({"order": "", "q": ""}, sorted(items, key=fall))
    asked = [i for i in items if "q1" in i["id"]]
    shown({"q": "Q1"}, asked)
    chip = page.locator("#shows .chip", has_text="flaky").locator("b")
    n = sum(any(OUTCOMES["flaky"](own) for own in i["values"].values()) for i in items)
    assert chip.inner_text() == str(n)
    assert page.locator("#types").is_visible() == (len(names) == 2)


def test_a_row_unfolds_to_the_texts_of_both_runs(opened, tmp_path):
    runs = {
        "a": [("q", 1, 1.0, "Why?", "because"), ("q", 2, 0.0, "Why?", None)],
        "b": [("q", 1, None, "Why?", "request failed"), ("p", 1, 0.5, "How?", "so")],
    }
    items = written(tmp_path / "page.html", runs)
    page = ready(opened(tmp_path / "page.html", "#order=gold&open=1", viewport=ALL_AT_ONCE))
    cells = page.locator(".item").first.locator(".row").first.locator(".cell")
    said = cells.evaluate_all("all => all.map(e => e.textContent.replace(/\\s+/g, ' ').trim())")
    row = "input Why?target target of qa becauseb request failed"
    assert said == ["q", row, "flaky0.5 1/2", "crashedcrashed", "? unknown"]
    first = page.locator(".unfolded").first
    assert first.locator("> .raw pre").all_inner_texts() == ["Why?", "target of q"]
    a, b = first.locator(".sides > section").all()
    assert a.locator("p").all_inner_texts() == [
        "a", "value 0.5; 1 of 2 answers right [0.1, 0.9]", "answer 1: 1", "answer 2: 0", "no text"
    ]  # fmt: skip
    assert a.locator("pre").all_inner_texts() == ["because"]
    assert b.locator("p").all_inner_texts() == ["b", "1 crashed"]
    assert b.locator("pre").all_inner_texts() == ["request failed"]
    assert page.locator(".unfolded").last.locator("section").first.locator(
        ".note").all_inner_texts() == ["not in this run"]  # fmt: skip
    assert [item["change"] for item in items] == ["unknown", "unknown"]
    boxes = [side.bounding_box() for side in (a, b)]
    assert boxes[0]["y"] == boxes[1]["y"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_are_text_at_any_width(opened, tmp_path, scheme):
    given = [(text or "none", 1, float(k % 2), text, text) for k, text in enumerate(HOSTILE)]
    runs = {HOSTILE[0]: given, HOSTILE[1]: given[::-1]}
    runs = {name: [(id.encode(errors="replace").decode(), *rest) for id, *rest in rows]
            for name, rows in runs.items()}  # fmt: skip
    written(tmp_path / "page.html", runs)
    window = {"width": 360, "height": 60_000}
    page = ready(
        opened(tmp_path / "page.html", "#order=gold&open=1", viewport=window, color_scheme=scheme)
    )
    for text, item in zip(HOSTILE, page.locator(".item").all(), strict=True):
        shown = item.locator("section pre").evaluate_all("all => all.map(e => e.textContent)")
        cut = text[:MAX_LETTERS]
        assert shown == [cut, cut]
    assert page.evaluate(TOO_WIDE) == []
    assert page.locator("img").count() == 0
    assert least_contrast(page) >= 4.5


def test_a_large_page_is_bounded():
    many = [("q0", epoch, 1.0, "Why?", "x") for epoch in range(MAX_ANSWERS + 5)]
    runs = {"a": [*many, *((f"q{k}", 1, float(k % 3 > 0), "Why?", "x") for k in range(1, 30))]}
    items = items_of(runs)
    table = pa.Table.from_pylist(items)
    assert choose(table, 30).tolist() == [*range(30)]
    assert choose(table, 12).tolist() == sorted([0, 1, 2, *range(3, 30, 3)])
    answers = {"a": run_of("a", runs["a"])}
    page = page_of(report_of(items, answers), 12)
    assert len(page.part.data["ids"]) == 12
    [run] = page.part.data["runs"]
    assert len(run["answers"][0]) == MAX_ANSWERS
    assert "18 of 30 items are left out" in page.warnings[0]


def test_items_that_runs_share_leave_the_page_first():
    def run(*values):
        return [(f"q{k}", 1, v, "Why?", "x") for k, v in enumerate(values) if v is not ...]

    right_in_all, wrong_in_all, part_in_all = (1.0,) * 3, (0.0,) * 3, (0.5,) * 3
    other = [(1.0, 0.0, 1.0), (1.0, ..., 1.0), (None, 1.0, 1.0), (..., None, None)]
    rows = [right_in_all, wrong_in_all, *other, right_in_all, part_in_all]
    runs = dict(zip("abc", (run(*column) for column in zip(*rows, strict=True)), strict=True))
    flaky = [("q0", 2, 0.0, "Why?", "x")]
    for more, kept in (
        ([], [[2], [2, 3, 4, 5], [1, 2, 3, 4, 5, 7]]),
        (flaky, [[0], [0, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5, 7]]),
    ):
        items = items_of({name: [*given, *more] for name, given in runs.items()})
        items.sort(key=lambda item: item["id"])
        table = pa.Table.from_pylist(items)
        for places in kept:
            assert choose(table, len(places)).tolist() == places


def test_texts_of_many_items_are_cut_alike(monkeypatch):
    monkeypatch.setattr("fastcausal.sweeps.items_page.MAX_TEXTS", 200 * 40 * 4)
    runs = {
        name: run_of(name, [(f"q{k}", 1, 1.0, "w" * 90, "x" * (150 + 2 * k)) for k in range(40)])
        for name in "ab"
    }
    texts = read_texts([f"q{k}" for k in range(40)], runs)
    assert texts.cut == 200
    for said in texts.answers.values():
        assert [len(row[0][1]) for row in said] == [min(150 + 2 * k, 200) for k in range(40)]
    assert read_texts(["q0"], runs).cut is None

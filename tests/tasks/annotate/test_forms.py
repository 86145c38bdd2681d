"""The further forms in a real browser, and what is read of the files that they save."""

from __future__ import annotations

import json
import re

import pytest

import fastcausal as fc
from fastcausal import crab
from tests.support.browser import least_contrast
from tests.support.cli import cli
from tests.tasks.annotate.test_page import HOSTILE, saved, status

pytestmark = pytest.mark.slow  # of a browser


def pair(topic, a, b, *articles, text=""):
    row = {"topic_id": topic, "event_order_a": a, "event_order_b": b}
    row |= {f"event_{side}": f"{side} {text}" for side in "ab"}
    ids = articles * 2 if len(articles) == 1 else articles
    row |= {f"article_id_{side}": id for side, id in zip("ab", ids, strict=True)}
    told = "".join(HOSTILE[:4])
    return row | {
        f"article_{side}": f"Article {id}. {told}" for side, id in zip("ab", ids, strict=True)
    }


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """A page of nine pairs: four of one news piece, five of two, without scores."""
    folder = tmp_path_factory.mktemp("pairs")
    rows = [pair("t", 1, k + 2, 7, text=text) for k, text in enumerate(HOSTILE[:4])]
    rows[2:2] = [pair("t", k + 2, 9, 7 + k % 2, 8 - k % 2, text="x") for k in range(5)]
    write(folder / "p.jsonl", rows)
    cli("annotate", "export", folder / "p.jsonl", folder / "p.html", "--form", "pairs")
    return folder / "p.html"


def test_pairs_by_keys(opened, pairs, tmp_path):
    """Scores and second answers by keys alone are kept, saved, continued and imported."""
    page = opened(pairs)
    sections = page.locator("section.asked")
    assert sections.count() == 3  # of the four in one document
    for key in "7n":
        page.keyboard.press(key)
    assert sections.nth(1).get_attribute("aria-current") == "true"
    for key in "yh":
        page.keyboard.press(key)
    assert status(page) == "2 of 9 answered"
    page.keyboard.press("ArrowRight")
    assert "no score yet" in sections.nth(2).locator("input[type=range]").get_attribute(
        "aria-valuetext"
    )
    page.keyboard.press("s")
    page.keyboard.type("33")
    assert status(page) == "2 of 9 answered"
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert sections.count() == 5
    assert page.locator("#item .sheet").count() == 2
    slider = sections.nth(0).locator("input[type=range]")
    slider.focus()
    for key in ("PageUp", "ArrowRight"):
        page.keyboard.press(key)
    page.keyboard.press("0")
    page.keyboard.press("ArrowLeft")
    assert slider.input_value() == "0"
    page.reload()
    assert status(page) == "3 of 9 answered"
    page.get_by_role("textbox", name="Rater").fill("zoe")
    assert saved(page, tmp_path / "zoe.jsonl") == "p.zoe.jsonl"
    rows = lines(tmp_path / "zoe.jsonl")
    assert rows[0] == {
        "topic_id": "t", "event_order_a": 1, "event_order_b": 2, "rater": "zoe",
        "score": 70, "without": "no",
    }  # fmt: skip
    said = [(row["score"], row["without"]) for row in rows]
    assert said[:5] == [(70, "no"), (100, "yes"), (33, "yes"), (None, None), (0, None)]
    other = opened(pairs)
    other.get_by_label("Continue from file").set_input_files(tmp_path / "zoe.jsonl")
    other.get_by_text("3 of 9 answered").wait_for()
    saved(other, tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "zoe.jsonl").read_bytes()
    for damage in ('"score": 70', '"score": 101'), ('"without": "no"', '"without": "maybe"'):
        text = (tmp_path / "zoe.jsonl").read_text(encoding="utf-8")
        (tmp_path / "bad.jsonl").write_text(text.replace(*damage, 1), encoding="utf-8")
        other.get_by_label("Continue from file").set_input_files(tmp_path / "bad.jsonl")
        other.get_by_text("bad.jsonl was not saved by a page of this data").wait_for()
        assert status(other) == "3 of 9 answered"
    target = tmp_path / "ratings.jsonl"
    counts = json.loads(
        cli("annotate", "import", tmp_path / "zoe.jsonl", "--to", target, "--json", expect=1)[0]
    )
    assert counts["raters"] == {"zoe": {"n_judged": 3, "n_missing": 6}}
    report = crab.agree(target, yes_no="without")
    assert (report.n_ratings, report.yes_no["n"]) == (4, 3)


def test_pairs_by_mouse_at_any_width(opened, pairs):
    page = opened(pairs, viewport={"width": 360, "height": 740})
    second = page.locator("section.asked").nth(1)
    slider = second.locator("input[type=range]")
    slider.click()  # in its middle
    assert slider.get_attribute("aria-valuetext").startswith("50: ")
    second.get_by_role("button", name="No").click()
    assert status(page) == "1 of 9 answered"
    for _ in range(9):
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        page.keyboard.press("ArrowRight")
    assert page.locator("img, #item script").count() == 0
    assert page.title() != "hit"


FLOOD = [
    "It rained }]}} for 2 days.",
    'A "dyke" broke!',
    "It rained }]}} for 2 days.",
    "שלום 👩‍👩‍👧.",
]


@pytest.fixture(scope="module")
def claims(tmp_path_factory):
    """Three claims, and a reference of four sentences, one of which stands twice."""
    folder = tmp_path_factory.mktemp("claims")
    rows = [{"claim": f"Claim {k}", "judgment": None} for k in range(3)]
    article = {"reference": "  ".join(FLOOD) + "\n", "claims": []}
    sides = {"p": {"prediction": "x", "claims": rows}, "r": article}
    for name, topic in sides.items():
        (folder / f"{name}.json").write_text(json.dumps({"T": topic}, indent=1))
    return folder


def export_claims(folder, source="p.json"):
    cli("annotate", "export", folder / source, folder / "c.html", "--against", folder / "r.json")
    return folder / "c.html"


def marked(page):
    return page.locator("#item .sentence[aria-pressed=true]").all_inner_texts()


def test_sentences_that_support_a_claim(opened, claims, tmp_path):
    """Marked sentences make a claim supported; they are kept, saved, continued, exported."""
    page = opened(export_claims(claims))
    page.keyboard.press("2")
    assert page.locator("#yes").get_attribute("aria-pressed") == "true"
    page.keyboard.press("1")
    assert [text[0] for text in marked(page)] == ["1", "2", "3"]  # the third is the first again
    page.keyboard.press("3")
    page.keyboard.press("9")
    assert len(marked(page)) == 1
    page.keyboard.press("s")
    assert page.get_by_role("heading", level=2).inner_text().startswith("2 of 3")
    page.keyboard.press("k")
    page.keyboard.press("Space")
    page.keyboard.press("n")  # takes the mark away
    page.keyboard.press("ArrowLeft")
    assert marked(page) == []
    page.keyboard.press("ArrowRight")
    for key in ("j", "Enter", "k", "j"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.textContent").startswith("2")
    page.locator(".sentence").nth(3).click()
    page.reload()
    assert status(page) == "3 of 3 answered"
    page.get_by_role("textbox", name="Rater").fill("zoe")
    assert saved(page, tmp_path / "zoe.json") == "p.zoe.json"
    text = (tmp_path / "zoe.json").read_text(encoding="utf-8")
    said = json.loads(text)["T"]["claims"]
    support = [FLOOD[1]], None, [FLOOD[0], FLOOD[3]]
    assert [(each["judgment"], each.get("support")) for each in said] == [
        (judgment, own) for judgment, own in zip((True, False, True), support, strict=True)
    ]
    plain = re.sub(r'(true|false)(, "support": \[.*\])?', "null", text)
    assert plain == (claims / "p.json").read_text()
    other = opened(export_claims(claims))
    other.get_by_label("Continue from file").set_input_files(tmp_path / "zoe.json")
    other.get_by_text("3 of 3 answered").wait_for()
    other.get_by_role("textbox", name="Rater").fill("zoe")  # files of claims name no rater
    saved(other, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text(encoding="utf-8") == text
    (claims / "zoe.json").write_text(text, encoding="utf-8")
    again = opened(export_claims(claims, "zoe.json"))
    again.get_by_role("textbox", name="Rater").fill("zoe")
    assert [each[0] for each in marked(again)] == ["2"]
    saved(again, tmp_path / "more.json")
    assert (tmp_path / "more.json").read_text(encoding="utf-8") == text
    counts = cli("annotate", "import", tmp_path / "zoe.json", "--name", "{rater}", "--json")[0]
    assert json.loads(counts)["raters"] == {"zoe": {"n_judged": 3, "n_missing": 0}}
    for damage in (
        ('"support": ["A', '"support": ["B'),
        ('"judgment": false', '"judgment": false, "support": []'),
        ('"support": ["A \\"dyke\\" broke!"]', '"support": "A \\"dyke\\" broke!"'),
    ):
        (tmp_path / "bad.json").write_text(text.replace(*damage, 1), encoding="utf-8")
        other.get_by_label("Continue from file").set_input_files(tmp_path / "bad.json")
        other.get_by_text("bad.json was not saved by a page of this data").wait_for()
        assert status(other) == "3 of 3 answered"


def relation(**spans):
    listed = [(role, *span) for role, told in spans.items() for span in told]
    return [{"role": role, "start": start, "stop": stop} for role, start, stop in listed]


CHAIN = relation(cause=[(0, 1)], effect=[(1, 3)]), "enables"
NESTED = relation(cause=[(0, 3)], effect=[(4, 6)], signal=[(3, 4), (5, 6)]), None
LATER = relation(cause=[(1, 3)], effect=[(4, 6)]), None
SAID = {  # of each annotator on "a", "b" and "c"; ben has no "c"
    "ann": [[CHAIN, NESTED], [CHAIN], []],
    "ben": [[LATER, CHAIN, CHAIN], []],
    "<b>cy</b>": [[CHAIN], [(CHAIN[0], "prevents")], []],
}


@pytest.fixture(scope="module")
def curation(tmp_path_factory):
    """A page of what three annotators propose in three sentences, one of hostile words."""
    folder = tmp_path_factory.mktemp("curation")
    hostile = [each.replace(" ", "") for each in HOSTILE[:6]]
    words = {"a": ["Frost", "cut", "crops", "so", "prices", "rose"], "b": hostile, "c": ["No", "."]}
    files = [folder / f"{k}.jsonl" for k in range(len(SAID))]
    for file, (name, said) in zip(files, SAID.items(), strict=True):
        told = zip(words, said, strict=False)
        write(file, [
            {"id": id, "tokens": words[id], "doc_id": f"d_{id}", "annotator": name,
             "length": len(words[id]), "relations": [spans for spans, _ in proposed],
             "types": [kind for _, kind in proposed]}
            for id, proposed in told
        ])  # fmt: skip
    cli("annotate", "export", *files, folder / "c.html", "--form", "curation")
    return folder


def test_gold_from_proposals(opened, curation, tmp_path):
    """Proposals are taken and dropped by keys; the saved file is gold, and is continued."""
    page = opened(curation / "c.html")
    proposals = page.locator(".proposal")
    told = [text.partition("\n")[0] for text in proposals.all_inner_texts()]
    assert told == ["1ann, ben, <b>cy</b> · 3 of 3 · enables", "2ann · 1 of 3", "3ben · 1 of 3"]
    for key in ("3", "1", "2", "2", "9"):
        page.keyboard.press(key)
    pressed = [each.get_attribute("aria-pressed") for each in proposals.all()]
    assert pressed == ["true", "false", "true"]
    assert status(page) == "1 of 3 answered"
    page.keyboard.press("ArrowRight")
    assert "No relation: ben" in page.locator("#item").inner_text()
    page.keyboard.press("a")
    page.keyboard.press("ArrowLeft")
    assert page.locator("#yes").get_attribute("aria-pressed") == "true"
    page.keyboard.press("j")
    page.keyboard.press("Space")
    page.reload()
    assert status(page) == "2 of 3 answered"
    page.get_by_role("textbox", name="Rater").fill("zoe")
    assert saved(page, tmp_path / "zoe.jsonl") == "gold.zoe.jsonl"
    undecided = tmp_path / "zoe.jsonl"
    with pytest.raises(fc.InputError, match="could not be read"):
        fc.score(undecided, undecided)
    page.keyboard.press("u")
    page.keyboard.press("n")
    assert saved(page, tmp_path / "gold.jsonl") == "gold.zoe.jsonl"
    rows = fc.read(tmp_path / "gold.jsonl").to_examples()
    assert [row["relations"] for row in rows] == [
        [{"cause": [(0, 1)], "effect": [(1, 3)], "type": "enables"},
         {"cause": [(1, 3)], "effect": [(4, 6)]}],
        [{"cause": [(0, 1)], "effect": [(1, 3)], "type": "prevents"}], [],
    ]  # fmt: skip
    assert [(row["id"], row["doc_id"], row["curator"], row["proposed_by"]) for row in rows] == [
        ("a", "d_a", "zoe", ["ann, ben, <b>cy</b>", "ben"]), ("b", "d_b", "zoe", ["<b>cy</b>"]),
        ("c", "d_c", "zoe", []),
    ]  # fmt: skip
    assert rows[1]["tokens"] == [each.replace(" ", "") for each in HOSTILE[:6]]
    assert fc.score(tmp_path / "gold.jsonl", tmp_path / "gold.jsonl")["overall"].f1 == 1
    other = opened(curation / "c.html")
    other.get_by_label("Continue from file").set_input_files(undecided)
    other.get_by_text("2 of 3 answered").wait_for()
    saved(other, tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == undecided.read_bytes()
    text = undecided.read_text(encoding="utf-8")
    for damage in (('"stop": 3', '"stop": 4'), ('"ann, ben', '"ann, bob'), ('"enables"', '"x"')):
        (tmp_path / "bad.jsonl").write_text(text.replace(*damage, 1), encoding="utf-8")
        other.get_by_label("Continue from file").set_input_files(tmp_path / "bad.jsonl")
        other.get_by_text("bad.jsonl was not saved by a page of this data").wait_for()
        assert status(other) == "2 of 3 answered"
    _, err = cli("annotate", "import", tmp_path / "gold.jsonl", expect=2)
    assert "read it as relations" in err
    narrow = opened(curation / "c.html", viewport={"width": 360, "height": 740})
    for _ in range(3):
        assert narrow.evaluate("document.documentElement.scrollWidth") == 360
        narrow.keyboard.press("ArrowRight")


@pytest.fixture(scope="module")
def causality(tmp_path_factory):
    """A page of three relations in two sentences, to be tested."""
    folder = tmp_path_factory.mktemp("causality")
    texts = {"a": "Frost cut crops so prices rose", "b": "<b>It</b> rained when I slept"}
    rows = [
        {"id": id, "text": text, "length": 6 - (id == "b"), "relations": relations}
        for (id, text), relations in zip(
            texts.items(),
            [[CHAIN[0], NESTED[0]], [relation(cause=[(3, 5)], effect=[(0, 2)])]],
            strict=True,
        )
    ]
    write(folder / "r.jsonl", rows)
    cli("annotate", "export", folder / "r.jsonl", folder / "t.html", "--form", "causality")
    return folder / "t.html"


def test_five_tests_by_keys(opened, causality, tmp_path):
    """Five answers by keys alone are kept, saved, continued and imported."""
    page = opened(causality)
    assert page.locator("#item mark").all_inner_texts() == ["Frost", "cut crops"]
    for key in "yyyyy":
        page.keyboard.press(key)
    assert status(page) == "1 of 3 answered"
    assert page.get_by_role("heading", level=2).inner_text().startswith("2 of 3 · a/2")
    for key in ("y", "5", "n", "2", "n"):
        page.keyboard.press(key)
    page.reload()
    assert page.locator(".verdict").inner_text() == "Not causal: temporal, linguistic"
    assert page.locator("[aria-current=true]").inner_text().startswith("3")
    for key in "yy":
        page.keyboard.press(key)
    assert status(page) == "2 of 3 answered"
    page.keyboard.press("u")
    page.locator(".asked").nth(3).get_by_role("button", name="No").click()
    page.get_by_role("textbox", name="Rater").fill("zoe")
    assert saved(page, tmp_path / "zoe.jsonl") == "r.zoe.jsonl"
    tests = ("why", "temporal", "counterfactual", "asymmetry", "linguistic")
    said = [("yes",) * 5, ("yes", "no", "yes", "yes", "no"), (None, None, None, "no", None)]
    assert lines(tmp_path / "zoe.jsonl") == [
        {"item": item, "rater": "zoe", **dict(zip(tests, answers, strict=True))}
        for item, answers in zip(("a/1", "a/2", "b/1"), said, strict=True)
    ]
    other = opened(causality)
    other.get_by_label("Continue from file").set_input_files(tmp_path / "zoe.jsonl")
    other.get_by_text("2 of 3 answered").wait_for()
    saved(other, tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "zoe.jsonl").read_bytes()
    text = (tmp_path / "zoe.jsonl").read_text(encoding="utf-8")
    (tmp_path / "bad.jsonl").write_text(text.replace('"why": "yes"', '"why": "maybe"', 1))
    other.get_by_label("Continue from file").set_input_files(tmp_path / "bad.jsonl")
    other.get_by_text("bad.jsonl was not saved by a page of this data").wait_for()
    counts = cli("annotate", "import", tmp_path / "zoe.jsonl", "--json", expect=1)[0]
    assert json.loads(counts)["raters"] == {"zoe": {"n_judged": 2, "n_missing": 1}}
    narrow = opened(causality, viewport={"width": 360, "height": 740})
    for key in ("y", "ArrowRight", "ArrowRight"):
        narrow.keyboard.press(key)
        assert narrow.evaluate("document.documentElement.scrollWidth") == 360


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(opened, pairs, claims, curation, causality, scheme):
    pages = ((pairs, "7"), (export_claims(claims), "1"), (curation / "c.html", "1"))
    for html, key in (*pages, (causality, "n")):
        page = opened(html, color_scheme=scheme)
        page.keyboard.press(key)
        assert least_contrast(page) >= 4.5
        page.get_by_role("tab", name="Guide").click()
        assert page.get_by_text("orked example").is_visible()
        assert least_contrast(page) >= 4.5

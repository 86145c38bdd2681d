"""The page in a real browser: Debian's chromium-headless-shell, driven by playwright."""

from __future__ import annotations

import json
import re
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from fastcausal.sample import FOLDER, RATER_TEST
from tests.support.browser import least_contrast
from tests.support.cli import cli

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")

pytestmark = pytest.mark.slow  # of a browser

HOSTILE = [
    "</script><script>document.title='hit'</script>",
    "<img src=x onerror=document.title='hit'> <!--",
    "line\u2028separated\u2029twice",
    "שלום \u202e right to left",
    "👩‍👩‍👧 emoji \\ud800",
    "word " * 10_000,
    "",
    "x" * 2_000,
]


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """A page of eight answers whose texts are hostile, and the file it was made of."""
    folder = tmp_path_factory.mktemp("answers")
    items = [
        {
            "id": f"{k} {text[:40]}",
            "data": {
                "text": f"Rain floods {text}",
                "reference": f"[Cause] rain [Relation] cause [Effect] floods {text}",
                "model": f"[Cause] rain hail [Effect] {text}",
            },
            "answer": None,
            "more": text,
        }
        for k, text in enumerate(HOSTILE)
    ]
    file = folder / "tool.json"
    document = {"username": "ann", "seed": 1.50, "items": items}
    file.write_text(json.dumps(document, ensure_ascii=False, indent=1), encoding="utf-8")
    cli("annotate", "export", file, folder / "page.html")
    return file, folder / "page.html"


@pytest.fixture(scope="module")
def claims(tmp_path_factory):
    folder = tmp_path_factory.mktemp("claims")
    claim = '{"claim": "It rained.", "judgment": GIVEN}'
    first, second = (claim.replace("GIVEN", given) for given in ("null", "true"))
    topic = f'"claims": {{"A": [{first}, {second}], "A": {first}, "B": []}}'
    (folder / "p.json").write_text(f'{{"T</script>": {{"prediction": "p", {topic}}}}}\n')
    (folder / "r.json").write_text(
        '{"T</script>": {"reference": "The <b>article</b>.", "claims": []}}'
    )
    cli("annotate", "export", folder / "p.json", folder / "c.html", "--against", folder / "r.json")
    return folder / "p.json", folder / "c.html"


def status(page):
    return page.get_by_role("status").inner_text()


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def saved(page, path):
    with page.expect_download() as download:
        button(page, "Save").click()
    download.value.save_as(path)
    return download.value.suggested_filename


def test_answers_by_keyboard_alone_are_saved_and_continued(opened, answers, tmp_path):
    file, html = answers
    page = opened(html)
    assert status(page) == "0 of 8 answered"
    for key in "vI":
        page.keyboard.press(key)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("v")
    assert status(page) == "3 of 8 answered"
    page.reload()
    assert status(page) == "3 of 8 answered"
    page.get_by_role("textbox", name="Rater").fill("v i")
    page.keyboard.press("v")
    assert status(page) == "3 of 8 answered"
    page.reload()
    assert page.get_by_role("textbox", name="Rater").input_value() == "v iv"
    assert saved(page, tmp_path / "saved.json") == "tool.v iv.json"
    expected = file.read_text(encoding="utf-8").replace('"ann"', '"v iv"', 1)
    for k, word in ((0, "valid"), (1, "invalid"), (3, "valid")):
        places = [m.span() for m in re.finditer(r'"answer": (null|"\w+")', expected)]
        expected = expected[: places[k][0]] + f'"answer": "{word}"' + expected[places[k][1] :]
    assert (tmp_path / "saved.json").read_text(encoding="utf-8") == expected
    other = opened(html)
    other.get_by_label("Continue from file").set_input_files(tmp_path / "saved.json")
    playwright.expect(other.get_by_role("status")).to_have_text("3 of 8 answered")
    assert saved(other, tmp_path / "again.json") == "tool.v iv.json"
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "saved.json").read_bytes()
    counted = json.loads(cli("annotate", "import", tmp_path / "saved.json", "--json", expect=1)[0])
    assert (counted["n_items"], counted["n_judged"], counted["n_missing"]) == (8, 3, 5)


@pytest.mark.parametrize("damage", [
    lambda text: text.replace('"ann"', '"a\\q"', 1),
    lambda text: text.replace('"ann"', '"\\u12"', 1),
    lambda text: text.replace('"ann"', '"a\nb"', 1),
    lambda text: text.replace('"ann"', "null", 1),
    lambda text: text.replace('"ann"', '"ann', 1),
    lambda text: text[: len(text) // 2],
    lambda text: text + "}",
    lambda text: "",
    lambda text: "\\",
])  # fmt: skip
def test_a_file_that_a_page_did_not_save_changes_nothing(opened, answers, tmp_path, damage):
    file, html = answers
    page = opened(html)
    page.keyboard.press("v")
    rater = page.get_by_role("textbox", name="Rater").input_value()
    (tmp_path / "damaged.json").write_text(damage(file.read_text(encoding="utf-8")))
    page.get_by_label("Continue from file").set_input_files(tmp_path / "damaged.json")
    page.get_by_text("damaged.json was not saved by a page of this data").wait_for()
    assert status(page) == "1 of 8 answered"
    assert page.get_by_role("textbox", name="Rater").input_value() == rater


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A page of the sample's answers that are left to judge, on a server of its own."""
    folder = tmp_path_factory.mktemp("served")
    arguments = ("--rater", "zoe", "--only", "judge")
    cli("annotate", "export", FOLDER / "judged_answers.json", folder / "page.html", *arguments)
    handler = type("Quiet", (SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=folder))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/page.html"
    server.shutdown()
    server.server_close()


FOCUS = """() => { const e = document.activeElement;
  return getComputedStyle(e).outlineStyle === 'solid' ? e.id || e.localName : null; }"""


def test_tab_reaches_everything_and_an_answer_keeps_the_focus(browser, served, tmp_path):
    context = browser.new_context()
    page = context.new_page()
    seen = []
    page.on("request", lambda request: seen.append(request.url))
    page.on("console", lambda message: seen.append(message.text))
    page.goto(served)
    assert not page.get_by_text("Worked examples").is_visible()
    assert page.get_by_role("textbox", name="Rater").input_value() == "zoe"
    order = []
    for _ in range(17):
        page.keyboard.press("Tab")
        order.append(page.evaluate(FOCUS))
    sides = [f"reason-{name}" for name in ("cause", "effect", "both")]
    kinds = ["meaning-lost", "meaning-added", "another-event", "words-not-in-the-source"]
    reasons = [*sides, *(f"reason-{name}" for name in kinds)]
    buttons = ["yes", "no", "unsure", "previous", "next", "unanswered"]
    assert order == ["tab-judge", "rater", "save", "continue", *reasons, *buttons]
    page.locator("#no").focus()
    for key in ("Space", "Enter", "v", "d", "v"):
        page.keyboard.press(key)
        assert page.evaluate(FOCUS) == "no"
    assert status(page) == "5 of 5 answered"
    page.reload()
    saved(page, tmp_path / "judged.json")
    assert {url for url in seen if not url.startswith("blob:")} == {served}
    counted = json.loads(cli("annotate", "import", tmp_path / "judged.json", "--json")[0])
    assert counted["raters"] == {"zoe": {"n_judged": 5, "n_missing": 0}}
    assert page.evaluate("fetch('/').then(() => 'leaked', () => 'refused')") == "refused"
    context.close()


def test_buttons_and_moves(opened, answers):
    page = opened(answers[1])
    button(page, "Next").click()
    button(page, "Invalid").click()
    button(page, "Previous").click()
    assert button(page, "Invalid").get_attribute("aria-pressed") == "true"
    button(page, "Previous").click()
    button(page, "Valid").click()
    assert status(page) == "2 of 8 answered"
    button(page, "Next unanswered").click()
    assert page.get_by_role("heading", level=2).inner_text().startswith("3 of 8")


def pressed(page):
    buttons = page.locator("button[aria-pressed=true]").all()
    return [each.get_attribute("id").removeprefix("reason-") for each in buttons]


def test_reasons_and_unsure_by_keys_are_saved_and_continued(opened, answers, tmp_path):
    """A reason makes an answer invalid and stays on it; any other answer takes it away."""
    file, html = answers
    page = opened(html)
    for key in "cL":
        page.keyboard.press(key)
    assert page.get_by_role("heading", level=2).inner_text().startswith("1 of 8")
    assert pressed(page) == ["cause", "meaning-lost", "no"]
    page.keyboard.press("l")
    assert pressed(page) == ["cause", "no"]
    page.keyboard.press("l")
    page.keyboard.press("i")
    page.keyboard.press("d")
    button(page, "Words not in the source").click()
    page.keyboard.press("ArrowRight")
    for key in ("b", "v", "ArrowLeft"):
        page.keyboard.press(key)
    assert pressed(page) == ["yes"]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("i")
    page.reload()
    assert status(page) == "5 of 8 answered"
    saved(page, tmp_path / "saved.json")
    text = (tmp_path / "saved.json").read_text(encoding="utf-8")
    items = json.loads(text)["items"]
    assert [(item["answer"], item.get("reason")) for item in items[:6]] == [
        ("invalid", "cause: meaning lost"), ("unsure", None),
        ("invalid", "words not in the source"), ("valid", None), ("invalid", None), (None, None),
    ]  # fmt: skip
    read = json.loads(file.read_text(encoding="utf-8"))["items"]
    assert [{k: v for k, v in item.items() if k not in ("answer", "reason")} for item in items] == [
        {k: v for k, v in item.items() if k != "answer"} for item in read
    ]
    other = opened(html)
    other.get_by_label("Continue from file").set_input_files(tmp_path / "saved.json")
    playwright.expect(other.get_by_role("status")).to_have_text("5 of 8 answered")
    assert saved(other, tmp_path / "again.json") == "tool.ann.json"
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "saved.json").read_bytes()
    cli("annotate", "export", tmp_path / "saved.json", tmp_path / "more.html")
    again = opened(tmp_path / "more.html")
    assert status(again) == "5 of 8 answered"
    again.keyboard.press("ArrowLeft")
    saved(again, tmp_path / "more.json")
    assert (tmp_path / "more.json").read_bytes() == (tmp_path / "saved.json").read_bytes()
    cli("annotate", "export", tmp_path / "saved.json", tmp_path / "ben.html", "--rater", "ben")
    assert status(opened(tmp_path / "ben.html")) == "0 of 8 answered"
    assert '"cause: meaning lost"' not in (tmp_path / "ben.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("reason", ['"cause: none"', '"meaning lost: cause"', "null", '""', "3"])
def test_a_file_with_an_unknown_reason_changes_nothing(opened, answers, tmp_path, reason):
    file, html = answers
    text = file.read_text(encoding="utf-8")
    damaged = text.replace('"answer": null', f'"answer": "invalid", "reason": {reason}', 1)
    (tmp_path / "damaged.json").write_text(damaged, encoding="utf-8")
    page = opened(html)
    page.get_by_label("Continue from file").set_input_files(tmp_path / "damaged.json")
    page.get_by_text("damaged.json was not saved by a page of this data").wait_for()
    assert status(page) == "0 of 8 answered"


def test_a_test_of_raters(opened, tmp_path):
    """The page of a test of raters shows no verdict; import compares."""
    html = tmp_path / "test.html"
    cli("annotate", "export", RATER_TEST, html, "--test", "--rater", "zoe")
    page = opened(html)
    assert "meaning added" not in page.locator("#data").text_content().partition('"parts"')[0]
    for key in "vviiiivd":
        page.keyboard.press(key)
    saved(page, tmp_path / "zoe.json")
    arguments = (tmp_path / "zoe.json", "--test", RATER_TEST, "--json")
    found = json.loads(cli("annotate", "import", *arguments)[0])
    assert found["raters"]["zoe"] == {
        "n_judged": 8, "n_missing": 0, "n_right": 8, "share": 1.0, "passed": True,
    }  # fmt: skip
    cli("annotate", "import", *arguments, "--unsure", "missing", expect=1)


def test_texts_are_text_at_any_width(opened, answers):
    page = opened(answers[1], viewport={"width": 360, "height": 740})
    for text in HOSTILE:
        shown = page.locator("#item .text").first.evaluate("e => e.textContent")
        assert shown == f"Rain floods {text}"
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        page.keyboard.press("ArrowRight")
    assert page.locator("img, #item script").count() == 0
    assert page.title() != "hit"


def test_marks(opened, answers):
    page = opened(answers[1])
    page.keyboard.press("ArrowRight")
    marked = page.locator("#item .sheet mark.reference.model")
    assert "Rain" in marked.all_inner_texts()
    assert page.locator("td mark.absent").all_inner_texts() == ["hail"]


def test_a_file_of_other_data_is_refused(opened, answers, tmp_path):
    page = opened(answers[1])
    page.keyboard.press("v")
    (tmp_path / "other.json").write_text('{"username": "x", "items": []}')
    page.get_by_label("Continue from file").set_input_files(tmp_path / "other.json")
    playwright.expect(page.get_by_role("alert")).to_contain_text("nothing was changed")
    assert status(page) == "1 of 8 answered"


def test_a_browser_that_keeps_nothing(browser, answers):
    context = browser.new_context()
    refuse = "Object.defineProperty(window, 'localStorage', {get() { throw new Error(); }})"
    context.add_init_script(refuse)
    page = context.new_page()
    page.goto(answers[1].as_uri())
    page.keyboard.press("v")
    assert status(page) == "1 of 8 answered"
    assert "save before you close" in page.get_by_role("alert").inner_text()
    context.close()


def test_claims(opened, claims, tmp_path):
    file, html = claims
    page = opened(html)
    assert status(page) == "1 of 3 answered"
    assert "The <b>article</b>." in page.locator("#item").inner_text()
    page.keyboard.press("n")
    assert page.get_by_role("heading", level=2).inner_text().startswith("2 of 3")
    page.keyboard.press("ArrowRight")
    button(page, "Supported").click()
    assert status(page) == "3 of 3 answered"
    page.get_by_role("textbox", name="Rater").fill("zoë/1")
    assert saved(page, tmp_path / "saved.json") == "p.zoë_1.json"
    expected = file.read_text().replace("null", "false", 1).replace("null", "true", 1)
    assert (tmp_path / "saved.json").read_text() == expected


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(opened, answers, claims, scheme):
    for html in (answers[1], claims[1]):
        page = opened(html, color_scheme=scheme)
        page.keyboard.press("ArrowRight")
        assert least_contrast(page) >= 4.5
        page.get_by_role("tab", name="Guide").click()
        assert page.get_by_text("Worked examples").is_visible()
        assert least_contrast(page) >= 4.5
        before = page.locator("#status").text_content()
        page.keyboard.press("n")  # no answer while the guide is open
        page.keyboard.press("i")
        page.get_by_role("tab", name="Judge").click()
        assert status(page) == before


def test_nothing_is_saved_without_a_name(opened, answers, tmp_path):
    page = opened(answers[1])
    page.get_by_role("textbox", name="Rater").fill(" ")
    downloads = []
    page.on("download", lambda download: downloads.append(download))
    button(page, "Save").click()
    assert "Enter your name" in page.get_by_role("alert").inner_text()
    assert page.evaluate("document.activeElement.id") == "rater"
    page.get_by_role("textbox", name="Rater").fill("zoe")
    assert saved(page, tmp_path / "saved.json") == "tool.zoe.json"
    assert len(downloads) == 1

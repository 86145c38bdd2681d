"""The built site: links, search, pages in a browser. `make site` builds it and runs these."""

from __future__ import annotations

import inspect
import os
import re
import threading
from collections.abc import Iterator
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

import fastcausal as fc

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build"
SITE = BUILD / os.environ.get("FASTCAUSAL_SITE", "none")
AXE = BUILD / "axe" / "node_modules" / "axe-core" / "axe.min.js"
PAGES = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))
pytestmark = pytest.mark.skipif(not PAGES, reason="needs the site, which `make site` builds")
# Words that users search, and the page that answers them.
SEARCHED = {
    "inter-annotator agreement brat": "agreement.html",
    "INCEpTION agreement relations": "agreement.html",
    "paired bootstrap": "porting/tests.html",
    "clustered standard error": "inference.html",
    "confidence interval": "inference.html",
    "p-value": "inference.html",
    "significance": "inference.html",
    "LaTeX table": "howto/paper.html",
    "leaderboard": "inference.html",
    "wandb": "loggers.html",
    "migrate seqeval": "porting/seqeval.html",
    "Krippendorff": "agreement.html",
    "krippendorff alpha brat": "agreement.html",
    "training loop": "training.html",
    "reward grpo": "reward.html",
    "CRAB": "crab.html",
    "FinCausal": "fincausal.html",
    "UniCausal": "howto/unicausal.html",
    "MAVEN-ERE": "eci.html",
    "LLM judge": "meta.html",
    "llm judge agreement": "meta.html",
    "openai batch": "model-answers.html",
    "gemini": "model-answers.html",
    "score llm output json": "model-answers.html",
    "how many samples": "runs.html",
    "how many samples do I need": "runs.html",
    "McNemar": "runs.html",
    "wilcoxon": "runs.html",
    "flaky eval": "runs.html",
    "pass@k": "desk.html",
    "eval regression": "runs.html",
    "exact match span f1": "protocols.html",
    "relation extraction f1": "protocols.html",
    "chinese": "howto/relations.html",
    "C API": "howto/other-languages.html",
    "page without python": "howto/browser.html",
    "cite bibtex": "howto/paper.html",
    "windows": "howto/troubleshooting.html",
    "xlsx": "howto/troubleshooting.html",
}
FAULTS = """async () => (await axe.run(document)).violations
  .filter(fault => ["serious", "critical"].includes(fault.impact))
  .map(fault => `${fault.id}: ${fault.nodes[0].html}`)"""
# An element that is wider than the window and does not scroll by itself.
WIDE = "document.documentElement.scrollWidth > window.innerWidth"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Log no request."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def window(browser: Any, address: str) -> Iterator[Any]:
    """Give a narrow window; at the end no page has used the console or another server."""
    page = browser.new_page(viewport={"width": 360, "height": 720})
    noise: list[str] = []
    page.on("console", lambda message: noise.append(f"{page.url}: {message.text}"))
    page.on("pageerror", lambda error: noise.append(f"{page.url}: {error}"))
    page.on("request", lambda r: None if r.url.startswith(address) else noise.append(r.url))
    yield page
    page.close()
    assert not noise


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_to_pages_and_headings(name: str) -> None:
    here = SITE / name
    wrong = []
    for link in re.findall(r'(?:href|src)="([^"]+)"', here.read_text(encoding="utf-8")):
        parts = urlsplit(link)
        if parts.scheme:
            wrong += [link] if parts.scheme not in ("data", "mailto", "https") else []
            continue
        at = (here.parent / unquote(parts.path)).resolve() if parts.path else here
        if at.is_dir():
            at /= "index.html"
        if not at.is_file() or (
            parts.fragment and f'id="{unquote(parts.fragment)}"' not in at.read_text("utf-8")
        ):
            wrong.append(link)
    assert not [link for link in wrong if not (name == "404.html" and link.startswith("/"))]


def test_a_list_for_agents_has_a_sentence_of_each_page() -> None:
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    lines = (SITE / "llms.txt").read_text(encoding="utf-8").splitlines()
    entries = [re.fullmatch(r"- \[.+?\]\((.+?)\.html\): (.+)\.", line) for line in lines[3:]]
    found = [entry.groups() for entry in entries if entry]
    assert [f"{page}.md" for page, _ in found] == re.findall(r"(\S+\.md)$", nav, re.MULTILINE)
    for page, sentence in found:
        text = re.sub(r"<[^>]+>", "", (SITE / f"{page}.html").read_text(encoding="utf-8"))
        assert re.sub("[`*]", "", sentence) in " ".join(unescape(text).split())


def test_a_signature_has_a_parameter_a_line_with_its_whole_type_linked() -> None:
    page = (SITE / "reference" / "api-relations.html").read_text(encoding="utf-8")
    block = page.partition('<div class="doc-signature')[2].partition("</div>")[0]
    lines = unescape(re.sub(r"<[^>]+>", "", block).partition(">")[2]).strip().splitlines()
    names = [line.split(":")[0].strip(" *,") for line in lines[1:-1]]
    assert (lines[0], lines[-1]) == ("score(", ") -> ExtractionReport")
    assert [name for name in names if name] == list(inspect.signature(fc.score).parameters)
    assert "    protocol: ProtocolName | SpanProtocol | Protocol | Recipe = RECESS," in lines
    links = re.findall(r'href="([^"]+)"', block)
    assert "types.html#fastcausal.options.ProtocolName" in links
    assert "#fastcausal.Protocol" in links
    assert "'recess' | 'cnc-2023'" in unescape(re.sub(r"<[^>]+>", "", page))


@pytest.mark.parametrize(("words", "page"), SEARCHED.items())
def test_search_finds(words: str, page: str, browser: Any, address: str) -> None:
    window = browser.new_page()
    window.goto(f"{address}/index.html")
    window.locator("input.md-search__input").fill(words)
    window.locator(".md-search-result__item").first.wait_for(timeout=8000)
    # An item is a page, and its links lead to sections too.
    first = window.locator(".md-search-result__item a").first.get_attribute("href")
    window.close()
    assert urlsplit(first).path.lstrip("/") == page


@pytest.mark.parametrize("name", [page for page in PAGES if page != "404.html"])
def test_a_page_fits_a_telephone(name: str, window: Any, address: str) -> None:
    window.goto(f"{address}/{name}")
    assert window.locator("h1").count() == 1
    assert not window.evaluate(WIDE)


@pytest.mark.skipif(not AXE.is_file(), reason="needs axe-core, which `make site` installs by npm")
@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_accessible(browser: Any, address: str, scheme: str, width: int) -> None:
    window = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 800})
    faults = {}
    for name in ("index", "tutorial", "inference", "reference/commands", "porting/seqeval"):
        window.goto(f"{address}/{name}.html")
        window.evaluate(AXE.read_text(encoding="utf-8"))
        faults[name] = window.evaluate(FAULTS)
    window.close()
    assert not {name: found for name, found in faults.items() if found}

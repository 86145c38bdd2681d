"""Every page that a command writes, held to axe-core: `make site` installs it and runs this."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fastcausal import sample
from tests.site.test_site import AXE
from tests.support.cli import cli

FOLDER = sample.GOLD.parent
SYSTEMS = tuple(sample.SYSTEMS.values())
LOGS = tuple(FOLDER / f"run_{name}.eval" for name in "ab")
RAW = FOLDER / "raw_answers.jsonl"
ANSWERS = ("--answers", "output", "--unparsed", "empty")
SCORES = ("--score", "overall_f1", "--score", "cause_f1")
CLAIMS = (
    FOLDER / "claims_prediction_full_ann.json",
    "--against",
    FOLDER / "claims_reference_full_ann.json",
)
WRITTEN = {  # the page is added at the end, or after the first file
    "one": ("report", sample.GOLD, RAW, *ANSWERS, "--by", "corpus", "--out"),
    "three": ("report", sample.GOLD, *SYSTEMS, "--n-resamples", 100, "--out"),
    "errors": ("errors", sample.GOLD, SYSTEMS[1], "--html"),
    "items": ("items", *LOGS, "--html"),
    "items of relations": ("items", sample.GOLD, *SYSTEMS, "--html"),
    "wrong items": ("errors", LOGS[0], "--html"),
    "leaderboard": ("leaderboard", sample.GOLD, *SYSTEMS, *SCORES, "--n-resamples", 100, "--html"),
    "compare": ("compare", sample.GOLD, *SYSTEMS[:2], "--n-resamples", 100, "--html"),
    "disagreements": ("agree", *sample.ANNOTATORS.values(), "--disagreements"),
    "stories": ("crab", "describe", sample.CRAB_GOLD, "--html"),
    "answers": ("annotate", "export", FOLDER / "judged_answers.json"),
    "claims": ("annotate", "export", CLAIMS[0]),
    "causality": ("annotate", "export", "--form", "causality", sample.GOLD),
    "curation": ("annotate", "export", "--form", "curation", *sample.ANNOTATORS.values()),
    "pairs": ("annotate", "export", "--form", "pairs", sample.CRAB_GOLD),
    "scorer": ("page-scorer", sample.GOLD, "--out"),
}
REST = {"claims": CLAIMS[1:]}
FAULTS = """async () => (await axe.run(document)).violations
  .map(fault => `${fault.id}: ${fault.nodes[0].html}`)"""
WIDE = "document.documentElement.scrollWidth > window.innerWidth"

pytestmark = pytest.mark.skipif(
    not AXE.is_file(), reason="needs axe-core, which `make site` installs by npm"
)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    made = {name: folder / f"{name}.html" for name in WRITTEN}
    for name, arguments in WRITTEN.items():
        cli(*arguments, made[name], *REST.get(name, ()))
    return made


@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 360)])
@pytest.mark.parametrize("name", WRITTEN)
def test_written_pages_are_accessible(
    browser: Any, pages: dict[str, Path], name: str, scheme: str, width: int
) -> None:
    """Every tab is accessible, its first example unfolded, without requests or console output."""
    context = browser.new_context(
        bypass_csp=True, color_scheme=scheme, viewport={"width": width, "height": 800}
    )
    page = context.new_page()
    noise: list[str] = []
    page.on("console", lambda message: noise.append(message.text))
    page.on("pageerror", lambda error: noise.append(str(error)))
    page.on("request", lambda r: None if r.url.startswith("file:") else noise.append(r.url))
    page.goto(pages[name].as_uri())
    page.wait_for_function(
        "!document.getElementById('packed') || document.documentElement.dataset.ready"
    )
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = {}
    for tab in page.get_by_role("tab").all():
        tab.click()
        if page.locator("#list button.name").first.is_visible():
            page.locator("#list button.name").first.click()
        found[tab.inner_text()] = (page.evaluate(FAULTS), page.evaluate(WIDE))
    context.close()
    assert {tab: faults for tab, faults in found.items() if faults != ([], False)} == {}
    assert len(found) >= 2
    assert not noise

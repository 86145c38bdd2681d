"""The pictures of README and site: ``python docs/pictures.py [CHROMIUM]`` draws them anew."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import fastcausal as fc
from fastcausal import sample
from fastcausal.report.pictures import save_picture

DOCS = Path(__file__).parent
RULES = ("exact_spans", "recess", "partial_spans", "relations.boundary")
# Picture: the command that writes the page, its height, and the row to unfold.
PAGES = {
    "items-page.png": ("items run_a.eval run_b.eval --out", 1090, 0),
    "report-page.png": ("report gold.csv careful.jsonl hasty.jsonl --out", 1090, 1),
}


def draw_schemes(figure: Any) -> None:
    """Draw F1 of two systems of the sample, rule by rule."""
    systems = {name: sample.SYSTEMS[name] for name in ("hasty", "chatty")}
    schemes = fc.schemes(sample.GOLD, systems, schemes=RULES).to_dict()["schemes"]
    axes = figure.subplots()
    for name, colour in (("hasty", "#b3541e"), ("chatty", "#1d5fc4")):
        f1 = [schemes[rule][name]["f1"] for rule in RULES]
        axes.plot(RULES, f1, "o-", color=colour, label=name)
        for rule, value in zip(RULES, f1, strict=True):
            above = schemes[rule][name]["rank"] == 1
            axes.annotate(
                f"{value:.4f}", (rule, value), (0, 7 if above else -16),
                textcoords="offset points", color=colour, ha="center",
            )  # fmt: skip
    axes.set(title="F1 of the same output, rule by rule", ylim=(0.45, 0.85))
    axes.margins(x=0.1)
    axes.legend(loc="upper left")
    figure.set_size_inches(7, 3)


def save_pages(chromium: str | None) -> None:
    """Write each page by its command, and save what a browser shows."""
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        sample.copy_to(Path(folder))
        browser = playwright.chromium.launch(executable_path=chromium)
        for picture, (command, height, row) in PAGES.items():
            run = [sys.executable, "-m", "fastcausal", *command.split(), "page.html"]
            subprocess.run(run, cwd=folder, stdout=subprocess.DEVNULL, check=True)
            page = browser.new_page(viewport={"width": 1000, "height": height})
            page.goto(Path(folder, "page.html").as_uri())
            page.get_by_role("row").nth(row + 1).click()
            page.screenshot(path=DOCS / picture)


if __name__ == "__main__":
    import matplotlib

    with matplotlib.rc_context({"svg.fonttype": "none"}):
        save_picture(DOCS / "schemes.svg", draw_schemes)
    save_pages(*sys.argv[1:2] or [None])

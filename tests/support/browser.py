"""Debian's chromium-headless-shell, driven by playwright; tests skip without either."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Open = Callable[..., Any]

LUMINANCE = """pair => { const of = c => { const v = c.match(/[\\d.]+/g).slice(0, 3).map(x => {
  x /= 255; return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; });
  return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2]; };
  const [a, b] = pair.map(of).sort((x, y) => y - x); return (a + 0.05) / (b + 0.05); }"""
COLOURS = """() => [...document.querySelectorAll('body *')].filter(e => e.innerText?.trim())
  .map(e => {
  let ground = e; const of = x => getComputedStyle(x).backgroundColor;
  while (ground !== document.body && of(ground) === 'rgba(0, 0, 0, 0)')
    ground = ground.parentElement;
  return [getComputedStyle(e).color, of(ground)]; })"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser for a module: its event loop would be in the way of other modules.

    It runs without the libraries that `make sanitize` loads before every program.
    """
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    path = shutil.which("chromium-headless-shell")
    if path is None:
        pytest.skip("needs chromium-headless-shell")
    with playwright.sync_playwright() as started:
        own = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        browser = started.chromium.launch(executable_path=path, args=["--no-sandbox"], env=own)
        yield browser
        browser.close()


@pytest.fixture
def opened(browser: Any) -> Iterator[Open]:
    """Open pages, each in its own context; at the end none has made requests or console output."""
    noise: list[str] = []
    contexts = []

    def open_page(path: Path, fragment: str = "", script: str = "", **options: Any) -> Any:
        context = browser.new_context(**options)
        contexts.append(context)
        context.add_init_script(script)
        page = context.new_page()
        page.on("console", lambda message: noise.append(message.text))
        page.on("pageerror", lambda error: noise.append(str(error)))
        page.on(
            "request",
            lambda r: None if r.url.startswith(("file:", "blob:")) else noise.append(r.url),
        )
        page.goto(path.as_uri() + fragment)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not noise


def least_contrast(page: Any) -> float:
    """Return the least contrast of a text to its ground. Source: WCAG 2.2, criterion 1.4.3."""
    pairs = {tuple(pair) for pair in page.evaluate(COLOURS)}
    assert len(pairs) > 2
    return min(page.evaluate(LUMINANCE, list(pair)) for pair in pairs)

"""Pictures of pages in a real browser: Debian's chromium-headless-shell, driven by playwright."""

from __future__ import annotations

import pytest

from tests.report.test_pictures import some_pictures  # skipped without matplotlib

PAGE = """<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">{}"""
INK = "getComputedStyle(document.body).color"
FILLS = "[...document.querySelectorAll('svg text')].map(t => getComputedStyle(t).fill)"
OUTSIDE = """[...document.querySelectorAll('svg')].flatMap(svg => {
    const frame = svg.getBoundingClientRect()
    return [...svg.querySelectorAll('text')].filter(text => {
        const box = text.getBoundingClientRect()
        return box.left < frame.left - 1 || box.right > frame.right + 1
    }).map(text => text.textContent)
})"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures_need_nothing_that_a_page_forbids(opened, scheme, tmp_path):
    pictures = some_pictures(["<b>cause</b>", "_$x$", "effect"])
    page = tmp_path / "page.html"
    page.write_text(PAGE.format("".join(svg for _, svg in pictures)), encoding="utf-8")
    view = opened(page, color_scheme=scheme)
    assert [view.get_by_role("img", name=text).count() for text, _ in pictures] == [1, 1, 1]
    assert view.get_by_text("<b>cause</b>", exact=True).count() >= 4
    fills, ink = view.evaluate(FILLS), view.evaluate(INK)
    assert fills.count(ink) > len(fills) / 2  # all but the numbers of cells
    assert view.evaluate(OUTSIDE) == []

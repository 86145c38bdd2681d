"""Pictures of pages: the same bytes, fit for a page, and no command in what data is called."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("matplotlib")

from fastcausal.report import pictures
from fastcausal.report.charts import COLOURS, MOST_BARS, Matrix, bars_of, matrices, short, stacks_of
from fastcausal.report.grid import Bounded
from tests.support.pictures import check_pictures
from tests.support.profiles import trials

NAN = float("nan")
HOSTILE = [
    "$x^2$", "</text><script>", "a\nb", "_hidden", "\0\x1b[2J", "\ud800", "\u202e&lt;", "雨👩🚒",
    "'\"", "long " * 30, "",
]  # fmt: skip
names = st.sampled_from(HOSTILE) | st.text(max_size=8)
PROGRAM = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from tests.report.test_pictures import some_pictures
sys.stdout.buffer.write(repr(some_pictures(["a", "b", "$c$"])).encode())
"""


def some_pictures(labels):
    rows = {name: {"p": 0.5 + k, "q": Bounded(k, NAN, NAN)} for k, name in enumerate(labels)}
    rows |= {"bounded": {"p": Bounded(0.5, -0.5, 1.0), "q": NAN}}
    counts = {name: dict.fromkeys(labels, k) for k, name in enumerate(labels)}
    size = len(labels)
    matrix = Matrix(labels[0], np.arange(size * size).reshape(size, size), labels, labels)
    drawings = bars_of("bars", rows) | stacks_of("stacks", counts)
    drawings[f"of {labels[0]}"] = partial(matrices, shown=[matrix], answer="answer")
    return pictures.pictures_of(drawings)


@trials(10)
@given(st.lists(names, min_size=1, max_size=3, unique=True))
def test_names_are_text(labels):
    texts = [" ".join(text.split()) for text in check_pictures(some_pictures(labels))]
    for name in labels:
        assert texts.count(" ".join(short(name).split())) >= 4 or not short(name).strip()


def test_many_rows_and_series_are_cut():
    [(text, _)] = bars_of("f1", {str(k): {"": 1.0} for k in range(MOST_BARS)}).items()
    assert text == "f1"
    rows = {str(k): dict.fromkeys(map(str, range(9)), 1.0) for k in range(100)}
    [(text, drawing)] = bars_of("f1", rows).items()
    assert text == "f1, the first of them"
    assert [*drawing.keywords["rows"]] == [str(k) for k in range(8)]
    [(text, _)] = stacks_of("n", {str(k): {"": 1} for k in range(100)}).items()
    assert text == "n, the first of them"


@pytest.mark.slow
def test_bytes_are_the_same_whatever_the_user_has_set(tmp_path):
    (tmp_path / "matplotlibrc").write_text("font.size: 20\naxes.facecolor: red\nsvg.fonttype: path")
    settings = {"MPLCONFIGDIR": str(tmp_path), "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"}
    run = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(run, capture_output=True, env=os.environ | settings, check=True)
    assert done.stdout.decode() == repr(some_pictures(["a", "b", "$c$"]))
    assert some_pictures(["a", "b", "$c$"]) == some_pictures(["a", "b", "$c$"])


def luminance(colour):
    """Relative luminance of WCAG 2.2."""
    shares = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    light = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return float(np.dot([0.2126, 0.7152, 0.0722], light))


@pytest.mark.parametrize("ground", ["#ffffff", "#1e1e1e"])
def test_bars_stand_out(ground):
    for colour in COLOURS:
        dark, light = sorted(map(luminance, (colour, ground)))
        assert (light + 0.05) / (dark + 0.05) >= 3


def test_without_matplotlib_a_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert some_pictures(["a"]) == []
    [line] = pictures.missing_pictures()
    assert line.endswith('pip install "fastcausal[plots]"')

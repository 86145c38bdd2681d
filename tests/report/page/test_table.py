"""Pictures in the cells of tables: at their place on the scale, and the text of the grid."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal.report.grid import Grid
from fastcausal.report.numbers import Bounded
from fastcausal.report.page import Drawn
from tests.support.markup import Reader
from tests.support.profiles import trials

NAN = float("nan")
HOSTILE = ["<b>&", "</td><script>", "\0\x1b[2J", "'\"", "#a&b", ""]
NAMES = st.sampled_from(HOSTILE) | st.text(max_size=5)
FLOATS = st.floats(-2, 2) | st.just(NAN)
CELLS = (
    FLOATS | st.integers(0, 10**6) | st.none() | NAMES | st.builds(Bounded, FLOATS, FLOATS, FLOATS)
)
COLUMNS = ("a", "b", "c")


def places(html, name):
    return [float(each) for each in re.findall(rf'{name}="([\d.]+)%"', html)]


@given(st.lists(st.tuples(NAMES, st.tuples(CELLS, CELLS, CELLS)), max_size=4), st.data())
@trials(60)
def test_pictures_leave_the_text_as_it_is(rows, data):
    grid = Grid("t", COLUMNS)
    for name, cells in rows:
        grid.add(name, *cells)
    chosen = [data.draw(st.lists(st.sampled_from(COLUMNS), unique=True)) for _ in range(3)]
    links = {("", name, "a"): name for name, _ in rows}
    drawn = Drawn(grid, *chosen, heat=data.draw(st.booleans()), links=links)
    html = drawn.to_html()
    assert Reader(html).rows == Reader(grid.to_html()).rows
    assert "style=" not in html
    for name in ("x1", "x2", "cx", "x", "width"):
        assert all(0 <= place <= 100 for place in places(html, name))


def test_bars_and_intervals_stand_where_their_numbers_are():
    grid = Grid("", ["share", "n", "delta"])
    grid.add("x", Bounded(0.5, 0.25, 0.75), 3, Bounded(0.1, -0.1, 0.3))
    grid.add("y", NAN, 12, Bounded(-0.5, NAN, NAN))
    html = Drawn(grid, ["share"], ["n"], ["delta"]).to_html()
    cells = html.split("<td")[1:]
    assert (places(cells[0], "width"), places(cells[0], "x1"), places(cells[0], "x2")) == (
        [50], [25], [75],
    )  # fmt: skip
    assert (places(cells[1], "width"), places(cells[4], "width")) == ([25], [100])
    assert "<svg" not in cells[3]
    low, high = -0.5 - 0.04 * 0.8, 0.3 + 0.04 * 0.8
    zero, *ends = places(cells[2], "x1") + places(cells[2], "x2")[1:] + places(cells[2], "cx")
    expected = [100 * (value - low) / (high - low) for value in (0, -0.1, 0.3, 0.1)]
    assert [zero, *ends] == pytest.approx(expected, abs=0.01)
    assert len(places(cells[5], "x1")) == 1  # zero alone


def test_counts_side_by_side_add_up():
    grid = Grid("", ["fp", "fn"])
    grid.add("x", 1, 3)
    grid.add("y", 8, 0)
    html = Drawn(grid, stacked=["fp", "fn"], words={"fp": "spurious"}).to_html()
    assert Reader(html).rows == [["", "spurious", "fn", "total"], ["x", "1", "3", "4"],
                                 ["y", "8", "0", "8"]]  # fmt: skip
    assert places(html, '" x') == [0, 12.5, 0]
    first, second = re.findall(r'<svg class="stack".*?</svg>', html)
    assert places(first, " width") == [12.5, 37.5]
    assert places(second, " width") == [100]


def test_a_waterfall_hangs_each_loss_from_the_bar_before():
    parts = {"": {"all": [8], "lost": [-2], "kept": [6]}}
    html = Drawn(Grid("", ["n"], falling="n", parts=parts)).to_html()
    bars = re.findall(r'<rect class="k(\d)" x="([\d.]+%)" width="([\d.]+%)"', html)
    assert bars == [("0", "0%", "100%"), ("1", "75%", "25%"), ("0", "0%", "75%")]

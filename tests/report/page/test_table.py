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
    *ticks, start = places(cells[2], "x1")
    found = [*ticks, start, places(cells[2], "x2")[-1], *places(cells[2], "cx")]
    expected = [100 * (value + 1) / 1.5 for value in (-1, -0.5, 0, 0.5, -0.1, 0.3, 0.1)]
    assert found == pytest.approx(expected, abs=0.01)
    assert places(cells[5], "x1") == ticks  # without a line between bounds
    head = re.findall(r'<text x="([^"]+)%" y="1em">([^<]+)<', html)
    assert [float(x) for x, _ in head] == pytest.approx(expected[:4], abs=0.01)
    assert [text for _, text in head] == ["-1", "-0.5", "0", "0.5"]
    assert places(cells[2], 'class="zero" x1') == [pytest.approx(expected[2], abs=0.01)]


@pytest.mark.parametrize(
    ("bounds", "signed", "expected"),
    [
        ((0.1509, 0.287), ["x"], ["0", "0.1", "0.2", "0.3"]),  # a difference
        ((-0.4, -0.35), ["x"], ["-0.4", "-0.3", "-0.2", "-0.1", "0"]),
        ((0.57, 0.86), [], ["0", "0.5", "1"]),
        ((0.801, 0.836), [], ["0.8", "0.81", "0.82", "0.83", "0.84"]),  # zero is too far
        ((120.0, 1900.0), [], ["0", "500", "1000", "1500", "2000"]),
        ((0.7, 0.7), [], ["0.7", "0.70002", "0.70004", "0.70006", "0.70008"]),
        ((0.0, 0.0), [], ["0", "0.5", "1"]),
        ((-1e308, 1e308), [], ["0", "0.5", "1"]),
        ((0.0, 5e-324), [], ["0", "0.5", "1"]),
    ],
)
def test_an_axis_is_round_and_has_zero_where_it_can(bounds, signed, expected):
    low, high = bounds
    grid = Grid("", ["x"], signed=signed)
    grid.add("a", Bounded(low, low, high))
    html = Drawn(grid, intervals=["x"]).to_html()
    assert re.findall('y="1em">([^<]+)<', html) == expected
    at = places(html, "x1")[-1], places(html, "x2")[-1]
    assert 0 <= at[0] <= at[1] <= 100


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

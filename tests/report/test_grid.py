"""Text of data is never markup: every form gives back the texts and numbers of a grid."""

from __future__ import annotations

import csv
import io
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.console import Console

import fastcausal as fc
from fastcausal.relations import Relations
from fastcausal.report.escapes import cell_text, latex_text, line_text, page_text
from fastcausal.report.grid import Grid
from tests.support.markup import Reader

HOSTILE = [
    "<script>", "a | b", "\\| x", "**b**", "_i_", "`c`", "[a](http://x)", "![i](x)", "&lt;",
    "~~s~~", "a\nb", "\r", "\x1b[2J", "=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1",
    "% comment", "$x$", "\\input{x}", "[red]", "*", "a--b", "^", "#", "\ud800", "‮", "https://x.y", "<http://x>",
]  # fmt: skip
texts = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=12))
numbers = st.one_of(st.floats(), st.integers(-(2**53), 2**53), st.none(), st.floats(0, 1, width=32))


def words(text):
    return " ".join(line_text(text).split())


@st.composite
def grids(draw, texts=texts, cells=numbers, **more):
    columns = draw(st.lists(texts, min_size=1, max_size=3))
    grid = Grid(draw(texts), columns, draw(texts), **more)
    for k in range(draw(st.integers(1, 3))):
        if k:
            grid.part(draw(texts.filter(words)))
        for _ in range(draw(st.integers(1, 3))):
            grid.add(draw(texts), *(draw(cells) for _ in columns))
    return grid


# Rich drops a mark that nothing precedes.
shown = st.one_of(st.sampled_from(HOSTILE), st.text("a _.[]\t日é-", max_size=30))


@given(st.one_of(grids(shown), grids(shown, shown, text=True)), st.sampled_from([24, 80, 10_000]))
def test_lines_are_those_of_rich(grid, width):
    console = Console(width=width, color_system=None, force_terminal=False)
    with console.capture() as capture:
        console.print(grid)
    assert grid.lines(width) == [line.rstrip() for line in capture.get().splitlines()]


def rows_of(grid, names=lambda text: text):
    """All cells as text, headers and parts included."""
    yield [names(name) for name in grid.header]
    for part, rows in grid._texts():
        if part:
            yield [names(part)] + [""] * (len(grid.header) - 1)
        yield from ([names(cell) for cell in row] for row in rows)


@given(texts)
def test_terminals_show_a_name_on_one_line(text):
    grid = Grid(text, [text], text)
    grid.add(text, 1)
    grid.part(text)
    shown = cell_text(text)
    plain = Grid(shown, [shown], shown)
    plain.add(shown, 1)
    plain.part(shown)
    assert str(grid) == str(plain)
    assert len(shown.splitlines()) <= 1
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", shown)


@pytest.mark.parametrize("name", ["sys\nother  0.9", "sys\0x", "sys\x1b[2J", "sys\r\n", "s\u2028t"])
def test_a_name_is_one_row_in_every_form(name, tmp_path):
    """A name of data adds no row, no command of a terminal and no character that breaks a file."""
    gold = fc.Relations.from_examples(
        [{"id": "a", "length": 4, "kind": name,
          "relations": [{"cause": [(0, 1)], "effect": [(2, 3)]}]}])  # fmt: skip
    report = fc.score(gold, gold, by="kind")
    plain = fc.score(
        Relations.from_examples([gold.to_examples()[0] | {"kind": "x"}]), gold, by="kind"
    )
    for form in ("__str__", "to_markdown", "to_latex"):
        text, wanted = (getattr(each, form)() for each in (report, plain))
        assert len(text.splitlines()) == len(wanted.splitlines()), form
    rows = list(csv.reader(io.StringIO(report.to_csv(), newline="")))
    assert len(rows) == len(list(csv.reader(io.StringIO(plain.to_csv()))))
    report.to_html(tmp_path / "x.html")
    assert "\0" not in report.to_csv()
    for page in ((tmp_path / "x.html").read_text(), report._repr_html_()):
        assert not re.search(r"[\x00\x1b]", page)


@given(grids())
def test_markdown(grid):
    html = MarkdownIt("commonmark").enable("table").render(grid.to_markdown())
    reader = Reader(html)
    assert reader.tags <= {"p", "table", "thead", "tbody", "tr", "th", "td", "strong"}
    found = [[words(cell) for cell in row] for row in reader.rows]
    wanted = [[words(cell) for cell in row] for row in rows_of(grid)]
    assert found == wanted


@pytest.mark.parametrize("text", ["- a", "+", "---", " 12) a", "1."])
def test_a_title_of_markdown_is_no_list(text):
    html = MarkdownIt("commonmark").render(Grid(text, ["x"]).to_markdown())
    assert {"li", "hr"} & Reader(html).tags == set()


@given(grids())
def test_html(grid):
    reader = Reader(grid.to_html())
    assert reader.tags <= {"table", "caption", "thead", "tbody", "tr", "th", "td"}
    wanted = [[page_text(cell).replace("\r\n", "\n") for cell in row] for row in rows_of(grid)]
    assert [[cell.replace("\r\n", "\n") for cell in row] for row in reader.rows] == wanted


def csv_text(text):
    return text.replace("\r", " ").replace("\0", r"\x00")


@given(grids())
def test_csv(grid):
    has_parts = len(grid.parts) > 1
    head, *rows = csv.reader(io.StringIO(grid.to_csv(), newline=""))
    assert len(head) == has_parts + len(grid.header)
    wanted = [(part, *row) for part, rows in grid.parts for row in rows]
    for row, (part, name, cells) in zip(rows, wanted, strict=True):
        *texts, number_cells = row[: has_parts + 1], row[has_parts + 1 :]
        for text, given_text in zip(texts[0][::-1], (name.strip(), part), strict=False):
            assert not text.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
            assert text.removeprefix("'") == csv_text(given_text).removeprefix("'")
        for text, cell in zip(number_cells, cells, strict=True):
            if cell is None or cell != cell:
                assert text == ""
            else:
                assert float(text) == cell


MACROS = {
    r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^",
    r"\textless{}": "<", r"\textgreater{}": ">", r"\textbar{}": "|", r"\textquotedbl{}": '"',
    r"\textasciigrave{}": "`", **{f"\\{c}": c for c in "&%$#_{}"},
    **{f"{{{c}}}": c for c in "[]*"}, "-{}": "-",
}  # fmt: skip
TOKEN = re.compile("|".join(map(re.escape, MACROS)) + r"|[^\\{}$&#%_^~\[\]*<>|\"`]")


@given(texts)
def test_latex_text(text):
    """LaTeX has only known macros and harmless characters, which stand for the text."""
    written = latex_text(text)
    tokens = TOKEN.findall(written)
    assert "".join(tokens) == written
    assert "".join(MACROS.get(token, token) for token in tokens) == line_text(text)
    assert "--" not in written


@given(grids())
def test_latex(grid):
    head, *lines = grid.to_latex().splitlines()[grid.title != "" :]
    assert head == f"\\begin{{tabular}}{{l{'r' * len(grid.header[1:])}}}"
    assert (lines[0], lines[-2:]) == ("\\toprule", ["\\bottomrule", "\\end{tabular}"])
    rows = [line for line in lines[1:-2] if not re.fullmatch(r"\\midrule", line)]
    parts = [row for row in rows if row.startswith("\\multicolumn")]
    wanted = list(rows_of(grid))
    assert len(rows) == len(wanted) - (not any(grid.header))
    assert len(parts) == sum(bool(part) for part, _ in grid.parts)
    for row in set(rows) - set(parts):
        assert row.endswith(r" \\")
        assert len(re.findall(r"(?<!\\)&", row)) == len(grid.header) - 1


@pytest.mark.parametrize("value", [math.nan, None])
def test_undefined(value):
    grid = Grid("", ["x"])
    grid.add("a", value)
    assert "undefined" in str(grid)
    assert "| a | undefined |" in grid.to_markdown()
    assert grid.to_csv() == "name,x\na,\n"


def test_blocks_instead_of_broken_names():
    """Numbers that do not fit beside a name stand below, and the name stays in one piece."""
    name = "multi_relation_overall_precision"
    grid = Grid("", "abcdefg")
    grid.add(name, *[-0.12345] * 7)
    assert str(grid).count(name) == 2


def test_a_waterfall_hangs_each_loss_from_the_bar_before():
    counts = {"all": 24, "lost": -6, "none lost": 0, "kept": 18, "less": -1, "right": 17}
    rows = {name: [n] for name, n in counts.items()}
    grid = Grid("", ["n"], falling="n", parts={"": rows})
    bars = [line.split()[-1] for line in str(grid).splitlines()[2:]]
    assert bars == [
        "=" * 24, "." * 18 + "-" * 6, "." * 24, "=" * 18 + "." * 6, "." * 17 + "-" + "." * 6,
        "=" * 17 + "." * 7,
    ]  # fmt: skip
    written = grid.to_markdown().splitlines()[2:]
    assert [line.split(" | ")[-1].removesuffix(" |") for line in written] == bars
    assert grid.to_csv() == "name,n\n" + "".join(f"{n},{cell}\n" for n, cell in counts.items())
    small = Grid("", ["n"], falling="n", parts={"": {"all": [1000], "lost": [-1], "no": [0]}})
    assert str(small).count("-") == 2  # the number's, and a letter for a loss of any size

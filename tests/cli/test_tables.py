"""One group of options for the form of results: --format, --json, --digits, --percent."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import get_args

import pytest

from fastcausal import sample
from fastcausal.options import TableFormat
from tests.cli.test_options import COMMANDS
from tests.support.cli import cli

# Commands that print no table: files, pages, lines.
WITHOUT = {
    "annotate export", "bench", "convert", "merge", "page-scorer", "report", "schema", "sweep",
    "task archive", "task check", "task init",
}  # fmt: skip
NUMBER = re.compile(r"[+-]?\d+\.\d+")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("tables")
    sample.copy_to(where)
    for name in ("careful", "hasty", "chatty"):
        counts = ("--per-example", where / f"{name}.parquet", "--unparsed", "empty")
        cli("score", where / "gold.csv", where / f"{name}.jsonl", *counts)
    return where


@pytest.fixture(autouse=True)
def inside(folder, monkeypatch):
    monkeypatch.chdir(folder)


def test_every_command_has_all_of_them_or_none():
    names = {"json", "format", "digits", "percent"}
    for words, command in COMMANDS.items():
        options = {option.name: option for option in command.params}
        assert names & {*options} == (names & {"json"} & {*options} if words in WITHOUT else names)
        if words not in WITHOUT:
            assert tuple(options["format"].type.choices) == get_args(TableFormat), words
        assert not {"markdown", "latex", "csv"} & {*options}, words


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("--json --format latex", "--format is latex, but --json is another"),
        ("--json --percent", "--percent is for tables to read, json has values as they are"),
        ("--format json --digits 2", "--digits is for tables to read, json has values as they are"),
        ("--format csv --digits 2", "--digits is for tables to read, csv has values as they are"),
        ("--digits -1", "Invalid value for '--digits': -1 is not in the range 0<=x<=15"),
    ],
)
def test_what_contradicts_is_refused(given, said):
    out, err = cli("demo", *given.split(), expect=2)
    assert said in (json.loads(out)["error"] if out else err)


COMMAND_LINES = [
    "score gold.csv careful.jsonl --intervals --counts",
    "score gold.csv careful.jsonl hasty.jsonl",
    "compare careful.parquet hasty.parquet --n-resamples 99",
    "leaderboard careful.parquet hasty.parquet --n-resamples 99 --baseline hasty",
    "gate --baseline careful.parquet --candidate hasty.parquet --min-delta -0.1",
    "explain gold.csv careful.jsonl",
    "eci pairs_gold.csv pairs_careful.csv pairs_hasty.csv",
    "crab pairwise crab_gold.jsonl crab_scores_careful.jsonl",
    "crab sweep crab_gold.jsonl crab_yes_no.jsonl",
    "claims claims_prediction_full_ann.json claims_reference_full_ann.json",
]


@pytest.mark.parametrize("line", COMMAND_LINES)
def test_percent_and_digits_change_what_they_name_alone(line):
    """Of numbers with ten decimals, percents are the same numbers times 100, others the same."""
    shown = [NUMBER.findall(table(line, f"--digits {n}")) for n in ("10", "8 --percent")]
    assert len(shown[0]) == len(shown[1]) > 0
    times = []
    for one, percent in zip(*shown, strict=True):
        if one != percent:
            assert float(percent) == pytest.approx(100 * float(one), abs=2e-8)
            assert len(percent.partition(".")[2]) == 8
            times.append(percent)
    assert times


def table(line, options):
    """The rows of the printed tables, without the lines below them."""
    out, _ = cli(*line.split(), *options.split(), "--format", "markdown", expect=None)
    rows = [row for row in out.splitlines() if row.startswith("|")]
    return "\n".join(rows)


def test_what_has_neither_shares_nor_decimals_says_so():
    _, err = cli("doctor", "--digits", "2", "--percent")
    assert "--digits: no number here has decimals" in err
    assert "--percent: no number here is known as a share" in err


# Rows of a leaderboard with its marks: a tie, one best with others below it, less is better.
MARKED = {
    "leaderboard a.csv b.csv c.csv --score right": {"a": "bold", "b": "dagger", "c": ""},
    "leaderboard a.csv b.csv c.csv --score wrong --lower-is-better": {
        "a": "bold", "b": "dagger", "c": "",
    },
    "compare a.csv b.csv --score right": {"right": ("bold", "dagger")},
    "compare b.csv a.csv --score right": {"right": ("dagger", "bold")},
    "compare c.csv a.csv --score right": {"right": ("", "bold")},
    "compare a.csv c.csv --score wrong --lower-is-better": {"wrong": ("bold", "")},
    "compare c.csv a.csv --score wrong --lower-is-better": {"wrong": ("", "bold")},
    "compare a.csv a_copy.csv --score right": {"right": ("bold", "bold")},
}  # fmt: skip
PATTERNS = {
    "markdown": {"bold": r"\*\*0\.\d{4}\*\*", "dagger": "0\\.\\d{4}\u2020", "": r"[\w.]+"},
    "latex": {
        "bold": r"\\textbf\{0\.\d{4}\}", "dagger": r"0\.\d{4}\$\^\{\\dagger\}\$", "": r"[\w.]+",
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def values(folder):
    """Systems of 60 examples: 51, 49 and 6 are right."""
    for name, n in {"a": 51, "a_copy": 51, "b": 49, "c": 6}.items():
        rows = [f"{k},{int(k < n)},{int(k >= n)}\n" for k in range(60)]
        (folder / f"{name}.csv").write_text("id,right,wrong\n" + "".join(rows))


@pytest.mark.parametrize("format", PATTERNS)
@pytest.mark.parametrize("line", MARKED)
def test_the_best_is_bold_and_what_is_not_significantly_worse_is_marked(line, format, values):
    out, _ = cli(*line.split(), "--format", format, "--n-resamples", "999")
    rows = [re.split(r" ?[|&] ?", row.strip("| ")) for row in out.splitlines()]
    for name, marks in MARKED[line].items():
        [cells] = [row[1:] for row in rows if row[0] == name]
        for cell, mark in zip(cells, (marks,) if isinstance(marks, str) else marks, strict=False):
            assert re.fullmatch(PATTERNS[format][mark], cell), (name, cell)
    text = re.sub(r"\\|\{|\}", "", out)
    said = (
        "randomisation test, one test" if "compare" in line else "simultaneous 95% rank intervals"
    )
    assert said in text


def test_a_caption_names_the_correction(values):
    line = ["leaderboard", "a.csv", "b.csv", "c.csv", "--score", "right", "--format", "latex"]
    for correction, said in {
        "holm": "Holm",
        "bh": "Benjamini-Hochberg",
        "none": "uncorrected",
    }.items():
        out, _ = cli(*line, "--baseline", "b", "--correction", correction, "--n-resamples", "99")
        [caption] = re.findall(r"^\\caption\{(.*)\}$", out, re.M)
        assert f"p: paired randomisation test against b ({said})" in caption


PAPER = r"""\documentclass{article}
\IfFileExists{booktabs.sty}{\usepackage{booktabs}}{%
  \newcommand\toprule{\hline}\newcommand\midrule{\hline}\newcommand\bottomrule{\hline}}
\begin{document}
TABLES
\end{document}
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex")
def test_tables_compile(tmp_path, values):
    for name in ("odd_100%", "[x] & $y^2$ #~"):
        shutil.copy("a.csv", tmp_path / f"{name}.csv")
    odd = ["leaderboard", *tmp_path.iterdir(), "--score", "right", "--percent"]
    lines = [line.split() for line in [*COMMAND_LINES[:4], *MARKED, "describe gold.csv"]]
    tables = [cli(*line, "--format", "latex")[0] for line in [*lines, odd]]
    (tmp_path / "paper.tex").write_text(PAPER.replace("TABLES", "\n\n".join(tables)))
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Output written on paper.pdf" in done.stdout
    assert not re.search(r"^LaTeX Warning|^! |Missing character", done.stdout, re.M)

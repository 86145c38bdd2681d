"""Tables on a real terminal of any width: every line fits, no number and no name is cut."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from itertools import pairwise
from pathlib import Path

import pytest
from rich.cells import cell_len

from fastcausal import sample
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Scores
from fastcausal.report.report import scores_table
from tests.support.cli import cli

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
DECIMAL = re.compile(r"[+-]?\d+\.\d+")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The sample, and files whose names, ids and columns are long."""
    where = tmp_path_factory.mktemp("files")
    sample.copy_to(where)
    cli("convert", where / "gold.csv", where / "questions.json", "--to", "squad")
    for name in ("careful", "hasty"):
        counts = where / f"{name}.parquet"
        cli("score", where / "gold.csv", where / f"{name}.jsonl", "--per-example", counts)
    long = "a_very_long_name_of_a_genre_" * 4
    relation = [
        {"role": "cause", "start": 0, "stop": 2},
        {"role": "effect", "start": 1, "stop": 3},
    ]
    rows = [
        {"id": f"{long}{k}", "length": 3, "genre": long, "relations": [relation] * 2}
        for k in range(3)
    ]
    (where / "long.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    labels = ["raining cats and dogs", "dry", "a label that is longer than all the others are"]
    for name in ("labels_1", "labels_2", "labels_3"):
        lines = [f"{k},{labels[k * (1 + len(name)) % 3]}\n" for k in range(9)]
        (where / f"{name}.csv").write_text("id,label\n" + "".join(lines))
    return where


COMMANDS = {
    "score": "score gold.csv careful.jsonl",
    "score --counts": "score gold.csv careful.jsonl --counts",
    "score --by": "score long.jsonl long.jsonl --by genre",
    "score several": "score gold.csv careful.jsonl hasty.jsonl chatty.jsonl --by corpus --counts",
    "explain": "explain gold.csv chatty.jsonl",
    "agree": "agree annotator_1.jsonl annotator_2.jsonl annotator_3.jsonl --intervals",
    "agree labels": "agree labels_1.csv labels_2.csv labels_3.csv --labels label --intervals",
    "classify": "classify labels_1.csv labels_2.csv",
    "qa": "qa questions.json answers.json",
    "answers": "answers judged_ann.json judged_ben.json",
    "describe": "describe gold.csv annotator_1.jsonl long.jsonl",
    "check": "check gold.csv long.jsonl",
    "demo": "demo",
    "score --intervals": "score gold.csv careful.jsonl --intervals",
    "compare": "compare careful.parquet hasty.parquet --score cause_f1 --score overall_f1",
    "leaderboard": "leaderboard careful.parquet hasty.parquet --baseline careful",
    "crab pairwise": "crab pairwise crab_gold.jsonl crab_scores_careful.jsonl",
    "crab frames": "crab frames crab_gold.jsonl crab_letters.jsonl",
    "crab agree": "crab agree crab_ratings.jsonl",
    "errors": "errors gold.csv hasty.jsonl --top 3",
    "gate": "gate --baseline careful.parquet --candidate hasty.parquet --min-delta -0.01",
}
END = "(end of the command)"
CODE = f"""
import sys
from fastcausal.cli import app
for command in sys.argv[1:]:
    try:
        app(command.split())
    except SystemExit as end:
        assert end.code in (None, 0, 1)
    print({END!r})
"""


@pytest.fixture(
    scope="module", params=(80, *(pytest.param(n, marks=pytest.mark.slow) for n in (60, 100, 120)))
)
def screen(request, folder):
    """Return the number of a terminal's columns, and its lines for every command."""
    path = os.pathsep.join(filter(None, sys.path))
    env = os.environ | {"TERM": "xterm", "PYTHONPATH": path}
    env = {name: value for name, value in env.items() if name not in ("COLUMNS", "LINES")}
    lead, follow = pty.openpty()
    fcntl.ioctl(lead, termios.TIOCSWINSZ, struct.pack("HHHH", 24, request.param, 0, 0))
    args = [sys.executable, "-c", CODE, *COMMANDS.values()]
    with (folder / "stderr").open("w") as stderr:
        process = subprocess.Popen(
            args, stdin=follow, stdout=follow, stderr=stderr, env=env, cwd=folder
        )
    os.close(follow)
    shown = b""
    try:
        while part := os.read(lead, 65536):
            shown += part
    except OSError:  # the other end is closed
        pass
    os.close(lead)
    assert process.wait() == 0, (folder / "stderr").read_text()
    text = ESCAPE.sub("", shown.decode()).replace("\r\n", "\n")
    parts = text.split(END)[:-1]
    return request.param, dict(zip(COMMANDS, map(str.splitlines, parts), strict=True))


@pytest.fixture(scope="module")
def whole(folder):
    """Return the same commands' lines in a pipe, without signatures."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return {
            name: [line for line in cli(*args.split(), expect=None)[0].splitlines() if filled(line)]
            for name, args in COMMANDS.items()
        }


def filled(line):
    """Return True for a line with words; a signature is one word, to be copied."""
    return line.strip("─ ") and not line.startswith("fastcausal|")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_line_fits_and_nothing_is_cut(name, screen, whole):
    columns, screens = screen
    lines = [line for line in screens[name] if filled(line)]
    assert max(map(cell_len, lines)) <= columns
    assert "…" not in "".join(lines)
    if name == "check":  # a table of text, broken within its columns
        return
    wanted, found = (DECIMAL.findall("\n".join(text)) for text in (whole[name], lines))
    assert sorted(wanted) == sorted(found)
    # Long names of rows and notes may be broken into lines that follow each other.
    first = "".join(line.strip().split("  ")[0].replace(" ", "") for line in lines)
    for line in whole[name]:
        assert line.strip().split("  ")[0].replace(" ", "") in first
        if "  " not in line.strip():  # no row of a table: broken between words
            words = {word for text in lines for word in text.split()}
            assert words.issuperset(word for word in line.split() if len(word) < columns)


def test_quotes_hang_beside_their_names(screen):
    """Lines of a sentence begin below its first word, in every width."""
    _, screens = screen
    indents = [len(line) - len(line.lstrip()) for line in screens["errors"]]
    of_quotes = [n for n in indents if n > 2]
    assert of_quotes.count(10) > 5
    assert set(of_quotes) == {10}


def test_findings_are_broken_within_their_columns(screen, folder):
    _, screens = screen
    _, head, *lines = (line for line in screens["check"] if line.strip())
    lines = lines[1 : next(k for k, line in enumerate(lines) if "kind" in line)]
    names = ("annotator", "file", "example", "kind", "what")
    at = [head.index(name) for name in names]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        findings = json.loads(cli(*COMMANDS["check"].split(), "--json", expect=None)[0])["findings"]
    for name, start, stop in zip(names, at, (*at[1:], None), strict=True):
        shown = "".join("".join(line[start:stop].split()) for line in lines)
        key = "message" if name == "what" else name
        assert shown == "".join("".join(finding[key].split()) for finding in findings)


@pytest.mark.parametrize("width", [10, 24, 40, 60, 80, 200])
def test_blocks_hold_every_cell_once(width):
    names = [f"score_{k}" for k in range(14)]
    rows = {f"row {r}": Scores({n: r + k / 16 for k, n in enumerate(names)}) for r in range(3)}
    lines = shown(scores_table("", {"": rows, "part": rows}, counts=True), width)
    assert max(map(cell_len, lines)) <= max(width, 28)  # a name and a number at the least
    text = "\n".join(lines)
    for row, scores in rows.items():
        cells = [cell for line in lines if line.startswith(row) for cell in line.split()[2:]]
        assert sorted(cells) == sorted(2 * [f"{v:.4f}" for v in scores.values()])
    header = [word for word in text.split() if word.startswith("score_")]
    assert header == names


def shown(grid, width):
    from rich.console import Console

    console = Console(width=max(width, 28), color_system=None, force_terminal=False)
    with console.capture() as capture:
        console.print(grid)
    return [line.rstrip() for line in capture.get().splitlines()]


def test_a_name_is_broken_and_not_cut():
    name = "one_name_without_a_place_to_break_" * 5
    grid = Grid("title", ["n"], corner="what")
    grid.add(name, "12345")
    grid.add("[red]markup[/red] :cat:", "1")
    lines = shown(grid, 40)
    assert max(map(len, lines)) <= 40
    assert name in "".join(line.split()[0] for line in lines[4:] if line)
    assert "[red]markup[/red] :cat:" in "\n".join(lines)
    assert sum("12345" in line for line in lines) == 1


def test_the_line_above_a_table():
    out, _ = cli("score", sample.GOLD, sample.SYSTEMS["careful"])
    assert out.startswith("recess: 61 sentences, 72 gold relations, 65 predicted\n")
    out, _ = cli("score", sample.GOLD, *sample.SYSTEMS.values())
    assert out.startswith("recess: 61 sentences, 72 gold relations, 3 systems\n")


def test_all_counts_on_demand():
    def header(*options):
        out, _ = cli("score", sample.GOLD, sample.SYSTEMS["careful"], *options)
        return next(line.split() for line in out.splitlines() if "precision" in line)

    short, full = header(), header("--counts")
    assert full == [*short, "bes", "bel", "beo"]
    _, err = cli("score", sample.GOLD, sample.SYSTEMS["careful"], "--counts", "--json", expect=2)
    assert not err


def test_slices_of_several_systems():
    files = [sample.SYSTEMS[name] for name in ("careful", "hasty")]
    out, _ = cli("score", sample.GOLD, *files, "--by", "doc_id")
    systems = json.loads(cli("score", sample.GOLD, *files, "--by", "doc_id", "--json")[0])
    parts = {}
    for line, after in pairwise(out.splitlines()):
        if line.startswith("doc_id="):
            part = parts.setdefault(line, {})
            part["careful"] = after.split()[1:4]
    assert len(parts) == 12
    for part, found in parts.items():
        overall = systems["systems"]["careful"]["subsets"][part]["overall"]
        wanted = [overall[name] for name in ("precision", "recall", "f1")]
        assert found["careful"] == ["undefined" if v is None else f"{v:.4f}" for v in wanted]


def test_details_as_csv_and_arrow(tmp_path):
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet as pq

    for option in ("--per-example", "--matches"):
        suffixes = (".parquet", ".arrow", ".csv", ".jsonl")
        files = {suffix: tmp_path / f"x{suffix}" for suffix in suffixes}
        for target in files.values():
            cli("score", sample.GOLD, *sample.SYSTEMS.values(), option, target)
        table = pq.read_table(files[".parquet"])
        assert pa.ipc.open_file(files[".arrow"]).read_all().equals(table)
        types = pyarrow.csv.ConvertOptions(column_types=table.schema, strings_can_be_null=True)
        assert pyarrow.csv.read_csv(files[".csv"], convert_options=types).equals(table)
        lines = files[".jsonl"].read_text(encoding="utf-8").splitlines()
        assert [json.loads(line) for line in lines] == table.to_pylist()
        target = Path(tmp_path, "x.txt")
        _, err = cli("score", sample.GOLD, *sample.SYSTEMS.values(), option, target, expect=2)
        assert 'unknown suffix ".txt"' in err
        assert not target.exists()


def test_long_messages_are_wrapped_with_an_indent(folder):
    """Messages are wrapped on a terminal only, and keep their words."""
    code = "import sys; from fastcausal.cli import app; app(sys.argv[1:])"
    arguments = ["score", "gold.csv", "careful.jsonl", "--by", "nowhere", "--unmatched", "maybe"]
    command = [sys.executable, "-c", code, *arguments]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    options = {"cwd": folder, "env": env, "check": False, "stdout": subprocess.DEVNULL}
    piped = subprocess.run(command, stderr=subprocess.PIPE, text=True, **options).stderr
    lead, follow = pty.openpty()
    fcntl.ioctl(lead, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
    subprocess.run(command, stderr=follow, **options)
    os.close(follow)
    shown = os.read(lead, 65536).decode().replace("\r\n", "\n")
    os.close(lead)
    lines = ESCAPE.sub("", shown).splitlines()
    assert len(piped.splitlines()) == 1 < len(lines)
    assert max(map(len, lines)) <= 40
    assert [line.startswith("  ") for line in lines] == [k > 0 for k in range(len(lines))]
    assert " ".join(line.strip() for line in lines) == piped.rstrip()

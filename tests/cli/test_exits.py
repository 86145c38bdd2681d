"""How the command ends: its exit status, one message, and nothing that a terminal obeys."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.cli import app
from fastcausal.cli.console import clear_errors
from fastcausal.report.escapes import printable
from tests.support.cli import cli

GOLD, CAREFUL = str(sample.GOLD), str(sample.SYSTEMS["careful"])
RUN = [sys.executable, "-c", "from fastcausal.cli import main; main()"]


def shell(line, *args):
    """Run a line of shell in which ``"$@"`` is the command: exit status, both streams."""
    done = subprocess.run(["bash", "-c", line, "bash", *RUN, *args], capture_output=True,
                          encoding="utf-8", timeout=120, check=False)  # fmt: skip
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    return done.returncode, done.stdout, done.stderr


# ---------------------------------------------------------------------------- unforeseen faults


@pytest.mark.parametrize(
    ("fault", "status", "message"),
    [
        (KeyError("x"), 70, "unexpected KeyError: 'x'; please report it with what "),
        (AssertionError(), 70, "unexpected AssertionError; please report"),
        (UnicodeEncodeError("utf-8", "\ud800", 0, 1, "no"), 70, "unexpected UnicodeEncodeError: "),
        (RecursionError("deep\nand deeper"), 70, "unexpected RecursionError: deep; please"),
        (ValueError("seed is -1"), 2, "seed is -1"),
        (fc.InputError("x.csv:1: no"), 2, "x.csv:1: no"),
        (MemoryError(), 2, "not enough memory"),
        (OSError(28, "No space left on device"), 2, "No space left on device"),
        (PermissionError(13, "Permission denied", "x"), 2, "x: Permission denied"),
        (click.BadParameter("no"), 2, "Invalid value: no; see fastcausal --help"),
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(32, "Broken pipe"), 141, ""),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else None,
)
def test_any_exception_is_one_line_and_a_status(fault, status, message, capsys):
    for as_json in (False, True):
        with pytest.raises(click.exceptions.Exit) as end, clear_errors(as_json):
            raise fault
        assert end.value.exit_code == status
        out, err = capsys.readouterr()
        if as_json and message:
            assert not err
            assert json.loads(out)["error"].startswith(message)
            assert out.count("\n") == 1
        else:
            assert not out
            assert err.startswith(f"error: {message}" if message else "")
            assert err.count("\n") == bool(message)


def broken(*args, **kwargs):
    raise KeyError("inside")


@pytest.mark.parametrize("name", app.entries)
def test_a_fault_in_any_command_is_caught(name, monkeypatch):
    """An unexpected error in any command ends with exit 70 and a request to report it."""
    monkeypatch.setitem(app.commands, name, click.Command(name, callback=broken))
    message = (
        "unexpected KeyError: 'inside'; please report it with what FASTCAUSAL_TRACEBACK=1 shows"
    )
    assert cli(name, expect=70) == ("", f"error: {message}\n")


def test_a_fault_of_a_reader_is_caught(monkeypatch):
    monkeypatch.setattr("fastcausal.formats.cnc.truth.read", broken)
    out, err = cli("check", GOLD, "--json", expect=70)
    assert "unexpected KeyError: 'inside'; please report it" in json.loads(out)["error"]
    assert not err


def test_the_traceback_on_demand(monkeypatch):
    args = ("score", "missing.csv", CAREFUL)
    assert "Traceback" not in cli(*args, expect=2)[1]
    monkeypatch.setenv("FASTCAUSAL_TRACEBACK", "1")
    _, err = cli(*args, expect=2)
    assert err.startswith("Traceback")
    assert err.endswith("\nerror: missing.csv: No such file or directory\n")


# ---------------------------------------------------------------------------------------- usage


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("score",), "Missing argument 'GOLD'; see fastcausal score --help"),
        (
            ("score", GOLD, CAREFUL, "--protocol", "nope"),
            'protocol is "nope", expected one of recess, ',
        ),
        (("score", GOLD, CAREFUL, "--threads", "0"), "0 is not in the range x>=1; see"),
        (("score", GOLD, CAREFUL, "--threads", "x"), "'x' is not a valid int"),
        (("score", GOLD, CAREFUL, "--threads", str(2**63)), f"num_threads is {2**63}, expected"),
        (("score", GOLD, CAREFUL, "--nope"), "No such option"),
        (("classify", GOLD), "Missing argument 'PRED...'; see"),
        (("agree", GOLD, GOLD, "--intervals", "--seed", "-1"), "-1 is not in the range x>=0; see"),
        (("doctor", "more"), "more: no such file"),
        (("convert", GOLD, "x.jsonl"), "No such option"),
        (("nope",), 'no command "nope"; see fastcausal --help'),
        (("scroe", GOLD), 'no command "scroe"; did you mean score?; see fastcausal --help'),
        (("Leaderbord",), 'no command "Leaderbord"; did you mean leaderboard?; see'),
        (("agreement", GOLD), 'no command "agreement"; did you mean agree?; see'),
        (("fincausal", GOLD), "did you mean score --protocol fincausal-2020, classify --protocol "),
        (("unicausal", GOLD), "did you mean classify --protocol unicausal-seq or unicausal-pair"),
        (("crab", "pairwse"), 'no command "pairwse"; did you mean pairwise?; see fastcausal crab'),
        (("compare", *"ABCD"), "expected A B, or GOLD A B; fastcausal leaderboard takes more than"),
        (
            ("gate", GOLD, "A", "B", "--min", "f1=1"),
            "expected [GOLD] --candidate B, with --baseline",
        ),
        (("gate", GOLD, "A", "--candidate", "B", "--min", "f1=1"), "none is judged by its place"),
        (("score", "docs", CAREFUL), "docs: a directory"),
    ],
    ids=str,
)
def test_usage_errors_are_like_all_others(args, message):
    out, err = cli(*args, "--json", expect=2)
    assert not err
    said = json.loads(out)
    assert list(said) == ["error"]
    assert message in said["error"]
    if args[0] != "convert":
        out, err = cli(*args, expect=2)
        assert not out
        assert err == f"error: {said['error']}\n"


def test_a_file_may_be_called_json(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, err = cli("score", GOLD, "--", "--json", expect=2)
    assert err == "error: --json: No such file or directory\n"


def test_help_without_arguments():
    out, err = cli(expect=2)
    assert "Usage" in out
    assert not err


# -------------------------------------------------------------------------------------- streams

FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_standard_output_closed_or_full(options):
    status, out, err = shell('"$@" >&-', "score", GOLD, CAREFUL, *options)
    assert (status, out) == (2, "")
    assert err == "error: standard output is closed, the result cannot be written\n"


@FULL
@pytest.mark.parametrize(
    "args",
    [
        ("score", GOLD, CAREFUL),
        ("--version",),
        *(pytest.param(args, marks=pytest.mark.slow) for args in (
            ("score", GOLD, CAREFUL, "--json"), ("check", GOLD), ("doctor",), ("--help",)
        )),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_full_device(args):
    status, _, err = shell('"$@" >/dev/full', *args)
    assert status == 2
    assert err.startswith("error: ")
    assert err.endswith("No space left on device\n")
    assert err.count("\n") == 1


@FULL
def test_an_error_is_told_where_it_can_be():
    args = ("score", "missing.csv", CAREFUL, "--json")
    message = "missing.csv: No such file or directory"
    assert shell('"$@" >/dev/full', *args) == (2, "", f"error: {message}\n")
    assert shell('"$@" >&-', *args) == (2, "", f"error: {message}\n")
    assert shell('"$@" 2>&-', *args) == (2, f'{{"error": "{message}"}}\n', "")
    assert shell('"$@" 2>/dev/full >&-', *args) == (2, "", "")


def test_standard_error_closed():
    """If standard error is closed, messages are lost, but not results and status."""
    expected = shell('"$@"', "score", GOLD, CAREFUL)
    assert shell('"$@" 2>&-', "score", GOLD, CAREFUL)[:2] == expected[:2]
    assert shell('"$@" 2>&-', "score", GOLD, "missing.csv") == (2, "", "")


def test_standard_input_closed():
    closed = "error: <stdin>: it is closed\n"
    assert shell('"$@" <&-', "score", GOLD, "-") == (2, "", closed)
    assert shell('"$@" <&-', "check", "-") == (2, "", closed)
    assert shell('"$@" <&- >&- 2>&-', "score", GOLD, CAREFUL) == (2, "", "")


def test_no_file_is_opened_in_the_place_of_a_closed_stream(tmp_path):
    """A file opened in the place of a stream would get the stream's text."""
    target = tmp_path / "x.jsonl"
    status, _, _ = shell('"$@" 2>&- <&-', "convert", GOLD, str(target))
    assert status == 0
    assert len(fc.read(target)) == 61
    assert shell('"$@" >&-', "convert", GOLD, "/dev/stdout", "--to", "jsonl")[0] == 2


@pytest.mark.parametrize(
    "args",
    [
        ("check", "FINDINGS"),
        ("convert", GOLD, "/dev/stdout", "--to", "jsonl"),
        *(pytest.param(args, marks=pytest.mark.slow) for args in (
            ("check", "FINDINGS", "--json"), ("--help",), ("score", GOLD, CAREFUL)
        )),
    ],
    ids=lambda args: args[0],
)  # fmt: skip
def test_a_closed_pipe_is_quiet_and_not_a_finding(args, tmp_path):
    text = {"id": "a", "length": 3, "relations": [[{"role": "cause", "start": 0, "stop": 1}]]}
    findings = tmp_path / "findings.jsonl"
    findings.write_text(json.dumps(text) + "\n")
    args = [str(findings) if arg == "FINDINGS" else arg for arg in args]
    if args[0] == "check":
        assert shell('"$@"', *args)[0] == 1
    status, _, err = shell('"$@" | true; exit ${PIPESTATUS[0]}', *args)
    assert status == 141
    assert "error" not in err


def test_results_on_standard_output_stay_alone(tmp_path):
    status, out, err = shell('"$@"', "convert", GOLD, "/dev/stdout", "--to", "jsonl")
    assert status == 0
    assert [json.loads(line)["id"] for line in out.splitlines()] == fc.read(GOLD).ids.to_pylist()
    assert err.endswith("/dev/stdout: 61 examples, 72 relations\n")


def test_ctrl_c(tmp_path):
    """Ctrl-C ends a command that waits for a pipe, with status 130 and without a message."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen([*RUN, "check", str(pipe)], stderr=subprocess.PIPE) as process:
        with pipe.open("wb"):  # opened when it is read
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 130
        assert process.stderr.read() == b""


# ------------------------------------------------------------------------------ terminal escapes

EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\x7f\r\u202eevil\u2028"
SHOWN = r"\x1b]0;owned\x07\x1b[2J\x9b31m\x7f\x0d\u202eevil\u2028"
# Characters that a terminal obeys; output holds none but line ends and, on a terminal, colours.
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def evil(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    row = {"length": 3, "relations": [[{"role": "cause", "start": 0, "stop": 1}]], "kind": EVIL}
    for name in ("a", "b"):
        text = json.dumps(row | {"id": EVIL + name}) + "\n"
        Path(f"{name}.jsonl").write_text(text)
        Path(f"{EVIL}{name}.jsonl").write_text(text)
    Path("labels.jsonl").write_text(json.dumps({"id": EVIL, "label": EVIL}) + "\n")


TOLD = [
    ("score a.jsonl a.jsonl --by kind", 0), ("score a.jsonl b.jsonl", 2),
    ("score a.jsonl b.jsonl --unmatched empty", 0), ("check a.jsonl", 1),
    ("score a.jsonl EVILa.jsonl a.jsonl", 0), ("score a.jsonl EVILb.jsonl a.jsonl", 2),
    ("score a.jsonl EVIL.jsonl", 2), ("convert a.jsonl EVIL.conll", 0),
    ("agree a.jsonl EVILa.jsonl", 0), ("describe a.jsonl EVILa.jsonl", 0),
    ("agree a.jsonl a.jsonl --by kind", 2), ("classify labels.jsonl labels.jsonl", 0),
    ("sweep a.jsonl EVILa.jsonl --out x", 0), ("sweep a.jsonl a.jsonl EVILb.jsonl --out x", 1),
    ("score a.jsonl a.jsonl --EVIL", 2), ("EVIL", 2), ("score a.jsonl a.jsonl --by EVIL", 2),
]  # fmt: skip


@pytest.mark.parametrize(("args", "status"), TOLD, ids=[line for line, _ in TOLD])
def test_names_and_ids_do_not_command_the_terminal(args, status, evil):
    args = [arg.replace("EVIL", EVIL) for arg in args.split()]
    for more in ((), ("--json",)) if args[0] != "convert" else ((),):
        out, err = cli(*args, *more, expect=status)
        assert not OBEYED.search(out), out
        assert not OBEYED.search(err), err
        if more:
            assert isinstance(json.loads(out), dict)


def test_nor_where_there_are_colours(evil):
    lead, follow = pty.openpty()
    args = [*RUN, "score", "a.jsonl", "b.jsonl", "--by", "kind", "--unmatched", "empty"]
    env = os.environ | {"TERM": "xterm-256color", "COLUMNS": "200"}
    with subprocess.Popen(args, stdout=follow, env=env, stderr=subprocess.PIPE) as process:
        os.close(follow)
        shown = b""
        try:
            while part := os.read(lead, 65536):
                shown += part
        except OSError:  # the other end is closed
            pass
        err = process.stderr.read().decode()
    os.close(lead)
    text = COLOUR.sub("", shown.decode().replace("\r\n", "\n"))
    assert r"\x1b]0;owned" in text
    assert not OBEYED.search(text)
    assert not OBEYED.search(err)


def test_data_in_json_stays_what_it_is(evil):
    """Characters that a terminal obeys are escaped as JSON does it; reading gives them back."""
    found = json.loads(cli("score", "a.jsonl", "a.jsonl", "--by", "kind", "--json")[0])
    assert f"kind={EVIL}" in found["subsets"]


def test_text_is_escaped_no_more_than_needed():
    assert printable("Ünïcödé ✓ 日本\t\n") == "Ünïcödé ✓ 日本\t\n"
    assert printable(os.fsdecode(b"\xff")) == r"\udcff"


def test_the_module_is_the_command():
    done = subprocess.run([sys.executable, "-m", "fastcausal", "score", GOLD, CAREFUL, "--json"],
                          capture_output=True, encoding="utf-8", check=True)  # fmt: skip
    assert json.loads(done.stdout) == fc.score(GOLD, CAREFUL).to_dict()
    done = subprocess.run([sys.executable, "-m", "fastcausal", "nothing"],
                          capture_output=True, encoding="utf-8", check=False)  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("see fastcausal --help\n")


def test_a_warning_is_one_line(tmp_path):
    gold = {"id": "a", "text": "Rain fell .", "tokens": ["Rain", "fell", "."], "relations": []}
    for name in ("gold", "a\nb", "c"):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(gold) + "\n")
    shown = cli("score", *(tmp_path / f"{name}.jsonl" for name in ("gold", "a\nb", "c")))[1]
    warnings = shown.splitlines()
    assert r"warning: a\nb: gold has no relation in any example" in warnings
    assert all(line.startswith("warning: ") for line in warnings)

"""Completion of commands by the Tab key, as the scripts of the shells ask for it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import sys
import termios
import time
from contextlib import contextmanager
from pathlib import Path

import click
import pytest
from click.types import FloatParamType as FLOAT

from fastcausal.cli import COMPLETE, SHELLS, app
from tests.cli.test_options import COMMANDS
from tests.support.cli import cli

SINGLE = [name for name in app.list_commands(None) if " " not in name]


@pytest.fixture(params=SHELLS)
def completed(request, monkeypatch):
    """Give a function that completes a line; the last word is begun or empty."""

    def complete(line):
        words = line.split(" ")
        is_fish = request.param == "fish"
        monkeypatch.setenv(COMPLETE, f"{request.param}_complete")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", words[-1] if is_fish else str(len(words) - 1))
        out, err = cli()
        assert not err
        lines = out.splitlines() if out.strip() else []
        if request.param == "zsh":
            lines = [f"{kind},{word}" for kind, word in zip(lines[::3], lines[1::3], strict=True)]
        return [text.partition("\t")[0].removeprefix("plain,") for text in lines]

    return complete


@pytest.mark.parametrize(("line", "expected"), [
    ("fastcausal sc", ["score", "schemes", "schema"]),
    ("fastcausal ", SINGLE),
    ("fastcausal nothing ", SINGLE),
    ("fastcausal meta p", ["plan", "file,p"]),
    ("fastcausal meta plan --unm", ["--unmatched"]),
    ("fastcausal meta sample --del", ["--delta"]),
    ("fastcausal meta drift --clu", ["--cluster"]),
    ("fastcausal meta scores.csv p", ["file,p"]),
    ("fastcausal crab p", ["pairwise", "prompts"]),
    ("fastcausal annotate ", ["export", "import"]),
    ("fastcausal --show-completion ", list(SHELLS)),
    ("fastcausal score gold.csv pred.csv --unm", ["--unmatched"]),
    ("fastcausal score --unparsed s", ["skip"]),
    ("fastcausal score --unparsed skip --unparsed s", ["skip"]),
    ("fastcausal score --seed x --no-such --unparsed e", ["error", "empty"]),
    ("fastcausal crab events --match ", ["tokens", "exact"]),
    ("fastcausal score go", ["file,go"]),
    ("fastcausal demo --format=la", ["latex"]),
    ("fastcausal convert x y --like=go", ["file,go"]),
    ("fastcausal score --protocol cnc", ["cnc-2023", "cnc-2022", "file,cnc"]),
    ("fastcausal sweep x y --task c", ["classify", "file,c"]),
])  # fmt: skip
def test_words_that_complete_a_line(completed, line, expected):
    assert completed(line) == expected


def test_a_line_of_no_shell_is_one_message(monkeypatch):
    monkeypatch.setenv(COMPLETE, "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "fastcausal score")
    monkeypatch.setenv("COMP_CWORD", "x")
    out, err = cli(expect=2)
    assert not out
    assert err.startswith("error: invalid literal")


@pytest.mark.parametrize("completed", SHELLS[:1], indirect=True)  # all shells use one tree
def test_every_value_completes_unless_it_is_a_number(completed):
    """Options offer their choices; the shell offers files for all others but numbers."""
    for words, command in COMMANDS.items():
        assert "--help" in completed(f"fastcausal {words} --h"), words
        for option in command.params:
            if isinstance(option, click.Option) and not option.is_flag:
                found = completed(f"fastcausal {words} {option.opts[-1]} ")
                is_number = isinstance(option.type, click.types.IntParamType | FLOAT)
                assert bool(found) == (not is_number), (words, option.opts)
                if isinstance(option.type, click.Choice):
                    assert found == list(option.type.choices), (words, option.opts)


# Typed lines, and the lines after the Tab key, in every shell.
LINES = {
    "fastcausal lead": "fastcausal leaderboard ",
    "fastcausal meta p": "fastcausal meta plan",  # or plans.csv
    "fastcausal score go": "fastcausal score gold.csv ",
    "fastcausal score gold.csv careful.jsonl --unm": "fastcausal score gold.csv careful.jsonl "
    "--unmatched ",
    "fastcausal score --unparsed sk": "fastcausal score --unparsed skip ",
    "fastcausal demo --format=la": "fastcausal demo --format=latex ",
    "fastcausal convert gold.csv x --like go": "fastcausal convert gold.csv x --like gold.csv ",
    "fastcausal convert gold.csv x --like=go": "fastcausal convert gold.csv x --like=gold.csv ",
    "fastcausal score 'two words.csv' --perc": "fastcausal score 'two words.csv' --percent ",
    "fastcausal score tw": r"fastcausal score two\ words.csv ",
    "fastcausal score --protocol rec": "fastcausal score --protocol recess ",
}
KEY = b"\x0f"  # prints the typed line, and clears it
STARTS = {
    "bash": (
        ["bash", "--norc", "--noprofile", "-i"],
        r"""bind -x '"\C-o": printf "\n%sNE<%s>\n" LI "$READLINE_LINE"; READLINE_LINE='; """
        'eval "$(fastcausal --show-completion bash)"',
    ),
    "zsh": (
        ["zsh", "-f", "-i"],
        "autoload -U compinit; compinit -u -D; "
        'show() { zle -I; print -r -- "LI""NE<$BUFFER>"; BUFFER=; }; '
        'zle -N show; bindkey "^O" show; eval "$(fastcausal --show-completion zsh)"',
    ),
    "fish": (
        ["fish", "--no-config", "-i"],
        "fastcausal --show-completion fish | source; "
        """bind \\co 'echo; echo "LI""NE<"(commandline)">"; commandline ""'""",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_completes_every_word_of_a_line(shell, tmp_path):
    """A real shell under a pseudo-terminal, with the printed script."""
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell}")
    program = tmp_path / "bin" / "fastcausal"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m fastcausal "$@"\n')
    program.chmod(0o755)
    for name in ("gold.csv", "careful.jsonl", "plans.csv", "two words.csv"):
        (tmp_path / name).touch()
    found = {}
    with typing(shell, tmp_path) as (send, wait):
        send(f'{STARTS[shell][1]}; echo "REA""DY"\n'.encode())
        wait(r"READY\s")
        for line in LINES:
            send(line.encode() + b"\t" + KEY)
            found[line] = wait("LINE<([^%>]*)>")
    assert found == LINES


@contextmanager
def typing(shell, folder):
    """Give two functions: to type into a shell, and to wait for a pattern in its output."""
    path = os.pathsep.join([str(folder / "bin"), os.environ["PATH"]])
    root = str(Path(__file__).parents[2])
    pid, terminal = pty.fork()
    if not pid:
        os.chdir(folder)
        env = {**os.environ, "PATH": path, "TERM": "dumb", "HOME": str(folder), "PYTHONPATH": root}
        os.execvpe(STARTS[shell][0][0], STARTS[shell][0], {**env, "INPUTRC": "/dev/null"})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
    seen = ""

    def wait(pattern):
        nonlocal seen
        end = time.monotonic() + 30
        while (match := re.search(pattern, seen)) is None:
            assert time.monotonic() < end, seen
            if select.select([terminal], [], [], 1)[0]:
                seen += os.read(terminal, 1 << 16).decode(errors="replace")
        seen = seen[match.end() :]
        return match[match.re.groups]

    try:
        yield (lambda data: os.write(terminal, data)), wait
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)

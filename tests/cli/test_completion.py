"""Completion of commands by the Tab key, as the scripts of the shells ask for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from fastcausal.cli import COMPLETE, SHELLS, app
from tests.cli.test_options import COMMANDS
from tests.support.cli import cli

SINGLE = [name for name in app.list_commands(None) if " " not in name]


@pytest.fixture(params=SHELLS)
def completed(request, monkeypatch):
    """Give what completes a line, whose last word is begun or empty."""

    def complete(line):
        words = line.split(" ")
        is_fish = request.param == "fish"
        monkeypatch.setenv(COMPLETE, f"{request.param}_complete")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", words[-1] if is_fish else str(len(words) - 1))
        out, err = cli()
        assert not err
        lines = out.splitlines()
        if request.param == "zsh":
            lines = [f"{kind},{word}" for kind, word in zip(lines[::3], lines[1::3], strict=True)]
        return [text.partition("\t")[0].removeprefix("plain,") for text in lines]

    return complete


@pytest.mark.parametrize(("line", "expected"), [
    ("fastcausal sc", ["score", "schema"]),
    ("fastcausal ", SINGLE),
    ("fastcausal nothing ", SINGLE),
    ("fastcausal meta p", ["plan", "file,p"]),
    ("fastcausal meta plan --unm", ["--unmatched"]),
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
])  # fmt: skip
def test_words_that_complete_a_line(completed, line, expected):
    assert completed(line) == expected


def test_every_choice_of_every_option_completes(completed):
    for words, command in COMMANDS.items():
        assert "--help" in completed(f"fastcausal {words} --h"), words
        for option in command.params:
            if isinstance(option, click.Option) and isinstance(option.type, click.Choice):
                line = f"fastcausal {words} {option.opts[-1]} "
                assert completed(line) == list(option.type.choices), line


def test_a_line_of_no_shell_is_one_message(monkeypatch):
    monkeypatch.setenv(COMPLETE, "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "fastcausal score")
    monkeypatch.setenv("COMP_CWORD", "x")
    out, err = cli(expect=2)
    assert not out
    assert err.startswith("error: invalid literal")


def test_bash_completes_with_the_printed_script(tmp_path):
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash")
    program = tmp_path / "fastcausal"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m fastcausal "$@"\n')
    program.chmod(0o755)
    script = (
        'eval "$(fastcausal --show-completion bash)"; COMP_WORDS=(fastcausal sc); COMP_CWORD=1; '
        '_fastcausal_completion fastcausal; echo "${COMPREPLY[@]}"'
    )
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    done = subprocess.run([bash, "--norc", "-c", script], capture_output=True, text=True,
                          check=True, env={**os.environ, "PATH": path},
                          cwd=Path(__file__).parents[2])  # fmt: skip
    assert done.stdout == "score schema\n"
    assert not done.stderr

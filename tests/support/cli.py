"""The command line, run in this process or in one of its own."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from click.testing import CliRunner

from fastcausal.cli import app


def cli(*args: object, expect: int | None = 0, stdin: str | bytes | None = None) -> tuple[str, str]:
    """Run a command in this process: standard output and standard error."""
    result = CliRunner().invoke(app, [*map(str, args)], input=stdin)
    if not isinstance(result.exception, SystemExit | None):
        raise result.exception
    assert expect in (None, result.exit_code), result.output
    return result.stdout, result.stderr


def command(*args: object, expect: int = 0, **options: Any) -> tuple[str, str]:
    """Run the command as a shell does: standard output and standard error."""
    code = "import sys; sys.argv[0] = 'fastcausal'; from fastcausal.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code, *map(str, args)], capture_output=True,
                          encoding="utf-8", check=False, **options)  # fmt: skip
    assert done.returncode == expect, done.stderr
    return done.stdout, done.stderr

"""The parsers of untrusted bytes alone keep their promises for any input, under sanitizers.

``FASTCAUSAL_FUZZ_SECONDS`` makes each run for so long, elsewhere from ``FASTCAUSAL_FUZZ_FIRST``.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.support import capi, emulated

pytestmark = pytest.mark.slow  # programs are built

SECONDS = os.environ.get("FASTCAUSAL_FUZZ_SECONDS")
FIRST = os.environ.get("FASTCAUSAL_FUZZ_FIRST", "0")
INPUTS = 2000  # in a full run, which ends by number and not by time
PARSERS = Path(__file__).parent / "parsers"
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
NAMES = ("submission", "lines", "tagged", "tag_lines", "answers", "fincausal")
NAMES += ("span_lines", "model_answers", "page", "questions", "pruned")


def program(name: str) -> Path:
    """The program of a parser; `make fuzz` takes those that `make test-all` has built."""
    counts = counting() if name == "page" else ()
    try:
        return emulated.built(PARSERS / f"{name}.cpp", *SANITIZERS, *counts)
    except AssertionError as error:
        if re.search("cannot find .*(asan|ubsan)", str(error)):
            pytest.skip("no sanitizers")
        raise


def counting() -> tuple[str, ...]:
    """Link the C library, which the page calls; it is not watched, and so not compiled again."""
    library = capi.installed() / "lib" / "libfastcausal.a"
    return "-Wl,--whole-archive", str(library), "-Wl,--no-whole-archive"


def run(name: str, count: int, seconds: str) -> subprocess.CompletedProcess[str]:
    # Within a process that is itself watched, libraries are loaded before the sanitizer's.
    environment = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
    command = [program(name), FIRST, str(count), seconds]
    return subprocess.run(
        command, env=environment, capture_output=True, encoding="utf-8", errors="replace",
        check=False,
    )  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_parser(name):
    count = 2**62 if SECONDS else INPUTS
    done = run(name, count, SECONDS or "inf")
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout) > 0
    assert SECONDS or int(done.stdout) == INPUTS


def test_a_byte_too_far_is_seen():
    done = run("planted", INPUTS, "inf")
    assert done.returncode
    assert "heap-buffer-overflow" in done.stderr

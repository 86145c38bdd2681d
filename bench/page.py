"""Runs the benchmarks of docs/performance.md and writes its tables: `python -m bench.page`.

    python -m bench.page --sentences 1000000
    python -m bench.page streams ingestion

A page has marks. Each names the parts of bench (`streams`: test_streams.py) whose races it shows::

    <!-- bench: streams ingestion -->
    <!-- end -->

The mark `<!-- bench -->` shows the machine. Text outside marks stays.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent
PAGE = FOLDER.parent / "docs" / "performance.md"
MARK = re.compile(r"(<!-- bench(?:: ([\w ]+))? -->\n).*?(<!-- end -->)", re.DOTALL)
FAST = ("call", "corpus", "time", "an example", "against", "times as fast")
GROWN = ("call", "corpus", "time", "an example", "exponents to 4n, 16n", "memory")
READING = ("call", "corpus", "time", "an example", "beside", "times of reading")


def marks_of(text: str) -> list[list[str]]:
    """Return the parts of bench that each mark of a page shows."""
    return [parts.split() for _, parts, _ in MARK.findall(text)]


def parts_to_run(marks: Sequence[Sequence[str]], asked: Sequence[str] = ()) -> list[str]:
    """Return the parts to run: all parts of each mark with a requested one, by default all."""
    return [part for mark in marks if not asked or {*mark} & {*asked} for part in mark]


def write(page: Path, outcomes: Sequence[Any], notes: Mapping[str, Sequence[str]], n: int) -> None:
    """Write the tables of the parts that ran; keep the text of other marks."""

    def block(found: re.Match[str]) -> str:
        opening, parts, end = found.groups()
        if parts is None:
            return f"{opening}{machine(n)}\n{end}"
        own = [outcome for part in parts.split() for outcome in outcomes if outcome.part == part]
        below = [line for part in parts.split() for line in notes.get(part, ())]
        if not own and not below:
            return found[0]
        lines = "".join(f"* {line}\n" for line in below)
        return f"{opening}\n{(tables(own) + lines).strip()}\n\n{end}"

    text = page.read_text(encoding="utf-8")
    page.write_text(MARK.sub(block, text), encoding="utf-8")


def machine(n: int) -> str:
    """Name the machine and the size of the large corpus."""
    cores = f"{os.cpu_count()} cores of {platform.machine()}"
    return f"{cores}, Python {platform.python_version()}, `--sentences {n}`."


def tables(outcomes: Sequence[Any]) -> str:
    """Return up to three tables: races against rivals, against only reading the input; growth."""
    fast = [row for outcome in outcomes
            if outcome.others or not (outcome.reading or outcome.growth)
            for row in rows(outcome, outcome.others, outcome.ratio)]  # fmt: skip
    slow = [row for outcome in outcomes if outcome.reading
            for row in rows(outcome, outcome.reading, outcome.share)]  # fmt: skip
    grown = [(o.what, o.corpus, shown(o.ours), each(o), *o.growth) for o in outcomes if o.growth]
    return table(FAST, fast) + table(READING, slow) + table(GROWN, grown)


def rows(outcome: Any, clocks: Mapping[str, Any], ratio: Any) -> list[tuple[str, ...]]:
    """Return a row for each rival; the first names the call."""
    own = (outcome.what, outcome.corpus, shown(outcome.ours), each(outcome))
    found = []
    for name in clocks:
        times = figure(ratio(name)) if outcome.agrees(name) else "unsure"
        found.append((*own, name, times))
        own = ("", "", "", "")
    return found or [(*own, "", "")]


def table(head: tuple[str, ...], lines: Sequence[tuple[str, ...]]) -> str:
    """Return a table of Markdown; nothing without lines."""
    if not lines:
        return ""
    every = [head, ("---",) * len(head), *lines]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in every) + "\n"


def shown(clocks: Any) -> str:
    """Return the time of a call, with the kind of time."""
    return duration(clocks.seconds) + ("" if clocks.alone else " wall")


def each(outcome: Any) -> str:
    """Return the time of one example."""
    return duration(outcome.ours.seconds / outcome.n) if outcome.n > 1 else ""


def figure(ratio: float) -> str:
    """Return a ratio with two digits or more.

    >>> figure(1234.5), figure(12.34), figure(0.456)
    ('1,234', '12', '0.46')
    """
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"


def duration(seconds: float) -> str:
    """Return a time with three digits and its unit.

    >>> duration(0.0123), duration(3.9e-8)
    ('12.3 ms', '39 ns')
    """
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def main() -> int:
    """Run the parts of the page, or only the named ones."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", help="default: all parts of the page")
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--sentences", type=int, default=100_000)
    options = parser.parse_args()
    marks = marks_of(options.page.read_text(encoding="utf-8"))
    known = parts_to_run(marks)
    for part in options.parts:
        if part not in known:
            parser.error(f'{options.page} has no mark of "{part}", only of {", ".join(known)}')
    files = [str(FOLDER / f"test_{part}.py") for part in parts_to_run(marks, options.parts)]
    own = ("-c", str(FOLDER / "pytest.ini"), "--rootdir", str(FOLDER), "-p", "no:cacheprovider")
    size = f"--sentences={options.sentences}"
    return pytest.main(
        [*own, "-q", "--durations=9", "--benchmark-only", f"--page={options.page}", size, *files]
    )


if __name__ == "__main__":
    sys.exit(main())

"""Tables of systems for pages: intervals of scores and of differences as pictures."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from fastcausal.options import Correction
from fastcausal.report.escapes import Cell
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Scores
from fastcausal.report.numbers import UNDEFINED, Bounded
from fastcausal.report.page import Drawn
from fastcausal.report.page.table import Links
from fastcausal.significance.corrections import CORRECTED, level_text

SCORE = ("value", "low", "high")
RANK = ("rank", "rank_low", "rank_high")
DIFFERENCE = ("delta", "delta_low", "delta_high")
TESTED = ("p", "p_adjusted")
REPORT = "report"  # the column beside systems with addresses of their reports
ADDRESS = re.compile(r"https?://[^\0-\x20]+|[^:\0-\x1f]+", re.IGNORECASE)  # no other scheme
WORDS = {
    "p": "p-value",
    "mde": "minimum detectable effect",
    "n": "runs",
    "std": "standard deviation",
}


def board_table(
    scores: Mapping[str, Scores],
    score: str,
    baseline: str | None,
    correction: Correction,
    others: Sequence[str] = (),
    beside: Mapping[str, Mapping[str, str]] | None = None,
) -> Drawn:
    """Draw a row per system: score, rank and difference from the baseline with their intervals."""
    # Texts beside a system come first, further scores last. Its name is a link to its report.
    beside, links = _split_reports(beside or {})
    texts = [*next(iter(beside.values()), ())]
    difference = [] if baseline is None else [f"minus {baseline}"]
    tests = [name for name in TESTED if name in next(iter(scores.values()))]
    columns = [*texts, score, "rank", *difference, *tests, *others]
    grid = Grid("", columns, "system", signed=difference)
    for name, row in scores.items():
        shown: list[Cell] = [*beside.get(name, {}).values()]
        shown += [_bounded(row, *SCORE), _rank(row)]
        tested: list[Cell] = [""] * len([*difference, *tests])
        if difference and name != baseline:
            tested = [_bounded(row, *DIFFERENCE), *(row[column] for column in tests)]
        further = [_bounded(row, each, f"{each}_low", f"{each}_high") for each in others]
        grid.add(name, *shown, *tested, *further)
    words = {**WORDS, "p_adjusted": f"p-value ({CORRECTED[correction]})"}
    intervals = [score, *difference, *others]
    return Drawn(grid, intervals=intervals, links=links, marks=standings(scores), words=words)


def _split_reports(
    beside: Mapping[str, Mapping[str, str]],
) -> tuple[dict[str, dict[str, str]], Links]:
    """Return the texts beside systems without the addresses of reports, and links to these.

    >>> _split_reports({"a": {"lr": "0.1", "report": "pages/a.html"}})
    ({'a': {'lr': '0.1'}}, {('', 'a', 'system'): 'pages/a.html'})
    >>> _split_reports({"a": {"report": "javascript:alert(1)"}})
    ({'a': {'report': 'javascript:alert(1)'}}, {})
    """
    addresses = {name: texts[REPORT] for name, texts in beside.items() if texts.get(REPORT)}
    if not all(map(ADDRESS.fullmatch, addresses.values())):
        addresses = {}
    kept = {
        system: {name: text for name, text in texts.items() if name != REPORT or not addresses}
        for system, texts in beside.items()
    }
    return kept, {("", system, "system"): address for system, address in addresses.items()}


def standings(scores: Mapping[str, Scores]) -> dict[str, str]:
    """Name the best system, and the systems that are not significantly worse.

    >>> standings({"a": Scores({"best": True}), "b": Scores({"best": True})})
    {'a': 'best', 'b': 'tied'}
    """
    # A system is tied if no other one is significantly better.
    best = [name for name, values in scores.items() if values["best"]]
    return {name: "tied" if k else "best" for k, name in enumerate(best)}


def board_line(confidence: float, method: str) -> str:
    """Return a line that explains `board_table`."""
    level = f"{100 * confidence:g}%"
    return (
        f"Lines and brackets: {level} confidence intervals ({method}). Behind a rank stands its "
        f"simultaneous {level} interval. Tied: not significantly worse than the best."
    )


def board_caption(score: str, confidence: float, n_resamples: int) -> str:
    """Return a caption that explains the marks of a pasted leaderboard, and their test.

    >>> board_caption("overall_f1", 0.95, 99)[:54]
    'Bold: the best overall_f1; †: not significantly worse '
    """
    return (
        f"Bold: the best {score}; \u2020: not significantly worse at {level_text(confidence)} "
        f"(simultaneous {100 * confidence:g}% rank intervals, {n_resamples} resamples)"
    )


def comparison_table(
    systems: Mapping[str, str], scores: Mapping[str, Scores], correction: Correction = "none"
) -> Drawn:
    """Draw a row per score: both systems, their difference with its interval, and tests if any."""
    names = (f"a: {systems['a']}", f"b: {systems['b']}")
    tests = [name for name in (*TESTED, "mde") if name in next(iter(scores.values()))]
    grid = Grid("", [*names, "b minus a", *tests], "score", signed=["b minus a"])
    for name, row in scores.items():
        interval = _bounded(row, "delta", "low", "high")
        grid.add(name, row["a"], row["b"], interval, *(row[test] for test in tests))
    words = {**WORDS, "p_adjusted": f"p-value ({CORRECTED[correction]})"}
    values = [row[side] for row in scores.values() for side in ("a", "b")]
    shares = names if all(0 <= value <= 1 for value in values if value == value) else ()
    return Drawn(grid, shares=shares, intervals=["b minus a"], words=words)


def _bounded(row: Mapping[str, float], value: str, low: str, high: str) -> Bounded:
    return Bounded(row[value], row[low], row[high])


def _rank(row: Scores) -> str:
    """Write a rank with its interval.

    >>> _rank(Scores({"rank": 2, "rank_low": 1, "rank_high": 3}))
    '2 (1 to 3)'
    """
    rank, low, high = (row[name] for name in RANK)
    return UNDEFINED if math.isnan(rank) else f"{rank} ({low} to {high})"

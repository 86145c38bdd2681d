"""Many systems on the same units: scores, rank intervals, and the corrected best score."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from fastcausal.counts.joint import terms_of
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import MAX_NAMED
from fastcausal.files.values import write_cell
from fastcausal.options import Correction, Method, PairedTest, check
from fastcausal.report.escapes import Cell
from fastcausal.report.grid import BEST, TIED, Grid
from fastcausal.report.groups import Scores
from fastcausal.report.numbers import Scale, number_text, shares_in
from fastcausal.report.page import Page, Section
from fastcausal.report.page.page import board_part, title_of
from fastcausal.report.report import Report, describe_settings, plain
from fastcausal.significance.corrections import CORRECTED, adjusted, level_text, resamples_needed
from fastcausal.significance.draws import METHODS, Draws
from fastcausal.significance.intervals import intervals_of, warnings_of
from fastcausal.significance.paired import is_student
from fastcausal.significance.ranks import negated, rank_sets, share
from fastcausal.significance.sums import CountRows, narrowed, sums_of
from fastcausal.significance.units import OneScore
from fastcausal.sweeps.compare import (
    TESTS,
    compare,
    direction_lines,
    find_unreachable,
)
from fastcausal.sweeps.drawn import board_caption, board_line, board_table, standings
from fastcausal.sweeps.hyperparameters import hyperparameters_of
from fastcausal.sweeps.systems import list_failures, load_systems, request_scores
from fastcausal.tasks.values.reading import ValueReading

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, float]
DIFFERENCE = ("delta", "delta_low", "delta_high", "p", "p_adjusted")
COLUMNS = ("value", "low", "high", "worth", "rank", "rank_low", "rank_high", "best", *DIFFERENCE)
HIDDEN = ("system", "worth")  # columns of results that tables leave out
KEYS = (
    "signature", "score", "n_systems", "unit", "n_units", "method", "confidence", "n_resamples",
    "seed", "test", "winner", "systems", "warnings", "lower_is_better?", "answers?", "least_p?",
)  # fmt: skip


class Leaderboard(Report):
    """Systems by rank, equal ranks by name: ``board["run 7"].rank``.

    Each system has its score ``value`` with the confidence interval ``low`` to ``high``, the
    ``worth`` of the units (how many equal ones tell as much about its score), its
    ``rank`` with the simultaneous rank interval ``rank_low`` to ``rank_high``, and ``best``, true
    if no system is significantly better. With a baseline, it also has the difference ``delta`` from
    the baseline with ``delta_low`` and ``delta_high``, and the p-values ``p`` and ``p_adjusted``.
    Ranks of an undefined score are NaN.

    Attributes
    ----------
    signature : str
        Signature line: all settings that the scores depend on.
    score : str
        Flat name of the ranking score.
    n_systems : int
        Number of all systems; ``scores`` may have only the first ones.
    unit : str
        Noun of single units, or the column of the clusters.
    n_units : int
    draws : Draws
        ``method``, ``confidence``, ``n_resamples`` and ``seed``, also attributes of their own.
    test : {"student", "randomisation"}
        Test of p, as in `Comparison`.
    winner : mapping
        The first ``system``, its ``value``, and ``expected``: the estimated score on new units of a
        system chosen as the best.
    scores : mapping of str to Scores
        Values by system.
    baseline : str or None
    correction : {"holm", "bh", "none"}
    warnings : tuple of str
    lower_is_better : bool
    answers : mapping, optional
        For values: the rule from answers to values, and counts of the answers of each system.
    n_significant : int
        Systems that differ significantly from the baseline.
    least_p : mapping of str to float, optional
        Systems of which no outcome could be significant, as in `Comparison`.
    others : tuple of str
        Further scores by flat name; each system also has their values, ``NAME_low`` and
        ``NAME_high``.
    systems : list of dict
        Names, hyperparameters and values of the systems.
    hyperparameters : mapping of str to mapping, optional
        Hyperparameters of each system, by column.
    protocol : str
        Name of the protocol of relations; empty for other tasks.
    scale_of : mapping of str to Scale
        Scales of ``score`` and ``others``.
    """

    score: str
    n_systems: int
    unit: str
    n_units: int
    draws: Draws
    test: PairedTest
    winner: Mapping[str, Any]
    systems: list[dict[str, Any]]
    baseline: str | None
    correction: Correction
    lower_is_better: bool
    answers: Mapping[str, Any] | None
    n_significant: int
    least_p: Mapping[str, float] | None
    others: tuple[str, ...]
    hyperparameters: Mapping[str, Mapping[str, Any]]
    protocol: str
    scale_of: Mapping[str, Scale]


def _tabulate(board: Leaderboard) -> pa.Table:
    """Make a row per system; undefined values are null."""
    import pyarrow as pa

    return pa.Table.from_pylist(plain(board.systems))


def _grids(board: Leaderboard, counts: bool) -> list[Grid]:
    """Make a row per system."""
    columns = [name for name in board.systems[0] if name not in HIDDEN]
    signed = [name for name in columns if name.startswith("delta")]
    own = dict.fromkeys((*COLUMNS[:3], *DIFFERENCE[:3]), board.score)
    scores = {n: own.get(n, n.removesuffix("_low").removesuffix("_high")) for n in columns}
    known = shares_in(board.scale_of)
    shares = [name for name, score in scores.items() if score in known]
    grid = Grid(board.title, columns, "system", signed=signed, shares=shares)
    for (system, texts), row in zip(_texts(board).items(), board.systems, strict=True):
        shown: dict[str, Cell] = {**row, "best": "yes" if row["best"] else "no", **texts}
        if system == board.baseline:
            shown |= dict.fromkeys(DIFFERENCE, "")
        grid.add(system, *(shown[column] for column in columns))
    for name, standing in standings(board.scores).items():
        grid.emphasis["", name, "value"] = BEST if standing == "best" else TIED
    grid.caption = board_caption(board.score, board.draws.confidence, board.draws.n_resamples)
    if board.baseline is not None:
        corrected = CORRECTED[board.correction]
        grid.caption += f". p: {TESTS[board.test]} against {board.baseline} ({corrected})"
    return [grid]


def _texts(board: Leaderboard) -> dict[str, dict[str, str]]:
    """Return the hyperparameters of each system as text."""
    beside = board.hyperparameters
    return {
        system: {name: write_cell(value) or "" for name, value in beside.get(system, {}).items()}
        for system in board.scores
    }


def _sections(board: Leaderboard) -> list[Section]:
    """Make the parts of its page: a table with intervals, and the settings."""
    table = board_table(
        board.scores, board.score, board.baseline, board.correction, board.others, _texts(board)
    )
    lines = [
        board.legend[0],
        *direction_lines(board.scale_of),
        board_line(board.draws.confidence, board.draws.method),
    ]
    return [Section("", [table], lines), describe_settings(board)]


def _page(board: Leaderboard) -> Page:
    """Make its page; columns beside the score group the rows, and stand against it in a picture."""
    part = board_part() if board.hyperparameters or board.others else None
    warnings = [f"warning: {warning}" for warning in board.warnings]
    names = board.scores if len(board.scores) <= MAX_NAMED else ()
    title = title_of(board.title, *names, board.protocol)
    return Page(title, _sections(board), part, warnings=warnings)


def _legend(board: Leaderboard) -> tuple[str, ...]:
    """Return lines with the corrected best score and the meaning of the columns."""
    expected, value = (number_text(board.winner[name]) for name in ("expected", "value"))
    confidence = board.draws.confidence
    percent = f"{100 * confidence:g}%"
    lines = [
        f"best score: {value}; corrected for selection bias (out-of-bag bootstrap): {expected}",
        f"low, high: {percent} confidence interval ({METHODS[board.draws.method]}); "
        "best: no system is significantly better",
        f"rank_low, rank_high: simultaneous {percent} rank intervals",
        *direction_lines(board.scale_of),
    ]
    if board.baseline is not None:
        corrected = CORRECTED[board.correction]
        lines += [
            f"delta: difference from {board.baseline}, with its {percent} confidence interval",
            f"p: p-value, {TESTS[board.test]}; p_adjusted: {corrected}",
            f"significant at {level_text(confidence)} ({corrected}): "
            f"{board.n_significant} of {board.n_systems - 1} systems",
            *(
                f"{name}: p_adjusted is at least {p:.4g}: no outcome is significant"
                for name, p in (board.least_p or {}).items()
            ),
        ]
    return tuple(lines)


def leaderboard(
    systems: Any,
    score: str | Iterable[str] | None = None,
    *,
    lower_is_better: bool = False,
    top: int | None = None,
    table: Any = None,
    reading: ValueReading | None = None,
    baseline: str | None = None,
    correction: Correction = "holm",
    cluster: str | None = "auto",
    method: Method = "jackknife",
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    seed: int = 0,
    system: str | None = None,
    sample: str | None = None,
) -> Leaderboard:
    """Rank systems by a score on the same units, joined by id.

    Parameters
    ----------
    systems : list of Statistics, Report, path or table; or mapping of names to them
        A path is a file of one or several systems, a log, a table, or the folder of a sweep or of
        logs.
    score : str or iterable of str, optional
        Flat names. The first score ranks; others are added with their confidence intervals. The
        default is as in `compare`.
    lower_is_better : bool
        True ranks lower values of logs and tables first. All other scores declare the better
        direction, and so do lm-eval's results beside its samples.
    top : int, optional
        The number of systems to keep; they are ranked among all.
    table : path or table, optional
        Hyperparameters: a row per system, with its name in the column ``system`` or ``run``. On the
        page they group systems and are plotted; ``report`` is the address of a system's report.
    reading : ValueReading, optional
        As in `compare`.
    baseline : str, optional
        A system; all others are tested against it, as in `compare`.
    correction : {"holm", "bh", "none"}
        Correction of p for the number of tests.
    cluster : str, optional
        As in `compare`.
    method : {"bca", "percentile", "jackknife"}
        Method of the confidence intervals of scores and differences.
    confidence : float
        Between 0 and 1.
    n_resamples, seed : int
        Number and seed of resamples. For ranks, all systems share the resamples.
    system, sample : str, optional
        As in `compare`.

    Returns
    -------
    Leaderboard

    Raises
    ------
    InputError
        A file cannot be read; systems have different signatures, roles, ids or gold, or the same
        name; the cluster column is unknown or has nulls.
    ValueError
        A score, baseline, method or correction is unknown, or a number is out of its range; the
        score has no better direction, or declares the other one.

    Examples
    --------
    >>> import fastcausal as fc
    >>> from fastcausal import sample
    >>> board = fc.leaderboard(
    ...     {name: fc.score(sample.GOLD, path, unparsed="empty")
    ...      for name, path in sample.SYSTEMS.items()}, n_resamples=1000)
    >>> list(board.scores), board["careful"].rank, board["hasty"].best
    (['careful', 'chatty', 'hasty'], 1, False)
    """
    check("correction", correction, Correction)
    if top is not None and top < 1:
        raise ValueError(f"top is {top}, expected at least 1")
    draws = Draws(method, confidence, n_resamples, seed, cluster)
    reading = request_scores(reading, score, cluster, system, sample)
    joint = load_systems(systems, reading, common=True)
    joined = joint.systems
    score, *others = joint.scores(score)
    beside = {} if table is None else hyperparameters_of([*joined], table, COLUMNS)
    scale = joint.ranking_scale(score, lower_is_better)
    lower_is_better = scale.better == "lower"
    if baseline is not None and baseline not in joined:
        raise ValueError(f'baseline is "{baseline}", expected one of {", ".join(joined)}')
    rows, expected = _ranked(joined, score, lower_is_better, draws)
    winner = next(iter(rows))
    n_significant, least_p = 0, dict[str, float]()
    units = joined[winner].drawn(cluster, score)
    warnings = list_failures(systems) + joint.warnings
    warnings += warnings_of(units, joined[winner].units, method)
    if baseline is not None:
        least_p = _add_differences(rows, joined, baseline, score, correction, draws)
        warnings += _too_few(len(rows) - 1, correction, confidence, n_resamples)
        n_significant = sum(row["p_adjusted"] <= 1 - confidence for row in rows.values())
    shown = [*rows][:top]
    for k, name in enumerate(shown, 1):
        rows[name] |= _compute_intervals(joined[name], score, others, draws)
        reading.report(k, len(shown))
    scores = {
        name: Scores({n: rows[name][n] for n in (*COLUMNS, *rows[name]) if n in rows[name]})
        for name in shown
    }
    first = "" if len(shown) == len(rows) else f": the first {len(shown)}"
    board = Leaderboard(
        f"{score} of {len(rows)} systems on {units.text}{first}",
        joined[winner].signature,
        scores,
        facts={
            "score": score,
            "n_systems": len(rows),
            "unit": units.unit,
            "n_units": units.n_units,
            "draws": draws,
            **draws.settings(),
            "test": "student" if is_student(units.n_units, confidence) else "randomisation",
            "winner": {"system": winner, "value": rows[winner]["value"], "expected": expected},
            "systems": [{"system": n, **beside.get(n, {}), **scores[n]} for n in shown],
            "baseline": baseline,
            "correction": correction,
            "lower_is_better": lower_is_better,
            "answers": joint.answers,
            "n_significant": n_significant,
            "least_p": {name: p for name, p in least_p.items() if name in shown} or None,
            "others": tuple(others),
            "hyperparameters": {name: beside[name] for name in shown if beside},
            "protocol": joined[winner].facts.get("protocol", ""),
            "scale_of": {score: scale} | {name: joint.scale(name) for name in others},
        },
        warnings=warnings,
        keys=KEYS,
        logged=(),
        grids=_grids,
        arrow=_tabulate,
        sections=_sections,
        page=_page,
    )
    board.legend = _legend(board)
    return board


def _compute_intervals(
    statistics: Statistics, score: str, others: Iterable[str], draws: Draws
) -> Row:
    """Return the confidence interval of a score, and the values and intervals of others."""
    row: Row = {}
    for name in (score, *others):
        units = statistics.drawn(draws.cluster, name)
        low, high, _ = intervals_of(units, draws)[name]
        if name == score:
            row |= {"low": low, "high": high, "worth": units.worth(name)}
        else:
            value = float(statistics.scores()[name][0])
            row |= {name: value, f"{name}_low": low, f"{name}_high": high}
    return row


def _ranked(
    systems: Mapping[str, Statistics], score: str, lower_is_better: bool, draws: Draws
) -> tuple[dict[str, Row], float]:
    """Return values and ranks by system, as in `Leaderboard`; and the expected best score."""
    sign = -1 if lower_is_better else 1
    terms = {name: narrowed(terms_of(s, draws.cluster, score)) for name, s in systems.items()}
    names = sorted(terms, key=lambda name: (_totals(terms[name]), name))  # not the caller's order
    formula = systems[names[0]].formula.only(score)
    assert isinstance(formula, OneScore)  # terms_of refuses scores that are not sums
    if lower_is_better:
        formula = negated(formula)
    columns = np.stack([terms[name] for name in names], axis=1)
    shared = share(formula, columns, draws.n_resamples, draws.seed)
    sets = rank_sets(shared.values, shared.drawn, draws.confidence, len(terms[names[0]]))
    rows = {
        name: {"value": sign * value, "rank": rank or math.nan, "rank_low": low or math.nan}
        | {"rank_high": high or math.nan, "best": low == 1}
        for name, value, rank, low, high in zip(
            names, *(column.tolist() for column in (shared.values, *sets)), strict=True
        )
    }
    order = sorted(
        rows, key=lambda name: (math.isnan(rows[name]["rank"]), rows[name]["rank"], name)
    )
    return {name: rows[name] for name in order}, sign * shared.expected


def _totals(terms: CountRows) -> list[float]:
    totals: list[float] = sums_of(terms, np.ones((1, len(terms)), np.int64))[0].tolist()
    return totals


def _add_differences(
    rows: Mapping[str, Row],
    systems: Mapping[str, Statistics],
    baseline: str,
    score: str,
    correction: Correction,
    draws: Draws,
) -> dict[str, float]:
    """Add the differences from the baseline to the rows; NaN for the baseline itself.

    Return the systems of which no outcome could be significant, as `find_unreachable` does.
    """
    undefined = Scores(dict.fromkeys(("delta", "low", "high", "p"), math.nan))
    compared = {
        name: compare(systems[baseline], systems[name], score, **draws.arguments())
        for name in rows
        if name != baseline
    }
    differences = {n: compared[n][score] if n in compared else undefined for n in rows}
    corrected = adjusted([d.p for d in differences.values()], correction).tolist()
    for (name, d), p_adjusted in zip(differences.items(), corrected, strict=True):
        rows[name] |= {"delta": d["delta"], "delta_low": d["low"], "delta_high": d["high"]}
        rows[name] |= {"p": d["p"], "p_adjusted": p_adjusted}
    changes = {name: each.changes[score] for name, each in compared.items()}
    n_units = max((each.n_units for each in compared.values()), default=0)
    return find_unreachable(changes, n_units, correction, draws)


def _too_few(
    n_tests: int, correction: Correction, confidence: float, n_resamples: int
) -> tuple[str, ...]:
    """Return a warning if p of randomisation could not reach the level for any systems."""
    needed = resamples_needed(n_tests, confidence)
    if correction != "holm" or n_resamples >= needed:
        return ()
    return (
        f"{n_tests} tests need at least {needed} resamples for any p-value to be "
        f"significant at {level_text(confidence)} ({CORRECTED[correction]}), got {n_resamples}",
    )

"""A verdict on a candidate, against a baseline or floors: pass, fail, or inconclusive."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from fastcausal.counts.seals import Written
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import InputError, counted
from fastcausal.options import AnytimeLaw, Method, Pairing, Verdict
from fastcausal.report.escapes import line_text
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Scores
from fastcausal.report.numbers import Scale, number_text, shares_in
from fastcausal.report.report import Report
from fastcausal.significance.betting import LEAST_WORTH, Wealth, join_bets, joint_law
from fastcausal.significance.corrections import level_text
from fastcausal.significance.draws import METHODS, Draws, check_count
from fastcausal.significance.intervals import warnings_of
from fastcausal.significance.paired import Difference
from fastcausal.significance.units import EQUAL, differ_text, units_text
from fastcausal.sweeps.contrast import Contrast
from fastcausal.sweeps.floors import (
    MIN_UNITS,
    MIN_WORTH,
    Floor,
    are_enough,
    floors_of,
    floors_table,
    gain_of,
    joint_verdict,
    verdict_of,
)
from fastcausal.sweeps.item_table import load_sides, read_runs
from fastcausal.sweeps.looks import Looks, Question, Spending, open_looks
from fastcausal.sweeps.regressions import Regressions, find_regressions
from fastcausal.sweeps.systems import Systems, load_one, load_pair, request_scores
from fastcausal.tasks.values.reading import ValueReading

ROLES = ("baseline", "candidate")
PREDICTIONS = "predictions"  # fact: a function that returns the digest of a file of predictions
SHOWN = ("baseline", "candidate", "delta", "low", "high", "min_delta", "mde")


class Gate(Report):
    """A verdict on a candidate, with its numbers.

    Attributes
    ----------
    verdict : {"pass", "fail", "inconclusive", "unchanged"}
        ``unchanged``: the candidate is the same as the baseline; it passes for a ``min_delta`` of
        at most 0.
    score : str
        Flat name.
    baseline, candidate, delta : float
        The score of each, and candidate minus baseline; all NaN without a baseline.
    low, high : float
        One-sided confidence bounds of ``delta``: each holds with ``confidence``.
    min_delta : float
        The least difference that passes.
    n_units, n_differ : int
        Number of units, and of units that differ in the terms of the score.
    worth : float
        How many equal units tell as much about the score; NaN without a baseline.
    alpha : float
        Level of each one-sided bound.
    look, window : int or None
        With a file of looks: the number of this look at the test set, None if it spent nothing, and
        the number of looks with equal levels.
    anytime : {"betting", "mixture"} or None
        Law of bounds that hold at all looks.
    log_e, log_e_fail : float
        Natural logs of the e-values against a loss and against a gain at ``min_delta``, or at a
        floor: of several conditions the least, and the largest.
    mde : float
        The minimum detectable effect at a power of 80%.
    systems : mapping of str to str
        Names of ``baseline``, if any, and ``candidate``.
    unit : str
        Noun of single units, or the column of the clusters.
    draws : Draws
        ``method``, ``confidence``, ``n_resamples`` and ``seed``, also attributes of their own.
    lower_is_better : bool
        True if the gain is baseline minus candidate.
    pairing : {"id", "none"}
    answers : mapping, optional
        As in `Comparison`.
    floors : tuple of Floor
        Scores of the candidate with their least values that pass.
    regressions : list of str or None
        Ids of items that the baseline had right and that fail now; None if none are looked for.
    allowed : int
        So many of them pass.
    reason : str
        Sentence with the reason of the verdict.
    scale_of : mapping of str to Scale
        Scale of each score.
    """

    verdict: Verdict
    score: str
    baseline: float
    candidate: float
    delta: float
    low: float
    high: float
    min_delta: float
    n_units: int
    n_differ: int | None
    worth: float
    alpha: float
    look: int | None
    window: int | None
    anytime: AnytimeLaw | None
    log_e: float
    log_e_fail: float
    mde: float
    systems: Mapping[str, str]
    unit: str
    draws: Draws
    lower_is_better: bool
    pairing: Pairing
    answers: Mapping[str, Any] | None
    floors: tuple[Floor, ...]
    regressions: list[str] | None
    allowed: int
    reason: str
    has_baseline: bool
    scale_of: Mapping[str, Scale]

    @property
    def passed(self) -> bool:
        """True for a pass, and for no change if no gain is required."""
        return self.verdict == "pass" or (self.verdict == "unchanged" and self.min_delta <= 0)

    def to_junit(self) -> str:
        """Write a JUnit suite of one test case for servers of continuous integration.

        Verdicts other than a pass are failures, with the reason as message and all numbers as text.
        """
        from xml.etree import ElementTree

        failed = str(int(not self.passed))
        suite = ElementTree.Element(
            "testsuite", name="fastcausal gate", tests="1", failures=failed, errors="0", skipped="0"
        )
        name = line_text(f"{', '.join(self.scores) or 'items'}: {self.title.partition(': ')[2]}")
        case = ElementTree.SubElement(suite, "testcase", classname="fastcausal.gate", name=name)
        if not self.passed:
            failure = ElementTree.SubElement(
                case, "failure", type=self.verdict, message=line_text(self.reason)
            )
            failure.text = line_text(self.to_json())
        text: str = ElementTree.tostring(suite, "unicode")
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _bounds_line(facts: Mapping[str, Any]) -> str:
    percent, taken = f"{100 * facts['confidence']:g}%", METHODS[facts["method"]]
    line = f"low, high: one-sided {percent} confidence bounds"
    if facts["anytime"]:
        taken = f"{facts['anytime']}, at all looks together"
    units = units_text(facts["n_units"], facts["unit"], facts["worth"])
    if not facts["score"]:
        return f"{line} ({taken}): {units}"
    differ = differ_text(facts["n_differ"], facts["n_units"], facts["unit"], facts["worth"])
    if facts["n_differ"] is None:
        differ = f"unpaired, {units} in all"
    return f"{line} of delta ({taken}); {differ}"


def _direction(facts: Mapping[str, Any]) -> list[str]:
    """Return a line on the gain if lower is better."""
    if not facts["lower_is_better"]:
        return []
    gain = "the least gain, baseline minus candidate"
    return [f"lower is better: {facts['score']}; min_delta: {gain}"]


def _keys(facts: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys of JSON for a difference, for floors, or for both."""
    change = ("score", *SHOWN[:5], "min_delta") if facts["score"] else ()
    differ = ("n_differ", "mde", "worth") if facts["score"] else ()
    items = () if facts["regressions"] is None else ("regressions", "allowed")
    looks = ("look", "window") if facts["is_looking"] else ()
    bets = ("anytime", "log_e", "log_e_fail") if facts["anytime"] else ()
    is_told = facts["answers"] is not None or facts["pairing"] == "none"
    return (
        "verdict", *items, *change, "confidence", "n_units", *differ, "alpha", *looks, *bets,
        "reason", "systems", "signature", "unit",
        "method", "n_resamples", "seed", "warnings", "lower_is_better?",
        *(("pairing", "answers") if is_told else ()), "floors?",
    )  # fmt: skip


def _reasons(facts: Mapping[str, Any], change: Difference | None) -> list[str]:
    """Return the sentence that decided, for the difference and for each floor."""
    floors, units = facts["floors"], units_text(facts["n_units"], facts["unit"], facts["worth"])
    worths = [facts["worth"]] if change else [f.worth for f in floors if not f.point]
    worths = [] if facts["anytime"] else worths
    if facts["n_units"] < MIN_UNITS and worths and facts["verdict"] != "unchanged":
        return [f"{units} are too few for a verdict, expected at least {MIN_UNITS}"]
    if worths and min(worths) < MIN_WORTH and facts["verdict"] != "unchanged":
        least = f"a worth of at least {MIN_WORTH:g}"
        return [f"{units} are too unequal (worth {min(worths):.1f}), expected {least}"]
    differs = [] if change is None else [_describe_change(change, facts)]
    return [*differs, *(floor.reason(facts["confidence"]) for floor in floors)]


def _describe_change(change: Difference, facts: Mapping[str, Any]) -> str:
    """Return a sentence on the change of the score, and on what decided about it."""
    score, is_lower, mde = facts["score"], facts["lower_is_better"], facts["mde"]
    if facts["is_same"]:
        return f"{score} is unchanged: all predictions are those of the baseline"
    least = 0.0 - facts["min_delta"] if is_lower else facts["min_delta"]
    numbers = (change.delta, change.low, change.high, least)
    delta, lowest, highest, bound = (number_text(v, sign="+") for v in numbers)
    text = f"{score} changes by {delta} [{lowest}, {highest}]"
    passing, failing = ("at most", "above") if is_lower else ("at least", "below")
    verdict = facts["verdict_of_change"]
    decided = f"significant at {level_text(facts['confidence'])} (one-sided)"
    if math.isnan(change.low) and verdict != "inconclusive":
        decided += f", p-value {change.p / 2:.4g}"
    if facts["anytime"]:
        decided += " at all looks together"
        unseen = None
        if math.isnan(change.low):
            unseen = f"a worth of {min(change.worth, change.n_differ or 0):.1f} differing units"
            unseen += f", expected at least {LEAST_WORTH} for bounds at all looks"
    else:
        unseen = change.explain(facts["n_units"], facts["draws"].confidence)
    if verdict != "inconclusive":
        side = passing if verdict == "pass" else failing
        return f"{text}, {side} {bound}: {decided if unseen is None else unseen}"
    if unseen is not None:
        return f"{text}: {unseen}"
    text += f": neither {passing} {bound} nor {failing} is {decided}"
    if math.isnan(mde):
        return text
    return f"{text}; minimum detectable effect (80% power): {number_text(mde)}"


def _grids(report: Gate, counts: bool) -> list[Grid]:
    """Make the numbers of the difference as one row, and a row for each floor."""
    shares = shares_in(report.scale_of)
    found = report.facts["found"]
    items = [] if found is None else [found.make_grid(counted(len(found.rows), "regression"))]
    if not report.score:
        if not report.floors and found is not None:
            return [found.make_grid(report.title)]
        return [floors_table(report.title, report.floors, shares), *items]
    signed = ("delta", "low", "high", "min_delta")
    shown = SHOWN if report.anytime is None else SHOWN[:-1]  # no power is known
    grid = Grid(report.title, shown, signed=signed, shares=shown, share_rows=shares)
    values = report.scores[report.score]
    grid.add(report.score, *(values[name] for name in shown))
    of_floors = [floors_table("floors", report.floors, shares)] if report.floors else []
    return [grid, *of_floors, *items]


def gate(
    baseline: Any,
    candidate: Any,
    *,
    min_delta: float | None = None,
    floors: Mapping[str, float] | None = None,
    point: bool = False,
    score: str | None = None,
    lower_is_better: bool = False,
    unpaired: bool = False,
    reading: ValueReading | None = None,
    cluster: str | None = "auto",
    method: Method = "jackknife",
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    seed: int = 0,
    looks: str | os.PathLike[str] | None = None,
    window: int | None = None,
    anytime: bool = False,
    largest: float | None = None,
    no_regression: bool = False,
    allow: int = 0,
    allow_flaky: bool = False,
) -> Gate:
    """Judge a candidate: pass, fail, or inconclusive.

    It passes if the lower confidence bound of the difference is at least ``min_delta``, and fails
    if the upper bound is below; so do scores with a floor. Fewer than 10 units, or units worth
    fewer than 5 equal ones, are inconclusive. Units that all are alike leave bounds: some of those
    that were not seen may differ. The same predictions are ``unchanged``.

    Parameters
    ----------
    baseline : Statistics, Report, path or None
        As in `compare`; None: only floors are judged.
    candidate : Statistics, Report or path
    min_delta : float, optional
        Below 0, the largest allowed loss; above 0, the smallest required gain. Goes with a
        baseline. If lower is better, a loss is a rise.
    floors : mapping of str to float, optional
        The least values of scores of the candidate, by flat name.
    point : bool
        True compares the values of scores with their floors, not their bounds.
    score : str, optional
        Flat name; by default as in `compare`.
    lower_is_better : bool
        True if lower is better for values of logs and tables; all other scores declare it, and so
        do lm-eval's results beside its samples. The gain is then baseline minus candidate.
    unpaired : bool
    reading : ValueReading, optional
        As in `compare`.
    cluster : str, optional
        A column of gold; examples with the same value are drawn together.
    method : {"bca", "percentile", "jackknife"}
    confidence : float
        Confidence of each of the two one-sided bounds, above 0.5.
    n_resamples, seed : int
    looks : path, optional
        File that keeps the looks at a test set, so that their levels add up to 1 - ``confidence``.
        Look k has the k (k + 1)-th part of it. The same question again spends nothing.
    window : int, optional
        With ``looks``: the number of looks that share the level equally.
    anytime : bool
        True takes bounds that hold at all looks together, while units come in: by bets on units
        with values from 0 to 1 and on floors, by a mixture of normal laws on other differences.
    largest : float, optional
        With ``anytime``: the largest denominator of a unit, for floors of ratios; by default the
        largest so far.
    no_regression : bool
        True also judges item by item: it fails if items fail that the baseline had right in every
        answer. A flaky item, right in some answers of a run alone, fails if it falls significantly
        by Fisher's exact test, corrected by Holm.
    allow : int
        With ``no_regression``: so many items may fail.
    allow_flaky : bool
        With ``no_regression``: flaky items may fail.

    Returns
    -------
    Gate

    Raises
    ------
    InputError
        As `compare` does.
    ValueError
        ``min_delta`` or a floor is not finite, or another argument is out of its range; there is
        neither a baseline nor a floor; a score has no better direction, or declares another one;
        lower is better for a score with a floor; or ``no_regression`` has no baseline.

    Examples
    --------
    >>> import fastcausal as fc
    >>> from fastcausal import sample
    >>> careful = fc.score(sample.GOLD, sample.SYSTEMS["careful"])
    >>> fc.gate(careful, careful, min_delta=0.0).verdict
    'unchanged'
    >>> fc.gate(None, careful, floors={"overall_f1": 0.8}).verdict
    'inconclusive'
    """
    floors = floors or {}
    _check(baseline, min_delta, floors, confidence, no_regression)
    _check_looks(looks, window, anytime, largest, floors, unpaired, point, method)
    _check_items(no_regression, allow, allow_flaky, unpaired, looks)
    asked = dict.fromkeys([*([] if score is None else [score]), *floors])
    reading = request_scores(reading, [*asked] or None, cluster)
    draws = Draws(method, 2 * confidence - 1, n_resamples, seed, cluster)
    found = None
    if no_regression:
        own = score or (next(iter(asked)) if len(asked) == 1 else None)
        runs = read_runs([baseline, candidate], reading, own, ROLES)
        if len(runs) != len(ROLES):
            raise InputError(f"{len(runs)} systems, expected a baseline and a candidate")
        if lower_is_better:
            raise ValueError("lower is better, expected a score of right answers by item")
        found = find_regressions(runs, own, reading.missing, confidence, allow, allow_flaky)
        baseline, candidate = load_sides(runs, reading)
    with ExitStack() as stack:
        file = None
        if looks is not None:
            file = stack.enter_context(
                open_looks(looks, Spending(round(1 - confidence, 12), window))
            )
        asked_for = score, lower_is_better, not unpaired, point, anytime, largest
        return _judge_all(
            baseline, candidate, min_delta, floors, found, reading, draws, file, *asked_for
        )


def _judge_all(
    baseline: Any,
    candidate: Any,
    min_delta: float | None,
    floors: Mapping[str, float],
    items: Regressions | None,
    reading: ValueReading,
    draws: Draws,
    file: Looks | None,  # the looks at test sets, to which this one is added
    score: str | None,
    lower_is_better: bool,
    is_paired: bool,
    point: bool,
    anytime: bool,
    largest: float | None,
) -> Gate:
    """Judge the difference, the floors and the items."""
    change, look, bets, is_lower = None, None, list[Wealth](), False
    if min_delta is None:
        systems, values = _alone(candidate, reading, draws)
    else:
        names, systems = load_pair(baseline, candidate, ROLES, reading, is_paired)
        [score] = systems.scores(score)
        is_lower = systems.ranking_scale(score, lower_is_better).better == "lower"
        before, after = systems.systems.values()
        contrast = Contrast(before, after, is_paired, draws)
        exchanged = file is None and not anytime
        values, change = _against(names, systems, score, contrast, exchanged)
        if (
            file is not None
            and not values["is_same"]
            and are_enough(values["n_units"], change.worth)
        ):
            look = file.take(Question.ask(before, after, score, min_delta or 0.0))
            draws = replace(draws, confidence=1 - 2 * look.alpha)
            contrast = replace(contrast, draws=draws)
            values, change = _against(names, systems, score, contrast, False)
        if anytime:
            least = 0.0 - (min_delta or 0.0) if is_lower else min_delta or 0.0
            change, bet = contrast.change_at_any_time(score, least)
            values |= {name: getattr(change, name) for name in ("low", "high", "mde")}
            bets.append(bet.mirrored() if is_lower else bet)
    confidence = (1 + draws.confidence) / 2
    after = [*systems.systems.values()][-1]
    judged = [*([] if change is None else [values["score"]]), *floors]
    scale_of = {name: systems.ranking_scale(name, lower_is_better) for name in judged}
    if lower := [name for name in floors if scale_of[name].better == "lower"]:
        raise ValueError(f"lower is better: {lower[0]}, expected a floor where higher is better")
    found = floors_of(after, floors, point, values["n_units"], draws, anytime, largest)
    bets += [floor.bet for floor in found if floor.bet is not None]
    verdicts = [floor.verdict for floor in found]
    if change is not None:
        values["verdict_of_change"] = _judge(
            change, values, min_delta or 0.0, is_lower, 1 - confidence, anytime
        )
        verdicts.append(values["verdict_of_change"])
    if items is not None:
        verdicts.append(items.verdict)
        values["systems"] = dict(zip(ROLES, items.table.runs, strict=True))
    names = values["systems"]
    facts = {
        "verdict": joint_verdict(verdicts),
        "is_looking": file is not None,
        "look": None if look is None else look.k,
        "window": None if file is None else file.window,
        **_describe_bets(bets),
        "min_delta": math.nan if min_delta is None else float(min_delta),
        "alpha": round(1 - confidence, 12) if look is None else look.alpha,
        **(shown := replace(draws, confidence=confidence)).settings(),
        "lower_is_better": is_lower,
        "pairing": "id",
        "answers": systems.answers,
        "floors": found,
        "found": items,
        "regressions": None if items is None else items.ids,
        "allowed": 0 if items is None else items.allowed,
        "scale_of": scale_of,
        "draws": draws,
        **values,
    }
    warnings, reasons = facts.pop("warnings"), _reasons(facts, change)
    if file is not None and look is not None:
        if look.verdict is None:
            file.add(look, facts["verdict"])
        elif look.verdict != facts["verdict"]:
            facts["verdict"] = look.verdict
            reasons = [f"look {look.k} was judged: {look.verdict}"]
    if items is not None:
        reasons = [*reasons, items.reason()]
    facts["draws"] = shown
    groups = {floor.score: Scores(floor.numbers()) for floor in found}
    if change is not None:
        groups = {values["score"]: Scores({name: facts[name] for name in SHOWN})}
    return Gate(
        f"{facts['verdict']}: {' against '.join([*names.values()][::-1])}",
        join_bets(after.signature, bets),
        groups,
        facts=facts | {"reason": "; ".join(reasons), "has_baseline": baseline is not None},
        warnings=systems.warnings + warnings,
        legend=(
            *reasons,
            *([] if look is None else [look.line()]),
            *([_bounds_line(facts)] if judged else []),
            *_direction(facts),
            *([] if items is None else [items.legend()]),
        ),
        keys=_keys(facts),
        logged=(),
        grids=_grids,
    )


def _describe_bets(bets: Sequence[Wealth]) -> dict[str, Any]:
    """Return the law and the logs of bets on all conditions; all must be won for a pass."""
    logs = {
        "log_e": min((bet.log_e for bet in bets), default=math.nan),
        "log_e_fail": max((bet.log_e_fail for bet in bets), default=math.nan),
    }
    return {
        "anytime": joint_law(bets),
        **{name: log if math.isfinite(log) else math.nan for name, log in logs.items()},
    }


def _judge(
    change: Difference,
    values: Mapping[str, Any],
    min_delta: float,
    lower_is_better: bool,
    alpha: float,
    anytime: bool,
) -> Verdict:
    """Judge a difference by its bounds; without bounds by p, which tells about 0 alone."""
    if values["is_same"]:
        return "unchanged"
    if not anytime and not are_enough(values["n_units"], change.worth):
        return "inconclusive"
    if not math.isnan(change.low):
        verdict = verdict_of(*gain_of(change.low, change.high, lower_is_better), min_delta)
        # Where nothing was seen to differ, nothing fails.
        return "inconclusive" if verdict == "fail" and change.n_differ == 0 else verdict
    if anytime or not change.p / 2 <= alpha + EQUAL:  # also an undefined p
        return "inconclusive"
    gains = (change.delta > 0) != lower_is_better
    if gains:
        return "pass" if min_delta <= 0 else "inconclusive"
    return "fail" if min_delta >= 0 else "inconclusive"


def _is_same(a: Statistics, b: Statistics) -> bool:
    """Return True if two systems have the same predictions, in any order of rows."""
    # Of counts and values all columns are compared. Files of predictions have a digest besides:
    # only where all counts are equal are they read again.
    if a.formula != b.formula or a.signature != b.signature or _seals_of(a) != _seals_of(b):
        return False
    digests = [side.facts.get(PREDICTIONS) for side in (a, b)]
    left, right = (digest() if digest else None for digest in digests)
    return bool(left == right)


def _seals_of(side: Statistics) -> list[Written]:
    """Return digests of all columns, of units with their counts and of units left out."""
    if side.units is None:
        return []
    counted = side.units
    for name, column in zip(side.formula.fields, side.rows_of_units().T, strict=True):
        counted = counted.append_column(name, [column])
    tables = [table for table in (counted, side.left_out) if table is not None]
    return [Written.seal(side.formula, table) for table in tables]


def _check_items(
    no_regression: bool, allow: int, allow_flaky: bool, unpaired: bool, looks: object
) -> None:
    """Raise ValueError for arguments that do not go with a judgment item by item."""
    if not no_regression and (allow or allow_flaky):
        raise ValueError("allow and allow_flaky are of items, expected no_regression")
    if allow < 0:
        raise ValueError(f"allow is {allow}, expected a number of items, at least 0")
    if no_regression and (unpaired or looks is not None):
        name = "unpaired" if unpaired else "looks"
        raise ValueError(f"no_regression is of the same items each time, expected no {name}")


def _check(
    baseline: Any,
    min_delta: float | None,
    floors: Mapping[str, float],
    confidence: float,
    no_regression: bool,
) -> None:
    """Raise ValueError for arguments that exclude each other or are out of range."""
    if baseline is None and min_delta is not None:
        raise ValueError("min_delta is of a difference, expected a baseline")
    if no_regression and baseline is None:
        raise ValueError("no_regression is of two runs, expected a baseline")
    if baseline is None and not floors:
        raise ValueError("nothing to judge by, expected a baseline or floors")
    if baseline is not None and min_delta is None and not no_regression:
        raise ValueError("a baseline without min_delta, expected the least difference that passes")
    if min_delta is not None and not math.isfinite(min_delta):
        raise ValueError(f"min_delta is {min_delta}, expected a finite number")
    if not 0.5 < confidence < 1:
        raise ValueError(
            f"confidence is {confidence}, expected more than 0.5 and below 1 for one-sided bounds"
        )


def _check_looks(
    looks: object,
    window: int | None,
    anytime: bool,
    largest: float | None,
    floors: Mapping[str, float],
    unpaired: bool,
    point: bool,
    method: Method,
) -> None:
    """Raise ValueError for arguments that do not go with looks, or with bounds at any time."""
    if window is not None:
        check_count("window", window)
        if looks is None:
            raise ValueError("window is of looks, expected a file of looks")
    if largest is not None and not (anytime and floors and 0 < largest < math.inf):
        raise ValueError(
            f"largest is {largest}, expected a number above 0, with anytime and with floors"
        )
    if looks is None and not anytime:
        return
    if looks is not None and anytime:
        raise ValueError("looks share one level and anytime needs none, expected one of them")
    if looks is not None and floors:
        raise ValueError("looks are of differences, expected no floors")
    refused = {"point": point, "unpaired": unpaired, f"method {method}": method != "jackknife"}
    if fault := next((fault for fault, is_given in refused.items() if is_given), None):
        name = "anytime" if looks is None else "looks"
        raise ValueError(f"{name} takes no {fault}, expected bounds of pairs by the jackknife")


def _alone(candidate: Any, reading: ValueReading, draws: Draws) -> tuple[Systems, dict[str, Any]]:
    """Return a candidate without a baseline, and values of `Gate`."""
    name, systems = load_one(candidate, "candidate", reading)
    units = systems.first.drawn(draws.cluster)
    names = ("baseline", "candidate", "delta", "low", "high", "mde", "worth")
    undefined = dict.fromkeys(names, math.nan)
    return systems, {
        **undefined,
        "score": "",
        "n_units": units.n_units,
        "n_differ": None,
        "systems": {"candidate": name},
        "unit": units.unit,
        "warnings": warnings_of(units, systems.first.units, draws.method),
    }


def _against(
    names: tuple[str, str], systems: Systems, score: str, contrast: Contrast, exchanged: bool
) -> tuple[dict[str, Any], Difference]:
    """Return values of `Gate`, and the difference of both systems."""
    counted = contrast.counted()
    change = contrast.change(score, counted.n_differ, exchanged)
    values = {
        "score": score,
        "baseline": change.a,
        "candidate": change.b,
        "delta": change.delta,
        "low": change.low,
        "high": change.high,
        "n_units": counted.n_units,
        "n_differ": change.n_differ,
        "worth": change.worth,
        "mde": change.mde,
        "systems": dict(zip(ROLES, names, strict=True)),
        "unit": counted.unit,
        "warnings": counted.warnings,
        "pairing": "id" if contrast.is_paired else "none",
        "is_same": counted.n_differ == 0 and _is_same(*systems.loaded),
    }
    return values, change

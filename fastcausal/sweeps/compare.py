"""Two systems on the same units: every score of B minus A, with confidence interval and p-value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fastcausal.arrays.digests import digest_text
from fastcausal.errors import InputError
from fastcausal.options import AnytimeLaw, Correction, Method, PairedTest, Pairing, check
from fastcausal.report.escapes import html_text
from fastcausal.report.grid import BEST, TIED, Grid
from fastcausal.report.groups import Scores
from fastcausal.report.numbers import Scale, shares_in
from fastcausal.report.page import SCORES, Page, Scripted, Section
from fastcausal.report.report import Report, describe_settings, plain
from fastcausal.significance.betting import Wealth, join_bets, joint_law
from fastcausal.significance.corrections import CORRECTED, adjusted, level_text
from fastcausal.significance.draws import METHODS, Draws
from fastcausal.significance.paired import Difference, is_student
from fastcausal.significance.units import EQUAL, differ_text, units_text
from fastcausal.sweeps.contrast import Contrast, UnitNumbers
from fastcausal.sweeps.drawn import TESTED, comparison_table
from fastcausal.sweeps.systems import load_by_name, load_pair, request_scores
from fastcausal.sweeps.systems import pick as pick_two
from fastcausal.tasks.values.reading import ValueReading

if TYPE_CHECKING:
    import pyarrow as pa

TESTS = {
    "randomisation": "paired randomisation test",
    "student": "paired Student's t-test",
    "welch": "Welch's t-test",
    "betting": "bets on each unit, at all looks together",
    "mixture": "mixture of normal laws, at all looks together",
}
BOUNDED = ("a", "b", "delta", "low", "high")
MAX_PARTS = 40  # of a page: each draws its resamples
APART = "Items that tell them apart"
SHOWN = (*BOUNDED, "p", "p_adjusted", "mde")
KEYS = (
    "signature", "gold", "systems", "unit", "n_units", "n_differ", "method", "confidence",
    "n_resamples", "seed", "test", "correction", "scores", "warnings",
)  # fmt: skip


class Comparison(Report):
    """Differences of two systems, B minus A.

    ``comparison["overall_f1"].delta``; the values of a score are ``a``, ``b``, ``delta``, its
    confidence interval ``low`` to ``high``, ``se`` (jackknife), the p-value ``p`` of `test`,
    ``p_exact`` (all exchanges were listed), ``mde``, the minimum detectable effect at a power of
    80%, and with a correction ``p_adjusted``.

    Attributes
    ----------
    signature : str
    gold : str or None
        Digest of gold.
    systems : mapping of str to str
        The names of ``a`` and ``b``.
    unit : str
        Noun of single units, or the column of the clusters.
    n_units, n_differ : int
        Number of units, and of units with different counts; unpaired: units of both sides, and
        None.
    draws : Draws
        ``method``, ``confidence``, ``n_resamples`` and ``seed``, also attributes of their own.
    test : {"student", "randomisation", "welch", "betting", "mixture"}
        Test of p: Student's t if there are too few units for exchanges to reach the level.
    correction : {"holm", "bh", "none"}
        Correction of p for the number of scores.
    anytime : {"betting", "mixture"} or None
        Law of bounds and p that hold at all looks; a mixture if one score needs it.
    scores : mapping of str to Scores
        By flat name.
    warnings : tuple of str
    pairing : {"id", "none"}
    answers : mapping, optional
        For values: the rule from answers to values, and numbers of answers of ``a`` and ``b``.
    n_a, n_b : int, optional
        Unpaired: units of either side.
    least_p : mapping of str to float, optional
        Scores of which no outcome could be significant: the least p, corrected, that the units
        that differ could give.
    better : mapping of str to str
        The better direction of each score, unless higher is better.
    scale_of : mapping of str to Scale
        Scale of each score; without a direction neither system is better.
    """

    gold: str | None
    systems: Mapping[str, str]
    unit: str
    n_units: int
    n_differ: int | None
    draws: Draws
    test: PairedTest
    correction: Correction
    anytime: AnytimeLaw | None
    pairing: Pairing
    answers: Mapping[str, Any] | None
    n_a: int | None
    n_b: int | None
    least_p: Mapping[str, float] | None
    changes: Mapping[str, Difference]
    contrast: Contrast
    better: Mapping[str, str]
    scale_of: Mapping[str, Scale]


def _headline(names: Mapping[str, str], counted: UnitNumbers, is_paired: bool, worth: float) -> str:
    """Name the compared systems and units, with the worth of clusters for the first score."""
    minus = f"{names['b']} minus {names['a']}"
    if not is_paired:
        return f"{minus}, unpaired: {units_text(counted.n_b or 0, counted.unit)} and {counted.n_a}"
    return f"{minus}: {differ_text(counted.n_differ, counted.n_units, counted.unit, worth)}"


def _tabulate(comparison: Comparison) -> pa.Table:
    """Make a row per score; undefined values are null."""
    import pyarrow as pa

    rows = [{"score": name, **plain(values)} for name, values in comparison.scores.items()]
    kinds = {"score": pa.string(), "p_exact": pa.bool_()}
    names = ("score", *next(iter(comparison.scores.values())))
    return pa.Table.from_pylist(
        rows, pa.schema([(name, kinds.get(name, pa.float64())) for name in names])
    )


def _sections(comparison: Comparison) -> list[Section]:
    """Make the sections of its page: a table with intervals, and the settings."""
    table = comparison_table(comparison.systems, comparison.scores, comparison.correction)
    return [Section("", [table]), describe_settings(comparison)]


def _page(comparison: Comparison) -> Page:
    """Make its page: the scores, those of roles and other parts, and the items that differ."""
    warnings = [f"warning: {warning}" for warning in comparison.warnings]
    scores, about = _sections(comparison)
    sections = [scores, *_compare_parts(comparison)]
    part = None
    try:
        part = _draw_items(comparison)
    except InputError as error:
        sections.append(Section(APART, lines=[f"no items: {error}"]))
    minus = "{b} minus {a}".format(**comparison.systems)
    protocol = comparison.contrast.a.facts.get("protocol")
    named = f"{minus}, {protocol}" if protocol else minus
    return Page(
        named + comparison.title.removeprefix(minus), [*sections, about], part, warnings=warnings
    )


def _compare_parts(comparison: Comparison) -> list[Section]:
    """Compare the main score of every role and other group, with its interval and without tests."""
    contrast = comparison.contrast
    [first, *_] = comparison.scores
    alike = contrast.a.formula.parts_like(first)
    names = [name for name in alike if name not in comparison.scores][:MAX_PARTS]
    scores = {}
    for name in names:
        if comparison.anytime:
            change, _ = contrast.change_at_any_time(name)
        else:
            change = contrast.change(name, comparison.n_differ)
        numbers = change.numbers()
        scores[name] = Scores({column: numbers[column] for column in BOUNDED})
    if not scores:
        return []
    level = f"{100 * comparison.draws.confidence:g}%"
    line = f"Each line is a {level} confidence interval by itself: no correction, no test."
    table = comparison_table(comparison.systems, scores)
    return [Section("Roles and other parts", [table], [line])]


def _draw_items(comparison: Comparison) -> Scripted | None:
    """Make the list of the items whose values differ, with the texts that their sources have."""
    if comparison.pairing == "none":
        return None
    from fastcausal.sweeps.items import items
    from fastcausal.sweeps.items_page import page_of

    contrast = comparison.contrast
    runs = dict(zip(comparison.systems.values(), (contrast.a, contrast.b), strict=True))
    [first, *_] = comparison.scores
    part = page_of(items(runs, only="flipped", score=first)).part
    assert part is not None
    data = {**(part.data or {}), "lower": comparison.scale_of[first].better == "lower"}
    line = f"Values: {first} of each item by itself. Items with equal values are not here."
    head = f'<h2>{APART}</h2><p class="note" dir="auto">{html_text(line)}</p>'
    return part._replace(title=SCORES, markup=head + part.markup, data=data, is_last=True)


def _grids(comparison: Comparison, counts: bool) -> list[Grid]:
    """Make a row per score; pasted tables emphasize the better system."""
    shown = [column for column in SHOWN if column in next(iter(comparison.scores.values()))]
    if comparison.anytime is not None:
        shown.remove("mde")  # no power is known
    grid = Grid(
        comparison.title,
        shown,
        signed=("delta", "low", "high"),
        shares=[column for column in shown if column not in TESTED],
        share_rows=shares_in(comparison.scale_of),
    )
    for name, values in comparison.scores.items():
        grid.add(name, *(values[column] for column in shown))
        grid.emphasis |= {("", name, column): kind for column, kind in _rank(comparison, name)}
    n = len(comparison.scores)
    tests = "one test" if n == 1 else f"{n} tests, {CORRECTED[comparison.correction]}"
    grid.caption = (
        f"Bold: the better; \u2020: not significantly worse at "
        f"{level_text(comparison.draws.confidence)} ({TESTS[comparison.test]}, {tests})"
    )
    return [grid]


def _rank(comparison: Comparison, name: str) -> Iterator[tuple[str, str]]:
    """Yield the better system of a score, and the other if it is not significantly worse."""
    values, sign = comparison.scores[name], comparison.scale_of[name].sign
    best = max(sign * values["a"], sign * values["b"])
    for system in "ab" if sign and values["delta"] == values["delta"] else ():
        if sign * values[system] == best:
            yield system, BEST
        elif values.get("p_adjusted", values["p"]) >= 1 - comparison.draws.confidence:
            yield system, TIED


def compare(
    a: Any,
    b: Any = None,
    score: str | Iterable[str] | None = None,
    *,
    lower_is_better: bool = False,
    unpaired: bool = False,
    correction: Correction = "none",
    reading: ValueReading | None = None,
    cluster: str | None = "auto",
    method: Method = "jackknife",
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    seed: int = 0,
    anytime: bool = False,
    system: str | None = None,
    sample: str | None = None,
    pick: Sequence[str] | None = None,
) -> Comparison:
    """Compare two systems on the same units, joined by id: B minus A.

    Parameters
    ----------
    a, b : Statistics, Report, path or table
        Output of `Statistics.write`, such as the file of ``score --per-example``; or a source of
        `statistics`: a log of an evaluation, or a plain table. Without ``b``, ``a`` is a source
        of both, or a list of sources.
    score : str or iterable of str, optional
        Flat names, such as ``overall_f1`` or ``multi_relation_cause_recall``. By default
        ``overall_f1``; for values the only score; for protocol ``depths`` F1 of links and every
        step of recall.
    lower_is_better : bool
        True if lower is better for scores of logs and tables. All other scores declare it.
    unpaired : bool
        True compares systems on different examples: the difference of two means, by Welch's test.
    correction : {"holm", "bh", "none"}
        Correction of p for the number of scores.
    reading : ValueReading, optional
        Settings for reading logs and tables.
    cluster : str, optional
        A column of gold; examples with the same value are drawn together. By default doc_id, doc,
        document, document_id, article, topic or cluster: the first whose values repeat. None draws
        single examples.
    method : {"bca", "percentile", "jackknife"}
        Method of the confidence intervals.
    confidence : float
        Between 0 and 1.
    n_resamples : int
        Resamples for confidence intervals and p-values.
    seed : int
    anytime : bool
        True takes bounds and p that hold at all looks together, while units come in, as in `gate`.
    system, sample : str, optional
        Columns of a table: the system of each row, and the number or name of a repeat.
    pick : sequence of str, optional
        The names of A and B, if ``a`` is a source of more systems.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        A file cannot be read; A and B have different signatures, roles, ids or gold; the cluster
        column is unknown or has nulls.
    ValueError
        A score, method or correction is unknown, a number is out of its range, or lower is better
        against the declaration of a score.

    Examples
    --------
    >>> import fastcausal as fc
    >>> from fastcausal import sample
    >>> careful, chatty = (
    ...     fc.score(sample.GOLD, sample.SYSTEMS[name], unparsed="empty")
    ...     for name in ("careful", "chatty"))
    >>> comparison = fc.compare(careful, chatty, n_resamples=1000)
    >>> round(comparison["overall_f1"].delta, 4), comparison.n_differ, comparison.n_units
    (-0.144, 12, 12)
    """
    check("correction", correction, Correction)
    if anytime and (unpaired or method != "jackknife"):
        raise ValueError("anytime is for pairs of units, without a method of resamples")
    reading = request_scores(reading, score, cluster, system, sample)
    draws = Draws(method, confidence, n_resamples, seed, cluster)
    if b is None:
        a, b = pick_two(load_by_name(a, reading), pick)
    elif pick is not None:
        raise ValueError("pick is for one source of several systems, not for two")
    names, systems = load_pair(a, b, ("A", "B"), reading, not unpaired, common=True)
    formula = systems.first.formula
    chosen = systems.scores(formula.compared if score is None else score)
    scale_of = {name: systems.scale(name, lower_is_better) for name in chosen}
    left, right = systems.systems.values()
    contrast = Contrast(left, right, not unpaired, draws)
    counted = contrast.counted()

    bets = list[Wealth]()
    test: PairedTest = "student" if is_student(counted.n_units, confidence) else "randomisation"
    if anytime:
        found = {name: contrast.change_at_any_time(name) for name in chosen}
        changes = {name: change for name, (change, _) in found.items()}
        bets = [bet for _, bet in found.values()]
        test = joint_law(bets) or test
    else:
        changes = {name: contrast.change(name, counted.n_differ) for name in chosen}
    if unpaired:
        test = "welch"
    unreachable = {} if anytime else find_unreachable(changes, counted.n_units, correction, draws)
    shown = dict(zip("ab", names, strict=True))
    pairs = ("pairing", "answers") if systems.answers is not None or unpaired else ()
    taken = f"{test}, at all looks together" if anytime else METHODS[method]
    interval = f"{100 * confidence:g}% confidence interval of delta ({taken})"
    compared = {name: Scores(change.numbers()) for name, change in changes.items()}
    tested = TESTS[test]
    if correction != "none":
        p_values = adjusted([each["p"] for each in compared.values()], correction).tolist()
        compared = {
            name: Scores({**each, "p_adjusted": p})
            for (name, each), p in zip(compared.items(), p_values, strict=True)
        }
        tested += f"; p_adjusted: {CORRECTED[correction]}, {len(chosen)} tests"
    elif len(chosen) > 1:
        tested += f", {len(chosen)} tests, {CORRECTED[correction]}"
    return Comparison(
        _headline(shown, counted, not unpaired, compared[chosen[0]]["worth"]),
        join_bets(left.signature, bets),
        compared,
        facts={
            **{name: value for name, value in counted._asdict().items() if name != "warnings"},
            "gold": digest_text(left.gold),
            "systems": shown,
            "draws": draws,
            **draws.settings(),
            "test": test,
            "correction": correction,
            "anytime": joint_law(bets),
            "pairing": "none" if unpaired else "id",
            "answers": systems.answers,
            "better": {name: s.better for name, s in scale_of.items() if s.better != "higher"},
            "scale_of": scale_of,
            "least_p": unreachable or None,
            "changes": changes,
            "contrast": contrast,
        },
        warnings=systems.warnings + counted.warnings,
        legend=(
            f"low, high: {interval}; p: p-value, {tested}",
            *(
                ()
                if anytime
                else (
                    *_describe_tests(changes, counted.n_units, confidence, unreachable),
                    "mde: minimum detectable effect (80% power)",
                )
            ),
            *direction_lines(scale_of),
            *formula.describe_change(compared),
        ),
        keys=(*KEYS, "least_p?", "anytime?", *pairs, "n_a?", "n_b?", "better?"),
        logged=(),
        grids=_grids,
        arrow=_tabulate,
        sections=_sections,
        page=_page,
    )


def find_unreachable(
    changes: Mapping[str, Difference], n_units: int, correction: Correction, draws: Draws
) -> dict[str, float]:
    """Return the scores of which no outcome could be significant, with the least p of each.

    p is corrected, so that a score may be out of reach among others and within reach alone.
    """
    # A corrected p falls with every p, so that the least ones together have the least corrected.
    least = [change.least_p(n_units, draws) for change in changes.values()]
    if correction != "none":
        least = adjusted(least, correction).tolist()
    level = 1 - draws.confidence + EQUAL
    return {name: p for name, p in zip(changes, least, strict=True) if p > level}


def _describe_tests(
    changes: Mapping[str, Difference],
    n_units: int,
    confidence: float,
    unreachable: Mapping[str, float],
) -> Iterator[str]:
    """Say which scores have another test, and what no data of this size could show."""
    if not is_student(n_units, confidence):
        exchanged = {n: c for n, c in changes.items() if c.n_differ and not math.isnan(c.se)}
        plain = [name for name, change in exchanged.items() if not change.studentised]
        if any(change.studentised for change in changes.values()):
            yield "p: differences are divided by their standard errors (studentised)"
        if plain:
            yield f"p of plain differences, of scores that are no ratios: {', '.join(plain)}"
    for name, change in changes.items():
        if (line := change.explain(n_units, confidence)) is not None:
            yield f"{name}: {line}"
        elif name in unreachable:
            yield f"{name}: p is at least {unreachable[name]:.4g}: no outcome is significant"


def direction_lines(scale_of: Mapping[str, Scale]) -> Iterator[str]:
    """Yield a line with the scores of each direction but higher.

    >>> list(direction_lines({"loss": Scale("none", "lower"), "bias": Scale("points", "none")}))
    ['lower is better: loss', 'neither is better: bias']
    """
    for better, line in (("lower", "lower is better"), ("none", "neither is better")):
        if names := [name for name, scale in scale_of.items() if scale.better == better]:
            yield f"{line}: {', '.join(names)}"

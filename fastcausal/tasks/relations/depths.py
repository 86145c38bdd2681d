"""Where relations are lost: scores and account of protocol "depths", from counts of examples."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from fastcausal.counts.arithmetic import (
    Counts,
    ScoresByName,
    accuracy,
    matthews,
    ratio,
)
from fastcausal.counts.rules import Rule
from fastcausal.engine.kernel import Int64
from fastcausal.engine.plan import CountGroups
from fastcausal.engine.reference import depths as reference
from fastcausal.engine.reference.depths import DepthRules
from fastcausal.errors import InputError
from fastcausal.options import Backend
from fastcausal.protocols import DepthsProtocol, match_of
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups, Scores
from fastcausal.report.numbers import CORRELATION, SHARE, Scale
from fastcausal.rows import Rows
from fastcausal.significance.sums import CountRows
from fastcausal.tasks.relations import _depths, whole
from fastcausal.tasks.relations.formula import MULTI, TOTALS, GroupedFormula
from fastcausal.tasks.relations.types import Types

Int8 = npt.NDArray[np.int8]
CAUSAL = ("tp", "fp", "fn", "tn")
SPANS = ("tp", "predicted", "gold")
SIDES = ("gold", "predicted")
LINKED = ("right", "mistyped", "turned", "unlinked")  # lines of relations with both arguments found
STEPS = ("seen", "found", "linked")
LINKABLE = ("linkable_gold", "linkable_predicted")


def lines_of(arguments: Sequence[str]) -> tuple[str, ...]:
    """Return the lines of an account, in the order of the counts."""
    return ("right", "not_causal", "both", *arguments, *LINKED[1:], "partial")


@dataclass(frozen=True)
class DepthsFormula(GroupedFormula):
    """Counts of examples, of spans, and of relations by what became of them."""

    roles: tuple[str, ...]
    arguments: tuple[str, str]
    undefined: float | None
    kernel: str = "depths"

    @property
    def count_fields(self) -> tuple[str, ...]:
        """Names of the counts."""
        lines = lines_of(self.arguments)
        return (
            *(f"causal_{name}" for name in CAUSAL),
            *(f"spans_{role}_{name}" for role in self.roles for name in SPANS),
            lines[0],
            *(f"account_{side}_{line}" for side in SIDES for line in lines[1:]),
        )

    @property
    def compared(self) -> tuple[str, ...]:
        """F1 of links, and the steps of recall."""
        return (self.main, *(f"steps_{step}" for step in STEPS))

    def describe_change(self, scores: Mapping[str, Scores]) -> tuple[str, ...]:
        """Say at which steps B gains and loses; a step whose interval has 0 is uncertain."""
        found: dict[str, list[str]] = {"gains": [], "loses": []}
        for step in STEPS:
            change = scores.get(f"steps_{step}", Scores({"delta": 0.0}))
            if change.delta > 0 or change.delta < 0:
                kind = "gains" if change.delta > 0 else "loses"
                is_sure = change.low > 0 or change.high < 0
                found[kind].append(
                    f"{step} ({change.delta:+.4f}{'' if is_sure else ', uncertain'})"
                )
        said = [f"{kind} at {', '.join(steps)}" for kind, steps in found.items() if steps]
        return (f"B {'; '.join(said)}",) if said else ()

    @property
    def groups(self) -> tuple[str, ...]:
        """Links, the main group; examples, spans, steps of recall, and the accounts."""
        spans = (f"spans_{role}" for role in ("overall", *self.roles))
        return ("links", "causal", *spans, "steps", *(f"account_{side}" for side in SIDES))

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Return the rules of spans: none is matched twice."""
        spans = (f"spans_{role}" for role in self.roles)
        return tuple(Rule(("tp",), (side,)).name_fields(s) for s in spans for side in SPANS[1:])

    @property
    def gold_fields(self) -> tuple[tuple[str, ...], ...]:
        """Relations of gold, whole and partial, and the spans of each role."""
        lines = lines_of(self.arguments)
        whole = ("right", *(f"account_gold_{line}" for line in lines[1:-1]))
        spans = ((f"spans_{role}_gold",) for role in self.roles)
        return (
            (MULTI,),
            TOTALS[:1],
            ("causal_tp", "causal_fn"),
            whole,
            ("account_gold_partial",),
            *spans,
        )

    def groups_of(self, sums: CountRows) -> dict[str, ScoresByName]:
        """Compute the scores of every group but the accounts, which are counts alone."""
        return {group: scores for group, scores in super().groups_of(sums).items() if scores}

    def figures(self, sums: Int64, groups: Sequence[str]) -> list[dict[str, Any]]:
        """Return scores and counts of groups; the counts of steps are in the account."""
        found = super().figures(sums, groups)
        return [
            {step: figures[step] for step in STEPS} if group == "steps" else figures
            for group, figures in zip(groups, found, strict=True)
        ]

    def facts_of(self, groups: Groups) -> dict[str, Any]:
        """Return the accounts of both sides, and the steps of recall."""
        accounts = {side: groups[f"account_{side}"] for side in SIDES}
        return {"account": accounts, "steps": groups["steps"]}

    def nest(self, groups: Groups) -> Mapping[str, Any]:
        """Return groups as JSON has them: spans by role in one; steps and accounts are facts."""
        spans = {
            name.removeprefix("spans_"): scores
            for name, scores in groups.items()
            if name.startswith("spans_")
        }
        return {"causal": groups["causal"], "spans": spans, "links": groups["links"]}

    def count_errors(self, groups: Groups) -> dict[str, dict[str, int]]:
        """Count the lost relations of each side, by where they are lost."""
        lost = lines_of(self.arguments)[1:-1]
        return {s: {line: int(groups[f"account_{s}"][line]) for line in lost} for s in SIDES}

    def summarize(self, groups: Groups) -> Scores:
        """Return F1 at each depth, and the steps of recall."""
        of = {"links": "links", "causal": "causal", "spans": "spans_overall"}
        return Scores({**{f"{n} f1": groups[g].f1 for n, g in of.items()}, **groups["steps"]})

    def make_grids(
        self, title: str, parts: Mapping[str, Groups], counts: bool = False
    ) -> list[Grid]:
        """Make a table of the scores of parts, and a waterfall of the relations of each side."""
        columns = ("precision", "recall", "f1", "accuracy", "mcc", "right", "predicted", "gold")
        table = Grid(title, columns)
        for subset, groups in parts.items():
            if subset:
                table.part(subset)
            for group in ("causal", *(g for g in groups if g.startswith("spans_")), "links"):
                values = groups[group]
                found = [values.get(name, "") for name in columns[:5]]
                table.add(_name_of(group), *found, *_sizes(values))
        return [table, *(_fall(parts[""], side) for side in SIDES if "" in parts)]

    def counts_of(self, sums: Int64, group: str) -> dict[str, Any]:
        """Return the counts of a group by name."""
        # For one sum, Python's integers, as in reports.
        values: Any = sums.tolist() if sums.ndim == 1 else sums
        at = dict(zip(self.fields, values, strict=False))
        if group == "causal":
            return {name: at[f"causal_{name}"] for name in CAUSAL}
        kind, _, name = group.partition("_")
        if kind == "spans":
            roles = self.roles if name == "overall" else (name,)
            return {n: sum(at[f"spans_{role}_{n}"] for role in roles) for n in SPANS}
        accounts = {
            side: {
                line: at[line if line == "right" else f"account_{side}_{line}"]
                for line in lines_of(self.arguments)
            }
            for side in SIDES
        }
        relations = {s: sum(list(lines.values())[:-1]) for s, lines in accounts.items()}
        if kind == "account":
            return {"relations": relations[name], **accounts[name]}
        found = (sum(lines[line] for line in LINKED) for lines in accounts.values())
        links = {"right": at["right"], **dict(zip(LINKABLE, found, strict=True))}
        if group == "links":
            return links
        not_causal = accounts["gold"]["not_causal"]
        return {"relations": relations["gold"], "not_causal": not_causal, **links}

    def scale(self, group: str, score: str) -> Scale:
        """Declare a correlation for mcc, shares for the rest."""
        return CORRELATION if score == "mcc" else SHARE

    def scores_of_group(self, counts: Counts) -> ScoresByName:
        """Compute the scores of one group from its counts by field name."""
        zero = math.nan if self.undefined is None else self.undefined
        if "tn" in counts:
            tp, fp, fn, tn = (counts[name] for name in CAUSAL)
            return {
                **whole.shares_of(tp, tp + fp, tp + fn, zero),
                "accuracy": accuracy(tp + tn, tp + fp + fn + tn, zero),
                "mcc": _matthews(tp, fp, fn, tn, zero),
            }
        if "tp" in counts:
            return whole.shares_of(counts["tp"], counts["predicted"], counts["gold"], zero)
        if "linkable_gold" not in counts:
            return {}
        right, gold, predicted = (counts[name] for name in ("right", *LINKABLE))
        if "relations" not in counts:
            return whole.shares_of(right, predicted, gold, zero)
        seen = counts["relations"] - counts["not_causal"]
        steps = (seen, counts["relations"]), (gold, seen), (right, gold)
        return {name: ratio(*step, zero) for name, step in zip(STEPS, steps, strict=True)}


def _matthews(tp: Any, fp: Any, fn: Any, tn: Any, undefined: float) -> Any:
    """Return Matthews' coefficient of numbers, or of arrays of one shape."""
    if not isinstance(tp, np.ndarray):
        return matthews(tp + tn, [tp + fp, fn + tn], [tp + fn, fp + tn], undefined)
    each = zip(*(part.tolist() for part in (tp, fp, fn, tn)), strict=True)
    return np.array([_matthews(a, b, c, d, undefined) for a, b, c, d in each], np.float64)


# Lines of the account that follow each other in a waterfall, and the step behind each group
FALLS = {
    "gold": ("not seen as causal", "seen as causal", "both spans found", "recall"),
    "predicted": ("not causal in gold", "causal in gold", "both spans in gold", "precision"),
}
LOST = {"mistyped": "of another type", "turned": "turned round", "unlinked": "not linked"}


def _name_of(group: str) -> str:
    kind, _, role = group.partition("_")
    return {"": kind, "overall": "spans"}.get(role, f"  {role}")


def _sizes(values: Scores) -> tuple[Any, Any, Any]:
    """Return right, predicted and gold examples, spans or relations."""
    if "tn" in values:
        return values["tp"], values["tp"] + values["fp"], values["tp"] + values["fn"]
    if "right" in values:
        return values["right"], values["linkable_predicted"], values["linkable_gold"]
    return values["tp"], values["predicted"], values["gold"]


def _fall(scores: Groups, side: str) -> Grid:
    """Make the waterfall of the relations of a side."""
    account = {name: int(n) for name, n in scores[f"account_{side}"].items()}
    lost, seen, found, share = FALLS[side]
    first, second = [*account][4:6]
    total, right = account["relations"], account["right"]
    left = total - account["not_causal"]
    linkable = sum(account[line] for line in LINKED)
    grid = Grid("", ["relations", "step", share], side, falling="relations",
                shares=["step", share])  # fmt: skip
    grid.add("relations", total)
    grid.add(f"  {lost}", -account["not_causal"])
    grid.add(seen, left, _share(left, total), _share(left, total))
    grid.add("  neither span", -account["both"])
    grid.add(f"  {first} not found", -account[first])
    grid.add(f"  {second} not found", -account[second])
    grid.add(found, linkable, _share(linkable, left), _share(linkable, total))
    for line, words in LOST.items():
        if line != "mistyped" or account[line]:
            grid.add(f"  {words}", -account[line])
    grid.add("right", right, _share(right, linkable), _share(right, total))
    return grid


def _share(part: int, whole: int) -> float:
    return float(ratio(part, whole, math.nan))


def rules_of(protocol: DepthsProtocol, roles: tuple[str, ...]) -> DepthRules:
    """Compile the protocol for relations with these roles."""
    arguments = protocol.arguments_of(roles)
    if arguments[1] < 0:
        raise InputError(
            f"protocol {protocol.name}: relations have the role {roles[0]} alone, expected two "
            "arguments to link"
        )
    lines = lines_of([roles[k] for k in arguments])
    for line in lines:
        if lines.count(line) > 1:
            raise InputError(
                f'protocol {protocol.name}: an argument has the role "{line}", the name of a line '
                "of the account, expected another name"
            )
    return DepthRules(len(roles), arguments, *match_of(protocol.match))


def formula_of(protocol: DepthsProtocol, roles: tuple[str, ...]) -> DepthsFormula:
    """Return the formula of a protocol for relations with these roles."""
    first, second = (roles[k] for k in rules_of(protocol, roles).arguments)
    return DepthsFormula(roles, (first, second), protocol.undefined)


run = partial(whole.run, native=_depths.count, plain=reference.run)


def count_lines(
    rules: DepthRules, lines: tuple[Int8, Int8], of_gold: Int64, of_pred: Int64
) -> Int64:
    """Count the lines of the relations of pairs, -1 for no relation: int64[n_pairs, n_fields]."""
    counts = np.zeros((len(of_gold), rules.n_fields), np.int64)
    first = rules.n_fields - 2 * len(reference.LINES) + 1
    for side, (line, of) in enumerate(zip(lines, (of_gold, of_pred), strict=True)):
        pairs = np.flatnonzero(of >= 0)
        found = line[of[pairs]]
        shown = (found >= 0) & ((side == 0) | (found != reference.RIGHT))
        places = first + found[shown] + side * (len(reference.LINES) - 1)
        counts[pairs[shown], places] = 1
    return counts


def lines_of_relations(
    rules: DepthRules, gold: Rows, pred: Rows, types: Types | None, backend: Backend = "cpu"
) -> tuple[Int8, Int8]:
    """Return what became of each relation of both sides, -1 for one without a span."""
    counts = np.zeros((1, rules.n_fields), np.int64)
    lines = np.full(gold.n_relations, -1, np.int8), np.full(pred.n_relations, -1, np.int8)
    codes = None if types is None else (types.gold, types.pred)
    one = CountGroups(None, 1)
    if backend == "reference":
        reference.run(rules, gold, pred, codes, one, counts, None, lines)
    else:
        _depths.count(rules, gold, pred, codes, one, counts, None, 1, lines)
    return lines

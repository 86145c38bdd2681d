"""Definitions of CRAB's tables, for with_definitions.py."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

from answering import Case, RefusedError, UnknownError, Values, flat, mean, ratio

from tests.oracles import crab_answers, crab_pairs, crab_questions, crab_shapes


def crab(case: Case) -> Values:
    command = case["protocol"].removeprefix("crab-")
    if command not in CRAB:
        raise UnknownError(f"no definition of {command}")
    return CRAB[command](case, case.get("options", {}))


NO_ROW = object()  # in place of the answer to a pair


def letters_of(rows: list[Any]) -> list[str]:
    return [row.get("class") or crab_pairs.letter(row["score"], "up") for row in rows]


def pairwise(case: Case, options: dict[str, Any]) -> Values:
    policies = {name: options.get(name, "error") for name in ("unparsed", "unmatched")}
    said = case["pred"]
    if said and isinstance(said[0], dict):
        by_key = {place(row): row["prediction"] for row in said}
        said = [by_key.get(place(row), NO_ROW) for row in case["gold"]]
    read = [read_answer(each, options["task"]) for each in said]
    for state, _ in read:
        policy = policies["unmatched" if state == "unmatched" else "unparsed"]
        if state != "read" and policy == "error":
            raise RefusedError(state)
    found = crab_pairs.pairwise(
        case["gold"], read, options["task"], options.get("border", "up"),
        options.get("threshold", 50), options.get("gold_from", "class"), None, policies,
    )  # fmt: skip
    values = flat(found["scores"]) | flat(found["coverage"], "coverage.")
    for row in found["classes"]:
        values |= flat(row, f"class.{row['label']}.")
    return values


def place(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("topic_id", "event_order_a", "event_order_b"))


def read_answer(said: Any, task: str) -> tuple[str, Any]:
    """Return the state of an answer and its value."""
    if said is NO_ROW:
        return "unmatched", None
    value, state = crab_answers.answer_of(str(said), task)
    if state != "read":
        if any(word in str(said) for word in ("Score: ", "out of 100")):
            raise UnknownError("no everyday words")
        return state, None
    labels = {"multiclass": "ABCD", "three": crab_pairs.THREE, "binary": ("no", "yes")}
    return state, value if task == "score" else labels[task][int(value)]


def shapes(case: Case, options: dict[str, Any], command: str) -> Values:
    said = case.get("pred", [""] * len(case["gold"]))
    pairs = [
        (row["topic_id"], row["event_order_a"], row["event_order_b"], letter, answer)
        for row, letter, answer in zip(case["gold"], letters_of(case["gold"]), said, strict=True)
    ]
    if command == "frames":
        kinds = crab_shapes.frames(pairs, crab_shapes.RULES[options.get("rule", "figure")])
        names = ["SD", "D", "SC", "C", "M", "N", "U"]
    else:
        edges = ("high", "mediation", "confounding", "collider")
        kinds = crab_shapes.chains(pairs, **{e: options[e] for e in edges if e in options})
        names = ["mediation", "confounding", "collider"]
    values: Values = {}
    for name in (*names, "overall"):
        groups = [group for kind, group in kinds.values() if name in (kind, "overall")]
        marks = [crab_shapes.marks([(p[3], p[4]) for p in group]) for group in groups]
        values |= {
            f"{name}.n_{command}": len(groups),
            f"{name}.f1": mean(f1 for _, f1, _ in marks),
            f"{name}.em": mean(em for *_, em in marks),
        }
    return values


def graded(case: Case, options: dict[str, Any]) -> Values:
    chosen = [said if said in crab_questions.LETTERS else None for said in case["pred"]]
    found = crab_questions.graded(case["gold"], chosen, options.get("unparsed", "error"))
    return {"overall.accuracy": found["accuracy"], "macro.f1": found["macro_f1"]}


def raters(case: Case, options: dict[str, Any]) -> Values:
    ratings = [
        ((row["event_order_a"], row["event_order_b"]), row["rater"], row["score"])
        for row in case["gold"]
    ]
    majority, n_tied, subsets = crab_questions.agreement(
        ratings, options.get("border", "up"), options.get("ties", "first"),
        options.get("outside", "keep"),
    )  # fmt: skip
    values: Values = {"n_tied": n_tied}
    for letter, number in zip("ABCD", (4, 3, 2, 1), strict=True):
        values[f"classes.majority.{letter}"] = [*majority.values()].count(number)
    for row in subsets:
        values |= flat(row, f"classes_{'_'.join(map(str, row['classes']))}.")
    return values


def events(case: Case, options: dict[str, Any]) -> Values:
    def allowed(a: str, b: str) -> bool:
        if options.get("match") == "exact":
            return crab_questions.bag(a) == crab_questions.bag(b)
        return crab_questions.token_f1(a, b) >= 0.5

    said = {row["id"]: row["events"] for row in case["pred"]}
    rows = [
        (crab_questions.n_matched(row["events"], said[row["id"]], allowed),
         len(row["events"]), len(said[row["id"]]))
        for row in case["gold"]
    ]  # fmt: skip
    tp, gold, pred = map(sum, zip(*rows, strict=True))
    return {
        "micro.tp": tp, "micro.fp": pred - tp, "micro.fn": gold - tp,
        "micro.precision": ratio(tp, pred), "micro.recall": ratio(tp, gold),
        "micro.f1": ratio(2 * tp, gold + pred),
        "macro.precision": mean(ratio(t, p) for t, _, p in rows),
        "macro.recall": mean(ratio(t, g) for t, g, _ in rows),
        "macro.f1": mean(ratio(2 * t, g + p) for t, g, p in rows),
    }  # fmt: skip


def experts(case: Case, options: dict[str, Any]) -> Values:
    """Count pairs whose class the majority of experts changes, and those without one."""
    n_changed = n_tied = n_rated = 0
    for row in case["gold"]:
        given = Counter(said["class"] for said in case["pred"] if place(said) == place(row))
        most = [letter for letter in given if given[letter] == max(given.values())]
        n_rated += bool(given)
        chosen = most[0] if len(most) == 1 else None
        if options["rule"] == "mean" or (options["rule"] == "both" and not chosen):
            chosen = nearest(given)
        n_tied += bool(given) and chosen is None
        n_changed += chosen not in (None, row["class"])
    return {"n_changed": n_changed, "n_tied": n_tied, "n_rated": n_rated}


def nearest(given: Counter[str]) -> str | None:
    """Return the letter nearest to the mean of A = 4 to D = 1; None between two or of none."""
    if not given:
        return None
    average = Fraction(sum((4 - "ABCD".index(c)) * n for c, n in given.items()), given.total())
    away = {letter: abs(4 - k - average) for k, letter in enumerate("ABCD")}
    closest = [letter for letter in away if away[letter] == min(away.values())]
    return closest[0] if len(closest) == 1 else None


CRAB = {
    "pairwise": pairwise,
    "frames": lambda case, options: shapes(case, options, "frames"),
    "chains": lambda case, options: shapes(case, options, "chains"),
    "graded": graded,
    "agree": raters,
    "events": events,
    "experts": experts,
}

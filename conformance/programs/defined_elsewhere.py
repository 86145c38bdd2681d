"""Definitions of labels, answers, claims, pairs of events and CRAB, for with_definitions.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from math import isqrt
from typing import Any

from answering import Case, RefusedError, UnknownError, Values, flat

from tests.oracles import (
    answers,
    choices,
    claims,
    crab_answers,
    crab_pairs,
    crab_questions,
    crab_shapes,
    eci,
    fincausal,
    judged_answers,
    reliability,
    unicausal,
)


def ratio(top: Any, bottom: Any, undefined: Any = None) -> Any:
    return Fraction(top) / Fraction(bottom) if bottom else undefined


def mean(values: Iterable[Any]) -> Any:
    known = [value for value in values if value is not None]
    return sum(known, Fraction(0)) / len(known) if known else None


# --------------------------------------------------------------------------------------- labels


def labels(case: Case) -> Values:
    ratings = case["ratings"]
    values = {f"alpha.{level}": reliability.alpha(ratings, level) for level in case["levels"]}
    for measure in case["measures"]:
        values[measure] = getattr(reliability, measure)(ratings)
    for weights in case.get("weights", ()):
        values[f"cohen_kappa.{weights}"] = reliability.cohen_kappa(ratings, weights)
    if "votes" in case:
        found = reliability.votes(ratings, case["votes"])
        if found is None:
            raise RefusedError("a tie")
        values["votes"] = found
    return values


def counted(gold: list[Any], pred: list[Any], positive: Any, undefined: Any) -> Values:
    """Scores of labels on both sides."""
    if len(gold) != len(pred):
        raise RefusedError("as many labels are expected on both sides")
    rows = []
    for label in sorted({*gold, *pred}):
        tp = sum(g == p == label for g, p in zip(gold, pred, strict=True))
        fp, fn = pred.count(label) - tp, gold.count(label) - tp
        rows.append(
            {
                "label": label, "tp": tp, "fp": fp, "fn": fn, "support": tp + fn,
                "precision": ratio(tp, tp + fp, undefined),
                "recall": ratio(tp, tp + fn, undefined),
                "f1": ratio(2 * tp, 2 * tp + fp + fn, undefined),
            }
        )  # fmt: skip
    values: Values = {}
    for row in rows:
        values |= flat(row, f"class.{row['label']}.")
        if row["label"] == positive:
            values |= flat(row, "positive.")
    for name in ("precision", "recall", "f1"):
        values[f"macro.{name}"] = mean(row[name] for row in rows)
        known = [row for row in rows if row[name] is not None]
        top = sum(row[name] * row["support"] for row in known)
        values[f"weighted.{name}"] = ratio(top, sum(row["support"] for row in known))
    right = sum(g == p for g, p in zip(gold, pred, strict=True))
    values["overall.accuracy"] = ratio(right, len(gold))
    return values | {"overall.mcc": mcc(gold, pred)}


def mcc(gold: list[Any], pred: list[Any]) -> Fraction | None:
    """Return Gorodkin's coefficient where it is a fraction."""
    n = len(gold)
    a, b = Counter(gold), Counter(pred)
    top = n * sum(map(int.__eq__, gold, pred)) if isinstance(gold[0], int) else None
    if top is None:
        return None
    top -= sum(a[label] * b[label] for label in a)
    square = (n * n - sum(x * x for x in a.values())) * (n * n - sum(x * x for x in b.values()))
    root = isqrt(square)
    return Fraction(top, root) if root and root * root == square else None


CHOICES = {  # answers, reading, policies of unreadable and of missing answers
    "copa": ("choice", "same", "error", "wrong"),
    "e-care": ("choice", "same", "wrong", "wrong"),
    "cladder": ("binary", "cladder", "error", "skip"),
    "cladder-gpt": ("binary", "cladder-gpt", "wrong", "skip"),
    "corr2cause": ("binary", "corr2cause", "error", "skip"),
}


def classify(case: Case) -> Values:
    gold, pred, protocol = case["gold"], case["pred"], case["protocol"]
    if protocol in ("unicausal-seq", "unicausal-pair"):
        rows = [{"list": [], **row} for row in gold]
        chosen = unicausal.chosen([rows], protocol)
        return counted([label for _, _, label, _ in chosen], pred, 1, Fraction(0))
    if protocol == "fincausal-task1":
        return counted(gold, pred, 1, Fraction(0))
    if protocol == "labels" and "answers" not in case:
        undefined = Fraction(case["undefined"]) if "undefined" in case else None
        return counted(gold, pred, case.get("positive", 1), undefined)
    kind, reading, *policies = CHOICES.get(protocol, (None, None, "wrong", "wrong"))
    kind, reading = case.get("answers", kind), case.get("read", reading)
    policies = [case.get("unparsed", policies[0]), case.get("unmatched", policies[1])]
    asked = {row["id"]: row["label"] for row in gold}
    said = {row["id"]: row["answer"] for row in pred}
    forms: dict[Any, str] = {"yes": "yes", "no": "no"}
    if kind == "letter":
        forms = {letter: letter for letter in sorted(asked.values())}
    elif kind == "choice":
        forms = {number: str(number) for number in sorted(asked.values())}
    try:
        found = choices.scored(asked, said, forms, reading, (policies[0], policies[1]))
    except ValueError as error:
        raise RefusedError(str(error)) from error
    values = {
        "overall.accuracy": found["accuracy"],
        "read.accuracy": found["of_read"],
        "n_unparsed": found["n_unparsed"],
        "n_missing": found["n_missing"],
    }
    if protocol == "corr2cause":
        read = {id: choices.corr2cause(text, forms) for id, text in said.items()}
        hits = [(asked[id], read[id]) for id in asked if id in read]
        of = counted([g for g, _ in hits], [p for _, p in hits], None, Fraction(0))
        rarer = min(("no", "yes"), key=lambda c: sum(g == c for g, _ in hits))
        values |= {
            f"rarer.{name}": of[f"class.{rarer}.{name}"] for name in ("precision", "recall", "f1")
        }
    return values


# -------------------------------------------------------------------------- questions, answers


def qa(case: Case) -> Values:
    if case["protocol"] == "fincausal-2025":
        gold, pred = ({row.split(";")[0]: row.split(";", 3)[3] for row in case[side]}
                      for side in ("gold", "pred"))  # fmt: skip
        if {*gold} != {*pred}:
            raise RefusedError("questions without an answer")
        hits = sum(gold[id].strip().lower() == pred[id].strip().lower() for id in gold)
        return {"overall.exact_match": ratio(hits, len(gold))}
    policy = case.get("unmatched", "error")
    marks = []
    for question in case["gold"]:
        said = case["pred"].get(question["id"])
        if said is None and policy == "error":
            raise RefusedError(question["id"])
        if said is not None:
            found = answers.reference(question["answers"]["text"], said)
        elif policy == "empty":
            found = (0, Fraction(0))
        else:
            continue
        words = ("reason", "why", "cause", "resulted")
        marks.append((any(word in question["question"].lower() for word in words), *found))
    values: Values = {}
    for group, chosen in (("overall", marks), ("why", [mark for mark in marks if mark[0]])):
        values[f"{group}.exact_match"] = ratio(sum(em for _, em, _ in chosen), len(chosen))
        values[f"{group}.f1"] = ratio(sum(f1 for *_, f1 in chosen), len(chosen))
        values[f"{group}.n_questions"] = len(chosen)
    return values


def extracted(case: Case) -> Values:
    """Return scores of extracted causes and effects."""
    protocol, policy = case["protocol"], case.get("unparsed", "error")
    read = {"guide": judged_answers.guide, "fcr": judged_answers.fcr}[protocol]
    items = []
    for each in case["items"]:
        if read(each["output"]) is None and policy != "empty":
            if policy == "error":
                raise RefusedError(each["output"])
            continue
        items.append(judged_answers.item(each["input"], each["gold"], each["output"], protocol))
    triage = Counter(judged_answers.triage(item["roles"]) for item in items)
    values: Values = {}
    if "unsure" in case:
        said = [[each["answer"] for each in item["answers"]] for item in case["items"]]
        if case["unsure"] == "missing":
            said = [[verdict for verdict in row if verdict != "unsure"] for row in said]
        each = [ratio(row.count("valid"), len(row)) for row in said]
        values = {"verdicts.valid": mean(each), "verdicts.n_judged": sum(map(len, said))}
    return values | flat(judged_answers.scores(items, protocol)) | flat(triage, "triage.")


def judged_claims(case: Case) -> Values:
    nulls = case.get("nulls", "error")
    raters = []
    for sides in case["raters"].values():
        topics = {
            topic: tuple(
                [claim["judgment"] for claim in sides[side][topic]["claims"]]
                for side in ("prediction", "reference")
            )
            for topic in sides["prediction"]
        }
        raters.append(topics)
    said = [j for topics in raters for two in topics.values() for side in two for j in side]
    if nulls == "error" and None in said:
        raise RefusedError("a claim without judgment")
    if case.get("raters_by") == "majority":
        raters = [claims.majority(raters, nulls)]
    found = claims.of_raters([claims.of_rater(topics, nulls) for topics in raters])
    values = {"means.f1": found["means"][0]}
    for group in ("topic", "claim"):
        for name, value in zip(("precision", "recall", "f1"), found[group], strict=True):
            values[f"{group}.{name}"] = value
    return values


# ------------------------------------------------------------------------------- pairs of events


def pairs(case: Case) -> Values:
    gold, pred, protocol = case["gold"], case["pred"], case["protocol"]
    if protocol == "maven-ere":
        found = eci.maven(gold, pred, case.get("relation", "causal"))
        return flat(found.pop("scores")) | found
    names = ("candidates", "outside", "undefined", "fold")
    options = {name: case[name] for name in names if name in case}
    labels = {name: tuple(case[name]) for name in ("forward", "backward") if name in case}
    try:
        found = eci.score(gold, pred, protocol, **options, **labels)
    except AssertionError as error:
        raise RefusedError(f"label {error}") from error
    if case.get("outside") == "error" and found["n_outside"]:
        raise RefusedError("a pair outside of the candidates")
    return flat(found.pop("scores")) | flat(found)


# ------------------------------------------------------------------------------ words and tagged


def words(case: Case) -> Values:
    header = "Index; Text; Cause; Effect\n"
    files = [
        header + "".join("; ".join(row) + "\n" for row in case[side]) for side in ("gold", "pred")
    ]
    try:
        found = fincausal.score(*files)
    except fincausal.Stop as error:
        raise RefusedError(str(error)) from error
    values: Values = {
        **{f"official.{name}": getattr(found, name) for name in ("precision", "recall", "f1")},
        "official.exact_match": found.exact,
        "pairs.exact_match": found.exact_in_pairs,
    }
    for label, (hits, predicted, wanted) in found.counts.items():
        values |= {f"classes.{label}.hits": hits, f"classes.{label}.predicted": predicted,
                   f"classes.{label}.gold": wanted,
                   f"classes.{label}.f1": ratio(2 * hits, predicted + wanted)}  # fmt: skip
    return values


def tagged_words(case: Case) -> Values:
    from seqeval.metrics.sequence_labeling import get_entities

    tagged = unicausal.run_on if case.get("tags") == "unicausal" else unicausal.as_marked
    rows = [{"list": [], **row} for row in case["gold"]]
    gold = [tagged(text) for *_, text in unicausal.chosen([rows], "unicausal-span")]
    pred = [row["prediction"] for row in case["pred"]]
    sides = [
        {(k, *entity) for k, tags in enumerate(side) for entity in get_entities(tags)}
        for side in (gold, pred)
    ]
    hits, wanted, predicted = len(sides[0] & sides[1]), len(sides[0]), len(sides[1])
    both = [pair for two in zip(gold, pred, strict=True) for pair in zip(*two, strict=True)]
    return {
        "overall.precision": ratio(hits, predicted, 0),
        "overall.recall": ratio(hits, wanted, 0),
        "overall.f1": ratio(2 * hits, predicted + wanted, 0),
        "overall.accuracy": ratio(sum(a == b for a, b in both), len(both)),
    }


# ------------------------------------------------------------------------------------------ CRAB


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
OTHERS = {
    "labels": labels,
    "classify": classify,
    "qa": qa,
    "answers": extracted,
    "claims": judged_claims,
    "eci": pairs,
    "words": words,
    "tagged-words": tagged_words,
    "crab": crab,
}

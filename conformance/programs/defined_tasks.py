"""Definitions of labels, answers, claims, pairs of events and words, for with_definitions.py."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import isqrt
from typing import Any

from answering import Case, RefusedError, Values, flat, mean, ratio
from defined_crab import crab

from tests.oracles import (
    answers,
    choices,
    claims,
    eci,
    fincausal,
    judged_answers,
    reliability,
    unicausal,
)

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
    "corr2cause-gpt": ("binary", "corr2cause-gpt", "error", "skip"),
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
    if protocol in ("corr2cause", "corr2cause-gpt"):
        read = {id: choices.READINGS[protocol](text, forms) for id, text in said.items()}
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
    names = ("forward", "backward", "none", "unknown")
    labels = {name: tuple(case[name]) for name in names if name in case}
    try:
        found = eci.score(gold, pred, protocol, **options, **labels)
    except KeyError as error:
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

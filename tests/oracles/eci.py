"""Scores of causal pairs of events from sets and dictionaries, as shared/reference/eci.md has them.

Rows are dicts: ``doc_id, a, b, label`` and perhaps ``sentence_a, sentence_b``.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import Any

Row = dict[str, Any]
TYPES = {  # meanings of labels: the type, and True if a is the effect
    "precondition": ("PRECONDITION", False),
    "fallingaction": ("PRECONDITION", True),
    "cause": ("CAUSE", False),
    "causedby": ("CAUSE", True),
    "causeeffect": ("CauseEffect", False),
    "effectcause": ("CauseEffect", True),
    "clink": ("CLINK", False),
    "clinkr": ("CLINK", True),
    "unknown": "unknown",
    **dict.fromkeys(("1", "1.0", "true", "causal", "yes"), ("", False)),
    **dict.fromkeys(("", "none", "norel", "norelation", "no", "o", "0", "0.0", "false", "null")),
}
STRATA = ("overall", "intra", "inter")


def folded(label: Any) -> str:
    text = "" if label is None or label != label else str(label)
    text = text.strip().lower()
    return text if text.startswith("-") else "".join(c for c in text if c not in " _-")


def meaning(label: Any, forward=(), backward=(), none=(), unknown=(), story=False) -> Any:
    """None, "unknown", or a type and True if a is the effect; KeyError for an unknown label."""
    declared = dict.fromkeys(map(folded, none)) | dict.fromkeys(map(folded, unknown), "unknown")
    declared |= {folded(x): (x, False) for x in forward} | {folded(x): (x, True) for x in backward}
    if folded(label) in declared:
        return declared[folded(label)]
    if label == "null":
        return {True: "unknown"}[story]
    return TYPES[folded(label)]


def items(rows: list[Row], labels: dict) -> dict[str, set]:
    """The sets of `exists`, `direction` and `typed`; each item begins with its document."""
    found = {"exists": set(), "direction": set(), "typed": set()}
    for row in rows:
        doc, a, b, means = row["doc_id"], row["a"], row["b"], meaning(row["label"], **labels)
        if means is None:
            continue
        pair = frozenset((a, b))
        found["exists"].add((doc, pair))
        if means == "unknown":
            found["direction"].add((doc, pair, "unknown"))
            found["typed"].add((doc, pair, "unknown"))
        else:
            ends = (b, a) if means[1] else (a, b)
            found["direction"].add((doc, pair, *ends))
            found["typed"].add((doc, pair, *ends, means[0]))
    return found


def is_known(item: tuple) -> bool:
    return item[-1] != "unknown"


def sentences(*tables: list[Row]) -> dict[tuple[str, str], Any]:
    places = {}
    for row in (row for table in tables for row in table):
        for mention, sentence in (("a", "sentence_a"), ("b", "sentence_b"), ("event", "sentence")):
            if row.get(mention) is not None and row.get(sentence) is not None:
                places[row["doc_id"], row[mention]] = row[sentence]
    return places


def stratum(item: tuple, places: dict) -> str | None:
    doc, pair = item[:2]
    known = [places.get((doc, mention)) for mention in pair]
    if None in known:
        return None
    return "intra" if known[0] == known[1] else "inter"


def of_stratum(some: set, wanted: str, places: dict) -> set:
    return some if wanted == "overall" else {i for i in some if stratum(i, places) == wanted}


def candidates_of(gold: list[Row], candidates: Any) -> set | None:
    """Candidates are None, "listed", rows of pairs or rows of events."""
    if candidates is None:
        return None
    rows = gold if candidates == "listed" else candidates
    if rows and "event" in rows[0]:
        events: dict[str, set] = {}
        for row in rows:
            events.setdefault(row["doc_id"], set()).add(row["event"])
        return {(d, frozenset(two)) for d, of in events.items() for two in combinations(of, 2)}
    return {(row["doc_id"], frozenset((row["a"], row["b"]))) for row in rows}


def ratio(top: int, bottom: int, undefined: Any) -> Any:
    return float(Fraction(top, bottom)) if bottom else undefined


def three(tp: int, predicted: int, gold: int, undefined: Any) -> dict[str, Any]:
    return {
        "precision": ratio(tp, predicted, undefined),
        "recall": ratio(tp, gold, undefined),
        "f1": ratio(2 * tp, predicted + gold, undefined),
    }


def counted(tp: int, predicted: int, gold: int, undefined: Any) -> dict[str, Any]:
    scores = three(tp, predicted, gold, undefined)
    return scores | {"tp": tp, "predicted": predicted, "gold": gold}


def pairs(gold: list[Row], pred: list[Row], places: dict, undefined: Any, labels: dict) -> dict:
    g, p = items(gold, labels), items(pred, labels)
    strata = STRATA if places else STRATA[:1]
    scores = {}
    for group in g:
        scores[group] = {}
        for name in strata:
            left, right = (of_stratum(side[group], name, places) for side in (g, p))
            hits = len([item for item in left & right if group == "exists" or is_known(item)])
            scores[group][name] = counted(hits, len(right), len(left), undefined)
    return scores


def ilif(gold: list[Row], pred: list[Row], undefined: Any, labels: dict) -> dict:
    g, p = items(gold, labels), items(pred, labels)
    hits = len([item for item in g["direction"] & p["direction"] if is_known(item)])
    invented = len([item for item in p["direction"] if item[:2] not in g["exists"]])
    of = counted(hits, hits + invented, len(g["direction"]), undefined)
    return {"direction": {"overall": of}}


def eventstoryline(
    gold: list[Row], pred: list[Row], undefined: Any, labels: dict | None = None
) -> dict:
    """The program's scores; without ``labels`` it compares them as texts, as published."""

    def means(label: Any) -> Any:
        if labels is not None:
            return meaning(label, **labels)
        return None if label in (None, "", "NONE", "NoRel") else label

    documents = {row["doc_id"] for row in gold}
    sides = [
        [row | {"label": means(row["label"])} for row in rows if row["doc_id"] in documents]
        for rows in (gold, pred)
    ]
    sides = [[row for row in rows if row["label"] is not None] for rows in sides]
    (g, p), (g_typed, p_typed) = (
        [[tuple(row[c] for c in ("doc_id", "a", "b", *more)) for row in rows] for rows in sides]
        for more in ((), ("label",))
    )
    missed = sum(line not in p for line in g)
    scores = {}
    for name, left, right in (("exists", g, p), ("typed", g_typed, p_typed)):
        hits = sum(line in left for line in right)
        wrong = len(right) - hits
        of = three(hits, len(right), hits + missed, undefined)
        scores[name] = {"overall": of | {"tp": hits, "fp": wrong, "fn": missed}}
    return scores


def score(
    gold: list[Row],
    pred: list[Row],
    protocol: str = "pairs",
    candidates: Any = None,
    outside: str = "charge",
    undefined: Any = None,
    by: tuple = (),
    fold: str | None = None,
    **labels: tuple,
) -> dict[str, Any]:
    """All that the report of one protocol holds but for signature and warnings."""
    chosen = candidates_of(gold, candidates)
    documents = {row["doc_id"] for row in gold}
    tables = [gold, pred] + ([candidates] if isinstance(candidates, list) else [])
    places = sentences(*tables)
    labels["story"] = protocol == "eventstoryline"
    beyond = set()
    if protocol == "eventstoryline":  # which does not look at other documents
        pred = [row for row in pred if row["doc_id"] in documents]
        chosen = chosen and {pair for pair in chosen if pair[0] in documents}
    if chosen is not None:
        beyond = items(pred, labels)["exists"] - chosen
        if outside == "ignore":
            pred = [r for r in pred if (r["doc_id"], frozenset((r["a"], r["b"]))) not in beyond]

    def of(some_gold: list[Row], some_pred: list[Row]) -> dict:
        if protocol == "pairs":
            return pairs(some_gold, some_pred, places, undefined, labels)
        if protocol == "ilif-direction":
            return ilif(some_gold, some_pred, undefined, labels)
        return eventstoryline(some_gold, some_pred, undefined, labels)

    def parts(column: str) -> dict[str, dict]:
        names = sorted({row[column] for row in gold})
        inside = {name: {r["doc_id"] for r in gold if r[column] == name} for name in names}
        return {
            name: of(*([r for r in rows if r["doc_id"] in docs] for rows in (gold, pred)))
            for name, docs in inside.items()
        }

    result: dict[str, Any] = {
        "n_documents": len(documents),
        "n_candidates": None if chosen is None else len(chosen),
        "n_outside": None if chosen is None else len(beyond),
        "n_ignored": len(beyond) if outside == "ignore" else 0,
        "scores": of(gold, pred),
        "by": {column: parts(column) for column in by},
    }
    if chosen is not None and protocol == "pairs":
        result["every"] = every(items(gold, labels)["exists"], chosen, places, undefined)
    if fold is not None:
        result["folds"] = folds(list(parts(fold).values()))
    return result


def every(gold: set, chosen: set, places: dict, undefined: Any) -> dict:
    scores = {}
    for name in STRATA if places else STRATA[:1]:
        left, right = (of_stratum(side, name, places) for side in (gold, chosen))
        scores[name] = counted(len(left & right), len(right), len(left), undefined)
    return scores


def folds(parts: list[dict]) -> dict:
    """Means of the scores of folds, and F1 of the mean precision and the mean recall."""
    result: dict[str, dict] = {}
    for group, strata in parts[0].items():
        result[group] = {}
        for name in strata:
            of_folds = [part[group][name] for part in parts]
            means = {}
            for measure in ("precision", "recall", "f1"):
                values = [scores[measure] for scores in of_folds]
                known = None not in values
                means[measure] = float(sum(map(Fraction, values)) / len(values)) if known else None
            p, r = means["precision"], means["recall"]
            f1 = None if None in (p, r) else 2 * p * r / (p + r) if p + r else 0.0
            result[group][name] = {"n": len(parts), "mean": means, "f1_of_means": f1}
    return result


def maven(gold: list[dict], pred: list[dict], relation: str = "causal") -> dict[str, Any]:
    """The official scores of MAVEN-ERE, of lines that its program reads to the end.

    Lines are lines of the files, as dicts.
    """
    predicted = {line["id"]: line for line in pred}
    tally: Counter = Counter()
    for line in gold:
        mentions = {e["id"]: [m["id"] for m in e["mention"]] for e in line["events"]}
        if relation == "temporal":
            mentions |= {timex["id"]: [timex["id"]] for timex in line.get("TIMEX", [])}
        truth = {}
        for label, x, y in relations(line, relation):
            truth |= {(a, b): label for a in mentions[x] for b in mentions[y]}
        known = {mention for of in mentions.values() for mention in of}
        said, ignored = {}, set()
        for label, a, b in relations(predicted.get(line["id"], {}), relation):
            if a in known and b in known:
                said[a, b] = label
            elif label != "NONE":
                ignored.add((a, b))
        said = {pair: label for pair, label in said.items() if label != "NONE"}
        tally["tp"] += sum(truth.get(pair) == label for pair, label in said.items())
        tally["predicted"] += len(said)
        tally["gold"] += len(truth)
        tally["n_ignored"] += len(ignored)
    of = counted(tally["tp"], tally["predicted"], tally["gold"], 0.0)
    return {
        "n_documents": len(gold),
        "n_ignored": tally["n_ignored"],
        "scores": {"typed": {"overall": of}},
    }


def relations(line: dict, relation: str) -> list[tuple[str, str, str]]:
    """Label and ends of each relation, in the order of the file."""
    if relation == "subevent":
        return [("subevent", *pair) for pair in line.get("subevent_relations", [])]
    lists = line.get(f"{relation}_relations", {})
    return [(label, *pair) for label, pairs in lists.items() for pair in pairs]

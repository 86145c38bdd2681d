"""Scores of extracted causes and effects, answer by answer, for both protocols.

Source: the guide for raters of extracted causes and effects, and the metric of the published
program of its authors (event_extraction), whose definitions this follows sentence by sentence;
words are cut as in SQuAD 1.1 (`tests.oracles.answers`). Shares nothing with the package.
"""

from __future__ import annotations

import math
import re
import string
import unicodedata
from collections import Counter
from itertools import permutations

from tests.oracles.answers import plain_words

ROLES = ("cause", "effect")


def guide(text):
    """Return causes, effects and relation; None if the text is unparsed."""
    for marks in (
        r"\[([Cc][Aa][Uu][Ss][Ee]|[Ee][Ff][Ff][Ee][Cc][Tt]|[Rr][Ee][Ll][Aa][Tt][Ii][Oo][Nn])\]",
        r"(?:(?<=\n)|\A)[ \t]*([Cc][Aa][Uu][Ss][Ee]|[Ee][Ff][Ff][Ee][Cc][Tt]"
        r"|[Rr][Ee][Ll][Aa][Tt][Ii][Oo][Nn]):",
    ):
        _, *parts = re.split(marks, text)
        if parts:
            break
    names = [name.lower() for name in parts[::2]]
    said = dict(zip(names, parts[1::2], strict=True))
    if sorted(names) not in (["cause", "effect"], ["cause", "effect", "relation"]):
        return None
    spans = {
        role: [span for span in said[role].split("|") if span and not span.isspace()]
        for role in ROLES
    }
    return spans, " ".join(said.get("relation", "").split()).lower()


def fcr(text):
    found = re.findall(
        r"\[Cause\](.*?)\[Relation\](.*?)\[Effect\](.*?)$", re.sub(r'""+', '"', text)
    )
    if not found:
        return None
    causes, relation, effects = found[0]
    sides = (causes.split("|"), effects.split("|"))
    spans = dict(
        zip(ROLES, ([s.strip() for s in side if s.strip()] for side in sides), strict=True)
    )
    return spans, relation.strip().lower()


def bag(spans):
    return Counter(word for span in spans for word in plain_words(span))


def shared(a, b):
    return (bag(a) & bag(b)).total()


def best_match(gold, pred):
    """The largest sum of shared words over all ways to give spans one partner each."""
    few, many = sorted((gold, pred), key=len)
    return max(
        sum(shared([a], [b]) for a, b in zip(few, order, strict=True))
        for order in permutations(many, len(few))
    )


def same(gold, pred, protocol):
    if protocol == "fcr":
        # Spans are sorted as they are written, then joined, then made words.
        return plain_words(" ".join(sorted(gold))) == plain_words(" ".join(sorted(pred)))
    return sorted(map(plain_words, gold)) == sorted(map(plain_words, pred))


def share(a, b, protocol):
    return a / b if b else (0.0 if protocol == "fcr" else None)


def prf(hits, predicted, wanted, protocol):
    """Return precision, recall and F1; without hits F1 is 0 if anything was predicted or wanted."""
    p, r = share(hits, predicted, protocol), share(hits, wanted, protocol)
    f = share(0, predicted + wanted, protocol) if not hits else 2 * (p * r) / (p + r)
    return p, r, f


def mean(values):
    defined = sorted(value for value in values if value is not None)
    return math.fsum(defined) / len(defined) if defined else None


def apart(text):
    """Put blanks around Chinese letters, with the marks behind each; letters alone count here."""
    kept = [letter for letter in text.lower() if letter not in string.punctuation]
    parts, alone = [], False
    for letter in kept:
        if unicodedata.name(letter, "").startswith("CJK UNIFIED"):
            parts.append(f" {letter}")
            alone = True
            continue
        if alone and not unicodedata.category(letter).startswith("M"):
            parts.append(" ")
            alone = False
        parts.append(letter)
    return "".join(parts)


def item(source, reference, answer, protocol):
    """All that is to be known of one answer; sides that cannot be read have no spans."""
    cut = apart if protocol == "guide" else str
    source = None if source is None else cut(source)
    read = {"guide": guide, "fcr": fcr}[protocol]
    unread = ({role: [] for role in ROLES}, "cause" if protocol == "fcr" else "")
    (gold, relation), (pred, other) = read(reference) or unread, read(answer) or unread
    roles = {}
    for role in ROLES:
        a, b = ([cut(span) for span in side[role]] for side in (gold, pred))
        hits, predicted, wanted = shared(a, b), bag(b).total(), bag(a).total()
        f1 = 2 * hits / (predicted + wanted) if predicted + wanted else None
        if protocol == "fcr" and not (predicted and wanted):
            f1 = 0.0
        roles[role] = {
            "hits": hits, "predicted": predicted, "wanted": wanted, "matched": best_match(a, b),
            "same": same(a, b, protocol), "f1": f1,
        }  # fmt: skip
    lacking = None
    if read(answer) and source is not None:
        said = [word for role in ROLES for span in pred[role] for word in plain_words(cut(span))]
        lacking = [word for word in said if word not in set(plain_words(source))]
    return {
        "roles": roles, "relation": relation, "other": other, "missing": lacking,
        "same": all(r["same"] for r in roles.values()), "f1": mean(r["f1"] for r in roles.values()),
    }  # fmt: skip


def triage(roles):
    if all(r["same"] for r in roles.values()):
        return "exact"
    if any(not r["predicted"] or not r["wanted"] for r in roles.values()):
        return "empty"
    return "disjoint" if any(not r["hits"] for r in roles.values()) else "judge"


def of_role(parts, protocol):
    sums = {
        name: sum(part[name] for part in parts)
        for name in ("hits", "predicted", "wanted", "matched")
    }
    sides = (sums["predicted"], sums["wanted"], protocol)
    p, r, f = prf(sums["hits"], *sides)
    mp, mr, mf = prf(sums["matched"], *sides)
    worded = [p for p in parts if protocol == "fcr" or p["predicted"] or p["wanted"]]
    exact = share(sum(p["same"] for p in worded), len(worded), protocol)
    return {
        "precision": p, "recall": r, "f1": f, "exact_match": exact, "matched_precision": mp,
        "matched_recall": mr, "matched_f1": mf,
    }, {"shared": sums["hits"], "predicted": sums["predicted"], "wanted": sums["wanted"],
        "n": len(worded)}  # fmt: skip


def of_relations(items, protocol):
    asked = [each for each in items if protocol == "fcr" or each["relation"]]
    classes = {each["relation"] for each in asked}
    if protocol == "fcr":
        classes |= {each["other"] for each in asked}
    scores = [
        prf(
            sum(each["relation"] == each["other"] == name for each in asked),
            sum(each["other"] == name for each in asked),
            sum(each["relation"] == name for each in asked),
            protocol,
        )
        for name in classes
    ]
    hits = sum(each["relation"] == each["other"] for each in asked)
    means = [mean(column) for column in zip(*scores, strict=True)] or [share(0, 0, protocol)] * 3
    return {
        "accuracy": share(hits, len(asked), protocol), "precision": means[0], "recall": means[1],
        "f1": means[2], "n": len(asked),
    }  # fmt: skip


def scores(items, protocol):
    """Return the `scores` of `fastcausal answers`."""
    roles = {role: of_role([each["roles"][role] for each in items], protocol) for role in ROLES}
    overall = {name: mean(roles[role][0][name] for role in ROLES) for name in roles["cause"][0]}
    asked = [each for each in items if protocol == "fcr" or each["relation"]]
    right = sum(each["same"] and each["relation"] == each["other"] for each in asked)
    f1 = mean(each["f1"] for each in items)
    sourced = [each for each in items if each["missing"] is not None]
    return {
        "overall": overall,
        **{role: scores | counts for role, (scores, counts) in roles.items()},
        "joint": {
            "exact_match": share(sum(each["same"] for each in items), len(items), protocol),
            "exact_match_with_relation": share(right, len(asked), protocol),
            "f1": share(0, 0, protocol) if f1 is None else f1,
            "n": len(items),
        },
        "relation": of_relations(items, protocol),
        "source": {
            "contained": share(sum(not s["missing"] for s in sourced), len(sourced), protocol),
            "n": len(sourced),
        },
    }

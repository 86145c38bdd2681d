"""Answers of published programs, as our own renderings of their descriptions give them.

``with_published.py cnc-2023|cnc-2022|faireval|eventstoryline|maven-ere``
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from answering import (
    ROLES,
    Case,
    Task,
    UnknownError,
    Values,
    answer_lines,
    flat,
    spans_of,
    tagged_text,
)

from bench import official
from tests.oracles import cnc2022, eci, fair, markup

NAMES = dict(zip("CES", ROLES, strict=True))
HALVES = ("le", "be", "lbe")


def protocol_is(case: Case, *names: str) -> None:
    if case["protocol"] not in names:
        raise UnknownError(f"no protocol {case['protocol']}")


def tagged(relation: Any, length: int) -> tuple[list[str], list[str]]:
    """Return the tags of arguments and of signals that the CNC programs read."""
    text = tagged_text(relation, length)
    if text is None:
        raise UnknownError("tags cannot hold the spans")
    tracks = markup.official_tags(text)
    names = [[tag[:2] + NAMES[tag[2]] if tag != "O" else tag for tag in track] for track in tracks]
    return names[0], names[1]


def cnc_sides(case: Case) -> Iterator[tuple[list[Any], list[Any]]]:
    """Yield tagged relations, as many predicted as gold ones; without non-causal sentences."""
    for example in case["examples"]:
        if "gold" not in example or example.get("pred") is None or None in example["pred"]:
            raise UnknownError("every sentence has predictions that can be read")
        length = example["length"]
        gold, pred = ([tagged(r, length) for r in example[side]] for side in ("gold", "pred"))
        nothing = tagged(None, length)
        if gold:
            yield gold, (pred + [nothing] * len(gold))[: len(gold)]


def cnc_2023(case: Case) -> Values:
    protocol_is(case, "cnc-2023", "recess")
    sides = zip(*cnc_sides(case), strict=True)
    gold, pred = sides if any(e["gold"] for e in case["examples"]) else ([], [])
    found = official.score(gold, pred)
    return flat(found["all"]) | flat(found["multi_relation"], "multi_relation.")


def cnc_2022(case: Case) -> Values:
    protocol_is(case, "cnc-2022")
    try:
        found = cnc2022.program([*cnc_sides(case)])
    except cnc2022.StopError as error:
        raise UnknownError(f"the program stops: {error}") from error
    names = ("precision", "recall", "f1")
    return flat({role: dict(zip(names, scores, strict=False)) for role, scores in found.items()})


def cnc_tags(case: Case) -> Values:
    """Return the spans that the program of 2023 reads."""
    protocol_is(case, "cnc-2023")
    sequences = markup.official_tags(case["tagged"])
    spans = [span for track in sequences for span in markup.strict_iob2(track)]
    reads = sorted([start, stop, NAMES[name]] for name, start, stop in spans)
    return {
        "length": len(sequences[0]),
        "reads": [[name, start, stop] for start, stop, name in reads],
    }


def faireval(case: Case) -> Values:
    """FairEval knows sequences of spans, no relations: all labels are one track."""
    protocol_is(case, "recess")
    total: Counter[tuple[int, str]] = Counter()
    for example in case["examples"]:
        sides = [example.get(side) for side in ("gold", "pred")]
        if any(side is None or None in side or len(side) > 1 for side in sides):
            raise UnknownError("one sequence of spans a sentence")
        gold, pred = (spans_of(side[0]) if side else [] for side in sides)
        total.update(fair.fair_counts(gold, pred, [range(len(ROLES))]))
    values: Values = {}
    for k, role in enumerate((*ROLES, "overall")):
        of = Counter({error: n for (r, error), n in total.items() if r == k})
        of = fair.overall(total) if role == "overall" else of
        counts = {name: of[name] for name in ("tp", "fp", "fn", *HALVES, "bes", "bel", "beo")}
        values |= flat(counts | official.scores_of(counts), f"{role}.")
    return values


def eventstoryline(case: Case) -> Values:
    protocol_is(case, "eventstoryline", "pairs")
    if "candidates" in case or "forward" in case:
        raise UnknownError("no candidates and no further labels")
    found = eci.eventstoryline(case["gold"], case["pred"], None)
    values = flat(found)
    for group in found:
        tp, fp, fn = (values[f"{group}.overall.{name}"] for name in ("tp", "fp", "fn"))
        values |= {f"{group}.overall.predicted": tp + fp, f"{group}.overall.gold": tp + fn}
    return values


def maven_ere(case: Case) -> Values:
    protocol_is(case, "maven-ere")
    found = eci.maven(case["gold"], case["pred"], case.get("relation", "causal"))
    return flat(found["scores"])


PROGRAMS: dict[str, dict[str, Callable[[Case], Values]]] = {
    "cnc-2023": {"score": cnc_2023, "tags": cnc_tags},
    "cnc-2022": {"score": cnc_2022},
    "faireval": {"score": faireval},
    "eventstoryline": {"eci": eventstoryline},
    "maven-ere": {"eci": maven_ere},
}

if __name__ == "__main__":
    tasks: dict[str, Task] = PROGRAMS[sys.argv[1]]
    answer_lines(tasks, partial=True)

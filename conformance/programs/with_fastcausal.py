"""Answers of fastcausal: ``with_fastcausal.py [cpu|reference|cuda]`` (the backend of relations)."""

from __future__ import annotations

import csv
import io
import json
import sys
from functools import partial
from typing import Any

from answering import ROLES, Case, RefusedError, Task, UnknownError, Values, answer_lines, flat

import fastcausal as fc
from fastcausal.files.files import Source

TRUTH = ("corpus", "doc_id", "sent_id", "eg_id", "index", "text", "causal_text_w_pairs", "num_rs")


def refusing(task: Task) -> Task:
    """Return a task that tells input that fastcausal refuses."""

    def run(case: Case) -> Values:
        try:
            return task(case)
        except (fc.InputError, ValueError) as error:
            raise RefusedError(str(error)) from error

    return run


def source(name: str, text: str) -> Source:
    return Source(name, text.encode())


def scores_of(report: Any) -> Values:
    """Return scores and facts of a report by dotted names."""
    found = report.to_dict()
    values = flat(found.pop("scores"))
    subsets = found.pop("subsets", {})
    if isinstance(subsets, dict):
        values |= flat(subsets)
    return values | flat({name: v for name, v in found.items() if not isinstance(v, list)})


# ------------------------------------------------------------------------------------ relations


def protocol_of(case: Case) -> Any:
    settings = case["protocol"]
    return fc.Protocol(**settings) if isinstance(settings, dict) else settings


def score(case: Case, backend: str) -> Values:
    if case["protocol"] == "cnc-2022" and backend == "cuda":
        raise UnknownError("a running mean is of the CPU alone")
    sides: dict[str, list[Any]] = {"gold": [], "pred": []}
    for example in case["examples"]:
        for side in sides:
            if side in example:
                read = [None] if example[side] is None else example[side]  # None: unread
                sides[side].append(
                    {"id": example["id"], "length": example["length"], "relations": read}
                )
    policies = {name: case[name] for name in ("unparsed", "unmatched") if name in case}
    report = fc.score(**sides, protocol=protocol_of(case), backend=backend, **policies)
    if case["protocol"] == "cnc-2022":  # a running mean has no partners
        return scores_of(report)
    partners: dict[str, list[int | None]] = {}
    for match in report.matches.to_pylist():
        if match["gold_relation"] is not None:
            partners.setdefault(match["id"], []).append(match["pred_relation"])
    n_gold = {e["id"]: len(e["gold"]) for e in case["examples"] if "gold" in e}
    return scores_of(report) | {"partners": [partners.get(id, []) for id in n_gold]}


def tags(case: Case) -> Values:
    text = io.StringIO()
    gold = case["tagged"] if case["protocol"] != "aligned" else case["text"]
    rows = [TRUTH, ("c", "d", 0, 0, "c_d_0", case["text"], str([gold]), 1)]
    csv.writer(text).writerows(rows)
    read = fc.read(source("truth.csv", text.getvalue()), tags=case["protocol"])
    if case["protocol"] == "aligned":
        line = json.dumps({"index": "c_d_0", "prediction": [case["tagged"]]}) + "\n"
        read = fc.read(source("said.jsonl", line), like=read, tags="aligned")
    found = read.table.to_pylist()[0]
    if found["relations"][0] is None:
        raise RefusedError("unparsed")
    spans = [(span["start"], span["stop"], span["role"]) for span in found["relations"][0]]
    reads = [[ROLES[role], start, stop] for start, stop, role in sorted(spans)]
    return {"length": found["length"], "reads": reads}


def agree(case: Case) -> Values:
    sides = [
        [{"id": e["id"], "length": e["length"], "relations": e["relations"]} for e in annotator]
        for annotator in case["annotators"]
    ]
    report = fc.agree(sides, case["protocol"], average=case.get("average"))
    return scores_of(report)


def words(case: Case) -> Values:
    """FinCausal's task 2."""
    header = "Index; Text; Cause; Effect\n"
    sides = (
        source(name, header + "".join("; ".join(row) + "\n" for row in case[name.split(".")[0]]))
        for name in ("gold.csv", "pred.csv")
    )
    return scores_of(fc.score(*sides, "fincausal-2020"))


def tagged_words(case: Case) -> Values:
    """UniCausal's spans."""
    options = {"tags": case["tags"]} if "tags" in case else {}
    return scores_of(fc.score(case["gold"], case["pred"], "unicausal-span", **options))


# --------------------------------------------------------------------------- labels and answers


def labels(case: Case) -> Values:
    """Agreement of raters: a row for each unit, a column for each rater, null is no rating."""
    ratings = case["ratings"]
    values = {f"alpha.{level}": fc.krippendorff_alpha(ratings, level) for level in case["levels"]}
    values |= {
        name: getattr(fc, name)(ratings)
        for name in ("fleiss_kappa", "gwet_ac1", "percent_agreement", "mean_pairwise_kappa")
        if name in case["measures"]
    }
    if "cohen_kappa" in case["measures"]:
        columns = list(zip(*ratings, strict=True))[:2]
        values["cohen_kappa"] = fc.cohen_kappa(*columns)
        for weights in case.get("weights", ()):
            values[f"cohen_kappa.{weights}"] = fc.cohen_kappa(*columns, weights=weights)
    if "votes" in case:
        values["votes"] = list(fc.majority_vote(ratings, case["votes"]))
    return values


def classify(case: Case) -> Values:
    names = ("protocol", "positive", "undefined", "unparsed", "unmatched", "answers", "read")
    options = {name: case[name] for name in names if name in case}
    if case["protocol"] == "labels":
        del options["protocol"]
    report = fc.classify(case["gold"], case["pred"], **options)
    return scores_of(report) | by_class(report.to_dict())


def qa(case: Case) -> Values:
    if case["protocol"] == "fincausal-2025":
        rows = ["ID;Text;Question;Answer"]
        gold = "\n".join([*rows, *case["gold"], ""])
        pred = "\n".join([*rows, *case["pred"], ""])
        sides = source("gold.csv", gold), source("pred.csv", pred)
        report = fc.qa(*sides, protocol="fincausal-2025", unmatched=case.get("unmatched", "error"))
        return scores_of(report)
    return scores_of(fc.qa(case["gold"], case["pred"], unmatched=case.get("unmatched", "error")))


def answers(case: Case) -> Values:
    options = {name: case[name] for name in ("unparsed", "unsure") if name in case}
    return scores_of(fc.answers(case["items"], case["protocol"], **options))


def claims(case: Case) -> Values:
    files = [
        source(f"{side}_s_{rater}.json", json.dumps(topics))
        for rater, sides in case["raters"].items()
        for side, topics in sides.items()
    ]
    options = {name: case[name] for name in ("nulls", "raters_by") if name in case}
    options["raters"] = options.pop("raters_by", "mean")
    return scores_of(fc.claims(files, name="{side}_{system}_{rater}", **options).systems["s"])


def eci(case: Case) -> Values:
    names = ("candidates", "outside", "fold", "undefined", "relation")
    names += ("forward", "backward", "none", "unknown")
    options = {name: case[name] for name in names if name in case}
    sides = case["gold"], case["pred"]
    if case["protocol"] == "maven-ere":
        sides = tuple(
            source(f"{name}.jsonl", "".join(json.dumps(line) + "\n" for line in side))
            for name, side in zip(("gold", "pred"), sides, strict=True)
        )
    report = fc.eci(*sides, protocol=case["protocol"], **options)
    return scores_of(report) | flat(report.to_dict().get("baselines", {}))


# ----------------------------------------------------------------------------------------- CRAB


def crab(case: Case) -> Values:
    options = case.get("options", {})
    command = getattr(fc.crab, case["protocol"].replace("crab-", ""))
    sides = [case[name] for name in ("gold", "pred") if name in case]
    report = command(*sides, **options)
    found = report.to_dict()
    values = scores_of(report) if "scores" in found else flat(found)
    if case["protocol"] == "crab-agree":
        for row in found["subsets"]:
            values |= flat(row, f"classes_{'_'.join(map(str, row['classes']))}.")
    return values | by_class(found)


def by_class(found: dict[str, Any]) -> Values:
    rows = found.get("classes", [])
    each = [flat(row, f"class.{row['label']}.") for row in rows if isinstance(row, dict)]
    return {name: value for values in each for name, value in values.items()}


TASKS = {
    "tags": tags,
    "agree": agree,
    "words": words,
    "tagged-words": tagged_words,
    "labels": labels,
    "classify": classify,
    "qa": qa,
    "answers": answers,
    "claims": claims,
    "eci": eci,
    "crab": crab,
}


def answer_with(backend: str) -> None:
    """Answer the cases on standard input."""
    others = TASKS if backend == "cpu" else {}  # these know no backend
    tasks = {"score": partial(score, backend=backend), **others}
    answer_lines({name: refusing(task) for name, task in tasks.items()})


if __name__ == "__main__":
    answer_with(sys.argv[1] if len(sys.argv) > 1 else "cpu")

"""How the time of every public function grows with its input, and the memory that it takes.

A name of `fastcausal` is a function or class of `CASES`, or stands in `OF_NO_SIZE`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import fastcausal as fc
from fastcausal import crab, sample

from . import corpus, stories, test_eci, test_judged, test_questions
from .test_pages import with_texts

CORPUS = "made input"
SCHEME = fc.TagScheme(["O", *(f"{mark}-{role}" for role in ("Cause", "Effect") for mark in "BI")])
SIZES = (5_000, 20_000, 80_000)
OF_PEOPLE = (500, 2_000, 8_000)  # what people judge, or read, is no larger
READ_BY_PEOPLE = {"claims", "preferences", "fincausal", "meta", "crab.events", "crab.prompts"}
QUICK = {"n_resamples": 1_000}

# What holds settings or results, or has nothing that grows.
OF_NO_SIZE = {
    "settings": {"Objective", "PROTOCOLS", "Protocol", "get_include", "id_numbers", "kernel"},
    "made by a function": {
        "AlphaInterval", "Comparison", "Decoded", "Gate", "Intervals", "Items", "Leaderboard",
        "Report", "Statistics", "SweepResult", "ComparisonPlan", "Agreement", "AnswersReport",
        "CheckReport", "ClaimsReport", "ClassificationReport", "CorpusDescription",
        "ExtractionReport", "FinCausalReport", "LabelAgreement", "MetaReport", "PairReport",
        "QAReport", "Rows",
    },
    "of one answer, or of counts": {"crab.parse_answer", "crab.describe_questions"},
    "an error or a version": {"InputError", "__version__"},
    "a module": {"crab"},
}  # fmt: skip


@cache
def folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="fastcausal")  # until the process ends


def path_of(name: str) -> Path:
    return Path(folder().name) / name


@cache
def texts(n: int) -> tuple[fc.Relations, fc.Relations]:
    """Draw gold and predictions of n sentences with their texts."""
    return with_texts(n)


def both(n: int) -> dict[str, fc.Relations]:
    return dict(zip("ab", texts(n), strict=True))


@cache
def runs(n: int) -> tuple[fc.Statistics, ...]:
    """Draw the counts of three systems on n sentences."""
    gold, pred = texts(n)
    rng, rows = np.random.default_rng(1), fc.Rows.of(gold)
    others = (corpus.perturbed(rows, rng, corpus.GOOD).to_relations(gold) for _ in "bc")
    return tuple(fc.score(gold, each).statistics for each in (pred, *others))


def ids(n: int) -> pa.Array:
    return pa.array([f"e{k}" for k in range(n)])


def labels(n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(4, size=n)


def ratings(n: int) -> np.ndarray:
    return np.stack([labels(n, seed) for seed in range(3)], 1)


def votes(n: int) -> pa.Table:
    """Three labels of each of n units, a row each."""
    rater = np.repeat(["a", "b", "c"], n)
    unit = pa.chunked_array([ids(n)] * 3)
    return pa.table({"unit": unit, "rater": rater, "label": ratings(n).T.ravel()})


def values(n: int) -> pa.Table:
    return pa.table({"id": ids(n), "value": labels(n) / 3})


def sections(n: int, seed: int = 0) -> pa.Table:
    """Sections of FinCausal: two of six words are the cause."""
    first = np.array(["tax on", "fuel rose", "rose in"])[labels(n, seed) % 3]
    text, effect = "tax on fuel rose in May so vans sold less", "vans sold less"
    index = pa.array([f"{k}.1" for k in range(n)])
    return pa.table({"index": index, "text": [text] * n, "cause": first, "effect": [effect] * n})


def judged(n: int) -> tuple[pa.Table, pa.Table]:
    """A metric on n items of each of two systems, and the labels of two raters."""
    item, system = pa.chunked_array([ids(n)] * 2), np.repeat(["a", "b"], n)
    scores = pa.table({"item": item, "system": system, "m": labels(2 * n) / 4})
    both = [pa.table({"item": item, "system": system, "rater": [r] * 2 * n,
                      "label": labels(2 * n, 1 + k) // 2}) for k, r in enumerate("ab")]  # fmt: skip
    return scores, pa.concat_tables(both)


def repeated(name: str, n: int, key: str = "topic_id") -> list[dict[str, Any]]:
    """Repeat the rows of a file of the sample, with keys of their own."""
    rows = [json.loads(line) for line in (sample.FOLDER / name).read_text("utf-8").splitlines()]
    step = 1 + max(row[key] for row in rows) if isinstance(rows[0][key], int) else 0

    def keyed(row: dict[str, Any], k: int) -> dict[str, Any]:
        return row | {key: row[key] + k * step if step else f"{row[key]}-{k}"}

    return [keyed(rows[k % len(rows)], k // len(rows)) for k in range(n)]


def written(name: str, content: Any) -> Path:
    """Write JSON to a file."""
    path = path_of(f"{name}.json")
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def claims(n: int) -> list[Path]:
    """Judged claims of a reference and of a prediction about n topics."""
    claim = [{"claim": "Rain fell on the Aster.", "judgment": True}] * 3
    paths = []
    for side in ("reference", "prediction"):
        of_text = claim if side == "reference" else {"Rain fell.": claim}
        of_topic = {side: "Rain fell.", "claims": of_text}
        found = {f"t{k}": of_topic for k in range(n)}
        paths.append(written(f"claims{n}_{side}_full_ann", found))
    return paths


def preferred(n: int) -> tuple[list[Path], Path]:
    first, second = "first_prediction", "second_prediction"
    choice = {"best_prediction_reference": first, "best_prediction_topic": second,
              f"{first}_likert": 5, f"{second}_likert": 2}  # fmt: skip
    names = [f"t{k}" for k in range(n)]
    key = written(f"key{n}", {name: {first: "full", second: "brief"} for name in names})
    return [written(f"ann{n}", dict.fromkeys(names, choice))], key


def swept(n: int) -> Callable[[], Any]:
    gold, pred = texts(n)
    path = path_of(f"run{n}.parquet")
    fc.write(pred, path)
    return lambda: fc.sweep(gold, [path], mkdtemp(dir=path.parent), jobs=1)  # no run is kept


def lines(n: int) -> Path:
    """Write gold of n sentences to JSON lines."""
    path = path_of(f"{n}.jsonl")
    fc.write(texts(n)[0], path)
    return path


def batch(n: int) -> pa.RecordBatch:
    gold, pred = texts(n)
    table = gold.table.select(["id", "length", "relations"])
    return (
        table.append_column("predicted", pred.table["relations"]).combine_chunks().to_batches()[0]
    )


def tagged(n: int) -> tuple[np.ndarray, np.ndarray]:
    draws = np.random.default_rng(0).integers(len(SCHEME.labels), size=(2, n, 32))
    return draws[0], draws[1]


def scored_tags(n: int, scorer: Any) -> Callable[[], Any]:
    gold, pred = tagged(n)
    return lambda: scorer(SCHEME).update(gold=gold, pred=pred)


def pairs(call: Callable[..., Any], *more: Any) -> Callable[[int], Callable[[], Any]]:
    """Return a call with stories of 20 events: their judged pairs, and letters if asked."""

    def made(n: int) -> Callable[[], Any]:
        drawn = stories.stories(max(1, n // 190), 20)
        sides = (pa.Table.from_pylist(rows) for rows in (drawn.records(), drawn.letters()))
        return partial(call, *sides, *more)

    return made


# From a number of examples to a call.
CASES: dict[str, Callable[[int], Callable[[], Any]]] = {
    "ClassificationScorer": lambda n: partial(
        fc.ClassificationScorer().update, gold=labels(n), pred=labels(n, 1)
    ),
    "ExtractionScorer": lambda n: partial(
        fc.ExtractionScorer().update, gold=texts(n)[0], pred=texts(n)[1]
    ),
    "Relations": lambda n: partial(fc.Relations.from_examples, texts(n)[0].to_examples()),
    "SpanDecoder": lambda n: partial(
        fc.SpanDecoder().decode, np.random.default_rng(0).random((n, 32, 6), np.float32)
    ),
    "TagScheme": lambda n: partial(SCHEME.rows, tagged(n)[0]),
    "TagScorer": lambda n: scored_tags(n, fc.TagScorer),
    "agree": lambda n: partial(fc.agree, both(n)),
    "alpha_interval": lambda n: partial(fc.alpha_interval, ratings(n)),
    "answers": lambda n: partial(fc.answers, test_judged.answers(n)),
    "check": lambda n: partial(fc.check, texts(n)[0]),
    "claims": lambda n: partial(
        fc.claims, claims(n), name=f"claims{n}_" "{side}_{system}_{rater}"
    ),
    "classify": lambda n: partial(fc.classify, labels(n), labels(n, 1)),
    "classify_groups": lambda n: partial(
        fc.classify_groups, labels(n), labels(n, 1), np.arange(n) // 10
    ),
    "cohen_kappa": lambda n: partial(fc.cohen_kappa, labels(n), labels(n, 1)),
    "compare": lambda n: partial(fc.compare, *runs(n)[:2], "overall_f1", **QUICK),
    "describe": lambda n: partial(fc.describe, texts(n)[0]),
    "eci": lambda n: partial(fc.eci, test_eci.pairs(0, n), test_eci.pairs(1, n)),
    "explain": lambda n: partial(fc.explain, *texts(n)),
    "fincausal": lambda n: partial(fc.fincausal, sections(n), sections(n, 1)),
    "fleiss_kappa": lambda n: partial(fc.fleiss_kappa, ratings(n)),
    "gate": lambda n: partial(
        fc.gate, *runs(n)[:2], score="overall_f1", min_delta=-1.0, **QUICK
    ),
    "gwet_ac1": lambda n: partial(fc.gwet_ac1, ratings(n)),
    "items": lambda n: partial(
        fc.items, dict(zip("abc", runs(n), strict=True)), score="overall_f1"
    ),
    "krippendorff_alpha": lambda n: partial(fc.krippendorff_alpha, ratings(n)),
    "label_agreement": lambda n: partial(fc.label_agreement, votes(n)),
    "leaderboard": lambda n: partial(
        fc.leaderboard, dict(zip("abc", runs(n), strict=True)), "overall_f1", **QUICK
    ),
    "majority_vote": lambda n: partial(fc.majority_vote, ratings(n)),
    "mean_pairwise_kappa": lambda n: partial(fc.mean_pairwise_kappa, ratings(n)),
    "measure_drift": lambda n: partial(fc.measure_drift, judged(n)[0], *judged(n)),
    "meta": lambda n: partial(fc.meta, *judged(n), **QUICK),
    "percent_agreement": lambda n: partial(fc.percent_agreement, ratings(n)),
    "plan": lambda n: partial(fc.plan, *runs(n)[:2], "overall_f1", delta=0.01),
    "plan_labels": lambda n: partial(fc.plan_labels, *judged(n), delta=0.1),
    "preferences": lambda n: partial(fc.preferences, *preferred(n)),
    "qa": lambda n: partial(fc.qa, *test_questions.answers(n)),
    "read": lambda n: partial(fc.read, lines(n)),
    "read_annotators": lambda n: partial(fc.read_annotators, dict.fromkeys("ab", lines(n))),
    "sample_labels": lambda n: partial(fc.sample_labels, judged(n)[0], n=100),
    "schemes": lambda n: partial(fc.schemes, texts(n)[0], {"a": texts(n)[1]}),
    "score": lambda n: partial(fc.score, *texts(n)),
    "score_batch": lambda n: partial(fc.score_batch, batch(n)),
    "seeds": lambda n: partial(
        fc.seeds, dict(zip(("a_1", "a_2", "b_1"), runs(n), strict=True)), "{model}_{seed}",
        "overall_f1", **QUICK
    ),
    "statistics": lambda n: partial(fc.statistics, values(n)),
    "suspects": lambda n: partial(fc.suspects, texts(n)[0], both(n)),
    "sweep": swept,
    "write": lambda n: partial(
        fc.write, texts(n)[0], path_of("written.jsonl")
    ),
    "crab.agree": lambda n: partial(crab.agree, repeated("crab_ratings.jsonl", n)),
    "crab.chains": pairs(crab.chains),
    "crab.describe": lambda n: partial(crab.describe, repeated("crab_gold.jsonl", n)),
    "crab.describe_split": lambda n: partial(
        crab.describe_split, crab.split(repeated("crab_gold.jsonl", n), "pair")
    ),
    "crab.events": lambda n: partial(
        crab.events, repeated("crab_gold_events.jsonl", n, "id"),
        repeated("crab_found_events.jsonl", n, "id"),
    ),
    "crab.experts": lambda n: partial(
        crab.experts, repeated("crab_gold.jsonl", n), repeated("crab_ratings.jsonl", n)
    ),
    "crab.frames": pairs(crab.frames),
    "crab.graded": lambda n: partial(
        crab.graded, repeated("crab_questions.jsonl", n), repeated("crab_choices.jsonl", n, "index")
    ),
    "crab.make_questions": lambda n: partial(crab.make_questions, repeated("crab_gold.jsonl", n)),
    "crab.pairwise": pairs(crab.pairwise, "multiclass"),
    "crab.prompts": lambda n: partial(crab.prompts, repeated("crab_gold.jsonl", n)),
    "crab.split": lambda n: partial(crab.split, repeated("crab_gold.jsonl", n), "pair"),
    "crab.sweep": lambda n: partial(
        crab.sweep, repeated("crab_gold.jsonl", n), ["Yes.", "no"] * (n // 2), (25, 50)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_growth(grown, name):
    sizes = OF_PEOPLE if name in READ_BY_PEOPLE else SIZES
    calls = {n: CASES[name](n) for n in sizes}
    grown(name, lambda n: calls[n](), sizes=sizes)

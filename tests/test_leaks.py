"""No public function keeps its input: calls on new input take no more memory."""

from __future__ import annotations

import ctypes
import gc
import inspect
import json
import math
import operator
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import fastcausal as fc
from fastcausal import crab, sample
from fastcausal.errors import InputError
from tests.support.cli import cli

Call = Callable[[int, Path], Any]
LARGEST = 2_000  # the number of the first call with input of nearly the largest size
ROUND = 100  # calls
OBJECTS = 0.8  # objects of each call that stay
ARROW = 100  # bytes of each call
NATIVE = 1_000  # bytes of each call; caches that follow the size of the input take some


@cache
def lines_of(name: str) -> list[str]:
    lines = (sample.FOLDER / name).read_text(encoding="utf-8").splitlines()
    return lines[:60] if name == "crab_ratings.jsonl" else lines


def rows_of(name: str, k: int) -> list[dict[str, Any]]:
    """Fresh rows of a file of the sample, with a note that grows."""
    return [json.loads(line) | {"note": f"{k} " * (1 + k // 10)} for line in lines_of(name)]


def example_of(name: str) -> Call:
    """Return a call of the function of a command, with the files of its fullest example as rows."""
    words = name.split(".")
    help, _ = cli(*words, "--help")
    examples = [
        line.split()[1 + len(words) :] for line in re.findall("^ *fastcausal .*", help, re.M)
    ]
    files = max((list(takewhile(is_rows, words)) for words in examples), key=len, default=[])
    assert files, f"no example of {name} names JSON lines of the sample: add a call"
    function = operator.attrgetter(name)(fc)
    return lambda k, _: function(*(rows_of(file, k) for file in files))


def is_rows(word: str) -> bool:
    return word.endswith(".jsonl") and (sample.FOLDER / word).is_file()


def examples(k: int, start: int = 0) -> list[dict[str, Any]]:
    """Return examples with words of their own, one more for each 100 of k."""
    return [
        {
            "id": f"{k}-{e}",
            "text": f"rain{k} fell so roads{e} closed .",
            "tokens": [f"rain{k}", "fell", "so", f"roads{e}", "closed", "."],
            "relations": [{"cause": (start, 2), "effect": (3, 5), "signal": (2, 3)}],
        }
        for e in range(3 + k // 100)
    ]


def relations(k: int, start: int = 0) -> fc.Relations:
    return fc.Relations.from_examples(examples(k, start))


def batch(k: int) -> pa.Table:
    pred = relations(k, 1).table["relations"]
    return relations(k).table.append_column("predicted", pred)


def labels(k: int, turn: int = 0) -> list[str]:
    return [f"class {(e + turn) % 3}" for e in range(12 + k // 100)]


def ratings(k: int) -> list[list[int]]:
    return [[e % 3, (e + k) % 3, (e * e) % 3] for e in range(10 + k // 100)]


def votes(k: int) -> pa.Table:
    rows = [
        {"unit": f"{k}-{u}", "rater": f"r{r}", "label": f"l{label}"}
        for u, unit in enumerate(ratings(k))
        for r, label in enumerate(unit)
    ]
    return pa.Table.from_pylist(rows)


def statistics(k: int, start: int = 0) -> fc.Statistics:
    return fc.score(relations(k), relations(k, start)).statistics


def judged(k: int) -> list[dict[str, Any]]:
    text = "[Cause] {} [Relation] cause [Effect] floods"
    return [
        {"id": f"{k}-{e}", "input": f"rain{k}, floods", "gold": text.format(f"rain{k}"),
         "output": text.format(f"the rain{e}")}
        for e in range(3 + k // 100)
    ]  # fmt: skip


def event_pairs(k: int, start: int = 0) -> list[dict[str, Any]]:
    return [
        {"doc_id": "d", "a": f"e{n}", "b": f"f{n}", "label": ("CAUSE", "")[(n + start) % 2]}
        for n in range(3 + k % 3)
    ]


def questions(k: int) -> tuple[list[dict[str, Any]], dict[str, str]]:
    ids = [f"{k}-{e}" for e in range(3 + k // 100)]
    gold = [{"id": id, "question": "Why?", "answers": {"text": [f"rain {id}"]}} for id in ids]
    return gold, {id: f"the rain {id}" for id in ids}


def claims(k: int) -> Any:
    return fc.claims([*sample.CLAIMS], name="claims_{side}_{system}_{rater}")


def preferred(k: int) -> Any:
    return fc.preferences([*sample.PREFERENCES.values()], sample.PREFERENCES_KEY)


def scored_units(k: int) -> tuple[Any, Any]:
    n = 20 + k // 100
    units = [f"{k}-{u}" for u in range(n)]
    scores = {"item": units, "system": ["s"] * n, "m": [float(u % 7) for u in range(n)]}
    human = {"item": units * 3, "rater": [r for r in "abc" for _ in units],
             "label": [(u + r) % 2 for r in range(3) for u in range(n)]}  # fmt: skip
    return pa.table(scores), pa.table(human)


def swept(k: int, folder: Path) -> Any:
    path = folder / "runs.parquet"
    fc.write(relations(k, 1), path)
    return fc.sweep(relations(k), path, folder / f"swept{k}", jobs=1)


def written(k: int, folder: Path) -> Any:
    return fc.write(relations(k), folder / "x.jsonl")


def made_kernel(k: int, folder: Path) -> Any:
    def own(gold: Any, pred: Any, length: int, params: Any, counts: Any) -> None:
        counts[0] += 1

    return fc.kernel(["tp", "fp", "fn"])(own)


QUICK = {"n_resamples": 20}


def sections(k: int, start: int = 0) -> list[dict[str, str]]:
    """Rows with causes that differ from call to call."""
    text = "tax rose so firms shut ."
    return [
        {"index": f"{k}.{n}", "text": text, "cause": text.split()[(k + n + start) % 3],
         "effect": "firms shut"}
        for n in range(5)
    ]  # fmt: skip


def joined_by_number(k: int) -> fc.ClassificationReport:
    rows = [{"id": f"{e}.0", "label": label} for e, label in enumerate(labels(k))]
    with fc.id_numbers():
        return fc.classify([row | {"id": row["id"][:-2]} for row in rows], rows)


CALLS: dict[str, Call] = {
    "agree": lambda k, _: fc.agree({"a": relations(k), "b": relations(k, 1)}),
    "alpha_interval": lambda k, _: fc.alpha_interval(ratings(k), **QUICK),
    "answers": lambda k, _: fc.answers(judged(k)),
    "check": lambda k, _: fc.check(relations(k)),
    "claims": lambda k, _: claims(k),
    "classify": lambda k, _: fc.classify(labels(k), labels(k, 1)),
    "classify_groups": lambda k, _: fc.classify_groups(labels(k), labels(k, 1), labels(k)),
    "cohen_kappa": lambda k, _: fc.cohen_kappa(labels(k), labels(k, k % 3)),
    "compare": lambda k, _: fc.compare(statistics(k), statistics(k, 1), **QUICK),
    "describe": lambda k, _: fc.describe(relations(k)),
    "eci": lambda k, _: fc.eci(event_pairs(k), event_pairs(k, 1)),
    "explain": lambda k, _: fc.explain(relations(k), relations(k, 1)),
    "fincausal": lambda k, _: fc.fincausal(sections(k), sections(k, 1)),
    "fleiss_kappa": lambda k, _: fc.fleiss_kappa(ratings(k)),
    "gate": lambda k, _: fc.gate(statistics(k), statistics(k, 1), min_delta=-1.0, **QUICK),
    "get_include": lambda k, _: fc.get_include(),
    "gwet_ac1": lambda k, _: fc.gwet_ac1(ratings(k)),
    "kernel": made_kernel,
    "krippendorff_alpha": lambda k, _: fc.krippendorff_alpha(ratings(k)),
    "id_numbers": lambda k, _: joined_by_number(k),
    "label_agreement": lambda k, _: fc.label_agreement(votes(k)),
    "leaderboard": lambda k, _: fc.leaderboard({"a": statistics(k), "b": statistics(k, 1)},
                                               **QUICK),
    "majority_vote": lambda k, _: fc.majority_vote(ratings(k)),
    "mean_pairwise_kappa": lambda k, _: fc.mean_pairwise_kappa(ratings(k)),
    "meta": lambda k, _: fc.meta(*scored_units(k), **QUICK),
    "plan_labels": lambda k, _: fc.plan_labels(*scored_units(k), delta=0.1),
    "sample_labels": lambda k, _: fc.sample_labels(scored_units(k)[0], n=2, seed=k),
    "measure_drift": lambda k, _: fc.measure_drift(*[scored_units(k)[0]] * 2, scored_units(k)[1]),
    "preferences": lambda k, _: preferred(k),
    "percent_agreement": lambda k, _: fc.percent_agreement(ratings(k)),
    "read": lambda k, _: fc.read(examples(k)),
    "read_annotators": lambda k, _: fc.read_annotators(
        {name: relations(k, start) for start, name in enumerate("ab")}
    ),
    "score": lambda k, _: fc.score(examples(k), examples(k, 1)),
    "qa": lambda k, _: fc.qa(*questions(k)),
    "schemes": lambda k, _: fc.schemes(relations(k), {"a": relations(k), "b": relations(k, 1)}),
    "suspects": lambda k, _: fc.suspects(relations(k), {"a": relations(k), "b": relations(k, 1)}),
    "score_batch": lambda k, _: fc.score_batch(batch(k)),
    "items": lambda k, _: fc.items({"a": statistics(k), "b": statistics(k, 1)}).to_dict(),
    "seeds": lambda k, _: fc.seeds({f"a_{n}": statistics(k, n) for n in range(2)}, "a_{seed}",
                                   **QUICK),
    "sweep": swept,
    "write": written,
    "plan": lambda k, _: fc.plan(*(
        fc.statistics([{"id": str(n), "value": n % m > 1} for n in range(40)]) for m in (4, 5)
    ), delta=0.1),
    "statistics": lambda k, _: fc.statistics([{"id": str(n), "value": n % 2} for n in range(9)]),
    "crab.describe_questions": lambda k, _: crab.describe_questions(
        crab.make_questions(rows_of("crab_gold.jsonl", k))
    ),
    "crab.describe_split": lambda k, _: crab.describe_split(
        crab.split(rows_of("crab_gold.jsonl", k), "pair")
    ),
    "crab.make_questions": lambda k, _: crab.make_questions(rows_of("crab_gold.jsonl", k)),
    "crab.parse_answer": lambda k, _: crab.parse_answer(
        f"{k} " * (1 + k) + "<Answer>85</Answer>", "score"
    ),
    "crab.split": lambda k, _: crab.split(rows_of("crab_gold.jsonl", k), "pair", seed=k),
}  # fmt: skip


def functions() -> Iterator[str]:
    for name in fc.__all__:
        if inspect.isfunction(getattr(fc, name)):
            yield name
    for name, value in vars(crab).items():
        if inspect.isfunction(value) and not name.startswith("_"):
            yield f"crab.{name}"


CALLS |= {name: example_of(name) for name in functions() if name not in CALLS}


class Malloc(ctypes.Structure):
    """The structure that `mallinfo2` of glibc returns."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in ("arena", "ordblks", "smblks", "hblks", "mapped", "usmblks", "fsmblks", "used",
                     "free", "keepcost")
    )  # fmt: skip


C = ctypes.CDLL(None)
MALLINFO = getattr(C, "mallinfo2", None)
if MALLINFO is not None:
    MALLINFO.restype = Malloc


def native() -> int:
    """Return the bytes that this process has of malloc; 0 if the system does not report them."""
    if MALLINFO is None:
        return 0
    told = MALLINFO()
    return int(told.used + told.mapped)


def check(call: Call, folder: Path) -> None:
    """Fail if each of six rounds of calls leaves objects, Arrow's memory, or other memory.

    Small and large inputs come first, to fill caches by size. Events that happen once, as caches of
    a fixed size fill up, are not in every round; a call keeps less than one object. Rounds end once
    one has left nothing.
    """

    def held(numbers: Iterable[int]) -> tuple[int, int, int]:
        for k in numbers:
            call(k, folder)
        gc.collect()
        return sys.getallocatedblocks(), pa.total_allocated_bytes(), native()

    before = held(range(0, LARGEST, LARGEST // 30))
    gc.freeze()  # the next collections look at later objects alone
    kept = [math.inf] * 3  # by a call, in the round that keeps least
    for k in range(LARGEST, LARGEST + 6 * ROUND, ROUND):
        after = held(range(k, k + ROUND))
        each = [(b - a) / ROUND for a, b in zip(before, after, strict=True)]
        kept, before = [*map(min, kept, each)], after
        if all(map(operator.lt, kept, (OBJECTS, ARROW, NATIVE))):
            return
    of_python, of_arrow, of_all = kept
    assert of_python < OBJECTS, f"{of_python} objects of each call are kept"
    assert of_arrow < ARROW, f"{of_arrow} bytes of Arrow of each call are kept"
    assert of_all < NATIVE, f"{of_all} bytes of each call are kept"


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_calls_keep_nothing(tmp_path, name):
    check(CALLS[name], tmp_path)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_no_table_waits_for_the_garbage_collector(tmp_path, name):
    """A circle that holds a table keeps its memory, and the next call takes more."""
    CALLS[name](3, tmp_path)
    gc.collect()
    gc.disable()
    try:
        before = pa.total_allocated_bytes()
        CALLS[name](4, tmp_path)
        assert pa.total_allocated_bytes() == before
    finally:
        gc.enable()


KEPT: list[Any] = []
FAULTS: dict[str, Callable[[int], Any]] = {
    "an object": lambda k: f"{k} of many",
    "a table": lambda k: relations(k % 9).table,
    "a column": lambda k: pa.array([k] * 500),
    "what an exception holds": lambda k: raised(k),
    "memory of C": lambda k: C.malloc(2 * NATIVE) and None,
}


def raised(k: int) -> InputError:
    held = [str(k)]
    try:
        raise InputError(held[0])
    except InputError as error:
        return error


@pytest.mark.parametrize("fault", FAULTS)
def test_a_module_that_keeps_something_of_each_call_is_found(tmp_path, fault):
    def call(k: int, folder: Path) -> None:
        KEPT.append(FAULTS[fault](k))

    if fault == "memory of C" and MALLINFO is None:
        pytest.skip("no glibc, which tells what it has given")
    with pytest.raises(AssertionError, match="are kept"):
        check(call, tmp_path)
    KEPT.clear()

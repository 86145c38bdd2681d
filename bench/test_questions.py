"""Exact match and F1 of answers against torchmetrics: equal, then timed; from files; growth."""

from __future__ import annotations

import json
import random

import pyarrow as pa
import pyarrow.json as pj
import pyarrow.parquet as pq
import pytest

import fastcausal as fc

from .conftest import SIZES

CORPUS = "made answers"
DIFFERENT = 20_000  # different questions; larger files repeat them
READERS = {"parquet": pq.read_table, "jsonl": pj.read_json}

WORDS = [
    "storm", "flooded", "harbour", ",", "ferries", "stopped", "visitors", "left", "cars", "along",
    "the", "coast", "road", "by", "a", "don't", "Café", "x-y", "two-hour", "delay", ".",
]  # fmt: skip


def answers(n: int) -> tuple[list[dict[str, object]], list[dict[str, str]]]:
    """Draw questions with one gold answer of up to 15 words; half of the predictions are right."""
    rng = random.Random(0)

    def text() -> str:
        return " ".join(["rain", *rng.choices(WORDS, k=rng.randrange(15))])

    gold = [
        {"id": str(k), "question": "Why?", "answers": {"text": [text()], "answer_start": [0]}}
        for k in range(n)
    ]
    pred = [
        {"id": q["id"], "prediction_text": rng.choice([q["answers"]["text"][0], text()])}
        for q in gold
    ]
    return gold, pred


@pytest.mark.parametrize("n", [2_000, 100_000])
def test_answers(race, n):
    torch = pytest.importorskip("torch")
    squad = pytest.importorskip("torchmetrics.functional.text").squad
    torch.set_num_threads(1)
    gold, pred = answers(n)
    found = fc.qa(gold, pred)["overall"]
    others = {}
    if n <= 2_000:  # for more, torchmetrics would take seconds a round
        expected = squad(pred, gold)
        assert 100 * found.f1 == pytest.approx(float(expected["f1"]), rel=1e-5)
        assert 100 * found.exact_match == pytest.approx(float(expected["exact_match"]), rel=1e-5)
        others["torchmetrics"] = lambda: squad(pred, gold)
    race(f"answers, {n} questions", n, lambda: fc.qa(gold, pred), others)


def files(folder, n, suffix):
    """Write questions and answers to two files with this suffix."""
    paths = []
    for name, rows in zip(("gold", "pred"), answers(min(n, DIFFERENT)), strict=True):
        paths.append(folder / f"{name}{n}.{suffix}")
        if suffix == "parquet":
            table = pa.Table.from_pylist(rows)
            table = pa.concat_tables([table] * -(-n // len(rows))).slice(0, n)
            ids = pa.array(map(str, range(n)))
            pq.write_table(table.set_column(0, "id", ids).combine_chunks(), paths[-1])
            continue
        with paths[-1].open("w", encoding="utf-8") as file:
            file.writelines(
                json.dumps(rows[k % len(rows)] | {"id": str(k)}) + "\n" for k in range(n)
            )
    return paths


@pytest.mark.parametrize("suffix", READERS)
def test_from_files(grown, tmp_path, suffix):
    paths = {n: files(tmp_path, n, suffix) for n in SIZES}
    assert fc.qa(*paths[SIZES[0]]).n_questions == SIZES[0]
    most = paths[SIZES[-1]]
    reading = {"pyarrow reading both": lambda: [*map(READERS[suffix], most)]}
    grown(f"answers from {suffix}", lambda n: fc.qa(*paths[n]), reading=reading)

"""Text to tables: tagged sentences against a compiled regular expression, files against pyarrow
merely reading them."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.formats import cnc
from fastcausal.formats.cnc import markup, tagged

from . import corpus

TRAIN = corpus.CNC / "train_subtask2_grouped.csv"
# White space, a tag, or what is between them.
PIECE = re.compile(r"([ \t\n\r\x0b\x0c]+)|<(/?)(ARG[01]|SIG[0-9]+)>|[^ \t\n\r\x0b\x0c<]+|<")
ROLES = {"ARG0": 0, "ARG1": 1}


def spans_by_regex(text: str) -> tuple[int, list[tuple[int, int, int]]]:
    """The strict reading of a sentence that has no fault, piece by piece."""
    n, apart = 0, True
    spans, opened, waiting = [], {}, []
    for match in PIECE.finditer(text):
        space, closes, name = match.groups()
        if name is None:
            n += apart and space is None
            for waits in waiting:
                opened[waits] = n if space else n - 1
            waiting.clear()
            apart = space is not None
        elif closes:
            spans.append((ROLES.get(name, 2), opened.pop(name), n))
        else:
            waiting.append(name)
    return n, sorted(spans)


@pytest.fixture(scope="module")
def gold() -> fc.Relations:
    return fc.read(TRAIN if TRAIN.exists() else sample.GOLD)


@pytest.fixture(scope="module")
def sentences(gold: fc.Relations) -> list[str]:
    """Tagged sentences of the corpus, drawn with replacement."""
    real = [s for example in gold.table["tagged"].to_pylist() for s in example]
    rng = np.random.default_rng(0)
    return [real[k] for k in rng.integers(len(real), size=20_000)]


@pytest.mark.parametrize("reading", ["strict", *markup.OFFICIAL])
def test_tagged_sentences(race, sentences, reading):
    kept = pa.array([[s] for s in sentences], pa.list_(pa.string()))
    lengths = np.full(len(sentences), -1, np.int32)

    def ours():
        return tagged.Sentences(kept, lengths, reading, lambda: [None] * len(kept))

    plain = [markup.parse(s, reading) for s in sentences]
    found = ours()
    assert found.n_tokens.tolist() == [n for n, _ in plain]
    assert np.stack(found.spans, 1).tolist() == [list(s) for _, spans in plain for s in spans]
    others = {
        "tags.parse (split by a regex)": lambda: [markup.parse(s, reading) for s in sentences]
    }
    if reading == "strict":
        assert [spans_by_regex(s) for s in sentences] == plain
        others["a regex for each piece"] = lambda: [spans_by_regex(s) for s in sentences]
    size = sum(len(s.encode()) for s in sentences)
    outcome = race(f"{reading}: tagged sentences to rows", len(sentences), ours, others)
    if outcome is not None:
        print(f"{reading}: {size / outcome.ours / 1e9:.2f} GB/s")


@pytest.fixture(scope="module")
def files(request, gold, tmp_path_factory):
    """Gold in Parquet and a submission, of ``--sentences`` sentences."""
    n = request.config.getoption("--sentences")
    folder = tmp_path_factory.mktemp("ingestion")
    chosen = np.random.default_rng(0).integers(len(gold), size=n)
    table = gold.table.take(pa.array(chosen))
    ids = pa.array([str(k) for k in range(n)])
    table = table.set_column(table.column_names.index("id"), "id", ids)
    fc.write(fc.Relations(table), folder / "gold.parquet")
    kept = [json.dumps(row) for row in gold.table["tagged"].to_pylist()]
    with (folder / "pred.jsonl").open("w") as file:
        file.writelines(
            f'{{"index": {k}, "prediction": {kept[row]}}}\n' for k, row in enumerate(chosen)
        )
    return folder / "gold.parquet", folder / "pred.jsonl"


def test_submission(race, files):
    import pyarrow.json as pj

    gold = fc.read(files[0])
    read = cnc.read(files[1], like=gold)
    assert read.table["relations"].equals(gold.table["relations"])
    race(
        "a submission to Relations",
        len(gold),
        lambda: cnc.read(files[1], like=gold),
        {"pyarrow.json.read_json": lambda: pj.read_json(files[1])},
    )


def test_whole_process(race, files):
    def run(code, *args):
        command = [sys.executable, "-c", code, *map(str, args)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def scored():
        code = "from fastcausal.cli import main; main()"
        return run(code, "score", *files, "--json")

    assert json.loads(scored())["scores"]["overall"]["f1"] == 1.0
    reading = "import sys, pyarrow.json as pj; pj.read_json(sys.argv[1])"
    race(
        "score GOLD.parquet PRED.jsonl, whole process",
        fc.read(files[0]).table.num_rows,
        scored,
        {"pyarrow reading PRED.jsonl": lambda: run(reading, files[1])},
        rounds=3,
    )

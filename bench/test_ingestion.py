"""Text to tables: tagged sentences against a compiled regular expression, files against pyarrow
merely reading them."""

from __future__ import annotations

import json
import re
import subprocess
from bisect import bisect_left, bisect_right
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.formats import cnc
from fastcausal.formats.cnc import markup, tagged

from . import corpus
from .test_start import PEAK, python

CORPUS = "CNC"
TRAIN = corpus.CNC / "train_subtask2_grouped.csv"
TOKEN = re.compile(r"[^ \t\n\r\x0b\x0c]+")
# White space, a tag, or the text between these.
PIECE = re.compile(r"([ \t\n\r\x0b\x0c]+)|<(/?)(ARG[01]|SIG[0-9]+)>|[^ \t\n\r\x0b\x0c<]+|<")
ROLES = {"ARG0": 0, "ARG1": 1}
SPAN_ROLES = ("cause", "effect", "signal")


def spans_by_regex(text: str) -> tuple[int, list[tuple[int, int, int]]]:
    """Read a sentence without faults strictly, piece by piece."""
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
        return tagged.Sentences(kept, lengths, reading, pa.nulls(len(kept), pa.string()))

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
        print(f"{reading}: {size / outcome.ours.seconds / 1e9:.2f} GB/s")


@pytest.fixture(scope="module")
def files(request, gold, tmp_path_factory):
    """Gold in Parquet, and a submission, of ``--sentences`` sentences."""
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


def spans_by_search(text: str, relation: dict[str, str]) -> list[tuple[int, int, int]]:
    """Return the spans of a relation, each at the first occurrence of its text."""
    starts = [match.start() for match in TOKEN.finditer(text)]
    found = []
    for role, wanted in relation.items():
        start = text.find(wanted)
        stop = start + len(wanted)
        found.append(
            (SPAN_ROLES.index(role), bisect_right(starts, start) - 1, bisect_left(starts, stop))
        )
    return sorted(found)


@pytest.mark.parametrize("source", ["list of dicts", "JSON lines"])
def test_span_texts(race, gold, tmp_path, source):
    """Texts that occur once, so that a search for the first occurrence finds the same spans."""
    examples = []
    for example in gold.to_examples():
        tokens = example["text"].split(" ")
        for relation in example["relations"]:
            texts = {role: " ".join(tokens[slice(*spans[0])]) for role, spans in relation.items()}
            if all(f" {example['text']} ".count(text) == 1 for text in texts.values()):
                examples.append({"text": example["text"], "relations": [texts]})
    examples = [examples[k] for k in np.random.default_rng(0).integers(len(examples), size=20_000)]
    lines = tmp_path / "pred.jsonl"
    lines.write_text("".join(json.dumps(example) + "\n" for example in examples))
    plain = [spans_by_search(ex["text"], ex["relations"][0]) for ex in examples]
    read = fc.read(examples, format="spans")
    values = fc.Rows.of(read).values
    assert sorted(values.tolist()) == sorted(list(span) for one in plain for span in one)
    assert fc.read(lines).table["relations"].equals(read.table["relations"])
    ours, others = {
        "list of dicts": (
            lambda: fc.read(examples, format="spans"),
            {
                "str.find and a regex, spans alone": lambda: [
                    spans_by_search(ex["text"], ex["relations"][0]) for ex in examples
                ]
            },
        ),
        "JSON lines": (
            lambda: fc.read(lines),
            {"json.loads, dicts alone": lambda: [*map(json.loads, lines.open())]},
        ),
    }[source]
    race(f"span texts to Relations, {source}", len(examples), ours, others)


def test_submission(race, files):
    import pyarrow.json as pj

    gold = fc.read(files[0])
    read = cnc.read(files[1], like=gold)
    assert read.table["relations"].equals(gold.table["relations"])
    race(
        "a submission to Relations",
        len(gold),
        lambda: cnc.read(files[1], like=gold),
        reading={"pyarrow.json.read_json": lambda: pj.read_json(files[1])},
    )


def refused(*paths: Path) -> str:
    """Score in a process of its own, and return its error."""
    with pytest.raises(subprocess.CalledProcessError) as error:
        python(SCORE, *paths)
    assert error.value.returncode == 2
    return error.value.stdout  # of --json


SCORE = "import sys; from fastcausal.cli import main; sys.argv[1:1] = ['score', '--json']; main()"
SCORED = f"import sys, fastcausal as fc; fc.score(*sys.argv[1:]){PEAK}"
READ = {
    "parquet": "import pyarrow.parquet as p; gold = p.read_table(sys.argv[1])",
    "csv": "import pyarrow.csv as p; lines = p.ParseOptions(newlines_in_values=True); "
    "gold = p.read_csv(sys.argv[1], parse_options=lines)",
}


@pytest.mark.parametrize("suffix", READ)
def test_whole_process(race, note, files, suffix):
    gold, pred = files[0].with_suffix(f".{suffix}"), files[1]
    if suffix == "csv":
        fc.write(fc.read(files[0]), gold)
    assert json.loads(python(SCORE, gold, pred))["scores"]["overall"]["f1"] == 1.0
    reading = f"import sys, pyarrow.json as pj; {READ[suffix]}; pred = pj.read_json(sys.argv[2])"
    race(
        f"score GOLD.{suffix} PRED.jsonl, whole process",
        fc.read(files[0]).table.num_rows,
        lambda: python(SCORE, gold, pred),
        reading={"pyarrow reading both": lambda: python(reading, gold, pred)},
        rounds=3,
    )
    peaks = [int(python(code, gold, pred)) / 1e6 for code in (SCORED, reading + PEAK)]
    both = f"peak memory, GOLD.{suffix} and PRED.jsonl"
    note(f"{both}: {peaks[0]:.0f} MB, pyarrow reads both: {peaks[1]:.0f} MB")


# Each fault as a function from the number and the text of a submission's line to the new text.
FAULTS = {
    "160 malformed sentences": lambda k, line: line.replace("</", "<") if k < 160 else line,
    "every sentence malformed": lambda k, line: line.replace("</", "<"),
    "a line that is no JSON": lambda k, line: line[:-3] + "\n" if k == 160 else line,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_refused(race, files, tmp_path, fault):
    """A submission with faults is refused in about the time of one without."""
    gold, pred = files
    faulty = tmp_path / "pred.jsonl"
    with pred.open(encoding="utf-8") as lines, faulty.open("w", encoding="utf-8") as file:
        file.writelines(FAULTS[fault](k, line) for k, line in enumerate(lines))
    assert str(faulty) in refused(gold, faulty)
    race(
        f"{fault}, refused, whole process",
        fc.read(gold).table.num_rows,
        lambda: refused(gold, faulty),
        {"accepted, without faults": lambda: python(SCORE, gold, pred)},
        rounds=3,
    )

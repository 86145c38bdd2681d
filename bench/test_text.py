"""Reading text: span texts in lines, raw answers, words of matches and of a corpus; growth."""

from __future__ import annotations

import json

import pyarrow.json as pj
import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.tasks.describe.describe import describe

from .conftest import SIZES

CORPUS = "embedded sample, repeated"
ONE_THREAD = pj.ReadOptions(use_threads=False)
WAYS = {
    "clean": "{}",
    "in a fence": "```json\n{}\n```",
    "in prose": "Sure, here it is: {} I hope so.",
}


def repeated(n):
    """Return n sentences of the sample, repeated, with the texts of their spans."""
    examples = fc.read(sample.GOLD).to_examples()
    for k in range(n):
        of = examples[k % len(examples)]
        tokens = of["text"].split()
        relations = [
            {role: [" ".join(tokens[a:b]) for a, b in spans] for role, spans in relation.items()}
            for relation in of["relations"]
        ]
        yield {"id": f"e{k}", "text": of["text"], "relations": relations}


def files(folder, rows_of):
    """Write JSON lines of each size."""
    paths = {n: folder / f"{n}.jsonl" for n in SIZES}
    for n, path in paths.items():
        path.write_text("".join(json.dumps(row) + "\n" for row in rows_of(n)), encoding="utf-8")
    return paths


def test_span_lines(grown, tmp_path):
    paths = files(tmp_path, repeated)
    rows = [*map(json.loads, paths[SIZES[0]].read_text(encoding="utf-8").splitlines())]
    assert fc.read(paths[SIZES[0]]).table.equals(fc.read(rows, format="spans").table)
    reading = {"pyarrow.json": lambda: pj.read_json(paths[SIZES[-1]], ONE_THREAD)}
    grown("span texts in JSON lines", lambda n: fc.read(paths[n]), reading)


@pytest.mark.parametrize("way", WAYS)
def test_answer_lines(grown, tmp_path, way):
    def rows_of(n):
        for row in repeated(n):
            said = json.dumps({"relations": row.pop("relations")})
            yield {**row, "output": WAYS[way].replace("{}", said)}

    def read(n):
        return fc.read(paths[n], answers="output")

    paths = files(tmp_path, rows_of)
    spans = fc.read([*repeated(SIZES[0])], format="spans").table["relations"]
    assert read(SIZES[0]).table["relations"].equals(spans)
    reading = {"pyarrow.json": lambda: pj.read_json(paths[SIZES[-1]], ONE_THREAD)}
    grown(f"answers {way} in JSON lines", read, reading)


@pytest.fixture(scope="module")
def corpora():
    return {n: fc.read([*repeated(n)], format="spans") for n in SIZES}


def test_description(grown, corpora):
    assert all(describe(corpus).n_sentences == n for n, corpus in corpora.items())
    grown("describe", lambda n: describe(corpora[n]))


def test_words_of_matches(grown, corpora):
    def matches(n):
        return fc.score(corpora[n], corpora[n]).matches

    assert matches(SIZES[0])["gold_cause"].equals(matches(SIZES[0])["pred_cause"])
    grown("matches with words", matches)

"""Titles of pages say what is compared: the names of systems, files or annotators, the protocol."""

from __future__ import annotations

import re

import pytest

from fastcausal import sample
from tests.support.cli import cli

SYSTEMS = "careful.jsonl hasty.jsonl"
DRAWS = "--n-resamples 100"
TITLES = {
    f"report gold.csv {SYSTEMS} {DRAWS} --out": "careful, hasty on gold, recess",
    f"leaderboard gold.csv {SYSTEMS} {DRAWS} --html": "careful, hasty, recess: overall_f1 of 2 ",
    f"leaderboard gold.csv {SYSTEMS} {DRAWS} --protocol depths --html":
        "careful, hasty, depths: links_f1 of 2 ",
    "leaderboard values_a.csv values_b.csv --html": "values_b, values_a: value of 2 systems",
    f"compare gold.csv {SYSTEMS} {DRAWS} --html": "hasty minus careful, recess: 12 clusters",
    f"compare gold.csv {SYSTEMS} {DRAWS} --unpaired --html":
        "hasty minus careful, recess, unpaired: ",
    "compare values_a.csv values_b.csv --html": "values_b minus values_a: 10 clusters",
    "errors gold.csv careful.jsonl --protocol cnc-2023 --html": "careful, cnc-2023: 34 sentences",
    "errors pairs_gold.csv pairs_careful.csv --html": "pairs_careful on pairs_gold: ",
    f"errors gold.csv {SYSTEMS} --suspect --html": "careful, hasty: ",
    "errors run_a.eval --html": "22 of 40 items of mock/a ",
    f"items gold.csv {SYSTEMS} chatty.jsonl --html": "61 items of careful, hasty, chatty: ",
    "agree annotator_1.jsonl annotator_2.jsonl --disagreements":
        "annotator_1, annotator_2, recess, 21 examples: 19 to adjudicate",
    "agree ann.csv ben.csv --labels label --disagreements":
        "ann, ben, ",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("titles")
    sample.copy_to(folder)
    for name, labels in (("ann", "yyn"), ("ben", "yny")):
        rows = "".join(f"\n{k},{label}" for k, label in enumerate(labels))
        (folder / f"{name}.csv").write_text(f"id,label{rows}\n")
    return folder


@pytest.mark.parametrize("command", TITLES)
def test_titles_say_what_is_compared(command, folder, monkeypatch):
    monkeypatch.chdir(folder)
    cli(*command.split(), "page.html")
    page = (folder / "page.html").read_text()
    titles = re.findall("<title>(.*)</title>|<h1><bdi>(.*)</bdi></h1>", page)
    (title, _), (_, heading) = titles
    assert title == heading
    assert title.startswith(TITLES[command])

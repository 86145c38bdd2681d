"""Files that cannot be read, for every command that makes, splits or compares: one message."""

from __future__ import annotations

import json

import pytest

from fastcausal import sample
from tests.support.cli import cli

COMMANDS = [
    "make-mcq {bad} out.parquet",
    "graded {bad} crab_choices.jsonl --per-question out.parquet",
    "graded crab_questions.jsonl {bad} --per-question out.parquet",
    "agree {bad} --pairs out.parquet",
    "events {bad} crab_found_events.jsonl",
    "events crab_gold_events.jsonl {bad}",
    "split {bad} out.parquet --by story",
    "split crab_gold.jsonl out.parquet --by date --dates {bad}",
]
FILES = {
    "empty.jsonl": b"",
    "blank.jsonl": b"\n\n",
    "list.json": b"[]",
    "latin.jsonl": '{"id": "caf\xe9", "topic_id": 1}\n'.encode("latin-1"),
    "broken.jsonl": b'{"id": 1, "topic_id": ',
    "columns.csv": b"a,b\n1,2\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    sample.copy_to(folder)
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    return folder


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("command", COMMANDS)
def test_files_that_cannot_be_read(command, file, folder, monkeypatch):
    monkeypatch.chdir(folder)
    arguments = command.format(bad=file).split()
    out, err = cli("crab", *arguments, expect=2)
    assert not out
    assert file in err
    assert len(err.strip().splitlines()) == 1
    out, _ = cli("crab", *arguments, "--json", expect=2)
    assert file in json.loads(out)["error"]
    assert not (folder / "out.parquet").exists()

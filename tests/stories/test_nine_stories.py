"""The table of nine stories: every command that it shows is run, one story after the other."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from fastcausal import sample
from tests.support.cli import cli

PAGE = Path(__file__).parents[2] / "docs/howto/stories.md"
ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \| ((?:`fastcausal [^`]+`(?:<br>)?)+) \|$", re.MULTILINE)
STORIES = {story: re.findall(r"`fastcausal ([^`]+)`", now) for story, _, now in
           ROW.findall(PAGE.read_text())}  # fmt: skip


def test_nine_stories_of_two_commands_at_most():
    assert len(STORIES) == 9
    assert all(1 <= len(commands) <= 2 for commands in STORIES.values())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The sample, and the files that the page describes."""
    where = tmp_path_factory.mktemp("stories")
    sample.copy_to(where)
    answers = [json.loads(line) for line in sample.RAW_ANSWERS.read_text().splitlines()]
    said = [{"message": {"role": "assistant", "content": row["output"]}} for row in answers]
    write(where / "batch.jsonl", [
        {"custom_id": row["id"], "response": {"status_code": 200, "body": {"choices": [choice]}},
         "error": None}
        for row, choice in zip(answers, said, strict=True)
    ])  # fmt: skip
    for folder in ("runs", "claims"):
        (where / folder).mkdir()
    for name, of in {"small_s1": "hasty", "small_s2": "chatty", "large_s1": "careful"}.items():
        shutil.copy(where / f"{of}.jsonl", where / "runs" / f"{name}.jsonl")
    shutil.copy(where / "careful.jsonl", where / "runs" / "large_s2.jsonl")
    for path in sample.CLAIMS:
        shutil.copy(path, where / "claims")
    for k, of in enumerate(("hasty", "chatty", "careful"), 1):
        shutil.copy(where / f"{of}.jsonl", where / f"step_{k}.jsonl")
    lines = (where / "crab_scores_careful.jsonl").read_text().splitlines()
    rows = map(json.loads, lines)
    write(where / "said.jsonl", [row | {"prediction": in_words(row["prediction"])} for row in rows])
    return where


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def in_words(score):
    return f"Causality score: {score}" if len(str(score)) % 2 else f"I would say **{score}**."


@pytest.mark.slow
@pytest.mark.parametrize("story", STORIES)
def test_commands_of_a_story_run(story, folder, monkeypatch):
    monkeypatch.chdir(folder)
    for line in STORIES[story]:
        words = [path for word in shlex.split(line) for path in sorted(Path().glob(word)) or [word]]
        printed, messages = cli(*words, expect=None)
        assert printed, line
        assert "error: " not in messages


def test_a_log_and_its_replies_score_alike(folder):
    scores = {
        name: json.loads(cli("score", folder / "gold.csv", folder / name, "--unparsed", "empty",
                             *more, "--json")[0])["scores"]
        for name, more in {"batch.jsonl": [], "raw_answers.jsonl": ["--answers", "output"]}.items()
    }  # fmt: skip
    assert scores["batch.jsonl"] == scores["raw_answers.jsonl"]


def test_said_scores_are_the_scores(folder):
    command = ("crab", "pairwise", folder / "crab_gold.jsonl")
    shown = [json.loads(cli(*command, folder / name, "--json")[0])["scores"]
             for name in ("said.jsonl", "crab_scores_careful.jsonl")]  # fmt: skip
    assert shown[0] == shown[1]

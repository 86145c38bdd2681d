"""Every file that a command writes is read by the commands that take it, without flags.

The files come from the tree of commands: an option of a file that is new needs a line here.
"""

from __future__ import annotations

import shutil

import click
import pytest

from fastcausal import sample
from tests.cli.test_options import COMMANDS
from tests.support.cli import cli
from tests.support.shared_tasks import box, judged_here, pack_nothing, without_wheels

READ_ALONE = {  # files that a command reads
    "crab prompts --template", "merge --like", "task init --gold", "task init --wheels",
    "task check submission", "task check --dir", "task leaderboard submissions",
    "task leaderboard --dir", "task archive submissions", "task archive --dir",
}  # fmt: skip
PAGES = ".html", ".png", ".svg", ".xml", ".zip"  # for people and servers: no command takes them
CLAIMS = " ".join(path.name for path in sample.CLAIMS) + " --name claims_{side}_{system}_{rater}"
# Commands that write a file, {out}, and commands that read it, {in}; "table" means that the file is
# for other programs alone.
COUNTS = ["aggregate {in}", "leaderboard {in}", "merge {in} --out again.parquet"]
OF_LABELS = [COUNTS[0], "leaderboard {in} --score overall_accuracy", COUNTS[2]]
OF_PAIRS = [COUNTS[0], "leaderboard {in} --score exists_f1", COUNTS[2]]
TABLE = ["table"]
LINES = {
    "score --per-example": ("score gold.csv careful.jsonl --per-example {out}.parquet", [
        *COUNTS, "compare {in} hasty.parquet", "plan {in} hasty.parquet",
        "gate --candidate {in} --min overall_f1=0.1",
        "gate --candidate {in} --baseline hasty.parquet --min-delta -1"]),
    "score --matches": ("score gold.csv careful.jsonl --matches {out}.csv", TABLE),
    "score --reasons": (
        "score gold.csv raw_answers.jsonl --answers output --unparsed empty --reasons {out}.csv",
        TABLE),
    "agree --per-example": (
        "agree annotator_1.jsonl annotator_2.jsonl --per-example {out}.csv", TABLE),
    "agree --matches": ("agree annotator_1.jsonl annotator_2.jsonl --matches {out}.csv", TABLE),
    "agree --disagreements": (
        "agree annotator_1.jsonl annotator_2.jsonl --disagreements {out}.csv", TABLE),
    "classify --per-example": (
        "classify choices.csv choices_careful.jsonl --answers binary --per-example {out}.parquet",
        OF_LABELS),
    "classify --html": ("classify choices.csv choices_careful.jsonl --answers binary "
                        "--html {out}.html", []),
    "eci --per-document": ("eci pairs_gold.csv pairs_careful.csv --per-document {out}.parquet",
                           OF_PAIRS),
    "eci --html": ("eci pairs_gold.csv pairs_careful.csv --html {out}.html", []),
    "qa --html": ("qa questions.json answers.json --html {out}.html", []),
    "qa --per-example": ("qa questions.json answers.json --per-example {out}.parquet", COUNTS),
    "aggregate --out": ("aggregate careful.parquet --out {out}.parquet", COUNTS[:2]),
    "answers --per-item": ("answers judged_ann.json --per-item {out}.csv", TABLE),
    "answers --judgments": ("answers judged_ann.json judged_ben.json --judgments {out}.csv",
                            ["agree {in} --labels label"]),
    "answers --reasons": ("answers judged_ann.json judged_ben.json --reasons {out}.csv", TABLE),
    "answers --per-example": ("answers judged_ann.json --per-example {out}.parquet", COUNTS[:1]),
    "claims --per-topic": (f"claims {CLAIMS} --per-topic {{out}}.csv", TABLE),
    "claims --judgments": (f"claims {CLAIMS} --judgments {{out}}.csv",
                           ["agree {in} --labels label"]),
    "preferences --per-topic": (
        "preferences preferences_ann.json preferences_ben.json --key preferences_key.json "
        "--per-topic {out}.csv", TABLE),
    "preferences --judgments": (
        "preferences preferences_ann.json preferences_ben.json --key preferences_key.json "
        "--judgments {out}.csv", ["agree {in} --labels label"]),
    "meta sample --out": ("meta sample scores.csv --n 9 --by topic --out {out}.csv", TABLE),
    "crab describe --plot": ("crab describe crab_gold.jsonl --plot {out}.png", []),
    "crab describe --html": ("crab describe crab_gold.jsonl --html {out}.html", []),
    "crab pairwise --per-pair": (
        "crab pairwise crab_gold.jsonl crab_scores_careful.jsonl --per-pair {out}.parquet",
        OF_LABELS),
    "crab pairwise --plot": (
        "crab pairwise crab_gold.jsonl crab_scores_careful.jsonl --plot {out}.png", []),
    "crab frames --per-frame": (
        "crab frames crab_gold.jsonl crab_letters.jsonl --per-frame {out}.parquet", COUNTS),
    "crab chains --per-chain": (
        "crab chains crab_gold.jsonl crab_letters.jsonl --per-chain {out}.parquet", COUNTS),
    "crab make-mcq out": ("crab make-mcq crab_gold.jsonl {out}.jsonl", [
        "crab prompts {in} --task mcq --out asked.jsonl"]),
    "crab graded --per-question": (
        "crab graded crab_questions.jsonl crab_choices.jsonl --per-question {out}.parquet",
        OF_LABELS),
    "crab graded --plot": (
        "crab graded crab_questions.jsonl crab_choices.jsonl --plot {out}.png", []),
    "crab agree --pairs": ("crab agree crab_ratings.jsonl --pairs {out}.csv", TABLE),
    "crab experts --out": ("crab experts crab_gold.jsonl crab_ratings.jsonl --out {out}.jsonl", [
        "crab describe {in}", "crab pairwise {in} crab_scores_careful.jsonl"]),
    "crab prompts --out": ("crab prompts crab_gold.jsonl --out {out}.jsonl", TABLE),
    "crab split out": ("crab split crab_gold.jsonl {out}.jsonl --by pair", [
        "crab describe {in}", "crab pairwise {in} crab_scores_careful.jsonl"]),
    "crab sweep --plot": ("crab sweep crab_gold.jsonl crab_yes_no.jsonl --plot {out}.png", []),
    "describe --plots": ("describe gold.csv --plots {out}", []),
    "annotate export page": ("annotate export judged_answers.json {out}.html", []),
    "annotate import --to": ("annotate import judged_ann.json judged_ben.json --to {out}.csv",
                             ["agree {in} --labels label"]),
    "errors --html": ("errors gold.csv careful.jsonl --html {out}.html", []),
    "page-scorer --out": ("page-scorer gold.csv --out {out}.html", []),
    "report --out": ("report gold.csv careful.jsonl --out {out}.html", []),
    "compare --html": ("compare careful.parquet hasty.parquet --html {out}.html", []),
    "compare --items": ("compare careful.parquet hasty.parquet --items {out}.csv", TABLE),
    "items --out": ("items careful.parquet hasty.parquet --out {out}.parquet", TABLE),
    "items --html": ("items careful.parquet hasty.parquet --html {out}.html", []),
    "leaderboard --html": ("leaderboard careful.parquet hasty.parquet --html {out}.html", []),
    "schemes --html": ("schemes gold.csv careful.jsonl hasty.jsonl --html {out}.html", []),
    "gate --junit": ("gate --candidate careful.parquet --min overall_f1=0.1 --junit {out}.xml",
                     []),
    "gate --looks": (
        "gate --baseline careful.parquet --candidate hasty.parquet --min-delta 0 --looks {out}",
        ["gate --baseline careful.parquet --candidate hasty.parquet --min-delta 0 --looks {in}"]),
    "sweep --out": ("sweep gold.csv careful.jsonl hasty.jsonl --out {out} --jobs 1", [
        "leaderboard {in}", "aggregate {in}/runs/careful.parquet",
        "compare {in}/runs/careful.parquet {in}/runs/hasty.parquet"]),
    "merge --out": ("merge careful.parquet --out {out}.parquet", COUNTS),
    "convert target": ("convert gold.csv {out}.parquet", [
        "score {in} careful.jsonl", "describe {in}", "check {in}",
        "agree {in} annotator_1.jsonl", "errors {in} careful.jsonl"]),
    "task init dir": ("task init {out} --gold gold.csv --wheels wheels", [
        "task check careful.jsonl --dir {in}",
        "task leaderboard submissions --dir {in} --n-resamples 50"]),
    "task leaderboard --html": (
        "task leaderboard submissions --dir box --n-resamples 50 --html {out}.html", []),
    "task archive --out": (
        "task archive submissions --dir box --n-resamples 50 --out {out}.zip", []),
    "demo --copy-to": ("demo --copy-to {out}", ["score {in}/gold.csv {in}/careful.jsonl"]),
}  # fmt: skip


def written():
    """The files of the tree of commands, by command and option or argument."""
    for words, command in COMMANDS.items():
        for parameter in command.params:
            if isinstance(parameter.type, click.Path):
                yield f"{words} {parameter.opts[-1]}"


def test_every_file_of_the_commands_is_listed():
    assert {*written()} == {*LINES} | READ_ALONE


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("written")
    sample.copy_to(where)
    for name in ("careful", "hasty"):
        cli("score", where / "gold.csv", where / f"{name}.jsonl",
            "--per-example", where / f"{name}.parquet")  # fmt: skip
    cli("convert", where / "gold.csv", where / "questions.json", "--to", "squad")
    box(where / "box", "recess")
    without_wheels(where / "wheels")
    (where / "submissions").mkdir()
    shutil.copy(where / "careful.jsonl", where / "submissions")
    return where


def write_file(name, folder, monkeypatch):
    """Write the file of a line into a new folder, and return its path."""
    monkeypatch.setattr("fastcausal.shared_task.check.judged", judged_here)
    monkeypatch.setattr("fastcausal.shared_task.packages.pack", pack_nothing)
    monkeypatch.setattr("fastcausal.tasks.extraction.scorer_page.page.core", bytes)
    folder.mkdir(exist_ok=True)
    made = str(folder / "made")
    cli(*(word.replace("{out}", made) for word in LINES[name][0].split()), expect=None)
    [found] = folder.iterdir()
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", LINES)
def test_what_is_written_is_read(name, folder, tmp_path, monkeypatch):
    if "--plot" in name:
        pytest.importorskip("matplotlib")
    monkeypatch.chdir(folder)
    found = write_file(name, tmp_path, monkeypatch)
    readers = LINES[name][1]
    assert found.is_dir() or found.stat().st_size
    if readers == TABLE:
        read_as_table(found)
        return
    assert readers or found.is_dir() or found.suffix in PAGES
    for line in readers:
        (tmp_path / "read").mkdir(exist_ok=True)
        monkeypatch.chdir(shutil.copytree(folder, tmp_path / "read", dirs_exist_ok=True))
        printed, messages = cli(*line.replace("{in}", str(found)).split(), expect=None)
        assert printed, line
        assert "error: " not in messages, line


def read_as_table(path):
    """Read a table that is for other programs: rows of the same columns."""
    from fastcausal.files.records import read_records

    assert len(read_records(path, "table").table) > 0

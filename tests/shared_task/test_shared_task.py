"""A shared task in a box: the check of participants, the judge of organisers, the board."""

from __future__ import annotations

import csv
import json
import math
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from fastcausal.errors import InputError
from fastcausal.shared_task import packages, program
from fastcausal.shared_task.board import board, digest_of, list_submissions, ranked
from fastcausal.shared_task.bundle import init
from fastcausal.shared_task.check import check
from fastcausal.shared_task.judge import judge
from fastcausal.shared_task.record import Limits, SharedTask, folder_of
from fastcausal.shared_task.scoring import score_of, task_of, tasks
from fastcausal.shared_task.submission import open_submission
from fastcausal.significance.draws import Draws
from tests.support.cli import cli
from tests.support.hostile_submissions import GOOD, HOSTILE, ROWS, lines, write_hostile, zipped
from tests.support.shared_tasks import HERE, SETTINGS, box, judged_here, sent, without_wheels

RIGHT = {
    "eci": "pairs_careful.csv",
    "classify": "choices_careful.jsonl",
    "score": "careful.jsonl",
    "fincausal": "sections_careful.csv",
    "qa": "causes_careful.csv",
}
QUICK = Draws(n_resamples=200, cluster="auto")


class Boxes(dict[str, Path]):
    """The bundle of every setting, made when first asked for."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __missing__(self, name: str) -> Path:
        self[name] = box(self.place / name, name)
        return self[name]


@pytest.fixture(scope="module")
def boxes(tmp_path_factory: pytest.TempPathFactory) -> Boxes:
    return Boxes(tmp_path_factory.mktemp("boxes"))


def judged(folder: Path, submission: Path, out: Path) -> dict | str:
    """The judgment in this process, or the refusal."""
    out.mkdir(exist_ok=True)
    try:
        judge(folder, submission, out)
    except InputError as error:
        return str(error)
    return json.loads((out / program.JUDGMENT).read_text())


@pytest.mark.parametrize("name", SETTINGS)
def test_scores_are_those_of_the_command(boxes: dict[str, Path], name: str, tmp_path: Path) -> None:
    gold, task, options = SETTINGS[name]
    system = HERE / RIGHT[task]
    found = judged(boxes[name] / "reference_data", system, tmp_path / "out")
    report = score_of(task, str(HERE / gold), str(system), options)
    assert isinstance(found, dict)
    flat = report.to_flat(counts=False)
    columns = SharedTask.read(boxes[name] / "reference_data").scores
    undefined = [k for k in columns if math.isnan(flat[k])]
    assert found["scores"] == {k: 0.0 if k in undefined else flat[k] for k in columns}
    assert found["signature"] == report.signature
    zeros = [f"{k} is undefined; the board has 0" for k in undefined]
    assert found["warnings"] == [*report.warnings, *zeros]


@pytest.mark.parametrize("name", SETTINGS)
def test_participants_see_no_score(boxes: dict[str, Path], name: str, tmp_path: Path) -> None:
    kit = boxes[name] / "starting_kit"
    for submission in (kit / "baseline.zip", HERE / RIGHT[SETTINGS[name][1]]):
        found = judged(kit, submission, tmp_path / "out")
        assert isinstance(found, dict)
        assert found.keys() == {"counts", "warnings", "policies"}
        assert not any("gold" in count for count in found["counts"])
        assert not (tmp_path / "out" / program.COUNTS).exists()


ANSWERS = {
    "score": [{"id": "a", "text": "Rain fell so roads closed", "relations": None},
              {"id": "b", "text": "Roads closed as rain fell", "relations": None}],
    "classify": [{"id": k, "text": f"t{k}", "label": None} for k in range(4)],
    "qa": [{"id": k, "question": "Why?", "answers": None} for k in range(3)],
    "eci": [{"doc_id": "d", "a": k, "b": k + 1, "label": None} for k in range(3)],
}  # fmt: skip
VALUES = {
    "score": st.sampled_from([[], [{"cause": (0, 2), "effect": (3, 5)}], [{"cause": (0, 1)}]]),
    "classify": st.sampled_from([0, 1]),
    "qa": st.lists(st.text("abc", min_size=1), min_size=1).map(lambda texts: {"text": texts}),
    "eci": st.sampled_from(["CAUSE", "PRECONDITION", "null", "NONE"]),
}
KEY = {"score": "relations", "classify": "label", "qa": "answers", "eci": "label"}


@given(st.data())
@pytest.mark.parametrize("task", ANSWERS)
def test_gold_without_answers_tells_none(task: str, data: st.DataObject) -> None:
    """Participants get the same public gold whatever the answers are."""
    public = fc.counts.task.resolve(tasks()[task].public)

    def seen() -> object:
        values = [data.draw(VALUES[task]) for _ in ANSWERS[task]]
        if task == "classify":
            values = [*values[:-2], 0, 1]  # labels themselves are known
        rows = [{**row, KEY[task]: value}
                for row, value in zip(ANSWERS[task], values, strict=True)]  # fmt: skip
        gold = fc.Relations.from_examples(rows) if task == "score" else rows
        made = public(gold)
        return [part.table.to_pylist() if task == "score" else part for part in made]

    assert seen() == seen()


@pytest.mark.parametrize("protocol", ["cladder", "cladder-gpt", "corr2cause"])
def test_a_question_without_an_answer_is_wrong(tmp_path: Path, protocol: str) -> None:
    """These programs leave it out: a submission of one line had all right."""
    gold, sent = tmp_path / "gold.csv", tmp_path / "one.jsonl"
    gold.write_text("id,label\n1,yes\n2,no\n3,yes\n4,no\n")
    sent.write_text('{"id": "1", "answer": "yes"}\n')
    held, options = without_wheels(tmp_path / "wheels"), {"protocol": protocol}
    with patch("fastcausal.shared_task.check.judged", judged_here):
        init(tmp_path / "box", gold, "classify", options, packed=held)
    found = judged(tmp_path / "box" / "reference_data", sent, tmp_path / "out")
    assert found["scores"]["overall_accuracy"] == 0.25
    assert "missing predictions count as wrong" in program.lines(found)
    open_ = judged(tmp_path / "box" / "starting_kit", sent, tmp_path / "open")
    assert (open_["policies"], open_["counts"]) == (found["policies"], found["counts"])
    for name in ("unparsed", "unmatched"):
        with pytest.raises(InputError, match=f"option {name} is skip"):
            init(tmp_path / "skips", gold, "classify", options | {name: "skip"}, packed=held)


def reference(boxes: dict[str, Path], name: str, target: Path, **values: object) -> Path:
    """A copy of reference data with other values in its record."""
    shutil.copytree(boxes[name] / "reference_data", target)
    record = json.loads((target / "task.json").read_text()) | values
    (target / "task.json").write_text(json.dumps(record))
    return target


def test_undefined_scores_are_on_the_board(boxes: dict[str, Path], tmp_path: Path) -> None:
    scores = ["overall_mcc", "overall_accuracy"]
    rows = csv.DictReader((HERE / "choices.csv").read_text(encoding="utf-8").splitlines())
    (tmp_path / "p.csv").write_text("id,answer\n" + "".join(f"{row['id']},no\n" for row in rows))
    high = reference(boxes, "answers", tmp_path / "high", scores=scores)
    found = judged(high, tmp_path / "p.csv", tmp_path / "out")
    assert found["scores"]["overall_mcc"] == 0.0
    assert found["warnings"][-1] == "overall_mcc is undefined; the board has 0"
    low = reference(boxes, "answers", tmp_path / "low", scores=scores, lower_is_better=True)
    said = judged(low, tmp_path / "p.csv", tmp_path / "out")
    assert said == "overall_mcc is undefined, expected a number to rank by"


def test_gold_beside_the_record_is_its_gold(boxes: dict[str, Path], tmp_path: Path) -> None:
    folder = reference(boxes, "pairs", tmp_path / "a", digest="00")
    assert "another digest than" in judged(folder, HERE / "pairs_careful.csv", tmp_path / "out")
    gold = folder / "gold.csv"
    gold.write_bytes(gold.read_bytes().replace(b"CAUSE", b"NONE", 1))
    assert "another SHA-256 than" in judged(folder, HERE / "pairs_careful.csv", tmp_path / "out")


OUTSIDE = ("..", "../gold.csv", "/etc/passwd", "http://localhost/x.csv")
ODD = (None, True, 0, -1, 1 << 70, 0.5, "x", "", [], [1], ["x"], {}, {"x": 1}, *OUTSIDE)
FIELDS = ("title", "task", "options", "files", "gold", "sha256", "answers", "digest", "signature",
          "scores", "lower_is_better", "version", "silenced", "limits")  # fmt: skip
OPTIONS = ("protocol", "candidates", "outside", "forward", "undefined", "relation", "lenient",
           "per_document", "by", "unheard-of")  # fmt: skip


def test_records_of_others_are_read_or_refused(boxes: dict[str, Path], tmp_path: Path) -> None:
    """Each field, limit and option of another type or value: scores, or one message."""
    folder, n_read = reference(boxes, "listed", tmp_path / "a"), 0
    record = json.loads((folder / "task.json").read_text())
    limits, options = record["limits"], record["options"]
    changed = [{name: value} for name in FIELDS for value in ODD]
    changed += [{"limits": limits | {name: value}} for name in limits for value in ODD]
    changed += [{"options": options | {name: value}} for name in OPTIONS for value in ODD]
    changed += [{"options": {"candidates": v}, "files": ["candidates"]} for v in ODD]
    for values in [*changed, *({"limits": limits | {"days": 1}}, {"unheard-of": 1})]:
        (folder / "task.json").write_text(json.dumps(record | values))
        found = judged(folder, HERE / "pairs_careful.csv", tmp_path / "out")
        given = values.get("options")
        places = [values.get("gold"), given.get("candidates") if isinstance(given, dict) else ""]
        if any(place in OUTSIDE for place in places):
            assert "beside" in found, values
        n_read += isinstance(found, dict)
        if values in ({"lower_is_better": "x"}, {"scores": []}, {"limits": {}}):
            assert "task.json" in found
    assert 20 < n_read < 80


def test_links_out_of_a_kit_are_refused(boxes: dict[str, Path], tmp_path: Path) -> None:
    folder = reference(boxes, "recess", tmp_path / "a")
    (folder / "gold.csv").rename(tmp_path / "gold.csv")
    (folder / "gold.csv").symlink_to(tmp_path / "gold.csv")
    with pytest.raises(InputError, match="a link to another folder"):
        SharedTask.read(folder)


CHANGES = {
    "drop": lambda rows, k: rows[:k] + rows[k + 1 :],
    "twice": lambda rows, k: [*rows, rows[k]],
    "other id": lambda rows, k: [*rows[:k], {**rows[k], "id": "elsewhere"}, *rows[k + 1 :]],
    "length": lambda rows, k: [*rows[:k], {**rows[k], "length": 99}, *rows[k + 1 :]],
    "no relation": lambda rows, k: [*rows[:k], {**rows[k], "relations": []}, *rows[k + 1 :]],
    "null": lambda rows, k: [*rows[:k], {**rows[k], "relations": [None]}, *rows[k + 1 :]],
    "long": lambda rows, k: [
        *rows[:k],
        {**rows[k], "relations": [[{"role": "cause", "start": 0, "stop": 50}]]},
        *rows[k + 1 :],
    ],
}


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(CHANGES)), st.integers(0, 40)), max_size=3))
@pytest.mark.parametrize("name", ["recess", "cnc-2022"])
def test_check_says_what_the_organisers_machine_says(
    boxes: dict[str, Path],
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    changes: list[tuple[str, int]],
) -> None:
    rows = [*ROWS]
    for change, k in changes:
        rows = CHANGES[change](rows, k)
    place = tmp_path_factory.mktemp("sent")
    (place / "p.jsonl").write_bytes(lines(rows))
    said = [
        judged(boxes[name] / folder, place / "p.jsonl", place / folder)
        for folder in ("reference_data", "starting_kit")
    ]
    assert not any("predictions.jsonl" in str(each) for each in said)
    if all(isinstance(each, dict) for each in said):
        own, open_ = said[0]["counts"], said[1]["counts"]
        assert {*open_} == {name for name in own if "gold" not in name}
        if name == "recess":
            assert open_ == {name: own[name] for name in open_}
    elif name == "recess":
        assert said[0] == said[1]
    else:  # it ignores faults in examples without relations; naming these would give gold away
        assert isinstance(said[1], str)


def test_submissions_are_read_in_any_packing(tmp_path: Path) -> None:
    rubbish = ("__MACOSX/._p.jsonl", b"x"), (".DS_Store", b"x"), ("in/Thumbs.db", b"x")
    (tmp_path / "p.jsonl").write_bytes(GOOD)
    (tmp_path / "a.zip").write_bytes(zipped(("in/a\N{SNOWMAN}.jsonl", GOOD), *rubbish))
    (tmp_path / "folder" / "in").mkdir(parents=True)
    (tmp_path / "folder" / "in" / "x.JSONL").write_bytes(GOOD)
    (tmp_path / "folder" / "metadata").write_bytes(b"exitCode: 0")
    for name in ("p.jsonl", "a.zip", "folder"):
        found = open_submission(tmp_path / name, 1 << 20)
        assert found.data == GOOD
        assert found.safe_name == "predictions.jsonl"
    with pytest.raises(InputError, match="expected at most 10"):
        open_submission(tmp_path / "p.jsonl", 10)
    with pytest.raises(InputError, match="expected at most 5000"):
        open_submission(tmp_path / "a.zip", 5000)


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_submissions_get_a_message(
    boxes: dict[str, Path], tmp_path: Path, name: str
) -> None:
    """Organisers and participants get one clean message about a hostile submission."""
    path = write_hostile(name, tmp_path)
    found = check(path, boxes["cnc-2023"] / "reference_data", tmp_path)
    assert found.judgment == {}
    assert found.refusal
    assert "status" not in found.refusal
    assert "Traceback" not in found.refusal
    assert str(tmp_path) not in found.refusal
    assert not re.search("[\x00-\x08\x1b\u202e]", found.refusal)
    assert not (tmp_path / program.JUDGMENT).exists()
    again = judged(boxes["cnc-2023"] / "starting_kit", path, tmp_path / "out")
    assert isinstance(again, str)


def test_there_are_forty() -> None:
    assert len(HOSTILE) >= 40


LIMITED = {
    "memory": (Limits(memory=1 << 20), "status|SIG|memory"),
    "time": (Limits(seconds=0), "not judged within 0 seconds"),
    "size": (Limits(size=100), "expected at most 100"),
}


@pytest.mark.parametrize("name", LIMITED)
def test_limits(boxes: dict[str, Path], tmp_path: Path, name: str) -> None:
    limits, message = LIMITED[name]
    folder = tmp_path / "ref"
    folder.mkdir()
    source = boxes["recess"] / "reference_data"
    (folder / "gold.csv").write_bytes((source / "gold.csv").read_bytes())
    record = json.loads((source / "task.json").read_text())
    (folder / "task.json").write_text(json.dumps(record | {"limits": limits._asdict()}))
    (tmp_path / "p.jsonl").write_bytes(GOOD)
    found = check(tmp_path / "p.jsonl", folder, tmp_path)
    assert not found.judgment
    assert re.search(message, found.refusal)


def test_a_killed_judge_is_a_refusal(
    boxes: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "CHILD", "import os, signal; os.kill(os.getpid(), 11)")
    found = check(HERE / "careful.jsonl", boxes["recess"] / "reference_data", tmp_path)
    assert found == program.Judged({}, found.refusal)
    assert "SIGSEGV" in found.refusal


@pytest.mark.slow
@pytest.mark.parametrize("name", ["recess", "cnc-2022"])
def test_board(
    boxes: dict[str, Path], tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "cnc-2022":  # the other one starts processes
        monkeypatch.setattr("fastcausal.shared_task.check.judged", judged_here)
    folder = sent(tmp_path)
    made = board(folder, boxes[name] / "reference_data", QUICK)
    assert [*made.scores] == ["careful", "twin", "hasty"]
    assert [each.rank for each in made.scores.values()] == [1, 1, 3]
    assert [*made.refused] == ["poor"]
    assert made.n_submissions == 4
    report = fc.score(sample.GOLD, sample.SYSTEMS["hasty"], name, unparsed="empty")
    assert made["hasty"].overall_f1 == report["overall"].f1
    if name == "recess":
        systems = {n: fc.score(sample.GOLD, sample.SYSTEMS[s], unparsed="empty").statistics
                   for n, s in (("careful", "careful"), ("hasty", "hasty"), ("twin", "careful"))
                   }  # fmt: skip
        scores = ("overall_f1", "overall_precision", "overall_recall")
        expected = fc.leaderboard(systems, scores, n_resamples=200)
        assert made.leaderboard.to_dict()["systems"] == expected.to_dict()["systems"]
    else:
        assert made.facts["ranking"] == "scores of cnc-2022 do not add over examples"
    made.to_html(tmp_path / "board.html")
    page = (tmp_path / "board.html").read_text()
    assert "poor" in page
    assert "hasty" in page


def test_ranks_share_ties_and_undefined_scores_have_none(boxes: dict[str, Path]) -> None:
    task = SharedTask.read(boxes["recess"] / "reference_data")
    scores = {"a": {"overall_f1": 0.5}, "b": {}, "c": {"overall_f1": 0.7}, "d": {"overall_f1": 0.5}}
    assert ranked(task, scores) == {"c": 1, "a": 2, "d": 2, "b": None}


def test_names_of_submissions(tmp_path: Path) -> None:
    for name in ("a.jsonl", "a.zip", "b.csv", ".hidden"):
        (tmp_path / name).write_bytes(b"x")
    assert [*list_submissions(tmp_path)] == ["a.jsonl", "a.zip", "b.csv"]
    (tmp_path / "a.zip").unlink()
    assert [*list_submissions(tmp_path)] == ["a", "b"]
    assert digest_of(tmp_path / "b.csv")[0] == 1
    assert digest_of(tmp_path)[0] == 3


def test_a_bundle_is_complete_or_not_there(tmp_path: Path) -> None:
    held = without_wheels(tmp_path / "wheels")
    gold = tmp_path / "gold.csv"
    gold.write_bytes(b"index,label\n1,x\n")
    with pytest.raises(InputError):
        init(tmp_path / "box", gold, "score", {}, packed=held)
    with pytest.raises(ValueError, match="has no option"):
        init(tmp_path / "box", Path(sample.GOLD), "score", {"nothing": 1}, packed=held)
    with pytest.raises(InputError, match='no score "f2"'):
        init(tmp_path / "box", Path(sample.GOLD), "score", {}, scores=["f2"], packed=held)
    with pytest.raises(InputError, match="0 wheels of fastcausal"):
        init(tmp_path / "box", Path(sample.GOLD), "score", {}, packed=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["gold.csv", "wheels"]
    with pytest.raises(InputError, match="expected a new folder"):
        init(held, Path(sample.GOLD), "score", {}, packed=held)


def test_the_zip_is_the_bundle(boxes: dict[str, Path]) -> None:
    folder = boxes["recess"]
    with zipfile.ZipFile(folder / "bundle.zip") as archive:
        packed = {name: archive.read(name) for name in archive.namelist()}
    there = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
    del there["bundle.zip"], packed["scoring_program/packages.tar.xz"]
    assert packed == {name: path.read_bytes() for name, path in there.items()}
    text = packed["competition.yaml"].decode()
    for name in re.findall(r"(?:file|image|terms|_program|_data|_kit|path): (\S+)", text):
        if name != re.search(r"docker_image: (\S+)", text)[1]:
            assert any(each.startswith(name) for each in packed), name
    assert re.findall(r'key: "(\w+)"', text) == [
        "overall_f1", "overall_precision", "overall_recall",
    ]  # fmt: skip
    board = text.partition("leaderboards:")[2]
    assert re.findall(r"index: (\d)\n +sorting: (\w+)", board) == [(k, "desc") for k in "012"]
    assert not any("gold" in name for name in packed if name.startswith("starting_kit"))


def test_tasks_of_protocols() -> None:
    assert task_of("eventstoryline", None) == "eci"
    assert task_of("copa", None) == "classify"
    assert task_of("recess", None) == "score"
    with pytest.raises(InputError, match="expected one of"):
        task_of("unheard-of", None)


def test_packages_of_the_judge(tmp_path: Path) -> None:
    """What is installed, or the wheels of a folder, without tests, headers and sources."""
    names = [name for name, _ in packages._installed()]
    kept = {name for name in names if not packages.LEFT_OUT.search(name)}
    assert {"fastcausal/shared_task/pages/overview.md", "numpy/__init__.py"} <= kept
    assert not [name for name in kept if re.search(r"\.(pyc|pyx|h)$|/tests/|_flight", name)]
    held = without_wheels(tmp_path / "wheels")
    with zipfile.ZipFile(held / "numpy-2.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("numpy/__init__.py", "")
        wheel.writestr("numpy/tests/test_all.py", "")
    packages.pack(tmp_path / "made.tar.xz", held)
    packages.pack(tmp_path / "again.tar.xz", held)
    with tarfile.open(tmp_path / "made.tar.xz") as made:
        assert made.getnames() == ["numpy/__init__.py"]
    assert (tmp_path / "made.tar.xz").read_bytes() == (tmp_path / "again.tar.xz").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["recess", "pairs", "questions", "answers", "sections"])
def test_a_judge_loads_no_other_packages(boxes: dict[str, Path], name: str, tmp_path: Path) -> None:
    """What the command line alone needs is not in the bundle."""
    code = (
        "import sys; sys.modules.update(dict.fromkeys(['click', 'jinja2', 'rich']));"
        "from fastcausal.shared_task.judge import main; sys.exit(main(sys.argv[1:]))"
    )
    places = [boxes[name] / "reference_data", HERE / RIGHT[SETTINGS[name][1]], tmp_path]
    subprocess.run([sys.executable, "-c", code, *places], check=True)


def test_folders(boxes: dict[str, Path], tmp_path: Path) -> None:
    folder = boxes["recess"]
    assert folder_of(folder) == folder / "reference_data"
    assert folder_of(folder / "starting_kit") == folder / "starting_kit"
    with pytest.raises(InputError, match="no task"):
        folder_of(tmp_path)
    (tmp_path / "task.json").write_text('{"schema": 2}')
    with pytest.raises(InputError, match="schema 1"):
        SharedTask.read(tmp_path)


def test_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("fastcausal.shared_task.check.judged", judged_here)
    without_wheels(tmp_path / "wheels")
    made, _ = cli("task", "init", "box", "--gold", str(sample.GOLD), "--protocol", "recess",
                  "--unparsed", "empty", "--wheels", "wheels")  # fmt: skip
    assert made.startswith("box: score, recess, ranked by overall_f1\nbaseline\n61 examples")
    kit = ("--dir", "box/starting_kit")
    said, _ = cli("task", "check", str(sample.SYSTEMS["careful"]), *kit)
    assert said.startswith("accepted\n61 examples")
    assert "f1" not in said
    _, refused = cli("task", "check", str(HERE / "pairs_gold.csv"), *kit, expect=2)
    assert refused.startswith("error: pairs_gold.csv:1: no column")
    folder = sent(tmp_path)
    board = cli("task", "leaderboard", str(folder), "--dir", "box", "--html", "board.html",
                "--n-resamples", "200")[0]  # fmt: skip
    assert re.search(r"careful +0\.8189 .*\ntwin +0\.8189", board)
    assert "poor" in board
    out, _ = cli("task", "archive", str(folder), "--dir", "box", "--n-resamples", "200")
    assert out == "archive.zip: box: 3 of 4 submissions ranked by overall_f1\n"
    with zipfile.ZipFile("archive.zip") as archive:
        assert {*archive.namelist()} == {
            "README.md", "task.json", "leaderboard.html", "leaderboard.json", "leaderboard.md",
            "submissions.csv", "versions.json",
        }  # fmt: skip
        rows = archive.read("submissions.csv").decode().splitlines()
        assert len(rows) == 5
        task = json.loads(archive.read("task.json"))
    gold = fc.score(sample.GOLD, sample.SYSTEMS["careful"], unparsed="empty").statistics.gold
    assert int(task["digest"], 16) == gold


def test_files_of_options_go_along(tmp_path: Path) -> None:
    """Files of options are copied into bundle and kit, which need no path of the organiser."""
    candidates = tmp_path / "mine.csv"
    candidates.write_bytes((HERE / "pairs_events.csv").read_bytes())
    held = without_wheels(tmp_path / "wheels")
    options = {"candidates": str(candidates)}
    init(tmp_path / "box", HERE / "pairs_gold.csv", "eci", options, packed=held)
    candidates.unlink()
    for folder in ("reference_data", "starting_kit"):
        assert (tmp_path / "box" / folder / "candidates.csv").is_file()
        kept = tmp_path / "box" / folder
        found = judged(kept, HERE / "pairs_careful.csv", tmp_path / folder)
        assert found["counts"]["n_candidates"] > 0

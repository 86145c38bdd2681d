"""``fastcausal doctor FILE...`` says what files are, and names commands that run."""

from __future__ import annotations

import json
import shlex
import shutil
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal import sample
from tests.support.cli import cli
from tests.support.profiles import trials

FILES = sorted(p for p in sample.FOLDER.iterdir() if p.suffix in sample.SUFFIXES)
# By the beginning of a name: files for the words GOLD, PRED and OTHER
SECOND: dict[str, tuple[str, str, str]] = {
    "annotator_": ("", "SELF", "annotator_x.jsonl"),
    "answers": ("questions.json", "", ""),
    "careful": ("gold.csv", "", "hasty.jsonl"),
    "causes": ("causes.csv", "causes_careful.csv", ""),
    "choices": ("choices.csv", "choices_careful.jsonl", "other.csv"),
    "claims_prediction": ("", "", "claims_reference_"),
    "claims_reference": ("", "", "claims_prediction_"),
    "crab_choices": ("crab_questions.jsonl", "", ""),
    "crab_questions": ("", "crab_choices.jsonl", ""),
    "crab_gold_events": ("", "crab_found_events.jsonl", ""),
    "crab_found_events": ("", "crab_gold_events.jsonl", ""),
    "crab": ("crab_gold.jsonl", "crab_scores_careful.jsonl", ""),
    "gold": ("", "careful.jsonl", "gold_x.csv"),
    "pairs": ("pairs_gold.csv", "pairs_careful.csv", ""),
    "sections": ("sections.csv", "sections_careful.csv", "sections_other.csv"),
    "judgments": ("", "", "scores.csv"),
    "preferences_key": ("", "", "preferences_ann.json"),
    "preferences": ("", "", "preferences_key.json"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, with a second file where it has none."""
    made = tmp_path_factory.mktemp("sample")
    sample.copy_to(made)
    for name, other in {
        "annotator_1.jsonl": "annotator_x.jsonl", "choices.csv": "other.csv",
        "gold.csv": "gold_x.csv", "sections_hasty.csv": "sections_other.csv",
        "values_b.csv": "values_x.csv", "run_b.eval": "run_x.eval",
        "lm_run_b.jsonl": "lm_run_x.jsonl", "chatty.jsonl": "chatty_x.jsonl",
    }.items():  # fmt: skip
        shutil.copy(made / name, made / other)
    cli("convert", str(made / "gold.csv"), str(made / "questions.json"), "--to", "squad")
    return made


def doctor(*files: str) -> dict[str, Any]:
    out, err = cli("doctor", *files, "--json")
    assert not err
    found: dict[str, Any] = json.loads(out)
    assert list(found) == ["files", "commands"]
    assert [each["file"] for each in found["files"]] == [*files]
    return found


def run(command: str, words: dict[str, str]) -> None:
    program, *rest = shlex.split(command)
    assert program == "fastcausal"
    assert not {"GOLD", "PRED", "OTHER"} & {word for word in rest if not words.get(word)}, command
    cli(*(words.get(word, word) for word in rest))


def words_for(name: str, folder: Path) -> dict[str, str]:
    start = next((start for start in SECOND if name.startswith(start)), "")
    others = {"values": "values_x.csv", "run": "run_x.eval", "lm": "lm_run_x.jsonl"}
    words = SECOND.get(start) or (
        "gold.csv", "careful.jsonl", others.get(name.partition("_")[0], "chatty_x.jsonl"),
    )  # fmt: skip
    if start.startswith("claims"):
        words = "", "", words[2] + name.removeprefix(start + "_")
    words = tuple(name if word == "SELF" else word for word in words)
    return {w: str(folder / f) for w, f in zip(("GOLD", "PRED", "OTHER"), words, strict=True) if f}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_commands_of_the_sample(path: Path, folder: Path):
    file = str(folder / path.name)
    [found] = doctor(file)["files"]
    assert found["format"] is not None
    assert found["rows"] > 0
    assert found["columns"]
    assert found["commands"]
    for command in found["commands"]:
        run(command, words_for(path.name, folder))


TOGETHER: dict[str, tuple[str, ...]] = {
    "score": ("gold.csv", "careful.jsonl", "hasty.jsonl"),
    "score ": ("hasty.jsonl", "gold.csv"),
    "score  ": ("gold.csv", "raw_answers.jsonl"),
    "score   ": ("sections.csv", "sections_careful.csv"),
    "agree": ("annotator_1.jsonl", "annotator_2.jsonl", "annotator_3.jsonl"),
    "compare": ("values_a.csv", "values_b.csv"),
    "compare ": ("run_a.eval", "run_b.eval"),
    "compare  ": ("lm_run_a.jsonl", "lm_run_b.jsonl"),
    "leaderboard": ("values_a.csv", "values_b.csv", "values_x.csv"),
    "eci": ("pairs_careful.csv", "pairs_gold.csv", "pairs_hasty.csv", "pairs_events.csv"),
    "classify": ("choices.csv", "choices_careful.jsonl", "choices_chatty.jsonl"),
    "qa": ("causes.csv", "causes_careful.csv"),
    "qa ": ("answers.json", "questions.json"),
    "crab pairwise": ("crab_gold.jsonl", "crab_scores_careful.jsonl"),
    "crab pairwise ": ("crab_gold.jsonl", "crab_scores_chatty.jsonl", "crab_scores_hasty.jsonl"),
    "crab graded": ("crab_questions.jsonl", "crab_choices.jsonl"),
    "crab events": ("crab_gold_events.jsonl", "crab_found_events.jsonl"),
    "claims": ("claims_prediction_full_ann.json", "claims_reference_full_ann.json"),
    "answers": ("judged_ann.json", "judged_ben.json"),
    "preferences": ("preferences_ann.json", "preferences_ben.json", "preferences_key.json"),
    "meta": ("scores.csv", "judgments.csv"),
}


@pytest.mark.parametrize("command", TOGETHER)
def test_first_command_has_all_files(command: str, folder: Path):
    files = [str(folder / name) for name in TOGETHER[command]]
    commands = doctor(*files)["commands"]
    assert commands[0].startswith(f"fastcausal {command.strip()} ")
    assert {*files} <= {*shlex.split(commands[0])}
    if gold := [file for file in files if "_gold" in file or "/gold" in file]:
        assert shlex.split(commands[0])[1 + len(command.split())] == gold[0]
    run(commands[0], {})
    for each in commands[1:]:
        if {*files} <= {*shlex.split(each)}:
            run(each, {})


Row = dict[str, Any]


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Row], Row]:
    """Rows of a table of values, and what doctor should find in it."""
    item = draw(st.sampled_from(["id", "doc_id", "item", "question_id"]))
    score = draw(st.sampled_from(["value", "score", "correct", "points"]))
    system = draw(st.sampled_from([None, "system", "model", "run", "who"]))
    sample_of = draw(st.sampled_from([None, "sample", "epoch", "seed"]))
    names = [f"s{k}" for k in range(draw(st.integers(2, 3)))] if system else [""]
    n, k = draw(st.integers(2, 6)), draw(st.integers(2, 3)) if sample_of else 1
    value = st.sampled_from([0, 1]) if score == "correct" else st.sampled_from([0.25, 0.5, 2])
    rows: list[Row] = []
    for name in names:
        for each in range(n):
            for repeat in range(k):
                keys: Row = {system: name} if system else {}
                keys |= {item: f"i{each}"} | ({sample_of: repeat} if sample_of else {})
                rows.append({**keys, score: draw(value)})
    gaps = draw(st.sets(st.integers(1, len(rows) - 1), max_size=2))
    for row in gaps:
        rows[row][score] = None
    dropped = len(names) > 1 and draw(st.booleans())
    if dropped:
        rows = [row for row in rows if row[item] != "i0" or row[system or ""] == "s0"]
    gaps_left = sum(row[score] is None for row in rows)
    want = {"system": system, "names": names, "sample": sample_of, "n": k, "score": score}
    return rows, want | {"gaps": gaps_left, "dropped": dropped}


@trials(40)
@given(table=tables(), suffix=st.sampled_from([".csv", ".jsonl", ".parquet"]))
def test_commands_of_drawn_tables(table: tuple[list[Row], Row], suffix: str):
    rows, want = table
    with TemporaryDirectory() as made:
        files = [str(Path(made, f"{name}{suffix}")) for name in ("a", "b")]
        for file in files:
            if suffix == ".parquet":
                pq.write_table(pa.Table.from_pylist(rows), file)
            elif suffix == ".csv":
                lines = [
                    ",".join("" if v is None else str(v) for v in row.values()) for row in rows
                ]
                Path(file).write_text("\n".join([",".join(rows[0]), *lines, ""]))
            else:
                Path(file).write_text("".join(json.dumps(row) + "\n" for row in rows))
        [found] = doctor(files[0])["files"]
        assert (found["format"], found["rows"]) == ("table", len(rows))
        systems = {"column": want["system"], "names": want["names"]}
        assert found["systems"] == (systems if want["system"] else None)
        samples = {"column": want["sample"], "n": want["n"]}
        assert found["samples"] == (samples if want["sample"] else None)
        said = "; ".join(found["findings"])
        assert ("missing value" in said) == bool(want["gaps"])
        assert ("ids of one side" in said) == want["dropped"]
        assert found["commands"]
        for command in [*found["commands"], doctor(*files)["commands"][0]]:
            run(command, {"OTHER": files[1]})


def test_repeated_ids_without_samples(tmp_path: Path):
    file = tmp_path / "runs.csv"
    file.write_text("model,id,score\na,1,0\na,1,1\nb,1,1\nb,2,1\n")
    [found] = doctor(str(file))["files"]
    assert found["format"] == "table"
    assert any('repeated ids: "1" of a occurs 2 times' in text for text in found["findings"])
    assert not found["commands"]


def test_columns_of_systems(tmp_path: Path):
    file = tmp_path / "wide.csv"
    file.write_text("id,old,new,topic\n1,0,1,x\n2,1,1,x\n3,0,0,y\n4,0,1,y\n")
    [found] = doctor(str(file))["files"]
    assert found["systems"] == {"column": None, "names": ["old", "new"]}
    assert found["clusters"] == ["topic"]
    assert found["commands"][0] == f"fastcausal leaderboard {file} --systems old,new"
    for command in found["commands"]:
        run(command, {})


def write_lines(path: Path, rows: list[Row]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.mark.parametrize("kind", ["spans", "answers", "labels", "ratings"])
@pytest.mark.parametrize("has_samples", [False, True])
def test_predictions_of_several_systems(kind: str, has_samples: bool, tmp_path: Path):
    lines = (sample.FOLDER / "annotator_1.jsonl").read_text(encoding="utf-8").splitlines()
    gold = [json.loads(line) for line in lines]
    own = [{"id": row["id"], "label": f"l{k % 2}"} for k, row in enumerate(gold)]
    rows: list[Row] = []
    for system, repeat in product("ab", (1, 2) if has_samples else (1,)):
        for k, row in enumerate(gold):
            keys = {"id": row["id"], "rater" if kind == "ratings" else "who": system}
            keys |= {"sample": repeat} if has_samples else {}
            said = {"relations": row["relations"][: repeat + (system == "a") - 1]}
            rows.append(
                {**keys, "text": row["text"], **said} if kind == "spans"
                else {**keys, "answer": json.dumps(said)} if kind == "answers"
                else {**keys, "label": f"l{k * repeat % 3 % 2}"}
            )  # fmt: skip
    asked = write_lines(tmp_path / "gold.jsonl", own if kind == "labels" else gold)
    file = write_lines(tmp_path / "runs.jsonl", rows)
    if kind == "ratings":
        if not has_samples:
            [command] = doctor(file)["commands"]
            assert command == f"fastcausal agree {file} --labels label"
            run(command, {})
        return
    found = doctor(asked, file)
    ours = found["files"][1]
    assert (ours["format"], ours["rows"]) == (kind, len(rows))
    assert ours["systems"] == {"column": "who", "names": ["a", "b"]}
    assert ours["samples"] == ({"column": "sample", "n": 2} if has_samples else None)
    assert not ours["findings"]
    first = found["commands"][0]
    assert first.startswith(f"fastcausal {'classify' if kind == 'labels' else 'score'} {asked}")
    assert ("--sample sample" in first) == has_samples
    run(first, {})
    for command in ours["commands"]:
        run(command, {"GOLD": asked})


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("noise.bin", bytes(range(256)) * 40),
        ("noise.csv", bytes(range(255, -1, -1)) * 9),
        ("latin.csv", "id,value\nä,1\n".encode("latin-1")),
        ("deep.json", b"[" * 100_000),
        ("deep.jsonl", b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
        ("empty.csv", b""),
        ("header.csv", b"id,value\n"),
        ("blank.jsonl", b"\n\n\n"),
        ("null.json", b"null"),
        ("list.json", b"[1, 2, [3]]"),
        ("torn.json", b'{"id": 1, "value": '),
        ("torn.zip", b"PK\x03\x04 and no more"),
        ("torn.parquet", b"PAR1 and no more PAR1"),
        ("torn.gz", b"\x1f\x8b\x08\x00 and no more"),
        ("torn.eval", b"PK\x03\x04 and no more"),
        ("twice.csv", b"id,id,value\n1,2,3\n"),
        ("wild.csv", b"id,value,\x1b[31m\n1,inf,=1+1\n2,nan,<b>\n3,1e999,\n"),
        ("prose.jsonl", b'{"id": 1, "output": "It was fine."}\n{"id": 2, "output": "Late."}\n'),
        ("text.txt", b"Rain falls, and the river rises.\n"),
        ("page.html", b"<html><body>no table</body></html>"),
    ],
)
def test_hostile_files(name: str, content: bytes, tmp_path: Path):
    file = tmp_path / name
    file.write_bytes(content)
    [found] = doctor(str(file))["files"]
    assert found["format"] is None or not found["commands"]
    assert found["findings"]
    cli("doctor", str(file))


def test_no_files():
    [device, folder, missing] = ["/dev/null", str(Path(__file__).parent), "no/such/file.csv"]
    assert doctor(device)["files"][0]["format"] is None
    assert doctor(folder)["files"][0]["format"] is None
    _, err = cli("doctor", device, missing, expect=2)
    assert "no/such/file.csv: no such file" in err
    _, err = cli("doctor", "null\0byte", expect=2)


def test_text_fits_in_80_columns(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(folder)
    out, _ = cli("doctor", "scores.csv", "raw_answers.jsonl", "judgments.csv")
    assert max(map(len, out.splitlines())) <= 80
    assert "  fastcausal meta scores.csv judgments.csv\n" in out
    out, _ = cli("doctor", "lm_run_a.jsonl", "lm_run_b.jsonl", "values_a.csv")
    assert max(map(len, out.splitlines())) <= 80


def test_columns_of_objects_are_no_clusters(tmp_path):
    path = tmp_path / "values.jsonl"
    rows = [{"id": k, "value": k % 2, "topic": {"name": "x"}} for k in range(4)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    [found] = json.loads(cli("doctor", path, "--json")[0])["files"]
    assert (found["format"], found["rows"]) == ("table", 4)
    assert not found["clusters"]

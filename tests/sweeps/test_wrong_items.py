"""`errors` and `report` of logs, tables, counts, labels and questions: items and their texts."""

from __future__ import annotations

import json
import random

import pytest

import fastcausal as fc
from fastcausal import sample
from tests.support.cli import cli
from tests.support.logs import eval_log
from tests.support.logs import sample as log_sample


def shown(*arguments, top=1000):
    return json.loads(cli("errors", *arguments, "--top", top, "--json")[0])


def test_the_worst_items_come_first_with_their_texts(tmp_path):
    chance = random.Random(5)
    samples = []
    for k in range(30):
        level = chance.choice([0, 0.4, 1])
        for epoch in (1, 2, 3):
            error = {"message": "boom"} if chance.random() < 0.1 or k == 7 else None
            scores = {} if error else {"match": "CI"[chance.random() >= level]}
            said = {"choices": [{"message": {"role": "assistant", "content": f"{k} so\n{epoch}"}}]}
            samples.append(log_sample(k, epoch, scores, error) | {"output": said})
    log = eval_log(tmp_path / "a.eval", samples)

    expected = {}
    for each in samples:
        own = expected.setdefault(str(each["id"]), {"right": 0, "n": 0, "crashed": 0})
        value = each["scores"].get("match", {}).get("value")
        own["n"] += value is not None
        own["right"] += value == "C"
        own["crashed"] += value is None
    wrong = {id: own for id, own in expected.items() if own["crashed"] or own["right"] < own["n"]}
    means = {id: own["right"] / own["n"] if own["n"] else -1 for id, own in wrong.items()}
    worst = sorted(wrong, key=lambda id: (means[id], int(id)))
    assert worst[0] == "7"

    found = shown(log)
    assert (found["n_items"], found["n_wrong"]) == (30, len(wrong))
    assert 5 < len(wrong) < 30
    assert [item["id"] for item in found["items"]] == worst
    for item in found["items"]:
        assert {name: item[name] for name in ("n", "right", "crashed")} == wrong[item["id"]]
        assert (item["input"], item["target"]) == (f"{item['id']}?", "x")
        texts = [answer["text"] for answer in item["answers"]]
        assert texts == [
            "request failed: boom" if each["error"] else f"{each['id']} so\n{each['epoch']}"
            for each in samples if str(each["id"]) == item["id"]
        ]  # fmt: skip
        values = [answer["value"] for answer in item["answers"]]
        assert values.count(None) == item["crashed"]
        assert values.count(1) == item["right"]
    assert [item["id"] for item in shown(log, top=3)["items"]] == worst[:3]


def test_labels_and_questions_have_the_texts_of_both_sides():
    found = shown(
        sample.CHOICES, sample.CHOSEN["chatty"], "--task", "classify", "--set", "answers=binary"
    )
    items = {item["id"]: item for item in found["items"]}
    assert items["q2"]["input"] == "Does the siren make the fire more likely?"
    assert items["q2"]["target"] == "no"
    assert items["q2"]["answers"] == [{"value": 0.0, "text": "Nothing says so."}]
    found = shown(sample.CAUSES, sample.CAUSES_CAREFUL, "--task", "qa",
                  "--set", "protocol=fincausal-2025")  # fmt: skip
    assert [item["id"] for item in found["items"]] == ["2.a", "2.b", "3"]
    assert found["items"][0]["answers"] == [{"value": 0.0, "text": "Aster Corp. closed"}]
    assert found["items"][0]["target"] == "Aster Corp. closed its works."


def test_counts_have_items_too(tmp_path):
    report = fc.score(sample.GOLD, sample.SYSTEMS["careful"])
    report.statistics.write(tmp_path / "careful.parquet")
    found = shown(tmp_path / "careful.parquet")
    rows = report.per_example.to_pylist()
    wrong = [
        row["id"] for row in rows
        if any(n for name, n in row.items() if name.endswith(("fp", "fn", "le", "be")))
    ]  # fmt: skip
    assert {item["id"] for item in found["items"]} == {*wrong}
    assert all(item["input"] is None and item["answers"] == [] for item in found["items"])
    text = cli("errors", tmp_path / "careful.parquet", "--top", 1)[0]
    assert found["items"][0]["id"] in text


def test_pages_of_runs(tmp_path):
    logs = [sample.FOLDER / f"run_{name}.eval" for name in "ab"]
    out = tmp_path / "page.html"
    said = json.loads(cli("report", *logs, "--out", out, "--examples", 25, "--json")[0])
    assert (said["n_examples"], said["n_left_out"], said["n_systems"]) == (40, 15, 2)
    assert "15 of 40 items are left out" in said["warnings"][0]
    assert "2 answers" not in cli("report", logs[0], "--out", out)[0]
    cli("report", sample.CHOICES, *sample.CHOSEN.values(), "--task", "classify",
        "--set", "answers=binary", "--out", out)  # fmt: skip
    assert "careful" in out.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("errors", "run_a.eval", "--suspect"), "is for relations"),
        (("errors", "run_a.eval", "--unparsed", "empty"), "is for predictions against gold"),
        (("errors", "gold.csv", "careful.jsonl", "--score", "x"), "is for logs, tables"),
        (("report", "run_a.eval", "--kernel", "exact_spans", "--out", "x.html"), "name GOLD first"),
        (("report", "run_a.eval", "--by", "doc", "--out", "x.html"), "is for relations"),
        (("errors", "values_a.csv", "--score", "other"), "other"),
    ],
)
def test_what_is_refused(arguments, message, tmp_path, monkeypatch):
    sample.copy_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert message in cli(*arguments, expect=2)[1]
    assert not (tmp_path / "x.html").exists()

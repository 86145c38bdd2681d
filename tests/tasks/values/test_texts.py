"""Texts of input and answers, read again from the source for some examples alone."""

from __future__ import annotations

import json

from fastcausal.tasks.values.answers import Text
from fastcausal.tasks.values.files import read_answers
from fastcausal.tasks.values.reading import ValueReading
from fastcausal.tasks.values.tables import texts_beside
from tests.support.logs import eval_log, json_log, lm_rows, lm_samples, sample


def texts_of(source, ids, **reading):
    [answers] = read_answers(source, ValueReading(**reading))
    return sorted(answers.texts(ids), key=lambda text: (text.id, text.epoch or 0))


def said(text):
    return {"choices": [{"message": {"role": "assistant", "content": text}}]}


def test_an_archive_and_its_json_have_the_same_texts(tmp_path):
    long = "word " * 3_000
    samples = [
        sample("a", 1, {"match": 1}, input=long, target=["x", "y"]) | {"output": said("one\n two")},
        sample("a", 2, {"match": 0}, input=long) | {"output": said("attachment://d1"),
                                                    "attachments": {"d1": "attached"}},
        sample("b", 1, {"match": 0}) | {"output": said("unasked")},
        sample("c", 1, {"match": 0}, error={"message": "boom"}, input=[
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "Why?"}, {"type": "image"}]},
        ]),
    ]  # fmt: skip
    expected = [
        Text("a", 1, long, "x\ny", "one\n two"),
        Text("a", 2, long, "x", "attached"),
        Text("c", 1, "system: Be brief.\n\nuser: Why?\n(Image)", "x", "request failed: boom"),
    ]
    for log in (
        eval_log(tmp_path / "a.eval", samples),
        eval_log(tmp_path / "b.eval", samples, summaries=False),
        json_log(tmp_path / "a.json", samples),
    ):
        assert texts_of(log, {"a", "c"}) == expected


def test_samples_of_lm_eval_have_prompts_and_options(tmp_path):
    own = {
        0: ([["Say yes", {"until": ["\n"]}]], [["yes\n sir"]], ["yes"]),
        1: ({"gen_args_0": {"arg_0": "Say no", "arg_1": {"until": []}}}, [["no"]], ["no"]),
        2: ([["Pick:", " left"], ["Pick:", " right"]], [[[-2.5, False]], [[-0.5, True]]],
            [[-2.5, False], [-0.5, True]]),
    }  # fmt: skip
    rows = [
        row | dict(zip(("arguments", "resps", "filtered_resps"), own[row["doc_id"]], strict=True))
        for row in lm_rows(1, n=3)
    ]
    path = lm_samples(tmp_path, rows)
    assert texts_of(path, {"0", "1", "2"}, scores=("exact_match,strict",)) == [
        Text("0", None, "Say yes", "no", "yes\n sir"),
        Text("1", None, "Say no", "no", "no"),
        Text("2", None, "Pick:", "no", " left: [-2.5, false]\n right: [-0.5, true]"),
    ]


def test_tables_have_columns_of_texts(tmp_path):
    rows = [
        {"id": "a", "epoch": 1, "value": 1, "prompt": "Why?", "response": " so\n"},
        {"id": "a", "epoch": 2, "value": 0, "prompt": "Why?", "response": None},
        {"id": "b", "epoch": 1, "value": 0, "prompt": "How?", "response": {"cause": "é"}},
    ]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    expected = [
        Text("a", 1, "Why?", None, " so\n"),
        Text("a", 2, "Why?"),
        Text("b", 1, "How?", None, '{"cause": "é"}'),
    ]
    assert texts_of(path, {"a", "b"}) == expected
    assert texts_of(path, {"b"}) == expected[2:]
    (tmp_path / "c.jsonl").write_text('{"id": "a", "value": 1, "input": "half \\ud800"}\n')
    assert texts_of(tmp_path / "c.jsonl", {"a"}) == [Text("a", None, "half \\ud800")]
    (tmp_path / "b.csv").write_text("id,value,note\na,1,x\n")
    assert texts_of(tmp_path / "b.csv", {"a"}) == []


def test_gold_and_predictions_meet_by_id_or_by_position(tmp_path):
    gold = [{"id": f"g{k}", "text": f"t{k}", "label": k % 2} for k in range(3)]
    by_id = [{"id": f"g{k}", "answer": f"a{k}"} for k in (2, 0)]
    by_position = [{"index": k, "prediction": [f"p{k}", "q"]} for k in range(3)]
    other = [{"index": k, "prediction": "p"} for k in range(2)]
    assert [*texts_beside(gold, by_id, {"g0", "g1"})] == [
        Text("g0", None, "t0", "0", "a0"),
        Text("g1", None, "t1", "1"),
    ]
    assert [*texts_beside(gold, by_position, {"g1"})] == [Text("g1", None, "t1", "1", "p1\nq")]
    assert [*texts_beside(gold, other, {"g1"})] == [Text("g1", None, "t1", "1")]
    (tmp_path / "x.ann").write_text("T1\tCause 0 4\tRain\n")
    assert [*texts_beside(tmp_path / "x.ann", by_id, {"g0"})] == [Text("g0", answer="a0")]

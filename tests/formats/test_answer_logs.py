"""Answers in logs as they are written: batches, responses, messages, samples of harnesses."""

from __future__ import annotations

import json
import zipfile

import pytest

import fastcausal as fc
from fastcausal.formats.logs.replies import LOGS, failed, log_of
from tests.support.cli import cli

from .test_answers import CASES

FEW = CASES[:60]
GOLD = fc.Relations.from_examples(
    [{"id": case.id, "text": case.text, "relations": case.gold} for case in FEW]
)
FLAT = [{"id": case.id, "output": case.answer} for case in FEW]
HEADER = {"version": 2, "status": "success", "eval": {"model": "m", "task": "causal"}}


def message(answer):
    return {"role": "assistant", "content": answer}


def completion(answer):
    choices = [{"index": 0, "message": message(answer), "finish_reason": "stop"}]
    return {"id": "chatcmpl-1", "object": "chat.completion", "choices": choices, "usage": {}}


def response(answer):
    text = {"type": "output_text", "text": answer, "annotations": []}
    output = [{"type": "reasoning", "summary": []}, {"type": "message", "content": [text]}]
    schema = {"properties": {"relations": {"items": {"cause": {"type": "string"}}}}}
    return {"object": "response", "output": output, "text": {"format": {"schema": schema}}}


def batched(case, body):
    response = {"status_code": 200, "request_id": "r", "body": body}
    return {"id": "batch_1", "custom_id": case.id, "response": response, "error": None}


def claude(case):
    parts = [{"type": "thinking", "thinking": "{}"}, {"type": "text", "text": case.answer}]
    said = {"type": "message", "role": "assistant", "content": parts, "usage": {}}
    return {"custom_id": case.id, "result": {"type": "succeeded", "message": said}}


def sample(case, filter="none"):
    return {
        "doc_id": int(case.id[1:]), "doc": {"id": case.id}, "target": "", "filter": filter,
        "resps": [[case.answer]], "filtered_resps": [case.answer], "doc_hash": "0",
    }  # fmt: skip


def prompted(case):
    return {
        "testIdx": int(case.id[1:]), "promptIdx": 0, "testCase": {}, "vars": {"id": case.id},
        "response": {"output": case.answer}, "error": "Expected output to contain x",
    }  # fmt: skip


def instance(case):
    return {
        "evaluation_id": "e", "model_id": "m", "sample_id": case.id, "evaluation": {"score": 1},
        "interaction_type": "single_turn", "output": {"raw": [case.answer]}, "messages": None,
    }  # fmt: skip


def turns(case):
    said = [
        {"turn_idx": 0, "role": "user", "content": "[]"},
        {"turn_idx": 1, **message(case.answer)},
    ]
    return instance(case) | {"interaction_type": "multi_turn", "output": None, "messages": said}


def shown(case):
    return {"instance_id": case.id, "train_trial_index": 0, "predicted_text": case.answer}


def inspected(case):
    output = {"choices": [{"message": message(case.answer)}], "completion": case.answer}
    return {"id": case.id, "epoch": 1, "input": case.text, "output": output, "scores": {}}


ROWS = {
    "batch of OpenAI": lambda case: batched(case, completion(case.answer)),
    "batch of responses": lambda case: batched(case, response(case.answer)),
    "batch of Anthropic": claude,
    "samples of lm-eval": sample,
    "results of promptfoo": prompted,
    "Every Eval Ever": instance,
    "turns of Every Eval Ever": turns,
    "predictions of HELM": shown,
    "completions": lambda case: completion(case.answer),
    "completions of text": lambda case: {"id": case.id, "choices": [{"text": case.answer}]},
    "responses": lambda case: response(case.answer),
    "outputs of vLLM": lambda case: {"id": case.id, "outputs": [{"text": case.answer}]},
    "message": lambda case: {"type": "message", "id": "msg_1"} | message(case.answer),
    "messages": lambda case: {
        "id": case.id,
        "messages": [{"role": "user", "content": "[]"}, message(case.answer)],
    },
}


def written(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def same_as_flat(read):
    flat = fc.read(FLAT, answers="output", like=GOLD)
    assert read.table["relations"].equals(flat.table["relations"])
    assert read.reading.notes == flat.reading.notes
    assert read.unparsed.column("reason").equals(flat.unparsed.column("reason"))
    assert read.ids.equals(GOLD.ids)


@pytest.mark.parametrize("name", ROWS)
def test_rows(name, tmp_path):
    rows = [*map(ROWS[name], FEW)]
    same_as_flat(fc.read(written(tmp_path / "log.jsonl", rows), like=GOLD))
    (tmp_path / "log.json").write_text(json.dumps(rows, indent=1))
    same_as_flat(fc.read(tmp_path / "log.json", like=GOLD))
    same_as_flat(fc.read(rows, "answers", like=GOLD))


def test_inspect_logs(tmp_path):
    samples = [*map(inspected, FEW)]
    (tmp_path / "log.json").write_text(json.dumps(HEADER | {"samples": samples}, indent=1))
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as log:
        log.writestr("header.json", json.dumps(HEADER))
        for each in samples:
            log.writestr(f"samples/{each['id']}_epoch_1.json", json.dumps(each))
    same_as_flat(fc.read(tmp_path / "log.json", like=GOLD))
    by_score = fc.score(GOLD, tmp_path / "log.eval", unparsed="empty")
    assert (
        by_score["overall"] == fc.score(GOLD, FLAT, answers="output", unparsed="empty")["overall"]
    )


def test_a_sample_that_is_no_object_is_named(tmp_path):
    path = tmp_path / "log.json"
    path.write_text(json.dumps(HEADER | {"samples": [inspected(FEW[0]), [{"id": "x"}]]}))
    with pytest.raises(fc.InputError, match=r"log.json: samples\[1\]: .*, expected an object"):
        fc.read(path, like=GOLD)


def test_every_form_is_tried():
    rows = [*(make(FEW[0]) for make in ROWS.values()), inspected(FEW[0])]
    assert {log_of(row) for row in rows} == set(LOGS)


def test_filters_of_lm_eval_repeat_the_same_replies(tmp_path):
    rows = [sample(case, name) for name in ("strict", "loose") for case in FEW]
    same_as_flat(fc.read(written(tmp_path / "samples_causal.jsonl", rows), like=GOLD))


def test_calls():
    said = {"relations": [{"cause": "Rain", "effect": "floods"}]}
    call = {"type": "function", "function": {"name": "report", "arguments": json.dumps(said)}}
    use = {"type": "tool_use", "name": "report", "input": said}
    item = {"type": "function_call", "name": "report", "arguments": json.dumps(said)}
    rows = [
        {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [call]}}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Let me see."}, use]},
        {"output": [{"type": "reasoning"}, item]},
    ]
    read = fc.read([{"text": "Rain so floods", "output": row} for row in rows], answers="output")
    relation = [{"cause": [(0, 1)], "effect": [(2, 3)]}]
    assert [example["relations"] for example in read.to_examples()] == [relation] * 3


def test_further_replies_are_counted():
    choices = [{"text": "[]"}, {"text": "[]"}]
    read = fc.read([{"text": "Rain .", "output": {"choices": choices}}], answers="output")
    assert read.reading.notes == {"further answer left out": 1}


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"custom_id": "a", "result": {"type": "expired"}}, "expired"),
        (
            {
                "custom_id": "a",
                "result": {
                    "type": "errored",
                    "error": {"type": "error", "error": {"message": "Over\nloaded"}},
                },
            },
            "Over loaded",
        ),
        ({"custom_id": "a", "response": None, "error": {"code": "batch_expired"}}, "batch_expired"),
        (
            {
                "custom_id": "a",
                "response": {"status_code": 429, "body": {"error": {"message": "Slow down"}}},
                "error": None,
            },
            "Slow down",
        ),
        ({"custom_id": "a", "response": {"status_code": 500, "body": None}}, "500"),
        ({"error": "overloaded", "details": {}}, "overloaded"),
        ({"id": "a", "epoch": 1, "scores": {}, "error": {"message": "timeout"}}, "timeout"),
        ({"id": "a", "epoch": 1, "scores": {}, "output": {"error": "filtered"}}, "filtered"),
    ],
)
def test_failed_requests(row, reason):
    read = fc.read([{"text": "Rain .", "output": row}], answers="output")
    assert read.unparsed["reason"].to_pylist() == [f"request failed: {reason}"]


def test_a_failed_request_beside_others(tmp_path):
    rows = [batched(case, completion(case.answer)) for case in FEW]
    rows[1] |= {"response": {"status_code": 503, "body": {"error": "overloaded"}}}
    path = written(tmp_path / "log.jsonl", rows)
    for how in ({}, {"answers": "response.body.choices.0.message.content"}):
        lost = fc.read(path, like=GOLD, **how).unparsed.to_pylist()
        assert lost[0] == {
            "id": FEW[1].id, "relation": None, "reason": "request failed: overloaded", "text": None,
        }  # fmt: skip
    assert repr(failed(None)) == "UnreadError('request failed: no response')"


def test_paths(tmp_path):
    rows = [{"meta": {"key": c.id}, "a": {"b": [{"c": c.answer}]}} for c in FEW]
    path = written(tmp_path / "own.jsonl", rows)
    same_as_flat(fc.read(path, like=GOLD, answers="a.b.0.c", id="meta.key"))
    same_as_flat(fc.read(rows, like=GOLD, answers="a.b.0.c", id="meta.key"))
    fc.write(GOLD, tmp_path / "gold.parquet")
    out = cli(
        "score", tmp_path / "gold.parquet", path, "--answers", "a.b.0.c", "--id", "meta.key",
        "--unparsed", "empty", "--json",
    )[0]  # fmt: skip
    flat = fc.score(GOLD, FLAT, answers="output", unparsed="empty")
    assert json.loads(out)["scores"]["overall"]["f1"] == flat["overall"].f1
    with pytest.raises(fc.InputError, match=r'own\.jsonl: no column "a\.b\.1\.c": found meta, a$'):
        fc.read(path, like=GOLD, answers="a.b.1.c")
    with pytest.raises(fc.InputError, match=r'own\.jsonl:1: no "meta.no"'):
        fc.read(path, like=GOLD, answers="a.b.0.c", id="meta.no")


def test_ids_that_gold_lacks(tmp_path):
    rows = [ROWS["batch of OpenAI"](case) for case in FEW]
    for k, row in enumerate(rows):
        row["custom_id"] = f"req-{k}"
    path = written(tmp_path / "log.jsonl", rows)
    with pytest.raises(fc.InputError) as error:
        fc.score(GOLD, path)
    assert str(error.value) == (
        f'{path}:1: "custom_id" is "req-0", and gold has no id of this file: its "id" is '
        f'"{FEW[0].id}" in the first example; id="PATH" would name another column of ids'
    )
    rows[0]["custom_id"] = FEW[0].id
    written(path, rows)
    lost = fc.read(path, like=GOLD).unparsed["reason"].to_pylist()
    assert lost == [f'gold has no "req-{k}", and the answer no text' for k in range(1, len(FEW))]
    assert fc.score(GOLD, path, unmatched="skip", unparsed="skip")["overall"].tp >= 0


def test_tables_are_no_logs(tmp_path):
    for row in (
        {"id": "a", "output": "[]"},
        {"custom_id": "a", "response": "[]"},
        {"question": "Why?", "choices": ["a", "b"]},
        {"doc_id": 3, "value": 1},
        {"messages": []},
    ):
        assert log_of(row) is None
        with pytest.raises(fc.InputError):
            fc.read(written(tmp_path / "a.jsonl", [row, row]))

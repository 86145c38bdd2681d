"""Replies of models in responses of APIs, in batches of requests and in rows of logs.

Every form of a row is a record in `LOGS`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from fastcausal.files.values import follow_path
from fastcausal.formats.reading.builder import UnreadError

Row = Mapping[str, Any]
FURTHER = "further answer left out"
_SAMPLE = ("doc_hash", "resps", "filtered_resps", "metrics")  # a sample has one, besides doc_id
_TEXTS = ("text", "output_text")  # types of parts; others hold reasoning, calls, pictures


class Log(NamedTuple):
    """The form of a row."""

    name: str
    holds: Callable[[Row], bool]  # Recognises a row
    # Takes a row and a counter of notes; returns the reply: text, or a value of JSON. It
    # raises UnreadError for a failed request.
    reply: Callable[[Row, Counter[str]], Any]
    # Paths of the example's id; the first with a value in every row counts
    ids: tuple[str, ...] = ("custom_id", "id")
    several: str = ""  # The path of a list of answers to one request


def log_of(row: Any) -> Log | None:
    """Return the form of a row; None for a row of another table."""
    if not isinstance(row, Mapping):
        return None
    return next((log for log in LOGS if log.holds(row)), None)


def reply_of(row: Any, notes: Counter[str]) -> Any:
    """Return the reply in a row of a log or in a response; return other values unchanged.

    >>> reply_of({"choices": [{"message": {"role": "assistant", "content": "[]"}}]}, Counter())
    '[]'
    >>> reply_of({"custom_id": "a", "result": {"type": "expired"}}, Counter())
    Traceback (most recent call last):
    fastcausal.formats.reading.builder.UnreadError: request failed: expired
    """
    log = log_of(row)
    return row if log is None else log.reply(row, notes)


def split_answers(row: Row) -> list[Row]:
    """Return a row for each of the answers to one request.

    >>> split_answers({"id": 1, "choices": [{"text": "a"}, {"text": "b"}]})
    [{'id': 1, 'choices': [{'text': 'a'}]}, {'id': 1, 'choices': [{'text': 'b'}]}]
    """
    log = log_of(row)
    items = follow_path(row, log.several) if log and log.several else None
    if not isinstance(items, list) or len(items) < 2:
        return [row]
    assert log is not None
    return [_put(row, log.several.split("."), [item]) for item in items]


def _put(value: Any, path: Sequence[str], new: Any) -> Any:
    """Return a value with another one at a path."""
    if not path:
        return new
    key, *rest = path
    if isinstance(value, list):
        return [_put(each, rest, new) if k == int(key) else each for k, each in enumerate(value)]
    return {**value, key: _put(value[key], rest, new)}


def ids_in(rows: Sequence[Row], log: Log) -> str | None:
    """Return the path of the ids; None if rows are identified by their order."""
    paths = [path for path in log.ids if path != "id" or not any(map(_is_response, rows))]
    return next((p for p in paths if all(follow_path(row, p) is not None for row in rows)), None)


def failed(error: Any) -> UnreadError:
    """Return the reason for a request that failed with this error."""
    while isinstance(error, Mapping):
        known = (error.get(key) for key in ("error", "message", "type", "code", "status"))
        error = next((value for value in known if value), None)
    return UnreadError(f"request failed: {' '.join(str(error or 'no response').split())[:200]}")


def is_sample(row: Any) -> bool:
    """Return True for a row of lm-eval's samples."""
    return isinstance(row, Mapping) and "doc_id" in row and any(key in row for key in _SAMPLE)


def _is_response(row: Row) -> bool:
    """Return True for the response of an API; its id belongs to the request, not to an example."""
    return "object" in row or row.get("type") == "message"


def _lists(key: str, *keys: str) -> Callable[[Row], bool]:
    """Recognise a row by a list of objects that have one of these keys."""

    def holds(row: Row) -> bool:
        items = row.get(key)
        first = items[0] if isinstance(items, list) and items else None
        return isinstance(first, Mapping) and any(key in first for key in keys)

    return holds


def _has(key: str, outcome: str) -> Callable[[Row], bool]:
    """Recognise a row by a key beside an outcome, which is an object, or null if all failed."""
    return lambda row: key in row and outcome in row and isinstance(row[outcome], Mapping | None)


def _first(items: Any, notes: Counter[str]) -> Any:
    """Return the first of several replies to a request, and count the others."""
    if not isinstance(items, list) or not items:
        return None
    notes[FURTHER] += len(items) - 1
    return items[0]


def _read_batch(row: Row, notes: Counter[str]) -> Any:
    """Return the reply in a line of a batch of OpenAI and of vLLM."""
    response = row.get("response")
    if not isinstance(response, Mapping):
        raise failed(row.get("error"))
    body = response.get("body")
    status = response.get("status_code")
    if row.get("error") or (isinstance(status, int) and status >= 400):
        raise failed(row.get("error") or body or status)
    return reply_of(body, notes)


def _read_result(row: Row, notes: Counter[str]) -> Any:
    """Return the reply in a line of a batch of Anthropic."""
    result = row.get("result")
    if not isinstance(result, Mapping) or not isinstance(result.get("message"), Mapping):
        raise failed(result)
    return _read_message(result["message"])


def _read_choices(row: Row, notes: Counter[str]) -> Any:
    choice = _first(row["choices"], notes)
    message = choice.get("message")
    return _read_message(message) if isinstance(message, Mapping) else choice.get("text")


def _read_message(message: Row) -> Any:
    """Return the text of a message, or the arguments of its calls."""
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    calls = message.get("tool_calls")
    called = _calls([*parts, *(calls if isinstance(calls, list) else [])])
    if called:
        return called
    return _text(parts) or message.get("refusal") if content is None or parts else content


def _read_items(row: Row, notes: Counter[str]) -> Any:
    """Return the reply in the items of a response: messages, calls, reasoning."""
    items = [item for item in row["output"] if isinstance(item, Mapping)]
    messages = [item for item in items if item.get("type") == "message"]
    return _calls(items) or (_read_message(messages[-1]) if messages else None)


def _read_messages(row: Row, notes: Counter[str]) -> Any:
    """Return the last message of the model."""
    said = [m for m in row["messages"] if isinstance(m, Mapping) and m.get("role") == "assistant"]
    return _read_message(said[-1]) if said else None


def _read_sample(row: Row, notes: Counter[str]) -> Any:
    replies = row.get("resps") or row.get("filtered_resps")
    while isinstance(replies, list) and replies:
        replies = _first(replies, notes)
    return replies or None


def _read_inspected(row: Row, notes: Counter[str]) -> Any:
    output = row.get("output")
    if row.get("error"):
        raise failed(row["error"])
    if not isinstance(output, Mapping):
        return None
    if output.get("error"):
        raise failed(output["error"])
    reply = _read_choices(output, notes) if output.get("choices") else output.get("completion")
    if isinstance(reply, str) and reply.startswith("attachment://"):
        return follow_path(row.get("attachments"), reply.removeprefix("attachment://"))
    return reply


def _read_tested(row: Row, notes: Counter[str]) -> Any:
    """Return the output in a row of promptfoo; a failed assertion leaves its error beside it."""
    output = follow_path(row, "response.output")
    if output is None:
        raise failed(row.get("error"))
    return output


def _read_instance(row: Row, notes: Counter[str]) -> Any:
    """Return the output of one turn, or the last message of several."""
    if row.get("error"):
        raise failed(row["error"])
    if isinstance(row.get("messages"), list):
        return _read_messages(row, notes)
    return _first(follow_path(row, "output.raw"), notes)


def _text(parts: Iterable[Any]) -> str:
    texts = (p.get("text") for p in parts if isinstance(p, Mapping) and p.get("type") in _TEXTS)
    return "".join(text for text in texts if isinstance(text, str))


def _calls(items: Iterable[Any]) -> list[Row]:
    """Return the calls among items, each with its name and arguments."""
    calls: list[Row] = []
    for item in items:
        held = item.get("function") if isinstance(item, Mapping) else None
        call = held if isinstance(held, Mapping) else item
        if isinstance(call, Mapping):
            given = call.get("input" if call.get("type") == "tool_use" else "arguments")
            calls += [] if given is None else [{"name": "call", "arguments": given}]
    return calls


# The first that recognises a row counts.
LOGS = (
    Log("batch of OpenAI or vLLM", _has("custom_id", "response"), _read_batch, ("custom_id",),
        "response.body.choices"),
    Log("batch of Anthropic", _has("custom_id", "result"), _read_result, ("custom_id",)),
    Log("log of inspect-ai", _has("epoch", "scores"), _read_inspected, ("id",), "output.choices"),
    Log("samples of lm-eval", is_sample, _read_sample, ("doc.id", "doc_id"), "resps.0"),
    # Rows of promptfoo come in any order: without ids of their own, they are known by their tests.
    Log("results of promptfoo", _has("testIdx", "testCase"), _read_tested, ("vars.id", "testIdx")),
    Log("Every Eval Ever", _has("sample_id", "evaluation"), _read_instance, ("sample_id",)),
    Log(
        "predictions of HELM",
        lambda row: "instance_id" in row and "predicted_text" in row,
        lambda row, _: row["predicted_text"],
        ("instance_id",),
    ),
    Log("completions", _lists("choices", "message", "text"), _read_choices, several="choices"),
    Log("responses", _lists("output", "type"), _read_items),
    Log("outputs of vLLM", _lists("outputs", "text"), lambda r, n: _first(r["outputs"], n)["text"],
        several="outputs"),
    Log("message", lambda row: row.get("role") == "assistant", lambda row, _: _read_message(row)),
    Log("messages", _lists("messages", "role"), _read_messages),
)  # fmt: skip

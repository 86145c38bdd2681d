"""Prompts as requests of an OpenAI batch, and what comes back from it.

A line of either file has the id of its prompt as ``custom_id``: results come in any order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from fastcausal.errors import Problems
from fastcausal.files.records import Records
from fastcausal.files.values import kind

ID, RESPONSE = "custom_id", "response"
URL = "/v1/chat/completions"
TEXT = ("body", "choices", 0, "message", "content")
DONE = 200  # the status of a request with a result


def requests(prompts: pa.Table, model: str) -> pa.Table:
    """Return a request for each prompt.

    Examples
    --------
    >>> prompts = pa.table({"id": ["4/1/2"], "prompt": ["Did it?"]})
    >>> [request] = requests(prompts, "m").to_pylist()
    >>> request["custom_id"], request["body"]
    ('4/1/2', {'model': 'm', 'messages': [{'role': 'user', 'content': 'Did it?'}]})
    """
    bodies = [
        {"model": model, "messages": [{"role": "user", "content": text}]}
        for text in prompts["prompt"].to_pylist()
    ]
    n = len(prompts)
    return pa.table(
        {ID: prompts["id"], "method": ["POST"] * n, "url": [URL] * n, "body": pa.array(bodies)}
    )


def is_batch(records: Records) -> bool:
    """Return True for the results of a batch."""
    return ID in records and RESPONSE in records


def answers_of(records: Records, column: str) -> Records:
    """Return the answers in the results of a batch, by ``id``; a failed request has none.

    Raises
    ------
    InputError
        A result without an error has no text.

    Examples
    --------
    >>> body = {"choices": [{"message": {"content": "Yes"}}]}
    >>> results = Records("out.jsonl", [
    ...     {"custom_id": "4/1/3", "response": {"status_code": 200, "body": body}},
    ...     {"custom_id": "4/1/2", "response": None, "error": {"code": "batch_expired"}},
    ... ])
    >>> answers_of(results, "prediction").objects()
    [{'id': '4/1/3', 'prediction': 'Yes'}, {'id': '4/1/2', 'prediction': None}]
    """
    problems = Problems()
    rows = [
        {"id": row.get(ID), column: _text(row, lambda k=k: records.where(k), problems)}
        for k, row in enumerate(records.objects())
    ]
    problems.raise_if_any()
    return Records(records.name, rows, lines=records.lines)


def _text(row: Mapping[str, Any], where: Any, problems: Problems) -> str | None:
    """Return the text of a result, None of a failed request."""
    value: Any = row.get(RESPONSE)
    if value is None or (isinstance(value, Mapping) and value.get("status_code") != DONE):
        return None
    path = RESPONSE
    for step in TEXT:
        path += f"[{step}]" if isinstance(step, int) else f".{step}"
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            problems.add(f'{where()}: no "{path}", and no error either')
            return None
    if not (value is None or isinstance(value, str)):
        problems.add(f'{where()}: "{path}" is {kind(value)}, expected a text')
        return None
    return value

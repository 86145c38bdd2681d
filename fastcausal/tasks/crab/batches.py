"""Prompts as requests of an OpenAI batch, and answers in the logs of models.

A line of a batch has the id of its prompt as ``custom_id``: results come in any order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from fastcausal.errors import Problems
from fastcausal.files.records import Records
from fastcausal.files.values import at, kind
from fastcausal.formats.logs.replies import Log, ids_in, log_of
from fastcausal.formats.reading.builder import UnreadError

ID = "custom_id"
URL = "/v1/chat/completions"


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


def answers_of(records: Records, column: str) -> Records:
    """Return the answers in the log of a model, by ``id``, other tables unchanged.

    The answer of a failed request is null.

    Raises
    ------
    InputError
        A reply is no text.

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
    rows = records.objects()
    log = log_of(rows[0]) if len(rows) else None
    if log is None:
        return records
    problems = Problems()
    answers: dict[str, Sequence[Any]] = {}
    if (path := ids_in(rows, log)) is not None:
        answers["id"] = [at(row, path) for row in rows]
    answers[column] = [_text(log, row, records.where(k), problems) for k, row in enumerate(rows)]
    problems.raise_if_any()
    cells = [dict(zip(answers, row, strict=True)) for row in zip(*answers.values(), strict=True)]
    return Records(records.name, cells, lines=records.lines)


def _text(log: Log, row: Mapping[str, Any], where: str, problems: Problems) -> str | None:
    """Return the text of a reply, None of a failed request."""
    try:
        reply = log.reply(row, Counter())
    except UnreadError:
        return None
    if not (reply is None or isinstance(reply, str)):
        problems.add(f"{where}: the reply is {kind(reply)}, expected a text")
        return None
    return reply

"""Answers in the logs of models, as a table of texts by id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from fastcausal.errors import Problems
from fastcausal.files.records import Records
from fastcausal.files.values import follow_path, kind
from fastcausal.formats.logs.replies import Log, ids_in, log_of
from fastcausal.formats.reading.builder import UnreadError


def answers_of(records: Records, column: str) -> Records:
    """Return the answers in the log of a model, by ``id``; return other tables unchanged.

    >>> body = {"choices": [{"message": {"content": "Yes"}}]}
    >>> results = Records("out.jsonl", [
    ...     {"custom_id": "4/1/3", "response": {"status_code": 200, "body": body}},
    ...     {"custom_id": "4/1/2", "response": None, "error": {"code": "batch_expired"}},
    ... ])
    >>> answers_of(results, "prediction").objects()
    [{'id': '4/1/3', 'prediction': 'Yes'}, {'id': '4/1/2', 'prediction': None}]
    """
    # The answer of a failed request is null.
    rows = records.objects()
    log = log_of(rows[0]) if len(rows) else None
    if log is None:
        return records
    problems = Problems()
    answers: dict[str, Sequence[Any]] = {}
    if (path := ids_in(rows, log)) is not None:
        answers["id"] = [follow_path(row, path) for row in rows]
    answers[column] = [_text(log, row, records.locate(k), problems) for k, row in enumerate(rows)]
    problems.raise_if_any()
    cells = [dict(zip(answers, row, strict=True)) for row in zip(*answers.values(), strict=True)]
    return Records(records.name, cells, lines=records.lines)


def _text(log: Log, row: Mapping[str, Any], where: str, problems: Problems) -> str | None:
    """Return the text of a reply; None for a failed request."""
    try:
        reply = log.reply(row, Counter())
    except UnreadError:
        return None
    if not (reply is None or isinstance(reply, str)):
        problems.add(f"{where}: the reply is {kind(reply)}, expected a text")
        return None
    return reply

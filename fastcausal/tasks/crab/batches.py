"""Prompts as requests of an OpenAI batch.

A line of a batch has the id of its prompt as ``custom_id``, since results come in any order.
"""

from __future__ import annotations

import pyarrow as pa

ID = "custom_id"
URL = "/v1/chat/completions"


def requests(prompts: pa.Table, model: str) -> pa.Table:
    """Return a request for each prompt.

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

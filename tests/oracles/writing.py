"""Files of relations, written in plain Python a line at a time.

Sources: docs/formats.md; the modules csv and json for quotes and escapes. Shares nothing with the
package. An example is a dict: id, text, relations (lists of (role, start, stop), or None), and
further columns, which are texts.
"""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

Span = tuple[int, int, int]
ROLES = ("cause", "effect", "signal")
TOKEN = re.compile(r"[^ \t\n\r\x0b\x0c]+")


def with_tags(text: str, spans: list[Span]) -> tuple[str, list[Span]]:
    """Put tags around spans; return the sentence, and the spans that stay out.

    A token at a time. Of two causes, or two effects, the one that starts within the other is out.
    """
    before: dict[int, str] = {}
    behind: dict[int, str] = {}
    out = []
    reached = [0, 0]
    n_signals = 0
    for role, start, stop in sorted(spans):
        if role > 2 or (role < 2 and start < reached[role]):
            out.append((role, start, stop))
            continue
        name = f"ARG{role}" if role < 2 else f"SIG{n_signals}"
        if role < 2:
            reached[role] = stop
        else:
            n_signals += 1
        before[start] = before.get(start, "") + f"<{name}>"
        behind[stop - 1] = f"</{name}>" + behind.get(stop - 1, "")
    number = iter(range(len(text) + 1))

    def tagged(token: re.Match[str]) -> str:
        k = next(number)
        return before.get(k, "") + token[0] + behind.get(k, "")

    return TOKEN.sub(tagged, text), out


def sentences_of(example: dict[str, Any]) -> list[str]:
    """Return a tagged sentence for each readable relation."""
    readable = [spans for spans in example["relations"] if spans is not None]
    return [with_tags(example["text"], spans)[0] for spans in readable]


def truth(examples: list[dict[str, Any]], further: list[str]) -> str:
    """Return a truth file with columns behind the required ones, and stand-ins before them."""
    out = io.StringIO(newline="")
    rows = csv.writer(out)
    known = ["corpus", "doc_id", "sent_id", "eg_id", "index", "text", "causal_text_w_pairs"]
    rows.writerow([*known, "num_rs", *further])
    for k, example in enumerate(examples):
        sentences = sentences_of(example)
        own = [example["id"], example["text"], str(sentences), len(sentences)]
        rows.writerow(["no corpus, doc_id, sent_id", k, k, 0, *own, *(example[n] for n in further)])
    return out.getvalue()


def submission(examples: list[dict[str, Any]]) -> str:
    """Return JSON lines of tagged sentences."""
    rows = [{"index": k, "prediction": sentences_of(e)} for k, e in enumerate(examples)]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def offsets(examples: list[dict[str, Any]]) -> str:
    """Return JSON lines of spans in tokens, the columns in the order of the examples."""
    lines = []
    for example in examples:
        relations = [
            spans and [{"role": ROLES[r], "start": a, "stop": b} for r, a, b in spans]
            for spans in example["relations"]
        ]
        lines.append(json.dumps({**example, "relations": relations}, ensure_ascii=False) + "\n")
    return "".join(lines)


def span_texts(examples: list[dict[str, Any]]) -> str:
    """Return JSON lines of texts of spans, or characters if a text occurs again in whole tokens."""
    lines = []
    for example in examples:
        text = example["text"]
        places = [match.span() for match in TOKEN.finditer(text)]
        starts, stops = ({place[k] for place in places} for k in (0, 1))
        relations: list[Any] = []
        for spans in example["relations"]:
            named: dict[str, list[Any]] = {}
            for role, start, stop in spans or ():
                a, b = places[start][0], places[stop - 1][1]
                again = [
                    k for k in starts if text[k : k + b - a] == text[a:b] and k + b - a in stops
                ]
                value = text[a:b] if len(again) == 1 else {"start": a, "stop": b}
                named.setdefault(ROLES[role], []).append(value)
            relations.append(None if spans is None else named)
        row = {**example, "relations": relations}
        del row["length"]
        lines.append(json.dumps(row, ensure_ascii=False) + "\n")
    return "".join(lines)


def tag_lines(examples: list[dict[str, Any]]) -> str:
    """Return sentences as lines of tokens and IOB2 tags; ids have no line ends."""
    blocks = []
    for example in examples:
        text = example["text"]
        tokens = TOKEN.findall(text)
        lines = [f"# id = {example['id']}"]
        if text != " ".join(tokens) and not {"\n", "\r"} & {*text}:
            lines.append(f"# text = {text}")
        columns = [_tags(len(tokens), spans) for spans in example["relations"] if spans is not None]
        lines += ["\t".join(row) for row in zip(tokens, *columns, strict=True)]
        blocks.append("".join(line + "\n" for line in lines))
    return "\n".join(blocks)


def _tags(n: int, spans: list[Span]) -> list[str]:
    tags: list[list[str]] = [[] for _ in range(n)]
    reached = [0, 0, 0]
    for role, start, stop in sorted(spans):
        if start < reached[role]:
            continue
        reached[role] = stop
        for k in range(start, stop):
            tags[k].append(f"{'B' if k == start else 'I'}-{ROLES[role].capitalize()}")
    return ["|".join(row) or "O" for row in tags]

"""Generated tables and small files that several format tests share."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import strategies as st

from fastcausal.relations import Relations
from tests.support.data import CNC

needs_cnc = pytest.mark.skipif(not CNC.is_dir(), reason="the corpus is not here")

TRUTH = (
    "corpus,doc_id,sent_id,eg_id,index,text,causal_text_w_pairs,num_rs\n"
    "c,d1,0,0,a,Heavy rain caused floods .,"
    "['<ARG0>Heavy rain</ARG0> <SIG0>caused</SIG0> <ARG1>floods</ARG1> .'],1\n"
    "c,d1,1,0,b,It was wet .,[],0\n"
)
SINGLE = (
    "corpus,doc_id,sent_id,eg_id,index,text,text_w_pairs,seq_label,pair_label\n"
    "c,d1,0,0,a0,Rain caused floods .,<ARG0>Rain</ARG0> caused <ARG1>floods</ARG1> .,1,1\n"
    "c,d1,0,1,a1,Rain caused floods .,Rain <SIG0>caused</SIG0> <ARG1>floods</ARG1> .,1,1\n"
    "c,d1,1,0,b0,It was wet .,<ARG0>It</ARG0> was wet .,0,0\n"
)
SUBMISSION = (
    '{"index": 0, "prediction": ["<ARG0>Heavy rain</ARG0> caused <ARG1>floods</ARG1> ."]}\n'
    '{"index": 1, "prediction": []}\n'
)
BIO = "# id = a\nRain\tB-Cause\tO\nfell\tO\tB-E\n\n# id = b\nDry\n"
SPANS = (
    '{"id": "a", "text": "Rain caused floods .", '
    '"relations": [{"cause": "rain", "effect": [12, 18], "signal": ["caused"]}]}\n'
)
LINES = (
    '{"id": "a", "length": 4, "relations": [[{"role": "cause", "start": 0, "stop": 2}], null]}\n'
    '{"id": "b", "length": null, "relations": []}\n'
)

# Characters that are hard on some format: quotes, separators, other white space, marks of JSON.
words = st.text(
    st.sampled_from("ab<>/#|'\"\\,_é=\u00a0\u0085\u2028😀{[]}-:0"), min_size=1, max_size=5
)
names = st.text(st.sampled_from("ab#= \t,'\"\\\n\ré\u2028"), max_size=5)


@st.composite
def sentences(draw: st.DrawFn) -> tuple[str, int]:
    """A text and the number of its tokens."""
    tokens = draw(st.lists(words, max_size=8))
    space = st.sampled_from([" ", "  ", "\t", "\n ", " \r", "\x0c", "\x0b"])
    pieces = [draw(st.sampled_from(["", " "]))]
    for token in tokens:
        pieces += [token, draw(space)]
    if draw(st.booleans()) and tokens:
        pieces.pop()
    return "".join(pieces), len(tokens)


@st.composite
def spans_in(draw: st.DrawFn, n: int, *, overlaps: bool) -> list[tuple[int, int]]:
    """Spans over n tokens; apart from each other unless they may overlap."""
    if n == 0:
        return []
    bounds = draw(st.lists(st.integers(0, n), max_size=4, unique=not overlaps))
    if not overlaps:
        bounds.sort()
    pairs = zip(bounds[::2], bounds[1::2], strict=False)
    return [(min(a, b), max(a, b)) for a, b in pairs if a != b]


@st.composite
def tables(
    draw: st.DrawFn,
    *,
    overlaps: bool = True,
    unread: bool = True,
    ids: st.SearchStrategy[str] = names,
    min_size: int = 1,
) -> Relations:
    """Relations with text, with or without ids."""
    examples = []
    known = draw(st.booleans())
    found = draw(st.lists(ids, unique=True, min_size=min_size, max_size=4))
    for name in found:
        text, n = draw(sentences())
        relations: list[object] = []
        for _ in range(draw(st.integers(0, 3))):
            if unread and draw(st.integers(0, 4)) == 0:
                relations.append(None)
                continue
            relations.append(
                {
                    "cause": draw(spans_in(n, overlaps=overlaps)),
                    "effect": draw(spans_in(n, overlaps=overlaps)),
                    "signal": draw(spans_in(n, overlaps=overlaps)),
                }
            )
        example = {"text": text, "length": n, "relations": relations}
        examples.append({"id": name, **example} if known else example)
    return Relations.from_examples(examples)


def content(relations: Relations, *columns: str) -> list[dict[str, object]]:
    """Return the parts that a round trip must keep: lengths, relations, and some columns."""
    rows = []
    for row in relations.table.to_pylist():
        found = [
            None if r is None else sorted((s["role"], s["start"], s["stop"]) for s in r)
            for r in row["relations"]
        ]
        kept = {name: row.get(name) for name in columns}
        rows.append({"length": row["length"], "relations": found, **kept})
    return rows


def save(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path

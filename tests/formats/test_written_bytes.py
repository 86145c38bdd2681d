"""Files of relations against plain Python that writes the same bytes; blocks of any size."""

from __future__ import annotations

import json
import os

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.arrays.span_arrays import RELATIONS
from fastcausal.errors import InputError
from fastcausal.files import writing
from fastcausal.formats import bio
from fastcausal.relations import Relations
from tests.oracles import writing as plain
from tests.support.profiles import trials

# Quotes of every file, letters that are not printed, tags, and every size of a block of bytes.
WORDS = (
    *(
        "a",
        "b",
        "it's",
        '"',
        "''\"",
        "\\",
        ",",
        "\x00",
        "\x1f",
        "\x7f",
        "\x85",
        "\xa0",
        "é",
        "\u200b",
    ),
    *(
        "\u2028",
        "\ufeff",
        "\ue000",
        "\U0001f600",
        "\U000e0001",
        "<ARG0>",
        "</SIG",
        "x" * 31,
        "y" * 70,
    ),
)
SPACES = (" ", " ", " ", "  ", "\t", "\n", "\r\n", "\x0b", "\x0c")


@st.composite
def examples(draw: st.DrawFn) -> list[dict[str, object]]:
    """Sentences with an id and a further text; their spans overlap, and have any order."""
    made = []
    for k in range(draw(st.integers(0, 4))):
        words = draw(st.lists(st.sampled_from(WORDS), max_size=9))
        text = draw(st.sampled_from(["", " "]))
        text += "".join(word + draw(st.sampled_from(SPACES)) for word in words)
        text = text[:-1] if draw(st.booleans()) else text
        places = st.integers(0, max(len(words) - 1, 0))
        spans = st.lists(st.tuples(st.integers(0, 2), places, places), max_size=5 if words else 0)
        relations = draw(st.lists(st.none() | spans, max_size=3))
        made.append(
            {
                "id": f"{draw(st.sampled_from(WORDS))}{k}",
                "text": text,
                "length": len(words),
                "relations": [
                    None if r is None else [(role, min(p), max(p) + 1) for role, *p in r]
                    for r in relations
                ],
                "note": draw(st.sampled_from(WORDS)),
            }
        )
    return made


def table_of(rows: list[dict[str, object]]) -> Relations:
    keys = ("role", "start", "stop")
    columns: dict[str, object] = {
        name: pa.array([row[name] for row in rows], pa.string()) for name in ("id", "text", "note")
    }
    spans = [
        [
            None if r is None else [dict(zip(keys, s, strict=True)) for s in r]
            for r in e["relations"]
        ]
        for e in rows
    ]
    columns["length"] = pa.array([row["length"] for row in rows], pa.int32())
    columns["relations"] = pa.array(spans, RELATIONS)
    return Relations(
        pa.table({n: columns[n] for n in ("id", "text", "length", "relations", "note")})
    )


SPANS = [(1, 1, 3), (0, 0, 2), (0, 1, 2), (2, 1, 2), (2, 0, 3), (1, 0, 3)]
WRITERS = {
    "truth.csv": (None, lambda rows: plain.truth(rows, ["note"])),
    "submission": ("cnc", plain.submission),
    "table.jsonl": (None, plain.offsets),
    "texts": ("spans", plain.span_texts),
    "tags.bio": (None, plain.tag_lines),
}


@pytest.mark.parametrize("name", WRITERS)
@given(rows=examples(), n=st.integers(1, 3))
@example(
    rows=[{"id": "é", "text": "a 'b' a", "length": 3, "relations": [SPANS, None], "note": ","}], n=1
)
@example(
    rows=[{"id": "b", "text": "a\tab c", "length": 3, "relations": [[(0, 0, 1)]], "note": ""}], n=1
)
@trials(100)
def test_bytes(tmp_path_factory, name, rows, n):
    format, rendered = WRITERS[name]
    path = tmp_path_factory.getbasetemp() / name
    table = table_of(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "ROWS", n)
        fc.write(table, path, format)
    assert path.read_bytes() == rendered(rows).encode()
    if name == "table.jsonl" and rows:
        assert fc.read(path).table["relations"].equals(table.table["relations"])


@pytest.mark.parametrize("name", ["truth.csv", "submission", "texts", "tags.bio"])
@pytest.mark.parametrize("reason", ["is short", "has no text", "stops at 9"])
def test_a_fault_in_the_last_block_leaves_nothing(tmp_path, monkeypatch, name, reason):
    """A fault in the last block leaves neither a file nor bytes in a pipe."""
    monkeypatch.setattr(writing, "ROWS", 2)
    span = [(0, 0, 9 if reason == "stops at 9" else 1)]
    rows = [
        {"id": f"{k}", "text": "a b", "length": 2, "relations": [], "note": ""} for k in range(5)
    ]
    rows.append({**rows[0], "id": "last", "relations": [span]})
    rows[5] |= {
        "is short": {"text": "a"},
        "has no text": {"text": None, "length": None},
        "stops at 9": {"length": None},
    }[reason]
    reasons = {
        "is short": "example last: its text has 1 tokens, expected 2",
        "has no text": "example last has n",
        "stops at 9": "example last: a span stops at 9, its text has 2 tokens",
    }
    table = table_of(rows)
    (tmp_path / name).write_text("before")
    read, write = os.pipe()
    with os.fdopen(read, "rb") as pipe:
        for target in (tmp_path / name, f"/dev/fd/{write}"):
            with pytest.raises(InputError, match=f"^{reasons[reason]}"):
                fc.write(table, target, WRITERS[name][0] or ("cnc" if "csv" in name else "bio"))
        os.close(write)
        assert pipe.read() == b""
    assert [path.read_text() for path in tmp_path.iterdir()] == ["before"]


def test_tag_lists_are_the_columns_of_the_file(tmp_path):
    rows = [{"id": "a", "text": "a b c", "length": 3, "relations": [SPANS, None, []], "note": ""}]
    tags, lost = bio.tag_lists(table_of(rows))
    fc.write(table_of(rows), tmp_path / "a.bio")
    lines = (tmp_path / "a.bio").read_text().splitlines()[1:]
    assert [list(column) for column in zip(*map(str.split, lines), strict=True)][1:] == tags[0]
    assert lost == [
        "example a: relation 1: 3 spans overlap their own role or have no tag",
        "example a: relation 2 is unread and left out",
    ]


@pytest.mark.parametrize(
    "values",
    [
        pa.array([1.5, None, float("nan"), float("-inf"), 1e22]),
        pa.array([1, None, -(2**40)]),
        pa.array([True, None]),
        pa.array(["a", None, "b"]).dictionary_encode(),
        pa.array([["a", None], None, []]),
        pa.array([0.1, None], pa.float32()),
    ],
    ids=lambda values: str(values.type),
)
def test_values_of_every_type(tmp_path, values):
    rows = len(values)
    table = pa.table({"relations": pa.array([[]] * rows, RELATIONS), 'x"': values})
    fc.write(Relations(table), tmp_path / "a.jsonl")
    wanted = [
        json.dumps({"relations": [], 'x"': value, "length": None}) for value in values.to_pylist()
    ]
    assert (tmp_path / "a.jsonl").read_text().splitlines() == wanted


def test_blocks_are_bounded_by_bytes(monkeypatch):
    monkeypatch.setattr(writing, "BYTES", 100)
    table = pa.table({"text": ["x" * 60] * 4})
    assert [first for first, _ in writing.blocks(table)] == [0, 1, 2, 3]

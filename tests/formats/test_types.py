"""Types of relations through every format that holds them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.errors import InputError
from fastcausal.relations import Relations
from tests.support.profiles import trials

WORDS = tuple("abcdefghij")
TYPES = (None, "", "Enables", 'é "q",', "true", "12", "null")
ROLES = ("cause", "effect", "signal")


@st.composite
def examples(draw: st.DrawFn) -> list[dict]:
    """Sentences of different words; relations have a cause and perhaps more, and perhaps a type."""
    made = []
    for k in range(draw(st.integers(1, 4))):
        n = draw(st.integers(3, len(WORDS)))
        relations = []
        for _ in range(draw(st.integers(0, 3))):
            roles = ("cause", *draw(st.sets(st.sampled_from(ROLES[1:]))))
            spans = {role: [(a := draw(st.integers(0, n - 2)), a + 2)] for role in sorted(roles)}
            of = draw(st.sampled_from(TYPES))
            relations.append(spans | ({} if of is None else {"type": of}))
        if draw(st.booleans()):
            relations.insert(draw(st.integers(0, len(relations))), None)
        made.append({"id": f"e{k}", "text": " ".join(WORDS[:n]), "relations": relations})
    return made


def canonical(made: list[dict]) -> list[dict]:
    """The same examples without empty types, as `to_examples` gives them."""
    return [
        {
            "id": e["id"],
            "relations": [
                r and {key: value for key, value in r.items() if value} for r in e["relations"]
            ],
        }
        for e in made
    ]


def found(relations: Relations) -> list[dict]:
    return [{key: e[key] for key in ("id", "relations")} for e in relations.to_examples()]


def as_texts(made: list[dict]) -> list[dict]:
    """The same examples with texts of spans; Python alone finds those in another case, of e1."""

    def texts(example: dict, relation: dict | None) -> dict | None:
        words = example["text"].split()
        words = [word.upper() for word in words] if example["id"] == "e1" else words
        return relation and {
            key: value if key == "type" else [" ".join(words[a:b]) for a, b in value]
            for key, value in relation.items()
        }

    return [e | {"relations": [texts(e, r) for r in e["relations"]]} for e in made]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("types")


@trials(300)
@given(made=examples())
def test_every_format_that_holds_types_gives_them_back(made, folder):
    given_types = Relations.from_examples(made)
    expected = canonical(made)
    assert found(given_types) == expected
    for suffix in ("jsonl", "parquet", "arrow", "arrows", "spans"):
        file = folder / f"x.{suffix}"
        fc.write(given_types, file, "spans" if suffix == "spans" else None)
        assert found(fc.read(file)) == expected, suffix
    texts = as_texts(made)
    beside = [
        {**e, "relations": [r and {k: v for k, v in r.items() if k != "type"}
                            for r in e["relations"]],
         "types": [r and r.get("type") for r in e["relations"]]}
        for e in texts
    ]  # fmt: skip
    listed = folder / "beside.jsonl"
    listed.write_text("".join(f"{json.dumps(e)}\n" for e in beside))
    assert found(fc.read(listed)) == found(fc.read(beside)) == expected
    lines = folder / "lines.jsonl"
    lines.write_text("".join(f"{json.dumps(e)}\n" for e in texts))
    assert found(fc.read(lines)) == found(fc.read(texts)) == expected
    if any(filter(None, (r for e in made for r in e["relations"]))):
        assert found(fc.read(pa.Table.from_pylist(texts))) == expected


@trials(100)
@given(made=examples())
def test_a_row_per_relation_has_its_type(made, folder):
    rows = [
        {"id": e["id"], "text": e["text"], "cause": "", "effect": "", "signal": "", "type": ""}
        | {key: value if key == "type" else value[0] for key, value in (r or {}).items()}
        for e in as_texts(made)
        for r in e["relations"] or [None]
    ]
    expected = [e | {"relations": [r for r in e["relations"] if r]} for e in canonical(made)]
    table = pa.Table.from_pylist(rows)
    file = folder / "rows.csv"
    pyarrow.csv.write_csv(table, file)
    assert found(fc.read(file)) == found(fc.read(table)) == found(fc.read(rows)) == expected
    assert "type" not in fc.read(rows).table.column_names


def test_a_type_without_a_span_is_counted():
    rows = [
        {"id": "a", "text": "a b", "cause": "a", "effect": "", "type": "x"},
        {"id": "b", "text": "a b", "cause": "", "effect": "", "type": "none"},
    ]
    read = fc.read(rows)
    assert read.types.to_pylist() == [["x"], []]
    assert read.reading.notes == {"type of a row without a span left out": 1}


@pytest.mark.parametrize("of", [3, True, ["x"], {"a": 1}])
def test_a_type_is_a_text(of, tmp_path):
    relation = {"cause": [0, 1], "type": of}
    file = tmp_path / "x.jsonl"
    file.write_text(json.dumps({"text": "a b", "relations": [relation]}) + "\n")
    rows = [{"id": "a", "text": "a b", "cause": "a", "effect": "", "type": of}]
    for source in (
        [{"length": 2, "relations": [relation]}],
        file,
        rows,
        pa.Table.from_pylist(rows),
        pa.Table.from_pylist([{"length": 2, "relations": [relation]}]),
    ):
        with pytest.raises(InputError, match="type"):
            fc.read(source)


def test_a_column_of_lists_of_another_length_stays_a_column():
    base = {"relations": [[None], [], [[]]]}
    views = pa.array([["a"], [], ["b"]], pa.list_view(pa.string()))
    assert Relations(pa.table(base | {"types": views})).types is None
    for column in ([["a", "b"], [], []], [[1, 2], [], []], ["a", "b", "c"], [[], [], ["a", "b"]]):
        table = Relations(pa.table(base | {"types": column}))
        assert table.types is None
        assert table.table["types"].to_pylist() == column
    assert Relations(pa.table(base | {"types": [[], None, ["x"]]})).types.to_pylist() == [
        [None],
        [],
        ["x"],
    ]
    assert (
        "types" not in Relations(pa.table(base | {"types": [[""], [], [None]]})).table.schema.names
    )
    with pytest.raises(InputError, match='column "types" is list<item: int64>'):
        Relations(pa.table(base | {"types": [[1], [], [2]]}))


def test_types_follow_their_relations():
    made = [
        {"id": "a", "length": 4, "relations": [{"cause": (0, 1), "type": "x"}, None]},
        {"id": "b", "length": 4, "relations": [{"effect": (1, 2)}]},
    ]
    relations = Relations.from_examples(made)
    turned = relations.arranged(np.array([1, -1, 0]), pa.array(["b", "c", "a"]))
    assert turned.types.to_pylist() == [[None], [], ["x", None]]
    untyped = Relations.from_examples([{"id": "d", "length": 1, "relations": [{"cause": (0, 1)}]}])
    whole = fc.read(iter([untyped, relations]))
    assert whole.types.to_pylist() == [[None], ["x", None], [None]]
    assert "types" not in fc.Rows.of(relations).to_relations(relations).table.column_names
    assert Relations(relations.table.slice(1)).types is None

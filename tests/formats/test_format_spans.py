"""Span texts and character offsets."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal import formats
from fastcausal.errors import InputError
from fastcausal.formats import spans
from fastcausal.relations import Relations
from tests.support.format_cases import SPANS, content, save, tables

from .test_format_cnc import fails

TEXT = "To stop the Tomorrow people , the police did n't stop to rest ."
GOLD = Relations.from_examples([{"id": "a", "text": TEXT, "relations": []}])


def read_one(relation, **options):
    return spans.read([{"text": TEXT, "relations": [relation]}], **options)


def test_file(tmp_path):
    read = formats.read(save(tmp_path, "a.jsonl", SPANS))
    assert read.ids.to_pylist() == ["a"]
    assert read.to_examples()[0]["relations"] == [
        {"cause": [(0, 1)], "effect": [(2, 3)], "signal": [(1, 2)]}
    ]


@pytest.mark.parametrize(
    ("value", "expected", "notes"),
    [
        ("Tomorrow people", [(3, 5)], {}),
        (" police\n", [(7, 8)], {}),
        ("tomorrow PEOPLE,", [(3, 6)], {}),
        ("didn't", [(8, 10)], {}),
        ("to", [(11, 12)], {}),  # as it stands, and a whole token
        ("TO", [(0, 1)], {"ambiguous span": 1}),
        ("stop", [(1, 2)], {"ambiguous span": 1}),
        (["stop", "rest"], [(1, 2), (12, 13)], {"ambiguous span": 1}),
        ("eop", [(4, 5)], {"span cut a token": 1}),
        ("rrow peop", [(3, 5)], {"span cut a token": 1}),
        ([0, 2], [(0, 1)], {}),
        ({"start": 3, "stop": 9}, [(1, 3)], {"span cut a token": 1}),
        ([[0, 2], {"start": 2, "stop": 8}, "rest"], [(0, 1), (1, 2), (12, 13)], {}),
        ("", None, {}),
        ("  ", None, {}),
        (None, None, {}),
        ([], None, {}),
        ([None, ""], None, {}),
    ],
)
def test_values(value, expected, notes):
    read = read_one({"signal": value, "cause": "the Tomorrow people"})
    relation = {"cause": [(2, 5)]} | ({"signal": expected} if expected else {})
    assert read.to_examples()[0]["relations"] == [relation]
    assert {name: n for name, n in read.reading.notes.items() if n} == notes


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("nobody", '"nobody" is not in the text'),
        ("\u00a0", '"\u00a0" is not in the text'),
        ([-1, 4], "characters -1 to 4 do not fit a text of 63"),
        ([5, 64], "characters 5 to 64 do not fit a text of 63"),
        ([5, 5], "characters 5 to 5 do not fit a text of 63"),
        ({"start": 9, "stop": 3}, "characters 9 to 3 do not fit a text of 63"),
        ([2, 3], "characters 2 to 3 mark no token"),
    ],
)
def test_relations_that_cannot_be_read(value, reason):
    read = read_one({"cause": value, "effect": "people"})
    assert read.to_examples()[0]["relations"] == [None]
    assert read.reading.unread == (f"span texts: example 0: relation 1: {reason}",)


def test_the_sentence_comes_from_the_gold_side(tmp_path):
    path = save(tmp_path, "a.jsonl", '{"id": "a", "relations": [{"cause": "police"}, null]}')
    read = formats.read(path, like=GOLD)
    assert read.to_examples()[0]["relations"] == [{"cause": [(7, 8)]}, None]
    assert read.table["length"].to_pylist() == [14]
    message = f"FILE:1: example a: {spans.NO_TEXT}"
    fails(message, path)
    other = Relations.from_examples([{"id": "b", "text": TEXT, "relations": []}])
    fails(message, path, like=other)
    nameless = save(tmp_path, "b.jsonl", '{"relations": [{"cause": "police"}]}')
    assert formats.read(nameless, like=GOLD).ids.to_pylist() == ["a"]
    twice = save(tmp_path, "c.jsonl", '{"relations": [{"cause": "police"}]}\n' * 2)
    fails("FILE has 2 examples, expected 1", twice, like=GOLD)
    longer = save(tmp_path, "d.jsonl", '{"text": "a b", "relations": [{"cause": "a"}]}')
    read = formats.read(longer, like=GOLD)
    assert read.reading.unread == (
        f"{longer}:1: example a: relation 1: the text has 2 tokens, expected 14",
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"relations": "x"}, 'example 0: "relations" is a string, expected a list'),
        ({"relations": ["x"]}, "example 0: a relation is a string, expected an object"),
        (
            {"relations": [{"reason": "x"}]},
            'example 0: unknown role "reason", expected one of cause, effect, signal',
        ),
        (
            {"relations": [{"cause": 3}]},
            'example 0: "cause" is a number, expected a text or character offsets',
        ),
        (
            {"relations": [{"cause": [1, 2, 3]}]},
            'example 0: "cause" is a number, expected a text or character offsets',
        ),
        (
            {"relations": [{"cause": {"start": "1", "stop": 3}}]},
            'example 0: "cause" is an object, expected a text or character offsets',
        ),
        ({"relations": [], "text": 3}, 'example 0: "text" is a number, expected a string'),
        ({"text": "a"}, 'example 0: no "relations"'),
        ({"id": [1], "relations": []}, '"id" is a list, expected a string'),
        ({"id": 1.5, "relations": []}, '"id" is a number, expected a string'),
    ],
)
def test_lines_that_are_refused(tmp_path, line, message):
    path = save(tmp_path, "a.jsonl", json.dumps(line))
    fails(f"FILE:1: {message}", path, format="spans")


def test_ids_are_all_there_and_once(tmp_path):
    lines = '{"id": "a", "relations": []}\n'
    path = save(tmp_path, "a.jsonl", lines + '{"relations": []}')
    fails('FILE:2: no "id", other examples have one', path)
    path = save(tmp_path, "b.jsonl", lines * 2)
    fails('FILE:2: id "a" occurs twice, first in FILE:1', path)


def test_other_columns_are_kept(tmp_path):
    lines = [
        {"id": "a", "text": "a b", "relations": [], "genre": "news", "n": 1, "tags": ["x"]},
        {"id": "b", "text": "c", "relations": [], "w": 0.5, "n": None, "tags": "y", "up": True},
    ]
    read = formats.read(save(tmp_path, "a.jsonl", "\n".join(map(json.dumps, lines))), "spans")
    assert formats.read(lines, "spans").table.equals(read.table)
    assert read.table.select(["genre", "n", "tags", "w", "up"]).to_pydict() == {
        "genre": ["news", None],
        "n": [1, None],
        "tags": ['["x"]', "y"],
        "w": [None, 0.5],
        "up": [None, True],
    }
    assert formats.write(read, tmp_path / "b.jsonl", "spans") == []
    assert formats.read(tmp_path / "b.jsonl", "spans").table.equals(read.table)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2**63 - 1], "int64"),
        ([1, 0.5, None], "double"),
        ([True, None], "bool"),
        ([True, 1], "string"),
        ([2**70, 1], "string"),
        (["01", 1], "string"),
        ([{"a": 1}], "string"),
        ([None], "string"),
    ],
)
def test_types_of_other_columns(values, kind):
    found = spans.read([{"text": "a", "relations": [], "x": value} for value in values])
    assert str(found.table["x"].type) == kind
    as_text = [v if isinstance(v, str | None) else json.dumps(v) for v in values]
    assert found.table["x"].to_pylist() == (as_text if kind == "string" else values)


def test_a_key_twice_and_too_many_keys(tmp_path):
    line = '{"text": "a b", "relations": [{"cause": "a", "cause": "b"}]}'
    fails('FILE:1: an object has the key "cause" 2 times', save(tmp_path, "a.jsonl", line))
    many = json.dumps({"text": "a", "relations": [{}]} | {f"k{k}": 1 for k in range(100_000)})
    message = "FILE:1: example 0: 100000 columns, expected at most 1000"
    fails(message, save(tmp_path, "b.jsonl", many), format="spans")


@given(tables())
def test_round_trip(tmp_path_factory, table):
    folder = tmp_path_factory.mktemp("spans")
    assert formats.write(table, folder / "a.jsonl", "spans") == []
    again = formats.read(folder / "a.jsonl", "spans")
    columns = ("id", "text") if table.ids is not None else ("text",)
    assert content(again, *columns) == content(table, *columns)


def test_what_span_texts_cannot_hold(tmp_path):
    table = Relations.from_examples(
        [{"text": "a b a", "story": 1, "relations": [{"reason": (0, 1), "cause": (2, 3)}, None]}],
        roles=("reason", "cause"),
    )
    assert formats.write(table, tmp_path / "a.jsonl", "spans") == [
        "JSON lines do not hold the list of roles: reason, cause",
    ]
    span = [{"start": 0, "stop": 1}], [{"start": 4, "stop": 5}]
    relation = {"reason": span[0], "cause": span[1]}
    line = {"text": "a b a", "relations": [relation, None], "story": 1}
    assert json.loads((tmp_path / "a.jsonl").read_text()) == line
    again = formats.read(tmp_path / "a.jsonl", roles=table.roles)
    assert content(again, "text") == content(table, "text")
    bare = Relations.from_examples([{"length": 3, "relations": [{}]}])
    with pytest.raises(InputError, match=r"^example 0 has no text, which this format needs$"):
        formats.write(bare, tmp_path / "a.jsonl", "spans")


EXTRA = {
    "type": "ENABLE", "confidence": 0.9, "id": "r1", "explanation": {"why": ["so"]},
    "polarity": [1, 2], "words": None, "Because of": "x",
}  # fmt: skip


def by_all_ways(relation, folder):
    """Read a relation from JSON lines, dicts, a table, and lines that native code leaves aside."""
    row = {"id": "a", "text": "Rain brings floods", "relations": [relation]}
    beside = {"id": "b", "text": "Rain", "relations": [{"cause": "RAIN"}]}
    yield lambda: formats.read(save(folder, "a.jsonl", json.dumps(row)))
    yield lambda: formats.read(save(folder, "b.jsonl", f"{json.dumps(row)}\n{json.dumps(beside)}"))
    escaped = json.dumps(row).replace('"effect"', '"\\u0065ffect"')
    yield lambda: formats.read(save(folder, "c.jsonl", escaped))
    yield lambda: formats.read([row])
    yield lambda: formats.read(pa.Table.from_pylist([row]))
    yield lambda: spans.read([row])


@given(st.dictionaries(st.sampled_from([*EXTRA]), st.none(), max_size=4), st.randoms())
def test_further_keys_of_a_relation_are_counted(tmp_path_factory, keys, random):
    further = {key: EXTRA[key] for key in keys}
    items = [*further.items(), ("cause", "Rain"), ("effect", ["floods"])]
    random.shuffle(items)
    n = sum(value is not None for key, value in further.items() if key != "type")
    for read in by_all_ways(dict(items), tmp_path_factory.mktemp("further")):
        found = read()
        expected = {"cause": [(0, 1)], "effect": [(2, 3)]}
        expected |= {key: value for key, value in further.items() if key == "type"}
        assert found.to_examples()[0]["relations"] == [expected]
        assert found.reading.notes.get("further key", 0) == n


@pytest.mark.parametrize(
    ("relation", "key"),
    [
        ({"cause": "Rain", "efect": "floods"}, "efect"),
        ({"type": "x", "Cause": "Rain", "effect": "floods"}, "Cause"),
        ({"reason": "Rain", "effect": "floods"}, "reason"),
        ({"cause": "Rain", "effect": "floods", "signals": "brings"}, "signals"),
        ({"type": "ENABLE", "id": "r1"}, "id"),
    ],
)
def test_a_key_that_may_be_a_missing_role_is_an_error(tmp_path, relation, key):
    for read in by_all_ways(relation, tmp_path):
        with pytest.raises(InputError, match=rf'unknown role "{key}"|a field "{key}"'):
            read()


def test_further_keys_beside_offsets_of_tokens():
    row = {"length": 3, "relations": [{"cause": [0, 1], "effect": [2, 3], "why": "x"}, None]}
    for found in (formats.read([row]), formats.read(pa.Table.from_pylist([row]))):
        assert found.to_examples()[0]["relations"][0] == {"cause": [(0, 1)], "effect": [(2, 3)]}
        assert found.reading.notes == {"further key": 1}
    with pytest.raises(InputError, match='unknown role "efect"'):
        formats.read([{"length": 3, "relations": [{"cause": [0, 1], "efect": [2, 3]}]}])

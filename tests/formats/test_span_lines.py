"""Lines of span texts, read natively and line by line: the same tables and the same messages."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fastcausal.errors import InputError
from fastcausal.files.files import Source
from fastcausal.formats import span_lines, spans
from fastcausal.formats.reading.builder import places_in
from fastcausal.formats.words import BLANK
from fastcausal.relations import Relations

WORDS = st.sampled_from(["rain", "The", "the", "a", "a", "n't", "“é”", "😀", "b\u3000c"])
TEXTS = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
ODD = [None, "", " ", "zzz", "THE", "a ... a", "\0", 5, [1, 2, 3], [0, True], {}, {"start": 1}]
ODD += [{"stop": 2, "start": 0, "x": 1}, {"start": 0, "stop": 1.0}, [[0, 2]], {"a": {"b": [1]}}]
ODD += [[0, 4], {"start": 0, "stop": 1}, [3, 99], ["rain", None, [0, 1]], {"stop": 3, "start": 2}]


def mostly(plain, *odd, of=9):
    """Draw from the first, once in so many draws from the others."""
    return st.sampled_from(range(of)).flatmap(lambda k: st.sampled_from(odd) if k == 4 else plain)


SPANS = mostly(WORDS, *ODD)
ROLES = mostly(st.sampled_from(["cause", "effect", "signal"]), "role", of=60)
RELATION = st.dictionaries(ROLES, SPANS | st.lists(SPANS, max_size=3), max_size=3)
RELATIONS = st.lists(mostly(RELATION, None, None, None, None, None, None, None, 5), max_size=3)
VALUES = st.sampled_from([None, "x", "é", 1, -0.0, 2.5, True, [], ["a"], {"a": 1}, 10**30, "\0"])
KEYS = st.sampled_from(["doc", "year", "来源", "length", "tagged", "unparsed"])
LINES = st.tuples(
    mostly(
        TEXTS.map(lambda text: {"text": text + " the rain a"}),
        {},
        {"text": None},
        {"text": 5},
        of=30,
    ),
    mostly(
        RELATIONS.map(lambda relations: {"relations": relations}),
        {"relations": 5},
        {"relations": None},
        {},
        of=30,
    ),
    st.dictionaries(KEYS, VALUES, max_size=2),
).map(lambda parts: parts[0] | parts[1] | parts[2])
ENDS = [
    "}",
    "",
    " ",
    "x",
    ',"a":1}',
    ',"relations":[]}',
    ',"x":NaN}',
    ',"x":01}',
    ',"x":{"a":1,"a":2}}',
]
ENDS += [',"x":"\\ud800"}', ',"x":"\\ud83d\\ude00"}', ',"x":"a\tb"}', ',"x\\u0041":1}', "\n\x0b"]
ENDS += [',"Text":"a"}', ',"ID":1}', ',"sentence":"a"}', ',"doc":-0}', ',"x":1e400}', "\n\u3000\n"]
IDS = [lambda k: f"e{k}", lambda k: k, lambda k: None, lambda k: -k, lambda k: k % 2, float]
GOLD = Relations.from_examples(
    [{"id": f"e{k}", "text": "the rain a b\u3000c a", "relations": []} for k in range(3)]
)


@given(
    st.lists(st.tuples(LINES, mostly(st.just("}"), *ENDS, of=30)), min_size=2, max_size=6),
    mostly(st.just(IDS[0]), *IDS),
    st.sampled_from([None, GOLD]),
    st.sampled_from(["gap", "first"]),
)
@example(
    [
        ({"relations": [{"cause": "rain"}, {"cause": "the", "effect": ["a", "b\u3000c"]}]}, "}"),
        ({"relations": [None, {"effect": "RAIN"}]}, "}"),
        ({"text": "a the", "relations": [{"cause": "a", "signal": "the"}]}, "}"),
    ],
    IDS[0],
    GOLD,
    "gap",
)
def test_both_readers_agree(lines, id_of, like, occurrence):
    rows = [
        ({"id": id_of(k)} if id_of(k) is not None else {}) | line
        for k, (line, _) in enumerate(lines)
    ]
    texts = [json.dumps(row)[:-1] + end for row, (_, end) in zip(rows, lines, strict=True)]
    source = Source("a.jsonl", "\n".join(texts).encode(), 1)
    with pytest.MonkeyPatch.context() as patch:
        quick = outcome(source, like, occurrence)
        patch.setattr(span_lines, "read", lambda *_: None)
        assert quick == outcome(source, like, occurrence)


FEW = st.sampled_from("abc")
REPEATED = st.dictionaries(
    st.sampled_from(["cause", "effect", "signal"]),
    st.lists(st.lists(FEW, min_size=1, max_size=2).map(" ".join), min_size=1, max_size=2),
    min_size=1,
)


@given(
    st.lists(FEW, min_size=6, max_size=9).map(" ".join),
    st.lists(REPEATED, min_size=1, max_size=3),
    st.sampled_from(["gap", "first"]),
)
@example("c a a c b a b", [{"effect": ["a"], "cause": ["b"]}], "gap")  # causes come first
@example("b a c b a b", [{"cause": ["b", "c"], "effect": ["a", "b"], "signal": ["a"]}], "gap")
def test_texts_that_occur_again(text, relations, occurrence):
    """Texts that occur again are placed alike by native code and Python."""
    line = json.dumps({"text": text, "relations": relations})
    source = Source("a.jsonl", line.encode(), 1)
    with pytest.MonkeyPatch.context() as patch:
        quick = outcome(source, None, occurrence)
        patch.setattr(span_lines, "read", lambda *_: None)
        assert quick == outcome(source, None, occurrence)


def test_causes_that_occur_again_are_read_natively(monkeypatch):
    line = b'{"text": "a b a c b", "relations": [{"effect": "b", "cause": "a", "signal": "c"}]}'
    monkeypatch.setattr(spans, "add_example", None)
    read = spans.read(Source("a.jsonl", line, 1))
    assert read.to_examples()[0]["relations"] == [
        {"cause": [(0, 1)], "effect": [(1, 2)], "signal": [(3, 4)]}
    ]


def outcome(source, like, occurrence):
    try:
        read = spans.read(source, like, occurrence)
    except InputError as error:
        return str(error)
    return repr(read.table.to_pydict()), str(read.table.schema), read.reading


@pytest.mark.parametrize("value", ['"rain"', '["rain", null]', "[0, 4]", '{"stop": 4, "start": 0}'])
def test_plain_lines_are_read_natively(value):
    line = f'{{"id": 1, "text": "rain fell", "relations": [{{"cause": {value}}}]}}\r\n'
    source = Source("a.jsonl", line.encode(), 1)
    read = span_lines.read(source, None, True, BLANK, spans.HELD, None)
    assert read.to_examples()[0]["relations"] == [{"cause": [(0, 1)]}]
    assert read.ids.to_pylist() == ["1"]


def test_ids_of_another_type_than_those_of_gold():
    assert places_in(GOLD, pa.array(["e1", "x"], pa.large_string()), 2, "a").tolist() == [1, -1]


def test_bytes_that_are_not_utf8():
    source = Source("a.jsonl", b'{"text": "\xff", "relations": []}', 1)
    assert span_lines.read(source, None, True, BLANK, spans.HELD, None) is None
    assert "a.jsonl:1: byte 0xff is not UTF-8" in outcome(source, None, "gap")

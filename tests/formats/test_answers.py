"""Raw answers of language models: the relations read, the notes counted, and unparsed answers."""

from __future__ import annotations

import json
from collections import Counter

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.formats import model_output as answers
from fastcausal.formats.model_output import brackets
from fastcausal.formats.model_output.shapes import SEVERAL, Notes
from fastcausal.formats.model_output.texts import relations_in
from fastcausal.formats.reading.builder import UnreadError
from tests.support.cli import cli
from tests.support.model_answers import cases
from tests.support.profiles import trials

CASES = cases()
WHOLE = '{"relations": [{"cause": "a", "effect": "b"}]}'
AB = {"cause": "a", "effect": "b"}
CD = {"cause": "c", "effect": "d"}
ONE, OTHER = json.dumps(AB), json.dumps(CD)
CUT = "the answer ends within it"
NO_ANSWER = "an object without relations, expected an object with relations"
CALL = {"name": "report", "arguments": {"relations": []}}
NO_ANSWERS = [
    {},
    {"tool_calls": []},
    {"choices": [], "usage": {}},
    {"result": {}},
    {"result": None},
    {"output": []},
    {"response": [{"warnings": []}]},
    {"usage": {}},
    {"choice": [{"message": {"meta": {}}}]},
]
FAILED = {
    "overloaded": {"error": "overloaded", "details": {}},
    "429": {"error": {"code": 429}, "relations": []},
    "500": {"response": None, "error": {"code": 500}},
}


def rows(chosen=CASES):
    return [{"id": c.id, "text": c.text, "output": c.answer, "kind": c.kind} for c in chosen]


def by_role(relations):
    """Relations as dicts of spans, in one order of roles."""
    return [None if r is None else dict(sorted(r.items())) for r in relations]


def expected(case):
    if case.expected is None:
        return [None]
    return by_role(
        None if place is None else {role: [span] for role, span in place.items()}
        for place in case.expected
    )


def is_json(text):
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@pytest.fixture
def without_repair(monkeypatch):
    monkeypatch.setattr(brackets, "repairing", lambda: None)
    monkeypatch.setattr("fastcausal.formats.model_output.texts.repairing", lambda: None)


def test_every_answer_that_holds_one_is_read():
    assert (len(CASES), sum(is_json(case.answer) for case in CASES)) == (300, 113)
    read = fc.read(rows(), answers="output")
    for case, example in zip(CASES, read.to_examples(), strict=True):
        assert by_role(example["relations"]) == expected(case), case
    unparsed = [row["id"] for row in read.unparsed.to_pylist() if row["relation"] is None]
    assert unparsed == [case.id for case in CASES if case.kind == "refusal"]
    assert read.reading.notes == {
        "answer in a fence": 105,
        "answer in prose": 45,
        "answer in Python's notation": 3,
        "answer repaired": 2,
        "answer cut off": 9,
        "thinking left out": 9,
        "other name of a key": COUNTS["other name of a key"],
        "further key": COUNTS["further key"],
        "relation as a pair of texts": COUNTS["pairs"],
        "span as an object": COUNTS["objects"],
        "relations said to be none": COUNTS["none"],
    }


def relations_of(*kinds):
    return sum(len(case.gold) for case in CASES if case.kind in kinds)


def wrapped(*kinds):
    return sum(case.kind in kinds for case in CASES)


COUNTS = {
    "other name of a key": 3 * relations_of("capitals", "causes and effects")
    + 2 * relations_of("consequence")
    + relations_of("trigger")
    + wrapped("further keys", "wrapped"),
    "further key": 2 * relations_of("further keys") + wrapped("further keys"),
    "pairs": relations_of("pairs"),
    "objects": sum(
        len(place)
        for case in CASES
        for place in case.gold
        if case.kind == "objects with text, start and end"
    ),
    "none": sum(not case.gold for case in CASES if case.kind == "none in words"),
}


@pytest.mark.usefixtures("without_repair")
def test_without_the_extra_only_broken_answers_are_unread():
    read = fc.read(rows(), answers="output").unparsed.to_pylist()
    lost = {row["id"]: row["reason"] for row in read if row["relation"] is None}
    kinds = Counter(case.kind for case in CASES if case.id in lost)
    assert kinds == {"refusal": 16, "broken": 2}
    assert all("fastcausal[llm]" in lost[c.id] for c in CASES if c.kind == "broken")


@pytest.mark.parametrize(
    ("answer", "relations", "notes"),
    [
        (WHOLE, [AB], {}),
        ("[]", [], {}),
        ("Answer: []", [], {"answer in prose": 1}),
        (f"- [ ] to do\n{WHOLE}", [AB], {"answer in prose": 1}),
        (f"see [1] and [sic]: {WHOLE}", [AB], {"answer in prose": 1}),
        (f"```\n{WHOLE}\n```", [AB], {"answer in a fence": 1}),
        (f'```\nx = {{"y": 1}}\n```\n```\n{WHOLE}', [AB], {"answer in a fence": 1}),
        (f"```\n[]\n```\n```\n{WHOLE}\n```", [AB], {"answer in a fence": 1}),
        (f"```\n[]\n```\n{WHOLE}", [AB], {"answer in prose": 1}),
        ("```\n[]\n```\nNone.", [], {"answer in a fence": 1}),
        (f"```\n{ONE}\n```\n```\n{OTHER}\n```", [AB, CD], {"answer in a fence": 1}),
        (f"```\n{ONE}\n```\nand {OTHER}", [AB, CD], {"answer in a fence": 1}),
        (
            f"So {ONE}\n```\n{ONE}\n```",
            [AB],
            {"answer in a fence": 1, "further answer left out": 1},
        ),
        (
            f"```\n[{ONE}]\n```\n```\n[{OTHER}]\n```\n{ONE}",
            [AB],
            {"answer in a fence": 1, "further answer left out": 2},
        ),
        (
            f'```\n{{"relations": 5}}\n```\n```\n{WHOLE}\n```',
            [AB],
            {"answer in a fence": 1, "further answer left out": 1},
        ),
        (f"<think>{{}}</think>{WHOLE}", [AB], {"thinking left out": 1}),
        (f"so </think>{WHOLE}", [AB], {"thinking left out": 1}),
        (json.dumps(WHOLE), [AB], {"answer in a string": 1}),
        (json.dumps({"relations": json.dumps([AB])}), [AB], {"answer in a string": 1}),
        (f"{WHOLE} or {WHOLE}", [AB], {"answer in prose": 1, "further answer left out": 1}),
        (f"{json.dumps(AB)}\n{json.dumps(AB)}", [AB, AB], {}),
        (json.dumps({"1": AB, "2": AB}), [AB, AB], {}),
        (json.dumps({"results": [AB]}), [AB], {"other name of a key": 1}),
        ('{"cause": "a", "effect": "b",}', [AB], {"answer in Python's notation": 1}),
        (f"[{AB}, ...]", [AB], {"answer in Python's notation": 1}),
        ('{"relations": [{"cause": "a" "effect": "b"}]}', [AB], {"answer repaired": 1}),
        ("{cause: a, effect: b}", [AB], {"answer repaired": 1}),
        ('["a", "b"]', [{"cause": ["a"], "effect": ["b"]}], {"relation as a pair of texts": 1}),
        ('{"relations": "No relations."}', [], {"relations said to be none": 1}),
        ('{"relations": null}', [], {"relations said to be none": 1}),
        (
            '{"relations": "This text contains no causal relations."}',
            [],
            {"relations said to be none": 1},
        ),
        (json.dumps(CALL), [], {}),
        (json.dumps(CALL | {"arguments": []}), [], {}),
        (json.dumps(CALL | {"arguments": json.dumps({"relations": []})}), [], {}),
        (json.dumps({"tool_calls": [{"function": CALL}]}), [], {}),
        (json.dumps({"name": "report", "input": {"relations": [AB]}}), [AB], {}),
        (json.dumps([WHOLE]), [AB], {"answer in a string": 1}),
        (json.dumps([["I see it: []"]]), [], {"answer in a string": 1, "answer in prose": 1}),
        *(
            (said, [], {"answer as phrase": 1})
            for said in (
                "No causal relations.",
                "**No causal relations found.**",
                "There are no causal relationships in this sentence.",
                "The sentence does not contain any causal relations.",
                "```\nNo causal relations\n```",
                "Answer: no causal relation",
            )
        ),
        ('{"cause": "", "effect": null}', [], {"relation without a span": 1}),
        ('{"relations": [{}]}', ["it has no keys, expected cause, effect or signal"], {}),
        (
            '{"causes": ["a", "b"], "effects": ["c", "d"]}',
            [{"cause": ["a", "b"], "effect": ["c", "d"]}],
            {"other name of a key": 2, SEVERAL: 1},
        ),
        (
            '{"relations": [{"cause": ["a", "b"], "effect": ["c", "d"]}]}',
            [{"cause": ["a", "b"], "effect": ["c", "d"]}],
            {SEVERAL: 1},
        ),
        (
            '{"relations": [{"cause": ["a", "b"], "effect": "c"}]}',
            [{"cause": ["a", "b"], "effect": "c"}],
            {},
        ),
        (
            '{"cause": [0, 5], "effect": {"start": 6, "end": 9}, "signal": "none"}',
            [{"cause": [[0, 5]], "effect": [[6, 9]], "signal": []}],
            {"span said to be none": 1},
        ),
        (
            '{"trigger": "a", "effect": "b", "reason": "it says so"}',
            [{"effect": ["b"], "cause": ["it says so"], "signal": ["a"]}],
            {"other name of a key": 2},
        ),
        (
            '{"trigger": "a", "effect": "b"}',
            [{"effect": ["b"], "cause": ["a"]}],
            {"other name of a key": 1},
        ),
        (WHOLE[:-2], [AB], {"answer cut off": 1}),
        (WHOLE[:-3], [AB], {"answer cut off": 1}),
        (WHOLE[:-4], [CUT], {"answer cut off": 1}),
        ('{"relations": [', [CUT], {"answer cut off": 1}),
        (f'[{json.dumps(AB)}, {{"cause": "c"', [AB, CUT], {"answer cut off": 1}),
        ('{"cause": "a", "eff', [CUT], {"answer cut off": 1}),
        ('{"relations": ["x"]}', ["it is a string, expected an object"], {}),
        ('{"relations": [null]}', ["it is null, expected an object"], {}),
        (
            '{"relations": [{"x": 1}]}',
            ["it has the keys x, expected cause, effect or signal"],
            {},
        ),
        ('{"cause": 3}', ['"cause" is a number, expected a text or character offsets'], {}),
        ('{"cause": "a", "cause": "b"}', ['an object has the key "cause" 2 times'], {}),
    ],
)
def test_ways_to_answer(answer, relations, notes):
    counted = Notes()
    read = relations_in(answer, counted)
    assert [str(r) if isinstance(r, UnreadError) else r for r in read] == relations
    assert dict(+counted) == notes


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (None, "the answer is empty"),
        ("null", "the answer is empty"),
        ("", "the answer is empty"),
        (3, "the answer is a number, expected an object with relations"),
        (
            '{"x": 1}',
            "the answer is an object without relations, expected an object with relations",
        ),
        *((json.dumps(value), f"the answer is {NO_ANSWER}") for value in NO_ANSWERS),
        *((json.dumps(value), f"request failed: {why}") for why, value in FAILED.items()),
        ('{"relations": 5}', '"relations" is a number, expected a list'),
        ('{"relations": "see above"}', '"relations" is a string, expected a list'),
        (" ", "the answer is empty"),
        ("<think> " + WHOLE, "the answer is thinking alone"),
        ("I cannot.", "the answer has no relations in any form"),
        ("I can find no causal relations.", "the answer has no relations in any form"),
        ("No causal relations? I am not sure.", "the answer has no relations in any form"),
        ('{"rel', "the answer has no relations in any form"),
    ],
)
def test_answers_that_hold_none(answer, reason):
    read = relations_in(answer, Notes())
    assert isinstance(read, UnreadError)
    assert str(read) == reason
    assert read.text == ((answer or None) if isinstance(answer, str) else None)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["rain", "", "no", "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["relations", "cause", "Effect", "trigger", "type", "text", "start", "end"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)
PIECES = st.lists(
    st.sampled_from(
        [*'{}[]",:\'\\', "```", "<think>", "</think>", "rain", '"cause":', "'effect':", '["a"',
         '"relations": [', "None", "\\ud800", "“", "\n", " ", "1e999", WHOLE, WHOLE[:-9]]
    ),
    max_size=12,
).map("".join)  # fmt: skip


@trials(1000)
@hypothesis.example([[{"cause": "rain", "type": "\ud800"}]])
@given(st.lists(VALUES | VALUES.map(json.dumps) | VALUES.map(repr) | PIECES, min_size=1))
def test_whatever_models_say(said):
    """No answer stops the others, and each is either read or has a reason."""
    texts = [text if isinstance(text, str) else json.dumps(text) for text in said]
    examples = [{"text": "Heavy rain fell .", "output": text} for text in texts]
    read = fc.read(examples, answers="output")
    assert len(read) == len(texts)
    assert read.unparsed.num_rows == read.n_unread
    for example, together in zip(examples, read.to_examples(), strict=True):
        (alone,) = fc.read([example], answers="output").to_examples()
        assert {"unparsed": None} | alone == {"unparsed": None} | together


@trials(300)
@given(st.lists(VALUES, min_size=1))
def test_values_that_are_parsed_already(said):
    """Parsed values are read like their JSON text."""
    texts = [json.dumps(value) for value in said]
    for value, text in zip(said, texts, strict=True):
        if isinstance(value, str):
            continue
        parsed, unparsed = relations_in(value, Notes()), relations_in(text, Notes())
        assert repr(parsed).replace("nan", "NaN") == repr(unparsed).replace("nan", "NaN")


NO_ROLES = st.recursive(
    st.none() | st.booleans() | st.integers(),  # two texts are a pair
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.dictionaries(st.sampled_from(["error", "details", "usage", "id"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@trials(300)
@given(st.dictionaries(st.sampled_from(["error", "details", "usage", "id"]), NO_ROLES, max_size=3))
def test_an_object_without_a_role_is_no_answer(said):
    """However deep an empty object lies, it does not stand for no relations."""
    for answer in (said, json.dumps(said), f"```json\n{json.dumps(said)}\n```"):
        assert isinstance(relations_in(answer, Notes()), UnreadError)


@trials(200)
@given(st.lists(st.sampled_from([ONE, OTHER, WHOLE, f"[{OTHER}]", "[]"]), min_size=1), st.data())
def test_no_answer_is_left_out_without_a_count(parts, data):
    """Of fences and prose, all that holds a relation is read or counted."""
    fenced = data.draw(st.lists(st.booleans(), min_size=len(parts), max_size=len(parts)))
    text = "\n".join(
        f"```\n{part}\n```" if fence else f"so {part}"
        for part, fence in zip(parts, fenced, strict=True)
    )
    notes = Notes()
    read = relations_in(text, notes)
    assert len(read) + notes["further answer left out"] == sum(part != "[]" for part in parts)


SPOKEN = st.sampled_from([f"w{k}" for k in range(9)])
RELATION = st.fixed_dictionaries(
    {"cause": SPOKEN, "effect": SPOKEN, "signal": st.lists(SPOKEN, max_size=2, unique=True)}
)


@trials(200)
@given(st.lists(RELATION, max_size=3))
def test_answers_of_the_schema(relations):
    """Answers that follow the schema are read as they stand, without a note."""
    text = " ".join(f"w{k}" for k in range(9))
    answer = {"relations": relations}
    for output in (answer, json.dumps(answer), json.dumps(answer, indent=2)):
        read = fc.read([{"text": text, "output": output}], answers="output")
        assert read.reading.notes == {}
        for spoken, spans in zip(relations, read.to_examples()[0]["relations"], strict=True):
            words = {role: [f"w{a}" for a, b in places] for role, places in spans.items()}
            assert words == {
                role: sorted([said] if isinstance(said, str) else said)
                for role, said in spoken.items()
                if said
            }


def test_the_schema_is_strict():
    """Services of structured output want all keys required and no others."""

    def check(schema):
        if schema["type"] == "object":
            assert schema["additionalProperties"] is False
            assert schema["required"] == list(schema["properties"])
            assert [*map(check, schema["properties"].values())]
        elif schema["type"] == "array":
            check(schema["items"])
        return set(schema) <= {
            "title", "description", "type", "additionalProperties", "required", "properties",
            "items",
        }  # fmt: skip

    assert check(answers.schema())
    assert json.loads(cli("schema")[0]) == answers.schema()

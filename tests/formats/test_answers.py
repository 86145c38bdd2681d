"""Raw answers of language models: what is read of them, what is counted, and what is not read."""

from __future__ import annotations

import json
from collections import Counter

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from fastcausal.formats import answers
from fastcausal.formats.answers import brackets
from fastcausal.formats.answers.texts import relations_in
from fastcausal.formats.io.builder import UnreadError
from tests.support.cli import cli
from tests.support.model_answers import cases
from tests.support.profiles import trials

CASES = cases()
WHOLE = '{"relations": [{"cause": "a", "effect": "b"}]}'
AB = {"cause": "a", "effect": "b"}
CUT = "the answer ends within it"


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
    monkeypatch.setattr("fastcausal.formats.answers.texts.repairing", lambda: None)


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
        ('{"cause": "", "effect": null}', [], {"relation without a span": 1}),
        ("{}", [], {"relation without a span": 1}),
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
    counted = Counter()
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
        ('"no"', "the answer has no JSON of relations"),
        (
            '{"x": 1}',
            "the answer is an object without relations, expected an object with relations",
        ),
        ('{"relations": 5}', '"relations" is a number, expected a list'),
        ('{"relations": "see above"}', '"relations" is a string, expected a list'),
        (" ", "the answer is empty"),
        ("<think> " + WHOLE, "the answer is thinking alone"),
        ("I cannot.", "the answer has no JSON of relations"),
        ('{"rel', "the answer has no JSON of relations"),
    ],
)
def test_answers_that_hold_none(answer, reason):
    read = relations_in(answer, Counter())
    assert isinstance(read, UnreadError)
    assert str(read) == reason
    assert read.text == ((answer or None) if isinstance(answer, str) else None)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["rain", "", "no"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["relations", "cause", "Effect", "trigger", "text", "start", "end"]),
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
    """A column of values is read as one of their JSON."""
    texts = [json.dumps(value) for value in said]
    for value, text in zip(said, texts, strict=True):
        if isinstance(value, str):
            continue
        parsed, unparsed = relations_in(value, Counter()), relations_in(text, Counter())
        assert repr(parsed).replace("nan", "NaN") == repr(unparsed).replace("nan", "NaN")


SPOKEN = st.sampled_from([f"w{k}" for k in range(9)])
RELATION = st.fixed_dictionaries(
    {"cause": SPOKEN, "effect": SPOKEN, "signal": st.lists(SPOKEN, max_size=2, unique=True)}
)


@trials(200)
@given(st.lists(RELATION, max_size=3))
def test_answers_of_the_schema(relations):
    """What the schema allows is read as it stands, and nothing is to be counted."""
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


def write_csv(table, path):
    table.to_pandas().to_csv(path, index=False)


def write_lines(table, path):
    path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))


FILES = {
    "a.csv": write_csv,
    "a.jsonl": write_lines,
    "a.parquet": pq.write_table,
    "a.arrow": pyarrow.feather.write_feather,
}
FRAMES = {
    "pyarrow": lambda table: table,
    "pandas": pa.Table.to_pandas,
    "polars": pl.from_arrow,
    "DuckDB": duckdb.from_arrow,
    "list": pa.Table.to_pylist,
    "columns": pa.Table.to_pydict,
}


@pytest.mark.parametrize("name", FILES)
def test_files(name, tmp_path):
    FILES[name](pa.Table.from_pylist(rows()), tmp_path / name)
    same_as_rows(fc.read(tmp_path / name, answers="output"))


@pytest.mark.parametrize("name", FRAMES)
def test_frames(name):
    same_as_rows(fc.read(FRAMES[name](pa.Table.from_pylist(rows())), answers="output"))


@pytest.mark.slow  # the package takes seconds to import
def test_data_sets():
    datasets = pytest.importorskip("datasets")
    same_as_rows(fc.read(datasets.Dataset.from_list(rows()), answers="output"))


def same_as_rows(read):
    whole = fc.read(rows(), answers="output")
    assert read.to_examples() == whole.to_examples()
    assert read.table["kind"].to_pylist() == [case.kind for case in CASES]
    assert read.unparsed.equals(whole.unparsed)
    assert "output" not in read.table.column_names


def test_texts_come_from_gold():
    gold = fc.Relations.from_examples(
        {"id": c.id, "text": c.text, "relations": c.gold} for c in CASES
    )
    bare = [{"id": c.id, "output": c.answer} for c in reversed(CASES)]
    report = fc.score(gold, bare, answers="output", unparsed="skip")
    n_unread = {case.kind for case in CASES if None in expected(case)}
    assert n_unread == {"refusal", "a relation that is a text", "ends within the last relation"}
    assert report["cause"].f1 == report["effect"].f1 == 1
    assert report["signal"].precision == 1  # pairs have none
    for scored in (
        fc.score(gold, rows(), answers="output", unparsed="skip"),
        fc.score(gold, rows(), format="answers", answers="output", unparsed="skip"),
    ):
        assert scored.to_dict()["scores"] == report.to_dict()["scores"]


def test_relations_of_the_frame_itself_are_not_the_answer():
    """Gold with a further column of answers is what many have."""
    gold = fc.Relations.from_examples(
        {"id": c.id, "text": c.text, "relations": c.gold} for c in CASES
    )
    frame = gold.table.append_column("output", pa.array([c.answer for c in CASES]))
    read = fc.read(frame, answers="output")
    assert [by_role(e["relations"]) for e in read.to_examples()] == [*map(expected, CASES)]


def test_a_user_of_language_models(tmp_path):
    """From a file of raw answers to F1 and the rate of failures in one command."""
    gold = fc.Relations.from_examples(
        {"id": c.id, "text": c.text, "relations": c.gold} for c in CASES
    )
    fc.write(gold, tmp_path / "gold.jsonl", format="jsonl")
    FILES["a.csv"](pa.Table.from_pylist(rows()), tmp_path / "out.csv")
    printed, _ = cli(
        "score", tmp_path / "gold.jsonl", tmp_path / "out.csv", "--answers", "output",
        "--unparsed", "empty", "--json",
    )  # fmt: skip
    report = json.loads(printed)
    assert report["scores"]["overall"]["precision"] == 1
    assert any("answer in a fence: 105" in warning for warning in report["warnings"])
    assert any("23 relations" in w or "could not be read" in w for w in report["warnings"])


def test_answers_become_a_table(tmp_path):
    FILES["a.csv"](pa.Table.from_pylist(rows()), tmp_path / "out.csv")
    cli("convert", tmp_path / "out.csv", tmp_path / "a.parquet", "--answers", "output")
    read = fc.read(tmp_path / "a.parquet")
    assert [by_role(e["relations"]) for e in read.to_examples()] == [*map(expected, CASES)]
    assert read.unparsed.equals(fc.read(rows(), answers="output").unparsed)


def test_a_sweep_of_answers(tmp_path):
    gold, raw = sample.GOLD, sample.RAW_ANSWERS
    options = ["--answers", "output", "--unparsed", "empty"]
    out, _ = cli("sweep", gold, raw, "--out", tmp_path / "swept", *options)
    assert "1 scored, 0 kept, 0 failed" in out
    f1 = pq.read_table(tmp_path / "swept" / "scores.parquet")["f1"].to_pylist()
    report = fc.score(gold, raw, answers="output", unparsed="empty")
    assert report["overall"].f1 in f1


BAD = {
    "empty.csv": (b"", "empty.csv is empty"),
    "header.csv": (b"id,output\n", "header.csv has no rows"),
    "column.csv": (b"id,said\na,[]\n", 'column.csv: no column "output": found id, said'),
    "column.jsonl": (b'{"id": "a", "said": "x"}\n', 'no column "output": found id, said'),
    "cut.jsonl": (b'{"id": "a", "output": "[]"}\n{"id": "b", "outp', "cut.jsonl:2: invalid JSON"),
    "cut.parquet": (b"PAR1\0\0\0", "cut.parquet"),
    "latin.csv": ("id,output\na,é\n".encode("latin-1"), "latin.csv:2: byte 0xe9 is not UTF-8"),
    "utf16.csv": ("id,output\na,x\n".encode("utf-16"), "utf16.csv:1: byte 0xff is not UTF-8"),
    "twice.csv": (b"id,output,output\na,x,y\n", 'twice.csv:1: column "output" occurs 2 times'),
    "ids.csv": (b"id,output\na,[]\na,[]\n", 'id "a" occurs twice'),
    "no_id.csv": (b"id,output\na,[]\n,[]\n", 'no_id.csv:3: no "id"'),
    "other.csv": (b"id,output\nz,[]\n", '"z"'),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_told_in_one_message(name, tmp_path):
    content, message = BAD[name]
    (tmp_path / name).write_bytes(content)
    (tmp_path / "gold.jsonl").write_text('{"id": "a", "length": 2, "relations": []}\n')
    out, err = cli(
        "score", tmp_path / "gold.jsonl", tmp_path / name, "--answers", "output",
        "--per-example", tmp_path / "out.parquet", expect=2,
    )  # fmt: skip
    assert (out, err.count("error: ")) == ("", 1)
    assert message in " ".join(err.split())
    assert {path.name for path in tmp_path.iterdir()} == {name, "gold.jsonl"}


def test_swapped_files(tmp_path):
    gold, pred = tmp_path / "gold.jsonl", tmp_path / "pred.jsonl"
    gold.write_text('{"id": "a", "length": 2, "relations": []}\n')
    pred.write_text('{"id": "a", "text": "a b", "output": "[]"}\n')
    cli("score", gold, pred, "--answers", "output")
    _, err = cli("score", pred, gold, "--answers", "output", expect=2)
    assert "pred.jsonl" in err


@pytest.mark.parametrize("options", [[], ["--from", "jsonl"], ["--from", "spans"]])
def test_the_column_and_the_format_belong_together(options, tmp_path):
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"id": "a", "text": "a b", "length": 2, "relations": []}\n')
    if not options:
        _, err = cli("score", gold, gold, "--from", "answers", expect=2)
        assert "--answers" in err
    else:
        _, err = cli("score", gold, gold, "--answers", "output", *options, expect=2)
        assert 'answers is "output", which is for answers' in err


@pytest.mark.parametrize("opening", ['["', '{"a":', "[[", '{"cause": "', "```", "<think>", "\\"])
def test_long_answers_without_an_end(opening):
    """Each way looks at each letter a few times at most: these end at once."""
    read = fc.read([{"text": "a", "output": opening * 20_000}], answers="output")
    assert read.n_unread == 1

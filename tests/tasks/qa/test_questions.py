"""Exact match and F1 of answers: by hand, against two oracles, and from every form of file."""

from __future__ import annotations

import json
import math
import pickle
import random
import re
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from fastcausal.errors import InputError
from fastcausal.tasks.qa.count import asks_why
from fastcausal.tasks.qa.files import read_answers, read_questions
from fastcausal.tasks.qa.marks import mark
from fastcausal.tasks.qa.questions import plain_texts
from fastcausal.tasks.words import words
from tests.oracles.answers import reference
from tests.support.cli import cli
from tests.support.profiles import trials

# Gold answers, the predicted one, exact match and F1 by the definition of version 1.1.
BY_HAND = [
    (["the heavy rain"], "Heavy rain", 1, 1),
    (["the heavy rain"], "rain", 0, Fraction(2, 3)),
    (["rain", "heavy rain"], "Heavy, rain!", 1, 1),
    (["rain", "heavy rain fell"], "heavy rain", 0, Fraction(4, 5)),  # the best one
    (["the U.S. dollar's rise"], "us dollars   rise", 1, 1),
    (["a b b c"], "b b b", 0, Fraction(4, 6)),  # as often as both have it; "a" is an article
    (["rain heavy"], "heavy rain", 0, 1),  # another order
    (["an apple a day"], "apple day", 1, 1),
    (["theatre"], "atre", 0, 0),  # articles are whole words
    (["x-the-y"], "xthey", 1, 1),  # punctuation goes before articles
    (["“the rain”"], "“ rain”", 1, 1),  # other punctuation stays, but ends a word
    (["a.n apple"], "apple", 1, 1),
    (["Éclair"], "éclair", 1, 1),
    (["rain\u00a0fell"], "rain fell", 1, 1),
    (["ΟΔΟΣ"], "οδος", 1, 1),  # a final sigma
    (["rain"], "", 0, 0),
    (["the"], "", 1, 0),  # no words on either side
    (["the", "rain"], "a", 1, 0),
    (["!?"], "rain", 0, 0),
]


@pytest.mark.parametrize(("gold", "pred", "exact", "f1"), BY_HAND)
def test_by_hand(gold, pred, exact, f1):
    report = fc.qa([question("a", gold)], {"a": pred})
    assert (report["overall"].exact_match, report["overall"].f1) == (exact, float(f1))
    assert mark(gold, pred) == (bool(exact), float(f1))
    assert reference(gold, pred) == (exact, f1)


def question(id="a", answers=("rain",), text="Why?"):
    return {"id": id, "question": text, "answers": {"text": [*answers], "answer_start": [0]}}


pieces = st.sampled_from(
    ["a", "an", "the", "The", "rain", "fell", "Rain", "U.S.", "'s", "-", "“", "’", "é", "ß", "Σ",
     "_", "\x00", "\u2028", "\u00a0", "", "1.5", "😀", "ﬁ", "İ"]
)  # fmt: skip
texts = st.lists(st.tuples(pieces, st.sampled_from(["", " ", "\n", "  "])), max_size=8).map(
    lambda found: "".join(map("".join, found))
) | st.text(max_size=12)
asked = st.lists(
    st.tuples(
        st.lists(texts, min_size=1, max_size=3),
        texts,
        st.sampled_from(["Why?", "What fell?", "What was the reASON?", "because", "It RESULTED."]),
    ),
    min_size=1,
    max_size=8,
)


def both_sides(rows):
    gold = [question(str(k), answers, text) for k, (answers, _, text) in enumerate(rows)]
    return gold, {str(k): pred for k, (_, pred, _) in enumerate(rows)}


@given(asked)
def test_against_fractions(rows):
    gold, pred = both_sides(rows)
    report = fc.qa(gold, pred)
    marks = [reference(answers, pred) for answers, pred, _ in rows]
    why = [m for m, (*_, text) in zip(marks, rows, strict=True) if text != "What fell?"]
    for name, found in (("overall", marks), ("why", why)):
        assert report[name].n_questions == len(found)
        if not found:
            assert math.isnan(report[name].f1)
            continue
        exact, f1 = (sum(scores) / len(found) for scores in zip(*found, strict=True))
        assert report[name].exact_match == float(exact)
        assert report[name].f1 == pytest.approx(float(f1), abs=1e-15)


@pytest.mark.slow  # imports PyTorch
@trials(60)
@given(asked.filter(lambda rows: all(all(map(words, (pred, *gold))) for gold, pred, _ in rows)))
def test_against_torchmetrics(rows):
    """Scores equal torchmetrics' if every answer has words; for others it follows SQuAD 2.0."""
    squad = pytest.importorskip("torchmetrics.functional.text").squad
    gold, pred = both_sides(rows)
    expected = squad([{"id": k, "prediction_text": text} for k, text in pred.items()], gold)
    found = fc.qa(gold, pred)["overall"]
    assert 100 * found.exact_match == pytest.approx(float(expected["exact_match"]), rel=1e-6)
    assert 100 * found.f1 == pytest.approx(float(expected["f1"]), rel=1e-6)


@given(asked, st.randoms())
def test_order_changes_no_bit(rows, rng):
    gold, pred = both_sides(rows * 3)
    report = fc.qa(gold, pred)
    rng.shuffle(gold)
    turned = fc.qa(gold, dict(rng.sample(sorted(pred.items()), len(pred))))
    assert turned.to_json() == report.to_json()


# ------------------------------------------------------------------------------------ why-questions


@pytest.mark.parametrize(
    ("text", "why"),
    [("Why?", 1), ("For what reasons?", 1), ("What CAUSED it?", 1), ("Was it because of me?", 1),
     ("What resulted?", 1), ("What is the result?", 0), ("What led to it?", 0), ("", 0),
     ("cau\u017fe", 0), ("\udcca" "use", 0), ("\udccaReason", 1)],
)  # fmt: skip
def test_why_questions(text, why):
    asked = [question(k, text=t) for k, t in enumerate(("Why?", text))]
    assert asks_why(read_questions(asked).texts.slice(1)).tolist() == [bool(why)]
    assert fc.qa([question(text=text)], {"a": ""})["why"].n_questions == why


# ------------------------------------------------------------------------------------------ files

GOLD = [
    question("a", ["the rain"]), question("b", ["wind", "a storm"], "What blew?"),
    question("ü", ["It"], "Cause?"),
]  # fmt: skip
PRED = {"a": "Rain", "b": "storm winds", "ü": "id"}
NESTED = {"version": "1.1", "data": [
    {"title": "x", "paragraphs": [
        {"context": "c", "qas": [
            {"id": q["id"], "question": q["question"],
             "answers": [{"text": text, "answer_start": 0} for text in q["answers"]["text"]]}
            for q in part
        ]}
        for part in parts
    ]}
    for parts in ([GOLD[:1], []], [GOLD[1:]], [])
]}  # fmt: skip


def lines(records, start=""):
    return start + "".join(json.dumps(record) + "\n" for record in records)


GOLDS = {
    "ours": json.dumps({"version": "x", "data": GOLD}),
    "indented": json.dumps({"data": GOLD}, indent=1, ensure_ascii=False),
    "nested": json.dumps(NESTED),
    "nested, indented": json.dumps(NESTED, indent="\t"),
    "list": json.dumps(GOLD),
    "list, indented": "\n" + json.dumps(GOLD, indent=2),
    "lines": lines(GOLD),
    "lines after blank ones": "\ufeff" + lines(GOLD, "\n \n"),
    "nested in Python": NESTED,
    "list in Python": GOLD,
    "iterator": lambda: iter(GOLD),
    "table": lambda: pa.Table.from_pylist(GOLD),
    "table, sliced": lambda: sliced(GOLD),
    "table of lists": lambda: sliced(
        NESTED["data"][0]["paragraphs"][0]["qas"]
        + [qa for part in NESTED["data"][1]["paragraphs"] for qa in part["qas"]]
    ),
    "table of large texts": lambda: pa.Table.from_pylist(GOLD).cast(
        pa.schema(
            {
                "id": pa.string(),
                "question": pa.large_string(),
                "answers": pa.struct(
                    {"text": pa.list_(pa.large_string()), "answer_start": pa.list_(pa.int64())}
                ),
            }
        )
    ),
}


def sliced(rows):
    """The rows between others, in two chunks."""
    table = pa.Table.from_pylist([rows[0], *rows, rows[0]])
    return pa.concat_tables([table.slice(1, 1), table.slice(2, len(rows) - 1)])


TEXTS = [{"prediction_text": text, "id": id, "score": 1.5} for id, text in PRED.items()]
PREDS = {
    "object": json.dumps(PRED),
    "object, indented": json.dumps(PRED, indent=1),
    "list": json.dumps(TEXTS),
    "lines": lines(TEXTS),
    "object in Python": PRED,
    "list in Python": TEXTS,
    "iterator": lambda: iter(TEXTS),
    "table": lambda: pa.Table.from_pylist(TEXTS),
    "table, sliced": lambda: sliced(TEXTS),
}


def source(folder, name, content):
    """A file with this text, or an object of Python."""
    if isinstance(content, str):
        (folder / name).write_text(content, "utf-8")
        return folder / name
    return content() if callable(content) else content


@pytest.mark.parametrize("gold", GOLDS)
@pytest.mark.parametrize("pred", PREDS)
def test_every_form_gives_the_same(tmp_path, gold, pred):
    report = fc.qa(source(tmp_path, "g", GOLDS[gold]), source(tmp_path, "p", PREDS[pred]))
    assert [*report["overall"].values()] == [1 / 3, (1 + 2 / 3) / 3, 3]
    assert [*report["why"].values()] == [0.5, 0.5, 2]


def test_a_table_keeps_what_its_objects_hold():
    """Texts and numbers beside the answers, in the order of the first rows that have them."""
    more = [
        {"deep": {"x": 1}, "late": None, "n": 1, "of": "x", "is": True, "at": None},
        {"deep": None, "late": 2.5, "n": None, "of": None, "is": None, "at": None},
        {"deep": None, "late": None, "n": 3, "of": "y", "is": False, "at": None},
    ]
    rows = [q | m for q, m in zip(GOLD, more, strict=True)]
    table = pa.Table.from_pylist(rows)
    small = table.set_column(5, "n", table["n"].cast(pa.int16()))
    small = small.set_column(6, "of", small["of"].dictionary_encode())
    assert small.column_names == table.column_names
    first = [text for text in TEXTS if text["id"] != "a"]
    for pred, names in ((TEXTS, "n of is late"), (first, "late n of is")):
        units = [fc.qa(g, pred, unmatched="skip").statistics.units for g in (rows, table, small)]
        assert units[0].column_names == ["id", *names.split()]
        assert units[1].equals(units[0])
        assert units[2].equals(units[0])


def test_a_single_line(tmp_path):
    gold = source(tmp_path, "g", lines(GOLD[:1]))
    assert questions_of(gold) == {"a": ("Why?", ["the rain"])}
    assert answers_of(source(tmp_path, "p", lines(TEXTS[:1]))) == {"a": "Rain"}
    assert answers_of({"id": 1, "prediction_text": "x"}) == {"1": "x"}
    assert answers_of({1: "x", "id ": "y"}) == {"1": "x", "id ": "y"}


def questions_of(source) -> dict[str, tuple[str, list[str]]]:
    """Questions with their gold answers, by id."""
    read = read_questions(source)
    answers, places = plain_texts(read.answers), read.lists.tolist()
    lists = [answers[start:stop] for start, stop in pairwise(places)]
    pairs = zip(plain_texts(read.texts), lists, strict=True)
    return dict(zip(read.ids.to_pylist(), pairs, strict=True))


def answers_of(source) -> dict[str, str]:
    read = read_answers(source)
    return dict(zip(read.ids.to_pylist(), plain_texts(read.texts), strict=True))


def test_one_answer_as_the_published_questions_have_it(tmp_path):
    one = [q | {"answers": {"text": "rain", "answer_start": 7}} for q in GOLD]
    many = [q | {"answers": {"text": ["rain"], "answer_start": [7]}} for q in GOLD]
    for records in (one, many, [*one[:1], *many[1:]]):
        path = source(tmp_path, "g", json.dumps({"version": "v1", "data": records}))
        assert questions_of(path) == questions_of(many)
    assert read_questions(one).answers.to_pylist() == ["rain"] * 3


def test_what_convert_writes(tmp_path):
    """Questions that convert writes give one report, in three ways of scoring."""
    path = tmp_path / "questions.json"
    cli("convert", sample.GOLD, path, "--to", "squad")
    report = fc.qa(path, sample.ANSWERS)
    assert report.n_questions == 144
    out, err = cli("qa", path, sample.ANSWERS, "--json")
    assert (out, err) == (report.to_json() + "\n", "")
    out, err = cli("qa", path, "-", stdin=sample.ANSWERS.read_text())
    assert out.split() == str(report).split()
    assert not err
    perfect = {name: answers[0] for name, (_, answers) in questions_of(path).items()}
    assert [*fc.qa(path, perfect)["why"].values()][:2] == [1.0, 1.0]


# ----------------------------------------------------------------------------------------- report


def test_report():
    report = fc.qa(GOLD[1:2], {"b": "storm"})
    assert report.signature == (
        f"fastcausal|{fc.__version__}|answers|squad-1.1|why:reason,why,cause,resulted|"
        "unmatched:error"
    )
    undefined = {"exact_match": None, "f1": None, "n_questions": 0}
    assert report.to_dict() == json.loads(report.to_json()) == {
        "signature": report.signature,
        "n_questions": 1,
        "scores": {"overall": {"exact_match": 1.0, "f1": 1.0, "n_questions": 1}, "why": undefined},
        "warnings": [],
    }  # fmt: skip
    flat = report.to_flat("val/")
    assert flat["val/overall_f1"] == 1.0
    assert math.isnan(flat["val/why_exact_match"])
    assert "undefined" in str(report)
    assert pickle.loads(pickle.dumps(report)).to_json() == report.to_json()
    assert fc.qa([], {}).to_dict()["scores"] == {"overall": undefined, "why": undefined}


def test_unmatched(tmp_path):
    pred = {"a": "rain", "x": "y", "\ud800": ""}
    found = ('2 questions of gold have no answer ("b", "ü"), '
             r'2 predicted answers have no question ("x", "\ud800")')  # fmt: skip
    with pytest.raises(InputError) as caught:
        fc.qa(GOLD, pred)
    assert str(caught.value) == f'{found}; unmatched="empty" or "skip" would allow it'
    for policy, scores in (("empty", [1 / 3, 1 / 3, 3]), ("skip", [1.0, 1.0, 1])):
        report = fc.qa(GOLD, pred, unmatched=policy)
        assert [*report["overall"].values()] == scores
        assert report.warnings == (f"unmatched={policy}: {found}",)
        paths = source(tmp_path, "g", GOLDS["list"]), source(tmp_path, "p", json.dumps(pred))
        out, err = cli("qa", *paths, "--unmatched", policy, "--json")
        assert json.loads(out) == report.to_dict()
        assert not err
        out, err = cli("qa", *paths, "--unmatched", policy)
        assert err == f"warning: unmatched={policy}: {found}\n"
    empty = [question(answers=["the"])]
    assert fc.qa(empty, {}, unmatched="empty")["overall"].exact_match == 0.0
    assert fc.qa(empty, {"a": ""})["overall"].exact_match == 1.0
    more = fc.qa([], dict.fromkeys("abcd", ""), unmatched="skip").warnings[0]
    assert more.endswith('4 predicted answers have no question ("a", "b", "c", ...)')
    with pytest.raises(ValueError, match=r'^unmatched is "x", expected one of error, empty, skip$'):
        fc.qa([], {}, unmatched="x")


# --------------------------------------------------------------------------------------- bad input

FORM = '{"text": string or [string, ...]} or a list of {"text": string}'
BAD_GOLD = {
    "empty": ("", "g is empty"),
    "no JSON": ("x", "g:1: invalid JSON: Expecting value at column 1"),
    "cut": (json.dumps(NESTED, indent=1)[:-2], "g:*: invalid JSON: Expecting ',' delimiter at *"),
    "deep": ("[" * 100_000, "g: invalid JSON: maximum recursion depth exceeded*"),
    "bytes": (b'{"data": [\n\xff', "g:2: byte 0xff is not UTF-8"),
    "a number": ("5", "g is a number, expected an object or a list"),
    "a string": ('"x"', "g is a string, expected an object or a list"),
    "answers": (json.dumps(PRED), "g: data is missing, expected a list"),
    "data": ('{"data": {}}', "g: data is an object, expected a list"),
    "an article": ('{"data": [5]}', "g: data[0] is a number, expected an object"),
    "paragraphs": ('{"data": [{"paragraphs": 5}]}',
                   "g: data[0].paragraphs is a number, expected a list"),
    "qas": ('{"data": [{"paragraphs": [{"qas": [1]}]}]}',
            "g: data[0].paragraphs[0].qas[0] is a number, expected an object"),
    "data twice": ('{"data": [], "data": []}', 'g: an object has the key "data" 2 times'),
    "no id": ('[{"question": "?"}]', 'g: no column "id": found question'),
    "no record": ("[1]", "g: row 0 is a number, expected an object"),
    "id": (lines([question(), question(1.5)]), 'g:2: "id" is 1.5, expected an integer or a string'),
    "id true": (lines([question(), question(True)]),
                'g:2: "id" is true, expected an integer or a string'),
    "line": (lines([question(), []]), "g:2: a list, expected an object"),
    "cut line": (lines(GOLD)[:-3], "g:3: invalid JSON: *"),
    "twice": (lines([question(), question("b"), question()]),
              'g:3: id "a" occurs twice, first in g:1'),
    "no question": ('[{"id": "a"}]', 'g: row 0: id "a": no "question": found id'),
    "question": (json.dumps([question(text=["?"])]),
                 'g: row 0: id "a": "question" is a list, expected a string'),
    "no answers": ('{"data": [{"id": 1, "question": "?"}]}',
                   'g: data[0]: id "1": no "answers": found id, question'),
    "one answer": (lines([question(), question("b") | {"answers": "rain"}]),
                   f'g:2: id "b": "answers" is a string, expected {FORM}'),
    "a number in it": (lines([question() | {"answers": {"text": 5}}]),
                       f'g: id "a": "answers" is an object, expected {FORM}'),
    "null": (lines([question(answers=[None])]),
             f'g: id "a": "answers" is an object, expected {FORM}'),
    "a list of texts": (lines([question() | {"answers": ["rain"]}]),
                        f'g: id "a": "answers" is a list, expected {FORM}'),
    "no answer": (lines([question(answers=[])]), 'g: id "a" has no answer, expected at least one'),
}  # fmt: skip
BAD_PRED = {
    "empty": (" \n", "p is empty"),
    "no object": ("null", "p is null, expected an object or a list"),
    "twice": ('{"a": "x", "b": "", "a": "y"}', 'p: an object has the key "a" 2 times'),
    "twice in a list": (json.dumps(TEXTS + TEXTS[:1]),
                        'p: row 3: id "a" occurs twice, first in p: row 0; --sample COLUMN would '
                        "tell the answers to an item"),
    "a list": ('{"a": ["x"]}', 'p: id "a": "prediction_text" is a list, expected a string'),
    "null": (lines([TEXTS[0], {"id": "b", "prediction_text": None}]),
             'p:2: id "b": "prediction_text" is null, expected a string'),
    "another name": ('{"id": "a", "prediction": "x"}',
                     'p: id "a": no "prediction_text": found id, prediction'),
    "gold": (GOLDS["ours"], 'p: id "data": "prediction_text" is a list, expected a string'),
}  # fmt: skip


@pytest.mark.parametrize("case", [("g", name) for name in BAD_GOLD] + [("p", n) for n in BAD_PRED])
def test_bad_files(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    side, name = case
    text, message = {"g": BAD_GOLD, "p": BAD_PRED}[side][name]
    files = {"g": GOLDS["ours"], "p": PREDS["object"], side: text}
    for path, content in files.items():
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / path).write_bytes(data)
    pattern = re.escape(message).replace(r"\*", ".*")
    out, err = cli("qa", "g", "p", expect=2)
    assert re.fullmatch(f"error: {pattern}\n", err)
    assert not out
    out, _ = cli("qa", "g", "p", "--json", expect=2)
    assert re.fullmatch(pattern, json.loads(out)["error"])


@pytest.mark.parametrize(
    ("answers", "got"),
    [
        ([{"text": ["x"]}, None, {"text": ["x"]}], "null"),
        ([{"text": ["x"]}, {"text": None}, {"text": ["x"]}], "an object"),
        ([{"text": ["x"]}, {"text": ["y", None]}, {"text": []}], "an object"),
        ([{"text": "x"}, {"text": None}, {"text": "y"}], "an object"),
        ([[{"text": "x"}], [{"text": "x"}, None], []], "a list"),
        ([["x"], ["y"], ["z"]], "a list"),
        ([{"text": ["x"]}, {"text": []}, {"text": ["x"]}], ""),
    ],
)
def test_bad_tables(answers, got):
    table = pa.Table.from_pylist([q | {"answers": a} for q, a in zip(GOLD, answers, strict=True)])
    with pytest.raises(InputError) as caught:
        fc.qa(table, TEXTS)
    with pytest.raises(InputError) as of_objects:
        fc.qa(table.to_pylist(), TEXTS)
    assert str(caught.value).replace("gold: ", "") == str(of_objects.value).replace("gold: ", "")
    wanted = f'"answers" is {got}, expected {FORM}' if got else "has no answer, expected at least"
    assert wanted in str(caught.value)


def test_bad_objects():
    for gold, pred, message in (
        (5, {}, "gold is a number, expected a table or a list of objects"),
        ([], 5, "pred is a number, expected a table or a list of objects"),
        ([], [("a", "b")], "pred: row 0 is a tuple, expected an object"),
        ([], {1: "x", "1": "y"}, 'pred: id "1" occurs twice, first in pred'),
        ("none", {}, "none: No such file or directory"),
    ):
        with pytest.raises(InputError) as caught:
            fc.qa(gold, pred)
        assert str(caught.value) == message
    with pytest.raises(InputError) as caught:
        read_answers([{"id": k} for k in range(25)])
    assert str(caught.value).endswith("\n... and 15 more")
    assert str(caught.value).count("\n") == 10


@pytest.mark.parametrize("reader", [questions_of, answers_of])
def test_damaged_files(tmp_path, reader):
    """Any damage gives a dict of strings, or one InputError."""
    forms = GOLDS if reader is questions_of else PREDS
    rng = random.Random(0)
    for text in (text for text in forms.values() if isinstance(text, str)):
        for _ in range(150):
            data = bytearray(text.encode())
            for _ in range(rng.randint(1, 3)):
                k = rng.randrange(len(data))
                new = rng.choice([b"", b'"', b"{", b"}", b"[", b"]", b",", b"1", b"\n", b"\xff"])
                data[k : k + rng.randint(0, 3)] = new
            (tmp_path / "x").write_bytes(data)
            with suppress(InputError):
                assert all(isinstance(id, str) for id in reader(tmp_path / "x"))

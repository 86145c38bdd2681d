"""Answers in other forms than JSON: perfect ones score so, prose and refusals stay unread."""

from __future__ import annotations

import json
import random
import time

import pytest

import fastcausal as fc
from fastcausal.formats.model_output.forms import FORMS
from fastcausal.formats.model_output.shapes import Notes
from fastcausal.formats.model_output.texts import relations_in
from fastcausal.formats.reading.builder import UnreadError
from tests.support import answer_forms
from tests.support.data import CNC
from tests.support.model_answers import sentence

NAMES = {"bullets": "lines", "numbered": "lines", "headings": "lines"}  # forms of other names


def of_gold(gold):
    """Perfect answers by way of writing."""
    texts = gold.table["text"].to_pylist()
    answers = {name: [] for name in (*answer_forms.FORMS, "tags")}
    for example, text in zip(gold.to_examples(), texts, strict=True):
        tokens = text.split()
        relations = [
            {
                role: [" ".join(tokens[start:stop]) for start, stop in relation[role]]
                for role in ("cause", "effect", "signal")
                if relation.get(role)
            }
            for relation in example["relations"]
        ]
        for name, write in answer_forms.FORMS.items():
            answers[name].append(write(relations) if relations else answer_forms.NONE)
        tagged = answer_forms.tags(text, example["relations"])
        answers["tags"].append(tagged or answer_forms.NONE)
    return answers


def made():
    rng = random.Random(5)
    cases = [sentence(rng, rng.randint(0, 3)) for _ in range(300)]
    return fc.Relations.from_examples(
        [
            {"text": text, "relations": [{r: [p] for r, p in place.items()} for place in places]}
            for text, _, places in cases
        ]
    )


MADE = made()
ANSWERS = of_gold(MADE)


def scored(gold, texts):
    return fc.score(gold, [{"output": text} for text in texts], answers="output", unparsed="empty")


@pytest.mark.parametrize("name", ANSWERS)
def test_300_perfect_answers(name):
    report = scored(MADE, ANSWERS[name])
    assert report["overall"].f1 == 1
    assert report.n_unparsed == 0
    form = NAMES.get(name, name)
    assert f"pred: answer as {form}: {sum(t != answer_forms.NONE for t in ANSWERS[name])}" in (
        report.warnings
    )
    assert f"|answers:{'+'.join(sorted([form, 'phrase']))}|" in report.signature


@pytest.mark.skipif(not CNC.is_dir(), reason="no shared/data/cnc")
@pytest.mark.parametrize("name", ANSWERS)
def test_perfect_answers_of_the_causal_news_corpus(name):
    gold = fc.read(CNC / "dev_subtask2.csv")
    assert scored(gold, of_gold(gold)[name])["overall"].f1 > 0.99


def test_prose_and_refusals_stay_unread():
    texts = [*answer_forms.refusals(), *answer_forms.prose()]
    assert len(texts) == 1000
    text = "The harbour opens at seven ."
    read = fc.read([{"text": text, "output": said} for said in texts], answers="output")
    assert [example["relations"] for example in read.to_examples()] == [[None]] * 1000
    of_answers = [row["relation"] is None for row in read.unparsed.to_pylist()]
    assert all(of_answers)


AB = {"cause": ["a"], "effect": ["b"]}
CD = {"cause": ["c"], "effect": ["d"]}


@pytest.mark.parametrize(
    ("form", "answer", "relations"),
    [
        ("lines", "**Cause:** a\n**Effect:** b\n**Signal:** s, t", [AB | {"signal": ["s", "t"]}]),
        ("lines", "### Relation 1\n* **Cause**: a\n* **Effect**: b\n### Relation 2\nCause: c", [
            AB, {"cause": ["c"]}]),
        ("lines", "Effect: b\nCause: a\n\nEffect: d\nCause: c", [AB, CD]),
        ("lines", "(1) Cause = a, Effect = b", [AB]),
        ("lines", "Relation 1: Cause: a → Effect: b\nRelation 2: Cause: c → Effect: d", [AB, CD]),
        ("lines", "Cause 1: a\nEffect 1: b\nCause 2: c\nEffect 2: d", [AB, CD]),
        ("lines", "Cause: a\nExplanation: it says: so\nConsequence: b\nMarker: none", [AB]),
        ("xml", '<relation cause="a" effect="b" />', [AB]),
        ("xml", "<cause>a</cause> so <effect>b &amp; c</effect>", [AB | {"effect": ["b & c"]}]),
        ("xml", "<relations/>", []),
        ("yaml", "- cause: a\n  effect: 'b'\n- cause: c\n  effect: \"d\"\n  signal: [s, t]", [
            AB, CD | {"signal": ["s", "t"]}]),
        ("yaml", "relations: []", []),
        ("markdown", "# | Effect | Cause | Confidence\n--|--|--|--\n1 | b | **a** | 0.9", [AB]),
        ("markdown", "|Cause|Effect|\n|-|-|\n|a|b|\n\n|Effect|Cause|\n|-|-|\n|d|c|", [AB, CD]),
        ("tags", "['<ARG0>a</ARG0> so <ARG1>b</ARG1>', '<ARG0>c</ARG0> <ARG1>d</ARG1>']", [AB, CD]),
        ("arrows", "Cause -> Effect\na -> b\nc --[s]--> d", [AB, CD | {"signal": ["s"]}]),
        ("phrase", "There are no causal relations.", []),
        ("lines", "Cause: none\nEffect: none", []),
        ("lines", "**Cause**\na\n\n**Effect**\nb", [AB]),
        ("lines", "### Cause\na\n### Effect\nb\n### Cause\nc\n### Effect\nd", [AB, CD]),
        ("lines", "Causes:\n- a\n- c\n\nEffect:\nb", [AB | {"cause": ["a", "c"]}]),
        ("markdown", "| Cause | Effect |\n|---|---|", []),
        ("markdown", "| Cause | Effect |\n|---|---|\n| - | - |\n| None | N/A |", []),
        ("csv", "id,cause,effect,signal\n1,a,b,\n2,c,d,so\n\nDone, friend.", [
            AB, CD | {"signal": ["so"]}]),
        ("csv", "Cause\tEffect\na\tb\nc\td", [AB, CD]),
        ("csv", '"effect";"cause"\n"b, or so";a', [AB | {"effect": ["b, or so"]}]),
        ("csv", "cause,effect", []),
        ("tags", "[CAUSE]a[/CAUSE] so [EFFECT]b[/EFFECT]\n[effect]d[/effect] [cause]c[/cause]", [
            AB, CD]),
        ("tags", "[CAUSE]a[/CAUSE]\n[EFFECT]b[/EFFECT]\n[CAUSE]c[/CAUSE]\n[EFFECT]d[/EFFECT]", [
            AB, CD]),
        ("arrows", "1. a (cause) -> b (effect)\n2. **d** (effect) -> **c** (cause)", [AB, CD]),
    ],
)  # fmt: skip
def test_ways_to_write_a_form(form, answer, relations):
    for text in (answer, f"```\n{answer}\n```", f"<think>Cause: x</think>{answer}"):
        notes = Notes()
        read = relations_in(text, notes)
        assert [{role: r[role] for role in sorted(r)} for r in read] == [
            {role: r[role] for role in sorted(r)} for r in relations
        ]
        assert notes[f"answer as {form}"] == 1


@pytest.mark.parametrize("text", [
    "None", "None.", "N/A", "No", "no causality", "Not causal", "**None**", "Answer: none", '"No"',
    "There is no causality in this sentence.", "non-causal", "| - | - |", "No cause or effect.",
    "Cause: none\nEffect: none", "| Cause | Effect |\n|---|---|", "cause,effect",
])  # fmt: skip
def test_answers_that_deny_relations(text):
    for said in (text, f"```\n{text}\n```"):
        assert relations_in(said, Notes()) == []


@pytest.mark.parametrize("text", [
    "I would need more context: the cause -> unknown.", "Cause: rain\nEffect: unknown",
    "Cause:\nEffect:", "Cause: none\nEffect: floods", "No, the rain did it.", "I know none.",
    "Is it causal? No idea, N/A", "It is the cause, and effect too.", "[CAUSE]rain[/CAUSE]",
    "rain (cause) -> wind (cause)", "### Cause\n### Effect", "Nothing but the rain.",
    '{"object": "chat", "created": 5}', '{"subject": "rain"}',
])  # fmt: skip
def test_answers_that_state_nothing_stay_unread(text):
    assert isinstance(relations_in(text, Notes()), UnreadError)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"subject": "a", "object": "b"}, AB),
        ({"head": "a", "relation": "leads to", "tail": "b"}, AB),
        ({"head": "b", "type": "caused_by", "tail": "a"}, AB),
        ({"subject": "b", "predicate": "results from", "object": "a"}, AB),
        ({"cause": "a", "effect": "b", "subject": "c", "object": "d"}, AB),
    ],
)
def test_triples(entry, expected):
    assert relations_in(json.dumps([entry]), Notes()) == [expected]
    none = entry | {"relation": "none", "type": "none", "predicate": "none"}
    assert relations_in(json.dumps([none]), Notes()) == ([] if "cause" not in entry else [AB])


def test_a_row_of_other_cells_is_unread():
    first, second = relations_in("cause,effect\na,b\na, or so,b", Notes())
    assert first == AB
    assert str(second) == "a row has 3 cells, its header 2"


def test_json_comes_first():
    notes = Notes()
    answer = 'Cause: x\nEffect: y\n{"relations": [{"cause": "a", "effect": "b"}]}'
    assert relations_in(answer, notes) == [{"cause": "a", "effect": "b"}]
    assert dict(+notes) == {"answer in prose": 1}
    for chain in ("a -> b -> c", "a -> b -> c\nd -> e"):
        assert isinstance(relations_in(chain, notes), UnreadError)


def test_forms_of_parts_are_joined():
    gold = [{"text": "Rain so floods", "relations": [{"cause": (0, 1), "effect": (2, 3)}]}]
    scorers = []
    for said in ("Cause: Rain\nEffect: floods", '[["Rain", "floods"]]'):
        scorer = fc.ExtractionScorer(answers="output")
        scorer.update(gold=gold, pred=[{"output": said}])
        scorers.append(scorer)
    scorers[0].merge(scorers[1])
    assert "|answers:json+lines|" in scorers[0].compute().signature


def test_every_form_is_tried():
    assert {NAMES.get(name, name) for name in ANSWERS} | {"phrase"} == {f.name for f in FORMS}


FILLINGS = [(" ", "a ", "<ARG0>", "="), ("-", "cause: ", "<cause>", "*", "| ", "(")]


@pytest.mark.parametrize(
    "fillings", [FILLINGS[0], pytest.param(FILLINGS[1], marks=pytest.mark.slow)]
)
@pytest.mark.parametrize(
    "text",
    ["a{}->", "a -> {}b", "{}-> b", "<ARG0>a{}</ARG0>", "cause{}: a", "cause: a;{}", "|{}\n|-|",
     "<cause {}>", "no {}", "relation{}x", "a -> b (signal: {}"],
)  # fmt: skip
def test_time_grows_with_the_length_alone(text, fillings):
    before = time.process_time()
    for filling in fillings:
        relations_in(text.format(filling * (30_000 // len(filling))), Notes())
    assert time.process_time() - before < 3  # a square of one filling takes longer


OWN_ROLES = [
    '{"relations": [{"cause": "rain", "effect": "floods", "Degree": "heavy"}]}',
    'Here:\n```json\n[{"cause": "rain", "consequence": "floods", "degree": ["heavy"]}]\n```',
    '{"relations": [{"Ursache": "rain", "effects": ["floods"], "degree": "heavy", "note": 1}]}',
]


@pytest.mark.parametrize("answer", OWN_ROLES)
def test_roles_of_ones_own(answer):
    rows = [{"text": "Heavy rain brings floods", "output": answer}]
    settings = {"roles": "cause,effect,signal,degree", "role": "cause=ursache"}
    found = fc.read(rows, answers="output", **settings)
    assert found.roles == ("cause", "effect", "signal", "degree")
    wanted = [{"cause": [(1, 2)], "effect": [(3, 4)], "degree": [(0, 1)]}]
    assert found.to_examples()[0]["relations"] == wanted
    usual = fc.read(rows, answers="output").to_examples()[0]["relations"][0]
    assert "degree" not in usual

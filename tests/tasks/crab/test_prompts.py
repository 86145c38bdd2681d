"""Prompts: a played model reads them, and its answers come back by the same task without flags."""

from __future__ import annotations

import json
import random
import re

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from tests.support.cli import cli

GOLD = [json.loads(line) for line in sample.CRAB_GOLD.read_text().splitlines()]
ASKED = [
    json.loads(line) for line in (sample.FOLDER / "crab_questions.jsonl").read_text().splitlines()
]
PAIR = {"topic_id": 4, "event_order_a": 1, "event_order_b": 2, "class": "A", "score": 95,
        "article_id_a": 1, "article_id_b": 2,
        "event_a": "Rain falls", "event_b": "A dam breaks"}  # fmt: skip
ARTICLES = [{"topic_id": 4, "article_id": k, "text": f"text {k}"} for k in (1, 2)]
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0")).filter(str.strip)


def played(prompt, task):
    """Answer in the form that the prompt asks for, by its events alone."""
    if task == "mcq":
        effect = re.search(r"^Event: (.*)$", prompt, re.M)[1]
        texts = re.findall(r"^\[([A-D])\] (.*)$", prompt, re.M)
        [row] = [row for row in ASKED if row["effect"] == effect]
        best = max(range(4), key=lambda i: row[f"{i}_score"])
        said = next(letter for letter, text in texts if text == row[f"{best}_cause"])
    else:
        events = tuple(re.search(rf"^Event {k}: (.*)$", prompt, re.M)[1] for k in (1, 2))
        [row] = [p for p in GOLD if (p["event_a"], p["event_b"]) == events]
        said = {
            "score": str(row["score"]),
            "multiclass": row["class"],
            "three": {"A": "A", "B": "B", "C": "B", "D": "C"}[row["class"]],
            "binary": "yes" if row["score"] >= 50 else "no",
        }[task]
    if "<Answer>" not in prompt:
        assert "one word" in prompt
        return f"{said.capitalize()}."
    form = re.fullmatch(r"(<Answer>)[^<]+(</Answer>)", prompt.rpartition("like this: ")[2])
    return f"The one came before the other.\n{form[1]}{said}{form[2]}"


def result_of(request):
    """The line of a batch's results for a request."""
    [message] = request["body"]["messages"]
    message = {"role": "assistant", "content": played(message["content"], request["task"])}
    body = {"object": "chat.completion", "choices": [{"index": 0, "message": message}]}
    response = {"status_code": 200, "request_id": "r", "body": body}
    return {"id": "batch_req_1", "custom_id": request["custom_id"], "response": response}


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize("task", ["score", "multiclass", "three", "binary", "mcq"])
def test_what_comes_back_is_read_without_flags(task, batch, tmp_path):
    gold, back = tmp_path / "gold.jsonl", tmp_path / "back.jsonl"
    rows = ASKED if task == "mcq" else random.Random(7).sample(GOLD, len(GOLD))
    gold.write_text("".join(json.dumps(row) + "\n" for row in rows))
    flags = ["--to", "openai-batch", "--model", "m"] if batch else []
    cli("crab", "prompts", gold, "--task", task, "--out", tmp_path / "p.jsonl", *flags)
    lines = [json.loads(line) for line in (tmp_path / "p.jsonl").read_text().splitlines()]
    if batch:
        assert {line["body"]["model"] for line in lines} == {"m"}
        answers = [result_of(line | {"task": task}) for line in lines]
    else:
        answers = [{"id": line["id"], "prediction": played(line["prompt"], task)} for line in lines]
    random.Random(task).shuffle(answers)
    back.write_text("".join(json.dumps(row) + "\n" for row in answers))
    names = {"mcq": ["graded"]}.get(task, ["pairwise", "frames", "chains"])
    for name in names:
        of_task = [] if task == "mcq" else ["--task", task]
        report = json.loads(cli("crab", name, gold, back, *of_task, "--json")[0])
        assert report["coverage"] == {"n_read": len(rows), "share": 1.0, "unread": {
            "missing": 0, "unreadable": 0, "out_of_range": 0, "unmatched": 0}}  # fmt: skip
        if (name, task) in (("frames", "binary"), ("chains", "binary")):
            continue  # yes is a score from 50 on, there a class A or B
        assert (
            report["scores"]["overall"].get("accuracy", report["scores"]["overall"].get("em")) == 1
        )


@given(
    TEXTS,
    TEXTS,
    TEXTS.map(" {} ".format) | TEXTS,
    st.integers(1, 9),
    st.sampled_from(["score", "three", "binary"]),
)
def test_texts_are_clipped_and_never_interpreted(first, second, article, words, task):
    """The prompt is the template with texts put in: braces in texts are braces."""
    first, second = f"{{{{ 7 * 7 }}}} {first}", f"{second} {{% if x %}} {{# no #}}"
    pair = PAIR | {"event_a": first, "event_b": second}
    report = fc.crab.prompts(
        [pair], [ARTICLES[0], ARTICLES[1] | {"text": article}], task, words=words
    )
    prompt = report.prompts["prompt"][0].as_py()
    marks = ["\n\nDocument 2:\n", f"\n\nEvent 1: {first}\nEvent 2: {second}\n\n"]
    for mark in marks:
        assert mark in prompt
    told = prompt[: prompt.rindex(marks[1])].split("Document 2:\n", 1)[1]
    assert told.split()[:words] == article.split()[:words]
    assert article.lstrip().startswith(told)
    assert prompt.startswith("Document 1:\ntext 1\n")
    over = article.split() != told.split()
    assert report.to_dict()["scores"][task]["n_clipped"] == over


@pytest.mark.parametrize(
    ("words", "end"),
    [(1, "Smith said."), (5, "Smith said."), (6, "the U.S. army left.”"), (10, "left.”"),
     (11, "Was it 3.5 p.m. then?"), (16, "no mark"), (20, "no mark"), (21, "last words"),
     (250, "last words")],
)  # fmt: skip
def test_an_article_ends_with_a_whole_sentence(words, end):
    """The sentence of the last word is whole: neither abbreviations nor numbers end it."""
    article = (
        "Rain fell, Mr. Smith said. “Then the U.S. army left.” Was it 3.5 p.m. then? A title with"
        " no mark\n\nThe last words"
    )
    report = fc.crab.prompts(
        [PAIR], [ARTICLES[0], ARTICLES[1] | {"text": article}], "score", words=words
    )
    told = report.prompts["prompt"][0].as_py().split("Document 2:\n")[1].split("\n\nEvent 1")[0]
    assert told == article[: article.index(end) + len(end)]


def test_an_article_of_both_events_is_told_once():
    [prompt] = fc.crab.prompts([PAIR | {"article_id_b": 1}], ARTICLES).prompts["prompt"].to_pylist()
    assert prompt.count("text 1") == 1
    assert "Document 2" not in prompt


def test_articles_replace_those_of_gold_and_belong_to_their_topic():
    gold = [PAIR | {"article_a": "old", "article_b": "old"}, PAIR | {"topic_id": 5}]
    gold[1] |= {"article_a": "old", "article_b": "old"}
    other = [row | {"topic_id": 5, "text": "other"} for row in ARTICLES]
    first, second = fc.crab.prompts(gold, ARTICLES + other).prompts["prompt"].to_pylist()
    assert "text 1" in first
    assert "other" in second
    assert "old" not in first + second
    assert fc.crab.prompts(gold).prompts["prompt"][0].as_py().startswith("Document 1:\nold\n\nEv")


def test_template_of_the_user(tmp_path):
    template = tmp_path / "t.j2"
    template.write_text("{{ event_a }} > {{ event_b }} ({{ period }}): {{ articles | join('+') }}")
    gold = [PAIR | {"period": "before"}]
    [prompt] = fc.crab.prompts(gold, ARTICLES, template=template).prompts["prompt"].to_pylist()
    assert prompt == "Rain falls > A dam breaks (before): text 1+text 2"
    template.write_text(
        "{{ effect }}:{% for c in causes %} {{ c.letter }}={{ c.text }}{% endfor %}"
    )
    [prompt, *_] = (
        fc.crab.prompts(ASKED, None, "mcq", template=template).prompts["prompt"].to_pylist()
    )
    causes = sorted((ASKED[0][f"{i}_choice"], ASKED[0][f"{i}_cause"]) for i in range(4))
    assert prompt == f"{ASKED[0]['effect']}:" + "".join(f" {x}={text}" for x, text in causes)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("{{ event_a }}\n{{ evnt_b }}", "t.j2:2: 'evnt_b' is undefined, for \"4/1/2\""),
        ("{{ score }}", "t.j2:1: 'score' is undefined"),
        ("{{ class }}", "t.j2:1: 'class' is undefined"),
        ("{{ this['class'] }}", "t.j2:1: 'this' is undefined"),
        ("a\n{% for x in articles %}", "t.j2:2: Unexpected end of template"),
        ("\n\n{{ 1 / 0 }}", "t.j2:3: division by zero"),
        (
            "{{ event_a.__class__.__mro__ }}",
            "access to attribute '__class__' of 'str' object is unsafe",
        ),
        ("{% if false %}x{% endif %}", 't.j2: the prompt for "4/1/2" is blank'),
        ("{% include 'x' %}", "t.j2:1: no loader"),
    ],
)
def test_templates_that_fail(source, message, tmp_path):
    (tmp_path / "t.j2").write_text(source)
    with pytest.raises(fc.InputError) as error:
        fc.crab.prompts([PAIR], ARTICLES, template=tmp_path / "t.j2")
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("gold", "articles", "message"),
    [
        (
            {"event_a": " "},
            ARTICLES,
            'gold.jsonl:1: "event_a" is missing or blank, expected a text',
        ),
        ({"event_b": None}, ARTICLES, 'gold.jsonl:1: "event_b" is missing or blank'),
        ({"article_id_b": 3}, ARTICLES, 'gold.jsonl:1: no article "3" of topic 4'),
        ({"topic_id": 9}, ARTICLES, 'no article "1" of topic 9'),
        ({}, [ARTICLES[0], ARTICLES[0]], 'articles.jsonl:2: article "1" of topic 4 occurs twice'),
        ({}, [ARTICLES[0], ARTICLES[1] | {"text": ""}], 'articles.jsonl:2: "text" is missing or'),
        ({}, [{"topic_id": 4, "article_id": 1}], 'articles.jsonl: no column "text"'),
        ({}, [{"article_id": 1, "text": "x"}], 'articles.jsonl: no column "topic_id"'),
        ({}, [], "articles.jsonl is empty"),
        ({}, None, 'gold.jsonl: no column "article_a"'),
        ({"event_order_b": 0}, ARTICLES, "expected a before b"),
    ],
)
def test_bad_input(gold, articles, message, tmp_path):
    files = [tmp_path / "gold.jsonl", *[tmp_path / "articles.jsonl"] * (articles is not None)]
    files[0].write_text(json.dumps(PAIR | gold) + "\n")
    if articles is not None:
        files[1].write_text("".join(json.dumps(row) + "\n" for row in articles))
    _, said = cli("crab", "prompts", *files, "--out", tmp_path / "p.jsonl", expect=2)
    assert message in said
    assert not (tmp_path / "p.jsonl").exists()


def test_files_of_prompts(tmp_path):
    for name in ("p.parquet", "p.csv"):
        cli("crab", "prompts", sample.CRAB_GOLD, "--out", tmp_path / name)
    assert pq.read_table(tmp_path / "p.parquet").column_names == ["id", "prompt"]
    assert (tmp_path / "p.csv").read_text().startswith('"id","prompt"\n"4/1/2",')
    flags = ["--to", "openai-batch", "--model", "m"]
    _, said = cli(
        "crab", "prompts", sample.CRAB_GOLD, "--out", tmp_path / "q.csv", *flags, expect=2
    )
    assert "q.csv" in said
    for wrong in (["--to", "openai-batch"], ["--model", "m"]):
        _, said = cli(
            "crab", "prompts", sample.CRAB_GOLD, "--out", tmp_path / "q", *wrong, expect=2
        )
        assert "--model is for --to openai-batch, which needs it" in said
    _, said = cli("crab", "prompts", sample.CRAB_GOLD, "--out", sample.CRAB_GOLD, expect=2)
    assert "is read, expected another file" in said


DONE = {"status_code": 200, "body": {"choices": [{"message": {"content": "85"}}]}}


@pytest.mark.parametrize(
    ("response", "result"),
    [
        (DONE, 85),
        (None, "missing"),
        ({"status_code": 429, "body": {"error": "slow down"}}, "missing"),
        ({"status_code": 200, "body": {"choices": [{"message": {"content": None}}]}}, "missing"),
        ({"status_code": 200, "body": {"choices": []}}, "the reply is an object, expected a text"),
        ({"status_code": 200}, "missing"),
        ({"status_code": 200, "body": {"choices": [{"message": {"content": 5}}]}},
         "the reply is a number, expected a text"),
    ],
)  # fmt: skip
def test_results_of_a_batch(response, result, tmp_path):
    back = tmp_path / "back.jsonl"
    other = {"custom_id": "4/1/3", "response": DONE, "error": None}
    line = {"custom_id": "4/1/2", "response": response, "error": None}
    back.write_text(json.dumps(other) + "\n" + json.dumps(line) + "\n")
    gold = [PAIR, PAIR | {"event_order_b": 3}]
    if isinstance(result, str) and result != "missing":
        with pytest.raises(fc.InputError) as error:
            fc.crab.pairwise(gold, back)
        assert f"back.jsonl:2: {result}" in str(error.value)
        return
    report = fc.crab.pairwise(gold, back, unparsed="empty")
    assert report.coverage["unread"]["missing"] == (result == "missing")
    assert report.per_pair["pred_score"].to_pylist() == [
        -1.0 if result == "missing" else 85.0,
        85.0,
    ]


def test_answers_by_id():
    gold = [PAIR, PAIR | {"event_order_b": 3, "class": "D"}]
    rows = [{"id": "4/1/3", "prediction": "D"}, {"id": "4/1/2", "prediction": "A"}]
    assert fc.crab.pairwise(gold, rows, "multiclass")["overall"].accuracy == 1
    for odd, message in (
        ([rows[0], rows[0]], 'pair "4/1/3"'),
        ([rows[0], rows[1] | {"id": "4/1/4"}], "of nothing in gold"),
        (rows[:1], "have no answer"),
    ):
        with pytest.raises(fc.InputError, match=message):
            fc.crab.pairwise(gold, odd, "multiclass")

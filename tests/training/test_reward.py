"""The reward: worked by hand, against an oracle, and equal one by one, in batches, by `score`."""

from __future__ import annotations

import gc
import json
import math
import pickle
import random
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from fastcausal.errors import InputError
from fastcausal.training import Reward
from tests.fuzz.mutations import rough
from tests.oracles import reward as oracle
from tests.oracles.whole import count_depths
from tests.support import model_answers

TEXT = "Rain fell so roads closed ."
GOLD = [{"cause": (0, 2), "effect": (3, 5)}]
RIGHT = {"cause": "Rain fell", "effect": "roads closed"}
EXAMPLE = {"text": TEXT, "relations": GOLD}
NONE = {"text": TEXT, "relations": []}
REFUSAL = "I cannot"


def said(*relations: dict[str, Any]) -> str:
    return json.dumps({"relations": relations})


WORKED = {
    "right": (said(RIGHT), 1.0, 0.0),
    "twice": (said(RIGHT, RIGHT), 4 / 6, 0.0),
    "a part": (said({**RIGHT, "effect": "roads"}), 2 / 3, 0.0),
    "no relation": (said(), 0.0, 1.0),
    "refusal": (REFUSAL, 0.0, 0.0),
    "empty": ("", 0.0, 0.0),
    "five times": (said(*[RIGHT] * 5), 4 / 12, 0.0),
    "every span": (
        said(*({"cause": a, "effect": b} for a in TEXT.split() for b in TEXT.split() if a != b)),
        # Words are parts of spans: boundary errors, no hit.
        0.0,
        0.0,
    ),
    "the prompt": (f"Find causes and effects as JSON in: {TEXT}", 0.0, 0.0),
    "exchanged": (said({"cause": "roads closed", "effect": "Rain fell"}), 0.0, 0.0),
    "whole sentence twice": (said({"cause": TEXT, "effect": TEXT}), 0.0, 0.0),
    "other text": (said({**RIGHT, "effect": "bridges closed"}), 0.0, 0.0),
    "several blocks": (
        f"```json\n{said({**RIGHT, 'effect': 'roads'})}\n```\nor\n```json\n{said(RIGHT)}\n```",
        2 / 3,
        0.0,
    ),
    "empty list": ("[]", 0.0, 1.0),
    "thinking alone": (f"<think>{said(RIGHT)}", 0.0, 0.0),
}


@pytest.mark.parametrize("name", WORKED)
def test_worked(name):
    answer, value, without_gold = WORKED[name]
    reward = Reward()
    assert reward.score(answer, EXAMPLE) == value
    assert reward.score(answer, NONE) == without_gold


def test_unread_and_none_are_set():
    reward = Reward(unparsed=0.25, none=0.5)
    rows = {"text": [TEXT] * 3, "relations": [[], [], GOLD]}
    assert reward([REFUSAL, "[]", REFUSAL], **rows) == [0.25, 0.5, 0.25]


FORMS = [
    [RIGHT],
    GOLD,
    [{"cause": [(0, 2)], "effect": [[3, 5]], "signal": None}],
    json.dumps([RIGHT]),
    json.dumps(GOLD),
    said(RIGHT),
    "<ARG0>Rain fell</ARG0> so <ARG1>roads closed</ARG1> .",
    ["<ARG0>Rain fell</ARG0> so <ARG1>roads closed</ARG1> ."],
    "['<ARG0>Rain fell</ARG0> so <ARG1>roads closed</ARG1> .']",
    json.dumps(["<ARG0>Rain fell</ARG0> so <ARG1>roads closed</ARG1> ."]),
    np.array([{"cause": np.array([0, 2]), "effect": np.array([3, 5])}], object),
]


@pytest.mark.parametrize("protocol", ["recess", "cnc-2023", "relations", "depths"])
def test_gold_in_every_form(protocol):
    reward, n = Reward(protocol), len(FORMS)
    part = said({**RIGHT, "effect": "roads"})
    alone = [reward.score(part, {"text": TEXT, "relations": gold}) for gold in FORMS]
    assert alone == alone[:1] * n
    assert reward([said(RIGHT)] * n, text=[TEXT] * n, relations=FORMS) == [1.0] * n
    tokens = Reward(protocol, tokens="words")
    assert tokens.score(part, {"words": TEXT.split(), "relations": GOLD}) == alone[0]


@pytest.mark.parametrize(
    ("gold", "problem"),
    [
        (None, "gold is None"),
        (3, "gold is 3"),
        ("<ARG0>Rain fell", "<ARG0> is never closed"),
        (["<ARG0>Snow</ARG0> fell ."], "has 3 tokens, expected 6"),
        ([{"cause": "snow"}], '"snow" is not in the text'),
        ([{"cuase": "Rain"}], 'unknown role "cuase"'),
        ([{"cause": (0, 9)}], "ends after the last token"),
        ("[Rain fell", "gold is '[Rain fell'"),
        ("", "has 0 tokens, expected 6"),
    ],
)
def test_faults_of_gold_name_their_row(gold, problem):
    with pytest.raises(InputError, match="row 1: ") as caught:
        Reward()(["[]"] * 3, text=[TEXT] * 3, relations=[GOLD, gold, [RIGHT]])
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"unparsed": 1.5}, {"none": -0.1}, {"none": math.nan}, {"unparsed": True}, {"cache": -1},
        {"parts": {}}, {"parts": {"score": 0}}, {"parts": {"score": -1, "format": 2}},
        {"parts": {"score": math.inf}}, {"parts": {"length": 1}}, {"score": "alpha"},
        {"score": "mcc", "protocol": "depths"}, {"protocol": "cnc-2022"}, {"protocol": "mine"},
        {"protocol": replace(fc.PROTOCOLS["recess"], name="a", tags="aligned")},
        {"occurrence": "last"}, {"words": "letter"},
    ],
)  # fmt: skip
def test_options_are_refused(options):
    with pytest.raises(ValueError, match=r"expected|aligns|does not add up|excluded"):
        Reward(**options)


def test_columns_are_refused():
    with pytest.raises(InputError, match='no column "relations" of the data set: found text'):
        Reward()(["[]"], text=[TEXT])
    with pytest.raises(InputError, match='column "text" has 2 rows, expected 1'):
        Reward()(["[]"], text=[TEXT] * 2, relations=[GOLD])
    with pytest.raises(InputError, match="row 0: the text is None"):
        Reward().score("[]", {"relations": GOLD})
    with pytest.raises(TypeError, match="a completion is a int"):
        Reward().score(3, EXAMPLE)


def message(content: Any, role: str = "assistant", **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def test_messages():
    call = {"function": {"name": "x", "arguments": said(RIGHT)}}
    values = {
        1.0: [
            [message(said(RIGHT))],
            [message("[]"), message("more", "user"), message(said(RIGHT))],
            [message(said(RIGHT)), message("[]", "user")],
            [message([{"type": "text", "text": said(RIGHT)}])],
            [message("", tool_calls=[call])],
            message(said(RIGHT)),
        ],
        0.0: [[], None, [message(None)], [message(said(RIGHT), "user")], [message("")]],
    }
    for value, completions in values.items():
        n = len(completions)
        assert Reward()(completions, text=[TEXT] * n, relations=[GOLD] * n) == [value] * n


def test_trl_and_verl():
    logged: dict[str, Any] = {}
    reward = Reward(parts={"score": 3, "format": 1}, name="mine", gold="gold", text="input")
    answers = [said({**RIGHT, "effect": "roads"}), REFUSAL]
    columns = {"input": [TEXT] * 2, "gold": [GOLD] * 2, "prompts": ["?"] * 2, "trainer_state": None}
    values = reward(answers, **columns, log_metric=logged.__setitem__, log_extra=logged.__setitem__)
    parts = {"score": [2 / 3, 0.0], "format": [1.0, 0.0]}
    assert reward.parts_of(answers, **columns) == parts
    assert values == [(3 * (2 / 3) + 1) / 4, 0.0]
    assert logged["mine/unread"] == 0.5
    assert logged["mine/score"] == parts["score"]  # values come behind means
    assert reward.verl("any", answers[0], GOLD, {"text": TEXT}) == values[0]
    assert reward.verl("any", answers[0], GOLD, {"input": TEXT}, reward_router=None) == values[0]
    assert reward([], input=[], gold=[]) == []
    assert reward.__name__ == "mine"
    assert Reward("relations", score="overlap_f1").__name__ == "fastcausal_relations_overlap_f1"


def test_parts():
    """An answer with a span that is not in the text is unread, and quoted by its share."""
    reward = Reward(parts={"score": 1, "format": 1, "quote": 1, "direction": 1}, unparsed=0.5)
    turned = {"cause": "roads closed", "effect": "Rain fell"}
    cases = {
        said(RIGHT): (1, 1, 1, 1),
        said(): (0, 1, 1, 1),
        REFUSAL: (0.5, 0, 0, 0),
        said(turned): (0, 1, 1, 0),
        said(RIGHT, turned): (4 / 6, 1, 1, 0.5),
        said({**RIGHT, "effect": "the bridge"}): (0.5, 1, 0.5, 1),
        said({**RIGHT, "effect": "Roads  closed"}): (1, 1, 0.5, 1),
        said({"cause": "Rain  fell", "effect": "road"}): (2 / 3, 1, 0.5, 1),
        '{"relations": [3]}': (0.5, 0, 0, 0),
        '[{"cause": [0, 9], "effect": [13, 25]}]': (1, 1, 1, 1),
        said({**RIGHT, "effect": " "}): (2 / 3, 1, 1, 1),
        repr([{**RIGHT, "effect": ["", " ", None]}]): (2 / 3, 1, 1, 1),
        '[{"cause": [0, 9], "effect": [13, 99]}]': (0.5, 1, 0.5, 1),
    }
    n = len(cases)
    found = reward.parts_of([*cases], text=[TEXT] * n, relations=[GOLD] * n)
    assert dict(zip(cases, zip(*found.values(), strict=True), strict=True)) == cases


LENGTH = 6
WORDS = [f"w{k}" for k in range(LENGTH)]


@st.composite
def sides(draw: st.DrawFn) -> tuple[list[oracle.Relation], list[oracle.Relation]]:
    spans = st.tuples(st.integers(0, LENGTH - 1), st.integers(1, 3)).map(
        lambda each: (each[0], min(LENGTH, sum(each)))
    )
    roles = st.fixed_dictionaries(
        {"cause": st.just([]) | spans.map(lambda s: [s]), "effect": spans.map(lambda s: [s])},
        optional={"signal": st.lists(spans, max_size=2, unique=True)},
    )
    return draw(st.lists(roles, max_size=3)), draw(st.lists(roles, max_size=3))


def in_words(relations: list[oracle.Relation]) -> list[dict[str, list[str]]]:
    return [
        {role: [" ".join(WORDS[a:b]) for a, b in spans] for role, spans in relation.items()}
        for relation in relations
    ]


@given(sides())
def test_against_the_oracle(drawn):
    gold, answer = drawn
    row = {"text": " ".join(WORDS), "relations": gold}
    text = said(*in_words(answer))
    assert Reward().score(text, row) == oracle.reward(gold, answer, oracle.recess_f1)
    for name in ("exact", "overlap", "iou", "undirected", "boundary", "signal"):
        reward = Reward("relations", score=f"{name}_f1")
        assert reward.score(text, row) == oracle.reward(gold, answer, oracle.relations_f1(name))
    weights = {"score": 0.7, "direction": 0.2, "quote": 0.1}
    parts = Reward(parts=weights).parts_of([text], text=[row["text"]], relations=[gold])
    counts = count_depths(gold, answer, oracle.ROLES, oracle.ROLES[:2], "exact")
    lines = [n for name, n in counts.items() if name.startswith("account_predicted_")]
    whole = counts["right"] + sum(lines) - counts["account_predicted_partial"]
    turned = Fraction(counts["account_predicted_turned"], whole) if whole else 0
    assert parts["direction"] == [float(1 - turned)]
    assert parts["quote"] == [1.0]
    value = Reward(parts=weights).score(text, row)
    exact = oracle.weighted({name: values[0] for name, values in parts.items()}, weights)
    assert value == pytest.approx(float(exact), abs=1e-15)


@given(st.lists(st.text("ab .", max_size=4), min_size=1), st.text("ab .", min_size=1, max_size=9))
def test_quotes_against_the_oracle(spans, text):
    words = [span for span in spans if any(map(str.isalnum, span))]
    text = " ".join(["b", *text.replace(".", " . ").split()])
    words = [word.replace(".", " . ") for word in words]
    if words:
        reward = Reward(parts={"quote": 1})
        answer = said({"cause": words, "effect": "b"})
        found = reward.parts_of([answer], text=[text], relations=[[]])["quote"]
        assert found == [oracle.quoted([*words, "b"], text)]


@cache
def corpus() -> list[tuple[str, Any, str]]:
    """Texts, gold and answers: of the sample, of the fuzz corpus and of an imagined model."""
    gold = fc.read(sample.GOLD)
    known = dict(zip(gold.ids.to_pylist(), gold.to_examples(), strict=True))
    lines = Path(sample.GOLD).with_name("raw_answers.jsonl").read_text("utf-8").splitlines()
    found = []
    for row in map(json.loads, lines):
        found.append((known[row["id"]]["text"], known[row["id"]]["relations"], row["output"]))
    folder = Path(__file__).parents[1] / "fuzz" / "corpus" / "raw"
    for row in map(json.loads, (folder / "lines.jsonl").read_text("utf-8").splitlines()):
        gold = [{"cause": "Rain", "effect": "floods"}]
        if isinstance(row.get("output"), str) and isinstance(row.get("text"), str):
            found.append((row["text"], gold if "Rain" in row["text"] else [], row["output"]))
    return found + [(case.text, case.gold, case.answer) for case in model_answers.cases()]


def drawn(n: int) -> list[tuple[str, Any, str]]:
    """Cases of the corpus, then mutated ones."""
    rng = random.Random(7)
    cases, found = corpus(), [*corpus()]
    while len(found) < n:
        text, gold, answer = rng.choice(cases)
        other = rng.choice(cases)[2]
        made = rough(answer.encode(), other.encode(), rng).decode(errors="replace")
        found.append((text, gold, made))
    return found[:n]


def by_score(protocol: str, score: str, text: str, gold: Any, answer: str) -> float:
    """The same by `score` of this one example."""
    example, output = {"text": text, "relations": gold}, {"output": answer}
    report = fc.score([example], [output], protocol, answers="output", unparsed="empty")
    if report.facts["n_unparsed"]:
        return 0.0
    group = report[score.removesuffix("_f1")]
    n_pred, n_gold = report.facts["n_pred_relations"], report.facts["n_gold_relations"]
    if not n_pred and not n_gold:
        return 1.0
    hits = 2 * group["tp"]
    errors = [group[e] for e in ("fp", "fn", "le", "be", "lbe") if e in group]
    return hits / (hits + sum(errors) if errors else group["predicted"] + group["gold"])


RACES = [("recess", "overall_f1", 200), ("relations", "overlap_f1", 100)]


@pytest.mark.parametrize(
    ("protocol", "score", "n"),
    [*RACES, pytest.param("recess", "overall_f1", 10_000, marks=pytest.mark.slow)],
)
def test_every_way_gives_the_same_bits(protocol, score, n):
    cases = drawn(n)
    texts, golds, answers = map(list, zip(*cases, strict=True))
    reward, one = Reward(protocol, score=score), Reward(protocol, score=score, cache=3)
    values = reward(answers, text=texts, relations=golds)
    assert all(math.isfinite(value) and 0 <= value <= 1 for value in values)
    assert {0.0, 1.0} < {*values}
    half = n // 2
    parts = [slice(half, None), slice(0, half)]
    split = [reward(answers[part], text=texts[part], relations=golds[part]) for part in parts]
    assert split[1] + split[0] == values
    for (text, gold, answer), value in zip(cases, values, strict=True):
        row = {"text": text, "relations": gold}
        alone = one.score(answer, row), one.verl("", answer, gold, row)
        assert (*alone, by_score(protocol, score, text, gold, answer)) == (value,) * 3, answer


SCORES = {
    "recess": ("overall_precision", "overall_recall", "cause_recall", "signal_precision"),
    "cnc-2023": ("overall_precision", "effect_recall"),
    "depths": ("links_precision", "causal_f1", "spans_overall_recall", "steps_found"),
}


@pytest.mark.parametrize("protocol", SCORES)
def test_scores_that_are_one_ratio(protocol):
    rewards = {name: Reward(protocol, score=name) for name in SCORES[protocol]}
    n_between = 0
    for text, gold, answer in drawn(60):
        example, output = {"text": text, "relations": gold}, {"output": answer}
        report = fc.score([example], [output], protocol, answers="output", unparsed="empty")
        # cnc-2023 does not count unread answers that it ignores.
        n_unread = fc.read([{**output, "text": text}], answers="output").n_unread
        n_relations = report.facts["n_pred_relations"] + report.facts["n_gold_relations"]
        for name, reward in rewards.items():
            group, _, score = name.rpartition("_")
            value = report[group][score] if n_relations else 1.0
            wanted = 0.0 if n_unread or math.isnan(value) else value
            n_between += 0 < wanted < 1
            assert reward.score(answer, example) == wanted, (name, answer)
    assert n_between > 5


def test_parts_of_drawn_answers_are_shares():
    texts, golds, answers = zip(*drawn(600), strict=True)
    weights = {"score": 0.5, "format": 0.2, "quote": 0.2, "direction": 0.1}
    reward = Reward("depths", parts=weights)
    for values in (*reward.parts_of(answers, text=texts, relations=golds).values(),
                   reward(answers, text=texts, relations=golds)):  # fmt: skip
        assert all(0 <= value <= 1 for value in values)


def test_types_of_relations():
    row = {"text": TEXT, "relations": [{**GOLD[0], "type": "Enables"}]}
    reward = Reward("relations", score="strict_f1")
    types = ["Enables", "Prevents", None]
    answers = [said({**RIGHT, "type": name} if name else RIGHT) for name in types]
    assert [reward.score(answer, row) for answer in answers] == [1.0, 0.0, 0.0]
    assert reward(answers, text=[TEXT] * 3, relations=[row["relations"]] * 3) == [1.0, 0.0, 0.0]


def test_words_of_scripts_without_blanks():
    """A span that cuts a token of such letters is not found, rather than an error."""
    row = {"text": "大雨导致3人死", "relations": []}
    answer = said({"cause": "大雨", "effect": "死"})
    assert Reward(unparsed=0.5).score(answer, row) == 0.5
    row["relations"] = [{"cause": "大雨", "effect": "死"}]
    reward = Reward(words="letters", parts={"score": 1, "quote": 1})
    assert reward.parts_of([answer], **{name: [value] for name, value in row.items()}) == {
        "score": [1.0],
        "quote": [1.0],
    }


def test_kept_gold_is_bounded_and_by_content():
    reward = Reward(cache=5)
    gold = [{"cause": [0, 1], "effect": [1, 2]}]
    texts = [f"a{k} b{k}" for k in range(20)]
    answers = [said({"cause": f"a{k}", "effect": f"b{k}"}) for k in range(20)]
    for _ in range(2):
        assert reward(answers, text=texts, relations=[gold] * 20) == [1.0] * 20
        assert len(reward._golds.kept) == 5
    gold[0]["effect"] = [0, 1]  # the same object with another content
    assert reward(answers, text=texts, relations=[gold] * 20) != [1.0] * 20


def test_pickles_and_threads():
    texts, golds, answers = zip(*drawn(60), strict=True)
    reward = Reward(cache=7)
    values = reward(answers, text=texts, relations=golds)
    again = pickle.loads(pickle.dumps(reward))
    assert not again._golds.kept
    start = threading.Barrier(4)

    def score(seed: int) -> list[float]:
        order = random.Random(seed).sample(range(60), 60)
        start.wait()
        rows = [(answers[k], {"text": texts[k], "relations": golds[k]}) for k in order]
        alone = [again.score(*row) for row in rows]
        return [alone[order.index(k)] for k in range(60)]

    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(score, range(4))] == [values] * 4


@pytest.mark.slow
def test_memory_stays_flat():
    texts, golds, answers = zip(*drawn(200), strict=True)
    reward = Reward(cache=50)

    def held() -> int:
        for k in range(200):
            reward.score(answers[k], {"text": texts[k], "relations": golds[k]})
            reward(answers[k : k + 4], text=texts[k : k + 4], relations=golds[k : k + 4])
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    held()
    before = held()
    # 5,000 answers: a leak of one object each would be more than what Python's free lists keep.
    assert max(held() for _ in range(5)) - before < 100_000
    tracemalloc.stop()

"""Text that cannot be a prediction never counts silently as one without relations."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.errors import InputError
from fastcausal.formats.cnc import copies, markup
from tests.oracles.writing import with_tags
from tests.support.format_cases import CNC, needs_cnc
from tests.support.profiles import trials

TEXT = "Rain fell so roads closed ."
SPANS = {"cause": [(0, 2)], "effect": [(3, 5)], "signal": [(2, 3)]}
GOLD = fc.Relations.from_examples([{"id": "a", "text": TEXT, "relations": [SPANS]}])
SENTENCE = "<ARG0>Rain fell</ARG0> <SIG0>so</SIG0> <ARG1>roads closed</ARG1> ."
STALE = "<ARG0>Snow melted</ARG0> and <ARG1>rivers rose</ARG1> !"
UNKNOWN = {
    "<cause>Rain fell</cause> so <effect>roads closed</effect> .": "<cause>",
    "<Cause>Rain fell</Cause> so <Effect>roads closed</Effect> .": "<Cause>",
    "<C>Rain fell</C> so <E>roads closed</E> .": "<C>",
    "<e1>Rain fell</e1> so <e2>roads closed</e2> .": "<e1>",
    "<arg0>Rain fell</arg0> so <arg1>roads closed</arg1> .": "<arg0>",
    "<cause> Rain fell </cause> so roads closed .": "<cause>",
    "[ARG0]Rain fell[/ARG0] so [ARG1]roads closed[/ARG1] .": "[ARG0]",
    "&lt;ARG0&gt;Rain fell&lt;/ARG0&gt; so &lt;ARG1&gt;roads closed&lt;/ARG1&gt; .": "&lt;ARG0&gt;",
    "<ARG0>Rain fell</ARG0> so <effect>roads closed</effect> .": "<effect>",
}


def score(sentence, protocol="recess", gold=GOLD, **options):
    return fc.score(gold, [[sentence]], protocol, **options)


@pytest.mark.parametrize("gold", [GOLD, [[SENTENCE]]], ids=["text", "sentences"])
@pytest.mark.parametrize(("sentence", "tag"), UNKNOWN.items())
def test_mark_up_that_is_no_tag(sentence, tag, gold):
    with pytest.raises(InputError) as error:
        score(sentence, gold=gold)
    assert f'relation 1: unknown tag "{tag}", expected <ARG0>, <ARG1>, <SIG0>' in str(error.value)
    assert score(sentence, gold=gold, unparsed="empty").n_unparsed == 1
    assert fc.read([[sentence]]).n_unread == 1
    if "> Rain" not in sentence:  # of another number of tokens
        report = score(sentence, "cnc-2023", gold)
        assert f"pred: {copies.UNKNOWN}: 1" in report.warnings


@pytest.mark.parametrize("gold", [GOLD, [[SENTENCE]]], ids=["text", "sentences"])
def test_words_of_another_sentence(gold):
    with pytest.raises(InputError, match='another sentence: token 1 is "Snow", expected "Rain"'):
        score(STALE, gold=gold)
    with pytest.raises(InputError, match="another sentence"):
        fc.score(gold, fc.read([[STALE]]))
    with pytest.raises(InputError, match="another sentence"):
        score(STALE, gold=gold, tags="aligned")
    for protocol in ("cnc-2023", "cnc-2022"):
        assert f"pred: {copies.NOTE}: 1" in score(STALE, protocol, gold).warnings


def test_few_other_words_are_counted():
    report = score(SENTENCE.replace("roads", "streets"))
    assert (report["overall"].f1, report.warnings) == (1.0, (f"pred: {copies.NOTE}: 1",))
    # Half of the words are too many.
    with pytest.raises(InputError, match="another sentence"):
        score(SENTENCE.replace("roads", "streets").replace("Rain fell", "It rained"))


def test_a_file_of_predictions_in_another_order(tmp_path):
    texts = [f"w{k} v{k} so x{k} y{k} ." for k in range(4)]
    gold = fc.Relations.from_examples([{"text": t, "relations": [SPANS]} for t in texts])
    path = tmp_path / "pred.jsonl"
    tagged = [[with_tags(t, [(0, 0, 2), (1, 3, 5), (2, 2, 3)])[0]] for t in texts]
    for order, f1 in ((tagged, 1.0), (tagged[::-1], 0.0)):
        path.write_text("".join(json.dumps({"prediction": row}) + "\n" for row in order))
        assert fc.score(gold, path, unparsed="empty")["overall"].f1 == f1


def test_signs_around_words_are_no_answer():
    with pytest.raises(InputError, match=r'relation 1 has no tag, but signs .* lacks: "\*"'):
        score("**Rain fell** so __roads closed__ .")
    assert score(f"**{SENTENCE}**")["overall"].f1 == 1.0  # beside tags they are punctuation
    assert score(TEXT).warnings == ()


@pytest.mark.parametrize(
    "mark", ["<b>", "<br/>", "[ARG0]", "<Cause>", "&lt;p&gt;", "**", "[S]tudents"]
)
def test_what_the_text_holds_is_not_refused(mark):
    text = f"{mark}Rain fell so roads closed ."
    gold = [{"text": text, "relations": [{"cause": (0, 2), "effect": (3, 5)}]}]
    for sentence in (text, f"<ARG0>{mark}Rain fell</ARG0> so <ARG1>roads closed</ARG1> ."):
        report = fc.score(fc.Relations.from_examples(gold), [[sentence]])
        assert (report.n_unparsed, report.warnings) == (0, ())


def test_gold_of_another_sentence(tmp_path):
    path = tmp_path / "gold.csv"
    path.write_text(f"""index,text,causal_text_w_pairs,num_rs\na,{TEXT},"['{STALE}']",1\n""")
    with pytest.raises(InputError, match="example a: relation 1: it is another sentence: token 1"):
        fc.read(path)
    assert fc.read(path, tags="cnc-2023").reading.notes == {copies.NOTE: 1}


def test_several_texts_are_not_sentences():
    read = fc.read([("Rain fell", "roads closed", "Rain fell")])
    assert (read.n_unread, read.unparsed["reason"].to_pylist()) == (1, ["it is another sentence"])
    with pytest.raises(InputError, match="has 2 tokens, expected 6"):
        fc.score(GOLD, [("Rain fell", "roads closed", "Rain fell")])


@pytest.mark.parametrize("n", [0, 2])
def test_a_mistyped_key_is_named(n):
    right = [{"id": str(k), "length": 6, "relations": []} for k in range(n)]
    wrong = {"id": "x", "length": 6, "relation": [SPANS]}
    for read in (fc.read, fc.Relations.from_examples, lambda e: fc.score(e, e)):
        with pytest.raises(InputError, match='example x: no "relations": found id, length, rel'):
            read([*right, wrong])


def test_gold_without_a_relation_is_told():
    gold = [{"length": 6, "relations": []}]
    assert fc.score(gold, gold).warnings == ("gold has no relation in any example",)
    assert fc.score(GOLD, GOLD).warnings == ()


NAMES = ["cause", "effect", "signal", "arg0", "arg1", "sig0", "c", "e", "s", "e1", "c2", "trigger"]
BRACKETS = [
    ("<", ">"),
    ("&lt;", "&gt;"),
    ("[", "]"),
    ("{", "}"),
    ("(", ")"),
    ("|", "|"),
    ("**", "**"),
]
CASES = [str.lower, str.upper, str.title]
words = st.lists(st.sampled_from(["rain", "Fell", "so", "roads", "U.S.", "it's", "."]), min_size=1)


@trials(300)
@given(words, st.sampled_from(NAMES), st.sampled_from(BRACKETS), st.sampled_from(CASES), st.data())
def test_marks_of_roles_are_never_silently_nothing(tokens, name, brackets, case, data):
    """However roles are spelt, a prediction with marks has relations or is unparsed."""
    text = " ".join(tokens)
    gold = fc.Relations.from_examples([{"text": text, "relations": []}])
    start = data.draw(st.integers(0, len(tokens) - 1))
    stop = data.draw(st.integers(start + 1, len(tokens)))
    (left, right), name = brackets, case(name)
    tokens[start] = f"{left}{name}{right}{tokens[start]}"
    tokens[stop - 1] += f"{left}/{name}{right}"
    sentence = [[" ".join(tokens)]]
    read = fc.read(sentence, "cnc", like=gold)
    assert read.n_unread + read.n_relations == 1
    if left == "<" and name not in ("ARG0", "ARG1", "SIG0"):
        assert fc.read(sentence, "cnc").n_unread == 1


BENIGN = [
    str.upper,
    str.lower,
    lambda text: text.replace(" ", "  "),
    lambda text: f" {text}\n",
    lambda text: text.replace("'", "\u2019"),
    lambda text: text.replace(".", "!"),
]


@trials(200)
@given(words, st.sampled_from(BENIGN), st.data())
def test_case_and_white_space_are_passed_over(tokens, change, data):
    text = " ".join(tokens)
    gold = fc.Relations.from_examples([{"text": text, "relations": []}])
    start = data.draw(st.integers(0, len(tokens) - 1))
    sentence, _ = with_tags(text, [(0, start, len(tokens))])
    before, tag, inner = sentence.partition("<ARG0>")
    inner, close, after = inner.partition("</ARG0>")
    changed = "".join([change(before), tag, change(inner), close, change(after)])
    assume(len(markup.TOKEN.findall(markup.strip_tags(changed))) == len(tokens))
    read = fc.read([[changed]], "cnc", like=gold)
    assert (read.n_unread, read.reading.notes) == (0, {})
    assert read.to_examples()[0]["relations"] == [{"cause": [(start, len(tokens))]}]


@needs_cnc
def test_shuffled_predictions_of_the_corpus():
    """Real sentences hold their own text; of others of equal length, at most 12 pass for theirs."""
    gold = fc.read(CNC / "train_subtask2_grouped.csv")
    rows = gold.table.select(["tagged", "length"]).to_pylist()
    assert (gold.n_unread, gold.reading.notes) == (0, {})
    places = list(range(len(rows)))
    random.Random(1).shuffle(places)
    of_length = {}
    for k in places:
        of_length.setdefault(rows[k]["length"], []).append(k)
    other = {
        a: b for same in of_length.values() for a, b in zip(same, same[1:] + same[:1], strict=True)
    }
    moved = sum(len(rows[other[k]]["tagged"]) for k in range(len(rows)) if other[k] != k)
    read = fc.read([rows[other[k]]["tagged"] for k in range(len(rows))], like=gold)
    assert moved - read.n_unread <= 12

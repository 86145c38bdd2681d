"""Tagged sentences that were rewritten, put into gold's tokens."""

from __future__ import annotations

import json
import re
import tracemalloc
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import formats
from fastcausal.errors import InputError
from fastcausal.files.files import Source
from fastcausal.formats.cnc import markup
from fastcausal.formats.cnc.aligned import NOTE, _is_longer, difference, onto
from fastcausal.formats.sentences import fold_signs
from tests.oracles.writing import with_tags
from tests.support.cli import cli
from tests.support.data import CNC
from tests.support.format_cases import needs_cnc, save, sentences
from tests.support.profiles import trials

TEXT = "`` The rain -- a flood \u2014 hit us , '' he said \u2026"
SENTENCES = [
    '"<ARG0>The rain</ARG0>\u2014a flood-- <SIG0>hit</SIG0> <ARG1>us,</ARG1>" he said ...',
    "''The <ARG0>rain--</ARG0>a flood \u2014hit <ARG1>us</ARG1>,'' HE said\u2026",
]
GOLD = fc.Relations.from_examples([{"id": "a", "text": TEXT, "relations": []}])


def detokenised(text):
    """Write a sentence as a reader expects it, without moving its tags."""
    tag = r"((?:</[A-Z0-9]+>)*)"
    text = re.sub(rf"{tag} (?=(?:<[A-Z0-9]+>)*([.,;:!?%)]|n't|'s))", r"\1", text)
    text = re.sub(r"(``|[(\u201c]) ", r"\1", text)
    return text.replace("``", '"').replace("''", '"').replace("\u2019", "'")


def test_tags_go_to_the_tokens_of_gold():
    assert [onto(sentence, TEXT) for sentence in SENTENCES] == [
        "`` <ARG0>The rain</ARG0> -- a flood \u2014 "
        "<SIG0>hit</SIG0> <ARG1>us ,</ARG1> '' he said \u2026",
        "`` The <ARG0>rain --</ARG0> a flood \u2014 hit <ARG1>us</ARG1> , '' he said \u2026",
    ]  # fmt: skip
    read = fc.read([SENTENCES], like=GOLD, tags="aligned")
    assert read.to_examples()[0]["relations"] == [
        {"cause": [(1, 3)], "signal": [(7, 8)], "effect": [(8, 10)]},
        {"cause": [(2, 4)], "effect": [(8, 9)]},
    ]
    assert read.reading.notes == {NOTE: 2}
    assert read.reading.tags == "aligned"
    assert read.table["tagged"].to_pylist() == [SENTENCES]  # as given


@given(sentences(), st.data())
@trials(200)
def test_any_change_of_white_space_keeps_the_spans(sentence, data):
    text, n = sentence
    words = text.split(" ") if not re.search(r"[\t\n\r\x0b\x0c]|  ", text) else None
    if not n or words is None or markup.holds_tags(text):
        return
    if any(word.isspace() for word in words):
        return  # a token of other white space has no letter to be found by
    if re.search(r"([-.`']) +\1", text):
        return  # marks that are one without the blank: a dash, an ellipsis, a quotation mark
    start = data.draw(st.integers(0, n - 1))
    span = (data.draw(st.integers(0, 2)), start, data.draw(st.integers(start + 1, n)))
    tagged, _ = with_tags(text, [span])
    if markup.parse(tagged) != (n, [span]):
        return  # the text and a tag make another tag
    pieces = [data.draw(st.sampled_from(["", " ", "  "])) if c == " " else c for c in tagged]
    anew = onto("".join(pieces), text)
    assert markup.parse(tagged if anew is None else anew) == (n, [span])


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("<ARG0>The rain</ARG0> hit us.", 'token 1 is "The", expected "``"'),
        ("``The<ARG0></ARG0> rain--a flood--hit us,'' he said...", "</ARG0> marks no token"),
        ("``The <ARG0>rain--a flood--hit us,'' he said...", "<ARG0> is never closed"),
    ],
)
def test_what_cannot_be_mapped_says_why(sentence, reason):
    read = fc.read([[sentence]], like=GOLD, tags="aligned")
    assert read.to_examples()[0]["relations"] == [None]
    assert reason in read.reading.unread[0]


def test_sentences_without_letters():
    assert onto("<ARG0></ARG0>", "\u00a0") == "<ARG0></ARG0>\u00a0"
    assert onto("<ARG0></ARG0>", " ") is None


def test_the_first_token_that_differs():
    assert difference("a b", "a b c") == 'token 3 is missing, expected "c"'
    assert difference("a b c", "a b") == 'token 3 is "c", expected none'
    text = "It rained , so it flooded ."
    pred = [["It rained, so <ARG1>it flooded.</ARG1>"]]
    gold = fc.Relations.from_examples([{"text": text, "relations": [{"effect": (4, 7)}]}])
    with pytest.raises(InputError) as caught:
        fc.score(gold, pred)
    assert str(caught.value).splitlines()[1:] == [
        'example 0: relation 1 has 5 tokens, expected 7: token 2 is "rained,", expected "rained", '
        "though all letters are the same",
        'tags="aligned" would map those with the same letters',
        'unparsed="empty" or "skip" would score the rest',
    ]
    report = fc.score(gold, pred, tags="aligned")
    assert report["effect"].f1 == 1
    assert "|tags:aligned|" in report.signature


def test_the_command_line_says_the_option(tmp_path):
    text = "It rained , so it flooded ."
    line = {"text": text, "relations": [{"effect": [13, 27]}]}
    save(tmp_path, "gold.jsonl", json.dumps(line))
    save(tmp_path, "pred.jsonl", '{"prediction": ["It rained, so <ARG1>it flooded.</ARG1>"]}')
    _, message = cli("score", tmp_path / "gold.jsonl", tmp_path / "pred.jsonl", expect=2)
    assert "--tags aligned would map those with the same letters\n--unparsed empty" in message
    out, _ = cli("score", tmp_path / "gold.jsonl", tmp_path / "pred.jsonl", "--tags", "aligned")
    assert "|tags:aligned|" in out


def test_sources_without_tags_or_texts_are_refused():
    gold = fc.Relations.from_examples([{"text": "a b", "relations": [{"cause": (0, 1)}]}])
    none = 'tags "aligned" is for tagged sentences, the source has none'
    for pred in (gold, gold.table, gold.to_examples(), [["B-C", "O"]]):
        with pytest.raises(InputError, match=none):
            fc.score(gold, pred, tags="aligned")
    with pytest.raises(InputError, match="needs texts to align sentences with"):
        fc.read([["a b"]], tags="aligned")
    with pytest.raises(ValueError, match="label ids and logits have no tags"):
        fc.ExtractionScorer(decoder=fc.TagScheme(["O", "B-Cause", "I-Cause"]), tags="aligned")


def test_tables_that_keep_their_sentences_are_read_anew(tmp_path):
    text = "It rained , so it flooded ."
    gold = fc.Relations.from_examples(
        [{"id": "a", "text": text, "relations": [{"effect": (4, 7)}]}]
    )
    strict = fc.read([["It rained, so <ARG1>it flooded.</ARG1>"]], like=gold)
    assert strict.n_unread == 1
    fc.write(strict, tmp_path / "strict.parquet")
    for pred in (strict, iter([strict])):
        assert fc.score(gold, pred, tags="aligned")["effect"].f1 == 1
    with pytest.raises(InputError, match="keeps no tagged sentences"):
        fc.read(tmp_path / "strict.parquet", like=gold, tags="aligned")
    aligned = fc.read(strict, like=gold, tags="aligned")
    assert fc.score(gold, aligned, unparsed="empty")["effect"].f1 == 0  # read strictly, as noted
    fc.write(aligned, tmp_path / "aligned.jsonl", "cnc")
    again = formats.read(tmp_path / "aligned.jsonl", like=gold)
    assert again.table["relations"].equals(gold.table["relations"])


@needs_cnc
def test_a_detokenised_perfect_output():
    gold = fc.read(CNC / "dev_subtask2_grouped.csv")
    kept = gold.table["tagged"].to_pylist()
    rewritten = [[detokenised(sentence) for sentence in row] for row in kept]
    strictly = fc.score(gold, rewritten, unparsed="empty")
    assert strictly["overall"].f1 < 0.03
    report = fc.score(gold, rewritten, tags="aligned")
    assert (report["overall"].f1, report.n_unparsed) == (1.0, 0)
    assert report["overall"] == fc.score(gold, kept)["overall"]
    official = replace(fc.PROTOCOLS["recess"], name="mine", tags="aligned")
    assert fc.score(gold, rewritten, official)["overall"].f1 == 1


ODD_LETTERS = st.text("aA\u00df\ufb03\u0130\u2026.-\u2014\"'` \u00a0\t", max_size=12)


@given(ODD_LETTERS, ODD_LETTERS, st.integers(1, 40))
def test_a_sentence_is_never_too_long_for_its_own_letters(text, other, n):
    """Forms of letters, runs of dashes and white space change lengths, not the answer."""
    forms = (text.casefold(), text.upper(), text.replace("-", "-" * n), "\u00a0" * n + text)
    for plain in (other * n, *forms):
        if fold_signs(plain) == fold_signs(text):
            assert not _is_longer(plain, text)


@pytest.mark.slow
def test_a_long_line_needs_memory_near_its_size():
    """50 bytes for each byte were taken to compare it with a short text."""
    gold = fc.Relations.from_examples([{"id": "1", "text": "Rain fell so", "relations": []}])
    for long in ("a " * 500_000, "*" * 1_000_000):
        source = json.dumps({"index": "1", "prediction": [long]}).encode()
        tracemalloc.start()
        read = fc.read(Source("p.jsonl", source), like=gold)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 12 * len(source)
        assert "token" in read.reading.unread[0] or "signs" in read.reading.unread[0]

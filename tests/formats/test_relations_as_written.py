"""The worked examples of shared/reference/relations.md, part 1, and scores in any script."""

from __future__ import annotations

import json
import random
from collections import Counter
from fractions import Fraction

import pytest

import fastcausal as fc
from tests.oracles import marks
from tests.oracles.fair import fair_counts, overall
from tests.support.cli import cli
from tests.support.profiles import trials

CHINESE = "大雨导致道路关闭。"
JAPANESE = "雨が降ったので2024年の試合は中止"
THAI = "ฝนตกหนักทำให้ถนนปิด"
# Texts with the characters of a cause, an effect and a signal; made up for this test.
LANGUAGES = {
    "Chinese": (CHINESE, "大雨", "道路关闭", "导致"),
    "Japanese": (JAPANESE, "雨が降った", "2024年の試合は中止", "ので"),
    "Thai": (THAI, "ฝนตกหนัก", "ถนนปิด", "ทำให้"),
    "Hindi": ("भारी वर्षा के कारण सड़क बंद हुई ।", "भारी वर्षा", "सड़क बंद हुई", "के कारण"),
    "Arabic": ("أغلق الطريق بسبب المطر الغزير .", "المطر الغزير", "أغلق الطريق", "بسبب"),
    "Amharic": ("ከባድ ዝናብ ስለጣለ መንገዱ ተዘጋ ።", "ከባድ ዝናብ", "መንገዱ ተዘጋ", "ስለጣለ"),
    "English": ("Heavy rain fell , so roads closed .", "Heavy rain fell", "roads closed", "so"),
}
KERNELS = ("fair_spans", "exact_spans", "partial_spans", "span_overlap")
LETTERS = {"words": "letters"}


def example(text, relation, by):
    """An example with a relation of role to text, by texts or by offsets."""
    if by == "offsets":
        relation = {
            role: {"start": text.index(said), "stop": text.index(said) + len(said)}
            for role, said in relation.items()
        }
    return {"id": "a", "text": text, "relations": [relation]}


def read_one(source, **options):
    (row,) = fc.read(source, **options).to_examples()
    return row


# --------------------------------------------------------------------------- words


@pytest.mark.parametrize("by", ["offsets", "texts"])
def test_letters_of_chinese(by):
    marked = {"cause": "大雨", "effect": "道路关闭", "signal": "导致"}
    gold = read_one([example(CHINESE, marked, by)], **LETTERS)
    assert gold["length"] == 9
    assert gold["relations"] == [{"cause": [(0, 2)], "effect": [(4, 8)], "signal": [(2, 4)]}]
    pred = [example(CHINESE, {"cause": "关闭", "effect": "大雨"}, by)]
    assert read_one(pred, **LETTERS)["relations"] == [{"cause": [(6, 8)], "effect": [(0, 2)]}]
    for name in KERNELS:
        report = fc.score(
            [example(CHINESE, marked, by)], pred, fc.Protocol("own", kernel=name), **LETTERS
        )
        for role in ("cause", "effect"):
            assert f1s(report, role) == {0.0}, name


@pytest.mark.parametrize("by", ["offsets", "texts"])
@pytest.mark.parametrize("said", [CHINESE, THAI])
def test_words_of_blanks_refuse_to_cut(by, said):
    cause = {CHINESE: "大雨", THAI: "ฝนตกหนัก"}[said]
    with pytest.raises(fc.InputError, match="letters"):
        fc.read([example(said, {"cause": cause}, by)])


def test_the_command_names_the_option(tmp_path):
    marked = {"cause": "大雨", "effect": "道路关闭", "signal": "导致"}
    paths = []
    for name, relation in (("gold", marked), ("pred", {"cause": "关闭", "effect": "大雨"})):
        paths.append(str(tmp_path / f"{name}.jsonl"))
        row = example(CHINESE, relation, "texts")
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    _, said = cli("score", *paths, expect=2)
    assert "--words letters" in said
    cause, effect, overall = (
        json.loads(cli("score", gold, pred, "--words", "letters", "--json")[0])["scores"][role]
        for role, (gold, pred) in (
            ("cause", paths), ("effect", paths), ("overall", [paths[0], paths[0]]),
        )
    )  # fmt: skip
    assert (cause["f1"], effect["f1"], overall["f1"]) == (0.0, 0.0, 1.0)


def test_a_cut_word_of_other_scripts_is_widened():
    found = fc.read([example("Heavy rains fell .", {"cause": "rain"}, "offsets")], **LETTERS)
    assert found.to_examples()[0]["relations"] == [{"cause": [(1, 2)]}]
    assert found.reading.notes == {"span cut a token": 1}


def test_letters_of_thai_and_japanese():
    cause = read_one([example(THAI, {"cause": "ฝนตกหนัก"}, "offsets")], **LETTERS)
    # ฝ น ต ก ห นั ก ทำ ใ ห้ ถ น น ปิ ด: marks stay with their letter, and ำ is a letter.
    tokens = [THAI[a:b] for a, b in marks.cut(THAI, "letters")]
    assert "นั" in tokens
    assert "ห้" in tokens
    assert cause["length"] == len(tokens)
    assert cause["relations"] == [{"cause": [(0, 7)]}]
    year = read_one([example(JAPANESE, {"cause": "2024"}, "offsets")], **LETTERS)
    assert year["relations"] == [{"cause": [(7, 8)]}]
    assert year["length"] == len(JAPANESE) - 3


def test_letters_of_every_script():
    """Each assigned code point alone, and between two of Han, is cut as the oracle cuts it."""
    rng = random.Random(5)
    points = [c for c in map(chr, range(0x20, 0x32000)) if not 0xD800 <= ord(c) < 0xE000]
    rare = [c for c in points if marks.is_letter(c)]
    near = [chr(ord(c) + k) for c in rare for k in (-1, 1) if marks.is_letter(c)]
    chosen = rng.sample(points, 4000) + rng.sample(rare, 3000) + near
    chosen = [c for c in chosen if marks.unicodedata.category(c) not in ("Cn", "Cs", "Cc")]
    rows = []
    for at in range(0, len(chosen), 200):
        text = "".join(c + rng.choice(("", "雨", " ", "a")) for c in chosen[at : at + 200])
        text = f"a{text}b"
        rows.append({"id": str(at), "text": text, "relations": []})
    found = fc.read(rows, format="spans", **LETTERS).table["length"].to_pylist()
    wanted = [len(marks.cut(row["text"], "letters")) for row in rows]
    assert found == wanted


@pytest.mark.parametrize("by", ["offsets", "texts"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_perfect_and_exchanged_systems(language, by):
    text, cause, effect, signal = LANGUAGES[language]
    gold = [example(text, {"cause": cause, "effect": effect, "signal": signal}, by)]
    turned = [example(text, {"cause": effect, "effect": cause, "signal": signal}, by)]
    for name in KERNELS:
        protocol = fc.Protocol("own", kernel=name)
        same = fc.score(gold, gold, protocol, **LETTERS)
        other = fc.score(gold, turned, protocol, **LETTERS)
        for role in ("cause", "effect"):
            assert f1s(same, role) == {1.0}, name
            assert f1s(other, role) == {0.0}, name
    report = fc.score(gold, gold, **LETTERS)
    assert "words:letters" in report.signature
    assert report["overall"].f1 == 1.0


def f1s(report, role):
    """The F1s of a role; of partial_spans those of its strict and type way."""
    found = dict(report[role].items())
    chosen = [n for n in found if n.endswith("f1")]
    strict = [n for n in chosen if n.startswith(("strict", "type"))]
    return {found[n] for n in strict or chosen}


# --------------------------------------------------------------------------- pairing and joining


def drawn_relations(rng, n):
    """Up to three relations of one span a role, as (type, [(role, start, stop)])."""
    found = []
    for _ in range(rng.randint(0, 3)):
        spans = []
        for role in (0, 1, 2):
            if role < 2 or rng.random() < 0.4:
                start = rng.randrange(n)
                spans.append((role, start, rng.randint(start + 1, n)))
        found.append((rng.choice((None, "enables", "prevents")), spans))
    return found


def rows_of(sides):
    """Examples in the form of a list of dicts; token offsets."""
    names = ("cause", "effect", "signal")
    return [
        {"id": str(k), "length": 6,
         "relations": [{names[role]: [(a, b)] for role, a, b in spans}
                       | ({"type": type} if type else {}) for type, spans in side]}
        for k, side in enumerate(sides)
    ]  # fmt: skip


def fair_worth(pairing):
    """Twice F1's numerator and its denominator over the pairs, as one fraction."""
    total = Counter()
    for gold, pred in pairing:
        total += overall(fair_counts(gold[1] if gold else [], pred[1] if pred else []))
    below = 2 * total["tp"] + sum(total[name] for name in ("fp", "fn", "le", "be", "lbe"))
    return Fraction(2 * total["tp"], below) if below else Fraction(-1)


@pytest.mark.drawn
@pytest.mark.parametrize("types", ["ignore", "require"])
def test_relations_of_different_types_never_pair(types):
    rng = random.Random(11)
    for _ in range(trials(400).max_examples):
        gold, pred = drawn_relations(rng, 6), drawn_relations(rng, 6)
        if not gold and not pred:
            continue
        report = fc.score(rows_of([gold]), rows_of([pred]), types=types)
        wanted = marks.best(gold, pred, fair_worth, typed=types == "require")
        assert report["overall"].f1 == pytest.approx(float(wanted), abs=1e-12), (gold, pred)
        assert ("types:require" in report.signature) == (types == "require")


@pytest.mark.drawn
def test_joined_by_text():
    rng = random.Random(12)
    words = ["a b c d e f", "a  b c d e g", "雨 雨 雨 雨 雨 x"]
    for _ in range(trials(200).max_examples):
        sides = []
        for side in "gp":
            listed = []
            for k in range(rng.randint(1, 5)):
                text = rng.choice(words)
                text = rng.choice((text, text.replace(" ", "  "), f" {text} "))
                row = rows_of([drawn_relations(rng, 6)])[0] | {"id": f"{side}{k}", "text": text}
                listed.append(row)
            sides.append(listed)
        golds, preds = sides
        pairs = marks.joined(*([row["text"] for row in side] for side in sides))
        found = fc.score(golds, preds, join="text", unmatched="skip") if (
            any(None not in pair for pair in pairs)) else None  # fmt: skip
        if found is None:
            continue
        both = [(golds[a], preds[b]) for a, b in pairs if a is not None and b is not None]
        wanted = fc.score(
            [g | {"id": str(k)} for k, (g, _) in enumerate(both)],
            [p | {"id": str(k), "text": g["text"]} for k, (g, p) in enumerate(both)],
        )
        for role in ("cause", "effect", "signal", "overall"):
            assert found[role] == wanted[role], (golds, preds)

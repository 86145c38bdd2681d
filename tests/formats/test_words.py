"""Words of any script: blanks, letters, given tokens, tokenizers; the same in every reader."""

from __future__ import annotations

import json
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.errors import InputError
from fastcausal.files.files import Source
from fastcausal.formats import spans
from fastcausal.formats._tokens import token_bounds
from fastcausal.formats.cnc.tagged import spaced
from fastcausal.formats.sentences import placed_tokens
from fastcausal.marking import Marking

RAIN = "大雨导致道路关闭。"
THAI = "ฝนตกหนักทำให้ถนนปิด"
GAME = "雨が降ったので2024年の試合は中止"
LETTERS = Marking(words="letters")
SCRIPTS = ("CJK", "HIRAGANA", "KATAKANA", "BOPOMOFO", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")
# Each: text, cause, effect. Amharic, Arabic and Hindi put blanks between words.
LANGUAGES = {
    "Chinese": (RAIN, "大雨", "道路关闭"),
    "Japanese": (GAME, "雨が降った", "試合は中止"),
    "Thai": (THAI, "ฝนตกหนัก", "ถนนปิด"),
    "Hindi": ("भारी बारिश से सड़क बंद हुई ।", "भारी बारिश", "सड़क बंद हुई"),
    "Arabic": ("أدى المطر الغزير إلى إغلاق الطريق .", "المطر الغزير", "إغلاق الطريق"),
    "Amharic": ("ከባድ ዝናብ መንገዱን ዘጋ ።", "ከባድ ዝናብ", "መንገዱን ዘጋ"),
    "English": ("Heavy rain closed the road .", "Heavy rain", "the road"),
}
KERNELS = ("fair_spans", "exact_spans", "span_overlap", "partial_spans")


def tokens_of(text):
    return [text[a:b] for a, b in zip(*token_bounds(text, True), strict=True)]


def test_tokens_by_letters():
    assert tokens_of(RAIN) == [*RAIN]
    assert tokens_of(GAME) == [*"雨が降ったので", "2024", *"年の試合は中止"]
    assert tokens_of(THAI) == [
        "ฝ",
        "น",
        "ต",
        "ก",
        "ห",
        "นั",
        "ก",
        "ท",
        "ำ",
        "ใ",
        "ห้",
        "ถ",
        "น",
        "น",
        "ปิ",
        "ด",
    ]
    spaces = "大\u3000\u2028\uff23\u3099"
    assert tokens_of(f"雨。A1 b\uff0c{spaces}") == ["雨", "。A1", "b\uff0c", "大", "\uff23\u3099"]
    kana = ["か\u3099", "ー", "ﾊ", "ﾞ", "々", "\u3007", "𠀀", "🌧"]
    assert tokens_of("".join(kana)) == kana


def expected_kind(letter):
    """Tell the kind of a letter by its name and category, None where names do not tell it."""
    category, name = unicodedata.category(letter), unicodedata.name(letter, "")
    if category.startswith("M"):
        return "mark"
    if not category.startswith(("L", "N")):
        return "other"
    if 0xFF66 <= ord(letter) <= 0xFF9F or 0x3005 <= ord(letter) <= 0x3007 or letter == "\u30fc":
        return "letter"
    if name.startswith(("HANGZHOU NUMERAL", "HENTAIGANA", "OLD CHINESE", "VERTICAL IDEOGRAPHIC")):
        return "letter"
    if not name.startswith(SCRIPTS):
        return "other"
    return (
        None
        if category in ("Lm", "No") or ("IDEOGRAPH" not in name and "CJK" in name)
        else "letter"
    )


def kind(letter):
    """Tell the kind of a letter by the tokens of texts with it."""
    if len(tokens_of(f"a{letter}a")) == 3:
        return "letter"
    return "mark" if tokens_of(f"大{letter}") == [f"大{letter}"] else "other"


@pytest.mark.slow
def test_letters_are_those_of_unicode():
    known = [chr(c) for c in range(sys.maxunicode + 1) if unicodedata.category(chr(c)) != "Cn"]
    wanted = {
        c: expected_kind(c) for c in known if not c.isspace() and not "\ud800" <= c <= "\udfff"
    }
    wrong = [hex(ord(c)) for c, of in wanted.items() if of is not None and kind(c) != of]
    assert not wrong
    assert sum(of == "letter" for of in wanted.values()) > 90_000


@pytest.mark.slow
def test_letters_are_those_of_the_property_script():
    regex = pytest.importorskip("regex")
    names = ["Han", *(name.capitalize() for name in SCRIPTS[1:])]
    script = regex.compile("[" + "".join(rf"\p{{Script={name}}}" for name in names) + "]")
    counted = regex.compile(r"[\p{L}\p{N}]")
    for c in map(chr, range(sys.maxunicode + 1)):
        if "\ud800" <= c <= "\udfff" or c.isspace() or unicodedata.category(c) == "Cn":
            continue
        extra = c == "\u30fc" or "\u3005" <= c <= "\u3007" or "\uff66" <= c <= "\uff9f"
        is_letter = extra or bool(script.match(c) and counted.match(c))
        assert is_letter == (kind(c) == "letter"), hex(ord(c))


def sides(language, form):
    """Return gold and exchanged predictions, by texts or by characters."""
    text, *arguments = LANGUAGES[language]
    if form == "offsets":
        arguments = [{"start": text.index(a), "stop": text.index(a) + len(a)} for a in arguments]
    if form == "tagged":
        sentences = []
        for order in (("ARG0", "ARG1"), ("ARG1", "ARG0")):
            sentence = text
            for argument, name in zip(arguments, order, strict=True):
                sentence = sentence.replace(argument, f"<{name}>{argument}</{name}>")
            sentences.append([[sentence]])
        return sentences
    cause, effect = arguments
    return [
        [{"id": "1", "text": text, "relations": [{"cause": c, "effect": e}]}]
        for c, e in ((cause, effect), (effect, cause))
    ]


def f1_of(report, group):
    """Return every F1 of a group."""
    scores = report.to_dict()["scores"][group]
    return {value for name, value in scores.items() if name.endswith("f1")}


@pytest.mark.parametrize("form", ["texts", "offsets", "tagged"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_perfect_and_exchanged(language, form):
    gold, exchanged = sides(language, form)
    for kernel in KERNELS:
        protocol = fc.Protocol("own", kernel=kernel)
        same = fc.score(gold, gold, protocol=protocol, words="letters")
        other = fc.score(gold, exchanged, protocol=protocol, words="letters")
        assert "words:letters" in same.signature
        for group in ("overall", "cause", "effect"):
            assert f1_of(same, group) == {1.0}
        for role in ("cause", "effect"):
            assert f1_of(other, role) == {0.0}
    for name, group in (("relations", "exact"), ("depths", "links")):
        assert f1_of(fc.score(gold, gold, protocol=name, words="letters"), group) == {1.0}
        assert f1_of(fc.score(gold, exchanged, protocol=name, words="letters"), group) == {0.0}


@pytest.mark.parametrize("form", ["texts", "offsets", "tagged"])
@pytest.mark.parametrize("language", ["Hindi", "Arabic", "Amharic", "English"])
def test_blanks_of_scripts_with_blanks(language, form):
    gold, exchanged = sides(language, form)
    by_blank, by_letters = (fc.read(gold, words=words) for words in ("blank", "letters"))
    assert by_blank.table.equals(by_letters.table)
    assert fc.score(gold, gold)["overall"].f1 == 1.0
    assert fc.score(gold, exchanged)["cause"].f1 == 0.0


@pytest.mark.parametrize("form", ["texts", "offsets", "tagged"])
@pytest.mark.parametrize("language", ["Chinese", "Japanese", "Thai"])
def test_cut_tokens_of_letters_are_refused(language, form):
    gold, _ = sides(language, form)
    with pytest.raises(InputError, match='words="letters" makes each letter'):
        fc.read(gold)


def test_worked_example():
    gold = [{"text": RAIN, "relations": [{"cause": [0, 2], "signal": [2, 4], "effect": [4, 8]}]}]
    pred = [{"text": RAIN, "relations": [{"cause": [6, 8], "effect": [0, 2]}]}]
    read = fc.read(gold, "spans", words="letters")
    assert read.to_examples()[0]["length"] == 9
    assert read.to_examples()[0]["relations"] == [
        {"cause": [(0, 2)], "effect": [(4, 8)], "signal": [(2, 4)]}
    ]
    assert read.reading.words == "letters"
    of = [fc.read(side, "spans", words="letters") for side in (gold, pred)]
    for kernel in KERNELS:
        report = fc.score(*of, protocol=fc.Protocol("own", kernel=kernel))
        assert f1_of(report, "cause") == f1_of(report, "effect") == {0.0}


WORDS = st.sampled_from(
    ["雨", "大", "导致", "rain", "ฝน", "นั", "。", "か\u3099", "2024", "\u3000", " "]
)
TEXTS = st.lists(WORDS, min_size=1, max_size=8).map("".join)


def outcome(read):
    try:
        table = read()
        return table.to_examples(), table.reading
    except InputError as error:
        return str(error).replace("FILE", "list")


@given(
    TEXTS,
    TEXTS,
    st.tuples(st.integers(0, 12), st.integers(0, 12)),
    st.sampled_from([None, "letters"]),
)
def test_lines_natively_and_one_by_one(text, wanted, bounds, words):
    relation = {"cause": wanted, "effect": [*bounds]}
    example = {"id": "a", "text": text, "relations": [relation]}
    line = json.dumps(example, ensure_ascii=False).encode()
    odd = json.dumps(example | {"relations": [relation | {"odd": 1}]}, ensure_ascii=False).encode()
    marking = Marking(words=words)
    quick = outcome(lambda: spans.read(Source("FILE", line, 1), marking=marking))
    twice = outcome(
        lambda: spans.read(
            Source("FILE", line + b"\n" + odd.replace(b'"a"', b'"b"'), 1), marking=marking
        )
    )
    if isinstance(quick, tuple):
        assert quick[0][0]["relations"] == twice[0][1]["relations"]
        plain = spans.read([example], marking=marking)
        assert quick[0] == plain.to_examples()
        assert quick[1].notes == plain.reading.notes
    else:
        assert isinstance(twice, str)


@given(TEXTS)
def test_blanks_between_letters_are_the_tokens_by_letters(text):
    import pyarrow as pa

    assert spaced(pa.array([text]))[0].as_py().split() == tokens_of(text)


def test_given_tokens():
    tokens = ["大雨", "导致", "道路", "关闭", "。"]
    relations = [{"cause": "大雨", "effect": [4, 8]}]
    table = fc.read(
        [{"text": RAIN, "tokens": tokens, "relations": relations}], "spans", words="letters"
    )
    assert table.to_examples()[0]["relations"] == [{"cause": [(0, 1)], "effect": [(2, 4)]}]
    assert table.to_examples()[0]["tokens"] == tokens
    pred = fc.read([{"relations": [{"cause": "道路", "effect": "大雨"}]}], "spans", like=table)
    assert pred.to_examples()[0]["relations"] == [{"cause": [(2, 3)], "effect": [(0, 1)]}]
    alone = fc.read([{"tokens": tokens, "relations": [{"cause": "道路关闭"}]}], "spans")
    assert alone.to_examples()[0]["relations"] == [{"cause": [(2, 4)]}]
    with pytest.raises(InputError, match='token 2 of "tokens" is "道路", but "text" goes on "导致'):
        fc.read([{"text": RAIN, "tokens": [tokens[0], "道路"], "relations": []}], "spans")
    with pytest.raises(InputError, match="cuts the given token"):
        fc.read([{"text": RAIN, "tokens": tokens, "relations": [{"cause": [0, 1]}]}], "spans")
    parts = [[{"role": "cause", "start": 0, "stop": 1}]]
    line = {"id": 1, "text": "rain fell", "length": 2, "tokens": ["ra", "##in", "fell"]}
    gold = fc.read(Source("a.jsonl", json.dumps(line | {"relations": parts}).encode()))
    pred = fc.read([{"id": 1, "relations": [{"cause": "rain"}]}], "spans", like=gold)
    assert pred.to_examples()[0]["relations"] == [{"cause": [(0, 1)]}]
    assert placed_tokens('a "b"', ["a", "``", "b", "''"]) == ([0, 2, 3, 4], [1, 3, 4, 5])


def test_tokenizer():
    def cut(text):
        return text.replace(".", " .").split()

    example = {
        "text": "Rain fell. Roads closed.",
        "relations": [{"cause": "Rain fell", "effect": "Roads"}],
    }
    table = fc.read([example], words=cut)
    assert table.to_examples()[0]["relations"] == [{"cause": [(0, 2)], "effect": [(3, 4)]}]
    assert table.reading.words == "test_tokenizer.<locals>.cut"
    with pytest.raises(ValueError, match='words is "no", expected one of blank, letters, nltk'):
        fc.read([example], words="no")


def test_official_readings_refuse_letters():
    gold, _ = sides("Chinese", "tagged")
    with pytest.raises(ValueError, match="read between blanks"):
        fc.read(gold, words="letters", tags="cnc-2023")


def table_of_letters():
    """Return gold of all languages, read by letters."""
    gold = [example | {"id": language}
            for language in LANGUAGES for example in sides(language, "texts")[0]]  # fmt: skip
    return fc.read(gold, words="letters")


@pytest.mark.parametrize(
    "name",
    ["a.jsonl", "a.parquet", "a.arrow", "spans.jsonl", "a.csv", "pred.jsonl", "a.bio", "a.ann",
     "doccano.jsonl", "tasks.json", "a.json"],
)  # fmt: skip
def test_written_and_read_again(name, tmp_path):
    table = table_of_letters()
    formats = {"spans.jsonl": "spans", "pred.jsonl": "cnc", "doccano.jsonl": "doccano",
               "tasks.json": "label-studio", "a.json": "webanno"}  # fmt: skip
    fc.write(table, tmp_path / name, formats.get(name))
    like = table if name == "pred.jsonl" else None
    again = fc.read(tmp_path / name, like=like, words="letters")
    if again.types is not None:  # tools name a link
        assert set(again.types.combine_chunks().flatten().to_pylist()) == {None}
    assert [e["relations"] for e in again.to_examples()] == [
        e["relations"] for e in table.to_examples()
    ]
    # Tokens of WebAnno are the file's own.
    assert again.reading.words == (None if name == "a.json" else "letters")
    if name not in ("pred.jsonl", "a.json"):
        assert again.table["text"].to_pylist() == table.table["text"].to_pylist()


@pytest.mark.parametrize("name", ["a.ann", "doccano.jsonl", "tasks.json"])
def test_marks_of_tools_that_cut_tokens(name, tmp_path):
    form = {"doccano.jsonl": "doccano", "tasks.json": "label-studio"}.get(name)
    fc.write(table_of_letters(), tmp_path / name, form)
    with pytest.raises(InputError, match=r'example .*: span .* cuts the token .*words="letters"'):
        fc.read(tmp_path / name)


def test_rows_and_answers():
    gold = table_of_letters()
    flat = [
        {"id": k, "text": text, "cause": c, "effect": e} for k, (text, c, e) in LANGUAGES.items()
    ]
    answers = [
        {"id": k, "output": json.dumps({"relations": [{"cause": c, "effect": e}]})}
        for k, (_, c, e) in LANGUAGES.items()
    ]
    wanted = [e["relations"] for e in gold.to_examples()]
    for source, options in ((flat, {}), (answers, {"answers": "output", "like": gold})):
        read = fc.read(source, words="letters", **options)
        assert [e["relations"] for e in read.to_examples()] == wanted
    # Gold's rule is that of predictions.
    assert fc.score(gold, answers, answers="output")["overall"].f1 == 1.0


def test_texts_are_shown_without_blanks_between_letters():
    gold, exchanged = (fc.read(side, words="letters") for side in sides("Chinese", "texts"))
    (wrong,) = fc.score(gold, exchanged).errors().to_dict()["examples"]
    (predicted,) = wrong["pred"]
    words = {span["role"]: span["words"] for span in predicted["spans"]}
    assert words == {"cause": "道路关闭", "effect": "大雨"}
    described = fc.describe(gold)
    assert described.words == {"letters": {
        "causal": {9: 1}, "non_causal": {}, "cause": {2: 1}, "effect": {4: 1}, "signal": {}
    }}  # fmt: skip
    report = fc.agree({"ann": gold, "ben": exchanged})
    assert report.signature.endswith("|words:letters")
    assert report["cause"].em == 0


def test_words_travel_in_metadata(tmp_path):
    fc.write(table_of_letters(), tmp_path / "a.parquet")
    again = fc.read(tmp_path / "a.parquet")
    pred, _ = sides("Thai", "offsets")
    assert again.reading.words == "letters"
    read = fc.read([pred[0] | {"id": "Thai"}], like=again)
    assert read.to_examples()[0]["relations"] == again.to_examples()[2]["relations"]


def test_one_letter_in_a_token_is_widened():
    example = {"text": "rain雨 fell", "relations": [{"cause": [4, 5], "effect": [6, 8]}]}
    read = fc.read([example], "spans")
    assert read.to_examples()[0]["relations"] == [{"cause": [(0, 1)], "effect": [(1, 2)]}]
    assert read.reading.notes == {"span cut a token": 2}
    by_letters = fc.read([example], "spans", words="letters")
    assert by_letters.to_examples()[0]["relations"] == [{"cause": [(1, 2)], "effect": [(2, 3)]}]
    with pytest.raises(InputError, match='cuts the token "雨rain大"'):
        fc.read([example | {"text": "雨rain大 fell"}], "spans")


def test_tokens_of_tag_columns_that_are_letters():
    lines = [(token, "O") for token in ["雨", "。A1", "ฝ", "fell", "so", "นั", "บ"]]
    source = Source("a.bio", "\n".join(map("\t".join, lines)).encode())
    read = fc.read(source, "bio", words="letters")
    assert (read.table["text"].to_pylist(), read.reading.words) == (["雨。A1ฝfell soนับ"], "letters")
    lines[0] = ("大雨", "O")
    source = Source("a.bio", "\n".join(map("\t".join, lines)).encode())
    read = fc.read(source, "bio", words="letters")
    assert read.table["text"][0].as_py() == "大雨 。A1 ฝ fell so นั บ"
    assert read.reading.words is None


def test_tokens_of_lines_give_the_length(tmp_path):
    tokens = ["大雨", "导致", "道路", "关闭", "。"]
    relations = [
        [{"role": "cause", "start": 0, "stop": 1}, {"role": "effect", "start": 2, "stop": 4}]
    ]
    line = json.dumps({"id": "a", "tokens": tokens, "relations": relations})
    (tmp_path / "a.jsonl").write_text(line)
    gold = fc.read(tmp_path / "a.jsonl")
    assert gold.to_examples()[0]["length"] == 5
    pred = [{"id": "a", "relations": [{"cause": "大雨", "effect": "道路关闭"}]}]
    assert fc.score(gold, fc.read(pred, "spans", like=gold))["overall"].f1 == 1.0


@pytest.mark.parametrize("name", ["a.jsonl", "spans.jsonl", "a.parquet", "a.csv", "a.bio", "a.ann"])
def test_given_tokens_are_written(name, tmp_path):
    tokens = ["大雨", "导致", "道路", "关闭", "。"]
    relations = [{"cause": "大雨", "effect": [4, 8]}]
    table = fc.read([{"id": "a", "text": RAIN, "tokens": tokens, "relations": relations}], "spans")
    fc.write(table, tmp_path / name, {"spans.jsonl": "spans"}.get(name))
    again = fc.read(tmp_path / name)
    assert again.to_examples()[0]["relations"] == table.to_examples()[0]["relations"]
    if "tokens" in again.table.column_names and name != "a.csv":  # its cells are texts
        assert again.table["tokens"].to_pylist() == [tokens]
    else:
        assert again.table["text"].to_pylist() == ["大雨 导致 道路 关闭 。"]

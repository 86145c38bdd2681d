"""FinCausal's task 2: worked examples of its program, drawn files against an oracle."""

from __future__ import annotations

import random
import time
from itertools import permutations

import numpy as np
import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.files.files import Source
from fastcausal.tasks.fincausal.formula import FIELDS
from fastcausal.tasks.fincausal.labels import WordLabels
from fastcausal.tasks.fincausal.sections import count_sections
from fastcausal.tasks.fincausal.words import cutting
from tests.oracles import fincausal as oracle
from tests.support.data import DATA
from tests.tasks.fincausal.drawn import pair

FILES = DATA / "fincausal"
A = "a b c d e f g h i j"
T = "aaa bbbb ccc d eeee ffff gggg hhh i jjjj"
TAX = "tax went up so sales fell"
STOPS = "the program of fincausal-2020 ends"


def file(*rows: str, header: str = "Index; Text; Cause; Effect") -> Source:
    return Source("x.csv", "\n".join([header, *rows, ""]).encode())


def one(text: str, spans: str, index: str = "1.0") -> str:
    cause, effect = spans.split(" | ")
    return f"{index}; {text}; {cause}; {effect}"


def score(gold, pred, **how):
    return fc.score(gold, pred, "fincausal-2020", **how)


def official(gold, pred, **how) -> tuple[float, ...]:
    scores = score(gold, pred, **how)["official"]
    return scores.precision, scores.recall, scores.f1, scores.exact_match


def same(text: str, gold: str, pred: str) -> tuple[Source, Source]:
    return file(one(text, gold)), file(one(text, pred))


W = {
    "w1": (*same("the tax rose and the firm shut", "tax rose | firm shut", "the | firm shut"),
           (3 / 7, 3 / 7, 3 / 7, 0)),
    "w2": (*same("the firm lost as the firm lost money", "the firm lost money | lost as",
                 "the firm lost | as"), (.25, .125, .16666666666666666, 0)),
    "w3": (*same(TAX, "tax went up | sales fell", "tax up | sales fell"),
           (.9166666666666666, .8333333333333334, .8444444444444444, 0)),
    "w4": (*same(TAX, "tax went up | sales fell", "tax so sales | fell"),
           (.875, .5, .5388888888888889, 0)),
    "w5": (*same(TAX, "tax went up | sales fell", "tax shot up | big sales fell"),
           (.9166666666666666, .8333333333333334, .8444444444444444, 0)),
    "w6": (*same("up the tax went so sales fell", "the tax went | sales fell",
                 "so the tax went | sales fell"),
           (.35714285714285715, .42857142857142855, .38095238095238093, 0)),
    "w8": (*same("Tax went up so sales fell", "Tax went up | sales fell",
                 "tax went up | Sales fell"),
           (.888888888888889, .6666666666666666, .7055555555555556, 0)),
    "w9": (*same("U.S. firms grew so sales rose", "U.S. firms grew | sales rose",
                 "U.S firms grew | sales rose"), (1, 1, 1, 1)),
    "w10": (file('1.0;"tax went up, so sales fell";"tax went up";"sales fell"'),
            file('1.0;"tax went up, so sales fell";tax went up;sales fell'),
            (.75, .6666666666666666, .7037037037037037, 0)),
    "w12": (file(one(A, "h | g", "1.0.0"), one(A, "d e f | g", "1.0.1")),
            file(one(A, "a b | h i"), one(A, "d e f | g h")),
            (.4704545454545454, .4, .4253333333333334, 0)),
    "w13": (file(one("a b c d", "a | b", "1.0.0"), one("e f g h", "e | g h", "1.0.1")),
            file(one("a b c d", "a b | d"), one("e f g h", "e | f")),
            (.7916666666666666, .75, .75, 0)),
    "w14": (file(one(A, "a b | d e", "1.0.0"), one(A, "f g | i j", "1.0.1")),
            file(one(A, "f g | i j", "x"), one(A, "a b | d e", "")), (1, 1, 1, 0)),
    "w15": (file(one(A, "a b | d e", "1.0"), one(A, "f g | i j", "1.1")),
            file(one(A, "f g | i j"), one(A, "a b | d e")), (.2, .2, .2, 0)),
    "w17": (file(one("a b c d", "a | b"), one(A, "a b c | h i j", "2.0"),
                 one("k l", "k | l", "3.0")),
            file(one("a b c d", "a | b"), one(A, "a b | i j"), one("k l", "l | k")),
            (.75, .75, .7380952380952379, .3333333333333333)),
    "w18": (*same("Tax went up. Sales fell.", "Tax went up. | Sales fell.",
                  "Tax went up | Sales fell"),
            (1, .7142857142857143, .8326530612244899, 0)),
    "w19": (*same("a b c", "a | b", "x y | b"), (.5, .6666666666666666, .5555555555555555, 0)),
    "w20": (file(one(A, "a | b", "1.0.0"), one(A, "c | d", "1.0.1")),
            file(one(A, "e | f"), one(A, "g | h")), (.6, .6, .6, 0)),
    "w21": (file(one("a b c d", "a | b")),
            Source("y", b"Index; Text; Cause; Effect\r\n1.0; a b c d; a; b; c\r\n"), (1, 1, 1, 1)),
    "w23": (file("1.0; c; c; c", header=one("a b c d", "a | b")),
            file("1.0; c; c; c", header="-"), None),
    "t0": (*same(f"{T}.", "aaa bbbb | hhh i jjjj.", "aaa bbbb | hhh i jjjj."), (1, 1, 1, 1)),
    "t1": (*same(T, "aaa bbbb | hhh i jjjj", "bbbb | hhh i jjjj"),
           (.9166666666666667, .9, .8878787878787879, 0)),
    "t2": (*same(T, "aaa bbbb | hhh i jjjj", "bbbb | gggg hhh i jjjj"),
           (.825, .8, .7904761904761904, 0)),
    "t3": (*same(f"{T}.", "aaa bbbb | hhh i jjjj.", "ccc d | eeee ffff gggg"), (0, 0, 0, 0)),
    "t4": (*same(f"{T}.", "aaa bbbb | hhh i jjjj.", "aaa bbbb | hhh i jjjj"),
           (.9242424242424243, .9090909090909091, .9067296340023613, 0)),
    "t5": (*same("aaa bbbb ccc d aaa bbbb ccc hhh i jjjj.", "aaa bbbb ccc d | hhh i jjjj.",
                 "aaa bbbb | hhh i jjjj"),
           (.8636363636363636, .7272727272727273, .7359307359307359, 0)),
    "t6": (*same(T, "aaa bbbb ccc d | hhh i jjjj", "aaa d | hhh i jjjj"),
           (.85, .7, .6599999999999999, 0)),
    "t7": (*same(T, "aaa bbbb ccc d | hhh i jjjj", "bbbb d | hhh i jjjj"),
           (.8800000000000001, .8, .7916666666666666, 0)),
    "t8": (*same(T, "bbbb ccc d | hhh i jjjj", "bbbb ccc d | "),
           (.5285714285714286, .7, .5909090909090909, 0)),
    "t9": (*same(T, "bbbb ccc d | hhh i jjjj", " | bbbb ccc d"),
           (.22857142857142856, .4, .2909090909090909, 0)),
    "t10": (*same(T, "bbbb ccc d | hhh i jjjj", " | "), (.16, .4, .22857142857142856, 0)),
    "t11": (*same(T, "bbbb ccc d | hhh i jjjj", f"{T} | "), (.09, .3, .13846153846153847, 0)),
    "t12": (*same(T, "bbbb ccc d | hhh i jjjj", "aaa ccc eeee gggg i | "),
            (.14, .2, .1638888888888889, 0)),
    "t13": (*same(T, "bbbb ccc d | hhh i jjjj", f" | {T}"), (.09, .3, .13846153846153847, 0)),
}  # fmt: skip
STOPPED = {
    "w7": (*same(TAX, "tax went up so | sales fell", "tax went up so | so sales fell"), '"-"'),
    "w11": (file("1.0; tax went up; so sales fell; tax went up; sales fell"),
            file("1.0; tax went up; so sales fell; ; went up; sales fell"), '"C"'),
    "blank line": (file(one(A, "a | b"), ""), file(one(A, "a | b")), "x.csv:3: a blank line"),
    "three fields": (file(one(A, "a | b")), file("1.0; a; b"), "x.csv:2: 3 fields"),
    "no word": (file(one(A, "a | b"), one("", "a | b")), file(one(A, "a | b"), one("", "a | b")),
                'x.csv:3: index "1.0": text without a word'),
    "rows": (file(one(A, "a | b"), one(A, "a | b")), file(one(A, "a | b")), "1 rows, expected 2"),
    "texts": (file(one(A, "a | b")), file(one(f"{A} ", "a | b")), "another text"),
    "lengths": (file(one(A, "a | b", "1.0.0"), one("a b c", "a | b", "1.0.1")),
                file(one(A, "a | b"), one("a b c", "a | b")), "a text of 3 words in a section"),
    "recursion": (*same("a " * 1100, "a | b", "a " * 991 + "| b"), "a span of 991 words"),
}  # fmt: skip


@pytest.mark.parametrize("name", [name for name, (*_, scores) in W.items() if scores])
def test_worked_example(name):
    gold, pred, expected = W[name]
    assert official(gold, pred) == expected


@pytest.mark.parametrize("name", STOPPED)
def test_stop_names_row_and_reason(name):
    gold, pred, reason = STOPPED[name]
    with pytest.raises(ValueError, match=STOPS) as error:
        score(gold, pred)
    assert reason in str(error.value)
    report = score(gold, pred, lenient=True)
    assert report.warnings
    assert 0 <= report["official"].f1 <= 1


def test_990_words_are_no_stop():
    text = "a " * 1100 + "b c"
    gold, pred = same(text, "a | b", "a " * 990 + "| b")
    assert score(gold, pred).classes["C"].predicted == 990


def test_header_is_dropped_whatever_it_holds():
    first, second = one("a b c d", "a | b"), one("a b c d", "c | d")
    assert official(file(second, header=first), file(second, header=first)) == (1, 1, 1, 1)
    assert "first line" in score(file(second, header=first), file(second)).warnings[0]


def test_no_row_is_an_error_even_if_lenient():
    with pytest.raises(ValueError, match="no rows"):
        score(file(), file(), lenient=True)


def test_lenient_pairs_rows_by_text():
    gold = file(
        one("a b c", "a | b", "1.0"), one("d e f", "d | e", "2.0"), one("d e f", "e | f", "3.0")
    )
    pred = file(
        one("d e f", "d | e"), one("g h", "g | h"), one("d e f", "e | f"), one("a b c", "a | b")
    )
    assert official(gold, pred, lenient=True) == (1, 1, 1, 1)


@pytest.mark.parametrize("words", ["blank", str.split])
def test_words_by_blanks(words):
    gold, pred, _ = W["w9"]
    assert official(gold, pred, words=words) == (1, 1, 1, 1)
    gold, pred, _ = W["w18"]
    with pytest.raises(ValueError, match='the label "-"'):
        score(gold, pred, words=words)


def test_words_of_a_file(tmp_path):
    gold, pred, expected = W["w3"]
    texts = {TAX, "tax went up", "tax up", "sales fell"}
    rows = [{"text": text, "words": text.split()} for text in texts]
    file = tmp_path / "words.jsonl"
    fc_json = "\n".join(str(row).replace("'", '"') for row in rows)
    file.write_text(fc_json)
    assert official(gold, pred, words=file) == expected
    file.write_text(fc_json.replace("tax up", "tax"))
    with pytest.raises(ValueError, match='no words of the text "tax up"'):
        score(gold, pred, words=file)


def against_oracle(seeds: range) -> None:
    scored = 0
    for seed in seeds:
        files = pair(seed)
        sources = [Source(f"{seed}", text.encode()) for text in files]
        try:
            expected = oracle.score(*files)
        except oracle.Stop:
            with pytest.raises(ValueError, match=STOPS):
                score(*sources)
            continue
        report = score(*sources)
        found = (*official(*sources), report["pairs"].exact_match)
        assert found == pytest.approx(expected[:5], abs=1e-14), seed
        counts = {c: (of["hits"], of["predicted"], of["gold"]) for c, of in report.classes.items()}
        assert counts == expected.counts, seed
        scored += 1
    assert scored > len(seeds) // 2


def test_drawn_files_against_the_oracle():
    against_oracle(range(30))


@pytest.mark.slow
def test_many_drawn_files_against_the_oracle():
    against_oracle(range(30, 5030))


def test_chains_in_long_texts_against_the_oracle():
    rng = random.Random(3)
    for left_out in [*range(60, 68), *range(124, 132)] * 2:  # around multiples of 64
        text = rng.sample(range(1000), 150) if rng.random() < 0.5 else rng.choices(range(6), k=150)
        words = [f"w{k}" for k in text]
        spans = []
        for start in (rng.randint(0, 9), rng.randint(10, 20)):
            spans.append(words[start : rng.randint(left_out + 2, 140)])
            del spans[-1][left_out - start]
        cause, other = (" ".join(span) for span in spans)
        sides = [file(one(" ".join(words), f"{span} | ")) for span in (cause, other)]
        report = score(*sides, words="blank", lenient=True)
        counts = {c: (of["hits"], of["predicted"], of["gold"]) for c, of in report.classes.items()}
        marks = (oracle.labels(" ".join(words), span, "", str.split) for span in (cause, other))
        assert counts == oracle.counts_of([tuple(marks)]), left_out


def test_best_pairing_against_all_pairings():
    rng = random.Random(5)
    hits = [FIELDS.index(f"{name}_hits") for name in ("none", "cause", "effect")]
    for n in (1, 2, 3, 3, 4, 4):
        gold, pred = ([(rng.getrandbits(4), rng.getrandbits(4)) for _ in range(n)] for _ in "ab")
        labels = WordLabels(np.full(n, 4), gold, pred, np.zeros((n, 2, 2), np.int64))
        [found] = count_sections(labels, np.zeros(n, np.int64), 1, best=True)
        pairings = [
            WordLabels(labels.sizes, gold, [*rows], labels.facts) for rows in permutations(pred)
        ]
        one_by_one = [count_sections(each, np.arange(n), n) for each in pairings]
        alike = [int(rows[:, hits].sum()) for rows in one_by_one]
        first = one_by_one[alike.index(max(alike))].sum(axis=0)
        assert found[hits].sum() == max(alike)
        assert found[FIELDS.index("exact_in_pairs")] == first[FIELDS.index("exact")]


def test_words_against_nltk():
    rng = random.Random(7)
    atoms = [
        *"aB.,;:!?'\"`()[]{}<>-*@#$%&_19     ", ". ", "...", "--", "''", "'s", "n't", "'ll", "'tis",
        "cannot", "wanna", "d'ye", "more'n", "U.S.", "Corp.", "No.", "A.", "5.", "“", "”",
        "\u2018", "\u2019", "«", "\u2013", "é", "É", "\t", "\n", "\xa0", "\u017f", "\u212a",
        "Mr. Smith", "x-co.", "It", "so",
    ]  # fmt: skip
    cut = cutting("fincausal")
    for _ in range(1500):
        text = "".join(rng.choice(atoms) for _ in range(rng.randint(0, 14)))
        assert cut.words_of(text) == oracle.words(text), text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('He said "prices rose 3.5%" (up), didn\'t he?',
         "He said `` prices rose 3.5 % '' ( up ) , did n't he ?"),
        ("it's the firms' \"tax\".", "it 's the firms ' `` tax '' ."),
        ("cannot gonna, 1,000,000; x: 12:30", "can not gon na , 1,000,000 ; x : 12:30"),
        ("U.K.-based — or – so... it--went", "U.K.-based — or – so ... it -- went"),
        ("“growth” isn’t &c. A.", "“ growth ” isn ’ t & c. A ."),
        ("end of it.)", "end of it . )"),
        ("a,,b c:,d 1,,2 e,,", "a , ,b c : ,d 1 , ,2 e , ,"),
        ('"Tax went up." Sales fell.', "`` Tax went up . '' Sales fell ."),
        ("Mr. Smith of Apple Inc. said no.", "Mr. Smith of Apple Inc. said no ."),
        ("a ²'x b '² c cannot² ½'s", "a ² ' x b '² c cannot² ½ 's"),  # as nltk 3.10 has digits
    ],
)  # fmt: skip
def test_words_of_the_reference(text, words):
    assert cutting("fincausal").words_of(text) == words.split()


def test_repeated_words_take_no_power_of_time():
    text = "a " * 20_000
    start = time.perf_counter()
    report = score(*same(f"{text}b c", f"{text}| b", f"{text}| c"), lenient=True)
    assert time.perf_counter() - start < 2
    assert report.classes["C"].hits == 20_000


def test_sections_are_named_by_their_indices():
    indices = ["0.1", "0.1", "1.2.3.4", "1.2.3.5", "2.3.1", "2.3", "2.3.2", "5.6.1", "7"]
    texts = ["a b c"] * 7 + ["d e f"] * 2
    rows = [one(t, " | ".join(t.split()[:2]), k) for k, t in zip(indices, texts, strict=True)]
    units = score(file(*rows), file(*rows)).statistics.units
    assert units["id"].to_pylist() == [
        "0.1", "0.1#2", "1.2.3.4", "1.2.3.5", "2.3", "2.3#2", "5.6", "7",
    ]  # fmt: skip
    assert units["document"].to_pylist() == ["0", "0", "1", "1", "2", "2", "5", "7"]
    assert units["relations"].to_pylist() == [1, 1, 1, 1, 2, 1, 1, 1]
    two = [one("a b c", "a | b", "1.0.0"), one("a c", "a | ", "1.0.1"), one("b c", "b | c", "7#1")]
    units = score(file(*two), file(*two), lenient=True).statistics.units
    assert units["id"].to_pylist() == ["1.0", "1.0#2", "7#1"]
    assert units["document"].to_pylist() == ["1", "1", "7"]


def test_intervals_rest_on_sections(tmp_path):
    report = score(sample.SECTIONS, sample.SECTIONED["careful"])
    counts = report.statistics
    assert counts.n_units == 5
    assert counts.units["relations"].to_pylist() == [2, 1, 1, 1, 1]
    assert report.baselines["half"].f1 > report.baselines["nothing"].f1
    by_document = score(sample.SECTIONS, sample.SECTIONED["careful"], by="document")
    assert set(by_document.subsets) == {"document=0001", "document=0002"}
    comparison = fc.compare(counts, score(sample.SECTIONS, sample.SECTIONED["hasty"]).statistics)
    assert comparison.scores == ("official_f1",) or "official_f1" in str(comparison)
    counts.write(tmp_path / "counts.parquet")
    assert fc.Statistics.read(tmp_path / "counts.parquet").report() == report


def test_explanation_ends_at_recess():
    from fastcausal.tasks.fincausal.explain import explain_words

    explanation = explain_words(sample.SECTIONS, sample.SECTIONED["careful"])
    gold = fc.read(sample.SECTIONS)
    fields = [quirk.field for quirk in explanation.quirks]
    assert fields == [
        "none",
        "weighted",
        "greedy",
        "by_place",
        "words",
        "chains",
        "overlay",
        "spans",
    ]
    assert explanation.quirks[3].exact_match == pytest.approx(2 / 6)
    pred = fc.read(sample.SECTIONED["careful"], like=None)
    recess = fc.score(gold, pred, unparsed="empty")["overall"].f1
    assert explanation["recess"].f1 == recess


def test_public_baseline():
    gold, pred = FILES / "task2_ref_baseline.csv", FILES / "task2_eval_baseline.csv"
    if not gold.exists():
        pytest.skip("no files of the baseline")
    assert official(gold, pred) == (
        0.509886943723392, 0.5174308916413748, 0.5106290625763681, 0.1111111111111111
    )  # fmt: skip

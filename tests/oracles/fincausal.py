"""FinCausal's task 2: words by nltk, chains by trying, counts by listing."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from typing import NamedTuple

from nltk.tokenize.destructive import NLTKWordTokenizer
from nltk.tokenize.punkt import PunktLanguageVars, PunktParameters, PunktSentenceTokenizer

CLASSES = "-CE"
ABBREVIATIONS = frozenset(
    re.findall(
        r"\S+",
        "u.s st corp co aug sept oct nov l.p dr mr mrs ms messrs inc ltd no vs sen gov rep jr sr "
        "prof gen p.m a.m d.c u.k e.g i.e ph.d u.n jan feb mar apr jun jul dec ala ariz ark calif "
        "colo conn del fla ga ind kan ky la md mich minn mo mont neb nev okla pa tenn tex va vt "
        "wis wyo n.c n.d n.h n.j n.m n.y s.c s.d r.i w.va",
    )
)
QUOTES = "\u2018\u2019“”«»"


class _Marks(PunktLanguageVars):
    """Marks of sentences as nltk knows them from 3.10 on: with quotes that are not of ASCII."""

    re_boundary_realignment = re.compile(rf"[\"')\]}}{QUOTES}]+?(?:\s+|(?=--)|$)", re.MULTILINE)
    _re_non_word_chars = rf"(?:[)\";}}\]*:@'({{\[?!{QUOTES}])"


class _Words(NLTKWordTokenizer):
    """Words as nltk cuts them from 3.10 on: with another rule for apostrophes, and dashes."""

    STARTING_QUOTES = (
        *NLTKWordTokenizer.STARTING_QUOTES[:-1],
        (re.compile(r"(?i)(?<!\w)(')(?!(?:re|ve|ll|m|t|s|d|n)\b)(?=\w)"), r"\1 "),
    )
    PUNCTUATION = (
        *NLTKWordTokenizer.PUNCTUATION,
        (re.compile("[\u2012-\u2015]"), r" \g<0> "),
    )


WITHOUT_MODEL = PunktParameters()
WITHOUT_MODEL.abbrev_types = set(ABBREVIATIONS)
SENTENCES = PunktSentenceTokenizer(WITHOUT_MODEL, lang_vars=_Marks())
WORDS = _Words()


class Stop(Exception):
    """The published program ends."""


class Result(NamedTuple):
    """Everything that is scored."""

    precision: float
    recall: float
    f1: float
    exact: float
    exact_in_pairs: float
    counts: dict[str, tuple[int, int, int]]  # hits, predicted, gold


def words(text: str) -> list[str]:
    """Cut a text into sentences, and these into words."""
    return [word for part in SENTENCES.tokenize(text) for word in WORDS.tokenize(part)]


def chain(span: list[str], text: list[str]) -> list[int]:
    """Return the places that a span labels."""
    known = [next((w for w in (word, word + ".") if w in text), None) for word in span]
    known = [word for word in known if word is not None]
    if len(known) == 1:
        return [k for k, word in enumerate(text) if word == known[0]]

    @cache
    def best(step: int, place: int) -> int:
        if step == len(known) or place >= len(text) or text[place] != known[step]:
            return 0
        return 1 + max(best(step + 1, place + 1), best(step + 1, place + 2))

    lengths = [best(0, place) for place in range(len(text))] if known else []
    if not max(lengths, default=0):
        return []
    places = [lengths.index(max(lengths))]
    while True:
        step, place = len(places), places[-1]
        left = [best(step, place + 1), best(step, place + 2)]
        if not any(left):
            return places
        places.append(place + 1 if left[0] >= left[1] else place + 2)


def labels(text: str, cause: str, effect: str, cut=words) -> str:
    """Return a letter for each word: -, C, E; the effect lies over the cause."""
    of_text = cut(text)
    marks = ["-"] * len(of_text)
    for label, span in (("C", cause), ("E", effect)):
        for place in chain(cut(span), of_text):
            marks[place] = label
    return "".join(marks)


def counts_of(pairs: list[tuple[str, str]]) -> dict[str, tuple[int, int, int]]:
    gold = "".join(a for a, _ in pairs)
    pred = "".join(b for _, b in pairs)
    return {
        c: (sum(a == b == c for a, b in zip(gold, pred, strict=True)), pred.count(c), gold.count(c))
        for c in CLASSES
    }


def weighted(counts: dict[str, tuple[int, int, int]]) -> tuple[float, float, float]:
    """Return precision, recall and F1, weighted by gold."""
    total = sum(gold for *_, gold in counts.values())
    means = []
    for of in (
        lambda hits, predicted, gold: (hits, predicted),
        lambda hits, predicted, gold: (hits, gold),
        lambda hits, predicted, gold: (2 * hits, predicted + gold),
    ):
        ratios = [(*of(*each), each[2]) for each in counts.values()]
        means.append(sum((a / b if b else 0.0) * weight for a, b, weight in ratios) / total)
    return means[0], means[1], means[2]


def rows_of(file: str) -> list[tuple[str, str, str, str]]:
    """Read a file as the program does."""
    lines = file.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lines = lines[1:-1] if lines[-1] == "" else lines[1:]
    rows = []
    for line in lines:
        fields = line.split(";")[:4]
        if len(fields) < 4:
            raise Stop("fields")
        rows.append((fields[0], *(field.lstrip() for field in fields[1:])))
    return rows


def score(gold: str, pred: str, cut=words) -> Result:
    """Score a file against another; raise Stop if the program would end with an error."""
    sides = [rows_of(gold), rows_of(pred)]
    marks = [[labels(*row[1:], cut) for row in rows] for rows in sides]
    if not all(marks[0]) or not all(marks[1]):
        raise Stop("text without a word")
    if [row[1] for row in sides[0]] != [row[1] for row in sides[1]] or not sides[0]:
        raise Stop("rows or texts")
    pairs, sections = [], defaultdict(list)
    for (index, *_), a, b in zip(sides[0], *marks, strict=True):
        if index.count(".") == 2:
            sections[index.rpartition(".")[0]].append((a, b))
        else:
            pairs.append((a, b))
    for rows in sections.values():
        left = [b for _, b in rows]
        for a, _ in rows:
            if any(len(b) != len(a) for b in left):
                raise Stop("texts of a section")
            best = max(left, key=lambda b, a=a: weighted(counts_of([(a, b)]))[2])
            left.remove(best)
            pairs.append((a, best))
    counts = counts_of(pairs)
    if any(predicted + wanted == 0 for _, predicted, wanted in counts.values()):
        raise Stop("a class is absent")
    exact = sum(a == b for a, b in zip(*marks, strict=True)) / len(pairs)
    in_pairs = sum(a == b for a, b in pairs) / len(pairs)
    return Result(*weighted(counts), exact, in_pairs, counts)

"""Words by nltk's rules: sentences by Punkt's rules without a trained model, then words.

They equal those of nltk 3.10: `PunktSentenceTokenizer` with `ABBREVIATIONS`, `NLTKWordTokenizer`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from unicodedata import category

ABBREVIATIONS = frozenset(
    " ".join(
        (
            "u.s st corp co aug sept oct nov l.p",  # the published baseline depends on this line
            "dr mr mrs ms messrs inc ltd no vs sen gov rep jr sr prof gen p.m a.m d.c u.k e.g i.e",
            "ph.d u.n jan feb mar apr jun jul dec ala ariz ark calif colo conn del fla ga ind kan",
            "ky la md mich minn mo mont neb nev okla pa tenn tex va vt wis wyo n.c n.d n.h n.j n.m",
            "n.y s.c s.d r.i w.va",
        )
    ).split()
)  # without their last full stop
BLANKS = " \t\n\r\v\f"
QUOTES = "\u2018\u2019\u201c\u201d\xab\xbb"

# Sentences.
ENDING = re.compile(rf"[.?!](?=([)\";}}\]*:@'({{\[?!{QUOTES}]|\s+(?P<next>\S+)))")
ROW = r"-{2,}|\.{2,}|(?:\.\s){2,}\."
EDGE = rf"(?:\s|$|[)\";}}\]*:@'({{\[?!{QUOTES}]|{ROW})"  # the end of a word
TOKEN = re.compile(rf"{ROW}|[^\s(\"`{{\[:;&#*@)}}\]\-,]\S*?(?={EDGE}|,{EDGE})|\S")
CLOSERS = re.compile(rf"[\"')\]}}{QUOTES}]+(?:(?=\s|--)|$)\s*")
NUMBER = re.compile(r"-?[.,]?\d[\d,.-]*\.?")

# Words: each step rewrites the result of the step before.
APART = r" \g<0> "
QUOTE = re.compile(r"'(re|ve|ll|[mtsdn]|)(?=(.?))", re.IGNORECASE | re.DOTALL)
OPENING = [
    (re.compile(r"[\xab\u201c\u2018\u201e]|`+"), APART),
    (re.compile(r'^"'), "``"),
    (re.compile(r"``"), APART),
    (re.compile(r"([ (\[{<])(?:\"|'')"), r"\1 `` "),
]
MARKS = [
    (re.compile(r"([:,])(\D)"), r" \1 \2"),
    (re.compile(r"[:,]$"), APART),
    (re.compile(r"\.{2,}|[;@#$%&?!\u2012-\u2015]"), APART),
    (re.compile(r"([^'])' "), r"\1 ' "),
    (re.compile(r"[*\]\[(){}<>]|--"), APART),
    (re.compile(r"[\xbb\u201d\u2019]|''"), APART),
    (re.compile(r'"'), " '' "),
]
CLITICS = [
    (re.compile(r"([^' ])('[sSmMdD]?) "), r"\1 \2 "),
    (re.compile(r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) "), r"\1 \2 "),
    (
        re.compile(
            r"\b(can(?=not)|d(?='ye)|gim(?=me)|gon(?=na)|got(?=ta)|lem(?=me)|more(?='n)|wan(?=na\s))"
            r"(not|'ye|me|na|ta|'n)\b",
            re.IGNORECASE,
        ),
        r" \1 \2 ",
    ),
    (re.compile(r" ('t)(is)\b", re.IGNORECASE), r" \1 \2 "),
    (re.compile(r" ('t)(was)\b", re.IGNORECASE), r" \1 \2 "),
]


def cut_words(text: str) -> list[str]:
    """Cut a text into sentences, and these into words."""
    return [word for sentence in split_sentences(text) for word in _split_words(sentence)]


def split_sentences(text: str) -> list[str]:
    """Split a text behind ends of sentences, and quotes and brackets that close there."""
    slices, start = [], 0
    for ending, words in _possible_endings(text):
        if _end_sentence(words):
            slices.append((start, ending.end()))
            start = ending.start("next") if ending["next"] else ending.end()
    slices += [(start, len(text.rstrip())), (0, 0)]
    sentences, n_taken = [], 0  # letters that the sentence before has taken
    for (start, stop), after in pairwise(slices):
        start += n_taken
        closers = CLOSERS.match(text, *after)
        n_taken = closers.end() - after[0] if closers else 0
        sentences.append(text[start : after[0] + len(closers[0].rstrip()) if closers else stop])
    return [sentence for sentence in sentences if sentence]


def _possible_endings(text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Yield full stops, ? and ! with the words around each; of those in one word the last."""
    last, start, stop = None, 0, 0  # an ending, the start of its word, its place
    for ending in ENDING.finditer(text):
        blank = max(map(text[stop : ending.start()].rfind, BLANKS))
        word = stop + blank + 1 if blank >= 0 else start
        if last and stop <= word:
            yield last, text[start : last.end(1)]
        last, start, stop = ending, word, ending.start()
    if last:
        yield last, text[start : last.end(1)]


def _end_sentence(words: str) -> bool:
    tokens = [token for line in words.split("\n") for token in TOKEN.findall(line)]
    return any(_is_end(*pair) for pair in pairwise(tokens))


def _is_end(token: str, after: str) -> bool:
    if token in (".", "?", "!"):
        return True
    name = token[:-1]
    if token[-1] != "." or name[-1] == ".":
        return False
    if {name.lower(), name.lower().rpartition("-")[2]} & ABBREVIATIONS:
        return False
    is_initial = len(name) == 1 and _is_part(name) and not name.isdecimal()
    if not is_initial and not NUMBER.fullmatch(token):
        return True
    if after in (";", ":", ",", ".", "!", "?") or after[0].islower():
        return False
    return not is_initial or not after[0].isupper()


def _split_words(sentence: str) -> list[str]:
    for pattern, replacement in OPENING:
        sentence = pattern.sub(replacement, sentence)
    sentence = _part_last_stop(QUOTE.sub(_part_quote, sentence))
    for pattern, replacement in MARKS:
        sentence = pattern.sub(replacement, sentence)
    sentence = f" {' '.join(sentence.split())} "
    for pattern, replacement in CLITICS:
        sentence = pattern.sub(replacement, sentence)
    return sentence.split()


def _part_quote(quote: re.Match[str]) -> str:
    """Part an apostrophe from the word that it opens, unless that is an ending such as 's."""
    before = quote.string[quote.start() - 1 : quote.start()]
    return f"' {quote[1]}" if _is_part(quote[2]) and not _is_part(before) else quote[0]


def _is_part(letter: str) -> bool:
    """Return True for a letter of a word; ² is none here, as nltk's engine of patterns has it."""
    return letter == "_" or (letter.isalnum() and category(letter) != "No")


def _part_last_stop(sentence: str) -> str:
    """Part a full stop that ends a sentence, perhaps before quotes and brackets."""
    stop = len(sentence.rstrip().rstrip("])}>\"' \xbb\u201d\u2019"))
    if sentence[stop - 1 : stop] != "." or sentence[stop - 2 : stop - 1] in ("", "."):
        return sentence
    return f"{sentence[: stop - 1]} . {sentence[stop:]}"

"""Wrong pairs by document, worst first, with the sentences of their mentions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.errors import InputError, counted
from fastcausal.files.records import Records
from fastcausal.options import PairRelation
from fastcausal.report.grid import Grid
from fastcausal.report.printed import Printed
from fastcausal.tasks.eci.corpora.documents import Corpus, Mention
from fastcausal.tasks.eci.count import read_sources
from fastcausal.tasks.eci.files import GOLD, PRED, EventPairs, open_table
from fastcausal.tasks.eci.labels import UNKNOWN, label_texts, labels_of
from fastcausal.tasks.eci.protocols import PAIRS

KINDS = ("missed", "invented", "turned round", "wrong type", "unknown direction")
Said = dict[frozenset[str], dict[tuple[str, str, int], str]]
"""Labels of each pair of a document on one side, by item (cause, effect, type)."""


@dataclass(frozen=True)
class WrongPair:
    """A pair with different labels in gold and predictions."""

    kind: str  # One of `KINDS`
    # Mentions
    a: str
    b: str
    # Labels, as written; empty for no relation
    gold: str
    pred: str
    text: str = ""  # Sentences of both mentions; mentions are in brackets if their words are known


class PairErrors(Printed):
    """Documents with wrong pairs, worst first."""

    def __init__(
        self,
        signature: str,
        kinds: Sequence[str],
        n_wrong: int,  # Documents with a wrong pair
        documents: Mapping[str, list[WrongPair]],  # The worst of them
    ) -> None:
        self.signature = signature
        self.kinds: tuple[str, ...] = tuple(kinds)
        self.n_wrong = n_wrong
        self.documents = documents
        shown = f", the worst {len(documents)}" if len(documents) < n_wrong else ""
        self.title: str = (
            f"{counted(n_wrong, 'document')} with wrong pairs ({', '.join(kinds)}){shown}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values: id, counts by kind, and wrong pairs of each document."""
        return {
            "signature": self.signature,
            "types": [*self.kinds],
            "n_wrong": self.n_wrong,
            "documents": [
                {
                    "doc_id": id,
                    "errors": len(pairs),
                    "counts": dict(Counter(pair.kind for pair in pairs)),
                    "pairs": [vars(pair) for pair in pairs],
                }
                for id, pairs in self.documents.items()
            ],
        }

    def to_arrow(self) -> pa.Table:
        """Return a row per wrong pair."""
        rows = [{"doc_id": id, **vars(p)} for id, pairs in self.documents.items() for p in pairs]
        names = ("doc_id", "kind", "a", "b", "gold", "pred", "text")
        return pa.Table.from_pylist(rows, pa.schema([(name, pa.string()) for name in names]))

    def to_table(self, counts: bool = False) -> Grid:
        """Return a table with a part per document and a row per wrong pair."""
        has_text = any(pair.text for pairs in self.documents.values() for pair in pairs)
        grid = Grid(self.title, ["error", "gold", "predicted", *(["text"] if has_text else [])])
        for id, pairs in self.documents.items():
            grid.part(id)
            for pair in pairs:
                cells = [pair.kind, pair.gold or "-", pair.pred or "-"]
                grid.add(f"{pair.a}, {pair.b}", *cells, *([pair.text] if has_text else []))
        return grid

    def _notes(self) -> list[str]:
        return [self.signature]


def pair_errors(
    gold: Any,
    pred: Any,
    *,
    top: int | None = 10,  # Most documents to return; None: all
    types: Sequence[str] = (),  # Kinds of errors of `KINDS`; by default all
    # Sentences: rows with ``doc_id``, ``sentence`` and ``text``, or a corpus. Mentions are shown in
    # brackets if rows give the characters of their words in the sentence as ``event``, ``start``
    # and ``stop``, as a corpus does. By default gold, if it is a corpus.
    text: Any = None,
    forward: Iterable[str] | str = (),
    backward: Iterable[str] | str = (),
    none: Iterable[str] | str = (),
    unknown: Iterable[str] | str = (),
    relation: PairRelation = "causal",
) -> PairErrors:
    """Find the documents with most wrong pairs."""
    # gold, pred, forward, backward, none, unknown, relation: as `eci`.
    for kind in types:
        if kind not in KINDS:
            raise ValueError(f'unknown type "{kind}", expected one of {", ".join(KINDS)}')
    if top is not None and top < 1:
        raise ValueError(f"top is {top}, expected at least 1")
    kinds = tuple(dict.fromkeys(types)) or KINDS
    tables = open_table(gold, relation, GOLD), open_table(pred, relation, PRED)
    labels = labels_of(forward, backward, none, unknown, relation)
    sources = read_sources(*tables, None, PAIRS, labels, relation)
    sides = [_group_labels(side) for side in sources[:2]]
    wrong = {
        id: found
        for id in sorted({*sides[0], *sides[1]})
        if (found := [p for p in _wrong(*(side.get(id, {}) for side in sides)) if p.kind in kinds])
    }
    worst = sorted(wrong, key=lambda id: -len(wrong[id]))[:top]
    texts = _Texts(tables[0] if text is None else open_table(text, "causal", "text"))
    places = _places(sources[:2])
    shown = {id: [texts.shown(id, pair, places) for pair in wrong[id]] for id in worst}
    line = f"protocol:{PAIRS.name}|relation:{relation}{labels.text}"
    signature = f"fastcausal|{__version__}|eci-errors|{line}"
    return PairErrors(signature, kinds, len(wrong), shown)


def _group_labels(side: EventPairs) -> dict[str, Said]:
    """Return the labels of the pairs of each document on one side."""
    assert side.label is not None
    texts = label_texts(side.records)
    documents: dict[str, Said] = {}
    related = side.label.nonzero()[0].tolist()
    rows = related if side.rows is None else side.rows[related].tolist()
    for k, row in zip(related, rows, strict=True):
        (doc, a, b), code = side.ids(k), int(side.label[k])
        cause, effect = (b, a) if code > UNKNOWN and code % 2 else (a, b)
        if code == UNKNOWN:
            cause, effect = sorted((a, b))
        pairs = documents.setdefault(doc, {})
        written = f"{a} {texts[row].as_py()} {b}"
        pairs.setdefault(frozenset((a, b)), {})[cause, effect, code // 2] = written
    return documents


def _wrong(gold: Said, pred: Said) -> Iterator[WrongPair]:
    """Yield the pairs of a document with different labels, or with an unknown direction."""
    for pair in sorted({*gold, *pred}, key=sorted):
        of_gold, of_pred = gold.get(pair, {}), pred.get(pair, {})
        kind = _kind({*of_gold}, {*of_pred})
        if kind:
            written = (", ".join(sorted(of.values())) for of in (of_gold, of_pred))
            yield WrongPair(kind, *sorted(pair), *written)


def _kind(gold: set[tuple[str, str, int]], pred: set[tuple[str, str, int]]) -> str:
    if not pred:
        return "missed"
    if not gold:
        return "invented"
    if any(type == 0 for _, _, type in gold | pred):  # of unknown direction
        return "unknown direction"
    if gold == pred:
        return ""
    ends = [{item[:2] for item in side} for side in (gold, pred)]
    return "wrong type" if ends[0] == ends[1] else "turned round"


def _places(sides: Sequence[EventPairs]) -> dict[tuple[str, str], str]:
    """Return the sentence of each mention, as text."""
    places = {}
    for side in sides:
        for end, sentences in enumerate(side.sentences, 1):
            for row, sentence in enumerate([] if sentences is None else sentences.to_pylist()):
                if sentence is not None:
                    ids = side.ids(row)
                    places[ids[0], ids[end]] = str(sentence)
    return places


class _Texts:
    """Sentences by document and number, and words of mentions; both may be unknown."""

    def __init__(self, source: Records) -> None:
        self.sentences: dict[tuple[str, str], str] = {}
        self.mentions: dict[tuple[str, str], Mention] = {}
        self.places: dict[tuple[str, str], str] = {}
        if isinstance(source, Corpus):
            for document in source.documents:
                for number, text in document.sentences.items():
                    self.sentences[document.id, str(number)] = text
                for name, mention in document.mentions.items():
                    self.mentions[document.id, name] = mention
        elif "text" in source:
            names = (source.keys("doc_id"), source.keys("sentence"), source.texts("text"))
            for doc, number, text in zip(*(c.to_pylist() for c in names), strict=True):
                if text or (doc, number) not in self.sentences:
                    self.sentences[doc, number] = text or ""
            if "event" in source:
                self._read_mentions(source)

    def _read_mentions(self, source: Records) -> None:
        """Read the rows of words: document, sentence, event, and characters in the sentence."""
        columns = (source.keys("doc_id"), source.keys("sentence"), source.texts("event"))
        bounds = (source.numbers(name).tolist() for name in ("start", "stop"))
        rows = zip(*(column.to_pylist() for column in columns), *bounds, strict=True)
        for k, (doc, number, event, start, stop) in enumerate(rows):
            if event is None:
                continue
            length = len(self.sentences[doc, number])
            if not (0 <= start < stop <= length and start == int(start) and stop == int(stop)):
                raise InputError(
                    f'{source.locate(k)}: event "{event}" has the characters {start:g} to '
                    f"{stop:g}, expected whole numbers from 0 to {length}, the length of its "
                    "sentence"
                )
            before = self.mentions.get((doc, event), Mention())
            words = (*before.words, (int(start), int(stop)))
            self.mentions[doc, event] = before._replace(words=words)
            self.places[doc, event] = number

    def shown(self, doc: str, pair: WrongPair, places: Mapping[tuple[str, str], str]) -> WrongPair:
        """Return a pair with the sentences of its mentions."""
        words: dict[str, list[tuple[int, int]]] = {}
        for name in (pair.a, pair.b):
            mention = self.mentions.get((doc, name), Mention())
            number = self.places.get((doc, name)) or places.get((doc, name), str(mention.sentence))
            if (doc, number) in self.sentences:
                words.setdefault(number, []).extend(mention.words)
        texts = [_bracketed(self.sentences[doc, number], words[number]) for number in words]
        return WrongPair(pair.kind, pair.a, pair.b, pair.gold, pair.pred, " / ".join(texts))


def _bracketed(text: str, words: Iterable[tuple[int, int]]) -> str:
    """Put words of a text into brackets.

    >>> _bracketed("rain floods roads", [(5, 11), (0, 4)])
    '[rain] [floods] roads'
    """
    for start, stop in sorted(set(words), reverse=True):
        text = f"{text[:start]}[{text[start:stop]}]{text[stop:]}"
    return text

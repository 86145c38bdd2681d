"""Documents of annotation tools: spans, links, and the relations made of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fastcausal.errors import InputError
from fastcausal.files.values import shown
from fastcausal.formats._tokens import token_bounds
from fastcausal.formats.annotation.faults import MISPLACED, UnplacedError
from fastcausal.formats.annotation.passages import CharRange, Passage
from fastcausal.formats.cnc.markup import CAUSE, EFFECT, SIGNAL
from fastcausal.formats.reading.builder import Builder, ColumnBuilder, RoleSpan, UnreadError
from fastcausal.formats.sentences import CutLettersError
from fastcausal.marking import MARKING, Marking
from fastcausal.relations import ROLES, Relations

MAX_SPANS = 1_000_000  # in the relations of one document
MAX_SHOWN = 100  # characters of a text in messages


def role_of(label: str | None) -> int | None:
    """Return the role of a label, in any case; None for any other label."""
    name = label.strip().lower() if label is not None else ""
    return ROLES.index(name) if name in ROLES else None


@dataclass(frozen=True)
class Mark:
    """A span marked by an annotator."""

    label: str | None  # The label in the file, or None
    # In characters of the document
    start: int
    stop: int
    # The marked text without white space around; several parts if separated by more than
    # white space, none for white space alone
    parts: tuple[CharRange, ...]

    @property
    def role(self) -> int | None:
        """The role of its label; None for another label or none."""
        return role_of(self.label)


class Words:
    """The words of a document, for placing marks without scanning its text."""

    # A mark of any length costs the logarithm of the number of words.

    def __init__(self, text: str) -> None:
        self._n = len(text)
        self._starts, self._stops = token_bounds(text)

    def touched(self, start: int, stop: int) -> range:
        """Return the numbers of the words that characters [start, stop) touch."""
        if start >= stop:
            return range(0)
        return range(bisect_right(self._stops, start), bisect_left(self._starts, stop))

    def mark(self, label: str | None, bounds: Iterable[CharRange]) -> Mark:
        """Return a mark on the document; raise UnplacedError if it is outside the text."""
        ordered = sorted(bounds)
        parts: list[CharRange] = []
        for start, stop in ordered:
            if not 0 <= start <= stop <= self._n:
                raise UnplacedError(f"characters {start} to {stop} do not fit a text of {self._n}")
            words = self.touched(start, stop)
            if not words:
                continue
            start, stop = max(start, self._starts[words[0]]), min(stop, self._stops[words[-1]])
            if parts and not self.touched(parts[-1][1], start):
                parts[-1] = (parts[-1][0], max(stop, parts[-1][1]))
            else:
                parts.append((start, stop))
        label = label if label is not None and label.strip() else None
        return Mark(label, ordered[0][0], max(stop for _, stop in ordered), tuple(parts))


@dataclass(frozen=True)
class Link:
    """A link between two marks."""

    name: str  # Its name in messages
    # The marks at its ends, as indices of `Document.marks`; None for anything else
    source: int | None
    target: int | None
    type: str | None = None  # The type in the file, or None


@dataclass
class Document:
    """One document with one annotator's marks."""

    file: str  # Its name in messages
    name: str
    annotator: str
    text: str
    sentences: list[Passage]
    marks: list[Mark]
    links: list[Link]  # Links of other types are dropped and counted in the notes
    notes: Counter[str] = field(default_factory=Counter)  # Counts of dropped content
    columns: Mapping[str, Any] = field(default_factory=dict)  # Further columns of all its examples
    is_example: bool = False  # True if the whole document is one example, with its name as id
    marking: Marking = MARKING  # The settings of reading

    @classmethod
    def make_empty(cls, file: str, name: str, annotator: str, note: str) -> Document:
        """Return a document without sentences, with one note."""
        return cls(file, name, annotator, "", [], [], [], Counter([note]))

    @classmethod
    def misplaced(
        cls, file: str, name: str, annotator: str, error: UnplacedError, marking: Marking
    ) -> Document:
        """Leave out a document with spans that do not fit, or raise, by the policy."""
        if marking.unplaced == "error":
            raise error
        return cls.make_empty(file, name, annotator, MISPLACED)

    def __post_init__(self) -> None:
        linked, self.links = self.links, []
        for link in linked:
            is_relation, note = self.marking.judge_link(link.type)
            if note and (self.pair(link) or not is_relation):
                self.notes[note] += 1
            if is_relation:
                self.links.append(link)
        self._starts = [sentence.offset for sentence in self.sentences]
        named = (*self.notes, *(mark.label or "" for mark in self.marks))
        try:
            "".join([self.text, self.name, self.annotator, *named]).encode()
        except UnicodeEncodeError as error:
            raise InputError(f"{self.file}: half a surrogate pair, which cannot be text") from error

    def example(self, sentence: Passage) -> str:
        """Return the id of a sentence."""
        return self.name if self.is_example else f"{self.name}:{sentence.number}"

    def describe(self, number: int) -> str:
        """Describe a mark for messages."""
        mark = self.marks[number]
        start = self.text[mark.start : min(mark.stop, mark.start + MAX_SHOWN)]
        return f"{mark.label or 'span'} {shown(start)}"

    def sentence_of(self, mark: Mark) -> Passage | None:
        """Return the sentence in which a mark begins."""
        offset = mark.parts[0][0] if mark.parts else mark.start
        k = bisect_right(self._starts, offset) - 1
        return self.sentences[k] if k >= 0 and offset < self.sentences[k].end else None

    def is_within(self, mark: Mark) -> bool:
        """Return True if a mark lies in one sentence."""
        sentence = self.sentence_of(mark)
        return sentence is not None and (not mark.parts or mark.parts[-1][1] <= sentence.end)

    def place(self, number: int, sentence: Passage | None) -> list[tuple[int, int, bool]]:
        """Return the tokens of a mark in a sentence, with True if one is marked in part."""
        # UnreadError: the mark has no token, or is not in that sentence alone.
        mark = self.marks[number]
        if sentence is None or self.sentence_of(mark) is not sentence or not self.is_within(mark):
            raise UnreadError(f"{self.describe(number)} is not within the sentence")
        if not mark.parts:
            raise UnreadError(f"{self.describe(number)} marks no token")
        try:
            return [
                sentence.tokens(a - sentence.offset, b - sentence.offset) for a, b in mark.parts
            ]
        except CutLettersError as error:
            where = f"{self.file}: example {self.example(sentence)}"
            raise InputError(f"{where}: {error.problem}", error.remedy) from error

    def pair(self, link: Link) -> tuple[int, int] | None:
        """Return the cause or signal, and the effect, of a link in either direction."""
        # None for any other link.
        if link.source is None or link.target is None:
            return None
        for argument, effect in ((link.source, link.target), (link.target, link.source)):
            if self.marks[effect].role == EFFECT and self.marks[argument].role in (CAUSE, SIGNAL):
                return argument, effect
        return None

    def arguments(self) -> dict[int, tuple[list[int], list[int]]]:
        """Return linked causes and signals of each effect, in the order of links."""
        linked = dict.fromkeys(pair for link in self.links if (pair := self.pair(link)))
        by_effect: dict[int, tuple[list[int], list[int]]] = {}
        for argument, effect in linked:
            sides = by_effect.setdefault(effect, ([], []))
            sides[self.marks[argument].role == SIGNAL].append(argument)
        return by_effect

    def relations(self) -> Relations:
        """Return the relations made of the links, see `relations_of`."""
        return relations_of(self.file, [self])

    def add_to(self, build: Builder) -> None:
        """Add an example per sentence; refuse more than `MAX_SPANS` spans."""
        arguments = self.arguments()
        self._require_few_spans(arguments)
        build.notes.update(self.notes)
        pairs = [self.pair(link) for link in self.links]
        used = {number for pair in pairs if pair is not None for number in pair}
        build.notes["link left out"] += pairs.count(None)
        build.notes["span left out"] += len(self.marks) - len(used)
        build.notes["reversed link"] += sum(
            pair == (link.target, link.source)
            for pair, link in zip(pairs, self.links, strict=True)
        )  # fmt: skip
        by_sentence: dict[int, list[list[RoleSpan] | str]] = {s.number: [] for s in self.sentences}
        for effect, (causes, signals) in arguments.items():
            sentence = self.sentence_of(self.marks[effect])
            if sentence is not None:
                by_sentence[sentence.number] += self._around(
                    build, sentence, effect, causes, signals
                )
            else:
                build.notes["span left out"] += 1
        for sentence in self.sentences:
            for spans in by_sentence[sentence.number]:
                if isinstance(spans, str):
                    where = f"{self.file}: example {self.example(sentence)}"
                    build.unread_relation(where, UnreadError(spans))
                else:
                    build.relation(spans)
            build.end_example(len(sentence.starts))

    def _require_few_spans(self, arguments: Mapping[int, tuple[list[int], list[int]]]) -> None:
        """Refuse links that make too many spans: each relation of an effect has all its signals."""
        n_spans = 0
        for effect, (causes, signals) in arguments.items():
            shared, own = (sum(len(self.marks[k].parts) for k in side)
                           for side in ([effect, *signals], causes))  # fmt: skip
            n_spans += len(causes) * shared + own
            if n_spans > MAX_SPANS:
                raise InputError(
                    f"{self.file}: {len(causes)} causes and {len(signals)} signals of "
                    f"{self.describe(effect)} bring the spans of all relations to {n_spans}, "
                    f"expected at most {MAX_SPANS}"
                )

    def _around(
        self,
        build: Builder,
        sentence: Passage,
        effect: int,
        causes: Sequence[int],
        signals: Sequence[int],
    ) -> Iterator[list[RoleSpan] | str]:
        """Yield the relations of one effect: spans, or the reason why it has none."""
        if signals and not causes:
            yield f"{self.describe(effect)} has a Signal but no Cause"
            return
        try:
            shared = self._spans(build, effect, sentence)
        except UnreadError as reason:
            yield from [str(reason)] * len(causes)
            return
        for number in signals:
            try:
                shared += self._spans(build, number, sentence)
            except UnreadError:
                build.notes["span left out"] += 1
        for cause in causes:
            try:
                yield sorted({*self._spans(build, cause, sentence), *shared})
            except UnreadError as reason:
                yield str(reason)

    def _spans(self, build: Builder, number: int, sentence: Passage) -> list[RoleSpan]:
        role = self.marks[number].role
        assert role is not None  # links connect causes, signals and effects alone
        placed = self.place(number, sentence)
        build.notes["span cut a token"] += sum(cut for *_, cut in placed)
        return [(role, start, stop) for start, stop, _ in placed]


def relations_of(file: str, documents: Iterable[Document]) -> Relations:
    """Return the relations made of the links in one annotator's documents."""
    # It has an example per sentence, with the columns ``id`` (document and number of
    # the sentence), ``text``, ``doc_id`` and ``annotator``. A relation is one linked Cause and
    # Effect with the Signals linked to that Effect: an Effect of several Causes makes several
    # relations. They follow the order in which their Effects, and then their Causes, are first
    # linked. A relation is null if its Effect has Signals but no Cause, or if Cause and Effect are
    # not within one sentence. ``reading.notes`` counts corrections and dropped content.
    build = Builder(file)
    seen: dict[str, str] = {}
    columns: dict[str, list[Any]] = {"id": [], "text": [], "doc_id": [], "annotator": []}
    further = ColumnBuilder((*columns, "length", "relations"))
    for document in documents:
        build.words = next((s.rule.name for s in document.sentences), build.words)
        if document.text and document.name in seen:
            both = " and ".join(dict.fromkeys((seen[document.name], document.annotator)))
            raise InputError(
                f'{file}: document "{document.name}" comes twice, of {both}; agreement takes '
                "the documents of several annotators"
            )
        if document.text:  # a left-out document has notes alone
            seen[document.name] = document.annotator
        document.add_to(build)
        for sentence in document.sentences:
            columns["id"].append(document.example(sentence))
            columns["text"].append(sentence.tokenised)
            columns["doc_id"].append(document.name)
            columns["annotator"].append(document.annotator)
            further.add(document.columns)
    return build.table(columns | further.typed(file))

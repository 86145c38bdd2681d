"""Documents of annotation tools: marked spans, links between them, the relations they make."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from fastcausal.errors import InputError
from fastcausal.formats._tokens import token_bounds
from fastcausal.formats.cnc.markup import CAUSE, EFFECT, SIGNAL, TOKEN, count_tokens
from fastcausal.formats.io.builder import Builder, Span, UnreadError
from fastcausal.formats.io.values import shown
from fastcausal.formats.sentences import WHITE, Sentence
from fastcausal.relations import ROLES, Relations

Bounds = tuple[int, int]
"""(start, stop) in characters, stop exclusive."""

MOST_SPANS = 1_000_000  # of the relations of one document
MOST_SHOWN = 100  # characters of a text of which `shown` shows the first


def role_of(label: str | None) -> int | None:
    """Return the role that a label names, in any case; None for any other label."""
    name = label.strip().lower() if label is not None else ""
    return ROLES.index(name) if name in ROLES else None


@dataclass(frozen=True)
class Mark:
    """A span as an annotator marked it.

    Attributes
    ----------
    label : str or None
        As the file has it, None where it has none.
    start, stop : int
        In characters of the document.
    parts : tuple of (start, stop)
        What it marks, without white space around; several where more than white space lies
        between, none where it marks nothing.
    """

    label: str | None
    start: int
    stop: int
    parts: tuple[Bounds, ...]

    @property
    def role(self) -> int | None:
        """The role that its label names, None for another label or none."""
        return role_of(self.label)


class Words:
    """The words of a document, by which marks are placed without a look at its text.

    Marks may be as many and as long as they like: each costs the logarithm of the words.
    """

    def __init__(self, text: str) -> None:
        self._n = len(text)
        self._starts, self._stops = token_bounds(text)

    def touched(self, start: int, stop: int) -> range:
        """Return the numbers of the words that characters [start, stop) touch."""
        if start >= stop:
            return range(0)
        return range(bisect_right(self._stops, start), bisect_left(self._starts, stop))

    def mark(self, label: str | None, bounds: Iterable[Bounds]) -> Mark:
        """Return a mark on the document; InputError where its bounds are outside of it."""
        ordered = sorted(bounds)
        parts: list[Bounds] = []
        for start, stop in ordered:
            if not 0 <= start <= stop <= self._n:
                raise InputError(f"characters {start} to {stop} do not fit a text of {self._n}")
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
    """A link between two marks.

    Attributes
    ----------
    name : str
        How messages call it.
    source, target : int or None
        The marks it goes from and to, as numbers in `Document.marks`; None for anything else.
    """

    name: str
    source: int | None
    target: int | None


class Passage(Sentence):
    """A sentence within a document: an example to be.

    Parameters
    ----------
    number : int
        Among the sentences of the document, from 1.
    offset : int
        Where its text starts in the document.
    text : str
    tokens : list of (start, stop), optional
        In characters of the document; tokens separated by white space if not given.
    """

    def __init__(
        self, number: int, offset: int, text: str, tokens: Sequence[Bounds] | None = None
    ) -> None:
        super().__init__(text)
        self.number = number
        self.offset = offset
        self.end: int = offset + len(text)
        if tokens is not None:
            self.starts: list[int] = [start - offset for start, _ in tokens]
            self.stops: list[int] = [stop - offset for _, stop in tokens]

    @property
    def tokenised(self) -> str | None:
        """A text whose tokens white space separates: its own, or else its tokens joined.

        None where white space within a token would make two of it.
        """
        words = [self.text[a:b] for a, b in zip(self.starts, self.stops, strict=True)]
        if TOKEN.findall(self.text) == words:
            return self.text
        joined = " ".join(words)
        return joined if count_tokens(joined) == len(words) else None


def passages(
    text: str, sentences: Iterable[Bounds], tokens: Iterable[Bounds] | None = None
) -> list[Passage]:
    """Return the sentences of a document in their order, numbered from 1; blank ones are left out.

    A token belongs to the sentence that it lies in.

    Raises
    ------
    InputError
        Two sentences, or two tokens, overlap.
    """
    ordered = _apart("sentences", sentences)
    words = None if tokens is None else _apart("tokens", (t for t in tokens if t[0] < t[1]))
    starts = [start for start, _ in words or ()]
    numbered = []
    for number, (start, stop) in enumerate(ordered, 1):
        inside = None
        if words is not None:
            first, last = bisect_right(starts, start - 1), bisect_right(starts, stop - 1)
            inside = [token for token in words[first:last] if token[1] <= stop]
        if text[start:stop].strip(WHITE):
            numbered.append(Passage(number, start, text[start:stop], inside))
    return numbered


def lines_of(text: str) -> Iterator[Bounds]:
    """Yield the lines of a text, without their ends."""
    start = 0
    for line in text.split("\n"):
        yield start, start + len(line.removesuffix("\r"))
        start += len(line) + 1


def _apart(what: str, bounds: Iterable[Bounds]) -> list[Bounds]:
    ordered = sorted(bounds)
    for (_, stop), (start, _) in pairwise(ordered):
        if start < stop:
            raise InputError(f"two {what} overlap at character {start}")
    return ordered


@dataclass
class Document:
    """One document as one annotator marked it.

    Attributes
    ----------
    file : str
        What messages call it.
    name, annotator : str
    text : str
    sentences : list of Passage
    marks : list of Mark
    links : list of Link
    notes : Counter of str
        What the file holds beyond these.
    """

    file: str
    name: str
    annotator: str
    text: str
    sentences: list[Passage]
    marks: list[Mark]
    links: list[Link]
    notes: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._starts = [sentence.offset for sentence in self.sentences]
        try:
            "".join([self.text, self.name, self.annotator, *(m.label or "" for m in self.marks)]
                    ).encode()  # fmt: skip
        except UnicodeEncodeError as error:
            raise InputError(f"{self.file}: half a surrogate pair, which cannot be text") from error

    def example(self, sentence: Passage) -> str:
        """Return the id of a sentence."""
        return f"{self.name}:{sentence.number}"

    def describe(self, number: int) -> str:
        """Describe a mark for messages."""
        mark = self.marks[number]
        start = self.text[mark.start : min(mark.stop, mark.start + MOST_SHOWN)]
        return f"{mark.label or 'span'} {shown(start)}"

    def sentence_of(self, mark: Mark) -> Passage | None:
        """Return the sentence in which a mark begins."""
        offset = mark.parts[0][0] if mark.parts else mark.start
        k = bisect_right(self._starts, offset) - 1
        return self.sentences[k] if k >= 0 and offset < self.sentences[k].end else None

    def is_within(self, mark: Mark) -> bool:
        """Tell whether a mark lies in one sentence."""
        sentence = self.sentence_of(mark)
        return sentence is not None and (not mark.parts or mark.parts[-1][1] <= sentence.end)

    def place(self, number: int, sentence: Passage | None) -> list[tuple[int, int, bool]]:
        """Return the tokens of a mark in a sentence, and whether one is marked in part.

        Raises
        ------
        UnreadError
            It marks no token, or is not in that sentence alone.
        """
        mark = self.marks[number]
        if sentence is None or self.sentence_of(mark) is not sentence or not self.is_within(mark):
            raise UnreadError(f"{self.describe(number)} is not within the sentence")
        if not mark.parts:
            raise UnreadError(f"{self.describe(number)} marks no token")
        return [sentence.tokens(a - sentence.offset, b - sentence.offset) for a, b in mark.parts]

    def pair(self, link: Link) -> tuple[int, int] | None:
        """Return the cause or signal, and the effect, that a link connects in either direction.

        None where it connects anything else.
        """
        if link.source is None or link.target is None:
            return None
        for argument, effect in ((link.source, link.target), (link.target, link.source)):
            if self.marks[effect].role == EFFECT and self.marks[argument].role in (CAUSE, SIGNAL):
                return argument, effect
        return None

    def arguments(self) -> dict[int, tuple[list[int], list[int]]]:
        """Return causes and signals linked to each effect that has any, in the order of links."""
        linked = dict.fromkeys(pair for link in self.links if (pair := self.pair(link)))
        by_effect: dict[int, tuple[list[int], list[int]]] = {}
        for argument, effect in linked:
            sides = by_effect.setdefault(effect, ([], []))
            sides[self.marks[argument].role == SIGNAL].append(argument)
        return by_effect

    def relations(self) -> Relations:
        """Return the relations that the links make.

        Returns
        -------
        Relations
            An example per sentence, with the columns ``id`` (document and number of the sentence),
            ``text``, ``doc_id`` and ``annotator``. A relation is one linked Cause and Effect with
            the Signals linked to that Effect: an Effect of several Causes makes several relations.
            They come in the order in which their Effects, and then their Causes, are first linked.
            A relation is null where its Effect has Signals but no Cause, or where Cause and Effect
            do not lie within one sentence. ``reading.notes`` counts what was set right or left
            out.

        Raises
        ------
        InputError
            The relations would have more than `MOST_SPANS` spans.
        """
        arguments = self.arguments()
        self._require_few_spans(arguments)
        build = Builder(self.file)
        build.notes.update(self.notes)
        pairs = [self.pair(link) for link in self.links]
        used = {number for pair in pairs if pair is not None for number in pair}
        build.notes["link left out"] += pairs.count(None)
        build.notes["span left out"] += len(self.marks) - len(used)
        build.notes["reversed link"] += sum(
            pair == (link.target, link.source)
            for pair, link in zip(pairs, self.links, strict=True)
        )  # fmt: skip
        by_sentence: dict[int, list[list[Span] | str]] = {s.number: [] for s in self.sentences}
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
        columns = {
            "id": list(map(self.example, self.sentences)),
            "text": [sentence.tokenised for sentence in self.sentences],
            "doc_id": [self.name] * len(self.sentences),
            "annotator": [self.annotator] * len(self.sentences),
        }
        return build.table(columns)

    def _require_few_spans(self, arguments: Mapping[int, tuple[list[int], list[int]]]) -> None:
        """Refuse links that make too many spans: each relation of an effect has all its signals."""
        n_spans = 0
        for effect, (causes, signals) in arguments.items():
            shared, own = (sum(len(self.marks[k].parts) for k in side)
                           for side in ([effect, *signals], causes))  # fmt: skip
            n_spans += len(causes) * shared + own
            if n_spans > MOST_SPANS:
                raise InputError(
                    f"{self.file}: {len(causes)} causes and {len(signals)} signals of "
                    f"{self.describe(effect)} bring the spans of all relations to {n_spans}, "
                    f"expected at most {MOST_SPANS}"
                )

    def _around(
        self,
        build: Builder,
        sentence: Passage,
        effect: int,
        causes: Sequence[int],
        signals: Sequence[int],
    ) -> Iterator[list[Span] | str]:
        """Yield the relations of one effect: spans, or why there is none."""
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

    def _spans(self, build: Builder, number: int, sentence: Passage) -> list[Span]:
        role = self.marks[number].role
        assert role is not None  # links connect causes, signals and effects alone
        placed = self.place(number, sentence)
        build.notes["span cut a token"] += sum(cut for *_, cut in placed)
        return [(role, start, stop) for start, stop, _ in placed]

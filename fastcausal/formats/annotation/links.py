"""Documents of annotation tools: spans, links, and the relations made of them."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

from fastcausal.arrays.reading import arguments_of
from fastcausal.errors import InputError
from fastcausal.files.values import pause_gc, shown
from fastcausal.formats._tokens import token_bounds
from fastcausal.formats.annotation.faults import MISPLACED, UnplacedError
from fastcausal.formats.annotation.passages import CharRange, Passage
from fastcausal.formats.reading.builder import Builder, ColumnBuilder, RoleSpan, UnreadError
from fastcausal.formats.sentences import CutLettersError
from fastcausal.marking import MARKING, LinkRoles, Marking
from fastcausal.relations import ROLES, Relations

CAUSES = "Causes"  # the type of links whose relation has no type
SIGNAL = ROLES[2]
DIGITS = "0123456789"
_LINE_END = re.compile(r"\r?\n")
LONE = "span without a link, which --lone keep or --lone pair would read"
TURNED = "link from effect to cause by the labels, but not by its direction"
PlacedRelation = tuple[list[RoleSpan], str | None]
"""The spans of a relation in tokens, and its type."""
MAX_SPANS = 1_000_000  # in the relations of one document
MAX_SHOWN = 100  # characters of a text in messages


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


class Event(NamedTuple):
    """An event: a trigger, and arguments by their names."""

    type: str | None
    trigger: int | None  # A mark; None for anything else
    arguments: tuple[tuple[str, int | None], ...]  # An event stands for its trigger
    n_links: int = 0  # Links before it in the file
    is_circular: bool = False  # True if it is an argument of itself, perhaps through others


class Tie(NamedTuple):
    """A mark of a role, and the mark it belongs to: an effect, or else a cause."""

    role: int
    mark: int
    end: int


Filled = tuple[int, int]
"""A role, and the mark that has it."""


class OwnMarks(NamedTuple):
    """What one relation has for itself."""

    type: str | None
    needed: Sequence[Filled]
    further: Sequence[Filled]  # Left out one by one if misplaced


@dataclass
class Bundle:
    """Relations that share marks, as those of one effect."""

    order: float  # Its place in the file: a link's number
    common: list[Filled]  # All relations need these; the first one decides the example
    further: list[Filled] = field(default_factory=list)  # Left out one by one if misplaced
    own: list[OwnMarks] = field(default_factory=list)

    @property
    def is_lone(self) -> bool:
        """True if no link and no event names its marks."""
        return self.order == math.inf

    @property
    def anchor(self) -> int:
        """The mark that decides the example."""
        return self.common[0][1]

    def list_marks(self) -> list[int]:
        """Return the marks of all relations; some repeat."""
        filled = [*self.common, *self.further]
        for own in self.own:
            filled += own.needed
        for further in {id(own.further): own.further for own in self.own}.values():
            filled += further
        return [mark for _, mark in filled]


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
    example_id: str | None = None  # Its id if the whole document is one example
    marking: Marking = MARKING  # The settings of reading
    events: Sequence[Event] = ()
    is_mixed: bool = False  # True if marks without a role are of other layers, and no faults

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
        self.roles = [self.marking.role_of(mark.label) for mark in self.marks]
        self.cause, self.effect = (*arguments_of(self.marking.roles), -1)[:2]
        self._named = {link.type.strip().lower(): link for link in self.marking.link}
        self._starts = [sentence.offset for sentence in self.sentences]
        self.left_out: Counter[str] = Counter()  # What `check` finds fault with is no note there
        self._triggers: set[int] = set()  # of events that are relations
        linked, self.links = self.links, []
        ties: dict[tuple[Tie, str | None], int] = {}
        for order, link in enumerate(linked):
            if link.source is None and link.target is None:
                continue
            is_relation, note = self.marking.judge_link(link.type)
            tie = self.tie(link)
            if note and (tie or not is_relation):
                self.notes[note] += 1
            if is_relation:
                self.links.append(link)
                if tie is not None:
                    type = type_of(link.type) if tie.role == self.cause else None
                    ties.setdefault((tie, type), order)
                self._count_link(link, tie)
        self.groups = [*self._groups_of_links(ties), *self._groups_of_events()]
        self.groups.sort(key=lambda group: group.order)
        self._add_lone_groups()
        named = (*self.notes, *self.left_out, *(mark.label or "" for mark in self.marks))
        try:
            "".join([self.text, self.name, self.annotator, *named]).encode()
        except UnicodeEncodeError as error:
            raise InputError(f"{self.file}: half a surrogate pair, which cannot be text") from error

    def example(self, sentence: Passage) -> str:
        """Return the id of a sentence."""
        return f"{self.name}:{sentence.number}" if self.example_id is None else self.example_id

    def text_of(self, sentence: Passage) -> str | None:
        """Return the text of an example; line ends of a document that is read whole are blanks."""
        text = sentence.tokenised
        if text is None or self.marking.example != "document":
            return text
        return _LINE_END.sub(" ", text)

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
            wider = "" if self.example_id is not None else "; --example document would read it"
            raise UnreadError(f"{self.describe(number)} is not within the sentence{wider}")
        if not mark.parts:
            raise UnreadError(f"{self.describe(number)} marks no token")
        try:
            return [
                sentence.tokens(a - sentence.offset, b - sentence.offset) for a, b in mark.parts
            ]
        except CutLettersError as error:
            where = f"{self.file}: example {self.example(sentence)}"
            raise InputError(f"{where}: {error.problem}", error.remedy) from error

    def tie(self, link: Link) -> Tie | None:
        """Return the role that a link gives to one of its marks; None for no role."""
        if link.source is None or link.target is None or link.source == link.target:
            return None
        roles = [self.roles[link.source], self.roles[link.target]]
        arguments = [self.effect]
        if (named := self._find_named(link)) is not None:
            # Its direction decides, but of marks of further roles.
            given = map(self.marking.roles.index, named[1:])
            roles = [
                role if self._is_further(role) else by_link
                for role, by_link in zip(roles, given, strict=True)
            ]
            arguments.append(self.cause)
        ends = list(zip(roles, (link.source, link.target), strict=True))
        for argument in arguments:
            for (role, mark), (other, end) in (ends, ends[::-1]):
                if other == argument and role is not None and role != argument:
                    return Tie(role, mark, end)
        return None

    def is_reversed(self, link: Link, tie: Tie) -> bool:
        """Return True if a link goes from effect to cause or signal, though labels decide."""
        return tie.mark == link.target and self._find_named(link) is None

    def _find_named(self, link: Link) -> LinkRoles | None:
        """Return the roles that the settings give to the ends of a link; None for none."""
        return self._named.get((link.type or "").strip().lower()) if self._named else None

    def _is_further(self, role: int | None) -> bool:
        return role not in (None, self.cause, self.effect)

    def _count_link(self, link: Link, tie: Tie | None) -> None:
        """Count a link whose marks give no relation, or whose labels say another one."""
        if tie is not None:
            if self.is_reversed(link, tie):
                self.left_out["reversed link"] += 1
            elif (tie.role, self.roles[tie.mark], self.roles[tie.end]) == (
                self.cause, self.effect, self.cause
            ):  # fmt: skip
                self.left_out[TURNED] += 1
            return
        ends = link.source, link.target
        bare = None not in ends and any(self.roles[k] is None for k in ends if k is not None)
        if bare:
            type = (link.type or "").strip()
            called = f"link of type {shown(type)}" if type else "link without a type"
            why = f"--link {type} would read" if type else "--role ROLE=LABEL would read"
            counts = self.notes if self.is_mixed else self.left_out
            counts[f"{called} between spans without a role, which {why}"] += 1
        if not (bare and self.is_mixed):
            self.left_out["link left out"] += 1

    def _groups_of_links(self, ties: Mapping[tuple[Tie, str | None], int]) -> Iterator[Bundle]:
        """Yield the relations of each effect, by ties with their types and places."""
        # A mark of a further role belongs to all relations of its effect. Where directions decide,
        # it may belong to those of a cause.
        effects = {tie.end for tie, _ in ties if tie.role == self.cause}
        causes = {tie.mark for tie, _ in ties if tie.role == self.cause}
        groups: dict[int, Bundle] = {}
        of_causes: dict[int, list[Filled]] = {}
        for (tie, type), order in ties.items():
            filled = (tie.role, tie.mark)
            if self._named and tie.role != self.cause and tie.end not in effects:
                if tie.end in causes:
                    of_causes.setdefault(tie.end, []).append(filled)
                else:
                    self.left_out["link left out"] += 1
                continue
            if tie.end not in groups:
                groups[tie.end] = Bundle(order, [(self.effect, tie.end)])
            if tie.role != self.cause:
                groups[tie.end].further.append(filled)
            else:
                more = of_causes.setdefault(tie.mark, [])
                groups[tie.end].own.append(OwnMarks(type, [filled], more))
        yield from groups.values()

    def _groups_of_events(self) -> Iterator[Bundle]:
        """Yield the relation of each event; count what has none."""
        roles = self.marking.roles
        signal = roles.index(SIGNAL) if SIGNAL in roles else -1
        for event in self.events:
            filled: list[Filled] = []
            for name, mark in event.arguments:
                role = self.marking.role_of(name)
                role = self.marking.role_of(name.rstrip(DIGITS)) if role is None else role
                if role is None:
                    self.notes[f"argument {shown(name)} of an event, {_advise_role(name)}"] += 1
                elif mark is None:
                    self.notes["argument of an event that is not there"] += 1
                else:
                    filled.append((role, mark))
            arguments = self._sort_out(filled)
            if event.is_circular or not arguments[0]:
                why = "in a circle" if event.is_circular else "without cause and effect"
                self.notes[f"event {why} left out"] += 1
                continue
            takes = self.marking.trigger == "signal" and signal >= 0
            if takes and event.trigger is not None and signal not in dict(filled):
                arguments[1].append((signal, event.trigger))
            if event.trigger is not None:
                self._triggers.add(event.trigger)
            yield Bundle(event.n_links - 0.5, *arguments, [OwnMarks(type_of(event.type), (), ())])

    def _sort_out(self, filled: Sequence[Filled]) -> tuple[list[Filled], list[Filled]]:
        """Return effects and then causes, and the marks of further roles."""
        arguments = [
            each for role in (self.effect, self.cause) for each in filled if each[0] == role
        ]
        return arguments, [each for each in filled if self._is_further(each[0])]

    def _add_lone_groups(self) -> None:
        """Add the relations of marks without links, or count them; count other unused marks."""
        used = self._triggers.union(*(group.list_marks() for group in self.groups))
        if len(used) == len(self.marks):
            return
        triggers = {event.trigger for event in self.events}
        lone: list[int] = []
        for number, (mark, role) in enumerate(zip(self.marks, self.roles, strict=True)):
            if number in used or (role is None and number in triggers):
                continue
            if role is None and mark.label is not None:
                counts = self.notes if self.is_mixed else self.left_out
                counts[f"span of label {shown(mark.label)}, {_advise_role(mark.label)}"] += 1
            if role is not None and mark.parts:
                lone.append(number)
                if self.marking.lone != "drop":
                    continue
            self.left_out["span left out"] += not (role is None and self.is_mixed)
        if self.marking.lone == "drop":
            self.left_out[LONE] += len(lone)
        else:
            self.groups += self._groups_of_lone(lone)

    def _groups_of_lone(self, numbers: Iterable[int]) -> Iterator[Bundle]:
        """Yield the relations of marks without links: each alone, or all of an example."""
        by_sentence: dict[int, list[Filled]] = {}
        for number in numbers:
            mark = self.marks[number]
            sentence = self.sentence_of(mark)
            is_placed = sentence is not None and self.is_within(mark)
            key = sentence.number if sentence is not None and is_placed else -1 - number
            by_sentence.setdefault(key, []).append((self.roles[number] or 0, number))
        alone = OwnMarks(None, (), ())
        for filled in by_sentence.values():
            roles = [role for role, _ in filled]
            if self.marking.lone == "pair" and (
                roles.count(self.cause) == roles.count(self.effect) == 1
            ):
                yield Bundle(math.inf, *self._sort_out(filled), [alone])
            else:
                yield from (Bundle(math.inf, [each], [], [alone]) for each in filled)

    def relations(self) -> Relations:
        """Return the relations made of the links, see `relations_of`."""
        return relations_of(self.file, [self])

    def add_to(self, build: Builder) -> None:
        """Add an example per sentence; refuse more than `MAX_SPANS` spans."""
        self._require_few_spans()
        build.notes.update(self.notes)
        build.notes.update(self.left_out)
        by_sentence: dict[int, list[PlacedRelation | str]] = {s.number: [] for s in self.sentences}
        for group in self.groups:
            sentence = self.sentence_of(self.marks[group.anchor])
            if sentence is not None:
                by_sentence[sentence.number] += self._relations_of(build, sentence, group)
            else:
                build.notes["span left out"] += 1
        for sentence in self.sentences:
            for relation in by_sentence[sentence.number]:
                if isinstance(relation, str):
                    where = f"{self.file}: example {self.example(sentence)}"
                    build.unread_relation(where, UnreadError(relation))
                else:
                    build.relation(*relation)
            build.end_example(len(sentence.starts))

    def _require_few_spans(self) -> None:
        """Refuse marks that make too many spans: each relation of an effect has all its signals."""
        n_spans = 0
        widths = [len(mark.parts) for mark in self.marks]
        of_causes: dict[int, int] = {}  # by the list that relations share
        for group in self.groups:
            shared = sum(widths[k] for _, k in chain(group.common, group.further))
            n_spans += len(group.own) * shared
            for _, needed, further in group.own:
                if id(further) not in of_causes:
                    of_causes[id(further)] = sum(widths[k] for _, k in further)
                n_spans += sum(widths[k] for _, k in needed) + of_causes[id(further)]
            if n_spans > MAX_SPANS:
                raise InputError(
                    f"{self.file}: {len(group.own)} causes and {len(group.further)} signals of "
                    f"{self.describe(group.anchor)} bring the spans of all relations to {n_spans}, "
                    f"expected at most {MAX_SPANS}"
                )

    def _relations_of(
        self, build: Builder, sentence: Passage, group: Bundle
    ) -> Iterator[PlacedRelation | str]:
        """Yield the relations of a group: spans and type, or the reason why it has none."""
        if not group.own:
            further, cause = (
                self.marking.roles[k].capitalize() for k in (group.further[0][0], self.cause)
            )
            yield f"{self.describe(group.anchor)} has a {further} but no {cause}"
            return
        try:
            shared = self._spans(build, group.common, sentence)
        except UnreadError as reason:
            yield from [str(reason)] * len(group.own)
            return
        shared += self._placed_spans(build, group.further, sentence)
        for each in group.own:
            try:
                own = self._spans(build, each.needed, sentence)
            except UnreadError as reason:
                yield str(reason)
                continue
            own += self._placed_spans(build, each.further, sentence)
            yield sorted({*own, *shared}), each.type

    def _placed_spans(
        self, build: Builder, filled: Iterable[Filled], sentence: Passage
    ) -> list[RoleSpan]:
        """Return the spans of marks; leave out those that are not in the sentence, counted."""
        spans: list[RoleSpan] = []
        for each in filled:
            try:
                spans += self._spans(build, [each], sentence)
            except UnreadError:
                build.notes["span left out"] += 1
        return spans

    def _spans(self, build: Builder, filled: Iterable[Filled], sentence: Passage) -> list[RoleSpan]:
        """Return the spans of marks in a sentence, with their roles."""
        spans: list[RoleSpan] = []
        for role, number in filled:
            for start, stop, is_cut in self.place(number, sentence):
                if is_cut:
                    build.notes["span cut a token"] += 1
                spans.append((role, start, stop))
        return spans


def type_of(name: str | None) -> str | None:
    """Return the type of a relation by its link or event; None for the usual name."""
    name = (name or "").strip()
    return None if name in ("", CAUSES) else name


def reads_whole(marking: Marking, file: str, unit: str) -> bool:
    """Return True if a whole document is an example; refuse other units than the format has."""
    if marking.example not in (None, unit, "document"):
        expected = " or ".join(dict.fromkeys((unit, "document")))
        raise InputError(f'{file}: example is "{marking.example}", expected {expected}')
    return marking.example == "document"


def _advise_role(label: str) -> str:
    return f"which --role ROLE={label.strip():.60} would read"


@pause_gc()
def relations_of(file: str, documents: Iterable[Document]) -> Relations:
    """Return the relations made of the links in one annotator's documents."""
    # It has an example per sentence, with the columns ``id`` (document and number of
    # the sentence), ``text``, ``doc_id`` and ``annotator``. A relation is one linked Cause and
    # Effect with the Signals linked to that Effect: an Effect of several Causes makes several
    # relations. They follow the order in which their Effects, and then their Causes, are first
    # linked. A relation is null if its Effect has Signals but no Cause, or if Cause and Effect are
    # not within one sentence. ``reading.notes`` counts corrections and dropped content.
    documents = list(documents)
    roles = documents[0].marking.roles if documents else ROLES
    build = Builder(file, roles)
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
            columns["text"].append(document.text_of(sentence))
            columns["doc_id"].append(document.name)
            columns["annotator"].append(document.annotator)
            further.add(document.columns)
    return build.table(columns | further.typed(file))

"""Checks of annotations against the rules of Cause, Effect and Signal, a row per finding."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np

from fastcausal import formats
from fastcausal.arrays.reading import arguments_of
from fastcausal.errors import InputError, counted
from fastcausal.files.values import shown
from fastcausal.formats.annotation.links import Document, Link, Tie, type_of
from fastcausal.formats.annotation.projects import documents as documents_in
from fastcausal.formats.examples import examples, text_column
from fastcausal.formats.reading.builder import RoleSpan, UnreadError
from fastcausal.formats.reading.format import Opened
from fastcausal.formats.reading.sources import LabelSource, RelationSources
from fastcausal.formats.sentences import SearchedSentence
from fastcausal.marking import Marking
from fastcausal.options import MarkingSettings, TagReading
from fastcausal.relations import Relations
from fastcausal.tasks.check.findings import MAX_TEXT, CheckReport, Finding, present_findings
from fastcausal.tasks.check.labels import Annotated, check_labels
from fastcausal.tasks.classification import files as label_files


def check(
    sources: RelationSources,
    tags: TagReading = "strict",
    sentence_labels: LabelSource | None = None,
    **marking: Unpack[MarkingSettings],
) -> CheckReport:
    """Check annotations against the guidelines of RECESS.

    A relation has one Cause and one Effect, each a continuous span within the sentence; they do not
    overlap, and hold no other relation whole. A Signal may be in pieces and inside the others.
    Every span has a label and a link; links go from Cause and Signal to Effect. If some relations
    have a type, all have one, and a type is spelled in one case. A causal sentence has a relation,
    any other has none.

    Parameters
    ----------
    sources : source, sequence of sources, or mapping of annotator to source
        Annotations in any format, files or folders; - for stdin. Each is a path, `Relations` or
        Arrow data; a mapping names annotators. Labels and links are checked only in WebAnno and
        brat files; other formats have only relations.
    tags : {"strict", "aligned", "cnc-2023", "cnc-2022"}
        Read tags so; aligned takes sentences unlike their texts.
    sentence_labels : path, list, array, column or table, optional
        Compare with these labels of sentences, 1 causal and 0 not. Any source of
        `fastcausal.tasks.classification.files.read` with ids or texts.
    **marking
        Settings of reading relations, see `fastcausal.marking.Marking`.

    Returns
    -------
    CheckReport
        An annotator is named by the mapping, else by a column ``annotator`` (in WebAnno and brat
        files), else by the file.

    Raises
    ------
    InputError
        There is no source, a source cannot be read, non-default ``tags`` find no tags, or no label
        is of an example.

    Examples
    --------
    >>> gold = Relations.from_examples([{"id": "a", "text": "Rain brings floods and mud",
    ...     "relations": [{"cause": (0, 1), "effect": [(2, 3), (4, 5)]}, {"cause": (0, 1)}]}])
    >>> for finding in check(gold).findings:
    ...     print(finding.example, finding.kind, finding.message, sep=": ")
    a: several segments: relation 1 has 2 spans of effect, expected one
    a: relation without effect: relation 2 has no effect
    """
    named: list[tuple[str | None, Any]]
    if isinstance(sources, Mapping):
        named = list(sources.items())
    else:
        named = [(None, s) for s in (sources if isinstance(sources, list | tuple) else [sources])]
    if not named:
        raise InputError("no annotations to check")
    given: dict[str, Any] = {"tags": tags, "marking": Marking.make(**marking)}
    findings: list[Finding] = []
    annotators: dict[str, None] = {}
    notes: Counter[str] = Counter()
    n_examples = n_relations = 0
    readings = set()
    labelled: list[Annotated] = []
    files = [(name, file) for name, source in named for file in formats.documents_of(source)]
    checked = [(name, *each) for name, file in files for each in _open(file, given)]
    types = Spellings.collect(relations for *_, relations in checked)
    for annotator, file, document, relations in checked:
        owners = _owners(relations, annotator, file)
        labelled.append(Annotated(owners, file, relations))
        readings.add(relations.reading.tags)
        if document is None or document.text:  # a left-out document has only notes
            annotators |= dict.fromkeys(owners or [annotator or Path(file).stem])
        notes.update(relations.reading.notes if document is None else document.notes)
        if document is None:
            findings += _check_relations(relations, file, owners, types)
        else:
            owner = annotator or document.annotator
            findings += _check_document(document, owner)
            findings += _check_examples(relations, document, owner, types)
        n_examples += len(relations)
        n_relations += relations.n_relations
    if tags not in ("strict", *readings):
        raise InputError(f'tags "{tags}" is for tagged sentences, the annotations have none')
    if sentence_labels is not None:
        findings += check_labels(label_files.read(sentence_labels), labelled, notes)
    return present_findings(
        tuple(findings), tuple(annotators), len(files), n_examples, n_relations, dict(+notes), tags
    )


class Spellings(NamedTuple):
    """The types of all relations."""

    counts: Counter[str]  # of each spelling
    spellings: dict[str, str]  # the most frequent spelling of each type, by its folded case

    @classmethod
    def collect(cls, sides: Iterable[Relations]) -> Spellings:
        """Count the types of relations."""
        counts: Counter[str] = Counter()
        for relations in sides:
            counts.update(each for of in types_of(relations) for each in of if each is not None)
        ranked = sorted(counts, key=lambda name: (counts[name], name))  # the last one stays
        return cls(counts, {name.casefold(): name for name in ranked})

    def check(self, name: str | None) -> Iterator[tuple[str, str]]:
        """Yield kind and message of a fault of a relation's type."""
        if name is None:
            if self.counts:
                yield "relation without type", "has no type, as others have"
            return
        usual = self.spellings[name.casefold()]
        if name != usual:
            n = counted(self.counts[usual], "relation")
            message = f"has the type {shown(name)}, expected {shown(usual)} as in {n}"
            yield "type in another case", message


def types_of(relations: Relations) -> list[list[str | None]]:
    """Return the types of each example; without any type a list of no types each."""
    if relations.types is not None:
        types: list[list[str | None]] = relations.types.to_pylist()
        return types
    return [[None] * n for n in np.diff(relations.arrays.relation_offsets).tolist()]


def _open(source: Any, given: dict[str, Any]) -> Iterator[tuple[str, Document | None, Relations]]:
    """Yield each document of a source, else its relations, with its name for messages."""
    file = source if formats.is_folder(source) else formats.opened(source, whole=True)
    documents = documents_in(file, given["marking"]) if isinstance(file, Opened) else None
    if documents is None:
        name = file.name if isinstance(file, Opened) else "table"
        name = str(source) if formats.is_folder(source) else name
        yield name, None, formats.read_marked(file if isinstance(file, Opened) else source, **given)
    for document in documents or ():
        yield document.file, document, document.relations()


def _owners(relations: Relations, annotator: str | None, file: str) -> list[str]:
    """Return the annotator of each example."""
    stem = annotator or Path(file).stem
    if annotator is not None or "annotator" not in relations.table.column_names:
        return [stem] * len(relations)
    return [stem if v is None else str(v) for v in relations.table["annotator"].to_pylist()]


def _check_document(document: Document, annotator: str) -> list[Finding]:
    """Return the findings in spans and links, in the order of the text."""
    placed: list[tuple[int, int, Finding]] = []
    for kind, message, number in (
        *_check_spans(document),
        *_check_links(document),
        *_check_arguments(document),
    ):
        mark = document.marks[number]
        sentence = document.sentence_of(mark)
        example = None if sentence is None else document.example(sentence)
        text = _cut(document.text, mark.start, mark.stop)
        finding = Finding(
            annotator, document.file, example, kind, message, text, mark.start, mark.stop
        )
        placed.append((mark.start, mark.stop, finding))
    return [finding for *_, finding in sorted(placed, key=lambda row: row[:2])]


RuleFault = tuple[str, str, int]
"""Kind, message, number of the faulty mark."""


def _check_spans(document: Document) -> Iterator[RuleFault]:
    used = {k for group in document.groups for k in group.list_marks()}
    used |= {event.trigger for event in document.events if event.trigger is not None}
    linked = used | {end for link in document.links for end in (link.source, link.target)}
    for k, (mark, role) in enumerate(zip(document.marks, document.roles, strict=True)):
        if role is None and document.is_mixed and k not in used:
            continue  # of another layer
        name = document.describe(k)
        if role is None and k in used:
            pass  # a link or an event decides its role
        elif mark.label is None:
            yield "span without label", f"{name} has no label", k
        elif role is None:
            yield "unknown label", f"{name}: expected {_any_of(document.marking.roles)}", k
        if k not in linked:
            yield "span without link", f"{name} has no link", k
        sentence = document.sentence_of(mark)
        if not document.is_within(mark):
            where = "is in no sentence" if sentence is None else "goes beyond its sentence"
            yield "span across sentences", f"{name} {where}", k
        else:
            try:
                document.place(k, sentence)
            except UnreadError:
                yield "empty span", f"{name} marks no token", k
        if role in (document.cause, document.effect) and len(mark.parts) > 1:
            message = f"{name} is in {len(mark.parts)} pieces, expected one"
            arguments = (
                document.marking.roles[document.cause],
                document.marking.roles[document.effect],
            )
            yield f"discontinuous {' or '.join(arguments)}", message, k


def _any_of(roles: Sequence[str]) -> str:
    *names, last = [role.capitalize() for role in roles]
    return f"{', '.join(names)} or {last}" if names else last


def _check_links(document: Document) -> Iterator[RuleFault]:
    seen: set[tuple[Tie, str | None]] = set()
    roles = document.marking.roles
    others = [role for number, role in enumerate(roles) if number != document.effect]
    expected = f"{_any_of(others)} to {roles[document.effect].capitalize()}"
    for link in document.links:
        if link.source is None or link.target is None:
            yield from _broken(link)
            continue
        source, target = document.describe(link.source), document.describe(link.target)
        tie = document.tie(link)
        if tie is None and None in (document.roles[link.source], document.roles[link.target]):
            continue  # the fault is in the label
        if tie is None:
            message = f"{source} points to {target}, expected {expected}"
            yield "impossible link", message, link.source
            continue
        if document.is_reversed(link, tie):
            message = f"{source} points to {target}, expected the other way round"
            yield "reversed link", message, link.source
        key = tie, type_of(link.type) if tie.role == document.cause else None
        if key in seen:
            yield "repeated link", f"{source} and {target} are linked more than once", link.source
        seen.add(key)
        ends = [document.marks[k] for k in (tie.mark, tie.end)]
        sentences = [document.sentence_of(mark) for mark in ends]
        if all(map(document.is_within, ends)) and sentences[0] is not sentences[1]:
            message = f"{source} points to {target} in another sentence"
            yield "link across sentences", message, link.source


def _broken(link: Link) -> Iterator[RuleFault]:
    missing = "comes from" if link.source is None else "goes to"
    number = link.target if link.source is None else link.source
    if number is not None:
        yield "broken link", f"the span that {link.name} {missing} is not there", number


def _check_arguments(document: Document) -> Iterator[RuleFault]:
    roles = document.marking.roles
    cause, both = roles[document.cause], f"{roles[document.cause]} and {roles[document.effect]}"
    for group in document.groups:
        name = document.describe(group.anchor)
        effects = [k for role, k in group.common if role == document.effect]
        causes = [k for role, k in group.common if role == document.cause]
        causes += [k for own in group.own for role, k in own.needed if role == document.cause]
        if not group.own:
            further = roles[group.further[0][0]].capitalize()
            message = f"{name} has a {further} but no {cause.capitalize()}"
            yield f"relation without {cause}", message, group.anchor
        elif not (effects and causes) and not group.is_lone:
            missing = roles[document.cause if effects else document.effect]
            message = f"{name} has no {missing.capitalize()}"
            yield f"relation without {missing}", message, group.anchor
        for first in causes:
            for second in effects:
                if _overlap(document.marks[first].parts, document.marks[second].parts):
                    message = f"{document.describe(first)} overlaps its {document.describe(second)}"
                    yield f"overlapping {both}", message, first


def _overlap(*sides: Iterable[tuple[int, int]]) -> bool:
    """Return True if spans of two sides overlap; spans of one side do not."""
    ordered = sorted(span for side in sides for span in side)
    return any(start < stop for (_, stop), (start, _) in pairwise(ordered))


def _check_examples(
    relations: Relations, document: Document, owner: str, types: Spellings
) -> Iterator[Finding]:
    """Yield the findings in types and nested relations of a document's sentences."""
    arguments = _arguments(relations)
    told = zip(examples(relations), types_of(relations), document.sentences, strict=True)
    for example, names, sentence in told:
        for number, (spans, name) in enumerate(zip(example.relations, names, strict=True), 1):
            for kind, message in types.check(name) if spans else ():
                said = f"relation {number} {message}"
                yield Finding(owner, document.file, example.id, kind, said)
        for kind, message, (_, first, last) in _check_nesting(example.relations, arguments):
            start, stop = (
                sentence.offset + k for k in (sentence.starts[first], sentence.stops[last - 1])
            )
            text = _cut(document.text, start, stop)
            yield Finding(owner, document.file, example.id, kind, message, text, start, stop)


def _arguments(relations: Relations) -> dict[int, str]:
    """Return the names of the roles that a relation has to have."""
    return {role: relations.roles[role] for role in arguments_of(relations.roles)}


def _check_nesting(
    relations: Sequence[list[RoleSpan] | None], arguments: Mapping[int, str]
) -> Iterator[tuple[str, str, RoleSpan]]:
    """Yield kind, message and span of each argument that holds all spans of another relation."""
    whole = sorted(
        (min(start for _, start, _ in spans), max(stop for *_, stop in spans), number)
        for number, spans in enumerate(relations, 1)
        if spans and len(arguments) > 1 and arguments.keys() <= {role for role, *_ in spans}
    )
    starts = [start for start, *_ in whole]
    earliest: list[list[tuple[int, int]]] = [[]]  # by place: of all from there, two that end first
    for _, stop, number in reversed(whole):
        earliest.append(sorted([*earliest[-1], (stop, number)])[:2])
    seen = set()
    for number, spans in enumerate(relations, 1):
        for span in sorted(spans or ()):
            role, first, last = span
            if role not in arguments or span in seen:
                continue
            for stop, other in earliest[len(whole) - bisect_left(starts, first)]:
                if other != number and stop <= last:
                    argument = _with_article(arguments[role])
                    message = f"relation {number} has {argument} that holds relation {other} whole"
                    yield "relation within a span", message, span
                    seen.add(span)
                    break


def _check_relations(
    relations: Relations, file: str, owners: list[str], types: Spellings
) -> Iterator[Finding]:
    """Yield the findings in relations, in their order."""
    arguments = _arguments(relations)
    named = zip(owners, examples(relations), types_of(relations), strict=True)
    own = text_column(relations.table)  # writers show given tokens instead, at other places
    for k, (owner, example, names) in enumerate(named):
        own_faults = (
            (kind, f"relation {number} {message}", span)
            for number, (spans, name) in enumerate(zip(example.relations, names, strict=True), 1)
            for kind, message, span in (
                *_check_relation(spans and sorted(spans), arguments),
                *(
                    (*fault, span)
                    for span in sorted(spans or ())[:1]
                    for fault in types.check(name)
                ),
            )
        )
        faults = [*own_faults, *_check_nesting(example.relations, arguments)]
        sentence = (
            SearchedSentence(example.text, example.by_letters)
            if faults and example.text is not None and own[k].as_py() in (None, example.text)
            else None
        )
        for kind, message, span in faults:
            place = _characters(sentence, span)
            yield Finding(owner, file, example.id, kind, message, *place)


def _check_relation(
    spans: list[RoleSpan] | None,
    arguments: Mapping[int, str],  # Name of each role that a relation has to have
) -> Iterator[tuple[str, str, RoleSpan | None]]:
    """Yield kind, message and faulty span; skip a relation without spans."""
    if spans is None:
        yield "unread relation", "cannot be read", None
        return
    sides = [[span for span in spans if span[0] == role] for role in arguments]
    for name, side in zip(arguments.values(), sides, strict=True):
        if spans and not side:
            yield f"relation without {name}", f"has no {name}", spans[0]
        if len(side) > 1:
            yield "several segments", f"has {len(side)} spans of {name}, expected one", side[1]
    for span in sides[0]:
        if any(span[1] < other[2] and other[1] < span[2] for side in sides[1:] for other in side):
            message = f"has {' and '.join(map(_with_article, arguments.values()))} that overlap"
            yield f"overlapping {' and '.join(arguments.values())}", message, span
            return


def _with_article(name: str) -> str:
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _characters(
    sentence: SearchedSentence | None, span: RoleSpan | None
) -> tuple[str | None, int | None, int | None]:
    """Return the text of a span and its characters; None if unknown."""
    if sentence is None or span is None or span[2] > len(sentence.starts):
        return None, None, None
    start, stop = sentence.starts[span[1]], sentence.stops[span[2] - 1]
    return _cut(sentence.text, start, stop), start, stop


def _cut(text: str, start: int, stop: int) -> str:
    """Return the text of a span, cut if long."""
    if stop - start <= MAX_TEXT:
        return text[start:stop]
    return text[start : start + MAX_TEXT] + "..."

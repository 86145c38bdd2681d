r"""Documents of MECI: ``.tsvx`` files of sentences, events and relations.

::

    Text\tA dam broke .\tRoads flooded .
    Event\tT1\tbroke\tEVENT\t6                      characters, sentences joined by blanks
    Relation\tT1\tT2\tCauseEffect\ttrue\tbroke\tflooded
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping

from fastcausal.errors import Problems
from fastcausal.files.files import Source
from fastcausal.files.values import shown
from fastcausal.tasks.eci.corpora.documents import EventDocument, Mention, Pair

WIDTHS = {"Text": 2, "Event": 5, "Relation": 4}  # at least
CONVERSES = {"CauseEffect": "EffectCause", "EffectCause": "CauseEffect", "NoRel": "NoRel"}


def read_tsvx(
    source: Source, id: str, columns: Mapping[str, str], problems: Problems
) -> list[EventDocument]:
    """Read a document; a relation that is listed in both orders is read once."""
    document = EventDocument(source.name, id, columns)
    starts: list[int] = []
    pairs: dict[tuple[str, str], tuple[str, int]] = {}
    for number, line in source.filled_lines():
        kind, *fields = line.rstrip("\r").split("\t")
        place = f"{source.name}:{number}"
        if kind not in WIDTHS or 1 + len(fields) < WIDTHS[kind]:
            problems.add(f"{place}: {shown(line)}, expected a line of Text, Event or Relation")
        elif kind == "Text":
            start = 0
            for sentence, text in enumerate(fields):
                starts.append(start)
                document.sentences[sentence] = text
                start += len(text) + 1
        elif kind == "Event":
            _add_event(document, fields, starts, place, problems)
        else:
            _add_relation(pairs, document, fields, number, problems)
    document.pairs = [Pair(a, b, label, line) for (a, b), (label, line) in pairs.items()]
    return [document]


def _add_event(
    document: EventDocument, fields: list[str], starts: list[int], place: str, problems: Problems
) -> None:
    id, words, _, offset = fields[:4]
    if not offset.isdecimal() or not starts:
        problems.add(f"{place}: offset {shown(offset)}, expected a number of characters in Text")
    elif id in document.mentions:
        problems.add(f'{place}: event "{id}" occurs twice')
    else:
        sentence = bisect_right(starts, int(offset)) - 1
        start = int(offset) - starts[sentence]
        document.mentions[id] = Mention(sentence, ((start, start + len(words)),))


def _add_relation(
    pairs: dict[tuple[str, str], tuple[str, int]],
    document: EventDocument,
    fields: list[str],
    line: int,
    problems: Problems,
) -> None:
    a, b, label = fields[:3]
    place = document.place(line)
    for mention in (a, b):
        if mention not in document.mentions:
            problems.add(f'{place}: relation of an unknown event "{mention}"')
    if label not in CONVERSES:
        problems.add(f"{place}: label {shown(label)}, expected one of {', '.join(CONVERSES)}")
        return
    mirrored = pairs.get((b, a))
    if mirrored is None or mirrored[0] != CONVERSES[label]:
        pairs.setdefault((a, b), (label, line))

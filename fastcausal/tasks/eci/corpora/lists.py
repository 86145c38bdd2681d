r"""Lists of labelled pairs, tab-separated without a header: a file, or a column, per document.

::

    65_66\t80\tPRECONDITION             EventStoryLine, topic/document.tab
    65_66 32_33\t112 80\tnull           the same, of chains of mentions
    wsj_0778.col\te52\te53\tCLINK       CATENA, corpus.CLINK.txt
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fastcausal.errors import Problems
from fastcausal.files.files import Source
from fastcausal.files.values import shown
from fastcausal.tasks.eci.corpora.documents import UNKNOWN_DIRECTION, EventDocument, Pair

FIELDS = {3: "two events and a label", 4: "a document, two events and a label"}


def read_tab(
    source: Source, id: str, columns: Mapping[str, str], problems: Problems
) -> list[EventDocument]:
    """Read the pairs of one document; the file may be empty.

    The label ``null`` means an unknown direction. A chain of mentions that is paired with itself is
    left out.
    """
    document = EventDocument(source.name, id, columns)
    for line, (a, b, label) in _lines(source, 3, problems):
        if a == b and " " in a:
            document.n_left_out += 1
        else:
            named = UNKNOWN_DIRECTION if label == "null" else label
            document.pairs.append(Pair(a, b, named, line))
    return [document]


def read_clinks(source: Source, problems: Problems) -> list[EventDocument]:
    """Read the pairs of a list of documents."""
    documents: dict[str, EventDocument] = {}
    for line, (name, a, b, label) in _lines(source, 4, problems):
        id = name.removesuffix(".col")
        document = documents.setdefault(id, EventDocument(source.name, id))
        document.pairs.append(Pair(a, b, label, line))
    return [*documents.values()]


def _lines(source: Source, width: int, problems: Problems) -> Iterator[tuple[int, list[str]]]:
    for number, line in source.filled_lines():
        fields = line.rstrip("\r").split("\t")
        if len(fields) == width and all(fields[:-1]):
            yield number, fields
        else:
            place = f"{source.name}:{number}"
            problems.add(f"{place}: {shown(line)}, expected {FIELDS[width]} between tabs")

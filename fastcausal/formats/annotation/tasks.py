"""Tools whose unit is a task: its text is an example; spans and relations have ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from fastcausal.errors import InputError
from fastcausal.formats.annotation.links import Document, Link, Mark, Words
from fastcausal.formats.annotation.passages import passages
from fastcausal.formats.io.values import kind, shown

NUMBER = (int, str)


class Task:
    """A text with its marks and links, as they are added.

    Parameters
    ----------
    file, name, annotator : str
    text : str
    columns : mapping of str to value
        Further columns of the example.
    """

    def __init__(
        self, file: str, name: str, annotator: str, text: str, columns: Mapping[str, Any]
    ) -> None:
        self._names = file, name, annotator
        self._text, self._columns = text, columns
        self._words = Words(text)
        self._marks: list[Mark] = []
        self._numbers: dict[Any, int] = {}
        self._links: list[Link] = []
        self.notes: Counter[str] = Counter()

    def mark(self, id: Any, label: str | None, start: int, stop: int) -> None:
        """Add a span in characters; InputError where it is out of the text, or its id known."""
        if id in self._numbers:
            raise InputError(f"span {shown(id)} occurs twice")
        self._numbers[id] = len(self._marks)
        self._marks.append(self._words.mark(label, [(start, stop)]))

    def link(self, name: str, source: Any, target: Any) -> None:
        """Add a link between two spans, named by their ids."""
        ends = self._numbers.get(source), self._numbers.get(target)
        if ends != (None, None):
            self._links.append(Link(name, *ends))

    def document(self) -> Document:
        """Return the text as a document that is one example."""
        file, name, annotator = self._names
        return Document(
            file=file,
            name=name,
            annotator=annotator,
            text=self._text,
            sentences=passages(self._text, [(0, len(self._text))]),
            marks=self._marks,
            links=self._links,
            notes=self.notes,
            columns=self._columns,
            is_example=True,
        )


def value_of(row: Mapping[str, Any], name: str, *types: type) -> Any:
    """Return a value of an object; InputError where it is missing or of another type."""
    if name not in row:
        raise InputError(f'no "{name}"')
    value = row[name]
    if type(value) not in types:
        raise InputError(f'"{name}" is {kind(value)}, expected {types[0].__name__}')
    return value


def objects_of(row: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """Return a list of objects; InputError where it is something else."""
    listed = value_of(row, name, list)
    wrong = next((item for item in listed if not isinstance(item, dict)), None)
    if wrong is not None:
        raise InputError(f'"{name}" has {kind(wrong)} in it, expected objects')
    return list(listed)

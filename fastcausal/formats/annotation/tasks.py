"""Tools with tasks as units: a task's text is an example; spans and relations have ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fastcausal.errors import InputError
from fastcausal.files.files import Source
from fastcausal.files.values import pause_gc, shown
from fastcausal.formats.annotation.faults import Faults, UnplacedError
from fastcausal.formats.annotation.links import Document, Link, Mark, Words, reads_whole
from fastcausal.formats.annotation.passages import CharRange, passages
from fastcausal.formats.words import WordCutter
from fastcausal.marking import Marking

NUMBER = (int, str)


@pause_gc()
def read_lines(source: Source, make: Callable[[Mapping[str, Any]], Document]) -> list[Document]:
    """Make the document of each line; raise one InputError for all faulty lines."""
    faults = Faults()
    marked = []
    for number, row in source.objects(faults):
        try:
            marked.append(make(row))
        except InputError as error:
            faults.note(f"{source.name}:{number}", error)
    faults.raise_if_any()
    return marked


class AnnotatedText:
    """A text under construction, with its marks and links."""

    def __init__(
        self,
        file: str,
        name: str,
        annotator: str,
        text: str,
        columns: Mapping[str, Any],  # Further columns of the example
        marking: Marking,
        tokens: Sequence[CharRange] | None = None,  # In characters; by default `marking` cuts them
    ) -> None:
        reads_whole(marking, file, "document")
        self._names = file, name, annotator
        self._marking, self._tokens = marking, tokens
        self._left_out: Document | None = None
        self._text, self._columns = text, columns
        self._words = Words(text)
        self._marks: list[Mark] = []
        self._numbers: dict[Any, int] = {}
        self._links: list[Link] = []
        self.notes: Counter[str] = Counter()

    def mark(self, id: Any, label: str | None, start: int, stop: int) -> None:
        """Add a span in characters; refuse one outside the text, or a repeated id."""
        # By the policy, a text with a misplaced span is left out instead.
        if id in self._numbers:
            raise InputError(f"span {shown(id)} occurs twice")
        self._numbers[id] = len(self._marks)
        try:
            self._marks.append(self._words.mark(label, [(start, stop)]))
        except UnplacedError as error:
            self._marks.append(Mark(label, 0, 0, ()))
            self.misplace(error)

    def misplace(self, error: UnplacedError) -> None:
        """Leave out the text, or raise, by the policy for misplaced spans."""
        self._left_out = Document.misplaced(*self._names, error, self._marking)

    def link(self, source: Any, target: Any, type: str | None) -> None:
        """Add a link between two spans by their ids."""
        ends = self._numbers.get(source), self._numbers.get(target)
        if ends != (None, None):
            self._links.append(Link(f"{source} to {target}", *ends, type))

    def document(self) -> Document:
        """Return the text as a document that is one example."""
        if self._left_out is not None:
            return self._left_out
        file, name, annotator = self._names
        rule = WordCutter.choose(self._marking.words)
        return Document(
            file=file,
            name=name,
            annotator=annotator,
            text=self._text,
            sentences=passages(self._text, [(0, len(self._text))], self._tokens, rule, file),
            marks=self._marks,
            links=self._links,
            notes=self.notes,
            columns=self._columns,
            example_id=name,
            marking=self._marking,
        )

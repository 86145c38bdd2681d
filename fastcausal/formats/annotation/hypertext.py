"""Hypertext: the text that a browser shows, and the places at which it counts characters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html.parser import HTMLParser

HIDDEN = frozenset({"head", "title", "script", "style"})
BLOCKS = frozenset(
    {"article", "blockquote", "dd", "div", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "hr"}
    | {"li", "ol", "p", "pre", "section", "table", "td", "th", "tr", "ul"}
)


class ShownText(HTMLParser):
    r"""The text of hypertext, with a line end between blocks.

    >>> shown = ShownText("<p>Rain &amp; <b>snow</b></p><p>fell<br>.</p>")
    >>> shown.text, [*shown.places()][0][11:]
    ('Rain & snow\nfell\n.', [12, 13, 14, 15, 16, 17, 18])
    """

    def __init__(self, source: str) -> None:
        super().__init__()
        self._parts: list[str] = []
        self._places: list[int] = []  # of the characters that text nodes have
        self._breaks: set[int] = set()  # places of line ends that stand for an element
        self._n = self._hidden = 0
        self._apart = False  # True between two blocks
        self.feed(source)
        self.close()
        self.text: str = "".join(self._parts)

    def places(self) -> Iterator[Sequence[int]]:
        """Yield the place of each counted character and of the end, by each way to count breaks."""
        yield [*self._places, self._n]
        if self._breaks:
            yield [place for place in self._places if place not in self._breaks] + [self._n]

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Begin an element."""
        self._hidden += tag in HIDDEN
        if tag == "br" and not self._hidden:
            self._breaks.add(self._n)
            self.handle_data("\n")
        self._apart |= tag in BLOCKS

    def handle_endtag(self, tag: str) -> None:
        """End an element."""
        self._hidden -= tag in HIDDEN and self._hidden > 0
        self._apart |= tag in BLOCKS

    def handle_data(self, data: str) -> None:
        """Add a text."""
        if not self._hidden:
            if self._apart and self._n and not self._parts[-1][-1:].isspace():
                self._parts.append("\n")
                self._n += 1
            self._apart = False
            self._places += range(self._n, self._n + len(data))
            self._parts.append(data)
            self._n += len(data)

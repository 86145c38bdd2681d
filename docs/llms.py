"""``llms.txt`` of the site: what each page says, for agents, made while the site is built."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

LIST = "llms.txt"
BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
# Text that follows a blank line and is no heading, picture, list or table.
PARAGRAPH = re.compile(r"(?<=\n\n)(?![\s#!|*-]).+?(?=\n\n|\Z)", re.DOTALL)
SENTENCE = re.compile(r".+?(?=[.?!] +[A-Z`*\[]|[.?!:]?$)")
LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")


def on_env(env: Any, config: Any, files: Any) -> Any:
    """Add the list to the site; MkDocs calls this once, when it has read all pages."""
    from mkdocs.structure.files import File

    listed = "\n".join(_listed(files.get_file_from_path("index.md").page))
    head = f"# {config.site_name}\n\n> {config.site_description}\n"
    files.append(File.generated(config, LIST, content=f"{head}{listed}\n"))
    return env


def _listed(page: Any) -> Iterator[str]:
    """Yield a line for this page and each that follows it in the navigation, below their part."""
    part = None
    while page:
        if page.ancestors and page.ancestors[-1] != part:
            part = page.ancestors[-1]
            yield f"\n## {part.title}\n"
        elif part is None:
            yield ""
        yield f"- [{page.title}]({page.url}): {first_sentence(page.file.content_string)}"
        page = page.next_page


def first_sentence(text: str) -> str:
    r"""Return the first sentence of a page, without links.

    >>> first_sentence("# Title\n\n```\n$ ls\n```\n\nOne [file](a.md)\na line: `many`. Two.")
    'One file a line: `many`.'
    """
    paragraph = PARAGRAPH.search(BLOCK.sub("", text))
    assert paragraph, f"no text: {text[:80]}"
    sentence = SENTENCE.match(" ".join(paragraph[0].split()))
    assert sentence
    return LINK.sub(r"\1", sentence[0]) + "."

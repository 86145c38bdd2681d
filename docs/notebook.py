"""The tutorial as a notebook with its outputs, made of its page while the site is built.

``python docs/notebook.py >tutorial.ipynb`` makes it without the site.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PAGE, NOTEBOOK = "tutorial.md", "tutorial.ipynb"
BLOCK = re.compile(r"^```(console|pycon)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """Add the notebook to the site; MkDocs calls this once."""
    from mkdocs.structure.files import File

    page = files.get_file_from_path(PAGE).content_string
    files.append(File.generated(config, NOTEBOOK, content=json.dumps(notebook(page), indent=1)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Link the notebook below the title of its page; MkDocs calls this for each page."""
    if page.file.src_uri != PAGE:
        return markdown
    title, _, text = markdown.partition("\n")
    return f"{title}\n\n[This page as a notebook]({NOTEBOOK}), with its outputs.\n{text}"


def notebook(page: str) -> dict[str, Any]:
    r"""Return the notebook of a page: a cell for each command and each example.

    >>> [cell["cell_type"] for cell in notebook("a\n```console\n$ ls\nx\n```\nb")["cells"]]
    ['markdown', 'code', 'markdown']
    """
    return {
        "cells": [{"id": f"cell-{k}", **cell} for k, cell in enumerate(_cells(page))],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _cells(page: str) -> Iterator[dict[str, Any]]:
    prose, *blocks = BLOCK.split(page)
    yield _text(prose)
    for kind, block, after in zip(blocks[::3], blocks[1::3], blocks[2::3], strict=True):
        if kind == "console":
            for command in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                line, _, output = command.partition("\n")
                yield _code(f"%%sh\n{line}", output)
        else:
            code = re.findall(r"^(?:>>>|\.\.\.) ?(.*)$", block, re.MULTILINE)
            output = re.sub(r"^(>>>|\.\.\.).*\n", "", block, flags=re.MULTILINE)
            yield _code("\n".join(code), output.strip())
        yield _text(after)


def _text(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source.strip()}


def _code(source: str, output: str) -> dict[str, Any]:
    shown = {"name": "stdout", "output_type": "stream", "text": output}
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [shown] if output else [],
        "source": source,
    }


if __name__ == "__main__":
    print(json.dumps(notebook(Path(__file__).with_name(PAGE).read_text("utf-8")), indent=1))

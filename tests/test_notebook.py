"""The tutorial's notebook runs from an empty folder, and prints the output shown in it."""

from __future__ import annotations

import os
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

DOCS = Path(__file__).parents[1] / "docs"


def module_of(path: Path) -> ModuleType:
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def printed(cell: Any) -> list[str]:
    """The lines that a cell printed, or shows as its value."""
    texts = [
        output["text"] if output["output_type"] == "stream" else output["data"]["text/plain"]
        for output in cell["outputs"]
        if output.get("name") != "stderr"
    ]
    return [line.rstrip() for line in "".join(texts).splitlines() if line.strip()]


@pytest.mark.slow
def test_the_notebook_prints_its_outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    made = module_of(DOCS / "notebook.py").notebook((DOCS / "tutorial.md").read_text("utf-8"))
    book = nbformat.from_dict(made)
    nbformat.validate(book)
    shown = [printed(cell) for cell in book.cells if cell.cell_type == "code"]
    assert len(shown) > 8
    scripts = str(Path(sys.executable).parent)
    monkeypatch.setenv("PATH", os.pathsep.join([scripts, os.environ["PATH"]]))
    client.NotebookClient(book, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert [printed(cell) for cell in book.cells if cell.cell_type == "code"] == shown

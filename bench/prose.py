"""Count riddle words in the prose of the project, by room.

``python -m bench.prose`` prints, for each room of the package, csrc and docs, how many of 1,000
words of docstrings, comments and pages are "what", "where", "of which", "those of", "that of",
"said", "says", "say", "told", "tells" or "tell". This is a measure, not a limit: a guide in plain
English has 3 to 5.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
RIDDLES = re.compile(r"\b(what|where|of which|those of|that of|says?|said|tells?|told)\b", re.I)
PROMPTS = re.compile(r"^\s*(>>>|\.\.\.).*$", re.M)
FENCES = re.compile(r"```.*?```", re.S)
C_COMMENTS = re.compile(r"//([^\n]*)|/\*(.*?)\*/", re.S)
CYTHON_PROSE = re.compile(r'"""(.*?)"""|#([^\n]*)', re.S)


def prose_of(path: Path) -> str:
    """Return the docstrings and comments of a source file, or the text of a page."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return PROMPTS.sub("", "\n".join([*docstrings(text), *comments(text)]))
    if path.suffix == ".md":
        return FENCES.sub("", text)
    pattern = CYTHON_PROSE if path.suffix in (".pyx", ".pxd") else C_COMMENTS
    return "\n".join(first or second for first, second in pattern.findall(text))


def docstrings(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield ast.get_docstring(node) or ""


def comments(text: str) -> Iterator[str]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def rooms() -> dict[str, list[Path]]:
    """Return the files of every room: folders and top of the package, csrc, docs, tests, bench."""
    package = ROOT / "fastcausal"
    kinds = [".py", ".pyx", ".pxd"]
    listed = {"fastcausal/*.py": sorted(package.glob("*.py"))}
    for folder in sorted(path for path in package.iterdir() if (path / "__init__.py").exists()):
        files = sorted(path for path in folder.rglob("*") if path.suffix in kinds)
        listed[f"fastcausal/{folder.name}"] = files
    csrc = (
        path for path in (ROOT / "csrc").rglob("*") if path.suffix in (".h", ".hpp", ".cu", ".cuh")
    )
    listed["csrc"] = sorted(csrc)
    listed["docs"] = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    listed["tests"] = sorted((ROOT / "tests").rglob("*.py"))
    listed["bench"] = sorted((ROOT / "bench").rglob("*.py"))
    return listed


def main() -> None:
    for room, files in rooms().items():
        text = "\n".join(map(prose_of, files))
        words = len(re.findall(r"[A-Za-z]{2,}", text))
        rate = 1000 * len(RIDDLES.findall(text)) / max(words, 1)
        print(f"{room:24}{rate:6.1f} per 1,000 of {words:6,} words")


if __name__ == "__main__":
    main()

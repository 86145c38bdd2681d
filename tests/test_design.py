"""docs/design.md is a map of the tree: short, true and complete."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "fastcausal"
MAP = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
PATH = re.compile(r"[\w./]*\w(?:/|\.(?:py|pyi|pyx|md|h|hpp)\b)")
LINE = re.compile(r"^\|(.+?)\|(.+)\|$", re.MULTILINE)
LONGEST = 130


def quoted(text: str) -> list[str]:
    """The paths between backticks."""
    return [path for code in re.findall(r"`([^`\n]+)`", text) for path in PATH.findall(code)]


def named(text: str) -> list[tuple[str, str]]:
    """Every path of a map, and the room whose line names it."""
    links = re.findall(r"\]\(([^\s)]+)\)", text)
    found = [("", path) for path in quoted(LINE.sub("", text)) + links]
    for first, rest in LINE.findall(text):
        rooms = [path for path in quoted(first) if path.endswith("/")]
        found += [("", path) for path in quoted(first)]
        found += [(rooms[0] if rooms else "", path) for path in quoted(rest)]
    return found


def exists(room: str, path: str) -> bool:
    return any((at / path).exists() for at in (PACKAGE / room, PACKAGE, ROOT, ROOT / "docs"))


def folders() -> set[str]:
    """The folders of the package that hold sources."""
    held = {p.parent for s in ("*.py", "*.pyx") for p in PACKAGE.rglob(s)} - {PACKAGE}
    return {
        f"{folder.relative_to(PACKAGE).as_posix()}/"
        for folder in held
        if folder.relative_to(PACKAGE).parts[0] not in ("_bench", "_csrc")  # in a wheel alone
    }


def test_the_map_is_short():
    assert len(MAP.splitlines()) <= LONGEST


def test_the_map_names_what_exists():
    assert len(named(MAP)) > 60
    assert not [f"{room}{path}" for room, path in named(MAP) if not exists(room, path)]


def test_every_folder_is_on_the_map():
    rooms = {path for first, _ in LINE.findall(MAP) for path in quoted(first)}
    assert not folders() - rooms


def test_every_file_at_the_top_is_on_the_map():
    faces = {"__init__.py", "__main__.py"}
    files = {path.name for path in PACKAGE.glob("*.py")} - faces
    assert not files - set(quoted(MAP))


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("| `engine/` | `away.py` runs |", "away.py"),
        ("| `away/` | nothing |", "away/"),
        ("It lies in `tasks/away.py`.", "tasks/away.py"),
        ("It lies [there](away.md).", "away.md"),
    ],
)
def test_a_wrong_map_is_seen(line, path):
    assert [p for room, p in named(line) if not exists(room, p)] == [path]


def test_every_decision_is_in_the_index():
    folder = ROOT / "docs" / "decisions"
    index = (folder / "README.md").read_text(encoding="utf-8")
    pages = {page.name for page in folder.glob("*.md")} - {"README.md"}
    assert set(re.findall(r"\]\(([\w-]+\.md)\)", index)) == pages
    for page in pages:
        title, _, second, *_ = (folder / page).read_text(encoding="utf-8").splitlines()
        assert title.startswith("# ")
        assert re.match(r"Decided 20\d\d-\d\d-\d\d", second), page

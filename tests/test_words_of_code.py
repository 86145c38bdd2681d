"""Words of docs/glossary.md: names say what they hold, docstrings begin with verbs or nouns."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "fastcausal"

NAMES = {"found", "some", "one", "others", "told"}
OPENING = re.compile(r"(What|Where|How far|Whether|Who)\b")
# "There is no GPU" says what is missing; "x is no number" has a word: invalid.
TEXT = re.compile(r"(?<!there )\bis no (?!longer)|\b(somebody|nobody)\b|\bnone of\b", re.IGNORECASE)
MOST_WORDS = 25
Problem = tuple[int, str]


def bound_name(node: ast.AST) -> str | None:
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
            return name
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
            return name
    return None


def problems(source: str) -> Iterator[Problem]:
    """Every banned name, opening and word of a module, with its line."""
    for node in ast.walk(ast.parse(source)):
        line = getattr(node, "lineno", 1)
        if (name := bound_name(node)) in NAMES:
            yield line, f"the name {name} does not say what it holds"
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield from ((line, said) for said in of_docstring(ast.get_docstring(node) or ""))
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for match in TEXT.finditer(node.value):
                yield line, f'"{match[0].strip()}" in a text'


def of_docstring(text: str) -> Iterator[str]:
    first = " ".join(text.partition("\n\n")[0].split())
    if match := OPENING.match(first):
        yield f'a docstring begins with "{match[0]}"'
    for sentence in re.split(r"(?<=[.:;]) ", first):
        if len(sentence.split()) > MOST_WORDS:
            yield f"a first line of {len(sentence.split())} words"


FILES = sorted(PACKAGE.rglob("*.py"))


def test_words():
    listed = [
        f"{path.relative_to(ROOT)}:{line}: {said}"
        for path in FILES
        for line, said in problems(path.read_text())
    ]
    assert not listed, "\n".join(listed)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def f(x):\n    found = x", "the name found"),
        ("for one in ():\n    pass", "the name one"),
        ("self.told = 1", "the name told"),
        ("def some(): pass", "the name some"),
        ("def f(others): pass", "the name others"),
        ('def f():\n    """Whether it is."""', 'begins with "Whether"'),
        ('"""What there is."""', 'begins with "What"'),
        ('raise E(f"{x} is no number")', '"is no"'),
        ('"""Wait until Somebody asks."""', '"Somebody"'),
        (f'"""Read {"a " * 30}b."""', "a first line of 32 words"),
    ],
)
def test_the_rules_see(source, said):
    assert [text for _, text in problems(source) if said in text]


@pytest.mark.parametrize(
    "source",
    ["x = y.found", '"""Return it. Where x is 0 it is 1."""', '"there is no GPU"', "whatever = 1"],
)
def test_what_the_rules_allow(source):
    assert not [*problems(source)]


def test_words_of_pages():
    listed = [
        f"{page.name}:{k}: {match[0].strip()}"
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
        for k, line in enumerate(page.read_text().splitlines(), 1)
        for match in TEXT.finditer(line)
    ]
    assert not listed, "\n".join(listed)

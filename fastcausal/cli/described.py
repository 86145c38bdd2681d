"""The parameters of a public function, read from its source: nothing is imported."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, get_args

import click

from fastcausal import options

_PARAMETERS = re.compile(r"\nParameters\n-+\n(.*?)(?=\n\n\w+\n-+\n|\Z)", re.DOTALL)
_ENTRY = re.compile(r"\n(?=\S)")
_SENTENCE = re.compile(r"(?<=\.) ")
_SEE = re.compile(r"See `([\w.]+)\.(\w+)`")
_MARKS = re.compile(r"`+([^`]*)`+")
PLAIN: dict[str, type] = {"str": str, "int": int, "float": float, "bool": bool}
LISTS = ("Sequence", "Iterable", "list", "tuple")
# Names of types in signatures, and these types
ALIASES = {"By": "str | Sequence[str] | None", "Label": "int | str"}


class ValueKind(NamedTuple):
    """The values that a parameter takes."""

    plain: tuple[type, ...] = ()
    choices: Any = None  # A Literal of `fastcausal.options`
    several: bool = False  # True also takes a sequence of such values
    nullable: bool = False
    is_source: bool = False  # True takes a path, or data

    def __or__(self, other: ValueKind) -> ValueKind:
        return ValueKind(
            (*self.plain, *other.plain),
            self.choices or other.choices,
            self.several or other.several,
            self.nullable or other.nullable,
            self.is_source or other.is_source,
        )

    @property
    def is_file(self) -> bool:
        """True for paths; a name of a closed vocabulary is none."""
        return self.is_source and not self.choices

    def parse(self, texts: list[str], name: str, flag: str) -> Any:
        """Return the value of texts; a bad value names the parameter and the flag."""
        if self.several:
            one = self._replace(several=False)
            return [one.parse([text], name, flag) for text in texts]
        if len(texts) > 1:
            raise click.BadParameter(f"{name} is set {len(texts)} times", param_hint=flag)
        [text] = texts
        if bool in self.plain:
            if text not in ("true", "false"):
                raise click.BadParameter(
                    f'{name} is "{text}", expected true or false', param_hint=flag
                )
            return text == "true"
        if self.nullable and text == "null":
            return None
        for number in (int, float):
            if number in self.plain:
                with suppress(ValueError):
                    return number(text)
        if float in self.plain:
            raise click.BadParameter(f'{name} is "{text}", expected a number', param_hint=flag)
        return text


class Parameter(NamedTuple):
    """A parameter of a function."""

    kind: ValueKind
    required: bool
    default: Any  # None for none, and for a default that is no literal
    text: str  # The first sentence of its description


class Described:
    """A function or class by its source; only its head is parsed."""

    def __init__(self, entry: str) -> None:
        module, _, name = entry.partition(":")
        path = getattr(find_spec(module), "origin", None)
        assert path is not None, entry
        text = Path(path).read_text(encoding="utf-8")
        start = re.search(rf"^(def|class) {name}\b", text, re.MULTILINE)
        assert start is not None, entry
        end = text.index('"""', text.index('"""', start.start()) + 3) + 3
        self._head = text[start.start() : end]

    @cached_property
    def doc(self) -> str:
        """The docstring."""
        lines = self._head.split('"""')[1]
        return re.sub(r"^ +", lambda m: m[0][4:], lines, flags=re.MULTILINE)

    @property
    def summary(self) -> str:
        """First paragraph of the docstring."""
        return " ".join(self.doc.partition("\n\n")[0].split())

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters by name."""
        (function,) = ast.parse(self._head).body
        assert isinstance(function, ast.FunctionDef)
        given = function.args
        arguments = [*given.args, *given.kwonlyargs]
        if given.kwarg is not None:  # a group of options
            arguments.append(given.kwarg)
        least = [None] * (len(given.args) - len(given.defaults))
        defaults = [*least, *given.defaults, *given.kw_defaults, *([None] if given.kwarg else [])]
        texts = self.texts
        return {
            each.arg: Parameter(
                _kind(each.annotation), value is None, _literal(value), texts.get(each.arg, "")
            )
            for each, value in zip(arguments, defaults, strict=True)
        }

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """First sentence about each parameter, without marks."""
        return dict(self._texts())

    def _texts(self) -> Iterator[tuple[str, str]]:
        section = _PARAMETERS.search(f"\n{self.doc}")
        for entry in _ENTRY.split(section[1]) if section else ():
            head, _, body = entry.partition("\n")
            names = [name.strip(" *") for name in head.partition(" : ")[0].split(",")]
            text = " ".join(body.split())
            if see := _SEE.match(text):
                others = describe(f"{see[1]}:{see[2]}").texts
                yield from ((name, others[name]) for name in names if name in others)
            else:
                sentence = _SENTENCE.split(_MARKS.sub(r"\1", text))[0]
                yield from ((name, sentence) for name in names)


@lru_cache
def describe(entry: str) -> Described:
    """Return a function or class by its entry point; many options ask for one."""
    return Described(entry)


def _kind(node: ast.expr | None) -> ValueKind:
    """Return the values that an annotation allows."""
    if isinstance(node, ast.BinOp):
        return _kind(node.left) | _kind(node.right)
    if isinstance(node, ast.Constant) and node.value is None:
        return ValueKind(nullable=True)
    name = ast.unparse(node) if node else ""
    if name in ALIASES:
        return _kind(ast.parse(ALIASES[name], mode="eval").body)
    if name in PLAIN:
        return ValueKind((PLAIN[name],))
    if get_args(choices := getattr(options, name, None)):
        return ValueKind(choices=choices)
    if isinstance(node, ast.Subscript):
        if ast.unparse(node.value) in LISTS:
            return _kind(node.slice)._replace(several=True)
        if ast.unparse(node.value) in ("Mapping", "Callable"):
            return ValueKind()
    return ValueKind(is_source=True)


def _literal(node: ast.expr | None) -> Any:
    with suppress(ValueError, TypeError):
        return None if node is None else ast.literal_eval(node)
    return None

"""The value between two brackets of a text: JSON, Python literals, cut off, or repaired."""

from __future__ import annotations

import ast
import re
import warnings
from functools import cache
from typing import Any, NamedTuple

from fastcausal.formats.model_output.shapes import JSON, Notes, answered, role_keys
from fastcausal.formats.reading.builder import UnreadError

TOKEN = re.compile(
    r""""(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|'(?:[^'\\]++|\\.)*+(?:'|\\?\Z)|[\[\]{}]""", re.DOTALL
)
FIRST_KEY = re.compile(r"""\{\s*+["']?(\w+)["']?\s*+:""")
PAIR = re.compile(r"""\s*+[{,]\s*+"([^"\\]*+)"\s*+:\s*+""")
ENDS_CLOSED = re.compile(r"[\]}]\W*\Z")
DEEPEST = 16  # brackets around the relations of an answer
PYTHON, CUT, REPAIRED = "answer in Python's notation", "answer cut off", "answer repaired"


class BracketValue(NamedTuple):
    """The value that starts at a bracket."""

    value: Any  # The JSON value; None for none
    stop: int  # Its end
    way: str = ""  # A note on the way of reading, empty for valid JSON
    # The relation cut off by the end of the text and missing from the value, or None
    last: Any = None


def value_at(text: str, start: int) -> BracketValue:
    """Read the value at a bracket: as JSON, else its complete part, else repaired.

    >>> value_at("so [{'cause': 'rain'}] it is", 3)[:3]
    ([{'cause': 'rain'}], 22, "answer in Python's notation")
    >>> read = value_at('[{"cause": "rain"}, {"cause": "win', 0)
    >>> read.value, read.last
    ([{'cause': 'rain'}], UnreadError('the answer ends within it'))
    """
    try:
        return BracketValue(*JSON.raw_decode(text, start))
    except (ValueError, RecursionError):
        pass
    extent = _extent(text, start)
    piece = text[start : extent.stop]
    # A text that ends in a bracket lacks another, or has an extra quote; other text was cut off.
    if not extent.is_closed and (extent.is_certain or not ENDS_CLOSED.search(piece)):
        return _cut(text, start, extent)
    read = _broken(piece, extent.stop)
    return _cut(text, start, extent) if read.value is None and not extent.is_closed else read


def _broken(piece: str, stop: int) -> BracketValue:
    """Read invalid JSON as Python literals, else repair it."""
    value = read_python(piece)
    if value is not None:
        return BracketValue(value, stop, PYTHON)
    repair = repairing()
    return BracketValue(None if repair is None else repair(piece), stop, REPAIRED)


def _cut(text: str, start: int, extent: Extent) -> BracketValue:
    """Read the complete relations of a truncated answer."""
    if extent.whole is None:
        return BracketValue(None, extent.stop, CUT, _cut_relation(text, start))
    piece = text[start : extent.whole] + extent.closing
    try:
        value = JSON.decode(piece)
    except (ValueError, RecursionError):
        value = _broken(piece, 0).value
    rest = text[extent.whole : extent.stop].strip(" \t\r\n,`")
    if "]" in rest[:1] or not (rest.strip("}") or text[extent.whole - 1] == "["):
        return BracketValue(value, extent.stop, CUT)
    last = _cut_relation(text, text.find("{", extent.whole))
    return BracketValue(value, extent.stop, CUT, last or _ends_within())


def _cut_relation(text: str, start: int) -> Any:
    """Return a relation with complete cause and effect, None if it may not be a relation."""
    at, pairs = start, {}
    while start >= 0 and (pair := PAIR.match(text, at)):
        try:
            pairs[pair[1]], at = JSON.raw_decode(text, pair.end())
        except (ValueError, RecursionError):
            break
    if role_keys(pairs).keys() >= {"cause", "effect"}:
        return pairs
    key = FIRST_KEY.match(text, max(start, 0))
    return _ends_within() if key is not None and role_keys([key[1]]) else None


def _ends_within() -> UnreadError:
    """Make a new error each time: raising one again would keep old frames alive."""
    return UnreadError("the answer ends within it")


class Extent(NamedTuple):
    """The text from a bracket to its partner."""

    stop: int  # Its end: after the partner, or at the end of the text
    is_closed: bool  # True if the partner exists
    # True if all brackets in the text have the right partners and all strings end
    is_certain: bool = True
    # The end of the last complete relation in the outermost list, or the start of that list
    whole: int | None = None
    closing: str = ""  # The brackets missing there


def _extent(text: str, start: int) -> Extent:
    missing: list[str] = []  # partners of the open brackets
    whole, closing, n_lists = None, "", 0
    for token in TOKEN.finditer(text, start):
        first, last = token[0][0], token[0][-1]
        if first in "\"'":
            if len(token[0]) == 1 or first != last:
                return Extent(len(text), False, False, whole, closing)
            continue
        if first in "[{":
            missing.append("]" if first == "[" else "}")
            n_lists += first == "["
        elif missing[-1] != first:
            return Extent(len(text), False, False, whole, closing)
        else:
            missing.pop()
            n_lists -= first == "]"
            if not missing:
                return Extent(token.end(), True)
        if missing[-1] == "]" and n_lists == 1 and first in "[}" and len(missing) <= DEEPEST:
            whole, closing = token.end(), "".join(reversed(missing))
    return Extent(len(text), False, True, whole, closing)


def read_python(piece: str) -> Any:
    """Return the value of Python literals, None for anything else."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about odd escapes
            return _list_tuples(ast.literal_eval(piece))
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None


def _list_tuples(value: Any) -> Any:
    """Replace tuples, which JSON lacks, by lists."""
    if isinstance(value, tuple | list):
        return [_list_tuples(item) for item in value if item is not ...]
    if isinstance(value, dict):
        return {str(key): _list_tuples(item) for key, item in value.items()}
    return value


@cache
def repairing() -> Any:
    """Return the function that repairs JSON, None without the extra ``llm``."""
    try:
        from json_repair import repair_json
    except ImportError:
        return None

    def repaired(piece: str) -> Any:
        try:
            value = repair_json(piece, return_objects=True, skip_json_loads=True)
            return value if answered(value, Notes()) else None
        except (ValueError, RecursionError):
            return None

    return repaired

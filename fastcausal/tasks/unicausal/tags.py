"""Tags of words, read from marks in texts, and the entities in them.

An entity begins with B-, and with I- if it continues none of its role: seqeval's default mode.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays.distinct import number_texts
from fastcausal.formats.cnc.markup import parse
from fastcausal.formats.cnc.tagged import Sentences, count_all
from fastcausal.formats.schemes import LABELS
from fastcausal.options import UnicausalTags
from fastcausal.significance.sums import Int64

TagCodes = npt.NDArray[np.int8]
"""Tags: 0 O, 1 and 2 begin cause and effect, 3 and 4 continue them."""

OUTSIDE = 0
N_ROLES = 2
_MARK = re.compile(r"</?[A-Z]+[0-9]*>")
# The first of these in a word decides the tags of this word and of the words after it.
_RUN_ON = (("<ARG0>", 1, 3), ("</ARG0>", 3, 0), ("<ARG1>", 2, 4), ("</ARG1>", 4, 0))


def marked(texts: pa.Array, reading: UnicausalTags) -> tuple[TagCodes, Int64]:
    """Return the tags of the words of marked texts.

    >>> texts = pa.array(["<ARG0>tax</ARG0> made <ARG1>sales fall</ARG1> ."])
    >>> marked(texts, "strict")[0].tolist(), marked(texts, "unicausal")[0].tolist()
    ([1, 0, 2, 4, 0], [1, 3, 2, 4, 0])
    """
    # Words end at single blanks. ``"strict"`` tags the words with a letter between the marks.
    # ``"unicausal"`` reads like the program: only one mark per word, so that an argument of one
    # word runs on to the next mark.
    # Returns tags [n_words] and offsets [n_texts + 1]. UnreadError under ``"strict"`` if the marks
    # of a text are not pairs around words.
    n_words = np.empty(len(texts), np.int32)
    count_all(pa.chunked_array([texts]), "cnc-2023", n_words)  # between single blanks
    offsets = arrow.offsets(n_words)
    if reading == "unicausal":
        tags = [tag for text in texts.to_pylist() for tag in _run_on(text)]
        return np.array(tags, np.int8), offsets
    kept = arrow.lists(np.ones(len(texts), np.int64), texts)
    unknown = pa.nulls(len(texts), pa.string())
    read = Sentences(kept, np.full(len(texts), -1, np.int32), "strict", unknown)
    codes = np.zeros(int(offsets[-1]), np.int8)
    of_words = read.n_tokens == n_words  # they differ for texts with several blanks in a row
    example = np.repeat(np.arange(len(texts)), np.maximum(read.widths, 0))
    roles, starts, stops = (column.astype(np.int64) for column in read.spans)
    starts, stops = starts + offsets[example], stops + offsets[example]
    for role in range(N_ROLES):
        taken = (roles == role) & of_words[example]
        _fill(codes, starts[taken], stops[taken], role)
    for k in np.flatnonzero((read.widths < 0) | ~of_words).tolist():
        text = texts[k].as_py()
        codes[offsets[k] : offsets[k + 1]] = _between(text)
    return codes, offsets


def _fill(codes: TagCodes, starts: Int64, stops: Int64, role: int) -> None:
    """Tag spans of a role among all words."""
    sizes = stops - starts
    within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    codes[np.repeat(starts, sizes) + within] = 1 + role + N_ROLES
    codes[starts] = 1 + role


def _between(text: str) -> list[int]:
    """Return the tags of the words of one text, strictly."""
    _, spans = parse(text, "strict")
    words = _MARK.sub("", text).split(" ")
    place = [k for k, word in enumerate(words) for _ in word.split()]
    tags = [OUTSIDE] * len(words)
    for role, start, stop in spans:
        if role < N_ROLES:
            first, last = place[start], place[stop - 1]
            tags[first : last + 1] = [1 + role] + [1 + role + N_ROLES] * (last - first)
    return tags


def _run_on(text: str) -> list[int]:
    tags, following = [], OUTSIDE
    for word in text.split(" "):
        tag = following
        if "ARG" in word:
            decides = next((mark for mark in _RUN_ON if mark[0] in word), None)
            if decides is not None:
                _, tag, following = decides
        tags.append(tag)
    return tags


def coded(tags: pa.Array) -> TagCodes:
    """Return the codes of tags.

    >>> coded(pa.array(["B-C", "I-Cause", "O", "I-E", "C"])).tolist()
    [1, 3, 0, 4, -1]
    """
    # -1 for tags other than O, and B- or I- of a cause or effect
    (numbers,), names = number_texts([tags])
    return np.array([*map(_code, names.to_pylist())], np.int8)[numbers]


def _code(tag: str) -> int:
    role = LABELS.get(tag[2:].lower(), N_ROLES)
    if tag[:2] not in ("B-", "I-") or role >= N_ROLES:
        return OUTSIDE if tag == "O" else -1
    return 1 + role + N_ROLES * (tag[0] == "I")


def entities(tags: TagCodes, offsets: Int64) -> tuple[Int64, Int64, Int64]:
    """Find starts, stops and roles of entities in concatenated tags of examples.

    >>> found = entities(np.array([1, 3, 4, 4, 4, 1], np.int8), np.array([0, 4, 6]))
    >>> [column.tolist() for column in found]
    [[0, 2, 4, 5], [2, 4, 5, 6], [0, 1, 1, 0]]
    """
    goes_on = np.zeros(len(tags) + 1, np.bool_)
    # Codes of a role are all odd or all even.
    goes_on[1:-1] = (tags[1:] > N_ROLES) & (tags[:-1] > OUTSIDE) & ((tags[1:] ^ tags[:-1]) & 1 == 0)
    goes_on[offsets] = False
    starts = np.flatnonzero((tags > OUTSIDE) & ~goes_on[:-1])
    going = np.searchsorted(np.flatnonzero(goes_on), starts)
    sizes = np.diff(going, append=np.count_nonzero(goes_on))
    return starts, starts + 1 + sizes, (tags[starts].astype(np.int64) - 1) % N_ROLES

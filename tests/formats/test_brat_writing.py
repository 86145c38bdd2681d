"""brat's two files are written both or neither; their content is read back or reported lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal import formats
from fastcausal.errors import InputError
from fastcausal.relations import Relations
from tests.support.profiles import trials

from .test_brat import found


def test_written_files(tmp_path):
    relations = Relations.from_examples([
        {"text": "Rain fell .", "relations": []},
        {"text": "As it rained it flooded .", "relations": [
            {"cause": (1, 3), "effect": (3, 5), "signal": [(0, 1), (5, 6)]},
            {"cause": [(0, 1), (2, 3)], "effect": (3, 5)},
        ]},
    ])  # fmt: skip
    assert formats.write(relations, tmp_path / "d.ann") == []
    assert (tmp_path / "d.txt").read_text() == "Rain fell .\nAs it rained it flooded .\n"
    assert (tmp_path / "d.ann").read_text() == (
        "T1\tEffect 25 35\tit flooded\nT2\tCause 15 24\tit rained\nR1\tCauses Arg1:T2 Arg2:T1\n"
        "T3\tSignal 12 14\tAs\nR2\tSignals Arg1:T3 Arg2:T1\n"
        "T4\tSignal 36 37\t.\nR3\tSignals Arg1:T4 Arg2:T1\n"
        "T5\tEffect 25 35\tit flooded\nT6\tCause 12 14;18 24\tAs rained\n"
        "R4\tCauses Arg1:T6 Arg2:T5\n"
    )


class Stopped(BaseException):
    """The process ends here."""


def write_up_to(step, target, patched):
    """Write a pair of files, but stop at a call that changes the folder; False if it came to that.

    No mark tells the text that it belongs to: there are none.
    """
    calls = iter(range(100))

    def stopping(real):
        def call(*args, **options):
            if next(calls) == step:
                raise Stopped
            return real(*args, **options)

        return call

    for name in ("open", "replace", "unlink"):
        patched.setattr(Path, name, stopping(getattr(Path, name)))
    try:
        formats.write(Relations.from_examples([{"text": "new", "relations": []}]), target)
    except Stopped:
        return False
    return True


def test_marks_never_stand_beside_a_text_that_is_not_theirs(tmp_path, monkeypatch):
    """Wherever writing over an old pair stops, it leaves a matching pair or a text alone."""
    marks, text = tmp_path / "d.ann", tmp_path / "d.txt"
    left = set()
    for step in range(100):
        text.write_bytes(b"old\n")
        marks.write_bytes(b"#1\tx T1\told\n")
        with monkeypatch.context() as patched:
            ended = write_up_to(step, marks, patched)
        of_marks = None if not marks.exists() else "old" if marks.read_bytes() else "new"
        left.add((text.read_text()[:3], of_marks))
        if ended:
            break
    assert ended
    assert left == {("old", "old"), ("old", None), ("new", None), ("new", "new")}


def test_what_is_lost(tmp_path):
    relations = Relations.from_examples([
        {"id": "a", "text": "a b c\nd", "split": "x", "relations": [
            None, {"cause": (0, 1)}, {"effect": (0, 1), "signal": (1, 2)}, {},
            {"cause": [(0, 1), (1, 2)], "effect": (2, 3)},
            {"cause": (0, 1), "effect": (2, 3), "signal": [(1, 2), (1, 2)]},
        ]},
        {"id": "b", "text": " ", "split": "x", "relations": []},
    ])  # fmt: skip
    assert formats.write(relations, tmp_path / "d.ann") == [
        "brat files do not hold the columns id, split",
        "example a: the line ends in its text become spaces",
        "example a: relation 1 is unread and left out",
        "example a: relation 2 has no Effect and is left out",
        "example a: relation 5 has spans of one role that touch, which become one",
        "example a: relation 6 has spans of one role that touch, which become one",
        "example b has a blank text, which is not a sentence when it is read",
    ]
    read = formats.read(tmp_path / "d.ann")
    assert found(read) == [[
        {"effect": [(0, 1)], "signal": [(1, 2)]},
        {"cause": [(0, 2)], "effect": [(2, 3)]},
        {"cause": [(0, 1)], "effect": [(2, 3)], "signal": [(1, 2)]},
    ]]  # fmt: skip
    assert read.table["text"].to_pylist() == ["a b c d"]


def test_other_roles_and_types_are_read_back(tmp_path):
    roles = ("cause", "effect", "signal", "negation")
    relations = Relations.from_examples([
        {"id": "d:1", "text": "a b c", "relations": [
            {"cause": (0, 1), "effect": (1, 2), "negation": (2, 3), "type": "enables"},
            {"signal": (0, 1), "effect": (1, 2), "negation": (2, 3), "type": "prevents"},
            {"cause": (0, 1), "effect": (1, 2)}]}], roles)  # fmt: skip
    assert formats.write(relations, tmp_path / "d.ann") == []
    again = formats.read(tmp_path / "d.ann", roles=roles)
    assert again.to_examples()[0]["relations"] == relations.to_examples()[0]["relations"]
    assert again.roles == roles


def test_types_that_are_not_read_back(tmp_path):
    relations = Relations.from_examples([
        {"id": "d:1", "text": "a b", "relations": [
            {"cause": (0, 1), "effect": (1, 2), "type": type}
            for type in ("leads to", "Causes", "not causal", "no", "ok")]}])  # fmt: skip
    assert formats.write(relations, tmp_path / "d.ann") == [
        'example d:1: relation 1 has the type "leads to", which is read back as "leads_to"',
        'example d:1: relation 2 has the type "Causes", which is read back as null',
        'example d:1: relation 3 has the type "not causal", which is read back as "not_causal"',
        'example d:1: relation 4 has the type "no", which only --link no reads back',
    ]


def test_what_cannot_be_written(tmp_path):
    none = Relations.from_examples([{"length": 3, "relations": []}])
    with pytest.raises(InputError, match=r"^example 0 has no text, which this format needs$"):
        formats.write(none, tmp_path / "d.ann")
    with pytest.raises(InputError, match=r"x: brat has two files, expected the name of the first"):
        formats.write(none, tmp_path / "x", "brat")
    empty = formats.write(Relations.from_examples([]), tmp_path / "d.ann")
    assert empty == ["a file without examples is empty and cannot be read back"]


WORDS = st.text(
    st.sampled_from('ab<|:;\\"#é\u00a0\u2028\ufeff\U0001f600T1'), min_size=1, max_size=4
)


@st.composite
def tables(draw):
    """Relations with a cause and an effect, their spans of one role apart from each other."""
    examples = []
    for k in range(draw(st.integers(1, 4))):
        words = draw(st.lists(WORDS, min_size=1, max_size=8))
        spaces = [draw(st.sampled_from([" ", "  ", "\t", " \x0b"])) for _ in words]
        text = "".join(w + s for w, s in zip(words, spaces, strict=True))
        relations = []
        for _ in range(draw(st.integers(0, 3))):
            relation = {"cause": draw(apart(len(words))), "effect": draw(apart(len(words)))}
            signals = draw(st.sets(st.sampled_from(relation["cause"] + relation["effect"])))
            relations.append(relation | ({"signal": sorted(signals)} if signals else {}))
        n = len(words)
        examples.append({"id": f"d:{k + 1}", "text": text, "length": n, "relations": relations})
    return Relations.from_examples(examples)


@st.composite
def apart(draw, n):
    """Draw one or more spans over n tokens, with a token between any two."""
    marked = draw(st.sets(st.integers(0, n - 1), min_size=1))
    spans = []
    for k in sorted(marked):
        if spans and spans[-1][1] == k:
            spans[-1] = (spans[-1][0], k + 1)
        else:
            spans.append((k, k + 1))
    return spans


@given(tables())
@trials(150)
def test_round_trip(tmp_path_factory, relations):
    path = tmp_path_factory.mktemp("brat", numbered=True) / "d.ann"
    assert formats.write(relations, path) == []
    read = formats.read(path)
    columns = ("id", "text", "length", "relations")
    assert [[row[c] for c in columns] for row in read.to_examples()] == [
        [row[c] for c in columns] for row in relations.to_examples()
    ]
    assert read.reading.notes == {}
    assert read.n_unread == 0

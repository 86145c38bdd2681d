"""UIMA CAS JSON at random: relations by their definition, and damage of every kind."""

from __future__ import annotations

import copy
import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal import formats
from fastcausal.errors import InputError
from fastcausal.formats.annotation import webanno
from tests.support.cas import LAYOUTS, save
from tests.support.profiles import trials


@st.composite
def documents(draw):
    """Sentences of words, marks anywhere, links between any two."""
    lines = draw(st.lists(st.lists(st.sampled_from(["a", "bb", "\U0001f30a", "."]), min_size=1,
                                   max_size=5), min_size=1, max_size=3))  # fmt: skip
    text = "\n".join(map(" ".join, lines))
    sentences, start = [], 0
    for line in text.split("\n"):
        sentences.append((start, start + len(line)))
        start += len(line) + 1
    ends = st.integers(0, len(text))
    labels = st.sampled_from(["Cause", "Effect", "Effect", "Signal", None, "Reason"])
    marks = draw(st.lists(st.tuples(labels, ends, ends), max_size=6))
    marks = [(label, min(a, b), max(a, b)) for label, a, b in marks]
    marks.append(("Cause", 0, 1))  # so that there is a layer
    number = st.integers(0, len(marks) - 1)
    links = draw(st.lists(st.tuples(number, number), max_size=8))
    return {"text": text, "sentences": sentences, "marks": marks, "links": links}


def expected(text, sentences, marks, links):
    """The relations by the letter of their definition, in the order of links: by sentence."""
    words = [
        [k for k in range(a, b) if text[k] != " " and (k == a or text[k - 1] == " ")]
        for a, b in sentences
    ]

    def place(mark, line):
        """The tokens of a mark, None if it is not in that line."""
        inside = [k for k in range(mark[1], mark[2]) if text[k] not in " \n"]
        a, b = sentences[line]
        if not inside or not (a <= inside[0] and inside[-1] < b):
            return None
        starts = words[line]
        touched = {sum(start <= k for start in starts) - 1 for k in inside}
        return (min(touched), max(touched) + 1)

    made = [[] for _ in sentences]
    pairs = [(a, b) if marks[b][0] == "Effect" else (b, a) for a, b in links]
    pairs = [(a, b) for a, b in pairs
             if marks[a][0] in ("Cause", "Signal") and marks[b][0] == "Effect"]  # fmt: skip
    for number in sorted({b for _, b in pairs}, key=[b for _, b in pairs].index):
        effect = marks[number]
        linked = [a for k, (a, b) in enumerate(pairs) if b == number and (a, b) not in pairs[:k]]
        causes = [marks[k] for k in linked if marks[k][0] == "Cause"]
        signals = [marks[k] for k in linked if marks[k][0] == "Signal"]
        begin = next((k for k in range(*effect[1:]) if text[k] not in " \n"), effect[1])
        line = next((k for k, (a, b) in enumerate(sentences) if a <= begin < b), None)
        if line is None:
            continue
        if signals and not causes:
            made[line].append(None)
        for cause in causes:
            core = [place(cause, line), place(effect, line)]
            around = {s for s in (place(s, line) for s in signals) if s}
            made[line].append(None if None in core else (*core, frozenset(around)))
    return made


@given(documents(), st.randoms(use_true_random=False))
@trials(100)
def test_relations_by_definition_in_both_layouts(tmp_path_factory, document, random):
    folder = tmp_path_factory.mktemp("cas", numbered=True)
    new, old = (webanno.read(save(folder, LAYOUTS[x](**document))) for x in LAYOUTS)
    assert new.table.equals(old.table)
    assert new.reading == old.reading
    got = [
        [r and (r["cause"][0], r["effect"][0], frozenset(r.get("signal", ()))) for r in row]
        for row in [row["relations"] for row in new.to_examples()]
    ]
    assert got == expected(**document)


JUNK = [None, True, 0, -1, 1, 10**12, 1.5, "", "x", "12", "Effect", [], [[]], {}, {"end": 1}]


def nodes(value, path=()):
    """The path of everything in a JSON value."""
    yield path
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from nodes(item, (*path, key))


def damaged(random, data):
    """Parts replaced by junk, dropped, or put elsewhere."""
    data = copy.deepcopy(data)
    for _ in range(random.randint(1, 3)):
        places = [path for path in nodes(data) if path]
        if not places:
            return data
        *path, last = random.choice(places)
        parent = data
        for key in path:
            parent = parent[key]
        if random.random() < 0.3:
            del parent[last]
        elif random.random() < 0.3 and isinstance(parent, dict):
            parent[random.choice(["begin", "end", "Governor", "%ID", "x"])] = parent.pop(last)
        else:
            parent[last] = copy.deepcopy(random.choice(JUNK))
    return data


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
def test_damaged_structures_raise_input_errors_only(tmp_path, layout):
    source = random.Random(layout)
    tokens = [(0, 5), (6, 10), (11, 17), (18, 24), (25, 26)]
    data = LAYOUTS[layout](tokens=tokens)
    read = 0
    for _ in range(300):
        path = save(tmp_path, damaged(source, data))
        try:
            relations = webanno.read(path)
        except InputError:
            continue
        assert relations.to_examples() is not None
        read += 1
    assert read > 20


@pytest.mark.parametrize("layout", LAYOUTS)
def test_damaged_bytes_raise_input_errors_only(tmp_path, layout):
    source = random.Random(layout)
    data = json.dumps(LAYOUTS[layout](), ensure_ascii=False).encode()
    path = tmp_path / "x.json"
    for _ in range(100):
        changed = bytearray(data)
        for _ in range(source.randint(1, 3)):
            k = source.randrange(len(changed))
            changed[k : k + source.randint(0, 2)] = source.choice(
                [b"", b"9", b"-", b'"', b"{", b"]", b",", b"\\ud800", b"\xff", b"null"]
            )
        path.write_bytes(changed)
        for format in (None, "webanno"):
            try:
                assert formats.read(path, format).to_examples() is not None
            except InputError:
                continue

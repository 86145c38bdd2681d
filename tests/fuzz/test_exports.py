"""Damaged exports of annotation tools: what is read is whole, all else one message.

``FASTCAUSAL_FUZZ_SECONDS`` makes each run for so long, from ``FASTCAUSAL_FUZZ_FIRST`` on.
"""

from __future__ import annotations

import itertools
import os
import random
import time

import pytest

import fastcausal as fc
from tests.fuzz.runs import mutated
from tests.support import projects
from tests.support.profiles import trials
from tests.support.projects import Marked
from tests.support.zips import packed

SECONDS = float(os.environ.get("FASTCAUSAL_FUZZ_SECONDS", "0"))
FIRST = int(os.environ.get("FASTCAUSAL_FUZZ_FIRST", "0"))
TEXT = "Heavy rain 😀 caused [old] floods .\nThey fled because of a_b floods ."
SPANS = [("Cause", "Heavy rain"), ("Signal", "caused"), ("Effect", "floods"),
         ("Effect", "They fled"), ("Cause", "a_b floods"), ("Signal", "because of")]  # fmt: skip
ONE = Marked(
    TEXT,
    tuple((label, TEXT.index(t), TEXT.index(t) + len(t)) for label, t in SPANS),
    ((0, 2), (1, 2), (4, 3), (5, 3)),
)
EXPORTS = {
    "x.tsv": projects.tsv(ONE, slots=True),
    "x.xmi": projects.xmi(ONE),
    "amy.jsonl": projects.doccano({1: ONE, 2: ONE._replace(links=())}),
    "x.json": projects.label_studio({1: {"amy": ONE, "ben": ONE}}),
}


def numbers(count):
    """The numbers of mutations: so many, or as many as the time allows."""
    if not SECONDS:
        yield from range(FIRST, FIRST + trials(count).max_examples)
        return
    end = time.monotonic() + SECONDS
    yield from itertools.takewhile(lambda _: time.monotonic() < end, itertools.count(FIRST))


def read(path):
    """Read a file in every way; relations that are read can be used."""
    for way in (fc.read, fc.read_annotators, fc.check):
        try:
            found = way(path)
        except fc.InputError:
            continue
        for side in found.values() if isinstance(found, dict) else [found]:
            if isinstance(side, fc.Relations):
                fc.Relations(side.table)
                side.to_examples()


@pytest.mark.parametrize("name", EXPORTS)
def test_damaged_exports(tmp_path, name):
    if name == "x.xmi":
        pytest.importorskip("cassis")
    (tmp_path / "TypeSystem.xml").write_text(projects.TYPE_SYSTEM)
    data = EXPORTS[name].encode()
    others = [text.encode() for text in EXPORTS.values()]
    for number in numbers(300):
        rng = random.Random(number)
        (tmp_path / name).write_bytes(mutated(data, rng.choice(others), rng))
        read(tmp_path / name)


@pytest.mark.parametrize("inner", [False, True])
def test_damaged_projects(tmp_path, inner):
    whole = projects.project({"d.txt": {"amy": ONE, "ben": ONE}}, "tsv", inner)
    for number in numbers(200):
        rng = random.Random(number)
        if rng.random() < 0.5:
            data = bytearray(whole)
            for _ in range(rng.choice((1, 1, 3))):
                data[rng.randrange(len(data))] = rng.randrange(256)
            data = data[: rng.choice((len(data), len(data), rng.randrange(len(data))))]
        else:
            file = mutated(EXPORTS["x.tsv"].encode(), b"", rng)
            data = packed({f"annotation/d/{n}.tsv": file for n in ("amy", "ben")})
        (tmp_path / "x.zip").write_bytes(data)
        read(tmp_path / "x.zip")
    assert [path.name for path in tmp_path.iterdir()] == ["x.zip"]

"""Damaged exports of annotation tools are read as sound tables or refused with one message.

``FASTCAUSAL_FUZZ_SECONDS`` makes each run for so long, from ``FASTCAUSAL_FUZZ_FIRST`` on.
"""

from __future__ import annotations

import copy
import itertools
import json
import os
import random
import time
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from tests.fuzz.mutations import mutated
from tests.fuzz.runs import EXPORTS, ONE
from tests.support import cas, projects
from tests.support.profiles import trials
from tests.support.zips import packed

SECONDS = float(os.environ.get("FASTCAUSAL_FUZZ_SECONDS", "0"))
FIRST = int(os.environ.get("FASTCAUSAL_FUZZ_FIRST", "0"))


def numbers(count):
    """The numbers of mutations: so many, or as many as the time allows."""
    if not SECONDS:
        yield from range(FIRST, FIRST + trials(count).max_examples)
        return
    end = time.monotonic() + SECONDS
    yield from itertools.takewhile(lambda _: time.monotonic() < end, itertools.count(FIRST))


def read(path):
    """Read a file in every way; relations that are read can be used."""
    skipping = partial(fc.read, unplaced="skip", links=["causes"])
    for way in (fc.read, skipping, fc.read_annotators, fc.check):
        try:
            found = way(path)
        except fc.InputError:
            continue
        except ValueError as error:  # it has become another format
            if way is skipping and str(error).startswith("unplaced is "):
                continue
            raise
        for side in found.values() if isinstance(found, dict) else [found]:
            if isinstance(side, fc.Relations):
                fc.Relations(side.table)
                side.to_examples()


@pytest.mark.drawn
@pytest.mark.parametrize("name", EXPORTS)
def test_damaged_exports(tmp_path, name):
    (tmp_path / "TypeSystem.xml").write_text(projects.TYPE_SYSTEM)
    data = EXPORTS[name].encode()
    others = [text.encode() for text in EXPORTS.values()]
    for number in numbers(300):
        rng = random.Random(number)
        (tmp_path / name).write_bytes(mutated(data, rng.choice(others), rng))
        read(tmp_path / name)


# Exports in JSON, each file as one value; doccano has a line per value.
VALUES = {
    "amy.jsonl": json.loads(EXPORTS["amy.jsonl"].splitlines()[0]),
    "x.json": json.loads(EXPORTS["x.json"]),
    "new.json": json.loads(projects.cas_json(ONE)),
    "old.json": cas.old_layout(
        text=ONE.text, marks=ONE.spans, links=ONE.links, sentences=ONE.lines
    ),
}
INSTEAD = (None, True, 0, -1, 1.5, 10**30, "", "x", "\ud800", [], [None], [[]], {}, {"id": None})


def places_in(value, *place):
    """The keys and indexes that lead to each value within a value."""
    named = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in named:
        yield (*place, key)
        if isinstance(inner, dict | list):
            yield from places_in(inner, *place, key)


def hurt(value, place, instead):
    """A copy with another value at a place; `hurt` itself leaves the place out."""
    value = copy.deepcopy(value)
    at = value
    for key in place[:-1]:
        at = at[key]
    if instead is hurt:
        del at[place[-1]]
    else:
        at[place[-1]] = instead
    return value


@pytest.mark.drawn
@pytest.mark.parametrize("name", VALUES)
def test_every_value_of_an_export_missing_or_of_another_type(tmp_path, name):
    value = VALUES[name]
    cases = list(itertools.product(places_in(value), (*INSTEAD, hurt)))
    most = len(cases) if SECONDS else min(len(cases), trials(1500).max_examples)
    for place, instead in random.Random(name).sample(cases, most):
        (tmp_path / name).write_text(json.dumps(hurt(value, place, instead)))
        read(tmp_path / name)


@trials(100)
@given(st.sampled_from(sorted(VALUES)), st.data())
def test_several_values_of_an_export_missing_or_of_another_type(tmp_path_factory, name, data):
    value = VALUES[name]
    for _ in range(3):
        place = data.draw(st.sampled_from(list(places_in(value))))
        value = hurt(value, place, data.draw(st.sampled_from((*INSTEAD, hurt))))
        if not value:
            break
    path = tmp_path_factory.mktemp("amy") / name
    path.write_text(json.dumps(value))
    read(path)


@pytest.mark.drawn
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

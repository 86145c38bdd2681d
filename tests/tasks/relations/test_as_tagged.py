"""Spans that are read as if they had been written with tags, on every way into the official
protocols."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.formats.cnc import markup as tags
from fastcausal.formats.reading.builder import UnreadError
from fastcausal.rows import Rows
from fastcausal.tasks.relations import official
from tests.decoding.test_tags import IGNORED
from tests.oracles.writing import with_tags
from tests.support import emulated
from tests.support.profiles import trials
from tests.support.strategies import relations, rows_of
from tests.tasks.extraction.test_tag_scorer import SCHEME, batches

BACKENDS = ("cpu", "reference")
OFFICIAL = ("cnc-2023", "cnc-2022")
LENGTH = 14
TEXT = " ".join("abcdefghijklmn")


def as_relations(rows):
    """The relations of rows as lists of (role, start, stop), sorted as tags are read."""
    found = [rows.relation(r).tolist() for r in range(rows.n_relations)]
    return [sorted(map(tuple, relation)) for relation in found]


@trials(300)
@given(st.lists(relations(LENGTH), max_size=4), st.sampled_from(OFFICIAL))
def test_as_written_and_read(spans, reading):
    """The Python twin gives the result of `write` and `parse`, and native code the same."""
    wanted = []
    for relation in spans:
        sentence, left_out = with_tags(TEXT, relation)
        if left_out:
            with pytest.raises(UnreadError, match="overlap"):
                tags.apply_tagging(relation, LENGTH, reading)
            wanted.append(sorted(relation))
        else:
            assert tags.parse(sentence)[1] == tags.apply_tagging(relation, LENGTH, "strict")
            wanted.append(tags.parse(sentence, reading)[1])
            assert tags.apply_tagging(relation, LENGTH, reading) == wanted[-1]
    rows = rows_of([spans[:1], spans[1:]], LENGTH)
    before = rows.values.copy()
    found, n_as_given = official.apply_tagging(rows, reading, 3)
    unchecked = official.apply_tagging(rows, reading)[0]
    assert all(map(np.array_equal, found.arrays(), unchecked.arrays()))
    assert as_relations(found) == wanted
    assert n_as_given == sum(bool(with_tags(TEXT, relation)[1]) for relation in spans)
    found.check("found", 3)
    assert found.tags == reading
    assert np.array_equal(rows.values, before)


def test_what_stays_is_not_copied():
    rows = rows_of([[[(0, 0, 2), (2, 1, 2), (1, 3, 5)]]])
    assert official.apply_tagging(rows, "cnc-2023")[0].values is rows.values


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("field", ["values", "row_offsets", "relation_offsets"])
def test_wrong_rows_are_found_while_they_are_read(side, field):
    """Any wrong number gives the same message as under a protocol that reads no tags."""
    right = rows_of([[[(0, 0, 2), (1, 2, 3)], [(0, 1, 2), (2, 3, 4), (2, 3, 6)]], [[(0, 4, 5)]]])
    numbers = getattr(right, field)
    for place in np.ndindex(numbers.shape):
        for number in (-(2**31), -1, 0, 3, 7, 2**31 - 1):
            wrong = numbers.copy()
            wrong[place] = number
            sides = [right, right]
            sides[side] = replace(right, **{field: wrong})
            said = []
            for protocol in ("recess", "cnc-2023"):
                try:
                    fc.score(*sides, protocol)
                except fc.InputError as error:
                    said.append(str(error))
            assert said[:1] == said[1:]


@trials(20)
@given(st.lists(st.lists(relations(LENGTH), max_size=3), min_size=2, max_size=9), st.data())
def test_blocks_are_read_while_they_are_counted(spans, data):
    """Reading tags by blocks and threads counts like a pass of its own before counting."""
    times = 600 // len(spans)
    gold, pred = (
        rows_of(side * times, LENGTH) for side in (spans, data.draw(st.permutations(spans)))
    )
    tagged = [official.apply_tagging(side, "cnc-2023") for side in (gold, pred)]
    wanted = fc.score(*(rows for rows, _ in tagged), "cnc-2023")
    for n in (1, 2):
        report = fc.score(gold, pred, "cnc-2023", num_threads=n)
        assert numbers(report) == numbers(wanted)
        as_given = sum(n for _, n in tagged)
        told = f"tags:as-given: {as_given} relations are used as they are"
        assert any(told in warning for warning in report.warnings) == bool(as_given)


# One relation each: one word, adjacent words, one within the other, overlapping, many of a role.
RELATIONS = [
    [(0, 1, 2), (1, 4, 6)],
    [(0, 1, 2), (1, 2, 3), (2, 3, 4)],
    [(0, 1, 8), (1, 3, 4), (2, 5, 6)],
    [(1, 2, 6), (0, 4, 9), (2, 0, 1), (2, 7, 9)],
    [(0, 0, 1), (0, 3, 4), (1, 6, 7), (1, 9, 12), (2, 4, 5), (2, 12, 14)],
]
ROLES = ("cause", "effect", "signal")


def example(name, relations):
    found = []
    for relation in relations:
        by_role = {}
        for role, start, stop in relation:
            by_role.setdefault(ROLES[role], []).append((start, stop))
        found.append(by_role)
    return {"id": name, "text": TEXT, "length": LENGTH, "relations": found}


GOLD = [
    example("a", RELATIONS[:1]),
    example("b", RELATIONS[1:3]),
    example("c", RELATIONS[3:]),
    example("d", [[(0, 1, 3), (1, 5, 6), (2, 4, 5)]]),
]
PRED = [
    example("a", RELATIONS[1:2]),
    example("b", [RELATIONS[2], RELATIONS[0]]),
    example("c", [RELATIONS[4], RELATIONS[0]]),
    example("d", [[(0, 1, 2), (1, 5, 6)]]),
]


def tagged(examples, texts=None):
    """The same as tagged sentences."""
    found = []
    for e, text in zip(examples, texts or [TEXT] * len(examples), strict=True):
        relations = [
            [(ROLES.index(role), *span) for role, spans in relation.items() for span in spans]
            for relation in e["relations"]
        ]
        found.append([with_tags(text, relation)[0] for relation in relations])
    return found


def numbers(report):
    return {group: dict(scores) for group, scores in report.scores.items()}


def official_report(protocol, gold=GOLD, pred=PRED):
    gold, pred = (fc.read(tagged(side), tags=protocol) for side in (gold, pred))
    return fc.score(gold, pred, protocol)


def strict(side):
    return fc.Relations.from_examples(side)


def written(side, path):
    fc.write(strict(side), path)
    return path


FORMS = {
    "dicts": lambda side, folder: side,
    "Relations": lambda side, folder: strict(side),
    "Arrow": lambda side, folder: strict(side).table,
    "Rows": lambda side, folder: Rows.of(strict(side)),
    "jsonl": lambda side, folder: written(side, folder / f"{id(side)}.jsonl"),
    "Parquet": lambda side, folder: written(side, folder / f"{id(side)}.parquet"),
    "bio": lambda side, folder: written(side, folder / f"{id(side)}.bio"),
    "tagged": lambda side, folder: fc.read(tagged(side)),
    "tagged without sentences": lambda side, folder: fc.Relations(
        fc.read(tagged(side)).table.drop_columns(["tagged"])
    ),
}


@pytest.mark.parametrize("protocol", OFFICIAL)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_number_of_tagged_sentences(form, protocol, tmp_path):
    gold, pred = (FORMS[form](side, tmp_path) for side in (GOLD, PRED))
    wanted = official_report(protocol)
    for backend in BACKENDS:
        report = fc.score(gold, pred, protocol, backend=backend)
        assert numbers(report) == numbers(wanted)
        assert report.signature == wanted.signature
    perfect = fc.score(gold, gold, protocol)["overall"]
    assert (perfect.precision, perfect.recall, perfect.f1) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("form", ["dicts", "Relations", "bio", "jsonl", "tagged"])
def test_forms_of_both_sides_may_differ(form, tmp_path):
    pred = FORMS[form](PRED, tmp_path)
    wanted = numbers(official_report("cnc-2023"))
    for gold in (strict(GOLD), fc.read(tagged(GOLD)), fc.read(tagged(GOLD), tags="cnc-2023")):
        assert numbers(fc.score(gold, fc.read(pred), "cnc-2023")) == wanted
    scorer = fc.ExtractionScorer("cnc-2023")
    for k in range(len(GOLD)):
        scorer.update(gold=GOLD[k : k + 1], pred=PRED[k : k + 1])
    assert numbers(scorer.compute()) == wanted


def test_the_device(tmp_path):
    wanted = official_report("cnc-2023")
    with emulated.instead():
        report = fc.score(GOLD, PRED, "cnc-2023", backend="cuda")
    assert numbers(report) == numbers(wanted)


def test_spans_that_tags_cannot_hold():
    """No tagged sentence can hold two causes that overlap; signature and warning report it."""
    side = [example("a", [[(0, 0, 4), (0, 2, 6), (1, 7, 8)], RELATIONS[0]])]
    report = fc.score(side, side, "cnc-2023")
    assert "|tags:as-given|" in report.signature
    assert report.warnings[0] == (
        "tags:as-given: 2 relations are used as they are: tags cannot hold them, "
        "or were read otherwise than cnc-2023 reads them"
    )
    alone = [example("a", [[(0, 0, 4), (0, 2, 6)]])]
    assert "|tags:as-given|" in fc.score(alone, alone, "cnc-2023").signature
    one = fc.ExtractionScorer("cnc-2023")
    one.update(gold=GOLD, pred=GOLD)
    other = fc.ExtractionScorer("cnc-2023")
    other.update(gold=side, pred=side)
    assert "|tags:as-given|" not in one.signature
    one.merge(other)
    assert one.signature == other.signature
    assert one.tally.totals.n_as_given == 2


@pytest.mark.parametrize("protocol", OFFICIAL)
def test_roles_without_tags(protocol):
    spans = [{"length": 5, "relations": [{"reason": (0, 1), "effect": (2, 3)}]}]
    side = fc.Relations.from_examples(spans, roles=("reason", "effect"))
    report = fc.score(side, side, protocol)
    assert "|tags:as-given|" in report.signature
    assert "gold has roles that no tags exist for: reason, effect" in report.warnings
    fewer = fc.Relations.from_examples(
        [{"length": 5, "relations": [{"cause": (0, 1), "effect": (2, 3)}]}], ("cause", "effect")
    )
    assert "|tags:as-given|" not in fc.score(fewer, fewer, protocol).signature


@pytest.mark.parametrize("tags", OFFICIAL)
def test_recess_reads_nothing(tags):
    report = fc.score(GOLD, PRED)
    rows = [Rows.of(strict(side)) for side in (GOLD, PRED)]
    assert numbers(fc.score(*rows)) == numbers(report)
    assert report.warnings == ()


# ------------------------------------------------------------------------------------- label ids


def written_out(ids, kept):
    """Sequences of label ids as tagged sentences."""
    examples = SCHEME.rows(ids, kept).to_relations().to_examples()
    return tagged(examples, [" ".join("x" * e["length"]) for e in examples])


@trials(60)
@given(st.lists(batches(), max_size=3))
def test_label_ids(pairs):
    """Label ids score like tagged sentences, on the host and on the device."""
    wanted = fc.ExtractionScorer("cnc-2023")
    for gold, pred in pairs:
        both = (written_out(side, gold != IGNORED) for side in (gold, pred))
        one, other = (fc.read(side, tags="cnc-2023") for side in both)
        wanted.update(gold=one, pred=other)
    for backend in ("cpu", "cuda"):
        with emulated.instead():
            scorer = fc.TagScorer(SCHEME, "cnc-2023", backend=backend)
            for gold, pred in pairs:
                scorer.update(gold=gold, pred=pred)
            assert numbers(scorer.compute()) == numbers(wanted.compute())

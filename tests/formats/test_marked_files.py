"""Marked files of drawn projects: each tool's as the oracle reads them, all tools alike.

A project is determined by its number, which a failure names.
"""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest

import fastcausal as fc
from tests.oracles import drawn_marks, marks
from tests.support.profiles import trials

from .test_drawn_marks import FILES, counted

pytestmark = pytest.mark.drawn


def settings(options, kind):
    """The options other than the defaults, as fc.read takes them."""
    given = {
        name: value for name, value in options._asdict().items()
        if value != getattr(marks.Options(), name)
    }  # fmt: skip
    if "link" in given:
        given["link"] = [
            name if (source, target) == ("cause", "effect") else f"{name}={source}>{target}"
            for name, source, target in options.link
        ]
    if kind != "brat":
        given.pop("trigger", None)
    return given


def expected(found):
    return [(e.id, e.text, len(e.tokens), counted(e.relations)) for e in found]


def given(relations):
    """The same of what fastcausal read."""
    rows = relations.to_examples()
    if "types" in relations.table.column_names:
        types = relations.table["types"].to_pylist()
    else:
        types = [[None] * len(row["relations"]) for row in rows]
    found = []
    for row, kinds in zip(rows, types, strict=True):
        sets = [
            one and (kind, {role: {t for a, b in spans for t in range(a, b)}
                            for role, spans in one.items() if role != "type"})
            for one, kind in zip(row["relations"], kinds, strict=True)
        ]  # fmt: skip
        found.append((row["id"], row["text"], row["length"], counted(sets)))
    return found


def plain(rows, kind, example):
    """Rows without what a tool leaves open: its name of a document, blanks between its tokens."""
    exact = kind not in ("webanno-tsv", "xmi", "prodigy")
    named = exact or kind == "prodigy" or example != "document"
    return [
        (id * named, text.strip(marks.BLANKS) if exact else "".join(text.split()), n, relations)
        for id, text, n, relations in rows
    ]


def drawn_files(number, kind, folder):
    """Return the options of a drawn project, its path, and what the oracle reads of it."""
    rng = random.Random(number)
    words = rng.choice(("blank", "letters"))
    options = drawn_marks.options(rng, words)
    if kind in FILES:
        own = "line" if kind == "brat" else "sentence"
        options = options._replace(example=rng.choice((None, own, "document", "document")))
    found = []
    while not found or (kind not in FILES and len(found) < 3):
        one = drawn_marks.project(rng, words, richly=kind == "brat")
        if kind != "webanno-tsv" or not one.is_crossed:
            found.append(one)
    path = drawn_marks.write(folder, kind, found, words, rng)
    return options, path, marks.READERS[kind]


@pytest.mark.parametrize("kind", marks.READERS)
def test_each_tool(kind, tmp_path):
    for number in range(trials(500).max_examples):
        options, path, read = drawn_files(number, kind, tmp_path / str(number) / "amy")
        of_read = settings(options, kind)
        try:
            wanted = expected(read(path, options))
        except marks.Unsettled:
            continue
        except marks.Cut:
            with pytest.raises(fc.InputError, match=r"letters|cuts the given token"):
                fc.read(path, **of_read)
            continue
        found = given(fc.read(path, **of_read))
        assert plain(found, kind, options.example) == plain(wanted, kind, options.example), (
            number, path, of_read,
        )  # fmt: skip


def test_all_tools_alike(tmp_path):
    for number in range(10_000, 10_000 + trials(300).max_examples):
        rng = random.Random(number)
        words = rng.choice(("blank", "letters"))
        options = drawn_marks.options(rng, words)
        project = drawn_marks.project(rng, words, richly=False)
        rows = {}
        for kind in marks.READERS:
            if kind == "webanno-tsv" and project.is_crossed:
                continue
            if kind == "brat" and options.link and None in {type for type, *_ in project.links}:
                continue  # a link has a name there
            path = drawn_marks.write(
                tmp_path / f"{number}{kind}" / "amy", kind, [project], words, rng
            )
            whole = options._replace(example="document") if kind in FILES else options
            try:
                marks.READERS[kind](path, whole)
            except (marks.Unsettled, marks.Cut):
                continue
            rows[kind] = given(fc.read(path, **settings(whole, kind)))
        first = next(iter(rows), None)
        for kind, (row,) in rows.items():
            assert row[2:] == rows[first][0][2:], (number, first, kind)


def drawn_relations(rng, tokens, kind):
    """Relations of one cause and one effect, some with a signal and a type, for fc.read."""
    found = []
    for _ in range(rng.randint(0, 3)):
        one = {}
        for role in ("cause", "effect", "signal"):
            if role != "signal" or rng.random() < 0.4:
                first = rng.randrange(len(tokens))
                last = min(first + rng.randint(0, 3), len(tokens) - 1)
                one[role] = {"start": tokens[first][0], "stop": tokens[last][1]}
        if kind == "brat" and "signal" in one and rng.random() < 0.3:
            del one[rng.choice(("cause", "effect"))]  # an event
        type = rng.choice((None, "enables", "prevents", "leads_to"))
        found.append(one | ({"type": type} if type else {}))
    return found


@pytest.mark.parametrize("kind", ["brat", "doccano", "label-studio"])
def test_the_oracle_reads_what_is_written(kind, tmp_path):
    names = {"brat": "d.ann", "doccano": "amy.jsonl", "label-studio": "d.json"}
    for number in range(20_000, 20_000 + trials(200).max_examples):
        rng = random.Random(number)
        words = rng.choice(("blank", "letters"))
        rows = []
        for k in range(rng.randint(1, 3)):
            text = drawn_marks.line(rng)
            relations = drawn_relations(rng, marks.cut(text, words), kind)
            rows.append({"id": f"d:{k + 1}", "text": text, "relations": relations})
        relations = fc.read(rows, format="spans", words=words)
        folder = tmp_path / str(number)
        folder.mkdir()
        path = folder / names[kind]
        fc.write(relations, path, format=kind)
        if kind == "label-studio":  # predictions, which annotators have accepted
            tasks = json.loads(path.read_text())
            path.write_text(json.dumps([
                task | {"annotations": task["predictions"], "predictions": []} for task in tasks
            ]))  # fmt: skip
        options = marks.Options(words=words)
        found = [
            (id, n, Counter({one and (None if one[0] == "Causes" else one[0], *one[1:]): k
                             for one, k in kept.items()}))
            for id, _, n, kept in expected(marks.READERS[kind](path, options))
        ]  # fmt: skip
        assert found == [(id, n, kept) for id, _, n, kept in given(relations)], (number, path)


def test_annotators_with_tools_of_their_own(tmp_path):
    """Four tools number one text each on its own; agreement joins them by the text."""
    n_agreed = 0
    for number in range(30_000, 30_000 + trials(40).max_examples):
        rng = random.Random(number)
        project = drawn_marks.project(rng, "blank", richly=False)
        options = marks.Options(example="document", lone="keep")
        sources, rows = {}, {}
        for kind in ("doccano", "label-studio", "webanno-tsv", "prodigy"):
            if kind == "webanno-tsv" and project.is_crossed:
                continue
            folder = tmp_path / str(number) / kind
            sources[kind] = drawn_marks.write(folder, kind, [project], "blank", rng)
            try:
                (rows[kind],) = marks.READERS[kind](sources[kind], options)
            except (marks.Unsettled, marks.Cut):
                break
        if len(rows) < len(sources) or not rows["doccano"].relations:
            continue
        if None in rows["doccano"].relations:
            continue
        n_agreed += 1
        report = fc.agree(sources, join="text", example="document", lone="keep")
        assert (report["total"].em, report.facts["n_examples"]) == (1.0, 1), number
    assert n_agreed

"""Annotation projects in folders: the annotator of each file, and the documents in common."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fastcausal as fc
from fastcausal.tasks.check.guidelines import check
from tests.support.cas import new_layout
from tests.support.cli import cli

DOCUMENTS = 7
ANNOTATORS = ("amy", "ben", "cid")
WORDS = 12  # of a sentence: "w0 w1 w2 ..." so that a word tells its place


def sentences(source: random.Random) -> list[list[dict[str, tuple[int, int]]]]:
    """The relations of each sentence of a document, of three spans apart from each other."""
    found = []
    for least in (1, 0, 0):
        rows = []
        for _ in range(source.randint(least, 2)):
            cuts = sorted(source.sample(range(WORDS + 1), 6))
            spans = list(zip(cuts[::2], cuts[1::2], strict=True))
            source.shuffle(spans)
            rows.append(dict(zip(("cause", "effect", "signal"), spans, strict=True)))
        found.append(rows)
    return found


@pytest.fixture
def project(tmp_path) -> Path:
    """Folders of brat files, and the same as WebAnno files with and without metadata."""
    source = random.Random(7)
    for document in map("doc{}".format, range(DOCUMENTS)):
        for name in ANNOTATORS:
            relations = fc.Relations.from_examples(
                {"text": " ".join(f"w{k}" for k in range(WORDS)), "relations": rows}
                for rows in sentences(source)
            )
            folder = tmp_path / "brat" / name
            folder.mkdir(parents=True, exist_ok=True)
            fc.write(relations, folder / f"{document}.ann")
            for kind, meta in (
                ("named", {"documentTitle": document, "documentId": name}),
                ("bare", {}),
            ):
                path = tmp_path / kind / document / f"{name}.json"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(json.dumps(as_cas(folder / f"{document}.ann", meta)))
    return tmp_path


def as_cas(path: Path, meta: dict[str, str]) -> dict[str, object]:
    """A brat file in the layout of WebAnno."""
    text = path.with_suffix(".txt").read_text()
    numbers, marks, links = {}, [], []
    for line in path.read_text().splitlines():
        name, what, *_ = line.split("\t")
        kind, first, second = what.split()
        if name.startswith("T"):
            numbers[name] = len(marks)
            marks.append((kind, int(first), int(second)))
        else:
            links.append(tuple(numbers[end.partition(":")[2]] for end in (first, second)))
    lines = text.splitlines()
    starts = [sum(len(before) + 1 for before in lines[:k]) for k in range(len(lines))]
    bounds = [(start, start + len(line)) for start, line in zip(starts, lines, strict=True)]
    return new_layout(text=text, marks=marks, links=links, sentences=bounds, meta=meta)


@cache
def by_hand(project: Path) -> dict[str, fc.Relations]:
    """The tables of each annotator's documents, one below the other."""
    return {
        name: fc.Relations(
            pa.concat_tables(
                fc.read(project / "brat" / name / f"doc{k}.ann").table.drop_columns(["annotator"])
                for k in range(DOCUMENTS)
            )
        )
        for name in ANNOTATORS
    }


LAYOUTS = {
    "folders of annotators": lambda p: [p / "brat" / name for name in ANNOTATORS],
    "files of annotators": lambda p: sorted((p / "brat").glob("*/*.ann")),
    "files in any order": lambda p: sorted((p / "brat").glob("*/*.ann"), key=lambda f: f.name),
    "a folder and files": lambda p: [
        p / "brat/amy", *sorted(p.glob("brat/ben/*.ann")), p / "brat/cid"],
    "the folder of all": lambda p: [p / "brat"],
    "webanno folders of documents": lambda p: [p / "named" / f"doc{k}" for k in range(DOCUMENTS)],
    "webanno files": lambda p: sorted((p / "named").glob("*/*.json")),
    "a webanno project": lambda p: [p / "named"],
    "a webanno project without metadata": lambda p: [p / "bare"],
}  # fmt: skip


@pytest.mark.parametrize(
    "protocol", ["recess", pytest.param("recess-code", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_project_gives_the_numbers_of_the_tables_joined_by_hand(project, layout, protocol):
    expected = fc.agree(by_hand(project), protocol)
    sources = LAYOUTS[layout](project)
    found = fc.agree(sources, protocol)
    assert found.to_dict() == expected.to_dict()
    assert found.annotators == ANNOTATORS
    assert not any("annotator" in name for name in found.per_example.column_names)
    assert {pair.n_examples + pair.n_unmarked for pair in found.pairs} == {3 * DOCUMENTS}
    out, _ = cli("agree", *sources, "--protocol", protocol, "--json")
    assert json.loads(out) == json.loads(json.dumps(expected.to_dict()))


def test_tables_with_the_column_are_joined_like_files(project, tmp_path):
    expected = fc.agree(project / "brat").to_dict()
    tables = [fc.read(path) for path in sorted((project / "brat").glob("*/*.ann"))]
    assert fc.agree(tables).to_dict() == expected
    assert fc.agree([t.table for t in tables]).to_dict() == expected
    half = len(tables) // 2
    for k, part in enumerate((tables[:half], tables[half:])):
        whole = pa.concat_tables([t.table for t in part])
        pq.write_table(whole, tmp_path / f"{k}.parquet")  # ids of several annotators
    assert fc.agree([tmp_path / "0.parquet", tmp_path / "1.parquet"]).to_dict() == expected


def test_a_folder_is_one_source(project):
    expected = by_hand(project)
    for name in ANNOTATORS:
        folder = project / "brat" / name
        for found in (fc.read(folder), fc.read(str(folder), "brat")):
            assert found.table.drop_columns(["annotator"]).equals(expected[name].table)
            assert set(found.table["annotator"].to_pylist()) == {name}
    mapped = fc.agree({name: project / "brat" / name for name in ANNOTATORS})
    assert mapped.to_dict() == fc.agree(expected).to_dict()
    one, other = project / "brat/amy", project / "brat/ben"
    assert fc.score(one, other).scores == fc.score(fc.read(one), fc.read(other)).scores


def test_a_folder_is_checked_file_by_file(project):
    files = sorted((project / "brat" / "amy").glob("*.ann"))
    named = sorted((project / "named").glob("*/*.json"))
    for folder, wanted in ((project / "brat" / "amy", files), (project / "named", named)):
        report = check(folder)
        assert report.to_dict() == check(wanted).to_dict()
        assert report.n_files == len(wanted)
        assert json.loads(cli("check", folder, "--json")[0]) == report.to_dict()


def test_files_of_a_folder_that_do_not_count(project):
    expected = fc.agree(project / "named").to_dict()
    cas = (project / "named/doc0/amy.json").read_text()
    for name in (".hidden.json", "_x.json", "INITIAL_CAS.json", "notes.txt"):
        (project / "named" / "doc0" / name).write_text(cas)
    assert fc.agree(project / "named").to_dict() == expected
    (project / "brat/amy/settings.json").write_text("{}")
    assert len(fc.read(project / "brat" / "amy")) == 3 * DOCUMENTS
    (project / "named" / "doc0" / "project.json").write_text("{}")
    with pytest.raises(fc.InputError, match=r"project\.json: expected UIMA CAS JSON"):
        fc.agree(project / "named")


def test_folders_that_cannot_be_read(project, tmp_path):
    with pytest.raises(fc.InputError, match=r'ben/doc0\.ann: document "doc0" is also in .*amy/doc'):
        fc.read(project / "brat")
    fc.write(fc.read(project / "brat/amy"), project / "brat/amy/all.parquet")
    with pytest.raises(fc.InputError, match="amy: a directory with parquet and brat files"):
        fc.read(project / "brat/amy")
    with pytest.raises(fc.InputError, match=r"doc0: .* without a file that ends in \.ann$"):
        fc.read(project / "bare/doc0", "brat")
    with pytest.raises(fc.InputError, match=r'1 annotator, .*: all examples are of "ben"'):
        fc.agree([project / "brat/ben"])
    twice = [project / "brat/amy/doc0.ann", project / "brat/ben", project / "brat/ben/doc1.ann"]
    with pytest.raises(fc.InputError, match='annotator "ben": id "doc1:1" occurs twice'):
        fc.agree(twice)
    fc.write(fc.read(project / "brat/amy/doc0.ann"), tmp_path / "ben.bio")
    with pytest.raises(fc.InputError, match="two annotators have the same name: ben"):
        fc.agree([project / "brat/ben", tmp_path / "ben.bio"])


# --------------------------------------------------------------------------- nothing in common


def one(text="a b c", **columns):
    example = {"text": text, "relations": [{"cause": (0, 1), "effect": (2, 3)}]}
    return fc.Relations.from_examples([example | columns])


def test_nothing_in_common_is_refused():
    sides = {"amy": one(id="amy:1"), "ben": one(id="ben:1"), "cid": one(id="cid:1")}
    with pytest.raises(fc.InputError) as caught:
        fc.agree(sides)
    assert str(caught.value) == (
        'no two annotators have an example of the same id: amy has 1 ("amy:1"), ben has 1 '
        '("ben:1"), cid has 1 ("cid:1"); an id in documents is the document\'s name and the '
        'number of the sentence; 1 of 1 texts are the same; join="text" would join them'
    )
    sides["cid"] = one(id="amy:1")
    found = fc.agree(sides)
    assert found["cause"].em == 1
    assert [w for w in found.warnings if "all is undefined" in w] == [
        "amy / ben: nothing to compare in 0 common examples, all is undefined",
        "ben / cid: nothing to compare in 0 common examples, all is undefined",
    ]


def test_nothing_marked_is_told():
    nothing = fc.Relations.from_examples([{"id": "a", "length": 3, "relations": []}])
    assert fc.agree({"amy": nothing, "ben": nothing}).warnings == (
        "amy / ben: nothing to compare in 1 common examples, all is undefined",
    )


def test_folders_of_annotators_without_metadata_do_not_join(project, tmp_path):
    """Folders by annotator are taken for documents; without any in common, this is an error."""
    for name in ANNOTATORS[:2]:
        (tmp_path / "flat" / name).mkdir(parents=True)
        for k in range(2):
            cas = (project / f"bare/doc{k}/{name}.json").read_text()
            (tmp_path / "flat" / name / f"doc{k}.json").write_text(cas)
    with pytest.raises(fc.InputError, match=r'doc0 has 3 \("amy:1", |id "amy:1" occurs'):
        fc.agree([tmp_path / "flat/amy/doc0.json", tmp_path / "flat/ben/doc1.json"])


def test_the_first_of_equal_matches_is_the_first_link(tmp_path):
    """The published program takes it: one of two effects fits the single relation half as well."""
    text = "a b c d e f g h"
    at = lambda start, stop: (2 * start, 2 * stop - 1)  # noqa: E731
    amy = {"marks": [("Cause", *at(0, 1)), ("Effect", *at(4, 5))], "links": [(0, 1)]}
    ben = {
        "marks": [("Cause", *at(0, 1)), ("Effect", *at(6, 7)),
                  ("Cause", *at(2, 3)), ("Effect", *at(4, 5))],
    }  # fmt: skip
    for links, cause, effect in (([(0, 1), (2, 3)], 0.5, 0.0), ([(2, 3), (0, 1)], 0.0, 0.5)):
        for name, side in (("amy", amy), ("ben", ben | {"links": links})):
            meta = {"documentTitle": "d", "documentId": name}
            cas = new_layout(text=text, sentences=[(0, len(text))], meta=meta, **side)
            (tmp_path / f"{name}.json").write_text(json.dumps(cas))
        found = fc.agree([tmp_path / "amy.json", tmp_path / "ben.json"], "recess-code")
        assert (found["cause"].em, found["effect"].em) == (cause, effect)

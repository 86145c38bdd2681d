"""An annotation lead: three annotators in a tool's export, one command from file to alpha."""

from __future__ import annotations

import csv
import json
import random
import re

import pytest

import fastcausal as fc
from tests.support import projects
from tests.support.cli import cli
from tests.support.projects import Marked
from tests.support.zips import packed

ANNOTATORS = ("amy", "ben", "cid")
DOCUMENTS = 40
ROLES = ("Cause", "Effect", "Signal")


def marked(source, text):
    """A relation of three spans: a random one, or the first words."""
    words = [match.span() for match in re.finditer(r"\S+", text)]
    cuts = sorted(source.sample(range(len(words) + 1), 6)) if source.random() < 0.3 else range(6)
    spans = [
        (role, words[a][0], words[b - 1][1])
        for role, a, b in zip(ROLES, cuts[::2], cuts[1::2], strict=True)
    ]
    return Marked(text, tuple(spans), ((0, 1), (2, 1)))


@pytest.fixture(scope="module")
def project():
    """{document: {annotator: her marks}}; documents of one line, which task tools show as well."""
    source = random.Random(5)
    text = "Heavy rain 😀 caused floods in the [old] town ."
    return {
        f"doc{k}.txt": {name: marked(source, f"{text} {k}") for name in ANNOTATORS}
        for k in range(DOCUMENTS)
    }


@pytest.fixture(scope="module")
def by_hand(project):
    """The relations that were marked, in words; no reader is asked."""
    sides = {}
    for name in ANNOTATORS:
        examples = []
        for document, sides_of in project.items():
            text, spans, _ = sides_of[name]
            starts = [match.start() for match in re.finditer(r"\S+", text)]
            relation = {
                role.lower(): [(starts.index(a), starts.index(a) + len(text[a:b].split()))]
                for role, a, b in spans
            }
            examples.append({"id": document, "text": text, "relations": [relation]})
        sides[name] = fc.Relations.from_examples(examples)
    return fc.agree(sides)


def brat(project, folder):
    for document, sides in project.items():
        for name, one in sides.items():
            target = folder / "brat" / name
            target.mkdir(parents=True, exist_ok=True)
            (target / document).with_suffix(".ann").write_text(projects.brat(one))
            (target / document).write_text(one.text)
    return folder / "brat"


def table(project, folder):
    path = folder / "all.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["annotator", "id", "text", "cause", "effect", "signal"])
        for document, sides in project.items():
            for name, (text, spans, _) in sides.items():
                rows.writerow([name, document, text, *(text[a:b] for _, a, b in spans)])
    return [path]


def of_tasks(project, name):
    return {document: sides[name] for document, sides in project.items()}


def zipped(kind, inner):
    def export(project, folder):
        (folder / "project.zip").write_bytes(projects.project(project, kind, inner))
        return [folder / "project.zip"]

    return export


def doccano(project, folder):
    files = {f"{name}.jsonl": projects.doccano(of_tasks(project, name)) for name in ANNOTATORS}
    (folder / "x.zip").write_bytes(packed({n: data.encode() for n, data in files.items()}))
    return [folder / "x.zip"]


def label_studio(project, folder):
    (folder / "x.json").write_text(projects.label_studio(project))
    return [folder / "x.json"]


EXPORTS = {
    "brat, a folder": lambda p, f: [brat(p, f)],
    "brat, folders": lambda p, f: [brat(p, f) / name for name in ANNOTATORS],
    "brat, all files": lambda p, f: sorted(brat(p, f).glob("*/*.ann")),
    "INCEpTION, JSON": zipped("json", inner=False),
    "INCEpTION, zips of XMI": zipped("xmi", inner=True),
    "WebAnno, TSV": zipped("tsv", inner=False),
    "doccano": doccano,
    "Label Studio": label_studio,
    "a table": table,
}


@pytest.mark.parametrize(
    "tool", [pytest.param(t, marks=pytest.mark.slow if "XMI" in t else ()) for t in EXPORTS]
)
def test_one_command_from_an_export_to_alpha(project, by_hand, tmp_path, tool):
    sources = EXPORTS[tool](project, tmp_path)
    out, _ = cli("agree", *sources, "--json")
    found = json.loads(out)
    assert len(found["annotators"]) == 3
    assert found["scores"] == json.loads(by_hand.to_json())["scores"]
    assert fc.agree(sources)["total"] == by_hand["total"]
    if tool != "a table":
        checked = json.loads(cli("check", *sources, "--json", expect=None)[0])
        assert checked["n_examples"] == 3 * DOCUMENTS


def test_two_annotators_of_forty_documents(project, by_hand, tmp_path):
    """`agree brat/amy/*.ann brat/ben/*.ann` gives the agreement of both annotators."""
    folder = brat(project, tmp_path)
    files = sorted([*folder.glob("amy/*.ann"), *folder.glob("ben/*.ann")])
    found = json.loads(cli("agree", *files, "--json")[0])
    assert found["annotators"] == ["amy", "ben"]
    pairs = {(pair["a"], pair["b"]): pair for pair in json.loads(by_hand.to_json())["pairs"]}
    assert found["scores"] == pairs["amy", "ben"]["scores"]

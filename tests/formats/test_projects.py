"""Exports of annotation tools: one annotation reads alike from each, alone, in folders and zips."""

from __future__ import annotations

import html
import io
import json
import random
import re
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import formats
from fastcausal.errors import InputNotice
from fastcausal.formats.annotation import webanno_tsv
from tests.support import projects
from tests.support.cli import cli
from tests.support.profiles import trials
from tests.support.projects import Marked
from tests.support.zips import HOSTILE, packed

LABELS = ("Cause", "Effect", "Signal", "Cause", "Effect", "cause")
LINKS = ((0, 1), (2, 1), (3, 4), (5, 4))
WORDS = [
    "rain",
    "a",
    "|",
    "[1]",
    "_",
    "*",
    "->",
    "\\",
    ";",
    "😀",
    "é|_",
    "x\\n",
    "floods",
    "-",
    "#Text=",
]


@st.composite
def marked_texts(draw, most_lines=3):
    lines = draw(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8),
                          min_size=1, max_size=most_lines))  # fmt: skip
    text = "\n".join(map(" ".join, lines))
    spans, words = [], []
    for match in re.finditer(r"[^\n]+", text):
        words.append([(match.start() + w.start(), match.start() + w.end())
                      for w in re.finditer(r"\S+", match[0])])  # fmt: skip
    for _ in range(draw(st.integers(0, 6))):
        line = draw(st.sampled_from(words))
        first, last = sorted(draw(st.tuples(*[st.integers(0, len(line) - 1)] * 2)))
        span = (draw(st.sampled_from(LABELS)), line[first][0], line[last][1])
        spans += [span] if span not in spans else []
    numbers = st.integers(0, max(0, len(spans) - 1))
    links = draw(st.lists(st.tuples(numbers, numbers), max_size=5, unique=True)) if spans else []
    return Marked(text, tuple(spans), tuple((a, b) for a, b in links if a != b))


def summary(relations):
    """Return texts, lengths and sorted relations, without types, which not every file has."""
    return [
        (e["text"], e["length"], sorted(repr(r and {**r, "type": None}) for r in e["relations"]))
        for e in relations.to_examples()
    ]


@trials(60)
@given(marked_texts())
def test_one_annotation_reads_alike_from_each_tool(tmp_path_factory, marked):
    folder = tmp_path_factory.mktemp("amy")
    for name, data in (
        ("x.ann", projects.brat(marked)), ("x.txt", marked.text),
        ("x.json", projects.cas_json(marked)), ("x.tsv", projects.tsv(marked)),
        ("slots.tsv", projects.tsv(marked, "3.2", slots=True)),
        ("x.xmi", projects.xmi(marked)), ("TypeSystem.xml", projects.TYPE_SYSTEM),
    ):  # fmt: skip
        (folder / name).write_text(data, newline="")
    expected = summary(fc.read(folder / "x.json"))
    for name in ("x.ann", "x.tsv", "slots.tsv", "x.xmi"):
        assert summary(fc.read(folder / name)) == expected, name


@trials(60)
@given(marked_texts(most_lines=1))
def test_one_annotation_reads_alike_from_tools_of_tasks(tmp_path_factory, marked):
    folder = tmp_path_factory.mktemp("amy")
    (folder / "x.json").write_text(projects.cas_json(marked))
    expected = summary(fc.read(folder / "x.json"))
    sides = {7: {"amy": marked}}
    for name, data in (
        ("amy.jsonl", projects.doccano({7: marked})),
        ("wide.json", projects.label_studio(sides)),
        ("narrow.json", projects.label_studio(sides, wide=False)),
        ("amy2.jsonl", projects.prodigy({7: marked}, "amy")),
    ):
        (folder / name).write_text(data)
        found = fc.read(folder / name)
        assert summary(found) == expected, name
        assert found.ids.to_pylist() == ["7"]
        assert found.table["annotator"].to_pylist()[0].partition("@")[0] == "amy"


# --------------------------------------------------------------------------- projects


def documents(n=4, annotators=("amy", "ben", "cid")):
    """The same texts, marked by each annotator in her own way."""
    source = random.Random(3)
    found = {}
    for k in range(n):
        words = [f"w{i}" for i in range(12)]
        text = " ".join(words) + "\n" + " ".join(words)
        at = [m.span() for m in re.finditer(r"\S+", text)]
        found[f"doc{k}.txt"] = {}
        for name in annotators:
            spans = []
            for line in (0, 12):
                cuts = sorted(source.sample(range(13), 6))
                ends = list(zip(cuts[::2], cuts[1::2], strict=True))
                spans += [(label, at[line + a][0], at[line + b - 1][1])
                          for label, (a, b) in zip(LABELS, ends, strict=False)]  # fmt: skip
            found[f"doc{k}.txt"][name] = Marked(
                text, tuple(spans), ((0, 1), (2, 1), (3, 4), (5, 4))
            )
    return found


def by_hand(marked, tmp_path):
    """The relations of each annotator, through brat files."""
    for document, sides in marked.items():
        for name, one in sides.items():
            folder = tmp_path / "hand" / name
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{document}.ann").write_text(projects.brat(one))
            (folder / f"{document}.txt").write_text(one.text)
    return fc.agree(tmp_path / "hand").to_dict()


@pytest.mark.parametrize("inner", [False, True], ids=["plain", "zips inside"])
@pytest.mark.parametrize("kind", ["json", "tsv", "xmi"])
def test_exported_projects(tmp_path, kind, inner):
    if kind == "xmi" and not inner:
        pytest.skip("exported with its types, in a zip")
    marked = documents()
    path = tmp_path / "project.zip"
    path.write_bytes(projects.project(marked, kind, inner))
    expected = by_hand(marked, tmp_path)
    before = sorted(tmp_path.rglob("*"))
    assert fc.agree(path).to_dict() == expected
    assert set(fc.read_annotators(path)) == {"amy", "ben", "cid"}
    out, _ = cli("agree", path, "--json")
    assert fc.agree(path).to_json() == out.strip()
    assert '"n_files":12' in cli("check", path, "--json", expect=None)[0].replace(" ", "")
    assert sorted(tmp_path.rglob("*")) == before
    with pytest.raises(fc.InputError, match=r'document "doc0.txt" is also in .*/doc0.txt/amy'):
        fc.read(path)
    if not inner:
        folder = projects.unzipped(path.read_bytes(), tmp_path / "out")
        assert fc.agree(folder / "annotation").to_dict() == expected


def test_zips_of_other_tools(tmp_path):
    marked = documents()
    expected = by_hand(marked, tmp_path)
    hand = tmp_path / "hand"
    files = {p.relative_to(hand).as_posix(): p.read_bytes() for p in hand.rglob("*.*")}
    extra = {"annotation.conf": b"[entities]", "visual.json": b"{}", "__MACOSX/amy/._x.ann": b"\0"}
    (tmp_path / "brat.zip").write_bytes(packed(files | extra))
    assert fc.agree(tmp_path / "brat.zip").to_dict() == expected
    for name in ("amy", "ben", "cid"):
        mine = {p.split("/")[1]: data for p, data in files.items() if p.startswith(name)}
        (tmp_path / f"{name}.zip").write_bytes(packed(mine))
        one = fc.read(tmp_path / f"{name}.zip").table
        assert one.equals(fc.read(hand / name).table)
        assert fc.score(tmp_path / f"{name}.zip", hand / name)["overall"].f1 == 1
    zips = [tmp_path / f"{name}.zip" for name in ("amy", "ben", "cid")]
    assert fc.agree(zips).to_dict() == expected

    lines = {
        f"{name}.jsonl": projects.doccano(
            {k: sides[name] for k, sides in enumerate(marked.values())}
        ).encode()
        for name in ("amy", "ben", "cid")
    }
    (tmp_path / "doccano.zip").write_bytes(packed(lines))
    (tmp_path / "doccano").mkdir()
    for name, data in lines.items():
        (tmp_path / "doccano" / name).write_bytes(data)
    tasks = projects.label_studio(dict(enumerate(marked.values())))
    (tmp_path / "studio.json").write_text(tasks)
    found = [fc.agree(tmp_path / name) for name in ("doccano.zip", "doccano", "studio.json")]
    assert found[0].to_dict() == found[1].to_dict()
    assert found[0]["cause"] == found[2]["cause"]
    assert found[2].annotators == tuple(f"{name}@example.org" for name in ("amy", "ben", "cid"))


@pytest.mark.parametrize("command", ["agree", "check", "score", "describe"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_zips(tmp_path, name, command):
    data, message = HOSTILE[name]
    path = tmp_path / "x.zip"
    path.write_bytes(data)
    inputs = [path, path] if command == "score" else [path]
    out, err = cli(command, *inputs, expect=2)
    assert not out
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert message in err or "zip data within zip data" in err
    assert list(tmp_path.iterdir()) == [path]


def test_zips_that_hold_nothing_of_use(tmp_path):
    for files, message in (
        ({"a.txt": b"1", "b.txt": b"2"}, "a zip without a file that ends in"),
        ({"annotation_ser/d/amy.ser": b"1", "log/x": b"2"}, "but with .ser: export the project as"),
        ({"annotation/d/amy.json": b" ", "log/x": b"2"}, "annotation/d/amy.json is empty"),
        ({"a.json": b"[1]", "b.json": b"2"}, "which a.json does not look like"),
        ({"amy/x.ann": b"", "amy/y.txt": b"2"}, r"x\.zip: no amy/x\.txt in it"),
    ):
        (tmp_path / "x.zip").write_bytes(packed(files))
        with pytest.raises(fc.InputError, match=message):
            fc.read(tmp_path / "x.zip")


def test_an_empty_file_in_a_zip_is_told_and_left_out(tmp_path):
    project = projects.project({"a.txt": {"amy": ONE, "ben": ONE}}, "json", inner=False)
    path = tmp_path / "x.zip"
    path.write_bytes(project)
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("annotation/b.txt/amy.json", " ")
    out, err = cli("agree", path, "--json")
    assert json.loads(out)["n_examples"] == 1
    assert err == f"notice: {path}/annotation/b.txt/amy.json is empty, left out\n"
    path.write_bytes(packed({"a.tsv": b"", "b.tsv": TSV.encode()}))
    with pytest.warns(InputNotice, match=r"x\.zip/a\.tsv is empty, left out"):
        assert len(fc.read(path)) == 1


# --------------------------------------------------------------------------- messages

ONE = Marked("Rain brings floods .", (("Cause", 0, 4), ("Effect", 12, 18)), ((0, 1),))
TSV = projects.tsv(ONE)
DOCCANO = projects.doccano({1: ONE})
STUDIO = projects.label_studio({1: {"amy": ONE}})
PRODIGY = projects.prodigy({1: ONE})
WRONG = {
    "doccano without relations": ("a.jsonl",
        '{"id": 1, "text": "a b", "label": [[0, 1, "Cause"]]}',
        r"a\.jsonl:1: a doccano export without relations"),
    "doccano: entities alone": ("a.jsonl",
        '{"id": 1, "text": "a", "entities": [{"start_offset": 0}]}',
        r"a\.jsonl:1: a doccano export without relations"),
    "doccano: no id": ("a.jsonl", DOCCANO.replace('"id": 1, "text"', '"text"'), r':1: no "id"'),
    "doccano: outside": ("a.jsonl", DOCCANO.replace('"end_offset": 18', '"end_offset": 99'),
        r":1: characters 12 to 99 do not fit a text of 20"),
    "doccano: offsets as text": ("a.jsonl",
        DOCCANO.replace('"end_offset": 18', '"end_offset": "18"'),
        r':1: "entities"\[1\]: "end_offset" is a string, expected an integer'),
    "doccano: truncated": ("a.jsonl", DOCCANO + DOCCANO[:50], r"a\.jsonl:2: "),
    "Label Studio, JSON_MIN": ("a.json",
        '[{"id": 1, "text": "a", "label": [], "annotation_id": 3}]',
        r"a\.json: task 0: a Label Studio export without relations \(JSON-MIN\): expected the"),
    "Label Studio, none done": ("a.json", '[{"id": 1, "data": {"text": "a"}, "annotations": []}]',
        "a Label Studio export in which no task is annotated"),
    "Label Studio: truncated": ("a.json", STUDIO[:-20], r"a\.json:\d+: "),
    "Label Studio: other text": ("a.json", STUDIO.replace('"text": "floods"', '"text": "flood"'),
        'task 0: a span is "flood", but its characters are "floods"'),
    "Label Studio: two texts": ("a.json",
        STUDIO.replace('"text": "Rain b', '"a": "x", "b": "Rain b'),
        '"data" has 2 texts'),
    "Prodigy: no id": ("a.jsonl", PRODIGY.replace('"_input_hash": 1, ', ""),
        'a.jsonl:1: no "id" and no "_input_hash"'),
    "Prodigy: none accepted": ("a.jsonl", PRODIGY.replace('"accept"', '"ignore"'),
        'a.jsonl: a Prodigy dataset in which no answer is "accept"'),
    "Prodigy: no such token": ("a.jsonl", PRODIGY.replace('"token_end": 2', '"token_end": 9'),
        "a.jsonl:1: a span of tokens 2 to 9, but the text has 4"),
    "Prodigy: a head of text": ("a.jsonl", PRODIGY.replace('"head": 0', '"head": "Rain"'),
        r'a.jsonl:1: "relations"\[0\]: "head" is a string, expected an integer'),
    "Prodigy: tokens overlap": ("a.jsonl", PRODIGY.replace('"start": 5', '"start": 3'),
        "a.jsonl:1: two tokens overlap at character 3"),
    "TSV of before": ("a.tsv", "#FORMAT=WebAnno TSV 2\n", r"a\.tsv:1: .*expected WebAnno TSV 3"),
    "TSV: header alone": ("a.tsv", "\n".join(TSV.split("\n")[:4]), "WebAnno TSV file without sent"),
    "TSV: columns less": ("a.tsv", TSV.replace("\t*\t_\t", "\t*"),
        r"a\.tsv:7: 5 columns, the header says 6"),
    "TSV: an empty column": ("a.tsv", TSV.replace("\t*\t_\t", "\t*\t"), "tsv:6: an empty column"),
    "TSV: other text": ("a.tsv", TSV.replace("\tfloods\t", "\tflood\t"),
        r'a\.tsv:6: token "flood", but its characters are "floods"'),
    "TSV: a bad place": ("a.tsv", TSV.replace("5-11", "5..11"), "expected the number of a token"),
    "TSV: a bad relation": ("a.tsv", TSV.replace("\t1-1\t", "\t1:1\t"), r"1-3: .*the line"),
    "XMI without types": ("a.xmi", projects.xmi(ONE), "its types are missing: .*TypeSystem"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_with_the_tool(tmp_path, name):
    file, text, message = WRONG[name]
    path = tmp_path / file
    path.write_text(text)
    for command in ("check", "describe"):
        out, err = cli(command, path, expect=2)
        assert re.search(message, err), err
        assert not out
    assert list(tmp_path.iterdir()) == [path]


def test_damaged_xml(tmp_path):
    (tmp_path / "TypeSystem.xml").write_text(projects.TYPE_SYSTEM)
    bomb = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]>'
    for text, message in (
        (projects.xmi(ONE)[:-40], "cannot be read"),
        (projects.xmi(ONE).replace("CausalLabel", "Unknown"), "cannot be read"),
        (bomb + projects.xmi(ONE).partition("?>")[2], "XML with a document type"),
        (projects.xmi(ONE).replace('end="18"', 'end="99"'), "a.xmi: "),
    ):
        (tmp_path / "a.xmi").write_text(text)
        with pytest.raises(fc.InputError, match=message):
            fc.read(tmp_path / "a.xmi")


WIDE_TYPES = projects.TYPES.format(
    "<typeDescription><name>webanno.custom.Role</name><supertypeName>uima.cas.String"
    "</supertypeName></typeDescription>"
    + projects.type_of("webanno.custom.Base", "uima.tcas.Annotation", CES="webanno.custom.Role")
    + projects.type_of("webanno.custom.CauseEffectSignal", "webanno.custom.Base",
                       order="uima.cas.Integer", sure="uima.cas.Boolean")
    + projects.type_of("webanno.custom.CausalLabel", "uima.tcas.Annotation",
                       Governor="webanno.custom.Base", Dependent="webanno.custom.Base")
    + projects.type_of("Lone", "uima.cas.TOP", next="Lone")
)  # fmt: skip
WIDE = """<?xml version="1.1"?>
<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore"
 xmlns:tcas="http:///uima/tcas.ecore" xmlns:c="http:///webanno/custom.ecore"
 xmlns:noNamespace="http:///uima/noNamespace.ecore" xmi:version="2.0"><cas:NULL xmi:id="0"/>
<tcas:DocumentAnnotation xmi:id="8" sofa="1" begin="0" end="21" language="en"/>
<c:CauseEffectSignal xmi:id="5" sofa="1" begin="0" end="7" CES="Cause" order="3" sure="true"/>
<c:CauseEffectSignal xmi:id="6" sofa="1" begin="15" end="21" CES="Effect"/>
<c:CauseEffectSignal xmi:id="9" sofa="2" begin="0" end="3" CES="Effect"/>
<c:CausalLabel xmi:id="7" sofa="1" begin="0" end="0" Governor="5" Dependent="6"/>
<noNamespace:Lone xmi:id="4" next="4"/>
<cas:FSArray xmi:id="3" elements="5 6"/>
<cas:Sofa xmi:id="2" sofaNum="2" sofaID="other" mimeType="text" sofaString="no floods"/>
<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text"
 sofaString="Rain&#10;🌧 causes floods"/>
<cas:View sofa="1" members="8 5 6 7 4"/><cas:View sofa="2" members="9"/></xmi:XMI>
"""


def test_xmi_as_cassis_reads_it(tmp_path):
    """Types with supertypes, strings of a list, two views, letters of two UTF-16 units."""
    cassis = pytest.importorskip("cassis")
    (tmp_path / "TypeSystem.xml").write_text(WIDE_TYPES)
    (tmp_path / "a.xmi").write_text(WIDE)
    # cassis reads no strings of a list: to it they are any strings.
    known = re.sub(r">webanno\.custom\.Role</range", ">uima.cas.String</range", WIDE_TYPES)
    cas = cassis.load_cas_from_xmi(
        io.BytesIO(WIDE.partition("?>")[2].encode()),
        typesystem=cassis.load_typesystem(io.BytesIO(known.encode())),
    )
    spans = [m for m in cas.select_all_annotations() if "CauseEffectSignal" in m.type.name]
    rows = fc.read(tmp_path / "a.xmi", example="document").to_examples()
    words = [cas.sofa_string[m.begin : m.end].split() for m in spans]
    tokens = cas.sofa_string.split()
    places = {m.CES.lower(): [(tokens.index(w[0]), tokens.index(w[-1]) + 1)]
              for m, w in zip(spans, words, strict=True)}  # fmt: skip
    assert [row["relations"] for row in rows] == [[places]]
    assert rows[0]["text"].split() == tokens


@pytest.mark.parametrize(
    ("found", "put", "message"),
    [
        ('Governor="5"', 'Governor="55"', "Governor of .*CausalLabel 7 is 55, an id that no"),
        ('members="8 5', 'members="8 55', "no element has the id 55"),
        ("c:CauseEffectSignal", "c:Unknown", "has no type webanno.custom.Unknown"),
        ("_InitialView", "third", "without a text"),
        ('begin="15"', 'begin="x"', '"begin" of CauseEffectSignal 6 is None'),
    ],
)
def test_what_is_wrong_in_xmi(tmp_path, found, put, message):
    (tmp_path / "TypeSystem.xml").write_text(WIDE_TYPES)
    (tmp_path / "a.xmi").write_text(WIDE.replace(found, put))
    out, err = cli("check", tmp_path / "a.xmi", expect=2)
    assert re.search(rf"a\.xmi: .*{message}", err), err
    assert not out


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.tsv", "a.xmi"])
@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xff\xfe\x00", b"[", b"\x00" * 50])
def test_files_of_nothing(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    out, err = cli("check", tmp_path / name, expect=2)
    assert err.startswith("error: ")
    assert not out


def test_a_file_of_several_annotators_is_not_one(tmp_path):
    (tmp_path / "x.json").write_text(projects.label_studio({1: {"amy": ONE, "ben": ONE}}))
    with pytest.raises(fc.InputError, match=r"comes twice, of amy@example\.org and ben@"):
        fc.read(tmp_path / "x.json")
    assert fc.agree(tmp_path / "x.json")["cause"].em == 1
    cancelled = projects.label_studio({1: {"amy": ONE}}).replace(
        '"was_cancelled": false', '"was_cancelled": true'
    )
    (tmp_path / "x.json").write_text(cancelled)
    with pytest.raises(fc.InputError, match="no task is annotated"):
        fc.read(tmp_path / "x.json")


def test_a_text_twice(tmp_path):
    (tmp_path / "a.jsonl").write_text(DOCCANO * 2)
    with pytest.raises(fc.InputError, match=r'document "1" comes twice, of a; '):
        fc.read(tmp_path / "a.jsonl")


def test_links_from_right_to_left(tmp_path):
    text = projects.label_studio({1: {"amy": ONE._replace(links=((1, 0),))}})
    for direction, notes in (("left", {}), ("right", {"reversed link": 1})):
        (tmp_path / "x.json").write_text(text.replace('"right"', f'"{direction}"'))
        found = fc.read(tmp_path / "x.json")
        assert found.n_relations == 1
        assert found.reading.notes == notes


def test_further_columns(tmp_path):
    row = DOCCANO.replace('"Comments"', '"genre": "news", "Comments"')
    (tmp_path / "amy.jsonl").write_text(row)
    (tmp_path / "x.json").write_text(STUDIO.replace('"data": {', '"data": {"genre": "news",'))
    for name in ("amy.jsonl", "x.json"):
        assert fc.read(tmp_path / name).table["genre"].to_pylist() == ["news"]


def test_parts_of_tokens_and_stacked_spans():
    lines = [
        "#FORMAT=WebAnno TSV 3.3", "#T_SP=custom.C|label",
        "#T_CH=custom.Chain|referenceType|referenceRelation",
        "#T_RL=custom.L|kind|BT_custom.C", "", "",
        "#Sentence.id=s1", "#Text=rains and", "#Text=floods",
        "1-1\t0-5\trains\t_\t_\t_\t_\t_", "1-1.1\t0-4\train\tCause|Signal[3]\tpr[1]\tx->1-1\t_\t_",
        "1-2\t6-9\tand\tSignal[3]\t_\t_\t_\t_",
        "1-3\t10-16\tfloods\tEffect\t_\t_\tcauses|*\t1-1.1|1-1.1[3_0]",
    ]  # fmt: skip
    found = webanno_tsv.parse(formats.Source("d/amy.tsv", "\n".join(lines).encode()))
    assert (found.name, found.annotator) == ("d", "amy")
    assert found.text == "rains and\nfloods"
    assert [(m.label, m.start, m.stop) for m in found.marks] == [
        ("Cause", 0, 4), ("Signal", 0, 9), ("Effect", 10, 16)]  # fmt: skip
    assert [(link.source, link.target) for link in found.links] == [(0, 2), (1, 2)]
    assert found.notes == {"chain left out": 1}


def test_nothing_of_a_zip_is_unpacked_twice_or_to_disk(tmp_path, monkeypatch):
    path = tmp_path / "p.zip"
    path.write_bytes(projects.project(documents(2), "json", inner=True))
    monkeypatch.setattr(zipfile.ZipFile, "extractall", None)
    monkeypatch.setattr(zipfile.ZipFile, "extract", None)
    assert len(fc.read_annotators(path)) == 3


def test_ends_of_links_in_prodigy(tmp_path):
    """A link names its spans, or a token of them; other answers are counted."""
    row = json.loads(PRODIGY)
    (link,) = row["relations"]
    bare = {"head": 0, "child": 2, "label": "causes"}
    lines = [
        row,
        {**row, "id": "x", "relations": [bare]},
        {**row, "_input_hash": 3, "spans": None, "relations": [link]},
        {**row, "_input_hash": 4, "spans": [], "relations": [bare]},
        {**row, "_input_hash": 5, "answer": "reject"},
        {**row, "_input_hash": 6, "answer": "ignore"},
    ]
    path = tmp_path / "amy.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = fc.read(path)
    one = [{"cause": [(0, 1)], "effect": [(2, 3)], "type": "causes"}]
    assert found.ids.to_pylist() == ["1", "x", "3", "4"]
    assert [e["relations"] for e in found.to_examples()] == [one, one, one, []]
    assert found.reading.notes == {
        'text of answer "reject" left out': 1, 'text of answer "ignore" left out': 1,
        "link left out": 1, "span left out": 2,
        'link of type "causes" between spans without a role, which --link causes would read': 1,
    }  # fmt: skip
    wide = {
        **row,
        "spans": [row["spans"][0], {"token_start": 1, "token_end": 2, "label": "Effect"}],
    }
    path.write_text(json.dumps({**wide, "relations": [bare]}))
    assert fc.read(path).to_examples()[0]["relations"][0]["effect"] == [(1, 3)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    directed = fc.read(path, link="causes").to_examples()
    assert directed[3]["relations"] == one


@trials(60)
@given(marked_texts(most_lines=3), st.sampled_from([True, False]))
def test_offsets_of_a_browser(tmp_path_factory, marked, wide):
    """A line end of two characters is one to a browser; of hypertext it counts the text alone."""
    folder = tmp_path_factory.mktemp("amy")
    plain = {7: {"amy": marked}}
    path = folder / "x.json"
    path.write_text(projects.label_studio(plain, wide))
    expected = summary(fc.read(path))
    [task] = json.loads(path.read_text())
    task["data"]["text"] = marked.text.replace("\n", "\r\n")
    path.write_text(json.dumps([task]))
    found = fc.read(path)
    texts = [text.replace("\r\n", "\n") for text, *_ in summary(found)]
    assert [(t, *s[1:]) for t, s in zip(texts, summary(found), strict=True)] == expected
    for result in task["annotations"][0]["result"]:
        value = result.get("value")
        if value:
            at = {"start": value["start"], "end": value["end"]}
            value |= {"start": "/p[1]/text()[1]", "end": "/p[1]/text()[1]", "globalOffsets": at}
            value["hypertextlabels"] = value.pop("labels")
            result["type"] = "hypertextlabels"
    task["data"]["text"] = f"<body><div>{html.escape(marked.text)}</div></body>"
    path.write_text(json.dumps([task]))
    if marked.spans:
        assert summary(fc.read(path)) == expected


def test_hypertext_counts_the_text_that_is_shown(tmp_path):
    source = "<head><title>x</title></head><p>Heavy <b>rain</b> &amp; snow</p><p>fell<br>so roads."
    for counted, cause in (
        ("Heavy rain & snowfell\nso roads.", "rain & snowfell"),
        ("Heavy rain & snowfellso roads.", "rain & snow"),
    ):
        marks = [("a", "Cause", cause), ("b", "Effect", "so roads.")]
        result = [
            {"id": id, "type": "hypertextlabels", "value": {
                "start": "/p[1]/b[1]/text()[1]", "end": "/p[2]/text()[1]", "startOffset": 0,
                "endOffset": 1, "hypertextlabels": [label], "text": text, "globalOffsets": {
                    "start": counted.index(text), "end": counted.index(text) + len(text)}}}
            for id, label, text in marks
        ]  # fmt: skip
        result.append({"type": "relation", "from_id": "a", "to_id": "b", "direction": "right"})
        task = {"id": 1, "data": {"text": source}, "annotations": [{"result": result}]}
        (tmp_path / "x.json").write_text(json.dumps([task]))
        (found,) = fc.read(tmp_path / "x.json").to_examples()
        assert found["text"] == "Heavy rain & snow\nfell\nso roads."
        stop = 5 if "fell" in cause else 4
        assert found["relations"] == [{"cause": [(1, stop)], "effect": [(5, 7)]}]


def test_exports_of_four_tools_in_one_command(tmp_path):
    """Each tool numbers the texts on its own; the annotators keep their names."""
    sides = [Marked(f"{word} brings floods .", ONE.spans, ONE.links) for word in ("Rain", "Snow")]
    (tmp_path / "dora.jsonl").write_text(projects.doccano({11: sides[1], 12: sides[0]}))
    lines = Marked("\n".join(side.text for side in sides),
                   tuple((label, a + at, b + at) for at in (0, 21) for label, a, b in ONE.spans),
                   ((0, 1), (2, 3)))  # fmt: skip
    (tmp_path / "inception.zip").write_bytes(
        projects.project({"doc": {"ina": lines}}, "json", inner=False)
    )
    (tmp_path / "x.json").write_text(
        projects.label_studio({5: {"lea": sides[0]}, 6: {"lea": sides[1]}})
    )
    (tmp_path / "data.jsonl").write_text(projects.prodigy({-7: sides[1], 8: sides[0]}, "pia"))
    files = [tmp_path / name for name in ("dora.jsonl", "inception.zip", "x.json", "data.jsonl")]
    out, err = cli("agree", *files, "--join", "text", "--json")
    report = json.loads(out)
    assert report["annotators"] == ["dora", "ina", "lea@example.org", "pia"]
    assert report["n_examples"] == 2
    assert report["scores"]["total"]["em"] == 1.0
    assert not err
    out, err = cli("agree", *files, expect=2)
    assert "--join text would join them" in err

"""Links with direction, events, whole documents, and spans without links, in every tool."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.formats.annotation import brat
from fastcausal.formats.annotation.links import LONE, TURNED
from tests.support import projects
from tests.support.cli import cli
from tests.support.profiles import trials
from tests.support.projects import Marked

CHAIN = "rain floods roads"
RAIN, FLOODS, ROADS = (0, 1), (1, 2), (2, 3)


@pytest.fixture
def ann(tmp_path):
    def saver(lines, text=CHAIN, name="d.ann"):
        path = tmp_path / "ann" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(lines, newline="")
        path.with_suffix(".txt").write_text(text, newline="")
        return path

    return saver


def found(source, **options):
    return [row["relations"] for row in fc.read(source, **options).to_examples()]


def spans(text, *labelled):
    """The lines of brat's spans, of a label and a text each."""
    return "".join(
        f"T{k}\t{label} {text.index(said)} {text.index(said) + len(said)}\t{said}\n"
        for k, (label, said) in enumerate(labelled, 1)
    )


CHAINED = spans(CHAIN, ("Event", "rain"), ("Event", "floods"), ("Event", "roads"))

# --------------------------------------------------------------------------- links


def test_an_event_is_the_effect_of_one_link_and_the_cause_of_the_next(ann):
    path = ann(CHAINED + "R1\tcauses Arg1:T1 Arg2:T2\nR2\tcaused_by Arg1:T3 Arg2:T2\n"
                         "R3\tbefore Arg1:T1 Arg2:T3\n")  # fmt: skip
    relations = fc.read(path, link=["causes", "caused_by=effect>cause"])
    assert relations.to_examples()[0]["relations"] == [
        {"cause": [RAIN], "effect": [FLOODS], "type": "causes"},
        {"cause": [FLOODS], "effect": [ROADS], "type": "caused_by"},
    ]
    assert relations.reading.notes == {'link of type "before" left out': 1}
    assert found(path, link="causes") == [[{"cause": [RAIN], "effect": [FLOODS], "type": "causes"}]]
    none = fc.read(path)
    assert none.n_relations == 0
    assert none.reading.notes == {
        f'link of type "{type}" between spans without a role, which --link {type} would read': 1
        for type in ("causes", "caused_by", "before")
    } | {'span of label "Event", which --role ROLE=Event would read': 3}


def test_the_command_line_takes_links(ann):
    path = ann(CHAINED + "R1\tcauses Arg1:T1 Arg2:T2\nR2\tcaused_by Arg1:T3 Arg2:T2\n")
    given_options = ["--link", "CAUSES", "--link", "caused_by=effect>cause"]
    out, _ = cli("score", path, path, *given_options, "--json")
    assert json.loads(out)["scores"]["overall"]["f1"] == 1
    assert json.loads(cli("describe", path, *given_options, "--json")[0])["relations"] == 2
    out, err = cli("check", path, *given_options, expect=0)
    assert not err
    assert "findings 0" in out


def test_the_direction_of_a_link_wins_over_labels(ann):
    path = ann(spans(CHAIN, ("Effect", "rain"), ("Cause", "floods"))
               + "R1\tcauses Arg1:T1 Arg2:T2\n")  # fmt: skip
    relations = fc.read(path, link="causes")
    assert relations.to_examples()[0]["relations"] == [
        {"cause": [RAIN], "effect": [FLOODS], "type": "causes"}
    ]
    assert relations.reading.notes == {TURNED: 1}
    relations = fc.read(path)
    assert relations.to_examples()[0]["relations"] == [
        {"cause": [FLOODS], "effect": [RAIN], "type": "causes"}
    ]
    assert relations.reading.notes == {"reversed link": 1}


def test_a_further_role_belongs_to_relations_of_its_effect_or_else_of_its_cause(ann):
    text = "rain so floods mud"
    lines = spans(text, ("Event", "rain"), ("Signal", "so"), ("Event", "floods"), ("Event", "mud"))
    lines += "R1\tcauses Arg1:T1 Arg2:T3\nR2\tcauses Arg1:T3 Arg2:T4\n"
    for ends, signalled in ((("T2", "T3"), {0}), (("T3", "T2"), {0}), (("T2", "T1"), {0}),
                            (("T2", "T4"), {1})):  # fmt: skip
        path = ann(f"{lines}R3\tcauses Arg1:{ends[0]} Arg2:{ends[1]}\n", text)
        (relations,) = found(path, link="causes")
        assert {k for k, one in enumerate(relations) if one.get("signal")} == signalled
    path = ann(lines + "T5\tEvent 5 7\tso\nR3\tcauses Arg1:T2 Arg2:T5\n", text)
    assert fc.read(path, link="causes").reading.notes["link left out"] == 1
    named = ann(lines + "R3\tmarks Arg1:T2 Arg2:T3\n", text)
    (relations,) = found(named, link=["causes", "marks=signal>effect"])
    assert [one.get("signal") for one in relations] == [[(1, 2)], None]


def test_two_types_on_one_pair_are_two_relations(ann):
    lines = spans(CHAIN, ("Cause", "rain"), ("Effect", "floods"))
    for k, type in enumerate(("Causes", "enables", "enables", "causes")):
        lines += f"R{k}\t{type} Arg1:T1 Arg2:T2\n"
    path = ann(lines)
    relations = fc.read(path)
    assert relations.table["types"].to_pylist() == [[None, "enables", "causes"]]
    assert [f.kind for f in fc.check(path).findings].count("repeated link") == 1


@pytest.mark.parametrize("direction", ["right", "left", "bi", None])
def test_directions_of_label_studio(tmp_path, direction):
    one = Marked(CHAIN, (("Event", 0, 4), ("Event", 5, 11)), ((0, 1),))
    tasks = json.loads(projects.label_studio({1: {"amy": one}}))
    for result in tasks[0]["annotations"][0]["result"]:
        if result["type"] == "relation":
            result |= {"direction": direction, "labels": ["causes", "other"]}
    (tmp_path / "x.json").write_text(json.dumps(tasks))
    forth = {"cause": [RAIN], "effect": [FLOODS], "type": "causes"}
    back = {"cause": [FLOODS], "effect": [RAIN], "type": "causes"}
    wanted = {"left": [back], "bi": [forth, back]}.get(direction, [forth])
    assert found(tmp_path / "x.json", link="causes") == [wanted]


def test_labels_that_mean_a_role(tmp_path):
    one = Marked(CHAIN, (("Drug", 0, 4), ("Ursache", 5, 11), ("x", 5, 11), ("Effect", 12, 17)),
                 ((0, 3), (1, 3)))  # fmt: skip
    (tmp_path / "amy.jsonl").write_text(projects.doccano({1: one}))
    relations = fc.read(tmp_path / "amy.jsonl", role="cause=drug,URSACHE")
    assert [r["cause"] for r in relations.to_examples()[0]["relations"]] == [[RAIN], [FLOODS]]
    assert relations.reading.notes == {
        'span of label "x", which --role ROLE=x would read': 1, "span left out": 1,
    }  # fmt: skip


# --------------------------------------------------------------------------- events

PRICES = "Prices rose because oil was scarce ."
MARKED = spans(
    PRICES, ("Signal", "because"), ("Cause", "oil was scarce"), ("Effect", "Prices rose")
)


def test_the_worked_event(ann):
    path = ann(MARKED + "E1\tSignal:T1 Cause:T2 Effect:T3\n", PRICES)
    one = {"cause": [(3, 6)], "effect": [(0, 2)], "signal": [(2, 3)], "type": "Signal"}
    assert found(path) == [[one]]
    del one["signal"]
    assert found(path, trigger="none") == [[one]]
    assert not fc.check(path).findings
    assert fc.check(path).notes == fc.read(path).reading.notes == {}


def test_events_of_many_arguments(ann):
    path = ann(
        MARKED + "T4\tEvent 0 6\tPrices\nT5\tDegree 7 11\trose\n"
        "E1\tCausal:T4 Cause:T2 Cause2:T3 Effect1:T5 Degree:T1 Theme:T1 Effect:T99\n"
        "E2\tPlain:T4 Effect:E1 Signal:T1\n"  # its trigger is no signal, as another span is
        "E3\tPlain:T4 Degree:T1\n"
        "E4\tLoop:T4 Cause:E5\nE5\tLoop:T5 Effect:E4 Cause:T2\nE6\tNear:T5 Cause:E4\n",
        PRICES,
    )
    relations = fc.read(path, roles="cause,effect,signal,degree")
    assert relations.to_examples()[0]["relations"] == [
        {"cause": [(0, 2), (3, 6)], "effect": [(1, 2)], "signal": [(0, 1)], "degree": [(2, 3)],
         "type": "Causal"},
        {"effect": [(0, 1)], "signal": [(2, 3)], "type": "Plain"},
        {"cause": [(0, 1)], "signal": [(1, 2)], "type": "Near"},
    ]  # fmt: skip
    assert relations.reading.notes == {
        'argument "Theme" of an event, which --role ROLE=Theme would read': 1,
        "argument of an event that is not there": 1, "event without cause and effect left out": 1,
        "event in a circle left out": 2,
    }  # fmt: skip
    mapped = fc.read(path, role={"signal": ["Theme"]}).to_examples()[0]["relations"]
    assert mapped[0]["signal"] == [(2, 3)]


def test_circles_of_events_of_any_length():
    for n in (1, 2, 5, 3000):
        named = {f"E{k}": [f"E{(k + 1) % n}"] for k in range(n)}
        named |= {f"E{n + k}": [f"E{n + k - 1}"] for k in range(n)}  # lead to the circle
        assert brat._in_circles(named) == {f"E{k}" for k in range(n)}


@given(st.dictionaries(st.integers(0, 7), st.lists(st.integers(0, 7), max_size=3)))
def test_circles_are_what_leads_back(graph):
    named = {str(k): [str(j) for j in ends if j in graph] for k, ends in graph.items()}
    reached = {k: {*ends} for k, ends in named.items()}
    for _ in named:
        for near in reached.values():
            near |= {far for other in near for far in reached[other]}
    assert brat._in_circles(named) == {k for k in named if k in reached[k]}


# --------------------------------------------------------------------------- whole documents

WRAPPED = "Heavy rain fell and the\nriver rose ."
ACROSS = "T1\tCause 0 15\tHeavy rain fell\nT2\tEffect 20 23;24 34\tthe river rose\n"
ACROSS += "R1\tCauses Arg1:T1 Arg2:T2\n"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_worked_document(ann, end):
    text, lines = WRAPPED.replace("\n", end), ACROSS
    if end == "\r\n":
        lines = ACROSS.replace("24 34", "25 35")
    path = ann(lines, text)
    (one,) = fc.read(path, example="document").to_examples()
    assert (one["id"], one["text"], one["length"]) == ("d", WRAPPED.replace("\n", " "), 8)
    assert one["relations"] == [{"cause": [(0, 3)], "effect": [(4, 7)]}]
    by_line = fc.read(path, example="line")
    assert by_line.ids.to_pylist() == ["d:1", "d:2"]
    assert by_line.n_unread == 1
    _, err = cli("score", path, path, expect=2)
    assert "--example document would read it" in err
    with pytest.raises(fc.InputError, match='example is "sentence", expected line or document'):
        fc.read(path, example="sentence")


def test_whole_documents_of_projects(tmp_path):
    text = "Rain fell .\nRoads closed 😀 ."
    one = Marked(text, (("Cause", 0, 9), ("Effect", 12, 24)), ((0, 1),))
    (tmp_path / "TypeSystem.xml").write_text(projects.TYPE_SYSTEM)
    for name, data in (
        ("a.tsv", projects.tsv(one)), ("a.xmi", projects.xmi(one)),
        ("a.json", projects.cas_json(one)),
    ):  # fmt: skip
        path = tmp_path / name
        path.write_text(data)
        assert fc.read(path, example="sentence").n_unread == 1, name
        (row,) = fc.read(path, example="document").to_examples()
        assert (row["id"], row["text"]) == ("a", text.replace("\n", " "))
        assert row["relations"] == [{"cause": [(0, 2)], "effect": [(3, 5)]}]
        with pytest.raises(fc.InputError, match='example is "line", expected sentence or document'):
            fc.read(path, example="line")
    sides = {"x.txt": {"amy": one, "ben": one}}
    for kind in ("json", "tsv"):
        (tmp_path / "p.zip").write_bytes(projects.project(sides, kind, inner=True))
        report = fc.agree(tmp_path / "p.zip", example="document")
        assert (report["cause"].em, report.n_examples) == (1, 1)
        assert fc.read_annotators(tmp_path / "p.zip", example="document")[
            "amy"
        ].ids.to_pylist() == ["x"]


def test_tasks_are_documents(tmp_path):
    one = Marked("Rain fell\nso roads closed", (("Cause", 0, 9), ("Effect", 13, 25)), ((0, 1),))
    (tmp_path / "amy.jsonl").write_text(projects.doccano({7: one}))
    (row,) = fc.read(tmp_path / "amy.jsonl", example="document").to_examples()
    assert (row["id"], row["text"]) == ("7", "Rain fell so roads closed")
    with pytest.raises(fc.InputError, match='example is "line", expected document'):
        fc.read(tmp_path / "amy.jsonl", example="line")


# --------------------------------------------------------------------------- spans without links

ALONE = Marked(CHAIN, (("Cause", 0, 4), ("Effect", 5, 11), ("Signal", 12, 17)), ())


def test_spans_without_links(tmp_path):
    (tmp_path / "amy.jsonl").write_text(projects.doccano({1: ALONE}))
    (tmp_path / "x.json").write_text(projects.label_studio({1: {"amy": ALONE}}))
    listed = {"id": 1, "text": CHAIN, "label": [[*s[1:], s[0]] for s in ALONE.spans]}
    (tmp_path / "ben.jsonl").write_text(json.dumps(listed))
    row = json.loads(projects.prodigy({1: ALONE}))
    del row["relations"]
    (tmp_path / "cid.jsonl").write_text(json.dumps(row))
    for name, format in (("amy.jsonl", None), ("x.json", None), ("ben.jsonl", None),
                         ("cid.jsonl", "prodigy")):  # fmt: skip
        path = tmp_path / name
        assert found(path, format=format, lone="keep") == [
            [{"cause": [RAIN]}, {"effect": [FLOODS]}, {"signal": [ROADS]}]
        ]
        assert found(path, format=format, lone="pair") == [
            [{"cause": [RAIN], "effect": [FLOODS], "signal": [ROADS]}]
        ]
        assert fc.read(path, format, lone="keep").reading.notes == {}
    for name in ("amy.jsonl", "x.json"):
        dropped = fc.read(tmp_path / name)
        assert dropped.n_relations == 0
        assert dropped.reading.notes == {"span left out": 3, LONE: 3}
    _, err = cli("convert", tmp_path / "ben.jsonl", tmp_path / "x.parquet", expect=2)
    assert "or --lone keep or pair, which read spans alone" in err
    report = fc.agree([tmp_path / "amy.jsonl", tmp_path / "ben.jsonl"], lone="keep")
    assert report["cause"].em == report["effect"].em == 1


def test_pairs_of_lone_spans(ann):
    text = "a b c\nd e f\ng\nh i j"
    lines = spans(text, ("Cause", "a"), ("Effect", "b"), ("Signal", "c"), ("Cause", "d"),
                  ("Cause", "e"), ("Effect", "f"), ("Other", "g"),
                  ("Cause", "h"), ("Effect", "i"), ("Effect", "j"))  # fmt: skip
    path = ann(lines + "R1\tother Arg1:T4 Arg2:T7\n", text)
    one = [(0, 1)]
    paired = [
        [{"cause": one, "effect": [(1, 2)], "signal": [(2, 3)]}],
        [{"cause": one}, {"cause": [(1, 2)]}, {"effect": [(2, 3)]}],
        [],
        [{"cause": one}, {"effect": [(1, 2)]}, {"effect": [(2, 3)]}],
    ]
    assert found(path, lone="pair") == paired
    (whole,) = found(path, lone="pair", example="document")
    assert [len(relation) for relation in whole] == [1] * 9
    # A link of cause and effect leaves the rest of its line alone.
    linked = ann(lines + "R1\tcauses Arg1:T5 Arg2:T6\n", text)
    assert found(linked, lone="pair")[1] == [
        {"cause": [(1, 2)], "effect": [(2, 3)], "type": "causes"}, {"cause": one},
    ]  # fmt: skip


# --------------------------------------------------------------------------- there and back

ROLES = ("cause", "effect", "signal", "degree")
FILES = {"brat": "d.ann", "doccano": "x.jsonl", "label-studio": "x.json", "webanno": "y.json"}


@st.composite
def typed_tables(draw):
    """Relations with types and further roles, of one span a role."""
    examples = []
    for k in range(draw(st.integers(1, 3))):
        words = draw(st.lists(st.sampled_from(["rain", "é", "e\u0301", "😀", "雨", "."]),
                              min_size=2, max_size=6))  # fmt: skip
        relations = []
        for _ in range(draw(st.integers(0, 3))):
            held = draw(st.sets(st.sampled_from(ROLES[2:])))
            relation = {
                role: [draw(st.integers(0, len(words) - 1).map(lambda a: (a, a + 1)))]
                for role in ROLES if role in {"cause", "effect"} | held
            }  # fmt: skip
            type = draw(st.sampled_from([None, "causes", "enables", "prevents"]))
            relations.append(relation | ({"type": type} if type else {}))
        examples.append({"id": f"d:{k + 1}", "text": " ".join(words), "length": len(words),
                         "relations": relations})  # fmt: skip
    return fc.Relations.from_examples(examples, ROLES)


@pytest.mark.parametrize("tool", FILES)
@trials(60)
@given(table=typed_tables())
def test_types_and_roles_there_and_back(tmp_path_factory, tool, table):
    path = tmp_path_factory.mktemp("tool") / FILES[tool]
    fc.write(table, path, format=tool)
    again = fc.read(path, roles=ROLES)
    relations = [row["relations"] for row in table.to_examples()]
    assert [row["relations"] for row in again.to_examples()] == relations
    assert again.n_unread == 0
    directed = fc.read(path, roles=ROLES, link=["causes", "enables", "prevents", "Signals"])
    assert [row["relations"] for row in directed.to_examples()] == relations

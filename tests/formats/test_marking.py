"""Files of annotation tools: texts left out, types of links, tasks without annotation."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.formats.annotation.faults import MISPLACED, UnplacedError
from fastcausal.formats.annotation.links import Words
from fastcausal.marking import Marking
from tests.support import projects
from tests.support.cli import cli
from tests.support.profiles import trials
from tests.support.projects import Marked
from tests.support.zips import packed

ONE = Marked("Rain brings floods .", (("Cause", 0, 4), ("Effect", 12, 18)), ((0, 1),))
BROKEN = ONE._replace(spans=(("Cause", 0, 4), ("Effect", 12, 99)))
OTHER = ONE._replace(spans=(("Cause", 0, 4), ("Effect", 12, 20)))


def broken(text):
    """An export of Label Studio with the last span beyond its text."""
    before, _, after = text.rpartition('"end": 18')
    return f'{before}"end": 99{after}'


# Exports with one sound text and a broken one.
MISFITS = {
    "amy.jsonl": projects.doccano({1: ONE, 2: BROKEN}),
    "x.json": broken(projects.label_studio({1: {"amy": ONE}, 2: {"amy": ONE}})),
    "words.json": projects.label_studio({1: {"amy": ONE}, 2: {"amy": OTHER}}).replace(
        '"text": "floods ."', '"text": "flood"'
    ),
    "x.zip": packed({
        "amy/a.ann": projects.brat(ONE).encode(), "amy/a.txt": ONE.text.encode(),
        "amy/b.ann": projects.brat(BROKEN).encode(), "amy/b.txt": ONE.text.encode(),
    }),
    "cas.zip": packed({
        "annotation/a/amy.json": projects.cas_json(ONE).encode(),
        "annotation/b/amy.json": projects.cas_json(ONE).replace('"end": 18', '"end": 99').encode(),
        "log/x": b"1",
    }),
}  # fmt: skip


@pytest.mark.parametrize("name", MISFITS)
def test_texts_that_their_spans_do_not_fit(tmp_path, name):
    path = tmp_path / name
    data = MISFITS[name]
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    for way in (fc.read, fc.check):
        with pytest.raises(fc.InputError) as caught:
            way(path)
        assert str(caught.value).endswith('; unplaced="skip" leaves such texts out')
        assert str(caught.value).count("unplaced") == 1
    found = fc.read(path, unplaced="skip")
    assert len(found) == found.n_relations == 1
    assert found.reading.notes == {MISPLACED: 1}
    report = fc.check(path, unplaced="skip")
    assert (report.n_examples, report.notes) == (1, {MISPLACED: 1})
    assert len(report.annotators) == 1
    _, err = cli("convert", path, tmp_path / "x.parquet", expect=2)
    assert err.endswith("; --unplaced skip leaves such texts out\n")
    assert not (tmp_path / "x.parquet").exists()
    for command, more in (
        ("convert", [tmp_path / "x.parquet"]), ("describe", []), ("check", []),
        ("score", [tmp_path / "x.parquet"]),
    ):  # fmt: skip
        err = cli(command, path, *more, "--unplaced", "skip")[1]
        assert f"{MISPLACED}: 1\n" in err, command
    assert fc.read(tmp_path / "x.parquet").n_relations == 1


def test_other_faults_are_never_left_out(tmp_path):
    path = tmp_path / "amy.jsonl"
    path.write_text(projects.doccano({1: BROKEN, 2: ONE}).replace('"to_id"', '"to"'))
    with pytest.raises(fc.InputError) as caught:
        fc.read(path, unplaced="skip")
    assert 'amy.jsonl:2: "relations"[0]: no "to_id"' in str(caught.value)
    assert "unplaced=" not in str(caught.value)


def test_agreement_leaves_the_texts_of_one_annotator_out(tmp_path):
    side = {"amy": ONE, "ben": ONE}
    text = broken(projects.label_studio({1: side, 2: side}))
    tasks = [*json.loads(text), {"id": 3, "data": {"text": "x"}, "annotations": []}]
    (tmp_path / "x.json").write_text(json.dumps(tasks))
    sides = fc.read_annotators(tmp_path / "x.json", unplaced="skip")
    unseen = {"task without annotation left out": 1}
    amy, ben = sides.values()
    assert (len(amy), amy.reading.notes) == (2, unseen)
    assert (len(ben), ben.reading.notes) == (1, unseen | {MISPLACED: 1})
    out, err = cli("agree", tmp_path / "x.json", "--unplaced", "skip", "--json")
    said = err + str(json.loads(out)["warnings"])
    assert f"ben@example.org: {MISPLACED}: 1" in said
    assert "amy@example.org: task without annotation left out: 1" in said
    assert "--unplaced skip leaves" in cli("agree", tmp_path / "x.json", expect=2)[1]


@pytest.mark.parametrize("source", ["gold.csv", [["<ARG0>a</ARG0> <ARG1>b</ARG1>"]]])
def test_other_formats_do_not_take_it(tmp_path, source):
    if isinstance(source, str):
        fc.write(fc.read([["<ARG0>a</ARG0> <ARG1>b</ARG1>"]]), tmp_path / source, format="cnc")
        source = tmp_path / source
    for given_option in ({"unplaced": "skip"}, {"links": ["causes"]}):
        with pytest.raises(ValueError, match=r"is for doccano, prodigy, brat, .*not for cnc"):
            fc.read(source, **given_option)
    for wrong in ({"unplaced": "empty"}, {"links": []}, {"links": "causes"}):
        with pytest.raises(ValueError, match=r"expected (one of error, skip|a list of types)"):
            fc.read(source, **wrong)


# --------------------------------------------------------------------------- types of links


def brat_of(tmp_path, type):
    path = tmp_path / "amy" / "x.ann"
    path.parent.mkdir(exist_ok=True)
    path.write_text(projects.brat(ONE).replace("Causes ", f"{type.replace(' ', '_')} "))
    path.with_suffix(".txt").write_text(ONE.text)
    return path


def doccano_of(tmp_path, type):
    (tmp_path / "amy.jsonl").write_text(projects.doccano({1: ONE}).replace('"causes"', f'"{type}"'))
    return tmp_path / "amy.jsonl"


def studio_of(tmp_path, type):
    text = projects.label_studio({1: {"amy": ONE}})
    (tmp_path / "x.json").write_text(
        text.replace('"direction": "right"', f'"direction": "right", "labels": ["{type}"]')
    )
    return tmp_path / "x.json"


def cas_of(tmp_path, type):
    data = json.loads(projects.cas_json(ONE))
    for item in data["%FEATURE_STRUCTURES"]:
        if "@Governor" in item:
            item["Label"] = type
    (tmp_path / "x.json").write_text(json.dumps(data))
    return tmp_path / "x.json"


TOOLS = {"brat": brat_of, "doccano": doccano_of, "studio": studio_of, "cas": cas_of}


@pytest.mark.parametrize("tool", TOOLS)
def test_types_of_links(tmp_path, tool):
    def named(type):
        return f'"{type.replace(" ", "_")}"' if tool == "brat" else f'"{type}"'

    for type in ("causes", "Cause-Effect", "isCausedBy", "Signal", "possible cause"):
        found = fc.read(TOOLS[tool](tmp_path, type))
        assert (found.n_relations, found.reading.notes) == (1, {}), type
    for type in ("not causal", "Non-causal", "noncausal", "no cause", "notCausal", "No Relation"):
        found = fc.read(TOOLS[tool](tmp_path, type))
        note = f"link of type {named(type)} left out"
        assert (len(found), found.n_relations) == (1, 0), type
        assert found.reading.notes[note] == 1, type
    found = fc.read(path := TOOLS[tool](tmp_path, "leads to"))
    note = f"link of type {named('leads to')} taken as a relation"
    assert (found.n_relations, found.reading.notes) == (1, {note: 1})
    assert fc.check(path).notes == {note: 1}
    wanted = "LEADS_TO" if tool == "brat" else "LEADS TO"
    found = fc.read(path, links=["x", wanted])
    assert (found.n_relations, found.reading.notes) == (1, {})
    found = fc.read(path, links=["x"])
    assert found.n_relations == 0
    assert found.reading.notes[f"link of type {named('leads to')} left out"] == 1
    described = json.loads(cli("describe", path, "--link", "x", "--link", "y", "--json")[0])
    assert described["relations"] == 0
    assert described["notes"] == found.reading.notes


def test_links_without_a_type(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(projects.label_studio({1: {"amy": ONE}}))
    assert fc.read(path).reading.notes == {}
    found = fc.read(path, links=["causes"])
    assert (found.n_relations, found.reading.notes["link without a type left out"]) == (0, 1)


# --------------------------------------------------------------------------- Label Studio's tasks


def test_tasks_without_annotation_are_counted(tmp_path):
    tasks = json.loads(projects.label_studio({
        1: {"amy": ONE}, 2: {"amy": ONE._replace(spans=(), links=())},
        3: {"amy": ONE, "ben": ONE}, 4: {"ben": ONE},
    }))  # fmt: skip
    for task in tasks[2:]:
        task["annotations"][-1]["was_cancelled"] = True
    tasks += [{"id": k, "data": {"text": "x"}, "annotations": []} for k in (5, 6)]
    (tmp_path / "x.json").write_text(json.dumps(tasks))
    found = fc.read(tmp_path / "x.json")
    assert found.ids.to_pylist() == ["1", "2", "3"]  # the second was seen, with nothing in it
    assert [len(e["relations"]) for e in found.to_examples()] == [1, 0, 1]
    assert found.reading.notes == {
        "task without annotation left out": 2, "cancelled annotation left out": 2,
    }  # fmt: skip
    report = fc.check(tmp_path / "x.json")
    assert report.annotators == ("amy@example.org",)
    assert report.notes == found.reading.notes
    fc.write(found, tmp_path / "pred.parquet")
    err = cli("score", tmp_path / "x.json", tmp_path / "pred.parquet")[1]
    assert "gold: task without annotation left out: 2" in err


# --------------------------------------------------------------------------- properties

offsets = st.integers(-3, 30)


@given(st.text("ab \n😀", max_size=20), offsets, offsets)
def test_a_mark_is_within_the_text_or_refused(text, start, stop):
    if 0 <= start <= stop <= len(text):
        assert Words(text).mark("Cause", [(start, stop)]).stop == stop
    else:
        with pytest.raises(UnplacedError):
            Words(text).mark("Cause", [(start, stop)])


@trials(100)
@given(st.text("ab 😀", min_size=1, max_size=12), st.lists(st.tuples(offsets, offsets), max_size=3))
def test_no_offset_of_label_studio_beyond_the_text_is_taken(tmp_path_factory, text, spans):
    path = tmp_path_factory.mktemp("amy") / "x.json"
    result = [
        {"id": f"s{k}", "type": "labels", "value": {"start": a, "end": b, "labels": ["Cause"]}}
        for k, (a, b) in enumerate(spans)
    ]
    task = {"id": 1, "data": {"text": text}, "annotations": [{"result": result}]}
    path.write_text(json.dumps([task]))
    n_units = len(text.encode("utf-16-le")) // 2
    fits = [all(0 <= a <= b <= n for a, b in spans) for n in (len(text), n_units)]
    if any(fits):
        assert len(fc.read(path).reading.unread) == 0
    else:
        with pytest.raises(fc.InputError, match=r"task 0: characters .* do not fit a text"):
            fc.read(path)


@given(st.text(max_size=30), st.lists(st.text(max_size=8), min_size=1, max_size=3))
def test_a_type_of_links_is_a_relation_or_noted(type, wanted):
    is_relation, note = Marking().judge_link(type)
    assert is_relation or note.endswith("left out")
    chosen, note = Marking(links=wanted).judge_link(type)
    assert chosen == (type.strip().lower() in [name.strip().lower() for name in wanted])
    assert chosen != bool(note)

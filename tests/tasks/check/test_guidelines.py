"""Checks of annotations: every kind of finding, in every form that annotations come in."""

from __future__ import annotations

import json
import re

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal import formats, sample
from fastcausal.errors import InputError
from fastcausal.relations import Relations
from fastcausal.tasks.check.findings import KINDS, count_kinds
from fastcausal.tasks.check.guidelines import _check_nesting, check
from tests.support.cli import cli
from tests.support.profiles import trials

TEXT = "Heavy rain caused floods .\nThey fled because of the floods .\n"


@pytest.fixture
def brat(tmp_path):
    """A document of marks ``(label, text)`` or ``(label, start, stop)``, and links."""

    def saver(marks, links, annotator="ann", text=TEXT, name="d"):
        lines = []
        for k, (label, *where) in enumerate(marks, 1):
            if isinstance(where[0], str):
                pieces = [(text.index(t), text.index(t) + len(t)) for t in where[0].split("...")]
            else:
                pieces = [tuple(where)]
            bounds = ";".join(f"{a} {b}" for a, b in pieces)
            lines.append(f"T{k}\t{label} {bounds}\t{' '.join(text[a:b] for a, b in pieces)}\n"
                         .replace("\n", " ").strip() + "\n")  # fmt: skip
        lines += [f"R{k}\tcauses A:T{a} B:T{b}\n" for k, (a, b) in enumerate(links, 1)]
        folder = tmp_path / annotator
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.txt").write_text(text)
        (folder / f"{name}.ann").write_text("".join(lines))
        return folder / f"{name}.ann"

    return saver


def cas(folder, marks, links, annotator="ann", text=TEXT):
    """Write a document as UIMA CAS JSON; marks may lack a label, links an end. Return its path."""
    listed = [{"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaString": text}]
    start = 0
    for k, line in enumerate(text.splitlines(), 10):
        listed.append({"%ID": k, "%TYPE": "x.Sentence", "begin": start, "end": start + len(line)})
        start += len(line) + 1
    for k, (label, marked) in enumerate(marks, 101):
        item = {"%ID": k, "%TYPE": "webanno.custom.CES", "begin": text.index(marked)}
        item["end"] = item["begin"] + len(marked)
        listed.append(item | ({"label": label} if label else {}))
    for k, ends in enumerate(links, 201):
        item = {"%ID": k, "%TYPE": "webanno.custom.Link"}
        for name, end in zip(("@Governor", "@Dependent"), ends, strict=True):
            item |= {name: 100 + end} if end else {}
        listed.append(item)
    meta = {"documentTitle": "d", "documentId": annotator}
    listed.append({"%ID": 2, "%TYPE": "x.DocumentMetaData", "begin": 0, "end": 0, **meta})
    path = folder / f"{annotator}.json"
    path.write_text(json.dumps({"%FEATURE_STRUCTURES": listed}))
    return path


GOOD = [("Cause", "Heavy rain"), ("Effect", "floods"), ("Signal", "caused")]


def kinds(report):
    return [(f.kind, f.example, f.text) for f in report.findings]


# ------------------------------------------------------------------------------ spans and links


def test_nothing_to_find(brat, tmp_path):
    for path in (brat(GOOD, [(1, 2), (3, 2)]), cas(tmp_path, GOOD, [(1, 2), (3, 2)])):
        report = check(path)
        assert report.to_dict() == {
            "n_files": 1, "n_examples": 2, "n_relations": 1, "n_findings": 0, "counts": {},
            "annotators": {"ann": {}}, "notes": {}, "findings": [],
        }  # fmt: skip
        assert report.to_arrow().num_rows == 0


# Marks, links, and findings: kind, example, text of the span, message.
LINKED = {
    "no link": (
        [*GOOD, ("Cause", "They")], [(1, 2), (3, 2)],
        [("span without link", "d:2", "They", 'Cause "They" has no link')]),
    "reversed": (
        GOOD, [(2, 1), (3, 2)],
        [("reversed link", "d:1", "floods",
          'Effect "floods" points to Cause "Heavy rain", expected the other way round')]),
    "effect to signal": (
        GOOD, [(1, 2), (2, 3)],
        [("reversed link", "d:1", "floods",
          'Effect "floods" points to Signal "caused", expected the other way round')]),
    "cause to signal": (
        GOOD, [(1, 3), (1, 2)],
        [("impossible link", "d:1", "Heavy rain",
          'Cause "Heavy rain" points to Signal "caused", expected Cause or Signal to Effect')]),
    "effect to effect": (
        [("Effect", "Heavy rain"), ("Effect", "floods")], [(1, 2)],
        [("impossible link", "d:1", "Heavy rain",
          'Effect "Heavy rain" points to Effect "floods", expected Cause or Signal to Effect')]),
    "to itself": (
        GOOD, [(1, 2), (3, 2), (3, 3)],
        [("impossible link", "d:1", "caused",
          'Signal "caused" points to Signal "caused", expected Cause or Signal to Effect')]),
    "twice": (
        GOOD, [(1, 2), (3, 2), (1, 2)],
        [("repeated link", "d:1", "Heavy rain",
          'Cause "Heavy rain" and Effect "floods" are linked more than once')]),
    "no cause": (
        GOOD, [(3, 2)],
        [("span without link", "d:1", "Heavy rain", 'Cause "Heavy rain" has no link'),
         ("relation without cause", "d:1", "floods", 'Effect "floods" has a Signal but no Cause')]),
    "overlap": (
        [("Cause", "rain caused"), ("Effect", "caused floods")], [(1, 2)],
        [("overlapping cause and effect", "d:1", "rain caused",
          'Cause "rain caused" overlaps its Effect "caused floods"')]),
    "another sentence": (
        [("Cause", "Heavy rain"), ("Effect", "They fled")], [(1, 2)],
        [("link across sentences", "d:1", "Heavy rain",
          'Cause "Heavy rain" points to Effect "They fled" in another sentence')]),
}  # fmt: skip


@pytest.mark.parametrize("name", LINKED)
@pytest.mark.parametrize("tool", ["brat", "webanno"])
def test_faults_of_links(brat, tmp_path, tool, name):
    marks, links, expected = LINKED[name]
    save = brat if tool == "brat" else lambda *args: cas(tmp_path, *args)
    path = save(marks, links)
    report = check(path)
    assert [(f.kind, f.example, f.text, f.message) for f in report.findings] == expected
    for finding in report.findings:
        assert (finding.annotator, finding.file) == ("ann", str(path))
        assert TEXT[finding.start : finding.stop] == finding.text


def test_labels(tmp_path):
    marks = [(None, "Heavy rain"), ("Effect", "floods"), ("Reason", "caused"), (None, "They")]
    report = check(cas(tmp_path, marks, [(1, 2), (3, 2)]))
    assert [(f.kind, f.message) for f in report.findings] == [
        ("span without label", 'span "Heavy rain" has no label'),
        ("unknown label", 'Reason "caused": expected Cause, Effect or Signal'),
        ("span without label", 'span "They" has no label'),
        ("span without link", 'span "They" has no link'),
    ]


def test_links_that_lack_an_end(tmp_path):
    report = check(cas(tmp_path, GOOD, [(1, 2), (3, None), (None, 2), (None, None)]))
    assert [(f.kind, f.text, f.message) for f in report.findings] == [
        ("broken link", "caused", "the span that Link 202 goes to is not there"),
        ("broken link", "floods", "the span that Link 203 comes from is not there"),
    ]


def test_links_that_lead_nowhere(brat):
    report = check(brat(GOOD, [(1, 2), (3, 2), (1, 9)]))
    assert [f.message for f in report.findings] == ["the span that R3 goes to is not there"]


def test_places(brat):
    marks = [("Cause", 18, 31), ("Effect", "fled"), ("Signal", 10, 11), ("Cause", "Heavy...caused"),
             ("Effect", "because...floods"), ("Signal", "Heavy...caused")]  # fmt: skip
    report = check(brat(marks, [(1, 2), (3, 2), (4, 2), (4, 5), (6, 5)]))
    assert kinds(report) == [
        ("discontinuous cause or effect", "d:1", "Heavy rain caused"),
        ("link across sentences", "d:1", "Heavy rain caused"),
        ("empty span", "d:1", " "),
        ("link across sentences", "d:1", " "),
        ("span across sentences", "d:1", "floods .\nThey"),
        ("span across sentences", "d:1", "floods .\nThey fled because"),
        ("discontinuous cause or effect", "d:1", "floods .\nThey fled because"),
    ]


def test_a_span_in_no_sentence(tmp_path):
    path = cas(tmp_path, [("Cause", "Heavy rain"), ("Effect", "They")], [(1, 2)])
    data = json.loads(path.read_text())
    data["%FEATURE_STRUCTURES"].pop(2)  # the second sentence
    path.write_text(json.dumps(data))
    (finding,) = check(path).findings
    assert (finding.kind, finding.example) == ("span across sentences", None)
    assert finding.message == 'Effect "They" is in no sentence'


def test_a_document_with_faults_is_read_all_the_same(brat):
    path = brat([*GOOD, ("Cause", "They fled")], [(2, 1), (3, 2), (4, 3)])
    assert check(path).n_relations == formats.read(path).n_relations == 1


def test_a_span_that_holds_another_relation(brat):
    """A finding for each span, with its place in the document, whatever the relation's number."""
    text = "It rained .\nFrost cut the crop by half , so prices doubled and mills shut .\n"
    marks = [("Cause", "Frost"), ("Effect", "cut the crop by half"),
             ("Cause", "Frost cut the crop by half"), ("Effect", "prices doubled"),
             ("Effect", "mills shut"), ("Signal", "so")]  # fmt: skip
    links = [(3, 4), (3, 5), (6, 4), (1, 2)]
    (finding,) = check(brat(marks, links, text=text)).findings
    assert (finding.kind, finding.example) == ("relation within a span", "d:2")
    assert finding.message == "relation 1 has a cause that holds relation 3 whole"
    assert text[finding.start : finding.stop] == finding.text == "Frost cut the crop by half"
    outside = [(3, 4), (3, 5), (6, 2), (1, 2)]  # the signal of the other relation
    assert not check(brat(marks, outside, text=text)).findings


SPANS = st.tuples(st.integers(0, 1), st.integers(0, 6), st.integers(1, 6)).map(
    lambda s: (s[0], s[1], s[1] + s[2])
)


@given(st.lists(st.none() | st.lists(SPANS, max_size=3), max_size=5))
@trials(300)
def test_nested_relations_are_those_of_every_pair(relations):
    expected = {
        span
        for k, spans in enumerate(relations)
        for span in spans or ()
        for j, other in enumerate(relations)
        if j != k and {role for role, *_ in other or ()} == {0, 1}
        and all(span[1] <= start and stop <= span[2] for _, start, stop in other)
    }  # fmt: skip
    given = [spans and sorted(spans) for spans in relations]
    found = [span for *_, span in _check_nesting(given, {0: "cause", 1: "effect"})]
    assert len(found) == len({*found})
    assert {*found} == expected


def test_labels_of_sentences(brat, tmp_path):
    """Labels join by id if one is shared, else by text; what has no partner is counted."""
    path = brat(GOOD, [(1, 2), (3, 2)])
    labels = tmp_path / "labels.csv"

    def found(*rows, column="id"):
        labels.write_text(f"{column},label\n" + "".join(f"{row}\n" for row in rows))
        report = check([path], sentence_labels=labels)
        return [(f.example, f.kind, f.message) for f in report.findings], report.notes

    contradicted = [
        ("d:1", "relation in non-causal", "its label is 0 (not causal), and it has 1 relation"),
        ("d:2", "causal without relation", "its label is 1 (causal), and it has no relation"),
    ]
    assert found("d:1,1", "d:2,0") == ([], {})
    assert found("d:2,1", "d:1,0", "e,0", "f,1") == (
        contradicted, {f"labels in {labels} without an example": 2},
    )  # fmt: skip
    texts = ["Heavy  rain caused floods .", "They fled because of the floods ."]
    told = f'id,text,label\nx,{texts[0]},0\ny,"{texts[1]} ",1\n'
    labels.write_text(told)
    by_text = check([path], sentence_labels=labels).findings
    assert [(f.example, f.kind, f.message) for f in by_text] == contradicted
    assert found("d:1,1") == ([], {f"examples without a label in {labels}": 1})
    unread = Relations.from_examples([{"id": "a", "length": 2, "relations": [None, {}]}])
    known = [{"id": "a", "label": 1}]
    assert [f.kind for f in check(unread, sentence_labels=known).findings] == ["unread relation"]
    for rows, message in (
        (["d:1,2"], "label 2, expected 1 (causal) or 0 (not)"),
        (["x,1"], 'no id and no text of the annotations, whose first id is "d:1"'),
    ):
        with pytest.raises(InputError, match=re.escape(message)):
            found(*rows)
    labels.write_text("id,label\nd:1,1\ne:1,0\n")
    both = check([path, brat(GOOD, [(1, 2), (3, 2)], name="e")], sentence_labels=labels)
    assert [(f.example, f.kind) for f in both.findings] == [("e:1", "relation in non-causal")]
    labels.write_text("id,label\nd:1,0\nd:2,0\n")
    out, _ = cli("check", path, "--sentence-labels", labels, "--json", expect=1)
    assert json.loads(out)["counts"] == {"relation in non-causal": 1}


def test_other_types_are_noted(brat):
    report = check(brat([*GOOD, ("Person", "They")], [(1, 2), (3, 2), (4, 2)]))
    assert not report.findings
    assert report.notes == {
        'span of label "Person", which --role ROLE=Person would read': 1,
        'link of type "causes" between spans without a role, which --link causes would read': 1,
    }


def test_relations_alone():
    table = Relations.from_examples([
        {"id": "a", "text": "a b c d", "relations": [
            None, {}, {"signal": (1, 2)}, {"cause": (0, 1)}, {"effect": (0, 1)},
            {"cause": [(0, 1), (2, 3)], "effect": (1, 2), "signal": [(0, 1), (3, 4)]},
            {"cause": (0, 2), "effect": (1, 3)},
            {"cause": (0, 2), "effect": (2, 3)},
        ]},
    ])  # fmt: skip
    report = check(table)
    assert [(f.kind, f.message, f.text) for f in report.findings] == [
        ("unread relation", "relation 1 cannot be read", None),
        ("relation without cause", "relation 3 has no cause", "b"),
        ("relation without effect", "relation 3 has no effect", "b"),
        ("relation without effect", "relation 4 has no effect", "a"),
        ("relation without cause", "relation 5 has no cause", "a"),
        ("several segments", "relation 6 has 2 spans of cause, expected one", "c"),
        (
            "overlapping cause and effect",
            "relation 7 has a cause and an effect that overlap",
            "a b",
        ),
    ]
    assert {(f.annotator, f.file, f.example) for f in report.findings} == {("table", "table", "a")}
    assert (report.findings[5].start, report.findings[5].stop) == (4, 5)


def test_without_text_or_ids():
    report = check(Relations.from_examples([{"length": 2, "relations": [{"cause": (0, 1)}]}]))
    (finding,) = report.findings
    assert (finding.example, finding.text, finding.start, finding.stop) == ("0", None, None, None)


def test_a_column_of_annotators():
    table = pa.table({
        "annotator": ["x", None], "length": [2, 2],
        "relations": [[[{"role": 0, "start": 0, "stop": 1}]]] * 2,
    })  # fmt: skip
    assert check(table).to_dict()["annotators"] == {
        "x": {"relation without effect": 1}, "table": {"relation without effect": 1},
    }  # fmt: skip
    assert check({"y": table}).to_dict()["annotators"] == {"y": {"relation without effect": 2}}


def test_other_roles():
    roles = ("cause", "effect", "signal", "negation")
    example = {"length": 3, "relations": [{"cause": (0, 1), "effect": (1, 2), "negation": (0, 1)}]}
    assert not check(Relations.from_examples([example], roles)).findings


@pytest.mark.parametrize("roles", [("reason", "act"), ("act", "reason", "degree"), ("reason",)])
def test_the_first_two_roles_stand_for_cause_and_effect(roles):
    one = {"reason": (0, 2), "act": (1, 3), "degree": [(0, 1), (2, 3)]}
    given = [one, {"degree": (0, 1)}, {"act": [(0, 1), (2, 3)]}, {}]
    known = [{role: spans for role, spans in each.items() if role in roles} for each in given]
    found = check(Relations.from_examples([{"length": 4, "relations": known}], roles)).findings
    arguments = roles[:2]
    expected = {("overlapping " + " and ".join(arguments), 1)} if len(arguments) > 1 else set()
    expected |= {(f"relation without {r}", 2) for r in arguments if "degree" in roles}
    if "act" in roles:
        expected |= {("relation without reason", 3), ("several segments", 3)}
    assert {(f.kind, int(f.message.split()[1])) for f in found} == expected
    assert sum(count_kinds(found).values()) == len(found)


def test_marks_of_other_roles(tmp_path):
    """Messages and kinds name the roles that were given."""
    (tmp_path / "a.txt").write_text("Heavy rain brings very bad floods .\n")
    spans = ["Reason 0 10\tHeavy rain", "Claim 6 17;23 26\train brings bad",
             "Degree 18 26\tvery bad", "Cause 27 33\tfloods", "Claim 27 33\tfloods"]  # fmt: skip
    lines = [f"T{k}\t{each}" for k, each in enumerate(spans, 1)]
    ends = [(1, 2), (3, 5), (1, 3)]
    lines += [f"R{k}\tCauses Arg1:T{a} Arg2:T{b}" for k, (a, b) in enumerate(ends, 1)]
    (tmp_path / "a.ann").write_text("\n".join(lines) + "\n")
    found = check(tmp_path, roles="reason,claim,degree").findings
    assert [(f.kind, f.message) for f in found] == [
        ("impossible link", 'Reason "Heavy rain" points to Degree "very bad", expected Reason or '
         "Degree to Claim"),
        ("overlapping reason and claim", 'Reason "Heavy rain" overlaps its Claim '
         '"rain brings very bad"'),
        ("discontinuous reason or claim", 'Claim "rain brings very bad" is in 2 pieces, expected '
         "one"),
        ("relation without reason", 'Claim "floods" has a Degree but no Reason'),
    ]  # fmt: skip


def test_types_of_relations():
    def typed(*types):
        whole = {"cause": (0, 1), "effect": (2, 3)}
        relations = [whole | ({"type": name} if name else {}) for name in types]
        return Relations.from_examples([{"text": "a b c", "relations": relations}])

    assert not check(typed(None, None)).findings
    one, other = typed("Enables", "enables", "Prevents"), typed(None, "enables")
    found = check({"ann": one, "ben": other}).findings
    assert [(f.annotator, f.kind, f.message, f.text) for f in found] == [
        ("ann", "type in another case",
         'relation 1 has the type "Enables", expected "enables" as in 2 relations', "a"),
        ("ben", "relation without type", "relation 1 has no type, as others have", "a"),
    ]  # fmt: skip
    assert not check(typed("Enables", "Prevents")).findings


def test_roles_in_another_order():
    """Cause and effect are the arguments wherever they stand."""
    relation = {"signal": [(0, 1), (2, 3)], "effect": (3, 4)}
    examples = [{"length": 4, "relations": [relation]}]
    (found,) = check(Relations.from_examples(examples, ("signal", "effect", "cause"))).findings
    assert found.message == "relation 1 has no cause"


def test_the_sample():
    report = check([sample.GOLD, *sample.ANNOTATORS.values(), *sample.SYSTEMS.values()])
    assert report.n_files == 7
    nested = {"gold": 9, "annotator_1": 2, "annotator_2": 5, "careful": 4, "chatty": 20}
    assert report.counts() == {"several segments": 13, "relation within a span": 40}
    for name in report.annotators:
        assert report.counts(name).get("relation within a span", 0) == nested.get(name, 0)
    assert report.counts("chatty")["several segments"] == 13


def test_several_annotators(brat):
    paths = [
        brat(GOOD, [(1, 2), (3, 2)], "amy"),
        brat(GOOD, [(2, 1)], "bob"),
        brat(GOOD, [(1, 2), (3, 2), (3, 3)], "bob", name="e"),
    ]
    report = check(paths)
    assert report.annotators == ("amy", "bob")
    assert report.counts() == {
        "span without link": 1, "reversed link": 1, "impossible link": 1,
    }  # fmt: skip
    assert report.counts("amy") == {}
    assert report.counts("bob") == report.counts()
    assert (report.n_files, report.n_examples, report.n_relations) == (3, 6, 3)
    assert check(dict(zip("xyz", paths, strict=True))).annotators == ("x", "y", "z")
    table = report.to_arrow()
    assert table.to_pylist() == report.to_dict()["findings"]
    assert table.column_names == [
        "annotator", "file", "example", "kind", "message", "text", "start", "stop",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ([], "^no annotations to check$"),
        ({}, "^no annotations to check$"),
        ("none.ann", r"none\.ann: No such file"),
        (3, "^cannot read a int"),
    ],
)
def test_what_cannot_be_checked(sources, message):
    with pytest.raises(InputError, match=message):
        check(sources)


LABELS = st.sampled_from(["Cause", "Effect", "Signal"])


@given(
    st.lists(st.tuples(LABELS, st.integers(0, 61), st.integers(1, 30)), min_size=1, max_size=6),
    st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), max_size=8),
)
@trials(150)
def test_without_findings_every_span_is_in_a_relation(tmp_path_factory, marks, links):
    """Without findings every span is in a relation; relations read have no fault but an overlap."""
    folder = tmp_path_factory.mktemp("checked", numbered=True)
    (folder / "d.txt").write_text(TEXT)
    lines = [f"T{k}\t{x} {a} {min(a + n, 61)}\n" for k, (x, a, n) in enumerate(marks, 1)]
    lines += [f"R{k}\tcauses A:T{a} B:T{b}\n" for k, (a, b) in enumerate(links, 1)]
    (folder / "d.ann").write_text("".join(lines))
    report = check(folder / "d.ann")
    relations = formats.read(folder / "d.ann")
    for finding in report.findings:
        assert finding.kind in KINDS
        assert TEXT[finding.start : finding.stop] == finding.text
    if not report.findings:
        assert relations.n_unread == 0
        assert set(relations.reading.notes) <= {"span cut a token"}
    if not check(relations).findings and relations.n_unread:
        raise AssertionError("an unread relation is a finding")
    assert set(check(relations).counts()) <= {
        "unread relation", "overlapping cause and effect", "relation within a span",
    }  # fmt: skip
    if relations.n_unread:
        assert report.findings


# ------------------------------------------------------------------------------- the command line


def test_command_without_findings(brat):
    path = brat([*GOOD, ("Person", "They")], [(1, 2), (3, 2)])
    out, err = cli("check", path, expect=0)
    assert out == f"files 1, examples 2, relations 1, findings 0\n{check(path).signature}\n"
    assert err == ('warning: span of label "Person", which --role ROLE=Person would read: 1\n')
    out, err = cli("check", path, "--json", expect=0)
    assert json.loads(out) == check(path).to_dict()


def test_command_with_findings(brat):
    paths = [brat(GOOD, [(2, 1), (3, 2)], "amy"), brat(GOOD, [(1, 2)], "bob")]
    out, err = cli("check", *paths, expect=1)
    lines = [line.split() for line in out.splitlines() if line.strip()]
    assert " ".join(lines[0]) == "files 2, examples 4, relations 2, findings 2"
    assert lines[1] == ["annotator", "file", "example", "kind", "what"]
    assert " ".join(lines[3]) == (
        f'amy {paths[0]} d:1 reversed link Effect "floods" points to Cause "Heavy rain", '
        "expected the other way round"
    )
    assert lines[5:-1] == [
        ["kind", "amy", "bob", "all"],
        lines[6],
        ["span", "without", "link", "0", "1", "1"],
        ["reversed", "link", "1", "0", "1"],
    ]
    assert not err
    out, err = cli("check", *paths, "--json", expect=1)
    assert json.loads(out) == check(list(map(str, paths))).to_dict()
    assert not err


def test_what_was_marked_is_no_markup(brat):
    text = "[red]rain[/blue] came :100: .\n"
    out, _ = cli(
        "check", brat([("Cause", "[red]rain[/blue]"), ("Effect", ":100:")], [], text=text), expect=1
    )
    assert 'Cause "[red]rain[/blue]" has no link' in out
    assert 'Effect ":100:" has no link' in out


def test_command_on_bad_input(brat, tmp_path):
    path = brat(GOOD, [(1, 2)])
    path.write_text("T1\n")
    message = f'{path}:1: "T1", expected a line of brat\'s standoff format'
    out, err = cli("check", brat(GOOD, [(1, 2)], "bob"), path, expect=2)
    assert (out, err) == ("", f"error: {message}\n")
    out, err = cli("check", path, "--json", expect=2)
    assert (json.loads(out), err) == ({"error": message}, "")

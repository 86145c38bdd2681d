"""UIMA CAS JSON in both layouts: its relations, and the features that hold labels."""

from __future__ import annotations

import pytest

from fastcausal import formats
from fastcausal.formats.annotation import layers, webanno
from fastcausal.formats.annotation.links import LONE
from tests.support.cas import LAYOUTS, LINKS, META, SENTENCES, TEXT, located, new_layout, save


@pytest.fixture(params=LAYOUTS)
def read(request, tmp_path):
    """Read a document in either layout."""

    def reader(**options):
        return webanno.read(save(tmp_path, LAYOUTS[request.param](**options)))

    return reader


def found(relations):
    return [row["relations"] for row in relations.to_examples()]


# ------------------------------------------------------------------------------- whole documents


def test_a_document(read):
    relations = read()
    assert relations.ids.to_pylist() == ["d.txt:1", "d.txt:2"]
    assert relations.table["text"].to_pylist() == TEXT.split("\r\n")
    assert relations.table["length"].to_pylist() == [5, 7]
    assert set(relations.table["doc_id"].to_pylist()) == {"d.txt"}
    assert set(relations.table["annotator"].to_pylist()) == {"ann"}
    assert found(relations) == [
        [{"cause": [(0, 2)], "effect": [(3, 4)], "signal": [(2, 3)]}],
        [{"cause": [(4, 6)], "effect": [(0, 2)], "signal": [(2, 4)]}],
    ]
    assert not any(relations.reading.notes.values())


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_content_tells_the_format(tmp_path, layout, indent):
    path = save(tmp_path, LAYOUTS[layout](), indent=indent)
    for name in ("x.json", "x"):
        path = path.rename(tmp_path / name)
        assert formats.opened(formats.Source.open(path)).format.name == "webanno"
        assert formats.read(path).table.equals(webanno.read(path).table)
        assert formats.read(path, "webanno").table.equals(webanno.read(path).table)


def test_json_lines_are_told_apart(tmp_path):
    line = {"id": "a", "text": 'a "%FEATURE_STRUCTURES" "_views" "_referenced_fss"'}
    path = save(tmp_path, {**line, "relations": []})
    assert formats.opened(formats.Source.open(path)).format.name == "spans"


def test_positions_may_be_marked_as_such(tmp_path):
    plain = webanno.read(save(tmp_path, new_layout()))
    assert webanno.read(save(tmp_path, new_layout(mark="^"))).table.equals(plain.table)


def test_structures_by_id(tmp_path):
    data = new_layout()
    plain = webanno.read(save(tmp_path, data))
    listed = data["%FEATURE_STRUCTURES"]
    data["%FEATURE_STRUCTURES"] = {str(item.pop("%ID")): item for item in listed}
    assert webanno.read(save(tmp_path, data)).table.equals(plain.table)


def test_what_is_no_member_of_the_view_was_deleted(tmp_path):
    data = new_layout()
    data["%VIEWS"]["_InitialView"]["%MEMBERS"].remove(101)
    assert found(webanno.read(save(tmp_path, data)))[0] == [{"cause": [(0, 2)], "effect": [(3, 4)]}]


def test_the_first_view_counts(tmp_path):
    data = new_layout()
    other = {"%ID": 2, "%TYPE": "uima.cas.Sofa", "sofaID": "b", "sofaString": "Other."}
    data["%FEATURE_STRUCTURES"].insert(0, other)
    data["%VIEWS"] = {"b": {"%SOFA": 2, "%MEMBERS": []}, **data["%VIEWS"]}
    assert len(webanno.read(save(tmp_path, data))) == 2
    del data["%VIEWS"]["_InitialView"]
    assert webanno.read(save(tmp_path, data)).table["text"].to_pylist() == ["Other."]


def test_an_effect_of_several_causes(read):
    marks = located([("Effect", "floods"), ("Cause", "caused"), ("cause", "Heavy rain"),
                     (" SIGNAL", ".")])  # fmt: skip
    relations = read(marks=marks, links=[(1, 0), (2, 0), (3, 0)])
    assert found(relations)[0] == [
        {"cause": [(2, 3)], "effect": [(3, 4)], "signal": [(4, 5)]},
        {"cause": [(0, 2)], "effect": [(3, 4)], "signal": [(4, 5)]},
    ]


def test_relations_come_in_the_order_of_links(read):
    """Effects follow their first links, even a signal's; causes of an effect follow their links."""
    marks = located([("Cause", "Heavy"), ("Cause", "rain"), ("Signal", "caused"),
                     ("Effect", "floods"), ("Effect", ".")])  # fmt: skip
    order = [(0, 4), (2, 3), (1, 4), (1, 3), (0, 4)]
    for links in (order, order[1:], order[::-1]):
        made = []
        for effect in dict.fromkeys(b for _, b in links):
            causes = dict.fromkeys(a for a, b in links if b == effect and a != 2)
            made += [(a, a + 1, effect, effect + 1) for a in causes]
        relations = found(read(marks=marks, links=links))[0]
        assert [(*r["cause"][0], *r["effect"][0]) for r in relations] == made


def test_several_signals(read):
    marks = located([("Effect", "floods"), ("Cause", "rain"), ("Signal", "Heavy"), ("Signal", ".")])
    relations = read(marks=marks, links=[(1, 0), (2, 0), (3, 0)])
    assert found(relations)[0] == [
        {"cause": [(1, 2)], "effect": [(3, 4)], "signal": [(0, 1), (4, 5)]}
    ]


def test_faults_that_leave_a_relation(read):
    relations = read(links=[(2, 0), (1, 2), (0, 1), (1, 0), (3, 2), (None, 3), (4, None)])
    assert found(relations) == [
        [{"cause": [(0, 2)], "effect": [(3, 4)], "signal": [(2, 3)]}], [],
    ]  # fmt: skip
    assert relations.reading.notes == {
        "reversed link": 1, "link left out": 5, "span left out": 3, LONE: 3,
    }  # fmt: skip


def test_faults_that_leave_none(read):
    relations = read(links=[(1, 2), (0, 3), (5, 2)])
    assert found(relations) == [[None], [None]]
    assert [message.partition(": example ")[2] for message in relations.reading.unread] == [
        'd.txt:1: relation 1: Effect "floods" has a Signal but no Cause',
        'd.txt:2: relation 1: Cause "Heavy rain" is not within the sentence; '
        "--example document would read it",
    ]


def test_a_signal_that_cannot_be_placed(read):
    relations = read(links=[(0, 2), (5, 2)])
    assert found(relations) == [[{"cause": [(0, 2)], "effect": [(3, 4)]}], []]
    assert relations.reading.notes["span left out"] == 1 + 3  # the others have no link


@pytest.mark.parametrize(
    ("start", "stop", "reason"),
    [
        (
            18,
            32,
            r'Effect "floods .\r\nThey" is not within the sentence; '
            "--example document would read it",
        ),
        (10, 11, 'Effect " " marks no token'),
        (18, 18, 'Effect "" marks no token'),
    ],
)
def test_an_effect_that_cannot_be_placed(read, start, stop, reason):
    marks = [("Cause", 0, 10), ("Effect", start, stop), ("Cause", 11, 17)]
    relations = read(marks=marks, links=[(0, 1), (2, 1)])
    assert found(relations) == [[None, None], []]
    assert all(m.endswith(f"{k}: {reason}") for k, m in enumerate(relations.reading.unread, 1))


def test_an_effect_in_no_sentence(read):
    marks = [("Cause", 0, 10), ("Effect", 28, 32)]
    relations = read(marks=marks, links=[(0, 1)], sentences=SENTENCES[:1])
    assert found(relations) == [[]]
    assert relations.reading.notes["span left out"] == 1


def test_a_span_that_cuts_a_token(read):
    relations = read(marks=[("Cause", 1, 8), ("Effect", 18, 25)], links=[(0, 1)])
    assert found(relations)[0] == [{"cause": [(0, 2)], "effect": [(3, 4)]}]
    assert relations.reading.notes["span cut a token"] == 1


# -------------------------------------------------------------------------- text and its pieces


def test_tokens_of_the_file(read):
    text = "Rain, then floods."
    tokens = [(0, 4), (4, 5), (6, 10), (11, 17), (17, 18), (18, 18)]
    marks = located([("Cause", "Rain"), ("Effect", "floods"), ("Signal", "then")], text)
    options = {"text": text, "marks": marks, "links": [(0, 1), (2, 1)], "sentences": [(0, 18)]}
    relations = read(tokens=tokens, **options)
    assert relations.table["text"].to_pylist() == ["Rain , then floods ."]
    assert found(relations) == [[{"cause": [(0, 1)], "effect": [(3, 4)], "signal": [(2, 3)]}]]
    spaced = read(tokens=[(0, 5), (6, 10), (11, 18)], **options)
    assert spaced.table["text"].to_pylist() == [text]
    assert spaced.table["length"].to_pylist() == [3]
    assert spaced.reading.notes["span cut a token"] == 2
    assert read(tokens=[(0, 18)], **options).table["text"].to_pylist() == [None]
    gap = read(tokens=[(0, 4), (6, 10)], **options)
    assert found(gap) == [[None]]


def test_without_sentences_lines_are(read):
    text = TEXT.replace("\r\n", "\n\n \n") + "\n"
    marks = located(text=text)
    relations = read(text=text, marks=marks, sentences=())
    assert relations.ids.to_pylist() == ["d.txt:1", "d.txt:4"]
    assert [len(row) for row in found(relations)] == [1, 1]


def test_blank_sentences_count_but_are_no_examples(read):
    relations = read(sentences=[(0, 26), (26, 28), (28, 61)])
    assert relations.ids.to_pylist() == ["d.txt:1", "d.txt:3"]


def test_positions_count_utf_16_units(read):
    text = "\U0001f4a7\U0001f4a7 brings \U0001f30a ."
    marks = [("Cause", 0, 2), ("Effect", 10, 11), ("Signal", 3, 9)]
    relations = read(text=text, marks=marks, links=[(0, 1), (2, 1)], sentences=[(0, 13)])
    assert found(relations) == [[{"cause": [(0, 1)], "effect": [(2, 3)], "signal": [(1, 2)]}]]
    assert relations.table["text"].to_pylist() == [text]


@pytest.mark.parametrize(
    ("meta", "name", "expected"),
    [
        (META, "bob.json", ("d.txt", "ann")),
        ({"documentTitle": "d.txt"}, "bob.json", ("d.txt", "bob")),
        ({"documentTitle": "d.txt", "documentId": "d.txt"}, "bob.json", ("d.txt", "bob")),
        ({"documentId": "ann"}, "bob.json", ("bob", "ann")),
        ({}, "bob.json", ("d.txt", "bob")),
        ({"documentId": "bob"}, "bob", ("d.txt", "bob")),
    ],
)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_names(tmp_path, layout, meta, name, expected, monkeypatch):
    """Without metadata a file is in the folder of its document, as in an exported project."""
    folder = tmp_path / "d.txt"
    folder.mkdir()
    document = webanno.parse(save(folder, LAYOUTS[layout](meta=meta), name))
    assert (document.name, document.annotator) == expected
    monkeypatch.chdir(folder)
    document = webanno.parse(name)
    assert (document.name, document.annotator) == expected


# ------------------------------------------------------------------------------------ the layer


def marked(document):
    return [(mark.label, mark.start, mark.stop) for mark in document.marks]


@pytest.fixture(params=LAYOUTS)
def parse(request, tmp_path):
    def parser(**options):
        return webanno.parse(save(tmp_path, LAYOUTS[request.param](**options)))

    return parser


def test_any_layer_and_feature(parse):
    for feature in ("CES", "label", "value"):
        for type in ("webanno.custom.X", "custom.Span", "my.own.Layer"):
            assert marked(parse(span=type, feature=feature)) == located()


def test_spans_without_labels(parse):
    marks = [(None, 0, 10), ("Effect", 18, 24), (" ", 11, 17)]
    document = parse(marks=marks, links=[])
    assert [mark.label for mark in document.marks] == [None, "Effect", None]


def test_labels_that_are_none(parse):
    marks = [("Ursache", 0, 10), ("Wirkung", 18, 24)]
    for links in ([], [(0, 1)]):
        document = parse(marks=marks, links=links)
        assert marked(document) == marks
        assert document.roles == [None, None]
        assert found(document.relations()) == [[], []]
    assert marked(parse(marks=[(None, 0, 10)], links=[])) == [(None, 0, 10)]


def test_a_layer_of_other_things(parse):
    document = parse(marks=[("PER", 0, 10)], links=[], span="de.dkpro.NamedEntity", feature="value")
    assert not document.marks
    assert document.relations().reading.notes == {layers.NO_LAYER: 1}
    assert found(document.relations()) == [[], []]


def test_the_feature_can_be_told(tmp_path):
    data = new_layout()
    for item in data["%FEATURE_STRUCTURES"]:
        if "CES" in item:
            item["second"] = "Cause"
    path = save(tmp_path, data)
    assert {mark.label for mark in webanno.parse(path).marks} == {"Cause"}  # most of these
    assert marked(webanno.parse(path, "CES")) == located()
    for item in data["%FEATURE_STRUCTURES"]:
        if "CES" in item:
            item["second"] = "x"
    path = save(tmp_path, data)
    assert marked(webanno.parse(path)) == located()
    assert {mark.label for mark in webanno.parse(path, "second").marks} == {"x"}
    assert {mark.label for mark in webanno.parse(path, "none").marks} == {None}


def test_links_of_other_layers_are_none(tmp_path):
    data = new_layout()
    for k in (300, 301):
        item = {"%ID": k, "%TYPE": "x.Dependency", "@Governor": 10, "@Dependent": 11, "@sofa": 1}
        data["%FEATURE_STRUCTURES"].append(item)
        data["%VIEWS"]["_InitialView"]["%MEMBERS"].append(k)
    document = webanno.parse(save(tmp_path, data))
    assert [(link.source, link.target) for link in document.links] == LINKS
    assert [link.name for link in document.links][:2] == ["CausalLabel 200", "CausalLabel 201"]

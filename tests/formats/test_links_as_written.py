"""The worked examples of shared/reference/relations.md on events, documents, lone spans, links."""

from __future__ import annotations

import json
from collections import Counter

import fastcausal as fc


def read_one(source, **options):
    (row,) = fc.read(source, **options).to_examples()
    return row


def spans_of(relation):
    return {role: spans for role, spans in relation.items() if role != "type"}


def brat(folder, text, *rows):
    folder.mkdir(exist_ok=True)
    (folder / "d.txt").write_text(text, newline="")
    (folder / "d.ann").write_text("".join(row + "\n" for row in rows))
    return folder / "d.ann"


PRICES = (
    "T1\tSignal 12 19\tbecause",
    "T2\tCause 20 34\toil was scarce",
    "T3\tEffect 0 11\tPrices rose",
)


def test_an_event(tmp_path):
    text = "Prices rose because oil was scarce .\n"
    path = brat(tmp_path, text, *PRICES, "E1\tSignal:T1 Cause:T2 Effect:T3")
    found = fc.read(path)
    assert [spans_of(r) for r in found.to_examples()[0]["relations"]] == [
        {"cause": [(3, 6)], "effect": [(0, 2)], "signal": [(2, 3)]}
    ]
    assert found.table["types"].to_pylist() == [["Signal"]]
    bare = fc.read(path, trigger="none").to_examples()[0]["relations"]
    assert [spans_of(r) for r in bare] == [{"cause": [(3, 6)], "effect": [(0, 2)]}]


def test_events_in_a_circle_and_numbered_arguments(tmp_path):
    path = brat(
        tmp_path, "a b c d e f g\n",
        *(f"T{k + 1}\t{label} {2 * k} {2 * k + 1}\t{'abcdefg'[k]}" for k, label in enumerate(
            ("Consequence", "Argument", "Argument", "Argument", "Consequence", "Consequence"))),
        "E1\tConsequence:T1 Cause:T2 Cause2:T3 Effect:T4",
        "E2\tConsequence:T5 Cause:E3 Effect:T2",
        "E3\tConsequence:T6 Cause:E2 Effect:T2",
        "E4\tConsequence:T5 Effect:E1",
        "E5\tConsequence:T5 Means:T2",
    )  # fmt: skip
    found = fc.read(path)
    relations = Counter(str(spans_of(r)) for r in found.to_examples()[0]["relations"])
    assert relations == Counter(map(str, [
        {"cause": [(1, 2), (2, 3)], "effect": [(3, 4)], "signal": [(0, 1)]},
        {"effect": [(0, 1)], "signal": [(4, 5)]},
    ]))  # fmt: skip
    assert sum(n for note, n in found.reading.notes.items() if "event" in note) >= 3


def test_a_whole_document(tmp_path):
    text = "Heavy rain fell and the\nriver rose .\n"
    path = brat(
        tmp_path, text, "T1\tCause 0 15\tHeavy rain fell", "T2\tEffect 20 23;24 34\tthe river rose",
        "R1\tCauses Arg1:T1 Arg2:T2",
    )  # fmt: skip
    row = read_one(path, example="document")
    assert row["id"] == "d"
    assert row["text"].rstrip() == "Heavy rain fell and the river rose ."
    assert row["relations"] == [{"cause": [(0, 3)], "effect": [(4, 7)]}]
    by_line = fc.read(path)
    assert len(by_line) == 2
    assert by_line.unparsed["reason"].to_pylist()


# --------------------------------------------------------------------------- lone spans


def doccano(tmp_path, *rows):
    path = tmp_path / "amy.jsonl"
    listed = []
    for k, (text, marked, links) in enumerate(rows):
        entities = [
            {"id": j, "label": label, "start_offset": text.index(said),
             "end_offset": text.index(said) + len(said)}
            for j, (label, said) in enumerate(marked)
        ]  # fmt: skip
        relations = [{"id": j, "from_id": a, "to_id": b, "type": type}
                     for j, (type, a, b) in enumerate(links)]  # fmt: skip
        listed.append({"id": k, "text": text, "entities": entities, "relations": relations})
    path.write_text("\n".join(map(json.dumps, listed)))
    return path


def test_lone_spans(tmp_path):
    three = [("Cause", "a"), ("Effect", "b"), ("Signal", "c"), ("Signal", "d")]
    path = doccano(
        tmp_path, ("a b c d", three, []), ("a b c d", [*three, ("Cause", "d")], []),
        ("a b c d", three, [("leads to", 0, 1)]),
    )  # fmt: skip
    dropped, kept, paired = (
        [row["relations"] for row in fc.read(path, lone=way).to_examples()]
        for way in ("drop", "keep", "pair")
    )
    signals = [{"signal": [(2, 3)]}, {"signal": [(3, 4)]}]
    each = [{"cause": [(0, 1)]}, {"effect": [(1, 2)]}, *signals]
    pair = {"cause": [(0, 1)], "effect": [(1, 2)]}
    ordered = lambda rows: [sorted(map(str, map(spans_of, row))) for row in rows]  # noqa: E731
    assert ordered(dropped) == ordered([[], [], [pair]])
    more = [*each, {"cause": [(3, 4)]}]
    assert ordered(kept) == ordered([each, more, [pair, *signals]])
    whole = pair | {"signal": [(2, 3), (3, 4)]}
    assert ordered(paired) == ordered([[whole], more, [pair, *signals]])


# --------------------------------------------------------------------------- links


def test_links_with_direction(tmp_path):
    path = doccano(
        tmp_path,
        ("a b c d", [("Event", "a"), ("Event", "b"), ("Event", "c")],
         [("causes", 0, 1), ("causes", 1, 2), ("caused_by", 0, 2), ("other", 0, 2)]),
    )  # fmt: skip
    found = fc.read(path, link=["causes", "caused_by=effect>cause"])
    types = found.table["types"].to_pylist()[0]
    relations = [spans_of(r) for r in found.to_examples()[0]["relations"]]
    assert list(zip(types, relations, strict=True)) == [
        ("causes", {"cause": [(0, 1)], "effect": [(1, 2)]}),
        ("causes", {"cause": [(1, 2)], "effect": [(2, 3)]}),
        ("caused_by", {"cause": [(2, 3)], "effect": [(0, 1)]}),
    ]
    assert any("other" in note for note in found.reading.notes)
    assert fc.read(path).n_relations == 0


def test_signals_of_named_links(tmp_path):
    """They belong to all relations of which the other end is the effect, else the cause."""
    spans = [("Event", "a"), ("Event", "b"), ("Effect", "c"), ("Signal", "d"), ("signal", "e")]
    path = doccano(
        tmp_path,
        ("a b c d e", spans, [("causes", 0, 1), ("causes", 2, 1), ("causes", 0, 2),
                              ("causes", 3, 1), ("causes", 0, 4), ("other", 4, 1)]),
    )  # fmt: skip
    found = fc.read(path, link=["causes"])
    relations = Counter(str(spans_of(r)) for r in found.to_examples()[0]["relations"])
    assert relations == Counter(map(str, [
        {"cause": [(0, 1)], "effect": [(1, 2)], "signal": [(3, 4), (4, 5)]},
        {"cause": [(2, 3)], "effect": [(1, 2)], "signal": [(3, 4)]},
        {"cause": [(0, 1)], "effect": [(2, 3)], "signal": [(4, 5)]},
    ]))  # fmt: skip


def test_an_event_with_its_own_signal_and_parts_within_parts(tmp_path):
    path = brat(
        tmp_path, "a b c d e f\n", "T1\tMotivation 0 1\ta", "T2\tArgument 2 9;4 5\tb c d e c",
        "T3\tArgument 10 11\tf", "E1\tMotivation:T1 Cause:T2 Effect:T3 Signal:T3",
    )  # fmt: skip
    (relation,) = map(spans_of, read_one(path)["relations"])
    assert relation == {"cause": [(1, 5)], "effect": [(5, 6)], "signal": [(5, 6)]}

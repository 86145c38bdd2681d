"""Files in the layouts of public corpora, as many relations as these have, and no word of them.

The numbers are counts of the corpora's own files, by grep and by the loops of the oracle: BECauSE
2, BioCause, ADE, and the files of doccano of JointLearning.
"""

from __future__ import annotations

import json
import re

import pytest

import fastcausal as fc


def wrapped(n, width=4):
    """A text of n sentences whose lines end after some words, with the places of its words."""
    words = " ".join(f"storm{k} closed road{k} ." for k in range(n)).split(" ")
    ends = ("\n" if k % width == width - 1 else " " for k in range(len(words)))
    text = "".join(word + end for word, end in zip(words, ends, strict=True))
    return text, [match.span() for match in re.finditer(r"\S+", text)]


def events(folder, n, lone, type, cause):
    """Write a document of n events of both arguments and of some with an effect alone."""
    text, at = wrapped(n + lone)
    rows = []
    for k in range(n + lone):
        marks = zip((type, "Argument", "Argument"), (4 * k + 1, 4 * k, 4 * k + 2), strict=True)
        for j, (label, word) in enumerate(marks, 1):
            a, b = at[word]
            rows.append(f"T{3 * k + j}\t{label} {a} {b}\t{text[a:b]}")
        both = f" {cause}:T{3 * k + 2}" * (k < n)
        rows += [f"E{k}\t{type}:T{3 * k + 1}{both} Effect:T{3 * k + 3}", f"A{k}\tDegree E{k} Low"]
    (folder / "d.txt").write_text(text, newline="")
    (folder / "d.ann").write_text("\n".join(rows) + "\n")
    return folder / "d.ann"


def full(relations):
    """Return how many relations have cause and effect."""
    rows = (one for row in relations.to_examples() for one in row["relations"])
    return sum({"cause", "effect"} <= {*one} for one in rows if one)


@pytest.mark.parametrize(
    ("n", "lone", "type", "cause", "role"),
    [
        (200, 21, "Motivation", "Cause", None),  # BECauSE, MASC
        (286, 45, "NonCausal", "Cause", None),  # BECauSE, CongressionalHearings
        (851, 0, "Causality", "Evidence", "cause=Evidence"),  # BioCause
    ],
    ids=["MASC", "CongressionalHearings", "BioCause"],
)
def test_events_in_wrapped_lines(tmp_path, n, lone, type, cause, role):
    path = events(tmp_path, n, lone, type, cause)
    found = fc.read(path, example="document", role=role)
    assert (len(found), found.n_relations, full(found)) == (1, n + lone, n)
    assert {kind for row in found.table["types"].to_pylist() for kind in row} == {type}
    report = fc.score(found, found, words=None)
    assert report["overall"].f1 == 1.0


def test_drugs_and_their_effects(tmp_path):
    """ADE, as a flat table: 6,821 rows of 4,272 sentences."""
    rows = ["id,text,cause,effect"]
    for k in range(6821):
        one = k % 4272
        effect = ("fever", "mild rash")[k >= 4272]
        rows.append(f"{one},Drug{one} gave fever and mild rash .,Drug{one},{effect}")
    (tmp_path / "ade.csv").write_text("\n".join(rows) + "\n")
    found = fc.read(tmp_path / "ade.csv")
    assert (len(found), found.n_relations, full(found)) == (4272, 6821, 6821)
    assert fc.score(found, found)["overall"].f1 == 1.0


@pytest.mark.parametrize(
    ("texts", "links", "odd", "again"), [(452, 321, 1, 0), (2109, 1535, 2, 1), (3000, 2215, 3, 1)]
)
def test_links_of_doccano(tmp_path, texts, links, odd, again):
    """Links of cause and effect, some between two causes, some written twice."""
    rows = []
    for k in range(texts):
        entities = [{"id": 3 * k + j, "label": label, "start_offset": a, "end_offset": b}
                    for j, (label, a, b) in enumerate((("cause", 0, 5), ("effect", 12, 16),
                                                       ("cause", 17, 22)))]  # fmt: skip
        ends = [(0, 1)] * (k < links) + [(0, 2)] * (k < odd) + [(0, 1)] * (k < again)
        relations = [{"id": 9 * k + j, "from_id": 3 * k + a, "to_id": 3 * k + b, "type": "Rel_CE"}
                     for j, (a, b) in enumerate(ends)]  # fmt: skip
        rows.append({"id": k, "text": "storm closed road storm", "entities": entities,
                     "relations": relations, "Comments": []})  # fmt: skip
    path = tmp_path / "all.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    found = fc.read(path)
    assert (len(found), found.n_relations) == (texts, links)
    assert [*found.table["types"].to_pylist()[0]] == ["Rel_CE"]
    kept = fc.read(path, lone="keep")
    assert kept.n_relations == links + texts + 2 * (texts - links) + 0 * odd
    assert fc.score(found, found)["overall"].f1 == 1.0

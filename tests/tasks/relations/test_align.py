"""Sides that fit together, and the messages about sides that do not, word for word."""

from __future__ import annotations

import re
from dataclasses import replace

import pyarrow as pa
import pytest

import fastcausal as fc
from fastcausal.errors import counted
from fastcausal.formats.cnc.rereading import read_with_tags
from fastcausal.protocols import CNC_2023, RECESS
from fastcausal.tasks.relations.align import align
from fastcausal.tasks.relations.unread import Unparsed

CAUSE = {"cause": (0, 2)}
# Surplus and non-causal predictions are left out.
OFFICIAL = replace(CNC_2023, name="test", tags="strict")


def examples(*relations, length=4, ids=None):
    """A table with one example per argument: a list of relations, None for one that is unread."""
    rows = [{"length": length, "relations": r} for r in relations]
    if ids:
        rows = [{"id": name} | row for name, row in zip(ids, rows, strict=True)]
    return fc.Relations.from_examples(rows)


def aligned(gold, pred, protocol=RECESS, **policies):
    return align(*read_with_tags(gold, pred, protocol.tags), protocol, **policies)


def refused(message, gold, pred, protocol=RECESS, **policies):
    with pytest.raises(fc.InputError, match=f"^{re.escape(message)}$"):
        align(gold, pred, protocol, **policies)


def test_policies():
    for policy in ("unparsed", "unmatched"):
        message = f'^{policy} is "ignore", expected one of error, empty, skip$'
        with pytest.raises(ValueError, match=message):
            fc.ExtractionScorer(**{policy: "ignore"})


def test_roles():
    gold, pred = (
        fc.Relations.from_examples([{"length": 1, "relations": []}], roles=roles)
        for roles in (("cause", "effect"), ("cause", "consequence"))
    )
    refused("pred has the roles cause, consequence, expected cause, effect as in gold", gold, pred)


def test_rows_without_ids():
    message = (
        "pred has 3 examples, expected 2 as in gold "
        "(without ids on both sides, examples are joined by position)"
    )
    refused(message, examples([], []), examples([], [], []))
    refused(message, examples([], [], ids="ab"), examples([], [], []))
    refused(message, examples([], []), examples([], [], [], ids="abc"))


def test_ids_that_differ():
    gold = examples([], [], [], [], [], ids="abcde")
    refused(
        '1 examples of gold have no prediction ("e"), 0 of pred are not in gold; '
        'unmatched="empty" or "skip" would allow it',
        gold,
        examples([], [], [], [], ids="dcba"),
    )
    refused(
        '5 examples of gold have no prediction ("a", "b", "c", ...), '
        '2 of pred are not in gold ("x", "y"): "id" is "x", and gold has no id of this file: '
        'its first is "a"; unmatched="empty" or "skip" would allow it',
        gold,
        examples([], [], ids="xy"),
    )


def test_unmatched_policies():
    gold = examples([CAUSE], [CAUSE] * 2, [CAUSE] * 3, ids="abc")
    pred = examples([CAUSE] * 4, [CAUSE] * 5, [CAUSE] * 6, ids="xca")
    warning = (
        'unmatched={}: 1 examples of gold have no prediction ("b"), 1 of pred are not in gold ("x")'
    )
    skipped = aligned(gold, pred, unmatched="skip")
    assert skipped.examples["id"].to_pylist() == ["a", "c"]
    assert skipped.gold.relation_offsets.tolist() == [0, 1, 4]
    assert skipped.pred.relation_offsets.tolist() == [0, 6, 11]
    assert skipped.warnings == (warning.format("skip"),)
    empty = aligned(gold, pred, unmatched="empty")
    assert empty.examples["id"].to_pylist() == ["a", "b", "c", "x"]
    assert empty.gold.relation_offsets.tolist() == [0, 1, 3, 6, 6]
    assert empty.pred.relation_offsets.tolist() == [0, 6, 6, 11, 15]
    assert empty.gold.lengths.tolist() == empty.pred.lengths.tolist() == [4, 4, 4, 4]
    assert empty.warnings == (warning.format("empty"),)


def test_ids_in_any_order():
    gold = examples([CAUSE], [], [CAUSE] * 3, ids="abc")
    pred = examples([CAUSE] * 6, [CAUSE] * 4, [CAUSE] * 5, ids="cab")
    found = aligned(gold, pred)
    assert found.examples["id"].to_pylist() == ["a", "b", "c"]
    assert found.pred.relation_offsets.tolist() == [0, 4, 9, 15]
    assert not found.warnings


def test_unread_gold():
    refused("1 relation of gold could not be read", examples([CAUSE, None]), examples([CAUSE]))
    gold = fc.read([["<ARG0>a</ARG0> b", "<ARG0>a b"], ["b</ARG1>"]])
    refused(
        "2 relations of gold could not be read:\n"
        "example 0: relation 2: <ARG0> is never closed\n"
        "example 1: relation 1: </ARG1> closes nothing",
        gold,
        gold,
    )


def test_unread_predictions():
    gold = examples([CAUSE], [], ids="ab")
    pred = fc.read([["<ARG0>a</ARG0> b", "<ARG0>a b c d"], ["a b"]], like=gold)
    refused(
        "3 relations of pred could not be read:\n"
        "example a: relation 1 has 2 tokens, expected 4\n"
        "example a: relation 2: <ARG0> is never closed\n"
        "example b: relation 1 has 2 tokens, expected 4\n"
        'unparsed="empty" or "skip" would score the rest',
        gold,
        pred,
    )
    empty = aligned(gold, pred, unparsed="empty")
    assert empty.unparsed == Unparsed(relations=3)
    assert empty.pred.row_offsets.tolist() == [0, 0, 0, 0]
    skip = aligned(examples([CAUSE], [], [], ids="abc"), examples([None], [], [], ids="abc"),
                   unparsed="skip")  # fmt: skip
    assert skip.examples["id"].to_pylist() == ["b", "c"]
    assert skip.unparsed == Unparsed(relations=1, examples=1)


def test_unread_predictions_that_the_protocol_does_not_look_at():
    gold = examples([CAUSE], [])
    pred = examples([CAUSE, None], [None])
    for policy in ("error", "empty", "skip"):
        found = aligned(gold, pred, OFFICIAL, unparsed=policy)
        assert not found.warnings
        assert found.gold.n_examples == 2
    for protocol, count in ((replace(OFFICIAL, surplus="charge"), 1),
                            (replace(OFFICIAL, non_causal="charge"), 1),
                            (RECESS, 2)):  # fmt: skip
        refused(
            f"{counted(count, 'relation')} of pred could not be read; "
            'unparsed="empty" or "skip" would score the rest',
            gold,
            pred,
            protocol,
        )


def test_lengths():
    known, unknown = examples([CAUSE], ids="a"), examples([CAUSE], ids="a", length=None)
    refused('example a has no length: give "length", "tokens" or "text"', unknown, unknown)
    for gold, pred in ((known, unknown), (unknown, known), (known, known)):
        found = aligned(gold, pred)
        assert found.gold.lengths.tolist() == found.pred.lengths.tolist() == [4]
    refused(
        "example a: pred has 5 tokens, expected 4 as in gold",
        known,
        examples([CAUSE], ids="a", length=5),
    )
    refused(
        "example 0: a span of pred ends at 9, after the last of 4 tokens",
        examples([CAUSE]),
        examples([{"cause": [(1, 6), (2, 9)]}, CAUSE], length=None),
    )


def test_lengths_of_examples_that_the_protocol_does_not_look_at():
    gold = examples([CAUSE], [])
    pred = examples([CAUSE], [{"cause": (0, 9)}], length=None)
    refused("example 1: a span of pred ends at 9, after the last of 4 tokens", gold, pred)
    assert aligned(gold, pred, OFFICIAL).gold.n_examples == 2


def test_ten_faults_and_the_count():
    gold, pred = examples(*[[]] * 25), examples(*[[]] * 25, length=5)
    with pytest.raises(fc.InputError) as caught:
        align(gold, pred, RECESS)
    first, *_, tenth, last = str(caught.value).splitlines()
    assert first == "example 0: pred has 5 tokens, expected 4 as in gold"
    assert tenth == "example 9: pred has 5 tokens, expected 4 as in gold"
    assert last == "... and 15 more"


def test_tags_are_read_as_the_protocol_reads():
    """Tags are read from the kept tagged sentences, else as if spans were written with tags."""
    gold = fc.read([["<ARG0>Rain</ARG0> falls <ARG1>today</ARG1>"]])
    stops = {
        protocol.name: aligned(gold, gold, protocol).gold.values[:, 2].tolist()
        for protocol in (RECESS, CNC_2023)
    }
    assert stops == {"recess": [1, 3], "cnc-2023": [2, 3]}
    bare = fc.Relations(gold.table.drop_columns(["tagged"]))
    found = aligned(gold, bare, CNC_2023)
    assert found.gold.values.tolist() == found.pred.values.tolist() == [[0, 0, 2], [1, 2, 3]]
    assert found.n_as_given == 0
    assert found.warnings == (
        "the tags of pred were read as strict, but cnc-2023 reads them as cnc-2023: "
        "its spans are read as if written with tags anew",
    )
    untagged = examples([CAUSE])
    assert not aligned(untagged, untagged, CNC_2023).warnings


@pytest.mark.parametrize("protocol", [RECESS, CNC_2023, fc.PROTOCOLS["cnc-2022"]])
def test_a_reading_is_not_undone_and_not_repeated(protocol):
    """Spans read by another official reading stay as they are, and the signature shows it."""
    sentences = [["<ARG0>a</ARG0> <ARG1>b <ARG0>c</ARG0></ARG1> d"]]  # leaves a cause of one word
    for tags in ("cnc-2023", "cnc-2022"):
        gold = fc.read(sentences, tags=tags)
        bare = fc.Relations(gold.table.drop_columns(["tagged"]))
        rows = fc.Rows.of(bare)
        again = rows.to_relations()
        assert again.reading.tags == rows.tags == tags
        for side in (bare, again):
            found = aligned(side, side, protocol)
            assert found.gold.values.tolist() == rows.values.tolist()
            assert found.n_as_given == (0 if tags == protocol.tags else 2)
        report = fc.score(rows, rows, protocol)
        assert ("|tags:as-given|" in report.signature) == (tags != protocol.tags)
        said = [warning for warning in report.warnings if warning.startswith("tags:as-given: ")]
        assert len(said) == (tags != protocol.tags)


def test_notes_of_reading_are_passed_on():
    gold = examples([CAUSE])
    pred = gold.with_reading(notes={"ambiguous span": 3})
    assert aligned(gold, pred).warnings == ("pred: ambiguous span: 3",)


def test_the_columns_that_describe_examples():
    gold = fc.Relations.from_examples(
        [{"id": "a", "text": "b c", "doc_id": "d", "relations": [{"cause": (0, 1)}]}]
    )
    kept = gold.table.append_column("tagged", pa.array([["<ARG0>b</ARG0> c"]]))
    found = aligned(fc.Relations(kept), gold)
    assert found.examples.column_names == ["id", "text", "doc_id"]
    assert found.name(0) == "a"


BRACES = ("X}", "{", "{0!r:>1900000000}", "{}{}", "{{}}")


@pytest.mark.parametrize("text", BRACES)
def test_text_of_data_is_no_template(text, tmp_path):
    """Messages show braces in names, in ids and in a table's notes as they are."""
    noted = examples([CAUSE]).with_reading(notes={f"a {text}": 2})
    fc.write(noted, tmp_path / "noted.parquet")
    report = fc.score(tmp_path / "noted.parquet", noted)
    assert report.warnings == tuple(f"{side}: a {text}: 2" for side in ("gold", "pred"))
    sides = (examples([CAUSE], [], ids=names) for names in (("a", text), ("a", "b")))
    assert aligned(*sides, unmatched="empty", names=(text, "pred")).warnings == (
        f'unmatched=empty: 1 examples of gold have no prediction ("{text}"), '
        '1 of pred are not in gold ("b")',
    )
    scorer = fc.ExtractionScorer()
    scorer.update(gold=noted, pred=noted)
    scorer.update(gold=noted, pred=noted)
    assert scorer.compute().warnings == tuple(f"{s}: a {text}: 4" for s in ("gold", "pred"))


@pytest.mark.parametrize("text", BRACES)
def test_types_of_brat_are_no_template(text, tmp_path):
    for annotator in ("ann", "ben"):
        file = tmp_path / annotator / "document.ann"
        file.parent.mkdir()
        file.write_text(f"T1\t{text} 0 4\tRain\n")
        file.with_suffix(".txt").write_text("Rain fell")
    other = tmp_path / "ann" / "document.ann"
    report = fc.score(file, other)
    assert len(report.warnings) == 3
    assert [text in warning for warning in report.warnings] == [True, True, False]
    warnings = fc.agree({"{a": other, "b}": file}).warnings
    assert sum(f'label "{text}"' in warning for warning in warnings) == 2

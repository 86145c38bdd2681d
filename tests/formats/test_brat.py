"""brat's two files: their relations, and messages about damage of every kind."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal import formats
from fastcausal.errors import InputError
from fastcausal.formats.annotation import brat
from tests.support.profiles import trials

TEXT = "Heavy rain caused floods .\nIf it rains then it floods .\n"
LINES = """\
T1\tCause 0 10\tHeavy rain
T2\tEffect 18 24\tfloods
T3\tSignal 11 17\tcaused
R1\tCauses Arg1:T1 Arg2:T2
R2\tSignals Arg1:T3 Arg2:T2
T4\tSignal 27 29;39 43\tIf then
T5\tCause 30 38\tit rains
T6\tEffect 44 53\tit floods
R3\tlink_of_cause From:T5 To:T6\t
R4\tlink_of_cause From:T4 To:T6
"""


@pytest.fixture
def save(tmp_path):
    def saver(lines=LINES, text=TEXT, name="d.ann"):
        path = tmp_path / "ann" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(lines if isinstance(lines, bytes) else lines.encode())
        if text is not None:
            path.with_suffix(".txt").write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return saver


def found(relations):
    """The spans of each relation by role."""
    return [
        [relation and {role: spans for role, spans in relation.items() if role != "type"}
         for relation in row["relations"]]
        for row in relations.to_examples()
    ]  # fmt: skip


# ------------------------------------------------------------------------------- whole documents


def test_a_document(save):
    relations = brat.read(save())
    assert relations.ids.to_pylist() == ["d:1", "d:2"]
    assert relations.table["text"].to_pylist() == TEXT.splitlines()
    assert relations.table["length"].to_pylist() == [5, 7]
    assert set(relations.table["doc_id"].to_pylist()) == {"d"}
    assert set(relations.table["annotator"].to_pylist()) == {"ann"}
    assert found(relations) == [
        [{"cause": [(0, 2)], "effect": [(3, 4)], "signal": [(2, 3)]}],
        [{"cause": [(1, 3)], "effect": [(4, 6)], "signal": [(0, 1), (3, 4)]}],
    ]
    assert relations.reading.notes == {}


def test_either_file_and_the_name_tell(save, monkeypatch):
    path = save()
    table = brat.read(path).table
    assert formats.opened(formats.Source.open(path)).format.name == "brat"
    for source in (path, str(path), formats.Source.open(path)):
        assert formats.read(source).table.equals(table)
    assert formats.read(path.with_suffix(".txt"), "brat").table.equals(table)
    monkeypatch.chdir(path.parent)
    assert formats.read("d.ann").table.equals(table)


@pytest.mark.parametrize("lines", ["", "\n", b"\xef\xbb\xbf"])
def test_a_document_in_which_nothing_was_marked(save, lines):
    path = save(lines)
    for read in (brat.read, formats.read):
        assert found(read(path)) == [[], []]


def test_labels_in_any_case_and_line_ends_of_any_kind(save):
    plain = brat.read(save()).table
    lines = LINES.replace("Cause ", "CAUSE ").replace("Effect ", "effect ")
    assert brat.read(save(lines.replace("\n", "\r\n"))).table.equals(plain)
    assert brat.read(save(lines.replace("\n", "\n\n \n"))).table.equals(plain)
    assert brat.read(save("\ufeff" + lines.removesuffix("\n"))).table.equals(plain)


def test_sentences_are_lines_that_are_not_blank(save):
    text = "\n \nRain caused \r\n\tfloods ."
    lines = "T1\tCause 3 7\tRain\nT2\tEffect 18 24\tfloods\nR1\tcauses A:T1 B:T2\n"
    relations = brat.read(save(lines, text))
    assert relations.ids.to_pylist() == ["d:3", "d:4"]
    assert relations.table["text"].to_pylist() == ["Rain caused ", "\tfloods ."]
    assert found(relations) == [[], [None]]


def test_other_lines_are_left_out(save):
    more = (
        "T7\tPerson 30 32\tit\nR5\tAgent Arg1:T7 Arg2:T6\nR6\tx Arg1:X1 Arg2:E2\n"
        "E1\tCause:T5\nE2 Cause\n*\tEquiv T1 T5\nA1\tSure T1\nM1\tNegation T1\n"
        "N1\tReference T1 W:1 x\n#1\tAnnotatorNotes T1\tperhaps\n"
    )
    relations = brat.read(save(LINES + more))
    assert found(relations) == found(brat.read(save()))
    assert relations.reading.notes == {
        'span of label "Person", which --role ROLE=Person would read': 1,
        'link of type "Agent" between spans without a role, which --link Agent would read': 1,
        "relation of other spans": 1, "event without cause and effect left out": 1,
        "event that cannot be read": 1, "equivalence": 1, "attribute": 2, "normalization": 1,
        "comment": 1,
    }  # fmt: skip


def test_pieces(save):
    lines = (
        "T1\tCause 0 5;6 10\tHeavy rain\n"  # white space alone between them: one
        "T2\tEffect 18 20;22 24\tfl ds\n"  # one token twice
        "T3\tCause 11 12;18 24\tc floods\n"
        "R1\tcauses A:T1 B:T2\nR2\tcauses A:T3 B:T2\n"
    )
    document = brat.parse(save(lines))
    assert [len(mark.parts) for mark in document.marks] == [1, 2, 2]
    relations = document.relations()
    assert found(relations)[0] == [
        {"cause": [(0, 2)], "effect": [(3, 4)]},
        {"cause": [(2, 3), (3, 4)], "effect": [(3, 4)]},
    ]
    assert relations.reading.notes == {"span cut a token": 3}


def test_characters_beyond_16_bits_count_once(save):
    text = "\U0001f4a7 brings \U0001f30a"
    lines = "T1\tCause 0 1\t\U0001f4a7\nT2\tEffect 9 10\t\U0001f30a\nR1\tcauses A:T1 B:T2\n"
    assert found(brat.read(save(lines, text))) == [[{"cause": [(0, 1)], "effect": [(2, 3)]}]]


def test_a_byte_order_mark_is_a_character(save):
    """A byte order mark counts as a character, as in brat, and stays in the text."""
    lines = "T1\tCause 0 5\t\ufeffRain\nT2\tEffect 13 19\tfloods\nR1\tcauses A:T1 B:T2\n"
    relations = brat.read(save(lines, "\ufeffRain brings floods"))
    assert relations.table["text"].to_pylist() == ["\ufeffRain brings floods"]
    assert found(relations) == [[{"cause": [(0, 1)], "effect": [(2, 3)]}]]
    moved = lines.replace("13 19", "12 18")
    with pytest.raises(InputError, match='T2 is "floods", but its characters are " flood"'):
        brat.read(save(moved, "\ufeffRain brings floods"))


# ------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("T1\tCause 0 10\tHeavy snow",
         'T1 is "Heavy snow", but its characters are "Heavy rain"'),
        ("T1\tCause 0 99\tHeavy rain", "characters 0 to 99 do not fit a text of 56"),
        ("T1\tCause 5 2\tHeavy rain", "characters 5 to 2 do not fit a text of 56"),
        ("T1 Cause 0 10 Heavy rain",
         '"T1 Cause 0 10 Heavy rain", expected a line of brat\'s standoff format'),
        ("T1\tCause 0\tHeavy rain",
         '"T1\\tCause 0\\tHeavy rain", expected a line of brat\'s standoff format'),
        ("T1\tCause -1 10\tx",
         '"T1\\tCause -1 10\\tx", expected a line of brat\'s standoff format'),
        ("R9\tCauses Arg1:T1",
         '"R9\\tCauses Arg1:T1", expected a line of brat\'s standoff format'),
        ("X1\tx", '"X1\\tx", expected a line of brat\'s standoff format'),
        ("T1\tCause " + "9" * 5000 + " 10", None),
    ],
)  # fmt: skip
def test_bad_lines(save, line, message):
    path = save(LINES.replace("T1\tCause 0 10\tHeavy rain", line))
    with pytest.raises(InputError) as caught:
        brat.read(path)
    assert str(caught.value).startswith(f"{path}:1: {message or ''}")
    assert message is None or caught.value.problem == f"{path}:1: {message}"


def test_all_bad_lines_are_named(save):
    path = save("T1\nT2\n" + LINES * 2)
    with pytest.raises(InputError) as caught:
        brat.read(path)
    lines = str(caught.value).splitlines()
    assert [line.removeprefix(f"{path}:").partition(":")[0] for line in lines] == [
        "1", "2", "13", "14", "15", "18", "19", "20",
    ]  # fmt: skip
    assert lines[2].endswith("13: T1 occurs twice")


def test_spans_without_their_text(save):
    lines = "".join(line.rsplit("\t", 1)[0] + "\n" if line[0] == "T" else line
                    for line in LINES.splitlines(keepends=True))  # fmt: skip
    assert found(brat.read(save(lines))) == found(brat.read(save()))


def test_files_that_are_not_there(save, tmp_path):
    path = save(text=None)
    with pytest.raises(InputError, match=r"ann/d\.txt: No such file or directory$"):
        formats.read(path)
    with pytest.raises(InputError, match=r"none\.ann: No such file or directory$"):
        formats.read(tmp_path / "none.ann")
    with pytest.raises(InputError, match=r"none\.ann: No such file or directory$"):
        formats.read(tmp_path / "none.txt", "brat")
    with pytest.raises(InputError, match=r"e\.ann is empty$"):
        formats.read(save("", None, "e.ann"))
    with pytest.raises(InputError, match=r"d\.txt is empty$"):
        formats.read(save(text=""))
    for name in ("-", ""):
        with pytest.raises(InputError, match=r"brat has two files, expected the path of one"):
            formats.read(name, "brat")
    with pytest.raises(InputError, match=r"null"):
        formats.read("a\0b.ann")


def test_bad_bytes(save):
    with pytest.raises(InputError, match=r"d\.ann:1: byte 0xff is not UTF-8$"):
        brat.read(save(b"\xff"))
    with pytest.raises(InputError, match=r"d\.txt:2: byte 0xff is not UTF-8$"):
        brat.read(save(text=b"a\n\xff"))


# -------------------------------------------------------------------------------------- at large


def test_damaged_files_raise_input_errors_only(save):
    source = random.Random(1)
    read = 0
    for _ in range(600):
        sides = [bytearray(LINES.encode()), bytearray(TEXT.encode())]
        for _ in range(source.randint(1, 3)):
            side = sides[source.random() < 0.1]
            k = source.randrange(len(side))
            side[k : k + source.randint(0, 2)] = source.choice(
                [
                    b"",
                    b"9",
                    b"-",
                    b"\t",
                    b"\n",
                    b"\r",
                    b"T",
                    b";",
                    b" ",
                    b"\xff",
                    b":",
                    b"E",
                    b"1 2",
                ]
            )
        path = save(*map(bytes, sides))
        for format in (None, "brat"):
            try:
                assert formats.read(path, format).to_examples() is not None
                read += 1
            except InputError:
                continue
    assert read > 50


@given(st.one_of(st.binary(max_size=60), st.text("TR1 2;\t\nCauseEffect:", max_size=60)))
@trials(150)
def test_random_bytes_raise_input_errors_only(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("brat", numbered=True) / "d.ann"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    path.with_suffix(".txt").write_text(TEXT)
    try:
        assert formats.read(path).to_examples() is not None
    except InputError:
        return

"""Tags in files and lists."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import formats
from fastcausal.errors import InputError, Problems
from fastcausal.formats import bio, spans
from fastcausal.formats._tokens import read_sentences
from fastcausal.relations import Relations
from tests.support.format_cases import BIO, content, save, tables
from tests.support.profiles import trials

from .test_format_cnc import fails


def test_file(tmp_path):
    read = formats.read(save(tmp_path, "a.bio", BIO))
    assert read.ids.to_pylist() == ["a", "b"]
    assert read.table["text"].to_pylist() == ["Rain fell", "Dry"]
    assert [e["relations"] for e in read.to_examples()] == [
        [{"cause": [(0, 1)]}, {"effect": [(1, 2)]}],
        [],
    ]


def test_spaces_comments_labels_and_joined_tags(tmp_path):
    text = (
        "# a comment that ends in no tag\n\n"
        "# O\n"  # a token
        "Rain b-Cause|B-SIG\r\n".replace("b-", "B-")
        + "fell  I-ARG0|O\n\n\n"
        + "Floods B-e\n"
    )
    read = formats.read(save(tmp_path, "a.conll", text))
    assert read.ids is None
    assert read.table["text"].to_pylist() == ["# Rain fell", "Floods"]
    assert [e["relations"] for e in read.to_examples()] == [
        [{"cause": [(1, 3)], "signal": [(1, 2)]}],
        [{"effect": [(0, 1)]}],
    ]


def test_tokens_with_spaces_make_no_text(tmp_path):
    read = formats.read(save(tmp_path, "a.bio", "New York\tB-C\nfell\tO\n"))
    assert read.to_examples() == [{"text": None, "length": 2, "relations": [{"cause": [(0, 1)]}]}]


def test_lists():
    one = formats.read([["B-C", "I-C", "O", "B-C"], ["O"]])
    assert [e["relations"] for e in one.to_examples()] == [[{"cause": [(0, 2), (3, 4)]}], [{}]]
    several = formats.read([[["B-C", "O"], ["O", "B-E"]], []])
    assert several.table["length"].to_pylist() == [2, None]
    assert len(several.to_examples()[0]["relations"]) == 2


@pytest.mark.parametrize("ends", ["ES", "LU"], ids=["IOBES", "BILOU"])
@given(table=tables(overlaps=False, unread=False))
def test_schemes_with_ends_mean_the_same(ends, table):
    """Tags with a mark of its own for the last token of a span mean the same."""
    lists, _ = bio.tag_lists(table)

    def marked(tag, following):
        role = tag[2:]
        if tag == "O" or f"I-{role}" in following.split("|"):
            return tag
        return f"{ends[tag[0] == 'B']}-{role}"

    ended = [
        [
            ["|".join(marked(part, after) for part in tag.split("|"))
             for tag, after in zip(tags, [*tags[1:], "O"], strict=False)]
            for tags in relations
        ]
        for relations in lists
    ]  # fmt: skip
    assert content(bio.read(ended, like=table)) == content(table)


@pytest.mark.parametrize("tags", [["O", "B-C", "E-C", "S-E"], ["O", "B-C", "L-C", "U-E"]])
def test_lists_in_any_scheme_are_tags(tags):
    read = formats.read([tags])
    assert read.to_examples()[0]["relations"] == [{"cause": [(1, 3)], "effect": [(3, 4)]}]
    scores = fc.score([tags], [tags])["overall"]
    assert (scores.f1, scores.tp) == (1.0, 2)


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        (["O", "M-Cause", "B-Cause"], '"M-Cause" is not a tag, expected O, or B-, I-, E-, S-, L-'),
        (["Cause_B", "O"], '"Cause_B" is not a tag'),
        (["_", "C", "E"], '"_" is not a tag'),
        (["O", "cause", "cause"], '"cause" is not a tag'),
        (["O", "O", "S-PER"], 'unknown label "PER", expected one of cause, effect, signal'),
    ],
)
def test_tags_of_other_schemes_are_not_taken_for_sentences(tags, message):
    with pytest.raises(InputError, match=f"^example 0: {message}"):
        formats.read([tags])


@pytest.mark.parametrize(
    "tags",
    [["Rain", "fell"], ["b-c", "i-c", "O", "b-e"], ["B-C ", "I-C"], ["B", "I", "O"], ["0", "1"]],
)
def test_words_alone_are_not_sentences_without_a_relation(tags):
    with pytest.raises(
        InputError, match=f'^example 0: "{tags[0]}" is not a tag, expected O, or B-'
    ):
        formats.read([tags])
    assert len(formats.read([["Dry"]], "cnc")) == 1  # a sentence of one word


@pytest.mark.parametrize(
    ("tags", "reason"),
    [
        (["O", "I-Cause"], 'token 1: "I-Cause" continues a span that has not begun'),
        (["B-C", "I-E"], 'token 1: "I-E" continues a span that has not begun'),
        (["B-C", "O", "I-C"], 'token 2: "I-C" continues a span that has not begun'),
        (["B-C", "E-C", "I-C"], 'token 2: "I-C" continues a span that has not begun'),
        (["U-C", "L-C"], 'token 1: "L-C" continues a span that has not begun'),
        (["B-C|B-ARG0"], 'token 0: "B-C|B-ARG0" has two tags of one role'),
    ],
)
def test_relations_that_cannot_be_read(tags, reason):
    read = bio.read([[["B-C"] + ["O"] * (len(tags) - 1), tags]])
    assert read.to_examples()[0]["relations"] == [{"cause": [(0, 1)]}, None]
    assert read.reading.unread == (f"example 0: relation 2: {reason}",)


def test_lengths_come_from_the_gold_side(tmp_path):
    examples = [{"id": name, "length": 2, "relations": []} for name in "ab"]
    gold = Relations.from_examples(examples)
    read = formats.read([["B-C", "O"], ["O"]], like=gold)
    assert read.ids.to_pylist() == ["a", "b"]
    assert read.reading.unread == ("example b: relation 1 has 1 tokens, expected 2",)
    path = save(tmp_path, "b.bio", "# id = b\nx\tO\n\n# id = a\nx\tO\nx\tO\n")
    read = formats.read(path, like=gold)
    assert read.ids.to_pylist() == ["b", "a"]
    assert read.reading.unread == (f"{path}:1: example b: relation 1 has 1 tokens, expected 2",)
    fails("FILE has 1 example, expected 2", save(tmp_path, "a.bio", "x\tO\n"), like=gold)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "x\tB-Foo\n",
            'FILE:1: example 0: unknown label "Foo", expected one of cause, effect, signal',
        ),
        (
            "a\tO\n\nx\tcause\n",
            'FILE:3: example 1: "cause" is not a tag, '
            "expected O, or B-, I-, E-, S-, L- or U- and a label",
        ),
        ("x\tO\n\ny\tO\nz\n", "FILE:4: 1 columns, expected 2"),
        ("# id = a\nx\tO\n\nx\tO\n", "FILE:4: the sentence has no id, others have"),
        ("# id = a\nx\tO\n\n# id = a\nx\tO\n", 'FILE:4: id "a" occurs twice, first in FILE:1'),
    ],
)
def test_files_that_are_refused(tmp_path, text, message):
    fails(message, save(tmp_path, "a.bio", text))


def test_lists_that_are_refused():
    message = r"^example [01]: expected lists of tags, and all examples alike$"
    for source in ([[["O"], "O"]], [["O"], [["O"]]], [[3]], [[[3]]]):
        with pytest.raises(InputError, match=message):
            bio.read(source)
    with pytest.raises(InputError, match=r"^example 0: unknown label"):
        bio.read([["B-X"]])


ids = st.text(st.sampled_from("ab#= \t,'\"\\é\u2028"), max_size=5)


@given(tables(overlaps=False, unread=False, ids=ids))
def test_round_trip(tmp_path_factory, table):
    folder = tmp_path_factory.mktemp("bio")
    lost = formats.write(table, folder / "a.bio")
    kept = []
    for row in content(table, "id", "text"):
        tokens = spans.SearchedSentence(row["text"])
        plain = " ".join(row["text"][a:b] for a, b in zip(tokens.starts, tokens.stops, strict=True))
        if "\n" in row["text"] or "\r" in row["text"]:
            row["text"] = plain
        if row["length"] == 0:
            row["relations"] = []
        if row["length"] or row["text"] or table.ids is not None:
            kept.append(row)
    assert bool(lost) == (kept != content(table, "id", "text"))
    if kept:
        assert content(formats.read(folder / "a.bio"), "id", "text") == kept


@pytest.mark.parametrize("text", ["a  b", " a b", "a b ", "a\tb", "a\x0bb", "\ta b"])
def test_white_space_is_kept(tmp_path, text):
    table = Relations.from_examples([{"text": text, "relations": [{"cause": (0, 1)}]}])
    assert formats.write(table, tmp_path / "a.bio") == []
    assert (tmp_path / "a.bio").read_text() == f"# text = {text}\na\tB-Cause\nb\tO\n"
    assert content(formats.read(tmp_path / "a.bio"), "text") == content(table, "text")


def test_line_ends_are_said_to_be_lost(tmp_path):
    table = Relations.from_examples([{"id": "x", "text": "a\nb", "relations": []}])
    lost = ["example x: line ends in its text become spaces"]
    assert formats.write(table, tmp_path / "a.bio") == lost
    assert formats.read(tmp_path / "a.bio").table["text"].to_pylist() == ["a b"]


def test_a_text_of_other_tokens_is_a_comment(tmp_path):
    read = formats.read(save(tmp_path, "a.bio", "# text = It's so\nIt\tB-C\n's\tO\nso\tO\n"))
    assert read.table["text"].to_pylist() == ["It 's so"]


PIECES = [
    "\n",
    "\n\n",
    " ",
    "\t",
    "\r\n",
    "\r",
    "\x0b",
    "# ",
    "# id = a",
    "# text = b  c",
    "#",
    "x",
]
PIECES += ["\n# text = a b\na\tO\nb\tO\n", "\n# c: O\n", "\n# c = d\n", "a  O ", "é", "I-e|O"]
PIECES += ["\n\n", "\xa0", "O", "B-C", "a\tO", "b\tB-C", "c O", "\na\tO\n", "\nb\tB-E", "\nd O O\n"]


@trials(500)
@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_plain_sentences_are_read_as_any_lines_are(text):
    problems, plainly = Problems(), Problems()
    lines = "\n".join(line.removesuffix("\r") for line in text.split("\n"))
    expected = list(bio._sentences_of_lines("a.bio", plainly, 1, lines))
    read = read_sentences(
        text.encode(), 1, 4, partial(bio._sentences_of_lines, "a.bio", problems), None
    )
    found = [(columns, said) for said, *columns in map(read.sentence, range(len(read)))]
    assert found == [(columns, said.get("text")) for _, said, columns in expected]
    assert read.lines == [line for line, _, _ in expected]
    assert bio._column(*read.ids).to_pylist() == [said.get("id") for _, said, _ in expected]
    texts = [bio._sentence(columns[0], said.get("text")) for _, said, columns in expected]
    assert bio._column(*read.texts).to_pylist() == texts
    assert read.lengths.tolist() == [len(columns[0]) for _, _, columns in expected]
    assert vars(problems) == vars(plainly)


@pytest.mark.parametrize("key", ["id", "text"])
def test_a_comment_twice(tmp_path, key):
    path = save(tmp_path, "a.bio", f"# {key} = a\n# {key} = b\na\tO\n")
    with pytest.raises(InputError, match=rf'a.bio:2: "# {key} =" twice in a sentence$'):
        formats.read(path)


@given(tables(overlaps=False, unread=False))
def test_lists_round_trip(table):
    lists, lost = bio.tag_lists(table)
    assert lost == []
    assert content(bio.read(lists, like=table)) == content(table)


def test_what_tags_cannot_hold(tmp_path):
    examples = [
        {"id": "x\n", "length": 3, "story": 1, "relations": [None, {"cause": [(0, 2), (1, 3)]}]},
        {"id": "y", "length": 0, "story": 2, "relations": [{}]},
    ]
    assert formats.write(Relations.from_examples(examples), tmp_path / "a.bio") == [
        "example x\n: relation 1 is unread and left out",
        "example x\n: relation 2: 1 spans overlap their own role or have no tag",
        "ids with line ends have no place in a comment line",
        "example y has no tokens and is left out",
        "tag columns do not hold the columns id, story",
        'where there is no text, every token is written as "_"',
    ]
    assert (tmp_path / "a.bio").read_text() == "_\tB-Cause\n_\tI-Cause\n_\tO\n"


def test_what_cannot_be_written(tmp_path):
    table = Relations.from_examples([{"relations": []}])
    with pytest.raises(InputError, match=r"^example 0 has neither text nor length$"):
        formats.write(table, tmp_path / "a.bio")


@pytest.mark.parametrize("relations", [[], [{"cause": (0, 1)}]])
def test_a_length_that_no_sentence_has(tmp_path, relations):
    huge = Relations.from_examples([{"length": 2**31 - 1, "relations": relations}])
    with pytest.raises(InputError, match="relations of 2147483647 tokens, expected at most"):
        formats.write(huge, tmp_path / "x.bio")
    assert list(tmp_path.iterdir()) == []


TAGS = [f"{mark}-{label}" for mark in "BIES" for label in ("Cause", "e", "SIG")] + ["O", "B-C|I-E"]


@given(
    st.lists(
        st.lists(st.lists(st.sampled_from(TAGS), min_size=1, max_size=4), max_size=3), min_size=1
    )
)
def test_more_roles_change_nothing(examples):
    """Beyond three roles Python reads the tags."""
    few = fc.read(examples, format="bio")
    more = fc.read(examples, format="bio", roles=(*few.roles, "degree"))
    assert more.table.equals(few.table)
    assert more.reading.unread == few.reading.unread
    assert more.roles == ("cause", "effect", "signal", "degree")


def test_labels_that_mean_a_role(tmp_path):
    path = tmp_path / "x.bio"
    path.write_text("Rain\tB-Drug\nhard\tB-degree\nfloods\tB-ARG1|B-Ursache\n\n")
    found = fc.read(path, roles="cause,effect,degree", role=["cause=drug", "cause=ursache"])
    assert found.to_examples()[0]["relations"] == [
        {"cause": [(0, 1), (2, 3)], "effect": [(2, 3)], "degree": [(1, 2)]}
    ]
    with pytest.raises(fc.InputError, match='unknown label "Drug", expected one of cause, effect'):
        fc.read(path)

"""Scores of extracted causes and effects against a plain computation, and worked by hand."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.arrays.arrow import strings
from fastcausal.tasks.answers import overlap
from fastcausal.tasks.answers.batches import NAMES
from fastcausal.tasks.answers.parse import PARSERS
from tests.oracles import judged_answers as plain
from tests.support.profiles import trials

# Letters whose lower case, kind or length is odd, beside words that occur again.
ODD = "aAnthe THE.'\"-_ıİΣσς\u00a0\u2003ßé漢字\u0301K\x1c\x00😀٣²|[]:\n\t"
PIECES = ["a", "an", "The", "rain", "Rain", "floods", "mud", "t.he", "ΟΔΟΣ", "Σ", "İ", "é", "漢"]
words = st.lists(st.sampled_from(PIECES) | st.text(ODD, max_size=4), max_size=4)
spans = st.lists(words.map(" ".join), max_size=3).map(" | ".join)
relations = st.sampled_from(["cause", " Cause ", "enable", "", "prevent", 'so ""called""', "Σ"])


@st.composite
def marked(draw):
    """A text with marks: of the guide, of the program, of lines, or with faults."""
    cause, effect, relation = draw(spans), draw(spans), draw(relations)
    shape = draw(st.sampled_from([
        "[Cause]{c}[Relation]{r}[Effect]{e}", "x [Cause] {c} [Relation] {r} [Effect] {e}\n",
        "[effect]{e}[CAUSE]{c}", "Cause: {c}\nEffect: {e}\nRelation: {r}",
        " cause:{c}\n\teffect:{e}",
        "[Cause]{c}[Effect]{e}[Cause]", "{c}", "[Cause]\n[Cause]{c}[Relation]{r}[Effect]{e}",
        "[Cause]{c}[Relation]{r}[Effect]{e}\n\n",
    ]))  # fmt: skip
    return shape.format(c=cause, r=relation, e=effect)


texts = marked() | st.text(ODD, max_size=12)
sources = words.map(" ".join) | st.none()
alike = st.tuples(sources, texts).map(lambda row: (*row, row[1]))
rows = st.tuples(sources, texts, texts) | alike


def plain_row(source, reference, answer, protocol):
    wanted = plain.item(source, reference, answer, protocol)
    fields = ("hits", "predicted", "wanted", "matched", "same")
    numbers = [int(wanted["roles"][role][name]) for role in plain.ROLES for name in fields]
    missing = None if wanted["missing"] is None else " ".join(wanted["missing"])
    return numbers, missing


# Causes and effects of 0 to 3 spans on either side, whose words are shared across spans.
PARTED = [" | ".join(parts) for parts in (
    [""], ["rain mud"], ["rain", "mud"], ["mud", "rain"], ["mud rain"], ["rain mud", "hail"],
    ["hail", "mud", "rain"], ["rain rain", "mud"], ["rain", "rain mud"],
)]  # fmt: skip
BY_NUMBER = [
    ("rain", f"[Cause]{a}[Relation]x[Effect]{b}", f"[Cause]{b}[Relation]x[Effect]{a}")
    for a in PARTED
    for b in PARTED
]


@trials(300)
@given(st.lists(rows, min_size=1, max_size=6), st.sampled_from(["guide", "fcr"]))
@example(BY_NUMBER, "guide")
@example(BY_NUMBER, "fcr")
@example([("ΑΣ:Σ", "Cause:ΑΣ Σ\nEffect:Σ", "[Cause]ας σ[Effect]ς")], "guide")  # noqa: RUF001
@example([("İ", "[Cause]İ|the[Relation]İ[Effect]😀a", "[Cause]i̇|an[Relation]i̇[Effect]😀")], "fcr")
@example(
    [("大雨导致道路关闭。", "[Cause]大雨[Effect]道路", "[Cause]大[Effect]关闭了 the漢")], "guide"
)
def test_words_are_those_of_python(table, protocol):
    batches = batches_of(table, len(table))
    counted = overlap.count_words(batches, len(table), protocol)
    lacking = overlap.missing_words(batches, len(table), protocol)
    for size in range(1, min(len(table), 4)):
        cut = batches_of(table, size)
        again = overlap.count_words(cut, len(table), protocol)
        of_roles = slice(len(overlap.OF_ROLES) + 1)  # relations have other numbers
        assert np.array_equal(again.fields[of_roles], counted.fields[of_roles])
        assert relations_of(again) == relations_of(counted)
        assert overlap.missing_words(cut, len(table), protocol).equals(lacking)
    for k, row in enumerate(table):
        numbers, missing = plain_row(*row, protocol)
        assert counted.fields[: len(numbers), k].tolist() == numbers
        read = [PARSERS[protocol](text) for text in row[1:]]
        assert counted.read[k].tolist() == [side is not None for side in read]
        assert relations_of(counted)[k] == tuple(side and side.relation for side in read)
        assert lacking[k].as_py() == (missing or "")
        contained = counted.fields[overlap.OF_WORDS.index("contained"), k]
        assert contained == (0 if missing is None else 2 - bool(missing))


def batches_of(table, size):
    columns = [strings(column) for column in zip(*table, strict=True)]
    return pa.table(columns, NAMES).to_batches(size)


def relations_of(counted):
    """Return both relations of each row; None of a text that cannot be read, -1."""
    names = (*counted.relations, None)
    return [tuple(names[k] for k in row) for row in counted.fields[overlap.RELATIONS].T]


LONG = ["rain", "the", "a", "hail,", "storms", "abcdefgh", "abcdefgi", "abcdefgh1", "ABCDEFGH,",
        "internationalisation", "internationalism", "internationalism.", "nurses'", "Caf\u00e9",
        "\t", "rain\tmud", "x" * 70, "x" * 71, "x" * 69 + "-", "--", ""]  # fmt: skip


@pytest.mark.parametrize("protocol", ["guide", "fcr"])
def test_words_of_long_texts_are_those_of_python(protocol):
    """Words at all places of the 64 bytes that are read together, and hundreds of them."""
    draws = random.Random(0)

    def side(n):
        spans = range(draws.choice([1, 1, 2, 3, 4]))
        return draws.choice(["|", " | ", ", |"]).join(
            " ".join([*draws.choices(LONG, k=draws.randint(0, n)), *map(str, range(k, n, 7))])
            for k in spans
        )

    table = []
    for n in [*range(40), 150]:
        texts = [f"[Cause]{side(n)}[Relation]x[Effect]{side(n)}" for _ in range(2)]
        table.append((draws.choice([texts[1], " ".join(draws.choices(LONG, k=2 * n))]), *texts))
    batches = batches_of(table, len(table))
    fields = overlap.count_words(batches, len(table), protocol).fields
    missing = overlap.missing_words(batches, len(table), protocol).to_pylist()
    for k, row in enumerate(table):
        assert (fields[: len(overlap.OF_ROLES), k].tolist(), missing[k]) == plain_row(
            *row, protocol
        )


@trials(200)
@given(st.lists(rows, min_size=1, max_size=6), st.sampled_from(["guide", "fcr"]), st.data())
def test_scores_equal_the_plain_ones(table, protocol, data):
    unparsed = data.draw(st.sampled_from(["empty", "skip"]))
    read = {"guide": plain.guide, "fcr": plain.fcr}[protocol]
    if protocol == "guide" or unparsed == "skip":
        table = [row for row in table if read(row[1])]
    if not table:
        return
    items = [{"input": a, "gold": b, "output": c} for a, b, c in table]
    report = fc.answers(items, protocol, unparsed=unparsed)
    kept = [row for row in table if unparsed == "empty" or read(row[2])]
    wanted = [plain.item(*row, protocol) for row in kept]
    assert report.to_dict()["scores"] == plain.scores(wanted, protocol)
    assert report.n_items == len(kept)
    assert report.n_unparsed == sum(not (read(row[1]) and read(row[2])) for row in table)
    triage = [plain.triage(each["roles"]) for each in wanted]
    assert dict(report.triage) == {name: triage.count(name) for name in report.triage}
    per_item = report.per_item.to_pylist()
    assert [row["triage"] for row in per_item] == triage
    assert [row["f1"] for row in per_item] == [each["f1"] for each in wanted]
    shown = [each["missing"] and " ".join(each["missing"]) for each in wanted]
    assert [row["missing"] for row in per_item] == ["" if m == [] else m for m in shown]


REFERENCE = "[Cause] heavy rain | hail [Relation] cause [Effect] floods"


def scored(answer, protocol="guide", reference=REFERENCE, **options):
    return fc.answers([{"input": "x", "gold": reference, "output": answer}], protocol, **options)


def test_one_to_one_match_by_hand():
    """The best partners of two spans, though all words are shared across them."""
    report = scored("[Cause] hail rain | heavy [Relation] enable [Effect] the floods.")
    cause = report["cause"]
    assert (cause.shared, cause.predicted, cause.wanted) == (3, 3, 3)
    assert (cause.f1, cause.exact_match) == (1.0, 0.0)
    assert cause.matched_precision == 1 / 3 * 2 or cause.matched_f1 == pytest.approx(2 / 3)
    assert report["effect"].exact_match == 1.0
    assert report["relation"].accuracy == 0.0


# The program sorts spans as they are written, and compares words only then.
@pytest.mark.parametrize(
    ("wanted", "given", "equal"),
    [
        ("new rules | outbreak", "new rules | an outbreak", 0),
        ("new rules | outbreak", "outbreak. | new the rules", 1),
        ("new rules | an outbreak", "an outbreak | new rules", 1),
        ("heavy rain | hail", "hail rain | heavy", 0),
        ("heavy rain", "rain heavy", 0),
        ("heavy | rain", "heavy rain", 1),
        ("b | B a", "the b | A b", 1),
        ('"x y" | z', '""x y" | z', 1),
        ('"a x | "" y', '"a x | " y', 1),
        ("b\u00a0 | b c", "b | b c", 1),
        ("c | \u6f22 b", "c | b \u6f22", 0),
        ("an \u6f22 | b", "b | \u6f22", 0),
        ("an \u6f22 | b", "b | an \u6f22", 1),
    ],
)
def test_spans_are_sorted_as_they_are_written_by_hand(wanted, given, equal):
    texts = [f"[Cause] {cause} [Relation] cause [Effect] e" for cause in (wanted, given)]
    cause = scored(texts[1], "fcr", texts[0])["cause"]
    assert (
        cause.exact_match == equal == plain.same(*(plain.fcr(t)[0]["cause"] for t in texts), "fcr")
    )


def test_roles_without_words_by_hand():
    """Two empty sides are left out, in the program a miss of F1 and a hit of exact match."""
    empty = "[Cause] a [Relation] cause [Effect] floods"
    guide, fcr = (scored(empty, protocol, empty) for protocol in ("guide", "fcr"))
    assert guide["cause"].n == 0
    assert np.isnan(guide["cause"].f1)
    assert (guide["joint"].f1, guide["overall"].f1) == (1.0, 1.0)
    assert (fcr["cause"].n, fcr["cause"].f1, fcr["cause"].exact_match) == (1, 0.0, 1.0)
    assert (fcr["joint"].f1, fcr["overall"].f1) == (0.5, 0.5)
    assert guide.triage["exact"] == fcr.triage["exact"] == 1


def test_unparsed_by_hand():
    items = [
        {"input": "x", "gold": REFERENCE, "output": answer, "valid": valid}
        for answer, valid in ((REFERENCE, 1), ("no marks", 0))
    ]
    with pytest.raises(
        fc.InputError, match=r'row 1: id "1": the answer cannot be read.*"no marks"'
    ):
        fc.answers(items)
    empty, skip = (fc.answers(items, unparsed=policy) for policy in ("empty", "skip"))
    assert (empty.n_items, empty.n_unparsed, skip.n_items, skip.n_unparsed) == (2, 1, 1, 1)
    assert (empty["cause"].recall, skip["cause"].recall) == (0.5, 1.0)
    assert (empty["relation"].accuracy, skip["relation"].accuracy) == (0.5, 1.0)
    assert empty["source"].n == 1
    assert empty.verdicts == skip.verdicts
    assert empty.triage["empty"] == 1
    assert fc.answers(items, "fcr", unparsed="empty")["relation"].accuracy == 1.0
    assert "unparsed=skip: 1 answers cannot be read" in skip.warnings


def test_relations_by_hand():
    """Macro means are over the references' classes; a prediction of another class is a miss."""
    both = "[Cause] c [Relation] {} [Effect] e"
    pairs = [("cause", "cause"), ("cause", "enable"), ("prevent", "odd")]
    items = [{"gold": both.format(a), "output": both.format(b)} for a, b in pairs]
    items.append({"gold": "[Cause] c [Effect] e", "output": both.format("cause")})
    relation = fc.answers(items)["relation"]
    assert (relation.n, relation.accuracy) == (3, 1 / 3)
    assert (relation.precision, relation.recall) == (1.0, 0.25)  # prevent is never predicted
    assert relation.f1 == 1 / 3

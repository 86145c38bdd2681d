"""FinCausal 2025: the worked examples of its program, answers by id, marks of a judge."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.files.files import Source
from tests.support.cli import cli

HEADER = "ID;Text;Question;Answer"
GOLD = [HEADER, "1;t one;Why?;tax rose", '2;"t; two";What?;Cost grew 5%']


def exact(gold: list[str], pred: list[str], **how) -> float:
    named = {"gold.csv": gold, "pred.csv": pred}
    sides = [Source(name, "\n".join([*of, ""]).encode()) for name, of in named.items()]
    return fc.qa(*sides, protocol="fincausal-2025", **how)["overall"].exact_match


def rows(first: str, second: str) -> list[str]:
    return [HEADER, f"1;t one;Why?;{first}", f'2;"t; two";What?;{second}']


@pytest.mark.parametrize(
    ("pred", "score"),
    [
        (GOLD, 1),
        (rows(" Tax Rose ", "cost  grew 5%"), 2 / 3),
        (rows("the tax rose", "Cost grew 5%."), 1 / 3),
        (rows("", "Cost grew 5%"), 2 / 3),
        ([*GOLD, "99;x;y;z"], 1),
        ([HEADER, "1;t one;Who?;tax rose", '2;"t; two";Who?;Cost grew 5%'], 1),
    ],
)
def test_official_order(pred, score):
    assert exact(GOLD, pred, official_order=True) == score


def test_headers_are_rows_of_the_program_alone():
    assert exact(GOLD[1:], GOLD, official_order=True) == 1
    assert exact(GOLD[1:], rows("x", "Cost grew 5%")[1:], official_order=True) == 0.5
    assert exact(GOLD, rows("x", "Cost grew 5%")) == 0.5
    folded = [HEADER, *(f"{k};t;q;{text}" for k, text in enumerate(("STRASSE", "İ", "É")))]
    said = [HEADER, *(f"{k};t;q;{text}" for k, text in enumerate(("straße", "i", "é")))]
    assert exact(folded, said, official_order=True) == 0.5


@pytest.mark.parametrize(
    "pred",
    [
        GOLD[1:], GOLD[:2], [GOLD[0], GOLD[2], GOLD[1]], [*GOLD, GOLD[1]], [*GOLD, ""],
        [HEADER, '"1";t one;Why?;tax rose', GOLD[2]], [HEADER, "1;t one;Why?;tax; rose", GOLD[2]],
        [HEADER, "1;t one ;Why?;tax rose", GOLD[2]],
    ],
)  # fmt: skip
def test_the_program_ends(pred):
    if pred[-1] == "":  # a blank line has no id of gold: it is dropped as a background row
        assert exact(GOLD, pred, official_order=True) == 1
        return
    with pytest.raises(ValueError, match="the program of fincausal-2025 ends"):
        exact(GOLD, pred, official_order=True)


def test_answers_are_joined_by_id():
    assert exact(GOLD, [GOLD[0], GOLD[2], GOLD[1], "99;x;y;z"]) == 1
    with pytest.raises(ValueError, match="have no answer"):
        exact(GOLD, GOLD[:2])
    assert exact(GOLD, GOLD[:2], unmatched="empty") == 0.5
    assert exact(GOLD, GOLD[:2], unmatched="skip") == 1
    with pytest.raises(ValueError, match='"1"'):
        exact(GOLD, [*GOLD, GOLD[1]])


def test_given_similarities_and_marks():
    how = {"protocol": "fincausal-2025", "similarity": "sas", "judge": "mark"}
    report = fc.qa(sample.CAUSES, sample.CAUSES_CAREFUL, **how)
    assert report["overall"].judge == 3.5
    assert report["overall"].sas == pytest.approx(0.77)
    assert report.with_intervals()["overall"].judge == 3.5
    with pytest.raises(ValueError, match=r"sas is 0\.98, expected a whole number from 1 to 5"):
        fc.qa(sample.CAUSES, sample.CAUSES_CAREFUL, protocol="fincausal-2025", judge="sas")
    with pytest.raises(ValueError, match="judge is for fincausal-2025"):
        fc.qa([], [], judge="mark")


def test_marks_go_through_compare_and_leaderboard(tmp_path):
    """Values are those of qa; gold needs no column of marks."""
    lines = Path(sample.CAUSES_CAREFUL).read_text().splitlines()
    lower = [lines[0], *(f"{li.rpartition(';')[0]};{max(1, int(li[-1]) - 1)}" for li in lines[1:])]
    other = tmp_path / "other.csv"
    other.write_text("\n".join(lower) + "\n")
    how = {"protocol": "fincausal-2025", "similarity": "sas", "judge": "mark"}
    wanted = [
        fc.qa(sample.CAUSES, path, **how)["overall"].judge
        for path in (sample.CAUSES_CAREFUL, other)
    ]
    sides = (sample.CAUSES, sample.CAUSES_CAREFUL, other, "--task", "qa")
    options = [word for name, value in how.items() for word in ("--set", f"{name}={value}")]
    asked = (*sides, *options, "--score", "overall_judge", "--json")
    compared = json.loads(cli("compare", *asked)[0])["scores"]["overall_judge"]
    assert [compared["a"], compared["b"]] == wanted
    ranked = json.loads(cli("leaderboard", *asked)[0])["systems"]
    assert [row["value"] for row in ranked] == sorted(wanted, reverse=True)
    said = cli("compare", *sides, "--protocol", "fincausal-2025", expect=2)[1]
    assert "a protocol of fastcausal qa, and for several systems --task qa --set protocol=" in said


@pytest.mark.parametrize("rows", [
    "ID;Text;Question;Answer\n1;Rain fell.;Why?;Rain\n",
    "id,text,question,answer\n1,Rain fell.,Why?,Rain\n",
])  # fmt: skip
def test_its_columns_name_the_protocol(rows, tmp_path):
    """Files of the task without the protocol are refused with the option that reads them."""
    path = tmp_path / "answers.csv"
    path.write_text(rows)
    _, err = cli("qa", path, path, expect=2)
    assert "--protocol fincausal-2025 reads these columns" in err
    out, _ = cli("qa", path, path, "--protocol", "fincausal-2025", "--json")
    assert json.loads(out)["scores"]["overall"]["exact_match"] == 1.0

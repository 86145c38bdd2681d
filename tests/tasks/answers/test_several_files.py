"""Several raters and files: whose verdict is whose, and columns on which files agree."""

from __future__ import annotations

import json

import pytest

import fastcausal as fc
from fastcausal.report.numbers import number_text
from fastcausal.tasks.answers.join import read_extractions
from tests.tasks.answers.test_files import GOLD, PRED

ITEM = {"input": "Rain, floods.", "gold": GOLD, "output": PRED}


def of_rater(name, verdict, **columns):
    """A file of three items; a column has one value an item."""
    items = [
        {"id": k, **ITEM, "answer": verdict, **{c: values[k] for c, values in columns.items()}}
        for k in range(3)
    ]
    return {"username": name, "items": items}


def test_verdicts_of_a_list_are_of_those_whom_it_names():
    verdicts = [{"name": "x", "answer": 1}, {"name": "y", "answer": 0}, {"answer": 1}]
    source = {"username": "ann", "items": [{"id": 1, **ITEM, "answers": verdicts}]}
    items = read_extractions(source)
    assert dict(zip(items.raters, items.verdicts[0].tolist(), strict=True)) == {
        "x": 1, "y": 0, "ann": 1,
    }  # fmt: skip


def test_columns_with_unlike_values_are_left_out():
    ann = of_rater("ann", 1, same=[1, 2, 3], unlike="abc", kind=[1, 2, 3], gaps=["a", None, "c"])
    ben = of_rater("ben", 0, same=[1, 2, 3], unlike="abx", kind="xyz", gaps=["a", "b", None])
    ben["items"].reverse()
    ben["items"][0]["more"] = 7
    for files in ([ann, ben], [ben, ann]):
        report = fc.answers(files)
        kept = {c: report.per_item[c].to_pylist() for c in report.per_item.column_names[8:]}
        assert kept == {"gaps": ["a", "b", "c"], "more": [None, None, 7], "same": [1, 2, 3]}
        assert report.warnings == tuple(
            f'column "{name}" is left out: files have unlike values' for name in ("kind", "unlike")
        )


def test_the_terminal_shows_every_score():
    report = fc.answers([of_rater("ann", 1), of_rater("ben", 0)])
    values = report.to_dict()
    shown = [line.split() for grid in report.to_tables() for line in str(grid).splitlines()]
    others = {**values["scores"], "triage": values["triage"], "verdicts": values["verdicts"]}
    for part in ("joint", "relation", "source", "triage", "verdicts"):
        at = shown.index([part])
        rows = shown[at + 1 : at + 1 + len(others[part])]
        assert rows == [[name, number_text(value)] for name, value in others[part].items()]


@pytest.mark.parametrize("word", [int, "{} of many".format], ids=["numbers", "text"])
def test_files_have_items_of_their_own(word):
    ann, ben = of_rater("ann", 1), of_rater("ben", 0)
    for k, item in enumerate(ann["items"]):
        item["id"] = word((10, 9, 2)[k])
    for k, item in enumerate(ben["items"]):
        item["id"] = word((11, 2, 1)[k])
    items = read_extractions([ann, ben])
    ids = items.ids.to_pylist()
    assert sorted(ids) == sorted(str(word(k)) for k in (1, 2, 9, 10, 11))
    if word is int:
        assert ids == ["1", "2", "9", "10", "11"]
    by_id = dict(zip(ids, items.verdicts.tolist(), strict=True))
    assert [v > -1 for v in by_id[str(word(2))]] == [True, True]
    assert [v > -1 for v in by_id[str(word(10))]] == [True, False]
    assert [v > -1 for v in by_id[str(word(11))]] == [False, True]


def test_a_message_names_the_file_of_each_kind(tmp_path):
    verdicts = [{"id": 1, "reference": GOLD, "output": PRED, "gold": 1}]
    for name, items in (("texts", [{"id": 1, **ITEM}]), ("verdicts", verdicts)):
        (tmp_path / f"{name}.json").write_text(json.dumps(items))
    files = [tmp_path / "texts.json", tmp_path / "verdicts.json"]
    for given in (files, files[::-1]):
        with pytest.raises(
            fc.InputError,
            match=r'"gold" is text in \S*texts\.json and the verdict in \S*verdicts\.',
        ):
            fc.answers(given)

"""Statistics requested with the score equal a second reading's, without reading again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import formats, sample
from fastcausal.arrays.arrow import drop_columns
from tests.support.cli import cli
from tests.support.profiles import trials
from tests.support.statistics import of_the_same
from tests.support.tables import table_of
from tests.tasks.extraction.test_streams import KINDS, ONCE, outcome, parts_of, tables

FILES = [sample.SYSTEMS[name] for name in ("careful", "hasty")]
SCORE = """
import sys
from fastcausal.cli import main
from fastcausal.formats.reading import batches, opening
batches.ROWS = batches.WHOLE = 16  # many batches
opening.SMALL = 0
main()
"""


@trials(100)
@given(both=tables(), rows=st.integers(1, 7), data=st.data())
def test_they_are_those_of_a_second_reading(tmp_path_factory, both, rows, data):
    makes = [data.draw(st.sampled_from(KINDS)) for _ in both]
    by, kept = data.draw(st.sampled_from([(None, ()), (None, "kind"), ("kind", ())]))
    options = {
        "protocol": data.draw(st.sampled_from(["recess", "cnc-2023"])),
        "by": by,
        "unparsed": data.draw(st.sampled_from(["error", "empty", "skip"])),
    }
    sources = []
    for make, relations in zip(makes, both, strict=True):
        sources.append(make(relations, tmp_path_factory.mktemp("sides"), data))
    whole = outcome(lambda: fc.score(*both, **options))
    with parts_of(rows), patch("fastcausal.tasks.extraction.score.MANY", 2):
        found = outcome(lambda: fc.score(*sources, **options, statistics=kept))
    if isinstance(whole, str):
        assert set(makes) & set(ONCE) or found == whole
        return
    assert found == whole
    expected = whole.statistics
    if not (by or kept):
        units, left_out = drop_columns(expected.units, ["kind"]), expected.left_out
        left_out = None if left_out is None else drop_columns(left_out, ["kind"])
        expected = replace(expected, units=units, left_out=left_out)
    of_the_same(found.statistics, expected)
    assert found.statistics.totals == expected.totals
    assert found.with_intervals(by=by) == whole.with_intervals(by=by)


@pytest.fixture
def pair(tmp_path):
    """Files of gold with columns, and of predictions."""
    n = 200
    more = {"id": [str(k) for k in range(n)], "doc_id": [str(k // 9) for k in range(n)]}
    gold = table_of([[[(0, 0, 2), (1, 3, 5)]], [[(0, 1, 2)]]] * (n // 2), **more, note=["x"] * n)
    pred = table_of([[[(0, 0, 2), (1, 3, 4)]], []] * (n // 2), id=more["id"])
    paths = tmp_path / "gold.parquet", tmp_path / "pred.jsonl"
    for side, path in zip((gold, pred), paths, strict=True):
        formats.write(side, path)
    return paths


def test_sources_may_be_gone(pair):
    expected = fc.score(*pair).with_intervals(cluster="doc_id")
    with parts_of(16):
        report = fc.score(*pair, statistics="doc_id")
    for path in pair:
        path.unlink()
    assert report.with_intervals(cluster="doc_id") == expected
    assert report.statistics.units.column_names[:2] == ["id", "doc_id"]
    assert "note" not in report.statistics.units.column_names
    bare = report.without_details()
    assert (bare, bare._evaluation.counted) == (report, None)


@pytest.mark.parametrize(
    "options",
    [[], ["--cluster", "doc_id"], ["--by", "doc_id"], ["--method", "bca", "--n-resamples", 50]],
)
def test_intervals_of_the_command_read_once(pair, monkeypatch, tmp_path, options):
    def forbidden(*args, **kwargs):
        raise AssertionError("read a second time")

    args = ["score", *pair, "--json", "--intervals", *options]
    expected = cli(*args)
    compared = ["compare", pair[0], pair[1], shutil.copy(pair[1], tmp_path / "b.jsonl"), "--json"]
    of_both = cli(*compared)
    monkeypatch.setattr("fastcausal.tasks.extraction.evaluation.align_sides", forbidden)
    with parts_of(16):
        assert cli(*args) == expected
        assert cli(*args, "--per-example", tmp_path / "counts.parquet") == expected
        assert cli(*compared) == of_both
    with parts_of(16), pytest.raises(AssertionError, match="a second time"):
        fc.score(*pair).statistics  # noqa: B018


def test_examples_that_share_documents_are_told_of(pair):
    with parts_of(16):
        taken, left = (
            json.loads(cli("score", *pair, "--json", "--intervals", *options)[0])
            for options in ((), ("--cluster", "none"))
        )
    assert (taken["intervals"]["unit"], left["intervals"]["unit"]) == ("doc_id", "example")
    for report, is_told in ((taken, False), (left, True)):
        said = any("examples share a doc_id" in warning for warning in report["warnings"])
        assert said == is_told


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_pipes(pair, tmp_path):
    """``cat PRED | fastcausal score GOLD - --intervals``, and gold from ``<(cat GOLD)``."""
    options = ["--json", "--intervals", "--cluster", "doc_id"]
    expected = cli("score", *pair, *options)[0]
    pipe, (gold, pred) = tmp_path / "pipe.parquet", pair
    os.mkfifo(pipe)
    command = [sys.executable, "-c", SCORE, "score", str(pipe), "-", *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        pipe.write_bytes(gold.read_bytes())
        assert process.communicate(pred.read_bytes())[0].decode() == expected


def test_a_column_that_is_missing(pair):
    """All columns of gold are named, although only some are read."""
    with parts_of(16), pytest.raises(fc.InputError, match="it has id, doc_id, n"):
        fc.score(*pair, statistics="genre")
    error = cli("score", *pair, "--intervals", "--cluster", "genre", expect=2)[1]
    assert 'gold has no column "genre", it has id, doc_id, note' in error


def test_scores_that_do_not_add():
    with pytest.raises(ValueError, match="statistics of cnc-2022, whose scores do not add"):
        fc.score(sample.GOLD, FILES[0], "cnc-2022", statistics=())


def test_rows(pair):
    rows = [fc.Rows.of(fc.read(path)) for path in pair]
    of_the_same(fc.score(*rows, statistics=()).statistics, fc.score(*rows).statistics)

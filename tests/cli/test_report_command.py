"""``fastcausal report``: the page is written whole, always the same, or not at all."""

from __future__ import annotations

import base64
import gzip
import json
import re

import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.tasks.extraction.page import columns_of
from tests.support.cli import cli

CAREFUL, HASTY, CHATTY = sample.SYSTEMS.values()
QUICK = ("--method", "bca", "--n-resamples", 100)


def columns_in(page):
    packed = re.search(r'<script type="text/plain"[^>]*>([^<]*)<', page.read_text())[1]
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def test_one_system(tmp_path):
    page = tmp_path / "page.html"
    out, err = cli("report", sample.GOLD, CAREFUL, "--out", page, *QUICK)
    assert out == f"{page}: 61 examples, 1 system\n"
    assert err.startswith("warning: 12 clusters (doc_id), worth 11.6: BCa")
    report = fc.score(sample.GOLD, CAREFUL)
    assert columns_in(page) == columns_of({"careful": report}, 20_000)
    text = page.read_text()
    assert "<title>careful on gold, recess</title>" in text
    assert "examples are left out" not in text
    report.with_intervals(n_resamples=100).to_html(page)
    assert columns_in(page)["systems"][0]["name"] == "careful"


def test_several_systems(tmp_path):
    page = tmp_path / "page.html"
    options = ("--by", "corpus", "--cluster", "doc_id", "--unparsed", "skip", *QUICK)
    out, _ = cli("report", sample.GOLD, *sample.SYSTEMS.values(), "--out", page, *options)
    assert out == f"{page}: 61 examples, 3 systems\n"
    columns = columns_in(page)
    assert [system["name"] for system in columns["systems"]] == ["careful", "hasty", "chatty"]
    assert [stratum["name"] for stratum in columns["strata"]] == ["corpus"]
    written = page.read_bytes()
    backwards = [x for k in range(0, len(options), 2)[::-1] for x in options[k : k + 2]]
    cli("report", *backwards, "--out", page, sample.GOLD, *sample.SYSTEMS.values())
    assert page.read_bytes() == written


def test_the_systems_of_one_file_have_the_page_of_two(tmp_path):
    rows = [
        json.dumps(json.loads(line) | {"model": path.stem})
        for path in (CAREFUL, HASTY)
        for line in path.read_text().splitlines()
    ]
    (tmp_path / "both.jsonl").write_text("\n".join(rows))
    one, two = tmp_path / "one.html", tmp_path / "two.html"
    cli("report", sample.GOLD, tmp_path / "both.jsonl", "--system", "model", "--out", one, *QUICK)
    cli("report", sample.GOLD, CAREFUL, HASTY, "--out", two, *QUICK)
    assert columns_in(one) == columns_in(two)
    out, _ = cli("report", sample.SCORES, "--system", "system", "--id", "item", "--score", "judge",
                 "--out", one)  # fmt: skip
    assert out == f"{one}: 40 items, 4 runs\n"
    assert [run["name"] for run in columns_in(one)["runs"]] == ["brief", "full", "plain", "wordy"]


def test_examples_that_are_left_out(tmp_path):
    page = tmp_path / "page.html"
    arguments = (sample.GOLD, CAREFUL, "--out", page, "--examples", 20, *QUICK)
    _, err = cli("report", *arguments)
    said = "41 of 61 examples are left out, those with fewest errors"
    assert f"warning: {said}; fastcausal score --per-example" in err
    assert said in page.read_text()
    assert len(columns_in(page)["ids"]) == 20
    out, err = cli("report", *arguments, "--json")
    written = json.loads(out)
    assert said in written.pop("warnings")[-1]
    assert written == {"path": str(page), "n_examples": 61, "n_left_out": 41, "n_systems": 1}
    assert not err


@pytest.mark.parametrize("side", ["gold", "pred"])
def test_standard_input(side, tmp_path):
    files = {"gold": sample.GOLD, "pred": CAREFUL}
    stdin = files[side].read_bytes()
    page = tmp_path / "page.html"
    cli("report", *(files | {side: "-"}).values(), "--out", page, *QUICK, stdin=stdin)
    columns = columns_in(page)
    columns["systems"][0]["name"] = "careful"
    assert columns == columns_of({"careful": fc.score(sample.GOLD, CAREFUL)}, 20_000)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["GOLD", "COUNTS"], "counts.parquet: counts of examples.* leaderboard takes counts, and"),
        (["COUNTS", "CAREFUL"], 'careful.jsonl: no column "id": found .*'),
        (["GOLD", "CAREFUL", "--protocol", "cnc-2022"], "cnc-2022 does not add up over examples"),
        (["GOLD", "CAREFUL", "--by", "genre"], 'gold has no column "genre"'),
        (["GOLD", "CAREFUL", "--cluster", "genre"], 'no column "genre"'),
        (["GOLD", "CAREFUL", "CAREFUL"], "is given twice"),
        (["GOLD", "CAREFUL", "--examples", "-1"], "-1 is not in the range x>=0"),
        (["GOLD", "CAREFUL", "--method", "jackknife", "--seed", "1"], "--seed is for resamples"),
        (["GOLD", "CAREFUL", "SHORT"], "error: short: 60 examples of gold have no prediction .*"),
        (
            ["GOLD", "CAREFUL", "--out", "GOLD"],
            "gold.csv is read, expected another file",
        ),
    ],
)
def test_bad_input(arguments, message, tmp_path):
    short = tmp_path / "short.jsonl"
    short.write_text(CAREFUL.read_text().partition("\n")[0] + "\n")
    counts = tmp_path / "counts.parquet"
    fc.score(sample.GOLD, CAREFUL).statistics.write(counts)
    page = tmp_path / "page.html"
    page.write_text("as it was")
    named = {"GOLD": sample.GOLD, "CAREFUL": CAREFUL, "COUNTS": counts, "SHORT": short}
    given = [named.get(each, each) for each in arguments]
    out, err = cli("report", *given, *([] if "--out" in given else ["--out", page]), expect=2)
    assert not out
    assert re.search(message, err), err
    assert page.read_text() == "as it was"


def test_a_page_that_cannot_be_written(tmp_path):
    for target in (tmp_path, tmp_path / "nowhere" / "page.html", "/dev/full"):
        _, err = cli("report", sample.GOLD, CAREFUL, "--out", target, *QUICK, expect=2)
        assert str(target) in err
    assert not [*tmp_path.iterdir()]

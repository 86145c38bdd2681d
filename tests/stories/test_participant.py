"""A participant of the shared task: zipped submissions, the official number, and the next steps.

The official scores are those that the program of the task printed for the same files.
"""

from __future__ import annotations

import gzip
import json
import zipfile

import pytest

from tests.support.cli import cli
from tests.support.data import CNC

CASES = CNC / "cases"
OURS, THEIRS = "13_mix", "04_shift"

pytestmark = pytest.mark.skipif(not CASES.exists(), reason="needs the Causal News Corpus")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The files as they lie in the folder of a participant."""
    monkeypatch.chdir(tmp_path)
    with zipfile.ZipFile("ours.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(CASES / f"{OURS}.submission.jsonl", "submission.json")
    theirs = (CASES / f"{THEIRS}.submission.jsonl").read_bytes()
    (tmp_path / "theirs.jsonl.gz").write_bytes(gzip.compress(theirs))
    (tmp_path / "gold.csv").write_bytes((CASES / "truth.csv").read_bytes())
    return tmp_path


def official(case):
    return json.loads((CASES / f"{case}.expected.json").read_text())["scores"]["F1"]


def test_from_zipped_submissions_to_a_verdict(folder):
    """A few commands give official scores, the test of their difference, and wrong sentences."""
    files = ("gold.csv", "ours.zip", "theirs.jsonl.gz")
    scores = cli("score", *files, "--protocol", "cnc-2023", "--per-example", "both.parquet",
                 "--unparsed", "empty", "--json")  # fmt: skip
    found = {name: report["scores"]["overall"]["f1"]
             for name, report in json.loads(scores[0])["systems"].items()}  # fmt: skip
    assert found == pytest.approx({"ours": official(OURS), "theirs": official(THEIRS)}, abs=1e-12)

    board = json.loads(cli("leaderboard", "both.parquet", "--baseline", "ours", "--json")[0])
    ours, theirs = sorted(board["systems"], key=lambda row: row["system"])
    assert theirs["delta"] == pytest.approx(found["theirs"] - found["ours"])
    assert theirs["delta_low"] <= theirs["delta"] <= theirs["delta_high"]
    assert 0 <= theirs["p"] <= 1
    assert ours["value"] == found["ours"]

    pytest.importorskip("fastcausal.cli.errors")
    wrong = json.loads(cli("errors", *files[:2], "--protocol", "cnc-2023", "--unparsed", "empty",
                           "--top", "3", "--json")[0])  # fmt: skip
    assert "cnc-2023" in json.dumps(wrong)


def test_the_first_command_names_the_official_number(folder):
    """Who forgets the protocol sees the number of the leaderboard all the same."""
    _, err = cli("score", "gold.csv", "ours.zip", "--unparsed", "empty")
    assert f"official, cnc-2023: {official(OURS):.4f}; see fastcausal explain" in err

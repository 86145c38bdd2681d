"""``compare`` and ``gate`` on the command line: exit status, annotations, JUnit."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.cli.gate import annotation
from tests.support.cli import cli

QUICK = ("--n-resamples", 500)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    for name in ("careful", "hasty"):
        report = fc.score(sample.GOLD, sample.SYSTEMS[name])
        report.statistics.write(folder / f"{name}.parquet")
    return folder / "careful.parquet", folder / "hasty.parquet"


def gate(files, min_delta, *options, expect):
    baseline, candidate = files
    return cli("gate", "--baseline", baseline, "--candidate", candidate, "--min-delta", min_delta,
               *QUICK, *options, expect=expect)  # fmt: skip


def test_compare_prints_what_python_gives(files):
    printed, _ = cli("compare", *files, "--score", "cause_f1", "--score", "overall_f1", "--json")
    comparison = json.loads(printed)
    assert comparison == fc.compare(*files, ["cause_f1", "overall_f1"]).to_dict()
    assert comparison["systems"] == {"a": "careful", "b": "hasty"}


@pytest.mark.parametrize(("min_delta", "status"), [(-0.5, 0), (-0.2, 1), (0, 1)])
def test_exit_status(files, min_delta, status):
    printed, _ = gate(files, min_delta, "--json", expect=status)
    assert (json.loads(printed)["verdict"] == "pass") == (status == 0)


def test_bad_usage(files):
    baseline, candidate = files
    _, err = cli("gate", "--baseline", baseline, "--candidate", candidate, expect=2)
    assert "--min-delta" in err
    _, err = gate((baseline, "gone.parquet"), 0, expect=2)
    assert "gone.parquet" in err
    _, err = gate(files, "nan", expect=2)
    assert "nan, expected a finite number" in err


def test_junit(files, tmp_path):
    target = tmp_path / "gate.xml"
    gate(files, 0, "--junit", target, expect=1)
    [case] = ElementTree.parse(target).getroot()
    [failure] = case
    assert "below +0.0000: significant at 5% (one-sided)" in failure.get("message")
    assert json.loads(failure.text)["verdict"] == "fail"
    _, err = gate(files, 0, "--junit", files[0], expect=2)
    assert "is read, expected another file" in err


def test_github(files, tmp_path, monkeypatch):
    summary = tmp_path / "summary.md"
    summary.write_text("# Tests\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    printed, _ = gate(files, 0, "--github", expect=1)
    assert printed.startswith("::error title=fastcausal gate::fail: hasty against careful; overall")
    assert summary.read_text().startswith("# Tests\nfail: hasty against careful")
    assert "| overall\\_f1 |" in summary.read_text()
    printed, messages = gate(files, -0.5, "--github", "--json", expect=0)
    assert json.loads(printed)["verdict"] == "pass"
    assert "::notice title=fastcausal gate::pass" in messages


def test_text_of_an_annotation_is_escaped(files):
    result = fc.gate(*files, min_delta=0, n_resamples=10)
    result.title = f"{result.verdict}: \x1b[0m against 50%\n::error::x\r"
    line = annotation(result)
    assert "\n" not in line
    assert "\x1b" not in line
    assert "against 50%25\\n::error::x\\x0d" in line

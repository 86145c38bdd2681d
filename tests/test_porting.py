"""The calls of other programs that docs/porting/ shows, beside ours, if they are installed.

Calls of seqeval, nervaluate, scikit-learn and krippendorff are examples within the pages.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import fastcausal as fc
from fastcausal import sample
from tests.support.cli import cli

TEXT = "The late frost cut the crop by half. Prices doubled.\n"
SPANS = {
    "amy": [("Cause", 0, 14), ("Effect", 19, 35)],
    "ben": [("Cause", 0, 14), ("Effect", 23, 35)],
    "cho": [("Cause", 0, 14), ("Effect", 19, 27)],
}
CONFIGURATION = """[entities]
Cause
Effect
[relations]
Causes Arg1:Cause, Arg2:Effect
[events]
[attributes]
"""
RELATION = "R1\tCauses Arg1:T1 Arg2:T2\n"
pytestmark = pytest.mark.slow


def needs(module: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(find_spec(module) is None, reason=f"needs {module}")


def project(folder: Path, raters: tuple[str, ...], more: str = "") -> list[Path]:
    """A project of brat: a folder of each rater."""
    (folder / "annotation.conf").write_text(CONFIGURATION)
    folders = [folder / rater for rater in raters]
    for each in folders:
        each.mkdir()
        (each / "d.txt").write_text(TEXT)
        lines = [
            f"T{k}\t{name} {start} {stop}\t{TEXT[start:stop]}\n"
            for k, (name, start, stop) in enumerate(SPANS[each.name], 1)
        ]
        (each / "d.ann").write_text("".join(lines) + more)
    return folders


def printed(*command: object) -> str:
    done = subprocess.run(
        [sys.executable, *map(str, command)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs("bratiaa")
@pytest.mark.parametrize("other", ["ben", "cho"])
def test_f1_of_bratiaa(tmp_path: Path, other: str) -> None:
    amy, ben = project(tmp_path, ("amy", other), RELATION)
    code = "import bratiaa, sys; print(*bratiaa.compute_f1_agreement(sys.argv[1]).mean_sd_total())"
    mean, _ = printed("-c", code, tmp_path).split()
    assert float(mean) == fc.score(amy, ben, fc.Protocol("x", kernel="exact_spans"))["overall"].f1


@needs("bratutils")
@pytest.mark.parametrize(("other", "partial"), [("ben", 1), ("cho", 0)])
def test_partial_spans_of_bratutils(tmp_path: Path, other: str, partial: int) -> None:
    """bratutils takes only spans for partial that end together and start later."""
    amy, ben = project(tmp_path, ("amy", other))
    code = """if True:
        import sys
        from bratutils.agreement import DocumentCollection
        gold, other = map(DocumentCollection, sys.argv[1:])
        gold.make_gold()
        print(other.compare_to_gold(gold))"""
    table = printed("-c", code, f"{amy}/", f"{ben}/")
    assert int(re.search(r"par:(\d)", table)[1]) == partial  # type: ignore[index]
    for each in (amy, ben):
        (each / "d.ann").write_text((each / "d.ann").read_text() + RELATION)
    ours = fc.score(amy, ben, fc.Protocol("x", kernel="partial_spans"))
    assert ours["overall"].partial_par == 1


@needs("sacrebleu")
@pytest.mark.parametrize("test", ["--paired-bs", "--paired-ar"])
def test_paired_tests_of_sacrebleu(tmp_path: Path, test: str) -> None:
    """Both programs find that the careful system differs from the hasty one."""
    gold = fc.read(sample.GOLD)
    files = {"ref": "", "careful": "", "hasty": ""}
    for name in files:
        side = gold if name == "ref" else fc.read(sample.SYSTEMS[name], like=gold)
        lines = [json.dumps(row) for row in side.table["relations"].to_pylist()]
        (tmp_path / name).write_text("\n".join(lines))
    said = printed("-m", "sacrebleu", tmp_path / "ref", "-i", tmp_path / "careful",
                   tmp_path / "hasty", test, f"{test}-n", 200, "-f", "json")  # fmt: skip
    assert next(iter(json.loads(said)[1].values())).endswith("hasty")
    theirs = json.loads(said)[1]["BLEU"]["p_value"]
    counts = [tmp_path / f"{name}.parquet" for name in ("careful", "hasty")]
    for path in counts:
        cli("score", sample.GOLD, sample.SYSTEMS[path.stem], "--per-example", path)
    ours, _ = cli("compare", *counts, "--json")
    assert max(theirs, next(iter(json.loads(ours)["scores"].values()))["p"]) < 0.05

"""The bundle as a platform runs it: an empty Python, no network, folders of the platform."""

from __future__ import annotations

import json
import shutil
import subprocess
import venv
import zipfile
from pathlib import Path

import pytest

from fastcausal import sample
from fastcausal.shared_task.bundle import init
from tests.support.cli import cli

NOWHERE = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), "http://127.0.0.1:9")
OPTIONS = {"protocol": "cnc-2023", "unparsed": "empty"}


def offline() -> list[str]:
    """Return a command that runs another one without a network; empty if this is forbidden."""
    tried = ["unshare", "--net", "--map-root-user"]
    if shutil.which(tried[0]) is None:
        return []
    is_allowed = subprocess.run([*tried, "true"], capture_output=True, check=False).returncode == 0
    return tried if is_allowed else []


def run(python: Path, app: Path) -> subprocess.CompletedProcess[str]:
    command = (app.parent / "bundle" / "scoring_program" / "metadata.yaml").read_text()
    words = command.removeprefix("command: python3 ").replace("/app", str(app)).split()
    return subprocess.run(
        [*offline(), str(python), "-I", *words],
        env={"PATH": "/usr/bin:/bin", **NOWHERE},
        cwd=app,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.slow
def test_the_platform_gives_the_scores_of_the_command(tmp_path: Path) -> None:
    """The platform's scores equal the command's; a refused submission leaves no scores."""
    init(tmp_path / "box", Path(sample.GOLD), "score", OPTIONS)
    assert sum(p.stat().st_size for p in (tmp_path / "box").rglob("*") if p.is_file()) < 40e6
    with zipfile.ZipFile(tmp_path / "box" / "bundle.zip") as archive:
        archive.extractall(tmp_path / "bundle")
    app, python = tmp_path / "app", tmp_path / "empty" / "bin" / "python3"
    venv.create(tmp_path / "empty", with_pip=False, symlinks=True)
    (app / "input").mkdir(parents=True)
    (app / "output").mkdir()
    shutil.copytree(tmp_path / "bundle" / "scoring_program", app / "program")
    shutil.copytree(tmp_path / "bundle" / "reference_data", app / "input" / "ref")
    res = app / "input" / "res"
    res.mkdir()
    (res / "predictions.jsonl").write_bytes(Path(sample.SYSTEMS["careful"]).read_bytes())
    done = run(python, app)
    assert (done.returncode, done.stderr) == (0, "")
    printed, _ = cli("score", str(sample.GOLD), str(sample.SYSTEMS["careful"]), "--protocol",
                     "cnc-2023", "--unparsed", "empty", "--json")  # fmt: skip
    overall = json.loads(printed)["scores"]["overall"]
    scores = json.loads((app / "output" / "scores.json").read_text())
    assert scores == {f"overall_{name}": overall[name] for name in ("f1", "precision", "recall")}
    assert "61 examples" in done.stdout

    (res / "predictions.jsonl").write_text("I could not do it")
    done = run(python, app)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("predictions.jsonl: no line is a JSON object")
    assert not [*(app / "output").iterdir()]

"""Bundles of shared tasks without packages, and submissions to them."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

from fastcausal import sample
from fastcausal._version import __version__
from fastcausal.errors import InputError
from fastcausal.shared_task.bundle import init
from fastcausal.shared_task.judge import judge
from fastcausal.shared_task.program import JUDGMENT, Judged

HERE = Path(sample.GOLD).parent
SETTINGS = {
    "recess": ("gold.csv", "score", {"unparsed": "empty"}),
    "cnc-2023": ("gold.csv", "score", {"protocol": "cnc-2023", "unparsed": "empty"}),
    "cnc-2022": ("gold.csv", "score", {"protocol": "cnc-2022", "unparsed": "empty"}),
    "pairs": ("pairs_gold.csv", "eci", {}),
    "listed": ("pairs_gold.csv", "eci", {"candidates": "listed"}),
    "sections": ("sections.csv", "fincausal", {}),
    "questions": ("causes.csv", "qa", {"protocol": "fincausal-2025"}),
    "answers": ("choices.csv", "classify", {"answers": "binary"}),
}


def without_wheels(folder: Path) -> Path:
    """A folder with a wheel of fastcausal in name alone."""
    folder.mkdir(exist_ok=True)
    zipfile.ZipFile(folder / f"fastcausal-{__version__}-py3-none-any.whl", "w").close()
    return folder


def box(target: Path, name: str, **settings: Any) -> Path:
    """A bundle of one of the settings, with gold of the sample; its baseline is judged here."""
    gold, task, options = SETTINGS[name]
    wheels = without_wheels(target.with_name(f"{target.name}_wheels"))
    with patch("fastcausal.shared_task.check.judged", judged_here):
        init(target, HERE / gold, task, options, packed=wheels, **settings)
    return target


def pack_nothing(target: Path, folder: Path | None = None) -> None:
    """Replace `packages.pack`: write an empty zip."""
    zipfile.ZipFile(target, "w").close()


def judged_here(
    site: Path, folder: Path, submission: Path, out: Path, flags: Sequence[str]
) -> Judged:
    """Replace `program.judged`: run the judge in this process."""
    try:
        judge(folder, submission, out)
    except InputError as error:
        return Judged({}, str(error))
    return Judged(json.loads((out / JUDGMENT).read_text()))


def sent(place: Path) -> Path:
    """A folder of three systems, one of them twice, and of a file that is no submission."""
    folder = place / "sent"
    folder.mkdir()
    for name in ("careful", "hasty"):
        (folder / f"{name}.jsonl").write_bytes(Path(sample.SYSTEMS[name]).read_bytes())
    with zipfile.ZipFile(folder / "twin.zip", "w") as archive:
        archive.writestr("p.jsonl", Path(sample.SYSTEMS["careful"]).read_bytes())
    (folder / "poor.txt").write_text("I could not do it")
    return folder

"""The record of a shared task: ``task.json`` beside gold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import NoneType
from typing import Any, NamedTuple

from fastcausal.errors import InputError
from fastcausal.files.files import Source, replacing
from fastcausal.files.values import require, shown
from fastcausal.shared_task.scoring import check_settings, leads_away

FILE = "task.json"
SCHEMA = 1
FOLDERS = ("", "reference_data", "starting_kit")  # below a bundle's folder, the first that has it

# The fields by type: a record comes from others, and is read before it is obeyed.
SHAPE = {
    "title": str, "task": str, "options": {}, "files": [str], "gold": str, "sha256": str,
    "answers": bool, "digest": (str, NoneType), "signature": str, "scores": [str],
    "lower_is_better": bool, "version": str, "silenced": [str],
    "limits": {"seconds": int, "memory": int, "size": int},
}  # fmt: skip
MAX_SECONDS = 10**7


class Limits(NamedTuple):
    """Bounds of one submission."""

    seconds: int = 300  # Time of the judge
    memory: int = 8 << 30  # Bytes of address space of the judge
    size: int = 256 << 20  # Bytes of a submission, packed and unpacked


DEFAULT = Limits()


@dataclass(frozen=True)
class SharedTask:
    """Settings of a shared task."""

    title: str
    task: str  # Name of the public scoring function
    options: Mapping[str, Any]  # Arguments of the function
    files: tuple[str, ...]  # Options whose values are names of files beside the record
    gold: str  # Name of the file beside the record
    sha256: str  # SHA-256 of the organiser's gold file
    answers: bool  # False if gold beside the record has no answers
    # Digest of gold's content, independent of its order; None if scores do not add
    digest: str | None
    signature: str  # Signature of scores without warnings
    scores: tuple[str, ...]  # Columns of the board by flat name; the first ranks
    lower_is_better: bool  # True if lower is better for the first score
    version: str  # Version of fastcausal
    silenced: tuple[str, ...] = ()  # Warnings that gold gives because its answers are left out
    limits: Limits = DEFAULT

    @property
    def protocol(self) -> str:
        """Name of the protocol, or of the task if it has no protocol."""
        return str(self.options.get("protocol") or self.task)

    def options_in(self, folder: Path) -> dict[str, Any]:
        """Return the options, with the paths of their files."""
        return {
            name: str(folder / value) if name in self.files else value
            for name, value in self.options.items()
        }

    def write(self, folder: Path) -> None:
        """Write the record to a folder."""
        with replacing(folder / FILE) as file:
            file.write(f"{self.to_json()}\n".encode())

    def to_json(self) -> str:
        """Return the record as JSON."""
        values = {"schema": SCHEMA, **asdict(self), "limits": self.limits._asdict()}
        return json.dumps(values, indent=2)

    @classmethod
    def read(cls, folder: Path) -> SharedTask:
        """Read the record of a folder."""
        source = Source.open(folder / FILE)
        values = source.document_to_store()
        if not isinstance(values, dict) or values.pop("schema", None) != SCHEMA:
            raise InputError(f"{source.name}: no record of a shared task, expected schema {SCHEMA}")
        try:
            return cls._parse(values, folder)
        except ValueError as error:
            raise InputError(f"{source.name}: {error}") from error

    @classmethod
    def _parse(cls, values: dict[str, Any], folder: Path) -> SharedTask:
        """Make a record of checked values; raise ValueError for the first problem."""
        require(values, SHAPE)
        given = values.pop("limits")
        for unknown in ({*values} - {*SHAPE}, {*given} - {*Limits._fields}):
            if unknown:
                raise InputError(
                    f"{', '.join(sorted(unknown))}: unknown, expected {', '.join(SHAPE)}"
                )
        limits = Limits(**given)
        for name, value in limits._asdict().items():
            most = MAX_SECONDS if name == "seconds" else 1 << 62
            if not 0 <= value <= most:
                raise InputError(f'"limits": "{name}" is {value}, expected 0 to {most}')
        if not values["scores"]:
            raise InputError('"scores" is empty, expected names of scores')
        lists = {name: tuple(values[name]) for name in ("files", "scores", "silenced")}
        made = cls(**{**values, **lists}, limits=limits)
        check_settings(made.task, made.options, made.files)
        for name in (made.gold, *(made.options[option] for option in made.files)):
            _require_beside(folder, name)
        return made


def _require_beside(folder: Path, name: str) -> None:
    """Raise InputError unless a name is of a file in this folder itself."""
    path = folder / name
    if leads_away(name):
        raise InputError(f"{shown(name)}: expected the name of a file beside {FILE}")
    if not path.is_file():
        raise InputError(f"{shown(name)} is missing, expected a file beside {FILE}")
    if path.resolve().parent != folder.resolve():
        raise InputError(f"{shown(name)}: a link to another folder, expected a file beside {FILE}")


def folder_of(given: Path) -> Path:
    """Return the folder of the record in a bundle, its reference data or a starting kit."""
    for name in FOLDERS:
        if (given / name / FILE).is_file():
            return given / name
    raise InputError(f"{given}: no {FILE}, expected the folder of task init or a starting kit")

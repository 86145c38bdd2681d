"""The record of a shared task: ``task.json`` beside gold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

from fastcausal.errors import InputError
from fastcausal.files.files import Source, replacing

FILE = "task.json"
SCHEMA = 1
FOLDERS = ("", "reference_data", "starting_kit")  # below a bundle's folder, the first that has it


class Limits(NamedTuple):
    """Bounds of one submission.

    Attributes
    ----------
    seconds : int
        Time of the judge.
    memory : int
        Bytes of address space of the judge.
    size : int
        Bytes of a submission, packed and unpacked.
    """

    seconds: int = 300
    memory: int = 8 << 30
    size: int = 256 << 20


DEFAULT = Limits()


@dataclass(frozen=True)
class SharedTask:
    """Settings of a shared task.

    Attributes
    ----------
    title : str
    task : str
        Name of the public scoring function.
    options : mapping
        Arguments of the function.
    files : tuple of str
        Options whose values are names of files beside the record.
    gold : str
        Name of the file beside the record.
    sha256 : str
        SHA-256 of the organiser's gold file.
    answers : bool
        False if gold beside the record has no answers.
    digest : str or None
        Digest of gold's content, independent of its order; None if scores do not add.
    signature : str
        Signature of scores without warnings.
    scores : tuple of str
        Columns of the board by flat name; the first ranks.
    lower_is_better : bool
        True if lower is better for the first score.
    version : str
        Version of fastcausal.
    silenced : tuple of str
        Warnings that gold gives because its answers are left out.
    limits : Limits
    """

    title: str
    task: str
    options: Mapping[str, Any]
    files: tuple[str, ...]
    gold: str
    sha256: str
    answers: bool
    digest: str | None
    signature: str
    scores: tuple[str, ...]
    lower_is_better: bool
    version: str
    silenced: tuple[str, ...] = ()
    limits: Limits = DEFAULT

    @property
    def protocol(self) -> str:
        """Name of the protocol, or of the task if it has no protocol."""
        return str(self.options.get("protocol") or self.task)

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
        """Read the record of a folder.

        Raises
        ------
        InputError
            The record is missing, or has other fields.
        """
        source = Source.open(folder / FILE)
        values = source.document()
        names = {field.name for field in fields(cls)}
        if not isinstance(values, dict) or values.pop("schema", None) != SCHEMA:
            raise InputError(f"{source.name}: no record of a shared task, expected schema {SCHEMA}")
        if {*values} != names:
            different = ", ".join(sorted(names ^ {*values}))
            raise InputError(f"{source.name}: fields {different} are unknown or missing")
        try:
            limits = Limits(**values.pop("limits"))
        except TypeError as error:
            raise InputError(f"{source.name}: limits: {error}") from error
        lists = {name: tuple(values[name]) for name in ("files", "scores", "silenced")}
        return cls(**{**values, **lists}, limits=limits)


def folder_of(given: Path) -> Path:
    """Return the folder of the record in a bundle, its reference data or a starting kit.

    Raises
    ------
    InputError
        The record is missing.
    """
    for name in FOLDERS:
        if (given / name / FILE).is_file():
            return given / name
    raise InputError(f"{given}: no {FILE}, expected the folder of task init or a starting kit")

"""Options that the commands of a shared task have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastcausal.cli.parameters import Argument, Option

DirOption = Annotated[Path, Option("--dir", help="Folder of task init, or of a starting kit.")]
SubmissionsArgument = Annotated[
    Path, Argument(help="A folder with a file, folder or zip for each submission.")
]
HERE = Path()

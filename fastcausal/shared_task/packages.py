"""The packages that a judge loads, for a Python of one version and platform without a network."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from fastcausal._version import __version__
from fastcausal.errors import InputError
from fastcausal.shared_task.zipped import write_zip

NAME = "fastcausal"
NEEDED = ("numpy", "pyarrow")  # the command line alone needs the others
# Sources, tests, headers, second names of libraries, and file systems and servers of Arrow.
LEFT_OUT = re.compile(
    r"\.(py[cxd]|c|cpp|h|hpp|a)$|^\.\.|/(tests?|include|f2py|distutils|_csrc)/"
    r"|libarrow_((python_)?flight|s3)|libarrow_python\w*\.so(\.\d+\.[\d.]+)?$"
    r"|/_(flight|s3fs|gcsfs|azurefs|hdfs|orc|pyarrow_cpp_tests)\."
)


def pack(target: Path, folder: Path | None = None) -> None:
    """Pack what a judge loads of the installed packages, or of the wheels in a folder."""
    made = _installed() if folder is None else _of_wheels(folder)
    kept = ((name, held) for name, held in made if not LEFT_OUT.search(name))
    write_zip(target, kept, zipfile.ZIP_LZMA)


def _installed() -> Iterator[tuple[str, Path]]:
    root = Path(__file__).parents[1]  # also of an editable installation
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        yield path.relative_to(root.parent).as_posix(), path
    for name in NEEDED:
        try:
            listed = files(name) or ()
        except PackageNotFoundError as error:
            raise InputError(f"{name} is not installed here, name --wheels FOLDER") from error
        for file in sorted(listed):
            if (path := Path(str(file.locate()))).is_file():
                yield file.as_posix(), path


def _of_wheels(folder: Path) -> Iterator[tuple[str, bytes]]:
    wheels = sorted(folder.glob("*.whl"))
    own = [path for path in wheels if path.name.startswith(f"{NAME}-{__version__}-")]
    if len(own) != 1:
        raise InputError(f"{folder}: {len(own)} wheels of {NAME} {__version__}, expected one")
    for path in wheels:
        with zipfile.ZipFile(path) as wheel:
            for name in wheel.namelist():
                if not name.endswith("/"):
                    yield name, wheel.read(name)

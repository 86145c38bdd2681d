"""The packages that a judge loads, for a Python of one version and platform without a network."""

from __future__ import annotations

import io
import lzma
import re
import tarfile
import zipfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from fastcausal._version import __version__
from fastcausal.errors import InputError

NAME = "fastcausal"
NEEDED = ("numpy", "pyarrow")  # the command line alone needs the others
# Sources, tests, headers, second names of libraries, and parts of Arrow that it works without.
LEFT_OUT = re.compile(
    r"\.(py[cxd]|pxi|c|cc|cpp|h|hpp|a|wasm)$|^\.\.|/(tests?|include|f2py|distutils|_csrc)/"
    r"|libarrow_((python_)?flight|s3)|libarrow_python\w*\.so(\.\d+\.[\d.]+)?$"
    r"|/_(flight|s3fs|gcsfs|azurefs|hdfs|orc|pyarrow_cpp_tests|dataset\w*|substrait|simd)\."
    r"|parquet_encryption"
)
# A quarter of the time that the usual preset takes; with jumps of x86 made alike, as small.
FILTERS = [{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": 1}]


def pack(target: Path, folder: Path | None = None) -> None:
    """Pack what a judge loads of the installed packages, or of the wheels in a folder."""
    made = _installed() if folder is None else _of_wheels(folder)
    with (
        lzma.open(target, "wb", filters=FILTERS) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for name, held in made:
            if not LEFT_OUT.search(name):
                data = held.read_bytes() if isinstance(held, Path) else held
                entry = tarfile.TarInfo(name)  # with a fixed time
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))


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

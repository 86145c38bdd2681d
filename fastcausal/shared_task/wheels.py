"""Installed packages as wheels, for a Python of the same version and platform without a network."""

from __future__ import annotations

import re
import sys
import sysconfig
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from fastcausal._version import __version__
from fastcausal.errors import InputError
from fastcausal.shared_task.zipped import write_zip

NAME = "fastcausal"
LEFT_OUT = (".pyc", ".pyx", ".pxd", ".cpp", ".c")
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def pack(target: Path) -> list[Path]:
    """Pack fastcausal and the packages that it needs; its own wheel is the first."""
    target.mkdir(parents=True, exist_ok=True)
    return [_packed(each, target) for each in _needed(NAME)]


def list_wheels(folder: Path) -> list[Path]:
    """Return the wheels of a folder, fastcausal's first."""
    wheels = sorted(folder.glob("*.whl"))
    own = [path for path in wheels if path.name.startswith(f"{NAME}-{__version__}-")]
    if len(own) != 1:
        raise InputError(f"{folder}: {len(own)} wheels of {NAME} {__version__}, expected one")
    return own + [path for path in wheels if path not in own]


def _needed(name: str) -> list[Distribution]:
    """Return a package and its dependencies, without extras."""
    packages: dict[str, Distribution] = {}
    left = [(name, True)]
    while left:
        name, is_needed = left.pop(0)
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key in packages:
            continue
        try:
            packages[key] = distribution(name)
        except PackageNotFoundError as error:
            if is_needed:
                raise InputError(f"{name} is not installed here, name --wheels FOLDER") from error
            continue
        for text in packages[key].requires or ():
            requirement, _, marker = text.partition(";")
            match = _NAME.match(requirement)
            if match and "extra" not in marker:  # with another marker: needed if installed
                left.append((match[0], not marker))
    return [*packages.values()]


def _packed(each: Distribution, target: Path) -> Path:
    """Pack the installed files of a package."""
    name = re.sub(r"[-_.]+", "_", each.metadata["Name"])
    files = dict(_own_files() if name == NAME else _files(each))
    tags = [_tag()] if name == NAME else _tags(each)
    info = f"{name}-{each.version}.dist-info"
    wheel = ["Wheel-Version: 1.0", f"Generator: {NAME}", "Root-Is-Purelib: false"]
    texts = {"WHEEL": "\n".join([*wheel, *(f"Tag: {tag}" for tag in tags), ""])}
    texts["METADATA"] = each.read_text("METADATA") or each.read_text("PKG-INFO") or ""
    if entries := each.read_text("entry_points.txt"):
        texts["entry_points.txt"] = entries
    path = target / f"{name}-{each.version}-{_joint(tags)}.whl"
    record = []
    contents = [(inside, file.read_bytes()) for inside, file in sorted(files.items())]
    contents += [(f"{info}/{inside}", text.encode()) for inside, text in texts.items()]
    for inside, data in contents:
        digest = urlsafe_b64encode(sha256(data).digest()).decode().rstrip("=")
        record.append(f'"{inside}",sha256={digest},{len(data)}\n')
    record.append(f"{info}/RECORD,,\n")
    write_zip(path, [*contents, (f"{info}/RECORD", "".join(record).encode())])
    return path


def _own_files() -> Iterator[tuple[str, Path]]:
    """Yield the files of this package, also of an editable installation."""
    root = Path(__file__).parents[1]
    for path in root.rglob("*"):
        if path.is_file() and path.suffix not in LEFT_OUT and "_csrc" not in path.parts:
            yield path.relative_to(root.parent).as_posix(), path


def _files(each: Distribution) -> Iterator[tuple[str, Path]]:
    """Yield the files of a package from its RECORD, without scripts and regenerated metadata."""
    for file in each.files or ():
        inside, path = file.as_posix(), Path(str(file.locate()))
        if inside.startswith(("..", "/")) or path.suffix in LEFT_OUT or not path.is_file():
            continue
        if ".dist-info/" not in inside or "/licenses/" in inside or "LICENSE" in path.name:
            yield inside, path


def _tags(each: Distribution) -> list[str]:
    written = (each.read_text("WHEEL") or "").splitlines()
    return [line.removeprefix("Tag: ") for line in written if line.startswith("Tag: ")] or [_tag()]


def _tag() -> str:
    """Return the tag of this Python and platform."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def _joint(tags: list[str]) -> str:
    """Join tags in the form of a wheel's name."""
    parts = zip(*(tag.split("-") for tag in tags), strict=True)
    return "-".join(".".join(dict.fromkeys(part)) for part in parts)

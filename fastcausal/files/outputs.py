"""One file to write, which replaces its target once complete."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path


class Output:
    """One file to write: a temporary file beside the target, or the target itself."""

    def __init__(self, target: str | os.PathLike[str]) -> None:
        self._partial: Path | None = None
        self._place = _follow_links(target)
        if str(self._place.parent) in (f"/proc/{os.getpid()}/fd", "/dev/fd"):
            # Opening a redirected file again would truncate it and write from its start.
            self.file = os.fdopen(os.dup(int(self._place.name)), "wb")
            return
        mode = _mode(self._place)
        if _is_direct(self._place, mode):
            self.file = self._place.open("wb")
            return
        # A unique name: other threads, and processes with the same id, write their own files.
        partial = self._place.with_name(f".{os.urandom(8).hex()}.partial")
        self.file = partial.open("xb")
        self._partial = partial
        if mode is not None:
            partial.chmod(stat.S_IMODE(mode))

    def complete(self) -> None:
        """Flush all written bytes to the disk."""
        self.file.flush()
        if self._partial is not None:
            os.fsync(self.file.fileno())

    def make_way(self) -> None:
        """Remove the existing target."""
        if self._partial is not None:
            self._place.unlink(missing_ok=True)

    def take_place(self) -> None:
        """Rename the file to the target."""
        self.file.close()
        if self._partial is not None:
            self._partial.replace(self._place)
            self._partial = None

    def close(self) -> None:
        """Remove a file that did not replace its target."""
        with suppress(OSError):  # a full disk fails here once more
            self.file.close()
        if self._partial is not None:
            self._partial.unlink(missing_ok=True)


def is_replaced(target: str | os.PathLike[str]) -> bool:
    """Return True if a target is replaced once its file is complete, False for pipes and devices.

    >>> is_replaced("gold.csv"), is_replaced("/dev/stdout")
    (True, False)
    """
    try:
        place = _follow_links(target)
        return not _is_direct(place, _mode(place))
    except OSError:  # writing reports it
        return False


def _follow_links(target: str | os.PathLike[str]) -> Path:
    """Follow the links of a target, but not beyond an entry of /proc, which is not a real path."""
    path = Path(target).absolute()
    for _ in range(40):  # Linux's own limit
        path = Path(os.path.realpath(path.parent), path.name)
        if path.is_relative_to("/proc") or not path.is_symlink():
            return path
        path = path.parent / path.readlink()
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _mode(path: Path) -> int | None:
    """Return type and permissions of a file, None if it is missing."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _is_direct(path: Path, mode: int | None) -> bool:
    if mode is not None and not stat.S_ISREG(mode):
        return True
    system = path.is_relative_to("/dev") or path.is_relative_to("/proc")
    return system and not path.is_relative_to("/dev/shm")

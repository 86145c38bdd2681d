"""Zip archives of unknown origin, read in memory within bounds; nothing is unpacked to disk."""

from __future__ import annotations

import io
import posixpath
import stat
import zlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import IO, TYPE_CHECKING

from fastcausal.errors import InputError

if TYPE_CHECKING:
    import zipfile  # 5 ms, which most sources do not need

MARKS = (b"PK\x03\x04", b"PK\x05\x06")  # first bytes of a zip; the second of an empty one
MAX_BYTES = 1 << 30  # unpacked bytes of all files, including files of inner zips
MAX_FILES = 100_000
MAX_RATIO = 200  # unpacked bytes per packed byte; DEFLATE reaches 1032
FREE = 1 << 20  # bytes exempt from the ratio: short texts repeat themselves
ADDED = (".DS_Store", "Thumbs.db")  # added by operating systems
ENCRYPTED = 0x1  # in the flags of an entry
UNUSUAL = 0x61  # flags of entries that are encrypted or patched
ZSTD = 93  # zipfile reads it from Python 3.14 on
METHODS = (0, 8, ZSTD)  # stored, DEFLATE: every program writes these; logs of evaluations zstd
LOCAL = 30  # bytes of the header before a file, without its name and extra field
MAX_LOG_FILES = 1_000_000  # files of a log


@dataclass
class Room:
    """The bytes that an archive may still unpack to, shared with the zips inside."""

    left: int = MAX_BYTES


@dataclass(frozen=True)
class Archive:
    """The files of a zip."""

    name: str
    data: bytes = field(repr=False, default=b"")
    # Limits the unpacked bytes, together with the outer archive. A log may unpack to more, up to
    # `MAX_RATIO` times its size: its files are read one at a time.
    room: Room = field(default_factory=Room, repr=False)
    # The archive on disk, instead of ``data``
    file: IO[bytes] | None = field(default=None, repr=False)
    # True for an archive that a program appended to: the last file of a name counts, names are any
    # text, and the bounds hold only for files that are read
    is_log: bool = False

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Sorted paths of its files, without directories."""
        return tuple(sorted(self._entries))

    @property
    def own_names(self) -> list[str]:
        """Paths of its files, without files added by operating systems."""
        return [
            path
            for path in self.names
            if not path.startswith("__MACOSX/") and posixpath.basename(path) not in ADDED
        ]

    def read(self, path: str) -> bytes:
        """Unpack a file; raise InputError if it is damaged or too large."""
        import struct
        import zipfile

        entry = self._entries[path]
        self._take(entry.file_size)
        try:
            data = self._unpacked(entry)
        except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError,
                OSError, RuntimeError, ValueError) as error:  # fmt: skip
            raise InputError(f"{self.name}/{path}: damaged or packed in an unknown way: {error}"
                             ) from error  # fmt: skip
        if len(data) != entry.file_size:
            raise InputError(
                f"{self.name}/{path}: {len(data)} bytes, the archive says {entry.file_size}"
            )
        return data

    def inside(self, path: str) -> Archive:
        """Open a zip inside; its unpacked bytes count for this one too."""
        return Archive(f"{self.name}/{path}", self.read(path), self.room)

    def _unpacked(self, entry: zipfile.ZipInfo) -> bytes:
        """Unpack a file, at most one byte more than its size in the archive."""
        if entry.compress_type not in METHODS:
            raise NotImplementedError(f"method {entry.compress_type}")
        if entry.compress_type != ZSTD:
            if (data := self._inflated(entry)) is not None:
                return data
            with self._zip.open(entry) as file:
                return file.read(entry.file_size + 1)
        import pyarrow as pa

        _, packed = self._packed(entry)
        if len(packed) < entry.compress_size or not entry.file_size:
            raise ValueError("the file is cut")
        unpacked: bytes = pa.Codec("zstd").decompress(packed, entry.file_size, asbytes=True)
        if zlib.crc32(unpacked) != entry.CRC:
            raise ValueError("its CRC-32 is another one")
        return unpacked

    def _inflated(self, entry: zipfile.ZipInfo) -> bytes | None:
        """Unpack a file without faults; `zipfile`, which takes three times as long, names them."""
        if entry.flag_bits & UNUSUAL or entry.compress_size > 2 * entry.file_size + LOCAL:
            return None
        mark, packed = self._packed(entry)
        stop = getattr(entry, "_end_offset", None)  # of newer Pythons, against files that overlap
        if mark != MARKS[0] + entry.orig_filename.encode() or (
            stop is not None and self._bytes.tell() > stop
        ):
            return None
        data = packed
        if entry.compress_type:
            unpack = zlib.decompressobj(-zlib.MAX_WBITS)
            try:
                data = unpack.decompress(packed, entry.file_size + 1)
            except zlib.error:
                return None
        is_whole = len(data) == entry.file_size and zlib.crc32(data) == entry.CRC
        return data if is_whole else None

    def _packed(self, entry: zipfile.ZipInfo) -> tuple[bytes, bytes]:
        """Return the mark and the name before a file, and its packed bytes."""
        archive = self._bytes
        archive.seek(entry.header_offset)
        header = archive.read(LOCAL)
        n_name, n_extra = (int.from_bytes(header[k : k + 2], "little") for k in (26, 28))
        name = archive.read(n_name)
        archive.seek(n_extra, io.SEEK_CUR)
        return header[:4] + name, archive.read(entry.compress_size)

    @cached_property
    def _bytes(self) -> IO[bytes]:
        return io.BytesIO(self.data) if self.file is None else self.file

    @cached_property
    def _zip(self) -> zipfile.ZipFile:
        import zipfile

        try:
            return zipfile.ZipFile(self._bytes)
        except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as error:
            raise InputError(f"{self.name}: damaged or no zip: {error}") from error

    @cached_property
    def _entries(self) -> dict[str, zipfile.ZipInfo]:
        entries: dict[str, zipfile.ZipInfo] = {}
        listed = self._zip.infolist()
        most = MAX_LOG_FILES if self.is_log else MAX_FILES
        if len(listed) > most:
            raise InputError(f"{self.name}: {len(listed)} files, expected at most {most}")
        if self.is_log:
            return {entry.filename: entry for entry in listed}
        for entry in listed:
            if reason := _refusal(entry):
                raise InputError(f"{self.name}: {entry.orig_filename!r:.80} {reason}")
            if entry.filename in entries:
                raise InputError(f"{self.name}: {entry.filename!r:.80} occurs twice")
            if not entry.is_dir():
                entries[entry.filename] = entry
        size = sum(entry.file_size for entry in entries.values())
        if size > FREE and size > MAX_RATIO * len(self.data):
            raise InputError(
                f"{self.name}: unpacks to {size} bytes, {size // len(self.data)} for each of its "
                f"own, expected at most {MAX_RATIO}"
            )
        if size > self.room.left:
            most = self.room.left
            raise InputError(f"{self.name}: unpacks to {size} bytes, expected at most {most}")
        return entries

    def _take(self, n_bytes: int) -> None:
        self.room.left -= n_bytes
        if self.room.left < 0 and not (n_bytes <= MAX_BYTES and self._is_large_log):
            raise InputError(f"{self.name}: unpacks to more than {MAX_BYTES} bytes")

    @property
    def _is_large_log(self) -> bool:
        """True for a log that unpacks to at most `MAX_RATIO` times its own size."""
        size = self._bytes.seek(0, io.SEEK_END)
        return self.is_log and MAX_BYTES - self.room.left <= MAX_RATIO * size


def _refusal(entry: zipfile.ZipInfo) -> str | None:
    """Return the reason for refusing an entry, None to accept it."""
    path = entry.orig_filename
    if "\\" in path or "\0" in path or path.startswith("/") or path[1:2] == ":":
        return "is not a relative path"
    if ".." in path.split("/") or posixpath.normpath(path) != path.rstrip("/"):
        return "is a path with . or .. in it"
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is a link or a device"
    if entry.flag_bits & ENCRYPTED:
        return "is encrypted"
    return None if entry.compress_type in METHODS else "is packed by another method than DEFLATE"


def is_zip(data: bytes) -> bool:
    """Return True if bytes begin like a zip.

    >>> import zipfile
    >>> packed = io.BytesIO()
    >>> with zipfile.ZipFile(packed, "w") as archive:
    ...     archive.writestr("amy/rain.ann", "T1")
    >>> is_zip(packed.getvalue()), is_zip(b"rain")
    (True, False)
    >>> opened = Archive("x.zip", packed.getvalue())
    >>> opened.names, opened.read("amy/rain.ann")
    (('amy/rain.ann',), b'T1')
    """
    return data.startswith(MARKS)

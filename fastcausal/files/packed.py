"""Paths, URLs, streams and compressed files to bytes.

::

    URL ── fetched ──▶ bytes ── unpacked ──▶ bytes of the file itself, piece by piece
                       │ gzip, bz2, zstd, zip with one file: recognised by their first bytes
"""

from __future__ import annotations

import errno
import io
import os
import re
import sys
import weakref
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Any, TypeGuard, TypeVar

from fastcausal.errors import InputError
from fastcausal.files.zips import MAX_RATIO, Archive

SUFFIXES = (".gz", ".gzip", ".bz2", ".zst", ".zstd", ".zip")
HEAD = 10  # first bytes that identify the compression
PIECE = 1 << 20  # bytes unpacked at a time
SAFE = 1 << 26  # bytes that any file may unpack to

T = TypeVar("T")

_URL = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE)
_MARKS = {
    "gzip": re.compile(rb"\x1f\x8b\x08"),
    "bz2": re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P)"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd"),
    "zip": re.compile(rb"PK(\x03\x04|\x05\x06)"),
    "xz": re.compile(rb"\xfd7zXZ\0"),
    "7z": re.compile(rb"7z\xbc\xaf\x27\x1c"),
    "rar": re.compile(rb"Rar!\x1a\x07"),
    "an office program": re.compile(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
}
_UTF16 = re.compile(rb"\xff\xfe(?!\0\0)|\xfe\xff")
_OF_OFFICE = {"[Content_Types].xml", "content.xml"}  # in each file of Microsoft's or OpenDocument
_CODECS = ("gzip", "bz2", "zstd")  # pyarrow's names


def is_url(source: object) -> TypeGuard[str]:
    """Return True if a source is the URL of a file.

    >>> is_url("s3://runs/a.jsonl"), is_url("runs/a.jsonl")
    (True, False)
    """
    return isinstance(source, str) and _URL.match(source) is not None


def local(source: T) -> T | str:
    """Return the path of a ``file://`` URL; return any other source unchanged.

    >>> local("file:///data/my%20gold.csv")
    '/data/my gold.csv'
    """
    if not isinstance(source, str) or not source.lower().startswith("file://"):
        return source
    from urllib.parse import unquote

    path = unquote(source[len("file://") :])
    if not path.startswith("/"):
        raise InputError(f"{source}: a file:// URL of another machine, expected file:///PATH")
    return path


def plain_name(name: str) -> str:
    """Return the name of a file without the suffix of its compression or the query of a URL.

    >>> plain_name("runs/a.jsonl.gz"), plain_name("gold.csv")
    ('runs/a.jsonl', 'gold.csv')
    """
    if is_url(name):
        name = re.split("[?#]", name)[0]
    suffix = Path(name).suffix
    return name[: -len(suffix)] if suffix.lower() in SUFFIXES else name


def suffix_of(name: str | os.PathLike[str]) -> str:
    """Return the suffix of a file in lower case, ignoring a suffix of compression."""
    return Path(plain_name(os.fspath(name))).suffix.lower()


def stem_of(name: str | os.PathLike[str]) -> str:
    """Return the last part of a path or URL without its suffixes, as a short name."""
    return Path(plain_name(os.fspath(name))).stem


def packing(head: bytes) -> str | None:
    """Return the compression of a file by its first bytes.

    >>> import gzip
    >>> packing(gzip.compress(b"Rain"))
    'gzip'
    """
    return next((name for name, mark in _MARKS.items() if mark.match(head)), None)


def unpacked(
    file: IO[bytes],  # Seekable, at its start
    name: str,  # The name for messages. A file within a zip follows it: ``a.zip/b.csv``.
) -> tuple[str, Iterator[bytes]]:
    """Return the name of the packed file, and its bytes piece by piece."""
    how = packing(file.read(HEAD))
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    if how == "zip":
        archive = Archive(name, file.read())
        member = _member(archive)
        return f"{name}/{member}", _plain(archive.read(member), name, how)
    if how == "an office program":
        raise _office_file(name)
    if how not in _CODECS:
        raise InputError(f"{name}: a file packed by {how}, which is not read: unpack it first")
    import pyarrow as pa

    with _faults(name, how):
        return name, _pieces(pa.CompressedInputStream(file, how), name, how, size)


def _pieces(stream: Any, name: str, how: str, size: int) -> Iterator[bytes]:
    """Yield the unpacked bytes of a stream of ``size`` packed bytes."""
    n = 0
    with closing(stream), _faults(name, how):
        while piece := stream.read(PIECE):
            n += len(piece)
            if n > max(SAFE, MAX_RATIO * size):
                raise InputError(
                    f"{name}: {size} bytes unpack to over {n >> 20} MiB, more than {MAX_RATIO} "
                    "times as many; if that is meant, unpack it first"
                )
            yield from _plain(piece, name, how) if n == len(piece) else (piece,)


def _plain(piece: bytes, name: str, how: str) -> Iterator[bytes]:
    """Yield the first unpacked bytes; refuse bytes that are packed twice."""
    if inner := packing(piece[:HEAD]):
        raise InputError(f"{name}: {inner} data within {how} data, unpack it first")
    yield piece


def _member(archive: Archive) -> str:
    """Return the only file of a zip; files added by operating systems are ignored."""
    names = archive.own_names
    if not _OF_OFFICE.isdisjoint(names) and len(names) > 1:
        raise _office_file(archive.name)
    if len(names) != 1:
        more = ", ..." if len(names) > 3 else ""
        held = f"{len(names)} files ({', '.join(names[:3])}{more})" if names else "no file"
        raise InputError(f"{archive.name}: a zip with {held}, expected one")
    return names[0]


def _office_file(name: str) -> InputError:
    return InputError(
        f"{name}: a file of an office program, which is not read: save its table as CSV in UTF-8"
    )


def recode_utf8(data: bytes, name: str, is_cut: bool = False) -> bytes:
    """Return text in UTF-8; UTF-16 is recognised by its byte-order mark, which is dropped.

    >>> recode_utf8("é".encode("utf-16"), "a.csv").decode(), recode_utf8(b"e", "a.csv")
    ('é', b'e')
    """
    # ``is_cut`` takes the start of a file, which may end within a character.
    if _UTF16.match(data) is None:
        return data
    try:
        return data.decode("utf-16", "ignore" if is_cut else "strict").encode()
    except UnicodeDecodeError as error:
        raise InputError(f"{name}: damaged UTF-16 at byte {error.start}: {error.reason}") from error


@contextmanager
def _faults(name: str, how: str) -> Iterator[None]:
    """Turn pyarrow's exceptions for damaged data into InputError."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{name}: damaged {how} data: {str(error).splitlines()[0]}") from error


@contextmanager
def fetched(url: str) -> Iterator[IO[bytes]]:
    """Open a URL through pyarrow, or through fsspec if pyarrow cannot."""
    scheme = url.partition("://")[0].lower()
    try:
        with closing(_stream(url, scheme)) as stream:
            yield stream
    except InputError:
        raise
    except ImportError as error:
        raise InputError(
            f"{url}: a URL, and {scheme}:// needs more packages ({error}): "
            'pip install "fastcausal[url]", or download the file'
        ) from error
    except Exception as error:  # any library behind a file system
        reason = (str(error) or type(error).__name__).splitlines()[0]
        reason = "not found, or not reachable" if reason == url else reason
        raise InputError(f"{url}: the URL cannot be read: {reason}") from error


def _stream(url: str, scheme: str) -> Any:
    import pyarrow as pa
    from pyarrow.fs import FileSystem

    if scheme in ("gs", "gcs") and "?" not in url:
        url += "?retry_limit_seconds=10"  # by default it tries for 15 minutes
    try:
        filesystem, path = FileSystem.from_uri(url)
    except pa.ArrowInvalid:
        import fsspec

        if scheme not in fsspec.available_protocols():
            raise InputError(f"{url}: unknown scheme {scheme}:// of a URL") from None
        return fsspec.open(url, "rb").open()
    return filesystem.open_input_stream(path, compression=None)


def loaded(source: str | os.PathLike[str], most: int = -1) -> tuple[str, bytes]:
    """Return the name and the bytes of a path, a URL or standard input, unpacked, in UTF-8."""
    # ``most`` limits the bytes read from a path.
    source = local(source)
    name, data = name_of(source), _stored(source, most)
    if packing(data[:HEAD]):
        name, pieces = unpacked(io.BytesIO(data), name)
        joined = io.BytesIO()  # its getbuffer needs no copy
        joined.writelines(pieces)
        data = joined.getvalue()
    return name, recode_utf8(data, name, is_cut=0 <= most <= len(data))


def _stored(source: str | os.PathLike[str], most: int) -> bytes:
    """Return the stored bytes of a path, a URL or standard input, still packed."""
    if is_url(source):
        with fetched(source) as stream:
            return stream.read()
    try:
        if source == "-":
            return stdin().read()
        with Path(source).open("rb") as file:
            return file.read(most)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{name_of(source)}: {reason}") from error


class Spool(os.PathLike[str]):
    """A temporary file with the bytes of a stream, such as standard input; deleted with it."""

    def __init__(
        self,
        pieces: Iterable[bytes],  # All bytes of the stream
        name: str,  # The name for messages; the file has its suffix
    ) -> None:
        self.name = name
        from shutil import rmtree  # 7 ms, which most sources do not need
        from tempfile import mkdtemp

        folder = mkdtemp(prefix="fastcausal-")
        weakref.finalize(self, rmtree, folder, ignore_errors=True)
        self._path = Path(folder, Path(plain_name(name)).name)
        try:
            with self._path.open("wb") as copy:
                copy.writelines(pieces)
        except OSError as error:
            raise InputError(f"{name}: {error.strerror or error}") from error

    def __fspath__(self) -> str:
        return str(self._path)


def only_files(entries: Iterable[Path]) -> list[Path]:
    """Return the entries of a folder; refuse pipes and devices."""
    # Opening a pipe in a folder would wait for ever; a pipe given by name has a writer.
    listed = list(entries)
    for entry in listed:
        if entry.exists() and not (entry.is_file() or entry.is_dir()):
            raise InputError(f"{entry}: neither a file nor a folder, but a pipe or a device")
    return listed


def readable_again(source: Any) -> Any:
    """Copy standard input or a pipe, which can be read only once; return others unchanged."""
    try:
        if isinstance(source, str) and source == "-":
            return Spool(_chunks(stdin()), name_of(source))
        if isinstance(source, str | os.PathLike) and Path(source).is_fifo():
            with Path(source).open("rb") as pipe:
                return Spool(_chunks(pipe), name_of(source))
    except OSError as error:
        raise InputError(f"{name_of(source)}: {error.strerror or error}") from error
    return source


def plain_file(source: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """Return a path; copy packed files, URLs and UTF-16 to a temporary file first."""
    if is_url(source):
        name = name_of(source)
        with fetched(name) as stream:
            source = Spool(_chunks(stream), name)
    if source == "-" or not Path(source).is_file():
        return source
    try:
        with Path(source).open("rb") as file:
            head = file.read(HEAD)
            file.seek(0)
            if _UTF16.match(head):
                return Spool([recode_utf8(file.read(), name_of(source))], name_of(source))
            if packing(head) is None:
                return source
            name, pieces = unpacked(file, name_of(source))
            return Spool(pieces, name)
    except OSError as error:
        raise InputError(f"{name_of(source)}: {error.strerror or error}") from error


def _chunks(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the bytes of a stream in chunks."""
    while piece := stream.read(PIECE):
        yield piece


def stdin() -> IO[bytes]:
    """Return standard input; raise OSError if it is closed."""
    if sys.stdin is None:
        raise OSError(errno.EBADF, "it is closed")
    return sys.stdin.buffer


def name_of(source: str | os.PathLike[str]) -> str:
    """Return the name of a path for messages."""
    if isinstance(source, Spool):
        return source.name
    return "<stdin>" if source == "-" else os.fspath(source)

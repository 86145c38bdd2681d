"""Zip archives, good and hostile."""

from __future__ import annotations

import io
import stat
import struct
import zipfile

PAYLOAD = b"T1\tCause 0 4\tRain\n"


def packed(files, **options):
    """A zip of {path or ZipInfo: bytes}, the same whenever it is made."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for path, data in files.items():
            if isinstance(path, zipfile.ZipInfo):
                archive.writestr(path, data)
            else:
                archive.writestr(zipfile.ZipInfo(path), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _named(path, data=PAYLOAD):
    """A zip with one entry of a path that `zipfile` would set right."""
    stand_in = "x" * len(path.encode())
    return packed({stand_in: data}).replace(stand_in.encode(), path.encode())


def _link():
    entry = zipfile.ZipInfo("amy/x.ann")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return packed({entry: b"/etc/passwd"})


def _encrypted():
    data = bytearray(packed({"amy/x.ann": PAYLOAD}))
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        struct.pack_into("<H", data, data.index(mark) + at, 1)
    return bytes(data)


def _lying():
    """Return a zip bomb whose headers state a small size."""
    data = bytearray(packed({"amy/x.ann": bytes(1 << 22)}))
    for mark, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", data, data.index(mark) + at, 100)
    return bytes(data)


def _corrupt():
    data = bytearray(packed({"amy/x.ann": PAYLOAD * 9}))
    data[data.index(b"amy/x.ann") + 12] ^= 0xFF
    return bytes(data)


def _by_lzma():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("amy/x.ann", PAYLOAD)
    return out.getvalue()


def _nested(depth, files):
    data = packed(files)
    for _ in range(depth):
        data = packed({"amy/x.zip": data})
    return data


GOOD = packed({"amy/x.ann": PAYLOAD, "amy/x.txt": b"Rain"})
with io.BytesIO() as _twice, zipfile.ZipFile(_twice, "w") as _archive:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _archive.writestr("amy/x.ann", b"1")
        _archive.writestr("amy/x.ann", b"2")
    _archive.close()
    TWICE = _twice.getvalue()

HOSTILE = {
    "a bomb": (packed({"amy/x.ann": bytes(1 << 22)}), "for each of its own, expected at most 200"),
    "a bomb that lies": (_lying(), "damaged"),
    "above": (_named("../x.ann"), "with . or .. in it"),
    "above within": (_named("amy/../../x.ann"), "with . or .. in it"),
    "absolute": (_named("/etc/x.ann"), "is not a relative path"),
    "a drive": (_named("C:/etc/x.ann"), "is not a relative path"),
    "a backslash": (_named("..\\x.ann"), "is not a relative path"),
    "a link": (_link(), "is a link or a device"),
    "encrypted": (_encrypted(), "is encrypted"),
    "LZMA": (_by_lzma(), "is packed by another method than DEFLATE"),
    "truncated": (GOOD[:-30], "damaged"),
    "cut at its start": (GOOD[:10], "damaged"),
    "corrupt": (_corrupt(), "damaged"),
    "twice": (TWICE, "occurs twice"),
    "nested": (_nested(3, {"amy/x.ann": PAYLOAD, "amy/x.txt": b"Rain"}), "nested"),
}

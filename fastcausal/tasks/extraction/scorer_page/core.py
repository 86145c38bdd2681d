"""The native sources as WebAssembly; compiled once, then kept in the user's cache."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory

from fastcausal.engine.device.sources import csrc, digest
from fastcausal.errors import InputError, OutputError
from fastcausal.files.files import replacing

SOURCES = ("page/page.cpp", "capi/fastcausal.cpp")
# A browser of 2023 has both features. No fused multiply-add: numbers have the bits of the CPU.
FLAGS = (
    "-target", "wasm32-wasi", "-mcpu=generic+bulk_memory+simd128", "-mexec-model=reactor",
    "-std=c++17", "-O2", "-DNDEBUG", "-fno-exceptions", "-fno-rtti", "-ffp-contract=off",
    "-Wl,--strip-all",
)  # fmt: skip


def core() -> bytes:
    """Return the native readers and counts as WebAssembly.

    Raises
    ------
    InputError
        They are not in the cache, and ziglang is missing or fails.
    """
    kept = cache_folder() / f"page-{_key()}.wasm"
    if kept.is_file():
        return kept.read_bytes()
    compiled = _compiled()
    with suppress(OSError, OutputError):  # without a cache it is compiled again
        kept.parent.mkdir(parents=True, exist_ok=True)
        with replacing(kept) as file:
            file.write(compiled)
    return compiled


def cache_folder() -> Path:
    """Return the user's folder for compiled files."""
    named = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return Path(named or Path.home() / ".cache", "fastcausal")


def _key() -> str:
    try:
        compiler = version("ziglang")
    except PackageNotFoundError:
        raise InputError(
            'the page that scores is compiled by ziglang, which the extra "page" brings: '
            'pip install "fastcausal[page]"'
        ) from None
    return sha256("\0".join((digest(), compiler, *FLAGS)).encode()).hexdigest()[:16]


def _compiled() -> bytes:
    """Compile the sources: a minute of processor time."""
    with TemporaryDirectory() as folder:
        made = Path(folder, "page.wasm")
        sources = [str(csrc() / name) for name in SOURCES]
        include = [f"-I{csrc()}", f"-I{csrc() / 'include'}"]
        command = [
            sys.executable,
            "-m",
            "ziglang",
            "c++",
            *FLAGS,
            *include,
            *sources,
            "-o",
            str(made),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise InputError(f"ziglang cannot compile the page that scores:\n{done.stderr[-2000:]}")
        return made.read_bytes()

"""NVIDIA's run-time compiler from its wheel, without a GPU or a driver."""

from __future__ import annotations

import ctypes
import importlib.util
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_void_p
from functools import cache
from pathlib import Path

import pytest


def _wheels() -> list[Path]:
    spec = importlib.util.find_spec("nvidia")
    return [] if spec is None else [Path(place) for place in spec.submodule_search_locations or ()]


@cache
def library() -> ctypes.CDLL:
    found = [lib for place in _wheels() for lib in sorted(place.glob("*/lib/libnvrtc.so.*"))]
    found = [lib for lib in found if "builtins" not in lib.name and "alt" not in lib.name]
    if not found:
        pytest.skip("no NVRTC wheel")
    return ctypes.CDLL(str(found[-1]))


@cache
def standard_headers() -> Path:
    """The folder that holds <cuda/std/cstdint>."""
    found = [p for place in _wheels() for p in place.glob("*/include/**/cuda/std/cstdint")]
    if not found:
        pytest.skip("no wheel of the CUDA C++ core libraries")
    return found[-1].parents[2]


def architectures() -> list[int]:
    n = c_int()
    library().nvrtcGetNumSupportedArchs(byref(n))
    found = (c_int * n.value)()
    library().nvrtcGetSupportedArchs(found)
    return list(found)


def compile_text(code: str, options: tuple[str, ...]) -> tuple[str, bytes]:
    """Compile a text; return the compiler's log and the machine code."""
    lib = library()
    program = c_void_p()
    none = POINTER(c_char_p)()
    assert not lib.nvrtcCreateProgram(byref(program), code.encode(), b"device.cu", 0, none, none)
    options = (*options, f"-I{standard_headers()}")
    encoded = (c_char_p * len(options))(*(option.encode() for option in options))
    failed = lib.nvrtcCompileProgram(program, len(options), encoded)
    log = _read(lib.nvrtcGetProgramLogSize, lib.nvrtcGetProgramLog, program).rstrip(b"\0").decode()
    assert not failed, log
    binary = _read(lib.nvrtcGetCUBINSize, lib.nvrtcGetCUBIN, program)
    lib.nvrtcDestroyProgram(byref(program))
    return log, binary


def _read(size_of, read, program) -> bytes:
    size = c_size_t()
    assert not size_of(program, byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    assert not read(program, buffer)
    return buffer.raw

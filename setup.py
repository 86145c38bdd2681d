"""The native modules, and the C++ sources inside the wheel. Everything else is in pyproject.toml.

`python setup.py build_page` compiles the page that scores to WebAssembly with ziglang, for any
system: sdists and wheels carry the file that lies beside its other parts.

Switches, read from the environment:
    FASTCAUSAL_DEBUG=1                     no optimisation, debug symbols, assertions
    FASTCAUSAL_SANITIZE=address,undefined  instrument with these sanitizers
    FASTCAUSAL_WERROR=1                    compiler warnings are errors, without sanitizers
"""

from __future__ import annotations

import gzip
import os
import runpy
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import threading
import time
from pathlib import Path
from typing import Any, ClassVar

from setuptools import Command, Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

DEBUG = os.environ.get("FASTCAUSAL_DEBUG", "0") == "1"
WERROR = os.environ.get("FASTCAUSAL_WERROR", "0") == "1"
SANITIZE = os.environ.get("FASTCAUSAL_SANITIZE", "")

# One wheel serves every CPython from 3.11 on; free-threaded builds have no limited API.
ABI3 = not sysconfig.get_config_var("Py_GIL_DISABLED")

# Objects of one kind of build are never taken for those of another.
BUILD = "-".join(["debug"] * DEBUG + SANITIZE.split(",") * bool(SANITIZE)) or "release"

CSRC = sorted(path.as_posix() for path in Path("csrc").rglob("*") if path.is_file())
# Device code is compiled from csrc/ at run time; `fastcausal bench` runs what is in bench/.
INSIDE = [
    path
    for folder in ("csrc", "bench")
    for path in sorted(Path(folder).rglob("*"))
    if path.is_file() and "__pycache__" not in path.parts
]


def compiler_flags() -> tuple[list[str], list[str]]:
    """Return the flags of the compiler and of the linker."""
    if sys.platform == "win32":
        return ["/std:c++17", "/Od" if DEBUG else "/O2", "/fp:precise", "/EHsc"], []
    # Integer results may not depend on the machine: no fast-math, no fused multiply-add.
    compile_args = ["-std=c++17", "-ffp-contract=off", "-fvisibility=hidden", "-pthread"]
    link_args = ["-pthread"]
    if DEBUG:
        compile_args += ["-O0", "-g", "-UNDEBUG", "-D_GLIBCXX_ASSERTIONS"]
    elif SANITIZE:
        compile_args += ["-O1", "-g", "-UNDEBUG"]
    else:
        compile_args += ["-O3", "-g0"]
        link_args += ["-s"] if sys.platform == "linux" else []  # no symbols: 0.8 MB of modules
    if SANITIZE:
        compile_args += [f"-fsanitize={SANITIZE}", "-fno-sanitize-recover=all"]
        link_args += [f"-fsanitize={SANITIZE}"]
    if WERROR and not SANITIZE:  # whose checks make gcc see values that are never set
        # Not -Wconversion, which what Cython writes does not stand: tests hold csrc/ to it.
        compile_args += ["-Wall", "-Wextra", "-Wshadow", "-Werror"]
    return compile_args, link_args


class BuildExt(build_ext):
    """Compile on all cores; Cython writes what they compile, one module at a time."""

    cython = threading.Lock()

    def finalize_options(self) -> None:
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def build_extension(self, ext: Extension) -> None:
        from Cython.Build import cythonize
        from Cython.Distutils.build_ext import build_ext as by_cython

        with self.cython:
            [written] = cythonize(ext, force=self.force, quiet=True, build_dir=self.build_temp)
        ext.sources = written.sources
        super(by_cython, self).build_extension(ext)  # what it inherits, which compiles alone


class BuildPy(build_py):
    """Copy csrc/ and bench/ into the package, as _csrc and _bench."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            for path in INSIDE:
                self._inside(path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, self._inside(path))

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        return super().get_outputs(include_bytecode) + [str(self._inside(p)) for p in INSIDE]

    def _inside(self, path: Path) -> Path:
        return Path(self.build_lib, "fastcausal", f"_{path}")


class BuildPage(Command):
    """Compile the native part of the page that scores; its name has the digest of csrc/."""

    description = "compile the page that scores to WebAssembly"
    user_options: ClassVar[list[tuple[str, str, str]]] = []
    # A browser of 2023 has both features. No fused multiply-add: numbers have the bits of the CPU.
    flags = (
        "-target", "wasm32-wasi", "-mcpu=generic+bulk_memory+simd128", "-mexec-model=reactor",
        "-std=c++17", "-O2", "-DNDEBUG", "-fno-exceptions", "-fno-rtti", "-ffp-contract=off",
        "-Wl,--strip-all", "-Icsrc", "-Icsrc/include",
    )  # fmt: skip
    sources = ("csrc/page/page.cpp", "csrc/capi/fastcausal.cpp")

    def initialize_options(self) -> None:
        self.folder = Path("fastcausal/tasks/extraction/scorer_page")

    def finalize_options(self) -> None:
        pass

    def run(self) -> None:
        digest = runpy.run_path("fastcausal/engine/device/sources.py")["digest"]()
        made = self.folder / f"page-{digest[:16]}.wasm"
        older = [path for path in self.folder.glob("page-*.wasm") if path != made]
        if not made.exists():
            zig = [sys.executable, "-m", "ziglang", "c++"]
            subprocess.run([*zig, *self.flags, *self.sources, "-o", str(made)], check=True)
        for path in older:
            path.unlink()


class SDist(sdist):
    """Write archives whose bytes depend on their files and SOURCE_DATE_EPOCH alone."""

    def make_archive(self, base_name: str, *_: Any, base_dir: str, **__: Any) -> str:
        path, now = f"{base_name}.tar.gz", int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))

        def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
            entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = now, 0, 0, "", ""
            entry.mode = 0o644 if entry.isfile() else 0o755
            return entry

        with (
            gzip.GzipFile(path, "wb", mtime=now) as packed,
            tarfile.open(fileobj=packed, mode="w") as archive,
        ):
            archive.add(base_dir, filter=plain)
        return path


compile_args, link_args = compiler_flags()
macros = [("Py_LIMITED_API", "0x030B0000")] if ABI3 else []
modules = [
    Extension(
        ".".join(path.with_suffix("").parts),
        [path.as_posix()],
        language="c++",
        include_dirs=["csrc"],
        depends=[*CSRC, *map(str, Path("fastcausal").rglob("*.pxd")), "setup.py"],
        # engine/_native.pyx makes text of the flags.
        define_macros=[*macros, ("FASTCAUSAL_FLAGS", " ".join(compile_args))],
        py_limited_api=ABI3,
        extra_compile_args=compile_args,
        extra_link_args=link_args,
    )
    for path in sorted(Path("fastcausal").rglob("*.pyx"))
]

setup(
    ext_modules=modules,
    cmdclass={
        "build_ext": BuildExt,
        "build_page": BuildPage,
        "build_py": BuildPy,
        "sdist": SDist,
    },
    options={
        "build": {"build_base": f"build/{BUILD}"},
        "bdist_wheel": {"py_limited_api": "cp311" if ABI3 else False},
    },
)

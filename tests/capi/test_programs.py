"""Programs in C, Rust and Cython, as docs/howto/other-languages.md shows them, and their memory."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import fastcausal as fc
from fastcausal._version import __version__
from fastcausal.engine.device.sources import csrc
from fastcausal.formats.cnc import tagged
from tests.capi.test_processors import DRIVER
from tests.support import capi
from tests.support.data import ROOT

pytestmark = pytest.mark.slow  # a library is built
PAGE = (ROOT / "docs" / "howto" / "other-languages.md").read_text(encoding="utf-8")
GOLD = "<ARG0>Rain fell</ARG0> , <SIG0>so</SIG0> <ARG1>roads closed</ARG1> ."
PRED = "<ARG0>Rain fell</ARG0> , so <ARG1>roads closed .</ARG1>"
# The sentences of the page, twice: the driver's input.
COMMANDS = f"""rows 2 2 6 2 4 7 7 0 1 2 0 3 6 0 0 2 2 3 4 1 4 6 0 0 1 2 3 4 1 4 6 0
0 1 2 0 2 4 0 0 2 1 4 7 0 0 3 1 4 7 0
score 2 recess
score 2 cnc-2023
score 1 cnc-2022
score 1 a|kernel:span_overlap
score 1 a|kernel:partial_spans
tags strict
{GOLD}
tags cnc-2022
{GOLD}
"""


def shown(language: str) -> str:
    return re.search(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S)[1]


def need(*tools: str) -> None:
    for tool in tools:
        if shutil.which(tool) is None:
            pytest.skip(f"no {tool}")


def run(*command: str | Path, given: str = "", **environment: str) -> str:
    # Within a process that is itself watched, libraries are loaded before the sanitizer's.
    kept = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    done = subprocess.run(
        [*map(str, command)],
        input=given,
        capture_output=True,
        text=True,
        check=False,
        env=kept | environment,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def scores(protocol: str, gold: fc.Relations, pred: fc.Relations) -> dict[str, float]:
    groups = fc.score(gold, pred, protocol)
    names = ("precision", "recall", "f1")
    of = ("overall", "cause", "effect", "signal")
    return {f"{group}_{name}": getattr(groups[group], name) for group in of for name in names}


def printed(text: str) -> dict[str, float]:
    return {name: float(value) for name, value in map(str.split, text.splitlines())}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program in C that the page shows, built by the line that it shows."""
    need("cc")
    folder = tmp_path_factory.mktemp("c")
    (folder / "score.c").write_text(shown("c"))
    [line] = re.findall("^cc .*", PAGE, re.M)
    strict = "-std=c11 -Wall -Wextra -Wpedantic -Werror"
    line = line.replace("build/capi", str(capi.installed())).replace("cc ", f"cc {strict} -g ", 1)
    run("sh", "-c", f"cd {folder} && {line}")
    return folder / "score"


def test_the_program_in_c(program):
    gold, pred = (tagged.read([[text]], tags="cnc-2023") for text in (GOLD, PRED))
    found = printed(run(program))
    assert found == scores("cnc-2023", gold, pred)
    for name, value in list(found.items())[:2]:
        assert f"`{name} {value:.17g}`" in PAGE


def test_the_program_in_rust(tmp_path):
    need("rustc", "cc")
    (tmp_path / "score.rs").write_text(shown("rust"))
    lib = str(capi.installed() / "lib")
    [line] = re.findall("^rustc .*", PAGE, re.M)
    found = run("sh", "-c", f"cd {tmp_path} && {line.replace('build/capi/lib', lib)}")
    gold = {"cause": (0, 2), "signal": (3, 4), "effect": (4, 6)}
    pred = {"cause": (0, 2), "effect": (4, 7)}
    sides = (
        fc.Relations.from_examples([{"relations": [relation], "length": 7}])
        for relation in (gold, pred)
    )
    found, expected = printed(found), scores("recess", *sides)
    assert repr(found) == repr(expected)


def test_the_extension_in_cython(tmp_path):
    (tmp_path / "mine.pyx").write_text(shown("cython"))
    include = Path(fc.get_include())
    sources = ["mine.pyx", str(include.parent / "capi" / "fastcausal.cpp")]
    (tmp_path / "setup.py").write_text(
        "from Cython.Build import cythonize\nfrom setuptools import Extension, setup\n"
        f"made = Extension('mine', {sources}, include_dirs={[str(include), str(include.parent)]}, "
        "extra_compile_args=['-std=c++17', '-O0'])\n"
        "setup(name='mine', ext_modules=cythonize([made]))\n"
    )
    path = f"{tmp_path}{os.pathsep}{ROOT}"
    build = (sys.executable, "setup.py", "-q", "build_ext", "--inplace")
    run("sh", "-c", f"cd {tmp_path} && {' '.join(build)}", PYTHONPATH=path)
    show = "import mine; print(mine.version())"
    assert run(sys.executable, "-c", show, PYTHONPATH=path) == f"{__version__}\n"


def test_pkg_config_knows_the_library(program):
    need("pkg-config")
    folder = capi.installed() / "lib" / "pkgconfig"
    flags = run("pkg-config", "--cflags", "--libs", "fastcausal", PKG_CONFIG_PATH=str(folder))
    assert f"-I{capi.installed()}/include" in flags
    assert run("pkg-config", "--modversion", "fastcausal", PKG_CONFIG_PATH=str(folder)) == (
        f"{__version__}\n"
    )


def driver(folder: Path, *flags: str | Path) -> Path:
    objects = folder / "driver.o"
    sanitizers = [flag for flag in flags if str(flag).startswith("-f")]
    include = f"-I{csrc() / 'include'}"
    run("cc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-g", *sanitizers, include,
        "-c", DRIVER, "-o", objects)  # fmt: skip
    run("c++", "-std=c++17", "-g", include, f"-I{csrc()}", objects, *flags, "-pthread", "-o",
        folder / "driver")  # fmt: skip
    return folder / "driver"


def test_valgrind_finds_nothing(program, tmp_path):
    need("valgrind")
    watched = ("valgrind", "-q", "--leak-check=full", "--error-exitcode=9")
    assert run(*watched, program) == run(program)
    built = driver(tmp_path, capi.installed() / "lib" / "libfastcausal.a")
    assert run(*watched, built, given=COMMANDS) == run(built, given=COMMANDS)


def test_sanitizers_find_nothing(tmp_path):
    need("cc", "c++")
    checks = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    try:
        built = driver(tmp_path, *checks, capi.SOURCE)
    except AssertionError as error:
        if re.search("cannot find .*(asan|ubsan)", str(error)):
            pytest.skip("no sanitizers")
        raise
    assert len(run(built, given=COMMANDS).splitlines()) == 7

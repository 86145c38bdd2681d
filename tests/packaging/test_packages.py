"""The sdist and its wheels, as they are published. `make wheel-test` builds them and runs these."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest

from fastcausal import sample

ROOT = Path(__file__).parents[2]
ZIG = [sys.executable, "-m", "ziglang"]
TARGET = "x86_64-linux-gnu.2.17"  # the oldest glibc that wheels of manylinux2014 run on
COMPILERS = {
    "again": {},
    "first": {},
    "zig": {
        "CC": " ".join([*ZIG, "cc", "-target", TARGET]),
        "CXX": " ".join([*ZIG, "c++", "-target", TARGET]),
        "FASTCAUSAL_WERROR": "0",
        "LDFLAGS": "-s",
    },
}
TOOLS = ("abi3audit", "auditwheel", "build", "check_wheel_contents", "twine")
# Commands of most native modules.
COMMANDS = [
    ("score", sample.GOLD, *sample.SYSTEMS.values(), "--intervals"),
    ("score", sample.GOLD, sample.SYSTEMS["careful"], "--protocol", "cnc-2023"),
    ("score", sample.GOLD, sample.RAW_ANSWERS, "--answers", "output", "--unparsed", "empty"),
    ("agree", *sample.ANNOTATORS.values()),
    ("answers", sample.JUDGED),
    ("crab", "pairwise", sample.CRAB_GOLD, sample.CRAB_SCORES["careful"]),
    ("eci", sample.PAIRS_GOLD, sample.PAIRS["careful"]),
    ("meta", sample.SCORES, sample.JUDGMENTS),
]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif("FASTCAUSAL_WHEELS" not in os.environ, reason="`make wheel-test` runs it"),
]


def run(*command: str | Path, **environment: str) -> str:
    done = subprocess.run(
        [*map(str, command)],
        env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000", "NO_COLOR": "1", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-5000:]}"
    return done.stdout


def tool(name: str, *arguments: str | Path) -> str:
    return run(sys.executable, "-m", name, *arguments)


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    tool("build", "--sdist", "--outdir", folder, ROOT)
    return next(folder.iterdir())


@pytest.fixture(scope="module")
def wheels(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Wheels from the sdist, built side by side: of the same compiler twice, and of zig."""
    folder = tmp_path_factory.mktemp("wheels")
    with_zig = sys.platform == "linux" and find_spec("ziglang") is not None
    names = [name for name in COMPILERS if name != "zig" or with_zig]

    def built(name: str) -> Path:
        run(sys.executable, "-m", "build", "--wheel", "--outdir", folder / name, sdist,
            **COMPILERS[name])  # fmt: skip
        return next((folder / name).iterdir())

    with ThreadPoolExecutor() as pool:
        return dict(zip(names, pool.map(built, names), strict=True))


@pytest.fixture(scope="module")
def installed(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the Python of a new environment with the wheel and its requirements."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", folder)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(python, "-m", "pip", "install", "--quiet", wheels["first"])
    return python


def test_the_sdist_is_the_same_bytes_again(sdist: Path, tmp_path: Path) -> None:
    tool("build", "--sdist", "--outdir", tmp_path, ROOT)
    assert (tmp_path / sdist.name).read_bytes() == sdist.read_bytes()


def test_the_wheel_is_the_same_bytes_again(wheels: dict[str, Path]) -> None:
    first, again = (ZipFile(wheels[name]) for name in ("first", "again"))
    names = [entry.filename for entry in first.infolist()]
    assert [entry.filename for entry in again.infolist()] == names
    assert [name for name in names if first.read(name) != again.read(name)] == []
    assert wheels["first"].read_bytes() == wheels["again"].read_bytes()


def test_an_index_shows_the_description(sdist: Path, wheels: dict[str, Path]) -> None:
    tool("twine", "check", "--strict", sdist, wheels["first"])


def test_the_wheel_holds_the_package_alone(wheels: dict[str, Path]) -> None:
    tool("check_wheel_contents", wheels["first"])


def test_one_wheel_serves_every_python(wheels: dict[str, Path]) -> None:
    assert "-cp311-abi3-" in wheels["first"].name
    tool("abi3audit", "--strict", wheels["first"])


@pytest.mark.skipif(sys.platform != "linux", reason="auditwheel reads wheels of Linux")
def test_the_wheel_needs_the_system_alone(wheels: dict[str, Path]) -> None:
    assert 'tag: "manylinux_2_' in tool("auditwheel", "show", wheels["first"])


def json_of(python: Path, *arguments: str | Path, **environment: str) -> str:
    return run(python, "-m", "fastcausal", *arguments, "--json", **environment)


def test_the_installed_wheel_runs_away_from_the_sources(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "recess: 61 sentences" in run(installed.with_name("fastcausal"), "demo")


def test_the_installed_wheel_holds_the_skill_for_agents(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command of docs/howto/agents.md prints the path of the file."""
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "howto" / "agents.md").read_text(encoding="utf-8")
    [_, code, *_] = page.split('"')
    path = Path(run(installed, "-c", code).strip())
    source = ROOT / "fastcausal" / ".agents" / "skills" / "fastcausal" / "SKILL.md"
    assert "site-packages" in path.parts
    assert path.read_bytes() == source.read_bytes()


def test_the_installed_wheel_holds_the_c_interface(installed: Path) -> None:
    files = run(
        installed, "-I", "-c", "import fastcausal; from pathlib import Path;"
        "package = Path(fastcausal.__file__).parent; include = Path(fastcausal.get_include());"
        "source = include.parent / 'capi' / 'fastcausal.cpp';"
        "files = include / 'fastcausal.h', source, package / 'capi.pxd';"
        "print(include.relative_to(package), *(path.is_file() for path in files))",
    )  # fmt: skip
    assert files == f"{Path('_csrc', 'include')} True True True\n"


def test_the_installed_wheel_writes_the_page_that_scores(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run(installed.with_name("fastcausal"), "page-scorer", sample.GOLD, "--out", "scorer.html")
    assert Path("scorer.html").stat().st_size > 400_000


def test_the_wheel_of_zig_gives_the_same_bytes(
    wheels: dict[str, Path], installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "zig" not in wheels:
        pytest.skip("needs Linux and ziglang, which the dependency group wheels has")
    assert 'tag: "manylinux_2_17_x86_64"' in tool("auditwheel", "show", wheels["zig"])
    ZipFile(wheels["zig"]).extractall(tmp_path)
    monkeypatch.chdir(tmp_path)
    paths = {"PYTHONPATH": str(tmp_path)}
    assert "Clang" in json_of(installed, "doctor", **paths)
    for command in COMMANDS:
        assert json_of(installed, *command, **paths) == json_of(installed, *command)

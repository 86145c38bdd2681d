"""Imports point one way, and importing the package costs next to nothing."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import fastcausal
from fastcausal import sample
from tests.support.logs import lm_rows, lm_samples

ROOT = Path(fastcausal.__file__).parent
DOCS = Path(__file__).parents[1] / "docs"
# Each room may import those above it in this list; rooms of one line do not know each other. A
# module named here stands apart from its room.
ROOMS = [
    ("_version", "errors", "options", "report.escapes"),
    ("report.numbers",),
    ("report.grid", "report.groups"),
    ("report.printed",),
    ("arrays", "sample"),
    ("files",),
    ("relations",),
    ("rows",),
    ("engine",),
    ("marking",),
    ("protocols",),
    ("recipe", "formats"),
    ("decoding", "compat"),
    ("significance",),
    ("counts",),
    ("report",),
    ("tasks",),
    ("sweeps",),
    ("shared_task",),
    ("ray",),
    ("training",),
    ("cli",),
    ("__main__",),
]
RANKS = {name: rank for rank, room in enumerate(ROOMS) for name in room}
# Evaluations that rest on other evaluations; no other ones know each other.
TASKS = {
    "agreement": {"labels", "meta", "relations"},
    "extraction": {"relations"},
    "labels": {"relations"},
    "describe": {"classification", "labels", "relations"},
    "meta": {"classification", "labels", "values"},
    "check": {"classification"},
    "claims": {"labels"},
    "crab": {"classification", "labels"},
    "answers": {"labels"},
    "preferences": {"claims", "labels"},
    "annotate": {
        "agreement",
        "answers",
        "claims",
        "crab",
        "fincausal",
        "labels",
        "preferences",
        "relations",
    },
    "unicausal": {"classification"},
}
HEAVY = (
    "pyarrow", "click", "rich", "numba", "torch", "pandas", "scipy", "cupy", "transformers",
    "jinja2", "ray",
)  # fmt: skip


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def sources() -> dict[str, Path]:
    inside = {ROOT / "_bench", ROOT / "_csrc"}
    found = [p for s in ("*.py", "*.pyx") for p in ROOT.rglob(s) if not inside & set(p.parents)]
    return {name_of(path): path for path in sorted(found)}


MODULES = sources()


@cache
def imported(module: str) -> frozenset[str]:
    """The modules that a module imports anywhere, late imports included."""
    path = MODULES[module]
    if path.suffix == ".pyx":
        return frozenset()
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path.name} imports relatively"
            full = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= {name if name in MODULES else str(node.module) for name in full}
    return frozenset(names & MODULES.keys() - {module})


def room(module: str) -> str:
    within = module.partition(".")[2]
    return within if within in RANKS else within.partition(".")[0]


def task(module: str) -> str:
    """Return the folder of an evaluation; empty for code that evaluations share."""
    parts = module.split(".")
    is_folder = len(parts) > 2 and (ROOT / "tasks" / parts[2]).is_dir()
    return parts[2] if parts[1] == "tasks" and is_folder else ""


def upward(module: str, other: str) -> bool:
    """Tell if a module may not import another."""
    if other == "fastcausal":  # the public names are for users and the command line
        return room(module) != "cli"
    if room(other) != room(module):
        return RANKS[room(other)] >= RANKS[room(module)]
    if room(module) != "tasks" or task(other) == task(module):
        return False
    if module == "fastcausal.tasks.declared":
        return False
    allowed = {"", *TASKS.get(task(module), set())}
    return task(other) not in allowed or not task(module)  # shared code imports no task


def test_no_module_imports_upward():
    pairs = [(m, other) for m in MODULES if m != "fastcausal" for other in imported(m)]
    assert not [f"{m} imports {other}" for m, other in pairs if upward(m, other)]


def test_no_circles():
    """No module imports itself by way of others, late imports included."""
    seen: dict[str, bool] = {}

    def visit(module: str, way: tuple[str, ...]) -> None:
        if module in way:
            pytest.fail(" -> ".join([*way[way.index(module) :], module]))
        if module not in seen:
            for other in imported(module):
                visit(other, (*way, module))
            seen[module] = True

    for module in MODULES:
        if module != "fastcausal":
            visit(module, ())


def test_every_module_has_a_room():
    assert {room(module) for module in MODULES} - {""} <= set(RANKS)


def test_the_design_tells_the_order():
    order = re.search(r"`(_version, [^`]*)`", (DOCS / "design.md").read_text(encoding="utf-8"))
    assert order is not None
    rooms = [tuple(names.split(", ")) for names in " ".join(order[1].split()).split(" < ")]
    assert rooms == ROOMS[:-1]


def run(code: str) -> list[str]:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def test_importing_loads_nothing_heavy():
    loaded = run("import sys, fastcausal; print(*sys.modules)")
    assert "fastcausal" in loaded
    assert not {name.partition(".")[0] for name in loaded} & set(HEAVY)
    loaded = run(
        "import sys, fastcausal as fc; from fastcausal import sample; gold = fc.read(sample.GOLD);"
        "fc.score(gold, fc.read(sample.SYSTEMS['hasty'], like=gold)).to_json(); print(*sys.modules)"
    )
    assert not (set(HEAVY) - {"pyarrow"} | {"pyarrow.parquet", "pyarrow.dataset"}) & set(loaded)


CAREFUL, HASTY = (str(sample.SYSTEMS[name]) for name in ("careful", "hasty"))
# Each takes as long as scoring a small file, or longer. Older numpy loads some of them itself.
UNUSED = {
    "scipy", "pandas", "rich", "numpy.ma", "pyarrow.compute", "pyarrow.dataset", "pyarrow.parquet",
    "html.parser", "xml.etree.ElementTree", "tempfile", "_hashlib",
} - {*run("import sys, numpy; print(*sys.modules)")}  # fmt: skip


def loaded_by(*arguments: str) -> set[str]:
    """Return the modules that a command has loaded at its end."""
    code = (
        f"import os, sys; from fastcausal import cli; sys.argv = {['fastcausal', *arguments]}\n"
        "before = dict(os.environ)\n"
        "try: cli.main()\nexcept SystemExit as end: assert not end.code, end.code\n"
        "assert os.environ == before; print(); print(*sys.modules)"
    )
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return set(output.stdout.splitlines()[-1].split())


def test_help_loads_no_data():
    """Commands are listed without what they work with."""
    assert not {"pyarrow", "numpy", "rich", "fastcausal.relations"} & loaded_by("--help")


def test_a_cold_score_loads_what_it_needs():
    """A cold score loads no heavy package, no dataset or Parquet of pyarrow, and no other room."""
    loaded = loaded_by("score", str(sample.GOLD), str(sample.SYSTEMS["careful"]))
    heavy = {"numba", "torch", "transformers", "json_repair", "cassis", "httpx", *UNUSED}
    assert not heavy & loaded
    assert not {f"fastcausal.{room}" for room in ("sweeps", "training", "decoding")} & loaded
    others = [f"fastcausal.formats.{name}." for name in ("annotation", "export", "model_output")]
    files = {"fastcausal.formats.annotation.projects", "fastcausal.formats.model_output.sources"}
    assert not {name for name in loaded if name.startswith(tuple(others))} - files


@pytest.mark.parametrize(
    "command",
    [
        ("score", CAREFUL, HASTY, "--intervals"),
        ("compare", CAREFUL, HASTY),
        ("leaderboard", CAREFUL, HASTY),
        ("gate", "--baseline", CAREFUL, "--candidate", HASTY, "--min-delta", "-1"),
        ("describe",),
    ],
    ids=lambda command: command[0],
)
def test_cold_commands_load_nothing_heavy(command):
    """Laws of chance are the package's own; Arrow asks pandas about values of Python alone."""
    name, *options = command
    assert not UNUSED & loaded_by(name, str(sample.GOLD), *options)


def test_counts_load_neither_pandas_nor_readers(tmp_path):
    paths = [tmp_path / "a.arrow", tmp_path / "b.arrow"]
    for path in paths:
        fastcausal.score(sample.GOLD, sample.SYSTEMS["careful"]).statistics.write(path)
    for command in ("compare", "leaderboard"):
        loaded = loaded_by(command, *map(str, paths))
        assert not (UNUSED - {"_hashlib"}) & loaded, command


def test_statistics_of_logs_do_not_load_pandas(tmp_path):
    path = lm_samples(tmp_path, lm_rows(1, filters=("none",)))
    loaded = run(
        "import sys, fastcausal\n"
        f"fastcausal.statistics({str(path)!r}, 'exact_match,none'); print(*sys.modules)"
    )
    assert "fastcausal.tasks.values.lm_eval" in loaded
    assert not {"scipy", "pandas"} & {name.partition(".")[0] for name in loaded}


def test_a_leaderboard_of_counts_loads_no_reader(tmp_path):
    """Counts know their formula: no format, log or table of another program is loaded."""
    path = tmp_path / "a.parquet"
    fastcausal.score(sample.GOLD, sample.SYSTEMS["careful"]).statistics.write(path)
    systems = {"a": str(path), "b": str(path)}
    loaded = run(f"import sys, fastcausal; fastcausal.leaderboard({systems}); print(*sys.modules)")
    assert "fastcausal.sweeps.leaderboard" in loaded
    readers = ("fastcausal.formats", "fastcausal.tasks.values.count", "fastcausal.sweeps.pairing")
    assert not [name for name in loaded if name.startswith(readers)]


def test_importing_loads_the_face_alone():
    """Importing loads the package's face and a few standard modules; names load the rest later."""
    before = set(run("import sys; print(*sys.modules)"))
    loaded = set(run("import sys, fastcausal; print(*sys.modules)")) - before
    assert {name for name in loaded if name.startswith("fastcausal")} == {
        "fastcausal",
        "fastcausal._version",
    }
    assert {name.partition(".")[0] for name in loaded} <= sys.stdlib_module_names | {"fastcausal"}
    assert len(loaded) < 50


def test_all_names_load():
    """The stub lists the names; docs/reference/ has a page for each of them (test_docs.py)."""
    assert dir(fastcausal) == sorted(fastcausal.__all__)
    assert len(fastcausal.__all__) > 60
    for name in fastcausal.__all__:
        assert getattr(fastcausal, name) is not None
    with pytest.raises(AttributeError, match="module 'fastcausal' has no attribute 'scores_of'"):
        fastcausal.scores_of  # noqa: B018

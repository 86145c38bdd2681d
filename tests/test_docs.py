"""Every command that the documents show runs, and prints the output shown."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import fastcausal as fc
from fastcausal import sample, training
from tests.support.cli import cli
from tests.support.shared_tasks import judged_here, pack_nothing, sent

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAM = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BUNDLES = "shared-task.md"  # tests/shared_task has bundles with wheels
STORIES = ("tutorial.md", BUNDLES)  # the blocks of each are one story, in one folder
# Pages whose ```python blocks are one program, and the packages that it needs.
RUN = {
    "docs/huggingface.md": ("accelerate", "evaluate", "torch", "transformers"),
    "docs/lightning.md": ("lightning",),
    "docs/overview.md": ("torchmetrics",),
    "docs/qa.md": ("datasets",),
    "docs/training.md": ("torchmetrics",),
}


def shown_blocks() -> list[tuple[str, list[tuple[str, str]]]]:
    """Page, and command and output of every ``$ fastcausal ...`` line, of every console block."""
    found = []
    for page in PAGES:
        for block in BLOCK.findall(page.read_text()):
            parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
            commands = [part.partition("\n")[::2] for part in parts]
            if page.name in STORIES and found and found[-1][0] == page.name:
                found[-1][1].extend(commands)
            else:
                found.append((page.name, commands))
    return found


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def test_commands_are_shown() -> None:
    assert sum(len(commands) for _, commands in shown_blocks()) >= 3


@pytest.mark.parametrize(("page", "commands"), shown_blocks())
def test_shown_commands(
    page: str,
    commands: list[tuple[str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The commands of a block run one after the other in one folder."""
    sample.copy_to(tmp_path / "sample")
    monkeypatch.chdir(tmp_path)
    if page == BUNDLES:
        monkeypatch.setattr("fastcausal.shared_task.check.judged", judged_here)
        monkeypatch.setattr("fastcausal.shared_task.packages.pack", pack_nothing)
        sent(tmp_path)
    for line, output in commands:
        program, *arguments = shlex.split(line)
        assert program == "fastcausal"
        printed, messages = cli(*arguments, expect=None)
        assert "error: " not in messages
        assert lines(printed) == lines(output)


def program_of(page: Path) -> str:
    """Return the program of a page, each line with the number that it has in the page."""
    text = page.read_text()
    program = ""
    for block in PROGRAM.finditer(text):
        line = text.count("\n", 0, block.start(1))
        program += "\n" * (line - program.count("\n")) + block[1]
    return program


@pytest.mark.slow
@pytest.mark.parametrize("page", RUN)
def test_programs_run(page: str, tmp_path: Path) -> None:
    """The blocks of a page run one after the other, in a new folder and without a network."""
    missing = [module for module in RUN[page] if find_spec(module) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    program = tmp_path / Path(page).name
    program.write_text(program_of(ROOT / page))
    done = subprocess.run(
        [sys.executable, program.name],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
            "HF_HOME": str(tmp_path / "cache"),
            "HF_HUB_OFFLINE": "1",
            "HF_EVALUATE_OFFLINE": "1",
            "OMP_NUM_THREADS": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_api_reference_has_every_public_name() -> None:
    pages = (ROOT / "docs" / "reference").glob("api-*.md")
    found = [
        name
        for page in pages
        for name in re.findall(r"^::: fastcausal\.(\S+)", page.read_text(), re.M)
    ]
    top = {name for name in found if "." not in name}
    assert top == set(fc.__all__) - {"__version__", "crab"}
    prefix = "tasks.crab.crab."
    assert {n.removeprefix(prefix) for n in found if n.startswith(prefix)} == set(fc.crab.__all__)
    assert {n[9:] for n in found if n.startswith("training.")} == set(training.__all__)
    from fastcausal.compat import seqeval

    functions = {name for name in seqeval.__all__ if name.islower()}
    assert {n[15:] for n in found if n.startswith("compat.seqeval.")} == functions
    assert len(found) == len(set(found))


def test_signatures_follow_their_grammar() -> None:
    shown = {
        output.splitlines()[-1]
        for _, commands in shown_blocks()
        for _, output in commands
        if output.splitlines()[-1:] and output.splitlines()[-1].startswith("fastcausal|")
    }
    assert len(shown) > 10
    for signature in shown:
        assert re.fullmatch(r"fastcausal\|[\d.]+(\|([^|:]+|[a-z0][\w/-]*:[^|]*))+", signature)


def test_the_site_lists_every_page_once() -> None:
    """Decisions alone stand outside the navigation; design.md leads to them."""
    before, _, nav = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")
    assert "not_in_nav: |\n  /decisions/\n" in before
    listed = re.findall(r"(\S+\.md)$", nav, re.MULTILINE)
    pages = [page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")]
    assert sorted(listed) == sorted(p for p in pages if not p.startswith("decisions/"))


def test_pages_begin_with_the_command() -> None:
    """A heading, one sentence at most, and a block: a how-to page explains below it."""
    nav = (ROOT / "mkdocs.yml").read_text().partition("  - How-to:\n")[2].partition("  - Ref")[0]
    begun = re.compile(r"# .+\n\n((?!`{3}|[#|!*-])(?:.+\n)+\n)?```")
    late = []
    for page in re.findall(r"(\S+\.md)$", nav, re.MULTILINE):
        begins = begun.match((ROOT / "docs" / page).read_text())
        late += [page] if not begins or re.search(r"[.?!] +[A-Z`]", begins[1] or "") else []
    assert late == []


def test_readme_is_short_and_leads_on() -> None:
    text = (ROOT / "README.md").read_text()
    prose = BLOCK.sub("", text)
    links = re.findall(r"\]\(([^)#]+)", prose)
    assert len(prose.split()) <= 480
    assert all((ROOT / link).is_file() for link in links)
    users = text.partition("| I ... |")[2].partition("\n## ")[0]
    assert len(re.findall(r"\]\(docs/", users)) == 10
    figures = text.partition("## As exact")[2]
    evidence = "".join((ROOT / "docs" / f"{n}.md").read_text() for n in ("parity", "performance"))
    assert [n for n in re.findall(r"\d,\d{3}|997", figures) if n not in evidence] == []


def test_readme_names_targets_that_make_has() -> None:
    targets = re.findall(r"^make ([\w-]+)", (ROOT / "README.md").read_text(), re.MULTILINE)
    rules = re.findall(r"^([\w-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"demo", "test", "docs"} <= set(targets) <= set(rules)


def test_the_picture_of_rules_has_the_numbers_that_readme_shows() -> None:
    shown = (ROOT / "README.md").read_text().partition("rank\n")[0]
    drawn = (ROOT / "docs" / "schemes.svg").read_text()
    assert set(re.findall(r"0\.\d{4}", shown)) == set(re.findall(r">(0\.\d{4})<", drawn))

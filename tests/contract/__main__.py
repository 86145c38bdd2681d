"""Record what command lines and calls show, and compare two records byte by byte.

    python -m tests.contract record FOLDER [PATTERN]   in a checkout, its package first on the path
    python -m tests.contract compare OLD NEW           exit status 1 if a byte of NEW differs

`lines.txt` and `calls.txt` name the uses: braces hold alternatives, as in a shell.
"""

from __future__ import annotations

import difflib
import hashlib
import inspect
import io
import itertools
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
import warnings
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

HERE = Path(__file__).parent
BRACES = re.compile(r"(?<=[\"=.\w])\{([^{}:\"]+,[^{}:\"]*)\}")
# Bytes that no two runs share: addresses, times, folders of a run, the length of a pause.
CHANGING = re.compile(
    r"0x[0-9a-f]{6,}|\d{4}-\d\d-\d\dT[\d:.+Z-]+|/tmp/[\w./-]*contract[\w-]*|\d+\.\d+ ?m?s\b"
)


def expand(line: str) -> list[str]:
    """Return the uses of a line, one for each choice of its alternatives."""
    parts = BRACES.split(line)
    choices = [part.split(",") if at % 2 else [part] for at, part in enumerate(parts)]
    return ["".join(chosen) for chosen in itertools.product(*choices)]


def list_uses() -> list[str]:
    """Return the command lines and calls; a call starts with ``>>> ``."""
    lines = (HERE / "lines.txt").read_text().splitlines()
    calls = (HERE / "calls.txt").read_text().splitlines()
    return lines + [f">>> {use}" for call in calls for use in expand(call)]


def show(value: Any) -> str:
    """Return a value as its user sees it; a report with its JSON."""
    shown = [type(value).__name__, str(value)]
    if hasattr(value, "to_dict") and not hasattr(value, "schema"):
        shown.append(json.dumps(value.to_dict(), indent=1, default=str))
    return "\n".join(shown)


def run(use: str) -> dict[str, Any]:
    """Run a use in the current folder: exit status, outputs and written files."""
    import pyarrow as pa

    import fastcausal as fc
    from fastcausal.cli import app

    before = {path: path.stat().st_mtime_ns for path in Path().rglob("*")}
    out, err = io.StringIO(), io.StringIO()
    code: Any = 0
    with redirect_stdout(out), redirect_stderr(err), warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        try:
            if use.startswith(">>> "):
                print(show(eval(use[4:], {"fc": fc, "inspect": inspect, "pa": pa})))
            else:
                app.main(shlex.split(use), prog_name="fastcausal")
        except SystemExit as exit:
            code = exit.code or 0
        except Exception as error:
            code = f"{type(error).__name__}: {error}"
    err.write("".join(f"{w.category.__name__}: {w.message}\n" for w in shown))
    written = {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        for path in sorted(Path().rglob("*"))
        if path.is_file() and before.get(path) != path.stat().st_mtime_ns
    }
    texts = {"exit": code, "stdout": out.getvalue(), "stderr": err.getvalue()}
    texts = {key: CHANGING.sub("~", str(text)) for key, text in texts.items()}
    return texts | {"written": written}


def record(folder: Path, pattern: str = "") -> None:
    """Run the uses that a pattern finds, each in a process and a copy of the files of its own."""
    import fastcausal  # noqa: F401
    from tests.support.command_files import lay_files
    from tests.support.shared_tasks import judged_here, pack_nothing

    folder.mkdir(parents=True, exist_ok=True)
    os.environ.update(COLUMNS="80", NO_COLOR="1", TZ="UTC")
    with tempfile.TemporaryDirectory(prefix="contract-") as place:
        files = Path(place, "files")
        files.mkdir()
        lay_files(files)
        with (
            patch("fastcausal.shared_task.check.judged", judged_here),
            patch("fastcausal.shared_task.packages.pack", pack_nothing),
            patch("fastcausal.tasks.extraction.scorer_page.page.core", bytes),
        ):
            records = {}
            for use in filter(re.compile(pattern).search, list_uses()):
                copy = Path(place, "here")
                shutil.copytree(files, copy)
                reading, writing = os.pipe()
                if not (child := os.fork()):
                    os.chdir(copy)
                    os.close(reading)
                    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                    try:
                        answer = json.dumps(run(use))
                    except BaseException as error:
                        answer = json.dumps({"exit": repr(error)})
                    with os.fdopen(writing, "wb") as pipe:
                        pipe.write(answer.encode())
                    os._exit(0)
                os.close(writing)
                with os.fdopen(reading, "rb") as pipe:
                    records[use] = json.loads(pipe.read() or b"{}")
                os.waitpid(child, 0)
                shutil.rmtree(copy)
    (folder / "record.json").write_text(json.dumps(records, indent=1))
    print(f"{len(records)} uses, {sum(r.get('exit') != '0' for r in records.values())} refused")


def compare(old: Path, new: Path) -> int:
    """Print what differs between two records; return the number of uses that differ."""
    before, after = (json.loads((x / "record.json").read_text()) for x in (old, new))
    differing = 0
    for use, b in after.items():
        a = before.get(use, {})
        if a == b:
            continue
        differing += 1
        print(f"=== {use}")
        for key in ("exit", "stdout", "stderr"):
            lines = (str(x.get(key)).splitlines() for x in (a, b))
            diff = list(difflib.unified_diff(*lines, key, key, lineterm="", n=0))[2:]
            print(*diff[:40], *([f"... {len(diff) - 40} more"] if len(diff) > 40 else []), sep="\n")
        for name in sorted({*a.get("written", {}), *b.get("written", {})}):
            if a.get("written", {}).get(name) != b.get("written", {}).get(name):
                print(f"  written differs: {name}")
    print(f"{differing} of {len(after)} uses differ")
    return differing


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["record", folder, *pattern]:
            record(Path(folder), *pattern)
        case ["compare", old, new]:
            sys.exit(compare(Path(old), Path(new)) > 0)
        case _:
            sys.exit(__doc__)

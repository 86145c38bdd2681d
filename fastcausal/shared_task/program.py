"""The scoring program of a shared task; it needs only Python and the packages beside it.

    python3 score.py INPUT OUTPUT

INPUT/ref has the record of the task and gold, INPUT/res the submission; OUTPUT/scores.json gets the
scores. A refused submission gets a message on standard error, exit status 2 and no scores.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

RECORD = "task.json"
JUDGMENT = "judgment.json"
COUNTS = "counts.parquet"
SCORES = "scores.json"
PACKAGES = "packages.tar.xz"
REFUSED = 2
LONGEST = 4000  # bytes of a message
# The child limits itself before it imports or reads anything.
CHILD = """
import sys
sys.path[:0] = [sys.argv[1]]
try:
    import resource
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = int(sys.argv[2]) if hard < 0 else min(int(sys.argv[2]), hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
except (ImportError, ValueError, OSError):
    pass
from fastcausal.shared_task.judge import main
sys.exit(main(sys.argv[3:]))
"""
TREATED = {"error": "are refused", "wrong": "count as wrong", "empty": "count as empty"}
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Judged(NamedTuple):
    """The judgment of a submission, or the reason for refusing it."""

    judgment: dict[str, Any]
    refusal: str = ""


def judged(site: Path, folder: Path, submission: Path, out: Path, flags: Sequence[str]) -> Judged:
    """Judge a submission in a separate process."""
    try:
        limits = json.loads((folder / RECORD).read_text(encoding="utf-8"))["limits"]
        seconds, memory = min(1e7, float(limits["seconds"])), int(limits["memory"])
    except (OSError, ValueError, LookupError, TypeError, OverflowError) as error:
        return Judged({}, f"{RECORD}: limits cannot be read: {error}")
    command = [sys.executable, *flags, "-c", CHILD, str(site), str(memory)]
    command += [str(path.absolute()) for path in (folder, submission, out)]
    with (out / "messages").open("w+b") as messages:
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=messages,
                timeout=seconds,
                env={**os.environ, **dict.fromkeys(ONE_THREAD, "1")},
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Judged({}, f"not judged within {limits['seconds']} seconds")
        messages.seek(0)
        said = messages.read(LONGEST).decode(errors="replace").strip()
    if done.returncode:
        return Judged({}, _reason(done.returncode, said, memory))
    return Judged(json.loads((out / JUDGMENT).read_text(encoding="utf-8")))


def _reason(status: int, said: str, memory: int) -> str:
    """Return the message to a participant."""
    if status == REFUSED and said:
        return said
    if status < 0:
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = f"signal {-status}"
        return f"the judge ended by {name}; it has {memory} bytes of memory"
    last = said.rpartition("\n")[2]
    return f"the judge ended with status {status}, please tell the organisers: {last}"


def lines(judgment: dict[str, Any]) -> list[str]:
    """Return the lines of a judgment for participants: counts, warnings and scores."""
    parts = [f"{value} {name.removeprefix('n_')}" for name, value in judgment["counts"].items()]
    shown = [", ".join(parts).replace("_", " ")] if parts else []
    shown += [f"warning: {text}" for text in judgment["warnings"]]
    kinds = {"unmatched": "missing predictions", "unparsed": "unread predictions"}
    shown += [f"{kinds[name]} {TREATED[rule]}" for name, rule in judgment["policies"].items()]
    shown += [f"{name}: {value!r}" for name, value in judgment.get("scores", {}).items()]
    return shown


def main(arguments: Sequence[str]) -> int:
    """Score the submission of a platform; return the exit status."""
    if len(arguments) != 2:
        sys.stderr.write("expected INPUT OUTPUT\n")
        return REFUSED
    source, target = map(Path, arguments)
    (target / SCORES).unlink(missing_ok=True)
    with TemporaryDirectory() as place:
        site, out = Path(place, "site"), Path(place, "out")
        out.mkdir()
        with tarfile.open(Path(__file__).with_name(PACKAGES)) as archive:
            archive.extractall(site, filter="data")
        found = judged(site, source / "ref", source / "res", out, ("-I",))
    if found.refusal:
        sys.stderr.write(f"{found.refusal}\n")
        return REFUSED
    target.mkdir(parents=True, exist_ok=True)
    partial = target / f".{SCORES}"
    partial.write_text(json.dumps(found.judgment["scores"]), encoding="utf-8")
    partial.replace(target / SCORES)
    sys.stdout.write("".join(f"{line}\n" for line in lines(found.judgment)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Runs of the command line on mutated files, each told by its number alone.

``python -m tests.fuzz.runs FIRST COUNT SECONDS`` runs some of them, COUNT or until SECONDS are
over, and prints each number before its run and each fault after it: what a crash leaves shows
which run it was.
"""

from __future__ import annotations

import faulthandler
import io
import json
import random
import re
import shutil
import sys
import tempfile
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

import fastcausal as fc
from fastcausal import sample
from fastcausal.cli import app
from fastcausal.formats import declared

CORPUS = Path(__file__).parent / "corpus"
PROGRAM = app
HANG = 120  # seconds after which a run of a small file is one

FORMATS = tuple(declared.FORMATS)
TARGETS = ("x.csv", "x.jsonl", "x.parquet", "x.arrow", "x.arrows", "x.conll", "x.ann",
           "x --to spans", "x --to squad", "x --to nli", "x --to cnc")  # fmt: skip
TAGS = ("strict", "cnc-2023", "cnc-2022")
POLICIES = ("error", "empty", "skip")

# What readers look for, in wrong places.
TOKENS = [
    b"", b"\n", b"\r\n", b"\r", b"\t", b" ", b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80",
    b"\xff", "\u2028\u0085\x0c".encode(), "😀é".encode(), b'"', b"'", b"\\", b'""', b",", b";",
    b":", b"::::", b"{", b"}", b"[", b"]", b"{}", b"[]", b"null", b"true", b"NaN", b"-Infinity",
    b"1e999", b"-1", b"0", b"01", b"2147483647", b"2147483648", b"9223372036854775808", b"9" * 40,
    b"1.5", b'"\\ud800"', b"<ARG0>", b"</ARG0>", b"<ARG1>", b"</ARG1>", b"<SIG0>", b"</SIG9>",
    b"<ARG0></ARG0>", b"B-C", b"I-E", b"O", b"S-S", b"# id = ", b'"id": ', b'"relations": ',
    b'"length": ', b'"start": ', b'"role": "cause"', b'{"role": "x"}', b"T1\tCause 0 1;2 3\tx\n",
    b"R1\tCauses Arg1:T1 Arg2:T1\n", b"E1\t", b"#1\t", b"{x}", b"{:>9}", b"%s", b"%ID", b"@100",
    b"\x1b]0;owned\x07", b"[" * 300, b'{"a":' * 300, b"(" * 100, b"unit,rater,label\n", b"label",
    b"None", b"NA", b"nan", b"['x']", b"[1]", b"```", b"<think>", b"</think>",
]  # fmt: skip


def made(folder: Path) -> dict[str, list[Path]]:
    """The files of the corpus by what they are, and such as only programs write."""
    files = {part.name: sorted(part.iterdir()) for part in CORPUS.iterdir()}
    relations = fc.read(CORPUS / "relations" / "table.jsonl")
    ratings = pa.table({"unit": ["a", "a"], "rater": ["x", "y"], "label": ["1", "2"]})
    labels = pa.table({"id": ["a", "b"], "label": [0, 1]})
    for suffix in ("parquet", "arrow", "arrows"):
        files["relations"].append(folder / f"table.{suffix}")
        fc.write(relations, files["relations"][-1])
    for name, table in (("ratings", ratings), ("labels", labels)):
        pq.write_table(table, folder / f"{name}.parquet")
        pyarrow.feather.write_feather(table, folder / f"{name}.arrow")
        files[name] += [folder / f"{name}.parquet", folder / f"{name}.arrow"]
    for path in (sample.GOLD, sample.SYSTEMS["hasty"], sample.ANNOTATORS["annotator_1"]):
        short = folder / path.name
        short.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:6]))
        files["relations"].append(short)
    return files


def rough(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """Bytes anywhere: most of it is no longer of its format."""
    start = rng.randrange(len(data) + 1)
    stop = min(len(data), start + rng.choice((0, 1, 1, 2, 5, 20, 200)))
    piece = rng.choice((data, other))
    at = rng.randrange(len(piece) + 1)
    new = rng.choice((
        rng.choice(TOKENS), rng.choice(TOKENS) * rng.choice((2, 20)), bytes([rng.randrange(256)]),
        data[start:stop] * 2, piece[at : at + rng.randrange(80)], b"",
    ))  # fmt: skip
    end = rng.randrange(stop, len(data) + 1) if rng.random() < 0.05 else len(data)
    return data[:start] + new + data[stop:end]


def gentle(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """A word or a line in the place of another: most of it can still be read."""
    if rng.random() < 0.3:
        lines = data.splitlines(keepends=True) or [b""]
        new = rng.choice((*lines, rng.choice(TOKENS) + b"\n", b""))
        lines[rng.randrange(len(lines))] = new
        return b"".join(lines)
    words = list(re.finditer(rb"[\w.-]+", data))
    if not words:
        return data
    word, same = rng.choice(words), rng.choice(words)[0]
    new = rng.choice((same, same, b"0", b"3", rng.choice(TOKENS)))
    return data[: word.start()] + new + data[word.end() :]


def mutated(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """Some changes; one half of the runs has gentle ones alone, and a few keep nothing."""
    if rng.random() < 0.03:
        return rng.choice(TOKENS) * rng.choice((1, 1, 50))
    changes = (gentle, gentle, rough) if rng.random() < 0.5 else (gentle,)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        data = rng.choice(changes)(data, other, rng)
    return data[:20_000]


def arguments(rng: random.Random) -> tuple[list[str], list[str], list[str]]:
    """A command, what its files are, and its options."""
    tags, policy, json = rng.choice(TAGS), rng.choice(POLICIES), rng.choice(([], ["--json"]))
    name = rng.choice(("score", "score", "errors", "raw", "explain", "agree", "labels", "classify",
                       "qa", "describe", "check", "convert", "convert"))  # fmt: skip
    two = ["relations", "relations"]
    if name == "score":
        protocol = rng.choice(("recess", "cnc-2023", "cnc-2022"))
        more = rng.choice(([], ["--by", "doc_id"], ["--per-example", "out.parquet"],
                           ["--matches", "out.parquet"], ["--backend", "reference"]))  # fmt: skip
        options = ["--protocol", protocol, "--unparsed", policy, "--unmatched", policy, *more]
        return [name], two, options + json
    if name == "errors":
        page = rng.choice(([], ["--html", "out.html"]))
        return [name], two, ["--unparsed", policy, "--unmatched", policy, *page, *json]
    if name == "raw":
        options = ["--answers", "output", "--unparsed", policy, "--unmatched", "skip"]
        return ["score"], ["relations", "raw"], [*options, *json]
    if name == "agree":
        more = rng.choice(([], ["--intervals"], ["--disagreements", "out.html"]))
        return [name], two, ["--unparsed", policy, *more, *json]
    if name == "labels":
        level = rng.choice(("nominal", "ordinal", "interval", "ratio"))
        files = ["ratings"] * rng.choice((1, 2))
        more = rng.choice(([], ["--intervals"]))
        return ["agree"], files, ["--labels", "label", "--level", level, *more, *json]
    if name == "classify":
        skip = ["--unparsed", "skip", "--unmatched", "skip"]
        return [name], ["labels", "labels"], rng.choice(([], skip)) + json
    if name == "qa":
        return [name], ["questions", "answers"], ["--unmatched", policy, *json]
    if name == "explain":
        return [name], two, json
    if name == "describe":
        return [name], ["relations"], json
    if name == "check":
        return [name], ["relations"] * rng.choice((1, 2)), ["--tags", tags, *json]
    options = [*rng.choice(TARGETS).split(), "--tags", tags]
    options += rng.choice(([], ["--from", rng.choice(FORMATS)], ["--like", str(sample.GOLD)]))
    return [name], ["relations"], options


class Runs:
    """Runs by number, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "made").mkdir()
        self.files = made(folder / "made")
        self.all = [path for paths in self.files.values() for path in paths]

    def prepared(self, number: int) -> tuple[list[str], list[str]]:
        """Arguments of a run, its files written: the command with them, and the options."""
        rng = random.Random(number)
        work = self.folder / "work"
        shutil.rmtree(work, ignore_errors=True)
        name, kinds, options = arguments(rng)
        paths: list[str] = []
        for k, kind in enumerate(kinds):
            again = paths and kinds[0] == kind and rng.random() < 0.7  # what fits the first
            source = Path(paths[0]) if again else self._source(kind, rng)
            target = work / str(k) / source.name
            target.parent.mkdir(parents=True)
            for suffix in (source.suffix, ".txt") if source.suffix == ".ann" else (source.suffix,):
                data = source.with_suffix(suffix).read_bytes()
                if rng.random() < (0.5 if len(kinds) > 1 else 0.8):
                    data = mutated(data, rng.choice(self.all).read_bytes(), rng)
                target.with_suffix(suffix).write_bytes(data)
            paths.append(str(target))
        options = [str(work / o) if o.startswith(("x", "out.")) else o for o in options]
        return [*name, *paths], options

    def _source(self, kind: str, rng: random.Random) -> Path:
        return rng.choice(self.files[kind] if rng.random() < 0.95 else self.all)

    def fault(self, number: int) -> str | None:
        """What is wrong with a run: not its result, but how it ends."""
        files, options = self.prepared(number)
        said = judged_run(files, options)
        return said and f"{' '.join([*files, *options])}\n  {said}"


def judged_run(command: list[str], options: list[str]) -> str | None:
    """Run a command in this process: what is wrong with how it ends."""
    out, err = io.StringIO(), io.StringIO()
    status: object = None
    with redirect_stdout(out), redirect_stderr(err):
        try:
            PROGRAM.main([*command, *options])
        except SystemExit as end:
            status = end.code or 0
    return _judged(status, command[0], "--json" in options, out.getvalue(), err.getvalue())


def _judged(status: object, command: str, as_json: bool, out: str, err: str) -> str | None:
    if status not in ((0, 1, 2) if command == "check" else (0, 2)):
        return f"exit {status}: {(out + err)[-300:]}"
    if "Traceback" in err or "not enough memory" in err + out:
        return err[-300:]
    if as_json:
        found = json.loads(out)
        if ("error" in found) != (status == 2) or out.count("\n") != 1:
            return f"exit {status}, but JSON {out[:300]}"
    messages = [line for line in err.splitlines() if line.startswith("error: ")]
    if len(messages) != (status == 2 and not as_json):
        return f"exit {status}, but messages {messages}"
    if status == 2 and not as_json and (out or err == "error: \n"):
        return f"exit 2, but output {out[:300]}"
    return None


def main(first: int, count: int, seconds: float) -> None:
    """Print each number, and the fault of each run that has one."""
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        runs = Runs(Path(folder))
        for number in range(first, first + count):
            if time.monotonic() > end:
                break
            print(number, flush=True)  # noqa: T201
            faulthandler.dump_traceback_later(HANG, exit=True)
            fault = runs.fault(number)
            if fault:
                print(f"run {number}: {fault}", flush=True)  # noqa: T201
        faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))

"""Runs of the command line on mutated files; the number of a run determines it.

``python -m tests.fuzz.runs FIRST COUNT SECONDS`` runs some of them, COUNT or until SECONDS are
over, and prints each number before its run and each fault after it, so that the output before a
crash shows which run it was.
"""

from __future__ import annotations

import faulthandler
import io
import json
import random
import re
import resource
import shutil
import signal
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
from fastcausal.sweeps.looks import Question, Spending, open_looks
from tests.fuzz.commands import drawn
from tests.fuzz.mutations import laid, mutated
from tests.oracles.drawn_marks import TYPE_SYSTEM, project, write
from tests.oracles.marks import READERS
from tests.support import projects
from tests.support.shared_tasks import box

CORPUS = Path(__file__).parent / "corpus"
PROGRAM = app
HANG = 10  # seconds of processors after which a run of a small file is one
STILL = 120  # seconds of the clock, for a run that waits
GROWTH = 1 << 30  # bytes by which memory may grow in a run
ROOM = 6 << 30  # bytes of addresses beyond which a process has no memory: other work goes on
FINDINGS = ("check", "gate", "sweep", "annotate")  # commands that may end with 1

TEXT = "Heavy rain 😀 caused [old] floods .\nThey fled because of a_b floods ."
SPANS = [("Cause", "Heavy rain"), ("Signal", "caused"), ("Effect", "floods"),
         ("Effect", "They fled"), ("Cause", "a_b floods"), ("Signal", "because of")]  # fmt: skip
ONE = projects.Marked(
    TEXT,
    tuple((label, TEXT.index(t), TEXT.index(t) + len(t)) for label, t in SPANS),
    ((0, 2), (1, 2), (4, 3), (5, 3)),
)
EXPORTS = {
    "x.tsv": projects.tsv(ONE, slots=True),
    "x.xmi": projects.xmi(ONE),
    "amy.jsonl": projects.doccano({1: ONE, 2: ONE._replace(links=())}),
    "x.json": projects.label_studio({1: {"amy": ONE, "ben": ONE}}),
}
# Kinds of files that the sample has, each with lines enough to be one.
OF_SAMPLE = {
    "relations": ("gold.csv", "hasty.jsonl", "annotator_1.jsonl"),
    "raw": ("raw_answers.jsonl",),
    "answers": ("answers.json",),
    "judged": ("judged_answers.json", "judged_ann.json", "judged_ben.json"),
    "saved": ("judged_ann.json", "judged_ben.json", "claims_prediction_brief_ann.json"),
    "preferences": ("preferences_ann.json", "preferences_ben.json"),
    "preferences_key": ("preferences_key.json",),
    "rater_test": ("rater_test.json",),
    "claims": tuple(path.name for path in sample.CLAIMS),
    "pairs": ("crab_gold.jsonl",),
    "event_pairs": ("pairs_gold.csv", "pairs_careful.csv"),
    "crab_answers": ("crab_scores_careful.jsonl", "crab_scores_hasty.jsonl", "crab_yes_no.jsonl",
                     "crab_letters.jsonl"),
    "crab_questions": ("crab_questions.jsonl",),
    "crab_choices": ("crab_choices.jsonl",),
    "crab_ratings": ("crab_ratings.jsonl",),
    "events": ("crab_gold_events.jsonl", "crab_found_events.jsonl"),
    "sections": ("sections.csv", "sections_careful.csv"),
    "causes": ("causes.csv", "causes_careful.csv"),
    "choices": ("choices.csv",),
    "chosen": ("choices_careful.jsonl", "choices_chatty.jsonl"),
    "scores": ("scores.csv",),
    "human": ("judgments.csv",),
    "crab_labels": ("crab_labels.csv",),
}  # fmt: skip
LINES = {"pairs": 8, "crab_questions": 4, "crab_ratings": 40, "scores": 41, "human": 60,
         "crab_labels": 60}  # fmt: skip
WRITTEN = {
    "protocol": {
        "p.toml": 'name = "mine"\nkernel = "exact_spans"\ntags = "strict"\n'
                  'tracks = [["cause", "effect"], ["signal"]]\nundefined = 0.5\n',
        "p.json": '{"name": "mine", "kernel": "fair_spans", "objective": {"numerator": {"tp": 2}, '
                  '"denominator": {"tp": 2, "be": 1, "fn": 2}}, "ties": "content"}',
    },
    "dates": {"dates.csv": "topic_id,date\n4,2021-05-04\n9,2022-01-01\n",
              "dates.jsonl": '{"topic_id": 4, "date": "2021-05-04"}\n'},
    "crab_articles": {
        "articles.csv": "topic_id,article_id,text\n"
        + "".join(f"{topic},{k},Text {k}\n" for topic in (4, 9) for k in range(1, 6)),
        "articles.jsonl": '{"topic_id": 4, "article_id": 1, "text": "{{ 1 }} Rain."}\n',
    },
    "crab_template": {
        "pair.j2": "{% for text in articles %}\n{{ text }}\n{% endfor %}\n{{ event_a }}, so "
                   "{{ event_b }}?\n",
    },
    "crab_batch": {
        "back.jsonl": '{"custom_id": "4/1/2", "response": {"status_code": 200, "body": {"choices": '
                      '[{"message": {"content": "<Answer>85</Answer>"}}]}}, "error": null}\n'
                      '{"custom_id": "4/1/3", "response": null, "error": {"code": "expired"}}\n',
    },
    "unicausal": {
        "rows.csv": "corpus,doc_id,sent_id,eg_id,index,text,text_w_pairs,seq_label,pair_label,"
                    "label\n"
                    "altlex,d,0,0,a,it rains,<ARG0>it</ARG0> <ARG1>rains</ARG1>,1.0,1,1\n"
                    "ctb,d,1,0,b,so,so,0.0,0,1\n",
        "grouped.csv": "corpus,doc_id,sent_id,eg_id,index,text,text_w_pairs,seq_label,pair_label,"
                       "causal_text_w_pairs,num_rs,label\n"
                       "because,d,0,0,a,it rains,x,1,1,"
                       "['<ARG0>it</ARG0> <ARG1>rains</ARG1>'],1,0\n"
                       "because,d,0,1,b,it rains,x,1,0,,0,1\n",
    },
    "unicausal_tags": {"tags.jsonl": '{"index": "a", "prediction": ["B-C", "I-E"]}\n',
                       "tags.tsv": "index\tpred\na\t['B-C', 'B-E']\n"},
    "key": {"key.json": '{"Flood of the Lower Aster": {"1": "brief", "2": "full"}}'},
}  # fmt: skip
ALIKE = (
    "sections",
    "causes",
    "relations",
    "marked",
    "labels",
    "ratings",
    "events",
    "values",
)  # a second file is often the first, changed
AS_TABLES = ("pairs", "crab_answers", "crab_questions", "crab_choices", "crab_ratings", "events",
             "crab_labels", "scores", "human", "raw", "labels", "ratings", "choices",
             "chosen")  # fmt: skip


def made(folder: Path) -> dict[str, list[Path]]:
    """Return files by kind: the corpus, and files that only programs write."""
    files: dict[str, list[Path]] = {part.name: sorted(part.iterdir()) for part in CORPUS.iterdir()}
    for kind, names in OF_SAMPLE.items():
        for name in names:
            data = (sample.FOLDER / name).read_bytes()
            if not name.endswith(".json"):
                data = b"".join(data.splitlines(keepends=True)[: LINES.get(kind, 6)])
            files.setdefault(kind, []).append(_written(folder / kind / name, data))
    for kind, texts in {**WRITTEN, "relations": EXPORTS}.items():
        for name, text in texts.items():
            files.setdefault(kind, []).append(_written(folder / kind / name, text.encode()))
    _written(folder / "relations" / "TypeSystem.xml", projects.TYPE_SYSTEM.encode())
    files["marked"] = [*files["relations"][-len(EXPORTS) :], *_marked(folder / "marked")]
    files |= _counted(folder / "counted", folder / "relations")
    relations = fc.read(CORPUS / "relations" / "table.jsonl")
    for suffix in ("parquet", "arrow", "arrows"):
        files["relations"].append(folder / f"table.{suffix}")
        fc.write(relations, files["relations"][-1])
    tables = {"ratings": pa.table({"unit": ["a", "a"], "rater": ["x", "y"], "label": ["1", "2"]}),
              "labels": pa.table({"id": ["a", "b"], "label": [0, 1]})}  # fmt: skip
    for kind in AS_TABLES:
        table = tables.get(kind) or _table_of(files[kind][-1])
        path = folder / kind / f"{kind}.parquet"
        path.parent.mkdir(exist_ok=True)
        pq.write_table(table, path)
        pyarrow.feather.write_feather(table, path.with_suffix(".arrow"), compression="lz4")
        files[kind] += [path, path.with_suffix(".arrow")]
    return files


def _marked(folder: Path) -> list[Path]:
    """Return drawn projects in the layout of every tool, with types, events and any script."""
    rng = random.Random(4)
    files = []
    for kind in READERS:
        for k in range(6):
            words = rng.choice(("blank", "letters"))
            drawn = [project(rng, words, richly=kind == "brat")]
            while kind == "webanno-tsv" and drawn[0].is_crossed:
                drawn = [project(rng, words, richly=False)]
            files.append(write(folder / f"{kind}{k}" / "amy", kind, drawn, words, rng))
    return files


def _written(path: Path, data: bytes) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


def _table_of(path: Path) -> pa.Table:
    if path.suffix == ".csv":
        import pyarrow.csv as pc

        return pc.read_csv(path)
    return pa.Table.from_pylist([json.loads(line) for line in path.read_text().splitlines()])


def _counted(folder: Path, small: Path) -> dict[str, list[Path]]:
    """Files of counts of every kind, parts of one, runs in one table, and the folder of a sweep."""
    folder.mkdir()
    gold, hasty = small / "gold.csv", small / "hasty.jsonl"
    relations = fc.read(gold)
    systems = [hasty, _written(folder / "careful.jsonl", b"".join(
        sample.SYSTEMS["careful"].read_bytes().splitlines(keepends=True)[:5]))]  # fmt: skip
    hasty.write_bytes(b"".join(hasty.read_bytes().splitlines(keepends=True)[:5]))
    counts, parts = [], []
    for system in systems:
        for suffix in ("parquet", "arrow"):
            counts.append(folder / f"{system.stem}.{suffix}")
            _run("score", gold, system, "--per-example", counts[-1])
    _run("qa", CORPUS / "questions" / "squad.json", CORPUS / "answers" / "answers.json",
         "--unmatched", "skip", "--per-example", folder / "qa.parquet")  # fmt: skip
    _run("answers", sample.JUDGED, "--per-example", folder / "judged.parquet")
    counts += [folder / "qa.parquet", folder / "judged.parquet"]
    pred = fc.read(systems[0], like=relations)
    batch = relations.table.append_column("predicted", pred.table["relations"])
    for k in (0, 3):
        parts.append(folder / f"part{k}.parquet")
        pq.write_table(fc.score_batch(batch.slice(k, 3)), parts[-1])
    runs = folder / "runs.parquet"
    names = pa.array(["a", "b"] * 9)[: len(pred.table)]
    fc.write(fc.Relations(pred.table.append_column("run", names)), runs)
    _run("sweep", gold, *systems, "--out", folder / "swept", "--jobs", 1)
    with open_looks(folder / "looks.jsonl", Spending(0.05)) as looks:
        for k in range(4):
            question = Question("a" * 32, "overall_f1", -0.5, "b" * 32, f"{k:032x}")
            looks.add(looks.take(question), "fail")
    return {"counts": counts, "part": parts, "looks": [folder / "looks.jsonl"],
            "runs": [runs, folder / "hasty.parquet"], "sweep": [folder / "swept"],
            "box": [box(folder / "box", "recess")]}  # fmt: skip


def _run(*args: object) -> None:
    fault, status, said = _ended([str(arg) for arg in args])
    assert (fault, status) == (None, 0), (args, said)


class Runs:
    """Runs by number, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "made").mkdir()
        self.files = made(folder / "made")
        self.all = [p for paths in self.files.values() for p in paths if p.is_file()]

    def prepared(self, number: int) -> tuple[list[str], Path | None]:
        """Write the files of a run; return the words of its command, and its standard input."""
        rng = random.Random(number)
        self.work = self.folder / "work"
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir()
        words, stdin = [], None
        before: dict[str, Path] = {}
        kinds = re.compile(rf"{{({'|'.join(self.files)})}}")
        for k, word in enumerate(drawn(rng)):
            if kind := kinds.fullmatch(word):
                path = self._file(kind[1], before, self.work / str(k), rng)
                if stdin is None and path.is_file() and rng.random() < 0.02:
                    word, stdin = "-", path
                else:
                    word = str(path)
            elif word.startswith(("x.", "out.")) or word in ("x", "swept"):
                word = str(self.work / word)
            words.append(word)
        return words, stdin

    def _file(self, kind: str, before: dict[str, Path], folder: Path, rng: random.Random) -> Path:
        """Write a file of a kind, or one like the one before, mutated; its path."""
        source = before.get(kind)
        if source is None or kind not in ALIKE or rng.random() < 0.3:
            good = [path for path in self.files[kind] if CORPUS not in path.parents]
            good = [path for path in good if path != source] or good
            source = rng.choice(rng.choice((good or self.files[kind], self.files[kind])))
            source = source if rng.random() < 0.97 else rng.choice(self.all)
        share = 0.4 if before else 0.6
        if source.is_dir():
            shutil.copytree(source, folder)
            for path in sorted(p for p in folder.rglob("*") if p.is_file()):
                if rng.random() < share / 2:
                    self._mutate(path, path, rng)
            return folder
        folder.mkdir()
        target = folder / source.name
        beside = {".ann": (".txt",)}.get(source.suffix, ())
        for suffix in (source.suffix, *beside):
            mutate = rng.random() < share
            target.with_suffix(suffix).write_bytes(source.with_suffix(suffix).read_bytes())
            if mutate:
                self._mutate(target.with_suffix(suffix), target.with_suffix(suffix), rng)
        if source.suffix == ".xmi" and rng.random() < 0.9:
            target.with_name("TypeSystem.xml").write_text(TYPE_SYSTEM)
        before[kind] = target if kind in ALIKE and rng.random() < 0.5 else source
        if rng.random() < 0.04 and not beside:
            before[kind] = source
            return laid(target, rng)
        return target

    def _mutate(self, source: Path, target: Path, rng: random.Random) -> None:
        other = rng.choice(self.all).read_bytes()
        target.write_bytes(mutated(source.read_bytes(), other, rng, source.suffix))

    def fault(self, number: int) -> str | None:
        """Return the fault of a run, in its end and not in its result; None if it ends well."""
        words, stdin = self.prepared(number)
        before = _memory("VmRSS")
        said, _, _ = _ended(words, stdin)
        grown = _memory("VmHWM") - before
        if grown > GROWTH:
            said = f"memory grew by {grown >> 20} MiB, {said}"
        return said and f"{' '.join(words)}\n  {said}"


def _memory(name: str) -> int:
    """Return bytes of memory that this process has (VmRSS) or had at most (VmHWM).

    The peak that getrusage gives begins with the peak of the process that started this one.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition(f"{name}:")[2].split()[0]) * 1024


def judged_run(words: list[str]) -> str | None:
    """Run a command in this process; return the fault of its end."""
    return _ended(words)[0]


def _ended(words: list[str], stdin: Path | None = None) -> tuple[str | None, object, str]:
    """Run a command; return the fault of its end, its status, and its output."""
    out, err = io.StringIO(), io.StringIO()
    status: object = None
    before = sys.stdin
    with redirect_stdout(out), redirect_stderr(err), (stdin or Path("/dev/null")).open() as file:
        sys.stdin = file
        try:
            PROGRAM.main(words)
        except SystemExit as end:
            status = end.code or 0
        finally:
            sys.stdin = before
    said = out.getvalue(), err.getvalue()
    return _judged(status, words, *said), status, "".join(said)


def _judged(status: object, words: list[str], out: str, err: str) -> str | None:
    as_json = "--json" in words
    if status not in ((0, 1, 2) if words[0] in FINDINGS else (0, 2)):
        return f"exit {status}: {(out + err)[-300:]}"
    if "Traceback" in err or "not enough memory" in err + out:
        return err[-300:]
    if as_json:
        try:
            found = json.loads(out)
        except ValueError:
            return f"exit {status}, but no JSON {out[:300]}"
        if ("error" in found) != (status == 2 and "n_runs" not in found) or out.count("\n") != 1:
            return f"exit {status}, but JSON {out[:300]}"
    messages = [line for line in err.splitlines() if line.startswith("error: ")]
    if words[0] == "sweep" and " scored, " in out:  # none was scored
        return None
    if len(messages) != (status == 2 and not as_json):
        return f"exit {status}, but messages {messages}"
    if status == 2 and not as_json and (out or err == "error: \n"):
        return f"exit 2, but output {out[:300]}"
    return None


def main(first: int, count: int, seconds: float) -> None:
    """Print each number, and the fault of each run that has one."""
    end = time.monotonic() + seconds
    # A signal that Python handles would wait for the end of native code.
    faulthandler.register(signal.SIGPROF, chain=True)
    resource.setrlimit(resource.RLIMIT_AS, (ROOM, resource.getrlimit(resource.RLIMIT_AS)[1]))
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        runs = Runs(Path(folder))
        for number in range(first, first + count):
            if time.monotonic() > end:
                break
            print(number, flush=True)  # noqa: T201
            signal.setitimer(signal.ITIMER_PROF, HANG)
            faulthandler.dump_traceback_later(STILL, exit=True)
            fault = runs.fault(number)
            if fault:
                print(f"run {number}: {fault}", flush=True)  # noqa: T201
            if fault and "memory grew" in fault:
                sys.exit(f"run {number}: the peak of memory hides what follows")
        signal.setitimer(signal.ITIMER_PROF, 0)
        faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))

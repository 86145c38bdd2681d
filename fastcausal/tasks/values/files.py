"""Sources of values, recognised by content: count files, logs, exports of platforms, tables."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from fastcausal.counts.files import about_in
from fastcausal.errors import InputError
from fastcausal.files import binary
from fastcausal.files.files import Source
from fastcausal.files.lines import first_object
from fastcausal.files.packed import is_url, local
from fastcausal.files.records import Records, read_records
from fastcausal.files.zips import Archive, is_zip
from fastcausal.formats.logs import inspect_ai
from fastcausal.formats.logs.replies import is_sample
from fastcausal.tasks.values import (
    deepeval,
    every_eval_ever,
    helm,
    inspect_logs,
    langfuse,
    lm_eval,
    mlflow,
    promptfoo,
    tables,
)
from fastcausal.tasks.values.answers import ValueAnswers
from fastcausal.tasks.values.reading import OF_TABLES, ValueReading

KNOWN = (
    "expected counts, a log or an export of a harness, or a table with id and value; of "
    "predictions, fastcausal score GOLD FILE --per-example COUNTS.parquet makes counts"
)
# Of files in a folder of records of Every Eval Ever, and of runs of DeepEval
NAMES = (f"*{every_eval_ever.SAMPLES}", "test_run_*.json")
Reader = Callable[[ValueReading], list[ValueAnswers]]
# By the first object: recognise, read
EXPORTS: tuple[
    tuple[
        Callable[[Mapping[str, Any]], bool],
        Callable[[Source, Mapping[str, Any], ValueReading], list[ValueAnswers]],
    ],
    ...,
] = (
    *((each.holds, each.read) for each in (every_eval_ever, promptfoo, deepeval, helm, mlflow)),
    (lm_eval.holds, lm_eval.read_results),
    (lm_eval.holds_results, lm_eval.refuse_results),
)
# By the columns of a table: recognise, read
TABLES: tuple[
    tuple[
        Callable[[Collection[str]], bool],
        Callable[[Records, ValueReading], list[ValueAnswers]],
    ],
    ...,
] = tuple((each.holds_table, each.read_table) for each in (mlflow, langfuse))


def read_answers(
    source: Any, reading: ValueReading, name: str = "rows"
) -> list[ValueAnswers] | Source:
    """Read the answers of each system; return a count file unchanged."""
    if not isinstance(source, str | os.PathLike | Source):
        return _read_table(read_records(source, name), reading)
    if isinstance(source, str | os.PathLike):
        if (folder := Path(local(source))).is_dir():
            if (stats := folder / helm.STATS).is_file():
                return read_answers(stats, reading)
            files = [*map(lm_eval.open_samples, _samples_in(source))]
            return _read_log(os.fspath(source), partial(lm_eval.read_files, files), reading)
        with _open_on_disk(source) as file:
            if file is not None and (reader := _reader_of_log(source, file)):
                return reader(reading)
    opened = Source.open(source)
    if _holds_counts(opened):
        return opened
    if reader := _reader_of_text(opened, source):
        return reader(reading)
    records = read_records(opened, encoded=reading.system is not None)
    if not _is_export(records) and (lacks := tables.lacking(records, reading)):
        found = ", ".join(records.names)[:200]
        raise InputError(f'{opened.name}: no column "{lacks}": found {found}; {KNOWN}')
    return _read_table(records, reading)


def _is_export(records: Records) -> bool:
    return any(holds(records.names) for holds, _ in TABLES)


def _read_table(records: Records, reading: ValueReading) -> list[ValueAnswers]:
    readers = (read for holds, read in TABLES if holds(records.names))
    return next(readers, tables.systems_of)(records, reading)


def _read_log(
    name: str, read: Callable[[ValueReading], ValueAnswers], reading: ValueReading
) -> list[ValueAnswers]:
    reading.refuse(name, "a log of one system", *OF_TABLES)
    return [read(reading)]


def holds_values(source: str | os.PathLike[str], reading: ValueReading) -> bool:
    """Return True for a count file, a log or a table of values, by content."""
    with _open_on_disk(source) as file:
        if file is not None and _reader_of_log(source, file):
            return True
    opened = Source.open(source)
    if _holds_counts(opened) or _reader_of_text(opened, source):
        return True
    try:
        records = read_records(opened)
        return _is_export(records) or tables.lacking(records, reading) is None
    except InputError:  # gold in a format of its own
        return False


def _reader_of_text(file: Source, source: str | os.PathLike[str] | Source) -> Reader | None:
    """Return the reader of a log that is one text in memory; None for other files."""
    is_object = file.data.lstrip()[:1] == b"{"
    path = None if isinstance(source, Source) or is_url(source) else Path(local(source))
    # `_reader_of_log` has asked a file on disk that is not packed.
    is_asked = path is not None and path.is_file() and path.stat().st_size == len(file.data)
    if binary.sniff(file.data) is None and (is_object or file.is_list):
        stream = BytesIO(file.data)  # unpacked
        if is_object and not is_asked and inspect_ai.is_document(file.name, stream):
            return partial(
                _read_log, file.name, partial(inspect_logs.read_document, file.name, stream)
            )
        first = first_object(file) or _document(file)
        if is_sample(first):
            return partial(_read_log, file.name, partial(lm_eval.read_files, [file]))
        for holds, read in EXPORTS:
            if holds(first):
                return partial(read, file, first)
    return None


def _document(file: Source) -> Mapping[str, Any]:
    """Return the object that is the whole file, {} for any other file."""
    try:
        value = {} if file.is_list else file.document()
    except InputError:
        return {}
    return value if isinstance(value, dict) else {}


def _holds_counts(file: Source) -> bool:
    """Return True for a count file, by its schema."""
    schema = binary.schema_of(file)
    return schema is not None and about_in(schema) is not None


def _reader_of_log(source: str | os.PathLike[str], file: IO[bytes]) -> Reader | None:
    """Return the reader of a log on disk, which reads one part at a time; None for other files."""
    name = os.fspath(source)
    is_archive = is_zip(file.read(4))
    file.seek(0)
    if is_archive:
        archive = Archive(name, file=file, is_log=True)
        if inspect_ai.is_archive(archive):
            return partial(_read_log, name, partial(inspect_logs.read_archive, archive))
    elif inspect_ai.is_document(name, file):
        return partial(_read_log, name, partial(inspect_logs.read_document, name, file))
    elif lm_eval.find_samples(file):
        return partial(_read_log, name, partial(lm_eval.read_files, [local(source)]))
    return None


@contextmanager
def _open_on_disk(source: str | os.PathLike[str]) -> Iterator[IO[bytes] | None]:
    """Open a file on disk; yield None for other sources."""
    path = local(source)
    if is_url(source) or path == "-" or not Path(path).is_file():
        yield None
        return
    try:
        with Path(path).open("rb") as file:
            yield file
    except OSError as error:
        raise InputError(f"{os.fspath(source)}: {error.strerror or error}") from error


def _samples_in(folder: str | os.PathLike[str]) -> list[Path]:
    """Return the samples of one run; InputError if a task has several files."""
    files = sorted(Path(folder).glob(lm_eval.SAMPLES))
    if not files:
        raise InputError(f"{os.fspath(folder)}: no {lm_eval.SAMPLES}, expected samples of lm-eval")
    tasks: dict[str, Path] = {}
    for file in files:
        task = lm_eval.task_of(file.name)
        if task in tasks:
            raise InputError(f"{file}: {tasks[task].name} has the task {task} too, expected a run")
        tasks[task] = file
    return files


def list_logs(folder: str | os.PathLike[str]) -> list[Path]:
    """Return the logs in a folder and below: files, and folders of lm-eval and HELM."""
    root = Path(folder)
    logs = [*root.rglob("*.eval")]
    logs += [path for path in root.rglob("*.json") if _is_log(path)]
    logs += {path.parent for name in (lm_eval.SAMPLES, helm.STATS) for path in root.rglob(name)}
    instances = (path for name in NAMES for path in root.rglob(name))
    logs += [path for path in instances if not path.match(lm_eval.SAMPLES)]
    return sorted(logs)


def _is_log(path: Path) -> bool:
    with path.open("rb") as file:
        return inspect_ai.is_document(path.name, file)

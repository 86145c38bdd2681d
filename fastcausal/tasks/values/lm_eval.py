"""Samples of EleutherAI's lm-evaluation-harness: a row for each document and filter."""

from __future__ import annotations

import json
import os
import re
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import repeat
from operator import itemgetter
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import GrowingStrings, is_utf8, joined, numbers, strings, values_of
from fastcausal.errors import InputError, Problems
from fastcausal.files import _native
from fastcausal.files.files import UTF8_MARK, Source
from fastcausal.files.json_stream import WINDOW
from fastcausal.files.keys import are_unique
from fastcausal.files.lines import Lines, first_object
from fastcausal.files.packed import local, name_of
from fastcausal.files.values import follow_path, pause_gc, shown, write_cell
from fastcausal.formats.logs.replies import is_sample, reply_of
from fastcausal.significance.sums import Float64, Int64
from fastcausal.tasks.values.answers import Text, ValueAnswers, flags_of, is_flags, number_of
from fastcausal.tasks.values.logs import (
    chosen,
    digest_of,
    digest_of_texts,
    find_labels,
    is_label,
    require_objects,
    score_number,
    text_id,
    write_text,
)
from fastcausal.tasks.values.reading import ValueReading

OWN = {
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
    "doc_hash", "prompt_hash", "target_hash",
}  # fmt: skip
SAMPLES = "samples_*.jsonl"
NO_FILTER = "none"
PLACEHOLDER = "bypass"
_OF_LABELS = re.compile(r"(?:.*_)?(?:mcc|f1)")  # of a corpus: a document has two labels
_FLAGS = "{0} is lists of booleans, numerator and denominator by themselves: --score {0},{1}"
_NAME = re.compile(r"samples_(?P<task>.+?)_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl")
BATCH = 64  # rows read at a time: some logs have long ones
# Members of a row that hold its texts, and others that nobody asks for; `_Rows` keeps none of them
_TEXTS = ("doc", "target", "arguments", "resps", "filtered_resps", "target_hash")
Row = Mapping[str, Any]
Pruning = tuple[list[bytes], bytes, list[bytes], bytes]  # The arguments of `prune_lines`
Stored = Source | str | os.PathLike[str]  # A file of samples in memory, or on disk


def holds(first: Mapping[str, Any]) -> bool:
    """Return True for results with the samples of each task, as `simple_evaluate` returns them."""
    listed = first.get("samples")
    lists = [*listed.values()] if isinstance(listed, Mapping) else []
    return any(isinstance(rows, list) and rows and is_sample(rows[0]) for rows in lists)


def holds_results(first: Mapping[str, Any]) -> bool:
    """Return True for results without samples."""
    return {"results", "configs", "versions"} <= first.keys() and not holds(first)


def refuse_results(
    file: Source, first: Mapping[str, Any], reading: ValueReading
) -> list[ValueAnswers]:
    """Raise InputError: results are means, and hold no samples."""
    raise InputError(
        f"{file.name}: results of lm-eval without samples, expected {SAMPLES} of --log_samples"
    )


def find_samples(file: IO[bytes]) -> bool:
    """Return True for a file on disk that begins with a row; it is at its start afterwards."""
    line = next(filter(bytes.strip, iter(lambda: file.readline(WINDOW), b"")), b"")
    file.seek(0)
    return is_sample(first_object(Source("", line.removeprefix(UTF8_MARK))))


def open_samples(path: Path) -> Stored:
    """Return the path of a file of samples that is read from disk; load another one."""
    with path.open("rb") as file:
        return path if find_samples(file) else Source.open(path)


def read_files(files: Sequence[Stored], reading: ValueReading) -> ValueAnswers:
    """Return the answers in the samples of one run: a file of one task, or files of a group."""
    rows = _Rows(reading)
    names = [each.name if isinstance(each, Source) else name_of(each) for each in files]
    tasks = [*map(task_of, names)]
    for file, name, task in zip(files, names, tasks, strict=True):
        rows.add_task(
            task if len(files) > 1 else None,
            (f"{name}:", ""),
            _batches(file, rows.pruning),
            partial(_read_again, file),
        )
    name = names[0] if len(names) == 1 else str(Path(names[0]).parent)
    better = [_directions(_results(name), task_of(name)) for name in names]
    return _answers(name, tasks, rows, better, _system(names[0]), reading)


def read_results(
    file: Source, first: Mapping[str, Any], reading: ValueReading
) -> list[ValueAnswers]:
    """Return the answers in results with samples."""
    rows = _Rows(reading)
    tasks = first["samples"]
    for task, listed in tasks.items():
        place = f"{file.name}: samples.{task}"
        held = [row for _, row in require_objects(listed, place)]
        rows.add_task(
            task if len(tasks) > 1 else None,
            (f"{place}[", "]"),
            [(range(len(held)), held)],
            partial(map, held.__getitem__),
        )
    better = [_directions(first, task) for task in tasks]
    system = first.get("model_name")
    system = system if isinstance(system, str) else None
    return [_answers(file.name, [*tasks], rows, better, system, reading)]


def _parts(file: Stored) -> Iterator[Source]:
    """Yield a file of samples, or parts of one on disk."""
    if isinstance(file, Source):
        yield file
        return
    with closing(Lines(local(file))) as lines:
        yield from iter(partial(lines.take, BATCH), None)


def _batches(file: Stored, pruning: Pruning) -> Iterator[tuple[Sequence[int], Sequence[Row]]]:
    """Yield rows with the numbers of their lines; raise FaultsError at the end."""
    problems = Problems()
    for part in _parts(file):
        with pause_gc():
            plain = _native.prune_lines(part.data, *pruning) if is_utf8(part.data) else None
            if plain is None:
                held = [*part.objects(problems)]
                yield [number for number, _ in held], [row for _, row in held]
            else:  # each line is a row
                rows = json.loads(plain)
                yield range(part.first, part.first + len(rows)), rows
    problems.raise_if_any()


def _read_again(file: Stored, rows: Sequence[int]) -> Iterator[Row]:
    """Yield rows whole, by ascending number, of a file that was read before."""
    wanted, start = {*rows}, 0
    for part in _parts(file):
        lines = [*(part.items() if part.is_list else part.filled_lines())]
        for k, (_, line) in enumerate(lines, start):
            if k in wanted:
                yield line if part.is_list else json.loads(line)
        start += len(lines)


class _Rows:
    """Rows of one run by column, without their texts: logs are long."""

    def __init__(self, reading: ValueReading) -> None:
        self._kept = reading.kept_columns
        self._found = reading.found_columns
        paths = [reading.value, reading.numerator, reading.denominator]
        self._paths = {path.partition(".")[0] for path in paths if path} - {"metrics"}
        named = [path.removeprefix("doc.") for path in self._kept]
        asked = self._paths | {path.partition(".")[0] for path in self._kept}
        self.pruning: Pruning = (
            [name.encode() for name in _TEXTS[1:] if name not in asked],
            b"" if "doc" in self._paths else b"doc",
            [*{key.encode() for path in named for key in (path, path.partition(".")[0])}
             | {*map(str.encode, self._found)}],
            b"doc_hash",
        )  # fmt: skip
        # Names of filters, and True for those that are text; names of the scores of a row
        self.filters: dict[tuple[str, bool], int] = {}
        self.names: dict[tuple[str, ...], int] = {}
        # Of each row
        self.ids: list[pa.Array] = []
        self.contents, self.prompts = GrowingStrings(), GrowingStrings()
        self.columns: dict[str, list[pa.Array]] = {key: [] for key in self._kept}
        self.filter_of, self.names_of, self._numbers = array("q"), array("q"), array("q")
        self._cells: list[tuple[int, dict[str, Sequence[Any]]]] = []  # by key, of a batch
        self._labels: list[tuple[int, dict[str, Sequence[Any]]]] = []
        # Of each task: its first row, the text around the number of a row, and its rows again
        self._tasks: list[tuple[int, tuple[str, str], Callable[[Sequence[int]], Iterator[Row]]]]
        self._tasks = []

    def __len__(self) -> int:
        return len(self._numbers)

    def add_task(
        self,
        task: str | None,  # Name in ids and columns; None for the only task
        place: tuple[str, str],
        batches: Iterable[tuple[Sequence[int], Sequence[Row]]],
        again: Callable[[Sequence[int]], Iterator[Row]],
    ) -> None:
        """Add the rows of a task."""
        start, part, has_filter = len(self), len(self.ids), False
        self._tasks.append((start, place, again))
        fault = None
        for batch in batches:
            has_filter = has_filter or any("filter" in row for row in batch[1])
            try:
                if fault is None:
                    self._add(task, place, *batch)
            except InputError as error:  # those of lines come first
                fault = error
        if fault is not None:
            raise fault
        # Before 0.4.6 rows of several filters were told by their order alone: 1, 2 and so on.
        ids = _join(self.ids[part:])
        if not has_filter and len(pc.dictionary_encode(ids).dictionary) < len(ids):
            seen: Counter[str] = Counter()
            for k, id in enumerate(ids.to_pylist(), start):
                seen[id] += 1
                self.filter_of[k] = self.filters.setdefault(
                    (str(seen[id]), True), len(self.filters)
                )

    def _add(
        self, task: str | None, place: tuple[str, str], lines: Sequence[int], rows: Sequence[Row]
    ) -> None:
        before, after = place
        ids = [
            text_id(row.get("doc_id"), f"{before}{line}{after}")
            for line, row in zip(lines, rows, strict=True)
        ]
        ids = ids if task is None else [f"{task}/{id}" for id in ids]
        if self._kept or self._paths:
            rows = [{**row, "": id, "task": task} for row, id in zip(rows, ids, strict=True)]
        self.ids.append(strings(ids))
        self.contents.extend([*map(_content, rows)])
        self.prompts.extend([str(row.get("prompt_hash")) for row in rows])
        for key, column in self.columns.items():
            column.append(strings([write_cell(_place(row, key)) for row in rows]))
        self.filter_of.extend(_number_filter(row, self.filters) for row in rows)
        self.names_of.extend(self.names.setdefault(_names(row), len(self.names)) for row in rows)
        self._numbers.extend(lines)
        keys = (set[str]().union(*rows) - OWN) | self._paths
        self._cells.append((len(rows), {key: _pack([r.get(key) for r in rows]) for key in keys}))
        docs = [doc if isinstance(doc := row.get("doc"), dict) else {} for row in rows]
        labels = {
            key: _pack([v if is_label(v := doc.get(key)) else None for doc in docs])
            for key in (self._found if any(docs) else ())
            if any(key in doc for doc in docs)
        }
        self._labels.append((len(rows), labels))

    def where(self, row: int) -> str:
        """Return the place of a row, for messages."""
        _, (before, after), _ = self._tasks[bisect_right(self._tasks, row, key=itemgetter(0)) - 1]
        return f"{before}{self._numbers[row]}{after}"

    def cells(self, path: str) -> list[Any]:
        """Follow a path into each row."""
        head = path.partition(".")[0]
        cells: list[Any] = []
        for n, batch in self._cells:
            columns = {key: batch[key] for key in (path, head) if key in batch}
            if not columns:
                cells += [None] * n
            elif [*columns] == [path]:
                cells += columns[path]
            else:
                for row in zip(*columns.values(), strict=True):
                    held = {k: v for k, v in zip(columns, row, strict=True) if v is not None}
                    cells.append(follow_path(held, path))
        return cells

    def labels(self) -> list[Mapping[str, Any]]:
        """Return the labels of each row's document that may name its cluster; [] without any."""
        if not any(batch for _, batch in self._labels):
            return []
        labels: list[Mapping[str, Any]] = []
        for n, batch in self._labels:
            rows = zip(*batch.values(), strict=True) if batch else repeat((), n)
            labels += (dict(zip(batch, row, strict=True)) for row in rows)
        return labels

    def again(self, rows: Sequence[int]) -> Iterator[Row]:
        """Read rows again, whole, by ascending number."""
        stops = [*(start for start, *_ in self._tasks[1:]), len(self)]
        for (start, _, again), stop in zip(self._tasks, stops, strict=True):
            yield from again([row - start for row in rows if start <= row < stop])


def _number_filter(row: Row, filters: dict[tuple[str, bool], int]) -> int:
    filter = row.get("filter", NO_FILTER)
    return filters.setdefault((str(filter), isinstance(filter, str)), len(filters))


def _names(row: Row) -> tuple[str, ...]:
    """Return the names of a row's scores."""
    if isinstance(metrics := row.get("metrics"), list):
        return tuple(map(str, metrics))
    return tuple(k for k in row if k not in OWN)


def _pack(cells: list[Any]) -> Sequence[Any]:
    """Return cells in less memory if all are numbers with fractions."""
    return array("d", cells) if {*map(type, cells)} == {float} else cells


def task_of(name: str) -> str:
    """Return the task in the name of a file of samples.

    >>> task_of("out/gpt2/samples_arc_easy_2026-01-02T03-04-05.678.jsonl")
    'arc_easy'
    """
    match = _NAME.fullmatch(Path(name).name)
    return match["task"] if match else Path(name).stem


def _answers(
    name: str,
    tasks: Sequence[str],
    rows: _Rows,
    better: Sequence[Mapping[str, Any]],  # of each task: whether higher is better, by metric
    system: str | None,
    reading: ValueReading,
) -> ValueAnswers:
    reading.refuse(name, "a file of samples", "scorer", "id", "epoch")
    selected = _chosen(name, rows, reading)
    filters = np.frombuffer(rows.filter_of, np.int64)
    asked = [rows.filters.get((filter, True), -1) for _, filter in selected.values()]
    of_rows = _join(rows.ids)
    codes = np.arange(len(of_rows))  # of ids: most logs have each once
    if not are_unique(of_rows):
        codes = values_of(pc.dictionary_encode(of_rows).indices).astype(np.int64)
    fitting = np.flatnonzero(np.isin(filters, asked))[::-1]
    places = np.full(len(codes), -1)
    places[codes[fitting]] = fitting  # of each id the first is written last
    kept = np.sort(places[places >= 0])
    places[codes[kept]] = np.arange(len(kept))
    places = places[codes]  # of each row's id
    ids = _take(of_rows, kept)
    scores = {
        score: _values(rows, np.flatnonzero(filters == code), places, ids, path, filter)
        for (score, (path, filter)), code in zip(selected.items(), asked, strict=True)
    }
    prompts = digest_of_texts(_take(rows.prompts.release(), kept))
    about = {"format": "lm-eval", "prompts": prompts, "task": "+".join(sorted(tasks))}
    labels = rows.labels()
    return ValueAnswers(
        name,
        ids,
        _paired(name, scores, reading),
        lambda k: rows.where(int(kept[k])),
        contents=_take(rows.contents.release(), kept),
        columns={key: _take(_join(column), kept) for key, column in rows.columns.items()}
        | find_labels([labels[row] for row in (kept.tolist() if labels else ())], reading),
        about=about,
        lower=tuple(
            score
            for score in scores
            if any(each.get(score.rpartition(",")[0]) is False for each in better)
        ),
        system=system,
        texts=partial(_texts, rows.again, kept, ids),
    )


def _join(parts: Sequence[pa.Array]) -> pa.Array:
    return joined(pa.chunked_array(parts, pa.string()))


def _take(column: pa.Array, rows: Int64) -> pa.Array:
    return column if len(rows) == len(column) else pc.take(column, numbers(rows))


def _texts(
    again: Callable[[Sequence[int]], Iterator[Row]],
    kept: Int64,
    ids: pa.Array,
    examples: Container[str],
) -> Iterator[Text]:
    """Yield the texts of documents: a prompt, and a reply or the options with their scores."""
    every = zip(kept.tolist(), ids.to_pylist(), strict=True)
    wanted = {row: id for row, id in every if id in examples}
    for id, row in zip(wanted.values(), again([*wanted]), strict=True):
        given = row.get("arguments")
        given = [*given.values()] if isinstance(given, Mapping) else given
        requests = [
            [*each.values()] if isinstance(each, Mapping) else each
            for each in (given if isinstance(given, list) else [])
        ]
        prompts = [each[0] for each in requests if isinstance(each, list) and each]
        prompt = prompts[0] if prompts else row.get("doc")
        texts = map(write_text, (prompt, row.get("target"), _reply(row, requests)))
        yield Text(id, None, *texts)


def _reply(row: Row, requests: Sequence[Any]) -> Any:
    """Return the reply to one request; of several, each option with its scores."""
    options = [each[-1] for each in requests if isinstance(each, list) and len(each) > 1]
    replies = row.get("filtered_resps") or row.get("resps")
    if len(options) < 2 or not isinstance(replies, list) or len(replies) != len(options):
        return reply_of(row, Counter())
    pairs = zip(options, replies, strict=True)
    return [f"{write_text(option)}: {write_text(reply)}" for option, reply in pairs]


def _system(name: str) -> str | None:
    """Return the folder's name as the run's name, if the samples have the harness's file names."""
    path = Path(name)
    return path.parent.name or None if _NAME.fullmatch(path.name) else None


def _content(row: Row) -> str:
    digest = row.get("doc_hash")
    return digest if isinstance(digest, str) else digest_of(row.get("doc"), row.get("target"))


def _place(row: Row, key: str) -> Any:
    """Return a key of the document, or a column of the row: ``subject``, ``doc.subject``."""
    value = follow_path(row.get("doc"), key.removeprefix("doc."))
    return follow_path(row, key) if value is None else value


def _chosen(name: str, rows: _Rows, reading: ValueReading) -> dict[str, tuple[str, str]]:
    """Return the path and the filter of each requested score."""
    known: dict[str, tuple[str, str]] = {}
    filters: dict[str, None] = {}
    all_names, all_filters = [*rows.names], [filter for filter, _ in rows.filters]
    for names, number in dict.fromkeys(zip(rows.names_of, rows.filter_of, strict=True)):
        filter = all_filters[number]
        filters[filter] = None
        for metric in all_names[names]:
            if metric not in ("", "task"):
                known.setdefault(f"{metric},{filter}", (metric, filter))

    def is_asked(score: str) -> bool:
        metric, filter = known[score]
        return reading.metric in (None, metric) and reading.filter in (None, filter)

    if reading.is_ratio or reading.value is not None:
        parts = [reading.numerator or "", reading.denominator or ""]
        paths = [reading.value] if reading.value else parts
        filter = _filter(name, filters, reading)
        return {f"{path},{filter}": (path, filter) for path in paths}
    return {score: known[score] for score in chosen(name, known, reading, is_asked)}


def _filter(name: str, filters: Mapping[str, None], reading: ValueReading) -> str:
    wanted = reading.filter or (reading.scores[0].rpartition(",")[2] if reading.scores else None)
    if wanted is None and len(filters) == 1:
        return next(iter(filters))
    if wanted not in filters:
        raise InputError(
            f"{name}: {len(filters)} filters, name one with --filter: {', '.join(filters)}"
        )
    assert wanted is not None
    return wanted


def _values(
    rows: _Rows, scored: Int64, places: Int64, ids: pa.Array, path: str, filter: str
) -> tuple[Float64, Float64 | None]:
    """Return a score of each document, NaN if missing, and denominators for lists of booleans."""
    # ``scored``: the rows of the filter. ``places``: the document of each row.
    metric = re.sub(r"\.\d+$", "", path)
    found = rows.cells(path)
    whole = found if metric == path else rows.cells(metric)
    cells: list[Any] = [None] * len(ids)
    seen_at = array("q", [-1]) * len(ids)
    for row, k in zip(scored.data, places[scored].data, strict=True):
        if seen_at[k] >= 0:
            raise InputError(f'{rows.where(row)}: id "{ids[k]}" occurs twice with filter {filter}')
        seen_at[k], cells[k] = row, found[row]
        if problem := _no_number(metric, filter, whole[row], is_part=metric != path):
            raise InputError(f"{rows.where(row)}: {problem}")
    if (flags := flags_of(cells)) is not None:
        return flags
    try:
        return np.array([*map(number_of, cells)], np.float64), None
    except ValueError:
        for row, cell, id in zip(seen_at, cells, ids, strict=True):
            score_number(cell, "" if row < 0 else rows.where(row), id, path)
        raise


def _no_number(metric: str, filter: str, value: Any, is_part: bool) -> str | None:
    """Tell why a metric, or a part of it, is no number of a document; None for other metrics."""
    if metric == PLACEHOLDER:
        return (
            f"{metric} is the placeholder {shown(value)} of --predict_only, no score: "
            "fastcausal score GOLD FILE scores the replies"
        )
    if isinstance(value, list) and len(value) == 2 and _OF_LABELS.fullmatch(metric):
        return (
            f"{metric} is {shown(value)}, the labels of gold and prediction: write them as label "
            "of two files for fastcausal classify GOLD PRED"
        )
    return _FLAGS.format(metric, filter) if is_part and is_flags(value) else None


def _paired(
    name: str, scores: Mapping[str, tuple[Float64, Float64 | None]], reading: ValueReading
) -> Mapping[str, tuple[Float64, Float64 | None]]:
    if not reading.is_ratio:
        return scores
    (top, (a, of_a)), (_, (b, of_b)) = scores.items()
    if of_a is not None or of_b is not None:
        metric, _, filter = top.rpartition(",")
        raise InputError(f"{name}: {_FLAGS.format(metric, filter)}")
    return {reading.scores[0] if reading.scores else _ratio_name(reading, top): (a, b)}


def _ratio_name(reading: ValueReading, top: str) -> str:
    return f"{reading.numerator}/{reading.denominator},{top.rpartition(',')[2]}"


def _directions(results: Any, task: str) -> Mapping[str, Any]:
    """Return whether higher is better in results, by metric of a task."""
    better = follow_path(results, "higher_is_better")
    own = better.get(task) if isinstance(better, Mapping) else None
    return own if isinstance(own, Mapping) else {}


def _results(name: str) -> Any:
    match = _NAME.fullmatch(Path(name).name)
    if match is None:
        return None
    path = Path(name).with_name(f"results_{match['date']}.json")
    if not path.is_file():
        return None
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: results that cannot be read: {error}") from error

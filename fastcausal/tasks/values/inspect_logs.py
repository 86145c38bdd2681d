"""Logs of inspect-ai: ``.eval`` zips and their JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import IO, Any, NamedTuple

import pyarrow as pa

from fastcausal.arrays.arrow import strings
from fastcausal.arrays.strata import name_cluster
from fastcausal.errors import InputError, Remedy, Warnings, invalid_json
from fastcausal.files.json_stream import JsonStream
from fastcausal.files.packed import local
from fastcausal.files.values import follow_path, shown, write_cell
from fastcausal.files.zips import Archive
from fastcausal.formats.logs.inspect_ai import (
    HEADER,
    SAMPLES,
    START,
    SUMMARIES,
    archived_samples,
    json_in,
)
from fastcausal.formats.logs.replies import reply_of
from fastcausal.formats.reading.builder import UnreadError
from fastcausal.significance.sums import Float64
from fastcausal.tasks.values.answers import Text, ValueAnswers
from fastcausal.tasks.values.logs import (
    chosen,
    digest_of,
    find_labels,
    is_label,
    is_long,
    require,
    score_number,
    text_id,
    write_text,
)
from fastcausal.tasks.values.reading import ValueReading

MAX_EPOCH = 2**31  # epochs, so that they fit into a column
# Members of a sample that comparisons need
MEMBERS = b"id epoch input target scores metadata attachments error limit".split()
COMPARED = 1000  # characters of a text: summaries cut longer ones


class Sample(NamedTuple):
    """The part of a sample that comparisons need: values of scores, and metadata to keep."""

    id: str
    epoch: int
    scores: Mapping[str, Any]
    metadata: Mapping[str, Any]
    content: str
    error: bool
    limit: bool


def read_archive(archive: Archive, reading: ValueReading) -> ValueAnswers:
    """Return the answers in a ``.eval`` file."""
    name = archive.name
    if HEADER not in archive.names:
        start = require(json_in(archive, START), name)
        n = sum(path.startswith(SAMPLES) for path in archive.names)
        raise _unfinished(name, {**start, "status": "started"}, n)
    header = require(json_in(archive, HEADER), f"{name}/{HEADER}")
    if SUMMARIES in archive.names:
        listed = json_in(archive, SUMMARIES)
        if not isinstance(listed, list):
            raise InputError(f"{name}/{SUMMARIES}: expected a list of samples")
        samples = [
            _sample(each, f"{name}/{SUMMARIES}: row {k}", reading) for k, each in enumerate(listed)
        ]
        if any(
            _is_thinned(sample.metadata, key) for sample in samples for key in reading.kept_columns
        ):
            whole = {(each.id, each.epoch): each.metadata for each in _whole(archive, reading)}
            samples = [
                each._replace(metadata=whole.get((each.id, each.epoch), {})) for each in samples
            ]
    else:
        samples = [*_whole(archive, reading)]
    return _answers(name, header, samples, reading, partial(_archived_texts, name))


def _whole(archive: Archive, reading: ValueReading) -> Iterator[Sample]:
    """Read samples one at a time."""
    n = sum(path.startswith(SAMPLES) for path in archive.names)
    for k, (where, sample) in enumerate(archived_samples(archive, MEMBERS)):
        yield _sample(sample, where, reading)
        reading.report(k + 1, n)


def _is_thinned(metadata: Mapping[str, Any], key: str) -> bool:
    return is_long(metadata.get(key, metadata.get(key.partition(".")[0])))


def read_document(name: str, file: IO[bytes], reading: ValueReading) -> ValueAnswers:
    """Return the answers in the JSON of a log; samples are decoded one at a time."""
    header: dict[str, Any] = {}
    samples: list[Sample] = []
    stream = JsonStream(name, file)
    try:
        for key in stream.names():
            if key == "samples" and stream.peek() == "[":
                total = _n_expected(header)
                for k, each in enumerate(stream.items()):
                    samples.append(_sample(each, f"{name}: samples[{k}]", reading))
                    reading.report(k + 1, total)
            else:
                header[key] = stream.value()
        stream.require_end()
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(invalid_json(name, error)) from error
    data = file.getvalue() if isinstance(file, BytesIO) else None
    return _answers(name, header, samples, reading, partial(_texts_in_document, name, data))


def _sample(record: Any, where: str, reading: ValueReading) -> Sample:
    """Return the part of a sample that comparisons need; the whole may be large."""
    record = require(record, where)
    epoch = record.get("epoch", 1)
    if not isinstance(epoch, int) or isinstance(epoch, bool) or not 0 <= epoch < MAX_EPOCH:
        raise InputError(f'{where}: "epoch" is {shown(epoch)}, expected a small integer')
    attached = record.get("attachments")
    content = digest_of(
        _input(record.get("input"), attached), _texts(record.get("target"), attached)
    )
    return Sample(
        text_id(record.get("id"), where),
        epoch,
        {
            scorer: score.get("value") if isinstance(score, Mapping) else score
            for scorer, score in require(record.get("scores") or {}, f"{where}: scores").items()
        },
        {
            key: _keep(key, value, reading)
            for key, value in require(record.get("metadata") or {}, f"{where}: metadata").items()
        },
        content,
        bool(record.get("error")),
        bool(record.get("limit")),
    )


def _keep(key: str, value: Any, reading: ValueReading) -> Any:
    """Return a value of metadata if its key is kept; a long one only if its key is named."""
    if reading.is_kept(key):
        return value
    return value if key in reading.found_columns and is_label(value) else None


def _input(value: Any, attached: Any, most: int | None = COMPARED) -> Any:
    """Return a text, or the roles and texts of messages, cut as in summaries."""
    if not isinstance(value, list):
        return _texts(value, attached, most)
    return [
        [message.get("role"), _content(message.get("content"), attached, most)]
        for message in value
        if isinstance(message, dict)
    ]


def _content(value: Any, attached: Any, most: int | None) -> Any:
    if not isinstance(value, list):
        return _texts(value, attached, most)
    parts = [part for part in value if isinstance(part, dict)]
    return [
        _texts(part.get("text"), attached, most)
        if part.get("type") == "text"
        else f"({str(part.get('type')).capitalize()})"
        for part in parts
    ]


def _texts(value: Any, attached: Any, most: int | None = COMPARED) -> Any:
    """Cut texts to the length in summaries; put attachments in their places."""
    if isinstance(value, list):
        return [_texts(each, attached, most) for each in value]
    if not isinstance(value, str):
        return value
    if value.startswith("attachment://") and isinstance(attached, dict):
        value = str(attached.get(value.removeprefix("attachment://"), value))
    return value[:most]


def texts_of(samples: Iterable[tuple[str, Any]], examples: Container[str]) -> Iterator[Text]:
    """Yield the texts of the samples of some examples."""
    for where, sample in samples:
        row = require(sample, where)
        if (id := text_id(row.get("id"), where)) in examples:
            attached = row.get("attachments")
            asked = _input(row.get("input"), attached, None)
            if isinstance(asked, list):
                messages = [(role, write_text(content)) for role, content in asked]
                asked = "\n\n".join(f"{role}: {content}" for role, content in messages)
            try:
                reply = reply_of(row, Counter())
            except UnreadError as error:
                reply = str(error)
            target = write_text(_texts(row.get("target"), attached, None))
            yield Text(id, row.get("epoch", 1), write_text(asked), target, write_text(reply))


def _archived_texts(name: str, examples: Container[str]) -> Iterator[Text]:
    """Open an archive again, and yield the texts of some examples."""
    with Path(local(name)).open("rb") as file:
        archive = Archive(name, file=file, is_log=True)
        yield from texts_of(archived_samples(archive), examples)


def _texts_in_document(name: str, data: bytes | None, examples: Container[str]) -> Iterator[Text]:
    """Read a document again, from disk unless its data are in memory."""
    with Path(local(name)).open("rb") if data is None else BytesIO(data) as file:
        stream = JsonStream(name, file)
        for key in stream.names():
            if key == "samples" and stream.peek() == "[":
                samples = ((f"{name}: samples[{k}]", row) for k, row in enumerate(stream.items()))
                yield from texts_of(samples, examples)
            else:
                stream.value()


def _answers(
    name: str,
    header: Mapping[str, Any],
    samples: list[Sample],
    reading: ValueReading,
    texts: Callable[[Container[str]], Iterator[Text]],
) -> ValueAnswers:
    reading.refuse(name, "a log of inspect", "filter", "id", "epoch")
    run = require(header.get("eval") or {}, f"{name}: eval")
    status = header.get("status")
    if status == "started" or (status != "success" and reading.missing == "error"):
        raise _unfinished(name, header, len(samples))
    if not samples:
        raise InputError(f"{name}: a log without samples")
    values = {score: _values(name, samples, score) for score in _chosen(name, samples, reading)}
    numbers = {
        score: [
            score_number(value, f"{name}", sample.id, score)
            for value, sample in zip(column, samples, strict=True)
        ]
        for score, column in values.items()
    }
    return ValueAnswers(
        name,
        strings([sample.id for sample in samples]),
        _columns(numbers, reading),
        lambda row: f"{name}: sample {row}",
        pa.array([sample.epoch for sample in samples], pa.int64()),
        [sample.error for sample in samples],
        [sample.limit for sample in samples],
        strings([sample.content for sample in samples]),
        _keep_columns(name, samples, reading),
        _about(run),
        system=str(run["model"]) if run.get("model") else None,
        warnings=_cluster_note(name, header, reading),
        texts=texts,
    )


def _columns(
    numbers: Mapping[str, list[float]], reading: ValueReading
) -> dict[str, tuple[Float64, Float64 | None]]:
    import numpy as np

    arrays = {score: np.array(column, np.float64) for score, column in numbers.items()}
    if not reading.is_ratio:
        return {score: (column, None) for score, column in arrays.items()}
    top, bottom = arrays.values()
    name = reading.scores[0] if reading.scores else f"{reading.numerator}/{reading.denominator}"
    return {name: (top, bottom)}


def _chosen(name: str, samples: list[Sample], reading: ValueReading) -> list[str]:
    if reading.is_ratio:
        assert reading.numerator is not None
        assert reading.denominator is not None
        return [reading.numerator, reading.denominator]
    if reading.value is not None:
        return [reading.value]
    known: dict[str, None] = {}
    for sample in samples:
        for scorer, value in sample.scores.items():
            known |= dict.fromkeys(_names(scorer, value))

    def is_asked(score: str) -> bool:
        scorer, _, rest = score.partition(".")
        return reading.scorer in (None, scorer, score) and reading.metric in (None, rest, score)

    return chosen(name, known, reading, is_asked)


def _names(scorer: str, value: Any) -> list[str]:
    """Name the scores of a scorer: one for each key of an object and each place of a list."""
    if isinstance(value, Mapping):
        return [f"{scorer}.{key}" for key in value]
    if isinstance(value, list):
        return [f"{scorer}.{k}" for k in range(len(value))]
    return [scorer]


def _values(name: str, samples: list[Sample], score: str) -> list[Any]:
    values = []
    for sample in samples:
        scorer = score
        while scorer not in sample.scores and "." in scorer:
            scorer = scorer.rpartition(".")[0]
        value = sample.scores.get(scorer)
        rest = score[len(scorer) + 1 :]
        values.append(follow_path(value, rest) if rest else value)
    return values


def _keep_columns(name: str, samples: list[Sample], reading: ValueReading) -> dict[str, pa.Array]:
    columns = {}
    for key in reading.kept_columns:
        values = [write_cell(follow_path(sample.metadata, key)) for sample in samples]
        if not any(value is not None for value in values):
            known = sorted({key for sample in samples for key in sample.metadata})
            raise InputError(
                f'{name}: no metadata "{key}", expected one of: {", ".join(known) or "none"}'
            )
        columns[key] = strings(values)
    return columns | find_labels([sample.metadata for sample in samples], reading)


def _about(run: Mapping[str, Any]) -> dict[str, Any]:
    about = {"format": "inspect"}
    for name, key in (("model", "model"), ("task", "task"), ("version", "task_version")):
        if run.get(key) is not None:
            about[name] = str(run[key])
    return about


def _cluster_note(name: str, header: Mapping[str, Any], reading: ValueReading) -> Warnings:
    """Return a note on the cluster of the log's own standard errors, unless a cluster is given."""
    scores = follow_path(header, "results.scores")
    metrics = (
        [follow_path(score, "metrics") for score in scores] if isinstance(scores, list) else []
    )
    clusters = {
        cluster
        for named in metrics
        if isinstance(named, Mapping)
        for metric in named.values()
        if isinstance(cluster := follow_path(metric, "params.cluster"), str)
    }
    first = min(clusters, default="")
    if not clusters or name_cluster(reading.cluster) or first in reading.found_columns:
        return {}
    return {(f"{name}: the log has clustered standard errors ({first}): --cluster {first}",): ()}


def _unfinished(name: str, header: Mapping[str, Any], n: int) -> InputError:
    n_expected = _n_expected(header)
    of = "" if n_expected is None else f" of {n_expected}"
    status = header.get("status")
    remedy = None
    if status in ("error", "cancelled"):
        remedy = Remedy("missing", ("skip", "zero"), "would take the samples that ended")
    return InputError(
        f"{name}: log not finished: status {status}, {n}{of} samples, expected success", remedy
    )


def _n_expected(header: Mapping[str, Any]) -> int | None:
    """Return the number of samples of a finished log; None if unknown."""
    n_examples, epochs = (
        follow_path(header, f"eval.{key}") for key in ("dataset.samples", "config.epochs")
    )
    if not isinstance(n_examples, int):
        return None
    return n_examples * (epochs if isinstance(epochs, int) and epochs else 1)

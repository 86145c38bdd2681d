"""Label Studio: a JSON list of tasks, with the annotations that people made of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fastcausal.errors import InputError, Problems, invalid_json
from fastcausal.formats.annotation.links import Document, relations_of
from fastcausal.formats.annotation.passages import Bounds
from fastcausal.formats.annotation.tasks import NUMBER, Task, objects_of, value_of
from fastcausal.formats.io.files import Source
from fastcausal.formats.io.format import Format
from fastcausal.formats.io.values import JSON, kind, shown
from fastcausal.relations import Relations

MOST_HEAD = 1 << 16  # bytes in which the first task of an export says what it is


def read(source: Source) -> Relations:
    """Read a JSON export of Label Studio that one annotator made.

    Returns
    -------
    Relations
        An example per task, see `fastcausal.formats.annotation.links.relations_of`, its id that of
        the task. The annotator is the email address, else the number, of who completed it;
        further keys of its data are columns. What was cancelled, predictions and results of other
        kinds are left out.

    Raises
    ------
    InputError
        It is another export, or has the annotations of several.
    """
    return relations_of(source.name, documents(source))


def documents(source: Source) -> list[Document]:
    """Return a document for each annotation of each task."""
    try:
        tasks = JSON.decode(source.text)
    except InputError as error:
        raise InputError(f"{source.name}: {error}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(invalid_json(source.name, error)) from error
    if not isinstance(tasks, list):
        raise InputError(f"{source.name}: {kind(tasks)}, expected a list of Label Studio's tasks")
    problems = Problems()
    marked: list[Document] = []
    for number, task in enumerate(tasks):
        try:
            marked += _annotated(source.name, task)
        except InputError as error:
            problems.add(f"{source.name}: task {number}: {error}")
    problems.raise_if_any()
    if not marked:
        raise InputError(f"{source.name}: a Label Studio export in which no task is annotated")
    return marked


def _annotated(file: str, task: Any) -> Iterator[Document]:
    if not isinstance(task, dict) or "data" not in task or "annotations" not in task:
        raise InputError(
            'a Label Studio export without relations: expected the export "JSON", with "data" and '
            '"annotations" in each task'
        )
    data, name = value_of(task, "data", dict), str(value_of(task, "id", *NUMBER))
    for annotation in objects_of(task, "annotations"):
        if annotation.get("was_cancelled"):
            continue
        results = objects_of(annotation, "result")
        text_key = _text_key(data, results)
        columns = {key: value for key, value in data.items() if key != text_key}
        text = data[text_key]
        built = Task(file, name, _annotator(annotation, file), text, columns)
        for result in results:
            _add_result(built, text, result)
        for result in results:
            if result.get("type") == "relation":
                ends = [value_of(result, end, *NUMBER) for end in ("from_id", "to_id")]
                ends = ends[::-1] if result.get("direction") == "left" else ends
                built.link(f"{ends[0]} to {ends[1]}", *ends)
        yield built.document()


def _annotator(annotation: Mapping[str, Any], file: str) -> str:
    by = annotation.get("completed_by")
    if isinstance(by, dict):
        by = by.get("email") or by.get("id")
    return str(by) if isinstance(by, NUMBER) else Path(file).stem


def _text_key(data: Mapping[str, Any], results: list[dict[str, Any]]) -> str:
    """Return the key of the text: the only one, else ``text``."""
    texts = [key for key, value in data.items() if isinstance(value, str)]
    if "text" in texts or len(texts) == 1:
        return "text" if "text" in texts else texts[0]
    raise InputError(f'"data" has {len(texts)} texts ({", ".join(texts):.100}) and none is "text"')


def _add_result(task: Task, text: str, result: Mapping[str, Any]) -> None:
    kind_of = result.get("type")
    if kind_of == "relation":
        return
    if kind_of != "labels":
        task.notes[f"result of type {kind_of}"] += 1
        return
    value = value_of(result, "value", dict)
    labels = value.get("labels") or [None]
    if not isinstance(labels, list) or len(labels) > 1 or not isinstance(labels[0], str | None):
        raise InputError(f'"labels" of a span is {shown(labels)}, expected one')
    start, stop = value_of(value, "start", int), value_of(value, "end", int)
    bounds = _placed(text, start, stop, value.get("text"))
    task.mark(value_of(result, "id", *NUMBER), labels[0], *bounds)


def _placed(text: str, start: int, stop: int, said: Any) -> Bounds:
    """Return the characters of a span: the browser counts UTF-16 units, the server characters."""
    if not isinstance(said, str) or not 0 <= start <= stop:
        return start, stop
    wanted = said.replace("\\n", "\n").split()
    if text[start:stop].split() == wanted:
        return start, stop
    wide = text.encode("utf-16-le")
    ends = [len(wide[: 2 * end].decode("utf-16-le", "replace")) for end in (start, stop)]
    if text[ends[0] : ends[1]].split() == wanted:
        return ends[0], ends[1]
    raise InputError(f"a span is {shown(said)}, but its characters are {shown(text[start:stop])}")


def sniff(source: Source) -> bool:
    """Tell whether a file is a list of tasks; that of another export is refused when it is read."""
    head = source.data[:MOST_HEAD].lstrip()
    if not head.startswith((b"[{", b"[\n", b"[ ", b"[\r")):
        return False
    return b'"annotations"' in head or b'"annotation_id"' in head or b'"completions"' in head


FORMAT = Format(
    "label-studio",
    read,
    folder=(".json",),
    sniff=sniff,
    documents=documents,
    empty=False,
)

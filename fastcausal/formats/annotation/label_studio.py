"""Label Studio: a JSON list of tasks, with the annotations that people made of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fastcausal.errors import InputError, Problems, invalid_json
from fastcausal.formats.annotation.layers import utf16_positions
from fastcausal.formats.annotation.links import Document, relations_of
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
        labels = [result for result in results if result.get("type") == "labels"]
        _add_regions(built, text, list(map(_region, labels)))
        for result in results:
            if result.get("type") == "relation":
                ends = [value_of(result, end, *NUMBER) for end in ("from_id", "to_id")]
                ends = ends[::-1] if result.get("direction") == "left" else ends
                built.link(f"{ends[0]} to {ends[1]}", *ends)
            elif result.get("type") != "labels":
                built.notes[f"result of type {result.get('type')}"] += 1
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


class Region(NamedTuple):
    """A span as the file has it."""

    id: Any
    label: str | None
    start: int
    stop: int
    text: str | None


def _region(result: Mapping[str, Any]) -> Region:
    value = value_of(result, "value", dict)
    labels = value.get("labels") or [None]
    if not isinstance(labels, list) or len(labels) > 1 or not isinstance(labels[0], str | None):
        raise InputError(f'"labels" of a span is {shown(labels)}, expected one')
    start, stop = value_of(value, "start", int), value_of(value, "end", int)
    said = value.get("text")
    id = value_of(result, "id", *NUMBER)
    return Region(id, labels[0], start, stop, said if isinstance(said, str) else None)


def _add_regions(task: Task, text: str, regions: Sequence[Region]) -> None:
    """Add spans, whose offsets count characters, or UTF-16 units as browsers do."""
    counts = (range(len(text) + 1), utf16_positions(text))
    fitting = (at for at in counts if all(_fits(text, at, region) for region in regions))
    positions = next(fitting, counts[0])
    for region in regions:
        if region.stop >= len(positions) or _fits(text, positions, region):
            bounds = [positions[k] if 0 <= k < len(positions) else k for k in region[2:4]]
            task.mark(region.id, region.label, bounds[0], bounds[1])
        else:
            there = text[max(0, region.start) : region.stop]
            raise InputError(
                f"a span is {shown(region.text)}, but its characters are {shown(there)}"
            )


def _fits(text: str, positions: Sequence[int], region: Region) -> bool:
    """Tell whether a span is in the text, and marks what the file says; white space is free."""
    if not 0 <= region.start <= region.stop < len(positions):
        return False
    if region.text is None:
        return True
    words = text[positions[region.start] : positions[region.stop]].split()
    return words in (region.text.split(), region.text.replace("\\n", "\n").split())


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

"""Label Studio: a JSON list of tasks with their annotations."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import eq
from pathlib import Path
from typing import Any, NamedTuple

from fastcausal.arrays.arrow import drop_columns
from fastcausal.arrays.unparsed import UNPARSED
from fastcausal.errors import InputError, Problems, invalid_json
from fastcausal.files.files import Source, replacing
from fastcausal.files.values import JSON, JsonTexts, kind, require, shown
from fastcausal.formats.annotation.drawing import DrawnExample, drawn, types_column
from fastcausal.formats.annotation.faults import Faults, UnplacedError
from fastcausal.formats.annotation.hypertext import ShownText
from fastcausal.formats.annotation.layers import utf16_positions, utf16_units
from fastcausal.formats.annotation.links import Document, relations_of
from fastcausal.formats.annotation.tasks import NUMBER, AnnotatedText
from fastcausal.formats.reading.builder import messages
from fastcausal.marking import MARKING, Marking
from fastcausal.relations import Relations

TEXT, NOTHING = (str, type(None)), type(None)
MODEL = "fastcausal"
WRITTEN = ("id", "text", "length", "relations", "tagged", "annotator", UNPARSED)
SHAPE = {"id": NUMBER, "data": dict, "annotations": [{"result": [dict]}]}
HYPERTEXT, OFFSETS = "hypertextlabels", "globalOffsets"
IN_HYPERTEXT = {"id": NUMBER, "value": {OFFSETS: {"start": int, "end": int}}}
# By type; results of other types are only counted.
RESULTS: dict[str, Any] = {
    "labels": {
        "id": NUMBER,
        "value": {"start": int, "end": int, "labels?": (list, NOTHING)},
    },
    "relation": {
        "from_id": NUMBER,
        "to_id": NUMBER,
        "direction?": TEXT,
        "labels?": (list, NOTHING),
    },
}
UNSEEN = "task without annotation left out"
CANCELLED = "cancelled annotation left out"
FOLDED = "text whose offsets count each line end as one character"
MAX_HEAD = 1 << 16  # bytes in which the first task reveals the kind of export


def read(
    source: Source,
    marking: Marking = MARKING,
) -> Relations:
    """Read one annotator's JSON export of Label Studio."""
    # An example per task, see
    # `fastcausal.formats.annotation.links.relations_of`, with the task's id. The annotator is the
    # email address, else the number, of its author; other keys of its data are columns. An
    # annotation without results is an example without relations. Cancelled annotations, tasks
    # without annotation and results of other kinds are counted in ``reading.notes``; predictions
    # beside annotations are ignored. A task without the key ``annotations`` has predictions alone,
    # as `write` makes them.
    return relations_of(source.name, documents(source, marking))


def documents(source: Source, marking: Marking = MARKING) -> list[Document]:
    """Return a document per annotation; ignored tasks and annotations give one without text."""
    try:
        tasks = JSON.decode(source.text)
    except InputError as error:
        raise InputError(f"{source.name}: {error}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(invalid_json(source.name, error)) from error
    if not isinstance(tasks, list):
        raise InputError(f"{source.name}: {kind(tasks)}, expected a list of Label Studio's tasks")
    faults = Faults()
    marked: list[Document] = []
    in_hypertext = f'"{OFFSETS}"' in source.text
    for number, task in enumerate(tasks):
        try:
            marked += _annotated(source.name, task, marking, in_hypertext)
        except InputError as error:
            faults.note(f"{source.name}: task {number}", error)
    faults.raise_if_any()
    if all(document.notes[UNSEEN] or document.notes[CANCELLED] for document in marked):
        raise InputError(f"{source.name}: a Label Studio export in which no task is annotated")
    return marked


def _annotated(file: str, task: Any, marking: Marking, in_hypertext: bool) -> Iterator[Document]:
    if isinstance(task, dict) and "annotations" not in task and "predictions" in task:
        task = {**task, "annotations": task["predictions"]}  # as `write` makes it
    if not isinstance(task, dict) or "data" not in task or "annotations" not in task:
        minimal = " (JSON-MIN)" if isinstance(task, dict) and "annotation_id" in task else ""
        raise InputError(
            f'a Label Studio export without relations{minimal}: expected the export "JSON", with '
            '"data" and "annotations" in each task'
        )
    require(task, SHAPE)
    data, name = task["data"], str(task["id"])
    if not task["annotations"]:
        yield Document.make_empty(file, name, "", UNSEEN)
    for annotation in task["annotations"]:
        annotator = _annotator(annotation, file)
        if annotation.get("was_cancelled"):
            yield Document.make_empty(file, name, annotator, CANCELLED)
            continue
        by_type = _group_by_type(annotation["result"])
        text_key = _text_key(data)
        columns = {key: value for key, value in data.items() if key != text_key}
        hypertext, spans = by_type.pop(OFFSETS, []), by_type.pop("labels", [])
        shown_alone = hypertext or (in_hypertext and not spans)  # by all annotators alike
        text = ShownText(data[text_key]) if shown_alone else PlainText(data[text_key])
        built = AnnotatedText(file, name, annotator, text.text, columns, marking)
        _add_regions(built, text, [_region(each) for each in (*spans, *hypertext)])
        for result in by_type.pop("relation", ()):
            ends = result["from_id"], result["to_id"]
            direction = result.get("direction")
            ends = ends[::-1] if direction == "left" else ends
            is_both = direction == "bi" and marking.link  # elsewhere labels decide
            for type in result.get("labels") or [None]:
                for source, target in (ends, ends[::-1])[: 1 + bool(is_both)]:
                    built.link(source, target, None if type is None else str(type))
        built.notes.update({f"result of type {type}": len(all) for type, all in by_type.items()})
        yield built.document()


def _group_by_type(results: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Group results by type; check the shape of known types."""
    by_type: dict[str, list[dict[str, Any]]] = {}
    for k, result in enumerate(results):
        type = result.get("type")
        name = type if isinstance(type, str) else shown(type)
        if _is_in_hypertext(name, result.get("value")):
            require(result, IN_HYPERTEXT, "result", k)
            name = OFFSETS
        else:
            require(result, RESULTS.get(name, {}), "result", k)
        by_type.setdefault(name, []).append(result)
    return by_type


def _is_in_hypertext(type: str, value: Any) -> bool:
    """Return True for a span whose own offsets count within elements, and others in the text."""
    if type not in ("labels", HYPERTEXT) or not isinstance(value, dict) or OFFSETS not in value:
        return False
    return not isinstance(value.get("start"), int)


def _annotator(annotation: Mapping[str, Any], file: str) -> str:
    by = annotation.get("completed_by")
    if isinstance(by, dict):
        by = by.get("email") or by.get("id")
    return str(by) if isinstance(by, NUMBER) else Path(file).stem


def _text_key(data: Mapping[str, Any]) -> str:
    """Return the key of the text: the only key, else ``text``."""
    texts = [key for key, value in data.items() if isinstance(value, str)]
    if "text" in texts or len(texts) == 1:
        return "text" if "text" in texts else texts[0]
    raise InputError(f'"data" has {len(texts)} texts ({", ".join(texts):.100}) and none is "text"')


class Region(NamedTuple):
    """A span in the file's form."""

    id: Any
    label: str | None
    start: int
    stop: int
    text: str | None


def _region(result: Mapping[str, Any]) -> Region:
    value = result["value"]
    labels = value.get("labels") or value.get(HYPERTEXT) or [None]
    if len(labels) > 1 or not isinstance(labels[0], str | None):
        raise InputError(f'"labels" of a span is {shown(labels)}, expected one')
    said = value.get("text")
    text = said if isinstance(said, str) else None
    place = value if isinstance(value.get("start"), int) else value[OFFSETS]
    return Region(result["id"], labels[0], place["start"], place["end"], text)


class PlainText(NamedTuple):
    """A text whose characters are counted as they are."""

    text: str

    def places(self) -> Iterator[Sequence[int]]:
        """Yield the place of each counted character and of the end."""
        yield range(len(self.text) + 1)


def _add_regions(
    task: AnnotatedText, shown_text: PlainText | ShownText, regions: Sequence[Region]
) -> None:
    """Add spans with offsets in UTF-16 units, as browsers count, or in characters."""
    # If the texts of the spans fit both, those that fit without stripping white space decide. A
    # browser may count a line end of two characters as one.
    text = shown_text.text
    characters = range(len(text) + 1)
    fitting = (
        (positions, is_folded)
        for is_folded in (False, True)[: 1 + ("\r\n" in text)]
        for same in (eq, _has_words, *([_has_letters] if isinstance(shown_text, ShownText) else []))
        for places in shown_text.places()
        for positions in _positions(text, places, is_folded)
        if all(_fits(text, positions, region, same) for region in regions)
    )
    positions, is_folded = next(fitting, (None, False))
    task.notes[FOLDED] += is_folded
    for region in regions:
        if positions is not None:
            start, stop = positions[region.start], positions[region.stop]
            task.mark(region.id, region.label, start, stop)
            continue
        outside = not 0 <= region.start <= region.stop <= len(text)
        if outside or _fits(text, characters, region, _has_words):
            task.mark(region.id, region.label, region.start, region.stop)
        else:
            there = text[max(0, region.start) : region.stop]
            said = f"a span is {shown(region.text)}, but its characters are {shown(there)}"
            task.misplace(UnplacedError(said))


def _fits(
    text: str, positions: Sequence[int], region: Region, same: Callable[[str, str], bool]
) -> bool:
    """Return True if a span's position holds its text."""
    if not 0 <= region.start <= region.stop < len(positions):
        return False
    there = text[positions[region.start] : positions[region.stop]]
    return region.text is None or any(
        same(there, said) or same(there.replace("\r\n", "\n"), said)
        for said in (region.text, region.text.replace("\\n", "\n"))
    )


def _positions(text: str, places: Sequence[int], is_folded: bool) -> Iterator[Sequence[int]]:
    """Yield the place at each offset, in UTF-16 units and in characters."""
    if is_folded:
        places = [k for k in places if text[k - 1 : k + 1] != "\r\n"]
    yield (
        utf16_positions(text)
        if len(places) > len(text)
        else [place for place in places[:-1] for _ in range(1 + (text[place] > "\uffff"))]
        + [places[-1]]
    )
    yield places


def _has_words(there: str, said: str) -> bool:
    return there.split() == said.split()


def _has_letters(there: str, said: str) -> bool:
    return "".join(there.split()) == "".join(said.split())


def write(relations: Relations, target: str | os.PathLike[str]) -> list[str]:
    """Write tasks with predictions, for import as pre-annotations."""
    # The project shows ``text`` under the name ``text``, with labels under the name ``label``. Each
    # relation gets its own spans, so that reading returns them unchanged and in order. Further
    # columns become data of the task. InputError if a text is missing or of another length.
    lost = Problems()
    written = JsonTexts()
    further = drop_columns(relations.table, (*WRITTEN, *types_column(relations))).to_pylist()
    tasks = [
        written.json(
            {
                "id": drawing.example.id,
                "data": {"text": drawing.text, **columns},
                "predictions": [{"model_version": MODEL, "result": _results(drawing)}],
            }
        )
        for drawing, columns in zip(drawn(relations, lost), further, strict=True)
    ]
    with replacing(target) as file:
        file.write("".join(["[", ",\n".join(tasks), "]\n"]).encode())
    return written.lost + messages(lost)


def _results(drawing: DrawnExample) -> list[dict[str, Any]]:
    """Return spans in UTF-16 units, as browsers count, and links."""
    text, at = drawing.text, utf16_units(drawing.text)
    spans = [
        {
            "id": f"s{k}",
            "type": "labels",
            "from_name": "label",
            "to_name": "text",
            "value": {"start": at[a], "end": at[b], "text": text[a:b], "labels": [label]},
        }
        for k, (label, a, b) in enumerate(drawing.marks)
    ]
    links = [
        {
            "type": "relation",
            "from_id": f"s{source}",
            "to_id": f"s{to}",
            "direction": "right",
            "labels": [type],
        }
        for type, source, to in drawing.links
    ]
    return spans + links


def sniff(source: Source) -> bool:
    """Return True for a list of tasks; `read` refuses other exports."""
    head = source.data[:MAX_HEAD].lstrip()
    if not head.startswith((b"[{", b"[\n", b"[ ", b"[\r")):
        return False
    keys = (b'"annotations"', b'"annotation_id"', b'"completions"')
    return any(key in head for key in keys) or (b'"predictions"' in head and b'"data"' in head)

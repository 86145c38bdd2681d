"""Reading and writing causal relations: one file per format, with a declaration `FORMAT`.

Formats of model answers, annotation tools and export are declared by their folders, so that a
command loads such a file only where a source needs it.

path, list, DataFrame ──▶ opened ──▶ read ──▶ Relations ──▶ write ──▶ path
                            │ reading/opening.py              │ returns messages on losses
                            ▼                                 ▼
     cnc/  bio.py  spans.py  table.py  jsonl.py ── reading/: batches, builder
     model_output/: raw answers of models ──────── logs/: their logs; spans.py finds the spans
     frames.py: tables and dicts in memory ─────── flat.py: a row per relation in files
     examples.py: the input of writers ─────────── one example, or a block, at a time
     blockwise.py: files written block by block ── from relations or from a stream
     annotation/: brat.py  webanno.py ... ──────── links.py: spans and links become relations
     export/: squad.py  nli.py ─────────────────── arguments.py: relations become pairs

A reader has a fast path that may decline a source, and a plain path that reports its faults.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Unpack

from fastcausal.arrays.kept import Key
from fastcausal.errors import InputError
from fastcausal.files import binary
from fastcausal.files.files import Source
from fastcausal.files.packed import local, name_of
from fastcausal.files.records import Records
from fastcausal.files.values import shown
from fastcausal.formats import bio, declared, examples, frames, spans
from fastcausal.formats.annotation import projects
from fastcausal.formats.cnc import rereading, tagged
from fastcausal.formats.cnc.markup import holds_tags
from fastcausal.formats.model_output import FORMAT as ANSWERS
from fastcausal.formats.reading import batches, folders
from fastcausal.formats.reading.batches import Stream
from fastcausal.formats.reading.format import Format, Opened
from fastcausal.formats.reading.opening import is_folder, is_project, opened
from fastcausal.formats.reading.sources import RelationSource
from fastcausal.formats.reading.streams import (
    documents_of,
    files_of,
    folder_stream,
    stream,
    stream_of,
    zipped,
)
from fastcausal.formats.schemes import are_like_tags
from fastcausal.formats.writing import write
from fastcausal.marking import FIELDS, MARKING, OF_SCORES, Marking
from fastcausal.options import (
    MarkingSettings,
    Occurrence,
    ReadFormat,
    TagReading,
    check,
    check_reading,
    implied,
)
from fastcausal.relations import ROLES, Relations

__all__ = [
    "documents_of",
    "is_folder",
    "opened",
    "read",
    "read_marked",
    "refuse_untaken",
    "stream",
    "write",
]


UNTAKEN: Key[Mapping[str, str]] = Key("untaken")  # of `Relations.kept`: refusals of settings
# Arguments of `read` that some formats lack, beside settings of `Marking`; `tags` is checked
# elsewhere.
_DEFAULTS = {"answers": None, "occurrence": "gap", "id": None}


def read(
    source: RelationSource,
    format: ReadFormat | None = None,
    like: Relations | None = None,
    tags: TagReading = "strict",
    answers: str | None = None,
    occurrence: Occurrence = "gap",
    id: str | None = None,
    **marking: Unpack[MarkingSettings],
) -> Relations:
    """Read causal relations from a file, Python lists or any Arrow data.

    Parameters
    ----------
    source : path, Relations, Arrow data, list or iterator
        A path, a URL, ``"-"`` for standard input, or a `Source`; a directory of Parquet, CSV or
        JSON lines files, or of an annotation tool's files of one annotator, or a zip of these; an
        iterator of Relations or Arrow data that follow each other; a table of pyarrow, pandas,
        polars, DuckDB or ``datasets``, as `fastcausal.formats.frames.read` takes it; lists of
        tagged sentences, lists of tags (or lists of such lists), or dicts: examples, or a row per
        relation. Relations are returned unchanged.
    format : str, optional
        One of `fastcausal.options.ReadFormat`; by default found from the name and the content.
    like : Relations, optional
        The gold side of predictions: ids, texts and lengths come from it.
    tags : {"strict", "aligned", "cnc-2023", "cnc-2022"}
        The reading of tagged sentences, see `fastcausal.formats.cnc.markup.parse`. ``aligned``
        moves the tags of rewritten sentences (joined tokens, other quotes and dashes) into the
        texts of ``like``, or into the source's own texts.
    answers : str, optional
        The column of raw answers of a language model, or a path such as ``a.b.0.c``; the format is
        then ``answers``. A log is recognised by its content and needs no column.
    occurrence : {"gap", "first"}
        The choice among several occurrences of a span text, see
        `fastcausal.formats.spans.located`.
    id : str, optional
        The column of the ids of raw answers, or a path.
    **marking
        ``roles``, ``role``, ``link``, ``example``, ``lone``, ``trigger``, ``words`` and others of
        `fastcausal.marking.Marking`; ``tracks`` and ``types`` are only checked, scores use them.

    Raises
    ------
    InputError
        The format cannot be found, or the content is not of that format.
    ValueError
        An unknown format, tag reading or policy, or an argument that the format lacks.

    Examples
    --------
    >>> gold = read([["<ARG0>Rain</ARG0> brings <ARG1>floods</ARG1>"]])
    >>> gold.to_examples()[0]["relations"] == read([["B-C", "O", "B-E"]]).to_examples()[0][
    ...     "relations"]
    True
    """
    return read_marked(source, format, like, tags, answers, occurrence, id, Marking.make(**marking))


def read_marked(
    source: RelationSource,
    format: ReadFormat | None = None,
    like: Relations | None = None,
    tags: TagReading = "strict",
    answers: str | None = None,
    occurrence: Occurrence = "gap",
    id: str | None = None,
    marking: Marking = MARKING,
    lenient: bool = False,  # True for one of several sources: another may take the settings
) -> Relations:
    """Read as `read`, with settings in one object."""
    if format is not None:
        check("format", format, declared.FORMATS)
    check_reading(tags, occurrence)  # even for sources without tags
    given: dict[str, Any] = {
        "like": like,
        "tags": tags,
        "answers": answers,
        "occurrence": occurrence,
        "id": id,
        "marking": marking,
        "untaken": {} if lenient else None,
    }
    relations = _read(source, format or implied(answers), given)
    if given["untaken"]:
        relations.kept[UNTAKEN] = given["untaken"]
    return rereading.read_aligned(relations, like) if tags == "aligned" else relations


def refuse_untaken(sides: Iterable[Relations], marking: Marking) -> None:
    """Raise ValueError for a setting that no side's format takes."""
    refusals = [side.kept.get(UNTAKEN) or {} for side in sides]
    for name in marking.changed:
        if all(name in refusal for refusal in refusals):
            raise ValueError(refusals[0][name])


def _read(source: RelationSource, format: ReadFormat | None, given: Mapping[str, Any]) -> Relations:
    if isinstance(source, Relations):
        return _require_roles(_require_gap(source, given["occurrence"]), given["marking"])
    if isinstance(source, Opened):
        assert source.format.read is not None
        content = source.source()
        _refuse_others(source.format, given)
        if source.format in (spans.FORMAT, examples.FORMAT) and binary.sniff(content.data):
            of: Any = source.format.name
            table = binary.load(content)
            return frames.read(table, of, *_held(given), name=content.name)
        return source.format.read(content, **_arguments(source.format, given))
    if isinstance(source, Records):  # a part of a table, or of a log
        from fastcausal.formats.model_output.reading import format_of

        format = format or format_of(source)
        if format != ANSWERS.name:
            source = source.table if source.typed and source.is_table else [*source.objects()]
    source = local(source)
    if format == ANSWERS.name and not is_folder(source):
        _refuse_others(ANSWERS, given)
        assert ANSWERS.read is not None
        return ANSWERS.read(source, **_arguments(ANSWERS, given))
    if format is not None:
        _refuse_others(declared.FORMATS[format], given)
    if (columns := frames.table_of(source)) is not None:
        return frames.read(columns, format, *_held(given))
    if is_folder(source):
        return _read_folder(source, format, given)
    if isinstance(source, Iterator):
        whole = stream_of(source).whole()
        return _require_roles(_require_gap(whole, given["occurrence"]), given["marking"])
    if isinstance(source, str | os.PathLike | Source):
        return _read(opened(source, format, whole=True), None, given)
    if isinstance(source, list | tuple):
        return _read_list(source, format, given)
    raise InputError(
        f"cannot read a {type(source).__name__}, expected a path, a list or Arrow data"
    )


def _held(given: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    """Return the arguments of `frames`, which reads by any setting."""
    return given["like"], given["occurrence"], given["marking"]


def _arguments(format: Format, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that a format takes."""
    taken = {name: given[name] for name in format.takes if name in given}
    return taken | ({"marking": given["marking"]} if not {*FIELDS}.isdisjoint(format.takes) else {})


def _require_gap(relations: Relations, occurrence: Occurrence) -> Relations:
    """Return relations in memory unchanged; read their texts again for another occurrence."""
    if occurrence not in ("gap", relations.reading.spans):
        raise ValueError(f'occurrence is "{occurrence}", but there are no texts of spans')
    return relations


def _require_roles(relations: Relations, marking: Marking) -> Relations:
    """Refuse relations in memory of other roles than those requested."""
    if marking.roles not in (ROLES, relations.roles):
        raise InputError(
            f"roles are {', '.join(relations.roles)}, expected {', '.join(marking.roles)}"
        )
    return relations


def _refuse_others(format: Format, given: Mapping[str, Any]) -> None:
    """Raise ValueError for a given argument that a format lacks."""
    marking = given["marking"]
    values = {name: given[name] for name, default in _DEFAULTS.items() if given[name] != default}
    values |= {n: getattr(marking, n) for n in marking.changed if n not in OF_SCORES}
    for name, value in values.items():
        if name in format.takes:
            continue
        takers = ", ".join(known.name for known in declared.ALL if name in known.takes)
        given_as = f'{name} is "{value}", which' if isinstance(value, str) else name
        refusal = f"{given_as} is for {takers}, not for {format.name}"
        if given["untaken"] is None or name in _DEFAULTS:
            raise ValueError(refusal)
        given["untaken"][name] = refusal


def _read_folder(
    source: str | os.PathLike[str], wanted: ReadFormat | None, given: Mapping[str, Any]
) -> Relations:
    """Read all files of a directory with the arguments of `read`."""
    if is_project(source):
        _refuse_others(declared.FORMATS["webanno"], given)
        return projects.stream(
            name_of(source), None, lambda: zipped(source, wanted), given["marking"]
        ).whole()
    name, format, files = files_of(source, wanted)
    if format is not None:
        _refuse_others(format, given)
    examples = folder_stream(name, format, files, marking=given["marking"])
    if examples is None:
        opens = (opened(file, wanted, whole=True) for file in files)
        texts = folders.require_one_format(name, opens, lambda file: _read(file, None, given))
        examples = Stream(name, lambda _: map(batches.batch, texts))
    return examples.whole()


def _read_list(
    source: Sequence[Any], format: ReadFormat | None, given: Mapping[str, Any]
) -> Relations:
    if all(isinstance(example, Mapping) for example in source):
        return frames.read_dicts(source, format, *_held(given))
    if not all(isinstance(example, list | tuple) for example in source):
        raise InputError(
            "cannot read the list, expected dicts, lists of tagged sentences or lists of tags"
        )
    if format is None:
        nested = not all(issubclass(t, str) for t in set(map(type, chain.from_iterable(source))))
        items = set() if nested else set(chain.from_iterable(source))
        # Words alone are not sentences: they are read or refused as tags.
        are_words = bool(items) and not any(holds_tags(w) or len(w.split()) > 1 for w in items)
        format = "bio" if nested or are_words or are_like_tags(items) else "cnc"
        if format == "cnc":
            _refuse_pairs(source, items)
    _refuse_others(declared.FORMATS[format], given)
    if format == "bio":
        return bio.read(source, **_arguments(bio.FORMAT, given))
    if format == "cnc":
        return tagged.read(source, **_arguments(declared.FORMATS["cnc"], given))
    raise InputError(f'lists cannot be read as "{format}", expected cnc or bio')


def _refuse_pairs(source: Sequence[Sequence[str]], sentences: Collection[str]) -> None:
    """Refuse pairs of texts: sentences without a tag would be relations without spans."""
    # A sentence and its repetition, up to white space, are no such pair.
    if any(map(holds_tags, sentences)) or any(len(example) not in (0, 2) for example in source):
        return
    if pair := next((p for p in source if p and p[0].split() != p[1].split()), None):
        cause, effect = map(shown, pair)
        raise InputError(
            f"pairs of texts without tags, such as {cause} and {effect}, expected examples: "
            f'{{"text": ..., "relations": [{{"cause": {cause}, "effect": {effect}}}]}}'
        )

"""Files of published corpora of causal events, as tables of pairs.

::

    topic/document.tab       EventStoryLine, extended pairs      lists.py
    NAME.CLINK.txt           Causal-TimeBank, as CATENA has it   lists.py
    topic/document.xml       EventStoryLine, Causal-TimeBank     cat.py
    lang/split/document.tsvx MECI                                meci.py
    NAME.jsonl               MAVEN-ERE                           maven.py
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from fastcausal.errors import InputError, Problems
from fastcausal.files.files import UTF8_MARK, Source
from fastcausal.files.lines import first_object
from fastcausal.files.packed import loaded, name_of, plain_name
from fastcausal.formats.annotation.projects import archive_of
from fastcausal.tasks.eci.corpora import cat, lists, maven, meci
from fastcausal.tasks.eci.corpora.documents import Corpus, EventDocument, corpus_of

READERS = {".tab": lists.read_tab, ".out": lists.read_tab, ".xml": cat.read_xml,
           ".tsvx": meci.read_tsvx}  # fmt: skip
CLINKS = ".clink.txt"
_ENDINGS = re.compile(r"(\.(tab|base3|out|xml|tsvx|ann|tml))+$")
_LANGUAGE, _SPLITS = re.compile(r"causal-(\w+)"), ("train", "dev", "test")


def is_corpus(source: Any) -> bool:
    """Return True for a folder, a file or objects of a published corpus, False for a table."""
    if isinstance(source, str | os.PathLike):
        if source == "-" or not os.fspath(source):
            return False
        if Path(source).is_dir():
            return any(_is_wanted(path.name) for path in Path(source).rglob("*"))
        return _suffix(source) != "" or _is_maven(source)
    if isinstance(source, Source):
        return source.is_json and maven.is_line(first_object(source))
    return isinstance(source, Sequence) and bool(source) and maven.is_line(source[0])


def read_corpus(
    source: Any,  # A source for which `is_corpus` is True; a folder may be a zip
    # "causal", "temporal", "subevent": the relation of MAVEN-ERE; other corpora have only causal
    # relations.
    relation: str = "causal",
    name: str = "rows",  # Name of objects in messages
) -> Corpus:
    """Read the documents of a corpus."""
    problems = Problems()
    is_path = isinstance(source, str | os.PathLike)
    if is_path and not Path(source).is_dir() and _suffix(source) == "":
        source, is_path = Source.open(source), False
    if not is_path:
        rows = _objects(source, name, problems)
        documents = maven.read_lines(rows, relation, problems)
        problems.raise_if_any()
        return corpus_of(getattr(source, "name", name), documents, is_maven=True)
    if relation != "causal":
        raise InputError(f"{source}: has causal relations alone, expected MAVEN-ERE JSON lines")
    if _suffix(source) == CLINKS:
        documents = lists.read_clinks(Source.open(source), problems)
    else:
        documents = _read_files(source, problems)
    problems.raise_if_any()
    return corpus_of(name_of(source), documents)


def _objects(source: Any, name: str, problems: Problems) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(source, Source):
        for number, row in source.objects(problems):
            yield f"{source.name}:{number}", row
        return
    for number, row in enumerate(source):
        if not isinstance(row, Mapping):
            raise InputError(f"{name}: row {number} is {type(row).__name__}, expected an object")
        yield f"{name}: row {number}", row


def _read_files(source: str | os.PathLike[str], problems: Problems) -> list[EventDocument]:
    documents: list[EventDocument] = []
    kinds: dict[str, str] = {}
    for path, file in _files(source):
        suffix = PurePosixPath(path).suffix.lower()
        kinds.setdefault(suffix, file.name)
        if len(kinds) > 1:
            both = " and ".join(f"{suffix} ({name})" for suffix, name in kinds.items())
            raise InputError(f"{name_of(source)}: files of two kinds, {both}, expected one")
        id = _ENDINGS.sub("", PurePosixPath(path).name)
        documents += READERS[suffix](file, id, _columns(path), problems)
    if not documents:
        known = ", ".join(READERS)
        raise InputError(f"{name_of(source)}: a folder without a file that ends in {known}")
    return documents


def _files(source: str | os.PathLike[str]) -> Iterator[tuple[str, Source]]:
    """Yield the files of a folder, a zip or a single file, with their paths in it, sorted."""
    name = name_of(source)
    folder = Path(source)
    if folder.is_dir():
        paths = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))
        for path in filter(_is_wanted, paths):
            if (folder / path).is_file():
                yield path, _source(f"{name}/{path}", loaded(folder / path)[1])
    elif _suffix(source) == ".zip":
        archive = archive_of(source)
        for path in filter(_is_wanted, archive.own_names):
            yield path, _source(f"{name}/{path}", archive.read(path))
    else:
        yield folder.name, _source(name, loaded(source)[1])


def _source(name: str, data: bytes) -> Source:
    return Source(name, data.removeprefix(UTF8_MARK))  # may be empty


def _is_wanted(path: str) -> bool:
    hidden = any(part[0] in "._" for part in PurePosixPath(path).parts)
    is_other = path.endswith("TypeSystem.xml")  # of a CAS
    return not hidden and not is_other and PurePosixPath(path).suffix.lower() in READERS


def _columns(path: str) -> dict[str, str]:
    """Return facts of a document from its folders: topic, or language and split."""
    folders = PurePosixPath(path).parts[:-1]
    if not path.lower().endswith(".tsvx"):
        return {"topic": folders[-1]} if folders else {}
    columns = {}
    for folder in folders:
        if language := _LANGUAGE.fullmatch(folder):
            columns["lang"] = language[1]
        elif folder in _SPLITS:
            columns["split"] = folder
    return columns


def _suffix(source: str | os.PathLike[str]) -> str:
    """Return the suffix of a file of a corpus; "" for other files."""
    if os.fspath(source).lower().endswith(".zip") and Path(source).is_file():
        return ".zip" if any(map(_is_wanted, archive_of(source).own_names)) else ""
    name = plain_name(os.fspath(source)).lower()
    if name.endswith(CLINKS):
        return CLINKS
    suffix = PurePosixPath(name).suffix
    return suffix if suffix in READERS else ""


def _is_maven(source: str | os.PathLike[str]) -> bool:
    if Path(source).exists() and not Path(source).is_file():  # a pipe is read only once
        return False
    try:
        head = Source.open(source, most=1 << 24)
    except InputError:
        return False  # reading it reports the error
    return head.is_json and maven.is_line(first_object(head))

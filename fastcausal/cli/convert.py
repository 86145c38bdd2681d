"""``fastcausal convert SOURCE TARGET``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from fastcausal.cli.console import (
    doing,
    is_standard_output,
    show,
    warn,
)
from fastcausal.cli.options import (
    MARKS,
    AnswerIdOption,
    AnswersOption,
    Marks,
    RelationOption,
    refuse,
)
from fastcausal.cli.parameters import Argument, Option
from fastcausal.options import PairRelation, Premise, ReadFormat, TagReading, WriteFormat
from fastcausal.report.escapes import cell_text

if TYPE_CHECKING:
    from fastcausal.relations import Reading


def convert(
    ctx: click.Context,
    source: Annotated[
        str, Argument(help="File, folder or corpus of event pairs to read; - for stdin.")
    ],
    target: Annotated[Path, Argument(help="File to write; its suffix decides the format.")],
    tags: Annotated[
        TagReading,
        Option(help="Read tags so; aligned takes rewritten sentences of --like."),
    ] = "strict",
    like: Annotated[
        str | None,
        Option(help="Take ids and texts of predictions from these gold annotations."),
    ] = None,
    source_format: Annotated[
        ReadFormat | None,
        Option("--from", help="Read the source in this format; by default its content decides."),
    ] = None,
    answers: AnswersOption = None,
    marks: Marks = MARKS,
    target_format: Annotated[
        WriteFormat | None,
        Option("--to", help="Write the target in this format; by default its suffix decides."),
    ] = None,
    seed: Annotated[
        int | None, Option(help="Seed the draw of questions for squad; by default 0.")
    ] = None,
    premise: Annotated[
        Premise | None,
        Option(help="Take this role as the premise for nli; by default cause."),
    ] = None,
    relation: RelationOption = "causal",
    id: AnswerIdOption = None,
) -> None:
    """Convert between formats, and report what the target cannot hold.

    Examples
    --------
    fastcausal convert gold.csv gold.parquet
    fastcausal convert careful.jsonl careful.bio --like gold.csv
    """
    import fastcausal as fc
    from fastcausal.errors import InputError
    from fastcausal.files.targets import keep_apart
    from fastcausal.formats import opened
    from fastcausal.formats.cnc.rereading import GOLD_READING
    from fastcausal.formats.reading.format import Opened
    from fastcausal.options import implied

    keep_apart([target], [source, like])
    if _is_corpus_of_pairs(source, source_format, answers):
        named = ("tags", "like", *Marks._fields, "target_format", "seed", "premise", "id")
        refuse(ctx, named, "is for relations, not for pairs of events")
        _convert_pairs(source, target, relation)
        return
    refuse(ctx, ("relation",), "is for MAVEN-ERE")
    is_plain = tags == "strict" and marks == MARKS
    is_plain &= (like, answers, id, seed, premise) == (None,) * 5
    with doing(f"reading {source}"):
        gold = fc.read(like, tags=GOLD_READING[tags], **marks.given()) if like is not None else None
        file: Any = opened(source, source_format or implied(answers), whole=not is_plain)
    if is_plain and _convert_in_batches(source, file, source_format, target, target_format):
        return
    with doing(f"reading {source}"):
        relations = fc.read(
            file, source_format, like=gold, tags=tags, answers=answers, id=id, **marks.given()
        )
    leans = isinstance(file, Opened) and "like" in file.format.takes
    needs_gold = relations.reading.predicted or (leans and relations.reading.tags is None)
    if gold is not None and not needs_gold:
        raise InputError(f"--like is for predictions, {source} has ids and texts of its own")
    if tags not in ("strict", relations.reading.tags):
        raise InputError(f"--tags is for tagged sentences, {source} has none")
    _warn_of(source, relations.reading, relations.n_relations, relations.n_unread)
    with doing(f"writing {target}"):
        lost = fc.write(relations, target, format=target_format, seed=seed, premise=premise)
    _end(target, lost, len(relations), relations.n_relations)


def _convert_in_batches(
    source: str,
    file: Any,  # What `opened` makes of it
    source_format: ReadFormat | None,
    target: Path,
    target_format: WriteFormat | None,
) -> bool:
    """Convert files in bounded memory; return False if they must be read whole."""
    from fastcausal.errors import InputError
    from fastcausal.formats.reading.streams import stream_alone
    from fastcausal.formats.writing import write_stream

    try:
        examples = stream_alone(file, source_format)
    except InputError:  # reading reports it
        return False
    if examples is None:
        return False
    with doing(f"converting {source}") as progress:
        written = write_stream(examples, target, target_format, progress)
    if written is None:
        return False
    _warn_of(source, written.reading, written.n_relations, written.n_unread)
    _end(target, written.lost, written.n_examples, written.n_relations)
    return True


def _warn_of(source: str, reading: Reading, n_relations: int, n_unread: int) -> None:
    """Warn of unparsed relations, of notes, and of a source without relations."""
    from fastcausal.errors import counted
    from fastcausal.relations import NO_RELATION

    for message in reading.unread:
        warn([message])
    if n_unread:
        warn([f"{counted(n_unread, 'relation')} could not be read, written as null"])
    if not (n_relations or n_unread):
        warn([f"{source} has {NO_RELATION}"])
    warn(f"{note}: {n}" for note, n in reading.notes.items())


def _end(target: Path, lost: list[str], n_examples: int, n_relations: int) -> None:
    """Warn of losses, and print the numbers of written examples and relations."""
    warn([f"lost: {message}" for message in lost])
    done = f"{target}: {n_examples} examples, {n_relations} relations"
    show(cell_text(done), err=is_standard_output(target))


def _is_corpus_of_pairs(source: str, *given: str | None) -> bool:
    from fastcausal.tasks.eci.corpora import is_corpus

    return not any(given) and is_corpus(source)


def _convert_pairs(source: str, target: Path, relation: PairRelation) -> None:
    """Write the pairs of a corpus as a table."""
    from fastcausal.cli.console import write_rows
    from fastcausal.errors import counted, warning_lines
    from fastcausal.tasks.eci.corpora import read_corpus

    with doing(f"reading {source}"):
        corpus = read_corpus(source, relation)
    write_rows(target, corpus.table)
    warn(warning_lines(corpus.warn_of_self_pairs(source)))
    done = f"{counted(len(corpus.documents), 'document')}, {counted(corpus.n_pairs, 'pair')}"
    show(cell_text(f"{target}: {done}"), err=is_standard_output(target))

"""``fastcausal convert SOURCE TARGET``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastcausal.cli.console import (
    doing,
    is_standard_output,
    show,
    warn,
)
from fastcausal.cli.options import MARKS, AnswersOption, Marks
from fastcausal.cli.parameters import Argument, Option
from fastcausal.options import Premise, ReadFormat, TagReading, WriteFormat
from fastcausal.report.escapes import cell_text


def convert(
    source: Annotated[str, Argument(help="File or folder to read; - for stdin.")],
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
) -> None:
    """Convert between formats, and report what the target cannot hold.

    Examples
    --------
    fastcausal convert gold.csv gold.parquet
    fastcausal convert careful.jsonl careful.bio --like gold.csv
    """
    import fastcausal as fc
    from fastcausal.errors import InputError, counted
    from fastcausal.files.targets import keep_apart
    from fastcausal.formats import opened
    from fastcausal.formats.cnc.rereading import GOLD_READING
    from fastcausal.formats.reading.format import Opened
    from fastcausal.options import implied

    keep_apart([target], [source, like])
    with doing(f"reading {source}"):
        gold = fc.read(like, tags=GOLD_READING[tags]) if like is not None else None
        file: Any = opened(source, source_format or implied(answers), whole=True)
        relations = fc.read(
            file, source_format, like=gold, tags=tags, answers=answers, **marks._asdict()
        )
    leans = isinstance(file, Opened) and "like" in file.format.takes
    needs_gold = relations.reading.predicted or (leans and relations.reading.tags is None)
    if gold is not None and not needs_gold:
        raise InputError(f"--like is for predictions, {source} has ids and texts of its own")
    if tags not in ("strict", relations.reading.tags):
        raise InputError(f"--tags is for tagged sentences, {source} has none")
    for message in relations.reading.unread:
        warn([message])
    if relations.n_unread:
        warn([f"{counted(relations.n_unread, 'relation')} could not be read, written as null"])
    warn(f"{note}: {n}" for note, n in relations.reading.notes.items())
    with doing(f"writing {target}"):
        lost = fc.write(relations, target, format=target_format, seed=seed, premise=premise)
    warn([f"lost: {message}" for message in lost])
    done = f"{target}: {len(relations)} examples, {relations.n_relations} relations"
    show(cell_text(done), err=is_standard_output(target))

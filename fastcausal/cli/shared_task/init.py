"""``fastcausal task init DIR --gold FILE --protocol P``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastcausal.cli.console import doing, print_json, show
from fastcausal.cli.options import JsonOption
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.task_options import SetOption, task_options
from fastcausal.report.escapes import printable


def init(
    dir: Annotated[Path, Argument(help="A new folder for the bundle.")],
    gold: Annotated[Path, Option(help="File of gold with its answers.")],
    protocol: Annotated[
        str | None, Option(help="Score by this protocol; it names its task.")
    ] = None,
    task: Annotated[
        str | None, Option(help="Score by this command, such as score, classify, eci or qa.")
    ] = None,
    set: SetOption = None,
    unparsed: Annotated[
        str | None, Option(help="Policy for predictions that cannot be read, as the task has it.")
    ] = None,
    unmatched: Annotated[
        str | None, Option(help="Policy for ids that one side alone has, as the task has it.")
    ] = None,
    score: Annotated[
        list[str] | None,
        Option(help="Show this score on the board, such as overall_f1; the first ranks."),
    ] = None,
    lower_is_better: Annotated[
        bool, Option("--lower-is-better", help="Rank small values of the first score first.")
    ] = False,
    title: Annotated[str | None, Option(help="Title; by default the name of the folder.")] = None,
    wheels: Annotated[
        Path | None,
        Option(help="Take wheels from this folder, for another platform than this one."),
    ] = None,
    seconds: Annotated[int, Option(min=1, help="Time for one submission.")] = 300,
    memory: Annotated[
        int, Option(min=1, help="Memory for one submission, in MiB of address space.")
    ] = 8192,
    size: Annotated[
        int, Option(min=1, help="Largest submission, in MiB before and after it is packed.")
    ] = 256,
    json: JsonOption = False,
) -> None:
    """Write a Codabench bundle: scoring program, reference data, pages, starting kit.

    Examples
    --------
    fastcausal task init causes --gold gold.csv --protocol cnc-2023
    fastcausal task init pairs --gold pairs_gold.csv --task eci --set candidates=listed
    """
    from fastcausal.shared_task.bundle import init as write_bundle
    from fastcausal.shared_task.program import lines
    from fastcausal.shared_task.record import Limits
    from fastcausal.shared_task.scoring import protocols_of, task_of

    name = task_of(protocol, task)
    of_task = protocol if task is not None or protocol in protocols_of(name) else None
    given = {"protocol": of_task, "unparsed": unparsed, "unmatched": unmatched}
    options = {k: v for k, v in given.items() if v is not None} | task_options(name, set or [])
    with doing(f"writing {dir}"):
        made = write_bundle(
            dir,
            gold,
            name,
            options,
            title=title,
            scores=score or (),
            lower_is_better=lower_is_better,
            limits=Limits(seconds, memory << 20, size << 20),
            packed=wheels,
        )
    baseline = None if made.baseline is None else made.baseline.judgment
    if json:
        print_json({"dir": str(dir), "scores": made.task.scores, "baseline": baseline})
        return
    show(printable(f"{dir}: {name}, {made.task.protocol}, ranked by {made.task.scores[0]}"))
    if baseline is None:
        show("no baseline: gold of this task has no part without answers")
    else:
        show(printable("\n".join(["baseline", *lines(baseline)])))
    show(made.task.signature)

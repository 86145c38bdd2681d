"""``fastcausal doctor``."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any

from fastcausal.cli.console import print_json
from fastcausal.cli.parameters import Argument
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.errors import format_some

if TYPE_CHECKING:
    from fastcausal.cli.recognise import Recognised
    from fastcausal.report.grid import Grid

# Libraries that fastcausal.training works with, and their extras.
TRAINING = {"torch": "torch", "torchmetrics": "torch", "transformers": "hf", "evaluate": "hf"}


def doctor(
    files: Annotated[
        list[str] | None,
        Argument(metavar="[FILE]...", help="Files and folders to look at; none: what is installed"),
    ] = None,
    tables: TableOptions = TABLES,
) -> None:
    """Say what files are, what looks wrong, and the commands that take them.

    Without a file: print installed versions and hardware. The exit status is 0 even if parts are
    missing, or if nothing reads a file. In commands, GOLD, PRED and OTHER stand for a second file.

    Examples
    --------
    fastcausal doctor gold.csv careful.jsonl
    fastcausal doctor scores.csv
    fastcausal doctor --json
    """
    if files:
        from fastcausal.cli.recognise import recognise

        found = [recognise(file) for file in files]
        commands = advise(found)
        if tables.format == "json":
            print_json({"files": [each.to_dict() for each in found], "commands": commands})
        else:
            tables.show_grids(
                [file_grid(each) for each in found],
                *command_lines(commands, tables.format == "text"),
            )
        return
    report = facts()
    if tables.format == "json":
        print_json(report)
    else:
        tables.show_grids([facts_grid(report)])


def advise(files: Sequence[Recognised]) -> list[str]:
    """Return the commands that take files, first those that take all; add to each file its own."""
    for file in files:
        file.commands = [*_commands_of([file])]
    families = dict.fromkeys(_family_of(file, files) for file in files if file.family)
    groups = [[f for f in files if f.family and _family_of(f, files) == name] for name in families]
    groups.sort(key=len, reverse=True)
    for group in groups:
        _tell_ids_of_one_side(group)
    several = chain.from_iterable(_commands_of(group) for group in groups if len(group) > 1)
    single = chain.from_iterable(file.commands for file in files)
    return [*dict.fromkeys(chain(several, single))]


def _tell_ids_of_one_side(files: Sequence[Recognised]) -> None:
    """Add a finding to each file with ids that another one lacks."""
    known = [file for file in files if file.ids is not None]
    shared = frozenset.intersection(*(file.ids or frozenset() for file in known)) if known else {}
    for file in known if len(known) > 1 else ():
        if alone := sorted((file.ids or frozenset()).difference(shared)):
            others = ", ".join(each.file for each in known if each is not file)
            file.add_finding(f"ids of one side: {len(alone)} not in {others}{format_some(alone)}")


def _are_unlike(files: Sequence[Recognised]) -> bool:
    """Return True if files that tell their ids have different ones."""
    return len({file.ids for file in files if file.ids is not None}) > 1


def _family_of(file: Recognised, files: Sequence[Recognised]) -> str:
    """Return the family of a file among others: scores belong to judgments of people."""
    if file.side == "scores" and any(each.family == "judgments" for each in files):
        return "judgments"
    return "values" if file.family == "board" else file.family


def _commands_of(files: Sequence[Recognised]) -> Iterator[str]:
    """Yield the commands of files of one family."""
    kinds = {file.family for file in files}
    if "judgments" in kinds:
        yield from _advise_on_judgments(files)
    elif kinds & {"values", "board"}:
        yield from _advise_on_values(files)
    for family, make in FAMILIES.items():
        if family in kinds:
            yield from make(files)


def _write(
    command: str, files: Sequence[Recognised | str], *options: str, given: Iterable[Recognised] = ()
) -> str:
    """Write a command with files, their own options and others."""
    names = [_name(each) for each in files]
    own = {option[0]: option for each in reversed([*given]) for option in each.options}
    words = chain.from_iterable(own.values())
    return shlex.join(["fastcausal", *command.split(), *names, *words, *options])


def _name(file: Recognised | str) -> str:
    name = file if isinstance(file, str) else file.file
    return f"./{name}" if name.startswith("-") else name


def _split(files: Sequence[Recognised]) -> tuple[Recognised | str, list[Recognised | str]]:
    """Return gold, by its side or name, else the first file, and predictions; or their words."""
    preds = [file for file in files if file.side in ("pred", "answers")]
    others = [file for file in files if file not in preds]
    named = [file for file in others if file.side == "gold" or GOLD.search(Path(file.file).name)]
    gold = next(iter(named or others), None)
    rest: list[Recognised | str] = [file for file in files if file is not gold]
    if len(files) == 1 and gold is not None and not named and PRED.search(Path(gold.file).name):
        return "GOLD", [gold]
    return gold or "GOLD", rest or ["PRED"]


def _add_other(files: Sequence[Recognised]) -> list[Recognised | str]:
    """Return files, and the word for a second one after a single file."""
    return [*files, *(["OTHER"] if len(files) == 1 else [])]


def _list_files(files: Iterable[Recognised | str]) -> list[Recognised]:
    return [file for file in files if not isinstance(file, str)]


def _advise_on_relations(files: Sequence[Recognised]) -> Iterator[str]:
    gold, preds = _split(files)
    plain = all(not file.options for file in files) and not isinstance(gold, str)
    if len(files) > 1 and plain and not any(f.side or GOLD.search(f.file) for f in files):
        yield _write("agree", files)
    sides = [gold, *preds]
    more = ["--unmatched", "empty"] if _are_unlike(files) else []
    yield _write("score", sides, *more, given=files)
    protocol = any(option[0] == "--protocol" for file in files for option in file.options)
    if len(_list_files(preds)) == 2:
        yield _write("compare", sides, *more, given=files)
    for names in (file.systems["names"][:2] for file in _list_files(preds)[:1] if file.systems):
        yield _write("leaderboard", sides, *more, given=files)
        if not any("," in name for name in names):
            yield _write("compare", sides, "--pick", ",".join(names), *more, given=files)
        return
    if len(_list_files(preds)) > 1:
        yield _write("leaderboard", sides, *more, given=files)
    elif gold == "GOLD" and not files[0].options:
        yield _write("compare", [*sides, "OTHER"])
    if len(files) == 1 and gold is files[0]:
        yield _write("describe", [gold])
        if not protocol:
            yield _write("agree", [gold, "OTHER"], given=files)


def _advise_on_values(files: Sequence[Recognised]) -> Iterator[str]:
    boards = [file for file in files if file.family == "board"]
    is_counted = any(file.format == "counts" for file in files)
    more = ["--missing", "skip"] if _are_unlike(files) and not is_counted else []
    if any(option[0] == "--missing" for file in files for option in file.options):
        more = []
    names = [*chain.from_iterable((file.systems or {}).get("names", ()) for file in boards)]
    if len({*names}) < len(names) and len(files) > 1:
        return
    if len(files) > 1:
        if len(files) == 2 and not boards:
            unlike = _are_disjoint(files)
            yield _write("compare", files, *(["--unpaired"] if unlike else more), given=files)
            if unlike:
                return
            yield _write("items", files, *more, given=files)
        if not _are_disjoint(files):
            yield _write("leaderboard", files, *more, given=files)
        return
    [file] = files
    if not boards:
        yield _write("aggregate", [file], given=files)
        yield _write("compare", [file, "OTHER"], given=files)
        yield _write("items", [file, "OTHER"], given=files)
        return
    yield _write("leaderboard", [file], given=files)
    systems = [str(name) for name in (file.systems or {}).get("names", [])]
    if not (Path(file.file).is_dir() or any("," in name for name in systems[:2])):
        yield _write("compare", [file], "--pick", ",".join(systems[:2]), given=files)
        yield _write("items", [file], given=files)


def _are_disjoint(files: Sequence[Recognised]) -> bool:
    known = [file.ids for file in files if file.ids is not None]
    return len(known) > 1 and not frozenset.intersection(*known)


def _advise_on_pairs(files: Sequence[Recognised]) -> Iterator[str]:
    besides = {"candidates": "--candidates", "texts": "--text"}
    tables = [file for file in files if file.side not in besides]
    gold, preds = _split(tables)
    named: dict[str, list[str]] = {
        side: [option, _name(file)]
        for side, option in besides.items()
        for file in files
        if file.side == side
    }
    if tables or "candidates" in named:
        yield _write("eci", [gold, *preds], *named.get("candidates", []))
    if "texts" in named or len(files) > 1:
        yield _write("errors", [gold, preds[0]], *named.get("texts", []))
    if len(_list_files(preds)) > 1:
        yield _write("leaderboard", [gold, *preds], "--task", "eci")


def _advise_on_labels(files: Sequence[Recognised]) -> Iterator[str]:
    gold, preds = _split(files)
    answers = [file for file in files if file.side == "answers"]
    asked = [file for file in files if file.side != "answers" and file.options]
    yield _write("classify", [gold, *preds], given=[*asked, *answers])
    if not answers and not isinstance(gold, str) and not any(file.systems for file in files):
        yield _write("agree", _add_other(files), "--labels", "label")


def _advise_on_questions(files: Sequence[Recognised]) -> Iterator[str]:
    gold, preds = _split(files)
    yield _write("qa", [gold, *preds], given=files)


def _advise_on_crab(files: Sequence[Recognised]) -> Iterator[str]:
    of = {side: [file for file in files if file.side == side] for side in CRAB}
    gold, questions, ratings, answers = of.values()
    preds: list[Recognised | str] = [*answers] or ["PRED"]
    first: list[Recognised | str] = [*(gold or questions)[:1]] or ["GOLD"]
    # Letters by number alone are answers to questions
    lettered = [f for f in answers if "index" in f.columns and LETTERS in f.options]
    if gold or (answers and not questions and not lettered):
        yield _write("crab pairwise", [*first, *preds], given=answers)
    if questions or (lettered and not gold):
        options = chain.from_iterable(o for f in answers for o in f.options if o != LETTERS)
        yield _write("crab graded", [*(questions[:1] or first), *preds], *options)
    for file in gold:
        yield _write("crab describe", [file])
        yield _write("crab frames", [file])
        yield _write("crab chains", [file])
    for file in ratings:
        yield _write("crab agree", [file])


def _advise_on_events(files: Sequence[Recognised]) -> Iterator[str]:
    gold, preds = _split(files)
    yield _write("crab events", [gold, preds[0]])


def _advise_on_claims(files: Sequence[Recognised]) -> Iterator[str]:
    yield _write("claims", _add_other(files))


def _advise_on_preferences(files: Sequence[Recognised]) -> Iterator[str]:
    keys = [file for file in files if file.side == "key"]
    raters: list[Recognised | str] = [file for file in files if file.side == "rater"]
    yield _write("preferences", raters or ["OTHER"], "--key", _name(keys[0] if keys else "OTHER"))


def _advise_on_judgments(files: Sequence[Recognised]) -> Iterator[str]:
    human = [file for file in files if file.family == "judgments"]
    scores = [file for file in files if file.side == "scores"]
    yield _write("meta", [scores[0] if scores else "OTHER", human[0]])
    if len(files) == 1:
        yield _write("agree", human, given=human)


def _advise_on_answers(files: Sequence[Recognised]) -> Iterator[str]:
    yield _write("answers", files)


def _advise_on_ratings(files: Sequence[Recognised]) -> Iterator[str]:
    yield from (_write("agree", [file], given=[file]) for file in files)


GOLD = re.compile(r"gold|reference|truth|_key\b|solution", re.IGNORECASE)
PRED = re.compile(r"pred|system|model|output|submission", re.IGNORECASE)
LETTERS = ("--task", "multiclass")
CRAB = ("gold", "questions", "ratings", "answers")
FAMILIES = {
    "relations": _advise_on_relations,
    "pairs": _advise_on_pairs,
    "labels": _advise_on_labels,
    "qa": _advise_on_questions,
    "crab": _advise_on_crab,
    "events": _advise_on_events,
    "claims": _advise_on_claims,
    "preferences": _advise_on_preferences,
    "answers": _advise_on_answers,
    "ratings": _advise_on_ratings,
}


def file_grid(file: Recognised) -> Grid:
    """Make a row per fact of a file, and per finding."""
    from fastcausal.report.grid import Grid

    grid = Grid(file.file, [""], text=True)
    rows = "" if file.rows is None else f", {file.rows} row{'s' * (file.rows != 1)}"
    grid.add("format", (file.format or "unknown: nothing reads it") + rows)
    for name, value in (
        ("systems", file.systems and _list(file.systems["column"], file.systems["names"])),
        ("samples", file.samples and f"{file.samples['column']}: up to {file.samples['n']}"),
        ("columns", _list(None, file.columns)),
        ("clusters", _list(None, file.clusters)),
    ):
        _add_lines(grid, name, value or "")
    for k, finding in enumerate(file.findings):
        _add_lines(grid, "" if k else "findings", finding)
    return grid


def _add_lines(grid: Grid, name: str, text: str) -> None:
    """Add a row for each line of a text; none for no text."""
    for k, line in enumerate(wrap(text, LINE - 4, break_on_hyphens=False)):
        grid.add("" if k else name, f"{'  ' * (k > 0)}{line}")


def _list(title: str | None, names: Sequence[Any]) -> str:
    """Return the first names, and the number of others."""
    shown = ", ".join(map(str, names[:SHOWN]))
    more = f", ... ({len(names)})" if len(names) > SHOWN else ""
    return f"{title}: {shown}{more}" if title else shown + more


SHOWN = 12  # names in a list
LINE = 72  # characters of a line of a command


def command_lines(commands: Sequence[str], are_broken: bool) -> list[str]:
    """Return a line per command, below a line of their own; long ones may be broken."""
    shown = [" \\\n    ".join(_break(each)) if are_broken else each for each in commands]
    return ["Commands:" if commands else "No command takes them.", *(f"  {c}" for c in shown)]


def _break(command: str) -> Iterator[str]:
    """Break a command before words, but not before values, into lines that a shell joins."""
    parts = list[str]()
    for word in map(shlex.quote, shlex.split(command)):
        if parts and parts[-1].startswith("--") and " " not in parts[-1] and word[:2] != "--":
            parts[-1] += f" {word}"
        else:
            parts.append(word)
    line = ""
    for part in parts:
        if line and len(line) + len(part) > LINE:
            yield line
            line = part
        else:
            line = f"{line} {part}".lstrip()
    yield line


def facts() -> dict[str, Any]:
    """Return versions, build flags of native code, cores, and the GPU; null if missing."""
    import os
    import platform

    from fastcausal._version import __version__
    from fastcausal.engine._native import build_info
    from fastcausal.engine.device import cuda

    usable = getattr(os, "sched_getaffinity", None)
    return {
        "fastcausal": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "native": build_info(),
        "cores": {
            "machine": os.cpu_count(),
            "usable": len(usable(0)) if usable else os.cpu_count(),
        },
        "numpy": _version("numpy"),
        "pyarrow": _version("pyarrow"),
        "numba": _version("numba"),
        "training": {name: _version(name) for name in TRAINING},
        "cuda": cuda.facts(),
    }


def _version(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _install(extra: str) -> str:
    return f"not installed: pip install 'fastcausal[{extra}]'"


def facts_grid(report: dict[str, Any]) -> Grid:
    """Make a row per fact, except for missing facts."""
    from fastcausal.report.grid import Grid

    native, cores, cuda = report["native"], report["cores"], report["cuda"]
    abi = ", limited API" if native["limited_api"] else ""
    device = cuda["device"]
    rows = {
        "fastcausal": f"{report['fastcausal']} on Python {report['python']}, {report['system']}",
        "native code": f"{native['compiler']}, {native['instructions']}{abi}",
        "": native["flags"],
        "cores": f"{cores['usable']} of {cores['machine']}",
        "NumPy": report["numpy"],
        "pyarrow": report["pyarrow"],
        "numba": report["numba"] or _install("jit"),
        **{name: report["training"][name] or _install(extra) for name, extra in TRAINING.items()},
        "CuPy": cuda["cupy"] or "not installed",
        "CUDA": _cuda_text(cuda),
        "device": device and _device_text(device),
        "backends": "cpu, reference" + (", cuda" if device else ""),
        "missing": cuda["missing"],
    }
    grid = Grid("", [""], text=True)
    for name, value in rows.items():
        if value:
            grid.add(name, value)
    return grid


def _cuda_text(cuda: dict[str, Any]) -> str | None:
    if not cuda["cupy"]:
        return None
    return f"{cuda['runtime']}, driver for {cuda['driver'] or 'none'}"


def _device_text(device: dict[str, Any]) -> str:
    return (
        f"{device['name']}, compute capability {device['capability']}, "
        f"{device['multiprocessors']} multiprocessors, {device['memory'] / 2**30:.0f} GiB"
    )

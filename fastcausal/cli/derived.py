"""Commands of public functions: an option is a parameter, its help the first sentence of it.

A record, `fastcausal.counts.command.CommandRecord`, has the rest: examples, files to write, and
options that need others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from inspect import Parameter as Signature
from pathlib import Path
from typing import Annotated, Any

import click

from fastcausal.cli.described import Parameter, ValueKind, describe
from fastcausal.cli.options import (
    DRAWS,
    MARKS,
    SAMPLES,
    VALUES,
    ZERO,
    ByOption,
    DrawOptions,
    FromOption,
    IntervalsOption,
    Marks,
    SampleOptions,
    ValueOptions,
    find_flag,
    import_numpy,
    open_sources,
    refuse,
    refuse_inference,
    refuse_settings,
)
from fastcausal.cli.parameters import Argument, Entry, Option, make_command
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.counts.command import CommandRecord, Flag, Target
from fastcausal.counts.task import resolve
from fastcausal.errors import InputError
from fastcausal.options import ZeroByZero

COUNTS, ROWS, PICTURES = (
    ".parquet or .arrow",
    ".csv, .jsonl, .parquet or .arrow",
    ".png, .svg or .pdf",
)
REQUIRED = Signature.empty
FORMAT = "source_format"
UNITS, PLOT = "_units", "_plot"
READING = "reading"  # a parameter for the settings of logs and tables
MARKING = "marking"  # settings of reading relations, by keyword


_GROUPS: Mapping[str, tuple[Any, Any]] = {
    READING: (ValueOptions, VALUES), MARKING: (Marks, MARKS),
}  # fmt: skip


def derive(name: str, record: CommandRecord) -> click.Command:
    """Make the command of a record."""
    function = describe(record.function)

    def run(ctx: click.Context, **given: Any) -> None:
        _run(ctx, record, function.parameters, given)

    entries = [("ctx", click.Context, REQUIRED), *_entries(record, function.parameters)]
    return make_command(name, entries, run, function.summary, record.examples)


def _entries(record: CommandRecord, parameters: Mapping[str, Parameter]) -> Iterator[Entry]:
    """Yield name, type and default of each parameter of the command."""
    for name, metavar in record.sources.items():
        target = record.writes.get(name)
        side: Any = Path if target else list[str] if metavar.rstrip("]").endswith("...") else str
        text = _text(target, ROWS) if target else parameters[name].text
        if name == record.each:
            shown = (
                "a table row for each file" if len(record.sources) > 1 else "a report for each file"
            )
            text = f"{text.rstrip('.')}; {shown}."
        optional = metavar.startswith("[")
        about = Argument(text, metavar)
        yield name, Annotated[side, about], None if optional else REQUIRED
    for option, name, parameter, flag in _options(record, parameters):
        group = _GROUPS.get(name)
        yield (option, *group) if group else _option(option, parameter, flag)
    if record.opens:
        yield FORMAT, FromOption, None
    if record.unit:
        text = record.unit_text or f"the counts of each {record.unit}"
        yield _file(UNITS, f"--per-{record.unit}", _text(Target(text), COUNTS))
    for name, target in record.writes.items():
        if name not in record.sources:
            yield _file(name, _flag(name), _text(target, ROWS), target.required)
    if record.page:
        yield _file("html", "--html", record.page)
    if record.draw:
        yield _file(PLOT, "--plot", f"Draw to this {PICTURES} file.")
    if record.has_intervals:
        if _takes_samples(record):
            yield "samples", SampleOptions, SAMPLES
        yield "intervals", IntervalsOption, False
        yield "draws", DrawOptions, DRAWS
    yield "tables", TableOptions, TABLES


def _takes_samples(record: CommandRecord) -> bool:
    """Return True for a command of gold and systems, which may have several answers."""
    return record.has_intervals and len(record.sources) > 1


def _options(
    record: CommandRecord, parameters: Mapping[str, Parameter]
) -> Iterator[tuple[str, str, Parameter, Flag]]:
    """Yield option, name, parameter and flag of each parameter that becomes an option."""
    for name, parameter in parameters.items():
        if name not in record.sources and name != f"per_{record.unit}":
            flag = record.flags.get(name, Flag())
            option = flag.flag.lstrip("-").replace("-", "_") or name
            yield name if option in record.sources else option, name, parameter, flag


def _option(name: str, parameter: Parameter, about: Flag) -> Entry:
    """Return the option of a parameter."""
    kind = parameter.kind
    default = parameter.default if about.default is None else about.default
    shown = Option(
        about.flag or _flag(name),
        help=parameter.text,
        metavar=about.metavar,
        min=about.min,
        max=about.max,
    )
    if name == "by" and kind.several:
        return name, ByOption, None
    if name == "undefined":
        return name, Annotated[ZeroByZero, shown], "null"
    if about.read or (int in kind.plain and str in kind.plain):
        return name, Annotated[str | None, shown], None if default is None else str(default)
    inner = kind.choices or (kind.plain[0] if kind.plain else str)
    if kind.is_file and kind.plain and not kind.several:
        inner = Path
    if kind.several:
        return name, Annotated[list[inner] | None, shown], None  # type: ignore[valid-type]
    return (
        name,
        Annotated[inner | None, shown],
        REQUIRED if parameter.required and default is None else default,
    )


def _file(name: str, flag: str, text: str, required: bool = False) -> Entry:
    kind: Any = Path if required else Path | None
    return name, Annotated[kind, Option(flag, help=text)], REQUIRED if required else None


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _text(target: Target, suffixes: str) -> str:
    return f"Write {target.text} to this {suffixes} file."


def _run(
    ctx: click.Context,
    record: CommandRecord,
    parameters: Mapping[str, Parameter],
    given: dict[str, Any],
) -> None:
    """Check the options, call the function, write the requested files, and print."""
    from fastcausal.files.targets import keep_apart
    from fastcausal.report.pictures import require_pictures

    if record.implied and given[record.implied] is not None:
        given["intervals"] = True
    _refuse(ctx, record, given)
    tables: TableOptions = given.pop("tables")
    draws: DrawOptions | None = given.pop("draws", None)
    samples: SampleOptions = given.pop("samples", SAMPLES)
    if draws is not None and not given.pop("intervals"):
        draws = None
    units, html, plot = (given.pop(name, None) for name in (UNITS, "html", PLOT))
    targets = {name: given.pop(name) for name in record.writes}
    sources = [given.pop(name) for name in record.sources if name in parameters]
    settings = {
        name: _value(ctx, option, given[option], parameter.kind, flag)
        for option, name, parameter, flag in _options(record, parameters)
        if name not in _GROUPS and given[option] is not None
    }
    if MARKING in given:
        settings |= given[MARKING].given()
    read = [
        value
        for name, value in settings.items()
        if name in parameters and parameters[name].kind.is_file
    ]
    require_pictures(plot)
    keep_apart([units, *targets.values(), plot, html], [*_flat(sources), *read])
    if html is not None and record.each and len(sources[-1] or ()) > 1:
        raise InputError("--html is for one system, expected one file of predictions")
    names = ", ".join(map(str, _flat(sources)))
    import_numpy()
    if record.opens:
        sources = [open_sources(sources[0], given[FORMAT])]
    by = settings.get("by")
    function = resolve(record.function)

    def call(*sides: Any, **more: Any) -> Any:
        return function(*sides, **settings, **more)

    if record.each:
        if not sources[-1]:
            refuse(ctx, SampleOptions._fields, "is for predictions")
        reports = _reports(record, sources, call, samples, settings)
        draw = resolve(record.draw) if plot is not None else None
        show_systems(reports, tables, draws, by, units, html, plot, draw, record.one_table)
    else:
        _print_one(record, names, sources, call, given.get(READING), tables, targets, units, html)


def _refuse(ctx: click.Context, record: CommandRecord, given: Mapping[str, Any]) -> None:
    """Raise InputError for an option without effect, and UsageError for wrong usage."""
    for refusal in record.refused:
        if refusal.holds(given):
            if not refusal.options:
                raise click.UsageError(refusal.reason, ctx)
            refuse(ctx, refusal.options, refusal.reason)
    if given.get("protocol") is not None:
        refuse_settings(ctx, record.name, given["protocol"])
    if record.has_intervals:
        refuse_inference(ctx, given["intervals"], given["draws"])


def _value(ctx: click.Context, name: str, value: Any, kind: ValueKind, about: Flag) -> Any:
    """Return the value of a given option for the function."""
    if name == "undefined":
        return ZERO[value]
    if about.read:
        return resolve(about.read)(value)
    if int in kind.plain and str in kind.plain:
        return kind.parse([value], name, find_flag(ctx, name))
    return value


def _flat(sources: list[Any]) -> list[Any]:
    """Return all files of all sources."""
    each = (side if isinstance(side, list) else [side] for side in sources)
    return [file for side in each for file in side if file is not None]


def _reports(
    record: CommandRecord,
    sources: list[Any],
    call: Callable[..., Any],
    samples: SampleOptions,
    settings: Mapping[str, Any],
) -> dict[str, Any]:
    """Make a report of each system; gold, if it comes before the files, is read once."""
    from fastcausal.cli.console import doing
    from fastcausal.cli.systems import make_reports, split_files

    *gold, files = sources
    if record.read:
        with doing(f"reading {gold[0]}"):
            gold = [resolve(record.read)(gold[0])]
    if not files:
        return {"": call(*gold, None)}
    vote: Any = None
    if record.name == "classify" and not {"answers", "protocol"} & {*settings}:
        from fastcausal.sweeps.answers import vote_labels as vote
    by = settings.get("by")
    systems = split_files(files, samples.system, samples.sample)
    return make_reports(systems, lambda file: call(*gold, file), samples, vote, by=by)


def show_systems(
    reports: dict[str, Any],
    tables: TableOptions,
    draws: DrawOptions | None,
    by: Any,
    units: Path | None,
    html: Path | None = None,
    plot: Path | None = None,
    draw: Callable[[Path, dict[str, Any]], None] | None = None,
    one_table: bool = True,
) -> None:
    """Print the reports of several systems, and write their counts, page and picture."""
    from fastcausal.cli.console import doing
    from fastcausal.cli.systems import (
        add_intervals,
        groups_table,
        print_reports,
        systems_tables,
        write_units,
    )

    if draws is not None:
        reports = add_intervals(reports, draws, by)
    write_units(units, reports)
    if html is not None:
        with doing(f"writing {html}"):
            next(iter(reports.values())).to_html(html)
    if plot is not None and draw is not None:
        draw(plot, reports)
    print_reports(reports, tables, by, grids=groups_table if one_table else systems_tables)


def _print_one(
    record: CommandRecord,
    names: str,
    sources: list[Any],
    call: Callable[..., Any],
    values: ValueOptions | None,
    tables: TableOptions,
    targets: Mapping[str, Path | None],
    units: Path | None,
    html: Path | None,
) -> None:
    """Print one report of all sources, and write its tables."""
    from fastcausal.cli.console import doing, write_tables

    with doing(f"reading {names}", "samples") as progress:
        reading = {} if values is None else {READING: values.reading(progress)}
        result = call(*sources, **reading)
        report = resolve(record.report)(result) if record.report else result
    if units is not None:
        report.statistics.write(units)
    if html is not None:
        with doing(f"writing {html}"):
            report.to_html(html)
    write_tables(
        *(
            (target, result if record.report else _table(report, record.writes[name].table or name))
            for name, target in targets.items()
            if target is not None
        )
    )
    tables.show(report)
    if record.fails and getattr(report, record.fails):
        raise click.exceptions.Exit(1)


def _table(report: Any, name: str) -> Any:
    return report.tables[name] if name in report.tables else getattr(report, name)

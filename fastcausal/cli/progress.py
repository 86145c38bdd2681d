"""The progress bar: units done, rate, and remaining time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Column
from rich.text import Text


class _Done(ProgressColumn):
    """Finished units, and units per second; empty before the first."""

    def __init__(self, unit: str, table_column: Column) -> None:
        super().__init__(table_column)
        self._unit = unit

    def render(self, task: Task) -> Text:
        if not task.completed:
            return Text()
        rate = "" if task.speed is None else f", {task.speed:,.0f} per second"
        return Text(f"{task.completed:,.0f} {self._unit}{rate}")


@contextmanager
def bar(
    what: str, console: Console, unit: str = "examples"
) -> Iterator[Callable[[int, int | None], None]]:
    """Show a bar for as long as the context lasts; yield a function of done and total units."""
    short = Column(no_wrap=True, overflow="ellipsis", ratio=1)  # for a long path
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False, table_column=short),
        BarColumn(20),
        _Done(unit, Column(no_wrap=True)),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, expand=True) as shown:
        task = shown.add_task(what, total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)

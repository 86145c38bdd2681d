"""Pictures of a corpus, drawn with matplotlib (the extra ``plots``)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from fastcausal.errors import InputError
from fastcausal.report.pictures import require_matplotlib, save_picture
from fastcausal.tasks.describe.description import (
    SENTENCES,
    CorpusDescription,
    Histogram,
    mean,
    quantile,
)

# Colours for colour-blind readers (Okabe and Ito 2008).
COLOURS = {
    "cause": "#D55E00",
    "effect": "#0072B2",
    "signal": "#009E73",
    "causal": "#0072B2",
    "non_causal": "#444444",
    "explicit": "#009E73",
    "implicit": "#BBBBBB",
}
PLAIN = "#4C72B0"
THOUSANDS = "{x:,.0f}"


def save_plots(
    corpus: CorpusDescription,
    folder: str | os.PathLike[str],  # made if it is missing
) -> list[Path]:
    """Draw a description, a PNG file per picture."""
    folder = Path(folder)
    require_matplotlib()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror or error}") from error
    written = []
    for name, draw in _pictures(corpus):
        save_picture(folder / f"{name}.png", partial(draw, corpus=corpus))
        written.append(folder / f"{name}.png")
    return written


def _pictures(
    corpus: CorpusDescription,
) -> Iterator[tuple[str, Callable[..., None]]]:
    """Return name and drawing function of every picture with data in the corpus."""
    if any(groups["causal"] or groups["non_causal"] for groups in corpus.words.values()):
        yield "sentence_lengths", _sentence_lengths
    if not corpus.n_relations:
        return
    if corpus.words:
        yield "span_lengths", _span_lengths
    yield "relations", _relations
    yield "argument_order", _argument_order
    if corpus.ranked_types:
        types = partial(_bars, title="Types", colour=PLAIN, counts=corpus.ranked_types)
        yield "types", types
    if corpus.signals:
        signals = partial(
            _bars,
            title="Most frequent signals",
            colour=COLOURS["signal"],
            counts=corpus.top_signals,
        )
        yield "signals", signals


def _sentence_lengths(figure: Any, corpus: CorpusDescription) -> None:
    tokenizer, groups = next(iter(corpus.words.items()))
    figure.set_size_inches(7, 3.6)
    axes = figure.subplots()
    longest = max(max(groups[g], default=0) for g in ("causal", "non_causal"))
    width = max(1, round(longest / 40))
    for group, look in (("causal", "stepfilled"), ("non_causal", "step")):
        lengths, colour = groups[group], COLOURS[group]
        if not lengths:
            continue
        label = f"{group.replace('_', '-')}: {lengths.total():,} sentences"
        axes.hist(
            list(lengths),
            bins=range(0, longest + 2 * width, width),
            weights=list(lengths.values()),
            histtype=look,
            color=colour,
            alpha=0.7 if look == "stepfilled" else 1,
            linewidth=1.5,
            label=f"{label}, mean {mean(lengths):.1f}",
        )
        axes.axvline(mean(lengths), color=colour, linestyle="--", linewidth=1)
    axes.set(title="Sentence length", xlabel=f"words ({tokenizer})", ylabel="sentences")
    axes.set_xlim(left=0)
    axes.yaxis.set_major_formatter(THOUSANDS)
    axes.legend()


def _span_lengths(figure: Any, corpus: CorpusDescription) -> None:
    tokenizer, groups = next(iter(corpus.words.items()))
    roles = [name for name in groups if name not in SENTENCES and groups[name]]
    figure.set_size_inches(7, 2 * len(roles))
    limit = max(quantile(groups[role], 0.995) or 0 for role in roles)
    panels = figure.subplots(len(roles), sharex=True, squeeze=False)[:, 0]
    for axes, role in zip(panels, roles, strict=True):
        lengths = groups[role]
        bars = {n: count for n, count in lengths.items() if n <= limit}
        longer = lengths.total() - sum(bars.values())
        axes.bar(list(bars), list(bars.values()), 0.85, color=COLOURS.get(role, PLAIN))
        axes.set(ylabel="spans", xlim=(0.3, limit + 0.7))
        axes.set_title(
            f"{role.capitalize()}: {lengths.total():,} spans, mean {mean(lengths):.1f}"
            + (f", {longer} of them longer than shown" if longer else "")
        )
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.yaxis.set_major_formatter(THOUSANDS)
    panels[-1].set_xlabel(f"words ({tokenizer})")


def _relations(figure: Any, corpus: CorpusDescription) -> None:
    figure.set_size_inches(7, 3.2)
    left, *right = figure.subplots(1, 1 + corpus.has_signals, squeeze=False)[0]
    _counts(left, corpus.per_sentence)
    left.set(title="Relations per sentence", xlabel="relations", ylabel="sentences")
    for axes in right:
        _counts(axes, corpus.signals_per_relation)
        axes.set(title="Signals per relation", xlabel="signals", ylabel="relations")


def _counts(axes: Any, histogram: Histogram) -> None:
    values = range(max(histogram) + 1)
    bars = axes.bar(values, [histogram[v] for v in values], color=PLAIN)
    if len(values) <= 10:  # few enough to label
        axes.bar_label(bars, fmt="{:,.0f}", padding=2)
        axes.margins(y=0.12)
        axes.set_xticks(values)
    axes.yaxis.set_major_formatter(THOUSANDS)


def _argument_order(figure: Any, corpus: CorpusDescription) -> None:
    figure.set_size_inches(7, 2.2)
    axes = figure.subplots()
    names = corpus.orders
    orders = [order for order in reversed(names) if any(corpus.ordered(order))]
    start: Sequence[int] = [0] * len(orders)
    for k, kind in enumerate(("explicit", "implicit")):
        counts = [corpus.ordered(order)[k] for order in orders]
        bars = axes.barh(
            [_capitalize(names[o]) for o in orders],
            counts,
            left=start,
            label=kind,
            color=COLOURS[kind],
        )
        axes.bar_label(bars, [f"{n:,}" if n else "" for n in counts], label_type="center")
        start = [a + b for a, b in zip(start, counts, strict=True)]
    axes.set(title="Argument order", xlabel="relations")
    axes.xaxis.set_major_formatter(THOUSANDS)
    if corpus.has_signals:
        axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2)


def _bars(
    figure: Any,
    corpus: CorpusDescription,
    title: str,
    colour: str,
    counts: Sequence[tuple[str, int]],
) -> None:
    top: Mapping[str, int] = dict(reversed(counts))
    figure.set_size_inches(7, 1.2 + 0.24 * len(top))
    axes = figure.subplots()
    bars = axes.barh([_short(name) for name in top], list(top.values()), color=colour)
    axes.bar_label(bars, padding=3)
    axes.margins(x=0.08, y=0.01)
    axes.set(title=title, xlabel="relations")


def _capitalize(order: str) -> str:
    first, before, second = order.partition(" before ")
    return f"{first.capitalize()}{before}{second.capitalize()}" if before else order


def _short(signal: str) -> str:
    return signal if len(signal) <= 40 else signal[:37] + "..."

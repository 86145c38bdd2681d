"""Labels from the files saved by raters: a table of judgments, and the number missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fastcausal.errors import InputError, Remedy
from fastcausal.files.files import Source
from fastcausal.files.lines import first_object
from fastcausal.files.packed import stem_of
from fastcausal.options import UnsurePolicy
from fastcausal.tasks.annotate.causality import collect_tests, has_tests
from fastcausal.tasks.annotate.collected import Collected, RaterLabel, require_once
from fastcausal.tasks.annotate.curation import CURATOR
from fastcausal.tasks.annotate.pairs import collect_pairs, has_scores
from fastcausal.tasks.annotate.qualify import (
    Item,
    TestedRater,
    expected_labels,
    result_of,
    systems_of,
)
from fastcausal.tasks.answers.join import read_extractions
from fastcausal.tasks.claims.count import judgments_of
from fastcausal.tasks.claims.files import entries_of_topic
from fastcausal.tasks.claims.reading import rater_of, read_claims
from fastcausal.tasks.preferences.files import read_preferences


def collect(
    paths: Sequence[str],  # files of answers, of claims, or with a key of preferences
    # names of files without suffix, with {rater}; for claims also {system}, {side}
    name: str | None = None,
    key: str | None = None,  # file of the system behind each place of a topic
    *,
    unsure: UnsurePolicy = "invalid",  # the label of a rater who is unsure, for answers
    test: str | None = None,  # answers with known verdicts: the files are a test of raters
    qualify: float = 0.8,  # the share of right labels with which a rater passes
) -> Collected:
    """Collect the labels of saved files."""
    files = [Source.open(path) for path in paths]
    if gold := next((file for file in files if CURATOR in first_object(file)), None):
        raise InputError(f"{gold.name} is gold, from a page of curation: read it as relations")
    for is_of, collect_all, what in (
        (has_scores, collect_pairs, "scores of pairs"),
        (has_tests, collect_tests, "tests of causality"),
    ):
        if not all(map(is_of, files)):
            continue
        if test is not None or key is not None:
            option = "test" if key is None else "key"
            raise InputError(f"{files[0].name} has {what}, which no {option} is for")
        return collect_all(files, name)
    if test is not None and (key is not None or _are_claims(files)):
        raise InputError(f"{files[0].name} has no answers, expected those of the test {test}")
    if key is not None:
        labels = [*_collect_preferences(files, name, key)]
    elif _are_claims(files):
        labels = [RaterLabel(**row) for row in judgments_of(read_claims(files, name)).to_pylist()]
    else:
        labels = [*_collect_answers(files, name, unsure)]
    _require_alike(labels)
    labels.sort(key=lambda v: (v.rater, v.system or "", v.item))
    return Collected(labels, {} if test is None else _results(labels, files, test, qualify))


def _results(
    labels: Sequence[RaterLabel], files: Sequence[Source], test: str, qualify: float
) -> dict[str, TestedRater]:
    """Return the result of each rater in a test."""
    source = Source.open(test)
    expected = expected_labels(source)
    read_extractions([source, *files])  # refuses other texts
    given: dict[str, dict[Item, float | None]] = {}
    for label in labels:
        given.setdefault(label.rater, {})[label.system, label.item] = label.label
    return {rater: result_of(expected, each, rater, qualify) for rater, each in given.items()}


def _are_claims(files: Sequence[Source]) -> bool:
    """Return True for files of claims, False for answers; refuse a mixture."""
    entries = [entries_of_topic(file) for file in files]
    for file, of_topic in zip(files, entries, strict=True):
        if any(name.endswith("_likert") for name in of_topic):
            remedy = Remedy("key", ("FILE",), "would name the systems")
            raise InputError(f"{file.name} has preferences for places", remedy)
    kinds = {"claims" in of_topic: file.name for file, of_topic in zip(files, entries, strict=True)}
    if len(kinds) > 1:
        raise InputError(f"{kinds[True]} has claims, {kinds[False]} does not: import one kind")
    return True in kinds


def _collect_answers(
    files: Sequence[Source], name: str | None, unsure: UnsurePolicy
) -> Iterator[RaterLabel]:
    if len(files) > 1:
        read_extractions(files)  # refuses other items or texts
    for file in files:
        items = read_extractions(file, unsure=unsure)
        named = rater_of(file.name, name)
        systems = systems_of(items)
        for column, rater in enumerate(items.raters or (stem_of(file.name),)):
            codes = items.verdicts[:, column].tolist() if items.raters else [-1] * len(items)
            for system, item, code in zip(systems, items.ids.to_pylist(), codes, strict=True):
                yield RaterLabel(system, item, named or rater, None if code < 0 else code)


def _collect_preferences(
    files: Sequence[Source], name: str | None, key: str
) -> Iterator[RaterLabel]:
    raters = [rater_of(file.name, name) or stem_of(file.name) for file in files]
    for each in read_preferences(list(zip(files, raters, strict=True)), key, "scores"):
        for system, score in each.values.items():
            yield RaterLabel(system, each.topic, each.rater, score)


def _require_alike(labels: Sequence[RaterLabel]) -> None:
    """Refuse an item repeated by a rater, or missing for another rater of the same system."""
    require_once(labels)
    items: dict[str, set[tuple[str | None, str]]] = {}
    for label in labels:
        items.setdefault(label.rater, set()).add((label.system, label.item))
    first, *rest = sorted(items)
    for rater in rest:
        if lacking := items[first] ^ items[rater]:
            missing = min(name for _, name in lacking)
            raise InputError(f'raters "{first}" and "{rater}" have different items: "{missing}"')

"""The findings of checks of annotations, a row each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial

import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.relations import NO_RELATION
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Scores
from fastcausal.report.report import Report, Tables

KINDS = (
    "span without link",
    "span without label",
    "unknown label",
    "empty span",
    "span across sentences",
    "discontinuous cause or effect",
    "broken link",
    "reversed link",
    "impossible link",
    "repeated link",
    "link across sentences",
    "relation without cause",
    "relation without effect",
    "overlapping cause and effect",
    "several segments",
    "relation within a span",
    "relation without type",
    "type in another case",
    "unread relation",
    "causal without relation",
    "relation in non-causal",
)
MAX_TEXT = 1000  # characters of a span in a finding: spans overlap and may be long
_SCHEMA = pa.schema(
    [(name, pa.string()) for name in ("annotator", "file", "example", "kind", "message", "text")]
    + [("start", pa.int64()), ("stop", pa.int64())]
)


@dataclass(frozen=True)
class Finding:
    """One fault."""

    annotator: str
    file: str
    example: str | None  # The id of the example, None for a fault outside sentences
    kind: str  # One of `KINDS`, or with other roles than cause and effect
    message: str  # The fault, and the expected form
    # The text of the faulty span, cut after `MAX_TEXT` characters with "..."; for a link, of
    # its source span
    text: str | None = None
    # Its characters, stop exclusive: in the document for WebAnno and brat files, in the
    # example's text for other formats; None without a text
    start: int | None = None
    stop: int | None = None


class CheckReport(Report):
    """The findings of `check`.

    Attributes
    ----------
    findings : tuple of Finding
        In the order of the files and of their examples.
    annotators : tuple of str
        All annotators, with and without findings.
    n_files, n_examples, n_relations : int
        Numbers of checked files, examples and relations that were read.
    notes : mapping of str to int
        Counted remarks on other content of the files, and on ways of locating spans.
    tags : str
        The reading of tagged sentences.
    """

    findings: tuple[Finding, ...]
    annotators: tuple[str, ...]
    notes: Mapping[str, int]
    tags: str

    def counts(self, annotator: str | None = None) -> dict[str, int]:
        """Count the findings of each kind, for all annotators or for one."""
        return count_kinds(self.findings, annotator)


def present_findings(
    findings: tuple[Finding, ...],
    annotators: tuple[str, ...],
    n_files: int,
    n_examples: int,
    n_relations: int,
    notes: Mapping[str, int],
    tags: str,
) -> CheckReport:
    """Make the report of findings."""
    counts = {name: count_kinds(findings, name) for name in annotators}
    kinds = count_kinds(findings)
    return CheckReport(
        f"files {n_files}, examples {n_examples}, relations {n_relations}, "
        f"findings {len(findings)}",
        f"fastcausal|{__version__}|check|tags:{tags}",
        {
            name: Scores({kind: of_name.get(kind, 0) for kind in kinds})
            for name, of_name in {**counts, "all": kinds}.items()
        },
        facts={
            "n_files": n_files,
            "n_examples": n_examples,
            "n_relations": n_relations,
            "n_findings": len(findings),
            "annotators": annotators,
            "notes": notes,
            "findings": findings,
            "tags": tags,
        },
        warnings=(
            *(() if n_relations else (f"the corpus has {NO_RELATION}",)),
            *(f"{note}: {n}" for note, n in notes.items()),
        ),
        tables=Tables(findings=partial(_tabulate, findings)),
        keys=(
            "n_files", "n_examples", "n_relations", "n_findings", "counts", "annotators", "notes",
            "findings",
        ),
        values={"counts": CheckReport.counts, "annotators": _count_annotators},
        arrow=_list_findings,
        grids=_grids,
    )  # fmt: skip


def count_kinds(findings: tuple[Finding, ...], annotator: str | None = None) -> dict[str, int]:
    """Count the findings of each kind, for all annotators or for one."""
    counts = Counter(f.kind for f in findings if annotator in (None, f.annotator))
    others = sorted(counts.keys() - {*KINDS})
    return {kind: counts[kind] for kind in (*KINDS, *others) if counts[kind]}


def _count_annotators(report: CheckReport) -> dict[str, dict[str, int]]:
    return {name: report.counts(name) for name in report.annotators}


def _list_findings(report: CheckReport) -> pa.Table:
    return _tabulate(report.findings)


def _tabulate(findings: tuple[Finding, ...]) -> pa.Table:
    """Make a row per finding, its columns the fields of `Finding`."""
    return pa.Table.from_pylist(list(map(asdict, findings)), _SCHEMA)


def _grids(report: CheckReport, counts: bool) -> list[Grid]:
    """Make a row per finding; and a row per kind of finding, a column per annotator."""
    columns = ["file", "example", "kind", "what"]
    findings = Grid(report.title, columns, "annotator", text=True)
    for f in report.findings:
        findings.add(f.annotator, f.file, f.example or "", f.kind, f.message)
    if not report.findings:
        return [findings]
    kinds = Grid("", list(report.scores), corner="kind")
    for kind in report.scores["all"]:
        kinds.add(kind, *(scores[kind] for scores in report.scores.values()))
    return [findings, kinds]

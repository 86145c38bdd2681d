"""The findings of checks of annotations, a row each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

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
    "unread relation",
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
    kind: str  # One of `KINDS`
    message: str  # The fault, and the expected form
    # The text of the faulty span, cut after `MAX_TEXT` characters with "..."; for a link, of
    # its source span
    text: str | None = None
    # Its characters, stop exclusive: in the document for WebAnno and brat files, in the
    # example's text for other formats; None without a text
    start: int | None = None
    stop: int | None = None


@dataclass(eq=False, repr=False)
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
    n_files: int
    n_examples: int
    n_relations: int
    notes: Mapping[str, int] = field(default_factory=dict)
    tags: str = "strict"

    def __post_init__(self) -> None:
        of = f"files {self.n_files}, examples {self.n_examples}, relations {self.n_relations}"
        counts = {name: self.counts(name) for name in self.annotators}
        kinds = self.counts()
        super().__init__(
            f"{of}, findings {len(self.findings)}",
            f"fastcausal|{__version__}|check|tags:{self.tags}",
            {
                name: Scores({kind: of_name.get(kind, 0) for kind in kinds})
                for name, of_name in {**counts, "all": kinds}.items()
            },
            facts={
                "n_files": self.n_files,
                "n_examples": self.n_examples,
                "n_relations": self.n_relations,
                "n_findings": len(self.findings),
                "counts": kinds,
                "annotators": counts,
                "notes": self.notes,
            },
            warnings=(
                *(() if self.n_relations else (f"the corpus has {NO_RELATION}",)),
                *(f"{note}: {n}" for note, n in self.notes.items()),
            ),
            tables=Tables(findings=self.to_arrow),
            keys=(
                "n_files", "n_examples", "n_relations", "n_findings", "counts", "annotators",
                "notes", "findings",
            ),
        )  # fmt: skip

    def counts(self, annotator: str | None = None) -> dict[str, int]:
        """Count the findings of each kind, for all annotators or for one."""
        counts = Counter(f.kind for f in self.findings if annotator in (None, f.annotator))
        return {kind: counts[kind] for kind in KINDS if counts[kind]}

    def to_arrow(self) -> pa.Table:
        """Return a row per finding, its columns the fields of `Finding`."""
        return pa.Table.from_pylist(list(map(asdict, self.findings)), _SCHEMA)

    def to_table(self, counts: bool = False) -> Grid:
        """Return a row per finding."""
        grid = Grid(self.title, ["file", "example", "kind", "what"], "annotator", text=True)
        for f in self.findings:
            grid.add(f.annotator, f.file, f.example or "", f.kind, f.message)
        return grid

    def to_tables(self, counts: bool = False) -> Sequence[Grid]:
        """Return a row per finding; and a row per kind of finding, a column per annotator."""
        grid = Grid("", list(self.scores), corner="kind")
        for kind in self.scores["all"]:
            grid.add(kind, *(scores[kind] for scores in self.scores.values()))
        return [self.to_table(counts), *([grid] if self.findings else [])]

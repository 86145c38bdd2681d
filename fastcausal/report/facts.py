"""The facts and tables of all tasks, as attributes of a report for editors and type checkers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from fastcausal.report.groups import Groups


class Facts:
    """Names of facts and tables with their types; a report has those of its task."""

    # numbers of examples, items, pairs and others
    n: int
    n_articles: int | None
    n_asked: int
    n_chains: int
    n_changed: int
    n_claims: Mapping[str, int]
    n_differing: int
    n_events: int
    n_examples: int
    n_files: int
    n_findings: int
    n_frames: int
    n_gold_relations: int
    n_items: int
    n_missing: int
    n_paired_units: int
    n_pairs: int
    n_pred_relations: int
    n_questions: int
    n_rated: int
    n_raters: int
    n_ratings: int
    n_read: int
    n_rows: int
    n_sections: int
    n_systems: int
    n_tied: int
    n_topics: int
    n_types_differ: int
    n_unjudged: int
    n_units: int
    n_unparsed: int
    n_unparsed_answers: int
    n_unparsed_relations: int
    n_unrated: int
    n_words: int
    unparsed_answers_rate: float
    unparsed_relations_rate: float

    # settings of evaluations
    by: Any
    column: str | None
    confidence: float
    leaderboard: Any
    level: str
    n_resamples: int
    power: float
    protocol: str
    score: str
    seed: int
    task: str
    unit: str

    # results
    agreement: Mapping[str, Any]
    alpha: float
    answers: Any
    baselines: Groups
    best: Mapping[str, Any] | None
    bounds: Mapping[str, Mapping[str, float] | None] | None
    by_class: Groups
    changed: Sequence[Mapping[str, str]]
    class_subsets: Sequence[Mapping[str, Any]]
    classes: Any
    cohen_kappa: float
    cohen_kappa_linear: float
    cohen_kappa_quadratic: float
    coverage: Any
    delta: float
    disagreements_page: Callable[[], str]
    distances: Mapping[str, Mapping[str, Any]]
    ends: Mapping[str, int] | None
    entries: Mapping[str, Any]
    experts: Mapping[str, Any] | None
    fleiss_kappa: float
    folds: Mapping[str, Any]
    frames: Any
    graph: Mapping[str, Any] | None
    gwet_ac1: float
    human: Mapping[str, Any] | None
    majority: Mapping[str, int]
    means: Mapping[str, Groups]
    metrics: Mapping[str, Any]
    official: Any
    pairs_per_topic: Mapping[str, Any]
    parts: Mapping[str, Any]
    percent_agreement: float
    plans: Sequence[Mapping[str, Any]]
    qualification: Mapping[str, Any] | None
    quirks: tuple[Any, ...]
    raters: Mapping[str, Any]
    ratings: Any
    ratings_per_pair: Mapping[str, Any]
    reasons: Mapping[str, Any]
    recess: Any
    same_document: Mapping[str, Mapping[str, Any]] | None
    se: float
    stories: Any
    systems: Any
    tests: Sequence[Any]
    thresholds: Sequence[Mapping[str, Any]]
    tied: Sequence[str]
    timeline: Mapping[str, Any]
    topics: Mapping[str, Any]
    triage: Mapping[str, int]
    types: Mapping[str, Any]
    unanswered: Any
    undefined: Any
    unread: Mapping[str, Any]
    verdicts: Mapping[str, Any]
    yes_no: Mapping[str, Any] | None

    # tables
    differing: pa.Table
    disagreements: pa.Table
    judgments: pa.Table
    pairs: Any
    per_chain: pa.Table
    per_document: pa.Table
    per_example: pa.Table
    per_frame: pa.Table
    per_item: pa.Table
    per_pair: pa.Table
    per_question: pa.Table
    per_topic: pa.Table
    prompts: pa.Table

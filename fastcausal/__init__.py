"""Exact, fast scores of causal relations: spans of Cause, Effect and Signal, and their agreement.

Names load when first used, so that importing the package costs little more than importing numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from fastcausal.annotators.agree import Agreement as Agreement
    from fastcausal.annotators.agree import agreement as agreement
    from fastcausal.checks import CheckReport as CheckReport
    from fastcausal.checks import check as check
    from fastcausal.corpus.describe import describe as describe
    from fastcausal.corpus.description import CorpusDescription as CorpusDescription
    from fastcausal.decoding import Decoded as Decoded
    from fastcausal.decoding import SpanDecoder as SpanDecoder
    from fastcausal.engine.kernel import Objective as Objective
    from fastcausal.engine.kernel import kernel as kernel
    from fastcausal.engine.rows import Rows as Rows
    from fastcausal.errors import InputError as InputError
    from fastcausal.extraction import ExtractionScorer as ExtractionScorer
    from fastcausal.extraction import score as score
    from fastcausal.formats import read as read
    from fastcausal.formats import write as write
    from fastcausal.protocols import PROTOCOLS as PROTOCOLS
    from fastcausal.protocols import Protocol as Protocol
    from fastcausal.questions.answers import score_answers as score_answers
    from fastcausal.questions.report import AnswerReport as AnswerReport
    from fastcausal.quirks import explain as explain
    from fastcausal.ratings.alpha import AlphaInterval as AlphaInterval
    from fastcausal.ratings.alpha import alpha_interval as alpha_interval
    from fastcausal.ratings.alpha import fleiss_kappa as fleiss_kappa
    from fastcausal.ratings.alpha import krippendorff_alpha as krippendorff_alpha
    from fastcausal.ratings.alpha import percent_agreement as percent_agreement
    from fastcausal.ratings.kappas import cohen_kappa as cohen_kappa
    from fastcausal.ratings.kappas import mean_pairwise_kappa as mean_pairwise_kappa
    from fastcausal.ratings.votes import LabelAgreement as LabelAgreement
    from fastcausal.ratings.votes import label_agreement as label_agreement
    from fastcausal.ratings.votes import majority_vote as majority_vote
    from fastcausal.relations import Relations as Relations
    from fastcausal.report import Report as Report
    from fastcausal.sentences.classify import ClassificationScorer as ClassificationScorer
    from fastcausal.sentences.classify import classify as classify
    from fastcausal.sentences.report import ClassificationReport as ClassificationReport
    from fastcausal.tag_scorer import TagScorer as TagScorer
    from fastcausal.tagging import TagScheme as TagScheme

_MODULES = {
    "Agreement": "annotators.agree",
    "AlphaInterval": "ratings.alpha",
    "AnswerReport": "questions.report",
    "CheckReport": "checks",
    "ClassificationReport": "sentences.report",
    "ClassificationScorer": "sentences.classify",
    "CorpusDescription": "corpus.description",
    "Decoded": "decoding",
    "ExtractionScorer": "extraction",
    "InputError": "errors",
    "LabelAgreement": "ratings.votes",
    "Objective": "engine.kernel",
    "PROTOCOLS": "protocols",
    "Protocol": "protocols",
    "Relations": "relations",
    "Report": "report",
    "Rows": "engine.rows",
    "SpanDecoder": "decoding",
    "TagScheme": "tagging",
    "TagScorer": "tag_scorer",
    "agreement": "annotators.agree",
    "alpha_interval": "ratings.alpha",
    "check": "checks",
    "classify": "sentences.classify",
    "cohen_kappa": "ratings.kappas",
    "describe": "corpus.describe",
    "explain": "quirks",
    "fleiss_kappa": "ratings.alpha",
    "kernel": "engine.kernel",
    "krippendorff_alpha": "ratings.alpha",
    "label_agreement": "ratings.votes",
    "majority_vote": "ratings.votes",
    "mean_pairwise_kappa": "ratings.kappas",
    "percent_agreement": "ratings.alpha",
    "read": "formats",
    "score": "extraction",
    "score_answers": "questions.answers",
    "write": "formats",
}

__all__ = [*sorted(_MODULES), "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return __all__

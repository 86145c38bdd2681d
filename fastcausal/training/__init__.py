"""Scores inside the loops of other libraries: torchmetrics, Trainer, evaluate, TRL, verl.

Each name loads at its first use, together with its library.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fastcausal.training.evaluation import TagMetric as TagMetric
    from fastcausal.training.evaluation import tag_metric_path as tag_metric_path
    from fastcausal.training.reward import Reward as Reward
    from fastcausal.training.span_score import SpanScore as SpanScore
    from fastcausal.training.stopping import Stop as Stop
    from fastcausal.training.trainer import compute_metrics as compute_metrics
    from fastcausal.training.words import align_labels as align_labels
    from fastcausal.training.words import word_ids_of as word_ids_of

_MODULES = {
    "Reward": "reward",
    "SpanScore": "span_score",
    "Stop": "stopping",
    "TagMetric": "evaluation",
    "align_labels": "words",
    "compute_metrics": "trainer",
    "tag_metric_path": "evaluation",
    "word_ids_of": "words",
}
_EXTRAS = {"span_score": "torch", "evaluation": "hf"}

__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _MODULES[name]
    try:
        return getattr(import_module(f"{__name__}.{module}"), name)
    except ModuleNotFoundError as error:
        if module not in _EXTRAS or str(error.name).startswith("fastcausal"):
            raise
        message = f"{name} needs {error.name}: pip install 'fastcausal[{_EXTRAS[module]}]'"
        raise ImportError(message, name=error.name) from error


def __dir__() -> list[str]:
    return __all__

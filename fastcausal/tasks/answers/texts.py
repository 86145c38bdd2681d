"""ROUGE-L and BLEU of whole answers, by the libraries that define them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from fastcausal.arrays.arrow import numbers
from fastcausal.errors import InputError
from fastcausal.tasks.answers.join import Extractions


def text_scores(
    items: Extractions,
    scored: npt.NDArray[np.bool_],  # [n_items]
) -> dict[str, npt.NDArray[np.float64]]:
    """Compute ROUGE-L and BLEU of scored items."""
    # ``rouge_l`` is the F-measure without a stemmer; ``bleu`` is that of a sentence, 13a, without
    # smoothing, from 0 to 1. Each is [n_scored].
    rouge, bleu = _scorers()
    kept = numbers(scored)
    texts = [items.texts[name].filter(kept).to_pylist() for name in ("reference", "answer")]
    pairs = [*zip(*texts, strict=True)]
    return {
        "rouge_l": np.array([rouge.score(a, b)["rougeL"].fmeasure for a, b in pairs], np.float64),
        "bleu": np.array([bleu.sentence_score(b, [a]).score / 100 for a, b in pairs], np.float64),
    }


def _scorers() -> tuple[Any, Any]:
    try:
        from rouge_score.rouge_scorer import RougeScorer
        from sacrebleu.metrics.bleu import BLEU
    except ImportError as error:
        raise InputError(
            f"text metrics need rouge-score and sacrebleu ({error.name} is not installed): "
            "pip install 'fastcausal[text]'"
        ) from error
    return RougeScorer(["rougeL"]), BLEU(smooth_method="none", effective_order=True)

"""Claims as files and as tables, from raters' judgments."""

from __future__ import annotations

import json

SIDES = ("prediction", "reference")


def rows_of(raters):
    """Return rows from {rater: {topic: (judgments of predictions, judgments of references)}}."""
    return [
        {"system": "s", "topic": topic, "side": side, "claim": f"claim {k:03}", "rater": rater,
         "judgment": judgment}
        for rater, topics in raters.items()
        for topic, sides in topics.items()
        for side, judgments in zip(SIDES, sides, strict=True)
        for k, judgment in enumerate(judgments)
    ]  # fmt: skip


def document(side, *claims, topic="t"):
    return json.dumps({topic: {side: "An article.", "claims": list(claims)}})


def claim(judgment, text="x"):
    return {"claim": text, "judgment": judgment}


def two_files(folder, prediction, reference):
    paths = [folder / f"{side}.json" for side in SIDES]
    for path, text in zip(paths, (prediction, reference), strict=True):
        path.write_text(text)
    return paths

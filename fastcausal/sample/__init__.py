"""The embedded sample: relations, annotators, judged pairs, answers, claims, scores and logs.

The README in this folder describes its files.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from fastcausal.errors import InputError

FOLDER = Path(__file__).parent
GOLD = FOLDER / "gold.csv"
SYSTEMS = {name: FOLDER / f"{name}.jsonl" for name in ("careful", "hasty", "chatty")}
ANNOTATORS = {name: FOLDER / f"{name}.jsonl" for name in
              ("annotator_1", "annotator_2", "annotator_3")}  # fmt: skip
ANSWERS = FOLDER / "answers.json"
RAW_ANSWERS = FOLDER / "raw_answers.jsonl"
CRAB_GOLD = FOLDER / "crab_gold.jsonl"
CRAB_SCORES = {name: FOLDER / f"crab_scores_{name}.jsonl" for name in SYSTEMS}
CRAB_YES_NO = FOLDER / "crab_yes_no.jsonl"
CRAB_LETTERS = FOLDER / "crab_letters.jsonl"
SUFFIXES = (".csv", ".json", ".jsonl", ".eval")
CLAIMS = tuple(
    FOLDER / f"claims_{side}_{system}_{rater}.json"
    for side in ("prediction", "reference")
    for system in ("brief", "full")
    for rater in ("ann", "ben")
)
PREFERENCES = {name: FOLDER / f"preferences_{name}.json" for name in ("ann", "ben")}
PREFERENCES_KEY = FOLDER / "preferences_key.json"
JUDGED = FOLDER / "judged_answers.json"
RATER_TEST = FOLDER / "rater_test.json"
RATERS = {name: FOLDER / f"judged_{name}.json" for name in ("ann", "ben")}

PAIRS_GOLD, PAIRS_EVENTS = FOLDER / "pairs_gold.csv", FOLDER / "pairs_events.csv"
PAIRS_TEXT = FOLDER / "pairs_text.csv"
PAIRS = {name: FOLDER / f"pairs_{name}.csv" for name in ("careful", "hasty")}
CHOICES = FOLDER / "choices.csv"
CHOSEN = {name: FOLDER / f"choices_{name}.jsonl" for name in ("careful", "chatty")}
SECTIONS = FOLDER / "sections.csv"
SECTIONED = {name: FOLDER / f"sections_{name}.csv" for name in ("careful", "hasty")}
CAUSES, CAUSES_CAREFUL = FOLDER / "causes.csv", FOLDER / "causes_careful.csv"
SCORES, JUDGMENTS = FOLDER / "scores.csv", FOLDER / "judgments.csv"


def copy_to(folder: Path) -> None:
    """Copy the sample's files to a folder; create the folder if needed.

    Raises
    ------
    InputError
        The folder cannot be written to, or has different files of these names.
    """
    paths = [path for path in sorted(FOLDER.iterdir()) if path.suffix in SUFFIXES]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        missing = [path for path in paths if not (folder / path.name).exists()]
        for path in paths:
            if path not in missing and (folder / path.name).read_bytes() != path.read_bytes():
                raise InputError(f"{folder / path.name} is there and is not the sample's")
        for path in missing:
            shutil.copy(path, folder)
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror or error}") from error

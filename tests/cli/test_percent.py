"""Percents: every command shows shares so, shares alone, and names all that it shows so."""

from __future__ import annotations

import re

import pytest

from tests.cli import test_options
from tests.cli.test_options import COMMANDS, USES, typed
from tests.cli.test_tables import WITHOUT
from tests.support.cli import cli

files, _quick_boxes = test_options.files, test_options._quick_boxes
MORE = {
    "answers": ["judged_answers.json --by tag"],
    "classify": [
        "labels_1.csv labels_2.csv --by who",
        "choices.csv choices_careful.jsonl choices_chatty.jsonl --protocol cladder --by rung "
        "--unparsed wrong",
    ],
    "compare": [
        "values_a.csv values_b.csv --lower-is-better",
        "scored_a.parquet scored_b.parquet --score score_mae --score overall_mcc "
        "--score overall_accuracy --score score_bias --n-resamples 99",
    ],
    "crab pairwise": [
        "crab_gold.jsonl crab_scores_careful.jsonl --by topic_id",
        "crab_gold.jsonl crab_scores_careful.jsonl crab_scores_hasty.jsonl --unparsed empty",
    ],
    "crab agree": ["crab_ratings.jsonl --qualify 0.5 --gold crab_gold.jsonl"],
    "gate": ["--baseline scored_a.parquet --candidate scored_b.parquet --score score_mae "
             "--min-delta -0.1 --min overall_accuracy=0.1"],
    "leaderboard": [
        "scored_a.parquet scored_b.parquet --score score_mae --score overall_accuracy",
        "scored_a.parquet scored_b.parquet --score score_mae --score overall_accuracy "
        "--group crab_scores_{seed}",
    ],
    "meta": [
        "scores.csv judgments.csv --compare pooled.pairwise_accuracy --resamples 50",
        "crab_labels.csv --human r4 --unmatched skip --compare overall.kappa --resamples 50",
    ],
    "qa": ["causes.csv causes_careful.csv --protocol fincausal-2025 --similarity sas"],
    "score": ["sections.csv sections_careful.csv sections_hasty.csv --protocol fincausal-2020"],
}  # fmt: skip
LINES = [
    (name, line.replace("--json", "").strip())
    for name, uses in USES.items()
    if name not in WITHOUT
    for line in [*uses.values(), *MORE.get(name, [])]
]
# Names of figures, as rows and as last words of columns.
SHARES = {
    "precision", "recall", "f1", "accuracy", "exact_match", "exact match", "em", "osb", "to",
    "share", "percent agreement", "percent_agreement", "read", "too strong", "too weak",
    "overall_accuracy", "overall_f1", "mean_share", "unanimous", "contained", "valid",
    "auc", "calibrated", "majority", "as_cladder", "macro_f1", "f1_yes", "winning rate", "squad_f1",
}  # fmt: skip
OTHERS = {
    "mcc", "mae", "bias", "spearman", "pearson", "kendall", "kappa", "cohen kappa", "fleiss kappa",
    "alpha", "alpha_unitized", "gwet ac1", "gwet_ac1", "cohen_kappa", "fleiss_kappa", "sas",
    "rank", "mean difference", "p", "p-value", "score_mae", "score_bias", "overall_mcc",
    "threshold", "weight", "median", "max", "min",
}  # fmt: skip
FLOAT = re.compile(r"(?<![\d.])[+-]?\d+\.(\d+)(?!\.?\d)")


def cells(out):
    """Yield part, row, column and text of the cells of tables in Markdown."""
    header, part = None, ""
    for line in out.splitlines():
        if not line.startswith("|"):
            header, part = None, ""
            continue
        row = [re.sub(r"\\(.)|\*\*|†", r"\1", cell).strip() for cell in line[2:-2].split(" | ")]
        if header is None:
            header = row
        elif not any(row[1:]):
            part = row[0]
        elif row[0] != ":--":
            for column, text in zip(header[1:], row[1:], strict=True):
                yield part, row[0], column, text


def test_every_command_is_walked():
    assert {name for name, _ in LINES} == {*COMMANDS} - WITHOUT - {"bench"}


@pytest.fixture(autouse=True)
def _scored(files):
    for name, of in {"a": "careful", "b": "hasty"}.items():
        if not (counts := files / f"scored_{name}.parquet").exists():
            pred = files / f"crab_scores_{of}.jsonl"
            cli("crab", "pairwise", files / "crab_gold.jsonl", pred, "--per-pair", counts,
                "--unparsed", "empty", "--unmatched", "empty")  # fmt: skip


@pytest.mark.parametrize(("name", "line"), dict.fromkeys(LINES))
def test_shares_alone_are_in_percent_and_all_of_them_are_named(name, line, files):
    shown = [*line.split(), "--format", "markdown", "--digits", "8"]
    code, out, err, _ = typed(files, name, [*shown, "--percent"])
    assert code in (0, 1), err
    [*said] = re.findall(r"^in percent: (.*)$", out.replace("\\", ""), re.M)
    named = {name for names in said for name in names.split(", ")}
    places = []
    for part, row, column, text in cells(out):
        if not (decimals := {len(end) for end in FLOAT.findall(text)} & {8, 10}):
            continue
        assert len(decimals) == 1, text
        is_share = decimals == {8}
        words = {row, column.lower().rpartition(" ")[2], column.lower()}
        assert not (is_share and words & OTHERS), (part, row, column, text)
        assert is_share or words & OTHERS or not words & SHARES, (part, row, column, text)
        names = {part, row, column} & named
        assert names if is_share else column not in named or words & OTHERS, (row, column, named)
        places += [names] if is_share else []
    assert bool(said) == bool(places)
    assert all(any(name in names for names in places) for name in named)

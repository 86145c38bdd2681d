"""The records of the commands of CRAB, by the name of the command."""

from __future__ import annotations

from typing import Any

from fastcausal.counts.command import CommandRecord, Flag, Refusal, Target, is_missing

OF_DRAWS = ("cluster", "method", "confidence", "n_resamples", "seed")
OF_ANSWERS = (
    "task", "column", "undefined", "unparsed", "unmatched", "pattern", "intervals", *OF_DRAWS,
)  # fmt: skip
FLAGS = {"column": Flag(metavar="NAME"), "pattern": Flag(metavar="REGEX")}
PAIRS = {"gold": "GOLD", "pred": "ANSWERS..."}
SHAPES: dict[str, Any] = {
    "sources": {"gold": "GOLD", "pred": "[ANSWERS]..."},
    "each": "pred",
    "read": "fastcausal.tasks.crab.files:read_pairs",
    "flags": FLAGS,
    "refused": (Refusal(OF_ANSWERS, is_missing("pred"), "is for answers: name a file of them"),),
}
COMMANDS = {
    "describe": CommandRecord(
        "fastcausal.tasks.crab.corpus:describe",
        {"gold": "GOLD..."},
        (
            "fastcausal crab describe crab_gold.jsonl --threshold 80",
            "fastcausal crab describe crab_gold.jsonl --html graph.html",
        ),
        each="gold",
        draw="fastcausal.tasks.crab.plots:draw_classes",
        page="Draw the graphs of stories on a page for the browser.",
        refused=(
            Refusal(("html",), lambda o: len(o["gold"]) > 1, "is for one file of judged pairs"),
        ),
    ),
    "pairwise": CommandRecord(
        "fastcausal.tasks.crab.pairwise:pairwise",
        PAIRS,
        (
            "fastcausal crab pairwise crab_gold.jsonl crab_scores_careful.jsonl",
            "fastcausal crab pairwise crab_gold.jsonl crab_yes_no.jsonl --task binary",
        ),
        each="pred",
        unit="pair",
        unit_text="the outcome of each pair",
        read="fastcausal.tasks.crab.files:read_pairs",
        draw="fastcausal.tasks.crab.plots:draw_confusions",
        flags=FLAGS,
        refused=(
            Refusal(
                ("gold_from",),
                lambda o: o["task"] == "binary",
                "is for classes, task binary takes gold's scores",
            ),
            Refusal(("threshold",), lambda o: o["task"] != "binary", "is for task binary"),
        ),
    ),
    "frames": CommandRecord(
        "fastcausal.tasks.crab.frames:frames",
        examples=(
            "fastcausal crab frames crab_gold.jsonl",
            "fastcausal crab frames crab_gold.jsonl crab_letters.jsonl",
        ),
        unit="frame",
        unit_text="type and scores of each frame",
        **SHAPES,
    ),
    "chains": CommandRecord(
        "fastcausal.tasks.crab.chains:chains",
        examples=(
            "fastcausal crab chains crab_gold.jsonl",
            "fastcausal crab chains crab_gold.jsonl crab_letters.jsonl",
        ),
        unit="chain",
        unit_text="type and scores of each chain",
        **SHAPES,
    ),
    "make-mcq": CommandRecord(
        "fastcausal.tasks.crab.mcq:make_questions",
        {"gold": "GOLD", "out": "OUT"},
        ("fastcausal crab make-mcq crab_gold.jsonl questions.jsonl",),
        report="fastcausal.tasks.crab.mcq:describe_questions",
        writes={"out": Target("questions")},
        flags={"seed": Flag(min=0), "per_frame": Flag(min=1)},
    ),
    "graded": CommandRecord(
        "fastcausal.tasks.crab.questions:graded",
        {"questions": "QUESTIONS", "pred": "ANSWERS..."},
        ("fastcausal crab graded crab_questions.jsonl crab_choices.jsonl",),
        each="pred",
        unit="question",
        unit_text="the outcome of each question",
        read="fastcausal.tasks.crab.questions:read_questions",
        draw="fastcausal.tasks.crab.plots:draw_confusions",
        flags=FLAGS,
    ),
    "agree": CommandRecord(
        "fastcausal.tasks.crab.raters:agree",
        {"ratings": "RATINGS"},
        ("fastcausal crab agree crab_ratings.jsonl",),
        writes={"pairs": Target("mean, variance and classes of each pair")},
        flags={
            "border_width": Flag(min=0, max=100),
            "min_variance": Flag(min=0),
            "expert_share": Flag(min=0, max=1),
            "qualify": Flag(min=0, max=1),
            "yes_no": Flag(metavar="COLUMN"),
        },
        refused=(
            Refusal(
                ("min_variance", "expert_share"),
                lambda o: o["border_width"] is None,
                "is for pairs near a border: add --border-width",
            ),
            Refusal(
                ("expert_share",),
                lambda o: o["min_variance"] is not None,
                "is another rule than --min-variance",
            ),
            Refusal(
                ("gold",),
                lambda o: o["qualify"] is None,
                "is for the accuracy of raters: add --qualify",
            ),
        ),
    ),
    "experts": CommandRecord(
        "fastcausal.tasks.crab.experts:experts",
        {"gold": "GOLD", "ratings": "RATINGS"},
        ("fastcausal crab experts crab_gold.jsonl crab_ratings.jsonl --out judged.jsonl",),
        writes={"out": Target("pairs with their new classes", "pairs", required=True)},
    ),
    "events": CommandRecord(
        "fastcausal.tasks.crab.event_lists:events",
        {"gold": "GOLD", "pred": "FOUND"},
        ("fastcausal crab events crab_gold_events.jsonl crab_found_events.jsonl",),
        flags={"min_f1": Flag(min=0, max=1), "min_tokens": Flag(min=0)},
        refused=(Refusal(("min_f1",), lambda o: o["match"] != "tokens", "is for --match tokens"),),
    ),
    "prompts": CommandRecord(
        "fastcausal.tasks.crab.prompts:prompts",
        {"gold": "GOLD", "articles": "[ARTICLES]"},
        (
            "fastcausal crab prompts crab_gold.jsonl --out prompts.jsonl",
            "fastcausal crab prompts crab_questions.jsonl --task mcq --out prompts.jsonl",
        ),
        writes={"out": Target("prompts", "prompts", required=True)},
        flags={"format": Flag("--to"), "words": Flag(min=1)},
        refused=(
            Refusal(
                (),
                lambda o: (o["to"] == "openai-batch") != (o["model"] is not None),
                "--model is for --to openai-batch, which needs it",
            ),
        ),
    ),
    "split": CommandRecord(
        "fastcausal.tasks.crab.splits:split",
        {"gold": "GOLD", "out": "OUT"},
        ("fastcausal crab split crab_gold.jsonl parts.jsonl --by pair",),
        report="fastcausal.tasks.crab.splits:describe_split",
        writes={"out": Target("pairs with a column split")},
        flags={"how": Flag("--by"), "test": Flag(min=1), "seed": Flag(min=0)},
        refused=(
            Refusal(("seed",), lambda o: o["by"] == "date", "is for draws, --by date draws none"),
            *(
                Refusal(
                    ("dates",),
                    lambda o, how=how: o["by"] == how,  # type: ignore[misc]
                    f"is for --by date, not for --by {how}",
                )
                for how in ("story", "pair")
            ),
        ),
    ),
    "sweep": CommandRecord(
        "fastcausal.tasks.crab.sweep:sweep",
        PAIRS,
        ("fastcausal crab sweep crab_gold.jsonl crab_yes_no.jsonl --plot figure_5.png",),
        each="pred",
        read="fastcausal.tasks.crab.files:read_pairs",
        draw="fastcausal.tasks.crab.plots:draw_sweeps",
        flags=FLAGS
        | {
            "thresholds": Flag(
                metavar="T,T,...", read="fastcausal.tasks.crab.sweep:parse_thresholds"
            )
        },
    ),
}

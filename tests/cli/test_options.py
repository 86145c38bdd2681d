"""Every option of every command does something, or is refused with exit status 2.

The options come from the tree of commands itself: one that is new needs a value here.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner

from fastcausal import sample
from fastcausal.cli import app
from tests.support.command_files import lay_files
from tests.support.schemas import faults
from tests.support.shared_tasks import judged_here, pack_nothing


def commands(group, above=()):
    """Yield commands by their words, in groups of commands too."""
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if hasattr(command, "commands"):
            yield from commands(command, (*above, name))
        else:
            yield " ".join((*above, name)), command


COMMANDS = dict(commands(app))
CLAIM_FILES = "claims_{side}_{system}_{rater}"
# Ways to use each command. They end with exit status 0 or 1: there is something to change.
USES = {
    "aggregate": {
        "one": "careful.parquet",
        "json": "careful.parquet --json",
        "intervals": "careful.parquet --intervals",
        "jackknife": "careful.parquet --intervals --method jackknife",
        "values": "values_a.jsonl values_b.jsonl",
        "subsets": "careful.parquet --by doc_id --compare harbour,clinic",
    },
    "agree": {
        "relations": "annotator_1.jsonl annotator_2.jsonl annotator_3.jsonl",
        "labels": "labels_1.csv labels_2.csv --labels label",
        "intervals of labels": "labels_1.csv labels_2.csv --labels label --intervals",
        "percentiles of labels": "labels_1.csv labels_2.csv --labels label --intervals "
        "--method percentile",
        "subsets of labels": "ratings.csv --labels label --by genre",
        "intervals": "annotator_1.jsonl annotator_2.jsonl --intervals",
        "percentiles": "annotator_1.jsonl annotator_2.jsonl --intervals --method percentile",
        "json": "annotator_1.jsonl annotator_2.jsonl --json",
        "one file of labels": "ratings.csv --labels label",
    },
    "annotate export": {
        "answers": "judged_answers.json page.html",
        "claims": "claims_prediction_full_ann.json page.html "
        "--against claims_reference_full_ann.json",
        "verdicts": "unsure.json page.html",
        "pairs": "crab_gold.jsonl page.html --form pairs",
        "causality": "gold.csv page.html --form causality",
        "curation": "annotator_1.jsonl annotator_2.jsonl page.html --form curation",
    },
    "annotate import": {
        "answers": "unsure.json",
        "test": "unsure.json --test rater_test.json",
    },
    "check": {
        "tags": "short.csv --from cnc",
        "any": "short.csv",
        "no tags": "plain.jsonl",
        "brat": "x.ann",
    },
    "claims": {
        "raters": f"{' '.join(path.name for path in sample.CLAIMS)} --name {CLAIM_FILES}",
        "one rater": "claims_prediction_full_ann.json claims_reference_full_ann.json",
        "table": "claims.csv --nulls skip --unmatched skip",
    },
    "answers": {
        "rater": "judged_ann.json",
        "raters": "judged_ann.json judged_ben.json",
        "unsure": "unsure.json",
        "json": "judged_answers.json --json",
        "read": "judged_answers.json",
    },
    "classify": {
        "files": "labels_1.csv labels_2.csv",
        "answers": "choices.csv choices_chatty.jsonl --answers binary",
        "protocol": "choices.csv choices_chatty.jsonl --protocol cladder-gpt",
    },
    "compare": {
        "text": "careful.parquet hasty.parquet --n-resamples 100 --method bca",
        "json": "careful.parquet hasty.parquet --n-resamples 100 --json",
        "values": "values_a.jsonl values_b.jsonl --json",
        "gold": "gold.csv careful.jsonl hasty.jsonl --json",
    },
    "convert": {
        "tags": "short.csv out.jsonl",
        "no tags": "plain.jsonl out.parquet",
        "predictions": "careful.jsonl out.parquet --like gold.csv",
        "answers": "raw_answers.jsonl out.parquet --like gold.csv --answers output",
        "span texts": "spans.jsonl out.parquet --from spans",
        "brat": "x.ann out.jsonl",
        "questions": "gold.csv out.json --to squad",
        "inference": "gold.csv out.jsonl --to nli",
        "event pairs": "corpus.CLINK.txt out.jsonl",
    },
    "crab pairwise": {
        "scores": "crab_gold.jsonl crab_scores_careful.jsonl",
        "several": "crab_gold.jsonl crab_scores_careful.jsonl crab_scores_chatty.jsonl "
        "--unparsed empty --unmatched empty",
        "binary": "crab_gold.jsonl crab_yes_no.jsonl --task binary",
        "intervals": "crab_gold.jsonl crab_scores_careful.jsonl --intervals --n-resamples 100",
    },
    "crab frames": {
        "types": "crab_gold.jsonl",
        "scores": "crab_gold.jsonl crab_letters.jsonl",
        "intervals": "crab_gold.jsonl crab_letters.jsonl --intervals --n-resamples 100",
    },
    "crab chains": {
        "types": "crab_gold.jsonl",
        "scores": "crab_gold.jsonl crab_letters.jsonl",
        "intervals": "crab_gold.jsonl crab_letters.jsonl --intervals --n-resamples 100",
    },
    "crab sweep": {
        "text": "crab_gold.jsonl crab_yes_no.jsonl",
        "json": "crab_gold.jsonl crab_yes_no.jsonl --json",
    },
    "crab agree": {
        "classes": "crab_ratings.jsonl",
        "experts": "crab_ratings.jsonl --border-width 5",
        "raters": "crab_ratings.jsonl --qualify 0.8",
    },
    "crab graded": {
        "one": "crab_questions.jsonl crab_choices.jsonl",
        "intervals": "crab_questions.jsonl crab_choices.jsonl --intervals --n-resamples 100",
    },
    "crab prompts": {
        "lines": "crab_gold.jsonl --out prompts.jsonl",
        "requests": "crab_gold.jsonl --out prompts.jsonl --to openai-batch --model small",
    },
    "crab split": {
        "pair": "crab_gold.jsonl parts.jsonl --by pair",
        "date": "crab_gold.jsonl parts.jsonl --by date --dates dates.csv",
    },
    "describe": {"one": "gold.csv", "several": "gold.csv annotator_1.jsonl", "labels": "texts.csv"},
    "eci": {
        "intervals": "pairs_gold.csv pairs_careful.csv --candidates pairs_events.csv --intervals",
        "json": "pairs_gold.csv pairs_hasty.csv --json",
        "several": "pairs_gold.csv pairs_careful.csv pairs_hasty.csv",
    },
    "errors": {
        "text": "gold.csv careful.jsonl",
        "json": "gold.csv careful.jsonl --json",
        "event pairs": "pairs_gold.csv pairs_careful.csv",
        "suspects": "gold.csv careful.jsonl chatty.jsonl --suspect",
        "table": "values_a.jsonl",
        "labels": "choices.csv choices_chatty.jsonl --task classify --set answers=binary",
    },
    "explain": {
        "": "gold.csv chatty.jsonl",
        "event pairs": "pairs_gold.csv pairs_careful.csv --from ilif-direction",
        "readings": "choices.csv choices_chatty.jsonl --from cladder",
        "words": "sections.csv sections_careful.csv --from fincausal-2020",
    },
    "gate": {
        "": "--baseline careful.parquet --candidate hasty.parquet --min-delta -0.1 --method bca",
        "floor": "--candidate hasty.parquet --min overall_f1=0.5 --json",
        "looks": "--baseline careful.parquet --candidate hasty.parquet --min-delta 0 "
        "--looks looks.jsonl --json",
        "gold": "gold.csv --baseline hasty.jsonl --candidate careful.jsonl --min-delta 0 --json",
        "items": "--baseline values_a.csv --candidate values_b.csv --no-regression",
    },
    "items": {
        "text": "values_a.csv values_b.csv",
        "json": "values_a.csv values_b.csv --json",
        "gold": "gold.csv careful.jsonl hasty.jsonl --json",
        "three": "gold.csv careful.jsonl hasty.jsonl chatty.jsonl --unparsed empty",
    },
    "leaderboard": {
        "text": "careful.parquet hasty.parquet --n-resamples 100",
        "baseline": "careful.parquet hasty.parquet --n-resamples 100 --baseline careful",
        "gold": "gold.csv careful.jsonl hasty.jsonl --n-resamples 100 --json",
        "seeds": "careful.parquet hasty.parquet --group size --join systems.csv --json",
    },
    "meta": {
        "all": "scores.csv judgments.csv --resamples 50",
        "intervals": "scores.csv judgments.csv --intervals --resamples 50",
        "json": "scores.csv judgments.csv --json --resamples 50",
        "words": "crab_labels.csv --human r4 --unmatched skip --resamples 50",
    },
    "meta plan": {
        "two tables": "scores.csv judgments.csv --delta 0.1",
        "wide": "crab_labels.csv --human r4 --delta 0.1 --unmatched skip",
    },
    "meta sample": {
        "first": "scores.csv --n 9",
        "next": "scores.csv judgments.csv --n 3",
        "wide": "crab_labels.csv --human r8 --n 1",
        "enough": "scores.csv judgments.csv --delta 0.14",
    },
    "meta drift": {
        "alone": "scores.csv scores_now.csv --metric judge",
        "people": "scores.csv scores_now.csv judgments.csv",
    },
    "merge": {
        "one": "careful.parquet --out merged.parquet",
        "lost": "lost --out merged.parquet --like careful.parquet",
    },
    "plan": {
        "counts": "careful.parquet hasty.parquet",
        "values": "values_a.jsonl values_b.jsonl --delta 0.1",
    },
    "qa": {
        "": "questions.json answers.json",
        "fincausal": "causes.csv causes_careful.csv --protocol fincausal-2025",
    },
    "page-scorer": {"": "gold.csv --out scorer.html"},
    "report": {
        "one": "gold.csv careful.jsonl --n-resamples 100 --method bca --out page.html",
        "several": "gold.csv careful.jsonl hasty.jsonl --n-resamples 100 --out page.html",
        "answers": "gold.csv raw_answers.jsonl --answers output --unparsed empty --out page.html",
        "jackknife": "gold.csv careful.jsonl --method jackknife --out page.html",
        "span texts": "gold.csv spans_of_gold.jsonl --method jackknife --out page.html",
        "tables": "values_a.jsonl values_b.jsonl --out page.html",
    },
    "score": {
        "one": "gold.csv careful.jsonl",
        "several": "gold.csv careful.jsonl hasty.jsonl",
        "json": "gold.csv careful.jsonl --json",
        "answers": "gold.csv raw_answers.jsonl --answers output --unparsed empty",
        "log": "gold.csv log.jsonl --unparsed empty",
        "official": "gold.csv careful.jsonl --protocol cnc-2023",
        "2022": "gold.csv careful.jsonl --protocol cnc-2022",
        "no tags": "plain.jsonl plain.jsonl",
        "intervals": "gold.csv careful.jsonl --intervals",
        "jackknife": "gold.csv careful.jsonl --intervals --method jackknife",
        "span texts": "gold.csv spans_of_gold.jsonl",
        "unicausal": "unicausal.csv unicausal_tags.tsv --protocol unicausal-span",
        "words": "sections.csv sections_careful.csv --protocol fincausal-2020",
    },
    "sweep": {
        "files": "gold.csv careful.jsonl hasty.jsonl --out swept",
        "one fails": "gold.csv careful.jsonl ratings.csv --out swept",
        "span texts": "gold.csv spans_of_gold.jsonl careful.jsonl --out swept",
        "data set": "plain.jsonl every.parquet --run-column run --out swept",
        "event pairs": "pairs_gold.csv pairs_careful.csv --out swept --task eci",
        "event pairs, set": "pairs_gold.csv pairs_careful.csv --out swept --task eci "
        "--set undefined=1",
    },
    "task archive": {"": "submissions --dir box --n-resamples 50"},
    "task check": {"": "careful.jsonl --dir box"},
    "task init": {
        "relations": "made --gold gold.csv --wheels wheels",
        "pairs": "made --gold pairs_gold.csv --wheels wheels --task eci --set candidates=listed",
    },
    "task leaderboard": {
        "": "submissions --dir box --n-resamples 50",
        "json": "submissions --dir box --n-resamples 50 --json",
    },
}
# A command without a line above is used as in its first example.
EXAMPLES = {
    name: re.findall(rf"^ *fastcausal {name}(.*)$", command.epilog, re.M)
    for name, command in COMMANDS.items()
}
SLOW = {"bench"}  # it runs the benchmarks, which its own tests do
USES |= {name: {"": EXAMPLES[name][0]} for name in COMMANDS if name not in {*USES, *SLOW}}
# Values other than the default, by command and option, or else by the option's name.
VALUES = {
    **{f"task {name} --dir": "box" for name in ("archive", "check", "leaderboard")},
    "task init --gold": "gold.csv",
    "task init --protocol": "cnc-2023",
    "task init --task": "eci",
    "task init --set": "occurrence=first",
    "task init --score": "overall_recall",
    "task init --title": "Causes",
    "task init --wheels": "box",
    "seconds": "60",
    "memory": "4096",
    "size": "64",
    "unplaced": "skip",
    "link": "other",
    "agree --cluster": "text",
    "check --sentence-labels": "sentence_labels.csv",
    "agree --labels": "label",
    "agree --protocol": "recess-code",
    "agree --unmatched": "skip",
    "answers --by": "tag",
    "answers --protocol": "fcr",
    "score --tags": "aligned",
    "sweep --from": "cnc",
    "sweep --set": "candidates=listed",
    **{
        f"{name} --task": "classify"
        for name in ("compare", "errors", "gate", "items", "leaderboard", "report", "sweep")
    },
    **{
        f"{name} --set": "candidates=listed"
        for name in ("compare", "errors", "gate", "items", "leaderboard", "report")
    },
    **{f"{name} --score": "right" for name in ("errors", "report")},
    "against": "claims_reference_full_ann.json",
    "annotate import --to": "labels.csv",
    "annotate import --key": "judged_ann.json",
    "preferences --key": "preferences_key.json",
    "annotate import --name": "{rater}",
    "annotate import --qualify": "0.5",
    "annotate import --test": "rater_test.json",
    "annotate export --rater": "zoe",
    "annotate export --only": "judge",
    "annotate export --form": "pairs",
    "answers": "output",
    **{
        f"{name} --answers": "pass@1"
        for name in ("aggregate", "compare", "gate", "items", "leaderboard", "plan")
    },
    "over": "pass@1",
    "pick": "a,b",
    "sample": "size",
    "systems": "right,size",
    "delta": "0.07",
    "digits": "7",
    "denominator": "size",
    "power": "0.5",
    "qa --by": "question",
    "qa --cluster": "question",
    "qa --judge": "mark",
    "qa --protocol": "fincausal-2025",
    "qa --similarity": "sas",
    "epoch": "size",
    "filter": "flex",
    "id": "text",
    "missing": "zero",
    "none": "CAUSE",
    "numerator": "right",
    **{
        f"{name} --metric": "f1"
        for name in ("aggregate", "compare", "gate", "items", "leaderboard", "plan")
    },
    "aggregate --compare": "harbour,orchard",
    "aggregate --out": "out.parquet",
    **{f"{name} --score": "right" for name in ("aggregate",)},
    "scorer": "match",
    "value": "size",
    "average": "relation",
    "baseline": "hasty.parquet",
    "border": "down",
    "border-width": "7",
    "by": "text",
    "candidate": "careful.parquet",
    "classify --answers": "binary",
    "classify --by": "id",
    "classify --cluster": "id",
    "classify --column": "id",
    "classify --labels": "0,1,2",
    "classify --map": "1=0",
    "classify --protocol": "corr2cause",
    "classify --read": "cladder",
    "cluster": "none",
    "collider": "-",
    "column": "text",
    "compare": "systems.pearson",
    "disagreements": "disagreements.csv",
    "backward": "follows",
    "eci --by": "topic",
    "eci --candidates": "listed",
    "eci --outside": "ignore",
    "eci --protocol": "ilif-direction",
    "epsilon": "0.1",
    "explain --to": "eventstoryline",
    "fold": "fold",
    "folds": "3",
    "meta --by": "topic",
    "meta --cluster": "topic",
    "meta --human": "r5",
    "meta plan --delta": "0.2",
    "meta plan --human": "r5",
    "meta plan --label": "verdict",
    "meta plan --level": "interval",
    "meta plan --metric": "letters",
    "meta drift --cluster": "topic",
    "meta drift --label": "verdict",
    "meta drift --level": "interval",
    "meta sample --by": "topic",
    "meta sample --human": "r5",
    "meta sample --label": "verdict",
    "meta sample --level": "interval",
    "meta sample --n": "2",
    "meta --label": "verdict",
    "meta --level": "interval",
    "metric": "f1",
    "reasons": "reasons.jsonl",
    "resamples": "99",
    "confidence": "0.8",
    "confounding": "D",
    "copy-to": "copies",
    "correction": "bh",
    "crab agree --gold": "crab_gold.jsonl",
    "crab agree --qualify": "0.5",
    "crab agree --yes-no": "rater",
    "crab chains --cluster": "topic_id",
    "crab chains --column": "event_order_a",
    "crab chains --task": "score",
    "crab describe --by": "period",
    "crab experts --rule": "mean",
    "crab frames --cluster": "topic_id",
    "crab frames --column": "event_order_a",
    "crab frames --task": "score",
    "crab graded --by": "topic_id",
    "crab graded --cluster": "topic_id",
    "crab make-mcq --per-frame": "2",
    "crab make-mcq --ties": "accept",
    "crab pairwise --by": "period",
    "crab pairwise --cluster": "topic_id",
    "crab pairwise --column": "event_order_a",
    "crab pairwise --task": "multiclass",
    "crab prompts --to": "openai-batch",
    "crab prompts --task": "three",
    "crab sweep --border": "text",
    "crab sweep --column": "answer",
    "dates": "dates.csv",
    "examples": "7",
    "expert-share": "0.1",
    "format": "markdown",
    "forward": "leads to",
    "from": "bio",
    "gold-column": "text",
    "gold-from": "score",
    "high": "AB",
    "html": "page.html",
    "join": "text",
    "judgments": "verdicts.csv",
    "junit": "junit.xml",
    "largest": "500",
    "allow": "3",
    "items": "items.csv",
    "items --only": "down",
    "items --out": "items.parquet",
    "items --sort": "change",
    "items --top": "3",
    "leaderboard --baseline": "hasty",
    "leaderboard --group": "size",
    "leaderboard --join": "systems.csv",
    "leaderboard --top": "1",
    "looks": "looks.jsonl",
    "window": "5",
    "kernel": "exact_spans",
    "arguments": "cause,signal",
    "iou": "0.9",
    "level": "ordinal",
    "like": "gold.csv",
    "match": "exact",
    "matches": "matches.csv",
    "mediation": "C",
    "method": "percentile",
    "min": "cause_f1=0.4",
    "min-delta": "-0.2",
    "min-f1": "0.9",
    "min-tokens": "3",
    "min-variance": "400",
    "model": "large",
    "n-resamples": "99",
    "name": "{system}",
    "nulls": "false",
    "occurrence": "first",
    "out": "elsewhere",
    "outside": "drop",
    "pairs": "pairs.csv",
    "pattern": "(1)",
    "pred-column": "text",
    "preferences --choice": "topic",
    "preferences --name": "preferences_{rater}",
    "per-chain": "chains.parquet",
    "per-document": "documents.parquet",
    "per-example": "examples.arrow",
    "per-frame": "frames.parquet",
    "per-item": "items.csv",
    "per-pair": "pairs.arrow",
    "per-question": "questions.parquet",
    "per-topic": "topics.csv",
    "plot": "picture.png",
    "plots": "pictures",
    "positive": "0",
    "premise": "effect",
    "protocol": "cnc-2023",
    "rater": "who",
    "raters": "majority",
    "relation": "temporal",
    "replace": "annotator_2",
    "errors --role": "effect",
    "role": "cause=Drug",
    "roles": "cause,effect,signal,degree",
    "tracks": "cause,effect,signal",
    "example": "document",
    "lone": "keep",
    "trigger": "none",
    "types": "require",
    "rule": "mixed",
    "run-column": "text",
    "score": "cause_f1",
    "seed": "7",
    "schema --of": "score",
    "scheme": "recess",
    "shard": "1/2",
    "system": "careless",
    "tags": "cnc-2022",
    "template": "prompt.j2",
    "test": "30",
    "text": "pairs_text.csv",
    "threshold": "80",
    "thresholds": "20,50.5",
    "ties": "none",
    "to": "bio",
    "top": "3",
    "type": "be",
    "tokenizer": "whitespace",
    "undefined": "0",
    "unit": "index",
    "unknown": "CAUSE",
    "unsure": "missing",
    "unmatched": "skip",
    "unparsed": "skip",
    "annotate export --words": "9",
    "words": "letters",
}
# Options that change no result: the test that covers them instead, or the reason.
ELSEWHERE = {
    "bench --sentences": "tests/cli/test_bench_command.py",
    "score --backend": "the numbers never depend on it",
    "score --threads": "the numbers never depend on it",
    "sweep --jobs": "tests/sweeps/test_sweep.py",
}
AS_MEANT = {
    "bench --sentences": ("3", "4"),
    "score --backend": ("cpu", "reference"),
    "score --threads": ("3", "4"),
    "sweep --jobs": ("3", "4"),
}


def options():
    """Command and option, with the flag as it is typed."""
    for name, command in sorted(COMMANDS.items()):
        for option in command.params:
            if option.param_type_name == "option" and option.name != "help":
                yield name, option


CASES = [
    pytest.param(name, use, id=f"{name} ({use})") for name, uses in USES.items() for use in uses
]


def test_every_command_is_tried():
    assert set(USES) | {key.partition(" --")[0] for key in ELSEWHERE} == set(COMMANDS)
    assert {f"{name} {option.opts[0]}" for name, option in options()} >= set(ELSEWHERE)


@pytest.fixture(scope="module", autouse=True)
def _quick_boxes():
    """Judges in this process, and no wheels: tests/shared_task has the others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fastcausal.shared_task.check.judged", judged_here)
        patch.setattr("fastcausal.shared_task.packages.pack", pack_nothing)
        patch.setattr("fastcausal.tasks.extraction.scorer_page.page.core", bytes)
        yield


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return lay_files(tmp_path_factory.mktemp("files"))


def seen(folder):
    """All that is below a folder, with the times of its last changes."""
    found = {}
    for entry in os.scandir(folder):
        found[entry.path] = entry.stat().st_mtime_ns
        if entry.is_dir():
            found |= seen(entry)
    return found


def typed(folder, command, arguments):
    """Run a command; return exit status, both outputs, and the files that it wrote."""
    before = seen(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        result = CliRunner().invoke(app, [*command.split(), *arguments])
    assert isinstance(result.exception, SystemExit | None), result.exception
    written = {}
    for name, changed in sorted(seen(folder).items(), reverse=True):
        path = Path(name)
        if changed != before.get(name) and path.is_file():
            written[path.name] = path.read_bytes()
            if name not in before:
                path.unlink()
        elif name not in before:
            path.rmdir()
    return result.exit_code, result.stdout, result.stderr, written


@pytest.mark.slow  # hundreds of commands
@pytest.mark.parametrize(("name", "use"), CASES)
def test_every_option_does_something_or_is_refused(name, use, files):
    arguments = USES[name][use].split()
    plain = typed(files, name, arguments)
    assert plain[0] in (0, 1), plain[2]
    idle = []
    for of, option in options():
        flag = option.opts[0]
        if of != name or flag in arguments or f"{name} {flag}" in ELSEWHERE:
            continue
        value = [] if option.is_flag else [value_of(name, flag)]
        found = typed(files, name, [*arguments, flag, *value])
        if flag == "--json":
            assert not faults(name, json.loads(found[1])), flag
        if found[0] == 2:
            assert found[1] + found[2], flag
            assert not found[3] or name == "sweep", flag  # which keeps why runs failed
        elif (
            found == plain and not {flag, f"{name} {flag}", f"{name} {use} {flag}"} & WITHOUT_EFFECT
        ):
            idle.append(flag)
    assert not idle


WITHOUT_EFFECT = {
    "--unplaced",  # if all spans fit: tests/formats/test_marking.py
    # Settings of scores, which `read` checks alone
    *(f"{use} --{flag}" for use in ("agree relations", "check", "convert", "describe", "explain ")
      for flag in ("tracks", "types")),
    "score one --types",  # without types of relations: tests/tasks/extraction/test_types.py
    # Without letters of such scripts: tests/formats/test_words.py
    *(f"{name} --words" for name in ("agree relations", "check", "convert", "describe")),
    # Where nothing is marked so: tests/formats/test_links.py
    *(f"{use} --role" for use in ("check brat", "convert brat", "report answers", "score answers",
                                  "score log")),
    *(f"{name} brat --{flag}" for name in ("check", "convert") for flag in ("lone", "trigger")),
    "check brat --example", "check brat --roles", "check no tags --roles",
    "--join",  # if ids and texts join alike: tests/tasks/relations/test_join.py
    "--epoch", "--sample",  # if no id occurs twice: tests/tasks/values
    "items text --cluster",  # its JSON has it
    "items three --cluster", "items three --confidence",  # so do these
    "gate items --allow-flaky",  # two answers are never enough: tests/sweeps/test_regressions.py
    "aggregate values --counts",  # values have no counts
    "aggregate subsets --cluster",  # each is one document, so its examples are units anyway
    "classify protocol --answers",  # the protocol implies them
    "classify protocol --unmatched",  # the protocol skips
    "task leaderboard  --seed",  # beyond the decimals shown: its JSON has them
}  # fmt: skip


def value_of(name, flag):
    option = flag.removeprefix("--")
    value = VALUES.get(f"{name} {flag}", VALUES.get(option))
    assert value is not None, f"{name} {flag} is new: give it a value"
    return value


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_examples_of_every_command_run(name, files):
    """Help shows them: they run in the folder of the sample, one after the other."""
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        shutil.copytree(files, folder, dirs_exist_ok=True)
        patch.chdir(folder)
        shown = CliRunner().invoke(app, [*name.split(), "-h"]).stdout
        examples = re.findall(r"^    fastcausal (.*)$", shown.partition("Examples:")[2], re.M)
        assert any(line.startswith(name) for line in examples)
        assert "Exit status: 0 done" in shown
        for line in [] if name in SLOW else examples:
            result = CliRunner().invoke(app, line.split())
            assert result.exit_code in (0, 1), (line, result.output)


@pytest.mark.slow  # `Command` refuses them all alike
@pytest.mark.parametrize(
    ("name", "option"), [pytest.param(n, o, id=f"{n} {o.opts[0]}") for n, o in options()]
)
def test_an_option_given_twice_is_refused(name, option, files):
    if option.is_flag or option.multiple:
        return
    flag = option.opts[0]
    values = AS_MEANT.get(f"{name} {flag}") or (value_of(name, flag),) * 2
    arguments = next(iter(USES.get(name, {"": ""}).values())).split()
    arguments = [each for each in arguments if each != "--json"]  # errors go to stderr
    first = [] if flag in arguments else [flag, values[0]]
    code, out, err, written = typed(files, name, [*arguments, *first, f"{flag}={values[1]}"])
    assert (code, out, written) == (2, "", {})
    assert flag in err
    assert re.search(r"given [23] times, expected\s+(│\s+│\s+)?once", err)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "labels_1.csv labels_2.csv --labels label --matches x.csv",
            "--matches is for relations, but",
        ),
        ("annotator_1.jsonl annotator_2.jsonl --level ratio", "--level is for labels: name their"),
        (
            "annotator_1.jsonl annotator_2.jsonl --seed 0",
            "--seed is for confidence intervals: add --interv",
        ),
    ],
)
def test_what_an_option_is_for(arguments, message, files):
    code, out, err, _ = typed(files, "agree", arguments.split())
    assert (code, out) == (2, "")
    assert message in err

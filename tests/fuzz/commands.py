"""Every command, and the kinds of files that it takes.

``{kind}`` is a file of that kind, ``{out.csv}`` one that is written, ``a|b`` a choice, and words in
brackets may be left out.
"""

from __future__ import annotations

import random
import re

from fastcausal.formats import declared

FORMATS = "|".join(declared.FORMATS)
POLICIES = "--unparsed error|empty|skip|empty --unmatched error|empty|skip|skip"
SHOWN = "[--json]"
MARKS = (
    "[--words letters|nltk] [--roles cause,effect,signal,degree|effect,cause] "
    "[--role cause=Drug,ARG0] [--link causes|enables=effect>cause] "
    "[--example line|sentence|document] [--lone keep|pair] [--trigger none] [--unplaced skip]"
)
DRAWS = "--n-resamples 20 [--method bca|percentile|bca|jackknife] [--cluster doc_id|id]"
TABLE = "out.csv|out.parquet|out.arrow"
VALUES = "success|rain|same|score|exact_match|f1_score|right|Overlap"
CRAB = f"{POLICIES} [--gold-from score] [--border text|down] {SHOWN}"
TARGETS = ("x.csv|x.jsonl|x.parquet|x.arrow|x.arrows|x.conll|x.ann",
           "x --to spans|squad|nli|cnc|bio")  # fmt: skip
MARKED = "x --to brat|doccano|label-studio|webanno"
TAKES = (
    f"score {{relations}} {{relations}} --protocol recess|cnc-2023|cnc-2022 {POLICIES} "
    f"[--by doc_id] [--backend reference] [--reasons {TABLE}] {SHOWN}",
    f"score {{relations}} {{relations}} {{relations}} {POLICIES} [--matches {TABLE}] "
    f"[--tags aligned|cnc-2023] [--format markdown|latex|csv] [--percent --digits 2] "
    f"[--counts]",
    f"score {{relations}} {{relations}} {POLICIES} --per-example {TABLE} [--intervals {DRAWS}] "
    f"[--protocol cnc-2023] {SHOWN}",
    f"score {{relations}} {{relations}} --protocol {{protocol}} {POLICIES} {SHOWN}",
    f"score {{relations}} {{raw}} --answers output {POLICIES} [--occurrence first] [--id id] "
    f"{SHOWN}",
    f"score {{marked}} {{marked}} {MARKS} {POLICIES} [--types require] [--tracks cause,effect] "
    f"[--join id|text|position] {SHOWN}",
    f"agree {{marked}} {{marked}} {MARKS} [--types require] [--join text|position] "
    f"--unparsed error|empty|skip {SHOWN}",
    f"describe {{marked}} [{{marked}}] {MARKS} {SHOWN}",
    f"check {{marked}} [{{marked}}] {MARKS} {SHOWN}",
    *(f"convert {{marked}} {target} {MARKS}" for target in (*TARGETS, MARKED)),
    f"errors {{relations}} {{relations}} {POLICIES} [--html out.html] [--type be] {SHOWN}",
    f"report {{relations}} {{relations}} [{{relations}}] --out out.html {POLICIES} "
    f"--n-resamples 20 {SHOWN}",
    f"errors {{values}} [--score {VALUES}] [--top 2] [--html out.html] {SHOWN}",
    f"report {{values}} [{{values}}] --out out.html [--score {VALUES}] [--examples 2] {SHOWN}",
    f"explain {{relations}} {{relations}} {SHOWN}",
    f"compare {{counts}} {{counts}} {DRAWS} [--score cause_f1] [--html out.html] {SHOWN}",
    f"compare {{counts}} {{counts}} --items out.json {SHOWN}",
    f"items {{counts}} {{counts}} [{{counts}}] [--out out.csv|out.html] {SHOWN}",
    f"items {{relations}} {{relations}} {{relations}} {POLICIES} {SHOWN}",
    f"gate --baseline {{counts}} --candidate {{counts}} --no-regression {SHOWN}",
    f"leaderboard {{counts}} {{counts}} [{{counts}}] {DRAWS} [--html out.html] {SHOWN}",
    f"schemes {{relations}} {{relations}} {{relations}} {POLICIES} [--p] [--html out.html] {SHOWN}",
    f"leaderboard {{sweep}} {DRAWS} [--group {{seed}}] [--top 2] {SHOWN}",
    f"compare {{relations}} {{relations}} {{relations}} {POLICIES} {SHOWN}",
    f"leaderboard {{relations}} {{relations}} {{relations}} {POLICIES} --n-resamples 20 {SHOWN}",
    f"gate {{relations}} --candidate {{relations}} --min overall_f1=0.5 [--point] {POLICIES} "
    f"{SHOWN}",
    f"gate --baseline {{counts}} --candidate {{counts}} --min-delta -0.5|0 {DRAWS} "
    f"[--junit out.xml] {SHOWN}",
    f"gate --baseline {{counts}} --candidate {{counts}} --min-delta -0.5|0 --looks {{looks}} "
    f"[--window 9] {SHOWN}",
    f"gate --baseline {{counts}} --candidate {{counts}} --min-delta -0.5|0 --anytime "
    f"[--min overall_f1=0.5 --largest 300] [--cluster doc_id|id] {SHOWN}",
    f"compare {{counts}} {{counts}} --anytime [--cluster doc_id|id] {SHOWN}",
    f"sweep {{relations}} {{relations}} {{relations}} --out swept {POLICIES} --jobs 1 {SHOWN}",
    f"sweep {{event_pairs}} {{event_pairs}} {{event_pairs}} --task eci --set outside=ignore "
    f"--set candidates=listed --out swept --jobs 1 {SHOWN}",
    f"sweep {{relations}} {{sweep}} --out swept --jobs 1 {SHOWN}",
    f"sweep {{relations}} {{runs}} --run-column run|id --out swept --jobs 1 {POLICIES} {SHOWN}",
    f"aggregate {{values}} [{{values}}] --missing error|skip|zero [--score {VALUES}] "
    f"[--by vars.text|topic] [--over pass@1|max] [--intervals {DRAWS}] {SHOWN}",
    f"compare {{values}} {{values}} --missing skip|zero [--score {VALUES}] {DRAWS} {SHOWN}",
    f"items {{values}} {{values}} --missing error|skip|zero [--score {VALUES}] "
    f"[--only flipped|crashed] [--sort change|value|crashed] [--top 2] {SHOWN}",
    f"gate --baseline {{values}} --candidate {{values}} --no-regression --missing skip|zero "
    f"[--allow 1] [--allow-flaky] {SHOWN}",
    f"leaderboard {{values}} [{{values}}] --missing skip|zero [--score {VALUES}] {DRAWS} {SHOWN}",
    f"score {{relations}} {{runs}} --system run|id [--sample run|id] [--over best|majority|pass@1] "
    f"{POLICIES} {SHOWN}",
    f"compare {{relations}} {{runs}} --system run|id [--pick a,b] {POLICIES} {SHOWN}",
    f"leaderboard {{relations}} {{raw}} --answers output --system model|id --n-resamples 20 "
    f"{POLICIES} {SHOWN}",
    f"classify {{labels}} {{labels}} --sample label|id [--over majority|best|max] {SHOWN}",
    f"sweep {{event_pairs}} {{event_pairs}} --task eci --system doc_id|label --out swept --jobs 1 "
    f"{SHOWN}",
    f"aggregate {{counts}} [{{counts}}] [--by doc_id] [--counts] [--intervals {DRAWS}] {SHOWN}",
    f"merge {{part}} [{{part}}] [{{counts}}] [--like {{counts}}] --out out.parquet|out.arrow "
    f"{SHOWN}",
    f"agree {{relations}} {{relations}} --unparsed error|empty|skip [--intervals] "
    f"[--method percentile] [--disagreements out.html|out.csv] [--protocol recess-code] {SHOWN}",
    f"agree {{ratings}} [{{ratings}}] --labels label --level nominal|ordinal|interval|ratio "
    f"[--intervals] [--rater rater] {SHOWN}",
    f"classify {{labels}} {{labels}} [--unparsed skip --unmatched skip] "
    f"[--per-example out.parquet] {SHOWN}",
    f"classify {{choices}} {{chosen}} --answers binary|letter|choice --unparsed wrong|skip "
    f"--unmatched wrong|skip|error [--by rung] [--intervals {DRAWS}] {SHOWN}",
    f"classify {{choices}} {{chosen}} --protocol copa|e-care|cladder|cladder-gpt|corr2cause|"
    f"corr2cause-gpt "
    f"[--unparsed wrong] [--per-example out.arrow] {SHOWN}",
    f"classify {{unicausal}} {{unicausal}} --protocol unicausal-seq|unicausal-pair "
    f"[--unparsed skip] [--unmatched skip] [--by doc_id] {SHOWN}",
    f"score {{unicausal}} {{unicausal_tags}} --protocol unicausal-span --tags strict|unicausal "
    f"{POLICIES} [--per-example out.parquet] {SHOWN}",
    f"classify {{sections}} {{sections}} --protocol fincausal-task1 {SHOWN}",
    f"score {{sections}} {{sections}} --protocol fincausal-2020 [--words blank] [--lenient] "
    f"[--by document] [--intervals {DRAWS}] [--per-example out.arrow] {SHOWN}",
    f"explain {{sections}} {{sections}} --from fincausal-2020 --to recess {SHOWN}",
    f"qa {{causes}} {{causes}} --protocol fincausal-2025 [--official-order] [--similarity sas] "
    f"[--judge mark] {SHOWN}",
    f"explain {{choices}} {{chosen}} --from first-word|same --to cladder|corr2cause {SHOWN}",
    f"qa {{questions}} {{answers}} --unmatched error|empty|skip [--per-example out.arrow] {SHOWN}",
    f"answers {{judged}} [{{judged}}] --protocol guide|fcr --unparsed error|empty|skip "
    f"[--unsure missing] [--reasons {TABLE}] "
    f"[--by tag] [--text-metrics] [--per-item out.csv|out.jsonl] [--judgments out.parquet] {SHOWN}",
    f"claims {{claims}} [{{claims}}] [{{claims}}] [--name claims_{{side}}_{{system}}_{{rater}}] "
    f"--nulls error|false|skip --raters mean|majority --unmatched error|skip "
    f"[--per-topic out.csv] [--judgments out.jsonl] {SHOWN}",
    f"preferences {{preferences}} [{{preferences}}] --key {{preferences_key}} "
    f"--choice reference|topic|scores [--per-topic {TABLE}] [--judgments out.jsonl] {SHOWN}",
    f"meta {{scores}} {{human}} --unmatched error|skip --resamples 20 [--intervals] "
    f"[--by topic] [--cluster topic] [--metric judge] [--level interval] [--rescale] {SHOWN}",
    f"meta {{crab_labels}} --human r4 [--human r5] --unmatched error|skip --resamples 20 "
    f"--intervals --method bca|percentile|jackknife [--by topic] [--metric letters] "
    f"[--level nominal] {SHOWN}",
    f"meta plan {{scores}} {{human}} --delta 0.1|0.3 --unmatched error|skip {SHOWN}",
    f"meta plan {{crab_labels}} --human r4 --delta 0.1|0.3 --unmatched error|skip {SHOWN}",
    f"meta sample {{scores}} [{{human}}] --n 1|3 [--by topic] --seed 0|1 [--out {TABLE}] {SHOWN}",
    f"meta sample {{crab_labels}} --human r4 --delta 0.1|0.3 --unmatched error|skip {SHOWN}",
    f"meta drift {{scores}} {{scores}} [{{human}}] --metric judge [--cluster topic] {SHOWN}",
    f"describe {{relations}} [{{relations}}] [--tokenizer nltk-style] {SHOWN}",
    f"describe {{labels}} [--from {FORMATS}] {SHOWN}",
    f"check {{relations}} [{{relations}}] --tags strict|cnc-2023|cnc-2022 "
    f"[--sentence-labels {{labels}}] {SHOWN}",
    *(f"convert {{relations}} {target} --tags strict|cnc-2023|cnc-2022 [--from {FORMATS}]"
      for target in TARGETS),
    "convert {relations} x.csv|x.jsonl|x.conll --like {relations} [--tags aligned]",
    f"eci {{event_pairs}} {{event_pairs}} [{{event_pairs}}] [--outside ignore] {SHOWN}",
    "plan {counts} {counts} [--power 0.9] [--json]",
    f"crab describe {{pairs}} [{{pairs}}] [--html out.html] [--threshold 80] [--by period] {SHOWN}",
    "crab pairwise {pairs} {crab_answers} [{crab_answers}] --task score|multiclass|three|binary "
    f"[--per-pair out.parquet] [--by period] [--intervals {DRAWS}] {CRAB}",
    f"crab pairwise {{pairs}} {{crab_batch}} {CRAB}",
    f"crab frames {{pairs}} {{crab_answers}} --task score|multiclass|three|binary "
    f"[--rule mixed|collapse] [--per-frame out.arrow] {CRAB}",
    f"crab frames {{pairs}} {SHOWN}",
    f"crab chains {{pairs}} {SHOWN}",
    f"crab chains {{pairs}} {{crab_answers}} --task score|multiclass|three|binary "
    f"[--per-chain out.parquet] {CRAB}",
    f"crab graded {{crab_questions}} {{crab_choices}} {POLICIES} [--per-question out.parquet] "
    f"{SHOWN}",
    f"crab make-mcq {{pairs}} out.jsonl|out.parquet [--ties accept] [--per-frame 2] {SHOWN}",
    f"crab split {{pairs}} out.jsonl|out.parquet|out.csv --by story|pair [--test 1] {SHOWN}",
    f"crab split {{pairs}} out.jsonl --by date [--dates {{dates}}] {SHOWN}",
    f"crab sweep {{pairs}} {{crab_answers}} {POLICIES} [--pattern (yes)] {SHOWN}",
    f"crab agree {{crab_ratings}} [--ties none] [--qualify 0.8] [--yes-no score] "
    f"[--border-width 5] [--pairs out.csv] {SHOWN}",
    "crab prompts {pairs} [{crab_articles}] --task score|three --out out.jsonl|out.parquet "
    "[--template {crab_template}] [--words 9] [--to openai-batch --model m] [--json]",
    "crab prompts {crab_questions} [{crab_articles}] --task mcq --out out.jsonl [--json]",
    f"crab experts {{pairs}} {{crab_ratings}} --out out.jsonl|out.parquet --rule both|mean {SHOWN}",
    f"crab events {{events}} {{events}} [--match exact] [--min-tokens 3] [--no-quotes] {SHOWN}",
    f"task check {{relations}} --dir {{box}} {SHOWN}",
    "page-scorer {relations} --out out.html [--json]",
    f"doctor {{relations}} [{{values}}] [{{counts}}] [{{raw}}] [--format markdown] {SHOWN}",
    f"doctor {{pairs}} [{{claims}}] [{{judged}}] [{{crab_ratings}}] {SHOWN}",
    f"annotate export {{judged}} out.html [--only judge] [--rater ann] {SHOWN}",
    f"annotate export {{rater_test}} out.html --test {SHOWN}",
    f"annotate export {{pairs}} out.html --form pairs [--against {{crab_articles}}] {SHOWN}",
    f"annotate import {{crab_ratings}} [{{crab_ratings}}] [--to out.csv] {SHOWN}",
    f"annotate import {{rater_test}} [{{judged}}] --test {{rater_test}} [--qualify 0.5] "
    f"[--unsure missing] {SHOWN}",
    f"annotate export {{relations}} {{relations}} out.html --form curation {SHOWN}",
    f"annotate export {{relations}} out.html --form causality {SHOWN}",
    f"annotate export {{claims}} out.html --against {{claims}} {SHOWN}",
    f"annotate import {{saved}} [{{saved}}] [--to out.csv|out.jsonl|out.parquet] "
    f"[--key {{key}}] {SHOWN}",
)  # fmt: skip
WITHOUT_FILES = {"schema", "demo", "bench"}


def drawn(rng: random.Random) -> list[str]:
    """Return the words of a command; those in braces stand for files."""
    takes = rng.choice(TAKES)
    while inner := re.search(r"\[([^][]*)\]", takes):
        kept = inner[1] if rng.random() < 0.4 else ""
        takes = takes[: inner.start()] + kept + takes[inner.end() :]
    return [rng.choice(word.split("|")) for word in takes.split()]


def name_of(takes: str) -> str:
    """Return the command of a line: its words before the first file or option."""
    return re.match(r"[a-z -]+?(?= +[{-])", takes)[0]

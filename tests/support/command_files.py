"""Files of every kind that a command reads, laid beside the sample."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import fastcausal as fc
from fastcausal import sample
from tests.support.logs import eval_log
from tests.support.logs import sample as log_sample
from tests.support.shared_tasks import box, without_wheels


def lay_files(folder: Path) -> Path:
    """Fill a folder with the sample and with a file of every other kind that a command reads."""
    sample.copy_to(folder)
    for k, labels in enumerate(("010011", "011010"), 1):
        rows = [f"{i},u{i * k % 7},r{k},w{i % 2},{label}" for i, label in enumerate(labels)]
        head = "id,index,rater,who,label\n"
        (folder / f"labels_{k}.csv").write_text(head + "\n".join(rows) + "\n")
    later = sample.SCORES.read_text().replace(",1,", ",0,", 9)  # the same judge, drifted
    (folder / "scores_now.csv").write_text(later)
    (folder / "prompt.j2").write_text("{{ event_a }}, so {{ event_b }}?")
    (folder / "corpus.CLINK.txt").write_text("wsj_1.col\te1\te2\tCLINK\n")
    (folder / "ratings.csv").write_text(
        "id,index,rater,who,label,genre\n"
        "0,a,r1,w1,0,news\n0,b,r2,w2,1,news\n1,a,r1,w1,1,blog\n1,b,r2,w3,1,blog\n"
    )
    (folder / "short.csv").write_text(
        "index,text,causal_text_w_pairs,num_rs\n"
        "a,Rain floods roads,['<ARG0>Rain floods <ARG1>roads</ARG1>'],1\n"
    )
    (folder / "sentence_labels.csv").write_text("id,label\na,0\n")
    box(folder / "box", "recess")
    without_wheels(folder / "wheels")
    (folder / "submissions").mkdir()
    for name in ("careful", "hasty"):
        shutil.copy(folder / f"{name}.jsonl", folder / "submissions")
    plain = fc.read(folder / "gold.csv")
    fc.write(plain, folder / "plain.jsonl")
    runs = [plain.table.append_column("run", pa.array([run] * len(plain))) for run in "ab"]
    pq.write_table(pa.concat_tables(runs), folder / "every.parquet")
    answers = [json.loads(line) for line in sample.RAW_ANSWERS.read_text().splitlines()]
    with (folder / "log.jsonl").open("w") as log:
        for row, other in zip(answers, reversed(answers), strict=True):
            said = [{"message": {"role": "assistant", "content": row["output"]}}]
            line = {"custom_id": row["id"], "name": other["id"], "choices": said}
            log.write(json.dumps(line) + "\n")
    for name in ("careful", "hasty"):
        report = fc.score(folder / "gold.csv", folder / f"{name}.jsonl")
        report.statistics.write(folder / f"{name}.parquet")
    (folder / "lost").mkdir()
    whole = pq.read_table(folder / "careful.parquet")
    pq.write_table(whole.replace_schema_metadata(None), folder / "lost" / "part-0.parquet")
    (folder / "claims.csv").write_text(
        "topic,side,claim,judgment\na,prediction,x,true\na,prediction,y,\na,reference,x,false\n"
        "b,reference,z,true\n"
    )
    (folder / "unicausal.csv").write_text(
        "corpus,doc_id,sent_id,eg_id,index,text,text_w_pairs,seq_label,pair_label\n"
        + "".join(f"altlex,{k},0,0,{k},a b,<ARG0>a</ARG0> b <ARG1>c</ARG1>,1,1\n" for k in range(3))
    )
    (folder / "unicausal_tags.tsv").write_text(
        "index\tpred\n" + "".join(f"{k}\t['B-C', 'O', 'B-E']\n" for k in range(3))
    )
    (folder / "texts.csv").write_text('id,text,label\na,"It rained ( so ) .",1\nb,"dry",0\n')
    items = [
        {"id": row["id"], "answer": {"t1": "unsure", "t2": 0}.get(row["id"], row["valid"]),
         "data": {"text": row["input"], "reference": row["gold"], "model": row["output"]}}
        for row in json.loads(sample.RATER_TEST.read_text())
    ]  # fmt: skip
    (folder / "unsure.json").write_text(json.dumps({"username": "amy", "items": items}))
    (folder / "systems.csv").write_text("system,size\ncareful,1\nhasty,2\n")
    (folder / "x.txt").write_text("Rain fell .\n")
    for k, name in enumerate("ab", 2):
        rows = [
            {"id": i, "name": f"n{i}", "epoch": 1, "value": int(i % k == 0), "right": i % 2 / 2,
             "size": 1 + i % k, "text": f"t{i // 3}", "doc_id": i // 2}
            for i in range(12)
        ]  # fmt: skip
        lines = [json.dumps(row) + "\n" for row in rows]
        (folder / f"values_{name}.jsonl").write_text("".join(lines))
        eval_log(folder / f"{name}.eval", [
            log_sample(i, 1, {"match": "CI"[i % k > 0]}, doc=f"d{i // 3}") for i in range(12)
        ])  # fmt: skip
    runs = [
        f"{name},{i},{i % k % 2}\n" for k, name in enumerate(("old", "new"), 2) for i in range(40)
    ]
    (folder / "runs.csv").write_text("".join(("model,id,match\n", *runs)))
    marks = ("T1\tCause 0 4\tRain\n", "T2\tEffect 5 9\tfell\n", "R1\tcauses A:T1 B:T2\n")
    (folder / "x.ann").write_text("".join(marks))
    (folder / "dates.csv").write_text("topic_id,date\n4,2021-05\n11,2021-06\n")
    spans = [
        {"text": row["text"], "relations": [{"cause": row["text"].split()[0], "effect": "."}]}
        for row in ({"text": f"word{k} does this ."} for k in range(2))
    ]
    (folder / "spans.jsonl").write_text("".join(json.dumps(row) + "\n" for row in spans))
    fc.write(fc.read(folder / "gold.csv"), folder / "questions.json", format="squad")
    fc.write(fc.read(folder / "gold.csv"), folder / "spans_of_gold.jsonl", format="spans")
    return folder

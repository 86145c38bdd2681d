"""Answers in the layouts of platforms, made here from rows (system, item, repeat, value).

A value is a number from 0 to 1, or None for an answer that crashed.
"""

from __future__ import annotations

import csv
import io
import json
import random


def drawn(seed, systems=2, items=9, repeats=2, crashes=0.1):
    """Rows of every system, item and repeat, in any order."""
    chance = random.Random(seed)
    rows = [
        (f"m{s}", k, r, None if chance.random() < crashes else chance.choice([0, 1, 1, 0.5]))
        for s in range(systems)
        for k in range(items)
        for r in range(repeats)
    ]
    chance.shuffle(rows)
    return rows


def promptfoo_row(system, item, repeat, value, repeats=1):
    case = {"vars": {"text": f"text {item}"}, "assert": [{"type": "contains", "value": "rain"}]}
    crashed = value is None
    return {
        "promptIdx": int(system[1:]),
        "testIdx": item * repeats + repeat,
        "provider": {"id": "file://a.js", "label": system},
        "vars": case["vars"],
        "testCase": case,
        "success": not crashed and value >= 1,
        "score": 0 if crashed else value,
        "namedScores": {} if crashed else {"rain": value},
        "failureReason": 2 if crashed else int(value < 1),
        "gradingResult": None if crashed else {"pass": value >= 1, "score": value},
        **({"error": "timeout"} if crashed else {}),
    }


def promptfoo(rows):
    repeats = 1 + max(row[2] for row in rows)
    results = [promptfoo_row(*row, repeats) for row in rows]
    return json.dumps({"evalId": "e", "results": {"version": 3, "results": results}}, indent=1)


def promptfoo_lines(rows):
    repeats = 1 + max(row[2] for row in rows)
    return "".join(json.dumps(promptfoo_row(*row, repeats)) + "\n" for row in rows)


def deepeval(rows):
    cases = [
        {
            "name": f"case {item}",
            "input": f"text {item}",
            "success": value is not None and value >= 1,
            "metricsData": [
                {"name": "rain", "success": False}
                | ({"error": "judge down"} if value is None else {"score": value})
            ],
        }
        for _, item, _, value in rows
    ]
    model = rows[0][0]
    return json.dumps(
        {"testCases": cases, "metricsScores": [], "hyperparameters": {"model": model}}
    )


def helm(rows):
    def stat(value):
        held = {"count": 0, "sum": 0} if value is None else {"count": 1, "mean": float(value)}
        return {"name": {"name": "rain", "split": "test"}, **held}

    return json.dumps([
        {"instance_id": f"id{item}", "train_trial_index": repeat, "stats": [stat(value)]}
        for _, item, repeat, value in rows
    ])  # fmt: skip


def mlflow(rows):
    """One repeat; rows are in the order of the data set."""
    data = [[f"text {item}", value] for _, item, _, value in sorted(rows, key=lambda r: r[1])]
    return json.dumps({"columns": ["inputs", "rain/score"], "data": data})


def langfuse(rows):
    columns = ["id", "trace_id", "name", "value", "data_type", "string_value"]
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n")
    write.writerow(columns)
    for n, (_, item, _, value) in enumerate(rows):
        write.writerow([f"s{n}", f"t{item}", "rain", "" if value is None else value, "NUMERIC", ""])
    return out.getvalue()


def every_eval_ever(rows):
    """Scores of Every Eval Ever are numbers: a crashed answer has no line."""
    return "".join(
        json.dumps({
            "schema_version": "0.3.0", "evaluation_id": f"e/{system}/1", "model_id": system,
            "evaluation_name": "rain", "sample_id": f"q{item}", "interaction_type": "single_turn",
            "input": {"raw": f"text {item}", "reference": []}, "output": {"raw": ["x"]},
            "answer_attribution": [], "metadata": {"epoch": str(repeat)},
            "evaluation": {"score": value, "is_correct": value >= 1},
        }) + "\n"
        for system, item, repeat, value in rows
        if value is not None
    )  # fmt: skip

"""Questions of four causes: how they are made, and how answers to them are scored."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.errors import InputError
from fastcausal.significance.keyed import sampled, shuffled
from fastcausal.tasks.crab.mcq import _combination
from tests.oracles import crab_questions as oracle
from tests.support.cli import cli
from tests.support.profiles import trials

near = lambda value: value if value is None else pytest.approx(value, rel=0, abs=1e-12)  # noqa: E731


@st.composite
def stories(draw, scores, n_topics=3):
    """Pairs of some stories; not all are there, and events have articles."""
    pairs = []
    for topic in range(draw(st.integers(1, n_topics))):
        n = draw(st.integers(2, 8))
        article = [draw(st.integers(0, 2)) for _ in range(n)]
        for a, b in combinations(range(n), 2):
            if draw(st.integers(0, 5)):
                pair = {"topic_id": topic, "event_order_a": a, "event_order_b": b}
                pair |= {"article_id_a": article[a], "article_id_b": article[b]}
                pair |= {"event_a": f"e{topic}.{a}", "event_b": f"e{topic}.{b}"}
                pairs.append(pair | {"score": draw(scores)})
    return pairs or [{"topic_id": 0, "event_order_a": 0, "event_order_b": 1, "score": 1}]


def frames_of(pairs):
    frames = {}
    for pair in pairs:
        key = pair["topic_id"], pair["event_order_b"]
        frames.setdefault(key, {})[pair["event_order_a"]] = pair["score"]
    return frames


def sets_of(frame, ties):
    """Return sets of four causes; unless ties are accepted, only sets with one highest score."""
    sets = [{*four} for four in combinations(frame, 4)]
    if ties == "accept":
        return sets
    return [s for s in sets if Counter(frame[c] for c in s)[max(frame[c] for c in s)] == 1]


@trials(60)
@given(
    stories(st.integers(0, 4)), st.integers(0, 9), st.integers(1, 6),
    st.sampled_from(["skip", "accept"]), st.randoms(),
)  # fmt: skip
def test_questions_of_random_stories(pairs, seed, per_frame, ties, random):
    table = fc.crab.make_questions(pairs, seed=seed, per_frame=per_frame, ties=ties)
    questions = table.to_pylist()
    frames = frames_of(pairs)
    made = {}
    for question in questions:
        key = question["topic_id"], question["event_order"]
        frame = frames[key]
        causes = {question[f"{i}_event_order"] for i in range(4)}
        assert causes in sets_of(frame, ties)
        assert causes not in made.setdefault(key, [])
        made[key].append(causes)
        scores = {question[f"{i}_choice"]: question[f"{i}_score"] for i in range(4)}
        assert sorted(scores) == ["A", "B", "C", "D"]
        best = sorted(letter for letter in scores if scores[letter] == max(scores.values()))
        assert question["answer"] == "".join(best)
        for i in range(4):
            cause = question[f"{i}_event_order"]
            assert question[f"{i}_score"] == frame[cause]
            assert question[f"{i}_cause"] == f"e{key[0]}.{cause}"
        assert question["effect"] == f"e{key[0]}.{key[1]}"
    numbers = {key: min(per_frame, len(sets_of(frame, ties))) for key, frame in frames.items()}
    assert {key: len(sets) for key, sets in made.items()} == {k: n for k, n in numbers.items() if n}
    report = fc.crab.describe_questions(table)
    assert report.n_questions == len(questions)
    few = sum(len(frame) < 4 for frame in frames.values())
    without = sum(not n for n in numbers.values())
    assert dict(report["frames"]) == {
        "n": len(frames), "without": without, "few_causes": few, "tied": without - few,
    }  # fmt: skip

    mixed = random.sample(pairs, len(pairs))
    again = fc.crab.make_questions(mixed, seed=seed, per_frame=per_frame, ties=ties)
    assert again.equals(table)
    topic = pairs[0]["topic_id"]
    alone = [pair for pair in pairs if pair["topic_id"] == topic]
    of_topic = fc.crab.make_questions(alone, seed=seed, per_frame=per_frame, ties=ties)
    assert of_topic.to_pylist() == [q for q in questions if q["topic_id"] == topic]
    more = fc.crab.make_questions(pairs, seed=seed, per_frame=per_frame + 1, ties=ties).to_pylist()
    assert [q for q in more if q in questions] == questions


def test_all_sets_and_letters_are_as_likely():
    """Each of the 5 sets of 4 causes is as likely, and so is each letter of the strongest cause."""
    pairs = [
        {"topic_id": t, "event_order_a": a, "event_order_b": 9, "score": a}
        for t in range(2000)
        for a in range(5)
    ]
    drawn = fc.crab.make_questions(pairs).to_pylist()
    left_out = Counter(10 - sum(q[f"{i}_event_order"] for i in range(4)) for q in drawn)
    answers = Counter(q["answer"] for q in drawn)
    assert all(abs(n - 400) < 80 for n in left_out.values())  # 4.5 standard deviations
    assert all(abs(n - 500) < 88 for n in answers.values())


@given(st.integers(3, 9))
def test_combinations_are_numbered(n):
    listed = [
        tuple(sorted(_combination(rank, 3))) for rank in range(len([*combinations(range(n), 3)]))
    ]
    assert sorted(listed) == [*combinations(range(n), 3)]


def test_draws_depend_on_the_key_alone():
    assert sampled(52, 5, 7, "x") == [25, 29, 23, 31, 19]  # on every machine
    assert sorted(sampled(52, 52, 7)) == [*range(52)]
    assert sampled(52, 5, 7) == sampled(52, 52, 7)[:5] != sampled(52, 5, 8)
    names = [str(k) for k in range(20)]
    order = [names[k] for k in shuffled(names, 3)]
    assert [n for n in order if int(n) < 9] == [names[k] for k in shuffled(names[:9], 3)]


@st.composite
def asked(draw):
    """Draw questions with permuted letters and up to two right ones, and the chosen letters."""
    questions = []
    for _ in range(draw(st.integers(1, 12))):
        question = {"article_id_effect": draw(st.integers(0, 2)), "effect": "x", "kind": "k"}
        for i, letter in enumerate(draw(st.permutations("ABCD"))):
            question |= {f"{i}_choice": letter, f"{i}_article_id": draw(st.integers(0, 2))}
        scores = draw(st.permutations([90, 60, 20, 5]))
        question |= {f"{i}_score": score for i, score in enumerate(scores)}
        right = draw(st.sets(st.sampled_from("ABCD"), max_size=2))
        questions.append(question | {"answer": "".join(sorted(right)) or None})
    chosen = [draw(st.sampled_from(["A", "B", "C", "D", None])) for _ in questions]
    return questions, chosen


@trials(60)
@given(asked(), st.sampled_from(["skip", "empty"]), st.randoms())
def test_graded_equals_the_definition(case, policy, random):
    questions, chosen = case
    spoken = [{"prediction": c and f"So <answer>[{c}] yes</answer>"} for c in chosen]
    report = fc.crab.graded(questions, spoken, unparsed=policy)
    expected = oracle.graded(questions, chosen, policy) if any(chosen) or policy == "empty" else {}
    if expected:
        assert report["overall"].accuracy == near(expected["accuracy"])
        assert report["macro"].f1 == near(expected["macro_f1"])
    said = report.to_dict()
    for name, block in oracle.same_document(questions, chosen).items():
        assert said["same_document"][name] == {key: near(v) for key, v in block.items()}
    assert said["n_questions"] == len(questions)
    assert said["coverage"]["n_read"] == sum(c is not None for c in chosen)
    crossing = [
        oracle.gold_letter(q, c) not in oracle.near_letters(q)
        for q, c in zip(questions, chosen, strict=True)
    ]
    sizes = {name: part["n_questions"] for name, part in said["subsets"].items()}
    assert sizes.get("cross_document", 0) == sum(crossing)
    assert sizes.get("in_document", 0) == len(crossing) - sum(crossing)

    indexed = [row | {"index": k} for k, row in enumerate(spoken)]
    random.shuffle(indexed)
    assert fc.crab.graded(questions, indexed, unparsed=policy).to_json() == report.to_json()


def test_by_hand():
    letters = {f"{i}_choice": letter for i, letter in enumerate("DCBA")}
    articles = {f"{i}_article": text for i, text in enumerate("wxyz")} | {"article_effect": "w"}
    questions = [
        letters | articles | {"answer": answer, "style": style}
        for answer, style in (("A", "s"), (["A", "C"], "t"), ("C, A", "t"), ("D", "s"))
    ]
    report = fc.crab.graded(questions, ["(A)", "C.", "[D] the rain", "B"], by=["style"])
    # Gold is A, C (chosen), A (first), D.
    assert report.confusion.tolist() == [[1, 0, 0, 1], [0, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0]]
    assert report.subsets["style=t"]["overall"].accuracy == 0.5
    assert report.parts["in_document"].n_asked == 1  # by the text of the articles
    assert report.same_document["wrong"] == {
        "n": 2, "n_same_document": 1, "share": 0.5, "chance": 0.25,
    }  # fmt: skip
    assert report.same_document["cross_document"]["n"] == 3
    assert fc.crab.graded([letters | {"answer": "A"}], ["A"]).same_document is None
    assert "same_document" not in fc.crab.graded([letters | {"answer": "A"}], ["A"]).to_dict()


def test_columns_of_questions_hide_none_of_ours():
    ours = {"id": "x", "right": "D", "same_document": "B", "in_document": "no", "index": 7}
    letters = {f"{i}_choice": letter for i, letter in enumerate("ABCD")} | {"answer": "A"}
    plain, more = (fc.crab.graded([letters | extra] * 2, ["A", "B"]) for extra in ({}, ours))
    assert more.to_json() == plain.to_json()


def test_statistics_give_the_report_again(tmp_path):
    pairs = [
        {"topic_id": t, "event_order_a": a, "event_order_b": b, "score": (a * 37 + b * t) % 101,
         "article_id_a": a % 3, "article_id_b": b % 3}
        for t in range(6) for a, b in combinations(range(7), 2)
    ]  # fmt: skip
    questions = fc.crab.make_questions(pairs, seed=5, ties="accept")
    choices = ["ABCD"[k % 4] for k in range(len(questions))]
    report = fc.crab.graded(questions, choices)
    report.statistics.write(tmp_path / "a.parquet")
    again = fc.Statistics.read(tmp_path / "a.parquet").report()
    assert again.to_json() == report.to_json()
    bounded = report.with_intervals(cluster="topic_id", n_resamples=50)
    assert bounded["overall"].accuracy == report["overall"].accuracy
    always = fc.crab.graded(questions, ["A"] * len(questions))
    compared = fc.compare(report, always, ["macro_f1"], n_resamples=50)
    assert "macro_f1" in json.dumps(compared.to_dict())


LETTERS = {f"{i}_choice": letter for i, letter in enumerate("ABCD")}
TIED = {f"{i}_score": score for i, score in enumerate((70, 20, 70, 1))}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"3_choice": None}, "q.jsonl:2: the choices are A, B, C, None, expected A, B, C and D"),
        ({"3_choice": "B"}, "q.jsonl:2: the choices are A, B, C, B, expected A, B, C and D once"),
        ({"3_choice": "E"}, "q.jsonl:2: the choices are A, B, C, E, expected A, B, C and D once"),
        ({"answer": None}, 'q.jsonl:2: no "answer", and not four scores either'),
        (
            {"answer": None} | TIED,
            'q.jsonl:2: no "answer", and 2 causes have the highest score, 70',
        ),
        (
            {"answer": None} | TIED | {"3_score": 101},
            'q.jsonl:2: "3_score" is 101, expected a number from 0 to 100',
        ),
        ({"answer": "E"}, 'q.jsonl:2: "answer" is "E", expected letters from A to D'),
        ({"answer": "AA"}, 'q.jsonl:2: "answer" is "AA", expected letters from A to D'),
        ({"answer": "A or B"}, 'q.jsonl:2: "answer" is "A or B", expected letters from A to D'),
    ],
)
@pytest.mark.parametrize("json_option", [(), ("--json",)])
def test_bad_questions(change, message, json_option, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [LETTERS | {"answer": "A"}, LETTERS | {"answer": "A"} | change]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "c.jsonl").write_text('{"prediction": "A"}\n' * 2)
    out, err = cli("crab", "graded", "q.jsonl", "c.jsonl", *json_option, expect=2)
    said = json.loads(out)["error"] if json_option else err
    assert message in said
    assert len(said.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ([{"prediction": "A"}], "c.jsonl has 1 rows, gold has 2"),
        ([{"answer": "A"}] * 2, 'no column "prediction"'),
        ([{"prediction": "A", "index": 0}, {"prediction": "A", "index": -1}], '"index" is -1'),
        ([{"prediction": "A", "index": 0}] * 2, "occurs twice"),
        (
            [{"prediction": "A", "index": 0}, {"prediction": "A", "index": 7}],
            "c.jsonl are of nothing in gold",
        ),
        ([{"prediction": "A or B"}] * 2, "--unparsed empty or skip"),
    ],
)
def test_bad_choices(choices, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.jsonl").write_text((json.dumps(LETTERS | {"answer": "A"}) + "\n") * 2)
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in choices))
    out, err = cli("crab", "graded", "q.jsonl", "c.jsonl", "--per-question", "x.parquet", expect=2)
    assert message in err
    assert not out
    assert not (tmp_path / "x.parquet").exists()


def test_the_whole_path(tmp_path):
    """Commands lead from pairs to questions, answers of two systems, and their comparison."""
    cli("demo", "--copy-to", tmp_path)
    gold = tmp_path / "crab_gold.jsonl"
    for suffix in (".jsonl", ".parquet"):
        out, _ = cli("crab", "make-mcq", gold, tmp_path / f"q{suffix}", "--seed", 1, "--json")
    said = json.loads(out)
    questions = pq.read_table(tmp_path / "q.parquet")
    lines = [json.loads(line) for line in (tmp_path / "q.jsonl").read_text().splitlines()]
    assert questions.to_pylist() == lines == fc.crab.make_questions(gold, seed=1).to_pylist()
    assert said["n_questions"] == len(lines)
    for name, letter in (("first", "A"), ("last", "D")):
        table = pa.table({"prediction": [letter] * len(lines), "index": [*range(len(lines))]})
        pq.write_table(table, tmp_path / f"{name}.parquet")
    files = [tmp_path / "first.parquet", tmp_path / "last.parquet"]
    out, _ = cli("crab", "graded", tmp_path / "q.jsonl", *files, "--json",
                 "--per-question", tmp_path / "units.parquet")  # fmt: skip
    systems = json.loads(out)["systems"]
    n_first = sum("A" in line["answer"] for line in lines)
    assert systems["first"]["scores"]["overall"]["accuracy"] == n_first / len(lines)
    table, _ = cli("crab", "graded", tmp_path / "q.jsonl", *files)
    assert "first" in table
    assert "last" in table
    out, _ = cli("leaderboard", tmp_path / "units.parquet", "--score", "macro_f1",
                 "--n-resamples", 50, "--json")  # fmt: skip
    assert len(json.loads(out)["systems"]) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": -1}, "seed is -1, expected 0 to"),
        ({"seed": 0.5}, "seed is 0.5, expected 0 to"),
        ({"per_frame": 0}, "per_frame is 0, expected at least 1"),
        ({"ties": "first"}, 'ties is "first", expected one of skip, accept'),
    ],
)
def test_bad_arguments(options, message):
    pair = {"topic_id": 0, "event_order_a": 0, "event_order_b": 1, "score": 1}
    with pytest.raises(ValueError, match=message):
        fc.crab.make_questions([pair], **options)


def test_questions_need_scores(tmp_path):
    pair = {"topic_id": 0, "event_order_a": 0, "event_order_b": 1, "class": "A"}
    with pytest.raises(InputError, match='no "score"'):
        fc.crab.make_questions([pair])
    (tmp_path / "g.json").write_text(json.dumps([pair]))
    target = tmp_path / "q.jsonl"
    assert 'no "score"' in cli("crab", "make-mcq", tmp_path / "g.json", target, expect=2)[1]
    assert not target.exists()

"""Relations as questions and as inference pairs."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal import formats, sample
from fastcausal.errors import InputError
from fastcausal.formats.cnc.markup import TOKEN
from fastcausal.formats.export import squad
from fastcausal.relations import Relations
from tests.support.cli import cli
from tests.support.format_cases import CNC, needs_cnc, tables

KNOWN = {
    'What caused "': ('"?', "effect"),
    'What led to "': ('"?', "effect"),
    'Why did "': ('" occur?', "effect"),
    'What resulted from "': ('"?', "cause"),
    'What happened because of "': ('"?', "cause"),
    'What did "': ('" cause?', "cause"),
}
FLOOD = {"id": "a", "text": "Rain fell , so roads closed .",
         "relations": [{"cause": (0, 2), "effect": (4, 6), "signal": (3, 4)}]}  # fmt: skip


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    return tmp_path_factory.mktemp("written") / "x"


def written(relations, target, **options):
    """Write relations; return the records of a squad file or lines of an nli file, and losses."""
    lost = formats.write(relations, target, **options)
    text = target.read_text("utf-8")
    if options["format"] == "squad":
        return json.loads(text)["data"], lost
    return [json.loads(line) for line in text.split("\n")[:-1]], lost


def asked(question):
    """The argument that a question names, its role, and the template."""
    for start, (end, role) in KNOWN.items():
        if question.startswith(start) and question.endswith(end):
            return question[len(start) : -len(end)], role, start
    raise AssertionError(question)


def pairs_of(relations):
    """Example, text, cause and effect (as characters) of relations that have one of each."""
    found = []
    for k, example in enumerate(relations.to_examples()):
        tokens = [match.span() for match in TOKEN.finditer(example["text"])]
        for relation in example["relations"]:
            spans = [(relation or {}).get(role, []) for role in ("cause", "effect")]
            if [len(places) for places in spans] == [1, 1]:
                bounds = [(tokens[a][0], tokens[b - 1][1]) for ((a, b),) in spans]
                found.append((relations.name(k), example["text"], *bounds))
    return found


# --------------------------------------------------------------------------------------- questions


@given(relations=tables(), seed=st.integers(-3, 3))
def test_answers_stand_in_the_sentence(relations, seed, target):
    records, _ = written(relations, target, format="squad", seed=seed)
    pairs = pairs_of(relations)
    assert len(records) == 2 * len(pairs)
    for k, (name, text, *places) in enumerate(pairs):
        two = records[2 * k : 2 * k + 2]
        known = dict(zip(("cause", "effect"), places, strict=True))
        for record in two:
            argument, role, _ = asked(record["question"])
            assert record["context"] == text
            assert argument == text[slice(*known[role])]
            (answer,), (start,) = record["answers"]["text"], record["answers"]["answer_start"]
            assert (start, start + len(answer)) == known["effect" if role == "cause" else "cause"]
            assert text[start : start + len(answer)] == answer
            assert record["id"].rpartition("_")[0] == name
        assert two[0]["question"] != two[1]["question"]
    ids = [record["id"] for record in records]
    assert len(set(ids)) == len(ids)
    numbers = Counter(name.rpartition("_")[0] for name in ids)
    assert set(ids) == {f"{name}_{k}" for name, n in numbers.items() for k in range(n)}


@given(data=st.data(), relations=tables(min_size=2).filter(lambda r: r.ids is not None))
def test_order_and_shards_do_not_change_the_questions(data, relations, target):
    whole, _ = written(relations, target, format="squad")
    order = data.draw(st.permutations(range(len(relations))))
    cut = data.draw(st.integers(0, len(relations)))
    shards = []
    for rows in (order[:cut], order[cut:]):
        shards += written(
            Relations(relations.table.take(np.array(rows, np.int64))), target, format="squad"
        )[0]
    assert sorted(map(str, shards)) == sorted(map(str, whole))
    turned = [{**e, "relations": e["relations"][::-1]} for e in relations.to_examples()]
    again, _ = written(Relations.from_examples(turned), target, format="squad")
    assert sorted(str(r | {"id": ""}) for r in again) == sorted(str(r | {"id": ""}) for r in whole)


def test_every_pair_of_templates_is_as_likely():
    place = slice(0, 4), slice(9, 12)
    counts = Counter(squad.draw(0, str(k), *place) for k in range(15_000))
    assert set(counts) == set(combinations(squad.TEMPLATES, 2))
    assert sum((n - 1000) ** 2 / 1000 for n in counts.values()) < 36.1  # chi squared, p = 0.001
    for other in ((1, "0", *place), (0, "0", slice(0, 5), place[1]), (0, "0", place[0], slice(9))):
        assert squad.draw(*other) in counts
    same = sum(squad.draw(0, str(k), *place) == squad.draw(1, str(k), *place) for k in range(3000))
    assert 120 < same < 280  # 200 by chance


def test_a_draw_is_the_same_everywhere(tmp_path):
    """A seed gives the same file on any machine and in any version."""
    relations = Relations.from_examples([FLOOD | {"doc_id": "d"}])
    records, lost = written(relations, tmp_path / "x", format="squad", seed=5)
    assert records == [
        {
            "id": f"a_{k}", "title": "d", "context": FLOOD["text"], "question": question,
            "answers": {"text": [answer], "answer_start": [start]},
        }
        for k, (question, answer, start) in enumerate(
            [('What led to "roads closed"?', "Rain fell", 0),
             ('What resulted from "Rain fell"?', "roads closed", 15)])
    ]  # fmt: skip
    assert lost == ["1 spans of other roles than cause and effect are left out"]


@needs_cnc
def test_questions_of_the_corpus(tmp_path):
    """The corpus has 2257 relations and 4514 questions, as in section 6.4 of the paper."""
    found = []
    for name in ("train_subtask2_grouped", "train_subtask2"):
        relations = formats.read(CNC / f"{name}.csv")
        records, _ = written(relations, tmp_path / "x", format="squad")
        assert (relations.n_relations, len(records)) == (2257, 4514)
        for record in records:
            (answer,), (start,) = record["answers"].values()
            assert record["context"][start : start + len(answer)] == answer
        found.append({record["id"]: record for record in records})
    contents = [{str(r | {"id": ""}) for r in records.values()} for records in found]
    assert contents[0] == contents[1]
    assert found[0].keys() == found[1].keys()


@pytest.mark.slow  # the package takes seconds to import
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_datasets_reads_the_file(tmp_path):
    datasets = pytest.importorskip("datasets")
    path = tmp_path / "questions.json"
    records, _ = written(formats.read(sample.GOLD), path, format="squad")
    found = datasets.load_dataset(
        "json", data_files=str(path), field="data", split="train", cache_dir=str(tmp_path)
    )
    assert found.to_list() == records


# ------------------------------------------------------------------------------------------- pairs


@given(relations=tables())
def test_inference_pairs(relations, target):
    for premise, hypothesis in (("cause", "effect"), ("effect", "cause")):
        lines, _ = written(relations, target, format="nli", premise=premise)
        pairs = pairs_of(relations)
        assert len(lines) == len(pairs)
        numbers = Counter()
        for line, (name, text, *places) in zip(lines, pairs, strict=True):
            known = dict(zip(("cause", "effect"), places, strict=True))
            assert line == {
                "id": f"{name}_{numbers[name]}",
                "premise": text[slice(*known[premise])],
                "hypothesis": text[slice(*known[hypothesis])],
            }
            numbers[name] += 1


# ----------------------------------------------------------------------------- losses and refusals


@pytest.mark.parametrize("format", ["squad", "nli"])
def test_what_is_lost_is_told(tmp_path, format):
    relations = Relations.from_examples(
        [
            {**FLOOD, "kind": "x"},
            {"id": "b", "text": "a b c", "relations": [
                None, {"cause": (0, 1)}, {"cause": [(0, 1), (2, 3)], "effect": (1, 2)}]},
            {"id": "c", "text": "a", "relations": []},
        ]
    )  # fmt: skip
    found, lost = written(relations, tmp_path / "x", format=format)
    assert len(found) == {"squad": 2, "nli": 1}[format]
    assert lost == [
        "the columns kind are left out",
        "1 examples without relations are left out",
        "1 spans of other roles than cause and effect are left out",
        "example b: relation 1 is unread and left out",
        "example b: relation 2 has 1 cause spans and 0 effect spans, expected one of each, "
        "and is left out",
        "example b: relation 3 has 2 cause spans and 1 effect spans, expected one of each, "
        "and is left out",
    ]
    other = Relations.from_examples(
        [{"text": "a b", "relations": [{"why": (0, 1)}]}], roles=("why", "what")
    )
    found, lost = written(other, tmp_path / "x", format=format)
    assert not found
    assert lost[1].startswith("example 0: relation 1 has 0 cause spans and 0 effect spans")
    assert written(Relations.from_examples([]), tmp_path / "x", format=format) == ([], [])


@pytest.mark.parametrize("format", ["squad", "nli"])
def test_what_is_refused(tmp_path, format):
    path = tmp_path / "x"
    bare = Relations.from_examples([{"id": "a", "length": 3, "relations": [{"cause": (0, 1)}]}])
    with pytest.raises(InputError, match=r"^example a has no text, which this format needs$"):
        formats.write(bare, path, format)
    long = Relations.from_examples([{"text": "a b", "length": 3, "relations": [{"cause": (0, 1)}]}])
    with pytest.raises(InputError, match=r"^example 0: its text has 2 tokens, expected 3$"):
        formats.write(long, path, format)
    assert not path.exists()
    with pytest.raises(ValueError, match=f'^format is "{format}", expected one of cnc, '):
        formats.read(path, format)
    for option, of in ({"seed": 0}, "squad"), ({"premise": "cause"}, "nli"):
        with pytest.raises(ValueError, match=f"is for {of}, the format of .* is jsonl"):
            formats.write(bare, path, "jsonl", **option)
    with pytest.raises(ValueError, match=r'^premise is "both", expected one of cause, effect$'):
        formats.write(bare, path, "nli", premise="both")


# ---------------------------------------------------------------------------------------- commands


def test_convert(tmp_path):
    gold = formats.read(sample.GOLD)
    for options, python in (
        (["--to", "squad"], {"format": "squad"}),
        (["--to", "squad", "--seed", 3], {"format": "squad", "seed": 3}),
        (["--to", "nli"], {"format": "nli"}),
        (["--to", "nli", "--premise", "effect"], {"format": "nli", "premise": "effect"}),
    ):
        out, err = cli("convert", sample.GOLD, tmp_path / "x", *options)
        lost = formats.write(gold, tmp_path / "y", **python)
        assert (tmp_path / "x").read_bytes() == (tmp_path / "y").read_bytes()
        assert out == f"{tmp_path}/x: 61 examples, 72 relations\n"
        assert err == "".join(f"warning: lost: {message}\n" for message in lost)
    seeds = [written(gold, tmp_path / "x", format="squad", seed=seed)[0] for seed in (0, 3)]
    assert seeds[0] != seeds[1]
    cli("convert", sample.GOLD, tmp_path / "x", "--from", "squad", expect=2)


def test_convert_to_tags(tmp_path):
    """Tagged sentences become tag columns under any file name, and are read back."""
    cli("convert", sample.GOLD, tmp_path / "tags.txt", "--to", "bio")
    back = formats.read(tmp_path / "tags.txt")
    gold = formats.read(sample.GOLD)
    assert back.table["relations"].equals(gold.table["relations"])
    assert back.ids.equals(gold.ids)

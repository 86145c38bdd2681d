"""Corpus description: a corpus counted by hand, the embedded sample, the RECESS paper's figures."""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter

import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.errors import InputError
from fastcausal.tasks.describe.describe import TOKENIZERS, describe
from fastcausal.tasks.describe.description import quantile
from fastcausal.tasks.describe.plots import save_plots
from tests.support.cli import cli
from tests.support.data import CNC

released = pytest.mark.skipif(not CNC.is_dir(), reason="no shared/data/cnc")

HAND = """index,text,causal_text_w_pairs,num_rs
a,"Mr. Rao can't pay , so he left .",\
"[""<ARG0>Mr. Rao can't pay</ARG0> , <SIG0>so</SIG0> <ARG1>he left</ARG1> .""]",1
b,"So hard that it broke , he pulled !",\
"['<ARG1><SIG0>So</SIG0> hard <SIG1>that</SIG1> it broke</ARG1> , <ARG0>he pulled</ARG0> !', \
'<ARG0>So hard</ARG0> that <ARG1>it broke</ARG1> , he pulled !']",2
c,It rains.,[],0
"""


@pytest.fixture
def hand(tmp_path):
    path = tmp_path / "hand.csv"
    path.write_text(HAND)
    return path


# --------------------------------------------------------------------------------- counted by hand


def test_by_hand(hand):
    found = describe(hand)
    assert found.sentences == {"causal": 2, "non_causal": 1, "explicit": 2}
    assert found.per_sentence == {0: 1, 1: 1, 2: 1}
    assert found.relations == {
        ("cause_first", 1): 1, ("effect_first", 2): 1, ("cause_first", 0): 1,
    }  # fmt: skip
    assert found.signals == {"so": 1, "so ... that": 1}
    assert found.words["whitespace"] == {
        "causal": {9: 2}, "non_causal": {2: 1},
        "cause": {4: 1, 2: 2}, "effect": {2: 2, 5: 1}, "signal": {1: 3},
    }  # fmt: skip
    assert found.words["nltk-style"] == {
        "causal": {10: 1, 9: 1}, "non_causal": {3: 1},  # "ca n't" and "rains ."
        "cause": {5: 1, 2: 2}, "effect": {2: 2, 5: 1}, "signal": {1: 3},
    }  # fmt: skip
    assert found.words["nltk-style+tags"] == {
        **found.words["nltk-style"], "effect": {2: 2, 5 + 4 * 3: 1},  # four tags in between
    }  # fmt: skip


def test_figures_by_hand(hand):
    found = describe(hand).to_dict()
    assert found["sentences"] == {"causal": 2, "non_causal": 1, "all": 3}
    assert found["relations"] == 3
    assert found["relations_per_causal_sentence"] == 1.5
    assert found["signals_per_relation"] == 1.0
    assert found["share_with_signal"] == 2 / 3
    assert found["explicit"] == {"relations": 2, "sentences": 2}
    assert found["implicit"] == {"relations": 1, "sentences": 0}
    assert found["argument_order"]["cause_first"] == {"explicit": 1, "implicit": 1}
    assert found["argument_order"]["effect_first"] == {"explicit": 1, "implicit": 0}
    assert found["words"]["nltk-style"]["all"] == 22 / 3
    assert found["words"]["nltk-style+tags"]["effect"] == 7.0
    assert found["histograms"]["relations_per_sentence"] == {"0": 1, "1": 1, "2": 1}
    assert found["histograms"]["signals_per_relation"] == {"0": 1, "1": 1, "2": 1}
    assert found["top_signals"] == [
        {"signal": "so", "count": 1}, {"signal": "so ... that", "count": 1},
    ]  # fmt: skip


def test_sample_by_its_own_columns():
    found = describe(sample.GOLD)
    with sample.GOLD.open(encoding="utf-8", newline="") as file:
        n_relations = Counter(int(row["num_rs"]) for row in csv.DictReader(file))
    assert found.per_sentence == n_relations
    assert (found.n_sentences, found.sentences["causal"], found.n_relations) == (61, 43, 72)


def test_labels_alone(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text('index,text,label\na,"Rain , so floods .",1\nb,It rains.,0\n')
    found = describe(path)
    assert found.to_dict() == {
        "sentences": {"causal": 1, "non_causal": 1, "all": 2},
        "words": {
            "whitespace": {"causal": 5.0, "non_causal": 2.0, "all": 3.5},
            "nltk-style": {"causal": 5.0, "non_causal": 3.0, "all": 4.0},
        },
    }
    path.write_text("index,label\na,1\n")
    assert describe(path).to_dict()["words"] == {}
    for text, message in (("a,2", "label 2, expected 1"), ("a,x", 'label "x", but'), ("a,", "lab")):
        path.write_text(f"index,label\n{text}\n")
        with pytest.raises(InputError, match=message):
            describe(path)


# ------------------------------------------------------------------------------ incomplete corpora


def test_tokenizers_need_texts_and_tags(tmp_path, hand):
    relations = fc.read(hand)
    assert list(describe(relations).words) == list(TOKENIZERS)
    for tokenizer in TOKENIZERS:
        assert describe(relations, tokenizer).words == {
            tokenizer: describe(relations).words[tokenizer]
        }
    fc.write(relations, tmp_path / "hand.parquet")
    without_tags = fc.read(tmp_path / "hand.parquet")
    assert list(describe(without_tags).words) == ["whitespace", "nltk-style"]
    with pytest.raises(InputError, match='no tagged sentences, which "nltk-style\\+tags" needs'):
        describe(without_tags, "nltk-style+tags")
    bare = fc.Relations.from_examples([{"length": 4, "relations": [{"signal": (0, 1)}]}])
    assert list(describe(bare).words) == ["whitespace"]
    assert not describe(bare).signals
    with pytest.raises(InputError, match='no texts, which "nltk-style" needs'):
        describe(bare, "nltk-style")
    with pytest.raises(ValueError, match='tokenizer is "treebank"'):
        describe(bare, "treebank")


def test_relations_that_lack_something():
    found = describe(
        fc.Relations.from_examples(
            [
                {"length": 4, "relations": [None]},
                {
                    "length": 4,
                    "relations": [{"cause": (0, 1)}, {"cause": (1, 2), "effect": (1, 3)}],
                },
                {"relations": [{}]},
            ]
        )
    )
    assert found.n_unread == 1
    assert found.sentences == {"causal": 2, "non_causal": 1, "explicit": 0}
    assert found.relations == {("neither", 0): 2}
    assert found.words["whitespace"]["non_causal"] == {}  # its length is unknown
    assert found.to_dict()["words"]["whitespace"]["signal"] is None
    assert "undefined" in str(found)
    empty = describe(fc.Relations.from_examples([]))
    assert empty.to_dict()["sentences"]["all"] == 0
    assert str(empty)


def test_other_roles():
    found = describe(
        fc.Relations.from_examples([{"length": 3, "relations": [{"agent": (0, 2)}]}], ["agent"])
    )
    assert found.words["whitespace"]["agent"] == {2: 1}
    assert found.relations == {("neither", 0): 1}


def test_the_first_two_roles_are_the_arguments():
    roles, both = ("reason", "claim", "causal"), {"reason": (4, 6), "claim": (0, 2)}
    marked = [
        both,
        both | {"reason": (0, 1)},
        {"claim": (0, 1), "reason": (1, 3), "causal": (3, 4)},
    ]
    own = describe(fc.Relations.from_examples([{"length": 6, "relations": marked}], roles))
    assert own.relations == {("claim_first", 0): 2, ("neither", 0): 1}
    assert own.words["whitespace"]["role causal"] == {1: 1}
    assert own.words["whitespace"]["causal"] == {6: 1}
    text = str(own)
    assert "claim before reason" in text
    assert "signal" not in text
    order = own.to_dict()["argument_order"]
    assert {name: n["implicit"] for name, n in order.items()} == {
        "reason_first": 0, "claim_first": 2, "neither": 1,
    }  # fmt: skip
    joint = describe(sample.GOLD) + own
    assert [*joint.orders][-2:] == ["claim_first", "neither"]
    assert sum(map(sum, map(joint.ordered, joint.orders))) == joint.n_relations


def test_settings_of_reading(tmp_path):
    given = {"id": "a", "text": "a b c", "relations": [{"reason": "a", "claim": "b c"}]}
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps(given) + "\n")
    found = describe(path, roles="reason,claim")
    assert found.relations == {("reason_first", 0): 1}
    printed, _ = cli("describe", path, "--roles", "reason,claim", "--json")
    assert json.loads(printed) == found.to_dict()


def test_relations_by_type(tmp_path):
    def marked(*types):
        whole = {"cause": (0, 1), "effect": (1, 2)}
        relations = [whole | ({"type": each} if each else {}) for each in types]
        unmarked = {"type": "Counts only relations with a span"}
        return fc.Relations.from_examples([{"length": 3, "relations": [*relations, unmarked]}])

    typed = describe(marked("Enables", None, "Prevents", "Enables"))
    assert typed.types == {"Enables": 2, "Prevents": 1, "": 1}
    found = typed.to_dict()
    assert found["types"] == {"Enables": 2, "Prevents": 1}
    assert found["relations_without_type"] == 1
    lines = str(typed).partition("relations by type\n")[2].splitlines()[:3]
    assert [line.rsplit(None, 1) for line in lines] == [
        ["  Enables", "2"], ["  Prevents", "1"], ["  (without a type)", "1"],
    ]  # fmt: skip
    pytest.importorskip("matplotlib")
    assert "types.png" in [path.name for path in save_plots(typed, tmp_path)]
    plain = describe(sample.GOLD)
    assert "types" not in plain.to_dict()
    for both in (plain + typed, typed + plain):
        assert both.types == {"Enables": 2, "Prevents": 1, "": 1 + plain.n_relations}
    assert (plain + plain).types == {}


def test_between_arguments_and_flow(tmp_path):
    lines = [
        {"cause": (0, 2), "effect": (3, 5)},
        {"cause": (3, 5), "effect": (6, 8), "signal": (5, 6)},
        {"effect": (6, 8)},
    ]
    examples = [{"text": "a b , c d e f g", "relations": each} for each in (lines, lines[:1], [])]
    path = tmp_path / "corpus.jsonl"
    fc.write(fc.Relations.from_examples(examples), path)
    found = json.loads(cli("describe", path, "--json")[0])
    counted = {place: [*both.values()] for place, both in found["between_arguments"].items()}
    assert counted == {
        "signal_between": [1, 0], "adjacent": [0, 0], "comma": [0, 2], "word": [0, 0],
        "apart": [0, 0], "missing": [0, 1],
    }  # fmt: skip
    assert found["flow"] == {
        "relations": {"single": 2, "concurrent": 0, "consecutive": 2},
        "sentences": {"single": 1, "concurrent": 0, "consecutive": 1},
    }
    printed = cli("describe", path)[0].partition("between arguments: explicit + implicit\n")[2]
    shown = [line.split() for line in printed.splitlines() if line][:6]
    assert shown == [
        ["a", "signal", "1", "+", "0"],
        ["a", "comma", "alone", "0", "+", "2"],
        ["(an", "argument", "is", "missing)", "0", "+", "1"],
        ["flow", "of", "events:", "relations,", "sentences"],
        ["single", "event", "2,", "1"],
        ["consecutive", "events", "2,", "1"],
    ]
    whole = describe(sample.GOLD)
    assert whole.places.total() == whole.n_relations
    assert sum(n for (kind, _), n in whole.flows.items() if kind == "sentences") == 43


def test_the_reading_of_tags_does_not_matter():
    assert describe(fc.read(sample.GOLD, tags="cnc-2023")) == describe(sample.GOLD)


def test_tables_count_words_in_one_way(hand):
    """JSON has every count of words."""
    both = describe(hand)
    assert [*both.to_dict()["words"]] == [*TOKENIZERS]
    for tokenizer, corpus in (("whitespace", both), ("nltk-style", describe(hand, "nltk-style"))):
        lines = [line for line in str(corpus).splitlines() if "words by" in line]
        assert lines == [f"mean words by {tokenizer}"]


def test_the_sum_describes_both():
    gold = fc.read(sample.GOLD)
    parts = [describe(fc.Relations(gold.table.slice(*at))) for at in ((0, 20), (20, 41))]
    whole = describe(gold)
    assert parts[0] + parts[1] == parts[1] + parts[0] == whole


def test_quantile():
    assert quantile(Counter(), 0.5) is None
    assert [quantile(Counter({5: 1, 2: 9}), q) for q in (0.0, 0.9, 0.91, 1.0)] == [2, 2, 5, 5]


# ------------------------------------------------------------------------------ the paper's digits


TABLES = {
    "train": {
        "sentences": (1624, 1451, 3075),
        "sentence words": ("33.44", "26.69", "30.25"),
        "relations": 2257,
        "per sentence": "1.39",
        "span words": ("11.56", "10.71", "1.45"),
        "signals": ("0.70", "0.68"),
        "relations per sentence": {1: 1105, 2: 418, 3: 90, 4: 9, 5: 2, 0: 1451},
        "signals per relation": {0: 711, 1: 1515, 2: 30, 3: 1},
    },
    "dev": {
        "sentences": (185, 155, 340),
        "sentence words": ("34.41", "26.85", "30.96"),
        "relations": 249,
        "per sentence": "1.35",
        "span words": ("12.20", "10.18", "1.53"),
        "signals": ("0.64", "0.63"),
        "relations per sentence": {1: 133, 2: 40, 3: 12, 0: 155},
        "signals per relation": {0: 92, 1: 154, 2: 3},
    },
}
TABLE_6 = {
    "to": 364, "for": 170, "as": 141, "demanding": 111, "following": 78, "by": 64, "over": 64,
    "if": 46, "with": 44, "due to": 25, "because": 20, "in protest": 19, "in connection with": 17,
    "in support of": 14, "seeking": 12, "even as": 12, "protesting": 10, "despite": 10,
    "in the wake of": 10, "led to": 10,
}  # fmt: skip


def digits(*values):
    return tuple(f"{value:.2f}" for value in values)


@released
@pytest.mark.parametrize("split", TABLES)
def test_tables_3_and_4(split):
    published = TABLES[split]
    found = describe(CNC / f"{split}_subtask2_grouped.csv")
    figures = found.to_dict()
    words = figures["words"]["nltk-style+tags"]
    groups = ("causal", "non_causal", "all")
    assert tuple(figures["sentences"][g] for g in groups) == published["sentences"]
    assert digits(*(words[g] for g in groups)) == published["sentence words"]
    assert found.n_relations == published["relations"]
    assert digits(figures["relations_per_causal_sentence"])[0] == published["per sentence"]
    assert digits(words["cause"], words["effect"], words["signal"]) == published["span words"]
    signals = figures["signals_per_relation"], figures["share_with_signal"]
    assert digits(*signals) == published["signals"]
    assert found.per_sentence == published["relations per sentence"]
    assert found.signals_per_relation == published["signals per relation"]


@released
@pytest.mark.parametrize("split", TABLES)
def test_table_3_from_labels(split):
    figures = describe(CNC / f"{split}_subtask1.csv").to_dict()
    groups = ("causal", "non_causal", "all")
    assert tuple(figures["sentences"][g] for g in groups) == TABLES[split]["sentences"]
    words = figures["words"]["nltk-style"]
    assert digits(*(words[g] for g in groups)) == TABLES[split]["sentence words"]


@released
def test_table_4_from_a_row_per_relation():
    single, grouped = (describe(CNC / f"train_subtask2{s}.csv") for s in ("", "_grouped"))
    assert single.relations == grouped.relations
    assert single.signals == grouped.signals
    assert single.sentences["non_causal"] == 0


@released
def test_table_6_includes_the_test_split():
    """No count exceeds the published one, and no other signal is as frequent as the last."""
    found = sum_of_released().signals
    assert all(found[signal] <= count for signal, count in TABLE_6.items())
    assert all(count < 10 for signal, count in found.items() if signal not in TABLE_6)
    missing = sum(TABLE_6.values()) - sum(found[signal] for signal in TABLE_6)
    assert 0 < missing <= 0.76 * 248  # relations of the test split that have a signal
    assert [found["due to"], found["in connection with"], found["led to"]] == [25, 17, 10]


@released
def test_section_6_1():
    found = describe(CNC / "dev_subtask2_grouped.csv").to_dict()
    assert (found["explicit"]["sentences"], found["implicit"]["sentences"]) == (122, 63)


def sum_of_released():
    train, dev = (describe(CNC / f"{split}_subtask2_grouped.csv") for split in TABLES)
    return train + dev


# -------------------------------------------------------------------------------------------- plots


def test_plots(tmp_path, hand):
    pytest.importorskip("matplotlib")
    written = save_plots(describe(hand), tmp_path / "a" / "b")
    assert [path.name for path in written] == [
        "sentence_lengths.png", "span_lengths.png", "relations.png", "argument_order.png",
        "signals.png",
    ]  # fmt: skip
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in written)
    long = fc.Relations.from_examples(
        [{"length": 900, "relations": [{"cause": (0, k)} for k in range(1, 40)]}]
    )
    assert len(save_plots(describe(long), tmp_path)) == 4
    assert save_plots(describe(fc.Relations.from_examples([])), tmp_path) == []
    with pytest.raises(InputError, match=r"hand\.csv: "):
        save_plots(describe(hand), hand)


def test_plots_without_matplotlib(tmp_path, hand, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r'the extra "plots" brings: pip install'):
        save_plots(describe(hand), tmp_path)


# ------------------------------------------------------------------------------------- command line


def test_command(hand, tmp_path):
    out, _ = cli("describe", str(hand), "--json")
    assert json.loads(out) == json.loads(describe(hand).to_json())
    out, _ = cli("describe", str(hand), str(sample.GOLD), "--tokenizer", "whitespace")
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line.strip()}
    assert rows["hand"] == ["gold", "in", "all"]
    assert rows["non-causal"][-3:] == ["2.00", "8.56", "8.21"]
    assert "nltk" not in out
    out, _ = cli("describe", str(hand), str(sample.GOLD), "--json")
    found = json.loads(out)
    assert list(found["corpora"]) == ["hand", "gold"]
    assert found["all"]["relations"] == 75


@pytest.mark.slow
def test_command_with_plots(hand, tmp_path):
    pytest.importorskip("matplotlib")
    _, err = cli("describe", str(hand), "--plots", str(tmp_path / "plots"))
    assert "5 pictures" in err
    assert len(list((tmp_path / "plots").iterdir())) == 5


def test_command_with_bad_input(tmp_path):
    out, _ = cli("describe", str(tmp_path / "none.csv"), "--json", expect=2)
    assert "No such file" in json.loads(out)["error"]
    bad = tmp_path / "bad.csv"
    bad.write_text("index,label\na,1\nb,3\n")
    _, err = cli("describe", str(bad), expect=2)
    assert "bad.csv:3: example b: label 3, expected 1 (causal) or 0 (not)" in err

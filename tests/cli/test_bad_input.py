"""Bad input gives one clear message and exit status 2, or a correct score: never a traceback."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

import fastcausal as fc
from fastcausal import sample
from tests.support.cli import cli

HEADER = "corpus,doc_id,sent_id,eg_id,index,text,causal_text_w_pairs,num_rs\n"
ROWS = [
    """c,d,0,0,first,Rain fell here,['<ARG0>Rain</ARG0> <ARG1>fell</ARG1> here'],1\n""",
    """c,d,1,0,second,Nothing fell,[],0\n""",
]
TRUTH = HEADER + "".join(ROWS)
LINES = [
    '{"index": 0, "prediction": ["<ARG0>Rain</ARG0> <ARG1>fell</ARG1> here"]}\n',
    '{"index": 1, "prediction": []}\n',
]
SUBMISSION = "".join(LINES)


def row(role='"cause"', start=0, stop=2, **values):
    """A line of the canonical table, its numbers as they come."""
    span = f'{{"role": {role}, "start": {start}, "stop": {stop}}}'
    return json.dumps({"id": "a", "length": 4} | values)[:-1] + f', "relations": [[{span}]]}}\n'


def spans(**relation):
    return json.dumps({"id": "a", "text": "Rain fell here", "relations": [relation]}) + "\n"


# The bad file, its name, the gold that it faces (None: it is the gold itself) and the message.
BAD = {
    "empty file": ("", "p.jsonl", TRUTH, "p.jsonl is empty"),
    "empty gold": ("", "g.csv", None, "g.csv is empty"),
    "blank file": (" \n\n", "p.jsonl", TRUTH, "p.jsonl is empty"),
    "wrong columns": (
        "index,text\n1,Rain\n", "g.csv", None,
        'g.csv:1: no column "causal_text_w_pairs" or "text_w_pairs": found index, text; .*'),
    "a column is missing": (
        TRUTH.replace(",text,", ",words,"), "g.csv", None,
        'g.csv:1: no column "text": found corpus, doc_id, sent_id, eg_id, index, words, '
        "causal_text_w_pairs, num_rs"),
    "cut row": (TRUTH[:-4], "g.csv", None, "g.csv:3: 7 columns, expected 8"),
    "open quote": (
        TRUTH.replace("Nothing", '"Nothing'), "g.csv", None,
        "g.csv:3: invalid CSV: unexpected end of data"),
    "no list": (
        TRUTH.replace("[]", "no"), "g.csv", None,
        "g.csv:3: example second: causal_text_w_pairs: expected a list of strings, found 'no'"),
    "wrong num_rs": (
        TRUTH.replace("[],0", "[],2"), "g.csv", None,
        "g.csv:3: example second: num_rs is 2, but the list has 0 sentences"),
    "truncated JSON line": (
        SUBMISSION[:-6], "p.jsonl", TRUTH, r"p.jsonl:2: invalid JSON: .* at column \d+"),
    "no JSON object": (
        LINES[0] + "[]\n", "p.jsonl", TRUTH, "p.jsonl:2: a list, expected an object"),
    "no prediction": (
        LINES[0] + "{}\n", "p.jsonl", TRUTH, 'p.jsonl:2: no "prediction": found no key'),
    "prediction is no list": (
        SUBMISSION.replace("[]", '"x"'), "p.jsonl", TRUTH,
        'p.jsonl:2: "prediction" is a string, expected a list of strings'),
    "prediction holds a number": (
        SUBMISSION.replace("[]", "[1]"), "p.jsonl", TRUTH,
        'p.jsonl:2: "prediction" holds a number, expected a list of strings'),
    "fewer rows": (
        LINES[0], "p.jsonl", TRUTH,
        r'1 examples of gold have no prediction \("second"\), 0 of pred are not in gold; '
        "--unmatched empty or skip would allow it"),
    "more rows": (SUBMISSION + LINES[1].replace("1", "2"), "p.jsonl", TRUTH,
                  "p.jsonl has 3 examples, expected 2"),
    "a row of no example": (
        LINES[0] + LINES[1].replace("1", "2", 1), "p.jsonl", TRUTH,
        'p.jsonl:2: "index" is 2, expected 0 to 1'),
    "fewer tokens": (
        SUBMISSION.replace(" here", ""), "p.jsonl", TRUTH,
        "(?s)1 relation of pred could not be read:\n.*p.jsonl:1: example first: prediction 1 has "
        '2 tokens, expected 3: token 3 is missing, expected "here"\n'
        "--unparsed empty or skip would score the rest"),
    "tags that do not close": (
        SUBMISSION.replace("</ARG0>", ""), "p.jsonl", TRUTH,
        "(?s).*p.jsonl:1: example first: prediction 1: <ARG0> is never closed\n.*"),
    "text and tags differ": (
        TRUTH.replace("Rain fell here", "Rain fell"), "g.csv", None,
        "(?s).*g.csv:2: example first: relation 1 has 3 tokens, expected 2: "
        'token 3 is "here", expected none'),
    "lengths differ": (row(length=5), "p.jsonl", row(),
                       "example a: pred has 5 tokens, expected 4 as in gold"),
    "duplicate ids in gold": (
        TRUTH.replace("second", "first"), "g.csv", None,
        'g.csv:3: id "first" occurs twice, first in g.csv:2'),
    "duplicate ids": (row() + row(), "p.jsonl", row(),
                      'p.jsonl:2: id "a" occurs twice, first in p.jsonl:1; --sample COLUMN would '
                      "tell the answers to an item"),
    "an id is missing": (row() + row(id=None), "p.jsonl", row(),
                         'p.jsonl:2: no "id", other examples have one'),
    "ends before it starts": (row(start=2, stop=1), "p.jsonl", row(),
                              "p.jsonl:1: span (2, 1), expected token numbers, start < stop"),
    "marks nothing": (row(start=1, stop=1), "p.jsonl", row(),
                      "p.jsonl:1: span (1, 1), expected token numbers, start < stop"),
    "negative offset": (row(start=-1), "p.jsonl", row(),
                        "p.jsonl:1: span (-1, 2), expected token numbers, start < stop"),
    "huge offset": (row(stop=10**10), "p.jsonl", row(),
                    "p.jsonl:1: span (0, 10000000000), expected token numbers, start < stop"),
    "offset is a fraction": (row(stop=1.5), "p.jsonl", row(),
                             "p.jsonl:1: span (0, 1.5), expected token numbers, start < stop"),
    "beyond the last token": (
        row(stop=9), "p.jsonl", row(),
        "p.jsonl: example a: span (0, 9) ends after the last token, the example has 4 tokens"),
    "unknown role": (row(role='"claim"'), "p.jsonl", row(),
                     'p.jsonl:1: unknown role "claim", expected one of cause, effect, signal'),
    "unknown role of a span text": (
        spans(claim="Rain"), "p.jsonl", spans(),
        'p.jsonl:1: example a: unknown role "claim", expected one of cause, effect, signal'),
    "a span text that is not there": (
        spans(cause="Snow"), "p.jsonl", spans(),
        '(?s).*p.jsonl:1: example a: relation 1: "Snow" is not in the text\n.*'),
    "characters out of the text": (
        spans(cause=[3, 99]), "p.jsonl", spans(),
        "(?s).*p.jsonl:1: example a: relation 1: characters 3 to 99 .*"),
    "not UTF-8": (SUBMISSION.replace("Rain", "R\udcff\udcfe"), "p.jsonl", TRUTH,
                  "p.jsonl:1: byte 0xff is not UTF-8"),
    "not UTF-8, in gold": (TRUTH.replace("Nothing", "N\udce4"), "g.csv", None,
                           "g.csv:3: byte 0xe4 is not UTF-8"),
    "no Parquet": ("PAR1 and", "p.parquet", TRUTH, "p.parquet: cannot be read as parquet: .*"),
    "no Arrow": ("ARROW1", "p.arrow", TRUTH, "p.arrow: cannot be read as arrow: .*"),
    "no tags": ("Rain\tX\n", "p.bio", TRUTH, ".*p.bio.*"),
    "nothing known": ("Rain fell here.\n", "p.txt", TRUTH,
                      "p.txt: the format cannot be told, give a format: cnc, .*"),
}  # fmt: skip


def write(path, text):
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return path.name


def failing(*args):
    """The message of a command that fails, which is the same as a line and as JSON."""
    out, err = cli(*args, expect=2)
    assert not out
    assert err.startswith("error: ")
    message = err.removeprefix("error: ").removesuffix("\n")
    out, err = cli(*args, "--json", expect=2)
    assert json.loads(out) == {"error": message}
    assert not err
    return message


@pytest.mark.parametrize("name", BAD)
def test_one_clear_message(name, tmp_path, monkeypatch):
    text, file, gold, message = BAD[name]
    monkeypatch.chdir(tmp_path)
    sides = [file, file]
    if gold is not None:
        sides[0] = write(tmp_path / ("gold.csv" if gold == TRUTH else "gold.jsonl"), gold)
    write(tmp_path / file, text)
    found = failing("score", *sides)
    assert found == message or re.fullmatch(message, found)


def test_advice_speaks_of_options(tmp_path, monkeypatch):
    """Messages name options in place of Python's arguments, but leave text of the data alone."""
    monkeypatch.chdir(tmp_path)
    odd = 'unmatched="empty" or "skip" would allow it'
    write(tmp_path / "gold.jsonl", row(id=odd))
    write(tmp_path / "pred.jsonl", row(id="b"))
    with pytest.raises(fc.InputError) as raised:
        fc.score("gold.jsonl", "pred.jsonl")
    assert str(raised.value).endswith(f"; {odd}")
    message = failing("score", "gold.jsonl", "pred.jsonl")
    assert f'("{odd}")' in message
    assert message.endswith("; --unmatched empty or skip would allow it")
    assert failing("explain", "gold.jsonl", "pred.jsonl") == message[: message.rindex("; --")]


def test_explain_and_convert_say_the_same(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "gold.csv", TRUTH)
    for name in ("empty file", "truncated JSON line", "more rows", "not UTF-8"):
        text, file, _, message = BAD[name]
        write(tmp_path / file, text)
        assert re.fullmatch(message, failing("explain", "gold.csv", file))
        _, err = cli("convert", file, "x.parquet", "--like", "gold.csv", expect=2)
        assert re.fullmatch(f"error: {message}\n", err)
    assert not (tmp_path / "x.parquet").exists()


def test_half_of_a_surrogate_pair(tmp_path):
    """Half of a surrogate pair, which no output can hold, gives a message and not a crash."""
    for text in (row(role=r'"\ud800"'), row().replace('"length"', r'"\ud800": 1, "length"')):
        write(tmp_path / "x.jsonl", text)
        assert "x.jsonl" in cli("score", tmp_path / "x.jsonl", tmp_path / "x.jsonl", expect=2)[1]
        out, _ = cli("score", tmp_path / "x.jsonl", tmp_path / "x.jsonl", "--json", expect=2)
        assert "x.jsonl" in json.loads(out)["error"]


def test_which_of_several_systems(tmp_path, monkeypatch):
    """A message about one of several files names the file."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "gold.jsonl", row())
    write(tmp_path / "good.jsonl", row())
    write(tmp_path / "bad.jsonl", row(length=5))
    assert "bad" in failing("score", "gold.jsonl", "good.jsonl", "bad.jsonl")
    write(tmp_path / "bad.jsonl", row(id="b"))
    assert "bad" in failing("score", "gold.jsonl", "good.jsonl", "bad.jsonl")


@pytest.mark.parametrize("side", [0, 1])
def test_files_that_are_not_there(side, tmp_path):
    paths = [sample.GOLD, sample.SYSTEMS["careful"]]
    for path, reason in (
        (tmp_path / "none", "No such file or directory"),
        (
            tmp_path,
            "a directory without a file that ends in .csv, .jsonl, .ndjson, .parquet, .pq, .ann, "
            ".json, .tsv, .xmi",
        ),
        ("\0", "embedded null byte"),
        (tmp_path / (256 * "x"), "File name too long"),
    ):
        paths[side] = path
        assert failing("score", *paths) == f"{path}: {reason}".replace("\0", r"\x00")


def test_swapped_files():
    """A submission given as gold is refused."""
    message = failing("score", sample.SYSTEMS["careful"], sample.GOLD)
    assert message == "gold is a submission file, expected gold annotations"


def test_output_that_cannot_be_written(tmp_path):
    pair = (sample.GOLD, sample.SYSTEMS["careful"])
    for option in ("--per-example", "--matches"):
        missing = tmp_path / "no" / "x.parquet"
        assert failing("score", *pair, option, missing) == f"{missing}: No such file or directory"
        assert failing("score", *pair, option, tmp_path) == f"{tmp_path}: Is a directory"
    _, err = cli("convert", sample.GOLD, tmp_path / "x.xyz", expect=2)
    assert "the name does not tell the format" in err
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_sentence_of_10_megabytes(tmp_path):
    n = 2_000_000
    text = "rain " * n + "fell"
    assert len(text) > 10_000_000
    tagged = f"<ARG0>rain</ARG0> {'rain ' * (n - 1)}<ARG1>fell</ARG1>"
    write(tmp_path / "g.csv", HEADER + f"c,d,0,0,a,{text},['{tagged}'],1\n")
    write(tmp_path / "p.jsonl", json.dumps({"index": 0, "prediction": [tagged]}) + "\n")
    for protocol in fc.PROTOCOLS:
        out, _ = cli("score", tmp_path / "g.csv", tmp_path / "p.jsonl", "--json",
                     "--protocol", protocol)  # fmt: skip
        assert next(iter(json.loads(out)["scores"].values()))["f1"] == 1.0


@pytest.mark.slow
def test_10_000_relations_in_one_example(tmp_path):
    n = 10_000
    apart = [[{"role": "cause", "start": k, "stop": k + 1}] for k in range(n)]
    line = {"id": "a", "length": n, "relations": apart}
    write(tmp_path / "g.jsonl", json.dumps(line) + "\n")
    write(tmp_path / "p.jsonl", json.dumps(line | {"relations": apart[::-1][:-1]}) + "\n")
    out, _ = cli("score", tmp_path / "g.jsonl", tmp_path / "p.jsonl", "--json")
    cause = json.loads(out)["scores"]["cause"]
    assert (cause["tp"], cause["fp"], cause["fn"]) == (n - 1, 0, 1)


@pytest.mark.slow
def test_10_000_relations_that_all_meet():
    table = fc.Relations.from_examples([{"length": 1, "relations": [{"cause": (0, 1)}] * 10_000}])
    with pytest.raises(fc.InputError, match=r"^example 0 is too large: expected at most"):
        fc.score(table, table)


def test_no_traceback_from_the_real_command(tmp_path):
    write(tmp_path / "g.csv", TRUTH)
    write(tmp_path / "p.jsonl", SUBMISSION[:-6])
    code = "from fastcausal.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "score", "g.csv", "p.jsonl"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"error: p.jsonl:2: invalid JSON: .*\n", done.stderr)

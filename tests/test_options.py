"""Closed vocabularies: one list each, read by signatures, docstrings, tables and commands alike."""

from __future__ import annotations

import ast
import inspect
import json
import re
import typing
from pathlib import Path
from types import UnionType

import click
import numpy as np
import pytest

import fastcausal as fc
from fastcausal import options, sample
from fastcausal.cli import app
from fastcausal.decoding.spans import METHODS
from fastcausal.formats.cnc.markup import READINGS
from fastcausal.tasks.agreement.agree import PROTOCOLS as AGREEMENT_PROTOCOLS
from fastcausal.tasks.describe.describe import NEEDED
from fastcausal.tasks.labels.coefficients import COSTS
from tests.support.cli import cli

VOCABULARIES = {
    name: typing.get_args(value)
    for name, value in vars(options).items()
    if typing.get_origin(value) is typing.Literal
}
GOLD, PRED = str(sample.GOLD), str(sample.SYSTEMS["careful"])
TABLE = fc.Relations.from_examples([{"length": 3, "relations": [{"cause": (0, 1)}]}])
RATINGS = [[1, 2], [2, 2]]
SCHEME = fc.TagScheme(["O", "B-Cause", "I-Cause"])


def test_vocabularies_stand_in_one_module():
    """Only options.py spells Literals, so that no vocabulary has a second list."""
    root = Path(fc.__file__).parent
    texts = {path: path.read_text(encoding="utf-8") for path in root.rglob("*.py")}
    for path in (path for path, text in texts.items() if "Literal" in text):
        nodes = ast.walk(ast.parse(texts[path]))
        names = {node.id for node in nodes if isinstance(node, ast.Name)}
        assert "Literal" not in names or path == root / "options.py", path


@pytest.mark.parametrize(
    ("table", "choices"),
    [
        (fc.PROTOCOLS, "ProtocolName"),
        ({p.name: p for p in fc.PROTOCOLS.values()}, "ProtocolName"),
        (AGREEMENT_PROTOCOLS, "AgreementProtocol"),
        (READINGS, "TagReading"),
        (METHODS, "DecodingMethod"),
        (NEEDED, "Tokenizer"),
        ([key for key in COSTS if key is not None], "KappaWeights"),
    ],
)
def test_tables_have_the_same_names(table, choices):
    assert set(table) == set(VOCABULARIES[choices])


# ---------------------------------------------------------------------------------- docstrings


def choices_of(hint):
    """Return the names in a type; None if it is no closed vocabulary."""
    parts = typing.get_args(hint) if typing.get_origin(hint) in (UnionType, typing.Union) else ()
    found = [p for p in (hint, *parts) if typing.get_origin(p) is typing.Literal]
    return typing.get_args(found[0]) if found else None


def documented():
    """Every public argument with a closed vocabulary whose docstring lists the names."""
    for name in fc.__all__:
        item = getattr(fc, name)
        if not callable(item):
            continue
        members = [item]
        if inspect.isclass(item):
            members = [item.__init__, *(m for _, m in inspect.getmembers(item, inspect.isroutine))]
        for member in members:
            try:
                hints = typing.get_type_hints(member)
            except (NameError, TypeError):
                continue
            texts = inspect.getdoc(item) or "", inspect.getdoc(member) or ""
            for argument, hint in hints.items():
                for text in texts if choices_of(hint) else ():
                    listed = re.search(rf"^{argument} : {{(.*?)}}", text, re.MULTILINE)
                    if listed:
                        yield name, argument, choices_of(hint), listed[1]


def test_docstrings_list_the_same_names():
    seen = set()
    for name, argument, choices, listed in documented():
        names = tuple(re.findall(r'"([^"]+)"', listed))
        assert names == choices, f"{name}: {argument}"
        seen.add((name, argument))
    assert {
        ("score", "protocol"),
        ("score", "unparsed"), ("score", "unmatched"), ("score", "backend"),
        ("read", "tags"), ("write", "premise"), ("agree", "protocol"),
        ("agree", "average"), ("classify", "unparsed"), ("Protocol", "ties"),
        ("Protocol", "average"), ("SpanDecoder", "method"), ("TagScorer", "backend"),
        ("describe", "tokenizer"), ("check", "tags"), ("krippendorff_alpha", "level"),
        ("majority_vote", "ties"), ("cohen_kappa", "weights"), ("qa", "unmatched"),
    } <= seen  # fmt: skip


# ----------------------------------------------------------------------------- bad arguments

BAD = {
    "protocol": lambda: fc.score(TABLE, TABLE, "cnc-2033"),
    "unparsed": lambda: fc.score(TABLE, TABLE, unparsed="ignore"),
    "unmatched": lambda: fc.ExtractionScorer(unmatched=None),
    "backend": lambda: fc.score(TABLE, TABLE, backend="gpu"),
    "backend ": lambda: fc.TagScorer(SCHEME, backend="reference"),
    "by": lambda: fc.score(TABLE, TABLE, "cnc-2022", by="id"),
    "per_example": lambda: fc.score(TABLE, TABLE, "cnc-2022", per_example="x.csv"),
    "tags": lambda: fc.Protocol("mine", tags="cnc"),
    "ties": lambda: fc.Protocol("mine", ties=["content"]),
    "tags ": lambda: fc.read(GOLD, tags="cnc"),
    "format": lambda: fc.read(GOLD, "csv"),
    "format ": lambda: fc.read(GOLD, "squad"),
    "format  ": lambda: fc.write(TABLE, "nowhere", "webanno-tsv"),
    "seed": lambda: fc.write(TABLE, "nowhere.jsonl", seed=1),
    "premise": lambda: fc.write(TABLE, "nowhere", "nli", premise="both"),
    "protocol ": lambda: fc.agree([TABLE, TABLE], "cnc-2023"),
    "average": lambda: fc.agree([TABLE, TABLE], average="pairs"),
    "unparsed ": lambda: fc.agree([TABLE, TABLE], unparsed="ignore"),
    "level": lambda: fc.krippendorff_alpha(RATINGS, "metric"),
    "n_resamples": lambda: fc.alpha_interval(RATINGS, n_resamples=0),
    "confidence": lambda: fc.alpha_interval(RATINGS, confidence=95),
    "weights": lambda: fc.cohen_kappa([1, 2], [1, 1], "cubic"),
    "labels": lambda: fc.cohen_kappa([1, 2], [1, 2], None, [1, 2, 2]),
    "rater": lambda: fc.krippendorff_alpha(RATINGS, unit="u", label="x"),
    "groups": lambda: fc.krippendorff_alpha({}, groups=[1], unit="u", rater="r", label="x"),
    "ignore_index": lambda: fc.TagScheme(["O"], ignore_index=0),
    "ties ": lambda: fc.majority_vote(RATINGS, "last"),
    "unmatched ": lambda: fc.classify([1], [1], unmatched="empty"),
    "labels ": lambda: fc.classify([1], [1], labels=[]),
    "unmatched  ": lambda: fc.qa([], {}, unmatched="ignore"),
    "tokenizer": lambda: fc.describe(TABLE, "treebank"),
    "method": lambda: fc.SpanDecoder("greedy"),
    "top_k": lambda: fc.SpanDecoder(top_k=0),
}


@pytest.mark.parametrize("argument", BAD)
def test_a_bad_argument_is_a_value_error(argument):
    """A bad argument is a ValueError, not an InputError as bad data; the message names it."""
    with pytest.raises(ValueError, match=argument.strip()) as caught:
        BAD[argument]()
    assert type(caught.value) is ValueError


@pytest.mark.parametrize(
    "call",
    [
        lambda: fc.read([{"relations": 3}]),
        lambda: fc.read("no such file"),
        lambda: fc.score(TABLE, fc.read([])),
        lambda: fc.krippendorff_alpha([["a", "b"]], "ordinal"),
        lambda: fc.classify([1], [1, 0]),
        lambda: SCHEME.rows(np.array([[7]])),
        lambda: fc.qa(3, {}),
    ],
)
def test_bad_data_is_an_input_error(call):
    with pytest.raises(fc.InputError):
        call()


def test_other_types_than_text_are_refused():
    message = r"^unparsed is .*, expected one of error, empty, skip$"
    for value in (None, 1, ["error"], {"error"}, np.array(["error", "skip"])):
        with pytest.raises(ValueError, match=message):
            options.check("unparsed", value, options.Policy)


# ---------------------------------------------------------------------------- the command line

COMMANDS = {name: app.get_command(None, name) for name in app.entries}
CHOSEN = [
    (name, parameter)
    for name, command in COMMANDS.items()
    for parameter in command.params
    if isinstance(parameter.type, click.Choice) or hasattr(parameter.type, "choices")
]


@pytest.mark.parametrize(("name", "parameter"), CHOSEN, ids=lambda v: getattr(v, "name", v))
def test_options_of_commands_have_the_same_names(name, parameter):
    assert tuple(parameter.type.choices) in VOCABULARIES.values()


@pytest.mark.parametrize(("name", "parameter"), CHOSEN, ids=lambda v: getattr(v, "name", v))
def test_an_unknown_name_ends_with_status_2(name, parameter):
    has_json = any("--json" in p.opts for p in COMMANDS[name].params)
    paths = [GOLD, PRED][: sum(p.param_type_name == "argument" for p in COMMANDS[name].params)]
    line = [name, *paths, parameter.opts[0], "nothing", *["--json"][: int(has_json)]]
    out, err = cli(*line, expect=2)
    said = json.loads(out)["error"] if has_json else err
    assert f"Invalid value for '{parameter.opts[0]}'" in said
    for choice in parameter.type.choices:
        assert f"'{choice}'" in said
    assert not (has_json and err)


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", GOLD, PRED, "--protocol", "cnc-2022", "--by", "id"),  # an argument
        ("score", GOLD, "no such file"),  # data
        ("score", GOLD, PRED, "--nothing"),  # usage
        ("score", GOLD),
        ("score", GOLD, PRED, "--threads", "0"),
        ("agree", GOLD, "--seed", "3"),
        ("classify", GOLD, PRED, "--labels", ","),
        ("nothing",),
    ],
)
def test_every_kind_of_error_is_an_object_under_json(arguments):
    out, err = cli(*arguments, "--json", expect=2)
    assert list(json.loads(out)) == ["error"]
    assert err == ""
    out, err = cli(*arguments, expect=2)
    assert out == ""
    assert err.startswith("error: ")


def test_a_value_of_a_flag_is_told_as_json_too():
    assert "does not take a value" in json.loads(cli("score", "--json=1", expect=2)[0])["error"]

"""The conformance cases against our own programs on every run, and against other installed ones;
the schema, the page, and the runner's verdicts on faults."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any, get_args

import pytest

from fastcausal import options
from fastcausal.counts.task import declared

SUITE = Path(__file__).parents[2] / "conformance"
sys.path[:0] = [str(SUITE), str(SUITE / "programs")]
import answering  # noqa: E402
import page  # noqa: E402
import run  # noqa: E402
import with_fastcausal  # noqa: E402

CASES = run.load([run.CASES])
NEEDED = {
    "seqeval": "seqeval",
    "nervaluate": "nervaluate",
    "scikit-learn": "sklearn",
    "krippendorff": "krippendorff",
}
BY_HAND_ALONE = {  # the arithmetic is in the case; no other program has the rule
    "tags/aligned/letters",
    "tags/aligned/other-words",
    "crab/pairwise/texts/words",
    "relations/cnc-2022/running-mean",
    "relations/cnc-2022/pairing",
}


def asked(case: dict[str, Any]) -> dict[str, Any]:
    return {name: case[name] for name in case if name not in run.HIDDEN}


def faults_of(case: dict[str, Any], backend: str) -> list[str] | None:
    tasks = {name: with_fastcausal.refusing(task) for name, task in with_fastcausal.TASKS.items()}
    if backend != "cpu":
        tasks = {}
    tasks["score"] = with_fastcausal.refusing(
        lambda case: with_fastcausal.score(case, backend=backend)
    )
    return run.judge(case, answering.answer(asked(case), tasks))


# ----------------------------------------------------------------------------- our own programs


@pytest.mark.filterwarnings("ignore")
def test_the_cpu_has_every_case_right():
    assert not {case["id"]: found for case in CASES if (found := faults_of(case, "cpu")) != []}


@pytest.mark.filterwarnings("ignore")
def test_the_reference_has_every_case_of_relations_right():
    of = [case for case in CASES if case["task"] == "score"]
    assert len(of) > 60
    assert not {case["id"]: found for case in of if (found := faults_of(case, "reference")) != []}


# --------------------------------------------------------------------------- rules have their case


def names_of(*literals: Any) -> set[str]:
    return {name for literal in literals for name in get_args(literal)}


def found_in(field: str, task: str | None = None) -> set[Any]:
    """The values of a field of cases, within options and settings as well."""
    found = set()
    for case in CASES:
        if task in (None, case["task"]):
            settings = case["protocol"] if isinstance(case["protocol"], dict) else {}
            for place in (case, case.get("options", {}), settings):
                if isinstance(place.get(field), str):
                    found.add(place[field])
    return found


def test_every_protocol_has_a_case():
    named = found_in("protocol") | found_in("kernel") | {"fair_spans"}  # the kernel of recess
    wanted = names_of(
        options.ProtocolName, options.KernelName, options.QuestionProtocol,
        options.AnswerProtocol, options.AgreementProtocol, options.LabelProtocol,
        options.SpanProtocol, options.PairProtocolName,
    )  # fmt: skip
    wanted |= {name for task in declared() for name in task.protocols}
    assert not wanted - named


@pytest.mark.parametrize(
    ("literals", "fields", "task"),
    [
        ((options.TagReading,), ["protocol"], "tags"),
        ((options.Policy,), ["unparsed"], "score"),
        ((options.Policy,), ["unmatched"], "score"),
        ((options.AnswerPolicy,), ["unparsed"], "classify"),
        ((options.AnswerPolicy,), ["unmatched"], "classify"),
        ((options.AnswerReading,), ["read"], "classify"),
        ((options.AnswerKind,), ["answers"], "classify"),
        ((options.UnsurePolicy,), ["unsure"], "answers"),
        ((options.Level,), ["protocol"], "labels"),
        ((options.MajorityTies,), ["votes"], "labels"),
        ((options.OutsidePairs,), ["outside"], "eci"),
        ((options.CrabTask,), ["task"], "crab"),
        ((options.Border,), ["border"], "crab"),
        ((options.FrameRule,), ["rule"], "crab"),
        ((options.ExpertRule,), ["rule"], "crab"),
        ((options.Outside,), ["outside"], "crab"),
    ],
)
def test_every_option_has_a_case(literals, fields, task):
    found = set().union(*(found_in(field, task) for field in fields))
    assert not names_of(*literals) - found


def test_what_is_not_the_default_has_a_case():
    assert {"first"} == found_in("ties", "score")
    assert {"truncate"} == found_in("surplus", "score")
    assert {"ignore"} == found_in("non_causal", "score")
    assert {"relation"} == found_in("average", "agree")
    assert {"none"} == found_in("ties", "crab")
    assert {"score"} == found_in("gold_from", "crab")
    assert {"exact"} == found_in("match", "crab")
    assert {"temporal", "subevent"} == found_in("relation", "eci")
    assert {"false", "skip"} == found_in("nulls", "claims")
    assert {"majority"} == found_in("raters_by", "claims")
    weights = {weight for case in CASES for weight in case.get("weights", ())}
    assert weights == names_of(options.KappaWeights)


# ---------------------------------------------------------------------------------- files, schema


def invalid(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> str | None:
    """Return the first fault of a value, by the keywords that our schema uses."""
    if "$ref" in schema:
        return invalid(value, root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    kinds = {
        "object": dict, "array": list, "string": str, "integer": int, "number": (int, float),
        "null": type(None),
    }  # fmt: skip
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(isinstance(value, kinds[t]) for t in types):
        return f"{value!r} is no {types}"
    if "const" in schema and value != schema["const"]:
        return f"{value!r} is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{value!r} is none of {schema['enum']}"
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        return f"{value!r} does not match"
    if len(value if isinstance(value, str | list | dict) else "") < max(
        schema.get(name, 0) for name in ("minLength", "minItems", "minProperties")
    ):
        return f"{value!r} is too short"
    if "oneOf" in schema:
        n = sum(invalid(value, one, root) is None for one in schema["oneOf"])
        if n != 1:
            return f"{value!r} fits {n} of oneOf"
    for part in schema.get("allOf", ()):
        if invalid(value, part["if"], root) is None and (
            said := invalid(value, part["then"], root)
        ):
            return said
    inner: list[tuple[Any, dict[str, Any]]] = []
    if isinstance(value, list) and "items" in schema:
        inner += [(item, schema["items"]) for item in value]
    if isinstance(value, dict):
        if lacking := {*schema.get("required", ())} - {*value}:
            return f"{lacking} are missing"
        known, more = schema.get("properties", {}), schema.get("additionalProperties", True)
        for name, item in value.items():
            if name in known:
                inner.append((item, known[name]))
            elif more is False:
                return f"{name} is unknown"
            elif more is not True:
                inner.append((item, more))
    return next((said for item, part in inner if (said := invalid(item, part, root))), None)


FILES = sorted(run.CASES.glob("*.json"))
SCHEMA = json.loads((SUITE / "schema.json").read_text(encoding="utf-8"))


def test_files_fit_the_schema():
    assert {path.stem for path in FILES} == {*page.AREAS}
    for path in FILES:
        content = json.loads(path.read_text(encoding="utf-8"))
        assert invalid(content, SCHEMA, SCHEMA) is None, path
        assert {content["version"]} == {run_version()}
        for case in content["cases"]:
            assert case["id"].startswith(f"{path.stem}/")
            assert case["id"].startswith(case["rule"])
    assert max(Counter(case["id"] for case in CASES).values()) == 1


def run_version() -> str:
    """Return the version of the cases, which all files share."""
    return json.loads(FILES[0].read_text(encoding="utf-8"))["version"]


@pytest.mark.parametrize(
    "change",
    [
        {"why": ""},
        {"expect": {}},
        {"expect": {"overall.f1": 0.5}},
        {"rule": "recess"},
        {"examples": [{"id": "a"}]},
        {"unparsed": "ignore"},
        {"unknown": 1},
        {"protocol": {"kernel": "exact_spans"}},
    ],
)
def test_the_schema_refuses(change):
    content = json.loads((run.CASES / "relations.json").read_text(encoding="utf-8"))
    content["cases"][0] |= change
    assert invalid(content, SCHEMA, SCHEMA)


# ------------------------------------------------------------------------------------ the runner


def runner(*arguments: object, cases: Path | None = None) -> subprocess.CompletedProcess[str]:
    more = ["--cases", cases] if cases else []
    command = [sys.executable, SUITE / "run.py", *more, "--", sys.executable, *arguments]
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)


ECHO = """import json, sys
for line in sys.stdin:
    case = json.loads(line)
    print(json.dumps({"id": case["id"], **%s}))
"""


def test_the_runner_sees_a_fault(tmp_path):
    """A changed expected value fails; the same program passes without it."""
    content = json.loads((run.CASES / "labels.json").read_text(encoding="utf-8"))
    content["cases"] = [c for c in content["cases"] if c["id"] == "labels/alpha/nominal"]
    program = tmp_path / "program.py"
    program.write_text(ECHO % '{"values": {"alpha.nominal": 4 / 9}}')
    file = tmp_path / "labels.json"
    file.write_text(json.dumps(content))
    right = runner(program, cases=file)
    assert (right.returncode, right.stderr) == (0, "")
    assert "1 passed, 0 failed, 0 unknown" in right.stdout
    content["cases"][0]["expect"]["alpha.nominal"] = "5/9"
    file.write_text(json.dumps(content))
    wrong = runner(program, cases=file)
    assert wrong.returncode == 1
    assert "alpha.nominal: expected 5/9, got 0.4444444444444444" in wrong.stdout
    content["version"] = "2.0"
    file.write_text(json.dumps(content))
    other = runner(program, cases=file)
    assert other.returncode == 2
    assert "version 2.0, expected 1.x" in other.stderr


def test_a_program_does_not_see_the_answers(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(ECHO % '{"unknown": " ".join(case)}')
    found = run.ask(CASES, [sys.executable, str(program)], 60)
    assert len(found) == len(CASES)
    for answer, case in zip(found, CASES, strict=True):
        assert {*answer["unknown"].split()} == {*case} - {"expect", "rule", "why"}
    assert runner(program).returncode == 1  # nothing passed


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("print('x')", "Expecting value"),
        ("pass", "answer 1: no line, exit status 0, expected "),
        ("print('{\"id\": 1}')", "answer 1: 1, expected "),
    ],
)
def test_the_runner_refuses_a_program(tmp_path, said, message):
    program = tmp_path / "program.py"
    program.write_text(said)
    done = runner(program)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("expected", "got", "same"),
    [
        ("5/7", 5 / 7, True), ("5/7", "10/14", True), ("5/7", 0.714, False), ("1", 1, True),
        ("1", True, False), ("0", None, False), (None, None, True), (None, 0.0, False),
        (3, 3.0, True), (3, "3", False), (1, True, False), ([[0, None]], [[0, None]], True),
        ([[0, None]], [[None, 0]], False), ("1/2", "half", False), ("1/2", "1/0", False),
    ],
)  # fmt: skip
def test_equal(expected, got, same):
    assert run.equal(expected, got) == same


@pytest.mark.parametrize(
    ("expect", "answer", "faults"),
    [
        ({"f1": "1/2"}, {"values": {"f1": 0.5, "tp": 1}}, []),
        ({"f1": "1/2"}, {"values": {}}, ["f1: expected 1/2, got nothing"]),
        ({"f1": "1/2"}, {"values": {"tp": 1}, "partial": True}, None),
        ({"f1": "1/2"}, {"unknown": "no F1"}, None),
        ({"f1": "1/2"}, {"refused": "bad"}, ['expected {"f1": "1/2"}, got refused: bad']),
        ("refused", {"refused": "bad"}, []),
        ("refused", {"values": {"f1": 1}}, ['expected refused, got {"f1": 1}']),
    ],
)
def test_judge(expect, answer, faults):
    assert run.judge({"expect": expect}, answer) == faults


# --------------------------------------------------------------------------------- other programs


@pytest.fixture(scope="module")
def said() -> dict[str, list[dict[str, Any]]]:
    """The results of every program; of all packages, or the test is skipped."""
    if lacking := [name for name, module in NEEDED.items() if find_spec(module) is None]:
        pytest.skip(f"needs {lacking[0]}")
    if not (shutil.which("c++") or shutil.which("g++")):
        pytest.skip("no C++ compiler")
    return page.results(CASES)


@pytest.mark.slow
def test_every_difference_has_its_reason(said):
    wrong = {
        (name, result["id"])
        for name, results in said.items()
        for result in results
        if result["state"] == "failed"
    }
    reasons = [
        (name, id) for name, of in page.reasons().items() for entry in of for id in entry["cases"]
    ]
    assert wrong == {*reasons}
    assert len(reasons) == len({*reasons})
    assert not {name for name, _ in reasons} & {*page.OURS}


@pytest.mark.slow
def test_the_page_is_current(said):
    assert page.page(CASES, said) == page.PAGE.read_text(encoding="utf-8")


@pytest.mark.slow
def test_every_case_is_right_by_a_program_that_shares_nothing(said):
    ours = {"CPU", "reference", "played device", "C interface"}
    passed = {
        result["id"]
        for name, results in said.items()
        for result in results
        if name not in ours and result["state"] == "passed"
    }
    assert {case["id"] for case in CASES} - passed == BY_HAND_ALONE


def test_the_page_has_every_rule():
    text = page.PAGE.read_text(encoding="utf-8")
    for area, title in page.AREAS.items():
        part = text.partition(f"## {title}\n")[2].partition("\n## ")[0]
        rules = {
            case["rule"].partition("/")[2] for case in CASES if case["rule"].startswith(f"{area}/")
        }
        assert {*re.findall(r"^\| ([\w.-]+/[\w.-]+) \|", part, re.MULTILINE)} == rules

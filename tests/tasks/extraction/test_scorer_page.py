"""The page that scores, opened from a disk in Chromium, shows the numbers and words of `score`."""

from __future__ import annotations

import csv
import gzip
import json
import random
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pyarrow as pa
import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.significance.laws import binomial
from fastcausal.tasks.extraction.scorer_page.core import core
from fastcausal.tasks.extraction.scorer_page.page import protocols_of_page
from tests.support.browser import least_contrast
from tests.support.cli import cli
from tests.support.data import CNC

pytestmark = pytest.mark.slow
CASES = json.loads((CNC / "cases" / "manifest.json").read_text()) if CNC.is_dir() else []
FACTS = ("signature", "protocol", "n_examples", "n_gold_relations", "n_pred_relations",
         "n_unparsed", "n_unparsed_answers", "n_unparsed_relations", "unparsed_answers_rate",
         "unparsed_relations_rate", "scores", "subsets")  # fmt: skip
STOPS_2022 = "no example has one relation"  # a warning that the page leaves out
GOLD = "index,text,causal_text_w_pairs,num_rs\n"
ONE = f"{GOLD}a,Rain floods roads,['<ARG0>Rain</ARG0> floods <ARG1>roads</ARG1>'],1\n"
# Predictions, all refused.
MALFORMED = {
    "no JSON": '{"index": "a", "prediction": [}\n',
    "no list": '{"index": "a", "prediction": "x"}\n',
    "no text": '{"index": "a", "prediction": ["x", 3]}\n',
    "no prediction": '{"index": "a", "prediction": []}\n{"index": "b"}\n',
    "a key twice": '{"index": "a", "index": "b", "prediction": []}\n',
    "another id": '{"index": "b", "prediction": []}\n',
    "an id twice": '{"index": "a", "prediction": []}\n{"index": "a", "prediction": []}\n',
    "a number beyond": '{"index": 3, "prediction": []}\n',
    "unclosed tag": '{"index": "a", "prediction": ["<ARG0>Rain floods roads"]}\n',
    "other tokens": '{"index": "a", "prediction": ["<ARG0>Rain</ARG0> floods"]}\n',
    "another tag": '{"index": "a", "prediction": ["<cause>Rain</cause> floods roads"]}\n',
    "not UTF-8": b'{"index": "a", "prediction": []}\n\xff\n',
    "empty": " \n",
    "role": '{"id": "a", "relations": [{"reason": "Rain"}]}\n',
    "span": '{"id": "a", "relations": [{"cause": 3}]}\n',
    "offsets": '{"id": "a", "relations": [{"cause": [5, 99]}]}\n',
    "flat": '{"id": "a", "cause": "Rain", "effect": "roads", "text": "x"}\n'
            '{"id": "a", "cause": "Rain", "effect": "roads", "text": "y"}\n',
    "columns": 'id,cause,effect\na,Rain\n',
    "quotes": 'id,cause,effect\na,"Rain"x,roads\n',
}  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return a function that writes the page of a gold file."""
    try:
        core()
    except fc.InputError:
        pytest.skip("needs `make page`")
    folder = tmp_path_factory.mktemp("scorer")
    numbers = count()

    def page_of(gold: Path) -> Path:
        path = folder / f"{next(numbers)}.html"
        cli("page-scorer", gold, "--out", path)
        return path

    return page_of


def until(page: Any, *states: str) -> None:
    """Wait for a state by selector: the page's policy forbids the scripts playwright waits with."""
    page.locator(", ".join(f"html[data-state={state}]" for state in states)).wait_for(
        state="attached"
    )


def chosen(page: Any, *preds: Path, protocol: str = "recess", policy: str = "empty") -> None:
    """Choose files and settings; wait until they are scored or refused."""
    until(page, "waiting", "refused", "done")
    page.select_option("#unparsed", policy)
    page.select_option("#protocol", str([*protocols_of_page()].index(protocol)))
    until(page, "waiting", "refused", "done")
    page.set_input_files("#pred", [*preds])
    until(page, "refused", "done")


def saved(page: Any) -> Any:
    """Return the JSON that the page saves."""
    assert not page.locator("#refused").is_visible(), page.locator("#refused").inner_text()
    with page.expect_download() as download:
        page.click("#save")
    return json.loads(download.value.path().read_text())


def of_cli(gold: Path, *preds: Path, protocol: str = "recess", policy: str = "empty") -> Any:
    option = "--protocol" if protocol.startswith(("recess", "cnc")) else "--kernel"
    options = [] if protocol == "cnc-2022" else ["--intervals"]
    out, _ = cli("score", gold, *preds, option, protocol, "--unparsed", policy, *options, "--json",
                 expect=None)  # fmt: skip
    return json.loads(out)


def check(found: Any, expected: Any, name: object) -> None:
    """Compare all facts, warnings, and intervals up to their last digits."""
    for fact in (*FACTS, "warnings"):
        assert found[fact] == expected[fact], (name, fact)
    ours, theirs = found.get("intervals", {}), expected.get("intervals", {})
    assert bounds_of(ours) == pytest.approx(bounds_of(theirs), abs=1e-9), name
    worths = [each.pop("worth", {}) for each in (ours, theirs)]
    for group in worths[1]:
        assert worths[0][group] == pytest.approx(worths[1][group], abs=1e-9), (name, group)
    for each in (ours, theirs):
        each.pop("scores", None), each.pop("subsets", None)
    assert ours == theirs, name


def bounds_of(intervals: Any) -> dict[str, float | None]:
    parts = {"": intervals.get("scores", {}), **intervals.get("subsets", {})}
    return {
        f"{part} {group} {score} {k}": bound
        for part, groups in parts.items()
        for group, scores in groups.items()
        for score, bounds in scores.items()
        for k, bound in enumerate(bounds)
    }


@pytest.mark.skipif(not CASES, reason="no shared/data/cnc")
def test_scores_of_frozen_cases_have_the_bits_of_the_command_line(
    made: Callable[..., Path], opened: Any
) -> None:
    for case in CASES:
        gold, pred = (
            CNC / "cases" / case["truth"],
            CNC / "cases" / f"{case['name']}.submission.jsonl",
        )
        page = opened(made(gold), offline=True)
        for protocol in protocols_of_page():
            chosen(page, pred, protocol=protocol)
            expected = of_cli(gold, pred, protocol=protocol)
            expected["warnings"] = [
                line for line in expected["warnings"] if not line.startswith(STOPS_2022)
            ]
            check(saved(page), expected, (case["name"], protocol))


@pytest.mark.parametrize("protocol", ["recess", "span_overlap"])
def test_several_systems_have_the_scores_and_intervals_of_the_command_line(
    made: Callable[..., Path], opened: Any, protocol: str, tmp_path: Path
) -> None:
    """As files, packed by gzip, and in a zip."""
    page = opened(made(sample.GOLD), offline=True)
    preds = [*sample.SYSTEMS.values()]
    expected = of_cli(sample.GOLD, *preds, protocol=protocol)["systems"]
    packed = [tmp_path / f"{path.name}.gz" for path in preds]
    for source, target in zip(preds, packed, strict=True):
        target.write_bytes(gzip.compress(source.read_bytes()))
    with ZipFile(tmp_path / "all.zip", "w") as file:
        for k, source in enumerate(preds):
            file.writestr(f"of/{source.name}", source.read_bytes(), ZIP_DEFLATED if k else 0)
        file.writestr("__MACOSX/._x", b"x")
    for files in (preds, packed, [tmp_path / "all.zip"]):
        chosen(page, *files, protocol=protocol)
        found = saved(page)["systems"]
        assert [*found] == [*sample.SYSTEMS]
        for name, report in found.items():
            check(report, json.loads(json.dumps(expected[name])), (name, files))
    assert page.locator("#results .card-name bdi").all_inner_texts() == [*sample.SYSTEMS]
    page.get_by_role("tab", name="Examples").click()
    assert "61 of 61 examples" in page.locator("#status").inner_text()


def test_examples_that_one_system_lacks_are_those_of_the_other(
    made: Callable[..., Path], opened: Any, tmp_path: Path
) -> None:
    """A skipped example has no count for that system: the table shows all others."""
    gold, pred, _ = drawn_files(tmp_path)
    whole = tmp_path / "whole.jsonl"
    whole.write_text("".join(json.dumps({"index": f"s{k}", "prediction": []}) + "\n"
                             for k in range(300)))  # fmt: skip
    page = opened(made(gold), offline=True)
    chosen(page, pred, whole, policy="skip")
    found = saved(page)["systems"]
    assert found["pred"]["n_examples"] < found["whole"]["n_examples"] == 300
    expected = of_cli(gold, pred, whole, policy="skip")["systems"]
    for name in found:
        check(found[name], expected[name], name)
    page.get_by_role("tab", name="Examples").click()
    assert "300 of 300 examples" in page.locator("#status").inner_text()


@pytest.mark.parametrize("name", MALFORMED)
def test_refused_files_have_the_words_of_the_command_line(
    made: Callable[..., Path],
    opened: Any,
    tmp_path: Path,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    content = MALFORMED[name]
    Path("gold.csv").write_text(ONE)
    pred = Path("pred.csv" if name in ("columns", "quotes") else "pred.jsonl")
    pred.write_bytes(content if isinstance(content, bytes) else content.encode())
    _, err = cli("score", "gold.csv", pred, expect=2)
    page = opened(made(Path("gold.csv")), offline=True)
    chosen(page, tmp_path / pred, policy="error")
    refused = page.locator("#refused").inner_text()
    first = refused.partition("\n--")[0]
    assert first
    assert first in err, (refused, err)


def test_gold_is_read_when_the_page_is_written(made: Callable[..., Path], opened: Any,
                                               tmp_path: Path) -> None:  # fmt: skip
    """Gold that all readings refuse is refused; a single reading refuses its protocols."""
    _, err = cli("page-scorer", "--out", tmp_path / "p.html", expect=2)
    assert "Missing argument 'GOLD'" in err
    _, err = cli("page-scorer", sample.SYSTEMS["careful"], "--out", tmp_path / "p.html", expect=2)
    assert "gold is a submission file, expected gold annotations" in err
    gold = tmp_path / "gold.csv"
    gold.write_text(ONE.replace("</ARG1>", ""))
    page = opened(made(gold), offline=True)
    pred = tmp_path / "pred.jsonl"
    pred.write_text('{"index": "a", "prediction": []}\n')
    chosen(page, pred)
    assert "<ARG1> is never closed" in page.locator("#refused").inner_text()
    chosen(page, pred, protocol="cnc-2023")
    check(saved(page), of_cli(gold, pred, protocol="cnc-2023"), "cnc-2023")


@pytest.mark.parametrize("form", ["spans", "parquet", "bio"])
def test_gold_of_any_format_is_scored(made: Callable[..., Path], opened: Any, tmp_path: Path,
                                      form: Any) -> None:  # fmt: skip
    gold = tmp_path / f"gold.{form}"
    whole = fc.read(sample.GOLD)
    fc.write(fc.Relations(whole.table.drop_columns(["tagged"])), gold, form)
    page = opened(made(gold), offline=True)
    for protocol in ("recess", "cnc-2023"):
        chosen(page, sample.SYSTEMS["careful"], protocol=protocol)
        check(saved(page), of_cli(gold, sample.SYSTEMS["careful"], protocol=protocol), protocol)


def test_files_that_are_dropped_are_scored_and_shown(
    made: Callable[..., Path], opened: Any
) -> None:
    """On both widths, in both schemes; nothing is wider than the window, contrast is enough."""
    for width, scheme in ((1200, "light"), (360, "dark")):
        page = opened(made(sample.GOLD), offline=True, color_scheme=scheme,
                      viewport={"width": width, "height": 800})  # fmt: skip
        until(page, "waiting")
        path = sample.SYSTEMS["careful"]
        page.evaluate(
            """([name, text]) => {
            const data = new DataTransfer();
            data.items.add(new File([text], name));
            const kind = { bubbles: true, cancelable: true, dataTransfer: data };
            for (const event of ["dragover", "drop"])
              document.getElementById("drop-pred").dispatchEvent(new DragEvent(event, kind)); }""",
            [path.name, path.read_text(encoding="utf-8")],
        )
        until(page, "done")
        assert page.locator(".large b").inner_text() == "0.819"
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert least_contrast(page) >= 4.5
        page.get_by_role("tab", name="Examples").click()
        assert "61 of 61 examples" in page.locator("#status").inner_text()
        page.locator("#list button.name").first.click()
        assert page.locator("#list mark").count() > 2


def test_a_file_of_the_same_name_is_read_anew(
    made: Callable[..., Path], opened: Any, tmp_path: Path
) -> None:
    """By the browser's own rule: it sends no change where the input holds this path."""
    page, pred = opened(made(sample.GOLD), offline=True), tmp_path / "p.jsonl"
    until(page, "waiting")
    browser = page.context.new_cdp_session(page)
    node = browser.send("Runtime.evaluate", {"expression": "document.getElementById('pred')"})
    for system, f1 in (("careful", "0.819"), ("hasty", "0.600")):
        pred.write_bytes(sample.SYSTEMS[system].read_bytes())
        with page.expect_file_chooser():
            page.click("#pred")
        files = {"files": [str(pred)], "objectId": node["result"]["objectId"]}
        browser.send("DOM.setFileInputFiles", files)
        until(page, "done")
        assert page.locator(".large b").inner_text() == f1


GROWN = """const { Instance } = WebAssembly; globalThis.grown = %d;
WebAssembly.Instance = function (...given) {
  const made = new Instance(...given); made.exports.memory.grow(grown); return made; };"""


def test_memory_beyond_2_gib_is_read(made: Callable[..., Path], opened: Any) -> None:
    """Pages of 64 KB before all files: no pointer fits in 31 bits."""
    page = opened(made(sample.GOLD), script=GROWN % 2**15, offline=True)
    chosen(page, sample.SYSTEMS["careful"])
    assert page.locator(".large b").inner_text() == "0.819"


def test_a_fault_takes_the_old_results_away(
    made: Callable[..., Path], opened: Any, tmp_path: Path
) -> None:
    """Memory is full, then bytes cannot be read; a later file is scored."""
    page = opened(made(sample.GOLD), script=GROWN % 0, offline=True)
    read = "File.prototype.arrayBuffer = () => Promise.reject(new Error('no longer there'))"
    for fault, message in (  # full memory, an unreadable file
        ("grown = 65500", "the files are too large for this page; fastcausal score takes them"),
        (read, "hasty.jsonl: no longer there"),
    ):
        chosen(page, sample.SYSTEMS["careful"])
        assert page.locator(".large b").inner_text() == "0.819"
        page.evaluate(f"() => {{ {fault} }}")
        page.set_input_files("#pred", sample.SYSTEMS["hasty"])
        until(page, "refused")
        assert page.locator("#refused").inner_text() == message
        assert not page.locator("#results").is_visible()
        assert not page.locator("#save").is_visible()
        page.evaluate("() => { grown = 0 }")


def test_the_page_is_small(made: Callable[..., Path]) -> None:
    assert made(sample.GOLD).stat().st_size < 1_000_000


def as_rows(source: Path, target: Path) -> None:
    """Write a row per relation, with texts of spans; relations of other spans are left out."""
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text", "cause", "effect", "signal"])
        for example in map(json.loads, source.read_text(encoding="utf-8").splitlines()):
            for relation in example["relations"] or [{}]:
                spans = [(relation.get(role) or [""])[0] for role in ("cause", "effect", "signal")]
                texts = spans if all(isinstance(span, str) for span in spans) else [""] * 3
                writer.writerow([example["id"], example["text"], *texts])


def test_other_files_have_the_scores_of_the_command_line(
    made: Callable[..., Path], opened: Any, tmp_path: Path
) -> None:
    """Texts of spans, tokens, rows: also read as if written with tags by an official protocol."""
    files: dict[str, tuple[Path, Path]] = {"tagged": (sample.GOLD, sample.SYSTEMS["careful"])}
    gold = fc.read(sample.GOLD)
    sides = gold, fc.read(sample.SYSTEMS["careful"], like=gold)
    for form in ("spans", "jsonl"):
        files[form] = tmp_path / f"gold_{form}.jsonl", tmp_path / f"pred_{form}.jsonl"
        for side, path in zip(sides, files[form], strict=True):
            fc.write(side, path, form)
    files["rows"] = tmp_path / "gold.csv", tmp_path / "pred.csv"
    for source, target in zip(files["spans"], files["rows"], strict=True):
        as_rows(source, target)
    for own, other in [(a, b) for a in files for b in files if a in (b, "tagged")]:
        gold, pred = files[own][0], files[other][1]
        page = opened(made(gold), offline=True)
        for protocol in ("recess", "cnc-2023", "span_overlap"):
            chosen(page, pred, protocol=protocol)
            check(saved(page), of_cli(gold, pred, protocol=protocol), (own, other, protocol))


def test_many_examples_have_the_scores_of_few(
    made: Callable[..., Path], opened: Any, tmp_path: Path
) -> None:
    """Long work looks at the clock, which the page has to have."""
    gold, pred = tmp_path / "gold.csv", tmp_path / "pred.jsonl"
    table = fc.read(sample.GOLD)
    whole = pa.concat_tables([table.table.drop_columns(["id", "tagged"])] * 150)
    fc.write(fc.Relations(whole), tmp_path / "gold.jsonl", "spans")
    gold = tmp_path / "gold.jsonl"
    lines = sample.SYSTEMS["careful"].read_text(encoding="utf-8").splitlines()
    objects = [{**json.loads(line), "index": None} for line in lines] * 150
    pred.write_text("\n".join(map(json.dumps, objects)) + "\n", encoding="utf-8")
    page = opened(made(gold), offline=True)
    chosen(page, pred)
    assert saved(page)["scores"]["overall"]["tp"] == 150 * 147


def drawn_tagged(rng: random.Random, words: list[str], spans: list[tuple[str, int, int]]) -> str:
    """Write tags around spans, perhaps with a fault: a tag or a word too few, another name."""
    pieces = list(words)
    for name, start, stop in spans:
        pieces[start] = f"<{name}>{pieces[start]}"
        pieces[stop - 1] += f"</{name}>"
    sentence = " ".join(pieces)
    fault = rng.choice(["", "", "", "", "</ARG1>", "<ARG0>", " now", "<SIG0>"])
    return sentence.replace(fault, rng.choice(["", "<arg0>"]), 1) if fault else sentence


def drawn_files(folder: Path) -> tuple[Path, Path, Path]:
    """Draw sentences of few words, so that texts occur again: gold, a submission, span texts."""
    rng = random.Random(1)
    gold, submission, texts = folder / "gold.csv", folder / "pred.jsonl", folder / "texts.jsonl"
    rows, lines, located = [], [], []
    for k in range(300):
        words = rng.choices(["rain", "now", "floods", "roads", "so", "Rain"], k=rng.randint(3, 9))
        made: tuple[list[str], list[str], list[dict[str, list[str]]]] = ([], [], [])
        for side in (0, 1):
            for _ in range(rng.randint(0, 3)):
                cuts = sorted(rng.sample(range(len(words) + 1), 3))
                names = rng.sample(["ARG0", "ARG1", "SIG0"], 2)
                spans = [*zip(names, cuts, cuts[1:], strict=False)]
                plain = drawn_tagged(random.Random(4), words, spans)  # without a fault
                made[side].append(drawn_tagged(rng, words, spans) if side else plain)
                if side:
                    role = {"ARG0": "cause", "ARG1": "effect", "SIG0": "signal"}
                    made[2].append({role[n]: [" ".join(words[a:b])] * rng.choice([1, 1, 2])
                                    for n, a, b in spans})  # fmt: skip
        rows.append([f"s{k}", " ".join(words), made[0], len(made[0])])
        lines.append({"index": f"s{k}", "prediction": made[1]})
        located.append({"id": f"s{k}", "relations": made[2]})
    with gold.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([GOLD.strip().split(","), *rows])
    for path, objects in ((submission, lines), (texts, located)):
        path.write_text("".join(json.dumps(each) + "\n" for each in objects), encoding="utf-8")
    return gold, submission, texts


def test_drawn_files_have_the_scores_of_the_command_line(
    made: Callable[..., Path], opened: Any, tmp_path: Path
) -> None:
    """Sentences that cannot be read, texts that occur again, every policy."""
    gold, *preds = drawn_files(tmp_path)
    page = opened(made(gold), offline=True)
    for pred in preds:
        for protocol in ("recess", "cnc-2023"):
            for policy in ("empty", "skip"):
                chosen(page, pred, protocol=protocol, policy=policy)
                expected = of_cli(gold, pred, protocol=protocol, policy=policy)
                check(saved(page), expected, (pred.name, protocol, policy))


# The unit of columns that gold has: their values repeat.
UNITS: dict[str, tuple[str, dict[str, Any]]] = {
    "a column without nulls": ("topic", {"doc_id": [None, "d", "d", "e"], "topic": [1, 2, 3, 3]}),
    "numbers": ("article", {"doc": [2021.0], "article": [4.5, 2021.0, 2021.0]}),
    "the first of two": ("doc_id", {"cluster": ["a", "b"], "doc_id": ["d", "e", "f", "g", "h"]}),
    "one document": ("example", {"doc_id": ["d"], "topic": [None, "x"]}),
}


@pytest.mark.parametrize("case", UNITS)
def test_units_are_those_of_the_command_line(
    made: Callable[..., Path], opened: Any, tmp_path: Path, case: str
) -> None:
    """The first column that all examples have and some share; shared documents of others warn."""
    unit, columns = UNITS[case]
    gold, pred = tmp_path / "gold.parquet", sample.SYSTEMS["careful"]
    table = fc.read(sample.GOLD).table.drop_columns(["tagged", "doc_id"])
    for name, values in columns.items():
        repeated = [values[k % len(values)] for k in range(len(table))]
        table = table.append_column(name, pa.array(repeated))
    fc.write(fc.Relations(table), gold, "parquet")
    page = opened(made(gold), offline=True)
    for protocol in ("span_overlap", "recess"):
        chosen(page, pred, protocol=protocol)
        expected = of_cli(gold, pred, protocol=protocol)
        assert expected["intervals"]["unit"] == unit
        check(saved(page), expected, protocol)
    out, _ = cli("score", gold, pred, "--intervals")
    assert page.locator("#results .note").first.inner_text() in out.splitlines()


def test_shares_of_single_examples_have_exact_bounds(
    made: Callable[..., Path], opened: Any, tmp_path: Path
) -> None:
    """One relation each: causes are right or wrong, other spans have a wrong bound, a half."""
    files = [tmp_path / "gold.jsonl", tmp_path / "pred.jsonl"]
    text, lines = "Rain now floods all roads", [list[str](), list[str]()]
    for k in range(30):
        for side, cause, effect, signal in (
            (0, "Rain", "all roads", "now floods"),
            (1, "now", "roads", "floods"),
        ):
            relation = {"cause": ["Rain" if k % 6 else cause], "effect": [effect]}
            relation |= {"signal": [signal]} if k == 1 else {}
            lines[side].append(json.dumps({"id": f"e{k}", "text": text, "relations": [relation]}))
    for path, each in zip(files, lines, strict=True):
        path.write_text("\n".join(each) + "\n")
    page = opened(made(files[0]), offline=True)
    for protocol in ("recess", "span_overlap"):
        chosen(page, files[1], protocol=protocol)
        expected = of_cli(*files, protocol=protocol)
        if protocol == "recess":
            scores = expected["intervals"]["scores"]
            assert scores["cause"]["recall"] == [*binomial(25, 30, 0.95)]
            assert scores["signal"]["recall"] == [None, None]
        check(saved(page), expected, protocol)

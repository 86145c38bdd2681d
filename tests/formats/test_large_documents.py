"""Documents whose marks and links make much of little: read in good time, or refused with a bound.

Each is read by a process of its own. It may take many times as long as it does, but not for ever.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal.errors import InputError
from fastcausal.formats.annotation import brat, links, webanno
from fastcausal.formats.annotation.links import Words
from fastcausal.tasks.check.guidelines import MAX_TEXT, check

LONG = 60  # seconds; each of these takes less than two, and took more than a minute
READ = """
import sys
import fastcausal as fc
from fastcausal.tasks.check.guidelines import check

def notes(path):
    return fc.read(path).reading.notes

def findings(path):
    return check(path).findings

for what in (notes, findings):
    try:
        print(len(what(sys.argv[1])))
    except fc.InputError as error:
        print(error)
"""


def outcome(path):
    """Return the output of reading and checking a file."""
    command = [sys.executable, "-c", READ, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONG, check=True)
    return done.stdout


def brat_file(folder, lines, text):
    path = folder / "d.ann"
    path.write_text(lines)
    path.with_suffix(".txt").write_text(text)
    return path


def cas_file(folder, text, marks, links=()):
    listed = [{"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaString": text}]
    for k, (label, start, stop) in enumerate(marks):
        listed.append({"%ID": 10 + k, "%TYPE": "webanno.custom.X", "@sofa": 1, "label": label,
                       "begin": start, "end": stop})  # fmt: skip
    for k, (a, b) in enumerate(links, 10 + len(marks)):
        listed.append({"%ID": k, "%TYPE": "webanno.custom.L", "@Governor": 10 + a,
                       "@Dependent": 10 + b})  # fmt: skip
    path = folder / "d.json"
    path.write_text(json.dumps({"%FEATURE_STRUCTURES": listed}))
    return path


def star(folder, n_causes, n_signals):
    """Write a brat file with one effect, and causes and signals linked to it."""
    text = "e " + "w " * (n_causes + n_signals)
    sides = ["Cause"] * n_causes + ["Signal"] * n_signals
    lines = ["T0\tEffect 0 1\te\n"]
    lines += [f"T{k}\t{role} {2 * k} {2 * k + 1}\tw\n" for k, role in enumerate(sides, 1)]
    lines += [f"R{k}\tx A:T{k} B:T0\n" for k in range(1, len(sides) + 1)]
    return brat_file(folder, "".join(lines), text)


@pytest.mark.parametrize(
    "name", ["a:b", *(pytest.param(n, marks=pytest.mark.slow) for n in (":", "a:", "a"))]
)
def test_a_line_of_colons(tmp_path, name):
    """A line of colons gives its message in linear time, not in the cube of their number."""
    for many in (name * 4000, name * 100_000):
        path = brat_file(tmp_path, f"R1\tx {many} {many} x\n", "Rain")
        assert "expected a line of brat's standoff format" in outcome(path)


@pytest.mark.slow
def test_many_marks_over_a_long_text(tmp_path):
    """A copy of the text for every mark would be 2.5 GB, four times over."""
    text = "w" + " w" * 250_000
    marks = [("Cause", k % 7, len(text) - k % 5) for k in range(5000)]
    assert outcome(cas_file(tmp_path, text, marks)) == "2\n5000\n"
    lines = "".join(f"T{k}\tCause {a} {b}\n" for k, (_, a, b) in enumerate(marks))
    assert outcome(brat_file(tmp_path, lines, text)) == "2\n5000\n"
    wrong = lines.replace("\n", "\tw\n")
    assert "and 4990 more" in outcome(brat_file(tmp_path, wrong, text))


@pytest.mark.slow
def test_many_causes_and_signals_of_one_effect(tmp_path):
    """Each relation has all the signals: 3,000 causes and signals would make 9 million spans."""
    path = star(tmp_path, 3000, 3000)
    expected = (
        f'{path}: 3000 causes and 3000 signals of Effect "e" bring the spans of all relations to '
        f"9006000, expected at most {links.MAX_SPANS}\n"
    )
    assert outcome(path) == 2 * expected


def test_the_bound_of_spans(tmp_path, monkeypatch):
    path = star(tmp_path, 5, 4)  # 5 relations of an effect, a cause and 4 signals
    monkeypatch.setattr(links, "MAX_SPANS", 30)
    relations = brat.read(path)
    assert (
        sum(len(spans) for row in relations.table["relations"].to_pylist() for spans in row) == 30
    )
    monkeypatch.setattr(links, "MAX_SPANS", 29)
    with pytest.raises(InputError, match=r"the spans of all relations to 30, expected at most 29$"):
        brat.read(path)


def test_findings_repeat_the_start_of_a_long_span(tmp_path):
    text = "w" * MAX_TEXT
    marks = [("Cause", 0, MAX_TEXT), ("Effect", 0, MAX_TEXT + 1)]
    findings = check(cas_file(tmp_path, text + "w", marks)).findings
    assert [(f.text, f.start, f.stop) for f in findings] == [
        (text, 0, MAX_TEXT), (text + "...", 0, MAX_TEXT + 1),
    ]  # fmt: skip
    assert webanno.parse(tmp_path / "d.json").describe(0).endswith("www...")


texts = st.text(st.sampled_from("ab \n\t\x0b\u00a0\u2028"), max_size=12)


@given(texts, st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=5))
def test_the_parts_of_a_mark_by_their_definition(text, bounds):
    """White space around each is off; those with no more than white space between are one."""
    bounds = [tuple(sorted(min(end, len(text)) for end in pair)) for pair in bounds]
    white = " \t\n\r\x0b\x0c"
    parts = []
    for start, stop in sorted(bounds):
        while start < stop and text[start] in white:
            start += 1
        while start < stop and text[stop - 1] in white:
            stop -= 1
        if start == stop:
            continue
        if parts and not text[parts[-1][1] : start].strip(white):
            parts[-1] = (parts[-1][0], max(stop, parts[-1][1]))
        else:
            parts.append((start, stop))
    mark = Words(text).mark(" x", bounds)
    assert (mark.label, mark.parts) == (" x", tuple(parts))
    assert (mark.start, mark.stop) == (min(bounds)[0], max(stop for _, stop in bounds))

"""JSON in windows is JSON as a whole, wherever a window ends."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal.errors import InputError
from fastcausal.files import json_stream
from fastcausal.files.json_stream import JsonStream
from fastcausal.tasks.values.files import read_answers
from fastcausal.tasks.values.reading import ValueReading
from tests.support.logs import eval_log, header, json_log, sample

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)


class Piecewise(io.BytesIO):
    """A file that gives some bytes at a time."""

    def __init__(self, data, most):
        super().__init__(data)
        self.most = most

    def read(self, n=-1):
        return super().read(self.most)


def decoded(data, most):
    """Return an object, whose lists are read item by item."""
    stream = JsonStream("x.json", Piecewise(data, most))
    values = {}
    for key in stream.names():
        values[key] = [*stream.items()] if stream.peek() == "[" else stream.value()
    stream.require_end()
    return values


@given(
    st.dictionaries(st.text(max_size=4), VALUES),
    st.integers(1, 40),
    st.sampled_from([None, 1]),
    st.booleans(),
)
def test_windows_change_nothing(values, most, indent, ascii):
    text = json.dumps(values, indent=indent, ensure_ascii=ascii)
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return
    assert decoded(data, most) == json.loads(text)
    assert decoded(b"\xef\xbb\xbf" + data + b" \n", most) == json.loads(text)


@pytest.mark.parametrize("most", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize(
    "text",
    [
        '{"a": [1, 2}',
        '{"a": nul}',
        '{"a": "x\ny"}',
        '{"a": tru',
        '{"a": "cut',
        '{"a": 1} x',
        '{"a": 1',
        '{\n"a": [\n 1,\n\n  x]}',
        '{"a" 1}',
        '{"a": {"b": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, ,]}}',
        "",
    ],
)
def test_faults_have_their_place(text, most):
    with pytest.raises(json.JSONDecodeError) as whole:
        json.loads(text)
    with pytest.raises(json.JSONDecodeError) as found:
        decoded(text.encode(), most)
    assert found.value.lineno == whole.value.lineno
    if whole.value.msg == found.value.msg:
        assert found.value.colno == whole.value.colno


def test_a_fault_ends_the_reading(monkeypatch):
    """After a fault, the rest of a large file is not read."""
    monkeypatch.setattr(json_stream, "WINDOW", 100)
    file = io.BytesIO(b'{"a": [1 2, ' + b"3, " * 10_000 + b"4]}")
    stream = JsonStream("x.json", file)
    with pytest.raises(json.JSONDecodeError):
        [stream.value() for _ in stream.names()]
    assert file.tell() == 100


@pytest.mark.parametrize("most", [1, 3, 1000])
def test_bytes_that_are_no_text_name_their_line(most):
    with pytest.raises(InputError, match=r"x.json:3: byte 0xff is not UTF-8"):
        decoded(b'{"a":\n 1,\n"b": "\xff"}', most)


def test_a_window_is_in_memory_and_no_more(monkeypatch):
    monkeypatch.setattr(json_stream, "WINDOW", 1000)
    text = json.dumps({"items": ["x" * 50] * 2000})
    stream = JsonStream("x.json", io.BytesIO(text.encode()))
    most = 0
    for _ in stream.names():
        for _ in stream.items():
            most = max(most, len(stream._text))
    assert most < 2200


@pytest.mark.parametrize("kind", ["json", "eval"])
def test_samples_are_counted_as_they_are_read(tmp_path, kind):
    samples = [sample(k, 1, {"m": k}) for k in range(5)]
    seen = []
    reading = ValueReading(progress=lambda done, total: seen.append((done, total)))
    if kind == "json":
        path = json_log(tmp_path / "a.json", samples)
    else:
        path = eval_log(tmp_path / "a.eval", samples, summaries=False)
    read_answers(path, reading)
    assert seen == [(k, 5) for k in range(1, 6)]
    seen.clear()
    if kind == "json":
        read_answers(json_log(path, samples, header()), reading)
        assert seen[-1] == (5, None)


PEAK = """
import sys
import fastcausal as fc
fc.compare
fc.statistics(sys.argv[1])
before, after = (
    fc.statistics(path).n_units
    and int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])
    for path in sys.argv[1:]
)
print(after - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["json", "eval"])
def test_a_large_log_takes_little_memory(tmp_path, kind):
    """Whole, it would take 80 MB as bytes and as much as text."""

    def written(name, text):
        samples = [
            sample(k, 1, {"m": k % 2}, doc="d", notes=text) | {"messages": [{"content": text}]}
            for k in range(400)
        ]
        if kind == "json":
            return json_log(tmp_path / f"{name}.json", samples)
        return eval_log(tmp_path / f"{name}.eval", samples, method=0, summaries=False)

    small, large = written("small", "x"), written("large", "so it is " * 11_000)
    assert large.stat().st_size > 70e6
    command = [sys.executable, "-c", PEAK, small, large]
    grown = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert grown < 40_000  # kB

"""Bad UIMA CAS JSON in both layouts: the message names the file and the expected content."""

from __future__ import annotations

import pytest

from fastcausal import formats
from fastcausal.errors import InputError
from fastcausal.formats.annotation import webanno
from fastcausal.relations import Relations
from tests.support.cas import new_layout, old_layout, save


def fails(path, feature=None):
    with pytest.raises(InputError) as caught:
        webanno.read(path, feature)
    message = caught.value.problem
    assert message.startswith(f"{path}: ")
    return message.removeprefix(f"{path}: ")


def without(data, *path):
    *path, last = path
    for key in path:
        data = data[key]
    del data[last]


SPAN_AT = 3  # the first mark among the structures of the new layout


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: without(d, "%FEATURE_STRUCTURES"),
         'expected UIMA CAS JSON, an object with "%FEATURE_STRUCTURES" or "_views"'),
        (lambda d: d.update({"%FEATURE_STRUCTURES": 3}),
         '"%FEATURE_STRUCTURES" is a number, expected a list'),
        (lambda d: d["%FEATURE_STRUCTURES"].append([]),
         "a structure is a list, expected an object"),
        (lambda d: without(d, "%FEATURE_STRUCTURES", SPAN_AT, "%TYPE"),
         '"%TYPE" is null, expected a string'),
        (lambda d: without(d, "%FEATURE_STRUCTURES", 0, "sofaString"),
         '"sofaString", the text, is null, expected a string'),
        (lambda d: without(d, "%FEATURE_STRUCTURES", 0),
         '"sofaString", the text, is null, expected a string'),
        (lambda d: d.update({"%VIEWS": []}), '"%VIEWS" is a list, expected an object'),
        (lambda d: d["%VIEWS"].update(_InitialView=1),
         'a view of "%VIEWS" is a number, expected an object'),
        (lambda d: d["%FEATURE_STRUCTURES"][SPAN_AT].update(end=62),
         '"end" of CauseEffectSignal 100 is 62, expected a position in a text of 61'),
        (lambda d: d["%FEATURE_STRUCTURES"][SPAN_AT].update(begin=-1),
         '"begin" of CauseEffectSignal 100 is -1, expected a position in a text of 61'),
        (lambda d: d["%FEATURE_STRUCTURES"][SPAN_AT].update(begin="x"),
         "\"begin\" of CauseEffectSignal 100 is 'x', expected a position in a text of 61"),
        (lambda d: d["%FEATURE_STRUCTURES"][SPAN_AT].update(begin=True),
         '"begin" of CauseEffectSignal 100 is True, expected a position in a text of 61'),
        (lambda d: d["%FEATURE_STRUCTURES"][SPAN_AT].update(begin=11),
         "CauseEffectSignal 100 ends before it begins"),
        (lambda d: d["%FEATURE_STRUCTURES"][1].update(end=30),
         "two sentences overlap at character 28"),
        (lambda d: d["%FEATURE_STRUCTURES"][SPAN_AT].update(CES="Cause \ud800"),
         "half a surrogate pair, which cannot be text"),
    ],
)  # fmt: skip
def test_bad_structures(tmp_path, change, message):
    data = new_layout()
    change(data)
    assert fails(save(tmp_path, data)) == message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: without(d, "_referenced_fss", "100"),
         "CauseEffectSignal 100 is null, expected an object"),
        (lambda d: without(d, "_referenced_fss"),
         "CauseEffectSignal 100 is null, expected an object"),
        (lambda d: d.update(_referenced_fss=[]), '"_referenced_fss" is a list, expected an object'),
        (lambda d: without(d, "_referenced_fss", "12"),
         '"sofaString", the text, is null, expected a string'),
        (lambda d: d["_views"]["_InitialView"].update(Token="x"),
         '"Token" is a string, expected a list'),
        (lambda d: d.update(_views=3), '"_views" is a number, expected an object'),
    ],
)  # fmt: skip
def test_bad_structures_of_the_old_layout(tmp_path, change, message):
    data = old_layout()
    change(data)
    assert fails(save(tmp_path, data)) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]", ': expected UIMA CAS JSON, an object with "%FEATURE_STRUCTURES" or "_views"'),
        (
            "{\n1}",
            ":2: invalid JSON: Expecting property name enclosed in double quotes at column 1",
        ),
        ("[" * 10**5, ": invalid JSON: maximum recursion depth exceeded"),
        ("1" * 5000, ": invalid JSON: Exceeds the limit"),
    ],
)
def test_bad_json(tmp_path, text, message):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        webanno.read(path)
    assert str(caught.value).startswith(f"{path}{message}")


def test_bad_bytes(tmp_path):
    (tmp_path / "x.json").write_bytes(b'{"\xff')
    with pytest.raises(InputError, match=r"x\.json:1: byte 0xff is not UTF-8$"):
        webanno.read(tmp_path / "x.json")


def test_without_examples_it_cannot_be_read_back(tmp_path):
    lost = formats.write(Relations.from_examples([]), tmp_path / "x.json", "webanno")
    assert lost[-1] == "a file without examples is empty and cannot be read back"

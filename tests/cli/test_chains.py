"""Commands read the files of earlier commands without flags."""

from __future__ import annotations

import json
import shutil

import pytest

from fastcausal import sample
from tests.support.cli import cli

WIDE = """id,text,ref_cause,ref_effect,model_cause,model_effect
1,Rain fell so roads closed,Rain fell,roads closed,Rain,roads closed
2,Ice and snow brought cold,Ice|snow,cold,,cold
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    sample.copy_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_labels_of_a_page_go_to_agree_and_to_meta(folder):
    cli("annotate", "import", "judged_ann.json", "judged_ben.json", "--to", "x.csv", expect=1)
    alone = json.loads(cli("agree", "x.csv", "--labels", "label", "--json")[0])
    assert (alone["n_units"], alone["n_raters"]) == (8, 2)
    named = json.loads(cli("agree", "x.csv", "--labels", "label", "--unit", "item", "--json")[0])
    assert alone == named
    rows = "".join(f"s{k},{k % 3}\n" for k in range(1, 9))
    (folder / "scores.csv").write_text(f"item,f1\n{rows}")
    assert "1 metric against 2 raters: 8 rows, 1 system" in cli("meta", "scores.csv", "x.csv")[0]


def test_labels_of_several_systems_are_units_of_both(folder):
    pattern = "claims_{side}_{system}_{rater}"
    cli("annotate", "import", *folder.glob("claims_*.json"), "--name", pattern, "--to", "x.csv")
    report = json.loads(cli("agree", "x.csv", "--labels", "label", "--json")[0])
    assert report["n_units"] == 34
    cli("agree", "x.csv", "--labels", "label", "--disagreements", "units.csv")
    assert '"brief/Fire at the Ridge Mill/' in (folder / "units.csv").read_text()
    error = cli("agree", "x.csv", "--labels", "label", "--unit", "item", expect=2)[1]
    assert "twice" in error


def test_names_of_saved_pages_are_read_and_suggested(folder):
    given = sorted(folder.glob("claims_*.json"))
    _, error = cli("claims", *given, expect=2)
    pattern = "claims_{side}_{system}_{rater}"
    assert error.endswith(f"--name {pattern} would tell such files apart\n")
    wanted = cli("claims", *given, "--name", pattern)
    saved = []
    for path in given:
        _, side, system, rater = path.stem.split("_")
        saved.append(shutil.copy(path, folder / f"{side}_{system}.{rater}.json"))
    assert cli("claims", *saved) == wanted
    assert cli("annotate", "import", *saved) == cli("annotate", "import", *given, "--name", pattern)


@pytest.mark.parametrize("protocol", ["guide", "fcr"])
@pytest.mark.parametrize("starts", [("ref", "model"), ("gold", "pred"), ("Reference", "OUTPUT")])
def test_answers_in_columns_of_parts(folder, starts, protocol):
    reference, answer = starts
    text = WIDE.replace("ref_", f"{reference}_").replace("model_", f"{answer}_")
    (folder / "wide.csv").write_text(text)
    rows = [
        {"id": "1", "text": "Rain fell so roads closed", "annotation":
         "[Cause] Rain fell [Relation] [Effect] roads closed",
         "output": "[Cause] Rain [Relation] [Effect] roads closed"},
        {"id": "2", "text": "Ice and snow brought cold", "annotation":
         "[Cause] Ice|snow [Relation] [Effect] cold", "output": "[Cause] [Relation] [Effect] cold"},
    ]  # fmt: skip
    (folder / "items.json").write_text(json.dumps(rows))
    ways = [cli("answers", name, "--protocol", protocol) for name in ("wide.csv", "items.json")]
    assert ways[0] == ways[1]
    report = json.loads(cli("answers", "wide.csv", "--protocol", protocol, "--json")[0])
    assert report["scores"]["effect"]["f1"] == 1
    assert report["scores"]["cause"]["precision"] in (1, 0.5)

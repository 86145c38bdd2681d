"""InfoF1 against Likert scores in the published judgments of MiRAGE."""

from __future__ import annotations

import json
import math

import pyarrow.compute as pc
import pytest

import fastcausal as fc
from tests.oracles import meta as oracle
from tests.support.data import DATA

MIRAGE = DATA / "mirage"
PLACES = ("first", "second", "third")
pytestmark = pytest.mark.skipif(not MIRAGE.is_dir(), reason="no shared/data/mirage")


def likert():
    """Rows of system, item, rater and label; 0 is none."""
    folder = MIRAGE / "human_preference"
    key = json.loads((folder / "preference_key.json").read_text())
    for path in sorted(folder.glob("preference_json_*.json")):
        for topic, said in json.loads(path.read_text()).items():
            for place in PLACES:
                system = key[topic][f"{place}_prediction"].removesuffix("_only")
                label = said[f"{place}_prediction_likert"] or None
                yield {"system": system, "item": topic, "rater": path.stem, "label": label}


@pytest.fixture(scope="module", params=["false", "skip"])
def tables(request):
    files = sorted((MIRAGE / "metric_preference").glob("*.json"))
    name = "metric_{side}_{system}_annotator_{rater}_DONE"
    report = fc.claims(files, name=name, nulls=request.param, unmatched="skip")
    return report, report.per_topic.select(["system", "item", "f1"]), list(likert())


def test_all_levels(tables):
    _, scores, human = tables
    report = fc.meta(scores, human, level="ordinal")
    labels = {}
    for row in human:
        if row["label"] is not None:
            labels.setdefault((row["system"], row["item"]), []).append(row["label"])
    rows = sorted(
        (row["system"], row["item"], row["f1"], math.fsum(said) / len(said))
        for row in scores.to_pylist()
        if (said := labels.get((row["system"], row["item"])))
    )
    assert report.n_items == len(rows) == 30
    for level, score_of in oracle.LEVELS.items():
        for score in oracle.SCORES:
            found = getattr(report.metrics["f1"], level)[score]
            assert found == pytest.approx(score_of(rows, score), abs=1e-12), (level, score)
    soft = report.metrics["f1"].systems["soft_pairwise_accuracy"]
    assert soft == pytest.approx(oracle.soft_pairwise_accuracy(rows), abs=1e-12)
    assert any(warning.startswith("systems: 3") for warning in report.warnings)


def test_claims_as_judgments(tables):
    """Raters agree as much as they do for claims; a topic of nulls is many items without label."""
    report, _, _ = tables
    judged = report.judgments
    items = judged.group_by(["system", "item"]).aggregate([])
    lengths = pc.cast(pc.utf8_length(items["item"]), "double")
    found = fc.meta(items.append_column("length", lengths), judged)
    assert found.human is not None
    for name, value in report.agreement["overall"].items():
        assert found.human["agreement"][name] == pytest.approx(value), name
    for word in ("unjudged: rater", "identical: raters"):
        assert any(warning.startswith(word) for warning in found.warnings)

"""The metric in a training loop gives the numbers of scoring everything at once."""

from __future__ import annotations

import copy
import math
import pickle
import subprocess
import sys
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.relations import ROLES
from fastcausal.tasks.extraction.tally import Tally, Totals
from fastcausal.training import compute_metrics
from tests.support.profiles import trials
from tests.support.strategies import sides
from tests.support.tables import table_of

torch = pytest.importorskip("torch")
torchmetrics = pytest.importorskip("torchmetrics")
span_score = pytest.importorskip("fastcausal.training.span_score")
SpanScore, flat_scores = span_score.SpanScore, span_score.flat_scores

pytestmark = [
    pytest.mark.slow,  # imports PyTorch
    # torchmetrics warns if a metric has got its states otherwise than by update.
    pytest.mark.filterwarnings("ignore:The ``compute`` method"),
]

SCHEME = fc.TagScheme(["O", "B-Cause", "I-Cause", "B-Effect", "I-Effect", "B-Signal", "I-Signal"])
IGNORED = SCHEME.ignore_index
PROTOCOLS = ("recess", "cnc-2023", "relations")


def labels(rng, n, width=24):
    """Gold and predicted label ids of sequences with different lengths."""
    gold = np.repeat(rng.integers(0, 7, (n, -(-width // 3))), 3, axis=1)[:, :width]
    pred = np.where(rng.random(gold.shape) < 0.8, gold, rng.integers(0, 7, gold.shape))
    gold[np.arange(width) >= rng.integers(0, width + 1, n)[:, None]] = IGNORED
    return torch.from_numpy(gold), torch.from_numpy(pred)


def whole(gold, pred, protocol="recess"):
    """All sequences scored at once."""
    gold, pred = gold.numpy(), pred.numpy()
    return fc.score(SCHEME.rows(gold), SCHEME.rows(pred, gold != IGNORED), protocol)


def plain(metric):
    """Return all counts of a metric, and its computed scores."""
    values = {name: float(value) for name, value in metric.compute().items()}
    assert all(value.dtype == torch.float64 for value in metric.compute().values())
    return metric.report().to_dict(), values


def same(metric, report):
    found, values = plain(metric)
    assert found == report.to_dict()
    wanted = flat_scores(report)
    assert values.keys() == wanted.keys()
    for name, value in values.items():
        assert value == wanted[name] or (math.isnan(value) and math.isnan(wanted[name]))


@trials(50)
@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(1, 7), st.sampled_from(PROTOCOLS))
def test_any_batches_of_label_ids(seed, n, size, protocol):
    rng = np.random.default_rng(seed)
    gold, pred = labels(rng, n)
    metrics = [SpanScore(SCHEME, protocol) for _ in range(2)]
    for rows in np.split(rng.permutation(n), range(size, n, size)):
        metrics[rng.integers(2)].update(pred[rows], gold[rows])
    metrics[0].merge_state(metrics[1])
    same(metrics[0], whole(gold, pred, protocol))


@trials(50)
@given(sides(), st.integers(1, 4), st.sampled_from(PROTOCOLS))
def test_any_batches_of_relations(both, size, protocol):
    """Batches of tables or rows, of any size, score like the whole."""
    gold, pred = map(table_of, both)
    metric = SpanScore(protocol=protocol)
    for start in range(0, len(gold), size):
        part = [fc.Relations(side.table.slice(start, size)) for side in (pred, gold)]
        metric.update(*(map(fc.Rows.of, part) if start % 2 else part))
    if len(gold):
        same(metric, fc.score(gold, pred, protocol))


def test_logits():
    rng = np.random.default_rng(0)
    gold, _ = labels(rng, 16)
    logits = torch.from_numpy(rng.normal(size=(16, 24, 7)).astype(np.float32))
    metric = SpanScore(SCHEME)
    for rows in torch.arange(16).split(5):
        metric.update(logits[rows].requires_grad_(), gold[rows])
    same(metric, whole(gold, logits.argmax(-1)))


@pytest.mark.parametrize("n_best", [1, 2])
def test_boundary_logits(n_best):
    rng = np.random.default_rng(1)
    logits = torch.from_numpy(rng.normal(size=(9, 12, 6)))
    words = np.tile(np.arange(12), (9, 1))
    decoder = fc.SpanDecoder(n_best=n_best)
    pred = decoder.decode(logits, word_ids=words).rows
    examples = [{"id": str(k), "length": 12, "relations": [{"cause": (k % 5, 6), "effect": (7, 9)}]}
                for k in range(9)]  # fmt: skip
    gold = fc.Relations.from_examples(examples)
    for target in (gold, fc.Rows.of(gold), examples):
        metric = SpanScore(decoder)
        metric.update(logits, target, word_ids=words)
        same(metric, fc.score(fc.Rows.of(gold), pred))
        sums = metric.statistics.rows[:, :-1]
        assert np.array_equal(sums, metric.counts.numpy())


OWN = ("trigger", "target", "degree")
OWN_SCHEME = fc.TagScheme(
    ["O", "B-Trigger", "I-Trigger", "B-Target", "I-Target"], all_roles=OWN
)  # no label of a degree
SETTINGS = [
    ("recess", {}), ("recess", {"types": "require"}), ("recess", {"tracks": "trigger+degree"}),
    ("relations", {}), ("relations", {"types": "require", "iou": 0.75}),
    ("relations", {"arguments": "degree,trigger"}),
    ("depths", {}), ("depths", {"types": "require"}), ("depths", {"match": "overlap"}),
]  # fmt: skip


def drawn_examples(rng, n):
    """Gold and predictions with roles of their own; some relations have types."""

    def relation(old=None):
        spans = {}
        for role in OWN:
            if rng.random() < 0.8:
                start = int(rng.integers(0, 8))
                spans[role] = (start, start + int(rng.integers(1, 4)))
        if old and rng.random() < 0.8:
            spans |= {role: old[role] for role in OWN[: rng.integers(1, 4)] if role in old}
        if rng.random() < 0.7:
            spans["type"] = "ab"[rng.integers(2)]
        return spans

    gold, pred = [], []
    for k in range(n):
        relations = [relation() for _ in range(rng.integers(0, 3))]
        found = [relation(old) for old in relations if rng.random() < 0.8]
        found += [relation() for _ in range(rng.integers(0, 2))]
        for side, its in ((gold, relations), (pred, found)):
            side.append({"id": str(k), "length": 12, "relations": its})
    return gold, pred


def without_data(report):
    """A report as JSON, without what no sum can hold."""
    return {k: v for k, v in report.to_dict().items() if k not in ("types", "warnings", "hints")}


@pytest.mark.parametrize(("protocol", "settings"), SETTINGS)
def test_types_and_roles_of_ones_own(protocol, settings):
    rng = np.random.default_rng(len(repr(settings)))
    gold, pred = drawn_examples(rng, 40)
    wanted = fc.score(gold, pred, protocol, roles=OWN, **settings)
    metrics = [SpanScore(protocol=protocol, roles=OWN, **settings) for _ in range(2)]
    for rows in np.split(rng.permutation(40), [7, 8, 20, 31]):
        batch = [[side[k] for k in rows] for side in (pred, gold)]
        if rows[0] % 2:
            batch = [fc.read(side, roles=OWN) for side in batch]
        metrics[rng.integers(2)].update(*batch)
    metrics[0].merge_state(metrics[1])
    restored = SpanScore(protocol=protocol, roles=OWN, **settings)
    restored.load_state_dict(metrics[0].state_dict())
    for metric in (metrics[0], restored, pickle.loads(pickle.dumps(metrics[0]))):
        assert without_data(metric.report()) == without_data(wanted)
    flat = flat_scores(wanted)
    assert np.array_equal(
        [float(value) for value in metrics[0].compute().values()], [*flat.values()], equal_nan=True
    )
    assert 0 < np.nanmean([*flat.values()]) < 1


@pytest.mark.parametrize(("protocol", "settings"), SETTINGS)
def test_labels_with_roles_of_ones_own(protocol, settings):
    gold, pred = labels(np.random.default_rng(21), 30)
    gold, pred = (torch.where(side > 4, 0, side) for side in (gold, pred))
    where = (gold != IGNORED).numpy()
    rows = OWN_SCHEME.rows(gold.numpy()), OWN_SCHEME.rows(pred.numpy(), where)
    wanted = fc.score(*rows, protocol, roles=OWN, **settings)
    flat = flat_scores(wanted, OWN_SCHEME)
    made = SpanScore(OWN_SCHEME.labels, protocol, roles="trigger,target,degree", **settings)
    for metric in (SpanScore(OWN_SCHEME, protocol, **settings), made):
        metric.update(pred[:9], gold[:9])
        metric.update(pred[9:], gold[9:])
        assert without_data(metric.report()) == without_data(wanted)
        found = {name: float(value) for name, value in metric.compute().items()}
        assert found.keys() == flat.keys()
        assert np.array_equal([*found.values()], [*flat.values()], equal_nan=True)
    whole_set = compute_metrics(OWN_SCHEME.labels, protocol, roles=OWN, **settings)
    found = whole_set((pred.numpy(), gold.numpy()))
    assert found.keys() == flat.keys()
    assert np.array_equal([*found.values()], [*flat.values()], equal_nan=True)
    assert not [name for name in found if "degree" in name]


def test_the_one_score_of_types_is_undefined_without_types():
    metric = SpanScore(protocol="relations", only="strict_f1")
    relation = {"cause": (0, 1), "effect": (2, 3)}
    metric.update(*[[{"length": 4, "relations": [relation]}]] * 2)
    assert math.isnan(metric.compute())
    metric.update(*[[{"length": 4, "relations": [relation | {"type": "a"}]}]] * 2)
    assert metric.compute() == 1.0


CHILD = """
import sys, torch, torch.distributed as dist, fastcausal as fc
from fastcausal.training import SpanScore
folder, rank = sys.argv[1], int(sys.argv[2])
data = torch.load(folder + "/data")
torch.set_num_threads(1)
dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
found = []
for shards in data["shards"]:
    metric = SpanScore(fc.TagScheme(data["labels"]))
    for gold, pred in shards[rank]:
        metric.update(pred, gold)
    first = metric.compute()
    for gold, pred in shards[rank]:  # what compute gathered is not kept
        metric.update(pred, gold)
    with metric.sync_context():
        report = metric.report()
    found.append((first, report.to_dict(), metric.report().n_examples))
gold, pred = data["typed"]
own = SpanScore(protocol="depths", roles=data["own"], types="require")
own.update(pred[rank::2], gold[rank::2])
found.append({name: value.item() for name, value in own.compute().items()})
try:
    other = SpanScore(fc.TagScheme(data["labels"]), ["recess", "cnc-2023"][rank])
    other.compute()
except fc.InputError as error:
    found.append(str(error))
torch.save(found, f"{folder}/found{rank}")
dist.destroy_process_group()
"""


def test_two_processes(tmp_path):
    """Two processes with unequal or empty shards give the whole's scores."""
    rng = np.random.default_rng(2)
    batches = [labels(rng, size) for size in (8, 3, 8, 1, 5)]
    shards = [(batches[:k], batches[k:]) for k in (3, 5)]
    typed = drawn_examples(rng, 30)
    data = {"labels": SCHEME.labels, "shards": shards, "typed": typed, "own": OWN}
    torch.save(data, tmp_path / "data")
    command = [sys.executable, "-W", "ignore", "-c", CHILD, str(tmp_path)]
    children = [subprocess.Popen([*command, str(rank)]) for rank in range(2)]
    assert [child.wait(240) for child in children] == [0, 0]
    gold, pred = (torch.cat(side) for side in zip(*batches, strict=True))
    wanted = flat_scores(whole(gold, pred))
    twice = whole(torch.cat([gold, gold]), torch.cat([pred, pred])).to_dict()
    for rank in range(2):
        *found, own, refused = torch.load(tmp_path / f"found{rank}")
        assert own == flat_scores(fc.score(*typed, "depths", roles=OWN, types="require"))
        for (first, report, n_own), shares in zip(found, shards, strict=True):
            assert {name: value.item() for name, value in first.items()} == wanted
            assert report == twice
            assert n_own == 2 * sum(len(gold) for gold, _ in shares[rank])
        assert "another protocol or decoder" in refused


def test_forward_gives_the_batch_and_keeps_all():
    rng = np.random.default_rng(3)
    batches = [labels(rng, 4) for _ in range(3)]
    metric = SpanScore(SCHEME, only="overall_f1")
    for gold, pred in batches:
        assert metric(pred, gold).item() == whole(gold, pred)["overall"].f1
    gold, pred = (torch.cat(side) for side in zip(*batches, strict=True))
    assert metric.compute().item() == whole(gold, pred)["overall"].f1
    metric.reset()
    metric.update(batches[0][1], batches[0][0])
    assert metric.compute().item() == whole(*batches[0])["overall"].f1


def test_collection():
    """Metrics that count alike share their states, others do not, and all get the same batch."""
    rng = np.random.default_rng(4)
    metrics = {
        "recess": SpanScore(SCHEME),
        "f1": SpanScore(SCHEME, only="overall_f1"),
        "official": SpanScore(SCHEME, "cnc-2023"),
        "exact": SpanScore(SCHEME, fc.Protocol("mine", kernel="exact_spans"), only="cause_recall"),
        "accuracy": torchmetrics.classification.MulticlassAccuracy(
            num_classes=7, ignore_index=IGNORED, average="micro"
        ),
    }
    collection = torchmetrics.MetricCollection(metrics)
    gold, pred = labels(rng, 30)
    gold[:5] = 0  # the protocols differ if there is no relation
    perfect = gold[6:9]
    collection.update(perfect.clamp(min=0), perfect)
    groups = sorted(map(sorted, collection.compute_groups.values()))
    assert groups == [["accuracy"], ["exact"], ["f1", "recess"], ["official"]]
    collection.update(pred, gold)
    found = collection.compute()
    gold, pred = torch.cat([perfect, gold]), torch.cat([perfect.clamp(min=0), pred])
    assert found["f1"].item() == whole(gold, pred)["overall"].f1
    for name, protocol in (("recess", "recess"), ("official", "cnc-2023")):
        assert collection[name].report().to_dict() == whole(gold, pred, protocol).to_dict()


def test_nothing_is_left_of_what_states_replace():
    """After states are replaced, compute gives no earlier value again."""
    rng = np.random.default_rng(12)
    (gold, pred), (more_gold, more_pred) = labels(rng, 9), labels(rng, 7)
    metric, other = SpanScore(SCHEME), SpanScore(SCHEME)
    metric.update(pred, gold)
    other.update(more_pred, more_gold)
    same(metric, whole(gold, pred))
    metric.merge_state(other)
    same(metric, whole(torch.cat([gold, more_gold]), torch.cat([pred, more_pred])))
    metric.load_state_dict(other.state_dict())
    same(metric, whole(more_gold, more_pred))


def test_inference_mode_is_no_trap():
    """A metric that was reset in inference mode, as by Lightning, counts on outside of it."""
    gold, pred = labels(np.random.default_rng(13), 9)
    metric = SpanScore(SCHEME)
    with torch.inference_mode():
        metric.update(pred, gold)
        metric.reset()
    metric.update(pred, gold)
    same(metric, whole(gold, pred))


def test_scores_of_a_device_without_float64():
    metric = SpanScore(SCHEME)
    with patch.object(metric, "_device", torch.device("mps")):
        assert metric.compute()["overall_f1"].device.type == "cpu"


def test_resumed_copied_and_pickled():
    rng = np.random.default_rng(5)
    (gold, pred), (more_gold, more_pred) = labels(rng, 9), labels(rng, 7)
    metric = SpanScore(SCHEME)
    metric.update(pred, gold)
    resumed = SpanScore(SCHEME)
    resumed.load_state_dict(metric.state_dict())
    others = [resumed, copy.deepcopy(metric), pickle.loads(pickle.dumps(metric)), metric.clone()]
    metric.reset()
    for other in others:
        other.update(more_pred, more_gold)
        same(other, whole(torch.cat([gold, more_gold]), torch.cat([pred, more_pred])))


def test_counts_stay_integers():
    model = torch.nn.Module()
    model.metric = SpanScore(SCHEME)
    gold, pred = labels(np.random.default_rng(6), 9)
    model.metric.update(pred, gold)
    for narrowed in (model.half(), model.double()):
        same(narrowed.metric, whole(gold, pred))
    same(model.metric.set_dtype(torch.float16), whole(gold, pred))


def test_an_epoch_without_batches():
    metric = SpanScore(SCHEME)
    report, values = plain(metric)
    assert all(map(math.isnan, values.values()))
    assert report["n_examples"] == 0
    assert SpanScore(SCHEME, "cnc-2023", only="overall_f1").compute() == 0.0
    metric.update(torch.zeros((0, 5), dtype=torch.int64), torch.zeros((0, 5), dtype=torch.int64))
    assert math.isnan(metric.compute()["overall_f1"])


def test_plot():
    pytest.importorskip("matplotlib").use("agg")
    metric = SpanScore(SCHEME)
    gold, pred = labels(np.random.default_rng(7), 9)
    metric.update(pred, gold)
    figure, _ = metric.plot()
    assert figure is not None


IDS = torch.zeros((2, 3), dtype=torch.int64)
REFUSED = [
    (SCHEME, (IDS.float(), IDS), "pred: found float32, expected int8, int16, int32, int64"),
    (SCHEME, (IDS.byte(), IDS), "pred: found uint8, expected int8"),
    (SCHEME, (IDS, IDS.bool()), "gold: found bool, expected int8"),
    (SCHEME, (IDS[:1], IDS), r"pred: found the shape \(1, 3\), expected \(2, 3\)"),
    (SCHEME, (IDS[0], IDS), r"pred: found the shape \(3,\), expected \[batch, tokens\]"),
    (SCHEME, (IDS, IDS[0]), r"gold: found the shape \(3,\), expected \[batch, tokens\]"),
    (SCHEME, (torch.zeros(2, 4, 7), IDS), r"pred: found the shape .*, expected \(2, 3, 7\)"),
    (SCHEME, (IDS + 7, IDS), "example 0, token 0: label id 7, expected 0 to 6, or -100"),
    (SCHEME, (IDS, IDS - 3), "example 0, token 0: label id -3, expected 0 to 6, or -100"),
    (SCHEME, (IDS + IGNORED, IDS), "example 0: the prediction ignores a token that gold has"),
    (SCHEME, (torch.zeros(2, 3, 5), IDS), r"logits: found the shape \(2, 3, 5\), expected"),
    (SCHEME, (torch.full((2, 3, 7), torch.nan), IDS), "example 0, token 0: logit nan of label O"),
    (SCHEME, (IDS.to("meta"), IDS), "pred cannot be read"),
    (None, (IDS, IDS), "preds: found a Tensor, which a metric without decoder cannot read"),
    (None, ([], [{"length": 3, "relations": []}]), "expected 1"),
    (fc.SpanDecoder(), (torch.zeros(2, 3, 6), []), "pred has 2 examples, expected 0"),
    (fc.SpanDecoder(), (IDS, []), r"logits: found the shape \(2, 3\), expected"),
]


@pytest.mark.parametrize("decoder", [SCHEME, None, fc.SpanDecoder()])
def test_options_without_a_use(decoder):
    batch = (IDS, IDS) if decoder is SCHEME else ([], [])
    with pytest.raises(ValueError, match="mask, word_ids: only the logits of a SpanDecoder"):
        SpanScore(decoder).update(*batch, mask=IDS, word_ids=IDS, has_signal=None)


@pytest.mark.parametrize(("decoder", "batch", "message"), REFUSED)
def test_what_is_refused(decoder, batch, message):
    metric = SpanScore(decoder)
    with pytest.raises(fc.InputError, match=message):
        metric.update(*batch)
    assert not metric.counts.any()
    assert not metric.totals.any()


def test_what_is_no_metric():
    with pytest.raises(ValueError, match="cnc-2022 does not add up over batches"):
        SpanScore(SCHEME, "cnc-2022")
    with pytest.raises(ValueError, match='unknown score "f1", expected one of overall_'):
        SpanScore(SCHEME, only="f1")
    with pytest.raises(ValueError, match="by: states are sums over all examples, use fastcausal"):
        SpanScore(SCHEME, by="source")
    with pytest.raises(ValueError, match="iou is for relations, not for recess"):
        SpanScore(SCHEME, iou=0.5)
    with pytest.raises(ValueError, match="roles is 'a,b', but the decoder has cause, effect, sig"):
        SpanScore(fc.SpanDecoder(), roles="a,b")
    with pytest.raises(TypeError, match="unexpected keyword argument 'role_names'"):
        compute_metrics(SCHEME, role_names=OWN)
    for settings in ({"types": "require"}, {"roles": OWN}, {"iou": 0.9}):
        with pytest.raises(fc.InputError, match="another protocol or decoder"):
            SpanScore(None, "relations").merge_state(SpanScore(None, "relations", **settings))


def test_metrics_that_count_something_else():
    one, other = SpanScore(SCHEME), SpanScore(SCHEME, "cnc-2023")
    gold, pred = labels(np.random.default_rng(8), 3)
    for metric in (one, other):
        metric.update(pred, gold)
    with pytest.raises(fc.InputError, match="another protocol or decoder"):
        one.merge_state(other)
    other.load_state_dict(SpanScore(SCHEME).state_dict())
    with pytest.raises(fc.InputError, match="another protocol or decoder"):
        other.compute()


@pytest.mark.parametrize("name", Totals._fields)
def test_a_total_has_its_place_in_the_states(name):
    totals = Totals(*range(5, 5 + len(Totals._fields)))
    metric, other = SpanScore(), SpanScore()
    for each in (metric, other):
        each.scorer.tally = Tally(totals, {(): each.counts.numpy()}, ROLES)
        each._take(each.scorer)
    metric.merge_state(other)
    found = metric.report()._evaluation.tally.totals
    assert getattr(found, name) == 2 * getattr(totals, name)


def test_groups_of_whole_relations_are_no_roles():
    scheme = fc.TagScheme(["O", "B-Cause", "I-Cause", "B-Effect", "I-Effect"])
    metric = SpanScore(scheme, "relations")
    gold = torch.tensor([[1, 2, 0, 3], [0, 1, 3, 4]])
    metric.update(torch.tensor([[1, 2, 0, 3], [0, 1, 3, 0]]), gold)
    found = metric.compute()
    assert found["exact_f1"] == found["signal_f1"] == 0.5

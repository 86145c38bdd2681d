"""The Trainer reports the score of the whole set."""

from __future__ import annotations

import copy
import math
import pickle
import subprocess
import sys

import numpy as np
import pytest

import fastcausal as fc
from fastcausal.training import compute_metrics
from tests.support.tagged import (
    IGNORED,
    LABELS,
    SCHEME,
    label_ids,
    logits_near,
    same,
    scored,
    tags_of,
)

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("accelerate")

pytestmark = pytest.mark.slow
LENGTHS = [9, 3, 12, 1, 7, 7, 12, 5, 2, 10, 6]
N_WORDS = 40


def best(logits):
    """The greatest logit of each token, of equals the first."""
    return [[max(range(len(LABELS)), key=token.__getitem__) for token in line] for line in logits]


@pytest.mark.parametrize("protocol", ["recess", "cnc-2023", fc.Protocol("b", kernel="exact_spans")])
@pytest.mark.parametrize("n_batches", [1, 3])
def test_batches_equal_the_whole_set(protocol, n_batches):
    rng = np.random.default_rng(n_batches)
    gold = label_ids(rng, 30, 17)
    logits = logits_near(rng, gold)
    where = gold != IGNORED
    expected = scored(tags_of(gold, where), tags_of(best(logits), where), protocol)
    assert 0 < expected["overall_f1"] < 1
    metrics = compute_metrics(SCHEME, protocol)
    for _ in range(2):  # the second time as if there had been no first
        assert same(metrics((logits, gold)), expected)
        batches = np.array_split(np.arange(len(gold)), n_batches)
        for batch in batches[:-1]:
            pair = torch.tensor(logits[batch]), torch.tensor(gold[batch])
            assert metrics(pair, compute_result=False) == {}
        last = logits[batches[-1]], gold[batches[-1]]
        assert same(metrics(last, compute_result=True), expected)
    ids = np.array(best(logits))
    for predictions, labels in (
        (ids, gold),
        (np.where(where, ids, IGNORED), gold.astype(np.int16)),  # padded by the Trainer
        ((logits.astype(np.float32), None), (torch.tensor(gold), None)),
        ([(part, 1) for part in np.array_split(logits, 4)], np.array_split(gold, 4)),
    ):
        assert same(metrics((predictions, labels)), expected)
    metrics((logits[:5], gold[:5]), compute_result=False)
    for copied in (copy.deepcopy(metrics), pickle.loads(pickle.dumps(metrics))):
        assert same(copied((logits[5:], gold[5:]), compute_result=True), expected)
    assert same(metrics((logits, gold)), expected)  # the whole set is all there is


def test_valid_sequences():
    rng = np.random.default_rng(3)
    gold = label_ids(rng, 20, 9)
    logits = logits_near(rng, gold)
    where = gold != IGNORED
    ids = SCHEME.decode(logits, where, valid=True)
    expected = scored(tags_of(gold, where), tags_of(ids, where))
    assert same(compute_metrics(SCHEME, valid=True, num_threads=1)((logits, gold)), expected)
    assert not same(compute_metrics(SCHEME)((logits, gold)), expected)


def test_bfloat16_as_float32():
    rng = np.random.default_rng(4)
    gold = torch.tensor(label_ids(rng, 8, 9))
    logits = torch.tensor(logits_near(rng, gold.numpy())).bfloat16()
    metrics = compute_metrics(SCHEME)
    assert same(metrics((logits, gold)), metrics((logits.float().numpy(), gold)))


def test_batches_on_another_device():
    """Batches on the model's device, as the Trainer gives them, score like batches on the host."""

    class Elsewhere:
        def __init__(self, value):
            self.value = value

        def __dlpack_device__(self):
            return 2, 0

        def cpu(self):
            return self.value

    rng = np.random.default_rng(5)
    gold = torch.tensor(label_ids(rng, 8, 9))
    logits = torch.tensor(logits_near(rng, gold.numpy()))
    metrics = compute_metrics(SCHEME)
    found = metrics(((Elsewhere(logits),), Elsewhere(gold)), compute_result=True)
    assert same(found, metrics((logits, gold)))


def test_undefined_scores():
    gold = np.zeros((2, 3), np.int64)
    scores = compute_metrics(SCHEME)((gold, gold))
    assert all(math.isnan(value) for value in scores.values())
    assert set(compute_metrics(SCHEME, "cnc-2023")((gold, gold)).values()) == {0.0}


GOLD = np.array([[1, 2, IGNORED], [0, 3, IGNORED]])
LOGITS = np.zeros((2, 3, len(LABELS)))


@pytest.mark.parametrize(
    ("predictions", "labels", "message"),
    [
        (GOLD + 8 * (GOLD == 3), GOLD, "example 1, token 1: label id 11, expected 0 to 6, or -100"),
        (GOLD, GOLD - 9 * (GOLD == 2), "example 0, token 1: label id -7, expected 0 to 6, or -100"),
        (np.where(GOLD == 2, IGNORED, GOLD), GOLD, "example 0: the prediction ignores a token"),
        (
            LOGITS[:, :2],
            GOLD,
            r"predictions: found the shape \(2, 2, 7\), "
            r"expected logits \[2, 3, 7\] or label ids \[2, 3\]$",
        ),
        (LOGITS[..., :5], GOLD, r"found the shape \(2, 3, 5\), expected \[batch, tokens, 7\]"),
        (LOGITS[0, 0], GOLD, r"predictions: found the shape \(7,\), expected logits \[2, 3, 7\]"),
        (LOGITS.astype(int), GOLD, "logits: found int64, expected float16, float32, float64"),
        (GOLD.astype(float), GOLD, "predictions: found float64, expected int8, int16"),
        (LOGITS, GOLD.astype(float), "label_ids: found float64, expected int8, int16"),
        (LOGITS, GOLD[0], r"label_ids: found the shape \(3,\), expected \[batch, tokens\]"),
        (LOGITS, None, "label_ids: found object, expected int8"),
        ((), GOLD, "predictions: found the shape"),
        (LOGITS * np.nan, GOLD, "example 0, token 0: logit nan of label O"),
        ([LOGITS, LOGITS], [GOLD], "predictions of 2 batches, label_ids of 1$"),
    ],
)
def test_mistakes(predictions, labels, message):
    metrics = compute_metrics(SCHEME)
    metrics((GOLD * 0, GOLD), compute_result=False)
    with pytest.raises(fc.InputError, match=message):
        metrics((predictions, labels), compute_result=False)
    found = metrics((np.maximum(GOLD, 0), GOLD), compute_result=True)
    assert found["overall_f1"] == 1  # nothing is left of the batches before


def test_arguments():
    with pytest.raises(fc.InputError, match="predictions are label ids, expected logits: valid"):
        compute_metrics(SCHEME, valid=True)((GOLD, GOLD))
    with pytest.raises(ValueError, match="cnc-2022 does not add up over batches"):
        compute_metrics(SCHEME, "cnc-2022")


@pytest.fixture(scope="module")
def tagger():
    """A tiny BERT with random weights."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=N_WORDS,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=16,
        num_labels=len(LABELS),
        initializer_range=0.5,
    )
    return transformers.BertForTokenClassification(config)


def padded(lines):
    """Sentences of different lengths as one batch."""
    width = max(len(line["labels"]) for line in lines)
    fills = {"input_ids": 0, "attention_mask": 0, "labels": IGNORED}
    return {
        name: torch.tensor([line[name] + [fill] * (width - len(line[name])) for line in lines])
        for name, fill in fills.items()
    }


def trainer(tagger, data, folder, metrics, **settings):
    arguments = transformers.TrainingArguments(
        output_dir=str(folder),
        per_device_eval_batch_size=4,
        use_cpu=True,
        report_to=[],
        disable_tqdm=True,
        save_strategy="no",
        **{key: settings.pop(key) for key in list(settings) if not key.startswith("preprocess")},
    )
    return transformers.Trainer(
        tagger, arguments, padded, data, data, compute_metrics=metrics, **settings
    )


@pytest.mark.filterwarnings("ignore")
def test_in_a_trainer(tagger, tmp_path):
    rng = np.random.default_rng(0)
    data = [
        {
            "input_ids": rng.integers(1, N_WORDS, n).tolist(),
            "attention_mask": [1] * n,
            "labels": rng.integers(len(LABELS), size=n).tolist(),
        }
        for n in LENGTHS
    ]
    first = trainer(tagger, data, tmp_path, None).predict(data)
    for line, ids in zip(data, best(first.predictions), strict=True):  # half of them right
        right = rng.random(len(line["labels"])) < 0.5
        line["labels"] = np.where(right, ids[: len(right)], line["labels"]).tolist()
        line["labels"][0] = IGNORED

    where = first.label_ids != IGNORED
    where[:, 0] = False
    gold = [line["labels"][1:] for line in data]
    expected = scored(
        [[LABELS[k] for k in line] for line in gold], tags_of(best(first.predictions), where)
    )
    assert 0 < expected["overall_f1"] < 1
    metrics = compute_metrics(SCHEME)
    for settings in (
        {},
        {"batch_eval_metrics": True},
        {"eval_do_concat_batches": False},
        {"eval_accumulation_steps": 1},
        {"preprocess_logits_for_metrics": lambda logits, labels: logits.argmax(-1)},
    ):
        found = trainer(tagger, data, tmp_path, metrics, **settings).evaluate()
        named = {f"eval_{name}": value for name, value in expected.items()}
        assert same({name: found[name] for name in named}, named)

    trained = trainer(
        tagger, data, tmp_path, metrics, batch_eval_metrics=True, eval_strategy="epoch",
        num_train_epochs=2,
    )  # fmt: skip
    trained.train()
    logged = [entry for entry in trained.state.log_history if "eval_loss" in entry]
    assert len(logged) == 2
    assert logged[-1]["eval_overall_f1"] == trained.evaluate()["eval_overall_f1"]


def test_loads_no_torch():
    """Scoring the Trainer's batches loads no PyTorch; names that need it raise ImportError."""
    code = """
import sys
import numpy as np
import fastcausal as fc
from fastcausal import training
dir(training)
metrics = training.compute_metrics(fc.TagScheme(["O", "B-Cause", "I-Cause"]))
metrics((np.zeros((1, 4, 3), np.float32), np.zeros((1, 4), int)))
training.align_labels([[1]], training.word_ids_of([[None, 0]]))
print(*sys.modules)
sys.modules["torch"] = sys.modules["torchmetrics"] = sys.modules["evaluate"] = None
for name in ("SpanScore", "TagMetric"):
    try:
        getattr(training, name)
    except ImportError as error:
        print(error, type(error).__name__, file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"torch", "torchmetrics", "transformers", "evaluate", "datasets", "pandas"}
    assert not {name.partition(".")[0] for name in done.stdout.split()} & heavy
    assert done.stderr.replace("torchmetrics:", "torch:").splitlines() == [
        "SpanScore needs torch: pip install 'fastcausal[torch]' ImportError",
        "TagMetric needs evaluate: pip install 'fastcausal[hf]' ImportError",
    ]


def test_names():
    from fastcausal import training

    assert dir(training) == [
        "Reward", "SpanScore", "Stop", "TagMetric", "align_labels", "compute_metrics",
        "tag_metric_path", "word_ids_of",
    ]  # fmt: skip
    with pytest.raises(AttributeError, match=r"'fastcausal\.training' has no attribute 'scores'"):
        training.scores  # noqa: B018

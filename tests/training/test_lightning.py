"""Under Lightning: logged as an object, in a collection, and by name at the end of an epoch."""

from __future__ import annotations

import numpy as np
import pytest

from tests.training.test_span_score import SCHEME, labels, whole

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # of Lightning's, about workers and loggers
]
torch = pytest.importorskip("torch")
lightning = pytest.importorskip("lightning")
torchmetrics = pytest.importorskip("torchmetrics")
span_score = pytest.importorskip("fastcausal.training.span_score")


class Tagger(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.head = torch.nn.Embedding(7, 7)
        self.all = span_score.SpanScore(SCHEME)
        self.f1 = span_score.SpanScore(SCHEME, only="overall_f1")
        self.both = torchmetrics.MetricCollection(
            {
                name: span_score.SpanScore(SCHEME, name, only="cause_f1")
                for name in ("recess", "cnc-2023")
            }
        )

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

    def training_step(self, batch, index):
        words, gold = batch
        return torch.nn.functional.cross_entropy(self.head(words).flatten(0, 1), gold.flatten())

    def validation_step(self, batch, index):
        words, gold = batch
        logits = self.head(words)
        for metric in (self.all, self.f1, self.both):
            metric.update(logits, gold)
        self.log("f1", self.f1)
        self.log_dict(self.both)

    def on_validation_epoch_end(self):
        self.log_dict({f"val/{name}": value for name, value in self.all.compute().items()})
        self.all.reset()


def test_logged(tmp_path):
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    gold, words = labels(rng, 20)
    loader = torch.utils.data.DataLoader(list(zip(words, gold, strict=True)), batch_size=6)
    model = Tagger()
    trainer = lightning.Trainer(
        max_epochs=2, accelerator="cpu", logger=False, enable_progress_bar=False,
        enable_model_summary=False, default_root_dir=tmp_path, num_sanity_val_steps=1,
        callbacks=[lightning.pytorch.callbacks.ModelCheckpoint(tmp_path, monitor="f1", mode="max")],
    )  # fmt: skip
    trainer.fit(model, loader, loader)
    wanted = whole(gold, model.head(words).argmax(-1))
    found = {name: value.item() for name, value in trainer.callback_metrics.items()}
    for name, value in span_score.flat_scores(wanted).items():
        np.testing.assert_equal(found[f"val/{name}"], value)  # NaN is NaN
    assert found["f1"] == wanted["overall"].f1
    assert found["recess"] == wanted["cause"].f1
    assert "cnc-2023" in found
    resumed = Tagger.load_from_checkpoint(trainer.checkpoint_callback.best_model_path)
    assert resumed.all.state_dict().keys() == {"counts", "totals", "identity"}

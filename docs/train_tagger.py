"""Train a tagger of causes, effects and signals from scratch, and watch its F1.

    python docs/train_tagger.py --out trained [--corpus train.csv] [--epochs 6]

An embedding and a bidirectional GRU learn from the embedded sample, from sentences made here, and
from a corpus where one is given; a fifth of the sentences is held out. `SpanScore` scores them
after every epoch. The last predictions and their gold relations are written to the folder, where
`fastcausal score` finds the same number.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import torch
from torch import nn

import fastcausal as fc
from fastcausal import sample
from fastcausal.training.span_score import SpanScore

ROLES = ("cause", "effect", "signal")
SCHEME = fc.TagScheme(["O", *(f"{mark}-{role}" for role in ROLES for mark in "BI")])
BATCH = 32
CAUSES = (
    "the heavy rain", "a long strike", "the power cut", "a burst pipe", "the new tariff",
    "a fire in the depot", "the sudden frost", "an old contract", "the closed bridge",
)  # fmt: skip
EFFECTS = (
    "delays on every line", "a shortage of bread", "higher prices", "empty shelves",
    "a flooded cellar", "long queues at the gate", "the loss of the harvest", "cold classrooms",
)  # fmt: skip
PATTERNS = (
    "<cause> <signal:caused> <effect> .",
    "<cause> <signal:led to> <effect> last week .",
    "people saw <effect> <signal:because of> <cause> .",
    "<signal:owing to> <cause> , there were <effect> .",
    "<effect> followed yesterday , <signal:a result of> <cause> .",
    "<cause> was in the news , and so were <effect> .",
)
UNRELATED = ("nobody spoke of", "the minister mentioned", "they wrote about")


def made_up(n: int, rng: np.random.Generator) -> fc.Relations:
    """Sentences with one causal relation each, and some without."""
    examples = []
    for k in range(n):
        words: list[str] = []
        relation = {}
        if k % 6 == 5:
            words += [*str(rng.choice(UNRELATED)).split(), *str(rng.choice(CAUSES)).split(), "."]
        else:
            for part in str(rng.choice(PATTERNS)).replace(">", "<").split("<"):
                role, _, text = part.partition(":")
                text = {"cause": str(rng.choice(CAUSES)), "effect": str(rng.choice(EFFECTS))}.get(
                    role, text or part
                )
                if role in ROLES:
                    relation[role] = (len(words), len(words) + len(text.split()))
                words += text.split()
        examples.append(
            {
                "id": f"made_up_{k}",
                "text": " ".join(words),
                "relations": [relation] if len(relation) > 1 else [],
            }
        )
    return fc.Relations.from_examples(examples)


def sentences(corpus: str | None, rng: np.random.Generator) -> fc.Relations:
    """All that there is to learn from, shuffled."""
    sources = [made_up(600, rng), fc.read(sample.GOLD), *([fc.read(corpus)] if corpus else [])]
    columns = ["id", "text", "length", "relations"]
    table = pa.concat_tables([source.table.select(columns) for source in sources])
    return fc.Relations(table.take(rng.permutation(len(table))))


def label_ids(gold: fc.Relations) -> list[list[int]]:
    """A label for each token, of the first relation; a token of two roles has the first one."""
    number = {label: k for k, label in enumerate(SCHEME.labels)}
    found = []
    for example in gold.to_examples():
        labels = [0] * example["length"]
        for role, spans in (example["relations"] or [{}])[0].items():
            for start, stop in spans:
                if not any(labels[start:stop]):
                    labels[start:stop] = [number[f"I-{role}"]] * (stop - start)
                    labels[start] = number[f"B-{role}"]
        found.append(labels)
    return found


class Batch(NamedTuple):
    """Some sentences: words and labels [batch, tokens], and all their gold relations."""

    words: torch.Tensor
    labels: torch.Tensor
    gold: fc.Relations


class Vocabulary:
    """Numbers for words; 0 fills up, 1 is any other word."""

    def __init__(self, gold: fc.Relations) -> None:
        words = {word for text in gold.table["text"].to_pylist() for word in text.lower().split()}
        self.numbers = {word: k for k, word in enumerate(sorted(words), 2)}

    def batches(self, gold: fc.Relations) -> Iterator[Batch]:
        """All sentences, in order."""
        labels = label_ids(gold)
        for start in range(0, len(gold), BATCH):
            part = fc.Relations(gold.table.slice(start, BATCH))
            words = [
                torch.tensor([self.numbers.get(word, 1) for word in text.lower().split()])
                for text in part.table["text"].to_pylist()
            ]
            targets = [torch.tensor(line) for line in labels[start : start + BATCH]]
            pad = nn.utils.rnn.pad_sequence
            yield Batch(
                pad(words, batch_first=True),
                pad(targets, batch_first=True, padding_value=SCHEME.ignore_index),
                part,
            )


class Tagger(nn.Module):
    """Logits [batch, tokens, labels] of words [batch, tokens]."""

    def __init__(self, n_words: int, width: int = 64) -> None:
        super().__init__()
        self.embedding = nn.Embedding(n_words, width, padding_idx=0)
        self.dropout = nn.Dropout(0.3)
        self.gru = nn.GRU(width, width, batch_first=True, bidirectional=True)
        self.head = nn.Linear(2 * width, len(SCHEME.labels))

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        """Read the words both ways."""
        states, _ = self.gru(self.dropout(self.embedding(words)))
        return self.head(self.dropout(states))


def train_epoch(model: Tagger, batches: list[Batch], optimizer: torch.optim.Optimizer) -> float:
    """One pass over the batches; the mean loss."""
    model.train()
    total = 0.0
    for k in torch.randperm(len(batches)).tolist():
        logits = model(batches[k].words)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), batches[k].labels.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / len(batches)


@torch.no_grad()
def validate(model: Tagger, batches: list[Batch]) -> tuple[dict[str, torch.Tensor], fc.Relations]:
    """Scores against all gold relations, and the predictions."""
    model.eval()
    metric = SpanScore()
    predicted = []
    for batch in batches:
        ids = SCHEME.decode(model(batch.words), where=batch.words != 0, valid=True)
        pred = SCHEME.rows(ids).to_relations(like=batch.gold)
        metric.update(pred, batch.gold)
        predicted.append(pred.table)
    return metric.compute(), fc.Relations(pa.concat_tables(predicted))


def main() -> None:
    """Train, print the F1 of every epoch, and write what was predicted."""
    parser = argparse.ArgumentParser(description="Train a small tagger and score it.")
    parser.add_argument("--out", type=Path, required=True, help="folder for gold and predictions")
    parser.add_argument("--corpus", help="sentences with relations to learn from besides")
    parser.add_argument("--epochs", type=int, default=6)
    arguments = parser.parse_args()
    torch.manual_seed(0)

    gold = sentences(arguments.corpus, np.random.default_rng(0))
    n_valid = len(gold) // 5
    valid, train = fc.Relations(gold.table[:n_valid]), fc.Relations(gold.table[n_valid:])
    vocabulary = Vocabulary(train)
    batches = {name: list(vocabulary.batches(side))
               for name, side in (("train", train), ("valid", valid))}  # fmt: skip
    model = Tagger(len(vocabulary.numbers) + 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
    print(f"{len(train)} sentences to learn from, {len(valid)} to validate on")
    for epoch in range(1, arguments.epochs + 1):
        loss = train_epoch(model, batches["train"], optimizer)
        scores, pred = validate(model, batches["valid"])
        named = "  ".join(f"{role} {scores[f'{role}_f1']:.4f}" for role in ROLES)
        print(f"epoch {epoch}  loss {loss:.4f}  f1 {scores['overall_f1']:.4f}  {named}")

    arguments.out.mkdir(parents=True, exist_ok=True)
    fc.write(valid, arguments.out / "gold.parquet")
    fc.write(pred, arguments.out / "pred.parquet")
    print(f"overall_f1 {scores['overall_f1'].item()!r}")


if __name__ == "__main__":
    main()

"""Drawn pairs of files, hostile to whoever reads them."""

from __future__ import annotations

import random

LETTERS = [
    *"abcab", "U.S.", "U.S", "co.", "Tax", "tax", "5%", "1,000", "(up)", "didn't", "it's", "cannot",
    '"so"', "“so”", "-", "...", "é",
]  # fmt: skip
ENDS = [".", ". ", "? ", "!", ".) ", '." ', ",", ""]


def text(rng: random.Random, kinds: list[str]) -> str:
    pieces = []
    for _ in range(rng.choice([1, 3, 6, 10, 14])):
        pieces.append(rng.choice(kinds))
        pieces.append(rng.choice(ENDS) if rng.random() < 0.15 else "")
        pieces.append(rng.choice([" ", " ", " ", " ", "  ", "\u00a0", "\t"]))
    return "".join(pieces).strip() or "a"


def span(rng: random.Random, of: str) -> str:
    """Cut out a part, perhaps changed."""
    words = of.split(" ")
    start = rng.randrange(len(words))
    part = words[start : start + rng.choice([1, 2, 3, 5, 9])]
    if rng.random() < 0.25:
        rng.choice([part.clear, part.reverse, lambda: part.append("x"), lambda: part.pop(0)])()
    found = " ".join(part)
    return rng.choice([found] * 6 + [found.lower(), found.rstrip("."), f" {found}", f"{found} "])


def pair(seed: int) -> tuple[str, str]:
    """Draw gold and a submission; one in ten has a fault."""
    rng = random.Random(seed)
    kinds = rng.sample(LETTERS, rng.choice([2, 4, len(LETTERS)]))
    separator = rng.choice(["; ", ";"])
    gold, pred = ["Index; Text; Cause; Effect"], ["x"]
    for k in range(rng.randint(1, 5)):
        n = rng.choice([1, 1, 1, 2, 3])
        of = text(rng, kinds)
        for part in range(n):
            index = f"{k // 3}.{k}" if n == 1 else f"{k // 3}.{k}.{part}"
            if rng.random() < 0.03:
                index = rng.choice(["7", "1.2.3.4", "0.0.1", "", "0.1.1"])
            if n > 1 and rng.random() < 0.02:
                of = text(rng, kinds)
            spans = [span(rng, of) for _ in range(4)]
            if rng.random() < 0.2:
                spans[2:] = spans[:2]
            gold.append(separator.join([index, of, *spans[:2]]))
            pred.append(separator.join([rng.choice([index, "x"]), of, *spans[2:], "5", "6"]))
    _spoil(rng, gold, pred)
    end = rng.choice(["\n", "\r\n"])
    return (end.join(gold) + rng.choice(["", end]), end.join(pred) + end)


def _spoil(rng: random.Random, gold: list[str], pred: list[str]) -> None:
    if rng.random() > 0.1:
        return
    side = rng.choice([gold, pred])
    fault = rng.randrange(7)
    if fault == 0:
        side.append("")
    elif fault == 1:
        side[-1] = "1.0; a b"
    elif fault == 2:
        side[-1] = "1.0; ; a; b"
    elif fault == 3:
        side.pop()
    elif fault == 4:
        side[1:] = side[:0:-1]
    elif fault == 5:
        side[-1] = side[-1].replace(" ", "  ", 2)
    else:
        side[-1] = side[-1].replace("a", "é", 1)

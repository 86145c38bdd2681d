"""300 answers of an imagined language model, in every way in which models answer.

The kinds and their frequencies follow answers that users collected: a third in code fences, some in
prose, a few refusals and cut off answers. All sentences are made here; no word of a relation is
twice in its sentence, so that texts mean one place.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any, NamedTuple

CAUSES = ["the storm", "heavy rain", "a power cut", "the strike", "a broken pump", "thick fog"]
EFFECTS = ["delays", "floods in town", "a short blackout", "closed shops", "two accidents"]
SIGNALS = ["led to", "caused", "brought about", "resulted in", ""]
JOINED = [", while", ", and later", "; besides ,"]

Relation = dict[str, str]


class Case(NamedTuple):
    """A sentence with its relations, the answer, and the expected relations: None if unparsed."""

    id: str
    text: str
    gold: list[dict[str, tuple[int, int]]]
    kind: str
    answer: str
    expected: list[Any] | None


def sentence(rng: random.Random, n: int) -> tuple[str, list[Relation], list[Any]]:
    """A text of n relations, as texts and as tokens."""
    if not n:
        return "The harbour opens at seven .", [], []
    tokens: list[str] = []
    texts: list[Relation] = []
    places: list[Any] = []
    chosen = [rng.sample(words, n) for words in (CAUSES, EFFECTS, SIGNALS)]
    for k, (cause, effect, signal) in enumerate(zip(*chosen, strict=True)):
        tokens += JOINED[k - 1].split() if k else []
        place = {}
        for role, words in (("cause", cause), ("signal", signal or "before"), ("effect", effect)):
            start = len(tokens)
            tokens += words.split()
            place[role] = (start, len(tokens))
        if not signal:
            place.pop("signal")
        texts.append({"cause": cause, "effect": effect, "signal": signal})
        places.append(place)
    return " ".join([*tokens, "."]), texts, places


def plain(relations: list[Relation]) -> Any:
    return {"relations": relations}


def renamed(**names: str) -> Callable[[list[Relation]], Any]:
    return lambda relations: {
        "relations": [{names.get(role, role): t for role, t in r.items()} for r in relations]
    }


def as_objects(relations: list[Relation]) -> Any:
    return {
        "relations": [
            {role: {"text": t, "start": 7, "end": 9} for role, t in r.items() if t}
            for r in relations
        ]
    }


def with_more(relations: list[Relation]) -> Any:
    more = {"confidence": 0.9, "explanation": "It says so."}
    return {"causal_relations": [r | more for r in relations], "language": "en"}


def single(relations: list[Relation]) -> Any:
    return relations[0] if len(relations) == 1 else relations


# Values of valid JSON, and how many answers have each.
SHAPES: dict[str, tuple[int, Callable[[list[Relation]], Any]]] = {
    "schema": (38, plain),
    "capitals": (12, renamed(cause="Cause", effect="Effect", signal="Signal")),
    "bare list": (12, lambda relations: relations),
    "objects with text, start and end": (10, as_objects),
    "further keys": (8, with_more),
    "causes and effects": (4, renamed(cause="causes", effect="effects", signal="signals")),
    "consequence": (4, renamed(effect="consequence", signal="connective")),
    "trigger": (6, renamed(signal="trigger")),
    "wrapped": (6, lambda relations: {"answer": {"relations": relations}}),
    "none in words": (5, lambda relations: {"relations": relations or "none"}),
    "single object": (3, single),
}
PROSE = "Sure! The text says [sic] that:\n\n", "\n\nI hope this helps; ask {me} for more."


def in_fence(text: str) -> str:
    return f"```json\n{text}\n```"


def in_plain_fence(text: str) -> str:
    return f"{PROSE[0]}```\n{text}\n```{PROSE[1]}"


def thought(text: str) -> str:
    return f'<think>Is it {{"cause": "x"}}? No.</think>\n{text}'


def thought_before(text: str) -> str:
    return f"It may be the storm.\n</think>\n\n{text}"


# Text around an answer.
AROUND: dict[str, tuple[int, Callable[[str], str]]] = {
    "fence": (70, in_fence),
    "fence in prose": (35, in_plain_fence),
    "prose before": (20, lambda text: PROSE[0] + text),
    "prose around": (25, lambda text: text.join(PROSE)),
    "thinking": (5, thought),
    "thinking opened by the prompt": (2, thought_before),
}
REFUSALS = [
    "I'm sorry, but I can't help with that.",
    "As a language model I see no way to tell causes from this [short] text.",
    "",
    "{...}",
    "<think>The storm is the cause",
    '{"error": "overloaded"}',
]


def python_literals(relations: list[Relation]) -> str:
    return repr([{role: t or None for role, t in r.items()} for r in relations])


def unescaped(relations: list[Relation]) -> str:
    """JSON of curly quotes, which no parser takes."""
    text = json.dumps(plain(relations))
    return text.replace('"', "“", 1).replace('"', "”", 1)


def as_lines(relations: list[Relation]) -> str:
    return "\n".join(map(json.dumps, relations))


def cases() -> list[Case]:
    """All 300, mixed; `json.loads` reads 113 of them."""
    rng = random.Random(7)
    made: list[Case] = []

    def add(kind: str, n: int, answer: Callable[..., Any], least: int = 0, most: int = 3) -> None:
        for _ in range(n):
            text, relations, places = sentence(rng, rng.randint(least, most))
            said, expected = answer(relations, places)
            made.append(Case("", text, places, kind, said, expected))

    for kind, (n, shape) in SHAPES.items():
        add(kind, n, lambda r, p, shape=shape: (json.dumps(shape(r)), p))
    add("pairs", 2, lambda r, p: (json.dumps([[s["cause"], s["effect"]] for s in r]), unsigned(p)))
    add("a relation that is a text", 1, slip, 1)
    for kind, (n, around) in AROUND.items():
        add(kind, n, lambda r, p, around=around: (around(json.dumps(plain(r), indent=1)), p))
    add("Python", 3, lambda r, p: (python_literals(r), p), 1)
    add("broken", 2, lambda r, p: (unescaped(r), p), 1)
    add("objects on lines", 2, lambda r, p: (as_lines(r), p), 2)
    add("ends before the last bracket", 3, lambda r, p: (json.dumps(plain(r))[:-2], p), 1)
    add("ends within the last relation", 6, cut, 2)
    for k in range(16):
        text, _, places = sentence(rng, rng.randint(0, 3))
        made.append(Case("", text, places, "refusal", REFUSALS[k % len(REFUSALS)], None))
    rng.shuffle(made)
    return [case._replace(id=f"s{k}") for k, case in enumerate(made)]


def unsigned(places: list[Any]) -> list[Any]:
    return [{role: p for role, p in place.items() if role != "signal"} for place in places]


def slip(relations: list[Relation], places: list[Any]) -> tuple[str, list[Any]]:
    return json.dumps(plain([*relations, "rain, so floods"])), [*places, None]


def cut(relations: list[Relation], places: list[Any]) -> tuple[str, list[Any]]:
    text = json.dumps(plain(relations))
    return text[: text.rindex('"effect"') + 12], [*places[:-1], None]

"""Perfect answers in every form in which models write relations, and prose that is none."""

from __future__ import annotations

import html
import json
from collections.abc import Callable

Texts = dict[str, list[str]]
"""The texts of each role of a relation."""
NONE = "No causal relations."


def _first(relation: Texts, role: str) -> str:
    return "; ".join(relation.get(role, []))


def markdown(relations: list[Texts]) -> str:
    rows = [
        "| " + " | ".join(_cell(relation, role) for role in ("cause", "effect", "signal")) + " |"
        for relation in relations
    ]
    return "Here it is:\n\n" + "\n".join(
        ["| Cause | Effect | Signal |", "|:---|---|:-:|", *rows, "", "I hope this helps."]
    )


def _cell(relation: Texts, role: str) -> str:
    return " <br> ".join(relation.get(role, [])).replace("|", "\\|") or "-"


def csv(relations: list[Texts]) -> str:
    cells = [
        [_first(relation, role) for role in ("effect", "cause", "signal")] for relation in relations
    ]
    rows = [",".join(f'"{cell}"' for cell in row) for row in cells]
    return "\n".join(["```csv", "effect,cause,signal", *rows, "```"])


def headings(relations: list[Texts]) -> str:
    return "\n\n".join(
        "\n".join(
            f"### {role.capitalize()}\n{', '.join(texts)}\n" for role, texts in relation.items()
        )
        for relation in relations
    )


def bullets(relations: list[Texts]) -> str:
    return "The relations:\n\n" + "\n\n".join(
        "\n".join(
            [f"**Relation {k}**"]
            + [f"- **{r.capitalize()}**: {text}" for r, texts in rel.items() for text in texts]
        )
        for k, rel in enumerate(relations, 1)
    )


def numbered(relations: list[Texts]) -> str:
    return "\n".join(
        f'{k}. Cause: "{_first(r, "cause")}"; Effect: "{_first(r, "effect")}"'
        + (f'; Signal: "{_first(r, "signal")}"' if "signal" in r else "")
        for k, r in enumerate(relations, 1)
    )


def lines(relations: list[Texts]) -> str:
    return "\n\n".join(
        "\n".join(
            f"{role.capitalize()}: {', '.join(relation[role]) if role in relation else 'none'}"
            for role in ("cause", "effect", "signal")
        )
        for relation in relations
    )


def xml(relations: list[Texts]) -> str:
    inner = "".join(
        "  <relation>\n"
        + "".join(f"    <{r}>{html.escape(t)}</{r}>\n" for r, ts in rel.items() for t in ts)
        + "  </relation>\n"
        for rel in relations
    )
    return f"```xml\n<relations>\n{inner}</relations>\n```"


def yaml(relations: list[Texts]) -> str:
    parts = ["relations:"]
    for relation in relations:
        for k, role in enumerate(("cause", "effect")):
            texts = relation.get(role, [])
            parts.append(
                f"{'    ' if k else '  - '}{role}: {json.dumps(texts[0]) if texts else ''}"
            )
        signals = relation.get("signal", [])
        parts.append("    signal:" + ("" if signals else " []"))
        parts += [f"      - {json.dumps(text)}" for text in signals]
    return "```yaml\n" + "\n".join(parts) + "\n```"


def arrows(relations: list[Texts]) -> str:
    return "\n".join(
        f"- {_first(r, 'cause')} -> {_first(r, 'effect')}"
        + (f" (signal: {', '.join(r['signal'])})" if "signal" in r else "")
        for r in relations
    )


def tags(text: str, relations: list[dict[str, list[tuple[int, int]]]]) -> str:
    """The sentence with tags, once for each relation; places are tokens."""
    tagged = []
    for relation in relations:
        words = text.split()
        spans = sorted(
            (stop - start, start, stop, name)
            for role, name in (("cause", "ARG0"), ("effect", "ARG1"), ("signal", "SIG0"))
            for start, stop in relation.get(role, [])
        )
        for _, start, stop, name in spans:
            words[start] = f"<{name}>{words[start]}"
            words[stop - 1] = f"{words[stop - 1]}</{name}>"
        tagged.append(" ".join(words))
    return "\n".join(tagged)


FORMS: dict[str, Callable[[list[Texts]], str]] = {
    "markdown": markdown,
    "csv": csv,
    "headings": headings,
    "bullets": bullets,
    "numbered": numbered,
    "lines": lines,
    "xml": xml,
    "yaml": yaml,
    "arrows": arrows,
}


OPENINGS = [
    "I'm sorry, but", "As a language model", "Unfortunately", "From this text alone",
    "After reading it twice", "To be honest", "Without more context", "Sorry:",
]  # fmt: skip
REFUSED = [
    "I can't help with that.", "I cannot tell causes from effects.", "no answer is possible.",
    "I won't judge causal relations.", "the cause is unclear to me.",
]  # fmt: skip
ENDINGS = [
    "",
    " Please send the text again.",
    " Cause: unknown.",
    " Ask me something else!",
    "\n\nThat is all.",
]
CLAIMED = [
    "The main cause: {c}.", "It says that {c} led to {e}.", "So {c} -> {e} -> more of it.",
    "In the text, cause: {c}. Effect: {e}.", "{c}, hence {e}; see Settings -> Privacy -> Logs.",
    "There is a cause, namely {c}, and an effect: {e}.", "Cause: {c}, I would say.",
    "Effect: {e}, but of what?", "The relation between {c} and {e} is not causal: it is chance.",
    "| {c} | {e} |", "Note: {c} | {e}", "<p>{c}</p> so <b>{e}</b>", "Why {c}? Because of {e}.",
    "No causal relation, except that {c} may bring {e}.", "- {c}\n- {e}",
    "Result: {e}\nReason: {c}",
    "relations: {c}, {e}", "<cause>{c}", "cause of {e}: see above\nno effect", "{c} (signal: {e})",
]  # fmt: skip
CAUSES = ["the storm", "heavy rain", "a strike", "Cause X", "the broken pump in Kiel"]
EFFECTS = ["delays", "floods in town", "an effect", "closed shops", "a blackout: the second"]


def refusals() -> list[str]:
    """200 refusals."""
    return [f"{o} {r}{e}" for o in OPENINGS for r in REFUSED for e in ENDINGS]


def prose() -> list[str]:
    """800 texts of plain prose."""
    said = [c.format(c=x, e=y) for c in CLAIMED for x in CAUSES for y in EFFECTS]
    return [*said, *(f"{text} {text}" for text in said)][:800]

"""Sheets of answers and claims, from the files of `answers` and `claims`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from fastcausal.errors import InputError, Remedy
from fastcausal.files.files import Source
from fastcausal.files.keys import require_unique
from fastcausal.files.values import shown
from fastcausal.tasks.annotate.marks import Piece, marked_source, marked_span, words_by_letters
from fastcausal.tasks.annotate.page import Sheet
from fastcausal.tasks.annotate.qualify import expected_labels
from fastcausal.tasks.annotate.slots import (
    RATER,
    Place,
    Slotted,
    cut_slots,
    members,
    root,
    without_members,
)
from fastcausal.tasks.answers.count import answers
from fastcausal.tasks.answers.files import (
    INVALID,
    UNSURE,
    VALID,
    VERDICTS,
    ExtractionFile,
    read_file,
)
from fastcausal.tasks.answers.join import keyed
from fastcausal.tasks.answers.parse import Parsed, parse_guide
from fastcausal.tasks.answers.reasons import KINDS, SIDES
from fastcausal.tasks.claims.files import Claim, ClaimFile, entries_of_topic, read_claim_file
from fastcausal.tasks.fincausal.nltk_rules import split_sentences

ORDER = (VALID, INVALID, UNSURE)  # of a sheet's words
GivenAnswer = tuple[int, str | None, str | None]  # place in `ORDER`, side and kind of the reason
Path_ = str | os.PathLike[str] | Source


def sheet_of_answers(
    source: Path_,
    rater: str | None = None,  # by default the rater named in the file, if any
    only_judge: bool = False,  # leaves out items that are decided by their words
    is_test: bool = False,  # hides all verdicts; each item must have one
) -> Sheet:
    """Make the sheet of extracted causes and effects."""
    # Answers in a tool's file are kept, unless they are another rater's; verdicts of other files
    # are not shown.
    file = Source.open(source)
    if "claims" in entries_of_topic(file):
        remedy = Remedy("against", ("FILE",), "would name the articles that judge them")
        raise InputError(f"{file.name} has claims", remedy)
    [items] = keyed([read_file(file, file.name, "")])
    require_unique(items.keys, items.records.locate, items.id_of)
    kept = list(_choose_rows(file, items)) if only_judge else list(range(len(items.ids)))
    if not kept:
        raise InputError(f"{file.name}: no item is left to judge")
    if is_test:
        expected_labels(file)
    document = _tool_document(file, items)
    user = "" if document is None or is_test else document["username"]
    name = user if rater is None else rater
    text = _tool_text(items) if document is None else _insert_answers(file.text)
    is_shown = document is not None and name == user and not is_test
    given = _read_answers(items) if is_shown else [None] * len(items.ids)
    return Sheet(
        "answers",
        _stem(file),
        name,
        _tool_file(text, kept),
        [given[k] for k in kept],
        [_item(items, k) for k in kept],
        {"words": ['"valid"', '"invalid"', '"unsure"'], "parts": [SIDES, KINDS]},
    )


def sheet_of_claims(source: Path_, against: Path_, rater: str | None = None) -> Sheet:
    """Make the sheet of one side's claims, judged by the articles of the other side."""
    file = Source.open(source)
    judged, judging = read_claim_file(file), read_claim_file(against)
    if judged.side == judging.side:
        raise InputError(f"{judged.name} and {judging.name} are both of the {judged.side}")
    articles = {topic.name: topic.article for topic in judging.topics}
    missing = [topic.name for topic in judged.topics if topic.name not in articles]
    if missing:
        raise InputError(f'{judging.name}: no topic "{missing[0]}", which {judged.name} has')
    claims = list(_claims(judged))
    if not claims:
        raise InputError(f"{file.name} has no claims")
    cut = {name: [*_cut_sentences(article)] for name, article in articles.items()}
    answers = []
    for topic, claim in claims:
        known = dict.fromkeys(sentence for _, sentence in cut[topic])
        if strange := [each for each in claim.support if each not in known]:
            where = f'{judged.name}: topic "{topic}": claim {shown(claim.text)}'
            raise InputError(
                f'{where}: "support" has {shown(strange[0])}, which is no sentence of the article '
                f"in {judging.name}"
            )
        support = [each for each in known if claim.judgment and each in claim.support]
        answers.append(None if claim.judgment is None else (int(not claim.judgment), support))
    text, names = without_members(file.text, _records(file.text), "support"), list(articles)
    judgments = (dict(members(text, start))["judgment"] for start, _ in _records(text))
    slots = [(place, k) for k, place in enumerate(judgments)]
    return Sheet(
        "claims",
        _stem(file),
        rater or "",
        cut_slots(text, slots),
        answers,
        [
            {"id": topic, "claim": c.text, "sentence": c.sentence, "article": names.index(topic)}
            for topic, c in claims
        ],
        {"words": ["true", "false"], "by": judging.side, "articles": [*cut.values()]},
    )


def _cut_sentences(article: str) -> Iterator[tuple[str, str]]:
    """Yield the sentences of an article, each behind the text before it; perhaps an empty last."""
    at = 0
    for sentence in split_sentences(article):
        start = article.index(sentence, at)
        yield article[at:start], sentence
        at = start + len(sentence)
    if at < len(article):
        yield article[at:], ""


def _stem(file: Source) -> str:
    return "answers" if file.name == "<stdin>" else Path(file.name).stem


def _choose_rows(file: Source, items: ExtractionFile) -> Iterator[int]:
    """Yield the rows that triage leaves to people, including unparsed answers."""
    scored = answers(file, unparsed="skip").per_item.to_pylist()
    triage = {(row.get("system") or "", row["item"]): row["triage"] for row in scored}
    keys = zip(items.systems.to_pylist(), items.ids.to_pylist(), strict=True)
    for k, key in enumerate(keys):
        if triage.get(key, "judge") == "judge":
            yield k


def _read_answers(items: ExtractionFile) -> list[GivenAnswer | None]:
    """Return the answer to each item, with side and kind of its reason."""
    given: list[GivenAnswer | None] = [None] * len(items.ids)
    ratings = items.ratings
    rows = zip(ratings.item.tolist(), ratings.valid.tolist(), ratings.reasons.tolist(), strict=True)
    for row, valid, (side, kind) in rows:
        if valid in ORDER:
            reason = None if side < 0 else SIDES[side], None if kind < 0 else KINDS[kind]
            given[row] = (ORDER.index(valid), *reason)
    return given


def _tool_document(file: Source, items: ExtractionFile) -> dict[str, Any] | None:
    """Return the JSON of a tool's file with only answers as verdicts, or None."""
    try:
        document = json.loads(file.text)
    except ValueError:
        return None
    if not isinstance(document, dict) or "items" not in document:
        return None
    elsewhere = {*VERDICTS} & {*items.records.names} - {"answer", items.reference}
    return document if isinstance(document.get("username"), str) and not elsewhere else None


def _insert_answers(text: str) -> str:
    """Cut reasons out of a tool's file, and write null into the items without an answer."""
    places = members(text, dict(members(text, root(text)))["items"][0])
    text = without_members(text, (place for _, place in places), "reason")
    items = members(text, dict(members(text, root(text)))["items"][0])
    ends = [stop - 1 for _, (start, stop) in items if "answer" not in dict(members(text, start))]
    parts = cut_slots(text, [((end, end), 0) for end in ends])
    return "".join(part if isinstance(part, str) else ', "answer": null' for part in parts)


def _tool_text(items: ExtractionFile) -> str:
    """Write items in the tool's form, with their other columns."""
    texts = [items.texts[name].to_pylist() for name in ("source", "reference", "answer")]
    rows = zip(items.ids.to_pylist(), *texts, items.columns.to_pylist(), strict=True)
    written = [
        {name: value for name, value in columns.items() if _is_kept(name, value)}
        | {
            "id": key,
            "data": {"text": source or "", "reference": reference, "model": answer},
            "answer": None,
        }
        for key, source, reference, answer, columns in rows
    ]
    document = {"username": "", "items": written}
    return json.dumps(document, indent=2, ensure_ascii=False, default=str) + "\n"


def _is_kept(name: str, value: Any) -> bool:
    """Return False for NaN, which JSON lacks, and for reasons, which raters give."""
    return bool(value == value) and name != "reason"


def _tool_file(text: str, kept: list[int]) -> Slotted:
    """Cut answers, user name and dropped items out of a tool's file."""
    places = dict(members(text, root(text)))
    items = [place for _, place in members(text, places["items"][0])]
    if len(kept) < len(items):
        between = text[items[0][1] : items[1][0]]
        rows = between.join(text[slice(*items[k])] for k in kept)
        return _tool_file(text[: items[0][0]] + rows + text[items[-1][1] :], list(range(len(kept))))
    slots = [(dict(members(text, start))["answer"], k) for k, (start, _) in enumerate(items)]
    return cut_slots(text, [(places["username"], RATER), *slots])


def _item(items: ExtractionFile, row: int) -> dict[str, Any]:
    source, reference, answer = (
        items.texts[name][row].as_py() or "" for name in ("source", "reference", "answer")
    )
    parsed = [parse_guide(text) for text in (reference, answer)]
    spans = [() if side is None else side.cause + side.effect for side in parsed]
    known = words_by_letters(source)
    return {
        "id": items.ids[row].as_py(),
        "source": marked_source(source, *spans),
        "reference": _side(reference, parsed[0], None),
        "model": _side(answer, parsed[1], known if source else None),
    }


def _side(text: str, parsed: Parsed | None, known: set[str] | None) -> dict[str, Any]:
    """Return the content of one side, with marks if the words of the source are known."""

    def marked(spans: Iterable[str], known: set[str] | None = known) -> list[list[Piece]]:
        return [[(s, 0)] if known is None else marked_span(s, known) for s in spans]

    if parsed is None:
        return {"unread": marked([text])[0]}
    relation = [] if parsed.relation is None else [parsed.relation]
    roles = {"cause": marked(parsed.cause), "effect": marked(parsed.effect)}
    return roles | ({"relation": marked(relation, None)} if relation else {})


def _claims(file: ClaimFile) -> Iterator[tuple[str, Claim]]:
    for topic in file.topics:
        for claim in topic.claims:
            yield topic.name, claim


def _records(text: str) -> Iterator[Place]:
    """Yield the place of every claim with its judgment in a file of claims, in order."""
    for _, (topic, _) in members(text, root(text)):
        claims = dict(members(text, topic))["claims"][0]
        for _, place in members(text, claims):
            if text[place[0]] == "[":
                yield from (each for _, each in members(text, place[0]))
            else:
                yield place

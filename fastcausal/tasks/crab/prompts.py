"""Prompts that ask a model about judged pairs or questions."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.arrays import arrow
from fastcausal.errors import InputError, Problems
from fastcausal.files.files import Source
from fastcausal.files.keys import require_unique
from fastcausal.files.records import Records, read_records
from fastcausal.options import AnswerTask, PromptFormat, check
from fastcausal.report.groups import Scores
from fastcausal.report.report import Report
from fastcausal.significance.draws import check_count
from fastcausal.tasks.crab.batches import requests
from fastcausal.tasks.crab.files import CLASSES, read_pairs
from fastcausal.tasks.crab.prompt_texts import TEMPLATES
from fastcausal.tasks.crab.questions import choices_of, read_questions

N = len(CLASSES)  # causes of a question
SIDES = {
    "pairs": [(f"event_{side}", f"article_id_{side}", f"article_{side}") for side in "ab"],
    "questions": [
        ("effect", "article_id_effect", "article_effect"),
        *((f"{i}_cause", f"{i}_article_id", f"{i}_article") for i in range(N)),
    ],
}
"""Columns of the text, the article's id and the article of every event."""
ANSWERS = {"score", "class", "answer", *(f"{i}_score" for i in range(N))}  # never in a prompt
_WORD = re.compile(r"\S+")
_SENTENCE_END = re.compile(
    r"(?<!\b[A-Z])(?<!\b(?:Mr|Ms|Dr|Lt|No|St|vs))(?<!\b(?:Mrs|Gen|Gov|Rep|Sen))(?<!\bProf)"
    r"[.!?…][\"'”’»)\]]*(?=\s+[^\sa-z0-9]|\Z)|\n\s*\n"
)


PromptReport = Report
"""The prompts for judged pairs or questions.

Attributes
----------
prompts : pyarrow.Table
    ``id`` and ``prompt`` in the order of gold, or the requests of a batch.
"""


@dataclass(frozen=True, eq=False)
class _Asked:
    """Pairs or questions: their ids in the order of gold, and the letter of every cause."""

    records: Records
    ids: pa.Array
    letters: Any = None

    @classmethod
    def of(cls, gold: Any, task: AnswerTask) -> _Asked:
        """Read judged pairs, or questions for task mcq."""
        if task == "mcq":
            records = read_questions(gold).records
            rows = arrow.numbers(np.arange(len(records)))
            return cls(records, rows.cast(pa.string()), choices_of(records, Problems()))
        pairs = read_pairs(gold)
        return cls(pairs.records, pairs.ids().take(arrow.numbers(np.argsort(pairs.rows))))

    @property
    def sides(self) -> list[tuple[str, str, str]]:
        return SIDES["pairs" if self.letters is None else "questions"]

    def texts(self, problems: Problems) -> list[list[str]]:
        """Return the text of each event of each row; report missing ones."""
        columns = [_filled(self.records, text, problems) for text, _, _ in self.sides]
        return [list(row) for row in zip(*columns, strict=True)]

    def articles(self, source: Any, problems: Problems) -> list[list[str]]:
        """Return the article of each event of each row, from a file of articles or from gold."""
        if source is None:
            self.records.require(self.sides[0][2])
            columns = [_filled(self.records, article, problems) for _, _, article in self.sides]
            return [list(row) for row in zip(*columns, strict=True)]
        known = _articles(read_records(source, "articles"), problems)
        topics = self.records.keys("topic_id").to_pylist()
        columns = [self.records.keys(name).to_pylist() for _, name, _ in self.sides]
        rows = []
        for k, (topic, *articles) in enumerate(zip(topics, *columns, strict=True)):
            for article in dict.fromkeys(articles):
                if (topic, article) not in known:
                    where = self.records.locate(k)
                    problems.add(f'{where}: no article "{article}" of topic {topic}')
            rows.append([known.get((topic, article), "") for article in articles])
        return rows

    def variables(self, texts: list[list[str]], articles: list[list[str]]) -> Iterator[Any]:
        """Yield the variables of each prompt: events, articles and gold's columns, no answers."""
        own = ANSWERS.union(*self.sides)
        columns = [name for name in self.records.names if name not in own]
        carried = self.records.table.select(columns).to_pylist() if columns else [{}] * len(texts)
        for k, (row, events, told) in enumerate(zip(carried, texts, articles, strict=True)):
            yield row | {"articles": [*dict.fromkeys(told)]} | self._events(k, events, told)

    def _events(self, k: int, events: list[str], told: list[str]) -> dict[str, Any]:
        if self.letters is None:
            return dict(zip(("event_a", "event_b", "article_a", "article_b"), events + told,
                            strict=True))  # fmt: skip
        causes = [
            {"letter": CLASSES[code], "text": text, "article": article}
            for code, text, article in zip(self.letters[k], events[1:], told[1:], strict=True)
        ]
        causes.sort(key=lambda cause: cause["letter"])
        return {"effect": events[0], "article_effect": told[0], "causes": causes}


def texts_of_pairs(
    records: Records, articles: Any, problems: Problems
) -> tuple[list[list[str]], list[list[str]]]:
    """Return the texts of the two events of each pair, and of their articles."""
    asked = _Asked(records, pa.nulls(len(records)))
    return asked.texts(problems), asked.articles(articles, problems)


def prompts(
    gold: Any,
    articles: Any = None,
    task: AnswerTask = "score",
    *,
    template: str | os.PathLike[str] | None = None,
    words: int = 250,
    format: PromptFormat = "lines",
    model: str | None = None,
) -> PromptReport:
    """Write the prompts that ask a model about pairs or questions (CRAB, section 5).

    Answers with the ``id`` of their prompt can be scored by `pairwise`, `frames`, `chains`, `sweep`
    or `graded`.

    Parameters
    ----------
    gold : path, table or list of mappings
        Judged pairs, or for task mcq questions, with texts; - for stdin. Texts are ``event_a`` and
        ``event_b``, of questions ``effect`` and ``{i}_cause``.
    articles : path, table or list of mappings, optional
        Articles: topic_id, article_id, text; by default those of gold. These are ``article_a`` and
        ``article_b``, or ``article_effect`` and ``{i}_article``.
    task : {"score", "multiclass", "three", "binary", "mcq"}
        Ask for this.
    template : path, optional
        Make prompts of this jinja2 template, not of the task's own. Its variables are ``articles``,
        each once; ``event_a``, ``event_b``, ``article_a``, ``article_b``, or ``effect``,
        ``article_effect`` and ``causes`` (``letter``, ``text``, ``article``); and gold's other
        columns without scores and classes.
    words : int
        Clip articles to so many words and the end of their sentence.
    format : {"lines", "openai-batch"}
        Write id and prompt, or requests of an OpenAI batch.
    model : str, optional
        Name this model in requests.

    Returns
    -------
    PromptReport

    Raises
    ------
    InputError
        A source cannot be read, an article or a text is missing, or the template fails.
    ValueError
        The task or format is unknown, or requests have no model.

    References
    ----------
    Romanou et al. (2023), CRAB, appendix A.2: articles of 250 words, to the end of the sentence.

    Examples
    --------
    >>> import fastcausal as fc
    >>> pair = {"topic_id": 4, "event_order_a": 1, "event_order_b": 2, "score": 90}
    >>> pair |= {"event_a": "It rains", "event_b": "The dam breaks"}
    >>> pair |= {"article_id_a": 1, "article_id_b": 1}
    >>> text = "It rained until the dam broke. Help came late."
    >>> articles = [{"topic_id": 4, "article_id": 1, "text": text}]
    >>> asked = fc.crab.prompts([pair], articles, "binary", words=3).prompts
    >>> asked["id"][0].as_py()
    '4/1/2'
    >>> print(asked["prompt"][0].as_py())
    Document 1:
    It rained until the dam broke.
    <BLANKLINE>
    Event 1: It rains
    Event 2: The dam breaks
    <BLANKLINE>
    Did event 1 cause event 2? Answer with one word, yes or no.
    """
    check("task", task, AnswerTask)
    check("format", format, PromptFormat)
    check_count("words", words)
    if (format == "openai-batch") != (model is not None):
        raise ValueError(f"model is {model!r}, expected a name for requests, and for these alone")
    render = _Template(template, task)
    asked = _Asked.of(gold, task)
    problems = Problems()
    events, told = asked.texts(problems), asked.articles(articles, problems)
    problems.raise_if_any()
    short = {text: clipped(text, words) for row in told for text in row}
    told = [[short[text] for text in row] for row in told]
    ids = asked.ids.to_pylist()
    rendered = zip(ids, asked.variables(events, told), strict=True)
    made = pa.table(
        {"id": asked.ids, "prompt": [render(name, values) for name, values in rendered]}
    )
    n_clipped = sum(clip != text.strip() for text, clip in short.items())
    numbers = {"n_prompts": len(made), "n_articles": len(short), "n_clipped": n_clipped}
    return PromptReport(
        f"{len(made)} prompts, {n_clipped} of {len(short)} articles clipped to {words} words",
        f"fastcausal|{__version__}|crab-prompts|task:{task}|template:{render.name}|words:{words}",
        {task: Scores(numbers)},
        facts={"prompts": made if model is None else requests(made, model)},
        keys=("signature", "scores", "warnings"),
    )


def clipped(text: str, words: int) -> str:
    """Return the first words of a text and the rest of the sentence they end in.

    >>> clipped(" It rains,  and Dr. Wu rains. It ends. ", 3), clipped(" It rains ", 3)
    ('It rains,  and Dr. Wu rains.', 'It rains')
    """
    # A sentence ends at a mark before a blank, unless a small letter or a digit follows, or an
    # abbreviation precedes; or at a blank line, or with the text.
    text = text.strip()
    for k, word in enumerate(_WORD.finditer(text), 1):
        if k == words:
            end = _SENTENCE_END.search(text, word.start())
            return text[: end.end() if end else len(text)].rstrip()
    return text


class _Template:
    """A template for prompts, by the user or of a task."""

    def __init__(self, path: str | os.PathLike[str] | None, task: AnswerTask) -> None:
        from jinja2 import TemplateSyntaxError

        source = None if path is None else Source.open(path)
        self.name = task if source is None else source.name
        try:
            self._template = _compiled(TEMPLATES[task] if source is None else source.text)
        except TemplateSyntaxError as error:
            raise InputError(f"{self.name}:{error.lineno}: {error.message}") from error

    def __call__(self, name: str, variables: Mapping[str, Any]) -> str:
        """Make the prompt of a pair or question."""
        try:
            prompt: str = self._template.render(variables)
        except Exception as error:  # a template is a program: anything may fail
            known = ", ".join(variables)
            raise InputError(
                f'{self.name}:{_line(error)}: {str(error) or type(error).__name__}, for "{name}"; '
                f"the variables are {known}"
            ) from error
        if not prompt.strip():
            raise InputError(f'{self.name}: the prompt for "{name}" is blank')
        return prompt


@lru_cache(16)  # each compilation keeps memory
def _compiled(source: str) -> Any:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(source)


def _line(error: Exception) -> int:
    """Return the number of the line at which a template failed."""
    line, trace = 1, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _filled(records: Records, name: str, problems: Problems) -> list[str]:
    """Return a column of texts; report missing and blank ones."""
    texts = [text or "" for text in records.texts(name).to_pylist()]
    for row, text in enumerate(texts):
        if not text.strip():
            problems.add(f'{records.locate(row)}: "{name}" is missing or blank, expected a text')
    return texts


def _articles(records: Records, problems: Problems) -> dict[tuple[str, str], str]:
    """Return the text of each article by topic and id."""
    topics, ids = records.keys("topic_id"), records.keys("article_id")
    texts = _filled(records, "text", problems)
    keys = [*zip(topics.to_pylist(), ids.to_pylist(), strict=True)]
    require_unique(
        pa.array([str(key) for key in keys]),
        records.locate,
        lambda row: f'article "{keys[row][1]}" of topic {keys[row][0]}',
    )
    return dict(zip(keys, texts, strict=True))

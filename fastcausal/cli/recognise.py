"""What a file is, as the readers of formats and tasks tell it: they are asked in turn."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastcausal.cli.console import phrase_reason
from fastcausal.errors import InputError, counted, format_some
from fastcausal.formats.reading.builder import UnreadError
from fastcausal.options import AUTO, CLUSTERS, AnswerTask, MissingPolicy

if TYPE_CHECKING:
    from fastcausal.files.records import Records
    from fastcausal.relations import Relations
    from fastcausal.tasks.values.answers import ValueAnswers
    from fastcausal.tasks.values.reading import ValueReading

LARGE = 1 << 30  # bytes of a file that is not read for its own sake
MANY = 50_000  # entries of a folder that is not searched
FEW = 200  # systems of a table, at most
LONGEST = 400  # characters of a finding
# Names of columns, the first that a table has
ITEMS = (
    "id", "doc_id", "item", "item_id", "sample_id", "example_id", "question_id", "example", "index",
    "qid", "uid", "key",
)  # fmt: skip
SYSTEMS = (
    "system", "model", "run", "system_name", "model_name", "run_name", "system_id", "model_id",
    "run_id", "method", "agent",
)  # fmt: skip
SAMPLES = (
    "epoch", "sample", "seed", "trial", "attempt", "repeat", "repetition", "replicate", "rank",
)  # fmt: skip
SCORES = ("score", "correct", "is_correct", "accuracy", "acc", "match", "exact_match", "f1")
# In names of scores, which are no names of systems
METRIC = re.compile(
    r"score|correct|acc|match|f_?[1-9]|precision|recall|rouge|bleu|faithful|releva|quality|rate|"
    r"loss|len|count|num|prob|sim|kappa|auc|mark|judge|cost|time|token|pass|error|conf|rank",
    re.IGNORECASE,
)
ANSWERS = ("output", "answer", "response", "completion", "prediction", "generation", "raw", "text")
EMPTY, SKIP = ("--unparsed", "empty"), ("--missing", "skip")
OptionWords = tuple[str, ...]


@dataclass
class Recognised:
    """What is known of a file; ``format`` is None if nothing reads it."""

    file: str
    format: str | None = None
    rows: int | None = None
    systems: dict[str, Any] | None = None  # ``column`` and ``names``
    samples: dict[str, Any] | None = None  # ``column``, and ``n``: the most answers of an item
    columns: list[str] = field(default_factory=list)
    clusters: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    # For commands: files of one family belong together, each on its side
    family: str = ""
    side: str = ""
    options: tuple[OptionWords, ...] = ()
    ids: frozenset[str] | None = None
    source: Any = None  # a part of the file, to read in its place

    def to_dict(self) -> dict[str, Any]:
        """Return what is printed as JSON."""
        hidden = ("family", "side", "options", "ids", "source")
        return {each.name: getattr(self, each.name) for each in fields(self)
                if each.name not in hidden}  # fmt: skip

    def add_finding(self, text: object) -> None:
        """Add a text of one line and limited length."""
        said = phrase_reason(text) if isinstance(text, Exception) else str(text)
        line = " ".join(said.split())
        self.findings.append(line if len(line) <= LONGEST else f"{line[: LONGEST - 3]}...")


def recognise(file: str) -> Recognised:
    """Return what a file or folder is; InputError if it is not there."""
    path, found = Path(file), Recognised(file)
    try:
        if not path.exists():
            raise InputError(f"{file}: no such file")
        if not (path.is_dir() or path.is_file()):
            found.add_finding("is neither a file nor a folder")
            return found
        is_empty = path.is_file() and not path.stat().st_size
        is_large = path.is_file() and path.stat().st_size > LARGE
        is_wide = path.is_dir() and len([*islice(_walk(path), MANY)]) == MANY
    except (OSError, ValueError) as error:  # a null byte, a name too long
        raise InputError(f"{file}: {getattr(error, 'strerror', None) or error}") from error
    if is_empty or is_large or is_wide:
        found.add_finding("is empty" if is_empty else "is too large to look through")
        return found
    faults = [*_ask(found, FOLDERS if path.is_dir() else FILES)]
    if found.format is None and faults:
        found.add_finding(re.split("[;,] give a format", faults[-1])[0])
    return found


def _walk(folder: Path) -> Iterator[str]:
    for _, folders, files in os.walk(folder):
        yield from folders
        yield from files


def _ask(found: Recognised, readers: Sequence[Callable[[Recognised], None]]) -> Iterator[str]:
    """Ask readers in turn until one has told the format; yield the faults that others found."""
    for read in readers:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                read(found)
        except (ValueError, OSError, RecursionError) as error:  # the file is not of this kind
            yield phrase_reason(error)
        if found.format is not None:
            return


# Folders


def _ask_sweep(found: Recognised) -> None:
    from fastcausal.sweeps.folder import counts_of_runs

    if runs := counts_of_runs(found.file):
        found.format, found.rows, found.family = "sweep", len(runs), "board"
        found.systems = {"column": "run", "names": sorted(runs)}


def _ask_logs(found: Recognised) -> None:
    from fastcausal.sweeps.systems import list_logs
    from fastcausal.tasks.values.reading import ValueReading

    logs = list_logs(found.file)
    if not logs:
        return
    parts = [recognise_log(os.fspath(log)) for log in logs]
    known = [part for part in parts if part.format is not None]
    if not known:
        return
    found.format, found.rows = known[0].format, sum(part.rows or 0 for part in known)
    for part in known:
        found.findings += [f"{Path(part.file).name}: {text}" for text in part.findings]
    found.options = tuple(dict.fromkeys(chain.from_iterable(part.options for part in known)))
    if len(logs) == 1 and logs[0] == Path(found.file):
        found.family, found.ids, found.samples = "values", known[0].ids, known[0].samples
    else:
        found.family = "board"
        found.systems = {"column": "log", "names": [log.name for log in logs]}
        shared = frozenset.intersection(*(part.ids or frozenset() for part in known))
        if any(part.ids != shared for part in known):
            found.add_finding("ids of one side: logs have other ids")
            found.options += (SKIP,) if SKIP not in found.options else ()
        scores = tuple(score for option, score in found.options if option == "--score")
        _require_joint(found, found.file, ValueReading(scores=scores[:1]))


def recognise_log(file: str) -> Recognised:
    """Return what a log is: a file, or a folder of one run."""
    found = Recognised(file)
    for fault in _ask(found, (_ask_values,)):
        found.add_finding(fault)
    return found


def _ask_corpus_of_pairs(found: Recognised) -> None:
    from fastcausal.tasks.eci.corpora import is_corpus, read_corpus

    if is_corpus(found.file):
        records = read_corpus(found.file)
        _tell(found, "pairs of events", "pairs", "gold", records.names, len(records))


# Files


def _ask_counts(found: Recognised) -> None:
    from fastcausal.counts.systems import is_counts, read_systems

    if not is_counts(found.file):
        return
    systems = read_systems(found.file)
    first = next(iter(systems.values()))
    units = [each.units for each in systems.values() if each.units is not None]
    names = units[0].column_names if units else []
    n_rows = sum(each.n_units for each in systems.values())
    _tell(found, "counts", "values", "", names, n_rows)
    if units:
        found.clusters = [name for name in CLUSTERS if name in names and _repeats(units[0][name])]
        if "id" in names:
            found.ids = frozenset(units[0]["id"].cast("string").to_pylist())
    if len(systems) > 1:
        found.systems, found.family = {"column": "system", "names": [*systems]}, "board"
    if not first.formula.holds_values:
        found.options = ()


def _ask_values(found: Recognised) -> None:
    """Recognise a log or an export; a table of values is for `_ask_table`."""
    from fastcausal.tasks.values.files import holds_values, read_answers
    from fastcausal.tasks.values.logs import UnnamedScoreError
    from fastcausal.tasks.values.reading import ValueReading

    is_folder = Path(found.file).is_dir()
    if not (is_folder or holds_values(found.file, ValueReading())):
        return
    reading, options = ValueReading(missing="skip", cluster=AUTO), list[OptionWords]()
    try:
        systems = read_answers(found.file, reading)
    except UnnamedScoreError as error:
        found.add_finding(f"{len(error.known)} scores: {', '.join(error.known)}")
        for score in error.known:
            reading = replace(reading, scores=(score,))
            with suppress(InputError):  # its values are no numbers
                systems = read_answers(found.file, reading)
                options.append(("--score", score))
                break
        else:
            raise
    if not isinstance(systems, list) or systems[0].about.get("format") == "table":
        found.findings.clear()
        return
    columns = ["id", *systems[0].scores, *systems[0].columns]
    _tell(found, str(systems[0].about.get("format")), "values", "", columns, 0)
    _tell_answers(found, systems, options)
    _require_joint(found, found.file, reading)


def _require_joint(found: Recognised, source: Any, reading: ValueReading) -> None:
    """Try the systems of a source beside each other; without success tell why, and no commands."""
    from fastcausal.sweeps.systems import load_systems

    policies: tuple[MissingPolicy, ...] = ("skip", "zero") if SKIP in found.options else ("error",)
    for policy in policies:
        try:
            load_systems([source], replace(reading, missing=policy))
        except ValueError as error:
            fault = error
        else:
            own = ("--missing", policy)
            found.options = tuple(own if o == SKIP else o for o in found.options)
            return
    found.add_finding(fault)
    found.family = ""


def _tell_answers(
    found: Recognised, systems: Sequence[ValueAnswers], options: Sequence[OptionWords]
) -> None:
    """Tell of answers: systems, samples, clusters, and what is missing or constant."""
    import numpy as np

    found.rows = sum(len(each.ids) for each in systems)
    found.options = tuple(options)
    found.clusters = [n for n in CLUSTERS if any(_repeats(each.columns.get(n)) for each in systems)]
    name = next(iter(systems[0].scores))
    every = [frozenset(each.ids.to_pylist()) for each in systems]
    found.ids = frozenset.union(*every)
    most = max((_count_most(each.ids) for each in systems), default=0)
    if most > 1 and found.samples is None:
        found.samples = {"column": "epoch", "n": most}
    skips = False
    for each in systems:
        values = each.scores[name][0]
        who = f"{each.system}: " if len(systems) > 1 else ""
        if crashed := int(np.count_nonzero(each.errors)) if each.errors is not None else 0:
            found.add_finding(f"{who}{counted(crashed, 'crashed answer')}")
        if (missing := int(np.isnan(values).sum()) - crashed) > 0:
            found.add_finding(f"{who}{counted(missing, 'missing value')} of {name}")
        skips |= bool(np.isnan(values).any())
        some = values[~np.isnan(values)]
        if len(some) > 1 and (some == some[0]).all():
            found.add_finding(f"{who}constant score: {name} is {some[0]:g} in all answers")
    if len(systems) > 1:
        found.family = "board"
        column = (found.systems or {}).get("column", "system")
        found.systems = {"column": column, "names": [str(each.system) for each in systems]}
        skips |= _tell_ids_of_one_side(found, every)
    if skips:
        found.options += (SKIP,)


def _tell_ids_of_one_side(found: Recognised, every: Sequence[frozenset[str]]) -> bool:
    """Tell of ids that some systems lack; return True for any."""
    shared = frozenset.intersection(*every)
    alone = sorted(frozenset.union(*every) - shared)
    if alone:
        lack = "id is" if len(alone) == 1 else "ids are"
        found.add_finding(
            f"ids of one side: {len(alone)} {lack} not of all systems{format_some(alone)}"
        )
    return bool(alone)


def _ask_relations(found: Recognised) -> None:
    import fastcausal as fc
    from fastcausal.formats.reading.opening import opened

    source = found.source or found.file
    known = opened(source)
    format = getattr(getattr(known, "format", None), "name", None)
    relations = fc.read(source)
    if not len(relations):
        return
    if _count_unread(relations) == len(relations):  # answers without any relation
        return
    _tell_relations(found, format or _format_in(found.file), relations)


def _format_in(folder: str) -> str:
    """Return the format of the files in a folder, or in a zip of a project."""
    from fastcausal.formats.declared import FORMATS
    from fastcausal.formats.reading.folders import files_of

    if not Path(folder).is_dir():
        return "project"
    known, files = files_of(folder, FORMATS)
    if known is not None:
        return known.name
    from fastcausal.formats.reading.opening import opened

    return str(opened(files[0]).format.name)


def _count_unread(relations: Relations) -> int:
    return len(relations.unparsed["id"].unique())


def _tell_relations(
    found: Recognised, format: str, relations: Relations, options: tuple[OptionWords, ...] = ()
) -> None:
    is_pred = relations.reading.predicted or bool(options)
    names = relations.table.column_names
    _tell(found, format, "relations", "pred" if is_pred else "", names, len(relations))
    found.clusters = [n for n in CLUSTERS if n in names and _repeats(relations.table[n])]
    found.options = options
    if unread := _count_unread(relations):
        found.add_finding(f"unread relations: {counted(unread, 'example')} of {len(relations)}")
        found.options += (EMPTY,)
    if format == "fincausal":
        found.options += (("--protocol", "fincausal-2020"),)
        found.options = tuple(each for each in found.options if each != EMPTY)
    if relations.ids is not None and not relations.reading.predicted:
        found.ids = frozenset(map(str, relations.ids.to_pylist()))


def _ask_annotation(found: Recognised) -> None:
    """Recognise a format by its content, of a file that cannot be read as it is."""
    import fastcausal as fc
    from fastcausal.formats.reading.format import Format
    from fastcausal.formats.reading.opening import opened

    known = opened(found.file)
    format = getattr(known, "format", None)
    if not isinstance(format, Format) or not (format.marks or format.key or _sniffs(format, known)):
        return
    if format.key or format.marks:  # tables and JSON lines of any content
        return
    try:
        fc.read(found.file)
    except ValueError as error:
        _tell(found, format.name, "", "", [], None)
        found.add_finding(error)


def _sniffs(format: Any, known: Any) -> bool:
    return format.sniff is not None and known.content is not None and format.sniff(known.content)


def _ask_claims(found: Recognised) -> None:
    from fastcausal.files.files import Source
    from fastcausal.tasks.claims.files import entries_of_topic, read_claim_file

    file = Source.open(found.file)
    entries = entries_of_topic(file)
    if "claims" in entries:
        claims = read_claim_file(file)
        n_claims = sum(len(topic.claims) for topic in claims.topics)
        _tell(found, "claims", "claims", claims.side, [*entries], n_claims)
        found.ids = frozenset(topic.name for topic in claims.topics)
        given = [claim.judgment for topic in claims.topics for claim in topic.claims]
        if none := given.count(None):
            found.add_finding(f"{counted(none, 'claim')} without a judgment")
    elif any(name.startswith("best_prediction_") for name in entries):
        _tell(found, "preferences", "preferences", "rater", [*entries], len(_topics(file)))
    elif len(entries) > 1 and all(isinstance(v, str) for v in entries.values()):
        topics = _topics(file)
        if all(isinstance(v, dict) and v.keys() == entries.keys() for v in topics.values()):
            _tell(found, "key of preferences", "preferences", "key", [*entries], len(topics))


def _topics(file: Any) -> dict[str, Any]:
    document = file.document_to_store()
    return document if isinstance(document, dict) else {}


def _ask_extractions(found: Recognised) -> None:
    from fastcausal.tasks.answers.files import read_file

    items = read_file(found.file, found.file, "")
    names = items.records.names
    # A table with such names alone may be any
    if not names or not (len(items.ids) and any("[Cause]" in t for t in _first_texts(items))):
        return
    _tell(found, "answers", "answers", "", names, len(items.ids))
    found.ids = frozenset(items.ids.to_pylist())
    found.clusters = [name for name in CLUSTERS if name in names]
    if "system" in names:
        found.systems = {"column": "system", "names": items.systems.unique().to_pylist()}


def _first_texts(items: Any) -> Iterator[str]:
    for row in items.records.objects()[:20]:
        yield from (value for value in row.values() if isinstance(value, str))


def _ask_questions(found: Recognised) -> None:
    from fastcausal.tasks.qa import files

    try:
        questions = files.read_questions(found.file)
        if not len(questions.ids):
            return
        _tell(found, "questions", "qa", "gold", ["id", "question", "answers"], len(questions.ids))
        found.ids = frozenset(questions.ids.to_pylist())
    except ValueError:
        answers = files.read_answers(found.file)
        if len(answers.ids):
            _tell(found, "answers to questions", "qa", "pred", [], len(answers.ids))
            found.columns = ["id", "prediction_text"]
            found.ids = frozenset(answers.ids.to_pylist())


def _ask_table(found: Recognised) -> None:
    """Recognise a flat table by its columns."""
    from fastcausal.files.records import read_records

    records = read_records(found.file)
    found.columns, found.rows = records.names, len(records)
    for ask in TABLES:
        try:
            ask(found, records)
        except ValueError as error:
            if found.format is not None:
                found.add_finding(error)
        if found.format is not None:
            found.columns, found.rows = records.names, len(records)
            return


def _ask_several(found: Recognised, records: Records) -> None:
    """Recognise predictions of several systems, or several to an item, by the first part."""
    from fastcausal.formats.ranked import split_file
    from fastcausal.tasks.labels.files import RATERS

    item = records.find("id", "doc_id", "index")
    if item is None or records.find(*RATERS) is not None:
        return
    table = _Table(records, item)
    if not table.repeats():
        return
    table.find_roles()
    if table.system is None and table.sample is None:
        return
    parts = split_file(found.file, table.system, table.sample)
    part = Recognised(found.file, source=next(iter(parts.values())).sources[0])
    readers: list[Callable[[Recognised], None]] = [
        _ask_relations,
        *(partial(_ask_part, ask) for ask in (_ask_labels, _ask_choices, _ask_raw_answers)),
    ]
    for _ in _ask(part, readers):
        pass
    if part.family not in ("relations", "labels"):
        return
    side = "answers" if part.side == "answers" else "pred"
    _tell(found, str(part.format), part.family, side)
    found.ids, found.findings, found.options = part.ids, part.findings, part.options
    table.tell_roles(found)
    if table.system is not None:
        found.options += (("--system", table.system),)
    if table.sample is not None:
        found.options += (("--sample", table.sample),)


def _ask_part(ask: Callable[[Recognised, Records], None], found: Recognised) -> None:
    from fastcausal.files.records import read_records

    ask(found, read_records(found.source))


def _ask_fincausal(found: Recognised, records: Records) -> None:
    from fastcausal.tasks.qa.fincausal2025 import COLUMNS, read_rows

    if not all(name in records for name in COLUMNS):
        return
    rows = read_rows(found.file, found.file)
    more = [(f"--{o}", c) for o, c in (("similarity", "sas"), ("judge", "mark")) if c in records]
    _tell(found, "fincausal-2025", "qa", "pred" if more else "")
    found.options = (("--protocol", "fincausal-2025"), *more)
    found.ids = frozenset(rows.id.to_pylist())


def _ask_crab(found: Recognised, records: Records) -> None:
    from fastcausal.tasks.crab import files, questions

    if "0_choice" in records and "0_cause" in records:
        questions.read_questions(found.file)
        _tell(found, "crab questions", "crab", "questions")
    elif not all(name in records for name in files.KEY):
        return
    elif "rater" in records:
        _tell(found, "crab ratings", "crab", "ratings")
    elif answer := records.find("prediction", "answer"):
        _tell_crab_answers(found, records, answer)
    else:
        files.read_pairs(found.file)
        _tell(found, "crab", "crab", "gold")


def _tell_crab_answers(found: Recognised, records: Records, column: str) -> None:
    """Tell the task of answers by the way that reads most of them."""
    import numpy as np

    from fastcausal.tasks.crab.parse import REASONS, parse_column

    best: tuple[AnswerTask, int] = ("score", len(records))
    tasks: tuple[AnswerTask, ...] = ("score", "multiclass", "binary")
    for task in tasks:
        why = [parse_column(chunk, task)[1] for chunk in records.answers(column).chunks]
        unread = sum(int(np.count_nonzero(each != REASONS.index("read"))) for each in why)
        if unread < best[1]:
            best = task, unread
    task, unread = best
    if unread == len(records):
        return
    _tell(found, "crab answers", "crab", "answers")
    found.options = (("--task", task),) if task != "score" else ()
    if unread:
        found.add_finding(f"unread answers: {unread} of {len(records)}")
        found.options += (EMPTY, ("--unmatched", "empty"))


def _ask_indexed_answers(found: Recognised, records: Records) -> None:
    """Recognise answers to pairs or questions of CRAB that are told by their place."""
    if {*records.names} != {"index", "prediction"}:
        return
    _tell_crab_answers(found, records, "prediction")


def _ask_event_lists(found: Recognised, records: Records) -> None:
    from fastcausal.tasks.crab.event_lists import _documents

    if {*records.names} == {"id", "events"}:
        ids, _ = _documents(records)
        _tell(found, "lists of events", "events", "")
        found.ids = frozenset(ids.to_pylist())


def _ask_pairs(found: Recognised, records: Records) -> None:
    from fastcausal.tasks.eci import files
    from fastcausal.tasks.eci.labels import labels_of

    if files.is_pairs(found.file):
        table = files.open_table(found.file, "causal", files.GOLD)
        _tell(found, "pairs of events", "pairs", "")
        pairs = files.read_pairs(table, labels_of())
        found.ids = frozenset(pairs.documents.to_pylist())
        found.clusters = [n for n in CLUSTERS if n in records and _repeats(records.column(n))]
    elif all(name in records for name in ("doc_id", "sentence", "text")):
        _tell(found, "sentences of events", "pairs", "texts")
    elif all(name in records for name in ("doc_id", "event")):
        files.read_candidates(found.file)
        _tell(found, "events", "pairs", "candidates")


def _ask_labels(found: Recognised, records: Records) -> None:
    from fastcausal.tasks.classification import files
    from fastcausal.tasks.labels.files import RATERS, UNITS, read_rating_files
    from fastcausal.tasks.labels.report import label_agreement

    if records.find(*RATERS) is not None and "label" in records and records.find(*UNITS):
        family = "judgments" if "item" in records else "ratings"
        label_agreement(read_rating_files([found.file], "label"), "label", "unit", "rater")
        _tell(found, "judgments", family, "human")
        found.options = (("--labels", "label"),)
        if "system" in records:
            names = records.keys("system").unique().to_pylist()
            found.systems = {"column": "system", "names": names}
        _tell_constant(found, records, "label")
        return
    if (label := records.find(*files.LABELS)) is None:
        return
    labels = files.read(records)
    distinct = labels.values.drop_null().unique()
    if not len(distinct) or len(distinct) > max(FEW, 1) or str(labels.values.type) == "double":
        return
    _tell(found, "labels", "labels", "gold" if label == "label" else "pred")
    found.ids = None if labels.ids is None else frozenset(map(str, labels.ids.to_pylist()))
    if labels.values.null_count:
        found.add_finding(f"{counted(labels.values.null_count, 'missing value')} of {label}")
    _tell_constant(found, records, label)
    found.clusters = [n for n in CLUSTERS if n in records and _repeats(records.column(n))]
    if "question" in records:
        found.options = (("--answers", _kind_of(distinct.to_pylist())),)


def _kind_of(values: Sequence[Any]) -> str:
    """Return the kind of answers whose options are these."""
    words = {str(value).strip().casefold() for value in values}
    if words <= {"yes", "no", "true", "false", "1", "0", "entailment", "contradiction", "neutral"}:
        return "binary"
    return "letter" if all(re.fullmatch("[a-z]", word) for word in words) else "choice"


def _ask_choices(found: Recognised, records: Records) -> None:
    from fastcausal.tasks.classification.choices.readings import READINGS, Forms

    column = records.find("answer", "pred", "prediction")
    if column is None or records.find("id", "index", "question_id") is None:
        return
    forms: Forms = {"yes": "yes", "no": "no"}
    texts = [str(value) for value in records.values(column) if value is not None]
    said = [READINGS["first-word"].read(text, forms) for text in texts] if texts else []
    letters = [re.fullmatch(r"\W*[A-Z]\W*", text) is not None for text in texts]
    kind = "letter" if 2 * sum(letters) > len(texts) else "binary"
    if kind == "binary" and 4 * sum(each is not None for each in said) < len(texts):
        return
    _tell(found, "choices", "labels", "answers")
    found.options = (("--answers", kind),)
    found.ids = frozenset(records.keys("id", "index", "question_id").to_pylist())
    _tell_mixed(found, records)


def _ask_log_of_answers(found: Recognised) -> None:
    """Recognise a log of replies of a model, such as a batch of an API."""
    from fastcausal.files.lines import first_object
    from fastcausal.formats.logs.replies import log_of
    from fastcausal.formats.model_output.sources import is_log, load, saying

    source = load(found.file)
    if is_log(source):
        log = log_of(first_object(source))
        _tell_answers_to_gold(found, saying(found.file, None, None), log.name if log else "log")


def _ask_raw_answers(found: Recognised, records: Records) -> None:
    from fastcausal.formats.model_output.sources import saying

    for column in ANSWERS:
        if column in records and found.format is None:
            said = saying(records.table, column, None)
            _tell_answers_to_gold(found, said, "answers", ("--answers", records.require(column)))


def _tell_answers_to_gold(found: Recognised, said: Any, format: str, *options: OptionWords) -> None:
    """Tell of raw answers, at least half of which name relations."""
    from fastcausal.formats.model_output.plain import parsed
    from fastcausal.formats.model_output.shapes import Notes
    from fastcausal.marking import Marking

    n = len(said.answers)
    read = parsed(said.answers, Notes.of_roles(Marking()))
    unread = sum(isinstance(value, UnreadError) for value in read.others.values())
    if not n or 2 * unread > n:
        return
    _tell(found, format, "relations", "pred", said.records.names, n)
    found.options = (*options, EMPTY)  # spans that no text has are told beside gold alone
    if unread:
        found.add_finding(f"unread answers: {unread} of {n}")
    if said.ids is not None:
        found.ids = frozenset(map(str, said.ids.to_pylist()))
    _tell_mixed(found, said.records)


def _tell_mixed(found: Recognised, records: Records) -> None:
    """Tell of rows of several systems that do not repeat ids."""
    name = records.find(*SYSTEMS)
    if name is None or not records.has(name):
        return
    systems = records.keys(name).unique().to_pylist()
    if 1 < len(systems) <= FEW:
        found.add_finding(f"mixed systems: {name} is {', '.join(map(str, systems))}")


def _ask_values_in(found: Recognised, records: Records) -> None:
    """Recognise a table of values: items, perhaps systems and samples, and numbers."""
    from fastcausal.tasks.values.files import read_answers

    item = records.find(*ITEMS)
    if item is None:
        return
    table = _Table(records, item)
    table.find_roles()
    numbers = table.find_numbers()
    if not numbers:
        return
    reading, options = table.read_by(numbers)
    _tell(found, "table", "values", "")
    table.tell_roles(found)
    if reading.systems:
        found.systems = {"column": None, "names": [*reading.systems]}
    if table.again is not None:
        found.add_finding(table.again)
    try:
        answers = read_answers(records, replace(reading, missing="skip"))
        assert isinstance(answers, list)
        _tell_answers(found, answers, options)
        found.side = "scores" if "item" in records and table.system is not None else ""
    except ValueError as error:
        found.add_finding(error)
        found.family = ""
        return
    _require_joint(found, records, reading)


class _Table:
    """A table of values, and the roles of its columns."""

    def __init__(self, records: Records, item: str) -> None:
        self.records, self.item = records, item
        self.system: str | None = None
        self.sample: str | None = None
        self.again: str | None = None  # a repeated id that no column tells apart

    def names_of(self, column: str) -> list[str]:
        """Return the different values of a column, in order."""
        names: list[str] = self.records.keys(column).unique().to_pylist()
        return names

    def find_roles(self) -> None:
        """Find the columns of systems and samples: by name, else by what tells ids apart."""
        own = [c for c in self.records.names if c != self.item and self._is_full(c)]
        low = {name.casefold(): name for name in reversed(own)}
        named = [low[name] for name in SYSTEMS if name in low]
        self.system = next((c for c in named if 1 < len(self.names_of(c)) <= FEW), None)
        if not self.repeats():
            return
        samples = [low[name] for name in SAMPLES if name in low and low[name] != self.system]
        self.sample = next((c for c in samples if self._tells_all(c)), None)
        if self.system is None and self.sample is None:
            texts = [c for c in own if c.casefold() not in CLUSTERS and c not in samples]
            texts = [c for c in texts if not _can_be_numbers(self.records, c)]
            ways = ((c, *more) for c in texts for more in ((), *((s,) for s in samples)))
            way = next((w for w in ways if self._tells_few(w[0]) and self._tells_all(*w)), (None,))
            self.system, self.sample = way[0], next(iter(way[1:]), None)
        if self.repeats() and self.sample is None:
            counts = self._pairs().value_counts().to_pylist()
            most = max(counts, key=lambda each: each["counts"])
            names = [str(name) for name in most["values"].split("\0")]
            who = f" of {names[0]}" if len(names) > 1 else ""
            self.again = f'repeated ids: "{names[-1]}"{who} occurs {most["counts"]} times'

    def _is_full(self, column: str) -> bool:
        try:
            self.records.keys(column)
        except InputError:
            return False
        return True

    def _pairs(self, *more: str) -> Any:
        from fastcausal.arrays import compute as pc

        names = [*([self.system] if self.system else []), *more, self.item]
        return pc.binary_join_element_wise(*map(self.records.keys, names), "\0")

    def repeats(self) -> bool:
        """Return True if an item has several rows that no known column tells apart."""
        return len(self._pairs().unique()) < len(self.records)

    def _tells_few(self, column: str) -> bool:
        n = len(self.names_of(column))
        return 1 < n <= FEW and n < len(self.records)

    def _tells_all(self, *columns: str) -> bool:
        return len(self._pairs(*columns).unique()) == len(self.records)

    def tell_roles(self, found: Recognised) -> None:
        """Tell the systems and samples of a file."""
        if self.system is not None:
            found.systems = {"column": self.system, "names": self.names_of(self.system)}
        if self.sample is not None:
            found.samples = {"column": self.sample, "n": self.count_samples()}

    def count_samples(self) -> int:
        """Count the answers of the item with most."""
        return _count_most(self._pairs())

    def find_numbers(self) -> list[str]:
        """Return the columns of numbers, best first."""
        own = {self.item, self.system, self.sample}
        names = [c for c in self.records.names if c not in own and c.casefold() not in CLUSTERS]
        numbers = [
            c for c in names if self.records.has(c) and _can_be_numbers(self.records, c, True)
        ]
        first = [c for c in ("value", *SCORES) if c in numbers]
        return [*first, *(c for c in numbers if c not in first and c.casefold() not in SAMPLES)]

    def read_by(self, numbers: Sequence[str]) -> tuple[ValueReading, list[OptionWords]]:
        """Return the reading of the best column, and the options that say it."""
        from fastcausal.tasks.values.reading import ValueReading
        from fastcausal.tasks.values.tables import EPOCH, IDS, RATIO, VALUE

        reading, options = ValueReading(cluster=AUTO), list[OptionWords]()
        if self.system is not None:
            reading = replace(reading, system=self.system)
            options.append(("--system", self.system))
        if self.sample is not None:
            reading = replace(reading, epoch=self.sample)
            if self.sample != EPOCH:
                options.append(("--sample", self.sample))
        if self.item not in IDS:
            reading = replace(reading, id=self.item)
            options.append(("--id", self.item))
        is_ratio = VALUE not in numbers and all(name in self.records for name in RATIO)
        wide = self._wide(numbers)
        if wide:
            reading = replace(reading, systems=wide)
            options.append(("--systems", ",".join(wide)))
        elif numbers[0] != VALUE and not is_ratio:
            reading = replace(reading, scores=(numbers[0],))
            options.append(("--score", numbers[0]))
        return reading, options

    def _wide(self, numbers: Sequence[str]) -> OptionWords:
        """Return columns of equal range that have no name of a score: one of each system."""
        if self.system is not None or len(numbers) < 2 or self.again is not None:
            return ()
        if any(c == "value" or METRIC.search(c) or "," in c for c in numbers):
            return ()
        ranges = {_range(self.records, c) for c in numbers}
        return tuple(numbers) if ranges <= {"0 or 1", "0 to 1"} and len(ranges) == 1 else ()


def _range(records: Records, column: str) -> str:
    import numpy as np

    values = _numbers(records, column)
    values = values[~np.isnan(values)]
    if np.isin(values, (0, 1)).all():
        return "0 or 1"
    return "0 to 1" if ((values >= 0) & (values <= 1)).all() else "any"


def _numbers(records: Records, column: str) -> Any:
    from fastcausal.tasks.values.tables import _numbers as numbers

    return numbers(records, column)[0]


def _can_be_numbers(records: Records, column: str, letters: bool = False) -> bool:
    """Return True for a column of numbers; with letters, also for values that stand for some."""
    import numpy as np

    try:
        values = _numbers(records, column) if letters else records.numbers(column)
    except (ValueError, TypeError):
        return False
    return bool((~np.isnan(values)).any() and not np.isinf(values).any())


def _ask_wide_labels(found: Recognised, records: Records) -> None:
    """Recognise labels of raters in columns: three or more columns share their few values."""
    from fastcausal.tasks.labels.files import UNITS

    if (unit := records.find(*UNITS)) is None:
        return
    texts = {c: {*records.texts(c).drop_null().to_pylist()} for c in records.names if c != unit}
    labels = {c: v for c, v in texts.items() if 1 < len(v) <= 20 and c not in CLUSTERS}
    groups = [[c for c, w in labels.items() if len(v & w) * 2 > len(v | w)]
              for v in labels.values()]  # fmt: skip
    raters = max(groups, key=len, default=[])
    if len(raters) < 2 or any("," in name for name in raters):
        return
    _tell(found, "labels of raters", "ratings", "")
    found.options = (("--labels", ",".join(raters)),)
    found.clusters = [n for n in CLUSTERS if n in records and _repeats(records.column(n))]


def _tell(
    found: Recognised,
    format: str,
    family: str,
    side: str,
    columns: Sequence[str] | None = None,
    rows: int | None = None,
) -> None:
    found.format, found.family, found.side = format, family, side
    if columns is not None:
        found.columns, found.rows = [*columns], rows


def _tell_constant(found: Recognised, records: Records, column: str) -> None:
    values = records.texts(column).drop_null()
    if len(values) > 1 and len(values.unique()) == 1:
        found.add_finding(f"constant score: {column} is {values[0]} in all rows")


def _repeats(column: Any) -> bool:
    """Return True for a column without nulls that has several values, some of them repeated."""
    import pyarrow as pa

    if column is None or column.null_count or pa.types.is_nested(column.type):
        return False
    return 1 < len(column.unique()) < len(column)


def _count_most(ids: Any) -> int:
    """Count the rows of the id with most."""
    counts = ids.value_counts().field("counts").to_pylist()
    return max(counts, default=0)


FOLDERS = (_ask_sweep, _ask_logs, _ask_corpus_of_pairs, _ask_relations)
FILES = (
    _ask_counts, _ask_values, _ask_corpus_of_pairs, _ask_relations, _ask_log_of_answers,
    _ask_claims, _ask_extractions, _ask_table, _ask_questions, _ask_annotation,
)  # fmt: skip
TABLES: tuple[Callable[[Recognised, Any], None], ...] = (
    _ask_fincausal, _ask_crab, _ask_indexed_answers, _ask_event_lists, _ask_pairs, _ask_several,
    _ask_labels, _ask_choices, _ask_raw_answers, _ask_values_in, _ask_wide_labels,
)  # fmt: skip

"""Ids by which two sides join: their own, those of equal texts, or those of the same place."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.errors import InputError, Remedy, Warnings, counted, warning_lines
from fastcausal.files.keys import Keys, places_of
from fastcausal.files.texts import AGAIN, keys_of_texts
from fastcausal.options import Join
from fastcausal.relations import PLACES, Relations

OFFER = Remedy("join", ("text",), "would join them")


def text_of(relations: Relations) -> Keys | None:
    """Return the texts of examples: ``text``, else ``tokens`` joined by spaces, else None."""
    table = relations.table
    if "text" in table.column_names:
        return table["text"]
    if "tokens" not in table.column_names or table["tokens"].type != pa.list_(pa.string()):
        return None
    return pc.binary_join(table["tokens"], " ")


def gold_for_reading(gold: Relations, join: Join | None) -> Relations | None:
    """Return gold as predictions are read with it: None where they have texts of their own."""
    if join == "text":
        return None
    if join == "position" and gold.ids is not None:
        return _with_ids(gold, None)
    return gold


def give_ids(
    gold: Relations, pred: Relations, join: Join, names: tuple[str, str], warnings: Warnings
) -> tuple[Relations, Relations]:
    """Give both sides the ids by which they join."""
    if join == "id":
        for name, side in zip(names, (gold, pred), strict=True):
            if side.ids is None:
                raise InputError(f'{name} has no "id", expected one: join is "id"')
        return gold, pred
    if join == "position":
        if len(gold) != len(pred):
            raise InputError(
                f"{names[1]} has {counted(len(pred), 'example')}, expected {len(gold)} as in "
                f'{names[0]}: join is "position"'
            )
        return gold, _with_ids(pred, gold.ids)
    known, given = _keys(gold, names[0]), _keys(pred, names[1])
    repeats = [sum(pc.match_substring(keys, AGAIN).to_pylist()) for keys in (known, given)]
    if any(repeats):
        texts = f" texts of {names[0]} and ", f" of {names[1]} occur again, paired in order"
        warnings["join=text: ", *texts] = (repeats[0], repeats[1])
    at = places_of(given, known)
    ids = known if gold.ids is None else arrow.joined(gold.ids)
    if (places_of(given.filter(arrow.numbers(at < 0)), ids) >= 0).any():
        ids = known  # a text is the id of another example
    if ids is known:
        gold = _with_ids(gold, known)
    return gold, _with_ids(pred, pc.coalesce(ids.take(arrow.numbers(at, at >= 0)), given))


def join_annotators(
    sides: Mapping[str, Relations], join: Join, warnings: dict[str, None]
) -> dict[str, Relations]:
    """Give all annotators the ids by which they join the first."""
    first, *others = sides
    joined = dict(sides)
    for other in others:
        counts: Warnings = {}
        pair = give_ids(joined[first], joined[other], join, (first, other), counts)
        joined[first], joined[other] = pair
        warnings.update(dict.fromkeys(warning_lines(counts)))
    if join == "text" and joined[first].ids is not sides[first].ids:  # all take the new ids
        return join_annotators({**sides, first: joined[first]}, join, warnings)
    return joined


def offer_texts(error: InputError, one: Relations, other: Relations) -> InputError:
    """Add the join by text to an error if it would join more examples than ids do."""
    keys, others = (keys_of_texts(text_of(side)) for side in (one, other))
    by_number = error.remedy is not None and error.remedy.argument == "id_numbers"
    if keys is None or others is None or by_number:
        return error
    at = places_of(others, keys)
    n = int((at >= 0).sum())
    if one.ids is not None and other.ids is not None:
        n_by_id = int(((at >= 0) & (at == places_of(other.ids, one.ids))).sum())
        if n > n_by_id:
            texts = f"{n} of {len(other)} texts are the same"
            return InputError(f"{error.problem}; {texts}", OFFER._replace(other=error.remedy))
    return error


def _keys(relations: Relations, name: str) -> pa.Array:
    """Return the keys of texts; InputError for an example without a text."""
    keys = keys_of_texts(text_of(relations))
    if keys is None:
        raise InputError(f'{name} has no "text" or "tokens", expected texts: join is "text"')
    if keys.null_count:
        row = arrow.is_valid(keys).tolist().index(False)
        raise InputError(f'{relations.where(row, name)} has no text, expected one: join is "text"')
    return keys


def _with_ids(relations: Relations, ids: Keys | None) -> Relations:
    """Return the same examples under other ids, or without ids."""
    if ids is relations.ids:
        return relations
    table = arrow.drop_columns(relations.table, ["id"])
    if ids is not None:
        table = table.add_column(0, "id", ids)
    named = Relations.trusted(table, relations.reading)
    if PLACES in relations.kept:
        named.kept[PLACES] = relations.kept[PLACES]
    return named

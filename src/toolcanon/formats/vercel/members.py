"""Members of parts in both layouts: arguments, names, provider options."""

from __future__ import annotations

from typing import Final

from toolcanon.formats.vercel.spelling import ID, INPUT, left_of
from toolcanon.formats.wire.codec import (
    NOT_JSON,
    Told,
    arguments_object,
    dump,
    foreign_keys,
    has_foreign,
    noted,
    read_arguments,
)
from toolcanon.formats.wire.natives import Place
from toolcanon.ir.conversation import Call, Data, Media, Reasoning, Refusal, Result, Text
from toolcanon.jsonio.types import Json, JsonObject

_METADATA: Final = ("providerMetadata", "callProviderMetadata", "resultProviderMetadata")
_PASSING: Final = frozenset(
    {"state", "id", "approval", "rawInput", "inputEncoding", "title", "providerReference"}
)
"""Keys that only pages need, or that have another form there."""


def write_input(call: Call, told: Told, at: Place, *, mine: bool) -> JsonObject:
    """Return the arguments of a call: any value, a text for a free-text tool."""
    if call.is_text:
        return {"input": call.text or ""}
    spelled = noted(call.extras, ID).get(INPUT)
    if mine and spelled == "text" and call.text is not None:
        value, problem = read_arguments(call.text)
        if problem is None and value == call.arguments:
            return {"input": call.text}
    elif isinstance(spelled, list):
        is_cut = call.problem == NOT_JSON and call.arguments is None
        if is_cut and mine:
            return _spelled(spelled)
        if not is_cut and call.arguments == (spelled[0] if spelled else None):
            return _spelled(spelled)
    value, code = arguments_object(call)
    if code is not None:
        told.lose(code, (*at, "arguments"), after=value)
    return {"input": value}


def _spelled(given: list[Json]) -> JsonObject:
    return {"input": given[0]} if given else {}


def said_in_words(
    part: Text | Refusal | Data | Reasoning, told: Told, at: Place
) -> JsonObject | None:
    """Return the text of a part; None for reasoning of other providers."""
    if isinstance(part, Reasoning):
        if part.provider == ID and part.text is not None:
            return {"type": "reasoning", "text": part.text}
        told.lose("L301", at, part.text)
        return None
    if isinstance(part, Data):
        told.lose("L305", at)
        return {"type": "text", "text": dump(part.value)}
    if isinstance(part, Refusal):
        told.lose("L319", at)
    return {"type": "text", "text": part.text}


def wire_name(call: Call, told: Told, at: Place) -> str:
    """Return the name of a call's tool, with its namespace in front."""
    if not call.namespace:
        return call.name
    name = f"{call.namespace}_{call.name}"
    told.lose("L315", (*at, "namespace"), call.namespace, name)
    return name


def kept(
    part: Text | Refusal | Data | Media | Reasoning | Call | Result,
    told: Told,
    at: Place,
    *,
    mine: bool,
    options: str,
) -> JsonObject:
    """Return the keys beside our fields: all of them in the layout that they were read from.

    In the other layout, provider metadata and provider options have another name (``options``).
    """
    if part.extras is None:
        return {}
    if has_foreign(part.extras, ID):
        told.lose("L308", at, foreign_keys(part.extras, ID))
    left = left_of(part.extras)
    if mine or not left:
        return dict(left)
    out: JsonObject = {}
    for key in ("providerOptions", *_METADATA):
        if isinstance(left.get(key), dict) and options not in out:
            out[options] = left[key]
    others = sorted(left.keys() - _PASSING - {"providerOptions", *_METADATA})
    if others:
        told.lose("L308", at, {ID: {key: left[key] for key in others}})
    return out

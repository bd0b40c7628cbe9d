"""Responses as values: parse results of tools, and tell failures from answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final

import orjson

from toolcanon.ir.conversation import Data, Result, Text
from toolcanon.ir.response import ToolResponse
from toolcanon.jsonio.types import Json, JsonObject

_PLAIN: Final = frozenset({dict, list, str, int, float, bool, type(None)})
_FLAGS: Final = (("ok", False), ("success", False), ("isError", True), ("is_error", True))
_ERRORS: Final = ("error", "errors")
_STATES: Final = frozenset({"error", "failed", "failure", "fail"})
_SAYING: Final = frozenset({"status", *_ERRORS, *(flag for flag, _ in _FLAGS)})
_STRUCTURED: Final = "structuredContent"
_MOST_TEXT: Final = 1 << 20


def plain_response(response: Any) -> Any:
    """Return a response as plain JSON, as far as possible."""
    if response.__class__ in _PLAIN:
        return response
    if isinstance(response, ToolResponse):
        return response.to_dict()
    if isinstance(response, Result):
        return _result(response)
    if isinstance(response, (bytes, bytearray)):
        return bytes(response).decode("utf-8", "replace")
    if is_dataclass(response) and not isinstance(response, type):
        return {field.name: getattr(response, field.name) for field in fields(response)}
    for dump in ("model_dump", "to_dict"):
        if callable(made := getattr(response, dump, None)) and not isinstance(response, type):
            return made()
    return response


def _result(result: Result) -> JsonObject:
    content: list[Json] = []
    for part in result.content:
        if isinstance(part, Text):
            content.append({"type": "text", "text": part.text})
        elif isinstance(part, Data):
            content.append({"type": "json", "value": part.value})
        else:
            kind = getattr(part, "kind", "")
            content.append({"type": kind if isinstance(kind, str) else ""})
    return {"content": content, "isError": bool(result.is_error)}


def is_failure(response: Any) -> bool:
    """Return whether a response states that the call failed.

    >>> [is_failure(one) for one in ({"ok": False}, {"error": None, "data": 1}, {"error": "no"})]
    [True, False, True]
    """
    if isinstance(response, str) and response[:1] == "{" and len(response) <= _MOST_TEXT:
        try:
            response = orjson.loads(response)
        except ValueError:
            return False
    if not isinstance(response, Mapping) or _SAYING.isdisjoint(response):
        return False
    for flag, bad in _FLAGS:
        if isinstance(said := response.get(flag), bool):
            return said is bad
    if any(response.get(name) for name in _ERRORS) and not response.get("data"):
        return True
    state = response.get("status")
    return isinstance(state, str) and state.lower() in _STATES


def structured(response: Any) -> tuple[tuple[str, ...], Any] | None:
    """Return what an output schema describes, and its path; None for a failure.

    This is the structured content if there is any, else the JSON in the one text of a result, else
    the response itself.
    """
    plain = plain_response(response)
    if not isinstance(plain, Mapping):
        return ((), _parsed(plain)) if isinstance(plain, str) else ((), plain)
    if plain.get("isError") is True:
        return None
    if _STRUCTURED in plain:
        return (_STRUCTURED,), plain[_STRUCTURED]
    content = plain.get("content")
    if not isinstance(content, list) or not plain.keys() <= {"content", "isError", "_meta"}:
        return (), plain
    texts = [block.get("text") for block in content if isinstance(block, Mapping)]
    if len(content) == 1 and len(texts) == 1 and isinstance(texts[0], str):
        return ("content", "*", "text", "(json)"), _parsed(texts[0])
    return (), plain


def _parsed(text: str) -> Any:
    if text[:1] not in "{[" or not text or len(text) > _MOST_TEXT:
        return text
    try:
        return orjson.loads(text)
    except ValueError:
        return text

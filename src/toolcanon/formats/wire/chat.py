"""The envelope of Chat Completions, which many providers adopted: a typed ``function``.

Their differences are data (``chat_format``). A plain tool does not show its provider, so only what
one provider alone writes is a sure match; otherwise the origin of the envelope is preferred, and
the others are reported beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from toolcanon.errors import UnreadableTool
from toolcanon.formats.wire.dialects import CHAT_NAMES
from toolcanon.formats.wire.flat_reader import build, build_builtin, reading, take
from toolcanon.formats.wire.format import (
    ABSENT,
    AROUND,
    BUILTIN,
    Format,
    LoweredTool,
    Match,
    is_spelled,
    no_parameters,
    notes,
    own_extras,
    restore_extras,
)
from toolcanon.formats.wire.unread_parameters import is_call
from toolcanon.ir import CanonicalTool, Kind
from toolcanon.jsonio.types import Json, JsonObject

SURE: Final = 1.0
SHARED: Final = 0.1
"""The score of what several formats write: no more than any JSON object has as raw."""
_WRAPPED: Final = Match(SHARED, "type 'function' with a nested 'function', as many write it")
_UNTYPED: Final = Match(SHARED, "a nested 'function' without a type, as many write it")


def note_around(definition: JsonObject, kind: str, noted: JsonObject) -> None:
    """Note the members of a wrapper that are missing, or more than its type."""
    if len(definition) != 2 or definition.get("type") != kind:  # noqa: PLR2004 - type and kind
        noted[AROUND] = {key: value for key, value in definition.items() if key != kind}


def wrapped(kind: str, out: JsonObject, own: JsonObject, *, verbatim: bool) -> JsonObject:
    """Return the wrapper, as it was or as it should be."""
    noted = notes(own) if verbatim else {}
    return {**noted[AROUND], kind: out} if AROUND in noted else {"type": kind, kind: out}


def force(name: str, is_text: bool) -> Json:  # noqa: FBT001
    """Return the choice of one function."""
    del is_text
    return {"type": "function", "function": {"name": name}}


def chat_format(
    format_id: str,
    *,
    strict: bool = True,
    parameters_required: bool = False,
    hosted: Mapping[str, float] | None = None,
) -> Format:
    """Return a format in this envelope; ``replace`` gives it title, sources and dialects.

    ``strict`` is whether a function has a field for it; ``hosted`` are the types of tools that the
    provider runs itself, each with a score: ``SURE`` if no other provider writes it.
    """
    hints = {"strict": "strict"} if strict else {}
    own = hosted or {}
    return Format(
        id=format_id,
        title=format_id,
        signals=frozenset({"function", "type"} if own else {"function"}),
        sniff=_sniffer(own),
        containers=(("tools",),),
        read=_reader(format_id, hints, own, parameters_required=parameters_required),
        write=chat_writer(format_id, strict=strict, parameters_required=parameters_required),
        is_regular=True,
        force=force,
        names=CHAT_NAMES,
    )


def _sniffer(hosted: Mapping[str, float]) -> Callable[[JsonObject], Match | None]:
    def sniff(definition: JsonObject) -> Match | None:
        inner = definition.get("function")
        kind = definition.get("type")
        if isinstance(inner, dict):
            if "arguments" in inner and is_call(inner):
                return None
            if kind == "function":
                return _WRAPPED
            return _UNTYPED if "name" in inner else None
        score = hosted.get(kind) if isinstance(kind, str) else None
        return None if score is None else Match(score, f"type {kind!r} is a hosted tool")

    return sniff


def _reader(
    format_id: str,
    hints: Mapping[str, str],
    hosted: Mapping[str, float],
    *,
    parameters_required: bool,
) -> Callable[[JsonObject], CanonicalTool]:
    slots = reading(
        {
            "name": ("name", str),
            "description": ("description", str),
            "parameters": ("inputs", dict),
        },
        hints,
    )

    def read(definition: JsonObject) -> CanonicalTool:
        inner = definition.get("function")
        if not isinstance(inner, dict):
            kind = definition.get("type")
            if isinstance(kind, str) and kind in hosted:
                return build_builtin(format_id, kind, definition)
            raise UnreadableTool(
                format_id, "/function", "a tool must have an object called function"
            )
        said, left, noted = take(inner, slots, format_id, "/function")
        if parameters_required and "parameters" not in inner:
            noted[ABSENT] = ["parameters"]
        note_around(definition, "function", noted)
        return build(format_id, said, left, noted, definition, "/function")

    return read


def chat_writer(
    format_id: str, *, strict: bool, parameters_required: bool
) -> Callable[[CanonicalTool, LoweredTool], JsonObject]:
    """Return the writer of such a format, for one that has another shape besides."""

    def write(tool: CanonicalTool, wire: LoweredTool) -> JsonObject:
        said = tool.__dict__
        own = own_extras(tool, format_id)
        if said.get("kind") is Kind.BUILTIN:
            return dict(notes(own)[BUILTIN])
        out: JsonObject = {"name": wire.name}
        if description := said.get("description"):
            out["description"] = description
        if wire.inputs:
            out["parameters"] = wire.inputs
        elif parameters_required and not (wire.verbatim and is_spelled(own, "parameters")):
            out["parameters"] = no_parameters()
        if strict and wire.strict is not None:
            out["strict"] = wire.strict
        if own:
            out = restore_extras(out, own, {}, verbatim=wire.verbatim)
        return wrapped("function", out, own, verbatim=wire.verbatim)

    return write

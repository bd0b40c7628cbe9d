"""Hugging Face chat templates: the envelope of Chat Completions, with ``return`` for the answer.

``get_json_schema`` of transformers writes it from a function. Templates print what they get.
"""

from __future__ import annotations

from toolcanon.dialect import Dialect, Source
from toolcanon.formats.wire import (
    Format,
    LoweredTool,
    Match,
    build,
    notes,
    own_extras,
    reading,
    restore_extras,
    take,
)
from toolcanon.formats.wire.chat import SHARED, note_around, wrapped
from toolcanon.formats.wire.dialects import ADVISORY
from toolcanon.formats.wire.format import SHAPE
from toolcanon.formats.wire.unread_parameters import is_call
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio.types import JsonObject

ID = "huggingface"
BARE = "bare"
RETURN = "return"

FUNCTION = reading(
    {
        "name": ("name", str),
        "description": ("description", str),
        "parameters": ("inputs", dict),
        RETURN: ("outputs", dict),
    }
)

_ANSWERS = Match(1.0, "a nested 'function' with 'return'")
_BARE_ANSWERS = Match(0.95, "'parameters' and 'return'")
_WRAPPED = Match(SHARED, "type 'function' with a nested 'function', as many write it")


def sniff(definition: JsonObject) -> Match | None:
    inner = definition.get("function")
    if isinstance(inner, dict):
        if isinstance(inner.get(RETURN), dict):
            return _ANSWERS
        if "arguments" in inner and is_call(inner):
            return None
        return _WRAPPED if definition.get("type") == "function" else None
    if isinstance(definition.get(RETURN), dict) and "parameters" in definition:
        return _BARE_ANSWERS
    return None


def read(definition: JsonObject) -> CanonicalTool:
    inner = definition.get("function")
    if isinstance(inner, dict):
        said, left, noted = take(inner, FUNCTION, ID, "/function")
        note_around(definition, "function", noted)
        return build(ID, said, left, noted, definition, "/function")
    said, left, noted = take(definition, FUNCTION, ID)
    noted[SHAPE] = BARE
    return build(ID, said, left, noted, definition)


def write(tool: CanonicalTool, wire: LoweredTool) -> JsonObject:
    own = own_extras(tool, ID)
    out: JsonObject = {"name": wire.name}
    if description := tool.__dict__.get("description"):
        out["description"] = description
    if wire.inputs:
        out["parameters"] = wire.inputs
    if wire.outputs:
        out[RETURN] = wire.outputs
    if own:
        out = restore_extras(out, own, {}, verbatim=wire.verbatim)
        if wire.verbatim and notes(own).get(SHAPE) == BARE:
            return out
    return wrapped("function", out, own, verbatim=wire.verbatim)


DEFAULT = Dialect(
    id=ID,
    version="2026-11",
    title="chat templates",
    sources=(
        Source(
            "transformers 5.22.2 chat_template_utils", "2026-11", "templates get the JSON as it is"
        ),
    ),
    keywords=ADVISORY,
    root_properties=True,  # as get_json_schema always has them
)

FORMAT = Format(
    id=ID,
    title="Hugging Face chat templates",
    known_as=("hf", "transformers"),
    sources=(
        Source("transformers 5.22.2 get_json_schema", "2026-11", "shapes; names are not checked"),
    ),
    signals=frozenset({"function", RETURN}),
    sniff=sniff,
    rank=0,  # only a result schema distinguishes it from other formats with the same envelope
    containers=(("tools",),),
    read=read,
    write=write,
    is_regular=True,
    dialects=(DEFAULT,),
)

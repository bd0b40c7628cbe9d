"""Free-text tools: one text in, perhaps under a grammar."""

from __future__ import annotations

from toolcanon.formats.wire.extras import SPELLING
from toolcanon.ir import CanonicalTool, Grammar, Kind
from toolcanon.jsonio.types import Json, JsonObject

TEXT_SCHEMA: JsonObject = {"type": "string"}


def read_grammar(said: JsonObject, left: JsonObject, noted: JsonObject, *, nested: bool) -> None:
    """Turn a leftover ``format`` into the grammar it states; the schema of the input is a text."""
    said["kind"] = Kind.FREEFORM
    said["inputs"] = dict(TEXT_SCHEMA)
    if "format" not in left:
        return
    stated = left.pop("format")
    grammar = _grammar(stated, nested=nested)
    if grammar is not None:
        said["grammar"] = grammar
    elif stated is None or stated == {"type": "text"}:
        noted.setdefault(SPELLING, {})["format"] = stated  # the default, spelled out
    else:
        left["format"] = stated


def _grammar(stated: Json, *, nested: bool) -> Grammar | None:
    inner = stated.get("grammar") if nested and isinstance(stated, dict) else stated
    expected = {"syntax", "definition"} if nested else {"type", "syntax", "definition"}
    if (
        not isinstance(inner, dict)
        or inner.keys() != expected
        or stated.get("type") != "grammar"
        or (nested and len(stated) > len({"type", "grammar"}))
        or not isinstance(inner["syntax"], str)
        or not isinstance(inner["definition"], str)
    ):
        return None
    return Grammar(syntax=inner["syntax"], definition=inner["definition"])


def write_grammar(tool: CanonicalTool, out: JsonObject, *, nested: bool) -> None:
    """State the grammar, if the tool has one."""
    grammar = tool.grammar
    if grammar is None:
        return
    body = {"syntax": grammar.syntax, "definition": grammar.definition}
    out["format"] = {"type": "grammar", "grammar": body} if nested else {"type": "grammar", **body}


def as_parameter() -> JsonObject:
    """The schema of a function that takes the text as its only argument."""
    return {
        "type": "object",
        "properties": {"input": dict(TEXT_SCHEMA)},
        "required": ["input"],
    }

"""Anthropic Messages: flat tools with ``input_schema``; dated server tools."""

from __future__ import annotations

import re
from dataclasses import replace

from toolcanon.dialect import Dialect, Source
from toolcanon.formats.anthropic.history import RULES
from toolcanon.formats.wire import (
    Format,
    Match,
    Wire,
    build,
    build_builtin,
    codec_beside,
    is_spelled,
    notes,
    own_extras,
    reading,
    restore_extras,
    take,
)
from toolcanon.formats.wire.accepts import either, list_of, members, one_of
from toolcanon.formats.wire.dialects import ADVISORY, CHAT_NAMES, OPTIONAL_MEMBERS
from toolcanon.formats.wire.extras import ABSENT, BUILTIN, carried
from toolcanon.formats.wire.schemas import no_parameters
from toolcanon.ir import STATED_HINTS, CanonicalTool, Kind, stated_hints
from toolcanon.jsonio.types import Json, JsonObject

ID = "anthropic"

TOOL = reading(
    {
        "name": ("name", str),
        "description": ("description", str),
        "input_schema": ("inputs", dict),
        "input_examples": ("examples", list),
    },
    hints={"strict": "strict", "defer_loading": "deferred"},
)
CALLERS = (
    "direct",
    "code_execution_20250825",
    "code_execution_20260120",
    "code_execution_20260521",
)
KNOWN = {
    "type": one_of("custom", None),
    "cache_control": either(
        members({"type": one_of("ephemeral")}, {"ttl": one_of("5m", "1h")}), one_of(None)
    ),
    "allowed_callers": list_of(one_of(*CALLERS)),
    "eager_input_streaming": one_of(True, False, None),
}

CARRIED = {"cache_control": KNOWN["cache_control"]}
"""Marks that gateways take in the envelopes of others, and pass on."""

# bash_20250124, web_search_20260318, computer_toolset_20260801 … and the undated ones.
SERVER = re.compile(r"[a-z0-9_]+_\d{8}|mcp_toolset|tool_search_tool_(bm25|regex)")


_CUSTOM_TOOL = Match(1.0, "'name' and 'input_schema'")


def sniff(definition: JsonObject) -> Match | None:
    if "name" in definition and "input_schema" in definition:
        return _CUSTOM_TOOL
    kind = definition.get("type")
    if isinstance(kind, str) and SERVER.fullmatch(kind):
        return Match(1.0, f"type {kind!r} is a server tool")
    return None


def read(definition: JsonObject) -> CanonicalTool:
    kind = definition.get("type")
    if "input_schema" not in definition and isinstance(kind, str) and SERVER.fullmatch(kind):
        return build_builtin(ID, definition.get("name") or kind, definition)
    said, left, noted = take(definition, TOOL, ID)
    if "input_schema" not in definition:
        noted[ABSENT] = ["input_schema"]
    return build(ID, said, left, noted, definition)


def write(tool: CanonicalTool, wire: Wire) -> JsonObject:
    said = tool.__dict__
    own = own_extras(tool, ID) if "extras" in said else {}
    if "kind" in said and said["kind"] is Kind.BUILTIN:
        return dict(notes(own)[BUILTIN])
    out: JsonObject = {"name": wire.name}
    if description := said.get("description"):
        out["description"] = description
    if wire.inputs:
        out["input_schema"] = wire.inputs
    elif not (wire.verbatim and is_spelled(own, "input_schema")):
        out["input_schema"] = no_parameters()
    if wire.strict is not None:
        out["strict"] = wire.strict
    if "hints" in said or STATED_HINTS in said:
        hints = stated_hints(tool)
        if "deferred" in hints:
            out["defer_loading"] = hints["deferred"]
    examples = said.get("examples")
    if examples and (wire.verbatim or all(isinstance(example, dict) for example in examples)):
        out["input_examples"] = examples
    if own:
        out = restore_extras(out, own, KNOWN, verbatim=wire.verbatim)
    if "extras" in said and not wire.verbatim:
        for key, value in carried(tool, CARRIED).items():
            out.setdefault(key, value)
    return out


def force(name: str, is_text: bool) -> Json:  # noqa: FBT001
    del is_text
    return {"type": "tool", "name": name}


DEFAULT = Dialect(
    id=ID,
    history=RULES,
    version="2026-11",
    title="tool use",
    sources=(
        Source("github.com/anthropics/claude-code/issues/44788", "2026-08", "unions at the root"),
        Source("github.com/anthropics/claude-code/issues/79418", "2026-08", "parameter names"),
    ),
    keywords=ADVISORY,
    root_unions=False,
    members=OPTIONAL_MEMBERS.members,
    models=("claude-",),
    usual=3,
)

STRICT = replace(
    OPTIONAL_MEMBERS,
    id=f"{ID}/strict",
    version="2026-11",
    title="strict tool use",
    sources=(
        Source(
            "https://docs.claude.com/en/docs/build-with-claude/structured-outputs",
            "2026-11",
            "the subset and its limits",
        ),
        Source("anthropic-python 2.8.0 transform_schema", "2026-11", "executed"),
    ),
    models=DEFAULT.models,
)


FORMAT = Format(
    id=ID,
    codec=codec_beside(__name__),
    title="Anthropic Messages",
    known_as=("claude",),
    sources=(
        Source(
            "anthropic-python 2.8.0 types", "2026-11", "shapes, executed with extra keys refused"
        ),
        Source(
            "https://docs.claude.com/en/api/messages", "2026-08", "names: 64 is safe, 128 is not"
        ),
    ),
    signals=frozenset({"input_schema", "type"}),
    sniff=sniff,
    rank=2,
    containers=(("tools",), ("messages", "*", "content", "*", "tool", "definition")),
    read=read,
    write=write,
    is_regular=True,
    carries=frozenset(CARRIED),
    force=force,
    dialects=(DEFAULT, STRICT),
    names=CHAT_NAMES,
)

"""The first seed: detect, canonicalize without raising, emit; unreadable parts are reported.

Where its document contradicts itself the decision is recorded in ``docs/adr``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Final

from pydantic import BaseModel, Field

from toolcanon.conversion.bind_tool import bind_tool
from toolcanon.conversion.detect import Detection, detect
from toolcanon.conversion.read import read_payload
from toolcanon.conversion.sdk_objects import plain, plain_throughout
from toolcanon.conversion.target import Choice
from toolcanon.dialect import Dialect
from toolcanon.errors import NoTools, ToolcanonError, UnknownFormat, UnreadableTool
from toolcanon.formats.raw import SCHEMAS, extract
from toolcanon.formats.wire import notes
from toolcanon.formats.wire.format import GUESSES
from toolcanon.ir import CanonicalTool, Kind, ToolCapability, ToolSecurity, trusted_tool
from toolcanon.ir.tool import source_format_of
from toolcanon.jsonio import Pointer, copy_json
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering import lower
from toolcanon.registry import builtin_formats, get_format, get_target
from toolcanon.schema import is_foreign
from toolcanon.schema.keywords import URIS

__all__ = [
    "AnthropicParser",
    "CanonicalTool",
    "CanonicalizationResult",
    "Canonicalizer",
    "FormatDetector",
    "LangChainParser",
    "MCPParser",
    "OpenAIParser",
    "SourceFormat",
    "ToolCapability",
    "ToolSecurity",
    "canonicalize",
    "emit_anthropic",
    "emit_bedrock",
    "emit_gemini",
    "emit_json_schema",
    "emit_langchain",
    "emit_mcp",
    "emit_openai",
]

_MOST_PARTS: Final = 8
_NAME: Final = "name"
NAMELESS: Final = "nameless"
"""Stands for a missing name while reading. No result contains it."""


@dataclass(slots=True)
class Rest:
    """The tools of a definition, and the parts that were left out."""

    tools: list[CanonicalTool]
    left_out: list[UnreadableTool] = field(default_factory=list)


def read_rest(definition: Any, format_id: str) -> Rest:
    """Read a definition in one format without its unreadable parts.

    A tool without a name is named "". Raises the error of ``read`` if no part causes it.
    """
    given = left = plain_throughout(plain(definition))
    is_nameless = False
    left_out: list[UnreadableTool] = []
    for _ in range(_MOST_PARTS):
        try:
            tools = read_payload(left, format_id)[0]
        except UnreadableTool as error:
            at = Pointer.parse(error.at)
            if not at:
                raise
            left = _without(left, at, error)
            is_nameless = is_nameless or at[-1] == _NAME
            if at[-1] != _NAME:
                left_out.append(error)
            continue
        if left is not given:
            tools = [_restored(tool, given, is_nameless=is_nameless) for tool in tools]
        return Rest(tools, left_out)
    raise NoTools(f"more than {_MOST_PARTS} of its parts cannot be read")


def _restored(tool: CanonicalTool, given: Json, *, is_nameless: bool) -> CanonicalTool:
    """Return the tool with its own name and the original definition."""
    fields = {key: value for key, value in tool.__dict__.items() if key != "_source"}
    if is_nameless and fields[_NAME] == NAMELESS:
        fields[_NAME] = ""
    return trusted_tool(fields, given if isinstance(given, dict) else None)


def _without(value: Json, at: Pointer, error: UnreadableTool) -> Json:
    """Return a copy without one member, or with a stand-in for the name."""
    step, below = at[0], Pointer(at[1:])
    if isinstance(value, dict):
        if not below:
            rest = {key: item for key, item in value.items() if key != step}
            return {_NAME: NAMELESS, **rest} if step == _NAME else rest
        if step in value:
            return {**value, step: _without(value[step], below, error)}
    elif isinstance(value, list) and below and str(step).isdigit() and int(step) < len(value):
        index = int(step)
        return [*value[:index], _without(value[index], below, error), *value[index + 1 :]]
    raise error


_NEW_ROOT = "https://json-schema.org/draft"
SCHEMA_2019_09 = "https://json-schema.org/draft/2019-09/schema"
_SCHEMAS = frozenset(SCHEMAS)
FIRST = ("openai", "anthropic", "mcp", "langchain", "raw")

UNDETECTED = "Could not detect source format; using raw passthrough."
NO_PARSER = "No parser for 'raw' format; extracted fields by heuristic."
NO_NAME = "Tool has no name — consider adding one."
NO_DESCRIPTION = "Tool has no description — consider adding one."


if TYPE_CHECKING:

    class SourceFormat(StrEnum):
        """The built-in formats; a member equals its id as a string."""

        openai = "openai"
        anthropic = "anthropic"
        mcp = "mcp"
        langchain = "langchain"
        raw = "raw"
        acebench = "acebench"
        api_bank = "api-bank"
        bedrock = "bedrock"
        canonical = "canonical"
        docker_registry = "docker-registry"
        gemini = "gemini"
        json_schema = "json-schema"
        openai_responses = "openai-responses"
        rapidapi = "rapidapi"
        seal_tools = "seal-tools"
else:
    from toolcanon.ir.tool import SourceFormat


class CanonicalizationResult(BaseModel):
    """A canonical tool, and warnings about its definition."""

    tool: CanonicalTool
    warnings: list[str] = Field(default_factory=list)
    source_format_detected: SourceFormat | str = SourceFormat.raw


class FormatDetector:
    """Detects formats."""

    def detect(self, tool_def: Any) -> SourceFormat | str:
        """Return the most likely format; raw when none matches. Never raises."""
        return source_format_of(_detect(tool_def).format)

    def confidence(self, tool_def: Any) -> dict[SourceFormat, float]:
        """Return an independent score from 0 to 1 for every built-in format."""
        scores = _detect(tool_def).confidence
        in_order = dict.fromkeys((*map(SourceFormat, FIRST), *SourceFormat))
        return {member: scores[member.value] for member in in_order}


def _detect(tool_def: Any) -> Detection:
    try:
        return detect(tool_def)
    except (ToolcanonError, RecursionError):
        return Detection("raw", dict.fromkeys(builtin_formats(), 0.0) | {"raw": 0.1}, {})


class _Parser:
    """Reads one format; raises UnreadableTool for other input."""

    format: ClassVar[str]

    def can_parse(self, tool_def: Any) -> bool:
        """Return whether the definition looks like this format."""
        return _detect(tool_def).confidence[self.format] > 0

    def parse(self, tool_def: Any) -> CanonicalTool:
        """Return the definition as a canonical tool that shares no part with it."""
        tool = _own(read_payload(tool_def, self.format)[0][0])
        tool.source_format = source_format_of(str(tool.source_format))
        return tool


class OpenAIParser(_Parser):
    format = "openai"


class AnthropicParser(_Parser):
    format = "anthropic"


class MCPParser(_Parser):
    format = "mcp"


class LangChainParser(_Parser):
    format = "langchain"


class Canonicalizer:
    """Converts any JSON value to a canonical tool and warnings. Never raises on JSON."""

    def canonicalize(
        self, tool_def: Any, source_format: SourceFormat | str | None = None
    ) -> CanonicalizationResult:
        """Read one definition; ``source_format`` skips detection. Nothing is shared."""
        return canonicalize(tool_def, source_format)


def canonicalize(
    definition: Any, source_format: SourceFormat | str | None = None
) -> CanonicalizationResult:
    """Read one definition; return ``.tool``, ``.warnings``, ``.source_format_detected``."""
    warnings: list[str] = []
    found = _known(source_format, warnings)
    if found is None:
        found = _detect(definition).format
        if found == "raw":
            found = _apart_from_its_name(definition)
        if found == "raw":
            warnings.append(UNDETECTED)
    tool = None if found == "raw" else _parse(definition, found, warnings)
    if tool is None:
        tool = _extract(definition)
        if found == "raw":
            warnings.append(NO_PARSER)
    if not tool.name and isinstance(definition, dict):
        tool.name = _text(definition, "title")
    if not tool.name:
        warnings.append(NO_NAME)
    if not tool.description:
        warnings.append(NO_DESCRIPTION)
    tool.source_format = source_format_of(str(tool.source_format))
    return CanonicalizationResult(
        tool=tool, warnings=warnings, source_format_detected=source_format_of(found)
    )


def _apart_from_its_name(definition: Any) -> str:
    """Return the format of a definition that only lacks its name; raw if none."""
    if isinstance(definition, dict) and _text(definition, "name"):
        return "raw"
    found = _detect(_named(definition)).format
    try:
        tools = [] if found == "raw" else read_rest(definition, found).tools
    except (ToolcanonError, RecursionError):
        return "raw"
    has_schema = len(tools) == 1 and (tools[0].inputs or not _SCHEMAS.isdisjoint(definition))
    return found if has_schema else "raw"


def _named(definition: Any) -> Any:
    """Return a definition, a list, or an object with such a list, with missing names added."""
    if isinstance(definition, list):
        return [
            {**item, "name": NAMELESS} if isinstance(item, dict) else item for item in definition
        ]
    if not isinstance(definition, dict):
        return definition
    if isinstance(definition.get("tools"), list):
        return {**definition, "tools": _named(definition["tools"])}
    return {**definition, "name": NAMELESS}


def _text(definition: JsonObject, key: str) -> str:
    value = definition.get(key)
    return value if isinstance(value, str) else ""


def _known(source_format: SourceFormat | str | None, warnings: list[str]) -> str | None:
    if source_format is None:
        return None
    try:
        return get_format(str(source_format)).id
    except UnknownFormat as error:
        warnings.append(f"{error}; detecting instead.")
        return None


def _parse(definition: Any, found: str, warnings: list[str]) -> CanonicalTool | None:
    """Return the tool as far as it can be read; None if no part is in the format."""
    try:
        rest = read_rest(definition, found)
        if not rest.tools:
            raise NoTools("it holds no tool")
        copied = _own(rest.tools[0])
    except (ToolcanonError, RecursionError) as error:
        warnings.append(f"Parser error for {found}: {error}")
        return None
    warnings.extend(f"Parser error for {found}: {error}" for error in rest.left_out)
    warnings.extend(
        f"Guessed at {guessed['at']}: {guessed['why']}."
        for own in copied.__dict__.get("extras", {}).values()
        for guessed in notes(own).get(GUESSES, ())
    )
    if len(rest.tools) > 1:
        warnings.append(
            f"The first of {len(rest.tools)} tools was taken; use read() for all of them."
        )
    return copied


def _own(tool: CanonicalTool) -> CanonicalTool:
    """Return the tool without sharing any container with its source."""
    fields = tool.freeze().__dict__
    for name in ("inputs", "outputs", "examples", "tags", "extras"):
        if name in fields:
            fields[name] = copy_json(fields[name])
    return tool


def _extract(definition: Json) -> CanonicalTool:
    if not isinstance(definition, dict):
        return CanonicalTool(name="", capabilities=ToolCapability())
    try:
        return _own(extract(definition))
    except ToolcanonError:  # too deep to copy: its text fields are still read
        inner = definition.get("function")
        texts = {**_texts(definition), "function": _texts(inner if isinstance(inner, dict) else {})}
        return _own(extract(texts))


def _texts(definition: JsonObject) -> JsonObject:
    return {key: value for key, value in definition.items() if isinstance(value, str)}


_UNLOWERED = Choice(None, None, mode=False)  # emitters do not lower schemas


def _emit(tool: CanonicalTool, target: str, schema_key: str = "") -> JsonObject:
    """Return the written tool as a copy; a function tool always has description and schema."""
    _check(tool)
    found = get_target(target)
    wire = bind_tool(tool, tool.name, found, _UNLOWERED).wire
    if wire is None:
        reason = f"a built-in tool of {tool.source_format} exists nowhere else"
        raise UnreadableTool(target, "", reason)
    if tool.kind is Kind.FUNCTION and is_foreign(tool.inputs):
        wire = replace(wire, inputs=tool.input_schema)
    item: JsonObject = copy_json(found.write(tool, wire))
    if not schema_key or tool.kind is not Kind.FUNCTION:
        return item
    inner = item.get("function", item)
    head = {
        "name": tool.name,
        "description": tool.description,
        schema_key: {"type": "object", **_inputs(tool)},
    }
    filled = {**head, **{key: value for key, value in inner.items() if key not in head}}
    return {"type": "function", "function": filled} if "function" in item else filled


def _check(tool: object) -> None:
    if not isinstance(tool, CanonicalTool):
        reason = f"emitters take a CanonicalTool, found {type(tool).__name__}; canonicalize it"
        raise UnreadableTool("canonical", "", reason)


def _inputs(tool: CanonicalTool) -> JsonObject:
    schema = tool.input_schema if is_foreign(tool.inputs) else tool.inputs
    return {key: copy_json(value) for key, value in (schema or {"properties": {}}).items()}


def emit_openai(tool: CanonicalTool) -> JsonObject:
    """``{"type": "function", "function": {name, description, parameters}}``."""
    return _emit(tool, "openai", "parameters")


def emit_anthropic(tool: CanonicalTool) -> JsonObject:
    """``{name, description, input_schema}``."""
    return _emit(tool, "anthropic", "input_schema")


def emit_mcp(tool: CanonicalTool) -> JsonObject:
    """``{name, description, inputSchema}``."""
    return _emit(tool, "mcp", "inputSchema")


def emit_langchain(tool: CanonicalTool) -> JsonObject:
    """``{name, description, args_schema}``."""
    return _emit(tool, "langchain", "args_schema")


def emit_gemini(tool: CanonicalTool) -> JsonObject:
    """One function declaration."""
    return _emit(tool, "gemini")


def emit_bedrock(tool: CanonicalTool) -> JsonObject:
    """``{"toolSpec": …}``."""
    return _emit(tool, "bedrock")


def emit_json_schema(tool: CanonicalTool, *, dialect: str = SCHEMA_2019_09) -> JsonObject:
    """Return a schema document with the tool's name, capabilities and security as extensions.

    ``dialect`` is a URI, or short for one: 2020-12, 2019-09, draft-07 … The schema is written in
    the keywords of that draft; for an unknown draft it is unchanged.
    """
    _check(tool)
    uri = dialect
    if ":" not in dialect:
        root = "http://json-schema.org" if dialect.startswith("draft-") else _NEW_ROOT
        uri = f"{root}/{dialect}/schema{'#' if dialect.startswith('draft-') else ''}"
    written_for = next((d for d in get_target("json-schema").dialects if _is_for(d, uri)), None)
    inputs, outputs = tool.inputs, tool.outputs
    if written_for is not None:
        inputs = lower(inputs, written_for).schema
        outputs = lower(outputs, written_for, False).schema
    head: JsonObject = {"$schema": uri, "title": tool.name, "description": tool.description}
    out = {**head, **{k: v for k, v in copy_json(inputs).items() if k not in head}}
    if outputs:
        out["x-outputs"] = copy_json(outputs)
    out["x-capabilities"] = tool.capabilities.model_dump()
    if tool.security is not None:
        out["x-security"] = tool.security.model_dump()
    return out


def _is_for(dialect: Dialect, uri: str) -> bool:
    return dialect.draft is not None and URIS[dialect.draft].strip("#") == uri.strip("#")


EMITTERS = {
    "openai": emit_openai,
    "anthropic": emit_anthropic,
    "mcp": emit_mcp,
    "json-schema": emit_json_schema,
    "langchain": emit_langchain,
    "gemini": emit_gemini,
    "bedrock": emit_bedrock,
}

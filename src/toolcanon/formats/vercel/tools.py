"""Tools, dialects, and the rules of the SDK for histories.

Applications write a record, ``{name: {description, inputSchema}}``; its JSON is read as well, and
is written as a record again. A tool that a provider runs has an id instead of a schema; in a record
the key is its name, whatever other names it has.

The provider of the model may reject what the SDK passes on: such rules are not certain here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolcanon.dialect import Dialect, NamePolicy, Source
from toolcanon.dialect.history import HistoryRules, RuleRefusal
from toolcanon.formats.wire import (
    Format,
    LoweredTool,
    Match,
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
from toolcanon.formats.wire.dialects import ADVISORY, NOT_FINITE
from toolcanon.formats.wire.format import (
    ABSENT,
    BUILTIN,
    SHAPE,
    SPELLING,
    located,
    no_parameters,
    of_type,
)
from toolcanon.ir import CanonicalTool, Kind, stated_hints
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject

ID: Final = "vercel"
AWAITS: Final = "$awaits"
"""The mark of a call that waits for the user's approval, or for its tool after that."""
REQUEST: Final = "tool-approval-request"
RESPONSE: Final = "tool-approval-response"
_CHECKED: Final = "2026-11"
_PROMPT: Final = "ai 7.0.170 src/prompt/convert-to-language-model-prompt.ts"

RULES: Final = HistoryRules(
    said_elsewhere=(),
    joined=frozenset({"tool", "assistant"}),
    async_key=AWAITS,
    lists_allowed=False,
    quiet=(REQUEST, RESPONSE),
    refusals={
        "call-without-result": RuleRefusal(
            "AI_MissingToolResultsError: Tool result is missing for tool call ID.",
            Source(_PROMPT, _CHECKED, "at every message of the user, and at the end"),
            taken=("async",),
        ),
        "orphan-result": RuleRefusal(
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding "
            "message with 'tool_calls'.",
            Source(_PROMPT, _CHECKED, "passed on: the model's provider rejects it"),
            is_certain=False,
        ),
        "result-too-late": RuleRefusal(
            "AI_MissingToolResultsError: Tool result is missing for tool call ID.",
            Source(_PROMPT, _CHECKED, "results come before the user speaks"),
            unsure=("model-between",),
        ),
        "two-results": RuleRefusal(
            "each tool_use must have a single result",
            Source(_PROMPT, _CHECKED, "passed on: the model's provider rejects it"),
            is_certain=False,
        ),
        "call-id-twice": RuleRefusal(
            "`tool_use` ids must be unique",
            Source(_PROMPT, _CHECKED, "passed on: the model's provider rejects it"),
            is_certain=False,
            taken=("apart",),
        ),
        "call-id-illegal": RuleRefusal(
            "Invalid input: expected string, received undefined",
            Source(
                "ai 7.0.170 src/prompt/content-part.ts",
                _CHECKED,
                "toolCallId is a text in the schema of messages that the package exports",
            ),
            taken=("empty-id",),
        ),
        "empty-message": RuleRefusal(
            "Message must contain at least one part",
            Source("ai 7.0.170 src/ui/validate-ui-messages.ts", _CHECKED, "of UIMessages"),
            is_certain=False,
            taken=("assistant",),
        ),
        "choice-without-tools": RuleRefusal(
            "tool_choice may only be specified while providing tools",
            Source("ai 7.0.170 src/prompt/prepare-tool-choice.ts", _CHECKED, "passed on"),
            is_certain=False,
        ),
        "number-not-finite": RuleRefusal(
            "Invalid input: expected number, received NaN", NOT_FINITE
        ),
    },
    ids=NamePolicy(r"\s\S", 100_000),
)


RECORD = "record"
SCHEMA, EXAMPLES, OUTPUTS = "inputSchema", "inputExamples", "outputSchema"
HELD = "jsonSchema"  # what the SDK's jsonSchema() is dumped as

ENTRY = reading(
    {
        "title": ("title", str),
        "description": ("description", str),
        SCHEMA: ("inputs", dict),
        OUTPUTS: ("outputs", dict),
        EXAMPLES: ("examples", list),
    },
    hints={"strict": "strict"},
)
TOOL = reading({"name": ("name", str), **ENTRY.fields}, ENTRY.hints)
KNOWN = {"providerOptions": of_type(dict)}
PROVIDED = ("provider", "provider-defined")

_FUNCTION = Match(1.0, "type 'function' with a flat 'inputSchema'")
_RECORD = Match(0.9, "names with an 'inputSchema' or a provider's id each", many=True)


def sniff(definition: JsonObject) -> Match | None:
    kind = definition.get("type")
    if kind is not None:
        if kind == "function" and "name" in definition and SCHEMA in definition:
            return _FUNCTION
        if _has_provider(definition):
            return Match(1.0, f"type {kind!r} with an id")
    if isinstance(definition.get("name"), str):  # as most have, and no record
        return None
    return _RECORD if definition and all(map(_is_entry, definition.values())) else None


def _has_provider(definition: JsonObject) -> bool:
    kind = definition.get("type")
    return isinstance(kind, str) and kind in PROVIDED and isinstance(definition.get("id"), str)


def _is_entry(item: Json) -> bool:
    """Return whether it is an entry of a record; a tool with its own name is another format's."""
    if not isinstance(item, dict):
        return False
    return _has_provider(item) or ("name" not in item and isinstance(item.get(SCHEMA), dict))


def read(definition: JsonObject) -> CanonicalTool:
    if definition.get("type") in PROVIDED and SCHEMA not in definition:
        return build_builtin(ID, definition.get("name") or definition["type"], definition)
    said, left, noted = take(definition, TOOL, ID)
    if left.get("type") == "function":
        del left["type"]
    if SCHEMA not in definition:
        noted[ABSENT] = [SCHEMA]
    _read_parts(said, left, noted)
    return build(ID, said, left, noted, definition)


def _read_parts(said: JsonObject, left: JsonObject, noted: JsonObject) -> None:
    """A schema may come in the SDK's holder, an example always comes in one."""
    for key, field in ((SCHEMA, "inputs"), (OUTPUTS, "outputs")):
        stated = said.get(field, {})
        if stated.keys() == {HELD} and isinstance(stated[HELD], dict):
            noted.setdefault(SPELLING, {})[key] = stated
            said[field] = stated[HELD]
    examples = said.get("examples")
    if examples is None:
        return
    if all(isinstance(item, dict) and item.keys() == {"input"} for item in examples):
        said["examples"] = [item["input"] for item in examples]
    else:
        left[EXAMPLES] = said.pop("examples")


def spread(definition: JsonObject) -> list[CanonicalTool]:
    """Read the tools of a record, each of which notes that it was in one."""
    tools = []
    for name, item in definition.items():
        with located(str(Pointer((name,)))):
            if SCHEMA not in item:
                said: JsonObject = {"kind": Kind.BUILTIN}
                left: JsonObject = {}
                noted: JsonObject = {BUILTIN: item}
            else:
                said, left, noted = take(item, ENTRY, ID)
                _read_parts(said, left, noted)
            said["name"] = name
            noted[SHAPE] = RECORD
            tools.append(build(ID, said, left, noted, {name: item}))
    return tools


def write(tool: CanonicalTool, wire: LoweredTool) -> JsonObject:
    said = tool.__dict__
    own = own_extras(tool, ID)
    if said.get("kind") is Kind.BUILTIN:
        return _write_builtin(notes(own), wire)
    noted = notes(own) if wire.verbatim else {}
    spelled = noted.get(SPELLING, ())
    out: JsonObject = {}
    if description := said.get("description"):
        out["description"] = description
    if wire.inputs and SCHEMA not in spelled:
        out[SCHEMA] = wire.inputs
    elif not (wire.verbatim and is_spelled(own, SCHEMA)):
        out[SCHEMA] = no_parameters()
    # Passed to the model's provider, whose rules for it are not known here.
    strict = stated_hints(tool).get("strict", wire.strict)
    if strict is not None:
        out["strict"] = strict
    examples = said.get("examples")
    if examples and (wire.verbatim or all(isinstance(example, dict) for example in examples)):
        out[EXAMPLES] = [{"input": example} for example in examples]
    if wire.verbatim and tool.source_format == ID:  # a record has room for it, a model's tool not
        if title := said.get("title"):
            out["title"] = title
        if wire.outputs and OUTPUTS not in spelled:
            out[OUTPUTS] = wire.outputs
    if own:
        out = restore_extras(out, own, KNOWN, verbatim=wire.verbatim)
    if noted.get(SHAPE) == RECORD:
        return {wire.name: out}
    return {"type": "function", "name": wire.name, **out}


def _write_builtin(noted: JsonObject, wire: LoweredTool) -> JsonObject:
    """Write a provider's tool unchanged; outside its record its name is a member of its own."""
    item = dict(noted[BUILTIN])
    if noted.get(SHAPE) != RECORD:
        return item
    return {wire.name: item} if wire.verbatim else {**item, "name": wire.name}


def assemble(items: Sequence[tuple[CanonicalTool, JsonObject]]) -> Json:
    """Write the tools of a record as a record again, unless two of them share a name."""
    written = [item for _, item in items]
    if any(isinstance(item.get("type"), str) for item in written):  # a tool may be called so
        return written
    names = [name for item in written for name in item]
    if len({*names}) < len(names):
        return written
    return {name: member for item in written for name, member in item.items()}


def force(name: str, is_text: bool) -> Json:  # noqa: FBT001
    del is_text
    return {"type": "tool", "toolName": name}


DEFAULT = Dialect(
    id=ID,
    version="2026-11",
    title="language model tools",
    sources=(
        Source("@ai-sdk/provider 4.0.37", "2026-11", "a JSON Schema is passed on as it is"),
        Source("github.com/vercel/ai function-tool.ts", "2026-11", "no rule for names"),
    ),
    keywords=ADVISORY,
    history=RULES,
)

FORMAT = Format(
    id=ID,
    title="Vercel AI SDK",
    known_as=("ai-sdk",),
    sources=(Source("@ai-sdk/provider 4.0.37 and 3.x types", "2026-11", "V2 to V4 shapes"),),
    signals=frozenset({SCHEMA, "type"}),
    anywhere=True,
    sniff=sniff,
    rank=2,
    containers=(("tools",),),
    read=read,
    spread=spread,
    write=write,
    is_regular=True,
    schema_signals=frozenset({HELD}),
    assemble=assemble,
    force=force,
    codec=codec_beside(__name__),
    dialects=(DEFAULT,),
)

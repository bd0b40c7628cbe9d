"""Tools, dialects, and the rules that the provider holds histories against."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from toolcanon.dialect import Dialect, NamePolicy, Source
from toolcanon.dialect.history import HistoryRules, RuleRefusal
from toolcanon.errors import UnreadableTool
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
from toolcanon.formats.wire.dialects import (
    ADVISORY,
    CHAT_NAMES,
    ENDS_WITH_USER,
    GOES_ON,
    NOT_FINITE,
    OPTIONAL_MEMBERS,
    STAND_IN_SEALS,
)
from toolcanon.formats.wire.format import ABSENT, AROUND, BUILTIN, SHAPE, SPELLING, no_parameters
from toolcanon.ir import CanonicalTool, Kind
from toolcanon.jsonio.types import Json, JsonObject

_CHECKED: Final = "2026-11"

RULES: Final = HistoryRules(
    said_elsewhere=(),
    refusals={
        "call-without-result": RuleRefusal(
            "Expected toolResult blocks at messages.N.content for the following Ids: ID",
            Source("docs.aws.amazon.com/bedrock", _CHECKED),
        ),
        "orphan-result": RuleRefusal(
            "The number of toolResult blocks at messages.N.content exceeds the number of toolUse "
            "blocks of previous turn.",
            Source("docs.aws.amazon.com/bedrock", _CHECKED),
        ),
        "result-too-late": RuleRefusal(
            "Expected toolResult blocks at messages.N.content for the following Ids: ID",
            Source("docs.aws.amazon.com/bedrock", _CHECKED),
            unsure=("words-between", "system-between"),
        ),
        "text-before-result": RuleRefusal(
            "Conversation blocks and tool result blocks cannot be provided in the same turn.",
            Source("github.com/langchain-ai/langchain-aws/issues/141", _CHECKED, "some models"),
            is_certain=False,
        ),
        "two-results": RuleRefusal(
            "The number of toolResult blocks at messages.N.content exceeds the number of toolUse "
            "blocks of previous turn.",
            Source("docs.aws.amazon.com/bedrock", _CHECKED),
        ),
        "call-id-twice": RuleRefusal(
            "The toolUse blocks contain duplicate Ids",
            Source("github.com/BerriAI/litellm/pull/20049", _CHECKED, "not literally"),
            unsure=("apart",),
        ),
        "call-id-illegal": RuleRefusal(
            "Value at 'messages.N.member.content.M.member.toolUse.toolUseId' failed to satisfy "
            "constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.:-]+",
            Source("botocore 1.44.0 service model", _CHECKED, "older: no dot, no colon"),
            unsure=("unusual",),
        ),
        "call-name-illegal": RuleRefusal(
            "Value at 'messages.N.member.content.M.member.toolUse.name' failed to satisfy "
            "constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
            Source("botocore 1.44.0 service model", _CHECKED),
        ),
        "tool-name-twice": RuleRefusal(
            "The tools in toolConfig contain duplicate names",
            Source("docs.aws.amazon.com/bedrock", _CHECKED, "not literally"),
        ),
        "tools-missing": RuleRefusal(
            "The toolConfig field must be defined when using toolUse and toolResult content "
            "blocks.",
            Source("github.com/aws-samples/bedrock-access-gateway/issues/239", _CHECKED),
        ),
        "empty-text": RuleRefusal(
            "The text field in the ContentBlock object at messages.N.content.M is blank",
            Source("github.com/NousResearch/hermes-agent/issues/55092", _CHECKED),
        ),
        "empty-message": RuleRefusal(
            "The content field in the Message object at messages.N is empty",
            Source("docs.aws.amazon.com/bedrock", _CHECKED, "not literally"),
        ),
        "error-without-words": RuleRefusal(
            "The content field at messages.N.content.0.toolResult cannot be empty when status "
            "value is error.",
            Source(
                "github.com/aws-samples/sample-multi-agent-orchestration-chat-on-agentcore/15",
                _CHECKED,
            ),
        ),
        "first-not-user": RuleRefusal(
            "A conversation must start with a user message.",
            Source("docs.aws.amazon.com/bedrock", _CHECKED),
        ),
        "same-role-twice": RuleRefusal(
            "A conversation must alternate between user and assistant roles.",
            Source("docs.aws.amazon.com/bedrock", _CHECKED),
        ),
        "ends-with-assistant": RuleRefusal(
            "This model does not support assistant message prefill. The conversation must end with "
            "a user message.",
            Source("github.com/strands-agents/sdk-python/issues/1694", _CHECKED, "from 4.6 on"),
            is_certain=False,
            surely=ENDS_WITH_USER,
            sparing=rf"{GOES_ON}|^(?!.*claude)",
        ),
        "arguments-no-object": RuleRefusal(
            "The format of the value at messages.N.content.M.toolUse.input is invalid.",
            Source("docs.aws.amazon.com/bedrock", _CHECKED, "not literally"),
        ),
        "foreign-reasoning": RuleRefusal(
            "Invalid `signature` in `thinking` block",
            Source("github.com/vybestack/llxprt-code/issues/2335", _CHECKED, "by model"),
            unsure=("other-model", "other-provider"),
        ),
        "reasoning-unsealed": RuleRefusal(
            "messages.N.content.M.thinking.signature: Field required",
            Source("github.com/vybestack/llxprt-code/issues/2335", _CHECKED, "models that sign"),
            is_certain=False,
        ),
        "reasoning-missing": RuleRefusal(
            "Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
            Source("github.com/vybestack/llxprt-code/issues/2335", _CHECKED, "models that sign"),
            is_certain=False,
        ),
        "forced-while-thinking": RuleRefusal(
            "Thinking may not be enabled when tool_choice forces tool use.",
            Source("github.com/srtab/daiv/issues/527", _CHECKED, "models that sign"),
            is_certain=False,
        ),
        "choice-without-tools": RuleRefusal(
            "Parameter validation failed: Invalid length for parameter toolConfig.tools, value: 0, "
            "valid min length: 1",
            Source("botocore 1.44.0 service model", _CHECKED),
        ),
        "choice-unknown": RuleRefusal(
            "The tool of toolChoice is not among the tools of toolConfig",
            Source("docs.aws.amazon.com/bedrock", _CHECKED, "not literally"),
            is_certain=False,
        ),
        "member-misshapen": RuleRefusal(
            "Parameter validation failed: Invalid type for parameter messages[N].content, value: "
            "x, type: <class 'str'>, valid types: <class 'list'>, <class 'tuple'>",
            Source("botocore 1.44.0 service model", _CHECKED),
        ),
        "call-unreadable": RuleRefusal(
            "Parameter validation failed: Missing required parameter in "
            'messages[N].content[M].toolUse: "name"',
            Source("botocore 1.44.0 service model", _CHECKED),
        ),
        "number-not-finite": RuleRefusal("The request body is not valid JSON", NOT_FINITE),
    },
    ids=NamePolicy("a-zA-Z0-9_.:-", 64),
    usual_ids=NamePolicy("a-zA-Z0-9_-", 64),
    names=NamePolicy("a-zA-Z0-9_-", 64),
    quiet=("cachePoint",),
    lists_allowed=False,
    forbids_calls=False,
    tool_items=("toolAddition",),
    thinking=("additionalModelRequestFields", "thinking", "type"),
    foreign_seals=STAND_IN_SEALS,
    nullable=frozenset(),
    call_natives=("toolUse",),
)


ID = "bedrock"
BARE = "bare"

SPEC = reading(
    {"name": ("name", str), "description": ("description", str), "inputSchema": ("wrapped", dict)},
    hints={"strict": "strict"},
)


_TOOL_SPEC = Match(1.0, "'toolSpec'")
_BARE_SPEC = Match(0.9, "'inputSchema' wrapped in 'json'")


def sniff(definition: JsonObject) -> Match | None:
    if isinstance(definition.get("toolSpec"), dict):
        return _TOOL_SPEC
    for key in ("systemTool", "cachePoint"):
        if isinstance(definition.get(key), dict):
            return Match(1.0, repr(key))
    schema = definition.get("inputSchema")
    if isinstance(schema, dict) and schema.keys() == {"json"} and "name" in definition:
        return _BARE_SPEC
    return None


def read(definition: JsonObject) -> CanonicalTool:
    spec = definition.get("toolSpec")
    if spec is None:
        for key in ("systemTool", "cachePoint"):
            inner = definition.get(key)
            if isinstance(inner, dict):
                # A cache point is no tool, but it belongs between them and must not get lost.
                return build_builtin(ID, inner.get("name") or key, definition)
        spec = definition
    if not isinstance(spec, dict):
        raise UnreadableTool(ID, "/toolSpec", "toolSpec must be an object")
    said, left, noted = take(spec, SPEC, ID, "" if spec is definition else "/toolSpec")
    place = "" if spec is definition else "/toolSpec"
    if "inputSchema" in left:
        raise UnreadableTool(ID, f"{place}/inputSchema", "inputSchema must be an object")
    wrapped = said.pop("wrapped", None)
    if wrapped is not None:
        schema = wrapped.get("json")
        if not isinstance(schema, dict) or len(wrapped) > 1:
            reason = "inputSchema must hold one object under 'json'"
            raise UnreadableTool(ID, f"{place}/inputSchema", reason)
        if schema:
            said["inputs"] = schema
        else:
            noted.setdefault(SPELLING, {})["inputSchema"] = wrapped
    elif "inputSchema" not in spec:
        noted[ABSENT] = ["inputSchema"]
    if spec is definition:
        noted[SHAPE] = BARE
    elif len(definition) > 1:
        noted[AROUND] = {key: value for key, value in definition.items() if key != "toolSpec"}
    return build(ID, said, left, noted, definition, place)


def write(tool: CanonicalTool, wire: LoweredTool) -> JsonObject:
    said = tool.__dict__
    own = own_extras(tool, ID)
    if said.get("kind") is Kind.BUILTIN:
        return dict(notes(own)[BUILTIN])
    out: JsonObject = {"name": wire.name}
    if description := said.get("description"):  # an empty one is rejected
        out["description"] = description
    if wire.inputs:
        out["inputSchema"] = {"json": wire.inputs}
    elif not (wire.verbatim and is_spelled(own, "inputSchema")):
        out["inputSchema"] = {"json": no_parameters()}
    if wire.strict is not None:
        out["strict"] = wire.strict
    if not own:
        return {"toolSpec": out}
    out = restore_extras(out, own, {}, verbatim=wire.verbatim)
    noted = notes(own) if wire.verbatim else {}
    if noted.get(SHAPE) == BARE:
        return out
    return {"toolSpec": out, **noted.get(AROUND, {})}


def request(tools: Json, strict: bool) -> JsonObject:  # noqa: FBT001
    del strict
    return {"toolConfig": {"tools": tools}}


def force(name: str, is_text: bool) -> Json:  # noqa: FBT001
    del is_text
    return {"tool": {"name": name}}


DEFAULT = Dialect(
    id=ID,
    history=RULES,
    version="2026-11",
    title="Converse",
    sources=(
        Source(
            "https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use.html",
            "2026-11",
            "an object at the root",
        ),
    ),
    keywords=ADVISORY,
    root_unions=False,
    routes=("bedrock",),
    usual=5,
)

STRICT = replace(
    OPTIONAL_MEMBERS,
    id=f"{ID}/strict",
    version="2026-11",
    title="Converse, structured outputs",
    sources=(
        Source(
            "https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html",
            "2026-11",
            "the subset",
        ),
        Source("pydantic-ai 2.66.0, tested live by its authors", "2026-10", "rejected keywords"),
    ),
    routes=DEFAULT.routes,
)


FORMAT = Format(
    id=ID,
    codec=codec_beside(__name__),
    title="Amazon Bedrock Converse",
    known_as=("aws", "converse", "amazon"),
    sources=(Source("botocore 1.44.0 service model", "2026-11", "shapes, lengths and patterns"),),
    signals=frozenset({"toolSpec", "systemTool", "cachePoint", "inputSchema"}),
    sniff=sniff,
    containers=(("tools",), ("toolConfig", "tools")),
    read=read,
    write=write,
    is_regular=True,
    request=request,
    force=force,
    dialects=(DEFAULT, STRICT),
    names=CHAT_NAMES,
)

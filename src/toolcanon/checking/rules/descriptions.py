"""Rules about descriptions of tools and parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from toolcanon.checking.rule import Rule, RuleHit
from toolcanon.infer import infer, parameter_words, words_of
from toolcanon.ir import stated_hints
from toolcanon.ir.walk import ToolView
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.text import safe

_AT: Final = Pointer(("description",))


def _find_description_missing(subject: ToolView) -> Iterator[RuleHit]:
    if subject.is_function and not subject.tool.description.strip():
        yield RuleHit(_AT, "the tool has no description")


DESCRIPTION_MISSING_RULE = Rule(
    code="Q101",
    name="description-missing",
    level="warning",
    says="a tool has no description",
    why="A model chooses tools by their descriptions. With a name alone it guesses when to call "
    "the tool and what it returns.",
    remedy="state in one or two sentences what it does, when to use it and what it returns",
    wrong=({"name": "list_users", "inputSchema": {"type": "object"}},),
    right=(
        {
            "name": "list_users",
            "description": "Lists the users of a team, the newest first.",
            "inputSchema": {"type": "object"},
        },
    ),
    look=_find_description_missing,
)


_TOOL: Final = 4096
_PARAMETER: Final = 1024


def _find_description_too_long(subject: ToolView) -> Iterator[RuleHit]:
    if (length := len(subject.tool.description)) > _TOOL:
        yield RuleHit(Pointer(("description",)), f"the description has {length:,} characters")
    for parameter in subject.parameters:
        text = parameter.schema.get("description")
        if isinstance(text, str) and len(text) > _PARAMETER:
            name = safe(parameter.name, 60)
            yield RuleHit(
                parameter.at / "description",
                f"the description of {name} has {len(text):,} characters",
            )


DESCRIPTION_TOO_LONG_RULE = Rule(
    code="Q114",
    name="description-too-long",
    level="info",
    says="a description is very long",
    why="Every request pays for it, some clients cut it off, and important parts are missed.",
    remedy="begin with what the tool does and when to use it, and move the rest to the "
    "parameters, to a result of the tool, or to documentation",
    wrong=({"name": "query", "description": "Runs a query. " + "Mind the quotes. " * 300},),
    right=({"name": "query", "description": "Runs a query. Mind the quotes."},),
    look=_find_description_too_long,
)


_PLACEHOLDER_LENGTH: Final = 80
_PLACEHOLDERS: Final = frozenset(
    """
    todo|tbd|fixme|n/a|na|none|null|undefined|xxx|test|foo|bar|description|description here|
    no description|no description provided|no description available|missing description|
    add description|add a description|add description here|your description here|
    insert description here|enter description|tool|a tool|the tool|this tool|my tool|function|
    a function|my function|a test tool|a test function|test tool|a dummy tool|a sample tool|
    lorem ipsum
    """.replace("\n    ", "").split("|")
)
_EMPTY: Final = frozenset("a an the this that tool function method api to for of is".split())
_NEAR: Final = 3


def _find_description_useless(subject: ToolView) -> Iterator[RuleHit]:
    text = subject.tool.description
    if len(text) > _PLACEHOLDER_LENGTH or not text.strip():
        return
    if text.lower().strip(" \t\n.!…-_*<>[](){}\"'`") in _PLACEHOLDERS or not any(
        map(str.isalnum, text)
    ):
        yield RuleHit(_AT, f"the description is a placeholder: {safe(text)!r}")
    elif _repeats(text, subject.tool.name):
        yield RuleHit(_AT, f"the description only repeats the name: {safe(text)!r}", level="info")


def _repeats(text: str, name: str) -> bool:
    if not text.isascii():  # not every writing system separates words by spaces
        return False
    near = name.lower()
    for word in text.lower().split():  # most texts soon have a word that the name does not have
        if word not in _EMPTY and word[:_NEAR] not in near:
            return False
    named = {_stem(word) for word in words_of(name)}
    return all(word in _EMPTY or _stem(word) in named for word in words_of(text))


def _stem(word: str) -> str:
    return word.removesuffix("es").removesuffix("s").removesuffix("e")


DESCRIPTION_USELESS_RULE = Rule(
    code="Q102",
    name="description-useless",
    level="warning",
    says="a description only repeats the name",
    why="It costs tokens in every request and does not help a model to choose or to call the tool.",
    remedy="state when to use the tool and what it returns, or how it differs from similar tools",
    wrong=(
        {"name": "get_user", "description": "Gets the user."},
        {"name": "sync", "description": "TODO"},
    ),
    right=(
        {"name": "get_user", "description": "Looks up a user by e-mail address."},
        {"name": "sync", "description": "Fetches new mail from the server."},
    ),
    look=_find_description_useless,
)


def _compare(subjects: Sequence[ToolView]) -> Iterator[tuple[int, RuleHit]]:
    first: dict[str, ToolView] = {}
    for number, subject in enumerate(subjects):
        text = "".join(filter(str.isalnum, subject.tool.description)).casefold()
        if not text:
            continue
        other = first.setdefault(text, subject)
        if other is not subject and other.tool.inputs != subject.tool.inputs:
            yield number, RuleHit(Pointer(("description",)), f"{safe(subject.name)} has the same "
                              f"description as {safe(other.name)}")  # fmt: skip


SAME_DESCRIPTION_RULE = Rule(
    code="Q108",
    name="same-description",
    level="warning",
    says="two different tools have the same description",
    why="A model cannot distinguish them, and chooses by chance.",
    remedy="state in each how it differs, and when to use the other",
    wrong=(
        {
            "name": "find_file",
            "description": "Finds files.",
            "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
        },
        {
            "name": "grep",
            "description": "Finds files.",
            "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
        },
    ),
    right=(
        {
            "name": "find_file",
            "description": "Finds files by name.",
            "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
        },
        {
            "name": "grep",
            "description": "Finds files by what is in them.",
            "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
        },
    ),
    compare=_compare,
)


_SPEAKING: Final = frozenset({"description", "enum", "const", "examples", "deprecated"})
_SHOWN: Final = 5
_LONGEST: Final = 60
_DEFS: Final = "#/$defs/"


def _find_parameter_undescribed(subject: ToolView) -> Iterator[RuleHit]:
    bare = [
        parameter
        for parameter in subject.parameters
        if _SPEAKING.isdisjoint(parameter.schema)
        and not _is_described(parameter.schema, subject.schema)
    ]
    if not bare:
        return
    names = ", ".join(safe(parameter.name, _LONGEST) for parameter in bare[:_SHOWN])
    more = f" and {len(bare) - _SHOWN} more" if len(bare) > _SHOWN else ""
    at = bare[0].at if len(bare) == 1 else Pointer(bare[0].at[:-1])
    yield RuleHit(at, f"{len(bare)} of {len(subject.parameters)} parameters have no description: "
              f"{names}{more}")  # fmt: skip


def _is_described(schema: JsonObject, root: JsonObject) -> bool:
    """Return whether a definition or one of its branches describes the parameter."""
    for branch in (schema, *_branches(schema)):
        if isinstance(branch, dict):
            if not _SPEAKING.isdisjoint(branch):
                return True
            named = branch.get("$ref")
            definitions = root.get("$defs")
            if (
                isinstance(named, str)
                and named.startswith(_DEFS)
                and isinstance(definitions, dict)
                and isinstance(found := definitions.get(named.removeprefix(_DEFS)), dict)
                and not _SPEAKING.isdisjoint(found)
            ):
                return True
    return False


def _branches(schema: JsonObject) -> Iterator[Json]:
    for word in ("anyOf", "oneOf", "allOf"):
        if isinstance(branches := schema.get(word), list):
            yield from branches


PARAMETER_UNDESCRIBED_RULE = Rule(
    code="Q103",
    name="parameter-undescribed",
    level="info",
    says="parameters have no description",
    why="Where a name can mean two things (an id or a name, metres or miles) a model guesses.",
    remedy="describe each: its meaning, the unit, the format, where the value comes from",
    wrong=(
        {
            "name": "move",
            "description": "Moves the robot.",
            "inputSchema": {"type": "object", "properties": {"distance": {"type": "number"}}},
        },
    ),
    right=(
        {
            "name": "move",
            "description": "Moves the robot.",
            "inputSchema": {
                "type": "object",
                "properties": {"distance": {"type": "number", "description": "In metres."}},
            },
        },
    ),
    look=_find_parameter_undescribed,
)


_VAGUE: Final = frozenset(
    """
    arg args argument arguments arr data dict foo info input inputs item json kwargs obj object
    opts options param parameter parameters params payload req request stuff thing tmp val value
    values var
    """.split()
)
_ANYTHING: Final = frozenset({"string", "object", "array"})
_TOP: Final = 3
_SILENT: Final = frozenset({"type", "title", "default", "additionalProperties"})


def _find_parameter_vague(subject: ToolView) -> Iterator[RuleHit]:
    for parameter in subject.parameters:
        if parameter.name.lower() not in _VAGUE or not parameter.schema.keys() <= _SILENT:
            continue
        if len(parameter.at) != _TOP:  # a nested one is explained by the object around it
            continue
        kind = parameter.schema.get("type", "object")
        if isinstance(kind, str) and kind in _ANYTHING:
            yield RuleHit(parameter.at, f"{parameter.name} has no description")


PARAMETER_VAGUE_RULE = Rule(
    code="Q111",
    name="parameter-vague",
    level="warning",
    says="a parameter has a meaningless name and no description",
    why="A model knows only names, types and descriptions, and here none of them states what to "
    "send.",
    remedy="use a specific name, or describe it",
    wrong=(
        {
            "name": "notify",
            "description": "Greets a user.",
            "inputSchema": {"type": "object", "properties": {"data": {"type": "object"}}},
        },
    ),
    right=(
        {
            "name": "notify",
            "description": "Greets a user.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "data": {"type": "object", "description": "Values for the template, by name."}
                },
            },
        },
    ),
    look=_find_parameter_vague,
)


_WORDS_SHOWN: Final = 40
_PROMISES: Final = {"read_only": True, "destructive": False, "idempotent": True}
"""The value of a hint that makes hosts trust a tool; the other one makes them ask more often."""


def _find_hint_contradicts_words(subject: ToolView) -> Iterator[RuleHit]:
    tool = subject.tool
    hints = stated_hints(tool)
    if not hints:
        return
    parameters = parameter_words(subject.schema)
    for found in infer(tool.name, tool.description, hints, parameters).contradictions:
        evidence = found.evidence
        verb = "have" if evidence.field == "parameters" else "has"
        yield RuleHit(
            Pointer(("hints", found.hint)),
            f"{found.hint} is {str(found.stated).lower()}, but the {evidence.field} {verb} the "
            f"word {safe(evidence.word, _WORDS_SHOWN)!r}",
            level=None if _PROMISES.get(found.hint) is found.stated else "info",
        )


HINT_CONTRADICTS_WORDS_RULE = Rule(
    code="S113",
    name="hint-contradicts-words",
    level="warning",
    says="a hint contradicts the name or the description",
    why="Hosts run read-only tools without asking. A hint is an unverified claim; when the "
    "tool's own text contradicts it, one of them is wrong.",
    remedy="correct the hint, or the text",
    wrong=(
        {
            "name": "delete_user",
            "description": "Deletes a user.",
            "annotations": {"readOnlyHint": True},
        },
        {
            "name": "drop_table",
            "description": "Drops a table.",
            "annotations": {"readOnlyHint": False, "destructiveHint": False},
        },
    ),
    right=(
        {
            "name": "delete_user",
            "description": "Deletes a user.",
            "annotations": {"readOnlyHint": False, "destructiveHint": True},
        },
        {
            "name": "list_users",
            "description": "Lists users.",
            "annotations": {"readOnlyHint": True},
        },
    ),
    look=_find_hint_contradicts_words,
)


RULES = (
    DESCRIPTION_MISSING_RULE,
    DESCRIPTION_TOO_LONG_RULE,
    DESCRIPTION_USELESS_RULE,
    HINT_CONTRADICTS_WORDS_RULE,
    PARAMETER_UNDESCRIBED_RULE,
    PARAMETER_VAGUE_RULE,
    SAME_DESCRIPTION_RULE,
)

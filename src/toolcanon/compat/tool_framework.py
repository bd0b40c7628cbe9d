"""The fourth seed's registry of tools: one definition by a Pydantic model, for every provider.

A tool is returned in one form for all providers and checked in that form: nothing rewrites it on
its way to the provider, so what a provider would reject in it is reported as an issue.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from pydantic import BaseModel

from toolcanon.checking.compatibility import asked
from toolcanon.checking.payloads import check
from toolcanon.conversion.binding import Binding, bind_one, bound_tools
from toolcanon.conversion.read import read_payload
from toolcanon.diagnostics import CODES, Effect
from toolcanon.jsonio import copy_json
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering import lower

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
PROVIDERS: Final = ("openai", "anthropic", "gemini")
_LEGACY: Final = "#/components/schemas/"
_NO_DESCRIPTION: Final = "No description supplied."
_DEFINITIONS: Final = "#/$defs/"
_MEMBERS_ELSEWHERE: Final = frozenset({"$ref", "anyOf", "oneOf", "allOf"})
"""Keywords that declare members which ``additionalProperties`` beside them ignores."""

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class _Registered:
    name: str
    description: str
    param_model: type[BaseModel]
    function: Callable[..., Any]

    def schema(self) -> JsonObject:
        """Return the tool for Chat Completions, the form that LiteLLM takes for every provider."""
        made = self.param_model.model_json_schema(ref_template=f"{_DEFINITIONS}{{model}}")
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": _accepted(_complete(made)),
            },
        }


def _complete(made: JsonObject) -> JsonObject:
    """Return the model's schema with the root keywords that every provider expects."""
    reference = made.get("$ref", "")
    if reference.startswith(_DEFINITIONS):  # the root of a recursive model is a reference
        rest = {key: value for key, value in made.items() if key != "$ref"}
        made = {**made["$defs"][reference.removeprefix(_DEFINITIONS)], **rest}
    head: JsonObject = {
        "$schema": DRAFT,
        "type": made.get("type", "object"),
        "properties": made.get("properties", {}),
    }
    if _MEMBERS_ELSEWHERE.isdisjoint(made):
        head["additionalProperties"] = made.get("additionalProperties", False)
    return {**head, **{key: value for key, value in made.items() if key not in head}}


def _accepted(parameters: JsonObject) -> JsonObject:
    """Return the schema in keywords that every provider accepts.

    Only exact rewrites that do not change arguments are made: a call is executed with the
    arguments that the model wrote, without a binding to restore them.
    """
    for provider in PROVIDERS:
        dialect = asked(provider).dialect
        if dialect is None:
            continue
        lowered = lower(parameters, dialect)
        if lowered.effect is Effect.EXACT and lowered.document is None:
            parameters = lowered.schema
    return copy_json(parameters)  # type: ignore[no-any-return]  # a dict copies to a dict


_TOOLS: Final[dict[str, _Registered]] = {}


def register_tool(
    name: str | None = None,
    description: str | None = None,
    param_model: type[BaseModel] | None = None,
) -> Callable[[F], F]:
    """Register a function that takes one ``param_model``; the function is returned unchanged.

    Name and description default to the function's own. Raises ValueError when the name is taken.
    """
    if not (isinstance(param_model, type) and issubclass(param_model, BaseModel)):
        raise TypeError("register_tool needs a param_model: a Pydantic model of the arguments")

    def registered(function: F) -> F:
        called: str = name or str(getattr(function, "__name__", ""))
        if called in _TOOLS:
            raise ValueError(f"Tool {called!r} is already registered")
        text = description or inspect.getdoc(function) or _NO_DESCRIPTION
        _TOOLS[called] = _Registered(called, text, param_model, function)
        return function

    return registered


def list_tools() -> list[str]:
    """Return the names of all registered tools, in order of registration."""
    return list(_TOOLS)


def get_tool_schema(name: str) -> JsonObject:
    """Return one tool for Chat Completions. Raises ValueError for an unknown name."""
    return _found(name).schema()


def get_tools_for_agent(agent_config: Mapping[str, Any]) -> list[JsonObject]:
    """Return the tools that ``agent_config["tools"]`` names. Raises KeyError for an unknown one."""
    return [_TOOLS[name].schema() for name in agent_config.get("tools", ())]


def execute_tool(name: str, args: Any) -> Any:
    """Validate the arguments and call the function; return its result, awaitable or not.

    Raises ValueError for an unknown name; pydantic's ValidationError is one as well.
    """
    found = _found(name)
    if isinstance(args, str | bytes):
        model = found.param_model.model_validate_json(args)
    else:
        model = found.param_model.model_validate(args)
    return found.function(model)


def validate_tool_compatibility(
    name: str, providers: str | Iterable[str] | None = None
) -> dict[str, Any]:
    """Report whether each provider accepts a registered tool exactly as it is returned.

    The checked tool is ``["schema"]``, as returned by ``get_tools_for_agent``. A single provider
    may be given as a string. For an unknown provider ``compatible`` is None, and so is the total.
    """
    schema = get_tool_schema(name)
    results: dict[str, dict[str, Any]] = {}
    wanted = PROVIDERS if providers is None else providers
    for provider in (wanted,) if isinstance(wanted, str) else wanted:
        issues = list(_issues(schema["function"]["parameters"], provider))
        report = check(copy_json(schema), provider)
        verdict = report.worst(provider)
        if verdict == "unknown":
            issues.append(f"Unknown provider: {provider}")
        issues += [found.message for found in report.at_least("error")]
        issues += _rewrites(schema, provider)
        compatible = None if verdict == "unknown" else verdict != "rejected" and not issues
        results[provider] = {"compatible": compatible, "issues": issues}
    verdicts = [result["compatible"] for result in results.values()]
    return {
        "tool_name": name,
        "compatible": False if False in verdicts else None if None in verdicts else True,
        "providers": results,
        "issues": [f"{who}: {what}" for who, found in results.items() for what in found["issues"]],
        "schema": schema,
    }


def _found(name: str) -> _Registered:
    if name not in _TOOLS:
        raise ValueError(f"Tool '{name}' not found")
    return _TOOLS[name]


def _rewrites(schema: JsonObject, provider: str) -> Iterator[str]:
    """Yield what a conversion to the provider would change: the provider rejects it unchanged."""
    bind_target = asked(provider).bind_target
    if bind_target is None:
        return
    tool = read_payload(copy_json(schema), "openai")[0][0]
    binding = bind_one(Binding, tool, bind_target)
    wire = bound_tools(binding)[0].wire
    if wire is None or (wire.name, wire.inputs) == (tool.name, tool.inputs):
        return
    for loss in binding.losses:
        at = str(loss.at).replace("/inputs", "/parameters", 1)
        yield (
            f"{at} is not accepted unchanged ({loss.code} {loss.name}: {CODES[loss.code].says}); "
            "change it, or send the result of convert()"
        )


def _issues(parameters: JsonObject, provider: str) -> Iterator[str]:
    """Yield the issues that the seed's document lists, in its words."""
    if provider == "anthropic":
        draft = parameters.get("$schema")
        if not draft:
            yield "Missing $schema identifier for draft 2020-12"
        elif "2020-12" not in str(draft):
            yield f"Incorrect $schema version: {draft} (should include 2020-12)"
        for reference in _references(parameters):
            if reference.startswith(_LEGACY):
                yield f"Legacy $ref format found: {reference} (should use #/$defs/)"
        if "type" not in parameters:
            yield "Missing 'type' field in parameters schema"
        elif parameters["type"] != "object":
            yield f"Parameters type should be 'object', got '{parameters['type']}'"
        if "properties" not in parameters:
            yield "Missing 'properties' field in parameters schema"
    elif provider in PROVIDERS:
        for field in ("type", "properties"):
            if field not in parameters:
                yield f"Missing '{field}' field in parameters"


def _references(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for inner in value.values():
            yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)

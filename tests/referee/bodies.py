"""Is this body one that the provider's own package could have sent?

    sdk_faults("openai", {"messages": [...], "model": "m"}) == []

`body` is a request as it goes over the wire, or only its list of messages. Keys the types do not
know are faults, and so are those hidden in fields that the types check only when they are read.
What a package lets through although its model of the service states otherwise (lengths, patterns
and words in botocore; roles and the one payload of a part in google-genai) is looked at here.
"""

from __future__ import annotations

import base64
import binascii
import functools
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

Path = tuple[int | str, ...]


def sdk_faults(family: str, body: Any) -> list[str]:
    """What the types refuse, one line each: where, and why.

    Skips the test where the provider's package is not installed.
    """
    return _JUDGES[family](body) if isinstance(body, (dict, list)) else ["/: no body"]


def with_item_ids(body: Any) -> Any:
    """The body with ids on the model's messages of Responses.

    The types want one beside parts of the model's own; the service takes them without.
    """
    if isinstance(body, list):
        return [_with_item_id(item) for item in body]
    items = body.get("input")
    return body if not isinstance(items, list) else {**body, "input": with_item_ids(items)}


def _with_item_id(item: Any) -> Any:
    content = item.get("content") if isinstance(item, dict) else None
    if isinstance(content, list) and any(part.get("type") == "output_text" for part in content):
        return {"id": "msg_1", "status": "completed", "type": "message", **item}
    return item


# --- typed dictionaries: openai and anthropic


@functools.cache
def _adapter(package: str, name: str) -> TypeAdapter[Any]:
    return TypeAdapter(getattr(pytest.importorskip(package), name))


def _typed_faults(package: str, name: str, value: Any) -> list[str]:
    try:
        read = _adapter(package, name).validate_python(value, strict=True, extra="forbid")
    except ValidationError as error:
        return _told(error, ())
    return list(_drained(read, ()))


def _drained(value: Any, at: Path) -> Iterator[str]:
    """Fields typed as iterables are checked while one iterates, and not before."""
    if value is None or isinstance(value, (str, bytes, int, float)):
        return
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _drained(item, (*at, key))
        return
    items = []
    try:
        for item in value:
            items.append(item)  # noqa: PERF402 - what was read before it failed is wanted
    except ValidationError as error:
        yield from _told(error, at)
    for index, item in enumerate(items):
        yield from _drained(item, (*at, index))


_TAGS = ("type", "role")


def _told(error: ValidationError, at: Path) -> list[str]:
    """The complaints of those members of a union that the value was meant for."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    others = {
        each["loc"][:-1]
        for each in found
        if each["loc"] and each["loc"][-1] in _TAGS and each["type"] in {"literal_error", "missing"}
    }
    meant = [each for each in found if not any(_within(each["loc"], other) for other in others)]
    # Where a text may stand, or a list: that a list is no text is not news.
    telling = [each for each in meant if each["type"] != "string_type"] or meant
    unions = sorted({other[:-1] for other in others}, key=str)
    unknown = [
        union
        for union in unions
        if not any(_within(each["loc"], union) for each in meant)
        and not any(_within(union, other) for other in others)
    ]
    return [
        *(f"{_pointer((*at, *each['loc']))}: {each['msg']}" for each in telling),
        *(f"{_pointer((*at, *union))}: of no known type" for union in unknown),
    ]


def _within(path: Path, other: Path) -> bool:
    return path[: len(other)] == other


def _pointer(path: Iterable[int | str]) -> str:
    return "".join(f"/{step}" for step in path)


def _request_name(stem: str, body: Any) -> str:
    return f"{stem}ParamsStreaming" if body.get("stream") is True else f"{stem}ParamsNonStreaming"


def _listed_faults(package: str, name: str, items: Any, at: str = "") -> list[str]:
    """One by one: complaints about a whole list name every kind of item there is."""
    return [
        f"{at}/{index}{fault}"
        for index, item in enumerate(items)
        for fault in _typed_faults(package, name, item)
    ]


def _chat_faults(body: Any) -> list[str]:
    if isinstance(body, dict):
        package = "openai.types.chat.completion_create_params"
        return _typed_faults(package, _request_name("CompletionCreate", body), body)
    return _listed_faults("openai.types.chat", "ChatCompletionMessageParam", body)


def _responses_faults(body: Any) -> list[str]:
    item = ("openai.types.responses", "ResponseInputItemParam")
    if not isinstance(body, dict):
        return _listed_faults(*item, body)
    package = "openai.types.responses.response_create_params"
    name, items = _request_name("ResponseCreate", body), body.get("input")
    if not isinstance(items, list):
        return _typed_faults(package, name, body)
    rest = _typed_faults(package, name, {**body, "input": []})
    return rest + _listed_faults(*item, items, "/input")


def _claude_faults(body: Any) -> list[str]:
    """The stable types or else the beta ones: headers, which are not here, choose between them."""
    stable = _claude_typed("anthropic.types", "MessageParam", body)
    beta = _claude_typed("anthropic.types.beta", "BetaMessageParam", body) if stable else []
    return min(stable, beta, key=len)


def _claude_typed(package: str, message: str, body: Any) -> list[str]:
    if isinstance(body, dict):
        name = _request_name("MessageCreate", body)
        return _typed_faults(f"{package}.message_create_params", name, body)
    return _listed_faults(package, message, body)


# --- models: google-genai

_GEMINI_REQUEST = {
    "contents": "list[Content]",
    "systemInstruction": "Content",
    "tools": "list[Tool]",
    "toolConfig": "ToolConfig",
    "safetySettings": "list[SafetySetting]",
    "generationConfig": "GenerationConfig",
    "cachedContent": "str",
    "labels": "dict[str, str]",
    "model": "str",
}
_PAYLOADS = (
    "text inlineData fileData functionCall functionResponse executableCode codeExecutionResult "
    "toolCall toolResponse"
).split()


@functools.cache
def _gemini_adapter(name: str) -> TypeAdapter[Any]:
    types = pytest.importorskip("google.genai.types")
    if held := re.fullmatch(r"list\[(\w+)\]", name):
        several: Any = list
        return TypeAdapter(several[getattr(types, held[1])])
    plain: dict[str, Any] = {"str": str, "dict[str, str]": dict[str, str]}
    return TypeAdapter(plain[name] if name in plain else getattr(types, name))


def _camel(key: str) -> str:
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), key)


def _gemini_faults(body: Any) -> list[str]:
    if not isinstance(body, dict):
        return _gemini_typed("list[Content]", body, ()) or list(_gemini_shape(body, ""))
    faults = []
    for key, value in body.items():
        if name := _GEMINI_REQUEST.get(_camel(key)):
            faults += _gemini_typed(name, value, (key,))
        else:
            faults.append(f"/{key}: Extra inputs are not permitted")
    return faults or list(_gemini_shape(body.get("contents", []), "/contents"))


def _gemini_typed(name: str, value: Any, at: Path) -> list[str]:
    try:
        # As JSON: only then is text where bytes belong read as base64.
        _gemini_adapter(name).validate_json(json.dumps(value))
    except ValidationError as error:
        return _told(error, at)
    return []


def _gemini_shape(contents: list[Any], at: str) -> Iterator[str]:
    for index, content in enumerate(contents):
        if content.get("role", "user") not in {"user", "model", "function"}:
            yield f"{at}/{index}/role: no such role"
        for place, part in enumerate(content.get("parts") or ()):
            here = f"{at}/{index}/parts/{place}"
            payloads = [key for key in part if _camel(key) in _PAYLOADS and part[key] is not None]
            sealed = any(_camel(key) == "thoughtSignature" for key in part)
            if len(payloads) > 1 or not (payloads or sealed):
                yield f"{here}: a part has one payload, not {len(payloads)}"
            for key in payloads:
                called = _camel(key) in {"functionCall", "functionResponse"}
                if called and not isinstance(part[key].get("name"), str):
                    yield f"{here}/{key}/name: Field required"


# --- shapes: botocore


@functools.cache
def _converse_shape() -> Any:
    session = pytest.importorskip("botocore.session")
    model = session.Session().get_service_model("bedrock-runtime")
    return model.operation_model("Converse").input_shape


def _converse_faults(body: Any) -> list[str]:
    judge = pytest.importorskip("botocore.validate").ParamValidator()
    # The model is named in the address.
    whole = {"modelId": "m", **(body if isinstance(body, dict) else {"messages": body})}
    report = judge.validate(whole, _converse_shape()).generate_report()
    return [line for line in report.splitlines() if line] or list(_beyond(whole, _converse_shape()))


def _beyond(value: Any, shape: Any, at: str = "") -> Iterator[str]:
    """What the model of the service states of lengths, patterns and words, and its judge skips."""
    if shape.type_name == "structure" and not getattr(shape, "is_document_type", False):
        for key, item in value.items():
            yield from _beyond(item, shape.members[key], f"{at}/{key}")
    elif shape.type_name == "list":
        yield from _outside(len(value), shape, at)
        for index, item in enumerate(value):
            yield from _beyond(item, shape.member, f"{at}/{index}")
    elif shape.type_name == "blob" and not _is_base64(value):
        yield f"{at}: not base64"
    elif shape.type_name == "string":
        yield from _outside(len(value), shape, at)
        enum, pattern = getattr(shape, "enum", ()), shape.metadata.get("pattern")
        if enum and value not in enum:
            yield f"{at}: {value!r} is none of {', '.join(enum)}"
        if pattern and not re.fullmatch(pattern, value, re.DOTALL):
            yield f"{at}: {value!r} does not match {pattern}"


def _outside(length: int, shape: Any, at: str) -> Iterator[str]:
    least, most = shape.metadata.get("min", 0), shape.metadata.get("max", length)
    if not least <= length <= most:
        yield f"{at}: length {length}, not {least} to {most}"


def _is_base64(value: Any) -> bool:
    try:
        base64.b64decode(value, validate=True)
    except (binascii.Error, TypeError, ValueError):
        return False
    return True


_JUDGES: dict[str, Callable[[Any], list[str]]] = {
    "openai": _chat_faults,
    "openai-responses": _responses_faults,
    "anthropic": _claude_faults,
    "gemini": _gemini_faults,
    "bedrock": _converse_faults,
}

FAMILIES = tuple(_JUDGES)
"""Those whose package is one for Python; npm's types judge the others, in tests/oracle."""

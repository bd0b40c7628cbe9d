"""The Responses API: a flat list of typed items, with instructions beside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.formats.openai_responses.parts import ID
from toolcanon.formats.openai_responses.reading import read_items
from toolcanon.formats.openai_responses.requests import (
    read_answer,
    read_request,
    write_answer,
    write_request,
)
from toolcanon.formats.openai_responses.stream import accumulate
from toolcanon.formats.openai_responses.writing import write_items
from toolcanon.formats.wire.codec import Codec, flow_beside, patch_beside
from toolcanon.formats.wire.odd_members import in_list
from toolcanon.formats.wire.results import Rename, answered, named, ran, texts_in
from toolcanon.ir.conversation import Native
from toolcanon.jsonio.types import Json, JsonObject

# Input and output of each kind of item (openai-python 3.49.0 types, 2026-11).
_ASKED: Final[dict[str, tuple[str, ...]]] = {
    "web_search_call": ("query", "queries", "url", "pattern"),
    "file_search_call": ("queries",),
    "code_interpreter_call": ("code",),
    "local_shell_call": ("command",),
    "shell_call": ("commands",),
    "apply_patch_call": ("path", "diff"),
    "tool_search_call": ("goal", "query", "arguments"),
    "program": ("code",),
}
_ANSWERED: Final[dict[str, tuple[str, ...]]] = {
    "file_search_call": ("filename", "text"),
    "code_interpreter_call": ("logs",),
    "local_shell_call_output": ("output",),
    "shell_call_output": ("stdout", "stderr"),
    "apply_patch_call_output": ("output",),
    "program_output": ("result",),
}
_ITEMS: Final = frozenset(
    """function_call function_call_output custom_tool_call custom_tool_call_output reasoning
    item_reference compaction compaction_trigger configuration_update additional_tools program
    program_output tool_search_output mcp_list_tools""".split()
)
_EASY: Final = frozenset({"role", "content", "id", "status"})
_PARTS: Final = frozenset({"input_text", "output_text", "input_image", "input_file"})
_SHARED: Final = frozenset({"refusal"})
"""Types of parts that other formats have as well."""
_ENDINGS: Final = ("_call", "_call_output", "_approval_request", "_approval_response")


def say_native(part: Native, rename: Rename) -> str | None:
    """Return the text of an item of this provider; None where it has none."""
    item, kind = part.value, part.kind
    if not isinstance(item, dict):
        return None
    if kind == "tool_search_output":
        return named(_names(item.get("tools")), rename)
    said: list[str | None] = []
    if kind == "mcp_call":
        name = f"{item.get('server_label')}.{item.get('name')}"
        said = [ran(name, item.get("arguments")), answered(name, _outcome(item))]
    else:
        name = kind.removesuffix("_output").removesuffix("_call")
        if kind in _ASKED:
            said.append(ran(name, _once(texts_in(item, _ASKED[kind]))))
        if kind in _ANSWERED:
            said.append(answered(name, texts_in(item, _ANSWERED[kind])))
    return "\n".join(text for text in said if text) or None


def _outcome(item: JsonObject) -> list[Json]:
    error = item.get("error")
    return [item.get("output"), *([error] if isinstance(error, str) else texts_in(error, _ERROR))]


_ERROR: Final = ("message", "text")


def _once(texts: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(texts))


def _names(tools: Json) -> Iterator[str]:
    """Yield the names of tools, and of those in namespaces."""
    for tool in tools if isinstance(tools, list) else ():
        if not isinstance(tool, dict):
            continue
        if isinstance(tool.get("tools"), list):
            yield from _names(tool["tools"])
        elif isinstance(tool.get("name"), str):
            yield tool["name"]


def sniff(item: JsonObject) -> float:
    """Return how likely an item is of this format; a bare role with text is weak evidence."""
    kind = item.get("type")
    if kind is not None and kind != "message" and isinstance(kind, str):
        return 1.0 if kind in _ITEMS else 0.7 * kind.endswith(_ENDINGS)
    role, content = item.get("role"), in_list(item.get("content"))
    if role not in ("user", "assistant", "system", "developer"):
        return 0.0
    if len(item) == 2 and isinstance(content, str):  # noqa: PLR2004 - role and content
        return 0.4
    if isinstance(content, list) and any(map(_is_ours, content)):
        return 1.0
    if kind == "message" or "phase" in item:
        return 0.3 if isinstance(content, list) and any(map(_is_typed, content)) else 0.8
    return 0.4 if isinstance(content, str) and _EASY.issuperset(item) else 0.1


def _is_ours(part: Json) -> bool:
    kind = part.get("type") if isinstance(part, dict) else None
    return isinstance(kind, str) and kind in _PARTS


def _is_typed(part: Json) -> bool:
    """Return whether a part has a type that messages of this format do not have."""
    kind = part.get("type") if isinstance(part, dict) else None
    return isinstance(kind, str) and kind not in _SHARED


def sniff_body(body: JsonObject) -> float:
    """Return how likely a request is of this format: only here its messages are ``input``."""
    given = body.get("input")
    if isinstance(given, str):
        return 0.9 if "model" in body else 0.6
    if isinstance(given, list):
        return 0.95
    return 0.7 if given is None and "previous_response_id" in body else 0.0


def sniff_answer(body: JsonObject) -> float:
    """Return how likely a response is of this format, by its type or its output."""
    if body.get("object") == "response":
        return 1.0
    if isinstance(body.get("output"), list):
        return 0.8
    return 0.2 if isinstance(body.get("error"), dict) and len(body) == 1 else 0.0


def sniff_event(event: JsonObject) -> float:
    """Return how likely this is an event of a stream."""
    kind = event.get("type")
    return 1.0 if isinstance(kind, str) and kind.startswith("response.") else 0.0


CODEC: Final = Codec(
    history="input",
    system="instructions",
    sniff_event=sniff_event,
    id=ID,
    sniff=sniff,
    sniff_body=sniff_body,
    sniff_answer=sniff_answer,
    read_messages=read_items,
    write_messages=write_items,
    read_request=read_request,
    write_request=write_request,
    read_answer=read_answer,
    write_answer=write_answer,
    accumulate=accumulate,
    say=say_native,
    flow=flow_beside(__name__),
    patch=patch_beside(__name__),
)

"""The codec of both layouts: detected, and restored when messages come back.

Messages stay in the layout that they were read from. Those of other formats become ModelMessages;
``vercel/ui`` and ``vercel/model`` request one layout for all of them.

A page keeps more than any provider: ids and metadata of messages, kinds of outputs, data to
display. A receipt keeps the original messages; changed and new ones are used as written.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import replace
from functools import partial
from typing import Any, Final

from toolcanon.formats.vercel.media import DENIAL, TOOL_CALL_ID, Layout, read_id
from toolcanon.formats.vercel.older import INVOKED, newer, with_parts
from toolcanon.formats.vercel.reading import MODEL_ROLES, UI_ROLES, tool_name
from toolcanon.formats.vercel.requests import (
    SYSTEM,
    is_ui,
    read_answer,
    read_messages,
    read_request,
    write_answer,
    write_list,
    write_messages,
    write_request,
)
from toolcanon.formats.vercel.stream import VercelAccumulator
from toolcanon.formats.vercel.tools import ID
from toolcanon.formats.wire.codec import Codec, WriteLog, dump, flow_beside, rest
from toolcanon.formats.wire.odd_members import in_list
from toolcanon.formats.wire.results import Rename, answered, ran, texts_in
from toolcanon.ir.conversation import Conversation, Message, Native
from toolcanon.jsonio.types import Json, JsonObject

_SAID: Final = frozenset({"role", "parts", "content", INVOKED})
_LISTS: Final = ("parts", "content")
_FILES: Final = ("mediaType", "url", "data", "image")
_SYSTEM: Final = "system"


class _Outline:
    """The content of a message, without other fields."""

    __slots__ = ("files", "given", "parts", "role", "texts", "tools")

    def __init__(self, message: JsonObject) -> None:
        self.given = message
        self.role: Json = message.get("role")
        if "parts" not in message and isinstance(message.get(INVOKED), list):
            message = with_parts(message)
        held = message.get("parts", message.get("content"))
        self.texts: list[str] = [held] if isinstance(held, str) else []
        self.tools: list[tuple[str, str]] = []
        """Ids of calls, each with the content of its part."""
        self.files: list[Json] = []
        self.parts: dict[tuple[str, str], Json] = {}
        for given in held if isinstance(held, list) else ():
            self._add(given)

    def _add(self, given: Json) -> None:
        if not isinstance(given, dict):
            return
        part, _ = newer(given)
        if part.get("type") == "text":
            self.texts.append(str(part.get("text")))
        elif TOOL_CALL_ID in part and (name := _name(part)) is not None:
            call_id = read_id(part)[0] or ""
            tool = (call_id, dump([name, part.get("input"), _outcome(part)]))
            self.tools.append(tool)
            self.parts[tool] = given
        elif part.get("type") in {"file", "image"}:
            self.files.append([part.get(key) for key in _FILES])

    def key(self) -> str:
        """A key that does not depend on outputs and line breaks."""
        return dump([self.role, self.words(), self.ids()])

    def words(self) -> str:
        return "".join("".join(self.texts).split())

    def ids(self) -> list[str]:
        return [call_id for call_id, _ in self.tools]

    def says_the_same(self, was: _Outline) -> bool:
        """Return whether nothing was changed; some providers join texts with a line break."""
        text = "\n".join(self.texts)
        if text != "\n".join(was.texts) and text != "".join(was.texts):
            return False
        return self.tools == was.tools and self.files == was.files

    def continues(self, was: _Outline) -> bool:
        """Return whether it continues the other."""
        ids = was.ids()
        if was.role != "assistant" or self.role != was.role or self.ids()[: len(ids)] != ids:
            return False
        return bool(ids or was.texts) and self.words().startswith(was.words())


def _name(part: JsonObject) -> str | None:
    name = part.get("toolName")
    return name if isinstance(name, str) else tool_name(part)


def _outcome(part: JsonObject) -> list[Json]:
    """Return the outcome of a call, in either layout, as far as it is known."""
    state, output = part.get("state"), part.get("output")
    if state is None and isinstance(output, dict):
        kind = str(output.get("type"))
        if kind == "execution-denied":
            return ["error", _text(output.get("reason", DENIAL))]
        return ["error" if kind.startswith("error-") else "", _text(output.get("value", ""))]
    if state == "output-denied":
        approval: Any = part.get("approval")
        reason = approval.get("reason") if isinstance(approval, dict) else None
        return ["error", reason if isinstance(reason, str) else DENIAL]
    if state == "output-error":
        return ["error", _text(part.get("errorText", ""))]
    return ["" if state == "output-available" else state, _text(part.get("output", ""))]


def _text(value: Json) -> str:
    return value if isinstance(value, str) else dump(value)


def come_home(written: list[Json], kept: list[Json]) -> list[Json]:
    """Return the written messages, with the kept ones in place of those that are unchanged."""
    known = [_Outline(message) for message in kept if isinstance(message, dict)]
    waiting: defaultdict[str, deque[_Outline]] = defaultdict(deque)
    for outline in known:
        waiting[outline.key()].append(outline)
    out: list[Json] = []
    fresh: list[JsonObject] = []
    for message in written:
        now = _Outline(message)
        same = waiting.get(now.key())
        was: _Outline | None = same.popleft() if same else None
        if was is None and known and waiting.get(known[-1].key()) and now.continues(known[-1]):
            was = waiting[known[-1].key()].pop()
        if was is None:
            fresh.append(message)
        out.append(message if was is None else _as_it_was(now, was))
    _name_apart(fresh, [message for message in [*kept, *out] if isinstance(message, dict)])
    return out


def _as_it_was(now: _Outline, was: _Outline) -> JsonObject:
    if now.says_the_same(was):
        return was.given
    made = {**now.given, **rest(was.given, _SAID)}
    for key in _LISTS:
        if isinstance(made.get(key), list):
            found = {id(part): was.parts.get(tool, part) for tool, part in now.parts.items()}
            made[key] = [found.get(id(part), part) for part in made[key]]
    return made


def _name_apart(fresh: list[JsonObject], others: list[JsonObject]) -> None:
    """Give new messages ids that no other message has or had."""
    new = {id(message) for message in fresh}
    taken = {dump(one.get("id")) for one in others if id(one) not in new}
    for number, message in enumerate(fresh, len(others) - len(fresh)):
        if "id" not in message:
            continue
        made = message["id"]
        if dump(made) in taken:
            made = f"msg_{number}"
        while dump(made) in taken:
            made += "_"
        taken.add(dump(made))
        message["id"] = made


def leading_system(kept: list[Json], said: Json) -> list[Json]:
    """Return the leading system messages of a list, if the prompt beside it is the same."""
    leading: list[Json] = []
    for message in kept:
        if not isinstance(message, dict) or message.get("role") != _SYSTEM:
            break
        leading.append(message)
    words = "".join(_Outline(message).words() for message in leading)
    is_same = isinstance(said, str) and "".join(said.split()) == words
    return leading if leading and is_same else []


_OURS: Final = frozenset(
    """tool-call tool-result tool-approval-request tool-approval-response reasoning-file
    tool-error redacted-reasoning""".split()
)
_PARTS: Final = frozenset(
    """text reasoning file dynamic-tool step-start source-url source-document custom reasoning-file
    steering-message""".split()
)
_TYPES: Final = frozenset({"mediaType", "mimeType"})
_PREFIXES: Final = ("tool-", "data-")
_MODEL_MESSAGE_KEYS: Final = frozenset({"role", "content", "providerOptions"})
_SAID_OR_OLDER: Final = _MODEL_MESSAGE_KEYS | {"id", "createdAt", "annotations"}
_SETTINGS: Final = frozenset(
    """instructions toolChoice maxOutputTokens stopSequences topP topK activeTools stopWhen
    providerOptions allowSystemInMessages""".split()
)
_EVENTS: Final = frozenset(
    """text-start text-delta text-end reasoning-start reasoning-delta reasoning-end start-step
    finish-step reset-step tool-input-start tool-input-delta tool-input-available tool-input-error
    tool-output-available tool-output-error tool-output-denied tool-approval-request
    tool-approval-response source-url source-document message-metadata""".split()
)
_SHARED_EVENTS: Final = frozenset({"start", "finish", "abort"})
_ANYBODYS, _HARDLY = 0.45, 0.1


def sniff(message: JsonObject) -> float:
    """Return the score of a message, by its parts."""
    role = message.get("role")
    if not isinstance(role, str):
        return 0.0
    parts = message.get("parts")
    if isinstance(parts, list):
        return _sniff_ui(message, role, parts)
    if isinstance(message.get(INVOKED), list) and role in UI_ROLES:
        return 1.0
    if role not in MODEL_ROLES:
        return 0.0
    return _sniff_model(message, role)


def _sniff_model(message: JsonObject, role: str) -> float:
    """Return the score of a ModelMessage; programs that store one add keys of their own."""
    content = in_list(message.get("content"))
    if isinstance(content, list):
        score = _sniff_parts(content)
        if score == 1.0 or message.keys() <= _MODEL_MESSAGE_KEYS:
            return 1.0 if "providerOptions" in message else score
        return _HARDLY
    if not isinstance(content, str) or not message.keys() <= _SAID_OR_OLDER:
        return _HARDLY
    if "providerOptions" in message:
        return 1.0
    return _ANYBODYS if role in UI_ROLES else _HARDLY


def _sniff_ui(message: JsonObject, role: str, parts: list[Json]) -> float:
    if role not in UI_ROLES:
        return 0.0
    kinds = [part.get("type") if isinstance(part, dict) else None for part in parts]
    if any(isinstance(kind, str) and _is_ui_kind(kind) for kind in kinds):
        return 1.0
    if parts:
        return 0.5 if all(isinstance(kind, str) for kind in kinds) else _HARDLY
    return 0.8 if "id" in message else _HARDLY


def _is_ui_kind(kind: str) -> bool:
    return kind in _PARTS or kind.startswith(_PREFIXES)


def _sniff_parts(content: list[Json]) -> float:
    only_text = True
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "text":
            if "providerOptions" in part:
                return 1.0
            continue
        only_text = False
        if isinstance(kind, str) and (kind in _OURS or (kind == "reasoning" and "text" in part)):
            return 1.0
        if kind == "image" and "image" in part:
            return 1.0
        if kind == "file" and "data" in part and not _TYPES.isdisjoint(part):
            return 1.0
    return 0.4 if only_text else _HARDLY


def sniff_body(body: JsonObject) -> float:
    """Return the score of a request, by its messages, its tools, or its settings."""
    messages = body.get("messages")
    if not isinstance(messages, list):
        return 0.0
    tools = body.get("tools")
    best = 0.0
    for message in messages:
        best = max(best, sniff(message) if isinstance(message, dict) else 0.0)
        if best == 1.0:
            return best
    listed = list(tools.values()) if isinstance(tools, dict) else tools
    if isinstance(listed, list) and any(_is_our_tool(tool) for tool in listed):
        return 0.95
    if not _SETTINGS.isdisjoint(body):
        return 0.9
    return best


def _is_our_tool(tool: Json) -> bool:
    return isinstance(tool, dict) and "inputSchema" in tool


def sniff_answer(body: JsonObject) -> float:
    """Return the score of a step, or of an assistant's UI message."""
    content = body.get("content")
    if isinstance(content, list) and "finishReason" in body:
        return 1.0
    return sniff(body) if isinstance(body.get("parts"), list) and _answers(body) else 0.0


def _answers(body: JsonObject) -> bool:
    return body.get("role") == "assistant"


def sniff_event(event: JsonObject) -> float:
    """Return the score of a chunk of a UI message stream."""
    kind = event.get("type")
    if not isinstance(kind, str):
        return 0.0
    if kind in _EVENTS:
        return 1.0
    if kind in _SHARED_EVENTS or kind.startswith("data-"):
        return 0.9
    return 0.8 if kind == "error" and "errorText" in event else 0.0


_TEXT: Final = frozenset({"text"})


def say_native(part: Native, rename: Rename) -> str | None:
    """Return the text of a part of this format; None where it has none."""
    del rename
    value = part.value
    if not isinstance(value, dict):
        return None
    if part.type == "tool-call":
        return ran(value.get("toolName"), value.get("input", value.get("args")))
    if part.type == "tool-result":
        output = value.get("output", value.get("result"))
        return answered(value.get("toolName"), _said(output))
    name = tool_name(value)
    if name is None:
        return None
    outcome = answered(name, [*_words(value.get("output")), value.get("errorText")])
    return "\n".join(filter(None, [ran(name, value.get("input")), outcome]))


def _said(output: Json) -> list[str]:
    """Return the texts of an output: its value, or those of its content."""
    if not isinstance(output, dict) or not isinstance(output.get("type"), str):
        return _words(output)
    if output["type"] == "content":
        return list(texts_in(output.get("value"), _TEXT))
    return _words(output.get("value"))


def _words(value: Json) -> list[str]:
    return [] if value is None else [value if isinstance(value, str) else dump(value)]


def _writes(layout: Layout, messages: list[Message], told: WriteLog) -> list[Json]:
    return write_list([*enumerate(messages)], told, layout)


_PLAIN: Final = Codec(
    id=ID,
    system=SYSTEM,
    sniff=sniff,
    sniff_body=sniff_body,
    sniff_answer=sniff_answer,
    sniff_event=sniff_event,
    read_messages=read_messages,
    write_messages=write_messages,
    read_request=read_request,
    write_request=partial(write_request, layout=None),
    read_answer=read_answer,
    write_answer=partial(write_answer, layout=None),
    accumulate=VercelAccumulator,
    say=say_native,
    flow=flow_beside(__name__),
)


def _home(layout: Layout | None, kept: list[Json]) -> Codec:
    """Return the codec for returning messages, in their original layout if none is requested."""
    if layout is None and kept and all(is_ui(message) for message in kept):
        layout = "ui"

    def write(conversation: Conversation, told: WriteLog) -> JsonObject:
        body = write_request(conversation, told, layout)
        leading = leading_system(kept, body.get(SYSTEM))
        if leading:
            del body[SYSTEM]
        body["messages"] = come_home([*leading, *body["messages"]], kept)
        return body

    return replace(_PLAIN, layout=layout or "", write_request=write)


def _laid_out(layout: Layout) -> Codec:
    return replace(
        _PLAIN,
        layout=layout,
        home=partial(_home, layout),
        write_messages=partial(_writes, layout),
        write_request=partial(write_request, layout=layout),
        write_answer=partial(write_answer, layout=layout),
    )


CODEC: Final = replace(
    _PLAIN,
    home=partial(_home, None),
    layouts={"model": _laid_out("model"), "ui": _laid_out("ui")},
)

"""Requests, answers and streams as bytes, rewritten by codecs without knowing any SDK.

A request is read by its provider's codec, and its tools, past calls with their results, and tool
choice are written for the provider. Unchanged parts keep their bytes. The answer is changed by the
table of that one request, so nothing is kept between requests and a retry is rewritten exactly as
the first attempt was.

An unchanged event keeps its bytes, including comments and line ends. A changed one keeps everything
but its data. Frames without a JSON object (keep-alives, the end marker, other data) pass unchanged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import orjson

from toolcanon.boundary.tool_table import Table
from toolcanon.conversations.read_write import codec_of, codecs
from toolcanon.conversion.binding import Binding, bind_target_of, bound_tools
from toolcanon.conversion.read import read_payload
from toolcanon.conversion.target import BindTarget, Naming, find_bind_target
from toolcanon.errors import (
    BadEncoding,
    LimitExceeded,
    LoneSurrogate,
    MalformedJson,
    NotAConversation,
    NumberOutOfRange,
    ToolcanonError,
    UnknownFormat,
    UsageError,
    WrongFormat,
)
from toolcanon.formats.wire.codec import Codec, WriteLog, dump
from toolcanon.formats.wire.streams import DONE, Patch, Patcher
from toolcanon.ir import CanonicalTool
from toolcanon.ir.conversation import Call, Conversation, Message, Native, Result
from toolcanon.jsonio import DEFAULT_LIMITS, Limits, loads
from toolcanon.jsonio.canonical import may_be_rounded
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.naming.alias import Known
from toolcanon.naming.profiles import Profile

_LIMITS: Final = Limits(bytes=1 << 30, values=50_000_000)
"""Limits for histories, which hold images and files; the sender has them in memory already."""


def parsed(data: bytes) -> Json:
    """Return a value. Raises InputError for invalid JSON or too deep nesting."""
    if data.count(b"{") + data.count(b"[") <= DEFAULT_LIMITS.depth:
        try:
            value: Json = orjson.loads(data)
        except orjson.JSONDecodeError:
            pass  # the strict parser finds the error, if there is one
        else:
            if not may_be_rounded(data):
                return value
    try:
        return loads(data, _LIMITS, duplicates=True).value
    except (LoneSurrogate, NumberOutOfRange):  # written by a model; the application may accept it
        return json.loads(data)


def dumped(value: Json) -> bytes:
    """Return the bytes of a value."""
    try:
        return dump(value).encode()
    except UnicodeEncodeError:
        return json.dumps(value).encode()


_LINE: Final = re.compile(rb"([^\r\n]*)(\r\n|\r|\n)")
_MARK: Final = b"\xef\xbb\xbf"


class StreamRewriter:
    r"""Takes bytes of a stream and returns the bytes to pass on.

    >>> same = StreamRewriter(None)
    >>> same.feed(b"data: 1\r"), same.feed(b"\n\r\n"), same.close()
    (b'data: 1\r', b'\n\r\n', b'')
    """

    __slots__ = ("_frame", "_is_first", "_limit", "_parts", "_patcher", "_size")

    def __init__(self, patcher: Patcher | None, limit: int = DEFAULT_LIMITS.line) -> None:
        """Without a patcher everything passes unchanged."""
        self._patcher = patcher
        self._limit = limit
        self._parts: list[bytes] = []
        """The unfinished line, as the pieces that arrived."""
        self._frame: list[tuple[bytes, bytes]] = []
        """The lines of the unfinished event, each with its line end."""
        self._size = 0
        self._is_first = True

    def feed(self, data: bytes) -> bytes:
        """Return what can be passed on now."""
        if self._patcher is None:
            return data
        self._size += len(data)
        text = b"".join((*self._parts, data)) if self._ends_line(data) else b""
        if not text:
            self._parts.append(data)
            self._check()
            return b""
        self._parts = []
        out: list[bytes] = []
        place = 0
        while found := _LINE.match(text, place):
            if found[2] == b"\r" and found.end() == len(text):
                break  # a line feed may follow
            place = found.end()
            self._frame.append((found[1], found[2]))
            if not found[1]:
                out.append(self._end_frame())
        if place < len(text):
            self._parts = [text[place:]]
        self._size = len(text) - place + sum(len(line) for line, _ in self._frame)
        self._check()
        return b"".join(out)

    def _ends_line(self, data: bytes) -> bool:
        """Return whether these bytes can end a line; pieces are only joined then."""
        after_cr = bool(self._parts) and self._parts[-1][-1:] == b"\r"
        return bool(data) and (after_cr or b"\n" in data or b"\r" in data[:-1])

    def _check(self) -> None:
        if self._size > self._limit:
            raise LimitExceeded("line", self._limit, self._size, " (one server-sent event)")

    def close(self) -> bytes:
        """Return the rest at the end of the stream, including what was held back."""
        if self._patcher is None:
            return b""
        rest = b"".join(self._parts)
        self._parts = []
        if rest:
            line = rest.removesuffix(b"\r")
            self._frame.append((line, rest[len(line) :]))
        last = self._end_frame() if self._frame else b""  # some servers omit the last blank line
        return last + self._written(self._patcher.close(), [])

    def _end_frame(self) -> bytes:
        frame, self._frame = self._frame, []
        raw = b"".join(line + end for line, end in frame)
        data = self._data(frame)
        event = _event(data)
        if self._patcher is None:
            return raw
        if event is None:  # clients stop reading at the end marker
            is_over = data.strip() == DONE.encode()
            return (self._written(self._patcher.close(), frame) if is_over else b"") + raw
        patched = self._patcher.patch(event)
        if len(patched) == 1 and patched[0] is event:
            return raw
        return b"".join(raw if one is event else self._written([one], frame) for one in patched)

    def _data(self, frame: list[tuple[bytes, bytes]]) -> bytes:
        lines = [line for line, _ in frame]
        if self._is_first:
            self._is_first = False
            lines[0] = lines[0].removeprefix(_MARK)
        return b"\n".join(_value(line) for line in lines if line.partition(b":")[0] == b"data")

    @staticmethod
    def _written(events: list[JsonObject], frame: list[tuple[bytes, bytes]]) -> bytes:
        """Return events written like the original: the same line ends, and a name if it had one."""
        end = (frame[0][1] if frame else b"") or b"\n"
        is_named = not frame or any(line.startswith(b"event:") for line, _ in frame)
        out: list[bytes] = []
        for event in events:
            kind = event.get("type")
            if is_named and isinstance(kind, str):
                out += [b"event: ", kind.encode(), end]
            out += [b"data: ", dumped(event), end, end]
        return b"".join(out)


def _value(line: bytes) -> bytes:
    return line.partition(b":")[2].removeprefix(b" ")


def _event(data: bytes) -> JsonObject | None:
    if not data.lstrip().startswith(b"{"):
        return None
    try:
        value = parsed(data)
    except (ToolcanonError, ValueError):
        return None
    return value if isinstance(value, dict) else None


_REFERENCE: Final = "tool_reference"


@dataclass(frozen=True, slots=True, kw_only=True)
class RewriterOptions:
    """How tools are written for the provider; see ``toolcanon.bind``."""

    tools: Any = None
    """Definitions that replace those of the request by name; anything ``toolcanon.read`` takes.

    Calls of these are recognised in a history even when a request does not send them.
    """
    binding: Binding | None = None
    """Bound tools, in place of all other options."""
    naming: Naming | None = None
    """A naming profile: wire names of tools, and tools that are neither sent nor replayed."""
    strict: bool | str = False
    dialect: str | None = None
    model: str | None = None
    via: str | None = None
    lower: bool = True


@cache
def patch_of(format_id: str) -> Patch:
    """Return how answers of a format are changed; raises UnknownFormat."""
    load = codec_of(format_id).patch
    if load is None:
        known = [codec.id for codec in codecs().values() if codec.patch is not None]
        raise UnknownFormat(format_id, known, "its answers cannot be rewritten")
    return load()


class Exchange:
    """One request, and how its answer is rewritten."""

    __slots__ = ("_patch", "_table", "body", "is_changed")

    def __init__(self, body: bytes, table: Table | None, patch: Patch, *, is_changed: bool) -> None:
        self.body = body
        """The body to send: the original bytes where nothing changes."""
        self.is_changed = is_changed
        self._table, self._patch = table, patch

    @property
    def changes_answer(self) -> bool:
        """Return whether the answer has to be rewritten."""
        if self._table is None:
            return False
        echoes = self._patch.echoes and self._table.own_tools is not None
        return echoes or not self._table.is_plain

    def answer(self, body: bytes) -> bytes:
        """Return a response body for the application; errors and unknown bodies are unchanged."""
        if self._table is None or not self.changes_answer:
            return body
        try:
            value = parsed(body)
        except (MalformedJson, BadEncoding):  # perhaps a stream without its content type
            stream = self.stream()
            return stream.feed(body) + stream.close()
        if isinstance(value, list):  # chunks of a stream as one list
            events = self._patch.events(self._table)
            found: list[Json] = [
                new
                for item in value
                for new in (events.patch(item) if isinstance(item, dict) else [item])
            ]
            same = list(map(id, found)) == list(map(id, value))
            return body if same else dumped(found + events.close())
        if not isinstance(value, dict):
            return body
        patched = self._patch.answer(value, self._table)
        return body if patched is value else dumped(patched)

    def stream(self) -> StreamRewriter:
        """Return a rewriter for one stream of server-sent events."""
        if self._table is None or not self.changes_answer:
            return StreamRewriter(None)
        return StreamRewriter(self._patch.events(self._table))


class Rewriter:
    """Rewrites requests of one format.

    >>> tool = {"name": "a.b", "input_schema": {"type": "object"}}
    >>> said = {"messages": [{"role": "user", "content": "Go."}], "tools": [tool]}
    >>> exchange = Rewriter("anthropic").request(dumped(said))
    >>> b'"a_b"' in exchange.body
    True
    >>> exchange.answer(b'{"content":[{"type":"tool_use","id":"1","name":"a_b","input":{}}]}')
    b'{"content":[{"type":"tool_use","id":"1","name":"a.b","input":{}}]}'
    """

    def __init__(self, format_id: str, options: RewriterOptions | None = None) -> None:
        options = options or RewriterOptions()
        self._codec: Codec = codec_of(format_id)
        self._patch = patch_of(format_id)
        self._bind_target: BindTarget = find_bind_target(
            format_id,
            options.strict,
            options.dialect,
            options.model,
            options.via,
            options.lower,
            options.naming,
        )
        self._ready = options.binding
        given: Iterable[CanonicalTool] = ()
        if self._ready is not None:
            if not bound_tools(self._ready) or self._ready.format != format_id:
                raise UsageError(f"the binding must be for {format_id} and have its tools")
            self._bind_target, given = bind_target_of(self._ready), self._ready.tools
        elif options.tools is not None:
            given = _tools(options.tools)
        self._given = {tool.id: tool for tool in given}

    def request(self, body: bytes) -> Exchange:
        """Return the rewritten request, which also rewrites its answer.

        Raises the errors of binding: DuplicateTool, ProfileCollision, UnreadableTool.
        """
        try:
            value = parsed(body)
            if not isinstance(value, dict) or "functions" in value:
                raise NotAConversation("", "the request has no tools in a current format")
            conversation = self._codec.read_request(value)
        except (MalformedJson, BadEncoding, NotAConversation):  # another method, or no body
            return Exchange(body, None, self._patch, is_changed=False)
        table = self._rewrite(conversation)
        written = self._codec.write_request(conversation, WriteLog())
        again = {key: written.pop(key) for key in value if key in written} | written
        if conversation.tools and self._bind_target.choice.mode:
            self._set_strict_mode(again)
        if again == value:
            return Exchange(body, table, self._patch, is_changed=False)
        table.own_tools = value.get("tools") if again.get("tools") != value.get("tools") else None
        if again.get("tool_choice") != value.get("tool_choice"):
            table.own_choice = value.get("tool_choice")
        return Exchange(dumped(again), table, self._patch, is_changed=True)

    def _set_strict_mode(self, body: JsonObject) -> None:
        """Set strict mode where it belongs to the request, unless the application chose one."""
        asked = self._bind_target.target.request([], True).get("config", {})
        for key, value in asked.items():
            if key != "tools":
                body[key] = {**value, **body.get(key, {})}

    def _rewrite(self, conversation: Conversation) -> Table:
        """Write tools, calls, results and choice for the provider; return the table of names."""
        target = self._bind_target.target
        internal = frozenset[str]() if target.naming is None else target.naming.internal
        sent = self._read(conversation.tools) if conversation.tools else []
        sent = [self._given.get(tool.id, tool) for tool in sent if tool.id not in internal]
        ids = {tool.id for tool in sent}
        table = Table(target.names, target.naming)
        items: list[tuple[CanonicalTool, JsonObject]] = []
        for binding in self._bindings(sent):
            table.add(binding)
            items += [
                (item.tool, bind_target_of(binding).target.write(item.tool, item.wire))
                for item in bound_tools(binding)
                if item.wire is not None and item.tool.id in ids
            ]
        if conversation.tools:
            conversation.tools = target.assemble(items) if items else None
        others = [tool for id_, tool in self._given.items() if id_ not in ids | internal]
        if others and self._ready is None:
            table.add(Binding(others, self._bind_target))
        if target.naming is not None and internal:
            conversation.messages = _without(conversation.messages, target.naming, ids)
        table.add_history(_called(conversation))
        _rename(conversation, table)
        return table

    def _read(self, tools: Json) -> list[CanonicalTool]:
        """Return the tools of a request; tools in another provider's format get this one's."""
        try:
            return read_payload(tools, self._codec.id)[0]
        except WrongFormat:
            return read_payload(tools)[0]

    def _bindings(self, sent: list[CanonicalTool]) -> list[Binding]:
        """Return the bindings for the tools of a request."""
        if self._ready is None:
            return [Binding(sent, self._bind_target)]
        ready = {tool.id for tool in self._ready.tools}
        new = [tool for tool in sent if tool.id not in ready]
        return [self._ready, *([Binding(new, self._bind_target)] if new else [])]


def _tools(given: Any) -> list[CanonicalTool]:
    """Return tools as ``toolcanon.bind`` takes them; a Toolset has them in ``tools``."""
    if not isinstance(given, dict) and hasattr(given, "tools"):
        given = given.tools
    if isinstance(given, (list, tuple)) and all(isinstance(t, CanonicalTool) for t in given):
        return list(given)
    return read_payload(given)[0]


def _refer(part: object, table: Table) -> None:
    """Rename the tools that a result refers to."""
    value = part.value if isinstance(part, Native) else None
    if isinstance(part, Native) and isinstance(value, dict) and value.get("type") == _REFERENCE:
        name = value.get("tool_name")
        if isinstance(name, str):
            part.value = {**value, "tool_name": table.sent(name)}


def _called(conversation: Conversation) -> list[Known]:
    """Return every name in calls, results and the choice, in order."""
    parts = [part for message in conversation.messages for part in message.parts]
    names: list[Known] = [(p.namespace, p.name) for p in parts if isinstance(p, Call)]
    names += [(None, p.name) for p in parts if isinstance(p, Result) and p.name is not None]
    chosen = conversation.tool_choice
    names += [(None, name) for name in (chosen.names if chosen else ())]
    return list(dict.fromkeys(names))


def _without(messages: list[Message], naming: Profile, sent: set[str]) -> list[Message]:
    """Return the history without calls of internal tools and the answers to them."""
    gone = {
        part.id
        for message in messages
        for part in message.calls
        if naming.is_internal(part.name, sent)
    } - {None}
    kept: list[Message] = []
    for message in messages:
        parts = [
            part
            for part in message.parts
            if not (isinstance(part, (Call, Result)) and naming.is_internal(part.name or "", sent))
            and not (isinstance(part, Result) and part.call_id in gone)
        ]
        if parts or not message.parts:
            message.parts = parts
            kept.append(message)
    return kept


def _rename(conversation: Conversation, table: Table) -> None:
    """Rename calls, results and choice by the table, in place: the codec just made the parts."""
    for message in conversation.messages:
        for part in message.parts:
            if isinstance(part, Call):
                name, space = part.name, part.namespace
                if not part.is_text and part.problem is None:
                    part.arguments = table.rendered(name, part.arguments, space)
                part.name, part.namespace = table.sent(name, space), table.space(name, space)
            elif isinstance(part, Result):
                part.name = part.name and table.sent(part.name)
                for inner in part.content:
                    _refer(inner, table)
    choice = conversation.tool_choice
    if choice is not None:
        choice.names = [table.sent(name) for name in choice.names]

"""Streams of server-sent events, rewritten event by event; however their bytes are split.

An event that stays as it is keeps its bytes, comments and line ends included. One that changes
keeps everything but its data. What is no event of ours (keep-alives, the word at the end, data that
is no JSON) passes.
"""

from __future__ import annotations

import re
from typing import Final

from toolcanon.boundary.json_bytes import dumped, parsed
from toolcanon.errors import LimitExceeded, ToolcanonError
from toolcanon.formats.wire.flow import Patcher
from toolcanon.formats.wire.sse import DONE
from toolcanon.jsonio import DEFAULT_LIMITS
from toolcanon.jsonio.types import JsonObject

_LINE: Final = re.compile(rb"([^\r\n]*)(\r\n|\r|\n)")
_MARK: Final = b"\xef\xbb\xbf"


class StreamRewriter:
    r"""Takes bytes of a stream, gives bytes of the stream to hand on.

    >>> same = StreamRewriter(None)
    >>> same.feed(b"data: 1\r"), same.feed(b"\n\r\n"), same.close()
    (b'data: 1\r', b'\n\r\n', b'')
    """

    __slots__ = ("_frame", "_is_first", "_limit", "_parts", "_patcher", "_size")

    def __init__(self, patcher: Patcher | None, limit: int = DEFAULT_LIMITS.line) -> None:
        """Without a patcher everything passes as it comes."""
        self._patcher = patcher
        self._limit = limit
        self._parts: list[bytes] = []
        """The line that has no end yet, in the pieces that came."""
        self._frame: list[tuple[bytes, bytes]] = []
        """The lines of the event that has no end yet, each with its line end."""
        self._size = 0
        self._is_first = True

    def feed(self, data: bytes) -> bytes:
        """What can be handed on now."""
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
                break  # whether a line feed follows is not known yet
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
        """Whether these bytes can end a line, so that pieces are put together once for each."""
        after_cr = bool(self._parts) and self._parts[-1][-1:] == b"\r"
        return bool(data) and (after_cr or b"\n" in data or b"\r" in data[:-1])

    def _check(self) -> None:
        if self._size > self._limit:
            raise LimitExceeded("line", self._limit, self._size, " (one server-sent event)")

    def close(self) -> bytes:
        """What is left when the stream ends: it passes, and so does what was held back."""
        if self._patcher is None:
            return b""
        rest = b"".join(self._parts)
        self._parts = []
        if rest:
            line = rest.removesuffix(b"\r")
            self._frame.append((line, rest[len(line) :]))
        last = self._end_frame() if self._frame else b""  # some servers end without a blank line
        return last + self._written(self._patcher.close(), [])

    def _end_frame(self) -> bytes:
        frame, self._frame = self._frame, []
        raw = b"".join(line + end for line, end in frame)
        data = self._data(frame)
        event = _event(data)
        if self._patcher is None:
            return raw
        if event is None:  # behind the word at the end nobody reads on
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
        """Events in the manner of the one they stand for: the same line ends, a name if it had."""
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

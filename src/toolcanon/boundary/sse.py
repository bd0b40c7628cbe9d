"""Rewrite streams of server-sent events event by event, wherever their bytes are split.

An unchanged event keeps its bytes, including comments and line ends. A changed one keeps everything
but its data. Frames without a JSON object (keep-alives, the end marker, other data) pass unchanged.
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

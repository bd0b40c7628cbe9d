"""Arguments that arrive by path: ``{"jsonPath": "$.a[0].b", "stringValue": "…"}``.

Paths are the normalized ones of RFC 9535 and the short form with dots. Pieces are kept by path and
joined at the end, so that a long text in many pieces takes linear time.
"""

from __future__ import annotations

import re
from typing import Final

from toolcanon.formats.gemini.spelling import pick, snake
from toolcanon.jsonio.types import Json, JsonObject

_STEP: Final = re.compile(
    r"\.([^.\[\]'\"\s]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*+)'\]|\[\"((?:[^\"\\]|\\.)*+)\"\]"
)
_ESCAPE: Final = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)", re.DOTALL)
_ESCAPES: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_TEXT: Final = "stringValue"
_VALUES: Final = ("numberValue", "boolValue", "nullValue")
_DEEPEST: Final = 256


class Pieces:
    """The pieces of one call's arguments."""

    __slots__ = ("_is_sound", "_values")

    def __init__(self) -> None:
        self._values: dict[str, list[str] | tuple[Json]] = {}
        self._is_sound = True

    def take(self, pieces: Json) -> None:
        """Keep some pieces, and note whether one is invalid."""
        for piece in pieces if isinstance(pieces, list) else (None,):
            if not isinstance(piece, dict) or not self._keep(piece):
                self._is_sound = False

    def _keep(self, piece: JsonObject) -> bool:
        path, text = piece.get(pick(piece, "jsonPath") or ""), piece.get(pick(piece, _TEXT) or "")
        if not isinstance(path, str):
            return False
        if isinstance(text, str):
            known = self._values.get(path)
            if isinstance(known, list):
                known.append(text)
            else:
                self._values[path] = [text]
            return True
        for key in _VALUES:
            for spelled in (key, snake(key)):
                if spelled in piece:
                    value = None if key == "nullValue" else piece[spelled]
                    self._values[path] = (value,)
                    return True
        return False

    def whole(self, start: Json) -> tuple[JsonObject, bool]:
        """Return the arguments, and whether every piece could be placed."""
        arguments: JsonObject = _copy(start) if isinstance(start, dict) else {}
        is_sound = self._is_sound
        for path, kept in self._values.items():
            steps = parse(path)
            value = "".join(kept) if isinstance(kept, list) else kept[0]
            if not steps or not _put(arguments, steps, value):
                is_sound = False
        return arguments, is_sound


def parse(path: str) -> list[str | int] | None:
    """Return the steps of a path; None if it does not lead to exactly one place.

    >>> parse("$.a[0]['b c']")
    ['a', 0, 'b c']
    """
    if not path.startswith("$"):
        return None
    steps: list[str | int] = []
    place = 1
    while place < len(path):
        found = _STEP.match(path, place)
        if found is None or len(steps) == _DEEPEST:
            return None
        dotted, index, single, double = found.groups()
        if index is not None:
            steps.append(int(index))
        elif dotted is not None:
            steps.append(dotted)
        else:
            steps.append(_ESCAPE.sub(_unescape, double if single is None else single))
        place = found.end()
    return steps


def _unescape(found: re.Match[str]) -> str:
    said = found[1]
    if len(said) > 1:
        return chr(int(said[1:], 16))
    return _ESCAPES.get(said, said)


def _put(target: JsonObject, steps: list[str | int], value: Json) -> bool:
    """Set a value; lists grow by one at a time, so that no index can exhaust the memory."""
    holder: Json = target
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        last = following is None
        fresh: Json = value if last else [] if isinstance(following, int) else {}
        if isinstance(step, int):
            if not isinstance(holder, list) or step > len(holder):
                return False
            if step == len(holder):
                holder.append(fresh)
            elif last:
                holder[step] = value
        else:
            if not isinstance(holder, dict):
                return False
            if last or step not in holder:
                holder[step] = fresh
        holder = holder[step]
    return True


def _copy(value: Json) -> Json:
    """Copy containers: the given value must not be changed."""
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_copy(item) for item in value]
    return value

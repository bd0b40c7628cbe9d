"""Restore messages that come back from another provider, where their content is unchanged.

A page keeps more than any provider: ids and metadata of messages, kinds of outputs, data to
display. A receipt keeps the original messages; changed and new ones are used as written.
"""

from __future__ import annotations

from collections import defaultdict, deque
from typing import Any, Final

from toolcanon.formats.vercel.older import INVOKED, newer, with_parts
from toolcanon.formats.vercel.spelling import DENIAL, TOOL_CALL_ID, read_id
from toolcanon.formats.vercel.ui_reading import tool_name
from toolcanon.formats.wire.codec import dump, rest
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

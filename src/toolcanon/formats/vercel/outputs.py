"""Outputs of tools, and approvals of calls by the user.

A ModelMessage names the kind of an output; a UIMessage has the value itself, with a text for a
failure. A call that the user did not allow is a failure with the user's reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolcanon.formats.vercel.media import (
    CONTENT,
    DENIAL,
    DENIED,
    KINDS,
    OUTPUT,
    described,
    left_of,
    read_media,
    write_in_result,
)
from toolcanon.formats.vercel.tools import ID, REQUEST, RESPONSE
from toolcanon.formats.wire.codec import (
    Content,
    WriteLog,
    dump,
    extras_of,
    foreign_keys,
    has_foreign,
    noted,
    rest,
)
from toolcanon.formats.wire.results import SAID, Place, skipped, unwrap_error, wrap_error
from toolcanon.ir.conversation import Call, Data, Media, Native, Result, Text
from toolcanon.jsonio.types import Json, JsonObject

_DENIED: Final = "execution-denied"
_VALUED: Final = frozenset({"type", "value"})
_TEXT: Final = frozenset({"type", "text"})
_LEFT: Final = "left"  # keys of an output beside its type and value


def read_output(result: Result, output: Json) -> JsonObject | None:
    """Fill a result from an output; return its notes, or None for an unknown shape."""
    if output is None:  # the tool returned nothing
        return {}
    if not isinstance(output, dict):
        return None
    kind, value = output.get("type"), output.get("value")
    known, notes = _VALUED, JsonObject()
    match kind:
        case "text" | "error-text" if isinstance(value, str):
            result.content = [Text(value)]
        case "json" | "error-json" if "value" in output:
            result.content = [Data(value)]
        case "json" | "error-json":  # without a value
            pass
        case "content" if isinstance(value, list):
            result.content = [read_content(item) for item in value]
            notes[OUTPUT] = kind
        case "execution-denied":
            reason = output.get("reason")
            known = frozenset({"type", "reason"} if isinstance(reason, str) else {"type"})
            result.content = [Text(reason if isinstance(reason, str) else DENIAL)]
            notes[DENIED] = reason if isinstance(reason, str) else None
        case _:
            return None
    if kind != "text" and kind != "json" and kind != CONTENT:  # noqa: PLR1714 - may be unhashable
        result.is_error = True
    left = rest(output, known)
    if left:
        notes[_LEFT] = left
    return notes


def settle(result: Result, left: JsonObject, notes: JsonObject) -> Result:
    """Return the result with leftovers; content that describes a failure is marked as one."""
    result.extras = extras_of(ID, left, notes)
    if notes.get(OUTPUT) == CONTENT:
        unwrap_error(result, ID)
    return result


def read_content(item: Json) -> Content:
    """Read one part of a result's content."""
    if isinstance(item, dict):
        kind = item.get("type")
        if kind == "text" and isinstance(item.get("text"), str):
            return Text(item["text"], extras_of(ID, rest(item, _TEXT)))
        media = read_media(item) if isinstance(kind, str) and kind in KINDS else None
        if media is not None:
            return media
    return Native(ID, _kind(item), item)


def _kind(item: Json) -> str:
    kind = item.get("type") if isinstance(item, dict) else None
    return f"output.{kind}" if isinstance(kind, str) else "output"


def write_output(result: Result, told: WriteLog, at: Place, *, mine: bool) -> JsonObject:
    """Return the output of a result in a ModelMessage."""
    notes = noted(result.extras, ID)
    left = notes.get(_LEFT, {})
    if DENIED in notes and result.is_error and is_denial(result, notes[DENIED]):
        reason = notes[DENIED]
        return {"type": _DENIED, **({} if reason is None else {"reason": reason}), **left}
    parts = _said_once(result, told, at)
    content = [part for _, part in parts]
    prefix = "error-" if result.is_error else ""
    is_content = notes.get(OUTPUT) == CONTENT and (not result.is_error or SAID in notes)
    if not content and not is_content:
        return {"type": f"{prefix}text", "value": "", **left}
    if len(content) == 1 and not is_content:
        number, part = parts[0]
        if isinstance(part, Text):
            _tell(part, told, (*at, "content", number), mine=False)
            return {"type": f"{prefix}text", "value": part.text, **left}
        if isinstance(part, Data):
            _tell(part, told, (*at, "content", number), mine=False)
            return {"type": f"{prefix}json", "value": part.value, **left}
    if result.is_error and not is_content and all(isinstance(part, Text) for part in content):
        return {"type": "error-text", "value": _words(content), **left}
    value = [
        item
        for number, part in parts
        if (item := _write_content(part, told, (*at, "content", number), mine=mine)) is not None
    ]
    if result.is_error:
        value = _failed(result, value, told, at)
    return {"type": "content", "value": value, **left}


def _said_once(
    result: Result, told: WriteLog, at: Place, *, values: bool = True
) -> list[tuple[int, Content]]:
    """Return the content with its places, without a text that repeats a value.

    A value is written as such only where it is alone (``values``): beside files it is a text.
    """
    content = result.content
    values = values and all(isinstance(part, (Text, Data)) for part in content)
    echo = skipped(content, told, at, values=values)
    return [(number, part) for number, part in enumerate(content) if number not in echo]


def is_denial(result: Result, reason: str | None) -> bool:
    """Return whether a result is that of a denied call, and no more."""
    match result.content:
        case [Text(text=text)]:
            return text == (DENIAL if reason is None else reason)
    return False


def _words(content: Sequence[Content]) -> str:
    return "\n".join(part.text for part in content if isinstance(part, Text))


def _tell(part: Text | Data, told: WriteLog, at: Place, *, mine: bool) -> None:
    if has_foreign(part.extras, ID) or (not mine and left_of(part.extras)):
        told.lose("L308", at, foreign_keys(part.extras, ""))


def _failed(result: Result, value: list[Json], told: WriteLog, at: Place) -> list[Json]:
    """Return content for a failure as text, because it has no error kind."""
    texts = [item for item in value if isinstance(item, dict) and item.get("type") == "text"]
    others = [item for item in value if not any(item is text for text in texts)]
    said = wrap_error(result, "\n".join(item["text"] for item in texts), ID, told, at)
    return [{"type": "text", "text": said}, *others]


def _write_content(part: Content, told: WriteLog, at: Place, *, mine: bool) -> Json:
    if isinstance(part, Text):
        _tell(part, told, at, mine=True)
        return {"type": "text", "text": part.text, **(left_of(part.extras) if mine else {})}
    if isinstance(part, Data):
        _tell(part, told, at, mine=True)
        told.lose("L305", at)
        return {"type": "text", "text": dump(part.value)}
    if isinstance(part, Media):
        return write_in_result(part, told, at, mine=mine) or described(part, told, at)
    if part.format == ID and part.type.partition(".")[0] == OUTPUT:
        return part.value
    told.lose("L307", at, part.value)
    return None


def read_value(output: Json) -> tuple[list[Content], bool]:
    """Return the content of a UI output, and whether it is a list that we wrote for several parts.

    >>> read_value("4 °C"), read_value([1])
    (([Text(text='4 °C', extras=None)], False), ([Data(value=[1], extras=None)], False))
    """
    match output:
        case str():
            return [Text(output)], False
        case {"type": "content", "value": [*items], **others} if not others:
            return [read_content(item) for item in items], True
    return [Data(output)], False


def write_value(result: Result, told: WriteLog, at: Place) -> Json:
    """Return the value in a UI message."""
    parts = _said_once(result, told, at)
    notes = noted(result.extras, ID)
    if len(parts) == 1 and notes.get(OUTPUT) != CONTENT:
        number, part = parts[0]
        if isinstance(part, (Text, Data)):
            _tell(part, told, (*at, "content", number), mine=False)
            return part.text if isinstance(part, Text) else part.value
    if not parts and notes.get(OUTPUT) != CONTENT:
        return ""
    mine = notes.get(OUTPUT) == CONTENT
    value = [
        item
        for number, part in parts
        if (item := _write_content(part, told, (*at, "content", number), mine=mine)) is not None
    ]
    if not mine:
        told.lose("L306", (*at, "content"), after="content")
    return {"type": "content", "value": value}


def write_output_text(result: Result, told: WriteLog, at: Place) -> str:
    """Return the text of a failure in a UI message."""
    texts = []
    for number, part in _said_once(result, told, at, values=False):
        item = _write_content(part, told, (*at, "content", number), mine=False)
        if isinstance(item, dict) and item.get("type") == "text":
            texts.append(item["text"])
        elif isinstance(part, Media):
            texts.append(described(part, told, (*at, "content", number))["text"])
    return "\n".join(texts)


_ASKING: Final = {
    "isAutomatic": "isAutomatic",
    "requestReason": "reason",
    "inputSchemaInput": "inputSchemaInput",
    "signature": "signature",
}
"""Members of an approval, and their names in the approval request."""


def _approval(call: Call) -> JsonObject:
    found = left_of(call.extras).get("approval")
    return found if isinstance(found, dict) and isinstance(found.get("id"), str) else {}


def request_of(call: Call) -> list[Json]:
    """Return the part that requests approval of a call read from a UI message."""
    approval = _approval(call)
    if not approval:
        return []
    out: JsonObject = {"type": REQUEST, "approvalId": approval["id"], "toolCallId": call.id}
    return [
        {**out, **{there: approval[here] for here, there in _ASKING.items() if here in approval}}
    ]


def response_of(call: Call) -> list[Json]:
    """Return the part that answers the request."""
    approval = _approval(call)
    if not isinstance(approval.get("approved"), bool):
        return []
    out: JsonObject = {"type": RESPONSE, "approvalId": approval["id"]}
    return [{**out, **{key: approval[key] for key in ("approved", "reason") if key in approval}}]


def asked(part: JsonObject) -> JsonObject:
    """Return the approval of a UI tool part, from its request part."""
    found = {here: part[there] for here, there in _ASKING.items() if there in part}
    return {"id": part.get("approvalId"), **found}

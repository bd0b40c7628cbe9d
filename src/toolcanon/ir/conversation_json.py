"""Conversations and answers as plain JSON, to be kept and read again exactly as they were.

What a field says by default is left out. Parts are told apart by ``type``, in the words of
``PARTS``; the type of a native block, which would stand in its way, is called ``kind``. What may
stand in a field follows from its annotation, so a new field needs nothing here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from functools import cache
from typing import Any, Final, NamedTuple, get_args

from toolcanon.errors import NotAConversation
from toolcanon.ir.conversation import (
    PARTS,
    Answer,
    Call,
    Candidate,
    ChoiceMode,
    Conversation,
    MediaKind,
    Message,
    Native,
    Part,
    Role,
    Stop,
    StopReason,
    ToolChoice,
)
from toolcanon.jsonio import Pointer, copy_json
from toolcanon.jsonio.types import Json, JsonObject

VERSION: Final = 1
"""Raised when a document of the version before can no longer be read as it stands."""

HEADS: Final[dict[type[Conversation | Answer], str]] = {
    Conversation: "toolcanon-conversation",
    Answer: "toolcanon-answer",
}
"""The key by which a document says what it is; its value is the version."""

TAG: Final = "type"
OTHER_KEYS: Final[dict[tuple[type, str], str]] = {(Native, "type"): "kind"}
"""Fields whose key in JSON is not their name."""

RECORDS: Final[dict[str, type]] = {
    "Message | None": Message,
    "ToolChoice | None": ToolChoice,
    "Stop | None": Stop,
}
"""What stands in a field with such an annotation; and so on below."""

LISTS: Final[dict[str, type]] = {"list[Message]": Message, "list[Candidate]": Candidate}
PART_LISTS: Final[dict[str, tuple[str, ...]]] = {
    "list[Part]": tuple(PARTS),
    "list[Text | Media | Data | Native]": ("text", "media", "data", "native"),
}
WORDS: Final[dict[str, tuple[str, ...]]] = {
    "Role": get_args(Role),
    "MediaKind": get_args(MediaKind),
    "StopReason": get_args(StopReason),
    "ChoiceMode": get_args(ChoiceMode),
}

_TAGS: Final = {kind: tag for tag, kind in PARTS.items()}
_ABSENT: Final = object()


def to_dict(thing: Conversation | Answer) -> JsonObject:
    """Plain JSON that shares nothing with what was handed in."""
    return {HEADS[type(thing)]: VERSION, **_write(thing)}


def from_dict(document: Json) -> Conversation | Answer:
    """What ``to_dict`` was given. Raises NotAConversation with a place."""
    if not isinstance(document, dict):
        raise NotAConversation("", f"an object is wanted, not {type(document).__name__}")
    for kind, mark in HEADS.items():
        if mark in document:
            version = document[mark]
            if version is True or version != VERSION:
                raise NotAConversation(f"/{mark}", f"only version {VERSION} can be read here")
            rest = {key: value for key, value in document.items() if key != mark}
            found: Conversation | Answer = _read(kind, rest, Pointer())
            return found
    raise NotAConversation("", f"it has neither of {', '.join(HEADS.values())}")


class Member(NamedTuple):
    """A field of a record, as it stands in JSON."""

    name: str
    key: str
    annotation: str
    default: Any
    """As the field has it; ``MISSING`` where it must be said."""


@cache
def members(kind: type) -> dict[str, Member]:
    """The members of a record by their keys."""
    found = [
        Member(name, OTHER_KEYS.get((kind, name), name), str(item.type), _default(item))
        for item in fields(kind)
        for name in (item.name,)
    ]
    return {member.key: member for member in found}


def _default(item: Field[Any]) -> Any:
    return item.default if item.default_factory is MISSING else item.default_factory()


def _write(record: object) -> JsonObject:
    out: JsonObject = {}
    kind: type = record.__class__
    for key, member in members(kind).items():
        value = getattr(record, member.name)
        default = member.default
        if value is default or (value == default and type(value) is type(default)):
            continue
        if isinstance(record, Call) and key == "arguments" and _is_said_by_text(record):
            continue
        out[key] = _written(value, member.annotation)
    return out


def _written(value: Any, annotation: str) -> Json:
    if annotation in PART_LISTS:
        return [{TAG: _TAGS[type(part)], **_write(part)} for part in value]
    if annotation in LISTS:
        return [_write(item) for item in value]
    if annotation in RECORDS and value is not None:
        return _write(value)
    return copy_json(value)


def _is_said_by_text(call: Call) -> bool:
    """Whether the arguments hold numbers that JSON has no words for; the text has them too."""
    if call.problem is None or call.text is None:
        return False
    try:
        json.dumps(call.arguments, allow_nan=False)
    except ValueError:
        return repr(_reread(call.text)) == repr(call.arguments)
    return False


def _reread(text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _read(kind: type, document: Json, at: Pointer) -> Any:
    if not isinstance(document, dict):
        raise NotAConversation(str(at), f"an object is wanted, not {type(document).__name__}")
    known = members(kind)
    for key in document:
        if key not in known:
            raise NotAConversation(str(at / key), f"{kind.__name__.lower()} has no such member")
    given = {}
    for key, member in known.items():
        value = document.get(key, _ABSENT)
        if value is not _ABSENT:
            given[member.name] = _taken(value, member.annotation, at / key)
        elif member.default is MISSING:
            raise NotAConversation(str(at / key), f"{kind.__name__.lower()} needs it")
    record = kind(**given)
    if kind is Call and "arguments" not in document and record.text is not None:
        record.arguments = _reread(record.text)
        if not _is_said_by_text(record):
            record.arguments = None
    return record


def _taken(value: Json, annotation: str, at: Pointer) -> Any:
    if annotation in RECORDS:
        return None if value is None else _read(RECORDS[annotation], value, at)
    if annotation in LISTS:
        kind = LISTS[annotation]
        return [_read(kind, item, at / place) for place, item in enumerate(_listed(value, at))]
    if annotation in PART_LISTS:
        tags = PART_LISTS[annotation]
        return [_part(item, tags, at / place) for place, item in enumerate(_listed(value, at))]
    says, is_fine = LEAVES[annotation]
    if not is_fine(value):
        raise NotAConversation(str(at), f"{says} is wanted here")
    return copy_json(value)


def _listed(value: Json, at: Pointer) -> list[Json]:
    if not isinstance(value, list):
        raise NotAConversation(str(at), f"a list is wanted, not {type(value).__name__}")
    return value


def _part(value: Json, tags: tuple[str, ...], at: Pointer) -> Part:
    tag = value.get(TAG) if isinstance(value, dict) else None
    if not isinstance(tag, str) or tag not in tags:
        raise NotAConversation(str(at), f"a part is an object whose type is {', '.join(tags)}")
    rest = {key: item for key, item in value.items() if key != TAG}
    part: Part = _read(PARTS[tag], rest, at)
    return part


def _is_extras(value: Json) -> bool:
    return value is None or (
        isinstance(value, dict) and all(isinstance(item, dict) for item in value.values())
    )


def _one_of(words: tuple[str, ...]) -> Callable[[Json], bool]:
    return lambda value: isinstance(value, str) and value in words


LEAVES: Final[dict[str, tuple[str, Callable[[Json], bool]]]] = {
    "str": ("a text", lambda value: isinstance(value, str)),
    "str | None": ("a text or null", lambda value: value is None or isinstance(value, str)),
    "bool": ("true or false", lambda value: isinstance(value, bool)),
    "bool | None": (
        "true, false or null",
        lambda value: value is None or isinstance(value, bool),
    ),
    "list[str]": (
        "a list of texts",
        lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value),
    ),
    "Json": ("JSON", lambda _: True),
    "Extras": ("null or an object of objects", _is_extras),
    **{name: (f"one of {', '.join(words)}", _one_of(words)) for name, words in WORDS.items()},
}

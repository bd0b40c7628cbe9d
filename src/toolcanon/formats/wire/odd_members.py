"""Members of a wire object in a shape that its provider does not take.

A reader takes what such a member means and notes the member as it was, so that writing it back
loses nothing. A switch drops the note, and the member is written as the provider takes it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any, Final, NamedTuple

from toolcanon.formats.wire.codec import MISSED, NOTES, dump, own
from toolcanon.ir.conversation import Call, Extras, Result, Text
from toolcanon.jsonio.types import Json, JsonObject

ODD: Final = "odd"
"""The note: by key, the member as it ``was`` and what it is read ``as``; either may be missing."""
WAS, AS = "was", "as"
_NOTHING: Final[JsonObject] = {}
_IDS: Final = frozenset({"id", "call_id", "tool_call_id", "tool_use_id", "toolUseId"})
_FREE: Final = frozenset({"input", "arguments", "args", "json", "parameters", "input_schema"})
"""Members that hold values of users, in which null is a value."""
ABSENT: Final = object()
"""A member that is not there."""


def note_odd(notes: JsonObject, key: str, was: Any, meant: Any = ABSENT) -> None:
    """Note a member, or that there is none, and what the provider takes in its place."""
    entry: JsonObject = {}
    if was is not ABSENT:
        entry[WAS] = was
    if meant is not ABSENT:
        entry[AS] = meant
    notes.setdefault(ODD, {})[key] = entry


def note_type(part: Call | Result, format_id: str, was: Json, meant: str) -> None:
    """Note the unknown type of a call or a result that is read nevertheless."""
    kept = own(part.extras, format_id)
    notes = {**kept.get(NOTES, _NOTHING), MISSED: {"type": was}}
    notes[ODD] = {**notes.get(ODD, _NOTHING), "type": {WAS: was, AS: meant}}
    part.extras = {**(part.extras or {}), format_id: {**kept, NOTES: notes}}


def odd(notes: JsonObject, key: str) -> JsonObject | None:
    """Return the entry of a member; None for one that was as it should be."""
    return notes.get(ODD, _NOTHING).get(key)  # type: ignore[no-any-return]


def is_any_odd(notes: JsonObject) -> bool:
    """Return whether any member was in a shape that the provider does not take."""
    return ODD in notes


def put_back(out: JsonObject, notes: JsonObject, key: str) -> None:
    """Write a member as it was."""
    entry = notes[ODD][key]
    out.pop(key, None)
    if WAS in entry:
        out[key] = entry[WAS]


def is_as_read(out: JsonObject, notes: JsonObject, key: str) -> bool:
    """Return whether an odd member is written as it was read, because nothing changed it."""
    entry = odd(notes, key)
    return entry is not None and is_same(out.get(key, ABSENT), entry.get(AS, ABSENT))


def put_back_all(out: JsonObject, notes: JsonObject) -> None:
    """Write as they were all members that are still written as they were read."""
    for key in notes.get(ODD, _NOTHING):
        if is_as_read(out, notes, key):
            put_back(out, notes, key)


def is_same(one: Any, other: Any) -> bool:
    """Equal as JSON: 1 is neither true nor 1.0."""
    if one is ABSENT or other is ABSENT:
        return one is other
    return bool(one == other) and _spelled(one) == _spelled(other)


def _spelled(value: Json) -> str:
    return json.dumps(value, sort_keys=True, default=repr)


def id_text(value: Json) -> str | None:
    """Return an id as text: calls and results that have the same id still have it. None for null.

    >>> id_text(7), id_text(7.0), id_text(True), id_text("7"), id_text(None)
    ('7', '7', 'true', '7', None)
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json_text(value)


def take_id(source: JsonObject, key: str, notes: JsonObject) -> str | None:
    """Return the id under a key; a missing one is noted, and so is one that is not a string."""
    value = source.get(key)
    if isinstance(value, str):
        return value
    text = id_text(value)
    was = source.get(key, ABSENT)
    note_odd(notes, key, was, ABSENT if text is None else text)
    return text


def odd_id(extras: Extras, target: str, text: str | None) -> Json:
    """The id that another format than the target had as no string, by its text; None for none."""
    for format_id, kept in (extras or _NOTHING).items():
        for key, entry in kept.get(NOTES, _NOTHING).get(ODD, _NOTHING).items():
            if format_id != target and key in _IDS and entry.get(AS) == text is not None:
                return entry.get(WAS)
    return None


def take_text(source: JsonObject, key: str, notes: JsonObject) -> str:
    """Return the text under a key; any other value as JSON, noted, and so is a missing one."""
    value = source.get(key)
    if isinstance(value, str):
        return value
    text = text_of(value).text
    note_odd(notes, key, source.get(key, ABSENT), text)
    return text


def meant_role(word: Json, roles: Container[str]) -> str | None:
    """Return the role that a word means: one of ``roles``, in other letters or between blanks.

    >>> meant_role("User", {"user"}), meant_role("critic", {"user"})
    ('user', None)
    """
    role = word.strip().lower() if isinstance(word, str) else None
    return role if role in roles else None


def text_of(value: Json) -> Text:
    """Return a value in place of text as a text: a string as it is, any other as JSON."""
    return Text(value if isinstance(value, str) else "" if value is None else json_text(value))


def json_text(value: Json) -> str:
    """Return a value as JSON text; bytes, which some SDKs have, as Python shows them."""
    try:
        return dump(value)
    except TypeError:  # bytes and other types that JSON does not have
        return json.dumps(value, ensure_ascii=False, default=repr)


def in_list(content: Json) -> Json:
    """Content in which a lone typed or tagged block is a list of one; any other as it is."""
    return [content] if isinstance(content, dict) else content


def are_blocks(items: list[Json]) -> bool:
    """Return whether a list holds typed blocks, rather than values that were never put into one."""
    return all(isinstance(item, dict) and isinstance(item.get("type"), str) for item in items)


class Misshapen(NamedTuple):
    """A member that a provider does not take as it is."""

    path: tuple[str | int, ...]
    entry: JsonObject
    """What it ``was`` and what is written ``as`` it; the one that is missing is not there."""

    @property
    def is_null(self) -> bool:
        """Whether it is only a null for what is not there."""
        return self.entry == {WAS: None}

    @property
    def name(self) -> str:
        """The way to it, in one text."""
        return ".".join(map(str, self.path))


def misshapen(extras: Extras, format_id: str, nullable: frozenset[str] | None) -> list[Misshapen]:
    """Members that the format's provider does not take; ``nullable`` are those that may be null.

    With None for ``nullable`` any member may be. An id that is missing or null is not among them:
    one that is made for its call takes its place.
    """
    kept = _NOTHING if extras is None else extras.get(format_id, _NOTHING)
    found = [
        Misshapen((key,), entry)
        for key, entry in kept.get(NOTES, _NOTHING).get(ODD, _NOTHING).items()
        if AS in entry or key not in _IDS
    ]
    if nullable is not None:
        left = {key: value for key, value in kept.items() if key != NOTES}
        found += nulls(left, lambda key: key not in nullable)
    return found


def missing_ids(extras: Extras, format_id: str, found: str) -> list[Misshapen]:
    """Return the id that a result came without, for which one was ``found``."""
    kept = _NOTHING if extras is None else extras.get(format_id, _NOTHING)
    entries = kept.get(NOTES, _NOTHING).get(ODD, _NOTHING).items()
    return [
        Misshapen((key,), {**entry, AS: found})
        for key, entry in entries
        if key in _IDS and AS not in entry
    ]


def nulls(value: Json, refused: Callable[[str], bool]) -> list[Misshapen]:
    """Yield members of a block that are null, at any depth, and are rejected for it."""
    return [Misshapen(at, {WAS: None}) for at in _nulls(value, refused)]


def _nulls(value: Json, refused: Callable[[str], bool]) -> Iterator[tuple[str | int, ...]]:
    members: Iterable[tuple[str | int, Json]] = ()
    if isinstance(value, dict):
        members = ((key, held) for key, held in value.items() if key not in _FREE)
    elif isinstance(value, list):
        members = enumerate(value)
    for key, held in members:
        if held is None and isinstance(key, str) and refused(key):
            yield (key,)
        elif isinstance(held, (dict, list)):
            yield from ((key, *at) for at in _nulls(held, refused))


def reshaped(extras: Extras, format_id: str, found: list[Misshapen]) -> Extras:
    """Extras without what makes a writer put such members back."""
    if extras is None:
        return None
    kept = dict(extras[format_id])
    notes = dict(kept.pop(NOTES, _NOTHING))
    gone = {member.path[0] for member in found if len(member.path) == 1}
    odd_ = {key: entry for key, entry in notes.pop(ODD, _NOTHING).items() if key not in gone}
    made = without(kept, found)
    if odd_:
        notes[ODD] = odd_
    if notes:
        made[NOTES] = notes
    return {**extras, format_id: made}


def without(value: JsonObject, found: list[Misshapen]) -> JsonObject:
    """Return an object without the nulls that were found in it."""
    gone = {member.path for member in found}

    def kept(held: Json, at: tuple[str | int, ...]) -> Json:
        if isinstance(held, dict):
            return {
                key: kept(inner, (*at, key))
                for key, inner in held.items()
                if inner is not None or (*at, key) not in gone
            }
        if isinstance(held, list):
            return [kept(inner, (*at, index)) for index, inner in enumerate(held)]
        return held

    return kept(value, ())  # type: ignore[no-any-return]

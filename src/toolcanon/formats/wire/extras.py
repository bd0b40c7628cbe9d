"""What only one format knows, kept so that writing back loses nothing.

Under a format's id stand its leftover keys as they were. What we note about the definition itself
(how empty values were spelled, which keys had another name …) stands beside them under one key of
ours, ``$``; a leftover key that looks like it is escaped, so that no definition can forge a note.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from toolcanon.errors import UnreadableTool
from toolcanon.formats.wire.accepts import Known
from toolcanon.formats.wire.texts import object_in_text
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio.types import Json, JsonObject

NOTES: Final = "$"

SPELLING: Final = "spelling"
"""Keys with values that say nothing: null, "", {}."""
ABSENT: Final = "absent"
"""Keys that were not there although the format wants them."""
KEYS: Final = "keys"
"""Our name of a key -> the one it went by."""
SHAPE: Final = "shape"
"""Which of the format's shapes the definition had."""
AROUND: Final = "around"
"""The keys of the wrapper around the definition."""
GROUP: Final = "group"
"""The keys of the namespace around the tool."""
BUILTIN: Final = "builtin"
"""A built-in tool, whole."""
TEXT: Final = "text"
"""Keys whose object came as a text, and that text."""
BESIDE: Final = "beside"
"""The key of a schema -> its keywords that stood beside it."""
WRITTEN: Final = "written"
"""Keys that a catalog had spelled otherwise than we would, as they were."""
GUESSES: Final = "guesses"
"""What had to be guessed in reading: where, and why."""

_KINDS: Final[dict[str, type]] = {
    SPELLING: dict,
    ABSENT: list,
    KEYS: dict,
    SHAPE: str,
    AROUND: dict,
    GROUP: dict,
    BUILTIN: dict,
    TEXT: dict,
    BESIDE: dict,
    WRITTEN: dict,
    GUESSES: list,
}
_NOTHING: Final[JsonObject] = {}


def own_extras(tool: CanonicalTool, format_id: str) -> JsonObject:
    """This format's entry, empty when there is none. Not to be changed."""
    extras = tool.__dict__.get("extras")
    return extras.get(format_id, _NOTHING) if extras else _NOTHING


def notes(own: JsonObject) -> JsonObject:
    """What we noted about the definition. Not to be changed."""
    return own.get(NOTES, _NOTHING)  # type: ignore[no-any-return]  # checked where it came in


def keep_aside(left: JsonObject, noted: JsonObject) -> JsonObject:
    """A format's entry, made of ``left``: look-alikes of our key are escaped, notes added."""
    for key in left:
        if key.__class__ is str and key[:1] == NOTES and _looks_like_ours(key):
            left = {f"{key}$" if _looks_like_ours(key) else key: left[key] for key in left}
            break
    if noted:
        left[NOTES] = noted
    return left


def _looks_like_ours(key: object) -> bool:
    return isinstance(key, str) and bool(key) and not key.strip("$")


def is_spelled(own: JsonObject, key: str) -> bool:
    """Whether the source left a key out or empty in a way that verbatim writing repeats."""
    noted = notes(own)
    return key in noted.get(SPELLING, ()) or key in noted.get(ABSENT, ())


def unknown_extras(own: JsonObject, known: Iterable[str]) -> JsonObject:
    """The leftover keys that a format has no field for, as they were spelled."""
    return {
        key[:-1] if _looks_like_ours(key) else key: value
        for key, value in own.items()
        if key != NOTES and key not in known
    }


def carried(tool: CanonicalTool, known: Known) -> JsonObject:
    """Keys that the envelope of another format carried, beside the definition or inside it."""
    found: JsonObject = {}
    wanted = known.keys()
    for kept in tool.__dict__.get("extras", _NOTHING).values():
        if not wanted.isdisjoint(kept):
            _carry(kept, known, found)
        if NOTES in kept and AROUND in kept[NOTES]:
            _carry(kept[NOTES][AROUND], known, found)
    return found


def _carry(held: JsonObject, known: Known, found: JsonObject) -> None:
    for key, accepts in known.items():
        if held.get(key) is not None and accepts(held[key]):
            found.setdefault(key, held[key])


def restore_extras(out: JsonObject, own: JsonObject, known: Known, *, verbatim: bool) -> JsonObject:
    """Put leftover keys back: all of them verbatim, otherwise what the provider accepts."""
    if not verbatim:
        for key, accepts in known.items():
            if key in own and key not in out and accepts(own[key]):
                out[key] = own[key]
        return out
    noted = notes(own)
    renamed = noted.get(KEYS)
    if renamed:
        out = {renamed.get(key, key): value for key, value in out.items()}
    for key, value in own.items():
        if key != NOTES:
            out.setdefault(key[:-1] if _looks_like_ours(key) else key, value)
    for key, value in noted.get(SPELLING, _NOTHING).items():
        out.setdefault(key, value)
    if BESIDE in noted or TEXT in noted:
        _restore_schemas(out, noted)
    return out


def _restore_schemas(out: JsonObject, noted: JsonObject) -> None:
    """Put keywords back beside their schema, and the text in its place that still spells it."""
    for key, names in noted.get(BESIDE, _NOTHING).items():
        schema = out.get(key)
        if isinstance(schema, dict):
            out[key] = {name: value for name, value in schema.items() if name not in names}
            for name in names:
                if name in schema:
                    out.setdefault(name, schema[name])
    for key, text in noted.get(TEXT, _NOTHING).items():
        if key in out and isinstance(text, str) and object_in_text(text) == out[key]:
            out[key] = text


def check_extras(extras: Json) -> None:
    """Refuse notes of the wrong form: documents and receipts can be edited by anybody."""
    for format_id, own in extras.items():
        noted = own.get(NOTES, {})
        at = f"/extras/{format_id}/{NOTES}"
        if not isinstance(noted, dict):
            raise UnreadableTool("canonical", at, "notes are an object")
        for name, value in noted.items():
            if name not in _KINDS or not isinstance(value, _KINDS[name]):
                raise UnreadableTool("canonical", f"{at}/{name}", "unknown or of the wrong type")
        names = [*noted.get(ABSENT, ()), *noted.get(KEYS, {}).values()]
        for beside in noted.get(BESIDE, {}).values():
            names += beside if isinstance(beside, list) else [beside, None]
        if not all(isinstance(name, str) for name in names):
            reason = f"{ABSENT}, {KEYS} and {BESIDE} hold names of keys"
            raise UnreadableTool("canonical", at, reason)
        for guessed in noted.get(GUESSES, ()):
            if not isinstance(guessed, dict) or guessed.keys() != {"at", "why"}:
                raise UnreadableTool("canonical", at, f"{GUESSES} hold a place and a reason each")

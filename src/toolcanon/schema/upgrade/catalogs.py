"""Upgrades of spellings in catalogs that no draft allows.

An enum that is a text (``one of a, b``) is a list of values, or prose that limits nothing. A text
in place of a schema (``"items": "string"``, ``"a": "int"``) is read as a type where it is one, and
otherwise as the description of a member. Any other text stays, and is reported where it is left
out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import POSITIONS, TYPES, Position
from toolcanon.schema.upgrade.type_expressions import (
    TypeText,
    read_choices,
    read_type,
    says_required,
    union_of,
)
from toolcanon.schema.upgrade.type_words import OPEN_WORDS, TYPE_WORDS, form_of, is_at_odds, settled
from toolcanon.schema.upgrade.value_texts import find_choices, in_text
from toolcanon.schema.values import without

Rewrite: TypeAlias = tuple[Json, Json, str | None]
"""Before, after, and the one keyword that changed; None when the whole node was rebuilt."""

YES_OR_NO: Final = {
    **dict.fromkeys(("true", "yes", "required", "mandatory"), True),
    **dict.fromkeys(("false", "no", "optional"), False),
}
_NAME: Final = re.compile(r"[^\s,;&\[\](){}'\"`]+")
_EITHER: Final = re.compile(r"\bor\b|[/|]")


def open_words(node: JsonObject, draft: object) -> tuple[Rewrite, ...]:
    """Read type names with a second meaning, such as ``json``, as ``type_words`` does others."""
    kind = node.get("type")
    words = kind if isinstance(kind, list) else [kind]
    is_open = any(isinstance(word, str) and word.strip().lower() in OPEN_WORDS for word in words)
    return type_words(node, draft) if is_open else ()


def type_words(node: JsonObject, _draft: object) -> tuple[Rewrite, ...]:
    """Read a type by another name: ``dict``, ``float``, ``STRING``; some have a format, too."""
    kind = node.get("type")
    new = type_of_words(kind)
    if new == kind:
        return ()
    if new is None:
        return ((node, without(node, "type"), None),)
    words, known = (one if isinstance(one, list) else [one] for one in (kind, new))
    form = form_of(words) if TYPES.issuperset(known) else None
    if form is not None and not is_at_odds(form, node):
        return ((node, {**node, "type": new, "format": form}, None),)
    return ((kind, new, "type"),)


def type_of_words(kind: Json) -> Json:
    """Return a type in the words of JSON Schema, as far as they are known; None if it is any."""
    if isinstance(kind, str):
        if kind in TYPES:
            return kind
        return TYPE_WORDS.get(kind.strip().lower(), kind)
    if isinstance(kind, list) and kind:
        new = ["null" if word is None else type_of_words(word) for word in kind]  # a null in YAML
        if None in new:
            return None
        if all(isinstance(word, str) for word in new):
            unique = list(dict.fromkeys(new))
            return unique if len(unique) > 1 else unique[0]
    return kind


def type_texts(node: JsonObject, _draft: object) -> Iterator[Rewrite]:
    """Read type texts (``List[str]``, ``int, optional``); keywords of the node take precedence."""
    found = _texts(node)
    if found and not any(text.is_guess for text in found):
        yield node, _as_read(node, found), None


def type_texts_guessed(node: JsonObject, _draft: object) -> Iterator[Rewrite]:
    """Read type texts with two readings, such as ``list of str or int``, as ``type_texts`` does."""
    found = _texts(node)
    if any(text.is_guess for text in found):
        yield node, _as_read(node, found), None


def _texts(node: JsonObject) -> list[TypeText]:
    """Return the readings of a node's type; empty where it is a known or an unreadable one."""
    kind = node.get("type")
    words: list[Json] = kind if isinstance(kind, list) else [kind]
    if not words or not all(isinstance(word, str) for word in words) or TYPES.issuperset(words):
        return []
    found = [text for word in words if (text := read_type(word)) is not None]
    return found if len(found) == len(words) else []


def _as_read(node: JsonObject, found: list[TypeText]) -> JsonObject:
    rest = without(node, "type")
    return beside(settled(union_of([text.schema for text in found]), rest), rest)


def beside(said: JsonObject, rest: JsonObject) -> JsonObject:
    """Return the schema of a text with other keywords, which take precedence; notes are joined."""
    remark, stated = said.get("description"), rest.get("description")
    if remark and isinstance(stated, str) and remark not in stated:
        rest = {**rest, "description": f"{stated} ({remark})" if stated.strip() else remark}
    elif remark and stated is None:
        rest = without(rest, "description")
    return {**said, **rest}


def listed_members(node: JsonObject, _draft: object) -> Iterator[Rewrite]:
    """Read members in a list, each with its name inside."""
    listed = node.get("properties")
    if not isinstance(listed, list):
        return
    names = [item.get("name") if isinstance(item, dict) else None for item in listed]
    if all(isinstance(name, str) and name for name in names) and len(set(names)) == len(names):
        members = {name: without(item, "name") for name, item in zip(names, listed, strict=True)}
        yield listed, members, "properties"


def required_in_text(node: JsonObject, _draft: object) -> Iterator[Rewrite]:
    """Read required members in a text or a map: ``a, b``, ``['a']``, ``{"a": true}``."""
    stated = node.get("required")
    needed = _needed(stated, node.get("properties"))
    if needed is not None:
        yield stated, needed, "required"


def required_as_remark(node: JsonObject, _draft: object) -> Iterator[Rewrite]:
    """Move a ``required`` that names no members (``a or b``) to the description."""
    stated = node.get("required")
    if isinstance(stated, str):
        remark = "" if stated.strip().lower() in YES_OR_NO else stated.strip()
    else:
        is_map = isinstance(stated, dict) and stated
        remark = json.dumps(stated, ensure_ascii=False) if is_map else ""
    if remark:
        yield node, beside({"description": f"required: {remark}"}, without(node, "required")), None


def _needed(stated: Json, members: Json) -> list[str] | None:
    """Return the members that a text or a map declares required; None if it does not."""
    if not isinstance(members, dict):
        return None
    if isinstance(stated, dict) and stated:
        flags = [_yes_or_no(flag) for flag in stated.values()]
        if None in flags or not members.keys() >= stated.keys():
            return None
        return [name for name, flag in zip(stated, flags, strict=True) if flag]
    if not isinstance(stated, str) or not stated.strip():
        return None
    options: list[list[str | None]] = [[stated], [stated.strip()]]
    if _EITHER.search(stated) is None:  # which would need but one of them
        words = [word for word in _NAME.findall(stated) if word != "and" or word in members]
        options += [read_choices(stated), words]
    for names in options:
        known = [name for name in names if name is not None and name in members]
        if known and len(known) == len(names):
            return list(dict.fromkeys(known))
    return None


def _yes_or_no(stated: Json) -> bool | None:
    if isinstance(stated, str):
        return YES_OR_NO.get(stated.strip().lower())
    return stated if isinstance(stated, bool) else None


def required_contradicted(node: JsonObject, _draft: object) -> Iterator[Rewrite]:
    """Make a member required whose flag and whose object's ``required`` contradict each other."""
    members, stated = node.get("properties"), node.get("required")
    if not isinstance(members, dict):
        return
    listed = stated if isinstance(stated, list) else _needed(stated, members) or []
    names = {name for name in listed if isinstance(name, str)}
    flags = {name: _flag(one) for name, one in members.items() if isinstance(one, dict)}
    odd = {name for name, flag in flags.items() if flag is False and name in names}
    if odd:
        new = {name: {**one, "required": True} if name in odd else one
               for name, one in members.items()}  # fmt: skip
        yield members, new, "properties"
    if isinstance(stated, dict):
        unlike = {name: True for name in stated if flags.get(name) and name not in names}
        if unlike and _needed(stated, members) is not None:
            yield stated, {**stated, **unlike}, "required"


def required_flags(node: JsonObject, _draft: object) -> Iterator[Rewrite]:
    """Move ``required`` on a member, or among the members, to the object that has them."""
    members = node.get("properties")
    if not isinstance(members, dict):
        return
    if _is_misplaced(members.get("required"), members) and "required" not in node:
        rest = without(members, "required")
        moved = {**node, "properties": rest, "required": members["required"]}
        yield node, moved, None
        node, members = moved, rest
    flagged = {
        name: flag
        for name, member in members.items()
        if member.__class__ is dict and (flag := _flag(member)) is not None
    }
    if not flagged:
        return
    if "required" not in node and _leaves_out_required(members, flagged):
        unmarked = [name for name in members if name not in flagged]
        flagged |= {name: True for name in unmarked if not _may_be_none(members[name])}
    new = dict(node)
    new["properties"] = {
        name: without(member, "required")
        if name in flagged
        and member.__class__ is dict
        and not isinstance(member.get("required"), list)
        else member
        for name, member in members.items()
    }
    listed = node.get("required")
    names = list(listed) if isinstance(listed, list) else []
    listed_names = {name for name in names if isinstance(name, str)}
    names += [name for name in members if flagged.get(name) and name not in listed_names]
    if names or isinstance(listed, list):
        new["required"] = names
    if new["properties"] != members or new.get("required") != listed:
        yield node, new, None


def _leaves_out_required(members: JsonObject, flagged: dict[str, bool]) -> bool:
    """Return whether members are required unless their type contains ``optional``.

    That is so where some type contains it and nothing is marked as required. A default is then no
    evidence of an optional member: such catalogs give defaults to required ones, too.
    """
    if any(flagged.values()):
        return False
    return any("required" not in members[name] for name in flagged)


def _may_be_none(member: Json) -> bool:
    """Return whether the type of a member allows none: ``Optional[float]``, ``str | None``."""
    kind = member.get("type") if isinstance(member, dict) else member
    found = read_type(kind) if isinstance(kind, str) else None
    if found is None:
        return False
    branches = found.schema.get("anyOf", [found.schema])
    return any("null" in (branch.get("type") or ()) for branch in branches)


def _is_misplaced(names: Json, members: JsonObject) -> bool:
    """Return whether what looks like a member is the list of the required ones."""
    return isinstance(names, list) and all(
        isinstance(name, str) and name in members for name in names
    )


def _flag(member: JsonObject) -> bool | None:
    """Return whether a member's own flag makes it required; None without a flag."""
    stated = member.get("required")
    if isinstance(stated, (bool, str)):
        return _yes_or_no(stated)
    kind = member.get("type")
    if kind.__class__ is str and kind not in TYPES and stated is None:
        return says_required(kind)
    return None


def has_flags(members: Json) -> bool:
    """Return whether any member may say of itself that it is required."""
    if members.__class__ is dict:
        if members.get("required").__class__ is list:
            return True
        for member in members.values():
            if member.__class__ is dict:
                if member.get("required").__class__ in (bool, str):
                    return True
                kind = member.get("type")
                if kind.__class__ is str and kind not in TYPES and len(kind) > len("required"):
                    return True
    return False


_REMARKED: Final = re.compile(r"([^\s():=]+)\s*(?:\(.*\)|[:=]\s.*|=.*|\s[-\u2013]\s.*)", re.DOTALL)
"""A value with what it means behind it: ``0 (off)``, ``0: off``, ``0=off``."""
_IN_BRACKETS: Final = re.compile(r".*\S\s*\(.*\)", re.DOTALL)
HOLDERS: Final = frozenset(POSITIONS) - {"properties", "dependencies"}
"""Keywords with schemas in them. A text among the dependencies is a name."""
_BOOLEANS: Final = {"true": True, "false": False}


class _EnumReading(NamedTuple):
    """The schema that an enum in text means, and whether it may mean another one.

    Three rules share one reading: what is certain, what is the likeliest, what is left.
    """

    schema: JsonObject
    is_guess: bool


def choices_in_text(node: JsonObject, _draft: object) -> Iterator[Rewrite]:
    """Values that are listed. They are of the type; a list's are of its items.

    One that fits no type of the node is not what the text means.
    """
    found = _read(node)
    if found is not None and not found.is_guess:
        yield _rewrite(node, found.schema)


def choices_guessed(node: JsonObject, _draft: object) -> Iterator[Rewrite]:
    """Read values that may be listed: a single word, words with their meaning after them."""
    found = _read(node)
    if found is not None and found.is_guess:
        yield _rewrite(node, found.schema)


def choices_as_remark(node: JsonObject, _draft: object) -> Iterator[Rewrite]:
    """Move prose about values (``any string``, ``1-5``) out of an enum, which it would break."""
    stated = node.get("enum")
    if isinstance(stated, str) and stated.strip() and _read(node) is None:
        yield node, beside({"description": stated.strip()}, without(node, "enum")), None


def _rewrite(node: JsonObject, schema: JsonObject) -> Rewrite:
    """Return the smallest rewrite that holds the difference."""
    if schema.keys() == node.keys() and all(
        schema[key] is node[key] for key in node if key != "enum"
    ):
        return node["enum"], schema["enum"], "enum"
    return node, schema, None


def _read(node: JsonObject) -> _EnumReading | None:
    """Return the values of an enum in text; None where it is not a list of valid values."""
    stated = node.get("enum")
    choices = find_choices(stated) if isinstance(stated, str) else None
    if choices is None or not choices.values or choices.are_prose:
        return None
    values = choices.values
    if choices.is_quoted:
        return _reading(_limited(node, values), is_guess=False)
    texts = [value or "" for value in values]
    if len(texts) == 1 and not _is_choice(texts[0]):
        return None
    heads = [match[1] for match in map(_REMARKED.fullmatch, texts) if match is not None]
    if len(texts) > 1 and len(set(heads)) == len(texts) and (found := _limited(node, [*heads])):
        return _EnumReading(beside({"description": str(stated).strip()}, found), is_guess=True)
    is_list = choices.is_told if len(texts) == 1 else not _may_be_words(str(stated), texts)
    return _reading(_limited(node, values), is_guess=not is_list)


def _reading(schema: JsonObject | None, *, is_guess: bool) -> _EnumReading | None:
    return None if schema is None else _EnumReading(schema, is_guess)


def _is_choice(text: str) -> bool:
    """Return whether one bare text may be the only choice: a word without another meaning."""
    word = text.lower()
    return len(text.split()) == 1 and not (word in TYPE_WORDS or word in YES_OR_NO)


def _may_be_words(stated: str, texts: list[str]) -> bool:
    """Return whether values may be part of a phrase, such as ``city or state name``."""
    is_listed = any(mark in stated for mark in ",;|")
    return any(_IN_BRACKETS.fullmatch(text) for text in texts) or not (
        is_listed or all(len(text.split()) == 1 for text in texts)
    )


def _limited(node: JsonObject, values: list[str | None]) -> JsonObject | None:
    """Return the node with an enum of its own, or of its items where it is a list."""
    kinds = _kinds(node)
    if not ("array" in kinds and kinds <= {"array", "null"}):
        own = _fitting(values, node)
        return {**node, "enum": own} if own else None
    items = node.get("items", {"type": "string"})
    if not isinstance(items, dict) or "enum" in items or not (own := _fitting(values, items)):
        return None
    return {**without(node, "enum"), "items": {**items, "enum": own}}


def _kinds(node: JsonObject) -> frozenset[str]:
    """Return the types that a node names; none where one of them is unknown, as it may be any."""
    kind = type_of_words(node.get("type"))
    words = kind if isinstance(kind, list) else [kind]
    if not all(isinstance(word, str) and word in TYPES for word in words):
        return frozenset()
    return frozenset(words)


def _fitting(values: list[str | None], node: JsonObject) -> list[Json]:
    """Return the values of an enum by the types of its node; empty if one does not fit."""
    kinds = _kinds(node)
    if not kinds:
        return list(values)
    found: list[Json] = []
    for value in values:
        spelled = None if value is None else in_text(value)
        if _kind_of(spelled) & kinds:
            found.append(spelled)
        elif value is not None and "string" in kinds:
            found.append(value)
        elif value is not None:
            return []
    return found


def _kind_of(value: Json) -> frozenset[str]:
    """Return the types that a value is of."""
    if isinstance(value, bool):
        return frozenset({"boolean"})
    if isinstance(value, int):
        return frozenset({"integer", "number"})
    if isinstance(value, float):
        return frozenset({"number"})
    return frozenset({"null"} if value is None else {"string"})


def member_texts(node: JsonObject, _draft: object) -> Iterator[Rewrite]:
    """Yield a member that is a text: its type if the text is one, its description otherwise."""
    members = node.get("properties")
    if isinstance(members, dict) and has_texts(members):
        new = {
            name: {"type" if _is_type(member) else "description": member}
            if isinstance(member, str)
            else member
            for name, member in members.items()
        }
        yield members, new, "properties"


def schema_texts(node: JsonObject, _draft: object) -> Iterator[Rewrite]:
    """Yield a type in place of any other schema, or of one in a list or a map of them."""
    for key, value in node.items():
        new = _below(POSITIONS[key], value) if key in HOLDERS else value
        if new != value:
            yield value, new, key


def _below(position: Position, value: Json) -> Json:
    """Return the value of a keyword, with texts read that are types."""
    if isinstance(value, str):
        new = _schema(value)
        return [new] if position is Position.SCHEMAS and new is not value else new
    if not holds_text(value):
        return value
    if isinstance(value, list):  # a null in YAML
        return [{"type": "null"} if one is None else _schema(one) for one in value]
    is_map = position is Position.SCHEMA_MAP
    return {name: _schema(one) for name, one in value.items()} if is_map else value


def listed_items(node: JsonObject, _draft: object) -> Iterator[Rewrite]:
    """Types in a list for items: one is that of all items, several are those of the places.

    They may as well be all the types that any item may have, hence a guess.
    """
    items = node.get("items")
    if isinstance(items, list) and items and all(map(_is_type, items)):
        types: list[Json] = [{"type": text} for text in items]
        yield items, types if len(types) > 1 else types[0], "items"


def _schema(value: Json) -> Json:
    """Return a text as the schema it stands for; anything else as it is."""
    if not isinstance(value, str):
        return value
    if value.strip().lower() in _BOOLEANS:
        return _BOOLEANS[value.strip().lower()]
    return {"type": value} if _is_type(value) else value


def _is_type(text: Json) -> bool:
    return isinstance(text, str) and (
        text.strip().lower() in TYPE_WORDS or read_type(text) is not None
    )


def has_texts(members: Json) -> bool:
    """Return whether any member is a text instead of a schema."""
    return members.__class__ is dict and any(member.__class__ is str for member in members.values())


def holds_text(value: Json) -> bool:
    """Return whether a text is in place of a schema, also in a list or a map of schemas."""
    if value.__class__ is list:
        return any(one.__class__ is str for one in value)
    return value.__class__ is str or has_texts(value)

"""What real catalogs write and no draft ever had: rules like those of ``legacy``, one each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import TYPES
from toolcanon.schema.type_texts import in_text, read_choices, read_type, union_of
from toolcanon.schema.type_words import TYPE_WORDS

Rewrite: TypeAlias = tuple[Json, Json, str | None]
"""Before, after, and the one keyword that changed; None when the whole node was rebuilt."""

_YES_OR_NO: Final = {
    **dict.fromkeys(("true", "yes", "required", "mandatory"), True),
    **dict.fromkeys(("false", "no", "optional"), False),
}


def type_words(node: JsonObject, draft: object) -> tuple[Rewrite, ...]:
    """One word for another: ``dict``, ``float``, ``STRING``, ``any``."""
    del draft
    kind = node.get("type")
    new = TYPE_WORDS.get(kind, kind) if kind.__class__ is str else _type(kind)
    if new is kind and kind.__class__ is str and kind not in TYPES:
        new = _type(kind)
    if new == kind:
        return ()
    if new is None:
        return ((node, {key: value for key, value in node.items() if key != "type"}, None),)
    return ((kind, new, "type"),)


def _type(kind: Json) -> Json:
    if isinstance(kind, str):
        if kind in TYPES:
            return kind
        return TYPE_WORDS.get(kind.strip().lower(), kind)
    if isinstance(kind, list) and kind:
        new = ["null" if word is None else _type(word) for word in kind]  # a null in YAML
        if None in new:
            return None
        if all(isinstance(word, str) for word in new):
            unique = list(dict.fromkeys(new))
            return unique if len(unique) > 1 else unique[0]
    return kind


def type_texts(node: JsonObject, draft: object) -> Iterator[Rewrite]:
    """``List[str]``, ``int, optional``; what the node says itself in a keyword counts more."""
    del draft
    kind = node.get("type")
    words: list[Json] = kind if isinstance(kind, list) else [kind]
    if not words or not all(isinstance(word, str) for word in words) or TYPES.issuperset(words):
        return
    found = [read_type(word) for word in words]
    schemas = [text.schema for text in found if text is not None]
    if len(schemas) == len(words):
        rest = {key: value for key, value in node.items() if key != "type"}
        yield node, _beside(union_of(schemas), rest), None


def _beside(said: JsonObject, rest: JsonObject) -> JsonObject:
    """What a type says, and the other keywords, which count more; a remark adds to theirs."""
    remark, stated = said.get("description"), rest.get("description")
    if remark and isinstance(stated, str) and remark not in stated:
        rest = {**rest, "description": f"{stated} ({remark})" if stated.strip() else remark}
    return {**said, **rest}


def choices_in_text(node: JsonObject, draft: object) -> Iterator[Rewrite]:
    """An enum that is a text: ``one of a, b``. Values are of the type; a list's are of its items.

    One that fits no type of the node is not what the text means, and the text stays what it was.
    """
    del draft
    stated = node.get("enum")
    values = read_choices(stated) if isinstance(stated, str) else []
    kinds = _kinds(node)
    if "array" in kinds and kinds <= {"array", "null"}:
        items = node.get("items", {"type": "string"})
        if isinstance(items, dict) and "enum" not in items and (found := _fitting(values, items)):
            rest = {key: value for key, value in node.items() if key != "enum"}
            yield node, {**rest, "items": {**items, "enum": found}}, None
    elif found := _fitting(values, node):
        yield stated, found, "enum"


def _kinds(node: JsonObject) -> frozenset[str]:
    """The types that a node names; none where one of them is unknown, as it may be any."""
    kind = _type(node.get("type"))
    words = kind if isinstance(kind, list) else [kind]
    if not all(isinstance(word, str) and word in TYPES for word in words):
        return frozenset()
    return frozenset(words)


def _fitting(values: list[str | None], node: JsonObject) -> list[Json]:
    """The values of an enum as the types of its node have them; none if some have no place."""
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
    """The types that a value is of."""
    if isinstance(value, bool):
        return frozenset({"boolean"})
    if isinstance(value, int):
        return frozenset({"integer", "number"})
    if isinstance(value, float):
        return frozenset({"number"})
    return frozenset({"null"} if value is None else {"string"})


def listed_members(node: JsonObject, draft: object) -> Iterator[Rewrite]:
    """Members in a list, each with its name inside."""
    del draft
    listed = node.get("properties")
    if not isinstance(listed, list):
        return
    names = [item.get("name") if isinstance(item, dict) else None for item in listed]
    if all(isinstance(name, str) and name for name in names) and len(set(names)) == len(names):
        members = {
            name: {key: value for key, value in item.items() if key != "name"}
            for name, item in zip(names, listed, strict=True)
        }
        yield listed, members, "properties"


def member_texts(node: JsonObject, draft: object) -> Iterator[Rewrite]:
    """A member that is a text: its type if the text is one, its description otherwise."""
    del draft
    members = node.get("properties")
    if isinstance(members, dict) and has_texts(members):
        new = {
            name: _described(member) if isinstance(member, str) else member
            for name, member in members.items()
        }
        yield members, new, "properties"


def _described(text: str) -> JsonObject:
    is_type = text.strip().lower() in TYPE_WORDS or read_type(text) is not None
    return {"type" if is_type else "description": text}


def required_flags(node: JsonObject, draft: object) -> Iterator[Rewrite]:
    """``required`` on a member, or among the members, belongs to the object that has them."""
    del draft
    members = node.get("properties")
    if not isinstance(members, dict):
        return
    if _is_misplaced(members.get("required"), members) and "required" not in node:
        rest = {name: member for name, member in members.items() if name != "required"}
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
    new = dict(node)
    new["properties"] = {
        name: {key: value for key, value in member.items() if key != "required"}
        if name in flagged and not isinstance(member.get("required"), list)
        else member
        for name, member in members.items()
    }
    listed = node.get("required")
    names = list(listed) if isinstance(listed, list) else []
    listed_names = {name for name in names if isinstance(name, str)}
    names += [name for name, needed in flagged.items() if needed and name not in listed_names]
    if names or isinstance(listed, list):
        new["required"] = names
    if new["properties"] != members or new.get("required") != listed:
        yield node, new, None


def _is_misplaced(names: Json, members: JsonObject) -> bool:
    """Whether what looks like a member is the list of the required ones."""
    return isinstance(names, list) and all(
        isinstance(name, str) and name in members for name in names
    )


def _flag(member: JsonObject) -> bool | None:
    """Whether a member says of itself that it must be there."""
    stated = member.get("required")
    if isinstance(stated, bool):
        return stated
    if isinstance(stated, str):
        return _YES_OR_NO.get(stated.strip().lower())
    kind = member.get("type")
    if kind.__class__ is str and kind not in TYPES and stated is None:
        found = read_type(kind)
        return None if found is None else found.required
    return None


def has_flags(members: Json) -> bool:
    """Whether any member may say of itself that it is required."""
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


def has_texts(members: Json) -> bool:
    """Whether any member is a text instead of a schema."""
    return members.__class__ is dict and any(member.__class__ is str for member in members.values())

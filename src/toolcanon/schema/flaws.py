"""What makes a schema invalid: malformed keywords, and references that never reach a schema.

Which values a keyword takes is decided in ``sound``; older drafts allow more here. Broken patterns
are not found here, since reading them is another matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.drafts import Draft, draft_of
from toolcanon.schema.keywords import POSITIONS, TYPES, Position
from toolcanon.schema.references import REFERENCES, Found, Place, References, is_schema, subschemas
from toolcanon.schema.resources import by_place
from toolcanon.schema.sound import COUNTS, FLAGS, TEXTS, is_sound

_IN_PLACE: Final = frozenset("allOf anyOf oneOf not if then else dependentSchemas".split())
"""Keywords whose schemas apply to the same value as the schema that holds them."""
_HELD: Final = _IN_PLACE.union(REFERENCES)
_FAR: Final = 256  # schemas that the same value is held to
_MOST: Final = 20  # cycles; each costs a look at the whole path
_EXCLUSIVE: Final = frozenset({"exclusiveMinimum", "exclusiveMaximum"})
_WANTED: Final[dict[str, str]] = (
    dict.fromkeys(COUNTS, "a whole number of 0 or more")
    | dict.fromkeys(FLAGS, "true or false")
    | dict.fromkeys(TEXTS, "a string")
    | dict.fromkeys(("minimum", "maximum", *_EXCLUSIVE), "a number")
    | dict.fromkeys(("enum", "examples"), "a list of values")
    | {
        "type": f"one of {', '.join(sorted(TYPES))}, or a list of different ones",
        "multipleOf": "a number greater than 0",
        "required": "a list of different names",
        "dependentRequired": "an object with a list of different names for each member",
        "$vocabulary": "an object of booleans",
    }
)
_WANTED_AT: Final = {
    Position.SCHEMA: "a schema: an object or a boolean",
    Position.SCHEMAS: "a list of at least one schema",
    Position.SCHEMA_MAP: "an object whose values are schemas",
}


class Flaw(NamedTuple):
    """One keyword that makes a schema invalid."""

    at: Place
    """The place of the keyword."""
    value: Json
    reason: str
    """What the keyword must be, or where its reference leads."""
    is_circular: bool = False
    """Whether it is a reference that leads back to itself."""


def wanted(key: str) -> str:
    """What the value of a keyword must be."""
    position = POSITIONS.get(key)
    return _WANTED.get(key, "") if position is None else _WANTED_AT[position]


def malformed(node: JsonObject, draft: Draft | None = Draft.LATEST) -> Iterator[str]:
    """The keywords of one schema whose values no draft in question allows.

    Without a draft the value may be one of any draft from 04 on.

    >>> list(malformed({"type": "object", "maxProperties": -1, "required": "a"}))
    ['maxProperties', 'required']
    """
    for key, value in node.items():
        if not is_sound(key, value):
            if not _allows(key, value, draft):
                yield key
        elif key == "type" and value.__class__ is list and len(set(value)) < len(value):
            yield key


def _allows(key: str, value: Json, draft: Draft | None) -> bool:
    """Whether a draft allows what ``sound`` does not."""
    if key in {"pattern", "$schema"}:
        return value.__class__ is str  # one that nobody can read is for others to find
    if key == "patternProperties":
        return value.__class__ is dict and all(map(is_schema, value.values()))
    if draft is Draft.LATEST:
        return key == "additionalItems"  # left the language
    if draft is Draft.D3:
        return key in {"type", "required", "dependencies"} or _allows(key, value, Draft.D4)
    if key in _EXCLUSIVE:
        return value.__class__ is bool and (draft is None or draft is Draft.D4)
    if key == "items":
        return value.__class__ is list and all(map(is_schema, value))
    if key == "dependencies":
        return value.__class__ is dict and all(
            is_schema(held) or is_sound("required", held) for held in value.values()
        )
    return False


def flaws(schema: JsonObject) -> tuple[Flaw, ...]:
    """The malformed keywords of a schema as its own draft has it, or any draft if it names none."""
    draft = draft_of(schema) if schema.get("$schema").__class__ is str else None
    return tuple(
        Flaw((*place, key), node[key], f"{key} must be {wanted(key)}")
        for place, node in walk(schema)
        for key in malformed(node, draft)
    )


def walk(schema: Json, at: Place = ()) -> Iterator[tuple[Place, JsonObject]]:
    """Every schema in a schema that is an object, with its place."""
    if schema.__class__ is dict:
        yield at, schema
        for steps, inner in subschemas(schema):
            yield from walk(inner, (*at, *steps))


def lost_references(schema: JsonObject) -> Iterator[Flaw]:
    """References that lead to nothing in the schema, and those that lead back to themselves."""
    nodes = list(walk(schema))
    if all(key not in node for _, node in nodes for key in REFERENCES):
        return
    placed, _ = by_place(schema)
    if placed is not schema:
        schema, nodes = placed, list(walk(placed))
    references = References(schema)
    for place, node in nodes:
        for key in REFERENCES:
            ref = node.get(key)
            if ref.__class__ is str and references.find(ref) is None:
                yield Flaw((*place, key), ref, f"{key} leads to nothing in this schema")
    yield from _endless(references, nodes)


def _endless(references: References, nodes: list[tuple[Place, JsonObject]]) -> Iterator[Flaw]:
    """One reference of each cycle in which no part of a value is used up; the first few."""
    schemas: dict[Place, Json] = dict(nodes)
    done: dict[Place, bool] = {}  # False while on the path
    left = _MOST
    for start, _ in nodes:
        if start in done:
            continue
        done[start] = False
        path = [(start, _ahead(references, start, schemas))]
        while path:
            place, ahead = path[-1]
            step = next(ahead, None)
            if step is None:
                done[place] = True
                path.pop()
            elif step not in done:
                done[step] = False
                path.append((step, _ahead(references, step, schemas)))
            elif not done[step]:
                yield _cycle([one for one, _ in path], step, schemas)
                left -= 1
                if not left:
                    return


def _cycle(path: list[Place], first: Place, schemas: dict[Place, Json]) -> Flaw:
    """The first reference of a cycle; without one, a schema would have to contain itself."""
    return next(
        Flaw((*place, key), schemas[place][key], f"{key} leads back to itself", is_circular=True)
        for place in path[path.index(first) :]
        for key in REFERENCES
        if _refers(schemas[place], key)
    )


def _refers(schema: Json, key: str) -> bool:
    return schema.__class__ is dict and schema.get(key).__class__ is str


def comes_back(references: References, target: Found, holder: Place, key: str) -> bool:
    """Whether a reference, by its holder and keyword, leads back to itself with the same value."""
    if target.schema.__class__ is not dict or _HELD.isdisjoint(target.schema):
        return False
    schemas: dict[Place, Json] = {target.pointer: target.schema}
    waiting = [target.pointer]
    seen = {target.pointer}
    for _ in range(_FAR):
        if not waiting:
            return False
        place = waiting.pop()
        if place == holder:
            found = references.find(schemas[place][key]) if _refers(schemas[place], key) else None
            return found is not None and found.pointer == target.pointer
        ahead = [step for step in _ahead(references, place, schemas) if step not in seen]
        seen.update(ahead)
        waiting += ahead
    return False


def _ahead(references: References, place: Place, schemas: dict[Place, Json]) -> Iterator[Place]:
    """The schemas that the same value is held to next."""
    schema = schemas[place]
    for key in REFERENCES:
        found = references.find(schema[key]) if _refers(schema, key) else None
        if found is not None:
            schemas.setdefault(found.pointer, found.schema)
            yield found.pointer
    for steps, inner in subschemas(schema):
        if steps[0] in _IN_PLACE:
            schemas.setdefault((*place, *steps), inner)
            yield (*place, *steps)

"""Malformed keywords, patterns and references: found, and left out.

A list of required names that is a string, an unknown type, a union without branches: no validator
can decide what they accept, and providers reject them.

Only what every engine rejects is reported. Where dialects of regular expressions differ (comments,
conditions, a bracket directly after a bracket) nothing is reported. ``sound`` decides which values
a keyword accepts; older drafts allow more here. Broken patterns are found elsewhere, since reading
them is another task.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from toolcanon.diagnostics import Effect
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import (
    ANNOTATIONS,
    IN_PLACE,
    OTHER_MEMBERS,
    POSITIONS,
    TYPES,
    DraftMeaning,
    Position,
    draft_of,
    is_label,
)
from toolcanon.schema.references import (
    REFERENCES,
    References,
    ReferenceTarget,
    is_schema,
    subschemas,
)
from toolcanon.schema.references import Place as ReferencesPlace
from toolcanon.schema.resources import by_place

_TOKEN: Final = re.compile(
    r"""
    (?P<escape>\\.)
    | (?P<cut>\\\Z)
    | (?P<unsure>\[\^?\] | \(\?[#(] | \(\?[a-zA-Z^-]*x | \(\*)
    | (?P<set>\[\^?(?:[^\]\\]|\\.)*+\])
    | (?P<unset>\[)
    | (?P<open>\(\??)
    | (?P<close>\))
    | (?P<bar>\|)
    | (?P<count>\{\d{1,9}(?:,\d{0,9})?\})
    | (?P<repeat>[*+?])
    | (?P<other>.)
    """,
    re.DOTALL | re.VERBOSE,
)
_REPEATS: Final = "*+?"
_MANNERS: Final = "+?"
_MEMBER: Final = re.compile(r"(\\.|.)(?:-(\\.|.))?", re.DOTALL)


@lru_cache(maxsize=1024)
def flaw(pattern: str) -> str | None:
    """Return why no engine can read a pattern; None when one may.

    >>> flaw("(a|b"), flaw("[z-a]"), flaw("(?=a)b")
    ('a ( is never closed', 'z-a counts down', None)
    """
    depth, repeats = 0, ""  # the signs of repeating that may follow here
    for token in _TOKEN.finditer(pattern):
        kind, text = token.lastgroup, token.group()
        found = None
        match kind:
            case "unsure":
                return None
            case "cut" | "unset":
                found = "it ends with a backslash" if kind == "cut" else "a [ is never closed"
            case "set":
                found = _backwards(text)
            case "count":
                found = _downwards(text)
            case "repeat" if text not in repeats:
                found = f"there is nothing that {text} could repeat"
            case "close" if not depth:
                found = "a ) closes nothing"
        if found is not None:
            return found
        depth += (kind == "open") - (kind == "close")
        repeats = _repeats(kind, repeats)
    return "a ( is never closed" if depth else None


def _repeats(kind: str | None, before: str) -> str:
    """Whether a repetition may follow: of a thing, or of a repetition to make it lazy."""
    if kind == "repeat":
        return _MANNERS if before == _REPEATS else ""
    return "" if kind in {"open", "bar"} else _REPEATS


def _downwards(count: str) -> str | None:
    least, _, most = count.strip("{}").partition(",")
    return f"{count} counts down" if most and int(least) > int(most) else None


def _backwards(text: str) -> str | None:
    """Find a range in a set whose end is before its start; only plain characters are compared."""
    for member in _MEMBER.finditer(text.removeprefix("[").removeprefix("^")[:-1]):
        first, last = member.groups()
        is_plain = last is not None and len(first) == len(last) == 1 and last != "-"
        if is_plain and first > last:
            return f"{first}-{last} counts down"
    return None


Place: TypeAlias = tuple[str | int, ...]
Omission: TypeAlias = tuple[Place, Json, Json]
"""The place, the value before, and the value after (None: removed)."""

TEXTS: Final = frozenset(
    {
        "$ref",
        "$anchor",
        "$comment",
        "$dynamicAnchor",
        "$dynamicRef",
        "$id",
        "$schema",
        "contentEncoding",
        "contentMediaType",
        "description",
        "title",
        "pattern",
        "format",
    }
)
_TEXT: Final = frozenset({str})
FLAGS: Final = frozenset({"uniqueItems", "deprecated", "readOnly", "writeOnly"})
COUNTS: Final = frozenset(
    "minLength maxLength minItems maxItems minProperties maxProperties minContains "
    "maxContains".split()
)
_NUMBERS: Final = frozenset(
    {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
)
CHECKED: Final = frozenset(
    {*FLAGS, *COUNTS, *_NUMBERS}
    | {"enum", "required", "dependentRequired", "examples", "$vocabulary"}
)
"""Keywords to check beside types, texts and schemas; others may have any value."""

_REMARKS: Final = ANNOTATIONS | set(
    "format contentEncoding contentMediaType contentSchema $anchor $dynamicAnchor $id $schema "
    "$vocabulary".split()
)
"""Keywords that hold values to nothing."""
_NOTHING: Final[tuple[Json, ...]] = (None, "", [], {})
_MATERIAL: Final = Effect.WIDENED | Effect.NARROWED
_CHOICES: Final[dict[str, Effect]] = {"anyOf": Effect.NARROWED, "oneOf": _MATERIAL}
"""What it means that one branch of several is gone."""

_GONE: Final = object()
_FREE: Final = TEXTS - {"pattern", "$schema"}


def is_sound(key: str, value: Json) -> bool:
    """Return whether a keyword is readable; schemas below it are not checked."""
    if key == "required":
        return value.__class__ is list and are_names(value)
    return _value(key, value) is value


def are_names(names: list[Json]) -> bool:
    """Return whether there are only names, each of them once."""
    return _TEXT.issuperset(map(type, names)) and len(set(names)) == len(names)


def worth(place: Place, value: Json) -> Effect:
    """Return the effect of leaving out the unreadable part of a keyword."""
    key = str(place[-1])
    if key in _REMARKS or any(value is one or value == one for one in _NOTHING):
        return Effect.HINT_LOST
    effect = Effect.WIDENED
    if key == "required":
        if value.__class__ in (bool, str):  # a flag of a member that is not declared
            return Effect.HINT_LOST
        if value.__class__ is list and all(name.__class__ is str for name in value):  # twice
            return Effect.EXACT
    elif key == "dependentRequired" and value.__class__ is dict and _are_texts(value):  # twice
        return Effect.EXACT
    elif key in _CHOICES and value.__class__ is list and _schemas(key, value) is not _GONE:
        effect = _CHOICES[key]
    return turned(effect, place)


def turned(effect: Effect, place: Place) -> Effect:
    """Return an effect on what a schema accepts as one on the whole: a negation has more mean less.

    >>> turned(Effect.WIDENED, ("properties", "not", "not", "enum"))
    <Effect.NARROWED: 2>
    """
    steps = iter(place)
    for step in steps:
        if not effect & _MATERIAL:
            break
        if step == "if":
            effect |= _MATERIAL
        elif step == "not" and effect & _MATERIAL != _MATERIAL:
            effect ^= _MATERIAL
        if POSITIONS.get(str(step), Position.SCHEMA) is not Position.SCHEMA:
            next(steps, None)  # a name or a number
    return effect


def sound(node: JsonObject, omitted: list[Omission], at: tuple[str | int, ...] = ()) -> JsonObject:
    """Return the schema without its malformed keywords, which are added to ``omitted``."""
    out = node
    for key, value in node.items():
        if value.__class__ is str and (key in _FREE or (key == "type" and value in TYPES)):
            continue  # as most are
        new = _value(key, value)
        if key == "patternProperties" and new is not value and not OTHER_MEMBERS.isdisjoint(node):
            new = _matching_all(value, new)
        if new is not value:
            omitted.append(((*at, key), value, None if new is _GONE else new))
        position = POSITIONS.get(key)
        if position is not None and new is not _GONE:
            new = _below(new, position, omitted, (*at, key))
        if new is not value:
            if out is node:
                out = node.copy()
            if new is _GONE:
                del out[key]
            else:
                out[key] = new
    return out


def _below(
    value: Json, position: Position, omitted: list[Omission], at: tuple[str | int, ...]
) -> Json:
    if position is Position.SCHEMA:
        plain = value.__class__ is not dict or _is_plain(value)
        return value if plain else sound(value, omitted, at)
    out = value
    for step, item in value.items() if value.__class__ is dict else enumerate(value):
        if item.__class__ is not dict or _is_plain(item):
            continue
        new = sound(item, omitted, (*at, step))
        if new is not item:
            if out is value:
                out = value.copy()
            out[step] = new
    return out


def _is_plain(node: JsonObject) -> bool:
    """Return whether a node has only its type, and perhaps annotations: as most do."""
    kind = node.get("type")
    if kind.__class__ is not str or kind not in TYPES:
        return False
    size = len(node)
    return size == 1 or (size == 2 and node.get("description").__class__ is str)  # noqa: PLR2004


def _value(key: str, value: Json) -> Json:
    """Return the value as far as it can be read; _GONE when it cannot."""
    position = POSITIONS.get(key)
    kind = value.__class__
    if key == "type":
        return _types(value)
    if position is Position.SCHEMA:
        return value if kind in (dict, bool) else _GONE
    if position is Position.SCHEMAS:
        return _schemas(key, value) if kind is list else _GONE
    if position is Position.SCHEMA_MAP:
        readable = _readable(value) if key == "patternProperties" else value
        return _members(readable) if kind is dict else _GONE
    if key == "enum":
        return value if kind is list else _GONE
    if key == "required":
        return _names(value) if kind is list else _GONE
    if key == "dependentRequired":
        return _demands(value)
    return value if _is_scalar(key, value) else _GONE


def _readable(table: Json) -> Json:
    """Return the members by patterns that an engine may read."""
    if table.__class__ is not dict:
        return table
    broken = [name for name in table if name.__class__ is str and flaw(name)]
    return {name: table[name] for name in table if name not in broken} if broken else table


def _matching_all(table: Json, readable: Json) -> Json:
    """Patterns beside a rule for other members: those left out may have matched any name."""
    if readable is _GONE:
        return {"": True}
    return {"": True, **readable} if len(readable) < len(table) else readable


def _is_scalar(key: str, value: Json) -> bool:
    kind = value.__class__
    if key == "pattern":
        return kind is str and flaw(value) is None
    if key in TEXTS:
        return kind is str and (key != "$schema" or is_label(value))
    if key in FLAGS:
        return kind is bool
    if key in COUNTS:
        return (kind is int or (kind is float and value.is_integer())) and value >= 0
    if key in _NUMBERS:
        return kind in (int, float) and (key != "multipleOf" or value > 0)
    if key == "examples":
        return kind is list
    if key == "$vocabulary":
        return kind is dict and all(wanted.__class__ is bool for wanted in value.values())
    return True


def _types(kind: Json) -> Json:
    if kind.__class__ is str:
        return kind if kind in TYPES else _GONE
    if kind.__class__ is not list:
        return _GONE
    # An unknown type may accept anything: without it nothing would be left of the schema.
    known = bool(kind) and all(word.__class__ is str and word in TYPES for word in kind)
    return kind if known else _GONE


def _schemas(key: str, items: list[Json]) -> Json:
    held = [item for item in items if item.__class__ in (dict, bool)]
    if held and len(held) == len(items):
        return items
    if held and key == "prefixItems":  # the others keep their places
        return [item if item.__class__ in (dict, bool) else {} for item in items]
    return held or _GONE


def _members(table: JsonObject) -> JsonObject:
    """Keep a member whose schema is malformed: it is still a member."""
    if all(item.__class__ in (dict, bool) for item in table.values()):
        return table
    return {name: v if v.__class__ in (dict, bool) else {} for name, v in table.items()}


def _demands(table: Json) -> Json:
    """Return the names that each member requires, once each; _GONE when one is not a name."""
    if table.__class__ is not dict:
        return _GONE
    new = {name: _names(held) if held.__class__ is list else [] for name, held in table.items()}
    if all(new[name] is held for name, held in table.items()):
        return table
    return new if _are_texts(table) else _GONE


def _are_texts(table: JsonObject) -> bool:
    return all(
        held.__class__ is list and all(name.__class__ is str for name in held)
        for held in table.values()
    )


def _names(names: list[Json]) -> list[Json]:
    if are_names(names):
        return names
    return list(dict.fromkeys(name for name in names if name.__class__ is str))


_HELD: Final = IN_PLACE.union(REFERENCES)
_FAR: Final = 256  # schemas that the same value is held to
_MOST: Final = 20  # cycles; each costs a walk of the whole path
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

    at: ReferencesPlace
    """The place of the keyword."""
    value: Json
    reason: str
    """What the keyword must be, or where its reference leads."""
    is_circular: bool = False
    """Whether it is a reference that leads back to itself."""


def wanted(key: str) -> str:
    """Return the type that the value of a keyword must have, in words."""
    position = POSITIONS.get(key)
    return _WANTED.get(key, "") if position is None else _WANTED_AT[position]


def malformed(node: JsonObject, draft: DraftMeaning | None = DraftMeaning.LATEST) -> Iterator[str]:
    """Yield the keywords of one schema whose values no draft in question allows.

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


def _allows(key: str, value: Json, draft: DraftMeaning | None) -> bool:
    """Return whether a draft allows what ``sound`` does not."""
    if key in {"pattern", "$schema"}:
        return value.__class__ is str  # broken patterns are found elsewhere
    if key == "patternProperties":
        return value.__class__ is dict and all(map(is_schema, value.values()))
    if draft is DraftMeaning.LATEST:
        return key == "additionalItems"  # left the language
    if draft is DraftMeaning.D3:
        return key in {"type", "required", "dependencies"} or _allows(key, value, DraftMeaning.D4)
    if key in _EXCLUSIVE:
        return value.__class__ is bool and (draft is None or draft is DraftMeaning.D4)
    if key == "items":
        return value.__class__ is list and all(map(is_schema, value))
    if key == "dependencies":
        return value.__class__ is dict and all(
            is_schema(held) or is_sound("required", held) for held in value.values()
        )
    return False


def flaws(schema: JsonObject) -> tuple[Flaw, ...]:
    """Yield the malformed keywords of a schema by its own draft, or by any without one."""
    draft = draft_of(schema) if schema.get("$schema").__class__ is str else None
    return tuple(
        Flaw((*place, key), node[key], f"{key} must be {wanted(key)}")
        for place, node in walk(schema)
        for key in malformed(node, draft)
    )


def walk(schema: Json, at: ReferencesPlace = ()) -> Iterator[tuple[ReferencesPlace, JsonObject]]:
    """Yield every object schema in a schema, with its place."""
    if schema.__class__ is dict:
        yield at, schema
        for steps, inner in subschemas(schema):
            yield from walk(inner, (*at, *steps))


def lost_references(schema: JsonObject) -> Iterator[Flaw]:
    """Yield references without a target in the schema, and those that are circular."""
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


def _endless(
    references: References, nodes: list[tuple[ReferencesPlace, JsonObject]]
) -> Iterator[Flaw]:
    """One reference of each cycle in which no part of a value is used up; the first few."""
    schemas: dict[ReferencesPlace, Json] = dict(nodes)
    done: dict[ReferencesPlace, bool] = {}  # False while on the path
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


def _cycle(
    path: list[ReferencesPlace], first: ReferencesPlace, schemas: dict[ReferencesPlace, Json]
) -> Flaw:
    """Return the first reference of a cycle; without one, a schema would have to contain itself."""
    return next(
        Flaw((*place, key), schemas[place][key], f"{key} leads back to itself", is_circular=True)
        for place in path[path.index(first) :]
        for key in REFERENCES
        if _refers(schemas[place], key)
    )


def _refers(schema: Json, key: str) -> bool:
    return schema.__class__ is dict and schema.get(key).__class__ is str


def comes_back(
    references: References, target: ReferenceTarget, holder: ReferencesPlace, key: str
) -> bool:
    """Return whether a reference is recursive on the same value; given by holder and keyword."""
    if target.schema.__class__ is not dict or _HELD.isdisjoint(target.schema):
        return False
    schemas: dict[ReferencesPlace, Json] = {target.pointer: target.schema}
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


def _ahead(
    references: References, place: ReferencesPlace, schemas: dict[ReferencesPlace, Json]
) -> Iterator[ReferencesPlace]:
    """Yield the schemas that the same value is held to next."""
    schema = schemas[place]
    for key in REFERENCES:
        found = references.find(schema[key]) if _refers(schema, key) else None
        if found is not None:
            schemas.setdefault(found.pointer, found.schema)
            yield found.pointer
    for steps, inner in subschemas(schema):
        if steps[0] in IN_PLACE:
            schemas.setdefault((*place, *steps), inner)
            yield (*place, *steps)

"""Keywords that mean nothing as they stand are left out.

A list of required names that is a word, a type nobody knows, a union without branches: no
validator can say what they accept, and providers refuse them.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from toolcanon.diagnostics import Effect
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.broken_patterns import flaw
from toolcanon.schema.drafts import is_label
from toolcanon.schema.keywords import ANNOTATIONS, POSITIONS, TYPES, Position

Place: TypeAlias = tuple[str | int, ...]
Omission: TypeAlias = tuple[Place, Json, Json]
"""Where, what stood there, what stands there now (None: nothing)."""

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
"""What is looked at beside types, texts and schemas; others may say anything."""

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
_OTHERS: Final = frozenset({"additionalProperties", "unevaluatedProperties"})
_FREE: Final = TEXTS - {"pattern", "$schema"}


def is_sound(key: str, value: Json) -> bool:
    """Whether a keyword can be read as it stands; schemas below are not looked at."""
    if key == "required":
        return value.__class__ is list and are_names(value)
    return _value(key, value) is value


def are_names(names: list[Json]) -> bool:
    """Whether there are only names, each of them once."""
    for name in names:
        if name.__class__ is not str:
            return False
    return len(names) < 2 or len(set(names)) == len(names)  # noqa: PLR2004


def worth(place: Place, value: Json) -> Effect:
    """What it means for arguments that a keyword is left out as far as it cannot be read."""
    key = str(place[-1])
    if key in _REMARKS or any(value is one or value == one for one in _NOTHING):
        return Effect.HINT_LOST
    effect = Effect.WIDENED
    if key == "required":
        if value.__class__ in (bool, str):  # a flag of a member that nobody has
            return Effect.HINT_LOST
        if value.__class__ is list and all(name.__class__ is str for name in value):  # twice
            return Effect.EXACT
    elif key == "dependentRequired" and value.__class__ is dict and _are_texts(value):  # twice
        return Effect.EXACT
    elif key in _CHOICES and value.__class__ is list and _schemas(key, value) is not _GONE:
        effect = _CHOICES[key]
    return turned(effect, place)


def turned(effect: Effect, place: Place) -> Effect:
    """An effect on what a schema accepts as one on the whole: a negation has more mean less.

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
    """The schema without its malformed keywords, which are told in ``omitted``."""
    out = node
    for key, value in node.items():
        if value.__class__ is str and (key in _FREE or (key == "type" and value in TYPES)):
            continue  # as most are
        new = _value(key, value)
        if key == "patternProperties" and new is not value and not _OTHERS.isdisjoint(node):
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
    """Whether a node says just its type, and perhaps what it is: as most do."""
    kind = node.get("type")
    if kind.__class__ is not str or kind not in TYPES:
        return False
    size = len(node)
    return size == 1 or (size == 2 and node.get("description").__class__ is str)  # noqa: PLR2004


def _value(key: str, value: Json) -> Json:
    """The value as far as it can be read; _GONE when it cannot."""
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
    """Members by patterns that an engine may read."""
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
    # One that nobody knows may be anything: without it nothing would be left of it.
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
    """A member whose schema is no schema is still a member."""
    if all(item.__class__ in (dict, bool) for item in table.values()):
        return table
    return {name: v if v.__class__ in (dict, bool) else {} for name, v in table.items()}


def _demands(table: Json) -> Json:
    """The names that each member demands, each of them once; _GONE when one is not a name."""
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

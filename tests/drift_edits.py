"""Edits of schemas for tests: rewrites that change nothing, and tightenings that break a caller.

Each takes a schema (never one it may change) and a random source, and returns another schema, or
nothing where it does not apply. The rewrites are one for each row of the table of equivalences.
"""

import copy
from random import Random

from toolcanon.schema.references import subschemas

SAFE = 9007199254740991


def seeded(seed):
    """Where the edits get their choices from."""
    return Random(seed)  # noqa: S311 - nobody has to guess them


def nodes(schema):
    """Every schema in one, the root first, definitions apart from what they define."""
    yield schema
    for _, inner in subschemas(schema):
        if isinstance(inner, dict):
            yield from nodes(inner)


def values(schema, path=()):
    """Schemas where values stand: members and items at any depth, with how they are reached."""
    for name, inner in (schema.get("properties") or {}).items():
        if isinstance(inner, dict):
            yield (*path, ("properties", name)), inner
            yield from values(inner, (*path, ("properties", name)))
    if isinstance(items := schema.get("items"), dict):
        yield (*path, ("items", None)), items
        yield from values(items, (*path, ("items", None)))


def edited(schema, random, change):
    """A copy with one place changed; None when no place takes the change."""
    made = copy.deepcopy(schema)
    places = [*(inner for _, inner in values(made))]
    random.shuffle(places)
    for place in places:
        if change(place, random, made):
            return made
    return None


# What changes nothing.


def shuffled(schema, random):
    def turn(value):
        if isinstance(value, dict):
            keys = list(value)
            random.shuffle(keys)
            return {key: turn(value[key]) for key in keys}
        return [turn(item) for item in value] if isinstance(value, list) else value

    return turn(schema)


def lists_shuffled(schema, random):
    made = copy.deepcopy(schema)
    for node in nodes(made):
        for key in ("required", "enum", "type", "anyOf"):
            if isinstance(node.get(key), list):
                random.shuffle(node[key])
    return made


def floats(schema, random):
    made = copy.deepcopy(schema)
    for node in nodes(made):
        for key in ("minimum", "maximum"):
            if type(node.get(key)) is int and abs(node[key]) < SAFE:
                node[key] = float(node[key])
    return made


def hoisted(schema, random):
    """A member moves into a definition."""

    def move(place, random, root):
        if "$ref" in place or not place:
            return False
        root.setdefault("$defs", {})[name := f"moved{len(root['$defs'])}"] = dict(place)
        place.clear()
        place["$ref"] = f"#/$defs/{name}"
        return True

    return edited(schema, random, move)


def unused(schema, random):
    return {**schema, "$defs": {**schema.get("$defs", {}), "nobody": {"type": "string"}}}


def const_or_enum(schema, random):
    def change(place, random, root):
        if "const" in place:
            place["enum"] = [place.pop("const")]
            return True
        if len(place.get("enum", ())) == 1:
            place["const"] = place.pop("enum")[0]
            return True
        return False

    return edited(schema, random, change)


def type_as_union(schema, random):
    def change(place, random, root):
        kind = place.get("type")
        if isinstance(kind, list) and len(kind) > 1 and set(place) <= {"type", "description"}:
            del place["type"]
            place["anyOf"] = [{"type": word} for word in kind]
            return True
        return False

    return edited(schema, random, change)


def nullable_as_union(schema, random):
    def change(place, random, root):
        kind = place.get("type")
        if isinstance(kind, list) and "null" in kind and len(kind) == 2 and "enum" not in place:
            (other,) = [word for word in kind if word != "null"]
            kept = {"type", "description", "title", "default", "examples"}
            rest = {k: place.pop(k) for k in list(place) if k not in kept}
            del place["type"]
            place["anyOf"] = [{"type": other, **rest}, {"type": "null"}]
            return True
        return False

    return edited(schema, random, change)


def wrapped(schema, random):
    """A single branch, or a single part."""
    key = random.choice(["allOf", "anyOf", "oneOf"])

    def change(place, random, root):
        kept = {"description", "title", "default", "examples", "deprecated"}
        if "$ref" in place or not set(place) - kept:
            return False
        inner = {k: place.pop(k) for k in list(place) if k not in kept}
        place[key] = [inner]
        return True

    return edited(schema, random, change)


def split(schema, random):
    """An open object as two parts that both hold."""

    def change(place, random, root):
        members = place.get("properties")
        if not isinstance(members, dict) or len(members) < 2 or "allOf" in place:
            return False
        if place.get("additionalProperties", True) is not True or "unevaluatedProperties" in place:
            return False
        name = random.choice(sorted(members))
        part = {"properties": {name: members.pop(name)}}
        if name in place.get("required", ()):
            place["required"] = [one for one in place["required"] if one != name]
            part["required"] = [name]
        place["allOf"] = [part]
        return True

    return edited(schema, random, change)


def neutral(schema, random):
    extras = {
        "string": {"minLength": 0, "pattern": ""},
        "array": {"minItems": 0, "uniqueItems": False},
        "object": {"minProperties": 0, "required": [], "properties": {}},
    }

    def change(place, random, root):
        more = extras.get(str(place.get("type")), {})
        fresh = {key: value for key, value in more.items() if key not in place}
        place.update(fresh)
        return bool(fresh)

    return edited(schema, random, change)


def opened(schema, random):
    if "additionalProperties" in schema:
        return None
    return {**schema, "additionalProperties": random.choice([True, {}])}


def commented(schema, random):
    def change(place, random, root):
        place["$comment"] = "seen"
        place.setdefault("deprecated", False)
        return True

    return edited({**schema, "$schema": "https://json-schema.org/draft/2020-12/schema"}, random,
                  change)  # fmt: skip


def safe_bounds(schema, random):
    def change(place, random, root):
        if place.get("type") != "integer" or "maximum" in place:
            return False
        place["maximum"] = SAFE
        place.setdefault("minimum", -SAFE)
        return True

    return edited(schema, random, change)


def exclusive(schema, random):
    def change(place, random, root):
        if place.get("type") != "integer" or type(place.get("minimum")) is not int:
            return False
        place["exclusiveMinimum"] = place.pop("minimum") - 1
        return True

    return edited(schema, random, change)


def step_of_one(schema, random):
    def change(place, random, root):
        if place.get("type") != "integer" or "multipleOf" in place:
            return False
        place.update(type="number", multipleOf=1)
        return True

    return edited(schema, random, change)


def untyped_enum(schema, random):
    def change(place, random, root):
        values = place.get("enum")
        if place.get("type") != "string" or not values:
            return False
        if not all(isinstance(value, str) for value in values):
            return False
        del place["type"]
        return True

    return edited(schema, random, change)


def absorbed(schema, random):
    """A union with a branch that another one contains."""

    def change(place, random, root):
        if place.get("type") != "string" or "anyOf" in place or "enum" in place:
            return False
        keep = {"description", "title", "default", "examples", "deprecated"}
        inner = {k: place.pop(k) for k in list(place) if k not in keep}
        place["anyOf"] = [inner, {**inner, "enum": ["a", "b"]}]
        return True

    return edited(schema, random, change)


def draft_seven(schema, random):
    if "$defs" not in schema or "$schema" in schema or "definitions" in schema:
        return None
    text = copy.deepcopy(schema)
    text["definitions"] = text.pop("$defs")
    for node in nodes(text):
        if isinstance(ref := node.get("$ref"), str):
            node["$ref"] = ref.replace("#/$defs/", "#/definitions/")
    return text


REWRITES = (
    shuffled, lists_shuffled, floats, hoisted, unused, const_or_enum, type_as_union,
    nullable_as_union, wrapped, split, neutral, opened, commented, safe_bounds, exclusive,
    step_of_one, untyped_enum, absorbed, draft_seven,
)  # fmt: skip


# What hurts whoever called before.


def requires(schema, random):
    free = [
        name for name in schema.get("properties") or {} if name not in schema.get("required", ())
    ]
    if not free:
        return None
    return {**schema, "required": [*schema.get("required", ()), random.choice(sorted(free))]}


def removes(schema, random):
    names = sorted(schema.get("properties") or {})
    if not names:
        return None
    gone = random.choice(names)
    return {
        **schema,
        "properties": {k: v for k, v in schema["properties"].items() if k != gone},
        "required": [name for name in schema.get("required", ()) if name != gone],
    }


def demands(schema, random):
    return {
        **schema,
        "properties": {**(schema.get("properties") or {}), "brand_new": {"type": "string"}},
        "required": [*schema.get("required", ()), "brand_new"],
    }


def retypes(schema, random):
    def change(place, random, root):
        kind = place.get("type")
        if kind not in ("string", "integer", "number", "boolean"):
            return False
        place.clear()
        place["type"] = "boolean" if kind != "boolean" else "string"
        return True

    return edited(schema, random, change)


def lengthens(schema, random):
    def change(place, random, root):
        if place.get("type") != "string" or "enum" in place or "format" in place:
            return False
        if "pattern" in place or "const" in place:
            return False
        place["minLength"] = place.get("minLength", 0) + 3
        return place["minLength"] <= place.get("maxLength", 10)

    return edited(schema, random, change)


def lists(schema, random):
    def change(place, random, root):
        if place.get("type") != "string" or not {"enum", "const"}.isdisjoint(place):
            return False
        if "pattern" in place or "format" in place or place.get("minLength", 0) > 3:
            return False
        place["enum"] = ["only", "these"]
        return True

    return edited(schema, random, change)


def drops_a_value(schema, random):
    def change(place, random, root):
        if len(place.get("enum", ())) < 2 or "anyOf" in place:
            return False
        place["enum"] = place["enum"][1:]
        return True

    return edited(schema, random, change)


def bounds(schema, random):
    def change(place, random, root):
        if place.get("type") not in ("integer", "number") or "enum" in place:
            return False
        if "multipleOf" in place or "exclusiveMinimum" in place or "const" in place:
            return False
        low = place.get("minimum", -5)
        place["minimum"] = low + 1
        return low + 1 <= place.get("maximum", low + 2) and low + 1 < place.get("exclusiveMaximum",
                                                                               low + 2)  # fmt: skip

    return edited(schema, random, change)


def fills(schema, random):
    def change(place, random, root):
        if place.get("type") != "array" or place.get("minItems", 0) or "prefixItems" in place:
            return False
        place["minItems"] = 1
        return place.get("maxItems", 1) >= 1

    return edited(schema, random, change)


TIGHTENINGS = (
    requires, removes, demands, retypes, lengthens, lists, drops_a_value, bounds, fills,
)  # fmt: skip

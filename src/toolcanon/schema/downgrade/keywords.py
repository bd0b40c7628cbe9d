"""Write a 2020-12 schema with the keywords of an older draft: the mirror of ``upgrade``.

Keywords with another name are renamed, and a keyword that the older draft lacks is written with
those it has, where that accepts the same. References follow what moves. ``minContains``,
``maxContains``, ``unevaluated…`` and ``propertyNames`` have no equivalent in some drafts: the
caller leaves them out.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final, NamedTuple

from toolcanon.diagnostics import Effect
from toolcanon.errors import LimitExceeded
from toolcanon.jsonio import DEFAULT_LIMITS
from toolcanon.jsonio.types import JsonObject
from toolcanon.schema.downgrade.walk import (
    MOVED,
    SAID,
    URIS,
    DowngradeWriter,
    Handler,
    Record,
    SchemaScan,
    WrittenNode,
    declares_other,
    opens_resource,
)
from toolcanon.schema.keywords import DraftMeaning
from toolcanon.schema.references import References, subschemas
from toolcanon.schema.values import identity

_RENAMED, _FIXED, _DECLARED, _DROPPED = "L401", "L403", "L404", "L229"
_IN_PLACE: Final = frozenset("allOf anyOf oneOf if then else".split())
_EITHER: Final = Effect.WIDENED | Effect.NARROWED


def _declared(run: DowngradeWriter, spot: WrittenNode, key: str) -> None:
    spot.out[key] = spot.node[key]
    if declares_other(spot.node, run.draft):
        spot.out[key] = URIS[run.draft]
        run.tell(_DECLARED, spot, key, URIS[run.draft])


def _reference(run: DowngradeWriter, spot: WrittenNode, key: str) -> None:
    ref = spot.node[key]
    led = run.led(ref, spot.node) if ref.__class__ is str else ref
    spot.out[key] = led
    if led != ref:
        run.tell(MOVED, spot, key, led)


def _dynamic_reference(run: DowngradeWriter, spot: WrittenNode, key: str) -> None:
    """Write a dynamic reference as a plain one, where only one schema has the name."""
    ref = spot.node[key]
    led = run.led(ref, spot.node)
    certain = run.survey.dynamic[ref.partition("#")[2]] <= 1
    run.tell(_FIXED, spot, key, led, Effect.EXACT if certain else _EITHER)
    if "$ref" in spot.node:
        spot.parts.append({"$ref": led})
    else:
        spot.out["$ref"] = led


def _anchor(run: DowngradeWriter, spot: WrittenNode, key: str) -> None:
    """References go by place instead; a name of the latest kind may become a plain one."""
    if run.draft is DraftMeaning.D2019 and not run.survey.has_resources:
        if key == "$anchor" or "$anchor" not in spot.node:
            spot.out["$anchor"] = spot.node[key]
        if key != "$anchor":
            run.tell(_RENAMED, spot, key, spot.out.get("$anchor"))
    else:
        run.tell(_DROPPED, spot, key, None)


def _identifier(run: DowngradeWriter, spot: WrittenNode, key: str) -> None:
    if run.survey.has_resources and spot.old and opens_resource(spot.node):
        run.tell(_DROPPED, spot, key, None)  # references lead to the root from everywhere now
    elif run.draft is DraftMeaning.D4:
        run.tell(_RENAMED, spot, key, spot.node[key])
        spot.out["id"] = spot.node[key]
    else:
        spot.out[key] = spot.node[key]


def _stray_identifier(run: DowngradeWriter, spot: WrittenNode, key: str) -> None:
    """Leave out an unknown keyword that would be an identifier in the older draft."""
    run.tell(_DROPPED, spot, key, None)


def _definitions(run: DowngradeWriter, spot: WrittenNode, key: str) -> None:
    held = spot.out.setdefault("definitions", {})
    rivals = spot.node.get("definitions" if key == "$defs" else "$defs") or {}
    for name, schema in spot.node[key].items():
        called, number = name, 2
        while called in held or (called != name and called in rivals):
            called, number = f"{name}_{number}", number + 1
        old, new = (*spot.old, key, name), (*spot.new, "definitions", called)
        held[called] = run.child(schema, old, new)
    if key == "$defs":
        run.tell(_RENAMED, spot, key, list(held))


def _by_place(run: DowngradeWriter, spot: WrittenNode, key: str) -> None:
    spot.out["items"] = run.below(spot.node[key], key, (*spot.old, key), (*spot.new, "items"))
    run.tell(_RENAMED, spot, key, spot.out["items"])


def _items(run: DowngradeWriter, spot: WrittenNode, key: str) -> None:
    name = "additionalItems" if "prefixItems" in spot.node else key
    value, old, new = spot.node[key], (*spot.old, key), (*spot.new, name)
    # Where only references lead, a list of schemas may still stand there.
    is_list = value.__class__ is list
    spot.out[name] = run.below(value, key, old, new) if is_list else run.child(value, old, new)
    if name != key:
        run.tell(_RENAMED, spot, key, spot.out[name])


def _unevaluated_items(run: DowngradeWriter, spot: WrittenNode, key: str) -> None:
    """Items that ``contains`` found are evaluated today, and were not then."""
    old, new = (*spot.old, key), (*spot.new, key)
    if not _must_count(spot.node):
        spot.out[key] = run.child(spot.node[key], old, new)
    elif run.may_double:
        places = ((*spot.new, "contains"), (*new, "anyOf", 0))
        found = run.twice(spot.node["contains"], (*spot.old, "contains"), *places)
        rest = run.child(spot.node[key], old, (*new, "anyOf", 1))
        spot.out["contains"], spot.out[key] = found[0], {"anyOf": [found[1], rest]}
        run.tell(SAID, spot, key, spot.out[key])
    else:
        run.tell("L228", spot, key, None, _EITHER)
        return
    if _finds_items(spot.node, run.references):
        run.tell("L228", spot, key, spot.out[key], Effect.NARROWED)


def _finds_items(schema: JsonObject, references: References) -> bool:
    """Return whether a schema that applies in the same place has ``contains``."""
    seen: set[int] = set()
    stack = [schema]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        below = [child for steps, child in subschemas(node) if steps[0] in _IN_PLACE]
        if node.get("$ref").__class__ is str and (found := references.find(node["$ref"])):
            below.append(found.schema)
        held = [child for child in below if child.__class__ is dict]
        if any("contains" in child for child in held):
            return True
        stack.extend(held)
    return False


def _dependent(run: DowngradeWriter, spot: WrittenNode, key: str) -> None:
    """Write names and schemas under one keyword; both for one member make one schema."""
    run.tell(_RENAMED, spot, key, list(spot.node[key]))
    names = spot.node.get("dependentRequired") or {}
    schemas = spot.node.get("dependentSchemas") or {}
    if key == "dependentRequired" and schemas:
        return  # written with those
    held: JsonObject = {}
    for name in {**names, **schemas}:
        needed = list(dict.fromkeys(names.get(name) or ()))
        if name not in schemas:
            if needed or run.draft > DraftMeaning.D4:
                held[name] = needed
            continue
        old, new = (*spot.old, "dependentSchemas", name), (*spot.new, "dependencies", name)
        if needed:
            inner = run.child(schemas[name], old, (*new, "allOf", 0))
            held[name] = {"required": needed, "allOf": [inner]}
        else:
            held[name] = run.child(schemas[name], old, new)
    if held:
        spot.out["dependencies"] = held


def _must_count(node: JsonObject) -> bool:
    """Return whether items that were evaluated must be accepted, which is not written yet."""
    rest = node.get("unevaluatedItems")
    if "contains" not in node or rest is None:
        return False
    branches = rest.get("anyOf") if rest.__class__ is dict else None
    return not branches or branches[0] != node["contains"]


def _contains_counted(run: DowngradeWriter, spot: WrittenNode, key: str) -> None:
    if not (_must_count(spot.node) and run.may_double):
        spot.out[key] = run.child(spot.node[key], (*spot.old, key), (*spot.new, key))


def _condition(run: DowngradeWriter, spot: WrittenNode, key: str) -> None:
    """Write a condition: ``if`` fails or ``then`` holds; ``if`` holds or ``else`` does."""
    node, old = spot.node, (*spot.old, key)
    used = [word for word in ("then", "else") if node.get(word, True) not in (True, {})]
    homes = [(*spot.part(number), "anyOf", 0) for number in range(len(used))]
    if "then" in used:
        homes[0] = (*homes[0], "not")
    if len(used) > 1 and not run.may_double:
        run.tell("L210", spot, key, None, _EITHER)
        return
    run.tell(SAID, spot, key, None)
    tests = run.twice(node[key], old, *homes) if len(used) > 1 else ()
    for number, word in enumerate(used):
        test = tests[number] if tests else run.child(node[key], old, homes[number])
        at = (*spot.part(), "anyOf", 1)
        choice = run.child(node[word], (*spot.old, word), at)
        spot.parts.append({"anyOf": [{"not": test} if word == "then" else test, choice]})


def _consequence(run: DowngradeWriter, spot: WrittenNode, key: str) -> None:
    """Write it with its condition; without one it has no effect."""
    run.tell(SAID, spot, key, None)


def _contains(run: DowngradeWriter, spot: WrittenNode, key: str) -> None:
    """Write ``contains`` as "not a list without a matching item"."""
    at = (*spot.part(), "not", "items", "not")
    inner = run.child(spot.node[key], (*spot.old, key), at)
    spot.parts.append({"not": {"type": "array", "items": {"not": inner}}})
    run.tell(SAID, spot, key, None)


def _const(run: DowngradeWriter, spot: WrittenNode, key: str) -> None:
    value = spot.node[key]
    run.tell(_RENAMED, spot, key, [value])
    if "enum" in spot.node:
        spot.parts.append({"enum": [value]})
    else:
        spot.out["enum"] = [value]


def _enum(run: DowngradeWriter, spot: WrittenNode, key: str) -> None:
    """Write an enum that is not empty and has no value twice."""
    values = list({identity(value): value for value in reversed(spot.node[key])}.values())[::-1]
    if not values:
        spot.parts.append({"not": {}})
        run.tell(SAID, spot, key, None)
        return
    spot.out[key] = values if len(values) < len(spot.node[key]) else spot.node[key]
    if spot.out[key] is values:
        run.tell(_RENAMED, spot, key, values)


def _required(run: DowngradeWriter, spot: WrittenNode, key: str) -> None:
    if spot.node[key]:
        spot.out[key] = spot.node[key]
    else:
        run.tell(_RENAMED, spot, key, None)


def _count(run: DowngradeWriter, spot: WrittenNode, key: str) -> None:
    """Write a count as an integer: older drafts do not accept ``2.0`` as one."""
    spot.out[key] = value = int(spot.node[key])
    if value.__class__ is not spot.node[key].__class__:
        run.tell(_RENAMED, spot, key, value)


def _exclusive(run: DowngradeWriter, spot: WrittenNode, key: str) -> None:
    """Write the bound and a flag beside it; of two bounds the one that decides."""
    is_lower = key == "exclusiveMinimum"
    word = "minimum" if is_lower else "maximum"
    value, rival = spot.node[key], spot.node.get(word)
    decides = rival is None or (value >= rival if is_lower else value <= rival)
    if decides:
        spot.out.update({word: value, key: True})
    run.tell(_RENAMED, spot, key, decides)


def _bound(_run: DowngradeWriter, spot: WrittenNode, key: str) -> None:
    spot.out.setdefault(key, spot.node[key])  # unless the exclusive one took its place


_SINCE: Final[Mapping[DraftMeaning, Mapping[str, Handler]]] = {
    DraftMeaning.LATEST: {
        "prefixItems": _by_place,
        "items": _items,
        "unevaluatedItems": _unevaluated_items,
        "contains": _contains_counted,
        "$dynamicRef": _dynamic_reference,
        "$dynamicAnchor": _anchor,
        "$anchor": _anchor,
        "$id": _identifier,
        "$ref": _reference,
    },
    DraftMeaning.D2019: {
        "$defs": _definitions,
        "definitions": _definitions,
        "dependentRequired": _dependent,
        "dependentSchemas": _dependent,
    },
    DraftMeaning.D7: {"if": _condition, "then": _consequence, "else": _consequence, "enum": _enum},
    DraftMeaning.D6: {
        "exclusiveMinimum": _exclusive,
        "exclusiveMaximum": _exclusive,
        "minimum": _bound,
        "maximum": _bound,
        "contains": _contains,
        "const": _const,
        "required": _required,
        **dict.fromkeys(
            "minLength maxLength minItems maxItems minProperties maxProperties".split(), _count
        ),
        "id": _stray_identifier,
    },
}
"""Keywords that came, or changed, with each draft, and their equivalent before it."""


@cache
def handlers(draft: DraftMeaning) -> Mapping[str, Handler]:
    made: dict[str, Handler] = {"$schema": _declared}
    for since, handlers in _SINCE.items():
        if draft < since:
            made |= handlers
    return made


class Downgraded(NamedTuple):
    """The schema in the words of a draft, and what was rewritten to get there."""

    schema: JsonObject
    log: list[Record]


def downgrade(schema: JsonObject, draft: DraftMeaning) -> Downgraded:
    """Write a 2020-12 schema as an older draft has it. Pure; the same object if it is fine as is.

    >>> downgrade({"prefixItems": [{"const": 1}], "items": False}, DraftMeaning.D7).schema
    {'items': [{'const': 1}], 'additionalItems': False}
    """
    words = handlers(draft)
    survey = SchemaScan(schema, draft, words)
    if not survey.is_odd:
        return Downgraded(schema, [])
    writer = DowngradeWriter(draft, survey, words)
    try:
        found = writer.node(schema, (), ())
        if writer.refers:  # by now it is known where everything goes, and references can follow
            writer = DowngradeWriter(draft, survey, words, writer.moves)
            found = writer.node(schema, (), ())
    except RecursionError:
        raise LimitExceeded("depth", DEFAULT_LIMITS.depth) from None
    return Downgraded(found if writer.log else schema, writer.log)

"""JSON Schema 2020-12 written in an older draft.

It mirrors ``upgrade``: a walk, with handlers for keywords that change. Keywords with another name
are renamed; what an older draft has no keyword for is written with those it has, where that accepts
the same values. References follow what moves. ``minContains``, ``maxContains``, ``unevaluated…``
and ``propertyNames`` have no equivalent in some drafts: the caller omits them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Final, NamedTuple, TypeAlias

from toolcanon.diagnostics import Effect
from toolcanon.errors import LimitExceeded
from toolcanon.jsonio import DEFAULT_LIMITS
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.keywords import POSITIONS, URIS, DraftMeaning, Position, draft_of
from toolcanon.schema.references import Place, References, subschemas
from toolcanon.schema.resources import reference_to
from toolcanon.schema.values import identity

Record: TypeAlias = tuple[str, Effect | None, Place, Json, Json]
"""A loss in the making: its code, its effect unless the code's own, where, before, after."""

SAID, MOVED = "L402", "L202"
_MOST_DOUBLED: Final = 3  # a schema that is needed twice, inside one that is, and so on
_BESIDE: Final = frozenset({"$ref", "$schema", "$comment", "definitions"})


class SchemaScan:
    """The facts about the whole schema that writing needs."""

    def __init__(self, schema: JsonObject, draft: DraftMeaning, odd: Collection[str]) -> None:
        self.references = References(schema)
        self.is_odd = False
        self.has_resources = False
        """Whether identifiers below the root open documents within the document."""
        self.dynamic: Counter[str] = Counter()
        """How many schemas have a dynamic name."""
        self.targets: set[Place] = set()
        """Where references lead."""
        self.astray: set[Place] = set()
        """The same, and all places on the way there."""
        self._draft = draft
        self._words = frozenset(odd) - _quiet(draft)
        seen: set[Place] = set()
        stack: list[tuple[Place, Json]] = [((), schema)]
        later: list[tuple[Place, Json]] = []  # most turn out to be ordinary schemas
        while stack or later:
            place, node = (stack or later).pop()
            if node.__class__ is not dict or place in seen:
                continue
            seen.add(place)
            self._look(node, place)
            found = self.references.find(node["$ref"]) if _refers(node) else None
            if found is not None and found.pointer not in seen:
                self._mark(found.pointer)
                later.append(found)
            stack.extend(((*place, *steps), child) for steps, child in subschemas(node))

    def _look(self, node: JsonObject, place: Place) -> None:
        crowded = self._draft <= DraftMeaning.D7 and "$ref" in node and is_crowded(node, place)
        if crowded or not self._words.isdisjoint(node) or declares_other(node, self._draft):
            self.is_odd = True
        self.has_resources |= bool(place) and opens_resource(node)
        if node.get("$dynamicAnchor").__class__ is str:
            self.dynamic[node["$dynamicAnchor"]] += 1

    def _mark(self, place: Place) -> None:
        """Remember the way to a schema that perhaps no keyword leads to."""
        self.targets.add(place)
        self.astray |= {place[:size] for size in range(1, len(place) + 1)}


def _quiet(draft: DraftMeaning) -> set[str]:
    """Return the keywords that need no handler."""
    found = {"$schema", "$ref"}
    if draft > DraftMeaning.D4:
        found |= {"$id", "contains"}
    if draft > DraftMeaning.D7:
        found.add("$anchor")
    return found


def _refers(node: JsonObject) -> bool:
    return node.get("$ref").__class__ is str


def is_crowded(node: JsonObject, place: Place) -> bool:
    """Return whether a reference has siblings, or will have: a document has a title."""
    return not place or not node.keys() <= _BESIDE


def declares_other(node: JsonObject, draft: DraftMeaning) -> bool:
    """Return whether ``$schema`` must change; an unknown dialect counts as the latest draft."""
    if "$schema" not in node:
        return False
    if draft is DraftMeaning.LATEST:
        return draft_of(node) is not draft
    return bool(node["$schema"] != URIS[draft])


def opens_resource(node: JsonObject) -> bool:
    identifier = node.get("$id")
    return identifier.__class__ is str and "#" not in identifier[:-1] and bool(identifier)


class WrittenNode(NamedTuple):
    """A node with its old and new place, and the schema that is being made of it."""

    node: JsonObject
    old: Place
    new: Place
    out: JsonObject
    parts: list[JsonObject]
    """What has to hold beside, in ``allOf``."""

    def part(self, further: int = 0) -> Place:
        """Return the place of the next part, or of one behind it."""
        own = len(self.node.get("allOf") or ())
        return (*self.new, "allOf", own + len(self.parts) + further)


class DowngradeWriter:
    """One walk over a schema, top-down, with a handler for each keyword that does not stay."""

    def __init__(
        self,
        draft: DraftMeaning,
        survey: SchemaScan,
        handlers: Mapping[str, Handler],
        known: Mapping[Place, Place] | None = None,
    ) -> None:
        self.draft = draft
        self.survey = survey
        self.references = survey.references
        self.moves: dict[Place, Place] = {}
        """The new place of each schema."""
        self.log: list[Record] = []
        self.refers = False
        self._known = known
        self._handlers = handlers
        self._doubled = 0

    def node(self, node: JsonObject, old: Place, new: Place) -> JsonObject:
        """Return a schema and everything below it."""
        self.moves[old] = new
        spot = WrittenNode(node, old, new, {}, [])
        for key, value in node.items():
            handle = self._handlers.get(key)
            if handle is not None:
                handle(self, spot, key)
            elif key in POSITIONS:
                spot.out[key] = self.below(value, key, (*old, key), (*new, key))
            else:
                spot.out[key] = self.stray(value, (*old, key), (*new, key))
        out = spot.out
        if self.draft <= DraftMeaning.D7 and "$ref" in out and (spot.parts or is_crowded(out, old)):
            self.tell(SAID, spot, "$ref" if "$ref" in node else "$dynamicRef", None)
            spot.parts.append({"$ref": out.pop("$ref")})
        if spot.parts:
            out["allOf"] = [*(out.get("allOf") or ()), *spot.parts]
        return out

    def below(self, value: Json, key: str, old: Place, new: Place) -> Json:
        """Return a schema, or the list or map of schemas that a keyword holds."""
        if value.__class__ is list:
            return [
                self.child(item, (*old, index), (*new, index)) for index, item in enumerate(value)
            ]
        if POSITIONS[key] is Position.SCHEMA_MAP:
            return {
                name: self.child(item, (*old, name), (*new, name)) for name, item in value.items()
            }
        return self.child(value, old, new)

    def child(self, value: Json, old: Place, new: Place) -> Json:
        """Write one schema below."""
        if value.__class__ is dict:
            return self.node(value, old, new)
        self.moves[old] = new
        return value

    def stray(self, value: Json, old: Place, new: Place) -> Json:
        """Return the value of an unknown keyword, in which references may find schemas."""
        if old not in self.survey.astray:
            return value
        if old in self.survey.targets:
            return self.child(value, old, new)
        if value.__class__ is list:
            return [
                self.stray(item, (*old, index), (*new, index)) for index, item in enumerate(value)
            ]
        return {name: self.stray(item, (*old, name), (*new, name)) for name, item in value.items()}

    def twice(self, value: Json, old: Place, one: Place, other: Place) -> tuple[Json, Json]:
        """Return a schema that is needed in two places."""
        self._doubled += 1
        first = self.child(value, old, one)
        told = len(self.log)
        second = self.child(value, old, other)
        del self.log[told:]
        self._doubled -= 1
        return first, second

    @property
    def _keeps_names(self) -> bool:
        return self.draft > DraftMeaning.D7 and not self.survey.dynamic

    @property
    def may_double(self) -> bool:
        """Whether what is doubled within what is doubled stays small."""
        return self._doubled < _MOST_DOUBLED

    def tell(
        self, code: str, spot: WrittenNode, key: str, after: Json, effect: Effect | None = None
    ) -> None:
        """Report the new form of a keyword."""
        self.log.append((code, effect, (*spot.old, key), spot.node[key], after))

    def led(self, ref: str, holder: JsonObject) -> str:
        """Return a reference as it has to be spelled now."""
        self.refers = True
        found = self.references.find_exactly(ref, holder) or self.references.find(ref)
        if found is None or self._known is None:
            return ref
        place = self._known.get(found.pointer)
        if place is None:
            return ref
        fragment = ref.partition("#")[2]
        fine = not fragment or fragment.startswith("/") or self._keeps_names
        if place == found.pointer and fine and not self.survey.has_resources:
            return ref
        return reference_to(place)


Handler: TypeAlias = Callable[[DowngradeWriter, WrittenNode, str], None]
"""Writes one keyword of a node: fills ``out`` and ``parts``, and reports what it changed."""


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

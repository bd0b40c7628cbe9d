"""Where the references of a schema lead, and whether they lead back. Nothing is fetched.

References make a graph of the schema. What it is asked for (does a place come back to itself, how
large would it be with everything inlined) is worked out once, on stacks of our own: a chain of
references may be thousands long and an inlined schema larger than any memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from orjson import dumps

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.cached_property import kept
from toolcanon.schema.keywords import POSITIONS, Position
from toolcanon.schema.values import strings_in

Place: TypeAlias = tuple[str | int, ...]

REFERENCES: Final = ("$ref", "$dynamicRef")
DEFINITIONS: Final = frozenset({"$defs", "definitions"})

# What may stand beside a reference without saying anything about values.
_SILENT: Final = DEFINITIONS | {
    *REFERENCES,
    *("$anchor", "$comment", "$dynamicAnchor", "$id", "$schema", "$vocabulary"),
    *("default", "deprecated", "description", "examples", "readOnly", "title", "writeOnly"),
}
_ANCHORS: Final = ("$anchor", "$dynamicAnchor")
_ESCAPE: Final = re.compile(rb"%([0-9A-Fa-f]{2})")
_PLAIN: Final = re.compile(r"#(/[^%~]*)?", re.DOTALL)
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,8}")
_ROOT: Final[Place] = ()
# Identifiers compared by their spelling: all have a host, or none has, and none needs normalizing.
_UNMISTAKABLE: Final = re.compile(
    r"(https?://[a-z0-9.-]+/(?:[\w-][\w.-]*/)*)?[\w-][\w.-]*", re.ASCII
)
_UNREAD: Final = frozenset({"additionalItems", "dependencies"})  # validators of 2020-12 pass by
_MOST: Final = 10**100  # higher costs make no difference, and sums stay short
_LEADING: Final = frozenset({*POSITIONS, *REFERENCES})
"""Keywords that lead to other schemas."""


class ReferenceTarget(NamedTuple):
    """The target of a reference: its place in the root schema, and the schema there."""

    pointer: Place
    schema: Json


class _Node(NamedTuple):
    children: tuple[Place, ...]
    """The schemas right below that hold schemas or references themselves."""
    leaves: int
    """How many others there are."""
    targets: tuple[Place, ...]


def subschemas(schema: Json) -> Iterator[tuple[Place, Json]]:
    """Yield the schemas right below one, definitions among them, with the steps that lead there.

    >>> [steps for steps, _ in subschemas({"enum": [{}], "properties": {"items": True}})]
    [('properties', 'items')]
    """
    if schema.__class__ is not dict:
        return
    for key, value in schema.items():
        position = POSITIONS.get(key)
        if position is None:
            continue
        if value.__class__ is list:
            yield from (((key, index), item) for index, item in enumerate(value) if is_schema(item))
        elif position is Position.SCHEMA_MAP and value.__class__ is dict:
            yield from (((key, name), item) for name, item in value.items() if is_schema(item))
        elif is_schema(value):
            yield (key,), value


def is_schema(value: Json) -> bool:
    """Return whether a value can be a schema at all."""
    return value.__class__ is dict or value.__class__ is bool


def is_walked(place: Place) -> bool:
    """Return whether keywords that hold schemas lead to a place, so that walkers come by.

    >>> is_walked(("$defs", "a", "items")), is_walked(("$defs", "group", "a"))
    (True, False)
    """
    steps = iter(place)
    for key in steps:
        position = POSITIONS.get(key) if isinstance(key, str) else None
        if position is None:
            return False
        if position is not Position.SCHEMA:
            next(steps, None)  # the name or index below the keyword
    return True


def has_references(schema: Json) -> bool:
    """Return whether a schema or its definitions have a reference anywhere.

    >>> has_references({"properties": {"$ref": {"const": {"$ref": "#"}}}})
    False
    """
    stack = [schema]
    while stack:
        node = stack.pop()
        if node.__class__ is dict:
            if any(node.get(key).__class__ is str for key in REFERENCES):
                return True
            stack.extend(child for _, child in subschemas(node))
    return False


class _Names:
    """The names in a root schema: resources, which an ``$id`` opens, and their anchors."""

    def __init__(self, root: Json) -> None:
        self.places: dict[tuple[str, str], Place] = {("", ""): _ROOT}
        """The first of each (identifier, anchor); without an identifier, of the root."""
        self.anchors: dict[str, Place] = {}
        """The first of each, whichever its resource."""
        self.repeated: set[str] = set()
        """Anchors that are not the only ones of their name."""
        self.home = ""
        self.embedded = False
        """Whether there are resources besides the root."""
        self.doubtful = False
        """Whether identifiers leave doubt about where a validator would go."""
        self._hosted: set[bool] = set()
        self._homes: dict[int, str] = {}
        stack: list[tuple[Place, Json, str]] = [(_ROOT, root, "")]
        while stack:
            place, schema, base = stack.pop()
            if schema.__class__ is not dict:
                continue
            base = self._enter(place, schema, base)
            below = [((*place, *steps), child, base) for steps, child in subschemas(schema)]
            stack.extend(reversed(below))

    def home_of(self, schema: Json) -> str | None:
        """Return the identifier of the resource that a schema belongs to."""
        return self._homes.get(id(schema)) if self.embedded else self.home

    def _enter(self, place: Place, schema: Json, base: str) -> str:
        identifier = schema.get("$id")
        # One with a fragment is a leftover of older drafts and opens no resource.
        if identifier.__class__ is str and "#" not in identifier[:-1] and identifier.strip("#"):
            base = identifier.removesuffix("#")
            spelled = _UNMISTAKABLE.fullmatch(base)
            first = self.places.setdefault((base, ""), place) == place
            if not first or spelled is None or not _UNREAD.isdisjoint(place):
                self.doubtful = True
            else:
                self._hosted.add(spelled[1] is not None)
                self.doubtful |= len(self._hosted) > 1
            if place:
                self.embedded = True
            else:
                self.home = base
        for key in _ANCHORS:
            anchor = schema.get(key)
            if anchor.__class__ is str:
                self.places.setdefault((base, anchor), place)
                if self.anchors.setdefault(anchor, place) != place:
                    self.repeated.add(anchor)
        self.doubtful |= self._homes.setdefault(id(schema), base) != base
        return base


class References:
    """The references within one root schema. Indexed when first needed; never changes it.

    >>> References({"$defs": {"a/b": {"type": "null"}}}).find("#/$defs/a~1b")
    ReferenceTarget(pointer=('$defs', 'a/b'), schema={'type': 'null'})
    """

    def __init__(self, root: Json, *, optional: bool = True) -> None:
        """With ``optional`` false, members that an object may leave out lead nowhere."""
        self._root = root
        self._optional = optional
        self._schemas: dict[Place, Json] = {_ROOT: root}
        self._nodes: dict[Place, _Node] = {}
        self._component: dict[Place, int] = {}  # places that reach each other share a number
        self._circles: set[int] = set()
        self._costs: dict[Place, int] = {}
        self._meaningless: dict[Place, bool] = {}
        self._found: dict[str, ReferenceTarget | None] = {}

    @kept
    def are_plain(self) -> bool:
        """Whether every reference is a pointer whose steps are keys as they are."""
        stack = [self._root]
        while stack:
            node = stack.pop()
            ref = node.get("$ref") if node.__class__ is dict else None
            if isinstance(ref, str) and not _PLAIN.fullmatch(ref):
                return False
            stack.extend(child for _, child in subschemas(node))
        return True

    def find(self, ref: str) -> ReferenceTarget | None:
        """Return the target of a reference; None when it is remote or there is none.

        A ``#`` is the root, and a name that several schemas have is the first of them.
        """
        if ref not in self._found:  # some stand in thousands of places
            self._found[ref] = self._named(ref)
        return self._found[ref]

    def _named(self, ref: str) -> ReferenceTarget | None:
        head, _, fragment = ref.partition("#")
        fragment = _unquoted(fragment)
        if fragment.startswith("/") or not fragment:
            start = self._names.places.get((head, "")) if head else _ROOT
            return self._below(start, fragment)
        if not head:
            return self._below(self._names.anchors.get(fragment))
        return self._below(self._names.places.get((head, fragment)))

    def find_exactly(self, ref: str, holder: Json) -> ReferenceTarget | None:
        """Return the target a validator finds from the schema that holds it; None if uncertain.

        A ``#`` is the resource that the schema belongs to.
        """
        head, _, fragment = ref.partition("#")
        fragment = _unquoted(fragment)
        names = self._names
        base = head or names.home_of(holder)
        if base is None or (names.embedded and names.doubtful) or fragment in names.repeated:
            return None
        if fragment.startswith("/") or not fragment:
            return self._below(names.places.get((base, "")), fragment)
        return self._below(names.places.get((base, fragment)))

    def is_recursive(self, pointer: Sequence[str | int]) -> bool:
        """Return whether following references from a place can come back to it."""
        found = self._resolve(pointer)
        if found is None:
            return False
        self._explore(found.pointer)
        return self._component[found.pointer] in self._circles

    def is_meaningless(self, pointer: Sequence[str | int]) -> bool:
        """Return whether a place leads only to references that go in a circle."""
        found = self._resolve(pointer)
        seen: set[Place] = set()
        known = self._meaningless
        while found is not None and found.pointer not in seen and found.pointer not in known:
            seen.add(found.pointer)
            ref = None
            if found.schema.__class__ is dict and found.schema.keys() <= _SILENT:
                ref = next(_references_of(found.schema), None)
            if ref is None:
                known.update(dict.fromkeys(seen, False))
                return False
            found = self.find(ref)
        # Every place on the way shares the answer, so a long chain is followed once.
        answer = found is not None and known.get(found.pointer, True)
        known.update(dict.fromkeys(seen, answer))
        return answer

    def cost(self, pointer: Sequence[str | int]) -> int:
        """Return the number of schemas at and below a place once everything is inlined.

        A recursive reference counts as the one node it is. Definitions count where they are used.
        """
        found = self._resolve(pointer)
        if found is None:
            return 0
        self._explore(found.pointer)
        costs, component = self._costs, self._component
        stack = [found.pointer]
        while stack:
            place = stack[-1]
            if place in costs:
                stack.pop()
                continue
            node = self._nodes[place]
            here = component[place]
            inlined = [target for target in node.targets if component[target] != here]
            missing = [part for part in (*node.children, *inlined) if part not in costs]
            if missing:
                stack.extend(missing)
                continue
            # What is inlined takes the place of the node that referred to it.
            own = node.leaves if inlined else 1 + node.leaves
            below = sum(costs[part] for part in (*node.children, *inlined))
            costs[place] = min(own + below, _MOST)
        return costs[found.pointer]

    @kept
    def _names(self) -> _Names:
        return _Names(self._root)

    def _below(self, start: Place | None, pointer: str = "") -> ReferenceTarget | None:
        """Return the schema at a pointer below a place."""
        if start is None:
            return None
        steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
        found = self._resolve((*start, *steps))
        return found if found is not None and is_schema(found.schema) else None

    def _resolve(self, pointer: Sequence[str | int]) -> ReferenceTarget | None:
        """Return the value at a pointer, whose steps come back as the keys and indices they are."""
        place = tuple(pointer)
        known = self._schemas.get(place, self)
        if known is not self:
            return ReferenceTarget(place, known)
        value, steps = self._root, []
        for step in place:
            if value.__class__ is dict and step in value:
                value = value[step]
                steps.append(step)
            elif value.__class__ is list and _INDEX.fullmatch(str(step)):
                index = int(step)
                if index >= len(value):
                    return None
                value = value[index]
                steps.append(index)
            else:
                return None
        place = tuple(steps)
        self._schemas[place] = value
        return ReferenceTarget(place, value)

    def _node(self, place: Place) -> _Node:
        node = self._nodes.get(place)
        if node is None:
            schema = self._schemas[place]
            children, leaves = [], 0
            for steps, child in subschemas(schema):
                if steps[0] in DEFINITIONS or not (self._optional or _is_needed(steps, schema)):
                    continue
                if child.__class__ is bool or _LEADING.isdisjoint(child):
                    leaves += 1
                    continue
                children.append((*place, *steps))
                self._schemas[children[-1]] = child
            targets = (self.find(ref) for ref in _references_of(schema))
            node = _Node(
                tuple(children), leaves, tuple(found.pointer for found in targets if found)
            )
            self._nodes[place] = node
        return node

    def _explore(self, start: Place) -> None:
        """Tarjan's strongly connected components of all that is reachable and not yet known."""
        component = self._component
        if start in component:
            return
        low = {start: 0}
        order = {start: 0}
        waiting = [start]
        work = [(start, iter((*self._node(start).children, *self._node(start).targets)))]
        while work:
            place, ahead = work[-1]
            for step in ahead:
                if step not in order and step not in component:
                    order[step] = low[step] = len(order)
                    waiting.append(step)
                    node = self._node(step)
                    work.append((step, iter((*node.children, *node.targets))))
                    break
                if step not in component:
                    low[place] = min(low[place], order[step])
            else:
                work.pop()
                if work:
                    before = work[-1][0]
                    low[before] = min(low[before], low[place])
                if low[place] == order[place]:
                    self._close(place, waiting)

    def _close(self, first: Place, waiting: list[Place]) -> None:
        """Close one component: all that waits from ``first`` on."""
        number = len(self._component)
        circle = waiting[-1] != first or first in self._nodes[first].targets
        while True:
            place = waiting.pop()
            self._component[place] = number
            if place == first:
                break
        if circle:
            self._circles.add(number)


def _is_needed(steps: Place, schema: Json) -> bool:
    """Return whether a schema below another applies to every value; items count as if they did."""
    return steps[0] != "properties" or steps[1] in strings_in(schema.get("required"))


def _references_of(schema: Json) -> Iterator[str]:
    if schema.__class__ is dict:
        for key in REFERENCES:
            ref = schema.get(key)
            if ref.__class__ is str:
                yield ref


def _unquoted(text: str) -> str:
    if "%" not in text:
        return text
    raw = text.encode("utf-8", "surrogatepass")
    raw = _ESCAPE.sub(lambda found: bytes.fromhex(found[1].decode()), raw)
    return raw.decode("utf-8", "replace")


_REFERENCE: Final = re.compile(rb'"\$(?:ref|dynamicRef)":"([^"]*)"')
_PLAIN_DEFINITION: Final = re.compile(rb"#/(?:\$defs|definitions)/[^/%~\\]+")

_MOST_ROUNDS: Final = 32  # each takes the definitions away that lead to none that are left


def may_recur(schema: JsonObject) -> bool:
    """No only where all references lead to definitions of the root, and those to no circle.

    >>> may_recur({"$defs": {"a": {"items": {"$ref": "#/$defs/b"}}, "b": {}}})
    False
    >>> may_recur({"properties": {"a": {"$ref": "#"}}})
    True
    """
    try:
        text = dumps(schema)
    except TypeError:  # orjson writes no integers beyond 64 bits, lone surrogates or great depth
        return True
    if not all(map(_PLAIN_DEFINITION.fullmatch, _REFERENCE.findall(text))):
        return True
    left: dict[bytes, set[bytes]] = {}
    for key in DEFINITIONS.intersection(schema):  # in any order: the answer is the same
        table = schema[key]
        if table.__class__ is not dict:
            return True
        for name, held in table.items():
            left[f"#/{key}/{name}".encode()] = set(_REFERENCE.findall(dumps(held)))
    for _ in range(_MOST_ROUNDS):
        ends = [name for name, leads in left.items() if left.keys().isdisjoint(leads)]
        if not ends:
            break
        for name in ends:
            del left[name]
    return bool(left)

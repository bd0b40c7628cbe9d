"""A walk over a schema that knows what is a keyword and what is a parameter's name or a value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeGuard
from urllib.parse import unquote, urljoin

DEFINITIONS = frozenset(("$defs", "definitions"))
_MAPS = DEFINITIONS | {"properties", "patternProperties", "dependentSchemas", "dependencies"}
_LISTS = frozenset(("anyOf", "oneOf", "allOf", "prefixItems", "items"))
_SINGLES = frozenset(
    ("items", "contains", "not", "if", "then", "else", "propertyNames", "contentSchema")
)
# A boolean here is a setting, not a schema.
_SETTINGS = frozenset(
    ("additionalProperties", "additionalItems", "unevaluatedProperties", "unevaluatedItems")
)


def token(name: str) -> str:
    """One step of a JSON pointer."""
    return "/" + name.replace("~", "~0").replace("/", "~1")


class Child(NamedTuple):
    via: str  # the keyword that holds it
    step: str  # the pointer from its parent
    node: Any
    name: str = ""  # its key, where the keyword holds a map


def children(node: dict[str, Any]) -> Iterator[Child]:
    """Every subschema of a node, in the order written."""
    for key, value in node.items():
        if key in _MAPS and isinstance(value, dict):
            for name, child in value.items():
                # Old drafts list the names a member depends on where a schema may stand too.
                if not (key == "dependencies" and isinstance(child, list)):
                    yield Child(key, token(key) + token(name), child, name)
        elif key in _LISTS and isinstance(value, list):
            for index, child in enumerate(value):
                yield Child(key, f"/{key}/{index}", child)
        elif key in _SINGLES or (key in _SETTINGS and not isinstance(value, bool)):
            yield Child(key, f"/{key}", value)


@dataclass(frozen=True, slots=True)
class Place:
    at: str
    node: Any  # a schema; or whatever stands where one should
    via: str = ""  # the keyword that led here, "" at the root
    levels: int = 0  # objects around and including this one, counted anew in each definition
    plain: bool = True  # reached through members only

    @property
    def is_root(self) -> bool:
        return not self.via


def type_names(node: dict[str, Any]) -> list[str]:
    """The types a node names, in lower case."""
    named = node.get("type")
    listed = named if isinstance(named, list) else [named]
    return [item.lower() for item in listed if isinstance(item, str)]


def is_object(node: dict[str, Any]) -> bool:
    return "object" in type_names(node) or ("type" not in node and "properties" in node)


def walk(schema: Any, spellings: Mapping[str, str] | None = None) -> Iterator[Place]:
    """Every schema in the schema, parents first, in the order written."""
    spellings = spellings or {}
    waiting = [Place("", schema)]
    while waiting:
        place = waiting.pop()
        if not isinstance(place.node, dict):
            yield place
            continue
        node = place.node
        if spellings:
            node = {spellings.get(key, key): value for key, value in node.items()}
        here = Place(place.at, node, place.via, place.levels + is_object(node), plain=place.plain)
        yield here
        waiting.extend(
            Place(
                here.at + child.step,
                child.node,
                child.via,
                0 if child.via in DEFINITIONS else here.levels,
                plain=here.plain and child.via == "properties",
            )
            for child in reversed(list(children(node)))
        )


MISSING = object()
REMOTE = object()


class References:
    """Where the references of one document lead."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._base = root["$id"] if isinstance(root, dict) and is_text(root.get("$id")) else ""
        self._documents: dict[str, Any] = {"": root}
        self._anchors: dict[str, Any] = {}
        for place in walk(root):
            if not isinstance(place.node, dict):
                continue
            if is_text(identity := place.node.get("$id")):
                self._documents[urljoin(self._base, identity).rstrip("#")] = place.node
            for key in ("$anchor", "$dynamicAnchor"):
                if is_text(anchor := place.node.get(key)):
                    self._anchors[anchor] = place.node

    def target(self, reference: str) -> Any:
        """The schema referred to, MISSING, or REMOTE."""
        document, _, fragment = reference.partition("#")
        if document:
            document = urljoin(self._base, document)
        if document not in self._documents:
            return REMOTE
        found = self._documents[document]
        if not fragment:
            return found
        if not fragment.startswith("/"):
            return self._anchors.get(unquote(fragment), MISSING)
        for step in unquote(fragment).split("/")[1:]:
            found = _step(found, step.replace("~1", "/").replace("~0", "~"))
        return found if isinstance(found, (dict, bool)) else MISSING


def _step(holder: Any, name: str) -> Any:
    if isinstance(holder, dict):
        return holder.get(name, MISSING)
    if isinstance(holder, list) and name.isdecimal() and int(name) < len(holder):
        return holder[int(name)]
    return MISSING


def is_text(value: Any) -> TypeGuard[str]:
    return isinstance(value, str)


def cycle(schema: Any, *, optional_members_break_it: bool = False) -> str | None:
    """The pointer of a schema that contains itself, if one does."""
    references = References(schema)
    places = {id(place.node): place.at for place in walk(schema) if isinstance(place.node, dict)}

    def inside(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
        required = node.get("required")
        named = required if isinstance(required, list) else []
        for child in children(node):
            optional = child.via == "properties" and child.name not in named
            if child.via in DEFINITIONS or (optional and optional_members_break_it):
                continue
            if isinstance(child.node, dict):
                yield child.node
        if is_text(reference := node.get("$ref")):
            target = references.target(reference)
            if isinstance(target, dict):
                yield target

    done: set[int] = set()
    for start in [place.node for place in walk(schema) if isinstance(place.node, dict)]:
        if id(start) in done:
            continue
        open_nodes = {id(start)}
        trail = [(start, inside(start))]
        while trail:
            node, rest = trail[-1]
            following = next((item for item in rest if id(item) not in done), None)
            if following is None:
                trail.pop()
                open_nodes.discard(id(node))
                done.add(id(node))
            elif id(following) in open_nodes:
                return places.get(id(following), "")
            else:
                open_nodes.add(id(following))
                trail.append((following, inside(following)))
    return None

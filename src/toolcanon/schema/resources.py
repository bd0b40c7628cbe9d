"""References by place: one document instead of documents within a document.

An ``$id`` gives a schema an address, and one below the root opens a document of its own, in which
``#`` means that schema. Lowering moves and copies schemas, and few targets read addresses at all.
So every reference that an address takes part in is written as a pointer from the root, and the
addresses below the root go.
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias

from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.references import Place, References, ReferenceTarget, subschemas

Move: TypeAlias = tuple[Place, Json, Json]
"""The place of a keyword, its value before, and its value after (None: removed)."""

_ESCAPED: Final = re.compile(r"[^A-Za-z0-9\-._~/!$&'()*+,;=:@]")  # what no fragment may hold
_PARTS: Final = re.compile(r"(?:([A-Za-z][A-Za-z0-9+.-]*):)?(//[^/?]*)?([^?]*)(\?.*)?", re.DOTALL)
_OF_DOCUMENTS: Final = frozenset({"$schema", "$id", "$vocabulary"})
_ANCHORS: Final = ("$anchor", "$dynamicAnchor")


def reference_to(place: Place) -> str:
    """Return the reference that leads from anywhere in a document to a place.

    >>> reference_to(("$defs", "a b"))
    '#/$defs/a%20b'
    """
    return "#" + _ESCAPED.sub(_escape, str(Pointer(place)))


def _escape(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "surrogatepass"))


def resolved(base: str, address: str) -> str:
    """Return an address as it is meant at a base (RFC 3986, 5.2); neither has a fragment.

    >>> resolved("https://e.com/a/b.json", "../c.json")
    'https://e.com/c.json'
    """
    scheme, host, path, query = _split(address)
    own_scheme, own_host, own_path, own_query = _split(base)
    if scheme:
        return address
    if not host:
        host = own_host
        if not path:
            path, query = own_path, query or own_query
        elif not path.startswith("/"):
            path = own_path[: own_path.rfind("/") + 1] + path
            path = f"/{path}" if host and not path.startswith("/") else path
        path = _straight(path)
    return (f"{own_scheme}:" if own_scheme else "") + host + path + query


def _split(address: str) -> tuple[str, str, str, str]:
    """Return the scheme, the host, the path and the query."""
    found = _PARTS.fullmatch(address)
    if found is None:
        return "", "", address, ""
    return found[1] or "", found[2] or "", found[3] or "", found[4] or ""


def _straight(path: str) -> str:
    """Return a path without steps that lead nowhere or back."""
    if "./" not in path and not path.endswith("."):
        return path
    steps: list[str] = []
    for step in path.split("/"):
        if step == "..":
            steps = steps if steps == [""] else steps[:-1]
        elif step != ".":
            steps.append(step)
    return "/".join([*steps, ""] if path.endswith(("/.", "/..")) else steps)


def address_of(schema: Json) -> str | None:
    """Return the address that a schema gives itself; a mere fragment is none."""
    identifier = schema.get("$id") if schema.__class__ is dict else None
    if identifier.__class__ is not str or "#" in identifier[:-1]:
        return None
    return identifier.removesuffix("#") or None


def as_part(schema: Json, place: Place) -> JsonObject:
    """Return the schema at a place, as it may be written at another; a part has no address."""
    if schema.__class__ is not dict:
        return {} if schema else {"not": {}}
    made: JsonObject = schema
    if not place and not _OF_DOCUMENTS.isdisjoint(made):
        return {key: value for key, value in made.items() if key not in _OF_DOCUMENTS}
    return made


def by_place(schema: JsonObject) -> tuple[JsonObject, list[Move]]:
    """Return the schema with references by place, and what that took; the same where none need it.

    >>> by_place({"$id": "urn:a", "items": {"$ref": "urn:a#/$defs/b"}, "$defs": {"b": {}}})[0]
    {'$id': 'urn:a', 'items': {'$ref': '#/$defs/b'}, '$defs': {'b': {}}}
    """
    survey = _Survey(schema)
    if not survey.is_needed:
        return schema, []
    moves: list[Move] = []
    return _Rewriter(schema, survey, moves).node(schema, (), ("",)), moves


class _Survey:
    """The addresses and names of a document."""

    def __init__(self, root: JsonObject) -> None:
        self.places: dict[tuple[str, str], Place] = {("", ""): ()}
        """The first schema of each address and name."""
        self._embeds = self._refers = self._addresses = False
        stack: list[tuple[Place, Json, str]] = [((), root, "")]
        while stack:
            place, node, base = stack.pop()
            if node.__class__ is not dict:
                continue
            own = address_of(node)
            if own is not None:
                base = resolved(base, own)
                self.places.setdefault((base, ""), place)
                self._embeds |= bool(place)
            for key in _ANCHORS:
                if node.get(key).__class__ is str:
                    self.places.setdefault((base, node[key]), place)
            ref = node.get("$ref")
            if ref.__class__ is str:
                self._refers = True
                self._addresses |= not ref.startswith("#")
            below = [((*place, *steps), child, base) for steps, child in subschemas(node)]
            stack.extend(reversed(below))

    @property
    def is_needed(self) -> bool:
        return self._addresses or (self._embeds and self._refers)


class _Rewriter:
    """One rewrite of a document, top-down."""

    def __init__(self, root: JsonObject, survey: _Survey, moves: list[Move]) -> None:
        self._places = survey.places
        self._references = References(root)
        self._home = resolved("", address_of(root) or "")
        self._moves = moves
        self._names: set[str] = set()

    def node(self, node: JsonObject, place: Place, bases: tuple[str, ...]) -> JsonObject:
        """Resolve a schema and everything below it; the last base is that of its document."""
        out = node
        own = address_of(node)
        if own is not None:
            bases = (*bases, resolved(bases[-1], own))
            if place:
                out = self._without(out, "$id", place)
        if node.get("$anchor").__class__ is str:
            if node["$anchor"] in self._names:  # of another document, until now
                out = self._without(out, "$anchor", place)
            self._names.add(node["$anchor"])
        led = self._led(node.get("$ref"), bases)
        if led is not None:
            self._moves.append(((*place, "$ref"), node["$ref"], led))
            out = {**out, "$ref": led}
        for steps, child in subschemas(node):
            if child.__class__ is not dict:
                continue
            new = self.node(child, (*place, *steps), bases)
            if new is child:
                continue
            out = out.copy() if out is node else out
            key = str(steps[0])
            if len(steps) == 1:
                out[key] = new
            else:
                if out[key] is node[key]:
                    out[key] = node[key].copy()
                out[key][steps[1]] = new
        return out

    def _without(self, node: JsonObject, key: str, place: Place) -> JsonObject:
        self._moves.append(((*place, key), node[key], None))
        return {name: value for name, value in node.items() if name != key}

    def _led(self, ref: Json, bases: tuple[str, ...]) -> str | None:
        """Return a reference as a pointer from the root; None where it stays as it is."""
        if ref.__class__ is not str:
            return None
        head, _, fragment = ref.partition("#")
        base = bases[-1]
        found = self._at(resolved(base, head) if head else base, fragment)
        meant = self._references.find(ref)  # by a reader that ignores addresses
        same = found is None or (meant is not None and found.pointer == meant.pointer)
        if not head and base == self._home and same:
            return None
        if found is None and not head:  # by a reader for which a document is part of the outer one
            found = next(filter(None, (self._at(one, fragment) for one in bases[-2::-1])), None)
        found = found or meant
        led = ref if found is None else reference_to(found.pointer)
        return None if led == ref else led

    def _at(self, address: str, fragment: str) -> ReferenceTarget | None:
        """Return the schema at a pointer, or by a name, in one of the documents."""
        is_name = fragment and not fragment.startswith("/")
        start = self._places.get((address, fragment if is_name else ""))
        if start is None:
            return None
        return self._references.find(reference_to(start) + ("" if is_name else fragment))

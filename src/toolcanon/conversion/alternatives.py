"""The plain schemas that a value may follow: unions spread out, references followed, parts merged.

Which of them a value means is told by what it says whatever it is mended to: the words of members
that tell branches apart, the members that are there and those that are missing. The work is
bounded; past the bound nothing is said.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Final, NamedTuple

from toolcanon.errors import LimitExceeded
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.conjunction import conjoin
from toolcanon.schema.nulls import takes_null
from toolcanon.schema.references import References
from toolcanon.schema.values import has_type, identity, strings_in, table, types_of

_UNIONS: Final = ("anyOf", "oneOf")
_SPREAD: Final = ("$ref", "allOf")
_MOST_OPTIONS: Final = 200
_MOST_WORK: Final = 200_000
_HOLDERS: Final[frozenset[type]] = frozenset({dict, list})


class _Way(NamedTuple):
    """One way through a schema: what was met, what is still ahead, and references followed."""

    parts: tuple[JsonObject, ...]
    ahead: tuple[Json, ...]
    followed: frozenset[str] = frozenset()


class Alternatives:
    """What the schemas of one document come down to."""

    def __init__(self, root: JsonObject) -> None:
        self._references = References(root)
        self._known: dict[int, tuple[Json, list[JsonObject]]] = {}  # with what has the id
        self._words: dict[int, tuple[Json, frozenset[Hashable] | None]] = {}
        self._left = _MOST_WORK

    def find(self, ref: Json) -> Json:
        """What a reference leads to; None where it leads nowhere."""
        found = self._references.find(ref) if isinstance(ref, str) else None
        return None if found is None else found.schema

    def of(self, schemas: Sequence[Json]) -> list[JsonObject]:
        """The plain schemas behind any of some; none at all where that is too much to tell."""
        found: list[JsonObject] = []
        for schema in schemas:
            known = self._known.get(id(schema))
            if known is None:
                known = self._known[id(schema)] = schema, self._spread(schema)
            if not known[1]:
                return []
            found += known[1]
        self._left -= len(found) - 1
        return found if self._left > 0 else []

    def fitting(self, value: Json, options: list[JsonObject]) -> list[JsonObject]:
        """The options that a value may mean: of its type, and not ruled out by what it says."""
        found = [o for o in options if not types_of(o) or has_type(value, types_of(o))]
        if len(found) == 1 or value.__class__ is not dict:
            return found
        meant = [option for option in found if self._says(option, value)] or found
        if len(meant) > 1:
            meant = [option for option in meant if self._has_room(option, value)]
        return meant if self._left > 0 else []

    def _says(self, option: JsonObject, value: JsonObject) -> bool:
        """Whether every word of a value is among those that an option has for it."""
        declared = table(option, "properties")
        for name, member in value.items():
            self._left -= 1
            if name in declared and member.__class__ not in _HOLDERS:
                words = self._words_of(declared[name])
                if words is not None and identity(member) not in words:
                    return False
        return True

    def _has_room(self, option: JsonObject, value: JsonObject) -> bool:
        """Whether nothing is missing and nothing is too much, which no mending would change."""
        declared = table(option, "properties")
        required = strings_in(option.get("required"))
        self._left -= 1 + len(required)
        for name in required:
            if value.get(name) is None and (
                name not in value or not takes_null(declared.get(name, True), self.find)
            ):
                return False
        closed = option.get("additionalProperties") is False and "patternProperties" not in option
        return not closed or declared.keys() >= value.keys()

    def _words_of(self, schema: Json) -> frozenset[Hashable] | None:
        """The only values a schema takes, where it lists them."""
        known = self._words.get(id(schema))
        if known is None:
            known = self._words[id(schema)] = schema, self._listed(schema)
        return known[1]

    def _listed(self, schema: Json) -> frozenset[Hashable] | None:
        words: set[Hashable] = set()
        options = self.of([schema])
        for option in options:
            if "const" in option:
                words.add(identity(option["const"]))
            elif option.get("enum").__class__ is list:
                words.update(map(identity, option["enum"]))
            else:
                return None
        return frozenset(words) if options else None

    def _spread(self, schema: Json) -> list[JsonObject]:
        found: list[JsonObject] = []
        ways = [_Way((), (schema,))]
        while ways:
            way = ways.pop()
            self._left -= 1 + len(way.ahead) + len(way.followed) // 64
            if self._left < 0 or len(found) == _MOST_OPTIONS:
                return []
            if way.ahead:
                ways += reversed(list(self._next(way)))
            elif len(way.parts) < 2:  # noqa: PLR2004 - nothing to merge
                found.append(way.parts[0] if way.parts else {})
            else:
                self._left -= sum(len(part) + len(table(part, "properties")) for part in way.parts)
                try:
                    found.append(conjoin(way.parts).schema)
                except LimitExceeded:
                    return []
        return found

    def _next(self, way: _Way) -> Iterator[_Way]:
        """One step: the first schema ahead, or each of its branches."""
        (schema, *rest), followed = way.ahead, way.followed
        if schema is False:
            return
        node = schema if schema.__class__ is dict else {}
        ref = node.get("$ref")
        if isinstance(ref, str):
            if ref not in followed:
                followed |= {ref}
                rest.append(self.find(ref))
            elif not (way.parts or rest or len(node) > 1):
                return  # a branch that only leads back to its union
        parts = node.get("allOf")
        rest += parts if parts.__class__ is list else ()
        unions = [key for key in _UNIONS if node.get(key).__class__ is list and node[key]]
        own = {key: value for key, value in node.items() if key not in {*_SPREAD, *unions}}
        met = (*way.parts, own) if own else way.parts
        if not unions:
            yield _Way(met, tuple(rest), followed)
            return
        rest += [{key: node[key]} for key in unions[1:]]
        for branch in node[unions[0]]:
            yield _Way(met, (branch, *rest), followed)

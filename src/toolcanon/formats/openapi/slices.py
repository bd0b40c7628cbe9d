"""The part of a document that one operation needs, so that it can be written back alone.

A document of one operation is its own slice. Of a larger one every tool keeps its operation and
the components it refers to; unused components stay with the first tool. Together the slices are
the document again. Operations that need the same components share them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from toolcanon.formats.openapi.composition import (
    Closures,
    Cost,
    DocumentBudget,
    Subtypes,
    Weights,
    mapping_of,
)
from toolcanon.formats.openapi.document import METHODS, OpenAPIDocument, Operation
from toolcanon.jsonio.types import Json, JsonObject

HEAD: Final = ("openapi", "servers", "security", "jsonSchemaDialect")
"""Fields that affect how an operation is read, beside itself and its components."""

_SCHEMAS: Final = "schemas"
_Component: TypeAlias = tuple[str, str]  # its section and its name


class Slices:
    """The slices of one document. Components are shared, not copied."""

    def __init__(
        self,
        document: OpenAPIDocument,
        operations: Sequence[Operation],
        subtypes: Subtypes,
        budget: DocumentBudget,
    ) -> None:
        self._document = document
        self._operations = operations
        self._subtypes = subtypes
        self._budget = budget
        self._weights = Weights()
        self._references: dict[int, dict[_Component, None]] = {}
        self._components: dict[frozenset[_Component], JsonObject] = {}
        self._needed: list[frozenset[_Component]] = []
        if len(operations) > 1:
            closures = Closures(self._behind, budget)
            self._needed = [closures.of(self._named(operation)) for operation in operations]

    def kept(self, index: int) -> JsonObject:
        """Return the slice of one operation, a document that can be read."""
        root = self._document.root
        if len(self._operations) == 1:
            return root
        operation = self._operations[index]
        slice_: JsonObject = {key: root[key] for key in HEAD if key in root}
        info = root.get("info")
        if isinstance(info, dict):
            slice_["info"] = {key: info[key] for key in ("title", "version") if key in info}
        slice_["paths"] = {operation.path: _item(operation)}
        if components := self._sections(self._needed[index]):
            slice_["components"] = components
        self._count(slice_)
        return self._with_rest(slice_) if index == 0 else slice_

    def _count(self, slice_: JsonObject) -> None:
        """Count its parts, including those shared with other slices."""
        (item,) = slice_["paths"].values()
        for part in (*slice_.values(), *item.values()):
            if part is not slice_["paths"]:
                self._budget.spend(Cost.KEPT, self._weights.of(part))

    def shown(self, index: int) -> JsonObject:
        """Return the definition of the tool for display: the document, or the operation alone."""
        if len(self._operations) == 1:
            return self._document.root
        operation = self._operations[index]
        return {
            "openapi": self._document.root["openapi"],
            "paths": {operation.path: _item(operation)},
        }

    def _sections(self, needed: frozenset[_Component]) -> JsonObject:
        found = self._components.get(needed)
        if found is None:
            found = self._components[needed] = {}
            for section, name in sorted(needed, key=str):
                found.setdefault(section, {})[name] = self._document.components[section][name]
        return found

    def _with_rest(self, first: JsonObject) -> JsonObject:
        root, components = self._document.root, self._document.components
        used = frozenset().union(*set(self._needed))
        rest: JsonObject = dict(first.get("components", {}))
        for section, table in components.items():
            if not isinstance(table, dict):
                rest[section] = table
                continue
            unused = {name: item for name, item in table.items() if (section, name) not in used}
            if unused or not table:
                rest[section] = {**rest.get(section, {}), **unused}
        whole = {**root, "paths": {**self._silent_paths(), **first["paths"]}}
        if isinstance(root.get("components"), dict):
            whole["components"] = rest
        return whole

    def _silent_paths(self) -> JsonObject:
        """Return the paths without operations."""
        speaking = {operation.path for operation in self._operations}
        paths: JsonObject = self._document.root["paths"]
        return {path: item for path, item in paths.items() if path not in speaking}

    def _named(self, operation: Operation) -> list[_Component]:
        """Return the components that an operation names, including security schemes."""
        found: dict[_Component, None] = {}
        for value in _item(operation).values():
            found |= self._referred(value)
        return list(found | self._schemes(operation.security.alternatives))

    def _schemes(self, alternatives: list[JsonObject]) -> dict[_Component, None]:
        known = self._references.get(id(alternatives))
        if known is None:
            stated = self._document.components.get("securitySchemes")
            schemes = stated if isinstance(stated, dict) else ()
            names = (name for item in alternatives for name in item if name in schemes)
            known = {("securitySchemes", name): None for name in names}
            self._references[id(alternatives)] = known
        return known

    def _behind(self, place: _Component) -> list[_Component]:
        """Return the components that one refers to, and its subtypes."""
        section, name = place
        found = list(self._referred(self._document.components[section][name]))
        if section == _SCHEMAS:
            found += [(section, subtype) for subtype in self._subtypes.of(name)]
        return found

    def _referred(self, value: Json) -> dict[_Component, None]:
        """Return the components that a value may refer to; a few too many are harmless.

        Path items may be shared, so values of the document are searched once.
        """
        if not isinstance(value, (dict, list)):
            return {}
        known = self._references.get(id(value))
        if known is not None:
            return known
        found = self._references[id(value)] = {}
        stack = [value]
        while stack:
            item = stack.pop()
            if isinstance(item, list):
                stack.extend(item)
            elif isinstance(item, dict):
                stack.extend(item.values())
                ref = item.get("$ref")
                target = self._document.find(ref) if isinstance(ref, str) else None
                if target is not None and target.at[:1] == ("components",) and target.at[2:]:
                    found[str(target.at[1]), str(target.at[2])] = None
                for mapped in mapping_of(item.get("discriminator")).values():
                    if (name := self._subtypes.named(mapped)) is not None:
                        found[_SCHEMAS, name] = None
        return found


def _item(operation: Operation) -> JsonObject:
    """Return the path item without the other operations."""
    return {
        key: value
        for key, value in operation.item.items()
        if key not in METHODS or key == operation.method
    }

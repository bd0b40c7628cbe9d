"""Members under other names, wherever schemas speak of the object that has them.

Not only its own keywords name a member: conditions, conjunctions, branches and what references
lead to apply to the same object, and rules for names are held against the new ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.step import Site, without
from toolcanon.schema.judge import judge
from toolcanon.schema.keywords import ANNOTATIONS
from toolcanon.schema.references import Place

_ONE: Final = frozenset({"if", "then", "else", "not"})
_SEVERAL: Final = frozenset({"allOf", "anyOf", "oneOf"})
_REFERENCES: Final = ("$ref", "$dynamicRef")
_LISTING: Final = ANNOTATIONS | {"type", "enum", "const"}
_MOST_NODES: Final = 2_000


class Stuck(Exception):
    """Something that cannot be said of the new names."""


class Renaming:
    """The names of one object's members, own to written."""

    def __init__(self, names: Mapping[str, str], site: Site) -> None:
        self.met: dict[str, None] = {}
        """Every name that was come across."""
        self._names = names
        self._site = site
        self._left = _MOST_NODES
        self._open: set[Place] = set()

    def node(self, schema: Json, at: Place) -> Json:
        """A schema that applies to the object; the same where nothing is to be renamed."""
        if schema.__class__ is not dict:
            return schema
        self._left -= 1
        if self._left < 0:
            raise Stuck
        out: JsonObject = {key: self.value(key, value, (*at, key)) for key, value in schema.items()}
        if "patternProperties" in schema:
            for pattern, said in schema["patternProperties"].items():
                self.pattern(out, pattern, said)
        for key in _REFERENCES:
            if key in schema:
                out = self._reference(out, key, (*at, key))
        if out == schema:
            return schema
        self._site.run.succeed(schema, out)
        return out

    def value(self, key: str, value: Json, at: Place) -> Json:
        """What a keyword says, with the new names."""
        new = value
        if key in _ONE:
            new = self.node(value, at)
        elif key in _SEVERAL:
            new = [self.node(item, (*at, index)) for index, item in enumerate(value)]
        elif key == "required":
            new = [self._name(name) for name in value]
        elif key == "properties":
            new = {self._name(name): held for name, held in value.items()}
        elif key == "dependentRequired":
            new = {self._name(name): [*map(self._name, held)] for name, held in value.items()}
        elif key == "dependentSchemas":
            new = {self._name(name): self.node(held, (*at, name)) for name, held in value.items()}
        elif key == "propertyNames":
            new = self._rule(value)
        return value if new == value else new

    def pattern(self, out: JsonObject, pattern: str, said: Json) -> None:
        """Have a pattern hold for the members that it held for under their own names."""
        matches = _judge(pattern=pattern)
        for own, written in self._names.items():
            before, now = matches(own), matches(written)
            if before is None or now is None or now > before:
                raise Stuck
            if before > now:
                members = out.get("properties") or {}
                held = [members[written], said] if written in members else [said]
                new = held[0] if len(held) == 1 else {"allOf": held}
                out["properties"] = {**members, written: new}

    def _name(self, name: str) -> str:
        self.met[name] = None
        return self._names.get(name, name)

    def _rule(self, rule: Json) -> Json:
        """A rule for names: what it says of the old ones holds for the new."""
        if rule.__class__ is not dict:
            return rule
        if rule.keys() <= _LISTING:
            out = dict(rule)
            if "enum" in rule:
                out["enum"] = [self._name(v) if v.__class__ is str else v for v in rule["enum"]]
            if rule.get("const").__class__ is str:
                out["const"] = self._name(rule["const"])
            return out
        accepts = _judge(**rule)
        verdicts = [(accepts(own), accepts(written)) for own, written in self._names.items()]
        if all(before is now and now is not None for before, now in verdicts):
            return rule
        if any(before is None for before, _ in verdicts):
            raise Stuck
        fine = [
            new for new, (before, _) in zip(self._names.values(), verdicts, strict=True) if before
        ]
        others: JsonObject = {"not": {"enum": list(self._names.values())}, "allOf": [rule]}
        return {"anyOf": [{"enum": fine}, others]} if fine else others

    def _reference(self, out: JsonObject, key: str, at: Place) -> JsonObject:
        """What a reference leads to stays there, unless other names are to be used for it."""
        found = self._site.run.find(out[key])
        if found is None:
            return out
        if found.pointer in self._open:
            raise Stuck
        self._open.add(found.pointer)
        target = self.node(found.schema, found.pointer)
        self._open.discard(found.pointer)
        if target is found.schema:
            return out
        self._site.log.append(("L201", None, at, out[key], None))
        return {**without(out, key), "allOf": [*(out.get("allOf") or ()), target]}


def _judge(**rule: Json) -> Callable[[Json], bool | None]:
    """What a rule says of a name, where all of it can be judged."""
    judging = judge(rule)
    if judging.skipped:
        raise Stuck
    return judging.accepts

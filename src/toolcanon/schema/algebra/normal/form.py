"""The normal form of a schema: one form for equivalent schemas.

A union of cells, each of one type, with references expanded unless they recur, everything sorted,
and no keyword without effect. It accepts exactly the values that the schema accepts, and is its own
normal form. It is not complete: schemas with different normal forms may accept the same values.
What cannot be interpreted for certain, or only with too much work, is kept as it is.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.algebra.normal.printing import (
    Fragments,
    UncertainMeaning,
    joined,
    leftovers,
    plain_value,
    sorted_values,
    text_of,
)
from toolcanon.schema.algebra.normal.terms import (
    Cell,
    NormalFormBudget,
    Spent,
    Term,
    TermDocument,
    TermNode,
    matches,
    opened,
)
from toolcanon.schema.algebra.normal.unions import cells_of
from toolcanon.schema.keywords import POSITIONS
from toolcanon.schema.malformed import Omission, sound
from toolcanon.schema.references import DEFINITIONS, subschemas
from toolcanon.schema.values import table

_MOST_ROUNDS: Final = 4
_SILENT: Final = DEFINITIONS | {
    *(
        "$ref",
        "$dynamicRef",
        "allOf",
        "$anchor",
        "$comment",
        "$dynamicAnchor",
        "$id",
        "$schema",
        "$vocabulary",
    ),
    *("default", "deprecated", "description", "examples", "readOnly", "title", "writeOnly"),
}


def normal_form(schema: Json) -> Json:
    """Return the normal form of a 2020-12 schema; the schema itself where none is found.

    >>> normal_form({"title": "A", "oneOf": [{"const": "a"}, {"type": ["null"]}]})
    {'anyOf': [{'enum': ['a']}, {'type': 'null'}]}
    >>> normal_form({"type": "integer", "exclusiveMinimum": 0.5, "minLength": 0})
    {'minimum': 1, 'type': 'integer'}
    """
    found = schema
    try:
        omitted: list[Omission] = []
        if schema.__class__ is dict:
            sound(schema, omitted)
        if omitted:
            return schema
        for _ in range(_MOST_ROUNDS):
            printer = _Printer(found)
            again = printer.root()
            if not printer.again or text_of(again) == text_of(found):
                return again
            found = again  # remaining keywords may be simpler now
    except (Spent, UncertainMeaning, RecursionError):
        return schema
    return schema


class _Printer:
    """One pass over a document."""

    def __init__(self, schema: Json) -> None:
        self.again = False
        self.budget = NormalFormBudget()
        self._root = TermNode(schema, (), TermDocument(schema))
        self._above: dict[frozenset[int], int] = {}
        self._back: list[tuple[JsonObject, int]] = []
        self._printed: dict[int, JsonObject] = {}

    def root(self) -> Json:
        found = self.term((self._root,))
        if self._back:
            self._name(found)
        return found

    def term(self, term: Term) -> Json:
        """Return one schema for a term."""
        self.budget.spend()
        found = opened(term, self.budget)
        if found.unread and found.possible:
            raise UncertainMeaning
        key = frozenset(id(s.schema) for s in found.nodes if not s.schema.keys() <= _SILENT)
        if not key:
            return found.possible
        level = self._above.get(key)
        if level is not None:
            # A level difference, which does not depend on names or order.
            mark: JsonObject = {"$ref": f"\0{len(self._above) - level}"}
            self._back.append((mark, level))
            return mark
        level = len(self._above)
        self._above[key] = level
        waiting = len(self._back)
        printed = joined([self.cell(cell) for cell in cells_of(term, self.budget, exactly=True)])
        del self._above[key]
        for mark, target in self._back[waiting:]:
            if target == level:
                self._printed[id(mark)] = printed
        return printed

    def cell(self, cell: Cell) -> Json:
        """Return the schema of one cell; ``False`` when it is empty."""
        found = _MAKERS[cell.kind](self, cell)
        if found is False:
            return False
        fragments = Fragments(found)
        for fragment in leftovers(self, cell):
            self.again |= not fragments.node.keys().isdisjoint(fragment) or _is_deep(fragment)
            if fragment == {"not": True}:
                return False
            fragments.add(fragment)
        return fragments.joined()

    def _name(self, root: Json) -> None:
        """Set the targets of recursive references, now that everything has its place."""
        places: dict[int, tuple[str | int, ...]] = {}
        stack: list[tuple[tuple[str | int, ...], Json]] = [((), root)]
        while stack:
            at, schema = stack.pop()
            if schema.__class__ is dict and id(schema) not in places:
                places[id(schema)] = at
                stack.extend(((*at, *steps), child) for steps, child in subschemas(schema))
        for mark, _ in self._back:
            target = self._printed.get(id(mark))
            if id(mark) in places:
                if target is None or id(target) not in places:
                    raise UncertainMeaning
                mark["$ref"] = f"#{_quoted(Pointer(places[id(target)]))}"

    # One method for each kind.

    def listed(self, cell: Cell) -> JsonObject:
        values = [plain_value(value) for value in cell.values or ()]
        if cell.kind == "null":
            return {"type": "null"}
        if cell.kind == "boolean" and len(values) == 2:  # noqa: PLR2004
            return {"type": "boolean"}
        return {"enum": sorted_values(values)}

    def number(self, cell: Cell) -> Json:
        if cell.values is not None:
            return self.listed(cell)
        low, above, high, below, step = cell.window
        if low is not None and low == high:
            return {"enum": [spelled(low)]}
        out: JsonObject = {"type": "integer" if cell.integral else "number"}
        if low is not None:
            out["exclusiveMinimum" if above else "minimum"] = spelled(low)
        if high is not None:
            out["exclusiveMaximum" if below else "maximum"] = spelled(high)
        if step is not None and step != 1:
            out["multipleOf"] = spelled(step)
        return out

    def string(self, cell: Cell) -> Json:
        patterns = sorted({pattern for pattern, _ in cell.facets.patterns})
        if cell.values is not None:
            fits = {p: [matches(p, value) for value in cell.values] for p in patterns}
            patterns = [p for p in patterns if None in fits[p]]
            values = [v for i, v in enumerate(cell.values)
                      if all(fit[i] is not False for fit in fits.values())]  # fmt: skip
            if not values:
                return False
            found = Fragments(self.listed(cell.listing(*values)))
        else:
            out: JsonObject = {"type": "string"}
            if cell.least:
                out["minLength"] = cell.least
            if cell.most < math.inf:
                out["maxLength"] = int(cell.most)
            found = Fragments(out)
        for key, said in (("pattern", patterns), ("format", sorted({*cell.facets.formats}))):
            for text in said:
                found.add({key: text})
        return found.joined()

    def array(self, cell: Cell) -> Json:
        out: JsonObject = {"type": "array"} if cell.values is None else self.listed(cell)
        reach = int(min(cell.prefix, cell.most))
        items = [self.term(cell.item(at) or ()) for at in range(reach)]
        rest = self.term(cell.item(cell.prefix) or ()) if cell.most > reach else True
        most = min(cell.most, next((i for i, item in enumerate([*items, rest]) if item is False),
                                   math.inf))  # fmt: skip
        if cell.least > most:
            return False
        if most <= reach:
            items, rest = items[: int(most)], True
        while items and text_of(items[-1]) == text_of(rest):
            items.pop()
        if cell.least:
            out["minItems"] = cell.least
        if most < math.inf:
            out["maxItems"] = int(most)
        if cell.unique and most > 1:
            out["uniqueItems"] = True
        if items:
            out["prefixItems"] = items
        if rest is not True:
            out["items"] = rest
        return out

    def object(self, cell: Cell) -> Json:
        _ensure_mergeable(cell)
        out: JsonObject = {"type": "object"} if cell.values is None else self.listed(cell)
        others = False if cell.others is None else self.term(cell.others)
        patterns = {p: self.term(term) for p, term in sorted(cell.matching.items())}
        if others is False:
            patterns = {p: printed for p, printed in patterns.items() if printed is not False}
        members: JsonObject = {}
        for name in sorted(cell.names):
            term = _declared(cell, name)
            printed = False if term is None or cell.member(name) is None else self.term(term)
            if printed is False and name in cell.required:
                return False
            declared = any(name in table(spot.schema, "properties") for spot in cell.nodes)
            gone = printed is False and others is False and not patterns
            if declared and not gone:
                members[name] = printed
        for key, said in (("properties", members), ("patternProperties", patterns)):
            if said:
                out[key] = said
        if others is not True:
            out["additionalProperties"] = others
        if cell.required:
            out["required"] = sorted(cell.required)
        if cell.least > len(cell.required):
            out["minProperties"] = cell.least
        room = len(members) if others is False and not patterns else math.inf
        if cell.most < room:
            out["maxProperties"] = int(cell.most)
        return out


_MAKERS: Final = {
    "null": _Printer.listed,
    "boolean": _Printer.listed,
    "number": _Printer.number,
    "string": _Printer.string,
    "array": _Printer.array,
    "object": _Printer.object,
}


def _ensure_mergeable(cell: Cell) -> None:
    """Raise where patterns of one node do not apply to another node's other members."""
    matching = [s for s in cell.nodes if table(s.schema, "patternProperties")]
    if matching:
        strict = [
            s for s in cell.nodes if s.schema.get("additionalProperties", True) not in (True, {})
        ]
        if (len(matching) > 1 and strict) or any(s not in matching for s in strict):
            raise UncertainMeaning


def _declared(cell: Cell, name: str) -> Term | None:
    """Return the schemas of a member, without patterns, which are printed separately."""
    term = cell.member(name)
    if term is None:
        return None
    return tuple(spot for spot in term if "patternProperties" not in spot.at[-2:-1])


def _is_deep(fragment: JsonObject) -> bool:
    return any(key in POSITIONS for key in fragment)


def _quoted(pointer: Pointer) -> str:
    """Return a pointer as part of a URI."""
    return "".join(
        c if c.isascii() and (c.isalnum() or c in "/~$-_.") else
        "".join(f"%{byte:02X}" for byte in c.encode("utf-8", "surrogatepass"))
        for c in str(pointer)
    )  # fmt: skip


def spelled(number: Fraction) -> int | float:
    """Return a number for JSON without rounding."""
    if number.denominator == 1:
        return int(number)
    rounded = float(number)
    if Fraction(str(rounded)) != number:
        raise UncertainMeaning
    return rounded

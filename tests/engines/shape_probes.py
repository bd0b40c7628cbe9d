"""Probes of keywords side by side, of references, patterns, bounds, names and spellings."""

from __future__ import annotations

from tests.engines.probes import (
    CHAIN,
    COUNT,
    LIST,
    MAP,
    NULL,
    PAIR,
    REAL,
    TEXT,
    TREE,
    Probe,
    closed,
)

_NAMES = ('a"b', "é", "$x", "a.b", "")
_HOST = r"^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$"

SHAPES: dict[str, tuple[Probe, ...]] = {
    "lengths beside a pattern": (
        Probe({"type": "string", "minLength": 2, "pattern": "^a*$"}, ("aa",), ("a", "bb")),
        Probe({"type": "string", "maxLength": 2, "pattern": "^a*$"}, ("aa", ""), ("aaa", "bb")),
    ),
    "lengths beside a pattern up to 40 and 64": (
        Probe({"type": "string", "minLength": 40, "pattern": "[a-z]"}, ("a" * 40,), ("a" * 39,)),
        Probe({"type": "string", "maxLength": 64, "pattern": _HOST}, ("a.example",), ("-",)),
    ),
    "great lengths beside a pattern": (
        Probe({"type": "string", "maxLength": 253, "pattern": _HOST}, ("a.example",), ("-",)),
    ),
    "patterns that exclude quotation marks": (
        Probe({"type": "string", "pattern": '^[^"]*$'}, ("ab", ""), ('a"b',)),
    ),
    "required members of a map": (Probe({**MAP, "required": ["k"]}, ({"k": 1},), ({}, {"j": 1})),),
    "number of members where some are optional": (
        Probe({**closed(a=COUNT, b=COUNT), "minProperties": 1}, ({"a": 1}, {"b": 1}), ({},)),
    ),
    "names by patterns that overlap": (
        Probe(
            {"type": "object", "patternProperties": {"^a": COUNT, "b$": COUNT}},
            ({"a": 1}, {"ab": 1}),
            ({"a": "b"},),
        ),
    ),
    "names by a pattern beside a union": (
        Probe(
            {
                "type": "object",
                "additionalProperties": False,
                "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
                "patternProperties": {"^k": COUNT},
                "properties": {"a": COUNT, "b": COUNT},
            },
            ({"a": 1}, {"a": 1, "k1": 2}),
            ({"k1": 2}, {"a": 1, "c": 2}),
        ),
    ),
    "further members beside declared ones": (
        Probe(
            {"type": "object", "properties": {"a": TEXT}, "additionalProperties": COUNT},
            ({}, {"a": "b"}, {"a": "b", "k": 1}, {"k": 1}),
            ({"a": 1}, {"k": "b"}),
        ),
        Probe(
            {"type": "object", "properties": {"a": COUNT}, "additionalProperties": True},
            ({}, {"a": 1}, {"a": 1, "b": "c"}),
            ({"a": "b"},),
        ),
    ),
    "type lists of scalars": (
        Probe({"type": ["string", "null"]}, ("a", None), (1,)),
        Probe({"type": ["string", "integer"], "minLength": 1}, ("a", 1), ("", None)),
        Probe({"type": ["integer", "null"], "minimum": 3}, (3, None), (2, "a")),
    ),
    "type lists with objects": (
        Probe({**PAIR, "type": ["object", "null"]}, ({"a": 1, "b": 2}, None), ({}, 1)),
    ),
    "type lists with arrays": (
        Probe({**LIST, "type": ["array", "null"]}, ([1], None), (["a"], 1)),
        Probe({**LIST, "type": ["array", "string"]}, ([1], "a"), (["a"], 1)),
    ),
    "members beside a union": (
        Probe(
            {
                "type": "object",
                "properties": {"a": COUNT, "b": COUNT},
                "additionalProperties": False,
                "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
            },
            ({"a": 1}, {"b": 1}, {"a": 1, "b": 1}),
            ({},),
        ),
    ),
    "description beside a union": (
        Probe({"anyOf": [TEXT, NULL], "description": "d"}, ("a", None), (1,)),
    ),
    "type beside a union": (
        Probe({"type": "integer", "anyOf": [{"minimum": 5}, {"maximum": 2}]}, (2, 5), (3, "a")),
    ),
    "description beside a reference": (
        Probe({"$ref": "#/$defs/n", "description": "d"}, (1,), ("a",), {"$defs": {"n": COUNT}}),
    ),
    "bound beside a reference": (
        Probe({"$ref": "#/$defs/n", "minimum": 3}, (3,), ("a", 2), {"$defs": {"n": COUNT}}),
    ),
    "references by any pointer": (
        Probe(
            {"type": "array", "items": {"$ref": "#/properties/y"}},
            ([], [1]),
            (["a"],),
            {
                "properties": {
                    "x": {"type": "array", "items": {"$ref": "#/properties/y"}},
                    "y": COUNT,
                },
            },
        ),
    ),
    "references into definitions": (
        Probe({"$ref": "#/definitions/n"}, (1,), ("a",), {"definitions": {"n": COUNT}}),
    ),
    "names of definitions with escapes": (
        Probe({"$ref": "#/$defs/a~1b%20c"}, (1,), ("a",), {"$defs": {"a/b c": COUNT}}),
    ),
    "recursion through a list": (
        Probe(
            {"$ref": "#/$defs/tree"},
            ({}, {"kids": []}, {"kids": [{"kids": [{}]}]}),
            ({"kids": [{"kids": [1]}]},),
            {"$defs": {"tree": TREE}},
        ),
    ),
    "recursion ten levels deep": (
        Probe(
            {"$ref": "#/$defs/tree"},
            (
                {
                    "kids": [
                        {
                            "kids": [
                                {
                                    "kids": [
                                        {
                                            "kids": [
                                                {
                                                    "kids": [
                                                        {
                                                            "kids": [
                                                                {
                                                                    "kids": [
                                                                        {
                                                                            "kids": [
                                                                                {
                                                                                    "kids": [
                                                                                        {"kids": []}
                                                                                    ]
                                                                                }
                                                                            ]
                                                                        }
                                                                    ]
                                                                }
                                                            ]
                                                        }
                                                    ]
                                                }
                                            ]
                                        }
                                    ]
                                }
                            ]
                        }
                    ]
                },
            ),
            (1,),
            {"$defs": {"tree": TREE}},
        ),
    ),
    "recursion through a member": (
        Probe(
            {"$ref": "#/$defs/chain"},
            (
                {"value": 1},
                {"value": 1, "next": {"value": 2}},
            ),
            ({"value": 1, "next": {}},),
            {"$defs": {"chain": CHAIN}},
        ),
    ),
    "recursion to the root": (
        Probe({"anyOf": [{"$ref": "#"}, NULL]}, (None, {"x": None}, {"x": {"x": None}}), (1,)),
    ),
    "true as a schema": (Probe(True, ("a", 1, None, [1, {}], {"k": [1]}), ()),),
    "nothing said of a value": (Probe({}, ("a", 1, None, [1, {}], {"k": [1]}), ()),),
    "only a description": (Probe({"description": "d"}, ("a", 1, None, [{}]), ()),),
    "members without a type": (
        Probe({"properties": {"a": COUNT}, "required": ["a"]}, ({"a": 1}, "b"), ({"a": "b"},)),
    ),
    "lists without items": (Probe({"type": "array"}, ([], [1, "a", {}]), (1,)),),
    "objects without members": (Probe({"type": "object"}, ({}, {"k": [1]}), (1,)),),
    "closed objects without members": (
        Probe(
            {"type": "object", "properties": {}, "additionalProperties": False}, ({},), ({"k": 1},)
        ),
        Probe({"type": "object", "additionalProperties": False}, ({},), ({"k": 1},)),
        Probe({**closed(), "required": []}, ({},), ({"k": 1},)),
    ),
    "objects that do not say that they are closed": (
        Probe(
            {"type": "object", "properties": {"a": COUNT}}, ({}, {"a": 1}, {"a": 1, "k": "b"}), ()
        ),
    ),
    "patterns that look around": (
        Probe({"type": "string", "pattern": "^(?!a)[a-z]+$"}, ("b",), ("a",)),
    ),
    "patterns that refer back": (
        Probe({"type": "string", "pattern": r"^(a|b)\1$"}, ("aa", "bb"), ("ab",)),
    ),
    "patterns with word boundaries": (
        Probe({"type": "string", "pattern": r"^\bab\b$"}, ("ab",), ("a",)),
    ),
    "patterns with lazy repeats": (
        Probe({"type": "string", "pattern": r"^a+?b$"}, ("aab",), ("b",)),
    ),
    "patterns with classes of Unicode": (
        Probe({"type": "string", "pattern": r"^\p{L}+$"}, ("aé",), ("1",)),
    ),
    "patterns with a class of controls": (
        Probe({"type": "string", "pattern": r"^[^\x00-\x1f/]+$"}, ("ab",), ("a/b",)),
    ),
    "bounds of 62 bits": (
        Probe({"type": "integer", "minimum": -(2**62), "maximum": 2**62}, (0, 2**62), (2**62 + 1,)),
        Probe({"type": "number", "minimum": -(2**62), "maximum": 2**62}, (0, 0.5), ()),
    ),
    "bounds of 64 bits": (
        Probe({"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1}, (0, 2**63 - 1), ()),
    ),
    "bounds beyond 64 bits": (
        Probe({"type": "integer", "minimum": 0, "maximum": 2**64}, (0, 7), (-1,)),
    ),
    "bounds with an exponent": (
        Probe({"type": "number", "minimum": -1e308, "maximum": 1e308}, (0, 1.5), ()),
    ),
    "enums without values": (
        Probe(closed(a={"type": "string", "enum": []}), ({},), ({"a": "b"},)),
    ),
    "enums with values of another type": (
        Probe({"type": "string", "enum": ["a", 1]}, ("a",), (1,)),
    ),
    "thousand values": (
        Probe(
            {"type": "string", "enum": [f"value {n}" for n in range(1000)]}, ("value 7",), ("v",)
        ),
    ),
    "names of any character": (
        Probe(
            closed(*_NAMES, **dict.fromkeys(_NAMES, COUNT)),
            ({'a"b': 1, "é": 1, "$x": 1, "a.b": 1, "": 1},),
            ({'a"b': 1, "é": 1, "$x": 1, "aXb": 1, "": 1},),
        ),
    ),
    "members in another order": (Probe(PAIR, ({"b": 1, "a": 2},), ()),),
    "texts with escapes by number": (Probe(TEXT, ("\x01",), ()),),
    "numbers with an exponent": (Probe(REAL, (1e300,), ()),),
    "integers written with a fraction": (Probe(COUNT, (1.0,), ()),),
}

"""Probes of keywords and of formats."""

from __future__ import annotations

from tests.engines.probes import COUNT, LIST, MAP, NULL, PAIR, REAL, TEXT, Probe, closed

ADDRESS = "https://example.com/schema"

KEYWORDS: dict[str, tuple[Probe, ...]] = {
    "type": (
        Probe(TEXT, ("", "a b", "é😀", '"\\\n'), (1, None, ["a"])),
        Probe(COUNT, (0, -7, 12345678901234567890), ("1", 1.5, True)),
        Probe(REAL, (0, -1.5, 1e-7, 12), ("1", None)),
        Probe({"type": "boolean"}, (True, False), (0, "true", None)),
        Probe(NULL, (None,), (0, "", False)),
        Probe(LIST, ([], [1], [1, 2, 3]), ({}, ["a"], 1)),
    ),
    "enum": (
        Probe(
            {"type": "string", "enum": ["a", "b c", 'd"e', "é"]}, ("a", "b c", 'd"e', "é"), ("d",)
        ),
        Probe({"enum": ["a", 1, None, True, 1.5]}, ("a", 1, None, True, 1.5), ("b", 2, False)),
        Probe({"enum": [{"k": [1]}, [2]]}, ({"k": [1]}, [2]), ({}, [1])),
        Probe({"type": ["string", "null"], "enum": ["a", None]}, ("a", None), ("b",)),
    ),
    "const": (
        Probe({"const": "a"}, ("a",), ("b", 1)),
        Probe({"type": "string", "const": "a.c"}, ("a.c",), ("abc",)),
        Probe({"const": {"k": 1}}, ({"k": 1},), ({}, 1)),
        Probe({"const": None}, (None,), ("",)),
    ),
    "multipleOf": (
        Probe({"type": "integer", "multipleOf": 5}, (0, 5, -10, 25), (1, 7)),
        Probe({"type": "number", "multipleOf": 0.5}, (0, 0.5, 2, 1.5), (0.3,)),
    ),
    "minimum": (
        Probe({"type": "integer", "minimum": 3}, (3, 40), (2, -5)),
        Probe({"type": "number", "minimum": 0.5}, (0.5, 1), (0.25, -1)),
    ),
    "maximum": (
        Probe({"type": "integer", "maximum": 30}, (30, 2, -400), (31, 100)),
        Probe({"type": "number", "maximum": 0.5}, (0.5, -1), (0.75, 1)),
        Probe({"type": "integer", "minimum": 1, "maximum": 100}, (1, 9, 100), (0, 101)),
    ),
    "exclusiveMinimum": (
        Probe({"type": "integer", "exclusiveMinimum": 3}, (4, 40), (3, 2)),
        Probe({"type": "number", "exclusiveMinimum": 0}, (0.1, 2), (0, -1)),
    ),
    "exclusiveMaximum": (
        Probe({"type": "integer", "exclusiveMaximum": 30}, (29, 2), (30, 100)),
        Probe({"type": "number", "exclusiveMaximum": 1}, (0.5, 0), (1, 2)),
    ),
    "minLength": (Probe({"type": "string", "minLength": 2}, ("ab", "éé", "abc"), ("", "a", "é")),),
    "maxLength": (Probe({"type": "string", "maxLength": 2}, ("", "ab", "éé"), ("abc",)),),
    "pattern": (
        Probe({"type": "string", "pattern": "^[a-z]{2}-[0-9]+$"}, ("ab-1",), ("ab1", "xab-1")),
        Probe({"type": "string", "pattern": "^(a|b)$"}, ("a", "b"), ("ab", "c")),
        Probe({"type": "string", "pattern": "^a|b$"}, ("ax", "xb"), ("c",)),
        Probe({"type": "string", "pattern": "b"}, ("b", "abc"), ("a",)),
        Probe({"type": "string", "pattern": "^a"}, ("a", "ab"), ("ba",)),
        Probe({"type": "string", "pattern": r"^\d\w\s$"}, ("1a ",), ("a1 ",)),
        Probe({"type": "string", "pattern": r'^"\\$'}, ('"\\',), ("a",)),
    ),
    "minItems": (Probe({**LIST, "minItems": 2}, ([1, 2], [1, 2, 3]), ([], [1])),),
    "maxItems": (
        Probe({**LIST, "maxItems": 2}, ([], [1, 2]), ([1, 2, 3],)),
        Probe({**LIST, "maxItems": 0}, ([],), ([1],)),
    ),
    "uniqueItems": (Probe({**LIST, "uniqueItems": True}, ([], [1, 2]), ([1, 1],)),),
    "contains": (Probe({**LIST, "contains": {"const": 1}}, ([1], [2, 1]), ([2],)),),
    "minContains": (
        Probe({**LIST, "contains": {"const": 1}, "minContains": 2}, ([1, 1],), ([1],)),
    ),
    "maxContains": (
        Probe({**LIST, "contains": {"const": 1}, "maxContains": 1}, ([1],), ([1, 1],)),
    ),
    "items": (
        Probe({"type": "array", "items": TEXT}, ([], ["a"]), ([1],)),
        Probe({"type": "array", "items": PAIR}, ([], [{"a": 1, "b": 2}]), ([{"a": 1}], [1])),
        Probe({"type": "array", "prefixItems": [TEXT], "items": False}, (["a"],), (["a", "b"],)),
    ),
    "prefixItems": (
        Probe(
            {"type": "array", "prefixItems": [TEXT, COUNT], "items": False, "minItems": 2},
            (["a", 1],),
            ([1, "a"], ["a"], []),
        ),
        Probe({"type": "array", "prefixItems": [TEXT], "items": COUNT}, ([], ["a", 1]), ([1],)),
    ),
    "unevaluatedItems": (
        Probe(
            {"type": "array", "prefixItems": [TEXT], "unevaluatedItems": False},
            (["a"],),
            (["a", "b"],),
        ),
    ),
    "properties": (
        Probe(PAIR, ({"a": 1, "b": 2},), ({"a": "1", "b": 2}, {"a": 1})),
        Probe(closed("a", a=PAIR), ({"a": {"a": 1, "b": 2}},), ({"a": {}},)),
    ),
    "required": (
        Probe(closed("a", a=COUNT, b=COUNT), ({"a": 1}, {"a": 1, "b": 2}), ({}, {"b": 2})),
        Probe(closed("b", a=COUNT, b=COUNT), ({"b": 1}, {"a": 1, "b": 2}), ({}, {"a": 2})),
        Probe(closed(a=COUNT, b=COUNT), ({}, {"a": 1}, {"b": 1}, {"a": 1, "b": 2}), ({"c": 1},)),
    ),
    "additionalProperties": (
        Probe(closed(a=COUNT), ({}, {"a": 1}), ({"b": 1}, {"a": 1, "b": 1})),
        Probe(MAP, ({}, {"k": 1}, {"k": 1, "é": 2}), ({"k": "a"},)),
    ),
    "patternProperties": (
        Probe(
            {
                "type": "object",
                "patternProperties": {"^k": COUNT},
                "additionalProperties": False,
            },
            ({}, {"k": 1}, {"k1": 1, "k2": 2}),
            ({"a": 1}, {"k": "b"}),
        ),
        Probe(
            {
                "type": "object",
                "properties": {"a": TEXT},
                "patternProperties": {"^k": COUNT},
                "additionalProperties": False,
            },
            ({}, {"a": "b"}, {"a": "b", "k1": 1}),
            ({"b": 1}, {"k": "b"}),
        ),
    ),
    "propertyNames": (
        Probe({**MAP, "propertyNames": {"pattern": "^k[0-9]$"}}, ({}, {"k1": 1}), ({"a": 1},)),
    ),
    "minProperties": (Probe({**MAP, "minProperties": 1}, ({"a": 1},), ({},)),),
    "maxProperties": (Probe({**MAP, "maxProperties": 1}, ({}, {"a": 1}), ({"a": 1, "b": 1},)),),
    "dependentRequired": (
        Probe(
            {**closed(a=COUNT, b=COUNT), "dependentRequired": {"a": ["b"]}},
            ({}, {"b": 1}, {"a": 1, "b": 1}),
            ({"a": 1},),
        ),
    ),
    "dependentSchemas": (
        Probe(
            {**closed(a=COUNT, b=COUNT), "dependentSchemas": {"a": {"required": ["b"]}}},
            ({}, {"b": 1}, {"a": 1, "b": 1}),
            ({"a": 1},),
        ),
    ),
    "unevaluatedProperties": (
        Probe(
            {"type": "object", "properties": {"a": COUNT}, "unevaluatedProperties": False},
            ({}, {"a": 1}),
            ({"b": 1},),
        ),
    ),
    "anyOf": (
        Probe({"anyOf": [TEXT, COUNT]}, ("a", 1), (None, [])),
        Probe({"anyOf": [PAIR, NULL]}, ({"a": 1, "b": 2}, None), ({}, 1)),
        Probe({"anyOf": [closed("a", a=COUNT), PAIR]}, ({"a": 1}, {"a": 1, "b": 2}), ({"b": 1},)),
        Probe({"anyOf": [{"anyOf": [TEXT, COUNT]}, NULL]}, ("a", 1, None), (True,)),
    ),
    "oneOf": (
        Probe({"oneOf": [TEXT, COUNT]}, ("a", 1), (None,)),
        Probe({"oneOf": [{**COUNT, "minimum": 2}, {**COUNT, "maximum": 3}]}, (1, 4), (2, 3)),
    ),
    "allOf": (
        Probe({"allOf": [COUNT, {"minimum": 3}]}, (3, 4), (2, "a")),
        Probe(
            {
                "type": "object",
                "allOf": [
                    {"properties": {"a": COUNT}, "required": ["a"]},
                    {"properties": {"b": COUNT}, "required": ["b"]},
                ],
            },
            ({"a": 1, "b": 2},),
            ({"a": 1}, {"a": "1", "b": 2}),
        ),
    ),
    "not": (Probe({**TEXT, "not": {"const": "a"}}, ("b", "ab"), ("a",)),),
    "if": (
        Probe(
            {"type": "integer", "if": {"minimum": 5}, "then": {"maximum": 8}},
            (4, 8),
            (9,),
        ),
    ),
    "then": (
        Probe(
            {"type": "integer", "if": {"minimum": 5}, "then": {"maximum": 8}},
            (4, 8),
            (9,),
        ),
    ),
    "else": (
        Probe(
            {"type": "integer", "if": {"minimum": 5}, "else": {"maximum": 2}},
            (2, 8),
            (3,),
        ),
    ),
    "$defs": (
        Probe({"$ref": "#/$defs/n"}, (1,), ("a",), {"$defs": {"n": COUNT}}),
        Probe(COUNT, (1,), ("a",), {"$defs": {"unused": TEXT}}),
    ),
    "$ref": (
        Probe({"$ref": "#/$defs/p"}, ({"a": 1, "b": 2},), ({}, 1), {"$defs": {"p": PAIR}}),
        Probe(
            {"$ref": "#/$defs/a"},
            (1,),
            ("a",),
            {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": COUNT}},
        ),
    ),
    "$anchor": (Probe({"$ref": "#n"}, (1,), ("a",), {"$defs": {"n": {**COUNT, "$anchor": "n"}}}),),
    "$dynamicRef": (
        Probe(
            {"$dynamicRef": "#n"}, (1,), ("a",), {"$defs": {"n": {**COUNT, "$dynamicAnchor": "n"}}}
        ),
    ),
    "$dynamicAnchor": (Probe({**COUNT, "$dynamicAnchor": "n"}, (1,), ("a",)),),
    "$id": (
        Probe(COUNT, (1,), ("a",), {"$id": ADDRESS}),
        Probe({"$ref": "#/$defs/n"}, (1,), ("a",), {"$id": ADDRESS, "$defs": {"n": COUNT}}),
    ),
    "$schema": (
        Probe(COUNT, (1,), ("a",), {"$schema": "https://json-schema.org/draft/2020-12/schema"}),
        Probe(COUNT, (1,), ("a",), {"$schema": "http://json-schema.org/draft-07/schema#"}),
    ),
    "$comment": (Probe({**COUNT, "$comment": "c"}, (1,), ("a",)),),
    "$vocabulary": (Probe({**COUNT, "$vocabulary": {}}, (1,), ("a",)),),
    "title": (Probe({**TEXT, "title": "t"}, ("a",), (1,)),),
    "description": (Probe({**TEXT, "description": "d"}, ("a",), (1,)),),
    "default": (Probe({**TEXT, "default": "d"}, ("a", "d"), (1,)),),
    "deprecated": (Probe({**TEXT, "deprecated": True}, ("a",), (1,)),),
    "readOnly": (Probe({**TEXT, "readOnly": True}, ("a",), (1,)),),
    "writeOnly": (Probe({**TEXT, "writeOnly": True}, ("a",), (1,)),),
    "examples": (Probe({**TEXT, "examples": ["e"]}, ("a",), (1,)),),
    "contentEncoding": (Probe({**TEXT, "contentEncoding": "base64"}, ("YQ==", "a"), (1,)),),
    "contentMediaType": (
        Probe({**TEXT, "contentMediaType": "application/json"}, ("1", "a b"), (1,)),
    ),
    "contentSchema": (
        Probe(
            {**TEXT, "contentMediaType": "application/json", "contentSchema": COUNT},
            ("1", "a b"),
            (2,),
        ),
    ),
}
OTHERS: dict[str, tuple[Probe, ...]] = {
    "x-order": (Probe({**TEXT, "x-order": 1}, ("a",), (1,)),),
    "example": (Probe({**TEXT, "example": "e"}, ("a",), (1,)),),
    "nullable": (Probe({**TEXT, "nullable": True}, ("a",), (1,)),),
}

FORMATS: dict[str, tuple[Probe, ...]] = {
    name: (Probe({"type": "string", "format": name}, allowed, forbidden),)
    for name, (allowed, forbidden) in {
        "date-time": (("2024-02-29T12:30:00Z", "1999-12-31T23:59:59.5+02:00"), ("x", "2024-02-29")),
        "date": (("2024-02-29", "1999-12-31"), ("x", "2024-13-01")),
        "time": (("12:30:00Z", "23:59:59.5+02:00"), ("x", "25:00:00Z")),
        "duration": (("P1D", "PT1H30M", "P1Y2M3DT4H5M6S"), ("x", "P")),
        "email": (("a@example.com", "first.last+tag@sub.example.org"), ("x", "a@", "@b")),
        "idn-email": (("a@example.com",), ("x",)),
        "hostname": (("example.com", "a-b.example"), ("-x", "a..b")),
        "idn-hostname": (("example.com",), ("a..b",)),
        "ipv4": (("127.0.0.1", "255.255.255.255"), ("x", "256.0.0.1")),
        "ipv6": (("::1", "2001:db8::8a2e:370:7334"), ("x", "1::2::3")),
        "uri": (("https://example.com/a?b=c#d", "urn:isbn:0451450523"), ("x y", "://")),
        "uri-reference": (("/a/b", "https://example.com"), ("\\a",)),
        "iri": (("https://example.com/é",), ("x y",)),
        "uri-template": (("https://example.com/{id}",), ("{",)),
        "uuid": (
            ("123e4567-e89b-12d3-a456-426614174000",),
            ("x", "123e4567e89b12d3a456426614174000"),
        ),
        "json-pointer": (("/a/b", ""), ("a",)),
        "relative-json-pointer": (("0/a", "1#"), ("a",)),
        "regex": (("^a$",), ("(",)),
        "int32": (("1",), ()),
        "byte": (("YQ==",), ()),
        "password": (("secret",), ()),
        "unheard-of": (("a",), ()),
    }.items()
}

"""Rows by templates: what is written like another row is what converting it writes."""

from __future__ import annotations

import io
import json
import random
import threading

import orjson
import pytest

import toolcanon as tc
from tests.conftest import format_cases
from tests.damaged_rows import damaged
from tests.tables import table
from tests.text_rows import TextRows, compact, spelled
from toolcanon.cli.rows import _Out

pytest.importorskip("toolcanon.bulk._templates", reason="no compiler was at hand")

TARGETS = ("anthropic", "openai", "openai-responses", "mcp", "gemini", "bedrock", "mistral")
PLAIN = {
    "type": "object",
    "properties": {"city": {"type": "string", "description": "Where"}, "days": {"type": "integer"}},
    "required": ["city"],
}


def chat(schema, **more):
    return {
        "type": "function",
        "function": {"name": "f", "description": "d", "parameters": schema, **more},
    }


def declared(**keywords):
    return {"type": "object", "properties": {"a": keywords}}


SCHEMAS = {
    "plain": PLAIN,
    "no members": {"type": "object", "properties": {}},
    "nothing at all": {},
    "a title and a remark": {**PLAIN, "title": "T", "description": "R"},
    "closed": {**PLAIN, "additionalProperties": False},
    "open": {**PLAIN, "additionalProperties": True},
    "a map": {**PLAIN, "additionalProperties": {"type": "string"}},
    "required twice": {**PLAIN, "required": ["city", "city"]},
    "required is undeclared": {**PLAIN, "required": ["town"]},
    "required is a flag": declared(type="string", required=True),
    "required is a text": {**PLAIN, "required": "city"},
    "words": {
        "type": "OBJECT",
        "properties": {"a": {"type": "STRING"}, "b": {"type": "ARRAY", "items": {"type": "int"}}},
    },
    "words in one list": declared(type=["STRING", "null"]),
    "a list of types": declared(type=["string", "null"]),
    "a list of one type": declared(type=["string"]),
    "no word": declared(type="strange"),
    "a draft": {**PLAIN, "$schema": "http://json-schema.org/draft-07/schema#"},
    "a draft and words": {
        **declared(type="STRING"),
        "$schema": "http://json-schema.org/draft-07/schema#",
    },
    "a draft and an older keyword": {
        **declared(type="string", example="x"),
        "$schema": "http://json-schema.org/draft-07/schema#",
    },
    "an older keyword": declared(type="string", nullable=True, example="x"),
    "members inside": declared(**PLAIN),
    "members inside, undeclared ones required": declared(**{**PLAIN, "required": ["x"]}),
    "an object that says nothing": declared(type="object"),
    "a list without items": declared(type="array"),
    "unions": declared(anyOf=[{"type": "string"}, {"type": "null"}], default=None),
    "an empty union": declared(anyOf=[]),
    "a union of no schemas": declared(anyOf=["string"]),
    "booleans": {"type": "object", "properties": {"a": True, "b": False}},
    "numbers": declared(type="number", minimum=0, maximum=1.5, multipleOf=0.01),
    "numbers spelled otherwise": declared(type="number", minimum=1e-7, maximum=1e22, default=-0.0),
    "long numbers": declared(type="integer", maximum=2**70, default=2**53),
    "bounds that are texts": declared(type="integer", maximum="5"),
    "values": declared(type="string", enum=["a", "", "b"], const="a"),
    "values of all sorts": declared(enum=[1, None, {"a": []}, "x"]),
    "a constant that is null": declared(const=None),
    "remarks that are none": declared(type="string", description=None),
    "any default": declared(type="object", default={"a": [1, {"b": None}]}),
    "formats": declared(type="string", format="date-time"),
    "formats nobody knows": declared(type="string", format="colour"),
    "keywords nobody knows": declared(type="string", colour="red"),
    "a member called type": {"type": "object", "properties": {"type": {"type": "string"}}},
    "a member called $ref": {"type": "object", "properties": {"$ref": {"type": "string"}}},
    "an illegal name": {"type": "object", "properties": {"a b": {"type": "string"}}},
    "a name of no letters": {"type": "object", "properties": {"": {"type": "string"}}},
    "a name in other letters": {"type": "object", "properties": {"größe": {"type": "string"}}},
    "references": {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A"}, "b": {"items": {"$ref": "#/$defs/A"}}},
        "$defs": {"A": {"type": "object", "properties": {"next": {"$ref": "#/$defs/A"}}}},
    },
    "a reference with a remark": {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A", "description": "d"}},
        "$defs": {"A": {"type": "string"}},
    },
    "a reference that leads nowhere": {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/B"}},
        "$defs": {"A": {"type": "string"}},
    },
    "references that lead round": {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A"}},
        "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}},
    },
    "references further in": {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A/properties/b"}},
        "$defs": {"A": {"type": "object", "properties": {"b": {"type": "string"}}}},
    },
    "references to members": {
        "type": "object",
        "properties": {"a": {"$ref": "#/properties/b"}, "b": {"type": "string"}},
    },
    "references of a draft": {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A", "type": "string"}},
        "$defs": {"A": {"type": "integer"}},
    },
    "references inside a place of its own": {
        "type": "object",
        "properties": {
            "a": {
                "$id": "urn:a",
                "$defs": {"A": {"type": "integer"}},
                "items": {"$ref": "#/$defs/A"},
            }
        },
        "$defs": {"A": {"type": "string"}},
    },
    "definitions nobody asks for": {**PLAIN, "$defs": {"A": {"type": "STRING"}}},
    "a hole of ours": declared(type="string", default="toolcanon_hole"),
}
TOOLS = {
    "no description": {"name": "f", "inputSchema": PLAIN},
    "an empty description": {"name": "f", "description": "", "inputSchema": PLAIN},
    "a description that is none": {"name": "f", "description": None, "inputSchema": PLAIN},
    "an illegal name": {"name": "a name", "inputSchema": PLAIN},
    "no name": {"name": "", "inputSchema": PLAIN},
    "a long name": {"name": "f" * 80, "inputSchema": PLAIN},
    "a name in other letters": {"name": "größe", "inputSchema": PLAIN},
    "hints": {
        "name": "f",
        "inputSchema": PLAIN,
        "annotations": {"readOnlyHint": True, "title": "T"},
    },
    "answers": {"name": "f", "inputSchema": PLAIN, "outputSchema": PLAIN},
    "strict": chat(PLAIN, strict=True),
    "not strict": chat(PLAIN, strict=False),
    "strict in words": chat(PLAIN, strict="yes"),
    "its own keys": {"name": "f", "input_schema": PLAIN, "cache_control": {"type": "ephemeral"}},
    "its own keys, strict": {"name": "f", "input_schema": PLAIN, "strict": True, "type": "custom"},
    "two schemas": {"name": "f", "parameters": PLAIN, "input_schema": PLAIN},
    "inside": {"toolSpec": {"name": "f", "inputSchema": {"json": PLAIN}}},
    "inside something else": {"function": {"function": {"name": "f", "parameters": PLAIN}}},
    "hosted": {"type": "web_search"},
    "declared": {"name": "f", "parametersJsonSchema": PLAIN},
    "called like a hole of ours": {"name": "toolcanon_hole", "inputSchema": PLAIN},
}


@table("strict", [False, True, "auto"])
@table("target", TARGETS)
def test_every_schema_is_written_as_by_the_converter(target, strict):
    rows = TextRows(target, strict=strict)
    for name, schema in SCHEMAS.items():
        for tool in (
            chat(schema),
            chat(schema, strict=True),
            {"name": "f", "description": "d", "inputSchema": schema},
            {"toolSpec": {"name": "f", "inputSchema": {"json": schema}}},
            {"name": "f", "description": "d", "parameters": schema},
            {"name": "f", "input_schema": schema, "cache_control": {"type": "ephemeral"}},
        ):
            rows.compare({"id": 1, "tool": tool}, name)


@table("strict", [False, True, "auto"])
@table("target", TARGETS)
def test_every_tool_is_written_as_by_the_converter(target, strict):
    rows = TextRows(target, strict=strict)
    for name, tool in TOOLS.items():
        rows.compare({"id": 1, "tool": tool, "more": [1.5, None, {"properties": {}}]}, name)
    for name, case in format_cases():
        rows.compare({"tool": case["definition"]}, name)


def test_members_of_one_tool_are_those_of_all():
    rows = TextRows("anthropic")
    for first, one in SCHEMAS.items():
        for second, other in SCHEMAS.items():
            members = {
                f"{mark}{name}": member
                for mark, schema in (("a", one), ("b", other))
                for name, member in schema.get("properties", {}).items()
            }
            tool = {**chat({"type": "object", "properties": members}, strict=True)}
            rows.compare({"tool": tool}, f"{first} and {second}", times=1)


def test_most_rows_take_it():
    """Otherwise the comparisons above compare nothing."""
    rows = TextRows("anthropic")
    for schema in (PLAIN, SCHEMAS["words"], SCHEMAS["numbers"]):
        rows.compare({"tool": chat(schema)}, "")
        rows.compare({"tool": chat(schema, strict=True)}, "")
    rows.compare({"tool": TOOLS["its own keys"]}, "")
    # An outline is learned when it is met again, and a member when it is met.
    assert rows.taken == 21, (rows.taken, rows.tried)


def bare(schema, **more):
    return {"name": "f", "description": "d", "parameters": schema, **more}


def nested(depth):
    return declared(**nested(depth - 1)) if depth else {"type": "string"}


A, WORD = {"type": "string"}, {"type": "dict", "additionalProperties": False}
TAUGHT = {
    "strict by words": [
        bare({**WORD, "properties": {"a": A}, "required": ["a"]}, strict=True),
        bare({**WORD, "properties": {"a": A, "b": A}, "required": ["a"]}, strict=True),
        bare({**WORD, "properties": {"a": {"type": "object"}}, "required": ["z"]}, strict=True),
    ],
    "an unknown keyword called like what is around a schema": [
        bare({"type": "object", "properties": {"a": A}, "json": {"$defs": {"B": {"type": word}}}})
        for word in ("string", "int")
    ],
    "definitions inside a keyword nobody knows": [
        bare({"type": "object", "properties": {"a": member}, "json": {"$defs": {"A": A}}})
        for member in (A, {"$ref": "#/$defs/A"})
    ],
    "the same before the members": [
        bare(
            {
                "json": {"properties": {"a": {"type": word}}},
                "type": "object",
                "properties": {"a": A},
            }
        )
        for word in ("string", "int")
    ],
    "members that do not go out": [
        {
            "name": "f",
            "input_schema": {"type": "object"},
            "toolSpec": {"parameters": {"properties": {"x": member}}},
        }
        for member in (A, {"type": "str"}, {"type": "string", "nullable": True})
    ],
    "a member that says whether it is required": [
        bare({"type": "object", "properties": {"a": {"type": kind}}, "required": [name]})
        for kind, name in (("string", "b"), ("string, optional", "b"), ("string, optional", "a"))
    ],
    "an optional member beside another": [
        bare({"type": "object", "properties": {"a": {"type": kind}, "b": A}})
        for kind in ("string, optional", "string", "string, optional")
    ],
    "members required beside the schema": [
        {"name": "f", "inputSchema": {"type": "object", "properties": {"a": A}}, "required": names}
        for names in (["b"], ["a"], [])
    ],
    "the same required beside other members": [
        {"name": "f", "inputSchema": {"type": "object", "properties": {name: A}}, "required": ["a"]}
        for name in ("b", "c", "a")
    ],
    "titles that are names, and some that are none": [
        bare(declared(title=title, anyOf=[A, {"type": "array", "items": {}}, {"type": "object"}]))
        for title in ("Data", "Some data", "Other", "x")
    ],
    "descriptions that say another layout": [
        bare(declared(type="date", description=text))
        for text in ("When it is", "The day", "As DD/MM/YYYY", "Another day", "a unix timestamp")
    ],
    "descriptions that have what is read from a type or an enum": [
        bare(declared(description=text, **keywords))
        for keywords in (
            {"type": "s:tring"},
            {"type": "string", "enum": "a: first, b: second"},
            {"type": "string", "enum": "any text"},
            {"type": "string", "required": "if there is one"},
        )
        for text in ("The serial", "A string of any text", "a: first, b: second", "if there is one")
    ],
    "texts that are types": [
        bare(declared(type="object", x="string", description=text))
        for text in ("What it is", "string", "list of strings", "Another one")
    ],
    "equal texts": [
        bare(declared(description=one, anyOf=[{"type": "string", "description": other}, {}]))
        for one, other in (("One", "Two"), ("Three", "Four"), ("Same", "Same"), (" ", " "))
    ],
    "texts that are quoted": [
        bare(declared(type="object", patternProperties={"^a": {"description": text}}))
        for text in ("One", "Two", 'With "quotes"', "C:\\n")
    ],
    "values of an enum": [
        bare(declared(type=kind, enum=values, description="One of them"))
        for kind in ("string", "integer", "STRING")
        for values in (["a", "b"], ["c", "d", "e"], ["1", "2"], ["a", ""], ["a", "a"], [" ", "b"])
    ],
    "values beside a default": [
        bare(declared(type="string", enum=values, default="a"))
        for values in (["a", "b"], ["c", "d"])
    ],
    "members of members": [
        bare(declared(**schema))
        for schema in (
            {"type": "object", "properties": {"x": A, "y": {"type": "integer"}}},
            {"type": "object", "properties": {"y": {"type": "integer"}, "x": A, "z": A}},
            {"type": "object", "properties": {"x": {"type": "int"}, "z": A}},
            {"type": "object", "properties": {"x": A}, "required": ["x"]},
            {"type": "object", "properties": {"y": A}, "required": ["x"]},
            {"type": "object", "properties": {"a b": A}},
            {"type": "object", "properties": {"$ref": A}},
            {"properties": {"x": A}},
        )
    ],
    "required members and optional ones": [
        bare({"type": "object", "properties": dict.fromkeys(names, A), **more})
        for more in ({"required": ["a"]}, {"required": ["b", "a"]}, {"required": ["a", "b"]}, {})
        for names in ("ab", "ba", "abc", "a")
    ],
    "an optional member that may be null, by itself or by default": [
        bare({"type": "object", "properties": {"a": member, "b": A}, "required": names})
        for names in (["b"], ["a", "b"])
        for member in ({"type": ["string", "null"]}, {**A, "default": None}, {}, {"enum": [None]})
    ],
    "arguments that come back otherwise below a required member": [
        bare({"type": "object", "properties": {"a": A, "b": inner}, "required": ["a", "b"]})
        for inner in (
            A,
            declared(type="string"),
            {"type": "object", "additionalProperties": {"type": "string"}},
            {"type": "object", "properties": {"a b": A}, "required": ["a b"]},
        )
    ],
    "values, and whether they are required": [
        bare({"type": "object", "properties": {"a": {**A, "enum": values}}, "required": names})
        for names in (["a"], [])
        for values in (["a", "b"], ["null", "x"], ["c", "d", "e"], [None, "a"], ["b", "b"])
    ],
    "members that need a definition": [
        bare({"type": "object", "properties": {"a": A, "b": member}, "required": ["a"]})
        for member in ({"type": "object"}, A, {"type": "array"}, {}, {"type": "object"})
    ],
    "more levels than fit": [
        bare(declared(**member)) for depth in (2, 4, 9, 12) for member in (nested(depth),)
    ],
    "members of members, in all places": [
        bare({"type": "object", "properties": {"a": outer, "b": A}})
        for member in (A, {"type": "STRING"}, {"type": "integer", "minimum": 1}, {"type": "x"})
        for inner in (
            {"type": "object", "properties": {"x": member, "y": A}},
            {"type": "object", "properties": {"x": member, "y": A}, "required": ["y"]},
            {"type": "OBJECT", "properties": {"x": member}, "required": ["x"]},
        )
        for outer in (
            inner,
            {"type": "array", "items": inner},
            {"type": "object", "properties": {"z": inner}, "description": "d"},
            {"anyOf": [inner, {"type": "null"}]},
        )
    ],
    "members of members that are named beside them": [
        bare(declared(type="object", properties={"x": A, "y": member}, **more))
        for more in (
            {"default": {"x": "1"}},
            {"dependentRequired": {"x": ["y"]}},
            {"anyOf": [{"required": ["x"]}, {"required": ["y"]}]},
            {"required": ["x", "q"]},
            {"required": ["x", "x"]},
            {"propertyOrdering": ["y", "x"]},
            {"additionalProperties": {"type": "string"}},
            {"patternProperties": {"^p": {"type": "object", "properties": {"x": A}}}},
            {"items": {"type": "object", "properties": {"x": A}}},
        )
        for member in (A, {"type": "STRING"}, {"type": "number", "default": 1})
    ],
    "members of members under odd names": [
        bare(declared(type="object", properties={name: A, "y": member}))
        for name in ("a b", "$x", "", "größe", "x" * 80, "toolcanon_member")
        for member in (A, {"type": "INTEGER"}, True)
    ],
    "definitions of one name": [
        bare({"type": "object", "properties": {"a": member, "b": A}, "$defs": {"A": named}})
        for named in (A, {"type": "STRING"}, {**declared(type="string"), "required": ["a"]})
        for member in (
            {"$ref": "#/$defs/A"},
            {"type": "array", "items": {"$ref": "#/$defs/A"}},
            {"type": "object", "properties": {"x": {"$ref": "#/$defs/A"}}},
            {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}], "default": None},
        )
    ],
    "definitions that need what is around them": [
        bare({"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}, "b": other}, **more})
        for other in (A, {"type": "integer"}, {"$ref": "#/$defs/A"})
        for more in (
            {"$defs": {"A": {"$ref": "#"}}},
            {"$defs": {"A": {"$ref": "#/properties/b"}}},
            {"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"type": "integer"}}},
            {"$defs": {"A": {"$id": "urn:a", "$ref": "#/$defs/C"}, "C": A}},
            {"definitions": {"A": A}, "$defs": {"A": A}},
        )
    ],
    "a tool that is refused": [
        {"name": "f", "input_schema": {"type": "object"}, "inputSchema": {"properties": {"x": A}}}
    ],
}


OTHERS = ("deepseek", "groq", "cohere", "langchain", "json-schema", "smolagents")
WAYS = [(target, {}) for target in (*TARGETS, *OTHERS)]
WAYS += [("gemini", {"dialect": "gemini/openapi"}), ("anthropic", {"strict": True})]
WAYS += [(target, {"strict": True}) for target in ("openai", "openai-responses", "mistral", "groq")]
WAYS += [("openai", {"strict": "auto"}), ("openai", {"dialect": "openai/outlines"})]


@table("tools", TAUGHT.values(), ids=TAUGHT)
@table("target, options", WAYS)
def test_an_example_teaches_nothing_wrong(target, options, tools):
    for order in (tools, tools[::-1]):
        rows = TextRows(target, **options)
        for tool in order:
            rows.compare({"tool": tool}, str(tool))


def known_alike(target, first, second, **options):
    """Whether a row is written by what another one of the same outline taught."""
    rows = TextRows(target, **options)
    rows.compare({"tool": bare(first)}, "first")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(rows.templates._examples, "members", lambda *_: {})
        before = rows.taken
        rows.compare({"tool": bare(second)}, "second", times=1)
    return rows.taken > before


def test_members_of_members_are_known_wherever_they_are():
    inner = {"type": "object", "properties": {"x": {"type": "STRING"}, "y": {"type": "integer"}}}
    swapped = {"type": "object", "properties": {"n": {"type": "integer"}, "m": {"type": "STRING"}}}
    new = {"type": "object", "properties": {"x": {"type": "boolean"}}}
    first = {"type": "object", "properties": {"a": inner, "b": {"type": "array", "items": inner}}}
    second = {"type": "object", "properties": {"c": {"type": "array", "items": swapped}}}
    assert known_alike("anthropic", first, second)
    assert not known_alike("anthropic", first, declared(**new))


def test_references_are_known_with_their_definitions():
    member = {"$ref": "#/$defs/A", "description": "d"}
    first = {"type": "object", "properties": {"a": member}, "$defs": {"A": A}}
    renamed = {**first, "properties": {"b": {**member, "description": "e"}}}
    assert known_alike("anthropic", first, renamed)
    assert not known_alike("anthropic", first, {**first, "$defs": {"A": {"type": "integer"}}})
    assert not known_alike("anthropic", {**first, "$defs": {"A": {"$ref": "#"}}}, first)


def test_a_small_stack_is_enough():
    depth, member = 200, "{}"
    lines = []
    for level in range(depth):
        member = f'{{"not":{member}}}'
        if level % 7 == 0:
            schema = f'{{"type":"object","properties":{{"a":{member}}}}}'
            lines.append(f'{{"tool":{{"name":"f","inputSchema":{schema}}}}}'.encode())
    read = TextRows("anthropic").templates._read
    before = threading.stack_size(128 * 1024)
    try:
        thread = threading.Thread(target=lambda: [read(line, "tool") for line in lines])
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)


SPELLINGS = {
    "blanks": lambda row: json.dumps(row, indent=1).replace("\n", " ").encode(),
    "escapes": lambda row: json.dumps(row, ensure_ascii=True).encode(),
    "every character escaped": spelled,
    "a tab before and behind": lambda row: b"\t" + orjson.dumps(row) + b"\t\r\n",
}
TEXTS = (
    "",
    "plain",
    'quote " and \\ slash /',
    "\b\f\n\r\t\x01\x1f\x7f",
    "é 你好 \U0001f600 \u2028",
)


@pytest.mark.parametrize("spell", SPELLINGS.values(), ids=SPELLINGS)
def test_spellings_are_those_of_orjson(spell):
    rows = TextRows("anthropic")
    for text in TEXTS:
        member = {"type": "string", "description": text, "default": {"x": text, "y": [text]}}
        schema = {"type": "object", "title": text, "properties": {"a": member}}
        row = {"id": text, "tool": {"name": "f", "description": text, "inputSchema": schema}}
        rows.compare(row, text, spell)


WHOLE = b'{"id":1,"tool":{"name":"f","description":"d","inputSchema":%b}}' % orjson.dumps(PLAIN)
ODD = {
    "a key twice": b'{"id":1,"id":2,"tool":{"name":"f","inputSchema":{"type":"object"}}}',
    "a tool twice": WHOLE[:-1] + b',"tool":{"name":"g"}}',
    "a member twice": WHOLE.replace(b'"days"', b'"city"'),
    "a keyword twice": WHOLE.replace(b'"type":"integer"', b'"type":"integer","type":"string"'),
    "an escaped key": WHOLE.replace(b'"days"', b'"\\u0063ity"'),
    "half a pair": WHOLE.replace(b"Where", b"\\ud83d"),
    "the other half": WHOLE.replace(b"Where", b"\\ude00"),
    "a pair that is none": WHOLE.replace(b"Where", b"\\ud83d\\u0041"),
    "an escape of nothing": WHOLE.replace(b"Where", b"\\x"),
    "an escape cut short": WHOLE.replace(b"Where", b"\\u00"),
    "no UTF-8": WHOLE.replace(b"Where", b"\xff"),
    "a surrogate in UTF-8": WHOLE.replace(b"Where", b"\xed\xa0\x80"),
    "a character too long": WHOLE.replace(b"Where", b"\xc0\x80"),
    "a control character": WHOLE.replace(b"Where", b"\x01"),
    "a line's end in a text": WHOLE.replace(b"Where", b"a\nb"),
    "a nought before": WHOLE.replace(b'"id":1', b'"id":01'),
    "a point and nothing": WHOLE.replace(b'"id":1', b'"id":1.'),
    "a plus": WHOLE.replace(b'"id":1', b'"id":+1'),
    "no number": WHOLE.replace(b'"id":1', b'"id":NaN'),
    "half a word": WHOLE.replace(b'"id":1', b'"id":tru'),
    "a comma too many": WHOLE.replace(b'"id":1,', b'"id":1,,'),
    "a comma at the end": WHOLE.replace(b'["city"]', b'["city",]'),
    "no comma": WHOLE.replace(b'"id":1,', b'"id":1 '),
    "more behind": WHOLE + b"1",
    "a NUL behind": WHOLE + b"\0",
    "two rows": WHOLE + b" " + WHOLE,
    "a list": b"[" + WHOLE + b"]",
    "nothing": b"",
    "blanks": b"  \n",
    "a BOM": b"\xef\xbb\xbf" + WHOLE,
    "levels": WHOLE.replace(b'"id":1', b'"id":' + b"[" * 200 + b"]" * 200),
}


@table("text", ODD.values(), ids=ODD)
def test_what_is_odd_is_left_to_others(text):
    rows = TextRows("anthropic")
    rows.compare(orjson.loads(WHOLE), "whole")
    for _ in range(3):
        assert rows.written(text) is None


def test_no_part_of_a_row_is_one():
    rows = TextRows("anthropic")
    rows.compare(orjson.loads(WHOLE), "whole")
    for length in range(len(WHOLE)):
        assert rows.written(WHOLE[:length]) is None, WHOLE[:length]


def test_damaged_rows_are_left_to_others_or_written_as_they_are():
    rows, chance = TextRows("anthropic"), random.Random(7)  # noqa: S311 - the same each time
    tools = [chat(schema, strict=strict) for schema in SCHEMAS.values() for strict in (True, False)]
    lines = [compact({"id": 1, "tool": tool}) for tool in (*tools, *TOOLS.values())]
    for line in lines:
        rows.compare(line, "whole")
    taken = rows.taken
    for _ in range(20_000):
        line = damaged(chance.choice(lines), chance)
        rows.compare(line, repr(line), times=1)
    assert rows.taken - taken > 100


def test_a_row_without_a_field_is_the_tool():
    rows = TextRows("anthropic", field=None)
    rows.compare(chat(PLAIN), "bare")
    rows.compare({"name": "g", "parameters": PLAIN}, "bare")
    assert rows.taken


def test_what_is_remembered_has_an_end(monkeypatch):
    monkeypatch.setattr("toolcanon.bulk.templates._MOST", 4)
    monkeypatch.setattr("toolcanon.bulk.templates._MOST_BYTES", 4 * 700)
    rows = TextRows("anthropic")
    for number in range(30):
        tool = chat(declared(type="number", minimum=number), strict=True, **{f"x{number}": 1})
        rows.compare({"tool": tool}, str(number))
    held = rows.templates
    members = [len(context.members) for context in held._examples.contexts.values()]
    assert max(len(held._known), len(held._met), sum(members)) <= 4


def test_observers_see_every_row():
    rows = TextRows("anthropic")
    row = {"tool": chat(PLAIN)}
    rows.compare(row, "")
    assert rows.written(orjson.dumps(row)) is not None
    stop = tc.observe(lambda _: None)
    try:
        assert rows.written(orjson.dumps(row)) is None
    finally:
        stop()


@pytest.mark.parametrize("safely", [False, True])
def test_a_terminal_gets_no_command_from_a_row(safely):
    rows, row = TextRows("anthropic"), {"id": "\u202e\x9b", "tool": chat(PLAIN)}
    rows.compare(row, "")
    text = rows.written(compact(row)).row
    stream = io.BytesIO()
    _Out(stream, safely=safely).texts([text])
    assert stream.getvalue().isascii() == safely
    assert orjson.loads(stream.getvalue()) == orjson.loads(text)


def test_options_that_need_objects_do_without():
    for options in ({"keep_original": True}, {"calls_field": "c"}, {"source": "openai"}):
        rows = TextRows("anthropic", **options)
        assert rows.templates._read is None


def test_rows_of_a_template_that_is_wrong_are_converted(monkeypatch):
    """Also those that were read with the first one."""
    monkeypatch.setattr("toolcanon.bulk.templates._is_same", lambda *_: False)
    rows = TextRows("anthropic")
    assert rows.templates([compact({"tool": chat(PLAIN)})] * 5) == [None] * 5
    assert rows.written(compact({"tool": chat(PLAIN)})) is None


def test_rows_are_the_same_one_by_one_and_together():
    tools = [chat(schema) for schema in SCHEMAS.values()] * 4
    lines = [compact({"id": number, "tool": tool}) for number, tool in enumerate(tools)]
    together, alone = TextRows("anthropic"), TextRows("anthropic")
    found = dict(zip(lines, together.templates(lines), strict=True))
    taken = 0
    for line in lines:
        row = alone.written(line)
        if row is not None and found[line] is not None:
            taken += 1
            assert (row.row, row.needs_restore) == (found[line].row, found[line].needs_restore)
    assert taken > 20


def test_rows_that_are_alike_together_are_all_written_by_their_template():
    rows = TextRows("openai", strict=True)
    found = rows.templates([compact({"id": n, "tool": chat(PLAIN)}) for n in range(3)])
    assert [orjson.loads(row.row)["id"] for row in found] == [0, 1, 2]
    assert all(row.needs_restore for row in found)  # one of the members is optional


def test_most_strict_rows_take_it():
    rows = TextRows("openai", strict=True)
    for schema in (PLAIN, SCHEMAS["words"], SCHEMAS["members inside"], {**PLAIN, "required": []}):
        rows.compare({"tool": chat(schema)}, "")
    assert rows.taken == 12, (rows.taken, rows.tried)

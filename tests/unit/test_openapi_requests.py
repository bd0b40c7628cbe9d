"""Requests of OpenAPI documents: media types, files, reserved characters, odd paths."""

import sys

import pytest

import toolcanon as tc
from tests.tables import table
from toolcanon.formats.openapi.request import http_request
from toolcanon.formats.openapi.serialization import How, pairs_of, preferred

STRING = {"type": "string"}
FILE = {"type": "string", "format": "binary"}
JSON, PATCH, PROBLEM = "application/json", "application/json-patch+json", "application/problem+json"


def one(operation, path="/x", method="post", version="3.1.0", schemas=None):
    (tool,) = tc.read(
        {
            "openapi": version,
            "info": {"title": "T", "version": "1"},
            "paths": {path: {method: {"responses": {}, **operation}}},
            "components": {"schemas": schemas or {}},
        }
    )
    return tool


def told(tool):
    guesses = tool.extras["openapi"].get("$", {}).get("guesses", [])
    return [guess["why"].partition(":")[0] for guess in guesses]


# --- which media type ---


@pytest.mark.parametrize(
    "offered, chosen",
    [
        ([PATCH, JSON], JSON),
        ([PROBLEM, "application/JSON; charset=utf-8"], "application/JSON; charset=utf-8"),
        ([PROBLEM, PATCH], PROBLEM),
        (["*/*", PATCH], PATCH),
        (["text/json", JSON], JSON),
        (["application/x-www-form-urlencoded", PATCH], PATCH),
        (["text/*", "text/csv"], "text/csv"),
        (["multipart/*", "multipart/form-data"], "multipart/form-data"),
        ([], None),
    ],
)
def test_json_itself_comes_first(offered, chosen):
    assert preferred({media: {} for media in offered}) == chosen


def test_bodies_and_answers_are_those_of_json():
    def said(word):
        return {"schema": {"type": "object", "properties": {word: STRING}}}

    content = {PATCH: {"schema": {"type": "array"}}, JSON: said("a")}
    answers = {PROBLEM: said("error"), JSON: said("b")}
    tool = one(
        {
            "requestBody": {"content": content},
            "responses": {"200": {"description": "", "content": answers}},
        }
    )
    assert list(tool.inputs["properties"]) == ["a"]
    assert list(tool.outputs["properties"]) == ["b"]
    assert http_request(tool, {"a": "x"}).content_type == JSON


@pytest.mark.parametrize(
    "stated, sent, finding",
    [
        ("text/*", "text/plain", "body-type-assumed"),
        ("text/*; charset=utf-8", "text/plain", "body-type-assumed"),
        ("image/*", "application/octet-stream", "body-type-assumed"),
        ("*/*", JSON, "body-assumed-json"),
        ("text/csv", "text/csv", None),
    ],
)
def test_a_range_is_never_sent(stated, sent, finding):
    tool = one({"requestBody": {"required": True, "content": {stated: {"schema": STRING}}}})
    assert http_request(tool, {"body": "x"}).content_type == sent
    assert finding is None or finding in told(tool)


# --- files ---

SCHEMAS = {
    "File": FILE,
    "Files": {"type": "array", "items": {"$ref": "#/components/schemas/File"}},
    "Png": {"type": "string", "contentMediaType": "image/png"},
    "Text": STRING,
    "Loop": {"allOf": [{"$ref": "#/components/schemas/Loop"}]},
    "Wide": {"allOf": [{"$ref": "#/components/schemas/Wide"}] * 50},
}


def ref(name):
    return {"$ref": f"#/components/schemas/{name}"}


FILES = [
    (FILE, "application/octet-stream"),
    ({}, "application/octet-stream"),
    (ref("File"), "application/octet-stream"),
    (ref("Files"), "application/octet-stream"),
    ({"allOf": [ref("File")], "description": "d"}, "application/octet-stream"),
    ({"allOf": [{"description": "d"}, ref("File")]}, "application/octet-stream"),
    ({"anyOf": [FILE, {"type": "null"}]}, "application/octet-stream"),
    ({"oneOf": [ref("Png"), {"type": "null"}]}, "image/png"),
    ({"type": "string", "contentMediaType": "image/png"}, "image/png"),
    ({"allOf": [ref("Png")]}, "image/png"),
    ({"type": "array", "items": ref("Png")}, "image/png"),
    ({"type": "string", "contentMediaType": "image/png", "contentEncoding": "base64"}, None),
    ({"anyOf": [FILE, STRING]}, None),
    ({"allOf": [{}, STRING]}, None),
    ({"anyOf": [{"type": "null"}]}, None),
    (ref("Text"), None),
    (ref("Loop"), None),
    (ref("Wide"), None),
    (ref("Nowhere"), None),
]


@table("schema, media", FILES)
def test_files_are_found_wherever_they_are_described(schema, media):
    form = {"type": "object", "properties": {"f": schema}}
    content = {"multipart/form-data": {"schema": form}}
    tool = one({"requestBody": {"content": content}}, schemas=SCHEMAS)
    sent = http_request(tool, {"f": ["x"]}).body
    assert (b'filename="f"' in sent) == (media is not None)
    assert ("binary-as-text" in told(tool)) == (media is not None)
    if media is not None:
        assert f"Content-Type: {media}\r\n".encode() in sent


COMPOSED = [
    ({"allOf": [ref("Form"), {"properties": {"t": STRING}}]}, True),
    ({"allOf": [ref("Form"), {"properties": {"f": {"description": "d"}}}]}, True),
    ({"allOf": [{"allOf": [ref("Form")]}]}, True),
    ({"oneOf": [ref("Form"), {"properties": {"url": STRING}}]}, True),
    ({"anyOf": [ref("Form"), {"properties": {"f": STRING}}]}, False),
    ({"allOf": [{"properties": {"f": {}}}, {"properties": {"f": STRING}}]}, False),
    (ref("Round"), True),
]


@table("schema, is_file", COMPOSED)
@table("path", ["/x", "/x/{id}"])
def test_files_are_found_in_whatever_a_form_is_made_of(schema, is_file, path):
    form = {"type": "object", "properties": {"f": FILE}}
    around = {"allOf": [ref("Round"), ref("Form")]}
    schemas = {"Form": form, "Round": around}
    content = {"multipart/form-data": {"schema": {"type": "object", **schema}}}
    tool = one({"requestBody": {"required": True, "content": content}}, path=path, schemas=schemas)
    argument = tool.extras["openapi"]["request"]["body"].get("argument")
    sent = {"f": "x"} if argument is None else {"id": "1", argument: {"f": "x"}}
    assert (b'filename="f"' in http_request(tool, sent).body) == is_file
    assert ("binary-as-text" in told(tool)) == is_file


PARTS = [
    ({"style": "form", "explode": False}, ["a b", "c/d"], [("p", "a b,c/d")]),
    ({"explode": True}, ["a,b", "c"], [("p", "a,b"), ("p", "c")]),
    ({"style": "pipeDelimited", "explode": False}, ["a", "b"], [("p", "a|b")]),
    ({"style": "deepObject"}, {"k": 1, "l": ["x"]}, [("p[k]", "1"), ("p[l][0]", "x")]),
    ({"explode": False}, {"k": 1.0}, [("p", "k,1")]),
    ({"contentType": "text/plain"}, ["a", "b"], [("p", "a"), ("p", "b")]),
    ({"style": "form", "explode": False}, ["a,b", "c"], None),
    ({"style": "form", "explode": False}, {"k,l": 1}, None),
]


@pytest.mark.parametrize("encoding, value, parts", PARTS)
def test_parts_are_written_in_the_style_of_their_encoding(encoding, value, parts):
    schema = {"type": "object", "properties": {"p": {"type": ["array", "object"]}}}
    content = {"multipart/form-data": {"schema": schema, "encoding": {"p": encoding}}}
    tool = one({"requestBody": {"content": content}})
    if parts is None:
        with pytest.raises(tc.ToolcanonError):
            http_request(tool, {"p": value})
        return
    lines = http_request(tool, {"p": value}).body.decode().split("\r\n")
    names = [line.partition('name="')[2][:-1] for line in lines if "name=" in line]
    texts = [lines[index + 1] for index, line in enumerate(lines[:-1]) if not line]
    assert list(zip(names, texts, strict=True)) == parts


# --- parameters in a media type ---


@pytest.mark.parametrize(
    "media, schema, value, written, finding",
    [
        ("application/xml", {"type": "object"}, "<a>1</a>", "q=%3Ca%3E1%3C%2Fa%3E", True),
        ("application/xml", {"type": "array"}, "<a/>", "q=%3Ca%2F%3E", True),
        ("text/csv", {"type": "string", "maxLength": 9}, "a,b", "q=a%2Cb", False),
        ("text/csv", ref("Text"), "a,b", "q=a%2Cb", False),
        ("application/json", {"type": "object"}, {"a": 1}, "q=%7B%22a%22%3A1%7D", False),
    ],
)
def test_a_parameter_keeps_its_name_in_any_media_type(media, schema, value, written, finding):
    content = {media: {"schema": schema}}
    stated = {"name": "q", "in": "query", "content": content, "description": "d"}
    tool = one({"parameters": [stated]}, schemas=SCHEMAS)
    assert http_request(tool, {"q": value}).query_string == written
    assert tool.inputs["properties"]["q"]["description"] == "d"
    assert ("parameter-as-text" in told(tool)) == finding


def test_an_encoding_wins_over_the_schema():
    content = {"multipart/form-data": {
        "schema": {"type": "object", "properties": {"f": ref("Png")}},
        "encoding": {"f": {"contentType": "image/jpeg, image/png"}},
    }}  # fmt: skip
    tool = one({"requestBody": {"content": content}}, schemas=SCHEMAS)
    assert b"Content-Type: image/jpeg\r\n" in http_request(tool, {"f": "x"}).body


# --- reserved characters ---


@pytest.mark.parametrize(
    "style, explode, value, written",
    [
        ("form", False, ["a/b", "c,d"], "q=a/b,c%2Cd"),
        ("form", False, {"k/": "a:b"}, "q=k/,a:b"),
        ("form", True, ["a/b", "c,d"], "q=a/b&q=c,d"),
        ("pipeDelimited", False, ["a/b", "c&d"], "q=a/b%7Cc%26d"),
        ("spaceDelimited", False, ["a/b", "c#d"], "q=a/b%20c%23d"),
        ("deepObject", True, {"k": "a/b?c", "l": ["x&y"]},
         "q%5Bk%5D=a/b?c&q%5Bl%5D%5B0%5D=x%26y"),
    ],
)  # fmt: skip
def test_reserved_characters_stand_when_they_are_allowed(style, explode, value, written):
    pairs = pairs_of(How("q", style, explode, reserved=True), value)
    assert "&".join(f"{name}={text}" for name, text in pairs) == written


# --- paths that are more than paths ---

QUERY = {"name": "q", "in": "query", "schema": STRING}


@pytest.mark.parametrize(
    "path, target, query",
    [
        ("/?Action=List", "/?Action=List&q=1", (("Action", "List"), ("q", "1"))),
        ("/#X-Target=Foo", "/?q=1", (("q", "1"),)),
        ("/a?b#c", "/a?b&q=1", (("b", ""), ("q", "1"))),
        ("/a?b=%20x&c", "/a?b=%20x&c&q=1", (("b", " x"), ("c", ""), ("q", "1"))),
        ("/x y/é", "/x%20y/%C3%A9?q=1", (("q", "1"),)),
        ("/100%/a%2Fb/<>", "/100%25/a%2Fb/%3C%3E?q=1", (("q", "1"),)),
        ("/a:b/(c)/d;e=f", "/a:b/(c)/d;e=f?q=1", (("q", "1"),)),
    ],
)
def test_a_path_is_what_is_sent(path, target, query):
    request = http_request(one({"parameters": [QUERY]}, path=path), {"q": "1"})
    assert (request.target, request.query) == (target, query)


def test_places_are_filled_wherever_they_stand():
    tool = one({}, path="/é/{a?}.x/?k={b}")
    request = http_request(tool, {"a?": "1?2#3", "b": "&="})
    assert request.target == "/%C3%A9/1%3F2%233.x/?k=%26%3D"
    assert request.query == (("k", "&="),)


def test_a_path_that_no_bytes_can_spell_is_refused():
    tool = one({}, path="/\ud800")
    with pytest.raises(tc.ToolcanonError):
        http_request(tool, {})


# --- recipes that were edited ---


def recipe_and_arguments(media):
    members = {"f": FILE, "o": {"type": "object", "properties": {"x": STRING}}, "l": STRING}
    body = {"schema": {"type": "object", "properties": members}}
    tool = one(
        {
            "servers": [{"url": "https://{v}.test", "variables": {"v": {"default": "a"}}}],
            "parameters": [
                {"name": "p", "in": "path", "required": True, "schema": STRING},
                QUERY,
                {"name": "h", "in": "header", "schema": STRING},
                {"name": "c", "in": "cookie", "schema": {"type": "array", "items": STRING}},
            ],
            "requestBody": {
                "required": True,
                "content": {media: {**body, "encoding": {"l": {"contentType": "text/x"}}}},
            },
        },
        path="/{p}",
    )
    sent = {"p": "1", "q": "2", "h": "3", "c": ["4"], "f": "5", "o": {"x": "6"}, "l": "7"}
    return tool.extras["openapi"]["request"], sent


def edits(value):
    """A value with each of its parts replaced by something else, or removed."""
    yield from (None, True, 5, "x", [], {}, [5], {"x": 5})
    for key in range(len(value)) if isinstance(value, list) else list(value):
        if isinstance(value, str):
            return
        for edit in edits(value[key]) if isinstance(value[key], (dict, list, str)) else ():
            changed = value.copy()
            changed[key] = edit
            yield changed
        changed = value.copy()
        del changed[key]
        yield changed


@pytest.mark.parametrize(
    "media", ["multipart/form-data", "application/x-www-form-urlencoded", JSON]
)
def test_an_edited_recipe_gives_a_request_or_a_typed_error(media):
    recipe, arguments = recipe_and_arguments(media)
    refused = 0
    for edited in edits(recipe):
        tool = tc.CanonicalTool(name="f", extras={"openapi": {"request": edited}})
        if edited is None:
            continue
        try:
            http_request(tool, arguments)
        except tc.ToolcanonError:
            refused += 1
    assert refused > 100


def test_an_error_of_ours_is_not_a_damaged_recipe(monkeypatch):
    def broken(*_):
        raise TypeError("ours")

    module = sys.modules[http_request.__module__]  # its name is that of a function as well
    monkeypatch.setattr(module, "pairs_of", broken)
    with pytest.raises(TypeError, match="ours"):
        http_request(one({"parameters": [QUERY]}), {"q": "1"})

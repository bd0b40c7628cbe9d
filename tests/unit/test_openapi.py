"""OpenAPI documents: one tool for each operation, and a request for each call."""

import copy
import json
import threading
import time
import urllib.request
from email import message_from_bytes
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, unquote

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolcanon as tc
from tests.conftest import CASES
from tests.tables import table
from toolcanon.errors import (
    NoTools,
    ToolcanonError,
    UnreadableTool,
    UnusableArguments,
    UsageError,
)
from toolcanon.formats.openapi.reading import argument_names
from toolcanon.formats.openapi.request import http_request
from toolcanon.formats.openapi.serialization import How, Unsayable, header_text, pairs_of, path_text
from toolcanon.formats.wire.text_data import decoded, encoded
from toolcanon.jsonio import LONGEST_NAME

APIS = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((CASES / "openapi").glob("*.json"))
}
CALLS = [(name, call) for name, api in APIS.items() for call in api["calls"]]
CALL_IDS = [f"{name}: {call['tool']} {index}" for index, (name, call) in enumerate(CALLS)]
STRING = {"type": "string"}


def tools_of(document):
    return {tool.name: tool for tool in tc.read(document)}


def document(operation, path="/x", method="get", version="3.1.0", item=None, **more):
    paths = {path: {**(item or {}), method: {"responses": {}, **operation}}}
    return {"openapi": version, "info": {"title": "T", "version": "1"}, "paths": paths, **more}


def one(operation, **more):
    (tool,) = tc.read(document(operation, **more))
    return tool


def guesses_of(tool):
    return tool.extras["openapi"].get("$", {}).get("guesses", [])


def names_of(tool):
    return [guess["why"].partition(":")[0] for guess in guesses_of(tool)]


# --- recorded calls of ten APIs, sent to a server that writes down what arrives ---


@pytest.fixture(scope="module")
def server():
    class Recorder(BaseHTTPRequestHandler):
        def record(self):
            size = int(self.headers.get("Content-Length", 0))
            self.server.seen.append((self.command, self.path, self.headers, self.rfile.read(size)))
            self.send_response(204)
            self.end_headers()

        do_GET = do_PUT = do_POST = do_DELETE = do_PATCH = do_HEAD = record  # noqa: N815

        def log_message(self, *_):
            pass

    made = ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
    made.seen = []
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


def send(server, request):
    """Through a client that knows nothing of us; what the server saw."""
    url = f"http://127.0.0.1:{server.server_address[1]}{request.target}"
    sent = urllib.request.Request(
        url, request.body, dict(request.all_headers), method=request.method
    )
    with urllib.request.urlopen(sent, timeout=10) as answer:  # noqa: S310
        assert answer.status == 204
    return server.seen.pop()


def parsed_body(content_type, data):
    """The body as other people's parsers read it."""
    if content_type is None:
        return None
    media = content_type.partition(";")[0]
    if media.endswith("json"):
        return {"json": json.loads(data)}
    if media == "application/x-www-form-urlencoded":
        pairs = parse_qsl(data.decode(), keep_blank_values=True, strict_parsing=True)
        return {"form": [list(pair) for pair in pairs]}
    if media == "multipart/form-data":
        head = f"Content-Type: {content_type}\r\n\r\n".encode()
        parts = message_from_bytes(head + data, policy=HTTP).iter_parts()
        return {
            "parts": [
                [
                    part.get_param("name", header="content-disposition"),
                    part.get_filename(),
                    part.get("content-type"),
                    part.get_payload(decode=True).decode(),
                ]
                for part in parts
            ]
        }
    return {"text": data.decode()}


@table("api, call", CALLS, ids=CALL_IDS)
def test_recorded_calls_arrive_as_the_api_wants_them(api, call, server):
    tool = tools_of(APIS[api]["document"])[call["tool"]]
    assert jsonschema_rs.is_valid(tool.input_schema, call["arguments"])
    expected = call["request"]
    method, target, headers, data = send(server, http_request(tool, call["arguments"]))
    assert (method, target) == (expected["method"], expected["target"])
    for name, value in expected.get("headers", {}).items():
        assert headers[name] == value
    cookies = dict(item.split("=", 1) for item in headers.get("Cookie", "").split("; ") if item)
    assert cookies == expected.get("cookies", {})
    content_type = headers.get("Content-Type")
    assert (content_type or "").partition(";")[0] == expected.get("content_type", "")
    assert parsed_body(content_type, data) == expected.get("body")


@table("target", ["anthropic", "openai", "gemini", "mcp"])
@table("api", APIS)
def test_calls_survive_the_trip_through_a_provider(api, target):
    tools = tools_of(APIS[api]["document"])
    bound = tc.bind(list(tools.values()), target)
    again = tc.Binding.from_receipt(json.loads(json.dumps(bound.receipt())))
    for call in APIS[api]["calls"]:
        name, arguments = bound.render(call["tool"], call["arguments"])
        restored = again.restore(name, json.dumps(arguments))
        assert not restored.problems, (call["tool"], restored.problems)
        request = http_request(tools[restored.name], restored.arguments)
        assert request == http_request(tools[call["tool"]], call["arguments"])


@table("api", APIS)
def test_what_is_reported_for_each_api(api):
    tools = tools_of(APIS[api]["document"])
    assert APIS[api]["document"]["x-source"]["api"]
    for name, expected in APIS[api]["tools"].items():
        tool = tools[name]
        told = {
            "definitions": sorted(tool.inputs.get("$defs", {})),
            "output_definitions": sorted(tool.outputs.get("$defs", {})),
            "findings": sorted(set(names_of(tool))),
            "permissions": tool.security.required_permissions if tool.security else [],
        }
        assert {key: told[key] for key in expected} == expected, name


@table("api", APIS)
def test_a_document_comes_back_whole_and_tools_stand_alone(api):
    given_ = APIS[api]["document"]
    before = copy.deepcopy(given_)
    assert tc.convert(given_, "openapi", lower=False).payload == before
    assert given_ == before
    for tool in tc.read(given_):
        assert "#/components" not in json.dumps([tool.inputs, tool.outputs])
        for schema in (tool.input_schema, tool.output_schema):
            jsonschema_rs.validator_for(schema)
        (alone,) = tc.read(tc.bind(tool, "openapi").payload)
        assert (alone.inputs, alone.outputs) == (tool.inputs, tool.outputs)
        assert alone.extras["openapi"]["request"] == tool.extras["openapi"]["request"]


def test_swagger_two_is_refused_with_advice():
    with pytest.raises(UnreadableTool, match=r"Swagger 2\.0.*swagger2openapi") as caught:
        tc.read({"swagger": "2.0", "info": {}, "paths": {"/x": {"get": {}}}})
    assert caught.value.at == "/swagger"


# --- styles, against the table of the specification ---

COLORS = ["blue", "black", "brown"]
RGB = {"R": 100, "G": 200, "B": 150}
PATH_STYLES = [
    ("matrix", False, "blue", ";color=blue"),
    ("matrix", False, COLORS, ";color=blue,black,brown"),
    ("matrix", False, RGB, ";color=R,100,G,200,B,150"),
    ("matrix", True, COLORS, ";color=blue;color=black;color=brown"),
    ("matrix", True, RGB, ";R=100;G=200;B=150"),
    ("label", False, "blue", ".blue"),
    ("label", False, COLORS, ".blue,black,brown"),
    ("label", False, RGB, ".R,100,G,200,B,150"),
    ("label", True, COLORS, ".blue.black.brown"),
    ("label", True, RGB, ".R=100.G=200.B=150"),
    ("simple", False, "blue", "blue"),
    ("simple", False, COLORS, "blue,black,brown"),
    ("simple", False, RGB, "R,100,G,200,B,150"),
    ("simple", True, RGB, "R=100,G=200,B=150"),
    ("simple", False, ["a,b", True, None, 1.5], "a%2Cb,true,,1.5"),
    ("simple", False, 3.0, "3"),
    ("simple", False, [-2.0, 1e300], "-2,1e%2B300"),
    ("matrix", False, "", ";color"),
    ("matrix", True, ["a", ""], ";color=a;color"),
    ("matrix", True, {"R": "", "a=b": 1}, ";R;a%3Db=1"),
]
QUERY_STYLES = [
    ("form", False, "blue", "color=blue"),
    ("form", False, "", "color="),
    ("form", False, COLORS, "color=blue,black,brown"),
    ("form", False, RGB, "color=R,100,G,200,B,150"),
    ("form", True, COLORS, "color=blue&color=black&color=brown"),
    ("form", True, RGB, "R=100&G=200&B=150"),
    ("spaceDelimited", False, COLORS, "color=blue%20black%20brown"),
    ("spaceDelimited", False, RGB, "color=R%20100%20G%20200%20B%20150"),
    ("pipeDelimited", False, COLORS, "color=blue%7Cblack%7Cbrown"),
    ("pipeDelimited", False, RGB, "color=R%7C100%7CG%7C200%7CB%7C150"),
    ("deepObject", True, RGB, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"),
    ("deepObject", True, {"a": {"b": [1, {"c": False}]}, "d": None},
     "color%5Ba%5D%5Bb%5D%5B0%5D=1&color%5Ba%5D%5Bb%5D%5B1%5D%5Bc%5D=false"),
    ("form", True, None, ""),
    ("form", True, [], ""),
    ("form", False, ["a,b", "c"], "color=a%2Cb,c"),
    ("form", False, 3.0, "color=3"),
]  # fmt: skip


@table("style, explode, value, written", PATH_STYLES)
def test_styles_of_paths(style, explode, value, written):
    assert path_text(How("color", style, explode), value) == written


@table("style, explode, value, written", QUERY_STYLES)
def test_styles_of_queries(style, explode, value, written):
    pairs = pairs_of(How("color", style, explode), value)
    assert "&".join(f"{name}={text}" for name, text in pairs) == written


def test_styles_of_headers():
    assert header_text(How("color", "simple", False), RGB) == "R,100,G,200,B,150"
    assert header_text(How("color", "simple", True), RGB) == "R=100,G=200,B=150"
    assert header_text(How("color", "simple", False), "a,b") == "a,b"
    assert header_text(How("color", "simple", True), {"R": "a=b"}) == "R=a=b"


@pytest.mark.parametrize("explode, value", [
    (False, ["a,b", "c"]), (False, [["a", "b"]]), (False, {"R": "1,2"}), (False, {"R,G": 1}),
    (True, {"R": "1,2"}), (True, {"R,G": 1}), (True, {"R=G": 1}),
])  # fmt: skip
def test_headers_never_say_something_else(explode, value):
    with pytest.raises(Unsayable):
        header_text(How("color", "simple", explode), value)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_percent_encoding_is_that_of_others(text):
    assert decoded(encoded(text)) == text == unquote(encoded(text))
    assert unquote(encoded(text, reserved=True)) == text


# --- how one object is made of many parts ---

READ = [
    ("path over operation", document({"parameters": [{"name": "a", "in": "query",
        "schema": {"type": "integer"}}]}, item={"parameters": [{"name": "a", "in": "query",
        "schema": STRING}, {"name": "b", "in": "query", "schema": STRING}]}),
     {"a": {"type": "integer"}, "b": STRING}, []),
    ("a guessed path parameter", document({}, path="/x/{id}"), {"id": STRING}, ["id"]),
    ("path parameters are always required",
     document({"parameters": [{"name": "id", "in": "path", "schema": STRING}]}, path="/x/{id}"),
     {"id": STRING}, ["id"]),
    ("remarks of the parameter win",
     document({"parameters": [{"name": "a", "in": "query", "description": "outer",
                               "deprecated": True, "example": 1, "required": True,
                               "schema": {"type": "integer", "description": "inner"}}]}),
     {"a": {"type": "integer", "description": "outer", "deprecated": True, "examples": [1]}},
     ["a"]),
    ("the same name everywhere",
     document({"parameters": [{"name": "id", "in": place, "schema": STRING}
                              for place in ("query", "header", "cookie")],
               "requestBody": {"required": True, "content": {"application/json": {"schema": {
                   "type": "object", "required": ["id"], "properties": {"id": {"type": "null"}},
               }}}}}, path="/{id}", method="put"),
     {"id": STRING, "id_header": STRING, "id_cookie": STRING, "id_path": STRING,
      "id_body": {"type": "null"}}, ["id_path", "id_body"]),
    ("members that are read only are not asked for",
     document({"requestBody": {"content": {"application/json": {"schema": {
         "type": "object", "required": ["id", "n"],
         "properties": {"id": {"type": "integer", "readOnly": True},
                        "n": {"type": "string", "writeOnly": True}}}}}}}, method="post"),
     {"n": STRING}, ["n"]),
    ("a required member that nothing is said of",
     document({"requestBody": {"required": True, "content": {"application/json": {"schema": {
         "type": "object", "required": ["id", "b", "a"], "properties": {"a": STRING}}}}}},
         path="/x/{id}", method="post"),
     {"id": STRING, "a": STRING, "id_body": {}, "b": {}}, ["id", "a", "id_body", "b"]),
    ("one that can never be there",
     document({"requestBody": {"content": {"application/json": {"schema": {
         "type": "object", "required": ["b"], "additionalProperties": False,
         "properties": {"a": STRING}}}}}}, path="/x/{id}", method="post"),
     {"id": STRING, "body": {"type": "object", "required": ["b"], "additionalProperties": False,
                             "properties": {"a": STRING}}}, ["id", "body"]),
    ("the reference of a parameter is described itself",
     document({"parameters": [{"$ref": "#/components/parameters/a", "description": "near"}]},
              components={"parameters": {"a": {"name": "a", "in": "query", "schema": STRING,
                                               "description": "far"}}}),
     {"a": {"type": "string", "description": "near"}}, []),
    ("which counts from 3.1 on",
     document({"parameters": [{"$ref": "#/components/parameters/a", "description": "near"}]},
              components={"parameters": {"a": {"name": "a", "in": "query", "schema": STRING,
                                               "description": "far"}}}, version="3.0.3"),
     {"a": {"type": "string", "description": "far"}}, []),
    ("a flag beside a reference counts from 3.1 on",
     document({"requestBody": {"content": {"application/json": {"schema": {
         "type": "object", "required": ["a"], "properties": {
             "a": {"$ref": "#/components/schemas/A", "readOnly": True}, "b": STRING}}}}}},
         method="post", components={"schemas": {"A": STRING}}),
     {"b": STRING}, []),
    ("and is ignored before",
     document({"requestBody": {"content": {"application/json": {"schema": {
         "type": "object", "required": ["a"], "properties": {
             "a": {"$ref": "#/components/schemas/A", "readOnly": True}, "b": STRING}}}}}},
         method="post", version="3.0.3", components={"schemas": {"A": STRING}}),
     {"a": {"$ref": "#/$defs/A"}, "b": STRING}, ["a"]),
]  # fmt: skip


@table("given_, properties, required", [row[1:] for row in READ],
                         ids=[row[0] for row in READ])  # fmt: skip
def test_arguments(given_, properties, required):
    (tool,) = tc.read(given_)
    assert tool.inputs["properties"] == properties
    assert tool.inputs.get("required", []) == required


def test_a_member_that_is_required_and_no_more_is_sent():
    (tool,) = tc.read(next(row[1] for row in READ if row[0].startswith("a required member")))
    request = http_request(tool, {"id": "1", "a": "x", "id_body": 2, "b": None})
    assert json.loads(request.body) == {"a": "x", "id": 2, "b": None}


def test_a_body_of_read_only_needs_may_be_absent():
    tool = one(body({"type": "object", "required": ["id"], "properties": {
        "id": {"readOnly": True}, "a": STRING}}), method="post")  # fmt: skip
    assert "body-assumed-required" not in names_of(tool)
    assert http_request(tool, {}).body is None


@pytest.mark.parametrize("item", [None, {"parameters": [{"name": "q", "in": "query"}]}])
@pytest.mark.parametrize("outer, inner, said", [
    ("outer", None, "outer"), (None, "inner", "inner"), (None, None, None),
])  # fmt: skip
def test_the_description_of_a_body_is_that_of_the_arguments(item, outer, inner, said):
    schema = {"type": "object", "properties": {"a": STRING}}
    stated = body(schema | ({"description": inner} if inner else {}))
    if outer:
        stated["requestBody"]["description"] = outer
    tool = one(stated, method="post", item=item)
    assert tool.inputs.get("description") == said


@pytest.mark.parametrize("schema", [True, {"$ref": "#/components/schemas/Any"}, {}])
def test_a_body_that_may_be_anything(schema):
    tool = one(body(schema), method="post", components={"schemas": {"Any": True}})
    assert tool.inputs == {}
    assert "body-assumed-object" in names_of(tool)
    assert http_request(tool, {"a": [1]}).body == b'{"a":[1]}'


def test_first_come_first_named():
    wanted = [("a", "path"), ("a", "query"), ("a_query", "query"), ("a", "body"), ("b", "body")]
    assert argument_names(wanted) == ["a", "a_query_2", "a_query", "a_body", "b"]


FINDINGS = [
    ("name-made", document({})),
    ("parameter-ignored", document({"parameters": [{"name": "Accept", "in": "header",
                                                    "schema": STRING}]})),
    ("parameter-unplaced", document({"parameters": [{"name": "id", "in": "path",
                                                     "schema": STRING}]})),
    ("path-parameter-guessed", document({}, path="/{id}")),
    ("schema-guessed", document({"parameters": [{"name": "a", "in": "query"}]})),
    ("style-unknown", document({"parameters": [{"name": "a", "in": "query", "style": "simple",
                                                "schema": STRING}]})),
    ("version-newer", document({}, version="3.2.0")),
    ("reference-unresolved", document({"parameters": [{"name": "a", "in": "query",
                                                       "schema": {"$ref": "x.json#/A"}}]})),
    ("reference-siblings-ignored", document(
        {"parameters": [{"name": "a", "in": "query",
                         "schema": {"$ref": "#/components/schemas/A", "nullable": True}}]},
        version="3.0.3", components={"schemas": {"A": STRING}})),
    ("argument-renamed", document({"parameters": [{"name": "a", "in": "query", "schema": STRING},
                                                  {"name": "a", "in": "header",
                                                   "schema": STRING}]})),
    ("body-assumed-object", document({"requestBody": {"content": {"application/json": {
        "schema": {"description": "anything"}}}}}, method="post")),
    ("nested-by-brackets", document({"parameters": [{
        "name": "a", "in": "query", "style": "deepObject", "schema": {
            "type": "object", "properties": {"b": {"type": "array"}}}}]})),
    ("reference-siblings-ignored", document(
        {"requestBody": {"content": {"application/json": {"schema": {
            "type": "object", "required": ["a"], "properties": {
                "a": {"$ref": "#/components/schemas/A", "readOnly": True}}}}}}},
        method="post", version="3.0.3", components={"schemas": {"A": STRING}})),
    ("parameter-as-text", document({"parameters": [{"name": "a", "in": "query", "content": {
        "application/xml": {"schema": {"type": "object"}}}}]})),
    ("encoding-ignored", document({"requestBody": {"content": {"multipart/form-data": {
        "schema": {"type": "object", "properties": {"a": {"type": "array", "items": STRING}}},
        "encoding": {"a": {"style": "form", "explode": False}}}}}},
        method="post", version="3.0.3")),
    ("answers-differ", document({"responses": {status: {"description": "", "content": {
        "application/json": {"schema": {"type": kind}}}}
        for status, kind in (("200", "object"), ("202", "string"))}})),
    ("answers-differ", document({"responses": {"200": {"description": "", "content": {
        "application/json": {"schema": {"type": "object"}}, "text/csv": {"schema": STRING}}}}})),
    ("media-types-differ", document({"requestBody": {"content": {
        "application/json": {"schema": {"type": "object", "properties": {"x": STRING}}},
        "multipart/form-data": {"schema": {"type": "object", "required": ["file"]}}}}},
        method="post")),
    ("media-types-differ", document({"requestBody": {"content": {
        "application/octet-stream": {}, "application/json": {"schema": {"type": "object"}}}}},
        method="post")),
    ("media-types-differ", document({"parameters": [{"name": "a", "in": "query", "content": {
        "application/json": {"schema": {"type": "object"}}, "text/csv": {"schema": STRING}}}]})),
    ("parameter-repeated", document({"parameters": [
        {"name": "a", "in": "query", "schema": STRING},
        {"name": "a", "in": "query", "schema": {"type": "integer"}}]})),
    ("parameter-repeated", document({}, item={"parameters": [
        {"name": "X-Id", "in": "header", "schema": STRING},
        {"name": "x-id", "in": "header", "schema": {"type": "integer"}}]})),
]  # fmt: skip


@table("name, given_", FINDINGS, ids=[row[0] for row in FINDINGS])
def test_what_was_guessed_is_reported_with_its_place(name, given_):
    (tool,) = tc.read(given_)
    (told,) = [guess for guess in guesses_of(tool) if guess["why"].startswith(f"{name}: ")]
    assert any(told["why"] in warning for warning in tc.canonicalize(given_).warnings)
    place = told["at"].split("/")[1:]
    value = given_
    for step in place:
        step = step.replace("~1", "/").replace("~0", "~")  # noqa: PLW2901
        value = value[int(step)] if isinstance(value, list) else value[step]


def test_names_are_unique_and_do_not_depend_on_neighbours():
    paths = {"/a": {"get": {"operationId": "same"}}, "/b": {"get": {"operationId": "same"}},
             "/c/{d}": {"get": {}}, "/" + "long/" * 40: {"get": {}}}  # fmt: skip
    found = [tool.name for tool in tc.read({"openapi": "3.1.0", "paths": paths})]
    assert found[0] == "same"
    assert found[1].startswith("same_")
    assert found[2] == "get_c_d"
    assert len(found[3]) == 64
    assert len({*found}) == 4
    more = {"/z": {"get": {}}, **paths}
    assert [tool.name for tool in tc.read({"openapi": "3.1.0", "paths": more})][1:] == found


MADE, STATED = ("/a-b", {"get": {}}), ("/x", {"put": {"operationId": "get_a_b"}})
LONG = "c" * LONGEST_NAME
CLAIMS = [
    ([MADE, STATED], [("get_a_b_7f0c6588", "name-made"), ("get_a_b", "")]),
    ([STATED, MADE], [("get_a_b", ""), ("get_a_b_7f0c6588", "name-made")]),
    ([MADE, STATED, ("/y", STATED[1])],
     [("get_a_b_7f0c6588", "name-made"), ("get_a_b", ""), ("get_a_b_ca94e8db", "name-repeated")]),
    # The name that would be made next is stated, too.
    ([MADE, STATED, ("/y", {"put": {"operationId": "get_a_b_7f0c6588"}})],
     [("get_a_b_a83fa818", "name-made"), ("get_a_b", ""), ("get_a_b_7f0c6588", "")]),
    ([("/c", {"get": {"operationId": f"{LONG}c"}}),
      ("/z", {"put": {"operationId": f"{LONG[9:]}_5689ce61"}})],
     [(f"{LONG[9:]}_efaac42b", "name-cut"), (f"{LONG[9:]}_5689ce61", "")]),
]  # fmt: skip


@pytest.mark.parametrize("paths, named", CLAIMS)
def test_a_name_that_is_stated_is_not_taken_by_one_that_is_made(paths, named):
    given_ = {"openapi": "3.1.0", "paths": dict(paths)}
    tools = tc.read(given_)
    assert [(tool.name, "".join(names_of(tool))) for tool in tools] == named
    bound = tc.bind(tools, "anthropic")
    back = tc.convert(bound.payload, "openapi", receipt=bound.receipt(), lower=False)
    assert back.payload == given_


def test_the_answer_is_the_best_described_success():
    def answer(responses):
        return one({"responses": responses}).outputs

    def said(word, media="application/json"):
        return {"description": "", "content": {media: {"schema": {"title": word}}}}

    assert answer({"404": said("no"), "201": said("b"), "200": said("a")}) == {"title": "a"}
    both = {"200": said("html", "text/html"), "2XX": said("json")}
    assert answer(both) == {"title": "json"}
    assert answer({"200": said("html", "text/html")}) == {"title": "html"}
    assert answer({"default": said("d"), "500": said("no")}) == {"title": "d"}
    assert answer({"204": {"description": ""}, "default": said("error")}) == {}


def test_answers_that_look_alike_are_one():
    said = {"description": "", "content": {"application/json": {"schema": {"type": "object"}}}}
    tool = one({"responses": {"200": said, "201": copy.deepcopy(said), "204": {}, "400": {}}})
    assert "answers-differ" not in names_of(tool)


def test_bodies_that_look_alike_are_one():
    holder = {"schema": {"type": "object", "properties": {"a": STRING}}}
    content = {"application/json": holder, "text/json": {**copy.deepcopy(holder), "example": {}}}
    assert "media-types-differ" not in names_of(one({"requestBody": {"content": content}}))
    content = {"application/json": {}, "multipart/form-data": {"schema": {"type": "object"}}}
    assert "media-types-differ" not in names_of(one({"requestBody": {"content": content}}))


def test_of_parameters_in_one_list_the_first_is_taken():
    def stated(kind, name="X-Id", place="header"):
        return {"name": name, "in": place, "schema": {"type": kind}}

    own = [stated("string"), stated("integer", "x-id"), stated("number", "X-Id", "query")]
    tool = one({"parameters": own}, item={"parameters": [stated("boolean", "X-ID")]})
    kinds = {name: member["type"] for name, member in tool.inputs["properties"].items()}
    assert kinds == {"X-Id": "string", "X-Id_query": "number"}
    (told,) = [x for x in guesses_of(tool) if x["why"].startswith("parameter-repeated: ")]
    assert told["at"] == "/paths/~1x/get/parameters/1"  # that of the path is replaced
    tool = one({"parameters": [stated("string"), stated("string")]})
    assert "parameter-repeated" not in names_of(tool)


def test_methods_say_what_they_promise():
    def hints(method):
        return one({}, method=method).hints.said()

    assert hints("get") == {"read_only": True}
    assert hints("delete") == {"destructive": True, "idempotent": True}
    assert hints("post") == {}


def test_words_that_were_changed_are_written():
    tool = one({"operationId": "f", "description": "old", "x-kept": 1})
    tool.description, tool.name, tool.title = "new", "g", "G"
    written = tc.bind(tool, "openapi", lower=False).payload["paths"]["/x"]["get"]
    assert written["description"] == "new"
    assert (written["operationId"], written["summary"], written["x-kept"]) == ("g", "G", 1)


CHANGED = {"type": "object", "properties": {"z": {"type": "integer"}}, "required": ["z"]}


@pytest.mark.parametrize("path", ["/x", "/x/{id}"])
def test_arguments_that_were_changed_are_written(path):
    schema = {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/A"}}}
    stated = {"operationId": "f", "description": "d", **body(schema)}
    tool = one(stated, path=path, method="post", components={"schemas": {"A": STRING}})
    for new in (CHANGED, {}, {**tool.inputs, "required": ["a"]}):
        changed = tool.model_copy(update={"inputs": new})
        (back,) = tc.read(tc.convert(changed, to="openapi").payload)
        assert (back.name, back.description, back.inputs) == ("f", "d", new)
    for same in (copy.deepcopy(tool.inputs), {**tool.inputs, "description": "new"}):
        kept = tool.model_copy(update={"inputs": same})
        assert tc.convert(kept, to="openapi").payload == tool.extras["openapi"]["document"]


def test_tools_from_elsewhere_become_one_document():
    many = [{"name": name, "input_schema": {"type": "object", "properties": {
        "a": {"$ref": "#/$defs/A"}, "self": {"$ref": "#"}}, "$defs": {"A": STRING}}}
        for name in ("f", "g/{x}")]  # fmt: skip
    written = tc.convert(many, "openapi").payload
    assert list(written["paths"]) == ["/f", "/g%2F%7Bx%7D"]
    back = tc.read(json.loads(json.dumps(written)))
    assert [tool.inputs for tool in back] == [item["input_schema"] for item in many]
    request = http_request(back[1], {"a": "x"})
    assert (request.method, request.path, request.body) == ("POST", "/g%2F%7Bx%7D", b'{"a":"x"}')


def test_documents_that_disagree_stay_apart():
    one_, other = document({"operationId": "f"}), document({"operationId": "g"})
    joined = tc.convert([one_, other], "openapi", lower=False).payload
    assert joined == [one_, other]
    apart = {**document({"operationId": "g"}, path="/y"), "servers": [{"url": "https://y.test"}]}
    assert tc.convert([one_, apart], "openapi", lower=False).payload == [one_, apart]


def test_a_large_document_is_joined_in_time_in_proportion():
    def seconds(count):
        paths = {f"/{i}": {"get": {"operationId": str(i), "responses": {}}} for i in range(count)}
        tools = tc.read({"openapi": "3.1.0", "paths": paths})
        started = time.process_time()
        assert tc.bind(tools, "openapi", lower=False).payload["paths"] == paths
        return time.process_time() - started

    small, large = seconds(500), seconds(5_000)
    assert large < 30 * max(small, 0.05), (small, large)


def test_servers_and_their_variables():
    variables = {"r": {"default": "eu"}, "v": {"default": 2}}
    tool = one({"servers": [{"url": "https://{r}.x.test/{v}", "variables": variables}]})
    assert http_request(tool, {}).url == "https://eu.x.test/2/x"
    assert http_request(tool, {}, server="http://localhost/").url == "http://localhost/x"


@pytest.mark.parametrize("variables", [{}, {"v": {"enum": ["a", "b"]}}, {"v": 1}, None])
def test_a_server_that_is_left_open_has_to_be_named(variables):
    tool = one({"servers": [{"url": "https://x.test/{v}", "variables": variables}]})
    with pytest.raises(UsageError, match=r"'v'.*no default.*server="):
        http_request(tool, {})
    assert http_request(tool, {}, server="http://localhost").url == "http://localhost/x"


# --- arguments that make no request ---

UPLOAD = document(
    {"parameters": [{"name": "X", "in": "header", "schema": STRING},
                    {"name": "w", "in": "query", "style": "spaceDelimited", "schema": {}}]},
    path="/files/{id}",
)  # fmt: skip
REFUSED = [
    ({}, "/id"),
    ({"id": ""}, "/id"),
    ({"id": None}, "/id"),
    ({"id": ".."}, "/id"),
    ({"id": "."}, "/id"),
    ({"id": "1", "X": "a\r\nEvil: 1"}, "/X"),
    ({"id": "1", "x": "a"}, "/x"),
    ({"id": "1", "w": ["a b", "c"]}, "/w"),
    ({"id": "1", "X": ["a,b", "c"]}, "/X"),
    ({"id": "\ud800"}, "/id"),
    ([], ""),
]


@table("arguments, at", REFUSED)
def test_arguments_that_make_no_request_are_refused(arguments, at):
    (tool,) = tc.read(UPLOAD)
    with pytest.raises(UnusableArguments) as caught:
        http_request(tool, arguments)
    assert caught.value.at == at
    assert str(caught.value)


@pytest.mark.parametrize("place", ["path", "query", "header", "cookie"])
def test_an_argument_that_is_required_and_missing_makes_no_request(place):
    needed = {"name": "a", "in": place, "required": True, "schema": STRING}
    stated = {"parameters": [needed, {"name": "b", "in": place, "schema": STRING}]}
    tool = one(stated, path="/x/{a}{b}" if place == "path" else "/x")
    for arguments, at, reason in (({"b": "1"}, "/a", "it is missing"),
                                  ({"b": "1", "aa": "1"}, "/aa", "no such argument")):  # fmt: skip
        with pytest.raises(UnusableArguments, match=reason) as caught:
            http_request(tool, arguments)
        assert caught.value.at == at
    assert http_request(tool, {"a": "1", **({"b": "2"} if place == "path" else {})})


def test_only_tools_of_a_document_have_requests():
    with pytest.raises(UsageError, match="not read from an OpenAPI document"):
        http_request(tc.CanonicalTool(name="f"), {})
    for damaged in ({}, {"method": "get"}, [], {"method": 1, "path": 2}, {"parameters": [1]},
                    {"method": "get", "path": "/", "parameters": [{"argument": "a"}]}):  # fmt: skip
        tool = tc.CanonicalTool(name="f", extras={"openapi": {"request": damaged}})
        with pytest.raises(ToolcanonError):
            http_request(tool, {"a": 1})


# --- there and back, for any document ---

TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=5)
SAFE = TEXTS.filter(lambda text: not set(text) & set(" |,") and text.strip(".") != "")
NAMES = st.sampled_from(["id", "a", "id_query", "id_body", "body", "x-y", "é z"])
SHAPES = {
    "string": (STRING, SAFE),
    "array": ({"type": "array", "items": STRING}, st.lists(SAFE, min_size=1, max_size=3)),
    "object": (
        {"type": "object", "additionalProperties": STRING},
        st.dictionaries(SAFE.filter(lambda key: not set(key) & set("[]=")), SAFE, min_size=1,
                        max_size=3),
    ),
}  # fmt: skip
STYLES = {
    "path": [("simple", False, "string"), ("simple", False, "array"), ("simple", False, "object")],
    "query": [("form", True, "string"), ("form", True, "array"), ("form", False, "array"),
              ("form", False, "object"), ("pipeDelimited", False, "array"),
              ("spaceDelimited", False, "array"), ("deepObject", True, "object")],
    "header": [("simple", False, "string"), ("simple", False, "array")],
    "cookie": [("form", True, "string"), ("form", False, "array")],
}  # fmt: skip
BODIES = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data", None)


@st.composite
def described_calls(draw):
    """A document of one operation, and a value for everything in it."""
    parameters, values = [], {}
    for place, styles in STYLES.items():
        for name in draw(st.lists(NAMES, unique=True, max_size=3)):
            if place == "header" and name == "é z":
                continue
            style, explode, shape = draw(st.sampled_from(styles))
            schema, some = SHAPES[shape]
            parameters.append({"name": name, "in": place, "style": style, "explode": explode,
                               "required": draw(st.booleans()), "schema": schema})  # fmt: skip
            values[place, name] = draw(some)
    operation = {"parameters": draw(st.permutations(parameters))}
    media = draw(st.sampled_from(BODIES))
    if media is not None:
        members = draw(st.lists(NAMES, unique=True, min_size=1, max_size=3))
        shapes = {name: draw(st.sampled_from(["string", "array"])) for name in members}
        schema = {"type": "object", "properties": {n: SHAPES[s][0] for n, s in shapes.items()}}
        operation["requestBody"] = {"required": True, "content": {media: {"schema": schema}}}
        values |= {("body", name): draw(SHAPES[shape][1]) for name, shape in shapes.items()}
    path = "".join(f"/{{{name}}}" for place, name in values if place == "path")
    return document(operation, path=f"/p{path}", method="post"), values


def split_back(entry, schema, text):
    """One written value, taken apart by the rules of the table."""
    mark = {"pipeDelimited": "%7C", "spaceDelimited": "%20"}.get(entry.get("style"), ",")
    if schema["type"] == "string":
        return unquote(text)
    parts = [unquote(part) for part in text.split(mark)]
    return parts if schema["type"] == "array" else dict(zip(parts[::2], parts[1::2], strict=True))


def arguments_back(tool, request):
    """The arguments that a request was made of, found by its recipe."""
    recipe = tool.extras["openapi"]["request"]
    members = tool.inputs["properties"]
    queries = [item.split("=", 1) for item in request.query_string.split("&") if item]
    segments = dict(zip(recipe["path"].split("/"), request.path.split("/"), strict=True))
    found = {}
    for entry in recipe.get("parameters", []):
        argument, name, place = entry["argument"], entry["name"], entry["in"]
        schema = members[argument]
        if place == "path":
            found[argument] = split_back(entry, schema, segments[f"{{{name}}}"])
        elif place == "header":
            text = dict(request.headers)[name]
            found[argument] = text if schema["type"] == "string" else text.split(",")
        elif entry.get("style") == "deepObject":
            keys = [(unquote(key), unquote(text)) for key, text in queries]
            found[argument] = {key[len(name) + 1 : -1]: text for key, text in keys
                               if key.startswith(f"{name}[")}  # fmt: skip
        else:
            pairs = queries if place == "query" else request.cookies
            texts = [text for key, text in pairs if unquote(key) == name]
            exploded = schema["type"] == "array" and entry.get("explode", "style" not in entry)
            found[argument] = [unquote(text) for text in texts] if exploded else split_back(
                entry, schema, texts[0])  # fmt: skip
    return found | body_back(tool, recipe, request)


def body_back(tool, recipe, request):
    if "body" not in recipe:
        return {}
    members = recipe["body"].get("members") or {name: name for name in tool.inputs["properties"]}
    ((kind, content),) = parsed_body(request.content_type, request.body).items()
    if kind == "json":
        return {argument: content[name] for argument, name in members.items()}
    found = {}
    for argument, name in members.items():
        texts = [item[-1] for item in content if item[0] == name]
        is_list = tool.inputs["properties"][argument]["type"] == "array"
        found[argument] = texts if is_list else texts[0]
    return found


@given(described_calls())
def test_every_call_is_known_from_its_request(described):
    given_, values = described
    (tool,) = tc.read(given_)
    recipe = tool.extras["openapi"]["request"]
    listed = [(item["in"], item["name"]) for item in recipe.get("parameters", [])]
    arguments = {item["argument"]: values[item["in"], item["name"]]
                 for item in recipe.get("parameters", [])}  # fmt: skip
    body = recipe.get("body", {})
    spread = body.get("members") or {name: name for place, name in values if place == "body"}
    listed += [("body", name) for name in spread.values()]
    arguments |= {argument: values["body", name] for argument, name in spread.items()}
    assert sorted(listed) == sorted(values), "every parameter has its argument"
    assert len(arguments) == len(values), "no two have the same"
    assert arguments.keys() == tool.inputs.get("properties", {}).keys()
    assert jsonschema_rs.is_valid(tool.input_schema, arguments)
    request = http_request(tool, arguments)
    assert arguments_back(tool, request) == arguments


# --- documents that mean no good ---


def deep(levels):
    schema = STRING
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def body(schema):
    return {"requestBody": {"content": {"application/json": {"schema": schema}}}}


def ref(name, section="schemas"):
    return {"$ref": f"#/components/{section}/{name}"}


SURVIVED = {
    "a schema that is itself": document(body(ref("A")), method="post",
                                        components={"schemas": {"A": ref("A")}}),
    "a circle of schemas": document(body(ref("A")), method="post", components={"schemas": {
        "A": ref("B"), "B": ref("A")}}),
    "a chain of five thousand": document(body(ref("0")), method="post", components={"schemas": {
        str(i): {"type": "object", "properties": {"n": ref(str(i + 1))}} for i in range(5000)}}),
    "bare references, five thousand": document(body(ref("0")), method="post", components={
        "schemas": {**{str(i): ref(str(i + 1)) for i in range(5000)}, "5000": deep(3)}}),
    "two hundred levels": document(body(deep(100)), method="post"),
    "a union of unions": document(body(ref("0")), method="post", components={"schemas": {
        str(i): {"anyOf": [ref(str(i + 1))] * 8} for i in range(50)}}),
    "flags in a circle": document(body({"properties": {"a": ref("A")}}), method="post",
                                  components={"schemas": {"A": ref("A")}}),
    "a name made to collide": document(body({"properties": {
        "a": {"$ref": "#/components/parameters/p/schema"}}}), method="post", components={
            "parameters": {"p": {"name": "p", "in": "query", "schema": STRING}},
            "schemas": {"schema_0123456789ab": {}}}),
}  # fmt: skip


@pytest.mark.parametrize("given_", SURVIVED.values(), ids=SURVIVED)
def test_hostile_documents_are_read_quickly(given_):
    started = time.process_time()
    (tool,) = tc.read(given_)
    assert time.process_time() - started < 5
    assert tool.inputs
    assert jsonschema_rs.meta.is_valid(tool.input_schema)


REFUSALS = {
    "parameters in a circle": (document({"parameters": [ref("a", "parameters")]}, components={
        "parameters": {"a": ref("a", "parameters")}}), "/paths/~1x/get/parameters/0"),
    "a remote parameter": (document({"parameters": [{"$ref": "p.json"}]}),
                           "/paths/~1x/get/parameters/0/$ref"),
    "a parameter without a name": (document({"parameters": [{"in": "query"}]}),
                                   "/paths/~1x/get/parameters/0/name"),
    "a parameter nowhere": (document({"parameters": [{"name": "a", "in": "body"}]}),
                            "/paths/~1x/get/parameters/0/in"),
    "parameters as a map": (document({"parameters": {}}), "/paths/~1x/get/parameters"),
    "an operation in words": ({"openapi": "3.0.0", "paths": {"/x": {"get": "x"}}},
                              "/paths/~1x/get"),
    "a path item in words": ({"openapi": "3.0.0", "paths": {"/x": 1}}, "/paths/~1x"),
    "paths as a list": ({"openapi": "3.0.0", "paths": []}, "/paths"),
    "a path without a slash": ({"openapi": "3.0.0", "paths": {"x": {}}}, "/paths/x"),
    "a body in words": (document({"requestBody": 1}), "/paths/~1x/get/requestBody"),
    "content as a list": (document({"requestBody": {"content": []}}),
                          "/paths/~1x/get/requestBody/content"),
}  # fmt: skip


@table("given_, at", REFUSALS.values(), ids=REFUSALS)
def test_broken_documents_are_refused_with_the_place(given_, at):
    with pytest.raises(UnreadableTool) as caught:
        tc.read(given_)
    assert caught.value.at == at


def test_a_document_without_operations_has_no_tools():
    with pytest.raises(NoTools):
        tc.read({"openapi": "3.1.0", "paths": {"/x": {"summary": "s"}, "x-y": 1}})


def test_ten_thousand_operations_take_time_in_proportion():
    def seconds(count):
        paths = {f"/{i}/{{id}}": {"post": {**body(ref("A")), "operationId": "same", "responses": {
            "200": {"description": "", "content": {"application/json": {"schema": ref("A")}}}}}}
            for i in range(count)}  # fmt: skip
        schemas = {"A": {"type": "object", "properties": {"a": ref("A"), "b": STRING}}}
        given_ = {"openapi": "3.1.0", "paths": paths, "components": {"schemas": schemas}}
        started = time.process_time()
        assert len({tool.name for tool in tc.read(given_)}) == count
        return time.process_time() - started

    small, large = seconds(1_000), seconds(10_000)
    assert large < 30 * max(small, 0.05), (small, large)


JUNK = [None, 1, "x", [], {}, True, [None], {"$ref": 1}, {"$ref": "#/x"}, {"schema": "x"}, [[]]]
WHOLE = document(
    {"operationId": "f", "summary": "s", "tags": ["t"], "servers": [{"url": "u"}],
     "security": [{"k": []}],
     "parameters": [{"name": "a", "in": "query", "style": "form", "explode": True,
                     "content": {"application/json": {"schema": {"type": "object"}}}},
                    {"name": "b", "in": "query", "examples": {"e": {"value": 1}},
                     "schema": {"type": "array", "items": {"$ref": "#/components/schemas/A"}}}],
     "requestBody": {"content": {"multipart/form-data": {"encoding": {"a": {"style": "form"}},
                     "schema": {"type": "object", "required": ["a"], "properties": {
                         "a": {"type": "string", "format": "binary"}}}}}},
     "responses": {"200": {"description": "", "content": {"application/json": {"schema": {
         "$ref": "#/components/schemas/A"}}}}}},
    method="post", item={"parameters": []}, servers=[{"url": "u"}], security=[],
    components={"schemas": {"A": {"type": "object", "properties": {"id": {"readOnly": True}},
                                  "discriminator": {"propertyName": "p", "mapping": {"a": "A"}}}},
                "securitySchemes": {"k": {"type": "http"}}},
)  # fmt: skip


def places(value, at=()):
    yield at
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(
        value, list) else ()  # fmt: skip
    for key, inner in items:
        yield from places(inner, (*at, key))


@table("place", [p for p in places(WHOLE) if p], ids=lambda p: "/".join(map(str, p)))
def test_wrong_types_anywhere_give_a_tool_or_a_typed_error(place):
    for junk in JUNK:
        given_ = copy.deepcopy(WHOLE)
        holder = given_
        for step in place[:-1]:
            holder = holder[step]
        holder[place[-1]] = junk
        try:
            found = tc.read(given_, source="openapi")
            for tool in found:
                tc.bind(tool, "anthropic")
                assert tc.bind(tool, "openapi", lower=False).payload == given_
                http_request(tool, {})
        except ToolcanonError:
            pass
        assert isinstance(tc.canonicalize(given_).tool, tc.CanonicalTool)

"""Tools lowered for Gemini, in OpenAI's envelope, go through LiteLLM to three providers.

LiteLLM is real, in an environment of its own, and its whole `completion` runs; only the wire is
ours. What it would send has to state all that we sent, and the calls it returns must restore.

It rewrites some things into the same: an object without parameters gets empty `properties`
(Anthropic). What it destroys is in `DESTROYED`; with LiteLLM named as the route, nothing is.
"""

import inspect
import json
import subprocess

import pytest
from pydantic import BaseModel

import toolcanon as tc
from tests.conftest import ROOT
from tests.referee import parameters
from tests.tables import table
from toolcanon.compat import tool_framework
from toolcanon.conversion.binding import bind_target_of

PEERS = ROOT / ".venv-peers"
PROVIDERS = ("openai", "anthropic", "gemini")

POINT = {"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}},
         "required": ["x", "y"]}  # fmt: skip
NODE = {"type": "object", "required": ["label"], "properties": {
    "label": {"type": "string"},
    "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}}}  # fmt: skip

# Name of the tool: the schemas of its parameters, what stands beside them, a call's arguments.
TORTURE = {
    "maps": (
        {
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "points": {"type": "object", "additionalProperties": POINT},
            "limits": {"type": "object", "patternProperties": {"^[a-z]+$": {"type": "integer"}},
                       "additionalProperties": False},
        },
        {},
        {"labels": {"env": "prod", "team": ""}, "points": {"a": {"x": 1, "y": 2.5}},
         "limits": {"cpu": 4}},
    ),
    "unions": (
        {
            "target": {"description": "Where to.", "oneOf": [
                {"type": "object", "required": ["kind", "id"], "properties": {
                    "kind": {"const": "user"}, "id": {"type": "integer"}}},
                {"type": "object", "required": ["kind", "address"], "properties": {
                    "kind": {"const": "mail"}, "address": {"type": "string"}}}]},
            "amount": {"type": ["integer", "string"], "description": "How much."},
            "several": {"anyOf": [
                {"type": "string"}, {"type": "array", "items": {"type": "string"}},
                {"type": "null"}]},
        },
        {},
        {"target": {"kind": "mail", "address": "a@b.example"}, "amount": 3, "several": ["a", "b"]},
    ),
    "constants": (
        {
            "version": {"const": 2, "description": "Of the protocol."},
            "mode": {"const": "fast"},
            "exact": {"const": {"a": [1, None]}},
        },
        {},
        {"version": 2, "mode": "fast", "exact": {"a": [1, None]}},
    ),
    "enums": (
        {
            "level": {"enum": [1, 2, 3], "type": "integer", "description": "How deep."},
            "mixed": {"enum": ["auto", 0, False, None]},
            "empty": {"type": "string", "enum": ["", "asc", "desc"]},
            "maybe": {"type": ["string", "null"], "enum": ["red", "green", None]},
        },
        {},
        {"level": 2, "mixed": 0, "empty": "", "maybe": None},
    ),
    "optional_null": (
        {
            "after": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}],
                      "default": None, "description": "Since when."},
            "count": {"type": ["integer", "null"], "minimum": 1, "default": 10},
            "where": {"type": ["object", "null"], "properties": {"city": {"type": "string"}},
                      "required": ["city"]},
        },
        {},
        {"after": None, "count": 5, "where": {"city": "Oslo"}},
    ),
    "nested_refs": (
        {
            "start": {"$ref": "#/$defs/Place", "description": "Where it begins."},
            "stops": {"type": "array", "items": {"$ref": "#/$defs/Place"}, "minItems": 1},
        },
        {"$defs": {"Point": POINT, "Place": {"type": "object", "required": ["at"], "properties": {
            "at": {"$ref": "#/$defs/Point"}, "name": {"type": "string", "maxLength": 40}}}}},
        {"start": {"at": {"x": 1, "y": 2}}, "stops": [{"at": {"x": 0, "y": 0}, "name": "home"}]},
    ),
    "tuples": (
        {
            "range": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}],
                      "minItems": 2, "maxItems": 2, "items": False},
            "rest": {"type": "array", "prefixItems": [{"type": "string"}],
                     "items": {"type": "number"}},
        },
        {},
        {"range": [1, "b"], "rest": ["a", 1, 2]},
    ),
    "recursive": (
        {"root": {"$ref": "#/$defs/Node"}, "depth": {"type": "integer", "exclusiveMinimum": 0}},
        {"$defs": {"Node": NODE}},
        {"root": {"label": "a", "children": [{"label": "b", "children": [{"label": "c"}]}]},
         "depth": 3},
    ),
    "anything": (
        {
            "payload": {"description": "Any JSON."},
            "always": True,
            "free": {"type": "object"},
            "list": {"type": "array"},
        },
        {},
        {"payload": {"a": [1, "x", None]}, "always": [True], "free": {"k": {"deep": 1}},
         "list": [1, {"z": None}]},
    ),
    "odd.names of things": (
        {
            "user-id": {"type": "string"},
            "$filter": {"type": "string"},
            "a.b[0]": {"type": "integer"},
            "größe": {"type": "number"},
            "with space": {"type": "boolean"},
            "x" * 70: {"type": "string"},
        },
        {},
        {"user-id": "u", "$filter": "f", "a.b[0]": 1, "größe": 1.5, "with space": True,
         "x" * 70: "long"},
    ),
    "keyword_names": (
        {
            name: {"type": "string", "description": f"A parameter called {name}."}
            for name in ("type", "properties", "items", "enum", "format", "title", "description",
                         "anyOf", "required", "nullable", "additionalProperties", "$ref")
        },
        {},
        {"type": "a", "properties": "b", "items": "c", "enum": "d", "anyOf": "e", "$ref": "f"},
    ),
    "rules": (
        {
            "tags": {"type": "array", "items": {"type": "string", "minLength": 1, "pattern": "^a"},
                     "minItems": 1, "maxItems": 3, "uniqueItems": True},
            "patch": {"type": "object", "properties": {"q": {"type": "string"}},
                      "minProperties": 1, "additionalProperties": False},
            "site": {"type": "string", "format": "uri", "examples": ["https://a.example"]},
            "ratio": {"type": "number", "multipleOf": 0.5, "minimum": 0, "title": "Ratio"},
        },
        {},
        {"tags": ["ab"], "patch": {"q": "x"}, "site": "https://b.example", "ratio": 1.5},
    ),
    "described_branches": (
        {"when": {"description": "When.", "anyOf": [
            {"type": "string", "description": "A date."},
            {"type": "integer", "description": "Seconds since 1970."}]}},
        {},
        {"when": 1700000000},
    ),
    "union_default": (
        {"size": {"anyOf": [{"type": "string"}, {"type": "integer"}], "default": "auto"}},
        {},
        {"size": 4},
    ),
    "titled_unions": (
        {"who": {"title": "Who", "default": None, "anyOf": [
            {"type": "string", "title": "Name"}, {"type": "integer"}, {"type": "null"}]},
         "shape": {"description": "A shape.", "default": {"x": 1, "y": 2}, "anyOf": [
            {"$ref": "#/$defs/Point"}, {"type": "array", "items": {"$ref": "#/$defs/Point"}}]},
         "odd": {"anyOf": [{"type": "string"}, {"type": "integer"}], "default": 1.5}},
        {"$defs": {"Point": {**POINT, "description": "A point."}}},
        {"who": None, "shape": [{"x": 1, "y": 2}], "odd": 3},
    ),
    "number_formats": (
        {"id": {"type": "integer", "format": "int64"}},
        {},
        {"id": 2**53},
    ),
    "a_parameter_called_strict": (
        {"strict": {"type": "boolean"},
         "inner": {"type": "object", "properties": {"strict": {"type": "string"}}}},
        {},
        {"strict": True, "inner": {"strict": "yes"}},
    ),
    "words_at_the_root": (
        {"q": {"type": "string"}},
        {"title": "Search", "description": "What to look for."},
        {"q": "x"},
    ),
    "nothing": ({}, {}, {}),
}  # fmt: skip

WAYS = {"unaware": {"dialect": "gemini/openapi"}, "aware": {"via": "litellm"}}
# What LiteLLM destroys of what we write today.
DESTROYED = {
    ("words_at_the_root", "anthropic", "unaware"): (
        "of the root, type, properties, required, additionalProperties and $defs are kept and "
        "nothing else; to leave out title and description would take them from everybody else"
    ),
}
EVERY = [
    pytest.param(
        tool,
        provider,
        way,
        marks=[pytest.mark.xfail(reason=reason)]
        if (reason := DESTROYED.get((tool, provider, way)))
        else [],
    )
    for tool in TORTURE
    for provider in PROVIDERS
    for way in WAYS
]


def tools():
    return [
        {"name": name, "description": f"Try {name}.", "inputSchema": {
            "type": "object", "properties": properties, "required": list(arguments), **beside}}
        for name, (properties, beside, arguments) in TORTURE.items()
    ]  # fmt: skip


def through_litellm():
    """Runs over there, as text: for each line, what LiteLLM sends and makes of the answers."""
    import json
    import os
    import socket
    import sys

    def refuse(*_args, **_options):
        raise OSError("the network is shut")

    socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refuse
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import httpx
    import litellm
    import openai
    from litellm.llms.custom_httpx.http_handler import HTTPHandler

    asked = {}
    sent = []

    def openai_answer():
        calls = [
            {"id": f"c{i}", "type": "function",
             "function": {"name": name, "arguments": json.dumps(arguments)}}
            for i, (name, arguments) in enumerate(asked["calls"])
        ]  # fmt: skip
        message = {"role": "assistant", "content": None, "tool_calls": calls}
        choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        return {"id": "1", "object": "chat.completion", "created": 1, "model": "m",
                "choices": [choice], "usage": usage}  # fmt: skip

    def anthropic_answer():
        blocks = [
            {"type": "tool_use", "id": f"c{i}", "name": name, "input": arguments}
            for i, (name, arguments) in enumerate(asked["calls"])
        ]
        return {"id": "1", "type": "message", "role": "assistant", "model": "m",
                "content": blocks, "stop_reason": "tool_use", "stop_sequence": None,
                "usage": {"input_tokens": 1, "output_tokens": 1}}  # fmt: skip

    def gemini_answer():
        parts = [{"functionCall": {"name": name, "args": args}} for name, args in asked["calls"]]
        content = {"role": "model", "parts": parts}
        return {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
                "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1,
                                  "totalTokenCount": 2}}  # fmt: skip

    answers = {
        "api.openai.com": openai_answer,
        "api.anthropic.com": anthropic_answer,
        "generativelanguage.googleapis.com": gemini_answer,
    }

    def wire(request):
        sent.append(json.loads(request.content))
        return httpx.Response(200, json=answers[request.url.host]())

    http = httpx.Client(transport=httpx.MockTransport(wire))
    for line in sys.stdin:
        asked.update(json.loads(line))
        found = {}
        for model, client in (
            ("openai/gpt-4o", openai.OpenAI(api_key="none", http_client=http)),
            ("anthropic/claude-sonnet-4-5", HTTPHandler(client=http)),
            ("gemini/gemini-2.5-pro", HTTPHandler(client=http)),
        ):
            answer = litellm.completion(
                model=model,
                api_key="none",
                client=client,
                messages=[{"role": "user", "content": "Go."}],
                tools=json.loads(json.dumps(asked["tools"])),
            )
            calls = [call.function for call in answer.choices[0].message.tool_calls]
            found[model.partition("/")[0]] = {
                "tools": sent.pop()["tools"],
                "calls": [(call.name, call.arguments) for call in calls],
            }
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()


@pytest.fixture(scope="module")
def ask():
    """Ask one process, because LiteLLM takes seconds to import."""
    if not (PEERS / ".ready").exists():
        pytest.skip("no .venv-peers with LiteLLM: `make test` makes it, given a package index")
    code = inspect.getsource(through_litellm) + "through_litellm()"
    with subprocess.Popen(
        [PEERS / "bin" / "python", "-c", code],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip

        def ask(payload, calls):
            """Per provider: the tools sent, as (name, description, schema), and calls returned."""
            process.stdin.write(json.dumps({"tools": payload, "calls": calls}) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
            assert answer, f"LiteLLM ended with {process.wait()}"
            found = json.loads(answer)
            for provider, got in found.items():
                got["tools"] = {name: rest for name, *rest in READERS[provider](got["tools"])}
            return found

        yield ask


READERS = {
    "openai": lambda sent: [
        (f["name"], f["description"], f["parameters"]) for f in (item["function"] for item in sent)
    ],
    "anthropic": lambda sent: [(t["name"], t["description"], t["input_schema"]) for t in sent],
    "gemini": lambda sent: [
        (f["name"], f["description"], f["parameters"])
        for item in sent
        for f in item["function_declarations"]
    ],
}


@pytest.fixture(scope="module")
def bindings():
    return {way: tc.bind(tools(), "openai", **options) for way, options in WAYS.items()}


@pytest.fixture(scope="module")
def seen(bindings, ask):
    found = {}
    for way, binding in bindings.items():
        calls = [binding.render(name, arguments) for name, (_, _, arguments) in TORTURE.items()]
        found[way] = ask(binding.payload, calls)
    return found


def facts(schema, path=()):
    """What a schema states of each parameter; the branches of a union describe the same one."""
    for key, value in schema.items():
        if key == "properties":
            for name, inner in value.items():
                yield (*path, name), "is", "declared"
                yield from facts(inner, (*path, name))
        elif key == "items":
            yield from facts(value, (*path, "[]"))
        elif key == "anyOf":
            for branch in value:
                yield from facts(branch, path)
        elif key == "nullable":
            yield path, "type", json.dumps("null" if value else "not null")
        elif isinstance(value, list):
            yield from ((path, key, json.dumps(item)) for item in value)
        else:
            yield path, key, json.dumps(value)


@pytest.mark.parametrize(("tool", "provider", "way"), EVERY)
def test_nothing_more_is_lost(tool, provider, way, bindings, seen):
    binding = bindings[way]
    wire_name = binding.names[tool]
    (ours,) = (t["function"] for t in binding.payload if t["function"]["name"] == wire_name)
    description, schema = seen[way][provider]["tools"][wire_name]
    assert description == ours["description"]
    assert parameters(schema) == parameters(ours["parameters"])
    assert sorted(set(facts(ours["parameters"])) - set(facts(schema))) == []


@table("way", WAYS)
@table("provider", PROVIDERS)
@table("tool", TORTURE)
def test_calls_come_back(tool, provider, way, bindings, seen):
    binding = bindings[way]
    (call,) = (item for item in seen[way][provider]["calls"] if item[0] == binding.names[tool])
    restored = binding.restore(*call)
    assert (restored.problems, restored.repairs) == ((), ())
    assert (restored.name, restored.arguments) == (tool, TORTURE[tool][2])


def test_the_way_is_a_dialect_of_its_own(bindings):
    (item,) = tc.bind(tools()[0], "openai", dialect="gemini/openapi", via="litellm")._bound
    assert item.wire.dialect is bind_target_of(bindings["aware"]).choice.plain
    told = {loss.code for loss in bindings["aware"].losses if loss.tool == "words_at_the_root"}
    assert "L229" in told


def test_what_happens_without_lowering(ask):
    """The reason for all this, and proof that a loss is seen."""
    chosen = [tool for tool in tools() if tool["name"] in {"enums", "maps", "constants"}]
    verbatim = tc.bind(chosen, "openai", lower=False).payload
    sent = ask(verbatim, [("enums", {})])["gemini"]["tools"]
    lost = {
        tool["function"]["name"]: set(facts(tool["function"]["parameters"]))
        - set(facts(sent[tool["function"]["name"]][1]))
        for tool in verbatim
    }
    assert (("level",), "enum", "1") in lost["enums"]
    assert (("version",), "const", "2") in lost["constants"]
    assert {path for path, key, _ in lost["maps"] if key == "additionalProperties"} == {
        ("labels",), ("points",), ("limits",),
    }  # fmt: skip


def test_registered_tools_are_taken_for_all_three_providers(monkeypatch, ask):
    monkeypatch.setattr(tool_framework, "_TOOLS", {})

    class Place(BaseModel):
        city: str

    class Search(BaseModel):
        query: str
        limit: int = 10
        near: Place | None = None

    tc.register_tool(name="search", description="Search.", param_model=Search)(lambda args: args)
    listed = tc.get_tools_for_agent({"tools": ["search"]})
    call = ("search", {"query": "x", "near": {"city": "Oslo"}})
    for provider, found in ask(listed, [call]).items():
        ((name, arguments),) = found["calls"]
        assert tc.execute_tool(name, arguments).near.city == "Oslo", provider
        assert "query" in json.dumps(found["tools"]), provider

"""The third seed document: its promises, numbered as in the checklist of the seeds.

Where it contradicts itself or the providers, the decided behaviour is what is tested: a feature is
warned of as lost exactly when it is not sent.
"""

import copy
import inspect
import json
import pickle
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import rows
from tests.tables import table
from toolcanon.compat import adapters
from toolcanon.compat.adapters import (
    SCHEMA_FEATURES,
    Adapter,
    AdapterRegistry,
    AnthropicAdapter,
    ConversionError,
    ConversionResult,
    DuplicateAdapter,
    FeatureLossWarning,
    MCPAdapter,
    OpenAIAdapter,
    UnknownAdapter,
)
from toolcanon.errors import NoTools, ToolcanonError, UnreadableTool, UsageError, WrongFormat
from toolcanon.ir import CanonicalTool
from toolcanon.schema import upgrade

WEATHER = {
    "type": "object",
    "properties": {"location": {"type": "string", "description": "City name"}},
    "required": ["location"],
}
HEAD = {"name": "get_weather", "description": "Get weather for a location"}
SAME = {
    "mcp": {**HEAD, "inputSchema": WEATHER},
    "openai": {"type": "function", "function": {**HEAD, "parameters": WEATHER}},
    "anthropic": {**HEAD, "input_schema": WEATHER},
}
EVERY_FEATURE = {
    "type": "object",
    "properties": {
        "a": {"$ref": "#/$defs/A"},
        "b": {"anyOf": [{"type": "string", "format": "email"}, {"type": "null"}]},
        "c": {"oneOf": [{"type": "integer", "minimum": 1, "maximum": 9}, {"const": "all"}]},
        "d": {"allOf": [{"type": "string", "minLength": 1}, {"maxLength": 9}]},
        "e": {"type": "string", "not": {"pattern": "^x"}, "default": "y"},
    },
    "additionalProperties": False,
    "$defs": {"A": {"enum": ["p", "q"]}},
}
TEXT = {"type": "string"}


class StrictOpenAI(OpenAIAdapter):
    name = "openai-strict"


class Custom:
    """A foreign adapter, in a shape of its own."""

    name = "custom"

    def __init__(self, drops=(), lacks=()):
        self.drops, self.lacks = drops, lacks
        self.calls = []

    def to_canonical(self, raw):
        self.calls.append("to_canonical")
        return CanonicalTool(name=raw["fn"], inputs=raw["takes"])

    def from_canonical(self, tool):
        self.calls.append("from_canonical")
        kept = {key: value for key, value in tool.inputs.items() if key not in self.drops}
        return {"fn": tool.name, "takes": kept}

    def supports_feature(self, feature):
        self.calls.append(feature)
        return feature not in self.lacks


@pytest.fixture
def registry():
    made = AdapterRegistry()
    for adapter in (MCPAdapter(), OpenAIAdapter(), AnthropicAdapter(), StrictOpenAI(strict=True)):
        made.register(adapter)
    return made


def mcp(schema, **more):
    return {"name": "f", "inputSchema": schema, **more}


def lost(registry, tool, to, from_="mcp"):
    return [warning.feature for warning in registry.convert(tool, from_, to).warnings]


def schema_of(written):
    inner = written.get("function", written)
    keys = ("inputSchema", "input_schema", "parameters")
    return next((inner[key] for key in keys if key in inner), {})


def keywords(schema):
    """How often each feature is in a schema: written anew, so that it can disagree."""
    single = "additionalProperties contains if then else items not propertyNames".split()
    found = Counter(key for key in schema if key in SCHEMA_FEATURES)
    held = [schema[key] for key in single if key in schema]
    held += [
        item for key in ("allOf", "anyOf", "oneOf", "prefixItems") for item in schema.get(key, ())
    ]
    for key in ("properties", "patternProperties", "$defs", "dependentSchemas"):
        held += schema.get(key, {}).values()
    return sum((keywords(item) for item in held if isinstance(item, dict)), found)


def test_quick_start(registry):
    result = registry.convert(SAME["mcp"], "mcp", "openai")
    assert [f"Warning: {warning}" for warning in result.warnings] == []
    assert result.tool["function"]["name"] == "get_weather"


@pytest.mark.parametrize("to", SAME)
@pytest.mark.parametrize("from_", SAME)
def test_s2_1_every_direction_through_the_canonical_tool(registry, from_, to):
    assert registry.convert(SAME[from_], from_, to) == ConversionResult(SAME[to], [])
    tool = registry.get(from_).to_canonical(SAME[from_])
    assert isinstance(tool, CanonicalTool)
    assert registry.get(to).from_canonical(tool) == SAME[to]


@pytest.mark.parametrize("to", ["mcp", "openai", "anthropic", "openai-strict"])
def test_s2_2_pure(registry, to):
    given = mcp(EVERY_FEATURE, outputSchema={"type": "object"}, annotations={"readOnlyHint": True})
    before = copy.deepcopy(given)
    written = registry.convert(given, "mcp", to).tool
    assert given == before
    schema_of(written).clear()
    assert given == before, "the result belongs to the caller"


def test_s2_3_deterministic():
    """The same bytes in another process with another seed of hashing."""
    script = (
        "import json, sys\n"
        "from toolcanon.compat.adapters import *\n"
        "r = AdapterRegistry()\n"
        "for a in (OpenAIAdapter(strict=True), AnthropicAdapter(), MCPAdapter()): r.register(a)\n"
        "tool = json.loads(sys.argv[1])\n"
        "out = [r.convert(tool, 'mcp', to) for to in r.list()]\n"
        "print(json.dumps([[x.tool, [str(w) for w in x.warnings]] for x in out]))\n"
    )
    tool = json.dumps(mcp(EVERY_FEATURE, outputSchema=EVERY_FEATURE))
    told = {
        subprocess.run(
            [sys.executable, "-c", script, tool],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path))},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(told) == 1
    assert "feature oneOf lost converting from mcp to openai" in told.pop()


UNIONS = {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
AB = {"type": "object", "properties": {"a": TEXT, "b": TEXT}}
BRANCHES = {
    "oneOf": [
        {"type": "object", "properties": {"a": {"type": "string", "pattern": "^a"}}},
        {"type": "object", "properties": {"b": {"type": "string", "pattern": "^b"}}},
    ]
}
OPEN = {"type": "object", "properties": {"o": {**AB, "additionalProperties": True}}}
DANGLING = {"type": "object", "properties": {"a": {"$ref": "#/components/A"}}}
WORDS = {
    "oneOf": [
        {"type": "object", "properties": {"a": {**TEXT, "enum": ["x", "y"]}}, "required": ["a"]},
        {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]},
    ]
}
REFERRED = {"properties": {"a": {"$ref": "#/$defs/A"}, "b": TEXT}, "$defs": {"A": TEXT}}
CODED = {"type": "object", "properties": {"a": {"enum": ["x", {"k": 1}]}}}
LOCAL = {
    "type": "object",
    "$defs": {"X": AB},
    "properties": {"x": {"$ref": "#/properties/a/$defs/X"}},
}
FORMATS = {
    "type": "object",
    "properties": {"a": {**TEXT, "format": "uri"}, "b": {**TEXT, "format": "email"}},
}
CLOSED = {"type": "object", "properties": {"o": {**AB, "additionalProperties": False}}}


@pytest.mark.parametrize(
    "schema, to, expected",
    [
        (EVERY_FEATURE, "mcp", []),
        (EVERY_FEATURE, "openai", []),
        (EVERY_FEATURE, "anthropic", []),
        (EVERY_FEATURE, "openai-strict", ["oneOf", "allOf", "not", "pattern", "default"]),
        ({**AB, **UNIONS}, "mcp", []),
        ({**AB, **UNIONS}, "openai", ["anyOf"]),
        ({**AB, **UNIONS}, "anthropic", ["anyOf"]),
        (BRANCHES, "openai", ["oneOf"]),  # the patterns moved and are sent
        ({"type": "object", "properties": {"u": BRANCHES}}, "openai", []),
        (CLOSED, "openai-strict", []),
        (OPEN, "openai", []),
        (OPEN, "openai-strict", ["additionalProperties"]),  # sent, and saying the contrary
        (FORMATS, "openai-strict", ["format"]),  # it knows one of them
        (DANGLING, "openai-strict", ["$ref"]),  # others are sent, of the engine's making
        (WORDS, "openai-strict", ["oneOf"]),  # the enum moved and may be null
        (CODED, "openai-strict", []),  # in other words
        ({**AB, **UNIONS, **REFERRED}, "openai-strict", ["anyOf"]),  # a union with null is sent
        ({"type": "object", "properties": {"a": LOCAL}}, "openai-strict", []),
        # Values that look like nothing are values.
        ({**AB, "properties": {"a": {"const": None}, "b": {"default": None}}}, "openai", []),
    ],
)  # fmt: skip
def test_s2_4_lost_is_what_is_not_sent(registry, schema, to, expected):
    assert lost(registry, mcp(schema), to) == expected


@pytest.mark.parametrize("to", ["mcp", "openai", "anthropic"])
def test_s2_4_keywords_beside_the_sixteen_are_carried(registry, to):
    schema = {
        "type": "object",
        "title": "T",
        "properties": {
            "a": {"type": "array", "prefixItems": [TEXT], "items": True, "uniqueItems": True},
            "b": {"type": ["integer", "null"], "exclusiveMinimum": 0, "multipleOf": 5},
            "c": {"type": "object", "patternProperties": {"^x": TEXT}, "minProperties": 1},
        },
        "if": {"required": ["a"]},
        "then": {"required": ["b"]},
    }
    assert schema_of(registry.convert(mcp(schema), "mcp", to).tool) == schema


@pytest.mark.corpus
@pytest.mark.parametrize("to", ["mcp", "openai", "anthropic", "openai-strict"])
def test_s2_4_on_real_tools(registry, to):
    """Without strict mode nothing is added, so what was lost can be counted independently."""
    for row in rows("mcp"):
        definition = {key: v for key, v in row["definition"].items() if key != "outputSchema"}
        result = registry.convert(definition, "mcp", to)
        had = keywords(upgrade(definition.get("inputSchema", {})).schema)
        sent = keywords(schema_of(result.tool))
        warned = Counter(warning.feature for warning in result.warnings)
        told = Counter({name: count for name, count in warned.items() if name in SCHEMA_FEATURES})
        assert told <= had
        assert had - sent <= told, "lost in silence"
        if to != "openai-strict":
            assert told == had - sent, "sent and warned of"
        fields = {key for key in ("title", "annotations", "_meta") if definition.get(key)}
        assert fields - result.tool.keys() <= warned.keys(), "lost in silence"


def test_s2_5_sdk_objects_and_dicts(registry):
    class Dumped:
        def model_dump(self, **options):
            return SAME["mcp"]

    class Told:
        def to_dict(self):
            return SAME["openai"]

    assert registry.convert(Dumped(), "mcp", "anthropic").tool == SAME["anthropic"]
    assert registry.convert(Told(), "openai", "anthropic").tool == SAME["anthropic"]
    assert type(registry.convert(Dumped(), "mcp", "mcp").tool) is dict


@pytest.mark.parametrize(
    "adapter, raw, cause",
    [
        (MCPAdapter(), 5, NoTools),
        (MCPAdapter(), SAME["openai"], WrongFormat),
        (OpenAIAdapter(), {"type": "function", "function": {"name": 3}}, UnreadableTool),
        (AnthropicAdapter(), [SAME["anthropic"], SAME["anthropic"]], UsageError),
        (AnthropicAdapter(), [], UsageError),
        (AnthropicAdapter(), SimpleNamespace(name="f"), NoTools),
    ],
)
def test_s2_6_reading_errors_wrap_their_cause(registry, adapter, raw, cause):
    with pytest.raises(ConversionError) as caught:
        adapter.to_canonical(raw)
    error = caught.value
    assert isinstance(error, ToolcanonError)
    assert isinstance(error.cause, cause)
    assert error.__cause__ is error.cause
    assert (error.adapter, error.direction) == (adapter.name, "to_canonical")
    assert str(error) == f"{adapter.name} adapter to_canonical: {error.cause}"
    with pytest.raises(ConversionError) as again:
        registry.convert(raw, adapter.name, "mcp")
    assert str(again.value) == str(error), "wrapped once"


def test_s2_6_writing_errors_wrap_their_cause(registry):
    search = {"type": "web_search_20250305", "name": "web_search"}
    for make in (
        lambda: registry.convert(search, "anthropic", "openai"),
        lambda: OpenAIAdapter().from_canonical(SAME["openai"]),
    ):
        with pytest.raises(ConversionError, match=r"^openai adapter from_canonical: ") as caught:
            make()
        assert isinstance(caught.value.__cause__, UnreadableTool)
    assert registry.convert(search, "anthropic", "anthropic").tool == search


@pytest.mark.parametrize("direction", ["to_canonical", "from_canonical", "supports_feature"])
def test_s2_6_whatever_a_custom_adapter_raises(registry, direction):
    cause = ZeroDivisionError("its own bug")

    def fail(*_):
        raise cause

    custom = Custom()
    setattr(custom, direction, fail)
    registry.register(custom)
    said = "from_canonical" if direction == "supports_feature" else direction
    pair = ("custom", "mcp") if direction == "to_canonical" else ("mcp", "custom")
    raw = {"fn": "f", "takes": WEATHER} if pair[0] == "custom" else mcp(EVERY_FEATURE)
    with pytest.raises(ConversionError, match=f"custom adapter {said}: its own bug") as caught:
        registry.convert(raw, *pair)
    assert caught.value.__cause__ is cause


def test_s2_6_a_custom_adapter_must_return_a_canonical_tool(registry):
    custom = Custom()
    custom.to_canonical = dict
    registry.register(custom)
    with pytest.raises(ConversionError, match=r"custom adapter to_canonical: .*found dict"):
        registry.convert({}, "custom", "mcp")


@pytest.mark.parametrize(
    "error",
    [
        ConversionError("a", "to_canonical", ValueError("v")),
        UnknownAdapter("a"),
        DuplicateAdapter("a"),
    ],
)
def test_s2_6_errors_travel_between_processes(error):
    assert error.__cause__ is getattr(error, "cause", None)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)  # noqa: S301 - our own


def test_s2_7_threads_share_a_registry(registry):
    workers = 16
    start = Barrier(workers)
    expected = {to: registry.convert(mcp(EVERY_FEATURE), "mcp", to) for to in registry.list()}

    def work(number):
        start.wait()
        own = SimpleNamespace(**{
            "name": f"own-{number:02}",
            **{key: getattr(Custom(), key) for key in
               ("to_canonical", "from_canonical", "supports_feature")},
        })  # fmt: skip
        for _ in range(20):
            registry.register(own)
            for to, result in expected.items():
                assert registry.convert(mcp(EVERY_FEATURE), "mcp", to) == result
            names = registry.list()
            assert names == sorted(names)
            assert registry.convert(mcp(WEATHER), "mcp", own.name).tool["takes"] == WEATHER
            registry.unregister(own.name)
        registry.register(own)

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, range(workers)))
    names = [*expected, *(f"own-{number:02}" for number in range(workers))]
    assert registry.list() == sorted(names)


def test_s2_7_one_thread_gets_a_name(registry):
    class Slow(str):
        """Looking it up takes long enough for all the others to look as well."""

        __slots__ = ()

        def __hash__(self):
            time.sleep(0.002)
            return super().__hash__()

    workers = 8
    start = Barrier(workers)

    def work(_):
        custom = Custom()
        custom.name = Slow("custom")
        start.wait()
        try:
            registry.register(custom)
        except DuplicateAdapter:
            return 0
        return 1

    with ThreadPoolExecutor(workers) as pool:
        assert sum(pool.map(work, range(workers))) == 1


def test_s2_8_everything_exported_is_documented():
    for name in adapters.__all__:
        value = getattr(adapters, name)
        if inspect.isclass(value):
            assert inspect.getdoc(value), name
            for method, function in inspect.getmembers(value, inspect.isfunction):
                if value.__module__ == adapters.__name__ and not method.startswith("_"):
                    assert inspect.getdoc(function), f"{name}.{method}"


def test_s2_9_the_canonical_tool():
    tool = CanonicalTool(name="f", namespace="n", category="c", tags=["t"], timeout=3.0, inputs=AB)
    assert (tool.id, CanonicalTool(name="f").id) == ("n:f", "f")
    assert tool.ensure_valid() is tool
    for wrong in (CanonicalTool(name=" "), CanonicalTool(name="f", inputs={"type": "array"})):
        with pytest.raises(UnreadableTool):
            wrong.ensure_valid()
    assert MCPAdapter().to_canonical(SAME["mcp"]).source_format == "mcp"


@table(
    ("schema", "at"),
    [
        ({"required": "x"}, ""),
        ({"required": "a", "properties": {"a": TEXT}}, "/required"),
        ({"required": [1]}, "/required"),
        ({"required": True}, "/required"),
        ({"properties": 3}, "/properties"),
        ({"properties": None}, "/properties"),
        ({"properties": {"a": 3}}, "/properties"),
        ({"properties": {"a": {"type": 3}}}, "/properties/a/type"),
        ({"properties": {"a": {"type": "array", "items": {"minimum": "1a"}}}},
         "/properties/a/items/minimum"),
        ({"anyOf": {}}, "/anyOf"),
        ({"additionalProperties": "no"}, "/additionalProperties"),
        ({"properties": {"a": {"$ref": "#/$defs/B"}}, "$defs": {"A": TEXT}}, "/properties/a/$ref"),
        ({"$defs": {"A": {"items": {"$ref": "#/$defs/B"}}}}, "/$defs/A/items/$ref"),
        ({"properties": {"a": {"$ref": "#/properties/a"}}}, "/properties/a/$ref"),
    ],
)  # fmt: skip
def test_s2_9_a_valid_tool_has_no_malformed_keywords(schema, at):
    schema = {"type": "object", **schema}
    for side in ("inputs", "outputs"):
        with pytest.raises(UnreadableTool) as caught:
            CanonicalTool(name="f", **{side: schema}).ensure_valid()
        assert caught.value.at.startswith(f"/{side}{at}")


@pytest.mark.parametrize(
    "schema",
    [
        {},
        EVERY_FEATURE,
        {"type": "OBJECT", "properties": {"a": {"type": "STRING", "nullable": True}}},
        {"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"A": TEXT},
         "properties": {"a": {"items": [TEXT], "dependencies": {"b": ["c"]}}}},
        {"$schema": "http://json-schema.org/draft-04/schema#",
         "properties": {"a": {"minimum": 1, "exclusiveMinimum": True}}},
        {"properties": {"a": {"$ref": "https://example.com/address.json"}}},
        {"properties": {"a": {"items": {"$ref": "#"}}}},
    ],
)  # fmt: skip
def test_s2_9_a_valid_tool_may_be_of_an_older_draft(schema):
    tool = CanonicalTool(name="f", inputs=schema)
    assert tool.ensure_valid() is tool


@pytest.mark.parametrize(
    "schema, seen",
    [
        ({"definitions": {"A": TEXT}, "properties": {"a": {"$ref": "#/definitions/A"}}}, 0),
        ({"properties": {"a": {"type": "array", "items": [TEXT, {"pattern": "x"}]}}}, 0),
        ({"properties": {"a": True, "b": {"not": False}}}, 0),
        ({"properties": {}}, 0),
        ({"properties": {"a": {"enum": []}}}, 0),
    ],
)
@pytest.mark.parametrize("to", ["mcp", "openai", "anthropic"])
def test_s2_10_older_drafts_and_empty_values(registry, schema, seen, to):
    draft7 = {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", **schema}
    result = registry.convert(mcp(draft7), "mcp", to)
    assert len(result.warnings) == seen
    assert keywords(schema_of(result.tool)) == keywords(upgrade(draft7).schema)
    assert "properties" in schema_of(result.tool)


def test_s2_11_the_warning():
    warning = FeatureLossWarning("$ref", "mcp", "openai")
    assert str(warning) == "feature $ref lost converting from mcp to openai"
    assert (warning.feature, warning.from_adapter, warning.to_adapter) == ("$ref", "mcp", "openai")
    assert warning == FeatureLossWarning("$ref", from_adapter="mcp", to_adapter="openai")
    assert not isinstance(warning, BaseException)


def test_s2_12_sixteen_features_in_order():
    assert SCHEMA_FEATURES == (
        "$ref", "$defs", "anyOf", "oneOf", "allOf", "not", "pattern", "format",
        "additionalProperties", "minimum", "maximum", "minLength", "maxLength", "enum", "const",
        "default",
    )  # fmt: skip
    assert set(keywords(EVERY_FEATURE)) == set(SCHEMA_FEATURES)


def test_s2_13_the_registry():
    registry = AdapterRegistry()
    assert registry.list() == []
    first, second = OpenAIAdapter(), MCPAdapter()
    registry.register(first)
    registry.register(second)
    assert registry.list() == ["mcp", "openai"]
    assert registry.get("openai") is first
    assert all(isinstance(item, Adapter) for item in (first, second, AnthropicAdapter(), Custom()))
    with pytest.raises(DuplicateAdapter, match=r"^adapter already registered: mcp$") as caught:
        registry.register(MCPAdapter())
    assert isinstance(caught.value, UsageError)
    assert registry.get("mcp") is second
    registry.unregister("mcp")
    assert registry.list() == ["openai"]
    for ask in (
        lambda: registry.get("mcp"),
        lambda: registry.unregister("mcp"),
        lambda: registry.convert({}, "mcp", "openai"),
        lambda: registry.convert({}, "openai", "mcp"),
    ):
        with pytest.raises(UnknownAdapter, match=r"^adapter not found: mcp$") as caught:
            ask()
        assert isinstance(caught.value, UsageError)
        assert isinstance(caught.value, LookupError)
    registry.register(MCPAdapter())


@pytest.mark.parametrize("wrong", [None, MCPAdapter, "mcp", SimpleNamespace(name="x")])
def test_s2_13_what_is_no_adapter(wrong):
    with pytest.raises(UsageError, match="is not an adapter"):
        AdapterRegistry().register(wrong)


def test_s2_14_order_of_work(registry):
    custom = Custom()
    registry.register(custom)
    schema = {**AB, "properties": {"a": {"pattern": "x"}, "b": {"pattern": "y", "minLength": 1}}}
    registry.convert(mcp(schema), "mcp", "custom")
    assert custom.calls[:3] == ["pattern", "minLength", "from_canonical"]


def test_s2_14_every_position_of_both_schemas(registry):
    low = {"default": 1}
    schema = {
        "type": "object",
        "properties": {
            "a": low,
            "b": {"type": "array", "items": low},
            "c": {"anyOf": [low, TEXT]},
            "d": {"type": "object", "patternProperties": {"^x": low}, "additionalProperties": low},
            "e": {"type": "array", "prefixItems": [low], "contains": low},
            "f": {"$ref": "#/$defs/F"},
        },
        "$defs": {"F": low},
    }
    custom = Custom(lacks=["default"])
    custom.from_canonical = lambda tool: "no schema in here"
    registry.register(custom)
    tool = mcp(schema, outputSchema=schema)
    assert lost(registry, tool, "custom") == ["default"] * 16
    # One warning for each occurrence, in the order of the document, inputs first.
    custom.lacks = ["default", "$ref", "anyOf"]
    in_order = [*["default"] * 2, "anyOf", *["default"] * 5, "$ref", "default"]
    assert lost(registry, tool, "custom") == in_order * 2


@pytest.mark.parametrize("feature", SCHEMA_FEATURES)
def test_s2_14_a_parameter_is_no_feature(registry, feature):
    custom = Custom(lacks=SCHEMA_FEATURES)
    custom.from_canonical = lambda tool: None
    registry.register(custom)
    quoted = {"properties": {feature: {feature: 1}}}
    schema = {"type": "object", "properties": {feature: {**TEXT, "examples": [quoted]}}}
    assert lost(registry, mcp(schema), "custom") == []
    assert lost(registry, mcp(schema), "openai-strict") == []


@pytest.mark.parametrize(
    "adapter, rejected",
    [
        (MCPAdapter(), set()),
        (OpenAIAdapter(), set()),
        (AnthropicAdapter(), set()),
        (OpenAIAdapter(strict=True), {"oneOf", "allOf", "not", "default"}),
    ],
)
def test_s2_15_supported_features_follow_the_dialects(adapter, rejected):
    refused = {name for name in SCHEMA_FEATURES if not adapter.supports_feature(name)}
    assert refused == rejected
    assert adapter.supports_feature("outputSchema") is (adapter.name == "mcp")


@pytest.mark.parametrize("feature", SCHEMA_FEATURES)
def test_s2_15_what_is_refused_is_never_sent(registry, feature):
    schema = schema_of(registry.convert(mcp(EVERY_FEATURE), "mcp", "openai-strict").tool)
    if not OpenAIAdapter(strict=True).supports_feature(feature):
        assert keywords(schema)[feature] == 0
        assert feature in lost(registry, mcp(EVERY_FEATURE), "openai-strict")


def test_s2_15_strict_closes_every_object(registry):
    schema = {"type": "object", "properties": {"o": AB}}
    function = registry.convert(mcp(schema), "mcp", "openai-strict").tool["function"]
    assert function["strict"] is True
    for node in (function["parameters"], function["parameters"]["properties"]["o"]):
        assert node["additionalProperties"] is False
        assert node["required"] == list(node["properties"])
    plain = registry.convert(mcp(schema), "mcp", "openai").tool["function"]
    assert plain == {"name": "f", "parameters": schema}
    with pytest.raises(ValueError, match="strict must be"):
        OpenAIAdapter(strict="perhaps")


def test_s2_15_anthropic_has_its_own_key(registry):
    assert set(registry.convert(SAME["mcp"], "mcp", "anthropic").tool) == {*HEAD, "input_schema"}


def test_s2_16_round_trips_keep_what_one_format_knows(registry):
    served = {
        **SAME["mcp"],
        "title": "Weather",
        "annotations": {"title": "W", "readOnlyHint": True, "openWorldHint": False},
        "_meta": {"vendor/x": 1},
        "icons": [{"src": "https://example.com/i.png"}],
    }
    closed = {**WEATHER, "additionalProperties": False}
    called = {"type": "function", "function": {**HEAD, "parameters": closed, "strict": True}}
    cached = {**SAME["anthropic"], "cache_control": {"type": "ephemeral"}}
    for adapter, raw in (("mcp", served), ("openai", called), ("anthropic", cached)):
        assert registry.convert(raw, adapter, adapter) == ConversionResult(raw, [])
    # Others write their own of the same canonical tool, and it still knows.
    tool = registry.get("openai").to_canonical(called)
    assert "strict" not in registry.get("mcp").from_canonical(tool)
    assert registry.get("openai").from_canonical(tool) == called
    tool = registry.get("mcp").to_canonical(served)
    assert "title" not in registry.get("anthropic").from_canonical(tool)
    assert registry.get("mcp").from_canonical(tool) == served


@pytest.mark.parametrize("name", SAME)
def test_s2_17_same_format(registry, name):
    result = registry.convert(SAME[name], name, name)
    assert result == ConversionResult(SAME[name], [])
    assert result.tool is not SAME[name]


@pytest.mark.parametrize("to", ["openai", "anthropic", "openai-strict"])
def test_s2_20_a_dropped_output_schema_is_reported(registry, to):
    assert lost(registry, mcp(AB, outputSchema=AB), "mcp") == []
    assert lost(registry, mcp(AB, outputSchema=AB), to) == ["outputSchema"]
    assert lost(registry, mcp(AB, outputSchema={}), to) == []
    answer = {"type": "object", "properties": {"n": {"minimum": 1, "maximum": 3}}}
    # The same features in the inputs are sent, and do not stand for those of the answer.
    assert lost(registry, mcp(answer, outputSchema=answer), to) == ["minimum", "maximum"]
    assert lost(registry, mcp({}, outputSchema=answer), to) == ["minimum", "maximum"]


def test_custom_adapters_are_compared_with_what_they_wrote(registry):
    """In a shape of its own or of ours, whatever it claims to support."""
    schema = {**AB, "additionalProperties": False, "properties": {"a": {"pattern": "x"}}}
    custom = Custom(drops=["additionalProperties"])
    registry.register(custom)
    assert lost(registry, mcp(schema), "custom") == ["additionalProperties"]
    custom.lacks = ["pattern"]
    assert lost(registry, {"fn": "f", "takes": schema}, "mcp", "custom") == []
    custom.from_canonical = lambda tool: {"name": tool.name, "inputSchema": {**AB}}
    custom.to_canonical = lambda raw: pytest.fail("the shape is a known one")
    assert lost(registry, mcp(schema), "custom") == ["pattern", "additionalProperties"]
    custom.from_canonical = lambda tool: {"fn": tool.name}
    custom.to_canonical = lambda raw: CanonicalTool(name=raw["fn"])
    assert lost(registry, mcp(schema), "custom") == ["pattern"], "no schema to compare with"
    for opaque in ("text", {"fn": "f"}, None, 5):
        custom.from_canonical = lambda tool, opaque=opaque: opaque
        custom.to_canonical = dict
        assert lost(registry, mcp(schema), "custom") == ["pattern"]
        assert registry.convert(mcp(schema), "mcp", "custom").tool == opaque
    assert lost(registry, mcp({}, outputSchema=AB), "custom") == []
    custom.lacks = ["outputSchema"]
    assert lost(registry, mcp({}, outputSchema=AB), "custom") == ["outputSchema"]


def test_a_feature_that_a_foreign_adapter_denies_is_lost(registry):
    """Its output may hold the keyword and what reads the output may not."""

    class Denying(OpenAIAdapter):
        name = "denying"

        def supports_feature(self, feature):
            return feature != "pattern"

    schema = {"type": "object", "properties": {"a": {"pattern": "x", "minLength": 1}, "b": TEXT}}
    answer = {"type": "object", "properties": {"a": {"pattern": "y"}}}
    own = Custom(lacks=["pattern"])
    ours = Custom(lacks=["pattern"])
    ours.name, ours.from_canonical = "ours", lambda tool: mcp(tool.inputs)
    for adapter in (own, ours, Denying()):
        registry.register(adapter)
        assert lost(registry, mcp(schema), adapter.name) == ["pattern"]
    assert lost(registry, mcp(AB, outputSchema=answer), "denying") == ["pattern"]
    assert lost(registry, mcp(schema), "openai") == []


@pytest.mark.parametrize(
    "from_, raw, to, expected",
    [
        ("mcp", mcp(AB, title="T", annotations={"readOnlyHint": True, "destructiveHint": False},
                    _meta={"a": 1}), "openai", ["title", "annotations", "_meta"]),
        ("mcp", mcp(AB, annotations={"title": "T"}, icons=[{"src": "i"}]), "anthropic",
         ["annotations", "icons"]),
        ("mcp", mcp(AB, title=None, annotations={}, _meta={}), "openai", []),
        ("openai", {"type": "function", "function": {"name": "f", "strict": True}}, "mcp",
         ["strict"]),
        ("anthropic", {"name": "f", "input_schema": AB, "cache_control": {"type": "ephemeral"}},
         "mcp", ["cache_control"]),
        ("mcp", {"name": "a.b", "inputSchema": AB}, "openai", ["name"]),
        ("mcp", mcp(AB, title="T", annotations={"readOnlyHint": True}, _meta={"a": 1}), "mcp", []),
    ],
)  # fmt: skip
def test_s2_4_fields_beside_the_schemas_are_not_lost_silently(registry, from_, raw, to, expected):
    assert sorted(lost(registry, raw, to, from_)) == sorted(expected)


SCALARS = st.sampled_from(
    [
        {"type": "string", "pattern": "^a", "minLength": 1},
        {"type": "string", "format": "uri", "default": "d"},
        {"type": "integer", "minimum": 0, "maximum": 9},
        {"enum": ["a", 1, None]},
        {"const": "c"},
        {"$ref": "#/$defs/D"},
        {"type": ["string", "null"], "not": {"const": ""}},
        {},
    ]
)


def _nested(inner):
    names = st.sampled_from(["a", "b", "pattern", "$ref", "default"])
    return st.one_of(
        st.dictionaries(names, inner, max_size=3).map(
            lambda members: {"type": "object", "properties": members}
        ),
        inner.map(lambda item: {"type": "object", "additionalProperties": item}),
        inner.map(lambda item: {"type": "array", "items": item}),
        st.tuples(st.sampled_from(["anyOf", "oneOf", "allOf"]), inner, inner).map(
            lambda made: {made[0]: [made[1], made[2]]}
        ),
    )


SCHEMAS = st.recursive(SCALARS, _nested, max_leaves=6)


@given(SCHEMAS, SCHEMAS, st.sampled_from([MCPAdapter(), OpenAIAdapter(), AnthropicAdapter(),
                                          OpenAIAdapter(strict=True)]))  # fmt: skip
def test_s2_4_for_any_schema(member, root, target):
    registry = AdapterRegistry()
    source = Custom()
    registry.register(source)
    registry.register(target)
    schema = {**root, "$defs": {"D": {"type": "object", "properties": {"m": member}}}}
    result = registry.convert({"fn": "f", "takes": schema}, "custom", target.name)
    had, sent = keywords(upgrade(schema).schema), keywords(schema_of(result.tool))
    told = Counter(warning.feature for warning in result.warnings)
    assert told <= had
    assert had - sent <= told
    for feature in had:
        if not sent[feature]:
            assert told[feature] == had[feature]

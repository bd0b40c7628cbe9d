"""Tools from Python: what becomes of types, words, mistakes and calls."""

import asyncio
import enum
import functools
import gc
import inspect
import json
import os
import re
import subprocess
import sys
import threading
import types
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import pytest
from pydantic import (
    AliasChoices,
    AliasPath,
    BaseModel,
    ConfigDict,
    Field,
    RootModel,
    field_validator,
)
from typing_extensions import Doc, TypedDict

import toolcanon as tc
from tests.conftest import ROOT
from tests.tables import table
from toolcanon.define import Context, Injected, define_tool, definition_of, schemas, tool
from toolcanon.errors import CannotCall, DefinitionError, RefusedArguments
from toolcanon.ir import stated_hints

HERE = Path(__file__)
LINES = HERE.read_text(encoding="utf-8").splitlines()


def inputs(target, **options):
    return define_tool(target, **options).tool.inputs


@tool
def search(query: str, limit: int = 10, tags: list[str] | None = None) -> list[str]:
    """Find pages.

    Takes its time.

    Args:
        query: What to look for.
        limit: How many at most.

    Returns:
        Their addresses.
    """
    return [query, str(limit), *(tags or ())]


def test_a_function():
    found = definition_of(search)
    assert found.tool.to_dict() == {
        "name": "search",
        "version": "1.0.0",
        "description": "Find pages.\n\nTakes its time.",
        "capabilities": found.tool.capabilities.model_dump(),
        "inputs": {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What to look for."},
                "limit": {
                    "type": "integer",
                    "default": 10,
                    "description": "How many at most.",
                },
                "tags": {
                    "anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}],
                    "default": None,
                },
            },
            "required": ["query"],
        },
        "outputs": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Their addresses.",
        },
        "security": None,
        "source_format": "raw",
        "original_definition": {},
    }
    assert found.docs.returns == "Their addresses."
    assert found.call({"query": "tea"}) == ["tea", "10"]
    assert found.call('{"query": "tea", "tags": ["a"]}') == ["tea", "10", "a"]


def test_the_function_stays_what_it_was():
    def plain(query: str) -> str:
        return query

    before = dict(vars(plain)), inspect.signature(plain), plain.__doc__
    assert tool(plain) is plain
    assert plain("x") == "x"
    assert ({}, inspect.signature(plain), plain.__doc__) == before
    assert tool(name="other")(plain) is plain
    assert definition_of(plain).name == "other"


def test_options():
    @tool(
        name="find",
        description="Instead.",
        title="Find it",
        namespace="web",
        category="search",
        version="2.0.0",
        tags=("a", "b"),
        timeout=3,
        read_only=True,
        open_world=False,
        security={"required_permissions": ["net"], "data_classification": "internal"},
        capabilities=tc.ToolCapability(action="search"),
        examples=[{"query": "tea"}],
        outputs=False,
    )
    def look(query: str) -> str:
        """This is never shown."""

    made = definition_of(look).tool
    assert (made.id, made.description, made.title) == ("web:find", "Instead.", "Find it")
    assert (made.category, made.version, made.tags, made.timeout) == (
        "search",
        "2.0.0",
        ["a", "b"],
        3,
    )
    assert stated_hints(made) == {"read_only": True, "open_world": False}
    assert made.security.required_permissions == ["net"]
    assert made.capabilities.action == "search"
    assert made.examples == [{"query": "tea"}]
    assert made.outputs == {}
    assert made.ensure_valid() is made


class Place(BaseModel):
    """Somewhere."""

    city: Annotated[str, "Its name."]
    country: str = Field("AT", description="Where that is.")


@dataclass
class Point:
    x: Annotated[int, Doc("Eastwards.")]
    y: "Annotated[int, 'Northwards.']" = 0


class Filter(TypedDict, total=False):
    text: Annotated[str, "Part of it."]


class Colour(enum.Enum):
    RED = "red"


class Named(NamedTuple):
    left: int
    right: int


def test_words_for_parameters_and_fields():
    def go(  # noqa: PLR0913, PLR0917
        a: Annotated[int, "said"],
        b: Annotated[int, Field(description="by Field"), "by text"],
        c: Annotated[str, Doc("by Doc")],
        d: Annotated[Place, "where"],
        e: Point,
        f: Filter,
        g: int = Field(3, gt=1, description="as a default"),
        h: Annotated[int, "first", "last"] = 0,
    ) -> None:
        """Go.

        Args:
            a: in the docstring
            e: the point
        """

    made = inputs(go)
    said = {name: node.get("description") for name, node in made["properties"].items()}
    assert said == {
        "a": "said",
        "b": "by Field",
        "c": "by Doc",
        "d": "where",
        "e": "the point",
        "f": None,
        "g": "as a default",
        "h": "last",
    }
    fields = {
        kind: {name: node.get("description") for name, node in nested["properties"].items()}
        for kind, nested in made["$defs"].items()
    }
    assert fields == {
        "Place": {"city": "Its name.", "country": "Where that is."},
        "Point": {"x": "Eastwards.", "y": "Northwards."},
        "Filter": {"text": "Part of it."},
    }
    assert made["properties"]["g"] == {
        "type": "integer",
        "exclusiveMinimum": 1,
        "default": 3,
        "description": "as a default",
    }
    assert "g" not in made["required"]


def test_titles_only_when_set():
    class Titled(BaseModel):
        model_config = ConfigDict(title="A title")
        inner: int = Field(1, title="Inner")
        title: str = "a field of that name"

    def go(a: int, b: Titled, c: Colour, d: Annotated[str, Field(title="D!")], e: Named) -> Titled:
        pass

    made = define_tool(go).tool
    texts = re.findall(r'"title": "([^"]*)"', json.dumps([made.inputs, made.outputs]))
    wanted = ["A title", "A title", "D!", "Inner", "Inner", "left", "right"]
    assert sorted(map(str.lower, texts)) == sorted(map(str.lower, wanted))
    assert "title" in made.inputs["$defs"]["Titled"]["properties"]


def test_defaults_that_json_cannot_say_are_used_all_the_same():
    def go(  # noqa: PLR0913, PLR0917
        a: float = float("inf"),
        b: list[int] = Field(default_factory=lambda: [1]),  # noqa: B008
        c: Path = Path(),
        d: set[str] = {"b", "a"},  # noqa: B006
        e: Colour = Colour.RED,
        f: Any = object,
        g: Point = Point(1),  # noqa: B008
        h: list[float] = [float("nan")],  # noqa: B006
        i: list[int] = [],  # noqa: B006
    ) -> dict[str, Any]:
        return locals()

    found = define_tool(go)
    defaults = {
        name: node["default"]
        for name, node in found.tool.inputs["properties"].items()
        if "default" in node
    }
    assert defaults == {"c": ".", "d": ["a", "b"], "e": "red", "g": {"x": 1, "y": 0}, "i": []}
    values = found.call({})
    assert values["a"] == float("inf")
    assert (values["b"], values["c"], values["d"]) == ([1], Path(), {"a", "b"})
    assert (values["e"], values["f"], values["g"]) == (Colour.RED, object, Point(1))
    values["i"].append(1)
    assert found.call({})["i"] == []


def test_names_that_are_words_of_python_or_pydantic():
    def go(  # noqa: PLR0913, PLR0917
        class_: Annotated[str, Field(alias="class")],
        schema: int,
        model_config: int,
        model_fields: int,
        json: int,
        _private: int,
        self: int,
        copy: Annotated[int, Field(validation_alias=AliasChoices("k", "kopie"))] = 0,
    ) -> dict[str, Any]:
        return locals()

    found = define_tool(go)
    names = ["class", "schema", "model_config", "model_fields", "json", "_private", "self", "k"]
    assert list(found.tool.inputs["properties"]) == names
    sent = dict.fromkeys(names, 1) | {"class": "c"}
    assert found.call(sent) == {
        "class_": "c", "schema": 1, "model_config": 1, "model_fields": 1, "json": 1, "_private": 1,
        "self": 1, "copy": 1,
    }  # fmt: skip
    del sent["k"]
    assert found.call({**sent, "kopie": 2})["copy"] == 2


def test_docstring_names_are_those_of_the_parameters():
    def go(class_: Annotated[str, Field(alias="class")]):
        """Go.

        Args:
            class_: Which one.
            absent: Is not there.
        """

    assert inputs(go)["properties"] == {"class": {"type": "string", "description": "Which one."}}


# What is decorated, what it is called with, what comes of it.


class Store:
    prefix = "p"

    @tool
    def find(self, key: str) -> str:
        """Find it."""
        return self.prefix + key

    @tool
    @classmethod
    def outer(cls, key: str) -> str:
        return cls.__name__ + key

    @classmethod
    @tool
    def inner(cls, key: str) -> str:
        return cls.__name__ + key

    @tool
    @staticmethod
    def still(key: str) -> str:
        return key

    @staticmethod
    @tool
    def silent(key: str) -> str:
        return key

    @tool
    async def later(self, key: str) -> str:
        return self.prefix + key

    def list(self) -> "list[str]":
        return []

    @tool
    def after_list(self, keys: "list[str]") -> str:
        return "".join(keys)


class SubStore(Store):
    prefix = "s"


@pytest.mark.parametrize(
    "method, result",
    [
        (Store().find, "pk"),
        (SubStore().find, "sk"),
        (Store.outer, "Storek"),
        (SubStore().outer, "SubStorek"),
        (SubStore.inner, "SubStorek"),
        (Store.still, "k"),
        (Store().silent, "k"),
    ],
)
def test_methods(method, result):
    found = definition_of(method)
    assert found.tool.inputs["properties"] == {"key": {"type": "string"}}
    assert found.call({"key": "k"}) == result
    assert found.fn == method
    assert not found.is_async
    assert asyncio.run(found.acall({"key": "k"})) == result


def test_methods_that_are_special():
    later = definition_of(Store().later)
    assert later.is_async
    assert asyncio.run(later.acall({"key": "k"})) == "pk"
    assert definition_of(Store().after_list).call({"keys": ["a", "b"]}) == "ab"
    with pytest.raises(CannotCall, match="no object"):
        definition_of(Store.find).call({"key": "k"})
    with pytest.raises(DefinitionError, match="not a tool"):
        definition_of(Store().list)
    store = Store()
    assert tool(store.list) == store.list
    assert definition_of(store.list).call({}) == []


class Greeter:
    """Greets people."""

    def __init__(self, word):
        self.word = word

    def __call__(self, name: str) -> str:
        return f"{self.word} {name}"


class LateGreeter:
    async def __call__(self, name: str) -> str:
        """Greet later."""
        return name


def test_callable_objects():
    greeter = Greeter("Hello")
    assert tool(greeter) is greeter
    found = definition_of(greeter)
    assert (found.name, found.tool.description) == ("Greeter", "Greets people.")
    assert found.call({"name": "Ann"}) == "Hello Ann"
    late = define_tool(LateGreeter(), name="late")
    assert (late.name, late.tool.description, late.is_async) == ("late", "Greet later.", True)
    assert asyncio.run(late.acall({"name": "Ann"})) == "Ann"


def test_partials_hide_what_they_bind():
    def send(to: str, body: str, key: str = "k", *, retries: int = 1) -> tuple[Any, ...]:
        """Send.

        Args:
            to: Whom.
            key: Secret.
        """
        return to, body, key, retries

    bound = functools.partial(functools.partial(send, "you"), key="secret")
    assert tool(bound) is bound
    found = definition_of(bound)
    assert list(found.tool.inputs["properties"]) == ["body", "retries"]
    assert "secret" not in json.dumps(found.tool.to_dict())
    assert (found.name, found.tool.description) == ("send", "Send.")
    assert found.call({"body": "b"}) == ("you", "b", "secret", 1)


def test_wrappers_are_what_is_called():
    calls = []

    def logged(fn):
        @functools.wraps(fn)
        def inner(*args, **kwargs):
            calls.append(kwargs)
            return fn(*args, **kwargs)

        return inner

    @logged
    @tool
    def over(key: str) -> str:
        return key

    @tool
    @logged
    def under(key: str) -> str:
        return key

    for each in (over, under):
        found = definition_of(each)
        assert found.tool.inputs["properties"] == {"key": {"type": "string"}}
        assert found.call({"key": each.__name__}) == each.__name__
    assert calls == [{"key": "over"}, {"key": "under"}]


@tool(read_only=True)
class Lookup(BaseModel):
    """Look something up.

    Attributes:
        word: What.
    """

    model_config = ConfigDict(extra="forbid")
    word: str
    near: "list[Lookup]" = []
    most: Annotated[int, Field(le=9), "How many."] = 3


@tool
@dataclass
class Move:
    where: Place
    steps: list["Move"] = field(default_factory=list)


@tool
class Order(TypedDict):
    """Order something."""

    what: str


def test_models_are_tools_with_their_fields_as_arguments():
    found = definition_of(Lookup)
    assert found.tool.name == "Lookup"
    assert found.tool.description == "Look something up."
    made = dict(found.tool.inputs)
    assert made.pop("$defs").keys() == {"Lookup"}
    assert made == {
        "type": "object",
        "properties": {
            "word": {"type": "string", "description": "What."},
            "near": {"type": "array", "items": {"$ref": "#/$defs/Lookup"}, "default": []},
            "most": {"type": "integer", "maximum": 9, "default": 3, "description": "How many."},
        },
        "required": ["word"],
        "additionalProperties": False,
    }
    assert found.tool.outputs == {}
    word = found.call({"word": "w", "near": [{"word": "v"}]})
    assert word == Lookup(word="w", near=[Lookup(word="v")])
    assert Lookup(word="w").word == "w"

    moved = definition_of(Move).call({"where": {"city": "Graz"}, "steps": []})
    assert moved == Move(Place(city="Graz"))
    assert definition_of(Move).tool.description == ""
    assert "additionalProperties" not in definition_of(Move).tool.inputs
    assert definition_of(Order).call({"what": "tea"}) == {"what": "tea"}
    assert definition_of(Order).tool.description == "Order something."

    class Narrower(Lookup):
        pass

    with pytest.raises(DefinitionError, match="not a tool"):
        definition_of(Narrower)


def test_values_come_as_the_types_say():
    class Mood(enum.IntEnum):
        GOOD = 1

    def go(  # noqa: PLR0913, PLR0917
        place: Place,
        point: Point,
        pair: Named,
        moods: set[Mood],
        raw: bytes,
        kind: Literal["a", "b"],
        either: Place | Point,
    ) -> dict[str, Any]:
        return locals()

    sent = {
        "place": {"city": "Graz"},
        "point": {"x": 1},
        "pair": [1, 2],
        "moods": [1, 1],
        "raw": "ab",
        "kind": "a",
        "either": {"x": 2, "y": 3},
    }
    before = json.dumps(sent)
    values = define_tool(go).call(sent)
    assert values == {
        "place": Place(city="Graz"),
        "point": Point(1),
        "pair": Named(1, 2),
        "moods": {Mood.GOOD},
        "raw": b"ab",
        "kind": "a",
        "either": Point(2, 3),
    }
    assert isinstance(values["pair"], Named)
    assert json.dumps(sent) == before


# Supplied by the application.


def test_injected_parameters_are_hidden_and_supplied():
    @tool
    def go(
        key: str,
        context: Context[dict[str, int]],
        db: Annotated[dict[str, str], Injected],
        log: Annotated[Callable[[str], None] | None, Injected()] = None,
        maybe: Context[int] | None = None,
    ) -> str:
        """Go.

        Args:
            key: Which.
            db: The application's.
        """
        return f"{db[key]} {context.state['user']} {context.call_id} {log} {maybe is context}"

    found = definition_of(go)
    assert list(found.tool.inputs["properties"]) == ["key"]
    context = Context({"user": 7}, {"db": {"k": "v"}}, "call_1")
    assert found.call({"key": "k"}, context) == "v 7 call_1 None True"
    assert found.call({"key": "k", "db": {"k": "evil"}, "log": 1}, context).startswith("v 7")
    with pytest.raises(CannotCall) as caught:
        found.call({"key": "k"})
    assert str(caught.value) == (
        "cannot call go: nothing was supplied for 'context'; pass context=Context(…)"
    )
    with pytest.raises(CannotCall, match="'db'"):
        found.call({"key": "k"}, Context({}))
    assert go("k", context, {"k": "v"}) == "v 7 call_1 None False"


def test_async_functions():
    @tool
    async def go(key: str) -> str:
        return key

    found = definition_of(go)
    assert found.is_async
    assert asyncio.run(found.acall({"key": "k"})) == "k"
    with pytest.raises(CannotCall, match="await acall"):
        found.call({"key": "k"})

    @tool
    def gives_awaitable(key: str) -> Awaitable[int]:
        return asyncio.sleep(0, 5)

    assert definition_of(gives_awaitable).tool.outputs == {"type": "integer"}
    with pytest.raises(CannotCall, match="await acall"):
        definition_of(gives_awaitable).call({"key": ""})
    assert asyncio.run(definition_of(gives_awaitable).acall({"key": ""})) == 5


class Result(BaseModel):
    found: int = Field(alias="n", default=0)


@table(
    "hint, schema",
    [
        (inspect.Signature.empty, {}),
        (None, {}),
        (Any, {}),
        (object, {}),
        (tc.ToolResponse, {}),
        (tc.ToolResponse | None, {}),
        (Annotated[None, "nothing"], {}),
        (str, {"type": "string"}),
        (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        (Colour, {"enum": ["red"], "type": "string"}),
        (Path, {"type": "string", "format": "path"}),
        (Result, {"type": "object", "properties": {"n": {"type": "integer", "default": 0}}}),
        (Annotated[str, Field(description="d")], {"type": "string", "description": "d"}),
    ],
    ids=str,
)
def test_outputs(hint, schema):
    def go():
        pass

    if hint is not inspect.Signature.empty:
        go.__annotations__["return"] = hint
    assert define_tool(go).tool.outputs == schema


def test_answers_as_json():
    def go() -> Result:
        return Result(n=3)

    def untyped():
        return {"path": Path("/a"), "point": Point(1)}

    assert define_tool(go).dump(Result(n=3)) == {"n": 3}
    assert define_tool(untyped).dump(untyped()) == {"path": "/a", "point": {"x": 1, "y": 0}}


def test_local_names_and_postponed_annotations(monkeypatch):
    source = """
from __future__ import annotations
from typing import Annotated
from pydantic import BaseModel
from dataclasses import dataclass
from toolcanon.define import tool, definition_of

Item = int

def make():
    class Item(BaseModel):
        name: str
        below: list[Item] = []

    class Part(BaseModel):
        size: int

    @dataclass
    class Box:
        part: Part
        text: Annotated[str, "words"] = ""

    class Shop:
        class Slip(BaseModel):
            number: int

        @tool
        def sell(self, item: Item, box: Box, slip: Slip, rest: list["Item"]) -> Box:
            return Box(Part(size=len(item.name)))

    tool(Box)
    assert definition_of(Box).call({"part": {"size": 1}}) == Box(Part(size=1))
    return definition_of(Shop().sell)
"""
    module = types.ModuleType("postponed")
    monkeypatch.setitem(sys.modules, "postponed", module)  # where dataclasses look for names
    exec(compile(source, "postponed.py", "exec"), vars(module))  # noqa: S102
    found = module.make()
    assert found.tool.inputs["$defs"].keys() == {"Item", "Box", "Part", "Slip"}
    assert found.tool.inputs["$defs"]["Box"]["properties"]["text"]["description"] == "words"
    one = {"name": "a"}
    args = {"item": one, "box": {"part": {"size": 1}}, "slip": {"number": 1}, "rest": [one]}
    assert found.call(args).part.size == 1


def test_extra_arguments():
    def go(key: str) -> str:
        return key

    assert "additionalProperties" not in inputs(go)
    assert define_tool(go).call({"key": "k", "more": 1}) == "k"
    closed = define_tool(go, extra="forbid")
    assert closed.tool.inputs["additionalProperties"] is False
    with pytest.raises(RefusedArguments, match="/more: there is no such parameter"):
        closed.call({"key": "k", "more": 1})


# Arguments that do not fit.

NOT_A_NUMBER = "Input should be a valid integer, unable to parse string as an integer; got"


def shop(
    name: str,
    count: Annotated[int, Field(gt=0)],
    place: Place | None = None,
    either: int | list[int] = 0,
    pet: Annotated[Lookup | Order, "any"] | None = None,
) -> str:
    return name


@table(
    "sent, problems",
    [
        ({"count": 1}, ["/name: required, but missing"]),
        (
            {"name": "n", "count": "ten"},
            [f'/count: {NOT_A_NUMBER} "ten"'],
        ),
        ({"name": "n", "count": 0}, ["/count: Input should be greater than 0; got 0"]),
        (
            {"name": 1, "count": 1, "place": {"country": "X"}},
            ["/name: Input should be a valid string; got 1", "/place/city: required, but missing"],
        ),
        (
            {"name": "n", "count": 1, "either": [1, "x"]},
            [
                '/either: Input should be a valid integer; got [1,"x"]',
                f'/either/1: {NOT_A_NUMBER} "x"',
            ],
        ),
        ([], ["the arguments: Input should be an object; got []"]),
        (None, ["the arguments: Input should be an object; got null"]),
        ("[1]", ["the arguments: Input should be an object; got [1]"]),
        (
            "{",
            [
                "the arguments: Invalid JSON: EOF while parsing an object at line 1 column 1",
            ],
        ),
        ({"name": "\x1b[31m" * 40, "count": []}, [
            "/count: Input should be a valid integer; got []"]),
    ],
)  # fmt: skip
def test_refusals_are_for_the_model(sent, problems):
    with pytest.raises(RefusedArguments) as caught:
        define_tool(shop).validate(sent)
    lines = str(caught.value).splitlines()
    assert lines[0] == "The arguments of shop cannot be used:"
    assert lines[1:-1] == [f"- {problem}" for problem in problems]
    assert lines[-1] == "Correct them and call the tool again."
    assert len(caught.value.problems) == len(problems)


def test_hostile_arguments_are_refused_and_shown_safely():
    found = define_tool(shop)
    deep = "[" * 100_000
    loop = {}
    loop["name"] = loop
    for sent in (deep, loop, {"name": "\ud800"}, {1: 2}, {"count": object()}, b"\xff", "NaN"):
        with pytest.raises(RefusedArguments):
            found.validate(sent)
    with pytest.raises(RefusedArguments) as caught:
        found.validate({"name": ["\x1b[31m" * 1000], "count": 1})
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 400
    many = define_tool(lambda_free := definition_maker())
    with pytest.raises(RefusedArguments) as caught:
        many.validate({"numbers": ["x"] * 10_000})
    assert len(caught.value.problems) == 20
    assert lambda_free


def definition_maker():
    def go(numbers: list[int]) -> None:
        pass

    return go


def test_numbers_that_json_does_not_have_stay_what_they_are():
    def go(a: float | None) -> float | None:
        return a

    assert define_tool(go).call({"a": float("inf")}) == float("inf")
    assert define_tool(go).call({"a": 1}) == 1.0


# Mistakes.


class Unsayable:
    pass


class Hooked(BaseModel):
    model_config = ConfigDict(json_schema_extra=lambda schema: schema["nowhere"])
    a: int


def star(*values: int): ...  # wrong: star
def stars(**values: int): ...  # wrong: stars
def positional(a: int, /): ...  # wrong: positional
def bare(
    a: int,
    b,  # wrong: bare
): ...
def unknown(a: "Nowhere"): ...  # wrong: unknown  # noqa: F821
def deep_unknown(a: list["Nowhere"]): ...  # wrong: deep_unknown  # noqa: F821
def broken(a: "int |"): ...  # wrong: broken  # noqa: F722
def implicit(
    query: str,
    limit: int = None,  # wrong: implicit  # noqa: RUF013
): ...
def default(a: Annotated[int, Field(gt=3)] = 1): ...  # wrong: default
def bad_list(a: list[int] = ("x",)): ...  # wrong: bad_list
def sentinel(a: int = Unsayable): ...  # wrong: sentinel
def unsayable(
    a: int,
    b: Unsayable,  # wrong: unsayable
): ...
def nested(a: list[dict[str, Unsayable]]): ...  # wrong: nested
def function(a: Callable[[int], int]): ...  # wrong: function
def hooked(a: int, b: Hooked): ...  # wrong: hooked
def pattern(a: Annotated[str, Field(pattern="(")]): ...  # wrong: pattern
def twins(
    a: int,
    b: Annotated[int, Field(alias="a")],  # wrong: twins
): ...
def returned(a: int) -> Unsayable: ...  # wrong: returned
async def streamed(a: int) -> AsyncIterator[int]: ...  # wrong: streamed
def mute(a: int): ...  # wrong: mute


def deeper(a: int, b: "Open"): ...  # wrong: deeper


class Open(BaseModel):  # wrong: Open
    a: "Nowhere"  # noqa: F821


class Plain:  # wrong: Plain
    pass


class Rooted(RootModel[list[int]]):  # wrong: Rooted
    pass


class BadField(TypedDict):  # wrong: BadField
    a: Unsayable


nameless = lambda a: a  # wrong: <lambda>  # noqa: E731

# What is wrong, the parameter that is named, and a part of the reason.
MISTAKES = [
    (star, "values", "*values takes any number"),
    (stars, "values", "**values takes arguments of any name"),
    (positional, "a", "a is positional only"),
    (bare, "b", "it has no annotation"),
    (unknown, "a", "the name 'Nowhere' in an annotation is not defined"),
    (deep_unknown, "a", "the name 'Nowhere' in an annotation is not defined"),
    (broken, None, "an annotation cannot be evaluated"),
    (implicit, "limit", "its default None does not fit its type"),
    (default, "a", "its default 1 does not fit its type (Input should be greater than 3)"),
    (bad_list, "a", "its default ('x',) does not fit its type"),
    (sentinel, "a", "does not fit its type"),
    (unsayable, "b", "its type has no JSON Schema"),
    (nested, "a", "its type has no JSON Schema"),
    (function, "a", "its type has no JSON Schema"),
    (hooked, "b", "its type has no JSON Schema"),
    (pattern, "a", "its type has no JSON Schema"),
    (twins, "b", "it and 'a' are both sent as 'a'"),
    (returned, None, "its return type has no JSON Schema"),
    (streamed, None, "its return type has no JSON Schema"),
    (deeper, "b", "its type uses the name 'Nowhere', which is not defined"),
    (Open, None, "its type uses the name 'Nowhere', which is not defined"),
    (Plain, None, "a class is a tool only when its fields are the arguments"),
    (Rooted, None, "its JSON may not be an object"),
    (BadField, None, "its type has no JSON Schema"),
    (nameless, None, "a lambda has neither a name nor types"),
]


@table("target, parameter, reason", MISTAKES, ids=lambda v: getattr(v, "__name__", ""))
def test_mistakes_name_function_line_and_parameter(target, parameter, reason):
    with pytest.raises(DefinitionError) as caught:
        tool(target)
    error = caught.value
    assert reason in error.reason
    assert (error.function, error.parameter) == (target.__name__, parameter)
    assert (error.file, LINES[error.line - 1].partition("# wrong: ")[2].split()[:1]) == (
        str(HERE),
        [target.__name__],
    )
    assert error.advice
    assert not hasattr(target, "__toolcanon__")


def test_the_words_of_a_mistake():
    with pytest.raises(DefinitionError) as caught:
        tool(implicit)
    line = next(n for n, text in enumerate(LINES, 1) if "# wrong: implicit" in text)
    assert str(caught.value) == (
        f"implicit ({HERE}:{line}), parameter 'limit': its default None does not fit its type "
        "(Input should be a valid integer); write … | None"
    )
    assert caught.value.code == "E209"


@table(
    "options, reason",
    [
        ({"nmae": "x"}, "there is no option 'nmae'"),
        ({"timeout": -1}, "the option timeout is wrong"),
        ({"timeout": 0}, "the option timeout is wrong"),
        ({"timeout": True}, "the option timeout is wrong"),
        ({"timeout": float("nan")}, "the option timeout is wrong"),
        ({"timeout": float("inf")}, "the option timeout is wrong"),
        ({"timeout": "soon"}, "the option timeout is wrong"),
        ({"read_only": "perhaps"}, "the option read_only is wrong"),
        ({"security": {"pii_handling": "sells"}}, "the option security.pii_handling is wrong"),
        ({"name": " "}, "the tool has no name"),
        ({"tags": 3}, "tags or examples are wrong"),
        ({"examples": ["x"]}, "tags or examples are wrong"),
        ({"examples": [{"a": 1}, {"a": "x"}]}, "example 2 does not fit at /a"),
        ({"strict_docs": True}, "it has no description"),
    ],
)
def test_wrong_options(options, reason):
    with pytest.raises(DefinitionError) as caught:
        tool(**options)(mute)
    assert reason in caught.value.reason


def test_strict_docstrings():
    def good(a: int, b: Annotated[int, "said"], context: Context[None]) -> int:
        """Do.

        Args:
            a: One.
            context: Theirs.
        """

    def stale(a: int) -> int:
        """Do.

        Args:
            a: One.
            gone: Two.
        """

    assert define_tool(good, strict_docs=True).name == "good"
    assert define_tool(stale).name == "stale"
    with pytest.raises(DefinitionError, match="describes 'gone', which is not a parameter"):
        define_tool(stale, strict_docs=True)
    assert define_tool(Order).name == "Order"
    with pytest.raises(DefinitionError, match="it has no description") as caught:
        define_tool(Order, strict_docs=True)
    assert caught.value.parameter == "what"


def test_fields_of_models_are_described_by_their_own_names():
    class Aliased(BaseModel):
        """Do.

        Attributes:
            kind: Which.
            count: How many.
        """

        kind: str = Field(alias="class")
        count: int

    said = define_tool(Aliased, strict_docs=True).tool.inputs["properties"]
    assert {name: node["description"] for name, node in said.items()} == {
        "class": "Which.",
        "count": "How many.",
    }


def test_a_definition_keeps_no_locals_alive():
    def define():
        class Heavy:
            pass

        heavy = Heavy()

        @tool
        def go(a: "int") -> None:
            pass

        return definition_of(go), weakref.ref(heavy)

    found, heavy = define()
    gc.collect()
    assert heavy() is None
    assert found.arguments.subject.names.keys() == {"Heavy"}
    assert repr(found) == "FunctionTool('go')"


def test_types_that_cannot_be_hashed():
    def go(a: list[Annotated[int, {"a": 1}]] = [1]) -> Annotated[list[int], {}]:  # noqa: B006
        return a

    assert define_tool(go).tool.inputs["properties"]["a"]["default"] == [1]
    assert define_tool(go).call({}) == [1]


def test_models_have_their_own_settings():
    with pytest.raises(DefinitionError, match="setting for extra arguments"):
        define_tool(Order, extra="forbid")


@pytest.mark.parametrize("target", [3, "text", None, len, object()], ids=range(5))
def test_what_cannot_be_a_tool(target):
    with pytest.raises(DefinitionError):
        define_tool(target)
    with pytest.raises(DefinitionError):
        definition_of(target)


def test_functions_without_a_decorator():
    def wild(*values, more):
        pass

    for target in (wild, Plain, Plain().__init__, functools.partial(wild), nameless):
        with pytest.raises(DefinitionError, match="it is not a tool; decorate it with @tool"):
            definition_of(target)


def test_paths_as_aliases():
    def go(
        a: Annotated[int, Field(validation_alias=AliasChoices(AliasPath("x"), "y"))],
        b: Annotated[int, Field(validation_alias=AliasPath("deep", 0))] = 3,
    ) -> tuple[int, int]:
        """Go.

        Args:
            a: One.
            b: Two.
        """
        return a, b

    found = define_tool(go)
    assert [*found.tool.inputs["properties"]] == ["x", "b"]  # as pydantic shows them
    assert found.call({"y": 1, "deep": [2]}) == (1, 2)


def test_what_cannot_keep_a_definition():
    class Slotted:
        __slots__ = ()

        def __call__(self, a: int) -> int:
            return a

    thing = Slotted()
    with pytest.raises(DefinitionError, match="cannot keep its definition"):
        tool(thing)
    assert define_tool(thing).call({"a": 1}) == 1


def test_a_hook_that_fails_is_a_mistake_too():
    def fails(schema):
        raise ValueError("never")

    def go(a: Annotated[int, Field(json_schema_extra=fails)]) -> None:
        pass

    with pytest.raises(DefinitionError, match="never"):
        define_tool(go)


def test_code_without_a_file_still_has_a_line():
    scope = {"tool": tool}
    with pytest.raises(DefinitionError) as caught:
        exec("\n\n@tool\ndef go(a): pass", scope)  # noqa: S102
    assert (caught.value.file, caught.value.line) == ("<string>", 3)


# Schemas are written when asked for, and only where that cannot fail.


@table(
    "hint, surely",
    [
        (str, True),
        (list[dict[str, int | None]], True),
        (Place, True),
        (Move, True),
        (Order, True),
        (Colour, True),
        (Lookup, True),
        (Literal["a", 1], True),
        (tuple[int, str], True),
        (Annotated[Place, Field(description="d")], True),
        (Path, False),
        (Hooked, False),
        (Literal[Colour.RED], False),
    ],
    ids=str,
)
def test_what_is_vouched_for(hint, surely):
    def go(a: hint) -> None:
        pass

    found = define_tool(go) if hint is not Hooked else None
    if found is not None:
        assert schemas.is_sayable(found.arguments.adapter.core_schema) is surely
        assert (found.draft._write is not None) is surely
        assert found.tool is found.tool
        assert found.draft._write is None


def test_threads_that_ask_at_once_get_the_same():
    found = define_tool(shop)
    seen = []
    threads = [threading.Thread(target=lambda: seen.append(found.tool.to_dict())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8
    assert all(one == seen[0] for one in seen)


def test_the_same_each_time():
    first, second = (json.dumps(define_tool(shop).tool.to_dict()) for _ in range(2))
    assert first == second
    code = (
        "import json; from toolcanon.define import define_tool\n"
        "def go(a: set[str] = {'x', 'y', 'z'}, b: set[int | str] = {3, 'a', 'b', 2}): ...\n"
        "print(json.dumps(define_tool(go).tool.to_dict()))"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1


def test_a_definition_is_read_and_bound_like_any_tool():
    found = definition_of(search)
    (read,) = tc.read(found)
    assert read.inputs == found.tool.inputs
    binding = tc.bind([found.tool], "openai", strict=True)
    restored = binding.restore("search", '{"query": "tea", "limit": 2, "tags": null}')
    assert found.call(restored.arguments) == ["tea", "2"]


def test_validators_of_models_speak_to_the_model():
    class Careful(BaseModel):
        word: str

        @field_validator("word")
        @classmethod
        def check(cls, word: str) -> str:
            if word == "no":
                raise ValueError("say something else")
            return word

    def go(a: Careful) -> str:
        return a.word

    with pytest.raises(
        RefusedArguments, match='/a/word: Value error, say something else; got "no"'
    ):
        define_tool(go).call({"a": {"word": "no"}})


PAGE = (ROOT / "docs" / "define.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
def test_the_page_runs(code):
    exec(compile(code, "define.md", "exec"), {"__name__": "page"})  # noqa: S102

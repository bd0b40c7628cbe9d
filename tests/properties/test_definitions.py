"""Tools from signatures have the schema that pydantic has for the fields, and accept the same."""

import datetime as dt
import decimal
import enum
import itertools
import pathlib
import uuid
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import (
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    Optional,
    TypeVar,
    Union,
)

import annotated_types as at
import jsonschema_rs
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, ValidationError, conint, create_model
from typing_extensions import TypeAliasType, TypedDict

from tests.sampling import sample
from tests.tables import table
from toolcanon.define import define_tool
from toolcanon.errors import RefusedArguments

many = settings(
    max_examples=150,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Size(enum.IntEnum):
    """How large."""

    SMALL = 1
    LARGE = 2


class Node(BaseModel):
    """A tree."""

    value: int
    children: list["Node"] = []
    parent: "Node | None" = None


class Cat(BaseModel):
    model_config = ConfigDict(extra="forbid")
    kind: Literal["cat"]
    lives: int = 9


class Dog(BaseModel):
    model_config = ConfigDict(title="A dog")
    kind: Literal["dog"]
    name: str = Field("Rex", title="Its name", alias="called")


@dataclass
class Point:
    x: float
    y: float = 0.0
    marks: list[str] = field(default_factory=list)


class Query(TypedDict):
    text: str
    limit: NotRequired[int]


class Pair(NamedTuple):
    left: int
    right: str = "r"


T = TypeVar("T")


class Page(BaseModel, Generic[T]):
    items: list[T]
    after: str | None = None


UserId = NewType("UserId", int)
Names = TypeAliasType("Names", list[str])
Json = TypeAliasType("Json", "dict[str, Json] | list[Json] | str | int | None")

LEAVES = [
    str, int, float, bool, Any, bytes, decimal.Decimal, uuid.UUID, pathlib.Path, list, dict,
    dt.date, dt.time, dt.datetime, dt.timedelta, Colour, Size, Node, Cat, Dog, Point, Query, Pair,
    UserId, Names, Json, Page[int], Page[Node], Literal["a"], Literal["a", 1],
    Literal[Colour.RED], conint(gt=3),
    Annotated[int, at.Gt(0)], Annotated[float, at.Interval(ge=0, lt=10)],
    Annotated[str, Field(min_length=1, max_length=5, pattern="^[a-z]+$")],
    Annotated[list[int], at.Len(1, 3)], Annotated[int, Field(multiple_of=2, description="even")],
    Annotated[Cat | Dog, Field(discriminator="kind")],
    Annotated[str, Field(title="A title", examples=["x"])],
    Annotated[str, Field(json_schema_extra={"x-own": 1})],
    Annotated[int, Field(strict=True)],
]  # fmt: skip
leaves = st.sampled_from(LEAVES)


def unions(parts):
    return Union[tuple(parts)]  # noqa: UP007 - of parts known at run time only


def wider(inner):
    return st.one_of(
        inner.map(lambda t: list[t]),
        inner.map(lambda t: dict[str, t]),
        inner.map(lambda t: tuple[t, ...]),
        inner.map(lambda t: Sequence[t]),
        inner.map(lambda t: Optional[t]),  # noqa: UP045 - what it takes at run time
        st.tuples(inner, inner).map(lambda pair: tuple[pair]),
        st.lists(inner, min_size=2, max_size=3).map(unions),
        st.sampled_from([set[str], frozenset[int], set[Colour], dict[Colour, int]]),
        inner.map(lambda t: Annotated[t, Field(description="said")]),
    )


types = st.recursive(leaves, wider, max_leaves=4)
NONE = object()
names = st.lists(
    st.sampled_from("a b query from_ type items title id value cls self data json".split()),
    min_size=0, max_size=5, unique=True,
)  # fmt: skip


@st.composite
def signatures(draw):
    """Names with types and defaults; a default is None, which makes the type optional."""
    out = {}
    for name in draw(names):
        kind = draw(types)
        default = draw(st.sampled_from([NONE, NONE, None, "factory", "aliased"]))
        if default is None:
            out[name] = (Optional[kind], None)  # noqa: UP045
        elif default == "factory":
            out[name] = (kind, Field(default_factory=list, description="made"))
        elif default == "aliased":
            out[name] = (kind, Field(alias=f"{name}-sent"))
        else:
            out[name] = (kind, ...)
    return out


def function_of(fields):
    """A real function with that signature."""
    scope = {f"T{number}": kind for number, (kind, _) in enumerate(fields.values())}
    scope |= {f"D{number}": default for number, (_, default) in enumerate(fields.values())}
    parts = [
        f"{name}: T{number}" + ("" if default is ... else f" = D{number}")
        for number, (name, (_, default)) in enumerate(fields.items())
    ]
    exec(f"def f(*, {', '.join(parts)}): return locals()" if parts else "def f(): return {}", scope)  # noqa: S102
    return scope["f"]


def without_made_up_titles(node, *, named=False):
    """Remove titles that pydantic makes of names; with ``named`` the keys here are names."""
    if isinstance(node, list):
        return [without_made_up_titles(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {"A title", "A dog", "Its name"}
    return {
        key: without_made_up_titles(value, named=key in {"properties", "$defs"} and not named)
        for key, value in node.items()
        if named or key != "title" or value in kept
    }


def of_pydantic(fields):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # names that shadow attributes of a model
        model = create_model("f", **fields)
        return model, model.model_json_schema()


@many
@given(signatures())
def test_the_schema_is_that_of_pydantic(fields):
    _, theirs = of_pydantic(fields)
    ours = define_tool(function_of(fields)).tool.inputs
    assert without_made_up_titles(ours) == without_made_up_titles(theirs)
    assert list(ours["properties"]) == list(theirs["properties"])
    jsonschema_rs.meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", **ours})
    event(f"{len(fields)} parameters")


def verdict(check, instance):
    try:
        return True, check(instance)
    except (ValidationError, RefusedArguments):
        return False, None


@many
@given(signatures())
def test_the_same_arguments_are_taken_and_refused(fields):
    model, theirs = of_pydantic(fields)
    definition = define_tool(function_of(fields))
    one = jsonschema_rs.Draft202012Validator(theirs)
    other = jsonschema_rs.Draft202012Validator(definition.tool.inputs)
    found = sample(theirs, most=24)
    for instance in [*found.valid, *found.invalid, {}, [], None, 1]:
        assert one.is_valid(instance) == other.is_valid(instance)
        taken, values = verdict(definition.validate, instance)
        expected, made = verdict(
            lambda given: model.model_validate_json(jsonschema_rs.canonical.json.to_string(given)),
            instance,
        )
        assert taken == expected, instance
        if taken:
            assert values == {name: getattr(made, name) for name in model.model_fields}
            event("taken")
        else:
            event("refused")


def say_more(schema):
    schema["x-more"] = True


ON_PARAMETERS = [  # pydantic honours these on fields only
    Annotated[str, Field(deprecated=True)],
    Annotated[str, Field(deprecated="use another")],
    Annotated[Node, Field(json_schema_extra=say_more, description="the root")],
    Annotated[int | None, Field(ge=1, validate_default=True)],
]


@table("kind", [*LEAVES, *ON_PARAMETERS], ids=itertools.count())
def test_each_type_by_itself(kind):
    fields = {"one": (kind, ...), "other": (kind, Field(alias="another"))}
    ours = define_tool(function_of(fields)).tool.inputs
    assert without_made_up_titles(ours) == without_made_up_titles(of_pydantic(fields)[1])
    assert list(ours["properties"]) == ["one", "another"]

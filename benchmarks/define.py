"""What defining a tool costs, in multiples of pydantic's own model of the same fields.

Two floors, each beside those who do as much: ``create_model`` alone, and ``create_model`` with its
``model_json_schema``. The fields that a function has as parameters are collected before the clock
starts. Defining a tool does more: it reads the signature and the docstring, looks at the return
type, checks the defaults, and that there will be JSON Schemas. Written they are when asked for, so
the first floor is for ``@tool`` as it stands in a program that starts, the second for a tool that
is sent: with the schema of what it takes and, beyond pydantic's, of what it returns. Blocks of 32
functions, each contestant right after the floor, medians of ratios.
"""

from __future__ import annotations

import gc
import inspect
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import BaseModel, Field, create_model

from toolcanon.define import define_tool

ROUNDS = 25


class Unit(Enum):
    CELSIUS = "celsius"
    FAHRENHEIT = "fahrenheit"


class Place(BaseModel):
    """Somewhere."""

    city: str
    country: str = "AT"


class Order(BaseModel):
    """What somebody wants."""

    items: list[str]
    place: Place
    note: str | None = None


def ping() -> str:
    """Say that it is there."""


def read_file(path: str) -> str:
    """Read a file.

    Args:
        path: Where it is.
    """


def search(query: str, limit: int = 10, tags: list[str] | None = None) -> list[str]:
    """Find pages.

    Args:
        query: What to look for.
        limit: How many at most.
        tags: Only pages with one of these.

    Returns:
        Their addresses.
    """


def weather(place: Place, unit: Unit = Unit.CELSIUS, days: Annotated[int, Field(gt=0)] = 1) -> dict:
    """Tell the weather.

    Parameters
    ----------
    place
        Where.
    unit
        Of the temperature.
    days
        How far ahead.
    """


def order(
    order: Order,
    speed: Literal["slow", "fast"] = "slow",
    address: Annotated[str, "Where to bring it."] = "",
    gift: bool = False,  # noqa: FBT001, FBT002 - as people write them
    price: float | None = None,
) -> Order:
    """Order something.

    :param order: What.
    :param speed: How soon.
    :param gift: Whether to wrap it.
    :param price: The most it may cost.
    """


def send(  # noqa: PLR0913, PLR0917 - as people write them
    to: list[str],
    subject: str,
    body: str,
    cc: list[str] | None = None,
    attachments: dict[str, str] | None = None,
    retries: int = 3,
    urgent: bool = False,  # noqa: FBT001, FBT002
) -> bool:
    """Send a letter.

    Args:
        to: Who gets it.
        subject: What it is about.
        body: What it says.
        cc: Who else gets it.
        attachments: Files by name.
        retries: How often to try.
        urgent: Whether it cannot wait.
    """


def area(points: list[tuple[float, float]], scale: float = 1.0) -> float:
    """Measure an area."""


def book(guest: str, nights: int, rooms: int = 1, breakfast: str | None = None) -> str:
    """Book a stay."""


FUNCTIONS = (ping, read_file, search, weather, order, send, area, book)
BLOCK = FUNCTIONS * 4


def fields_of(function: Callable[..., Any]) -> dict[str, Any]:
    hints = get_type_hints(function, include_extras=True)
    return {
        name: (hints[name], ... if one.default is one.empty else one.default)
        for name, one in inspect.signature(function).parameters.items()
    }


FIELDS = {function.__name__: fields_of(function) for function in FUNCTIONS}


def model(function: Callable[..., Any]) -> type[BaseModel]:
    return create_model(function.__name__, **FIELDS[function.__name__])


def model_and_schema(function: Callable[..., Any]) -> dict[str, Any]:
    return model(function).model_json_schema()


def inputs_alone(function: Callable[..., Any]) -> Any:
    return define_tool(function, outputs=False).tool


def contestants() -> dict[str, Callable[[Any], Any]]:
    """Everybody who gives a schema."""
    out: dict[str, Callable[[Any], Any]] = {
        "toolcanon: @tool and both schemas": lambda f: define_tool(f).tool,
        "toolcanon: @tool(outputs=False) and its schema": inputs_alone,
    }
    try:
        from pydantic_ai import Tool  # noqa: PLC0415

        out["pydantic-ai: Tool"] = Tool
    except ImportError:
        pass
    try:
        from langchain_core.tools import StructuredTool  # noqa: PLC0415

        out["langchain: from_function and its schema"] = lambda f: StructuredTool.from_function(
            f, parse_docstring=False
        ).tool_call_schema.model_json_schema()
    except ImportError:
        pass
    return out


def taken(run: Callable[[Any], Any], items: Sequence[Any]) -> int:
    begin = time.process_time_ns()
    for item in items:
        run(item)
    return time.process_time_ns() - begin


def report(
    title: str, floor: Callable[[Any], Any], others: dict[str, Callable[[Any], Any]]
) -> None:
    ratios: dict[str, list[float]] = {}
    for run in (floor, *others.values()):
        taken(run, BLOCK)
    for _ in range(ROUNDS):
        for name, run in others.items():
            gc.collect()
            gc.disable()
            least = taken(floor, BLOCK)
            ratios.setdefault(name, []).append(taken(run, BLOCK) / least)
            gc.enable()
    print(f"| what | x {title} | quartiles |\n| --- | ---: | --- |")
    for name, values in ratios.items():
        low, middle, high = statistics.quantiles(values, n=4)
        print(f"| {name} | {middle:.2f} | {low:.2f} to {high:.2f} |")
    print()


def main() -> None:
    print(f"{len(FUNCTIONS)} functions, Python {sys.version.split()[0]}\n")
    report("create_model", model, {"toolcanon: @tool": define_tool})
    report("create_model and model_json_schema", model_and_schema, contestants())


if __name__ == "__main__":
    main()

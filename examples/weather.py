"""The tools of the examples: plain functions, independent of providers."""

from typing import Literal

from toolcanon import Toolset, tool


@tool(read_only=True)
def weather(city: str, unit: Literal["celsius", "fahrenheit"] = "celsius") -> dict:
    """Return the weather of a city.

    Args:
        city: Name of the city.
        unit: Unit of the temperature.
    """
    warm = {"Oslo": 4, "Cairo": 31}
    if city not in warm:
        raise LookupError(f"no weather for {city}")
    degrees = warm[city] if unit == "celsius" else warm[city] * 9 / 5 + 32
    return {"city": city, "degrees": degrees, "unit": unit}


@tool(read_only=True, timeout=5)
def compare(values: dict[str, float]) -> str:
    """Return the name of the largest value."""
    return max(values, key=values.__getitem__)


toolset = Toolset([weather, compare])

"""Whoever wants to know is told: losses when tools are bound, repairs when calls come back."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

from toolcanon.diagnostics import Loss, Repair

Observer: TypeAlias = Callable[[tuple[Loss, ...] | tuple[Repair, ...]], None]

OBSERVERS: list[Observer] = []


def observe(observer: Observer) -> Callable[[], None]:
    """Have a function told of every binding's losses and every call's repairs, if there are any.

    Returns a function that ends it. What the observer raises reaches whoever bound or restored.
    """
    OBSERVERS.append(observer)

    def stop() -> None:
        with suppress(ValueError):
            OBSERVERS.remove(observer)

    return stop


def tell(found: tuple[Loss, ...] | tuple[Repair, ...]) -> None:
    """Pass it on."""
    if found:
        for observer in tuple(OBSERVERS):
            observer(found)

"""Select tools of a toolset by what their definitions state.

Only statements count. A search may guess what a tool does from its description, but a guess is no
permission: a tool without a statement that it only reads is not selected as read-only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Final, Literal, TypeAlias

from toolcanon.errors import UsageError, nearest
from toolcanon.ir import CanonicalTool, stated_hints

Secrecy: TypeAlias = Literal["public", "internal", "confidential", "restricted"]
Cost: TypeAlias = Literal["free", "low", "medium", "high"]
Words: TypeAlias = str | Collection[str]
Test: TypeAlias = Callable[[CanonicalTool], bool]

_SECRECY: Final = ("public", "internal", "confidential", "restricted")
_COST: Final = ("free", "low", "medium", "high")


def tests(  # noqa: PLR0913 - one parameter for each criterion
    *,
    names: Words | None,
    capability: Words | None,
    tags: Words | None,
    read_only: bool | None,
    security: Secrecy | None,
    permissions: Words | None,
    cost: Cost | None,
) -> Iterator[Test]:
    """Return the conditions for a tool, for the criteria that are given."""
    if names is not None:
        wanted = _words(names)
        yield lambda tool: not wanted.isdisjoint({tool.name, tool.id})
    if capability is not None:
        kinds = _words(capability)
        yield (
            lambda tool: not kinds.isdisjoint({tool.capabilities.action, tool.capabilities.domain})
        )
    if tags is not None:
        marks = _words(tags)
        yield lambda tool: not marks.isdisjoint(tool.tags)
    if read_only is not None:
        yield lambda tool: _reads_only(tool) is read_only
    if security is not None:
        levels = _up_to(security, _SECRECY, "security")
        yield lambda tool: tool.security is not None and tool.security.data_classification in levels
    if permissions is not None:
        granted = _words(permissions)
        yield lambda tool: granted.issuperset(
            () if tool.security is None else tool.security.required_permissions
        )
    if cost is not None:
        prices = _up_to(cost, _COST, "cost")
        yield lambda tool: tool.capabilities.cost_estimate in prices


def _words(given: Words) -> frozenset[str]:
    return frozenset([given] if isinstance(given, str) else given)


def _up_to(word: str, scale: tuple[str, ...], option: str) -> frozenset[str]:
    if word not in scale:
        near = nearest(word, scale)
        hint = f"did you mean {near!r}?" if near else f"use one of {', '.join(scale)}"
        raise UsageError(f"{option}={word!r} is not a level; {hint}")
    return frozenset(scale[: scale.index(word) + 1])


def _reads_only(tool: CanonicalTool) -> bool:
    stated = stated_hints(tool).get("read_only")
    if stated is None and tool.has_own_capabilities:
        return not tool.capabilities.side_effects
    return stated is True

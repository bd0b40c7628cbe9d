"""Which tools of a toolset are wanted, by what was stated of them.

Only statements count. What a tool seems to do may be guessed from its words for a search, but a
guess is no permission: a tool of which nobody said that it only reads does not pass for one.
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


def tests(  # noqa: PLR0913 - one for each thing that can be asked
    *,
    names: Words | None,
    capability: Words | None,
    tags: Words | None,
    read_only: bool | None,
    security: Secrecy | None,
    permissions: Words | None,
    cost: Cost | None,
) -> Iterator[Test]:
    """What a tool has to pass, as far as anything was asked."""
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
        hint = f"did you mean {near!r}?" if near else f"say one of {', '.join(scale)}"
        raise UsageError(f"{option}={word!r} is no level; {hint}")
    return frozenset(scale[: scale.index(word) + 1])


def _reads_only(tool: CanonicalTool) -> bool:
    stated = stated_hints(tool).get("read_only")
    if stated is None and tool.has_own_capabilities:
        return not tool.capabilities.side_effects
    return stated is True

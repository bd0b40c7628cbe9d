"""A verification as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.conversion.verify import Verification, Violation
from toolcanon.text import safe, safe_json

_MOST: Final = 20
_SHOWN: Final = 200


def violation_lines(found: Verification) -> Iterator[str]:
    """Yield the first violations: tool, place, problem, value."""
    yield from map(_line, found.violations[:_MOST])
    left = len(found.violations) - _MOST
    if left > 0:
        yield f"… and {left:,} more violations"


def _line(violation: Violation) -> str:
    where = safe(str(violation.at) or "/", _SHOWN)
    value = safe(safe_json(violation.value, indent=None), _SHOWN)
    says = safe(violation.says, _SHOWN)
    return f"violation: {safe(violation.tool, _SHOWN)} at {where}: {says}: {value}"


def verified_line(found: Verification) -> str:
    """Return what was tested, in one line."""
    tools = "1 tool" if found.tools == 1 else f"{found.tools:,} tools"
    unjudged = f", {found.unjudged:,} without sampled arguments" if found.unjudged else ""
    outcome = "violated" if found.violations else "verified"
    ways = f"{found.there:,} to the target, {found.back:,} back"
    return f"{outcome}: {tools}, arguments tested: {ways}{unjudged}"

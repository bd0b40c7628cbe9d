"""Compare two versions of tools: what changed, who breaks, and the proof."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from toolcanon.checking.tools import plain_tools
from toolcanon.conversion.reader import read_payload
from toolcanon.conversion.target import Target, targets_of
from toolcanon.diagnostics.change import Change
from toolcanon.drift.catalogs import match, set_changes
from toolcanon.drift.providers import provider_changes
from toolcanon.drift.report import DiffReport
from toolcanon.drift.telling import told
from toolcanon.errors import LimitExceeded, NoTools
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import DEFAULT_LIMITS
from toolcanon.jsonio.types import Json, JsonObject

_ABOUT: Final = {
    "instructions": ("instructions",),
    "version": ("serverInfo", "server"),
    "protocol": ("protocolVersion", "protocol"),
}
_NAMES: Final = {
    "instructions": "server-instructions-changed",
    "version": "server-version-changed",
    "protocol": "protocol-version-changed",
}


def diff(
    before: Any,
    after: Any,
    *,
    to: str | Target | Iterable[str | Target] = (),
    source: str | None = None,
) -> DiffReport:
    """Compare two tools or two sets of tools: return the changes, who breaks, and a witness.

    Both sides are anything ``read`` accepts, or canonical tools; their formats may differ. With
    targets in ``to``, a tool that a target accepted before and rejects now is reported too. Nothing
    is changed or fetched, and what cannot be proved is ``unknown``, never compatible.

    >>> one = {"name": "f", "inputSchema": {"type": "object", "properties": {"n": {"minimum": 0}}}}
    >>> two = {"name": "f", "inputSchema": {"type": "object", "properties": {"n": {"minimum": 1}}}}
    >>> report = diff(one, two)
    >>> report.verdict, report.changes[0].witness.value
    ('breaking', {'n': 0})
    """
    try:
        return _compared(before, after, targets_of(to), source)
    except RecursionError:  # the loader limits the depth of text, not that of Python objects
        raise LimitExceeded("depth", DEFAULT_LIMITS.depth) from None


def _compared(
    before: Any, after: Any, targets: tuple[str | Target, ...], source: str | None
) -> DiffReport:
    old, new = _tools(before, source), _tools(after, source)
    matched = match(old, new)
    changes = [*_about(before, after), *set_changes(old, new, matched)]
    if targets:
        changes += provider_changes(matched.pairs, targets)
    names = [tool.id for tool in (*new, *matched.removed)]
    return DiffReport.of(changes, names)


def _tools(payload: Any, source: str | None) -> list[CanonicalTool]:
    given = plain_tools(payload)
    if given is not None:
        return given
    try:
        return read_payload(payload, source)[0]
    except NoTools:
        if _is_empty(payload):
            return []
        raise


def _is_empty(payload: Any) -> bool:
    """Return whether this is an empty list of tools, which a server may have."""
    return payload == [] or (isinstance(payload, dict) and payload.get("tools") == [])


def _about(before: Any, after: Any) -> Iterator[Change]:
    """Report changes of the server information beside the tools."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return
    if "tools" not in before or "tools" not in after:
        return
    for what, keys in _ABOUT.items():
        old, new = (_stated(payload, keys) for payload in (before, after))
        if old is not None and new is not None and old != new:
            yield told(_NAMES[what], before=old, after=new, model_visible=what == "instructions")


def _stated(payload: JsonObject, keys: tuple[str, ...]) -> Json:
    found = next((payload[key] for key in keys if key in payload), None)
    return found.get("version") if isinstance(found, dict) else found

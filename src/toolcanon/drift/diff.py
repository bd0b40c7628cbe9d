"""Compare two versions of tools: what changed, whom it hurts, and the proof."""

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
    """Say what changed between two tools, or two sets of tools, and who is hurt by it.

    Both sides are anything ``read`` takes, or canonical tools; they may be in different formats.
    ``to`` are targets: a tool that one of them took before and refuses now is
    told, too. Nothing is changed, nothing is fetched, and unknown is never taken for harmless.

    >>> one = {"name": "f", "inputSchema": {"type": "object", "properties": {"n": {"minimum": 0}}}}
    >>> two = {"name": "f", "inputSchema": {"type": "object", "properties": {"n": {"minimum": 1}}}}
    >>> report = diff(one, two)
    >>> report.verdict, report.changes[0].witness.value
    ('breaking', {'n': 0})
    """
    try:
        return _compared(before, after, targets_of(to), source)
    except RecursionError:  # text is checked by the loader; objects built in Python are not
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
    """Whether this is a list of tools with nothing in it, which a server may well have."""
    return payload == [] or (isinstance(payload, dict) and payload.get("tools") == [])


def _about(before: Any, after: Any) -> Iterator[Change]:
    """What a server says of itself, where it stands beside the tools."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return
    if "tools" not in before or "tools" not in after:
        return
    for what, keys in _ABOUT.items():
        old, new = (_said(payload, keys) for payload in (before, after))
        if old is not None and new is not None and old != new:
            yield told(_NAMES[what], before=old, after=new, model_visible=what == "instructions")


def _said(payload: JsonObject, keys: tuple[str, ...]) -> Json:
    found = next((payload[key] for key in keys if key in payload), None)
    return found.get("version") if isinstance(found, dict) else found

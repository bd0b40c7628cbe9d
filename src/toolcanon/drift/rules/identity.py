"""Changes of the name and the kind of a tool."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from toolcanon.diagnostics.change import Change
from toolcanon.drift.pair import Pair
from toolcanon.drift.telling import here, told
from toolcanon.infer import infer

_OWN: Final = frozenset({"name", "namespace", "title", "kind", "grammar"})
_LEGAL: Final = re.compile(r"[A-Za-z0-9_.\-/]{1,128}")


def identity(pair: Pair) -> Iterator[Change]:
    """Yield the changes of name, title and kind."""
    if _OWN.isdisjoint(pair.differing):
        return
    before, after = pair.before, pair.after
    if before.id != after.id:
        yield told("tool-renamed", f"{before.id} was renamed to {after.id}", both=here("name"),
                   before=before.id, after=after.id, model_visible=True,
                   reason="every call by the old name fails, whatever its arguments")  # fmt: skip
    if _LEGAL.fullmatch(before.name) and not _LEGAL.fullmatch(after.name):
        yield told("name-invalid", both=here("name"), before=before.name, after=after.name,
                   reason="hosts that check names drop the tool")  # fmt: skip
    if before.kind is not after.kind:
        yield told("kind-changed", f"the kind is {after.kind.value}, was {before.kind.value}",
                   both=here("kind"), before=before.kind.value, after=after.kind.value,
                   reason="it is called in another way")  # fmt: skip
    if "grammar" in pair.differing and before.kind is after.kind:
        yield told("input-undecided", both=here("grammar"),
                   reason="grammars of free text are not compared")  # fmt: skip
    if before.title != after.title and pair.is_same_format:
        contradicts = _contradicts(pair)
        yield told(
            "title-changed", both=here("title"), before=before.title, after=after.title,
            verdict="security" if contradicts else None,
            hint="the title describes reading, and the name a change" if contradicts else "",
        )  # fmt: skip


def _contradicts(pair: Pair) -> bool:
    """Return whether a new title hides a side effect that the name states."""
    title = pair.after.title
    if not title:
        return False
    named = infer(pair.after.name, "", {}, {})
    called = infer(title.replace(" ", "_").lower(), "", {}, {})
    before = infer((pair.before.title or "").replace(" ", "_").lower(), "", {}, {})
    return named.side_effects and bool(called.action) and not called.side_effects and (
        before.side_effects or not pair.before.title
    )  # fmt: skip

"""The fifth seed: tool names for Claude Code, and histories that change provider.

Stored names are canonical; a name is changed where a request leaves and where a call arrives.
Built on ``naming.profiles`` and ``switch``. There is no sign-in, no header and no client identity
here: ``requires_claude_code_naming`` only chooses names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import is_dataclass, replace
from typing import Any, Final, Literal, TypeAlias, TypeVar

from pydantic import BaseModel

from toolcanon.calls.restore import read_call, write_call
from toolcanon.conversations.read_write import codecs, read_conversation
from toolcanon.conversations.switch import switch
from toolcanon.errors import NotACall, UnknownFormat, UnreadableTool
from toolcanon.jsonio.types import Json
from toolcanon.naming.profiles import Profile, profile_named

ToolNamingConvention: TypeAlias = Literal["canonical", "claude-code"]
T = TypeVar("T")

_PROFILE: Final = profile_named("claude-code")
CANONICAL_TO_CLAUDE_CODE: Final[dict[str, str]] = dict(_PROFILE.names)
"""Canonical names to names at Claude Code. Two share ``Grep``, so only one can be sent."""
CLAUDE_CODE_TO_CANONICAL: Final[dict[str, str]] = {
    outside: _PROFILE.inward(outside)
    for outside in dict.fromkeys((*_PROFILE.names.values(), *_PROFILE.aliases))
}
"""The inverse, with every variant; ``Grep`` is ``ripgrep``."""

_STORED: Final = Profile("canonical", aliases=CLAUDE_CODE_TO_CANONICAL, internal=_PROFILE.internal)
"""Canonical names; names of Claude Code in a stored history are converted back."""
_WRAPPERS: Final = ("function", "custom", "toolSpec")
_CALL: Final = "function_call"
_PROVIDERS: Final = {"google": "gemini"}
"""The seed's names of providers, where they differ from the format id."""


def to_claude_code_name(canonical: str) -> str:
    """Return the name of a tool at Claude Code.

    >>> to_claude_code_name("ripgrep"), to_claude_code_name("my_own_tool")
    ('Grep', 'MyOwnTool')
    """
    return _PROFILE.outward(canonical)


def to_canonical_name(claude_code: str) -> str:
    """Return the canonical name of a tool, from any variant that the seed has.

    >>> to_canonical_name("TodoWrite"), to_canonical_name("UpdatePlan"), to_canonical_name("read")
    ('update_plan', 'update_plan', 'read')
    """
    return _PROFILE.inward(claude_code)


def requires_claude_code_naming(provider: str, auth_type: str | None = None) -> bool:
    """Return whether Claude Code names are used; this only chooses a naming profile."""
    return provider == "anthropic" and auth_type == "oauth"


def transform_tool_for_claude_code(tool: T) -> T:
    """Return a new tool of the same type under its name at Claude Code, otherwise unchanged.

    Takes a canonical tool, or a dict or a Pydantic object with its name at the top or inside
    ``function``, ``custom`` or ``toolSpec``. Raises UnreadableTool for one without a name,
    TypeError for anything else.
    """
    if not isinstance(tool, Mapping | BaseModel):
        raise TypeError(f"a tool is a dict with a name, or a canonical tool, not {type(tool)!r}")
    made = _renamed(tool, to_claude_code_name)
    if made is None:
        reason = f"a tool has its name at the top, or inside {', '.join(_WRAPPERS)}"
        raise UnreadableTool("anthropic", "/name", reason)
    return made  # type: ignore[no-any-return]  # of the same type


def _renamed(value: Any, rename: Callable[[str], str]) -> Any:
    """Return a copy of a dict or Pydantic object under another name; None if it has no name."""
    name = _part(value, "name")
    if isinstance(name, str):
        return _with(value, "name", rename(name))
    for wrapper in (*_WRAPPERS, _CALL):
        inner = _part(value, wrapper)
        if isinstance(_part(inner, "name"), str):
            return _with(value, wrapper, _renamed(inner, rename))
    return None


def _part(value: Any, key: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(key)
    return getattr(value, key, None) if isinstance(value, BaseModel) else None


def _with(value: Any, key: str, part: Any) -> Any:
    if isinstance(value, Mapping):
        return {**value, key: part}
    return value.model_copy(update={key: part})


def normalize_tool_call(call: T, from_claude_code: bool) -> T:  # noqa: FBT001 - the seed's own
    """Return a call under its canonical name; the same object when it has that name already.

    Takes a call in any provider's form: a dict, or an object of its SDK. Raises NotACall for
    anything else.
    """
    if not from_claude_code:
        return call
    value: Any = call
    name = getattr(value, "name", None)
    if is_dataclass(value) and not isinstance(value, type) and isinstance(name, str):
        return replace(value, name=to_canonical_name(name))  # type: ignore[return-value]
    made = _renamed(value, to_canonical_name)
    if made is not None:
        return made  # type: ignore[no-any-return]  # of the same type
    if not isinstance(value, dict):
        raise NotACall("", f"{type(value).__name__} has no name")
    found = read_call(value)
    return write_call(value, to_canonical_name(found.name), found.arguments)  # type: ignore[return-value]


def build_history_messages(
    messages: Iterable[Any],
    target_provider: str | None = None,
    target_auth_type: str | None = None,
) -> list[Json]:
    """Return stored messages, in any provider's form and with canonical names, for a target.

    Calls of internal tools are not replayed; what the target would reject is repaired, see
    ``switch``, which also reports the repairs. Without a target the messages keep their form.
    System prompts are left out where the target keeps them apart from the messages.
    """
    stored = list(messages)
    if not stored:
        return []
    target = _target(target_provider) or read_conversation(stored).format
    is_claude_code = requires_claude_code_naming(target_provider or "", target_auth_type)
    done = switch(stored, target, naming=_PROFILE if is_claude_code else _STORED)
    found: list[Json] = done.payload
    return found


def _target(provider: str | None) -> str | None:
    if provider is None:
        return None
    target = _PROVIDERS.get(provider, provider)
    if target not in codecs():
        raise UnknownFormat(provider, (*codecs(), *_PROVIDERS))
    return target

"""The fifth seed: tool names towards Claude Code, and histories that change provider.

Storage keeps canonical names; a name is changed where a request leaves and where a call comes in.
Thin over ``naming.profiles`` and ``switch``. There is no sign-in, no header and no client identity
here: ``requires_claude_code_naming`` only chooses names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import is_dataclass, replace
from typing import Any, Final, Literal, TypeAlias, TypeVar

from pydantic import BaseModel

from toolcanon.conversion.call_shapes import read_call, write_call
from toolcanon.conversion.conversations import codecs, read_conversation
from toolcanon.conversion.switching import switch
from toolcanon.errors import NotACall, UnknownFormat, UnreadableTool
from toolcanon.jsonio.types import Json
from toolcanon.naming.profiles import Profile, profile_named

ToolNamingConvention: TypeAlias = Literal["canonical", "claude-code"]
T = TypeVar("T")

_PROFILE: Final = profile_named("claude-code")
CANONICAL_TO_CLAUDE_CODE: Final[dict[str, str]] = dict(_PROFILE.names)
"""Own name to the name at Claude Code. Two share ``Grep``, so not both can be sent at once."""
CLAUDE_CODE_TO_CANONICAL: Final[dict[str, str]] = {
    outside: _PROFILE.inward(outside)
    for outside in dict.fromkeys((*_PROFILE.names.values(), *_PROFILE.aliases))
}
"""The way back, every variant included; ``Grep`` is ``ripgrep``."""

_STORED: Final = Profile("canonical", aliases=CLAUDE_CODE_TO_CANONICAL, internal=_PROFILE.internal)
"""Names as they are stored; those of Claude Code that got into a history are turned back."""
_WRAPPERS: Final = ("function", "custom", "toolSpec")
_CALL: Final = "function_call"
_PROVIDERS: Final = {"google": "gemini"}
"""What the seed calls a provider, where that is not the id of a format."""


def to_claude_code_name(canonical: str) -> str:
    """The name of a tool at Claude Code.

    >>> to_claude_code_name("ripgrep"), to_claude_code_name("my_own_tool")
    ('Grep', 'MyOwnTool')
    """
    return _PROFILE.outward(canonical)


def to_canonical_name(claude_code: str) -> str:
    """The own name of a tool; every variant that the seed knows is understood.

    >>> to_canonical_name("TodoWrite"), to_canonical_name("UpdatePlan"), to_canonical_name("read")
    ('update_plan', 'update_plan', 'read')
    """
    return _PROFILE.inward(claude_code)


def requires_claude_code_naming(provider: str, auth_type: str | None = None) -> bool:
    """Whether these names are used: a choice of profile, and nothing else."""
    return provider == "anthropic" and auth_type == "oauth"


def transform_tool_for_claude_code(tool: T) -> T:
    """A new tool of the same kind under its name there, nothing else changed.

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
    return made  # type: ignore[no-any-return]  # of the same kind


def _renamed(value: Any, rename: Callable[[str], str]) -> Any:
    """A copy of a dict or a Pydantic object under another name; None if it has no name."""
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
    """A call under its canonical name, as it is stored; the same call when it has that already.

    Takes a call of any provider's shape: a dict, or an object of its SDK. Raises NotACall for
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
        return made  # type: ignore[no-any-return]  # of the same kind
    if not isinstance(value, dict):
        raise NotACall("", f"{type(value).__name__} has no name")
    found = read_call(value)
    return write_call(value, to_canonical_name(found.name), found.arguments)  # type: ignore[return-value]


def build_history_messages(
    messages: Iterable[Any],
    target_provider: str | None = None,
    target_auth_type: str | None = None,
) -> list[Json]:
    """Stored messages, of any provider's shape and with canonical names, for a target.

    Calls of internal tools are not replayed; what the target would refuse is mended, see
    ``switch``, which also tells what was done. Without a target the messages keep their shape.
    Instructions are no history: where the target keeps them apart they are not in the list.
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

"""The compiler and the watchman for the tools of AI models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from toolcanon.conversion import Binding, Conversion, Detection, bind, convert, detect, read
    from toolcanon.diagnostics import Effect, Loss, Losses
    from toolcanon.errors import ToolcanonError
    from toolcanon.ir import CanonicalTool

_HOMES = {
    "Binding": "conversion",
    "CanonicalTool": "ir",
    "Conversion": "conversion",
    "Detection": "conversion",
    "Effect": "diagnostics",
    "Loss": "diagnostics",
    "Losses": "diagnostics",
    "ToolcanonError": "errors",
    "bind": "conversion",
    "convert": "conversion",
    "detect": "conversion",
    "read": "conversion",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        msg = f"module 'toolcanon' has no attribute {name!r}"
        raise AttributeError(msg)
    from importlib import import_module  # noqa: PLC0415

    value = getattr(import_module(f"toolcanon.{home}"), name)
    globals()[name] = value
    return value

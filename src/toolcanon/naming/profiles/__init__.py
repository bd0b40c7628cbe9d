"""Naming profiles: the names of tools towards one kind of client, in both directions.

Storage keeps the tools' own names; a profile applies at the boundary. Only names change: a profile
neither authenticates a client nor imitates one.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Final

from toolcanon.errors import UnknownProfile
from toolcanon.naming.profiles.profile import Profile

__all__ = ["BUILT_IN", "Profile", "profile_named"]

BUILT_IN: Final = {"claude-code": "claude_code", "pascal": "pascal"}
"""Ids, and the modules that define them."""


@cache
def profile_named(name: str) -> Profile:
    """Return a built-in profile; raises UnknownProfile with advice."""
    if name not in BUILT_IN:
        raise UnknownProfile(name, tuple(BUILT_IN))
    found: Profile = import_module(f"{__name__}.{BUILT_IN[name]}").PROFILE
    return found

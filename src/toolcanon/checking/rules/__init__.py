"""The rules: one file for each family. A rule knows no other rule and no provider."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from typing import cast

from toolcanon.checking.rule import Rule


@cache
def rules() -> dict[str, Rule]:
    """Return every rule by its code, in order."""
    modules = [f"{__name__}.{found.name}" for found in pkgutil.iter_modules(__path__)]
    known = [
        rule for name in modules for rule in cast("tuple[Rule, ...]", import_module(name).RULES)
    ]
    return {rule.code: rule for rule in sorted(known, key=lambda rule: rule.code)}

"""Which tool names a target accepts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class NamePolicy:
    """Allowed characters (the inside of a character class), first characters and length."""

    chars: str
    max_length: int
    first: str = ""

    @cached_property
    def allows(self) -> Callable[[str], re.Match[str] | None]:
        """Ask with a name: a match when the target takes it as it stands."""
        first = self.first or self.chars
        return re.compile(f"[{first}][{self.chars}]{{0,{self.max_length - 1}}}").fullmatch

    @cached_property
    def _illegal(self) -> re.Pattern[str]:
        return re.compile(f"[^{self.chars}]")

    @cached_property
    def _illegal_start(self) -> re.Pattern[str]:
        return re.compile(f"[^{self.first or self.chars}]")

    def clean(self, name: str) -> str:
        """The name with every character the target refuses replaced; not yet cut to length."""
        cleaned = self._illegal.sub("_", name) or "tool"
        return f"_{cleaned}" if self._illegal_start.match(cleaned) else cleaned

    def words(self) -> str:
        """For people."""
        start = f", starting with [{self.first}]" if self.first else ""
        return f"1 to {self.max_length} of [{self.chars}]{start}"

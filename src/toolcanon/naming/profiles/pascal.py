"""Every name in PascalCase; nothing is internal."""

from __future__ import annotations

from toolcanon.naming.profiles.profile import Profile

PROFILE = Profile(
    "pascal",
    names={"ripgrep": "Grep", "grep": "Grep", "websearch": "WebSearch"},
    style="pascal",
    aliases={"Grep": "ripgrep", "LS": "ls", "TodoWrite": "update_plan", "Websearch": "websearch"},
)

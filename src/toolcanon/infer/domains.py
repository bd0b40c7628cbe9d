"""Words that name the domain of a tool."""

from __future__ import annotations

from typing import Final

DOMAINS: Final[dict[str, str]] = {
    "file": "filesystem",
    "files": "filesystem",
    "folder": "filesystem",
    "directory": "filesystem",
    "filesystem": "filesystem",
    "path": "filesystem",
    "sql": "database",
    "database": "database",
    "db": "database",
    "table": "database",
    "record": "database",
    "email": "email",
    "emails": "email",
    "mail": "email",
    "inbox": "email",
    "gmail": "email",
    "code": "code",
    "repository": "code",
    "commit": "code",
    "http": "web",
    "https": "web",
    "api": "web",
    "web": "web",
    "url": "web",
    "website": "web",
    "internet": "web",
    "search": "web",
}

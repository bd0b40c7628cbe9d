"""The vocabulary of inference: verbs, domains, negations."""

from __future__ import annotations

from typing import Final

# Verbs that change something outside.
CHANGING: Final[frozenset[str]] = frozenset(
    """
    delete remove drop destroy purge erase kill terminate revoke cancel send
    transfer pay publish deploy execute run invoke start stop restart create
    insert add append upload post submit book order schedule merge push
    commit rename move replace update edit patch modify set put save
    write install enable disable assign close click type
    """.split()
)

# Those that, standing in a description, are hardly ever nouns: "a post" and "an update" are.
CHANGING_IN_PROSE: Final[frozenset[str]] = frozenset(
    "write create delete send save remove insert modify overwrite".split()
)

# Verbs that only look.
READING: Final[frozenset[str]] = frozenset(
    """
    search query find list fetch get read show view describe lookup
    retrieve download browse count check validate verify calculate compute convert analyze
    compare summarize translate predict estimate
    """.split()
)

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

# "does not delete anything" is no evidence of deleting.
NEGATIONS: Final[frozenset[str]] = frozenset(
    {"not", "never", "no", "without", "cannot", "don", "doesn", "won"}
)

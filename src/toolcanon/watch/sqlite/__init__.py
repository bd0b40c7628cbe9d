"""The store as one SQLite file: write-ahead log, synced at every commit, complete history."""

from .store import SqliteStore, open_sqlite

__all__ = ["SqliteStore", "open_sqlite"]

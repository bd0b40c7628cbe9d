from typing import Any, Self

class Reader:
    def __new__(
        cls,
        acts: dict[str, int],
        words: dict[str, int],
        formats: dict[str, int],
        flags: int,
        places: dict[str, int],
        tools: tuple[bytes, int],
        members: tuple[bytes, int],
        known: dict[bytes, tuple[tuple[bytes | int, ...], Any] | Reader | None],
        rewritten: dict[bytes, tuple[bytes, Any] | None],
    ) -> Self: ...
    def read(
        self, line: bytes, field: str | None, /
    ) -> tuple[bytes, str, Any, int, int, list[Any] | None] | bytes | list[Any] | None: ...

from typing import Any, Self

class Reader:
    def __new__(
        cls,
        types: dict[str, int],
        columns: dict[str, int],
        reserved: dict[str, int],
        apart: dict[str, int],
        tools: tuple[bytes, int],
        members: tuple[bytes, int],
        known: dict[bytes, tuple[tuple[bytes | int, ...], Any, dict[bytes, Any]] | None],
        tells_optional: bool,
    ) -> Self: ...
    def read(
        self, line: bytes, field: str | None, /
    ) -> tuple[bytes, str, Any, list[Any] | None] | bytes | list[Any] | None: ...

"""Errors of stored data: the toolwatch store, lockfiles, shapes, imports."""

from __future__ import annotations

from toolcanon.errors.root import InputError, SystemRefusal, ToolcanonError, UsageError


class _AboutFile(ToolcanonError):
    """An error about one file, with a reason and advice."""

    def __init__(self, path: str, reason: str, advice: str) -> None:
        super().__init__(path, reason, advice)
        self.path, self.reason, self.advice = path, reason, advice

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}; {self.advice}"


class StoreDamaged(_AboutFile, SystemRefusal):
    """The store is damaged. It is left as it is and never treated as an empty store."""

    code = "E320"
    name = "store-damaged"


class StoreForeign(_AboutFile, SystemRefusal):
    """The file is not a toolwatch store, or holds more than toolwatch wrote."""

    code = "E321"
    name = "store-foreign"


class StoreVersion(_AboutFile, SystemRefusal):
    """The store was written by a version that this one cannot read."""

    code = "E322"
    name = "store-version"


class StoreUnwritable(_AboutFile, SystemRefusal):
    """The store cannot be written: read-only, disk full, or no permission. Nothing was lost."""

    code = "E323"
    name = "store-unwritable"


class StoreBusy(_AboutFile, SystemRefusal):
    """Other processes kept the store locked for longer than the timeout."""

    code = "E324"
    name = "store-busy"


class BadLock(_AboutFile, InputError):
    """The lockfile is truncated, edited by hand, in conflict, or of another version."""

    code = "E325"
    name = "bad-lock"


class NoBaseline(UsageError):
    """A tool has no baseline, and recording one now was not requested."""

    code = "E326"
    name = "no-baseline"

    def __init__(self, tools: tuple[str, ...], reason: str) -> None:
        super().__init__(tools, reason)
        self.tools, self.reason = tools, reason

    def __str__(self) -> str:
        few = ", ".join(repr(tool) for tool in self.tools[:3])
        more = f" and {len(self.tools) - 3:,} more" if len(self.tools) > 3 else ""  # noqa: PLR2004
        return f"no baseline for {few}{more}, and {self.reason}; run `toolwatch baseline` first"


class ApprovalConflict(UsageError):
    """The definition is not the approved one, because it changed in the meantime."""

    code = "E327"
    name = "approval-conflict"

    def __init__(self, tool: str, expected: str, found: str) -> None:
        super().__init__(tool, expected, found)
        self.tool, self.expected, self.found = tool, expected, found

    def __str__(self) -> str:
        return (
            f"{self.tool!r} is not what was approved: {self.expected} was expected and "
            f"{self.found or 'nothing'} was found; review it again"
        )


class UnknownStore(UsageError):
    """The named place is not a supported kind of store."""

    code = "E328"
    name = "unknown-store"

    def __init__(self, place: str) -> None:
        super().__init__(place)
        self.place = place

    def __str__(self) -> str:
        return f"no store is supported at {self.place}; name a file, as /path or sqlite:///path"


class BadShape(InputError):
    """The document is not a shape, is damaged, has a newer version, or another key."""

    code = "E329"
    name = "bad-shape"

    def __init__(self, reason: str, at: str = "") -> None:
        super().__init__(reason, at)
        self.reason, self.at = reason, at

    def __str__(self) -> str:
        where = f" at {self.at}" if self.at else ""
        return f"unusable shape{where}: {self.reason}; learn it again from responses"


class BadImport(InputError):
    """An entry to import is invalid; `number` counts from 1."""

    code = "E330"
    name = "bad-import"

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(number, reason)
        self.number, self.reason = number, reason

    def __str__(self) -> str:
        return f"entry {self.number:,} is invalid: {self.reason}; nothing was imported"

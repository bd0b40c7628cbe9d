"""What can be wrong with what we keep: the store of the watch, and the lockfile."""

from __future__ import annotations

from toolcanon.errors.root import InputError, SystemRefusal, ToolcanonError, UsageError


class _AboutFile(ToolcanonError):
    """About one file, with a reason and advice."""

    def __init__(self, path: str, reason: str, advice: str) -> None:
        super().__init__(path, reason, advice)
        self.path, self.reason, self.advice = path, reason, advice

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}; {self.advice}"


class StoreDamaged(_AboutFile, SystemRefusal):
    """The store cannot be read any more. It is left as it is and never taken for an empty one."""

    code = "E320"
    name = "store-damaged"


class StoreForeign(_AboutFile, SystemRefusal):
    """The file is no store of ours: another program's, or one that holds more than we put in."""

    code = "E321"
    name = "store-foreign"


class StoreVersion(_AboutFile, SystemRefusal):
    """The store was written by another version, which this one does not know."""

    code = "E322"
    name = "store-version"


class StoreUnwritable(_AboutFile, SystemRefusal):
    """The store cannot be written: read-only, no room left, no permission. Nothing was lost."""

    code = "E323"
    name = "store-unwritable"


class StoreBusy(_AboutFile, SystemRefusal):
    """Others kept the store locked for longer than we wait."""

    code = "E324"
    name = "store-busy"


class BadLock(_AboutFile, InputError):
    """The lockfile cannot be trusted: cut, edited by hand, in conflict, or of another version."""

    code = "E325"
    name = "bad-lock"


class NoBaseline(UsageError):
    """There is nothing to compare with, and registering what is there now was not asked for."""

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
    """What was approved is not what is there: somebody or something changed it meanwhile."""

    code = "E327"
    name = "approval-conflict"

    def __init__(self, tool: str, expected: str, found: str) -> None:
        super().__init__(tool, expected, found)
        self.tool, self.expected, self.found = tool, expected, found

    def __str__(self) -> str:
        return (
            f"{self.tool!r} is not what was approved: {self.expected} was expected and "
            f"{self.found or 'nothing'} is there; look at it again"
        )


class UnknownStore(UsageError):
    """The place named for the store is of a kind that nobody here can open."""

    code = "E328"
    name = "unknown-store"

    def __init__(self, place: str) -> None:
        super().__init__(place)
        self.place = place

    def __str__(self) -> str:
        return f"no store can be kept at {self.place}; name a file, as /path or sqlite:///path"


class BadShape(InputError):
    """The document is no shape of ours, is damaged, is of a newer version, or has another key."""

    code = "E329"
    name = "bad-shape"

    def __init__(self, reason: str, at: str = "") -> None:
        super().__init__(reason, at)
        self.reason, self.at = reason, at

    def __str__(self) -> str:
        where = f" at {self.at}" if self.at else ""
        return f"unusable shape{where}: {self.reason}; learn it anew from responses"


class BadImport(InputError):
    """An entry of what is to be imported cannot be taken; `number` counts from 1."""

    code = "E330"
    name = "bad-import"

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(number, reason)
        self.number, self.reason = number, reason

    def __str__(self) -> str:
        return f"entry {self.number:,} cannot be taken: {self.reason}; nothing was imported"

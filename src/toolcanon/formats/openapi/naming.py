"""Names: of tools where the document gives none or gives it twice, of arguments that would meet."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from toolcanon.formats.openapi.document import Operation
from toolcanon.jsonio import LONGEST_NAME

_ODD: Final = re.compile(r"[^A-Za-z0-9]+")
_LONGEST_MADE: Final = 64
_DIGEST: Final = 8


class Named(NamedTuple):
    """The name of a tool, and the name of the finding that tells how it came about."""

    name: str
    finding: str | None = None
    met: bool = False
    """Whether another operation has the name that this one would have had."""


def tool_names(operations: Sequence[Operation]) -> list[Named]:
    """A name for each operation, depending on itself and on whether it meets another."""
    wanted = [_wanted(operation) for operation in operations]
    counts = Counter(named.name for named in wanted)
    taken = set(counts)
    found: list[Named] = []
    first: set[str] = set()
    for operation, named in zip(operations, wanted, strict=True):
        if counts[named.name] == 1 or named.name not in first:
            first.add(named.name)
            found.append(named)
            continue
        name = _digested(operation, named.name, LONGEST_NAME)
        while name in taken:  # somebody did this on purpose
            name += "_"
        taken.add(name)
        found.append(Named(name, named.finding or "name-repeated", met=True))
    return found


def _wanted(operation: Operation) -> Named:
    stated = operation.stated.get("operationId")
    if isinstance(stated, str) and stated.strip():
        if len(stated) <= LONGEST_NAME:
            return Named(stated)
        return Named(_digested(operation, stated, LONGEST_NAME), "name-cut")
    words = _ODD.sub("_", f"{operation.method}{operation.path}").strip("_")
    if len(words) > _LONGEST_MADE:
        words = _digested(operation, words, _LONGEST_MADE)
    return Named(words, "name-made")


def _digested(operation: Operation, name: str, longest: int) -> str:
    place = f"{operation.method} {operation.path}".encode("utf-8", "replace")
    return f"{name[: longest - _DIGEST - 1]}_{hashlib.sha256(place).hexdigest()[:_DIGEST]}"


def argument_names(wanted: Sequence[tuple[str, str]]) -> list[str]:
    """A name of its own for each (name, location), in order.

    The first keeps its name, another one with it gets its location behind it.

    >>> argument_names([("id", "path"), ("id", "body"), ("id_body", "body")])
    ['id', 'id_body_2', 'id_body']
    """
    originals = {name for name, _ in wanted}
    used: set[str] = set()
    numbers: Counter[str] = Counter()
    found: list[str] = []
    for name, location in wanted:
        argument = name
        if name in used:
            stem = argument = f"{name}_{location}"
            while argument in originals or argument in used:
                numbers[stem] += 1
                argument = f"{stem}_{numbers[stem] + 1}"
        used.add(argument)
        found.append(argument)
    return found

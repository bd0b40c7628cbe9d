"""Names of tools without a unique operationId, and of arguments with equal names."""

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
_CLAIMS: Final = (None, "name-cut", "name-made")  # the findings of names, by priority


class Named(NamedTuple):
    """The name of a tool, and the finding that explains it."""

    name: str
    finding: str | None = None
    met: bool = False
    """Whether another operation has the name that this one would have."""


def tool_names(operations: Sequence[Operation]) -> list[Named]:
    """Return a name for each operation, which depends on itself and on equal names.

    Of several with the same name, a stated one keeps it rather than a derived one.
    """
    wanted = [_wanted(operation) for operation in operations]
    holders: dict[str, int] = {}
    for index in sorted(range(len(wanted)), key=lambda index: _CLAIMS.index(wanted[index].finding)):
        holders.setdefault(wanted[index].name, index)
    taken = set(holders)
    found: list[Named] = []
    for index, (operation, named) in enumerate(zip(operations, wanted, strict=True)):
        if holders[named.name] == index:
            found.append(named)
            continue
        name = _digested(operation, named.name, LONGEST_NAME)
        while name in taken:  # only by intent
            name = name[:-_DIGEST] + _digest(name)
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
    return f"{name[: longest - _DIGEST - 1]}_{_digest(f'{operation.method} {operation.path}')}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_DIGEST]


def argument_names(wanted: Sequence[tuple[str, str]]) -> list[str]:
    """Return a unique name for each (name, location), in order.

    The first keeps its name, a further one gets its location as a suffix.

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

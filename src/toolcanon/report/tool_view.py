"""A tool as a provider's model sees it, and findings in groups."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from toolcanon.checking.source_positions import members
from toolcanon.conversion.binding import Binding, bound_tools
from toolcanon.diagnostics import CODES, Effect, Finding, Level, Loss
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.report.document import LEVELS
from toolcanon.text import safe, safe_json

_CHARACTERS_A_TOKEN: Final = 3.6
"""Characters per token, of JSON with English text with public tokenizers; others need more."""
_OTHER_SCRIPTS: Final = 1.2
_DEPTH: Final = 6
_SHOWN: Final = 100


class Size(NamedTuple):
    """The size of a value in a request."""

    bytes: int
    tokens: int

    def __str__(self) -> str:
        return f"{self.bytes:,} bytes, about {self.tokens:,} tokens"


class Shown(NamedTuple):
    """One line of the listing."""

    text: str
    is_mark: bool = False


def size_of(value: Json) -> Size:
    """Return the bytes of the compact JSON, and estimated tokens, usually within a third."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    raw = text.encode("utf-8", "surrogatepass")
    plain = sum(character < "\u0250" for character in text)
    tokens = plain / _CHARACTERS_A_TOKEN + (len(text) - plain) / _OTHER_SCRIPTS
    return Size(len(raw), max(1, round(tokens)))


def shown_lines(binding: Binding) -> Iterator[Shown]:
    """Yield the payload of one bound tool line by line, each mark after what it is about."""
    (item,) = bound_tools(binding)
    marks: dict[Pointer, list[Loss]] = {}
    schema = None if item.wire is None else item.wire.inputs
    for loss in binding.losses:
        if loss.effect != Effect.EXACT:
            marks.setdefault(_place(loss, binding.payload, schema), []).append(loss)
    yield from _value(binding.payload, Pointer(), "", marks, "", "")


def marks_left_out(binding: Binding) -> int:
    """Return how many rewrites are not marked because they change nothing."""
    return sum(loss.effect == Effect.EXACT for loss in binding.losses)


def _place(loss: Loss, payload: Json, schema: JsonObject | None) -> Pointer:
    """Return the place of a loss in the payload, or the nearest place that is left."""
    field, *rest = loss.at or ("",)
    for at, value in members(payload, (), _DEPTH):
        if field == "inputs" and value is schema:
            return Pointer((*at, *Pointer(rest).as_far_as(value)))
        if at[-1] == field and field != "inputs":
            return Pointer(at)
    return Pointer()


def _value(  # noqa: PLR0913, PLR0917 - a line has a prefix and a suffix
    value: Json,
    at: Pointer,
    indent: str,
    marks: Mapping[Pointer, Sequence[Loss]],
    before: str,
    after: str,
) -> Iterator[Shown]:
    deeper = f"{indent}  "
    own = [Shown(f"{deeper}{_mark(loss)}", is_mark=True) for loss in marks.get(at, ())]
    if isinstance(value, dict | list) and value:
        is_object = isinstance(value, dict)
        yield Shown(f"{indent}{before}{'{' if is_object else '['}")
        yield from own
        steps = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
        for number, (step, inner) in enumerate(steps, 1):
            key = f"{safe_json(step, indent=None)}: " if is_object else ""
            comma = "," if number < len(steps) else ""
            yield from _value(inner, at / step, deeper, marks, key, comma)
        yield Shown(f"{indent}{'}' if is_object else ']'}{after}")
    else:
        yield Shown(f"{indent}{before}{safe_json(value, indent=None)}{after}")
        yield from own


def _mark(loss: Loss) -> str:
    meaning = CODES[loss.code].says
    what = str(loss.at[-1]) if loss.at else ""
    was = "" if loss.before is None else f", was {safe_json(loss.before, indent=None)}"
    return safe(f"~ {loss.code} {loss.effect.words()}: {meaning} ({what}{was})", _SHOWN)


@dataclass(slots=True)
class Gathered:
    """A finding with all its targets; ``finding`` is the first of them."""

    finding: Finding
    targets: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    quotes: list[str] = field(default_factory=list)

    @property
    def places(self) -> list[str]:
        """Return the place in the file, if known, and the place in the tool."""
        found = self.finding
        known = [str(found.place)] if found.place else []
        return [*known, str(found.at) or "/"] if found.at or not known else known


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """Findings of one code and level."""

    code: str
    name: str
    level: Level
    items: tuple[Gathered, ...]

    @property
    def subjects(self) -> list[str]:
        return list(dict.fromkeys(item.finding.subject for item in self.items))

    def shared(self, field: str) -> list[str]:
        """Return the different values of a field of the findings, in order."""
        return list(dict.fromkeys(text for item in self.items for text in getattr(item, field)))

    @property
    def remedies(self) -> list[str]:
        texts = (item.finding.remedy for item in self.items)
        return list(dict.fromkeys(text for text in texts if text))


def gathered(findings: Iterable[Finding]) -> list[Gathered]:
    """Group findings that differ only in their target, in their first order."""
    found: dict[tuple[object, ...], Gathered] = {}
    for item in findings:
        key = (item.level, item.code, item.subject, item.at, item.message, item.place)
        entry = found.setdefault(key, Gathered(item))
        for kept, value in (
            (entry.targets, item.target),
            (entry.sources, item.source),
            (entry.quotes, item.quote),
        ):
            if value and value not in kept:
                kept.append(value)
    return list(found.values())


def kinds(findings: Iterable[Finding]) -> list[FindingGroup]:
    """Group findings by code, worst level first, then by first occurrence."""
    by_kind: dict[tuple[Level, str], list[Gathered]] = {}
    for item in gathered(findings):
        by_kind.setdefault((item.finding.level, item.finding.code), []).append(item)
    made = [
        FindingGroup(code, items[0].finding.name, level, tuple(items))
        for (level, code), items in by_kind.items()
    ]
    return sorted(made, key=lambda kind: LEVELS.index(kind.level))

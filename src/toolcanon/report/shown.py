"""A tool as one provider's model sees it, with losses marked in place."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from toolcanon.checking.origins import members
from toolcanon.conversion.binding import Binding, bound_tools
from toolcanon.diagnostics import CODES, Effect, Loss
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
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

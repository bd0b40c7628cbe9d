"""Rows with something wrong in them, by the thousand, for the compiled reader.

``python -m tests.damaged_rows SECONDS SEED`` tries more of them than a test can; ``make fuzz`` does
so with a reader that was compiled with sanitizers.
"""

from __future__ import annotations

import contextlib
import importlib.util
import random
import sys
import time

from tests.conftest import LABELS, rows
from tests.text_rows import TextRows, compact

MODULE = "toolcanon.bulk._templates"
TARGETS = (
    ("anthropic", {}),
    ("openai", {}),
    ("openai", {"strict": True}),
    ("gemini", {"dialect": "gemini/openapi"}),
)
FIELDS = ("tool", "tool", "tool", None, "id")
PIECES = (
    b'" \\ { } [ ] , : \n \x00 \xff \\u \\ud83d \\ude00 null true 1e5 -0 0.50 \\n \\/ \xc3\xa9 '
    b'\xed\xa0\x80 12345678901234567890 "$ref":"#/$defs/A" "type":"STRING" "type" "properties":{ '
    b'"required":["a"], "$schema":"x", "const":null, "enum":[], "strict":true, "title":"T", '
    b'"additionalProperties":true,'
).split(b" ")


def damaged(line: bytes, chance: random.Random) -> bytes:
    """The row with parts left out, put in, repeated or cut off."""
    text = bytearray(line)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        kind, at = chance.random(), chance.randrange(len(text) + 1)
        if kind < 0.3:
            del text[at : at + chance.choice((1, 1, 2, 5, 30, 200))]
        elif kind < 0.7:
            text[at:at] = chance.choice(PIECES)
        elif kind < 0.8:
            text[at : at + 1] = bytes([chance.randrange(256)])
        elif kind < 0.9:
            begin = chance.randrange(len(text) + 1)
            text[at:at] = text[begin : begin + chance.randrange(60)]
        else:
            del text[at:]
    return bytes(text)


def main(seconds: float, seed: int, module: str | None) -> None:
    if module is not None:
        spec = importlib.util.spec_from_file_location(MODULE, module)
        sys.modules[MODULE] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[MODULE])
    chance = random.Random(seed)  # noqa: S311 - as often as it is wanted
    lines = whole_rows()
    takers = [TextRows(target, **options) for target, options in TARGETS]
    for line in lines:
        for made in takers:
            made.compare(line, "whole", times=3)
    end, read = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        made = chance.choice(takers)
        for _ in range(20):  # far more can be read than compared
            line = damaged(chance.choice(lines), chance)
            made.templates._read(line, chance.choice(FIELDS))
            read += 1
        made.compare(line, repr(line), times=1)
    compared, taken = sum(made.tried for made in takers), sum(made.taken for made in takers)
    print(f"{read:,} rows read, {compared:,} compared, {taken:,} of them written by templates")  # noqa: T201


def whole_rows() -> list[bytes]:
    """Rows of the corpus, where there is one, and those of the tests."""
    from tests.unit.test_templates import SCHEMAS, TOOLS, chat

    tools = [*TOOLS.values(), *(chat(schema) for schema in SCHEMAS.values())]
    tools += [chat(schema, strict=True) for schema in SCHEMAS.values()]
    with contextlib.suppress(OSError):
        tools += [row["definition"] for label in LABELS for row in rows(label)]
    return [compact({"id": 1, "tool": tool}) for tool in tools]


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else None)

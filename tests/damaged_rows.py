"""Rows with something wrong in them, by the thousand, for the compiled reader.

``python -m tests.damaged_rows SECONDS SEED`` tries more of them than a test can. Under a sanitizer:

    cc -O1 -g -fsanitize=address,undefined -shared -fPIC $(python3-config --includes) \\
        src/toolcanon/bulk/_templates.c -o /tmp/_templates.so
    LD_PRELOAD=$(cc -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0 \\
        python -m tests.damaged_rows SECONDS SEED /tmp/_templates.so
"""

from __future__ import annotations

import importlib.util
import random
import sys
import time

import orjson

MODULE = "toolcanon.bulk._templates"
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
    from tests.conftest import LABELS, rows
    from tests.text_rows import TextRows

    made, chance = TextRows("anthropic"), random.Random(seed)  # noqa: S311 - as often as it is wanted
    lines = [
        orjson.dumps({"id": row["id"], "tool": row["definition"]})
        for label in LABELS
        for row in rows(label)
    ]
    for line in lines:
        made.compare(line, "whole")
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        line = damaged(chance.choice(lines), chance)
        made.compare(line, repr(line), times=1)
    print(f"{made.tried:,} rows, {made.taken:,} taken, all of them rightly")  # noqa: T201


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else None)

"""Rows written by templates beside the same rows converted one by one."""

from __future__ import annotations

import json
from collections import Counter

import orjson

import toolcanon as tc
from toolcanon.bulk.templates import Templates
from toolcanon.errors import ToolcanonError
from toolcanon.jsonio import DEFAULT_LIMITS, loads_line


def compact(row):
    """JSON as most programs write it; integers of any length."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode()


def spelled(value):
    """JSON with every character of every text escaped, those of keys apart."""
    if isinstance(value, dict):
        return b"{%b}" % b",".join(
            b"%b : %b" % (compact(key), spelled(below)) for key, below in value.items()
        )
    if isinstance(value, list):
        return b"[ %b]" % b" , ".join(map(spelled, value))
    if not isinstance(value, str):
        return compact(value)
    units = memoryview(value.encode("utf-16-le")).cast("H")
    return b'"%b"' % b"".join(b"\\u%04X" % unit for unit in units)


class TextRows:
    """One target, and how many rows were written by templates for it."""

    def __init__(self, target, field="tool", **options):
        self.converter = tc.Converter(target, tools_field=field, **options)
        self.templates = Templates(self.converter)
        self.tried = self.taken = 0

    def written(self, line):
        """What templates have to say of one line."""
        return self.templates([line])[0]

    def converted(self, line):
        """What the converter writes, with kinds of losses and whether calls need restoring."""
        done = self.converter.row(loads_line(line, DEFAULT_LIMITS).value)
        losses = Counter((loss.tool, loss.code, loss.effect) for loss in done.losses)
        return orjson.dumps(done.row) + b"\n", losses, done.needs_restore

    def compare(self, row, name, spell=compact, times=4):
        """Try a row until it is known; whatever is answered is what the converter writes."""
        line = spell(row) if not isinstance(row, bytes) else row
        for _ in range(times):
            self.tried += 1
            try:
                found = self.written(line)
            except ToolcanonError:
                found = None
            if found is None:
                continue
            text = found.row
            if isinstance(text, bytes):
                self.taken += 1
            else:
                text = orjson.dumps(text) + b"\n"
            try:
                expected, losses, needs_restore = self.converted(line)
            except ToolcanonError as error:
                raise AssertionError(f"{name}: taken, and refused: {error}") from error
            assert text == expected, name
            summed = Counter(
                (tool, code, effect) for tool, kinds in found.losses for code, effect in kinds
            )
            assert summed == losses, name
            assert found.needs_restore == needs_restore, name

"""Rows converted from text to text beside the same rows converted by the long way."""

from __future__ import annotations

import json
from collections import Counter

import orjson

import toolcanon as tc
from toolcanon.bulk.summing import Summing
from toolcanon.bulk.templates import Outlines
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
    """One way to a target, and how many rows took it."""

    def __init__(self, target, field="tool", **options):
        self.converter = tc.Converter(target, tools_field=field, **options)
        self.outlines = Outlines(Summing(self.converter))
        self.tried = self.taken = 0

    def long(self, line):
        """What the long way writes, with sorts of losses and whether calls need restoring."""
        done = self.converter.row(loads_line(line, DEFAULT_LIMITS).value)
        sorts = Counter((loss.tool, loss.code, loss.effect) for loss in done.losses)
        return orjson.dumps(done.row) + b"\n", sorts, done.needs_restore

    def compare(self, row, name, spell=compact, times=3):
        """Try a row until its outline is known; whatever is answered is what the long way says."""
        line = spell(row) if not isinstance(row, bytes) else row
        for _ in range(times):
            self.tried += 1
            found = self.outlines(line)
            if found is None:
                continue
            self.taken += 1
            try:
                text, sorts, needs_restore = self.long(line)
            except ToolcanonError as error:
                raise AssertionError(f"{name}: taken, and refused: {error}") from error
            assert found.row == text, name
            told = Counter(
                (tool, code, effect) for tool, all_ in found.sorts for code, effect in all_
            )
            assert told == sorts, name
            assert found.needs_restore == needs_restore, name

"""A name for each finding that stays the same while lines move and wording is improved."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256

from toolcanon.checking.baseline import key_of
from toolcanon.diagnostics import Finding


def fingerprints(findings: Iterable[Finding]) -> list[str]:
    """Digests of what a baseline knows findings by: neither lines nor sentences are in it.

    The second of two that agree in all of it gets another, so that nobody takes them for one.
    """
    seen: Counter[str] = Counter()
    out: list[str] = []
    for finding in findings:
        key = json.dumps(key_of(finding))
        text = f"{key}#{seen[key]}" if seen[key] else key
        seen[key] += 1
        out.append(sha256(text.encode()).hexdigest())
    return out

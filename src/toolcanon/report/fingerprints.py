"""Fingerprints of findings that do not change with line numbers or wording."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256

from toolcanon.checking.baseline import key_of
from toolcanon.diagnostics import Finding


def fingerprints(findings: Iterable[Finding]) -> list[str]:
    """Return digests of what identifies a finding in a baseline, without lines and sentences.

    Findings that agree in all of it get different digests by their order.
    """
    seen: Counter[str] = Counter()
    out: list[str] = []
    for finding in findings:
        key = json.dumps(key_of(finding))
        text = f"{key}#{seen[key]}" if seen[key] else key
        seen[key] += 1
        out.append(sha256(text.encode()).hexdigest())
    return out

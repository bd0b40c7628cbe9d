"""Payloads of the corpus for an engine that lives in an environment of its own.

``python -m tests.engines.payloads write openai/strict > payloads.jsonl`` needs toolcanon and the
corpus; ``python -m tests.engines.payloads judge xgrammar < payloads.jsonl`` needs the engine only.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.engines.judges import ENGINES, Refused


def written(dialect: str) -> Iterator[dict[str, Any]]:
    """Each schema with texts that it allows and texts that it forbids."""
    from tests.engines.spelling import spelled
    from tests.oracle.test_engine_payloads import LABELS, bindings
    from tests.sampling import sample

    for label in LABELS:
        for where, _, bound in bindings(label, dialect):
            schema = bound._bound[0].wire.inputs
            found = sample(schema, most=6)
            yield {
                "id": f"{label} {where}",
                "schema": schema,
                "valid": [spelled(value, schema)[0].decode() for value in found.valid],
                "invalid": [spelled(value, schema)[0].decode() for value in found.invalid],
            }


def judged(package: str, lines: Iterator[str]) -> tuple[Counter[str], Counter[str]]:
    """How many compile and what is let through, and why others do not compile."""
    (engine,) = (engine for engine in ENGINES if engine.package == package)
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for line in lines:
        row = json.loads(line)
        counts["schemas"] += 1
        try:
            accepts = engine.compile(row["schema"])
            for kind in ("valid", "invalid"):
                for text in row[kind]:
                    counts[f"{kind}, {'let through' if accepts(text.encode()) else 'refused'}"] += 1
        except Refused as error:
            counts["do not compile"] += 1
            reasons[str(error).partition("\n")[0][:120]] += 1
    return counts, reasons


if __name__ == "__main__":
    what, name = sys.argv[1:]
    if what == "write":
        for row in written(name):
            print(json.dumps(row))  # noqa: T201
    else:
        counts, reasons = judged(name, iter(sys.stdin))
        print(*map(": ".join, ((k, str(v)) for k, v in counts.items())), sep="\n")  # noqa: T201
        print(*(f"  {count} {reason}" for reason, count in reasons.most_common(10)), sep="\n")  # noqa: T201

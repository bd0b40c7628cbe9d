"""A detection as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

_WIDTH = 12


def detection_lines(
    found: str,
    confidence: Mapping[str, float],
    evidence: Mapping[str, str],
    *,
    first: Sequence[str],
    verbose: bool,
) -> Iterator[str]:
    """Yield the format; when verbose also all scores (``first`` on top) and the evidence."""
    yield f"Detected format: {found}"
    if not verbose:
        return
    yield ""
    yield "Confidence scores:"
    rest = sorted(name for name in confidence if name not in first)
    for name in (*first, *rest):
        yield f"  {name:{_WIDTH}s}: {confidence[name]:>4.0%}"
    reasons = [name for name in (*first, *rest) if name in evidence]
    if reasons:
        yield ""
        yield "Evidence:"
        for name in reasons:
            yield f"  {name:{_WIDTH}s}: {evidence[name]}"

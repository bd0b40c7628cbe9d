"""Targets that reject a tool now, or lose more of it than before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from toolcanon.checking.compatibility import dry_run
from toolcanon.checking.outcome import VERDICTS, Cell, Verdict
from toolcanon.checking.targets import asked
from toolcanon.conversion.target import Target
from toolcanon.diagnostics import Finding
from toolcanon.diagnostics.change import Change
from toolcanon.drift.telling import told
from toolcanon.ir import CanonicalTool

_WORSE: Final[dict[Verdict, str]] = {
    "rejected": "target-newly-rejects",
    "lossy": "target-newly-loses",
}
_BETTER: Final[dict[Verdict, str]] = {
    "rejected": "target-newly-accepts",
    "lossy": "target-no-longer-loses",
}


def provider_changes(
    pairs: Sequence[tuple[CanonicalTool, CanonicalTool]], targets: Iterable[str | Target]
) -> Iterator[Change]:
    """Yield the changes of verdicts for each target, by lowering both versions for it."""
    for name in targets:
        target = asked(name)
        for before, after in pairs:
            old, new = (dry_run([tool], target) for tool in (before, after))
            yield from _moved(
                after.id, target.name, old[0][0], new[0][0], [found for _, found in new[1]]
            )


def _moved(
    tool: str, target: str, old: Cell, new: Cell, findings: list[Finding]
) -> Iterator[Change]:
    if old.verdict == new.verdict or "unknown" in {old.verdict, new.verdict}:
        return
    is_worse = VERDICTS.index(new.verdict) < VERDICTS.index(old.verdict)
    name = _WORSE[new.verdict] if is_worse else _BETTER[old.verdict]
    why = next((found.message for found in findings), "")
    yield told(
        name, f"{target}: {new.verdict}, was {old.verdict}", before=old.verdict, after=new.verdict,
        target=target, tool=tool, severity="low" if name == "target-newly-loses" else None,
        reason=why if is_worse else "",
    )  # fmt: skip

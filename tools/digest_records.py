"""What is recorded of one result: its structure and its text, as plain JSON.

*Structure* is what programs read: payloads, codes, effects, pointers, values before and after,
names, receipts, exit codes. *Text* is what people read: messages, remedies, output of commands.
Only public names of the package are used here, so that the same script runs an older version.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import toolcanon as tc

Record = tuple[Any, Any]
MODES: Mapping[str, Mapping[str, Any]] = {
    "plain": {},
    "strict": {"strict": True},
    "auto": {"strict": "auto"},
    "verbatim": {"lower": False},
}


def recorded(make: Callable[[], Record]) -> Record:
    """Return what ``make`` returns, or the typed error that it raises."""
    try:
        return make()
    except tc.ToolcanonError as error:
        return {"error": type(error).__name__, "code": error.code}, str(error)


def conversion(definition: Any, target: str, mode: str, calls: Iterable[Any] = ()) -> Record:
    """Convert one payload; render and restore the given arguments of its first tool."""
    done = tc.convert(definition, to=target, **MODES[mode])
    binding = done.binding
    structure = {
        "payload": done.payload,
        "losses": [_without_name(loss.to_dict()) for loss in done.losses],
        "names": binding.names,
        "receipt": binding.receipt(),
    }
    name = next(iter(binding.names), None)
    if calls and name is not None:
        structure["calls"] = [_there_and_back(binding, name, arguments) for arguments in calls]
    return structure, [loss.name for loss in done.losses]


def _there_and_back(binding: Any, name: str, arguments: Any) -> Any:
    wire_name, wire = binding.render(name, arguments)
    restored = binding.restore(wire_name, wire)
    return [wire_name, wire, restored.name, restored.arguments, list(map(str, restored.problems))]


def _without_name(said: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in said.items() if key != "name"}


def verdicts(definition: Any) -> Record:
    """Check one payload against the default targets."""
    report = tc.check(definition)
    return _findings(report.findings, {"matrix": report.matrix})


def _findings(findings: Iterable[Any], structure: dict[str, Any]) -> Record:
    found = [finding.to_dict() for finding in findings]
    texts = ("name", "message", "remedy", "quote", "source", "fix")
    structure["findings"] = [
        {key: value for key, value in one.items() if key not in texts} for one in found
    ]
    return structure, [[one.get(key) for key in texts] for one in found]


def switched(body: Any, target: str) -> Record:
    """Write one conversation for a target."""
    done = tc.switch(body, to=target)
    told = [*done.losses, *done.repairs]
    structure = {
        "payload": done.payload,
        "system": done.system,
        "reports": [_without_name(one.to_dict()) for one in told],
        "receipt": done.receipt(),
    }
    return structure, [one.name for one in told]


def history_findings(body: Any, target: str) -> Record:
    """Check one conversation against a target."""
    return _findings(tc.lint(body, target), {})


def drift(before: Any, after: Any) -> Record:
    """Compare two versions of a tool."""
    report = tc.diff(before, after)
    changes = [change.to_dict() for change in report.changes]
    texts = ("name", "message", "reason", "hint")
    structure = {
        "verdict": report.verdict,
        "changes": [
            {key: value for key, value in one.items() if key not in texts} for one in changes
        ],
    }
    return structure, [[one.get(key) for key in texts] for one in changes]


def command(program: str, arguments: list[str], files: Mapping[str, str]) -> Record:
    """Run one command line in process, in a new folder that holds the given files."""
    from click.testing import CliRunner  # noqa: PLC0415 - click is needed for commands only

    from toolcanon import cli  # noqa: PLC0415

    folder = Path(tempfile.mkdtemp())
    try:
        runner = CliRunner()
        with runner.isolated_filesystem(folder):
            for name, text in files.items():
                Path(name).write_text(text, encoding="utf-8")
            environment = {"HOME": "home", "NO_COLOR": "1", "COLUMNS": "100", "CI": None,
                           "TOOLWATCH_STORE": "store.db"}  # fmt: skip
            done = runner.invoke(getattr(cli, program), arguments, env=environment)
            written = {
                path.name: path.read_text(encoding="utf-8") for path in sorted(Path().glob("out*"))
            }
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return {"exit": done.exit_code, "written": written}, [done.stdout, done.stderr]

"""The meaning of a code, from the entry or class that defines it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from toolcanon import errors
from toolcanon.checking.rule import Rule
from toolcanon.checking.rules import rules
from toolcanon.diagnostics import CODES, FINDINGS, Code, FindingCode
from toolcanon.diagnostics.change import CHANGES, ChangeCode
from toolcanon.dialect.history import RuleRefusal
from toolcanon.errors import ToolcanonError, UnknownCode
from toolcanon.registry import registry
from toolcanon.text import safe, safe_json

_LOWERING, _REPAIR = "L2", "R"
_EXAMPLE = 600


def _errors() -> dict[str, type[ToolcanonError]]:
    classes = [
        value
        for value in vars(errors).values()
        if inspect.isclass(value) and issubclass(value, ToolcanonError) and "code" in vars(value)
    ]
    return {item.code: item for item in classes if item is not ToolcanonError}


def explain_list() -> Iterator[str]:
    """Yield every code with its name and one sentence."""
    known = [(code.code, code.name, code.says) for code in CODES.values()]
    known += [(found.code, found.name, found.says) for found in FINDINGS.values()]
    known += [(rule.code, rule.name, rule.says) for rule in rules().values()]
    known += [(change.code, change.name, change.says) for change in CHANGES.values()]
    known += [(code, e.name, _first_line(e)) for code, e in sorted(_errors().items())]
    width = max(len(name) for _, name, _ in known)
    for code, name, says in known:
        yield f"{code}  {name:{width}s}  {says}"


def explain_lines(word: str) -> Iterator[str]:
    """Yield the entry of a code or name; raises UnknownCode with advice."""
    wanted = word.strip()
    for code in CODES.values():
        if wanted.upper() == code.code or wanted.lower() == code.name:
            return _loss(code)
    for found in FINDINGS.values():
        if wanted.upper() == found.code or wanted.lower() == found.name:
            return _finding(found)
    for rule in rules().values():
        if wanted.upper() == rule.code or wanted.lower() == rule.name:
            return _rule(rule)
    for change in CHANGES.values():
        if wanted.upper() == change.code or wanted.lower() == change.name:
            return _change(change)
    for code_, error in _errors().items():
        if wanted.upper() == code_ or wanted.lower() == error.name:
            return _error(error)
    known = [name for entry in CODES.values() for name in (entry.code, entry.name)]
    known += [name for found in FINDINGS.values() for name in (found.code, found.name)]
    known += [name for rule in rules().values() for name in (rule.code, rule.name)]
    known += [name for change in CHANGES.values() for name in (change.code, change.name)]
    known += [name for item in _errors().values() for name in (item.code, item.name)]
    raise UnknownCode(word, known)


def _loss(code: Code) -> Iterator[str]:
    yield f"{code.code} {code.name}"
    yield f"  {_sentence(code.says)}"
    if code.code.startswith(_LOWERING):
        yield f"  Effect: usually {code.effect.words()}; each loss states its own."
    elif not code.code.startswith(_REPAIR):
        yield f"  Effect: {code.effect.words()}."
    yield f"  {code.why}"
    if code.edit:
        yield f"  What to change: {code.edit}."


def _finding(found: FindingCode) -> Iterator[str]:
    yield f"{found.code} {found.name}"
    yield f"  {_sentence(found.says)}"
    yield f"  {found.why}"
    yield f"  What to do: {found.remedy}."
    for format_id, refusal in _refusals(found.name):
        level = "rejects it" if refusal.is_certain else "may reject it"
        yield f"  - {format_id} {level}: {refusal.quote}"


def _rule(rule: Rule) -> Iterator[str]:
    yield f"{rule.code} {rule.name}"
    yield f"  {_sentence(rule.says)}"
    yield f"  {rule.why}"
    yield f"  What to do: {rule.remedy}."
    yield f"  Level: usually {rule.level}."
    yield "  Example:"
    for word, tools in (("wrong", rule.wrong), ("right", rule.right)):
        for tool in tools:
            yield f"    {word}: {safe(safe_json(tool, indent=None), _EXAMPLE)}"


def _change(change: ChangeCode) -> Iterator[str]:
    yield f"{change.code} {change.name}"
    yield f"  {_sentence(change.says)}"
    yield f"  {change.why}"
    if change.remedy:
        yield f"  What to do: {change.remedy}."
    yield f"  Verdict: usually {change.verdict}; each change states its own."
    if change.mirror and change.mirror != change.name:
        yield f"  The reverse change: {change.mirror}."


def _refusals(name: str) -> Iterator[tuple[str, RuleRefusal]]:
    """Yield the formats that reject it, in order."""
    for item in registry().formats.values():
        rules = next((found.history for found in item.dialects if found.history), None)
        if rules is not None and name in rules.refusals:
            yield item.id, rules.refusals[name]


def _error(error: type[ToolcanonError]) -> Iterator[str]:
    yield f"{error.code} {error.name}"
    for line in inspect.cleandoc(error.__doc__ or "").splitlines():
        yield f"  {line}".rstrip()
    yield f"  Exit status {error.exit_code}."


def _sentence(says: str) -> str:
    return f"{says[0].upper()}{says[1:]}."


def _first_line(error: type[ToolcanonError]) -> str:
    return inspect.cleandoc(error.__doc__ or "").partition("\n")[0]

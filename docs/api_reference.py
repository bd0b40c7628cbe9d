"""The API reference: a page made from the signatures and docstrings of the public names."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import re
import textwrap
from collections.abc import Iterator

from pydantic import BaseModel

import toolcanon as tc
from toolcanon import errors

WIDTH = 88
# Every public name is in exactly one group. A class that users do not construct has no signature.
GROUPS: dict[str, tuple[str, str]] = {
    "Convert tools": (
        "Read definitions, write them for a target, and restore the arguments of calls.",
        """read convert bind detect observe Target Conversion Binding RestoredCall Detection
        Converter Profile""",
    ),
    "Check and compare": (
        "Judge tools before anything is sent, and compare two versions of them.",
        """check diff fingerprint CheckReport DiffReport Finding Change ToolFingerprint Shape
        ShapeComparison""",
    ),
    "Define and run tools": (
        "Make tools of Python functions and run the calls of a model.",
        """tool define_tool Toolset BoundToolset FunctionTool Context Injected CallResult
        TurnMessages McpServer HttpRequest ToolResponse""",
    ),
    "Conversations": (
        "Carry histories, answers and streams from one provider to another.",
        """switch trim read_conversation write_conversation translate_stream SwitchResult
        TrimResult TranslatedStream Conversation Message Answer Candidate Stop ToolChoice""",
    ),
    "Parts of a message": ("", "Text Data Media Call Result Reasoning Refusal Native"),
    "Canonical tools": (
        "",
        "CanonicalTool ToolCapability ToolHints ToolSecurity Grammar Kind",
    ),
    "Reports and errors": ("", "Loss Losses Effect Repair ToolcanonError"),
}
RETURNED = frozenset(
    "Conversion Binding RestoredCall Detection CheckReport DiffReport Finding Change "
    "ToolFingerprint Shape ShapeComparison BoundToolset FunctionTool CallResult TurnMessages "
    "HttpRequest SwitchResult TrimResult TranslatedStream Answer Candidate Loss Losses Repair "
    "ToolResponse Injected ToolcanonError Effect Kind".split()
)
"""Classes whose values come from a function or are used as they are."""
_EXAMPLE = re.compile(r"^>>> ", re.MULTILINE)
_PRIVATE_TYPES = re.compile(r"\b(?:toolcanon|typing|collections\.abc)(?:\.\w+)*\.(?=\w)")
_FORWARD = re.compile(r"ForwardRef\('([^']*)'\)")


def api_page() -> str:
    """Return the whole page."""
    grouped = [name for _, names in GROUPS.values() for name in names.split()]
    public = [name for name in tc.__all__ if name != "__version__"]
    if sorted(grouped) != sorted(public):
        wrong = set(grouped) ^ set(public) or "a name in two groups"
        raise ValueError(f"the groups of the API reference and __all__ differ: {wrong}")
    lines = [
        "# API reference",
        "",
        "Made by `make docs` from the signatures and docstrings of `toolcanon.__all__`.",
        "The examples are run by the tests. [Versions](versioning.md) states what stays stable.",
        "",
    ]
    lines += [f"- [{title}](#{_anchor(title)})" for title in (*GROUPS, "Errors")]
    for title, (about, names) in GROUPS.items():
        lines += ["", f"## {title}", ""]
        lines += [about, ""] if about else []
        for name in names.split():
            lines += entry(name)
    return "\n".join([*lines, *_errors()]).rstrip() + "\n"


def _errors() -> Iterator[str]:
    """Yield a table of what is raised."""
    yield from ("", "### Errors", "")
    yield from ("All of them are in `toolcanon.errors`, and each is a `ToolcanonError`.", "")
    yield from ("| error | code | kind of | |", "| --- | --- | --- | --- |")
    for name, value in sorted(vars(errors).items()):
        if inspect.isclass(value) and issubclass(value, errors.ToolcanonError):
            code = value.code if value.code != errors.ToolcanonError.code else ""
            public = (one.__name__ for one in value.__mro__[1:] if hasattr(errors, one.__name__))
            about = _first_line(value.__doc__)
            yield f"| `{name}` | {code} | `{next(public, 'Exception')}` | {about} |"


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


def entry(name: str) -> Iterator[str]:
    """Yield the lines of one public name."""
    value = getattr(tc, name)
    yield from (f"### {name}", "")
    if not inspect.isclass(value):
        yield from _code(signature(name, value))
        yield from _described(value)
        return
    if name not in RETURNED:
        yield from _code(signature(name, value))
    yield from _described(value)
    bases = [base for base in value.__mro__[1:] if base in _public_classes()]
    if bases:
        links = ", ".join(f"[{base.__name__}](#{base.__name__.lower()})" for base in bases)
        yield from (f"Has all members of {links}, and:", "")
    rows = [*_fields(value), *_properties(value)]
    if rows:
        yield from ("| member | type | |", "| --- | --- | --- |", *rows, "")
    for method, function in _methods(value):
        yield from _code(signature(f"{name}.{method}", function))
        yield from _described(function)


def _code(text: str) -> tuple[str, ...]:
    return ("```python", text, "```", "")


def signature(name: str, value: object) -> str:
    """Return a signature, a parameter per line where one line is too long."""
    found = inspect.signature(value)
    kept = [one for key, one in found.parameters.items() if key not in {"self", "cls"}]
    text = str(found.replace(parameters=kept))
    text = _plain_types(text)
    if len(name) + len(text) <= WIDTH:
        return f"{name}{text}"
    head, _, returned = text.rpartition(")")
    body = ",\n".join(f"    {part}" for part in _split(head[1:]))
    return f"{name}(\n{body},\n){returned}"


def _split(text: str) -> list[str]:
    """Split at the commas that are not inside brackets or quotes."""
    parts, depth, start, quote = [], 0, 0, ""
    for at, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "," and not depth:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]


def _plain_types(text: str) -> str:
    text = _FORWARD.sub(r"\1", text)
    text = re.sub(r"(?<=[:>] )'([^']*)'", r"\1", text)
    text = re.sub(r"= <[^>]*(?:<[^>]*>)?[^>]*>", "= ...", text)
    return _PRIVATE_TYPES.sub("", text)


def _described(value: object) -> Iterator[str]:
    """Yield a docstring as Markdown; its examples are Python sessions."""
    text = inspect.getdoc(value) or ""
    for block in re.split(r"\n\s*\n", text):
        if not block.strip():
            continue
        if _EXAMPLE.match(block):
            yield from ("```pycon", block, "```", "")
        elif all(line.startswith("    ") for line in block.splitlines() if line):
            yield from ("```python", textwrap.dedent(block), "```", "")
        else:
            yield from (block, "")


def _first_line(text: str | None) -> str:
    paragraph = re.split(r"\n\s*\n", inspect.cleandoc(text or ""), maxsplit=1)[0]
    return paragraph.replace("\n", " ").replace("|", "\\|")


def _row(name: str, kind: str, about: str) -> str:
    return f"| `{name}` | `{_plain_types(kind)}` | {about} |".replace("``", "")


def _fields(value: type) -> Iterator[str]:
    """Yield a row for each public field of a model, data class or named tuple."""
    about = _field_docs(value)
    if issubclass(value, BaseModel):
        for name, field in value.model_fields.items():
            kind = inspect.formatannotation(field.annotation).replace("|", "\\|")
            yield _row(name, kind, _first_line(field.description) or about.get(name, ""))
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            if not field.name.startswith("_"):
                yield _row(
                    field.name, str(field.type).replace("|", "\\|"), about.get(field.name, "")
                )
    elif hasattr(value, "_fields"):
        for name in value._fields:
            kind = str(value.__annotations__[name]).replace("|", "\\|")
            yield _row(name, kind, about.get(name, ""))
    elif not issubclass(value, enum.Enum):
        for name, kind in vars(value).get("__annotations__", {}).items():
            if not name.startswith("_"):
                yield _row(name, str(kind).replace("|", "\\|"), about.get(name, ""))
    else:
        for member in value:
            yield _row(member.name or "", repr(member.value), about.get(member.name or "", ""))


def _field_docs(value: type) -> dict[str, str]:
    """Return the strings that follow fields in the source of a class and of its bases."""
    found: dict[str, str] = {}
    for base in value.__mro__:
        if base.__module__.startswith("toolcanon"):
            source = textwrap.dedent(inspect.getsource(base))
            pattern = r'^    (\w+)(?::[^\n]*|\s*=[^\n]*)\n    """(.*?)"""'
            for name, text in re.findall(pattern, source, re.MULTILINE | re.DOTALL):
                found.setdefault(name, _first_line(text))
    return {"extras": "What only one format knows, by format id; None for nothing.", **found}


def _properties(value: type) -> Iterator[str]:
    for name, member in _members(value):
        if isinstance(member, property):
            kind = inspect.signature(member.fget).return_annotation
            yield _row(name, str(kind).replace("|", "\\|"), _first_line(member.__doc__))


def _methods(value: type) -> Iterator[tuple[str, object]]:
    for name, member in _members(value):
        if inspect.isfunction(member) or isinstance(member, (classmethod, staticmethod)):
            yield name, getattr(value, name)


def _public_classes() -> frozenset[type]:
    return frozenset(one for one in vars(tc).values() if inspect.isclass(one)) | {
        getattr(tc, name) for name in tc.__all__ if inspect.isclass(getattr(tc, name))
    }


def _members(value: type) -> Iterator[tuple[str, object]]:
    """Yield the public members that this package defines and documents, in the order of source.

    Members of a base class that has an entry of its own are left to that entry.
    """
    seen: set[str] = set()
    for base in value.__mro__:
        if not base.__module__.startswith("toolcanon"):
            continue
        if base is not value and base in _public_classes():
            continue
        for name, member in vars(base).items():
            documented = inspect.getdoc(getattr(member, "__func__", member))
            if name.startswith("_") or name in seen or not documented:
                continue
            if not documented.startswith("Inherited"):
                seen.add(name)
                yield name, member

"""Data that came as text: JSON, or the literals, assignments and signatures of Python.

Python text is parsed and looked at, never run.
"""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Final, NamedTuple

from toolcanon.errors import InputError
from toolcanon.jsonio import loads
from toolcanon.jsonio.types import Json, JsonObject

if TYPE_CHECKING:
    import ast

_LONGEST: Final = 250_000
_DEEPEST: Final = 180  # brackets within brackets; the parser itself gives up at two hundred
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_NO_DATA: Final = "text that is no data"


class Parameter(NamedTuple):
    """One parameter of a signature; ``default`` is only there when it can be left out."""

    name: str
    type: str | None
    default: tuple[Json, ...] = ()


def object_in_text(text: str) -> JsonObject | None:
    """The object that a text spells in JSON or as a Python literal; None if it spells none."""
    if text.lstrip()[:1] != "{":
        return None
    try:
        value = loads(text.encode("utf-8", "surrogatepass")).value
    except InputError:
        try:
            value = _literal(text.strip())
        except ValueError:
            return None
    return value if isinstance(value, dict) else None


def assignments(text: str) -> JsonObject:
    """What ``name = literal`` lines assign. Raises ValueError on anything that is no such text."""
    import ast  # noqa: PLC0415 - one format needs it

    found: JsonObject = {}
    for line in _statements(text):
        match line:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found[name] = _value(value)
            case ast.Expr():
                pass  # a text by itself is a remark
            case _:
                raise ValueError(_NO_DATA)
    return found


def signature(text: str) -> tuple[str, list[Parameter]]:
    """The name and the parameters of ``name(a: str, b: int = 5)``; the name may be missing."""
    import ast  # noqa: PLC0415

    name, opening, rest = text.strip().partition("(")
    match _statements(f"def _{opening}{rest}: pass"):
        case [ast.FunctionDef(args=ast.arguments(vararg=None, kwarg=None) as arguments)]:
            pass
        case _:
            raise ValueError(_NO_DATA)
    listed = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(listed) - len(arguments.defaults))
    defaults += [*arguments.defaults, *arguments.kw_defaults]
    found = [
        Parameter(one.arg, _annotation(one.annotation), () if value is None else (_value(value),))
        for one, value in zip([*listed, *arguments.kwonlyargs], defaults, strict=True)
    ]
    return name.strip(), [one for one in found if one.name not in {"self", "cls"}]


def is_name(text: str) -> bool:
    """Whether Python would take a text for the name of a parameter."""
    from keyword import iskeyword  # noqa: PLC0415

    return text.isidentifier() and not iskeyword(text) and text not in {"self", "cls"}


def _annotation(node: ast.expr | None) -> str | None:
    import ast  # noqa: PLC0415

    if node is None:
        return None
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return ast.unparse(node)


def _literal(text: str) -> Json:
    import ast  # noqa: PLC0415

    match _statements(text):
        case [ast.Expr(value=value)]:
            return _value(value)
    raise ValueError(_NO_DATA)


def _statements(text: str) -> list[ast.stmt]:
    import ast  # noqa: PLC0415

    if len(text) > _LONGEST or _depth(text) > _DEEPEST:
        raise ValueError("text too long or too deep")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a backslash too many in somebody's text
            return ast.parse(text).body
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(_NO_DATA) from error


def _depth(text: str) -> int:
    depth = deepest = 0
    for mark in text:
        if mark in _OPENING:
            depth += 1
            deepest = max(deepest, depth)
        elif mark in _CLOSING:
            depth -= 1
    return deepest


def _value(node: ast.expr) -> Json:
    import ast  # noqa: PLC0415

    try:
        value = ast.literal_eval(node)
    except (TypeError, SyntaxError, RecursionError, MemoryError) as error:  # [] as a key, depth
        raise ValueError(_NO_DATA) from error
    return _as_json(value)


def _as_json(value: object) -> Json:
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise ValueError("keys that are no text")
        return {key: _as_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a number that JSON cannot hold")
    if value is None or isinstance(value, (str, int, float)):
        return value
    raise ValueError(_NO_DATA)

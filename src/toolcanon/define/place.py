"""Places of definitions in source files; looked up only for errors."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import Any, NamedTuple


class Place(NamedTuple):
    """A line of a file; line 0 when only the file is known."""

    file: str
    line: int


def place_of(source: Any, parameter: str | None = None) -> Place:
    """Return the line of a function or class, or of one of its parameters or fields."""
    code = getattr(source, "__code__", None)
    file = code.co_filename if code else _file_of(source)
    first = code.co_firstlineno if code else 0
    try:
        lines, start = inspect.getsourcelines(source)
    except (OSError, TypeError, SyntaxError):  # defined at a prompt or by exec, or built in
        return Place(file, first)
    try:
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except SyntaxError:  # part of a line
        return Place(file, first)
    return Place(file, max(start, 1) + _line_in(tree, parameter) - 1)


def _file_of(source: Any) -> str:
    try:
        return inspect.getsourcefile(source) or "unknown file"
    except (OSError, TypeError):  # built-in objects have no file
        return str(getattr(source, "__module__", None) or "unknown file")


def _line_in(tree: ast.Module, parameter: str | None) -> int:
    top = tree.body[0] if tree.body else None
    if isinstance(top, (ast.FunctionDef, ast.AsyncFunctionDef)):
        arguments = top.args
        extra = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
        for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *extra):
            if one.arg == parameter:
                return one.lineno
        return top.lineno
    if isinstance(top, ast.ClassDef):
        for item in top.body:
            if isinstance(item, ast.AnnAssign) and getattr(item.target, "id", "") == parameter:
                return item.lineno
        return top.lineno
    return 1

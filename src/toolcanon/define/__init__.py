"""Tools from Python: schemas from types, descriptions from docstrings, calls to functions."""

from .callable_info import Context, Injected
from .function_tool import FunctionTool, define_tool, definition_of, tool

__all__ = [
    "Context",
    "FunctionTool",
    "Injected",
    "define_tool",
    "definition_of",
    "tool",
]

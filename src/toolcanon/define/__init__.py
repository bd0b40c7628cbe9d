"""Tools from Python: schemas from types, descriptions from docstrings, calls to functions."""

from .callable_info import Context, Docstring, Injected
from .function_tool import FunctionTool, ToolOptions, define_tool, definition_of, tool

__all__ = [
    "Context",
    "Docstring",
    "FunctionTool",
    "Injected",
    "ToolOptions",
    "define_tool",
    "definition_of",
    "tool",
]

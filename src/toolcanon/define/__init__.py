"""Tools from Python: schemas from types, descriptions from docstrings, calls to functions."""

from .decorator import Options, define_tool, definition_of, tool
from .docstrings import Docstring
from .function_tool import FunctionTool
from .injected import Context, Injected

__all__ = [
    "Context",
    "Docstring",
    "FunctionTool",
    "Injected",
    "Options",
    "define_tool",
    "definition_of",
    "tool",
]

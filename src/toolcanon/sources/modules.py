"""Tools of a Python module: its decorated functions, or one member by name.

Reading the tools imports the module, which runs it.
"""

from __future__ import annotations

import contextlib
import sys
from hashlib import sha256
from importlib import import_module
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from toolcanon.conversion.sdk_objects import DEFINITION
from toolcanon.errors import NoModule, nearest

if TYPE_CHECKING:
    from toolcanon.define.toolset import Toolset

_FILE: Final = ".py"
_DATA: Final = frozenset({"gz", "json", "jsonl", "ndjson", "txt", "yaml", "yml"})


def names_module(word: str) -> bool:
    """Return whether a word names a module: ``package.module:name``, or a Python file."""
    path, _, name = word.partition(":")
    if path.endswith(_FILE):
        return True
    dotted = all(part.isidentifier() for part in path.split("."))
    is_data = path.rpartition(".")[2].lower() in _DATA
    return dotted and not is_data and not Path(word).exists() and (bool(name) or "." in path)


def toolset_of(word: str) -> Toolset:
    """Return the tools of ``module[:name]``: decorated ones, or a function, a list or a toolset.

    Raises NoModule with advice.
    """
    from toolcanon.define.toolset import Toolset  # noqa: PLC0415 - most inputs are data files

    path, _, name = word.partition(":")
    module = _imported(path)
    if name:
        found = _member(module, name)
        if isinstance(found, Toolset):
            return found
        if not callable(found) and not isinstance(found, list | tuple):
            raise NoModule(
                word, f"it is a {type(found).__name__}, not a function, a list or a Toolset"
            )
        return Toolset(found if isinstance(found, list | tuple) else [found])
    own = [value for value in vars(module).values() if _is_tool_of(value, module)]
    if not own:
        raise NoModule(word, "it has no function with @tool; name one: module:function")
    return Toolset(own)


def _imported(path: str) -> ModuleType:
    file = Path(path).resolve() if path.endswith(_FILE) else None
    if file is not None and not file.is_file():
        raise NoModule(path, "there is no such file")
    folder, dotted = str(Path.cwd() if file is None else file.parent), path
    if folder not in sys.path:  # as `python -m` does
        sys.path.insert(0, folder)
    try:
        # What a module prints while it is imported goes to stderr: stdout is for the payload.
        with contextlib.redirect_stdout(sys.stderr):
            return import_module(dotted) if file is None else _loaded(file)
    except ModuleNotFoundError as error:
        missing = error.name or dotted
        own = dotted.split(".", maxsplit=1)[0] == missing.split(".", maxsplit=1)[0]
        reason = "there is no such module" if own else f"it imports {missing}, which is missing"
        raise NoModule(path, reason) from None
    except (Exception, SystemExit) as error:  # a module may raise anything
        raise NoModule(path, f"{type(error).__name__}: {error}") from error


def _loaded(file: Path) -> ModuleType:
    """Load a file as a module, without regard to modules of the same name."""
    name = f"{file.stem}@{sha256(str(file).encode()).hexdigest()[:12]}"
    if name not in sys.modules:
        module = sys.modules[name] = ModuleType(name)
        module.__file__ = str(file)
        try:
            SourceFileLoader(name, str(file)).exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
    return sys.modules[name]


def _member(module: ModuleType, name: str) -> Any:
    value: Any = module
    for part in name.split("."):
        known = list(vars(value)) if hasattr(value, "__dict__") else []
        if not hasattr(value, part):
            near = nearest(part, [each for each in known if not each.startswith("_")])
            hint = f"; did you mean {near!r}?" if near else ""
            raise NoModule(f"{module.__name__}:{name}", f"it has no {part!r}{hint}")
        value = getattr(value, part)
    return value


def _is_tool_of(value: Any, module: ModuleType) -> bool:
    """Return whether the module itself decorated the value, rather than importing it."""
    is_own = getattr(value, "__module__", module.__name__) == module.__name__
    return is_own and DEFINITION in getattr(value, "__dict__", {})

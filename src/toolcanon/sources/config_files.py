"""Find the settings of a project: the nearest file in the folder or above."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

from toolcanon.config import Config
from toolcanon.errors import BadConfig, MissingFile
from toolcanon.naming.profiles import Profile

OWN: Final = "toolcanon.toml"
_SHARED: Final = "pyproject.toml"


def find_config(start: str = ".") -> Config:
    """Return the settings of the folder, or of the nearest folder above that has any."""
    folder = Path(start).resolve()
    for here in (folder, *folder.parents):
        own, shared = here / OWN, here / _SHARED
        if own.is_file():
            return read_config(str(own))
        if shared.is_file() and (table := _tool_table(_load(shared))) is not None:
            return Config.of(table, str(shared))
    return Config()


def read_config(path: str) -> Config:
    """Return the settings in one file."""
    found = Path(path)
    if not found.is_file():
        raise MissingFile(path, "there is no such file")
    table = _load(found)
    if found.name == _SHARED:
        table = _tool_table(table) or {}
    return Config.of(table, path)


def read_profile(path: str) -> Profile:
    """Read a naming profile from a file of its own, with the keys of ``[naming.NAME]``."""
    found = Path(path)
    if not found.is_file():
        raise MissingFile(path, "there is no such file")
    return Profile.of(found.stem, _load(found), path)


def _tool_table(document: dict[str, Any]) -> dict[str, Any] | None:
    tools = document.get("tool")
    found = tools.get("toolcanon") if isinstance(tools, dict) else None
    return found if isinstance(found, dict) else None


def _load(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadConfig(str(path), "", str(error)) from None
    except OSError as error:
        raise MissingFile(str(path), (error.strerror or str(error)).lower()) from None

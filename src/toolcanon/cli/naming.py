"""The option ``--naming``: a built-in profile, one of the project's own, or a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from toolcanon.naming.profiles import Profile

F = TypeVar("F", bound=Callable[..., Any])


class NamingProfile(click.ParamType["Profile"]):
    """The id of a built-in profile, a name of ``[naming.NAME]`` in toolcanon.toml, or a file."""

    name = "profile"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Profile:
        from toolcanon.errors import UnknownProfile  # noqa: PLC0415
        from toolcanon.naming.profiles import BUILT_IN, Profile, profile_named  # noqa: PLC0415
        from toolcanon.sources.config_files import find_config, read_profile  # noqa: PLC0415

        del param, ctx
        if isinstance(value, Profile):
            return value
        if value.endswith(".toml"):
            return read_profile(value)
        own = find_config().naming
        if value in own:
            return own[value]
        if value not in BUILT_IN:
            raise UnknownProfile(value, (*own, *BUILT_IN))
        return profile_named(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[Any]:
        from click.shell_completion import CompletionItem  # noqa: PLC0415

        from toolcanon.naming.profiles import BUILT_IN  # noqa: PLC0415

        del ctx, param
        return [CompletionItem(name) for name in BUILT_IN if name.startswith(incomplete)]


def naming_option(command: F) -> F:
    """Add ``--naming``."""
    made: F = click.option(
        "--naming",
        type=NamingProfile(),
        metavar="PROFILE|FILE.toml",
        help="Rule for tool names: a built-in profile, one of toolcanon.toml, or a file.",
    )(command)
    return made

"""Options that several commands share: targets, lowering, input, rows."""

from __future__ import annotations

import contextlib
import gc
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import fields, replace
from functools import wraps
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from toolcanon.errors import (
    LimitExceeded,
    NotWritable,
    UnknownFormat,
    nearest,
)
from toolcanon.jsonio import DEFAULT_LIMITS, Limits, Loaded, within
from toolcanon.jsonio.types import Json
from toolcanon.sources import check_place, read_document, write_file
from toolcanon.text import safe, safe_json

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


_STREAM = "-"


def check_places(
    given: Mapping[str, str | None], *, read: str | None = None, undone: str | None = None
) -> None:
    """Raise a usage error when two outputs share a file or an output cannot be written.

    ``given`` is by option. Only the payload, which is the first of them, may replace the ``read``
    file, because it is complete before it is written. No output may replace the receipt that is
    ``undone``.
    """
    payload = next(iter(given))
    places = {option: place for option, place in given.items() if place is not None}
    for option, place in places.items():
        if place == _STREAM:
            raise click.UsageError(f"{option} needs a file of its own")
        check_place(place)
        if option != payload and read not in {None, _STREAM} and _is_one_file(place, str(read)):
            raise click.UsageError(f"{option} is also the input: write to another file")
        if undone is not None and _is_one_file(place, undone):
            raise click.UsageError(f"{option} is the receipt that is read: write to another file")
    for (one, first), (two, second) in combinations(places.items(), 2):
        if _is_one_file(first, second):
            raise click.UsageError(f"{one} and {two} name the same file: use two files")


def _is_one_file(one: str, two: str) -> bool:
    first, second = Path(one), Path(two)
    if first.exists() and second.exists():
        return first.is_file() and first.samefile(second)  # two outputs may both go to /dev/null
    return first.resolve() == second.resolve()


class RowOptions(NamedTuple):
    """The options for rows."""

    tools_field: str | None = None
    calls_field: str | None = None
    keep_original: bool = False
    on_error: str | None = None
    rejects: str | None = None

    def options(self) -> dict[str, Any]:
        """Return the options of a converter."""
        skips = self.rejects is not None or self.on_error == "skip"
        return {
            "tools_field": self.tools_field,
            "calls_field": self.calls_field,
            "keep_original": self.keep_original,
            "on_error": "skip" if skips else "fail",
        }


def row_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options for rows, passed as one ``RowOptions``."""

    @wraps(command)
    def collected(**others: Any) -> int:
        asked = RowOptions(**{name: others.pop(name) for name in RowOptions._fields})
        if asked.on_error == "fail" and asked.rejects:
            raise click.UsageError("--rejects needs --on-error skip.")
        if asked.calls_field and not asked.tools_field:
            raise click.UsageError("--calls-field needs --tools-field.")
        if asked.keep_original and not asked.tools_field:
            raise click.UsageError("--keep-original needs --tools-field.")
        return command(rows=asked, **others)

    made: Callable[..., int] = collected
    for option in (
        click.option("--rejects", metavar="FILE", help="Rows: write skipped rows to FILE."),
        click.option(
            "--on-error",
            type=click.Choice(["fail", "skip"]),
            help="Rows: fail on, or skip, a row with an error.  [fail; skip with --rejects]",
        ),
        click.option(
            "--keep-original", is_flag=True, help="Rows: keep the old field X as X_original."
        ),
        click.option(
            "--calls-field",
            metavar="NAME",
            help="Rows: the field with calls of these tools, converted as well.",
        ),
        click.option("--tools-field", metavar="NAME", help="Rows: the field that holds the tools."),
    ):
        made = option(made)
    return made


_DEEPEST = 400
_FORMER_TARGET = "--target"
_MOMENT = 0.5
_LARGEST = 2**40


class FormatId(click.ParamType[str]):
    """The id of an installed format, with completion and did-you-mean."""

    name = "format"

    def __init__(self, *, writable: bool = False) -> None:
        self.writable = writable

    def _known(self) -> list[str]:
        from toolcanon.registry import registry  # noqa: PLC0415

        formats = registry().formats.values()
        return [item.id for item in formats if not self.writable or item.write is not None]

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        del param, ctx
        known = self._known()
        if value not in known:
            if self.writable and value in FormatId()._known():  # noqa: SLF001 - the same class
                raise NotWritable(str(value), known)
            from toolcanon.registry import meant  # noqa: PLC0415

            raise UnknownFormat(str(value), known, near=meant(str(value)))
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[Any]:
        from click.shell_completion import CompletionItem  # noqa: PLC0415

        del ctx, param
        return [CompletionItem(name) for name in self._known() if name.startswith(incomplete)]


class TargetId(click.ParamType[str]):
    """A target, ``format`` or ``format/dialect[@version]``, with completion and did-you-mean."""

    name = "target"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from toolcanon.conversion.target import ensure_target  # noqa: PLC0415

        del param, ctx
        ensure_target(str(value))
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[Any]:
        from click.shell_completion import CompletionItem  # noqa: PLC0415

        from toolcanon.conversion.target import known_targets  # noqa: PLC0415

        del ctx, param
        return [CompletionItem(name) for name in known_targets() if name.startswith(incomplete)]


class _TargetOption(click.Option):
    """``--to`` with the alias ``--target``, which help and errors leave out."""

    def _shown(self) -> click.Option:
        shown = copy(self)
        shown.opts = [name for name in self.opts if name != _FORMER_TARGET]
        return shown

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the row of --help."""
        return click.Option.get_help_record(self._shown(), ctx)

    def get_error_hint(self, ctx: click.Context | None) -> str:
        """Return the name that errors use."""
        return click.Option.get_error_hint(self._shown(), ctx)


def _targets(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """Split values at commas; each part must be a known target."""
    read = TargetId()
    words = (word.strip() for text in given for word in text.split(","))
    return tuple(read.convert(word, param, ctx) for word in words if word)


def to_option(help_text: str, *, many: bool = False, required: bool = True) -> Callable[[F], F]:
    """Add ``--to`` as ``target``, required, or with ``many`` as any number of ``targets``."""
    names = ("-t", "--to", _FORMER_TARGET)
    if many:
        return click.option(
            *names, "targets", cls=_TargetOption, multiple=True, callback=_targets,
            metavar="TARGET", help=help_text,
        )  # fmt: skip
    return click.option(
        *names, "target", cls=_TargetOption, required=required, type=TargetId(), metavar="TARGET",
        help=help_text,
    )  # fmt: skip


def _moved(ctx: click.Context, param: click.Parameter, given: str | None) -> None:
    del ctx, param
    if given is not None:
        raise click.UsageError(
            f"--config is for toolcanon.toml; use --client-config {given} for a client's file."
        )


def client_config_option(help_text: str) -> Callable[[F], F]:
    """Add ``--client-config`` as ``config``."""

    def added(command: F) -> F:
        hidden = click.option("--config", "moved", callback=_moved, expose_value=False, hidden=True)
        option = click.option("--client-config", "config", metavar="FILE", help=help_text)
        return option(hidden(command))

    return added


class DialectId(click.ParamType[str]):
    """The id of a dialect, with or without its version, with completion and did-you-mean."""

    name = "dialect"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from toolcanon.conversion.target import find_dialect  # noqa: PLC0415

        del param, ctx
        find_dialect(str(value))
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[Any]:
        from click.shell_completion import CompletionItem  # noqa: PLC0415

        from toolcanon.conversion.target import all_dialects  # noqa: PLC0415

        del ctx, param
        return [CompletionItem(name) for name in all_dialects() if name.startswith(incomplete)]


class Lowering(NamedTuple):
    """The options that choose what schemas are lowered to."""

    strict: bool | str
    dialect: str | None
    model: str | None
    via: str | None
    verbatim: bool

    @property
    def is_usual(self) -> bool:
        """Return whether no option was given."""
        return self == Lowering(strict=False, dialect=None, model=None, via=None, verbatim=False)

    def options(self) -> dict[str, Any]:
        """Return the options of ``convert``."""
        return {
            "strict": self.strict,
            "dialect": self.dialect,
            "model": self.model,
            "via": self.via,
            "lower": not self.verbatim,
        }


def lowering_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options that choose the dialect, passed as one ``Lowering``."""

    @wraps(command)
    def collected(
        *,
        strict: bool,
        strict_auto: bool,
        dialect: str | None,
        model: str | None,
        via: str | None,
        verbatim: bool,
        **others: Any,
    ) -> int:
        if strict and strict_auto:
            raise click.UsageError("--strict and --strict-auto cannot be combined.")
        asked = Lowering("auto" if strict_auto else strict, dialect, model, via, verbatim)
        if verbatim and not asked._replace(verbatim=False).is_usual:
            raise click.UsageError(
                "--verbatim cannot be combined with a dialect or with strict mode."
            )
        return command(lowering=asked, **others)

    made: Callable[..., int] = collected
    for option in (
        click.option("--verbatim", is_flag=True, help="Do not rewrite names and schemas."),
        click.option(
            "--via", metavar="ROUTE", help="Choose the dialect that this gateway accepts."
        ),
        click.option("--model", metavar="MODEL", help="Choose the dialect that this model uses."),
        click.option(
            "--dialect",
            metavar="ID",
            type=DialectId(),
            help="Lower to this dialect; `formats ID` lists them.",
        ),
        click.option(
            "--strict-auto",
            is_flag=True,
            help="Use strict mode for tools that it does not restrict.",
        ),
        click.option("--strict", is_flag=True, help="Use the provider's strict mode."),
    ):
        made = option(made)
    return made


def _limits(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> Limits:
    """Parse ``--limit`` and set the limits for readers while the command runs."""
    del param
    known = [field.name for field in fields(Limits)]
    limits = DEFAULT_LIMITS
    for text in given:
        name, _, value = text.partition("=")
        if name not in known:
            near = nearest(name, known)
            hint = f"did you mean {near!r}?" if near else f"known: {', '.join(known)}"
            raise click.BadParameter(f"unknown limit {name!r}; {hint}")
        if not value.isdecimal() or int(value[:19]) < 1:
            raise click.BadParameter(f"{name} must be a whole number above 0, not {value!r}")
        most = _DEEPEST if name == "depth" else _LARGEST
        if int(value[:19]) > most:
            raise click.BadParameter(f"{name} can be at most {most}")
        limits = replace(limits, **{name: int(value[:19])})
    ctx.with_resource(within(limits))
    return limits


def source_options(command: F) -> F:
    """Add FILE, ``--input`` and the limits."""
    for option in (
        click.argument("file", required=False),
        click.option(
            "--input", "input_file", metavar="PATH", help="Read this file; the same as FILE."
        ),
        limit_options,
    ):
        command = option(command)
    return command


def limit_options(command: F) -> F:
    """Add ``--limit``, ``--duplicate-keys`` and ``--debug``."""
    for option in (
        click.option(
            "--limit",
            "limits",
            multiple=True,
            metavar="NAME=VALUE",
            callback=_limits,
            help="Set an input limit: bytes, depth, values, digits, tool, tools, line.",
        ),
        click.option(
            "--duplicate-keys",
            type=click.Choice(["error", "warn"]),
            default="error",
            help="Fail, or warn and keep the last value, when an object repeats a key.",
        ),
        click.option(
            "--debug",
            is_flag=True,
            expose_value=False,
            help="Print a traceback on an internal error.",
        ),
    ):
        command = option(command)
    return command


def input_path(file: str | None, input_file: str | None) -> str:
    """Return the named input, or ``-`` for stdin. Raises a usage error when stdin is a terminal."""
    if file and input_file:
        raise click.UsageError("Name the input once: FILE or --input.")
    path = file or input_file
    if path is None and sys.stdin is not None and sys.stdin.isatty():
        raise click.UsageError("No input: name a FILE, or pipe JSON to stdin.")
    return path or "-"


def load_payload(path: str, limits: Limits, duplicate_keys: str) -> Json:
    """Read a document; repeated keys give a warning where ``duplicate_keys`` allows them."""
    if path.endswith((".jsonl", ".ndjson")):
        from toolcanon.sources import read_lines  # noqa: PLC0415

        lines = read_lines(path, limits, duplicates=duplicate_keys == "warn")
        return [accepted(loaded, limits) for _, loaded in lines]
    gc.disable()  # a growing document holds no garbage
    try:
        loaded = read_document(path, limits, duplicates=duplicate_keys == "warn")
    finally:
        gc.enable()
    return accepted(loaded, limits)


def accepted(loaded: Loaded, limits: Limits) -> Json:
    """Return the value after checking number and size of tools and warning of repeated keys."""
    warn_duplicates(loaded.duplicate_keys)
    weigh_tools(loaded, limits)
    return loaded.value


def warn_duplicates(keys: tuple[str, ...]) -> None:
    for key in keys:
        talk(f"warning[E102]: the key {safe(key, 60)!r} occurs twice; the last value is kept")


def weigh_tools(loaded: Loaded, limits: Limits) -> None:
    """Raise InputError for too many tools, or one too large, before other code reads them."""
    if loaded.size <= limits.tool and loaded.size < 2 * limits.tools:
        return  # too short for either: the shortest tool has two characters
    from toolcanon.conversion.detect import (  # noqa: PLC0415
        best_match,
        contents,
    )

    payload = loaded.value
    lists = [payload] if isinstance(payload, list) else []
    if isinstance(payload, dict):
        lists = [hit.value for hit in contents(payload) if isinstance(hit.value, list)]
    found = max(map(len, lists), default=0)
    if found > limits.tools:
        raise LimitExceeded("tools", limits.tools, found)
    if loaded.size <= limits.tool:  # no tool in it can be too large
        return
    if not lists:
        if isinstance(payload, dict) and best_match(payload)[1].many:
            return  # counted where its tools are read
        raise LimitExceeded("tool", limits.tool, loaded.size)
    for item in (item for items in lists for item in items):
        size = len(json.dumps(item, ensure_ascii=False))
        if size > limits.tool:
            raise LimitExceeded("tool", limits.tool, size)


def talk(line: str) -> None:
    """Print a line to stderr."""
    click.echo(line, err=True)


@contextlib.contextmanager
def waiting() -> Iterator[Callable[[str], None]]:
    """Yield a function that shows progress on a terminal after a delay; the line is removed."""
    begin, shown = time.monotonic(), False

    def show(what: str) -> None:
        nonlocal shown
        if sys.stderr.isatty() and time.monotonic() - begin > _MOMENT:
            shown = True
            sys.stderr.write(f"\r{what} …\x1b[K")
            sys.stderr.flush()

    try:
        yield show
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def hand_over(value: Json, output: str | None, written: str, *, compact: bool = False) -> None:
    """Print JSON, or write it to a file and print ``written``."""
    text = safe_json(value, indent=None if compact else 2) + "\n"
    if output is None:
        click.echo(text, nl=False)
    else:
        write_file(output, [text])
        if written:
            talk(safe(written))

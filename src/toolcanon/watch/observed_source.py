"""One source now: its tools, who it is, and the secrets that it was given.

A name does not identify a server: it can point to another command tomorrow. So an identity is
stored beside the name, made of the command or the address, without secrets.

Servers repeat what they get: in a description, an example, the name of a tool. Values that are
secret by their name, or long, are masked wherever they occur; others only as whole words, and not
when they are common: numbers, paths, ``production``.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath
from typing import Any, Final, Literal, TypeAlias
from urllib.parse import unquote, unquote_plus

from toolcanon.checking.payloads import Labels, plain_tools
from toolcanon.conversion.read import read_payload
from toolcanon.conversion.sdk_objects import plain
from toolcanon.drift.fingerprint import definition_of
from toolcanon.errors import LimitExceeded, NoTools
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import DEFAULT_LIMITS, digest
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.text.secrets import (
    MASK,
    credential,
    is_secret_name,
    mask_command,
    mask_known,
    mask_url,
    secrets_of_command,
    secrets_of_url,
)

Transport: TypeAlias = Literal["file", "stdio", "http"]
_SOURCE: Final = "_source"
TRANSPORTS: Final[tuple[Transport, ...]] = ("file", "stdio", "http")
_TEXTS: Final = ("path", "url", "package", "cwd")
_LISTS: Final = ("paths", "command", "env", "headers")

# Programs that fetch and start a package: the options that name it, and leading words.
_RUNNERS: Final[dict[str, tuple[tuple[str, ...], frozenset[str]]]] = {
    "npx": ((), frozenset({"-p", "--package"})),
    "bunx": ((), frozenset({"-p", "--package"})),
    "pnpx": ((), frozenset({"-p", "--package"})),
    "npm": (("exec",), frozenset({"-p", "--package"})),
    "pnpm": (("dlx",), frozenset({"--package"})),
    "yarn": (("dlx",), frozenset({"-p", "--package"})),
    "bun": (("x",), frozenset({"-p", "--package"})),
    "uvx": ((), frozenset({"--from"})),
    "uv": (("tool", "run"), frozenset({"--from"})),
    "pipx": (("run",), frozenset({"--spec"})),
    "docker": (("run",), frozenset()),
    "podman": (("run",), frozenset()),
}
_CONTAINERS: Final = frozenset({"docker", "podman"})
_SWITCHES: Final = frozenset(
    "-y --yes -q --quiet -i -t -it -ti -d --rm --init --interactive --tty --privileged --read-only "
    "--no-install --offline --isolated --refresh --verbose --silent --bun".split()
)
"""Options without a value; any other may have one, unless it has an ``=``."""
_VERSION: Final = re.compile(r"(?P<name>@?[^@=:\s]+)(?:@|==|~=|>=)(?P<version>[^@=\s]+)")


@dataclass(frozen=True, slots=True)
class Identity:
    """Identity of a source, without values of variables and headers and other secrets."""

    transport: Transport = "file"
    path: str = ""
    """The file, as it was named."""
    paths: tuple[str, ...] = ()
    """The files of a source of several; ``path`` is empty then."""
    command: tuple[str, ...] = ()
    url: str = ""
    package: str = ""
    """``name@version`` as the command names it; empty if it does not."""
    env: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    cwd: str = ""
    """The working folder of a command, as it was named; empty if none was named."""

    @classmethod
    def of_command(
        cls, command: Sequence[str], env: Iterable[str] = (), cwd: str | None = None
    ) -> Identity:
        """Return the identity of a command, its variables' names and its folder."""
        masked, names = mask_command(command), tuple(sorted(env))
        return cls("stdio", command=masked, package=package_of(masked), env=names, cwd=cwd or "")

    @classmethod
    def of_url(cls, url: str, headers: Iterable[str] = ()) -> Identity:
        """Return the identity of an address and the names of its headers."""
        names = sorted({name.lower() for name in headers})
        return cls("http", url=mask_url(url), headers=tuple(names))

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Identity:
        """Read what ``to_dict`` wrote. Raises ValueError for anything else."""
        transport = found.get("transport")
        if transport not in TRANSPORTS:
            raise ValueError("no known transport")
        fields: dict[str, Any] = {key: _text(found, key) for key in _TEXTS}
        fields |= {key: _texts(found, key) for key in _LISTS}
        return cls(transport, **fields)

    def to_dict(self) -> JsonObject:
        """Return plain JSON without empty fields."""
        out: JsonObject = {"transport": self.transport}
        for key in _TEXTS:
            if value := getattr(self, key):
                out[key] = value
        for key in _LISTS:
            if value := getattr(self, key):
                out[key] = list(value)
        return out

    @property
    def digest(self) -> str:
        """Return a digest that is equal only for equal identities."""
        return digest(["toolcanon", "identity", 1, self.to_dict()])


@dataclass(frozen=True)
class Seen:
    """The tools of one source as they are now."""

    name: str
    """The name of the source in the store; empty for unnamed files."""
    identity: Identity
    payload: Json
    """The raw payload: the content of a file, or a server's answer to tools/list."""
    tools: list[CanonicalTool]
    about: JsonObject = field(default_factory=dict)
    """protocol, server and instructions, as far as a server reports them."""

    @classmethod
    def of(
        cls, payload: Any, identity: Identity | None = None, *, name: str = "",
        about: JsonObject | None = None,
    ) -> Seen:  # fmt: skip
        """Return the tools of a payload in any format. Raises NoTools when there are none.

        An empty list is valid: a server may have no tools.
        """
        return cls(name, identity or Identity(), payload, _tools(payload), about or {})

    @property
    def shown(self) -> str:
        """Return the name for reports: the source's name, or how it is reached."""
        who = self.identity
        return self.name or who.path or who.url or " ".join(who.command)

    @cached_property
    def named(self) -> dict[str, CanonicalTool]:
        """Return the tools by name, in their order; repeated names get a number."""
        labels = Labels()
        return {labels.free(tool.id): tool for tool in self.tools}

    def definitions(self) -> Iterator[tuple[str, Json]]:
        """Yield the original definition of each tool, with its name."""
        for name, tool in self.named.items():
            yield name, as_read(tool)


def as_read(tool: CanonicalTool) -> Json:
    """Return the original definition of a tool, not a copy: it must not be changed."""
    return tool.__dict__.get(_SOURCE) or definition_of(tool)


def _tools(payload: Any) -> list[CanonicalTool]:
    found = plain_tools(payload)
    if found is not None:
        return found
    try:
        return read_payload(plain(payload))[0]
    except NoTools:
        if payload == [] or (isinstance(payload, dict) and payload.get("tools") == []):
            return []
        raise
    except RecursionError:  # the loader limits the depth of text, but not of Python objects
        raise LimitExceeded("depth", DEFAULT_LIMITS.depth) from None


def package_of(command: Sequence[str]) -> str:
    """Return the package that a command fetches and starts, with the version if it names one.

    >>> package_of(["npx", "-y", "@scope/server@1.2.3", "--readonly"])
    '@scope/server@1.2.3'
    >>> package_of(["uvx", "--from", "tools==2.0", "serve"]), package_of(["python", "server.py"])
    ('tools@2.0', '')
    """
    if not command:
        return ""
    program = PurePath(command[0]).name.lower().removesuffix(".exe").removesuffix(".cmd")
    words = list(command[1:])
    if program not in _RUNNERS:
        return ""
    first, naming = _RUNNERS[program]
    if tuple(words[: len(first)]) != first:
        return ""
    word = _package_word(words[len(first) :], naming)
    if program in _CONTAINERS:
        image, _, tag = word.partition("@")
        if not tag and ":" in image.rpartition("/")[2]:
            image, _, tag = word.rpartition(":")
        return f"{image}@{tag}" if tag else image
    match = _VERSION.fullmatch(re.sub(r"\[[^\]]*\]", "", word))
    return f"{match['name']}@{match['version']}" if match else word


def _package_word(words: Sequence[str], naming: frozenset[str]) -> str:
    """Return the value of the option that names the package, or the first word not an option."""
    rest = iter(words)
    for word in rest:
        name, has_value, value = word.partition("=")
        if name in naming:
            return value if has_value else next(rest, "")
        if not word.startswith("-"):
            return word
        if not has_value and word not in _SWITCHES and word != "--":
            next(rest, None)  # most options of these programs have a value
    return ""


def _text(found: Mapping[str, Any], key: str) -> str:
    value = found.get(key, "")
    if not isinstance(value, str):
        raise ValueError(f"{key} is not a string")  # noqa: TRY004 - data, not a call
    return value


def _texts(found: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = found.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"{key} is not a list of strings")
    return tuple(value)


_ANYWHERE: Final = 8
"""The length from which secrets are masked inside words; shorter ones occur by chance."""
_WORD: Final = 4
_VALUE: Final = 6
"""The shortest variable value that is masked; shorter ones are modes or levels."""
_PATH: Final = re.compile(r"[/~]|\.{1,2}/|[A-Za-z]:[\\/]")
_NUMBER: Final = re.compile(r"[-+]?\d{1,5}|[-+]?\d*\.\d+")
_COMMON: Final = frozenset(
    "allow always auto basic bearer critical debug default deny development disable disabled "
    "dynamic enable enabled error false global http https info json latest legacy local "
    "localhost main master never none normal null object plain prod production public read "
    "readonly release remote sandbox simple stable stage staging standard static stdio strict "
    "string system test testing text token trace true utf-8 verbose warn warning write xml "
    "yaml yes".split()
)
# Headers that describe the request and are not secret.
_OPEN_HEADERS: Final = frozenset(
    "accept accept-charset accept-encoding accept-language cache-control connection content-type "
    "host mcp-protocol-version origin referer user-agent".split()
)


class Handed:
    """Values that must not be stored in files."""

    def __init__(self, secrets: Iterable[str], words: Iterable[str] = ()) -> None:
        given = {value for value in secrets if value != MASK}
        self.anywhere: Final = frozenset(value for value in given if len(value) >= _ANYWHERE)
        short = (value for value in given if len(value) < _ANYWHERE and _is_telling(value))
        self._short = frozenset(short)
        self._words = frozenset(filter(_is_telling, words)) - self.anywhere

    def sparing(self, names: Iterable[str]) -> Handed:
        """Return these values without words that are names of tools, which must stay readable."""
        return Handed((*self.anywhere, *self._short), self._words - set(names))

    def masked(self, value: Any) -> Any:
        """Return a copy of plain JSON with these values masked, also in keys."""
        if not self.anywhere and self._pattern is None:
            return value
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return [self.masked(item) for item in value]
        if isinstance(value, dict):
            return {self._text(key): self.masked(item) for key, item in value.items()}
        return value

    def _text(self, text: str) -> str:
        text = mask_known(text, self.anywhere)
        return text if self._pattern is None else self._pattern.sub(MASK, text)

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        ordered = sorted(self._short | self._words, key=lambda word: (-len(word), word))
        found = "|".join(map(re.escape, ordered))
        return re.compile(rf"(?<!\w)(?:{found})(?!\w)") if found else None


def handed_to_command(command: Sequence[str], env: Mapping[str, str]) -> Handed:
    """Return the secrets of a command line, and the values of variables.

    >>> Handed.masked(handed_to_command(["serve"], {"TENANT": "acme-42x"}), ["for acme-42x only"])
    ['for *** only']
    """
    secrets, words = [*secrets_of_command(command)], []
    for name, value in env.items():
        if is_secret_name(name) or credential(value, name):
            secrets.append(value)
        elif len(value) >= _VALUE:
            words.append(value)
        secrets += secrets_of_url(value) if "://" in value else ()
    return Handed(secrets, words)


def handed_to_url(url: str, headers: Mapping[str, str]) -> Handed:
    """Return the secrets of an address, also percent-encoded, and the values of headers."""
    found = [form for value in secrets_of_url(url) for form in _forms(value)]
    for name, value in headers.items():
        if name.lower() not in _OPEN_HEADERS:
            found += [value, *value.split()]
    return Handed(found)


def _forms(value: str) -> Iterator[str]:
    """Yield a value as written, unquoted, and as browsers send user and password."""
    for form in dict.fromkeys((value, unquote(value), unquote_plus(value))):
        yield form
        if ":" in form:
            yield b64encode(form.encode()).decode()


def _is_telling(value: str) -> bool:
    """Return whether a value is unlikely to occur by chance."""
    is_usual = value.lower() in _COMMON or _NUMBER.fullmatch(value) or _PATH.match(value)
    return len(value) >= _WORD and not is_usual

"""A call as the parts of an HTTP request. Nothing is sent."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

from toolcanon.errors import UnusableArguments, UsageError, nearest
from toolcanon.formats.openapi.arguments import STYLES
from toolcanon.formats.openapi.document import ID
from toolcanon.formats.openapi.serialization import (
    BodyEncoding,
    How,
    Payload,
    Unsayable,
    header_text,
    pairs_of,
    path_text,
    payload,
)
from toolcanon.formats.wire import own_extras
from toolcanon.formats.wire.text_data import decoded, encoded
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject

Pairs: TypeAlias = tuple[tuple[str, str], ...]

_TEMPLATE: Final = re.compile(r"\{([^{}]*)\}")
_TOKEN: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_ILLEGAL: Final = re.compile(
    r"%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?#%]"
)  # in path, query and fragment of an address
_DOTS: Final = frozenset({"", ".", ".."})


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """The parts of a request, without credentials."""

    method: str
    """GET, POST or another method, in capitals."""
    server: str
    """The URL before the path; empty or relative when the document has no other."""
    path: str
    """With its placeholders filled, percent-encoded."""
    query: Pairs = ()
    """Names and values as the server decodes them."""
    query_string: str = ""
    """The query as it is sent: a comma between values differs from one within."""
    headers: Pairs = ()
    """Names and values, without those of cookies and of the media type."""
    cookies: Pairs = ()
    """Names and values, percent-encoded."""
    body: bytes | None = None
    """The encoded body; None without one."""
    content_type: str | None = None
    """The media type of the body, which decided its encoding."""

    @property
    def target(self) -> str:
        return f"{self.path}?{self.query_string}" if self.query_string else self.path

    @property
    def url(self) -> str:
        """The whole URL."""
        return self.server.rstrip("/") + self.target

    @property
    def all_headers(self) -> Pairs:
        """The headers including those of cookies and of the media type."""
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies)
        return (
            *self.headers,
            *((("Cookie", cookies),) if cookies else ()),
            *((("Content-Type", self.content_type),) if self.content_type else ()),
        )


def http_request(
    tool: CanonicalTool, arguments: JsonObject, *, server: str | None = None
) -> HttpRequest:
    """Return the HTTP request of a call of a tool from an OpenAPI document.

    ``arguments`` are those of the tool's own schema, as ``Binding.restore`` returns them.
    ``server`` replaces the first server of the document. Raises UnusableArguments, and UsageError
    for a tool from elsewhere or a server with an undefined variable.
    """
    recipe = own_extras(tool, ID).get("request")
    if recipe is None:
        raise UsageError(f"{tool.id!r} was not read from an OpenAPI document, so it has no request")
    if not isinstance(arguments, dict):
        raise UnusableArguments(tool.id, "", "arguments must be an object")
    damage = _damage(recipe)
    if damage is not None:
        raise UsageError(f"the recipe of {tool.id!r} is damaged ({damage})")
    try:
        return _RequestBuilder(tool.id, recipe, arguments).make(server)
    except UnicodeError as error:  # a lone surrogate in the path or in the name of a field
        raise UsageError(f"the recipe of {tool.id!r} is damaged ({error})") from None


def _damage(recipe: Json) -> str | None:
    """Return what is wrong with an edited recipe; None for a valid one."""
    if not isinstance(recipe, dict):
        return "it is not an object"
    for key in ("method", "path"):
        if not isinstance(recipe.get(key), str):
            return f"{key} is not a string"
    for key in ("servers", "parameters"):
        if not isinstance(recipe.get(key, []), list):
            return f"{key} is not an array"
    if not all(map(_is_parameter, recipe.get("parameters", ()))):
        return "a parameter has no argument, name or known location"
    if not _is_body(recipe.get("body")):
        return "the body has no kind and media type, or malformed members"
    return None


def _is_parameter(entry: Json) -> bool:
    return (
        isinstance(entry, dict)
        and all(isinstance(entry.get(key), str) for key in ("argument", "name", "in"))
        and entry["in"] in STYLES
    )


def _is_body(body: Json) -> bool:
    if not isinstance(body, dict):
        return body is None
    binary = body.get("binary", [])
    return (
        all(isinstance(body.get(key), str) for key in ("kind", "content"))
        and isinstance(body.get("argument", ""), str)
        and _is_table(body.get("members", {}), str)
        and _is_table(body.get("encoding", {}), dict)
        and isinstance(binary, list)
        and all(isinstance(name, str) for name in binary)
    )


def _is_table(table: Json, kind: type) -> bool:
    return isinstance(table, dict) and all(isinstance(held, kind) for held in table.values())


class _RequestBuilder:
    def __init__(self, tool: str, recipe: JsonObject, arguments: JsonObject) -> None:
        self.tool = tool
        self.recipe = recipe
        self.arguments = arguments
        self.places: dict[str, str] = {}
        self.query: list[tuple[str, str]] = []
        self.headers: list[tuple[str, str]] = []
        self.cookies: list[tuple[str, str]] = []

    def make(self, server: str | None) -> HttpRequest:
        recipe = self.recipe
        for entry in recipe.get("parameters", ()):
            if entry["argument"] in self.arguments:
                try:
                    self._place(entry, self.arguments[entry["argument"]])
                except (Unsayable, UnicodeError) as error:
                    raise self._unusable(entry["argument"], str(error)) from None
        body = self._body(recipe.get("body"))
        for entry in recipe.get("parameters", ()):  # unknown names were rejected before
            if entry.get("required") and entry["argument"] not in self.arguments:
                raise self._unusable(entry["argument"], "it is missing")
        path, query = self._target(recipe["path"])
        return HttpRequest(
            method=recipe["method"].upper(),
            server=self._server() if server is None else server,
            path=path,
            query=(
                *_pairs(query),
                *((decoded(name), decoded(value)) for name, value in self.query),
            ),
            query_string="&".join([*query, *(f"{name}={value}" for name, value in self.query)]),
            headers=tuple(self.headers),
            cookies=tuple(self.cookies),
            body=None if body is None else body.data,
            content_type=None if body is None else body.content_type,
        )

    def _place(self, entry: JsonObject, value: Json) -> None:
        location = entry["in"]
        how = How.of(entry["name"], entry, STYLES[location][0])
        if location == "path":
            self.places[how.name] = "" if value is None else path_text(how, value)
        elif location == "query":
            self.query += pairs_of(how, value)
        elif location == "cookie":
            self.cookies += pairs_of(how, value)
        elif value is not None:
            if not _TOKEN.fullmatch(how.name):
                raise Unsayable(f"{how.name!r} is not a valid header name")
            self.headers.append((how.name, header_text(how, value)))

    def _target(self, template: str) -> tuple[str, list[str]]:
        """Return the path and the query of a template; a fragment is never sent."""
        path, _, query = self._filled(template).partition("#")[0].partition("?")
        return path, query.split("&") if query else []

    def _filled(self, template: str) -> str:
        arguments = {
            entry["name"]: entry["argument"]
            for entry in self.recipe.get("parameters", ())
            if entry["in"] == "path"
        }
        filled = []
        for segment in template.split("/"):
            opened = _TEMPLATE.findall(segment)
            for name in opened:
                if name not in self.places:
                    raise self._unusable(arguments.get(name, name), "it is missing")
            # The text between placeholders is literal.
            parts = _TEMPLATE.split(segment)
            parts[::2] = map(_literal, parts[::2])
            parts[1::2] = [self.places[name] for name in parts[1::2]]
            whole = "".join(parts)
            # A client would resolve these, and request another resource.
            if opened and whole in _DOTS:
                raise self._unusable(arguments[opened[0]], f"{whole!r} is not a path segment")
            filled.append(whole)
        return "/".join(filled)

    def _server(self) -> str:
        """Return the first server with its variables at their defaults."""
        servers = self.recipe.get("servers", ())
        first = servers[0] if servers and isinstance(servers[0], dict) else {}
        url = first.get("url")
        if not isinstance(url, str):
            return ""
        variables = first.get("variables")
        table = variables if isinstance(variables, dict) else {}
        known = {name: str(item["default"]) for name, item in table.items()
                 if isinstance(item, dict) and "default" in item}  # fmt: skip
        for name in _TEMPLATE.findall(url):
            if name not in known:
                reason = f"the variable {name!r:.80} of the server of {self.tool!r} has no default"
                raise UsageError(f"{reason}; pass the URL as server=")
        return _TEMPLATE.sub(lambda found: known[found[1]], url)

    def _body(self, recipe: JsonObject | None) -> Payload | None:
        placed = {entry["argument"] for entry in self.recipe.get("parameters", ())}
        rest = {key: value for key, value in self.arguments.items() if key not in placed}
        value: Json = rest
        if recipe is None:
            self._reject_unknown(rest, placed)
            return None
        if "argument" in recipe:
            name = recipe["argument"]
            self._reject_unknown(rest, {name, *placed})
            if name not in rest:
                if recipe.get("required"):
                    raise self._unusable(name, "it is missing")
                return None
            value = rest[name]
        elif "members" in recipe:
            members = recipe["members"]
            self._reject_unknown(rest, {*members, *placed})
            value = {members[key]: item for key, item in rest.items()}
        if "argument" not in recipe and not value and not recipe.get("required"):
            return None
        if recipe["kind"] == BodyEncoding.TEXT and value is None:
            return None
        try:
            return payload(recipe, value)
        except (Unsayable, UnicodeError) as error:
            raise self._unusable(recipe.get("argument", ""), str(error)) from None

    def _reject_unknown(self, rest: JsonObject, known: set[str]) -> None:
        for key in rest:
            if key not in known:
                near = nearest(str(key), sorted(known))
                hint = f"; did you mean {near!r}?" if near else ""
                raise self._unusable(str(key), f"there is no such argument{hint}")

    def _unusable(self, argument: str, reason: str) -> UnusableArguments:
        return UnusableArguments(self.tool, str(Pointer((argument,))) if argument else "", reason)


def _literal(text: str) -> str:
    """Return literal text of a path percent-encoded; existing escapes are kept."""
    return _ILLEGAL.sub(lambda found: encoded(found[0]), text)


def _pairs(query: list[str]) -> Pairs:
    split = (item.partition("=") for item in query)
    return tuple((decoded(name), decoded(value)) for name, _, value in split)

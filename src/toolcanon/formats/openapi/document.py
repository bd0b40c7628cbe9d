"""An OpenAPI document: its values, its security, and notes about it.

They are noted as guesses in the extras of their tool, so they stay with it, and ``canonicalize``
reports them among its warnings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, Self, TypeAlias

from toolcanon.errors import NoTools, UnreadableTool
from toolcanon.formats.wire.text_data import decoded
from toolcanon.jsonio import DEEPEST, Pointer
from toolcanon.jsonio.types import Json, JsonObject

FINDINGS: Final[dict[str, str]] = {
    "answer-left-out": "the answers of all operations are too much; a higher limit of values helps",
    "answers-differ": "other answers are described differently; only this one is told of",
    "argument-renamed": "another parameter or member has the same name; the argument is called {}",
    "binary-as-text": "arguments are JSON, so the bytes of a file are the UTF-8 of a text",
    "body-as-text": "no writer for {} is known; the argument is the text itself",
    "body-assumed-json": "any media type is accepted; JSON is sent",
    "body-assumed-object": "any JSON value is accepted; arguments are an object",
    "body-assumed-required": "the body may be absent, but has required members; it is always sent",
    "body-type-assumed": "a range of media types is accepted; {} is sent",
    "body-unusual": "what a body means with {} is not defined; it is sent all the same",
    "encoding-ignored": "OpenAPI 3.0 writes a part by its media type alone, without {}",
    "mapping-ignored": "a mapping needs subtypes, anyOf or oneOf beside it; it is left out",
    "media-types-differ": "other media types are described differently; only this one is told of",
    "name-cut": "the operationId is too long for a name",
    "name-made": "there is no operationId; the name is made of method and path",
    "name-repeated": "another operation has the same operationId",
    "nested-by-brackets": "how deepObject nests is not specified; brackets with indices are used",
    "parameter-as-text": "no writer for {} is known; the argument is the text itself",
    "parameter-ignored": "the specification ignores this header: media types and security say it",
    "parameter-repeated": "a second parameter of that name; the first is taken",
    "parameter-unplaced": "the path has no place for this parameter",
    "path-parameter-guessed": "the path names {}, which no parameter describes; taken as a string",
    "reference-siblings-ignored": "OpenAPI 3.0 ignores what stands beside a reference: {}",
    "reference-unresolved": "{} leads nowhere within this document; nothing is fetched",
    "schema-guessed": "nothing says what the value looks like; taken as a string",
    "style-unknown": "the style {} does not exist there; the usual one is taken",
    "version-newer": "version {} is read by the rules of 3.1",
}
"""Every name with its sentence; ``{}`` is filled in."""


class DocumentNote(NamedTuple):
    """One finding: its name, its place in the document, the sentence."""

    name: str
    at: str
    says: str

    def noted(self) -> JsonObject:
        """Return it as a guess for the notes."""
        return {"at": self.at, "why": f"{self.name}: {self.says}"}


def finding(name: str, at: Sequence[str | int], word: str = "") -> DocumentNote:
    """Return a finding by its name in the table."""
    return DocumentNote(name, str(Pointer(at)), FINDINGS[name].replace("{}", word))


class Security(NamedTuple):
    """The alternatives, and the required permissions as text."""

    alternatives: list[JsonObject]
    permissions: list[str]

    @classmethod
    def of(cls, listed: list[Json]) -> Self:
        """Return the security of a list of requirements."""
        alternatives = [item for item in listed if isinstance(item, dict)]
        return cls(alternatives, permissions(alternatives))


NOBODY: Final = Security([], [])
"""No requirements, so no authentication."""


def permissions(alternatives: list[JsonObject]) -> list[str]:
    """Return the required permissions: ``scheme`` or ``scheme:scope``.

    All of the list is required, so alternatives are one entry, with `` | `` between them and
    `` & `` within them. Where one of them is empty, nothing is required.

    >>> permissions([{"oauth": ["read", "write"]}])
    ['oauth:read', 'oauth:write']
    >>> permissions([{"oauth": ["read", "write"]}, {"key": []}])
    ['oauth:read & oauth:write | key']
    """
    worded = [_words(item) for item in alternatives]
    if not worded or [] in worded:
        return []
    if len(worded) == 1:
        return worded[0]
    return [" | ".join(dict.fromkeys(" & ".join(words) for words in worded))]


def _words(alternative: JsonObject) -> list[str]:
    words: list[str] = []
    for scheme, scopes in alternative.items():
        named = scopes if isinstance(scopes, list) else []
        words += [f"{scheme}:{scope}" for scope in named] or [str(scheme)]
    return words


ID: Final = "openapi"
METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
Steps: TypeAlias = tuple[str | int, ...]
COMPONENTS: Final[Steps] = ("components", "schemas")
"""The places of named schemas."""

_VERSION: Final = re.compile(r"3\.(\d{1,3})(\.|$)")
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,8}")
_LONGEST_CHAIN: Final = 64  # references to references; real documents have a few


class DocumentValue(NamedTuple):
    at: Steps
    value: Json


class Operation(NamedTuple):
    """One operation, with the path item around it."""

    path: str
    method: str
    given: JsonObject
    """The path item as written among the paths, which may be a reference."""
    item: JsonObject
    item_at: Steps
    stated: JsonObject
    at: Steps
    security: Security


def minor_version(stated: Json) -> int | None:
    """Return the y of version 3.y; None for anything else. YAML readers read 3.1 as a number."""
    found = _VERSION.match(str(stated)) if isinstance(stated, (str, float)) else None
    return None if found is None else int(found[1])


def unreadable(at: Steps, reason: str) -> UnreadableTool:
    """Return the error for a part of a document that cannot be read as a tool."""
    return UnreadableTool(ID, str(Pointer(at)), reason)


def an_object(value: Json, at: Steps, what: str) -> JsonObject:
    """Return the value if it is an object. Raises UnreadableTool."""
    if not isinstance(value, dict):
        raise unreadable(at, f"{what} must be an object, found {type(value).__name__}")
    return value


def with_text_keys(root: JsonObject) -> JsonObject:
    """Return the same document, or a copy if YAML read keys such as ``200`` as numbers."""
    stack: list[Json] = [root]
    seen: set[int] = set()
    while stack:
        value = stack.pop()
        if not isinstance(value, (dict, list)) or id(value) in seen:  # an alias
            continue
        seen.add(id(value))
        if isinstance(value, dict):
            if any(key.__class__ is not str for key in value):
                return _respelled(root, (), {})  # type: ignore[no-any-return]  # a dict again
            stack += value.values()
        else:
            stack += value
    return root


def _respelled(value: Json, at: Steps, made: dict[int, Json]) -> Json:
    """Return a copy with keys as JSON writes them; shared values stay shared."""
    if not isinstance(value, (dict, list)) or len(at) > DEEPEST:
        return value
    if id(value) in made:
        return made[id(value)]
    made[id(value)] = value  # it may contain itself
    out: Json = {} if isinstance(value, dict) else []
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(value, list):
            out.append(_respelled(item, (*at, key), made))
            continue
        name = _spelled(key)
        if name in out:
            raise unreadable((*at, name), "the key occurs twice, as a text and as something else")
        out[name] = _respelled(item, (*at, name), made)
    made[id(value)] = out
    return out


def _spelled(key: object) -> str:
    """Return a key as JSON writers write it."""
    return json.dumps(key) if key is None or isinstance(key, (int, float)) else str(key)


class OpenAPIDocument:
    """A document of version 3; raises UnreadableTool for any other."""

    def __init__(self, root: JsonObject) -> None:
        root = with_text_keys(root)
        if "swagger" in root and "openapi" not in root:
            raise unreadable(
                ("swagger",),
                "this is Swagger 2.0, and only OpenAPI 3.0 and 3.1 are supported; upgrade the "
                "document with a converter such as swagger2openapi",
            )
        minor = minor_version(root.get("openapi"))
        if minor is None:
            raise unreadable(
                ("openapi",), f"the version must be 3.0 or 3.1, not {root.get('openapi')!r:.40}"
            )
        self.root = root
        self.siblings = minor > 0
        """Whether siblings of a schema's reference apply."""
        self.findings: tuple[DocumentNote, ...] = ()
        if minor > 1:
            self.findings = (finding("version-newer", ("openapi",), str(root["openapi"])),)
        components = root.get("components")
        self.components: JsonObject = components if isinstance(components, dict) else {}
        schemas = self.components.get("schemas")
        self.schemas: JsonObject = schemas if isinstance(schemas, dict) else {}
        self._found: dict[str, DocumentValue | None] = {}
        self._security: dict[int, Security] = {}

    def operations(self) -> Iterator[Operation]:
        """Yield every operation in order. Raises NoTools when there is none."""
        paths = an_object(self.root.get("paths", {}), ("paths",), "paths")
        none = True
        for path, stated in paths.items():
            if path.startswith("x-"):
                continue
            if not path.startswith("/"):
                raise unreadable(("paths", path), "a path must start with a slash")
            item, at = self.item(path)
            for method in item:
                if method in METHODS:
                    none = False
                    place = (*at, method)
                    operation = an_object(item[method], place, "an operation")
                    security = self._security_of(operation)
                    yield Operation(path, method, stated, item, at, operation, place, security)
        if none:
            raise NoTools("an OpenAPI document without operations", "/paths")

    def _security_of(self, operation: JsonObject) -> Security:
        """Return the operation's security, or else that of the document."""
        holder = operation if "security" in operation else self.root
        listed = holder.get("security")
        if not isinstance(listed, list):
            return NOBODY
        if id(listed) not in self._security:
            self._security[id(listed)] = Security.of(listed)
        return self._security[id(listed)]

    def item(self, path: str) -> tuple[JsonObject, Steps]:
        """Return the path item of a path, and its place; siblings of a reference apply."""
        at: Steps = ("paths", path)
        stated = an_object(self.root["paths"][path], at, "a path item")
        if "$ref" not in stated:
            return stated, at
        target, at = self.follow(stated, at, "a path item")
        return {**target, **{key: stated[key] for key in stated if key != "$ref"}}, at

    def find(self, ref: str) -> DocumentValue | None:
        """Return the target of a reference in this document; None when it is remote or missing."""
        if ref not in self._found:
            head, mark, rest = ref.partition("#")
            is_remote = head or not mark or (rest and not rest.startswith("/"))
            self._found[ref] = None if is_remote else self.at(Pointer.parse(decoded(rest)))
        return self._found[ref]

    def at(self, place: Steps) -> DocumentValue | None:
        """Return the value at a place, with the steps as the actual keys and indices."""
        value: Json = self.root
        steps: list[str | int] = []
        for step in place:
            if isinstance(value, dict) and step in value:
                value = value[step]
                steps.append(step)
            elif isinstance(value, list) and _INDEX.fullmatch(str(step)):
                index = int(step)
                if index >= len(value):
                    return None
                value = value[index]
                steps.append(index)
            else:
                return None
        return DocumentValue(tuple(steps), value)

    def follow(self, value: Json, at: Steps, what: str) -> tuple[JsonObject, Steps]:
        """Return the object that a value is or refers to, and its place.

        From 3.1 on a description beside the reference describes the object.
        """
        first = at
        remarks: JsonObject = {}
        for _ in range(_LONGEST_CHAIN):
            value = an_object(value, at, what)
            ref = value.get("$ref")
            if ref is None:
                return ({**value, **remarks} if remarks else value), at
            if self.siblings and isinstance(value.get("description"), str):
                remarks.setdefault("description", value["description"])
            found = self.find(ref) if isinstance(ref, str) else None
            if found is None:
                reason = (
                    f"{what} is not in this document: {ref!r:.80}; nothing is fetched, so bundle "
                    "the documents into one"
                )
                raise unreadable((*at, "$ref"), reason)
            at, value = found
        raise unreadable(first, f"the references of {what} are circular, or too many in a row")

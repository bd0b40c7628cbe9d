"""The answer of a tool: data, or an error with a kind and details.

One envelope for tools that each report in their own way: ``{"ok": true, "data": …}`` or ``{"ok":
false, "error": "…", "errorType": "not_found", "details": {…}}``. The older flat form, with the
data's members beside ``ok``, is read as well; only the first is written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, Self, TypeAlias, TypeVar, get_args

import orjson

from toolcanon.errors import NotAToolResponse
from toolcanon.ir.conversation import Data, Media, Native, Result, Text
from toolcanon.jsonio.types import Json, JsonObject

ErrorKind: TypeAlias = Literal["validation", "not_found", "permission", "execution", "timeout"]
ERROR_KINDS: Final[tuple[ErrorKind, ...]] = get_args(ErrorKind)
_KIND_KEYS: Final = ("errorType", "error_type")
_Kind = TypeVar("_Kind", bound="ToolResponse")
_NULLS: Final = ("error", *_KIND_KEYS, "details")


@dataclass(frozen=True, slots=True)
class ToolResponse:
    """Success with data, or failure with a message; made by ``success`` and ``failure``."""

    ok: bool
    """Whether the tool succeeded."""
    data: Json = None
    """The result of a success."""
    error: str | None = None
    """The message of a failure."""
    error_type: ErrorKind | None = None
    """The kind of a failure."""
    details: JsonObject = field(default_factory=dict)
    """What helps a model to correct the call: parameter, value, suggestion."""

    def __post_init__(self) -> None:
        if not isinstance(self.ok, bool):
            raise NotAToolResponse("'ok' is neither true nor false")
        if not isinstance(self.details, dict):
            raise NotAToolResponse("'details' is not an object")
        if self.ok:
            if (self.error, self.error_type, self.details) != (None, None, {}):
                raise NotAToolResponse("a success has no error")
            return
        if self.data is not None:
            raise NotAToolResponse("a failure has no data; put it into the details")
        if not isinstance(self.error, str):
            raise NotAToolResponse("'error' is not a string")
        if self.error_type is not None and self.error_type not in ERROR_KINDS:
            raise NotAToolResponse(f"'errorType' must be one of {', '.join(ERROR_KINDS)}")

    @classmethod
    def success(cls, data: Json = None) -> Self:
        """Return a success with its data.

        >>> ToolResponse.success([1]).to_dict()
        {'ok': True, 'data': [1]}
        """
        return cls(ok=True, data=data)

    @classmethod
    def failure(cls, message: str, kind: ErrorKind | None = None, /, **details: Json) -> Self:
        """Return a failure; ``details`` help a model to correct it: parameter, value, suggestion.

        >>> ToolResponse.failure("no file", "not_found", parameter="path").to_dict()["details"]
        {'parameter': 'path'}
        """
        return cls(ok=False, error=message, error_type=kind, details=details)

    @classmethod
    def from_value(cls, value: Json) -> Self:
        """Read an envelope in either form; raises NotAToolResponse for anything else.

        >>> ToolResponse.from_value({"ok": True, "path": "a", "content": "b"}).data
        {'path': 'a', 'content': 'b'}
        """
        if not isinstance(value, dict):
            raise NotAToolResponse("it is not an object")
        if not isinstance(value.get("ok"), bool):
            raise NotAToolResponse("'ok' is missing, or neither true nor false")
        said = {key: item for key, item in value.items() if key != "ok"}
        return cls._read_success(said) if value["ok"] else cls._read_failure(said)

    @classmethod
    def _read_success(cls, said: JsonObject) -> Self:
        members = {key: item for key, item in said.items() if not (key in _NULLS and item is None)}
        if members.keys() <= {"data"}:
            return cls.success(members.get("data"))
        return cls.success(members)

    @classmethod
    def _read_failure(cls, said: JsonObject) -> Self:
        message = said.pop("error", None)
        if not isinstance(message, str):
            raise NotAToolResponse("'ok' is false, but 'error' is not a string")
        found = said.pop("details", None)
        details = dict(found) if isinstance(found, dict) else {}
        if found is not None and not isinstance(found, dict):
            details["details"] = found
        kind: ErrorKind | None = None
        for key in _KIND_KEYS:
            word = said.pop(key, None)
            if word is None or word == kind:
                continue
            if kind is None and isinstance(word, str) and word in ERROR_KINDS:
                kind = word
            else:
                details.setdefault(key, word)  # an unknown kind stays readable
        if said.get("data", 0) is None:
            del said["data"]
        return cls(ok=False, error=message, error_type=kind, details={**said, **details})

    def to_dict(self) -> JsonObject:
        """Return the envelope as plain JSON."""
        if self.ok:
            return {"ok": True, "data": self.data}
        envelope: JsonObject = {"ok": False, "error": self.error}
        if self.error_type is not None:
            envelope["errorType"] = self.error_type
        if self.details:
            envelope["details"] = self.details
        return envelope

    def to_result(self, call_id: str | None, name: str | None = None) -> Result:
        """Return the answer to a call: plain data or text, with the provider's error flag.

        A failure with a kind or details is written as the envelope.
        """
        content: Text | Data
        if self.ok:
            content = Text(self.data) if isinstance(self.data, str) else Data(self.data)
        elif self.error_type is None and not self.details:
            content = Text(self.error or "")
        else:
            content = Data(self.to_dict())
        return Result(call_id, [content], name, is_error=not self.ok)

    @classmethod
    def from_result(cls, result: Result) -> Self:
        """Return the response in a result; without an error flag, only an envelope can fail."""
        found = _envelope(cls, result)
        if result.is_error:
            if found is None:
                return cls.failure(_words(result))
            if found.ok:  # the flag decides, and the conflict is reported
                return cls.failure(_words(result), "execution", conflict="ok", data=found.data)
            return found
        if found is not None and (found.ok or result.is_error is None):
            return found
        return cls.success(_data(result))


def _envelope(kind: type[_Kind], result: Result) -> _Kind | None:
    """Return the envelope that is a result's whole content, as a value or as text."""
    if len(result.content) != 1:
        return None
    part = result.content[0]
    value: Json = None
    if isinstance(part, Data):
        value = part.value
    elif isinstance(part, Text) and part.text.lstrip().startswith("{"):
        try:
            value = orjson.loads(part.text)
        except orjson.JSONDecodeError:
            return None
    try:
        return kind.from_value(value)
    except NotAToolResponse:
        return None


def _data(result: Result) -> Json:
    values = [_value(part) for part in result.content]
    return values[0] if len(values) == 1 else values or None


def _value(part: Text | Media | Data | Native) -> Json:
    if isinstance(part, Text):
        return part.text
    if isinstance(part, (Data, Native)):
        return part.value
    return {
        key: value
        for key in ("kind", "mime", "data", "url", "file_id", "text", "name")
        if (value := getattr(part, key)) is not None
    }


def _words(result: Result) -> str:
    texts = [part.text for part in result.content if isinstance(part, Text)]
    if texts:
        return "\n".join(texts)
    values = [_value(part) for part in result.content if isinstance(part, Data)]
    return "\n".join(_text(value) for value in values) or "the tool failed"


def _text(value: Json) -> str:
    if isinstance(value, str):
        return value
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # integers beyond 64 bits
        return str(value)

"""Parameters and return values: their JSON Schema and validators, by pydantic.

Pydantic makes each parameter's schema as for a field of a model, and the parts are joined to one
typed dictionary: it has no reserved names, its result is the keyword arguments, and it is compiled
once.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Coroutine, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NamedTuple,
    Never,
    NoReturn,
    TypeAlias,
    Union,
    get_args,
    get_origin,
)

from pydantic import Field, GetCoreSchemaHandler, TypeAdapter, ValidationError
from pydantic.errors import PydanticUndefinedAnnotation, PydanticUserError
from pydantic.fields import FieldInfo
from pydantic_core import (
    CoreSchema,
    PydanticSerializationError,
    PydanticUndefined,
    SchemaError,
    core_schema,
    to_jsonable_python,
)

from toolcanon.define.callable_info import CallableInfo, Slot, is_injected, takes_context
from toolcanon.define.schemas import is_sayable, schema_of, text_in
from toolcanon.errors import DefinitionError
from toolcanon.ir.response import ToolResponse
from toolcanon.jsonio import copy_json
from toolcanon.jsonio.types import JsonObject
from toolcanon.text import safe

ExtraBehavior: TypeAlias = Literal["ignore", "forbid"]
REFUSALS: Final = (
    PydanticUserError,
    PydanticUndefinedAnnotation,
    PydanticSerializationError,
    SchemaError,
    AttributeError,
    ImportError,
    LookupError,
    TypeError,
    ValueError,
    RecursionError,
)
"""All exceptions of pydantic for an unusable type, and of hooks of types."""
_LONGEST_REASON: Final = 300
_SCALARS: Final = frozenset({str, int, float, bool})


class FunctionParameter(NamedTuple):
    """One parameter that a model fills."""

    name: str
    annotation: Any
    info: FieldInfo
    words: JsonObject

    @property
    def alias(self) -> str | list[str | int] | list[list[str | int]] | None:
        """Return the name or path under which it is sent, if that differs."""
        alias = self.info.validation_alias
        return alias if alias is None or isinstance(alias, str) else alias.convert_to_aliases()

    @property
    def sent_as(self) -> str:
        """Return the name in the schema: of several aliases, the first that is not a path."""
        alias = self.alias
        if isinstance(alias, str):
            return alias
        for path in alias or ():
            if isinstance(path, list) and len(path) == 1 and isinstance(path[0], str):
                return path[0]
        return self.name


@dataclass(frozen=True, slots=True)
class Arguments:
    """The parameters of a tool."""

    adapter: TypeAdapter[Any]
    subject: CallableInfo
    parameters: tuple[FunctionParameter, ...] = ()
    slots: tuple[Slot, ...] = ()
    is_closed: bool = False
    """Whether arguments without a parameter are rejected."""

    def names(self, schema: JsonObject) -> dict[str, str]:
        """Return the names in a schema by the names of the parameters or fields."""
        if not self.subject.is_model:
            return {one.name: one.sent_as for one in self.parameters}
        names = {name: name for name in schema.get("properties", {})}
        for name, info in getattr(self.subject.source, "model_fields", {}).items():
            if name not in names and info.validation_alias in names:
                del names[info.validation_alias]
                names[name] = info.validation_alias
        return names

    def schema(self) -> JsonObject:
        """Return the JSON Schema of the arguments; raises DefinitionError if there is none."""
        try:
            schema = schema_of(self.adapter.core_schema, "validation", self.subject.names)
        except REFUSALS as error:
            raise _blamed(self.subject, self.parameters, error) from error
        if self.subject.is_model:
            schema.pop("description", None)  # the tool has it
        if self.is_closed:
            schema["additionalProperties"] = False
        for one in self.parameters:
            node = schema["properties"][one.sent_as]
            node.update(copy_json(one.words))
            extra = one.info.json_schema_extra
            try:
                if callable(extra):
                    extra(node)
                elif extra:
                    node.update(to_jsonable_python(extra))
            except REFUSALS as error:
                raise _unusable_parameter(self.subject, one.name, error) from error
        return schema

    @property
    def is_sayable(self) -> bool:
        """Return whether writing its schema cannot fail."""
        hooks = any(one.info.json_schema_extra is not None for one in self.parameters)
        return not hooks and is_sayable(self.adapter.core_schema)


def arguments_of(subject: CallableInfo, extra: ExtraBehavior = "ignore") -> Arguments:
    """Return the parameters of a function or a model; raises DefinitionError."""
    if subject.is_model:
        return _of_model(subject)
    parameters = []
    slots = []
    for one in subject.parameters:
        hint = subject.hints[one.name]
        if is_injected(hint):
            slots.append(Slot(one.name, takes_context(hint), one.default is not one.empty))
        else:
            parameters.append(_parameter(subject, one, hint))
    _ensure_distinct(subject, parameters)
    whole = Annotated[Any, _Joined(subject, parameters, extra)]
    try:
        adapter = adapter_of(whole, subject)
    except DefinitionError:
        raise
    except REFUSALS as error:
        raise _blamed(subject, parameters, error) from error
    _check_defaults(subject, parameters, adapter)
    return Arguments(adapter, subject, tuple(parameters), tuple(slots), extra == "forbid")


def adapter_of(kind: Any, subject: CallableInfo) -> TypeAdapter[Any]:
    """Return an adapter; unresolved names of nested types are looked up at the definition."""
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    if not adapter.pydantic_complete:
        adapter.rebuild(raise_errors=True, _types_namespace=subject.names)
    return adapter


def _parameter(subject: CallableInfo, one: inspect.Parameter, hint: Any) -> FunctionParameter:
    try:
        if one.default is one.empty:
            info = FieldInfo.from_annotation(hint)
        else:
            info = FieldInfo.from_annotated_attribute(hint, one.default)
        words = _words(info)
    except REFUSALS as error:
        raise _unusable_parameter(subject, one.name, error) from error
    marks = [mark for mark in info.metadata if not isinstance(mark, str)]
    if info.discriminator is not None:
        marks.append(Field(discriminator=info.discriminator))
    annotation: Any = info.annotation
    if marks:
        annotation = Annotated[(annotation, *marks)]
    return FunctionParameter(one.name, annotation, info, words)


def _words(info: FieldInfo) -> JsonObject:
    """Return the description and other annotations of a parameter, without its type."""
    stated = {
        "title": info.title,
        "description": info.description or text_in(info.metadata),
        "examples": to_jsonable_python(info.examples),
        "deprecated": True if info.deprecated or info.deprecated == "" else None,
    }
    return {word: value for word, value in stated.items() if value is not None}


def _ensure_distinct(subject: CallableInfo, parameters: list[FunctionParameter]) -> None:
    taken: dict[str, str] = {}
    for one in parameters:
        if (other := taken.setdefault(one.sent_as, one.name)) != one.name:
            raise subject.refuse(
                f"it and {other!r} are both sent as {one.sent_as!r}",
                "change one of the aliases",
                one.name,
            )


class _Joined:
    """Metadata by which pydantic makes one schema of all parameters."""

    def __init__(
        self, subject: CallableInfo, parameters: list[FunctionParameter], extra: ExtraBehavior
    ) -> None:
        self._subject, self._parameters, self._extra = subject, parameters, extra

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        fields = {}
        for one in self._parameters:
            try:
                schema = handler.generate_schema(one.annotation)
            except PydanticUndefinedAnnotation:
                raise  # the caller retries with more names
            except REFUSALS as error:
                raise _unusable_parameter(self._subject, one.name, error) from error
            fields[one.name] = core_schema.typed_dict_field(
                _with_default(one.info, schema),
                required=one.info.is_required(),
                validation_alias=one.alias,
            )
        return core_schema.typed_dict_schema(fields, extra_behavior=self._extra)


def _with_default(info: FieldInfo, schema: CoreSchema) -> CoreSchema:
    if info.is_required():
        return schema
    if info.default_factory is None:
        return core_schema.with_default_schema(
            schema, default=info.default, validate_default=info.validate_default
        )
    takes_data = bool(info.default_factory_takes_validated_data)
    return core_schema.with_default_schema(
        schema,
        default_factory=info.default_factory,
        default_factory_takes_data=takes_data,
        validate_default=info.validate_default,
    )


def _of_model(subject: CallableInfo) -> Arguments:
    if getattr(subject.source, "__pydantic_root_model__", False):
        raise subject.refuse(
            "its JSON may not be an object, but arguments have names", "make it a class with fields"
        )
    try:
        return Arguments(adapter_of(subject.source, subject), subject)
    except PydanticUndefinedAnnotation as error:
        raise _undefined(subject, error) from None
    except REFUSALS as error:
        raise _unusable_parameter(subject, None, error) from error


def _check_defaults(
    subject: CallableInfo, parameters: list[FunctionParameter], adapter: TypeAdapter[Any]
) -> None:
    """Raise DefinitionError for a default that violates its type; pydantic does not check it."""
    given = {one.sent_as: one for one in _doubtful(parameters)}
    if not given:
        return
    try:
        adapter.validate_python({name: one.info.default for name, one in given.items()})
    except ValidationError as error:
        for found in error.errors(include_url=False, include_context=False):
            one = given.get(str(found["loc"][0])) if found["loc"] else None
            if one is not None and found["type"] != "missing":
                nothing = one.info.default is None
                raise subject.refuse(
                    f"its default {safe(repr(one.info.default), 80)} does not fit its type "
                    f"({safe(found['msg'], _LONGEST_REASON)})",
                    "write … | None" if nothing else "change the default or the annotation",
                    one.name,
                ) from None


def _doubtful(parameters: list[FunctionParameter]) -> Iterator[FunctionParameter]:
    """Yield the parameters whose default is not obviously of the type."""
    for one in parameters:
        info = one.info
        if info.is_required() or info.default is PydanticUndefined:
            continue
        kind = type(info.default)
        if kind not in _SCALARS or kind is not info.annotation or info.metadata:
            yield one


def _blamed(
    subject: CallableInfo, parameters: Iterable[FunctionParameter], error: Exception
) -> DefinitionError:
    """Return the error with the parameter that causes it: the first that fails by itself."""
    for one in parameters:
        try:
            schema_of(adapter_of(one.annotation, subject).core_schema, "validation")
        except PydanticUndefinedAnnotation as own:
            return _undefined(subject, own, one.name)
        except REFUSALS as own:
            return _unusable_parameter(subject, one.name, own)
    return _unusable_parameter(subject, None, error)


def _undefined(
    subject: CallableInfo, error: PydanticUndefinedAnnotation, parameter: str | None = None
) -> DefinitionError:
    return subject.refuse(
        f"its type uses the name {error.name!r}, which is not defined",
        "define that name before the tool",
        parameter,
    )


def words_of(error: Exception) -> str:
    """Return the first line of pydantic's error about a type."""
    message = str(getattr(error, "message", error)).strip().partition("\n")[0]
    message = message.partition(". Set ")[0].rstrip(
        "."
    )  # the rest is advice about pydantic settings
    return safe(message or type(error).__name__, _LONGEST_REASON)


def _unusable_parameter(
    subject: CallableInfo, parameter: str | None, error: Exception
) -> DefinitionError:
    return subject.refuse(
        f"its type has no JSON Schema: {words_of(error)}",
        "use a type that pydantic supports, give it __get_pydantic_core_schema__, or mark it "
        "Annotated[…, Injected] if the application supplies it",
        parameter,
    )


_NOTHING: Final = (None, type(None), Any, NoReturn, Never, object)
_UNIONS: Final = (Union, UnionType)


@dataclass(frozen=True, slots=True)
class ReturnAnnotation:
    """The return annotation of a tool."""

    adapter: TypeAdapter[Any]
    subject: CallableInfo

    @property
    def is_sayable(self) -> bool:
        """Return whether writing its schema cannot fail."""
        return is_sayable(self.adapter.core_schema)

    def schema(self) -> JsonObject:
        """Return the JSON Schema of results; raises DefinitionError if there is none."""
        try:
            return schema_of(self.adapter.core_schema, "serialization", self.subject.names)
        except REFUSALS as error:
            raise _unusable_return_type(self.subject, error) from error


def answer_of(subject: CallableInfo) -> ReturnAnnotation | None:
    """Return the return annotation; None if it states nothing.

    ``ToolResponse`` states nothing either: it is an envelope for any value.
    """
    hint = _awaited(subject.hints.get("return"))
    if _states_nothing(hint):
        return None
    try:
        if isinstance(hint, type) and hint.__module__ == "builtins":
            return ReturnAnnotation(_of_builtin(hint), subject)
        return ReturnAnnotation(adapter_of(hint, subject), subject)
    except REFUSALS as error:
        raise _unusable_return_type(subject, error) from error


@cache
def _of_builtin(hint: type[Any]) -> TypeAdapter[Any]:
    """Return a cached adapter: most tools return text."""
    return TypeAdapter(hint)


def _unusable_return_type(subject: CallableInfo, error: Exception) -> DefinitionError:
    return subject.refuse(
        f"its return type has no JSON Schema: {words_of(error)}",
        "return a type that pydantic supports, annotate it with Any, or pass outputs=False",
    )


def _awaited(hint: Any) -> Any:
    """Return the type of the awaited value."""
    origin, inside = get_origin(hint), get_args(hint)
    if origin in {Awaitable, Coroutine} and inside:
        return inside[-1]
    return hint


def _states_nothing(hint: Any) -> bool:
    origin = get_origin(hint)
    if origin is Annotated:
        return _states_nothing(get_args(hint)[0])
    if origin in _UNIONS:
        return any(_is_envelope(choice) for choice in get_args(hint))
    return any(hint is nothing for nothing in _NOTHING) or _is_envelope(hint)


def _is_envelope(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, ToolResponse)

"""JSON Schema as pydantic writes it, without what only pydantic adds.

Titles made from names are redundant and left out; explicit titles stay. Text in
``Annotated[…, "text"]`` describes a field of a nested model as it does a parameter. Defaults
that JSON cannot express are left out.

Writing a schema costs as much as making a model, and a program defines its tools long before it
sends any. So a schema is written on first use, unless that might fail: errors are reported where a
tool is defined. Only types that are known never to fail pass. The names below are those of
pydantic's core schemas; in versions with other names, the schema is written at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from types import NoneType
from typing import (
    Annotated,
    Any,
    Final,
    NotRequired,
    Required,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import CoreSchema, PydanticSerializationError, core_schema
from typing_extensions import ReadOnly

from toolcanon.jsonio.types import Json, JsonObject

_LEAVES: Final = frozenset(
    "any none bool int float str bytes date time datetime timedelta decimal uuid url "
    "definition-ref".split()
)
_INNER: Final = frozenset(
    "nullable default list tuple set frozenset dict union definitions typed-dict typed-dict-field "
    "model model-fields model-field dataclass dataclass-args dataclass-field".split()
)
_BELOW: Final = (
    "schema",
    "items_schema",
    "keys_schema",
    "values_schema",
    "choices",
    "fields",
    "definitions",
    "extras_schema",
)
_HARMLESS: Final = frozenset({"pydantic_js_updates", "pydantic_js_functions"})
_WORDS: Final = frozenset({str, int, float, bool, NoneType})
_OWN: Final = BaseModel.__get_pydantic_json_schema__.__func__  # type: ignore[attr-defined]
_FIELDS: Final = frozenset({"dataclass", "typed-dict"})


def is_sayable(core: CoreSchema) -> bool:
    """Return whether writing the schema cannot fail."""
    nodes: list[Any] = [core]
    while nodes:
        node = nodes.pop()
        kind = node["type"]
        if "serialization" in node:
            return False
        if kind in _LEAVES:
            if "metadata" in node and not _is_harmless(node["metadata"]):
                return False
        elif kind in {"literal", "enum"}:
            if not all(type(word) in _WORDS for word in _words(node)):
                return False
        elif kind not in _INNER or not _is_plain(node, kind):
            return False
        else:
            nodes.extend(_below(node, kind))
    return True


def _words(node: Any) -> Iterator[Any]:
    if node["type"] == "literal":
        return iter(node["expected"])
    hooked = hasattr(node["cls"], "__get_pydantic_json_schema__")
    return iter([...] if hooked else [member.value for member in node["members"]])


def _is_plain(node: Any, kind: str) -> bool:
    """Return whether a node has no hooks or settings of its own."""
    if node.get("computed_fields") or node.get("root_model"):
        return False
    if kind == "model":
        config = node["cls"].model_config
        if "json_schema_extra" in config or "model_title_generator" in config:
            return False
    elif kind in _FIELDS and getattr(node.get("cls"), "__pydantic_config__", None):
        return False
    return _is_harmless(node.get("metadata"))


def _is_harmless(metadata: Any) -> bool:
    if not metadata:
        return True
    functions = metadata.get("pydantic_js_functions", ())
    own = all(getattr(function, "__func__", None) is _OWN for function in functions)
    return own and metadata.keys() <= _HARMLESS


def _below(node: Any, kind: str) -> Iterator[Any]:
    for word in _BELOW:
        inner = node.get(word)
        if inner is None or (word == "fields" and kind == "dataclass"):  # these are names
            continue
        if word == "fields" and isinstance(inner, dict):
            yield from inner.values()
        elif isinstance(inner, list):
            for item in inner:
                yield item[0] if isinstance(item, tuple) else item
        else:
            yield inner


_AS_THEY_ARE: Final = frozenset({str, int, bool, type(None)})
_ROOT: Final = "#/$defs/"
_QUALIFIERS: Final = (Required, NotRequired, ReadOnly)
_VALUES: Final = frozenset({"const", "default", "enum", "examples"})


def schema_of(
    core: core_schema.CoreSchema, mode: JsonSchemaMode, names: Mapping[str, Any] | None = None
) -> JsonObject:
    """Return the JSON Schema 2020-12 of a type; a reference at the root is inlined.

    ``names`` are available to annotations beside those of their modules. Raises pydantic's errors
    for a type without a schema.
    """
    generator = _SchemaGenerator(names or {})
    made = generator.generate(core, mode)
    if generator.enums:
        _untitle_enums(made, generator.enums)
    target = made.get("$ref", "")
    if len(made) == 2 and target.startswith(_ROOT):  # noqa: PLR2004 - $ref and $defs alone
        name = target.removeprefix(_ROOT).replace("~1", "/").replace("~0", "~")
        return {**made["$defs"][name], "$defs": made["$defs"]}
    return made


def text_in(marks: Iterable[Any]) -> str | None:
    """Return the text in the metadata of ``Annotated``: a string, or Doc of PEP 727."""
    found = None
    for mark in marks:
        if isinstance(mark, str):
            found = mark
        elif type(mark).__name__ == "Doc" and isinstance(getattr(mark, "documentation", 0), str):
            found = mark.documentation
    return found


class _SchemaGenerator(GenerateJsonSchema):
    """The generator with the differences named above."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        super().__init__()
        self.names = names
        self.enums: set[str] = set()

    def build_schema_type_to_method(self) -> Any:
        return _Methods(self)

    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False

    def sort(self, value: JsonSchemaValue, parent_key: str | None = None) -> JsonSchemaValue:  # noqa: ARG002
        return value  # keep the order of definition

    def encode_default(self, dft: Any) -> Json:
        if type(dft) in _AS_THEY_ARE:
            return dft
        try:
            json.dumps(dft, allow_nan=False)
        except ValueError as error:  # it would become null, another value
            raise PydanticSerializationError(str(error)) from None
        except TypeError:  # not of JSON's own types
            pass
        if isinstance(dft, (set, frozenset)):
            return _sorted(super().encode_default(dft))
        return super().encode_default(dft)

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        cls = schema["cls"]
        made = _untitled(super().model_schema(schema), cls, cls.model_config)
        for name, field in cls.model_fields.items():
            if field.metadata and field.description is None:
                names = (field.validation_alias, field.serialization_alias, name)
                _describe(made, names, text_in(field.metadata))
        return made

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        made = super().dataclass_schema(schema)
        cls = schema["cls"]
        return self._described(_untitled(made, cls, _config(cls)), cls)

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> JsonSchemaValue:
        made = super().typed_dict_schema(schema)
        cls = schema.get("cls")
        return made if cls is None else self._described(_untitled(made, cls, _config(cls)), cls)

    def named_tuple_schema(self, schema: core_schema.NamedTupleSchema) -> JsonSchemaValue:
        made = super().named_tuple_schema(schema)
        for item, field in zip(made.get("prefixItems", ()), schema["fields"], strict=True):
            item.setdefault("title", field["name"])  # only the title distinguishes the items
        return made

    def enum_schema(self, schema: core_schema.EnumSchema) -> JsonSchemaValue:
        self.enums.add(schema["cls"].__name__)
        return super().enum_schema(schema)

    def _described(self, made: JsonSchemaValue, cls: type[Any]) -> JsonSchemaValue:
        """Add the descriptions in the annotations of a dataclass or a TypedDict."""
        try:
            written = str(getattr(cls, "__annotations__", ""))
        except NameError:  # since Python 3.14 annotations are evaluated on access
            return made
        if "Annotated" not in written:
            return made
        known = {**self.names, cls.__name__: cls}
        try:
            hints = get_type_hints(cls, localns=known, include_extras=True)
        except (NameError, TypeError):  # an annotation that only pydantic can resolve
            return made
        for name, hint in hints.items():
            inner = get_args(hint)[0] if get_origin(hint) in _QUALIFIERS else hint
            if get_origin(inner) is Annotated:
                _describe(made, (name,), text_in(get_args(inner)[1:]))
        return made


class _Methods(dict[str, Any]):
    """The generator's methods by schema type, each looked up on first use."""

    def __init__(self, generator: GenerateJsonSchema) -> None:
        super().__init__()
        self._generator = generator

    def __missing__(self, kind: str) -> Any:
        found = self[kind] = getattr(self._generator, f"{kind.replace('-', '_')}_schema")
        return found


def _sorted(items: list[Json]) -> list[Json]:
    """Return the items of a set in an order that is the same in every run."""
    try:
        return sorted(items)
    except TypeError:  # items of different types cannot be sorted
        return sorted(items, key=json.dumps)


def _config(cls: type[Any]) -> Any:
    return getattr(cls, "__pydantic_config__", None) or {}


def _untitled(made: JsonSchemaValue, cls: type[Any], config: Any) -> JsonSchemaValue:
    if made.get("title") == cls.__name__ and config.get("title") is None:
        del made["title"]
    return made


def _untitle_enums(node: Json, names: set[str]) -> None:
    """Remove enum names, which pydantic adds after the generator ran."""
    if isinstance(node, dict):
        if isinstance(node.get("enum"), list) and node.get("title") in names:
            del node["title"]
        for word, value in node.items():
            if word not in _VALUES:
                _untitle_enums(value, names)
    elif isinstance(node, list):
        for item in node:
            _untitle_enums(item, names)


def _describe(made: JsonSchemaValue, names: Iterable[Any], text: str | None) -> None:
    properties = made.get("properties")
    if text is None or properties is None:
        return
    for name in names:
        if isinstance(name, str) and name in properties:
            properties[name].setdefault("description", text)
            return

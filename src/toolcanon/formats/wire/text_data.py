"""Python literals, signatures and percent codes in texts.

Python text is parsed and inspected, never run. It was cut out of a class, so that it may be
indented, have code after it, or hold the constants of JSON. It is split at its statements.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator
from textwrap import dedent
from typing import TYPE_CHECKING, Final, NamedTuple

from toolcanon.errors import InputError
from toolcanon.jsonio import loads
from toolcanon.jsonio.types import Json, JsonObject

if TYPE_CHECKING:
    import ast

_RESERVED: Final = re.compile(r"[^A-Za-z0-9\-._~]")
# Reserved characters that cannot end a value of a query or make a second one of it.
_HARMFUL: Final = re.compile(r"[^A-Za-z0-9\-._~:/?@!$'()*,;]")
_NOT_IN_FRAGMENT: Final = re.compile(r"[^A-Za-z0-9\-._~/!$&'()*+,;=:@]")
_ESCAPE: Final = re.compile(rb"%([0-9A-Fa-f]{2})")


def encoded(text: str, *, reserved: bool = False) -> str:
    """Everything but unreserved characters escaped; ``reserved`` lets harmless others stand.

    >>> encoded("a/b c")
    'a%2Fb%20c'
    """
    return (_HARMFUL if reserved else _RESERVED).sub(_escaped, text)


def fragment(pointer: str) -> str:
    """Return a JSON Pointer as it is written after the ``#`` of a reference."""
    return _NOT_IN_FRAGMENT.sub(_escaped, pointer)


def _escaped(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode())


def decoded(text: str) -> str:
    """Return the text behind the escapes; invalid UTF-8 becomes replacement characters."""
    if "%" not in text:
        return text
    escaped = text.encode(errors="surrogatepass")
    raw = _ESCAPE.sub(lambda found: bytes.fromhex(found[1].decode()), escaped)
    try:
        return raw.decode(errors="surrogatepass")
    except UnicodeDecodeError:
        return raw.decode(errors="replace")


_LONGEST: Final = 250_000
_DEEPEST: Final = 180  # brackets within brackets; the parser itself gives up at two hundred
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_NO_DATA: Final = "text that is no data"


class SignatureParameter(NamedTuple):
    """One parameter of a signature; ``default`` is only there when it can be left out."""

    name: str
    type: str | None
    default: tuple[Json, ...] = ()


def object_in_text(text: str) -> JsonObject | None:
    """Return the object in a text of JSON or of a Python literal; None if there is none."""
    if text.lstrip()[:1] != "{":
        return None
    try:
        value = loads(text.encode("utf-8", "surrogatepass")).value
    except InputError:
        try:
            value = _literal(text.strip())
        except ValueError:
            return None
    return value if isinstance(value, dict) else None


def assignments(text: str) -> JsonObject:
    """Return the values of ``name = literal`` lines. Raises ValueError for any other text."""
    import ast  # noqa: PLC0415 - one format needs it

    found: JsonObject = {}
    for line in _statements(text):
        match line:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found[name] = _value(value)
            case ast.Expr():
                pass  # a bare string is a comment
            case _:
                raise ValueError(_NO_DATA)
    return found


def signature(text: str) -> tuple[str, list[SignatureParameter]]:
    """Return the name and parameters of ``name(a: str, b: int = 5)``; the name may be missing."""
    import ast  # noqa: PLC0415

    name, opening, rest = text.strip().partition("(")
    match _statements(f"def _{opening}{rest}: pass"):
        case [ast.FunctionDef(args=ast.arguments(vararg=None, kwarg=None) as arguments)]:
            pass
        case _:
            raise ValueError(_NO_DATA)
    listed = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(listed) - len(arguments.defaults))
    defaults += [*arguments.defaults, *arguments.kw_defaults]
    found = [
        SignatureParameter(
            one.arg, _annotation(one.annotation), () if value is None else (_value(value),)
        )
        for one, value in zip([*listed, *arguments.kwonlyargs], defaults, strict=True)
    ]
    return name.strip(), [one for one in found if one.name not in {"self", "cls"}]


def is_name(text: str) -> bool:
    """Return whether Python would take a text for the name of a parameter."""
    from keyword import iskeyword  # noqa: PLC0415

    return text.isidentifier() and not iskeyword(text) and text not in {"self", "cls"}


def _annotation(node: ast.expr | None) -> str | None:
    import ast  # noqa: PLC0415

    if node is None:
        return None
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return ast.unparse(node)


def _literal(text: str) -> Json:
    import ast  # noqa: PLC0415

    match _statements(text):
        case [ast.Expr(value=value)]:
            return _value(value)
    raise ValueError(_NO_DATA)


def _statements(text: str) -> list[ast.stmt]:
    import ast  # noqa: PLC0415

    if len(text) > _LONGEST or _depth(text) > _DEEPEST:
        raise ValueError("text too long or too deep")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape in the given text
            return ast.parse(text).body
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(_NO_DATA) from error


def _depth(text: str) -> int:
    depth = deepest = 0
    for mark in text:
        if mark in _OPENING:
            depth += 1
            deepest = max(deepest, depth)
        elif mark in _CLOSING:
            depth -= 1
    return deepest


def _value(node: ast.expr) -> Json:
    import ast  # noqa: PLC0415

    try:
        value = ast.literal_eval(node)
    except (TypeError, SyntaxError, RecursionError, MemoryError) as error:  # [] as a key, depth
        raise ValueError(_NO_DATA) from error
    return _as_json(value)


def _as_json(value: object) -> Json:
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise ValueError("keys that are not strings")
        return {key: _as_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a number that JSON cannot hold")
    if value is None or isinstance(value, (str, int, float)):
        return value
    raise ValueError(_NO_DATA)


_LONGEST_NOTE: Final = 60
_START: Final = re.compile(r"@|[^\W\d][\w.]*[ \t]*(?:[:=(]|[^\W\d])")
"""How a statement begins; what continues one is a closing bracket, a text or a lone word."""
_CONSTANTS: Final = {"true": "True", "false": "False", "null": "None"}


class Assigned(NamedTuple):
    """The values that a text assigns, and the first words of its other statements."""

    found: JsonObject
    unread: list[str]


def assigned(text: str) -> Assigned:
    r"""Return the value of every ``name = literal`` in a text.

    >>> assigned("  a: str = 'x' + 'y'\n  b = open('z')\n  c = {'d': null}")
    Assigned(found={'a': 'xy', 'c': {'d': None}}, unread=["b = open('z')"])
    """
    try:
        return Assigned(assignments(text), [])
    except ValueError:
        if len(text) > _LONGEST:
            return Assigned({}, [text[:_LONGEST_NOTE]])
    found: JsonObject = {}
    unread: list[str] = []
    for statement in _assignment_texts(text):
        try:
            found |= assignments(_as_literals(statement))
        except ValueError:
            unread.append(statement.strip().partition("\n")[0][:_LONGEST_NOTE])
    return Assigned(found, unread)


def _assignment_texts(text: str) -> Iterator[str]:
    """Yield the text cut where a statement begins, none of it within a text of several lines."""
    first, newline, rest = text.strip("\n").partition("\n")
    lines: list[str] = []
    quotes = 0
    for line in f"{first.lstrip()}{newline}{dedent(rest)}".split("\n"):
        if lines and quotes % 2 == 0 and _START.match(line):
            yield "\n".join(lines)
            lines, quotes = [], 0
        lines.append(line)
        quotes += line.count('"""') + line.count("'''")
    yield "\n".join(lines)


def _as_literals(statement: str) -> str:
    """Return an assignment without its annotation, texts joined, constants as Python has them."""
    import tokenize  # noqa: PLC0415 - one format needs it

    lines = iter(statement.splitlines(keepends=True))
    silent = {tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    try:
        tokens = list(tokenize.generate_tokens(lambda: next(lines, "")))
    except (tokenize.TokenError, SyntaxError) as error:
        raise ValueError("text that is not Python") from error
    tokens = [token for token in tokens if token.type not in silent]
    words = [_CONSTANTS.get(token.string, token.string or "\n") for token in tokens]
    for at in range(1, len(tokens) - 1):
        if words[at] == "+" and tokens[at - 1].type == tokens[at + 1].type == tokenize.STRING:
            words[at] = ""  # texts side by side are one
    if words[1:2] == [":"] and "=" in words:
        del words[1 : words.index("=")]
    return "".join(word if word.isspace() else f"{word} " for word in words)

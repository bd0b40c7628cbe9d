"""Types that hold at run time, and handlers that hide no errors, checked in the source itself."""

import ast

import pytest

from tests.conftest import ROOT

SOURCE = ROOT / "src" / "toolcanon"
SET_OPERATORS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.Sub)


def modules():
    for path in sorted(SOURCE.rglob("*.py")):
        yield path.relative_to(SOURCE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def is_view(node):
    """Whether an expression is a call of ``keys()`` or ``items()``."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"keys", "items"}
        and not node.args
    )


def views_on_the_right(tree):
    """Set operations with a view on the right of what is no view.

    At run time the view decides, and the result is a set: of a frozenset, mypy expects a frozenset,
    and an operation in place replaces the set instead of changing it.
    """
    for node in ast.walk(tree):
        if not isinstance(node, ast.BinOp | ast.AugAssign):
            continue
        left, right = (
            (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
        )
        if isinstance(node.op, SET_OPERATORS) and is_view(right) and not is_view(left):
            yield node


@pytest.mark.parametrize(
    "text, found",
    [
        ("NAMES & node.keys()", 1),
        ("NAMES - a.keys() - b.keys()", 2),
        ("seen |= node.keys()", 1),
        ("{'a'} ^ node.items()", 1),
        ("node.keys() & NAMES", 0),
        ("one.keys() | other.keys()", 0),
        ("NAMES.intersection(node)", 0),
        ("NAMES <= node.keys()", 0),
    ],
)
def test_views_on_the_right_are_found(text, found):
    assert len(list(views_on_the_right(ast.parse(text)))) == found


def test_the_result_of_a_set_operation_has_the_type_that_mypy_expects():
    found = {
        place: [f"{place}:{node.lineno}: {ast.unparse(node)}" for node in views_on_the_right(tree)]
        for place, tree in modules()
    }
    assert not any(found.values()), [line for lines in found.values() for line in lines]


COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.Match)


def catches_type_errors(handler):
    return handler.type is not None and any(
        isinstance(node, ast.Name) and node.id == "TypeError" for node in ast.walk(handler.type)
    )


def wide_handlers(text):
    """Handlers of TypeError around more than one simple statement, or without the reason.

    A wrong type inside of the package raises the same error as a value that orjson does not write.
    So the guarded statement is the only one, and a comment beside ``except`` names what raises.
    """
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        for handler in filter(catches_type_errors, getattr(node, "handlers", ())):
            is_narrow = len(node.body) == 1 and not isinstance(node.body[0], COMPOUND)
            if not is_narrow or "  # " not in lines[handler.lineno - 1]:
                yield handler


@pytest.mark.parametrize(
    "body, handler, found",
    [
        ("text = dumps(value)", "except TypeError:  # integers beyond 64 bits", 0),
        ("text = dumps(value)", "except TypeError:", 1),
        ("text = dumps(value)", "except ValueError:", 0),
        ("made(dumps(value))", "except (KeyError, TypeError):  # odd keys", 0),
        ("text = dumps(value); made(text)", "except TypeError:  # odd keys", 1),
        ("\n  if dumps(value): made()", "except (ValueError, TypeError) as error:  # odd keys", 1),
    ],
)
def test_wide_handlers_are_found(body, handler, found):
    assert len(list(wide_handlers(f"try: {body}\n{handler}\n  pass"))) == found


def test_handlers_of_type_errors_are_narrow_and_name_what_raises():
    found = {
        path.relative_to(SOURCE).as_posix(): [
            f"{path.relative_to(SOURCE)}:{handler.lineno}"
            for handler in wide_handlers(path.read_text(encoding="utf-8"))
        ]
        for path in sorted(SOURCE.rglob("*.py"))
    }
    assert not any(found.values()), [line for lines in found.values() for line in lines]

"""The source passes the type checker, and a decorator keeps the type of its function."""

import subprocess
import sys

from tests.conftest import ROOT

TYPES = """
from dataclasses import dataclass
from toolcanon.define import Context, FunctionTool, definition_of, tool
from pydantic import BaseModel

@tool
def plain(a: int, b: str = "") -> list[str]: return [b] * a

@tool(name="n", read_only=True, tags=["x"])
async def options(a: int) -> bytes: return b""

class Store:
    @tool
    def method(self, a: int) -> float: return 1.0

    @tool
    @classmethod
    def on_class(cls, a: int) -> str: return ""

@tool
class Model(BaseModel):
    a: int

reveal_type(plain)
reveal_type(options)
reveal_type(Store().method)
reveal_type(Store.on_class)
reveal_type(Model(a=1))
reveal_type(definition_of(plain))
plain("x")
tool(nmae="x")(plain)
tool(timeout="x")(plain)
def inside(context: Context[int]) -> None:
    reveal_type(context.state)
"""


def mypy(*words):
    """Run the type checker as the project configures it; both runs share its cache."""
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", *words],
        capture_output=True, text=True, check=False, cwd=ROOT, timeout=600,
    )  # fmt: skip


def test_the_source_and_decorated_functions_have_their_types(tmp_path):
    done = mypy()
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
    (tmp_path / "typed.py").write_text(TYPES, encoding="utf-8")
    done = mypy(str(tmp_path / "typed.py"))
    lines = [line.split(": ", 1)[1] for line in done.stdout.splitlines()]
    lines = [line for line in lines if "overload variants" not in line and " def " not in line[:20]]
    assert lines == [
        'note: Revealed type is "def (a: int, b: str =) -> list[str]"',
        'note: Revealed type is "def (a: int) -> typing.Coroutine[Any, Any, bytes]"',
        'note: Revealed type is "def (a: int) -> float"',
        'note: Revealed type is "def (a: int) -> str"',
        'note: Revealed type is "typed.Model"',
        'note: Revealed type is "toolcanon.define.function_tool.FunctionTool"',
        'error: Argument 1 to "plain" has incompatible type "str"; expected "int"  [arg-type]',
        'error: Unexpected keyword argument "nmae" for overloaded function "tool"  [call-overload]',
        'error: No overload variant of "tool" matches argument type "str"  [call-overload]',
        'note: Revealed type is "int"',
    ], done.stdout + done.stderr

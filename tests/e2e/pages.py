"""Pages of the documentation as code: blocks by language, commands with their output."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT


def blocks(page, language):
    """The fenced blocks of a language, in order; none is named by an empty text."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [code for spoken, code in found if spoken == language]


def commands(page):
    """Every command line, with its output on the page."""
    for block in blocks(page, "console"):
        yield from commands_of(block)


def commands_of(block):
    """Return the commands of one block, which build on each other."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, _, output = part.partition("\n")
        yield line, output


_ELSEWHERE = ("CI", "TOOLWATCH_STORE")


def run(line, folder):
    """Run a command line with the installed commands; return output, then errors.

    What is remembered is remembered in the folder, and a build server changes nothing.
    """
    environ = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", f"{{ {line}\n}} 2>stderr.txt; code=$?; cat stderr.txt; exit $code"],
        cwd=folder,
        env={**environ, "PATH": path, "TOOLCANON_HOME": str(folder / ".toolcanon")},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def claims(code):
    """The statements of a block, each with the value that the comment behind it claims, if any.

    Only expressions are claimed about: on their line, or on the lines of comments below it.
    """
    lines = code.splitlines()
    for statement in ast.parse(code).body:
        end = statement.end_lineno
        said = [lines[end - 1][statement.end_col_offset :].strip()]
        while end < len(lines) and lines[end].startswith("#"):
            said.append(lines[end])
            end += 1
        claim = " ".join(line.lstrip("# ") for line in said).strip()
        yield statement, claim if isinstance(statement, ast.Expr) else ""


def values(page):
    """Every value that a page claims, with what it really is, and the names left at the end."""
    names, compared = {}, []
    for code in blocks(page, "python"):
        for statement, claim in claims(code):
            if claim:
                said = ast.unparse(statement)
                compared.append((said, eval(said, names), ast.literal_eval(claim)))  # noqa: S307
            else:
                exec(ast.unparse(statement), names)  # noqa: S102 - our own page
    return names, compared

"""Words that the project does not use, in the text of the source, in pages and in tests' names.

A place is a package, a page, or a folder of tests.
`python -m tests.architecture.test_plain_english` lists the words of each.
"""

import ast
import re
from collections import Counter
from pathlib import Path

from tests.conftest import ROOT

INSTEAD = {
    r"told|tells|says|said|hears": "reported, reports, states",
    r"somebody|nobody|whoever": "the caller, the user, no caller",
    r"mend(?:ed|s|ing)?": "repaired, fixed",
    r"stands(?! for)|stood|lies": "is, appears, is stored",
    r"the long way|the ordinary road|fast lane|short way": "general path, fast path",
    r"glances?|quick look": "precheck, check",
    r"homes": "source map",
    r"thoughts|seals": "reasoning, signatures",
    r"halves of (?:a )?characters?": "lone surrogates",
    r"remarks?": "annotations, descriptions",
    r"handed|hands? out|at hand": "passed, returns, available",
    r"given in confidence": "secret",
    r"faults? of ours": "internal error",
    r"is no text|none at all": "is not a string, none",
    r"(?-i:The same for)": "the sentence in full",
    r"whom it hurts": "who breaks",
    r"by itself alone": "alone",
}
UNWANTED = re.compile(rf"\b(?:{'|'.join(INSTEAD)})\b".replace(" ", r"\s+(?:#\s+)?"), re.IGNORECASE)
# Examples, names in backticks, and patterns of text that others write.
CODE = re.compile(r"^```python$[\s\S]*?^```$|^ *(?:>>>|\.\.\.) .*|``?[^`\n]+``?", re.MULTILINE)
NAME = re.compile(r"\b[a-z]+(?:-[a-z]+)+\b")
PATTERN = re.compile(r"\\b|\(\?:")
# Sent to providers, kept in extras, or searched for in the text of others: these stay as they are.
FIXED = (
    "(Nothing has been said yet.)",
    "[Summary of what was said before]",
    "only this one is told of",
    "ignores what stands beside",
    "nothing says what the value looks like",
    "stands in the signature alone",
    "cannot be told in JSON",
    "said so far",
    "conversation chat system said messages",
    "know notice aware told find",
)
COMMENT = re.compile(r"(?:^|(?<= ) )# .*", re.MULTILINE)
CLEAN = set(
    """CHANGELOG.md README.md docs/architecture.md docs/boundary.md docs/check.md
    docs/commands.md docs/define.md docs/engines.md docs/formats.md docs/glossary.md
    docs/seeds.md docs/shapes.md docs/toolset.md docs/versioning.md docs/watch.md
    src/toolcanon src/toolcanon/diagnostics src/toolcanon/infer tests tests/architecture
    tests/contract tests/corpus tests/engines tests/loopback tests/oracle tests/properties
    tests/referee tests/releases tests/seeds tests/servers tests/stories tests/unit""".split()
)


def text_of_source(path: Path) -> str:
    """Return the docstrings, comments and messages of a module: its text for people."""
    text = path.read_text(encoding="utf-8")
    comments = COMMENT.findall(text)
    strings = [
        node.value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value
        if not PATTERN.search(node.value)
    ]
    found = CODE.sub("", "\n".join((" ".join(comments), *strings)))
    for fixed in FIXED:
        found = found.replace(fixed, "")
    return found


def text_of_tests(path: Path) -> str:
    """Return the names of the tests of a module, and every docstring."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found.append(ast.get_docstring(node) or "")
            name = getattr(node, "name", "")
            found.append(name.replace("_", " ") if name.startswith("test_") else "")
    return "\n".join(found)


def text_of_page(path: Path) -> str:
    """Return a page; of the changelog, what is not released yet."""
    text = NAME.sub("", CODE.sub("", path.read_text(encoding="utf-8")))
    return "\n## ".join(text.split("\n## ")[:2]) if path.name == "CHANGELOG.md" else text


def unwanted_words() -> dict[str, Counter]:
    """Return the unwanted words of each place."""
    found: dict[str, Counter] = {}
    readers = {"src/toolcanon": text_of_source, "tests": text_of_tests}
    for folder, read in readers.items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            inner = path.relative_to(ROOT / folder).parts
            place = f"{folder}/{inner[0]}" if len(inner) > 1 else folder
            found.setdefault(place, Counter()).update(UNWANTED.findall(read(path)))
    pages = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")]
    for path in (*pages, *(ROOT / "docs").glob("*.md")):
        place = path.relative_to(ROOT).as_posix()
        found[place] = Counter(UNWANTED.findall(text_of_page(path)))
    return found


def test_no_place_has_an_unwanted_word():
    found = unwanted_words()
    assert "src/toolcanon/lowering" in found
    assert {place: words for place, words in found.items() if words} == {}


def test_unwanted_words_are_recognized(tmp_path):
    text = "The same\nfor both. Mended at\n  hand; it says none at all is handed. A fault of ours."
    assert len(UNWANTED.findall(text)) == 7
    assert not UNWANTED.findall("It stands for the same for all; this amendment relies on essays.")
    assert not UNWANTED.findall("text_told is_said saying")
    module = tmp_path / "test_it.py"
    module.write_text(
        "'''It says.'''\n# it tells at\n# hand\ndef test_it_is_told(said):\n    x('is mended')\n"
        "    return f'{x} is no text', 'stood'\n"
    )
    assert Counter(UNWANTED.findall(text_of_source(module))) == Counter(
        ["says", "tells", "at\n# hand".replace("\n", " "), "mended", "is no text"]
    )
    assert UNWANTED.findall(text_of_tests(module)) == ["says", "told"]


if __name__ == "__main__":
    for place, words in sorted(unwanted_words().items()):
        print(f"{words.total():5} {place}", *(f"{word}:{n}" for word, n in words.most_common(12)))  # noqa: T201

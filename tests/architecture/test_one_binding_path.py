"""One binding path: few modules read a dialect, and no module decides what another decides."""

import ast

from tests.conftest import ROOT

SOURCE = ROOT / "src" / "toolcanon"

# Packages of which every module may: providers state dialects, lowering applies them.
PACKAGES = {"dialect", "formats", "lowering", "registry.py"}
# Modules that choose a dialect, keep its limits, or show it to people.
MODULES = {
    "bulk/template_examples.py": "asks lowering whether members are lowered one by one",
    "checking/compatibility.py": "what a verdict quotes",
    "compat/adapters.py": "what is supported at all",
    "compat/canonicalizer.py": "which dialect an adapter takes",
    "conversion/bind_tool.py": "limits of strict tools",
    "conversion/target.py": "which dialect",
    "conversion/predicted_losses.py": "which dialect a probe is written in",
    "conversion/verify.py": "what a payload is verified against",
    "report/dialects.py": "shown to people",
    "report/explain.py": "shown to people",
}
# Of conversations, whose rules are data of the same kind.
HISTORIES = (
    "conversations/repair_history/",
    "conversations/trim.py",
    "checking/history/",
    "checking/conv",
)
NAMES = {"NamePolicy"}
"""What others may know of a dialect: the rule for names."""


def imported(tree):
    """What a module imports from the package of dialects."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("toolcanon.dialect"):
            yield from (alias.name for alias in node.names)


def test_only_listed_modules_read_a_dialect():
    found = set()
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE).as_posix()
        if place.split("/")[0] in PACKAGES or place.startswith(HISTORIES):
            continue
        if set(imported(ast.parse(path.read_text(encoding="utf-8")))) - NAMES:
            found.add(place)
    assert found <= MODULES.keys(), found - MODULES.keys()
    assert MODULES.keys() <= found, "no longer needed: " + ", ".join(MODULES.keys() - found)


def test_lowering_is_entered_by_one_function():
    """Others take what the package exports: ``lower``, or a dialect's check and ``rewrite``."""
    private = ("toolcanon.lowering.engine", "toolcanon.lowering.passthrough")
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE).as_posix()
        if place.startswith("lowering/"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith(private), f"{place}: {node.module}"

"""The rules of the house, looked for in the source itself."""

import ast
import importlib
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import toolcanon as tc
from tests.conftest import ROOT, format_cases
from tests.e2e.pages import blocks
from tests.tables import table
from toolcanon import errors
from toolcanon.checking.rule import Rule
from toolcanon.conversion.binding import Binding, bind_one
from toolcanon.conversion.target import BindTarget, Choice
from toolcanon.diagnostics import CODES
from toolcanon.formats.wire import Format
from toolcanon.lowering.steps import OPS
from toolcanon.registry import builtin_formats
from toolcanon.report.explain import explain_lines

SOURCE = ROOT / "src" / "toolcanon"
MODULES = sorted(SOURCE.rglob("*.py"))

# Ids that stand for a vendor. canonical, raw and json-schema are ours or nobody's, the Model
# Context Protocol is a protocol, and OpenAPI a specification.
VENDORS = set(builtin_formats()) - {"canonical", "raw", "json-schema", "mcp", "openapi"}
EXEMPT = ("boundary/", "compat/", "naming/profiles.py", "sources/", "cli/", "__init__.py")


def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def texts(path):
    """String constants that are not docstrings."""
    nodes = list(ast.walk(tree(path)))
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docs = {
        id(node.body[0].value)
        for node in nodes
        if isinstance(node, holders) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


ID_IN_PROSE = re.compile(
    r"[`'\"]([a-z][a-z-]*)(?=[`'\"/@])|\b([a-z][a-z-]*)/(?=[a-z])|(?<=[a-z,;] )([A-Z][a-z]+)\b"
)
"""In quotes, before the slash of a dialect, or with a capital in mid-sentence."""


def named_in(text):
    """Ids that a text uses; English words that happen to be spelled like one are none.

    A text without spaces is made of ids. In a sentence a bare word in lower case is English.
    """
    if " " not in text.strip():
        return set(re.findall(r"[a-z]+(?:-[a-z]+)*", text.lower()))
    return {"".join(groups).lower() for groups in ID_IN_PROSE.findall(text)}


@table(
    "text, names",
    [
        ("groq", {"groq"}),
        ("openai/strict@2026-11", {"openai", "strict"}),
        ("keys that go together", set()),
        ("see `together` or 'mcp/cursor'", {"together", "mcp"}),
        ("what only Together accepts", {"together"}),
        ("Together they are two", set()),
    ],
)
def test_an_id_is_not_an_english_word(text, names):
    assert named_in(text) == names


@table("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_a_provider_is_named_in_its_own_file_only(path):
    place = str(path.relative_to(SOURCE))
    if place.startswith(EXEMPT):
        return
    home = path.relative_to(SOURCE).parts[1] if place.startswith("formats/") else None
    own = home and home.removesuffix(".py").replace("_", "-")
    for text in texts(path):
        if own and text.startswith("github.com/"):  # where a fact was reported
            continue
        foreign = (named_in(text) & VENDORS) - {own}
        if own and own.startswith("openai"):
            foreign -= {"openai"}
        assert not foreign, f"{place} names {foreign}: {text!r}"


@table("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_modules_are_short_and_named_for_what_they_are(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 600
    assert path.stem not in {"utils", "helpers", "common", "core", "base", "misc"}
    module = tree(path)
    assert ast.get_docstring(module) or path.stem == "py"
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef):
            assert node.end_lineno - node.lineno <= 70, f"{path.name}: {node.name} is too long"


def test_a_class_name_has_one_meaning():
    places = {}
    for path in MODULES:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(str(path.relative_to(SOURCE)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_rules_are_in_the_file_of_their_family():
    """Each file lists its rules in ``RULES``: none is left out, and a family has several."""
    for path in sorted((SOURCE / "checking" / "rules").glob("[a-z]*.py")):
        module = importlib.import_module(f"toolcanon.checking.rules.{path.stem}")
        defined = {name for name, value in vars(module).items() if isinstance(value, Rule)}
        listed = {
            name for name in defined for rule in module.RULES if getattr(module, name) is rule
        }
        assert defined == listed, path
        assert len(defined) == len(module.RULES) > 1, path


def test_what_formats_share_knows_no_format():
    for path in (SOURCE / "formats" / "wire").glob("*.py"):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ImportFrom) and node.module:
                name = node.module.removeprefix("toolcanon.formats.")
                assert name == node.module or name.startswith("wire"), f"{path.name}: {node.module}"


def test_nothing_that_carries_code_is_imported():
    banned = {"pickle", "marshal", "shelve", "yaml", "importlib.util"}
    for path in MODULES:
        for node in ast.walk(tree(path)):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            allowed = {"yaml"} if path.name == "yaml.py" else set()  # the safe loader, there alone
            if path.name == "snapshot.py" and isinstance(node, ast.ImportFrom):  # nothing is loaded
                allowed = (
                    {"marshal"} if [alias.name for alias in node.names] == ["dumps"] else set()
                )
            assert not banned & set(names) - allowed, path
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in {"eval", "exec"}, path


OWN_VERBS = """bind check convert define_tool detect diff fingerprint observe read
    read_conversation switch tool translate_stream trim write_conversation""".split()
OWN_TYPES = """Answer Binding BoundToolset Call CallResult Candidate CanonicalTool Change
    CheckReport Context Conversation Conversion Converter Data Detection DiffReport Effect Finding
    FunctionTool Grammar HttpRequest Injected Kind Loss Losses McpServer Media Message Native
    Profile Reasoning Refusal Repair RestoredCall Result Shape ShapeComparison Stop SwitchResult
    Target Text ToolCapability ToolChoice ToolFingerprint ToolHints ToolResponse ToolSecurity
    ToolcanonError Toolset TranslatedStream TrimResult TurnMessages""".split()
FURTHER_NAMES = """accumulate against_schema compare_shapes definition_of http_request lint
    read_answer write_answer write_messages
    Adapter AdapterRegistry AnthropicAdapter AnthropicParser CANONICAL_TO_CLAUDE_CODE
    CLAUDE_CODE_TO_CANONICAL CanonicalizationResult Canonicalizer ConversionError ConversionResult
    DuplicateAdapter FeatureLossWarning FormatDetector LangChainParser MCPAdapter MCPParser
    MutationAlert MutationDetector OpenAIAdapter OpenAIParser SCHEMA_FEATURES SourceFormat
    ToolFingerprinter ToolNamingConvention UnknownAdapter WatchConfig WatchManager
    build_history_messages canonicalize emit_anthropic emit_bedrock emit_gemini emit_json_schema
    emit_langchain emit_mcp emit_openai execute_tool get_tool_schema get_tools_for_agent list_tools
    normalize_tool_call register_tool requires_claude_code_naming to_canonical_name
    to_claude_code_name transform_tool_for_claude_code validate_tool_compatibility""".split()
FORMER_NAMES = {
    "Called": "CallResult", "Ran": "TurnMessages", "Restored": "RestoredCall",
    "Switched": "SwitchResult", "Trimmed": "TrimResult",
}  # fmt: skip


BINDING_MEMBERS = """format from_receipt lenses losses names needs_restore payload receipt render
    request restore tool_choice tools""".split()
INTERNAL = re.compile(r"BindTarget|BoundTool\b|CallShape|Calls\b|Choice\b|Format\b|Lowered|Wire\b")


def test_a_binding_shows_only_members_of_public_types():
    shown = {name: member for name, member in vars(Binding).items() if not name.startswith("_")}
    assert sorted(shown) == BINDING_MEMBERS
    stated = {"payload": Binding.__annotations__["payload"]}
    for name in shown.keys() - stated.keys():
        member = inspect.getattr_static(Binding, name)
        function = member.fget if isinstance(member, property) else inspect.unwrap(member)
        stated[name] = str(inspect.get_annotations(getattr(function, "__func__", function)))
    assert stated["format"] == "{'return': 'str'}"
    assert [name for name, words in stated.items() if INTERNAL.search(words)] == []


def test_public_names_are_pinned():
    assert len(OWN_VERBS) <= 15
    assert sorted(tc.__all__) == sorted([*OWN_VERBS, *OWN_TYPES, "__version__"])
    assert dir(tc) == sorted(tc.__all__)
    for name in (*tc.__all__, *FURTHER_NAMES):
        assert getattr(tc, name) is not None
    assert not {*FURTHER_NAMES, *FORMER_NAMES} & {*tc.__all__}


def test_former_names_are_the_same_classes():
    for former, name in FORMER_NAMES.items():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert getattr(tc, former) is getattr(tc, name)


def test_type_checkers_see_every_importable_name():
    """Names outside of ``__all__`` are passed on by an alias of the same name."""
    tree = ast.parse(Path(tc.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imported = {
        alias.name: alias.asname
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert {name for name, other in imported.items() if other is None} == {*OWN_VERBS, *OWN_TYPES}
    assert {name for name, other in imported.items() if other == name} == {*FURTHER_NAMES}
    assigned = {n.targets[0].id: n.value.id for n in block.body if isinstance(n, ast.Assign)}
    assert assigned == FORMER_NAMES


def test_every_loss_code_is_reachable():
    """A code that nothing can cause must not exist."""
    seen = set()
    probes = [case["definition"] for _, case in format_cases()]
    probes += [
        {"name": "a.b", "inputSchema": {"type": "dict"}},
        {"type": "namespace", "name": "n", "description": "", "tools": [{"type": "function",
                                                                        "name": "f"}]},
    ]  # fmt: skip
    for definition in probes:
        for target in builtin_formats():
            if target != "raw":
                seen |= {loss.code for loss in tc.convert(definition, target).losses}
    mute = Format(id="mute", title="Mute", signals=frozenset(), sniff=lambda _: None,
                  read=lambda d: tc.CanonicalTool(name=d["name"]),
                  write=lambda _, wire: {"name": wire.name})  # fmt: skip
    told = tc.CanonicalTool(name="f", description="d")
    seen |= {
        loss.code
        for loss in bind_one(Binding, told, BindTarget(mute, Choice(None, None, mode=False))).losses
    }
    named = tc.Profile("p", {"f_x": "FX"}, mentions=True)
    pair = [{"name": name, "description": "Like f_x."} for name in ("f_x", "g")]
    seen |= {loss.code for loss in tc.convert(pair, "mcp", naming=named).losses}
    # tests/unit/test_upgrade.py, test_steps.py, test_torture.py and test_restore.py cause these
    elsewhere = {code for code in CODES if code >= "L100"}
    assert seen | elsewhere == set(CODES)


def test_every_error_has_a_code_a_name_and_advice():
    classes = [
        value
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, errors.ToolcanonError)
    ]
    coded = [item for item in classes if "code" in vars(item) and item.code != "E000"]
    assert len({item.code for item in coded}) == len({item.name for item in coded}) == len(coded)
    for item in coded:
        assert "\n".join(explain_lines(item.code)) == "\n".join(explain_lines(item.name))
        assert item.code in (errors.__doc__ or "")


def generator():
    """Load the generator anew, with its folder on the path: it imports modules beside it."""
    folder = ROOT / "docs"
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    spec = importlib.util.spec_from_file_location("generate", folder / "generate.py")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(ROOT / "docs"))
    return module


def test_generated_pages_are_fresh():
    for path, make in generator().PAGES.items():
        assert path.read_text(encoding="utf-8") == make(), f"{path.name} is stale: run make docs"


def published(name):
    import jsonschema_rs

    path = ROOT / "docs" / "schemas" / name
    return jsonschema_rs.validator_for(json.loads(path.read_text(encoding="utf-8")))


def test_receipts_follow_their_published_schema():
    validator = published("receipt.v1.json")
    for format_id, case in format_cases():
        for target in ("openai", "mcp", "openai-responses"):
            for strict in (False, True):
                done = tc.convert(case["definition"], target, source=format_id, strict=strict)
                validator.validate(done.binding.receipt())


# Together they need every operation there is.
CHANGING = {
    "type": "object",
    "properties": {
        "map": {"type": "object", "additionalProperties": {"type": "integer"}},
        "open": {"type": "object", "properties": {"a": {"type": "string"}},
                 "additionalProperties": {"type": "integer"}},
        "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
        "either": {"anyOf": [{"type": "object", "additionalProperties": {"type": "integer"}},
                             {"type": "array", "items": {"type": "boolean"}}]},
        "null or not": {"type": ["string", "null"]},
        "null": {"type": ["string", "null"], "default": None},
        "number": {"type": "integer", "enum": [1, 2]},
        "tree": {"$ref": "#/$defs/tree"},
    },
    "required": ["pair"],
    "$defs": {"tree": {"type": "object", "properties": {"below": {"type": "array",
                       "items": {"$ref": "#/$defs/tree"}}, "name": {"type": "string"}}}},
}  # fmt: skip


def test_lenses_follow_their_published_schema():
    whole, within = published("lens.v1.json"), published("receipt.v1.json")
    seen = set()
    for schema in (CHANGING, {"type": "array", "items": CHANGING}):
        for dialect in ("openai/strict", "anthropic/strict", "gemini/openapi", "anthropic"):
            tool = tc.CanonicalTool(name="f", inputs=schema)
            receipt = tc.bind(tool, "openai", dialect=dialect).receipt()
            lens = receipt["tools"][0]["lens"]
            whole.validate(lens)
            within.validate(receipt)
            seen |= set(re.findall(r'"op": "(\w+)"', json.dumps(lens)))
    assert seen == set(OPS)
    for wrong in ({"version": 2, "root": {}}, {"version": 1}, {"version": 1, "root": {"op": 1}},
                  {"version": 1, "root": {"ops": [{"op": "fold"}]}},
                  {"version": 1, "root": {"ops": [{"op": "wrap"}]}}):  # fmt: skip
        assert not whole.is_valid(wrong), wrong
        damaged = json.loads(json.dumps(receipt))
        damaged["tools"][0]["lens"] = wrong
        assert not within.is_valid(damaged), wrong


def test_the_project_speaks_of_itself_alone():
    """No machine paths, no package registry hosts."""
    patterns = re.compile(r"/root/|/home/\w+/|/work/|pypi\.org|files\.pythonhosted|registry\.npmjs")
    for path in ROOT.rglob("*"):
        if path.suffix in {".py", ".md", ".toml", ".sh", ".json", ".cfg"} and not any(
            part.startswith((".venv", ".git", ".hypothesis", ".ruff", ".mypy", ".pytest"))
            for part in path.relative_to(ROOT).parts
        ):
            if path == Path(__file__):
                continue
            assert not patterns.search(path.read_text(encoding="utf-8")), path


def stat_of_adding(format_id, folder):
    """Return git's stat of adding a format's file, its cases and its lines in the pages."""
    made = generator()
    new = [SOURCE / "formats" / f"{format_id}.py", ROOT / f"tests/cases/formats/{format_id}.json"]
    after = {path: path.read_text(encoding="utf-8") for path in (*made.PAGES, *new)}
    others = {key: item for key, item in builtin_formats().items() if key != format_id}
    made.builtin_formats = lambda: others
    before = {path: make() for path, make in made.PAGES.items()}

    def git(*words):
        options = ("-c", "core.autocrlf=false", "-c", "core.quotePath=false")
        command = ["git", "-C", folder, *options, *words]
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout

    git("init", "--quiet")
    for state in (before, after):
        for path, text in state.items():
            place = folder / path.relative_to(ROOT)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        git("add", *(["--all"] if state is before else ["--all", "--intent-to-add"]))
    return git("diff", "--stat=80")


@pytest.mark.skipif(shutil.which("git") is None, reason="git tells what differs")
def test_the_example_in_contributing_is_the_real_diff(tmp_path):
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    shown = text.partition("`git diff --stat` of adding")[2].partition("```\n")[2]
    assert shown.partition("```")[0] == stat_of_adding("groq", tmp_path)
    assert (SOURCE / "formats" / "groq.py").read_text(encoding="utf-8") in blocks(
        "CONTRIBUTING.md", "python"
    )


ADD_RECIPE = """
from pathlib import Path

FOLDER = Path(__file__).parent / "made"


def pytest_sessionstart():
    import tests.conftest
    import toolcanon.formats

    toolcanon.formats.__path__.append(str(FOLDER))
    tests.conftest.CASES = FOLDER / "cases"
"""


def check_recipe(module, cases, folder):
    """Judge the two files of a recipe by the contract tests for every format."""
    (folder / "made" / "cases" / "formats").mkdir(parents=True)
    files = {
        "made/acme.py": module,
        "made/cases/formats/acme.json": cases,
        "recipe.py": ADD_RECIPE,
    }
    for path, text in files.items():
        (folder / path).write_text(text, encoding="utf-8")
    options = ["-q", "-p", "no:cacheprovider", "-p", "recipe", "tests/contract/test_formats.py"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])},
        capture_output=True,
        check=False,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^[1-9]\d* passed", done.stdout, re.MULTILINE)


def test_the_recipe_in_contributing_makes_a_format(tmp_path):
    """The two files as they are printed."""
    module, cases = (blocks("CONTRIBUTING.md", kind)[0] for kind in ("python", "json"))
    check_recipe(module, cases, tmp_path)


def test_the_recipe_in_contributing_makes_a_nested_format(tmp_path):
    """The functions for a nested definition as they are printed, in the place of the others."""
    module, nested = blocks("CONTRIBUTING.md", "python")[:2]
    head, _, rest = module.replace('"skill": ("name"', '"name": ("name"').partition("\ndef sniff")
    rest = rest[rest.index("\ndef request") :]
    flat = json.loads(blocks("CONTRIBUTING.md", "json")[0])
    cases = [
        {
            "case": f"{case['case']}, beside {beside}",
            "definition": {
                **beside,
                "skill": {"name": case["definition"].pop("skill"), **case["definition"]},
            },
        }
        for beside in ({"type": "skill"}, {}, {"type": "other", "owner": None, "$": 1})
        for case in json.loads(json.dumps(flat))
    ]
    check_recipe(f"{head}{nested}\n{rest}", json.dumps(cases), tmp_path)


def test_every_loss_code_of_conversations_is_used():
    folders = ("formats", "conversion", "conversations")
    files = [path for folder in folders for path in (SOURCE / folder).rglob("*.py")]
    told = "".join(path.read_text(encoding="utf-8") for path in files)
    assert [code for code in CODES if code.startswith("L3") and f'"{code}"' not in told] == []

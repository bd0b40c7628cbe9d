"""docs/seeds.md: every row of its table is run, and no name of the documents is missing."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import toolcanon as tc
from toolcanon.cli import toolcanon
from toolcanon.cli.watch import toolwatch
from toolcanon.compat import tool_framework

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "seeds.md").read_text(encoding="utf-8")
COMMANDS: dict[str, click.Group] = {"toolcanon": toolcanon, "toolwatch": toolwatch}
DOCUMENTED = {
    "aumai-toolcanon": """
        aumai-toolcanon|aumai_toolcanon|aumai_toolcanon.core|aumai_toolcanon.models|
        aumai_toolcanon.emitter|Canonicalizer|FormatDetector|FormatDetector.detect|
        FormatDetector.confidence|Canonicalizer.canonicalize|OpenAIParser|AnthropicParser|MCPParser|
        LangChainParser|can_parse|CanonicalTool|ToolCapability|ToolSecurity|SourceFormat|
        CanonicalizationResult|_infer_capabilities|emit_openai|emit_anthropic|emit_mcp|
        emit_json_schema|x-capabilities|x-security|my_tool.json|tool.json|canonical.json|
        aumai-toolregistry|aumai-agentruntime|aumai-conformance|aumai-modelrouter|
        toolcanon canonicalize|toolcanon canonicalize --source-format|
        toolcanon canonicalize --version|toolcanon emit|toolcanon emit --target json-schema|
        toolcanon detect|toolcanon detect --verbose|ToolStore|StoredTool|AsyncCanonicalizer|
        SchemaEnricher""",
    "aumai-toolwatch": """
        aumai-toolwatch|aumai_toolwatch|aumai_toolwatch.models|ToolFingerprinter|
        ToolFingerprinter.fingerprint|ToolFingerprint|MutationDetector|
        MutationDetector.detect_mutation|MutationAlert|WatchManager|WatchManager.add_baseline|
        WatchManager.check|WatchManager.get_alerts|WatchManager.get_all_baselines|WatchConfig|
        _SEVERITY_MAP|~/.aumai/toolwatch/baselines.json|~/.aumai/toolwatch/alerts.json|
        baselines.json|alerts.json|toolwatch baseline|toolwatch check|toolwatch alerts|
        aumai-toolsanitizer|aumai-toolregistry|aumai-transactions""",
    "tooladapter": """
        tooladapter|github.com/jonwraymond/tooladapter|NewRegistry|AdapterRegistry|Register|Convert|
        NewMCPAdapter|NewOpenAIAdapter|NewAnthropicAdapter|MCPAdapter|OpenAIAdapter|
        AnthropicAdapter|OpenAIFunction|CanonicalTool|JSONSchema|FeatureLossWarning|SourceMeta|
        ToCanonical|FromCanonical|SupportsFeature|errors.Unwrap|VERSIONS.md|mcp.Tool|result.Tool|
        result.Warnings|toolmodel|toolset|metatools-mcp|ai-tools-stack/go.mod""",
    "Ringdown": """
        app.tool_framework|register_tool|list_tools|get_tool_schema|get_tools_for_agent|
        validate_tool_compatibility|_ToolSpec.openai_schema|litellm.completion""",
    "AGI": """
        ToolNamingConvention|CANONICAL_TO_CLAUDE_CODE|CLAUDE_CODE_TO_CANONICAL|
        CLAUDE_CODE_CORE_TOOLS|toClaudeCodeName|toCanonicalName|requiresClaudeCodeNaming|
        transformToolForClaudeCode|normalizeToolCall|buildHistoryMessages|adaptTools|
        normalizeToolNameForRendering|TOOL_NAME_ALIASES|ToolResponse|ToolSuccessResponse|
        ToolErrorResponse|createToolError|tool-mapping.ts|provider.ts|adapter.ts|
        history-builder.ts|renderers/index.tsx|runner.ts|customFetch|anthropic-beta|
        claude-code-oauth-findings.md|ToolResultRenderer|ReadRenderer|WriteRenderer|DebugRenderer|
        getDb|DiscoveredTool|ToolAdapterContext|glob.ts|ripgrep.ts|edit.ts|ls.ts|tree.ts|git.ts|
        websearch.ts|finish.ts|plan.ts|types.ts""",
}
"""What the documents call by a name: classes, functions, modules, commands, files, packages."""


def section(title: str) -> str:
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def rows(title: str) -> list[list[str]]:
    found = [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in section(title).splitlines()
        if line.startswith("| ")
    ]
    return [row for row in found if row[0] in DOCUMENTED]


def code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """What the page defines before its table, in a directory and a home of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CI", "TOOLCANON_HOME", "TOOLWATCH_STORE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(tool_framework, "_TOOLS", {})
    names: dict[str, object] = {"__name__": "page"}
    exec(section("Names").partition("```python\n")[2].partition("```")[0], names)  # noqa: S102
    return names


def problem(row: list[str], names: dict[str, object]) -> str | None:
    """What is wrong with a row of the table, None if it holds."""
    _, _, ours, check = row
    missing = [each for each in code(ours) if not (is_ours(each) or each in check)]
    if missing:
        return f"{missing} does not exist"
    run, *prints = code(check)
    command = COMMANDS.get(run.partition(" ")[0])
    if command is None:
        if check != f"`{run}`":
            return f"not one expression: {check}"
        try:
            return None if eval(run, names) else f"not true: {run}"  # noqa: S307 - our own page
        except Exception as error:  # noqa: BLE001 - a row may fail in any way
            return f"{run}: {error!r}"
    if check != f"`{run}` prints `{''.join(prints)}`":
        return f"not one command and what it prints: {check}"
    done = CliRunner().invoke(command, shlex.split(run)[1:])
    if done.exit_code or prints[0] not in done.output:
        return f"{run} exits {done.exit_code}: {done.output}"
    return None


def is_ours(name: str) -> bool:
    first, *words = name.split(" ")
    if words and first in COMMANDS:
        group = COMMANDS[first]
        command = group.get_command(click.Context(group), words[0])
        options = {option for each in command.params for option in each.opts} if command else set()
        return command is not None and options.issuperset(words[1:])
    first, *steps = name.split(".")
    held = getattr(tc, first, None)
    for step in steps:
        fields = getattr(held, "model_fields", {}) | getattr(held, "__dataclass_fields__", {})
        held = fields[step] if step in fields else getattr(held, step, None)
    return held is not None


def test_every_row_holds(known: dict[str, object]) -> None:
    found = rows("Names")
    assert len(found) > 100
    wrong = {row[1]: said for row in found if (said := problem(row, known)) is not None}
    assert wrong == {}


@pytest.mark.parametrize(
    ("ours", "check"),
    [
        ("`emit_opanai`", "`tc.emit_openai(tool)`"),
        ("`CanonicalTool.inputz`", "`tool.inputs`"),
        ("`toolcanon cannonicalize`", "`toolcanon --version` prints `toolcanon`"),
        ("`toolcanon emit --taget`", "`toolcanon --version` prints `toolcanon`"),
        ("`emit_openai`", "`tc.emit_openai(tool) == {}`"),
        ("`toolcanon detect`", "`toolcanon detect --input tool.json` prints `format: openai`"),
        ("`toolcanon detect`", "`toolcanon detect --input no.json` prints `no.json`"),
        ("`toolcanon detect`", "`toolcanon detect --input tool.json`"),
    ],
)
def test_a_wrong_row_is_found(known: dict[str, object], ours: str, check: str) -> None:
    assert problem(["AGI", "`x`", ours, check], known) is not None


@pytest.mark.parametrize("document", DOCUMENTED)
def test_no_name_of_a_document_is_missing(document: str) -> None:
    listed = {
        name
        for title in ("Names", "Deliberately absent")
        for row in rows(title)
        if row[0] == document
        for name in code(row[1])
    }
    names = [name.strip() for name in DOCUMENTED[document].split("|")]
    assert [name for name in names if name not in listed] == []


def test_what_is_absent_has_a_reason_and_is_absent() -> None:
    found = rows("Deliberately absent")
    assert found
    for _, name, reason in found:
        assert len(reason) > 40, name
        assert [each for each in code(name) if is_ours(each)] == []
        assert [each for each in code(reason) if not is_ours(each)] == []


def test_the_readme_links_to_the_page() -> None:
    assert "(docs/seeds.md)" in (ROOT / "README.md").read_text(encoding="utf-8")

"""The compiler and the watchman for the tools of AI models."""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing for the real one would double the time this import takes

__version__ = "0.1.0"

if TYPE_CHECKING:
    from toolcanon.bulk.rows import Converter
    from toolcanon.checking.conversations import lint
    from toolcanon.checking.outcome import CheckReport
    from toolcanon.checking.tools import check
    from toolcanon.compat.adapters import (
        SCHEMA_FEATURES,
        Adapter,
        AdapterRegistry,
        AnthropicAdapter,
        ConversionError,
        ConversionResult,
        DuplicateAdapter,
        FeatureLossWarning,
        MCPAdapter,
        OpenAIAdapter,
        UnknownAdapter,
    )
    from toolcanon.compat.canonicalizer import (
        AnthropicParser,
        CanonicalizationResult,
        Canonicalizer,
        FormatDetector,
        LangChainParser,
        MCPParser,
        OpenAIParser,
        SourceFormat,
        canonicalize,
        emit_anthropic,
        emit_bedrock,
        emit_gemini,
        emit_json_schema,
        emit_langchain,
        emit_mcp,
        emit_openai,
    )
    from toolcanon.compat.fingerprints import MutationAlert, MutationDetector, ToolFingerprinter
    from toolcanon.compat.tool_framework import (
        execute_tool,
        get_tool_schema,
        get_tools_for_agent,
        list_tools,
        register_tool,
        validate_tool_compatibility,
    )
    from toolcanon.compat.tool_names import (
        CANONICAL_TO_CLAUDE_CODE,
        CLAUDE_CODE_TO_CANONICAL,
        ToolNamingConvention,
        build_history_messages,
        normalize_tool_call,
        requires_claude_code_naming,
        to_canonical_name,
        to_claude_code_name,
        transform_tool_for_claude_code,
    )
    from toolcanon.compat.watching import WatchConfig, WatchManager
    from toolcanon.conversion import (
        Binding,
        Conversion,
        Detection,
        Restored,
        bind,
        convert,
        detect,
        observe,
        read,
    )
    from toolcanon.conversion.conversations import (
        accumulate,
        read_answer,
        read_conversation,
        write_answer,
        write_conversation,
        write_messages,
    )
    from toolcanon.conversion.streams import TranslatedStream, translate_stream
    from toolcanon.conversion.switching import Switched, switch
    from toolcanon.conversion.trimming import Trimmed, trim
    from toolcanon.define import (
        Context,
        FunctionTool,
        Injected,
        define_tool,
        definition_of,
        tool,
    )
    from toolcanon.define.bound_toolset import BoundToolset
    from toolcanon.define.ran import Ran
    from toolcanon.define.running import Called
    from toolcanon.define.toolset import Toolset
    from toolcanon.diagnostics import Effect, Finding, Loss, Losses, Repair
    from toolcanon.diagnostics.change import Change
    from toolcanon.drift.diff import diff
    from toolcanon.drift.fingerprint import ToolFingerprint, fingerprint
    from toolcanon.drift.report import DiffReport
    from toolcanon.drift.shapes import Shape, ShapeComparison, against_schema, compare_shapes
    from toolcanon.errors import ToolcanonError
    from toolcanon.formats.openapi import HttpRequest, http_request
    from toolcanon.ir import (
        CanonicalTool,
        Grammar,
        Kind,
        ToolCapability,
        ToolHints,
        ToolSecurity,
    )
    from toolcanon.ir.conversation import (
        Answer,
        Call,
        Candidate,
        Conversation,
        Data,
        Media,
        Message,
        Native,
        Reasoning,
        Refusal,
        Result,
        Stop,
        Text,
        ToolChoice,
    )
    from toolcanon.ir.response import ToolResponse
    from toolcanon.naming.profiles import Profile
    from toolcanon.sources.mcp.live import McpServer

# Where each public name lives; it is imported when first asked for.
_HOMES = {
    "compat.watching": "WatchConfig WatchManager",
    "drift.shapes": "Shape ShapeComparison against_schema compare_shapes",
    "diagnostics.change": "Change",
    "compat.tool_names": (
        "CANONICAL_TO_CLAUDE_CODE CLAUDE_CODE_TO_CANONICAL ToolNamingConvention "
        "build_history_messages normalize_tool_call requires_claude_code_naming "
        "to_canonical_name to_claude_code_name transform_tool_for_claude_code"
    ),
    "compat.fingerprints": "MutationAlert MutationDetector ToolFingerprinter",
    "conversion.trimming": "Trimmed trim",
    "conversion.switching": "Switched switch",
    "drift.fingerprint": "ToolFingerprint fingerprint",
    "drift.report": "DiffReport",
    "drift.diff": "diff",
    "naming.profiles": "Profile",
    "conversion.streams": "TranslatedStream translate_stream",
    "checking.conversations": "lint",
    "checking.outcome": "CheckReport",
    "checking.tools": "check",
    "conversion": "Binding Conversion Detection Restored bind convert detect observe read",
    "bulk.rows": "Converter",
    "conversion.conversations": (
        "accumulate read_answer read_conversation write_answer write_conversation write_messages"
    ),
    "ir": "CanonicalTool Grammar Kind ToolCapability ToolHints ToolSecurity",
    "ir.conversation": (
        "Answer Call Candidate Conversation Data Media Message Native Reasoning Refusal Result "
        "Stop Text ToolChoice"
    ),
    "ir.response": "ToolResponse",
    "define": "Context FunctionTool Injected define_tool definition_of tool",
    "define.bound_toolset": "BoundToolset",
    "define.ran": "Ran",
    "define.running": "Called",
    "define.toolset": "Toolset",
    "sources.mcp.live": "McpServer",
    "diagnostics": "Effect Finding Loss Losses Repair",
    "errors": "ToolcanonError",
    "formats.openapi": "HttpRequest http_request",
    "compat.adapters": (
        "SCHEMA_FEATURES Adapter AdapterRegistry AnthropicAdapter ConversionError ConversionResult "
        "DuplicateAdapter FeatureLossWarning MCPAdapter OpenAIAdapter UnknownAdapter"
    ),
    "compat.tool_framework": (
        "execute_tool get_tool_schema get_tools_for_agent list_tools register_tool "
        "validate_tool_compatibility"
    ),
    "compat.canonicalizer": (
        "AnthropicParser CanonicalizationResult Canonicalizer FormatDetector LangChainParser "
        "MCPParser OpenAIParser SourceFormat canonicalize emit_anthropic emit_bedrock "
        "emit_gemini emit_json_schema emit_langchain emit_mcp emit_openai"
    ),
}
_PUBLIC = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "CANONICAL_TO_CLAUDE_CODE",
    "CLAUDE_CODE_TO_CANONICAL",
    "SCHEMA_FEATURES",
    "Adapter",
    "AdapterRegistry",
    "Answer",
    "AnthropicAdapter",
    "AnthropicParser",
    "Binding",
    "BoundToolset",
    "Call",
    "Called",
    "Candidate",
    "CanonicalTool",
    "CanonicalizationResult",
    "Canonicalizer",
    "Change",
    "CheckReport",
    "Context",
    "Conversation",
    "Conversion",
    "ConversionError",
    "ConversionResult",
    "Converter",
    "Data",
    "Detection",
    "DiffReport",
    "DuplicateAdapter",
    "Effect",
    "FeatureLossWarning",
    "Finding",
    "FormatDetector",
    "FunctionTool",
    "Grammar",
    "HttpRequest",
    "Injected",
    "Kind",
    "LangChainParser",
    "Loss",
    "Losses",
    "MCPAdapter",
    "MCPParser",
    "McpServer",
    "Media",
    "Message",
    "MutationAlert",
    "MutationDetector",
    "Native",
    "OpenAIAdapter",
    "OpenAIParser",
    "Profile",
    "Ran",
    "Reasoning",
    "Refusal",
    "Repair",
    "Restored",
    "Result",
    "Shape",
    "ShapeComparison",
    "SourceFormat",
    "Stop",
    "Switched",
    "Text",
    "ToolCapability",
    "ToolChoice",
    "ToolFingerprint",
    "ToolFingerprinter",
    "ToolHints",
    "ToolNamingConvention",
    "ToolResponse",
    "ToolSecurity",
    "ToolcanonError",
    "Toolset",
    "TranslatedStream",
    "Trimmed",
    "UnknownAdapter",
    "WatchConfig",
    "WatchManager",
    "__version__",
    "accumulate",
    "against_schema",
    "bind",
    "build_history_messages",
    "canonicalize",
    "check",
    "compare_shapes",
    "convert",
    "define_tool",
    "definition_of",
    "detect",
    "diff",
    "emit_anthropic",
    "emit_bedrock",
    "emit_gemini",
    "emit_json_schema",
    "emit_langchain",
    "emit_mcp",
    "emit_openai",
    "execute_tool",
    "fingerprint",
    "get_tool_schema",
    "get_tools_for_agent",
    "http_request",
    "lint",
    "list_tools",
    "normalize_tool_call",
    "observe",
    "read",
    "read_answer",
    "read_conversation",
    "register_tool",
    "requires_claude_code_naming",
    "switch",
    "to_canonical_name",
    "to_claude_code_name",
    "tool",
    "transform_tool_for_claude_code",
    "translate_stream",
    "trim",
    "validate_tool_compatibility",
    "write_answer",
    "write_conversation",
    "write_messages",
]


def __getattr__(name: str) -> object:
    home = _PUBLIC.get(name)
    if home is None:
        msg = f"module 'toolcanon' has no attribute {name!r}"
        raise AttributeError(msg)
    from importlib import import_module  # noqa: PLC0415

    value = getattr(import_module(f"toolcanon.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__

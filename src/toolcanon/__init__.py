"""Convert, check and watch the tools of AI models across providers."""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing would double the import time of this module

__version__ = "0.2.0"

if TYPE_CHECKING:
    from toolcanon.bulk.rows import Converter
    from toolcanon.checking.history.lint import lint as lint
    from toolcanon.checking.outcome import CheckReport
    from toolcanon.checking.payloads import check
    from toolcanon.compat.adapters import (
        SCHEMA_FEATURES as SCHEMA_FEATURES,
        Adapter as Adapter,
        AdapterRegistry as AdapterRegistry,
        AnthropicAdapter as AnthropicAdapter,
        ConversionError as ConversionError,
        ConversionResult as ConversionResult,
        DuplicateAdapter as DuplicateAdapter,
        FeatureLossWarning as FeatureLossWarning,
        MCPAdapter as MCPAdapter,
        OpenAIAdapter as OpenAIAdapter,
        UnknownAdapter as UnknownAdapter,
    )
    from toolcanon.compat.canonicalizer import (
        AnthropicParser as AnthropicParser,
        CanonicalizationResult as CanonicalizationResult,
        Canonicalizer as Canonicalizer,
        FormatDetector as FormatDetector,
        LangChainParser as LangChainParser,
        MCPParser as MCPParser,
        OpenAIParser as OpenAIParser,
        SourceFormat as SourceFormat,
        canonicalize as canonicalize,
        emit_anthropic as emit_anthropic,
        emit_bedrock as emit_bedrock,
        emit_gemini as emit_gemini,
        emit_json_schema as emit_json_schema,
        emit_langchain as emit_langchain,
        emit_mcp as emit_mcp,
        emit_openai as emit_openai,
    )
    from toolcanon.compat.fingerprints import (
        MutationAlert as MutationAlert,
        MutationDetector as MutationDetector,
        ToolFingerprinter as ToolFingerprinter,
    )
    from toolcanon.compat.tool_framework import (
        execute_tool as execute_tool,
        get_tool_schema as get_tool_schema,
        get_tools_for_agent as get_tools_for_agent,
        list_tools as list_tools,
        register_tool as register_tool,
        validate_tool_compatibility as validate_tool_compatibility,
    )
    from toolcanon.compat.tool_names import (
        CANONICAL_TO_CLAUDE_CODE as CANONICAL_TO_CLAUDE_CODE,
        CLAUDE_CODE_TO_CANONICAL as CLAUDE_CODE_TO_CANONICAL,
        ToolNamingConvention as ToolNamingConvention,
        build_history_messages as build_history_messages,
        normalize_tool_call as normalize_tool_call,
        requires_claude_code_naming as requires_claude_code_naming,
        to_canonical_name as to_canonical_name,
        to_claude_code_name as to_claude_code_name,
        transform_tool_for_claude_code as transform_tool_for_claude_code,
    )
    from toolcanon.compat.fingerprints import (
        WatchConfig as WatchConfig,
        WatchManager as WatchManager,
    )
    from toolcanon.conversion import (
        Binding,
        Conversion,
        Detection,
        RestoredCall,
        bind,
        convert,
        detect,
        observe,
        read,
    )
    from toolcanon.conversations.read_write import (
        accumulate as accumulate,
        read_answer as read_answer,
        read_conversation,
        write_answer as write_answer,
        write_conversation,
        write_messages as write_messages,
    )
    from toolcanon.conversations.stream import TranslatedStream, translate_stream
    from toolcanon.conversations.switch import SwitchResult, switch
    from toolcanon.conversion.target import Target
    from toolcanon.conversations.trim import TrimResult, trim
    from toolcanon.define import (
        Context,
        FunctionTool,
        Injected,
        define_tool,
        definition_of as definition_of,
        tool,
    )
    from toolcanon.define.bound_toolset import BoundToolset
    from toolcanon.define.turn_messages import TurnMessages
    from toolcanon.define.run_calls import CallResult
    from toolcanon.define.toolset import Toolset
    from toolcanon.diagnostics import Effect, Finding, Loss, Losses, Repair
    from toolcanon.diagnostics.change import Change
    from toolcanon.drift.diff import diff
    from toolcanon.drift.fingerprint import ToolFingerprint, fingerprint
    from toolcanon.drift.report import DiffReport
    from toolcanon.drift.shapes import (
        Shape,
        ShapeComparison,
        against_schema as against_schema,
        compare_shapes as compare_shapes,
    )
    from toolcanon.errors import ToolcanonError
    from toolcanon.formats.openapi.request import HttpRequest, http_request as http_request
    from toolcanon.ir import CanonicalTool, Grammar, Kind, ToolCapability, ToolHints, ToolSecurity
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

    Called = CallResult
    Ran = TurnMessages
    Restored = RestoredCall
    Switched = SwitchResult
    Trimmed = TrimResult

# The module of each name; it is imported on first use.
_OWN = {
    "bulk.rows": "Converter",
    "checking.outcome": "CheckReport",
    "checking.payloads": "check",
    "conversion": "Binding Conversion Detection RestoredCall bind convert detect observe read",
    "conversations.read_write": "read_conversation write_conversation",
    "conversations.stream": "TranslatedStream translate_stream",
    "conversations.switch": "SwitchResult switch",
    "conversion.target": "Target",
    "conversations.trim": "TrimResult trim",
    "define": "Context FunctionTool Injected define_tool tool",
    "define.bound_toolset": "BoundToolset",
    "define.turn_messages": "TurnMessages",
    "define.run_calls": "CallResult",
    "define.toolset": "Toolset",
    "diagnostics": "Effect Finding Loss Losses Repair",
    "diagnostics.change": "Change",
    "drift.diff": "diff",
    "drift.fingerprint": "ToolFingerprint fingerprint",
    "drift.report": "DiffReport",
    "drift.shapes": "Shape ShapeComparison",
    "errors": "ToolcanonError",
    "formats.openapi.request": "HttpRequest",
    "ir": "CanonicalTool Grammar Kind ToolCapability ToolHints ToolSecurity",
    "ir.conversation": (
        "Answer Call Candidate Conversation Data Media Message Native Reasoning Refusal Result "
        "Stop Text ToolChoice"
    ),
    "ir.response": "ToolResponse",
    "naming.profiles": "Profile",
    "sources.mcp.live": "McpServer",
}
# Also importable, but not in ``__all__``: names that one page of the documentation needs, ...
_FURTHER = {
    "checking.history.lint": "lint",
    "conversations.read_write": "accumulate read_answer write_answer write_messages",
    "define": "definition_of",
    "drift.shapes": "against_schema compare_shapes",
    "formats.openapi.request": "http_request",
    # ... and names of the documents that the project began with.
    "compat.tool_names": (
        "CANONICAL_TO_CLAUDE_CODE CLAUDE_CODE_TO_CANONICAL ToolNamingConvention "
        "build_history_messages normalize_tool_call requires_claude_code_naming "
        "to_canonical_name to_claude_code_name transform_tool_for_claude_code"
    ),
    "compat.fingerprints": (
        "MutationAlert MutationDetector ToolFingerprinter WatchConfig WatchManager"
    ),
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
# Former names of results: deprecated since 0.2, removed in 0.3.
_FORMER = {
    "Called": "CallResult",
    "Ran": "TurnMessages",
    "Restored": "RestoredCall",
    "Switched": "SwitchResult",
    "Trimmed": "TrimResult",
}
_HOMES = {
    name: home
    for homes in (_OWN, _FURTHER)
    for home, names in homes.items()
    for name in names.split()
}

__all__ = [
    "Answer",
    "Binding",
    "BoundToolset",
    "Call",
    "CallResult",
    "Candidate",
    "CanonicalTool",
    "Change",
    "CheckReport",
    "Context",
    "Conversation",
    "Conversion",
    "Converter",
    "Data",
    "Detection",
    "DiffReport",
    "Effect",
    "Finding",
    "FunctionTool",
    "Grammar",
    "HttpRequest",
    "Injected",
    "Kind",
    "Loss",
    "Losses",
    "McpServer",
    "Media",
    "Message",
    "Native",
    "Profile",
    "Reasoning",
    "Refusal",
    "Repair",
    "RestoredCall",
    "Result",
    "Shape",
    "ShapeComparison",
    "Stop",
    "SwitchResult",
    "Target",
    "Text",
    "ToolCapability",
    "ToolChoice",
    "ToolFingerprint",
    "ToolHints",
    "ToolResponse",
    "ToolSecurity",
    "ToolcanonError",
    "Toolset",
    "TranslatedStream",
    "TrimResult",
    "TurnMessages",
    "__version__",
    "bind",
    "check",
    "convert",
    "define_tool",
    "detect",
    "diff",
    "fingerprint",
    "observe",
    "read",
    "read_conversation",
    "switch",
    "tool",
    "translate_stream",
    "trim",
    "write_conversation",
]


def __getattr__(name: str) -> object:
    name_now = _FORMER.get(name, name)
    home = _HOMES.get(name_now)
    if home is None:
        msg = f"module 'toolcanon' has no attribute {name!r}"
        raise AttributeError(msg)
    from importlib import import_module  # noqa: PLC0415

    value = getattr(import_module(f"toolcanon.{home}"), name_now)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__

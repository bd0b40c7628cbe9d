"""The compiler and the watchman for the tools of AI models."""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing for the real one would double the time this import takes

__version__ = "0.1.0"

if TYPE_CHECKING:
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
        CanonicalizationResult,
        Canonicalizer,
        FormatDetector,
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
    from toolcanon.diagnostics import Effect, Loss, Losses, Repair
    from toolcanon.errors import ToolcanonError
    from toolcanon.ir import (
        CanonicalTool,
        Grammar,
        Kind,
        ToolCapability,
        ToolHints,
        ToolSecurity,
    )

# Where each public name lives; it is imported when first asked for.
_HOMES = {
    "conversion": "Binding Conversion Detection Restored bind convert detect observe read",
    "ir": "CanonicalTool Grammar Kind ToolCapability ToolHints ToolSecurity",
    "diagnostics": "Effect Loss Losses Repair",
    "errors": "ToolcanonError",
    "compat.adapters": (
        "SCHEMA_FEATURES Adapter AdapterRegistry AnthropicAdapter ConversionError ConversionResult "
        "DuplicateAdapter FeatureLossWarning MCPAdapter OpenAIAdapter UnknownAdapter"
    ),
    "compat.canonicalizer": (
        "CanonicalizationResult Canonicalizer FormatDetector SourceFormat canonicalize "
        "emit_anthropic emit_bedrock emit_gemini emit_json_schema emit_langchain emit_mcp "
        "emit_openai"
    ),
}
_PUBLIC = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "SCHEMA_FEATURES",
    "Adapter",
    "AdapterRegistry",
    "AnthropicAdapter",
    "Binding",
    "CanonicalTool",
    "CanonicalizationResult",
    "Canonicalizer",
    "Conversion",
    "ConversionError",
    "ConversionResult",
    "Detection",
    "DuplicateAdapter",
    "Effect",
    "FeatureLossWarning",
    "FormatDetector",
    "Grammar",
    "Kind",
    "Loss",
    "Losses",
    "MCPAdapter",
    "OpenAIAdapter",
    "Repair",
    "Restored",
    "SourceFormat",
    "ToolCapability",
    "ToolHints",
    "ToolSecurity",
    "ToolcanonError",
    "UnknownAdapter",
    "__version__",
    "bind",
    "canonicalize",
    "convert",
    "detect",
    "emit_anthropic",
    "emit_bedrock",
    "emit_gemini",
    "emit_json_schema",
    "emit_langchain",
    "emit_mcp",
    "emit_openai",
    "observe",
    "read",
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

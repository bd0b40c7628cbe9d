"""Samples for providers that share an envelope and differ in what they make of a schema."""

from tests.referee.sample_schemas import NODE, TEXT, closed, obj, optional, ref, with_defs

# rule, dialect, a schema that passes, a schema that is faulted for it
SCHEMAS = [
    (
        "limit-nested-unions",
        "deepseek/strict",
        closed(a={"anyOf": [TEXT, {"type": "null"}]}),
        closed(a={"anyOf": [{"anyOf": [TEXT, {"type": "null"}]}]}),
    ),
    ("nothing-required", "cohere/strict", closed(a=TEXT), obj(a=TEXT)),
    (
        "nothing-required",
        "cohere/strict",
        closed(a=closed(b=TEXT)),
        closed(a={**obj(b=TEXT), "required": ["c"]}),
    ),
    (
        "keyword",
        "openai/llguidance",
        obj(a={"type": "object", "patternProperties": {"^a": TEXT}}),
        obj(a={"oneOf": [TEXT, {"type": "null"}]}),
    ),
    (
        "property-name",
        "openai/outlines",
        closed(a=closed(**{"b é": TEXT})),
        closed(a=closed(**{'b"': TEXT})),
    ),
    ("keyword", "openai/outlines", closed(a=TEXT), closed(a={**TEXT, "pattern": "a"})),
    ("limit-no-members", "cohere/strict", closed(a=TEXT), closed()),
    ("limit-no-members", "deepseek/strict", closed(), closed(a=closed())),
    (
        "limit-fields",
        "cohere/strict",
        *(closed(**dict.fromkeys(map(str, range(n)), TEXT)) for n in (200, 201)),
    ),
    *(
        ("pattern", "cohere/strict", closed(a={**TEXT, "pattern": r"[^a$]\$\^"}), bad)
        for bad in (closed(a={**TEXT, "pattern": p}) for p in ("^a", "a$", "a(?!b)"))
    ),
    (
        "unsaid-members",
        "xai",
        obj(a={"type": "object", "additionalProperties": True}),
        obj(a={"type": "object"}),
    ),
    (
        "recursion",
        "xai",
        with_defs(obj(a=ref("X")), X=TEXT),
        with_defs(obj(a=ref("Node")), Node=NODE),
    ),
    (
        "untyped",
        "deepseek/strict",
        closed(a={"anyOf": [TEXT]}),
        with_defs(closed(a={"anyOf": [ref("X")]}), X=TEXT),
    ),
    (
        "type-list",
        "deepseek/strict",
        closed(a={"type": ["string", "null"]}),
        closed(a={"type": ["array", "null"], "items": TEXT}),
    ),
    (
        "map",
        "deepseek/strict",
        closed(),
        closed(a={**obj(b=TEXT), "required": ["b"], "additionalProperties": TEXT}),
    ),
    ("optional-member", "groq/strict", closed(a=TEXT), optional(a=TEXT)),
    ("keyword", "mistral/strict", closed(a=TEXT), closed(a={**TEXT, "minLength": 1})),
    ("keyword", "ollama", obj(a={"anyOf": [TEXT]}), obj(a={**TEXT, "minLength": 1})),
    ("malformed", "xai/strict", obj(a=TEXT), obj(a="string")),
]

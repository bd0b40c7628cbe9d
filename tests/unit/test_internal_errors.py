"""Errors of the package itself come out: no handler takes them for a value it cannot read."""

import pytest

import toolcanon as tc
from toolcanon.cli.watch.check_inputs import take_former
from toolcanon.compat import fingerprints
from toolcanon.conversations.switch_request import with_tools
from toolcanon.define import function_tool
from toolcanon.drift.contract import values
from toolcanon.errors import InputError, UsageError
from toolcanon.formats.wire import text_data
from toolcanon.ir.conversation import Conversation
from toolcanon.jsonio import Limits
from toolcanon.schema import references
from toolcanon.schema import validate as judges
from toolcanon.schema.algebra.normal import terms
from toolcanon.watch import capturing
from toolcanon.watch.store import MemoryStore

TOOL = {"name": "f", "description": "F", "inputSchema": {"type": "object"}}


def broken_once(function):
    """The function, with a wrong type at its first call: a second attempt would succeed."""
    calls = []

    def call(*args, **options):
        calls.append(args)
        if len(calls) == 1:
            raise TypeError("ours")
        return function(*args, **options)

    return call


def prints(definition):
    """Two fingerprints of which the first has another definition."""
    made = fingerprints.ToolFingerprinter().fingerprint("f", TOOL)
    other = {"definition": definition, "schema_hash": "0" * 64, "digests": {}}
    return made.model_copy(update=other), made


BROKEN = [
    (capturing, "read_payload", lambda: capturing.readable("f", TOOL)),
    (fingerprints, "diff", lambda: fingerprints.MutationDetector().detect_mutation(*prints({}))),
    (fingerprints, "digests", lambda: fingerprints.ToolFingerprinter().fingerprint("f", TOOL)),
    (references, "set", lambda: references.may_recur({"$defs": {"a": {}}})),
    (judges, "Effort", lambda: judges.judge({"title": "met for the first time"})),
    (text_data, "_as_json", lambda: text_data._value(text_data._statements("{'a': 1}")[0].value)),
    (terms, "same", lambda: terms.alike([True], [1])),
    (values, "type_of", lambda: values._is_implied(_Refused(), None, ())),
    (function_tool, "CanonicalTool", lambda: function_tool.define_tool(int_of)),
]


class _Refused:
    answer, witness = "no", 1


def int_of(text: str) -> int:
    """Read a number."""
    return int(text)


@pytest.mark.parametrize("module, name, call", BROKEN, ids=[row[1] for row in BROKEN])
def test_a_wrong_type_in_the_package_is_not_swallowed(monkeypatch, module, name, call):
    own = getattr(module, name, set)
    monkeypatch.setattr(module, name, broken_once(own), raising=False)
    with pytest.raises(TypeError, match="ours"):
        call()


def test_definitions_with_keys_that_json_cannot_have_are_no_tools(monkeypatch):
    monkeypatch.setattr(capturing, "read_payload", broken_once(capturing.read_payload))
    assert capturing.readable("f", {**TOOL, "inputSchema": {1: {}}}) is None
    alert = fingerprints.MutationDetector().detect_mutation(*prints({("a", 1): {}}))
    assert alert is not None
    assert (alert.verdict, alert.changes) == ("unknown", [])


@pytest.mark.parametrize("text", ["5", "null", '"x"', "{}", '{"a": 1}', "[5]"])
def test_former_baselines_are_an_array_of_objects(text, tmp_path, monkeypatch):
    folder = tmp_path / ".aumai" / "toolwatch"
    folder.mkdir(parents=True)
    (folder / "baselines.json").write_text(text)
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(InputError, match="cannot be read"):
        take_former(MemoryStore(), "f", Limits())


def test_a_missing_attribute_in_the_package_is_not_a_binding_without_tools(monkeypatch):
    binding = tc.bind(TOOL, to="openai")
    carrier = tc.Binding.from_receipt(binding.receipt())
    with pytest.raises(UsageError, match="has no tools to send"):
        with_tools(Conversation(), carrier, "openai")
    assert with_tools(Conversation(), binding, "openai").tools

    def broken(_):
        raise AttributeError("ours")

    monkeypatch.setattr(tc.Binding, "_assembled", broken)
    with pytest.raises(AttributeError, match="ours"):
        with_tools(Conversation(), binding, "openai")

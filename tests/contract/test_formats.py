"""The contract of every format, checked on every case."""

import copy
import json

import toolcanon as tc
from tests.conftest import format_cases
from tests.laws import TARGETS, check_pair, check_predicted_losses
from tests.tables import table
from toolcanon.conversion.losses import envelope_losses, predict
from toolcanon.conversion.predicted_losses import facts
from toolcanon.formats.wire import Match
from toolcanon.registry import get_target, registry

CASES = format_cases()
IDS = [f"{format_id}: {case['case']}" for format_id, case in CASES]
FORMATS = list(registry().formats.values())
CASES_OF = {
    format_id: [case for other, case in CASES if other == format_id] for format_id, _ in CASES
}
each_pair = table(
    "format_id, target", [(format_id, target) for format_id in CASES_OF for target in TARGETS]
)
"""Every format to every target, with all of the format's cases in one test."""


@table("format_id, case", CASES, ids=IDS)
def test_detected(format_id, case):
    found = tc.detect(case["definition"])
    assert found.format == case.get("also", format_id)
    assert format_id in found.candidates
    assert found.evidence[format_id]


@table("format_id, case", CASES, ids=IDS)
def test_reading_does_not_change_the_input(format_id, case):
    definition = copy.deepcopy(case["definition"])
    (tool,) = tc.read(definition, source=format_id)
    assert definition == case["definition"]
    if format_id != "canonical":
        assert tool.source_format == format_id
        assert tool.original_definition == definition
    definition.clear()
    if format_id != "canonical":
        assert tool.original_definition == case["definition"], "must be a copy"


@table("format_id, case", CASES, ids=IDS)
def test_verbatim_identity(format_id, case):
    converted = tc.convert(case["definition"], format_id, source=format_id, lower=False)
    assert converted.payload == case["definition"]
    if tc.detect(case["definition"]).format == format_id:
        assert tc.convert(case["definition"], format_id, lower=False).payload == case["definition"]


@each_pair
def test_round_trip(format_id, target):
    for case in CASES_OF[format_id]:
        (tool,) = tc.read(case["definition"], source=format_id)
        check_pair(tool, case["definition"], format_id, target, case["case"])


@each_pair
def test_no_internal_key_reaches_a_provider(format_id, target):
    if target == "canonical":
        return
    for case in CASES_OF[format_id]:
        text = json.dumps(tc.convert(case["definition"], target, source=format_id).payload)
        for ours in ("$", "source_format", "original_definition", "toolcanon-receipt"):
            assert f'"{ours}"' not in text, case["case"]


@table("format_id, case", CASES, ids=IDS)
def test_no_note_is_empty(format_id, case):
    for own in (tool.extras for tool in tc.read(case["definition"], source=format_id)):
        for noted in own.values():
            assert "$" not in noted or noted["$"], "an empty note says nothing"


@table("format_id, case", CASES, ids=IDS)
def test_canonical_document_carries_everything(format_id, case):
    (tool,) = tc.read(case["definition"], source=format_id)
    (again,) = tc.read(json.loads(json.dumps(tool.to_dict())))
    assert facts(again) == facts(tool)
    assert tc.bind(again, format_id, lower=False).payload == case["definition"]


@each_pair
def test_losses_are_those_found_by_reading_back(format_id, target):
    for case in CASES_OF[format_id]:
        if tc.detect(case["definition"]).format == "raw":
            continue
        check_predicted_losses(case["definition"], target, case["case"])
        text = json.dumps(case["definition"]).replace('"name": "f"', '"name": "f.1 é"')
        check_predicted_losses(json.loads(text), target, case["case"])


REGULAR = [item for item in FORMATS if item.is_regular and item.write is not None]


@table("item", REGULAR, ids=lambda item: item.id)
def test_a_regular_format_drops_the_same_of_every_tool_with_the_same_keys(item):
    hints = [{"read_only": True}, {"strict": True}, {"deferred": True}, {"background": True}]
    probes = [{"hints": tc.ToolHints(**hint)} for hint in hints]
    probes += [{"title": "T"}, {"outputs": {"type": "object"}}, {"examples": [{"a": 1}]},
               {"tags": ["t"]}, {"version": "2.0"}, {}]  # fmt: skip
    for fields in probes:
        tool = tc.CanonicalTool(name="f", inputs={"type": "object"}, **fields)
        check_predicted_losses(tc.bind(tool, "canonical").payload, item.id, fields)


@table("item", FORMATS, ids=lambda item: item.id)
def test_value_is_complete(item):
    assert item.title
    assert item.sniff({}) in (None, Match(0.1, "any JSON object"))
    assert item.id == "raw" or item.sources
    assert all(source.checked >= "2026" for source in item.sources)
    assert item.id == "raw" or item.signals


@table("value", [None, 1, "x", [], {}, True, 1.5, [None], {"type": 3}])
@table("item", FORMATS, ids=lambda item: item.id)
def test_sniff_and_canonicalize_survive_any_value_under_any_key(item, value):
    keys = {*item.signals, "name", "type", "description", "title"}
    for key in keys:
        item.sniff({key: value})
        item.sniff({"name": value, key: value, "type": value})
        result = tc.canonicalize({"name": "f", key: value}, item.id)
        assert isinstance(result.tool, tc.CanonicalTool)


@each_pair
def test_predicted_losses_are_those_found_by_reading_back(format_id, target):
    written = get_target(target)
    for case in CASES_OF[format_id]:
        (tool,) = tc.read(case["definition"], source=format_id)
        (item,) = tc.bind(tool, target)._bound
        if item.wire is not None:
            predicted = []
            if predict(tool.__dict__, item, written, predicted):
                assert predicted == list(envelope_losses(item, written)), case["case"]


ODD_NAMES = ["get_invoice_v2", "get-invoice", "_1st-thing", "1st", "Größe", "class", "a.b", "a b",
             "GetWeather", "very_long_name_" * 9, "very_long_name_" * 9 + "2"]  # fmt: skip


@table("item", [item for item in FORMATS if item.write], ids=lambda item: item.id)
def test_names_are_legal_unique_and_come_back(item):
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in ODD_NAMES]
    policies = {None: item.names, **{found.id: found.names for found in item.dialects}}
    for dialect, policy in policies.items():
        binding = tc.bind(tools, dialect or item.id)
        written = binding.names
        assert len({*written.values()}) == len(written) == len(tools)
        for name, alias in written.items():
            assert policy is None or policy.allows(alias), (dialect, name, alias)
            assert binding.restore(alias, {}).name == name
        again = tc.Binding.from_receipt(binding.receipt())
        assert [again.restore(alias, {}).name for alias in written.values()] == [*written]

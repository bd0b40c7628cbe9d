"""The second seed's promises about fingerprints and mutations, numbered as in its checklist."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime, timedelta

import pytest

from toolcanon.compat.fingerprints import (
    MutationAlert,
    MutationDetector,
    ToolFingerprint,
    ToolFingerprinter,
)
from toolcanon.drift.fingerprint import fingerprint

SCHEMA = {
    "name": "get_weather",
    "parameters": {
        "type": "object",
        "properties": {
            "location": {"type": "string"},
            "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
        },
        "required": ["location"],
    },
}
SAMPLE = {"temperature": 22, "unit": "celsius"}
EMPTY = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


def taken(schema=None, samples=(), **more):
    return ToolFingerprinter().fingerprint("get_weather", schema or SCHEMA, samples, **more)


def detected(old, new):
    return MutationDetector().detect_mutation(old, new)


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def test_s1_2_and_3_a_fingerprint_has_its_fields():
    found = ToolFingerprinter().fingerprint(
        tool_name="get_weather", schema=SCHEMA, sample_responses=[SAMPLE], version="1.0.0"
    )
    assert isinstance(found, ToolFingerprint)
    assert (found.tool_name, found.version) == ("get_weather", "1.0.0")
    assert taken().version == "unknown"
    assert found.captured_at.utcoffset() == timedelta(0)


def test_s1_4_the_schema_hash_is_exactly_that():
    assert taken().schema_hash == sha256(json.dumps(SCHEMA, sort_keys=True, default=str))
    turned = {"parameters": SCHEMA["parameters"], "name": "get_weather"}
    assert taken(turned).schema_hash == taken().schema_hash
    odd = {"name": "f", "when": datetime(2026, 1, 1)}  # noqa: DTZ001 - stands for any object
    assert taken(odd).schema_hash == sha256(json.dumps(odd, sort_keys=True, default=str))


def test_s1_5_the_response_pattern_is_keys_and_types():
    samples = [SAMPLE, {"temperature": None, "wind": [1]}]
    pattern = {"temperature": ["NoneType", "int"], "unit": ["str"], "wind": ["list"]}
    assert taken(samples=samples).response_pattern_hash == sha256(json.dumps(pattern))
    assert taken().response_pattern_hash == EMPTY


@pytest.mark.parametrize(
    ("samples", "is_alert"),
    [
        ([{**SAMPLE, "wind": 3}], True),
        ([{**SAMPLE, "temperature": "22"}], True),
        ([{"temperature": 5, "unit": "kelvin"}], False),
        ([SAMPLE, SAMPLE], False),
    ],
)
def test_s1_6_what_in_responses_raises_an_alert(samples, is_alert):
    alert = detected(taken(samples=[SAMPLE]), taken(samples=samples))
    assert (alert is not None) is is_alert


def test_s1_7_the_version_is_in_no_hash():
    assert detected(taken(version="1"), taken(version="2")) is None


CHANGED = json.loads(json.dumps(SCHEMA).replace('"celsius", ', ""))
DIMENSIONS = [
    (CHANGED, [SAMPLE], "schema_change", "medium"),
    (SCHEMA, [{"other": 1}], "response_change", "medium"),
    (CHANGED, [{"other": 1}], "behavior_change", "high"),
]


@pytest.mark.parametrize(("schema", "samples", "kind", "severity"), DIMENSIONS)
def test_s1_8_to_11_alerts(schema, samples, kind, severity):
    old, new = taken(samples=[SAMPLE]), taken(schema, samples)
    alert = detected(old, new)
    assert isinstance(alert, MutationAlert)
    assert (alert.change_type, alert.severity) == (kind, severity)
    assert (alert.tool_name, alert.old_fingerprint, alert.new_fingerprint) == (
        "get_weather", old, new,
    )  # fmt: skip
    assert alert.detected_at.utcoffset() == timedelta(0)
    assert detected(old, taken(samples=[SAMPLE])) is None


def test_s1_16_any_change_of_a_field_triggers_an_alert():
    members = SCHEMA["parameters"]["properties"]
    for changed in (
        {**members, "days": {"type": "integer"}},
        {"location": members["location"]},
        {**members, "location": {"type": "integer"}},
        {**members, "location": {"type": "string", "maxLength": 10}},
    ):
        schema = {**SCHEMA, "parameters": {**SCHEMA["parameters"], "properties": changed}}
        assert detected(taken(), taken(schema)).change_type == "schema_change"


def test_what_comes_on_top():
    alert = detected(taken(), taken(CHANGED))
    assert alert.verdict == "breaking"
    (change,) = alert.changes
    assert change["name"] == "input-enum-value-removed"
    assert change["witness"]["value"] == {"location": "", "unit": "celsius"}
    words = detected(taken(), taken({**SCHEMA, "description": "Tells the weather."}))
    assert (words.verdict, words.model_visible) == ("compatible", True)
    assert detected(taken(samples=[SAMPLE]), taken(samples=[{"a": 1}])).verdict == "unknown"


def test_a_bare_schema_is_that_of_the_arguments():
    old, new = (taken({"type": "object", "properties": {"a": {"type": kind}}})
                for kind in ("number", "integer"))  # fmt: skip
    assert detected(old, new).verdict == "breaking"
    assert taken({"whatever": [1, 2]}).schema_hash


def test_fingerprints_travel_as_json_without_the_definition():
    found = taken(samples=[{"secret": "hunter2"}])
    text = found.model_dump_json()
    assert "hunter2" not in text
    assert "definition" not in json.loads(text)
    back = ToolFingerprint.model_validate_json(text)
    assert detected(found, back) is None
    alert = detected(taken(CHANGED, [{"secret": "other"}]), back)
    assert (alert.severity, alert.verdict) == ("medium", "unknown")


def test_a_fingerprint_of_a_tool_has_four_digests():
    tool = {"name": "f", "description": "Does it.", "annotations": {"readOnlyHint": False},
            "inputSchema": {"type": "object", "properties": {"a": {"const": 1}}}}  # fmt: skip
    found = fingerprint(tool, [SAMPLE])
    assert found.schema_hash == sha256(json.dumps(tool, sort_keys=True))
    assert all(value.startswith("tc1:sha256:") for value in found.digests.values())
    assert len(set(found.digests.values())) == 4

    def changed(**more):
        now = fingerprint({**tool, **more}).digests
        return {kind for kind, value in now.items() if value != found.digests[kind]}

    rewritten = {"properties": {"a": {"enum": [1]}}, "type": "object"}
    assert changed(inputSchema=rewritten) == {"exact"}
    assert changed(description="Does it!") == {"exact", "text"}
    assert changed(annotations={}) == {"exact"}
    assert changed(annotations={"readOnlyHint": True}) == {"exact", "annotations"}
    tighter = {"type": "object", "properties": {"a": {"const": 2}}}
    assert changed(inputSchema=tighter) == {"exact", "semantic"}
    defaulted = {"type": "object", "properties": {"a": {"const": 1, "default": 1}}}
    assert changed(inputSchema=defaulted) == {"exact", "semantic"}
    assert changed() == set()

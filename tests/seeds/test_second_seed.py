"""The second seed's promises about fingerprints and mutations, numbered as in its checklist."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import threading
from datetime import date, datetime, timedelta

import pytest
from pydantic import ValidationError

from toolcanon import (
    MutationAlert,
    MutationDetector,
    ToolFingerprint,
    ToolFingerprinter,
    WatchConfig,
    WatchManager,
    fingerprint,
)
from toolcanon.cli.watch.group import toolwatch as command
from toolcanon.errors.root import InputError, UsageError
from toolcanon.watch.capturing import without_credentials

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
CHANGED = json.loads(json.dumps(SCHEMA).replace('"celsius", ', ""))
CHANGED_WORDS = {**SCHEMA, "description": "Reports the weather."}


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


def test_responses_that_are_no_objects_have_patterns_of_their_own():
    kinds = [
        [], [{}], [[]], [[1]], [["a"]], [[{"a": 1}]], [[{"a": "x"}]], ["text"], [None], [3], [True],
        [{"": [1]}], [{"a": 1}, [1]], [[[1]]],
    ]  # fmt: skip
    hashes = [taken(samples=samples).response_pattern_hash for samples in kinds]
    assert hashes[0] == hashes[1] == EMPTY
    assert len(set(hashes[1:])) == len(kinds) - 1
    for same in ([[1], [2, 3]], [[{"a": 1}], [{"a": 2}]], [["x"], ["y"]]):
        assert detected(taken(samples=same[:1]), taken(samples=same[1:])) is None
    assert detected(taken(samples=[[1]]), taken(samples=[["a"]])).change_type == "response_change"


@pytest.mark.parametrize("changed", [None, CHANGED_WORDS, CHANGED])
def test_a_fingerprint_from_json_compares_like_the_one_it_was_written_from(changed):
    new = taken(changed)
    expected = detected(taken(), new)
    for write in (
        lambda one: one.model_dump_json(),
        lambda one: json.dumps(one.model_dump(mode="json")),
        lambda one: json.dumps(one.model_dump(), default=str),
    ):
        old, again = (ToolFingerprint.model_validate_json(write(one)) for one in (taken(), new))
        for found in (detected(old, new), detected(old, again)):
            if expected is None:
                assert found is None
            else:
                assert (found.verdict, found.changes) == (expected.verdict, expected.changes)
                written = MutationAlert.model_validate_json(found.model_dump_json())
                assert written.old_fingerprint.definition == SCHEMA
    bare = ToolFingerprint(tool_name="t", schema_hash="a", response_pattern_hash="b")
    assert "definition" not in bare.model_dump()
    odd = taken({"name": "f", "when": date(2026, 1, 1)})
    assert json.loads(odd.model_dump_json())["definition"]["when"] == "2026-01-01"


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


@pytest.mark.parametrize("take", [ToolFingerprinter().fingerprint, lambda _, s: fingerprint(s)])
def test_a_schema_that_is_changed_in_place_is_compared_with_what_it_was(take):
    schema = {
        "name": "f",
        "parameters": {"type": "object", "properties": {"a": {"type": "string"}}},
    }
    old = take("f", schema)
    schema["parameters"]["properties"]["a"]["type"] = "integer"
    alert = MutationDetector().detect_mutation(old, take("f", schema))
    assert (alert.verdict, alert.changes[0]["name"]) == ("breaking", "input-type-changed")


@pytest.mark.parametrize("response", [{"a": 1}, "text", b"bytes"])
def test_one_response_that_is_not_in_a_list_is_refused(response):
    with pytest.raises(UsageError, match="put it in a list"):
        ToolFingerprinter().fingerprint("f", {}, response)


def test_s1_7_the_version_is_in_no_hash():
    assert detected(taken(version="1"), taken(version="2")) is None


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


def test_fingerprints_travel_as_json_without_values_of_responses():
    found = taken(samples=[{"secret": "hunter2"}, ["hunter2"]])
    text = found.model_dump_json()
    assert "hunter2" not in text
    back = ToolFingerprint.model_validate_json(text)
    assert detected(found, back) is None
    five = json.loads(text)
    for more in ("definition", "digests"):
        five.pop(more)
    alert = detected(taken(CHANGED, [{"secret": "other"}]), ToolFingerprint(**five))
    assert (alert.severity, alert.verdict) == ("high", "unknown")


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


# --- the manager


@pytest.fixture(params=["memory", "store"])
def managed(request, tmp_path):
    """Makes managers; those of a store see what others left there."""
    made = []

    def make(**more):
        store = None if request.param == "memory" else str(tmp_path / "watch.db")
        made.append(WatchManager(store, **more))
        return made[-1]

    yield make
    for manager in made:
        manager.close()


def test_the_example_of_the_document(managed):
    manager = managed()
    manager.add_baseline(taken(samples=[SAMPLE], version="1.0.0"))
    assert manager.check("get_weather", taken(samples=[SAMPLE], version="1.0.0")) is None
    alert = manager.check("get_weather", taken(CHANGED, [SAMPLE]))
    assert (alert.change_type, alert.severity) == ("schema_change", "medium")
    assert [(one.tool_name, one.change_type) for one in manager.get_alerts()] == [
        ("get_weather", "schema_change")
    ]
    assert [(one.tool_name, one.version) for one in manager.get_all_baselines()] == [
        ("get_weather", "1.0.0")
    ]


def test_s1_12_baselines_are_replaced_and_lists_are_copies(managed):
    manager = managed()
    assert manager.get_baseline("get_weather") is None
    for version in ("1", "2"):
        manager.add_baseline(taken(version=version))
    found = manager.get_baseline("get_weather")
    assert (found.version, found.schema_hash) == ("2", taken().schema_hash)
    assert found.digests == taken().digests
    manager.check("get_weather", taken(CHANGED))
    manager.get_alerts().clear()
    manager.get_all_baselines().clear()
    assert len(manager.get_alerts()) == len(manager.get_all_baselines()) == 1
    alert = manager.get_alerts()[0]
    assert isinstance(alert, MutationAlert)
    assert (alert.verdict, alert.new_fingerprint.schema_hash) == (
        "breaking", taken(CHANGED).schema_hash,
    )  # fmt: skip


def test_s1_13_what_is_unknown_is_registered(managed):
    manager = managed()
    assert manager.check("get_weather", taken(CHANGED)) is None
    assert manager.get_baseline("get_weather").schema_hash == taken(CHANGED).schema_hash
    assert manager.check("get_weather", taken()).change_type == "schema_change"
    assert manager.check("another", taken()) is None
    assert manager.get_baseline("another").tool_name == "another"


def test_s1_14_a_drift_does_not_become_the_baseline(managed):
    manager = managed()
    manager.add_baseline(taken())
    assert all(manager.check("get_weather", taken(CHANGED)) for _ in range(3))
    assert manager.get_baseline("get_weather").schema_hash == taken().schema_hash


def test_a_manager_with_a_store_keeps_no_alerts_of_its_own(tmp_path):
    manager = WatchManager(tmp_path / "watch.db")
    manager.add_baseline(manager.fingerprint("a", {"type": "object"}))
    for _ in range(3):
        assert manager.check("a", manager.fingerprint("a", {"type": "string"}))
    assert not manager._alerts
    assert len(manager.get_alerts()) == 1
    manager.close()


def test_a_manager_refuses_what_has_no_name_and_what_is_no_json():
    manager = WatchManager()
    nameless = manager.fingerprint("", {})
    for refused in (lambda: manager.add_baseline(nameless), lambda: manager.check("", nameless)):
        with pytest.raises(UsageError, match="without a name"):
            refused()
    assert manager.get_baseline("") is None
    with pytest.raises(InputError, match="names of members"):
        manager.fingerprint("a", {"x": {1: "one", "two": 2}})


def test_s1_14_without_a_store_every_check_alerts_and_with_one_it_counts(tmp_path):
    manager, kept = WatchManager(), WatchManager(tmp_path / "watch.db")
    for one in (manager, kept):
        one.add_baseline(taken())
        for _ in range(3):
            one.check("get_weather", taken(CHANGED))
    assert len(manager.get_alerts()) == 3
    assert len(kept.get_alerts()) == 1
    kept.close()
    again = WatchManager(tmp_path / "watch.db")
    assert again.get_alerts()[0].verdict == "breaking"
    assert again.check("get_weather", taken()) is None
    assert again.check("get_weather", taken(samples=[SAMPLE])).change_type == "response_change"
    again.close()


def test_odd_definitions_are_kept_by_their_text(managed):
    odd = {"name": "f", "when": datetime(2026, 1, 1), "big": 1 << 70}  # noqa: DTZ001 - any object
    manager = managed()
    manager.add_baseline(taken(odd))
    assert manager.check("get_weather", taken(odd)) is None
    assert manager.check("get_weather", taken({**odd, "big": 1})) is not None


def test_redaction_comes_before_hashing(tmp_path):
    secret = "sk-" + "a1B2" * 10
    manager = WatchManager(tmp_path / "watch.db", redact=without_credentials)
    schema = {**SCHEMA, "description": f"Use {secret}."}
    found = manager.fingerprint("get_weather", schema, [{secret: 1}])
    manager.add_baseline(found)
    manager.close()
    assert found.schema_hash == taken({**SCHEMA, "description": "Use ***."}).schema_hash
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert secret.encode() not in kept


def test_s1_15_the_configuration():
    config = WatchConfig()
    assert config.model_dump() == {
        "tools": [],
        "check_interval_seconds": 300,
        "alert_on": ["schema_change", "response_change", "behavior_change"],
    }
    for bad in ({"check_interval_seconds": 0}, {"alert_on": ["everything"]}):
        with pytest.raises(ValidationError):
            WatchConfig(**bad)


def test_s1_15_is_honoured(managed):
    config = WatchConfig(tools=["get_weather"], alert_on=["response_change"])
    manager = managed(config=config)
    assert manager.check("another", taken()) is None
    assert manager.get_baseline("another") is None
    manager.add_baseline(taken(samples=[SAMPLE]))
    assert manager.check("get_weather", taken(CHANGED, [SAMPLE])) is None
    assert manager.check("get_weather", taken(samples=[{"a": 1}])) is not None
    assert [one.change_type for one in manager.get_alerts()] == ["response_change"]


class Clock:
    """Time that passes at a wait; ends a run after a while."""

    def __init__(self, most):
        self.now, self.most, self.waits = 1000.0, most, []

    def __call__(self):
        return self.now

    def is_set(self):
        return self.now >= 1000.0 + self.most

    def wait(self, timeout=None):
        self.waits.append(timeout)
        self.now += timeout


def test_s1_27_tools_are_checked_at_intervals():
    clock = Clock(most=900)
    config = WatchConfig(tools=["a", "b"], check_interval_seconds=300)
    manager = WatchManager(config=config, clock=clock)
    seen, told = [], []

    def capture(name):
        seen.append((name, clock.now))
        changed = name == "b" and clock.now > 1000
        return ToolFingerprinter().fingerprint(name, CHANGED if changed else SCHEMA)

    assert manager.due("a")
    manager.run(capture, stop=clock, on_alert=told.append)
    assert seen == [(name, 1000.0 + at) for at in (0, 300, 600) for name in "ab"]
    assert [alert.tool_name for alert in told] == ["b", "b"]
    assert clock.waits == [300.0] * 3
    manager.check("a", capture("a"))
    assert not manager.due("a")
    clock.now += 299.9
    assert not manager.due("a")
    clock.now += 86_400  # the machine slept
    assert manager.due("a")


def test_a_run_ends_at_once_on_request():
    stop = threading.Event()
    stop.set()
    manager = WatchManager(config=WatchConfig(tools=["a"]))
    manager.run(pytest.fail, stop=stop)
    with pytest.raises(UsageError, match="no tools to watch"):
        WatchManager().run(pytest.fail, stop=stop)


# --- the command


@pytest.fixture
def toolwatch(tmp_path, monkeypatch, capfd):
    """The command in a folder of its own, without CI unless it is asked for."""
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    (tmp_path / "changed.json").write_text(json.dumps(CHANGED), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOOLCANON_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NO_COLOR", "1")
    for name in ("CI", "TOOLWATCH_STORE"):
        monkeypatch.delenv(name, raising=False)

    def run(*args, **more):
        capfd.readouterr()
        with monkeypatch.context() as patched:
            for name, value in more.items():
                patched.setenv(name, value)
            status = command(list(args), standalone_mode=False)
        return subprocess.CompletedProcess(args, status, *capfd.readouterr())

    return run


OF_WEATHER = ("--tool", "get_weather", "--schema")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00")


@pytest.mark.parametrize("ci", ["", "true"])
def test_s1_19_to_24_the_commands_print_what_the_document_shows(toolwatch, ci):
    made = toolwatch("baseline", *OF_WEATHER, "schema.json", "--version", "1.0.0", CI=ci)
    found = json.loads(made.stdout)
    assert list(found) == ["tool_name", "schema_hash", "response_pattern_hash", "captured_at"]
    assert made.stdout == json.dumps(found, indent=2) + "\n"
    assert (found["schema_hash"], found["response_pattern_hash"]) == (taken().schema_hash, EMPTY)
    assert TIME.fullmatch(found["captured_at"])
    assert (made.returncode, made.stderr) == (0, "")

    clean = toolwatch("check", *OF_WEATHER, "schema.json", CI=ci)
    assert clean.stdout == "No mutation detected for tool 'get_weather'.\n"
    assert (clean.returncode, clean.stderr) == (0, "")

    drift = toolwatch("check", *OF_WEATHER, "changed.json", CI=ci)
    alert = json.loads(drift.stdout)
    assert drift.returncode == 1
    assert list(alert) == ["tool_name", "change_type", "severity", "detected_at"]
    assert drift.stdout == json.dumps(alert, indent=2) + "\n"
    assert list(alert.values())[:3] == ["get_weather", "schema_change", "medium"]
    assert TIME.fullmatch(alert["detected_at"])
    assert "breaking" in drift.stderr
    witness = '{"location": "", "unit": "celsius"} was accepted before, is rejected now'
    assert witness in drift.stderr
    assert toolwatch("check", *OF_WEATHER, "changed.json", "--exit-zero", CI=ci).returncode == 0

    (told,) = json.loads(toolwatch("alerts", CI=ci).stdout)
    fields = ["tool_name", "change_type", "old_fingerprint", "new_fingerprint", "detected_at"]
    assert list(told)[:6] == [*fields, "severity"]
    assert (told["count"], told["status"], told["source"]) == (2, "open", "")
    parsed = MutationAlert.model_validate(told)
    assert parsed.old_fingerprint.version == "1.0.0"
    assert parsed.new_fingerprint.version == "unknown"


def test_s1_22_no_alerts(toolwatch):
    done = toolwatch("alerts")
    assert (done.returncode, done.stdout) == (0, "No alerts recorded.\n")


def test_s1_13_check_registers_and_refuses_to_where_ci_is_set(toolwatch):
    refused = toolwatch("check", *OF_WEATHER, "schema.json", CI="true")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "error[E326]" in refused.stderr
    assert "--trust-first" in refused.stderr
    again = toolwatch("check", *OF_WEATHER, "schema.json", "--require-baseline")
    assert (again.returncode, again.stdout) == (2, "")
    first = toolwatch("check", *OF_WEATHER, "schema.json")
    assert first.stdout == "No mutation detected for tool 'get_weather'.\n"
    assert (first.returncode, first.stderr) == (
        0, "no baseline: 'get_weather' is recorded as it is now\n",
    )  # fmt: skip
    assert toolwatch("check", *OF_WEATHER, "changed.json", CI="true").returncode == 1
    trusted = toolwatch("check", "--tool", "b", "--schema", "schema.json", "--trust-first", CI="1")
    assert trusted.returncode == 0


def test_s1_25_responses_come_from_a_file(toolwatch, tmp_path):
    for name, sample in (("old", SAMPLE), ("new", {**SAMPLE, "temperature": "22"})):
        rows = [{**sample, "wind": n} for n in range(10)]
        (tmp_path / f"{name}.json").write_text(json.dumps(rows), encoding="utf-8")
        lines = "\n".join(map(json.dumps, rows))
        (tmp_path / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    made = toolwatch("baseline", *OF_WEATHER, "schema.json", "--responses", "old.json")
    assert json.loads(made.stdout)["response_pattern_hash"] != EMPTY
    same = toolwatch("check", *OF_WEATHER, "schema.json", "--responses", "old.jsonl")
    assert (same.returncode, same.stderr) == (0, "")
    without = toolwatch("check", *OF_WEATHER, "schema.json")
    assert (without.returncode, "--responses" in without.stderr) == (0, True)
    drift = toolwatch("check", *OF_WEATHER, "schema.json", "--responses", "new.jsonl")
    assert drift.returncode == 1
    assert json.loads(drift.stdout)["change_type"] == "response_change"
    both = toolwatch("check", *OF_WEATHER, "changed.json", "--responses", "new.json")
    told = json.loads(both.stdout)
    assert (told["change_type"], told["severity"]) == ("behavior_change", "high")


def test_s1_23_its_files_are_taken_and_given(toolwatch, tmp_path):
    old, new = (taken(schema).model_dump(mode="json", exclude={"digests"})
                for schema in (SCHEMA, CHANGED))  # fmt: skip
    alert = {"tool_name": "get_weather", "change_type": "schema_change", "old_fingerprint": old,
             "new_fingerprint": new, "detected_at": "2026-02-27T14:30:00Z",
             "severity": "medium"}  # fmt: skip
    (tmp_path / "baselines.json").write_text(json.dumps([old]), encoding="utf-8")
    (tmp_path / "alerts.json").write_text(json.dumps([alert, alert]), encoding="utf-8")
    for name in ("baselines.json", "alerts.json", "baselines.json", "alerts.json"):
        assert toolwatch("import", name).returncode == 0
    (kept,) = json.loads(toolwatch("export", "baselines").stdout)
    ToolFingerprint.model_validate(kept)
    assert kept["schema_hash"] == old["schema_hash"]
    (told,) = json.loads(toolwatch("export", "alerts").stdout)
    assert (told["count"], told["detected_at"]) == (2, "2026-02-27T14:30:00+00:00")
    assert toolwatch("check", *OF_WEATHER, "schema.json", CI="1").returncode == 0
    assert toolwatch("check", *OF_WEATHER, "changed.json").returncode == 1


@pytest.fixture
def former(tmp_path, monkeypatch):
    """Write the files of an earlier toolwatch into a home folder."""
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / ".aumai" / "toolwatch"
    folder.mkdir(parents=True)

    def write(text, name="baselines.json"):
        if not isinstance(text, str):
            text = json.dumps(text)
        (folder / name).write_text(text, encoding="utf-8")

    return write


def five_fields(schema, name="get_weather"):
    found = taken(schema).model_dump(mode="json", exclude={"digests", "definition"})
    return {**found, "tool_name": name}


@pytest.mark.parametrize("ci", ["", "true"])
def test_s1_23_a_check_uses_the_baseline_of_an_earlier_toolwatch(toolwatch, former, ci):
    former([five_fields(SCHEMA), five_fields(SCHEMA, "other")])
    drift = toolwatch("check", *OF_WEATHER, "changed.json", CI=ci)
    assert (drift.returncode, json.loads(drift.stdout)["change_type"]) == (1, "schema_change")
    assert (
        "baseline of 'get_weather' imported from ~/.aumai/toolwatch/baselines.json" in drift.stderr
    )
    assert (
        "1 more there: import them with `toolwatch import ~/.aumai/toolwatch/baselines.json`"
        in drift.stderr
    )
    clean = toolwatch("check", *OF_WEATHER, "schema.json", CI=ci)
    assert (clean.returncode, "imported from" in clean.stderr) == (0, False)
    assert toolwatch("check", "--tool", "new", "--schema", "schema.json").returncode == 0


def test_s1_23_former_state_is_mentioned_where_it_is_not_used(toolwatch, former, tmp_path):
    former([five_fields(SCHEMA)])
    former([{"any": 1}], "alerts.json")
    (tmp_path / "tools.json").write_text(json.dumps([SCHEMA]), encoding="utf-8")
    done = toolwatch("check", "tools.json")
    assert "`toolwatch import ~/.aumai/toolwatch/baselines.json`" in done.stderr
    assert "toolwatch import" not in toolwatch("check", "tools.json").stderr
    alerts = toolwatch("alerts")
    assert alerts.stdout == "No alerts recorded.\n"
    assert "`toolwatch import ~/.aumai/toolwatch/alerts.json`" in alerts.stderr


@pytest.mark.parametrize("text", ["[{", "3", '[{"tool_name": "get_weather"}]'])
def test_s1_23_a_damaged_former_file_is_not_no_baseline(toolwatch, former, text):
    former(text)
    done = toolwatch("check", *OF_WEATHER, "schema.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "~/.aumai/toolwatch/baselines.json" in done.stderr
    toolwatch("baseline", *OF_WEATHER, "schema.json")
    assert toolwatch("check", *OF_WEATHER, "schema.json").returncode == 0


def test_definitions_that_are_no_json_count_by_their_text():
    first, second = (
        ToolFingerprinter().fingerprint(
            "t", {"name": "t", "parameters": {"type": "object", "since": date(year, 1, 1)}}, []
        )
        for year in (2020, 2021)
    )
    alert = MutationDetector().detect_mutation(first, second)
    assert alert is not None
    assert alert.change_type == "schema_change"
    manager = WatchManager()
    manager.add_baseline(first)
    assert manager.check("t", second).verdict == alert.verdict
    odd = ToolFingerprinter().fingerprint("t", {"name": "t", "description": "\ud800"}, [])
    assert odd.digests == {}

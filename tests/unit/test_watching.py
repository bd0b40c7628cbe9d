"""Remembering tools and noticing what becomes of them, on both stores."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tables import table
from toolcanon.drift.fingerprint import response_pattern_hash, schema_hash
from toolcanon.errors import BadImport, NoBaseline
from toolcanon.errors.root import UsageError
from toolcanon.watch.alerting import matters
from toolcanon.watch.capturing import NO_RESPONSES, Watched, quick, without_credentials
from toolcanon.watch.exchange import (
    alert_json,
    baseline_json,
    kind_of,
    read_alerts,
    read_baselines,
)
from toolcanon.watch.observed_source import Identity, Seen, package_of
from toolcanon.watch.sqlite.store import open_store
from toolcanon.watch.store import Key, MemoryStore
from toolcanon.watch.watching import baseline, check


@pytest.fixture(params=["memory", "sqlite"])
def store(request, tmp_path):
    if request.param == "memory":
        yield MemoryStore()
        return
    with closing(open_store(str(tmp_path / "watch.db"))) as opened:
        yield opened


def tool(name, description="Does it.", **properties):
    schema = {"type": "object", "properties": properties}
    return {"name": name, "description": description, "inputSchema": schema}


def tools(*names):
    return [tool(name, f"Does {name} to it.", **{name: {"type": "string"}}) for name in names]


def server(*definitions, name="files", **about):
    command = about.pop("command", ("npx", "-y", "server@1"))
    payload = {"tools": list(definitions)}
    return Watched.of(Seen.of(payload, Identity.of_command(command), name=name, about=about))


def files(*definitions, path="tools.json"):
    return Watched.of(Seen.of(list(definitions), Identity(path=path)))


def found(checked):
    return [(alert.key.tool, alert.change_type, alert.verdict) for alert in checked.alerts]


def names_of(checked):
    return [change["name"] for alert in checked.alerts for change in alert.changes]


A, B, C = tools("alpha", "beta", "gamma")
TIGHT = {**A, "inputSchema": {**A["inputSchema"], "required": ["alpha"]}}
WORDS = {**A, "description": "Does something else entirely."}


def test_what_is_unknown_is_registered_once(store):
    first = check(store, [server(A, B)])
    assert [key.tool for key in first.registered] == ["alpha", "beta"]
    assert not first.alerts
    again = check(store, [server(A, B)])
    assert (again.registered, again.alerts, again.unchanged) == ((), (), 2)


def test_nothing_is_registered_where_a_first_look_proves_nothing(store):
    with pytest.raises(NoBaseline) as caught:
        check(store, [server(A, B)], distrust="that is so")
    assert caught.value.tools == ("alpha", "beta")
    assert not list(store.baselines())
    baseline(store, [server(A, B)])
    assert check(store, [server(A, B)], distrust="that is so").unchanged == 2


@pytest.mark.parametrize("empty", [files(path="new.json"), files(path="-"), server(name="new")])
def test_a_source_without_tools_is_unknown_like_any_other(store, empty):
    baseline(store, [files(A, B)])
    with pytest.raises(NoBaseline):
        check(store, [empty], distrust="that is so")
    baseline(store, [server(name="new")])
    assert not check(store, [server(name="new")], distrust="that is so").alerts


def test_a_server_without_a_record_is_reported_and_not_trusted(store):
    known = [one for one in _snapshots(server(A)) if one.key.tool]
    store.put(known)
    for _ in range(2):
        checked = check(store, [server(A)], distrust="that is so")
        assert ["only its tools" in note for note in checked.notes] == [True]
    assert check(store, [server(A)]).notes
    assert not check(store, [server(A)]).notes


def _snapshots(watched):
    other = MemoryStore()
    baseline(other, [watched])
    return other.baselines()


def test_nothing_is_written_when_one_of_several_sources_is_unknown(store):
    baseline(store, [server(A)])
    with pytest.raises(NoBaseline):
        check(store, [server(TIGHT), server(B, name="other")], distrust="so")
    assert not list(store.alerts())


@pytest.mark.parametrize(
    ("after", "expected", "codes"),
    [
        ([TIGHT, B], [("alpha", "schema_change", "breaking")], ["input-required-added"]),
        ([WORDS, B], [("alpha", "schema_change", "cosmetic")], ["description-changed"]),
        ([B], [("alpha", "schema_change", "breaking")], ["tool-removed"]),
        ([A, B, C], [("gamma", "schema_change", "compatible")], ["tool-added"]),
        ([], [("alpha", "schema_change", "breaking"), ("beta", "schema_change", "breaking")],
         ["tool-removed", "tool-removed"]),
        ([B, A], [], []),
    ],
)  # fmt: skip
def test_each_drift_of_a_server_is_reported(store, after, expected, codes):
    baseline(store, [server(A, B)])
    checked = check(store, [server(*after)])
    assert found(checked) == expected
    assert names_of(checked) == codes
    assert [change.name for change in checked.report.changes] == codes


def test_a_renamed_tool_is_one_drift_under_its_old_name(store):
    baseline(store, [server(A, B)])
    renamed = {**A, "name": "alpha_two"}
    (alert,) = check(store, [server(renamed, B)]).alerts
    assert (alert.key.tool, alert.after.key.tool) == ("alpha", "alpha_two")
    assert "tool-renamed" in [change["name"] for change in alert.changes]
    assert check(store, [server(A, B)]).resolved == 1


def test_the_same_drift_is_counted_and_settled_when_it_is_over(store):
    baseline(store, [server(A, B)])
    for count in (1, 2, 3):
        (alert,) = check(store, [server(TIGHT, B)]).alerts
        assert (alert.count, alert.status) == (count, "open")
    assert check(store, [server(A, B)]).resolved == 1
    (settled,) = store.alerts()
    assert (settled.count, settled.status) == (3, "resolved")
    assert check(store, [server(A, B)]).resolved == 0
    check(store, [server(TIGHT, B)])
    assert [one.status for one in store.alerts()] == ["open"]


def test_a_drift_does_not_replace_the_baseline_and_a_baseline_settles_it(store):
    baseline(store, [server(A)])
    check(store, [server(TIGHT)])
    assert store.baseline(Key("files", "alpha")).definition == A
    baseline(store, [server(TIGHT)])
    assert [one.status for one in store.alerts()] == ["resolved"]
    assert not check(store, [server(TIGHT)]).alerts


def test_a_tool_that_came_and_went_unaccepted_is_no_open_question(store):
    baseline(store, [server(A)])
    check(store, [server(A, B)])
    assert check(store, [server(A)]).resolved == 1


def test_an_accepted_removal_stays_accepted(store):
    baseline(store, [server(A, B)])
    assert check(store, [server(B)]).alerts
    baseline(store, [server(B)])
    assert not check(store, [server(B)]).alerts
    assert store.baseline(Key("files", "alpha")) is None
    assert not list(store.alerts(status="open"))
    assert [event.kind for event in store.history(Key("files", "alpha"))][-1] == "removed"
    assert names_of(check(store, [server(A, B)])) == ["tool-added"]


def test_a_baseline_accepts_a_rename_and_what_came_and_went(store):
    baseline(store, [server(A, B)])
    renamed = {**A, "name": "alpha_two"}
    check(store, [server(renamed, B, C)])
    baseline(store, [server(renamed, B)])
    assert not list(store.alerts(status="open"))
    assert list(store.known("files")) == ["", "alpha_two", "beta"]


def test_a_baseline_of_a_file_drops_what_no_other_file_has(store):
    baseline(store, [files(A, B, C, path="one.json")])
    baseline(store, [files(C, path="two.json")])
    baseline(store, [Watched.single("delta", {})])
    check(store, [files(A, path="one.json")])
    baseline(store, [files(A, path="one.json")])
    assert list(store.known("")) == ["alpha", "delta", "gamma"]
    assert not list(store.alerts(status="open"))
    check(store, [files(path="two.json")])
    baseline(store, [files(A, path="one.json")])
    assert [alert.key.tool for alert in store.alerts(status="open")] == ["gamma"]


def test_a_server_that_is_itself_again_settles_what_was_open_on_it(store):
    baseline(store, [server(A)])
    assert check(store, [server(A, command=("npx", "evil"))]).alerts
    assert check(store, [server(A).only(["alpha"])]).resolved == 0
    assert check(store, [server(A)]).resolved == 1


def test_what_was_approved_alone_belongs_to_its_server(store):
    baseline(store, [server(A)])
    (alert,) = check(store, [server(A, B)]).alerts
    store.approve(alert.after, expected="", by="me", reason="new")
    assert not check(store, [server(A, B)]).alerts
    assert names_of(check(store, [server(A)])) == ["tool-removed"]


def test_files_apart_do_not_miss_each_others_tools(store):
    baseline(store, [files(A, B, path="one.json")])
    baseline(store, [files(C, path="two.json")])
    assert not check(store, [files(A, B, path="one.json")]).alerts
    assert names_of(check(store, [files(A, path="one.json")])) == ["tool-removed"]


def test_a_newer_version_may_come_in_another_file(store):
    baseline(store, [files(A, B, C, path="old.json")])
    assert names_of(check(store, [files(A, B, path="new.json")])) == ["tool-removed"]
    assert names_of(check(store, [files(TIGHT, B, C, path="newer.json")])) == [
        "input-required-added"
    ]


def test_a_removal_is_noticed_in_another_folder(store):
    others = tools(*(f"other{n}" for n in range(9)))
    baseline(store, [files(*others, path="others.json")])
    baseline(store, [files(A, B, C, path="checkout1/tools.json")])
    moved = check(store, [files(A, B, path="checkout2/tools.json")])
    assert names_of(moved) == ["tool-removed"]
    assert not moved.notes
    part = check(store, [files(*others[:3], path="checkout2/others.json")])
    assert not part.alerts
    assert ["removed" in note for note in part.notes] == [True]


def test_two_files_must_not_mean_two_things_by_one_name(store):
    with pytest.raises(UsageError, match="alpha"):
        baseline(store, [files(A, path="one.json"), files(TIGHT, path="two.json")])
    assert not list(store.baselines())
    baseline(store, [files(A, path="one.json"), files(A, B, path="two.json")])
    both = [files(A, path="one.json"), files(A, B, path="two.json")]
    assert check(store, both).unchanged == 3


def test_keys_are_two_columns(store):
    baseline(store, [server(tool("b:c"), name="a"), server(tool("c", "Other."), name="a:b")])
    assert not check(store, [server(tool("b:c"), name="a")]).alerts
    assert not check(store, [server(tool("c", "Other."), name="a:b")]).alerts
    assert names_of(check(store, [server(tool("c"), name="a:b")])) == ["description-changed"]


def test_a_name_pointed_at_another_command_is_a_matter_of_security(store):
    baseline(store, [server(A)])
    checked = check(store, [server(A, command=("npx", "-y", "evil@1"))])
    assert [(alert.verdict, alert.key) for alert in checked.alerts] == [
        ("security", Key("files", ""))
    ]
    assert names_of(checked) == ["server-identity-changed"]
    assert not check(store, [server(A)]).alerts


def test_instructions_are_read_by_models_and_versions_explain(store):
    baseline(store, [server(A, instructions="Be nice.", protocol="1", server={"version": "1"})])
    changed = server(A, instructions="Be evil.", protocol="2", server={"version": "2"})
    checked = check(store, [changed])
    assert names_of(checked) == ["server-instructions-changed"]
    assert checked.alerts[0].model_visible
    assert len(checked.notes) == 2


def test_two_tools_of_one_name_are_both_remembered(store):
    other = {**A, "description": "The other one."}
    baseline(store, [server(A, other)])
    assert not check(store, [server(A, other)]).alerts
    changed = check(store, [server(A, {**other, "description": "Yet another."})])
    assert [alert.key.tool for alert in changed.alerts] == ["alpha (2)"]
    added = check(store, [server(A, other, other)])
    assert names_of(added) == ["tool-duplicated"]
    assert added.alerts[0].verdict == "security"
    assert names_of(check(store, [server(A)])) == ["tool-removed"]


@pytest.mark.parametrize("schema", [{"whatever": [1]}, {}, [1, 2], "text", None, 7])
def test_unreadable_responses_are_compared_by_hash(store, schema):
    baseline(store, [Watched.single("odd", schema)])
    assert not check(store, [Watched.single("odd", schema)]).alerts
    (alert,) = check(store, [Watched.single("odd", {"else": True})]).alerts
    assert alert.change_type == "schema_change"


def test_a_schema_without_a_name_is_not_remembered():
    with pytest.raises(UsageError, match="--tool NAME"):
        files({"type": "object", "properties": {}})


def test_one_tool_states_nothing_of_the_others(store):
    baseline(store, [files(A, B)])
    assert not check(store, [Watched.single("alpha", A)]).alerts
    assert check(store, [Watched.single("gamma", C)]).registered == (Key("", "gamma"),)
    assert not check(store, [files(A, B).only(["beta"])]).alerts


SAMPLES = [{"temperature": 20 + n, "unit": "celsius"} for n in range(20)]


def test_responses_are_compared_when_there_are_some_on_both_sides(store):
    baseline(store, [server(A)], responses={"alpha": SAMPLES})
    assert not check(store, [server(A)], responses={"alpha": SAMPLES}).alerts
    texts = [{**one, "temperature": str(one["temperature"])} for one in SAMPLES]
    (alert,) = check(store, [server(A)], responses={"alpha": texts}).alerts
    assert (alert.change_type, alert.severity) == ("response_change", "medium")
    assert alert.after.response_pattern_hash == response_pattern_hash(texts)
    assert alert.verdict == "breaking"
    (both,) = check(store, [server(TIGHT)], responses={"alpha": texts}).alerts
    assert (both.change_type, both.severity) == ("behavior_change", "high")


def test_open_alerts_on_responses_stay_until_responses_are_seen(store):
    baseline(store, [server(A, B)], responses={"alpha": SAMPLES})
    texts = [{**one, "temperature": str(one["temperature"])} for one in SAMPLES]
    check(store, [server(A, B)], responses={"alpha": texts})
    check(store, [server(TIGHT, B)], responses={"alpha": texts})
    check(store, [server(TIGHT, B)])
    kinds = {alert.change_type for alert in store.alerts(status="open")}
    assert kinds == {"response_change", "behavior_change", "schema_change"}
    assert check(store, [server(A, B)]).resolved == 1
    assert check(store, [server(A, B)], responses={"beta": SAMPLES}).resolved == 0
    kinds = {alert.change_type for alert in store.alerts(status="open")}
    assert kinds == {"response_change", "behavior_change"}
    assert check(store, [server(A, B)], responses={"alpha": SAMPLES}).resolved == 2


@pytest.mark.parametrize(
    ("now", "says"),
    [
        ({"a": 1, "c": None}, "came: c; went: b"),
        ({"a": "1", "b": "x"}, "other types: a"),
        ({"a": 1.5, "b": "x"}, "members of responses or types of values changed"),
        ({"a": 1}, "went: b"),
    ],
)
def test_too_few_responses_to_judge_are_an_unknown_change(store, now, says):
    baseline(store, [server(A)], responses={"alpha": [{"a": 1, "b": "x"}]})
    checked = check(store, [server(A)], responses={"alpha": [now]})
    (change,) = checked.report.changes
    assert (change.name, says in change.message) == ("response-pattern-changed", True)
    assert found(checked) == [("alpha", "response_change", "unknown")]
    assert checked.report.verdict == "unknown"


@pytest.mark.parametrize(
    ("now", "alerts"), [([[1, 2], [3]] * 8, 0), ([["a"], ["b"]] * 8, 1), ([{"a": 1}] * 16, 1)]
)
def test_answers_that_are_lists_and_were_kept_without_a_hash_raise_no_alert(store, now, alerts):
    """An earlier version kept their shape, and the hash of no answers."""
    (kept,) = baseline(store, [server(A)], responses={"alpha": [[1], [2, 3]] * 8})
    store.put([replace(kept, response_pattern_hash=NO_RESPONSES)])
    assert len(check(store, [server(A)], responses={"alpha": now}).alerts) == alerts


def test_responses_of_which_only_the_hash_is_known(store):
    store.put(read_baselines([{**ENTRY, "response_pattern_hash": "0" * 64}]))
    checked = check(store, [Watched.single("alpha", A)], responses={"alpha": SAMPLES})
    assert names_of(checked) == ["response-pattern-changed"]


@pytest.mark.parametrize("samples", [[[1, 2]] * 9, ["text"] * 9, [{"a": 1}] * 9])
@pytest.mark.parametrize("given", [None, {}, {"alpha": []}])
def test_it_is_always_reported_that_responses_were_not_compared(store, samples, given):
    baseline(store, [server(A, B)], responses={"alpha": samples})
    for now in (A, TIGHT):
        notes = check(store, [server(now, B)], responses=given).notes
        assert [note for note in notes if "none were given" in note]
    notes = check(store, [server(A, B)], responses={"beta": SAMPLES}).notes
    assert [note for note in notes if "of 1 tool were not compared" in note]


def test_without_samples_the_responses_are_reported_as_not_compared(store):
    baseline(store, [server(A)], responses={"alpha": SAMPLES})
    checked = check(store, [server(A)])
    assert not checked.alerts
    assert [note for note in checked.notes if "--responses" in note]
    (alert,) = check(store, [server(TIGHT)]).alerts
    assert alert.change_type == "schema_change"
    assert alert.after.response_pattern_hash == alert.before.response_pattern_hash
    baseline(store, [server(A)])
    none = check(store, [server(A)], responses={"alpha": SAMPLES})
    assert not none.alerts
    assert [note for note in none.notes if "baseline has none" in note]


def test_deep_changes_of_responses_are_seen_and_noise_is_not(store):
    deep = [{"data": {"items": [{"id": n, "name": "x"}]}} for n in range(20)]
    baseline(store, [server(A)], responses={"alpha": deep})
    broken = [{"data": {"items": [{"id": str(n), "name": "x"}]}} for n in range(20)]
    checked = check(store, [server(A)], responses={"alpha": broken})
    assert found(checked) == [("alpha", "response_change", "breaking")]
    again = check(store, [server(A)], responses={"alpha": broken[:15]})
    assert [alert.count for alert in again.alerts] == [2]
    other = [{"data": {"items": [{"id": n + 5, "name": "x"}]}} for n in range(20)]
    assert not check(store, [server(A)], responses={"alpha": other}).alerts


def test_no_value_of_a_response_is_kept(tmp_path):
    path = tmp_path / "watch.db"
    with closing(open_store(str(path))) as opened:
        samples = [{"password": f"hunter{n}-swordfish"} for n in range(20)]
        baseline(opened, [server(A)], responses={"alpha": samples})
        check(opened, [server(A)], responses={"alpha": [{"password": 1, "n": "swordfish-2"}] * 9})
    kept = b"".join(one.read_bytes() for one in tmp_path.iterdir())
    assert b"swordfish" not in kept


def test_levels_to_fail_on(store):
    baseline(store, [server(A, B)])
    (breaking,) = check(store, [server(TIGHT, B)]).alerts
    (words,) = check(store, [server(WORDS, B)]).alerts
    (added,) = check(store, [server(A, B, C)]).alerts
    levels = ("security", "breaking", "unknown", "review", "compatible", "any")

    def failing(alert):
        return [level for level in levels if matters(alert, level)]

    assert failing(breaking) == list(levels[1:])
    assert failing(words) == ["review", "compatible", "any"]
    assert failing(added) == ["review", "compatible", "any"]


@pytest.mark.parametrize("more", [{}, {"big": 1 << 80}, {"text": "é\u202e"}, {"n": 1.5}])
def test_quick_is_equal_for_equal_definitions_only(more):
    one = {"a": 1, "b": [1, 2, {"c": None}], **more}
    assert quick(one) == quick(json.loads(json.dumps(dict(reversed(one.items())))))
    assert quick(one) != quick({**one, "a": 2})
    assert quick(one) != quick({**one, "a": True})
    assert quick(one) != quick({**one, "b": [2, 1, {"c": None}]})


def test_what_looks_like_a_secret_is_masked_before_it_is_hashed():
    key = "sk-" + "a1B2" * 10
    items = [{"password": "k7Rq2v9XwP0z4T1y"}]
    value = {"default": key, "description": f"use {key} here", "items": items}
    masked = without_credentials(value)
    assert key not in json.dumps(masked)
    assert masked["items"] == [{"password": "***"}]
    secret = {"default": "hunter2hunter2", "type": "string"}
    listed = {"items": {"enum": ["a", "b"]}, "anyOf": [{"const": "c"}], "title": "T"}
    properties = {"password": secret, "api_key": {"examples": ["x"]}, "auth_token": listed}
    plain = {"size": {"default": "large", "enum": ["large"]}}
    assert without_credentials({"properties": {**properties, **plain}}) == {
        "properties": {
            "password": {"default": "***", "type": "string"},
            "api_key": {"examples": ["***"]},
            "auth_token": {
                "items": {"enum": ["***", "***"]},
                "anyOf": [{"const": "***"}],
                "title": "T",
            },
            **plain,
        }
    }
    plain = {"type": "string", "description": "A token of yours.", "n": [1, None]}
    assert without_credentials(plain) == plain


COMMANDS = [
    ("npx -y @scope/server@1.2.3 --flag", "@scope/server@1.2.3"),
    ("npx --package=tool@2 run-it", "tool@2"),
    ("npx -p tool@2 run-it", "tool@2"),
    ("npx server", "server"),
    ("/usr/bin/uvx --from tools==2.0 serve", "tools@2.0"),
    ("uvx mcp-server-git@2025.1", "mcp-server-git@2025.1"),
    ("uvx tools[extra]==1.0", "tools@1.0"),
    ("pipx run --spec tool==1 tool", "tool@1"),
    ("docker run -i --rm -e TOKEN ghcr.io/org/server:1.2", "ghcr.io/org/server@1.2"),
    ("docker run --rm localhost:5000/server", "localhost:5000/server"),
    ("docker run server@sha256:abc", "server@sha256:abc"),
    ("python server.py", ""),
    ("npm test", ""),
    ("npx", ""),
]


@table(("command", "package"), COMMANDS)
def test_the_package_of_a_command(command, package):
    assert package_of(command.split()) == package


def test_an_identity_holds_no_secret_and_comes_back():
    made = Identity.of_command(["srv", "--token", "hunter2", "https://u:pw@h/?k=v"], ["B", "A"])
    assert made.env == ("A", "B")
    text = json.dumps(made.to_dict())
    assert not any(secret in text for secret in ("hunter2", "pw", "k=v"))
    assert Identity.from_dict(json.loads(text)) == made
    assert Identity.of_url("https://h/?key=1", ["Authorization"]).headers == ("authorization",)
    assert made.digest != Identity.of_command(["srv"]).digest
    for bad in ({}, {"transport": "pigeon"}, {"transport": "stdio", "command": "x"},
                {"transport": "http", "url": 1}):  # fmt: skip
        with pytest.raises(ValueError, match=r"no|known"):
            Identity.from_dict(bad)


def exported(store):
    return (
        [baseline_json(one) for one in store.baselines()],
        [alert_json(one, whole=True) for one in store.alerts()],
    )


def test_what_goes_out_comes_in_again(store):
    baseline(store, [server(A, B)], responses={"alpha": SAMPLES})
    check(store, [server(TIGHT)])
    baselines, alerts = json.loads(json.dumps(exported(store)))
    other = MemoryStore()
    other.put(read_baselines(baselines), kind="imported")
    other.record(read_alerts(alerts))
    assert [baseline_json(one) for one in other.baselines()] == baselines
    assert [{**alert_json(one, whole=True), "sequence": 0} for one in other.alerts()] == [
        {**one, "sequence": 0} for one in alerts
    ]
    assert [one.id for one in other.alerts()] == [one.id for one in store.alerts()]
    assert (kind_of(baselines), kind_of(alerts), kind_of([]), kind_of([1])) == (
        "baselines", "alerts", None, None,
    )  # fmt: skip


def test_a_source_itself_goes_out_and_comes_in(store):
    baseline(store, [server(A, B, instructions="Be nice.")])
    other = MemoryStore()
    other.put(read_baselines(json.loads(json.dumps(exported(store)[0]))), kind="imported")
    evil = server(A, instructions="Be evil.", command=("npx", "evil"))
    told = names_of(check(other, [evil], distrust="so"))
    expected = ["tool-removed", "server-instructions-changed", "server-identity-changed"]
    assert told == expected


@pytest.mark.parametrize(
    "damage",
    [{"tools": [1]}, {"tools": None}, {"identity": {}}, {"identity": 1}, {"about": []}],
)
def test_a_source_that_does_not_say_who_it_is_is_refused(damage):
    (whole,) = [one for one in _snapshots(server(A)) if not one.key.tool]
    assert read_baselines([baseline_json(whole)]) == [whole]
    definition = {**whole.definition, **damage}
    entry = {**baseline_json(whole), "definition": definition}
    entry["schema_hash"] = schema_hash(definition)
    with pytest.raises(BadImport):
        read_baselines([entry])


ENTRY = {
    "tool_name": "alpha",
    "version": "1",
    "schema_hash": schema_hash(A),
    "response_pattern_hash": response_pattern_hash(()),
    "captured_at": "2026-02-27T12:00:00+00:00",
}
DAMAGE = [
    {"tool_name": 7},
    {"tool_name": ""},
    {"schema_hash": "abc"},
    {"schema_hash": "G" * 64},
    {"response_pattern_hash": None},
    {"captured_at": "yesterday"},
    {"captured_at": "9999-12-31T23:59:59-23:59"},
    {"version": []},
    {"digests": [1]},
    {"definition": B},
    {"definition": A, "digests": {"exact": "tc1:sha256:0"}},
    {"shape": {"schema": "shape.v9"}},
    {"source": 1},
]


@table("damage", DAMAGE)
def test_damaged_entries_are_refused(damage):
    assert len(read_baselines([ENTRY])) == 1
    with pytest.raises(BadImport) as caught:
        read_baselines([ENTRY, {**ENTRY, **damage}])
    assert caught.value.number == 2


def test_a_baseline_of_hashes_alone_can_be_checked(store):
    store.put(read_baselines([ENTRY]), kind="imported")
    assert not check(store, [Watched.single("alpha", A)]).alerts
    (alert,) = check(store, [Watched.single("alpha", TIGHT)]).alerts
    assert alert.verdict == "unknown"
    assert "hashes" in alert.changes[0]["reason"]


def test_ten_thousand_tools(tmp_path):
    many = [tool(f"tool_{n}", f"Number {n}.", a={"type": "string"}) for n in range(2000)]
    with closing(open_store(str(tmp_path / "watch.db"))) as opened:
        baseline(opened, [server(*many)])
        checked = check(opened, [server(*many)])
        assert (checked.unchanged, checked.alerts) == (2000, ())
        changed = [*many[:999], {**many[999], "description": "Else."}, *many[1000:]]
        assert found(check(opened, [server(*changed)])) == [
            ("tool_999", "schema_change", "cosmetic")
        ]


CATALOGS = st.dictionaries(
    st.sampled_from(["a:b", "a", "b", "a' OR 1", "x\x1b[0m"]),
    st.sampled_from(["One.", "Two."]),
    max_size=4,
).map(lambda found: [tool(name, words) for name, words in found.items()])


@settings(max_examples=60)
@given(CATALOGS, CATALOGS)
def test_alerts_are_raised_exactly_when_something_differs(before, after):
    store = MemoryStore()
    baseline(store, [server(*before)])
    checked = check(store, [server(*after)])
    one, other = ({each["name"]: each for each in side} for side in (before, after))
    assert bool(checked.alerts) == (one != other)
    told = {alert.before.key.tool for alert in checked.alerts}
    told |= {alert.after.key.tool for alert in checked.alerts}
    assert told == {name for name in {**one, **other} if one.get(name) != other.get(name)}
    assert [found.id for found in check(store, [server(*after)]).alerts] == [
        found.id for found in checked.alerts
    ]
    assert not check(store, [server(*before)]).alerts
    assert not list(store.alerts(status="open"))
    baseline(store, [server(*after)])
    assert not check(store, [server(*after)]).alerts

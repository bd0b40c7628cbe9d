"""Aliases: legal, unique, independent of order, and only where needed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolcanon as tc
from toolcanon.dialect import NamePolicy
from toolcanon.dialect.tables import SERVER
from toolcanon.errors import DuplicateTool, UsageError
from toolcanon.naming import alias, aliases

NARROW = NamePolicy("a-zA-Z0-9_-", 64)
SHORT = NamePolicy("a-z_0-9", 16, first="a-z_")


@pytest.mark.parametrize(
    "names, expected",
    [
        (["a", "b"], ["a", "b"]),
        (["a.b"], ["a_b"]),
        (["user.login", "user_logout"], ["user_login", "user_logout"]),
        (["a.b", "a_b"], ["a_b_2e7336dc", "a_b"]),
        (["a.b", "a b"], ["a_b_2e7336dc", "a_b_c8687a08"]),
        (["Näme"], ["N_me"]),
        ([""], ["tool"]),
        (["x" * 65], ["x" * 55 + "_9537c5fd"]),
    ],
)
def test_golden(names, expected):
    assert aliases(names, NARROW) == expected


def test_first_characters():
    assert aliases(["1a"], SHORT) == ["_1a"]


@pytest.mark.parametrize(
    "policy, given, expected",
    [
        (SHORT, ["GetWeather"], ["get_weather"]),
        (SHORT, ["getHTTPCode"], ["get_http_code"]),
        (SHORT, ["get3DModel"], ["get3d_model"]),
        (SHORT, ["ABC", "GET_X"], ["abc", "get_x"]),
        (SHORT, ["Get Weather.v2"], ["get_weather_v2"]),
        (SHORT, ["get_weather", "GetIt"], ["get_weather", "get_it"]),
        (NamePolicy("A-Z_0-9", 16), ["getIt"], ["GETIT"]),
        (
            NamePolicy("a-z0-9-", 31, first="a-z"),
            ["getIt", "a_b", "1st"],
            ["get-it", "a-b", "x1st"],
        ),
        (NamePolicy("a-z0-9_", 40, first="a-z"), ["_1st", "Ab"], ["x_1st", "ab"]),
        (NamePolicy("A-Z", 16), ["", "a.b"], ["TOOL", "AXB"]),
        (NamePolicy(r'^"\x00', 16), ["", 'a"b', "a.b"], ["tool", "a_b", "a.b"]),
        (NARROW, ["GetWeather"], ["GetWeather"]),
        (NARROW, ["Get.Weather"], ["Get_Weather"]),
    ],
)
def test_case_is_folded_where_only_one_is_allowed(policy, given, expected):
    assert aliases(given, policy) == expected


def test_folded_names_that_meet_stay_apart():
    found = aliases(["GetIt", "getIt", "get_it"], SHORT)
    assert found[2] == "get_it"
    assert len(set(found)) == 3
    assert all(map(SHORT.allows, found))


names = st.lists(st.text("aA.b_ -1é", max_size=20), unique=True, max_size=12)


@given(names, st.sampled_from([NARROW, SHORT]), st.randoms())
def test_laws(given_names, policy, random):
    found = dict(zip(given_names, aliases(given_names, policy), strict=True))
    assert len(set(found.values())) == len(given_names)
    assert all(policy.allows(alias) for alias in found.values())
    assert all(found[name] == name for name in given_names if policy.allows(name))
    shuffled = list(given_names)
    random.shuffle(shuffled)
    assert dict(zip(shuffled, aliases(shuffled, policy), strict=True)) == found


@st.composite
def policies(draw):
    """Draw a policy: any alphabet, first characters and lengths."""
    letters = draw(st.sampled_from(["a-z", "A-Z", "a-zA-Z", "abc", "g-z", "à-ý", "^-_a-f"]))
    digits, marks = draw(st.sampled_from(["", "0-9"])), draw(st.sampled_from(["", "_", "-", ".:"]))
    return NamePolicy(
        f"{letters}{digits}{marks.replace('-', chr(92) + '-')}",
        draw(st.sampled_from([5, 9, 12, 31, 64])) + (SERVER if (led := draw(st.booleans())) else 0),
        first=draw(st.sampled_from(["", letters, letters.removesuffix("-z") + "z", "0-9"])),
        prefix="{}" if led else "",
        reserved=draw(st.sampled_from([frozenset(), frozenset({"tool", "x", "axb", "a"})])),
    )


any_names = st.lists(
    st.one_of(st.text("aA.b_ -1é:", max_size=70), st.text(max_size=8)), unique=True, max_size=8
)


@given(any_names, policies(), st.randoms())
def test_aliases_are_legal_for_every_policy(given_names, policy, random):
    found = dict(zip(given_names, aliases(given_names, policy), strict=True))
    assert len(set(found.values())) == len(given_names)
    for name, written in found.items():
        assert policy.allows(written), (policy, name, written)
        assert written == name or not policy.allows(name)
        assert policy.allows(alias(name, policy))
    shuffled = list(given_names)
    random.shuffle(shuffled)
    assert dict(zip(shuffled, aliases(shuffled, policy), strict=True)) == found
    rest = aliases(given_names, policy, reserved=found.values())
    assert not set(rest) & set(found.values())


def test_no_name_is_left():
    policy = NamePolicy("ab", 1)
    assert sorted(aliases(["x", "y"], policy)) == ["a", "b"]
    with pytest.raises(UsageError, match=r"1 to 1 of \[ab\]"):
        aliases(["x", "y", "z"], policy)


def test_duplicates_are_refused_with_both_places():
    tool = {"name": "f", "inputSchema": {"type": "object"}}
    other = {"name": "g", "inputSchema": {"type": "object"}}
    with pytest.raises(DuplicateTool) as caught:
        tc.convert([tool, other, tool], "openai")
    assert (caught.value.tool, caught.value.first, caught.value.second) == ("f", 1, 3)
    assert len(tc.convert([tool, tool], "openai", lower=False).payload) == 2


def test_names_of_a_list_come_back_by_the_receipt():
    given_names = ["a.b", "a_b", "a b", "x" * 100, "plain"]
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in given_names]
    there = tc.convert(tools, "anthropic")
    wires = [item["name"] for item in there.payload]
    assert there.binding.names == dict(zip(given_names, wires, strict=True))
    back = tc.convert(
        there.payload, "mcp", source="anthropic", receipt=there.binding.receipt(), lower=False
    )
    assert back.payload == tools

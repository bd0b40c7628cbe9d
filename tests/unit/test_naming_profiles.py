"""Naming profiles: out and back, collisions, users' own tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import table
from toolcanon.errors import BadConfig, ProfileCollision, UnknownProfile
from toolcanon.naming.profiles import BUILT_IN, Profile, profile_named

CLAUDE, PASCAL = profile_named("claude-code"), profile_named("pascal")
NAMES = st.text("abcXYZ019_-.", min_size=1, max_size=12)


@table(
    ("profile", "own", "outside"),
    [
        (CLAUDE, "read", "Read"),
        (CLAUDE, "ripgrep", "Grep"),
        (CLAUDE, "grep", "Grep"),
        (CLAUDE, "ls", "LS"),
        (CLAUDE, "websearch", "WebSearch"),
        (CLAUDE, "update_plan", "TodoWrite"),
        (CLAUDE, "git_status", "GitStatus"),
        (CLAUDE, "my_own_tool", "MyOwnTool"),
        (PASCAL, "update_plan", "UpdatePlan"),
        (PASCAL, "ls", "Ls"),
        (PASCAL, "finish", "Finish"),
        (PASCAL, "websearch", "WebSearch"),
    ],
)
def test_outward_and_back(profile: Profile, own: str, outside: str) -> None:
    assert profile.outward(own) == outside
    assert profile.inward(outside, [own]) == own


@table(
    ("profile", "name", "own"),
    [
        (CLAUDE, "Grep", "ripgrep"),
        (CLAUDE, "UpdatePlan", "update_plan"),
        (CLAUDE, "Ls", "ls"),
        (CLAUDE, "LS", "ls"),
        (CLAUDE, "WebSearch", "websearch"),
        (CLAUDE, "GitStatus", "git_status"),
        (CLAUDE, "read", "read"),
        (PASCAL, "TodoWrite", "update_plan"),
        (PASCAL, "LS", "ls"),
        (PASCAL, "MyOwnTool", "my_own_tool"),
    ],
)
def test_every_known_name_is_taken(profile: Profile, name: str, own: str) -> None:
    assert profile.inward(name) == own


@given(st.lists(NAMES, unique=True, max_size=6), st.sampled_from([CLAUDE, PASCAL]))
def test_names_of_one_request_come_back_or_collide(names: list[str], profile: Profile) -> None:
    outside = [profile.outward(name) for name in names if name not in profile.internal]
    if len(set(outside)) < len(outside):
        with pytest.raises(ProfileCollision) as caught:
            profile.sent(names)
        error = caught.value
        assert profile.outward(error.first) == profile.outward(error.second) == error.outside
        return
    sent = profile.sent(names)
    assert len(set(sent.values())) == len(sent)
    for own, called in sent.items():
        if called not in names:
            assert profile.inward(called, names) == own


def test_two_tools_of_one_name_are_an_error_that_names_both() -> None:
    with pytest.raises(ProfileCollision, match=r"both 'grep' and 'ripgrep' 'Grep'"):
        CLAUDE.sent(["read", "grep", "ripgrep"])


def test_internal_tools_are_not_sent() -> None:
    assert CLAUDE.sent(["read", "finish", "progress_update"]) == {"read": "Read"}
    assert PASCAL.sent(["finish"]) == {"finish": "Finish"}


def test_mentions_are_rewritten_where_nothing_else_can_be_meant() -> None:
    profile = Profile("p", {"read_file": "ReadFile", "read": "Read"})
    names = profile.sent(["read_file", "read"])
    said = "First read_file (see `read`), then read on. Not read_file_2, nor 'read' files."
    assert profile.told(said, names) == (
        "First ReadFile (see `Read`), then read on. Not read_file_2, nor 'Read' files."
    )


def test_tables_of_users() -> None:
    table = {"style": "pascal", "names": {"q": "Ask"}, "internal": ["z"], "mentions": True}
    mine = Profile.of("mine", table, "toolcanon.toml")
    assert (mine.outward("q"), mine.outward("a_b"), mine.mentions) == ("Ask", "AB", True)
    for wrong, key in [
        ({"stile": "pascal"}, "naming.mine.stile"),
        ({"style": "camel"}, "naming.mine.style"),
        ({"names": {"a": 1}}, "naming.mine.names"),
        ({"internal": "z"}, "naming.mine.internal"),
        ({"mentions": 1}, "naming.mine.mentions"),
    ]:
        with pytest.raises(BadConfig) as caught:
            Profile.of("mine", wrong, "toolcanon.toml")
        assert caught.value.key == key


def test_an_unknown_profile_is_reported_with_advice() -> None:
    with pytest.raises(UnknownProfile, match="did you mean 'claude-code'"):
        profile_named("claude-cod")
    assert set(BUILT_IN) == {"claude-code", "pascal"}

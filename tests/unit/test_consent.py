"""Nothing in a file runs before the user saw all of it and agreed."""

import os
import stat

import pytest

from toolcanon.errors import CannotWrite, ConsentNeeded, UntrustedState
from toolcanon.jsonio import Pointer
from toolcanon.sources.config_files import (
    ServerEntry,
    consent_digest,
    consent_lines,
    ensure_consent,
)

ENTRY = ServerEntry("s", Pointer(), command=("npx", "-y", "x"), env={"A": "1"}, cwd="/")
WEB = ServerEntry("w", Pointer(), url="https://h/mcp?k=v", headers={"Auth": "v"})


def changed(entry=ENTRY, **fields):
    return ServerEntry(**{
        **{name: getattr(entry, name) for name in entry.__slots__}, **fields
    })  # fmt: skip


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    folder = tmp_path / "state"
    monkeypatch.setenv("TOOLCANON_HOME", str(folder))
    return folder


def agree(_):
    return True


def refuse(_):
    return False


OTHER = [
    {"command": ("npx", "-y", "y")},
    {"command": ("npx", "-y x")},
    {"command": ("npx", "-y", "x", "")},
    {"env": {"A": "1", "B": "1"}},
    {"env": {}},
    {"env": {"A": "1", "NODE_OPTIONS": "--require=/x"}},
    {"cwd": "/usr"},
    {"command": ("npx", "-y", "x", "--token", "abc")},
]


@pytest.mark.parametrize("fields", OTHER, ids=str)
def test_consent_is_for_exactly_this(fields):
    ensure_consent(ENTRY, ask=agree)
    ensure_consent(ENTRY)
    with pytest.raises(ConsentNeeded):
        ensure_consent(changed(**fields))


def test_all_digests_differ():
    entries = [ENTRY, WEB, changed(WEB, url="https://h/mcp?k=w"), changed(WEB, headers={})]
    entries += [changed(**fields) for fields in OTHER]
    assert len({consent_digest(entry) for entry in entries}) == len(entries)


@pytest.mark.parametrize(
    "before, after, is_same",
    [
        ({"A": "1"}, {"A": "2"}, True),  # a key may be renewed
        ({"LD_PRELOAD": "a"}, {"LD_PRELOAD": "b"}, False),  # other code may not be loaded
        ({"PATH": "/a"}, {"PATH": "/b"}, False),
        ({"PYTHONPATH": "/a"}, {"PYTHONPATH": "/b"}, False),
    ],
)
def test_which_values_matter(before, after, is_same):
    same = consent_digest(changed(env=before)) == consent_digest(changed(env=after))
    assert same == is_same


def test_no_is_no_and_is_not_remembered(home):
    for _ in range(2):
        with pytest.raises(ConsentNeeded) as caught:
            ensure_consent(ENTRY, ask=refuse)
    assert not home.exists()
    assert caught.value.digest == consent_digest(ENTRY)
    assert "--yes tc1:scrypt:" in str(caught.value)
    assert "npx -y x" in str(caught.value)


@pytest.mark.parametrize("entry", [ENTRY, WEB])
def test_agreeing_on_the_command_line_is_for_once(entry, home):
    ensure_consent(entry, yes=[entry.name])
    ensure_consent(entry, yes=[consent_digest(entry)])
    assert not home.exists()
    for blanket in ("", "*", "all", "yes", consent_digest(entry)[:-1]):
        with pytest.raises(ConsentNeeded):
            ensure_consent(entry, yes=[blanket])


def test_only_digests_are_kept_and_by_us_alone(home):
    secret = "swordfish-and-more"  # noqa: S105
    entry = changed(command=("x", "--token", secret), env={"A": secret, "PATH": secret})
    ensure_consent(entry, ask=agree)
    ensure_consent(WEB, ask=agree)
    path = home / "consents"
    lines = path.read_text(encoding="utf-8").split()
    assert lines == [consent_digest(entry), consent_digest(WEB)]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


def test_a_torn_line_is_no_consent(home):
    ensure_consent(ENTRY, ask=agree)
    path = home / "consents"
    path.write_text(path.read_text(encoding="utf-8").strip()[:-1], encoding="utf-8")
    with pytest.raises(ConsentNeeded):
        ensure_consent(ENTRY)
    ensure_consent(ENTRY, ask=agree)
    ensure_consent(ENTRY)


def test_what_others_may_write_proves_nothing(home):
    ensure_consent(ENTRY, ask=agree)
    path = home / "consents"
    for mode in (0o620, 0o602):
        path.chmod(mode)
        with pytest.raises(UntrustedState):
            ensure_consent(ENTRY)
    path.unlink()
    path.symlink_to(home / "elsewhere")
    with pytest.raises(UntrustedState):
        ensure_consent(ENTRY)
    path.unlink()
    path.mkdir()
    with pytest.raises(UntrustedState):
        ensure_consent(ENTRY, ask=agree)


def test_where_nothing_can_be_kept(home):
    home.write_text("a file", encoding="utf-8")
    with pytest.raises((CannotWrite, UntrustedState)):
        ensure_consent(ENTRY, ask=agree)


def test_all_of_it_is_shown():
    long = "x" * 5000
    entry = changed(
        command=("sh", "-c", f"echo{' ' * 5000}; evil \x1b[2K\u202e\n{long}"),
        env={"B": "hidden", "A": "hidden", "LD_PRELOAD": "/evil.so"},
    )
    shown = consent_lines(entry)
    text = "".join(shown)
    assert "echo[5,000 blanks]; evil \\x1b[2K\\u202e\\n" in text
    assert long in text
    assert text.isprintable()
    assert shown[-1] == ("environment: A (value hidden), B (value hidden), LD_PRELOAD=/evil.so")
    assert shown[1] == "folder: /"
    asked = []
    ensure_consent(entry, ask=lambda lines: asked.append(lines) or True)
    assert asked == [(*shown, f"digest: {consent_digest(entry)}")]


def test_relative_folders_are_shown_as_they_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert consent_lines(changed(cwd=None))[1] == f"folder: {os.path.realpath(tmp_path)}"
    assert consent_lines(changed(cwd="a/.."))[1] == f"folder: {os.path.realpath(tmp_path)}"
    assert consent_lines(WEB) == ["address: https://h/mcp?k=***", "headers: Auth (values hidden)"]

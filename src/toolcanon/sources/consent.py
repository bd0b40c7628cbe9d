"""Consent to start or call what a file names, for exactly this entry.

Consent covers the command line, the names in its environment and its folder, or the address and the
names of its headers. Only a digest of it is stored, one a line, in a file that only the user can
read. The digest is slow to compute, so that a weak secret in a command cannot be guessed from it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import stat
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Final

from toolcanon.errors import CannotWrite, ConsentNeeded, UntrustedState
from toolcanon.jsonio import canonical_bytes
from toolcanon.sources.client_configs import ServerEntry
from toolcanon.sources.mcp.child import working_folder
from toolcanon.text import safe
from toolcanon.text.secrets import mask_command, mask_text, mask_url

HOME: Final = "TOOLCANON_HOME"
FILE: Final = "consents"
_TAG: Final = "tc1:scrypt:"
_MOST: Final = 1024 * 1024
_BLANKS = re.compile(r" {9,}")
# Variables by which a harmless command can load other code: consent includes their values.
_STEERING = re.compile(
    r"(?:LD|DYLD)_\w+|PATH|(?:PYTHON|NODE_|RUBY|PERL5|JAVA_TOOL_|_JAVA_|BASH_|NPM_CONFIG_|UV_|PIP_)"
    r"\w*|ENV|IFS|SHELL|GIT_SSH\w*|EDITOR|PAGER",
    re.IGNORECASE,
)


def ensure_consent(
    entry: ServerEntry,
    *,
    yes: Collection[str] = (),
    ask: Callable[[Sequence[str]], bool] | None = None,
) -> None:
    """Return when the entry has consent; raise ConsentNeeded otherwise.

    ``yes`` holds digests or names with consent for this run. ``ask`` shows lines to the user and
    returns the answer, which is stored when it is yes; None means that nobody can be asked.
    """
    digest = consent_digest(entry)
    if digest in yes or entry.name in yes or digest in _stored():
        return
    lines = consent_lines(entry)
    if ask is None or not ask((*lines, f"digest: {digest}")):
        raise ConsentNeeded(entry.name, ", ".join(lines), digest)
    _store(digest)


def consent_digest(entry: ServerEntry) -> str:
    """Return the digest of exactly this command and folder, or address; the same on any machine."""
    steering = {name: value for name, value in entry.env.items() if _STEERING.fullmatch(name)}
    agreed = {
        "command": list(entry.command),
        "environment": sorted(entry.env),
        "folder": working_folder(entry.cwd) if entry.command else None,
        "headers": sorted(entry.headers),
        "steering": steering,
        "url": entry.url,
    }
    known = hashlib.scrypt(
        canonical_bytes(agreed), salt=b"toolcanon consent", n=2**14, r=8, p=1, dklen=32
    )
    return _TAG + known.hex()


def consent_lines(entry: ServerEntry) -> list[str]:
    """Return the entry in full as text: not truncated, escaped for a terminal, without secrets."""
    if entry.url:
        lines = [f"address: {mask_url(entry.url)}"]
        if entry.headers:
            lines.append(f"headers: {', '.join(sorted(entry.headers))} (values hidden)")
    else:
        lines = [
            f"command: {shlex.join(mask_command(entry.command))}",
            f"folder: {working_folder(entry.cwd)}",
        ]
        if entry.env:
            names = (_variable(name, entry.env[name]) for name in sorted(entry.env))
            lines.append(f"environment: {', '.join(names)}")
    return [_BLANKS.sub(lambda run: f"[{len(run[0]):,} blanks]", safe(line)) for line in lines]


def _variable(name: str, value: str) -> str:
    if _STEERING.fullmatch(name):
        return f"{name}={shlex.quote(mask_text(value))}"
    return f"{name} (value hidden)"


def state_folder() -> Path:
    """Return the folder of stored state."""
    given = os.environ.get(HOME)
    return Path(given) if given else Path.home() / ".toolcanon"


def _stored() -> frozenset[str]:
    path = state_folder() / FILE
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return frozenset()
    except OSError as error:
        raise UntrustedState(str(path), (error.strerror or str(error)).lower()) from None
    try:
        _check_owner(path, os.fstat(descriptor))
        text = os.read(descriptor, _MOST).decode("utf-8", "replace")
    finally:
        os.close(descriptor)
    return frozenset(line for line in text.split("\n") if line.startswith(_TAG))


def _check_owner(path: Path, found: os.stat_result) -> None:
    """Raise UntrustedState for a file that other users could have written."""
    if not stat.S_ISREG(found.st_mode):
        raise UntrustedState(str(path), "it is not a regular file")
    if found.st_uid != os.getuid():
        raise UntrustedState(str(path), "it belongs to another user")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise UntrustedState(str(path), "other users may write to it")


def _store(digest: str) -> None:
    """Append a digest. A partly written line matches no digest, so that entry is asked again."""
    path = state_folder() / FILE
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, flags, 0o600)
        try:
            os.write(descriptor, f"\n{digest}\n".encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise CannotWrite(str(path), (error.strerror or str(error)).lower()) from None

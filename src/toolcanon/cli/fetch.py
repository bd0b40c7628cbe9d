"""``toolcanon fetch``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import click

from toolcanon.cli.live_options import server_options
from toolcanon.cli.options import client_config_option, hand_over, talk
from toolcanon.errors import ServerFailed, UnusableConfig
from toolcanon.sources import check_place
from toolcanon.sources.client_configs import ServerEntry, choose_server, read_client_config
from toolcanon.sources.consent import ensure_consent
from toolcanon.sources.mcp import Served, fetch_command, fetch_url
from toolcanon.text import safe, safe_json
from toolcanon.text.secrets import mask_known, secrets_of_command, secrets_of_url

EPILOG = """\b
Examples:
  toolcanon fetch -- npx -y @scope/server --readonly
  toolcanon fetch --env GITHUB_TOKEN -o tools.json -- my-server
  toolcanon fetch --url https://host/mcp --header Authorization=env:MCP_AUTH
  toolcanon fetch --client-config .mcp.json --server github
  toolcanon fetch -- my-server | toolcanon convert - --to openai --strict
"""

_TELLING: Final = 8
"""A value shorter than this is found in any text."""


@click.command("fetch", epilog=EPILOG, context_settings={"allow_interspersed_args": False})
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND...]")
@client_config_option("A server that a client's file names; asks first.")
@click.option("--server", metavar="NAME", help="Which of the servers in --client-config.")
@click.option(
    "--yes",
    multiple=True,
    metavar="DIGEST|NAME",
    help="Agree to this entry of --client-config, this once, without being asked.",
)
@server_options
@click.option("--cwd", metavar="FOLDER", help="Where to run the command.")
@click.option("-o", "--output", metavar="FILE", help="Write to a file instead of stdout.")
@click.option("--json", "as_json", is_flag=True, help="Tell about the server as JSON, on stderr.")
@click.option("-v", "--verbose", is_flag=True, help="Show what the server wrote to stderr.")
@click.option("--debug", is_flag=True, expose_value=False, help="Show traces of faults.")
def command(
    words: tuple[str, ...],
    url: str | None,
    headers: dict[str, str],
    config: str | None,
    server: str | None,
    yes: tuple[str, ...],
    env: dict[str, str],
    cwd: str | None,
    timeout: float,
    output: str | None,
    as_json: bool,
    verbose: bool,
) -> int:
    """Ask a live MCP server for its tools and print its answer to tools/list, as it came.

    The server is a COMMAND that is started without a shell and ended afterwards, a --url, or one
    that a client's file names (--client-config). What you type is done; what a file says is done
    only after it was shown whole and somebody agreed. Secrets are never shown. Exit status: 0 fine,
    2 usage, refused input or no consent, 3 the server does not start, answer or stop talking.
    """
    if sum(map(bool, (words, url, config))) != 1:
        raise click.UsageError("Name one server: -- COMMAND..., --url or --client-config.")
    _check_usage(url, config, headers, env, cwd, server, yes)
    if output is not None:
        check_place(output)
    if config is not None:
        entry = agreed(config, server, yes, env, headers)
        words, url, env, headers = entry.command, entry.url, dict(entry.env), dict(entry.headers)
        cwd = entry.cwd
    try:
        if url:
            served = fetch_url(url, headers=headers, timeout=timeout)
        else:
            served = fetch_command(words, env=env, cwd=cwd, timeout=timeout)
    except ServerFailed as failure:
        if verbose:
            _tell_stderr(failure.said)
        raise
    handed = (*env.values(), *headers.values())
    handed += secrets_of_url(url) if url else secrets_of_command(words)
    _tell(served, handed, as_json=as_json, verbose=verbose)
    hand_over(served.answer, output, "")
    return 0


def _check_usage(
    url: str | None,
    config: str | None,
    headers: Mapping[str, str],
    env: Mapping[str, str],
    cwd: str | None,
    server: str | None,
    yes: Sequence[str],
) -> None:
    if url and (env or cwd):
        raise click.UsageError("--env and --cwd are for commands.")
    if headers and not (url or config):
        raise click.UsageError("--header goes with --url or --client-config.")
    if (server or yes) and not config:
        raise click.UsageError("--server and --yes go with --client-config.")
    if cwd and config:
        raise click.UsageError("The folder is what --client-config says.")


def agreed(
    config: str,
    server: str | None,
    yes: tuple[str, ...],
    env: Mapping[str, str],
    headers: Mapping[str, str],
) -> ServerEntry:
    """The entry of a file, once it is clear what it does and somebody agreed to that."""
    entry = choose_server(config, read_client_config(config), server).with_values(env, headers)
    if found := entry.placeholder():
        place, placeholder = found
        raise UnusableConfig(
            config,
            f"{place} holds {placeholder}, which only the client can fill in",
            "pass the value with --env or --header, or name the command yourself after --",
        )
    ensure_consent(entry, yes=yes, ask=asking(config, entry))
    return entry


def asking(path: str, entry: ServerEntry) -> Callable[[Sequence[str]], bool] | None:
    """How to ask whoever sits at the terminal about what a file wants; None without a terminal."""
    if sys.stdin is None or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None

    def ask(lines: Sequence[str]) -> bool:
        talk(f"{safe(path)} wants {safe(repr(entry.name))}:")
        for line in lines:
            talk(f"  {line}")
        return click.confirm("Agree to exactly this?", err=True)

    return ask


def _tell(served: Served, handed: Sequence[str], *, as_json: bool, verbose: bool) -> None:
    """About the server; ``handed`` is what only it should know."""
    if verbose:
        _tell_stderr(served.said)
    if served.noise:
        talk(f"warning: {served.noise} lines on the server's stdout were no messages")
    printed = safe_json(served.answer)
    if any(len(value) >= _TELLING and value in printed for value in handed):
        talk("warning: the answer holds a value that was handed to the server; mind where it goes")
    if as_json:
        talk(mask_known(safe_json(served.about(), indent=None), handed))
        return
    name, version = served.server.get("name", "a server"), served.server.get("version", "")
    count = len(served.tools)
    told = mask_known(f"{name} {version}".strip(), handed)
    talk(safe(f"{told}: {count} tool{'s' * (count != 1)}, protocol {served.protocol}", 400))


def _tell_stderr(said: str) -> None:
    for line in said.splitlines():
        talk(f"  | {safe(line)}")

"""``toolcanon fetch``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import click

from toolcanon.cli.options import client_config_option, hand_over, talk
from toolcanon.cli.shared_options import server_options
from toolcanon.errors import ServerFailed, UnusableConfig
from toolcanon.sources import check_place
from toolcanon.sources.config_files import (
    ServerEntry,
    choose_server,
    ensure_consent,
    read_client_config,
)
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
"""The length from which values are searched for in texts; shorter ones occur by chance."""


@click.command("fetch", epilog=EPILOG, context_settings={"allow_interspersed_args": False})
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND...]")
@client_config_option("Ask a server of this client configuration; asks for consent.")
@click.option("--server", metavar="NAME", help="Which server of --client-config to ask.")
@click.option(
    "--yes",
    multiple=True,
    metavar="DIGEST|NAME",
    help="Consent to this entry of --client-config for this run, without a prompt.",
)
@server_options
@click.option("--cwd", metavar="FOLDER", help="Run the command in this folder.")
@click.option("-o", "--output", metavar="FILE", help="Write to a file instead of stdout.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print name, version and protocol of the server as JSON on stderr.",
)
@click.option("-v", "--verbose", is_flag=True, help="Print what the server wrote to stderr.")
@click.option(
    "--debug", is_flag=True, expose_value=False, help="Print a traceback on an internal error."
)
def command_fetch(
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
    """Ask an MCP server for its tools and print its tools/list answer unchanged.

    The server is a COMMAND (started without a shell and stopped afterwards), a --url, or an entry
    of a client's configuration file (--client-config). A COMMAND or URL that you type is used as
    it is; an entry of a file is shown in full first and needs your consent. Secrets are never
    shown. Exit status: 0 fine, 2 invalid input or usage or no consent, 3 the server does not
    start, answer or finish.
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
            _print_stderr(failure.said)
        raise
    secrets = (*env.values(), *headers.values())
    secrets += secrets_of_url(url) if url else secrets_of_command(words)
    _report(served, secrets, as_json=as_json, verbose=verbose)
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
        raise click.UsageError("--env and --cwd need a command.")
    if headers and not (url or config):
        raise click.UsageError("--header needs --url or --client-config.")
    if (server or yes) and not config:
        raise click.UsageError("--server and --yes need --client-config.")
    if cwd and config:
        raise click.UsageError(
            "--cwd cannot be combined with --client-config, which sets the folder."
        )


def agreed(
    config: str,
    server: str | None,
    yes: tuple[str, ...],
    env: Mapping[str, str],
    headers: Mapping[str, str],
) -> ServerEntry:
    """Return the entry of a file that was consented to, with its placeholders filled in."""
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
    """Return a function that asks the user for consent to an entry; None without a terminal."""
    if sys.stdin is None or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None

    def ask(lines: Sequence[str]) -> bool:
        talk(f"{safe(path)} wants {safe(repr(entry.name))}:")
        for line in lines:
            talk(f"  {line}")
        return click.confirm("Consent to exactly this?", err=True)

    return ask


def _report(served: Served, secrets: Sequence[str], *, as_json: bool, verbose: bool) -> None:
    """Report about the server on stderr; ``secrets`` are the secret values passed to it."""
    if verbose:
        _print_stderr(served.said)
    if served.noise:
        talk(f"warning: {served.noise} lines on the server's stdout were not messages")
    printed = safe_json(served.answer)
    if any(len(value) >= _TELLING and value in printed for value in secrets):
        talk("warning: the answer contains a secret value that was passed to the server")
    if as_json:
        talk(mask_known(safe_json(served.about(), indent=None), secrets))
        return
    name, version = served.server.get("name", "a server"), served.server.get("version", "")
    count = len(served.tools)
    title = mask_known(f"{name} {version}".strip(), secrets)
    talk(safe(f"{title}: {count} tool{'s' * (count != 1)}, protocol {served.protocol}", 400))


def _print_stderr(text: str) -> None:
    for line in text.splitlines():
        talk(f"  | {safe(line)}")

"""``toolwatch``: the group, and its commands in files of their own."""

from __future__ import annotations

import click

from toolcanon import __version__
from toolcanon.cli.main import SETTINGS, LazyGroup

GROUPS = {
    "Review changes in your repository": {
        "lock": ("watch.lock", "Write tools.lock, the reviewed tools, to be committed."),
        "verify": ("watch.lock", "Fail when tools differ from tools.lock."),
        "approve": ("watch.approve", "Approve a change, by its digest."),
    },
    "Watch tools on this machine": {
        "baseline": ("watch.records", "Record tools as they are now."),
        "check": ("watch.check", "Compare tools with what was recorded."),
        "alerts": ("watch.records", "List the changes that were found."),
        "history": ("watch.records", "Show how a tool changed over time."),
    },
    "Data": {
        "export": ("watch.records", "Print baselines or alerts as JSON."),
        "import": ("watch.records", "Read baselines or alerts from JSON."),
    },
}

EPILOG = """\b
Examples:
  toolwatch baseline --tool get_weather --schema weather.json --version 1.0.0
  toolwatch check --tool get_weather --schema weather.json
  toolwatch lock -- npx -y @scope/server
  toolwatch verify -- npx -y @scope/server
  toolwatch approve get_weather --digest tc1:sha256:… --reason "review 12"
"""


@click.group("toolwatch", cls=LazyGroup, groups=GROUPS, epilog=EPILOG, context_settings=SETTINGS)
@click.version_option(__version__, "--version", message="%(prog)s %(version)s")
@click.option(
    "--store",
    metavar="PATH",
    envvar="TOOLWATCH_STORE",
    help="Store file (or set TOOLWATCH_STORE).  [~/.toolcanon/toolwatch.db]",
)
@click.option(
    "--debug", is_flag=True, expose_value=False, help="Print a traceback on an internal error."
)
@click.pass_context
def toolwatch(ctx: click.Context, store: str | None) -> None:
    """Watch tools for changes: report what changed and who breaks, with a proof.

    A store records tools on this machine; tools.lock holds the reviewed tools of your repository.
    Exit status: 0 fine, 1 drift, 2 invalid input or usage, 3 environment (a damaged or locked
    store, a server that cannot be reached), 70 internal error.
    """
    if store == "":
        raise click.UsageError("--store must name a file; the value is empty.")
    ctx.meta["store"] = store

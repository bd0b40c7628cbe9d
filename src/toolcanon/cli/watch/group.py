"""``toolwatch``."""

from __future__ import annotations

import click

from toolcanon import __version__
from toolcanon.cli.main import SETTINGS, LazyGroup

GROUPS = {
    "Review changes in your repository": {
        "lock": ("watch.lock", "Write tools.lock, the reviewed tools, to be committed."),
        "verify": ("watch.verify", "Fail when tools differ from tools.lock."),
        "approve": ("watch.approve", "Approve a change, by its digest."),
    },
    "Watch tools on this machine": {
        "baseline": ("watch.baseline", "Record tools as they are now."),
        "check": ("watch.check", "Compare tools with what was recorded."),
        "alerts": ("watch.alerts", "List the changes that were found."),
        "history": ("watch.history", "Show how a tool changed over time."),
    },
    "Data": {
        "export": ("watch.export", "Print baselines or alerts as JSON."),
        "import": ("watch.import_", "Read baselines or alerts from JSON."),
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
    help="Where to remember; ~/.toolcanon/toolwatch.db otherwise. Also TOOLWATCH_STORE.",
)
@click.option("--debug", is_flag=True, expose_value=False, help="Show traces of faults.")
@click.pass_context
def toolwatch(ctx: click.Context, store: str | None) -> None:
    """Notice when tools change under you: what changed, whom it hurts, and the proof.

    A store remembers what tools looked like on this machine; tools.lock holds what was reviewed, in
    your repository. Exit status: 0 fine, 1 drift, 2 refused input or usage, 3 environment (a store
    that is damaged or locked, a server that cannot be reached), 70 a fault of ours.
    """
    if store == "":
        raise click.UsageError("--store names a file, and this is none.")
    ctx.meta["store"] = store

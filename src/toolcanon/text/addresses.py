"""Addresses in texts that data could be sent to: capture hosts, tunnels, webhooks, IP addresses.

Most tools name addresses, and almost all of them are harmless. Reported are hosts that record
requests or tunnel into a private machine, public webhooks, and, in default values, public IP
addresses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple


class Outlet(NamedTuple):
    """An address, and why it is reported."""

    address: str
    what: str
    is_bare: bool = False
    """Whether the only evidence is that it is an IP address."""


_URL: Final = re.compile(r"\b(?:https?|wss?|ftp)://([^\s\"'<>`)\]}\\]{1,2000})", re.IGNORECASE)
_CATCHERS: Final = frozenset(
    """
    webhook.site requestbin.com requestbin.net pipedream.net hookbin.com beeceptor.com
    burpcollaborator.net oastify.com interact.sh oast.fun oast.live oast.me oast.online oast.pro
    oast.site dnslog.cn ceye.io canarytokens.com canarytokens.org requestcatcher.com
    requestinspector.com postb.in webhook.cool typedwebhook.tools smee.io mockbin.org ptsv2.com
    ptsv3.com
    """.split()
)
_TUNNELS: Final = frozenset(
    """
    ngrok.io ngrok.app ngrok.dev ngrok-free.app ngrok-free.dev trycloudflare.com loca.lt serveo.net
    localhost.run lhr.life localtunnel.me pagekite.me bore.pub telebit.io tunnelmole.net portmap.io
    """.split()
)
_DROPS: Final = frozenset(
    "transfer.sh file.io 0x0.st termbin.com pastebin.com hastebin.com paste.ee ix.io".split()
)
_HOOKS: Final = (
    ("discord.com", "/api/webhooks/"),
    ("discordapp.com", "/api/webhooks/"),
    ("hooks.slack.com", "/services/"),
    ("api.telegram.org", "/bot"),
    ("outlook.office.com", "/webhook/"),
)
_KINDS: Final = (
    (_CATCHERS, "a host that records requests"),
    (_TUNNELS, "a tunnel into a private machine"),
    (_DROPS, "a public file drop"),
)
_DOTTED: Final = re.compile(r"(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})")
_DISGUISED: Final = re.compile(r"\d{8,10}|0x[0-9a-f]{8}|(?:0x[0-9a-f]{1,2}\.){3}0x[0-9a-f]{1,2}")
_TOP: Final = 255
_SEND: Final = re.compile(
    r"\b(?:send|sent|forward|forwarded|bcc|bcc'd|cc|cc'd|post|posted|upload|uploaded|copy|copied"
    r"|transmit|report|mail|submit|relay|exfiltrate|leak)"
    r"(?: \S{1,40}){0,12}? (?:to|at|via) (?:the (?:address|url|endpoint|server) )?[\"'`<(]?"
    r"((?:mailto:)?[\w.+-]{1,64}@[\w-]{1,60}(?:\.[\w-]{1,60}){1,4}"
    r"|https?://[\w-]{1,60}(?:\.[\w-]{1,60}){1,5}\S{0,80})"
)
_ALL: Final = re.compile(
    r"\b(?:all|every|each|always|also|must|silently|secretly|copy of|contents?|bcc|any|first|whole"
    r"|additionally|entire|full|user's|query|conversation|input|results?|arguments)\b"
)
_DOWNLOAD_AND_RUN: Final = re.compile(
    r"\b(?:curl|wget|iwr|invoke-webrequest)\b[^|;\n]{1,200}\|\s?(?:sudo )?"
    r"(?:(?:ba|z|da|k)?sh|python3?|node|perl|iex)\b"
)
_EXAMPLES: Final = re.compile(
    r"(?:^|[@./])(?:example|test|localhost|invalid|domain|company|yourdomain|mydomain|acme|email|foo"
    r"|your-\w+|my-\w+)\b|[{}<>$]|\.(?:test|local|internal|invalid)\b"
)


def outlets(text: str) -> Iterator[Outlet]:
    """Yield the addresses of a text that data could be sent to."""
    for match in _URL.finditer(text):
        rest = match[1].rpartition("@")[2] if "@" in match[1].partition("/")[0] else match[1]
        host, slash, path = rest.partition("/")
        host = host.partition("?")[0].partition(":")[0].rstrip(".").lower()
        what = _kind(host, slash + path)
        if what:
            yield Outlet(match.group(), what)
        elif _is_bare(host):
            yield Outlet(match.group(), "a public IP address", is_bare=True)


def errands(reading: str) -> Iterator[Outlet]:
    """Yield orders to forward data to a fixed address."""
    for match in _SEND.finditer(reading):
        start = max(0, match.start() - 60)
        if _ALL.search(reading, start, match.start(1)) and not _EXAMPLES.search(match[1]):
            yield Outlet(match[1].rstrip(".,;:)\"'`>"), "an order to forward data to it")


def downloads(reading: str) -> Iterator[Outlet]:
    """Yield commands that run what they download."""
    for match in _DOWNLOAD_AND_RUN.finditer(reading):
        yield Outlet(match.group(), "a command that runs what it downloads")


def _kind(host: str, path: str) -> str:
    labels = host.split(".")
    sites = {".".join(labels[-count:]) for count in (2, 3)}
    for hosts, what in _KINDS:
        if not hosts.isdisjoint(sites):
            return what
    if any(host.endswith(site) and path.startswith(start) for site, start in _HOOKS):
        return "a public webhook"
    return ""


def _is_bare(host: str) -> bool:
    """Return whether this is a public IP address, in any notation."""
    dotted = _DOTTED.fullmatch(host)
    if dotted is None:
        return _DISGUISED.fullmatch(host) is not None
    first, second, third, fourth = map(int, dotted.groups())
    if max(first, second, third, fourth) > _TOP:
        return False
    return not (
        first in {0, 10, 127}
        or first >= 224  # noqa: PLR2004 - multicast and reserved
        or (first, second) == (192, 168)
        or (first == 172 and 16 <= second <= 31)  # noqa: PLR2004 - private
        or (first, second, third) in {(192, 0, 2), (198, 51, 100), (203, 0, 113)}  # examples
        or (first, second, third, fourth) in {(1, 2, 3, 4), (8, 8, 8, 8), (1, 1, 1, 1)}
    )

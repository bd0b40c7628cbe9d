"""Exposed data: places with secrets, requests for them, and addresses that data could be sent to.

A mention of a key file is harmless: a tool for remote shells describes keys, and good tools state
which paths they reject. Reported is a request for such a place in a tool whose own name does not
state that this is its purpose.

Most tools name addresses, and almost all of them are harmless. Reported are hosts that record
requests or tunnel into a private machine, public webhooks, and, in default values, public IP
addresses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, NamedTuple


class SensitivePlace(NamedTuple):
    """A kind of place, how it is written, and words of tools that need it."""

    what: str
    stems: tuple[str, ...]
    pattern: re.Pattern[str]
    business: tuple[str, ...]
    is_said: bool = False
    """Whether it is in the conversation: a parameter for it is a request without a verb."""


class Where(NamedTuple):
    """The context of a text, in lower case."""

    tool: str
    within: str
    """The names of parameters around it."""
    is_parameter: bool
    """Whether it describes the value of a parameter."""


class Demand(NamedTuple):
    """A request for a place."""

    what: str
    words: str


def _place(
    what: str, stems: str, pattern: str, business: str, *, is_said: bool = False
) -> SensitivePlace:
    words = tuple(business.split())
    return SensitivePlace(what, tuple(stems.split(",")), re.compile(pattern), words, is_said)


PLACES: Final = (
    _place(
        "keys of a remote shell",
        ".ssh,id_rsa,id_ed25519,id_ecdsa,authorized_keys",
        r"\.ssh\b|\bid_(?:rsa|ed25519|ecdsa|dsa)\b|\bauthorized_keys\b",
        "ssh key sftp scp remote bastion host identity git",
    ),
    _place(
        "credentials of a cloud or a registry",
        ".aws,.netrc,.npmrc,.pypirc,.kube,.docker/config,git-credentials,gcloud,default_credentials"
        ",.azure",
        r"\.aws/(?:credentials|config)\b|\.aws\b(?=/?(?: |$|[,;'\"`)]))|\.netrc\b|\.npmrc\b"
        r"|\.pypirc\b"
        r"|\.kube/config\b|\.docker/config\.json\b|\.git-credentials\b|\.config/gcloud\b"
        r"|\bapplication_default_credentials\b|\.azure/",
        "aws cloud credential npm pypi kube k8s docker registry git gcp google azure auth profile"
        " cluster publish",
    ),
    _place(
        "accounts of the machine",
        "/etc/passwd,/etc/shadow,/etc/sudoers,/proc/self,sam database",
        r"/etc/(?:passwd|shadow|sudoers)\b|/proc/self/environ\b",
        "passwd shadow user account audit",
    ),
    _place(
        "stored passwords, cookies or wallets",
        "login data,logins.json,key4.db,cookies.sqlite,wallet.dat,keychain,.gnupg,password store"
        ",password manager,seed phrase,saved password,browser cookie",
        r"\blogin data\b|\blogins\.json\b|\bkey4\.db\b|\bcookies\.sqlite\b|\bwallet\.dat\b"
        r"|\b(?:login\.)?keychain\b|\.gnupg\b|\bpassword (?:store|manager|vault)s?\b"
        r"|\bseed phrases?\b|\bsaved passwords?\b|\bbrowser cookies\b",
        "keychain password vault secret wallet gpg cookie browser credential mnemonic seed key"
        " crypto",
    ),
    _place(
        "the environment and its secrets",
        ".env,environment variable,env var,printenv,`env`,'env'",
        r"(?<![\w)])\.env(?:\.\w{1,20})?\b(?!\.)|\b(?:all|every|any|full|entire|user'?s?|system) "
        r"(?:the )?(?:environment variables|env vars)\b|\b(?:output of|run) [`']?(?:printenv|env)\b"
        r"|\bvalues? of (?:the )?\S{0,40}(?:secret|token|password|key)\S{0,40} (?:environment"
        r"|env)\b",
        "env deploy config secret variable setting dotenv docker container compose build run"
        " process shell exec command",
    ),
    _place(
        "the history of a shell",
        "_history,shell history,command history",
        r"\.(?:bash|zsh|sh|python|psql|mysql)_history\b|\b(?:shell|bash|command) history\b",
        "history shell terminal command",
    ),
    _place(
        "the configuration of agents",
        "mcp.json,desktop_config,mcp_config,mcp_settings,.cursor,.claude,.codeium,.codex",
        r"(?<![\w-])\.?mcp(?:_config|_settings|-config)?\.json\b|\b\w{1,20}_desktop_config\.json\b"
        r"|\.cursor/|\.(?:claude|codeium|codex)(?:/|\.json)",
        "mcp server config setting agent install setup init client rule skill memory",
    ),
    _place(
        "the conversation or the system prompt",
        "conversation,chat,system prompt,said so far,previous message,user's message,user messages"
        ",available tools,other tools",
        r"\b(?:entire|full|whole|complete|all(?: of)?(?: the)?|previous|raw|verbatim) (?:user )?"
        r"(?:conversation|chat)(?: (?:history|context|log|transcript))?\b(?! id)"
        r"|\b(?:conversation|chat) (?:history|so far|transcript|context)\b"
        r"|\b(?:system|developer|initial) (?:prompt|instructions)\b"
        r"|\beverything (?:that was |that has been )?(?:said|discussed|typed|written)(?: so far)?\b"
        r"|\ball (?:previous|prior|earlier) (?:user )?messages\b"
        r"|\bmessages (?:of|from|in) (?:the|this|our) (?:chat|conversation)\b"
        r"|\b(?:list|names|descriptions) of (?:all )?(?:the )?(?:available|other) tools\b",
        "conversation chat message memory session history agent prompt feedback context thread llm"
        " transcript summar model assistant completion tool mcp recall log talk dialog",
        is_said=True,
    ),
    _place(
        "secrets of the user",
        "api key,password,credential,access token,auth token,private key,secret key,bearer,ssh key"
        ",session token,credit card",
        r"\b(?:all|any|every|user'?s|the users?'?|their|stored|existing|found|available|known"
        r") "
        r"(?:\w{1,20} ){0,2}(?:api keys?|passwords?|credentials|(?:access|auth|session|bearer) "
        r"tokens?"
        r"|private keys?|secret keys?|ssh keys?|credit card (?:numbers?|details))\b",
        "key auth login token password credential secret account sign connect payment card"
        " register wallet vault security scan audit leak config setup session access",
    ),
)

_DEMAND: Final = re.compile(
    r"\b(?:read|open|cat|load|include|pass|send|paste|attach|copy|upload|extract|dump|print|embed"
    r"|append|put|collect|submit|supply|forward|gather|harvest|exfiltrate|retrieve|locate|insert"
    r"|transmit|leak|reveal|repeat|output|access|fetch|grab|add|provide|write|record|post|encode"
    r"|place|store)\b|\bcontents? of\b"
)
_REFUSAL: Final = re.compile(
    r"\b(?:reject|refus|block|denied|deny|denies|disallow|forbid|exclud|redact|mask|protect|prevent"
    r"|sanitiz|sanitis)\w{0,4}\b|\b(?:cannot|can't)\b"
    r"|\b(?:do|does|did|must|should|will|is|are|be|never)(?: not|n't)? (?:ever )?(?<=not |n't "
    r"|ver )"
    r"(?:read|open|access|include|send|expose|store|log|leak|upload|allowed|permitted|supported"
    r"|sent"
    r"|stored|included|exposed|pass|put|paste|commit|share|use|write)"
)
CUES: Final = frozenset(
    """
    ssh rsa ed25519 ecdsa authorized aws netrc npmrc pypirc kube docker credentials gcloud azure
    passwd shadow sudoers proc login logins key4 cookies cookie wallet keychain gnupg password seed
    saved env environ environment printenv history mcp desktop cursor claude codeium codex
    conversation chat system said messages message tools tool key keys passwords token tokens card
    credential phrase
    """.split()
)
"""Words of which every mention has one; see ``injection_phrases.words_in``."""
_WHOLE: Final = re.compile(
    "entire|full|whole|complete|everything|all|system|developer|raw|verbatim"
)
_SENTENCE_END: Final = re.compile(r"[.!?;](?= |$)|\u3002")
_REACH: Final = 160
_MOST: Final = 200
"""The largest number of mentions of one kind that are examined."""


def possible_places(reading: str) -> list[SensitivePlace]:
    """Return the places that a reading may mention."""
    return [place for place in PLACES if _names(reading, place)]


def demands(reading: str, places: Iterable[SensitivePlace], where: Where) -> Iterator[Demand]:
    """Yield the requests for these places, each kind once."""
    for place in places:
        if not _names(reading, place):
            continue
        called = where.tool if place.is_said else f"{where.tool} {where.within}"
        if any(word in called for word in place.business):
            continue
        for match in islice(place.pattern.finditer(reading), _MOST):
            sentence = _sentence(reading, *match.span())
            is_meant = place.is_said and where.is_parameter and _is_head(reading, match)
            is_asked = is_meant or _DEMAND.search(sentence)
            if is_asked and not _REFUSAL.search(sentence):
                yield Demand(place.what, match.group())
                break


def _names(reading: str, place: SensitivePlace) -> bool:
    for stem in place.stems:  # noqa: SIM110 - twice as fast, and called for every text
        if stem in reading:
            return True
    return False


def _is_head(reading: str, match: re.Match[str]) -> bool:
    """Return whether a description begins with the mention, and means all of it."""
    begins = reading[: match.start()] in {"", "the ", "your ", "a copy of the ", "the user's "}
    return begins and _WHOLE.match(match.group()) is not None


def _sentence(text: str, start: int, end: int) -> str:
    """Return the sentence around a span, up to a limit."""
    low = max(0, start - _REACH)
    before = [match.end() for match in _SENTENCE_END.finditer(text, low, start)]
    after = _SENTENCE_END.search(text, end, end + _REACH)
    return text[before[-1] if before else low : after.start() if after else end + _REACH]


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

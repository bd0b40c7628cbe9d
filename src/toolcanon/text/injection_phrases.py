"""Wordings that give orders to a model, demand secrecy, or describe other tools.

Patterns of known wordings are hints, never proof: poisoned texts can read as ordinary English. What
documentation states about a tool's own arguments, preconditions and siblings must not match, so
each pattern requires an object that is not the tool's own. They run on the reading of a text (one
line, lower case), and only where all required words occur: most texts cost a set lookup. All are
linear: every gap is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple


class Wording(NamedTuple):
    """One wording, the words it requires, and its pattern."""

    says: str
    cues: tuple[frozenset[str], ...]
    """Words: one of each set must occur. The rarest come first."""
    marks: tuple[str, ...]
    """Substrings, one of which must occur, if there are any."""
    pattern: re.Pattern[str]
    is_mild: bool = False
    """Whether honest documentation sometimes has it."""


class FoundPhrase(NamedTuple):
    """A wording that was found, and its words."""

    says: str
    words: str
    names: tuple[str, ...]
    """Other tools that it names."""
    is_mild: bool


class Wordings(NamedTuple):
    """Wordings that are searched together, and words that exclude all of them."""

    each: tuple[Wording, ...]
    cues: frozenset[str]
    marks: tuple[str, ...]


def words_in(reading: str) -> frozenset[str]:
    """Return the words of a reading, for prechecks."""
    if reading.isascii():
        return frozenset(reading.encode().translate(_BLANKED).decode().split())
    return frozenset(_WORD.findall(reading))


def possible(wordings: Wordings, reading: str, words: frozenset[str]) -> list[Wording]:
    """Return the wordings that a reading with these words may have."""
    if wordings.cues.isdisjoint(words) and not _has_any(reading, wordings.marks):
        return []
    return [
        wording
        for wording in wordings.each
        if (not wording.cues or not wording.cues[0].isdisjoint(words))
        and _has_each(words, wording.cues)
        and (not wording.marks or _has_any(reading, wording.marks))
    ]


def _has_any(reading: str, pieces: Iterable[str]) -> bool:
    for piece in pieces:  # noqa: SIM110 - twice as fast, and called for every text
        if piece in reading:
            return True
    return False


def _has_each(words: frozenset[str], sets: Iterable[frozenset[str]]) -> bool:
    for cues in sets:  # noqa: SIM110 - as above
        if cues.isdisjoint(words):
            return False
    return True


def said(reading: str, wordings: Iterable[Wording]) -> Iterator[FoundPhrase]:
    """Yield the wordings that a reading has, each at most once."""
    for wording in wordings:
        needed = wording.cues[0] if wording.cues else wording.marks
        match = wording.pattern.search(reading) if any(map(reading.__contains__, needed)) else None
        if match is not None:
            names = tuple(name for name in match.groups() if name)
            yield FoundPhrase(wording.says, match.group(), names, wording.is_mild)


def _wording(
    says: str, cues: str, *ways: str, marks: tuple[str, ...] = (), is_mild: bool = False
) -> Wording:
    sets = tuple(frozenset(words.split()) for words in cues.split("/") if words.strip())
    return Wording(says, sets, marks, re.compile("|".join(ways)), is_mild)


def _wordings(*each: Wording) -> Wordings:
    cues = frozenset(cue for wording in each if wording.cues for cue in wording.cues[0])
    marks = [mark for wording in each if not wording.cues for mark in wording.marks]
    return Wordings(each, cues, tuple(marks))


_WORD = re.compile(r"[^\W_]+")
_BLANKED = bytes(ord(char) if char.isalnum() else ord(" ") for char in map(chr, range(256)))
_ASIDE = "sets earlier instructions aside"
_SET_ASIDE = (
    r"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|es|ing)|bypass(?:es|ing)?|circumvent"
    r"|(?:do not|don't|never) follow)"
)
_LASTING = "gives orders for the rest of the conversation"
_APART = "asks to keep something from the user"
_MODEL = r"(?:ai|llm|language model|ai model|ai assistant|ai agent|assistant|chatbot)s?"

ORDERS: Final = _wordings(
    _wording(
        _ASIDE,
        "ignore ignoring disregard disregarding forget override overrides overriding bypass"
        " bypasses bypassing circumvent follow / instruction instructions prompt prompts directive"
        " directives guardrail guardrails guidelines training safeguard safeguards restrictions"
        " message rules policies",
        rf"{_SET_ASIDE} [^.!?]{{0,24}}?\b(?:previous|prior|above|earlier|preceding|your|system"
        r"|safety|original|all|any other|user'?s?|developer) [^.!?]{0,24}?\b(?:instructions?"
        r"|prompts?|directives?|guardrails?|guidelines|training|safeguards?|system message)\b",
        rf"{_SET_ASIDE} (?:\w{{1,20}} ){{0,3}}(?:your|safety|system|content|previous|prior) "
        r"(?:rules|policies|restrictions)\b",
    ),
    _wording(
        _ASIDE,
        "anweisung anweisungen instruktion instruktionen instrucciones instruccion instrucoes"
        " instruções instrução instruction instructions istruzioni istruzione talimatlari"
        " / ignoriere ignorieren ignorier missachte vergiss ignora ignore olvida descarta esqueca"
        " esqueça desconsidere ignorez ignorer oublie oubliez oublier dimentica unut yok",
        r"\b(?:ignorier\w{0,3}|missachte\w?|vergiss)\b[^.!?]{0,40}(?:anweisung|instruktion)",
        r"\b(?:ignora|ignore|olvida|descarta|esque[çc]a|desconsidere)\b[^.!?]{0,12}"
        r"\b(?:las|todas|les|toutes|as|le|tutte|il)\b[^.!?]{0,24}(?:instruc|instruç|istruzion)",
        r"\b(?:ignor(?:ez|er)|oublie[zr]?|dimentica)\b[^.!?]{0,40}(?:instruction|istruzion)",
        r"talimatlar\w{0,6} (?:yok say|unut)",
    ),
    _wording(
        _ASIDE,
        "",
        r"(?:игнориру|проигнориру|забуд)[^.!?]{0,48}(?:инструкц|указани)",
        r"(?:忽略|无视|無視|忘记|忘れ)[^。.!?]{0,20}(?:指令|指示|说明|命令)",
        r"(?:指示|指令|命令)[^。.!?]{0,8}(?:無視|忘れ)",
        r"지시[^.!?]{0,12}(?:무시|잊)",
        r"تجاهل[^.!?]{0,30}تعليمات",
        r"निर्देश[^.!?]{0,20}(?:अनदेखा|नज़रअंदाज़|भूल)",
        marks=("инструкц", "указани", "指令", "指示", "说明", "命令", "지시", "निर्देश", "تعليمات"),
    ),
    _wording(
        "addresses the model apart from the reader",
        "ai ais llm llms model models assistant assistants agent agents chatbot chatbots / note"
        " attention message reminder notice memo instruction instructions dear",
        r"\b(?:note|attention|message|reminder|notice|memo|instructions?) (?:to|for) "
        rf"(?:the |all |any )?{_MODEL}\b ?[:,;(\u2013\u2014-]",
        rf"\battention,? (?:all )?{_MODEL}\b",
        rf"\bdear {_MODEL}\b",
        is_mild=True,
    ),
    _wording(
        "gives the model another task or role",
        "now instruction instructions task tasks goal goals job jobs objective objectives purpose"
        " purposes role roles mission missions directive directives pretend mode / you your new"
        " updated hidden secret real override pretend enter enable activate switch anything",
        r"\byou are now (?:an? |the |in |acting|operating|no longer|free|required|authori[sz]ed)",
        r"\b(?:new|updated|hidden|secret|real|override) (?:system )?instructions? ?"
        r"(?::|are\b|follow)",
        r"\byour (?:new|real|true|actual|primary) (?:task|goal|job|objective|instruction|purpose"
        r"|role|mission|directive)s? (?:is|are)\b",
        r"\bpretend (?:to be|that you|you are|you're)\b",
        r"\b(?:enter|enable|activate|switch to|you are in) (?:developer|god|admin|dan|jailbreak) "
        r"mode\b",
        r"\bdo anything now\b",
    ),
    _wording(
        _LASTING,
        "now / from / on",
        r"\bfrom now on\b[^.!?]{0,40}\b(?:you|always|never|must|assistant|respond|reply|every|all)"
        r"\b",
    ),
    _wording(
        _LASTING,
        "rest remainder / conversation session chat",
        r"\bfor the (?:rest|remainder) of (?:this|the) (?:conversation|session|chat)\b[^.!?]{0,20}"
        r"\b(?:you|always|never|must)\b",
    ),
    _wording(
        _LASTING,
        "future subsequent following further / response responses reply replies answer answers"
        " message messages turn turns conversation conversations",
        r"\bin (?:all|any|every|each) (?:of your )?(?:future|subsequent|following|further) "
        r"(?:responses?|repl(?:y|ies)|answers?|messages?|turns?|conversations?)\b",
    ),
    _wording(
        _LASTING,
        "response responses reply replies answer answers outgoing / every each all / include add"
        " append insert put mention end begin start sign prepend recommend promote",
        r"\b(?:include|add|append|insert|put|mention|end|begin|start|sign|prepend|recommend"
        r"|promote)"
        r"\b[^.!?]{0,60}\b(?:every|each|all|all your|all of your) (?:responses?|repl(?:y|ies)"
        r"|answers?|outgoing \w+)\b",
    ),
    _wording(
        "asks the model to obey",
        "orders commands directives instruction instructions / obey follow comply carry execute",
        r"\b(?:obey|follow|comply with|carry out|execute) (?:these|the following|all|my|this) "
        r"(?:(?:hidden|secret|new|special|additional|extra|important|embedded|override) ){0,3}"
        r"(?:orders|commands|directives|instructions? (?:instead|first|without|silently"
        r"|immediately))\b",
        r"\b(?:obey|follow|comply with|carry out|execute) (?:these|the|all|my|this) "
        r"(?:hidden|secret|embedded|override) instructions?\b",
    ),
)

SECRECY: Final = _wordings(
    _wording(
        "asks for silence towards the user",
        "tell telling mention mentioning inform informing notify notifying alert alerting reveal"
        " revealing disclose disclosing let letting / not never refrain avoid don dont mustn"
        " shouldn",
        r"\b(?:do not|don't|dont|never|must not|mustn't|should not|shouldn't|refrain from|avoid) "
        r"(?:ever |directly |explicitly |to )?"
        r"(?:tell|telling|mention|mentioning|inform|informing|notify|notifying|alert|alerting"
        r"|reveal|revealing|disclose|disclosing|let|letting) "
        r"(?:(?:this|that|it|any of (?:this|it)|anything|about (?:this|it)|the user|these|them)\b"
        r"[^.!?]{0,40}\b(?:users?|human|anyone|anybody|operator|person|know|about|that you"
        r"|what you)\b|(?:anyone|anybody)\b"
        r"|(?:this|these|the|any of these) (?:\w{1,20} )?(?:instructions?|steps?|orders?)\b"
        r"|(?:to )?(?:the|any) (?:user|human|operator) (?:that|about|what|of|this)\b)",
    ),
    _wording(
        "asks to act unnoticed",
        "silently secretly covertly discreetly quietly stealthily",
        r"\b(?:silently|secretly|covertly|discreetly|quietly|stealthily) (?:and \w{1,20} )?"
        r"(?:send|read|copy|forward|upload|include|call|execute|run|collect|pass|append|transmit"
        r"|access|log|record|post|attach|exfiltrate|harvest|invoke|bcc|report|submit|store|save)\b"
        r"(?! (?:errors?|failures?|warnings?))",
    ),
    _wording(
        "asks to act without the user's knowledge",
        "without / user users their human anyone operator",
        r"(?<!not )\bwithout (?:the )?(?:user|users|user's|users'|their|human|human's) "
        r"(?:knowledge|knowing|noticing|awareness|being aware|being told|seeing|consent)\b",
        r"\b(?:must|should|always|and|then|also|will|just|please)\b[^.!?]{0,60}\bwithout "
        r"(?:telling|informing|notifying|alerting|mentioning (?:it|this) to) (?:the )?"
        r"(?:user|human|operator|anyone)\b",
    ),
    _wording(
        "asks to act without the user's consent",
        "confirmation permission approval consent / ask asking wait waiting / never not don "
        "without",
        r"\b(?:never|do not|don't) (?:ask|wait)(?: (?:the )?(?:user|human))? for (?:the "
        r")?(?:user's )?"
        r"(?:confirmation|permission|approval|consent)\b",
        r"(?<!not )\bwithout (?:asking|waiting)(?: (?:the )?(?:user|human))? for (?:the "
        r")?(?:user's )?"
        r"(?:confirmation|permission|approval|consent)\b",
        is_mild=True,
    ),
    _wording(
        _APART,
        "keep / secret hidden confidential between from",
        r"\bkeep (?:this|it|these|that|the following) (?:(?:instruction|step|action|note|call)s? )?"
        r"(?:a secret|secret|hidden|confidential|between us|from (?:the )?(?:user|human))\b",
    ),
    _wording(
        _APART,
        "hide conceal withhold / user users human humans",
        r"\b(?:hide|conceal|withhold) (?:this|it|these|that|the)\b[^.!?]{0,40}\bfrom (?:the )?"
        r"(?:user|human)s?\b",
    ),
    _wording(
        _APART,
        "know notice aware told find need see / user users human humans / not",
        r"\b(?:user|human)s? (?:must|should|may|need|can|does|do) not (?:know|see this|notice"
        r"|be aware|be told|find out|need to know)\b",
    ),
)

_TOOLS = r"(?:tools?|functions?|servers?|plugins?|mcps?)"
_NAME = r"[a-z][a-z0-9]{0,40}(?:_[a-z0-9]{1,40}){1,8}"
OTHER_TOOLS: Final = _wordings(
    _wording(
        "states how another tool is to be called",
        "must always never change replace redirect modify instead bcc rewrite reroute / called used"
        " invoked run executed available present triggered / when whenever if time before after",
        r"\b(?:when(?:ever)?|if|every time|each time|before|after)\b[^.!?]{0,24}"
        rf"\b({_NAME})\b[^.!?]{{0,24}}"
        r"\b(?:is|are|gets|was) (?:called|used|invoked|run|executed|available|present|triggered)\b"
        r"[^.!?]{0,80}\b(?:must|(?:always|never) (?:set|add|change|use|include|send|call|pass|copy)"
        r"|change|replace|redirect|modify|instead|bcc|rewrite|reroute)\b",
        marks=("_",),
    ),
    _wording(
        "states how another tool is to be called",
        "change replace redirect modify rewrite reroute alter override / recipient recipients"
        " argument arguments parameter parameters destination address output result results"
        " behavior behaviour call calls",
        r"\b(?:change|replace|redirect|modify|rewrite|reroute|alter|override) "
        r"(?:the |all |any |every )?(?:recipients?|arguments?|parameters?|destination|address"
        r"|output|results?|behaviou?r|calls?)\b[^.!?]{0,24}\b(?:of|to|for|from|in) (?:the )?"
        rf"({_NAME})\b",
        marks=("_",),
    ),
    _wording(
        "claims priority over all other tools",
        "tool tools function functions server servers plugin plugins mcp mcps / other any all every"
        " each the / never stop avoid refrain don not must should always has have instead rather"
        " over overrides override supersedes supersede replaces replace deprecated unsafe insecure"
        " broken disabled malicious obsolete forbidden unreliable compromised before prior",
        r"\b(?:do not|don't|never|stop|avoid|refrain from) (?:use|using|call|calling|invoke"
        rf"|invoking) (?:any |all |the )?other {_TOOLS}\b"
        r"(?! (?:until|unless|to \w+ (?:the same|it)))",
        r"\b(?:must|should|always|has to|have to)\b[^.!?]{0,24}\b(?:called|used|run|invoked"
        r"|executed|call|use|invoke|execute)\b[^.!?]{0,24}\bbefore "
        r"(?:using |calling |invoking |running )?(?:any|every|each|all)(?: of the)?(?: other)? "
        rf"{_TOOLS}\b",
        r"\b(?:before|prior to) (?:using|calling|invoking|running|executing) (?:any|every|all)"
        rf"(?: other)? {_TOOLS}\b[^.!?]{{0,40}}\b(?:must|always|call|first)\b",
        r"\b(?:instead of|rather than|over) (?:using |calling )?(?:any|all|every) other "
        rf"(?:\w{{1,20}} )?{_TOOLS}\b",
        r"\b(?:overrides?|supersedes?|replaces?|takes (?:priority|precedence) over) "
        rf"(?:any|all|every|the)(?: other)? {_TOOLS}\b",
        rf"\b(?:all|any|every) other {_TOOLS} (?:is|are) (?:deprecated|unsafe|insecure|broken"
        r"|disabled|malicious|obsolete|forbidden|unreliable|compromised)\b",
    ),
)

MARKERS: Final = _wordings(
    _wording(
        "has tokens of a chat template",
        "",
        r"<\|[a-z_\u2581 ]{2,40}\|>",
        r"\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>",
        marks=("<|", "[inst]", "[/inst]", "<<sys", "<</sys", "_of_turn>"),
    ),
    _wording(
        "imitates a system message",
        "system important critical secret hidden admin developer override assistant sys human",
        r"</(?:system|system[-_](?:prompt|message|reminder|instruction)s?|important|critical|secret"
        r"|hidden|admin|override|assistant|sys|developer)>",
        r"<(?:important|critical|secret|hidden)>(?=.{12})",
        r"<(?:system|system[-_](?:prompt|message|reminder|instruction)s?|admin|developer)>"
        r"(?= ?(?:you|ignore|always|never|before|when|the|do|from|this|important|note|must|all"
        r"|read)\b)",
        r"\[/?(?:system|system[-_ ](?:message|prompt|override|note|instruction)s?"
        r"|admin override)\]",
        r"(?:^|[.!?>*#\]] )#{0,4} ?system(?: (?:message|prompt|note|override|instruction|notice"
        r"|alert))?: ?(?:you|ignore|always|never|before|when|from|do not|disregard|all|override)\b",
        r"(?:^|[.!?] )human: [^\n]{0,200}?\bassistant: ",
        marks=("<", "[", ": "),
    ),
)

"""Words, domains and clauses that capabilities are inferred from."""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple


class Sense(IntEnum):
    """The effect of a verb on the world outside."""

    READS = 1
    """Reads, computes, answers."""
    MAKES = 2
    """Returns something new; a change only if it is stored somewhere."""
    CHANGES = 3
    COMPOSES = 4
    """A change, unless its object is a text or the like that is returned."""
    RUNS = 5
    """A change, unless what is run is known to be read-only."""
    LIGHT = 6
    """No effect of its own: "perform a search", "make a payment"."""


class Verb(NamedTuple):
    lemma: str
    sense: Sense
    is_noun: bool
    """Whether the same word is often a noun, as in "post" or "order"."""


_VERBS: Final[dict[Sense, str]] = {
    Sense.READS: """
        aggregate analyse analyze answer ask assess browse calculate categorize check
        classify collect compare compute count debug decode describe detect determine diagnose
        diff discover echo encode enumerate estimate evaluate examine explain explore extract
        fetch filter find gather get grep identify inspect list locate lookup measure monitor
        observe obtain optimize parse peek ping plan poll predict preview provide rank read
        recall recommend retrieve return scan score scrape search see select show sort suggest
        summarise summarize tail think track transcribe translate validate verify view wait
        watch
    """,
    Sense.MAKES: """
        capture convert download export format generate output plot render screenshot simulate
        synthesize take transform visualize
    """,
    Sense.CHANGES: """
        abort accept acknowledge acquire activate add adjust allocate alter annotate append
        apply approve archive arrange assign attach authenticate authorize ban block boot
        broadcast buy calibrate cancel change checkin checkout chmod chown claim clean clear
        clone close complete configure confirm connect control copy create deactivate debit
        decline decrease decrement delegate delete deploy deposit destroy detach dial disable
        disconnect dismiss dispatch downgrade drag drop duplicate edit empty enable enqueue
        enroll erase finalize fix flush follow forward grant hide hire hover import increase
        increment ingest init initialise initialize initiate insert install interrupt invite
        join kill land launch leave lock login logout manage mark merge migrate mint mkdir
        modify mount move mute navigate notify onboard overwrite pause pay persist pin place
        prepend press provision publish purchase purge push put reactivate reboot rebuild
        recreate regenerate register reindex reject relabel release remember remind remove
        rename reopen reorder repair replace reply reschedule resend reserve reset resize
        restart restore resume revert revoke rm rmdir rollback rotate save scale scroll sell
        send set setup share shutdown sign spawn speak stage stake start stop store submit
        subscribe suspend swap swipe switch sync synchronise synchronize takeoff tap terminate
        trade transfer trash truncate turn type unarchive unassign unblock undeploy undo
        unfollow uninstall unlink unlock unmount unpin unpublish unregister unset unsubscribe
        update upgrade upload upsert wipe withdraw write
    """,
    # Not create: its result is often stored, and a missed change is worse than a false one.
    Sense.COMPOSES: "build compose design draft make",
    Sense.RUNS: "eval exec execute invoke run trigger",
    Sense.LIGHT: "call conduct handle issue perform process request resolve",
}

# Verbs that are nouns as often; as the first word they count, if the next word fits.
_NOUNS: Final[dict[Sense, str]] = {
    Sense.READS: "match query review test",
    Sense.CHANGES: """
        bid book bookmark charge click comment commit dim end fill flag fly fork invest label
        link log mail message open order patch play post pull record refund report schedule star
        tag tweet vote
    """,
}

# Verbs in a name, and often nouns in a sentence: "Set of tools".
_ALSO_NOUNS: Final = frozenset(
    """
    answer build change check control copy design download draft echo export filter format
    import issue list lock login mail mark match measure monitor move output pause pin place
    plan plot preview process purchase rank release render request reset return run scale scan
    score search set setup share sign stage stake start stop store swap switch tap test track
    trade transfer trigger turn type update upgrade upload use view watch
    """.split()
)

# Those that are nouns even between the words of a name: "qualityControlManager", "WordPress".
NOUNS_WITHIN: Final = frozenset(
    """
    answer build change control copy design draft issue lock mark measure monitor place plan
    press rank release return scale score share sign stage stake store track trade type view
    """.split()
)

_DOUBLED: Final = frozenset("ban drop get grep log pin plan plot put run scan set stop tag".split())


def _present(lemma: str) -> str:
    if lemma.endswith("y") and lemma[-2] not in "aeou":
        return f"{lemma.removesuffix('y')}ies"
    return f"{lemma}es" if lemma.endswith(("s", "x", "ch", "sh", "o")) else f"{lemma}s"


def _gerund(lemma: str) -> str:
    if lemma in _DOUBLED:
        return f"{lemma}{lemma[-1]}ing"
    return f"{lemma.removesuffix('e')}ing"


def _lemmas() -> dict[str, Verb]:
    plain = {
        word: Verb(word, sense, is_noun=False)
        for sense, words in _VERBS.items()
        for word in words.split()
    }
    nouns = {
        word: Verb(word, sense, is_noun=True)
        for sense, words in _NOUNS.items()
        for word in words.split()
    }
    return plain | nouns


BASE: Final[dict[str, Verb]] = _lemmas()
PRESENT: Final[dict[str, Verb]] = {
    _present(word): verb
    for word, verb in BASE.items()
    if word != "accept"  # "Accepts a list of …"
}
GERUND: Final[dict[str, Verb]] = {_gerund(word): verb for word, verb in BASE.items()}
IN_PROSE: Final[dict[str, Verb]] = {
    word: verb._replace(is_noun=verb.is_noun or verb.lemma in _ALSO_NOUNS)
    for forms in (PRESENT, BASE)
    for word, verb in forms.items()
}

# "tidy: … writes them back": verbs that are almost never nouns, at any place.
UNMISTAKABLE: Final = frozenset(
    "create delete insert modify overwrite remove save send write".split()
)

# Who acts, or what is done, as the last word of a name: "meeting_scheduler", "git_commit".
AGENTS: Final[dict[str, str]] = {
    "booker": "book",
    "controller": "control",
    "creator": "create",
    "deleter": "delete",
    "editor": "edit",
    "executor": "execute",
    "installer": "install",
    "manager": "manage",
    "notifier": "notify",
    "publisher": "publish",
    "registrar": "register",
    "scheduler": "schedule",
    "sender": "send",
    "updater": "update",
    "uploader": "upload",
    "writer": "write",
    **{verb: verb for verb in "click commit fill fork patch post pull refund tweet vote".split()},
    "bash": "run",
    "interpreter": "run",
    "repl": "run",
    "shell": "run",
    "terminal": "run",
}

# Objects of reading rather than of change: "run a search", "perform an analysis".
LOOKING: Final = frozenset(
    """
    analyses analysis assessment audit benchmark calculation calculations check checks
    comparison diagnosis diagnostics estimation evaluation forecast inference inspection jql kql
    logql lookup measurement prediction preview promql review scan search searches select
    similarity simulation sparql statistics validation verification
    """.split()
)
# Objects of a change, whatever the verb: "make a payment".
DEALS: Final = frozenset(
    """
    alert booking conversation deposit discussion donation incident issue order payment payments
    purchase refund reservation return ride thread ticket transaction transactions transfer
    withdrawal
    """.split()
)
# Objects that have effects when they are evaluated.
CODE: Final = frozenset(
    "code command commands expression javascript js python script scripts sql".split()
)
# Objects that are returned when they are made.
RETURNED: Final = frozenset(
    """
    embedding embeddings essay explanation greeting hash joke lyrics outline poem prompt queries
    query regex summary uuid visualization
    """.split()
)
# "add two numbers"
NUMBERS: Final = frozenset("integers numbers operands sum".split())
# A noun follows, so the word before is one, too: "order_status".
ATTRIBUTES: Final = frozenset(
    """
    analysis count data detail details entries entry finder forecast format history id ids info
    information items list lists lookup metadata name names number numbers of options price
    prices result results search stats status summary trends type types
    """.split()
)
DETERMINERS: Final = frozenset(
    """
    a all an another any both existing it its multiple my new one or several some specific that
    the their them these this those to two up your
    """.split()
)

# Words that may precede the verb of a description.
OPENERS: Final = frozenset(
    """
    a able action agent allow allows also an and api app at be browser call called can command
    commands enable enables endpoint existing first for function helper helps important it lets
    mcp method need needs new note of operation operations please purpose service should simple
    simply summary support supports that the them this to tool use used useful user users using
    utility want when which will with you
    """.split()
)
BEFORE_GERUNDS: Final = frozenset("for of supports support".split())
JOINTS: Final = frozenset({"and", "or", "then", ",", "&"})
LEADS_ON: Final = frozenset({"that", "which", "to", "can", "will"})

# "does not delete anything" is no evidence of deleting.
NEGATIONS: Final = frozenset(
    {"not", "never", "no", "without", "cannot", "don", "doesn", "won", "t", "nothing", "avoid"}
)
# Statements that decide about what is run, unless the verb of the name contradicts.
ONLY_READS: Final = (
    "read-only",
    "readonly",
    "read only",
    "does not modify",
    "doesn't modify",
    "without modifying",
    "no side effects",
    "does not change any",
)

# Words before the action: "file_manager_tool_v1".
TRAILERS: Final = frozenset("action api endpoint func function service tool v".split())

# Parameters that select an action, contain what is run, or name a place for the result.
CHOICES: Final = frozenset(
    "action actions cmd command method mode op operation subcommand verb".split()
)
RUN_BY_NAME: Final = frozenset("cmd command script sql".split())
WRITTEN_TO: Final = frozenset(
    """
    destination destination_path download_path filename output_dir output_directory output_file
    output_filename output_folder output_path save_dir save_path save_to target_path
    """.split()
)
CAUTIONS: Final = frozenset("confirm dry_run dryrun force overwrite".split())

# In texts without spaces between words: the first one found counts.
IDEOGRAMS: Final[dict[str, str]] = {
    "创建": "create",
    "創建": "create",
    "新增": "add",
    "添加": "add",
    "删除": "delete",
    "刪除": "delete",
    "移除": "remove",
    "更新": "update",
    "修改": "modify",
    "设置": "set",
    "設定": "set",
    "设定": "set",
    "配置": "configure",
    "发送": "send",
    "發送": "send",
    "保存": "save",
    "上传": "upload",
    "发布": "publish",
    "购买": "purchase",
    "预订": "book",
    "预约": "book",
    "提交": "submit",
    "支付": "pay",
    "转账": "transfer",
    "执行": "execute",
    "启动": "start",
    "停止": "stop",
    "取消": "cancel",
    "注册": "register",
    "管理": "manage",
    "安排": "schedule",
    "查询": "query",
    "查詢": "query",
    "获取": "get",
    "獲取": "get",
    "搜索": "search",
    "查找": "find",
    "检索": "retrieve",
    "分析": "analyze",
    "计算": "calculate",
    "比较": "compare",
    "推荐": "recommend",
    "提供": "provide",
    "预测": "predict",
    "评估": "assess",
    "生成": "generate",
    "检查": "check",
    "显示": "show",
    "列出": "list",
    "返回": "return",
    "翻译": "translate",
    "监测": "monitor",
    "识别": "identify",
    "检测": "detect",
    "优化": "optimize",
    "估算": "estimate",
    "规划": "plan",
    "转换": "convert",
    "建议": "suggest",
    "收集": "collect",
    "监控": "monitor",
    "跟踪": "track",
    "提取": "extract",
    "验证": "verify",
    "启用": "enable",
    "调整": "adjust",
}

# Changing verbs that remove something.
DESTROYS: Final = frozenset(
    "delete destroy drop erase kill overwrite purge remove terminate trash truncate uninstall "
    "wipe".split()
)
# Changing verbs that do more in a second call.
ADDS_UP: Final = frozenset(
    "append broadcast buy create decrement increment insert notify order pay post prepend "
    "purchase reply sell send tweet withdraw".split()
)
# Verbs that certainly only read.
LOOKS: Final = frozenset(
    "count describe fetch find get list lookup query read retrieve return search show view".split()
)


# Beginnings of a later sentence: "Then stores the result".
GOES_ON: Final = frozenset("additionally afterwards also finally it then".split())
# "is stored in the database": storing a result is a change.
IS: Final = frozenset({"are", "be", "gets", "is"})
KEPT: Final[dict[str, str]] = {
    "committed": "commit",
    "inserted": "insert",
    "persisted": "persist",
    "posted": "post",
    "published": "publish",
    "saved": "save",
    "sent": "send",
    "stored": "store",
    "uploaded": "upload",
    "written": "write",
}
KEEPS: Final = UNMISTAKABLE.union(KEPT.values(), ("append", "archive", "purge", "update"))
KEEPING: Final[dict[str, Verb]] = {form: v for form, v in GERUND.items() if v.lemma in KEEPS}
# Verbs in a joined clause, and nouns everywhere else: "and emails it to the team".
IN_CLAUSES: Final[dict[str, Verb]] = dict.fromkeys(
    ("email", "emails"), Verb("email", Sense.CHANGES, is_noun=True)
)


DOMAINS: Final[dict[str, str]] = {
    "file": "filesystem",
    "files": "filesystem",
    "folder": "filesystem",
    "directory": "filesystem",
    "filesystem": "filesystem",
    "path": "filesystem",
    "sql": "database",
    "database": "database",
    "db": "database",
    "table": "database",
    "record": "database",
    "email": "email",
    "emails": "email",
    "mail": "email",
    "inbox": "email",
    "gmail": "email",
    "code": "code",
    "repository": "code",
    "commit": "code",
    "http": "web",
    "https": "web",
    "api": "web",
    "web": "web",
    "url": "web",
    "website": "web",
    "internet": "web",
    "search": "web",
}

"""What can be wrong with a call or an input, as one tree of exceptions.

ToolcanonError
├── InputError                  the data handed in (exit 2)
│   ├── MalformedJson           E101  not JSON
│   ├── DuplicateKey            E102  one object names a key twice
│   ├── NumberOutOfRange        E103  NaN, infinities, what a double cannot hold
│   ├── BadEncoding             E104  not UTF-8
│   ├── LoneSurrogate           E105  half of a surrogate pair in a string
│   ├── LimitExceeded           E106  larger, deeper or longer than allowed
│   ├── NoTools                 E110  nothing in it is a tool
│   ├── UnreadableTool          E111  a tool, but its shape is wrong
│   ├── WrongFormat             E112  the format named is not the one found
│   ├── BadReceipt              E113  not a receipt, or not for this payload
│   ├── MissingFile             E114  no such file, or not readable
│   ├── NotACall                E115  no name with arguments
│   ├── NotAConversation        E116  no messages in it, or in no known shape
│   ├── CutStream               E117  a stream that ends before its end
│   ├── UnusableArguments       E118  arguments that make no request
│   ├── NotAToolResponse        E119  an envelope without ok, or one that contradicts itself
│   ├── RefusedArguments        E120  arguments that do not fit a tool's parameters
│   ├── BadConfig               E121  a configuration file that means nothing
│   ├── AnswerFailed            E122  a provider's error where its answer should be
│   ├── HistoryInRow            E123  messages beside tools for a target without conversations
│   ├── UnwrittenColumn         E124  calls or turns beside tools that would be left behind
│   ├── UnusableConfig          E313  a client's file without the server asked for
│   ├── BadLock                 E325  a lockfile that cannot be trusted
│   ├── BadShape                E329  a shape of responses that is none, or damaged
│   └── BadImport               E330  baselines or alerts that cannot be taken
├── UsageError                  the call itself (exit 2)
│   ├── UnknownFormat           E201
│   ├── NotWritable             E202  the format can only be read
│   ├── DuplicateTool           E203  two tools share one name
│   ├── UnknownCode             E204
│   ├── UnknownDialect          E205
│   ├── UnknownTool             E206  a name that no bound tool has
│   │   └── AmbiguousCall       E214  a name that tools of several namespaces have
│   ├── AmbiguousChoice         E215  a choice by a name that tools of several namespaces have
│   ├── BadOption               E216  a value that an option does not take
│   ├── MissingPackage          E207  an extra that is not installed
│   ├── DefinitionError         E209  a function or class that cannot be a tool
│   ├── UnknownProfile          E211
│   ├── ProfileCollision        E212  two tools would share one name
│   ├── NoModule                E213  no tools in a Python module
│   ├── CannotCall              E210  a call without its context, its object or an await
│   ├── ConsentNeeded           E311  a command from a file that nobody agreed to
│   ├── NoBaseline              E326  nothing to compare with
│   ├── ApprovalConflict        E327  not what was approved
│   └── UnknownStore            E328  a place where no store can be
├── CheckFailed                 E208  findings of the level that a check fails on (exit 1)
└── SystemRefusal           disk, locks, permissions, servers (exit 3)
    ├── CannotWrite             E301
    ├── ServerFailed            E310  a live server that does not start or answer
    ├── UntrustedState          E312  a file of ours that others can write
    ├── StoreDamaged            E320  a store that cannot be read any more
    ├── StoreForeign            E321  a file that is no store of ours
    ├── StoreVersion            E322  a store of a version not known here
    ├── StoreUnwritable         E323  read-only, full, or not ours to write
    └── StoreBusy               E324  locked by others for too long

Every error carries its facts as fields; the sentence is made from them: what, where, what to do.
"""

from .asked import (
    AmbiguousCall,
    AmbiguousChoice,
    BadOption,
    CannotWrite,
    CheckFailed,
    DuplicateTool,
    MissingPackage,
    NoModule,
    NotWritable,
    ProfileCollision,
    UnknownCode,
    UnknownDialect,
    UnknownFormat,
    UnknownProfile,
    UnknownTool,
)
from .defined import CannotCall, DefinitionError, RefusedArguments
from .given import (
    AnswerFailed,
    BadConfig,
    BadReceipt,
    CutStream,
    HistoryInRow,
    MissingFile,
    NotACall,
    NotAConversation,
    NotAToolResponse,
    NoTools,
    UnreadableTool,
    UnusableArguments,
    UnwrittenColumn,
    WrongFormat,
)
from .reached import ConsentNeeded, ServerFailed, UntrustedState, UnusableConfig
from .root import InputError, SystemRefusal, ToolcanonError, UsageError, nearest, place
from .stored import (
    ApprovalConflict,
    BadImport,
    BadLock,
    BadShape,
    NoBaseline,
    StoreBusy,
    StoreDamaged,
    StoreForeign,
    StoreUnwritable,
    StoreVersion,
    UnknownStore,
)
from .text import (
    BadEncoding,
    DuplicateKey,
    LimitExceeded,
    LoneSurrogate,
    MalformedJson,
    NumberOutOfRange,
)

__all__ = [
    "AmbiguousCall",
    "AmbiguousChoice",
    "AnswerFailed",
    "ApprovalConflict",
    "BadConfig",
    "BadEncoding",
    "BadImport",
    "BadLock",
    "BadOption",
    "BadReceipt",
    "BadShape",
    "CannotCall",
    "CannotWrite",
    "CheckFailed",
    "ConsentNeeded",
    "CutStream",
    "DefinitionError",
    "DuplicateKey",
    "DuplicateTool",
    "HistoryInRow",
    "InputError",
    "LimitExceeded",
    "LoneSurrogate",
    "MalformedJson",
    "MissingFile",
    "MissingPackage",
    "NoBaseline",
    "NoModule",
    "NoTools",
    "NotACall",
    "NotAConversation",
    "NotAToolResponse",
    "NotWritable",
    "NumberOutOfRange",
    "ProfileCollision",
    "RefusedArguments",
    "ServerFailed",
    "StoreBusy",
    "StoreDamaged",
    "StoreForeign",
    "StoreUnwritable",
    "StoreVersion",
    "SystemRefusal",
    "ToolcanonError",
    "UnknownCode",
    "UnknownDialect",
    "UnknownFormat",
    "UnknownProfile",
    "UnknownStore",
    "UnknownTool",
    "UnreadableTool",
    "UntrustedState",
    "UnusableArguments",
    "UnusableConfig",
    "UnwrittenColumn",
    "UsageError",
    "WrongFormat",
    "nearest",
    "place",
]

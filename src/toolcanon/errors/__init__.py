"""The exceptions of the package, as one tree.

ToolcanonError
├── InputError                  E100  the input data (exit 2)
│   ├── MalformedJson           E101  not JSON
│   ├── DuplicateKey            E102  an object repeats a key
│   ├── NumberOutOfRange        E103  NaN, infinities, numbers beyond a double
│   ├── BadEncoding             E104  not UTF-8
│   ├── LoneSurrogate           E105  a lone surrogate in a string
│   ├── LimitExceeded           E106  larger, deeper or longer than allowed
│   ├── NoTools                 E110  an input without tools
│   ├── UnreadableTool          E111  a tool with missing or wrong fields
│   ├── WrongFormat             E112  another format than the named one
│   ├── BadReceipt              E113  not a receipt, or not for this payload
│   ├── MissingFile             E114  no such file, or not readable
│   ├── NotACall                E115  a value without a name and arguments
│   ├── NotAConversation        E116  no messages, or in no known format
│   ├── CutStream               E117  a stream that ended too early
│   ├── UnusableArguments       E118  arguments that do not give a request
│   ├── NotAToolResponse        E119  an invalid envelope
│   ├── RefusedArguments        E120  arguments that do not fit a tool's parameters
│   ├── BadConfig               E121  an invalid configuration file
│   ├── AnswerFailed            E122  an error instead of an answer
│   ├── HistoryInRow            E123  messages beside tools, for a target without conversations
│   ├── UnwrittenColumn         E124  calls or messages beside tools that would be lost
│   ├── UnusableConfig          E313  a client configuration without that server
│   ├── BadLock                 E325  a lockfile that cannot be trusted
│   ├── BadShape                E329  an invalid or damaged response shape
│   └── BadImport               E330  an invalid baseline or alert
├── UsageError                  E200  wrong usage (exit 2)
│   ├── UnknownFormat           E201
│   │   └── NoConversations
│   ├── NotWritable             E202  the format can only be read
│   ├── DuplicateTool           E203  two tools share one name
│   ├── UnknownCode             E204
│   ├── UnknownDialect          E205
│   ├── UnknownTool             E206  an unknown tool name
│   │   └── AmbiguousCall       E214  a name in several namespaces
│   ├── AmbiguousChoice         E215  a choice by a name in several namespaces
│   ├── BadOption               E216  an invalid value of an option
│   ├── MissingPackage          E207  an extra that is not installed
│   ├── DefinitionError         E209  a function or class that cannot be a tool
│   ├── UnknownProfile          E211
│   ├── ProfileCollision        E212  two tools get the same name
│   ├── NoModule                E213  no tools in a Python module
│   ├── CannotCall              E210  a call that lacks a context, an object or an await
│   ├── ConsentNeeded           E311  a command of a file without consent
│   ├── NoBaseline              E326  nothing to compare with
│   ├── ApprovalConflict        E327  another definition than the approved one
│   └── UnknownStore            E328  an unsupported kind of store
├── CheckFailed                 E208  findings of the level that a check fails on (exit 1)
└── SystemRefusal           E300  disk, locks, permissions, servers (exit 3)
    ├── CannotWrite             E301
    ├── ServerFailed            E310  a live server that does not start or answer
    ├── UntrustedState          E312  a state file that other users can write
    ├── StoreDamaged            E320  a damaged store
    ├── StoreForeign            E321  a file that is not a store
    ├── StoreVersion            E322  a store of an unknown version
    ├── StoreUnwritable         E323  read-only, full, or without permission
    └── StoreBusy               E324  locked by other processes for too long

Every error has its facts as fields; the message states what, where, and what to do.
"""

from .input import (
    AnswerFailed,
    BadConfig,
    BadEncoding,
    BadReceipt,
    CutStream,
    DuplicateKey,
    HistoryInRow,
    LimitExceeded,
    LoneSurrogate,
    MalformedJson,
    MissingFile,
    NotACall,
    NotAConversation,
    NotAToolResponse,
    NoTools,
    NumberOutOfRange,
    UnreadableTool,
    UnusableArguments,
    UnwrittenColumn,
    WrongFormat,
)
from .root import InputError, SystemRefusal, ToolcanonError, UsageError, nearest, place
from .system import (
    ApprovalConflict,
    BadImport,
    BadLock,
    BadShape,
    ConsentNeeded,
    NoBaseline,
    ServerFailed,
    StoreBusy,
    StoreDamaged,
    StoreForeign,
    StoreUnwritable,
    StoreVersion,
    UnknownStore,
    UntrustedState,
    UnusableConfig,
)
from .usage import (
    AmbiguousCall,
    AmbiguousChoice,
    BadOption,
    CannotCall,
    CannotWrite,
    CheckFailed,
    DefinitionError,
    DuplicateTool,
    MissingPackage,
    NoConversations,
    NoModule,
    NotWritable,
    ProfileCollision,
    RefusedArguments,
    UnknownCode,
    UnknownDialect,
    UnknownFormat,
    UnknownProfile,
    UnknownTool,
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
    "NoConversations",
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

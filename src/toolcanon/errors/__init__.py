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
│   └── NotAToolResponse        E119  an envelope without ok, or one that contradicts itself
├── UsageError                  the call itself (exit 2)
│   ├── UnknownFormat           E201
│   ├── NotWritable             E202  the format can only be read
│   ├── DuplicateTool           E203  two tools share one name
│   ├── UnknownCode             E204
│   ├── UnknownDialect          E205
│   ├── UnknownTool             E206  a name that no bound tool has
│   └── MissingPackage          E207  an extra that is not installed
└── SystemRefusal           disk, locks, permissions (exit 3)
    └── CannotWrite             E301

Every error carries its facts as fields; the sentence is made from them: what, where, what to do.
"""

from .asked import (
    CannotWrite,
    DuplicateTool,
    MissingPackage,
    NotWritable,
    UnknownCode,
    UnknownDialect,
    UnknownFormat,
    UnknownTool,
)
from .given import (
    BadReceipt,
    CutStream,
    MissingFile,
    NotACall,
    NotAConversation,
    NotAToolResponse,
    NoTools,
    UnreadableTool,
    UnusableArguments,
    WrongFormat,
)
from .root import InputError, SystemRefusal, ToolcanonError, UsageError, nearest, place
from .text import (
    BadEncoding,
    DuplicateKey,
    LimitExceeded,
    LoneSurrogate,
    MalformedJson,
    NumberOutOfRange,
)

__all__ = [
    "BadEncoding",
    "BadReceipt",
    "CannotWrite",
    "CutStream",
    "DuplicateKey",
    "DuplicateTool",
    "InputError",
    "LimitExceeded",
    "LoneSurrogate",
    "MalformedJson",
    "MissingFile",
    "MissingPackage",
    "NoTools",
    "NotACall",
    "NotAConversation",
    "NotAToolResponse",
    "NotWritable",
    "NumberOutOfRange",
    "SystemRefusal",
    "ToolcanonError",
    "UnknownCode",
    "UnknownDialect",
    "UnknownFormat",
    "UnknownTool",
    "UnreadableTool",
    "UnusableArguments",
    "UsageError",
    "WrongFormat",
    "nearest",
    "place",
]
